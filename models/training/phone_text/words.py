"""The lexicons of open classes: names, places, things, and what people listen to; and words that nobody has heard of."""
from .split import Lexicon, is_for_test

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


# With one more or less a sentence says something else: a negation, and what alone may tell a beginning from an end.
KEPT = {"not", "no", "never", "nobody", "without", "instead", "before", "after", "until", "till", "earliest", "latest"}
ADDED = [word for word in LITTLE if word not in KEPT]


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
        plain = [i for i, part in enumerate(parts) if part.isalpha() and part.lower() not in KEPT and (anything or part.lower() in ORDINARY)]
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
            parts[at] = rng.choice(ADDED) if beside(at) or rng.random() < 0.6 else odd_word(choose)
        elif at > 0 and "{" not in parts[at - 1]:
            parts.insert(at, rng.choice(ADDED) if beside(at) or rng.random() < 0.6 else odd_word(choose))
    return " ".join(parts)


def some(choose, lexicon, odd=0.5, most=2, title=False):
    """An entry of the lexicon; in training as often something odd, since a model that sees the same thirty values learns them by heart."""
    if choose.side == "train" and choose.chance(odd):
        text = odd_text(choose, 1, most)
        return text.title() if title else text
    return choose.of(lexicon)


def first_name(choose):
    """A first name."""
    if choose.chance(0.45 if choose.side == "train" else 0.2):
        return made_up_name(choose)
    return choose.of(NAMES_SHE if choose.chance(0.5) else NAMES_HE)


def full_name(choose):
    return first_name(choose) + " " + (made_up_name(choose) if choose.chance(0.5) else choose.of(SURNAMES))


def person(choose):
    if choose.side == "train" and choose.chance(0.03):
        from .extraction import values  # which needs this module
        return values.phone(choose)
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


def any_words(choose, least=2, most=6):
    return " ".join(choose.of(ANY) for _ in range(choose.rng.randint(least, most)))
