"""Models as files say what they are, and small ones with random weights, one for each architecture, with everything on that its
files may have: the values are halves, gains make attention far from uniform and logits spread. A tensor's weights depend on its
name alone, so a model without one of its settings has the other weights unchanged."""
import dataclasses
import zlib

import gguf_writer
from gguf_writer import spelled_bytes

WHOLE_WORD = 300  # a token that is text by itself
F32, F16 = 0, 1   # GGUF's tensor types


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
    learned_positions: bool = False
    biases: bool = False  # of norms and matmuls
    qk_norm: str = ""  # "head", "row"
    pre_norms: bool = True
    post_norms: bool = False
    gated: bool = True
    fused_qkv: bool = False
    fused_up: bool = False
    tied: bool = True
    convolutions: tuple = ()  # layers
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
             keys={"rope.scaling.original_context_length": 128, "rope.scaling.attn_factor": 1.3, "rope.dimension_count": 24,
                   "attention.sliding_window": 0})
SMOLLM3 = Model("smollm3")

GRANITE = Model("granite", keys={"embedding_scale": 2.0, "residual_scale": 0.6, "attention.scale": 0.3, "logit_scale": 0.7})
LOCAL = {"attention.sliding_window": 48, "rope.freq_base": 1000.0, "rope.freq_base_swa": 100.0}
GEMMA2 = Model("gemma2", post_norms=True, head_dim=64, keys={
    **LOCAL, "attn_logit_softcapping": 1.0, "final_logit_softcapping": 6.0})
GEMMA3 = Model("gemma3", post_norms=True, head_dim=64, layers=7, qk_norm="head", keys={
    **LOCAL, "attention.sliding_window_pattern": 3, "rope.scaling.type": "linear", "rope.scaling.factor": 3.0})

LFM2 = Model("lfm2", heads=4, head_dim=32, layers=5, qk_norm="head", convolutions=(0, 1, 3), keys={
    "shortconv.l_cache": 3, "attention.sliding_window": 48})

# {architecture: (model, {setting: the same model without it})}
MODELS = {
    "qwen3": (QWEN3, {"norms of heads": QWEN3.without(architecture="qwen2", qk_norm="")}),
    "arcee": (Model("arcee", gated=False), {}),
    "ernie4_5": (Model("ernie4_5"), {"interleaved rotation": Model("qwen2")}),
    "exaone4": (EXAONE4, {"rope factors": EXAONE4.without(factors=()),
                          "post-norms alone": EXAONE4.without(architecture="qwen3", pre_norms=True, post_norms=False)}),
    "hunyuan-dense": (HUNYUAN, {"norms after rotation": HUNYUAN.without(architecture="qwen3")}),
    "lfm2": (LFM2, {"window": LFM2.without(keys={"attention.sliding_window": None}),
                    "third tap": LFM2.without(keys={"shortconv.l_cache": 2}),
                    "a convolution": LFM2.without(convolutions=(0, 3))}),
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
    """(name, shape, middle, spread) of every tensor: its rows and columns, or the length of a vector; its values are uniform
    between middle - spread and middle + spread."""
    q, kv = model.heads * model.head_dim, model.kv_heads * model.head_dim

    def matrix(name, rows, columns, gain=1.0):
        # A uniform number in [-s, s] has the variance s^2 / 3, and a matmul of width K keeps it for s = sqrt(3 / K).
        yield name + ".weight", (rows, columns), 0, gain * (3 / columns) ** 0.5
        if model.biases:
            yield name + ".bias", (rows,), 0, 0.5

    def norm(name, size, middle=1.0):
        yield name + ".weight", (size,), middle, 0.4
        if model.biases:
            yield name + ".bias", (size,), 0, 0.4

    def convolution(p):
        yield from matrix(p + "shortconv.in_proj", 3 * model.width, model.width)
        yield p + "shortconv.conv.weight", (model.width, model.keys["shortconv.l_cache"]), 0, 1
        yield from matrix(p + "shortconv.out_proj", model.width, model.width, 2)

    def attention(p):
        if model.fused_qkv:
            yield from matrix(p + "attn_qkv", q + 2 * kv, model.width, 1.2)
        else:
            yield from matrix(p + "attn_q", q, model.width, 1.5)
            yield from matrix(p + "attn_k", kv, model.width)
            yield from matrix(p + "attn_v", kv, model.width)
        if model.qk_norm:
            whole = model.qk_norm == "row"
            yield from norm(p + "attn_q_norm", q if whole else model.head_dim, 1.8)
            yield from norm(p + "attn_k_norm", kv if whole else model.head_dim, 1.8)
        yield from matrix(p + "attn_output", model.width, q, 2)

    yield "token_embd.weight", (model.vocabulary, model.width), 0, 0.4
    if model.learned_positions:
        yield "position_embd.weight", (model.context, model.width), 0, 0.4
    if not model.tied:
        yield "output.weight", (model.vocabulary, model.width), 0, 1.5 * (3 / model.width) ** 0.5
    yield from norm("token_embd_norm" if model.convolutions else "output_norm", model.width, 0.6 if model.tied else 1)
    n_rot = model.keys.get("rope.dimension_count", model.head_dim)
    for i, name in enumerate(model.factors):
        yield f"{name}.weight", (n_rot // 2,), 4 * (i + 1), 3
    for layer in range(model.layers):
        p = f"blk.{layer}."
        for before, behind in (("attn_norm", "post_attention_norm"), ("ffn_norm", "post_ffw_norm")):
            if model.pre_norms:
                yield from norm(p + before, model.width)
            if model.post_norms:
                yield from norm(p + behind, model.width)
        yield from convolution(p) if layer in model.convolutions else attention(p)
        if model.gated and not model.fused_up:
            yield from matrix(p + "ffn_gate", model.hidden, model.width)
        yield from matrix(p + "ffn_up", (2 if model.fused_up else 1) * model.hidden, model.width)
        yield from matrix(p + "ffn_down", model.width, model.hidden, 2)


def is_matrix(name, shape):
    """Whether files of another type than F32 store the tensor in it: vectors, positions and taps of convolutions stay F32."""
    return len(shape) > 1 and not name.endswith(("position_embd.weight", "conv.weight"))


def values(name, shape, middle, spread):
    import numpy as np  # not needed for what a model is
    noise = np.random.default_rng([7, zlib.crc32(name.encode())])
    if name.endswith("conv.weight"):  # another number of taps leaves those of the last positions
        drawn = noise.uniform(-1, 1, shape[::-1])[::-1].T
    else:
        drawn = noise.uniform(-1, 1, shape)
    # A GPU holds F32 as F16: with numbers that are halves it computes the same model, and so has a file of F16.
    return (middle + spread * drawn).astype("<f2")


def byte_vocabulary(size):
    """Tokens, kinds and merges: every byte, one merge, words that no text has, and the end."""
    words = [*spelled_bytes(), "zq"]
    words += [f"word{i}" for i in range(size - len(words) - 1)]
    return words + ["<|endoftext|>"], [1] * (size - 1) + [3], ["z q"]


def entries(model, vocabulary=None):
    """The file's keys. `vocabulary`: as many tokens as the model has, their kinds, merges."""
    tokens, kinds, merges = vocabulary or byte_vocabulary(model.vocabulary)
    n_kv_heads = [0 if layer in model.convolutions else model.kv_heads for layer in range(model.layers)]
    own = {
        "context_length": model.context, "embedding_length": model.width, "block_count": model.layers,
        "feed_forward_length": model.hidden, "attention.head_count": model.heads,
        "attention.head_count_kv": n_kv_heads if model.convolutions else model.kv_heads,
        "attention.key_length": model.head_dim, "attention.value_length": model.head_dim,
        f"attention.layer_norm_{'' if model.biases else 'rms_'}epsilon": 1e-5, "rope.freq_base": 10000.0,
        "rope.dimension_count": model.head_dim, "vocab_size": model.vocabulary, **model.keys,
    }
    return {
        "general.architecture": model.architecture,
        **{f"{model.architecture}.{key}": value for key, value in own.items()},
        "tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": model.pre_tokenizer, "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": kinds, "tokenizer.ggml.merges": merges,
        "tokenizer.ggml.bos_token_id": model.vocabulary - 1, "tokenizer.ggml.eos_token_id": model.vocabulary - 1,
    }


def write(path, model, vocabulary=None, matrices=F32):
    """`matrices`: F32 or F16, the type of the matrices, which holds the same numbers; the other tensors are F32."""
    def stored(name, shape, *more):
        kind = matrices if is_matrix(name, shape) else F32
        return name, shape, kind, [values(name, shape, *more).astype("<f4" if kind == F32 else "<f2").tobytes()]

    gguf_writer.write(path, entries(model, vocabulary), [stored(*tensor) for tensor in tensors(model)])
