"""Parcels and other orders."""
from . import values
from .grammar import Domain, Field
from .values import same

STATUS = {"shipped": ("has been shipped", "was sent", "has left our warehouse", "was dispatched", "has been posted"),
          "in transit": ("is on its way", "is in transit", "is on the road", "is travelling to you"),
          "out for delivery": ("is out for delivery", "is in the delivery van", "is being delivered today"),
          "delivered": ("was delivered", "has been delivered", "was handed over", "has arrived", "lies in your letter box"),
          "delayed": ("is delayed", "will be late", "is running late", "needs more time"),
          "returned": ("was returned", "went back to the sender", "has been sent back"),
          "ready for pickup": ("is ready for pickup", "can be collected", "waits for you at the counter")}


def _status(choose, now, v):
    status = choose.rng.choice(list(STATUS))
    return choose.rng.choice(STATUS[status]), status, status


PARCEL = Domain("parcel", """Extract the parcel.
Parcel as JSON.
Take the delivery out of the text.
Fill in the parcel.
What is being delivered?
Find the delivery details.
Turn this into a delivery.
Read the delivery out of this.
Which parcel is in the text?
Make a delivery of this.
Get the delivery details.
Please extract the parcel.
Save this as a parcel.
Fill in the delivery.
Parcel please.
Which order is it?
Get the tracking data.
Track this parcel.
What about my order?
Extract the shipment.
Order details as JSON.
When does it come and who brings it?
Read the shipping notice.
Delivery information please.""", {
    "number": Field("string", "tracking number|number|tracking|parcel number|tracking code|code|shipment number|tracking id|package id|shipment id",
                    "Tracking number|Tracking|Tracking no.|Parcel|Shipment|Tracking code|Parcel number|Tracking ID|Shipment no.|Consignment|Parcel no.|Track|Package|Waybill", lambda c, n, v: same(values.code(c))),
    "order": Field("string", "order number|order id|order|order no|reference|purchase number", "Order|Order number|Order no.|Order ID|Your order|Reference|Ref|Purchase no.|Bestellnummer", lambda c, n, v: same(values.code(c))),
    "carrier": Field("string", "carrier|service|courier|delivery service|shipping company|shipper|delivered by|company", "Carrier|Courier|Delivery by|Shipped by|Shipping|Service|Via|Transport|Delivery service|Shipping partner|With", lambda c, n, v: same(values.carrier(c))),
    "sender": Field("string", "sender|from|shop|store|seller|merchant|vendor|retailer", "Sender|From|Shop|Store|Seller|Merchant|Vendor|Sold by|Ordered at|Absender|Retailer", lambda c, n, v: same(values.shop(c))),
    "recipient": Field("string", "recipient|to|customer|addressee|receiver|name|recipient name", "Recipient|To|Customer|Addressee|Deliver to|Receiver|Name|For|Ship to|Attention", lambda c, n, v: same(values.person(c))),
    "address": Field("string", "address|delivery address|shipping address|destination|street", "Address|Delivery address|Ship to address|Destination|Street|Goes to|Drop-off|Shipping address", lambda c, n, v: same(values.street(c))),
    "date": Field("string", "date|delivery date|arrives|expected|arrival|arrival date|expected date|eta|delivery day", "Delivery|Delivery date|Arrives|Expected|ETA|Arrival|Date|Estimated delivery|Due|Expected on|Planned", lambda c, n, v: values.date(c, n)),
    "time": Field("string", "time|from time|window start|start|earliest|between", "Time|From|Earliest|Window from|Not before|Starting|After", lambda c, n, v: values.clock(c)),
    "end": Field("string", "until|window end|end|latest|to time", "Until|Latest|Window to|To|No later than|Before|End", lambda c, n, v: values.clock(c)),
    "content": Field("string", "content|contents|item|product|article|items|description", "Content|Contents|Item|Product|Article|Goods|Inside|You ordered|Description|What", lambda c, n, v: same(values.good(c))),
    "count": Field("integer", "quantity|count|number of parcels|pieces|parcels", "Quantity|Qty|Pieces|Parcels|Count|Number of parcels|Pcs|Boxes", lambda c, n, v: values.count(c, 9)),
    "price": Field("number", "price|total|cost|amount|total price|sum|order total|value", "Price|Total|Amount|Cost|Sum|Order total|Paid|Value|To pay|Grand total", lambda c, n, v: values.price(c)),
    "weight": Field("number", "weight|weight kg|kilograms", "Weight|Weight in kg|Kg|Gross weight|Mass|Parcel weight|Wt", lambda c, n, v: _weight(c)),
    "pickup": Field("string", "pickup place|pickup point|pickup|collection point|drop off|left at|safe place", "Pickup|Pickup point|Collect at|Collection point|Left at|Safe place|Parcel shop|Deposited", lambda c, n, v: same(values.place(c))),
    "pin": Field("string", "pin|pickup code|collection code", "PIN|Pickup code|Collection code|Access code|Locker code|Your code", lambda c, n, v: same(values.code(c, True))),
    "status": Field("enum", "status|state|delivery status", "Status|State|Delivery status|Current status|Progress|Tracking status|Now", _status, choices=STATUS),
}, ("number",), """Your (parcel|package|shipment|delivery|item) {number} (is on its way|has been sent|is coming|was shipped|has left us|is on the road|is ready).
(Parcel|Package|Shipment|Delivery|Consignment) {number} (was sent|is coming|is with us|has been registered|will come).
We (have |)(sent|posted|shipped|dispatched|packed) (your parcel |)(|it: |as ){number}.
(Tracking number|tracking code|tracking|parcel number|shipment number): {number}.
The (tracking number|number|tracking code|parcel number|code of the parcel) is {number}.
(Good|great) news: {number} is (on the road|on its way|here soon).
Please note the tracking (code|number) {number}.
Dear customer, {number} has left the house.
(You can|please|to) (track|follow) (it|your parcel|the shipment|) (with|under|using) {number}.
(Follow|track) your (parcel|package|order) with (the number |code |){number}.
{number} (is on its way to you|will be with you soon|is your tracking number|is the number of your parcel).
(News|an update) (of|on|about) your (parcel|package) {number}.
(It|the parcel) (has|carries|got) the (number|code|tracking number) {number}.
(We are|our driver is) bringing {number}.
Your parcel {number} {status}.
(Parcel|shipment|package) {number} {status}.
{number} {status}.
Your parcel {number} from {sender} {status}.
Your (parcel|order|package) (from|of) {sender} {status}.
The (parcel|package|shipment|order|delivery) {status}.
(It|The box|the item|everything) {status}.
(Update|status|news): (your parcel|it|the shipment) {status}.
{carrier}: your (parcel|package|shipment) {number} (arrives|comes|will be delivered|is coming) {date}.
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
(With|via|by|shipped with|sent with) {carrier}.
(The|your|our) (carrier|courier|delivery service|shipping company) is {carrier}.
(It|the parcel) (is in the hands of|travels with|comes with|was handed to|is now with) {carrier}.
(Shipped|delivered|transported|brought) by {carrier}.
(The van of|our partner|a driver of) {carrier} (has it|brings it|is on the way).
{carrier} (brings it|will deliver it|has your parcel|is on the way|picked it up|got it this morning).
(Handed|given|passed) (over |)to {carrier}.
(Not|no longer) {x_company} (but|, this time) {carrier} (delivers|brings it).
(Sent|shipped|ordered|bought|packed) (by|at|from) {sender} (and handed to|via|with|by) {carrier}.
(From|sender:|sent by|packed by|it comes from) {sender}.
(You|I) (ordered|bought) (it |)(at|from) {sender}.
(You|I) ordered {content} (at|from) {sender}.
(Thank you|thanks) for (shopping|your order|ordering|buying) (at|from) {sender}.
(Greetings|many thanks|love) from {sender}.
The (sender|shop|seller|store) is {sender}.
{sender} (has packed|has sent|sent|shipped|dispatched|is sending) (it|your order|your parcel|the goods).
{sender} (has sent|sent|shipped|is sending) (you |){content}.
{sender} (says thank you|wishes you a nice day|team).
Your (team at|friends at|) {sender}.
Your {sender} (team|order|parcel).
Your {sender} order {order} (is confirmed|was shipped|is on its way|is packed).
(Your|the) order {order} (is confirmed|was shipped|is coming|is on its way|has been sent|is packed|left us).
(Order|order number|order no.|reference): {order}.
(The|your) (order number|order id|reference) is {order}.
(We have|we) (received|got|packed|shipped) (your |)order {order}.
(It belongs|this belongs|it refers) to order {order}.
(Order|your order) {order}, (parcel|tracking|tracking number) {number}.
(For|to|recipient:|addressed to|it is for|goes to) {recipient}.
(Dear|hello|hi) {recipient}, your (parcel|order|package) (is on its way|is coming|{x_number} was sent).
(The|our) (recipient|customer|addressee) is {recipient}.
(Please |)(deliver|hand|bring|give) it to {recipient}.
{recipient} (gets it|will get it|ordered it|is the recipient|is waiting for it).
{recipient}, {address}.
(Goes|is sent|will be delivered|will be brought|we deliver|delivery) to {address}.
(The|our|your) (delivery |shipping |)address is {address}.
(To|delivery to|address:|drop it at|brought to) {address}.
(Delivery|it goes) to {recipient}, {address}.
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
(Inside|content|contents|item|in the box|packed|product)(:|,) {content}.
(It|the box|the parcel) (contains|holds|has) (a |){content}.
(You|you have|I|we) (ordered|bought) (a |the |){content}.
(Your|the) {content} (is on its way|was shipped|has been sent|is coming|will arrive soon|left our shop).
(The|your) {content} (from|by) {sender} (is on its way|was shipped|is coming).
(The|your) {content} (will arrive|arrives|comes|will be delivered) {date}.
(It is|it's|there is|inside is) (a |the |){content} (in it|inside|).
(Article|product|goods): {content}, {price}.
(You get|we packed|we sent) (a |){content}.
{content} for {price}.
{count} (parcels|packages|boxes|pieces) (are coming|are on their way|in all|were sent).
(We sent|you get|there are|you ordered|expect) {count} (parcels|packages|boxes|pieces).
(In|it comes in) {count} (boxes|parcels).
(You paid|you pay|please pay|we charged|that makes|to pay|paid)(:|) {price}.
(The|your) (total|price|bill|sum|order total|amount) is {price}.
(Total|sum|amount|price|cost|order total|value)(:|) {price}.
(It|the order|everything) (costs|cost|comes to) {price} (in all|including shipping|).
(Shipping|postage) (was|is|costs) {x_price}, (the total is|total|in all) {price}.
{price} (were paid|have been paid|are due|by card).
(It|the parcel|the box) weighs {weight}.
(Weight|gross weight)(:|) {weight}.
(A|about|heavy:|it's) {weight} (parcel|box|in all|).
(Pick it up|collect it|you can get it|it waits for you|it is) (at|in|from) {pickup}.
(We left|I left|left|we put|deposited) it (at|in|with) {pickup}.
(Pickup|pickup point|collection point|parcel shop|safe place)(:| is) {pickup}.
(The|your) (PIN|pickup code|collection code|locker code) is {pin}.
(Show|use|enter|tell them|you need) (the code|code|PIN|the PIN) {pin}.
(PIN|pickup code|code for the locker)(:|) {pin}.
{pin} (opens the locker|is your pickup code|is the PIN).""".replace(", your (parcel|order|package) (is on its way|is coming|{x_number} was sent)", ", your (parcel|order|package) (is on its way|is coming|was sent)"), """{number}
#{number}
no. {number}
{carrier} {number}
{carrier}: {number}
{number} ({carrier})
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
1x {content}
1 x {content} {price}
{content}, {price}
{content} - {price}
x{count}
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
PIN {pin}
code {pin}
status: {status0}
{status0}
[{status0}]""".replace("{number} ({carrier})", "{number} / {carrier}"), """Shipping confirmation
Good news!
Your order is on its way.
Delivery note
Dispatch notice
Sorry we missed you!
Hooray, it is coming!
Order confirmation
Tracking update
Thank you for your order.
SMS from the courier:
A card in the letter box says:
Parcel service
Notification""", """Please be at home.
Track it online at any time.
Nobody needs to sign.
We hope you like it.
Thank you for your order.
Questions? Call our hotline.
You can return it within 30 days.
Please have your ID ready.
Keep this number.
Please do not reply.
Enjoy!
Leave it with a neighbour if I'm out.
The invoice comes by mail.
We are sorry for the trouble.""", share=1.1)


def _weight(choose):
    n = choose.rng.choice((choose.rng.randint(1, 31), round(choose.rng.uniform(0.1, 25), 1)))
    return f"{n} {choose.rng.choice(('kg', 'kg', 'kilos'))}", f"{n} kg", n
