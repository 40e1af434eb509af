"""Notes and lists."""
from .domain import Argument, domain

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
