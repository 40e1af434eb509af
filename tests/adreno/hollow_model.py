"""Writes GGUF models of real shapes. Their weights are all zero, as holes of a sparse file, made at once and hardly larger on disk
than their vocabulary: for what does not depend on weights, as launches, compiled kernels and the host's time. Or they are random
blocks, for speed and counts of instructions."""
import functools
import os
import random
import re
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lanes"))
import gguf_writer  # noqa: E402
from random_gguf import entries, is_matrix, tensors  # noqa: E402
from real_size_gguf import MODELS as SHAPES  # noqa: E402

FORMATS = {name: (kind, *gguf_writer.BLOCKS[kind]) for kind, name in gguf_writer.TYPE_NAMES.items()}  # id, weights, bytes
# Where a block's half-precision numbers lie and what they are, so that weights come out at a few hundredths.
SCALES = {"Q4_0": {0: 0.004}, "Q4_1": {0: 0.004, 2: -0.03}, "Q5_0": {0: 0.002}, "Q5_1": {0: 0.002, 2: -0.03}, "Q8_0": {0: 0.0003},
          "Q4_K": {0: 7e-5, 2: 5e-4}, "Q5_K": {0: 3e-5, 2: 5e-4}, "Q6_K": {208: 1.6e-5}, "IQ4_NL": {0: 0.0003},
          "IQ4_XS": {0: 1e-5}}

MOST_RANDOM_BYTES = 1 << 27  # of one call: Python counts their bits in an int of C


def format_of(mixture, full_name, model, shape):
    """The format that quantised files of that mixture (a format, or "Q4_K_M") usually have for a tensor."""
    name = full_name.removesuffix(".weight").split(".")[-1]
    if not is_matrix(full_name, shape):
        return "F32"
    if mixture == "F16":
        return "F16"
    chosen = "Q4_K" if mixture == "Q4_K_M" else mixture
    if name in ("output", "token_embd" if model.tied else ""):
        chosen = "Q8_0" if mixture == "Q8_0" else "Q6_K"
    elif mixture == "Q4_K_M" and name == "attn_qkv":
        chosen = "Q5_K"
    elif mixture == "Q4_K_M" and name in ("attn_v", "ffn_down"):
        layer, eighth = int(full_name.split(".")[1]), model.layers // 8
        if layer < eighth or layer >= 7 * model.layers // 8 or (layer - eighth) % 3 == 2:
            chosen = "Q6_K"
    if shape[1] % FORMATS[chosen][1] != 0:  # too narrow for blocks of 256
        chosen = "Q8_0" if chosen == "Q6_K" else "Q5_0"
    return chosen


def weights_of_a_token(model, mixture):
    """{(format, whether they make queries, keys and values): weights that a decoded token multiplies}."""
    total = {}
    for name, shape, *_ in tensors(model):
        if not is_matrix(name, shape):
            continue
        if name == "token_embd.weight" and not model.tied:
            continue
        of_qkv = re.search(r"\b(attn_(q|k|v|qkv)|in_proj)\b", name) is not None
        which = format_of(mixture, name, model, shape), of_qkv
        total[which] = total.get(which, 0) + shape[0] * shape[1]
    return total


def hole(name, kind, shape):
    """The parts of a tensor that is zeros. Divisors are positive."""
    return [struct.pack("<f", 1) * shape[0]] if name.startswith("rope_factors") else []


@functools.lru_cache(maxsize=None)
def random_blocks(kind, weights):
    """Weights of a few hundredths."""
    _, block_weights, block_bytes = FORMATS[kind]
    blocks = weights // block_weights
    left, pieces, numbers = blocks * block_bytes, [], random.Random(7)
    while left > 0:
        pieces.append(numbers.randbytes(min(left, MOST_RANDOM_BYTES)))
        left -= len(pieces[-1])
    data = bytearray().join(pieces)
    if kind == "F16":  # 0x24 to 0x27 in the upper byte, either sign: 1/64 to 1/32
        data[1::2] = data[1::2].translate(bytes((value & 0x83) | 0x24 for value in range(256)))
    for at, scale in SCALES.get(kind, {}).items():
        low, high = struct.pack("<e", scale)
        data[at::block_bytes] = bytes([low]) * blocks
        data[at + 1::block_bytes] = bytes([high]) * blocks
    return bytes(data)


def random_parts(name, kind, shape):
    """The parts of a tensor that is random where it is a matrix of `kind`, and ones where it is a norm."""
    if kind != "F32":
        return [random_blocks(kind, shape[0] * shape[1])]
    return [struct.pack("<f", 1) * shape[0]] if name.endswith("norm.weight") else hole(name, kind, shape)


def write_model(path, model, mixture, parts=hole):
    chosen = [(name, shape, format_of(mixture, name, model, shape)) for name, shape, *_ in tensors(model)]
    gguf_writer.write(path, entries(model), [(name, shape, FORMATS[kind][0], parts(name, kind, shape)) for name, shape, kind in chosen])
