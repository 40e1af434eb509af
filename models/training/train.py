#!/usr/bin/env python3
"""Trains the bundled model on text that is generated while it trains.

    train.py --tokenizer tokenizer.json --work DIRECTORY --minutes 20            one data-centre GPU
    train.py --tokenizer tokenizer.json --work DIRECTORY --smoke                 a minute on a CPU, a far smaller model

A checkpoint is written to --work at the end and every few minutes; the same command goes on from it, and --stop-after SECONDS
ends a call early. The rate of learning follows the time that was trained, all calls together, so that the training ends on time
whatever the machine. At the end `convert.py` makes a Hugging Face directory of the checkpoint. Needs PyTorch, numpy and tokenizers.
"""
import argparse
import itertools
import json
import math
import multiprocessing
import os
import queue
import random
import threading
import time

import numpy
import torch
import torch.nn.functional as F
from torch import nn

ROW = 1024  # tokens of context
OTHER_WEIGHT = 0.02  # of the loss at tokens that the assistant does not say

SHAPE = dict(hidden_size=384, num_hidden_layers=8, num_attention_heads=12, num_key_value_heads=4, intermediate_size=640, rope_theta=10000.0, rms_norm_eps=1e-5)
SMOKE_SHAPE = dict(SHAPE, hidden_size=64, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=1, intermediate_size=96)


# ---- data -----------------------------------------------------------------------------------------------------------------------------
class Packer:
    """Puts whole conversations into rows. A row has ids, loss weights, and the number of the conversation at each place."""
    OPEN = 24

    def __init__(self, length):
        self.length = length + 1
        self.open = []

    def add(self, ids, said):
        """Returns a finished row, or None."""
        n = len(ids)
        best = None
        for row in self.open:
            room = self.length - len(row[0])
            if room >= n and (best is None or room < self.length - len(best[0])):
                best = row
        if best is None:
            best = [[], [], []]
            self.open.append(best)
        number = best[2][-1] + 1 if best[2] else 1
        best[0].extend(ids)
        best[1].extend(said)
        best[2].extend([number] * n)
        if len(self.open) <= self.OPEN:
            return None
        fullest = max(self.open, key=lambda row: len(row[0]))
        self.open.remove(fullest)
        rest = self.length - len(fullest[0])
        fullest[0].extend([0] * rest)
        fullest[1].extend([None] * rest)
        fullest[2].extend([0] * rest)
        return fullest


def produce(batches, tokenizer, seed, rows, length):
    """A process that fills the queue with batches for ever."""
    os.nice(5)
    torch.set_num_threads(1)
    from phone_text.encode import Encoder
    from phone_text.generate import training_sample
    encoder = Encoder(tokenizer)
    rng = random.Random(seed)
    packer = Packer(length)
    while True:
        batch = []
        while len(batch) < rows:
            sample = training_sample(rng)
            ids, said = encoder.conversation(sample["messages"], sample.get("tools", ()))
            if len(ids) > length:
                continue
            row = packer.add(ids, said)
            if row:
                batch.append(row)
        ids = numpy.array([row[0] for row in batch], dtype=numpy.int32)
        weight = {True: 1.0, False: OTHER_WEIGHT, None: 0.0}
        weights = numpy.array([[weight[s] for s in row[1]] for row in batch], dtype=numpy.float32)
        numbers = numpy.array([row[2] for row in batch], dtype=numpy.int32)
        weights[:, 1:] *= numbers[:, 1:] == numbers[:, :-1]  # the first token of a conversation follows from nothing
        batches.put((ids, weights, numbers))


class Batches:
    """Batches of several processes in a fixed order. A thread takes them out of the queues while the device computes."""

    def __init__(self, options, rows, first_seed):
        context = multiprocessing.get_context("spawn")
        self.queues, self.processes = [], []
        for i in range(options.workers):
            batches = context.Queue(maxsize=6)
            process = context.Process(target=produce, args=(batches, options.tokenizer, f"{options.seed} {first_seed} {i}", rows, options.row), daemon=True)
            process.start()
            self.queues.append(batches)
            self.processes.append(process)
        self.ready = queue.Queue(maxsize=8)
        threading.Thread(target=self._take, daemon=True).start()

    def _take(self):
        for batches in itertools.cycle(self.queues):
            self.ready.put(tuple(torch.from_numpy(array) for array in batches.get()))

    def get(self):
        return self.ready.get()

    def stop(self):
        for process in self.processes:
            process.terminate()


# ---- model: LLaMA as transformers has it ----------------------------------------------------------------------------------------------
class Norm(nn.Module):
    def __init__(self, size, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, x):
        y = x.float()
        return (y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + self.eps)).type_as(x) * self.weight.type_as(x)


def rotated(x, cos, sin):
    a, b = x.chunk(2, dim=-1)
    return (x * cos + torch.cat((-b, a), dim=-1) * sin).type_as(x)


class Attention(nn.Module):
    def __init__(self, shape):
        super().__init__()
        d = shape["hidden_size"]
        self.n_heads, self.n_kv = shape["num_attention_heads"], shape["num_key_value_heads"]
        self.size = d // self.n_heads
        self.q_proj = nn.Linear(d, d, bias=False)
        self.k_proj = nn.Linear(d, self.n_kv * self.size, bias=False)
        self.v_proj = nn.Linear(d, self.n_kv * self.size, bias=False)
        self.o_proj = nn.Linear(d, d, bias=False)

    def forward(self, x, cos, sin, mask, attend):
        b, t, d = x.shape
        q = rotated(self.q_proj(x).view(b, t, self.n_heads, self.size).transpose(1, 2), cos, sin)
        k = rotated(self.k_proj(x).view(b, t, self.n_kv, self.size).transpose(1, 2), cos, sin)
        v = self.v_proj(x).view(b, t, self.n_kv, self.size).transpose(1, 2)
        return self.o_proj(attend(q, k, v, mask).transpose(1, 2).reshape(b, t, d))


class Layer(nn.Module):
    def __init__(self, shape):
        super().__init__()
        d, f = shape["hidden_size"], shape["intermediate_size"]
        self.self_attn = Attention(shape)
        self.mlp = nn.ModuleDict({"gate_proj": nn.Linear(d, f, bias=False), "up_proj": nn.Linear(d, f, bias=False), "down_proj": nn.Linear(f, d, bias=False)})
        self.input_layernorm = Norm(d, shape["rms_norm_eps"])
        self.post_attention_layernorm = Norm(d, shape["rms_norm_eps"])

    def forward(self, x, cos, sin, mask, attend):
        x = x + self.self_attn(self.input_layernorm(x), cos, sin, mask, attend)
        y = self.post_attention_layernorm(x)
        return x + self.mlp["down_proj"](F.silu(self.mlp["gate_proj"](y)) * self.mlp["up_proj"](y))


def attend_flex(q, k, v, mask):
    from torch.nn.attention.flex_attention import flex_attention
    return flex_attention(q, k, v, block_mask=mask, enable_gqa=True)


def attend_dense(q, k, v, mask):
    n = q.shape[1] // k.shape[1]
    return F.scaled_dot_product_attention(q, k.repeat_interleave(n, 1), v.repeat_interleave(n, 1), attn_mask=mask)


class Model(nn.Module):
    def __init__(self, shape, n_vocab, attend, row=ROW):
        super().__init__()
        self.embed_tokens = nn.Embedding(n_vocab, shape["hidden_size"])
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape["num_hidden_layers"]))
        self.norm = Norm(shape["hidden_size"], shape["rms_norm_eps"])
        self.attend = attend
        size = shape["hidden_size"] // shape["num_attention_heads"]
        angles = torch.outer(torch.arange(row).float(), shape["rope_theta"] ** (-torch.arange(0, size, 2).float() / size))
        self.register_buffer("cos", torch.cat((angles, angles), -1).cos(), persistent=False)
        self.register_buffer("sin", torch.cat((angles, angles), -1).sin(), persistent=False)
        for name, p in self.named_parameters():
            if p.dim() == 2:
                std = 0.02 if "embed" in name else p.shape[1] ** -0.5 * (0.5 if "o_proj" not in name and "down_proj" not in name else 0.5 / math.sqrt(2 * len(self.layers)))
                nn.init.normal_(p, std=std)

    def forward(self, ids, targets, weights, mask):
        t = ids.shape[1]
        x = self.embed_tokens(ids)
        for layer in self.layers:
            x = layer(x, self.cos[:t], self.sin[:t], mask, self.attend)
        logits = F.linear(self.norm(x), self.embed_tokens.weight)
        losses = F.cross_entropy(logits.float().flatten(0, 1), targets.flatten(), reduction="none")
        weights = weights.flatten()
        said = (weights == 1).float()
        return (losses * weights).sum() / weights.sum(), (losses * said).sum() / said.sum()


# ---- training -------------------------------------------------------------------------------------------------------------------------
def rate_at(progress, peak, warm=0.02):
    if progress < warm:
        return peak * progress / warm
    return peak * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * min(1.0, (progress - warm) / (1 - warm)))))


def save(path, data):
    torch.save(data, path + ".new")
    os.replace(path + ".new", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--minutes", type=float, default=20, help="of training, all calls together")
    parser.add_argument("--stop-after", type=float, help="seconds of this call")
    parser.add_argument("--rows", type=int, default=64, help="of a batch")
    parser.add_argument("--row", type=int, default=ROW)
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    parser.add_argument("--attention", choices=("flex", "dense"))
    parser.add_argument("--smoke", action="store_true")
    options = parser.parse_args()
    began = time.monotonic()
    device = "cuda" if torch.cuda.is_available() and not options.smoke else "cpu"
    if options.smoke:
        options.minutes, options.rows, options.row, options.workers = min(options.minutes, 0.6), 4, 512, 1
    attention = options.attention or ("flex" if device == "cuda" else "dense")
    shape = SMOKE_SHAPE if options.smoke else SHAPE
    with open(options.tokenizer) as file:
        tokenizer = json.load(file)
    n_vocab = len(tokenizer["model"]["vocab"]) + len(tokenizer["added_tokens"])
    torch.manual_seed(int.from_bytes(options.seed.encode(), "big") % 2**31)
    torch.set_float32_matmul_precision("high")
    os.makedirs(options.work, exist_ok=True)
    path = os.path.join(options.work, "checkpoint.pt")

    model = Model(shape, n_vocab, attend_flex if attention == "flex" else attend_dense, options.row).to(device)
    matrices = [p for p in model.parameters() if p.dim() == 2]
    others = [p for p in model.parameters() if p.dim() != 2]
    optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}], lr=0.0, betas=(0.9, 0.95), fused=device == "cuda")
    step, trained = 0, 0.0
    if os.path.exists(path):
        state = torch.load(path, map_location=device, weights_only=True)
        model.load_state_dict(state["model"])
        if "optimizer" in state:
            optimizer.load_state_dict(state["optimizer"])
        step, trained = state["step"], state["trained"]
    n_parameters = sum(p.numel() for p in model.parameters())
    print(f"{n_parameters / 1e6:.2f} M parameters on {torch.cuda.get_device_name() if device == 'cuda' else 'the CPU'}, from step {step}, {trained / 60:.1f} minutes trained", flush=True)

    batches = Batches(options, options.rows, step)
    run = torch.compile(model) if device == "cuda" else model
    if attention == "flex":
        from torch.nn.attention.flex_attention import create_block_mask
        make_mask = torch.compile(create_block_mask)
    losses = torch.zeros(2, device=device)
    seen, mark, mark_step, last_save, waited = 0, time.monotonic(), step, time.monotonic(), 0.0
    first_step = step
    last = time.monotonic()
    total = options.minutes * 60
    def checkpoint():
        save(path, {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step, "trained": trained, "shape": shape, "n_vocab": n_vocab})
    while trained < total and not (options.stop_after and time.monotonic() - began > options.stop_after):
        t0 = time.monotonic()
        ids, weights, numbers = (array.to(device, non_blocking=True) for array in batches.get())
        waited += time.monotonic() - t0
        ids = ids.long()
        numbers = numbers[:, :-1].contiguous()
        if attention == "flex":
            def seen_by(b, h, q, k):
                return (q >= k) & (numbers[b, q] == numbers[b, k])
            mask = make_mask(seen_by, options.rows, None, options.row, options.row, device=device)
        else:
            order = torch.arange(options.row, device=device)
            mask = ((order[:, None] >= order[None, :])[None] & (numbers[:, :, None] == numbers[:, None, :]))[:, None]
        for group in optimizer.param_groups:
            group["lr"] = rate_at(trained / total, options.rate if not options.smoke else 1e-2)
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            loss, said = run(ids[:, :-1].contiguous(), ids[:, 1:].contiguous(), weights[:, 1:].contiguous(), mask)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses += torch.stack((loss.detach(), said.detach()))
        step += 1
        seen += options.rows * options.row
        if step % 100 == 0 or options.smoke:
            values = (losses / (step - mark_step)).tolist()
            now = time.monotonic()
            print(f"step {step}  {trained / 60:.2f} min  loss {values[0]:.4f}  said {values[1]:.4f}  {seen / (now - mark) / 1e3:.0f} k tokens/s  waited {waited / (now - mark):.0%}", flush=True)
            losses.zero_()
            seen, mark, mark_step, waited = 0, now, step, 0.0
        now = time.monotonic()
        if step > first_step + 10:  # compiling is not training
            trained += now - last
        last = now
        if now - last_save > 60:
            checkpoint()
            last_save = time.monotonic()
    if device == "cuda":
        torch.cuda.synchronize()
    checkpoint()
    batches.stop()
    print(f"ended at step {step}, {trained / 60:.2f} minutes trained", flush=True)


if __name__ == "__main__":
    main()
