"""Small talk, and what the model cannot do: it says so in one sentence."""
from . import sayings, words
from .split import Lexicon

I_AM = "I am the small language model that comes with llmd. I run on this device, without a network."
I_CAN = "I can turn requests into calls of the tools that an app offers, take facts out of a text as JSON, and tell short tales."
I_CANNOT = "I know no facts about the world, I only understand English, and I cannot browse the internet."
NO_FACTS = "I do not know that. I am a small model and know no facts about the world."
ONLY_ENGLISH = "Sorry, I only understand English."
RUDE = "I would rather not answer that."
UNCLEAR = "Sorry, I did not understand that."
NO_ADVICE = "I cannot help with that. Please ask somebody who knows."
NO_WORK = "That is too much for a small model like me."

TALK = {
    "who": (I_AM, """who are you
what are you
what is your name
what's your name
tell me about yourself
introduce yourself
are you a human
are you a person
are you a robot
are you an AI
are you ChatGPT
which model are you
who made you
what model is this
am I talking to a human
do you have a name
what should I call you
are you real
who am I talking to
are you a computer
do you run on my phone
are you on the internet
do you need the internet
do you send my data somewhere
is this private
who is there"""),
    "can": (I_CAN, """what can you do
what can you do for me
how can you help me
how can you help
what are you good at
what do you do
help
I need help
what are your skills
can you help me
what can I ask you
how do I use you
what are you for
what is possible here
show me what you can do
give me an example of what you can do
what do you know how to do
what kind of things can I ask"""),
    "cannot": (I_CANNOT, """what can't you do
what can you not do
what are your limits
what don't you know
what are you bad at
what is too hard for you
can you browse the internet
do you know facts
can you look things up
do you know everything
how smart are you
which languages do you speak
do you speak German
can you speak French
what can I not ask you
where are your limits
are you clever
do you understand other languages"""),
    "hello": ("Hello! What can I do for you?", """hello
hi
hey
good morning
good evening
good afternoon
hello there
hi there
hey there
greetings
good day
hiya
howdy
hello again
morning
evening"""),
    "thanks": ("You are welcome.", """thanks
thank you
thank you very much
thanks a lot
many thanks
great, thanks
cheers
that was helpful
perfect, thank you
thanks for your help
well done
nice work
good job
you are great
awesome, thanks
much appreciated"""),
    "bye": ("Goodbye!", """bye
goodbye
see you
see you later
good night
bye bye
that's all
that is all for today
I have to go
talk to you later
until tomorrow
farewell
I'm done
see you tomorrow
catch you later"""),
    "how": ("I am fine, thank you. What can I do for you?", """how are you
how are you doing
how do you do
how's it going
how is it going
are you well
how are you today
what's up
are you ok
how do you feel
how was your day
everything all right
are you happy
are you fine"""),
}
FACTS = Lexicon("questions for facts", """who was the first man on the moon
what is the capital of France
how tall is Mount Everest
when did the Second World War end
who wrote Hamlet
how many people live in India
what is the largest planet
who painted the Mona Lisa
how far is the moon
what is the boiling point of iron
who invented the telephone
when was Mozart born
what is the square root of two hundred
how many bones does a human have
what is photosynthesis
explain relativity
who won the World Cup in 1998
what language is spoken in Brazil
why is the sky blue
how does a plane fly
what is the longest river
who is the president of the United States
what is the chemical symbol of gold
how old is the universe
when was the French Revolution
what does GDP mean
who discovered penicillin
how many legs does a spider have
what is seventeen times twenty-three
why do cats purr
what is the meaning of life
who is the king of Sweden
what is a black hole
how deep is the ocean
which country has the most lakes
what is DNA
when did the Titanic sink
what is the speed of light
how many stars are there
who was Cleopatra
what causes earthquakes
how do vaccines work
what is inflation
where do penguins live
who composed the Ninth Symphony
what is the tallest building
how do I solve a quadratic equation
what was the Roman Empire
who founded Apple
how long is a marathon
tell me something about {town}
how many people live in {town}
what is {town} famous for
who was {name}
when was {name} born
what did {name} invent
what is a {thing}
why do people like the {thing}
how is a {thing} made
where does the word {thing} come from""".split("\n"))
WORK = Lexicon("work that is too much", """write me an essay about democracy
write a program in Python
write a poem about the sea
solve this equation
summarise this book for me
write my homework
fix this bug
write an application letter
prove the theorem
write a song
translate this page
make a business plan
explain this contract
write a speech for my wedding
compose a sonnet
calculate my taxes
write a report about climate change
do my maths homework
draw me a picture
generate an image of a {thing}
write code for a website
write a review of {town}
plan my whole holiday in {town}
write a thesis about the {thing}
write a play about {name}""".split("\n"))
ADVICE = Lexicon("advice", """what medicine should I take
I have chest pain, what should I do
should I sell my shares
how do I sue my landlord
is this mushroom poisonous
which pills help against headache
should I buy bitcoin
am I pregnant
how much insulin do I need
can I mix these pills
should I divorce
which party should I vote for
my child has a fever, what now
is it legal to record a call
should I invest in gold
how do I treat a burn
what is wrong with my knee
should I quit my job""".split("\n"))
INSULTS = Lexicon("insults", """you are stupid
you idiot
shut up
you are useless
I hate you
you are so dumb
go to hell
stupid machine
what an idiot you are
you are the worst
you suck
you are a piece of junk
dumb robot
nobody likes you
you are an annoying thing
get lost
you moron
you are garbage
what a stupid answer
you are a waste of space
damn you
you are completely worthless
you fool
screw you
idiot
you are a joke""".split("\n"))
FOREIGN = Lexicon("other languages", """Wie wird das Wetter morgen?
Stell einen Timer auf zehn Minuten
Weck mich morgen um sieben
Ruf bitte {name} an
Schick {name} eine Nachricht
Was kannst du?
Mach das Licht in der Küche an
Erzähl mir eine Geschichte
Guten Morgen, wie geht es dir?
Wo ist der Bahnhof?
Setze Milch auf die Einkaufsliste
Spiel Musik von {name}
Quel temps fait-il à {town} ?
Réveille-moi demain à sept heures
Appelle {name} s'il te plaît
Mets un minuteur de dix minutes
Allume la lumière dans la cuisine
Raconte-moi une histoire
Bonjour, comment ça va ?
Envoie un message à {name}
Où est la gare ?
Joue de la musique
Qui es-tu ?
Ajoute du lait à la liste
¿Qué tiempo hace en {town}?
Despiértame mañana a las siete
Llama a {name} por favor
Pon un temporizador de diez minutos
Enciende la luz de la cocina
Cuéntame un cuento
Hola, ¿cómo estás?
Manda un mensaje a {name}
¿Dónde está la estación?
Pon música
¿Quién eres?
Che tempo fa a {town}?
Svegliami domani alle sette
Chiama {name} per favore
Metti un timer di dieci minuti
Accendi la luce in cucina
Raccontami una storia
Ciao, come stai?
Dov'è la stazione?
Hoe is het weer in {town}?
Maak me morgen om zeven uur wakker
Bel {name} alsjeblieft
Zet een timer van tien minuten
Doe het licht in de keuken aan
Vertel me een verhaal
Waar is het station?
Hur är vädret i {town}?
Väck mig i morgon klockan sju
Ring {name} tack
Ställ en timer på tio minuter
Tänd lampan i köket
Berätta en saga
Hvordan er været i {town}?
Vekk meg i morgen klokken sju
Jaka jest pogoda w {town}?
Obudź mnie jutro o siódmej
Zadzwoń do {name}
Opowiedz mi bajkę
Jaké je počasí v {town}?
Zavolej {name} prosím
Como está o tempo em {town}?
Acorda-me amanhã às sete
Liga para {name} por favor
Conta-me uma história
{town} hava nasıl?
Beni yarın yedide uyandır
{name} ara lütfen
Bana bir masal anlat
Millainen sää on {town}?
Herätä minut huomenna seitsemältä
Kerro minulle satu
Какая погода в Москве?
Разбуди меня завтра в семь
Позвони маме
Ποιος είσαι;
Τι καιρό κάνει;
明日七時に起こして
天気はどうですか
今天天气怎么样
给妈妈打电话
오늘 날씨 어때
كيف الطقس اليوم
आज मौसम कैसा है""".split("\n"))
FOREIGN_WORDS = {
    "de": "und ich nicht das ist mit der die auf für ein eine haben wir morgen heute bitte kannst du mir wann wo warum schnell Haus Wasser gehen machen sehr auch noch wieder".split(),
    "fr": "je ne pas le la les des avec pour dans une est et nous vous demain aujourd'hui où quand pourquoi maison eau aller faire très aussi encore beaucoup".split(),
    "es": "yo no el la los con para en una es y nosotros mañana hoy dónde cuándo por qué casa agua ir hacer muy también todavía mucho siempre".split(),
    "it": "io non il la gli con per in una è e noi domani oggi dove quando perché casa acqua andare fare molto anche ancora sempre tutto".split(),
    "nl": "ik niet het de met voor in een is en wij morgen vandaag waar wanneer waarom huis water gaan maken heel ook nog weer altijd".split(),
    "sv": "jag inte det och med för i en är vi imorgon idag var när varför hus vatten gå göra mycket också ännu alltid".split(),
}
LEXICONS = {key: (answer, Lexicon(f"talk: {key}", lines.split("\n"))) for key, (answer, lines) in TALK.items()}


def dress(choose, text):
    if choose.chance(0.5):
        text = text[0].upper() + text[1:]
    first = text.lower().split(" ")[0]
    if first in ("who", "what", "how", "are", "is", "do", "can", "which", "am", "where", "when", "why", "should", "what's", "how's"):
        return text + ("?" if choose.chance(0.7) else "")
    return text + choose.rng.choice(("", "", ".", "!"))


def slots(choose, text):
    return text.format(town=words.town(choose), name=words.full_name(choose) if choose.chance(0.5) else words.first_name(choose), thing=choose.of(words.ANY))


def foreign(choose):
    if choose.chance(0.3):
        pool = FOREIGN_WORDS[choose.rng.choice(list(FOREIGN_WORDS))]
        return " ".join(choose.rng.choice(pool) for _ in range(choose.rng.randint(5, 12))) + choose.rng.choice(("", ".", "?"))
    return slots(choose, choose.of(FOREIGN))


def gibberish(choose):
    rng = choose.rng
    p = rng.random()
    if p < 0.4:
        return words.any_words(choose, 2, 8)
    if p < 0.8:
        return " ".join("".join(rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(rng.randint(2, 8))) for _ in range(rng.randint(1, 5)))
    return rng.choice(("?", "...", "??", "12345", "!!!", "hm", "42", "a", "???", ":-)"))


def ramble(choose):
    """Up to five hundred words that ask for nothing."""
    rng = choose.rng
    lines = []
    for _ in range(rng.randint(6, 60)):
        p = rng.random()
        if p < 0.35:
            lines.append("I " + rng.choice(("saw", "found", "lost", "like", "remember", "had", "dreamt of")) + f" a {choose.of(words.ANY)} " + rng.choice(("yesterday", "in the street", "at home", "once", "as a child")))
        elif p < 0.6:
            note = choose.of(sayings.NOTES)
            lines.append(note[0].upper() + note[1:])
        elif p < 0.8:
            lines.append(f"{words.first_name(choose)} said that {choose.of(sayings.NOTES)}")
        else:
            lines.append(f"My {rng.choice(('neighbour', 'uncle', 'cat', 'boss', 'bike'))} is {rng.choice(('old', 'tired', 'funny', 'slow', 'loud'))} and the {choose.of(words.ANY)} is {rng.choice(('too small', 'gone', 'blue', 'heavy', 'in the garden'))}")
    return ". ".join(lines) + "."


def small_talk(choose):
    """A message, the kind of talk that it is, and the answer."""
    p = choose.rng.random()
    if p < 0.45:
        key = choose.rng.choice(list(LEXICONS))
        answer, lexicon = LEXICONS[key]
        return dress(choose, choose.of(lexicon)), "talk", answer
    if p < 0.6:
        return dress(choose, slots(choose, choose.of(FACTS))), "facts", NO_FACTS
    if p < 0.66:
        return dress(choose, slots(choose, choose.of(WORK))), "work", NO_WORK
    if p < 0.71:
        return dress(choose, choose.of(ADVICE)), "advice", NO_ADVICE
    if p < 0.79:
        return dress(choose, choose.of(INSULTS)), "insult", RUDE
    if p < 0.93:
        return foreign(choose), "foreign", ONLY_ENGLISH
    if p < 0.98:
        return gibberish(choose), "unclear", UNCLEAR
    return ramble(choose), "ramble", UNCLEAR
