"""What widens the training text of parcels: the classes of words of parcel_patterns.py, lines, labels, and more verbs that say how far a parcel is."""

CLASSES = """
the: the|your|my|our|this|the|your|the|your|their|that
parcel: parcel|package|shipment|packet|consignment|box|delivery|carton|small parcel|big parcel|little box|padded envelope|crate|new parcel|heavy box|oversized parcel
parcels: parcels|packages|boxes|packets|cartons|pieces|crates|separate parcels|single boxes|bundles|padded envelopes|packs|units|containers|big boxes|small packets
it: it|the parcel|your parcel|my parcel|the package|your package|the shipment|the box|your delivery|the whole thing|the order|your order|everything|the lot|the packet|\
our parcel|this one|that box|the consignment|the purchase|the big box|what you ordered|all of it|the little parcel
buyer: I|we|you|she|he|they|my wife|my husband|the customer|my sister|our neighbour|the school|the office|my mother|somebody here|my son
boss: we|they|I|she|he|the shop|the seller|our warehouse|my colleague|the clerk|the people there|the lady at the desk
driver: the driver|the courier|the postman|the delivery man|our driver|the van|the postwoman|the man with the van|the delivery woman|somebody|a driver|our courier|\
the parcel man|the lorry|the rider
pol: please |kindly |can you please |could you |would you |just |don't forget to |make sure to |you may |you can |do |let's |remember to |I'd like you to |I want to |\
you need to |be so kind and |it's best to |feel free to |I'll |
rep: the app says|the website says|the website shows|my neighbour says|they told me|she says|he says|the mail says|it says here|the shop wrote|the hotline told me|I read that|\
the card says|I was told|the text message says|customer service says|my notes say|the letter says|the screen says|according to the mail,|as far as I know,|if the app is right,|\
from what I hear,|the confirmation says|he texted me:|I just heard:|{x_name} says|{x_name} wrote:|{x_name} told me|{x_name} thinks
tail: , says the app|, as far as I can see|, they say|, I was told|, if nothing changes|, as agreed|, I think|, according to the mail|, it says here|, if all goes well|\
, as you wanted|, for what it's worth|, by the way|, so much is sure|, thank goodness|||||
please: , please| please|, thank you|, if you can|, if that's alright|, would you|, ok||||
track: track|follow|trace|look up|check|find|locate|search for|watch|query|monitor|keep an eye on|look for|enquire about|see the way of|stay informed about|check on
with: with|under|using|by|via|by means of
as: as|under|with the number|under the number|by the number|as number
scan: registered|scanned|logged|filed|listed|booked in|entered|recorded|labelled|saved|known|announced|tagged|catalogued|noted|marked|stored|kept on file|handed in|checked in|\
numbered|advised
tracknum: tracking number|tracking code|parcel number|shipment number|tracking ID|package number|consignment number|number of the parcel|tracking no.|waybill number|\
number of the shipment|barcode number|number on the label|number on the sticker|code on the label|number under the barcode|courier's number|number to follow it|parcel code|\
tracking reference
ordernum: order number|order ID|order code|number of the order|purchase number|order reference|order no.|number of my order|number of our order|purchase order number|\
reference of the order|number of the purchase|web order number
isv: is|reads|should be|will be|has become|turned out to be|stays|must be|was|is now|happens to be|is still|says
keepv: keep|save|write down|note|note down|copy|don't lose|remember|use|take|print|have ready|jot down|don't forget|hold on to|hang on to|store|forward|quote|take a photo of|\
learn by heart|memorise|check
field: the search box|the app|our website|the tracking page|the form|the box above|the white field|the courier's site|the little window|the search line|the page of the courier|\
your phone
trait: needs a signature|fits through the letter box|has to be signed for|is quite big|must not be bent|contains glass|is insured|comes with a return label|got a new label|\
is a bit wet|looks fine|smells of coffee|has a dent|should be kept dry|is fragile|must stay upright|is quite small|is wrapped twice|will need two people|is a surprise|\
has a torn corner|came up in our list|is the one you asked about|got a new sticker|is on my list
ask: where is|what about|any news of|any trace of|do you know more about|can you find|could you check|what is wrong with|who has|can somebody look for|I'm calling about|\
I'm worried about|I have a question about|I'd like to complain about|this is about|it's about|I'm writing about|we are looking for|tell me more about|have you got|\
can you say something about|nobody knows anything about
comes: comes|arrives|will come|will arrive|should arrive|will be here|will be there|gets here|should be here|turns up|is expected|reaches you|will reach you|is due|shows up|\
is supposed to come|lands|rolls in|will get to you|is to arrive|ought to be here|should get here|will show up|will be brought|will be dropped off|is coming|\
will land on your table|appears|should turn up|makes it here|might come|is likely to come|pulls in|will get there
bring: brings|will bring|delivers|will deliver|drops off|carries|transports|will hand over|is bringing|should bring|is going to bring|wants to bring|hauls|will carry|\
will come with|comes with|turns up with|arrives with|conveys|drives|lugs|can bring|has promised to bring|means to bring|is to bring|will turn up with|shows up with|wheels in|\
ferries|supplies
handle: handles|takes care of|is in charge of|looks after|sees to|is responsible for|distributes|moves|organises the way of|took over|has|has taken over|deals with|\
is entrusted with|picked up|was given|insures and moves|keeps track of|puts a label on|sorts
expect: expect|await|look out for|count on|wait for|look forward to|watch out for|be ready for|prepare for|make room for|open the door for|be in for|clear the hall for
home: at home|in|there|home|at the door|around|in the house|in the flat|in the office|near the door|on site|reachable
why: the courier rings|the driver needs a signature|somebody has to open|they ring only once|the box is too big for the neighbours|the driver won't wait|\
it has to be signed for|a parcel is coming|they bring the parcel
dday: delivery date|delivery day|day of delivery|arrival date|day of arrival|expected date|planned date|estimated date|date in the app|new delivery date|agreed date|\
promised date|date of arrival|big day|final date|date on the card|due date
planned: planned|scheduled|expected|set down|booked|fixed|announced|promised|agreed|arranged|foreseen|pencilled in|confirmed|due|noted
paid2: ordered|bought|paid|packed|labelled|wrapped|confirmed|invoiced|purchased|reserved|put together|weighed|ordered online
closes: the return period ends|returns close|the invoice is due|the sale ends|the offer ends|the warranty starts|the newsletter comes|the voucher runs out|\
the shop closes for the holidays|the next sale starts
window: slot|window|time slot|delivery window|time window|delivery slot|chosen slot|agreed slot|tour|round|hours of delivery|courier's shift|delivery time|time frame
opens: opens|begins|starts|commences|gets going|kicks off|sets in|was set to start|will open|will start|is to begin|should begin
shuts: closes|ends|shuts|is over|finishes|runs out|stops|is done|expires|will close|will end|is to finish|should be over|terminates
ring: ring|come|be here|deliver|be there|knock|call at the door|show up|turn up|stop by|come round|come by|arrive|drop it off|bring it|be at the gate
early: not before|no earlier than|from|after|only after|any time after|at the earliest at|starting at|as of|some time after|at the soonest at|from as early as|beyond|\
not sooner than|once it is|later than|when it has struck|past
late: by|before|no later than|not after|at the latest by|some time before|not later than|at the very latest by|by no later than|at the latest at|any time before|earlier than|\
ahead of|in any case before|definitely by|well before|not beyond
busy: I'm at the dentist|we are out|the kids sleep|I'm in a meeting|the lift is out of order|nobody is in|the gate is locked|I walk the dog|I'm on the phone|we have guests|\
the office is shut|the bell is off|I'm at the gym
carr: carrier|courier|delivery service|parcel service|delivery company|shipping company|haulier|delivery firm|transport company|delivery partner|shipping partner|courier firm|\
courier service
use: used|chose|picked|worked with|shipped with|hired|booked|relied on|went for|decided on|preferred|trusted|commissioned|took|made a contract with|settled on|engaged|swore by|\
switched to|called in|asked
by: with|via|through|by means of|by way of|thanks to|on a van of|in a truck of|in the care of|under the wing of|on the bikes of
moved: carried|transported|handled|driven|moved|brought|conveyed|looked after|taken over|hauled|distributed|collected from us|taken along
van: driver|van|courier|truck|man|lorry|bike|depot|rider|team|people|lady|guy|hotline
gave: handed|passed|entrusted|brought|consigned|surrendered|sent|transferred|released|assigned|delegated|carried
shopn: sender|shop|seller|store|merchant|retailer|vendor|dealer|supplier|online shop|webshop|name of the shop|name of the seller|firm that sells it|place it was bought
buy: ordered|bought|purchased|got|picked|chose|paid for|found|wanted|went for|decided on|picked out|asked for|splashed out on|couldn't resist|needed|clicked on|fell for|\
reserved|bargained for|snapped up
sold: sold it|packed it|put it in the post|has it in stock|sends it|mailed it|wrapped it up|made it up for us|takes care of returns|wrote the invoice|charged my card|\
had it on offer|boxed it up|signs as sender|dispatches it|thanks you|is the seller|filled the order|made the parcel|packs everything by hand|posted it
from: from|straight from|all the way from|sent by|packed by|sold by|bought from|ordered from|supplied by|sent to you by|bought at|ordered at|a purchase from|posted by|\
mailed by|wrapped by|courtesy of|a gift from
forp: for|meant for|intended for|addressed to|made out to|labelled for|destined for|to be given to|reserved for|in the name of|to be handed to|to the attention of|marked for|\
to be signed for by|going to
gets: gets it|will get it|ordered it|is waiting for it|is the recipient|must sign|has to sign for it|takes it|should receive it|will open the door|is the addressee|\
is the customer|is the one who wants it|receives it|signs|is supposed to have it|will be happy to have it|can't wait to open it|must be there to sign|accepts it|\
is on the label|is the name on the box|has been waiting for it
hand: hand it|give it|bring it|deliver it|pass it on|hand it over|take it|address it|send it|make it out|turn it over|release it
recip: recipient|addressee|customer|receiver|name on the label|name on the box|person who gets it|consignee|person it's for|name on the sticker|person to sign
deliver: deliver|bring|take|send|ship|drive|carry|post|forward|dispatch|get|transport|redirect|haul|route
goes: goes|is going|will be taken|will go|travels|should go|has to go|will be carried|is bound|needs to go|belongs|is to be taken|heads|is headed|is directed|will be forwarded|\
is supposed to go|must go|is routed|comes
addr: delivery address|address|shipping address|address on the label|destination|address they have|address in the order|address for the parcel|drop-off address|right address|\
address we were given|address of delivery|street and number
adj: the|a|my|your|our|that|this|the|a|her|his|another|one|my new|your new|our new|their|just the|only the|exactly the
pack: packed|wrapped|put in|sent off|enclosed|boxed up|posted|stuffed in|included|mailed|sold|reserved|picked out|labelled
inside: in the box|inside|in the parcel|in it|in the package|in there|under all the paper|between the foam|wrapped in paper|in the carton|on the packing list|\
at the bottom of the box|behind the cardboard
is3: is|you will find|you find|there is|lies|I found|should be|sits|hides|there should be|we put|waits|must be
thing: item|article|product|content|thing in the box|purchase|object of desire|item ordered|parcel's content|article in the box|product inside
split: split|divided|shipped|packed|spread|broken down|distributed|separated|arranged|shared out
into: into|into|in|over|across|between
consist: consists of|is made up of|has|counts|comprises|fills|comes as|contains|takes|makes up|runs to|arrives in|needs|adds up to|amounts to|equals
alltog: altogether|in all|in total|all in all|for you|this time|at once|together|as ordered|on one pallet|for one household
topay: paid|spent|put down|had to pay|owed|transferred|settled|forked out|handed over|got charged|laid out|shelled out|sent|agreed to pay|coughed up|parted with|invested|gave|\
counted out
costs: costs|cost|comes to|came to|is worth|amounts to|adds up to|totals|set me back|is insured for|was|is|works out at|sells for|went for|stands at|was priced at|is valued at|\
makes|ran to
sum: total|price|bill|sum|order total|amount|invoice total|grand total|purchase price|total cost|order value|amount due|final price|full price|total with tax|\
amount charged|overall sum
allin: in all|altogether|with tax|including postage|all told|at the till|by card|with everything|for everything|in the end|all included|and not a cent more|\
as shown on the invoice|when all is said and done
off: on the invoice|on the receipt|on the bill|on my card statement|in the confirmation|at the checkout|in the order summary|at the bottom of the mail
weighs: weighs|weighs in at|weighs about|weighs exactly|weighs almost|comes to|tips the scales at|is|should weigh|must weigh|brings|has a weight of|has a mass of|\
puts on the scales|makes|was weighed at|is said to weigh|reaches|carries
wnoun: weight|gross weight|shipping weight|mass|weight on the label|parcel weight|weight of the box|figure on the scales|weight in the papers|total weight
heavy: heavy|quite heavy|light|not light|surprisingly light|rather heavy|a lot to carry|not too bad|no feather|a lump|bulky|too much for my back|easy to lift
collect: collect it|pick it up|fetch it|get it|get your parcel|come for it|claim it|call for it|have it handed over|sign for it|take it home
left: left|put|dropped|deposited|stored|placed|stowed|parked|handed in|brought|tucked away|lodged|set down|laid|dropped off|kept|stashed|locked up
lies: lies|is kept|is stored|sits|was left|was dropped off|is lying|has been put|stands|can be found|is safe|is hidden|was handed in|was deposited|is stowed|is parked|waits|\
has found shelter
pnoun: pickup point|collection point|pickup place|parcel shop|place to collect it|drop point|place where it is|safe place|place to pick it up|pickup location|collection place|\
hiding place|place of collection
nobody: nobody was in|you were out|no one opened|nobody answered the bell|the bell didn't work|I missed the courier|we were all out|the door stayed shut|you weren't there|\
the letter box was too small|you didn't hear the bell
pincode: PIN|pickup code|collection code|locker code|access code|unlock code|PIN code|code for the locker|code for the pickup|opening code|secret code|code to open it|\
locker PIN|code for collecting it|pickup PIN|door code of the locker
enter: enter|type|use|show|say|give|key in|present|punch in|tap in|tell them|type in|read out|mention|put in|hold out|dial in|spell|quote|press|whisper|try
locker: the locker|the parcel station|the box at the station|the compartment|the parcel machine|the flap|the parcel box|the locker door|door 12|the machine|the little door|\
the locker wall|the metal box
unlock: opens|unlocks|will open|can be opened|springs open|pops open|lets you in|gives way|reacts|releases the parcel|will unlock|clicks open|responds
counter: at the locker|at the counter|when you pick it up|to the clerk|to the man in the shop|on the screen|at the machine|on the keypad|at the desk|when you collect it|\
when they ask|at the parcel station
sent: sent|gave|texted|mailed|told|handed|read|wrote|showed|slipped
now: now|at the moment|right now|as of now|currently|at last|finally|meanwhile|just now|since this morning|apparently|officially|obviously|it seems|in the end|by now|\
as we speak|believe it or not
worry: don't worry|no panic|good news|bad news|sorry|hooray|no need to call|it isn't lost|it was not stolen|here is the latest|to answer your question|just checked|look|\
calm down|so much is sure|alright|oh dear|well
sep: ,| -| /|:|;| --| ~| *
"""

LINES = """
{number}<sep> {carrier}
{number}<sep> {recipient}
{number}<sep> {date0}
{number}<sep> {weight}
{number}<sep> {status0}
{number}<sep> {content}
(order|ord|order #|purchase|PO) {order}<sep> (tracking|parcel|trk) {number}
(tracking|parcel|trk|pkg|shipment|waybill|AWB|label|track no|barcode) {number}<sep> (order|ord|PO) {order}
(tracking|parcel|trk|pkg|shipment|waybill|AWB|label|track no|barcode) {number}<sep> {carrier}
(follow|track|trace|look up|find it with|search) {number}
(tracked as|shipped as|sent as|known as|scanned as) {number}
<parcel> {number}
<tracknum> {number}
<tracknum> = {number}
(order|ord.|purchase|web order|shop order|PO) (nr|no|id|#|ref) {order}
(order|purchase) {order}<sep> {sender}
(order|purchase) {order}<sep> {price}
(order|purchase) {order}<sep> {content}
<ordernum> {order}
<ordernum> = {order}
{sender}<sep> (order|purchase) {order}
{sender}<sep> {content}
{sender}<sep> {price}
{carrier}<sep> {number}
{carrier}<sep> (ETA|due|expected) {date0}
<carr><sep> {carrier}
(by|via|with|through|per|shipped via|brought by) {carrier}
{carrier} (truck|bike|depot|team|lorry|rider|standard|overnight)
<shopn><sep> {sender}
(from|sold by|packed by|sent by|bought at|ordered at|supplied by) {sender}
{recipient}<sep> {address}
{recipient}<sep> {content}
{address}<sep> {recipient}
(for|to|attn|addressee|hand to|c/o|signs|customer|goes to) {recipient}
<recip><sep> {recipient}
(to|bring to|deliver to|drop at|addr|ship to|door|destination|where to) {address}
{address}<sep> {date0}
<addr><sep> {address}
(due|ETA|exp.|arr.|arrives|comes|delivery|expected|here|planned|del.) {date0}
<dday><sep> {date0}
{date0}<sep> {content}
{date0}<sep> (after|from|not before) {time}
{date0}<sep> (until|by|before) {end}
{date0}<sep> {span}
(from|after|not before|earliest|starts) {time}<sep> (until|by|latest|ends|not after) {end}
(from|after|not before|earliest|starting|start) {time}
(until|by|before|latest|till|ends|not after) {end}
<window><sep> {span}
{content}<sep> {price}
{content}<sep> {sender}
{content}<sep> {weight}
{content}<sep> {date0}
(a|1 x|one|1x) {content}
<thing><sep> {content}
(in it|inside|item|packed|bought|contains|in the box) {content}
{count} <parcels>
{count} <parcels><sep> {weight}
{count} (colli|pcs.|bags|items to sign for)
(qty|x|pcs|parcels|boxes|colli|pieces) {count}
<sum><sep> {price}
(paid|owed|due|cost|pay|total|sum|charged) {price}
{price}<sep> (postage incl.|cash|by card|paid in full|due|with postage|still open)
{weight}<sep> {count} (parcels|boxes|pieces)
<wnoun><sep> {weight}
(wt.|gross|heavy|weighs|scales|mass) {weight}
{pickup}<sep> (PIN|code|locker code) {pin}
<pnoun><sep> {pickup}
(collect|pick up|fetch|left|stored|hidden|kept|waiting|lies) (at|in) {pickup}
<pincode><sep> {pin}
(PIN|pin|locker|open with|unlock with|door) {pin}
(now|state|stage|scan|last scan|progress|latest|status now) {status0}
"""

LABELS = {
    "number": "(Track|Trace|Follow|Parcel|Package|Shipment|Consignment|Waybill) (no|nr|nr.|#|code|ID|reference)|(Tracking|Trk|Trk.|Trk no|Pkg|Pkg no|Airwaybill|Air waybill|"
              "Barcode|Number on the label|Parcel label|Label number|Find it with|Look it up with|Shipped as|Sent as|Trace it with|Follow it under|Track your parcel|"
              "Courier's number|Consignment note)|(Number|Code|ID) of the (shipment|package|consignment)",
    "order": "(Order|Purchase|Web order|Shop order|PO) (no|nr|nr.|#|ID|code|reference)|(My|Your|Our|Customer) (order|order no.|order number|purchase)|(Number|Code|ID|"
             "Reference) of (the|your) (order|purchase)|(Ordered under|Ord|Ord.|Ord. no.|PO|P.O.|Belongs to order|Order in the shop|For order|Concerns order|Sales order|"
             "Order placed)",
    "carrier": "(Our|Your|Chosen|Responsible) (courier|carrier)|(Carried|Moved|Transported|Handled) (with|via|by)|(Shipped|Sent|Dispatched|Posted) (with|via)|(Courier|"
               "Carrier|Transport|Delivery|Parcel|Shipping) (firm|company|provider|partner)|(Logistics|Forwarder|Freight|Freight company|Transporter|Delivery firm|"
               "Who delivers|Delivering|Van of|Driver of|Through|Service|Logistics partner|Transport by|Comes by)|Name of the (courier|carrier)",
    "sender": "(Name of (the |)|)(shop|seller|vendor|merchant|retailer|store|dealer)|(Sold|Packed|Posted|Mailed|Provided|Wrapped) by|(Sent|Shipped|Posted) from|(Purchased|"
              "Bought|Order placed|Ordered|Shopped) (at|with|in)|(Online store|E-shop|Web store|Trader|Dealer|Sending party|Consignor|Shipper|Your shop|Your purchase at|"
              "Where I bought it|Who sent it|Comes from|Marketplace seller|Fulfilled by|Origin)",
    "recipient": "(Name of (the |)|)(recipient|addressee|customer|receiver|consignee|buyer)|(Parcel|Package|Box|Give|Handed|Deliver only|To be handed|Released) to|"
                 "(To the attention of|Who receives it|Who is it for|Who signs|Signature of|To be signed by|Receiving person|Contact at the door|Bell|Name at the bell|"
                 "Ordered for|Ordered by|Intended for|Destined for|Receiving party|Name of the person|C/o|Your name)",
    "address": "(Our|Your|Customer|Receiver's|Customer's|Full|New|Final|Home|House|Door) address|(Brought|Driven|Forward it|Take it|Carry it|Drive it) to|"
               "(Street name and number|Street line|Street & no.|House and street|Address on the label|Door|Drop-off|Drop-off address|Addr.|Addr|Adr.|Place to deliver|"
               "Unload at|Final destination|Dest.|Delivery point|Delivery street|Which house|Address to deliver to)",
    "date": "(New|Planned|Promised|Estimated|Likely|Agreed|Final|Probable|Updated) (arrival|delivery|date|day)|(Coming|Comes on|Gets here|Here on|Arr.|Exp.|Del. date|Del.|"
            "We deliver|Day it comes|Will be there|With you|Due date|When|Promised for|Delivery set for|Expect it|Expected arrival|Expected day|Reaches you|Landing|"
            "At your door|In your hands|When it comes|Drop-off day|Date of delivery|Date of arrival)",
    "time": "(Slot|Window|Delivery|Time slot|Delivery window|Round|Tour) (from|start|starts|begins|opens)|(No earlier than|Not sooner than|Any time after|Not until|"
            "Opening of the slot|Beginning|Ring not before|Starting time|Starts|At home from|First ring|Earliest ring|Earliest arrival|Driver starts|Min. time|As of|"
            "Be in from|Start of slot|Start of window)",
    "end": "(Slot|Window|Delivery|Time slot|Delivery window|Round|Tour) (until|end|ends|closes|finishes)|(Not later|Never after|At the very latest|Any time before|"
           "Closing of the slot|Finish|Ring not after|Ending time|At home until|Last ring|Latest ring|Latest arrival|Driver stops|Max. time|Up to|Be in until|End of slot|"
           "End of window|Finished by|Done by|Over at)",
    "content": "(Ordered|Purchased|Bought|Packed|Shipped|Enclosed|Declared) (item|article|goods|product|thing)|(Name|Description) of (the |)(item|article|product|goods|"
               "contents)|(In it|What we packed|What you bought|What you get|Object|Goods inside|Your purchase|Your item|Packed|Contains|Parcel contents|Box contents|"
               "Enclosed|Subject of purchase|Title of the article|Stuff|Thing inside|Packing list|Our product)",
    "count": "(Total|Number of|No. of|Count of|Nr of|How many) (boxes|packages|pieces|parcels|cartons|packets|units)|(Boxes|Parcels|Pieces|Packages) (in all|in total|sent|"
             "altogether|shipped|to expect)|(Cartons|Packets|Units|Collies|Pcs|Pkgs|No. of colli|Split into|Divided into|Shipped in|Amount of boxes|Amount of parcels|"
             "Items to sign for)",
    "price": "(Total|Full|Final|Whole|Entire) (amount|sum|price|cost|bill|charge)|(Sum|Amount|Total|Price) (paid|to pay|charged|due|of the order|with tax|incl. tax)|"
             "(You owe|Pay|Please pay|Cash to the driver|COD|C.O.D.|Worth|Declared worth|Paid by card|Invoice amount|Invoice|Order amount|Order sum|Bill|Costs|"
             "Cost of the order|What it cost|Charged to card|Payable|Paid in full|Outstanding|Sum total)",
    "weight": "(Total|Net|Gross|Full|Declared|Measured|Real|Package|Box) weight|(Weight|Mass) (of (the |)(box|package|shipment|goods)|on the label|in total|gross)|(Weighs|"
              "Scale|Scales|Heavy|On the scales|Weighed at|Wgt|Wgt.|Wt/kg|Gross kg|How heavy is it|Load|To carry|Weighed|Heaviness|Kg gross|Weight class)",
    "pickup": "(Collect|Pick up|Fetch|Get|Claim) (it |)(at|from|in)|(Left|Stored|Kept|Hidden|Deposited|Placed|Waits|Waiting|Lies|Handed in|Dropped|Put) (at|in)|(Pickup|"
              "Collection|Pick-up) (spot|station|shop|store|counter|site|address)|(Parcel station|Hiding place|Drop-off place|Where it is now|Where it lies|Spot|Safe spot|"
              "Place to collect|Place to pick up|Counter|Kept for you at|Waiting at|Find it at|Depot for pickup)",
    "pin": "(Locker|Pickup|Collection|Door|Station|Access|Unlock|Opening|Compartment) (PIN|code|password)|(Key in|Type in|Enter|Open with|Unlock with|Show at the counter|"
           "Say at the counter|Secret|Secret number|Password|Passcode|Passkey|Keypad|Pin no.|PIN number|One-time code|One-time PIN|Use the PIN|PIN for pickup|"
           "PIN for the locker|Code to open|Code to collect|Code at the counter)",
    "status": "(Parcel|Order|Package|Shipment|Latest|Last|Delivery|New|Actual|Present) (state|status|stage|update|event|progress)|(Where it is now|How far|How far is it|"
              "Tracking says|App says|Scan|Scanned|State of the parcel|State of things|Status of the parcel|Status of the order|What happens|Step|Current step|Current stage|"
              "Stand|Track status|Right now|Currently)",
}

# More verbs that say how far it is. The test does not have them.
STATUS = {
    "shipped": "was handed to the courier|went out|has gone out|left the warehouse|is no longer in our warehouse|was given to the courier|has been dispatched|"
               "was dropped off at the post office|went off with the evening post|was posted|has been mailed|went into the post|has left our hands|left our shop|"
               "was sent off|went off|was passed on to the courier|has just left us|was given to the post|was picked up from the seller|has departed from the seller|"
               "got sent|got shipped|was put in the mail|was collected from the shop by the courier|is in the mail|has been given to the courier",
    "in transit": "is moving|is on a lorry|is on the motorway|is making its way to you|is on a train|was forwarded to the next depot|is on the move|is crossing the country|"
                  "is still travelling|reached the sorting centre|is at the sorting centre|is being sorted|passed customs and travels on|is at sea|is in the air|"
                  "is somewhere along the way|is passing through the depot|is on the way|is coming your way|changes trucks|was moved to the next depot|is rolling|"
                  "is heading your way|is between warehouse and depot|travels through the night|is on a plane|is on a ship",
    "out for delivery": "is on the delivery van|is in the van and comes round|is doing the rounds with the driver|is a few stops away|is around the corner|"
                        "is on the delivery round|is with the postman now|went onto the delivery van|is being brought to your door|was put on the delivery van|"
                        "is on the last stretch|sits in the delivery van|left the depot with the driver|is out with the courier|is being taken round|is only some doors away|"
                        "is next on the driver's list|is on the courier's bike|is nearly at your door|is with the delivery driver|is on the postman's round",
    "delivered": "arrived|has come|was received|was signed for|is here|made it|is there|has landed|turned up|got here|was dropped off|has been received|"
                 "was accepted by the recipient|has been brought|reached you|has got here safely|came in one piece|was taken in|is safely with the customer|"
                 "is in the customer's hands|reached its destination|has been signed for|was given to the addressee|was brought to the door|is in your hands|"
                 "was successfully delivered|has been dropped off|was unpacked already|came through fine",
    "delayed": "got stuck|is stuck in customs|is stuck at the depot|has not moved for days|is waiting at the border|lags behind|won't make it in time|"
               "will come later than planned|is slower than expected|will take a bit longer|is running behind|is later than promised|missed its train|missed the van|"
               "is stuck in traffic|was kept back by the storm|was held back|was postponed|can't come as planned|hit a delay|suffers a delay|is not on time|"
               "is not on schedule|has fallen behind|takes a little longer|will not come in time|waits for better weather|is stranded|is detained by customs|"
               "will be a little late",
    "returned": "was refused and sent back|was refused and goes back|goes back to the shop|is returning to the seller|could not be handed over and goes back|"
                "travels back to the seller|turned round and goes home|was not accepted and goes back|has gone back|went back|is being returned|is headed back|"
                "is back with the sender|is back at the shop|has been returned|was taken back to the sender|came back to us|was shipped back|was posted back|"
                "is on the way back|was sent back by the recipient|is being sent back",
    "ready for pickup": "waits for collection|waits to be picked up|lies ready for you|can be fetched|may be fetched|is there to be collected|wants to be collected|"
                        "is held for you to collect|has to be picked up|is ready, come and get it|needs to be collected|awaits collection|is awaiting pickup|"
                        "should be collected soon|is there for you to collect|is available for collection|is up for collection|stands ready for collection|"
                        "is yours to collect|is set aside for you to pick up|is here for you to pick up|must be fetched by you|may be collected now|is ready to be fetched",
}
STATUS = {status: tuple(said.split("|")) for status, said in STATUS.items()}
