#!/usr/bin/env python3
"""Writes pre_tokenizers.json: a toy vocabulary, texts, and the ids that llama.cpp gives them by each pre-tokenizer.

usage: tests/data/tokenizers/make.py --server llama-server --work DIRECTORY     (needs numpy)

The merges are learned from the texts as they are, so that they go across the borders between pre-tokens: where a rule splits
another way, the ids differ. Repeatable byte for byte with the same llama.cpp."""
import argparse
import collections
import importlib.machinery
import importlib.util
import json
import os
import shlex
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
LANES = os.path.join(HERE, "..", "..", "lanes")
sys.path.insert(0, LANES)
import random_gguf  # noqa: E402

PRE_TOKENIZERS = ["gpt-2", "llama-bpe", "dbrx", "smaug-bpe", "lfm2", "qwen2", "qwen35", "smollm", "refact", "exaone4", "gpt-4o",
                  "tekken", "deepseek-v3", "hunyuan-dense", "minicpm5"]
N_MERGES = 400
TEXTS = [
    "", " ", "  ", "   ", "\t", "\n", "\n\n", "\r\n", " \n", "\n ", "\t\n \t", "   \n\n  x",
    "Hello world", "Hello  world", "Hello   world ", " leading", "trailing ", "a\nb", "a \n b", "a\r\n\r\nb", "tab\tand\t\ttabs",
    "we'll we'LL WE'LL I'm I'M they've it's IT'S don't 'tis 'S 's", "'quoted' \"quoted\" `ticks`", "rock'n'roll o'clock",
    "camelCase PascalCase HTTPServer aB Ab iPhone McDonald XMLHttpRequest", "ALLCAPS lower Mixed", "\u00c9cole \u00e9t\u00e9 \u00c0 LA",
    "1", "12", "123", "1234", "1234567890", "3.14159 1,000,000 2e-10 0x1F", "a1b2c3 1st 2nd x86_64", "007 42nd 1 2  3", "12\n34",
    "price: $5.00 (50% off!) #1 @home & more...", "!!!???...---===", "a/b/c //comment /*x*/ https://example.org/a?b=c&d=e#f",
    "if (x == 1) {\n    return y[0];\n}\n", "def f(a, b=2):\n\treturn a**b  # power\n", "<tag attr=\"v\">text</tag>", "{\"k\": [1, 2.5, null]}",
    "na\u00efve caf\u00e9 Z\u00fcrich stra\u00dfe \u0141\u00f3d\u017a", "e\u0301a\u0300 combining o\u0308", "\u041f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440! \u041c\u043e\u0441\u043a\u0432\u0430",
    "\u4f60\u597d\uff0c\u4e16\u754c\u30022024\u5e74", "\u3053\u3093\u306b\u3061\u306f \u30ab\u30bf\u30ab\u30ca \u6f22\u5b57", "\ud55c\uad6d\uc5b4 \ubb38\uc7a5", "\u0928\u092e\u0938\u094d\u0924\u0947 \u0926\u0941\u0928\u093f\u092f\u093e",
    "\u0645\u0631\u062d\u0628\u0627 \u0628\u0643 \u0661\u0662\u0663", "\U0001f600 \U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea!!", "x\u00a0y\u2003z\u3000w", "\u00bd \u00b2 \u2167 \u2460", "\u2014 \u201cquotes\u201d \u2026 \u20ac5", "a_b __init__ snake_case_9",
    "    four spaces\n        eight\n",
]


def learn(texts, spelled):
    """Tokens and merges of byte-level BPE without any pre-tokens."""
    words = [[spelled[byte] for byte in text.encode()] for text in texts]
    tokens, merges = list(spelled), []
    while len(merges) < N_MERGES:
        pairs = collections.Counter(pair for word in words for pair in zip(word, word[1:]))
        # A line end is never merged: llama.cpp keeps its list of merges by lines and words.
        found = [pair for pair, n in pairs.items() if n > 1 and "\u010a" not in "".join(pair)]
        if not found:
            break
        best = max(found, key=lambda pair: (pairs[pair], pair))
        merges.append(" ".join(best))
        if "".join(best) not in tokens:
            tokens.append("".join(best))
        for i, word in enumerate(words):
            merged, at = [], 0
            while at < len(word):
                is_best = tuple(word[at:at + 2]) == best
                merged.append("".join(best) if is_best else word[at])
                at += 2 if is_best else 1
            words[i] = merged
    return tokens, merges


def load_peer():
    loader = importlib.machinery.SourceFileLoader("peer", os.path.join(LANES, "peer"))
    peer = importlib.util.module_from_spec(importlib.util.spec_from_loader("peer", loader))
    loader.exec_module(peer)
    return peer


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", default="llama-server", help="the command that runs llama-server")
    parser.add_argument("--work", required=True)
    args = parser.parse_args()
    peer = load_peer()
    tokens, merges = learn(TEXTS, random_gguf.spelled_bytes())
    vocabulary = [*tokens, "<|endoftext|>"], [1] * len(tokens) + [3], merges
    ids = {}
    for pre in PRE_TOKENIZERS:
        path = os.path.join(args.work, "model.gguf")
        model = random_gguf.Model("llama", layers=1, vocabulary=len(tokens) + 1, pre_tokenizer=pre)
        random_gguf.write(path, model, vocabulary)
        port = peer.free_port()
        server = subprocess.Popen([*shlex.split(args.server), "-m", path, "--host", "127.0.0.1", "--port", str(port), "--no-warmup"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            peer.wait_until_ready(port, server)
            ids[pre] = [peer.ask(port, "/tokenize", {"content": text, "add_special": False})["tokens"] for text in TEXTS]
        finally:
            server.terminate()
            server.wait()
    with open(os.path.join(HERE, "pre_tokenizers.json"), "w") as file:
        lines = [f'"tokens": {json.dumps(tokens)}', f'"merges": {json.dumps(merges)}', f'"texts": {json.dumps(TEXTS)}']
        lines += [f'"{pre}": {json.dumps(of_texts, separators=(",", ":"))}' for pre, of_texts in ids.items()]
        file.write("{" + ",\n".join(lines) + "}\n")


if __name__ == "__main__":
    main()
