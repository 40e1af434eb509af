"""make.py CONVERTER WORK FORM ...: writes the models of forms.py as files of the published form and converts them. Runs inside a
Debian root that has transformers, sentencepiece and llama.cpp's converter, the script CONVERTER.

For each form, the directory WORK/FORM gets f32.gguf, f16.gguf and bf16.gguf of the converter, and reference.json: the token ids of
a text and transformers' own log-probabilities of every next token after the first n of them, in F32; of a model for embeddings, the
vector of a text too. What is there already, of the
same form and script, stays. The tokenizer is a small one of the form's kind. How the converter recognises published ones, by a
hash, is replaced, because tokenizers are not judged here; everything else in it is unchanged."""
import hashlib
import importlib.util
import json
import pathlib
import random
import shutil
import struct
import sys
import zlib

import forms
import tokenizers
import torch
import transformers

SEED = 20
HERE = pathlib.Path(__file__).resolve()
sys.path.insert(1, str(HERE.parents[1] / "lanes"))
from gguf_writer import spelled_bytes  # noqa: E402


def write_json(path, contents):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(contents))


def words(n):
    return [f"word{i}" for i in range(n)]


def write_bpe(directory, form):
    """Every byte, one merge, words that no text has, and the end."""
    names = [*spelled_bytes(), "zq"]
    names += words(forms.VOCABULARY - len(names) - 1)
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE({name: i for i, name in enumerate(names)}, [("z", "q")]))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    end = "<|endoftext|>"
    tokenizer.add_special_tokens([end])
    tokenizer.save(str(directory / "tokenizer.json"))
    write_json(directory / "tokenizer_config.json", {
        "tokenizer_class": "GPT2Tokenizer" if form.config["model_type"] == "phi3" else "PreTrainedTokenizerFast", "eos_token": end,
        "bos_token": end, **({"add_eos_token": True} if form.add_eos else {})})
    return names.index("word40")


def write_spm(directory, _):
    """SentencePiece's model: a message of pieces (field 1: text, score, kind), the trainer's settings (2: of BPE, with bytes), and
    the normalizer's (3). https://github.com/google/sentencepiece/blob/master/src/sentencepiece_model.proto"""
    normal, unknown, control, byte = 1, 2, 3, 6
    pieces = [("<unk>", 0, unknown), ("<s>", 0, control), ("</s>", 0, control)]
    pieces += [(f"<0x{i:02X}>", 0, byte) for i in range(256)]
    texts = ["\u2581", *(chr(i) for i in range(33, 127))]
    texts += [f"\u2581{word}" for word in words(forms.VOCABULARY - len(pieces) - len(texts))]
    pieces += [(text, -float(i), normal) for i, text in enumerate(texts)]

    def field(number, contents):
        size = len(contents)
        head = [number << 3 | 2, *([size] if size < 128 else [size & 127 | 128, size >> 7])]
        return bytes(head) + contents

    def piece(text, score, kind):
        return field(1, text.encode()) + b"\x15" + struct.pack("<f", score) + bytes([3 << 3, kind])

    trainer = bytes([3 << 3, 2]) + b"\x98\x02\x01"  # model_type: BPE; byte_fallback (field 35)
    model = b"".join(field(1, piece(*one)) for one in pieces) + field(2, trainer) + field(3, field(1, b"identity"))
    (directory / "tokenizer.model").write_bytes(model)
    write_json(directory / "tokenizer_config.json", {"tokenizer_class": "LlamaTokenizer", "bos_token": "<s>", "eos_token": "</s>",
                                                     "unk_token": "<unk>"})
    return next(i for i, one in enumerate(pieces) if one[0].endswith("word40"))


DEEP = 20  # layers


def spread_of(name, shape, config):
    """(middle, spread) of a parameter's uniform values, which make attention far from uniform and logits spread: as those of
    tests/lanes/random_gguf.py, where the reasons are. What many layers add is less, and their attention less sharp, so that they do
    not amplify what is rounded in any program."""
    gemma = config.model_type.startswith("gemma")
    deep = config.num_hidden_layers > DEEP
    part = name.split(".")[-2]
    if name.endswith(".bias"):
        return 0, 0.5
    if part in ("embed_tokens", "wte", "wpe"):
        return 0, 0.4
    if "norm" in part or part.startswith("ln_"):
        middle, spread = 1.0, 0.4
        if part in ("q_norm", "k_norm", "q_layernorm", "k_layernorm", "query_layernorm", "key_layernorm"):
            middle = 1.0 if deep else 1.5
        elif deep and part.startswith("post_"):
            middle, spread = 0.2, 0.1
        elif config.tie_word_embeddings and name.count(".") == 2:  # the norm before the logits
            middle = 0.6
        return middle - (1 if gemma else 0), spread
    if part == "conv":
        return 0, 1
    gains = {"q_proj": 1.5, "qkv_proj": 1.2, "c_attn": 1.2, "lm_head": 1.5, "o_proj": 2, "out_proj": 2, "c_proj": 2, "down_proj": 2,
             "output_linear": 2, "w2": 2, "dense": 2}
    columns = shape[0] if part.startswith("c_") else shape[-1]  # GPT-2's matrices are transposed
    return 0, gains.get(part, 1) * (3 / columns) ** 0.5


def fill(model, config):
    """Random weights that depend on a parameter's name alone. They are halves, as in tests/lanes/random_gguf.py."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            middle, spread = spread_of(name, parameter.shape, config)
            draw = torch.Generator().manual_seed(zlib.crc32(name.encode()))
            noise = 2 * torch.rand(parameter.shape, generator=draw) - 1
            parameter.copy_((middle + spread * noise).half().float())


def scaled(model, scales):
    """MiniCPM, as a LLaMA: what its model multiplies, multiplied into the weights."""
    with torch.no_grad():
        layers = model.model.layers
        # What the file has is tied, so the logits' matrix is the embedding before its scale.
        embedding = model.model.embed_tokens.weight
        model.lm_head.weight = torch.nn.Parameter(embedding / (embedding.shape[1] / scales["dim_model_base"]))
        embedding.mul_(scales["scale_emb"])
        for layer in layers:
            for matrix in (layer.self_attn.o_proj, layer.mlp.down_proj):
                matrix.weight.mul_(scales["scale_depth"] / len(layers) ** 0.5)


def lengths(form):
    """After how many tokens the next one is compared."""
    window = form.window
    return sorted({1, 33, 257, forms.LAST, *([window - 1, window, window + 1] if window else [])})


def reference(model, ids, form):
    answers = {}
    with torch.inference_mode():
        for n in lengths(form):
            logits = model(torch.tensor([ids[:n]]), use_cache=False).logits[0, -1].double()
            answers[n] = [round(x, 6) for x in torch.log_softmax(logits, -1).tolist()]
    return answers


def embedding_of(model, directory):
    """The normalized last state of the text, with the end that the tokenizer adds."""
    tokenizer = tokenizers.Tokenizer.from_file(str(directory / "hf" / "tokenizer.json"))
    ids = [*tokenizer.encode(forms.EMBEDDED).ids, forms.VOCABULARY - 1]
    with torch.inference_mode():
        state = model.model(torch.tensor([ids]), use_cache=False).last_hidden_state[0, -1]
    return torch.nn.functional.normalize(state, dim=0).tolist()


def write_model(directory, form):
    """The published model's files; returns transformers' model and the token that is a word."""
    hf = directory / "hf"
    shutil.rmtree(hf, ignore_errors=True)
    hf.mkdir(parents=True)
    own = form.stand_in or form.config
    config = transformers.CONFIG_MAPPING[own["model_type"]].from_dict(json.loads(json.dumps(own)))
    config._attn_implementation = "eager"
    torch.manual_seed(SEED)
    model = transformers.AutoModelForCausalLM.from_config(config, dtype=torch.float32, attn_implementation="eager").eval()
    fill(model, config)
    model.save_pretrained(hf)
    if form.scales:
        scaled(model, form.scales)
    write_json(hf / "config.json", form.config)
    for path, contents in form.files.items():
        write_json(hf / path, contents)
    return model, {"bpe": write_bpe, "spm": write_spm}[form.tokenizer](hf, form)


class Converter:
    """llama.cpp's script, loaded once for all models."""

    def __init__(self, path):
        spec = importlib.util.spec_from_file_location("convert_hf_to_gguf", path)
        self.script = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.script)
        from conversion.base import TextModel
        TextModel.get_vocab_base_pre = lambda self, tokenizer: "gpt-2"

    def convert(self, directory, kind):
        sys.argv = ["convert_hf_to_gguf.py", str(directory / "hf"), "--outtype", kind, "--outfile", str(directory / f"{kind}.gguf")]
        self.script.main()


def made_by(form):
    """What the files depend on, but for the programs in the root."""
    return hashlib.sha256(HERE.read_bytes() + repr(form).encode()).hexdigest()


def is_made(directory, form):
    try:
        return json.loads((directory / "reference.json").read_text())["made_by"] == made_by(form)
    except (OSError, KeyError):
        return False


def main():
    converter = Converter(sys.argv[1])
    work = pathlib.Path(sys.argv[2])
    failed = []
    for name in sys.argv[3:]:
        form = forms.FORMS[name]
        directory = work / name
        if is_made(directory, form):
            continue
        try:
            model, word = write_model(directory, form)
            draw = random.Random(SEED)
            ids = [draw.randrange(forms.VOCABULARY) for _ in range(forms.LAST)]
            answers = reference(model, ids, form)
            embedding = embedding_of(model, directory) if form.files else []
            for kind in ("f32", "f16", "bf16"):
                converter.convert(directory, kind)
        except Exception as error:  # the other forms are made all the same
            failed.append(name)
            print(f"FAIL  {name}: {type(error).__name__}: {error}", flush=True)
            continue
        shutil.rmtree(directory / "hf")
        write_json(directory / "reference.json", {
            "ids": ids, "word": word, "answers": answers, "embedding": embedding, "made_by": made_by(form)})
        print(f"made  {name}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
