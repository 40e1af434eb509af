#!/usr/bin/env python3
"""usage: make.py [DIRECTORY]

Makes the toy models beside this file as Hugging Face's transformers saves them, with random weights, and for each of them
golden.json: texts, the ids that its own tokenizer gives them, and the logits that transformers computes for the token after
each. Needs torch, transformers and tokenizers: on Debian python3-torch, and the rest from PyPI
(`pip install 'transformers<5' 'numpy<2'` into a virtual environment with the system's packages)."""
import io
import json
import os
import sys

import sentencepiece
import torch
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM, LlamaTokenizer, PreTrainedTokenizerFast,
                          Qwen2Config, Qwen2ForCausalLM)

# What the tokenizers learn from: any text will do.
LINES = ["The miller's cat slept by the river, and the river turned the wheel.", "Once upon a time a king lost 1234 coins; who'll find them?",
         "It's late, we've walked for 12 hours. Don't stop!", "Über den Fluß ging ein Bär — größer als der Müller.",
         "def find(key):\n    return table[key] + 10\n\n\nprint(find('a'))", "猫は川のそばで眠っていた。"] * 4
TEXTS = ["The cat", "It's 1234 o'clock,  and the miller   sleeps.\n\n", "Ein Bär ging 猫", " we've  lost   12 wheels\t!"]
LLAMA3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN2 = LLAMA3.replace("{1,3}", "")
TEMPLATE = "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}" \
           "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"


def byte_level(split, specials, **model):
    tokenizer = Tokenizer(models.BPE(**model))
    tokenizer.pre_tokenizer = split
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(LINES, trainers.BpeTrainer(
        vocab_size=400, special_tokens=specials, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    return tokenizer


def split_by(pattern):
    return pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated"),
                                    pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def piece_bpe():
    """As LLaMA 2's: pieces that begin with U+2581, and a token for each byte."""
    specials = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    trained = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    trained.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    trained.train_from_iterator(LINES[:3], trainers.BpeTrainer(vocab_size=340, special_tokens=specials, show_progress=False))
    # The trainer calls the bytes special, which they are not.
    content = json.loads(trained.to_str())
    content["added_tokens"] = content["added_tokens"][:3]
    tokenizer = Tokenizer.from_str(json.dumps(content))
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return tokenizer


def piece_file(folder):
    """A tokenizer.model, as older directories have it alone."""
    os.makedirs(folder, exist_ok=True)
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(LINES[:3]), model_writer=model, model_type="bpe", vocab_size=330,
                                             byte_fallback=True, normalization_rule_name="identity", remove_extra_whitespaces=False,
                                             minloglevel=2)
    path = os.path.join(folder, "tokenizer.model")
    with open(path, "wb") as file:
        file.write(model.getvalue())
    tokenizer = LlamaTokenizer(path, legacy=True)
    tokenizer.add_tokens(AddedToken("<|user|>", special=True, normalized=False))
    return tokenizer


def save(folder, model, tokenizer, dtype, **special):
    torch.manual_seed(7)
    for name, parameter in model.named_parameters():
        # Large enough that an error of the conversion shows, and different in each row.
        torch.nn.init.normal_(parameter, mean=1.0 if "norm" in name or "ln_" in name else 0.0, std=0.2)
    model = model.to(dtype).eval()
    os.makedirs(folder, exist_ok=True)
    model.save_pretrained(folder, safe_serialization=True, max_shard_size="40KB" if special.pop("shards", False) else "1GB")
    is_fast = isinstance(tokenizer, Tokenizer)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special) if is_fast else tokenizer
    fast.save_pretrained(folder)
    exact = model.to(torch.float32)
    cases = []
    for text in TEXTS:
        ids = fast(text)["input_ids"]
        with torch.no_grad():
            logits = exact(torch.tensor([ids])).logits[0, -1]
        cases.append({"text": text, "ids": ids, "logits": [round(value, 5) for value in logits.tolist()]})
    with open(os.path.join(folder, "golden.json"), "w") as file:
        json.dump({"cases": cases}, file)
    for name in "generation_config.json", "special_tokens_map.json", "added_tokens.json":
        if os.path.exists(os.path.join(folder, name)):
            os.unlink(os.path.join(folder, name))


def main():
    place = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))

    gpt2 = byte_level(pre_tokenizers.ByteLevel(add_prefix_space=False), ["<|endoftext|>"])
    save(os.path.join(place, "gpt2"),
         GPT2LMHeadModel(GPT2Config(vocab_size=gpt2.get_vocab_size(), n_positions=64, n_embd=24, n_layer=2, n_head=3,
                                    bos_token_id=0, eos_token_id=0)),
         gpt2, torch.float32, bos_token="<|endoftext|>", eos_token="<|endoftext|>")

    llama3 = byte_level(split_by(LLAMA3), ["<|begin_of_text|>", "<|end_of_text|>"], ignore_merges=True)
    llama3.post_processor = processors.TemplateProcessing(single="<|begin_of_text|> $A", special_tokens=[("<|begin_of_text|>", 0)])
    save(os.path.join(place, "llama3"),
         LlamaForCausalLM(LlamaConfig(
             vocab_size=llama3.get_vocab_size(), hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
             num_key_value_heads=2, max_position_embeddings=128, rms_norm_eps=1e-5, rope_theta=500.0, bos_token_id=0, eos_token_id=[1],
             tie_word_embeddings=True, attention_bias=True,
             rope_scaling={"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                           "original_max_position_embeddings": 32})),
         llama3, torch.bfloat16, bos_token="<|begin_of_text|>", eos_token="<|end_of_text|>")

    llama2 = piece_bpe()
    save(os.path.join(place, "llama2"),
         LlamaForCausalLM(LlamaConfig(vocab_size=llama2.get_vocab_size(), hidden_size=32, intermediate_size=40, num_hidden_layers=2,
                                      num_attention_heads=2, max_position_embeddings=64, rms_norm_eps=1e-6, bos_token_id=1,
                                      eos_token_id=2, rope_scaling={"type": "linear", "factor": 2.0})),
         llama2, torch.float16, bos_token="<s>", eos_token="</s>", unk_token="<unk>")

    place_of_pieces = os.path.join(place, "llama2-pieces")
    pieces = piece_file(place_of_pieces)
    save(place_of_pieces,
         LlamaForCausalLM(LlamaConfig(vocab_size=len(pieces) + 1, hidden_size=16, intermediate_size=24, num_hidden_layers=1,
                                      num_attention_heads=2, max_position_embeddings=64, bos_token_id=1, eos_token_id=2)),
         pieces, torch.float16)

    qwen2 = byte_level(split_by(QWEN2), ["<|endoftext|>", "<|im_start|>", "<|im_end|>"])
    qwen2.normalizer = normalizers.NFC()
    qwen2.add_tokens([AddedToken("<tool_call>", special=False, normalized=False)])
    # A vocabulary is often rounded up.
    save(os.path.join(place, "qwen2"),
         Qwen2ForCausalLM(Qwen2Config(vocab_size=qwen2.get_vocab_size() + 7, hidden_size=32, intermediate_size=40,
                                      num_hidden_layers=3, num_attention_heads=4, num_key_value_heads=1, max_position_embeddings=64,
                                      rope_theta=10000.0, bos_token_id=0, eos_token_id=2)),
         qwen2, torch.bfloat16, eos_token="<|im_end|>", chat_template=TEMPLATE, shards=True)


main()
