"""Timers, alarms and reminders."""
from .domain import Argument, DATE, TIME, domain

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
