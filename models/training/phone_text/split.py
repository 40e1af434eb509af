"""The split into training and test, made before anything is generated, and the small grammar in which phrasings are written.

Every lexicon and every list of phrasings is a Lexicon. Its entries are ordered by a hash of what they say; the first of
them, one in SHARE but at least one, are for the test alone and all others for the training alone. Nothing else decides which is which, so at
most one entry changes its side when the list grows by another.
"""
import functools
import hashlib
import re

SHARE = 7  # one of so many entries is for the test

TRAIN, TEST = "train", "test"

LEXICONS = {}  # name -> Lexicon, for the test of the split


def hash_of(kind, text):
    return int.from_bytes(hashlib.sha256(f"{kind}\0{text}".encode()).digest()[:8], "big")


def is_for_test(kind, text):
    """Which side a word belongs to that is made up while generating, such as a name of syllables."""
    return hash_of(kind, text) % SHARE == 0


class Lexicon:
    """A list in two parts. Entries are strings, or tuples whose first member is the string that is said."""

    def __init__(self, name, entries, split=True):
        entries = list(dict.fromkeys(entries))
        assert name not in LEXICONS, name
        LEXICONS[name] = self
        self.name = name
        self.is_split = split
        if not split:  # a closed class, such as the days of the week
            self.parts = {TRAIN: entries, TEST: entries}
            return
        ordered = sorted(entries, key=lambda e: hash_of(name, e if isinstance(e, str) else e[0]))
        n_test = max(1, len(ordered) // SHARE)
        held = {text for e in ordered[:n_test] for text in expansions(e)}
        self.parts = {TEST: ordered[:n_test], TRAIN: [e for e in ordered[n_test:] if held.isdisjoint(expansions(e))]}
        assert self.parts[TRAIN], name


class Quick:
    """What is used of a random.Random. Its choice and randint take a fifth of the time; that some are likelier by 2^-40 does not matter here."""

    def __init__(self, rng):
        self.random, self.choices, self.sample, self.shuffle, self.uniform = rng.random, rng.choices, rng.sample, rng.shuffle, rng.uniform

    def choice(self, sequence):
        return sequence[int(self.random() * len(sequence))]

    def randint(self, least, most):
        return least + int(self.random() * (most - least + 1))

    def randrange(self, start, stop=None):
        return int(self.random() * start) if stop is None else start + int(self.random() * (stop - start))


class Chooser:
    """A seeded source of choices on one side of the split."""

    def __init__(self, rng, side):
        self.rng = Quick(rng)
        self.side = side

    def of(self, lexicon):
        return self.rng.choice(lexicon.parts[self.side])

    def some(self, lexicon, n):
        part = lexicon.parts[self.side]
        return self.rng.sample(part, min(n, len(part)))

    def chance(self, p):
        return self.rng.random() < p

    def text(self, lexicon, **slots):
        """A phrasing of the lexicon with its alternatives chosen and its slots filled."""
        return self.fill(self.of(lexicon), **slots)

    def fill(self, phrasing, **slots):
        text = expand(self.rng, phrasing)
        return text.format(**slots) if slots else text


def expansions(entry):
    """All texts that an entry can become, in lower case."""
    done, texts = [], [entry if isinstance(entry, str) else entry[0]]
    while texts:
        text = texts.pop()
        close = text.find(")")
        if close < 0:
            done.append(" ".join(text.lower().split()))
            continue
        open_ = text.rfind("(", 0, close)
        texts += [text[:open_] + choice + text[close + 1:] for choice in text[open_ + 1:close].split("|")]
    return done


SHORT = 10  # characters: a held-back text of fewer may be a part of something else


def hold_back_everywhere(lexicons, slot):
    """Takes out of the training of each what another of them has for the test, where it has SHORT characters or more beside what the pattern
    `slot` finds: "until {date}" and "price: {total}" are said everywhere."""
    held = {text for lexicon in lexicons if lexicon.is_split for entry in lexicon.parts[TEST] for text in expansions(entry) if len(slot.sub("", text)) >= SHORT}
    for lexicon in lexicons:
        if lexicon.is_split:
            lexicon.parts[TRAIN] = [entry for entry in lexicon.parts[TRAIN] if held.isdisjoint(expansions(entry))] or lexicon.parts[TRAIN]


@functools.cache
def held_back():
    """Phrasings of requests that no training text may be, and those of them that it may not have as a part either. A shorter one, or one that
    is a part of a trained phrasing, is no test of the split."""
    held, trained = set(), []
    for name, lexicon in LEXICONS.items():
        if lexicon.is_split and (name.endswith(": phrasings") or ": without " in name or name.startswith("asks for")):
            held.update(text for entry in lexicon.parts[TEST] for text in expansions(entry))
            trained += [text for entry in lexicon.parts[TRAIN] for text in expansions(entry)]
    trained = "\n".join(trained)
    return frozenset(held), sorted(text for text in held if len(text) >= SHORT and text not in trained)


@functools.cache
def _beginnings():
    """The long ones by their first SHORT characters, which are looked up faster than each is looked for."""
    beginnings = {}
    for text in held_back()[1]:
        beginnings.setdefault(text[:SHORT], []).append(text)
    return beginnings


def is_held_back(phrasing):
    """Whether a phrasing, its slots still in it, says what the test has for itself."""
    phrasing = phrasing.lower()
    if phrasing in held_back()[0]:
        return True
    beginnings, at = _beginnings(), 0
    while True:  # at each word
        found = beginnings.get(phrasing[at:at + SHORT])
        if found and any(phrasing.startswith(text, at) for text in found):
            return True
        at = phrasing.find(" ", at) + 1
        if not at:
            return False


def expand(rng, text):
    """Chooses among (a|b|) alternatives, which may be nested."""
    while True:
        close = text.find(")")
        if close < 0:
            return " ".join(text.split(" ")) if "  " not in text else " ".join(text.split())
        open_ = text.rfind("(", 0, close)
        text = text[:open_] + rng.choice(text[open_ + 1:close].split("|")) + text[close + 1:]


def alternatives(text):
    """The alternatives of "a|(b|c) d|e", which are three."""
    out, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c == "|" and not depth:
            out.append(text[start:i])
            start = i + 1
    return out + [text[start:]]


def opened(way):
    """The way as one for each choice of its first group, so that some of its verbs are held back and not all or none."""
    head, bar, rest = way.partition(")")
    start = head.rfind("(")
    return [" ".join((head[:start] + choice + rest).split()) for choice in head[start + 1:].split("|")] if bar else [way]


def worded(text, **words):
    """The phrasings with words that many of them share: <it> stands for the (alternatives|of it) that are called so."""
    return re.sub(r"<(\w+)>", lambda found: f"({words[found[1]]})", text)
