"""Writes GGUF models of the shapes and vocabularies of published ones: the weights are random and Q8_0, the vocabulary has as many
tokens and merges as the model's own, of about their lengths. Text is tokenized as with a real vocabulary, and means nothing."""
import dataclasses
import math
import random
import struct

import gguf_writer
from gguf_writer import spelled_bytes
from random_gguf import F32, Model, entries, is_matrix, tensors

Q8_0 = 8  # GGUF's type of the matrices
BLOCK = 32
CHUNK_BLOCKS = 1 << 16  # random blocks that a matrix repeats
SPACE = "\u2581"

_GEMMA3 = Model("gemma3", vocabulary=262144, context=32768, head_dim=256, heads=4, kv_heads=1, qk_norm="head", post_norms=True,
                keys={"attention.sliding_window": 512, "rope.freq_base": 1e6})
_QWEN3 = Model("qwen3", vocabulary=151936, context=40960, head_dim=128, heads=16, kv_heads=8, layers=28, qk_norm="head",
               pre_tokenizer="qwen2", keys={"rope.freq_base": 1e6})
MODELS = {
    "gpt2-124m": Model("gpt2", layers=12, width=768, heads=12, kv_heads=12, head_dim=64, hidden=3072, vocabulary=50257,
                       context=1024, biases=True, learned_positions=True, gated=False, fused_qkv=True),
    "phone-11m": Model("llama", layers=8, width=384, heads=12, kv_heads=4, head_dim=32, hidden=640, vocabulary=4608, context=1536,
                       pre_tokenizer="smollm"),
    "smollm2-135m": Model("llama", layers=30, width=576, heads=9, kv_heads=3, head_dim=64, hidden=1536, vocabulary=49152,
                          context=8192, keys={"rope.freq_base": 1e5}),
    "tinyllama-1.1b": Model("llama", layers=22, width=2048, heads=32, kv_heads=4, head_dim=64, hidden=5632,
                            vocabulary=32000, context=2048, tied=False),
    "llama3.2-1b": Model("llama", layers=16, width=2048, heads=32, kv_heads=8, head_dim=64, hidden=8192,
                         vocabulary=128256, context=8192, keys={"rope.freq_base": 5e5}),
    "gemma3-270m": dataclasses.replace(_GEMMA3, layers=18, width=640, hidden=2048),
    "gemma3-1b": dataclasses.replace(_GEMMA3, layers=26, width=1152, hidden=6912),
    "qwen3-0.6b": dataclasses.replace(_QWEN3, width=1024, hidden=3072),
    "qwen3-1.7b": dataclasses.replace(_QWEN3, width=2048, hidden=6144),
    "lfm2-1.2b": Model("lfm2", layers=16, width=2048, heads=32, kv_heads=8, head_dim=64, hidden=8192, vocabulary=65536,
                       context=32768, qk_norm="head", convolutions=(0, 1, 3, 4, 6, 7, 9, 11, 13, 15), pre_tokenizer="lfm2",
                       keys={"rope.freq_base": 1e6, "shortconv.l_cache": 3}),
    "smollm3-3b": Model("smollm3", vocabulary=128256, context=65536, head_dim=128, heads=16, kv_heads=4, layers=36, width=2048,
                        hidden=11008, pre_tokenizer="smaug-bpe", keys={"rope.freq_base": 5e6}),
    "phi4-mini": Model("phi3", vocabulary=200064, context=131072, head_dim=128, heads=24, kv_heads=8, layers=32, width=3072,
                       hidden=8192, fused_qkv=True, fused_up=True, factors=("rope_factors_long", "rope_factors_short"),
                       pre_tokenizer="gpt-4o", keys={"rope.dimension_count": 96, "rope.scaling.original_context_length": 4096}),
}
# Of byte-level vocabularies: tokens that are no control tokens, and merges.
SIZES = {"qwen3": (151643, 151387), "lfm2": (64400, 64144), "smollm3": (128000, 280147), "phi3": (199998, 199742)}


def has_vocabulary(model):
    return model.architecture == "gemma3" or model.architecture in SIZES


def _words(symbols, begin, n):
    """[(left, right)]: n pairs whose joined texts are new; both parts are symbols or words before. Most are short."""
    rng = random.Random(7)
    known, words, pairs = set(symbols), list(begin) + list(symbols), []
    while len(pairs) < n:
        left = words[int(len(words) * rng.random() ** 3)]
        right = words[int(min(len(words), 2000) * rng.random() ** 3)]
        if left + right in known or right.startswith(begin[0]):
            continue
        known.add(left + right)
        words.append(left + right)
        pairs.append((left, right))
    return pairs


def _byte_level(model):
    n_texts, n_merges = SIZES[model.architecture]
    symbols = spelled_bytes()
    letters = [c for c in "etaoinshrdlucmfwygpbvkxqjz"]
    pairs = _words(symbols, [symbols[ord(" ")], *letters], n_texts - 256)
    tokens = symbols + [left + right for left, right in pairs]
    merges = [f"{left} {right}" for left, right in pairs]
    # Other ways to the same tokens, as in files that were converted from a list of ranks. Where there are too few, lines are
    # repeated, which takes as much room.
    known, taken = set(tokens), set(merges)
    others = [f"{token[:at]} {token[at:]}" for token in tokens for at in range(1, len(token))
              if token[:at] in known and token[at:] in known]
    merges += [line for line in others if line not in taken][:n_merges - len(merges)]
    merges += merges[:n_merges - len(merges)]
    controls = [f"<|reserved_special_token_{i}|>" for i in range(model.vocabulary - len(tokens) - 1)]
    kinds = [1] * len(tokens) + [3] * (len(controls) + 1)
    return entries(model, ([*tokens, *controls, "<|endoftext|>"], kinds, merges))


def _sentencepiece(model):
    n_user, n_characters = 6400, 20000
    begin = ["<pad>", "<eos>", "<bos>", "<unk>"]
    user = [f"<unused{i}>" for i in range(n_user)]
    spelled = [f"<0x{byte:02X}>" for byte in range(256)]
    characters = [SPACE, *(chr(c) for c in range(33, 127)), *(chr(c) for c in range(0x4E00, 0x4E00 + n_characters - 95))]
    n_words = model.vocabulary - len(begin) - n_user - 256 - n_characters
    words = [left + right for left, right in _words(characters, [SPACE, *"etaoinshrdlucmfwygpbvkxqjz"], n_words)]
    tokens = begin + user + spelled + words + characters
    kinds = [3, 3, 3, 2] + [4] * n_user + [6] * 256 + [1] * (n_words + n_characters)
    scores = [0.0] * (4 + n_user + 256) + [float(-i) for i in range(n_words + n_characters)]
    own = entries(model, (tokens, kinds, ["a b"]))
    del own["tokenizer.ggml.merges"], own["tokenizer.ggml.pre"]
    return {
        **own, "tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": tokens, "tokenizer.ggml.token_type": kinds,
        "tokenizer.ggml.scores": scores, "tokenizer.ggml.add_space_prefix": False, "tokenizer.ggml.unknown_token_id": 3,
        "tokenizer.ggml.bos_token_id": 2, "tokenizer.ggml.eos_token_id": 1,
    }


def kv_bytes(model, n_tokens, n_rows):
    """Of the keys and values of n_tokens: of layers with a window those that n_rows next tokens see, of convolutions the products
    that they see."""
    window = model.keys.get("attention.sliding_window", 0)
    local = sum(layer % 6 < 5 for layer in range(model.layers)) if window else 0
    convolutions = len(model.convolutions)
    positions = (model.layers - local - convolutions) * n_tokens + local * min(n_tokens, window + n_rows)
    products = min(n_tokens, model.keys.get("shortconv.l_cache", 0) + n_rows) * model.width
    return positions * 2 * 2 * model.kv_heads * model.head_dim + convolutions * products * 4


def activation_bytes(model, n_rows):
    """Of the CPU backend's activations, floats and quantized ones."""
    q, kv = model.heads * model.head_dim, model.kv_heads * model.head_dim
    floats = 3 * model.width + 2 * q + 2 * kv + 2 * model.hidden
    quantized = max(model.width, q, model.hidden) // 32 * 80
    return n_rows * (4 * floats + quantized)


def write(path, model):
    """The largest tensor comes last, when the others are in memory already."""
    rng = random.Random(7)
    scale = struct.pack("<e", 0.0004)
    chunk = b"".join(scale + rng.randbytes(BLOCK) for _ in range(CHUNK_BLOCKS))

    def parts(shape, kind):
        if kind == F32:
            yield struct.pack("<f", 1) * math.prod(shape)
            return
        left = gguf_writer.size_of(shape, kind)
        while left > 0:
            yield chunk[:left]
            left -= len(chunk)

    named = [(name, shape, Q8_0 if is_matrix(name, shape) else F32) for name, shape, *_ in tensors(model)]
    named.sort(key=lambda tensor: tensor[0] == "token_embd.weight")
    gguf_writer.write(path, (_sentencepiece if model.architecture == "gemma3" else _byte_level)(model),
                      [(name, shape, kind, parts(shape, kind)) for name, shape, kind in named])
