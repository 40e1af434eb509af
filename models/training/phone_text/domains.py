"""What a phone can be asked for: tools, their arguments, and the phrasings of requests.

In a phrasing, a word in braces is a slot of FILLERS, which says it and gives the arguments. A phrasing is used only with tools that have all
arguments that it gives, except that a day is not said to a tool without dates.
"""
import dataclasses

from . import times, words
from .split import Lexicon


@dataclasses.dataclass(frozen=True)
class Argument:
    names: tuple          # of which a tool has one
    type: str             # string, integer, array or boolean
    descriptions: tuple   # of which a tool has one or none
    values: tuple = ()    # of an enumeration


@dataclasses.dataclass(frozen=True)
class Missing:
    question: str         # the one that the assistant asks
    phrasings: Lexicon    # requests without the argument
    slot: str             # what the user then says


@dataclasses.dataclass(frozen=True)
class Domain:
    name: str
    tools: Lexicon            # names
    descriptions: Lexicon
    arguments: dict           # key -> Argument, in the order of the schema
    required: tuple
    phrasings: Lexicon
    missing: dict             # key -> Missing


DOMAINS = {}


def domain(name, tools, descriptions, arguments, required, phrasings, missing=None):
    asked = {}
    for key, (question, slot, lines) in (missing or {}).items():
        asked[key] = Missing(question, Lexicon(f"{name}: without {key}", lines.strip().split("\n")), slot)
    DOMAINS[name] = Domain(name, Lexicon(f"{name}: names", tools.split()), Lexicon(f"{name}: descriptions", descriptions.strip().split("\n")),
                           arguments, tuple(required), Lexicon(f"{name}: phrasings", phrasings.strip().split("\n")), asked)


TIME = Argument(("time", "time", "at", "clock", "time_of_day"), "string", ("Time, HH:MM", "HH:MM", "24-hour time, HH:MM", "When, as HH:MM"))
DATE = Argument(("date", "date", "day", "on"), "string", ("Date, YYYY-MM-DD", "YYYY-MM-DD", "The day, YYYY-MM-DD"))
PERSON = ("contact", "to", "recipient", "person", "name", "who")

domain("timer", "set_timer start_timer timer create_timer timer_start countdown begin_countdown new_timer run_timer clock_timer kitchen_timer", """
Start a timer.
Starts a countdown.
Set a timer that rings after a while.
Count down and ring.
Start a countdown timer on the phone.
Sets a timer for a duration.
Run a timer.
Begin a countdown for the given time.""",
       {"hours": Argument(("hours",), "integer", ("Hours",)), "minutes": Argument(("minutes",), "integer", ("Minutes",)),
        "seconds": Argument(("seconds",), "integer", ("Seconds",)), "label": Argument(("label", "name", "title"), "string", ("What it is for",))}, (), """
set a timer for {duration}
set a {duration} timer
start a timer for {duration}
start a {duration} countdown
timer for {duration}
timer, {duration}
{duration} timer
count down {duration}
I need a timer for {duration}
give me a timer of {duration}
make it ring (in|after) {duration}
run a timer for {duration}
let me know when {duration} (have passed|are over|is over)
time {duration}
(can|could) you time {duration} for me
put {duration} on the timer
begin a countdown of {duration}
ring (me|) after {duration}
set the timer to {duration}
set the clock to ring after {duration}
start counting down from {duration}
I want a countdown of {duration}
set a timer for {duration} for the {label}
start a {label} timer of {duration}
set a {label} timer for {duration}
timer for the {label}, {duration}
the {label} need {duration}, set a timer
{duration} for the {label}, start a timer""",
       {"minutes": ("How long should the timer run?", "duration", """
set a timer
start a timer
start a countdown
I need a timer
timer
can you set a timer for me
run a timer
begin a countdown
set the kitchen timer
give me a timer
start the timer
let a timer run""")})
domain("alarm", "set_alarm create_alarm alarm add_alarm wake_up new_alarm alarm_set wake_me clock_alarm schedule_alarm", """
Set an alarm.
Sets an alarm clock.
Wake the user at a time.
Create an alarm that rings at a time of day.
Adds an alarm to the clock.
Ring at a given time.
Set the alarm clock of the phone.
Schedule an alarm.""",
       {"time": TIME, "date": DATE, "label": Argument(("label", "name", "title"), "string", ("What it is for",))}, ("time",), """
wake me {when}
wake me up {when}
set an alarm {when}
set the alarm {when}
set an alarm for {when0}
set the alarm for {when0}
alarm {when}
alarm for {when0}
I need to (get up|wake up|be up) {when}
I have to (get up|be awake) {when}
get me (up|out of bed) {when}
please wake me {when}
make the alarm ring {when}
ring (the alarm|) {when}
let the alarm go off {when}
I want to get up {when}
add an alarm for {when0}
create an alarm {when}
can you wake me {when}
could you get me up {when}
make sure I'm awake {when}
don't let me sleep past {time}
I must not oversleep, wake me {when}
put the alarm on {time}
new alarm, {when}
an alarm {when} please
{when}, wake me up
{when} I have to get up
(tomorrow's alarm|my alarm) should be at {time}
set an alarm called {label} {when}
set a {label} alarm {when}
wake me {when} for the {label}
alarm {when} for the {label}""".replace("(tomorrow's alarm|my alarm)", "my alarm"),
       {"time": ("What time should the alarm ring?", "at", """
set an alarm
wake me up
set an alarm please
I need an alarm
can you wake me
create an alarm
alarm
add an alarm
please get me up
I want to be woken
set the alarm clock
make an alarm for me
new alarm""")})
domain("reminder", "remind create_reminder set_reminder add_reminder reminder remind_me new_reminder reminder_create schedule_reminder", """
Remind the user of something.
Create a reminder.
Sets a reminder.
Show a reminder at a time.
Remind me of a task.
Add a reminder with a time.
Notify the user of something later.
Schedules a reminder.""",
       {"text": Argument(("text", "text", "task", "what", "title", "about"), "string", ("What to be reminded of", "The task", "What it is about")), "date": DATE, "time": TIME,
        "in_minutes": Argument(("in_minutes", "minutes_from_now", "delay_minutes"), "integer", ("Minutes from now",))}, ("text", "time"), """
remind me to {task} {when}
remind me {when} to {task}
{when}, remind me to {task}
set a reminder to {task} {when}
set a reminder {when} to {task}
I have to {task} {when}, remind me
I need a reminder {when} to {task}
don't let me forget to {task} {when}
reminder {when}: {task}
reminder to {task} {when}
make sure I {task} {when}, remind me
can you remind me to {task} {when}
could you remind me {when} to {task}
please remind me {when}: {task}
add a reminder to {task} {when}
create a reminder {when}: {task}
nudge me {when} to {task}
ping me {when} to {task}
I want to be reminded {when} to {task}
help me remember to {task} {when}
let me know {when} that I have to {task}
tell me {when} to {task}
I mustn't forget to {task} {when}
remind me to {task} {in}
remind me {in} to {task}
{in} remind me to {task}
set a reminder {in} to {task}
nudge me {in} to {task}
ping me {in}: {task}
I have to {task} {in}, remind me
reminder {in}: {task}
can you remind me {in} to {task}
don't let me forget to {task} {in}
tell me {in} to {task}""",
       {"time": ("When should I remind you?", "when", """
remind me to {task}
set a reminder to {task}
I must not forget to {task}
don't let me forget to {task}
can you remind me to {task}
please remind me to {task}
add a reminder to {task}
create a reminder: {task}
help me remember to {task}
I need a reminder to {task}
reminder: {task}"""),
        "text": ("What should I remind you of?", "task", """
remind me {when}
set a reminder {when}
set a reminder for {when0}
I need a reminder {when}
can you remind me {when}
add a reminder {when}
please remind me {when}
create a reminder {when}
reminder {when}""")})
domain("message", "send_message message text send_text send_sms sms write_message message_send tell message_contact send_chat", """
Send a message to a contact.
Sends a text message.
Write a message to somebody.
Text a person.
Send an SMS.
Tell somebody something by message.
Sends a chat message to a contact.
Send text to a person.""",
       {"to": Argument(PERSON, "string", ("Who gets it", "The contact", "Name of the person")),
        "text": Argument(("text", "message", "body", "content"), "string", ("What to say", "The message"))}, ("to", "text"), """
tell {person} {message}
tell {person} that {message}
text {person} {message}
text {person} that {message}
text {person} saying {message}
text {person}: {message}
message {person}: {message}
message {person} that {message}
message {person} saying {message}
send {person} a message: {message}
send {person} a message that {message}
send {person} a message saying {message}
send a message to {person}: {message}
send a message to {person} saying {message}
send a text to {person}: {message}
send a text to {person} that {message}
send "{message}" to {person}
write {person}: {message}
write to {person}: {message}
write to {person} that {message}
write {person} a message that says {message}
let {person} know {message}
let {person} know that {message}
say to {person}: {message}
I want to tell {person} {message}
I want to tell {person} that {message}
can you tell {person} {message}
can you text {person} that {message}
could you let {person} know that {message}
please tell {person} {message}
please message {person}: {message}
new message to {person}: {message}
sms to {person}: {message}
drop {person} a line: {message}
inform {person} that {message}
{person} should know that {message}, send a message""",
       {"text": ("What should the message say?", "message", """
send a message to {person}
send {person} a message
text {person}
message {person}
write to {person}
I want to write to {person}
can you text {person}
send a text to {person}
please write {person} a message
new message to {person}
send an sms to {person}
drop {person} a line"""),
        "to": ("Who should get the message?", "person", """
send a message saying {message}
send a message: {message}
text somebody that {message}
write a message: {message}
send "{message}"
new message: {message}
send a text that says {message}
message: {message}
sms: {message}""")})
domain("call", "call make_call phone dial call_contact phone_call start_call place_call ring_contact", """
Call a contact.
Makes a phone call.
Phone somebody.
Dial a person's number.
Start a phone call.
Places a call to a contact.
Ring a person.""",
       {"to": Argument(PERSON, "string", ("Who to call", "The contact"))}, ("to",), """
call {person}
phone {person}
ring {person}
dial {person}
give {person} a (call|ring)
make a call to {person}
start a call with {person}
place a call to {person}
get {person} on the (line|phone)
I need to (speak|talk) to {person}
I want to call {person}
I'd like to talk to {person} on the phone
can you call {person}
could you ring {person}
please call {person}
please phone {person}
call {person} (now|please|for me)
put me through to {person}
connect me (with|to) {person}
let me (talk|speak) to {person}
phone call to {person}
dial the number of {person}
try {person} on the phone
ring up {person}""",
       {"to": ("Who should I call?", "person", """
make a call
call somebody
make a phone call
I need to call somebody
I want to phone someone
start a call
dial
can you make a call
place a call
I want to make a call
please call someone for me""")})
domain("note", "create_note note add_note save_note take_note new_note write_note note_create jot_down", """
Save a note.
Write a note.
Creates a note with a text.
Take a note.
Keeps a text as a note.
Add a note.
Jot something down.""",
       {"text": Argument(("text", "note", "content", "body"), "string", ("The note", "What to write down"))}, ("text",), """
note that {note}
note: {note}
take a note: {note}
take a note that {note}
make a note: {note}
make a note that {note}
write down that {note}
write down: {note}
write this down: {note}
jot down that {note}
jot down: {note}
save a note: {note}
save a note saying {note}
new note: {note}
add a note: {note}
add a note that {note}
create a note that says {note}
create a note: {note}
remember that {note}
please note that {note}
please write down that {note}
can you note that {note}
could you write down that {note}
keep in mind that {note}
put in my notes that {note}
put this in my notes: {note}
for my notes: {note}
I want to note that {note}
note to self: {note}""",
       {"text": ("What should the note say?", "note", """
take a note
make a note
write a note
new note
create a note
I want to write something down
save a note
add a note
can you take a note
write this down
note
start a note""")})
domain("list", "add_to_list list_add add_items add_list_items put_on_list list_append append_to_list update_list", """
Add items to a list.
Puts things on a list.
Adds entries to one of the user's lists.
Append to a list.
Put items on a list.
Extend a list with items.""",
       {"list": Argument(("list", "list", "list_name", "name"), "string", ("Name of the list", "Which list")),
        "items": Argument(("items", "items", "entries", "things"), "array", ("What to add", "The items"))}, ("list", "items"), """
add {items} to (my|the) {list} list
put {items} on (my|the) {list} list
{items} (go|belong) on the {list} list
write {items} on the {list} list
add to the {list} list: {items}
(my|the) {list} list needs {items}
on the {list} list: {items}
I need {items}, put (it|them) on the {list} list
please add {items} to my {list} list
can you add {items} to the {list} list
could you put {items} on the {list} list
add {items} to {list}
put {items} on {list}
{list} list: add {items}
{list} list: {items}
append {items} to the {list} list
include {items} (on|in) the {list} list
we are out of {items}, add that to the {list} list
don't forget {items} on the {list} list
we still need {items} on the {list} list
the {list} list should have {items}
extend the {list} list with {items}""",
       {"items": ("What should I add to the list?", "items", """
add something to my {list} list
put something on the {list} list
add to the {list} list
I want to add something to my {list} list
my {list} list needs something
can you add something to the {list} list
write something on the {list} list
{list} list, new entry"""),
        "list": ("Which list should I add it to?", "list_answer", """
add {items} to a list
put {items} on a list
add {items} to one of my lists
write {items} on a list
can you put {items} on a list
I want {items} on a list
put {items} on my list""")})
domain("list_show", "show_list read_list get_list list_show list_items open_list view_list", """
Show a list.
Reads the items of a list.
Returns what is on a list.
Get the entries of a list.
Open one of the user's lists.""",
       {"list": Argument(("list", "list", "list_name", "name"), "string", ("Name of the list", "Which list"))}, ("list",), """
what is on (my|the) {list} list
what's on (my|the) {list} list
show me (my|the) {list} list
show the {list} list
read (me|) my {list} list
read out the {list} list
open the {list} list
let me see the {list} list
what does the {list} list say
what have I put on the {list} list
list what is on the {list} list
I want to see my {list} list
can you read me the {list} list
what did I write on the {list} list
tell me what is on my {list} list
which things are on the {list} list""",
       {"list": ("Which list do you mean?", "list_answer", """
show me a list
read me my list
open a list
what is on my list
read a list
show one of my lists
I want to see a list""")})
domain("calendar", "create_event add_event calendar_add schedule_event new_event add_appointment create_appointment calendar_create plan_event book_event", """
Add an event to the calendar.
Creates a calendar event.
Schedule an appointment.
Put something in the calendar.
New appointment in the calendar.
Plans an event.
Book a calendar entry.""",
       {"title": Argument(("title", "title", "event", "summary", "name"), "string", ("What it is", "Title of the event")), "date": DATE, "time": TIME,
        "place": Argument(("place", "location", "where"), "string", ("Where it is",))}, ("title", "date", "time"), """
put {occasion} in (my|the) calendar {fixed}
put the {occasion} in my calendar {fixed}
add {occasion} to (my|the) calendar {fixed}
add the {occasion} {fixed} to my calendar
schedule (a|the) {occasion} {fixed}
schedule {occasion} {fixed}
I have (a|) {occasion} {fixed}, put it in the calendar
create an event {fixed}: {occasion}
create an event called {occasion} {fixed}
new event {fixed}: {occasion}
new appointment: {occasion} {fixed}
plan (a|the) {occasion} {fixed}
calendar: {occasion} {fixed}
enter {occasion} {fixed} in the calendar
save the date: {occasion} {fixed}
book {occasion} {fixed}
mark {occasion} {fixed} in my calendar
please schedule {occasion} {fixed}
can you put {occasion} in the calendar {fixed}
could you add {occasion} {fixed} to the calendar
there is a {occasion} {fixed}, add it to my calendar
the {occasion} is {fixed}, put that in my calendar
note the {occasion} {fixed} in my calendar
make an appointment for {occasion} {fixed}
{occasion} {fixed}, calendar
put {occasion} at {place} in my calendar {fixed}
schedule {occasion} at {place} {fixed}
add {occasion} {fixed} at {place} to the calendar
new event at {place} {fixed}: {occasion}
I have {occasion} at {place} {fixed}, put it in the calendar""",
       {"time": ("At what time is it?", "at", """
put {occasion} in my calendar {day}
add {occasion} to the calendar {day}
schedule {occasion} {day}
new event {day}: {occasion}
I have {occasion} {day}, put it in the calendar
plan {occasion} {day}
can you schedule {occasion} {day}
enter {occasion} in the calendar {day}"""),
        "date": ("On which day is it?", "day", """
put {occasion} in my calendar at {time}
add {occasion} to the calendar at {time}
schedule {occasion} at {time}
new event at {time}: {occasion}
plan {occasion} at {time}
can you schedule {occasion} at {time}
enter {occasion} in the calendar at {time}"""),
        "title": ("What should I put in the calendar?", "occasion", """
put something in my calendar {fixed}
add an event {fixed}
create an event {fixed}
new appointment {fixed}
schedule something {fixed}
make an appointment {fixed}
new event {fixed}
I have an appointment {fixed}""")})
domain("agenda", "get_events list_events calendar_get agenda show_calendar read_calendar events_on day_plan", """
List the events of a day.
Shows what is planned on a day.
Read the calendar of a day.
Returns the appointments of a day.
What is in the calendar.""",
       {"date": DATE}, ("date",), """
what is on my calendar {day}
what's in my calendar {day}
what do I have {day}
what have I planned {day}
do I have (anything|any appointments|something) {day}
am I free {day}
am I busy {day}
what's planned {day}
show my calendar {day}
read my calendar {day}
show me my appointments {day}
list my events {day}
which appointments do I have {day}
how does my day look {day}
what does my day look like {day}
is anything planned {day}
what are my plans {day}
tell me my appointments {day}
what's going on {day} in my calendar
agenda {day}""",
       {"date": ("For which day?", "day", """
what is on my calendar
show my calendar
list my events
read my appointments
what have I planned
show me my agenda
which appointments do I have
open the calendar""")})
MODES = ("walking", "driving", "cycling", "transit")
domain("navigation", "navigate start_navigation directions route get_directions navigate_to find_route show_route guide", """
Navigate to a place.
Starts navigation.
Directions to a destination.
Shows the way to a place.
Find a route.
Guide the user to an address.""",
       {"destination": Argument(("destination", "destination", "to", "place", "address"), "string", ("Where to go", "Place or address")),
        "mode": Argument(("mode", "mode", "by", "travel_mode"), "string", ("How to travel",), MODES)}, ("destination",), """
navigate to {destination}
take me to {destination}
directions to {destination}
give me directions to {destination}
show me the way to {destination}
how do I get to {destination}
route to {destination}
start navigation to {destination}
guide me to {destination}
find the way to {destination}
bring me to {destination}
I want to go to {destination}
I need to get to {destination}
lead me to {destination}
where do I go for {destination}
what's the (best|fastest|quickest) way to {destination}
can you navigate to {destination}
could you show me the way to {destination}
please take me to {destination}
plan a route to {destination}
find a route to {destination}
set the destination to {destination}
{mode} directions to {destination}
how do I get to {destination} {by}
take me to {destination} {by}
navigate to {destination} {by}
route to {destination} {by}
show me the way to {destination} {by}
I want to go to {destination} {by}
{going} to {destination}, show me the way
find a {mode} route to {destination}""",
       {"destination": ("Where do you want to go?", "destination", """
navigate
start navigation
give me directions
show me the way
find a route
take me there
guide me
plan a route
I need directions
can you navigate for me""")})
domain("music", "play_music play music_play play_song start_music player_play music listen", """
Play music.
Plays a song, an artist or a genre.
Start the music player.
Play something to listen to.
Starts playing music.
Listen to music.""",
       {"song": Argument(("song", "title", "track"), "string", ("Name of the song",)), "artist": Argument(("artist", "artist", "band", "by"), "string", ("Who plays it",)),
        "genre": Argument(("genre", "genre", "style"), "string", ("Kind of music",))}, (), """
play {song} by {artist}
play the song {song} by {artist}
play {song} from {artist}
put on {song} by {artist}
I want to hear {song} by {artist}
listen to {song} by {artist}
start {song} by {artist}
can you play {song} by {artist}
play the song {song}
put on the song {song}
I want to hear the song {song}
play the track {song}
start the song {song}
let me hear the song {song}
play something by {artist}
play songs by {artist}
play music by {artist}
put on something by {artist}
I want to hear something by {artist}
some music by {artist} please
play anything by {artist}
can you play something by {artist}
play some {genre}
put on some {genre}
I'm in the mood for {genre}
I want to listen to {genre}
I feel like {genre}
some {genre} please
let's hear some {genre}
start some {genre}
could you put on some {genre}
turn on some {genre}""",
       {"song": ("What would you like to hear?", "some_genre", """
play music
play something
put on some music
I want to hear music
start the music
play a song
can you play some music
music please
turn on the music
let's have some music""")})
ACTIONS = ("pause", "resume", "next", "previous", "stop")
domain("player", "music_control player_control media_control control_music playback", """
Control the music player.
Pauses, resumes or skips music.
Playback control.
Control what is playing.""",
       {"action": Argument(("action", "action", "command"), "string", ("What to do",), ACTIONS)}, ("action",), """
{pause} the music
{pause} the song
{pause} playback
please {pause} the music
can you {pause} the music
{skip}
(please|could you) {skip}""")
domain("light", "set_light light control_light light_set lamp switch_light set_lamp lights room_light", """
Control the lights of a room.
Switches a light.
Set the light in a room.
Turn lights on or off, dim or colour them.
Controls a lamp.
Change the lighting.""",
       {"room": Argument(("room", "room", "where", "location"), "string", ("Which room", "The room")),
        "state": Argument(("state", "state", "power", "switch"), "string", ("On or off",), ("on", "off")),
        "brightness": Argument(("brightness", "level", "percent"), "integer", ("Percent, 0 to 100", "Brightness in percent")),
        "color": Argument(("color", "colour"), "string", ("The colour",))}, ("room",), """
turn {state} the light in the {room}
turn the light in the {room} {state}
turn {state} the {room} (light|lights|lamp)
turn the {room} (light|lights) {state}
switch {state} the (light|lamp) in the {room}
switch the {room} light {state}
switch {state} the {room} light
{room} light {state}
lights {state} in the {room}
light {state} in the {room} please
please turn {state} the {room} light
can you turn {state} the light in the {room}
could you switch the {room} light {state}
I want the {room} light {state}
make the {room} {darkbright}
it's too {brightdark} in the {room}
dim the {room} light to {percent}
dim the light in the {room} to {percent}
set the {room} light to {percent}
set the light in the {room} to {percent}
{room} light to {percent}
put the {room} light at {percent}
brightness of the {room} light to {percent}
I want the {room} light at {percent}
make the {room} light {color}
make the light in the {room} {color}
turn the {room} light {color}
change the {room} light to {color}
set the {room} lamp to {color}
{room} light in {color} please
I want {color} light in the {room}
colour the {room} light {color}""",
       {"room": ("In which room?", "in_room", """
turn {state} the light
turn the light {state}
switch {state} the lamp
light {state}
lights {state} please
dim the light to {percent}
set the light to {percent}
make the light {color}
change the light to {color}
can you turn {state} the light
please switch the light {state}""")})
domain("weather", "get_weather weather weather_forecast forecast check_weather weather_get show_weather", """
Get the weather.
Weather forecast for a place.
Returns the weather of a day.
Forecast.
How the weather will be.
Look up the weather at a place.""",
       {"place": Argument(("place", "city", "location", "where"), "string", ("Town or place", "City")), "date": DATE}, ("place",), """
what's the weather in {town}
what is the weather like in {town}
how is the weather in {town}
weather in {town}
weather {town}
weather forecast for {town}
forecast for {town}
is it (raining|cold|warm|sunny|snowing) in {town}
how (cold|warm|hot) is it in {town}
show me the weather in {town}
tell me the weather in {town}
do I need (an umbrella|a coat|a jacket) in {town}
what's the weather in {town} {day}
what will the weather be in {town} {day}
what will the weather be like {day} in {town}
how will the weather be in {town} {day}
weather in {town} {day}
forecast for {town} {day}
will it (rain|snow|be sunny|be warm|be cold|be windy) in {town} {day}
will it (rain|snow|be sunny) {day} in {town}
do I need (an umbrella|a coat|gloves) {day} in {town}
is it going to (rain|snow|be hot) in {town} {day}
can you check the weather in {town} {day}
please show the weather for {town} {day}
how (cold|warm|hot) will it be in {town} {day}
I'm going to {town} {day}, how is the weather
does it rain {day} in {town}""",
       {"place": ("For which place?", "town", """
what's the weather
how is the weather {day}
will it rain {day}
weather forecast
what will the weather be like {day}
do I need an umbrella {day}
is it going to snow {day}
weather {day}
how warm will it be {day}
show me the forecast
will it be sunny {day}""")})
CORE = tuple(DOMAINS)  # those that the issue of a phone is about; the others are here so that a model reads what it is offered

SWITCH = Argument(("state", "state", "power", "enabled"), "string", ("On or off",), ("on", "off"))
LEVEL = Argument(("level", "level", "percent", "value"), "integer", ("0 to 100", "Percent"))
TEXT = Argument(("text", "query", "q", "phrase"), "string", ("The text", "What to look for"))
domain("torch", "flashlight torch set_flashlight toggle_torch", "Switch the flashlight.\nTurns the torch on or off.\nThe lamp of the phone.", {"state": SWITCH}, ("state",),
       "turn {state} the flashlight\nflashlight {state}\nswitch the torch {state}\ntorch {state} please\nturn the flashlight {state}\ncan you switch {state} the torch")
domain("wifi", "set_wifi wifi wlan toggle_wifi", "Switch the wifi.\nTurns wireless networking on or off.\nWifi of the phone.", {"state": SWITCH}, ("state",),
       "turn {state} the wifi\nwifi {state}\nswitch the wifi {state}\nturn wifi {state} please\ncan you switch {state} wifi\nI want wifi {state}")
domain("bluetooth", "set_bluetooth bluetooth toggle_bluetooth", "Switch bluetooth.\nTurns bluetooth on or off.\nThe bluetooth radio.", {"state": SWITCH}, ("state",),
       "turn {state} bluetooth\nbluetooth {state}\nswitch bluetooth {state}\nplease turn bluetooth {state}\ncan you switch {state} bluetooth")
domain("volume", "set_volume volume change_volume sound_level", "Set the volume.\nHow loud the phone is.\nChanges the sound level.", {"level": LEVEL}, ("level",),
       "set the volume to {percent}\nvolume to {percent}\nvolume {percent}\nturn the volume to {percent}\nput the sound at {percent}\nmake it {percent} loud\nI want the volume at {percent}",
       {"level": ("How loud should it be?", "percent", "set the volume\nchange the volume\nadjust the sound\nvolume")})
domain("screen", "set_brightness brightness screen_brightness display_level", "Set the brightness of the screen.\nHow bright the display is.\nChanges the screen's brightness.",
       {"level": LEVEL}, ("level",), "set the screen brightness to {percent}\nscreen to {percent}\nscreen brightness {percent}\ndim the screen to {percent}\nput the display at {percent}\nbrightness of the screen to {percent}",
       {"level": ("How bright should the screen be?", "percent", "change the screen brightness\nadjust the display\nset the brightness of the screen\nscreen brightness")})
domain("app", "open_app launch_app start_app app", "Open an app.\nStarts an application.\nLaunch a program.", {"app": Argument(("app", "name", "app_name"), "string", ("Name of the app",))}, ("app",),
       "open {app}\nlaunch {app}\nstart {app}\nopen the {app} app\nstart the {app} app\ncan you open {app}\nI want to use {app}\nrun {app}\ngo to the {app} app",
       {"app": ("Which app should I open?", "app", "open an app\nstart an app\nlaunch a program\nI want to open an app")})
domain("translate", "translate translate_text translation", "Translate a text.\nTranslates into another language.\nTurn a text into another language.",
       {"text": TEXT, "language": Argument(("language", "to", "target"), "string", ("Language",))}, ("text", "language"),
       'translate "{phrase}" (to|into) {language}\nhow do you say "{phrase}" in {language}\nwhat is "{phrase}" in {language}\nsay "{phrase}" in {language}\nput "{phrase}" into {language}\n"{phrase}" in {language} please',
       {"language": ("Into which language?", "language", 'translate "{phrase}"\nplease translate "{phrase}"\ncan you translate "{phrase}"')})
domain("search", "search_web web_search search find_online", "Search the web.\nLooks something up on the internet.\nWeb search.", {"query": Argument(("query", "q", "text", "search"), "string", ("What to look for",))},
       ("query",), "search (the web|the internet|online) for {topic}\nlook up {topic} online\nweb search: {topic}\nfind {topic} on the internet\nsearch for {topic}\nsearch online: {topic}",
       {"query": ("What should I search for?", "topic", "search the web\nlook something up online\nstart a web search")})
domain("heating", "set_temperature thermostat heating set_heating", "Set the temperature of a room.\nControls the heating.\nThermostat of a room.",
       {"room": Argument(("room", "where", "zone"), "string", ("Which room",)), "degrees": Argument(("degrees", "temperature", "celsius"), "integer", ("Degrees Celsius",))}, ("room", "degrees"),
       "set the heating in the {room} to {degrees}\nheat the {room} to {degrees}\nmake it {degrees} in the {room}\n{room} heating to {degrees}\nput the {room} at {degrees}\nset the {room} thermostat to {degrees}\nI want {degrees} in the {room}",
       {"degrees": ("To how many degrees?", "degrees", "set the heating in the {room}\nheat the {room}\nchange the {room} thermostat\nturn up the heating in the {room}"),
        "room": ("In which room?", "in_room", "set the heating to {degrees}\nheating to {degrees}\nmake it {degrees}\nset the thermostat to {degrees}")})
domain("battery", "battery_status get_battery battery", "State of the battery.\nHow full the battery is.\nReads the battery's charge.", {}, (),
       "how full is the battery\nbattery status\nhow much battery (is left|do I have)\nwhat's the battery level\ncheck the battery\ndo I need to charge the phone\ncharge level please")
domain("photo", "take_photo take_picture camera_shot photo", "Take a photo.\nTakes a picture with a camera.\nCamera.", {"camera": Argument(("camera", "lens"), "string", ("Which camera",), ("front", "back"))}, (),
       "take a photo\ntake a picture\ntake a photo with the {camera} camera\ntake a picture with the {camera} camera\n{camera} camera photo please\nshoot a photo with the {camera} camera\nphoto please")
domain("parcel", "track_parcel parcel_status track where_is_parcel", "Track a parcel.\nWhere a parcel is.\nLooks up a parcel by its number.", {"number": Argument(("number", "tracking_number", "code", "id"), "string", ("Tracking number",))},
       ("number",), "track parcel {code}\nwhere is parcel {code}\nwhere is my parcel, number {code}\ntrack {code}\nstatus of parcel {code}\nwhen does parcel {code} arrive\nfind my parcel {code}",
       {"number": ("What is the parcel's number?", "code", "where is my parcel\ntrack my parcel\nwhen does my parcel arrive\nparcel status")})
domain("table", "book_table reserve_table restaurant_booking reservation", "Book a table in a restaurant.\nReserves a table.\nTable reservation.",
       {"restaurant": Argument(("restaurant", "where", "place"), "string", ("Name of the restaurant",)), "people": Argument(("people", "guests", "seats"), "integer", ("How many people",)), "date": DATE, "time": TIME},
       ("restaurant", "people", "date", "time"),
       "book a table at {place} for {count} {fixed}\nreserve a table for {count} at {place} {fixed}\ntable for {count} at {place} {fixed}\nget us a table at {place} {fixed} for {count}\nwe are {count}, book {place} {fixed}\nI'd like a table at {place} {fixed} for {count}",
       {"people": ("For how many people?", "count", "book a table at {place} {fixed}\nreserve a table at {place} {fixed}\ntable at {place} {fixed}\nget us a table at {place} {fixed}")})
domain("convert", "convert_currency currency exchange", "Convert money.\nConverts an amount into another currency.\nExchange rates.",
       {"amount": Argument(("amount", "value", "sum"), "integer", ("How much",)), "from": Argument(("from", "from_currency", "source"), "string", ("Currency code",)), "to": Argument(("to", "to_currency", "target"), "string", ("Currency code",))},
       ("amount", "from", "to"), "convert {money} to {money_to}\nhow much is {money} in {money_to}\nwhat is {money} in {money_to}\n{money} in {money_to}\nchange {money} into {money_to}\n{money} to {money_to} please")
domain("lock", "lock_door door_lock set_lock", "Lock or unlock a door.\nControls a door's lock.\nSmart lock.", {"door": Argument(("door", "which"), "string", ("Which door",)), "action": Argument(("action", "state"), "string", ("What to do",), ("lock", "unlock"))}, ("door", "action"),
       "{lock} the {door} door\nplease {lock} the {door} door\ncan you {lock} the {door} door\n{lock} {door} door\n{lock} the door to the {door}",
       {"door": ("Which door?", "door", "{lock} the door\nplease {lock} a door\ncan you {lock} the door")})
domain("stop_timer", "cancel_timer stop_timer timer_stop end_timer", "Stop the timer.\nCancels the running timer.\nEnds a countdown.", {}, (),
       "stop the timer\ncancel the timer\nend the countdown\nturn off the timer\nI don't need the timer any more\ntimer off\nplease stop the countdown")
domain("delete_alarm", "delete_alarm remove_alarm cancel_alarm alarm_off", "Delete an alarm.\nRemoves an alarm.\nCancels an alarm at a time.", {"time": TIME}, ("time",),
       "delete the alarm at {time}\ncancel the alarm at {time}\nremove my {time} alarm\nturn off the alarm at {time}\nI don't need the {time} alarm\nno alarm at {time} please\ncancel my alarm for {time}",
       {"time": ("Which alarm, at what time?", "at", "delete an alarm\ncancel my alarm\nremove the alarm\nturn off an alarm")})
domain("find_phone", "find_phone ring_phone locate_phone", "Let the phone ring.\nFinds the phone by a sound.\nLocate the phone.", {}, (),
       "where is my phone\nfind my phone\nlet my phone ring\nI can't find my phone\nring my phone\nlocate the phone")
