"""Shopping lists: things as texts, or with amounts and prices as objects.

The rules. "Some" and "more" in front of a thing is not a part of it; an amount is, where the schema wants texts. Of objects an amount without a
unit has none, and a thing without an amount has no amount.
"""
from .. import fillers, times, words
from . import grammar, shopping_classes, shopping_patterns, values
from .grammar import Domain, Field
from .shopping_phrasings import LINES, SENTENCES
from .values import same
from .wider import widen_contrasts, widen_domain

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


def _amount_in_words(choose, whole):
    """(said, quantity, unit or None) of an amount that begins with a word: six, two bottles of, half a litre of."""
    rng = choose.rng
    p = rng.random()
    if p < 0.5:
        n = rng.randint(1, 20) if p < 0.4 else rng.randint(21, 60)
        return times.in_words(n), n, None
    if p < 0.58:
        return *rng.choice((("half a dozen", 6), ("two dozen", 24), ("one dozen", 12), ("three dozen", 36), ("a hundred", 100))), None
    if p < 0.7 and not whole:
        unit = rng.choice(("kilo", "litre"))
        return f"half a {unit} of", 0.5, unit
    unit = rng.choice([unit for unit, step in UNITS if step == 1 and len(unit) > 2])
    n = rng.randint(2, 12)
    return f"{times.in_words(n)} {unit}{rng.choice((' of', ' of', ''))}", n, unit


def _amount(choose, whole=False):
    """(said, quantity, unit or None)"""
    rng = choose.rng
    if choose.side == "train" and choose.chance(0.3):
        return _amount_in_words(choose, whole)
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


def _behind(choose, item, amount, quantity, unit, priced):
    """The thing with its amount behind it."""
    if unit or amount.endswith("x"):
        amount = times.in_words(quantity) if isinstance(quantity, int) and quantity <= 20 and choose.chance(0.3) else str(quantity)
    if unit:
        amount += f" {unit}"
    forms = [f"{item} ({amount})", f"{item} ({amount})"]
    if not priced:
        forms += [f"{item}: {amount}", f"{item} - {amount}"]
        if unit or amount.isdigit():  # not "dates three"
            forms.append(f"{item} {amount}")
        if quantity > 1:
            forms.append(f"{item}, {amount} of {'it' if unit else 'them'}")
    return choose.rng.choice(forms)


def objects(choose, names, whole, always):
    def make(choose, now, v):
        said, value = [], []
        priced = "price" in names
        found = things(choose)[:5]
        share, alone = 0.4 if priced else 0.8, None  # how many have an amount, and which one is the only one that has
        if choose.side == "train" and "quantity" in names and not always:
            share = choose.rng.choice((share, share, 0.3, 0.6))
            alone = choose.rng.choice(found) if choose.chance(0.3) else None
        behind = choose.side == "train" and choose.chance(0.15)
        for item in found:
            object_ = {"name": item}
            p = choose.rng.random()
            text = item
            if item == alone if alone else always or p < share:
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
                elif behind and object_["name"] == item:
                    text = _behind(choose, item, amount, object_["quantity"], unit, priced)
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


def _due(choose, now):
    """A day by which the things must be there. It is "by three days from now", since "by in three days" nobody says."""
    said, bare, value = values.date(choose, now)
    if choose.side == "train" and bare.startswith("in ") and choose.chance(0.7):
        bare = f"{bare[3:]} from now"
    return said, bare, value


_FIELDS = {
    "items": Field("array", "items|things|list|products|shopping list|groceries|articles|goods|to buy|shopping|item list|things to buy|purchases|needed|basket|needed items",
                   "Items|Shopping|To buy|List|Buy|Needed|Get|Shopping list|Things|Missing|Bring|Things to buy|Groceries|Still needed|We need|Basket|Products|On the list|Please get|What to get|Purchases|Articles",
                   texts, choices={"type": "string"}),
    "store": Field("string", "store|shop|where|market|supermarket|place|store name|shop name|buy at|bought at|retailer|where to buy|grocer|merchant|vendor|location|seller",
                   "Store|Shop|Where|At|Market|From|Buy at|Supermarket|Place|Go to|Shop name|Store name|Where to buy|Get it at|Bought at|Grocer|Which shop|Shopping at|Retailer|Location|To be had at",
                   lambda c, n, v: same(values.shop(c))),
    "budget": Field("number", "budget|limit|max price|maximum|max|price limit|spending limit|max amount|upper limit|max cost|budget limit|at most|allowance|highest price",
                    "Budget|Limit|Max|Maximum|At most|Up to|Not more than|Spending limit|Max price|No more than|Upper limit|Price limit|Don't exceed|Max. total|Allowance|Money available|Can spend|Must stay under",
                    lambda c, n, v: values.price(c, 200)),
    "date": Field("string", "date|day|when|shopping day|shopping date|buy on|day of shopping|go on|shop on|when to go|which day",
                  "Date|Day|When|Shopping day|Which day|Buy on|Go on|Shop on|Day of shopping|When to go|Shopping date|To be bought on|Planned for|Going on", lambda c, n, v: values.date(c, n)),
    "duedate": Field("string", "needed by|due|deadline|due date|needed on|due by|latest date|needed for date|must have by|deliver by|by when|wanted by date",
                     "By|Needed by|Due|Deadline|Due date|Needed on|Not later than|Needed until|Latest date|Must be here by|By when|At the latest|Last day|Due by|Have it by", lambda c, n, v: _due(c, n)),
    "person": Field("string", "buyer|shopper|assigned to|who shops|who buys|assignee|shopping by|who goes|bought by|responsible|done by|to be bought by",
                    "Buyer|Shopper|Goes|Assigned to|Who goes|Who shops|Shopping by|To be done by|Buys it|Who buys|Assignee|Responsible|Bought by|Shopper's name|Done by",
                    lambda c, n, v: same(values.words.first_name(c) if c.chance(0.7) else values.person(c)), hinted=True),
    "for": Field("string", "for|for whom|requested by|wanted by|ordered by|asked by|who wants it|for person|needed by whom|who needs it|recipient|meant for",
                 "For|For whom|Who wants it|Wanted by|Requested by|Needed by whom|Wish of|Ordered by|Who needs it|Meant for|Recipient|To be given to", lambda c, n, v: same(values.words.first_name(c) if c.chance(0.7) else values.person(c)),
                 hinted=True),
    "total": Field("number", "total|sum|total price|amount paid|paid|total cost|grand total|amount|total paid|bill|spent|total spent|receipt total|cost|price paid",
                   "Total|Sum|Paid|Total price|In all|Amount due|To pay|Grand total|Altogether|You pay|Total cost|Bill|Amount paid|Spent|Receipt total|Sum total|All together|Sum paid|It cost|Total spent", lambda c, n, v: values.price(c, 200)),
}
# Names of properties that fit two fields, of which a text says one. They are no labels: "Person: Ana" may be for Ana or be bought by her.
for _key, _names in (("person", ("person", "who", "name")), ("for", ("person", "who")), ("duedate", ("date", "when", "day"))):
    _FIELDS[_key].names += _names

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
Parse my shopping message.""", _FIELDS, ("items",), SENTENCES, LINES, """Shopping list
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
We still have the rest.""", share=1.1, clash=(("person", "for"), ("date", "duedate")),
    facts_like=r"org[eo]t|emember|ran out|need|want|miss|[Bb]uy|bought|[Bb]ring|\b[Nn]o (?!idea|hurry)|left\b|costs?\b|[Pp]aid|euros|\b[Gg]et |dea\b|ift|ask|[Ll]ikes?|lov|[Ff]riday|shop|\bat\b|lent|[Gg]ave|[Gg]ive|owe|"
               r"cheaper|[Tt]ry|best|sell|[Ff]or [A-Z]|come|coming|[Tt]hanks for|belongs|found|[Ss]end|party|[Dd]inner|guests|[Ff]or everybody|[Tt]akes?|took|[Hh]ere is|has the|prefer")
widen_domain(SHOPPING, shopping_patterns.SENTENCES, shopping_patterns.LINES, shopping_classes.LABELS, shopping_patterns.CLASSES)
widen_contrasts(SHOPPING, {"date": ("date", ""), "store": ("shop", "|to |at |from "), "person": ("name", "")})
