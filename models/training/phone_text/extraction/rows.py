"""Several things of a kind: an array of objects, one for each row of a text. Rows stand on lines of their own, behind each other, in a table, or in prose as
people write them. A row may leave out what the schema does not require."""
import re

from .. import words
from ..split import Lexicon, alternatives, opened
from . import grammar, messages, noise, schemas
from .messages_slots import _int, _text

PACKS = "packs bottles bags boxes tins jars cans cartons kilos rolls bunches slices litres crates tubes sacks".split()


def _good(c):
    return c.of(words.THINGS) if c.side == "test" or c.chance(0.6) else words.odd_word(c).lower() + c.rng.choice(("s", "es", ""))


SLOTS = {**messages.SLOTS, "thing": ("string", "item|product|name|article|what|thing|good", _text(_good)), "pack": ("string", "unit|packaging|container|measure", _text(lambda c: c.rng.choice(PACKS))),
         "number": ("integer", "quantity|amount|count|number|how many|qty|pieces", _int(2, 24, 0.6))}
SLOTS["points"] = ("integer", "points|goals|score|scored|number of points", _int(0, 99, 0.1))
SLOTS["name"] = ("string", "name|full name|person|who|person name|contact name", messages.SLOTS["name"][2])
SLOTS["book"] = ("string", "book|title|book title|book name|novel", messages.SLOTS["book"][2])
SLOTS["first"] = ("string", "name|person|who|first name|friend", _text(words.first_name))
# What the rows are -> names of the array, how prose begins, and for each choice of slots the ways of prose to say a row. What stands in [] may be left out with its slots.
KINDS = {
    "contacts": ("contacts|people|persons|entries|members|phone book|address book", "These are my contacts:|You can reach|The numbers you wanted:|People to know:|Write down:|I noted", {
        "name phone": "{name} (on|at|under) {phone}|{name} has {phone}|{phone} is {name}|for {name} (dial|call|ring) {phone}|{name} (answers|picks up) at {phone}|(call|ring|dial|text) {name} on {phone}", "name email": "{name} (at|under|with the mail) {email}|{email} (is|belongs to|reaches) {name}|(mail|write to) {name} at {email}",
        "name job": "{name}, (a|our|the) {job}|{name} (works as|is|is employed as) a {job}|{name} as {job}|the {job} (is|is called) {name}|our {job} {name}", "name phone city": "{name} (in|from) {city} (on|at) {phone}|{name} from {city}, {phone}|{name} (lives|sits) in {city} and has {phone}",
        "name company": "{name} (of|from|at|with) {company}|{name} (works for|is with|sells for|represents) {company}|{company} sends {name}"}),
    "events": ("events|appointments|dates|entries|schedule|agenda|calendar", "Coming up:|In my calendar:|This is what is on:|We have|Do not forget|The plan:|Here is what happens:", {
        "title date": "the {title} on {date}|{title} (is|takes place|happens) on {date}|on {date} (the|there is|we have) {title}|{title}, {date}", "title date time": "the {title} on {date} at {time}|{title} (is|starts) on {date} at {time}|on {date} at {time} the {title}", "title place": "the {title} (in|at) {place}|{title} (is|takes place) at {place}|at {place} the {title}",
        "time subject": "at {time} {subject}|{subject} at {time}|from {time} {subject}|{subject} (begins|starts) at {time}", "title time end": "{title} from {time} to {end}|from {time} until {end} {title}"}),
    "purchases": ("items|products|purchases|positions|goods|articles|expenses|receipt", "Bought today:|I bought|We paid for|On the bill:|Yesterday I got|My shopping:|I spent money on|They had|Ordered:|In my basket:|Today's purchases:|You bought|Sold:", {
        "item price": "{item} for {price}|a {item} for {price}|(the|one|a) {item} at {price}|{price} for (the|a) {item}|(a|the) {item}, {price}|{item} (costs|cost|was|came to) {price}|{item} [at {price}]|(a|the) {item} which was {price}|{price} went on (a|the) {item}",
        "item price shop": "{item} for {price} (at|from) {shop}|a {item} from {shop} for {price}|at {shop} a {item} for {price}", "item colour": "a {item} in {colour}|the {item} (is|comes in) {colour}|the {colour} one is the {item}", "item number": "{number} times {item}|{item}, {number} of them|{number} x {item}|{item} ({number} pieces|times {number})"}),
    "groceries": ("items|groceries|shopping list|things|products|list|needs", "We are out of|We need|Please get|Can you bring|Shopping list:|Don't forget|I still need|To buy:|For the weekend|Missing:|Put on the list:|Could you pick up|We have no more", {
        "number pack thing": "{number} {pack} of {thing}|{thing}, {number} {pack}|{number} {pack} {thing}|{thing} ({number} {pack}|and that {number} {pack})|[{number} {pack} of] {thing}|{thing} [, {number} {pack}]|[{number} {pack} of] {thing} please", "number thing": "{number} {thing}|{number} x {thing}|{thing}, {number} (of them|pieces)|[{number}] {thing}|[{number}] {thing} please|{thing} times {number}"}),
    "trains": ("trips|connections|trains|legs|journeys|routes", "Your trips:|We go|The legs are|These trains run:|Departures:|First and then:", {
        "from to": "from {from} to {to}|{from} to {to}|(on|off) to {to} from {from}", "from to departs": "from {from} to {to} at {departs}|at {departs} from {from} to {to}|{from} (leaving|departing|off) at {departs} for {to}", "train departs": "the {train} at {departs}|{train} (leaves|goes|departs) at {departs}|at {departs} the {train}", "to platform": "to {to} from platform {platform}|platform {platform} for {to}|{to} (leaves from|is on) platform {platform}"}),
    "parcels": ("parcels|deliveries|shipments|orders|packages|consignments", "On the way:|We expect|There are|Your parcels:|Today the courier brought|Still missing:", {
        "tracking sender": "{tracking} from {sender}|a parcel from {sender} with number {tracking}|{tracking}, sent by {sender}|{sender} sent {tracking}", "tracking date": "{tracking} on {date}|{tracking} (arrives|comes|is due) on {date}|on {date} {tracking}", "carrier tracking": "{tracking} with {carrier}|{carrier} (has|brings|carries) {tracking}"}),
    "tasks": ("tasks|todos|jobs|duties|assignments|work|actions", "Who does what:|To do:|We agreed:|Still open:|The plan is this:|Please see to it:|Jobs for today:", {
        "first item": "{first} (brings|takes|gets|looks after|fetches|carries|has) the {item}|the {item} (is for|goes to|is with) {first}|{item} by {first}", "subject due": "{subject} (by|until|before) {due}|{subject} (is due|has to be done|must be ready) by {due}|by {due} {subject}", "first subject": "{first} (does|handles|prepares|takes on|is doing) {subject}|{subject} (is done by|falls to|is up to) {first}", "subject st_task": "{subject}: {st_task}|{subject} - {st_task}"}),
    "results": ("matches|results|games|scores|fixtures|table", "The results:|This weekend|Today's games:|They played|Final scores:|It ended like this:", {
        "home away": "{home} against {away}|{home} (plays|meets|hosts) {away}", "home goals away goals2": "{home} {goals} {away} {goals2}|{home} {goals}, {away} {goals2}|{home} (scored|got) {goals} and {away} {goals2}", "first points": "{first} (scored|has|got|made) {points}|{points} (for|by) {first}|{first} with {points}( points| goals|)|{points} points for {first}"}),
    "rooms": ("rooms|bookings|reservations|room list|guests", "The rooms:|Rooms for tonight:|They sleep here:|We booked|Reserved:", {
        "room name": "{room} (for|is for|goes to) {name}|{name} (in|gets|sleeps in|is in) {room}", "room time": "{room} (at|from|is free at) {time}|at {time} {room}", "name nights": "{name} (for|stays|stays for|books) {nights} nights|{nights} nights for {name}"}),
    "debts": ("debts|shares|payments|balances|loans", "Who owes what:|Still to pay:|We share the bill:|My notes:|Money:", {
        "first price": "{first} (owes|pays|gave|paid|put in|still owes) {price}|{price} from {first}|{first} with {price}", "first price item": "{first} paid {price} for the {item}|{price} for the {item} by {first}|the {item} was paid by {first}, {price}"}),
    "guests": ("guests|answers|replies|invited|rsvps", "The answers so far:|I asked around:|They wrote:", {"first st_coming": "{first}: {st_coming}|{first} says: {st_coming}|{first} - {st_coming}|{first} wrote: {st_coming}", "first people": "{first} (comes with|and) {people} people|{first}, {people} persons|{people} people with {first}"}),
    "medicines": ("medicines|drugs|prescriptions|medication|pills", "Please take|Your medicines:|The doctor wrote:|Every day", {"medicine dose": "{dose} of {medicine}|{medicine}, {dose}|{medicine} (at|in a dose of|with) {dose}", "medicine times_a_day": "{medicine} {times_a_day} times a day|{times_a_day} times daily {medicine}", "medicine dose days": "{dose} of {medicine} for {days} days|for {days} days {medicine}, {dose}"}),
    "shifts": ("shifts|roster|rota|workers|staff|duty roster", "The shifts:|Who works when:|Rota for tomorrow:|This is the plan:", {"first start end": "{first} from {start} to {end}|{first} (works|is here|is on) from {start} until {end}|from {start} to {end} {first}", "first date": "{first} on {date}|on {date} {first}|{date} is for {first}|{first} (takes|works on|has) {date}", "first room": "{first} in {room}|{room} with {first}|{room} is done by {first}"}),
    "lessons": ("lessons|classes|courses|timetable|subjects", "The timetable:|Tomorrow we have|Our courses:|Lessons:", {"subject room": "{subject} in {room}|in {room} {subject}|{room} has {subject}", "subject teacher": "{subject} with {teacher}|{teacher} (teaches|gives|takes) {subject}|{subject}, taught by {teacher}", "subject time room": "{subject} at {time} in {room}|at {time} {subject} in {room}"}),
    "seats": ("seats|places|seating|passengers|tickets", "The seats:|Who sits where:|Seating plan:|On board:", {"first seat": "{first} (on|sits on|in|has|takes|gets) {seat}|{seat} (is|for|goes to) {first}", "name seat": "{name} (on|sits on|has|was given) {seat}|{seat} for {name}", "first table_no": "{first} at table {table_no}|table {table_no} for {first}"}),
    "flights": ("flights|departures|planes|connections", "Departures:|Next flights:|Now boarding:|We fly", {"flight gate": "{flight} (from|at|leaves from) gate {gate}|gate {gate} for {flight}", "flight to": "{flight} to {to}|to {to} with {flight}|{flight} (goes|flies) to {to}", "flight to gate": "{flight} to {to} from gate {gate}|to {to} at gate {gate}, {flight}"}),
    "weather": ("places|cities|forecast|weather|reports", "The weather:|Tomorrow:|The outlook:", {"city sky": "{city} {sky}|{sky} in {city}|in {city} {sky}", "city degrees": "{degrees} degrees in {city}|{city} {degrees} degrees|in {city} {degrees} degrees|{city} with {degrees} degrees"}),
    "marks": ("marks|results|grades|students|pupils", "The results are in:|Marks:|Here are your grades:|Well done:", {"student mark": "{student} (got|has|with|received) {mark}|{mark} for {student}", "subject mark": "{mark} in {subject}|{subject} {mark}"}),
    "books": ("books|reading list|titles|library|loans", "I read|On my shelf:|Please return|We recommend|Books for the club:", {"book author": "{book} by {author}|{author} wrote {book}|{book}, (written by|by|from) {author}|{book} [by {author}]", "book due": "{book} (by|until|due) {due}|{book} has to be back by {due}", "book page": "{book} (up to|from|at) page {page}|page {page} of {book}"}),
    "bins": ("collections|bins|dates|pickups", "The bins:|Collection:|They fetch|Put out", {"waste date": "{waste} on {date}|on {date} {waste}|{waste} (goes out|is fetched|is collected) on {date}"}),
    "stock": ("stock|items|articles|inventory|products", "Counted today:|In the cellar:|Stock:|You asked about", {"item number": "{number} of (the |){item}|{item}, {number} left|{item} ({number}|times {number})|{number} x {item}", "item st_stock": "{item}: {st_stock}|{item} - {st_stock}", "item room": "{item} in {room}|in {room} {item}", "item serial": "{item} with {serial}|{serial} is {item}"}),
    "meters": ("meters|readings|meter readings|counters", "Read today:|The meters:|Readings:", {"utility meter": "{utility} (at|shows|stands at|reads) {meter}|{meter} for {utility}"}),
    "children": ("children|kids|pupils|class list", "The children:|Coming along:|Our kids:|In the group are", {"child age": "{child} (who is {age}|at {age}|aged {age}|turned {age}|will be {age})|{child}, {age}|{age} year old {child}|{child} [, {age}]", "child class": "{child} (in|from|of|goes to) {class}|{class} with {child}"}),
    "cars": ("cars|vehicles|fleet", "Our cars:|Parked here:|In the garage:", {"plate km": "{plate} with {km} km|{km} km on {plate}|{plate} has done {km} km", "plate name": "{plate} (belongs to|is driven by|of|for) {name}|{name} (drives|has) {plate}"}),
    "donations": ("donations|gifts|donors|collected", "We received|Donations:|Thanks to all:|So far", {"name price": "{name} (gave|with|donated|has given) {price}|{price} (from|by) {name}"}),
    "runs": ("runs|trainings|activities|workouts", "My week:|Running log:|I did", {"date distance": "{distance} on {date}|on {date} {distance}", "first distance": "{first} (ran|did|walked|managed) {distance}|{distance} by {first}", "distance minutes": "{distance} in {minutes} minutes|{minutes} minutes for {distance}"}),
    "menu": ("dishes|menu|meals|offers", "Today we serve|On the menu:|Lunch:|You can have", {"dish price": "{dish} for {price}|{price} for {dish}|{dish} (at|costs) {price}|{dish} [at {price}]", "dish servings": "{dish} for {servings}|{servings} times {dish}|{dish} (enough for|serves) {servings}"}),
    "delays": ("delays|lines|buses|disruptions", "Right now:|Delays:|Please note:", {"bus minutes": "{bus} is {minutes} minutes late|{minutes} minutes on line {bus}|line {bus} {minutes} minutes", "bus to": "line {bus} to {to}|to {to} with {bus}", "bus st_ride": "line {bus}: {st_ride}|{bus} - {st_ride}"}),
    "clothes": ("clothes|items|articles|order|returns", "I need|Ordered:|Lost in the laundry:|For the team:", {"item fit": "{item} in {fit}|size {fit} for the {item}|{item}, size {fit}", "item fit colour": "{item} in {fit}, {colour}|a {colour} {item} in {fit}|the {item} in {colour}, size {fit}"}),
    "invoices": ("invoices|bills|open items|payments", "Still open:|Please pay|These are due:|Bills:", {"invoice total": "{invoice} over {total}|{total} for {invoice}|{invoice} (comes to|is) {total}", "invoice due": "{invoice} by {due}|{invoice} (is due|payable) by {due}", "company total": "{total} to {company}|{company} gets {total}|{company} with {total}"}),
}
ROWS = Lexicon("extraction rows: forms", ["{0} {1}", "{0}: {1}", "{0} - {1}", "{0}, {1}", "{0} / {1}", "{0} = {1}", "{1} {0}", "{0} with {1}", "{0} and {1}", "{0} has {1}", "{0} -> {1}", "{0} | {1}", "{1}: {0}",
                                          "{0} is {1}", "{0} gets {1}", "{1} - {0}", "{0}; {1}", "{0} ({1})", "{0} .. {1}", "{0} [{1}]", "{1} | {0}", "{1}, {0}", "({1}) {0}", "{0}\t{1}", "{0} > {1}", "{0} => {1}", "{0} * {1}", "<{0}> {1}",
                                          "{0}, that is {1}", "{0} plus {1}", "{1} / {0}", "{1} = {0}"])
HEADS = Lexicon("extraction rows: heads", ["Here are the {}:", "{}:", "The {} so far", "List of {}", "We have these {}:", "All {}", "Our {}", "{}, new", "These are the {}.", "I noted the {}:", "You asked for the {}.", "See the {} below",
                                           "The {} of this week:", "{} to check", "As promised, the {}:", "{} (copied from the board)", "Could you type in the {}?", "New {}:", "The latest {}", "My {}:", "Attached are the {}.", "{} for you:", "Sorry for the late {}:",
                                           "Please find the {} here:", "{} as of today", "Updated {}", "Do you have the {}? Here:", "Today's {}:", "Table of {}", "{} in short:", "I counted the {}:", "This is about the {}."])
PROSE = {(kind, slots): Lexicon(f"extraction rows, {kind}: {slots}", [one for way in alternatives(ways) for one in opened(way)]) for kind, (_, _, rows) in KINDS.items() for slots, ways in rows.items()}
BEGINNINGS = {kind: Lexicon(f"extraction rows, {kind}: beginnings", [f"{beginning}{{}}" for beginning in beginnings.split("|")]) for kind, (_, beginnings, _) in KINDS.items()}
CLAUSE = re.compile(r"\b(is|has|was|costs?|came|went|dial|call|ring|text|mail|answers|picks|works|sits|lives|sends|sells|represents|reaches|belongs|takes|happens|starts|begins|leaves|goes|departs|sent|arrives|comes|brings|does|handles|plays|meets|hosts|scored|got|owes|pays|gave|paid|says|wrote|gets|stays|books|teaches|gives|shows|stands|reads|did|ran|drives|serves)\b")
_ALL = [(kind, slots) for kind, (_, _, rows) in KINDS.items() for slots in rows]


def _names(choose, kind, slots):
    """slot -> the name of its property, which could be none of the others and fits the kind."""
    names = {}
    for slot in slots:
        others = {name for other in slots if other != slot for name in SLOTS[other][1].split("|")}
        free = [name for name in SLOTS[slot][1].split("|") if name not in others and (kind in ("lessons", "marks") or name not in messages.ONLY)] or SLOTS[slot][1].split("|")[:1]
        names[slot] = free[0] if choose.chance(0.4) else choose.rng.choice(free)
    return names


def _said(choose, form, made):
    """The row in words, and the slots that it says. The brackets of a form with what stands in them are left out or not."""
    start = form.find("[")
    if start >= 0 and "]" in form and "{0}" not in form:
        end = form.index("]")
        form = form[:start] + (form[start + 1:end] if choose.chance(0.6) else "") + form[end + 1:]
    text = choose.fill(form)
    for slot in messages.SLOT.findall(text):
        if made[slot][0].startswith(messages.RELATIVE):
            text = text.replace("on {%s}" % slot, "{%s}" % slot).replace("by {%s}" % slot, "{%s}" % slot)
    said = messages.SLOT.findall(text)
    text = " ".join(text.format(**{slot: made[slot][0] for slot in said}).split()).replace(" ,", ",")
    return text, said


def _made(choose, now, slots):
    made = {slot: SLOTS[slot][2](choose, now) for slot in slots}
    messages._in_order(choose, now, made)
    return made


def make(choose, now):
    rng = choose.rng
    kind, row = rng.choice(_ALL)
    slots = row.split(" ")
    array_names = KINDS[kind][0]
    keys, spell = _names(choose, kind, slots), schemas.spelling(choose)
    keys = {slot: spell(name.split()) for slot, name in keys.items()}
    state = next((slot for slot in slots if slot in messages.VALUES), None)
    spell_state = rng.choice(messages.STATE_SPELLINGS)
    style = rng.choices(("lines", "one line", "prose", "sentences", "table"), (26, 14, 40, 14, 6))[0]
    if state or "pack" in slots:  # said in words only
        style = "lines" if style == "table" else style
    own = style in ("prose", "sentences") or state or "pack" in slots or choose.chance(0.3)
    form = None
    if not own:
        form = choose.of(ROWS) if len(slots) == 2 else rng.choice((", ", " - ", ": ", " | ", "; ", " / ")).join("{%d}" % i for i in range(len(slots)))
        form = form.format(*("{%s}" % slot for slot in slots)).replace("(", "\x01").replace(")", "\x02")
    elif choose.chance(0.6):
        form = choose.of(PROSE[kind, row])
    said, value, seen, partial = [], [], set(), False
    n, bare = rng.choice((1, 2, 2, 2, 3, 3, 4, 5)), "price" in slots and choose.chance(0.25)
    for i in range(n):
        made = _made(choose, now, slots)
        if bare and i < n - 1:  # 39.90 and 15 euros
            made["price"] = re.sub(r"[^\d.,]", "", made["price"][0]), made["price"][1]
        if any(made[slot][0] in seen for slot in slots if slot not in ("pack", "number", "price") and not slot.startswith("st_")) and choose.chance(0.9):
            continue
        one = form or choose.of(PROSE[kind, row])
        if own:
            text, told = _said(choose, one, made)
        else:
            text, told = one.format(**{slot: made[slot][0] for slot in slots}).replace("\x01", "(").replace("\x02", ")"), slots
        seen.update(made[slot][0] for slot in told)
        partial |= len(told) < len(slots)
        said.append(text)
        value.append({keys[slot]: spell_state(made[slot][1]) if slot == state else made[slot][1] for slot in slots if slot in told})
    head = None
    if style == "table":
        bar = rng.choice((" | ", "; ", "\t", ";"))
        labels = [keys[slot] if choose.chance(0.3) else name for slot, name in _names(choose, kind, slots).items() if choose.side == "test" or name not in grammar.HELD_LABELS]
        said = [bar.join(str(v) if not isinstance(v, str) else v for v in row_.values()) for row_ in value]
        if len(labels) == len(slots):
            said.insert(0, bar.join(labels))
        text = "\n".join(said)
    elif style == "lines":
        bullet = rng.choice(("", "", "- ", "* ", "• ", "> ", "#"))
        text = "\n".join((f"{i}. " if bullet == "#" else bullet) + line for i, line in enumerate(said, 1))
    elif style == "one line":
        text = rng.choice(("; ", ". ", " / ", ", then ", "; also ", " + ", " // ", ", and ")).join(said)
    elif style == "sentences":
        text = " ".join(line[0].upper() + line[1:] + "." if not any(line.startswith(v) for v in _texts(value)) else line + "." for line in said)
    else:
        joint = rng.choice((", ", ", ", ", ", "; ", " and "))
        text = said[0] if len(said) == 1 else joint.join(said[:-1]) + rng.choice((" and ", ", and ", " and also ", ", plus ", " as well as ", ", then ", joint)) + said[-1]
    if style in ("prose", "sentences", "one line") and choose.chance(0.75):
        head = choose.of(BEGINNINGS[kind])[:-2]  # without the slot for the rows
        if head[-1] not in ":." and (style != "prose" or CLAUSE.search(form or " is ")):
            head += ":"
        text = f"{head} {text}"
        if style != "lines" and text[-1].isalnum() and choose.chance(0.6):
            text += rng.choice((".", ".", "!", ", thanks", ", please"))
    elif choose.chance(0.6):
        head = choose.fill(choose.of(HEADS).replace("(", "").replace(")", "")).format(kind)
        if head[-1] not in ":.?" and style not in ("table", "lines") and choose.chance(0.5):
            head += ":"
        text = head[0].upper() + head[1:] + (rng.choice(("\n", " ")) if style not in ("table", "lines") and head[-1] in ":.?" else "\n") + text
    if style != "table" and choose.chance(0.12) and not state:
        lowered = text.lower()
        strings = [v for row_ in value for v in row_.values() if isinstance(v, str) and v in text]
        if all(v.isascii() for v in strings):  # as lazy people write
            text = lowered
            value = [{key: v.lower() if isinstance(v, str) and v in strings else v for key, v in row_.items()} for row_ in value]
    if choose.chance(0.35):
        text = noise.sentence(choose) + ("\n" if style in ("lines", "table") and not head else rng.choice(("\n", " "))) + text if choose.chance(0.5) else text.rstrip(".") + rng.choice(("\n", ". ")) + noise.sentence(choose)
    properties = {}
    for slot in slots:
        properties[keys[slot]] = {"type": "string" if slot == state else SLOTS[slot][0]}
        if slot == state:
            properties[keys[slot]]["enum"] = [spell_state(v) for v in messages.VALUES[slot]]
        elif choose.side == "test" or messages.DESCRIBED.get(slot):
            if choose.chance(0.08) and slot in messages.DESCRIBED:
                properties[keys[slot]]["description"] = rng.choice(messages.DESCRIBED[slot].split("|"))
    if choose.chance(0.25):
        order = list(properties)
        rng.shuffle(order)
        properties = {key: properties[key] for key in order}
    value = [{key: row_[key] for key in properties if key in row_} for row_ in value]
    item = {"type": "object", "properties": properties}
    if choose.chance(0.6):
        item["required"] = [key for key in properties if all(key in row_ for row_ in value)] if partial else list(properties)
    name = spell(rng.choice(array_names.split("|")).split())
    schema = {"type": "object", "properties": {name: {"type": "array", "items": item}}}
    if choose.chance(0.7):
        schema["required"] = [name]
    ask = noise.FACTS if choose.chance(0.4) else choose.fill(choose.of(noise.ASKS))
    return schemas.message(choose, ask, schema, text), schema, {name: value}


def _texts(value):
    return [v for row in value for v in row.values() if isinstance(v, str)]
