"""Requests for what none of the tools can do, however near they come."""
from .domains.domain import Line
from .manner import FRAMES
from .split import Lexicon, is_held_back

OTHERS = Lexicon("requests for what no tool does", """order me a pizza
order a large pizza with mushrooms
call me a taxi
book a taxi for eight
get me a cab to the airport
buy two tickets for the concert
buy me a new pair of shoes
pay the electricity bill
pay my rent
transfer fifty euros to my sister
how many steps did I walk today
how did I sleep last night
what is my heart rate
delete all my photos
delete the last message
read my new messages
read me my emails
send an email to the bank
reply to the last email
write a review for the hotel
post this on my profile
share this photo with everybody
like the last picture
follow that singer
block this number
hang up
answer the phone
put the call on hold
record this call
print this page
print my tickets
scan this document
scan the code
hoover the kitchen
vacuum the bedroom
mow the lawn
water my plants
feed the dog
make me a coffee
make me a sandwich
cook dinner
do the dishes
close the blinds
lower the blinds in the bedroom
open the curtains
close the window
turn off the telly
turn on the tv
switch to channel five
record the film tonight
turn off the oven
start the washing machine
start the dishwasher
preheat the oven
turn on the fan
switch on the coffee machine
find my keys
where is my car
where are my glasses
start the car
fill up the car
rent a bike
book a flight to Rome
book a hotel room
check me in for my flight
cancel my subscription
cancel my gym membership
renew my library books
order more cat food
order groceries
sell my old phone
update all apps
install a game
remove that app
restart the phone
turn off the phone
record a video
start a voice recording
edit this picture
change my wallpaper
change the ringtone
change my password
log me out
connect the headphones
turn on flight mode
turn on the hotspot
share my location
measure my blood pressure
make an online payment
upload my files
back up the phone
empty the bin
empty my inbox
charge the phone
fix my bike
clean my room""".split("\n"))
MORE_OTHERS = [Line(line) for line in """(turn|switch) (on|off) the (telly|tv|oven|fan|kettle|dishwasher|washing machine|dryer|coffee machine|printer|computer|alarm system|sprinkler|iron|fridge|toaster)
(turn|switch|put) the (telly|tv|oven|fan|kettle|dishwasher|washing machine|dryer|coffee machine|printer|computer|sprinkler|iron|fridge|toaster) (on|off)
(close|lower|raise|pull up|pull down) the (blinds|curtains|shutters|awning|roller blind|garage door) (in the study|in the kitchen|in the bedroom|)
(order|buy|get|fetch|bring) (me|us) (a|some|two|another) (pizza|burger|coffee|beer|curry|salad|taxi|cab|bunch of flowers|new phone|pair of socks|ice cream) (|please|for tonight|for seven|with extra cheese)
(pay|settle|cancel|renew|dispute) (my|the|this) (bill|rent|invoice|subscription|insurance|membership|parking ticket|gym membership|phone contract|fine)
(delete|remove|erase|wipe|hide) (all|every one of|the last of) my (photos|messages|emails|contacts|files|downloads|videos|apps)
(post|share|upload|publish) (this|that|my) (picture|photo|video|story|status) (online|on my page|to my story|with everyone|)
(hoover|vacuum|sweep|mop|tidy|clean|dust|paint) (the|my) (kitchen|bedroom|living room|office|hallway|stairs|floor|whole flat)
(how many|how far) (steps did I take|calories did I burn|kilometres did I walk|hours did I sleep|miles did I run) (today|yesterday|this week|)
(print|scan|fax|photocopy|laminate) (this|the|my) (boarding pass|document|code|letter|form|ticket|receipt|page)
(block|report) (this|that) (number|caller|contact|person) (that keeps calling|please|)
(read|check|answer|delete) my (emails|email|mail|voicemail|inbox|messages)
(install|update|uninstall|download) (the|a|that|all) (apps|game|new version|film|update|album)
(book|reserve|rent|hire) (me|us) a (taxi|flight|hotel room|car|hotel|train seat|bike|holiday flat) (|for tomorrow|please|for two)
(start|warm up|charge|wash|park) (my|the) (car|bike|scooter|van|boat)
(feed|walk|wash|brush) (the|my) (dog|cat|rabbit|fish|hamster)
(cook|make|bake|prepare|heat) (me|us|) (dinner|a cake|some soup|breakfast|a sandwich|tea|a cup of coffee)""".split("\n")]


def other_request(choose):
    if choose.side == "train" and choose.chance(0.4):
        text = choose.rng.choice(MORE_OTHERS).say(choose.rng)
        if not is_held_back(text) and text not in OTHERS.parts["test"]:
            return choose.of(FRAMES).replace("{}", text) if choose.chance(0.15) and text.split(" ")[0] not in ("who", "what", "what's", "how", "which") else text
    return choose.of(OTHERS)
