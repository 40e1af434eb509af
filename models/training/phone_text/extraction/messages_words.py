"""More of what messages say and how: further slots, further names of properties, labels and ways to say a slot in any kind of message, and states that are said in
other words than the schema's."""
from .. import words
from ..split import Lexicon, alternatives, opened
from . import values
from .messages_slots import CAPITALS, CODE, FIRST, NAME, SLOTS, _due, _int, _letters, _named, _phrase, _price, _station, _text, _thing

LANGUAGES = "English French German Italian Spanish Dutch Polish Danish Swedish Turkish Arabic Greek Czech Finnish Portuguese Japanese Korean Hindi".split()


def _past(c, now):
    _, said, value = values.past_date(c, 1940, 29000)
    return said, value


def _someone_near(c):
    p = c.rng.random()
    return f"{c.rng.choice(('Mr', 'Mrs', 'Ms', 'Dr'))} {values.surname(c)}" if p < 0.35 else words.first_name(c) if p < 0.7 else values.person(c)


def _limit(c, now):
    n = c.rng.randrange(3, 14) * 10
    return str(n), n


def _measure(least, most, places, *units):
    """A number with a unit, of which the JSON has the number."""
    def make(c, now):
        n = round(c.rng.uniform(least, most), places) if places and c.chance(0.6) else c.rng.randint(int(least) + 1, int(most))
        return f"{n}{c.rng.choice(units)}", n
    return make


SLOTS.update({
    "neighbour": ("string", "neighbour|neighbor|left with|taken by|handed to|accepted by|recipient", _text(_someone_near)), "signed": ("string", "signed by|signature|signee|received by|signatory|signed", _text(_someone_near)),
    "purpose": ("string", "purpose|payment purpose|usage|use|what for|intended for", _text(_phrase)), "payee": ("string", "payee|recipient|paid to|beneficiary|to whom", _text(lambda c: values.person(c) if c.chance(0.5) else values.company(c))),
    "payer": ("string", "payer|paid by|from|debtor|sender", NAME), "caller": ("string", "caller|who|who called|called by|name of caller", FIRST), "topic": ("string", "topic|about|regarding|matter|subject|concerning", _text(_phrase)),
    "weight": ("number", "weight|weight kg|kilos|kg", _measure(0.4, 30, 1, " kg", "kg", " kilos", " kilograms")), "qty": ("integer", "quantity|count|pieces|how many|qty|number of pieces", _int(2, 60, 0.3)),
    "fit": ("string", "size|clothing size|fit", _text(lambda c: c.rng.choice(("XS", "S", "M", "L", "XL", "XXL", str(c.rng.randint(34, 48)))))), "brand": ("string", "brand|make|manufacturer|maker", _text(words.made_up_name)),
    "model": ("string", "model|model number|type", _text(lambda c: f"{c.rng.choice(CAPITALS)}{c.rng.choice(CAPITALS)}{c.rng.choice(('-', ' ', ''))}{c.rng.randint(10, 9000)}")), "serial": ("string", "serial number|serial|serial no|sn", CODE),
    "months": ("integer", "warranty months|months|warranty|guarantee months", _int(3, 60, 0.1)), "speed": ("integer", "speed|measured speed|speed kmh|kmh|driven speed", _int(31, 180, 0)),
    "limit": ("integer", "limit|speed limit|allowed|allowed speed|max speed", _limit), "fine": ("number", "fine|penalty|fine amount|to pay", _price(400)),
    "queue": ("string", "ticket number|queue number|your number|ticket|waiting number", _letters(1, 3)), "counter": ("integer", "counter|desk|counter number|window", _int(1, 30, 0.1)),
    "distance": ("number", "distance|distance km|km|kilometres|length", _measure(1, 60, 1, " km", "km", " kilometres", " k")), "pulse": ("integer", "pulse|heart rate|bpm|beats per minute", _int(45, 180, 0)),
    "pressure": ("string", "blood pressure|pressure|bp", _text(lambda c: f"{c.rng.randint(95, 185)}/{c.rng.randint(55, 110)}")), "fever": ("number", "temperature|body temperature|fever|degrees", _measure(36, 41, 1, " degrees", "°C", "°", " C")),
    "table_no": ("integer", "table|table number|table no", _int(1, 60, 0.1)), "driver": ("string", "driver|driver name|chauffeur|name of driver", FIRST), "car": ("string", "car|vehicle|car model|car type", _text(lambda c: f"{c.of(words.COLOURS)} {words.made_up_name(c)}")),
    "page": ("integer", "page|page number|page no", _int(1, 400, 0)), "stars": ("integer", "stars|rating|star rating|points", _int(1, 5, 0.4)), "member": ("string", "member number|membership number|member id|card number", CODE),
    "language": ("string", "language|language spoken|taught in|spoken language", _text(lambda c: c.rng.choice(LANGUAGES))), "old_company": ("string", "former employer|previous company|old company|last employer|former company", _text(values.company)),
    "bus": ("string", "bus|line|bus line|route|bus number|line number", _text(lambda c: f"{c.rng.choice(('', '', 'M', 'N', 'X', 'S'))}{c.rng.randint(1, 299)}")), "stop": ("string", "stop|stop name|halt", _text(lambda c: c.of(words.STREETS) if c.chance(0.4) else _station(c))),
    "yes_votes": ("integer", "votes for|in favour|yes votes|yes|ayes", _int(0, 60, 0.1)), "no_votes": ("integer", "votes against|against|no votes|no|noes", _int(0, 60, 0.1)), "born": ("string", "date of birth|born|birth date|dob|birthday", _past),
    "passport": ("string", "passport number|passport|document number|passport no|id number", CODE), "charity": ("string", "charity|organisation|cause|donated to|recipient", _text(values.company)), "hours": ("integer", "hours|hours worked|working hours|number of hours", _int(1, 60, 0.1)),
    "rate": ("number", "hourly rate|rate|hourly wage|pay per hour", _price(120)), "height": ("integer", "height|height cm|how high", _measure(20, 250, 0, " cm", "cm", " centimetres")), "width": ("integer", "width|width cm|how wide", _measure(20, 250, 0, " cm", "cm", " centimetres")),
    "depth": ("integer", "depth|depth cm|how deep", _measure(20, 120, 0, " cm", "cm", " centimetres")), "litres": ("number", "litres|volume|fuel|fuel litres|liters", _measure(5, 80, 2, " litres", " l", "l", " L")), "per_litre": ("number", "price per litre|per litre|unit price|litre price", _price(3)),
    "mark": ("string", "grade|mark|result|exam result", _text(lambda c: c.rng.choice(("A", "B", "C", "A-", "B+", "C+", f"{c.rng.randint(1, 5)}.{c.rng.choice('037')}", f"{c.rng.randint(40, 100)}%")))), "student": ("string", "student|pupil|candidate|learner|student name", NAME),
    "prize": ("string", "prize|won|award|what was won|gift", _text(_thing)), "winner": ("string", "winner|won by|who won|winner name", NAME), "baby": ("string", "baby|name|child|baby name|daughter or son", _text(words.first_name)), "length": ("integer", "length|length cm|how long", _measure(40, 60, 0, " cm", "cm")),
    "bride": ("string", "bride|wife|future wife", _text(lambda c: c.of(words.NAMES_SHE))), "groom": ("string", "groom|husband|future husband", _text(lambda c: c.of(words.NAMES_HE))), "kwh": ("number", "energy|kwh|charged|energy kwh|power", _measure(3, 90, 1, " kWh", "kWh", " kilowatt hours")),
    "starter": ("string", "starter|first course|appetiser", _text(_phrase)), "main": ("string", "main course|main|main dish", _text(_phrase)), "dessert": ("string", "dessert|sweet|afters", _text(_phrase)), "waste": ("string", "waste|bin|kind of waste|collection|type of waste", _text(lambda c: c.rng.choice(("paper", "glass", "plastic", "organic waste", "garden waste", "bulky waste", "scrap metal", "household waste")))),
    "lender": ("string", "lender|lent by|owner|creditor", _text(words.first_name)), "borrower": ("string", "borrower|borrowed by|debtor|who borrowed", _text(words.first_name)), "deputy": ("string", "deputy|stand in|substitute|replacement|represented by", NAME),
    "key_no": ("string", "key|key number|key no|tag", _letters(1, 3)), "trail": ("string", "trail|hike|route|path|tour", _named(("Trail", "Loop", "Path", "Ridge Walk", "Circuit"))), "ascent": ("integer", "ascent|climb|elevation|elevation gain|metres of ascent", _measure(80, 1900, 0, " m", "m", " metres")),
    "plant": ("string", "plant|species|plant name", _text(lambda c: f"{c.rng.choice(('rubber', 'spider', 'snake', 'money', 'umbrella', 'jade', 'prayer', 'lemon', 'coffee', 'fig'))} {c.rng.choice(('plant', 'tree'))}")), "every": ("integer", "every days|interval|interval days|days between", _int(2, 30, 0.3)),
    "seats_free": ("integer", "free seats|seats|spare seats|seats left|places", _int(1, 7, 0.5)), "chairs": ("integer", "chairs|seats|number of chairs", _int(2, 80, 0.4)), "dob_place": ("string", "place of birth|birthplace|born in", _text(values.town)), "nation": ("string", "nationality|citizenship|citizen of", _text(lambda c: c.rng.choice(LANGUAGES[:15]))),
    "site": ("string", "site|account|service|login|app", _text(lambda c: words.made_up_name(c) if c.chance(0.6) else values.shop(c))), "unit": ("string", "unit|floor and door|flat|apartment|door", _text(lambda c: f"{c.rng.choice(('flat', 'apartment', 'unit', 'door'))} {c.rng.randint(1, 60)}{c.rng.choice(('', '', 'A', 'B'))}")),
    "fault": ("string", "problem|fault|issue|damage|defect|what is wrong", _text(_phrase)), "refund": ("number", "refund|refund amount|money back|refunded", _price(300)), "appliance": ("string", "appliance|device|machine|what is broken", _text(_thing)),
    "starts": ("string", "start|start date|first day|from|beginning", _due), "ends": ("string", "end|end date|last day|until", _due),
})
DROP = {"adults": "passengers", "date": "on", "time": "at|start", "due": "by", "end": "to", "phone": "call", "email": "contact", "seat": "place", "name": "for", "title": "name", "network": "name", "medicine": "name", "child": "name", "pet": "name", "away": "guests",
        "start": "from", "goals": "score|points", "item": "content", "guests": "with", "guest": "with", "host": "from", "teacher": "with|coach", "meter": "value", "text": "text", "size": "area", "breed": "kind", "class": "form", "train": "coach number", "doctor": "with|name|therapist"}
MORE = {
    "date": "date of event|scheduled for|takes place on|calendar date|event date|the day", "date2": "last date|end day|through", "due": "payable until|no later than|latest date|final date|cut off date|expiry|expiry date|closing date|due by",
    "time": "time of day|clock time|begin time|at what time|what time|scheduled time|o clock", "start": "starting time|begin|opening time|time from|start hour", "end": "finish|finish time|closing time|time to|end hour|finishes|closes at", "doors": "door time|doors at|entry from",
    "boarding": "boarding from|be there by|check in time", "departs": "departing|departure at|leaving|leaving time|goes at|dep time", "arrives": "arriving|arrival at|arr time|gets in|eta|landing time", "doctor": "physician|consultant|seen by|doctor name", "clinic": "clinic name|medical practice|health centre",
    "from": "from city|start station|starting point|leaving from|departure place|from where", "to": "to city|end station|final stop|heading to|arrival place|to where", "flight": "flight code|flight id", "train": "train no|train id|train code", "gate": "gate no|boarding gate", "platform": "platform number|track number",
    "coach": "carriage number|car number|wagon number", "seat": "seat no|assigned seat|reserved seat", "seats": "seat list|reserved seats|our seats", "row": "row letter|seat row letter", "seat_no": "seat no", "screen": "screen number|cinema hall", "film": "film title|movie title|motion picture", "show": "show name|show title|play title",
    "band": "band name|musicians|headliner", "cinema": "cinema name|movie theatre", "venue": "venue name|event location|hall name", "adults": "adult count|grown ups", "children": "child count|minors", "people": "headcount|group size|number of people|diners|pax", "tickets": "ticket count|how many tickets|number of seats",
    "ref": "reference number|reference code|booking id|confirmation code|confirmation number|reservation number|booking no", "name": "who|full name|person name|name of person|contact name|customer name|holder", "first": "person name|contact person|who is it", "phone": "tel|telephone number|cell|cell phone|mobile number|phone no|phone contact",
    "email": "e mail|mail address|email contact|electronic mail", "website": "web address|homepage|site url|webpage|web site|internet address", "company": "company name|organization|corporation|enterprise|employer name", "job": "occupation|job position|work|job role|function",
    "plate": "license plate|car plate|vehicle registration|reg number|plate number|car number", "garage": "garage name|repair shop|service centre", "km": "kilometers|odometer reading|distance driven", "order": "order ref|order reference|purchase number|order code", "tracking": "tracking code|tracking id|consignment|consignment number|parcel id|shipment number",
    "carrier": "carrier name|shipper|courier company|parcel service|shipping company", "sender": "sent by|shipped by|retailer|vendor", "shop": "shop name|store name|vendor|retailer|bought at|business name", "locker": "locker no|compartment number|box number", "pin": "pin code|opening code|collection code|passcode|security code",
    "pickup": "pickup place|collection point|pickup location|pick up at|collect at", "item": "item name|article name|goods|product name|the thing", "items": "item list|products list|articles|things needed|to buy", "price": "price paid|sum|price amount|costs|how much", "price2": "previous price|was price|full price|price before",
    "total": "grand total|total price|total cost|sum total|overall price|final amount", "invoice": "invoice id|bill number|invoice code", "account": "client id|customer id|customer no|account no", "iban": "iban number|account iban|bank details", "restaurant": "restaurant name|eatery|place to eat", "child": "child name|birthday kid|name of child",
    "age": "age in years|how old|age years", "host": "hosted by|host name|organizer|invites", "guests": "guest list|guest names|attending|who comes|invitees", "guest": "guest name|plus one|other guest", "title": "event name|event title|what is on|name of event|topic|headline", "place": "meeting place|venue name|the place|spot|location name",
    "room": "room name|room number|which room", "street": "street address|street and number|road and number|address line|street line", "city": "town name|city name|municipality|locality", "postcode": "postal|post code|zipcode", "reason": "explanation|grounds|why is that|root cause", "utility": "utility service|supply|which service",
    "hotel": "hotel name|lodging|place to stay|guest house", "nights": "length of stay|night count|stay nights", "checkin": "checkin|arriving|arrival day|first night|check in date", "checkout": "checkout|leaving|departure day|check out date", "class": "school class|class name|year group", "teacher": "teacher name|trainer|lecturer|course leader",
    "subject": "subject name|course name|what is taught|theme", "weeks": "week count|duration weeks|how many weeks", "minutes": "duration minutes|mins|minutes long|minute count", "percent": "discount percent|percentage|percent off|rebate", "salary": "monthly salary|income|gross pay|monthly wage", "rent": "rent amount|rent per month|monthly cost",
    "deposit": "deposit amount|bond|caution money", "rooms": "room count|rooms count|how many rooms", "size": "living area|floor area|size sqm|square meters|m2", "floor": "floor number|which floor", "pet": "animal|name of pet|pet called", "breed": "type of animal|breed of pet", "book": "book name|novel|title of book",
    "author": "author name|book author|novelist", "library": "library name|library branch", "home": "home side|home club", "away": "away side|visitors|visiting team", "goals": "goals home|home score|home points", "goals2": "goals away|away score|away points", "stadium": "stadium name|football ground",
    "degrees": "temp|temperature celsius|daytime temperature|degrees celsius", "low": "lowest temperature|minimum|overnight low", "sky": "weather condition|weather conditions|outlook", "medicine": "medicine name|drug name|remedy|preparation|pill", "dose": "dose size|amount to take|single dose", "times_a_day": "doses per day|daily doses|how often",
    "days": "day count|for days|how many days", "dish": "dish name|recipe name|what to cook", "servings": "serving count|number of servings|for how many", "network": "wifi name|network name|wlan", "password": "wifi password|passphrase|wifi key|network key", "zone": "zone code|parking area|zone number", "card": "card digits|last four digits|card ends in",
    "balance": "new balance|remaining balance|money left|available balance", "plan": "plan name|contract|tariff name|product name", "colour": "which colour|colour name|color name", "reward": "reward amount|finders reward", "ext": "extension number|phone extension", "assistant": "assistant name|secretary name", "family": "family name|last name|surname of family",
    "version": "version no|app version|software version", "app": "app name|program name|software name", "text": "remarks|notes|annotation|special wish|note text", "meter": "meter value|counter reading|meter count", "team": "team name|group name|club name",
}
for _slot, _more in MORE.items():
    _type, _names, _make = SLOTS[_slot]
    _dropped = DROP.get(_slot, "").split("|")
    SLOTS[_slot] = (_type, "|".join(dict.fromkeys(n for n in f"{_names}|{_more}".split("|") if n not in _dropped)), _make)
# Slots that one cannot tell apart by their values: a property of one of them that is not said is asked for only where none of its group is.
GROUPS = ("place venue clinic pickup restaurant hotel cinema library garage stadium city street street_only room from to stop dob_place shop company sender carrier charity site old_company unit",
          "name first host guest guests doctor teacher child pet baby driver caller neighbour signed payee payer student winner bride groom lender borrower deputy assistant family author",
          "price price2 total rent deposit balance reward fine refund rate per_litre salary", "date date2 due checkin checkout starts ends born", "time start end doors boarding departs arrives",
          "ref order tracking invoice account pin serial member passport plate flight train card iban queue key_no ext model", "item title subject topic purpose text reason fault dish appliance book film show prize starter main dessert",
          "people adults children tickets qty servings chairs seats_free rooms nights days weeks hours", "degrees low fever", "minutes months every", "weight litres kwh", "distance km ascent length height width depth")
GROUP_OF = {slot: i for i, group in enumerate(GROUPS) for slot in group.split()}

# ---- labels and ways of a slot in any kind of message ----------------------------------------------------------------------------------
LABEL_FRAMES = Lexicon("extraction messages: labels", """{l}: {v}
{l}: {v}.
{l} {v}
{l} - {v}
{l} = {v}
{l} is {v}
the {l} is {v}
the {l}: {v}
the {l} will be {v}
the {l} was given as {v}
{l}, as agreed: {v}
{l} (see above): {v}
{v} is the {l}
{v} [{l}]
{v} as {l}
{l} here: {v}
[{l}] {v}
{l} so far: {v}
* {l}: {v}
{l} -> {v}
{l} now {v}
for the {l} we have {v}
the {l} says {v}
we noted {v} as {l}
note the {l}: {v}
{l} > {v}
{l}; {v}
{l} stays {v}
and the {l}? {v}
{l} reads {v}
our {l}: {v}
under {l} it says {v}
{l}. {v}""".split("\n"))
WAYS = {
    "date": "it (takes place|happens|is happening|goes ahead) on {date}|(it is|this is) (set|fixed|down) for {date}|(keep|save|block|reserve|mark) {date}( in your diary| in the calendar| for us|)|{date} (is the day|is when it is|suits everyone|it is|works)|(see you|we meet|come along|join us|be there) on {date}|(we settled on|we agreed on|they chose|it will be|make it|let's do) {date}|(scheduled|planned|arranged|fixed) for {date}|(everything|all this|the whole thing) happens on {date}",
    "time": "(please |)(come|be there|arrive|turn up|show up|be ready|be here) (by|at|for) {time}|(it|this|everything) (starts|begins|kicks off|gets going|opens|gets under way) at {time}|(we start|we begin|we meet|things start|kick-off is) at {time}|(from|starting|beginning) {time}( sharp| on the dot| or so|)|{time} (sharp|on the dot|works for everyone|is the time)|(be|do be) on time, {time}( that is|)|(expect us|expect me|see you|see you there) at {time}",
    "due": "(you have|there is time|we need it|it has to be done|answer) (until|by|before) {due}|(no later than|at the latest|not after|by) {due}|{due} (is the last day|is the deadline|at the latest)|(the offer|this|it) (runs out|ends|expires|closes|is good until) {due}|(please |)(get it done|reply|be in touch|act|hand it in) (by|before) {due}",
    "phone": "(you can |please |just |)(reach|ring|call|phone|text|message|get hold of|contact) (us|me|them|the office) (on|at|under|via) {phone}|(dial|ring|try|use|text|call) {phone}( if anything comes up| for more| any time| with questions|)|{phone} (is the number|is where we are|gets you through|for questions|for emergencies|if needed)|(questions|any trouble|not sure|help|queries)? (ring|call|dial|try) {phone}|(give|drop) (us|me) a (call|line|ring|text) (on|at) {phone}",
    "email": "(write|mail|send a line|drop a line|send everything|forward it|answer) to {email}|{email} (is the address|for questions|reaches us|is read daily)|(questions|papers|replies|documents)( please|) to {email}|(we are|I am) at {email}|(reach us|contact us) (by mail at|under|via) {email}",
    "website": "(more|details|all the rest|the full story|photos|the form|the map) (at|on|under) {website}|(look at|visit|go to|see|open|check) {website}( for more| for details|)|(it's|everything is) online(:| at) {website}|{website} has (more|the details|a map|all of it)",
    "price": "(that|it|this|the thing|everything) (makes|costs|comes to|is|sets you back|was) {price}|(we|you|I|they) (pay|paid|ask|charge|charged|want|wanted) {price}( for it| for this| altogether|)|{price} (it is|is what it costs|please|is all it costs|was paid|seems fair)|(for|at|only|just|a mere) {price}|(price|cost)(:| is| was| comes to) {price}",
    "total": "(altogether|in total|in all|all told|all in|together) (that makes |that's |it comes to |it's |){total}|{total} (altogether|in total|all in|in all|is what you owe)|(that comes to|it adds up to|this makes|the sum of it is) {total}|(you owe|we charged|you were charged|to be paid|we took) {total}( in total|)",
    "place": "(it|this|all of it|everything) (is|happens|takes place) (at|in) {place}|(come|make your way|head) to {place}|(you find us|you'll find us|we are|we gather|we meet|meet us) (at|in) {place}|{place} (is where we meet|is the place|as always|it is)|(same place|venue|where)(:|,) {place}",
    "venue": "(it|this) (is|happens|takes place) (at|in) {venue}|(come to|head to|see you at|find your way to) {venue}|{venue} (is the place|hosts us|is the venue|it is)|hosted (by|at) {venue}", "room": "(we are|it's|you find us|go|come) (in|to) {room}|{room} (is reserved|is ours|it is|has been booked)|(they put us|we moved) (into|in) {room}",
    "name": "(it|this) is (for|about|under) {name}|(in the name of|under the name of|issued to|put under|listed under|filed under) {name}|{name} (is the name|it says|is meant|was named)|(ask for|on behalf of|to the attention of|write down) {name}",
    "first": "(ask|talk to|speak to|see|find) {first}( about it| there| at the desk|)|{first} (knows more|takes care of it|looks after this|is in charge|will help)", "ref": "(quote|mention|please quote|give|keep|remember|state) {ref}( when you call| in your reply|)|{ref} (is your reference|is the booking code|is what you need to quote)|(filed|booked|known|saved|registered) under {ref}|(our|your) (reference|booking|code) is {ref}",
    "seat": "(you|we|they) (sit|are|are seated|have been put) (on|in) {seat}|{seat} (is your seat|is yours|was given to you)|(take|you have|we gave you|we moved you to|enjoy) (seat |){seat}|sitting in {seat}", "gate": "(go|walk|head|come|please proceed) to gate {gate}|(boards|leaves|departs) (at|from) (gate |){gate}|gate {gate} (it is|now|is where you board)",
    "platform": "(go|head|change) to (platform|track) {platform}|(it leaves|we leave|departs|departing) (from|on) (platform|track) {platform}|(platform|track) {platform} (it is|today|is ours)", "coach": "(you are|we sit|get into|board|your seat is|we have places) (in |)(coach|carriage) {coach}|(coach|carriage) {coach} (is yours|it is|is at the front)",
    "people": "(we are|we will be|there are|it's for|count on|there'll be) {people}( of us| people| persons|)|{people} (people|persons|of us) (come|are coming|will be there|in all)|(a party|a group|set the table|room) (of|for) {people}", "tickets": "(I got|we have|you ordered|there are|you bought|we took) {tickets} tickets|{tickets} tickets (are yours|were booked|in all|please)",
    "adults": "{adults} (grown-ups|adults) (travel|come|are booked|in all)|(we are|there are|booked for|places for) {adults} adults", "children": "{children} (children|kids|little ones) (travel along|come along|are with us|too)|(with|and|plus) {children} (children|kids)", "nights": "(we stay|you stay|staying|booked|it's|they stay) (for |){nights} nights|{nights} nights (in all|altogether|are booked)",
    "pin": "(type|enter|key in|press|use|show) {pin}( at the door| on the screen|)|{pin} (opens it|is the code|unlocks it|lets you in)|(the code|your code|the pin) (is|reads|you need is) {pin}", "order": "(we are packing|we packed|you placed|this is|it's about|thanks for) (order |order no. ){order}|order {order} (is on its way|is being packed|was paid|has been placed)",
    "tracking": "(follow it with|track it with|the label says|look it up under|it travels under) {tracking}|{tracking} (is the tracking number|is on the label|tells you where it is)", "city": "(it's|it is|we are|this is|all that happens) in {city}|(come|travel|get) to {city}|{city} (is where it happens|is the place|it is)",
    "street": "(you find us at|you'll find it at|come to|the address is|go to|it's at|we are at) {street}|{street} (is the address|is where we are|it is)", "company": "(it|this) (comes|is) from {company}|{company} (takes care of it|sends this|is behind it|does the work)|(brought to you|done|handled|provided) by {company}",
    "shop": "(bought|seen|found|available|got it) (at|from|in) {shop}|{shop} (has it|sells it|had it)", "carrier": "(handed to|shipped with|brought by|on board with|given to) {carrier}|{carrier} (brings it|has it|delivers|will bring it)", "sender": "(it comes|shipped|it was sent) (from|by) {sender}|{sender} (sent it|shipped it|is the sender)",
    "reason": "(this is|it's|that's) (because of|due to|down to) {reason}|(the|our) reason (is|for it is|was) {reason}|(blame|caused by|owing to|on account of) {reason}|{reason} (is the reason|is to blame|made it necessary)", "teacher": "(taught|led|given|held|run) by {teacher}|{teacher} (teaches it|gives the course|leads it|is the teacher)|(you learn|it's) with {teacher}",
    "host": "{host} (is the host|hosts|invites|is expecting you|is organising it)|(hosted|organised|arranged|put together) by {host}|(yours|so says|greetings from|signed)(:|,) {host}", "title": "(don't miss|come along to|join us for|we look forward to|it's time for|get ready for) (the |our ){title}|the {title} (is coming up|is near|takes place|will be fun|is open to all)|(put|pencil|enter|write) (the |our ){title} (in|into) (your|the) (diary|calendar)",
    "account": "(you are customer|your account is|saved under account|we know you as) {account}|{account} is your (customer number|account number)", "plate": "(the car with|vehicle|look for|your) (number plate |plate ){plate}|{plate} is the (plate|number plate|registration)", "departs": "(it|the thing|she) (leaves|goes|departs|sets off|pulls out|gets away) at {departs}|(we leave|we go|off we go|setting off|wheels roll) at {departs}|{departs} is departure",
    "arrives": "(it|you|we) (arrive|arrives|get in|gets in|get there) (at|by|around) {arrives}|(there by|back on the ground at|at your stop by|in by) {arrives}|{arrives} is the arrival", "start": "(it|this) (starts|begins|opens|gets going) at {start}|(open|going|running|on) from {start}", "end": "(it|this) (ends|closes|stops|is over|finishes) at {end}|(over|done|finished|closed) by {end}|(lasts|goes on|runs|open) until {end}",
    "age": "{age} (years old|years young|candles)|(aged|at the age of) {age}", "minutes": "(it takes|takes you|plan|allow|give it|lasts) {minutes} (minutes|min)|{minutes} (minutes|min) (is all it takes|in all|or so)", "colour": "(it is|it's|they are|comes in|painted) {colour}|{colour} (in colour|all over)", "items": "(we|I|you) (have|need|want|bought|got|ordered) {items}|{items} (are needed|it is|were ordered|please)|(bring|get|fetch|grab|pick up) {items}( please|)",
    "item": "(it's about|this is about|I mean|we're talking about) the {item}|(I'd like|we want|you ordered|we have) the {item}|the {item} (is here|is ready|was ordered|is meant)", "percent": "(you save|knock|take) {percent}%( off|)|{percent} percent (off|cheaper|less)", "iban": "(please |)(pay|transfer|wire|send) (it |the money |)to {iban}|{iban} is (our|the) account|the money goes to {iban}", "job": "(working|hired|known|employed) as (a |an |){job}|{job} (by trade|by profession)",
    "guests": "(you'll meet|you know|with us are|already coming|on the list|we expect) {guests}|{guests} (will be there|are on board|said they come|are on the list)", "guest": "{guest} (comes along|joins us|will be there too|says yes)", "boarding": "(be at the gate|get on|be on board|line up) (by|at) {boarding}|boarding (is|opens|begins|starts) at {boarding}", "author": "(it was |)(written|penned) by {author}|{author} wrote it",
    "floor": "(it's|we are|go up|you find it) (on|to) floor {floor}|up on floor {floor}", "rooms": "(it has|there are|with|you get) {rooms} rooms|{rooms} rooms (in all|altogether)", "size": "(it measures|with|on|a total of) {size} (sqm|square metres|m2)", "deposit": "(leave|pay|we ask for|plus|there is) a deposit of {deposit}|{deposit} as a deposit|{deposit} (is kept|stays with us) as a security", "balance": "(you have|this leaves you with|there is|that leaves) {balance} (left|on the account)|{balance} (remains|is left|is still there)",
    "servings": "(enough|makes enough|plenty) for {servings}( people|)|feeds {servings}", "km": "(it has done|the counter shows|driven|it ran) {km} (km|kilometres)", "fine": "(you must pay|the fine is|they want|penalty of) {fine}", "driver": "{driver} (drives|is at the wheel|picks you up|will be your driver)", "weight": "(it weighs|a weight of|heavy,) {weight}|{weight} (in weight|on the scales)", "qty": "(we need|make it|I want|there are|send) {qty} (pieces|of them|units)|{qty} (pieces|units|of them) (please|in all)",
    "born": "(born|birthday) (on |){born}", "neighbour": "(left|is|you find it|dropped off|handed over) (with|at) (your neighbour |the neighbour, |){neighbour}|{neighbour} (took it in|accepted it|has it|took it for you)", "signed": "(signed|signed for|receipt confirmed|countersigned) by {signed}|{signed} signed( for it| it|)", "payee": "(paid|sent|went|goes|transferred) to {payee}|{payee} (gets it|was paid|received the money)",
}


SHARED = {slot: Lexicon(f"extraction messages, any {slot}", [one for way in alternatives(ways) for one in opened(way)]) for slot, ways in WAYS.items()}

# What a schema's description says of a property, behind "the".
DESCRIBED = {
    "date": "day on which it happens|day it takes place", "due": "last day on which it is possible|day by which it has to be done", "time": "time at which it begins|time it starts", "start": "time at which it begins|time from which it goes on", "end": "time at which it is over|time until which it goes on",
    "doors": "time from which people are let in", "boarding": "time at which one has to be at the gate", "departs": "time at which it leaves", "arrives": "time at which it arrives", "doctor": "doctor who is seen|name of the doctor", "clinic": "name of the practice or hospital", "from": "place where the journey begins",
    "to": "place where the journey ends", "flight": "number of the flight", "train": "number of the train", "gate": "gate to go to", "platform": "platform the train leaves from", "coach": "coach in which the seat is", "seat": "seat of the passenger", "seats": "list of the seats", "film": "name of the film", "show": "name of the show", "band": "musicians who play",
    "venue": "name of the house where it takes place", "adults": "number of grown-up people", "children": "number of children", "people": "number of people who come", "tickets": "number of tickets", "ref": "code to quote for this booking", "name": "full name of the person", "first": "person it is about or who is to be asked", "phone": "number that can be called",
    "email": "address for mails", "website": "page on the internet", "company": "name of the firm", "job": "what the person does for a living", "plate": "number on the plate of the car", "garage": "workshop that repairs the car", "km": "kilometres that the car has driven", "order": "number of the order", "tracking": "number to follow the parcel with", "carrier": "firm that brings the parcel",
    "sender": "shop or person that sent it", "shop": "shop where it is sold", "locker": "number of the locker", "pin": "secret code to enter", "pickup": "place where it can be collected", "item": "thing that it is about", "items": "list of all things", "price": "money that it costs", "price2": "price that it had before", "total": "money to pay in all", "invoice": "number of the invoice",
    "account": "number of the customer", "restaurant": "restaurant with the table", "child": "child that it is about", "age": "age in years", "host": "person who invites", "guests": "names of all who come", "guest": "other person who comes", "title": "name of the event", "place": "place where people meet", "room": "room where it takes place", "street": "street with the house number", "city": "town or city",
    "postcode": "postcode of the address", "reason": "why it is so, in the words of the text", "utility": "supply that is cut off", "hotel": "house in which the guests stay", "nights": "how many nights they stay", "checkin": "day of arrival", "checkout": "day of departure", "teacher": "person who teaches or leads it", "subject": "what it is about", "minutes": "time it takes, in minutes",
    "percent": "discount in percent", "rent": "rent for a month", "deposit": "money left as a security", "rooms": "number of rooms", "pet": "name of the animal", "breed": "kind of animal", "book": "title of the book", "author": "writer of the book", "goals": "points of the home team", "goals2": "points of the visiting team", "medicine": "name of the medicine", "dose": "amount of medicine taken at a time",
    "password": "secret word for the network", "balance": "money left on the account", "neighbour": "person next door who took the parcel", "signed": "person who signed", "purpose": "what the money or thing is for", "payee": "who gets the money", "payer": "who sends the money", "caller": "person who rang", "topic": "what it is about, in the words of the text", "qty": "number of pieces", "fine": "money to pay as a penalty",
    "speed": "measured speed in km/h", "limit": "speed that is allowed", "driver": "person who drives", "born": "day of birth", "hours": "number of hours", "rate": "money for an hour", "winner": "person who won", "prize": "what was won", "fault": "what is wrong with it", "refund": "money that is paid back", "deputy": "person to turn to meanwhile", "starts": "first day", "ends": "last day", "chairs": "number of chairs",
    "old_company": "firm where the person worked before", "bus": "number of the line", "stop": "stop where one gets on", "mark": "result of the exam", "student": "person who took the exam", "weight": "weight in kilograms", "st_parcel": "state of the delivery", "st_booking": "state of the booking", "st_task": "how far the task is", "st_paid": "whether it has been paid", "st_ride": "whether it runs as planned", "st_coming": "whether the person comes",
    "st_stock": "whether it can be bought", "st_level": "how much it matters", "st_mood": "what the writer thinks of it", "b_paid": "whether it has been paid", "b_pets": "whether animals may come", "b_breakfast": "whether there is breakfast", "b_furnished": "whether there is furniture", "b_return": "whether it can be sent back", "b_wheel": "whether wheelchairs can get in",
}
