"""Writes GGUF models of real shapes whose weights are all zero, as holes of a sparse file: made at once and hardly larger on
disk than their vocabulary. For what does not depend on weights: launches, compiled kernels, the host's time."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lanes"))
import gguf_file  # noqa: E402
from random_gguf import Model, entries, tensors  # noqa: E402

SHAPES = {
    "gpt2-124m": Model("gpt2", layers=12, width=768, heads=12, kv_heads=12, head_dim=64, hidden=3072, vocabulary=50257,
                       context=1024, biases=True, learned_positions=True, gated=False, fused_qkv=True),
    "smollm2-135m": Model("llama", layers=30, width=576, heads=9, kv_heads=3, head_dim=64, hidden=1536, vocabulary=49152,
                          context=8192, keys={"rope.freq_base": 1e5}),
    "tinyllama-1.1b": Model("llama", layers=22, width=2048, heads=32, kv_heads=4, head_dim=64, hidden=5632,
                            vocabulary=32000, context=2048, tied=False),
    "llama3.2-1b": Model("llama", layers=16, width=2048, heads=32, kv_heads=8, head_dim=64, hidden=8192,
                         vocabulary=128256, context=8192, keys={"rope.freq_base": 5e5}),
    "qwen3-0.6b": Model("qwen3", layers=28, width=1024, heads=16, kv_heads=8, head_dim=128, hidden=3072,
                        vocabulary=151936, context=8192, qk_norm="head", keys={"rope.freq_base": 1e6}),
    "gemma3-1b": Model("gemma3", layers=26, width=1152, heads=4, kv_heads=1, head_dim=256, hidden=6912,
                       vocabulary=262144, context=8192, qk_norm="head", post_norms=True,
                       keys={"rope.freq_base": 1e6, "attention.sliding_window": 512}),
    "lfm2-1.2b": Model("lfm2", layers=16, width=2048, heads=32, kv_heads=8, head_dim=64, hidden=8192, vocabulary=65536,
                       context=8192, qk_norm="head", convolutions=(0, 1, 3, 4, 6, 7, 9, 11, 13, 15),
                       keys={"rope.freq_base": 1e6, "shortconv.l_cache": 3}),
}
FORMATS = {name: (kind, *gguf_file.BLOCKS[kind]) for kind, name in gguf_file.TYPE_NAMES.items()}  # id, weights, bytes


def format_of(mixture, full_name, model, shape):
    """The format that quantised files of that mixture (a format, or "Q4_K_M") usually have for a tensor."""
    name = full_name.removesuffix(".weight").split(".")[-1]
    if len(shape) == 1 or name in ("position_embd", "conv"):
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
        if len(shape) == 1 or name == "position_embd.weight" or name.endswith("conv.weight"):
            continue
        if name == "token_embd.weight" and not model.tied:
            continue
        of_qkv = re.search(r"\b(attn_(q|k|v|qkv)|in_proj)\b", name) is not None
        which = format_of(mixture, name, model, shape), of_qkv
        total[which] = total.get(which, 0) + shape[0] * shape[1]
    return total


def write_model(path, shape_name, mixture):
    model = SHAPES[shape_name]
    gguf_file.write(path, entries(model), ((name, shape[::-1], FORMATS[format_of(mixture, name, model, shape)][0], None)
                                           for name, shape, *_ in tensors(model)))
