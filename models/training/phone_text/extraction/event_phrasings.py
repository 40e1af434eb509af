"""What widens the training text of events: classes of words, and sentences, lines and labels that are put together of them."""
from ..split import Lexicon

ONLINE = Lexicon("extraction event: said online", """it is online
it will be remote
this one is virtual
it will be digital
it's only on the screen
it will be a video conference
we stay at home and talk by video
it's a digital event
it happens by webcam
we connect by video link
you can follow it from your sofa by link
it takes place online
we meet by video
it is a video call
it will be virtual
join from your computer
we meet online
we do it by video
you join by video
it's held online
it all happens on the screen
everything is online
you can stay at home and join on your laptop
it is a remote event
it is fully virtual
we use a video call for it
we'll be on camera, not in a room
you will get a link to join
the link to the call comes by mail
dial in from wherever you are
the meeting is a web conference
it takes place on the internet
click the link to take part
it happens in a video chat
no need to travel, just click the link
it is streamed, so watch from home
join us on screen
we hold it virtually
you take part over the internet
it's an online event""".split("\n"))
IN_PERSON = Lexicon("extraction event: said in person", """it is not online
it will not be remote
this one is not virtual
it won't be on screen
it will be on the spot
no screen, no link, we sit in one room
it takes place in the flesh
there's no way to join from home
it is not broadcast
we sit together around a real table
you can't follow it from home
we meet in person
there is no video call
it is on site
it will be face to face
you have to be there in person
it isn't online
it is not a video call
it takes place on site
it's an event in person
we want to see you in person
nothing is streamed
there will be no stream
you cannot join by video
there is no link, you have to come
it is offline
there is no online participation
we don't do it by video
this is not a virtual event
we see each other in real life
remote participation is not possible
nobody can dial in
we meet face to face
everyone has to come in person
it won't be virtual
it's held on the spot and not online
it's a real meeting, not a call
you need to be there yourself""".split("\n"))

CLASSES = """
the: the|our|the|this|your|the next|our next|my|that|your next|the upcoming|our upcoming|the planned
ours: the|our|the next|our next|this year's|the|our
det: the|our|a|this year's|the next|another|your|my
it: it|it|this|that|the event|the whole thing|everything|the occasion|the gathering|the get-together|the thing|all of it|the whole do|the evening|the session
we: we|we|we all|they|the group|the team|everybody|everyone|all of us|the club|you|our lot|the whole class|the crew|the neighbours|folks
ibe: I am|we are|she is|he is|they are|the club is|our office is|the school is|my sister is|the committee is|somebody is|the council is
i: I|we|she|he|they|the club|our office|the school|my sister|the committee|somebody|the secretary|the council
meet: meet|gather|get together|assemble|come together|convene|see each other|catch up|join up|turn up|are expected|want to be there|come in|show up|get going|hope to see you|need to be there|will meet|will gather|are meeting|are going to meet|should be there|plan to meet
start: starts|begins|kicks off|gets going|gets under way|opens|commences|is due to start|will start|will begin|is going to start|is meant to begin|takes off|is supposed to start|goes live|sets off|should start|is to begin|fires up|begins promptly|starts punctually
westart: start|begin|kick off|get going|open|set off|will start|are going to begin|want to start|get under way|mean to begin|plan to start|are ready to begin|would like to start
end: ends|finishes|is over|winds up|wraps up|closes|stops|concludes|is done|comes to an end|draws to a close|will be over|should be finished|breaks up|shuts down|is supposed to end|will end|is all over|is scheduled to finish|ought to be over
weend: finish|stop|end|close|are done|wind up|have to leave|pack up|go home|must be out|will be finished|will be done|call it a day|should be through|need to clear the room|turn off the lights
happen: takes place|is|will be|happens|is happening|is on|goes ahead|is being held|will be held|is planned|is scheduled|is set|is due|has been fixed|is going to be|is booked|has been arranged|is going on|will take place|is coming up|comes round|is to take place|was arranged|is taking place|will happen|was set|falls|can be held|should be
moved: was moved|has moved|is moved|was shifted|was pushed|has been postponed|was put off|was rescheduled|has been changed|got pushed back|was brought forward|had to be switched|has been shifted|is rescheduled
cal: calendar|diary|agenda|planner|schedule|timetable|wall planner|datebook|week planner|phone calendar|family calendar|appointments|list of dates
mycal: my <cal>|the <cal>|your <cal>|our <cal>|his <cal>|her <cal>|the (family|team|shared|work|kitchen|office) calendar
put: put|add|enter|write|note|pencil|stick|pop|insert|drop|slot|mark|save|record|log|place|jot|schedule|squeeze|throw|file|copy|type|get|include|import|key|paste|register|keep|post|set|fit|book|move|scribble|list|bring|transfer|work|mark down|write down|sneak
into: into|in|to|on|onto
want: want|plan|hope|intend|would like|mean|are going|decided|promised|agreed
attend: come to|attend|join|visit|be at|go to|show up for|drop by|make it to|take part in|turn up for|join us for|come along to|stop by|be part of|look in on|be there for|sign up for|support|enjoy|celebrate
pol: please |kindly |do |just |why not |hopefully you can |(you could|you should|you can) |make sure to |feel free to |be so kind and |don't forget to |remember to |try to |we'd like you to |we ask you to |it would be nice to |
host1: is hosting|is throwing|organises|is planning|gives|hosts|is holding|runs|is running|arranges|has organised|is putting on|is preparing|is setting up|leads|will host|offers|is giving|puts on|has planned|is in charge of|is responsible for|presents|looks after
hosted: organised|organized|hosted|held|given|led|arranged|offered|planned|set up|put on|run|presented|initiated|managed|prepared|headed|put together|brought to you
inv: invites you|is inviting you|would like to invite you|has invited us|asked us|asks you|would love you to come|wants to see you|hopes you will come|requests your company|welcomes you|is expecting you|asks everyone to come|would be happy to see you
loc: at|in|at the|in the
where: at|in|at the|in the|inside|outside|in front of|near|next to|by the|behind|opposite|over at|down at|up at
wmeet: meet|gather|assemble|will be|are|come together|wait for you|will wait|get together|have a table|have our stand|set up|find each other|are going to be|are meeting
go: come|go|head|come over|walk|drive|make your way|find your way|hurry|get yourself|travel|proceed|turn up|cycle|report
placeis: place|venue|location|meeting point|meeting place|site|setting|spot|address|scene
found: takes place|is held|will be held|happens|is|will be|has moved|has been moved|goes ahead|is happening|will take place|is staged|is hosted|is set up|can be found|is planned|is going on
cost: costs|is|will be|comes to|amounts to|sets you back|will cost|is set at|works out at|runs to|stays at|is only|is just|goes for|is kept at
what: entry|admission|the ticket|taking part|a seat|the entrance|a place|the fee|participation|one ticket|attendance|being there|the whole thing|getting in|joining|an entry ticket|the evening
pay: pay|bring|have|expect to pay|give|contribute|chip in|spend|transfer|send|put down|hand over|need|budget|count on
each: each|per person|per head|at the door|a head|for adults|on the day|in advance|everything included|all in|in cash|per seat|for the evening|a ticket
ppl: people|guests|participants|visitors|persons|friends|heads|attendees|members|colleagues|kids|neighbours|folks|players
room: room for|space for|seats for|places for|chairs for|enough food for|tickets for|tables for|room to seat|food for|capacity for
have: have|can offer|have got|count on|expect|reckon with|plan for|hope for|have laid the table for|can take|can seat|can fit|will be|are|have ordered for|booked for|can host|can squeeze in|reserved for|are hoping for
seats: seats|places|spots|chairs|tickets|slots|stools|passes|armchairs|beds|mats|benches for guests
join: are coming|will be there|will join|are invited|come too|take part|have said yes|will come along|are on the list|want to come|have signed up|confirmed|are in|attend|will show up|are going|can make it|accepted|want to be there|promised to come
reply: reply|answer|let us know|sign up|register|RSVP|say yes|confirm|tell us|get back to us|respond|send word|book your place|enrol|decide|give us a ring|drop us a line|accept or decline|hand in the form|return the slip|say whether you come
by: by|until|before|no later than|not later than|at the latest
sep: ,| -| /|:|;| --|,| @| ~| *
adv: exactly|sharp|promptly|on the dot|precisely|already|
part: this time||||again|as planned|after all|definitely|for sure|at last
open: Hooray|Good news|Quick reminder|Just to remind you|Note|Hear, hear|As announced|One more thing|Heads up|For your diary|Listen up|Short notice|Psst
glad: We are (happy|pleased|delighted|glad|proud) to|It is our pleasure to|We would like to|Let us|Time to|We have decided to|We want to|It's my turn to|I am going to
announce: announce|invite you to|tell you about|present|celebrate|welcome you to|host|remind you of|open|share
""".strip()

SENTENCES = """
<put> {title} <into> <mycal>
<put> the {title} <into> <mycal>
<pol><put> the {title} <into> <mycal>
(can|could|would|will) you (please |)<put> {title} <into> <mycal>
<pol><put> {title} <into> <mycal> {date}
<put> {title} <into> <mycal> {date} at {time}
<put> {title} <into> <mycal>, {date}, {time}
<put> {title} <into> <mycal>: {date0}, {span}
<mycal> (says|shows|has|lists|reads)(:|) {title}
(there's|there is|I see|we have) {title} (in|on) <mycal>
{date} (there's|there is|we have|I have) {title} (in|on) <mycal>
<glad> <announce> <ours> {title}
<glad> <announce> <ours> {title} {date}
<pol><attend> <the> {title}
<pol><attend> <the> {title} {date}
<pol><attend> <the> {title} {date} at {time}
<pol><attend> <the> {title} (at|in) {place}
<open>: <the> {title} <happen> {date}
<open>: {title} {date}
<open>: {title}
<open>: <the> {title} <start> at {time}
(do|will|can|could|may) (you|I|we|they) <attend> <the> {title}?
(I|we|they) (will|would love to|want to|can|might|am going to|plan to|have to) <attend> <the> {title}
(are|will) you (coming|going|able to make it|free to come) to <the> {title} {date}?
(who|which of you) (will|wants to|can|is going to) <attend> <the> {title}?
<ibe> (planning|organising|preparing|announcing|offering|expecting) <det> {title}
<i> (told|asked|reminded|wrote to|mailed|informed) (me|us|everyone) about <the> {title}
<i> (told|reminded|informed) (me|us|everyone) that <the> {title} <happen> {date}
<the> {title} <happen> {date}
<the> {title} <happen> {date} at {time}
<the> {title} <happen> {date} from {span}
<the> {title} <start> at {time}
<the> {title} <start> {date} at {time}
<the> {title} <start> at {time} and <end> at {end}
<the> {title} <end> at {end}
<the> {title} <found> <loc> {place}
<the> {title} <found> <loc> {place} {date}
<the> {title} <found> <loc> {place}, {date} at {time}
<the> {title}, {date}, {time}, {place}
<the> {title} <found> in {city}
<the> {title} in {city} <happen> {date}
<the> {title} is <hosted> by {host}
<the> {title}, <hosted> by {host}, <happen> {date}
<the> {title} <cost> {price}
<the> {title} is for {people} <ppl>
(what|how) about <the> {title} {date}?
(when|where|what) is <the> {title}? {date} at {time}
(when|where) is <the> {title}? (at|in) {place}
(it's|it is|that's|this is) <det> {title}
(it's|it is|we have|there is|this is|there will be) <det> {title} {date}
{date} (is|we have|brings|will see|sees|there is|marks|comes) <the> {title}
{date} at {time} <we> have <det> {title}
{date} <the> {title} <happen> <loc> {place}
at {time} <the> {title} <start>
<loc> {place} <the> {title} <happen> {date}
(remember|know|recall|heard of|seen|forgotten) <the> {title}?
(tickets|seats|registration|places|sign-up|booking) for <the> {title} (is open|are out|are on sale|start now|can be had now|are going fast)
(thanks|thank you) for (coming|signing up|registering|booking|saying yes|your reply) (to|for) <the> {title}
you (have|are) (registered|signed up|booked|down|enrolled|accepted) for <the> {title}
your (seat|place|booking|registration|ticket|slot|spot) (for|at) <the> {title} (is confirmed|is safe|was received|is reserved|has been saved)
(appointment|meeting|date|event|entry|invite|occasion|plan|activity) (for|named|called|titled): {title}
(the event|this event|it|the thing|the evening|the appointment) is (called|named|titled|known as|about|entitled|announced as) {title}
(we call it|they call it|under the name of|under the title|under the heading|the name is|the title is|the topic is|the occasion is|the reason is) {title}
{title} (is|will be) (what we call it|the name|the title|the topic|the occasion|on the programme|on the agenda|what awaits you|coming)
{title} <happen> {date}
{title} <happen> {date} at {time}
{title} <happen> {date}, {span}
{title} <start> at {time}
{title} <found> <loc> {place}
{title} <found> <loc> {place} at {time}
{title}, {place}, {date} at {time}
{title} (for|with) {people} <ppl>
{host} <host1> <det> {title}
{host} <host1> <det> {title} {date}
{host} <host1> <det> {title} <loc> {place}
{host} <inv>
{host} <inv>: {title}
{host} <inv> to <attend> <the> {title}
{host} <host1> <it>
{host} <inv>, {date} at {time}
{host} has (asked|told|begged) me to (pass this on|invite you|let you know)
<it> is <hosted> by {host}
<it> was <hosted> by {host}
<it> will be <hosted> by {host}
<hosted> by {host}
<hosted> by {host} <loc> {place}
(the person|the one) (behind it|in charge|who invites|who organises everything|who runs it|who planned it all) is {host}
(you are|everyone is|we are|the guests are) (invited|asked|expected|welcomed) by {host}
(an invitation|invitation|an initiative|the invitation comes|your invitation) from {host}
(at the invitation of|on behalf of|in the name of|with kind support of|thanks to) {host}
(any questions|questions|for questions|for details|for more|to know more|if in doubt)? (ask|call|contact|write to|turn to|speak to|get in touch with|see) {host}
(it is|it's|that's) {host} who <host1> <it>
(who|which person) <host1> it? {host}
{host} (does|did|took over|handles|is doing|takes care of) (all |)the (organising|planning|inviting|preparation)
<it> <happen> {date}
<it> <happen> {date} <part>
<it> <happen> {date} at {time}
<it> <happen> {date} from {span}
<it> <happen> {date} <loc> {place}
<we> <meet> {date}
<we> <meet> {date} at {time}
<we> <meet> {date} <loc> {place}
<we> <meet> at {time} <adv>
<we> <meet> <where> {place}
<we> <meet> <where> {place} at {time}
<we> <meet> in {city}
<we> <meet> in {city} {date}
<pol><go> {date}
<pol><go> {date} at {time}
<pol>be there {date}
<pol>be (here|there|ready|present|on time|with us|around|at your place) (at|by) {time}
<pol>(arrive|come|show up|turn up|check in|be seated|knock|drop in|appear) (at|by|around) {time}
(free|busy|around|there|at home|in town|available|in) {date}?
(are|will) you (be |)(free|around|there|available|in town|at home) {date}?
does {date0} (suit|work for|fit|please) (you|everyone|everybody|all of you)?
(I|we) (can|could|would) (only |)(do|make|manage|offer) {date0}
(mark|circle|block|reserve|note|underline|write down|hold|clear|remember) {date0} (in red|for us|please|in your calendar|for this|now|already|straight away|)
(as for|regarding|concerning) the (day|date)(,|:) {date0}
the (day|date|final date|day of the event|day in question) (is|will be|has been set:|was set:|we want is|we found is|will be:) {date0}
{date0} (is|will be) (the day|the date|our day|the big day|when it happens|when we meet|what we agreed on|fine with everybody|best for most)
{date}, (come rain or shine|no matter what|if the weather holds|as every year|like last year|as promised|after school|after work|at long last)
(the vote|the poll|the doodle|the majority|the committee) (says|chose|decided on|was for|went for|is for) {date0}
(how|what) about {date0}?
(shall|should) we (say|do|make it|meet|take) {date0}?
(shall|should) we (say|meet|come|start|begin) at {time}?
<it> <start> at {time} <adv>
<it> <start> {date} at {time}
<it> <start> at {time} and <end> at {end}
<it> <start> at {time}, <end> at {end}
<we> <westart> at {time} <adv>
<we> <westart> {date} at {time}
<we> <westart> at {time} and <weend> (at|by|around) {end}
(the first (song|talk|speech|act|whistle|guest|round|item)|the opening|the welcome|the curtain rises|the music) (is|comes|starts|begins|will be) at {time}
(the clock says|the bell rings|the doors open|the lights go down|the gates open|everything begins|the start is|kick-off is|it all begins|the show begins|first thing happens) at {time}
{time} (is|will be) (the start|when it starts|when we start|the time|our time|kick-off|when the doors open|when it all begins|fine|the hour)
(as for|regarding|concerning) the time(,|:) {time}
the (time|hour|start|starting time|beginning) (is|will be|was set for|has been set for|is fixed for|is planned for) {time}
<it> <end> at {end}
<it> <end> (at|around|about|by) {end}
<we> <weend> (at|by|around) {end}
(get here|turn up|show up|make sure you are there|be in the room|be at the door|we expect you|try to be there|aim to be there|join us|you should appear|check in|you are wanted|find your seat|kindly be present) (by|at|from|no later than|around|for) {time}
(by|at|around|towards) {end} (the party is over|it all ends|we say goodbye|we leave|we head home|the last guest leaves|everyone goes home|the show is over|we break up|the band stops|the doors close|it's time to go|we switch off the lights|the day is done|our work is done|the bus takes us back|the curtain falls)
(by|at|around) {end} (we are back home|it is over|we leave|we stop|they close|the party ends|the evening is over|we say goodnight), so (get here|be here|turn up|show up|join us|start out|come in) (by|at|before) {time}
(get here|show up|turn up|be seated|join us) (by|at) {time}, (by|at) {end} (it is over|we leave|we are done|they close|we say goodbye)
{end} (is when we leave|is when it is over|will be the end of it|is bedtime|is the time to go home), {time} (when it starts|is the beginning|is when we begin)
(we go on|it goes on|stay|we stay|the fun lasts|music|the bar is open|you can stay|they keep going|we carry on|everything runs) (until|till) {end}
(by|at) {end} (it is over|everything is over|we are done|we have to be out|the fun is over|the lights go out|you will be home again|the hall closes|it will have ended)
(the end|closing time|the finish|the close|the last song|the final whistle) (is|will be|comes|is planned|is expected|is scheduled) (at|for|around) {end}
{end} (is|will be) (the end|when it ends|when we finish|closing time|when everything closes)
<we> <meet> from {time} (to|until|till) {end}
<it> <happen> from {time} (to|until|till) {end}
<it> <happen> between {time} and {end}
<it> (runs|lasts|goes on|is open|continues|stretches|keeps going) from {time} (to|until|till) {end}
<we> <meet> from {span}
(the times are|the hours are|hours|opening hours|it runs|we have the room|the slot is|our slot|time slot|the timetable says|the schedule says)(:|) {span}
{date} from {span} <we> <meet>
<it> <found> <where> {place}
<it> <found> <loc> {place} in {city}
<it> <found> in {city}
<we> <wmeet> <where> {place}
<we> <wmeet> <loc> {place} in {city}
<pol><go> to {place}
<pol><go> to {place} {date}
<pol><go> to {place} at {time}
<pol><go> to {city}
the <placeis> (is|will be|we chose is|this time is|has changed to|was changed to|we found is|remains) {place}
the <placeis> (is|will be) {place} in {city}
(as for|regarding|concerning) the <placeis>(,|:) {place}
(you'll|you will|you can|they can|one can) (find|meet|see|join|look for) (us|it|everyone|me) <where> {place}
(I|we|they|she|he) (have|has|had|) (booked|rented|reserved|hired|taken|got|found|chosen|picked) {place} (for it|for us|for the evening|as the venue|for this)
{place} (is|will be) (where it happens|the venue|the place to be|our meeting point|where we meet|where it all takes place|open for us|booked|waiting for us|ours)
{place} in {city} (is|will be) (where it happens|the venue|the place to be|our meeting point|booked)
(where|and where)(? | it is? | exactly? )<loc> {place}
(everyone|all) (into|to|off to) {place}!
(the doors of|the gates of|the garden of) {place} (are open|will be open|open for you)
<loc> {place}, {date}
<loc> {place}, {date} at {time}
<loc> {place} from {span}
(all|everyone|we all|the group|the bus|the train) (goes|travels|heads|drives|is off) to {city}
(this|the) (year|time|month) (it is|we are|we will be) in {city}
{city} (is|will be) (the host city|the town|where it happens|our destination|where we go|where we meet this time)
(the|our) (city|town|host town|destination) (is|will be) {city}
(somewhere|right|downtown|as always|again|in the middle) in {city}
<what> <cost> {price}
<what> <cost> {price} <each>
<pol><pay> {price}
<pol><pay> {price} <each>
(you|we|all guests|visitors|adults|members|they) <pay> {price} <each>
(for|with) {price} you are in
{price} <each>
{price} (is|will be) (the price|the fee|the entry|what it costs|due at the door|all it takes|what we ask for|enough)
(the|its|our) (price|cost|fee|entry fee|charge|admission|ticket price tag) (is|will be|was set at|stays at|has risen to|dropped to|amounts to) {price}
(how much|what does it cost|the damage)? {price}
(a ticket|one seat|a place|each guest|each person|everybody) (pays|is|costs|gives|needs) {price}
(they|we|the club|the museum) (charge|want|ask|take|collect|demand) {price} (<each>|for it|as a fee)
(a|the) (contribution|donation|fee|charge|deposit) of {price} (is asked for|is welcome|is due|applies|will be collected|covers everything)
<we> <have> {people} <ppl>
(we|they) (have|only have|have got) <room> {people} <ppl>
(there is|there's|we have|enough) (only |)<room> {people} <ppl>
(there are|we have|the room has|the hall has|it has|they offer|we got|the bus has|I ordered|I set up|we put out) (only |exactly |about |just |)  {people} <seats>
{people} <ppl> <join>
{people} <seats> (are|is all that is|are still|will be) (left|free|available|there|all we have|ready|waiting)
(a maximum|a group|a total|a crowd|a round|a party) of {people} <ppl>
(the number of <ppl>|the capacity|the head count|the group size|the limit|the guest count) (is|was set to|is limited to|will be|stands at) {people}
(limited to|for up to|no more than|at the most|not more than|for a maximum of|open to) {people} <ppl>
(set the table|cook|cater|prepare|make a reservation|book a table|plan|reserve) for {people}
(how many|how many are we|how many of us)? {people}
{attendees} <join>
{attendees} <join> {date}
(I|we|she|he|they) (invited|asked|will meet|will bring|want to bring|expect|got a yes from|will go with) {attendees}
(on the guest list|on the list|around the table|invited so far|expected|who is coming|signed up so far|confirmed|those who come|the guest list)(:|?| are|) {attendees}
(the|our|my) (guests|participants|attendees|fellow guests|visitors|crew|team|other guests) (are|will be|include) {attendees}
(joined by|accompanied by|in the company of|together with|along with|and with us|with us) {attendees}
(you will meet|looking forward to seeing|save seats for|send the invite to|please invite|we welcome|you can expect) {attendees} (there|)
(who|who is coming|who else|and who)? {attendees}
<pol><reply> <by> {rsvp0}
<pol><reply> (by|until) {rsvp0} (so that we can plan|so we can order|if you want to come|or your seat is gone|at the latest|)
(we|I|they|the cook|the hotel|the caterer) (need|want|must have|await|expect|would like) (a reply|your answer|to know|a yes or no|your reply|numbers|the final list|word from you|your registration) by {rsvp0}
(the deadline|the last day|the cut-off|the final day|closing date|the last chance) (for answers|to sign up|to reply|for registration|to say yes|to register|to answer) (is|will be) {rsvp0}
(registration|sign-up|booking|the list|the form) (is open|stays open|runs) until {rsvp0}
(registration|sign-up|booking|the list|the form) (closes|ends|shuts|comes to an end) {rsvp}
(answers|replies|registrations|a yes or no|your replies) (please |)(by|until|no later than) {rsvp0}
you (have|have got) (time |)until {rsvp0} to <reply>
{rsvp0} is the (deadline for answers|last day to reply|last day to sign up|cut-off for registration)
(take note|mind you|important|please note|good to know|in case you wonder|by the way|remember)(:|,|;) {online}
{online} (this year|from now on|for everyone|as before|as usual|again|after all|, sorry|, okay|, that is all)
{online} and <it> <start> at {time}
<it> <happen> {date} and {online}
(the|our) {title} <moved> from {x_date0} to {date0}
<it> <moved> from {x_date0} to {date0}
<it> <moved> to {date0}
<it> <moved> from {x_time} to {time}
<it> <moved> from {x_place} to {place}
<it> <happen> {date}, (and not|not|instead of) {x_date}
(scrap|forget|cancel|cross out|never mind|ignore) {x_date0}(, it is now|, we meet|: new date) {date}
(scrap|forget|never mind|ignore) {x_time}(, it <start> at|: we <westart> at) {time}
(scrap|forget|never mind|ignore) {x_place}(, we meet at|, it is at|, go to) {place}
(contrary to|unlike|other than) (the poster|what I wrote|my last mail|the website)(,|) it <happen> {date}
{x_name} (is also coming|brought it up|likes the idea|had the idea|asked about it|lent us the chairs|will take the photos), but {host} <host1> it
last (year|time|month) <what> was {x_price}, (this time|now) it is {price}
<what> <cost> {price}, (not|and not|instead of) {x_price}
{x_name} (sends apologies|can't make it|won't come|is away|has no time), {attendees} <join>
(my train leaves|I get up|school ends|the shop closes|lunch is) at {x_time}, but <it> <start> at {time}
(last time|last year) it was in {x_city}, (this year|this time|now) <we> <meet> in {city}
(call|ring|text) {x_phone} if you get lost on the way to {place}
<the> {title} (is not|has nothing to do with|is better than|comes after) what they do (at|in) {x_place}
(last year|the other day|in spring) {x_number} people came, (now|this time) <we> <have> {people} <ppl>
(bring|take|forget|we need|who has) the {x_thing} (to|for) <the> {title}
{x_name} (will pick you up for|will drive you to|lends us a car for|takes photos at|cannot come to|heard about) <the> {title}
{host} <host1> <it>, {x_name} (brings the music|bakes a cake|takes photos|does the lights|drives the bus)
(park|leave the car|the car park is|the bus stops|we sleep) at {x_place}, <the> {title} <found> <loc> {place}
<it> <happen> {date} at {time} <loc> {place}
<it> <happen> {date} at {time} <loc> {place} in {city}
<it> <happen> {date} from {span} <loc> {place}
<it> <happen> <loc> {place} in {city} {date} at {time}
<it> <happen> <loc> {place} at {time} and <what> <cost> {price}
{date} at {time} <we> <meet> <where> {place}
{date} <it> <start> at {time} and <end> (at|around|by) {end}
at {time} {date} <loc> {place}
at {time} <we> <meet> <loc> {place}
<loc> {place} <we> <meet> {date} at {time}
<loc> {place} <it> <start> {date} at {time}
in {city} <we> <meet> {date}
{host} <inv> <loc> {place} {date}
{host} <inv> at {time}
{host} and {attendees} <meet> {date}
{attendees} <join>, {host} <host1> <it>
<the> {title} <happen> {date} at {time} <loc> {place} in {city}
<the> {title} <happen> {date}, <what> <cost> {price}
<the> {title} by {host} <happen> {date}
<the> {title} <start> at {time} <loc> {place}
<the> {title}: {date}, {time}, {place}, {price}
<the> {title} <happen> {date}, <pol><reply> <by> {rsvp0}
<the> {title} <happen> {date} with {attendees}
<the> {title} <found> <loc> {place}, {host} <host1> <it>
<what> <cost> {price}, there are {people} <seats>
(when|which day|what day|on which day)(? | is it? | do we meet? | exactly? ){date0}
(what time|when|at what time|how early|when do we start|when should I be there)? (at |){time}
(until when|how long|when is it over|when does it end|when do we finish|when can I go)? (at |until |){end}
(where|where is it|where do we meet|where should I go|which place|what's the place)? {place}
(which city|what town|in which town|in which city|where in the country)? {city}
(who invites|who runs it|who is the host|who organises it|whose idea is it|who's behind it)? {host}
(what is it|what's on|what's happening|what for|what's the occasion|what is it called|what are we doing)? {title}
(how much is it|what's the price|what do I pay|what does a ticket cost|is it free? no|what's the fee)? {price}
(how many people|how many seats|how many guests|how big is the group|how many can come)? {people}
(by when should I answer|when do you need my answer|until when can I sign up|when is the last day to reply)? {rsvp0}
Q: (when|what day)? A: {date0}
Q: (when does it start|what time)? A: {time}
Q: (where)? A: {place}
as of now <it> <happen> {date}
(I wrote|it says|they say|she says|the flyer says|the mail says|my note says|the sign says|the website says)(:| that) <it> <happen> {date}
(I wrote|it says|they say|she says|the flyer says|the mail says|my note says|the sign says|the website says)(:| that) <it> <start> at {time}
(I wrote|it says|they say|she says|the flyer says|the mail says|my note says|the sign says|the website says)(:| that) <it> <found> <loc> {place}
(I wrote|it says|they say|she says|the flyer says|the mail says|my note says|the sign says|the website says)(:| that) <what> <cost> {price}
(I wrote|it says|they say|she says|the flyer says|the mail says|my note says|the sign says|the website says)(:| that) {host} <host1> <it>
(I'll|I will|we'll|she'll|they'll) (take|catch|need) (you|the kids|everyone) to <the> {title} {date}
(nothing|neither rain nor snow|no one) (keeps|will keep) us from <the> {title}
after (months|weeks|years|a long break) <the> {title} (is back|returns|comes back) {date}
(the lights|the band|the speaker|the cook|the first guests) (will be|is|are) ready at {time} {date}
(let me know|tell me|say) if {date0} (is fine|suits you|works|is a problem)
(unfortunately|sadly|oddly) {x_date} (is impossible|did not work|was taken), so <it> <happen> {date}
"""

LINES = """
{title}<sep> {date0}
{title}<sep> {date0}<sep> {time}
{title}<sep> {date0}<sep> {time}<sep> {place}
{title}<sep> {time}
{title}<sep> {place}
{title}<sep> {place}<sep> {date0}
{title}<sep> {place}<sep> {time}
{title}<sep> {city}
{title} in {city}
{title}<sep> {span}
{title}<sep> {date0}<sep> {span}
{title}<sep> (by|host|invited by|hosted by) {host}
{title}<sep> {price}
{title}<sep> {people} <ppl>
{title}<sep> with {attendees}
{title} for {people}
{date0}<sep> {title}
{date0}<sep> {time}<sep> {title}
{date0}<sep> {title}<sep> {place}
{date0}<sep> {place}<sep> {city}
{date0}<sep> {city}
{date0}<sep> {time}<sep> {place}
{date0}<sep> {time}
{date0}<sep> {span}
{time}<sep> {date0}
{time}<sep> {title}<sep> {place}
{time}<sep> {place}
{time}<sep> {city}
(start|from|doors|beginning|starting|kick-off|starts|begins) {time}
(end|ends|till|finish|closing|over by|not after|to) {end}
(starts|from) {time}, (ends|finishes|until|till) {end}
{span}<sep> {place}
{span}<sep> {title}
{span} {date0}
{place}<sep> {date0}
{place}<sep> {time}
{place}<sep> {city}
{city}<sep> {place}
{city}<sep> {date0}
(at|venue|where|location|meet at|go to) {place}
(in|town|city|this time in) {city}
(host|organiser|by|organised by|hosted by|invited by|run by|led by) {host}
(entry|admission|ticket|fee|cost|price|only|just|from) {price}
{price} (entry|admission|a ticket|each|p.p.|per person|at the door|fee)
(for|up to|max.|at most|room for|only|limit) {people} <ppl>
{people} (seats|places|people|participants|spots|tickets|persons) (max.|left|only|)
(guests|coming|invited|who|going|attending|confirmed) {attendees}
{attendees} (coming|invited|attend|confirmed|will join|said yes)
(reply|answer|sign up|register|confirm|RSVP|respond|book) <by> {rsvp0}
{online}!
({online})
""".replace("({online})", "note, {online}")

LABELS = {
    "title": "(Name|Title) of (the |)(event|meeting|appointment)|Event (title|name)|Meeting|Appointment|(Calendar|Agenda) (item|entry)|Entry|Activity|Meeting (title|name|topic)|(Theme|Heading|Headline|Caption)|Type of event|What's on|What for|"
             "Our (event|topic)|(Session|Item|Function|Course|Celebration|Happening)|Invitation to|You are invited to",
    "date": "(Event|Meeting|Start|Starting) (date|day)|Date of (the |)(event|meeting)|(Which|What) day|Takes place on|Day of the (event|meeting)|(New|Final|Agreed|Fixed) date|(Planned|Set|Fixed|Booked|Arranged) for|When is it|Happens on|Calendar day|Date (and|&) day|"
            "Appointment date|The date",
    "time": "(Start|Starting|Starts) (time|at)|Time of (day|start)|(Opening|Beginning|Kick-off|Kickoff)|(Doors|Gates) open|(We|It) (start|starts) at|What time|Start of (the |)(event|meeting)|Commences|Starts from|Meeting time|(Hour|Clock time)|"
            "(Opens|Opens at)|Be there at|(Arrival|Please come at)|Event time",
    "end": "(Ending|Closing|Finishing) (time|at)|Time of end|(Closes|Closes at|Over at|Finishes|Finishes at|Ends around)|End of (the |)(event|meeting)|(Ending|Closing|Close)|Ends by|Runs till|Latest end|(Planned|Expected) end|Open till|Done by",
    "place": "(Event|Meeting) (place|location|venue|address)|Place of (the |)(event|meeting)|(Where is it|Where to|Where at)|(Site|Spot)|Address of (the |)venue|(Held|Hosted|Takes place) at|Meet at|Meet us at|Meeting place|Come to|(Hall|Building|Room) or place|"
             "Location of (the |)event|Our venue",
    "city": "(Event|Host|Venue) (city|town)|City or town|Town or city|City of (the |)(event|venue)|(Name of|The) (city|town)|(Which|What) (city|town)|Town/city|City/town|Destination",
    "host": "(Event|Meeting) (host|organiser|organizer|planner)|Host of the (event|evening)|(Organised|Arranged|Planned|Run|Led|Held|Offered) by|(Your|Our) host|Who invites|Who organises it|(In charge|Responsible|Chair|Chaired by)|Person in charge|"
            "(Main|Your) contact|Invitation from|Host name|Name of (the |)(host|organiser)|Planner",
    "price": "(Entry|Entrance|Admission|Participation) (fee|price|charge|cost)|(Price|Cost|Fee) per (person|head|ticket)|(Charge|Charges)|What it costs|How much|(Price|Cost) of (a |)(ticket|seat)|Pay at the door|(Total|Full) (price|cost)|Ticket (cost|fee)|To pay|"
             "Contribution|Ticket|You pay",
    "people": "(Number|No.|Count) of (people|guests|participants|persons|seats|places|visitors)|(Max|Maximum) (number|capacity|participants|people)|How many (people|guests|)|(People|Guest|Visitor|Participant) count|(Total|Expected) (guests|people|participants)|"
              "Limit|(Seats|Places|Spots) (available|in total)|Size of (the |)group|Room for|Party size|Pax|# of guests",
    "attendees": "(Guest|Participant|Invitation) list|List of (guests|participants|attendees)|Who (is coming|is invited|takes part|joins|attends)|(Names of|The) (guests|participants)|(Coming|Attending|Joining|Confirmed|Signed up)|(Invited|Confirmed) (people|guests|persons)|"
                 "Invitees|With us|(Taking part|Going)|Crew",
    "rsvp": "(Reply|Answer|Confirm|Respond|Register|Enrol|Sign up) (before|no later than)|(Reply|Response|Registration|Sign-up|Booking|RSVP) (date|closes|until|by)|(Last|Final) day to (reply|register|sign up|answer)|Latest reply|Answers by|Let us know by|"
            "Please (reply|respond|confirm|register|sign up) by|RSVP until|Registration ends|Please RSVP by",
    "online": "(Via|By|On) (the |)(internet|web)|(Video|Online|Web|Digital) (call|meeting|conference)|(Is it|Held|Takes place) (online|virtual|remote|virtually|remotely)|(Remote|Virtual) (event|meeting)|Video meeting|(Join|Joining) online|From home|Online only",
}
