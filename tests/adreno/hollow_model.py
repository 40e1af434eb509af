"""Writes GGUF models of real shapes whose weights are all zero, as holes of a sparse file: made at once and hardly larger on
disk than their vocabulary. For what does not depend on weights: launches, compiled kernels, the host's time."""
import os
import re
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lanes"))
import gguf_writer  # noqa: E402
from random_gguf import entries, is_matrix, tensors  # noqa: E402
from real_size_gguf import MODELS as SHAPES  # noqa: E402

FORMATS = {name: (kind, *gguf_writer.BLOCKS[kind]) for kind, name in gguf_writer.TYPE_NAMES.items()}  # id, weights, bytes


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


def write_model(path, shape_name, mixture):
    model = SHAPES[shape_name]

    def parts(name, shape):  # divisors are positive
        return [struct.pack("<f", 1) * shape[0]] if name.startswith("rope_factors") else []

    gguf_writer.write(path, entries(model), [(name, shape, FORMATS[format_of(mixture, name, model, shape)][0], parts(name, shape))
                                             for name, shape, *_ in tensors(model)])
