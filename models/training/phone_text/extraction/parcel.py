"""Parcels and other orders."""
from . import parcel_classes, values
from .grammar import Domain, Field
from .parcel_patterns import SENTENCES as PATTERNS
from .parcel_phrasings import LINES, SENTENCES
from .values import same
from .wider import widen_contrasts, widen_domain

STATUS = {"shipped": ("has been shipped", "was sent", "has left our warehouse", "was dispatched", "has been posted", "was shipped", "has been sent out", "was mailed", "has left the shop",
                      "was put in the post"),
          "in transit": ("is on its way", "is in transit", "is on the road", "is travelling to you", "is under way", "is en route", "is between two depots", "is travelling"),
          "out for delivery": ("is out for delivery", "is in the delivery van", "is being delivered", "is with the driver", "is on the van", "is on the last mile", "was loaded for delivery"),
          "delivered": ("was delivered", "has been delivered", "was handed over", "has arrived", "is with you already", "was handed to the recipient", "got there", "has reached its recipient"),
          "delayed": ("is delayed", "will be late", "is running late", "needs more time", "is late", "takes longer than planned", "is held up", "got held up", "has been delayed", "is behind schedule", "is overdue"),
          "returned": ("was returned", "went back to the sender", "has been sent back", "goes back", "is going back to the sender", "was sent back", "is on the way back to the shop"),
          "ready for pickup": ("is ready for pickup", "can be collected", "is waiting to be collected", "is ready to be collected", "may be picked up", "can be picked up", "is ready for collection")}


def _status(choose, now, v):
    """Returns a status that the other facts do not contradict."""
    possible = ("ready for pickup",) if "pickup" in v or "pin" in v else ("shipped", "in transit", "delayed") if {"date", "time", "end"} & set(v) else tuple(STATUS)
    status = choose.rng.choice(possible)
    said = STATUS[status] if choose.side == "test" or choose.chance(0.4) else parcel_classes.STATUS[status]
    return choose.rng.choice(said), status, status


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
    "number": Field("string", "tracking number|number|tracking|parcel number|tracking code|shipment number|tracking id|package id|shipment id|tracking no|consignment number|package number|waybill number|parcel id|"
                    "parcel code|awb|tracking ref|consignment id|track and trace code",
                    "Tracking number|Tracking|Tracking no.|Parcel|Shipment|Tracking code|Parcel number|Tracking ID|Shipment no.|Consignment|Parcel no.|Track|Package|Waybill|Consignment no.|Package no.|Label no.|"
                    "Track & trace|Follow it with|AWB|Number of the parcel|Parcel ID|Track with|Trace code|Package number|Package code", lambda c, n, v: same(values.code(c))),
    "order": Field("string", "order number|order id|order|order no|purchase number|order reference|order code|order ref|purchase id|purchase order|order nr",
                   "Order|Order number|Order no.|Order ID|Your order|Purchase no.|Bestellnummer|Order ref.|Order reference|Purchase|Purchase order|Order code|Order #|Number of the order|PO number|Order nr.|Web order|"
                   "Shop order", lambda c, n, v: same(values.code(c))),
    "carrier": Field("string", "carrier|courier|delivery service|shipping company|parcel service|delivery company|shipping service|carrier name|courier name|transport company|delivery partner|haulier|delivery by",
                     "Carrier|Courier|Delivery by|Via|Transport|Delivery service|Shipping partner|Parcel service|Delivered by|Delivery company|Brought by|Who brings it|Courier service|Haulier|Delivery partner|"
                     "Transported by|Shipping via|Shipping method|Carried by|Driver from", lambda c, n, v: same(values.carrier(c))),
    "sender": Field("string", "sender|from|shop|store|seller|merchant|vendor|retailer|shop name|sold by|bought from|ordered from|store name|supplier|webshop|sender name|sent by",
                    "Sender|From|Shop|Store|Seller|Merchant|Vendor|Sold by|Ordered at|Absender|Retailer|Supplier|Bought at|Bought from|Ordered from|Sent by|Online shop|Webshop|Packed by|Purchased at|Supplied by|"
                    "Sender name|Dispatched by|Parcel from", lambda c, n, v: same(values.shop(c))),
    "recipient": Field("string", "recipient|to|customer|addressee|receiver|name|recipient name|customer name|deliver to|consignee|ship to|for|receiver name|delivered to|addressed to",
                       "Recipient|To|Customer|Addressee|Deliver to|Receiver|Name|For|Ship to|Attention|Attn|Customer name|Consignee|Addressed to|Hand to|For the attention of|Receiver's name|Name on the label|Meant for|"
                       "Parcel for|Who gets it|Delivery to", lambda c, n, v: same(values.person(c)), hinted=True),
    "address": Field("string", "address|delivery address|shipping address|destination|street|destination address|delivery street|street address|ship to address|recipient address|address line|where to",
                     "Address|Delivery address|Ship to address|Destination|Street|Goes to|Shipping address|Street and number|Where to|Deliver at|Recipient's address|House|Address line|Bring to|Delivered at|Address of delivery|"
                     "Drop it at|Place of delivery", lambda c, n, v: same(values.street(c))),
    "date": Field("string", "date|delivery date|arrives|expected|arrival|arrival date|expected date|eta|delivery day|estimated delivery|due date|arrives on|arrival day|expected delivery|delivery on|planned delivery|day|due|"
                  "scheduled date|estimated arrival",
                  "Delivery|Delivery date|Arrives|Expected|ETA|Arrival|Date|Estimated delivery|Due|Expected on|Planned|Arriving|Delivery day|Day|Scheduled for|Arrives on|Expected delivery|Comes|Delivery planned|Est. delivery|"
                  "Due on|Arrival date|Day of delivery|Planned for|Should arrive|Estimated arrival", lambda c, n, v: values.date(c, n)),
    "time": Field("string", "time|from time|window start|start|earliest|start time|time from|not before|earliest time|begin|slot start|delivery from|window from|after",
                  "Time|From|Earliest|Window from|Not before|Starting|After|Start|Earliest time|Begin|Slot starts|Time from|Window opens|Not earlier than|First possible time|At the earliest|Begins",
                  lambda c, n, v: values.clock(c), hinted=True),
    "end": Field("string", "until|window end|end|latest|to time|end time|time to|not after|latest time|slot end|delivery until|window to|before|no later than",
                 "Until|Latest|Window to|To|No later than|Before|End|Till|Not after|Latest time|Slot ends|Time to|Window closes|Not later than|At the latest|Ends|Last possible time", lambda c, n, v: values.clock(c), hinted=True),
    "content": Field("string", "content|contents|item|product|article|description|goods|what|item name|product name|inside|ordered item|article name|package contents|thing",
                     "Content|Contents|Item|Product|Article|Goods|Inside|You ordered|Description|What|Item name|In the box|In the parcel|What's inside|Product name|Ordered item|Article name|Thing|Merchandise|"
                     "Description of goods|What you ordered|What is in it", lambda c, n, v: same(values.good(c))),
    "count": Field("integer", "number of parcels|parcels|pieces|quantity|count|boxes|packages|parcel count|number of packages|number of boxes|number of pieces|how many parcels|package count|total parcels",
                   "Quantity|Qty|Pieces|Parcels|Count|Number of parcels|Pcs|Boxes|Packages|No. of parcels|Number of boxes|Number of pieces|Parcel count|How many parcels|How many|Parcels in all|Packages in total|Colli",
                   lambda c, n, v: values.count(c, 9)),
    "price": Field("number", "price|total|cost|amount|total price|sum|order total|value|amount paid|paid|total cost|amount due|to pay|order value|purchase price|grand total|charge",
                   "Price|Total|Amount|Cost|Sum|Order total|Paid|Value|To pay|Grand total|Amount due|Total price|You paid|Order value|You pay|Purchase price|Charged|Invoice total|Total cost|In all|Payment|Cash on delivery|"
                   "Total with postage|Amount paid|Declared value", lambda c, n, v: values.price(c)),
    "weight": Field("number", "weight|weight kg|kilograms|kg|parcel weight|weight in kg|gross weight|mass|package weight|kilos|shipping weight",
                    "Weight|Weight in kg|Kg|Gross weight|Mass|Parcel weight|Wt|Weighs|Total weight|Shipping weight|Package weight|How heavy|Weight of the parcel|Wt.|Kilos", lambda c, n, v: _weight(c)),
    "pickup": Field("string", "pickup place|pickup point|pickup|collection point|left at|safe place|pickup location|parcel shop|collect at|collection place|drop point|deposited at|where to collect|stored at|collect from|kept at",
                    "Pickup|Pickup point|Collect at|Collection point|Left at|Safe place|Parcel shop|Deposited|Pick up at|Pickup place|Collect from|Where to collect|Place of collection|Deposited at|Stored at|Left in|Kept at|"
                    "Pickup location|Can be collected at|Put in", lambda c, n, v: same(values.place(c))),
    "pin": Field("string", "pin|pickup code|collection code|locker code|access code|pickup pin|pin code|unlock code|locker pin|secret code|opening code",
                 "PIN|Pickup code|Collection code|Access code|Locker code|Unlock code|PIN code|Pickup PIN|Your PIN|Locker PIN|Secret code|Code for the locker|Opens with|Opening code|Code for pickup|Show this code|Door code",
                 lambda c, n, v: same(values.code(c, True))),
    "status": Field("enum", "status|state|delivery status|current status|progress|tracking status|parcel status|shipment status|shipping status|current state|stage|phase|situation",
                    "Status|State|Delivery status|Current status|Progress|Tracking status|Now|Stage|Current state|Parcel status|Shipment status|Shipping status|Last scan|Latest status|Phase|Situation|Last update",
                    _status, choices=STATUS, hinted=True),
}, ("number",), SENTENCES, LINES, """Shipping confirmation
Good news!
A note about your order.
Delivery note
Dispatch notice
Sorry we missed you!
Hooray, a parcel!
Order confirmation
Tracking update
Thank you for your order.
SMS from the courier:
A card in the letter box says:
Parcel service
Notification""", """Please be at home.
Track it online at any time.
You can follow it in the app.
We hope you like it.
Thank you for your order.
Questions? Call our hotline.
You can return it within 30 days.
Please have your ID ready.
Keep this number.
Please do not reply.
Enjoy!
Ring twice, please.
The invoice comes by mail.
We are sorry for the trouble.""", share=1.1,
    facts_like=r"parcel|rrive|costs?\b|paid|euros|around|\bcode\b|number|\b[Gg]ave|\b[Gg]ive|lent|belongs|eave the|with|dea\b|ift|\bfor [A-Z]|shop|I put|[Ww]e left|need|door|\bat\b|\bowes?\b|sent|send|bought|bring|come|"
               r"coming|I'm in|[Ll]eft|kilo|\bin the\b|Terms apply|late\b|[Dd]elay")


def _weight(choose):
    n = choose.rng.choice((choose.rng.randint(1, 31), round(choose.rng.uniform(0.1, 25), 1)))
    return f"{n} {choose.rng.choice(('kg', 'kg', 'kilos'))}", f"{n} kg", n


widen_domain(PARCEL, PATTERNS, parcel_classes.LINES, parcel_classes.LABELS, parcel_classes.CLASSES)
widen_contrasts(PARCEL, {
    "date": ("date", ""), "carrier": ("company", "|by |with "), "address": ("street", "|to |at "), "price": ("price", ""), "recipient": ("name", "|to |for "),
    "sender": ("shop", "from |sold by |bought at "), "content": ("thing", "the |a "), "number": ("code", "parcel |tracking number "), "order": ("code", "order |order number "),
    "pin": ("code", "PIN |the locker code "), "pickup": ("place", "left at |collect it at "), "time": ("time", "from |not before "), "end": ("time", "until |by ")}, 0.13)
