"""What messages say: for each slot the type of its property, the names that a schema may have for it, and what makes its value, a pair of what is said
and what the JSON has."""
from .. import times, words
from . import values

CAPITALS = "ABCDEFGHJKLMNPRSTVW"


def _int(least, most, in_words=0.15):
    def make(c, now):
        n = c.rng.randint(least, most)
        return times.number(c, n, in_words) if n < 1000 else str(n), n
    return make


def _text(make):
    def made(c, now):
        text = make(c)
        return text, text
    return made


def _date(c, now):
    _, said, value = values.date(c, now)
    return said, value


RELATIVE = ("today", "tomorrow", "the day after", "in ", "this ", "next ", "a week")


def _due(c, now):
    """A day that "by" or "until" may stand before."""
    while True:
        said, value = _date(c, now)
        if not said.startswith(("in ", "a week")):
            return said, value


def _clock(c, now):
    said, _, value = values.clock(c)
    return said, value


def _price(most):
    def make(c, now):
        said, _, value = values.price(c, most)
        return said, value
    return make


def _titled(c):
    p = c.rng.random()
    name = values.surname(c) if p < 0.6 else values.person(c).removeprefix("Dr. ")
    return c.rng.choice(("Dr ", "Dr ", "Dr. ", "Mr ", "Mrs ", "Ms ", "Prof. ", "")) + name if p < 0.85 else values.person(c)


def _named(kinds):
    def make(c):
        p = c.rng.random()
        if p < 0.15:
            return values.odd_title(c, 1, 2)
        kind = c.rng.choice(kinds)
        name = c.rng.choice((values.surname(c), words.made_up_name(c), values.odd_title(c, 1, 1), c.of(words.TOWNS)))
        return f"{name}'s {kind}" if p < 0.25 else f"{kind} {name}" if p < 0.35 else f"{name} {kind}"
    return _text(make)


def _station(c):
    return values.town(c) + c.rng.choice(("", "", "", " Central", " Main Station", " Airport", " Hbf", " North", " Victoria", " Harbour"))


def _plate(c):
    rng = c.rng
    letters = lambda n: "".join(rng.choice(CAPITALS) for _ in range(n))
    return values.on_side(c, "plates", lambda: rng.choice((f"{letters(2)}{values.digits(rng, 2)} {letters(3)}", f"{letters(1)}-{letters(2)} {values.digits(rng, 4)}", f"{letters(3)} {values.digits(rng, 3)}", f"{letters(2)}-{values.digits(rng, 3)}-{letters(2)}")))


def _thing(c):
    return values.good(c) if c.chance(0.6) else c.of(words.ANY) if c.chance(0.5) or c.side == "test" else words.odd_text(c, 1, 2)


def _phrase(c):
    """A few words on something."""
    if c.side == "train" and c.chance(0.4):
        return words.odd_text(c, 1, 4, 0.2)
    return c.rng.choice((values.event_title, _thing, lambda c: words.any_words(c, 1, 3)))(c)


def _seats(c, now):
    row, first = c.rng.choice("ABCDEFGHKLMN"), c.rng.randint(1, 30)
    seats = [f"{row}{first + i}" for i in range(c.rng.randint(1, 4))]
    return ", ".join(seats) if c.chance(0.6) or len(seats) == 1 else ", ".join(seats[:-1]) + " and " + seats[-1], seats


def _names(c, now):
    names = list(dict.fromkeys(words.first_name(c) if c.chance(0.7) else values.person(c) for _ in range(c.rng.randint(1, 4))))
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + c.rng.choice((" and ", " & ", ", ")) + names[-1], names


def _things(c, now):
    from . import shopping
    found = shopping.things(c)[:5]
    return shopping.joined(c, found), found


def _letters(n, digits):
    return _text(lambda c: "".join(c.rng.choice(CAPITALS) for _ in range(n)) + values.digits(c.rng, digits))


CITY, NAME, PLACE, CODE, SHORT = _text(values.town), _text(values.person), _text(values.place), _text(values.code), _text(lambda c: values.code(c, True))
FIRST = _text(lambda c: words.first_name(c) if c.chance(0.8) else values.someone(c))
# slot -> type, the names that a schema may have for it, what makes it
SLOTS = {
    "date": ("string", "date|day|when|on", _date), "date2": ("string", "end date|until|last day|to date|return date", _date), "due": ("string", "due|deadline|due date|until|by|valid until|expires|last day", _due),
    "time": ("string", "time|at|start|start time|hour", _clock), "start": ("string", "start|from|begins|opens|start time", _clock), "end": ("string", "end|until|ends|closes|end time|to", _clock),
    "doors": ("string", "doors|doors open|admission|opening", _clock), "boarding": ("string", "boarding|boarding time|check in|boards at", _clock),
    "departs": ("string", "departure|departs|leaves|departure time|sailing|dep", _clock), "arrives": ("string", "arrival|arrives|arrival time|arr|lands", _clock),
    "doctor": ("string", "doctor|dentist|with|practitioner|name|specialist|therapist", _text(_titled)),
    "clinic": ("string", "clinic|place|practice|location|surgery|hospital|where", _named(("Surgery", "Clinic", "Dental Practice", "Health Centre", "Hospital", "Medical Centre", "Practice", "Eye Care"))),
    "from": ("string", "from|origin|departure station|start|from station", _text(_station)), "to": ("string", "to|destination|arrival station|going to", _text(_station)),
    "flight": ("string", "flight|flight number|number|flight no", _text(lambda c: f"{c.rng.choice(CAPITALS)}{c.rng.choice(CAPITALS)}{c.rng.choice((' ', '', ' '))}{c.rng.randint(10, 9999)}")),
    "train": ("string", "train|train number|service|line|coach number", _text(lambda c: f"{c.rng.choice(('ICE', 'IC', 'RE', 'TGV', 'EC', 'RB', 'NJ', 'XC', ''))} {c.rng.randint(1, 9999)}".strip())),
    "gate": ("string", "gate|gate number|departure gate", _text(lambda c: f"{c.rng.choice('ABCDEFZ')}{c.rng.randint(1, 80)}")), "platform": ("string", "platform|track|gleis|bay", _text(lambda c: f"{c.rng.randint(1, 24)}{c.rng.choice(('', '', 'a', 'b'))}")),
    "coach": ("string", "coach|carriage|car|wagon", _text(lambda c: c.rng.choice((c.rng.choice("ABCDEFGH"), str(c.rng.randint(1, 30)))))),
    "seat": ("string", "seat|seat number|place", _text(lambda c: f"{c.rng.randint(1, 60)}{c.rng.choice('ABCDEF')}")), "seats": ("array", "seats|seat numbers|places", _seats),
    "row": ("string", "row|line|seat row", _text(lambda c: c.rng.choice("ABCDEFGHKLMN"))), "seat_no": ("integer", "seat|seat number", _int(1, 60, 0)), "screen": ("integer", "screen|hall|auditorium|room", _int(1, 14, 0)),
    "film": ("string", "film|movie|title|show", _text(values.show)), "show": ("string", "show|title|play|event|performance", _text(values.show)), "band": ("string", "band|artist|act|performer|group", _text(lambda c: values.show(c) if c.chance(0.5) else c.of(words.ARTISTS))),
    "cinema": ("string", "cinema|venue|theatre|place", _named(("Cinema", "Odeon", "Pictures", "Filmhouse", "Palace", "Multiplex"))), "venue": ("string", "venue|place|location|where|hall", _text(values.venue)),
    "adults": ("integer", "adults|number of adults|passengers", _int(1, 8)), "children": ("integer", "children|kids|number of children", _int(1, 6)), "people": ("integer", "people|guests|party size|persons|number of guests|covers", _int(1, 20, 0.4)),
    "tickets": ("integer", "tickets|quantity|count|number of tickets", _int(1, 9)), "ref": ("string", "reference|ref|booking reference|booking code|confirmation|booking number|pnr|case number", _text(lambda c: values.code(c, c.chance(0.6)))),
    "name": ("string", "name|customer|guest|passenger|person|booked by|for", NAME), "first": ("string", "name|person|who|contact|friend", FIRST), "phone": ("string", "phone|phone number|mobile|number|contact number|telephone|call", _text(values.phone)),
    "email": ("string", "email|mail|email address|contact", _text(values.email)), "website": ("string", "website|url|link|web|page", _text(values.website)), "company": ("string", "company|firm|organisation|employer|business|provider", _text(values.company)),
    "job": ("string", "job|role|position|job title|trade|profession", _text(values.job)), "plate": ("string", "registration|plate|number plate|licence plate|vehicle|car", _text(_plate)),
    "garage": ("string", "garage|workshop|place|where", _named(("Garage", "Motors", "Autos", "Tyres", "Car Care", "Bodyshop"))), "km": ("integer", "mileage|km|kilometres|odometer", _int(1000, 199999, 0)),
    "order": ("string", "order|order number|order id|order no", CODE), "tracking": ("string", "tracking|tracking number|number|parcel|item|parcel number|shipment", CODE),
    "carrier": ("string", "carrier|courier|delivery service|company|delivered by", _text(values.carrier)), "sender": ("string", "sender|from|shop|store|seller", _text(values.shop)), "shop": ("string", "shop|store|seller|merchant|where", _text(values.shop)),
    "locker": ("integer", "locker|locker number|box|compartment", _int(1, 99, 0)), "pin": ("string", "pin|code|pickup code|access code|unlock code", _text(lambda c: values.digits(c.rng, c.rng.choice((4, 5, 6))) if c.chance(0.7) else values.code(c, True))),
    "pickup": ("string", "place|pickup|pickup point|collect from|location", PLACE), "item": ("string", "item|product|article|thing|what|object|content", _text(_thing)), "items": ("array", "items|products|things|list|goods|shopping", _things),
    "price": ("number", "price|cost|amount|fee|total|charge|fare", _price(300)), "price2": ("number", "old price|regular price|before|original price", _price(300)), "total": ("number", "total|sum|amount|total amount|amount due|to pay", _price(900)),
    "invoice": ("string", "invoice|invoice number|number|bill|invoice no", CODE), "account": ("string", "account|customer number|account number|client number|member number", CODE), "iban": ("string", "iban|bank account|account", _text(lambda c: f"{c.rng.choice(CAPITALS)}{c.rng.choice(CAPITALS)}{values.digits(c.rng, 2)} {values.digits(c.rng, 4)} {values.digits(c.rng, 4)} {values.digits(c.rng, 4)}")),
    "restaurant": ("string", "restaurant|place|venue|where|location", _named(("Bistro", "Kitchen", "Grill", "Lodge", "Trattoria", "Tavern", "House", "Diner", "Pizzeria", "Inn"))),
    "child": ("string", "child|name|kid|birthday child|who", _text(words.first_name)), "age": ("integer", "age|years|turns|years old", _int(1, 99, 0.3)), "host": ("string", "host|organiser|contact|from|invited by", FIRST), "guests": ("array", "guests|people|attendees|participants|with|names", _names),
    "guest": ("string", "guest|with|friend|companion|other person", FIRST), "title": ("string", "title|event|what|subject|name|occasion|meeting", _text(values.event_title)), "place": ("string", "place|location|where|venue|meeting point", PLACE),
    "room": ("string", "room|meeting room|where|place", _text(values.room)), "street": ("string", "street|address|road|where", _text(values.street)), "city": ("string", "city|town|place", CITY), "street_only": ("string", "street|road|area|where", _text(lambda c: c.of(words.STREETS) if c.chance(0.5) else words.made_up_name(c) + c.rng.choice((" Road", " Street", " Lane", "strasse")))),
    "postcode": ("string", "postcode|zip|postal code|zip code", _text(values.postcode)), "reason": ("string", "reason|cause|because of|why", _text(_phrase)), "utility": ("string", "service|utility|what|affected", _text(lambda c: c.rng.choice(("water", "gas", "electricity", "internet", "heating", "hot water", "the lift".removeprefix("the "))))),
    "hotel": ("string", "hotel|place|accommodation|property|where", _named(("Hotel", "Inn", "Lodge", "Guesthouse", "Resort", "Hostel", "B&B"))), "nights": ("integer", "nights|number of nights|duration", _int(1, 14, 0.3)), "checkin": ("string", "check in|arrival|from|arrival date|start date", _date), "checkout": ("string", "check out|departure|until|departure date|end date", _date),
    "class": ("string", "class|group|form|grade", _text(lambda c: f"{c.rng.randint(1, 12)}{c.rng.choice('ABCDabcd')}")), "teacher": ("string", "teacher|instructor|tutor|coach|with|led by", _text(_titled)), "subject": ("string", "subject|course|topic|class|lesson", _text(_phrase)),
    "weeks": ("integer", "weeks|duration|sessions|number of weeks", _int(2, 20)), "minutes": ("integer", "minutes|duration|length|delay|wait", _int(2, 180, 0.2)), "percent": ("integer", "discount|percent|off|reduction", _int(5, 75, 0)), "salary": ("integer", "salary|pay|wage|monthly pay", _int(900, 9500, 0)),
    "rent": ("number", "rent|monthly rent|price|cost", _price(900)), "deposit": ("number", "deposit|security deposit|down payment", _price(900)), "rooms": ("integer", "rooms|number of rooms|bedrooms", _int(1, 6, 0.4)), "size": ("integer", "size|area|square metres|sqm", _int(18, 220, 0)), "floor": ("integer", "floor|level|storey", _int(1, 20, 0)),
    "pet": ("string", "name|pet|pet name|animal name", _text(words.first_name)), "breed": ("string", "breed|species|animal|kind", _text(lambda c: f"{c.rng.choice(('grey', 'brown', 'black', 'small', 'white', 'old', 'spotted'))} {c.rng.choice(('cat', 'dog', 'terrier', 'spaniel', 'tabby', 'parrot', 'rabbit', 'poodle', 'budgie'))}")),
    "book": ("string", "book|title|book title|reading", _text(values.show)), "author": ("string", "author|writer|by|written by", NAME), "library": ("string", "library|branch|where|place", _named(("Library", "Books", "Reading Room", "Public Library"))),
    "home": ("string", "home|home team|team|host team", CITY), "away": ("string", "away|away team|guests|opponent", CITY), "goals": ("integer", "home goals|goals|score|points", _int(0, 9, 0)), "goals2": ("integer", "away goals|goals against|opponent score|points against", _int(0, 9, 0)), "stadium": ("string", "stadium|venue|arena|ground", _named(("Stadium", "Arena", "Park", "Ground"))),
    "degrees": ("integer", "temperature|degrees|high|max temperature", _int(1, 38, 0.2)), "low": ("integer", "low|min temperature|night temperature", _int(1, 15, 0.2)), "sky": ("string", "weather|condition|forecast|sky", _text(lambda c: c.of(words.CONDITIONS))),
    "medicine": ("string", "medicine|drug|name|medication", _text(lambda c: words.made_up_name(c) + c.rng.choice(("in", "ol", "ex", "amine", "", "on")))), "dose": ("string", "dose|dosage|strength|amount", _text(lambda c: f"{c.rng.choice((5, 10, 20, 50, 100, 250, 400, 500))} {c.rng.choice(('mg', 'ml', 'mg', 'drops'))}")), "times_a_day": ("integer", "times per day|times|per day|frequency", _int(1, 6, 0.6)), "days": ("integer", "days|duration|number of days", _int(2, 30, 0.4)),
    "dish": ("string", "dish|recipe|meal|food|title", _text(_phrase)), "servings": ("integer", "servings|serves|portions|people", _int(1, 12, 0.4)), "network": ("string", "network|wifi|ssid|name", _text(lambda c: words.odd_word(c) + c.rng.choice(("-Guest", "_5G", "Net", "", " Wifi")))), "password": ("string", "password|pass|key|code", _text(lambda c: words.odd_word(c) + values.digits(c.rng, 3) + c.rng.choice(("", "!", "x")))),
    "zone": ("string", "zone|parking zone|area|car park", _letters(1, 3)), "card": ("string", "card|card ending|last digits|card number", _text(lambda c: values.digits(c.rng, 4))), "balance": ("number", "balance|available|remaining|account balance", _price(3000)), "plan": ("string", "plan|tariff|subscription|package|product", _text(lambda c: f"{words.some(c, words.ANY, 0.4, 1).title()} {c.rng.choice(('Plus', 'Basic', 'Premium', 'Flat', 'S', 'XL', 'Mobile', 'Pro'))}")),
    "colour": ("string", "colour|color", _text(lambda c: c.of(words.COLOURS))), "reward": ("number", "reward|finders reward|price", _price(200)), "ext": ("string", "extension|ext|internal number", _text(lambda c: values.digits(c.rng, c.rng.choice((2, 3, 4))))), "assistant": ("string", "secretary|assistant|contact|deputy", _text(_titled)), "family": ("string", "family|name|surname|last name", _text(values.surname)),
    "version": ("string", "version|release|update|version number", _text(lambda c: ".".join(str(c.rng.randint(0, 20)) for _ in range(c.rng.choice((2, 3)))))), "app": ("string", "app|software|product|program", _text(lambda c: words.some(c, words.ANY, 0.5, 1).title())), "text": ("string", "note|message|text|remark|comment", _text(_phrase)), "meter": ("integer", "reading|meter reading|meter|value", _int(100, 99999, 0)), "team": ("string", "team|group|department|club", _text(lambda c: c.rng.choice((words.some(c, words.ANY, 0.4, 1).title() + " Team", values.odd_title(c, 1, 1), values.town(c)))))}
