#!/usr/bin/env python3
"""Makes a Hugging Face directory of a checkpoint: convert.py --checkpoint checkpoint.pt --tokenizer tokenizer.json --out DIRECTORY

`llmctl import DIRECTORY --quantize q8_0` makes the GGUF file of it. With --parts the weights go as f16 into files of at most 12 MB,
which --from-parts reads. Needs PyTorch, numpy and safetensors.
"""
import argparse
import glob
import json
import os
import shutil

import numpy
import torch

from phone_text import render
from train import ROW

PART = 12_000_000


def to_parts(state, out):
    names, blob = [], bytearray()
    for name, tensor in state["model"].items():
        names.append([name, list(tensor.shape)])
        blob += tensor.detach().to(torch.float16).cpu().numpy().tobytes()
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(out, "weights.json"), "w") as file:
        json.dump({"tensors": names, "shape": state["shape"], "n_vocab": state["n_vocab"], "step": state["step"], "trained": state["trained"]}, file)
    for i in range(0, len(blob), PART):
        with open(os.path.join(out, f"weights.{i // PART:02}"), "wb") as file:
            file.write(blob[i:i + PART])


def from_parts(directory):
    with open(os.path.join(directory, "weights.json")) as file:
        state = json.load(file)
    blob = b"".join(open(path, "rb").read() for path in sorted(glob.glob(os.path.join(directory, "weights.[0-9]*"))))
    state["model"], at = {}, 0
    for name, shape in state["tensors"]:
        n = int(numpy.prod(shape))
        state["model"][name] = torch.from_numpy(numpy.frombuffer(blob, numpy.float16, n, at).reshape(shape).copy())
        at += 2 * n
    return state


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--checkpoint", help="of train.py")
    parser.add_argument("--from-parts", help="a directory that --parts made")
    parser.add_argument("--parts", help="write the weights in small files into this directory and nothing else")
    parser.add_argument("--tokenizer")
    parser.add_argument("--out")
    options = parser.parse_args()
    state = from_parts(options.from_parts) if options.from_parts else torch.load(options.checkpoint, map_location="cpu", weights_only=True)
    if options.parts:
        return to_parts(state, options.parts)
    from safetensors.torch import save_file
    os.makedirs(options.out, exist_ok=True)
    tensors = {"model." + name: tensor.to(torch.float16).contiguous() for name, tensor in state["model"].items()}
    save_file(tensors, os.path.join(options.out, "model.safetensors"), metadata={"format": "pt"})
    with open(options.tokenizer) as file:
        added = {token["content"]: token["id"] for token in json.load(file)["added_tokens"]}
    config = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_act": "silu", "attention_bias": False, "mlp_bias": False,
              "vocab_size": state["n_vocab"], "max_position_embeddings": ROW, "tie_word_embeddings": True, "torch_dtype": "float16",
              "bos_token_id": added["<|endoftext|>"], "eos_token_id": added[render.END], "rope_scaling": None, **state["shape"]}
    for name, content in (("config.json", config), ("tokenizer_config.json", {
            "tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<|endoftext|>", "eos_token": render.END, "pad_token": "<|endoftext|>", "add_bos_token": False,
            "model_max_length": ROW, "chat_template": render.TEMPLATE}), ("generation_config.json", {"eos_token_id": added[render.END], "do_sample": False})):
        with open(os.path.join(options.out, name), "w") as file:
            json.dump(content, file, indent=1)
    shutil.copy(options.tokenizer, os.path.join(options.out, "tokenizer.json"))


if __name__ == "__main__":
    main()
