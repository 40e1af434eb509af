"""How tickets, bookings and messages about trips and shows say their facts."""
from ..split import worded

_WORDS = dict(
    ride="train|flight|bus|ferry|connection|trip|journey",
    It="It|The train|The bus|The flight|My train|Our flight|Your train|Your bus|The ferry|The night train",
    leaves="leaves|departs|goes|sets off|pulls out|is off|starts|will leave|will depart|is scheduled to leave|should leave|takes off|rolls out",
    arrives="arrives|gets in|gets there|lands|pulls in|will arrive|is scheduled to arrive|should arrive|will be there|reaches its destination|is due in",
    goto="go|travel|fly|ride|drive|head|set off|get",
    booked="booked|bought|got|reserved|ordered|have|secured|picked up|won|got hold of",
    show="show|concert|film|play|event|performance|gig|evening",
)

SENTENCES = worded("""You (go|travel|fly|are going|are booked) from {from} to {to}.
(Train|bus|flight|ferry|ticket|trip|one way|return trip|your journey) from {from} to {to}.
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
(Your|the|our) {train} (to|for) {to} (leaves|departs|goes) at {time}.
(Your|the|our) (train|flight|bus|ferry) (to|for) {to} (leaves|departs|is) {date} at {time}.
(Change|you change|with a change|via) in {x_city} (on the way|), (final stop|destination|you get off in|arriving in) {to}.
(Leaving|departing|departure|we leave) (from|in) {from}.
(Going|travelling|heading|flying|destination|off) to {to}.
(Not|no longer) to {x_city} but to {to}.
{from} - {to}.
{from} to {to} (at|, departure) {time}.
{from} to {to} {date}.
{from} {time} - {to} {end}.
(Leaves|departs|departure) {from} (at |){time}, (arrives|arrival|reaches) {to} (at |){end}.
(Departure|it leaves|dep.) {time}, (arrival|it arrives|you are there|arr.) {end}.
(Arrival|it arrives|you'll arrive|you will get there|there|it ends) (at|:) {end}.
(It|the train|the flight|the bus) (leaves|departs|starts) at {time} and (arrives|gets there|lands|ends) at {end}.
(Come and see|an evening with|ticket for|enjoy|watch|you will see|see|admission to|we show) {title} (at|in) {venue}.
{title} (at|in|is played at|is on at|live at) {venue}.
{title} (at|in) {venue}, {showdate} at {showtime}.
{title}, {showdate}, {showtime}.
{title} {showdate} (at|in) {venue}.
(Show|event|film|concert)(:|) {title}, {venue}.
{count} (tickets|seats) for {title}.
{count} (tickets|seats) for {title} {showdate}.
{count} (tickets|seats) (from|for) {from} to {to}.
(I|we) (want to go and see|got tickets for|will see|booked|want to see) {title}.
(You booked|you bought|ticket for|seats for|this is your ticket for|your tickets for) {title}.
{title} (starts|begins|is on) at {showtime}.
{title} (is|will be|is on|takes place) {showdate}.
{title} (was moved|has been moved) from {x_date0} to {showdate0}.
{title} is (great|sold out|waiting for you|nearly sold out).
(The|your) (show|concert|film|play|event) is {title}.
(It is|it's|held|it takes place|everything happens) (at|in) {venue}.
(Venue|location|where|hall|place)(:|) {venue}.
(Come|go) to {venue}.
(The|our) (venue|place|location) is {venue}.
(A|your) (table|room|seat) (at|in) {venue} (is booked|is reserved|is waiting for you).
(Table|room|reservation|booking) (at|in) {venue}.
(It is|it's|it leaves|it starts|it begins|departure|leaving|we leave|we go) {date} at {time}.
(Date|when|departure|day and time)(:|) {date0}, {time}.
{date} at {time}.
(Be there|come|arrive) {date} at {time}.
(It is|it's|we go|you travel|valid|departure|we leave) {date}.
(Date|when|travel date|valid on|day)(:|) {date0}.
(The|your|our) (date|day|travel date) is {date0}.
(Booked|bought|paid) {x_date}, (travel|departure|valid|the trip is) {date}.
(I|we) (bought it|booked) {x_date} but (we travel|the trip is|it is valid) {date}.
(Not|no longer) {x_date} but {date}.
(It|the train|the bus|the boat|the flight) (leaves|departs|goes|sets off|rolls) at {time}.
(Departure|start|time|leaves)(:| at) {time}.
(Boarding|check-in|boarding starts) at {x_time}, (departure|it leaves|start) at {time}.
(Doors open|Doors|Admission|Bar opens|Entry from|Let in) at {x_time}, (the show starts|show|it begins|curtain|the concert begins) at {showtime}.
(Be at the station|be there|come) by {x_time}, (it leaves|we leave|it starts) at {time}.
(The|your) (departure|start|new time) is (at |){time}.
(You have|your seat is|you sit on|sitting at|reserved seat:|seat no.|seat:|you are in seat) {seat}.
(Please |)(sit on|sit down on|be seated on|use seat) {seat}.
(The|your|my) (seat|place) is {seat}.
(Coach|car|carriage) {coach}, seat {seat}.
(Coach|car|carriage|wagon) {coach}.
(You are|I'm|we are|your seats are) in (coach|car|carriage) {coach}.
(From|on|we leave from|it runs from|walk to|wait on|departure from|find it at) platform {platform}.
(Platform|track|gleis)(:|) {platform}.
(The|your) (platform|track) is {platform}.
(Not platform {x_number} but|instead of platform {x_number} it is) platform {platform}.
(Gate|boarding at gate|your gate is|go to gate|at gate|gate:) {gate}.
(The|this) gate is {gate}.
(Boarding|we board) at {x_time} (at|from) gate {gate}.
(Train|with|line|take|on|by|connection:) {train}.
(The|that|this) (train|connection) is {train}.
{train} from {from} to {to}.
{train} to {to}.
{train}, {date}, {time}.
{train} (leaves|departs|starts) at {time}.
{train} (leaves|departs) {from} {date} at {time}.
(Passenger|guest|name|booked by|traveller|for|holder|ticket holder)(:|) {passenger}.
(Dear|hello|hi) {passenger}, (your|the) (booking|ticket|trip|reservation) is (confirmed|booked|ready|below).
{passenger} (has booked|is the passenger|is travelling|holds this ticket|bought it).
(The|our) (passenger|guest|traveller) is {passenger}.
(The booking is|it is|tickets are|reservation is) (in the name of|under|for) {passenger}.
(Booking|booking code|reference|booking reference|reservation|confirmation number|PNR|confirmation)(:|) {booking}.
(Your|the|my) (booking code|reference|reservation number|confirmation|booking number) is {booking}.
(Show|have|keep|use|give) (the code|the number|booking code|reference) {booking} (ready|at the door|at check-in|).
(Booking|reservation|order) {booking} is confirmed.
(You paid|please pay|paid|that makes|the bill is|we charged)(:|) {price}.
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
(it is|we'll go|travel|ticket|trip) in {class}.
(Your seats are|the ticket is|booked|valid) (for|in) {class}.
(A|The|My) {class} ticket.
(I|We|You|They) (will |have to |want to |may |can |)<goto> from {from} to {to}(, at last| together| this time| again|).
(I|We|You|They) (will |have to |want to |must |)<goto> from {from} to {to} {date}.
(I|We|You|They) (will |have to |want to |must |)<goto> from {from} (towards|over to|all the way to|straight to|direct to|up to|down to) {to}.
(The|Your|My|Our|A|This) <ride> (takes you|takes me|takes us|brings you|brings us|carries you|gets me) from {from} to {to}.
(The|Your|My|Our|This) <ride> (begins|starts) in {from} and (ends|finishes|stops) in {to}.
<It> (leaves|departs from|sets off in|starts in|starts from|comes from|pulls out of) {from} (and|then|, then it|and then) (goes to|goes on to|calls at|arrives in|ends in|heads for) {to}.
(Get on|Board|You board|You get on|We get on|Hop on) (in|at) {from} and (get off|get out|leave the train|step off|hop off) (in|at) {to}.
(You|We|I) (start|begin|set off|depart|board|get on|take off|join) (in|from|at) {from}.
(The|Your|My|Our) (journey|trip|ride|tour|train|flight) (starts|begins|sets off|departs) (in|from) {from}.
(The|Your|My|Our) (place of departure|starting point|departure station|point of departure|home station|departure airport) (is|will be) {from}.
{from} is (where we start|where you get on|where it leaves|where I board|the start|the place of departure|the departure station).
(You|We|I) (end|arrive|get off|get out|will arrive|finish|land|will land) (in|at) {to}.
(The|Your|My|Our) (destination|final stop|end of the trip|goal|terminus|arrival station|destination airport) (is|will be|shall be) {to}.
{to} is (where we get off|where you get out|the destination|where I am going|the last stop|where it ends|the place to go).
(Ticket|A ticket|My ticket|Seats|A seat|Fare|Your seat) (for the (train|bus|ferry) |)(to|for) {to}.
(I|We|You) (need to|must|have to|want to|would like to|will|shall) (get|be|travel|arrive) (to|in) {to}.
(Change|Changing|You change|A stop|One stop) (at|in) {x_city}, (then on to|and further to|then to) {to}.
(Journey|Route|Trip|Itinerary|Your trip|Travel)(: | - |: from ){from} (to|-|>) {to}.
{from} to {to}, (single|one way|return|both ways|second leg|nonstop|direct).
(Outward|Outbound|Way out|Way there|First leg)(: | - |, ){from} (to|-) {to}.
{from} to {to} with {train}.
{from} to {to} (on|by) flight {flight}.
<It> <leaves> at {time}.
<It> <leaves> {date}.
<It> <leaves> {date} at {time}.
<It> <leaves> (from |){from} at {time}.
<It> <leaves> at {time} and <arrives> at {end}.
<It> <arrives> at {end}.
<It> <arrives> in {to} at {end}.
(My|A|This|The last|The next) (connection|train|bus|flight|ferry|coach) (to|for|bound for) {to} <leaves> at {time}.
(The|Your|My|Our) <ride> (to|for|bound for) {to} <leaves> {date}.
(The|Your|My|Our) <ride> (from|out of) {from} <arrives> at {end}.
(We|You|I) (leave|depart|set off|start|take off|board|roll|are off) at {time}(, sharp|, don't be late| on the dot|, the guard said|).
(We|You|I) (arrive|get in|get there|land|are there|will be there|will arrive|should be there|touch down|reach it) at {end}(, they say|, with luck| if all is well|).
(Time of departure|The departure|The start|Departure time|The time it leaves|Departing) (is|will be|was changed to|is now|is fixed at|is planned for) {time}.
(Time we get in|The arrival|Arrival at the other end|The time we arrive|Our arrival) (is|will be|was changed to|is now|should be) {end}.
(When|What time) (do we leave|does it leave|does it start|is the departure|do you go)? (At |){time}.
(When|What time) (do we arrive|does it get there|do you arrive|is it there|does it land)? (At |){end}.
{time} (is when it leaves|is the departure|is when we leave|sharp is departure|it leaves|we set off|is the start).
{end} (is when it arrives|is the arrival|is when we get there|we arrive|it gets in|we will be there).
(Instead of|Not at|No longer at) {x_time} (it leaves|it departs|we leave|it starts|departure is) at {time}.
(Meet|We meet|Let's meet|I'll be on the platform|Check in|Bag drop|The doors close) at {x_time}, (the train leaves|departure is|it starts|we are off) at {time}.
(You|I|We) (travel|go|leave|fly|ride|depart|have a ticket|set off|start) {date}.
(The|Your|My|Our) (ticket|booking|reservation|pass|trip|journey|flight|train|seat) (is|was booked|is valid|was made|is good only|counts) {date}.
(The|Your|My|Our) (ticket|booking|reservation|trip|journey|flight|train) is for {date0}.
(The day|Day of travel|The date|Travel day|The big day|The day we leave|Date of the trip) (is|will be|has become|was moved to) {date0}.
{date} (we travel|is when we go|it starts|we are off|you travel|I leave|is the day|it leaves|we fly).
(Valid|Good|Usable|Bookable) only {date}.
(Bought|Issued|Printed|Ordered|Sold) {x_date}, (good for|valid for|for travel on|for) {date0}.
(The|Our) (trip|booking|date) (was|had to be|got) (moved|changed|shifted|rebooked) from {x_date0} to {date0}.
(My|Your|Our|The) seat (number |)(is|will be|should be|was|has been assigned:) {seat}.
(I|You|We) (sit|will sit|have to sit|have been put|are to sit|should sit|stay) (on|in|at) (seat |){seat}.
(I|You|We|She|He) (got|reserved|chose|picked|booked|took|will have|asked for|received|ended up with) seat {seat}.
{seat} is (my seat|your seat|the seat|where you sit|where I sit|reserved for you|your place|the place we got).
(Look for|Find|Go to|Take|Keep|Sit down on|Head to) (seat|place|the seat|your seat|seat number) {seat}.
(A window seat|An aisle seat|A nice seat|A seat|One seat|A good place)(: |, |, number |, namely |, it's )(seat |){seat}.
(Seat|Place) {seat} (is yours|is reserved|was booked|is by the window|is on the aisle|has your name on it|belongs to you|is free for you).
(The seat|Your place|The place) (on the ticket|you booked|I reserved|in the booking) is {seat}.
(You are in|I am in|We are in|They put us into|You sit in|I sit in|We sit in|Get into|Board) (coach|carriage|car|coach number|wagon|carriage no.) {coach}.
(Coach|Carriage|Car|Wagon) (number |no. |){coach} (is yours|is the one|is where you sit|it is|is at the front|is at the back|is the quiet one|is where the seat is).
(The|Your|My|Our) (coach|carriage|car|wagon) (is number|is|has the number|will be) {coach}.
(Look for|Walk to|Find|Go to|Wait for|Look out for) (coach|carriage|car|wagon|coach number) {coach}.
(The seat|My seat|Your seat|It) is in (coach|carriage|car|wagon) {coach}.
(Seat|seat number|place) {seat} in (coach|carriage|car|wagon) {coach}.
(In|You'll find) (coach|carriage|car|wagon) {coach}(, | you have | you'll find )seat {seat}.
<It> <leaves> from (platform|track) {platform}.
<It> <leaves> from (platform|track) {platform} at {time}.
(Go|Walk|Hurry|Run|Get|Proceed) to (platform|track) {platform}.
(Wait|Stand|Meet us|Be|We meet|I'll wait) (on|at) (platform|track) {platform}.
(Platform|Track) {platform} (it is|is the one|is where it leaves|is where we meet|is ours|is where you board|this time|is where the train stops).
(The platform|The track|Its platform|The number of the platform) (was changed to|is now|has become|should be|will be|is said to be) {platform}.
(Change of platform|Platform change|New platform|Attention)(:|, now|,) (platform|track) {platform}.
(Boarding|Departure|We board|You board|It boards|They board) (is |)(at|through|from|via) gate {gate}.
(Proceed|Walk|Run|Hurry|Come|Head) to gate {gate}.
(Our gate|My gate|The departure gate|Boarding gate|The new gate) (is|will be|was changed to|has changed to|should be|says) {gate}.
Gate {gate} (is open|is ours|it is|is where we board|is at the end|is closing|opens soon|is the one).
(Wait|Meet us|I'm sitting|Be|We meet) (at|near|by) gate {gate}.
(You|We|I|They) (take|took|catch|board|get on|booked|ride|have|will take|will be on|travel with|sit in) (the |){train}.
(You|We|I|They) (take|took|catch|board|booked|have|will take|will be on|fly with|go with|fly on) (flight |){flight}.
(You|We|I|They) (take|took|catch|board|get on|ride|have|will take|will be on|travel with|hop on) {bus}.
(The train to take|The service|The fast train|The night train|The train's number|The number of the train) (is|will be|is called|is listed as|has the number) {train}.
(The flight|My flight|Your flight|The plane|The flight number|The number of the flight|The connection) (is|will be|is called|is listed as) {flight}.
(The bus|My bus|The line|The bus number|Your connection|The one to take|The right bus) (is|will be|is called) {bus}.
{train} (is the train|is our train|is your connection|will take us|takes you there|is the one to catch|is what I booked|is running|is the service you want).
{flight} (is the flight|is our flight|is your connection|will take us|is the plane we take|is what I booked|is boarding soon|is the flight number).
{bus} (is the bus|goes there|is the one to take|will take us|takes you there|is your connection|is what you need).
(Don't miss|Look for|Catch|Wait for|Get|Board|Reserve a seat on) (the train |){train}.
(Don't miss|Look for|Catch|Wait for|Get on|Board) (flight |the flight |){flight}.
(Don't miss|Look for|Catch|Wait for|Get on|Board) {bus}.
(Flight|On flight|With flight|Flight number|By flight|Connection|Your flight) {flight}.
(Bus|Bus line|Line|Connection|Bus number)(: | - ){bus}.
{bus} to {to}.
{bus} from {from} to {to}.
{flight} from {from} to {to}.
{flight} to {to}.
{train} <leaves> {date} at {time}.
{train} <leaves> from platform {platform}.
{flight} <leaves> at {time}.
{flight} <leaves> from gate {gate}.
{bus} <leaves> at {time}.
{train} (takes|brings|gets) (you|us|me) to {to}.
{flight} (takes|brings|gets) (you|us|me) to {to}.
{train} (arrives|gets in|is there|pulls in) at {end}.
{flight} (lands|arrives|gets in|touches down) at {end}.
(I|We|You|They) (will see|would like to see|love|can't wait for|booked|got tickets for|have seats for|want to go to|look forward to|will watch|have to see|should see) {title}.
(Tickets|Seats|A ticket|Admission|A seat|Entry|Places|Entrance) (for|to) {title}.
{title} (is the show|is what we see|is what you booked|is on stage|is playing|is shown|will be performed|is the name of the show|is what the ticket is for|awaits you).
{title} (is|will be) (on|played|shown|performed|held|staged) (at|in) {venue}.
{title} (opens|plays|starts|runs|comes to town|will be shown|can be seen) {showdate}.
{title} (opens|starts|begins|kicks off|plays|will begin|gets going) at {showtime}.
(The|Your|Our) <show>(, |: |, called ){title}(, | )(begins|starts|kicks off) at {showtime}.
(Welcome to|Join us for|Don't miss|Come to|Get ready for|You are invited to|Thank you for booking|Live on stage:|Tonight:|Coming soon:) {title}.
(The|Your|Our|A) <show> (called|named|with the title) {title}.
(What's on|What do we see|What's playing|Which show)? {title}.
(The|Your|Our|This) <show> (takes place|is|is held|will be|happens|will take place|was moved to|can be seen) (at|in) {venue}.
(The|Your|Our|This) <show> (takes place|is|will be|happens|will take place) {showdate}.
(The|Your|Our|This) <show> (begins|starts|kicks off|gets going|will start|will begin|opens) at {showtime}.
(We|They|The band|The others|The actors) (meet|play|sit|perform|will be|will play|wait) (at|in) {venue}.
(Find your way|Get|Head over|Walk|Drive|Make your way|Take a taxi) to {venue}.
{venue} is (the venue|the place|where it is|where it happens|where they play|where we go|where the show is|the location).
{venue} (hosts|shows|presents|welcomes you to|invites you to|puts on|proudly presents) {title}.
(Not at|Moved from|No longer at|Instead of) {x_place}(,| but| now) (at|to) {venue}.
(The ticket|The booking|The reservation|The seat|It) (belongs to|is made out to|was issued to|is in the name of|was bought by|is registered to|is under the name) {passenger}.
{passenger} (has a reservation|will travel|has the ticket|is on the list|is the guest|booked the seat|is checked in|holds the booking|is the name on the ticket|is the traveller|reserved this).
(The|Our|Your) (traveller|passenger|guest|ticket holder|customer|lead passenger|name on the ticket) is {passenger}.
(This ticket|The seat|The booking|The reservation) (is for|is only for|can only be used by|was made for|was made by|belongs to) {passenger}.
(Travelling|Checked in|Seated|Registered|Booked in): {passenger}.
(Welcome aboard|Welcome|Thank you for booking|Good news|Bon voyage), {passenger}(|, your ticket is attached|, here is your ticket).
(The|Your|My|Our|This) (ticket number|ticket code|record locator|confirmation number|PNR|reservation code|booking ID|reservation ID|reference number) (is|reads|will be|was|:) {booking}.
(Quote|Mention|Type|Enter|Give them|Show|Say|Use|Have ready|Note|Write down|Keep|Remember) (the |your |)(booking code|reference|booking number|reservation code|confirmation code|booking reference) {booking}(, please| at the desk| if you call| to check in|).
{booking} is (your booking code|the reference|the booking number|our confirmation|the reservation code|the PNR|what you type to check in|the booking reference|my booking).
(We|I|They) (confirm|have confirmed|saved|stored|filed|made|changed|processed) (your |the |my |)(booking|reservation) {booking}.
(Booked|Reserved|Filed|Saved|Registered|You will find it|It is stored|Look it up) (under|as|with) (the code |the number |number |code |){booking}.
(Thank you for|Thanks for|About|Regarding|Concerning|Changes to|A question about) (your |my |)(booking|reservation) {booking}.
(Check in|Log in|You can cancel|You can change it|Print it) (with|using|under) (the code |code |the number |){booking}.
(I|We|You) (paid|spent|gave|owe|still owe|put down|transferred|had to pay) {price} (for it|for the ticket|for this|in all|altogether|for the seat).
(The ticket|The trip|The seat|It|The whole trip|The booking|Everything|That) (costs|cost|comes to|came to|was|is|sets us back|amounts to|adds up to) {price}(, all included| in all| altogether|, fees included|).
{price} (is the price|is the fare|is what you pay|was paid|is due|is what I paid|was charged|all in|for the ticket|is what it cost).
(Your|My|The) (card|account|credit card) (was|has been|will be) (charged|debited) (with |){price}.
(The|Your|Our) (ticket price|total price|amount paid|payment|bill|full fare|amount due|receipt) (is|was|says|shows) {price}.
(For|At|Only|Just) {price}(, what a bargain|, not cheap|, all in all|, fees included|).
(The drinks are {x_price} extra|Parking is {x_price} extra|Insurance would be {x_price}|Without fees it is {x_price}), (the ticket|in all it|everything together) (costs|is|comes to) {price}.
(I|We|You|They) (booked|bought|got|reserved|ordered|need|have|received|took|managed to get|paid for) {count} (tickets|seats|places).
(I|We|You|They) (booked|bought|got|reserved|ordered|have) {count} (tickets|seats|places) (to|for) {title}.
(There are|There will be|We are|We will be|You are|They are) {count} (people|travellers|persons|passengers|in the group).
(The booking|The reservation|The ticket|It|This) (is|was made|is good|counts) for {count} (people|persons|travellers|adults|passengers|guests).
{count} (of us are going|people are going|will travel|persons travel together|passengers are booked|tickets were booked|seats are reserved|places are yours|tickets are attached).
(How many tickets|How many people|Number of travellers|Group size|How many)(? |: ){count}.
(Attached|Enclosed|In the envelope|In the app|Below) (are|you find|you'll find) {count} tickets.
(You|We|I|They) (travel|go|fly|ride|sit|have a seat|will sit|paid for a seat) in {class}.
(It's|It is|This is) (a ticket for|a seat in|a booking in) {class}.
(Your|My|Our|This) (ticket|seat|booking|reservation|fare) (is|was|counts) (for|in) {class}.
(Upgraded|Moved|Changed|Upgrade|Switched) to {class}.
(We|I|You) (treated ourselves to|paid for|chose|have|picked|went for|got) {class}.
{class} (was booked|is booked|it is|is what we paid for|this time|was all they had).
(Travelling|Flying|Sitting|Riding|Seated|Cabin:) in {class}.
{passenger}, {from} to {to}.
{passenger}(, | in | has | gets )seat {seat}.
{title}, seat {seat}.
{title}, {count} (tickets|seats|persons).
{train}, (coach|carriage|car) {coach}, seat {seat}.
{flight}, gate {gate}, seat {seat}.
{from} {time}, {to} {end}, (with|on) {train}.
(Sit|Have a seat|Please sit|You may sit|You will sit|They seated me|They placed us) (on|at|in) {seat}.
(Which|What) seat (is it|do I have|did we get)? {seat}(, I think|, says the ticket|).
(My|Your|Her|His) (place|seat) on (board|the train|the bus|the plane) is {seat}.
(The number of|The label on|The ticket says) (the seat|my seat|your seat)(:| is) {seat}.
(Coach|Carriage|Wagon) number {coach}(, please|, in the middle|, right behind the engine|).
(Our|My|Your) seats are in (the |)(coach|carriage|car|wagon) (number |){coach}.
(Get|Climb|Hop) (into|on at) (coach|carriage|wagon) {coach}.
(What coach|Which carriage|Which coach) (is it|are we in)? (Number |){coach}.
(Our|My|Your|The) train (stops|waits|stands|is standing|is ready|comes in) (at|on) (platform|track) {platform}.
(Which platform|What platform|Which track)? (Number |){platform}(, says the board|, I think|).
(Up|Down) the stairs to (platform|track) {platform}.
(You|We|I) (board|leave|depart|change|get on) (at|on|from) (platform|track) {platform}.
(Not|No longer) gate {x_number}(,| but) gate {gate}.
(Which gate|What gate)? {gate}(, says the screen|, I think|).
(We are|I am|Everybody is|You find us) (sitting|waiting|queueing|standing) at gate {gate}.
(Flight|Plane) {flight} (boards|departs|is called|will board) (at|from) gate {gate}.
(We|You|I|They) (got into|sit in|want|need|board) {bus}.
(The next|The first|The last|Our) (bus|one|connection) (is|will be) {bus}.
(You|We) (change|transfer) to {bus}.
{bus} (stops right there|leaves every hour|is on time|is always late|comes soon|runs late at night).
(Our|Your|My) flight(,| is|:) {flight}(, is on time|, they say|).
(Our|Your|My) train(,| is|:) {train}(, runs daily|, they say|).
(The name on|The name in) (the ticket|the booking|the reservation|the list) is {passenger}.
(Only|Just) {passenger} (may use it|can travel on it|is booked|has to show an ID).
(A|This|The) (ticket|seat|reservation|booking|place) (for|in the name of|bought by|issued to) {passenger}.
{passenger} (flies|travels|rides|goes|is flying|is going) {date}.
{passenger} (flies|travels|goes|is flying|is going) (from {from} to {to}|to {to} from {from}).
(It|This|The ticket|The booking) says {passenger}(, so bring your ID|, that's the passenger|, is that right).
(Who travels|Who is it for|Whose ticket is it|Passenger's name)? {passenger}.
(The band|They|The actors|The players) (start|begin|kick off|go on stage|play|will start) at {showtime}.
(Curtain|Kick-off|First act|Showtime|The curtain goes up|Begin of the show|Start of the show|Opening act)(: | - | at ){showtime}.
(Please be|Be|You should be|Make sure to be) (on board|seated|ready|on the train) (by|before) {x_time}, (as|because|since) (it leaves|we leave|the train departs|it starts) at {time}.
(I'm|We're|I will be|We will be) (there|at home|at the station) at {end}(, pick me up|, can you fetch us|, I hope).
(Expected|Estimated|Scheduled|Planned) (arrival|arrival time|time of arrival)(: | is | at ){end}.
(Expected|Estimated|Scheduled|Planned) (departure|departure time|start)(: | is | at ){time}.
(Off at|Leaving at|Departing at|Start at) {time}, (there at|arriving at|in by|arrival at) {end}.
(I|We|You) (travel|fly) {class}(, of course|, as always|, for once|).
(Class|Cabin|Travel class|Comfort)(: | - | = ){class}.
(They|She|He|The agent) (booked|put|upgraded) (me|us|you) (in|into) {class}.
(No cheap seat|Comfortable|As you wished|Booked as ordered)(: |, ){class}.
(Admit|Admits|Valid for|Good for|Entry for) {count}.
(Party|A party|A group|Group) of {count}.
(Our|My|Your) (group|party|family) (has|counts|is) {count} (people|persons|heads).
(Will|Can) {count} of (us|you|them) sit together?
(I|We|You) (got|have|bought|found) (a ticket|tickets|seats|a seat) (for|at) {price}(, a bargain|, not bad|).
(The cashier|The machine|The website|The agent|They) (wants|wanted|took|charged|asked for) {price}.
(How much was it|What did it cost|What's the fare)? {price}.
(Boarding|Departure) will be (at|from|through) gate {gate}(, please be there early|, says the app|).
(You find us|I am|See you|They call us|Boarding starts) at gate {gate}.
Flight {flight} (uses|is at|has|leaves from|will board at) gate {gate}.
(At the airport|After security|Once inside)(,| please) (go to|look for|find|follow the signs to|walk to) gate {gate}.
{gate} (is the gate|is our gate|is where you board).
(Traveller|Passenger|Guest|Customer)(:|,| is| -) {passenger}.
(I booked|You booked|I reserved|This was booked) (it |)(for|in the name of) {passenger}.
(The name is|Name of the guest is|My name is|The holder is called) {passenger}.
(With|On|Via) (bus line|line|bus)(:| number|) {bus}.
(From the station|In town|At the end|From there) (take|you take|catch|there is) {bus}.
{bus}, (direction|towards|bound for) {to}.
(Get|Take|Catch|Ride) {bus} (from {from} to {to}|at {from}, get off at {to}).
(I'm|We're|She's|He's) on {bus}.
(The|Your) code (for the booking|for check-in|of the reservation|for online check-in) is {booking}.
(Changes|Cancelling|Check-in|Seat selection) (needs|only with|works with|requires) (the code|the reference|the booking number) {booking}.
(Reservation|Booking|Confirmation) {booking} (was made|went through|is complete|has been paid|is valid|stands).
(I|We) (have|got|received) (the |)(confirmation|booking number|reference|reservation code) {booking}.
(It|The show|The concert|The film|The play|The event|The gig) (is|takes place|happens|will be|was moved to a new day and is|is planned) {showdate}.
(It|The show|The concert|The film|The play|The event|The gig) (starts|begins|kicks off|opens|will start|will begin) at {showtime}.
(It|The show|The concert|The film|The play|The event) (is|starts|begins|will start) {showdate} at {showtime}.
(Date|When|Day|The date|Performance)(: | - | is ){showdate0}.
(Date|When|Performance|The show)(: | - | is ){showdate0}, {showtime}.
(Start|Begin|Starts|Beginning|Show starts|Starting time)(: | - | at ){showtime}.
(Be there|Come|See you|We meet|Join us|Be our guest|We'd love to see you) {showdate}(, {showtime}| at {showtime}).
(Come|See you there|Join us|We go|We see it|You are invited|They play|I'm going|It's on) {showdate}.
{showdate} (is the night|they play|is the premiere|we go|it happens|we see it|is the big day|the doors open).
{showdate} at {showtime}.
(Not|No longer) {x_date}(,| but) {showdate}.
(Bought|Booked|Reserved|Ordered) {x_date}, (the show is|good for|for the evening|the performance is) {showdate}.
(Postponed|Moved|Rescheduled|Shifted) from {x_date0} to {showdate0}.
(Ticket|Seats|Reservation|Admission) (only |)(valid |)for {showdate0}.
{showtime} (is the start|is when it begins|sharp, it begins|they go on stage|the curtain rises|is when the show starts).
(When|What time) (does it start|does it begin|is the show|do they play)? (At |){showtime}.
(They|We|The musicians) (won't|don't|will not) (start|begin|go on stage) before {showtime}.
(The|Our|This) (performance|screening|evening|concert|premiere) (on|of) {showdate0}.
(The|Our|This) (start|beginning|starting time|time|hour) is {showtime}.
(Only|Just|Nobody but) {passenger} (can|may|is allowed to) (use it|travel on it|board with it).
(The seat|This place|The reservation) is {passenger}'s.
(Issued|Sold|Printed|Made out|Registered) (to|for) {passenger}(, not transferable|, in person only|, nobody else|).
(Guest|Traveller|Passenger|Ticket holder) {passenger} (is booked|has checked in|will travel|is expected|is confirmed).
(Our guest|The person travelling|The one who travels|The visitor) (is|will be) {passenger}.
(We|They) (booked|reserved|bought) (it|this|the seat|the ticket) (for|in the name of) {passenger}.
(Check|Please check) the name(:| on the ticket:) {passenger}(, is that right|).
(Boarding pass|Ticket|Booking|Voucher) (for|of) {passenger}(, {from} to {to}|, from {from} to {to}| from {from} to {to}).
(Please|Kindly|Now|Everybody) (wait|line up|board|meet|gather) (at|near|in front of) gate {gate}.
(The aircraft|The plane|Our flight) (waits|stands|parks|is ready|boards) at gate {gate}.
(They|The airline|The crew) (will call us|will board us|let us in) at gate {gate}.
(Left at the shops|Straight on|Upstairs|At the far end), (it's|that's|you find) gate {gate}.
(Boarding pass|Ticket|Screen|Board|App)(: | says | shows )gate {gate}.
(All|Both|These) seats are (in |){class}.
(They|We|You) (upgraded|moved) (us|me|you) (up |)to {class}.
(In|With) {class} (there is more room|you get a meal|the seats are wide|it is quiet|we sleep better).
(The|Our|Your) compartment is {class}.
(We|I|You) (booked|reserved|chose|wanted) (seats|a seat|places|tickets) in {class}.
(All that|The lot|The way there|The whole thing) (was|is|cost|costs|made) {price}(, for all of us|, fees and all|, return included|).
(They|The bank|The card company) (booked|took|withdrew|charged) {price} (from my account|for it|for the tickets).
(Could you|Please|You must) (pay|transfer|send|bring) {price}(, please| for your ticket| in cash|).
(Thank you|Thanks) for (paying|your payment of|the transfer of) {price}.
(Nearly|Just under|All of|A mere|Only) {price}(, all in| altogether|).
{count} (of my friends|friends|colleagues|students) (come|travel|go) with (this|the) ticket.
(Seats|Places|Tickets) for {count}(, together please| in one row|).
(We|You|They) (come|arrive|travel|go) with {count} (people|persons|in all).
(Bring|Show|Print|Scan) all {count} tickets.
(Room|Space) for {count} (people|persons|passengers).
(You sit|We sit|You may sit) (down |)(in|on) seat (no. |number |){seat}.
(The usher|The steward|The guard) (shows you to|takes you to|says it is) seat {seat}.
(My|Your|Our) (ticket|booking|boarding pass) (says|shows|has) seat {seat}.
(The one for you is|You are booked on|The place they gave me is|My own is) seat {seat}.
(Carriage|Coach|Car|Wagon) {coach} (stops|is|waits|halts) (in section B|near the stairs|in the middle|right in front of you).
(It's|That's|Ours is|Mine is) (coach|carriage|car|wagon) {coach}.
(Walk through|Change|Move) to (coach|carriage|wagon) {coach}.
(The announcement|The board|The app|The guard) (said|says|shows) (platform|track) {platform}.
(Cross over|Run over|Come|Change|Switch) to (platform|track) {platform}.
(All trains|Every train) to the coast (will use|will leave from) (platform|track) {platform}.
(I|We|You) (transfer|change|switch) (to|onto) {train}(, don't miss it|, it waits|).
(Seats|A seat|Places|Berths) (on|in|aboard) {train}.
(A|The) (flight|plane) called {flight}.
Did you (check|see|book|catch) (flight |){flight}?
(It's|That's|Ours is|Mine is) (flight |){flight}.
(The stop of|A ticket for|The driver of) {bus}.
(The|Our|Your) reservation (is stored|was saved|can be found|runs) (under|as) {booking}.
(Tell|Give|Read) them (the code|the booking number|the reference) {booking}.
(What's|What was) (our|the|your) (booking code|reference|confirmation number)? {booking}(, I think|).
(Manage|Change|Cancel|View) (your |my |)(booking|reservation) {booking} (online|in the app|at any time).
(They|We) (want|hope|plan) to (reach|be in|get to) {to} (at|by) {end}.
(Breakfast|Lunch|Dinner) in {to}(, we arrive|, arrival|, we get in) at {end}.
(Good morning|Hello|Greetings) from {from}, (we leave|we're off|departure is) at {time}.
(Out of|Away from|Starting out from) {from}(, off|, and on|, heading) to {to}.
(See|Meet|Hear|Experience|Catch|Discover) {title}(, live|, at last| with us| on the big stage|).
(Our|Your|The) (seats|tickets|places) are for {title}.
(A night|An evening|An afternoon) (at|in) {venue}(, with|: | to see ){title}.
(The doors of|The lights of|The stage of|The foyer of) {venue} (await you|are open|are ready).
(They|We|The whole cast) (come|go|return) to {venue} {showdate}.""", **_WORDS)
