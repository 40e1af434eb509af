"""The properties, the clauses and the openings of anything.py."""
KEYS = """color size owner label brand model weight height width depth age speed level material shape code flavor author publisher language chapter score winner team coach species breed
habitat diet engine fuel seats doors year genre singer album length temperature humidity wind salary boss department floor room shelf box rank grade subject teacher ingredient
servings oven dose doctor symptom altitude country capital river mountain customer supplier quantity discount warranty condition amount price date deadline start end status type category version title
name number phone address city sender receiver driver route station stop distance duration rent deposit landlord tenant invoice account bank currency tax due medicine patient clinic ward recipe cook
drink dish table menu hotel guest nights check project task manager budget priority plan meeting speaker topic audience game player goal trainer club league result stadium car plate garage mileage
battery screen memory camera charger plant pot soil tree seed flower garden tool key lock door window lamp song band course school exam student class book page chapter film actor director
zone sector unit layer pressure voltage current power torque angle radius volume density hardness purity acidity texture pattern finish coating lining handle blade bearing valve pump filter sensor
antenna channel frequency bandwidth protocol port server folder format resolution contrast brightness shutter lens zoom tripod canvas frame ink font margin header footer draft edition volume issue editor
critic composer conductor soprano tempo rhythm chord instrument orchestra stage curtain costume makeup prop scene act plot hero villain ending sponsor partner founder auditor lawyer judge court verdict
clause witness contractor architect builder tile brick beam gutter chimney boiler radiator pipe socket fuse cable switch alarm camera guard fence gate hinge nursery cot pram vaccine allergy diagnosis
therapy surgeon nurse scanner sample lab assay reagent dilution residue yield harvest crop field barn tractor trailer herd flock feed shepherd kennel leash collar stable jockey odds stake payout premium
insurer broker client lease mortgage loan interest pension bonus shift overtime union vacancy referee umpire pitch court racket serve lap pace heat final medal record training rival mascot anthem
emblem motto colony border climate rainfall harbour ferry cargo captain crew deck cabin anchor mast rudder knots depth bait catch reel pilot runway hangar terminal lounge layover visa permit tariff
quota surplus shortage stockpile depot pallet courier parcel barcode receipt voucher coupon refund basket aisle cashier tip portion sauce spice topping crust filling glaze roast vintage cellar cork grape""".split()
OF = """main first second last new old home work second total final daily weekly monthly early late left right inner outer front back upper lower best worst local next previous current
original official private public maximum minimum average extra own big small net gross full short spare delivery billing contact person product order item user booking travel medical school
expected planned actual target initial nominal rated combined preferred required default suggested hourly yearly annual seasonal temporary permanent nearest farthest favourite secret working central
northern southern eastern western technical legal financial regional national internal external primary secondary rear top bottom summer winter weekend evening night morning emergency""".split()
ASKS = """Extract the {}.
Take the {} out of the text.
{} as JSON.
Fill in the {}.
Find the {} in this text.
Give me the {}.
Make an object of the {}.
What does it say about the {}?
Read the {}.
Get the data of the {}.
Note the {} down.
Describe the {}.
What do we know of the {}?
Extract all about the {}.
Which facts about the {} are there?
Fill the {} schema.
Make a record of the {}.
Which data of the {} is given?
Save what is said of the {}.
I need the facts on the {}.
Put the {} into the schema.
Summarise the {} as JSON.
Parse the {}.
Collect what belongs to the {}.
List what we learn of the {}.
The {}, please, as an object.
Enter the {} in the form.
Structure the text on the {}.""".split("\n")
CLAUSES = """The {key} is {value}.
The {key} (of the {thing} |)(is|was|will be|should be|must be|stays|became|seems to be) {value}.
{Key}: {value}.
{Key} {value}.
{Key}: {value}
{Key} = {value}
{Key} - {value}
(Its|his|her|my|our|their|your) {key} (is|was) {value}.
It (has|had|got|comes with|shows|needs) the {key} {value}.
It (has|had|comes with) (a|the) {key} of {value}.
As {key} we (have|took|chose|want|noted) {value}.
(With|by) (the |){key} {value}.
For the {key} (they|we|I|she|he) (said|took|chose|wrote|wanted|suggested) {value}.
{value} is the {key}.
{value} (was|is|will be) (its|the|our|their|my) {key}.
We (chose|took|picked|want) {value} (as|for) the {key}.
(They|she|he|I) (chose|took|picked|named|gave|wrote) {value} (as|for) (the|its) {key}.
It says {value} (for|under|as|beside) the {key}.
And the {key}? {value}.
(What about|how about|and) the {key}? (It is|that's|) {value}.
(I|we) (set|changed|put|fixed|moved) the {key} to {value}.
The {key} (changed|went|was changed|moved) from {other} to {value}.
The {key} is not {other} but {value}.
(Instead of {other},) {value} is the {key}.
The {key} used to be {other}, now it is {value}.
Under {key} (it says|I read|you find|stands) {value}.
(Regarding|about|concerning) the {key}: {value}.
{Key} (is|was) {value}.
(No|without any) doubt about the {key}, it is {value}.
(I think|I heard|they told me|as far as I know|it seems) the {key} is {value}.
The {thing} has {value} as (its |){key}.
The {key} (given|written|printed|listed|stated) (is|was|here is) {value}.
(Please |)(use|take|enter|note|write) {value} (as|for) (the |){key}.
(Listed|noted|given|stored) (as|with|under) {key} {value}.
(When|if) (they|you) ask for the {key}, (it is|say) {value}.
The {thing}'s {key} is {value}.
{key} -> {value}
{key}: {value};
"{key}" {value}
the {key}, {value}, (is fine|is known|is old|will do|came late).
(So|then|also|and|but|here) the {key} (is|was|becomes) {value}.
(Everyone|everybody|she|he) (knows|said|agrees) that the {key} is {value}.
The {key} (there|here|today|this time|in the end) (is|was) {value}.
(Compared with|unlike) the last {thing}, the {key} is {value}.
(Made|sold|seen|found|known) with {key} {value}.
(Official|correct|real) {key}: {value}.
(Nobody|who) (knew|checked) the {key}(, it is|? It's) {value}.
(You'll|you) (find|see|get) {value} (as|listed as|marked as) {key}.
{value} <- {key}
{value} - that is the {key}.
{value}, (the|its|our) {key}, (is new|was known|is not bad|matters).
(Wait|sorry|no), the {key} is {value}.
(The|our) {key} (turned out to be|was recorded as|has been set to|remains|would be) {value}.
(Choose|choosing|having) {value} (as|for) {key} (was right|was easy|took long).
(In the column|in the field|next to|beside|after) {key} (you see|stands|there is|it says) {value}.
(Someone|the clerk|my colleague|the seller) (filled in|typed|entered|put down|noted) {value} (as|for) the {key}.
The {key} (has always been|has long been|had to be|can only be|is going to be|is said to be|was meant to be) {value}.
(We|they|you) (agreed on|settled on|decided on|ended up with|went for|opted for) {value} (as|for) the {key}.
(Make|keep) the {key} {value}, (please|as agreed|if you can).
(I|we) (would like|need|suggest|propose|prefer|insist on) {value} (as|for) the {key}.
(According to|says|as stated by) the (label|sheet|manual|owner|report|sign), the {key} is {value}.
The (label|sheet|manual|report|sign|sticker|list) (gives|shows|names|has|lists|mentions|states) {value} (as|for) the {key}.
{value} (counts as|serves as|stands for|goes down as|was registered as|appears as) the {key}.
{value} (has been|had been|was once|remains|became|turned out to be) the {key}.
{Key}, (as you know|by the way|in case you ask|so far|at the moment|for the record): {value}.
{Key} ({value})
{Key} / {value}
{Key} | {value}
* {Key}: {value}
[{key}] {value}
<{key}> {value}
{key}={value}
#{key} {value}
{KEY}: {value}
{KEY} {value}
{Key} .... {value}
{Key}; {value}
{Key}? {value}!
{Key} ({thing}): {value}
{Key} of the {thing}: {value}
{thing}, {key}: {value}
That (is|was) {value} for the {key}.
(There is|we see|I noticed|they mention|it states) a {key} of {value}.
(A|any|the usual) {key} of {value} (was measured|is fine|will do|was found|is listed|was noted).
(Our|your|the) {thing} (goes|comes|arrives|is offered|was delivered|is known) with {value} as its {key}.
(Question|asked)? The {key}. (Answer|reply): {value}.
(Which|what) {key} (it has|is it|was it)? {value}.
(Once|before|last year) the {key} was {other}, (but now|today|since then) it is {value}.
The {key} was {other} (until|before) (we|they|she) (made it|changed it to|turned it into|set it to) {value}.
(It is|that's) {value}, not {other}, that (we have|they use|stands) as the {key}.
(First|at first) (I|we|they) (wrote|had|noted) {other} for the {key}, (then|but|later) (corrected it to|it became|changed it to) {value}.
(If|as|since) the {key} is {value}, (all is well|we can go on|nothing else changes|everyone is glad).
(Because|while|although) the {key} is {value}, (we kept it|it still works|nobody minds).
The {key} (will|should|is to) (change to|become|turn into|be) {value}.
(With|having) {value} as {key} (it|the {thing}) (sells well|runs fine|is complete).
(Don't forget|remember|keep in mind|mind) that the {key} is {value}.
(Could|can) you (set|put down|register|store) {value} as the {key}?
(Ask|tell) them the {key}: {value}.
(My|her|his|their) {thing} has {value} for (a |its ){key}.
The {key} they (use|have|gave|sent|wrote) is {value}.
The {key} (I|we|you) (wanted|asked for|ordered|got|need) (is|was) {value}.
(All|everything) (we know|they say) about the {key} is {value}.
{value}: so (reads|goes|runs) the {key}.
{value} it (says|reads) (under|next to|beside) "{key}".
{value} (under|as|for) {key}.
(Note on|entry for|value of|line for|box for) {key}: {value}.
The {key} (equals|reads|says|shows|states) {value}.
The {key} equals {value}, the rest (is unknown|comes later|is open).""".split("\n")
OPENINGS = """This is about the {thing}.
(Here is|this is|I found|I saw|we have|we got|look at) (the|a|our) {thing}.
(The|our|my) {thing} (is new|came today|was sold|is here|looks fine).
{Thing}
{Thing}:
Report on the {thing}
(Notes|a note|facts|data|file|card) (about|on|of) the {thing}
(Let me tell you|you asked|I wrote down something) about the {thing}.
(Everything|all|some things) about the {thing}:
(Record|sheet|entry|item): {thing}
Do you know the {thing}?
(Today|yesterday|last week) (I|we) (checked|measured|bought|looked at) the {thing}.
(Listing|advert|offer): {thing}
Form for the {thing}
(Profile|summary|overview|details) of (the|our) {thing}
(You wanted|they asked|here you get) the (facts|details) of the {thing}:
(Regarding|concerning|about) the {thing}
(Somebody|a friend|the shop) (sent|gave|showed) me the {thing}.
Label of the {thing}:
{Thing} - (facts|notes|summary)
== {thing} ==
(We|they) (tested|inspected|compared|received) the {thing} (today|again|last month).
(The {thing}|a {thing} like this) (needs|deserves) a few words.
What we (noted|learned|know) about the {thing}:""".split("\n")
