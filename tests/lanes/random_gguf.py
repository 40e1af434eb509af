"""Writes small GGUF models with random weights, one for each architecture, with everything on that its files may have: the
values are stored as F32, gains make attention far from uniform and logits spread. A tensor's weights depend on its name alone,
so a model without one of its settings has the other weights unchanged."""
import dataclasses
import struct
import zlib

import numpy as np

ALIGNMENT = 32
WHOLE_WORD = 300  # a token that is text by itself
U32, F32, BOOL, STRING, ARRAY, I32 = 4, 6, 7, 8, 9, 5  # GGUF's value types


@dataclasses.dataclass(frozen=True)
class Model:
    architecture: str
    keys: dict = dataclasses.field(default_factory=dict)  # behind "<architecture>."
    layers: int = 4
    width: int = 128
    heads: int = 6
    kv_heads: int = 2
    head_dim: int = 40
    hidden: int = 224
    vocabulary: int = 515
    context: int = 512
    norm: str = "rms"
    qk_norm: str = ""  # "head", "row"
    pre_norms: bool = True
    post_norms: bool = False
    gated: bool = True
    fused_qkv: bool = False
    fused_up: bool = False
    qkv_biases: bool = False
    tied: bool = True
    factors: tuple = ()  # names of tensors with divisors of frequencies
    pre_tokenizer: str = "gpt-2"

    def without(self, **changes):
        """The same with other settings; a key of None is left out."""
        keys = {k: v for k, v in {**self.keys, **changes.pop("keys", {})}.items() if v is not None}
        return dataclasses.replace(self, keys=keys, **changes)


QWEN3 = Model("qwen3", qk_norm="head")
# These have heads that are as wide as the model together.
NARROW = {"heads": 4, "head_dim": 32}
EXAONE4 = Model("exaone4", **NARROW, qk_norm="head", pre_norms=False, post_norms=True, factors=("rope_freqs",))
HUNYUAN = Model("hunyuan-dense", qk_norm="head")
OLMO2 = Model("olmo2", tied=False, heads=4, head_dim=32, qk_norm="row", pre_norms=False, post_norms=True, kv_heads=4)
YARN = {"rope.scaling.type": "yarn", "rope.scaling.factor": 8.0, "rope.scaling.original_context_length": 64}
NO_SCALING = {key: None for key in YARN}
LLAMA_YARN = Model("llama", keys=YARN)
MISTRAL3 = Model("mistral3", keys={**YARN, "rope.scaling.yarn_beta_fast": 4.0, "rope.scaling.yarn_beta_slow": 0.5,
                                   "rope.scaling.yarn_log_multiplier": 0.3, "attention.temperature_scale": 0.15})
MINICPM = Model("minicpm", keys={"embedding_scale": 3.0, "residual_scale": 0.5, "logit_scale": 0.6})
PHI3 = Model("phi3", **NARROW, fused_qkv=True, fused_up=True, tied=False, factors=("rope_factors_long", "rope_factors_short"),
             keys={"rope.scaling.type": "longrope", "rope.scaling.original_context_length": 128,
                   "rope.scaling.attn_factor": 1.3, "rope.dimension_count": 24})
SMOLLM3 = Model("smollm3")

GRANITE = Model("granite", keys={"embedding_scale": 2.0, "residual_scale": 0.6, "attention.scale": 0.3, "logit_scale": 0.7})
LOCAL = {"attention.sliding_window": 48, "rope.freq_base": 1000.0, "rope.freq_base_swa": 100.0}
GEMMA2 = Model("gemma2", post_norms=True, head_dim=64, keys={
    **LOCAL, "attn_logit_softcapping": 1.0, "final_logit_softcapping": 6.0})
GEMMA3 = Model("gemma3", post_norms=True, head_dim=64, layers=7, qk_norm="head", keys={
    **LOCAL, "attention.sliding_window_pattern": 3, "rope.scaling.type": "linear", "rope.scaling.factor": 3.0})

# {architecture: (model, {setting: the same model without it})}
MODELS = {
    "qwen3": (QWEN3, {"norms of heads": QWEN3.without(architecture="qwen2", qk_norm="")}),
    "arcee": (Model("arcee", gated=False), {}),
    "ernie4_5": (Model("ernie4_5"), {"interleaved rotation": Model("qwen2")}),
    "exaone4": (EXAONE4, {"rope factors": EXAONE4.without(factors=()),
                          "post-norms alone": EXAONE4.without(architecture="qwen3", pre_norms=True, post_norms=False)}),
    "hunyuan-dense": (HUNYUAN, {"norms after rotation": HUNYUAN.without(architecture="qwen3")}),
    "minicpm": (MINICPM, {name: MINICPM.without(keys={name: 1.0}) for name in MINICPM.keys}),
    "mistral3": (MISTRAL3, {"yarn": MISTRAL3.without(keys=NO_SCALING),
                            "betas": MISTRAL3.without(keys={"rope.scaling.yarn_beta_fast": None,
                                                            "rope.scaling.yarn_beta_slow": None}),
                            "multiplier": MISTRAL3.without(keys={"rope.scaling.yarn_log_multiplier": 1.0}),
                            "temperature": MISTRAL3.without(keys={"attention.temperature_scale": None})}),
    "olmo2": (OLMO2, {"norms of whole rows": OLMO2.without(architecture="exaone4", qk_norm="head")}),
    "phi3": (PHI3, {"long factors": PHI3.without(keys={"rope.scaling.original_context_length": 512}),
                    "magnitude": PHI3.without(keys={"rope.scaling.attn_factor": None}),
                    "part of a head": PHI3.without(keys={"rope.dimension_count": 32})}),
    "granite": (GRANITE, {
        **{name: GRANITE.without(keys={name: 1.0}) for name in GRANITE.keys},
        "rotation": GRANITE.without(keys={"rope.scaling.finetuned": False})}),
    "gemma2": (GEMMA2, {
        "window": GEMMA2.without(keys={"attention.sliding_window": 512}),
        "base of local layers": GEMMA2.without(keys={"rope.freq_base_swa": 1000.0}),
        "cap of scores": GEMMA2.without(keys={"attn_logit_softcapping": 1e4}),
        "cap of logits": GEMMA2.without(keys={"final_logit_softcapping": 1e4})}),
    "gemma3": (GEMMA3, {
        "window": GEMMA3.without(keys={"attention.sliding_window": 512}),
        "base of local layers": GEMMA3.without(keys={"rope.freq_base_swa": 1000.0}),
        "scaling of global layers": GEMMA3.without(keys={"rope.scaling.factor": 1.0}),
        "pattern": GEMMA3.without(keys={"attention.sliding_window_pattern": 6})}),
    "smollm3": (SMOLLM3, {"a layer without rotation": SMOLLM3.without(architecture="llama")}),
    "llama with yarn": (LLAMA_YARN, {"yarn": LLAMA_YARN.without(keys=NO_SCALING)}),
}


def tensors(model):
    """(name, values [rows, columns] or [columns]) of every tensor."""
    def values(name, *sizes):
        return np.random.default_rng([7, zlib.crc32(name.encode())]).uniform(-1, 1, sizes)

    def matrix(name, rows, columns, gain=1.0):
        # A uniform number in [-s, s] has the variance s^2 / 3, and a matmul of width K keeps it for s = sqrt(3 / K).
        return name + ".weight", values(name, rows, columns) * gain * (3 / columns) ** 0.5

    def vector(name, size, middle=1.0, spread=0.4):
        return name, middle + spread * values(name, size)

    q, kv = model.heads * model.head_dim, model.kv_heads * model.head_dim
    yield "token_embd.weight", values("token_embd", model.vocabulary, model.width) * 0.4
    if not model.tied:
        yield matrix("output", model.vocabulary, model.width, 1.5)
    yield vector("output_norm.weight", model.width, 0.6 if model.tied else 1)
    n_rot = model.keys.get("rope.dimension_count", model.head_dim)
    for i, name in enumerate(model.factors):
        yield vector(f"{name}.weight", n_rot // 2, 4 * (i + 1), 3)
    for layer in range(model.layers):
        p = f"blk.{layer}."
        for norm, post in (("attn_norm", "post_attention_norm"), ("ffn_norm", "post_ffw_norm")):
            if model.pre_norms:
                yield vector(f"{p}{norm}.weight", model.width)
            if model.post_norms:
                yield vector(f"{p}{post}.weight", model.width)
        parts = [matrix(f"{p}attn_q", q, model.width, 1.5), matrix(f"{p}attn_k", kv, model.width),
                 matrix(f"{p}attn_v", kv, model.width)]
        if model.fused_qkv:
            yield f"{p}attn_qkv.weight", np.concatenate([part for _, part in parts])
        else:
            yield from parts
        if model.qkv_biases:
            yield from (vector(f"{p}attn_{n}.bias", rows, 0, 0.5) for n, rows in (("q", q), ("k", kv), ("v", kv)))
        if model.qk_norm:
            whole = model.qk_norm == "row"
            yield vector(f"{p}attn_q_norm.weight", q if whole else model.head_dim, 1.8)
            yield vector(f"{p}attn_k_norm.weight", kv if whole else model.head_dim, 1.8)
        yield matrix(f"{p}attn_output", model.width, q, 2)
        gate, up = matrix(f"{p}ffn_gate", model.hidden, model.width), matrix(f"{p}ffn_up", model.hidden, model.width)
        if model.fused_up:
            yield up[0], np.concatenate([gate[1], up[1]])
        else:
            yield from ([gate, up] if model.gated else [up])
        yield matrix(f"{p}ffn_down", model.width, model.hidden, 2)


def _text(text):
    encoded = text.encode()
    return struct.pack("<Q", len(encoded)) + encoded


def _entry(key, value):
    if isinstance(value, str):
        kind, body = STRING, _text(value)
    elif isinstance(value, bool):
        kind, body = BOOL, struct.pack("<?", value)
    elif isinstance(value, float):
        kind, body = F32, struct.pack("<f", value)
    elif isinstance(value, int):
        kind, body = U32, struct.pack("<I", value)
    else:
        element = STRING if isinstance(value[0], str) else I32
        items = b"".join(map(_text, value)) if element == STRING else struct.pack(f"<{len(value)}i", *value)
        kind, body = ARRAY, struct.pack("<IQ", element, len(value)) + items
    return _text(key) + struct.pack("<I", kind) + body


def spelled_bytes():
    """How byte-level vocabularies spell each byte."""
    printable = [*range(33, 127), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    spelled = {byte: chr(byte) for byte in printable} | {byte: chr(256 + i) for i, byte in enumerate(others)}
    return [spelled[byte] for byte in range(256)]


def _vocabulary(size):
    """Byte-level: every byte, one merge, words that no text has, and the end."""
    words = [*spelled_bytes(), "zq"]
    words += [f"word{i}" for i in range(size - len(words) - 1)]
    return words + ["<|endoftext|>"], [1] * (size - 1) + [3], ["z q"]


def write(path, model, vocabulary=None):
    """`vocabulary`: as many tokens as the model has, their kinds, merges."""
    tokens, kinds, merges = vocabulary or _vocabulary(model.vocabulary)
    own = {
        "context_length": model.context, "embedding_length": model.width, "block_count": model.layers,
        "feed_forward_length": model.hidden, "attention.head_count": model.heads,
        "attention.head_count_kv": model.kv_heads, "attention.key_length": model.head_dim,
        "attention.value_length": model.head_dim, "attention.layer_norm_rms_epsilon": 1e-5, "rope.freq_base": 10000.0,
        "rope.dimension_count": model.head_dim, "vocab_size": model.vocabulary, **model.keys,
    }
    entries = {
        "general.architecture": model.architecture,
        **{f"{model.architecture}.{key}": value for key, value in own.items()},
        "tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": model.pre_tokenizer, "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": kinds, "tokenizer.ggml.merges": merges,
        "tokenizer.ggml.bos_token_id": model.vocabulary - 1, "tokenizer.ggml.eos_token_id": model.vocabulary - 1,
    }
    infos, data = [], b""
    for name, values in tensors(model):
        stored = values.astype("<f4").tobytes()
        sizes = values.shape[::-1]
        infos.append(_text(name) + struct.pack(f"<I{len(sizes)}QIQ", len(sizes), *sizes, 0, len(data)))
        data += stored + bytes(-len(stored) % ALIGNMENT)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(infos), len(entries))
    head += b"".join(_entry(key, value) for key, value in entries.items()) + b"".join(infos)
    with open(path, "wb") as file:
        file.write(head + bytes(-len(head) % ALIGNMENT) + data)
