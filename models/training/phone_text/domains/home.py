"""Light and weather."""
from .domain import Argument, DATE, domain

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
