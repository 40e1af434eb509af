"""Phrasings and labels of independent choices, which make the training text of a domain wider than its lists.

A pattern is a phrasing with <names> of classes of words in it; a class is a list "a|b|c" whose members may have (alternatives) and other <names>.
Some phrasings are drawn of each pattern once, with a seed of its own, so that drawing costs nothing later. The test has nothing of it, and what says
a sentence or a label of the test is thrown away.
"""
import random
import re

from ..split import TEST, TRAIN, alternatives, expand, expansions

NAME = re.compile(r"<(\w+)>")
LONG = 16  # characters besides the slots: a held-back sentence of so many may not be a part of another one either


def classes(table):
    """{name: [member]} of lines "name: a|b|c"."""
    return {name: alternatives(text) for name, _, text in (line.partition(": ") for line in table.strip().split("\n"))}


def draw(rng, pattern, table):
    while True:
        found = NAME.search(pattern)
        if not found:
            return " ".join(pattern.split())
        pattern = pattern[:found.start()] + rng.choice(table[found[1]]) + pattern[found.end():]


def drawn(name, patterns, table, n):
    rng = random.Random(name)
    return list(dict.fromkeys(draw(rng, pattern, table) if "<" in pattern else " ".join(expand(rng, pattern).split()) for pattern in patterns for _ in range(n)))


def labelled(text):
    """The labels that are said by "a|(b|c) d", each by itself, since labels are not expanded later."""
    rng = random.Random(text)
    return list(dict.fromkeys(expand(rng, member) for member in alternatives(text) for _ in range(4 * member.count("|") + 1)))


def bare(text):
    return text.rstrip(".!?:, ")


def held_texts(*lexicons):
    return {bare(text) for lexicon in lexicons for entry in lexicon.parts[TEST] for text in expansions(entry)}


def without_a_word(text):
    """What it becomes where a word is left out, as words.disturbed does now and then."""
    words = text.split(" ")
    return [" ".join(words[:i] + words[i + 1:]) for i, word in enumerate(words) if "{" not in word]


AT_WORD, BEGINNING = re.compile(r"(?<!\w)"), 6


class Parts:
    """Texts of BEGINNING characters or more that another text may not have as a part, from one end of a word to another. They are looked up by
    how they begin: a pattern of two thousand alternatives takes twenty times as long."""

    def __init__(self, texts):
        self.found = {}
        for text in texts:
            self.found.setdefault(text[:BEGINNING], []).append(text)

    def are_in(self, text):
        for start in AT_WORD.finditer(text):
            at = start.start()
            for part in self.found.get(text[at:at + BEGINNING], ()):
                behind = text[at + len(part):at + len(part) + 1]
                if text.startswith(part, at) and not (behind.isalnum() or behind == "_"):
                    return True
        return False


def widen(lexicon, patterns, table, n, share, held, labels=()):
    """Adds to the training part what is drawn of the patterns, up to n of each. The share of them among all is `share`: the list is repeated for it."""
    long = Parts([text for text in held if len(re.sub(r"\{\w+\}", "", text)) >= LONG] + [label.lower() for label in labels])
    more = []
    for entry in drawn(lexicon.name, patterns, table, n):
        texts = expansions(entry)
        if held.isdisjoint(map(bare, texts)) and not any(map(long.are_in, texts)):
            if held.isdisjoint(bare(less) for text in texts for less in without_a_word(text)):
                more.append(entry)
    listed = [entry for entry in lexicon.parts[TRAIN] if held.isdisjoint(map(bare, expansions(entry)))]
    times = max(1, round(len(more) * (1 - share) / share / len(listed)))
    lexicon.parts[TRAIN] = listed * times + more


def widen_domain(domain, sentences, lines, labels, table, n=60):
    table = classes(table)
    held = [label for lexicon in domain.labels.values() for label in lexicon.parts[TEST] if len(label) >= 10]
    said = held_texts(domain.sentences, domain.lines)
    widen(domain.sentences, sentences.strip().split("\n"), table, n, 0.65, said, held)
    widen(domain.lines, lines.strip().split("\n"), table, n, 0.5, said, held)
    for key, text in labels.items():
        lexicon = domain.labels[key]
        widen(lexicon, labelled(text), table, n, 0.4, held_texts(lexicon), [label for label in lexicon.parts[TEST] if len(label) >= 6])


# What was and what is, of any field: one value is wanted, and the other is said beside it. {new} and {old} become slots with what stands before them.
CONTRAST_CLASSES = classes("""
not: not|no longer|never again|instead of|rather than|not any more|forget|forget about|never mind|ignore|scrap|cross out|strike|skip|leave out|drop|don't take|wrong:|out:|in place of|other than planned, not
but: , but| but|, rather|;| -|, now|, now it's|, instead|, it's|, it is|, take|, make it|, go for|, better|, only|: now|. It's|. Now|. Take|. Instead|, that is now|, but now|: it became|, and
nota: , not|, and not|, instead of|, rather than| instead of| rather than| and not|, no longer|, not any more|, in place of| in place of|, never again| (not|, as opposed to
before: before that|before this|formerly|previously|earlier|once|until then|till then|until now|up to now|until May|till last year|until last week|at first|in the beginning|originally|it used to be|it was|last time|last year|last month|back then|first|in the past|the old one was|for a long time|years ago|up to then|in former times|in earlier days|in the old days|until recently|the last one was|initially
after: now|from now on|today|these days|since then|since May|since spring|since last week|since autumn|from spring|from June|as of July|as of now|starting Monday|from next week|currently|at present|at the moment|lately|recently|this time|this year|this month|in future|from here on|nowadays|meanwhile|afterwards|later|finally|in the end|eventually|by now|for a week now|the new one is|newly
comma: ,| -|;|, and|.|, but| and|:| ...|, while
became: became|becomes|turned into|was replaced by|gives way to|is replaced by|has changed to|changed to|has become|made room for|-> |was swapped for|was exchanged for
replaces: replaces|takes the place of|is there instead of|comes in place of|has replaced|stands in for|was chosen over|is better than|comes after
moved: changed|moved|switched|shifted|was changed|was moved|has been changed|has been moved|we changed|they changed|I changed|went over|was corrected
wrong: wrong|a mistake|outdated|an error|no longer right|not right|old|out of date|history|past|over|cancelled|not possible any more
right: right|correct|the new one|what counts|valid|up to date|the current one|what holds|it now
""")
BESIDE = """
<not> {old}<but> {new}
{new}<nota> {old}
<before> {old}<comma> <after> {new}
<after> {new}<comma> <before> {old}
""".strip().split("\n")
CONTRASTS = BESIDE * 2 + """
{new} <after><comma> {old} <before>
{old} <before><comma> {new} <after>
<moved> from {old} to {new}
{old} <became> {new}
{new} <replaces> {old}
{old} is <wrong><comma> {new} is <right>
{new} is <right><comma> {old} is <wrong>
""".strip().split("\n")


def widen_contrasts(domain, fields, share=0.1, n=12):
    """Adds contrasts of an old value and a new one to the training part. fields is {field: (the kind of
    the old value, "a|b" what stands before both)}."""
    patterns = []
    for field, (old, heads) in fields.items():
        for head in heads.split("|"):
            for pattern in CONTRASTS if not head else BESIDE:
                new = f"{{{field}}}"
                if "from {old}" in pattern and f"{field}0" in ("date0", "showdate0", "duedate0"):
                    patterns.append(pattern.format(old=f"{{x_{old}0}}", new=f"{{{field}0}}"))
                else:
                    patterns.append(pattern.format(old=f"{head}{{x_{old}}}", new=head + new))
    widen(domain.sentences, patterns, CONTRAST_CLASSES, n, share, held_texts(domain.sentences, *([domain.lines] if domain.lines else [])))
