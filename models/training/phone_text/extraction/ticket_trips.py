"""Sentences of trips that are put together of the classes of words of ticket_classes.py: from where, to where, when, with what and from which platform or gate."""

SENTENCES = """
<who> <goto> from {from} to {to}
<who> <goto> from {from} to {to} {date}
<who> <goto> from {from} to {to} at {time}
<who> <goto> from <wet> {from} to <wet> {to}
<who> <goto> to {to}
<who> <goto> to <wet> {to} {date}
<who> <goto> to {to} {date} at {time}
<who> <goto> to {to}, leaving {from} (at|around) {time}
<are> <ing> to {to}
<are> <ing> to <wet> {to} {date}
<are> <ing> from {from} to {to}
<are> <ing> from {from} {date}
<open>: <it> <lfrom> {from}
<open>: from {from} to {to}
<open>: to {to} {date}
<rep> <it> <lfrom> {from} at {time}
<rep> <it> <lfrom> {from}
<rep> the <ride> ends in {to}
<rep> <who> <goto> to {to}
<rep> <who> <board> in {from} and <getoff> in {to}
<who> <board> (in|at) {from}
<who> <board> (in|at) <wet> {from} {date}
<who> <board> in {from} at {time}
<who> <board> in {from} and <getoff> in {to}
<who> <board> in {from}, change in {x_city} and <getoff> in {to}
<pol><on> in {from}
<pol><off> (in|at) {to}
<who> <getoff> (in|at) {to}
<who> <getoff> in <wet> {to} at {end}
<who> <wlfrom> {from}
<who> <wlfrom> {from} {date} at {time}
<who> <wlfrom> <wet> {from}<dadv>
<who> <wearrivein> {to}
<who> <wearrivein> <wet> {to} at {end}
<who> <wearrivein> {to}<dadv>
(goodbye|farewell|so long|bye-bye|adieu) {from}, (hello|welcome to|off to|next stop|on to) {to}
{from} is where <who> <board>
{from} is where <it> <leave>
{to} is where <who> <getoff>
{to} is where <the> <ride> ends
out of {from}, into {to}, (<the> <veh> does it all|no change|a fine <ride>)
the <ride> (starts|begins) in {from}<dadv>
the <ride> (ends|is over|finishes) in {to}<dadv>
the <ride> from {from} to {to} is booked<dadv>
the <ride> to {to} <lfrom> {from}
<the> <ride> (leads|brings us|takes everyone|carries us|goes) to {to}
<the> <veh> (leads|brings us|takes everyone|carries us|goes) from {from} to {to}
<my> <paper> is for the <ride> to {to}
<my> <paper> is for the <ride> from {from} to {to}
<my> <paper> (reads|says|shows|lists) {from} to {to}
<my> <paper> takes you from {from} to {to}
<who> live in {x_city} but <the> <veh> <lfrom> {from}
<who> live in {x_city} but <board> in {from}
after a week in {x_city} <who> <wlfrom> {from}
not from {x_city}, <it> <lfrom> {from}
there is no <veh> from {x_city}, so <who> <board> in {from}
we pass {x_city} and <getoff> in {to}
{x_city} is only where we change, {to} is where <who> <getoff>
<it> (stops|halts|calls|waits a while) in {x_city} on the way to {to}
not to {x_city} this time, <who> <goto> to {to}
<who> change in {x_city} on the <ride> from {from} to {to}
(stay in your seat|don't get off|stay on board) in {x_city}, <off> in {to}
(where do you start|where from|from where|where does it leave|where do I get on)? <reply>, (in |from |){from}
(where to|where are you going|what's the destination|where do we get off|which way)? <reply>, (to |in |){to}
(where from and where to|which way|what's the route)? {from} to {to}
(one|the|another) <paper> from {from} to {to}<gadv>
<who> <wearrivein> {to} at {end}, (please pick us up|fetch us with the car|will you be there|wait at the exit)
(leave|quit) {from} (behind|) {date}
the {time} <veh> from {from} to {to}
the {time} <veh> to {to}
the {time} <veh> out of {from}
the {time} to {to} <leave> from platform {platform}
<take> the {time} <veh> to {to}
<who> <took> the {time} <veh> from {from}
<pol><take> the {time} <veh>
<who> <took> the {time} <veh>, not the {x_time} one
<it> <leave> at {time}<tadv>
<it> <leave> {date} at {time}
<it> <leave> {date}<dadv>
<it> <lfrom> {from} at {time}<tadv>
<it> <leave> at {time} and <arrive> at {end}
<it> <leave> (at|around) {time}, <arrive> at {end}
<it> <leave> for {to} at {time}
<it> <leave> for {to} {date}
at {time} <it> <leave>
at {time} <madv> <who> <weleave>
{date} at {time} <who> <weleave>
{date} <it> <leave> at {time}
{date} <who> <weleave><dadv>
{date} <who> <goto> to {to}
{date} <who> <goto> from {from} to {to}
{date}: <it> <leave>, <who> will be ready
{date}, {time}, {from}: <it> <leave>
<who> <weleave> at {time}<tadv>
<who> <weleave> {date}<dadv>
<who> <weleave> {date} at {time}<tadv>
<who> <weleave> at {time} and <wearrive> at {end}
{time} is when <it> <leave>
{time} is when <who> <weleave>
{time} <madv> is the departure
<rep> <it> <leave> at {time}
<rep> <it> <leave> {date}
<rep> <it> <leave> {date} at {time}
<rep> the departure is at {time}
<open>: <it> <leave> at {time}
<open>: <it> <leave> {date} at {time}
<open>, <who> <weleave> {date}
<otherstart> is at {x_time}, <it> <leave> at {time}
<otherstart> is at {x_time} and at {time} <it> <leave>
<it> <leave> at {time}, <otherstart> is at {x_time}
<it> <leave> at {time}, so <otherstart> is (at|already at|long before, at) {x_time}
after <otherstart> at {x_time} <who> <weleave> at {time}
(get up|be awake|set the alarm for|call the taxi for|be at the stop) (at |){x_time}, <it> <leave> at {time}
(the new|the corrected|the final|the scheduled|the real|the delayed) departure is {time}, (the old one was|it used to be|no longer|and not) {x_time}
(delayed|late|a delay): <it> <leave> at {time}, (not|instead of) {x_time}
it should have left at {x_time}, now <it> <leave> at {time}
(what time does it leave|when do we go|when should I be on board|what time is departure|when's our train)? <reply>, {time}
(which day|what day|when do you travel|when is the trip|on which day is that)? <reply>, {date0}
(what time do we get in|when are you there|when does it arrive|when shall I fetch you)? <reply>, {end}
the <ride> is planned for {date0}
the <ride> is (set for|moved to|fixed for|booked for|scheduled for) {date0}<dadv>
{date0} is (when we travel|the day of the <ride>|on <my> <paper>|our day to travel|the date printed on it)
<my> <paper> is (valid|good|only good|usable) {date}
<my> <paper> is (valid|good|only good|usable) {date} from {from} to {to}
<my> <paper> (reads|says|shows|gives the date|is dated|counts for) {date0}
<the> <ride> is {date}<dadv>
<the> <ride> is {date}, not {x_date}
<who> <weleave> {date}, (and come back|back home|and return|the way back is) {x_date}
(out|outbound|the way there|there) {date}, (the return is|and home again|back) {x_date}
cancel until {x_date0}, <it> <leave> {date}
(pay|cancel|print it|change it|return the form) by {x_date0}, the <ride> is {date}
the hotel is booked for {x_date0} but <who> <weleave> {date}
the holidays begin {x_date}, <who> <weleave> {date}
nothing was free {x_date}, so <who> <goto> {date}
(tickets go on sale|the sale starts|new prices start|the timetable changes) {x_date}, <who> <goto> {date}
<it> <arrive> at {end}<tadv>
<it> <arrivein> {to} at {end}
<it> <arrive> at {end}, <otherend> is at {x_time}
<otherend> is at {x_time}, <it> <arrive> at {end}
<otherend> is at {x_time} and <who> <wearrive> at {end}
<who> <wearrive> at {end}<tadv>
<who> <wearrive> at {end}, in time for <otherend> at {x_time}
at {end} <who> <wearrive>
at {end} <it> <arrive>
at {end} <it> <arrivein> {to}
{end} is when <it> <arrive>
{end} is when <who> <wearrive>
<rep> <it> <arrive> at {end}
<rep> <who> <wearrive> at {end}
<open>: <it> <arrive> at {end}
(the arrival|arrival over there|our arrival|the landing|touchdown|the end of the <ride>) (is|will be|is planned for|should be) (at |){end}
(fetch me|pick us up|wait for me|be at the exit|expect us|come and get us) at {end}, that's when <it> <arrive>
(expect us|you can fetch us|I'll see you|wait at the exit) (by|from|at) {end}, when <it> <arrive>
<it> (only|) <arrive> at {end}, not at {x_time}
(lunch on board|we have a break|a stop in {x_city}|the border|the change) at {x_time}, then on, <it> <arrive> at {end}
the <ride> (lasts|is|goes|takes us) from {span}
on the road {span}
<it> is under way {span}
(departure and arrival|times|out and in|the times of <the> <veh>): {span}
<rep> platform {platform}
<rep> <it> <leave> from <pf> {platform}
<it> <leave> from <pf> {platform}<gadv>
<it> <leave> from <pf> {platform}, not from {x_number}
<it> <leave> from <pf> {platform} at {time}
<the> <veh> (stops|waits|stands|comes in|is boarding|is cleaned|rolls in|has been standing) (at|on) <pf> {platform}
<walk> to <pf> {platform}
<pol><walk> to <pf> {platform}
<pol><walk> to <pf> {platform}, <it> <leave> at {time}
<wait> (on|at) <pf> {platform}
<wait> (on|at) <pf> {platform} {date}
<pf> {platform} is where <who> <board> {date}
<pf> {platform} is where <it> <leave>
<pf> {platform} is ours<gadv>
<open>: <pf> {platform}
<open>, it's <pf> {platform}<gadv>
at <pf> {platform} <who> <board>
(the lift|the toilet|the ticket machine|the bakery|the kiosk) is at platform {x_number}, <it> <leave> from <pf> {platform}
not {x_number}, <pf> {platform}
platform {x_number} is closed, <walk> to <pf> {platform}
(which platform|what track|where does the train stop|where do I have to stand)? <reply>, {platform}
(which platform|what track|where do I have to stand)? <pf> {platform}
<rep> gate {gate}
<rep> <it> <boardp> at gate {gate}
<it> <boardp> at gate {gate}
<it> <boardp> (at|from) gate {gate} at {time}
<flno> {flight} <boardp> at gate {gate}
<walk> to gate {gate}
<pol><walk> to gate {gate}
<pol><walk> to gate {gate}, otherwise they leave without you
<wait> (at|near|by|in front of) gate {gate}
gate {gate} (is far|is upstairs|is behind the shops|has moved|it is|please|needs a bus ride|is on the left|has free seats|opens shortly)<gadv>
gate {gate} is where <who> <board>
at gate {gate} <it> <boardp>
<open>: gate {gate}
<open>, <it> <boardp> at {gate}
the gate (is|was changed to|will be|reads|became|turned out to be) {gate}<gadv>
not gate {x_number}, <walk> to {gate}
the lounge is near gate {x_number}, <it> <boardp> at {gate}
(boarding|last call|final call|calling everyone|all aboard): gate {gate}
(which gate|what's the gate|where do they board)? <reply>, {gate}
<who> <took> {train}
<who> <took> {train} to {to}
<who> <took> {train} from {from} to {to}
<who> <use> {train} {date}
<pol><take> {train}
<pol><take> {train} at {time}
<pol><take> {train} to {to}
<pol><take> {train}<gadv>
the <service> is {train}
<my> <service> is {train}<gadv>
{train} is the <service>
{train} <leave> at {time}
{train} <lfrom> {from} at {time}
{train} <leave> {date}<gadv>
{train} <leave> from <pf> {platform}
{train} <arrive> at {end}
{train} <arrivein> {to} at {end}
{train} (brings|takes|carries|gets|whisks|ferries|hauls) (us|me|you|everyone|the group) to {to}
{train} has a (dining car|quiet zone|play area|bicycle compartment|bar)<gadv>
<rep> {train} is the <service>
<rep> <who> <took> {train}
<open>: <take> {train}
(on board|aboard|with|by|thanks to|per) {train} <who> <goto> to {to}
RE {x_number} is cancelled, <take> {train}
not IC {x_number}, <who> <took> {train}
(instead of|in place of) EC {x_number} <who> <took> {train}
(which train|what train|which service|what are you on)? <reply>, {train}
<who> <took> {flight}
<who> <took> {flight} to {to}
<who> <use> {flight} {date}
<pol><take> {flight}
<pol><take> {flight} from {from}
the <flno> is {flight}
<my> <flno> is {flight}<gadv>
{flight} is the <flno>
{flight} <fly> at {time}
{flight} <fly> {date}<gadv>
{flight} <land> at {end}
{flight} <landin> {to} at {end}
{flight} <boardp> at gate {gate}
{flight} (brings|takes|carries|gets|whisks|flies|lifts) (us|me|you|everyone|the group) to {to}
<rep> <who> <took> {flight}
<rep> the <flno> is {flight}
<open>: <take> {flight}
(on board|aboard|with|by|in) {flight} <who> <goto> to {to}
QX {x_number} is cancelled, <take> {flight}
not LO {x_number}, <who> <took> {flight}
(which flight|what's the flight number|which plane|what are you on)? <reply>, {flight}
<who> <took> {bus}
<who> <took> {bus} to {to}
<who> <use> {bus} {date}
<pol><take> {bus}
<pol><take> {bus} at {time}
<pol><take> {bus} from {from}
the <bsno> is {bus}
<my> <bsno> is {bus}<gadv>
{bus} is the <bsno>
{bus} <leave> at {time}
{bus} <lfrom> {from} at {time}
{bus} <leave> {date}<gadv>
{bus} <arrive> at {end}
{bus} <arrivein> {to} at {end}
{bus} (brings|takes|carries|gets|ferries|rattles) (us|me|you|everyone|the group) to {to}
<rep> <who> <took> {bus}
<rep> the <bsno> is {bus}
<open>: <take> {bus}
(on board|aboard|with|by|in) {bus} <who> <goto> to {to}
bus {x_number} does not run, <take> {bus}
bus {x_number} is too slow, so <who> <took> {bus}
(which bus|which line|what bus|what are you on)? <reply>, {bus}
<who> <goto> to <wet> {to}, not to {x_city}
the {time} from {from} (is|was) (full|late|packed|cancelled once before|on time|our choice)
the {time} to {to}, (please|two hours by rail|once a day|without a stop|fully booked)
<it> <arrivein> <wet> {to} at {end}
<it> <lfrom> <wet> {from} at {time}
<it> <leave> {date} from {from}
<who> <weleave> at {time} from {from}<dadv>
<who> <weleave> {date}, <otherstart> is at {x_time}
<who> <use> {train}
<who> <use> {train} to {to} {date}
<who> <use> {train} from {from} at {time}
{train} (passengers|travellers|fans|commuters|riders), (please|kindly|now) <on> at <pf> {platform}
(dear passengers of|notice for|news of|a delay of) {train}: <pf> {platform} <madv>
<who> <use> {flight}
<who> <use> {flight} from {from}
<who> <use> {flight} from {from} to {to} {date}
{flight} (passengers|travellers|guests) (please|now|must) <walk> to gate {gate}
(dear passengers of|notice for|news of|a delay of) {flight}: gate {gate}
<who> <use> {bus}
<who> <use> {bus} from {from} to {to}
<who> <use> {bus} {date} at {time}
{bus} (passengers|travellers|riders) (get off|arrive|are let out) in {to} at {end}
<pol><take> {bus} in {from} and <off> in {to}
<pol><take> {train} in {from} and <off> in {to}
<who> <weleave> from gate {gate} at {time}
gate {gate}, <who> <board> at {time}
(coffee|a bench|the queue|the crew|a shuttle|the monitor) (is|waits|awaits us) at gate {gate}
from <pf> {platform} <it> <leave> at {time}
from <pf> {platform} <who> <weleave><dadv>
off to {to} {date}
{to} {date}, (can't wait|finally|with {x_name}|all packed|come with us|hurray)
{to} (by|with|on) {train}
{to} (by|with|on) {flight}
{to} via {x_city}, (by|with|on) {train}
{date} {to}, (early start|at dawn|at last|alone|with the team): {time}
<veh> at {time}, {to} by {end}
{time} from {from}, {end} in {to}
{time} out of {from}, {to} at {end}
(there|in|arrived|done|arrival) by {end}, if <it> <leave> at {time}
<pf> {platform}, {time}<tadv>
{train} again, <pf> {platform}<gadv>
(me|us|the boss|Mum|the team): {train}, {x_name}: car
(me|us|the boss|Mum|the team): {flight}, {x_name}: RE {x_number}
no <veh> before {time}, no earlier arrival than {end}
(can|could|would) you (book|get|find|reserve) <my> <ride> to {to}?
(can|could|would) you (book|get|find|reserve) a <veh> from {from} to {to} for {date0}?
(put|book|get|squeeze) (me|us|her|him|the group) on {train} {date}
(put|book|get|squeeze) (me|us|her|him|the group) on {flight} {date}
<who> <goto> to {to} {date}, <it> <leave> from <pf> {platform} at {time}
{train} to {to} <leave> at {time} from <pf> {platform}
{train} from {from} <arrivein> {to} at {end}
{flight} from {from} <landin> {to} at {end}
{flight} to {to} <fly> {date} at {time}
{bus} from {from} <arrivein> {to} at {end}
{bus} to {to} <leave> at {time}
gate {gate} was (announced|confirmed|assigned|given out|changed a minute ago)<gadv>
<pf> {platform} was (announced|confirmed|assigned|given out|changed a minute ago)<gadv>
the departure was (moved|changed|put back|brought forward|corrected) from {x_time} to {time}
the arrival was (moved|changed|put back|brought forward|corrected) from {x_time} to {end}
<it> was (moved|changed|transferred|switched) from <pf> {x_number} to {platform}
Q: (from where|where do you start|departure)? A: {from}
Q: (where to|destination|which town)? A: {to}
Q: (what day|which date|when do you travel)? A: {date0}
Q: (what time do you leave|departure at|when does it go)? A: {time}
Q: (what time do you arrive|arrival at|when do you get in)? A: {end}
Q: (track|platform|which platform)? A: {platform}
Q: (gate|which gate)? A: {gate}
flight {flight} from {from} to {to} <fly> {date} at {time}
{flight} from {from} to {to}, gate {gate}, {time}
<who> <use> {flight} from {from} at {time}, <who> <wearrivein> {to} at {end}
{train}, {from} {time}, {to} {end}
{train}: {date}, {time}, <pf> {platform}
{bus}: {from} {time}, {to} {end}
<who> <use> {train} {date} at {time}, <pf> {platform}
<who> <weleave> {date} at {time} and <wearrive> at {end}
from {from} at {time}, to {to} by {end}, with {train}
<it> <lfrom> {from} {date} at {time} and <arrivein> {to} at {end}
<rep> <it> <lfrom> {from} at {time} and <arrivein> {to} at {end}
"""
