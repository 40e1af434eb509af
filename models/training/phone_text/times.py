"""Times, dates, durations and numbers: how people say them and the one way in which a call spells them.

The rules. A time is HH:MM of 24 hours. An hour without a part of the day means what the clock shows (seven is 07:00, 19 is 19:00); morning
keeps it, afternoon, evening, tonight and pm add twelve; noon is 12:00 and midnight 00:00. A date is YYYY-MM-DD. A day of the week, with
"on", "this" or "next", is the first such day after today. A day of a month is the first such day from today on. A duration is said in
hours, minutes and seconds and stays in these parts.
"""
import datetime

from .split import Lexicon

DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"]
ONES = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
        "nineteen").split()
TENS = "_ _ twenty thirty forty fifty sixty seventy eighty ninety".split()


def in_words(n):
    if n < 20:
        return ONES[n]
    if n < 100:
        return TENS[n // 10] + ("-" + ONES[n % 10] if n % 10 else "")
    return ONES[n // 100] + " hundred" + (" and " + in_words(n % 100) if n % 100 else "")


def number(choose, n, words=0.4):
    return in_words(n) if choose.chance(words) else str(n)


def ordinal(n):
    return f"{n}{'th' if 10 < n < 20 else {1: 'st', 2: 'nd', 3: 'rd'}.get(n % 10, 'th')}"


class Now:
    """The moment that the system message states."""

    def __init__(self, choose, lists_days=None):
        rng = choose.rng
        self.date = datetime.date(2025, 1, 1) + datetime.timedelta(rng.randrange(3650))
        self.hour, self.minute = rng.randrange(24), rng.randrange(60)
        self.lists_days = choose.chance(0.85) if lists_days is None else lists_days

    def after(self, days):
        return self.date + datetime.timedelta(days)

    def system_line(self):
        """What the system message says; the README tells applications to say it so."""
        line = f"Today is {DAYS[self.date.weekday()]}, {self.date}. The time is {self.hour:02}:{self.minute:02}."
        if self.lists_days:
            days = ", ".join(f"{DAYS[self.after(k).weekday()]} {self.after(k)}" for k in range(1, 8))
            line += f"\nThe next days: {days}."
        return line


# A way to say an hour and a minute: what is said, which minutes it can say, the hours to add.
def _minutes(choose):
    return choose.rng.choice((0, 0, 0, 5, 10, 15, 15, 20, 25, 30, 30, 35, 40, 45, 45, 50, 55, choose.rng.randrange(60)))


TIME_FORMS = Lexicon("forms of times", ["digital", "digital 24", "words", "past", "to", "half", "quarter past", "quarter to", "o'clock", "pm digits",
                                        "am digits", "part of day", "noon", "midnight", "bare"], split=False)
PARTS = Lexicon("parts of the day", ["in the morning", "in the afternoon", "in the evening", "at night"], split=False)


def time(choose, part=None, bare=True):
    """Returns what is said and HH:MM. `part` of the day, if the date says it already: morning, afternoon, evening."""
    rng = choose.rng
    hour = rng.randint(1, 12)
    form = rng.choice(["digital", "words", "past", "to", "half", "quarter past", "quarter to", "o'clock", "bare"] if part else
                      TIME_FORMS.parts[choose.side])
    if form == "noon":
        return "noon", "12:00"
    if form == "midnight":
        return "midnight", "00:00"
    if form == "digital 24":
        hour, minute = rng.randrange(24), _minutes(choose)
        return rng.choice((f"{hour}:{minute:02}", f"{hour:02}:{minute:02}")), f"{hour:02}:{minute:02}"
    if form in ("pm digits", "am digits"):
        minute = rng.choice((0, 0, 0, 15, 30, 45, _minutes(choose)))
        half = form[:2]
        text = f"{hour}" + (f":{minute:02}" if minute else "")
        text = rng.choice((f"{text}{half}", f"{text} {half}", f"{text} {half}"))
        return text, f"{hour % 12 + (12 if half == 'pm' else 0):02}:{minute:02}"
    said_hour = number(choose, hour, 0.6)
    minute = 0
    if form == "digital":
        minute = _minutes(choose)
        text = f"{hour}:{minute:02}"
    elif form == "words":
        minute = rng.choice((10, 15, 20, 25, 30, 35, 40, 45, 50, 55, rng.randint(10, 59)))
        text = f"{in_words(hour)} {in_words(minute)}"
    elif form == "past":
        minute = rng.choice((5, 10, 20, 25))
        text = f"{number(choose, minute, 0.7)} past {said_hour}"
    elif form == "to":
        minute = rng.choice((5, 10, 20, 25))
        text = f"{number(choose, minute, 0.7)} to {said_hour}"
        minute, hour = 60 - minute, hour - 1
    elif form == "half":
        minute, text = 30, f"half past {said_hour}"
    elif form == "quarter past":
        minute, text = 15, rng.choice(("quarter past ", "a quarter past ")) + said_hour
    elif form == "quarter to":
        minute, text = 45, rng.choice(("quarter to ", "a quarter to ")) + said_hour
        hour -= 1
    elif form == "o'clock":
        text = f"{said_hour} o'clock"
    else:
        text = said_hour
    hour = hour or 12
    said_part = part
    if not part and (form == "part of day" or choose.chance(0.25)):
        said_part = rng.choice(("morning", "afternoon", "evening"))
        text += f" in the {said_part}"
    if said_part in ("evening", "night") and hour == 12:
        return time(choose, part)  # nobody means noon
    if said_part == "morning" and hour == 12:
        hour = 0
    elif said_part in ("afternoon", "evening", "night") and hour != 12:
        hour += 12
    return text, f"{hour:02}:{minute:02}"


def day(choose, now, far=True):
    """Returns what is said, as an adverb, and the date."""
    rng = choose.rng
    p = rng.random()
    if p < 0.12:
        return "today", now.date
    if p < 0.4:
        return "tomorrow", now.after(1)
    if p < 0.47:
        return "the day after tomorrow", now.after(2)
    if p < 0.8 or not far:
        k = rng.randint(1, 7)
        return rng.choice(("on ", "this ", "next ", "on ", "")) + DAYS[now.after(k).weekday()], now.after(k)
    if p < 0.87:
        k = rng.randint(2, 7)
        return ("in a week" if k == 7 else f"in {number(choose, k, 0.6)} days"), now.after(k)
    date = now.after(rng.randrange(1, 364))
    if (date.month, date.day) == (2, 29):
        date = date.replace(day=28)
    month = MONTHS[date.month - 1]
    return "on " + rng.choice((f"{month} {date.day}", f"{date.day} {month}", f"the {ordinal(date.day)} of {month}", f"{month} {ordinal(date.day)}")), date


def when(choose, now, needs_time=True, needs_day=False):
    """Returns what is said, the date or None, and HH:MM."""
    p = choose.rng.random()
    if p < 0.35 and not needs_day:
        text, clock = time(choose)
        return "at " + text, None, clock
    if p < 0.45:
        text, clock = time(choose, "evening")
        return choose.rng.choice((f"tonight at {text}", f"this evening at {text}", f"at {text} tonight", f"at {text} this evening")), now.date, clock
    if p < 0.6:
        part = choose.rng.choice(("morning", "afternoon", "evening"))
        text, clock = time(choose, part)
        k = choose.rng.randint(1, 7)
        name = "tomorrow" if choose.chance(0.6) else "on " + DAYS[now.after(k).weekday()]
        k = 1 if name == "tomorrow" else k
        return choose.rng.choice((f"{name} {part} at {text}", f"at {text} {name} {part}")), now.after(k), clock
    said_day, date = day(choose, now)
    text, clock = time(choose)
    return choose.rng.choice((f"{said_day} at {text}", f"at {text} {said_day}", f"{said_day} at {text}")).strip(), date, clock


def duration(choose):
    """Returns what is said and {"hours": h, "minutes": m, "seconds": s} of the parts that are said."""
    rng = choose.rng
    p = rng.random()
    minutes = rng.choice((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30, 35, 40, 45, 50, 90, rng.randint(1, 120)))
    hours = rng.choice((1, 1, 2, 2, 3, 4, 5, 6, 8, 10, 12, rng.randint(1, 24)))
    seconds = rng.choice((5, 10, 15, 20, 30, 40, 45, 50, 90, rng.randint(5, 120)))
    def of(n, unit):
        if n == 1 and choose.chance(0.5):
            return ("an " if unit == "hour" else "a ") + unit
        return f"{number(choose, n)} {unit}{'s' if n != 1 else ''}"
    if p < 0.5:
        text = of(minutes, "minute")
        if choose.chance(0.15):
            text = f"{minutes} min"
        return text, {"minutes": minutes}
    if p < 0.62:
        return of(hours, "hour"), {"hours": hours}
    if p < 0.74:
        return of(seconds, "second"), {"seconds": seconds}
    if p < 0.8:
        return "half an hour", {"minutes": 30}
    if p < 0.84:
        return "a quarter of an hour", {"minutes": 15}
    if p < 0.88:
        return rng.choice(("an hour and a half", "one and a half hours")), {"hours": 1, "minutes": 30}
    if p < 0.95:
        minutes = rng.choice((5, 10, 15, 20, 30, 40, 45, 50, rng.randint(1, 59)))
        return of(hours, "hour") + " and " + of(minutes, "minute"), {"hours": hours, "minutes": minutes}
    seconds = rng.choice((5, 10, 15, 20, 30, 40, 45, 50, rng.randint(1, 59)))
    minutes = rng.randint(1, 30)
    return of(minutes, "minute") + " and " + of(seconds, "second"), {"minutes": minutes, "seconds": seconds}
