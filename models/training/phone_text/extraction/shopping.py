"""Shopping lists: things as texts, or with amounts and prices as objects.

The rules. "Some" and "more" in front of a thing is not a part of it; an amount is, where the schema wants texts. Of objects an amount without a
unit has none, and a thing without an amount has no amount.
"""
from .. import fillers, times, words
from . import grammar, values
from .grammar import Domain, Field
from .values import same

UNITS = (("kg", 1), ("g", 100), ("litres", 1), ("packs", 1), ("bottles", 1), ("bags", 1), ("cans", 1), ("boxes", 1), ("jars", 1), ("tins", 1), ("bunches", 1), ("ml", 50), ("l", 1), ("tubes", 1), ("rolls", 1), ("slices", 1))
BULK = ("kg", "g", "litres", "ml", "l", "kilo", "litre")
ONE = ("bottle", "bag", "pack", "can", "box", "jar", "kilo", "litre", "loaf", "bunch", "tin")
GROUPS = ("fruit", "vegetables", "drinks", "snacks", "things for the party", "presents")


def thing(choose):
    p = choose.rng.random()
    if choose.side == "train" and p < 0.25:
        return words.odd_text(choose, 1, 2)
    return choose.of(words.ANY) if p < 0.33 else values.good(choose) if p < 0.43 else choose.of(words.THINGS)


def things(choose):
    found = {}
    for _ in range(choose.rng.choice((1, 2, 2, 3, 3, 3, 4, 4, 5, 6))):
        found[thing(choose)] = None
    return list(found)


def _amount(choose, whole=False):
    """(said, quantity, unit or None)"""
    rng = choose.rng
    p = rng.random()
    if p < 0.4:
        n = rng.choice((1, 2, 2, 3, 4, 5, 6, 8, 10, 12, rng.randint(1, 60)))
        return rng.choice((str(n), str(n), f"{n}x", times.number(choose, n))), n, None
    if p < 0.45:
        return "a dozen", 12, None
    if p < 0.53:
        unit = rng.choice(ONE)
        return f"{rng.choice(('a', 'one', '1'))} {unit} of", 1, unit
    unit, step = rng.choice(UNITS)
    n = step * rng.choice((1, 2, 2, 3, 4, 5, 6, 10)) if step > 1 else rng.randint(2, 12)
    if unit in ("kg", "litres", "l") and choose.chance(0.25) and not whole:
        n = rng.choice((1.5, 0.5, 2.5, 0.25))
    return rng.choice((f"{n} {unit} of", f"{n} {unit} of", f"{n} {unit}", f"{n}{unit}" if unit in ("kg", "g", "ml", "l") else f"{n} {unit}", f"{n} {unit}")), n, unit


def joined(choose, items):
    """Things in a row, or one below the other."""
    rng = choose.rng
    p = rng.random()
    if len(items) == 1:
        return items[0]
    if p < 0.55:
        return ", ".join(items[:-1]) + rng.choice((" and ", " and ", ", and ", " & ", ", ", " and also ", " plus ")) + items[-1]
    if p < 0.7:
        return rng.choice((" and ", ", ", "; ", " + ", " / ")).join(items)
    if p < 0.85:
        bullet = rng.choice(("- ", "* ", "", "[ ] ", "-", "> "))
        return "\n" + "\n".join(bullet + item for item in items)
    return ", ".join(items)


def texts(choose, now, v):
    found = things(choose)
    some = choose.chance(0.12)
    said, value = [], []
    for item in found:
        p = choose.rng.random()
        if p < 0.1:
            amount, _, _ = _amount(choose)
            item = f"{amount} {item}"
        said.append(f"{choose.rng.choice(('some', 'more', 'the', 'some'))} {item}" if p > 0.3 and some else item)
        value.append(item)
    text = joined(choose, said)
    return text, text, value


def objects(choose, names, whole, always):
    def make(choose, now, v):
        said, value = [], []
        priced = "price" in names
        for item in things(choose)[:5]:
            object_ = {"name": item}
            p = choose.rng.random()
            text = item
            if always or p < (0.4 if priced else 0.8):
                amount, object_["quantity"], unit = _amount(choose, whole)
                while "unit" not in names and (unit in BULK or unit and " of" not in amount):  # 500 g flour
                    amount, object_["quantity"], unit = _amount(choose, whole)
                text = f"{amount} {item}"
                if unit and "unit" in names:
                    object_["unit"] = unit
                elif unit:  # a jar of gherkins
                    object_["name"] = f"{amount.split(' ', 1)[1]} {item}"
                if not unit and p < 0.1 and not always:
                    object_["quantity"] = choose.rng.randint(2, 30)
                    text = f"{item} {choose.rng.choice(('x', 'x ', '* '))}{object_['quantity']}"
            if priced and choose.chance(0.9):
                cost, _, object_["price"] = values.price(choose, 40)
                text += choose.rng.choice((" ", " for ", ": ", " at ", " - ", " ... ")) + cost
            said.append(text)
            value.append({names[k]: object_[k] for k in names if k in object_})
        text = joined(choose, said)
        return text, text, value
    return make


NAMES = {"name": ("name", "item", "product", "thing", "article", "what"), "quantity": ("quantity", "amount", "count", "qty", "number", "how_many"), "unit": ("unit", "measure", "units", "package"),
         "price": ("price", "cost", "unit_price")}


def object_field(choose, field):
    keys = choose.rng.choice((("name", "quantity"), ("name", "quantity"), ("name", "quantity", "unit"), ("name", "quantity", "unit"), ("quantity", "name"), ("quantity", "unit", "name"), ("name", "price"), ("name", "quantity", "price")))
    names = {key: choose.rng.choice(NAMES[key]) if choose.chance(0.5) else NAMES[key][0] for key in keys}
    schema = {"type": "object", "properties": {names[k]: {"type": {"name": "string", "unit": "string", "price": "number"}.get(k) or choose.rng.choice(("integer", "number", "number"))} for k in keys}}
    always = "quantity" in names and choose.chance(0.5)
    if choose.chance(0.6):
        schema["required"] = [names["name"], names["quantity"]] if always else [names["name"]]
    whole = schema["properties"].get(names.get("quantity"), {}).get("type") == "integer"
    return Field("array", "|".join(field.names), "Items", objects(choose, names, whole, always), choices=schema)


def make(choose, now):
    fields = dict(SHOPPING.fields)
    if choose.chance(0.45):
        fields["items"] = object_field(choose, fields["items"])
    return grammar.make(choose, now, SHOPPING, fields)


SHOPPING = Domain("shopping list", """Extract the shopping list.
What should be bought? Fill in the list.
Shopping list as JSON.
Take the items out of the text.
What do we need?
List the things to buy.
Turn this into a shopping list.
Read the shopping list out of this.
What is on the shopping list?
Make a shopping list of this.
Get the items.
Please extract the items.
Fill in the shopping list.
Which things should I buy?
Shopping list please.
Extract the items and the amounts.
What do I have to get, and where?
Groceries as JSON.
Items please.
Which items are on the list?
What's missing in the kitchen?
Note what has to be bought.
Read the list.
Parse my shopping message.""", {
    "items": Field("array", "items|things|list|products|shopping list|groceries|articles|goods", "Items|Shopping|To buy|List|Buy|Needed|Get|Shopping list|Things|Missing", texts, choices={"type": "string"}),
    "store": Field("string", "store|shop|where|market|supermarket|place|store name", "Store|Shop|Where|At|Market|From|Buy at|Supermarket|Place", lambda c, n, v: same(values.shop(c))),
    "budget": Field("number", "budget|limit|max price|maximum|max|money|price limit", "Budget|Limit|Max|Maximum|At most|Money|Up to|Not more than", lambda c, n, v: values.price(c, 200)),
    "date": Field("string", "date|day|by|when|needed by|due|deadline", "Date|Day|When|By|Needed by|Due|Deadline|Until", lambda c, n, v: values.date(c, n)),
    "person": Field("string", "person|for|name|buyer|who|shopper|assigned to", "Who|For|Buyer|Person|Shopper|Goes|Name|Assigned to", lambda c, n, v: same(values.words.first_name(c) if c.chance(0.7) else values.person(c))),
    "total": Field("number", "total|sum|total price|amount paid|paid", "Total|Sum|Paid|Total price|In all|Amount due|To pay", lambda c, n, v: values.price(c, 200)),
}, ("items",), """(We|I|they) (need|want|have to get|must buy|are out of|have run out of|still need|would like|could do with) {items}.
(Please |)(buy|get|bring|fetch|pick up|order|grab) {items}.
(Please |)(buy|get|bring|fetch|pick up|grab) (me|us) {items}.
(Can|could|will|would) you (please |)(get|buy|bring|fetch|pick up|grab) {items}?
(Shopping|to buy|list|on the list|things to buy|still open|needed|missing|shopping list): {items}.
(Don't forget|remember|think of) {items}.
(Don't forget|remember) to (buy|get|bring) {items}.
For (the cake|dinner|the party|breakfast|the soup|tomorrow|the weekend) (I|we) need {items}.
{items} are missing.
{items} (please|is what we need|would be nice|and nothing else).
(The fridge|the kitchen|the pantry|the cellar) needs {items}.
There is no {items} left.
(Add|put) {items} (to the basket|on the list|into the cart|to the list).
(Pick up|get|grab) {items} (on the way|on your way home|when you are in town|after work).
(What we lack is|what's missing is|we lack|all we need is|it's only) {items}.
(Grandma|Mum|Dad|the neighbour|my sister) (asked for|wants|needs|would like) {items}.
(The kids|the guests|the cats|everybody) (want|need|asked for|like) {items}.
(Take|order|get) {items} (with you|as well|too|again).
(You should|you have to|you must|let's) (get|buy|take) {items}.
(I'm|I am) (making|cooking|baking) (soup|a cake|curry|pizza), so (we need|get|please buy) {items}.
(We have enough|there is enough|no need for) {x_thing}, (but|just|only) {items} (please|).
(No|not) {x_thing} (this time|), but {items}.
(Not|no) {x_thing}, (we have enough|there is plenty)(,|:) (get|buy) {items} instead.
{person} (needs|wants|asked for|would like) {items}.
{person}, (please |)(buy|get|bring) {items}.
(Can|could) {person} (get|buy|bring) {items}?
(Get|buy|we need|order) {items} (at|from) {store}.
(I'm going to|go to|on to|off to) {store} (and|to) (get|buy) {items}.
(I bought|we bought|bought|I got) {items} (at|from) {store}.
(We need|get|please buy) {items} {date}.
{date} (we need|I need|get) {items}.
(I bought|we bought|bought|I got) {items} for {total}.
(Try|go to|ask at|have a look at|please go to|check) {store}.
(Maybe|best|always|as usual) (at|from) {store}.
(I|we) (saw it|always buy it|get it|find it) (at|in) {store}.
(The|our) (shop|store|market|best place) is (called |){store}.
(Go|walk|drive) to {store} (for that|for it|).
(Store|shop|where|buy at|at): {store}.
(They have it|it is cheap|it's on offer|you get it|there's a sale) (at|in) {store}.
{store} (has everything|sells it|is open late|has an offer|is cheap|should have it).
(Not|don't go) to {x_shop}, (but|go|rather) to {store}.
{x_shop} is closed, (so|try|go to) {store}.
(Buy|get) (it|everything|all of it) (at|from) {store}.
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
(Buy|get|bring|fetch) it {date}.
(We need|I need) (it|them|everything|that) {date}.
(The party|the dinner|the picnic|the barbecue) is {date}.
(Can you|could you) go {date}?
(Go there|do it|shop|the shopping is|please go) {date}.
(It|everything) (should|must) be here {date}.
(When|deadline|needed by|day)(:|) {date0}.
(I want to|we will|I'm going to) (cook|bake) {date}.
(The guests|they|the kids) (come|arrive) {date}.
Not {x_date}(,| but) {date}.
{person} (goes|will go|is going|can go|does the shopping|buys it|has time).
(For|it is for|this is for|who:) {person}.
(Ask|tell|send|give it to) {person}.
{person} (will pick it up|takes the car|is the one who shops|pays).
(The|in all|altogether the) (total|sum|bill) (was|is) {total}.
(Total|sum|in all|paid|to pay)(:|) {total}.
(I|we) (paid|spent) {total} (in all|altogether|).
(It|that) (came|comes) to {total}.""", """{items}
{items}
{items}
{items} @ {store}
{store}: {items}
{store} - {items}
{items} ({budget})
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
by {date0}
for {date0}
{person}
{person}: {items}
for {person}
-> {person}
Total {total}
= {total}
sum {total}""".replace("{items} ({budget})", "{items} / max {budget}"), """Shopping list
To buy
Groceries
List for the weekend
Hi, I'm in the shop.
We're having guests.
Are you still in town?
The fridge is empty.
I made a list.
Receipt
Before I forget:
Our list so far
For the barbecue
We want to bake.
You are going shopping, aren't you?
Supermarket run
Message from the kitchen:
Family chat""", """That's it.
Thank you, love.
The rest is here.
I'll pay you back.
Take a bag with you.
Don't take the car.
No sweets, please.
Ring me if they have none.
The list is on the fridge.
You're the best.
I will cook.
Organic if possible.
Nothing else.
Hurry, they close soon.
Keep the receipt.
We still have the rest.""", share=1.1)
