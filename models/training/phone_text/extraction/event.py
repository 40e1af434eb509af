"""Events."""
from .. import times, words
from . import values
from .grammar import Domain, Field
from .values import same


def _yes(said_yes, said_no):
    def make(choose, now, v):
        value = choose.chance(0.5)
        said = choose.rng.choice(said_yes if value else said_no)
        return said, "yes" if value else "no", value
    return make


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
    "title": Field("string", "title|event|name|event name|what|summary|event title|subject|occasion", "Event|Title|What|Subject|Name|Event name|Occasion|Topic|Invitation|Programme|Re|Summary", lambda c, n, v: same(values.event_title(c))),
    "date": Field("string", "date|day|event date|when|start date|on", "Date|Day|When|On|Event date|Datum|Held on|Scheduled for", lambda c, n, v: values.date(c, n)),
    "time": Field("string", "time|start time|start|begins|starts at|from time|begin", "Time|Start|Begin|Starts|Start time|Begins at|From|Doors|Beginning|At", lambda c, n, v: values.clock(c)),
    "end": Field("string", "end|end time|until|ends|ends at|to time|finish", "End|Until|Ends|End time|Finish|To|Till|Ends at", lambda c, n, v: values.clock(c)),
    "place": Field("string", "place|location|venue|where|address|room", "Place|Location|Where|Venue|Room|Meeting point|At|Address", lambda c, n, v: same(values.place(c))),
    "city": Field("string", "city|town", "City|Town|In|Place (city)".replace(" (city)", " and city") + "|Municipality|Ort|Located in", lambda c, n, v: same(values.town(c))),
    "host": Field("string", "host|organizer|organiser|contact|organized by|hosted by|speaker|with|contact person", "Host|Organiser|Organizer|Contact|Speaker|Invited by|Organised by|Hosted by|With|From|Leader", lambda c, n, v: same(values.someone(c))),
    "price": Field("number", "price|cost|fee|entry fee|ticket price|admission", "Price|Cost|Fee|Entry|Admission|Tickets|Ticket price|Costs|Entrance", lambda c, n, v: values.price(c, 60)),
    "people": Field("integer", "number of people|max guests|people count|capacity|group size|seats|number of guests", "Number of people|Capacity|Seats|Persons|Places|Group size|Max. guests|Headcount", lambda c, n, v: values.count(c, 60, 0.35)),
    "attendees": Field("array", "attendees|participants|guests|people|invited|members|with whom", "Attendees|Participants|Guests|People|Invited|Members|Present|Who comes", lambda c, n, v: _names(c), choices={"type": "string"}),
    "rsvp": Field("string", "rsvp by|reply by|deadline|answer by|sign up by|rsvp date", "RSVP by|Reply by|Deadline|Sign up by|Register by|Please answer by|Answer until", lambda c, n, v: values.date(c, n)),
    "online": Field("boolean", "online|is online|virtual|remote", "Online|Virtual|Remote|Online event|Via video|By video|Digital", _yes(("it is online", "it takes place online", "we meet by video", "it is a video call", "it will be virtual", "join from your computer"),
                                                                                                         ("it is not online", "we meet in person", "there is no video call", "it is on site", "it will be face to face", "you have to be there in person"))),
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
{title} with {host}.
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
{host} is (the host|in charge|organising it|responsible|the organiser|leading it|the speaker).
(The|your|our) (host|organiser|contact|speaker) is {host}.
(Host|organiser|organizer|contact|speaker|invited by): {host}.
(Ask|contact|call|write to|tell) {host} (for details|if you come|with questions|for more).
{host} (will be there for you|looks forward to you|makes it happen|is waiting for you|will speak|gives the talk).
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
(I|we) (invited|asked|told|am bringing|will meet) {attendees}.
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
(Just so you know|and|remember)(:|,) {online}.""", """{title}
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
with {host}
by {host}
host: {host}
with {host}, {place}
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
{online}""".replace("({date0})", "/ {date0}"), """Save the date!
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
I booked the seats already.""", share=1.3)
