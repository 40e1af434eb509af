"""Sentences of shows and of what a ticket says of seats, people, codes, prices and classes, put together of the classes of words of ticket_classes.py."""

SENTENCES = """
<who> <seeit> {title}
<who> <seeit> {title} {showdate}
<who> <seeit> {title} at {venue}
<who> <seeit> {title} at {showtime}
<who> <got> tickets for {title}
<who> <got> seats for {title} for {showdate0}
<rep> {title} <plays> {showdate}
<rep> {title} is sold out
<rep> {title} <begin> at {showtime}
<rep> {title} is <perform> at {venue}
<open>: (tonight's pick|the choice|the winner of our vote|what we see) is {title}
<open>: {title} <plays> {showdate}
<open>: tickets for {title}
<my> <show> is called {title}
<my> <show> {title} <begin> at {showtime}
<my> <show> {title} <happen> {showdate}
<my> <show> is {title}<gadv>
<my> <paper> is for the <show> {title}
<my> <paper> is for the <show> {title} {showdate}
<my> <paper> lets you into {title}
{title} is <perform> at {venue}
{title} is <perform> at {venue} {showdate}
{title} <plays> {showdate}
{title} <plays> {showdate} at {showtime}
{title} <plays> at {venue}
{title} <begin> at {showtime}<tadv>
{title} (is|was|will be) (sold out|a must|a big success|funny|three hours long|great for kids|worth it|very loud|a tragedy|well reviewed|booked)
{title} with {x_name} in the main part <plays> {showdate}
{title}, (support act|opening act|directed by|conducted by|introduced by) {x_name}
{showdate} <who> <seeit> {title}
{showdate} {title} <begin> at {showtime}
at {venue} <who> <seeit> {title}
(what's on|what are we seeing|which show|what did you book|what's it called|which film)? <reply>, {title}
(one|the|another) (night|evening|afternoon|matinee|performance|screening|staging|round) of {title}
(the critics|my parents|the kids|all my friends|the papers) (love|praise|hate|recommend|adore|discuss) {title}
(the new|this season's|the much praised|the famous|another) <show>, {title}, <happen> {showdate}
<my> <show> <happen> {showdate}
<my> <show> <happen> {showdate} at {showtime}
<my> <show> <happen> {showdate}<gadv>
<my> <show> <happen> {showdate}, not {x_date}
<my> <show> <begin> at {showtime}<tadv>
<my> <show> <begin> {showdate} at {showtime}
<my> <show> at {venue} <begin> at {showtime}
<my> <show> at {venue} <happen> {showdate}
{showdate} is when <my> <show> <happen>
{showdate} <my> <show> <happen>
{showdate} <who> (sit in|belong to|join) the audience<dadv>
{showdate} at {showtime} the curtain rises
<rep> <my> <show> <happen> {showdate}
<rep> <my> <show> <begin> at {showtime}
<rep> they <theybegin> at {showtime}
<open>: <my> <show> <happen> {showdate}
<open>: <my> <show> <begin> at {showtime}
{showdate0} is (printed on the ticket|the evening of the <show>|the date of the <show>|show day|the day to keep free)
(pay|cancel|collect the tickets|swap them|claim the discount) by {x_date0}, <my> <show> <happen> {showdate}
(the sale ends|the extra show is|the party after the tour is|{x_name} goes) {x_date}, <my> <show> <happen> {showdate}
they (play|perform|are) elsewhere {x_date}, here they <theybegin> {showdate}
{x_date0} was sold out, so <who> <got> tickets for {showdate0}
(what day is it|which evening|when is the show|which date did you get)? <reply>, {showdate0}
at {showtime} they <theybegin>
at {showtime} <madv> <my> <show> <begin>
they <theybegin> at {showtime}<tadv>
(the band|the actors|the musicians|the players|the dancers|the choir|both teams|the comedians) <theybegin> at {showtime}
(the band|the actors|the musicians|the players|the dancers|the choir|both teams|the comedians) <theybegin> {showdate} at {showtime}
<doors> at {x_time}, <my> <show> <begin> at {showtime}
<doors> at {x_time} and they <theybegin> at {showtime}
<doors> at {x_time}, {title} <begin> at {showtime}
<my> <show> <begin> at {showtime}, <doors> at {x_time}
they <theybegin> at {showtime}, <doors> at {x_time}
{showtime} is when they <theybegin>
{showtime} is when <my> <show> <begin>
(when does it start|what time is the show|when do they play|when's the first act)? <reply>, {showtime}
<my> <show> is <perform> at {venue}
<my> <show> is <perform> at {venue}<gadv>
<rep> the <house> is {venue}
<rep> it's <perform> at {venue}
<gotov> to {venue}
<pol><gotov> to {venue}
<pol><gotov> to {venue} {showdate}
the <house> is {venue}
the <house> is {venue}<gadv>
{venue} is the <house>
{venue} is where <who> (see|watch|hear|enjoy) it
{venue} is where they <theybegin>
{venue} (puts on|shows|presents|opens its doors for|has|is proud to host|screens|gives) {title}
at {venue} <my> <show> <begin> at {showtime}
at {venue} they <theybegin> {showdate}
<open>: the <house> is {venue}
(we park|we leave the car|dinner is|we meet before|drinks after it|the party is|our hotel is) (at|near) {x_place}, <my> <show> is <perform> at {venue}
(not at|no more at|instead of at) {x_place}, it's <perform> at {venue}
(where is it|where do they play|which theatre|which house|where should I go)? <reply>, (at |){venue}
(seats|tickets|drinks|programmes) at {venue} (are|were) (fine|famous|cheap|hard to get)
<rep> the <seatis> is {seat}
<who> <sit> (in|on|at) {seat}
<who> <sit> (in|on|at) (seat |){seat}<dadv>
<pol><look> (seat |){seat}
<pol><look> {seat}, <car> {coach}
<my> <seatis> is {seat}
<my> <seatis> is {seat}<gadv>
{seat} is <my> <seatis>
{seat} is the <seatis> on <my> <paper>
{seat} is (by the window|on the aisle|near the door|at the back|free|next to the toilet|in the middle|upstairs|behind a pillar|mine), that's <my> <seatis>
<my> <seatis> (has the number|carries the number|is marked|is labelled|says|goes by) {seat}
<open>: <my> <seatis> is {seat}
<who> <sit> in {seat}( and {x_name} in|, {x_name} has|, but {x_name} got) {x_number}
not (seat |){x_number}, <pol><look> {seat}
seat {x_number} is broken, so <my> <seatis> is {seat}
(which seat|where do I sit|what's your seat|where are we sitting|seat number)? <reply>, {seat}
in <car> {coach} <who> <sit> (in|on) {seat}
<car> {coach}, <my> <seatis> is {seat}
<my> <paper> (says|shows|puts you in|gives you|lists|entitles you to) seat {seat}
<who> <sit> in <car> {coach}
<who> <sit> in <car> {coach}<gadv>
<rep> <car> {coach}
<rep> <my> seat is in <car> {coach}
<pol><board2> <car> {coach}
<pol><board2> <car> {coach}, (it's the quiet one|the bar is next door|it stops at the stairs|your seats are there)
<open>: <car> {coach}
<car> {coach} is (ours|yours|at the front|at the end|the one|behind the engine|the last but one|where <who> <sit>)
<car> {coach} is where <my> <seatis> is
in <car> {coach} <who> <sit>
<my> <seatis> is in <car> {coach}
the (bar|dining car|bistro|family area|luggage rack) is in {x_number}, <my> <seatis> is in <car> {coach}
not <car> {x_number}, <pol><board2> <car> {coach}
(which coach|what car|which carriage|what wagon)? <reply>, (number |){coach}
<my> <pax> is {passenger}
<my> <pax>: {passenger}
{passenger} is the <pax>
{passenger} <holds>
{passenger} <holds><gadv>
{passenger} travels {date}
{passenger} (is seated|sits|has a place|was placed) (in|on) {seat}
{passenger} (goes|travels|rides|flies|is taken|sails) from {from} to {to}
{passenger} (goes|travels|rides|flies|is taken|sails) to {to} {date}
<my> <paper> <isfor> {passenger}
<my> <paper> <isfor> {passenger}<gadv>
<my> <paper> to {to} <isfor> {passenger}
<rep> {passenger} <holds>
<rep> <my> <paper> <isfor> {passenger}
<open>: <my> <paper> <isfor> {passenger}
(the name|the full name|the name given|the name printed) on <my> <paper> is {passenger}
(nobody|no one) (except|but|other than) {passenger} can use <my> <paper>
{x_name} (drives us to the station|will wave goodbye|waters the plants|looks after the cat), {passenger} <holds>
{x_name} (waits for|will pick up|meets|greets) {passenger} at the exit, who <holds>
(not|no longer) {x_name}, {passenger} <holds>
(who travels|who is the passenger|whose ticket is it|what's the name on it|for whom)? <reply>, {passenger}
<my> <code> is {booking}
<my> <code> is {booking}<gadv>
<my> <code> (reads|goes|begins and ends like this:|:|was given as|looks like this:|remains|turned out to be) {booking}
{booking} is <my> <code>
<pol><tell> {booking}, that's <my> <code>
<pol><tell> the <code> {booking}
<pol><tell> the <code> {booking} (at the desk|on the phone|at the door|online|to the guard|when you check in|in the app)
it is <filed> under {booking}
<my> <paper> is <filed> under {booking}
<my> <paper> {booking} is (confirmed|paid|complete|ready|on its way|valid|in your inbox|waiting at the desk)
<rep> <my> <code> is {booking}
<rep> it's <filed> under {booking}
<open>: <my> <code> is {booking}
with the <code> {booking} (you can check in|the machine prints it|they let you in|you can change seats|everything works|you get a refund)
call {x_phone} and <tell> the <code> {booking}
(the customer number|the invoice|our tax number|my loyalty card|the voucher for the snack) is {x_code}, <my> <code> is {booking}
not {x_code}, <my> <code> is {booking}
(what's the code|which reference|do you have the number|booking number|under which number)? <reply>, {booking}
<who> <paid> {price}
<who> <paid> {price} <all>
<who> <paid> {price} for <lot>
<lot> <cost> {price}
<lot> <cost> {price} <all>
<rep> <lot> <cost> {price}
<rep> <who> <paid> {price}
<open>: <lot> <cost> {price}
{price} is what <lot> (costs|came to|adds up to|was)
{price} is what <who> <paid>
{price} <all>, (that's|this is|such is) the price
for {price} <who> (got|booked|bought|found) (it|the ticket|this ticket|the seat)
(the card|my account|our budget|her purse|the club|the company) (paid|was charged|was debited|is lighter by|had to bear|is out) {price}
<fee> is {x_price} extra, <lot> <cost> {price}
<lot> <cost> {price}, <fee> is another {x_price}
<lot> <cost> {price}( instead of|, no longer|, normally|, down from|, before the discount) {x_price}
our budget was {x_price} but <lot> <cost> {price}
with a discount of {x_price} <lot> <cost> {price}
<lot> <cost> {price}, a saving of {x_price}
(how much was it|what did you pay|what's the damage|what's the fare|how expensive is it)? <reply>, {price}
<who> <got> {count} <tix>
<who> <got> {count} <tix> for {title}
<who> <got> {count} <tix> to {to}
<who> <got> {count} <tix> for {date0}
<who> <got> {count} <tix> from {from} to {to}
{count} <tix>, <reply>
{count} <ppl> (will travel|are booked|come along|go|are on the ticket|board|want to come|were confirmed|sit together|share the booking)<gadv>
<my> <paper> is for {count} <ppl>
<my> <paper> (covers|counts for|includes|admits|lets in|is shared by) {count} <ppl>
<rep> <my> <paper> is for {count} <ppl>
<rep> <who> <got> {count} <tix>
<open>: {count} <tix>
a (group|party|booking|round|table|family|crowd) of {count}
there are {count} of us, each with (a bag|a seat|a sandwich|a bike|an umbrella|a ticket)
the <ride> takes {x_number} minutes, <who> <got> {count} <tix>
the hall holds {x_number}, <who> <got> {count} <tix>
{x_number} seats <left>, <who> <got> {count}
(how many|how many tickets|for how many|how many are you|how many seats)? <reply>, {count}
<who> <comfy> in {class}
<who> <comfy> in {class}<dadv>
<who> <comfy> in {class} to {to}
<my> <paper> is for {class}
<my> <paper> is for {class}<gadv>
<rep> <who> <comfy> in {class}
<rep> <my> <paper> is for {class}
<open>: {class}
<open>, <who> <comfy> in {class}
in {class} <who> <comfy>
{class} is what <who> <got>
{class} is (fine for me|on the ticket|what it says|quieter|what the office pays|all I could get|worth it|printed on it|booked|the choice)
<pol><look> a seat in {class}
(which class|what class|how do you travel|which cabin)? <reply>, {class}
(no standing|no waiting list|nothing else was free): {class}<gadv>
<my> seat in {class} is {seat}
{train}, {class}, <my> <seatis> is {seat}
{title}, {count} <tix>, {price} <all>
the <fine> {title} <plays> {showdate}
the <fine> {title} is <perform> at {venue}
the <fine> {title} <begin> at {showtime}
<who> <seeit> the <fine> {title}
{title} (fans|lovers|posters|programmes|friends|tickets) (are everywhere|have been waiting for years|fill the town)
<my> <show> is <perform> at <cosy> {venue}
<gotov> to <cosy> {venue}
in the {venue} (foyer|bar|lobby|courtyard|cloakroom|box office) we meet, it's <perform> there
{title} tonight at <cosy> {venue}
<my> <seatis> was (moved|changed|switched|swapped) from {x_number} to {seat}
<who> <sit> (in|on) {seat}, <car> {coach}
the (conductor|usher|app|machine|screen|neighbour|child) (says|insists|claims|shows) that {seat} is <my> <seatis>
<who> (swapped|traded|exchanged|gave up) {x_number} and now <sit> (in|on) {seat}
(armchair|upper deck|left side|balcony|stalls|by the window|on the aisle|table seat)(:|,) {seat}
<car> {coach} has (wifi|a toilet|no air conditioning|the bistro|a quiet area|the best view), <who> <sit> there
<who> <sit> (near the door|at the far end|in the middle|next to the bar) of <car> {coach}
<car> {coach}, (please|mind the step|doors on the left|straight on|right behind the bar|next to the bikes)
<my> <paper> (says|reads|shows|puts us in) <car> {coach}
(all the way to|as far as|on to|over to|back to) <car> {coach}, that's where <who> <sit>
<car> {coach}: <my> <seatis> is there
{passenger} (alone|herself|himself|in person|and nobody else|as always|again) <holds>
<pol>let {passenger} (in|board|pass|through), who <holds>
<the> <veh> waits for {passenger}, who <holds>
<my> <paper> (lists|names|shows|mentions|gives) {passenger} as the <pax>
as <pax> (they entered|we put down|it shows|the form names|I typed in) {passenger}
(don't give it to|not for|hide it from) {x_name}, <my> <paper> <isfor> {passenger}
{passenger} is (flying|sailing|riding|going) {date}, {x_name} (stays at home|waves|looks after the dog)
<pol><tell> {booking} (as|when asked for) <my> <code>
<who> <got> <my> <paper> under the <code> {booking}
(without|only with) the <code> {booking} (nobody gets in|nothing works|the gate stays shut|you can't change it)
<my> <code>, {booking}, (is on the back|came by text|must be shown|opens the page|is easy to forget|was sent again)
{booking} (please|once more|in capitals|without spaces|all in one word), that's <my> <code>
it is <filed> under the <code> {booking}, (invoice|customer number|member number|receipt) {x_code}
<my> <code> (changed|was changed|was corrected) from {x_code} to {booking}
<who> <paid> exactly {price}<gadv>
<who> <paid> {price} <all> for <lot>
<lot> (usually|normally|mostly) costs {x_price}, (this time|now|today) <who> <paid> {price}
a (bill|receipt|payment|charge|debit|transfer) of {price} for <lot>
<lot> was {price} (flat|net|cash|plus a smile|and worth every penny|and not a penny more)
<who> thought <lot> would be {x_price} but <paid> {price}
the (bank statement|receipt|invoice|app|counter) (shows|says|reads) {price} for <lot>
{count} <tired> <ppl> (will travel|are booked|come along|board|sit together|share the ticket)
<who> <got> {count} <tix>, (all together|side by side|in one row|no more, no less|on one bill)
<my> <paper> is for {count} <tired> <ppl>
it's {count} of us (in the group|this time|on this ticket|who travel|on the list)
<who> wanted {x_number} but <got> only {count} <tix>
(make it|we take|give me|put me down for|I'd like|that's|print) {count} <tix>, please
<rep> {count} <ppl> are on <my> <paper>
the hall has room for {x_number}, <my> <paper> is for {count} <ppl>
<who> <comfy> in {class}<gadv>
<who> <comfy> in {class} {date}
<who> <comfy> in {class} from {from} to {to}
{class} (please|again|all the way|as booked|this time), that's what <who> <got>
<my> <seatis> in {class} is {seat}
the (legroom|food|coffee|crowd|wifi|view) in {class} is (fine|great|not bad|what we hoped for), <who> <comfy> there
<car> {coach} is {class}, <who> <comfy> there
<who> (upgraded|switched|changed|moved|went) to {class}<gadv>
a (seat|place|berth|ticket|reservation|window seat) in {class}<gadv>
{title} {showdate}, (who's in|coming|yay|finally|at last|bring a friend|with {x_name})
{title} {showdate}, {showtime}, <cosy> {venue}
{count} for {title}, (please|booked|paid|at the till|in my bag)
(me|us|the boss|Mum|my wife): {seat}, {x_name}: {x_number}
{passenger}'s <paper> is <filed> under {booking}
{passenger}'s (seat|place|chair|reservation) is {seat}
{passenger}'s <ride> to {to} is {date}
{passenger}'s (ticket|booking|fare|trip) (costs|came to|was) {price}
{class} for {passenger}<gadv>
{passenger} in {class}, <my> <seatis> is {seat}
{booking} = <my> <code>
name {passenger}, <my> <code> {booking}
{count} <tix> (were|have been) (reserved|set aside|paid for|issued|confirmed|printed)<gadv>
seat {seat} (was|has been) (assigned|reserved|set aside|confirmed|chosen|blocked) for (us|you|me|them|the group)
<car> {coach} (was|has been) (assigned|reserved|set aside|confirmed|chosen) for (us|you|me|them|the group)
{price} (was|has been) (charged|paid|transferred|booked|collected|debited) for <lot>
<my> <show> was (moved|changed|put off|brought forward|postponed) from {x_date0} to {showdate0}
<my> <show> was (moved|changed|put back|brought forward) from {x_time} to {showtime}
<my> <show> was (moved|shifted|relocated) from {x_place} to {venue}
(can|could|would) you (book|get|buy|order) {count} <tix> for {title}?
(can|could|would) you (book|get|buy|order) {count} <tix> to {to}?
(can|could|would) you (book|get|buy|order) {count} <tix> for {title} {showdate}?
<pol>(order|book|buy|get|print|reserve) {count} <tix> for {title}
<pol>(order|book|buy|get|print|reserve) {count} <tix> from {from} to {to} for {date0}
<pol>(order|book|reserve) {title} for {showdate0}
(shall|should) we (see|watch|do|try|book) {title} {showdate}?
(have you|has {x_name}|who has|didn't you|why haven't they) (seen|watched|heard) {title}?
<who> <paid> {price} for {count} <tix> to {to}
<who> <paid> {price} for {count} <tix>, {title}
{count} <tix> for {title} at {venue}
{count} <tix> for {title} {showdate} (cost|came to|were) {price} <all>
{title} at {venue} <begin> at {showtime}
{title} at {venue} <happen> {showdate}
<my> <seatis> on {train} is {seat}, <car> {coach}
<my> <seatis> on {flight} is {seat}
<who> <comfy> in {class} on {train}
<who> <comfy> in {class} on {flight}
{count} <ppl> in {class}, {price} <all>
Q: (which show|what's on|what are you seeing)? A: {title}
Q: (where is it|which hall|the venue)? A: {venue}
Q: (which seat|seat number|where do you sit)? A: {seat}
Q: (which coach|carriage|car number)? A: {coach}
Q: (who travels|name of the passenger|whose ticket)? A: {passenger}
Q: (booking code|reference|reservation number)? A: {booking}
Q: (how much|what did it cost|total)? A: {price}
Q: (how many tickets|how many people|for how many)? A: {count}
Q: (which class|what class)? A: {class}
Q: (when does the show start|starting time|curtain)? A: {showtime}
Q: (what day is the show|date of the show|which evening)? A: {showdate0}
{title}, {venue}, {showdate} at {showtime}, seat {seat}
{title} at {venue}: {showdate}, {showtime}, {count} <tix>
<my> <paper> {booking}: {title}, {count} <tix>, {price}
<my> <paper> {booking}: {from} to {to}, {date}, {price}
{passenger} travels from {from} to {to} {date} in {class}
{passenger}, <car> {coach}, seat {seat}, {class}
{count} <tix> from {from} to {to}, {class}, {price} <all>
<who> <paid> {price} to see {title} at {venue} {showdate}
{passenger} on {train}: <car> {coach}, seat {seat}
{passenger} on {flight}: gate {gate}, seat {seat}
<rep> {passenger} <holds>, <my> <code> is {booking}
<who> <got> {count} <tix> in {class} for {price}
"""
