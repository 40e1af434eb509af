"""What fills the slots of phrasings: each filler returns what is said and the arguments that it gives."""
import re

from . import sayings, times, words
from .split import Lexicon, is_for_test

APPS = Lexicon("apps", ["Maps", "Camera", "Calculator", "Settings", "Photos", "Calendar", "Clock", "Mail", "Podcasts", "Files", "Terminal", "Chess", "Weather",
                        "Notes", "Recorder", "Signal", "Browser", "Music", "Bank", "Contacts", "Tides", "Sudoku", "Compass", "Translator", "Books"])
LANGUAGES = Lexicon("languages", ["German", "French", "Spanish", "Italian", "Dutch", "Polish", "Swedish", "Danish", "Finnish", "Turkish", "Greek",
                                  "Japanese", "Korean", "Hindi", "Arabic", "Portuguese", "Czech", "Norwegian", "Russian", "Welsh"])
PHRASES = Lexicon("phrases", ["good morning", "where is the station", "thank you very much", "the bill please", "I would like a coffee", "how much is it",
                              "see you tomorrow", "I am lost", "two tickets please", "what is your name", "good night", "is this seat free",
                              "a table for two", "where are the toilets", "I don't understand", "excuse me", "nice to meet you", "one beer please",
                              "when does the shop open", "help me please", "have a nice day", "I am hungry"])
TOPICS = Lexicon("topics", ["cheap flights", "how to fix a bike tyre", "pancake recipes", "opening hours of the zoo", "used pianos", "train strikes",
                            "second-hand books", "rain boots for kids", "local elections", "how tall giraffes are", "bus timetables", "flower shops",
                            "phone repair", "holiday homes by the sea", "garden tools", "old maps", "swimming lessons", "tent reviews",
                            "knitting patterns", "concerts this week", "bread recipes", "how to knot a tie"])
RESTAURANTS = Lexicon("restaurants", ["Luigi's", "the Golden Lamb", "Café Central", "the Red Lion", "Bella Vista", "the Fish House", "Green Garden",
                                      "the Old Mill", "Sakura", "the Corner House", "Chez Marie", "the Blue Door", "Taj Palace", "the Boathouse",
                                      "Villa Rosa", "the White Swan", "Noodle Bar", "the Station Hotel", "Olive Tree", "the Crown"])
DOORS = Lexicon("doors", ["front", "back", "garage", "cellar", "garden", "balcony", "side", "office", "kitchen", "terrace", "shed", "barn"])
LABELS = Lexicon("labels", ["eggs", "pasta", "potatoes", "cookies", "noodles", "beans", "ribs", "carrots", "muffins", "rolls", "fries", "dumplings", "lentils",
                            "scones", "pancakes", "sprouts"])
ALARM_LABELS = Lexicon("alarm labels", ["work", "school", "gym", "train", "flight", "market", "exam", "interview", "bus", "hike", "training", "breakfast",
                                        "yoga", "ferry", "early shift", "church"])
BY = {"walking": ("on foot", "walking", "by foot"), "driving": ("by car", "driving"), "cycling": ("by bike", "by bicycle", "on my bike"),
      "transit": ("by bus", "by train", "by public transport", "on the bus", "by tram", "with public transport")}
GOING = {"walking": ("I'm walking", "I walk"), "driving": ("I'm driving", "I'm taking the car"), "cycling": ("I'm cycling", "I'm riding my bike"),
         "transit": ("I'm taking the bus", "I'm taking the train")}
SKIP = {"next": ("skip this song", "next song", "next track", "play the next song", "skip to the next track", "skip this one", "skip", "next", "next one", "go to the next song",
                 "skip this track", "jump to the next song", "move on to the next track"),
        "previous": ("previous song", "play the previous song", "go back one song", "the song before again", "previous track", "previous", "go back a track", "play the last song again",
                     "go back to the song before", "back to the previous one")}
PAUSE = {"pause": ("pause", "hold", "pause"), "resume": ("resume", "continue", "unpause", "carry on with", "go on with"), "stop": ("stop", "turn off", "end", "switch off", "shut off")}
# Verbs that say on or off themselves.
SWITCH = {"on": ("enable", "activate", "switch on", "turn on", "start", "power up"), "off": ("disable", "deactivate", "kill", "shut off", "switch off", "turn off", "cut", "stop", "shut down")}
DARK = [(text, "on") for text in ("dark", "pitch dark", "pitch black", "so dark", "very dark", "getting dark", "gloomy", "rather dark")]
LOUD = [("all the way up", 100), ("up all the way", 100), ("to the max", 100), ("to maximum", 100), ("to the maximum", 100), ("to full", 100), ("to the top", 100), ("all the way down", 0),
        ("down to zero", 0), ("to nothing", 0), ("to half", 50), ("to the middle", 50), ("halfway up", 50)]
MOVE = {"walking": ("walk",), "driving": ("drive",), "cycling": ("cycle", "bike", "ride my bike"), "transit": ("take the bus", "take the train", "go by bus", "take public transport")}
CURRENCIES = {"EUR": "euros", "USD": "dollars", "GBP": "pounds", "CHF": "Swiss francs", "SEK": "Swedish crowns", "PLN": "zloty", "JPY": "yen",
              "DKK": "Danish crowns", "CZK": "Czech crowns", "INR": "rupees", "TRY": "lira"}


def joined(items, last=" and "):
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + last + items[-1]


def _pick(table):
    def fill(choose, now):
        key = choose.rng.choice(list(table))
        return choose.rng.choice(table[key]), key
    return fill


def _of(key, say):
    def fill(choose, now):
        text = say(choose)
        return text, {key: text}
    return fill


def _when(needs_day=False, bare=False):
    def fill(choose, now):
        if choose.side == "train" and choose.chance(0.4):
            text, date, clock = _loosely_when(choose, now, needs_day)
        else:
            text, date, clock = times.when(choose, now, needs_day=needs_day)
        if bare:
            text = PREPOSITION.sub("", text)
        values = {"time": clock}
        if date is not None:
            values["date"] = str(date)
        return text, values
    return fill


def _loosely_time(choose, part=None):
    """More ways to say a time, all of which mean the time that is said."""
    rng = choose.rng
    if not part and choose.chance(0.12):
        hour, half = rng.randint(1, 12), rng.choice(("am", "pm"))
        minute = rng.choice((0, 0, 0, 15, 30, 45, 5 * rng.randrange(12)))
        said = times.in_words(hour) if not minute else f"{hour}.{minute:02}"
        return said + rng.choice(("", " ")) * bool(minute) + " " * (not minute) + half, f"{hour % 12 + (12 if half == 'pm' else 0):02}:{minute:02}"
    text, clock = times.time(choose, part)
    if choose.chance(0.06) and not text.endswith(("m", ".", "t")):
        text += rng.choice((" sharp", " exactly", " on the dot"))
    return text, clock


def _loosely_day(choose, now):
    rng = choose.rng
    text, date = times.day(choose, now)
    text = text.strip()
    if text.startswith("on ") and choose.chance(0.6):
        text = rng.choice(("", "", "for ")) + text[3:]
    if choose.chance(0.08):
        for day in times.DAYS:
            text = text.replace(day, day[:3])
    return text, date


PREPOSITION = re.compile(r"^(at exactly|at about|at|for|by|@) ")
AT = ("at ", "at ", "at ", "", "", "around ", "about ", "at about ", "by ", "at exactly ", "for ", "@ ")


def _loosely_when(choose, now, needs_day):
    """A day and a time as they are typed: with other words between them, or none."""
    rng = choose.rng
    p = rng.random()
    if p < 0.15 and not needs_day:
        text, clock = _loosely_time(choose)
        return rng.choice(AT) + text, None, clock
    if p < 0.4:
        part = rng.choice(("morning", "morning", "afternoon", "evening", "night"))
        if part == "night":
            hour = rng.randint(7, 11)
            minute = rng.choice((0, 0, 0, 30, 15, 45))
            text, clock = rng.choice((f"{hour}:{minute:02}", times.number(choose, hour) if not minute else f"{hour}.{minute:02}")), f"{hour + 12}:{minute:02}"
        else:
            text, clock = times.time(choose, part)
        k = rng.choice((0, 1, 1, 1, rng.randint(1, 7)))
        name = {0: "this" if part != "night" else "tonight", 1: "tomorrow"}.get(k) or rng.choice(("on ", "", "", "this ", "next ")) + times.DAYS[now.after(k).weekday()]
        name = name if name == "tonight" else f"{name} {part}"
        at = rng.choice(("at ", "", "at ", "around ", "by "))
        return rng.choice((f"{name} {at or 'at '}{text}", f"{at}{text} {name}", f"{name}, {text}")), now.after(k), clock
    day, date = _loosely_day(choose, now)
    text, clock = _loosely_time(choose)
    at = rng.choice(AT)
    if date == now.date and day == "today" or not day.startswith("for"):
        return rng.choice((f"{day} {at}{text}", f"{at}{text} {day}", f"{day}, {at}{text}", f"{at}{text}, {day}", f"{day} {at or 'at '}{text}")), date, clock
    return f"{day} {'at ' if at in ('for ', '') else at}{text}", date, clock


SHORT_UNITS = {"minutes": ("min", "mins", "m", "minutes"), "hours": ("h", "hrs", "hr", "hours"), "seconds": ("s", "sec", "secs", "seconds")}


def _amount(choose):
    """A duration of one unit: the unit and how many."""
    rng = choose.rng
    unit = rng.choice(("minutes", "minutes", "minutes", "hours", "seconds"))
    n = {"minutes": rng.choice((1, 2, 3, 5, 8, 10, 15, 20, 25, 30, 45, 60, 90, rng.randint(1, 120))), "hours": rng.choice((1, 2, 3, rng.randint(1, 12))),
         "seconds": rng.choice((10, 20, 30, 45, 90, rng.randint(5, 120)))}[unit]
    return unit, n


def _span(choose, now):
    """A duration before its noun: a ten minute timer."""
    unit, n = _amount(choose)
    if choose.chance(0.08):
        return choose.rng.choice(("half hour", "half-hour")), {"minutes": 30}
    text = times.number(choose, n, 0.5)
    return choose.rng.choice((f"{text} {unit[:-1]}", f"{text}-{unit[:-1]}", f"{text} {unit[:-1]}", f"{n} {choose.rng.choice(SHORT_UNITS[unit][:2])}")), {unit: n}


def _duration(choose, now):
    if choose.side == "test" or choose.chance(0.75):
        return times.duration(choose)
    rng = choose.rng
    if choose.chance(0.7):
        unit, n = _amount(choose)
        return f"{n}{rng.choice((' ', ' ', ''))}{rng.choice(SHORT_UNITS[unit])}", {unit: n}
    hours, minutes = rng.randint(1, 4), rng.choice((5, 10, 15, 20, 30, 40, 45, rng.randint(1, 59)))
    hour = "an hour" if hours == 1 and choose.chance(0.5) else f"{times.number(choose, hours)} hour{'s' * (hours > 1)}"
    text = rng.choice((f"{hours}h {minutes}m", f"{hours}h{minutes}min", f"{hours} h {minutes} min", f"{hour} {times.number(choose, minutes)} minute{'s' * (minutes > 1)}",
                       f"{hour} and {times.number(choose, minutes)} min", f"{hours} hr {minutes} mins"))
    return text, {"hours": hours, "minutes": minutes}


def _in(choose, now):
    rng = choose.rng
    p = rng.random()
    if choose.side == "train" and p < 0.25:
        if p < 0.05:
            n, text = rng.choice(((90, "an hour and a half"), (75, "an hour and a quarter"), (150, "two and a half hours"), (90, "one and a half hours"), (45, "three quarters of an hour")))
        elif p < 0.15:
            n = rng.choice((5, 10, 15, 20, 30, 45, 50, rng.randint(2, 90)))
            text = f"{n} {rng.choice(('min', 'mins'))}"
        else:
            n = rng.choice((5, 10, 15, 20, 30, 45, rng.randint(2, 90)))
            text = f"{times.number(choose, n)} minutes"
        return rng.choice((f"in {text}", f"in about {text}", f"{text} from now", f"after {text}", f"in {text}")), {"in_minutes": n}
    if p < 0.6:
        n = rng.choice((1, 2, 5, 10, 12, 15, 20, 25, 30, 35, 40, 45, 50, 55, 90, rng.randint(2, 90)))
        return f"in {'a' if n == 1 else times.number(choose, n)} minute{'s' if n > 1 else ''}", {"in_minutes": n}
    if p < 0.75:
        return choose.rng.choice((("in half an hour", {"in_minutes": 30}), ("in a quarter of an hour", {"in_minutes": 15}), ("in an hour and a half", {"in_minutes": 90})))
    n = rng.choice((1, 1, 2, 2, 3, 4, 5, 6))
    return f"in {'an' if n == 1 else times.number(choose, n, 0.6)} hour{'s' if n > 1 else ''}", {"in_minutes": 60 * n}


def _items(choose, now):
    n = choose.rng.choice((1, 1, 2, 2, 3, 3, 4, 5))
    items = []
    while len(items) < n:
        item = choose.of(words.ANY) if choose.chance(0.15) else words.some(choose, words.THINGS)
        if choose.side == "train" and choose.chance(0.08):
            item = choose.of(sayings.TASKS) if choose.chance(0.3) else words.odd_text(choose, 2, 3)
        elif choose.chance(0.12):
            item = choose.rng.choice(("two ", "three ", "a bag of ", "a bottle of ", "some fresh ", "six ", "a box of ", "four ", "a dozen ", "a pack of ",
                                       "2 ", "3 ", "a few ", "a can of ")) + item
        if item not in items:
            items.append(item)
    if choose.side == "train" and choose.chance(0.3):
        between, last = choose.rng.choice(((" and ", " and "), (", ", ", "), (", ", ", and "), (", ", " plus "), (", ", " as well as "), (" and ", " and also "), (", ", " & ")))
        return between.join(items[:-1]) + (last if items[1:] else "") + items[-1], {"items": items}
    return joined(items), {"items": items}


def _list(choose):
    return choose.of(words.ANY) if choose.chance(0.12) else words.some(choose, words.LISTS)


def _list_answer(choose, now):
    name = _list(choose)
    return choose.rng.choice((f"the {name} list", f"{name}", f"my {name} list", f"{name} list")), {"list": name}


def _day(choose, now):
    if choose.side == "train" and choose.chance(0.3):
        p = choose.rng.random()
        if p < 0.15:
            return choose.rng.choice(("tonight", "this evening", "this afternoon", "later today")), {"date": str(now.date)}
        if p < 0.3:
            return "tomorrow " + choose.rng.choice(("night", "morning", "afternoon", "evening")), {"date": str(now.after(1))}
        text, date = _loosely_day(choose, now)
        return text.removeprefix("for "), {"date": str(date)}
    text, date = times.day(choose, now)
    return text.strip(), {"date": str(date)}


def _time(choose, now):
    text, clock = times.time(choose)
    return text, {"time": clock}


def _at(choose, now):
    text, clock = times.time(choose)
    return choose.rng.choice((f"at {text}", text)), {"time": clock}


def _percent(key):
    def fill(choose, now):
        n = choose.rng.choice((0, 5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 75, 80, 90, 100, choose.rng.randint(1, 99)))
        text = times.number(choose, n, 0.3)
        if choose.side == "train" and choose.chance(0.25):
            return choose.rng.choice((str(n), f"{n} %", f"{text} per cent", text)), {key: n}
        text = choose.rng.choice((f"{text} percent", f"{n}%", f"{text} percent"))
        return text, {key: n}
    return fill


def _code(choose, now):
    rng = choose.rng
    while True:
        letters = "".join(rng.choice("ABCDEFGHJKLMNPQRSTUVWXYZ") for _ in range(rng.choice((0, 1, 2, 2, 3))))
        code = letters + "".join(str(rng.randrange(10)) for _ in range(rng.randint(4, 8)))
        if is_for_test("codes", code) == (choose.side == "test"):
            return code, {"number": code}


def _count(choose, now):
    n = choose.rng.randint(1, 12)
    return times.number(choose, n, 0.6) + choose.rng.choice(("", " people" if n > 1 else " person", "")), {"people": n}


def _degrees(choose, now):
    n = choose.rng.randint(5, 30)
    return f"{times.number(choose, n)} degrees", {"degrees": n}


def _money(choose, now):
    n = choose.rng.choice((5, 10, 20, 25, 40, 50, 80, 100, 150, 200, 250, 500, choose.rng.randint(2, 999)))
    code = choose.rng.choice(list(CURRENCIES))
    if choose.side == "train" and choose.chance(0.12):
        sign, code = choose.rng.choice((("€", "EUR"), ("$", "USD"), ("£", "GBP")))
        return choose.rng.choice((f"{sign}{n}", f"{n}{sign}", f"{n} {sign}")), {"amount": n, "from": code}
    return f"{times.number(choose, n, 0.3)} {choose.rng.choice((CURRENCIES[code], CURRENCIES[code], code))}", {"amount": n, "from": code}


def _money_to(choose, now):
    code = choose.rng.choice(list(CURRENCIES))
    return choose.rng.choice((CURRENCIES[code], code)), {"to": code}


def _keyed(key, pick):
    def fill(choose, now):
        text, value = pick(choose, now)
        return text, {key: value}
    return fill


def _says(key, values):
    def fill(choose, now):
        text, value = choose.rng.choice(values)
        return text, {key: value}
    return fill


def _genre(prefix=""):
    def fill(choose, now):
        genre = words.some(choose, words.GENRES)
        return prefix + genre, {"genre": genre}
    return fill


def _number_to_call(choose):
    rng = choose.rng
    while True:
        number = rng.choice(("0", "+", "00", "")) + " ".join("".join(str(rng.randrange(10)) for _ in range(rng.choice((2, 3, 3, 4)))) for _ in range(rng.randint(1, 4)))
        if len(number) > 2 and is_for_test("numbers", number) == (choose.side == "test"):
            return number


def _callee(choose, now):
    text = _number_to_call(choose) if choose.side == "train" and choose.chance(0.08) else words.person(choose)
    return text, {"to": text}


def _restaurant(choose):
    if choose.side == "train" and choose.chance(0.15):
        return choose.rng.choice(("", "", "Café ", "Trattoria ", "Bistro ")) + words.made_up_name(choose) + choose.rng.choice(("'s", "'s", " House", " Bar", ""))
    return words.some(choose, RESTAURANTS, 0.5, 2, True)


def _in_room(choose, now):
    room = words.some(choose, words.ROOMS)
    return choose.rng.choice((f"in the {room}", f"the {room}", room)), {"room": room}


FILLERS = {
    "span": _span, "switch": _keyed("state", _pick(SWITCH)), "dark": _says("state", DARK), "loud": _says("level", LOUD), "mute": _says("level", [("mute", 0), ("silence", 0)]),
    "move": _keyed("mode", _pick(MOVE)), "selfie": _says("camera", [("selfie", "front")]), "resume": _says("action", [("carry on", "resume"), ("keep", "resume"), ("continue", "resume")]),
    "home": _says("destination", [("home", "home")]), "callee": _callee, "connect": _says("state", [("connect to", "on"), ("reconnect to", "on"), ("connect me to", "on"), ("disconnect from", "off"), ("disconnect", "off")]),
    "duration": _duration, "when": _when(), "when0": _when(bare=True), "fixed": _when(needs_day=True), "time": _time, "at": _at, "day": _day, "in": _in,
    "task": _of("text", lambda c: sayings.said(c, sayings.TASKS)), "message": _of("text", lambda c: sayings.said(c, sayings.MESSAGES)),
    "note": _of("text", lambda c: sayings.said(c, sayings.NOTES)), "person": _of("to", words.person), "items": _items, "list": _of("list", _list),
    "list_answer": _list_answer, "occasion": _of("title", lambda c: words.some(c, words.OCCASIONS, 0.5, 3)),
    "destination": _of("destination", words.destination), "town": _of("place", words.town), "by": _keyed("mode", _pick(BY)), "going": _keyed("mode", _pick(GOING)),
    "mode": _says("mode", [(m, m) for m in BY]), "song": _of("song", lambda c: words.some(c, words.SONGS, 0.6, 3, True)),
    "artist": _of("artist", lambda c: words.full_name(c) if c.chance(0.25) else words.some(c, words.ARTISTS, 0.5, 2, True)), "genre": _genre(), "some_genre": _genre("some "),
    "skip": _keyed("action", _pick(SKIP)), "pause": _keyed("action", _pick(PAUSE)), "room": _of("room", lambda c: words.some(c, words.ROOMS)), "in_room": _in_room,
    "state": _says("state", [("on", "on"), ("off", "off")]), "darkbright": _says("state", [("dark", "off"), ("bright", "on")]),
    "brightdark": _says("state", [("bright", "off"), ("dark", "on")]), "percent": _percent("brightness"), "color": _of("color", lambda c: words.some(c, words.COLOURS, 0.4, 1)),
    "app": _of("app", lambda c: words.some(c, APPS, 0.6, 2, True)), "language": _of("language", lambda c: words.some(c, LANGUAGES, 0.4, 1, True)),
    "phrase": _of("text", lambda c: sayings.said(c, PHRASES)), "topic": _of("query", lambda c: sayings.said(c, TOPICS)), "degrees": _degrees,
    "camera": _says("camera", [("front", "front"), ("back", "back")]), "code": _code, "place": _of("restaurant", _restaurant), "count": _count,
    "money": _money, "money_to": _money_to, "lock": _says("action", [("lock", "lock"), ("unlock", "unlock")]), "door": _of("door", lambda c: words.some(c, DOORS, 0.5, 1)),
    "label": _of("label", lambda c: words.some(c, LABELS, 0.5, 1)), "alarm_label": _of("label", lambda c: words.some(c, ALARM_LABELS, 0.5, 1)),
    "event_place": _of("place", lambda c: words.destination(c) if c.chance(0.5) else _restaurant(c)),
}
# Slots that have another meaning in a domain.
OWN = {("alarm", "label"): "alarm_label", ("calendar", "place"): "event_place"}
for _domain, _key in (("volume", "level"), ("screen", "level")):
    FILLERS[f"{_domain}_percent"] = _percent(_key)
    OWN[_domain, "percent"] = f"{_domain}_percent"
