"""Tickets, bookings and reservations."""
from .. import times
from . import values
from .grammar import Domain, Field
from .values import same

CLASSES = {"first": ("first class", "1st class", "the first class"), "second": ("second class", "2nd class"), "economy": ("economy class", "economy"), "business": ("business class", "business")}


def _class(choose, now, v):
    key = choose.rng.choice(list(CLASSES))
    return choose.rng.choice(CLASSES[key]), CLASSES[key][0], key


def _seat(choose):
    rng = choose.rng
    return rng.choice((f"{rng.randint(1, 60)}{rng.choice('ABCDEF')}", f"{rng.randint(1, 60)}{rng.choice('ABCDEF')}", str(rng.randint(1, 120)), f"{rng.choice('ABCDEFGHK')}{rng.randint(1, 40)}", f"row {rng.randint(1, 40)} seat {rng.randint(1, 40)}",
                       f"{rng.choice('ABCDEFGHK')}-{rng.randint(1, 40)}"))


def _transport(choose):
    rng = choose.rng
    return rng.choice((f"{rng.choice(('ICE', 'IC', 'RE', 'TGV', 'EC', 'RB', 'S', 'NJ'))} {rng.randint(1, 999)}", f"{rng.choice('ABDEFKLNSTU')}{rng.choice('AKLQXY')}{rng.randint(100, 9999)}", f"{rng.choice('ABDEFKLNSTU')}{rng.choice('AKLQXY')} {rng.randint(10, 999)}",
                       f"bus {rng.randint(1, 99)}", f"line {rng.randint(1, 30)}"))


def _number(choose, most):
    n = choose.rng.randint(1, most)
    return str(n), str(n), n


TICKET = Domain("ticket", """Extract the ticket.
Ticket as JSON.
Take the ticket out of the text.
Fill in the ticket.
Find the booking details.
What was booked?
Turn this into a ticket.
Read the ticket out of this.
Which ticket is in the text?
Make a ticket of this.
Get the booking details.
Please extract the ticket.
Save this as a ticket.
Fill in the booking.
Ticket please.
Where do I go and when?
Read the reservation.
Extract the booking.
Get the trip out of this.
Reservation as JSON.
Parse the e-ticket.
Which seat and which train?
Travel details, please.
What have I booked here?""", {
    "title": Field("string", "title|event|show|performance|film|concert|movie|event name", "Show|Event|Title|Performance|Film|Concert|Movie|Programme|Ticket for|You see", lambda c, n, v: same(values.show(c))),
    "from": Field("string", "from|origin|departure city|departure|from city|start|departure station|from station", "From|Origin|Departure|Start|Leaving from|Depart|Dep.|Departing from", lambda c, n, v: same(values.town(c))),
    "to": Field("string", "to|destination|arrival city|arrival|to city|destination city|arrival station|to station", "To|Destination|Arrival|End|Going to|Arrive|Arr.|Arriving at", lambda c, n, v: same(values.town(c))),
    "date": Field("string", "date|day|travel date|departure date|event date|when", "Date|Day|Travel date|When|On|Departure date|Valid on|Outbound", lambda c, n, v: values.date(c, n)),
    "time": Field("string", "time|departure time|starts|start time|departs at|begins", "Time|Departs|Starts|Start|Departure time|Begins|At|Leaves at", lambda c, n, v: values.clock(c)),
    "end": Field("string", "arrival time|arrives at|arrives|end time|until", "Arrives|Arrival time|Ends|Arrives at|Until|End time|There at", lambda c, n, v: values.clock(c)),
    "seat": Field("string", "seat|seat number|seats|seat no", "Seat|Seat no.|Seat number|Your seat|Reserved seat|Sitzplatz", lambda c, n, v: same(_seat(c))),
    "coach": Field("integer", "coach|car|wagon|carriage", "Coach|Car|Wagon|Carriage|Coach no.|Wagen|Car no.", lambda c, n, v: _number(c, 30)),
    "platform": Field("integer", "platform|track|gleis|platform number", "Platform|Track|Gleis|Pl.|From platform|Platform no.|Plat", lambda c, n, v: _number(c, 24)),
    "gate": Field("string", "gate|boarding gate|gate number", "Gate|Boarding gate|At gate|Gate no.|Exit|Departure gate|G", lambda c, n, v: same(f"{c.rng.choice('ABCDEFZ')}{c.rng.randint(1, 80)}")),
    "line": Field("string", "train|flight|flight number|train number|line|service", "Train|Flight|Line|Flight no.|Train no.|Service|Connection|Flight number", lambda c, n, v: same(_transport(c))),
    "venue": Field("string", "venue|location|where|theatre|hall|hotel|restaurant", "Venue|Location|Where|Hall|Theatre|House|Hosted at|Stage", lambda c, n, v: same(values.venue(c))),
    "passenger": Field("string", "passenger|name|passenger name|guest|traveller|booked by|holder|customer", "Passenger|Name|Guest|Traveller|Booked by|Holder|Customer|Issued to|Passenger name", lambda c, n, v: same(values.person(c))),
    "booking": Field("string", "booking code|booking reference|booking number|reference|confirmation number|pnr|reservation number|booking id|confirmation code",
                     "Booking code|Booking|Reference|Ref|Booking reference|PNR|Confirmation|Reservation|Reservation no.|Booking no.|Code", lambda c, n, v: same(values.code(c, c.chance(0.7)))),
    "price": Field("number", "price|amount|total|cost|fare|total price", "Price|Total|Amount|Fare|Cost|Paid|Sum|To pay", lambda c, n, v: values.price(c)),
    "count": Field("integer", "count|tickets|quantity|passengers|number of tickets|persons|people", "Tickets|Quantity|Passengers|Persons|People|Number of tickets|Adults|Seats booked", lambda c, n, v: values.count(c, 9)),
    "class": Field("enum", "class|travel class|fare class|cabin", "Class|Travel class|Cabin|Fare class|Comfort|Category", _class, choices=CLASSES),
}, (), """You (go|travel|fly|are going|are booked) from {from} to {to}.
(Train|bus|flight|ferry|coach|ticket|trip|one way|return trip|your journey) from {from} to {to}.
(Train|bus|flight|ferry|route|trip|ticket)(:|) {from} to {to}.
(Departure|leaving|start) {from}, (arrival|arriving|end) {to}.
(From|Start|Departure): {from}. (To|End|Arrival): {to}.
(It|the train|the bus|the flight|our flight) (goes|runs|leaves) from {from} to {to}.
From {from} to {to}, {date}, {time}.
(We|I) (leave|start in) {from} {date} and (go|travel|fly|drive) to {to}.
(I|we) (booked|got|bought) (a train|a flight|tickets|a bus|the ferry) from {from} to {to}.
(I'm|we're) (flying|going|travelling|taking the train) from {from} to {to} {date}.
(I'm|we're) (flying|going|travelling|off) to {to} {date}.
(Your|the|our) (train|flight|bus|ferry) (to|for) {to} (leaves|departs|goes) (from |){from} at {time}.
(Your|the|our) (train|flight|bus|ferry) (to|for) {to} (leaves|departs|goes) at {time}.
(Your|the|our) {line} (to|for) {to} (leaves|departs|goes) at {time}.
(Your|the|our) (train|flight|bus|ferry) (to|for) {to} (leaves|departs|is) {date} at {time}.
(Change|you change|with a change|via) in {x_city} (on the way|), (final stop|destination|you get off in|arriving in) {to}.
(Leaving|departing|departure|we start) (from|in) {from}.
(Going|travelling|heading|flying|destination|off) to {to}.
(Not|no longer) to {x_city} but to {to}.
{from} - {to}.
{from} to {to} (at|, departure) {time}.
{from} to {to} {date}.
{from} {time} - {to} {end}.
(Leaves|departs|departure) {from} (at |){time}, (arrives|arrival|reaches) {to} (at |){end}.
(Departure|it leaves|dep.) {time}, (arrival|it arrives|you are there|arr.) {end}.
(Arrival|it arrives|you arrive|you will be there|there|it ends) (at|:) {end}.
(It|the train|the flight|the bus) (leaves|departs|starts) at {time} and (arrives|gets there|lands|ends) at {end}.
(Come and see|an evening with|ticket for|enjoy|watch|you will see|see|admission to|we show) {title} (at|in) {venue}.
{title} (at|in|is played at|is on at|live at) {venue}.
{title} (at|in) {venue}, {date} at {time}.
{title}, {date}, {time}.
{title} {date} (at|in) {venue}.
(Show|event|film|concert)(:|) {title}, {venue}.
{count} (tickets|seats) for {title}.
{count} (tickets|seats) for {title} {date}.
{count} (tickets|seats) (from|for) {from} to {to}.
(Two of us|I|we) (are going to see|got tickets for|will see|booked|want to see) {title}.
(You booked|you bought|ticket for|seats for|this is your ticket for|your tickets for) {title}.
{title} (starts|begins|is on) at {time}.
{title} (is|will be|is on|takes place) {date}.
{title} (was moved|has been moved) from {x_date0} to {date0}.
{title} is (great|sold out|waiting for you|nearly sold out).
(The|your) (show|concert|film|play|event|match) is {title}.
(It is|it's|held|it takes place|everything happens) (at|in) {venue}.
(Venue|location|where|hall|place)(:|) {venue}.
(Come|go) to {venue}.
(The|our) (venue|place|theatre|hotel) is {venue}.
(A|your) (table|room|seat) (at|in) {venue} (is booked|is reserved|is waiting for you).
(Table|room|reservation|booking) (at|in) {venue} (for {count}|).
(It is|it's|it leaves|it starts|it begins|departure|leaving|we leave|we go) {date} at {time}.
(Date|when|departure|day and time)(:|) {date0}, {time}.
{date} at {time}.
(Be there|come|arrive) {date} at {time}.
(It is|it's|we go|you travel|valid|departure|we leave|it leaves) {date}.
(Date|when|travel date|valid on|day)(:|) {date0}.
(The|your|our) (date|day|travel date) is {date0}.
(Booked|bought|paid) {x_date}, (travel|departure|valid|the trip is) {date}.
(I|we) (bought it|booked) {x_date} but (we travel|the trip is|it is valid) {date}.
(Not|no longer) {x_date} but {date}.
(It|the train|the bus|the show|the film|the flight) (leaves|starts|begins|departs|goes) at {time}.
(Departure|start|time|begin|leaves|starts)(:| at) {time}.
(Doors open|boarding|check-in|boarding starts) at {x_time}, (departure|the show starts|it leaves|start) at {time}.
(Be at the station|be there|come) by {x_time}, (it leaves|we leave|it starts) at {time}.
(The|your) (departure|start|new time) is (at |){time}.
(You have|your seat is|you sit on|sitting at|reserved seat:|seat|seat number|seat no.|seat:|you are in|place|take) {seat}.
(Please |)(sit|take place) on {seat}.
(The|your|my) (seat|place) is {seat}.
(Coach|car|carriage) {coach}, seat {seat}.
(Coach|car|carriage|wagon) {coach}.
(You are|I'm|we are|your seats are) in (coach|car|carriage) {coach}.
(From|on|it leaves from|it goes from|go to|wait on|departure from|find it at) platform {platform}.
(Platform|track|gleis)(:|) {platform}.
(The|your) (platform|track) is {platform}.
(Not platform {x_number} but|instead of platform {x_number} it is) platform {platform}.
(Gate|boarding at gate|your gate is|go to gate|at gate|gate:) {gate}.
(The|your) gate is {gate}.
(Boarding|we board) at {x_time} (at|from) gate {gate}.
(Train|flight|with|it is|line|take|on|by|connection:) {line}.
(The|your|my) (train|flight|connection) is {line}.
{line} from {from} to {to}.
{line} to {to}.
{line}, {date}, {time}.
{line} (leaves|departs|starts) at {time}.
{line} (leaves|departs) {from} {date} at {time}.
(Passenger|guest|name|booked by|traveller|issued to|for|holder|ticket holder)(:|) {passenger}.
(Dear|hello|hi) {passenger}, (your|the) (booking|ticket|trip|reservation) is (confirmed|booked|ready|below).
{passenger} (has booked|is the passenger|is travelling|holds this ticket|bought it).
(The|our) (passenger|guest|traveller) is {passenger}.
(The booking is|it is|tickets are|reservation is) (in the name of|under|for) {passenger}.
(Booking|booking code|reference|booking reference|reservation|confirmation number|PNR|confirmation)(:|) {booking}.
(Your|the|my) (booking code|reference|reservation number|confirmation|booking number) is {booking}.
(Show|have|keep|use|give) (the code|the number|booking code|reference) {booking} (ready|at the door|at check-in|).
(Booking|reservation|order) {booking} is confirmed.
(You paid|please pay|paid|it costs|it cost|that makes|the bill is|we charged)(:|) {price}.
(The|your) (price|fare|total|amount) is {price}.
(Price|total|fare|amount|cost|sum|to pay)(:|) {price}.
(Total|in all) {price} (for everybody|with tax|paid by card|).
(Bags|luggage|the snack|the fee) (costs|is) {x_price}, (in all you pay|the total is|total) {price}.
{price} (were paid|have been charged|by card|is the fare).
{count} (tickets|seats|people|persons|passengers|adults).
(For|valid for|it is for) {count} (people|persons|adults).
(You|I|we) (booked|ordered|bought|have|got) {count} (tickets|seats).
(These are|there are|here are) {count} tickets.
(Tickets|number of tickets|persons|passengers)(:|) {count}.
(You travel|it is|we go|travel|ticket) in {class}.
(Your seats are|the ticket is|booked|valid) (for|in) {class}.
(A|one) {class} ticket.""".replace("{venue} (for {count}|).", "{venue}."), """{from} - {to}
{from} -> {to}
{from} to {to}
{from} > {to}
{from} / {to}
{from}
from {from}
to {to}
{from}, {time}
{from} {time}
{to} {end}
{date0}
{date0}, {time}
{date0} {time}
{date0} - {time}
{time}
dep {time}
arr {end}
{end}
Seat {seat}
seat {seat}
Coach {coach}
car {coach}, seat {seat}
coach {coach} seat {seat}
Platform {platform}
pl. {platform}
track {platform}
Gate {gate}
gate {gate}, seat {seat}
{line}
{line}
{line} {from} - {to}
{line}, platform {platform}
{title}
{title}
{title}, {venue}
{title} @ {venue}
{title} - {date0}
{venue}
{venue}
@ {venue}
{venue}, {date0}
{passenger}
{passenger}
Mr/Ms {passenger}
for {passenger}
{booking}
ref {booking}
Booking {booking}
#{booking}
{price}
{price}
Total {price}
paid {price}
{count} tickets
{count} x adult
{count} persons
{class}
{class0}
{class}, seat {seat}""".replace("Mr/Ms {passenger}", "name {passenger}"), """Here is your ticket.
Thank you for booking.
Your booking is confirmed.
Ticket.
Booking confirmed!
We have your reservation.
Enjoy!
Have a good time.
Please keep this ticket.
This is your ticket.
Hello, here is the booking.
Your trip is booked.
Your seats are booked.
E-ticket.
Please show this at the door.
We look forward to you.
The booking went through.
You are all set.
Print this or show it on your phone.
Boarding pass
Itinerary
Reservation
Plan of the trip
Online ticket
Admit one
Booking confirmation""", """Have a nice trip.
Please be there early.
No refund.
Have a good journey.
Enjoy the show.
Please show your ID.
Not transferable.
See you on board.
Changes are possible until the day before.
Thank you for travelling with us.
Bags must be small.
I'm so excited.
Can you pick me up?
Keep the ticket ready.
Food is sold on board.
The doors close early.""", share=1.2, groups=(("from", "to", "end", "coach", "platform", "gate", "line", "class"), ("title", "venue")))
