"""The calendar."""
from .domain import Argument, DATE, TIME, domain

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
