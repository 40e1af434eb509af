"""Contacts."""
from . import contact_phrasings, values
from .grammar import Domain, Field
from .values import same
from .wider import widen_contrasts, widen_domain

CONTACT = Domain("contact", """Extract the contact.
Take the contact out of the text.
Who is it? Fill in the contact.
Contact as JSON.
Give me the contact data.
Find the contact details.
Fill in the address book entry.
Turn this into a contact.
Read the contact out of this.
Which contact is in the text?
Make a contact of this.
Get the person and the details.
Please extract the contact details.
Save this as a contact.
Fill in the contact.
Contact please.
Whose details are these?
Who is this and how can I reach them?
New address book entry.
Read the business card.
Take the person's details from the signature.
How do I get in touch with this person?
Extract contact information.
Pull the contact details out of this message.
Person and phone number please.""", {
    "name": Field("string", "name|full name|person|contact name|contact|who|name of person|display name|first and last name|contact person|person name|name of contact|complete name|contact full name|name and surname",
                    "Name|Full name|Contact|Contact person|Person|Who|Sender|Attn|Customer|Signed|Responsible|Contact name|Surname and name|"
                    "Client name|Customer name|Name of the contact|Display name|Client|Owner|Name of client|Attention|Called|My name|Signed by|"
                    "First and last name|Written by|Point of contact|Applicant", lambda c, n, v: same(values.person(c))),
    "job": Field("string", "job title|job|role|position|title|occupation|profession|job name|function|trade|current position|current job|job role|works as|role at company",
                    "Job|Role|Position|Job title|Title|Profession|Occupation|Function|Works as|Job role|Current position|Trade|Post|Current job|"
                    "Employed as|Working as|Work|Line of work|Job name|Current role|Professional role|What she does", lambda c, n, v: same(values.job(c))),
    "company": Field("string", "company|employer|organization|organisation|firm|company name|works at|business|work place|employer name|company or organisation|org|workplace|works for|name of company|business name|current employer",
                    "Company|Employer|Organisation|Organization|Firm|Co.|Business|Works at|Org|Company name|Employed by|Employer name|Works for|"
                    "Business name|Workplace|Place of work|Institution|Agency|Current employer|Working for|Name of company|Name of the firm|"
                    "Employed at|Affiliation", lambda c, n, v: same(values.company(c))),
    "phone": Field("string", "phone|phone number|telephone|tel|contact number|telephone number|number|phone no|tel no|contact phone|main phone|call number|direct number",
                    "Phone|Tel|Tel.|Telephone|Ph|T|P|Mobile|Cell|Mob|Phone number|Contact number|Call|Phone no.|Telephone no.|Number|Hotline|M|mobile|"
                    "cell|mobile number|Phone nr.|Tel. no.|Reach me at|Dial|Ring|Call us|Contact phone|Main phone|By phone|Direct number|Call me on|"
                    "My number|Phone line|New number|Telephone number|Give us a call", lambda c, n, v: same(values.phone(c))),
    "mobile": Field("string", "mobile|mobile phone|cell phone|mobile number|cell|cell number|mobile no|mobile telephone|cellphone|smartphone|cellular|mobile contact",
                    "Mobile|Cell|Mobile phone|Cell phone|Mob.|Handy|M|Mobile no.|Cellphone|Mobile telephone|Smartphone|Mobile contact|Cell no.|"
                    "Private mobile|On the road|Mobile nr.|Cell number|Mobile number|My mobile|My cell|Cellular|Text to", lambda c, n, v: same(values.phone(c))),
    "work_phone": Field("string", "work phone|office phone|office number|business phone|work number|phone at work|office tel|desk phone|direct line|office line|company phone",
                    "Office|Work|Work phone|Office phone|Desk|Direct|Phone (work)|Business|Landline (office)|work|At work|At the office|Phone at work|"
                    "Direct line|Office no.|Work tel.|Office line|Desk phone|In the office|Company phone|Work line|Office telephone".replace(" (work)", " work").replace(" (office)", " office"),
                        lambda c, n, v: same(values.phone(c))),
    "home_phone": Field("string", "home phone|private phone|home number|landline|phone at home|home tel|private landline|home line|house phone",
                    "Home|Private|Home phone|At home|Landline|Private number|House phone|home|Phone at home|Home no.|Private line|Home tel.|Home line|"
                    "Private phone|Number at home|Home landline|Home telephone|Family phone", lambda c, n, v: same(values.phone(c))),
    "fax": Field("string", "fax|fax number|fax no|telefax|fax line|fax nr|facsimile",
                    "Fax|Fax no.|F|Telefax|Fax number|By fax|Fax line|Our fax|Send faxes to|Facsimile|Fax nr.|Faxes to|My fax|Fax to|Telefax no.|"
                    "Office fax", lambda c, n, v: same(values.phone(c))),
    "email": Field("string", "email|mail|email address|e mail|mail address|contact email|mail id|electronic mail|email id|e mail address|reply to",
                    "Email|E-mail|Mail|Email address|E|eMail|Write to|Mail address|@|e-mail address|Email to|Contact email|By mail|By email|Email us|"
                    "Reply to|Mail to|Inbox|Electronic mail|My email|Via email|Send mail to|Contact by email|Mailbox|Current email", lambda c, n, v: same(values.email(c, v.get("name"), v.get("company")))),
    "website": Field("string", "website|web|homepage|url|site|web site|homepage url|web page|web address|internet|website url|link|blog|internet address|home page",
                    "Web|Website|Homepage|URL|Site|Online|www|Internet|Web page|Web address|Visit us at|More at|Find us online|Link|On the web|"
                    "Website address|Internet address|Home page|See also|Our website|My site|Company website|Blog", lambda c, n, v: same(values.website(c))),
    "street": Field("string", "address|street|street address|postal address|street and number|street name|mailing address|address line|street line|house and street|contact address|street and house number",
                    "Address|Street|Home address|Addr.|Lives at|Street address|Postal address|Where|Residence|Street and number|Mailing address|"
                    "Address line|Living at|My address|Visit us at|Delivery address|Private address|Letters to|Resides at|New address|"
                    "Street and house number|Postal|Located at|Find us at", lambda c, n, v: same(values.street(c))),
    "postcode": Field("string", "postcode|zip|zip code|postal code|plz|post code|zip or postcode|zip number|postal number|area postcode|post number",
                    "Postcode|ZIP|Zip code|Postal code|ZIP code|PLZ|Post code|ZIP or postcode|Postal no.|Zip number|Post number|Postal number|"
                    "ZIP-Code|Mail code|P. code|Zip/postcode|Postcode of town|Post-code", lambda c, n, v: same(values.postcode(c))),
    "city": Field("string", "city|town|city name|town or city|locality|city or town|name of city|municipality|town name",
                    "City|Town|Place|Location|Home town|Lives in|Based in|Hometown|place|Residence|City name|Town or city|Home city|Living in|"
                    "City of residence|Resides in|Comes from|Located in|Locality|City/town|Lives near|At home in|Name of town|Office in|Hails from", lambda c, n, v: same(values.town(c))),
    "birthday": Field("string", "birthday|birth date|date of birth|born|birthdate|dob|born on|birth day|day of birth|date born|bday|birthday date|date of the birth",
                    "Birthday|Born|Date of birth|DOB|Birth date|b.|Bday|Geb.|D.O.B.|Birth day|Day of birth|Date born|Born on the|Was born|"
                    "Birthday date|Her birthday|His birthday|My birthday|B-day|D. of birth|Birth|Birthday on|When born", lambda c, n, v: values.past_date(c)),
}, ("name",), """This is {name}.
I (met|saw|talked to|spoke to|ran into) {name} (today|yesterday|last night|at the party|on the bus|).
(Please |)(save|add|note|store) {name} (to my contacts|in my phone|as a contact|).
{name} (wrote|called|emailed|texted) (me|us|) (today|yesterday|this morning|).
My name is {name}.
(My name's|I'm|I am|it's) {name} (by the way|and I'm new here|).
New contact: {name}.
(Here are|these are) the details of {name}.
{name} (has moved|moved|changed jobs|got a new number|has new details).
You can (reach|contact|get hold of) {name} (now|again|any time|).
(Kind|Best|Warm) regards, {name}.
(Our|The|My) new (colleague|neighbour|flatmate|boss|landlord|landlady|classmate|client) is (called |){name}.
(Ask|Look|Call) for {name} (there|at the desk|).
(I got this from|this comes from|greetings from) {name}.
(Hello|Hi|Hey), this is {name}.
(Hi|Hey), {name} here.
Say hello to {name}.
(Yours|Cheers|Love|Thanks), {name}.
The (lodger|host|neighbour|godmother|new girl|best man|landlady) is called {name}.
For questions (ask|call|contact) {name}.
A (friend|cousin|colleague|neighbour|client) of mine is {name}.
{name} (gave|handed) me (a|this|her|his) card.
{name} joined us (last week|in spring|today).
My (neighbour|cousin|colleague|boss|flatmate) {name} left (this|a note).
You (asked for|were looking for|wanted to know about) {name}.
Do you remember {name}?
Keep in touch with {name}.
(Have|did) you met {name}?
(Just|I just|we just) (hired|met|found|heard from) {name}.
(The one|the person|who) you need is {name}.
{name} is (the|your) (contact|person|one) (for this|to ask|you want).
(It was|it is) {name} who (called|helped|asked|wrote).
{name} will (help|look after|take care of) you.
(Don't|do not) confuse (her|him|them) with {x_name}, it is {name}.
{x_name} (told me about|introduced me to|recommended|knows|suggested) {name}.
(Instead of|not) {x_name}(,|) (please |)(write|talk|speak) to {name}.
(Signed|Sent|written) by {name}.
{name}, whom I (met|know) through {x_name}, (says hello|is nice).
(The tenant|the owner|the buyer|the guest|the patient|the applicant) is {name}.
{name} from {company} (called|wrote|is asking for you|stopped by|here).
(This is|here is|I'm|it's) {name} (from|of|at|with) {company}.
{name} (works|is working|has a job|started) (at|for|with) {company}.
{name} is (the |a |our |)(new |){job} (at|of|for) {company}.
{name}, {job} (at|of) {company}.
{name} is a {job}.
I work as (a |){job} (for|at) {company}.
(My|Her|His|Their) job is {job} at {company}.
{name}: {phone}.
{name}'s (number|phone number|mobile|new number|cell) is {phone}.
(Call|Ring|Text|Phone) {name} (on|at|under) {phone}.
(You can|please) (call|reach|ring|text) {name} (on|at|under) {phone}.
{name} (can be reached|is reachable|is available|answers) (at|on|under) {phone}.
(Write|Send a mail|mail) to {name} (at|under|:) {email}.
{name} (lives|is living|stays|resides) (in|near) {city}.
{name} (lives|is|moved|lives now) (at|to) {street}(,| in) {city}.
{name} (lives at|moved to|is now at) {street}.
{name} (was born|is born) {birthday}.
{name} (has|celebrates) (a |her |his |)birthday {birthday}.
{name}'s (birthday|date of birth) is {birthday0}.
{name} comes from {city}.
{name}'s (mail|email|email address|e-mail) is {email}.
(My|Her|His|The|Their) (number|phone number|new number|phone|telephone) is {phone}.
(Call|ring|text|phone|dial|try) (me |her |him |them |us |)(on|at|under|:|via) {phone}.
(You can|please|feel free to|just) (call|ring|text|phone) (me |her |him |us |)(on|at) {phone}.
(Reachable|available|to be reached) (by phone |)(at|under|on) {phone}.
Tel. {phone}
Phone {phone}.
(The|my|his|her) old number {x_phone} (is dead|no longer works|is gone|does not work any more), (use|take|call) {phone} (instead|now|from now on|).
(Not|no longer|forget) {x_phone}(,|) but {phone}.
{phone} is (the|my|her|his) (new |)(number|phone|phone number) (now|).
(And|by) phone(:|,|) {phone}.
(If anything comes up|in an emergency|if you get lost|for questions|when in doubt)(,|) {phone}.
(Mobile|cell|mobile phone|cell phone)(:| is|) {mobile}.
(On the road|when I'm out|outside)(,|) (use|call) (my|the) mobile(:|) {mobile}.
(Her|his|my|the) (mobile|cell|cell phone|mobile number) (number |)(is|:) {mobile}.
(At the office|at work|in the office|during office hours)(:|, call| it's) {work_phone}.
(My|her|his|the) (office|work|desk) (number|phone|line) (is|:) {work_phone}.
(Office|work): {work_phone}, (mobile|cell): {mobile}.
(Work|office) {work_phone}, home {home_phone}.
(At home|in the evening at home|privately)(:|, call| it's|) {home_phone}.
(My|her|his|the) (home|private) (number|phone|line) (is|:) {home_phone}.
Mobile {mobile}, home {home_phone}.
(Fax|the fax|our fax|fax number)(:| is|) {fax}.
(Faxes|documents) go to {fax}.
(Tel|phone) {phone}, fax {fax}.
(My|Her|His|The|Their) (mail|email|email address|mail address|e-mail) is {email}.
(Write|mail|email|send a mail|drop a line|send it|reply|answer) to {email}.
(You can|please|or) (write to|mail|use|email) {email}.
(Email|mail|e-mail|contact): {email}
(By|via) (mail|email): {email}
{email} is (the|my|her|his) (mail|address|email|email address).
(Questions|messages|photos|invoices|documents) (go|can be sent) to {email}.
(Phone|call) {phone} or (mail|email|write to) {email}.
(Best|reach me|contact) (at|via|:) {email} or {phone}.
{phone} / {email}
(Lives|living|is|stays|now) (at|in) {street}.
(The|my|her|his|our|their) (new |home |)address is {street}.
(The|my|our|her|his) (new |)address is {street}, {city}.
(Lives|living|resides|is) at {street} in {city}.
(Moved|has moved) to {street} in {city}.
(Letters|parcels|flowers|post) go to {street}, {city}.
(Letters|post) to {street}, {postcode} {city}.
(The|our|my|her|his) (office|flat|house|shop|studio|place) is at {street}(,| in) {city}.
(Address|home|office): {street}, {postcode} {city}.
(You find|find) (me|us|her|him|it) at {street}.
(Visit|see|come to) (me|us|her|him) at {street} in {city}.
(Used to live|lived) in {x_city} but (moved|is|went) to {city}.
(Is|comes|originally) from {city}.
(Lives|living|based|located|staying|at home|works) in {city}.
(Now|these days|since May|currently) in {city}.
(At home|a flat|the office) in {city}.
(The|my|her|his) (city|town|home town) is {city}.
(Home|home town|town) is {city}.
(Zip|zip code|postcode|postal code)(:| is|) {postcode}.
(In|of) {postcode} {city}.
(I|they|we) (used to live|lived) (at|in) {x_street} (before|until spring|back then).
(Works|is working|employed|now|new|hired) (at|for|by|with) {company}.
(The|my|her|his) (company|employer|firm) is (called |){company}.
(I'm|she is|he is|is) with {company}.
(Has a job|found work|starts) at {company}.
(Runs|owns|founded|manages|leads|sells things for) {company}.
(Left|quit) {x_company} (for|and joined|and is now at) {company}.
(He|she|I) (used to be|was) at {x_company}, now {company}.
(Office|desk|job) at {company}.
(Job|role): {job} at {company}.
(Works|working|employed|job) as (a |an |){job}.
(She's|he's|I'm|I am|is) (a|the|their|our) {job}.
(By trade|by profession|profession:) {job}.
(The|my|her|his) (role|title|position|job) is {job}.
(New |){job} (there|here|now).
(Website|web|homepage|site|more at|see)(:|) {website}
(Look|have a look|more) (at|on|under) {website}.
(The|my|our) (website|homepage|site) is {website}.
{website} (has|tells you) (more|everything).
(Was|is) born {birthday}.
(Born|date of birth|birthday|born in|DOB)(:|) {birthday0}.
(The|my|her|his) (birthday|date of birth|birth date) is {birthday0}.
(Came|saw) (into the world|the light of day) {birthday}.
(Has|celebrates) (a |)birthday, born {birthday}.
(Say hi to|meet|may I introduce|allow me to introduce)(:|) {name}.
(Everyone calls|people call|friends call) (me|her|him) {name}.
(You may|you can) call me {name}.
(It's|it is) me, {name}.
{name} (speaking|on the line|at your service).
{name} (is on|joins) the team.
{name} (sends regards|sends greetings|says thanks).
{name} (asked me to|wants me to) pass on these details.
(With thanks|gratefully|faithfully yours|with love from), {name}.
(Please |)(ask|look) for {name} (when you arrive|on site).
(The card|the envelope|the badge) says {name}.
(The name on the|on the) (door|card|badge|bell) is {name}.
(Make|create) a (new entry|contact) for {name}.
(Put|enter|write) {name} (into|in) (my|the) (address book|contacts).
{name} (needs to be|should be) in (my|the) (contacts|address book).
(The call|the message|the letter) (came|was) from {name}.
(Talk|speak) to {name} (about it|directly|first).
(Remember|do you know) {name}, the {job}?
(The|our) {job} is (called |){name}.
{name} (earns a living|works|makes a living) as (a |){job}.
{name} (was hired|has been hired|came to us) as (a |the |){job}.
{name} (quit|left) {x_company} and (joined|is with) {company}.
{name} (runs|owns|manages) {company}.
{name}, who is (with|at) {company}, (called|wrote).
{name} (represents|speaks for) {company}.
{name} (is staying|is based|has a flat) in {city}.
{name} (left|moved from) {x_city} (for|to) {city}.
{name} (picks up|answers) (at|under) {phone}.
{name} (reads|checks|uses) {email}.
{name} is at {street}, {postcode} {city}.
(Get|reach) {name} (by mail|by email) at {email}.
(Get|reach) {name} (by phone|by telephone) (on|at) {phone}.
Dial {phone} (and ask for|for|to reach) {name}.
{phone} (will get you|is|belongs to) {name}.
{name}: {phone}, {email}.
(Give|drop) (me|us|her|him) a (call|ring)(:|,| on) {phone}.
(The new one|the current number|the right number) is {phone}.
{phone} (is|would be) (best|the best number|the one to call).
(Her|his|my|the) (phone|telephone) rings (at|under) {phone}.
(Feel free to|you may|do) (ring|phone|call) {phone} (any time|at any hour|).
(In case|if) (of problems|you are late|there's trouble)(,|:) {phone}.
(We|they|I) (answer|take calls|pick up) (at|on|under) {phone}.
(Leave a message|text me|leave word) (on|at) {phone}.
(Texts|messages) (go|please) to (my|the) (mobile|cell)(:|,) {mobile}.
(I carry|she carries|he carries) (a|the) mobile(:|,| with the number) {mobile}.
(When I travel|when she travels|away from the desk), (the cell|the mobile) is {mobile}.
(My|her|his|the) cell (rings at|has the number) {mobile}.
(My|her|his|the) desk (phone|line) (rings at|has the number) {work_phone}.
(Weekdays|on working days|from nine to five)(,|:) (the office|the office phone) (is|answers at|on) {work_phone}.
(For the office|to reach the office)(,| dial) {work_phone}.
(Evenings|after work|at weekends)(,|:) (the home phone|the house phone|home) (is|on) {home_phone}.
(We have|there is) a landline at home(:|,) {home_phone}.
(If I'm at home|when at home)(,| try) {home_phone}.
(Fax it|send a fax|send it by fax) to {fax}.
(The|our) fax (machine|) (answers|is) (at|under|on) {fax}.
(Forms|signed copies) by fax(:| to) {fax}.
(Drop|send|shoot) (me|us|her|him) (a line|an email|a mail) (at|to) {email}.
(My|her|his|the) inbox is {email}.
(All|any) (enquiries|questions|mail) to {email}(, please|).
(I|she|he|we) (can be written to|read mail|get mail) (at|under) {email}.
(The best address|the quickest way) is {email}.
(For anything in writing|in writing|if you'd rather write)(:|,) {email}.
(Or|and) by (mail|email) (at|under|to) {email}.
{email} or {phone}, (both work|as you like).
(Pictures|opening hours|prices|the shop) (are|can be found) (at|on|under) {website}.
(Find|see) (me|us|it|her work) (online at|on the web at|at) {website}.
(Online|on the internet)(:|,| at) {website}.
(I|we|she) (keep|have|run) a (site|website|blog) at {website}.
(Drop by|come by|call in) at {street}.
(I|we|they) (live|reside|stay) (at|in) {street}.
(The door|the bell|the house) (to look for |)is {street}.
(Deliver|send|post|ship) (it|everything) to {street}.
(Deliver|send|post|ship) (it|everything) to {street}, {postcode} {city}.
(The house|the flat|her new place) is {street} in {city}.
(Since|from) (May|spring) (at|in) {street}, (before that|formerly) {x_street}.
(We|they|I) (live|are|stay) in {city}.
(A flat|an office|a house|family) in {city}.
(You'll find|find) (me|us|her|him) in {city}.
(Settled|registered|resident|located|to be found) in {city}.
{city} (is home|is where the office is|is the town).
(The|its) (zip|postcode|postal code) is {postcode}.
(And the|the) (zip|postcode)? {postcode}.
(It's|that's|the town is) {postcode} {city}.
(My|her|his) (business|workplace|new employer) is {company}.
(On the payroll of|employed by|hired by|in the service of) {company}.
(I|we) (represent|speak for|act for) {company}.
(Calling|writing) (from|on behalf of) {company}.
(Now|these days|currently) (at|with) {company}.
{company} (is the employer|is the firm|pays the wages|hired her).
(She|he) (makes a living|earns money|is known) as (a |an |){job}.
(A|the) {job} (by trade|by training|by profession).
(Trained|qualified|registered) as (a |an |){job}.
(I've|he's|she's) been (a|the) {job} for years.
(Her|his|my) post is that of (a |){job}.
{birthday0} (is the date of birth|is the birthday).
(The passport|the file|the form) says born {birthday}.
(Year and day|day) of birth(:| is) {birthday0}.
(The shop|the firm|the practice) has a (website|page|site)(:|,| called) {website}.
(Everything|all about us|the menu|the portfolio) (is|stands) (at|on|under) {website}.
(For more|for details|to learn more|for pictures)(,| see| go to| visit) {website}.
(Google|look up|open|check) {website}.
{website} (is where to look|has all you need|is the homepage).
(Visit|see|check out) (us|me|the shop) (online |)(at|on) {website}.
(On the web|on the net)(,| it's| you find) {website}.
(In the evening|after six|on Sundays)(,| it's| use| call| ring) (the home number|home|the house phone)(:|,|) {home_phone}.
(The|her|his|my) landline at home (is|has the number) {home_phone}.
(The family|the house) (answers|can be reached) (on|at|under) {home_phone}.
{home_phone} (rings at home|is the home number|is the private line).
(In private|outside work)(,|:) (ring|call|use) {home_phone}.
(The|her|his|my) (house|private) phone (rings at|has the number) {home_phone}.
(In office hours|on weekdays)(,|:| ring| call) {work_phone}.
{work_phone} (rings at the office|is the office number|is the desk phone).
(The|our) office (answers|can be reached) (at|on|under) {work_phone}.
(A letter|anything by post|a parcel) (reaches|finds|gets to) (me|us|her|him) at {street}.
{street} (is the address|is where to go|is where the post goes).
(The office|the new flat|the house|home) is (now |)at {street}.
(Go|come|drive|walk) to {street}(, please|).
(The postcode|the zip|the zip code) (of the town |there |)is {postcode}.
{postcode} (is the postcode|is the zip code|as a postcode).
(Use|write|mind) the (zip|postcode|zip code) {postcode}.
(You can|one can) find (me|us|her|him) in {city} (these days|now|).
{city} (has been home|is home) (for years|since May|now).
(The family|the office|the shop) (moved|has moved) to {city}.""", """{name}
{name}
{name}
{name}, {job}
{name} - {job}
{name} ~ {company}
{name}, {company}
{job}
{job}, {company}
{job} at {company}
{job} | {company}
{company}
{company}
{company}, {street}
{street}
{street}
{street}, {city}
{street}, {postcode} {city}
{postcode} {city}
{city}
{city} {postcode}
{city}, {postcode}
{phone}
{phone}
T {phone}
T: {phone}
Tel: {phone}
tel {phone} - {email}
{email} | {phone}
{phone} | {email}
{email}
{email}
<{email}>
mail {email}
{name} <{email}>
{name} {phone}
{website}
{website}
{email} - {website}
m {mobile}
M: {mobile}
Mobile {mobile}
o {work_phone}
Office {work_phone}
W: {work_phone}
H: {home_phone}
home {home_phone}
F: {fax}
Fax {fax}
f {fax}
b. {birthday0}
born {birthday0}
* {birthday0}
-- {name}
{name} (she/her)
{city} office
{name} / {company} / {job}
{name}, {phone}, {email}
{name}: {email}
{name}, {city}
{name}, {street}, {city}
contact: {name}
attn. {name}
c/o {company}
{company}: {name}
{company} - {phone}
{company} / {city}
{company}, {postcode} {city}
{job}: {name}
works as {job}
at {company}
{street} / {city}
{street}; {postcode}; {city}
lives in {city}
from {city}
address: {street}
{postcode} / {city}
ZIP {postcode}
phone {phone}
call {phone}
p: {phone}
{phone}; {email}
{phone} - {name}
mail: {email}
e: {email}
{email}, {website}
www: {website}
see {website}
mob. {mobile}
cell: {mobile}
mobile {mobile} / office {work_phone}
work: {work_phone}
at home {home_phone}
private: {home_phone}
by fax {fax}
fax: {fax}
birthday {birthday0}
DOB: {birthday0}""".replace(" (she/her)", ", she/her"), """Business card
Signature:
Address book
Contact
New contact
Lost and found
Team page
Imprint
Staff list
Card found in the drawer
vCard
Members
From the class list
Our office""", """Please save this.
Can you add that to the address book?
Keep this somewhere safe.
Write it down, please.
That's the new one.
Delete the old entry, please.
Don't share it.
That is all I have.
So now you have everything.
Call any time.""", share=1.2, clash=(("phone", "mobile", "work_phone", "home_phone"),))
widen_domain(CONTACT, contact_phrasings.SENTENCES, contact_phrasings.LINES, contact_phrasings.LABELS, contact_phrasings.CLASSES)
widen_contrasts(CONTACT, {"street": ("street", "|at |in "), "city": ("city", "|in "), "company": ("company", "|at |with "), "phone": ("phone", "|under ")})
