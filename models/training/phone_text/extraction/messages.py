"""Messages as one gets them: reminders, confirmations, notices, signs, receipts, chats. Each is a row of parts, which are said in one of several ways, left
out, joined or put on lines of their own, so that a message hardly ever has the same form twice."""
import itertools
import re

from .. import times, words
from ..split import Lexicon
from . import grammar, noise, schemas, values

SLOT = re.compile(r"\{(\w+)\}")
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
    "colour": ("string", "colour|color", _text(lambda c: c.of(words.COLOURS))), "reward": ("number", "reward|finder's reward|price".replace("'", ""), _price(200)), "ext": ("string", "extension|ext|internal number", _text(lambda c: values.digits(c.rng, c.rng.choice((2, 3, 4))))), "assistant": ("string", "secretary|assistant|contact|deputy", _text(_titled)), "family": ("string", "family|name|surname|last name", _text(values.surname)),
    "version": ("string", "version|release|update|version number", _text(lambda c: ".".join(str(c.rng.randint(0, 20)) for _ in range(c.rng.choice((2, 3)))))), "app": ("string", "app|software|product|program", _text(lambda c: words.some(c, words.ANY, 0.5, 1).title())), "text": ("string", "note|message|text|remark|comment", _text(_phrase)), "meter": ("integer", "reading|meter reading|meter|value", _int(100, 99999, 0)), "team": ("string", "team|group|department|club", _text(lambda c: c.rng.choice((words.some(c, words.ANY, 0.4, 1).title() + " Team", values.odd_title(c, 1, 1), values.town(c)))))}
PARTS = {  # what it is -> its parts, each with alternatives
    "appointment": ["(Reminder|Appointment reminder|Confirmed|Appointment confirmed|Hello {name}|Dear {name}|Hi {first}|)", "(Your|the|my|an) appointment (with|at) {doctor} is (on |){date} at {time}|You are booked (in |)with {doctor} (on |){date} at {time}|{doctor}, {date}, {time}|{doctor} will see you (on |){date} at {time}|{date} {time} - {doctor}|Appt {date} {time} with {doctor}",
                    "(at|in|Where:|Place:|Come to|we are at|@) {clinic}|{clinic}, {street}|{clinic}|(at|in) {place}, {street}", "(To cancel|to move it|to reschedule|if you can't come|for changes)(:| call| ring|, phone) {phone}|Tel. {phone}|(To cancel text CANCEL|reply YES to confirm|please bring your card|please come ten minutes early|please bring a list of your medicines)", "(Ref|reference|case|booking)(:| no.|) {ref}|"],
    "flight": ["(Gate change|boarding pass|flight update|travel alert|check-in is open|good day|itinerary|final call|)", "(Your|the|my|our) flight {flight} (to|for) {to} (now |)(departs|leaves|boards|goes) from gate {gate}|Flight {flight} {from} to {to}|{flight} {from}-{to}|{flight} from {from} to {to}, gate {gate}|(I'm|we're) on {flight} to {to}|{from} -> {to}, {flight}|Flight {flight} to {to} is delayed by {minutes} minutes",
               "(Boarding|boarding starts|be at the gate|boarding time)(:| at| from|) {boarding}|", "(Departure|departs|dep|take-off|leaves)(:| at|) {departs}|(dep|leaves) {departs}, (arr|lands) {arrives}|{departs} - {arrives}|(lands|arrival|arriving|touches down) (at|:) {arrives}", "(on|date:|) {date}|{date}", "(Seat|your seat is|you sit in|seat no.) {seat}|", "(Passenger|name|for|traveller)(:|) {name}|", "(Booking|ref|booking code|PNR|reservation)(:| |) {ref}|"],
    "train ticket": ["(YOUR E-TICKET|online ticket|mobile ticket|your journey|trip|booking confirmation|thanks for booking|single|return|)", "(Journey|route|from|train|ticket)(: | ){from} to {to}|{from} - {to}|{from} to {to}|{from} > {to}|{train} leaves {from} {departs}, arrives {to} {arrives}|{from} {departs}, {to} {arrives}|Coach {train} leaves {from} at {departs}|from {from} (at |){departs} to {to} (at |){arrives}",
                     "Date: {date}   Dep {departs}|{date}|(on|date:|valid on|outbound|travel date) {date}|Dep {departs} Arr {arrives}|leaving {date} at {departs}", "Coach {coach}  Seat {seat}|coach {coach}, seat {seat}|(Seat|your seat is) {seat} in coach {coach}|seat {seat}|car {coach} seat {seat}", "(Platform|plat.|track|gleis) {platform}|", "(Booking ref|ref|order|booking code|confirmation)(:| |.) {ref}|", "(Fare|price|paid|total)(:|) {price}|{price}|", "(Passenger|name)(:|) {name}|{adults} (adults|adult)|{adults} adults, {children} children|"],
    "ferry": ["Ferry {from} - {to}|ferry from {from} to {to}|{from} to {to} by (ship|ferry|boat)|crossing {from} / {to}", "{date}|on {date}|sailing {date}", "(check-in|boarding|be there) (by|at) {boarding}, (sailing|departure|we sail|leaves) {departs}|sailing {departs}|departs {departs}, arrives {arrives}", "{adults} adults, {children} children|{adults} adults|{adults} adults, 1 car|", "(Ref.|booking|reference:) {ref}|", "(car|vehicle|registration)(:|) {plate}|", "(paid|total|fare)(:|) {price}|"],
    "cinema booking": ["(Booking confirmed|your tickets|enjoy the film|thank you|see you at the movies|hey, got tickets|)", "{cinema}, (screen|hall) {screen}|at {cinema} in screen {screen}|{cinema}|(screen|hall) {screen}, {cinema}", "{film}|(film|movie|you will see|showing|we're watching)(:|) {film}|{film} (is on|starts|begins) at {time}", "{date} {time}|{date}, {time}|(on|) {date} at {time}|{date}", "(Seats|your seats|we sit in|places)(:|) {seats}|row {row}, seat {seat_no}|{tickets} tickets|", "(Total|paid|price|sum)(:|) {total}|{total}|", "(Ref|booking|code)(:|) {ref}|"],
    "concert": ["{venue} (presents|welcomes|is proud to present)|{venue}|live (at|in) {venue}|(tickets for|tonight|one night only|on tour|presale)(:|)|", "{band}|{band} live|{band} (at|in) {venue}|(got tickets for|we're seeing|see) {band}", "{date} - doors {doors}|{date}, (doors|doors open) {doors}, (start|show) {time}|doors {doors}|{date}|(on|) {date} at {time}|show at {time}", "{tickets} x standing {price}|1 x (standing|seated|balcony) {price}|{price}|(tickets|entry|price)(:| from|) {price}|{tickets} tickets for {price}", "(Order|ref|booking)(:|) {ref}|", "{city}|in {city}|"],
    "theatre booking": ["(thanks for booking with|thank you for choosing|welcome to) the {venue}|{venue}|Your evening (at|in) {venue}", "{show}|(you are seeing|performance|tonight|the play)(:|) {show}|{show}, {date}, {time}", "{date}, {time}|(on|) {date} at {time}|{time}|curtain (up |)(at|:) {time}", "(stalls|balcony|circle|box|) row {row} seat {seat_no}|(Row|row) {row}, seat {seat_no}|(seats|places) {seats}", "{price}|(each|price|paid) {price}|", "(Booking|collect with|code|reference)(:|) {ref}|"],
    "parcel notice": ["{carrier}: (Your|we have your|a) (parcel|package|item|order) {tracking}|(Sorry we missed you|we missed you|hello|your parcel|delivery today|SMS from {carrier}|{carrier})(!|:|.|)|{carrier}: We've got your parcel|Hi {first}, your {sender} order is coming", "(Your|the) (parcel|package|item) {tracking} (from|sent by|of) {sender} will (be delivered|arrive|come) {date} between {start} and {end}|{tracking} is on its way from {sender}|(Your|the) (package|parcel) {tracking} is at {pickup}|(Your|the) (package|parcel) {tracking} is at {pickup}, {street}|your order {order} from {sender} has shipped with {carrier}|Your order #{order} has shipped with {carrier}|{carrier} has your parcel {tracking} from {sender}|(tracking|track it|number|shipment)(:| no.|) {tracking}|your {item} from {sender} is on the way",
                      "(should arrive|expected|Est. delivery|arriving|delivery|it comes|we deliver|due) (on |){date}|(collect it|collect|pick it up) (from|at) {pickup}|between {start} and {end}|(window|time): {start} - {end}|(Collect from|ready from|you can collect it from) {date}, bring ID", "(Not in? Reply 2 for a neighbour|left with your neighbour {first}|your PIN is {pin}|code {pin}|open with code {pin}|to change it call {phone}|no need to sign|track it at {website})|"],
    "locker notice": ["(Parcel|package|a parcel|your order) (for you |)(is |)in locker {locker}|locker {locker}, {pickup}|(your parcel waits|it's) in locker {locker} (at|,) {pickup}", "(at|,|place:) {pickup}|{pickup}", "(Open with|use|your|unlock with|enter) code {pin}|(code|PIN)(:|) {pin}|{pin} opens it", "(valid until|collect by|pick up by|until|expires|keep till) {due}|", "(from|sender|by)(:|) {sender}|"],
    "customs notice": ["{carrier}: (a customs charge|import duty|a fee|postage) of {price} is due on item {tracking} (before we can deliver it|now)|{carrier}|You owe {price} for {tracking}|(item|parcel) {tracking}: {price} to pay", "pay (by|before|until) {due}|(please pay|due)(:|) {due}|", "(pay at|online at|see) {website}|", "(from|sender)(:|) {sender}|"],
    "car service": ["(MOT|service|inspection|repair|tyre change|your car|winter check) (is |)booked for {plate} (on |){date} at {time}|{plate}: (service|repair|inspection) {date}, {time}|bring {plate} in {date} at {time}|your car {plate} is ready|{plate}", "{garage}|(at|we are|see you at) {garage}|{garage}, {street}", "(please leave keys at reception|the bill is {price}|it will cost {price}|estimate: {price}|total {price}|tel. {phone}|questions? {phone})|", "(mileage|km|odometer)(:|) {km}|"],
    "invoice": ["(Invoice|bill|rechnung|invoice no.|inv.)(:| |) {invoice}|{company}, invoice {invoice}|your invoice {invoice} from {company}|Dear {name}, (please find|here is) invoice {invoice}", "(from|issued by|by) {company}|{company}|for {item}|", "(Total|amount|amount due|sum|you owe|to pay)(:| is|) {total}|{total}|please pay {total} by {due}|{total} due {due}", "(due|pay by|payable until|due date|please pay before)(:|) {due}|", "(dated|date|issued)(:| on|) {date}|", "(customer|account|client) (no.|number|) {account}|(to|IBAN|account)(:|) {iban}|(bill to|customer)(:|) {name}|"],
    "table reservation": ["(Your table|table|reservation|booking|a table) (is booked |is confirmed |)for {people} (at|in) {restaurant}|{restaurant}: (table|booking) for {people}|(I|we) booked {restaurant} for {people}|table for {people}|{restaurant}", "(on |){date} at {time}|{date}, {time}|{time}|{date} (from|at) {time}", "(name|under|in the name of|booked by)(:|) {name}|under {family}|", "(call|tel|to cancel ring)(:|) {phone}|", "(note|wish|remark)(:|) {text}|"],
    "invitation": ["You're invited|(Hi|hey|dear) {first}|(come to|join us for|we're having) (a |our |the |){title}|{child} is turning {age}|{child} is having a party|{title} at ours|hey!! {title} at ours {date}, from {time}|are you around {date}|{title}", "{child} (is turning|turns|will be) {age}|{title} {date}|{date}, {start} to {end}|(on |){date} (at|from) {time}|{date}, {time}|thinking {title} at {place} at {time}|thinking {dish} at {restaurant} at {time}|{dish} at {restaurant}, {time}|(how about|fancy) {title} {date}", "(at|in|@|place:|where:) {place}|{place}, {street}|{place}, {street}|{street}|{place}|(we meet|meet us|come to) (at |){place}", "RSVP {first} {phone}|(reply|answer|text|RSVP) to {host} (on|:) {phone}|(let|tell) {host} know by {due}|{guest}'s coming too|{guests} are coming|bring (snacks|a chair|cake)|", "(love|from|yours|hugs), {host}|"],
    "team notice": ["(Team|hi all|all|dear colleagues|folks|@channel|reminder|)(,|:)", "{title} (moves|was moved|has been moved|is moved|goes) to {time} {date} because of {reason}|(the |){title} has been moved to {date}, {time}, in (the |){place}|{title} is (on |){date} at {time}|(no {title} {x_date}, |){title} (instead |)(on |){date}|{title}: {date}, {time}", "(Meeting room|room|we're in|in) {room} as usual|(in|room:|at) {room}|{room}|", "(because of|due to|reason:|since there is) {reason}|", "(dial in|join at|link)(:|) {website}|(chair|host|led by)(:|) {host}|(with|attendees:|invited:) {guests}|", "{teacher}|{host}|(thanks|cheers), {host}|"],
    "club meeting": ["{team}: we meet (next |)(on |){date} at {place}, {time}|{team} (meets|training|practice) {date}, {time}|(next|our) {team} (meeting|session|evening) is (on |){date}|{team}: {title}", "(The book is|this time we read|we discuss|book:) {book}( by {author}|)|the topic is {subject}|topic: {subject}|", "(at|in|place:) {place}|at {first}'s place|{place}, {street}|", "{time}|(from|at|start) {time}|{start} - {end}|", "(host|contact|questions to|bring cake|leader)(:|) {host}|"],
    "outage notice": ["{utility} will be (switched off|cut|unavailable|off|interrupted) in {street_only} on {date} between {start} and {end}( for {reason}|)|no {utility} in {street_only} (on |){date}|(Notice|dear residents|attention|planned works)(:|)|{street_only}: {utility} off", "(from|between) {start} (to|and|until) {end}|(on |date: |){date}|{date} {start}-{end}", "(reason|because of|due to|for)(:|) {reason}|", "(Sorry for the inconvenience|questions: {phone}|{company}|your {company} team|hotline {phone}|info: {website})|"],
    "hotel booking": ["(Booking|reservation|your stay) (at|in) {hotel}( is confirmed|)|{hotel}, {city}|{hotel}|(we stay|I'm staying|we booked) at {hotel}", "{nights} nights, {checkin} to {checkout}|(check-in|arrival|arriving|from)(:|) {checkin}|{checkin} - {checkout}|{nights} nights from {checkin}|(check-in|arrive) {checkin}, (check-out|leave) {checkout}", "(guest|name|for|booked by)(:|) {name}|{adults} adults, {children} children|{adults} adults|", "(total|price|to pay|rate)(:|) {total}|{total} in all|", "(confirmation|booking|ref|reservation no.)(:|) {ref}|", "(room|your room is) {room}|address: {street}, {city}|"],
    "school notice": ["(Dear parents|dear families|hello class {class}|class {class}|to all parents of {class}|school news)(,|:|)", "{title} for class {class} (is |)(on |){date}|the {title} (of class {class} |)(is|takes place) (on |){date} at {time}|{class} goes to {place} (on |){date}|{subject} (test|exam|lesson) (on |){date}", "(in the|at the|in|at) {place}|room: {room}|", "(please pay|cost|costs|bring) {price}|(please answer|reply|sign) by {due}|", "(from|between) {start} to {end}|we (meet|leave) at {time}|", "{teacher}|(your|yours,|regards,) {teacher}|(class teacher|teacher): {teacher}|"],
    "business card": ["(Kind regards|best|best regards|--|thanks|cheers|many thanks|BR|here's my card|liebe Grüße|)(,|)", "{name}|{name}, {job}|{name} - {job}|{name}, {company}", "{job}|{job}, {company}|{job} (at|of) {company}|{company}", "{company}|{clinic}|{team}, {company}|", "(M|T|Tel|Ph|Mobile|phone|tel|call)(:|.|) {phone}|{phone}|(T|phone) {phone} | {email}".replace(" | ", " / "), "{email}|(mail|E|e-mail)(:|) {email}|", "{website}|{street}, {city}|{street}, {postcode} {city}|(secretary|assistant|my deputy): {assistant}, ext. {ext}|ext. {ext}|"],
    "recommendation": ["(the |my |our |)(plumber|electrician|gardener|vet|dentist|roofer|cleaner|painter) (that|who) (fixed|did|repaired|looked after|painted) our {item} (was|is) called {first}|(you asked for|try|I recommend|I know) {name}, {job}|{name} is a (good|great|cheap|friendly) {job}|{first} from {company} is great", "(ring|call|text) (him|her|them|me) on {phone}( after 5|)|(his|her) number is {phone}|{phone}|tel. {phone}", "(based|lives|works) in {city}|{street}, {city}|", "(charges|costs|takes|about) {price}( an hour| a day|)|", "(or mail|mail|write to|email) {email}|"],
    "moving card": ["The {family}s have moved|(we have|we've|I have|I've) moved|new address|(goodbye {x_city}, hello {city}|moving day|change of address)(!|:|)|{name} has moved", "(Find us|we now live|we live|our new home is|you find us|find me) at {street}, {city}|new address: {street}, {postcode} {city}|{street}, {city} {postcode}|{street}", "(from|as of|since|starting) {date}|", "(Phone|mobile|number) as before: {phone}|(my|our) (new |)number (is|:) {phone}|tel {phone}|", "(the {family} family|{name}|love, {first}|{first})|"],
    "new number": ["(my|this is my|here is my) new number (is|:) {phone}|{phone} is my new number|new phone: {phone}|I've got a new phone|text me on {phone}", "(delete|forget|don't use) the old one|(not|no longer) {x_phone}|", "{name}|(it's|this is|love,|-) {name}|{name} here|it's {first}", "(mail|email) (stays|is)(:|) {email}|"],
    "flat advert": ["(Flat|apartment|room|studio|house) (for rent|to let|in {city}|available)(:|)|{rooms} rooms, {size} sqm|(nice|bright|quiet) {rooms}-room flat in {city}|{street}, {city}", "{rooms} (rooms|bedrooms)|{size} (m2|sqm|square metres)|{rooms} rooms, {size} m2, floor {floor}|floor {floor}", "(rent|monthly|rent per month)(:|) {rent}|{rent} a month, deposit {deposit}|{rent}", "(deposit|security)(:|) {deposit}|", "(free|available|from|move in) (from |){date}|", "(contact|call|landlord)(:|) {name}|(viewings|questions|call)(:|) {phone}|{email}|"],
    "job advert": ["{company} (is looking for|seeks|is hiring|wants) (a |an |){job}|(wanted|job|we're hiring|vacancy)(:|) {job}|{job} (at|for) {company} in {city}|{job}", "(in|place|location)(:|) {city}|{city}|", "(pay|salary|we pay|monthly)(:|) {salary} (a month|euros|gross|)|", "(start|from|starting|begin)(:|) {date}|", "(apply|send your CV|write|applications) (to|by|until|:) {email}|(deadline|apply by|closing date)(:|) {due}|(contact|ask for)(:|) {name}|{phone}|"],
    "offer": ["{shop}: {percent}% off|(sale|offer|only today|deal of the week|save {percent}%)(!|:|)|{item} now {price}|{item} for {price} instead of {price2}|(only|just) {price} for {item}", "{item}|{item} (was|before) {price2}, now {price}|(now|only|just) {price}|{price} (not|instead of) {price2}", "(at|from|only at) {shop}|{shop}, {street}|", "(until|ends|valid till|offer ends|only till) {due}|", "(use|with|enter) code {pin}|(see|order at|shop at) {website}|"],
    "lost and found": ["(Lost|missing|found|have you seen it)(!|:) {colour} {item}|(lost|missing)(:|) {breed} called {pet}|(our|my) {breed} {pet} is missing|(I|we) (lost|found) (a |my |){item}|{pet}, {breed}, {age} years old", "(last seen|lost|found|it was) (near|in|at|around) {place}|(near|in) {street_only}|", "(since|on|last seen) {date}|", "(reward|finder gets)(:|) {reward}|", "(call|ring|tel|please call)(:|) {phone}|(call|ask for) {first}, {phone}|(contact|owner)(:|) {name}|{email}"],
    "library notice": ["(Your loan|reminder|return|the book|library notice)(:|) {book}|{book} by {author} is due (on |){due}|please return {book}|{library}: {book} is ready for you", "by {author}|(author|written by)(:|) {author}|", "(due|back by|return by|please return it by|until)(:|) {due}|", "{library}|(at|to) {library}|", "(fee|fine|overdue charge)(:|) {price}|(card|member|account) (no.|number|) {account}|"],
    "match report": ["{home} (beat|won against|played|drew with|met|lost to) {away} {goals}-{goals2}|{home} {goals}:{goals2} {away}|{home} - {away} {goals}:{goals2}|{home} vs {away}|{home} against {away}", "(at|in|played at) (the |){stadium}|{stadium}|", "(on |){date}|kick-off {time}|{date}, {time}|", "(scorer|man of the match|goal by|best player)(:|) {name}|(coach|trainer)(:|) {teacher}|"],
    "weather report": ["{city}: {sky}, {degrees} degrees|(weather|forecast|outlook) for {city}|(tomorrow|on {date}) in {city}|{sky} in {city}|{city}", "{sky}|(expect|it will be|mostly) {sky}|high {degrees}, low {low}|(up to|max|highs of) {degrees} degrees|{degrees} degrees", "(at night|low|lows of|night)(:|) {low}|", "(on |for |){date}|"],
    "prescription": ["(Take|please take|use) {dose} (of |){medicine}|{medicine} {dose}|(medicine|rx|prescription)(:|) {medicine}|(for|patient)(:|) {name}", "{times_a_day} times (a|per) day|{dose} {times_a_day} times daily|{dose}|(dose|each time)(:|) {dose}", "for {days} days|(for|over) {days} days|", "{doctor}|(prescribed by|doctor|signed)(:|) {doctor}|", "(until|last day|next check)(:|) {date}|"],
    "recipe": ["{dish} for {servings}|(recipe|today's dish|we cook)(:|) {dish}|{dish} (serves|for) {servings} people|{dish}", "(serves|for|portions)(:|) {servings}|", "(takes|ready in|time|cooking time)(:|) {minutes} (min|minutes)|{minutes} minutes|", "(you need|ingredients|needs|take)(:|) {items}|{items}", "(by|from|recipe of|chef)(:|) {first}|"],
    "course": ["(Course|class|workshop|evening class|new course)(:|) {subject}|{subject} with {teacher}|learn {subject}|{subject} course|{title}", "(starts|from|begins|first lesson) (on |){date}|{date}, {start} - {end}|{weeks} weeks from {date}|{date} at {time}", "(with|teacher|led by|instructor)(:|) {teacher}|", "(fee|price|cost|it costs)(:|) {price}|", "(in|at|room|place)(:|) {room}|{place}|", "(register|sign up|enrol) (by|until|before) {due}|(call|info)(:|) {phone}|{website}|{weeks} (weeks|sessions|evenings)|"],
    "wifi note": ["(Wifi|wlan|internet|network)(:|) {network}|(the|our) wifi is (called |){network}|guest network {network}", "(password|pass|key|pw)(:|) {password}|(the|its) password is {password}|log in with {password}", "(valid until|until|expires)(:|) {due}|", "(in|for) {room}|(help|problems|ask)(:|) {first}|"],
    "parking": ["(Parking|you parked|parking session|ticket) (in zone|zone|:) {zone}|zone {zone}, {plate}|{plate} is parked in {zone}|car park {zone}|(parking fine|penalty) for {plate}", "{plate}|(car|vehicle|for|plate)(:|) {plate}|", "(until|ends at|expires|valid till)(:|) {end}|{start} - {end}|(from|start) {start}|", "(paid|fee|cost|price|to pay)(:|) {price}|{price}|", "(on |){date}|{street_only}|"],
    "card payment": ["(You paid|payment of|card payment|you spent|purchase)(:|) {price} (at|to|in) {shop}|{shop} {price}|{price} (at|was paid to) {shop}|{price} was charged", "card (ending|ending in|no.) {card}|(with|card) ...{card}|", "(balance|available|left on account)(:| is|) {balance}|", "(on |){date}( at {time}|)|{time}|", "(ref|transaction)(:|) {ref}|"],
    "contract": ["(Your|the) {plan} (plan|contract|subscription) (renews|ends|starts|is extended) (on |){date}|{company}: {plan}|(plan|tariff|your plan)(:|) {plan}|thank you for choosing {plan}", "{price} (a month|per month|monthly)|(monthly|price|costs)(:|) {price}|{price}", "(cancel|terminate) (by|before|until) {due}|", "(customer|account|contract) (no.|number|) {account}|(name|customer)(:|) {name}|", "{company}|(your|by) {company}|(hotline|help)(:|) {phone}|"],
    "shopping message": ["(can u|can you|could you|pls|please|) get {items}( on your way home x| pls| love|)|(from|at) {shop} (I|we) need {items}|(need|get|buy)( for {title}|)(:|) {items}|{shop}:\n{items}|for {title}: {items}|{items} from {shop}", "(thank you love|ta|x|thanks|{shop} (shuts|closes) at {end}|{shop} is open till {end}|at {shop}|it's for {first})|", "(max|not more than|you can spend|up to) {total}|", "(by|for|we need it) {date}|"],
    "release note": ["{app} {version} (is out|is here|is available|released)|(new version|update|release)(:|) {app} {version}|{app} (version|update) {version}", "(on |released |){date}|", "(size|fixes|new|changes)(:|) {text}|", "(by|from|developer)(:|) {company}|{website}|{name}|"],
    "meter reading": ["(meter|reading|meter reading)(:|) {meter}|the {utility} meter (shows|says|reads|stands at) {meter}|{utility}: {meter}|{meter} on the {utility} meter", "(read|taken|on|date)(:|) {date}|", "(account|customer|meter) (no.|number) {account}|", "(at|address|flat)(:|) {street}|(read by|by|name)(:|) {name}|"],
    "introduction": ["(Hi|hello|hey|good morning)(,| {x_name},|!) (I'm|my name is|this is|it's) {name}( from {company}|)|(Let me introduce|please meet|this is) {name}|{name} here, {job} (at|with) {company}|(I'd like to introduce|meet|welcome) our new {job}, {name}|(I met|I spoke to|I had lunch with) {name} (today|yesterday|at the fair|on the train)", "(I work|I've been working|she works|he works) (as a|as an|as) {job} (at|for) {company}|(I'm|she's|he's) the (new |){job} (at|of) {company}|{job} (at|for) {company}|(he|she) runs {company} in {city}|", "(you can|you may|feel free to|please) (reach|call|ring|text) (me|her|him) (on|at|under) {phone}|my (mobile|number|direct line) is {phone}|(email|write to|mail) {email}|(best by|reach me by) mail(:|,) {email}|{phone} or {email}", "(I live|based|our office is|we are) (in|at) {street}, {city}|(from|based in|lives in) {city}|{website}|"],
    "contact note": ["{name} ({company}|{job})|{name}: {phone}|{name}, {phone}|{name} {phone}|{name} - {email}|{job} {name}|(number for|phone of) {name}(:|) {phone}|{company}: ask for {name}".replace("({company}|{job})", "from {company}"), "{phone}|{email}|(mob|tel|cell) {phone}|{email}, {phone}|", "{street}, {postcode} {city}|{street}, {city}|lives in {city}|(works as|job:) {job}|", "(met at|from|known through|friend of) {x_name}|(only mornings|not before nine|speaks French|very nice)|"],
    "plan in a chat": ["(hey|yo|hi|so|ok|right|listen|oh)( {x_name}|)(,|!|) (fancy|up for|how about|what about|want to join) {title} {date}?|{title} {date}?|(are you|you) free {date}|(we're|I'm) (doing|having|planning) {title} {date}|{title} is on!|don't forget {title} {date}", "(at|around|from|say) {time}|(say|let's say|shall we say|see you at) {time}|{time} ok?|(I finish|work ends) at {x_time} so (let's say|meet at) {time}|", "(at|@|in|over at|round at) {place}|(meet|see you) (at|in|outside) {place}|my place, {street}|{restaurant}|", "{guests} (are in|said yes|will come)|{guest} (is coming|is in|can make it)|bring {item}|(costs|tickets are|entry) {price}|(text|call) {host} if you're late|"],
    "formal invitation": ["(We cordially|we would like to|we are pleased to|on behalf of {company} we) invite you to (our|the) {title}|(You are|you and your guest are) (cordially |warmly |)invited to (the|our) {title}|{host} (requests the pleasure|invites you)|(Invitation|programme)(:|) {title}", "(on |which takes place |to be held |){date} (at|from|starting at) {time}|(date and time|when)(:|) {date}, {time}|(on |){date} from {start} to {end}|{date}", "(in|at) (the |){place}|(venue|location)(:|) {place}|{place}, {street}|(at our offices|at) {street}, {city}", "(please reply|kindly respond|RSVP|let us know) (by|before) {due}|(please confirm to|RSVP to|reply to) {email}|(dress code: casual|drinks will be served|free parking)|", "(yours sincerely|with best regards|the organisers|yours),? {host}|{host}|".replace(",?", "")],
    "event listing": ["{title}|{title} with {band}|{band}: {title}|{title} (in|at) {venue}", "{date}, {start}-{end}|{date}, {time}|{date} | {time}".replace(" | ", " / ") + "|(every visitor welcome|for all ages|family event)|{date}", "{venue}, {city}|{venue}|{place}|{street}, {city}", "(admission|entry|tickets|fee)(:|) {price}|{price} (adults|each|at the door)|free|", "(info|more|tickets)(:|) {website}|(tel|book on|call)(:|) {phone}|"],
    "online order": ["(Thank you for your order|thanks for shopping with us|order confirmed|your receipt|we got your order)(, {name}|)(!|.|)|(Thank you for shopping|your order) at {sender}|{sender}: (order|your order) {order} (confirmed|received|is being packed)", "(Order|order no.|order number)(:| |) {order}|(your|the) order number is {order}|{order}|", "{item} {price}|1 x {item}, {price}|(you bought|item|article|product)(:|) {item}|{items}|", "(Total|order total|amount|grand total)(:|) {total}|you paid {total}|{total}", "(delivery|arrives|expected|estimated arrival|ships)(:| by| on|) {date}|(shipping|sent|delivered) (with|by|via) {carrier}|(tracking|parcel no.)(:|) {tracking}|", "(ship to|deliver to|address)(:|) {street}, {city}|(for|customer)(:|) {name}|"],
    "delivery chat": ["(your|the|a) (parcel|package|delivery|box) (from|of) {sender} (is here|came|arrived|will come {date}|comes {date})|{carrier} (will bring|is bringing|brings) (the |my |our |your |){item} {date}|(I ordered|we ordered|just ordered|bought) (a |the |){item} (at|from) {sender}|(can you|could you) take in a parcel from {sender}", "(they say|it should come|arriving|between) {start} (to|and|until) {end}|(it comes|should be here) {date}|(it's|comes) with {carrier}|(the number is|tracking|number:) {tracking}|", "(it cost|I paid|was) {price}|(please |)(pick it up|get it) (at|from) {pickup}|(code|pin) (is |){pin}|(they left it|it's) (at|with) {pickup}|"],
    "rental car": ["(Your rental|car hire|reservation|booking)(:|) {item} (from|at|with) {company}|{company}: (reservation|booking) {ref}|(pick up|collect) (the car|your car) (at|in) {pickup}|{company}", "(pick-up|from|collect)(:|) {checkin}|{checkin} - {checkout}|(from|pick-up) {checkin} at {time}|(return|until|back by)(:|) {checkout}", "(at|place|desk)(:|) {pickup}|{city}|in {city}|", "(driver|name|customer)(:|) {name}|(plate|car|registration)(:|) {plate}|", "(total|price|rate)(:|) {total}|(deposit)(:|) {deposit}|", "(ref|booking no.|confirmation)(:|) {ref}|"],
    "trip in a chat": ["(I'm|we're|I am|we are) (taking|on|catching) (the |){train} (from {from} |)to {to}|(my|our|the) (train|bus|flight|ferry) (from {from} |)(leaves|goes|departs) at {departs}|(I|we) (booked|got) (tickets|seats) from {from} to {to}|(off to|going to|visiting) {to} {date}|{from} to {to} {date}", "(leaves|leaving|departing|departs) (at |){departs}|(arrive|arriving|get in|I'm there|landing) (at |){arrives}|(leaves|departs) {departs} and (arrives|gets in) {arrives}|(on |){date}|", "(from |on |)platform {platform}|(we sit in|I'm in) coach {coach}, seat {seat}|seat {seat}|(it was|cost me|paid) {price}|(booking|ref|code) (is |){ref}|", "(can you pick me up|see you there|don't wait for me|call me on {phone})|"],
    "match ticket": ["{home} (v|vs|against|-) {away}|(match|game|fixture)(:|) {home} - {away}|(I|we) got tickets for {home} against {away}", "{date}, {time}|(kick-off|starts|start)(:| at|) {time}|{date}|(on |){date} at {time}", "(at|in|,) {stadium}|{stadium}|", "(block|gate|entrance) {gate}|row {row}, seat {seat_no}|(seats|places) {seats}|gate {gate}, row {row}, seat {seat_no}", "(price|paid|each)(:|) {price}|(holder|name)(:|) {name}|(ticket no.|order|ref)(:|) {ref}|"],
    "household list": ["(for|this is for) {title}(:|)|(shopping list|to get|we're out of|need|get|list|from {shop})(:|) {items}|(don't forget|remember|and also|plus)(:|) {items}|{items}|(I'm at {shop}, do we need|going to {shop} for) {items}", "(by|for|until) {due}|(we need it|needed) {date}|{first} (is coming|pays|will cook)|", "(max|budget|don't spend more than|limit)(:|) {total}|(at|from|best at|only from) {shop}|", "(thanks|ta|love you|call if unsure|ok)|"],
    "support ticket": ["(Ticket|case|your request|support case)(:| |) {ref} (was opened|is open|received|closed)|(Dear|hello) {name}, we (have |)received your request {ref}|{company} support: {ref}|case {ref}", "(subject|problem|about|issue)(:|) {subject}|{subject}|", "(we answer|reply|expected) (by|until) {due}|(opened|created)(:| on|) {date}|", "(agent|your contact|handled by)(:|) {name}|(call|phone|hotline)(:|) {phone}|{website}|{email}|"],
    "note": ["{first} (called|rang|was here|came by) (at {time}|) (about|for|with|because of) {item}|(call|ring) {first} (back |)(on|at) {phone}|{first} (wants|needs|left|brought) {item}|{item} for {first}|(from|for)(:|) {first}", "(call|number|reach)(:|) {phone}|(on|by|before) {date}|(at|before|after) {time}|it costs {price}|{place}", "(in|at) {place}|{city}|{text}|"],
}
JOINTS = {". ": 46, "\n": 26, ", ": 10, " / ": 3, " | ": 3, " - ": 4, "; ": 2, "  ": 3, " · ": 0.5,  " ": 4, "\n\n": 2}


def _alternatives(text):
    """Splits at bars outside of parentheses."""
    out, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c == "|" and not depth:
            out.append(text[start:i])
            start = i + 1
    return out + [text[start:]]


def _lexicon(name, part):
    """The ways to say a part, split, and how often it is left out."""
    ways = _alternatives(part)
    said = [way for way in ways if way]
    left_out = 1 - len(said) / len(ways)
    if len(said) <= 2:  # what the first of their choices makes of them
        more = []
        for way in said:
            depths = list(itertools.accumulate((c == "(") - (c == ")") for c in way))
            if way[0] == "(" and 0 not in depths[:-1]:
                more += [choice for choice in _alternatives(way[1:-1]) if choice]
                continue
            head, bar, rest = way.partition(")")
            open_ = head.rfind("(")
            more += [(head[:open_] + choice + rest).strip() for choice in head[open_ + 1:].split("|")] if bar else [way]
        said = list(dict.fromkeys(more))
    return Lexicon(f"extraction messages, {name}", said, len(said) > 1), left_out


PARTS = {name: [_lexicon(f"{name} {i}", part) for i, part in enumerate(parts)] for name, parts in PARTS.items()}
NAMES = list(PARTS)
for _parts in PARTS.values():
    for _slot in {slot for part, _ in _parts for text in part.parts["train"] + part.parts["test"] for slot in SLOT.findall(text)}:
        assert _slot in SLOTS or _slot.startswith("x_"), _slot


def _clock_pair(choose, made):
    """A start and an end, of which the second is later."""
    if "start" in made and "end" in made and made["start"][1] > made["end"][1]:
        made["start"], made["end"] = made["end"], made["start"]
    if "departs" in made and "arrives" in made and made["departs"][1] > made["arrives"][1]:
        made["departs"], made["arrives"] = made["arrives"], made["departs"]


def make(choose, now):
    rng = choose.rng
    kind = rng.choice(NAMES)
    texts, slots = [], {}
    for i, (part, left_out) in enumerate(PARTS[kind]):
        if rng.random() < (max(left_out, 0.12) if i else left_out):
            continue
        text = choose.fill(choose.of(part)).strip().lstrip(",:")
        if not text or all(slot in slots for slot in SLOT.findall(text)) and "{" in text:  # said already
            continue
        if any(slot in slots for slot in SLOT.findall(text)):  # in part said already
            text = next((t for t in (choose.fill(choose.of(part)).strip() for _ in range(4)) if t and not any(slot in slots for slot in SLOT.findall(t))), "")
            if not text:
                continue
        for slot in SLOT.findall(text):
            if not slot.startswith("x_"):
                slots[slot] = None
        texts.append(text)
    if not slots:
        return make(choose, now)
    made = {slot: SLOTS[slot][2](choose, now) for slot in slots}
    _clock_pair(choose, made)
    lower = choose.chance(0.18)
    if lower and choose.chance(0.4):  # names as lazy people write them
        for slot, (said, value) in made.items():
            if said is value and value.isascii() and not any(c.isdigit() for c in value) and choose.chance(0.6):
                made[slot] = said.lower(), value.lower()
    joint = rng.choices(list(JOINTS), list(JOINTS.values()))[0]
    if lower and choose.chance(0.5) and "date" in made and not any(c.isdigit() for c in made["date"][0]):
        made["date"] = made["date"][0].lower(), made["date"][1]
    if choose.chance(0.12):
        rng.shuffle(texts)
    for _ in range(rng.randint(3, 8) if choose.chance(0.06) else choose.chance(0.3)):
        texts.insert(rng.randint(0, len(texts)), noise.sentence(choose).rstrip("."))
    if choose.chance(0.12):
        texts.insert(0, noise.greeting(choose))
    if choose.chance(0.12):
        texts.append(noise.closing(choose))
    pieces = []
    for text in texts:
        if len(text) > 25:
            text = words.disturbed(choose, text, 0.06, True)
        if lower:
            text = "".join(part if part.startswith("{") else part.lower() for part in re.split(r"(\{\w+\})", text))
        elif "{" not in text and choose.chance(0.1):
            text = text.upper()
        said = {}
        for slot in SLOT.findall(text):
            said[slot] = made[slot][0] if slot in made else values.date(choose, now)[1] if slot == "x_date" else grammar.DISTRACTORS[slot[2:]](choose)
        if made.get("date", ("",))[0].startswith(RELATIVE):
            text = text.replace("on {date}", "{date}").replace("by {date}", "{date}")
        first = text[:1] != "{"
        text = text.format(**said)
        if joint in (". ", "\n", "\n\n") and not lower and first:
            text = text[:1].upper() + text[1:]
        pieces.append(text)
    out = ""
    for piece in pieces:
        if not out:
            out = piece
        elif out[-1] in ".!?:,":
            out += ("\n" if "\n" in joint else " ") + piece
        elif choose.chance(0.08):
            out += rng.choice((", ", "\n", " - ", ". ")) + piece
        else:
            out += joint + piece
    if joint == ". " and out[-1].isalnum() and choose.chance(0.7):
        out += "."
    names_used, properties = set(), {}
    all_asked = choose.chance(0.6)
    asked = [slot for slot in slots if all_asked or choose.chance(0.75)] or list(slots)[:1]
    if choose.chance(0.25):
        others = {slot for part, _ in PARTS[kind] for text in part.parts[choose.side] for slot in SLOT.findall(text) if not slot.startswith("x_")} - set(slots)
        said_types = {SLOTS[slot][2] for slot in slots}
        others = sorted(slot for slot in others if SLOTS[slot][2] not in said_types)
        asked += rng.sample(others, min(len(others), rng.randint(1, 2)))
    if choose.chance(0.35):
        rng.shuffle(asked)
    for slot in asked[:9]:
        type_, names, _ = SLOTS[slot]
        names = names.split("|")
        name = names[0] if choose.chance(0.45) else rng.choice(names)
        if name in names_used:
            name = next((n for n in names if n not in names_used), None)
        if name is None or any(name in SLOTS[other][1].split("|")[:1] for other in slots if other != slot):  # what another slot is called first
            name = names[0]
        if name in names_used:
            continue
        names_used.add(name)
        properties[slot] = (name, type_, {"type": "string"} if type_ == "array" else None)
    got = {slot: made[slot][1] for slot in slots}
    name = {slot: properties[slot][0] for slot in properties}
    if name.get("street") == "address" and {"street", "city"} <= set(made) and not {"city", "postcode"} & set(properties):
        code, city = made.get("postcode", ("?",))[0], made["city"][0]
        got["street"] = values.whole(out, got["street"], f", {code} {city}", f", {city} {code}", f", {city}")
    for slot in ("place", "pickup", "clinic", "garage", "venue"):
        if slot in got and name.get(slot) in ("place", "location", "where", "venue", "address", "meeting point") and "street" in made and "street" not in properties:
            got[slot] = values.whole(out, got[slot], f", {made['street'][0]}")
    schema, answer = schemas.schema_of(choose, properties, got, list(properties)[:1], lambda slot: properties[slot][0] if properties[slot][0] not in grammar.HELD_LABELS or choose.side == "test" else "value")
    p = rng.random()
    if p < 0.45:
        ask = noise.FACTS
    elif p < 0.65:
        ask = words.disturbed(choose, choose.fill(choose.of(noise.ASKS)), 0.15, True)
    else:
        ask = choose.fill(choose.of(noise.FRAMES).replace("{}", kind))
        ask = ask[0].upper() + ask[1:]
    return schemas.message(choose, ask, schema, out), schema, answer
