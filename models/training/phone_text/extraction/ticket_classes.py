"""What widens the training text of tickets: classes of words, and sentences, lines and labels that are put together of them.

A second town, hour, day, price, number or person of a sentence ({x_kind}) is never what a property of the ticket could be called: a stop on the way, the hour
at which the doors open, the price of the parking. Nobody else books for a passenger, and no price is that of one ticket of several.
"""

CLASSES = """
veh: train|bus|flight|ferry|boat|plane|connection|sleeper|express|shuttle|tram|night train|ship|airport bus|regional train|minibus|railcar|catamaran|tour bus|steamer|
local train|night bus|fast train
the: the|our|your|my|this|that|the next|the last|the early|the late|her|his|their
my: the|our|your|my|this|that|her|his|their|the|our|your
it: it|<the> <veh>|<the> <veh>|<the> <veh>|the one we want|ours|the thing|mine|everything|the direct one|the next one|the fast one
ride: trip|journey|ride|tour|crossing|passage|outing|excursion|drive|voyage|route|leg|stretch|run|way there|transfer|commute|cruise|expedition|adventure
paper: ticket|booking|reservation|pass|fare|voucher|e-ticket|seat reservation|boarding pass|slip|coupon|travel pass|print-out|confirmation|card|document
who: I|we|you|they|the kids|my parents|both of us|the two of us|all of us|the girls|our guests|the neighbours|my colleagues|the students|my cousins|most of us|some friends|
the others|the boys
are: we are|you are|they are|she is|he is|I am|my boss is|our class is|the team is|everyone is|the family is|Mum is|the choir is|the delegation is
goto: go|travel|ride|head|set out|journey|cruise|roll|sail|fly|drive|hop over|commute|move on|hurry|race|return|take the train|take the bus|have to get|want to go|
would like to travel|mean to go|get taken|need to go|hope to get|plan to travel|wish to be brought
ing: going|travelling|heading|flying|riding|sailing|off|driving|moving|hurrying|on the way|returning|commuting|being sent|rolling
leave: leaves|departs|goes|sets off|pulls out|is off|starts|rolls|moves off|is to leave|will depart|ought to leave|is due to leave|takes off|gets going|casts off|heads out|
is meant to go|drives off|pushes off|is timed to leave|hits the road|slips away|runs|is scheduled to go
weleave: leave|depart|set off|set out|start|take off|want to be off|get going|roll|head off|hit the road|push off|must be going|will set out|mean to leave|drive off|
want to leave|move out|sail|get picked up|have to leave
arrive: arrives|gets in|gets there|lands|pulls in|is there|turns up|touches down|docks|comes in|reaches the other end|will be there|is due in|ought to get in|stops for good|
ties up|is expected in|shows up at the other end|comes to a halt|completes the run
arrivein: arrives in|gets to|lands in|pulls into|rolls into|docks in|touches down in|is expected in|is due in|reaches|comes into|ties up in|ought to be in|will be in|ends in|
glides into|is supposed to reach|makes it to|will arrive in|turns up in|comes to rest in|crawls into
landin: lands in|arrives in|gets to|touches down in|is due in|reaches|comes down in|is expected in|ought to be in|will be in|makes it to|ends in|will land in
lfrom: leaves|leaves from|departs|departs from|departs in|goes from|sets off from|sets off in|pulls out of|rolls out of|starts in|starts from|moves out of|is due to leave|
will depart from|ought to leave|takes off from|gets going in|heads out of|says goodbye to|runs from|is scheduled to leave|turns its back on|begins in
wlfrom: leave|depart from|set off from|set out from|start in|start from|take off from|get going in|roll out of|say goodbye to|drive off from|want to leave|move out of|
sail from|get picked up in|have to leave|mean to leave|turn away from|will set out from|part from|wave goodbye to|go out of
wearrivein: arrive in|get to|land in|reach|roll into|touch down in|will be in|should be in|hope to be in|step out in|climb out in|pull into|expect to reach|get off in|
have made it to|set foot in|come to|end up in|stroll into|turn up in
wearrive: arrive|get in|get there|land|can be there|roll in|touch down|reach the other end|will be there|should arrive|hope to be there|step out|climb out|pull in|
expect to get in|get off|have made it
fly: leaves|departs|goes|takes off|is off|is to leave|will depart|ought to leave|is due to leave|is meant to go|is scheduled to go|is airborne|lifts off|starts|
should be in the air|pushes back|will take off|is cleared to leave
land: lands|arrives|gets in|touches down|is there|is due in|will be there|comes in|is expected in|ought to land|will land|is down|should touch down|reaches the other end
board: board|get on|hop on|climb aboard|join the train|get into the bus|start|begin the trip|enter the train|get picked up|jump on|embark|go aboard
getoff: get off|get out|step off|hop off|leave the train|climb out|arrive|end the trip|alight|jump out|finish|land|disembark|get dropped|stay|get let out|get set down
wet: rainy|sleepy|beautiful|chilly|dear old|downtown|faraway|busy|foggy|snowy|sunny|lovely|windy|crowded|hilly|little|distant|quiet|smoky|good old|nearby|pretty|ancient|
gloomy
pol: ||||please |kindly |do |just |best |(you should|you could|I'd) |don't forget to |remember to |be so kind and |make sure to |try to |then |now |quickly |we ask you to |
you have to 
rep: {x_name} says|{x_name} told me|{x_name} wrote|{x_name} has heard|{x_name} confirms|{x_name} found out|the app says|the board says|the conductor says|it says here|I read|
they told us|the mail says|the website says|I hear|my note says|the clerk said|the guard told us|the screen shows|I was told|as far as I know|they promise|
according to the plan|the desk confirmed|I remember|the text says|the leaflet says
open: Good news|Heads up|Quick note|Just to remind you|Note|Listen|One more thing|As promised|For your plans|Attention|Change of plan|In short|Reminder|For the record|Hurray|
Oh dear|So|FYI|To sum up|Update|Finally|Right then
tadv:  sharp| on the dot| precisely| as planned| local time| if all goes well|, says the board| as always| promptly|, and not a minute later| without fail| again| this time|
, mind you| for certain| punctually|, I'm afraid| as usual|, hopefully| exactly|, rain or shine|, they promised
dadv:  already| as planned| after all| again| for sure| this time|, hooray| in any case| with all our bags|, come what may| at last|, so pack now|, unfortunately|
 straight from work|, I think| with the dog| without the kids|, if I remember rightly|, says my calendar
gadv:  this time| again| as always|, mind you| for certain| as usual|, I'm afraid|, I think| after all| in any case|, hooray|, says my slip|, if I'm not mistaken|
, of all things|, they promised| once more|, by the way| at last|, believe it or not
madv: sharp|on the dot|precisely|exactly|as planned|local time|without fail|punctually|as usual|promptly|at the latest
on: board|get on|hop on|climb aboard|join the train|get into the bus|enter the train|jump on|embark|go aboard|start|be on board
off: get off|get out|step off|hop off|leave the train|climb out|alight|jump out|disembark|leave us|say goodbye to the driver|finish the trip
use: take|catch|board|got booked on|will use|have tickets for|travel with|will be on|ride|hold seats on|will get on|want|have chosen|go for|need|shall board|will sit in|
plan to catch|get a lift on
tired: hungry|tired|noisy|happy|cheerful|sleepy|grumpy|lucky|excited|grown-up|paying|registered|nervous|polite|elderly|young
fine: sold-out|brand-new|celebrated|hilarious|three-hour|gripping|latest|unforgettable|much-loved|wonderful|experimental|award-winning|charming|noisy|dreadful|long-awaited
cosy: packed|cosy|draughty|beautiful|refurbished|legendary|half-empty|popular|tiny|enormous|dusty|good old|fashionable|open-air
otherstart: boarding|check-in|the bag drop|breakfast|our taxi|the alarm|the meeting point|the ticket desk|the gate opening|security|the pick-up from home|the last call|
coffee with {x_name}|the bus to the airport|the luggage check|loading the bikes
otherend: dinner|the hotel check-in|my appointment|the party there|the rental desk|our table|the museum tour|the taxi ride to the hotel|the meeting there|the wedding|
the reception|the hand-over of the keys|the boat tour|the opening speech
doors: the doors open|admission is|doors are|the box office opens|the bar opens|they let us in|the cloakroom opens|the foyer opens|dinner is served|the support act plays|
we park the car|the queue starts|drinks are served|we meet outside|the garden opens|the talk before it is|seats should be taken|the lobby opens|the museum shop shuts
show: show|concert|film|play|event|performance|gig|evening|musical|opera|screening|match|recital|premiere|matinee|ballet|reading|festival|circus|session|game|revue|drama|
comedy night
begin: begins|starts|kicks off|gets going|gets under way|opens|commences|is to begin|will start|should begin|is on|goes live|comes on|is due to start|is set to begin|
is scheduled to start
theybegin: begin|start|kick off|go on stage|come on|play the first note|take the stage|get going|raise the curtain|dim the lights|are due on stage|will start|should begin|
open|hit the stage|blow the whistle
happen: is|takes place|happens|will be|goes ahead|is being held|was moved to a new day and is|is planned|is scheduled|comes up|has been set|is going to be|is to take place|
has been fixed|runs|is given|is put on|can be seen|is taking place
seeit: see|watch|visit|go to|attend|enjoy|hear|catch|want to see|can't wait to see|would love to watch|have to see|must not miss|will sit in|look forward to|
have been dying to see|talk about|have seats for|have admission to|want in on|long for|got invited to|get to watch|have two hours of|plan to hear
perform: performed|shown|staged|played|held|given|presented|screened|put on|celebrated|hosted|produced|on|live|on the programme|to be seen
plays: is shown|runs|opens|is staged|plays|comes to town|is given|can be heard|is performed|premieres|returns|is repeated|goes on|gets its last night|is broadcast live
house: venue|location|place|hall|theatre|house|stage|spot|arena|setting|address for tonight|club|concert hall
gotov: come|go|head|walk|drive|hurry|find your way|get yourself|get a taxi|cycle|proceed|make your way|bring everyone|take the tram|follow the crowd|stroll|ask the way|run
seatis: seat|place|chair|armchair|reserved seat|assigned seat|spot|window seat|aisle seat|place to sit|numbered seat|reservation|plush chair|seat for the ride|designated seat
sit: sit|stay|take a seat|got seated|have been put|got a place|sit down|must sit|settle|will be sitting|got placed|end up|spread out|have been squeezed in|wanted to sit|
have a booking|snooze|received a spot
look: look for|find|go to|take|head to|sit down on|keep|ask for|stick to|squeeze into|search for|grab|choose|occupy|settle into|reserve|use|hold|guard|save|collapse into
car: coach|carriage|car|wagon|coach number|carriage number|car no.|wagon no.|carriage no.|coach no.
board2: get into|board|climb into|walk to|look for|find|wait for|head for|move to|stay in|make for|run to|change to|choose|jump into|stand by|go through to|hurry to|aim for|
squeeze into
pf: platform|track|platform|track|platform number|track number|platform no.
walk: go|walk|hurry|run|proceed|come|rush|head|change|cross over|switch|hasten|drag your bags|get yourself|climb up|follow the signs|find your way|take the lift|limp|dash|
turn up|bring the bikes|make your way|sprint
wait: wait|stand|meet us|be|queue|line up|gather|assemble|hang around|look for us|have your coffee|stay|meet|keep an eye out|sit down|be ready|linger|find {x_name}
boardp: boards|is boarding|departs|leaves|waits|is parked|is called|takes on passengers|stands ready|lets people on|is now boarding|can be boarded|loads|will board|is cleaned
take: take|catch|board|get on|hop on|choose|wait for|look for|use|get|ride|pick|run for|jump on|reserve a seat on|join|go with|aim for|prefer|stick with|rely on|depend on|
book|enjoy
took: took|caught|boarded|got on|chose|booked|ride|travel with|will be on|sit in|got seats on|got booked on|will use|have tickets for|go by|love|rely on|swear by|changed to|
got moved to|just made it onto
service: train|service|connection|line|fast train|night train|train number|direct train|one to take|right train|train I mean|train we booked|number of the train|
train to look out for
flno: flight|flight number|plane|connection|number of the flight|service|one we booked|flight code|right flight|machine|flight to look out for
bsno: bus|line|bus number|bus line|connection|night bus|right bus|one to take|bus to catch|service|shuttle
pax: passenger|traveller|ticket holder|guest|holder|customer|lead passenger|name on the ticket|name on the booking|person travelling|passenger's name|guest's name|
holder's name|visitor|member
holds: holds the ticket|is the passenger|has the reservation|is on the passenger list|is the one travelling|is booked on it|has to show an ID|is expected at the desk|
is checked in|sits there|is named on the ticket|owns the pass|is down as the traveller|is the registered guest|uses this ticket|is allowed on board
isfor: is made out to|was issued to|is reserved for|belongs to|is in the name of|was printed for|is registered to|is under the name of|was sold to|is personal to|
is only valid for|was confirmed for|was prepared for|is held for
code: booking code|booking number|booking reference|reservation number|reservation code|confirmation number|confirmation code|record locator|PNR|reference number|booking ID|
ticket code|ticket number|reference|file key|booking ref|pick-up code for the tickets
tell: quote|mention|type in|enter|give them|show|say|use|have ready|note|write down|keep|remember|copy|state|read out|hold on to|key in|bring along|save|tap in|submit|
scribble down|forward|screenshot|memorise|present|look up|spell out
filed: filed|saved|stored|registered|kept|booked|listed|recorded|logged|found|held|archived|on record|entered|in the system|noted
fee: parking|the snack on board|the locker|insurance|the taxi|luggage|a coffee on board|the programme booklet|the cloakroom|the hotel|a drink at the bar|the bike|lunch|
the city map|wifi|the audio guide|a sandwich
paid: paid|spent|gave|transferred|got charged|had to pay|handed over|shelled out|parted with|coughed up|will pay|must pay|settled the bill with|put down|invested|forked out|
pay|only paid|agreed to pay
cost: costs|cost|comes to|came to|is|was|amounts to|adds up to|sets us back|works out at|ran to|totals|went for|is yours for|was billed at|will be|made|was as cheap as|
swallowed|could be had for
sep: ,| -| /|:|;| --|,| ~| *| +
all: all in|in all|altogether|all told|in total|with all fees|including tax|everything included|for the lot|at the end of the day|with the discount|by card|in cash|online|
at the counter|there and back|for everybody|with the rail card
lot: the ticket|the trip|the whole trip|the booking|everything|the lot|the whole thing|the fare|it|the journey|that|our outing|the total|the ride|the bill|the evening out|
the reservation
ppl: people|persons|passengers|travellers|adults|guests|visitors|seniors|students|colleagues|tourists|riders|heads
tix: tickets|seats|places|passes|reservations|vouchers|admissions|spots|e-tickets|berths|boarding passes
got: booked|bought|got|reserved|ordered|need|have|received|want|printed|secured|picked up|asked for|paid for|grabbed|won|collected|got sent|took|hold|managed to get|found|
snapped up|require
left: are left|are still free|are empty|have been sold|were taken already|are broken|are by the window|went to others
comfy: travel|sit|ride|fly|go|recline|stretch out|have been booked|relax|will sit|have seats|dine|paid for seats|doze|sleep|always travel|got an upgrade and sit|
have been seated|want to travel|read in peace|insisted on sitting
reply: yes|sure|right|of course|I think|hm|let me see|well|wait|one second|here it is|okay|just a moment|that I know
""".strip().replace("|\n", "|")  # a line that ends with a bar goes on

LINES = """
{from} (to|->|-|>|=>|until) {to}
{from} (to|->|-|>) {to}<sep> {date0}
{from} (to|->|-|>) {to}<sep> {time}
{from} (to|->|-|>) {to}<sep> {span}
{from} (to|->|-|>) {to}<sep> {train}
{from} (to|->|-|>) {to}<sep> {flight}
{from} (to|->|-|>) {to}<sep> {bus}
{from} (to|->|-|>) {to}<sep> {class}
{from} (to|->|-|>) {to}<sep> {price}
{from} (to|->|-|>) {to}<sep> {count} <ppl>
{from} (to|->|-|>) {to} (via|change in|by way of) {x_city}
(from|start|starting|dep.|ex|boarding in|out of) {from}
(to|arr.|bound for|towards|direction|off in|dest|heading for) {to}
{from}<sep> (dep.|dep|off|out|leaving) {time}
{to}<sep> (arr.|arr|in|at|there) {end}
(dep.|out|off|dep) {from}<sep> {time}
(arr.|in|arr|ends) {to}<sep> {end}
(out|dep.|off|departure|leaves|from) {time}<sep> (in|arr.|on|arrival|there|to) {end}
{time}<sep> {from}<sep> {to}
{time}<sep> {train}<sep> {to}
{time}<sep> {bus}<sep> {to}
{time}<sep> {flight}<sep> {to}
{date0}<sep> {from}<sep> {to}
{date0}<sep> {train}
{date0}<sep> {flight}
{date0}<sep> {time}<sep> {train}
{date0}<sep> (out|there|outward|outbound|going)
(out|outbound|there|going|outward) {date0}
(out|outbound|there) {date0}<sep> (back|return|home) {x_date0}
{span}<sep> {train}
{train}<sep> {time}
{train}<sep> (pl.|platform|track|plat.) {platform}
{time}<sep> (pl.|platform|track|plat.) {platform}
(pl.|platform|track|gl.) {platform}<sep> {train}
(from|on) (platform|track) {platform}<sep> {to}
(gate|boarding gate|at gate) {gate}<sep> {time}
(gate|at gate) {gate}<sep> {flight}
{train}<sep> (coach|car|carriage|wagon) {coach}<sep> (seat |){seat}
{train}<sep> {class}
{flight}<sep> {time}
{flight}<sep> (gate |){gate}
{flight}<sep> (seat |){seat}
{flight}<sep> {date0}
{flight}<sep> {class}
{bus}<sep> {time}
{bus}<sep> {from}<sep> {to}
{bus}<sep> {date0}
(boarding|check-in|bag drop|be there) {x_time}<sep> (dep.|departure|off|leaves) {time}
(doors|admission|bar|foyer) {x_time}<sep> (start|show|begin|curtain) {showtime}
(seat|place|st.|seat no) {seat}<sep> (coach|car|carriage|wagon) {coach}
(coach|car|carriage|wagon|c.) {coach}<sep> (seat|place|s.) {seat}
{title}<sep> {showdate0}
{title}<sep> {showdate0}<sep> {showtime}
{title}<sep> {venue}<sep> {showdate0}
{title}<sep> {venue}
{title}<sep> {showtime}
{title}<sep> (seat |){seat}
{title}<sep> {count} <tix>
{title}<sep> {price}
{showdate0}<sep> {title}
{showdate0}<sep> {showtime}
{showdate0} (at|@|in) {venue}
{showtime}<sep> {title}
{showtime} (at|@|in) {venue}
(at|@|in|hall|venue) {venue}<sep> {showtime}
{passenger}<sep> {from} (to|-|->) {to}
{passenger}<sep> (seat |){seat}
{passenger}<sep> {date0}
{passenger}<sep> {class}
{passenger}<sep> {count} <tix>
{booking}<sep> {from} (to|-|->) {to}
(ref|code|PNR|booking) {booking}<sep> {date0}
(class|cl.|cabin) {class}<sep> (seat|place) {seat}
{class}<sep> {price}
{class}<sep> (coach|car|carriage) {coach}
{count} <ppl><sep> {date0}
{passenger}<sep> (ref|code|booking|PNR) {booking}
(ref|PNR|code|booking|conf.|res.|file) {booking}<sep> {passenger}
(ref|PNR|code|booking|conf.|res.|file) {booking}<sep> {price}
{price}<sep> {count} <tix>
{count} <tix><sep> {price}
{count} <ppl><sep> {class}
{price}<sep> <all>
{price} <all>
(snack|parking|luggage|drinks|locker) {x_price}<sep> (total|fare|ticket|in all) {price}
"""

LABELS = {
    "title": "(Name|Title) of (the |)(play|film|concert|opera|musical|match)|(Opera|Musical|Match|Gig|Recital|Tour|Spectacle|Attraction|Exhibition|Feature|Premiere|Festival)|"
             "(Show|Film|Movie|Play|Concert|Programme) (title|name)|(You|We) (watch|visit|attend)|(Admission|Entrance|Entry) to|(Ticket|Tickets|Seats) for|Featuring|"
             "(Tonight's|The|Your|Our) (show|film|event|performance)|Work|Piece|Presenting|Live",
    "from": "(Starting|Departing|Boarding|Outgoing) (station|city|point|town|airport|stop)|(Station|City|Airport|Town|Port|Stop) of (departure|origin)|"
            "(Dep|Dep.) (station|city|airport|stn)|Origin (station|city|airport)|(Start|Begin|Beginning) (of|of the) (trip|ride)|(Get|Hop) on (at|in)|"
            "(Pick-up|Pickup) (point|town)|(Leaves|Sets off|Starts|Setting off|Travelling|Flying|Trip|Route|Journey) from|Starting place|First stop|Coming from|Ex|Out of|"
            "Orig.|Boards at",
    "to": "(Destination|Arriving|Arrival) (station|city|point|town|airport|stop)|(Station|City|Airport|Town|Port|Stop) of (arrival|destination)|"
          "(Arr|Arr.|Dest|Dest.) (station|city|airport)|(Get|Hop) out (at|in)|(Drop-off|Dropoff) (point|town)|(Bound|Headed) for|(Ticket|Fare) to|"
          "(Flying|Trip|Route|Journey|Goes|Runs|Leads|Direction|On the way) to|(Towards|Dest|Dest.|Target|Goal|Direction|Ends in)|(Your|Our|The) destination|"
          "Place of destination|Trip ends in",
    "date": "(Trip|Journey|Ride|Travel|Flight|Train|Booked) (day|date)|(Date|Day) of (the |)(trip|journey|ride|flight|outward journey)|(Dep|Dep.) (date|day)|"
            "(Leaving|Leaves|Departing|Flying|Starts|Good|Booked|Planned|Set|Usable|Out) on|(Outward|Outbound|Start) (day|date)|(Starting|Going|Departure) (on|day)|"
            "Valid (day|date)|Ticket valid|(Service|Calendar) (date|day)|Runs on|The day|Date (of use|valid)",
    "time": "(Dep|Dep.) (time|at)|(Train|Bus|Flight|Start|Starting|Departing|Take-off|Takeoff|Outbound|Trip) time|"
            "(Goes|Pulls out|Takes off|Starts|Rolls|Sails|Set off|Start|Leave|Go|Departing) at|Time (of leaving|it leaves|of take-off|to go)|"
            "(Train|Bus|Flight|Ferry|Trip) leaves|(Scheduled|Planned|Exact|New|Actual) (departure|departure time|dep.)|(ETD|STD|Take-off|Leaving|Departing)|When it leaves|"
            "Clock time",
    "showdate": "(Premiere|Screening|Play|Opera|Match|Gig|Playing|Booked) (date|day)|(Date|Day) of (the |)(concert|play|film|match|screening|opera)|"
                "(Performed|Played|Plays|Booked|Seen|Staged|Good|Held|Live|Shown) on|(Evening|Night|Calendar day)|(Which|What) (evening|night|date)|Valid for the|"
                "Date of admission|The day|Ticket valid",
    "showtime": "(Concert|Film|Play|Performance|Screening|Match|Gig|Curtain) (time|start)|"
                "(Kicks off|Play starts|Film starts|Concert starts|First act|Opens|Plays|Screening|They start|We start|Commences) at|(Begins|Starts) (from|promptly at)|"
                "(Beginning|Start) of (concert|play|film|match|performance)|Curtain|Kickoff|Hour|Clock time|Stage time|When it starts",
    "end": "(Arr|Arr.) (time|at)|(ETA|STA)|(Landing|Arriving|Ending|Finish|Touchdown|Docking) (time|at)|"
           "(Lands|Pulls in|Rolls in|Due in|Touches down|Comes in|We are there|Expected) at|Time (it arrives|of landing|we arrive|there)|"
           "(Train|Bus|Flight|Ferry|Trip) (arrives|ends)|(Expected|Estimated|Exact|New|Actual) (arrival|arr.)|When it arrives|In at|(There|In) by|Arriving|Gets there",
    "seat": "(Row|Row and) seat|Seat (row|code|nr|#|booked|assigned|label|on board)|(Seated|Placed|Sitting|Sits) (at|in|on)|(Place|Chair) (no|no.|number|nr)|"
            "(Reserved|Booked|Allotted|Assigned|Given|Window/aisle|Numbered) (seat|place|chair)|(Where you|Where to|You|I) sit|(The|His|Her|Your|One) (seat|place)|Chair|"
            "Position|Seated in row",
    "coach": "(Coach|Carriage|Wagon|Car) (nr|nr.|#|no|id|of the train)|(Seat|Seats|Place|Sits|Reserved) in (coach|car|carriage|wagon)|"
             "(Number|No.) of (the |)(coach|carriage|car)|(Board|Get into|Go to|Enter) (coach|carriage|car)|(The|Our|My) (coach|car|wagon)|Rail car|Compartment car|Wag.|"
             "Wag. no.",
    "platform": "(Platform|Track|Plat) (nr|nr.|#|no|id)|(Number|No.) of (the |)(platform|track)|(Train|Leaves|Starts|Board|Boarding|Stops|Waits) (on|at|from) (platform|track)|"
                "(Dep|Dep.|Boarding|New|Planned|Station|Your|Our) (platform|track)|(Pf|Pl|Plt|Pltf.|Tr.|Trk)|Rail track|Line up at platform|Spår|Peron|Andén",
    "gate": "(Gate) (nr|nr.|#|code|info|at the airport)|(Flight|Airport|New|The|Current|Dep.) gate|(Number|No.) of (the |)gate|(Walk|Proceed|Come|Head|Now) to gate|"
            "(Boards|Boarding|Departs|Leaves|Waiting) (from|at) gate|(Boarding|Board|Leaves) (from|through)|Boarding place|Gt|Gt.",
    "train": "(Train|Service|Connection|Line) (nr|nr.|#|code|used)|(Number|No.|Name) of (the |)train|"
             "(Booked|Reserved|Direct|Fast|The|Our|Chosen|First) (train|service|connection)|(Travel|Go|Ride|Riding|Goes|Trip) (by|with|on)|Rail (line|connection|no.)|"
             "(Railway|Trains|Trn|Zug|Express)|You take|On board",
    "flight": "(Flight|Plane|Service) (nr|id|code|#|designator|booked|info)|(Number|No.|Code) of (the |)(flight|plane)|"
              "(Booked on|Your plane|The flight|Air service|Our flight|Outbound flight|Fly with|You fly|Airline and number|Flt|Flt.|Flt no.|Flug|Vol)|(By|Via) (plane|flight)|"
              "Aircraft service",
    "bus": "(Bus|Line|Route|Service) (nr|nr.|#|code|id)|(Number|No.|Name) of (the |)(bus|line|route)|(Night|City|Airport|Next|Right|The|Our|Your) (bus|line)|"
           "(Go|Travel|Ride|Get there|Goes) (by|with|on)|(Board|Catch|Get on|Use) (bus|line)|You take|Public transport|Shuttle",
    "venue": "(Concert|Event|Show|Theatre|Cinema|Performance|The) (hall|place|house|location|stage|address)|(Name|Address) of (the |)(venue|theatre|hall|house|cinema)|"
             "(Club|Stage|House|Cinema|Opera house|Stadium|Scene|Site|Spot|Playhouse)|(Staged|Live|Screened|Seen|On|Given|Presented) at|(Go|Come|Way) to|"
             "(Where|Place) (of the show|they play)|Which (hall|theatre)",
    "passenger": "(Passenger|Traveller|Guest|Holder|Customer|Client|Visitor|Buyer) name|Name of (the |)(traveller|guest|holder|passenger|customer|visitor)|"
                 "(Made out|Sold|Given|Registered) to|(Reserved|Seat|Reservation) for|(Client|Visitor|Rider|Attendee|Flyer|Person|Mr/Ms|Owner|Pass holder|Member)|"
                 "(Booked|Reserved|Bought|Held|Used) (by|for)|Who travels|(First|Given) name and surname|Reservation name|(Main|Adult) passenger|Pass. name|Pax name",
    "booking": "(Booking|Reservation|Confirmation|Ticket|Trip|Travel|Reference) (nr|nr.|#|key|id|no)|(Number|No.|Code) of (the |)(booking|reservation|ticket|order)|"
               "(Booked|Filed|Saved|Registered|Found) (as|under)|(Check-in|Pick-up|E-ticket|Retrieval|Travel|File) (code|number)|(Your|Our|The) (code|booking|reservation|PNR)|"
               "(Locator|File no.|File|Ref no|Ref code|Conf|Conf.|Conf no|Res|Res.|Res. no.|Bkg ref|Bkg|Bk no.)",
    "price": "(Ticket|Full|Final|Whole|Travel|Booking|Seat|Net|Gross) (cost|costs|sum|amount|charge)|(Price|Cost|Amount) (of the|for the) (ticket|trip|booking)|"
             "(Sum|Total|Amount|All) (paid|charged|to pay|in|incl. fees)|(Charged to|Paid by) card|(Cash|Bill|Invoice|Costs|Charges|Payable|Debit|Debited|Spent|Expense)|"
             "(That|It) (makes|costs|comes to)|How much|(Due|Pay|We charged|Your payment|Subtotal and fees)|Price (in all|all in)",
    "count": "(Number|No.|Nr.|Count|#) of (seats|persons|adults|travellers|guests|places|passes)|How many (people|tickets|seats|travel)|"
             "(Total|Booked|All) (persons|people|tickets|seats)|Group of|Booking for|(Ticket|Seat|Passenger|Guest) (quantity|qty|count|total)|"
             "(Seats|Places|Persons|Heads|Admissions|Admit|Admits|Travelers|Amount of tickets)|(Pers.|Ppl|Pcs|Qty.|Num. of pax)|We are|People travelling",
    "class": "(Train|Flight|Coach|Carriage|Fare|Seating|Booked|Reserved|The|Your|Ticket's) class|(Class|Category) of (the |)(seat|ticket|carriage|cabin|service|booking)|"
             "(Seat|Ticket|Fare|Comfort|Cabin|Service) (category|type|level)|(Travel|Sits|Seated|Ride|Fly|Flying|Valid) in|Cl|Cl.|Kl.|Compartment|Travelling class|Which class",
}
