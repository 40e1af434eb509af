#!/usr/bin/env python3
"""Trains the byte-level BPE: train_tokenizer.py --out tokenizer.json [--samples N]

Words are learned without the space before them, so that a name is the same tokens behind a space and behind a quote, and can be copied from
a request into a call. Then frequent words that are no slot values get a token with their space. The pre-tokenizer is the one that llmd knows
as "smollm": single digits, and GPT-2's words. Needs the Python package tokenizers.
"""
import argparse
import collections
import json
import multiprocessing
import random
import re

from phone_text import generate, render, split, words, fillers, extraction, tales  # noqa: F401  the lexicons

VOCABULARY = 4608
SPACED_WORDS = 1250
# Lexicons of texts whose words are all ordinary.
ORDINARY = {"messages", "tasks", "notes", "phrases", "topics", "kin"}
SPACE = "\u0120"  # the space of byte-level BPE


def slot_words():
    """Words that stand for something: they are copied, so that their tokens are the same with and without a space."""
    found = set()
    for name, lexicon in split.LEXICONS.items():
        is_slot = name in {"names she", "names he", "surnames", "towns", "streets", "things to buy", "lists", "occasions", "artists", "songs", "genres", "rooms", "colours", "weather conditions", "any words",
                           "apps", "languages", "restaurants", "doors", "labels", "alarm labels", "shops", "carriers", "shows", "venues", "goods", "kinds of goods", "trades", "jobs", "tale things", "tale places",
                           "roles it"}
        if is_slot:
            for entry in sum(lexicon.parts.values(), []):
                found.update(re.findall(r"[^\W\d]+", entry))
                if name in ("names she", "names he", "surnames", "towns"):  # mail addresses have them in lower case
                    found.update(re.findall(r"[^\W\d]+", entry.lower()))
    return found - set("can price field the The of a and in to by on at with from for me way out up my is this what".split())


def texts_of(job):
    seed, n = job
    rng = random.Random(seed)
    lines = []
    for _ in range(n):
        sample = generate.training_sample(rng)
        for text, _, _ in render.segments_of(sample["messages"], sample.get("tools", ())):
            lines.append(text)
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", required=True)
    parser.add_argument("--samples", type=int, default=24000)
    parser.add_argument("--vocabulary", type=int, default=VOCABULARY)
    options = parser.parse_args()
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
    jobs = [(f"tokenizer {i}", 500) for i in range(max(1, options.samples // 500))]
    with multiprocessing.Pool() as pool:
        lines = [line for part in pool.map(texts_of, jobs) for line in part]
    # Prompts repeat the same preamble; each text counts a few times at most.
    seen = collections.Counter()
    kept = []
    for line in lines:
        seen[line] += 1
        if seen[line] <= 3 and line not in render.SPECIAL:
            for special in render.SPECIAL:
                line = line.replace(special, "")
            kept.append(line)
    n_spaced = min(SPACED_WORDS, options.vocabulary // 4)
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(" "), "isolated"), pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)])
    tokenizer.train_from_iterator(kept, trainers.BpeTrainer(
        vocab_size=options.vocabulary - len(render.SPECIAL) - n_spaced, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    file = json.loads(tokenizer.to_str())
    vocab, merges = file["model"]["vocab"], file["model"]["merges"]
    avoided = slot_words()
    counts = collections.Counter()
    for line in kept:
        counts.update(re.findall(r" ([^\W\d_]+|[^\s\w]+)", line))
    alphabet = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    added = 0
    for word, _ in counts.most_common():
        if added == n_spaced:
            break
        token = alphabet.pre_tokenize_str(word)[0][0]
        if word in avoided or token not in vocab or len(word) == 1 and word.isalpha() and word not in "aI":
            continue
        merges.append([SPACE, token])
        vocab[SPACE + token] = len(vocab)
        added += 1
    n = len(vocab)
    file["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": True},
                                                                   {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}]}
    file["decoder"] = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    file["added_tokens"] = [{"id": n + i, "content": text, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
                            for i, text in enumerate(render.SPECIAL)]
    with open(options.out, "w") as out:
        json.dump(file, out, ensure_ascii=False, indent=0)
        out.write("\n")
    print(f"{options.out}: {n + len(render.SPECIAL)} tokens from {len(kept)} texts, {added} with their space")


if __name__ == "__main__":
    main()
