"""Events."""
from .. import words
from . import event_phrasings, values
from .grammar import Domain, Field
from .values import same
from .wider import widen_contrasts, widen_domain


def _online(choose):
    value = choose.chance(0.5)
    return choose.of(event_phrasings.ONLINE if value else event_phrasings.IN_PERSON), "yes" if value else "no", value


def _deadline(choose, now):
    """A day by which one answers: "by in three days" nobody says."""
    while True:
        said, day, value = values.date(choose, now)
        if not day.startswith("in "):
            return said, day, value


def _names(choose):
    names = list(dict.fromkeys(words.first_name(choose) if choose.chance(0.7) else values.person(choose) for _ in range(choose.rng.choice((1, 2, 2, 3, 3, 4)))))
    said = names[0] if len(names) == 1 else ", ".join(names[:-1]) + choose.rng.choice((" and ", " and ", ", ", " & ", " as well as ")) + names[-1]
    return said, said, names


EVENT = Domain("event", """Extract the event.
Take the event out of the text.
Event as JSON.
Fill in the calendar entry.
What is happening? Fill in the event.
Find the event in this text.
Give me the event.
Turn this into an event.
Read the event out of this.
Which event is in the text?
Make an event of this.
Get the event details.
Please extract the event details.
Save this as an event.
Fill in the event.
Event please.
What, when and where?
Put this into my calendar.
Calendar entry as JSON.
When and where is it?
Extract the appointment.
Read the invitation.
What am I invited to?
Make a calendar entry of this message.
Date, time and place please.""", {
    "title": Field("string", "title|event|name|event name|what|summary|event title|subject|occasion|title of event|appointment|topic|headline|activity|calendar title|meeting title|name of event",
                   "Event|Title|What|Subject|Name|Event name|Occasion|Topic|Invitation|Programme|Re|Summary|Appointment|Name of event|Title of event|Theme|Heading|What is it|Agenda item|Calendar entry|Activity|"
                   "What is on|Announcement|Event title|Invitation to|Meeting title", lambda c, n, v: same(values.event_title(c))),
    "date": Field("string", "date|day|event date|when|start date|date of event|scheduled for|held on|takes place on|day of event|meeting date|on date",
                  "Date|Day|When|On|Event date|Datum|Held on|Scheduled for|Date of event|Takes place on|Which day|When is it|Day of the event|Planned for|Set for|Happens on|The date|Event day|Fixed for|Meeting date|What day", lambda c, n, v: values.date(c, n)),
    "time": Field("string", "time|start time|start|begins|starts at|from time|begin|begins at|event time|beginning|time of day|opening time|clock time",
                  "Time|Start|Begin|Starts|Start time|Begins at|Doors|Beginning|Starting time|Starts at|What time|Time of day|Doors open|Kick-off|Event time|Opening|Opens at|Start at|We start at|It begins at|Be there at", lambda c, n, v: values.clock(c)),
    "end": Field("string", "end|end time|until|ends|ends at|to time|finish|finishes|closing time|finish time|ends by|till|over at",
                 "End|Until|Ends|End time|Finish|Till|Ends at|Closes|Closing time|Over at|Finishes at|Finish time|Ending|Ends around|Finishes|End of event|Open until|Closes at|Close|Planned end|It ends at", lambda c, n, v: values.clock(c)),
    "place": Field("string", "place|location|venue|where|address|event location|meeting place|meeting point|held at|place of event|event venue|site|takes place at",
                   "Place|Location|Where|Venue|Meeting point|Address|Event location|Meeting place|Held at|Takes place at|Where is it|Site|Place of event|Where to|Meet us at|Event venue|Hosted at|Come to|The place|Spot|Where we meet", lambda c, n, v: same(values.place(c))),
    "city": Field("string", "city|town|city name|event city|town or city|host city|city of event|in which city|municipality", "City|Town|Municipality|Ort|Located in|Event city|Town or city|City name|Host city|Which town|Name of town|City/town|In the city of|City of the event|Which city|The town", lambda c, n, v: same(values.town(c))),
    "host": Field("string", "host|organizer|organiser|contact|organized by|hosted by|contact person|invited by|host name|name of host|event host|organised by|event organizer|inviter",
                  "Host|Organiser|Organizer|Contact|Invited by|Organised by|Hosted by|Your host|Who invites|In charge|Arranged by|Event host|Planned by|Run by|Led by|Host name|Your contact|Name of host|Responsible|Invitation from|Set up by|"
                  "Who organises it", lambda c, n, v: same(values.someone(c))),
    "price": Field("number", "price|cost|fee|entry fee|ticket price|admission|entrance fee|price per person|entry|charge|ticket cost|admission fee|costs",
                   "Price|Cost|Fee|Entry|Admission|Tickets|Ticket price|Costs|Entrance|Entrance fee|Price per person|Charge|How much|Ticket|Fee per person|It costs|Admission fee|Cost per head|Ticket cost|Pay at the door|Price of admission|"
                   "You pay", lambda c, n, v: values.price(c, 60)),
    "people": Field("integer", "number of people|max guests|people count|capacity|group size|seats|number of guests|guest count|headcount|participant count|number of participants|how many people|persons|party size",
                    "Number of people|Capacity|Seats|Persons|Places|Group size|Max. guests|Headcount|No. of guests|How many people|How many|Participants max.|Maximum number of people|Number of seats|Guest count|Number of participants|Party size|Room for|"
                    "People expected|Total guests|Limit|Max. people", lambda c, n, v: values.count(c, 60, 0.35)),
    "attendees": Field("array", "attendees|participants|guests|people|invited|members|with whom|guest list|invitees|invited people|guest names|attending|guests invited|list of guests",
                       "Attendees|Participants|Guests|People|Invited|Members|Present|Who comes|Guest list|Invitees|Attending|Who is coming|Coming|Who is invited|Taking part|Names of guests|List of guests|Who takes part|Joining|With us", lambda c, n, v: _names(c), choices={"type": "string"}),
    "rsvp": Field("string", "rsvp by|reply by|deadline|answer by|sign up by|rsvp date|rsvp|reply until|register by|response deadline|respond by|registration deadline|rsvp deadline|confirm by",
                  "RSVP by|Reply by|Deadline|Sign up by|Register by|Please answer by|Answer until|RSVP|Registration until|Confirm by|Respond by|Please reply by|Let us know by|Registration deadline|Last day to sign up|Reply until|Answer needed by|"
                  "Registration closes", lambda c, n, v: _deadline(c, n)),
    "online": Field("boolean", "online|is online|virtual|remote|online event|is virtual|is remote|online meeting|video call|held online", "Online|Virtual|Remote|Online event|Via video|By video|Digital|Held online|Video call|Is it online|On the internet|"
                    "Remote event|Takes place online|Online meeting|Video meeting", lambda c, n, v: _online(c)),
}, ("title",), """You are (invited|warmly invited|all invited) to (the|our|a) {title}.
(There is|There will be|We have|We are having) (a|the) {title}.
Don't (miss|forget) (the|our) {title}!
We are (planning|organising|holding|preparing|throwing) (a|the) {title}.
The {title} is (coming up|nearly here|next|back|happening again).
(Please |)(come|come along|join us) (to|for) (the|our) {title}.
(Reminder|Invitation|Event|Title|What|Announcement|News): {title}.
The next {title} (has a date|is fixed|is planned).
{title}!
The {title} (will take place|is on|is happening|will go ahead).
I'm (looking forward|coming) to the {title}.
(About|Regarding|News about|A note about) the {title}:
(Save|mark) the date (for|of) (the|our) {title}!
(Welcome|see you at) (to |)the {title}.
(We invite you|you and your family are invited) to (a|the|our) {title}.
Here are the details (of|for) the {title}.
(Are you|will you be) (free|there|around) for the {title}?
(This|It) is about the {title}.
(This year's|the next|our) {title} (is special|needs you|takes place).
(You asked about|I told you about|remember) the {title}.
(It is|it's) time for (the|a|another) {title}.
(All|everyone|everybody) welcome: {title}.
The {title} you signed up for (is confirmed|takes place|is on).
Your {title} (is confirmed|has been booked|is set).
(Could|can|shall) we (do|have) (a|the) {title}?
(I|we) (booked|arranged|set up|scheduled|put in) (a|the) {title}.
(How about|what about|fancy) a {title}?
Put {title} (into|in) (my|the|your) calendar.
{title} {date}.
{title} (is|will be|takes place|happens) {date}.
(The|our|a) {title} (is|will be|takes place|is planned) {date} at {time}.
{title} {date} at {time}.
{title} {date} at {time}, {place}.
{title} (is|will be|takes place) {date} (in|at) {place}.
{title} (starts|begins|is) at {time}.
{title} (at|in|at the|in the) {place}.
{title} at {place}, {date}, {time}.
{title} from {span}.
{title}, {date}, {span}.
{host} (invites you|is inviting|would like to invite you) to (the|a) {title}.
{host} (is having|is throwing|organises|is planning|gives|hosts) (a|the) {title}.
{host} (is having|is planning|hosts) (a|the) {title} {date}.
(The|our) {title} (was moved|has moved|is moved|had to move) from {x_date0} to {date0}.
(The|our) {title} is not {x_date} but {date}.
(The|our) {title} (was moved|has been moved) to {date0} at {time}.
(Not|no longer) {x_date}, (but|it is now|instead we meet) {date}.
(The|our) new (date|day) is {date0}, not {x_date}.
(It was planned|we first planned it|originally it was) {x_date}, (but it is|now it is) {date}.
(The|our) time has changed(:| from {x_time} to) {time}.
(Not|no longer) at {x_time}(,| but) (rather |)at {time}.
(It starts|we start) at {time} (instead of|and not at) {x_time}.
(It will not be|it is not) (at|in) {x_place} (this time|), (but|we meet) (at|in|at the|in the) {place}.
(Instead of|not) {x_place}(,|) we (go to|meet at|are at) {place}.
(The|last year's|the last) (one|event) was (at|in) {x_place}, this time it is (at|in|at the|in the) {place}.
(It is|it's|that's|it will be|it takes place|it happens|it's happening) {date} at {time}.
(It is|it's|that's|it will be|it takes place|it happens|it's happening) {date}.
(We|we'll|let's) meet {date} at {time}.
(We|we'll|let's) meet {date}.
(We|we'll|let's) meet at {time} (at|in|in front of) {place}.
(We|we'll) meet (at|in|outside|in the) {place} {date}.
(We|we'll) meet (at|in|outside|in the) {place}.
(We|we'll) meet (at|in|outside|in the) {place} at {time}.
(When|Date|Day and time): {date0}, {time}.
(When|Date): {date0}.
{date} at {time} (it begins|it starts|we start|we begin|is the big moment).
{date} from {span}.
{date}, {span}, {place}.
{date} {span}.
(Be there|come|come along|show up|arrive) {date} at {time}.
(Be there|come|come along) {date}.
(Keep|leave) {date0} free.
(The|our) (date|day) is {date0}.
(See you|join us) {date} at {time}.
(See you|join us) {date}.
(I'll|we'll) (see you|be there) {date} at {place}.
(We|I) (thought of|agreed on|chose|picked|settled on) {date0}.
(Does|would) {date0} (work|suit you|be fine)?
(Start|time|beginning|start time|begin): {time}.
(It|The whole thing|the programme|the fun) (starts|begins|kicks off|opens) at {time}.
(Doors|gates) (open|are open) at {time}.
(Doors open|admission) at {x_time}, (start|it begins|the show starts) at {time}.
(We|they) (start|begin|open) at {time} (sharp|).
(Be there|come|arrive|please come|please be there) (at|by) {time}.
(We start at {time} and|it starts at {time} and) (end|finish|are done|stop|ends|is over) at {end}.
(It runs|it goes|it lasts|open|it is|we're there|it's) from {time} (to|until|till) {end}.
(Between|from) {time} and {end}.
(It starts|start) at {time}, (the end is|it ends|end) at {end}.
(It|The meeting|The whole thing) (ends|finishes|is over|will be over|closes) (at|around) {end}.
(Until|till|end:|ends at) {end}.
(The end is|we have to leave|they close) at {end}.
(It runs|it goes|open|time:|hours:|it's) {span}.
{span} (is the time|it is|works best).
(We are there|doors are open|programme|you can come|drop in): {span}.
(The|our) (place|venue|location|meeting point) is (the |){place}.
(Place|where|venue|location|meeting point)(:| is) {place}.
(It is|it's|it will be|it takes place|it happens|it is held|held) (at|in|at the|in the) {place}.
(Come|go|head|come over) to {place}.
(Find|meet|join) us (at|in|at the|in the) {place}.
(We'll be|we are|I'll be|everybody is) (at|in|at the|in the) {place}.
(See you|gathering) (at|in|at the|in the) {place}.
{place} (is the place|is where we meet|is booked|is reserved).
(I|we) (booked|reserved|rented) {place}.
(At|in) {place} in {city}.
(The|our) (venue|place) is {place} in {city}.
(It is|it's|it takes place|held) in {city}.
(City|town|in the town of|this time in|we go to)(:| |) {city}.
(Travel|come|we go|the group goes) to {city}.
{host} (invites you|invited us|asked everyone to come|has invited you).
(Organised|organized|hosted|held|given|led|arranged|offered) by {host}.
{host} is (the host|in charge|organising it|responsible|the organiser|leading it).
(The|your|our) (host|organiser|contact) is {host}.
(Host|organiser|organizer|contact|invited by): {host}.
(Ask|contact|call|write to|tell) {host} (for details|if you come|with questions|for more).
{host} (will be there for you|looks forward to you|makes it happen|is waiting for you).
(With best wishes|see you there|we hope you come|cheers), {host}.
(Questions|answers) (go|please) to {host}.
(Also|and|) {x_name} (can't come|is ill|is coming too|will be late|brings a cake).
{x_name} (told me|asked|heard) about it, (but|and) {host} (organises it|is the host|is in charge).
(Entry|admission|it|the ticket|taking part|a seat) (is|costs|will be) {price}.
(Price|cost|fee|entry|admission): {price}.
(Tickets|seats|places) (cost|are|are sold for|at) {price} (each|per person|at the door|).
(You pay|we ask for|please bring|bring) {price} (each|at the door|in cash|).
(We expect|we have room for|there are seats for|a table for|we are) {people} (people|guests|participants).
(For|at most|about|up to) {people} (people|guests|persons).
{people} (people|guests|participants|friends) (will come|are coming|have signed up|are invited).
(There are|only|we have) {people} (seats|places|spots|chairs).
(Guests|participants|attendees|with us|invited|who comes): {attendees}.
{attendees} (are coming|will be there|will join|are invited|come too|take part).
(With|together with|and also) {attendees}.
(I|we) (invited|asked|will bring|will meet) {attendees}.
{title} with {attendees}.
(The|our) (guests|participants) are {attendees}.
(Coming|present|so far|signed up)(:|) {attendees}.
(Please |)(reply|answer|let us know|sign up|register|RSVP|say yes) (by|until|before) {rsvp0}.
(Deadline|RSVP by|sign up by|registration closes|answer by): {rsvp0}.
(We need|I need) (your answer|a reply|to know) by {rsvp0}.
{online}.
{online}.
{online}, (by the way|so plan for that|as always|this time|don't forget).
(As I said|note|by the way|important|this time), {online}.
(Just so you know|and|remember)(:|,) {online}.
(Here comes|coming up|next up|up next)(:| is) (the|our) {title}.
(It would be|it'd be) (lovely|great) to (see|have) you at (the|our) {title}.
(Who|anyone) (is in|wants to come) for (a|the) {title}?
(The|our) {title} (needs you|is not far off|is drawing near|won't be the same without you).
I (can't|cannot|could hardly) wait for (the|our) {title}.
(Let's|we should) (do|hold|repeat) (the|our) {title} {date}.
(Schedule|enter|add) {title} for {date}.
(Schedule|enter|add) {title} (to|in) (my|the) (calendar|diary|agenda).
(Block|reserve) {time} for (the|our) {title}.
I'd like to (invite you to|ask you to come to) (my|our) {title}.
(We are|we're) (delighted|pleased|happy) to (announce|present) (the|our) {title}.
(Doors are|the hall is) open for (the|our) {title} {date}.
(There's|there is) (a|going to be a) {title} {date}.
(A|one) {title} (has been|was) (scheduled|added|entered) for {date0}.
(The|our) {title} (got|has) a (new |)(slot|date): {date0}.
(The|our) {title} will (start|begin|kick off) at {time}.
(The|our) {title} (runs|lasts|goes on) from {span}.
(The|our) {title} (will be|is) over (by|at) {end}.
(The|our) {title} (can take|has room for) {people} (people|guests).
(Admission to|a ticket for|entry to) the {title} is {price}.
(Who's behind|who runs|who hosts) the {title}? {host} (does|of course).
(Come celebrate|celebrate with us): {title}, {date}.
(You have|you've got) an appointment: {title}.
(What's on|on the programme|this week|on today's agenda): {title}.
(New|one) (entry|item) in the calendar: {title}, {date}.
(The|our) {title} will not be {x_date}, it will be {date}.
(The|our) {title} (got|was) cancelled {x_date} and (will be held|takes place) {date}.
(Meeting|appointment) request: {title}.
(Can|could) (you|we) (fit|squeeze) {title} in {date}?
(It looks like|seems) {date0} (is best|suits everyone|wins).
{date0} (it is|then|is fine by me).
{date} (then|would be perfect|at the earliest|works for us).
(Pencil|write) it in for {date0}.
(The big|the great) day (is|will be) {date0}.
(You are|you're) (expected|welcome) {date}.
(Are you|will you be) (free|around|in town) {date}?
(Shall we|should we) (say|meet) {date}?
(Shall we|should we) (say|start at|make it) {time}?
(Call it|let's say|make it) {time}.
(They'll|we'll|I'll) (pick you up|expect you|wait for you) at {time}.
(Everything|it all) (gets going|gets under way) at {time} {date}.
(The first|our first) (talk|act|round) is at {time}.
(Please come|please be seated|be ready) by {time}.
{time} (sharp|on the dot), please.
{time} (is when it starts|is the start|we start).
{time} (till|until) {end}.
(Set aside|keep) (the time from |){time} to {end}.
(We have|you have) the room (until|till) {end}.
(Pick-up|collection|home time) is at {end}.
(Bring the kids home|the last bus leaves|lights out) at {end}, when it ends.
(It should|it will) (wrap up|be finished) by {end}.
(Nobody|no one) stays (beyond|longer than) {end}.
(All of it|everything) (takes place|happens) between {time} and {end}.
(The slot|our slot) is {span}.
(Look for us|you'll find us|we've a table) (at|in|at the|in the) {place}.
(They|the organisers) (chose|picked|went for) {place} (as the venue|).
(For the venue|as a venue) we (have|got) {place}.
{place} (hosts us|will host it|it is|is the best place for it).
(Where? |where exactly? )(At|in) {place}.
(The address|the meeting place|the spot) is {place}.
(Make your way|find your way|please come) to {place}.
(We moved|it was moved) (it |)to {place}.
(We moved|it was moved) from {x_place} to {place}.
(This year|this time) {city} (is the host|has the honour|it is).
(We will all|everyone will) (be|meet) in {city}.
(Off|away) to {city} (we go|with all of us).
(The town|the city|the host city) (this time|) is {city}.
{place}, (that's|which is|right) in {city}.
(It was|the idea was) {host} (who set it up|who invited everyone|who made the plan).
{host} (leads|runs|set up|put together) (it|the whole thing|the event).
{host} (would love to see you|is looking forward to you|hopes you can come).
(Behind|in charge of) (it|the event) is {host}.
(Brought to you|presented|set up|run) by {host}.
(If you have questions|should you need help)(,|) {host} (knows|is the one to ask).
(On behalf of|in the name of) {host} (we invite you|you are invited).
(You will be|you are) (the guest|guests) of {host}.
(Getting in|joining|being part of it) (costs|is) {price}.
(A seat|a place|one ticket) (is yours|can be had) for {price}.
(The fee|the price|the entry) (was set at|comes to|is) {price}.
(Have|keep) {price} (ready|with you) for the (entry|door).
(That'll be|that's|it's) {price} (a head|per person|each).
{price} (gets you in|covers it|is what it costs).
(Please transfer|send|pay) {price} (in advance|to the club).
(The room|the hall|the place) (holds|seats|fits|takes) {people} (people|guests|).
(We've|they've) (laid|set) the table for {people}.
(In total|altogether|in all) {people} (will come|are coming|take part).
(Not more than|no more than|up to|maximum) {people} (people|guests|can come).
(We need|please prepare) {people} (chairs|seats|plates).
(We will|we'll) be {people} (in total|altogether|people).
{attendees} (said yes|are on the list|accepted|confirmed).
(You'll|you will) (meet|see) {attendees} (there|).
(Also coming|on the list|who comes|the guests)(:|?) {attendees}.
(The invitation|the invite) (went|goes) (out |)to {attendees}.
(We|I) (expect|are expecting|count on) {attendees}.
(I'm going|we're going|come) with {attendees}.
(Your|an) (answer|reply) (is|would be) (needed|nice) by {rsvp0}.
(Last|final) day to (sign up|answer|register|reply) is {rsvp0}.
(Say|tell us) (yes or no|if you're coming) by {rsvp0}.
(Sign-up|registration) (ends|closes) {rsvp}.
(Get back to|write to) us (by|before) {rsvp0} (if you want to come|).
(We take|we accept) (answers|registrations) until {rsvp0}.
{rsvp0} is the (last day to answer|deadline for registration).
(Before you ask|to make it clear|for those who wonder): {online}.
{online}, (in case you wonder|I'm told|it says here).
(The plan|this year's plan|our idea) is that {online}.
{online} (as usual|again|once more).
(We|they) (wrap up|pack up|call it a day) at {end}.
(It|the evening|the event) (won't|will not) go on (longer than|past) {end}.
(The hall|the room|the place) (closes|shuts) at {end}.
(You'll be|we'll be|you can be) home (again |)by {end}.
(The last|our last) (song|talk|act|round) (ends|is over) at {end}.
At {end} (it's over|the fun is over|everything ends|we go home).
(We stay|stay with us|music|drinks|the fun lasts) (until|till) {end}.
(The finish|closing time|the end) (comes|is) at {end}.
(We want|we have|we plan) to (finish|stop|be done) (by|at) {end}.
(They|we) (need|have to leave|must clear) the room (by|at) {end}.""", """{title}
{title}
{title}
{title}: {date0}
{title}, {date0}
{title} - {date0}, {time}
{title} | {date0} | {time}
{title} @ {place}
{title} ({date0})
{date0}
{date0}
{date0}, {time}
{date0} {time}
{date0} | {time}
{date0} - {time}
{date0} @ {time}
{date0}, {span}
{date0}, {place}
{time}
{time} {title}
{time}, {place}
{time} - {place}
at {time}
{span}
{span}, {place}
{date0}, {span}, {place}
until {end}
ends {end}
to {end}
{place}
{place}
{place}
@ {place}
{place}, {city}
{city}, {date0}
{city}
in {city}
by {host}
host: {host}
by {host}, {place}
{host} invites
{price}
Tickets {price}
entry {price}
max. {people} people
{people} guests
with {attendees}
{attendees}
{title} / {attendees}
RSVP {rsvp0}
answer by {rsvp0}
please reply by {rsvp0}
{online}
{title}: {date0}, {span}
{title} / {place}
{title} / {date0} / {city}
{title}, {span}
{title} - {host}
{title}, {price} a ticket
{date0}: {title}
{date0}: {title}, {time}
{date0}; {place}; {time}
{date0} / {span} / {place}
{date0} in {city}
{time}: {title}
{time} at {place}
from {time}
starts {time}
till {end}
over at {end}
open {span}
{span}: {title}
venue {place}
in: {place}
{place}, in {city}
{city}: {place}
{city} - {title}
organised by {host}
your host: {host}
{host} hosts
{price} p.p.
{price} at the door
{people} seats
for {people} people
coming: {attendees}
guests: {attendees}
reply by {rsvp0}
sign up until {rsvp0}
last day to reply: {rsvp0}""".replace("({date0})", "/ {date0}"), """Save the date!
Invitation
You are invited!
Hurray, it is that time again.
Calendar
New appointment
Notice on the door:
From the newsletter:
Poster in the hall:
Big news.
Plans for the week
Agenda
Upcoming events
Appointment confirmation
Message from the club:
Hello members.
Programme
We have something to celebrate.""", """Everybody is welcome.
Bring a chair if you can.
There will be cake.
We hope to see you there.
Please tell your friends.
Dress as you like.
Drinks are on us.
Kids and dogs are welcome.
Rain or shine!
Bring something to eat.
Can you make it?
Let me know if you can come.
It will be great.
Put it in your diary.
No gifts, please.
Hope you can come.
Do come, please.
I booked the seats already.""", share=1.3, facts_like=r"euros|ticket|seat|chairs|costs?\b|paid|starts|opens|closes|\bpeople\b|friends|neighbours|guests")
widen_domain(EVENT, event_phrasings.SENTENCES, event_phrasings.LINES, event_phrasings.LABELS, event_phrasings.CLASSES)
widen_contrasts(EVENT, {"date": ("date", ""), "time": ("time", "|at "), "place": ("place", "|at "), "city": ("city", "|in "), "host": ("name", "|by "), "price": ("price", "")})
