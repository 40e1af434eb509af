"""Tickets, bookings and reservations."""
from . import ticket_classes, ticket_seats, ticket_trips, values
from .grammar import Domain, Field
from .ticket_lines import LINES
from .ticket_phrasings import SENTENCES
from .values import same
from .wider import widen_contrasts, widen_domain

CLASSES = {"first": ("first class", "1st class", "the first class", "First Class", "1st Class"), "second": ("second class", "2nd class", "Second Class", "the second class"),
           "economy": ("economy class", "economy", "Economy", "Economy Class"), "business": ("business class", "business", "Business", "Business Class")}


def _class(choose, now, v):
    key = choose.rng.choice(list(CLASSES))
    return choose.rng.choice(CLASSES[key]), choose.rng.choice(CLASSES[key]), key


def _seat(choose):
    rng = choose.rng
    return rng.choice((f"{rng.randint(1, 60)}{rng.choice('ABCDEF')}", f"{rng.randint(1, 60)}{rng.choice('ABCDEF')}", str(rng.randint(1, 120)), f"{rng.choice('ABCDEFGHK')}{rng.randint(1, 40)}", f"row {rng.randint(1, 40)} seat {rng.randint(1, 40)}",
                       f"{rng.choice('ABCDEFGHK')}-{rng.randint(1, 40)}"))


def _train(choose):
    rng = choose.rng
    kind = rng.choice(("ICE", "IC", "RE", "TGV", "EC", "RB", "S", "NJ", "R", "REX", "IR", "EN", "FR", "AVE")) if rng.random() < 0.7 else "".join(rng.choice("ABCDEGHIJKLMNPRSTVXZ") for _ in range(rng.randint(2, 3)))
    return f"{kind} {rng.randint(1, 9999 if rng.random() < 0.3 else 999)}" if rng.random() < 0.85 else f"{kind}{rng.randint(1, 99)}"


def _flight(choose):
    rng = choose.rng
    return f"{rng.choice('ABDEFKLNSTU')}{rng.choice('AKLQXYBHRUW2346789')}{rng.choice(('', ' '))}{rng.randint(10, 9999)}"


def _bus(choose):
    rng = choose.rng
    return rng.choice((f"bus {rng.randint(1, 199)}", f"bus {rng.randint(1, 99)}", f"Bus {rng.randint(1, 199)}", f"line {rng.randint(1, 30)}", f"bus {rng.choice('ABEKNSX')}{rng.randint(1, 99)}", f"N{rng.randint(1, 60)}", f"X{rng.randint(1, 99)}"))


def _number(choose, most):
    n = choose.rng.randint(1, most)
    return str(n), str(n), n


def _same_or(v, key, make, choose, now):
    """The day or the hour of a show: that of the trip if the text has one too, so that there is only one "date" in a text."""
    if key in v:
        return (f"on {v[key]}" if key == "date" else v[key]), v[key], v[key]
    return make(choose, now)


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
    "title": Field("string", "title|event|show|performance|film|concert|movie|event name|show name|event title|name of the show|production|play|programme|name of the event",
                   "Show|Event|Title|Performance|Film|Concert|Movie|Programme|Ticket for|You see|Event name|Play|Production|Tonight|Admission to|Name of the show|What|Now showing|On stage|Valid for|Name of event|Entry to|Screening|"
                   "What's on", lambda c, n, v: same(values.show(c))),
    "from": Field("string", "from|origin|departure city|from city|departure station|from station|departure place|start city|start station|leaving from|departing from|origin city|boarding at|place of departure|from where|depart from",
                  "From|Origin|Departure|Start|Leaving from|Depart|Dep.|Departing from|Starting in|Board at|Departure city|Boarding at|From station|Place of departure|Point of departure|Outward from|You leave|Where from|"
                  "Departs from|Start of journey", lambda c, n, v: same(values.town(c))),
    "to": Field("string", "to|destination|arrival city|to city|destination city|arrival station|to station|arrival place|going to|arriving at|final destination|place of arrival|heading to|end station|get off at|where to",
                "To|Destination|Arrival|End|Going to|Arrive|Arr.|Arriving at|Final destination|Final stop|Get off at|Heading to|Terminus|Travelling to|Place of arrival|To station|Where to|Arrives in|Last stop|End of journey",
                lambda c, n, v: same(values.town(c))),
    "date": Field("string", "date|day|travel date|departure date|when|travel day|date of travel|valid on|date of departure|outbound date|journey date|trip date|ticket date|day of travel|departure day|leaving on",
                  "Date|Day|Travel date|When|Departure date|Valid on|Outbound|Date of travel|Valid for|Day of travel|Travelling on|Date of departure|Journey date|Travel day|Valid only on|Ticket date|Which day|Leaving on|Trip date|"
                  "You travel on|Departure day", lambda c, n, v: values.date(c, n), hinted=True),
    "time": Field("string", "time|departure time|departs at|leaves at|time of departure|departs|scheduled departure|etd|leaving time|starting time|sets off at|off at|departure at",
                  "Time|Departs|Departure time|Leaves at|Departure|Dep.|Leaves|Time of departure|Sets off|Scheduled departure|What time|Departs at|Off at|Leaving at|Planned departure|Depart at|Sets off at|You leave at",
                  lambda c, n, v: values.clock(c), hinted=True),
    "showdate": Field("string", "date|day|event date|when|show date|date of the show|performance date|takes place on|concert date|date of event|event day|ticket date",
                      "Date|Day|When|Event date|Show date|Takes place|Date of the show|Which day|Performance date|Evening of|Date of performance|Valid on|Event day|Takes place on|Concert date|Showing on", lambda c, n, v: _same_or(v, "date", values.date, c, n), hinted=True),
    "showtime": Field("string", "time|start time|starts|begins|begins at|starts at|begin|show time|start of show|starting time|showtime|event time|start at",
                      "Time|Starts|Start|Begins|Begin|Starts at|Beginning|Start time|What time|Begins at|Show starts|Showtime|Curtain up|Kick-off|Starting time|Start of the show|Event time|Show time", lambda c, n, v: _same_or(v, "time", lambda c, n: values.clock(c), c, n),
                      hinted=True),
    "end": Field("string", "arrival time|arrives at|arrives|end time|time of arrival|scheduled arrival|eta|ends at|gets in at|there at",
                 "Arrives|Arrival time|Ends|Arrives at|End time|There at|Arrival|Arr.|Time of arrival|Gets in|Ends at|Scheduled arrival|You arrive|Lands at|Reached at|You are there at|Planned arrival",
                 lambda c, n, v: values.clock(c), hinted=True),
    "seat": Field("string", "seat|seat number|seat no|reserved seat|your seat|assigned seat|seat id|seat reservation|seat label",
                  "Seat|Seat no.|Seat number|Your seat|Reserved seat|Sitzplatz|Assigned seat|You sit at|Place|Seat assignment|Sit at|Seat ID|Reserved place|My seat|Seat reservation|Seating|Seat nr.", lambda c, n, v: same(_seat(c))),
    "coach": Field("integer", "coach|car|wagon|carriage|coach number|car number|wagon number|carriage number|coach no|railcar|train car",
                   "Coach|Car|Wagon|Carriage|Coach no.|Wagen|Car no.|Carriage no.|Coach number|Wagon no.|Carriage number|Railcar|Your coach|In coach|Car number|Train car|In carriage|Your carriage", lambda c, n, v: _number(c, 30)),
    "platform": Field("integer", "platform|track|gleis|platform number|departure platform|track number|platform no|departs from platform|departure track",
                      "Platform|Track|Gleis|Pl.|From platform|Platform no.|Plat|Departure platform|Track no.|Platform number|Platf.|On track|Go to platform|Leaves from platform|Track number|Binario|Voie|Plat. no.",
                      lambda c, n, v: _number(c, 24)),
    "gate": Field("string", "gate|boarding gate|gate number|departure gate|gate no|gate id",
                  "Gate|Boarding gate|At gate|Gate no.|Departure gate|Your gate|Go to gate|Gate number|Board at gate|Boards at gate|Gate for boarding|Boarding at gate",
                  lambda c, n, v: same(f"{c.rng.choice('ABCDEFZ')}{c.rng.randint(1, 80)}")),
    "train": Field("string", "train|train number|line|service|connection|train no|train name|train id|train line|service number|rail service|which train",
                   "Train|Line|Train no.|Service|Connection|Train number|With train|By train|Your train|Train line|Take train|Service no.|Travelling with|Train ID|Railway service|Train name", lambda c, n, v: same(_train(c))),
    "flight": Field("string", "flight|flight number|flight no|line|service|connection|flight code|plane|flight id|which flight",
                    "Flight|Flight no.|Flight number|Service|Connection|Your flight|Flight code|Flying with|On flight|Flight ID|Plane|Flight nr.|With flight|Booked flight", lambda c, n, v: same(_flight(c))),
    "bus": Field("string", "bus|bus number|bus line|line|service|connection|bus no|route number|bus route|which bus", "Bus|Line|Bus line|Bus no.|Bus number|Service|Connection|Take the bus|Which bus|Bus route|Route no.|With bus",
                 lambda c, n, v: same(_bus(c))),
    "venue": Field("string", "venue|location|where|place|venue name|event location|event venue|hall|theatre|held at|event place|takes place at",
                   "Venue|Location|Where|Hall|Theatre|Hosted at|Place|Held at|Takes place at|Show venue|Performed at|Playing at|Event location|Venue name|Arena|Shown at|Where it is|Stadium or hall|The place",
                   lambda c, n, v: same(values.venue(c))),
    "passenger": Field("string", "passenger|name|passenger name|guest|traveller|booked by|holder|customer|ticket holder|guest name|booking name|traveler|traveller name|issued to|customer name|in the name of|reserved for|full name",
                       "Passenger|Name|Guest|Traveller|Booked by|Holder|Customer|Issued to|Passenger name|Ticket holder|Name on ticket|Reserved for|Traveler|Name of passenger|Guest name|In the name of|Lead passenger|Belongs to|"
                       "Booked for|Customer name|Person travelling", lambda c, n, v: same(values.person(c)), hinted=True),
    "booking": Field("string", "booking code|booking reference|booking number|reference|confirmation number|pnr|reservation number|booking id|confirmation code|reservation code|record locator|ticket number|booking ref|"
                     "reference number|reservation id|booking|ticket code",
                     "Booking code|Booking|Reference|Ref|Booking reference|PNR|Confirmation|Reservation|Reservation no.|Booking no.|Code|Record locator|Booking ID|Reservation code|Confirmation no.|Booking ref.|Ref. no.|"
                     "Reservation ID|Reference number|Our reference|Your reference|Ticket code|Ticket no.|Conf. no.|Booked under", lambda c, n, v: same(values.code(c, c.chance(0.7)))),
    "price": Field("number", "price|amount|total|cost|fare|total price|amount paid|ticket price|paid|sum|total cost|total amount|charge|total fare|to pay|amount due|order total",
                   "Price|Total|Amount|Fare|Cost|Paid|Sum|To pay|Total price|Amount due|You paid|Ticket price|Charged|Total fare|Grand total|In all|Price paid|Amount paid|Total due|You pay|Fare paid|Payment", lambda c, n, v: values.price(c)),
    "count": Field("integer", "count|tickets|quantity|passengers|number of tickets|persons|people|ticket count|number of passengers|travellers|party size|guests|how many|number of people|group size|pax",
                   "Tickets|Quantity|Passengers|Persons|People|Number of tickets|Adults|Seats booked|Travellers|No. of tickets|Guests|Qty|Number of persons|How many|Party of|Number of passengers|Pax|Travelling|"
                   "Party size|Group of", lambda c, n, v: values.count(c, 9)),
    "class": Field("enum", "class|travel class|fare class|cabin|booking class|cabin class|seat class|comfort class|service class|ticket class|class of travel|category",
                   "Class|Travel class|Cabin|Fare class|Comfort|Category|Class of travel|Booking class|Cabin class|Ticket class|Seat class|Compartment class|Comfort class|Travelling in", _class, choices=CLASSES),
}, (), SENTENCES, LINES, """Here is your ticket.
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
E-ticket, please print
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
The doors close early.""", share=1.2, groups=(("from", "to", "date", "time", "end", "coach", "platform", "gate", "train", "flight", "bus", "class"), ("title", "venue", "showdate", "showtime")), clash=(("train", "flight", "bus"), ("flight", "bus")),
    facts_like=r"train|flight|ticket|seat|[Pp]latform|\b[Rr]ow\b|\b[Rr]oom \d|\bbus\b|of us|around|meet|starts|opens|guests|people|friends|neighbours|\bcode\b|number|euros|paid|costs?\b|pick you up|I'll be|I'm (in|at|waiting)|"
               r"works at|\bis at\b|going to|visited|page \d|left|name|[Dd]ear|Free entry|Let's")
widen_domain(TICKET, ticket_trips.SENTENCES.rstrip() + ticket_seats.SENTENCES, ticket_classes.LINES, ticket_classes.LABELS, ticket_classes.CLASSES, 26)
widen_contrasts(TICKET, {"date": ("date", ""), "showdate": ("date", ""), "time": ("time", "|at "), "showtime": ("time", "|at "), "venue": ("place", "|at "), "from": ("city", "from "),
                         "to": ("city", "to "), "price": ("price", "")})
