"""How messages about parcels say their facts. What a sentence tells about how far the parcel is, it tells with {status}: a parcel that was sent may be
late, but none that is on its way was delivered."""
from ..split import worded

_WORDS = dict(
    parcel="parcel|package|shipment|delivery|consignment|packet",
    It="It|The parcel|Your parcel|Your package|The shipment|Your delivery|Your order|The box|Everything|My parcel|The packet|This one",
    it="it|the parcel|your parcel|the package|your delivery|the order|the box|my package|the packet",
    comes="comes|arrives|will come|will arrive|should arrive|will be delivered|gets here|will be here|lands|turns up|is expected|reaches you|will reach you|should be here|is due|shows up|is supposed to come",
    brings="brings|delivers|will bring|will deliver|drops off|will drop off|carries|transports|handles|drives|hands over|will hand over",
    code="number|code|ID|id",
    shopped="ordered|bought|purchased|got|picked|chose|paid for|found|treated myself to|wanted",
)

SENTENCES = worded("""Your (parcel|package|shipment|delivery|item) {number} (will be with you|is meant for you|has your name on it|was registered|is in our system|will need a signature).
(Parcel|Package|Shipment|Delivery|Consignment) {number} (was sent|is for you|is with us|has been registered|will come).
We (have |)(sent|posted|shipped|dispatched|packed) (your parcel |)(|it: |as ){number}.
(Tracking number|tracking code|tracking|parcel number|shipment number): {number}.
The (code of the parcel|number on the slip|tracking no.|number to follow it with) is {number}.
(Good|great) news: {number} is (yours|registered|here soon).
Please note the tracking (code|number) {number}.
Dear customer, {number} has left the house.
(You can|please|to) (track|follow) (it|your parcel|the shipment|) (with|under|using) {number}.
(Follow|track) your (parcel|package|order) with (the number |code |){number}.
{number} (will be with you soon|is your tracking number|is the number of your parcel).
(News|an update) (of|on|about) your (parcel|package) {number}.
(It|the parcel) (has|carries|got) the (number|code|tracking number) {number}.
(We are|our driver is) bringing {number}.
(The|Your|Our|Its|The new|My) (tracking|parcel|package|shipment|consignment|waybill|airwaybill) <code> (is|reads|will be|has become|stays|starts as|turned out to be) {number}.
(This is|Here is|Here's|I have|I've got|They gave me|They sent me|We send you|You'll need|Note down|Write down|Please keep|Please quote|Don't lose|Save|Copy) (the|your|its) (tracking|parcel|package|shipment) <code>(:|, it is| -|) {number}.
(This|The|My) (mail|message|note|text|notice|call) (is about|concerns|refers to|belongs to|has to do with) (your |the |)<parcel> {number}.
(Regarding|Concerning|About|As to|With regard to) (your |the |my |)<parcel> {number}(:|, a short note.|, please read on.|)
(With|Using|Under|By means of) {number} you (can|may|will be able to) (track|follow|find|look up|trace|watch) <it>.
(Type|Enter|Paste|Put|Fill in) {number} (into|in) (the app|the search box|our website|the tracking page|the box above) (to see where it is|to track it|to follow your parcel|and you know more|).
{number} (is what you need to track it|is the number on the label|is what it says on the label|is how you track it|belongs to your parcel|is printed on the box|is what the courier calls it|is under your name).
(The label|The sticker|The slip|The card|The receipt|The app) (says|shows|has|reads|gives) {number}(, that's the tracking number|, which is the parcel's number| as the tracking number| as the number of the parcel).
(Any news of|Do you know anything about|Can you find out about|Where is|What happened to|Could you check|Can you trace|I'd like to complain about|I have a question about) (the|my|our) <parcel> {number}(?|, please.|)
(I'm|We are|Somebody is) (waiting for|expecting|looking for|asking about|tracking) (the |my |)<parcel> {number}.
(It was |It is |)(registered|scanned|logged|filed|listed|entered|recorded) (as|under|with) (the number |tracking number |){number}.
(Track|Follow|Check|Look up|Trace|Watch) <it> (online|in the app|on our site|on the way|) (with|by|using|under|via) (the number |the code |){number}.
(The courier's number|The number of the parcel|The code on the box|The number of the shipment|The way to track it)(, by the way,|) is {number}.
(Parcel|Package|Shipment) no. {number} (was scanned|was handed in|was registered|was announced|belongs to you).
(Somebody|The warehouse|The shop|My colleague) (gave|assigned|sent) (it|me|us|you) the (tracking number|parcel number|tracking code) {number}.
Your parcel {number} {status}.
(Parcel|shipment|package) {number} {status}.
{number} {status}.
Your parcel {number} from {sender} {status}.
Your (parcel|order|package) (from|of) {sender} {status}.
The (shipment|delivery|consignment|packet|whole order) {status}.
(It|This box|the item|everything|The whole lot) {status}.
(Update|status|news): (your parcel|it|the shipment) {status}.
(We|I) (regret|are happy|want|wanted|have|are glad|am glad) to (tell you|say|inform you|report|let you know) that <it> {status}.
(Latest|Current state|Last scan|As of now|At the moment|Right now|Just now|According to the app|The app says|Tracking says|They say|I just saw|I hear)(:|,|) <it> {status}.
(Our|The|My) (parcel|package|order|box) {status}(, they say|, it seems|, according to the courier|, I was told|, the website says|).
<It> (from|by|of) {sender} {status}.
(Order|Your order|The order|Purchase) {order} {status}.
(Your|The|My|Our) {content} {status}.
(Did you know that|Have you heard that|Good to know:|Just a note that|For your information,) <it> {status}(?|, finally.|)
{carrier}(: | says: | writes: | reports: | tells you: )<it> {status}.
(The parcel for|The box for|The delivery for) {recipient} {status}.
{carrier}: your (parcel|package|shipment) {number} (arrives|comes|will be delivered|will come) {date}.
{carrier}: (parcel|package|shipment) {number} {status}.
{carrier} (will bring|is bringing|delivers) (your parcel|parcel|package|shipment) {number} {date}.
{carrier} (will deliver|brings|delivers|is bringing) (it|your parcel|the package) {date}.
{carrier} (comes|will come|delivers) {date} between {time} and {end}.
(Your parcel|it|the package) (comes|arrives|will arrive|will be delivered) {date} between {time} and {end}.
(Your parcel|it|the delivery) (comes|arrives|is planned) {date} {span}.
(Our driver|the courier|the van) (comes|will be there|rings) between {time} and {end}.
(Time window|window|delivery window|time): {span}.
(From|after|not before|earliest) {time}.
(Until|at the latest|latest|no later than) {end}.
(Expect|Await|Look out for) (us|the driver|the courier|the van|it|your parcel|the delivery) (any time |at some point |) between {time} and {end}.
(Somebody|Someone|You|A neighbour) (must|should|has to|needs to|ought to|will have to) be (at home|in|there|home|at the door) (between {time} and {end}|from {time} until {end}|from {time} to {end}).
<It> <comes> (between {time} and {end}|after {time} and before {end}|not before {time} and not after {end}|from {time} on and by {end} at the latest).
(We|They|The driver) (ring|will ring|come by|will come by|deliver|will be with you|get to you) (between {time} and {end}|after {time} but before {end}).
(Delivery|The delivery|Our van|The courier) (starts|begins|sets off|leaves) at {time} and (ends|is over|is done|finishes) (at|by) {end}.
(The slot|Your slot|The window|The time slot|Delivery time|The delivery window|Your hours) (is|will be|was set to|runs) {span}.
(The slot|Your slot|The window|The delivery window) (opens|begins|starts) at {time} and (closes|ends|shuts) at {end}.
{span}(, that is when we come|, that's the time window|, be at home then|, somebody will ring|, the driver said).
(He|She|The driver|The courier|The van|The postman|The delivery man) (won't come|will not be here|can't come|isn't due|won't ring) before {time}.
(The driver|The postman|We|They|The van) (comes|come|will come|will be there|will ring|rings) (after|from) {time}(, not earlier|, no sooner| at the earliest| on|).
(The driver|The courier|We|They|The van) (will be gone|will have been there|will be finished|ought to be there|will have delivered it) (by|before) {end}.
(With|via|by|shipped with|sent with) {carrier}.
(The|your|our) (carrier|courier|delivery service|shipping company) is {carrier}.
(It|the parcel) (is in the hands of|travels with|comes with|was handed to|is now with) {carrier}.
(Delivered|transported|brought) by {carrier}.
(The van of|our partner|a driver of) {carrier} (has it|brings it|will ring).
{carrier} (brings it|will deliver it|has your parcel|is the courier|picked it up|got it this morning).
(Handed|given|passed) (over |)to {carrier}.
(Not|no longer) {x_company} (but|, this time) {carrier} (delivers|brings it).
(Sent|shipped|ordered|bought|packed) (by|at|from) {sender} (and handed to|via|with) {carrier}.
<It> (is carried|is transported|is handled|will be delivered|will be brought|gets delivered|is looked after|was taken over) by {carrier}.
<It> (comes|travels|goes|will come|will travel|gets to you|ships) (with|via|through|by) {carrier}.
(We|They|I) (use|chose|picked|work with|ship with|hired|booked|rely on|always ship with|went for|decided on|prefer) {carrier} (for this|for it|for the delivery|this time|as the courier|for the transport).
{carrier} (is the|will be the|is our|is your|was picked as the) (carrier|courier|delivery service|parcel service|haulier|shipping company|delivery company).
{carrier} (handles|takes care of|does|is in charge of|is responsible for|looks after|sees to) (the|this|your) (delivery|shipment|transport|shipping|parcel).
(Delivery|Shipping|Transport|The delivery|Shipment) (is |will be |)(by|with|via|through|done by|handled by) {carrier}.
(Expect|Look out for|Wait for|Watch for|Open the door for) (the|a) {carrier} (driver|van|courier|man|truck).
(The|A) {carrier} (driver|van|courier|truck|man) (will ring|rings twice|will come to your door|will call you|brings it|will hand it over).
(Which courier is it|Who brings it|Who delivers it|Which carrier|By whom)? {carrier}(, I think|, as always|, of course|).
(Ask|Call|Contact|Phone|Write to|Complain to) {carrier}(, they deliver it|, they bring the parcel|, who deliver it|, the courier,|, they are the carrier).
(The driver|The courier|The man with the box|The delivery man) (is from|works for|comes from|drives for) {carrier}.
(I|we|They) (gave|handed|passed|entrusted|took) <it> to {carrier}.
{carrier} <brings> <it>.
{carrier} <brings> (the shipment|your order|everything|the box|my delivery|the packet) {date}.
{carrier} <brings> <it> (between {time} and {end}|{span}).
{carrier} <brings> <it> to {address}.
(From|sender:|sent by|packed by|it comes from) {sender}.
(You|I) (ordered|bought) (it |)(at|from) {sender}.
(You|I) ordered {content} (at|from) {sender}.
(Thank you|thanks) for (shopping|your order|ordering|buying) (at|from) {sender}.
(Greetings|many thanks|love) from {sender}.
The (sender|shop|seller|store) is {sender}.
{sender} (has packed|has sent|sent|shipped|dispatched|is sending) (it|your order|your parcel|the goods).
{sender} (has sent|sent|shipped|is sending) (you |){content}.
{sender} (says thank you|wishes you a nice day|team).
Your (team at|friends at) {sender}.
Your {sender} (team|order|parcel).
(I|We|You) <shopped> (it|this|that|everything) (at|from) {sender}.
(I|We|You) <shopped> {content} (at|from) {sender}.
(Your|My|Our|The) (order|purchase|shopping) (at|from|with) {sender} (went through|was received|is complete|was a success|has been processed|is being prepared).
{sender} (is|was) the (shop|seller|sender|store|merchant|retailer|vendor).
{sender} (sold it|sold it to me|has it in stock|packed it|put it in the post|thanks you|sends it|mailed it|says it went out|wrapped it up).
<It> (was packed by|was packed at|was bought at|is a purchase from|originates from|was sold by|was mailed by|was sent off by|was ordered from) {sender}.
(The people at|The nice folks at|The crew at|Somebody at|The warehouse of|The shop of) {sender} (packed it|sent it|wrapped it|put it in the post|got it ready).
(Did you order|Have you bought|Did you buy|Are you expecting) (something|anything|a parcel|a box) from {sender}?
(We|They) at {sender} (hope you like it|thank you|packed it with care|wish you fun with it|have processed your order).
(This|That) is (the parcel|the order|something|a box|your order) from {sender}.
(A|The|This) (parcel|box|package|present) from {sender} for {recipient}.
Your {sender} order {order} (is confirmed|was shipped|is complete|is packed).
(Your|the) order {order} (is confirmed|was shipped|is complete|has been sent|is packed|left us).
(Order|order number|order no.|your order): {order}.
(The|your) (order number|order id|order code) is {order}.
(We have|we) (received|got|packed|shipped) (your |)order {order}.
(It belongs|this belongs|it refers) to order {order}.
(Order|your order) {order}, (parcel|tracking|tracking number) {number}.
(The|Your|Our|My) (order|purchase|order reference) (number|id|code|no.) (is|was|reads|will be) {order}.
(In|For|About|Regarding|Concerning|As to) (your |my |our |the |)(order|purchase) {order}(:|, some news.|, thank you.|)
(Your|My|The) (order|purchase) (has|got|carries|runs under|is filed under|was saved under) (the number |number |){order}.
(Please |)(quote|mention|give|name|state|have ready|tell us) (your |the |)(order number|order|order id) {order} (when you call|when you write|if you have questions|in any mail|).
(We|They|I) (confirm|confirmed|accepted|processed|booked|paid|placed|checked|noted) (your |the |my |)order {order}.
(Thanks|Thank you|Many thanks) for (your |)order {order}.
{order} (is the order number|is your order number|is what I ordered under|is the number of the order|was the order|is the reference of your order).
(Belongs|It goes|Part|The first part) (to|with|of) order {order}.
<It> (belongs to|is part of|contains|completes|is for) order {order}.
(For|to|recipient:|addressed to|it is for|goes to) {recipient}.
(Dear|hello|hi) {recipient}, your (parcel|order|package) (was packed|is registered|was sent).
(The|our) (recipient|customer|addressee) is {recipient}.
(Please |)(deliver|hand|bring|give) it to {recipient}.
{recipient} (gets it|will get it|ordered it|is the recipient|is waiting for it).
{recipient}, {address}.
<It> (is addressed to|is meant for|will be handed to|must be given to|is intended for|has to go to|belongs to) {recipient}.
(The label|The box|The sticker|The address) (says|names|reads|is made out to) {recipient}.
(It has|There is|It bears) the name {recipient} on it.
{recipient} (must sign|has to sign for it|will sign|takes it|can accept it|is the one who gets it|is the addressee|should receive it|will open the door|lives there).
(We|They|The courier) (will hand|hand|give|deliver|bring) it to {recipient}(, nobody else| in person| only|).
(Ask for|Look for|Ring at|The bell says|Call at) {recipient}, (who gets it|the recipient|it is for them).
<It> (is going|will be taken|will go|travels|should go|has to go|will be carried) to {address}.
<It> (goes|is going|will be taken|should go) to {recipient}(, {address}| at {address}| in {address}).
(Goes|is sent|will be delivered|will be brought|we deliver|delivery) to {address}.
(The|our|your) (delivery |shipping |)address is {address}.
(To|delivery to|address:|drop it at|brought to) {address}.
(Delivery|it goes) to {recipient}, {address}.
(I|we|you|they) (live at|are at|entered|gave|wrote|gave us|typed|have on file) {address}(, that's where it goes|, please deliver there|, so it goes there| as the address| as the delivery address).
(Please |)(bring|deliver|take|send|ship|drive|carry) (it|the parcel|the box|everything) to {address}.
(The|Our) (driver|courier|van|postman) (comes|goes|drives|heads|will come) to {address}.
{address} (is the address|is where it goes|is where we deliver|is the destination|is what's on the label|is on the label).
(On the label it says|The label reads|It is addressed to|It will be dropped at|We have the address|The destination is|Its destination is|The place to deliver to is) {address}.
(It|the parcel|your order|the delivery|everything) (arrives|comes|will arrive|should arrive|should be there|will be there|is expected|will come) {date}.
(You|you will|you'll|we) (get it|have it|receive it|deliver|bring it) {date}.
(Expected|arrival|delivery|estimated delivery|planned delivery|delivery date|arrives|due|ETA)(:|) {date0}.
(Please |)be (at home|in) {date}.
(The|our) (courier|driver|postman|van) (comes|will come|will ring|rings) {date}.
(Sent|ordered|shipped|posted) {x_date}, (arrives|arriving|expected|comes) {date}.
(It was ordered|we sent it|it left us) {x_date} and (should come|arrives|will be there|comes) {date}.
(Instead of|not) {x_date}(,|) (it comes|it will come|we deliver) {date}.
(Sorry, the delivery|unfortunately it|the parcel) (moves|was moved|is moved|slips) from {x_date0} to {date0}.
{date} (it will be with you|you get it|is the day).
<It> <comes> {date}.
<It> <comes> {date}(, at {address}| at {address}| in {address}).
(You|We|I) (can|may|should|might|could) (expect|await|look forward to|count on|welcome|have|hold) <it> {date}.
(You|We|I) (will|should|are going to|ought to) (get|receive|have|be given|see|unpack|hold) <it> {date}.
(We|They|You) (promise|plan|have planned|have scheduled|intend|arranged|hope for) (delivery|the delivery|to deliver|to come|to bring it) {date}.
(The|Your|Our) (delivery|arrival|drop-off|parcel) (is|was) (scheduled|planned|set|booked|arranged|promised|estimated|announced) for {date0}.
(Delivery day|The day of delivery|The day of arrival|Arrival date|The estimated date|The expected date|The date they gave me) (is|will be|should be|was given as) {date0}.
(When does it come|When will it be here|When can I expect it|When is it due|Which day)? {date0}(, they say|, I think|, says the app|).
{date} (we deliver|we will ring|somebody will ring|the van comes|it should be here|the courier brings it|your parcel comes|they want to deliver it|I should get it).
(Will|Can|Could|Would) (you|anybody|someone|somebody) be (at home|in|there|at the door) {date}?
(Ordered|Sent|Posted|Packed|Bought|Paid) {x_date}, (due|to be delivered|delivery|to arrive|it should come) {date}.
(Let|Have) somebody (be in|wait|be at the door|stay home) {date}.
(They|The courier|The shop) first said {x_date0}, (but now it is|now they say|and now it's) {date0}.
(No delivery|They won't come|Nobody comes) {x_date}, (but|only|rather) {date}.
(Inside|content|contents|item|in the box|packed|product)(:|,) {content}.
(It|the box|the parcel) (contains|holds|has) (a |){content}.
(You|you have|I|we) (ordered|bought) (a |the |){content}.
(Your|the) {content} (was shipped|has been sent|will arrive soon|left our shop).
(The|your) {content} (from|by) {sender} (was packed|was shipped|will come).
(The|your) {content} (will arrive|arrives|comes|will be delivered) {date}.
(It is|it's|there is|inside is) (a |the |){content} (in it|inside|).
(Article|product|goods): {content}, {price}.
(You get|we packed|we sent) (a |){content}.
{content} for {price}.
(I|We|You|They) <shopped> (a |the |){content}(, remember| last week| online| at last|).
(The|My|Your|Our) {content} <comes> {date}.
(I'm|We're|Everybody is) (waiting for|looking forward to|expecting|excited about) (the |my |your |){content}.
(The item|The article|The product|The content|What I bought|What's inside|What you ordered|The thing in the box|What we sent|What they packed) (is|was) (a |the |){content}.
(In the box|Inside|In the parcel|In it|In the package) (is|you will find|you find|there is|lies|I found|should be|sits) (a |the |your |){content}.
(We|They|I) (packed|wrapped|put in|sent off|enclosed|boxed up) (a |the |your |){content}.
(A|The|My) {content} (is in the box|is inside|is in the parcel|is what you ordered|is what I bought|is in there|is what's in it).
(It|The box|The package) (should|must|will|is supposed to) (contain|hold|have) (a |the |){content}.
(It's|It is) the {content} (I ordered|you ordered|we wanted|from my birthday list|you asked for|I told you about).
(Did|Do) you (order|want|expect|buy) (a|the) {content}?
{count} (parcels|packages|boxes|pieces) (in all|were sent|belong to it).
(We sent|you get|there are|expect) {count} (parcels|packages|boxes|pieces).
(In|it comes in) {count} (boxes|parcels).
(It|The order|Everything|Your order|The delivery) (is|was|comes|will be|had to be|is going to be) (split|divided|shipped|packed|spread) (into|in|over|across) {count} (parcels|boxes|packages|pieces|packets).
(The|Your) (order|shipment|delivery|consignment) (consists of|is made up of|has|counts|comprises|fills|comes as) {count} (parcels|boxes|packages|pieces|packets).
(The driver|The courier|He) (has|brings|will bring|carries|unloads|hands over|packed) {count} (parcels|boxes|packages|packets) (for you|altogether|in total|this time|).
{count} (boxes|parcels|packages|packets) (belong together|make up the order|are needed|will come|have to be signed for|altogether|is what we counted).
(How many parcels|How many boxes|The number of parcels|Number of boxes)(?|:| is) {count}.
(You paid|you pay|please pay|we charged|that makes|to pay|paid)(:|) {price}.
(The|your) (total|price|bill|sum|order total|amount) is {price}.
(Total|sum|amount|price|cost|order total|value)(:|) {price}.
(It|the order|everything) (costs|cost|comes to) {price} (in all|including shipping|).
(Shipping|postage) (was|is|costs) {x_price}, (the total is|total|in all) {price}.
{price} (were paid|have been paid|are due|by card).
(I|We|You) (paid|spent|gave|put down|have to pay|owe|still owe|transferred|settled) {price} (for it|for this|for everything|in all|for the order|altogether).
(The goods|The whole order|The whole thing|All of it|The thing|That|The parcel) (costs|cost|comes to|came to|is worth|amounts to|adds up to|was|totals|set me back|is insured for) {price}(, shipping included| with tax| altogether| in all|).
(The|Your|My|Our) (card|account|bank|credit card) (was|has been|will be) (charged|debited) (with |){price}.
{price} (is the total|is what you pay|is what it cost|is due at the door|has to be paid|was taken from your account|is the price|including postage|was the bill|is what I paid).
(The driver|The courier|The postman) (collects|wants|takes|will ask for|has to collect) {price} (at the door|in cash|from you|).
(Have|Keep) {price} (ready|in cash|at hand) (for the driver|for the courier|at the door).
(The|Your) (invoice|payment|charge|receipt|purchase price|balance|invoice total|grand total) (is|was|shows|says|comes to) {price}.
(Before postage|Without shipping) it was {x_price}, (with it|all together|in the end you pay|now the total is) {price}.
(It|the parcel|the box) weighs {weight}.
(Weight|gross weight)(:|) {weight}.
(A|about|heavy:|it's) {weight} (parcel|box|in all|).
<It> (weighs|has|weighs in at|comes to|tips the scales at|is about|is|should weigh|must weigh) {weight} (in weight|altogether|on the scales|in all).
(The|Its) (weight|gross weight|scale|shipping weight|mass) (is|says|shows|was|reads) {weight}.
(It|The box|The thing) is (heavy|light|not light|quite heavy), {weight}(, they say| to be exact| all in all|).
(With|At) {weight} it is (heavy|light|not heavy|too heavy for me|just fine).
(Careful|Attention|Watch out|Mind your back), {weight}!
{weight} (is what it weighs|is the weight|heavy|have to be carried|on the scales).
(Pick it up|collect it|you can get it|it waits for you|it is) (at|in|from) {pickup}.
(We left|I left|left|we put|deposited) it (at|in|with) {pickup}.
(Pickup|pickup point|collection point|parcel shop|safe place)(:| is) {pickup}.
(Come to|Go to|Walk over to|Drop by|Stop by at|Call at|Head to|Drive to) {pickup} (to collect it|to pick it up|to get it|and collect it|and get your parcel|with your ID).
(It|The parcel|The box) (has to be|can be|may be|must be|should be) (collected|picked up|fetched) (at|from) {pickup}.
(We|They|The driver|The courier|He) (left|put|dropped|deposited|stored|hid|placed|took) <it> (at|in) {pickup}.
(It|The parcel|Your box|The package) (lies|is kept|is stored|sits|was left|was dropped off|is lying|has been put) (at|in) {pickup}.
(The|Your|Our) (pickup place|collection point|pickup point|parcel shop|place to collect it|drop point) (is|was changed to|will be) {pickup}.
{pickup} (is where you can get it|is where it was left|is where to collect it|is the pickup point|keeps it for you|has your parcel|is where I left it).
(Nobody was in|You were out|No one opened), so (it is|it was left|we left it|they left it|you find it) (at|in) {pickup}.
(I'll|We'll|Can you|Could you|You have to|Please) (pick it up|collect it|get it|fetch it) (at|from) {pickup}.
(The|your) (PIN|pickup code|collection code|locker code) is {pin}.
(Show|use|enter|you need|mention) (the code|code|PIN|the PIN) {pin}.
(PIN|pickup code|code for the locker)(:|) {pin}.
{pin} (opens the locker|is your pickup code|is the PIN).
(The locker|The box|The door|The compartment|The parcel station) (opens|unlocks|will open|can be opened) (with|by|using|if you type) (the code |code |the PIN |){pin}.
(To open it|To open the locker|To collect it|For the pickup|At the counter|At the locker|To get it)(, |: )(enter|type|use|show|say|give|key in|you need|present) (the code |the PIN |code |PIN |){pin}.
(Type|Key in|Punch in|Tap in|Give them|Show them|Present|Scan|Bring) (the code |the PIN |){pin} (at the locker|at the counter|to open it|to get it|to collect it|when you pick it up|and the door opens).
(Your|The|My) (PIN|code|secret code|password|access code|unlock code|opening code) (for|to|of) (the locker|the pickup|the parcel station|collecting it|the parcel box) (is|reads|:) {pin}.
{pin} (is the code for the locker|is what you type at the locker|unlocks it|is the secret code|lets you collect it|is the code to pick it up).
(Don't share|Keep|Remember|Don't forget|Write down) (the pickup code|the PIN|your PIN|the locker code|the collection code) {pin}.
{recipient}(, your|: your|, the) (parcel|package|delivery) {number} <comes> {date}.
{sender}: (your |)order {order} <comes> {date}.
(Your|The) {content} from {sender}, {price}.
{carrier} {number}, (due|expected|arriving|ETA) {date0}.
(I|We) <shopped> {content} for {price} (at|from) {sender}.
(Parcel|Package|The box) for {recipient}, (to be brought|to be delivered|going) to {address}.
(He|She|We|They|The driver|The courier|Somebody) (will|would|could|can|should) (ring|be here|be there|deliver|come) (at {time} at the earliest|no earlier than {time}|any time after {time}|from {time} on|not before {time}).
(Don't expect|Don't wait for) (the driver|the courier|it|us|them) before {time}.
(Be|Stay|Please be|You should be|Someone should be) (at home|in|there) (from|after|starting at) {time}(, please| on|).
{time} (is the earliest|at the earliest|is when the window opens|is when the slot starts|or later|is when they start).
(The earliest|The beginning|The first possible time|The start of the window) (is|would be) {time}.
(Delivery|They deliver|We deliver|The courier comes) (starts|starting|not before|only after|from) {time}.
{end} (is the latest|at the latest|is when the window closes|is when the slot ends|is when they stop|or earlier).
(Be|Stay|Please be|You should be|Someone should be) (at home|in|there) (until|till) {end}(, please|).
(The latest|The end|The last possible time|The end of the window) (is|would be) {end}.
(He|She|We|They|The driver|The courier) (will|should|would|must) (ring|be here|be there|deliver|come) (by {end} at the latest|no later than {end}|before {end}|some time before {end}).
If (nobody rings|nothing comes|the driver isn't there|you hear nothing) (before|by) {end}, call us.
(Tell|Give|Read out) (the man at the counter|the shop|the clerk|them|the lady|the driver) (the code|the PIN|PIN|code) {pin}.
(We|They|I|The courier) (sent|gave|texted) (you|me) (the PIN|the pickup code|the locker code|the code for the locker)(:|,| -) {pin}.
(You will be asked|They ask|The locker asks|The screen asks) for (a code|the PIN|the pickup code)(:|, it is|; enter) {pin}.
(Without|Only with) (the PIN|the code|the pickup code|the locker code) {pin} (it stays shut|you get nothing|it opens|they hand it over).
(Locker|Compartment|The door|The flap): (code|PIN|open with) {pin}.
(My|Your|The) (pickup|collection|locker) (code|PIN|number) (is|reads|will be|was set to|:) {pin}.
(Order|Purchase|Shop order) (no.|nr.|id|number) {order}(, thank you|, confirmed|, it's paid|).
(Did you get|I'm calling about|I have a question on|Where is|Can you cancel|I'd like to change) (my |our |the |)order {order}(?|, please.|)
(Here|This) is (the|your) (invoice|receipt|bill|confirmation) for order {order}.
(I|We) (live|wait|am|are) (at|in) {address}, (deliver it there|that's where it goes|bring it here).
(At|In) {address} (somebody will be in|is where it should go|is where it is wanted|we ring).
(Do|Would) you (deliver|bring it|ship) to {address}?
(Change of address|New address|Correct address|Address as given|Where to)(: | - |, ){address}.
(It's|That's|The parcel is|The box is|This one is) for {recipient}.
(The name|The person|The customer) (on the label|on the box|on the parcel|in the order) (is|reads|says) {recipient}.
(My|The customer's|The recipient's|The addressee's|Your) name is {recipient}.
(On|According to) the (scale|scales|label|slip) (it is|it weighs|the box has|it shows) {weight}.
(Nearly|About|Roughly|Exactly|Some|Just) {weight}(, carry it with two|, says the scale|, it's quite something|, that's the parcel).
(Parcel|Box|Package) of {weight}.
(You|I|We) can (collect|fetch|pick up|get) <it> (at|from) {pickup}.
(For pickup|To be collected|Collection|Picking up): (at |){pickup}.
{count} (parcels|boxes|packages) (weighing|of) {weight} (together|in all|altogether).
(All|The|Your) {count} (parcels|boxes|packages|pieces) (come together|go out together|belong to you|have to be signed for|were packed).
(Thank you|Thanks) for (your payment|paying|the transfer) of {price}.
(We|They) (took|received|got|booked|withdrew) {price} (from your card|by card|from your account|for the order|in payment).
(The first|Their first|Our first) (ring|stop|delivery) (is|will be) (at|after|not before) {time}.
(We|They) (stop|finish|close|end the round) (at|by) {end}.
(Your|The) (four-digit|secret|personal|one-time) (PIN|code) (for the locker|for the pickup|to collect it) is {pin}.
(The|Your) (item|order|box) (is|was) sent as {number}.
(We|They) (bring|have|will bring|carry|hand over|unload|packed) {count} (parcels|boxes|packages|packets) (for you|altogether|in total|this time|).
(The|Your) <parcel> (travels|is listed|was booked in|is known|can be traced|can be found) (as|under|by) {number}.
(Keep|Have) {number} (at hand|ready|in mind), (it's the tracking number|you can follow it with that|that's the parcel's number).
(What's the tracking number|Which number does it have|How do I track it|What is the parcel called)? {number}(, says the shop| it is|).
(The seller|The shop|They|She|He) (mailed|texted|told|forwarded) me (the tracking number|the tracking code|the parcel number)(:|, it's|,) {number}.
(Missing|Lost|Found|Damaged|Unclaimed)(: | is | - )(parcel|package|shipment) {number}.
(I|We) (can't find|lost|never got|want back|am worried about|need) (parcel|package) {number}.
(Someone|A colleague|The driver) (scanned|labelled|weighed|loaded|sorted) (parcel|package|box) {number}.
(It|Everything|The lot) (was ordered|was bought|was paid|is listed|can be found) under (order |the order number ){order}.
(Invoice|Receipt|Bill|Delivery note) for (your |)order {order}.
(We|They) (packed|put together|finished|checked|sent off) (your order|order|the order) {order}(, thank you for your patience| today| with care|).
(About|Concerning) your question on order {order}(:|, here is the answer.|).
(When you call|If you write|For returns|For questions), (the order number is|give the order number|quote order) {order}.
(Who|Which firm|Which service) (drives it|carries it|has the parcel)? {carrier}(, I believe|, they say|).
(A friendly|The usual|A new|The same) {carrier} (driver|courier) (brings|will bring|has) <it>.
(Sign|Signature) (for|needed by) {carrier}.
(Carried|Moved|Driven|Taken care of) (safely |)by (our partner |the courier |){carrier}.
<It> (will be picked up from us|is fetched|will be driven to you|will be taken to you) by {carrier}.
{carrier} (has the job|won the contract|was the cheapest|does our deliveries|rings the bell|takes it from here).
(Our|Their|My) (choice of courier|courier|parcel service|delivery company) (this time |)(is|was|will be) {carrier}.
(My|Our|Your) (favourite shop|shop|dealer|seller|supplier) {sender} (packed it|sent it|has it in stock).
(The shop's name|The seller's name|The name of the shop|The dealer) is {sender}.
(A gift|A little something|Something nice|A surprise|The goods|Your things) from {sender}.
(Bought|Ordered|Purchased|Found|Paid) (online |last week |)(at|from) {sender}.
{sender} (wrote|confirmed|says|told me)(:| that) <it> {status}.
(Any complaints|Returns|Questions) go to {sender}(, who sold it|, the seller|, where you bought it).
(Love it or return it|Enjoy|Have fun with it), (says|yours|your) {sender}.
(Only|Nobody but) {recipient} (may|can|should) (sign|open it|have it|take it).
(Leave|Hand|Give) it (with|to) {recipient}(, who ordered it|, it's theirs|, the recipient|).
(On the box stands|The box is marked|The parcel names|It carries the name) {recipient}.
(Is|Was) this (parcel|box|package) for {recipient}?
{recipient} (ordered|bought|wanted) (it|this|everything|all that).
{recipient} (lives|waits|works) (at|in) {address}.
(Turn up|Ring|Knock|Unload|Stop|Park) (at|in front of) {address}.
(It|The parcel|The box) (was meant for|was labelled for|should have gone to|will end up at|is bound for|is headed for) {address}.
(Not to|No longer to|Instead of) {x_street}(,| but) (bring it |deliver it |)to {address}.
(Mark|Keep|Reserve) {date0} for the (delivery|courier|parcel).
(They|The shop|The app|The website) (says|say|shows|gives) {date0} (as the delivery date|for the delivery|as the day of arrival).
<It> (won't|will not|can't) (be here|arrive|come) before {x_date0}, (but|more likely|I think) {date}.
{date}(: | - )(delivery|the courier comes|arrival of the parcel|parcel day|it should come).
(Your|The) (new|latest|final) delivery date(:| is| -) {date0}.
(Moved|Rescheduled|Put off|Postponed) (from {x_date0} |)(to|until) {date0}.
(Earlier than planned|Sooner than expected|Later than planned|As promised)(:|,) {date}.
(Guess what's inside|What's in it|What did you order|What is it)? (A |The |){content}(, at last|, I hope|).
(I|We) (can't wait for|really need|look forward to) (the |my |our |){content}.
(Inside it says|The slip says|The list says|The note says)(:|,) (a |the |){content}.
(Unpack|Handle|Open|Carry) the {content} with care.
(Send|Ship|Bring) me the {content}.
(The|Your|My) {content} (was|has been) (packed|paid|wrapped|ordered|labelled).
(Together|Altogether|In total|All in all) {count} (parcels|boxes|packages).
(Please |)(check|count|make sure) that you (get|receive|have) {count} (parcels|boxes|packages).
(That leaves|There remain|Here come|Look out for) {count} (parcels|boxes|packages).
(The scales|The scale|My scales|The label) (said|says|say|showed) {weight}.
(Can you lift|Can you carry|Can you manage|Would you carry) {weight}?
(Ready|Waiting|Stored|Kept|Left|Deposited|Hidden) (at|in) {pickup}.
(I|We|They) (couldn't|could not) deliver, (so it's|it is|find it|get it) (at|in) {pickup}.
{pickup}, (that's where it is|you can get it there|they keep it for you|please collect it there).
(You owe|There is still|The rest is|Cash on delivery:|Customs and all:) {price}(, please| to pay|).
(A bargain at|A steal at|Yours for|Sold for|Bought for) {price}.""", **_WORDS)

LINES = worded("""{number}
#{number}
no. {number}
{carrier} {number}
{carrier}: {number}
{number} / {carrier}
Parcel {number}
{order}
Order #{order}
Order {order}
order {order} - {sender}
{carrier}
by {carrier}
via {carrier}
{sender}
from {sender}
{sender} order
{sender} via {carrier}
{sender} -> {recipient}
to {recipient}
for {recipient}
{recipient}
{recipient}, {address}
{address}
to {address}
arrives {date0}
ETA {date0}
due {date0}
{date0}, {span}
{date0} between {time} and {end}
{span}
from {time}
until {end}
{content}
{content}
{content}, {price}
{content} - {price}
{count} parcels
{count} boxes
Total {price}
{price}
paid {price}
{weight}
weight {weight}
pick up at {pickup}
left at {pickup}
at {pickup}
PIN = {pin}
PIN is {pin}
code {pin}
status: {status0}
{status0}
[{status0}]
(tracking|track|trk|tracking no|parcel no|shipment|pkg)(:|) {number}
(package|parcel|shipment|consignment) (no.|#|nr|ID) {number}
{carrier} (tracking|parcel|shipment|no.) {number}
{number} (with|by|via) {carrier}
(order|ord.|order no|order id|your order|purchase)(:|) {order}
(carrier|courier|shipping|delivery|transport)(:|) (by |){carrier}
{carrier} (delivery|courier|van|driver|express service)
(ship|shipping|delivery) via {carrier}
(sold|packed|supplied) by {sender}
(shop|store|seller|merchant|ordered at|bought at|purchased from)(:|) {sender}
your {sender} (purchase|shopping|parcel)
order from {sender}
(recipient|addressee|attn.|attn|c/o|customer|ship to|deliver to)(:|) {recipient}
{recipient} (gets it|signs)
(ship to|deliver to|addr.|address|destination|goes to|drop)(:|) {address}
{recipient} at {address}
(expected|arriving|coming|delivery|est. delivery|arrival|delivery on|delivery day)(:|) {date0}
(delivery|arrival) {date0} {span}
{date0} from {time}
(between|any time between) {time} and {end}
(window|slot|delivery window|time slot)(:|) {span}
(not before|earliest|after) {time}
(by|before|latest|not after) {end}
(item|article|inside|contents|product|goods|in it)(:|) {content}
{content} from {sender}
(qty|boxes|parcels|packages|pieces)(:|) {count}
{count} (packages|packets|pcs|pieces)
(paid|total|sum|amount|to pay|cash on delivery|price|you pay|charged)(:|) {price}
{price} (total|paid|in all|by card|incl. postage|incl. tax)
(wt|weight|gross|gross weight|heavy)(:|) {weight}
{weight} (parcel|box|gross)
(pickup|collect|collect at|pickup at|collection|left in|deposited|parcel shop)(:| at) {pickup}
(PIN|locker|locker code|pickup PIN|collection code|open with|code for pickup)(:|) {pin}
(now|state|status|progress)(:|) {status0}
{number}: {status0}""", **_WORDS)
