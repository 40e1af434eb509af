"""Sentences of parcels, put together of the classes of words in parcel_classes.py. A date, price, name, place or code beside the wanted one is said
with what it is instead ("ordered on Monday", "postage"), and only beside the field that it could be taken for."""

SENTENCES = """
<pol><track> <it> <with> {number}
<pol><track> <it> in <field> <with> {number}
<with> {number} you (can|may|could|are able to) <track> <it>
{number} (lets you|allows you to|is there to|is how you|helps you) <track> <it>
<the> <tracknum> <isv> {number}
<the> <tracknum>, {number}, (is on the receipt|came by mail|is new|works now|is valid at once)
{number} is <the> <tracknum>
{number} (will be|was|serves as|acts as|remains|became|counts as) <the> <tracknum>
<rep> <the> <tracknum> is {number}
<pol><keepv> <the> <tracknum> {number}<please>
<pol><keepv> {number}, (it's|that's|this is) <the> <tracknum>
<the> <parcel> was <scan> <as> {number}
<it> was <scan> <as> {number} (at the depot|by the courier|on our side|without trouble|in two countries|this time)
(registered|known|listed|to be found) <as> {number}: <the> <parcel>
<the> <parcel> {number} <trait>
<parcel> {number} <trait>
<ask> <the> <parcel> {number}?
<ask> <parcel> {number}
(what's the tracking number|how can I track it|which number is on the label|what do I type in to follow it|and the parcel number|number of the parcel)? {number}
(Q:|Question:) <tracknum>? (A:|Answer:) {number}
<the> (label|sticker|slip|receipt|barcode) (says|shows|reads|has|bears) {number}
(on the label|on the box|under the barcode|on the slip) (it says|stands|you find|you read|is printed) {number}
(type|enter|paste|put|copy|fill in|key) {number} into <field>
<boss> (stuck|glued|printed|wrote|stamped) {number} on <the> <parcel>
{number} (is printed|was stuck|is written|was stamped|stands) on <the> <parcel>
<driver> (scanned|read|noted|wrote down|needs|asked for) {number}, <the> <tracknum>
if <it> gets lost, (quote|tell them|mention|give them) {number}
the <tracknum> is not {x_code}(, it's|, but| - it is) {number}
{x_code} is <the> customer number, {number} (is <the> <tracknum>|tracks <it>)
(wrong|old|invalid) <tracknum>: {x_code}, (right|new|valid) one: {number}
<the> <parcel> {number} (is|comes) from {sender}
<parcel> {number} <forp> {recipient}
<the> <parcel> {number} <weighs> {weight}
<parcel> {number} <comes> {date}
<carr> {carrier}, <tracknum> {number}
{carrier} (calls it|has it as|gave it the number|lists it as|knows it as|assigned) {number}
{carrier} <bring> <the> <parcel> {number}
{carrier} <handle> <the> <parcel> {number}
<the> <parcel> {number} goes to {recipient}, {address}
with {carrier}, (as|under|number) {number}
(order|purchase) {order}, <tracknum> {number}
<the> order {order} can be tracked with {number}
order {order} (travels as|is in|went into|corresponds to) <parcel> {number}
<the> <ordernum> <isv> {order}
{order} is <the> <ordernum>
{order} (will be|was|serves as|remains|counts as) <the> <ordernum>
<rep> <the> <ordernum> is {order}
<pol><keepv> <the> <ordernum> {order}<please>
<pol><keepv> {order}, (it's|that's|this is) <the> <ordernum>
(what's the order number|which order is it|under which number did you order|and your order number|order number please)? {order}
(Q:|Question:) <ordernum>? (A:|Answer:) {order}
<buyer> <buy> it under (order|the order number|order no.) {order}
<ask> <the> order {order}
<ask> (order|purchase) {order}?
<boss> (got|received|confirmed|accepted|processed|cancelled part of|checked|found|merged|booked) <the> order {order}
<the> (order|purchase) {order} (is complete|is paid|is confirmed|is in our books|was placed by phone|was changed|is a gift|has two items)
(thank you for|thanks for|we appreciate|we confirm|we are happy about|we are working on) your order {order}
<it> (belongs to|is part of|completes|goes with|is the rest of|is the first half of) order {order}
(invoice|receipt|bill|delivery note|complaint|voucher) for order {order}
<the> <ordernum> is not {x_code}(, it's|, but| - it is) {order}
{x_code} is the customer number, {order} (is <the> <ordernum>|the order)
(customer number|invoice number|article number) {x_code}, <ordernum> {order}
order {order} (from|at|with) {sender}
<buyer> placed order {order} (with|at) {sender}
{sender} (confirms|processed|packed|got|thanks you for) order {order}
order {order}, {content}
order {order} (costs|comes to|was|is) {price}
order {order} <comes> {date}
order {order} (by|of|placed by|in the name of) {recipient}
(order|purchase) {order}, {count} <parcels>
<it> is <moved> by {carrier}
<it> (will be|gets|was|has been|is being|is to be) <moved> by {carrier}
<driver> (is|comes|drives|works|was sent) (from|for) {carrier}
{carrier} <bring> <it>
{carrier} <bring> <it> {date}
<rep> {carrier} <bring> <it>
{carrier} <handle> <it>
{carrier} <handle> <it><tail>
<rep> {carrier} <handle> <it>
<the> <carr> (is|was|will be|is called) {carrier}
{carrier} is <the> <carr>
<boss> <use> {carrier} (for this|this time|as usual|for big boxes|for the transport|as the courier|to bring it|for the last mile)
<boss> <gave> <it> to {carrier}
<it> was <gave> to {carrier}
(sent|shipped|travels|goes|comes|dispatched|posted) <by> {carrier}
(carried|transported|transport|delivery|moved|driven|to your door|brought) (by|with|via|through) {carrier}
<it> (travels|goes|comes|ships|is shipped) <by> {carrier}
<expect> the {carrier} <van>
the {carrier} <van> (brings it|has it|rings twice|will call you|is looking for the house|needs your signature|comes up the stairs)
<the> {carrier} <van> <bring> <it>
(who brings it|who delivers|which courier is it|which carrier|who comes|who carries it)? {carrier}
(ask|call|contact|write to|complain to|phone) {carrier}, (they bring it|they are the courier|they have the parcel|who deliver it)
(not|no longer|this time not) {x_company}, {carrier} <bring> <it>
{x_company} (had no time|was too dear|is on strike|lost the last one|doesn't come here), so {carrier} <bring> <it>
{carrier} (replaces|stands in for|took over from|is faster than) {x_company} and <bring> <it>
<boss> (left|dropped|gave up on|had enough of) {x_company} and <use> {carrier}
{carrier} <bring> <it> to {address}
{carrier} <bring> <the> {content}
{carrier} <handle> <the> {content}
{carrier} <bring> {count} <parcels>
{carrier} (comes|rings|will come|calls|stops by) {date} between {time} and {end}
{sender} (uses|ships with|sends everything with|works with|relies on) {carrier}
<buyer> <buy> it from {sender}, {carrier} <bring> it
{sender} <sold>, {carrier} <bring> it
{carrier} <bring> it, {sender} <sold>
{sender} (gave|handed) it to {carrier}
from {sender} <by> {carrier}
in the hands of {carrier} (now|for the moment|at last|already|again)
<it> is <from> {sender}
<it> (comes|came|originates|was sent) from {sender}
<the> <shopn> (is|was|is called|calls itself) {sender}
{sender} is <the> <shopn>
{sender} <sold>
<rep> {sender} <sold>
<buyer> <buy> <it> (at|from) {sender}
<buyer> <buy> (something|this|it|a present|a lot|far too much|the thing) (at|from) {sender} (again|online|last week|by phone|)
(shopping|an order|a purchase|a bargain|shopping spree) (at|from) {sender}
<the> {sender} (order|parcel|purchase|package|goodies|haul|delivery) (is registered|needs a signature|is a gift|is complete|looks big|should not be opened yet|is for the birthday)
(thank you|thanks|many thanks) for (your order|your purchase|shopping|your trust|ordering|coming back)(, your|: your|, the team of|, yours,) {sender}
(who sent it|where is it from|which shop|where did you buy it|who is the seller|where did you order)? {sender}
(a|another|the|one more|this) <parcel> from {sender}
(it's|that's|that's certainly) not from {x_shop}(, it's from|, but from| - it is from) {sender}
<buyer> (looked at|compared|almost ordered at|sent one back to) {x_shop} and <buy> it (at|from) {sender}
{x_shop} (was sold out|was too expensive|had none left|closed down), so <buyer> <buy> it at {sender}
{sender}, (not|and not|rather than) {x_shop}, <sold>
(greetings|a big thank you|best wishes|all the best) from {sender}, <the> <shopn>
(returns|complaints|questions) (to|go to|please to) {sender}, (who sold it|the seller|the shop|the sender)
(something|a present|a box|goods|a surprise|the rest) <from> {sender}
<buyer> <buy> <adj> {content} (at|from) {sender}
{sender} (sold|sends|posted|mailed|sent|is sending|owes) (me|us|you|her|him) <adj> {content}
{sender} <pack> <adj> {content} for {recipient}
{sender} (sends|mails|posts) it to {recipient}
{sender} (sends|ships|mails) it {date}
{sender} charged {price}
{content} from {sender} for {price}
{count} <parcels> from {sender}
<it> is <forp> {recipient}
<forp> {recipient}: <the> <parcel>
{recipient} <gets>
<rep> {recipient} <gets>
<pol><hand> to {recipient}<please>
<boss> (will|should|must|can) <hand> to {recipient}
<the> <recip> (is|was|is called|will be) {recipient}
{recipient} is <the> <recip>
(who gets it|who is it for|whose parcel is it|which name is on it|to whom|who has to sign)? {recipient}
(only|nobody but|just) {recipient} (may|can|should|must) (sign|open it|accept it|take it|unpack it|receive it)
<the> (label|sticker|box|slip|address) (says|reads|names|is made out to|has the name) {recipient}
(not for|no longer for|it isn't for) {x_name}, <forp> {recipient}
{x_name} (signed for|accepted|paid for|picked out|asked about) it, {recipient} (is the addressee|is the recipient|gets it|is on the label)
{recipient} <gets>, not {x_name}
{x_name} (paid|ordered|chose it|picked it), but <recip> is {recipient}
don't leave it with {x_name}, (it's|it is) <forp> {recipient}
(Q:|Question:) <recip>? (A:|Answer:) {recipient}
(show|find|look for|ring) the bell (of|with the name|marked) {recipient}
(it has|there's|you see) the name {recipient} (on the label|on the box|in big letters|next to the address)
(a neighbour|my neighbour|the neighbour), {x_name}, (rang|called|told me), <it> is <forp> {recipient}
(dear|hello|hi|good morning|good evening) {recipient}, (a parcel is coming|we have a box for you|here is your delivery note|thank you for your order)
(a|one|another|the) <parcel> <forp> {recipient}
{recipient} (lives at|waits at|works at|is at|opens at) {address}
{recipient} <buy> <adj> {content}
{recipient} (paid|owes|was charged) {price}
{recipient} gets {count} <parcels>
{recipient} should be <home> {date}
<hand> to {recipient} at {address}
<the> {content} <forp> {recipient}
{recipient}, (you can|please|you may) collect it (at|from) {pickup}
<it> <goes> to {address}
<it> <goes> to {recipient} at {address}
<pol><deliver> <it> to {address}<please>
<driver> (comes|goes|drives|heads|will come|is sent|was directed) to {address}
<the> <addr> (is|was|reads|stays|will be|has become) {address}
{address} is <the> <addr>
{address} (is where it goes|is where we deliver|is on the label|is what I typed in|is what the label says|is the place|is the house to look for)
<rep> it goes to {address}
(where to|where does it go|which address|where shall we ring|where do you live|what's on the label)? {address}
(ring|knock|stop|unload|park|drop it|call) (at|in front of|outside) {address}
(I|we) (live at|wait at|gave them|typed in|entered|wrote|meant|confirmed|ordered it to) {address}
not to {x_street}(, but|, rather|;|, please) to {address}
{x_street} is (the billing address|the old address|where the invoice goes|the address of the shop|wrong), <it> <goes> to {address}
(changed|redirected|rerouted|moved) from {x_street} to {address}
<pol><deliver> it to {address}, not to {x_street}
<it> <goes> to {address} now, <buyer> moved out of {x_street}
(delivery|shipping|transport|drop-off|home delivery) to {address}
(somebody will be|we are|you find us|the bell is|the door is|the office is) at {address}
(at|in) {address} (they ring|is where they ring|somebody is in|the door is open|is where it is wanted)
<the> {content} <goes> to {address}
<the> {count} <parcels> go to {address}
<driver> (comes|rings|will be) at {address} {date}
<driver> (comes|rings|is) at {address} between {time} and {end}
(your|our|the) (door|house|flat|office|hall|porch) at {address} is where <driver> will <ring>
(I'm|we're|she's|he's) staying at {address} (for now|this week|at the moment), so <pol><deliver> it there
(a|one) <parcel> (bound for|on its route to|with the address|directed to|labelled) {address}
the bill goes to {x_street}, the (box|parcel|goods) (to|should go to|must go to) {address}
<rep> <driver> was at {x_street}, but it <goes> to {address}
(enter|type|put|write|use) {address} as the (delivery address|address|destination|place to deliver to)
<expect> <driver> at {address}
(Q:|Question:) <addr>? (A:|Answer:) {address}
<it> <comes> {date}
{date} <it> <comes>
<rep> <it> <comes> {date}
{date}<tail> <it> <comes>
<driver> <bring> <it> {date}
{date} <driver> <bring> <it>
<pol><expect> <it> {date}
<pol><expect> <driver> {date}
<expect> <driver> {date}
<pol>be <home> {date}, <why>
{date} (you should|somebody must|you must|someone has to|one of us has to) be <home>, <why>
<the> <dday> (is|:|will be|was set to|stays|has become) {date0}
{date0} is <the> <dday>
{date0} (was given as|has been confirmed as|was chosen as|remains) <the> <dday>
<rep> <the> <dday> is {date0}
(when does it come|when will it be here|when is it due|which day|when do they deliver|when shall I be in|any date)? {date0}
(Q:|Question:) <dday>? (A:|Answer:) {date0}
(delivery|arrival|drop-off|the delivery) (is|was) <planned> {date}
<planned> {date}: (delivery|arrival of the parcel|the courier|the van with the box)
(note|mark|remember|in the calendar|on my calendar)(:|,) {date0}, (the courier comes|delivery|the parcel comes|parcel day)
<paid2> {x_date}, (due|it comes|arriving|expected|to be here) {date}
<it> was <paid2> {x_date} and <comes> {date}
<buyer> <buy> it {x_date} and it <comes> {date}
{date}, not {x_date}, <driver> <bring> <it>
not {x_date}(,|;| -) {date} <it> <comes>
it <comes> {date}, <closes> {x_date}
<closes> {x_date}, <it> <comes> {date}
<the> <dday> (moved|was moved|changed|slipped) from {x_date0} to {date0}
{x_date0} is when it was <paid2>, {date0} is <the> <dday>
(no|nobody at the door, no) (delivery|courier|van) {x_date}, (but|only) {date}
<pol>tell <driver> to come {date}
(I|we|they) (want|need|asked for|would like|hope for|agreed on) (it|delivery|the parcel) {date}
(promise|a promise|promised)(:|,) <it> <comes> {date}
{date0} (is fine|suits us|works for me|is alright) for the (delivery|courier|parcel)
<it> <comes> {date} (between {time} and {end}|{span}|after {time}|before {end})
<driver> <bring> <it> {date} {span}
<the> {content} <comes> {date}
<it> <comes> {date}, {carrier} <bring> it
<it> <comes> {date} and <weighs> {weight}
<it> <comes> {date}, please have {price} ready
{date} <the> <parcel> from {sender} <comes>
<the> <parcel> <forp> {recipient} <comes> {date}
<driver> (can't|won't|will not|must not|isn't allowed to|is not going to|couldn't) <ring> before {time}
<driver> (will|can|may|should|would rather) <ring> <early> {time}
<driver> (wants to|is going to|plans to|is asked to|promised to) <ring> <early> {time}
<the> <window> <opens> at {time}
<the> <window> <shuts> at {end}
<the> <window> <opens> at {time} and <shuts> at {end}
<the> <window> is {span}
<rep> the <window> is {span}
{span} is <the> <window>
(when do they ring|what time|when will he be here|which hours|which slot did you choose)? {span}
(when does the slot start|from when|how early|what's the earliest|when does the round begin)? {time}
(when does the slot end|until when|how late|what's the latest|when are they done)? {end}
{time} is (when the slot starts|the earliest|when the driver sets out|the start of the window|when the round begins)
{end} is (when the slot ends|the latest|when the driver is done|the end of the window|when the round is over)
<driver> (will|should|must|has to|wants to) <ring> <late> {end}
<it> <comes> <early> {time}
<it> <comes> <late> {end}
<it> <comes> <early> {time} and <late> {end}
<pol>be <home> (from|after|starting at|as of) {time} (until|till|up to|to) {end}
<pol>be <home> from {time}, <why>
<pol>be <home> until {end}, <why>
<driver> (stays|drives|works|is on the road|is on the round) until {end}
<driver> (sets off|starts|leaves the depot|begins) at {time}
<busy> until {x_time}, so please <ring> <early> {time}
<busy> at {x_time}, so please <ring> <late> {end}
(not at|no longer at|don't come at) {x_time}, <driver> should <ring> <early> {time}
(any time|at some point|whenever it suits) between {time} and {end}
between {time} and {end} <driver> will <ring>
between {time} and {end}, not at {x_time}, <driver> will <ring>
{time} to {end}, says <driver>
(until|till|by) {end}, but <early> {time}
<late> {end} and <early> {time} <driver> will <ring>
<it> <comes> <late> {end}, but <early> {time}
the <window> <shuts> at {end}, it <opens> at {time}
the <window> <shuts> at {end} and <opens> at {time}
(the latest|the end|latest) (is|:) {end}, (the earliest|the beginning|earliest) {time}
(the earliest|the beginning|earliest) (is|:) {time}, (the latest|the end|latest) {end}
<driver> (is done|stops|knocks off|goes home) at {end} and (begins|starts|sets off) at {time}
<driver> (begins|starts|sets off) at {time} and (is done|stops|knocks off|goes home) at {end}
{end} is (the latest|the end of the window|when they stop), {time} (the earliest|the start|when they begin)
<pol>be <home> from {time}, you can (leave|go|go out again|relax|forget it) at {end}
<pol>be <home> when the round starts at {time}, <driver> (is gone|will be gone|has finished|leaves) at {end}
if <driver> hasn't come by {end}, (call us|ring the hotline|tell us|write to us|complain), before {time} (nobody comes|there is no point|it's too early)
<driver> won't <ring> (before|earlier than) {time}
<driver> won't <ring> (after|later than|past) {end}
(nobody|no driver|no courier|none of us) will <ring> before {time}
(nobody|no driver|no courier|none of us) will <ring> after {end}
(sleep in|have breakfast|take a shower|go shopping first|no need to get up early)(,|:) <driver> will <ring> <early> {time}
(don't go out|stay put|wait|cancel your plans|hold on) until {end}(,|:) <why>
if (nothing comes|nobody rings|the bell stays silent|you hear nothing) by {end}, (call us|ring the hotline|tell us|write to us|complain)
<rep> <driver> will <ring> <early> {time}
<rep> <driver> will <ring> <late> {end}
the slot moved: it <opens> at {time}, not at {x_time}
the slot was cut: it <shuts> at {end}, not at {x_time}
<driver> <bring> {count} <parcels> <early> {time}
<the> <thing> is <adj> {content}
<inside> <is3> <adj> {content}
<boss> <pack> <adj> {content}
<adj> {content} was <pack>
<adj> {content} <is3> <inside>
<buyer> <buy> <adj> {content}
<adj> {content} is what <buyer> <buy>
<rep> <the> <thing> is <adj> {content}
<pol><deliver> <adj> {content}
<adj> {content} <comes> soon
(what's inside|what did you order|what is in it|what's in the box|what did you buy|which article)? <adj> {content}
(have you ordered|did you buy|who ordered|whose is|are you waiting for) <adj> {content}?
(finally|at last|hooray|good news|surprise|unboxing): <adj> {content}
<it> (contains|holds|has|should contain|conceals|consists of|turns out to be) <adj> {content}
not the {x_thing}, the {content} is <inside>
<buyer> wanted the {x_thing} and got the {content}, that is <inside>
there was no {x_thing} left, so <boss> <pack> the {content}
<inside> <is3> the {content}, the {x_thing} (is sold out|will not come|was cancelled|is no longer made)
(open|unpack|handle|carry|unwrap) the {content} with care
the {content} (is a gift|is for the birthday|needs batteries|must be put together|has a warranty|was on offer|was the last one|looks great in the photo)
(thanks for|thank you for|you treated yourself by|congratulations on) (ordering|buying|choosing) the {content}
<buyer> <buy> <adj> {content} for {price}
<adj> {content}, <sum> {price}
<adj> {content} <costs> {price}
<adj> {content} <weighs> {weight}
<adj> {content} (comes|is packed|was put) in {count} <parcels>
<it>, <adj> {content}, <trait>
(Q:|Question:) <thing>? (A:|Answer:) {content}
(what a|such a) (big|small|funny|flat|heavy) box for <adj> {content}
(I|we|she) (hoped|thought|guessed|knew|heard) it's <adj> {content}
<adj> {content} <comes> {date}, says {sender}
<it> (is|was|comes|will be|had to be|gets|has been) <split> <into> {count} <parcels>
<it> <consist> {count} <parcels>
<driver> <bring> {count} <parcels>
<driver> <bring> {count} <parcels> <alltog>
<boss> (packed|sent|labelled|filled|counted|posted|handed in|registered) {count} <parcels>
{count} <parcels> (belong together|make up the order|will come|have to be signed for|go out together|are too many for me|block the hall|fill the van)
(expect|await|sign for|look out for|make room for|count on|be ready for) {count} <parcels>
(how many parcels|how many boxes|how many pieces|one parcel or more|in how many boxes)? {count}
<rep> there are {count} <parcels>
there (are|will be|should be|were|must be) {count} <parcels> <alltog>
(this|it|that|this one) is the first of {count} <parcels>
(not one|not a single) box but {count} <parcels>
{count} <parcels> with {x_number} (screws|leaflets|bulbs|bottles|stickers|tiles) in them
{count} <parcels> <alltog>
{count} <parcels>, {weight} <alltog>
{count} <parcels> for {recipient}
{carrier} <bring> {count} <parcels> <alltog>
<buyer> (expected|got|received|unloaded|signed for|counted) {count} <parcels>
(only|just|as many as|no fewer than|no more than|exactly|a total of) {count} <parcels>
a (pile|pallet|stack|load|batch|trolley) of {count} <parcels>
<the> <thing> was too big, so there are {count} <parcels>
if not all {count} <parcels> (arrive|are there|come|are in the hall), call us
(Q:|Question:) how many <parcels>? (A:|Answer:) {count}
<buyer> <topay> {price} (for it|for this|for everything|for the order|for the thing|)
<buyer> <topay> {price} <allin>
<it> <costs> {price}
<it> <costs> {price} <allin>
<the> <sum> (is|was|comes to|will be|amounts to|stands at) {price}
{price} is <the> <sum>
{price} <allin>
<rep> <the> <sum> is {price}
{price} (was taken from|was charged to|will be debited from|went off|left) (your card|my account|the account|the credit card)
<driver> (collects|wants|takes|will ask for|has to be paid|expects|gets) {price} (at the door|in cash|from you|on delivery)
(have|keep|lay out|count out|prepare|put aside) {price} (ready|in cash) for <driver>
(how much is it|what does it cost|what's the total|how much did you pay|and the price|what do I owe)? {price}
(Q:|Question:) <sum>? (A:|Answer:) {price}
<off> (it says|stands|I read|you see|there is) {price}
{price}, (of which {x_price} is postage|{x_price} of it is for shipping|including {x_price} postage|{x_price} of that is tax)
(postage|shipping|delivery) (is|was|costs) {x_price}, <the> <sum> {price}
(reduced|cut|down|marked down) from {x_price} to {price}
{price} instead of {x_price}
(usually|normally|before the sale|without the voucher) {x_price}, <buyer> <topay> {price}
<buyer> saved {x_price} and <topay> {price}
the voucher took off {x_price}, <the> <sum> is {price}
(I|we|you) (owe|still owe|have to pay|must pay|will be charged) {price} (for it|for the order|at the door|in cash|)
(you owe|still open is|to be paid|cash on delivery is|due at the door is) {price}
(we received|thank you for|we booked|we got) (your payment of|your transfer of|the) {price}
<it> <weighs> {weight}
<it> <weighs> {weight} (on the scales|in all|with the packing|says the label|more or less|to be exact)
<the> <wnoun> (is|was|reads|comes to|will be) {weight}
{weight} is <the> <wnoun>
<it> is <heavy>: {weight}
<it> is <heavy>, {weight} (in all|altogether|all told|I'd say|to be exact|says the label)
<rep> <it> <weighs> {weight}
(how heavy is it|what does it weigh|what's the weight|is it heavy|how many kilos)? {weight}
<boss> (weighed|measured|calculated|declared|carried|lifted|lugged) {weight}
(the scales|the label|the slip|our scales|the kitchen scales) (showed|said|gave|had|came to) {weight}
(can you|could somebody|who can|will you) (carry|lift|move|manage|take) {weight}?
(a|this|that) <parcel> of {weight}
(get help|bring a trolley|two people please|mind your back|ask a strong friend), <it> <weighs> {weight}
{weight} (on the scales|to carry|to lift|up the stairs|says the scale|of pure joy)
(allowed are|the limit is|the maximum is|up to) {x_number} kg, <it> <weighs> {weight}
<it> with {weight} is <heavy>
<the> {count} <parcels> weigh {weight}
<buyer> (nearly dropped|had to carry|dragged home|heaved upstairs|got) {weight}
<the> {content} with its (box|packing|stand|foam|crate) <weighs> {weight}
(a feather|no feather|a monster|a colossus|a lightweight|quite a brick|a bit of a lump)(,|:) {weight}
(for the papers|for customs|for the label|for the record|on the form), <wnoun> {weight}
(because of|with|owing to|due to|thanks to) its {weight} <it> (costs extra|goes by lorry|needs two people|needs a trolley|is bulky goods)
{weight} (strong|heavy|gross|with the packing|with the box|in weight) is <it>
<it>, {weight} (strong|heavy|gross|in weight), <trait>
<driver> (groaned|swore|sighed|puffed) under {weight}
(charged|declared|booked|announced|entered) as a <parcel> of {weight}
{weight} (fits on a bike|fits under my arm|is nothing for him|is hard on the back|needs a trolley)
(Q:|Question:) <wnoun>? (A:|Answer:) {weight}
<pol><collect> (at|in|from) {pickup}
<pol><collect> (at|in|from) {pickup}<please>
<buyer> (can|may|must|should|could|will|has to) <collect> (at|from) {pickup}
<driver> <left> <it> (at|in) {pickup}
<it> was <left> (at|in) {pickup}
<it> <lies> (at|in) {pickup}
<it> <lies> (at|in) {pickup} (now|for a week|behind the counter|until you come|under your name|for safety|)
<nobody>, so <it> <lies> (at|in) {pickup}
<nobody>, so <driver> <left> <it> (at|in) {pickup}
<the> <pnoun> (is|was changed to|will be|is called|stays) {pickup}
{pickup} is <the> <pnoun>
{pickup} (keeps it for you|has your parcel|took it in|is where it was left|is where you get it|is where to collect it|stores it for a week)
<rep> <it> <lies> (at|in) {pickup}
(where is it now|where can I collect it|where was it left|where do I pick it up|which parcel shop|where did you put it)? {pickup}
(come|go|drive|walk|hop over|pop over) to {pickup} (and|to) <collect>
(not|no longer) at {x_place}, <it> <lies> at {pickup}
{x_place} is closed, so <pol><collect> at {pickup}
<it> was moved from {x_place} to {pickup}, <pol><collect> there
(look|search|check|have a look) (at|in) {pickup}, <driver> <left> it there
<it> <lies> at {pickup} for {recipient}
<pol><collect> at {pickup}, the <pincode> is {pin}
<it> <lies> at {pickup}, <locker> <unlock> with {pin}
{carrier} <left> <it> (at|in) {pickup}
<driver> (found nobody|had no luck|couldn't wait|rang in vain|had a full van), so <it> <lies> (at|in) {pickup}
<driver> (found nobody|had no luck|couldn't wait|rang in vain), so <pol><collect> (at|in|from) {pickup}
<pol>ask <driver> to (leave|put|drop|hide|deposit) it (at|in) {pickup}
(at|in) {pickup} you can <collect>
(somebody|the people|a friendly lady|they|the man) at {pickup} (took it in|keeps it|has it|will hand it over|looks after it)
(Q:|Question:) <pnoun>? (A:|Answer:) {pickup}
(opening hours apply|ID needed|bring your ID|bring this card)(:|,) <pnoun> {pickup}
<the> {content} <lies> (at|in) {pickup}
<the> <pincode> <isv> {pin}
{pin} is <the> <pincode>
{pin} (opens|unlocks|will open|is what opens|is the key to) <locker>
<locker> <unlock> with {pin}
<locker> <unlock> if you <enter> {pin}
<pol><enter> {pin} <counter>
<pol><enter> the code {pin} <counter>
to <collect>, <enter> {pin}
<counter> <enter> {pin}
<rep> <the> <pincode> is {pin}
<boss> <sent> (me|us|you|her|him) <the> <pincode>, {pin}
<pol><keepv> <the> <pincode> {pin}<please>
<pol><keepv> {pin}, (it's|that's|this is) <the> <pincode>
(what's the PIN|which code opens it|how do I open the locker|code for the locker|what do I type at the locker|do I need a code)? {pin}
(Q:|Question:) <pincode>? (A:|Answer:) {pin}
(you need|they want|you'll be asked for|you have to give|it takes) {pin} <counter>
{x_code} no longer (opens|unlocks|works for) <locker>, {pin} does
<the> <pincode> is not {x_code}(, it's|, but| - it is) {pin}
(the old PIN was|not) {x_code}, <locker> <unlock> with {pin}
only {pin} (opens|unlocks|will open|releases) <locker>
<recip> {recipient}, <pincode> {pin}
(whoever|the person who) collects it (needs|should know|has to type|must say) {pin}
<locker> (stays shut|stays locked|won't open|won't budge) (without|unless you <enter>) {pin}
(at|from) {pickup} with the <pincode> {pin}
<nobody>, so it is in <locker>, <pincode> {pin}
(remember|learn|don't forget|mind|psst,|secret:) {pin}, (it|that|this) (opens|unlocks|will open) <locker>
<locker> (asks|will ask|is going to ask) for <the> <pincode>: {pin}
{pin} and <locker> (opens|springs open|is open|lets it go)
(when|once|as soon as) you <enter> {pin}, <locker> <unlock>
<it> {status}
<it> {status}<tail>
<now> <it> {status}
<rep> <it> {status}
<worry>, <it> {status}
<the> {content} {status}
(where is it|what's the status|how far is it|any news|what happened to it|what does the app say|is it here)? it {status}
<the> <parcel> with the {content} {status}
<the> <parcel> from {sender} {status}
<the> <parcel> <forp> {recipient} {status}
<the> <parcel> {number} {status}
<rep> <the> <parcel> {number} {status}
order {order} {status}
<the> order {order} {status}<tail>
<ask> <it>? it {status}
<the> <parcel> {number} from {sender} {status}
<buyer> <buy> <adj> {content} and it {status}
(the app|the map|the tracking page|a mail|the hotline) (just told me|now tells me|lets me know|confirms) <it> {status}
(first nothing happened|for a while nothing moved|after some to and fro), <now> <it> {status}
(you ask where it is|in case you wonder|for those who wait|to keep you posted)(:|,) <it> {status}
<it> {status}, (I just saw|I've just checked|we've been told|so they claim|so be patient|which is all I know|that's all they say)
<the> <parcel> for <the> (neighbour|office|school|kids|party|kitchen) {status}
<buyer> (checked|looked|asked|rang them|wrote to them|called the hotline), <it> {status}
(so|well|then|and|yes|no|indeed|sadly|luckily|happily|surprise), <it> {status}
(please note|be informed|you should know|we write to say|we'd like you to know|a quick line to say|this is to let you know) that <it> {status}
(haven't you heard|did they tell you|guess what|you know what)? <it> {status}
<the> <parcel> with <the> <ordernum> {order} {status}
{carrier} (says|reports|writes|let us know|tells me|confirms) that <it> {status}
{sender} (says|reports|writes|let us know|tells me|confirms) that <it> {status}
(it isn't lost|it's not missing|nothing is wrong|no mistake|you were right), it {status}
(status|update|tracking|last scan|news|short update|new status) <now>: <it> {status}
"""
