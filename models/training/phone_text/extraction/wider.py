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


def widen(lexicon, patterns, table, n, share, held, labels=()):
    """Adds to the training part what is drawn of the patterns, up to n of each. The share of them among all is `share`: the list is repeated for it."""
    long = [text for text in held if len(re.sub(r"\{\w+\}", "", text)) >= LONG] + [label.lower() for label in labels]
    long = re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, sorted(long))) + r")(?!\w)") if long else None
    more = []
    for entry in drawn(lexicon.name, patterns, table, n):
        texts = expansions(entry)
        if held.isdisjoint(map(bare, texts)) and not (long and any(long.search(text) for text in texts)):
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
