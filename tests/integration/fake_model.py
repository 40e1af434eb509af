"""The model that the fake upstream plays: a vocabulary, a chat template, and texts that are functions of token ids.

Greedy, the next token depends on all ids before it and on nothing else: whoever goes on from prompt ids and the ids so far gets the
same text. Sampled, it depends also on the seed and on how many tokens this request has made, as a generator that starts anew with
every request: going on gives another text."""
import hashlib
import json

BEGIN, END, TURN_BEGIN, TURN_END = range(4)  # ids of the control tokens
SPECIALS = ["<s>", "</s>", "<|im_start|>", "<|im_end|>"]
FIRST_BYTE = len(SPECIALS)  # one token for every byte
FIRST_WORD = FIRST_BYTE + 256
ONSETS, VOWELS = "bdfgklmnprstvz", "aeiou"
# Some are longer than a byte in UTF-8, and all byte tokens are less than a character in it.
WORDS = [" " + a + v + b for a in ONSETS for v in VOWELS for b in "nrst"] + [" süß", " größe", " 声", " 🙂", ".", ",", "\n"]
N_VOCAB = FIRST_WORD + len(WORDS)
WORD_IDS = {word: FIRST_WORD + i for i, word in enumerate(WORDS)}
LONGEST_WORD = max(map(len, WORDS))


def piece(token):
    """The bytes of a token; a control token has none."""
    if token < FIRST_BYTE:
        return b""
    return bytes([token - FIRST_BYTE]) if token < FIRST_WORD else WORDS[token - FIRST_WORD].encode()


def detokenize(ids):
    return b"".join(map(piece, ids)).decode(errors="replace")


def tokenize(text, add_special=False, parse_special=False):
    ids = [BEGIN] if add_special else []
    at = 0
    while at < len(text):
        special = next((s for s in SPECIALS if text.startswith(s, at)), None) if parse_special else None
        word = next((text[at:at + n] for n in range(LONGEST_WORD, 0, -1) if text[at:at + n] in WORD_IDS), None)
        if special:
            ids.append(SPECIALS.index(special))
        elif word:
            ids.append(WORD_IDS[word])
        else:
            ids += [FIRST_BYTE + byte for byte in text[at].encode()]
        at += len(special or word or " ")
    return ids


def render(messages, add_generation_prompt=True, continues=False):
    """The prompt of a conversation. With `continues` its last message is left open."""
    turns = [f"<|im_start|>{m['role']}\n{m.get('content') or ''}" for m in messages]
    text = "<|im_end|>\n".join(turns)
    if continues:
        return text
    return text + "<|im_end|>\n" + ("<|im_start|>assistant\n" if add_generation_prompt else "")


def choose(ids, chance=""):
    """The token that comes after `ids`: a word, now and then the four bytes of a character, one after the other."""
    tail = [token - FIRST_BYTE for token in ids[-3:]]
    smile = "😀".encode()
    for n in (3, 2, 1):
        if len(tail) >= n and bytes(b for b in tail[-n:] if 0 <= b < 256) == smile[:n] and all(0 <= b < 256 for b in tail[-n:]):
            return FIRST_BYTE + smile[n]
    digest = hashlib.sha256(",".join(map(str, ids)).encode() + chance.encode()).digest()
    number = int.from_bytes(digest[:4], "little")
    return FIRST_BYTE + smile[0] if number % 16 == 0 else FIRST_WORD + number // 16 % len(WORDS)


def generate(prompt, chance=None):
    """Endless ids after a prompt's; `chance` says on what a sampled text depends beside them, None that it is greedy."""
    ids = list(prompt)
    while True:
        ids.append(choose(ids, "" if chance is None else f"{chance} {len(ids) - len(prompt)}"))
        yield ids[-1]


def greedy_text(prompt, n):
    """The first `n` tokens' text after a prompt's ids, without half a character at its end: what a test expects."""
    tokens = generate(prompt)
    return b"".join(piece(next(tokens)) for _ in range(n)).decode(errors="ignore")


def example(schema):
    """A value that fits a JSON schema of plain types."""
    if "enum" in schema:
        return schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    kind = schema.get("type", "object")
    if kind == "object":
        return {name: example(part) for name, part in schema.get("properties", {}).items()}
    if kind == "array":
        return [example(schema.get("items", {"type": "integer"}))] * max(1, schema.get("minItems", 1))
    return {"integer": schema.get("minimum", 7), "number": 1.5, "boolean": True, "null": None,
            "string": "tal" * max(1, -(-schema.get("minLength", 1) // 3))}[kind]


def fitting(schema):
    """Ids of a JSON text that fits, the end's among them."""
    return tokenize(json.dumps(example(schema))) + [END]


def embedding(ids):
    """Eight numbers, not of length 1."""
    digest = hashlib.sha256(repr(ids).encode()).digest()
    return [(byte - 127.5) / 16 for byte in digest[:8]]
