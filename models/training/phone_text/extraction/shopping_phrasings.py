"""How messages about shopping say their facts. What is to be bought is never asked for in a sentence that says who wants it without being {for}."""
from ..split import worded

_WORDS = dict(
    get="buy|get|bring|fetch|pick up|order|grab|find|pack|purchase|bring home|take|carry home|look for|stock up on|go for|collect",
    it="it|them|this|everything|all of it|the things|the stuff|that|all this",
    bought="bought|got|picked up|found|purchased|ordered|paid for|took|brought home",
    please="please|kindly|if you can|quickly|just|",
)

SENTENCES = worded("""(We|I|they) (need|want|have run out of|still need|would like|could do with|miss) {items}.
(Quickly |Then |So |Now |)(bring along|pick out|shop for|go and get|go and buy|run and get|hurry and buy) {items}.
(Please |)(buy|get|bring|fetch|pick up|grab) (me|us) {items}.
(Can|could|will|would) you (please |)(get|buy|bring|fetch|pick up|grab) {items}?
(Shopping|to buy|list|on the list|things to buy|still open|needed|missing|shopping list): {items}.
(Don't forget|remember|think of) {items}.
(Don't forget|remember) to (buy|get|bring) {items}.
For (the cake|dinner|the party|breakfast|the soup|the weekend) (I|we) need {items}.
{items} are missing.
{items} (please|is what we need|would be nice|and nothing else).
(The fridge|the kitchen|the pantry|the cellar) needs {items}.
(Add|put) {items} (to the basket|on the list|into the cart|to the list).
(Pick up|get|grab) {items} (on the way|on your way home|when you are in town|after work).
(What we lack is|what's missing is|we lack|all we need is|it's only) {items}.
(Take|order|get) {items} (with you|as well|too|again).
(You should|you have to|you must|let's) (get|buy|take) {items}.
(I'm|I am) (making|cooking|baking) (soup|a cake|curry|pizza), so (we need|get|please buy) {items}.
(We have enough|there is enough|no need for) {x_thing}, (but|just|only) {items} (please|).
(No|not) {x_thing} (this time|), but {items}.
(Not|no) {x_thing}, (we have enough|there is plenty)(,|:) (get|buy) {items} instead.
(We|They) (are short of|are out of|ran out of|are going to need|can't do without|have used up) {items}(, by the way|, I think| again| for the house|).
(You|They|You two|The others) (need|want|lack|require|would love|are missing|still have to get) {items}(, you know|, as always| urgently|).
(I|We|All of us) (will need|have no more|could use|would very much like|would love|are running low on|should have) {items}(| for the house|, I fear|).
(Please |Kindly |Oh, please |)(purchase|bring home|take|carry home|collect|organise|secure|get hold of) {items}(, will you|, thanks|).
(Please |Do |Always |Just |)(buy|get|pick up|find|look for|bring) {items} (if they have it|if there is any|while you are there|first|when you pass by|one more time|, will you|and come home).
(Please |)(stock up on|go for|pack|choose|see if you can get|see about getting|bring back) {items}.
(Would you mind|Do you mind|How about|What about|Any chance of|Is it ok if I ask you for) (getting|buying|bringing|picking up|fetching) {items}?
(Can|Could|Will|Would) (you|somebody|one of you|we) <please> <get> {items}?
(I|We) (will|want to|have to|must|should|plan to|ought to|need to) <get> {items}.
(Someone|Somebody|Anyone|One of us) (has to|should|must|needs to|could) <get> {items}.
(It would be (nice|great|lovely)|I'd be happy|I'd be grateful) if you could <get> {items}.
(The list|Our list|My list|The note on the fridge|The shopping list|The recipe) (says|reads|has|asks for|is|shows|calls for): {items}.
(Still|Also|Only|Just|Definitely|Urgently) (needed|missing|wanted|to get|to buy)(: | are | is ){items}.
(What we need|What's needed|What I need|What I want|What has to be bought|All that is missing|What's on the list)(: | is | are |, in short: ){items}.
{items} (have to be bought|must be bought|should be on the list|are all gone|are what we lack|have run out|will do|belong on the list|are needed).
{items} (for|to go with) (dinner|breakfast|the party|the barbecue|the salad|lunch|the cake|the trip).
(To make|To cook|To prepare|For) (the soup|the salad|dinner|pancakes|the stew|lunch|a curry|the pie|the sauce) (you|we|one) (need|needs|will need|must have|want) {items}.
(We|I) (used up|finished|ate|forgot|didn't get|couldn't find) {items}, (please buy more|so get it again|so put it on the list|could you get that).
(No more|Nothing left of|We have not got any|There isn't any) {items} (in the house|at home|here), (could you get it|please buy|so it goes on the list).
(Put|Write|Note|Jot down|Enter) {items} (on|onto) (my list|the shopping list|our list|the note|our note).
(When|If|As) you (go shopping|are in town|are at the shops|pass the market|are out), <get> {items}.
(Apart from|Besides|Other than) {x_thing}, which we have, (we need|get|I need|please buy) {items}.
(We've got|I have|There's still) {x_thing}, (so only|so just|but not|what's missing is) {items}.
(Forget|Skip|Leave out|Cross out|Never mind) (the |){x_thing}(, but get|; get|, better take|. Instead buy) {items}.
(I|We) <bought> {items}.
(In the basket|In the trolley|In my bag|In the cart|On the receipt|On the bill): {items}.
(This is|That is|Here's|Here is) what (we need|to get|I need|is on the list|to buy|is missing): {items}.
(Hello|Hi|Hey), (just|only|please) {items}(, thanks|, please|).
(Shall I|Should I|Do you want me to|Can I) <get> {items}?
{items}, (that's all|please|and that's it|thanks|if you can find it|that would be great|as usual|don't forget).
{for} (needs|wants|asked for|would like) {items}.
{for} (wants|needs|would love|has asked for|wishes for|can't do without|ordered|will need|likes) {items}.
(For|This is for|These are for|It's for|On behalf of) {for}(: | - |, ){items}.
(Get|Buy|Bring|Take|Fetch|Pack|Order) {items} for {for}.
{items} (for|are for|go to|belong to) {for}.
(It's|It is|That's|The whole lot is|The things are|The shopping is|The bag is|All this is|It's meant) for {for}.
{for} (asked me for it|wants it|wants these things|asked for it|needs it all|is the one who needs it|will get it all|wrote the list|ordered it).
(Bring|Give|Take|Deliver|Hand) <it> to {for}.
(I|We) (promised|owe) <it> to {for}.
{person}, (please |)(buy|get|bring) {items}.
(Can|could) {person} (get|buy|bring) {items}?
{person} (will|should|has to|must|can|is going to|said yes and will|offered to|promised to) <get> {items}.
(Ask|Tell|Remind|Get|Send) {person} to <get> {items}.
(It's|It is) {person}'s turn to (shop|go shopping|do the shopping|buy it).
{person} (goes|will go|is going|can go|does the shopping|buys it|has time).
{person} (will|should|has to|must|can|is going to|offered to|promised to|wants to|agreed to) (go|go shopping|do the shopping|shop|buy it|go to the shop|take care of it|get it|run to the shop).
(Ask|Tell|Remind|Get|Send) {person} to (go|go shopping|buy it|do the shopping|get everything).
{person} (goes shopping|is on shopping duty|is in charge of the shopping|takes the list|has the list|drives to the shop|gets it|picks it up|is our shopper|does it this time|buys everything).
(Who goes|Who buys it|Who does the shopping|Who gets it|Whose turn is it)? {person}(, I hope|, as always|, I think|).
(The shopping|The buying|The list|All this) (is|was) (done by|given to|left to|assigned to|up to) {person}.
{person} (will pick it up|will fetch it|is the one who shops|buys the lot).
(This time|Today|Next|As always|Once more) it's {person} who (goes|shops|buys it|does the shopping).
(Get|buy|we need|order) {items} (at|from) {store}.
(I'm going to|go to|on to|off to) {store} (and|to) (get|buy) {items}.
(I bought|we bought|bought|I got) {items} (at|from) {store}.
(get|please buy|go and buy|you could buy) {items} {date}.
(We need|I need|they need|we must have|it takes) {items} {duedate}.
{duedate} (we need|I need|there must be) {items}.
{date} (please get|you can buy|get|we buy) {items}.
(I bought|we bought|bought|I got) {items} for {total}.
<please> <get> {items} (at|from) {store}.
(I|We|You|They) (can|will|could|should|want to) <get> {items} (at|from) {store}.
(At|From) {store}(, | we need | I want | please get |: ){items}.
{person} (gets|buys|brings|will get|fetches|picks up) {items} (at|from) {store}.
{person} (goes|will go|runs|drives|walks) to {store}.
{person} (goes shopping|will go|goes|does the shopping|can do it) {date}.
(Let's|We'll|I'll|You could|Please) go to {store} {date}.
(The things we need|What we need|Our list) {duedate}: {items}.
(Try|go to|ask at|have a look at|please go to|check) {store}.
(Maybe|best|always|as usual) (at|from) {store}.
(I|we) (saw it|always buy it|get it|find it) (at|in) {store}.
(The|our) (shop's name|place to shop|best market|best place) is (called |){store}.
(Go|walk|drive) to {store} (for that|for it|).
(Store|shop|where|buy at|at): {store}.
(They have it|it is cheap|it's on offer|you get it|there's a sale) (at|in) {store}.
{store} (has everything|sells it|is open late|has an offer|is cheap|should have it).
(Not|don't go) to {x_shop}, (but|go|rather) to {store}.
{x_shop} is closed, (so try|try|so go to|go to|so it must be) {store}.
(Buy|get) (it|everything|all of it) (at|from) {store}.
(I|We|You|They) (can|will|could|should|must|want to|usually|always) (get|buy|find|order|look for) <it> (at|from) {store}.
(Best|Cheapest|Nearest|Easiest|Freshest) (is|at|would be|:) {store}.
{store} (is the shop|is where we shop|is where you get it|is around the corner|has the best|is the place to go|will have it|delivers|is my favourite shop|is still open|is where I am).
(Have you tried|Did you look at|Why not go to|Can you go to|Could you stop at|Do you pass) {store}?
(The|Our|My|Your) (shop|supermarket|store|grocer|market|usual shop) (is|will be|would be|this time is) {store}.
(On the way|After work|Tonight|First|Then) (stop at|drop by|go to|drop in at|call at) {store}.
(I'm|We're|I am|We are) (at|in|going to|on the way to|standing in front of|just outside) {store}.
(The offer|The voucher|The leaflet|The gift card|The coupon) is (from|for|valid at) {store}.
(Where do you get it|Where to|Which shop|Where do we shop)? {store}(, of course|, I think|, as always|).
(The receipt|The bill|The ticket) is from {store}.
(Up to|no more than|not more than|at most|max|maximum) {budget}.
(I|we) can (pay|spend) {budget}.
(Keep it|stay|it should be) under {budget}.
(Maximum|limit|budget|max)(:|) {budget}.
(The|our|my) (limit|budget|maximum) is {budget}.
(Here are|there are|you have|you get|take) {budget} (for it|for this|with you|).
(Don't|please don't) spend more than {budget}.
(It|all of it|everything) (must not|should not|shouldn't) cost more than {budget}.
(You|we) (may|can) spend (up to |){budget}.
Last time it was {x_price}, (this time|now) (at most|no more than|max) {budget}.
(You|We|I) (have|must not spend more than|can use|may use|should stay below|can afford|may go up to|get|have got) {budget}(, no more| at most| for the shopping| in all|).
(The|Our|My|Your) (budget|limit|spending limit|upper limit|maximum|allowance) (is|was set to|stays at|would be|should be) {budget}.
{budget} (is the limit|is all we have|is the most|must do|has to be enough|is the budget|and not a cent more|is the upper limit|should be enough|at the most).
(Spend|Pay) (no more than|at most|up to|a maximum of|less than) {budget}.
(Try|We have|Remember) to (stay|keep it|remain) (below|under|within) {budget}.
(It|The shopping|The whole lot|All together it|The bill) (may|can|should|must|is allowed to) (cost|be) (at most|no more than|up to|under) {budget}.
(There is|I put|You'll find|I left you) {budget} (in the purse|in your wallet|on the table|in the envelope|aside) (for it|for the shopping|to spend).
(How much can I spend|What's the limit|What may it cost)? {budget}(, no more|, at most|).
Not {x_price}(,| but| as last time, but) (at most|a maximum of|no more than) {budget}.
(Buy|get|fetch|pick up) (it|everything) {date}.
(We need|I need) (it|them|everything|that) {duedate}.
(The party|the dinner|the picnic|the barbecue) is {duedate}.
(Can you|could you) go {date}?
(Go there|do it|shop|the shopping is|please go) {date}.
(It|everything) (should|must) be here {duedate}.
(When|shopping day|day)(:|) {date0}.
(Deadline|needed by|due|wanted by)(:|) {duedate0}.
(I want to|we will|I'm going to) (cook|bake) {duedate}.
(The guests|they|the kids) (come|arrive) {duedate}.
Not {x_date}(,| but) {date}.
(I|We|You|They) (go shopping|shop|should go|have to buy it|will go|do the shopping) {date}.
(I|We|You|They) (need it|want it|must have it|want to cook|cook|have guests|throw a party|want to bake|expect it) {duedate}.
(Can|Could|Would|Will) (you|somebody|we|one of you) (do it|go|get it|shop|do the shopping|buy it|see to it) {date}?
(The shopping|The shopping trip|The purchase|All this|The trip to the shop) (has to be done|can be done|must happen|should be done|is planned|will be done) {date}.
{date} (we go shopping|is shopping day|I'll go|would be a good day to go|is when the shops are empty|you should go).
{duedate} (is when we need it|it has to be here|we cook|is the deadline|the guests come|it must be ready).
(When do we go|When shall I go|Which day do you shop|When will you buy it)? {date0}(, please|, I think|, if possible|).
(It|Everything|All of it) (has to|should|must|needs to) (be at home|be ready|arrive|be in the fridge) {duedate}.
(I|We) (can't go|won't go|didn't go) {x_date}, (but|only) {date}.
(Shopping day|The day we shop|The day for the shop|The day to go) (is|will be|was moved to|should be) {date0}.
(The deadline|The last day|The day of the party|The day we need it|The due date) (is|will be|was moved to|should be) {duedate0}.
(For|it is for|this is for): {for}.
(The|in all|altogether the) (total|sum|bill) (was|is) {total}.
(Total|sum|in all|paid|to pay)(:|) {total}.
(I|we) (paid|spent) {total} (in all|altogether|).
(It|that) (came|comes) to {total}.
(I|We|You|They) (paid|spent|gave them|handed over|had to pay|laid out) {total}(, all told| for everything| at the till| in the end| for the lot|).
(It|That|Everything|The lot|The shopping|All of it|The whole basket) (cost|was|came to|added up to|made|amounted to|totalled|set us back) {total}(, can you believe it| altogether| in all|, tax included|).
(The|My|Our) (receipt|bill|till|cashier|invoice) (says|shows|said|showed|was for|is for|asked for) {total}.
(The|Our) (total|sum|grand total|final price|amount paid|sum on the receipt) (is|was|came to|comes to) {total}.
{total} (was the total|is the total|is what I paid|was what it cost|in all|at the till|is on the receipt|altogether|was the bill|is the sum).
(The bag|The deposit|Parking|The taxi) (cost|was) {x_price}, (in all|everything together|the total) (was|came to) {total}.
(You owe me|Please pay me back|My card was charged|Charged to the card|Paid by card|Paid in cash)(: |, |, in all |, total ){total}.
{items}, (together|in all|altogether|total|for) {total}.
{items} (at|from) {store}, (max|at most|up to|limit) {budget}.
(Bring|Hand|Give|Take) {for} {items}.
(Somebody|We|I) (should|must|could|will) (get|buy|bring) {for} {items}.
{for}'s (list|wish list|shopping list|order|wish)(: | is | - ){items}.
(It was|It is|That was) {for} who (wanted|asked for|needs|ordered) (it|this|them|all that).
(This|That|The list|The order) (is|comes|came) from {for}.
(On the list of|What we owe|Wishes of|Things for|A few things for) {for}: {items}.
(Let|Make|Have) {person} <get> {items}.
(I|We) (asked|told|sent|reminded|begged) {person} to (go|shop|buy it|do the shopping|get it|do it).
(Our|Your|The|Today's) (shopper|buyer|driver with the list|helper at the shop|volunteer for the shopping) is {person}.
(I|We) (need|want|would like|could use|am after|are after) {items} from {store}.
(Look|Ask) for {items} at {store}.
It's {date} (when|that) (we shop|we go shopping|I go|you can go).
(We go|I go|You go) to the shop {date}(, before lunch|, early|, I think|).
(It's no use going|Everything is closed) {x_date}, (go|so go|so do it) {date}.
(And|Please|Remember,|Careful,) (the budget is|the limit is|stay below|no more than|don't go over|never above) {budget}.
(Mum|Dad|The boss|Grandma) (allows|gave us|set aside|pays up to) {budget} (for it|for the shopping|for everything).
(Max.|Maximum of|Limit of|Budget of|A budget of|A limit of) {budget}(, please|, remember|).
(At the till|In the end|When all was done|At the checkout) (I|we) (paid|had to pay|gave) {total}.
(How much was it|What did it cost|What was the total)? {total}.
(Don't|Never|Please don't) (go over|exceed|pay more than|go beyond) {budget}(, ok| in all|, please|).
(Until when|By when|When do you need it|When is it needed)? {duedate0}(, please|, at the latest|, I think|).
(Not|No longer) {x_date}(,| but) (we need it|it's needed|the party is|they come) {duedate}.
(The birthday|Our trip|The cook-out|The big dinner|The visit|Brunch) (is|will be|takes place) {duedate}.
{items} (are needed|must be here|have to be at home|should be ready|are wanted) {duedate}.
(Do|Would) you have time {date}(, to go shopping| for the shopping| to buy it)?
(Errands|Jobs|To do|Things to get|My list|Weekly shop|Our order|The order)(: | - ){items}.
(Would|Will|Could) you be so kind (as to|and) <get> {items}?
(Mind|Fancy) (getting|picking up|buying|fetching) {items} (for me|on the way|for us|while you're out)?
(I|We)'d (like|love|be glad to have) {items}(, please|, if possible|).
(It's time to|You two ought to|Better|You'd better) <get> {items}.
(Do us a favour and|Be an angel and|While you are at it,|If you don't mind,) <get> {items}.
{items} (on|for) the (list|shopping list), (please|thanks).
{items} (wanted|needed|requested|missing)(, please|, urgently|, as always|).
(Running low|Running out|We're low|Almost out) (on|of)(:|) {items}.
(The cupboard is empty|The shelf is empty|Nothing in the house): (we need|get|please bring|so buy) {items}.
(Nothing but|Only|Just) {items} (this time|today|please|and that's it).
(The recipe|This dish|The cake|The stew|My salad) (takes|needs|calls for|wants|is made with) {items}.
(Here's the list|That's the list|The list in short|This is my list)(: | - ){items}.
(Everything we need|All I need|The whole list)(: | is | - ){items}.
(Tick off|Don't come home without|I can't cook without|We can't do without) {items}.
(Has anybody bought|Did you buy|Did anybody get|Have you got) {items}? If not, please do.
(Already in the basket|Already bought|Bought so far|In the bag now)(: | - ){items}.
(I'm|We're) (getting|buying|picking up|fetching|ordering) {items}.
(I'm at the till with|Here I am with|On the belt lie) {items}.
{items}, (I|we) (forgot|nearly forgot) that.
(Anything else? Yes,|And another thing:|Oh, and also|PS: also|Last thing:) {items}.
(The place|The address) (for it |for that |)is {store}.
(Head|Hop|Nip|Run|Pop) (over |round |in |)to {store}(, please| for it| first|).
(Meet me|Wait for me|See you|I'll be) (at|in front of|outside) {store}, (we shop there|that's where we shop|we'll shop there).
(No other shop than|Nowhere but|Only) {store}(, please|, they know us|).
{store} (stocks it|carries it|is the cheapest|never disappoints|is on your way|has it all|is where everybody shops).
(All of it|Everything|It all|The lot) (is|was|comes|can be bought) (from|at) {store}.
(Instead of|Rather than|Not) {x_shop}(, try|, take|, go to| but) {store}.
(Which shop was it|Where did you buy it|Where does one get it|Whose receipt is it)? {store}.
(Thank you for shopping|Thanks for your visit|Your purchase|Your receipt) (at|from) {store}.
(Shopped|Bought|Purchased|Paid) (at|in) {store}.
(Money|Cash|My wallet|The purse|The account) (allows|is good for|has|holds) {budget}(, no more| and not a cent more|).
(If it costs|Should it cost) more than {budget}, (leave it|call me|forget it|skip it).
(Stop|Stay|End) (at|below|before) {budget}.
(A|The) (ceiling|cap|spending limit|budget) of {budget} (applies|was agreed|is fine|must do).
(I|We) (set|agreed on|fixed|planned|have put aside) {budget} (as the limit|as a budget|for the shopping|at the most).
{budget}, (that's the limit|no more|that must be enough|not more, please|tops).
(How about|What about|Shall we say) {date}(, is that a good day to shop|, to go shopping|, for the shopping)?
(I|We|You) (can|could|might) (go|shop|do it|fetch it|get it) {date}.
(Save|Keep|Block) {date0} for (the shopping|shopping|the trip to the shop).
(The shop|They) (has|have) it again {x_date}, (so go|so let's go|but go) {date}.
(Next|The next|Our next) shopping (trip|day|tour)(:| is| -) {date0}.
(The meal|Supper|The feast|The celebration|Our party) (is|will be|happens|takes place) {duedate}.
(I|We|They) (must|have to|will|want to) (bake|cook|serve it|use it|have it) {duedate}.
(Don't be late|In good time|Make sure), (it's needed|we need it|it has to be here) {duedate}.
(No later|Not later) than {duedate0}(, please|).
(The guests|My parents|Our friends|The in-laws) (want to eat|come to dinner|get here|will be here) {duedate}.
{person} (volunteered|was asked|is free|has offered) to (go|shop|do the shopping|get it|buy it).
(It falls to|It is up to|I leave it to|We count on|Leave it to) {person} (to buy it|to shop|to do the shopping).
(Shopping is|The list goes to|The job goes to|The shopping falls to) {person}.
(Could|Would|Can) {person} (go|do the shopping|shop|get everything|buy it)(, please|)?
{person}, (could|can|would) you (please |)<get> {items}?
{person}, (you are the shopper|it's your turn to shop|go and buy it|please do the shopping).
{person} (is getting|is buying|is fetching|is on the way to get) {items}.
{items} (bought|to be bought|fetched|picked up) by {person}.
(At the request of|Ordered by|Wanted by|By order of|As requested by) {for}(: | - ){items}.
(This|It|All of it) (was ordered|was wanted|was requested|is wanted) by {for}.
{for} (said|asked|wrote|called): (please |)(get|buy|bring) {items}.
(Hand|Pass|Carry) (it|everything|the bag) (on |over |)to {for}.
(Who is it for|Who wanted it|Who asked for it)? {for}.
(The sum|The damage|The price|The amount due|The figure) (was|is|came to) {total}(, all in| in the end| altogether|).
(I|We) (got away with|parted with|shelled out|counted out) {total}(, all in all| at the till|).
(Receipt|Bill|Invoice)(: total |, total |: ){total}.
(That'll be|That makes|That is|That comes to) {total}(, said the cashier|, please|, they said|).
(Rounded|Everything added up|All told|With the deposit|Tax included)(: |, |, it's ){total}.""", **_WORDS)

LINES = worded("""{items}
{items}
{items}
{items} @ {store}
{store}: {items}
{store} - {items}
{items} / max {budget}
{store}
{store}
at {store}
from {store}
@ {store}
max {budget}
up to {budget}
limit {budget}
< {budget}
{date0}
by {duedate0}
needed {duedate0}
{person} gets {items}
buyer {person}
Total {total}
= {total}
sum {total}
(get|buy|need|list|shopping|bring|missing|still)(:|) {items}
{items}(, please|, thanks|, that's all)
{items} from {store}
{items} for {for}
(for|wanted by|needs it) {for}
for {for}: {items}
(shop|store|where|buy at|go to|market|in)(:|) {store}
{store} (shopping|list|run|trip)
(budget|no more than|at most|not over|maximum|spend|money)(:|) {budget}
{budget} (max|at most|limit|maximum)
(on|when|day|date|shopping|go)(:|) {date0}
(due|needed by|deadline|needed on|wanted on)(:|) {duedate0}
{date0}: {items}
(who goes|buyer|shopper|goes|shops|buys)(:|) {person}
{person} (goes|shops|buys it|gets it)
{person} (@|at|to) {store}
{person} shops {date0}
{store}, {date0}
(total|sum|paid|in all|altogether|bill|amount)(:|) {total}
{total} (total|paid|in all|cash|by card)""", **_WORDS)
