"""Writes GGUF models of real shapes whose weights are all zero, as holes of a sparse file: made at once and hardly larger on
disk than their vocabulary. For what does not depend on weights: launches, compiled kernels, the host's time."""
import re
import struct
from dataclasses import dataclass

ALIGNMENT = 32
U32, F32, STRING, ARRAY, I32 = 4, 6, 8, 9, 5  # GGUF's value types

# GGUF's type id, weights and bytes of a block.
FORMATS = {
    "F32": (0, 1, 4), "F16": (1, 1, 2), "Q4_0": (2, 32, 18), "Q4_1": (3, 32, 20), "Q5_0": (6, 32, 22),
    "Q5_1": (7, 32, 24), "Q8_0": (8, 32, 34), "Q4_K": (12, 256, 144), "Q5_K": (13, 256, 176), "Q6_K": (14, 256, 210),
    "IQ4_NL": (20, 32, 18),
}


@dataclass(frozen=True)
class Shape:
    architecture: str
    layers: int
    width: int
    heads: int
    kv_heads: int
    hidden: int
    vocabulary: int
    context: int
    tied: bool
    rope_base: float = 0

    @property
    def kv_rows(self):
        return self.width // self.heads * self.kv_heads


SHAPES = {
    "gpt2-124m": Shape("gpt2", 12, 768, 12, 12, 3072, 50257, 1024, True),
    "smollm2-135m": Shape("llama", 30, 576, 9, 3, 1536, 49152, 8192, True, 1e5),
    "tinyllama-1.1b": Shape("llama", 22, 2048, 32, 4, 5632, 32000, 2048, False, 1e4),
    "llama3.2-1b": Shape("llama", 16, 2048, 32, 8, 8192, 128256, 8192, True, 5e5),
}


def format_of(mixture, name, layer, shape, columns):
    """The format that quantised files of that mixture (a format, or "Q4_K_M") usually have for a matrix."""
    if mixture == "F16":
        return "F16"
    chosen = "Q4_K" if mixture == "Q4_K_M" else mixture
    if name in ("output", "token_embd" if shape.tied else ""):
        chosen = "Q8_0" if mixture == "Q8_0" else "Q6_K"
    elif mixture == "Q4_K_M" and name == "attn_qkv":
        chosen = "Q5_K"
    elif mixture == "Q4_K_M" and name in ("attn_v", "ffn_down"):
        eighth = shape.layers // 8
        if layer < eighth or layer >= 7 * shape.layers // 8 or (layer - eighth) % 3 == 2:
            chosen = "Q6_K"
    if columns % FORMATS[chosen][1] != 0:  # too narrow for blocks of 256
        chosen = "Q8_0" if chosen == "Q6_K" else "Q5_0"
    return chosen


def tensors(shape, mixture):
    """(name, columns, rows, format) of every tensor; a vector has one row."""
    found = []

    def matrix(name, rows, columns, layer=None, chosen=None):
        full = name if layer is None else f"blk.{layer}.{name}"
        chosen = chosen or format_of(mixture, name, layer, shape, columns)
        found.append((full + ".weight", columns, rows, chosen))

    def vector(name, size, layer=None):
        found.append((name if layer is None else f"blk.{layer}.{name}", size, 1, "F32"))

    is_gpt2 = shape.architecture == "gpt2"
    matrix("token_embd", shape.vocabulary, shape.width)
    if not shape.tied:
        matrix("output", shape.vocabulary, shape.width)
    if is_gpt2:
        matrix("position_embd", shape.context, shape.width, chosen="F32")
    for layer, norms in [(None, ["output_norm"])] + [(i, ["attn_norm", "ffn_norm"]) for i in range(shape.layers)]:
        for norm in norms:
            vector(norm + ".weight", shape.width, layer)
            if is_gpt2:
                vector(norm + ".bias", shape.width, layer)
    for layer in range(shape.layers):
        if is_gpt2:
            matmuls = [("attn_qkv", 3 * shape.width, shape.width), ("attn_output", shape.width, shape.width),
                        ("ffn_up", shape.hidden, shape.width), ("ffn_down", shape.width, shape.hidden)]
        else:
            matmuls = [("attn_q", shape.width, shape.width), ("attn_k", shape.kv_rows, shape.width),
                        ("attn_v", shape.kv_rows, shape.width), ("attn_output", shape.width, shape.width),
                        ("ffn_gate", shape.hidden, shape.width), ("ffn_up", shape.hidden, shape.width),
                        ("ffn_down", shape.width, shape.hidden)]
        for name, rows, columns in matmuls:
            matrix(name, rows, columns, layer)
            if is_gpt2:
                vector(name + ".bias", rows, layer)
    return found


def weights_of_a_token(shape, mixture):
    """{(format, whether they make queries, keys and values): weights that a decoded token multiplies}."""
    total = {}
    for name, columns, rows, chosen in tensors(shape, mixture):
        if rows == 1 or name == "position_embd.weight" or (name == "token_embd.weight" and not shape.tied):
            continue
        which = chosen, re.search(r"\battn_(q|k|v|qkv)\b", name) is not None
        total[which] = total.get(which, 0) + rows * columns
    return total


def _text(text):
    encoded = text.encode()
    return struct.pack("<Q", len(encoded)) + encoded


def _entry(key, kind, value):
    if kind == STRING:
        body = _text(value)
    else:
        body = struct.pack("<I" if kind == U32 else "<f", value)
    return _text(key) + struct.pack("<I", kind) + body


def _array(key, kind, values):
    items = b"".join(map(_text, values)) if kind == STRING else struct.pack(f"<{len(values)}i", *values)
    return _text(key) + struct.pack("<IIQ", ARRAY, kind, len(values)) + items


def _vocabulary(size):
    """Byte-level: every byte, one merge, words that no text has, and the end."""
    printable = [*range(33, 127), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    spelled = {byte: chr(byte) for byte in printable} | {byte: chr(256 + i) for i, byte in enumerate(others)}
    words = [spelled[byte] for byte in range(256)] + ["zq"]
    unused = [f"<unused{i}>" for i in range(size - len(words) - 1)]
    kinds = [1] * len(words) + [5] * len(unused) + [3]  # normal, unused, control
    return words + unused + ["<|endoftext|>"], kinds, ["z q"]


def write_model(path, shape_name, mixture):
    shape = SHAPES[shape_name]
    tokens, kinds, merges = _vocabulary(shape.vocabulary)
    a = shape.architecture + "."
    norm = "attention.layer_norm_epsilon" if shape.architecture == "gpt2" else "attention.layer_norm_rms_epsilon"
    entries = [
        _entry("general.architecture", STRING, shape.architecture),
        _entry(a + "context_length", U32, shape.context), _entry(a + "embedding_length", U32, shape.width),
        _entry(a + "block_count", U32, shape.layers), _entry(a + "feed_forward_length", U32, shape.hidden),
        _entry(a + "attention.head_count", U32, shape.heads),
        _entry(a + "attention.head_count_kv", U32, shape.kv_heads), _entry(a + norm, F32, 1e-5),
        _entry("tokenizer.ggml.model", STRING, "gpt2"), _entry("tokenizer.ggml.pre", STRING, "gpt-2"),
        _array("tokenizer.ggml.tokens", STRING, tokens), _array("tokenizer.ggml.token_type", I32, kinds),
        _array("tokenizer.ggml.merges", STRING, merges),
        _entry("tokenizer.ggml.bos_token_id", U32, shape.vocabulary - 1),
        _entry("tokenizer.ggml.eos_token_id", U32, shape.vocabulary - 1),
    ]
    if shape.rope_base:
        entries.append(_entry(a + "rope.freq_base", F32, shape.rope_base))
    infos, offset = [], 0
    for name, columns, rows, chosen in tensors(shape, mixture):
        type_id, block_weights, block_bytes = FORMATS[chosen]
        sizes = (columns,) if rows == 1 else (columns, rows)
        infos.append(_text(name) + struct.pack(f"<I{len(sizes)}QIQ", len(sizes), *sizes, type_id, offset))
        bytes_taken = columns // block_weights * block_bytes * rows
        offset += -(-bytes_taken // ALIGNMENT) * ALIGNMENT
    head = b"GGUF" + struct.pack("<IQQ", 3, len(infos), len(entries)) + b"".join(entries + infos)
    head += bytes(-len(head) % ALIGNMENT)
    with open(path, "wb") as file:
        file.write(head)
        file.truncate(len(head) + offset)
