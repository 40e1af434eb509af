"""The composed phrasings (composed.py) of what the assistant is not about."""
from .domain import composed

for _name, _what in (("torch", "(torch|flashlight|flash light|phone light|phone's torch|light of the phone)"), ("wifi", "(wifi|wi-fi|wlan|wireless|wifi connection)"), ("bluetooth", "(bluetooth|bluetooth radio)")):
    composed(_name, f"""
~(turn|switch|put|flick|set|click|get|make) {{state}} (the|my|) {_what} <pls>
~(turn|switch|put|flick|set|click|have|get|keep) (the|my|) {_what} {{state}} <pls>
{_what}(|:|,) {{state}} <pls>
<please> {{switch}} (the|my|) {_what} <pls>
(can|could|would) you {{switch}} (the|my|) {_what} <pls>
!(turn|switch|put|get) (the|my|) {_what} (back|) {{state}} (again|) <pls>
{{state}} with (the|my) {_what} <pls>
<wish> (the|my|) {_what} {{state}} <pls>
(the|my) {_what} (should|must|can|needs to|has to) (be|go|be switched|be turned) {{state}} <pls>
<want> to (turn|switch|have) (the|my) {_what} {{state}} <pls>""")
composed("wifi", """
<please> {connect} (the|my|) (wifi|wlan|wireless network) (again|) <pls>
(can|could) you {connect} (the|my) wifi
<want> to {connect} (the|my) wifi""")
composed("volume", """
<please> {mute} (the phone|the sound|it|everything|this phone|the volume) <pls>
(can|could) you {mute} (the phone|the sound|everything|this)""")
for _name, _what, _verb in (("volume", "(volume|sound|sound level|loudness|phone's volume|audio)", "(turn|set|put|change|bring|adjust|take|crank|get|make|move)"),
                            ("screen", "(screen|display|screen brightness|display brightness|brightness of the screen|brightness of the display)", "(turn|set|put|change|bring|adjust|take|dim|get|move|fade)")):
    composed(_name, f"""
~{_verb} (the|my|) {_what} (up|down|) (to|at|on) {{percent}} <pls>
{_what}(|:|,| to| at| on) {{percent}} <pls>
~{_verb} (the|my) {_what} {{loud}} <pls>
{_what} {{loud}} <pls>
<wish> (the|my) {_what} (at|on) {{percent}} <pls>
<want> to (have|set|get) (the|my) {_what} (to|at) {{percent}}
(the|my) {_what} (should|must|can|needs to) (be|go) (at|to|down to|up to) {{percent}} <pls>
{{percent}} (on|for) (the|my) {_what} <pls>""", {"level": f"""
~{_verb} (the|my) {_what} <pls>
<wish> another (level|setting) (of|for) the {_what} <pls>
<want> to (change|set|adjust) (the|my) {_what}"""})
composed("app", """
!(open|launch|start|run|show|bring up|go to|switch to|load|fire up|pull up|take me to|get|open up|start up|boot up|use|jump to|view) (the|my|) {app} (app|application|program) <pls>
!(open|launch|start|run|bring up|load|fire up|open up|start up|switch to) {app} <pls>
!(open|launch|start|run) (the|an|) (app|application|program|app called) {app} <pls>
{app}(, open it|, please open| app| app please|, launch|, start it)
<wish> the {app} (app|application) <pls>
<want> to (use|open|see|start|look at|get into) (the|my) {app} app <pls>
<want> to (use|open|start) {app} <pls>
(open|app|launch|start app|open app)(:| -) {app}
""", {"app": """
!(open|launch|start|run|bring up) (an app|some app|an application|a program|one of my apps) <pls>
<want> to (use|open|start) (an app|some app|an application)
"""})
composed("translate", """
!(translate|render|put|say|turn|convert|give me|express|write|tell me|transfer) "{phrase}" (to|into|in) {language} <pls>
!(translate|put|turn) (the text|the phrase|the sentence|the words|this:) "{phrase}" (to|into) {language}
(how|what) (do you say|do I say|would you say|does one say|is|can I say|do they say|would be|do people say) "{phrase}" in {language}
<wish> "{phrase}" (in|translated to|translated into) {language} <pls>
"{phrase}"(,|) (in|to|into) {language} <pls>
(translate|translation|translate this) (to|into) {language}: "{phrase}"
(in|into) {language}(,|:) (please|) "{phrase}"
(what's|what is) (the|) {language} (for|of|word for|translation of) "{phrase}"
!(translate|put|say) {phrase} (to|into) {language} <pls>
(how|what) (do you say|do I say|is) {phrase} in {language}
""", {"language": """
!(translate|translate for me|render) "{phrase}" <pls>
!(translate|put) (the text|the phrase|the sentence) "{phrase}" (into another language|for me|) <pls>
<wish> (a translation|the translation) of "{phrase}" <pls>
!(translate|translate for me|please translate) {phrase}
(translate|translation)(:|,) {phrase}
"""})
composed("search", """
!(search|look|browse|check|scan|hunt) (the web|the internet|online|the net|on the web|on the internet) for {topic}
!(search|look|google|browse|search around|hunt) (for|) {topic} (online|on the web|on the internet|on the net)
!(find|look up|google|search|research|dig up) {topic} (online|on the web|on the internet|on the net) <pls>
!(find|show|get|look up|search|fetch) (me|) (something|information|info|websites|pages|articles|anything|more) (about|on) {topic}
(search|web search|google|internet search|look up|online search|search for|find online)(:| -|) {topic}
<want> to (search for|look up|find out about|google|read about|know more about) {topic}
<wish> (information|info|results|websites|something) (about|on|for) {topic}
(what does the internet say|what can you find|what is there|is there anything) (about|on) {topic}
(can|could|would) you (google|look up|search for|search the web for|find) {topic}
""", {"query": """
!(search|browse|look around|look something up|find something|look for something) (online|on the web|on the internet|in the web) <pls>
!(do|run|start|make|open) (a|another) (web search|internet search|search|online search) <pls>
<want> to (search the internet|look something up|search for something|google something)
(search|web search|google)(| please|, please)
"""})
composed("heating", """
~(set|turn|put|change|bring|adjust|take|get|heat|warm|cool|raise|lower) (the|my|) {room} (heating|heater|thermostat|radiator|temperature|) (up|down|) (to|at|on) {degrees} <pls>
~(set|turn|put|change|bring|adjust|raise|lower) (the|) (heating|heater|thermostat|radiator|temperature) in (the|my|our) {room} (up|down|) (to|at|on) {degrees} <pls>
~(put|have|make it|set|get|keep) {degrees} in (the|my|our) {room} <pls>
!(heat|warm|warm up|cool|heat up|cool down) (the|my|our) {room} (up|down|) to {degrees} <pls>
{room}(|:|,| heating| thermostat| temperature| heating:) (to|at|on) {degrees} <pls>
<wish> {degrees} in (the|my|our) {room} <pls>
(it should|it must|it has to|I want it to|I'd like it to) be {degrees} in (the|my|our) {room} <pls>
(heating|thermostat|temperature)(|:|,| in) {room}(,|) {degrees} <pls>
(the|my|our) {room} (should|must|needs to|has to|can) (be|be at|have|get|reach) {degrees} <pls>
(it's|it is) (too cold|too warm|freezing|chilly|too hot|stuffy) in the {room}(, make it|, set it to|, heat it to|, put it at) {degrees}
""", {"degrees": """
~(set|turn|change|adjust|turn up|turn down|turn on) (the|my|) {room} (heating|heater|thermostat|radiator|temperature) <pls>
~(set|turn up|turn down|change|adjust) (the|) (heating|heater|thermostat|temperature) in (the|my|our) {room} <pls>
!(heat|warm|warm up|cool) (the|my|our) {room} <pls>
""", "room": """
~(set|turn|put|change|bring|adjust) (the|) (heating|heater|thermostat|radiator|temperature) (up|down|) (to|at|on) {degrees} <pls>
<wish> {degrees} <pls>
(make it|it should be|I want it|I'd like it|get it) (warmer|cooler|colder|hotter)(,|:| -) {degrees} <pls>
(heating|thermostat|temperature)(|:|,| to| at) {degrees} <pls>
"""})
composed("battery", """
(how|just how) (full|empty|charged|low|good) is (the|my|this) (battery|phone's battery|phone battery) (now|at the moment|)
(how much|what) (battery|charge|power|juice) (is left|do I have|have I got|is there|do we have left|remains|does the phone have) (now|please|)
(what's|what is) (the|my) (battery|battery level|battery status|charge|charge level|battery percentage|power level) (now|at|)
!(show|tell me|check|read|give me|get|look up|display) (the|my) (battery|battery level|battery status|charge|battery percentage|charge level) <pls>
(battery|battery level|battery status|charge|battery percentage)(| now| please|, please|...)
(do I|should I|must I|do we) (need to|have to|) (charge|plug in|recharge) (the|my|this) phone (now|soon|)
(will|does|can) (the|my) (battery|phone) (last|hold|make it|survive) (the day|until tonight|long|much longer|)
""".replace("does|can) (the|my) (battery|phone) (last", "can|would) (the|my) (battery|phone) (last").replace("(do I|should I|must I|do we) (need to|have to|)", "(do I need to|should I|must I|do we need to|do I have to)"))
composed("photo", """
!(take|make|shoot|snap|get|capture|grab|click) (a|another|one|a quick|a nice) (photo|picture|pic|shot|snapshot|image) (of this|of us|of me|of that||||) <pls>
!(take|make|shoot|snap|get|capture|grab) (a|another|one|a quick) (photo|picture|pic|shot|snapshot) (with|using|by|from) (the|my|) {camera} camera <pls>
!(use|open|take) (the|my) {camera} camera (for|to take|and take|and make) (a photo|a picture|a pic|a shot) <pls>
{camera} camera(|,|:) (photo|picture|snap|take a picture|pic|shoot) <pls>
!(take|make|snap|shoot|do) (a|another|one|a quick) {selfie} <pls>
<wish> (a|) {selfie} <pls>
{selfie} <pls>
<wish> (a photo|a picture|a pic|a snapshot) (with the {camera} camera|) <pls>
(photo|picture|pic|snapshot)(| please| now|, please|, quick)
""")
composed("parcel", """
!(track|find|locate|look up|check|follow|check on|trace|look for) (my|the|) (parcel|package|shipment|delivery|order|parcel number|packet) (number|with the number|no.|) {code} <pls>
!(track|find|locate|check|trace) {code} <pls>
(where|where exactly) (is|has|) (my|the|) (parcel|package|shipment|delivery|order) (number|with the number|) {code} (now|got to|)
(when|what day) (does|will) (my|the) (parcel|package|shipment|delivery|order) (number|) {code} (arrive|come|get here|be delivered)
(parcel|package|tracking|track|shipment|delivery|tracking number|order)(|:|,| number| no) {code} <pls>
(status|progress|whereabouts) of (my|the|) (parcel|package|shipment|delivery|order) {code} <pls>
(has|did|is) (my|the) (parcel|package|delivery) {code} (arrived|come|here yet|get here)
(my|the) (tracking|parcel) number is {code}(, where is it|, track it|, please check|, when does it come)
""", {"number": """
!(track|find|locate|look up|check|follow|check on|trace) (my|the|a) (parcel|package|shipment|delivery|order) <pls>
(where|where exactly) is (my|the) (parcel|package|shipment|delivery|order) (now|)
(when) (does|will) (my|the) (parcel|package|delivery|order) (arrive|come|get here)
"""})
composed("table", """
!(book|reserve|get|find|get me|book us|book me|reserve us|arrange|organise|order) (a|the) (table|table for dinner|spot|dinner table) (at|in) {place} (for {count} {fixed}|{fixed} for {count}) <pls>
!(book|reserve|get|find|get me|book us|book me|reserve us) a table for {count} (at|in) {place} {fixed} <pls>
!(book|reserve|get|find|get me|book us) a table for {count} {fixed} (at|in) {place} <pls>
<wish> (a table|a reservation|a booking) (for {count} at {place} {fixed}|at {place} {fixed} for {count}|at {place} for {count} {fixed}) <pls>
(table|reservation|booking|book|table booking)(|:|,) {place}(,|) {fixed}(,|) (for|) {count}
!(make|place|do) (a|the) (reservation|booking) (at|in|for) {place} (for {count} {fixed}|{fixed} for {count}) <pls>
(dinner|lunch|a table|supper|brunch) for {count} at {place} {fixed}(, can you reserve|, book it|, please book|, can you book that|, please)
(book|reserve|put|get) us in at {place} (for {count} {fixed}|{fixed} for {count}) <pls>
(we're|we are|there are) {count}(,|, so|. Please) (book|reserve|get us a table at) {place} {fixed}
(we|I) (want|would like|'d love) to (eat|dine|have dinner|have lunch) at {place} {fixed}(, we're|, there are|, we are|, table for|, book for) {count}
""".replace("|'d love", ""), {"people": """
!(book|reserve|get|find|get me|book us|reserve us) a (table|spot) (at|in) {place} {fixed} <pls>
(book|reserve|put|get) us in at {place} {fixed} <pls>
(dinner|lunch) at {place} {fixed}(, can you reserve|, book it|, please book)
<wish> (a table|a reservation) at {place} {fixed} <pls>
(table|reservation|booking)(|:|,) {place}(,|) {fixed}
"""})
composed("convert", """
!(convert|change|exchange|turn|calculate|swap|work out|translate|compute) {money} (to|into|in) {money_to} <pls>
(how much|what) (is|are|would be|makes) {money} (in|worth in) {money_to}
(how many) {money_to} (is|are|do I get for|would I get for|are in|make) {money}
<wish> {money} in {money_to} <pls>
{money}(|,) (in|to|into|as) {money_to} <pls>
(convert|exchange rate|currency|exchange|conversion)(:|,) {money} (to|in) {money_to}
(I've got|I have|it costs|the price is|that costs|they want) {money}(, how much is that in|, what's that in|, convert it to|, what is it in) {money_to}
""")
composed("convert", "", {"to": """
!(convert|change|exchange|turn|swap) {money} <pls>
(how much|what) (is|are|would be) {money} (worth|)
<want> to (change|convert|exchange) {money}
(convert|exchange|conversion)(:|,|) {money}
"""})
composed("lock", """
<please> {lock} (the|my|our|) {door} door (now|again|) <pls>
<please> {lock} the door (of|to) the {door} <pls>
(can|could|would|will) you {lock} (the|my|our) {door} door <pls>
(make sure to|remember to|you should|it is time to|I'd like you to|I need you to) {lock} (the|my|our) {door} door <pls>
<want> to {lock} (the|my|our) {door} door
{door} door(:|,|) {lock} <pls>
(the|my) {door} door (must be|should be|has to be|needs to be|is to be) {lock}ed <pls>
""".replace('\n(the|my) {door} door (must be|should be|has to be|needs to be|is to be) {lock}ed <pls>', ''), {"door": """
<please> {lock} (the|a|that) door <pls>
(can|could|would|will) you {lock} (the|a) door <pls>
"""})
composed("stop_timer", """
!(stop|cancel|end|kill|quit|abort|turn off|switch off|delete|drop|clear|halt|silence|remove|finish|shut off) (the|my|this|that) (timer|countdown|running timer|kitchen timer|timer that is running) <pls>
!(turn|switch|shut) (the|my) (timer|countdown|kitchen timer) off <pls>
(I don't need|we don't need|no need for|forget|never mind|never mind about|forget about) (the|my) (timer|countdown) (any more|now|any longer|) <pls>
(timer|countdown)(|:|,) (off|stop|cancel|end) <pls>
<want> (the|my) (timer|countdown) (to stop|stopped|off|gone|cancelled) <pls>
(the|my) (timer|countdown) (can|should|may|must) (stop|go|end|be stopped|be cancelled) <pls>
""".replace("<want> (the|my)", "(I want|I'd like|I need) (the|my)"))
composed("delete_alarm", """
!(delete|cancel|remove|turn off|switch off|drop|clear|kill|disable|erase|get rid of|scrap|stop|take out) (the|my) (alarm|alarm clock|wake-up call) (at|for|that rings at|set for) {time} <pls>
!(delete|cancel|remove|turn off|switch off|drop|clear|kill|disable|erase|get rid of|scrap|stop) (the|my) {time} (alarm|wake-up call) <pls>
(I don't need|I won't need|we don't need|no need for|forget|I no longer need) (the|my) (alarm at {time}|{time} alarm) (any more|now|) <pls>
(no|skip the) {time} alarm (for me|any more|please|today|)
(alarm)(|:|,) {time}(|,) (off|delete|cancel|remove)
(the|my) (alarm at {time}|{time} alarm) (can go|is not needed|isn't needed|should go|must go|should be deleted)
""".replace("please|today|", "please|"), {"time": """
!(delete|cancel|remove|turn off|switch off|drop|clear|disable|get rid of) (an|my|the|one) alarm <pls>
(I don't need|no need for) (my|the|one) alarm (any more|)
"""})
composed("find_phone", """
(where|where on earth|where in the world) (is|did I put|have I put|did I leave|has) my phone (again|now|)
!(find|locate|ring|look for|search for|seek|track down|page) (my|the) phone <pls>
!(make|let|have) my phone (ring|beep|make a sound|make a noise) (so I can find it|) <pls>
(I lost|I can't find|I've lost|I misplaced|I have mislaid|I don't see|I'm looking for|I cannot find) my phone(|, ring it|, make it ring|, help me|, let it ring|, where is it|, can you find it)
(my) phone (is gone|is lost|has disappeared|is missing|is somewhere in here)(|, ring it|, find it|, make it ring)
""".replace("leave|has) my phone", "leave) my phone"))

composed("app", "", pairs="""
(open|launch|start) {app1} and (then |) {app2}""")
composed("lock", "", pairs="""
{lock} the {door1} door and the {door2} (door|one)
{lock} the {door1} and (the |) {door2} doors""")
composed("heating", "", pairs="""
(heat|set|put) the {room1} to {degrees1} and the {room2} to {degrees2}
{degrees} in the {room1} and (in |) the {room2} (please|)""")
composed("parcel", "", pairs="""
(track|where are|check) (my parcels|the parcels|parcels|) {code1} and {code2}""")
composed("translate", "", pairs="""
(translate|say|put) "{phrase}" (into|in) {language1} and (in |into |) {language2}""")
