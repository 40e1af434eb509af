"""The way to a place."""
from .domain import Argument, domain

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
navigate me to {destination}
navigation to {destination}
navigation: {destination}
go to {destination}
let's go to {destination}
head to {destination}
head for {destination}
I want directions to {destination}
I need directions to {destination}
I need the way to {destination}
I need a route to {destination}
I want to get to {destination}
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
