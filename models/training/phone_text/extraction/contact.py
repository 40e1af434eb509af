"""Contacts."""
from . import values
from .grammar import Domain, Field
from .values import same

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
    "name": Field("string", "name|full name|person|contact name|contact|who|name of person", "Name|Full name|Contact|Contact person|Person|Who|Sender|From|Attn|Customer|Signed|Responsible", lambda c, n, v: same(values.person(c))),
    "job": Field("string", "job title|job|role|position|title|occupation|profession", "Job|Role|Position|Job title|Title|Profession|Occupation|Function|Works as", lambda c, n, v: same(values.job(c))),
    "company": Field("string", "company|employer|organization|organisation|firm|company name|works at|business", "Company|Employer|Organisation|Organization|Firm|Co.|Business|Works at|Org", lambda c, n, v: same(values.company(c))),
    "phone": Field("string", "phone|phone number|telephone|tel|mobile|cell|contact number|mobile number|telephone number|number",
                   "Phone|Tel|Tel.|Telephone|Ph|T|P|Mobile|Cell|Mob|Phone number|Contact number|Call|Phone no.|Telephone no.|Number|Hotline|M", lambda c, n, v: same(values.phone(c))),
    "mobile": Field("string", "mobile|mobile phone|cell phone|mobile number|cell|cell number", "Mobile|Cell|Mobile phone|Cell phone|Mob.|Handy|M|Mobile no.|Cellphone", lambda c, n, v: same(values.phone(c))),
    "work_phone": Field("string", "work phone|office phone|office number|business phone|work number|work", "Office|Work|Work phone|Office phone|Desk|Direct|Phone (work)|Business|Landline (office)".replace(" (work)", " work").replace(" (office)", " office"),
                        lambda c, n, v: same(values.phone(c))),
    "home_phone": Field("string", "home phone|private phone|home number|landline|home", "Home|Private|Home phone|At home|Landline|Private number|House phone", lambda c, n, v: same(values.phone(c))),
    "fax": Field("string", "fax|fax number", "Fax|Fax no.|F|Telefax|Fax number|By fax", lambda c, n, v: same(values.phone(c))),
    "email": Field("string", "email|mail|email address|e mail|mail address|contact email", "Email|E-mail|Mail|Email address|E|eMail|Write to|Mail address|@|e-mail address", lambda c, n, v: same(values.email(c, v.get("name"), v.get("company")))),
    "website": Field("string", "website|web|homepage|url|site|web site", "Web|Website|Homepage|URL|Site|Online|www|Internet", lambda c, n, v: same(values.website(c))),
    "street": Field("string", "address|street|street address|home address|postal address", "Address|Street|Home address|Addr.|Lives at|Street address|Postal address|Where|Residence", lambda c, n, v: same(values.street(c))),
    "postcode": Field("string", "postcode|zip|zip code|postal code|plz", "Postcode|ZIP|Zip code|Postal code|ZIP code|PLZ|Post code|Code", lambda c, n, v: same(values.postcode(c))),
    "city": Field("string", "city|town|place|location|home town|residence", "City|Town|Place|Location|Home town|Lives in|Based in|Hometown", lambda c, n, v: same(values.town(c))),
    "birthday": Field("string", "birthday|birth date|date of birth|born|birthdate|dob|born on", "Birthday|Born|Date of birth|DOB|Birth date|b.|Bday|Geb.|D.O.B.", lambda c, n, v: values.past_date(c)),
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
(Our|The|My) new (colleague|neighbour|manager|doctor|dentist|landlord|tutor|plumber|trainer) is (called |){name}.
(Ask|Look|Call) for {name} (there|at the desk|).
(I got this from|this comes from|greetings from) {name}.
(Hello|Hi|Hey), this is {name}.
(Hi|Hey), {name} here.
Say hello to {name}.
(Yours|Cheers|Love|Thanks), {name}.
The (plumber|electrician|gardener|cleaner|babysitter|agent|vet) is called {name}.
For questions (ask|call|contact) {name}.
A (friend|cousin|colleague|neighbour|client) of mine is {name}.
{name} (gave|handed) me (a|this|her|his) card.
{name} joined us (last week|in spring|today).
My (neighbour|cousin|colleague|boss|flatmate) {name} left (this|a note).
You (asked|wanted|were looking) for {name}.
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
(Grew up|born) in {city}.
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
(New|senior|) {job} (there|here|now).
(Website|web|homepage|site|more at|see)(:|) {website}
(Look|have a look|more) (at|on|under) {website}.
(The|my|our) (website|homepage|site) is {website}.
{website} (has|tells you) (more|everything).
(Was|is) born {birthday}.
(Born|date of birth|birthday|born in|DOB)(:|) {birthday0}.
(The|my|her|his) (birthday|date of birth|birth date) is {birthday0}.
(Came|saw) (into the world|the light of day) {birthday}.
(Has|celebrates) (a |)birthday, born {birthday}.""", """{name}
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
{city} office""".replace(" (she/her)", ", she/her"), """Business card
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
