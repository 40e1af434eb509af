"""Phrasings for the training that are put together: verbs, objects, politeness and the order of what is said are chosen independently, so that a
model learns what stands where and not sentences by heart. The test has only the lists of the other files (split.py); a composed text that says
what the test has for itself is not used.

Each line is a Line; <wish> and its like are the SYMBOLS. A person must agree with the call whatever is chosen.
"""
from .domain import SYMBOLS, composed

SYMBOLS.update({
    # What stands before a noun to ask for it. The first are terse.
    "wish": "(|||I need|I want|I'd like|I'd love|I would like|we need|we want|I could use|I could do with|can I have|can I get|could I get|could I have|may I have|can we have|"
            "give me|get me|let me have|let us have|let's have|how about|what about|I'll have|I'll take|I'm after|gimme|got|any chance of)",
    "want": "(I want|I'd like|I'd love|I would like|we want|we'd like|I need|I have|I wish|I'm hoping|I intend|I'm trying|I really want|I really need|I'm going)",
    "must": "(I must|I have to|I need to|I've got to|I've to|I gotta|I should|I ought to|I'm supposed to|we have to|we need to|we must|we should|I really have to|I really must)",
    "pls": "(||||please|pls|thanks|thank you|if you can|if possible|if you don't mind|for me|ok|quick|when you can)",
    "my": "(my|the|our|)", "the": "(the|my|our|the|this|that)", "a": "(a|one|another|a new|an extra|the|)",
    "make": "(set|start|make|create|add|give me|get|put on|put up|set up|do|run|fix|arrange|prepare|get me|schedule|open|activate|turn on|switch on|fire up|make me|set me|new)",
    "show": "(show|show me|read|read me|read out|tell me|open|open up|display|bring up|pull up|print|list|give me|get me|let me see|let me hear|check|view|look at|see|fetch|load|go through|go over|walk me through|present|recite)",
    "note": "(,|,|.| so| -) (please|can you|could you|) (put|pop|stick|add|note|enter|write|save|get|slot|jot) (it|that|this) (in|into|to|on|down in) (my|the|our) (calendar|diary|agenda|planner)",
    "please": "(|||please|kindly|just|quickly|now|maybe)",
})

composed("timer", """
!<make> <a> (timer|countdown|count down|kitchen timer) (for|of|to|at|with|lasting|) {duration} <pls>
!<make> <a> {span} (timer|countdown|kitchen timer) <pls>
<wish> <a> {span} (timer|countdown) <pls>
{span} (timer|countdown) <pls>
~<make> <a> {span} (timer|countdown) (for|called|named) <my> {label}
{span} (timer|countdown) (for|called) <my> {label} <pls>
<wish> <a> {span} timer for <my> {label} <pls>
~<make> <a> (timer|countdown) for {duration}(, it's for|, that's for|, I need it for|, it is for) <my> {label}
{label} timer(,|:| for|) {duration} <pls>
<wish> <a> (timer|countdown|kitchen timer) (for|of|with|that runs|lasting|) {duration} <pls>
(timer|countdown|count|clock|kitchen timer)(|,|:| for| of| to|...) {duration} <pls>
{duration}(|,) (timer|countdown|on the clock|on the timer|timer on|go|from now|starting now) <pls>
~(set|put|get|program|wind|dial|adjust|change|switch|bring) <the> (timer|countdown|kitchen timer) (to|for|at|on) {duration} <pls>
!(count|count down|time|track|measure|clock|keep track of|watch) {duration} (for me|from now|starting now|please|)
!(ring|beep|buzz|wake me|alert me|call me|ping me|shout|tell me|let me know|warn me|notify me|give me a shout|make a noise|go off|give me a sign) (in|after|once|when) {duration} (have passed|are over|are up|are gone|is over|) <pls>
(I've got|I have|there are|we have) (only|exactly|just|) {duration}(,| and then I have to go,| left,) (time it|start the timer|count it down|set a timer|time me|run the timer) <pls>
(this|that|it|dinner|the cake) (takes|needs|wants|should take|is going to take|has to sit for|has to rest for|must cook for) {duration}(,|, so|. So) (set|start|run|make|put on) (a timer|the timer|a countdown)
~<make> <a> (timer|countdown) for {duration} for <my> {label}
~<make> <a> {label} (timer|countdown) (for|of|to|with) {duration} <pls>
~<make> <a> (timer|countdown) (called|named|labelled) {label} (for|of|with) {duration}
(timer|countdown)(|,|:| for) {label}(|,) {duration} <pls>
{label}(|,|:) {duration} (timer|on the timer|timer please)
<my> {label} (need|have to cook|must cook|take|go in the oven|have to boil|want|should cook|stay in) (for|another|about|) {duration}(,| so|.) (set|start|run|can you set|please set) (a timer|the timer|the clock)
(I'm|we're) (boiling|cooking|baking|making|frying|steaming|heating|warming up) <my> {label}(,|.| and need| so) (timer for|a timer for|time|count|set) {duration}
""", {"minutes": """
!<make> <a> (timer|countdown|kitchen timer) <pls>
<wish> <a> (timer|countdown|kitchen timer) <pls>
!(time|count|count down|measure) (it|this|that|for me|something) <pls>
~(set|start|run|turn on) <the> (timer|countdown|kitchen timer) <pls>
(timer|countdown|kitchen timer)(| please| now|, please|...)
"""})
composed("alarm", """
!(wake|get|wake up|rouse) me (up|) {when} <pls>
!(wake|get|ring|call|rouse|shake) (me|us) (up|out of bed|awake|) {when} <pls>
{when}(,|) (wake me|wake me up|get me up|alarm|alarm please|an alarm|wake-up call|I'm getting up|I get up) <pls>
!<make> <a> (alarm|alarm clock|wake-up alarm|wake up call|morning alarm) {when} <pls>
!<make> <a> (alarm|alarm clock|wake-up alarm|wake up call) (for|to|at) {when0} <pls>
<wish> <a> (alarm|alarm clock|wake-up call|wake up call) (for {when0}|{when}) <pls>
(alarm|alarms|wake-up|wake up|clock|alarm clock)(|,|:| at| for| to) {when0} <pls>
(alarm|wake-up call|wake up)(|,|:) {when} <pls>
~(set|put|get|program|change|move|switch|adjust|wind) <the> (alarm|alarm clock|wake-up alarm) (to|for|on|at) {when0} <pls>
<must> (be up|get up|wake up|rise|be awake|be out of bed|be on my feet|leave bed) {when}(| please|, alarm please|, set an alarm|, wake me|, can you wake me|, so set an alarm)
<want> (to be up|to get up|to wake up|to be woken|to rise|to be woken up) {when}
(don't let me|I mustn't|I must not|I can't|see that I don't) (oversleep|sleep in|lie in)(, wake me|, set an alarm|, alarm) {when}
(let me|I can|I want to|I'd like to|we) sleep (until|till|up to) {when0}(, then wake me|, wake me then|, then ring|)
(have|let|make) (the|my|an) (alarm|alarm clock|phone) (ring|go off|sound|wake me|beep) {when} <pls>
(the|my) alarm (should|must|has to|needs to|is to) (ring|go off|sound|be set) {when}
~<make> <a> {label} alarm {when} <pls>
~<make> <a> alarm (called|named|labelled|with the label|with the name|titled) {label} {when} <pls>
~<make> <a> alarm {when} (called|named|labelled|with the label|with the name|for) {label}
~<make> <a> alarm {when}(, call it|, name it|, label it|, and call it) {label}
!(wake|get) me (up|) {when} for <my> {label} <pls>
{label} alarm(|,|:) {when} <pls>
(alarm|wake-up)(|,|:) {label}(,|) {when} <pls>
(alarm|wake me)(|,|:) {when}(,|) for <my> {label}
(alarm|alarm clock|wake me|wake me up)(|,|:) {when}(, label it|, call it|, label|, name it|, title|, the label is) {label}
!<make> <a> alarm {when} (so I don't forget|so I don't miss|in time for|so that I don't forget) my {label}
!<make> <a> alarm {when}(, it's for|, that's for|, it is for|, because of) <my> {label}
I (have|got|go to) {label}(,| so|, please|.) (wake me|wake me up|set an alarm|get me up) {when}
""", {"time": """
!<make> <a> (alarm|alarm clock|wake-up call|wake-up alarm) <pls>
<wish> <a> (alarm|alarm clock|wake-up call) <pls>
!(wake|get) (me|us) up <pls>
~(set|put on|program|wind) <the> (alarm|alarm clock) <pls>
(alarm|wake-up call|alarm clock)(| please|, please|...)
<want> to be woken up <pls>
"""})
composed("reminder", """
!(remind|nudge|prompt|notify|alert) (me|us) (again|) (to|that I have to|that I must|that I need to|that I should|about this:) {task} {when}
!(remind|nudge|prompt|notify|alert|ping|tell) me {when} (to|that I have to|that I must|that I need to|that I should|I need to|I have to) {task}
{when}(,|) (remind me to|remind me that I have to|reminder to|nudge me to|tell me to|I have to be reminded to|don't let me forget to) {task}
!<make> <a> (reminder|note to remind me|nudge|memory aid) {when} (to|:|, to|that says|saying|with the text) {task}
!<make> <a> reminder (to|:|, to) {task} {when}
!<make> <a> reminder for {when0}(:|, | to) {task}
(reminder|remind me|remember|reminder please|to do|todo|reminders)(:| -| to|,) {task}(,|) {when}
(reminder|remind me|remember|reminder please|reminders)(|,) {when}(:|,| -| to) {task}
<wish> <a> reminder (to|that I should) {task} {when}
<wish> <a> reminder {when} (to|that I must|saying) {task}
<must> {task} {when}(, remind me|, please remind me|, can you remind me|, don't let me forget|, set a reminder|. Remind me|. Please remind me|, make a reminder|, remind me please)
{when} <must> {task}(, remind me|, please remind me|, can you remind me|, don't let me forget|, set a reminder|, make a reminder|. Remind me)
(don't let me|I mustn't|I must not|make sure I don't|see that I don't|I'm not to|let me not) forget to {task} {when}
(make sure|see to it|ensure) (that I|I) {task} {when}(, remind me|, with a reminder|, by a reminder)
!(remind|nudge|prompt|notify|alert|ping) me (to|that I have to|that I must) {task} {in}
!(remind|nudge|prompt|notify|alert|ping|tell) me {in} (to|that I have to|that I should|that I must) {task}
{in}(,|) (remind me to|remind me that I have to|nudge me to|tell me to|I should|I need to be reminded to|I want a reminder to) {task}
!<make> <a> reminder {in}(:| to|, to| that says) {task}
(reminder|remind me|reminder please)(|,) {in}(:|,| -| to) {task}
<wish> <a> reminder (to {task} {in}|{in} to {task})
<must> {task} {in}(, remind me|, please remind me|, can you remind me|, don't let me forget|, set a reminder|. Remind me)
(I'll|I will|I'd|I would) (only|just|surely||certainly) forget to {task} {when}(, remind me|, so remind me|, please remind me)
""", {"time": """
!(remind|nudge|prompt) me (to|that I have to|that I must|that I need to) {task}
!<make> <a> reminder (to|:|saying|that says) {task}
<wish> <a> reminder to {task}
!(remind|nudge) (me|us) (to|that I have to|that I must) {task} {day}
!(remind|nudge) (me|us) {day} (to|that I have to|that I must) {task}
(don't let me|make sure I don't|I mustn't|I can't) forget to {task} {day}
{day}(,|) (remind me to|reminder to) {task}
(reminder|reminders|reminder please)(:| -| to) {task}
(don't let me|make sure I don't|I mustn't|I can't) forget to {task}
<must> {task}(, remind me|, can you remind me|, set a reminder|, please remind me)
""", "text": """
!<make> <a> reminder {when} <pls>
!<make> <a> reminder for {when0} <pls>
!remind (me|us) {when} <pls>
!remind (me|us) (of something|about something|of a thing) {when} <pls>
<wish> <a> reminder {when} <pls>
!remind (me|us) {in} <pls>
reminder(|,|:) {when} <pls>
"""})
composed("calendar", """
~(put|add|enter|write|note|save|book|place|insert|get|stick|schedule|register) (a|the|my|an|) {occasion} (in|into|on|to) <my> (calendar|agenda|diary|planner) {fixed} <pls>
~(put|add|enter|write|note|save|book|place|insert|get|stick|schedule) (a|the|my|) {occasion} {fixed} (in|into|on|to) <my> (calendar|agenda|diary|planner) <pls>
!(schedule|plan|book|arrange|organise|set up|fix|block time for|block off time for|add|calendar|diarise|make time for|pencil in) (a|the|my|an|) {occasion} {fixed} <pls>
{fixed}(,|:|) (I have|I've got|there is|there's|we have|we've got|is|comes|my calendar should have|I'm booked for) (a|the|my|an|) {occasion}(<note>|, please add it|, save it|, schedule that)
(I have|I've got|I got|there is|there's|we have|we've got|I'm having) (a|the|my|an|) {occasion} {fixed}(<note>|, please add it|, can you add it|, schedule it)
(my|the|our) {occasion} (is|will be|takes place|was set|has been set|got moved|happens) {fixed}(<note>|, please add it|, can you schedule it|, into the calendar please)
(calendar|event|new event|appointment|new appointment|calendar entry|add event|add to calendar|schedule|agenda|diary)(:|,| -|) {occasion}(,|) {fixed} <pls>
(calendar|event|new event|appointment|new appointment|calendar entry|add event|add to calendar|diary)(:|,| -|) {fixed}(:|,| -) {occasion} <pls>
!<make> <a> (calendar entry|event|appointment|calendar event|entry in my calendar|date|booking|slot in my calendar) {fixed}(:| for| called| named| titled|, title:) {occasion}
!<make> <a> (calendar entry|event|appointment|calendar event|entry in my calendar) (for|called|named|titled) {occasion} {fixed} <pls>
<wish> <a> (calendar entry|event|appointment) (for {occasion} {fixed}|{fixed} for {occasion})
{occasion}(,|) {fixed}(, calendar| in the calendar| in my diary|, calendar please|, add it to my calendar|, put it in my calendar)
~(put|add|enter|write|note|save|book|schedule) (a|the|my|) {occasion} at {place} (in|into|on|to) <my> (calendar|agenda|diary) {fixed}
!(schedule|plan|book|arrange|set up|add) (a|the|my|) {occasion} (at {place} {fixed}|{fixed} at {place})
(calendar|event|new event|appointment|new appointment|add event|calendar entry)(:|,) {occasion}, {fixed}, (at|in|) {place}
(I have|I've got|there is|we have) (a|the|) {occasion} (at {place} {fixed}|{fixed} at {place})<note>
(calendar|event|new event|appointment|new appointment)(:|,) {occasion}(,|) (at {place}(,|) {fixed}|{fixed}(,|) at {place})
(I have|I've got|there is|we have) (a|the|) {occasion} (at {place} {fixed}|{fixed} at {place})(, put it in my calendar|, add it to the calendar|, please add it)
!<make> <a> (calendar entry|event|appointment) (for|called|named|titled) {occasion} at {place} {fixed}
(put|add) {occasion} in <my> (calendar|diary) {fixed}(, the place is|, location|, it's at|, where:|, place:) {place}
""", {"time": """
!(schedule|plan|book|arrange|set up|fix|pencil in) (a|the|my|) {occasion} {day} <pls>
~(put|add|enter|write|note|save) (a|the|my|) {occasion} (in|into|on|to) <my> (calendar|agenda|diary) {day} <pls>
(I have|I've got|there is|we have) (a|the|) {occasion} {day}(, put it in my calendar|, add it to the calendar|, please add it)
(calendar|event|new event|appointment)(:|,) {occasion}(,|) {day}
{occasion} {day}<note>
""", "date": """
!(schedule|plan|book|arrange|set up|fix|pencil in) (a|the|my|) {occasion} at {time} <pls>
~(put|add|enter|write|note|save) (a|the|my|) {occasion} (in|into|on|to) <my> (calendar|agenda|diary) at {time} <pls>
(I have|I've got|there is|we have) (a|the|) {occasion} at {time}(, put it in my calendar|, add it to the calendar|, please add it)
{occasion} at {time}<note>
""", "title": """
!(schedule|plan|book|arrange|set up|add) (something|an event|an appointment|a meeting slot) {fixed} <pls>
~(put|add|enter|write|note) (something|an event|an appointment|an entry) (in|into|on|to) <my> (calendar|agenda|diary) {fixed} <pls>
!<make> <a> (calendar entry|event|appointment) {fixed} <pls>
"""})
composed("agenda", """
(what|what's|what all) (is|do I have|have I got|have I|are we doing|is there|happens|is going on|is planned|is scheduled|is booked|is on|is in my calendar|is on my calendar|do I have on|do I have planned|is up|is coming up|is in the diary|do we have on) {day}
(what|which) (appointments|events|meetings|plans|entries|things) (do I have|are there|have I got|do we have|are planned|are in my calendar|are on the calendar|are coming up|are scheduled) {day}
(do I have|have I got|is there|are there|do we have|have we got|did I plan|is) (anything|something|any appointments|any events|any meetings|plans|appointments|any plans) (in the calendar|planned|on|scheduled|coming up|) {day}
(am I|are we|will I be|would I be) (free|busy|booked|available|doing anything|occupied) {day}
!<show> <my> (calendar|agenda|schedule|appointments|events|diary|plans|meetings|day plan|planner) (for|of|) {day}
(calendar|agenda|schedule|appointments|events|diary|plans|meetings|planner)(|,|:| for) {day} <pls>
{day}(|,|:) (what's on|what do I have|calendar|my appointments|agenda|am I free|what have I got|anything planned|what's the plan|my schedule|what is in my calendar) <pls>
<wish> <my> (schedule|agenda|appointments|plans|calendar) (for|of|) {day} <pls>
(how|what) (busy am I|full is my day|does my calendar look like|does my schedule look like|is my schedule|will my day be like|is my day looking) {day}
(I'd like to|I want to|I need to|let me|can I|could I) (know|see|hear|check|look at|go through) (what I have|what's planned|my calendar|my appointments|what is on|my schedule) {day}
""", {"date": """
!<show> <my> (calendar|agenda|schedule|appointments|events|diary|plans|meetings) <pls>
(what|which) (appointments|events|meetings|plans) (do I have|are there|have I got)
(calendar|agenda|schedule|appointments)(| please|, please)
"""})
composed("note", """
!(note|write|jot|put|take|scribble|type|get|pen|mark) (this|the following|that) (down|) (for me|)(:| please:|,) {note}
!(note|write down|jot down|take down|put down|record|save|keep|store|remember|memorise|register|make a note|take a note|keep a note|log) that {note}
!<make> <a> (note|memo|quick note|short note|text note|little note|new note|jotting) (:|that|saying|that says|with|with the text|which says|reading|, text:|with the words|and write) {note}
!(take|make|write|save|create|add|start|jot down|leave|drop|record|do|open) (a|another|a quick|a short|a new|one) (note|memo)(:|,| that| saying| that says|, it says| for me:| please:) {note}
(note|notes|memo|new note|note to self|quick note|add note|take note|idea|to note)(:| -|,|...) {note}
(in|into|to|for) <my> notes(:|,| write| put| goes|, add) {note}
~(put|add|write|save|enter|place|drop|stick|get) (this|that|the following|it) (in|into|to|in|under) <my> notes:  {note}
<wish> <a> (note|memo) (that says|saying|that|:) {note}
(I want|I need|I'd like|I have|I'd love|I wish) to (note|write down|remember|jot down|keep|record|save) (that|this:|the following:|:) {note}
(don't|never|let me not|I mustn't|so I don't|I'd better not) forget(:| that|, note this:|, write it down:) {note}
{note}(, note that| - note that down|, write that down|, make a note of that|, save that as a note|, please note that)
(for the record|before I forget|so I remember|something to remember|one for the notes|just so I don't forget)(, note:|, write down that|, a note:|, note that) {note}
""", {"text": """
!<make> <a> (note|memo|quick note|new note|short note) <pls>
<wish> <a> (note|memo) <pls>
!(note|write|jot) (something|this|that|it|a thing) down <pls>
<want> to (write something down|note something|make a note|take a note|jot something down)
(note|new note|memo|take note)(| please|, please|...)
"""})
_LIST = "(my|the|our|that|this|) {list} list"
composed("list", f"""
~(add|put|write|get|place|stick|pop|chuck|throw|note|jot|drop|enter|set|save|append|include|slap|squeeze|bring|file|toss) {{items}} (to|on|onto|in|into|down on) {_LIST} <pls>
~(add|put|write|get|place|stick|pop|chuck|throw|note|jot|drop|enter|set|save|append|include|slap) {{items}} (as well|too|also|down|there|please) (to|on|onto|in|into) {_LIST}
~(add|put|write|get|place|pop|note|enter|append|save|stick) (to|on|onto|in|into|down on) {_LIST}(:|,| the following:| please:|) {{items}}
(on|onto|to|for|in|into) {_LIST}(:|,|) (add|put|write|goes|go|I need|we need|please add|please put|also|note|I want) {{items}}
{_LIST}(:|,| -|...) (add|put|plus|new:|we need|I need|also|) {{items}}
{_LIST} (needs|gets|should have|should get|should include|wants|could use|is missing|lacks|has to have|must have|is short of|still needs|also needs) {{items}}
{{items}} (go|goes|belong|belongs|should go|should be|must go|need to go|need to be|have to be|can go|are to go|to go) (on|onto|to|in) {_LIST} <pls>
{{items}}(,|) (for|to|on|onto|on to) {_LIST} <pls>
(we're out of|I'm out of|we are out of|we ran out of|I've run out of|there's no more|we have no|I used up|we finished|no more|we're low on|I'm running low on|I need|we need|I have to get|I forgot|I could use|we should get|I must buy|I still need) {{items}}(,|, so|, please|.|, can you) (add it to|put it on|put that on|add them to|put them on|write it on|note that on|stick it on|pop it on) {_LIST}
<wish> {{items}} (on|added to|put on|down on|in) {_LIST} <pls>
<want> to (add|put|have|write|see|get|note) {{items}} (on|to|onto) {_LIST}
!(update|extend|complete|fill|expand|change|edit) {_LIST} (with|by|to include|and add|, add|and put on) {{items}}
(can|could|would|will) (you|we|I) (add|put|have|get|write|include) {{items}} (to|on|onto) {_LIST} <pls>
(don't|do not|never) (forget|leave out|miss|skip) {{items}} (on|for|from|in) {_LIST}
(add|put|write) {{items}} (to|on) (my|the|our) {{list}} <pls>
(add|put|get) {{items}} to (my list for|the list for|the list called|the list named|my list called) {{list}} <pls>
(new|more|one more thing|another thing|some things|additions|new stuff|next) (on|for|to) {_LIST}(:|,) {{items}}
""", {"items": f"""
~(add|put|write|get|place|note|enter|append) (something|some things|a thing|another thing|an item|a few things|an entry|more) (to|on|onto|in) {_LIST} <pls>
<want> to (add|put|write|note) (something|some things|a few things) (to|on|onto) {_LIST}
{_LIST} (needs|gets|should have|is missing) (something|a new entry|an item|some things)
(on|onto|to|for) {_LIST}(:|,|) (add|put|write) (something|an item) <pls>
""", "list": """
~(add|put|write|get|place|note|enter|append|stick|pop) {items} (to|on|onto|in) (a list|one of my lists|a list of mine|my list|the list|some list|one of the lists) <pls>
<wish> {items} (on|added to|put on) (a list|one of my lists|my list|the list)
(we need|I need|we're out of|I'm out of) {items}(, put it on a list|, add that to the list|, put that on my list|, write it on a list)
"""})
composed("list_show", f"""
(what|what's|what all|what things|which things|what stuff|which items) (is|are|do I have|have I got|did I put|have we|did we write|goes|is still|is there) (on|in|written on|standing on|left on) {_LIST}
!<show> {_LIST} <pls>
!<show> (what is on|what's on|everything on|all of|the items on|what I have on|what we put on|the contents of|what stands on) {_LIST} <pls>
<wish> {_LIST} <pls>
{_LIST}(| please|, please|, read it|, show me|, what's on it|, read it to me|: what's there|, show it)
(is there|is|do I have|do we have|have I got) (anything|something|much|anything left|anything still) on {_LIST}
(what do I|what do we|what did I|what must I) (need|still need|have to get|write down|have|put) (from|on|for) {_LIST}
(I'd like to|I want to|I need to|let me|can I|could I|may I) (see|hear|read|check|look at|go through|know what is on) {_LIST} <pls>
(which|what) (films|books|things|presents|people|games|jobs|meals|names|places) (are|do I have|did I put|have I got) on {_LIST}
(how long is|how full is|is there an entry on|what does it say on|what have we got on) {_LIST}
""", {"list": """
!<show> (a list|one of my lists|my list|the list|some list|a list of mine) <pls>
(what is|what's|which things are|what all is) on (my list|the list|a list)
<want> to (see|hear|check|read) (a list|my list|one of my lists|the list)
"""})
composed("message", """
!(tell|text|message|write|write to|msg|sms|inform|notify|ping|update) {person} (that|:|saying|saying that|and say|and say that|to say that|and tell them|with|, ) {message}
!(tell|text|message|msg|write to|sms) {person} {message}
!let {person} know (that|:|) {message}
!(send|write|drop|shoot|compose|give|leave|fire off|type|do|text) {person} (a message|a text|an sms|a line|a quick message|a short text|a note|a quick text|a few words|a message by text) (:|saying|that|that says|saying that|which says|with the text|telling them|with|, ) {message}
!(send|write|compose|start|type|draft|dictate|deliver) (a message|a text|an sms|a text message|a quick message|a short text|a new message) (to|for) {person} (:|saying|that|that says|saying that|which says|with the text|with|and say|, ) {message}
(message|text|sms|msg|text message|new message|a message|a text|send message|send text|new text) (to|for|) {person}(:| -|,| saying| that) {message}
(for|to) {person}(:|,| a message:|, a text:|, send:|, by message:) {message}
(I want|I need|I'd like|I have|I'd love|I ought) to (tell|text|message|write|write to|inform|let know) {person} (that|:|saying|) {message}
{person} (should know|needs to know|must know|has to hear|ought to know|should be told|needs to be told|has to know) (that|:|) {message}(, send a message|, text that|, tell them|, message them|)
!(send|text|say|pass on|write|forward) "{message}" to {person} <pls>
!(tell|text|message|write|send) {person} "{message}" <pls>
!(reply|answer|respond|write back|text back) (to|) {person} (:|that|with|saying|and say|, ) {message}
!pass (on|) (to|) {person} (that|the message:|the message that|:) {message}
(can|could|would|will) you (tell|text|message|let|inform) {person} (know|) that {message}
""".replace("let|inform) {person} (know|) that", "inform|write to) {person} that"), {"text": """
!(send|write|drop|shoot|compose|give) {person} (a message|a text|an sms|a line|a quick message|a short text) <pls>
!(send|write|compose|start|type|draft) (a message|a text|an sms|a text message|a quick message) to {person} <pls>
(message|text|sms|msg|new message) (to|for|) {person} <pls>
!(text|message|msg|write to|sms) {person} <pls>
<want> to (text|message|write to|send a message to|write something to) {person}
""", "to": """
!(send|write|compose|type) (a message|a text|an sms|a quick message) (:|saying|that says|with the text|which says) {message}
!(send|text|write) "{message}" <pls>
(message|text|sms|new message)(:| -|, text:) {message}
!(tell|text|message|write) (somebody|someone|a friend of mine|them) that {message}
"""})
composed("call", """
!(call|phone|ring|dial|call the number|phone up|ring up) {callee} <pls>
(call|phone|dial|phone call|ring|number)(|:|,) {callee} <pls>
!(call|phone|ring|dial|telephone|call up|ring up|phone up|buzz|video call|reach|contact) {person} (now|please|for me|on the phone|by phone|up|right away|again||||) <pls>
!(give {person} (a call|a ring|a buzz|a phone call|a quick call|a bell|a tinkle|a shout by phone)|get {person} (on the phone|on the line))
!(make|place|start|put in|set up|begin|open|do) (a|the|another|my) (call|phone call|telephone call|voice call) (to|with|for) {person} <pls>
!(connect|put|patch|link) me (to|with|through to|over to) {person} (on the phone|by phone|please|)
(call|phone|dial|phone call|ring|calling)(|:|,| to) {person} <pls>
<want> to (call|phone|ring|speak to|talk to|speak with|talk with|have a chat with|get a hold of|reach|have a word with) {person} (now|on the phone|by phone|please|)
<must> (call|phone|ring|speak to|talk to|speak with|reach) {person} (now|on the phone|by phone|please|)
(can|could|may) I (speak to|talk to|call|phone|ring|have a word with) {person} (on the phone|please|now|)
<wish> {person} on the (phone|line) <pls>
(let me|let us|let's) (talk to|speak to|call|phone|ring|give a ring to|hear from) {person} <pls>
(I haven't talked to|I miss|I want to hear|I need to hear from) {person}(, call them|, give them a ring|, please call|, call please)
""", {"to": """
!(make|place|start|begin|do) (a|another|the) (call|phone call|telephone call) <pls>
!(call|phone|ring|dial) (somebody|someone|a number|one of my contacts) <pls>
<want> to (call|phone|ring|speak to) (somebody|someone|one of my contacts)
<wish> <a> (call|phone call)
(call|phone|dial)(| please|, please|...)
"""})
_SOME = "(some|a little|a bit of|a little bit of|more|a few tunes of|plenty of|lots of|something like|a dose of|a spot of|good|some good|some nice|any|||)"
composed("music", f"""
!(play|start|put on|turn on|queue|spin|stream|hear|listen to|crank up|throw on|stick on|give us|switch on|drop|blast|bring on|cue) (me|us|) {_SOME} {{genre}} <pls>
<wish> {_SOME} {{genre}} <pls>
{_SOME} {{genre}}(, please| please| now| music please| on|, thanks|, would you)
(I feel like|I'm in the mood for|we're in the mood for|I fancy|I want to hear|I'd like to hear|I'd love to hear|I'd love|I want to listen to|let me hear|let us hear|let's hear|let's listen to|I wouldn't mind|time for|it's time for|it is a day for|I could go for|fill the house with|nothing beats|I'd enjoy|how about) {_SOME} {{genre}} <pls>
!(play|start|put on|turn on|queue|stream|spin|hear|listen to|cue|throw on|stick on|blast) (me|us|) (the song|the track|the tune|the title|song|track) {{song}} <pls>
!(play|start|put on|turn on|queue|stream|spin|hear|listen to|cue|throw on|stick on|blast) (me|us|) (the song|the track|the tune|song|) {{song}} (by|from|of) {{artist}} <pls>
<wish> (the song|the track|the tune) {{song}} <pls>
<wish> (the song|the track|) {{song}} (by|from) {{artist}} <pls>
(I feel like|I'm in the mood for|I fancy|I want to hear|I'd like to hear|I'd love to hear|I want to listen to|let me hear|let's hear|let's listen to) (the song {{song}}|{{song}} by {{artist}}|the track {{song}}) <pls>
{{song}} (by|from) {{artist}} (|please|now|, play it|, put it on|, play that one)
(song|track|play song|music|play)(:| -) {{song}}(,|) (by|from|artist) {{artist}}
!(play|start|put on|turn on|queue|stream|hear|listen to|cue|throw on|blast) (me|us|) (something|anything|songs|some songs|a song|music|some music|tracks|a track|the music|a few songs|the best|hits|an album|stuff|tunes|the songs) (by|from|of) {{artist}} <pls>
!(play|put on|listen to|hear|start|queue|stream|throw on|stick on) (me|us|) (some|a bit of|some more) {{artist}} <pls>
(I fancy|I feel like|fancy|I'm in the mood for|let's hear|I wanna hear|I want to hear|how about|I'd like|I'd love) (some|a bit of) ({{artist}}|{{genre}}) <pls>
(I wanna hear|I want to hear|play|play me|put on|let me hear) (that song|the song called|the one called|that track|the track called|that tune) {{song}} <pls>
!(play|put on|listen to|hear|start|queue|stream|throw on) (me|us|) (the band|the artist|the singer|the group|artist) {{artist}} <pls>
!(play|put on|listen to|hear|start|queue|stream) (me|us|) (some|some of|) {{artist}}'s (music|songs|stuff|tracks|tunes|best songs|hits) <pls>
<wish> (something|anything|songs|some songs|a song|music|some music|tracks|a few songs|hits) (by|from|of) {{artist}} <pls>
(I feel like|I'm in the mood for|I fancy|I want to hear|I'd like to hear|I'd love to hear|I want to listen to|let me hear|let's hear|let's listen to|how about) (something by|songs by|music by|anything from|a song by|something from|the band|the music of|music from) {{artist}} <pls>
(I want to hear|I'd like to hear|let me hear|I feel like|I love|play|put on|listening to) (some of|) {{artist}}'s (music|songs|tunes|stuff|tracks)(, play it|, please| please|, put it on| now)
""", {"song": """
!(play|start|put on|turn on|queue|stream|hear|listen to|throw on) (me|us|) (some music|music|a song|something|something nice|a tune|some tunes|some songs|any music|a track|something good) <pls>
<wish> (some music|music|a song|something to listen to|a tune|some tunes|a bit of music) <pls>
<want> to (hear|listen to) (some music|music|a song|something) <pls>
"""})
composed("player", """
<please> {pause} (the music|the song|the track|this song|the player|playback|it|the sound|what's playing|that song|the tune|the playlist|my music) <pls>
(can|could|would) you {pause} (the music|the song|the track|this|playback|the player|my music) <pls>
{resume} playing (the music|music|the song|) <pls>
<want> to {pause} (the music|the song|the track|playback|the player|listening) <pls>
(music|player|song|playback|track)(:|,| -) {pause} <pls>
<please> {skip} <pls>
(can|could|would) you {skip} <pls>
(I don't like this one|I've heard this one|not this one|boring|I love it|this one again|ok|well|hm)(,|.) {skip} <pls>
""")
composed("navigation", """
!(navigate|take me|guide me|bring me|lead me|route me|direct me|get me|get us|steer me|escort me|take us|bring us|show me the way|find the way|head|go|point me|navigation|start navigating|start navigation|plan a route) (over|) to {destination} <pls>
!(show|show me|give me|get me|get|find|find me|plan|plot|calculate|look up|tell me|display|open|map|work out|start|send me|bring up|need) (the|a|me the|) (way|route|directions|path|best way|fastest way|quickest route|shortest route|road|navigation|way over) to {destination} <pls>
<wish> (directions|a route|the way|the route|navigation|the fastest way|the best route) to {destination} <pls>
(directions|route|navigate|navigation|the way|nav|way|map|go|maps)(|:|,) to {destination} <pls>
(directions|route|navigate|navigation|nav|destination|go to)(:|,| -) {destination}
(how do I|how can I|can I|I want to|I'd like to|let's|I need to|I have to|how do we|I'll|we) {move} to {destination} (|from here|please|, show me the way|, which way)
{move} to {destination} <pls>
!(take me|bring me|get me|guide me|navigate|navigate me|lead me|show me the way|directions|route|find the way) {home} <pls>
!(take me|bring me|get me|guide me|navigate me|lead me|show me the way) {home} {by} <pls>
<want> to (get|go|travel) {home} ({by}|) <pls>
how do I get {home} ({by}|from here|)
(how|which way|where) (do I|can I|do we|could we|should I|must I|would I|am I to|does one) (get|go|come|travel|head) (from here|best|fastest|) to {destination}
(what|what's|which) (is|would be|) (the|my) (way|best way|fastest way|quickest way|shortest way|route|best route|fastest route) (from here|) to {destination}
<must> (go|get|be|head|travel) to {destination}(|, show me the way|, take me there|, navigate|, guide me|, how do I get there|, directions please)
<want> to (go|get|head|travel|be taken|be guided) to {destination} <pls>
(I'm|we're) (going|heading|on the way|off|travelling|supposed to go|on my way) to {destination}(, show me the way|, take me there|, navigate please|, directions please|, which way is it)
(where is|where's|where do I find|how do I find|how far is it to) {destination}(, take me there|, show me the way|, navigate there|, guide me there)
{destination}(, please navigate|, navigate there|, show me the way|, take me there|, directions please|, how do I get there|, I need directions)
!(navigate|take me|guide me|bring me|lead me|route me|direct me|get me|get us) to {destination}(,|) {by} <pls>
!(show|show me|give me|get me|find|find me|plan|calculate|tell me) (the|a) (way|route|best way|fastest way) to {destination}(,|) {by} <pls>
(how|which way) (do I|can I|do we|should I) (get|go|travel) to {destination} {by}
{by}(,|) (take me to|navigate to|show me the way to|how do I get to|directions to|get me to) {destination} <pls>
(directions|route|navigate|navigation|way) to {destination}(,|) {by} <pls>
!(give me|get me|find|show me|start|plan) {mode} (directions|navigation|route) to {destination}
{going}(,| and| and want to go|. Take me|, so take me|, show me the way) to {destination}(, show me the way|, navigate|)
""".replace("{going}(,| and| and want to go|. Take me|, so take me|, show me the way) to {destination}(, show me the way|, navigate|)",
            "{going}(. Take me|, so take me|, show me the way|, guide me|, directions|. How do I get|, get me) to {destination}"), {"destination": """
!(navigate|guide me|show me the way|start navigation|start navigating|give me directions|find a route|plan a route|lead the way|open the navigation|find the way|get me directions) <pls>
<wish> (directions|a route|navigation) <pls>
<want> to (go|drive|travel) (somewhere|some place) <pls>
(navigation|directions|route|navigate)(| please|, please|...)
!(take|drive|bring|guide|lead) (me|us) (there|somewhere|to a place) <pls>
"""})
_LIGHT = "(light|lights|lamp|lamps|lighting|bulb|light bulb|lightbulb|ceiling light)"
composed("light", f"""
~(turn|switch|put|flick|flip|shut|click|snap|power|set|make|get) {{state}} (the|my|all the|those|that|) {{room}} {_LIGHT} <pls>
~(turn|switch|put|flick|flip|click|snap|power|set|get|keep|leave|have) (the|my|all the|) {{room}} {_LIGHT} {{state}} <pls>
~(turn|switch|put|flick|flip|click|power|get) {{state}} (the|my|all the|all|) {_LIGHT} in (the|my|our) {{room}} <pls>
~(turn|switch|put|flick|flip|click|power|set|get|have|keep) (the|my|all the|) {_LIGHT} in (the|my|our) {{room}} {{state}} <pls>
~(turn|switch|put|flick) (the|my|all the|) {_LIGHT} {{state}} in (the|my|our) {{room}} <pls>
in (the|my|our) {{room}}(,|) (turn|switch|put) (the {_LIGHT} {{state}}|{{state}} the {_LIGHT}) <pls>
{{room}}(:|,|) {_LIGHT} {{state}} <pls>
{_LIGHT} {{state}}(|,) (in|for|at) (the|my|) {{room}} <pls>
{_LIGHT}(:|,|) {{room}}(:|,|) {{state}} <pls>
<wish> (the|my|) {{room}} {_LIGHT} {{state}} <pls>
<wish> (the|) {_LIGHT} (in the {{room}} {{state}}|{{state}} in the {{room}}) <pls>
(the|my) {_LIGHT} in the {{room}} (should|must|can|may|has to|needs to|is to) (be|go|be switched|be turned) {{state}} <pls>
(the|my) {{room}} {_LIGHT} (should|must|can|may|needs to) (be|go|be switched) {{state}} <pls>
(it's|it is|it gets|it is far|it's way|it's a bit|I find it) too {{brightdark}} (in|inside) (the|my|this) {{room}}(|, do something|, light please|, can you help|, see to the light)
~(make|keep|get|leave) (it|things|everything|) {{darkbright}} in (the|my|our) {{room}} <pls>
~(make|get|have|turn) (the|my|our) {{room}} {{darkbright}} <pls>
~(dim|set|turn|bring|put|take|lower|raise|change|adjust|get|make|fade) (the|my|) {{room}} {_LIGHT} (down|up|) (to|at|on|to a level of) {{percent}} <pls>
~(dim|set|turn|bring|put|take|lower|raise|change|adjust|fade) (the|my|all) {_LIGHT} in the {{room}} (down|up|) (to|at|on) {{percent}} <pls>
~(dim|set|turn|bring|put) (the|my) {{room}} (down|up|) to {{percent}} (light|brightness|of light)
(it's|it is|it's a bit|I find it) {{dark}} (in|here in) (the|my) {{room}}(, light please|, lights please|, do something|, can I have light|, put the light on|. Light please|, turn on the light)
<please> {{switch}} (the|my) {{room}} {_LIGHT} <pls>
<please> {{switch}} (the|my|all the|all) {_LIGHT} in (the|my) {{room}} <pls>
(can|could) you {{switch}} (the|my) ({{room}} {_LIGHT}|{_LIGHT} in the {{room}}) <pls>
{{room}}(:|,|) {_LIGHT} (at|to|on|) {{percent}} <pls>
<wish> (the|my|) {{room}} {_LIGHT} at {{percent}} <pls>
(brightness|light level|lights) (of|in) the {{room}}(:|,| to| at|) {{percent}}
~(make|turn|set|change|switch|colour|color|paint|get) (the|my|) {{room}} {_LIGHT} (to|into|) {{color}} <pls>
~(make|turn|set|change|switch|colour|color) (the|my|all) {_LIGHT} in the {{room}} (to|into|) {{color}} <pls>
{{room}}(:|,|) {_LIGHT} {{color}} <pls>
<wish> (the|my|) {{room}} {_LIGHT} (in|to be) {{color}} <pls>
<wish> {{color}} (light|lights|lighting) in the {{room}} <pls>
{{color}} (light|lights|lighting) (in|for) the {{room}} <pls>
""", {"room": f"""
~(turn|switch|put|flick|flip|click|power) {{state}} (the|my|that|) {_LIGHT} <pls>
~(turn|switch|put|flick|flip|click|power|get) (the|my|that|) {_LIGHT} {{state}} <pls>
{_LIGHT} {{state}} <pls>
<wish> (the|) {_LIGHT} {{state}} <pls>
~(dim|set|turn|bring|put|change) (the|my|) {_LIGHT} (down|up|) (to|at) {{percent}} <pls>
~(make|turn|set|change|switch) (the|my|) {_LIGHT} (to|) {{color}} <pls>
<wish> {{color}} (light|lights) <pls>
"""})
_SKY = "(rain|snow|be sunny|be warm|be cold|be windy|be hot|get cold|get hot|be nice|freeze|hail|be wet|be dry|be foggy|be cloudy|clear up|be stormy|storm)"
_WEAR = "(an umbrella|a coat|a jacket|gloves|a scarf|sunglasses|boots|a raincoat|sun cream|a hat|warm clothes|rain gear)"
composed("weather", f"""
(what|how) (is|was|will|) the (weather|forecast|temperature) (be|like|going to be|) (in|for|at|over in) {{town}} {{day}}
(what's|what is|how's|how is) (it|the weather|the temperature|the forecast|the sky) (like|doing|looking|) (in|over in|around) {{town}} (right now|now|at the moment|outside|)
(what's|what is) (the|) (weather|temperature|forecast) (like|) (for|in) {{town}} {{day}}
(what's|what is) (the|) (weather|temperature|forecast) (like|) {{day}} (for|in) {{town}}
!(show|show me|tell me|give me|get|get me|check|look up|find|find out|read me|fetch|see) (the|) (weather|forecast|weather forecast|weather report|temperature|conditions) (for|in|of) {{town}} (right now|now|please|)
!(show|show me|tell me|give me|get|get me|check|look up|find|fetch) (the|) (weather|forecast|weather forecast|weather report) (for|in) {{town}} {{day}} <pls>
!(show|show me|tell me|give me|get|get me|check|look up|find) (the|) (weather|forecast|weather forecast) {{day}} (for|in) {{town}} <pls>
(weather|forecast|weather report|temperature|weather forecast)(|:|,| in| for) {{town}} (now|please|)
(weather|forecast|weather report|weather forecast)(|:|,| in| for) {{town}}(,|) {{day}} <pls>
(weather|forecast)(|,) {{day}}(,|) (in|for|) {{town}} <pls>
{{town}}(|,|:) (weather|forecast|weather forecast) (please||now)
{{town}}(|,|:) {{day}}(,|) (weather|forecast|how's the weather|will it rain|is it going to rain|what's the weather)
(will|does|would) it {_SKY} (in|at) {{town}} {{day}}
(will|does|would) it {_SKY} {{day}} (in|at|over in) {{town}}
{{day}}(,|) (will it|is it going to|does it) {_SKY} in {{town}}
(is it going to|is it supposed to|is it likely to|are they saying it will|do you think it will) {_SKY} (in {{town}} {{day}}|{{day}} in {{town}})
(is it|is it very|is it really|is it still|has it been) (raining|cold|warm|sunny|snowing|hot|windy|foggy|wet|nice|freezing|cloudy|stormy|dry) in {{town}} (now|today|right now|at the moment|)
(how|just how) (cold|warm|hot|windy|wet|sunny|humid) (is it|does it get|will it be|will it get) in {{town}} {{day}}
(do I need|should I take|should I bring|should I pack|should I wear|will I need|do we need|do I have to take) {_WEAR} (in|for) {{town}} {{day}}
(do I need|should I take|will I need|should I wear) {_WEAR} {{day}} in {{town}}
(I'm going|I'm off|I travel|I'm travelling|we're going|I fly|we're driving|I'm heading) to {{town}} {{day}}(, how is the weather|, what's the weather|, will it rain|, do I need a coat|, what will it be like|. What's the weather like)
<wish> the (weather|forecast|weather report) (for|in) {{town}} {{day}} <pls>
(I want to know|I'd like to know|I wonder|any idea|tell me) (how the weather is|what the weather is like|if it is raining|how warm it is|how cold it is|whether it rains) in {{town}}
(any|is there|will there be|are we getting|can I expect) (rain|snow|sun|wind|frost|fog|storms) in {{town}} {{day}}
""".replace("today|", ""), {"place": f"""
(what|how) (is|will|) the (weather|forecast) (be|like|going to be|) {{day}}
(will|does|would) it {_SKY} {{day}}
(is it going to|is it supposed to) {_SKY} {{day}}
(weather|forecast|weather report)(|,|:| for) {{day}} <pls>
!(show|show me|tell me|give me|get|check|look up) (the|) (weather|forecast) (for|) {{day}} <pls>
(do I need|should I take|will I need) {_WEAR} {{day}}
!(show|show me|tell me|give me|get|check|look up) (the|) (weather|forecast) <pls>
"""})

# Two requests in one.
composed("timer", "", pairs="""
<make> (two timers|timers) (for|of|:) {duration1} and (for|of|) {duration2}
<make> a timer for {duration1} and (another|one|another one|a second one) (for|of) {duration2}
<make> a {label1} timer for {duration1} and a {label2} timer for {duration2}
{duration1} for the {label1} and {duration2} for the {label2}, (timers please|set timers|start timers)""")
composed("alarm", "", pairs="""
(wake me|alarm|wake me up|set an alarm) {when1} and (then |again |) {when2}
<make> (alarms|two alarms) {when1} and {when2}
<make> an alarm {when1} and (another|another one|one more|a second one) {when2}""")
composed("list", "", pairs="""
(add|put|write|stick) {items1} (on|to) (my|the) {list1} list and {items2} (on|to) (my|the) {list2} list
{items1} (go|goes|belong) on the {list1} list and {items2} on the {list2} list""")
composed("message", "", pairs="""
(tell|text|message|write to|inform) {to1} and {to2} (that|:) {message}
(tell|text|message) both {to1} and {to2} that {message}
(send|write) {to1} and {to2} (a message|a text) (saying|that says|:) {message}
let {to1} and {to2} know that {message}""".replace("{to", "{person"))
composed("reminder", "", pairs="""
remind me {when1} to {task1} and {when2} to {task2}
remind me to {task1} {when1} and to {task2} {when2}""")
composed("weather", "", pairs="""
(weather|forecast|the weather|what's the weather|what is the weather like|how's the weather) (in|for) {town1} and (in |) {town2} {day}
(weather|forecast|the weather|what's the weather|what is the weather like|how's the weather) (in|for) {town1} and (in |) {town2}
(will it rain|what's the weather|is it going to rain|how will the weather be) in {town} {day1} and {day2}""")
composed("agenda", "", pairs="""
(what do I have|what's on|am I free|what have I planned|show my calendar|show me my appointments) {day1} and {day2}""")
composed("light", "", pairs="""
(turn|switch) {state} the {room1} and (the |) {room2} (lights|light|lamps)
(turn|switch) {state} the lights in the {room1} and (in |) the {room2}
{room1} and {room2} (lights|light) {state}
(turn|switch) the {room1} light {state1} and the {room2} (light|one) {state2}
(set|dim|turn) the {room1} light to {percent1} and the {room2} light to {percent2}
make the {room1} light {color1} and the {room2} (light|one) {color2}""")
composed("list_show", "", pairs="""
(show me|read me|open|what's on) (my|the) {list1} (list |) and (my|the) {list2} list""")
composed("call", "", pairs="""
(call|phone|ring) {person1} and (then|) {person2}""")
