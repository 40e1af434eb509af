"""What people say in messages, have to do and note down: sentences, and texts of any words, which are copied and never guessed."""
import re

from .split import Lexicon
from .times import DAYS, MONTHS
from .words import ANY, ROOMS, SPOTS, any_words, first_name, odd_text, odd_word, some, town

# What is said in messages, by the speaker.
MESSAGES = Lexicon("messages", """I'll be late
I'm on my way
dinner is ready
I missed the bus
the meeting is cancelled
I can't come today
happy birthday
I'll call you later
the train is delayed
I'm stuck in traffic
thank you for the flowers
I forgot my keys
please feed the cat
the parcel has arrived
I'm at the door
let's meet at the station
good luck with the exam
I love you
don't wait for me
the tickets are in my bag
can you bring some bread
are you at home
where are you
do you want to have lunch
the car is in the garage
I left my umbrella at your place
we need more milk
see you soon
I'll bring the cake
the plumber comes at noon
please turn off the oven
my phone battery is low
the kids are asleep
we are leaving now
I'm running ten minutes late
have a safe trip
the game starts at eight
I found your wallet
could you pick me up
the dog has been fed
I need the report
sorry about yesterday
the party is at our place
please call me back
I'll take the later train
I'm still at work
we landed safely
get well soon
I parked behind the house
the key is under the mat
I've sent the photos
are we still on for tonight
it was great to see you
the shop is closed
what time is dinner
no rush
I'll be there in an hour
the internet is down again
bring a warm jacket
the concert was wonderful""".split("\n"))
TASKS = Lexicon("tasks", """water the plants
take out the rubbish
call the bank
pay the rent
buy a birthday present
feed the cat
take my pills
book the flight
pick up the laundry
charge the bike
return the library books
renew my passport
clean the kitchen
walk the dog
send the invoice
order new glasses
check the oven
close the windows
post the letter
back up the laptop
get the car washed
buy concert tickets
write to the insurance
pack my swimsuit
thaw the chicken
ring the school
change the bed sheets
mow the lawn
fix the bike
do the tax return
turn off the heating
collect the parcel
defrost the freezer
buy stamps
prepare the slides
sign the contract
stretch my back
drink some water
download the tickets
cancel the subscription
empty the dishwasher
print the boarding pass
iron the shirts
submit the homework
clean the gutters
go for a run
read chapter five
lock the back door
practise the piano
descale the kettle""".split("\n"))
NOTES = Lexicon("notes", """the spare key is with the neighbour
the wifi password is on the fridge
the blue paint was number seven
the doctor's office moved upstairs
the bike lock code is on the blue card
idea for a story about a lighthouse
the plumber charges by the hour
the good bakery is behind the church
parking spot is on level three
the cake needs two more eggs
grandma's recipe uses brown sugar
the meeting room is on the second floor
the landlord wants the form back
the red wine was very good
the printer needs new ink
the garden tap drips
my locker is the third from the left
the train leaves from platform nine
try the soup place near the bridge
the warranty ends in spring
the tent has a broken pole
shoe size is forty two
the piano tuner was friendly
the blue folder has the contract
the kids like the yellow cups
the cheap tickets are sold on Mondays
the attic light is broken
use less salt next time
the hotel has no lift
the cat prefers the dry food
the bus card is nearly empty
ask about the discount
the river path is flooded
the window in the bathroom sticks
the best seats are in row five
the new colleague speaks Danish
the router is behind the shelf
the tomatoes need more sun
the film was too long
the shop closes early on Sundays""".split("\n"))


# Sentences of any number, since sixty are learned by heart. {a} and {b} are things, {name} a name, {room}, {spot}, {town}, {n} a number, {hour} an hour.
MESSAGE_FORMS = Lexicon("forms of messages", """I'll be at {spot} at {hour}
I'm at {spot} with {name}
I'm waiting at {spot}
I'm in {town} until tomorrow
we are in {town} already
we'll be there around {hour}
can you bring the {a}
can you bring me {n} {a}s
could you buy a {a} and a {b}
did you see my {a}
do you still have the {a}
do we need {n} chairs
don't forget the {a}
have you found the {a}
where did you put the {a}
who has the {a}
is {name} coming too
is the {a} still in the {room}
{name} is asking for you
{name} says hello
{name} and I are going to {spot}
{name} forgot the {a} again
the {a} is in the {room}
the {a} is under the {b}
the {a} is broken
the {a} arrived today
the {a} was too small
the meeting is at {spot} now
the meeting moved to {hour}
dinner is at {hour}
let's meet at {hour} at {spot}
let's go to {town} on Sunday
I bought {n} tickets
I bought the {a} for {name}
I left my {a} in the {room}
I can't find the {a}
I need the {a} back by Friday
I will send you the {a} tomorrow
I'm bringing the {a}
my train leaves at {hour}
my flight lands at {hour}
my {a} is lost
please ask {name} about the {a}
please give {name} the {a}
please leave the {a} with {name}
please close the {room} window
thanks for the {a}
sorry, I broke the {a}
you left your {a} here
your {a} is ready
we have {n} guests tonight
we ran out of {a}s
{n} of us are coming
call me when you are in {town}
I'll pick you up at {hour}
I'll be {n} minutes late
it is raining in {town}
the {room} smells of {a}
the {room} is free now
happy birthday {name}""".split("\n"))
TASK_FORMS = Lexicon("forms of tasks", """buy a {a}
buy {n} {a}s
buy a {a} for {name}
call {name} about the {a}
call {name} back
ask {name} for the {a}
ask {name} about {town}
tell {name} about the {a}
write to {name}
send {name} the {a}
send the {a} to {name}
give the {a} back to {name}
give {name} {n} {a}s
pick up {name} at {spot}
pick up the {a}
drop the {a} off at {spot}
meet {name} at {spot}
visit {name} in {town}
take the {a} to {spot}
take out the {a}
bring the {a} upstairs
bring {n} {a}s to {spot}
check the {a} in the {room}
check the {room}
clean the {a}
clean the {room}
tidy the {room}
paint the {room}
paint the {a}
repair the {a}
fix the {a} in the {room}
fold the {a}
wash the {a}
water the {a}
feed the {a}
order a new {a}
order {n} {a}s
return the {a}
return the {a} to {name}
look for the {a}
find the {a}
charge the {a}
turn off the {a}
close the {room} door
book a room in {town}
book the train to {town}
print the {a}
sign the {a} for {name}
pay for the {a}
pay {name} {n} euros
thank {name} for the {a}
put the {a} into the {room}
move the {a} to the {room}
unpack the {a}
measure the {room}
sell the spare {a}
throw away the {a}
congratulate {name}
invite {name} and {n} others
practise with {name}""".split("\n"))
NOTE_FORMS = Lexicon("forms of notes", """the {a} is in the {room}
the {a} is behind the {b}
the {a} belongs to {name}
the {a} needs a new {b}
the {a} costs {n} euros
the {a} is cheaper in {town}
the {a} from {town} was the best
the {room} needs paint
the {room} window does not close
the {room} is {n} metres long
the code is {n}
the code for the {room} is {n}
the {a} shop opens at {hour}
the shop near {spot} sells {a}s
the bus to {town} leaves at {hour}
the tour of {spot} starts at {hour}
the best {a} is at {spot}
the spare {a} is with {name}
{name} borrowed the {a}
{name} borrowed {n} {a}s
{name} has the {a}
{name} likes {a}s
{name} does not like the {a}
{name} lives in {town} now
{name} moved to {town}
{name} wants a {a} for the birthday
{name} works at {spot}
{name} owes me {n} euros
I owe {name} {n} euros
I lent the {a} to {name}
I gave {name} the {a}
I put the {a} in the {room}
I parked near {spot}
I paid {n} euros for the {a}
I saw a nice {a} at {spot}
we need {n} {a}s for the party
we left the {a} in {town}
we meet at {spot} every Monday
my {a} is at {spot}
my size is {n}
my locker is number {n}
page {n} has the {a}
row {n} has the best view
platform {n} for {town}
room {n} is the one with the {a}
ask {name} about the {a}
try the {a} at {spot}
never buy a {a} in {town}
idea: a {a} with a {b}
idea for {name}: a {a}
gift for {name}: a {a}
recipe: {n} {a}s and a {b}
song about a {a} and a {b}
dream: a {a} in {town}
the {a} and the {b} do not fit together
the spare {a} is in the garage
the new {a} works well
a {a} weighs {n} grams
a good {a} lasts {n} years
wine for {name}, not for me""".split("\n"))
FORMS = {MESSAGES: MESSAGE_FORMS, TASKS: TASK_FORMS, NOTES: NOTE_FORMS}
HOURS = ("six", "seven", "eight", "nine", "ten", "noon", "half past five", "half past eight", "a quarter to nine", "4", "5:30", "7 pm", "10")


PLACES_AND_TIMES = re.compile(r"\{(spot|town|hour)\}|\b(meet|meeting|party)\b")


def sentence(choose, lexicon, plain=False):
    """One of the forms of the lexicon, which is none of its held-back texts. A plain one says no place, time or meeting."""
    while True:
        form = choose.of(FORMS[lexicon])
        if plain and PLACES_AND_TIMES.search(form):
            continue
        text = choose.fill(form, a=choose.of(ANY), b=choose.of(ANY), name=first_name(choose), room=choose.of(ROOMS), spot=choose.of(SPOTS), town=town(choose),
                           n=choose.rng.choice((choose.rng.randint(2, 12), choose.rng.randint(2, 400))), hour=choose.rng.choice(HOURS))
        if text not in lexicon.parts["test"]:
            return text


def with_signs(choose, text):
    """A text with a number, a code or a sign in it."""
    rng = choose.rng
    parts = text.split(" ")
    n = rng.randint(1, 9999)
    at = rng.randrange(len(parts))
    more = rng.choice((f"{n}", f"{n}", f"{parts[at]}-{n}", f"{rng.choice('ABCDEFGHKLMNPRSTX')}{n}", f"no. {n}", f"{n % 100}:{n % 50 + 10}", f"{n % 100}.5", f"{n % 100 + 1}%", f"{parts[at]}'s {odd_word(choose)}",
                       f"{parts[at]},", f"{parts[at]},", f"{parts[at]}/{odd_word(choose)}", f"{parts[at]}-{odd_word(choose)}-{n % 100}", f"{n % 200} euros", f"{parts[at]} & {odd_word(choose)}", "don't", "it's"))
    parts[at] = more
    return " ".join(parts).rstrip(",")


TAILS = Lexicon("tails of what is said", """about the {a}
about {name}'s {a}
with the {a}
with {name} and {other}
without the {a}
for the {a}
for {name}
from {town}
because of the {a}
because {name} asked for it
instead of the {a}
before it rains
before the {a} breaks
after the {a}
until the {a} is back
if the {a} is still there
when {name} is back
while {name} is away
as soon as the {a} is ready
or it will be too late
and not the {a}
next to the {b}
by the {a}
again
at last
for the whole {a}
like last year
of the {a} and the {b}
since the {a} is broken
as {name} said
to the {a}
in {town}
so that {name} knows
for {n} {a}s
in {month}
every {day}
by the end of {month}
since {month}""".split("\n"))
TIMES_IN_TAILS = "{month}", "{day}"


def with_tail(choose, text, lexicon):
    """The text with some words more: what is copied does not end where it could. A task has no day behind it, which would be the reminder's."""
    while True:
        tail = choose.of(TAILS)
        if lexicon is not TASKS or not any(slot in tail for slot in TIMES_IN_TAILS):
            break
    return f"{text} {tail}".format(a=some(choose, ANY, 0.4, 1), b=choose.of(ANY), name=first_name(choose), other=first_name(choose), town=town(choose), n=choose.rng.randint(2, 40),
                                   month=choose.rng.choice(MONTHS), day=choose.rng.choice(DAYS))


def said(choose, lexicon):
    """A text of the lexicon, or one of any words, so that a text is copied and never guessed."""
    text = _said(choose, lexicon)
    return with_tail(choose, text, lexicon) if lexicon in FORMS and choose.side == "train" and choose.chance(0.15) and "{" not in text else text


def _said(choose, lexicon):
    if lexicon in FORMS and choose.chance(0.4):
        return sentence(choose, lexicon)
    p = choose.rng.random()
    if choose.side == "train" and p < 0.5 or p < 0.08:
        text = odd_text(choose, 1, 8, 0.45) if p > 0.04 else any_words(choose)
        return with_signs(choose, text) if choose.side == "train" and choose.chance(0.2) else text
    p = 2 * (p - 0.5) if choose.side == "train" else p
    text = choose.of(lexicon)
    if choose.side == "train" and p < 0.4 and lexicon in FORMS:  # what stands between requests stands in texts as well
        other = choose.of(lexicon) if choose.chance(0.6) else sentence(choose, lexicon)
        return text + choose.rng.choice((" and ", " and ", ", ", ", and ", " but ", "; ", ". ", " and then ", " then ", ", also ") if lexicon is not TASKS else (" and ",)) + other
    if p < 0.3 and lexicon is MESSAGES:
        text += " " + choose.rng.choice(("and", "but", "so")) + " " + choose.of(lexicon)
    return text
