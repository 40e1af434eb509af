"""Tokenizes generated text fast: pre-tokens are looked up, and only new ones are given to the Python package tokenizers."""
import re

from . import split, words
from .render import SPECIAL, segments_of

_SPECIAL = re.compile("(" + "|".join(re.escape(s) for s in SPECIAL) + ")")
_DIGITS = re.compile(r"(\d)")
# GPT-2's words of ASCII text without digits.
_WORDS = re.compile(r"'(?:s|t|re|ve|m|ll|d)| ?[A-Za-z]+| ?[^\sA-Za-z]+|\s+(?!\S)|\s+")
_MOST_TEXTS = 200_000


class Encoder:
    def __init__(self, path):
        from tokenizers import Tokenizer
        self.tokenizer = Tokenizer.from_file(str(path))
        self.special = {s: self.tokenizer.token_to_id(s) for s in SPECIAL}
        self.n_vocab = self.tokenizer.get_vocab_size()
        self._ids = {}
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
        if not text.isascii():
            return self.word(text)
        ids = []
        for chunk in _DIGITS.split(text):
            for word in _WORDS.findall(chunk) if len(chunk) != 1 or not chunk.isdigit() else (chunk,):
                ids.extend(self.word(word))
        return ids

    def segment(self, text, is_markup):
        if not is_markup:
            return self.text(text)
        ids = self._ids.get(("markup", text))
        if ids is None:
            ids = []
            for part in _SPECIAL.split(text):
                if part in self.special:
                    ids.append(self.special[part])
                elif part:
                    ids.extend(self.text(part))
            if len(self._ids) < _MOST_TEXTS:
                self._ids["markup", text] = ids
        return ids

    def conversation(self, messages, tools=(), prompt=False):
        """Ids, and for each whether the assistant says it."""
        ids, said = [], []
        for text, is_markup, is_said in segments_of(messages, tools, prompt):
            more = self.segment(text, is_markup)
            ids.extend(more)
            said.extend([is_said] * len(more))
        return ids, said
