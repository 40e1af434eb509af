"""How requests are put: what people say before, after and between them, and how they type. None of it changes what is asked."""
import re

from . import words
from .split import Lexicon, is_held_back

BEFORE = Lexicon("before a request", ["yes, ", "ah, ", "um, ", "right, ", "alright, ", "good, ", "listen, ", "hm, ", "great, ", "no, ", "fine, ", "uh, ", "hi llmd, ", "excuse me, ",
                                      "just ", "then ", "also ", "sorry, ", "hey phone, ", "computer, ", "phone, ", "assistant, ",
                                      "please ", "hey, ", "hi, ", "ok, ", "hello, ", "okay ", "now ", "quick, ", "so, ", "well, ", "oh, ",
                                      "ok so ", "oh and ", "and ", "right then, ", "one moment, ", "let me think, ", "look, ", "er, ", "hello there, ", "hey there, ", "good morning, ",
                                      "good evening, ", "hi there, ", "hey assistant, ", "dear phone, ", "my friend, ", "again, ", "actually, ", "first, ", "next, ", "if you can, ",
                                      "if possible, ", "when you have a moment, ", "quick one: ", "a request: ", "a question, ", "before I forget, ", "oh yes, ", "oh no, ", "damn, ",
                                      "oops, ", "wait, ", "hmm ", "yo, ", "ok llmd, ", "llmd, ", "hey llmd ", "for me, ", "by the way, ", "as always, ", "same as always, "])
AFTER = Lexicon("after a request", [" please", ", please", ", thanks", ", thank you", " now", ", will you", " for me", " for me please", " right away", " if you can", ", would you",
                                    " at once", ", that would be great", ", that's all", " quickly", ", ok", " then", ", could you",
                                    " pls", " thx", " straight away", " immediately", " as soon as you can", " when you can", " if possible", " if you don't mind", ", if that's ok",
                                    ", thanks a lot", ", many thanks", ", cheers", ", would be nice", ", would be lovely", ", quick", ", hurry", ", I'm in a hurry", ", it's urgent",
                                    ", my hands are full", ", dear", ", my friend", ", llmd", ", be quick", ", there's no rush", ", don't forget", ", thanks in advance",
                                    ", that's it", ", nothing else", " this instant", ", can you", ", can you do that", ", is that possible", ", ok?", " before I forget", " just once",
                                    " again please", ", you know", ", good phone", " without delay", " as fast as you can", " while you're at it"])
# What turns "set a timer" into another request for the same.
FRAMES = Lexicon("frames of requests", ["can you {}", "could you {}", "could you please {}", "would you {}", "would you please {}", "will you {}", "please {}", "kindly {}", "I want you to {}",
                                        "I'd like you to {}", "I would like you to {}", "I need you to {}", "go ahead and {}", "be so kind and {}", "be so good and {}", "do me a favour and {}",
                                        "it would be great if you could {}", "it would be nice if you could {}", "would it be possible to {}", "are you able to {}", "is it possible to {}",
                                        "I was wondering if you could {}", "maybe you could {}", "perhaps you can {}", "I'd be glad if you could {}", "may I ask you to {}", "you should {}",
                                        "you can {}", "I want to {}", "I'd like to {}", "I would like to {}", "let's {}", "let me {}", "help me {}", "time to {}", "now {}", "quickly {}",
                                        "and {}", "ok {}", "what I want is to {}", "I asked you to {}", "don't forget to {}", "try to {}", "you may {}", "can't you {}", "why don't you {}"])
IMPERATIVES = set("set start make create put run count begin ring time measure wake add let change remind schedule nudge ping give tell text message send write say drop inform answer "
                  "reply notify compose pass call phone dial place connect get try take save jot note remember keep store record note append include extend enter insert update show read open "
                  "list display print check view plan book mark arrange block reserve navigate guide find bring lead calculate drive play turn switch dim light pause resume stop continue end "
                  "skip look translate search launch heat warm convert exchange track lock unlock cancel delete remove locate snap shoot close".split())
# What stands between two requests besides a comma or a stop.
JOINTS = Lexicon("between requests", """also|and also|plus|oh and|after that|and after that|next|finally|and finally|one more thing:|and one more thing:|then please|
please also|also please|and please|and could you also|in addition|additionally|besides that|besides,|on top of that|afterwards|and afterwards|lastly|and lastly|once that is done|
when that's done|when you have done that,|and when you're done|as well as that,|further,|furthermore|secondly|second,|and second,|another thing:|and another thing:|oh and also|oh, and|
oh yes and|ah and|and then please|and then also|and next|next up:|followed by this:|while you're at it,|and while you're at it,|and at the same time|at the same time|meanwhile|
and besides that|and in addition|apart from that,|and apart from that|with that done,|first that, then|following that,|
good, and now|and now|now|ok and|okay then|right, and|well and|that's one thing, the other:|number two:|two:|p.s.|and oh,|and by the way|by the way,|moreover|for another thing,|
and for another,|directly after that|right after that|straight after,|before I forget,|and before I forget:|also could you|and if you can,|
and just|and maybe|and perhaps|and yes,|then, too,|so then|then next|last thing:|final thing:|and that done,|&|+|/|-|->""".replace("\n", "").split("|"))
COMMON_JOINTS = ("and", "and", "and then", "then")  # of the training, a closed class
QUESTION = re.compile(r"^(what|how|is|are|do|does|can|could|will|where|which|am|did|when)\b", re.I)


def dressed(choose, text, may_end, slot_first, quiet=False):
    """A phrasing as people type it."""
    bare = text
    more = 0.1 if choose.side == "train" else 0
    if not quiet and not slot_first and choose.chance(0.15 + more):
        text = (words.odd_word(choose) + ", " if choose.side == "train" and choose.chance(0.15) else choose.of(BEFORE)) + text
    if not quiet and may_end and choose.chance(0.1 + more):
        text += choose.of(AFTER)
    if choose.side == "train" and text != bare and is_held_back(text) and not is_held_back(bare):
        text = bare
    if not quiet and (not slot_first or slot_first == "capital" and choose.side == "train") and choose.chance(0.55):
        text = text[0].upper() + text[1:]
    if QUESTION.match(text) and may_end:
        return text + ("?" if choose.chance(0.6) else "")
    return text + ("." if choose.chance(0.3) and not text.endswith(('"', "?", "!", ".")) else "!" if choose.chance(0.02) and may_end else "")


def joined_by(choose, ends_free, spoken):
    """What stands between two requests. A bare "and" or comma after a free text would be a part of it."""
    rng = choose.rng
    word = choose.of(JOINTS)
    if choose.side == "train":
        p = rng.random()
        if p < 0.3 and not ends_free:
            word = rng.choice(COMMON_JOINTS)
        elif p > 0.9:
            other = words.disturbed(choose, word + " " + rng.choice(("and", "then", "also", "now", "please")), 1, True)
            word = word if any(held in other for held in JOINTS.parts["test"]) else other
    if spoken:
        return f" {word.strip(',:-&+/>. ').replace(',', '') or 'and then'} "
    p = rng.random()
    if p < 0.16:
        return rng.choice((";", ".", ".", " -", "!", "...") if ends_free else (",", ";", ".", ".", " -", "!", "...")) + rng.choice((" ", " ", " ", "\n"))
    if p < 0.5:
        return f" {word} "
    if p < 0.82:
        return rng.choice((", ", ", ", "; ")) + word + " "
    return rng.choice((". ", ". ", ".\n", "! ")) + word[0].upper() + word[1:] + ("" if not word[-1].isalpha() or choose.chance(0.6) else ",") + " "


def style_of(choose):
    """How a request is written: None as it is, "lower" without capitals, "spoken" without punctuation either, "capital" in nothing else."""
    p = choose.rng.random()
    if choose.side == "test":
        return "lower" if p < 0.07 else None
    return "spoken" if p < 0.12 else "lower" if p < 0.25 else "capital" if p < 0.28 else None


PUNCTUATION = re.compile(r"(?<!\d)[,;:](?!\d)|(?<=\d)[,;:](?!\d)|[!?\"]|(?<!\.\w)(?<=\w)\.(?=\s|$)|\.\.\.")


def spoken(text):
    return " ".join(PUNCTUATION.sub("", text).split())


def lower(value):
    if isinstance(value, list):
        return [v.lower() for v in value]
    return value.lower() if isinstance(value, str) else value


def upper(value):
    if isinstance(value, list):
        return [v.upper() for v in value]
    return value.upper() if isinstance(value, str) else value


def spoken_value(value):
    if isinstance(value, list):
        return [spoken(v) for v in value]
    return spoken(value) if isinstance(value, str) else value


# Sentences that ask for nothing, around a request. {a} is a thing, {name} a name, {room}, {town}, {n} a number.
ASIDES = Lexicon("asides", """I'm in the {room} and my hands are wet
my hands are full
I can't reach the {a} right now
it has been a long day
what a day
{name} is here with {n} friends
{name} just left for {town}
I'm already late
we are all in the {room}
I'm standing in the {room} with a {a}
the {a} fell down again
{name} says the {a} is ready
I nearly forgot
I always forget these things
I'm so tired today
the kids are asleep at last
I don't have my glasses on
I'm holding a {a}
we came back from {town} an hour ago
nothing works today
I was up half the night
the {a} in the {room} is broken
there are {n} people in the {room}
{name} told me about the {a}
I had {n} cups of coffee
my bus from {town} was late again
I'm cooking for {n} people
it was raining the whole way
the neighbours are loud again
I have no idea where the {a} went
you know how it is
I don't want to do it myself
as I said to {name}
I would do it myself but I'm holding the {a}
I'm busy with the {a}
I just woke up
I'm in bed already
{name} and {name2} are arguing about a {a}
first the {a} broke and then the {a2} fell off the wall
I spent the whole morning looking for a {a}
the {a} was on the floor of the {room}
somebody left a {a} in the {room}
I've been to {town} and back
that {a} drives me mad
don't ask me why
no time to explain""".split("\n"))
THANKS = Lexicon("after a request as a sentence", """Thanks!
Thank you very much.
That's all.
That would be great.
That would help me a lot.
I'd forget it otherwise.
I always forget that.
Thanks a lot.
You are a star.
I'm counting on you.
It's important.
No hurry.
I'm in a hurry.
That's it for now.
Many thanks.
Good.
I'd be grateful.
Don't ask why.
You know me.
Hope that works.
It would save my day.
I don't have a hand free.
Otherwise there will be trouble.
I really need it.""".split("\n"))


# Why something is asked, after or before it with a comma.
REASONS = Lexicon("reasons", """I'm off work
I'm awake already
I don't want to be late
I can't do it now
I've no time
it's too loud here
I'm tired
it's getting late
the {a} is done already
{name} is waiting
{name} is asleep
we're leaving soon
I'm on the phone
I'm up already
I changed my mind
the {a} can wait
{name} asked me to
I nearly forgot again
I'm hungry
it's so quiet here
the guests are here
I have guests
my battery is low
I've got my gloves on
I'm not at home
it's raining
I'm cold
I can't see a thing
not sure I did that
I'm a bit lost
I'm new here
the {a} is out of the {room}
we're done here
it's all a bit much
I'll be out all day
I promised {name}
I keep forgetting
{name} won't mind
we are nearly there
I have to go
I need it
it matters to me""".split("\n"))


def reason(choose):
    return choose.text(REASONS, a=choose.of(words.ANY), name=words.first_name(choose), room=choose.of(words.ROOMS))


def aside(choose):
    return choose.text(ASIDES, a=choose.of(words.ANY), a2=choose.of(words.ANY), name=words.first_name(choose), name2=words.first_name(choose), room=choose.of(words.ROOMS),
                       town=words.town(choose), n=choose.rng.randint(2, 30))


def among_others(choose, text, may_end, slot_first):
    """A request after sentences that ask for nothing, and before a polite one."""
    rng = choose.rng
    if choose.chance(0.4):
        if may_end and choose.chance(0.6):
            return text.rstrip(".!?") + rng.choice((", ", ", ", " - ", ". ", " because ", " since ", ", you see ")) + reason(choose)
        return followed_by(reason(choose) + rng.choice((", ", ", ", ", so ", ". ", " and ", " - ")), text, slot_first)
    n = rng.choice((0, 1, 1, 1, 2, 2, 3, 6))
    before = ""
    for i in range(n):
        said = aside(choose)
        before += (said if before.endswith((", ", " and ")) else said[0].upper() + said[1:]) + rng.choice((". ", ". ", ", so ", ", ", "! ") if i + 1 == n else (". ", ". ", ", ", " and ", "! "))
    after = ""
    if not n or choose.chance(0.4):
        after = ("" if text.endswith((".", "!", "?")) else rng.choice((".", ".", "!") if may_end else ".")) + " " + choose.of(THANKS)
    return followed_by(before, text, slot_first) + after


def followed_by(before, text, slot_first):
    is_inside = before and not before.endswith((". ", "! ")) and not slot_first and not text.startswith(("I ", "I'"))
    return before + (text[0].lower() + text[1:] if is_inside else text)
