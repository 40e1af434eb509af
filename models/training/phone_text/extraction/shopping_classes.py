"""The classes of words and the labels that widen the training text of shopping lists; shopping_patterns.py puts the words together.

No class says a day, a price, a name or a shop, since those would be facts.
"""

CLASSES = """
get: buy|get|bring|fetch|pick up|order|grab|find|purchase|bring home|take|look for|collect|organise|secure|get hold of|acquire|procure|source|obtain|gather|choose|pick out|\
carry home|lay hands on|snap up|drop in for|go and get|go and buy|nip out for|pop out for|run out for|throw in|load up|haul home|hunt down|track down|dig up|score|reserve|\
stock|restock|replenish|supply|provide|come back with|return with|walk home with|arrange for|see about|shop for|hand-pick|round up|rustle up|stock up on|lug home|schlep home|\
scout for|hurry and get|ask for
getting: buying|getting|bringing|fetching|picking up|ordering|grabbing|purchasing|bringing home|collecting|organising|finding|taking along|stocking up on|getting hold of|\
choosing|looking for|carrying home|going out for|popping out for|hunting down|tracking down|loading up on|coming back with
got: bought|got|picked up|found|purchased|ordered|brought home|took|grabbed|fetched|collected|snapped up|chose|carried home|came home with|left the shop with|walked out with|\
stocked up on|loaded up on|secured|hunted down|returned with|ended up with|went for|settled for|managed to get
gotten: bought|picked up|found|purchased|ordered|brought home|fetched|collected|obtained|organised|replaced|restocked|replenished|procured|acquired|carried home|hunted down
gets: buys|gets|brings|fetches|picks up|orders|grabs|finds|purchases|brings home|takes|collects|organises|will buy|will get|will bring|will fetch|will pick up|is going to buy|\
is going to get|is bringing|is fetching|is ordering|is off to get|is out to buy|runs out for|pops out for|volunteered to buy|said yes to buying|takes care of|comes back with|\
looks for|sees to
pol: please |kindly |do |just |quickly |if you can, |if you don't mind, |be so good and |be a darling and |be a star and |do me a favour and |would you be so nice and |\
make sure to |don't forget to |remember to |try to |feel free to |you could |you should |you might |you may |you have to |you'd better |why don't you |we ought to |let's |\
somebody should |someone please |go ahead and |one of you has to |I'd ask you to |I beg you to |it would be kind to |could you please |I wonder if you could |\
on your way home, |when you are out, |while you are at it, |next time you shop, |as soon as you can, |
will: will|would|can|could|should|shall|must|might|may|have to|need to|ought to|want to|plan to|had better|intend to|mean to|hope to|would like to|promised to|decided to
ask: can|could|will|would|won't|couldn't|can't|might
who: you|we|I|someone|somebody|one of you|anybody|the kids|one of us|the neighbours|either of you
we: I|we|you|they|the kids|all of us|we all|the others|my flatmates|the children|both of us|the two of us|the campers|you two|my lot|folks here|we at home|the people at home
need: need|want|would like|could use|could do with|lack|ran out of|will need|crave|have no more|require|can't go without|would love|long for|would appreciate|must have|\
still need|badly need|really need|always need|wish for|have to have|finished|used up|fancy|feel like|count on|wouldn't say no to
low: low on|short of|out of|short on|running out of|almost out of|nearly out of|down to the last of|fresh out of|in want of|lacking|missing
gone: are gone|are all gone|are missing|are needed|are wanted|are used up|are finished|have run out|are nearly gone|are running low|are still missing|are to be bought|\
must be bought|are due|have to go on the list|should go on the list|belong on the list|have to be replaced|would be good|would help|are requested|are lacking|were forgotten|\
are what is needed|aren't there any more|are on the list|are still on my list|would come in handy|are all we lack|are what's left to get
add: add|put|write|note|jot down|enter|stick|scribble|set|place|type|save|record|squeeze|list|log|include|keep
onto: to the list|on the list|onto the list|on our list|to my list|onto the shopping list|to the shopping list|in the shopping app|on the note|onto the pad|on the grocery list|\
to the groceries|to our order|in the basket|to the basket|into the trolley|to the online cart|on the paper on the fridge|onto the board|to the rest
list: list|shopping list|grocery list|note|slip|pad|app|paper on the fridge|whiteboard|memo|sticky note|order form|page|board in the kitchen
mylist: my <list>|the <list>|our <list>|your <list>|this <list>|the old <list>|the shared <list>
says: says|reads|has|shows|lists|mentions|asks for|calls for|contains|is just|names|tells me|includes
where: kitchen|fridge|pantry|cupboard|larder|freezer|cellar|house|office|bathroom|workshop|garage|flat|caravan|boat|garden shed|drawer|cabin|clubhouse|tent
dish: soup|cake|stew|salad|curry|pie|sauce|breakfast|dinner|lunch|picnic|barbecue|party|roast|pancakes|casserole|brunch|trip|camping trip|bake sale|school project|repair|move|\
birthday|workshop|cleaning|punch|garden|packed lunch|dessert|starter|main course|sleepover|buffet|bonfire
for: for the <dish>|for our <dish>|for your <dish>|to go with the <dish>|so that the <dish> works out
tail: , please|, thanks|, that's all|, and that's it|, as usual|, if you can|, ok|, will you|, nothing else|, as always|, if they have any|, cheers|, I beg you|, and hurry|\
 again| as well| too| once more| on the way| on your way home| while you're out| when you pass a shop| if there is any left| if you see any| in any shop| with the rest|\
 straight away| in good time| with you|, no hurry|, or we starve|, dear|, would you|, please and thank you|||
open: by the way|one more thing|hey|listen|right|ok|so|now then|well|quick question|just so you know|reminder|note to self|heads up|psst|hello again|before you leave|\
before I forget|as discussed|wait|oh|good news|FYI|for the record|to be exact|in short
it: it|it all|everything|all of it|the lot|the stuff|the whole lot|the shopping|all that|this|that|the whole list|what's on the list|the order|the whole basket|\
the full trolley|our order|all this
it2: it|them|everything|the lot|this|these things|all this|the bag|the bags|the parcel of food|the box|the basket|the goods
shop: shop|store|supermarket|grocer|market|shop to go to|place|place to go|usual shop|discounter|corner shop|outlet|seller|dealer|merchant|right address|address for this|\
nearest shop|cheapest shop|place to buy it|shop of choice|supplier|deli|farm shop
goto: go to|head to|drive to|walk to|run to|pop over to|cycle to|nip to|stop at|stop by|call at|drop in at|swing by|step into|look in at|pass by|check|try|visit|have a look at|\
ask at|get over to|make for|enquire at|ring up|turn in at|choose|use|pick|stick with|stick to|go for|prefer|test|consult
at: at|from|in|over at|down at|through|only at|best at|always at|as usual at|preferably at|if possible at|directly from|straight from|online from|only from
has: has it|sells it|stocks it|has it all|has everything|is open late|is open|is cheaper|is the cheapest|has a sale on|has an offer|has them in stock|has plenty|is close by|\
is just around the corner|is on the way|delivers|never lets us down|is worth the trip|is where to go|should have it|carries such things|will have it|is the best place for it|\
is our usual shop|is my first choice|is a good bet|would be best|is the place|is recommended|is fine|is the one with the offer|sells the good ones|takes cards|\
keeps it in stock|gives a discount
bad: is closed|is sold out|has closed down|is too expensive|is too far away|is no good|has nothing|doesn't sell it|is being rebuilt|never has it|has moved away|is shut|\
was a disappointment|ran out|won't have it|has no parking|doesn't stock it
spend: spend|pay|use|lay out|shell out|give|put down|invest|hand over|part with|go for|budget
max: at most|no more than|not more than|up to|a maximum of|less than|max|under|at the very most|not over|anything up to
stay: stay below|stay under|stay within|keep it under|keep it below|remain below|remain within|keep to|stick to|stop at|don't go over|don't go above|never exceed|don't exceed|\
don't spend over|don't let it go above|make do with|get by with|be content with|aim for less than|don't pay more than|try not to exceed|keep the cost under|keep the bill below|\
be careful not to pass
limit: limit|budget|spending limit|upper limit|maximum|allowance|ceiling|cap|price limit|top price|shopping money|financial limit|household money|weekly budget|available sum|\
absolute maximum|sum we agreed on
islim: is|is set at|was set to|stays at|remains|would be|should be|is fixed at|is still|has gone up to|was raised to|was cut to|has been lowered to|is now|amounts to|\
cannot be more than
enough: is the limit|is the budget|is the maximum|is all we have|is all there is|is all we can spend|must do|has to do|must be enough|should be plenty|will have to be enough|\
is the most we can pay|is what I'd spend at most|is the ceiling|is the upper limit|can be spent|may be spent|is available|is what the purse holds|and not a cent more|\
at the very most|at most|tops|is the cap|is the line we don't cross
came: came to|cost|was|added up to|amounted to|made|totalled|set us back|worked out at|ran to|ended up at|summed up to|turned out to be|has cost|came out at|cost us|cost me|\
cost them|went for
paid: paid|spent|had to pay|gave them|handed over|laid out|shelled out|forked out|left|put on the card|transferred|parted with|was charged|got charged|coughed up|counted out|\
ended up paying|ended up spending|swiped the card for|signed for|blew
intotal: in total|altogether|in all|all told|all in all|at the till|at the checkout|in the end|for everything|for the lot|for all of it|all in|with tax|tax included|\
with everything|according to the receipt|in one go|after the discount|including the deposit|to the cent
till: at the till|at the checkout|according to the receipt|tax included|with tax|after the discount|including the deposit|all told|altogether|in total|in all|with all discounts
sum: sum|total|grand total|bill|final price|total price|total cost|amount paid|sum paid|sum on the receipt|final sum|whole bill|amount on the receipt|end result|damage|\
figure at the bottom|amount charged|sum we paid|total of the receipt|price of it all
rec: receipt|bill|till|till roll|cashier|invoice|card reader|slip from the shop|card statement|bank app|display at the till|last line of the receipt|bottom line
shopday: shopping day|day to shop|day for the shop|day we go|day of the shopping|day for the market|trip to the shop|shopping trip|next shopping tour|day on which we shop|\
weekly shop|big shop|shopping run
shops: go shopping|do the shopping|shop|go to the shop|buy it all|do the weekly shop|go and get everything|hit the shops|make the trip|go to the market|run the errand|\
buy the things|get the shopping done|take the car to the shop|fetch everything|pick everything up|do the big shop|go for groceries|get the groceries|do the supermarket run|\
do the errand|get everything on the list|tick off the list|carry the bags
shopss: goes shopping|does the shopping|shops|goes to the shop|buys it all|does the weekly shop|gets everything|runs the errand|is going shopping|takes the list|is our shopper|\
is on shopping duty|is in charge of the shopping|will do the shopping|has the list|drives to the shop|buys everything|picks it all up|volunteers to shop|is off to the shops|\
will be the shopper|sees to the groceries|handles the shopping|carries the bags|is the buyer|deals with the list|takes over the shopping|goes for us all|is up for the shopping|\
said yes to shopping|has time to shop
duty: shopping duty|the shopping|the list|the errand|the groceries|the trip to the shop|the weekly shop|this job|the whole task|the buying|the job of buying it
isdone: is done|has to be done|can be done|will be done|should be done|must be done|happens|takes place|is planned|is scheduled|is due|is on|gets done|\
was put off and will be done|is best done|is going to happen
feast: party|dinner|picnic|barbecue|wedding|birthday|housewarming|brunch|reunion|garden party|christening|big meal|celebration|cook-out|visit|trip|camping trip|bake sale|\
school fair|potluck|reception|graduation|anniversary|supper|feast|games night|farewell do|baby shower|hike|sleepover|concert|street party
feastis: is|will be|takes place|happens|starts|is due|is going to be|is planned|will take place|is coming up|is held
guests: guests|kids|in-laws|neighbours|grandparents|visitors|relatives|colleagues|twins|cousins|students|lodgers|workmen|friends from abroad|team|club members|aunts|\
exchange students|builders|choir people
come: come|arrive|will be here|get here|turn up|are coming|are due|will arrive|want to eat|expect to be fed|show up|are at the door|move in|come to dinner|land|\
are going to be here|will stand in the kitchen
cook: cook|bake|cook it|bake the cake|use it|use them|serve it|make it|prepare it|roast it|have it for dinner|make dinner|make soup|put it on the table|grill|fry it|plant them|\
fill the jars|start cooking|have it|give it away|hand it over
must: must be here|must be at home|has to be here|has to be ready|should be in the fridge|needs to be here|needs to arrive|is needed|is wanted|must arrive|must be in the house|\
must not be late, it is needed|has to be delivered|has to be on the table|should have arrived|will be required|is to be delivered|must be in the kitchen|is expected
due: deadline|due date|last day|latest day|day we need it|day of the party|cut-off|final day|last possible day|day when it must be here|day it is needed|target day|\
day of delivery
by: by|until|no later than|not later than|at the latest by|by no later than
wants: wants|needs|would like|asked for|asks for|has asked for|would love|ordered|wished for|wishes for|is waiting for|requested|requests|is asking for|longs for|craves|\
has run out of|is out of|ran out of|is after|can't do without|could use|could do with|fancies|insists on|begged for|put in a request for|will need|hopes for|is in need of|\
wrote down|needs us to buy|wants us to get|wants us to bring|still needs|likes to have|said yes to
wantsit: wants it|asked for it|needs it|ordered it|asked for all that|is the one who wants it|will get it|needs the lot|wanted it|is waiting for it|requested it|\
asked us to get it|gave me this list|wrote the list|sent the list|will be happy about it|gets everything|is going to use it|put it on the list|wished for it|\
is the one who needs it|made the wish|will eat it
deliver: bring|give|take|deliver|hand|carry|pass|drive|drop off|send|hand over|take over|deliver straight
meant: meant for|for|intended for|bought for|on behalf of|a favour for|a present for|ordered by|asked for by|wanted by|requested by|needed by|a wish of|owed to|destined for|\
set aside for|going to
sep: :| -| --|;| =|,| /| >|...
to: :| -| --| =| >|:|: 
other: plumber|teacher|doctor|landlord|boss|dentist|bus|train|parcel|cleaner
""".strip()

LABELS = {
    "items": "Need|We need|I need|(To|Please|Must|Should) (get|bring|fetch|order)|Pick up|Pick-ups|(Grocery|Food|Buying|Kitchen|Weekly|Market) list|(Missing|Needed|"
             "Wanted|Required|Ordered|Requested|Purchased|Bought) (things|goods|products|articles)|Order|Order items|Our order|Cart|In the (cart|basket|trolley|"
             "bag)|Trolley|Cart contents|(Out|Short) of|Running low|Low on|Used up|Don't forget|Remember|Stock up on|Supplies|Provisions|Ingredients|What we need|"
             "What is missing|What to buy|(All|Still) missing|(Still|Left) to buy|Restock|Refill|Contents|Goods|Positions|Line items|Stuff|Stuff to get|Shop for|"
             "Look for|Buy list|Errands|Replenish",
    "store": "(Which|What) (store|shop|supermarket)|(Name|Address) of (the |)(shop|store)|(Purchased|Buy|Ordered|Available|Sold|Found|Get it) (from|in)|(Grocery|"
             "Corner|Usual|Preferred|Favourite|Our) (store|shop)|Market|Merchant|Vendor|Seller|Sold by|Dealer|Supplier|Outlet|Supermarket name|Bought from|"
             "Go shopping at|Head to|Shop there|Try|Check|Source|Branch|Chain|Point of sale|Try first at|Purchase place|Mkt|Where from|Sells it|Discounter",
    "budget": "(Max|Max.|Maximum) (budget|amount|cost|sum|spend)|(Budget|Cost|Money|Expense|Amount) (limit|cap|ceiling)|Cap|Ceiling|(Upper|Top|Highest) (price|sum|"
              "amount|bound)|(May|Must not|Should not|Not to) (cost|exceed)|Spend (at most|up to|no more than|max)|Stay (below|under|within)|Keep (under|below)|"
              "Less than|Under|Not over|(Shopping|Household|Grocery|Weekly) (money|budget)|Budgeted|Allowed|Max spend|Available money|Price cap|Most we pay|"
              "Maximal price|Funds|Tops",
    "date": "(Shop|Trip|Market|Purchase|Errand|Buying) (date|day)|Day of (the |)(purchase|trip|errand)|(We|I) (go|shop) on|(Go|Buy|Get|Get it) on|(Date|Day) (to|"
            "we) (shop|go)|(Planned|Set|Scheduled) (for|day)|Day we go|Trip on|Shopping on|Shopping is on|When we shop|When to shop|When to buy|Next (trip|shop|"
            "shopping)|Let's go|On which day|Market day|Going shopping|Errand on|Shop run",
    "duedate": "(Needed|Wanted|Required|Expected|Used|Due) (by|for|until|before the end of)|(Must|Should|Has to) (arrive|be here|be there) (on|by)|(Latest|Last|"
               "Final) (day|date|possible day)|Delivery by|Deliver (until|no later than)|(At|No) later than|No later than|(Party|Dinner|Event|Guests|Cooking) (on|day|"
               "date)|(In|At) the house by|Day needed|Day it is needed|Cut-off|(Buy|Get) (by|until)|(Need|Want) it by|Before end of|Ready by|Target date|When needed|"
               "Till|Time limit|Here by",
    "person": "(Shopping|Buying) (person|duty|done by)|(Person|Who is) (shopping|buying|going)|Who (is going|gets it|brings it|fetches it|does it|picks it up)|"
              "(To be |)(Fetched|Brought|Purchased|Collected|Picked up) by|(Runs|Does) (it|the errand|the shopping)|In charge|On duty|Delegated to|Turn of|"
              "Whose turn|Sent|Volunteer|Runner|Errand boy|Courier|Gets it|Fetches|Purchaser|Task of|Job of|Will shop|Shopping helper|Name of (buyer|shopper)|Doer",
    "for": "(Wish|Request|Order|List) (of|from)|(Asked|Called|Sent) for by|(Bought|Intended|Destined|Ordered|Set aside|Get it) for|On behalf of|(Give|Deliver|"
           "Hand|Bring|Take) to|Whose (wish|order|list|request)|Requester|Requesting person|Customer|(Who|Person who) (needs|wants|asked for|ordered) it|End user|"
           "Beneficiary|Client|Needs it|Wants it|Who is it for|Person in need|Receiver|Final recipient|A favour for|Needed for whom",
    "total": "(Total|Full|Final|Overall|Whole) (amount|sum|cost|bill|price|charge)|(Receipt|Invoice|Bill|Basket|Order|Checkout) (total|sum|amount)|(Amount|Sum|"
             "Money) (due|spent|charged|paid|of the bill)|(We|I|You) (paid|spent)|Was charged|Charged|Card charged|(Paid|Spent) (in all|altogether|in total|"
             "at the till)|(All|Everything) (in|together|cost)|Came to|Comes to|Cost in all|What it cost|What we paid|Bottom line|Incl. tax|Total incl. tax|Debited|"
             "Expenses|Expense|Outlay|Ttl|Cash paid|By card",
}
