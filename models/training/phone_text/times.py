"""Times, dates, durations and numbers: how people say them and the one way in which a call spells them.

The rules. A time is HH:MM of 24 hours. An hour without a part of the day means what the clock shows (seven is 07:00, 19 is 19:00); morning
keeps it, afternoon, evening, tonight and pm add twelve; noon is 12:00 and midnight 00:00. A date is YYYY-MM-DD. A day of the week, with
"on", "this", "coming" or "next", is the first such day after today. A day of a month is the first such day after today. A duration is said
in hours, minutes and seconds and stays in these parts.
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


def calendar(today, clock=None):
    """What a system message says of the days, so that a day is looked up and never computed. The README tells applications to say it so."""
    line = f"Today is {DAYS[today.weekday()]}, {today}."
    if clock:
        line += f" The time is {clock}."
    days = []
    for k in range(1, 8):
        day = today + datetime.timedelta(k)
        days.append(f"{'tomorrow' if k == 1 else f'in {k} days'} {DAYS[day.weekday()]} {day}")
    return f"{line}\nCalendar: {', '.join(days)}."


class Now:
    """The moment that the system message states."""

    def __init__(self, choose):
        rng = choose.rng
        self.date = datetime.date(2025, 1, 1) + datetime.timedelta(rng.randrange(3650))
        self.hour, self.minute = rng.randrange(24), rng.randrange(60)
        self.tells_time = choose.chance(0.3)

    def after(self, days):
        return self.date + datetime.timedelta(days)

    def next(self, day_of_month, month=None):
        """The first such day after today."""
        date = self.after(1)
        while date.day != day_of_month or month not in (None, date.month):
            date += datetime.timedelta(1)
        return date

    def system_line(self):
        return calendar(self.date, f"{self.hour:02}:{self.minute:02}" if self.tells_time else None)


# A way to say an hour and a minute: what is said, which minutes it can say, the hours to add.
def _minutes(choose):
    return choose.rng.choice((0, 0, 0, 5, 10, 15, 15, 20, 25, 30, 30, 35, 40, 45, 45, 50, 55, choose.rng.randrange(60)))


TIME_FORMS = Lexicon("forms of times", ["digital", "digital 24", "words", "past", "to", "half", "quarter past", "quarter to", "o'clock", "pm digits",
                                        "am digits", "part of day", "noon", "midnight", "bare"], split=False)
PARTS = Lexicon("parts of the day", ["in the morning", "in the afternoon", "in the evening", "at night"], split=False)


# The hours that people say with a part of the day.
HOURS = {None: range(1, 13), "morning": range(4, 12), "afternoon": (12, 1, 2, 3, 4, 5, 6), "evening": range(5, 12), "night": (8, 9, 10, 11)}


def time(choose, part=None):
    """Returns what is said and HH:MM. `part` of the day, if the date says it already: morning, afternoon, evening."""
    rng = choose.rng
    form = rng.choice(["digital", "words", "past", "to", "half", "quarter past", "quarter to", "o'clock", "bare"] if part else
                      TIME_FORMS.parts[choose.side])
    if form == "noon":
        return rng.choice(("noon", "noon", "midday")), "12:00"
    if form == "midnight":
        return "midnight", "00:00"
    if form == "digital 24":
        hour, minute = rng.randrange(24), _minutes(choose)
        return rng.choice((f"{hour}:{minute:02}", f"{hour:02}:{minute:02}")), f"{hour:02}:{minute:02}"
    said_part = part
    if not part and (form == "part of day" or form not in ("pm digits", "am digits") and choose.chance(0.25)):
        said_part = rng.choice(("morning", "morning", "afternoon", "evening", "evening", "night"))
    hour = rng.choice(HOURS[said_part])
    if form in ("pm digits", "am digits"):
        minute = rng.choice((0, 0, 0, 15, 30, 45, _minutes(choose)))
        half = form[:2]
        text = f"{hour}" + (f":{minute:02}" if minute else "")
        text = rng.choice((f"{text}{half}", f"{text} {half}", f"{text} {half}", f"{text} {half[0]}.{half[1]}."))
        return text, f"{hour % 12 + (12 if half == 'pm' else 0):02}:{minute:02}"
    said_hour = number(choose, hour, 0.6)
    minute = 0
    if form == "digital":
        minute = _minutes(choose)
        text = rng.choice((f"{hour}:{minute:02}", f"{hour}:{minute:02}", f"{hour}.{minute:02}"))
    elif form == "words":
        minute = rng.choice((5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, rng.randint(10, 59)))
        text = f"{in_words(hour)} {'oh ' if minute < 10 else ''}{in_words(minute)}"
    elif form == "past":
        minute = rng.choice((5, 10, 20, 25, rng.randint(1, 29)))
        text = f"{number(choose, minute, 0.7)} {rng.choice(('', '', 'minutes '))}{rng.choice(('past', 'past', 'past', 'after'))} {said_hour}"
    elif form == "to":
        minute = rng.choice((5, 10, 20, 25, rng.randint(1, 29)))
        text = f"{number(choose, minute, 0.7)} {rng.choice(('', '', 'minutes '))}{rng.choice(('to', 'to', 'to', 'before'))} {said_hour}"
        minute, hour = 60 - minute, hour - 1
    elif form == "half":
        minute, text = 30, f"half past {said_hour}"
    elif form == "quarter past":
        minute, text = 15, rng.choice(("quarter past ", "a quarter past ", "a quarter after ")) + said_hour
    elif form == "quarter to":
        minute, text = 45, rng.choice(("quarter to ", "a quarter to ", "a quarter before ")) + said_hour
        hour -= 1
    elif form == "o'clock":
        text = f"{said_hour} o'clock"
    else:
        text = said_hour
    hour = hour or 12
    if said_part and not part:
        text += " at night" if said_part == "night" else f" in the {said_part}"
    if said_part in ("afternoon", "evening", "night") and hour != 12 and not (said_part == "afternoon" and hour == 11):
        hour += 12  # a quarter to twelve in the afternoon is before noon
    return text, f"{hour:02}:{minute:02}"


def day(choose, now, far=True):
    """Returns what is said, as an adverb, and the date."""
    rng = choose.rng
    p = rng.random()
    if p < 0.1:
        return "today", now.date
    if p < 0.3:
        return "tomorrow", now.after(1)
    if p < 0.38:
        return "the day after tomorrow", now.after(2)
    if p < 0.74 or not far:
        k = rng.randint(1, 7)
        return rng.choice(("on ", "this ", "next ", "on ", "", "this coming ")) + DAYS[now.after(k).weekday()], now.after(k)
    if p < 0.83:
        k = rng.randint(2, 7)
        return rng.choice(("in a week", "a week from today", "in one week")) if k == 7 else f"in {number(choose, k, 0.6)} days", now.after(k)
    if p < 0.88:
        date = now.next(rng.randint(1, 28))
        return f"on the {ordinal(date.day)}", date
    date = now.after(rng.randrange(1, 364))
    if (date.month, date.day) == (2, 29):
        date = date.replace(day=28)
    month = MONTHS[date.month - 1]
    return "on " + rng.choice((f"{month} {date.day}", f"{date.day} {month}", f"the {ordinal(date.day)} of {month}", f"{month} {ordinal(date.day)}", f"{month} the {ordinal(date.day)}")), date


def when(choose, now, needs_day=False):
    """Returns what is said, the date or None, and HH:MM."""
    p = choose.rng.random()
    if p < 0.25 and not needs_day:
        text, clock = time(choose)
        return "at " + text, None, clock
    if p < 0.35:
        text, clock = time(choose, "evening")
        return choose.rng.choice((f"tonight at {text}", f"this evening at {text}", f"at {text} tonight", f"at {text} this evening")), now.date, clock
    if p < 0.55:
        part = choose.rng.choice(("morning", "afternoon", "evening"))
        text, clock = time(choose, part)
        k = choose.rng.randint(1, 7)
        name = "tomorrow" if choose.chance(0.5) else choose.rng.choice(("on ", "on ", "this ", "next ", "")) + DAYS[now.after(k).weekday()]
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
    if p < 0.81:
        return "three quarters of an hour", {"minutes": 45}
    if p < 0.84:
        return "a quarter of an hour", {"minutes": 15}
    if p < 0.86:
        return rng.choice(("an hour and a half", "one and a half hours")), {"hours": 1, "minutes": 30}
    if p < 0.88:
        n = rng.randint(1, 9)
        if choose.chance(0.5):
            return f"{number(choose, n, 0.7)} and a half minutes", {"minutes": n, "seconds": 30}
        return f"{number(choose, n, 0.7)} and a half hours", {"hours": n, "minutes": 30}
    if p < 0.95:
        minutes = rng.choice((5, 10, 15, 20, 30, 40, 45, 50, rng.randint(1, 59)))
        return of(hours, "hour") + " and " + of(minutes, "minute"), {"hours": hours, "minutes": minutes}
    seconds = rng.choice((5, 10, 15, 20, 30, 40, 45, 50, rng.randint(1, 59)))
    minutes = rng.randint(1, 30)
    return of(minutes, "minute") + " and " + of(seconds, "second"), {"minutes": minutes, "seconds": seconds}
