"""The lexicons of open classes: names, places, things, and what people say, note down and listen to."""
from .split import Lexicon, is_for_test
from .times import DAYS, MONTHS

# First names, with the pronoun that a tale uses.
SHE = """Anna Mia Lena Sofia Clara Emma Ida Greta Nora Julia Paula Marta Helga Ines Lucia Carla Elena Rosa Amira Leila Yasmin Zeynep Aylin Fatima
Priya Anjali Meera Sunita Mei Yuki Hana Sakura Linh Thuy Ingrid Astrid Freya Sigrid Maja Karin Olga Irina Svetlana Katya Zofia Agnieszka Hanna Petra
Alice Beth Charlotte Daisy Eleanor Fiona Grace Harriet Isabel Jane Kate Lucy Megan Nancy Olive Phoebe Ruth Sarah Tessa Ursula Violet Wendy Zoe
Chiara Giulia Bianca Noemi Camille Chloe Manon Amelie Adele Odile Ayo Amina Zainab Nia Thandi Wanjiru Abena""".split()
HE = """Ben Tom Max Paul Jonas Felix Lukas Emil Otto Karl Hans Jan Piet Lars Sven Erik Bjorn Nils Mikkel Anton Pavel Ivan Boris Dmitri Marek Tomasz
Jakub Stefan Mehmet Emre Can Omar Karim Yusuf Tariq Hassan Ravi Arjun Vikram Sanjay Kenji Hiro Takumi Wei Jun Minh Duc Marco Luca Matteo Paolo Diego
Pablo Carlos Javier Miguel Rafael Andre Bruno Tiago Henri Louis Marcel Pierre Theo Hugo Oscar Arthur Charlie David Edward Frank George Harry Jack
Kevin Liam Martin Nathan Oliver Peter Quentin Robert Simon Ted Victor Walter Kofi Kwame Tunde Sipho Jabari""".split()
NAMES_SHE = Lexicon("names she", SHE)
NAMES_HE = Lexicon("names he", HE)
KIN = Lexicon("kin", ["Mum", "Dad", "Grandma", "Grandpa", "Mom", "my sister", "my brother", "my boss", "my wife", "my husband", "the doctor",
                      "my landlord", "the dentist", "my neighbour", "Aunt Rose", "Uncle Ned", "Aunt Polly", "Uncle Jim", "my daughter", "my son",
                      "the babysitter", "the plumber", "the office", "my teacher", "the garage", "my cousin"])
SURNAMES = Lexicon("surnames", """Miller Schmidt Weber Fischer Novak Kowalski Larsen Hansen Berg Lindqvist Okafor Mensah Tanaka Sato Nguyen Tran Patel
Sharma Khan Haddad Rossi Bianchi Moreau Dubois Garcia Lopez Silva Costa Janssen Visser Murphy Kelly Campbell Stewart Hughes Price Walker Baker Turner
Carter Wood Hill Stone Field Brooks Marsh Dale Frost Winter Sommer Vogel Keller Huber Gruber Steiner Horvat Popescu Ionescu Petrov Volkov Demir Yilmaz
Aydin Lindgren Nyberg Salonen Virtanen Magnusson Olsen Dahl""".split())
SYLLABLES_FIRST = "Ba Be Bo Ca Co Da De Di Do Fa Fe Fi Ga Go Ha He Ja Jo Ka Ke Ki La Le Li Lo Ma Me Mi Mo Na Ne Ni No Pa Pe Pi Ra Re Ri Ro Sa Se Si So Ta Te Ti To Va Ve Vi Wa We Wi Ya Yo Za Zu Bra Cla Dra Flo Gre Kri Pla Sta Tri Sha Cho The Al El Or Ur An In Er".split()
SYLLABLES_MIDDLE = "ba be bi bo da de di do fa fi ga go ka ke ki la le li lo ma me mi mo na ne ni no pa pe ra re ri ro sa se si so ta te ti to va ve vi wa za ya lan ren min tor ver sal dor vin mar ber".split()
SYLLABLES_LAST = "n r l s ra na la ta da ka ma no ro lo to ko ri li ni ti ki rd rt lt nd nt ck ss th ne re le te se ry ny ly ty ley ton ford well ham by sen ski vic oux ez".split()


ACCENTS = ("oø", "oö", "oó", "eé", "eè", "aä", "aå", "aá", "uü", "nñ", "cç", "ií", "sš")  # some names have one


def made_up_name(choose):
    """A name of syllables on the chooser's side of the split."""
    rng = choose.rng
    while True:
        name = rng.choice(SYLLABLES_FIRST) + "".join(rng.choice(SYLLABLES_MIDDLE) for _ in range(rng.choice((0, 1, 1, 2)))) + rng.choice(SYLLABLES_LAST)
        if choose.side == "train" and rng.random() < 0.02:
            plain, marked = rng.choice(ACCENTS)
            name = name[0] + name[1:].replace(plain, marked, 1)
        if len(name) > 2 and is_for_test("made-up", name) == (choose.side == "test"):
            return name


ODD_PARTS = ("ba be bi bo bu da de di do du fa fe fi fo ga ge go gu ha he hi ho ja jo ka ke ki ko la le li lo lu ma me mi mo mu na ne ni no nu pa pe pi po ra re ri ro ru "
             "sa se si so su ta te ti to tu va ve vi vo wa we wi wo ya yo za ze zi zo bla bra cha cla cra dra fla fra gla gra kla pla pra qua sha ska sla sma sna spa sta "
             "stra tra tri tro thi tha whe wri ing ent ost ick all ell ill oom ead oat ish unt amp ank ern old est ound ight ock ump ave ine oke ade ork arm eep ool").split()
ODD_ENDS = "n r l s t d k m g p x nd nt st sh ck rt rk lk ng ly er el et ow ay ee le ble tion ness ing age ful ish ous ment ock umb ard oon".split()
LITTLE = "the a my our in on with to of and is was not for at from this that we you it they has no some very then here when all more".split()

VERBS = Lexicon("verbs", """put add get bring take make give let set keep write note mark save enter store send call ring ask tell show find look see read check watch hear meet join visit come go leave arrive start
begin stop end finish open close book order buy pay sell rent hire lend borrow return collect fetch pick drop carry move lift push pull hold hang place lay stand sit stay wait plan arrange organise prepare
cook bake wash clean mend repair build draw paint print sign copy count measure choose try test use need want like love prefer expect hope think know remember forget remind confirm cancel change
update renew register schedule pencil block reserve host invite welcome celebrate enjoy share pass grab stick type jot record log list attach include treat consider run drive walk travel fly catch board
reach follow lead teach learn study train play sing dance""".split())
_VERBS = {verb for part in VERBS.parts.values() for verb in part}


LETTERS = "aaabcdeeeefghiiijklmnooopqrsttuuvwxyz"
PIECES = []  # the tokenizer's words, so that each of its tokens is copied (encode.py fills it)


def odd_word(choose):
    """A word that nobody has heard of. A text of such words can only be copied, and that is what they teach."""
    rng = choose.rng
    while True:
        p = rng.random()
        if PIECES and p < 0.6:
            word = "".join(rng.choice(PIECES) for _ in range(rng.choice((1, 1, 1, 2, 2))))
            if p < 0.12:
                word = word.capitalize()
        elif p < 0.75:
            word = "".join(rng.choice(LETTERS) for _ in range(rng.randint(3, 8)))
        else:
            word = "".join(rng.choice(ODD_PARTS) for _ in range(rng.choice((1, 1, 2, 2, 2, 3)))) + (rng.choice(ODD_ENDS) if rng.random() < 0.7 else "")
        if len(word) > 1 and is_for_test("odd", word) == (choose.side == "test"):
            return word


def odd_text(choose, least=1, most=3, little=0.0):
    """Odd and known words in any order."""
    found = []
    for _ in range(choose.rng.randint(least, most)):
        p = choose.rng.random()
        found.append(choose.rng.choice(LITTLE) if p < little else odd_word(choose) if p < little + (1 - little) * 0.6 else choose.of(ANY))
    return " ".join(found)


ORDINARY = set("the a an my our me us i you it is are to of for on in at that this with please can could want need have some and up so do does be now by from "
               "was will there we they your as if one let get go make give put".split())


def disturbed(choose, phrasing, p=0.15, anything=False):
    """In training, a phrasing with an ordinary word more, less or exchanged: what is asked follows from the rest of it. Words beside a slot
    become ordinary ones only, so that it is clear where the slot begins. With `anything` other words than ordinary ones change too."""
    rng = choose.rng
    if choose.side == "test" or rng.random() > p:
        return phrasing
    parts = phrasing.split(" ")
    def beside(i):
        return any("{" in parts[j] for j in (i - 1, i + 1) if 0 <= j < len(parts))
    for _ in range(rng.choice((1, 1, 2))):
        plain = [i for i, part in enumerate(parts) if part.isalpha() and (anything or part.lower() in ORDINARY)]
        if len(plain) < 2:
            break
        at = rng.choice(plain)
        kind = rng.random()
        if kind < 0.4 and not beside(at):
            del parts[at]
        elif anything and parts[at].lower() in _VERBS and kind < 0.9:  # what is to be done with it is said in any verb
            verb = choose.of(VERBS)
            parts[at] = verb.capitalize() if parts[at][0].isupper() else verb
        elif kind < 0.8:
            parts[at] = rng.choice(LITTLE) if beside(at) or rng.random() < 0.6 else odd_word(choose)
        elif at > 0 and "{" not in parts[at - 1]:
            parts.insert(at, rng.choice(LITTLE) if beside(at) or rng.random() < 0.6 else odd_word(choose))
    return " ".join(parts)


def some(choose, lexicon, odd=0.5, most=2, title=False):
    """An entry of the lexicon; in training as often something odd, since a model that sees the same thirty values learns them by heart."""
    if choose.side == "train" and choose.chance(odd):
        text = odd_text(choose, 1, most)
        return text.title() if title else text
    return choose.of(lexicon)


def first_name(choose):
    """A first name and its pronoun's class."""
    if choose.chance(0.45 if choose.side == "train" else 0.2):
        return made_up_name(choose)
    return choose.of(NAMES_SHE if choose.chance(0.5) else NAMES_HE)


def full_name(choose):
    return first_name(choose) + " " + (made_up_name(choose) if choose.chance(0.5) else choose.of(SURNAMES))


def person(choose):
    p = choose.rng.random()
    if choose.side == "train" and p < 0.08:
        return choose.rng.choice(("my ", "the ")) + odd_text(choose, 1, 2)
    if choose.side == "train" and p < 0.16:
        q = choose.rng.random()
        if q < 0.35:
            return choose.rng.choice(("Mr ", "Mrs ", "Ms ", "Dr ", "Miss ", "Professor ")) + (made_up_name(choose) if choose.chance(0.5) else choose.of(SURNAMES))
        if q < 0.6:
            return choose.rng.choice(("Aunt ", "Auntie ", "Uncle ", "Granny ", "Cousin ", "Nana ")) + first_name(choose)
        if q < 0.8:
            return first_name(choose) + choose.rng.choice((" from ", " at ", " from the ", " in ")) + choose.rng.choice(("work", "school", "church", odd_word(choose), choose.of(ANY)))
        return first_name(choose) + "'s " + choose.rng.choice(("mum", "dad", "sister", "brother", "office", "wife", "husband", "boss"))
    return choose.of(KIN) if p < 0.2 else full_name(choose) if p < 0.38 else first_name(choose)


TOWNS = Lexicon("towns", """Oslo Bergen Berlin Hamburg Munich Cologne Dresden Leipzig Vienna Graz Zurich Basel Geneva Paris Lyon Nantes Lille Madrid Seville
Valencia Lisbon Porto Rome Milan Turin Naples Athens Sofia Bucharest Budapest Prague Brno Warsaw Krakow Gdansk Vilnius Riga Tallinn Helsinki Turku
Stockholm Gothenburg Malmo Copenhagen Aarhus Amsterdam Utrecht Rotterdam Brussels Ghent Antwerp London Leeds York Bristol Bath Cardiff Swansea Glasgow
Edinburgh Dundee Dublin Cork Galway Boston Chicago Denver Seattle Austin Toronto Montreal Lima Quito Bogota Santiago Nairobi Accra Lagos Cairo Tunis Delhi
Mumbai Tokyo Osaka Kyoto Seoul Hanoi Bangkok Sydney Perth Auckland""".split() + ["New York", "San Francisco", "Cape Town", "Buenos Aires", "Hong Kong", "Den Haag"])
STREETS = Lexicon("streets", ["Mill Lane", "Station Road", "Church Street", "High Street", "King Street", "Queen Street", "Park Avenue", "Garden Road",
                              "Harbour Street", "Bridge Street", "Market Square", "School Lane", "Forest Way", "River Road", "Castle Street",
                              "Lindenstrasse", "Bahnhofstrasse", "Hauptstrasse", "Rosenweg", "Elm Street", "Oak Avenue", "Victoria Road",
                              "Green Lane", "North Road", "Abbey Road", "Baker Street", "Long Lane", "Meadow Lane", "Windmill Road", "Canal Street"])
SPOTS = Lexicon("spots", ["the train station", "the airport", "the library", "the nearest pharmacy", "the town hall", "the city museum", "the post office",
                          "the main station", "the hospital", "the swimming pool", "the zoo", "the university", "the harbour", "the cinema",
                          "the botanical garden", "the stadium", "the nearest petrol station", "the bus stop", "the market", "the castle ruins",
                          "the opera", "the supermarket", "the nearest bakery", "the vet", "the bike shop", "the garden centre", "the concert hall"])


def town(choose):
    return made_up_name(choose) if choose.chance(0.5 if choose.side == "train" else 0.15) else choose.of(TOWNS)


def address(choose):
    return f"{choose.rng.randint(1, 199)} {some(choose, STREETS, 0.4, 2, True)}"


def destination(choose):
    p = choose.rng.random()
    if choose.side == "train" and p < 0.14:
        q = choose.rng.random()
        if q < 0.25:
            return choose.rng.choice(("home", "work", "school", "the office", "my hotel", "the car"))
        if q < 0.5:
            return first_name(choose) + "'s " + choose.rng.choice(("place", "house", "flat", "office"))
        if q < 0.75:
            return "the " + choose.rng.choice(("nearest", "closest", "next")) + " " + odd_text(choose, 1, 2)
        return f"{choose.of(SPOTS)} in {town(choose)}"
    if p < 0.35:
        return "the " + odd_text(choose, 1, 2) if choose.side == "train" and choose.chance(0.4) else choose.of(SPOTS)
    if p < 0.65:
        return address(choose)
    return town(choose)


# What is said in messages, by the speaker.
MESSAGES = Lexicon("messages", """I'll be late
I'm on my way
dinner is ready
I missed the bus
the meeting is cancelled
I can't come today
happy birthday
I'll call you later
the train is delayed
I'm stuck in traffic
thank you for the flowers
I forgot my keys
please feed the cat
the parcel has arrived
I'm at the door
let's meet at the station
good luck with the exam
I love you
don't wait for me
the tickets are in my bag
can you bring some bread
are you at home
where are you
do you want to have lunch
the car is in the garage
I left my umbrella at your place
we need more milk
see you soon
I'll bring the cake
the plumber comes at noon
please turn off the oven
my phone battery is low
the kids are asleep
we are leaving now
I'm running ten minutes late
have a safe trip
the game starts at eight
I found your wallet
could you pick me up
the dog has been fed
I need the report
sorry about yesterday
the party is at our place
please call me back
I'll take the later train
I'm still at work
we landed safely
get well soon
I parked behind the house
the key is under the mat
I've sent the photos
are we still on for tonight
it was great to see you
the shop is closed
what time is dinner
no rush
I'll be there in an hour
the internet is down again
bring a warm jacket
the concert was wonderful""".split("\n"))
TASKS = Lexicon("tasks", """water the plants
take out the rubbish
call the bank
pay the rent
buy a birthday present
feed the cat
take my pills
book the flight
pick up the laundry
charge the bike
return the library books
renew my passport
clean the kitchen
walk the dog
send the invoice
order new glasses
check the oven
close the windows
post the letter
back up the laptop
get the car washed
buy concert tickets
write to the insurance
pack my swimsuit
thaw the chicken
ring the school
change the bed sheets
mow the lawn
fix the bike
do the tax return
turn off the heating
collect the parcel
defrost the freezer
buy stamps
prepare the slides
sign the contract
stretch my back
drink some water
download the tickets
cancel the subscription
empty the dishwasher
print the boarding pass
iron the shirts
submit the homework
clean the gutters
go for a run
read chapter five
lock the back door
practise the piano
descale the kettle""".split("\n"))
NOTES = Lexicon("notes", """the spare key is with the neighbour
the wifi password is on the fridge
the blue paint was number seven
the doctor's office moved upstairs
the bike lock code is on the blue card
idea for a story about a lighthouse
the plumber charges by the hour
the good bakery is behind the church
parking spot is on level three
the cake needs two more eggs
grandma's recipe uses brown sugar
the meeting room is on the second floor
the landlord wants the form back
the red wine was very good
the printer needs new ink
the garden tap drips
my locker is the third from the left
the train leaves from platform nine
try the soup place near the bridge
the warranty ends in spring
the tent has a broken pole
shoe size is forty two
the piano tuner was friendly
the blue folder has the contract
the kids like the yellow cups
the cheap tickets are sold on Mondays
the attic light is broken
use less salt next time
the hotel has no lift
the cat prefers the dry food
the bus card is nearly empty
ask about the discount
the river path is flooded
the window in the bathroom sticks
the best seats are in row five
the new colleague speaks Danish
the router is behind the shelf
the tomatoes need more sun
the film was too long
the shop closes early on Sundays""".split("\n"))
THINGS = Lexicon("things to buy", """milk bread butter eggs cheese apples bananas rice pasta flour sugar salt coffee tea honey yoghurt tomatoes onions potatoes carrots
lettuce garlic lemons oranges chicken salmon ham sausages beans lentils oats jam chocolate biscuits crisps nuts soap shampoo toothpaste tissues batteries
candles matches napkins foil sponges bleach detergent mustard ketchup vinegar pepper basil parsley mushrooms spinach cabbage pears grapes cherries plums
cream juice water beer wine cucumbers leeks peas corn tofu hummus olives crackers cinnamon vanilla raisins dates figs walnuts almonds stamps envelopes
tape glue pencils""".split() + ["olive oil", "toilet paper", "cat food", "dog food", "light bulbs", "orange juice", "baking powder", "washing powder",
                               "kitchen roll", "oat milk", "peanut butter", "frozen peas", "sour cream", "bin bags", "dish soap", "green tea"])
LISTS = Lexicon("lists", ["shopping", "grocery", "packing", "to-do", "wish", "gift", "party", "camping", "hardware", "reading", "weekend", "holiday",
                          "school", "work", "garden", "movie", "chores", "baby"])
OCCASIONS = Lexicon("occasions", ["dentist", "team meeting", "yoga class", "parents' evening", "piano lesson", "birthday party", "haircut", "job interview",
                                  "football practice", "book club", "lunch with Anna", "eye test", "car service", "choir rehearsal", "swimming lesson",
                                  "project review", "dinner at Leo's", "school play", "chess club", "blood test", "house viewing", "budget meeting",
                                  "dance class", "theatre night", "garden party", "physio", "vaccination", "staff meeting", "tennis match",
                                  "coffee with Nora", "driving lesson", "band practice", "wedding rehearsal", "board meeting", "pottery class",
                                  "doctor's appointment", "first aid course", "language class", "neighbourhood meeting", "vet appointment"])
ARTISTS = Lexicon("artists", ["The Blue Lanterns", "Mara Quell", "Night Ferry", "The Paper Kites Club", "Otto and the Owls", "Silver Harbour", "Lina Vale",
                              "The Quiet Hours", "Cold Orchard", "Juniper Road", "Velvet Compass", "The Tin Sailors", "Amber Fields", "Copper Moon",
                              "The Last Tram", "Ruby Winter", "Hollow Pines", "The Glass Bees", "Northern Parade", "Sunday Engine", "Ivory Fox",
                              "The Marble Birds", "Echo Garden", "Stone Letters", "Bright Anchors", "The Wooden Stars", "Lake Radio", "Red Umbrella"])
SONGS = Lexicon("songs", ["Morning Train", "Falling Leaves", "Blue Window", "River Song", "Paper Boats", "City of Rain", "Golden Hour", "Run with Me",
                          "Silent Snow", "Dancing Shoes", "Letter Home", "Over the Hills", "Midnight Coffee", "Summer Door", "The Long Way", "Old Photographs",
                          "Firefly", "Broken Compass", "Second Chance", "Harbour Lights", "Wild Garden", "Seven Bridges", "Half a Moon", "Open Road",
                          "Winter Coat", "Little Storm", "Green Balloon", "Tomorrow's Rain", "Lighthouse", "Count the Stars"])
GENRES = Lexicon("genres", ["jazz", "rock", "classical music", "folk", "blues", "hip hop", "techno", "reggae", "country", "soul", "piano music", "film music",
                            "lullabies", "metal", "punk", "disco", "salsa", "opera", "ambient music", "swing", "funk", "choir music"])
ROOMS = Lexicon("rooms", ["kitchen", "bedroom", "living room", "bathroom", "hallway", "office", "garage", "nursery", "dining room", "attic", "cellar",
                          "balcony", "study", "guest room", "laundry room", "porch", "workshop", "playroom", "garden", "staircase", "pantry"])
COLOURS = Lexicon("colours", ["red", "blue", "green", "yellow", "orange", "purple", "pink", "white", "warm white", "turquoise", "violet", "amber"])
CONDITIONS = Lexicon("weather conditions", ["light rain", "heavy rain", "sunny", "cloudy", "snow", "fog", "thunderstorms", "clear sky", "drizzle", "windy",
                                            "overcast", "hail", "partly cloudy", "light snow", "sleet", "mist"])
# Any words, for texts that nobody would expect.
ANY = Lexicon("any words", """apple anchor basket blanket bottle branch bridge brush bucket button candle carpet castle chain chair circle cloud coat coin corner cotton
curtain desert donkey dragon drawer drum dust eagle elbow engine feather fence finger flag flame flute forest fountain frame garlic ghost giraffe glass glove
grass hammer harbour hedge helmet hill hook horse island jacket jar jungle kettle kite knee ladder lake lamp leaf lemon letter lion lizard magnet map marble
meadow mirror monkey moon mountain mouse nail needle nest net noodle ocean onion owl paddle page paint palace paper parrot path pebble pencil piano pillow pilot
pirate planet plate pocket pond puppet puzzle rabbit radio rainbow ribbon ring river robot rocket roof rope sail sand saddle scarf school shadow shark sheep
shell ship shirt shoe silver snail snow soap sock spider spoon squirrel stairs star statue stone storm straw stream sugar suitcase summer sword table tail
tent thread thunder ticket tiger tower toy train tree trumpet tunnel turtle umbrella valley velvet village violin wagon wall water wave whale wheel whistle
window winter wolf wool yard zebra quickly slowly heavy little broken empty gentle hidden narrow purple silent sudden tiny wooden bright clever curious frozen""".split())


# Sentences of any number, since sixty are learned by heart. {a} and {b} are things, {name} a name, {room}, {spot}, {town}, {n} a number, {hour} an hour.
MESSAGE_FORMS = Lexicon("forms of messages", """I'll be at {spot} at {hour}
I'm at {spot} with {name}
I'm waiting at {spot}
I'm in {town} until tomorrow
we are in {town} already
we'll be there around {hour}
can you bring the {a}
can you bring me {n} {a}s
could you buy a {a} and a {b}
did you see my {a}
do you still have the {a}
do we need {n} chairs
don't forget the {a}
have you found the {a}
where did you put the {a}
who has the {a}
is {name} coming too
is the {a} still in the {room}
{name} is asking for you
{name} says hello
{name} and I are going to {spot}
{name} forgot the {a} again
the {a} is in the {room}
the {a} is under the {b}
the {a} is broken
the {a} arrived today
the {a} was too small
the meeting is at {spot} now
the meeting moved to {hour}
dinner is at {hour}
let's meet at {hour} at {spot}
let's go to {town} on Sunday
I bought {n} tickets
I bought the {a} for {name}
I left my {a} in the {room}
I can't find the {a}
I need the {a} back by Friday
I will send you the {a} tomorrow
I'm bringing the {a}
my train leaves at {hour}
my flight lands at {hour}
my {a} is lost
please ask {name} about the {a}
please give {name} the {a}
please leave the {a} with {name}
please close the {room} window
thanks for the {a}
sorry, I broke the {a}
you left your {a} here
your {a} is ready
we have {n} guests tonight
we ran out of {a}s
{n} of us are coming
call me when you are in {town}
I'll pick you up at {hour}
I'll be {n} minutes late
it is raining in {town}
the {room} smells of {a}
the {room} is free now
happy birthday {name}""".split("\n"))
TASK_FORMS = Lexicon("forms of tasks", """buy a {a}
buy {n} {a}s
buy a {a} for {name}
call {name} about the {a}
call {name} back
ask {name} for the {a}
ask {name} about {town}
tell {name} about the {a}
write to {name}
send {name} the {a}
send the {a} to {name}
give the {a} back to {name}
give {name} {n} {a}s
pick up {name} at {spot}
pick up the {a}
drop the {a} off at {spot}
meet {name} at {spot}
visit {name} in {town}
take the {a} to {spot}
take out the {a}
bring the {a} upstairs
bring {n} {a}s to {spot}
check the {a} in the {room}
check the {room}
clean the {a}
clean the {room}
tidy the {room}
paint the {room}
paint the {a}
repair the {a}
fix the {a} in the {room}
fold the {a}
wash the {a}
water the {a}
feed the {a}
order a new {a}
order {n} {a}s
return the {a}
return the {a} to {name}
look for the {a}
find the {a}
charge the {a}
turn off the {a}
close the {room} door
book a room in {town}
book the train to {town}
print the {a}
sign the {a} for {name}
pay for the {a}
pay {name} {n} euros
thank {name} for the {a}
put the {a} into the {room}
move the {a} to the {room}
unpack the {a}
measure the {room}
sell the spare {a}
throw away the {a}
congratulate {name}
invite {name} and {n} others
practise with {name}""".split("\n"))
NOTE_FORMS = Lexicon("forms of notes", """the {a} is in the {room}
the {a} is behind the {b}
the {a} belongs to {name}
the {a} needs a new {b}
the {a} costs {n} euros
the {a} is cheaper in {town}
the {a} from {town} was the best
the {room} needs paint
the {room} window does not close
the {room} is {n} metres long
the code is {n}
the code for the {room} is {n}
the {a} shop opens at {hour}
the shop near {spot} sells {a}s
the bus to {town} leaves at {hour}
the tour of {spot} starts at {hour}
the best {a} is at {spot}
the spare {a} is with {name}
{name} borrowed the {a}
{name} borrowed {n} {a}s
{name} has the {a}
{name} likes {a}s
{name} does not like the {a}
{name} lives in {town} now
{name} moved to {town}
{name} wants a {a} for the birthday
{name} works at {spot}
{name} owes me {n} euros
I owe {name} {n} euros
I lent the {a} to {name}
I gave {name} the {a}
I put the {a} in the {room}
I parked near {spot}
I paid {n} euros for the {a}
I saw a nice {a} at {spot}
we need {n} {a}s for the party
we left the {a} in {town}
we meet at {spot} every Monday
my {a} is at {spot}
my size is {n}
my locker is number {n}
page {n} has the {a}
row {n} has the best view
platform {n} for {town}
room {n} is the one with the {a}
ask {name} about the {a}
try the {a} at {spot}
never buy a {a} in {town}
idea: a {a} with a {b}
idea for {name}: a {a}
gift for {name}: a {a}
recipe: {n} {a}s and a {b}
song about a {a} and a {b}
dream: a {a} in {town}
the {a} and the {b} do not fit together
the spare {a} is in the garage
the new {a} works well
a {a} weighs {n} grams
a good {a} lasts {n} years
wine for {name}, not for me""".split("\n"))
FORMS = {MESSAGES: MESSAGE_FORMS, TASKS: TASK_FORMS, NOTES: NOTE_FORMS}
HOURS = ("six", "seven", "eight", "nine", "ten", "noon", "half past five", "half past eight", "a quarter to nine", "4", "5:30", "7 pm", "10")


def sentence(choose, lexicon):
    """One of the forms of the lexicon, which is none of its held-back texts."""
    while True:
        text = choose.text(FORMS[lexicon], a=choose.of(ANY), b=choose.of(ANY), name=first_name(choose), room=choose.of(ROOMS), spot=choose.of(SPOTS), town=town(choose),
                           n=choose.rng.choice((choose.rng.randint(2, 12), choose.rng.randint(2, 400))), hour=choose.rng.choice(HOURS))
        if text not in lexicon.parts["test"]:
            return text


def any_words(choose, least=2, most=6):
    return " ".join(choose.of(ANY) for _ in range(choose.rng.randint(least, most)))


def with_signs(choose, text):
    """A text with a number, a code or a sign in it."""
    rng = choose.rng
    parts = text.split(" ")
    n = rng.randint(1, 9999)
    at = rng.randrange(len(parts))
    more = rng.choice((f"{n}", f"{n}", f"{parts[at]}-{n}", f"{rng.choice('ABCDEFGHKLMNPRSTX')}{n}", f"no. {n}", f"{n % 100}:{n % 50 + 10}", f"{n % 100}.5", f"{n % 100 + 1}%", f"{parts[at]}'s {odd_word(choose)}",
                       f"{parts[at]},", f"{parts[at]},", f"{parts[at]}/{odd_word(choose)}", f"{parts[at]}-{odd_word(choose)}-{n % 100}", f"{n % 200} euros", f"{parts[at]} & {odd_word(choose)}", "don't", "it's"))
    parts[at] = more
    return " ".join(parts).rstrip(",")


TAILS = Lexicon("tails of what is said", """about the {a}
about {name}'s {a}
with the {a}
with {name} and {other}
without the {a}
for the {a}
for {name}
from {town}
because of the {a}
because {name} asked for it
instead of the {a}
before it rains
before the {a} breaks
after the {a}
until the {a} is back
if the {a} is still there
when {name} is back
while {name} is away
as soon as the {a} is ready
or it will be too late
and not the {a}
next to the {b}
by the {a}
again
at last
for the whole {a}
like last year
of the {a} and the {b}
since the {a} is broken
as {name} said
to the {a}
in {town}
so that {name} knows
for {n} {a}s
in {month}
every {day}
by the end of {month}
since {month}""".split("\n"))
TIMES_IN_TAILS = "{month}", "{day}"


def with_tail(choose, text, lexicon):
    """The text with some words more: what is copied does not end where it could. A task has no day behind it, which would be the reminder's."""
    while True:
        tail = choose.of(TAILS)
        if lexicon is not TASKS or not any(slot in tail for slot in TIMES_IN_TAILS):
            break
    return f"{text} {tail}".format(a=some(choose, ANY, 0.4, 1), b=choose.of(ANY), name=first_name(choose), other=first_name(choose), town=town(choose), n=choose.rng.randint(2, 40),
                                   month=choose.rng.choice(MONTHS), day=choose.rng.choice(DAYS))


def said(choose, lexicon):
    """A text of the lexicon, or one of any words, so that a text is copied and never guessed."""
    text = _said(choose, lexicon)
    return with_tail(choose, text, lexicon) if lexicon in FORMS and choose.side == "train" and choose.chance(0.15) and "{" not in text else text


def _said(choose, lexicon):
    if lexicon in FORMS and choose.chance(0.4):
        return sentence(choose, lexicon)
    p = choose.rng.random()
    if choose.side == "train" and p < 0.5 or p < 0.08:
        text = odd_text(choose, 1, 8, 0.45) if p > 0.04 else any_words(choose)
        return with_signs(choose, text) if choose.side == "train" and choose.chance(0.2) else text
    p = 2 * (p - 0.5) if choose.side == "train" else p
    text = choose.of(lexicon)
    if choose.side == "train" and p < 0.4 and lexicon in FORMS:  # what stands between requests stands in texts as well
        other = choose.of(lexicon) if choose.chance(0.6) else sentence(choose, lexicon)
        return text + choose.rng.choice((" and ", " and ", ", ", ", and ", " but ", "; ", ". ", " and then ", " then ", ", also ") if lexicon is not TASKS else (" and ",)) + other
    if p < 0.3 and lexicon is MESSAGES:
        text += " " + choose.rng.choice(("and", "but", "so")) + " " + choose.of(lexicon)
    return text
