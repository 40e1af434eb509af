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
{duration} for the {label}, start a timer
set (up|me) a timer of {duration}
(start|set|create|make) a timer (lasting|running|of) {duration}
(start|begin|run) a {duration} timer
I need {duration} on the clock
(beep|buzz|alert me|call me) (in|after) {duration}
tell me when {duration} are (over|up|gone)
tell me after {duration}
wait {duration} and (ring|beep)
(start|make) it {duration}, a timer please
new timer, {duration}
new timer of {duration}
timer {duration}
timer of {duration} please
a {duration} timer please
a timer for {duration}
countdown {duration}
countdown of {duration}
countdown for {duration} please
start the countdown, {duration}
(let|have) the timer run for {duration}
let the clock run (down|) for {duration}
count {duration} for me
measure {duration}
keep time for {duration}
I have {duration}, start the timer
(please|) time me for {duration}
set the kitchen timer (to|for) {duration}
I'd like a timer for {duration}
we need a timer of {duration}
{duration} on the timer please
{duration} and then ring
{duration} countdown please
in {duration} the timer should ring
the timer should (run|last) {duration}
(create|add) a {label} timer for {duration}
{label} timer, {duration}
a timer called {label} for {duration}
the {label} take {duration}, start a timer
time the {label} for {duration}
cook the {label} for {duration}, set a timer
set {duration} for the {label}
my {label} are in the oven for {duration}, start a timer
count down {duration} for the {label}""",
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
let a timer run
set up a timer
create a timer
make a timer
I want a timer
I'd like a countdown
count down
new timer
new countdown please
start counting down
time this
a timer please""")})
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
alarm {when} for the {label}
(set|make|create|add) me an alarm {when}
(set|put|make) the alarm clock for {when0}
set my alarm {when}
set my alarm for {when0}
change the alarm to {when0}
(start|schedule) an alarm for {when0}
alarm clock {when}
an alarm for {when0} please
I want an alarm {when}
I need an alarm {when}
I need an alarm for {when0}
we need to get up {when}
we have to be up {when}
I should be awake {when}
I must (get up|wake up|rise) {when}
let me sleep until {when0}
let me sleep until {when0}, then wake me
wake us (up|) {when}
I'd like to be woken {when}
have the alarm ring {when}
have me awake {when}
get me awake {when}
{when} I need to be awake
{when} is when I get up, set the alarm
{when}, alarm please
{when} I want to be woken
the alarm should ring {when}
the alarm must go off {when}
my day starts {when}, wake me
please ring {when}
set up a wake-up call {when}
wake-up call {when}
wake-up time is {time}
turn on an alarm {when}
(get|shake) me out of sleep {when}
a {label} alarm {when} please
the {label} alarm should ring {when}
I have {label} early, wake me {when}
set an alarm for {label} {when}
name it {label} and ring {when}
(create|add|make) a {label} alarm {when}""".replace("(tomorrow's alarm|my alarm)", "my alarm"),
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
new alarm
I need to be woken
wake us up
set me an alarm
set my alarm
start an alarm
let the alarm ring
I'd like an alarm
I'd like to be woken
put on the alarm
make the alarm ring
schedule an alarm""")})
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
tell me {in} to {task}
(set|make|create|add) a reminder {when}: {task}
make a reminder to {task} {when}
make me a reminder {in}: {task}
put a reminder {when}: {task}
schedule a reminder {when} to {task}
new reminder {when}: {task}
new reminder {in}: {task}
I'd like a reminder {when} to {task}
I want a reminder {in} to {task}
remind me {when}: {task}
remind me {when} that I have to {task}
remind me {when} that I must {task}
remind me that I should {task} {when}
remind us {when} to {task}
remind me about this {when}: {task}
{when} I have to {task}, please remind me
{when} remind me that I need to {task}
{when} I must {task}, don't let me forget
{when}: remind me to {task}
{in} I need to {task}, remind me
{in}, remind me to {task}
I need to {task} {when}, set a reminder
I should {task} {when}, remind me please
I want to {task} {when}, remind me
I have to remember to {task} {when}
keep me from forgetting to {task} {when}
make sure that I {task} {when}, set a reminder
make sure I don't forget to {task} {in}
see that I {task} {when}, remind me
give me a reminder {when} to {task}
give me a nudge {when} to {task}
give me a sign {in} to {task}
send me a reminder {when} to {task}
send me a reminder {in} to {task}
alert me {when} to {task}
alert me {in} to {task}
notify me {when} to {task}
notify me {in} to {task}
say {when} that I should {task}
prompt me {when} to {task}
call out {when} that I must {task}
I'd forget to {task} {when}, so remind me
reminder please, {when}: {task}
reminder please, {in}: {task}""",
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
reminder: {task}
(set|make|create) me a reminder to {task}
I want to be reminded to {task}
I'd like a reminder to {task}
remind us to {task}
remind me that I have to {task}
new reminder: {task}
give me a reminder to {task}
make sure I don't forget to {task}
I have to {task}, remind me
send me a reminder to {task}
nudge me to {task}"""),
        "text": ("What should I remind you of?", "task", """
remind me {when}
set a reminder {when}
set a reminder for {when0}
I need a reminder {when}
can you remind me {when}
add a reminder {when}
please remind me {when}
create a reminder {when}
reminder {when}
remind me of something {when}
set a reminder {in}
I want a reminder {when}
remind me {in}
make a reminder {when}
new reminder {when}
new reminder for {when0}
give me a reminder {when}
I'd like to be reminded {when}
schedule a reminder {when}""")})
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
{person} should know that {message}, send a message
tell {person} the following: {message}
tell {person} this: {message}
(text|message|write|write to) {person} the following: {message}
write {person} that {message}
write {person} a message: {message}
write a message to {person}: {message}
write a message to {person} that says {message}
write a text to {person} saying {message}
send {person} the message {message}
send {person} a text: {message}
send {person} a text saying {message}
send {person} an sms: {message}
send {person} this: {message}
send this to {person}: {message}
send a note to {person}: {message}
send word to {person} that {message}
send an sms to {person} that says {message}
message to {person}: {message}
text to {person}: {message}
text message for {person}: {message}
for {person}: {message}, send that as a message
(give|pass) {person} the message that {message}
pass on to {person} that {message}
report to {person} that {message}
let {person} hear that {message}
answer {person}: {message}
reply to {person}: {message}
reply to {person} that {message}
respond to {person} with {message}
drop {person} a message saying {message}
drop {person} a text that {message}
shoot {person} a message: {message}
inform {person}: {message}
notify {person} that {message}
remind {person} by message that {message}
say {message} to {person} in a message
I have to tell {person} that {message}
I need to let {person} know that {message}
I need to text {person} that {message}
I should write {person} that {message}
{person} needs to know that {message}, text that
{person} must hear this: {message}, send it
compose a message to {person}: {message}
start a message to {person} with {message}
text "{message}" to {person}
tell {person} "{message}"
write "{message}" to {person}
ask {person} by message: {message}
message {person} and say {message}
text {person} and say that {message}""",
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
drop {person} a line
I need to write to {person}
I want to send {person} a message
send {person} a text
write {person}
write a message to {person}
compose a message to {person}
a message to {person} please
message to {person}
start a message to {person}
I'd like to text {person}
tell {person} something
reply to {person}"""),
        "to": ("Who should get the message?", "person", """
send a message saying {message}
send a message: {message}
text somebody that {message}
write a message: {message}
send "{message}"
new message: {message}
send a text that says {message}
message: {message}
sms: {message}
send this message: {message}
write a text saying {message}
text this: {message}
I want to send the message {message}
write somebody that {message}
send a message that {message}
please text "{message}"
compose a message: {message}""")})
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
ring up {person}
(start|make|place) a phone call to {person}
(start|make) a call with {person}
phone up {person}
call up {person}
call {person} on the phone
dial {person} for me
dial up {person}
get me {person}
get me {person} on the phone
get hold of {person} by phone
get through to {person}
get a call going with {person}
reach {person} by phone
try to reach {person}
try calling {person}
try {person} again
ring {person} up
ring {person} for me
ring {person}, please
phone {person} for me
make the phone ring at {person}
I must speak with {person}
I must call {person}
I have to call {person}
I have to phone {person}
I have to talk to {person} on the phone
I need {person} on the phone
I want to speak to {person}
I want to speak with {person} by phone
I'd like to call {person}
I'd like to speak with {person}
I would like to phone {person}
let's call {person}
let us ring {person}
call to {person}
a call to {person} please
patch me through to {person}
link me to {person} by phone
hook me up with {person} on the phone
open a call to {person}
use the phone to call {person}
give {person} a quick call
give {person} a ring, please
phone {person} now
time to call {person}""",
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
please call someone for me
phone somebody
ring somebody
dial a number
I need to make a call
I have to phone someone
I'd like to call somebody
start a phone call
let me call someone
get someone on the phone
make the call
open the dialer""")})
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
note to self: {note}
(make|take|write|save|create|add|start) a note saying {note}
(make|take|write|add) a note with the text {note}
(make|take) a short note: {note}
(make|write|save) a memo: {note}
memo: {note}
a note please: {note}
a new note: {note}
new note that says {note}
note this: {note}
note the following: {note}
note down: {note}
note down that {note}
write a note: {note}
write a note that {note}
write into my notes: {note}
write to my notes that {note}
write the following down: {note}
save this: {note}
save this as a note: {note}
save that {note}
store the note {note}
store that {note}
keep a note: {note}
keep a note that {note}
keep this: {note}
record that {note}
record a note: {note}
record the following: {note}
remember this: {note}
remember the following: {note}
remember for me that {note}
don't forget that {note}
add to my notes: {note}
add this to my notes: {note}
add to my notes that {note}
put down that {note}
put the following in a note: {note}
jot this down: {note}
scribble down: {note}
I need a note: {note}
I need a note that {note}
I want to remember that {note}
I'd like to note that {note}
let me note that {note}
let me write down that {note}
to remember: {note}""",
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
start a note
I need a note
make me a note
start a new note
jot something down
add something to my notes
remember something for me
let me take a note
a new note please
write a note for me
I'd like to make a note
note something down""")})
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
extend the {list} list with {items}
(add|put|write|set|place) {items} (on|onto) the {list} list
add {items} on my {list} list
add {items} to my list for {list}
add the following to the {list} list: {items}
add these to my {list} list: {items}
put the following on my {list} list: {items}
put on the {list} list {items}
put down {items} on the {list} list
write down {items} on my {list} list
note {items} on the {list} list
enter {items} in the {list} list
enter {items} on my {list} list
insert {items} into the {list} list
insert into the {list} list: {items}
save {items} to the {list} list
attach {items} to the {list} list
throw {items} on the {list} list
get {items} on the {list} list
have {items} on the {list} list
new on the {list} list: {items}
new items for the {list} list: {items}
for the {list} list: {items}
to the {list} list add {items}
on my {list} list put {items}
onto the {list} list goes {items}
the {list} list gets {items}
the {list} list lacks {items}, add that
the {list} list is missing {items}
I want {items} on my {list} list
I want to add {items} to the {list} list
I'd like {items} on the {list} list
I'd like to put {items} on my {list} list
I must remember {items}, put that on the {list} list
I have no {items}, so add it to the {list} list
we need {items}, add it to the {list} list
we have no more {items}, put it on the {list} list
{items} for the {list} list
{items} to the {list} list
{items} on the {list} list please
{items} should be on the {list} list
{items} must go on my {list} list
complete the {list} list with {items}
my {list} list should include {items}
update the {list} list with {items}""",
       {"items": ("What should I add to the list?", "items", """
add something to my {list} list
put something on the {list} list
add to the {list} list
I want to add something to my {list} list
my {list} list needs something
can you add something to the {list} list
write something on the {list} list
{list} list, new entry
add an item to the {list} list
add things to my {list} list
I need something on the {list} list
new item for the {list} list
put another thing on my {list} list
I want to put something on my {list} list
let me add to the {list} list
write on my {list} list
update the {list} list
enter something in the {list} list"""),
        "list": ("Which list should I add it to?", "list_answer", """
add {items} to a list
put {items} on a list
add {items} to one of my lists
write {items} on a list
can you put {items} on a list
I want {items} on a list
put {items} on my list
add {items} to the list
put {items} on the list
I need {items} on a list
add {items} to my list
write down {items} on a list
please put {items} on one of the lists
enter {items} in a list
note {items} on a list""")})
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
which things are on the {list} list
show my {list} list
show me what is on the {list} list
display (my|the) {list} list
print the {list} list
bring up my {list} list
pull up the {list} list
go through the {list} list
go to my {list} list
look at the {list} list
let's see my {list} list
let me hear my {list} list
give me the {list} list
give me everything on the {list} list
read the {list} list to me
read me what is on the {list} list
tell me the {list} list
view the {list} list
what do I have on my {list} list
what do I need from the {list} list
what is in my {list} list
what is left on the {list} list
what's written on the {list} list
what stands on my {list} list
what belongs to the {list} list
is there anything on the {list} list
is my {list} list empty
how long is the {list} list
{list} list please, read it
I need to see the {list} list
I'd like to see my {list} list
I'd like to hear the {list} list
check the {list} list""",
       {"list": ("Which list do you mean?", "list_answer", """
show me a list
read me my list
open a list
what is on my list
read a list
show one of my lists
I want to see a list
show a list
show me the list
read the list
read out a list
display a list
open my list
let me see a list
let me hear my list
bring up a list
view a list
what's on the list
tell me what is on the list
which things are on my list
check my list
I need to see a list
is there anything on my list""")})
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
I have {occasion} at {place} {fixed}, put it in the calendar
(put|set|write|note|place) {occasion} in (my|the) calendar {fixed}
put {occasion} on my calendar {fixed}
put {fixed} in my calendar: {occasion}
(add|enter|save) an appointment {fixed}: {occasion}
add an event called {occasion} {fixed}
add an event {fixed}: {occasion}
add a {occasion} {fixed}
add {occasion} {fixed} to the calendar
(create|make|set up|arrange) a calendar entry {fixed}: {occasion}
create a {occasion} event {fixed}
make a calendar event {fixed}: {occasion}
set up {occasion} {fixed}
set up an event {fixed} called {occasion}
schedule an event {fixed}: {occasion}
schedule the event {occasion} {fixed}
arrange {occasion} {fixed} in my calendar
block my calendar {fixed}: {occasion}
calendar entry {fixed}: {occasion}
calendar entry: {occasion} {fixed}
appointment {fixed}: {occasion}
appointment: {occasion}, {fixed}
event: {occasion} {fixed}
event {fixed}: {occasion}
date: {occasion} {fixed}
new in the calendar: {occasion} {fixed}
new calendar entry {fixed}: {occasion}
enter an event {fixed}: {occasion}
{fixed} I have {occasion}, put it in the calendar
{fixed} there is {occasion}, add that to the calendar
{fixed} is the {occasion}, note it in my calendar
we have {occasion} {fixed}, put that in the calendar
we have a {occasion} {fixed}, add it to the calendar
my {occasion} is {fixed}, put it in the calendar
I've got {occasion} {fixed}, schedule it
I got an appointment {fixed} for {occasion}
I want {occasion} {fixed} in my calendar
I'd like to schedule {occasion} {fixed}
I need {occasion} in my calendar {fixed}
reserve {fixed} for {occasion} in my calendar
write in my calendar {fixed}: {occasion}
remember in the calendar: {occasion} {fixed}
plan an event {fixed}: {occasion}
create {occasion} at {place} {fixed} in the calendar
calendar: {occasion} at {place} {fixed}
plan {occasion} {fixed} at {place}
enter {occasion} at {place} {fixed}
add an event at {place} {fixed}: {occasion}
there is {occasion} at {place} {fixed}, put it in the calendar""",
       {"time": ("At what time is it?", "at", """
put {occasion} in my calendar {day}
add {occasion} to the calendar {day}
schedule {occasion} {day}
new event {day}: {occasion}
I have {occasion} {day}, put it in the calendar
plan {occasion} {day}
can you schedule {occasion} {day}
enter {occasion} in the calendar {day}
add an event {day}: {occasion}
make a calendar entry {day}: {occasion}
calendar: {occasion} {day}
put the {occasion} in the calendar {day}
set up {occasion} {day}
create an event {day} called {occasion}
appointment {day}: {occasion}
{day} I have {occasion}, put it in the calendar
I'd like to schedule {occasion} {day}
there is {occasion} {day}, add it to my calendar"""),
        "date": ("On which day is it?", "day", """
put {occasion} in my calendar at {time}
add {occasion} to the calendar at {time}
schedule {occasion} at {time}
new event at {time}: {occasion}
plan {occasion} at {time}
can you schedule {occasion} at {time}
enter {occasion} in the calendar at {time}
add an event at {time}: {occasion}
calendar: {occasion} at {time}
set up {occasion} at {time}
create an event at {time} called {occasion}
put the {occasion} in the calendar at {time}
I have {occasion} at {time}, put it in the calendar
appointment at {time}: {occasion}
I'd like to schedule {occasion} at {time}
there is {occasion} at {time}, add it to my calendar"""),
        "title": ("What should I put in the calendar?", "occasion", """
put something in my calendar {fixed}
add an event {fixed}
create an event {fixed}
new appointment {fixed}
schedule something {fixed}
make an appointment {fixed}
new event {fixed}
I have an appointment {fixed}
put an appointment in the calendar {fixed}
I want to add an event {fixed}
set up an event {fixed}
add something to my calendar {fixed}
enter something in the calendar {fixed}
make a calendar entry {fixed}
plan something {fixed}
add an appointment {fixed}
block my calendar {fixed}
I'd like to schedule something {fixed}""")})
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
agenda {day}
what appointments do I have {day}
what events do I have {day}
what meetings are there {day}
what is planned {day}
what is happening {day}
what is coming up {day}
what is the plan {day}
what's the schedule {day}
what's on {day}
what's my day like {day}
what have I got {day}
what have I got on {day}
what am I doing {day}
what must I do {day} by the calendar
what should I be at {day}
what does the calendar say {day}
what does my calendar look like {day}
which events are there {day}
which meetings do I have {day}
is there anything in my calendar {day}
is there something {day} in the calendar
is my calendar free {day}
do I have time {day}
do I have a meeting {day}
do I have plans {day}
did I plan something {day}
have I got anything {day}
are there appointments {day}
can I see my calendar {day}
show me what I have {day}
show me the calendar {day}
show my events {day}
show the appointments {day}
show me my schedule {day}
open my calendar {day}
open the agenda {day}
list the appointments {day}
list what I have {day}
read me my appointments {day}
read out my events {day}
tell me what I have {day}
tell me what is planned {day}
give me my schedule {day}
give me the agenda {day}
check my calendar {day}
look into my calendar {day}
my appointments {day} please
my schedule {day}
calendar {day}
events {day}""",
       {"date": ("For which day?", "day", """
what is on my calendar
show my calendar
list my events
read my appointments
what have I planned
show me my agenda
which appointments do I have
open the calendar
what's on my calendar
what do I have planned
what are my appointments
tell me my schedule
show my agenda
show me the events
check my calendar
read my calendar
is there anything in my calendar
look at my calendar""")})
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
find a {mode} route to {destination}
(get|bring|guide|lead|steer) me to {destination}
(start|begin|open) the navigation to {destination}
(start|plan) a trip to {destination}
(drive|walk|go) with me to {destination}
navigate me to {destination}
navigation to {destination}
navigation: {destination}
go to {destination}
let's go to {destination}
let us drive to {destination}
head to {destination}
head for {destination}
I want directions to {destination}
I need directions to {destination}
I need the way to {destination}
I need a route to {destination}
I want to get to {destination}
I want to drive to {destination}
I'd like to go to {destination}
I have to get to {destination}
I have to be at {destination}, show me the way
I must go to {destination}, guide me
I'm looking for the way to {destination}
I don't know the way to {destination}
how can I get to {destination}
how can I reach {destination}
how do I reach {destination}
how do I find {destination}
how do we get to {destination}
how far is the way to {destination}, navigate there
which way is it to {destination}
which way to {destination}
which route leads to {destination}
what is the way to {destination}
what is the quickest way to {destination}
where is {destination}, take me there
find {destination} and guide me there
find me a way to {destination}
calculate a route to {destination}
compute the way to {destination}
give me the route to {destination}
give me the way to {destination}
display the way to {destination}
tell me the way to {destination}
tell me how to get to {destination}
show me how to get to {destination}
show a route to {destination}
show the way to {destination}
my destination is {destination}
our destination is {destination}
next stop {destination}
to {destination} please
{destination}, take me there
take us to {destination}
directions to {destination} {by}
guide me to {destination} {by}
find a way to {destination} {by}
how can I get to {destination} {by}
I need to get to {destination} {by}
bring me to {destination} {by}
what is the way to {destination} {by}
{going}, how do I get to {destination}
{going}, take me to {destination}
start {mode} navigation to {destination}
give me {mode} directions to {destination}""",
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
can you navigate for me
I need to go somewhere
I want to go somewhere
take me somewhere
start the navigation
open the navigation
show me a route
get me directions
I'm lost, guide me
find the way
I need a route
let's drive""")})
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
turn on some {genre}
(play|start|put on|hear) the (song|track|title) {song}
(play|start|put on) the (song|track) {song} by {artist}
play me {song} by {artist}
play me the song {song}
play us {song} by {artist}
play us the song {song} from {artist}
let me hear {song} by {artist}
let us hear {song} by {artist}
listen to the song {song}
listen to the track {song}
I'd like to hear {song} by {artist}
I'd like to hear the song {song}
I want {song} by {artist}
I want the song {song}
I want to listen to {song} by {artist}
I want to listen to the song {song}
I feel like hearing {song} by {artist}
could I hear {song} by {artist}
how about {song} by {artist}
how about the song {song}
next the song {song} by {artist}
turn on {song} by {artist}
turn on the song {song}
{song} by {artist} please
{song} by {artist}, play that
the song {song} please
the song {song} by {artist} please
the track {song} by {artist}
give me {song} by {artist}
give me the song {song}
(put on|start|hear) (songs|music|something) from {artist}
play me something by {artist}
play a song by {artist}
play a track by {artist}
play the band {artist}
play the music of {artist}
listen to something by {artist}
listen to music by {artist}
I want to listen to {artist}'s music
I'd like some songs by {artist}
I'd like to listen to something by {artist}
I feel like something by {artist}
I'm in the mood for something by {artist}
something by {artist} please
songs by {artist} please
let's listen to something by {artist}
give me something by {artist}
turn on something by {artist}
have you something by {artist}, play it
play me some {genre}
play us some {genre}
play a bit of {genre}
play a little {genre}
give me some {genre}
listen to some {genre}
let me hear some {genre}
let us have some {genre}
I want some {genre}
I'd like some {genre}
I'd like to hear some {genre}
I'd love some {genre}
I need some {genre}
how about some {genre}
time for some {genre}
fill the room with some {genre}
start with some {genre}
we want some {genre}""",
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
let's have some music
play a track
play me something
play us some music
start some music
I'd like to hear music
I want some music
give me some music
let me hear a song
listen to music
a song please
play me a song""")})
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
(please|could you) {skip}
{pause} this song
{pause} the track
{pause} the player
{pause} the tune
{pause} what is playing
{pause} playing music
{pause} it, the music I mean
I want to {pause} the music
I'd like to {pause} the music
the music should {pause}
{skip} please
{skip} now
I want to hear it: {skip}""")
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
colour the {room} light {color}
(turn|switch) {state} the lights in the {room}
(turn|switch) the lamp in the {room} {state}
(turn|switch) the {room} lamp {state}
(turn|switch|put) the lights {state} in the {room}
turn the {room} {state}, the light I mean
put {state} the light in the {room}
put the {room} light {state}
{state} with the light in the {room}
{state} with the {room} light
{room} lights {state}
{room} lamp {state}
{room}: light {state}
{room}: lights {state} please
in the {room}, turn {state} the light
in the {room}, switch the lamp {state}
in the {room} the light should be {state}
light in the {room} {state}
lamp {state} in the {room}
the {room} light should be {state}
the {room} light {state} please
the light in the {room} should go {state}
I'd like the {room} light {state}
I'd like the light {state} in the {room}
I need the light {state} in the {room}
I want the lamp in the {room} {state}
have the {room} light {state}
let the {room} be {darkbright}
I want the {room} {darkbright}
I need it {darkbright} in the {room}
it should be {darkbright} in the {room}
the {room} should be {darkbright}
make it {darkbright} in the {room}
the {room} is too {brightdark}
I find it too {brightdark} in the {room}
dim the {room} to {percent}
dim the {room} lamp to {percent}
dim the lights in the {room} to {percent}
dim it to {percent} in the {room}
in the {room}, dim the light to {percent}
set the brightness in the {room} to {percent}
set the {room} lamp to {percent}
set the {room} lights at {percent}
turn the {room} light to {percent}
turn the {room} light down to {percent}
bring the {room} light to {percent}
put the light in the {room} at {percent}
the {room} light should be at {percent}
the {room} light at {percent} please
{percent} light in the {room}
{percent} brightness in the {room} please
{room} lamp at {percent}
I'd like {percent} light in the {room}
light the {room} with {percent}
make the lamp in the {room} {color}
make the {room} {color}
make it {color} in the {room}
turn the light in the {room} {color}
turn the {room} {color}
switch the {room} light to {color}
set the light in the {room} to {color}
set the {room} light colour to {color}
change the colour in the {room} to {color}
change the lamp in the {room} to {color}
let the {room} light shine {color}
the {room} light should be {color}
the light in the {room} should be {color}
{color} light in the {room} please
{color} for the {room} light
I'd like the {room} light {color}
I'd like {color} light in the {room}
paint the {room} {color} with the lamp""",
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
please switch the light {state}
turn the lights {state}
switch the lights {state}
put the light {state}
the light should be {state}
I want the light {state}
lamp {state}
dim the lamp to {percent}
put the light at {percent}
turn the light to {percent}
brightness to {percent} please
turn the lamp {color}
I want {color} light
set the lamp to {color}
{color} light please""")})
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
does it rain {day} in {town}
(what|how) about the weather in {town}
weather for {town}
weather report for {town}
weather report {town}
the weather in {town} please
forecast {town}
give me the weather for {town}
give me the forecast for {town}
get the weather in {town}
get me the forecast for {town}
look up the weather in {town}
look up the weather for {town} {day}
check the weather in {town}
check the forecast for {town} {day}
find out how the weather is in {town}
I want to know the weather in {town}
I need the weather for {town} {day}
I need the forecast for {town}
I wonder how the weather is in {town}
is the sun shining in {town}
is it nice in {town}
is it going to be (cold|warm|sunny|wet) in {town} {day}
are there clouds in {town} {day}
how is it outside in {town}
how are the temperatures in {town} {day}
how will it be in {town} {day}
how does the weather look in {town}
how does the weather look in {town} {day}
what temperature does {town} have
what temperature will {town} have {day}
what's the temperature in {town}
what's the temperature in {town} {day}
what's the forecast for {town}
what's the forecast for {town} {day}
what's it like outside in {town}
what kind of weather does {town} have {day}
what weather can I expect in {town} {day}
can I expect (rain|snow|sun) in {town} {day}
can I go out without a coat in {town} {day}
should I take (an umbrella|a coat|sunglasses) in {town} {day}
should I pack (an umbrella|a jacket|sun cream) for {town} {day}
do we get (rain|snow|sun|frost) in {town} {day}
does the sun shine in {town} {day}
does it snow in {town} {day}
will there be (rain|snow|fog|sun) in {town} {day}
will {town} be (rainy|warm|cold|sunny) {day}
will we have (rain|sun|snow) in {town} {day}
weather {day} in {town}
weather {town} {day}
forecast for {town} {day} please
{town} weather
{town} weather {day}
{town}: how is the weather {day}
{day} in {town}, will it rain
I travel to {town} {day}, what is the weather like
we are in {town} {day}, will it be warm
I'm flying to {town} {day}, do I need a coat""",
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
will it be sunny {day}
what's the forecast
what is the weather like {day}
give me the weather
give me the forecast {day}
check the weather {day}
is it raining
is it cold outside
how cold will it be {day}
how does the weather look {day}
will there be snow {day}
will it be warm {day}
should I take an umbrella {day}
do I need a coat {day}
look up the weather""")})
CORE = tuple(DOMAINS)  # those that the issue of a phone is about; the others are here so that a model reads what it is offered

SWITCH = Argument(("state", "state", "power", "enabled"), "string", ("On or off",), ("on", "off"))
LEVEL = Argument(("level", "level", "percent", "value"), "integer", ("0 to 100", "Percent"))
TEXT = Argument(("text", "query", "q", "phrase"), "string", ("The text", "What to look for"))
domain("torch", "flashlight torch set_flashlight toggle_torch", "Switch the flashlight.\nTurns the torch on or off.\nThe lamp of the phone.", {"state": SWITCH}, ("state",),
       "turn {state} the flashlight\nflashlight {state}\nswitch the torch {state}\ntorch {state} please\nturn the flashlight {state}\ncan you switch {state} the torch\nturn {state} the torch\nput the torch {state}\nthe flashlight {state} please\nI want the flashlight {state}\nI need the torch {state}\nswitch {state} the flashlight\nset the flashlight to {state}\ntorch {state}\nlight of the phone {state}\nmake the phone's lamp go {state}")
domain("wifi", "set_wifi wifi wlan toggle_wifi", "Switch the wifi.\nTurns wireless networking on or off.\nWifi of the phone.", {"state": SWITCH}, ("state",),
       "turn {state} the wifi\nwifi {state}\nswitch the wifi {state}\nturn wifi {state} please\ncan you switch {state} wifi\nI want wifi {state}\nswitch {state} the wifi\nput wifi {state}\nset wifi to {state}\nthe wifi should be {state}\nI need wifi {state}\nI'd like the wifi {state}\nwlan {state}\nturn {state} wlan\nwireless network {state}\nturn {state} wireless")
domain("bluetooth", "set_bluetooth bluetooth toggle_bluetooth", "Switch bluetooth.\nTurns bluetooth on or off.\nThe bluetooth radio.", {"state": SWITCH}, ("state",),
       "turn {state} bluetooth\nbluetooth {state}\nswitch bluetooth {state}\nplease turn bluetooth {state}\ncan you switch {state} bluetooth\nturn bluetooth {state}\nput bluetooth {state}\nset bluetooth to {state}\nI want bluetooth {state}\nI need bluetooth {state}\nthe bluetooth should be {state}\nbluetooth {state} please\nmake bluetooth go {state}\nswitch the bluetooth radio {state}")
domain("volume", "set_volume volume change_volume sound_level", "Set the volume.\nHow loud the phone is.\nChanges the sound level.", {"level": LEVEL}, ("level",),
       "set the volume to {percent}\nvolume to {percent}\nvolume {percent}\nturn the volume to {percent}\nput the sound at {percent}\nmake it {percent} loud\nI want the volume at {percent}\nchange the volume to {percent}\nvolume at {percent}\nset the sound to {percent}\nsound at {percent}\nsound level {percent}\nset the sound level to {percent}\nturn the sound to {percent}\nturn the sound up to {percent}\nturn the volume down to {percent}\nI'd like {percent} volume\nloudness {percent} please\nmake the phone {percent} loud",
       {"level": ("How loud should it be?", "percent", "set the volume\nchange the volume\nadjust the sound\nvolume\nset the sound level\nset the volume please\nvolume please\nchange the sound\nchange how loud it is\nmake it louder\nmake it quieter\nturn the volume\nI want another volume\nset the loudness\nadjust the volume")})
domain("screen", "set_brightness brightness screen_brightness display_level", "Set the brightness of the screen.\nHow bright the display is.\nChanges the screen's brightness.",
       {"level": LEVEL}, ("level",), "set the screen brightness to {percent}\nscreen to {percent}\nscreen brightness {percent}\ndim the screen to {percent}\nput the display at {percent}\nbrightness of the screen to {percent}\nchange the screen brightness to {percent}\nturn the screen to {percent}\nset the display to {percent}\ndisplay brightness {percent}\ndisplay at {percent}\nmake the screen {percent} bright\nI'd like the screen at {percent}\nbrighten the screen to {percent}\ndim the display to {percent}\nset the brightness of the display to {percent}\nput the screen at {percent}",
       {"level": ("How bright should the screen be?", "percent", "change the screen brightness\nadjust the display\nset the brightness of the screen\nscreen brightness\nset the screen brightness\nset the brightness of the display\nchange the brightness of the screen\nchange the display\nmake the screen brighter\nmake the screen darker\nadjust the screen\ndim the screen\nbrightness of the screen\nI want another screen brightness")})
domain("app", "open_app launch_app start_app app", "Open an app.\nStarts an application.\nLaunch a program.", {"app": Argument(("app", "name", "app_name"), "string", ("Name of the app",))}, ("app",),
       "open {app}\nlaunch {app}\nstart {app}\nopen the {app} app\nstart the {app} app\ncan you open {app}\nI want to use {app}\nrun {app}\ngo to the {app} app\nopen the app {app}\nlaunch the app {app}\nlaunch the {app} app\nbring up {app}\nswitch to {app}\nswitch to the {app} app\nshow me the {app} app\nI need {app} open\nI need the {app} app\nI'd like to open {app}\nlet me use {app}\nget {app} started\nload {app}\nfire up {app}\ntake me to the {app} app",
       {"app": ("Which app should I open?", "app", "open an app\nstart an app\nlaunch a program\nI want to open an app\nstart an application\nlaunch an app\nrun an app\nopen something\nopen some app\nstart a program\nI need an app\nI'd like to open an app\nlet me use an app\nshow me an app\nbring up an app")})
domain("translate", "translate translate_text translation", "Translate a text.\nTranslates into another language.\nTurn a text into another language.",
       {"text": TEXT, "language": Argument(("language", "to", "target"), "string", ("Language",))}, ("text", "language"),
       'translate "{phrase}" (to|into) {language}\nhow do you say "{phrase}" in {language}\nwhat is "{phrase}" in {language}\nsay "{phrase}" in {language}\nput "{phrase}" into {language}\n"{phrase}" in {language} please\ntranslate the text "{phrase}" into {language}\ntranslate "{phrase}" for me to {language}\nI need "{phrase}" in {language}\nI want to say "{phrase}" in {language}\ngive me "{phrase}" in {language}\nturn "{phrase}" into {language}\n"{phrase}" into {language}\n"{phrase}" to {language} please\nwhat does "{phrase}" mean in {language}\nhow would one say "{phrase}" in {language}\nin {language}, what is "{phrase}"\ninto {language}: "{phrase}"\n{language} for "{phrase}"\nhow is "{phrase}" in {language}',
       {"language": ("Into which language?", "language", 'translate "{phrase}"\nplease translate "{phrase}"\ncan you translate "{phrase}"\ntranslate the text "{phrase}"\ntranslate this: "{phrase}"\ntranslate "{phrase}" for me\nI need a translation of "{phrase}"\nI want "{phrase}" translated\nI\'d like a translation of "{phrase}"\n"{phrase}", translate that\nplease give me a translation of "{phrase}"\nput "{phrase}" into another language\nsay "{phrase}" in another language')})
domain("search", "search_web web_search search find_online", "Search the web.\nLooks something up on the internet.\nWeb search.", {"query": Argument(("query", "q", "text", "search"), "string", ("What to look for",))},
       ("query",), "search (the web|the internet|online) for {topic}\nlook up {topic} online\nweb search: {topic}\nfind {topic} on the internet\nsearch for {topic}\nsearch online: {topic}\nsearch the web for {topic}\nlook online for {topic}\nlook on the internet for {topic}\ngo online and find {topic}\nfind something about {topic}\nfind out about {topic}\ndo a web search for {topic}\nrun a search: {topic}\nI want to search for {topic}\nsearch the net: {topic}\nshow me websites about {topic}\nlook up {topic}\nlook for {topic}\ngoogle {topic}\nsearch: {topic}",
       {"query": ("What should I search for?", "topic", "search the web\nlook something up online\nstart a web search\nsearch online\nsearch the internet\nsearch for something\nlook something up\nlook for something on the web\nfind something online\ndo a web search\nrun a search\nI want to search the web\nI need to look something up\nopen a web search\nhelp me find something online")})
domain("heating", "set_temperature thermostat heating set_heating", "Set the temperature of a room.\nControls the heating.\nThermostat of a room.",
       {"room": Argument(("room", "where", "zone"), "string", ("Which room",)), "degrees": Argument(("degrees", "temperature", "celsius"), "integer", ("Degrees Celsius",))}, ("room", "degrees"),
       "set the heating in the {room} to {degrees}\nheat the {room} to {degrees}\nmake it {degrees} in the {room}\n{room} heating to {degrees}\nput the {room} at {degrees}\nset the {room} thermostat to {degrees}\nI want {degrees} in the {room}\nheating in the {room} to {degrees}\nset the temperature in the {room} to {degrees}\nset the {room} to {degrees}\nset the {room} heating at {degrees}\nturn the {room} heating to {degrees}\nturn the heating in the {room} to {degrees}\nwarm the {room} to {degrees}\nwarm up the {room} to {degrees}\n{room} thermostat at {degrees}\n{room}: {degrees}\nthe {room} should have {degrees}\nthe {room} should be at {degrees}\nI'd like {degrees} in the {room}\nI need {degrees} in the {room}\nbring the {room} to {degrees}\n{degrees} in the {room} please\nit should be {degrees} in the {room}",
       {"degrees": ("To how many degrees?", "degrees", "set the heating in the {room}\nheat the {room}\nchange the {room} thermostat\nturn up the heating in the {room}\nset the temperature in the {room}\nset the {room} thermostat\nchange the temperature in the {room}\nchange the heating in the {room}\nmake it warmer in the {room}\nmake it cooler in the {room}\nwarm up the {room}\nturn the {room} heating up\nturn down the heating in the {room}\n{room} heating please\nadjust the heating in the {room}\nthe {room} is too cold"),
        "room": ("In which room?", "in_room", "set the heating to {degrees}\nheating to {degrees}\nmake it {degrees}\nset the thermostat to {degrees}\nturn the heating to {degrees}\nput the heating at {degrees}\nset the temperature to {degrees}\nthermostat to {degrees}\n{degrees} please\nI want {degrees}\nI'd like it to be {degrees}\nheat to {degrees}\nwarm it up to {degrees}\nit should be {degrees}\nbring it to {degrees}")})
domain("battery", "battery_status get_battery battery", "State of the battery.\nHow full the battery is.\nReads the battery's charge.", {}, (),
       "how full is the battery\nbattery status\nhow much battery (is left|do I have)\nwhat's the battery level\ncheck the battery\ndo I need to charge the phone\ncharge level please\nhow is the battery\nhow is the battery doing\nhow charged is the phone\nhow full is my battery\nhow much charge do I have\nhow much power is left\nis the battery low\nis the phone charged\nshow me the battery level\nshow the charge of the battery\ntell me the battery level\nwhat is the charge level\nbattery level\nbattery please\nbattery check\nwill the battery last")
domain("photo", "take_photo take_picture camera_shot photo", "Take a photo.\nTakes a picture with a camera.\nCamera.", {"camera": Argument(("camera", "lens"), "string", ("Which camera",), ("front", "back"))}, (),
       "take a photo\ntake a picture\ntake a photo with the {camera} camera\ntake a picture with the {camera} camera\n{camera} camera photo please\nshoot a photo with the {camera} camera\nphoto please\ntake a shot\ntake a snapshot\ntake a picture of this\nmake a photo\nmake a picture\nsnap a photo\nsnap a picture with the {camera} camera\nmake a photo with the {camera} camera\nuse the {camera} camera for a picture\nphoto with the {camera} camera\npicture with the {camera} camera please\nI want to take a photo\nI'd like a picture\ncapture this\n{camera} camera, take a photo\nget a picture with the {camera} camera")
domain("parcel", "track_parcel parcel_status track where_is_parcel", "Track a parcel.\nWhere a parcel is.\nLooks up a parcel by its number.", {"number": Argument(("number", "tracking_number", "code", "id"), "string", ("Tracking number",))},
       ("number",), "track parcel {code}\nwhere is parcel {code}\nwhere is my parcel, number {code}\ntrack {code}\nstatus of parcel {code}\nwhen does parcel {code} arrive\nfind my parcel {code}\ntrack my parcel {code}\ntrack the parcel {code}\ntrack the shipment {code}\ntrack number {code}\nwhere is the parcel {code}\nwhere is my package {code}\nwhere is my order {code}\nwhere has parcel {code} got to\nstatus of my parcel {code}\nstatus of {code}\nparcel status of {code}\ncheck parcel {code}\ncheck my parcel {code}\ncheck on my parcel, the number is {code}\nlook up parcel {code}\nlook up my parcel {code}\nlook for parcel {code}\nhas parcel {code} arrived\nwhen will my parcel {code} come\nwhen does my parcel {code} arrive\nmy parcel has the number {code}, where is it\nfind parcel {code}\nfind the shipment {code}\nI'm waiting for parcel {code}",
       {"number": ("What is the parcel's number?", "code", "where is my parcel\ntrack my parcel\nwhen does my parcel arrive\nparcel status\ntrack a parcel\ntrack a shipment\nwhere is my package\nwhere is my order\nwhen will my parcel come\nhas my parcel arrived\nlook up my parcel\ncheck my parcel\nfind my parcel\nI'm waiting for a parcel\nstatus of my parcel\nwhat about my delivery")})
domain("table", "book_table reserve_table restaurant_booking reservation", "Book a table in a restaurant.\nReserves a table.\nTable reservation.",
       {"restaurant": Argument(("restaurant", "where", "place"), "string", ("Name of the restaurant",)), "people": Argument(("people", "guests", "seats"), "integer", ("How many people",)), "date": DATE, "time": TIME},
       ("restaurant", "people", "date", "time"),
       "book a table at {place} for {count} {fixed}\nreserve a table for {count} at {place} {fixed}\ntable for {count} at {place} {fixed}\nget us a table at {place} {fixed} for {count}\nwe are {count}, book {place} {fixed}\nI'd like a table at {place} {fixed} for {count}\nbook us a table at {place} {fixed} for {count}\nbook {place} {fixed} for {count}\nbook {place} for {count} {fixed}\nbook a table for {count} at {place} {fixed}\nreserve {place} for {count} {fixed}\nreserve a table at {place} {fixed} for {count}\nreserve us a table at {place} for {count} {fixed}\nget me a table for {count} at {place} {fixed}\nI need a table at {place} for {count} {fixed}\nI want a table for {count} at {place} {fixed}\na table at {place} {fixed} for {count}\na table for {count} at {place} {fixed} please\nwe want to eat at {place} {fixed}, a table for {count}\nwe are {count} and want to eat at {place} {fixed}\ntable at {place} for {count} {fixed}\nmake a reservation at {place} {fixed} for {count}\nmake a reservation for {count} at {place} {fixed}\nreservation at {place} for {count} {fixed}",
       {"people": ("For how many people?", "count", "book a table at {place} {fixed}\nreserve a table at {place} {fixed}\ntable at {place} {fixed}\nget us a table at {place} {fixed}\nbook us a table at {place} {fixed}\nbook {place} {fixed}\nreserve {place} {fixed}\nI need a table at {place} {fixed}\nI'd like a table at {place} {fixed}\na table at {place} {fixed} please\nwe want to eat at {place} {fixed}\nmake a reservation at {place} {fixed}\nreservation at {place} {fixed}\nget me a table at {place} {fixed}\nfind us a table at {place} {fixed}")})
domain("convert", "convert_currency currency exchange", "Convert money.\nConverts an amount into another currency.\nExchange rates.",
       {"amount": Argument(("amount", "value", "sum"), "integer", ("How much",)), "from": Argument(("from", "from_currency", "source"), "string", ("Currency code",)), "to": Argument(("to", "to_currency", "target"), "string", ("Currency code",))},
       ("amount", "from", "to"), "convert {money} to {money_to}\nhow much is {money} in {money_to}\nwhat is {money} in {money_to}\n{money} in {money_to}\nchange {money} into {money_to}\n{money} to {money_to} please\nconvert {money} into {money_to}\nexchange {money} for {money_to}\nexchange {money} to {money_to}\nturn {money} into {money_to}\ncalculate {money} in {money_to}\nhow many {money_to} are {money}\nhow many {money_to} do I get for {money}\nhow much {money_to} is {money}\nwhat is {money} worth in {money_to}\nwhat are {money} in {money_to}\nwhat do I get for {money} in {money_to}\nI have {money}, how much is that in {money_to}\nI need {money} in {money_to}\n{money} into {money_to}\n{money} are how many {money_to}\nchange {money} to {money_to}\ngive me {money} in {money_to}")
domain("lock", "lock_door door_lock set_lock", "Lock or unlock a door.\nControls a door's lock.\nSmart lock.", {"door": Argument(("door", "which"), "string", ("Which door",)), "action": Argument(("action", "state"), "string", ("What to do",), ("lock", "unlock"))}, ("door", "action"),
       "{lock} the {door} door\nplease {lock} the {door} door\ncan you {lock} the {door} door\n{lock} {door} door\n{lock} the door to the {door}\n{lock} the door of the {door}\n{lock} my {door} door\n{lock} the {door} door now\nI want to {lock} the {door} door\nI'd like to {lock} the {door} door\nI need to {lock} the {door} door\nthe {door} door, {lock} it\n{door} door: {lock}\n{door} door, {lock} please\ncould you {lock} the door to the {door}\nmake sure to {lock} the {door} door\ngo and {lock} the {door} door\nuse the lock of the {door} door: {lock}",
       {"door": ("Which door?", "door", "{lock} the door\nplease {lock} a door\ncan you {lock} the door\n{lock} a door\n{lock} the door please\nI want to {lock} a door\nI need to {lock} the door\nI'd like to {lock} the door\ncould you {lock} a door\ndoor, {lock} it\n{lock} it, the door I mean\nuse the lock: {lock}\ngo and {lock} the door")})
domain("stop_timer", "cancel_timer stop_timer timer_stop end_timer", "Stop the timer.\nCancels the running timer.\nEnds a countdown.", {}, (),
       "stop the timer\ncancel the timer\nend the countdown\nturn off the timer\nI don't need the timer any more\ntimer off\nplease stop the countdown\nstop my timer\nstop the running timer\nstop counting down\ncancel my timer\ncancel the countdown\nend the timer\nkill the timer\nquit the timer\nswitch off the timer\nturn the timer off\nno more timer\nabort the timer\nabort the countdown\nthe timer is not needed\nI want the timer to stop\nthe timer can stop\nmake the timer stop")
domain("delete_alarm", "delete_alarm remove_alarm cancel_alarm alarm_off", "Delete an alarm.\nRemoves an alarm.\nCancels an alarm at a time.", {"time": TIME}, ("time",),
       "delete the alarm at {time}\ncancel the alarm at {time}\nremove my {time} alarm\nturn off the alarm at {time}\nI don't need the {time} alarm\nno alarm at {time} please\ncancel my alarm for {time}\ndelete my alarm at {time}\ndelete my {time} alarm\ndelete the {time} alarm\nremove the alarm at {time}\nremove the alarm for {time}\ncancel the {time} alarm\ncancel the alarm for {time}\ndrop the alarm at {time}\nturn off my {time} alarm\nswitch off the alarm at {time}\nthe alarm at {time} is not needed\nI don't need the alarm at {time}\nget rid of the {time} alarm\nforget the alarm at {time}\nno {time} alarm please\nthe {time} alarm should go away",
       {"time": ("Which alarm, at what time?", "at", "delete an alarm\ncancel my alarm\nremove the alarm\nturn off an alarm\ndelete my alarm\nremove an alarm\nremove my alarm\ncancel an alarm\ncancel the alarm\nget rid of an alarm\nswitch off an alarm\nI don't need an alarm any more\none alarm should go away\ndrop an alarm\nno more alarm please")})
domain("find_phone", "find_phone ring_phone locate_phone", "Let the phone ring.\nFinds the phone by a sound.\nLocate the phone.", {}, (),
       "where is my phone\nfind my phone\nlet my phone ring\nI can't find my phone\nring my phone\nlocate the phone\nI lost my phone\nI lost my phone, let it ring\nI don't know where my phone is\nwhere did I put my phone\nwhere have I left my phone\nhelp me find my phone\nlook for my phone\nmake my phone ring\nmake the phone beep so that I find it\nsearch for my phone\nmy phone is gone\nmy phone is gone, ring it\nplay a sound so that I find my phone\nlocate my phone\nring the phone, I can't find it")
