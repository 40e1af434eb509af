"""What widens the training text of contacts: classes of words, and sentences, lines and labels that are put together of them."""

CLASSES = """
who: She|He|They|She|He|They|The (man|woman|lady|guy)|This (person|lady|gentleman|one)|The person in question|Said person|Your contact
is3: She is|He is|They are|I'm|I am|She's|He's|The (woman|man|lady|person) is|Your contact is|This person is
has3: She has|He has|They have|I have|I've|The (woman|man|lady|person) has|Your contact has|This person has
my: my|her|his|their|the|my|her|his|your contact's|this person's|the person's
My: My|Her|His|Their|The|My|Her|His|Your contact's|This person's|The person's
me: me|her|him|them|us|me|this person|that person|your contact
save: save|add|note|store|put|enter|write|keep|record|file|get|include|register|copy|list|type|insert|import|remember|jot|log|create|drop|import|sync|move|take|stick|place|post|set up|mark down|throw|pop
book: my contacts|the address book|my phone|the contact list|my phone book|the directory|our contacts|the list of contacts|the database|our address list|my card file|the customer list|our records|my notebook|the phone's memory|the team list|the CRM
pol: please |kindly |can you please |could you |would you |just |don't forget to |I need you to |it would be great to |make sure to |you may |do |let's |remember to |I'd like to |I want to |
met: met|saw|talked to|spoke to|ran into|got to know|heard from|worked with|had lunch with|sat next to|got a call from|chatted with|wrote to|hired|visited|bumped into|shared a cab with|had a word with|was introduced to|danced with|bought the car from|got a mail from|interviewed
when: today|yesterday|last night|at the party|on the bus|last week|on the train|at the fair|in the shop|at the conference|a while ago|recently|at school|at the market|this morning|in the queue|again|by chance||
call: call|ring|text|phone|dial|try|reach|contact|message|get hold of|get|give a ring to|buzz|catch|speak to|get through to|ask for|alert|notify
on: on|at|under|via|using|through|with
ring: call|ring|text|phone|dial|try|use|take|note down|save|note|write down|go for|keep|punch in|leave a message on|send a text to|hang up and try|store|type in
num: number|phone number|phone|telephone|new number|line|phone line|telephone number|contact number|current number|digits
mob: mobile|mobile phone|cell|cell phone|mobile number|cell number|cellphone|new mobile number|new cell
off: office number|work number|desk phone|office phone|work line|business number|office line|direct line at work|number at work|number at the office
hom: home number|home phone|private number|house phone|landline at home|number at home|private line|home line
fx: fax|fax number|fax machine|telefax|fax line
mail: mail|email|email address|mail address|e-mail|e-mail address|inbox|new email|private email|work email|electronic mail|new mail address|contact email
write: write|email|mail|send a mail|drop a line|send it|reply|answer|send a message|forward it|send everything|send the files|send an email|respond|direct questions|address your mail|shoot an email|send word|get in touch by writing|turn by mail
web: website|homepage|site|web page|web address|internet page|online shop|blog|portfolio|company website|web presence|URL|internet address
look: look|have a look|more|find out more|read more|see more|pictures|photos|details|everything else|more information|the shop is|find us|visit us|learn more|browse|order|book|check us out
live: lives|resides|is living|stays|has a flat|has a house|is at home|dwells|has settled|is registered|rents a room|has a place|can be found|keeps house|is to be found
live1: live|reside|am living|stay|have a flat|am at home|rent a room|can be found|have settled
addr: address|home address|street address|postal address|mailing address|new address|private address|house|flat|current address|place
post: Letters|Parcels|Flowers|Post|Mail|Packages|Postcards|Invoices|Cheques|The invitation|The documents|Christmas cards|Deliveries|The keys
postgo: go to|should go to|can be sent to|are to be sent to|are delivered to|arrive at|belong to|reach us at|must be sent to|please to|are collected at
work: works|is working|is employed|has a job|started|got a job|is under contract|earns a living|has worked for years|found work|is on the payroll|has been taken on|has been hired|is busy
for: at|for|with
run: runs|owns|founded|manages|leads|heads|set up|started|directs|represents|sells for|speaks for|drives for|built up|is the face of|inherited|co-founded|took over
company: company|employer|firm|business|organisation|workplace|new employer|current employer|shop|agency|present company
job: job|role|position|title|profession|occupation|trade|function|job title|post|line of work|daily work|current role
jobadj: our new|the new|a new|their new|my new|your new|the only|our only|the best|our best|our old|our trusted|the young|the local|our next|our first|the friendly|the nicest|a very good|newest|latest|new|the former student is now the|fresh|brand-new|our dear|that nice|the busy|the one and only|once a waiter, now the
jobwhere: in town|at the office|on the team|in the house|round the corner|next door|since May|these days|at last|as of today|from Monday|with us|downstairs|in the village|on our floor|in charge|at your service|for you|upstairs|around|in this street|at work|over there|on duty|this year|as you heard
jobis: a|the|our|their|the new|your|now the|a|still the|now a
jobs: earns a living|makes a living|works|is employed|trained|qualified|has been hired|was taken on|serves|is registered|is known|makes money|was introduced|signed the letter
town: city|town|home town|hometown|place of residence|city of residence
liveadv: now|these days|currently|at present|at the moment|since May|again|for years|nowadays|for the time being|as of today|meanwhile||
zip: zip|zip code|postcode|postal code|post code|ZIP code
bday: birthday|date of birth|birth date|day of birth
born: was born|is born|came into the world|saw the light of day|first saw daylight|arrived in this world|has been around since being born|was delivered
sep: ,| -| /|:|;| --|,| ~| *
nick: neighbour|landlord|landlady|client|tenant|partner|flatmate|colleague|boss|pen friend|classmate|cousin|friend|roommate|team mate|guest|customer|lodger|fellow student|godmother|old friend|workmate|contact
hello: Hello|Hi|Hey|Good morning|Good evening|Good afternoon|Dear all|Greetings|Hi everyone|Hello there
called: is called|is named|goes by the name of|has the name|is|answers to the name of|introduced herself as|introduced himself as|signs as|is known as
bye: Kind regards|Best regards|Yours|Cheers|Best wishes|With thanks|Sincerely|Love|All the best|Many greetings|Warmly|Respectfully|See you soon|Take care|Thank you|Yours faithfully|Looking forward|With kind wishes|Best|Faithfully yours
forq: If anything comes up|In an emergency|If you get lost|When in doubt|If you need help|For bookings|For an appointment|In case of trouble|Any questions?|For orders|For more|In urgent cases|Should you need me|To book|To order|To complain|If nobody answers the door|For a quote|Need help?|If it rings and nobody answers
""".strip()

SENTENCES = """
<pol><save> {name} to <book>
<pol><save> {name} in <book>
<pol><save> {name} into <book>
<pol><save> {name} on <book>
<pol><save> {name} as a (new |)contact
<pol><save> {name}, {phone}
<pol><save> {name} with the number {phone}
<pol><save> {name}, {email}, (to|in|into) <book>
(I|we|they|she|he) <met> {name} <when>
(did|have|has) (you|anyone|they) (met|see|seen|know|call|called|meet|ever met) {name}?
(who|which person) (is|was) (it|this|that|at the door|on the phone)? {name}
(this|that|the person|the one|the caller|the sender|the new <nick>|my <nick>|our <nick>|your <nick>) (is|was) {name}
(our|my|your|the|her|his) (new |)<nick> <called> {name}
(our|my|your|the) (new |)<nick>, {name}, (says hello|moved in|wrote to us|has new details|is back|left a message)
(our|my|your|the) (new |)<nick> {name} (says hello|moved in|wrote to us|has new details|is back|left a message)
(a|another) <nick> (called|named|by the name of) {name} (called|came by|wrote|is looking for you)
(the person|the one|the <nick>) (you need|you want|to ask|who can help|responsible|we hired|you asked about) is {name}
(the|my|her|his|your contact's|the caller's|their) (name|full name|real name) (is|was|:) {name}
(my name's|I am called|the name is|they call me|I go by|call me|I'm known as) {name}
<hello>, (this is|here is|my name is|I am|it's) {name}
<hello>, {name} (here|speaking|again|writing|on the line)
<bye>, {name}
(ask|look|call|wait|watch out) for {name} (there|at the desk|at the gate|when you arrive|first|)
(talk|speak|write|turn|go|get back) to {name} (about it|directly|first|please|)
(contact|contact person|person to ask|point of contact|your contact|person in charge) (there |here |)(is|will be|remains) {name}
(the letter|the offer|the mail|the parcel|the note|the invoice|this) (came|is|was signed|was sent|was written) (from|by) {name}
(the (tenant|owner|buyer|guest|patient|applicant|seller|winner|author|witness|driver)|my landlord|our host) (is|was|will be|is called) {name}
{name} (is|was) (the|your|my|our) (new |)(<nick>|person to ask|one to talk to|point of contact)
{name} (wrote|called|emailed|texted|rang|got in touch|stopped by|sent regards|asked for you|left a message|said hello|dropped in|knocked|answered) <when>
{name} (will help|looks after|will take care of|can advise|is happy to help|waits for|will see|deals with|knows about|is there for) you
{name} (has moved|moved|changed jobs|got a new number|has new details|is new here|got married|is reachable again|has a new phone|moved house)
{name} <work> <for> {company}
{name} <run> {company}
{name}, who <work> <for> {company}, (called|wrote|says hello|is here)
{name} (from|of|at|with) {company} (called|wrote|is asking for you|stopped by|is here|sent an offer|will help)
<hello>, (this is|here is|my name is|I am|it's) {name} (from|of|with|at) {company}
<hello>, {name} (from|of|with) {company} (here|speaking)
(I'm|I am|it's|this is) {name}, {job} (at|of|with|for) {company}
(I'm|I am|it's|this is) {name}, {job}
<bye>, {name}, {job}
<bye>, {name}, {company}
{name} is <jobis> {job}
{name} is <jobis> {job} <for> {company}
{name} <jobs> as (a |the |){job}
{name}, (a|the|our|their) {job}, (called|wrote|will help|was here|says hello)
(the|our|a|their) {job} <called> {name}
(the|our|a|their) {job} at {company} <called> {name}
{name} <live> in {city}
{name} <live> at {street}
{name} <live> at {street} in {city}
{name} from {city} (called|wrote|is here|says hello|was on the phone)
{name} <born> {birthday}
{name}, born {birthday}
{name}'s <bday> (is|falls on|:) {birthday0}
{name}'s <num> (is|:|has changed to) {phone}
{name}'s <mail> (is|:|reads) {email}
{name}'s <addr> (is|:) {street}
{name}'s <web> (is|:) {website}
<pol><call> {name} <on> {phone}
<pol><write> to {name} at {email}
{name}, {phone}
{name} (can be reached|is reachable|is available|answers|picks up|takes calls|is to be had|listens) (at|on|under) {phone}
<pol><call> <me> <on> {phone}
<pol><call> <me> (now|any time|after six|if need be|in the morning|day and night|for details) <on> {phone}
<pol><ring> {phone}
<pol><ring> {phone} (and ask for|for|to reach|to speak to|if you need) {name}
<My> <num> is {phone}
<My> <num> (has changed to|changed:|remains|stays|reads|should be|will be) {phone}
(that's|it's|this is) <my> <num>: {phone}
{phone} (is|should be|will be|remains) <my> <num>
{phone} (will reach|reaches|gets|gets you|rings at|belongs to|connects you to) <me>
<forq>, <ring> {phone}
<forq>, <call> <me> <on> {phone}
<forq> {phone}
<forq>, <write> to {email}
<who> (can|may|could|will) be (reached|called|contacted|phoned|rung) (at|on|under) {phone}
<who> (gave|left|sent|told|handed) (me|us) (this|the|a) (new |)<num>(:|,) {phone}
<has3> a new <num>(:|,| -) {phone}
(the phone|my phone|the one at reception|it) (rings|is|works) (at|under|on) {phone}
(best|easiest|quickest|fastest) (by phone|to ring|to call|by telephone|to phone)(:|,| at| on) {phone}
(wrong|old|outdated|dead) (number|one): {x_phone}, (right|new|correct|current|working) (one|number): {phone}
(instead of|not|no longer|rather than) {x_phone}(,|) <ring> {phone}
<My> <mob> is {mobile}
<my> <mob> (is|:|has changed to) {mobile}
{mobile} is <my> <mob>
(on the road|when out|while travelling|outside the office|on the go|under way|out of hours|at weekends)(,|:) <my> <mob> (is|:) {mobile}
(send a text|leave a text|texts|text messages|message apps) (to|go to|via|on) <my> <mob>(,|:|) {mobile}
<My> <off> is {work_phone}
<my> <off> (is|:|has changed to) {work_phone}
{work_phone} is <my> <off>
(at the office|at work|in the office|during office hours|on weekdays|in business hours|between nine and five|from nine to five|at my desk|during the day at work)(:|,| it's| dial| ring| call) {work_phone}
<My> <off> is {work_phone}, <my> <mob> {mobile}
<My> <hom> is {home_phone}
<my> <hom> (is|:|has changed to) {home_phone}
{home_phone} is <my> <hom>
(at home|in the evening at home|privately|when home|after work at home|at the house|in private|on Sundays at home)(:|,| it's| dial| ring| call) {home_phone}
<My> <mob> is {mobile}, <my> <hom> {home_phone}
<My> <fx> is {fax}
<my> <fx> (is|:|runs under|has the number) {fax}
{fax} is <my> <fx>
(faxes|documents by fax|signed forms by fax|anything on paper by fax|send a fax|we still have a fax|fax it|fax us|fax them) (to|at|under|:) {fax}
<My> <num> is {phone}, <my> <fx> {fax}
<My> <mail> is {email}
<My> <mail> (has changed to|changed:|remains|stays|reads|should be|will be) {email}
{email} (is|should be|will be|remains) <my> <mail>
<pol><write> to {email}
(write|email|mail|contact) <me> (at|under|via) {email}
<pol>(use|take|note|try|save|copy) {email} (for mail|for messages|from now on|to write to <me>|as the mail address|)
(questions|messages|photos|invoices|documents|applications|orders|feedback|complaints|bookings|scans|offers) (go|can be sent|may be sent|should go|are welcome|please) (to|at) {email}
(by|via|per) (mail|email|e-mail)(:|,|) {email}
<who> (can|may|could|will) be (reached|contacted|written to) (at|under|by mail at|via) {email}
{email} (reaches|gets to|is read by|goes to|is checked by) <me>
(mail|an email|a message) to {email} (is enough|will do|reaches <me>|is best|gets an answer)
<pol>(phone|call|ring) {phone} or (mail|email|write to) {email}
<pol>(mail|email|write to) {email} or (phone|call|ring) {phone}
<My> <num> is {phone} and <my> <mail> is {email}
(by phone|phone) {phone}, (by mail|mail) {email}
(reach|contact|get hold of|find) <me> (at|via|under) {email} (or|and) {phone}
<My> <web> is {website}
<my> <web> (is|:|can be found at) {website}
<look> (at|on|under) {website}
<pol>(visit|go to|open|see|check out|look up|browse|click on) {website}
{website} (is|should be|remains) <my> <web>
{website} (has|tells you|shows|explains|offers) (more|everything|all the rest|pictures|the prices|the details)
(there is|there's|we have|I run|they keep) a <web>(:|,| at) {website}
<who> <live> at {street}
<who> <live> at {street}, {city}
<who> <live> at {street} in {city}
I <live1> at {street}
I <live1> at {street} in {city}
I <live1> in {city}
<My> <addr> is {street}
<My> <addr> is {street} in {city}
<My> <addr> is {street}, {postcode} {city}
<my> <addr> (is|:|has changed to|remains) {street}
{street} is <my> <addr>
{street} in {city} is <my> <addr>
<pol>(visit|see|come to|drop in on|pick up) <me> at {street}
<pol>(visit|see|come to|drop in on|pick up) <me> at {street} in {city}
<pol>(come|go|walk|drive|deliver it|send it|bring it|post it|ship it) to {street}
<pol>(come|go|drive|deliver it|send it|bring it|post it|ship it) to {street}, {city}
<post> <postgo> {street}
<post> <postgo> {street}, {city}
<post> <postgo> {street}, {postcode} {city}
(the|our|my|her|his) (office|flat|house|shop|studio|place|workshop|practice|surgery|store|bakery|branch) (is|stands|can be found|is located|is situated|lies) at {street}
(moved|has moved|we moved|she moved|he moved|I moved|they went|relocated|has been relocated) to {street}
(moved|has moved|we moved|she moved|he moved|I moved|they went|relocated) from {x_street} to {street}
(moved|has moved|we moved|she moved|he moved|I moved|relocated) from {x_city} to {city}
(not|no longer|don't write to) {x_street}(,| but| -) {street}
(from|as of|starting|since|beginning in|after) (June|next month|the summer|last week|autumn|July|Easter|the new year) (at|in|on|under) {street}(,| and| -| instead of) (until then|earlier|previously|up to then|till now|once|the old one was|no longer) (at |in |){x_street}
(now|these days|currently|today) (at|in) {street}(,|;| -) (earlier|once|not any more|no longer|until lately) (at|in|) {x_street}
{x_street} (is|was) the (old|former|previous) (address|home|place), {street} (is|was) the (new|current|next|right) one
(old|former|previous|last year's) address {x_street}, (new|current|present|now) {street}
(send|post|write) (it|letters|mail) to {street}, (not|and not|rather than) to {x_street}
(once|earlier|at first|back then) {x_street}, (since then|now|today|afterwards) {street}
<who> <live> in {city} <liveadv>
<is3> (based|located|living|at home|settled|resident|to be found|happy) in {city} <liveadv>
(is|comes|hails|originally|we come|she comes|he comes|I come) from {city}
<My> <town> is {city}
<my> <town> (is|:|remains|has changed to) {city}
{city} is <my> <town>
{city} is where (she lives|he lives|I live|they live|the office is|home is|we are based|you find us)
(the|our|my|her|his) (office|flat|house|shop|studio|practice|branch|family) (is|can be found|is located|lives) in {city}
<My> <zip> is {postcode}
<my> <zip> (is|:|reads|has changed to) {postcode}
{postcode} is <my> <zip>
(the city is|it's|that is|we are in|located in|write to|the town is) {postcode} {city}
{postcode} (is for|belongs to|means|stands for) {city}
<who> <work> <for> {company}
<is3> (employed|working|now|engaged|on board|hired|under contract|busy) <for> {company}
<who> <run> {company}
<My> <company> is {company}
<my> <company> (is called|is|:|goes by the name of|is named|trades as) {company}
{company} is <my> <company>
{company} (pays|employs|hired|took on|signed|has hired|sends) <me>
(I|she|he) (joined|started at|switched to|moved to|changed to|signed with) {company} (last week|recently|in May|this year|)
(left|quit|I left|she left|he left|they left|was let go by|said goodbye to) {x_company} (and|to|, then) (joined|moved to|started at|go to|went to|is with) {company}
(after|following) (years|ages|a year|two years) at {x_company}, (she|he|I) (went|moved|changed|switched) to {company}
(no longer|not) (at|with) {x_company}(,| but) (at|with|now at|now with) {company}
(once|earlier|formerly|previously|until spring|for years) (with|at) {x_company}, (now|today|these days|since then) (with|at) {company}
{company} (is|became) the new employer, {x_company} (was|is) the old one
(gave up|finished at|resigned from|had enough of|moved on from) {x_company}(,| and) (joined|chose|found a place at|went over to|is now at|was hired by) {company}
(changed|switched|moved|went) from {x_company} to {company}
<My> <job> is {job}
<My> <job> is {job} <for> {company}
<my> <job> (is|:|reads|has changed to) {job}
<is3> <jobis> {job}
<is3> <jobis> {job} <for> {company}
<who> <jobs> as (a |the |){job}
<who> <jobs> as (a |the |){job} <for> {company}
(by|in) (trade|profession|training)(,|:) (a |){job}
(we|they|the firm|the school) (hired|found|got|have|took on|employ|were looking for) <me> as (a |the |){job}
{job} (there|nowadays|at present|since spring|these days|in this house|for ten years|on this team|around here|as you know)
<jobadj> {job} <jobwhere>
<jobadj> {job} <jobwhere>
(meet|this is|here comes|say hello to|welcome|we welcome|you spoke to|you met|I met|thanks to) <jobadj> {job}(,|:|,) {name}
{name}(,| is|:| became| remains) <jobadj> {job} <jobwhere>
(they|we|the firm|the town|the school) (finally |) (have|has|got|found|hired) <jobadj> {job} <jobwhere>
<jobadj> {job} <jobwhere>(:|,| is|, called) {name}
{job} (by trade|by profession|is <my> <job>|is what the card says|is the job|is what <me> does for a living)
<My> <bday> is {birthday0}
<my> <bday> (is|:|falls on|was) {birthday0}
{birthday0} is <my> <bday>
<who> <born> {birthday}
(born|was born|and born) {birthday}
(the passport|the file|the form|the ID|her card|his card|the licence) (says|shows|gives|reads|has)(:|) born {birthday}
(don't|do not|never) (confuse|mix up|mistake) {name} (with|and|for) {x_name}
{x_name} (told me about|introduced me to|recommended|knows|suggested|put me in touch with|sent me to|spoke of|works with|is married to) {name}
(instead of|not|rather than|in place of) {x_name}(,|) <pol>(write to|talk to|speak to|ask|call|contact) {name}
{x_name} (has left|is gone|is on leave|retired), {name} (is|takes over|will be) (the new contact|now|your contact)
{name} (knows|is married to|works with|is a friend of|lives next to|went to school with) {x_name}
{name} (asks about|wants|lost|found|brings|sold me|repaired) the {x_thing}
{name} (paid|owes me|got|wants|asked for) {x_price} for the {x_thing}
{name} (comes|arrives|has time|will be here|called) at {x_time}
{name} (comes|arrives|has time|will be here|starts) {x_date}
{name} (ordered|has|sold|needs|counted) {x_number} chairs
{name} (used to live|was|lived|studied) in {x_city}, (but now |and now )<live> in {city}
{name} (used to work|was) (at|for) {x_company}, (but now |and now )<work> <for> {company}
(the shop of|the boss of|a friend of) {x_name} has the number {x_phone}, {name} has {phone}
the number of {x_name} is {x_phone}, (the one|the number|that) of {name} is {phone}
{name}, {street}, {postcode} {city}
{name}, {job}, {company}, {phone}
{name} <work> <for> {company} as (a |the |){job}
{name}, <jobis> {job} <for> {company}, <live> in {city}
{name} <work> <for> {company} in {city}
{name} <live> in {city} and <jobs> as (a |the |){job}
{name} (can be reached|is reachable|answers) on {phone} or at {email}
{name} (phone|tel|telephone) {phone}, (mail|email) {email}
{name}: {job}, {company}, {city}
(the|my|our) {job}, {name}, (can be reached|is reachable|answers) on {phone}
<pol><call> {name} <on> {phone} or <write> to {email}
<pol><call> {name} of {company} <on> {phone}
<pol><save> {name}: {phone}, {email}
<pol><save> {name} of {company} to <book>
<pol><save> {name}, {street}, {city}, to <book>
<pol><save> the (number|phone number|new number) {phone} (for|of) {name}
<pol><save> the (mail|email|mail address) {email} (for|of) {name}
<pol><save> the (address|new address|street) {street} (for|of) {name}
<pol><save> the birthday of {name}, {birthday0}
(the|a) (number|phone number|telephone) of {name} is {phone}
(the|a) (mail|email|mail address) of {name} is {email}
(the|an) (address|new address) of {name} is {street}
(the) (birthday|date of birth) of {name} is {birthday0}
(the) (employer|company|firm) of {name} is {company}
(the) (job|role|profession) of {name} is {job}
(who is it|who was that|who called|who is the contact|whose number is it|and you are|may I have your name|your name please|who's calling)? {name}
(what's the number|which number|how can I call|how do I reach you|phone|any phone)? {phone}
(and the mail|what's the email|where can I write|how can I write to you|any email|mail)? {email}
(where do you live|where to|which street|what's the address|where can I send it|address)? {street}
(which city|what town|in which town|where is that|in which city)? {city}
(what's the zip|which postcode|and the zip|which zip code)? {postcode}
(who do you work for|which company|where do you work|what firm|whose payroll)? {company}
(what do you do|which job|what's the job|what's the role|how do you earn your money|your profession)? {job}
(when were you born|what's the date of birth|when is the birthday|your birthday)? {birthday0}
(is there a website|any website|where can I read more|on the web)? {website}
(do you have a fax|what's the fax|any fax)? {fax}
Q: (name|who)? A: {name}
Q: (phone|number)? A: {phone}
Q: (email|mail)? A: {email}
(I wrote|it says|they say|she says|the card says|the mail says|my note says|the sign says|the website says)(:| that) <my> <num> is {phone}
(I wrote|it says|they say|she says|the card says|the mail says|my note says|the sign says|the website says)(:| that) <my> <mail> is {email}
(I wrote|it says|they say|she says|the card says|the mail says|my note says|the sign says|the website says)(:| that) <my> <addr> is {street}
(I wrote|it says|they say|she says|the card says|the mail says|my note says|the sign says|the website says)(:| that) <who> <work> <for> {company}
(I wrote|it says|they say|she says|the card says|the mail says|my note says|the sign says|the website says)(:| that) <who> <live> in {city}
<who> <work> <for> {company} in {city}
<who> <live> at {street}, {postcode} {city}
(born|was born) {birthday} and <jobs> as (a |the |){job}
<my> <num> is {phone}, <my> <web> is {website}
<my> <fx> is {fax} and <my> <mail> is {email}
(office|at work|work): {work_phone}, (at home|home|private): {home_phone}
(by day|in the daytime|until five) {work_phone}, (after that|at night|in the evening at home) {home_phone}
(if|when) (nobody|no one) (answers|picks up) at {work_phone}, (the office|my desk), <ring> <my> <mob>, {mobile}
"""

LINES = """
{name}<sep> {job}
{name}<sep> {company}
{name}<sep> {job}<sep> {company}
{name}<sep> {phone}
{name}<sep> {email}
{name}<sep> {phone}<sep> {email}
{name}<sep> {mobile}
{name}<sep> {street}
{name}<sep> {street}<sep> {city}
{name}<sep> {city}
{name}<sep> {website}
{name}<sep> (born|b.|birthday|*) {birthday0}
{name} (of|at|from|with|c/o) {company}
{name} (in|from|of) {city}
(Mr or Ms|Name|Contact|attn.|to|for|attn|from|signed|regards) {name}
{job}<sep> {name}
{job}<sep> {company}
{job} (at|for|of|with) {company}
(as|works as|position|job|role) {job}
(at|with|c/o|firm|company|employer|org) {company}
{company}<sep> {name}
{company}<sep> {job}
{company}<sep> {city}
{company}<sep> {street}<sep> {city}
{company}<sep> {phone}
{company}<sep> {website}
{street}<sep> {city}
{street}<sep> {postcode} {city}
{street}<sep> {postcode}
(lives at|address|home|addr.|at|visit) {street}
{postcode}<sep> {city}
{city}<sep> {postcode}
{city}<sep> {street}
(in|from|city|lives in|based in|town|near) {city}
(zip|postcode|ZIP|PLZ|postal code) {postcode}
(phone|tel|call|Tel.|tel.|ph|ring|T|P|p|t|no.|number|telephone) {phone}
(phone|tel|call|Tel.|tel.|ph|T|P|p|t|telephone) {phone}<sep> {email}
{phone}<sep> {email}
{phone}<sep> {website}
{phone}<sep> {name}
{email}<sep> {phone}
{email}<sep> {website}
{email}<sep> {name}
(mail|email|e-mail|write to|@|e|E|Mail|m@il|inbox) {email}
(cell|mobile|mob.|Mobile|M|m|handy|C|mob|cellphone) {mobile}
(office|work|desk|o|W|w|O|direct|work phone|business) {work_phone}
(home|H|h|private|home phone|at home|house) {home_phone}
(office|work|w|o) {work_phone}<sep> (mobile|cell|m|c) {mobile}
(home|h|private) {home_phone}<sep> (mobile|cell|m|c) {mobile}
(fax|F|f|Fax|telefax|by fax|Fx) {fax}
(tel|phone|T|t) {phone}<sep> (fax|F|f) {fax}
(web|www|site|online|homepage|url|more) {website}
{website}<sep> {email}
{website}<sep> {phone}
(born|b.|*|birthday|DOB|bday|born on|geb.) {birthday0}
"""

LABELS = {
    "name": "(First and last|First & last|Family and first|Complete|Legal) name|Name of (the |)(contact|client|customer|owner|applicant|patient|guest)|(Contact|Client|Customer|Owner|Applicant|Patient|Guest|Member|Student|User) name|"
            "Client|Owner|Applicant|Patient|Member|Your contact|Called|(Written|Sent) by|Who is it|Mr/Ms|Name (in full|and surname)|Card holder|Attention|Point of contact",
    "job": "(Current|Present|New) (job|role|position|occupation)|Job (name|description)|(Role|Position|Post|Function) (held|in the company)|(Trade|Vocation|Career|Rank|Post|Job held|Line of work|Field of work|Employed as|Working as|Occupied as)|What (she|he) does|Work title|Professional title",
    "company": "(Current|Present|New|Name of) (company|employer|business)|(Company|Employer|Business|Organisation|Agency|Shop) name|(Employed|Working|Job|Hired) (at|by|with)|(Agency|Enterprise|Corporation|Workplace|Works for|Place of work|Affiliation|On behalf of|Institution)|"
               "Name of (the |)(organisation|business)|Comp.",
    "phone": "(My|Our|Your|New|Main|Best|Direct|Daytime|Contact|Customer|Service) (number|phone|line|telephone)|(Phone|Telephone|Tel) (nr|nr.|#|contact)|(Ring|Reach me at|Call me on|Call us|Dial|To call|By phone|By telephone|Give us a ring|Reachable at|Tel. no.|Telephone line|Phone line|Text me)|"
             "(Contact|Reference) phone|(Phone|Number) to call|Cell phone|Mobile phone|Phone/mobile|Hotline number|Fon|Tel no",
    "mobile": "(My|Our|Your|New|Private|Personal) (mobile|cell)|(Mobile|Cell) (nr|nr.|#|no|tel|telephone|line|contact)|(Smartphone|Mobile telephone|On the road|On the go|Text to|Portable|Cellular|Cell no.|GSM)|Mobile or cell",
    "work_phone": "(Office|Work) (tel|tel.|telephone|line|no.|nr|phone number)|(Phone|Number|Tel|Telephone) (at work|in the office|at the office)|(At work|At the office|In the office|Desk phone|Desk line|Direct line|Company phone|Work landline|Office landline|Job phone|Weekdays|Reception)",
    "home_phone": "(Home|Private|House) (tel|tel.|telephone|line|no.|nr|phone number)|(Phone|Number|Tel|Telephone) (at home|in private)|(Home landline|Private line|Family phone|Residential phone|At the house|Privately)",
    "fax": "(Our|My|Your|Office) fax|Fax (nr|nr.|line|#|machine|to)|(Send faxes to|Faxes|Facsimile|Faxes to|Tel/fax|Fx|Telefax no.|By telefax|Fax us)",
    "email": "(My|Our|Your|New|Main|Current|Best) (email|mail|e-mail)|(E-mail|Email|Mail) (to|contact|id|us)|(Electronic mail|Inbox|By email|By mail|By e-mail|Via email|Reply to|Send mail to|Contact us at|Reach me by email|Mailbox|Email me|Drop us a line)|Email for (questions|contact)",
    "website": "(My|Our|Your|Company|Personal) (website|homepage|site|page|blog)|(Web|Internet) (page|address|link|presence)|(Find us online|On the web|More at|Visit us|Link|Web link|See|Blog|Home page|Portfolio|Visit|Our page)",
    "street": "(My|Our|Your|New|Office|Mailing|Private|Current|Delivery|Billing|Visiting) address|Street (and|&) (number|no.|house number)|(Street name and number|Street/no.|Address line|Address line 1|Street line|Living at|Resides at|Resident at|Visit us at|Find us at|Located at|"
              "Postal|Letters to|Mail to|Adr.|Addr)",
    "postcode": "Mail code|(Post|Postal|Zip) (no.|number)|(Postcode|ZIP) of (the |)(city|town)|(P. code|PC|P.C.|Zip/postcode|Postcode/ZIP|Postindex|ZIP/postal code|Zip number)",
    "city": "(My|Our|Home|Current|Present|New) (city|town)|(City|Town) of (residence|living)|(City name|Name of town|City/town|Town/city|City or town|Living in|Located in|Lives near|Resides in|Resident in|Comes from|Office in|Place of living|Hails from|At home in|Locality|Municipality|Village)",
    "birthday": "(My|Her|His) (birthday|date of birth)|(Date|Day) (born|of the birth)|(Birth day|Born (on|the)|Birth|D. of B.|Birthday date|Was born|Birthday on|When born|Celebrates on|Day of birth|B-day)",
}
