"""What stands around facts: greetings, sentences that say nothing that matters, closings, and how one asks for an extraction."""
from .. import sayings, times, words
from ..split import Lexicon

FIXED = Lexicon("noise in texts", ["It was nice to see you.", "Best wishes.", "See you soon!", "The weather is lovely.", "Hope you are well.", "Thanks!", "Let me know.",
                                   "Sorry for the delay.", "Please reply soon.", "More details follow.", "Have a nice weekend.", "I nearly forgot.", "By the way, the cat is fine.",
                                   "This message was sent from a phone.", "It rained all day.", "I hope the train is on time.", "My bike is broken again.", "We had so much fun last time.", "Sorry, I was busy.",
                                   "The kids send their love.", "I will write more later.", "Do not reply to this mail.", "You know how it is.", "The dog ate my shoe.", "What a day!",
                                   "The coffee was good.", "It is getting cold outside.", "Nobody told me.", "The old phone is gone.", "Terms apply.", "All prices include tax.",
                                   "Please keep this mail.", "I have to run now.", "The garden looks great.", "That was a long week.", "You made my day.", "Questions? Just ask.", "Take care.", "That is all for now.", "It will be fun.",
                                   "This is an automatic message, please do not answer.", "Click here to unsubscribe.", "You receive this mail because you are a customer.", "Can you believe it?", "No idea why.",
                                   "Hope that helps!", "Just so you know.", "Fingers crossed.", "It took for ever.", "I'll tell you the rest in person.", "Don't worry about it.", "More soon.", "Not sure about the rest.",
                                   "Please bring an ID.", "Free entry for children.", "Please be on time.", "Parking is limited.", "Dress warmly.", "Bring a friend!", "Refunds are not possible.",
                                   "Keep this number for your records.", "Everything else stays the same.", "The rest is as usual.", "I can hardly wait.", "Thanks for your patience.", "We value your trust.",
                                   "Our office is closed on public holidays.", "Download our app for more.", "Rate us with five stars!", "Lovely talking to you.", "Fantastic news.", "Long time no see!",
                                   "I was told to pass this on.", "As promised, here it is.", "Here you go.", "Sorry about the typos.", "Please print only if needed.", "Get well soon.", "No hurry though.",
                                   "I wrote it on a napkin.", "My battery is nearly empty.", "Shall we talk later?", "Do you remember?", "That would be great.", "Thank you so much in advance."])
FORMS = Lexicon("forms of noise", """{who} (really|always|still|often|) (likes|wants|needs|remembers|misses|loves) {what}
{who} (bought|found|lost|sold|painted|repaired|forgot|dropped) {what} (yesterday|again|last week|this morning|)
{who} (is|was) (ill|late|tired|away|very happy|on holiday|at work) (today|again|this week|)
{What} (is|was) (too|very|quite|so) (small|old|loud|expensive|heavy|nice)
(I|we) (saw|met|visited|called) {who} (last week|last month|the other day|yesterday)
(I|we) (hope|think|heard) (that |){who} (is|will be) (fine|better|back|there)
(the weather|the traffic|the queue|the food|the music) was (awful|wonderful|fine|not bad|crazy)
(can|could) you (help|call|ask) {who}
did you (see|hear) (that|it|the news)
have you (seen|heard) (that|it|the news)
(the|my|our) {thing} (broke|is gone|is in the {room}|fell down|needs a repair)
(thanks|thank you) (for|again for) {what}
(remember|forget) {what}
(sorry|apologies) (for|about) {what}
{who} and {who2} (moved in together|have a new {thing}|are coming back|send their love)
(there|here) (is|was) (no|a|another) {thing} (in the {room}|here|left|)
(it's|it was) all about {what}
(honestly|actually|anyway|frankly), (I|we) (prefer|liked) {what}
(I|we) (will|can|must) (talk|think|write) about {what} (later|another time|soon)
{n} (people|friends|neighbours) (asked|wrote|called) about {what}
(nobody|everybody|somebody) (likes|knows|wants) {what}
{what} for everybody
(who|why) (took|moved|needs) {what}
(you|they) (should|could|might) (try|see|keep|avoid) {what}
the {room} (seems|feels|smells) (fine|awful|empty|new|different) (now|)
after {n} (days|weeks|years) it (still|finally) works
(in|near) {town} it (rains|snows|is sunny) (again|all day|)
(the last|last year's) (one|time) was {n} (days|hours|minutes) (late|too long)
(what|such) a (nice|long|strange|busy) (day|week|summer)
(no|any) news (of|about) {what}
{who} (told|asked|showed) {who2} about {what}""".split("\n"))
GREETINGS = Lexicon("greetings", """Hi {who},
Hello {who},
Dear {who},
Hi all,
Hello everyone,
Hey {who}!
Good morning,
Good morning {who},
Hi there,
Dear customer,
Dear {who} and {who2},
Hello,
Hey,
Hi,
Dear Sir or Madam,
Dear team,
Good evening {who},
Hiya,
Hi {who} and {who2}!
Dear friends,
Dear neighbours,
Dear guests,
Hey guys,
Good afternoon,
Ladies and gentlemen,
{who},
Dear passenger,
Dear colleagues,
Hi folks,
Hallo {who},
Moin!
To whom it may concern,""".split("\n"))
CLOSINGS = Lexicon("closings", """(Best|Kind|Warm|Many) (regards|wishes|greetings)
Thanks
Cheers
(Lots of|Much) love
(Yours|Sincerely|Yours sincerely)
See you
Talk (soon|later)
(Bye|Bye for now|Bye bye)
Sent from my (phone|tablet)
(Greetings|Regards)
Thank you
xx
All the best
Have a (nice|good|great) (day|week|evening)
Take care
Until then
Hugs
Can hardly wait for it
(Ciao|Later)
With (best|kind) regards
Stay (safe|well)""".split("\n"))
STARTS = Lexicon("starts of chats", """hey
hi
hi {who}
yo
ok so
oh
btw
hello
hey {who}
quick note
fyi
so
listen
good news
guess what happened
morning
ok
alright
update
hey hey
reminder
sorry
hmm
right
heads up
just a heads up
one more thing
thx
ah yes
dear {who}""".split("\n"))
ENDS = Lexicon("ends of chats", """thx
thanks
ok?
:)
see you
cu
bye
xx
cheers
ty
great
that's all
let me know
ok bye
pls
done
!
:-)
lol
haha
right?
cool
x
ta
please
got it?
talk later
no stress""".split("\n"))
OPENINGS = Lexicon("openings of texts", """Details:
See below:
FYI
Here are the details:
New entry
From my notes:
Copied from the mail:
Info:
Fwd:
Subject: details
As discussed:
Note to self
Summary
---
Here it is:
Important:
Update:
Please note:
For your records
Data:
--- forwarded message ---
Confirmation
Hello, as asked:
Record {n}
Entry no. {n}
Printed page
Voice memo:
(Scanned|Typed) copy""".split("\n"))
ASKS = Lexicon("extraction: asks", """(Extract|Find|Get) the (facts|information|data|details) (from|in|of) (this|the) (text|message|note)(.|)
(Fill in|Fill out|Complete) the (schema|form|JSON|fields|object)(.|)
(What does the text say|What is said here)? (Answer|Reply) (as|in|with) JSON.
(Take|Pull|Get) the (facts|values|data) out of (the|this) (text|message|mail).
(Give|Return|Output) (me |)(the |)JSON (for|of) (this|the) (text|schema)(.|)
Turn (this|the text) into JSON(.|)
(Read|Parse) (this|the text) (and fill in the schema|into the schema|as JSON)(.|)
JSON(.|, please.| please)
(Answer|Respond) with JSON (that fits|for|in) the schema(.|)
(Structured|Structure the) data(.|, please.)
(Write|Put) (it|this|the facts) (as|into|in) JSON(.|)
(Please |)extract(.|:| this.| it.)
(Which|What) (facts|values) (are in|does) (the|this) text( have|)?
(Convert|Transform) (the|this) (text|message) (to|into) (JSON|the schema)(.|)
(Please |)(fill|map) the text (in|to the schema)(.|)
(Can|Could) you (extract|get|pull out) the (fields|details|data)?
(I need|We need) (this|the text) as JSON(.|)
(Only|Just) (the|return) JSON(.|, please.)""".split("\n"))
FRAMES = Lexicon("extraction: frames of asks", """{}
{}
{} as JSON.
(Extract|Get|Find) the {} (details|data|information|info)(.|)
(Extract|Parse|Read) the {} (from|in) (this|the) (text|message|mail|note)(.|)
(Pull|Take) the {} out of (this|the) (text|message|mail|letter)(.|)
(Which|What) {} is (this|it|meant)?
(Fill in|Complete) the {} (form|record|fields|entry)(.|)
(Save|Note|Store|Add) (this|the) {}(.|)
(Make|Create|Build) (a|the) {} (record|entry|object)(.|)
(Give|Show) me the {} (as JSON|data|details)(.|)
(Turn|Convert|Make) (this|the text) into (a|an|the) {}(.|)
(I need|I want) the {} (from|of) this(.|)
{}(, please.|:|?| please)
(The|A) {} (of this text|please|as data)(.|)
(Can|Could|Would) you (extract|get|find|read) the {}?""".split("\n"))
BEFORE = Lexicon("before sentences", """by the way, 
as I (said|told you|mentioned|wrote), 
(I think|I believe|I guess|I'm told|it says) 
(good|great|bad|other) news: 
(just|only) (a reminder|so you know): 
(if I remember correctly|as far as I know|if all goes well|unless something changes|as always|this time|for now|luckily|finally|actually|also|oh and|and|so|well|right), 
(please note|note|important|PS|P.S.|update|info|FYI|attention)(:| -) 
{who} (says|wrote|told me|thinks|heard)(:| that) 
(since|because|as) {who} (is away|is ill|asked|can't come|moved), 
(when|after) (I|we) (checked|called|asked|looked), it was clear: 
(thanks for {what}|sorry about {what}|I got your message|I checked again|I asked around)(, and|. |; |: ) 
(according to|says) {who}, 
(in case you forgot|to be clear|to sum up|in short|as agreed|as discussed|to answer your question|before I forget|one more thing)(,|:) 
(yes|no|ok|sure|hmm|oh|ah), 
(regarding|about) {what}: 
(don't be surprised|you won't believe it|I'm happy to say|I'm afraid|we are pleased to tell you|it's certain)(:|,) 
(first|second|then|next|last|finally)(,|:) """.split("\n"))
AFTER = Lexicon("after sentences", """(, as always|, by the way|, I think|, I hope|, I believe|, as agreed|, as discussed|, if all goes well|, I'm told|, you know)
(, so (please |)(be quick|don't be late|tell {who}|write it down|don't worry))
 - (hope that's ok|isn't that great|finally|at last|promise|don't laugh|can you believe it)
(, if (that's ok|you like|that works for you|nothing changes|{who} agrees))
(, because|, since) {who} (asked for it|is away|said so|can't|is ill)
 (just like last time|as usual|again|for sure|this time|I suppose|apparently|after all)
(, but|, and) (that may change|don't tell {who}|{who} knows|you knew that|I'm not complaining|I'm glad|ask {who} to be sure)
(, right|, ok|, isn't it)?
 (thanks to|says) {who}
, (which is great|which is fine|what a pity|no joke|no kidding|believe it or not)
; all else (stays as it is|is as ever|is still open)
 (and that's all|and nothing else|so far|for now)
!""".split("\n"))
FACTS = "Take the facts out of the text."
SEPARATORS = (": ", ": ", ": ", ": ", ": ", ": ", " - ", " = ", ":", " ", ":  ", " -> ", ": ", " | ", "\t", " .... ", ":\n")


LOWERED = set("""The A An It We You Your My Our His Her Their There Here This That Please Call Write From To With At In On By For If When Be Come Not No See Don't Buy Get They He She Was Is Has Can Could Will Doors Start Date
Place Price Lives Works Born Tomorrow Today Next Be Show Use Take Go Keep Order Parcel Tickets Seat Train Instead These Those Its And Also""".split())


def separator(choose):
    return choose.rng.choice(SEPARATORS)


def _filled(choose, lexicon):
    text = choose.fill(choose.of(lexicon))
    if "{" not in text:
        return text
    rng = choose.rng
    odd = choose.side == "train"
    thing = words.odd_word(choose) if odd and rng.random() < 0.3 else choose.of(words.ANY)
    p = rng.random()
    who = words.first_name(choose) if p < 0.6 else choose.of(words.KIN)
    what = f"{rng.choice(('the', 'my', 'a new', 'that old', 'our', 'her', 'his'))} {thing}"
    return text.format(who=who, who2=words.first_name(choose), what=what, What=what, thing=thing, room=choose.of(words.ROOMS), n=times.number(choose, rng.randint(2, 30)), town=words.town(choose))


def sentence(choose):
    rng = choose.rng
    p = rng.random()
    if p < 0.4:
        return choose.of(FIXED)
    if choose.side == "train" and p < 0.52:
        text = words.odd_text(choose, 2, 7, 0.5)
    elif p < 0.62:
        text = sayings.sentence(choose, rng.choice((sayings.MESSAGES, sayings.NOTES)), plain=True)  # else the text would say a fact twice
    else:
        text = _filled(choose, FORMS).strip()
    return text[:1].upper() + text[1:] + rng.choices((".", "!", "...", ""), (10, 2, 0.5, 1))[0]


class Fixed(str):
    """A sentence that begins with a value, whose first letter stays as it is."""


def lowered(piece):
    """The sentence as it stands within another one."""
    return piece[0].lower() + piece[1:] if piece.split(" ", 1)[0] in LOWERED and not isinstance(piece, Fixed) else piece


def extended(choose, piece):
    """The sentence with words before or behind it that belong to the same sentence."""
    p = choose.rng.random()
    if p < 0.14:
        before = _filled(choose, BEFORE)
        piece = before[0].upper() + before[1:].rstrip() + " " + lowered(piece)
    elif p < 0.28:
        piece = type(piece)(piece.rstrip(".:,") + _filled(choose, AFTER))
    return piece


def greeting(choose):
    names = {"who": words.first_name(choose), "who2": words.first_name(choose)}
    if choose.side == "train" and choose.chance(0.12):  # in a language or a word that nobody has heard of
        return f"{words.odd_word(choose).capitalize()} {names['who']}{choose.rng.choice((',', ',', '!', ' -'))}"
    return choose.of(GREETINGS).format(**names)


def closing(choose):
    return choose.fill(choose.of(CLOSINGS)) + choose.rng.choice(("", ".", "!", ","))


def opening(choose):
    return _filled(choose, OPENINGS)


def chat_start(choose):
    return _filled(choose, STARTS)


def chat_end(choose):
    return choose.of(ENDS)


def ask(choose, domain):
    """How one asks for the facts; in training nothing that has a held-back way to ask for them in it."""
    while True:
        text = _ask(choose, domain)
        if choose.side == "test" or not any(held in text.lower() for held in domain.held_asks):
            return text


def _ask(choose, domain):
    p = choose.rng.random()
    if p < 0.15:
        return FACTS
    if p < 0.27:
        return words.disturbed(choose, choose.fill(choose.of(ASKS)), 0.15, True)
    if p < 0.65:
        return words.disturbed(choose, choose.of(domain.asks), 0.2, True)
    text = choose.fill(choose.of(FRAMES).replace("{}", domain.name))
    return text[0].upper() + text[1:]
