"""Tokenizes generated text fast: pre-tokens are looked up, and only new ones are given to the Python package tokenizers."""
import itertools
import re

from . import split, words
from .render import SPECIAL, segments_of

_SPECIAL = re.compile("(" + "|".join(re.escape(s) for s in SPECIAL) + ")")
_DIGITS = re.compile(r"(\d)")
# GPT-2's words of a text without digits; of ASCII text faster.
_ASCII_WORDS = re.compile(r"'(?:s|t|re|ve|m|ll|d)| ?[A-Za-z]+| ?[^\sA-Za-z]+|\s+(?!\S)|\s+")
_WORDS = re.compile(r"'(?:s|t|re|ve|m|ll|d)| ?[^\W\d_]+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+")
_MOST_TEXTS = 200_000
_LETTERS = re.compile(r"[A-Za-z]{4,}")


CUT_CONVERSATIONS, CUT_WORDS = 0.5, 0.25


class Encoder:
    def __init__(self, path):
        from tokenizers import Tokenizer
        self.tokenizer = Tokenizer.from_file(str(path))
        self.special = {s: self.tokenizer.token_to_id(s) for s in SPECIAL}
        self.n_vocab = self.tokenizer.get_vocab_size()
        self._ids = {}
        self._cuts = {}  # word -> where this conversation cuts it
        held_out = {word for lexicon in split.LEXICONS.values() if lexicon.is_split for entry in lexicon.parts[split.TEST] for word in [entry, entry.lower()]}
        pieces = sorted(token for token in self.tokenizer.get_vocab() if token.isascii() and token.isalpha() and len(token) > 1 and token not in held_out)
        words.PIECES[:] = pieces

    def word(self, word):
        ids = self._ids.get(word)
        if ids is None:
            ids = tuple(self.tokenizer.encode(word, add_special_tokens=False).ids)
            if len(self._ids) < _MOST_TEXTS:
                self._ids[word] = ids
        return ids

    def text(self, text):
        """Ids of a content, in which nothing is markup."""
        ids = []
        find = (_ASCII_WORDS if text.isascii() else _WORDS).findall
        for chunk in _DIGITS.split(text):
            for word in find(chunk) if len(chunk) != 1 or not chunk.isdigit() else (chunk,):
                if self._cuts and (bare := word.lstrip(" ")) in self._cuts:
                    cut = len(word) - len(bare) + self._cuts[bare]
                    ids.extend(self.word(word[:cut]))
                    ids.extend(self.word(word[cut:]))
                else:
                    ids.extend(self.word(word))
        return ids

    def markup(self, text):
        """Ids of a text in which special tokens are markup."""
        ids = []
        for part in _SPECIAL.split(text):
            if part in self.special:
                ids.append(self.special[part])
            elif part:
                ids.extend(self.text(part))
        return ids

    def conversation(self, messages, tools=(), prompt=False, rng=None):
        """Ids, and for each whether the assistant says it. With `rng`, for the training: some words of the user are cut in two wherever they
        stand, in calls too, since a word that was always one token teaches nothing about words of several."""
        ids, said = [], []
        self._cuts = {}
        if rng is not None and rng.random() < CUT_CONVERSATIONS:
            words_said = dict.fromkeys(word for message in messages if message["role"] == "user" for word in _LETTERS.findall(message["content"]))
            self._cuts = {word: rng.randint(1, len(word) - 1) for word in words_said if rng.random() < CUT_WORDS}
        # llmd pre-tokenizes across segments; no content of ours has the text of a special token.
        for is_said, segments in itertools.groupby(segments_of(messages, tools, prompt), lambda segment: segment[2]):
            more = self.markup("".join(segment[0] for segment in segments))
            ids.extend(more)
            said.extend([is_said] * len(more))
        return ids, said
