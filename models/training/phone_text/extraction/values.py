"""Values of wide shapes for extraction: names, numbers, codes, addresses, dates, times and prices.

A value is (said, bare, expected): how a sentence says it, how a line of a form says it, and what the JSON has. The first two differ for dates
("on Friday", "Friday") only.
"""
import datetime

from .. import times, words
from ..split import Lexicon, is_for_test

SHOPS = Lexicon("shops", ["Bookworm", "Bike World", "Shoe Corner", "Garden Dream", "Toy Castle", "Tech Hut", "Fresh Farm", "Coffee Lab", "Music Loft",
                          "Paper House", "Tea Garden", "Lamp Land", "Kids Planet", "Sport Point", "Home Style", "Tool Barn", "Pet Palace", "Print Shop"])
CARRIERS = Lexicon("carriers", ["FastPost", "Blue Parcel", "QuickShip", "Northern Express", "City Courier", "PostLine", "Green Wheels", "Swift Box",
                                "Red Arrow Post", "EuroParcel", "Rapid Mail", "Harbour Freight", "Sky Courier", "Pony Mail"])
VENUES = Lexicon("venues", ["City Hall", "Grand Theatre", "Riverside Arena", "Old Opera", "Palace Cinema", "Harbour Stage", "Royal Hall", "Green Park Stage",
                            "Star Theatre", "Market Hall", "North Stadium", "Lakeside Pavilion", "Union Hall", "Garden Theatre"])
SHOWS = Lexicon("shows", ["The Winter Garden", "Moonlight Circus", "Three Sisters", "The Lost Opera", "City of Glass", "Jazz on the Lake", "The Magic Forest",
                          "Night of the Violins", "The Silent Clown", "Rock the Harbour", "A Summer Comedy", "The Paper Moon", "Dance of the Fireflies",
                          "The Iron Horse", "Songs of the North", "The Clockmaker", "Sea of Stars", "The Tall Tale Show"])
TRADES = Lexicon("trades", "Bakery Logistics Plumbing Motors Dental Travel Books Electronics Gardens Consulting Media Foods Furniture Textiles Software Energy Tools Optics Studio Press Services Systems "
                 "Roofing Fabrics Catering Insurance Bikes Pharmacy Design Audio".split())
ENDINGS = ("Ltd", "Inc", "GmbH", "AG", "LLC", "& Sons", "& Co", "Group", "BV", "plc", "Oy", "AB")
JOBS = Lexicon("jobs", """plumber electrician teacher nurse baker architect dentist photographer gardener accountant carpenter journalist translator pharmacist
mechanic receptionist librarian surveyor engineer designer lawyer optician hairdresser joiner""".split() + ["sales manager", "project lead", "head of marketing", "software developer", "office manager",
               "managing director", "customer support", "store manager", "research assistant", "piano tuner", "estate agent", "tax adviser", "personal trainer", "vet", "HR manager", "product designer"])
POSTS = Lexicon("posts", "manager engineer assistant officer consultant trainer adviser technician director head supervisor coordinator analyst inspector estimator planner specialist clerk controller".split())
RANKS = Lexicon("ranks", "senior junior chief assistant deputy lead principal vice acting associate regional head".split())
GOODS = Lexicon("goods", """jacket lamp blanket grinder keyboard headphones backpack helmet teapot mirror camera charger speaker notebook scarf boots sneakers raincoat puzzle tent drill kettle toaster
cushion curtain rug clock vase printer monitor mouse tablet guitar ukulele skateboard racket bracelet wallet umbrella sandals gloves""".split())
GOOD_KINDS = Lexicon("kinds of goods", """blue black red wool leather wooden electric waterproof folding small large vintage ceramic wireless cotton silver portable garden kitchen kids' travel
desk winter summer running LED USB steel bamboo organic""".split())
MAIL_WORDS = "mail post home web net office inbox letter mailbox online".split()
TLDS = ("com", "org", "net", "de", "eu", "co.uk", "io", "fr", "example", "at", "ch", "info")
ACCENTED = ("José", "Zoë", "Jürgen", "Søren", "Müller", "Núñez", "Åsa", "Łukasz", "Dvořák", "Gómez", "Weiß", "André", "Håkon", "Renée", "Çelik", "Björk")


ACCENTS = {"a": "äáàãå", "e": "éèêë", "o": "öóøô", "u": "üúů", "i": "íï", "s": "šś", "c": "çč", "n": "ñń", "z": "žż"}


def digits(rng, n):
    return "".join(rng.choice("0123456789") for _ in range(n))


def on_side(choose, kind, make):
    """What `make` makes up, of the chooser's side of the split."""
    while True:
        text = make()
        if is_for_test(kind, text) == (choose.side == "test"):
            return text


def same(text):
    return text, text, text


def odd_title(choose, least=1, most=2):
    return words.odd_text(choose, least, most).title()


# ---- people and firms -----------------------------------------------------------------------------------------------------------------
def surname(choose):
    rng = choose.rng
    p = rng.random()
    last = words.made_up_name(choose) if p < 0.5 else choose.of(words.SURNAMES)
    p = rng.random()
    if p < 0.06:
        return f"{last}-{choose.of(words.SURNAMES)}"
    if p < 0.13:
        return rng.choice(("van ", "von ", "de ", "da ", "Mc", "O'", "el ", "van der ", "di ", "Le ")) + last
    if p < 0.15 and choose.side == "train":
        return rng.choice(ACCENTED)
    if p < 0.2:
        return "".join(rng.choice(ACCENTS[c]) if c in ACCENTS and rng.random() < 0.4 else c for c in last)
    return last


def person(choose):
    rng = choose.rng
    p = rng.random()
    first = words.first_name(choose)
    if p < 0.08:
        first += " " + words.first_name(choose)
    elif p < 0.14:
        first += f" {rng.choice('ABCDEFGHJKLMNPRSTVW')}."
    elif p < 0.18:
        first += "-" + words.first_name(choose)
    elif p < 0.2:
        first = f"{first[0]}."
    elif p < 0.22:
        first = "Dr. " + first
    elif p < 0.27 and choose.side == "train":
        return odd_title(choose, 1, 3)
    return f"{first} {surname(choose)}"


def someone(choose):
    """A person in whatever way."""
    p = choose.rng.random()
    return words.first_name(choose) if p < 0.45 else person(choose) if p < 0.9 else f"{choose.rng.choice(('Mr', 'Ms', 'Mrs', 'Dr.', 'Aunt', 'Uncle'))} {surname(choose)}"


def company(choose):
    rng = choose.rng
    p = rng.random()
    if p < 0.2:
        return words.some(choose, SHOPS, 0.4, 2, True)
    if p < 0.27:
        return f"{surname(choose)} {rng.choice('&&+')} {surname(choose)}" + rng.choice(("", "", f" {choose.of(TRADES)}", f" {rng.choice(ENDINGS[:5])}", f" {odd_title(choose, 1, 1)}" if choose.side == "train" else ""))
    if p < 0.3:
        return f"{surname(choose)}'s {choose.of(TRADES)}"
    name = surname(choose) if p < 0.5 else words.made_up_name(choose) if p < 0.75 else odd_title(choose)
    if rng.random() < 0.5:
        name += " " + choose.of(TRADES)
    if rng.random() < 0.45:
        name += " " + rng.choice(ENDINGS)
    return name


def shop(choose):
    return words.some(choose, SHOPS, 0.5, 2, True) if choose.chance(0.5) else company(choose)


def carrier(choose):
    p = choose.rng.random()
    if p < 0.3:
        return words.made_up_name(choose) + choose.rng.choice((" Express", " Post", " Logistics", " Parcel", "post", "Ship", " Courier", ""))
    if p < 0.4:
        return "".join(choose.rng.choice("ABDEFGHKLNPRSTUX") for _ in range(3))
    return words.some(choose, CARRIERS, 0.5, 2, True)


def job(choose):
    rng = choose.rng
    p = rng.random()
    if choose.side == "train" and p < 0.3:
        job_ = f"{words.odd_text(choose, 1, rng.choice((1, 1, 2)))} {choose.of(POSTS)}"
    elif p < 0.4:
        job_ = f"{choose.of(POSTS)} {rng.choice(('of', 'for'))} {choose.of(words.ANY) if choose.side == 'test' or choose.chance(0.5) else words.odd_text(choose, 1, 2)}"
    else:
        job_ = choose.of(JOBS)
    if choose.chance(0.2):
        job_ = f"{choose.of(RANKS)} {job_}"
    p = rng.random()
    return job_.title() if p < 0.25 else job_[0].upper() + job_[1:] if p < 0.45 else job_


def phone(choose):
    rng = choose.rng

    def make():
        d, p = (lambda n: digits(rng, n)), rng.random()
        if p < 0.1:
            return rng.choice((f"0{d(4)} {d(3)} {d(3)}", f"0{d(4)} {d(6)}", f"0{d(3)} {d(3)} {d(4)}", f"+{rng.randint(1, 99)} {d(2)} {d(4)} {d(4)}", f"+{rng.randint(1, 99)} {d(3)} {d(3)} {d(3)}"))
        if p < 0.2:
            return f"555-{d(4)}" if p < 0.13 else f"{rng.randint(2, 9)}{d(2)}-{d(3)}-{d(4)}"
        if p < 0.24:
            return f"({rng.choice(('0', '2', '7'))}{d(rng.randint(2, 3))}) {d(rng.randint(3, 4))}{rng.choice(('-', ' '))}{d(4)}"
        if p < 0.28:
            return f"0{d(rng.randint(2, 4))}/{d(rng.randint(5, 7))}"
        if p < 0.31:
            return ".".join((d(3), d(3), d(4)))
        if p < 0.36:
            return " ".join(["0" + d(1), d(2), d(2), d(2), d(2)])
        if p < 0.41:
            return f"+1 ({rng.randint(2, 9)}{d(2)}) {d(3)}-{d(4)}"
        number = rng.choice(("0", "0", "0", "+49 ", "+44 ", "+1 ", "+33 ", "+46 ", "+90 ", "+353 ", "0049 ", "00")) + d(rng.randint(2, 4)) + rng.choice((" ", "-", " ", "")) + d(rng.randint(4, 7))
        if p > 0.85:
            number += rng.choice((" ", "-")) + d(rng.randint(2, 4))
        return number
    return on_side(choose, "phones", make)


def plain_name(text):
    return "".join(c for c in text.lower() if c.isascii() and c.isalnum())


def domain_name(choose, hint=None):
    rng = choose.rng
    name = plain_name(hint) if hint and choose.chance(0.6) else rng.choice(MAIL_WORDS) + words.made_up_name(choose).lower() if choose.chance(0.5) else words.made_up_name(choose).lower()
    if choose.chance(0.15):
        name += "-" + rng.choice(MAIL_WORDS)
    return f"{name or 'mail'}.{rng.choice(TLDS)}"


def email(choose, name=None, firm=None):
    rng = choose.rng
    parts = [plain_name(p) for p in (name or words.full_name(choose)).split()]
    parts = [p for p in parts if p] or ["me"]
    first, last = parts[0], parts[-1]
    local = rng.choice((first, f"{first}.{last}", f"{first}_{last}", f"{first}{rng.randint(1, 99)}", f"{first[0]}{last}", f"{first[0]}.{last}", f"{last}.{first}", f"{first}-{last}", last,
                        rng.choice(("info", "contact", "hello", "office", "team", "mail")), words.odd_word(choose).lower() + str(rng.randint(1, 99))))
    return f"{local}@{domain_name(choose, firm)}"


def website(choose):
    return choose.rng.choice(("www.", "www.", "https://", "")) + domain_name(choose) + choose.rng.choice(("", "", "", "/" + words.odd_word(choose).lower()))


# ---- places ---------------------------------------------------------------------------------------------------------------------------
def street(choose):
    while True:
        text = _street(choose)
        if choose.side == "test" or not any(held in text for held in words.STREETS.parts["test"]):
            return text


def _street(choose):
    rng = choose.rng
    p = rng.random()
    if p < 0.35:
        name = choose.of(words.STREETS)
    else:
        name = (odd_title(choose, 1, 1) if choose.side == "train" and p < 0.65 else words.made_up_name(choose)) + rng.choice((" Street", " Road", " Lane", " Avenue", " Drive", "strasse", "weg", " Square", " Close",
                                                                                                            " Hill", "gatan", " Way", " Court", "platz", " Row", " Rd", " St", " Ave", " Terrace", " Gardens"))
        if rng.random() < 0.1:
            name = rng.choice(("Rue ", "Rue de ", "Rue des ", "Via ", "Calle ", "Avenida ", "Am ", "Place du ")) + words.made_up_name(choose)
    number = f"{rng.randint(1, 199)}{rng.choice(('', '', '', '', 'a', 'b', 'c'))}"
    text = f"{number} {name}" if rng.random() < 0.7 else f"{name} {number}"
    return f"{rng.choice(('Flat', 'Apt', 'Unit', 'Suite', 'flat'))} {rng.randint(1, 30)}, {text}" if rng.random() < 0.07 else text


def postcode(choose):
    rng = choose.rng
    letters = lambda n: "".join(rng.choice("ABCDEGHKLMNPRSTW") for _ in range(n))
    return on_side(choose, "postcodes", lambda: rng.choice((digits(rng, 5), digits(rng, 4), f"{letters(2)}{digits(rng, 1)} {digits(rng, 1)}{letters(2)}", f"{digits(rng, 4)} {letters(2)}",
                                                            f"{letters(1)}{digits(rng, 2)} {digits(rng, 1)}{letters(2)}", f"{digits(rng, 3)} {digits(rng, 2)}")))


def town(choose):
    p = choose.rng.random()
    if p < 0.07:
        return choose.rng.choice(("Bad ", "San ", "St. ", "New ", "Port ", "Upper ", "North ", "Las ")) + words.made_up_name(choose)
    return odd_title(choose, 1, 1) if choose.side == "train" and p < 0.2 else words.town(choose)


PLACE_KINDS = Lexicon("kinds of places", """park café library museum church school gym pub garden hall theatre club studio hotel restaurant centre beach bridge office barn gallery harbour stadium market clinic campus
terrace kitchen workshop pavilion bar chapel lounge cinema""".split())
PLACE_WORDS = Lexicon("which place", "old new green blue little golden royal central northern southern upper lower white black silver corner riverside lakeside".split())


def venue(choose):
    """A place with a name of its own."""
    rng = choose.rng
    p = rng.random()
    if p < 0.3:
        return words.some(choose, VENUES, 0.5, 2, True)
    if p < 0.36:
        return f"{rng.choice(('The ', 'the ', 'St ', ''))}{words.made_up_name(choose)}{rng.choice(('', '', chr(39) + 's'))} {choose.of(PLACE_KINDS).title().replace('É', 'é')}"
    if p < 0.45:
        return f"{rng.choice(('Café', 'Hotel', 'Villa', 'Club', 'Bar', 'Studio', 'Hall', 'Pub', 'Restaurant') if choose.chance(0.3) else ('Hotel', 'Villa', 'Club', 'Bar', 'Studio', 'Hall', 'Pub', 'Restaurant'))} {words.made_up_name(choose)}"
    if p < 0.6:
        return f"{words.made_up_name(choose)} {choose.of(PLACE_KINDS).title().replace('é', 'e')}"
    if p < 0.75:
        return f"{choose.of(PLACE_WORDS).title()} {choose.of(PLACE_KINDS).title().replace('é', 'e')}"
    return odd_title(choose, 1, 3)


def room(choose):
    rng = choose.rng
    return rng.choice((f"room {rng.randint(1, 499)}", f"Room {rng.randint(1, 40)}.{digits(rng, 2)}", f"hall {rng.choice('ABCDEFG')}", f"Room {rng.choice('ABCDEFG')}{rng.randint(1, 30)}", f"{words.made_up_name(choose)} Room",
                       f"meeting room {rng.randint(1, 12)}", f"Hall {rng.randint(1, 12)}", f"Building {rng.randint(1, 30)}"))


def place(choose):
    p = choose.rng.random()
    if p < 0.35:
        return venue(choose)
    if p < 0.5:
        return room(choose)
    if p < 0.62:
        return street(choose)
    if p < 0.7:
        return f"{words.first_name(choose)}'s {choose.rng.choice(('place', 'house', 'flat', 'garden', 'office', 'studio', 'garage'))}"
    if p < 0.8:
        return choose.of(words.SPOTS).removeprefix("the ")
    if p < 0.93:
        return f"{choose.of(PLACE_WORDS)} {choose.of(PLACE_KINDS)}".replace("é", "e")
    return f"{venue(choose)}, {street(choose)}"


def whole(text, first, *others):
    """What the text says of a place if nothing but the place is asked for: the street with the town, for instance, where they stand together."""
    for tail in others:
        if first + tail in text:
            return first + tail
    return first


# ---- numbers and codes ----------------------------------------------------------------------------------------------------------------
def code(choose, short=False):
    rng = choose.rng

    def make():
        p, letters = rng.random(), (lambda n: "".join(rng.choice("ABCDEFGHJKLMNPQRSTUVWXYZ") for _ in range(n)))
        if short or p < 0.2:
            return rng.choice((letters(6), letters(2) + digits(rng, 4), digits(rng, 5), f"{letters(1)}{digits(rng, 3)}", "".join(rng.choice("ABCDEFGHJKLMNPQRSTUVWXYZ23456789") for _ in range(6))))
        if p < 0.45:
            return digits(rng, rng.randint(5, 14))
        if p < 0.6:
            return letters(rng.randint(1, 3)) + digits(rng, rng.randint(4, 10))
        if p < 0.7:
            return letters(2) + digits(rng, 9) + letters(2)
        if p < 0.9:
            return "-".join(rng.choice((letters(rng.randint(2, 3)), digits(rng, rng.randint(2, 5)), digits(rng, 4))) for _ in range(rng.randint(2, 3)))
        if p < 0.93:
            return " ".join((letters(2), digits(rng, rng.randint(3, 4)), digits(rng, rng.randint(3, 4)), rng.choice((letters(2), digits(rng, 2)))))
        if p < 0.95:
            return f"1Z{digits(rng, 3)}{letters(2)}{digits(rng, 9)}"
        return " ".join(digits(rng, 4) for _ in range(rng.randint(2, 3)))

    def with_digits():
        text = make()
        return text if short or any(c.isdigit() for c in text) else f"{text}-{digits(rng, 3)}"
    return on_side(choose, "codes", with_digits)


CURRENCIES = (("{} euros", 5), ("{} EUR", 3), ("EUR {}", 1), ("€{}", 2), ("{} €", 1), ("${}", 4), ("£{}", 2), ("{} dollars", 2), ("{} pounds", 1), ("USD {}", 0.5), ("{} CHF", 0.5))
_CURRENCY, _CURRENCY_WEIGHTS = zip(*CURRENCIES)


def price(choose, most=250):
    rng = choose.rng
    whole, cents = rng.randint(1, most), rng.choice((0, 50, 90, 95, 99, rng.randrange(100)))
    if rng.random() < 0.06:
        whole = rng.randint(1000, 3999)
        digits_ = f"{whole:,}.{cents:02}" if rng.random() < 0.5 else f"{whole}.{cents:02}"
        value = float(f"{whole}.{cents:02}")
    elif rng.random() < 0.45:
        digits_, value = str(whole), whole
    else:
        digits_, value = f"{whole}.{cents:02}", float(f"{whole}.{cents:02}")
    said = rng.choices(_CURRENCY, _CURRENCY_WEIGHTS)[0].format(digits_)
    return said, said, value


def count(choose, most=12, in_words=0.5):
    n = choose.rng.randint(2, most)
    return times.number(choose, n, in_words), str(n) if choose.chance(0.8) else times.in_words(n), n


# ---- days and times -------------------------------------------------------------------------------------------------------------------
def _said_date(choose, date, with_year, weekday=True):
    """A date in one of the spellings, to be put behind a label or behind "on"."""
    rng = choose.rng
    month, d = times.MONTHS[date.month - 1], date.day
    p = rng.random()
    if with_year and p < 0.35:
        forms = [str(date), str(date), f"{d}.{date.month}.{date.year}", f"{d:02}.{date.month:02}.{date.year}", f"{date.year}/{date.month:02}/{d:02}"]
        forms += [f"{d}/{date.month}/{date.year}", f"{d:02}/{date.month:02}/{date.year}"]  # the day is first
        if d > 12:
            forms.append(f"{date.month}/{d}/{date.year}")
        text = rng.choice(forms)
        return f"{times.DAYS[date.weekday()][:3] if rng.random() < 0.7 else times.DAYS[date.weekday()]} {text}" if rng.random() < 0.15 else text
    if p > 0.75:
        month = month[:3] + rng.choice(("", "", "."))
    year = f" {date.year}" if with_year else ""
    text = rng.choice((f"{d} {month}{year}", f"{d} {month}{year}", f"{month} {d}{',' if year else ''}{year}", f"{month} {d}{',' if year else ''}{year}", f"{month} {times.ordinal(d)}{',' if year else ''}{year}",
                       f"{times.ordinal(d)} {month}{year}", f"the {times.ordinal(d)} of {month}{year}"))
    if weekday and rng.random() < 0.3 and not text.startswith("the"):
        day = times.DAYS[date.weekday()]
        text = f"{day[:3] if rng.random() < 0.35 else day}{rng.choice((' ', ', ', ', '))}{text}"
    return text


def date(choose, now):
    """A day that comes. Without a now, that is where nobody said which day it is, one with its year."""
    rng = choose.rng
    p = rng.random()
    if now is None or p < 0.3:
        day = (now.after(rng.randrange(1, 500)) if now else datetime.date(2025, 1, 1) + datetime.timedelta(rng.randrange(2000)))
        text = _said_date(choose, day, True)
        return f"on {text}", text, str(day)
    if p < 0.55:
        day = now.after(rng.randrange(1, 364))
        if (day.month, day.day) == (2, 29):
            day = day.replace(day=28)
        text = _said_date(choose, day, False)
        return f"on {text}", text, str(day)
    said, day = times.day(choose, now)
    said = said.strip()
    bare = said.removeprefix("on ")
    return said, bare, str(day)


def past_date(choose, first=1940, n_days=27000):
    day = datetime.date(first, 1, 1) + datetime.timedelta(choose.rng.randrange(n_days))
    text = _said_date(choose, day, True, False)
    return f"on {text}", text, str(day)


def clock(choose):
    rng = choose.rng
    p = rng.random()
    if p < 0.45:
        said, value = times.time(choose)
        return said, said, value
    hour, minute = rng.choice((7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, rng.randrange(24))), rng.choice((0, 0, 0, 30, 30, 15, 45, rng.randrange(60)))
    return (*[_said_clock(rng, hour, minute)] * 2, f"{hour:02}:{minute:02}")


def _said_clock(rng, hour, minute, half=True):
    p = rng.random()
    if p < 0.5:
        return f"{hour:02}:{minute:02}" if p < 0.35 else f"{hour}:{minute:02}" if p < 0.42 else f"{hour:02}.{minute:02}"
    end = ("am", "pm")[hour >= 12] if p < 0.85 else ("a.m.", "p.m.")[hour >= 12]
    text = f"{hour % 12 or 12}" + (f"{'.' if p > 0.92 else ':'}{minute:02}" if minute or rng.random() < 0.2 else "")
    return f"{text}{'' if rng.random() < 0.45 and end[1] == 'm' else ' '}{end}"


def span(choose):
    """From one time to another: what is said, and both."""
    rng = choose.rng
    start = rng.choice((8, 9, 10, 11, 13, 14, 15, 16, 17, 18, 19, 20))
    end = min(start + rng.randint(1, 5), 23)
    m, n = rng.choice((0, 0, 0, 30, 15, 45)), rng.choice((0, 0, 0, 30, 15, 45))
    values = f"{start:02}:{m:02}", f"{end:02}:{n:02}"
    p = rng.random()
    if p < 0.25 and (start < 12) == (end < 12):
        one = f"{start % 12 or 12}" + (f":{m:02}" if m else "")
        other = f"{end % 12 or 12}" + (f":{n:02}" if n else "")
        half = "am" if start < 12 else "pm"
        return rng.choice((f"{one}-{other} {half}", f"{one} to {other}{half}", f"{one} to {other} {half}", f"{one} - {other} {half}", f"{one} until {other} {half}")), values
    if p < 0.6:
        one, other = rng.choice(((f"{start:02}:{m:02}", f"{end:02}:{n:02}"), (f"{start}:{m:02}", f"{end}:{n:02}")))
    else:
        state = rng.random()
        one, other = _said_clock(rng, start, m), _said_clock(rng, end, n)
    return one + rng.choice((" to ", " until ", " till ", " - ", "-", " to ")) + other, values


# ---- things ---------------------------------------------------------------------------------------------------------------------------
def good(choose):
    """A thing that is sold."""
    p = choose.rng.random()
    if choose.side == "train" and p < 0.3:
        return words.odd_text(choose, 1, 3)
    text = choose.of(GOODS)
    if p < 0.75:
        text = f"{choose.of(GOOD_KINDS)} {text}"
    if p < 0.4:
        text = f"{choose.of(GOOD_KINDS)} {text}"
    return text


EVENT_KINDS = Lexicon("kinds of events", """meeting party workshop concert dinner lunch picnic class course lecture festival tournament reunion rehearsal exhibition sale fair seminar webinar training ceremony screening
breakfast walk tour hike run quiz reading training audition brunch barbecue interview presentation review call""".split())
EVENT_WORDS = Lexicon("which event", """summer winter spring autumn annual monthly weekly family team staff birthday farewell charity kids' open-air garden street music art book cooking yoga chess wine project budget
safety wedding school film science language football marketing design pottery jazz poetry""".split())


def event_title(choose):
    while True:
        title = _event_title(choose)
        if choose.side == "test" or not any(held in title.lower() for held in words.OCCASIONS.parts["test"]):
            return title


def _event_title(choose):
    rng = choose.rng
    p = rng.random()
    kind = choose.of(EVENT_KINDS)
    if p < 0.2:
        title = choose.of(words.OCCASIONS)
    elif p < 0.5:
        title = f"{choose.of(EVENT_WORDS)} {kind}"
    elif p < 0.62:
        title = f"{words.first_name(choose)}'s {rng.choice((kind, choose.of(EVENT_WORDS) + ' ' + kind, 'birthday', 'graduation', 'farewell'))}"
    elif p < 0.7:
        title = f"{kind} {rng.choice(('about', 'on', 'with', 'for'))} {words.odd_text(choose, 1, 2) if choose.side == 'train' else choose.of(words.ANY)}"
    elif p < 0.85:
        title = f"{words.odd_text(choose, 1, 2) if choose.side == 'train' else choose.of(words.ANY)} {kind}"
    else:
        title = words.some(choose, words.OCCASIONS, 0.8, 3)
    return title.title().replace("'S ", "'s ") if rng.random() < 0.3 else title


def show(choose):
    rng = choose.rng
    p = rng.random()
    odd = lambda n=1: odd_title(choose, 1, n) if choose.side == "train" and rng.random() < 0.6 else choose.of(words.ANY).title()
    if p < 0.25:
        return choose.of(SHOWS)
    if p < 0.4:
        return f"The {odd(2)}"
    if p < 0.5:
        return f"{odd()} {rng.choice(('of', 'and', 'in', 'for', 'without'))} {rng.choice(('the ', ''))}{odd()}"
    if p < 0.6:
        return f"{person(choose)} {rng.choice(('Live', 'and Band', 'Trio', 'Quartet'))}"
    if p < 0.7:
        return f"{words.town(choose)} {rng.choice(('Symphony', 'Jazz Night', 'Film Festival', 'Derby', 'Philharmonic', 'Comedy Club'))}"
    if p < 0.78:
        return f"{words.made_up_name(choose)} vs {words.made_up_name(choose)}"
    return odd_title(choose, 1, 3)
