"""Sentences and lines that widen the training text of shopping lists, as patterns of the classes of shopping_classes.py.

A day on which one shops is a "date", one on which the things have to be there a "duedate"; what may be spent is a "budget", what was spent a "total". Who
shops is a "person", and whoever wants the things is "for". Another day, price, shop or name stands only where the words tell which one is wanted.
"""
import re

from . import shopping_classes

SENTENCES = """
<get> {items}<tail>
<pol><get> {items}<tail>
<pol><get> {items} <for>
<open>: <get> {items}<tail>
<open>, <ask> <who> <get> {items}<tail>?
<ask> <who> <get> {items}<tail>?
<ask> you (please|kindly|maybe|possibly|quickly|also|at least|by any chance) <get> {items}?
(how|what) about <getting> {items}?
(any chance of|would you mind|do you mind|is there a chance of|who is up for|who feels like|I was thinking of|thanks for|we talked about|what do you say to|\
you won't get round) <getting> {items}<tail>?
(I|we|you|they) <will> <get> {items}<tail>
<we> <need> {items}<tail>
<we> <need> {items} <for>
<for> <we> <need> {items}
<for>: {items}
<open>: <we> <need> {items}
<open>: {items}
<open>, {items} <gone>
{items} <gone>
{items} <gone> <for>
{items} (must|should|have to|need to|can|will) be <gotten><tail>
to be <gotten>: {items}
<gotten> so far: {items}
(I|we|they|you) <got> {items}
(yes|right|ok|done|finally), (I|we) <got> {items}
the <where> is (empty|bare|half empty|nearly empty)(:|, so|, we need) {items}
in the <where> {items} (are missing|are gone|are used up|have run out|are finished|were forgotten|are nearly gone)
(look|looking) (into|around) the <where>, (I see|it turns out|clearly|sadly) we are <low> {items}
(I'm|we're|you're|the <where> is|they're) <low> {items}<tail>
<add> {items} <onto>
<pol><add> {items} <onto>
<ask> you <add> {items} <onto>?
<mylist> <says>(:|) {items}
(on|written on|what stands on|from|noted on|all that is on) <mylist>(:| is | -) {items}
<mylist> is (short|long|ready|done|simple|the same as ever)(:|;| -) {items}
the <dish> (takes|needs|calls for|wants|won't work without|is nothing without|is made of|contains|requires|asks for) {items}
to (get on with|get ready for|do|manage) the <dish> (I|we|you) <need> {items}
(as|since|because) the <dish> (is on me|comes next|won't wait|has to be done|is on our minds), <get> {items}
{items} <for>
{items} <for><tail>
{items}<tail>
{items}(, and then|, then| and after that| and quickly) (come|drive|walk|hurry) (home|back|here)
(here comes|so here is|this is|copy|note down) (the|my|our|your) <list>(:| -) {items}
what (is missing|is needed|we lack|is left to buy|I forgot|you should get|has to come|the <where> lacks|we still want) (is|are)(:|) {items}
(what do we need|what is missing|what should I get|what's on the list|what are we out of|what can I bring|what do you want|which things are left|anything else)? {items}<tail>
what (do we need|is missing|should I get|can I bring|do you want) <for>? {items}
(Q|me|question): what to <get>? (A|you|answer): {items}
(the|my|our) (order|cart|basket|trolley|bag|shopping bag|receipt) (has|holds|contains|shows|is full of|includes) {items}
(no|skip|forget|leave) {x_thing}(, but|, rather|; instead|, just|. But) <get> {items}
(we have|there is|there's|I have) (enough|plenty of|still some|a lot of|too much) {x_thing}, (but|yet|so just|so only|however) {items} <gone>
(we have|there is|there's) (enough|plenty of|still some) {x_thing}, so <get> {items} (only|instead|and nothing more|and leave that)
{x_thing} (we have|can wait|we don't need|nobody wants|may stay in the shop), {items} <gone>
(urgently|maybe|perhaps|preferably|definitely|first of all|above all|if possible|at long last|sadly|basically) {items}<tail>
<get> {items} (maybe|perhaps|urgently|preferably|definitely|whenever|somewhere|somehow|soon|quickly|already|afterwards|anyway)
<we> (urgently|really|only|also|probably|definitely|merely|still|certainly) need {items} (here|soon|again|too|anyway|I think|I guess|it seems)
(my|our) (wish list|order|trolley|delivery|package|hamper|food box) (is|should be|will be|would be|was|contains)(:| just| only) {items}
<get> {items}, (not|no|but no|but not) {x_thing}
(don't|do not|never|please don't) <get> {x_thing}, <we> <need> {items}
(thanks for|you brought|you remembered|I found|you already have) the {x_thing}, now <we> <need> {items}
nobody (ordered|needs|wants|asked for|mentioned) {x_thing}(, just|, only|: it's only) {items}
<goto> {store}<tail>
<pol><goto> {store}
<ask> <who> <goto> {store}?
<open>: <goto> {store}
<open>: {store} <has>
{store} <has>
{store} <has>, {x_shop} <bad>
{x_shop} <bad>, {store} <has>
{x_shop} <bad>, so <goto> {store}
<goto> {store}, (not|never|and not to|because not) {x_shop}
<get> <it> <at> {store}
<pol><get> <it> <at> {store}
(we|I|they|you) <got> <it> <at> {store}
(we|I|you|they) <will> <get> <it> <at> {store}
<it> (is|was|can be|should be|must be|has been) (bought|picked up|fetched|ordered|purchased|collected|found|obtained) <at> {store}
the <shop> (is|will be|would be|is called|this time is|I mean is|remains|you want is) {store}
the (new|little|big|old|good|other) {store} (branch|shop|store|market|outlet|place) <has>
(where|at which shop|which shop|from where|where to)? (<at>|try|I'd say|of course|probably) {store}
where (do|can|should|did) (I|we|you|one|they) (buy|get|find|order|fetch) <it>? <at> {store}
(I'm|we're|you're|they're) (near|at|outside|right by|in front of|inside|walking past|already in|standing in|close to|on my way to) {store}<tail>
{store} (by|next to|opposite|behind|near) the (corner|bridge|station|church|school|park|car park|old mill|town hall|bus stop) <has>
<shop>: {store}
(our|the|that|a|this) (dear|trusty|noisy|tiny|local|lovely|nearby|cheap|fancy|brand-new) {store} <has>
{store} (downstairs|nearby|opposite|upstairs|again|please|obviously|hopefully|perhaps|instead)(, they say|, I think|, if open|)
according to {x_name} {store} <has>
(somewhere like|nowhere but at|nowhere else than at|a shop such as|nothing beats|nobody beats) {store}
(my|a|the|your|that) {store} (bag|voucher|card|app|leaflet|coupon|trolley) (is in the car|lies on the table|says they have it|shows the offer|is all you need)
{x_name} (swears by|told me about|recommended|has a card for|has a voucher for|is a fan of|showed me|discovered) {store}
{x_name} (says|thinks|wrote|heard|is sure|claims|tells me) {store} <has>
(a voucher|a coupon|the leaflet|a discount|the offer|our loyalty card|a gift card|the flyer|the ad|the advert) (of|from|for|at) {store} (is|lies|can be found) (in the drawer|\
in your bag|on the table|valid|what we use|good for it)
(the|your|our|this) (receipt|bill|invoice|slip|paper bag|price tag|bottle|till roll) (is from|comes from|was printed at|bears the name of) {store}
{items} <at> {store}
<get> {items} <at> {store}
<pol><get> {items} <at> {store}
<ask> you <get> {items} <at> {store}?
<goto> {store} and <get> {items}
<goto> {store} for {items}
<at> {store}: {items}
<at> {store} <we> <need> {items}
(we|I|they) <got> {items} <at> {store}
{store} <has>, so <get> {items}
(when|if|once|as|while) you (are at|are near|pass|go to|get to|stop at) {store}, <get> {items}
{items} (have to|must|should|can) be <gotten> <at> {store}
<we> <need> {items}, {store} <has>
(in|inside|from) {store} (they have|you get|look for|ask for|there are|I saw) {items}
<stay> {budget}
<pol><spend> <max> {budget}
(I|we|you) <will> <spend> <max> {budget}
<open>: <stay> {budget}
<open>: <max> {budget}
the <limit> <islim> {budget}
our <limit> <islim> {budget}
<open>: the <limit> <islim> {budget}
{budget} <enough>
<open>: {budget} <enough>
<it> (can|may|should|must|mustn't but) (cost|be|come to|run to|amount to) <max> {budget}
<it> (must|should|may|can) not (cost|come to|amount to|run to) more than {budget}
(a|our|the|this) (tight|meagre|generous|fixed|strict|modest|small|sensible) {budget} <enough>
(roughly|about|around|exactly|precisely|only|just) {budget} (can be spent|may be spent|is available|is the limit|is the budget|is the maximum)
with {budget} (you|we|I|they) (have to|must|should|will) (get by|manage|make do|cope|come out)
(there is|you have|you get|take|here is|I left you|I gave you|I put out|use|I can give you|you'll find|we set aside|they granted us) {budget} (for <it>|to spend|to shop with|\
for the shopping|as your limit|for the trip to the shop)
(how much can I spend|what may it cost|what is the <limit>|how much do we have for it|how much is allowed|how much at most|up to how much)? {budget}<tail>
(anything|everything|all) (above|over|beyond|past|dearer than) {budget} (is too much|is out|stays in the shop|we can't afford|is not possible|goes back on the shelf)
(if|should|when|once) (it|the bill|the sum|the price|the basket) (goes over|goes above|exceeds|passes|climbs over|gets past) {budget}, (stop|put something back|call me|\
leave something out|ring first|drop something)
(a|the|our|with a|on a|within a) <limit> of {budget}
(we|I) (can't|cannot|don't want to|shouldn't|won't|mustn't) (afford|spend|pay|go beyond|exceed|manage) more than {budget}
<get> {items}, <max> {budget}
<get> {items}, <stay> {budget}
{items}, but <stay> {budget}
{items} for <max> {budget}
<get> {items}, the <limit> <islim> {budget}
(the last|last month's|the previous|an earlier|the usual|a normal) (bill|trip|basket|shop) (came to|cost|was) {x_price}, (this time|but now|from here on|now) <stay> {budget}
(the <limit>|it|the <limit> for it) was {x_price}, (but|and) now (it is|it's|we have|we can spend|the <limit> is) {budget}
{x_price} (is too much|would be too much|is more than we have|is beyond us|we can't afford), <stay> {budget}
{store} <has>, but <stay> {budget}
<goto> {store}, <stay> {budget}
{person} <shopss>, the <limit> <islim> {budget}
<it> <came> {total}
<it> <came> {total} <intotal>
<open>: <it> <came> {total}
(I|we|you|they) <paid> {total}
(I|we|you|they) <paid> {total} <intotal>
the <sum> (was|is|came to|has come to|turned out to be|stands at|reads) {total}
the <sum>: {total}
<intotal> <it> <came> {total}
<intotal> (I|we|they) <paid> {total}
<till>: {total}
the <rec> (says|shows|said|showed|reads|was for|is for|asked for|demanded|charged|tells|printed) {total}
{total} (was|is|makes) the <sum>
{total} <till>
{total} (is|was) what (I|we|they) <paid>
{total} (has been|was) (paid|charged|debited|spent|deducted|put on the card|taken from the account|settled) <intotal>
(a whopping|a hefty|a modest|a mere|a neat|a full|an outrageous|a round) {total} (it was|they charged|they wanted|I paid|we paid|was the bill|was the total)
(unbelievable|ouch|well|finally|so|hooray|phew)(:|,) <it> <came> {total}
(how much was it|what did it cost|what was the <sum>|how much did you pay|what did they charge|how much did we spend|what did it come to)? {total}
(you|they|the others) owe me {total} (for <it>|<intotal>|, here's the receipt|from the shopping)
(it was|that was|I make that|that makes) (no less than|an incredible|exactly|a whole|) {total} <till>
(the deposit|a bag|parking|the taxi|delivery|the tip) (was|cost|came to|made up) {x_price}, <it> <came> {total} <intotal>
(you saved|we saved|the discount was|the change was|I got back|the coupon took off) {x_price}, (the <sum> was|I still paid|we <paid>|so <it> <came>) {total}
(the tax|VAT|service|delivery) of {x_price} is included(, the <sum> was|; we <paid>) {total}
(subtotal|net|before tax|before the discount|without the deposit) {x_price}, <intotal> {total}
(we|I|they) <got> {items} and <paid> {total}
(we|I|they) <got> {items}, <it> <came> {total}
(we|I) <got> {items} for {total} <intotal>
{items}, the <sum> was {total}
{items}: {total} <till>
(I|we) <paid> {total} <at> {store}
<at> {store} (I|we|they) <paid> {total}
<at> {store} <it> <came> {total}
{store} (charged|took|asked for|wanted|got|billed us) {total} <intotal>
{person} <got> <it> and <paid> {total}
{person} <paid> {total} <intotal>
the <limit> was {budget}, <it> <came> {total}
(we|I|they) <paid> {total}, (although|though|while|and) the <limit> was {budget}
(we|I|you) <will> <shops> {date}
(we|I|you) <will> <get> <it> {date}
<pol><shops> {date}
<pol><get> <it> {date}
<ask> <who> <shops> {date}?
<open>: we <shops> {date}
the <shopday> (is|will be|was moved to|has moved to|should be|is set for|remains) {date0}
the <shopday> <isdone> {date}
<it> (will be|can be|should be|must be|has to be) (bought|picked up|fetched|ordered|purchased|taken home from the shop) {date}
{date} (we|I|you|they) <will> <shops>
{date0} (is|will be) (the|our|my|your) <shopday>
(only|best|preferably|probably|hopefully|maybe|not earlier than|as always) {date} <we> <shops>
(I|we) (thought of|settled on|agreed on|chose|voted for|fixed|noted) {date0} (for the shopping|for the weekly shop|to go shopping|as our shopping day)
(I|we) (moved|put off|postponed|shifted) the <shopday> (from {x_date0} |)to {date0}
{date} <we> <shops>
{date0} (would suit me|works for me|is best|is fine|is a good day|gives us time) to <shops>
{date} (the shops are quiet|there's a sale|they open early|I have the car|parking is free), so we <shops>
(how|what) about {date}, to <shops>?
when (do|will|can|should) (we|I|you|they) <shops>? {date0}<tail>
(which|what) day (do|will|can|should) (we|I|you) <shops>? {date0}
(I have|we have|you have) (no time|a class|to work|other plans|a cold) {x_date}, (so|that's why|therefore|and so) (I|we|you) <will> <shops> {date}
(not {x_date}, but|not {x_date}: better|don't <shops> {x_date}, but|never {x_date}, only) <shops> {date}
the (shops are|market is|store is|supermarket is) (closed|shut|packed|too full) {x_date}, so we <shops> {date}
the <feast> <feastis> {x_date}, so (we|I|you) <will> <shops> {date}
the <guests> <come> {x_date}, so <shops> {date}
the <other> (comes|is due|is coming|will be here) {x_date}, but {date} (I|we) <will> <shops>
<get> {items} {date}
<pol><get> {items} {date}
{date} <get> {items}
{date} (we|I|you) <will> <get> {items}
(we|I|you) <will> <get> {items} {date}
<goto> {store} {date}
{date} <goto> {store}
{date} (we|I|you) <will> <goto> {store}
{date} <at> {store}
{person} <shopss> {date}
{date} {person} <shopss>
{person} <gets> {items} {date}
<we> <need> {items} {duedate}
<we> (need|want|must have|would like|expect|await) <it> {duedate}
<it> <must> {duedate}
<open>: <it> <must> {duedate}
<it> <must> <by> {duedate0}
(we|I|they|the <guests>) (want to|are going to|will|plan to|have to|mean to) <cook> {duedate}
the <feast> <feastis> {duedate}
the <feast> <feastis> {duedate}, so <get> <it> in time
the <feast> <feastis> {duedate}: <get> {items}
the <guests> <come> {duedate}
the <guests> <come> {duedate}, so <get> {items}
<open>: the <guests> <come> {duedate}
the <due> (is|will be|was moved to|has been set for|remains|I was given is) {duedate0}
the (deadline|last day|due date|cut-off|latest day) for <it> (is|will be) {duedate0}
(when|until when|by when|for which day|by which day) (do you need it|is it needed|must it be here|should it arrive|does it have to be here|do we need <it>)? {duedate0}<tail>
{duedate0} (is|will be) the <due>
{duedate} <it> <must>
{duedate} (we|they|the <guests>) (want to|will|plan to) <cook>
(only|not earlier than|at the latest|probably|hopefully|as late as) {duedate} the <guests> <come>
(the <feast>|the meal|the visit) (was moved|was put off|was brought forward|was shifted) (from {x_date0} |)to {duedate0}
nothing (must be missing|may be missing|should be missing|can be missing) {duedate}, (for|since|when) the <guests> <come>
{duedate} the <guests> <come>
{duedate} the <feast> <feastis>
<get> <it> <by> {duedate0}
<pol><get> <it> <by> {duedate0}
<get> {items} <by> {duedate0}
<get> {items} for the <feast> {duedate}
{items}, <by> {duedate0}
{items} <by> {duedate0}<tail>
{items} (needed|wanted|required|expected) (here |at home |in the house |) {duedate}
(the <feast>|it|the date) was (first planned|planned|announced|to be) {x_date}, (but|and) now the <feast> <feastis> {duedate}
(we don't|nobody will|we won't) need <it> {x_date}(, but|; it's needed|: the <guests> <come>) {duedate}
<it> <must> {duedate}, (not|not as late as|and not) {x_date}
(we have|you have|there is) (time|) until {duedate0} to <get> <it>
(we have|you have) (time|) until {duedate0} to <get> {items}
<at> {store}, and <it> <must> {duedate}
<stay> {budget}, <it> <must> {duedate}
{person} <gets> <it>, <it> <must> {duedate}
{person} <shopss>
<open>: {person} <shopss>
{person} <shopss> this time
{person} <will> <shops>
{person} (will|can|should|must|has to|is going to|wants to|agreed to|might|ought to|would like to) <shops>
(let|have|make|ask|tell|remind|beg|send|get) {person} (shop|do the shopping|buy it|get everything|take the list|go to the shop|fetch it)
(ask|tell|remind|beg|send|get|call|urge|expect) {person} to <shops>
(will|can|could|would|should) {person} <shops>?
{person}, <ask> you <shops>?
{person}, <pol><shops>
(good old|our dear|young|dear|our friend|my flatmate|the tireless|lucky|poor) {person} <shopss>
(thanks to|bless|hats off to|three cheers for|a big thank you to) {person}, who <shopss>
(nobody but|none other than|only|once again|probably|hopefully|as always) {person} <shopss>
{person} (here|again|alone|maybe|probably|kindly|gladly|always|already) <shopss>
(who|which of us) (<shopss>|is the buyer|takes the list|is on duty)? {person}
(it's|it is) {person} who <shopss>
(it's|it is) (up to|for|the job of|the turn of|the duty of) {person} to <shops>
<duty> (is|was|has been|will be) (given to|left to|handed to|assigned to|taken over by|done by|passed on to|entrusted to|up to|the job of) {person}
(I|we) (gave|left|handed|assigned|passed|entrusted) <duty> to {person}
(I|we) (asked|told|sent|begged|reminded|persuaded|got|want|picked|chose|hired) {person} to <shops>
{x_name} (can't|won't|couldn't|doesn't want to|has no time to|is too ill to|refuses to) <shops>, so {person} <shopss>
(not {x_name}|instead of {x_name}|rather than {x_name}|no longer {x_name})(,|:) {person} <shopss>
{x_name} (says|wrote that|told me that|thinks|heard that|reports that|just called to say|is sure) {person} <shopss>
{x_name} (cooks|bakes|sets the table|washes up|does the dishes|drives the kids|lends us the car), {person} <shopss>
{person} <shopss>, {x_name} (cooks|bakes|sets the table|washes up|tidies up|minds the kids|stays at home)
{person} <gets> {items}
<open>: {person} <gets> {items}
{person} <gets> {items}, {x_name} (has no time|is ill|stays here|cooks|can't)
{items} (will be|are to be|have to be|were|are) <gotten> by {person}
{person}, <ask> you <get> {items}<tail>?
{person}, <get> {items}<tail>
(ask|tell|remind|beg|send|get) {person} to <get> {items}
(will|can|could|would|should) {person} <get> {items}<tail>?
{person} <got> {items}
{person} <gets> {items} <at> {store}
{person} <shopss> <at> {store}
{person}, <goto> {store}
{person} (drives|goes|walks|cycles|heads|runs|is off|is on the way) to {store}
{for} <wants> {items}
{for} <wants> {items}<tail>
<open>: {for} <wants> {items}
{for} <wants> {items} <for>
{for} <wantsit>
<open>: {for} <wantsit>
<it> (is|was|will be|must be) <meant> {for}
(it|this|the bag|the box|everything|the lot|our order) (goes|comes|is delivered|will be handed|should be taken|is on its way) to {for}
<deliver> <it2> to {for}
<pol><deliver> <it2> to {for}
<get> <it> for {for}
<pol><get> <it> for {for}
(who|for whom) (wants it|is it for|needs it|asked for it|do we <get> it for|wrote the list)? {for}<tail>
(it's|it is|it was) {for} who (wants it|asked for it|needs it|ordered it|wrote the list|is waiting for it)
(good old|our dear|young|dear|our friend|my flatmate|poor) {for} <wantsit>
(nobody but|only|probably|hopefully|as always|once again) {for} <wantsit>
(I'm|we're|you're) (shopping|buying it|doing this|getting it) (for|on behalf of|as a favour to|in the name of) {for}
(keep|save|reserve|hold|put aside|wrap|pack|label) <it> for {for}
{for} (will be glad about|is looking forward to|can't wait for|has been asking about|will pay for) <it>
the (bag|box|parcel|basket|order|bottle|crate) (belongs to|is for|goes to|is meant for|should go to|was ordered by) {for}
(the|this) (wish|order|request|list|message|idea|call) (is|comes|came|was|arrived) from {for}
not for (me|us|you|the house), (but |only |this is |it's all |)for {for}
<get> {items} for {for}
<pol><get> {items} for {for}
<ask> you <get> {items} for {for}?
{items} for {for}<tail>
for {for}<tail>
for {for}: {items}
{items} (are|were) <meant> {for}
<meant> {for}: {items}
<deliver> {items} to {for}
{for} (asked|told|begged|reminded|wants|asks|urged) (me|us|you) to <get> {items}
{for} (can't go out|is ill|has a cold|has a broken leg|has no car|is stuck at home)(, so|:|, please|, let's) <get> {items}
(our|my|your|the) (friend|neighbour|colleague|flatmate|cousin|cook|guest|aunt|coach|lodger) {for} <wants> {items}
{x_name} needs nothing, {for} <wants> {items}
(not|it is not) for {x_name}(, but|, it's|, only|, rather) for {for}
<it> (is|was) not for {x_name}, {for} <wantsit>
{x_name} (told me that|says|wrote that|mentioned that|thinks|heard that) {for} <wantsit>
{for} <wants> {items} <at> {store}
{for} <wants> {items} {duedate}
<get> <it> <at> {store}, {for} <wantsit>
{for} <wantsit>, <stay> {budget}
{for} <wantsit>, <it> <must> {duedate}
""".strip()

LINES = """
{items}<tail>
<get><to> {items}
<get> {items}
<gotten><to> {items}
<low><to> {items}
<list><to> {items}
<dish><to> {items}
<where><to> {items}
{items} (still|needed|missing|wanted|to get|on the list)
{items} <for>
{items} <at> {store}
{store}<to> {items}
{items}, max {budget}
{items}<sep> {total} <intotal>
{items} - {person} (goes|shops|buys)
{items} for {for}
for {for}<to> {items}
<shop><sep> {store}
<at> {store}
<goto> {store}
{store} <has>
{store}<sep> {date0}
{store}, <max> {budget}
{store}<sep> {total} <intotal>
<limit><sep> {budget}
<max> {budget}
<stay> {budget}
{budget} <enough>
<sum><sep> {total}
<till><sep> {total}
{total} <till>
<rec><sep> {total}
<paid> {total}
<shopday><sep> {date0}
(go|shop|we shop|buy it|trip)<sep> {date0}
{date0}<sep> <shopday>
{date0} (at|from|to) {store}
<due><sep> {duedate0}
(needed|wanted|must be here|required|here) <by> {duedate0}
<by> {duedate0}
<feast><sep> {duedate0}
<feast> {duedate}
{person} <shopss>
{person} <gets> {items}
(buyer|shopper|goes|gone shopping|in charge|buys|on duty|sent)<sep> {person}
(list|job|task|duty|errand|turn)<sep> {person} <shopss>
{person} (to|at|@|->) {store}
{person} <shopss> {date}
{date0}<to> {person} <shopss>
(for|wanted by|requested by|meant for|wish of|asked for by|give to)<sep> {for}
{for} <wants> {items}
{for} <wantsit>
""".strip()

_GROUP = re.compile(r"\(([^()]*)\)")
_groups = {}  # what stands between brackets -> the number of its class


def _named(text):
    """The patterns with each (group|of alternatives) as a class of its own. So a phrasing that is drawn says one thing only: with its groups it would say
    all their products, and each of them would be compared with the test, which took fifteen seconds."""
    return _GROUP.sub(lambda found: f"<of{_groups.setdefault(found[1], len(_groups))}>", text)


SENTENCES, LINES = _named(SENTENCES), _named(LINES)
CLASSES = shopping_classes.CLASSES + "".join(f"\nof{number}: {group}" for group, number in _groups.items())
