"""The models of tests/lanes/world: published configurations, shrunk.

Each form is the config.json of a published model with the settings that decide what is computed, and with other sizes: rows are
multiples of 256, as K-quants need them, windows and contexts are short, and layers are as few as show every kind of layer, except
where the number of layers itself decides what llama.cpp computes. Scales that make the logits of random weights flat are moderate."""
import dataclasses

VOCABULARY = 512
WIDTH = 256
WINDOW = 64
ORIGINAL = 256  # the context before a scaling of the rotation; llama-server rounds contexts up to a multiple of 256
LAST = 400      # the number of tokens of the longest text
EMBEDDED = "Two texts are near each other, zq, where their vectors are."

COMMON = {
    "vocab_size": VOCABULARY, "hidden_size": WIDTH, "intermediate_size": 512, "num_hidden_layers": 4, "num_attention_heads": 4,
    "num_key_value_heads": 2, "max_position_embeddings": 512, "rms_norm_eps": 1e-5, "hidden_act": "silu", "bos_token_id": 1,
    "eos_token_id": 2, "pad_token_id": 2, "rope_theta": 10000.0, "tie_word_embeddings": False, "torch_dtype": "float32",
}


@dataclasses.dataclass(frozen=True)
class Form:
    published: str  # the model whose settings these are
    config: dict    # config.json
    # transformers' config of the same model, where its class is not transformers'; see make.py for what `scales` does then.
    stand_in: dict = None
    scales: dict = None
    tokenizer: str = "bpe"  # "bpe": byte-level; "spm": SentencePiece
    files: dict = dataclasses.field(default_factory=dict)  # a model for embeddings: how it pools, path and contents
    add_eos: bool = False
    contexts: tuple = (512,)
    window: int = 0
    keys: dict = dataclasses.field(default_factory=dict)  # added to the converted file, as other converters do
    refused: str = ""    # what llmd's refusal names
    # Where llama.cpp and transformers differ: which one llmd agrees with, "llama.cpp" or "transformers", and why.
    differs: tuple = ()


def config(architecture, model_type, **own):
    return {"architectures": [architecture], "model_type": model_type, **COMMON, **own}


def llama(**own):
    return config("LlamaForCausalLM", "llama", **own)


def llama3(factor, original=64):
    return {"rope_type": "llama3", "factor": factor, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
            "original_max_position_embeddings": original}


def yarn(factor, original=64, **own):
    return {"rope_type": "yarn", "factor": factor, "original_max_position_embeddings": original, **own}


def longrope(n_rotated):
    n = n_rotated // 2
    return {"type": "longrope", "short_factor": [1.0 + 0.5 * i / n for i in range(n)],
            "long_factor": [1.0 + 7.0 * (i / n) ** 2 for i in range(n)]}


def every(period, n_layers, kinds=("sliding_attention", "full_attention")):
    """Layer kinds: the last of each period is another one."""
    return [kinds[(i + 1) % period == 0] for i in range(n_layers)]


NARROW = {"hidden_size": 128, "intermediate_size": 256, "num_attention_heads": 2, "num_key_value_heads": 1}
def unknown(architecture):
    return f'general.architecture is "{architecture}"'


LONG = {"max_position_embeddings": 2048, "original_max_position_embeddings": ORIGINAL}
PHI3 = config("Phi3ForCausalLM", "phi3", num_key_value_heads=4, original_max_position_embeddings=512, rope_scaling=None,
              sliding_window=None)
GRANITE = config("GraniteForCausalLM", "granite", rope_theta=1e7, tie_word_embeddings=True, attention_bias=False, mlp_bias=False,
                 embedding_multiplier=6.0, attention_multiplier=0.15, residual_multiplier=0.5, logits_scaling=0.7)
MINICPM = {"scale_emb": 3, "scale_depth": 1.4, "dim_model_base": 128}
MINICPM_CONFIG = config("MiniCPMForCausalLM", "minicpm", **MINICPM, tie_word_embeddings=True)
MINICPM_ROPE = {**longrope(64), "rope_type": "longrope", "original_max_position_embeddings": 512}
TIED = llama(tie_word_embeddings=True)
GEMMA = {"hidden_activation": "gelu_pytorch_tanh", "head_dim": 128, "num_attention_heads": 2, "rms_norm_eps": 1e-6, "bos_token_id": 2,
         "eos_token_id": 1, "tie_word_embeddings": True, "query_pre_attn_scalar": 128, "sliding_window": WINDOW}
GEMMA3 = config("Gemma3ForCausalLM", "gemma3_text", **{
    **GEMMA, "num_key_value_heads": 1, "num_hidden_layers": 7, "rope_theta": 1000000.0, "rope_local_base_freq": 10000.0,
    "layer_types": every(6, 7), "sliding_window_pattern": 6})
RNJ1 = {key: value for key, value in GEMMA3.items() if key not in ("layer_types", "rope_local_base_freq")} | {
    "sliding_window_pattern": 1, "rope_theta": 10000.0, "final_logit_softcapping": 30.0, "num_hidden_layers": 4}
QWEN2 = config("Qwen2ForCausalLM", "qwen2", rms_norm_eps=1e-6, rope_theta=1000000.0, sliding_window=32768, use_sliding_window=False,
               max_window_layers=21, tie_word_embeddings=True)
QWEN3 = config("Qwen3ForCausalLM", "qwen3", rms_norm_eps=1e-6, rope_theta=1000000.0, head_dim=128, attention_bias=False,
               sliding_window=None, use_sliding_window=False, max_window_layers=28, tie_word_embeddings=True)
LFM2 = config("Lfm2ForCausalLM", "lfm2", num_hidden_layers=6, norm_eps=1e-5, rope_theta=1000000.0, conv_bias=False, conv_L_cache=3,
              layer_types=["conv", "conv", "full_attention", "conv", "full_attention", "conv"], block_dim=WIDTH, conv_dim=WIDTH,
              block_ff_dim=512, block_multiple_of=256, block_ffn_dim_multiplier=1.0, block_auto_adjust_ff_dim=True,
              tie_embedding=True, tie_word_embeddings=True)
OLMO2 = config("Olmo2ForCausalLM", "olmo2", num_key_value_heads=4, rms_norm_eps=1e-6, rope_theta=500000.0, rope_scaling=None,
               attention_bias=False)
EXAONE4 = config("Exaone4ForCausalLM", "exaone4", rope_theta=1000000.0, rope_scaling=llama3(16.0), head_dim=64,
                 num_hidden_layers=4, sliding_window=None, sliding_window_pattern=None, layer_types=["full_attention"] * 4,
                 tie_word_embeddings=True)
MINISTRAL = config("Ministral3ForCausalLM", "ministral3", head_dim=64, sliding_window=None, tie_word_embeddings=True, rope_parameters={
    "type": "yarn", "rope_type": "yarn", "rope_theta": 1000000.0, "factor": 16.0, "original_max_position_embeddings": 64,
    "beta_fast": 32.0, "beta_slow": 1.0, "mscale": 1.0, "mscale_all_dim": 1.0, "llama_4_scaling_beta": 0.1})
MODULES = {
    "modules.json": [
        {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
        {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}],
    "1_Pooling/config.json": {"word_embedding_dimension": WIDTH, "pooling_mode_cls_token": False, "pooling_mode_mean_tokens": False,
                              "pooling_mode_lasttoken": True, "include_prompt": True},
}

FORMS = {
    "phi-3-mini": Form("microsoft/Phi-3-mini-4k-instruct", PHI3 | {"sliding_window": 256}, tokenizer="spm", window=256, differs=(
        "transformers", "llama.cpp ignores the windows of phi3 (src/models/phi3.cpp)")),
    "phi-3.5-mini": Form("microsoft/Phi-3.5-mini-instruct", PHI3 | LONG | {"sliding_window": 2048, "rope_scaling": longrope(64)},
                         tokenizer="spm", contexts=(ORIGINAL, 1024)),
    "phi-4-mini": Form("microsoft/Phi-4-mini-instruct", PHI3 | LONG | {
        "num_key_value_heads": 2, "partial_rotary_factor": 0.75, "tie_word_embeddings": True, "sliding_window": 2048,
        "rope_scaling": longrope(48)}, contexts=(ORIGINAL, 1024)),
    "granite-3.3-2b": Form("ibm-granite/granite-3.3-2b-instruct", GRANITE),
    "granite-4.0-1b": Form("ibm-granite/granite-4.0-1b", {k: v for k, v in GRANITE.items() if k != "mlp_bias"} | {
        "architectures": ["GraniteMoeHybridForCausalLM"], "model_type": "granitemoehybrid", "layer_types": ["attention"] * 4,
        "shared_intermediate_size": 512, "num_local_experts": 0, "num_experts_per_tok": 0, "position_embedding_type": "rope",
        "mamba_n_heads": 8, "mamba_d_head": 64, "mamba_d_state": 16, "mamba_d_conv": 4, "mamba_expand": 2, "mamba_n_groups": 1,
        "mamba_chunk_size": 256, "mamba_conv_bias": True, "mamba_proj_bias": False, "normalization_function": "rmsnorm"}),
    "granite-mlp-bias": Form("none known", GRANITE | {"mlp_bias": True}),
    "minicpm-2b": Form("openbmb/MiniCPM-2B-sft-bf16", MINICPM_CONFIG | {"num_key_value_heads": 4}, tokenizer="spm",
                       stand_in=TIED | {"num_key_value_heads": 4}, scales=MINICPM),
    "minicpm-1b": Form("openbmb/MiniCPM-1B-sft-bf16", MINICPM_CONFIG, tokenizer="spm", stand_in=TIED, scales=MINICPM),
    "minicpm4-0.5b": Form("openbmb/MiniCPM4-0.5B", MINICPM_CONFIG | {
        "rope_scaling": MINICPM_ROPE}, tokenizer="spm", stand_in=TIED | {"rope_scaling": MINICPM_ROPE}, scales=MINICPM),
    "minicpm5-1b": Form("openbmb/MiniCPM5-1B", llama(head_dim=64, rope_theta=1e6, tie_word_embeddings=True)),
    "exaone-4.0-1.2b": Form("LGAI-EXAONE/EXAONE-4.0-1.2B", EXAONE4),
    # llama.cpp takes the windows of 64 layers only. These are narrow, so that llama-quantize takes other types for some matrices.
    "exaone-4.0-32b": Form("LGAI-EXAONE/EXAONE-4.0-32B", EXAONE4 | {
        **NARROW, "num_hidden_layers": 64, "sliding_window": WINDOW, "sliding_window_pattern": "LLLG",
        "layer_types": every(4, 64), "tie_word_embeddings": False}, window=WINDOW),
    "exaone-4.0-windows": Form("none known", EXAONE4 | {
        "sliding_window": WINDOW, "sliding_window_pattern": "LLLG", "layer_types": every(4, 4)}, window=WINDOW, differs=(
            "transformers", "llama.cpp takes the windows of 64 layers only (src/models/exaone4.cpp)")),
    "gemma-2-2b": Form("google/gemma-2-2b-it", config("Gemma2ForCausalLM", "gemma2", **GEMMA, attn_logit_softcapping=50.0,
                                                      final_logit_softcapping=30.0), tokenizer="spm", window=WINDOW),
    "gemma-3-270m": Form("google/gemma-3-270m-it", GEMMA3, tokenizer="spm", window=WINDOW),
    "gemma-3-1b": Form("google/gemma-3-1b-it", GEMMA3 | {"num_hidden_layers": 8, "layer_types": every(6, 8)}, tokenizer="spm",
                       window=WINDOW),
    "gemma-3-4b": Form("google/gemma-3-4b-it", GEMMA3 | {
        "rope_scaling": {"rope_type": "linear", "factor": 8.0}, "num_key_value_heads": 2}, tokenizer="spm", window=WINDOW),
    # Here 62 layers mean another scale of scores: of a model's width by its heads.
    "gemma-3-27b": Form("google/gemma-3-27b-it", GEMMA3 | {
        "rope_scaling": {"rope_type": "linear", "factor": 8.0}, **NARROW, "num_hidden_layers": 62,
        "layer_types": every(6, 62), "head_dim": 128, "query_pre_attn_scalar": 64},
        tokenizer="spm", window=WINDOW),
    # The betas are others than YaRN's usual ones, by which llama.cpp computes; and the same model without them, for all else.
    "rnj-1": Form("EssentialAI/rnj-1-instruct", RNJ1 | {
        "rope_scaling": yarn(4.0, ORIGINAL, beta_fast=8.0, beta_slow=1.0)}, differs=(
            "transformers", "llama.cpp does not read the betas of gemma3's YaRN (src/models/gemma3.cpp)")),
    "rnj-1-usual-betas": Form("EssentialAI/rnj-1-instruct", RNJ1 | {"rope_scaling": yarn(4.0)}),
    "qwen2.5-0.5b": Form("Qwen/Qwen2.5-0.5B-Instruct", QWEN2),
    "qwen2.5-coder-7b": Form("Qwen/Qwen2.5-Coder-7B-Instruct", QWEN2 | {"tie_word_embeddings": False}),
    "qwen2.5-7b-yarn": Form("Qwen/Qwen2.5-7B-Instruct, with the scaling that its card gives for long texts", QWEN2 | {
        "tie_word_embeddings": False, "rope_scaling": yarn(4.0)}),
    "qwen3-0.6b": Form("Qwen/Qwen3-0.6B", QWEN3),
    "qwen3-8b": Form("Qwen/Qwen3-8B", QWEN3 | {"tie_word_embeddings": False, "head_dim": 64}),
    "qwen3-embedding-0.6b": Form("Qwen/Qwen3-Embedding-0.6B", QWEN3, files=MODULES, add_eos=True),
    "llama-2-7b": Form("meta-llama/Llama-2-7b-chat-hf", llama(num_key_value_heads=4), tokenizer="spm"),
    "llama-3.2-1b": Form("meta-llama/Llama-3.2-1B-Instruct", llama(head_dim=64, rope_theta=500000.0, rope_scaling=llama3(32.0),
                                                                   tie_word_embeddings=True)),
    "llama-yarn": Form("NousResearch/Yarn-Llama-2-7b-64k", llama(rope_scaling=yarn(8.0), num_key_value_heads=4), tokenizer="spm"),
    "llama-linear": Form("lmsys/vicuna-7b-v1.5-16k", llama(rope_scaling={"rope_type": "linear", "factor": 4.0}, num_key_value_heads=4),
                         tokenizer="spm"),
    "llama-mlp-bias": Form("none known", llama(mlp_bias=True, attention_bias=True)),
    "tinyllama-1.1b": Form("TinyLlama/TinyLlama-1.1B-Chat-v1.0", llama(num_attention_heads=8, num_key_value_heads=1), tokenizer="spm"),
    "smollm2-135m": Form("HuggingFaceTB/SmolLM2-135M-Instruct", llama(num_key_value_heads=1, rope_theta=100000.0,
                                                                      tie_word_embeddings=True)),
    "smollm3-3b": Form("HuggingFaceTB/SmolLM3-3B", config(
        "SmolLM3ForCausalLM", "smollm3", num_hidden_layers=5, rope_theta=5000000.0, no_rope_layers=[1, 1, 1, 0, 1],
        no_rope_layer_interval=4, use_sliding_window=False, sliding_window=None, layer_types=["full_attention"] * 5,
        attention_bias=False, mlp_bias=False, tie_word_embeddings=True)),
    "lfm2-350m": Form("LiquidAI/LFM2-350M", LFM2),
    "lfm2-1.2b": Form("LiquidAI/LFM2-1.2B", LFM2 | {"block_ff_dim": 1024, "layer_types": [
        "conv", "full_attention", "conv", "conv", "full_attention", "full_attention"]}),
    "lfm2.5-1.2b": Form("LiquidAI/LFM2.5-1.2B-Instruct", LFM2 | {
        "block_ff_dim": 512, "block_auto_adjust_ff_dim": False, "num_key_value_heads": 1}),
    "mistral-7b-v0.3": Form("mistralai/Mistral-7B-Instruct-v0.3", config(
        "MistralForCausalLM", "mistral", rope_theta=1000000.0, sliding_window=None), tokenizer="spm"),
    "mistral-7b-v0.1": Form("mistralai/Mistral-7B-Instruct-v0.1", config("MistralForCausalLM", "mistral", sliding_window=256),
                            tokenizer="spm", differs=("llama.cpp", "the converter does not write the window of this architecture")),
    "ministral-3-3b": Form("mistralai/Ministral-3-3B-Instruct-2512", MINISTRAL, contexts=(1024,)),
    "olmo-2-1b": Form("allenai/OLMo-2-0425-1B-Instruct", OLMO2),
    "olmo-3-7b": Form("allenai/Olmo-3-7B-Instruct", OLMO2 | {
        "architectures": ["Olmo3ForCausalLM"], "model_type": "olmo3", "sliding_window": WINDOW, "num_hidden_layers": 5,
        "layer_types": every(4, 5), "rope_scaling": yarn(8.0, attention_factor=1.2079441541679836, beta_fast=32.0, beta_slow=1.0)},
        window=WINDOW, differs=("llama.cpp", "transformers 5.12 scales the rotation of local layers too; OLMo 3 does that of global "
                                "layers only")),
    "hunyuan-0.5b": Form("tencent/Hunyuan-0.5B-Instruct", config(
        "HunYuanDenseV1ForCausalLM", "hunyuan_v1_dense", head_dim=64, attention_bias=False, use_qk_norm=True, tie_word_embeddings=True,
        max_position_embeddings=262144, eod_token_id=2, rope_scaling={
            "type": "dynamic", "alpha": 1000.0, "factor": 1.0, "beta_fast": 32, "beta_slow": 1, "mscale": 1.0, "mscale_all_dim": 1.0})),
    "ernie-4.5-0.3b": Form("baidu/ERNIE-4.5-0.3B-PT", config("Ernie4_5ForCausalLM", "ernie4_5", head_dim=128, rope_theta=500000.0,
                                                             use_bias=False, tie_word_embeddings=True), tokenizer="spm"),
    "ernie-bias": Form("none known", config("Ernie4_5ForCausalLM", "ernie4_5", head_dim=64, rope_theta=500000.0, use_bias=True,
                                            tie_word_embeddings=True), tokenizer="spm",
                       differs=("transformers", "llama.cpp has no biases of ERNIE's feed-forward layers, and refuses them")),
    "afm-4.5b": Form("arcee-ai/AFM-4.5B", config(
        "ArceeForCausalLM", "arcee", hidden_act="relu2", head_dim=64, attention_bias=False, mlp_bias=False, rope_scaling=yarn(
            20.0, beta_fast=32.0, beta_slow=1.0, mscale=1.0), max_position_embeddings=1280)),
    "gpt2": Form("openai-community/gpt2", {
        "architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "vocab_size": VOCABULARY, "n_ctx": 512, "n_positions": 512,
        "n_embd": WIDTH, "n_layer": 4, "n_head": 4, "layer_norm_epsilon": 1e-5, "activation_function": "gelu_new",
        "bos_token_id": VOCABULARY - 1, "eos_token_id": VOCABULARY - 1}),
    "deepseek-r1-qwen-1.5b": Form("deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B", QWEN2 | {
        "tie_word_embeddings": False, "rope_theta": 10000.0, "use_mrope": False}),
    "deepseek-r1-llama-8b": Form("deepseek-ai/DeepSeek-R1-Distill-Llama-8B", llama(head_dim=64, rope_theta=500000.0,
                                                                                   rope_scaling=llama3(8.0))),
    "falcon3-1b": Form("tiiuae/Falcon3-1B-Instruct", llama(head_dim=128, num_attention_heads=2, num_key_value_heads=1,
                                                           rope_theta=1000042.0)),
    "yi-6b": Form("01-ai/Yi-6B-Chat", llama(num_key_value_heads=1, rope_theta=5000000.0), tokenizer="spm"),
    "internlm3-8b": Form("internlm/internlm3-8b-instruct", config(
        "InternLM3ForCausalLM", "internlm3", head_dim=64, bias=False, qkv_bias=False, rope_theta=50000000.0,
        rope_scaling={"factor": 6.0, "rope_type": "dynamic"}), tokenizer="spm",
        stand_in=llama(head_dim=64, rope_theta=50000000.0)),

    # What llmd does not run.
    "qwen3-hadamard": Form("files of quantizers that rotate weights", QWEN3, keys={"prism.hadamard.version": 1},
                           refused="prism.hadamard.version"),
    "qwen3-30b-a3b": Form("Qwen/Qwen3-30B-A3B", QWEN3 | {
        "architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe", "tie_word_embeddings": False, "num_experts": 4,
        "num_experts_per_tok": 2, "moe_intermediate_size": 256, "decoder_sparse_step": 1, "mlp_only_layers": [],
        "norm_topk_prob": True}, refused=unknown("qwen3moe")),
    "mixtral-8x7b": Form("mistralai/Mixtral-8x7B-Instruct-v0.1", config(
        "MixtralForCausalLM", "mixtral", num_local_experts=4, num_experts_per_tok=2), tokenizer="spm", refused="expert_count"),
    "gemma-2b": Form("google/gemma-2b-it", config("GemmaForCausalLM", "gemma", **GEMMA), tokenizer="spm", refused=unknown("gemma")),
    "starcoder2-3b": Form("bigcode/starcoder2-3b", config(
        "Starcoder2ForCausalLM", "starcoder2", norm_epsilon=1e-5, hidden_act="gelu_pytorch_tanh", use_bias=True, sliding_window=None),
        refused=unknown("starcoder2")),
    "phi-2": Form("microsoft/phi-2", config("PhiForCausalLM", "phi", num_key_value_heads=4, partial_rotary_factor=0.5,
                                            layer_norm_eps=1e-5, hidden_act="gelu_new"), refused=unknown("phi2")),
    "olmo-1b": Form("allenai/OLMo-1B-hf", config("OlmoForCausalLM", "olmo", clip_qkv=None, attention_bias=False), refused=unknown("olmo")),
    "command-r7b": Form("CohereLabs/c4ai-command-r7b-12-2024", config(
        "Cohere2ForCausalLM", "cohere2", sliding_window=WINDOW, layer_norm_eps=1e-5, rotary_pct=1.0, logit_scale=0.25, head_dim=64,
        layer_types=every(4, 4), tie_word_embeddings=True), refused=unknown("cohere2")),
}
