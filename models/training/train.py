#!/usr/bin/env python3
"""Trains the bundled model on text that is generated while it trains.

    train.py --tokenizer tokenizer.json --work DIRECTORY                         one data-centre GPU
    train.py --tokenizer tokenizer.json --work DIRECTORY --smoke                 half a minute on a CPU, a far smaller model

A checkpoint is written to --work at the end and every minute; the same command goes on from it, and --stop-after SECONDS ends a call
early, with exit status 75 if there is more to train. Where the checkpoint was lost, --resume goes on from the weights that
`convert.py --parts` wrote. The same seed gives the same weights to the bit, on the same kind of GPU with the same PyTorch, however many
processes generate and however often the training was stopped and went on from its checkpoint: batches, order and rate of learning follow
from the step alone, and only deterministic kernels are used. At the end `convert.py` makes a Hugging Face directory of the checkpoint. Needs
PyTorch, numpy and tokenizers.

A line of the log has the loss of what the assistant says for each kind of conversation. "held back" is the same of phrasings and values of
the test part, of which nothing is learned: the training part alone says little, since a model that learns it by heart has no loss there.
"starved" is the share of steps for which the generator had no batch ready.
"""
import argparse
import itertools
import json
import math
import multiprocessing
import os
import queue
import random
import sys
import threading
import time

import numpy
import torch
import torch.nn.functional as F
from torch import nn

CHUNK = 16  # batches of a seed: fewer waste more conversations that did not fill a row
WARM_UP = 100  # steps in which the rate rises where the optimizers know nothing yet
ROW = 1536  # tokens of context: eight tools, the calendar and a few turns are 1,200
OTHER_WEIGHT = 0.02  # of the loss at tokens that the assistant does not say
KINDS = ("tools", "extraction", "tale", "talk")  # of conversations
MORE_TO_DO = 75  # exit status

SHAPE = dict(hidden_size=384, num_hidden_layers=8, num_attention_heads=12, num_key_value_heads=4, intermediate_size=640, rope_theta=10000.0, rms_norm_eps=1e-5)
SMOKE_STEPS = 100
SMOKE_SHAPE = dict(SHAPE, hidden_size=64, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=1, intermediate_size=96)


# ---- data -----------------------------------------------------------------------------------------------------------------------------
class Packer:
    """Puts whole conversations into rows. A row has at each place an id, whether the assistant says it, the number of the conversation, and its kind."""
    OPEN = 24

    def __init__(self, length):
        self.length = length + 1
        self.open = []

    def add(self, ids, said, kind):
        """Returns a finished row, or None."""
        n = len(ids)
        best = None
        for row in self.open:
            room = self.length - len(row[0])
            if room >= n and (best is None or room < self.length - len(best[0])):
                best = row
        if best is None:
            best = [[], [], [], []]
            self.open.append(best)
        number = best[2][-1] + 1 if best[2] else 1
        best[0].extend(ids)
        best[1].extend(said)
        best[2].extend([number] * n)
        best[3].extend([kind] * n)
        if len(self.open) <= self.OPEN:
            return None
        fullest = max(self.open, key=lambda row: len(row[0]))
        self.open.remove(fullest)
        rest = self.length - len(fullest[0])
        fullest[0].extend([0] * rest)
        fullest[1].extend([None] * rest)
        fullest[2].extend([0] * rest)
        fullest[3].extend([0] * rest)
        return fullest


def batches_of(encoder, rng, side, rows, length):
    """Batches for ever: ids, weights of the loss, numbers and kinds of conversations."""
    from phone_text.generate import training_sample
    packer = Packer(length)
    weight = {True: 1.0, False: OTHER_WEIGHT, None: 0.0}
    while True:
        batch = []
        while len(batch) < rows:
            sample = training_sample(rng, side)
            ids, said = encoder.conversation(sample["messages"], sample.get("tools", ()), rng=rng if side == "train" else None)
            if len(ids) > length:
                continue
            row = packer.add(ids, said, KINDS.index(sample["kind"]))
            if row:
                batch.append(row)
        ids = numpy.array([row[0] for row in batch], dtype=numpy.int32)
        weights = numpy.array([[weight[s] for s in row[1]] for row in batch], dtype=numpy.float32)
        numbers = numpy.array([row[2] for row in batch], dtype=numpy.int32)
        kinds = numpy.array([row[3] for row in batch], dtype=numpy.int32)
        weights[:, 1:] *= numbers[:, 1:] == numbers[:, :-1]  # the first token of a conversation follows from nothing
        yield ids, weights, numbers, kinds


def produce(batches, options, first):
    """A process that fills the queue with the batches of every n-th chunk from the first one on, n being the number of processes."""
    os.nice(5)
    torch.set_num_threads(1)
    from phone_text.encode import Encoder
    encoder = Encoder(options.tokenizer)
    for chunk in itertools.count(first, options.workers):
        for batch in itertools.islice(batches_of(encoder, random.Random(f"{options.seed} {chunk}"), "train", options.rows, options.row), CHUNK):
            batches.put(batch)


class Batches:
    """The batches from a step on, of several processes. A thread takes them out of the queues while the device computes."""

    def __init__(self, options, step):
        context = multiprocessing.get_context("spawn")
        self.queues, self.processes = [], []
        self.passed_over = step % CHUNK  # of the first chunk
        for i in range(options.workers):
            batches = context.Queue(maxsize=2 * CHUNK)
            process = context.Process(target=produce, args=(batches, options, step // CHUNK + i), daemon=True)
            process.start()
            self.queues.append(batches)
            self.processes.append(process)
        self.ready = queue.Queue(maxsize=8)
        threading.Thread(target=self._take, daemon=True).start()

    def _take(self):
        taken = (batches.get() for batches in itertools.cycle(self.queues) for _ in range(CHUNK))
        for batch in itertools.islice(taken, self.passed_over, None):
            arrays = tuple(torch.from_numpy(array) for array in batch)
            self.ready.put(tuple(array.pin_memory() for array in arrays) if torch.cuda.is_available() else arrays)

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


class Rows(torch.autograd.Function):
    """Rows of a table. The gradient is a product with zeros and ones, which adds in a fixed order."""

    @staticmethod
    def forward(ctx, table, ids):
        ctx.save_for_backward(ids)
        ctx.n = table.shape[0]
        return F.embedding(ids, table)

    @staticmethod
    def backward(ctx, grad):
        ids, = ctx.saved_tensors
        with torch.autocast(grad.device.type, enabled=False):
            is_row = ids.flatten()[:, None] == torch.arange(ctx.n, device=ids.device)
            return is_row.to(grad.dtype).T @ grad.flatten(0, 1), None


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
        x = Rows.apply(self.embed_tokens.weight, ids)
        for layer in self.layers:
            x = layer(x, self.cos[:t], self.sin[:t], mask, self.attend)
        logits = F.linear(self.norm(x), self.embed_tokens.weight)
        losses = F.cross_entropy(logits.float().flatten(0, 1), targets.flatten(), reduction="none")
        weights = weights.flatten()
        return (losses * weights).sum() / weights.sum(), losses


def by_kind(losses, weights, kinds):
    """The sums of the losses of what the assistant says, and how many tokens that is, for each kind."""
    said = (weights.flatten() == 1).float()
    return torch.stack((losses.float() * said, said)) @ F.one_hot(kinds.flatten(), len(KINDS)).float()


def in_words(sums):
    sums = sums.tolist()
    return "  ".join(f"{kind} {loss / max(1, n):.4f}" for kind, loss, n in zip(KINDS, *sums))


def dense_mask(numbers):
    order = torch.arange(numbers.shape[1], device=numbers.device)
    return ((order[:, None] >= order[None, :])[None] & (numbers[:, :, None] == numbers[:, None, :]))[:, None]


class HeldBack:
    """The losses on one batch of the test part."""

    def __init__(self, options, rows, shape, n_vocab, device):
        from phone_text.encode import Encoder
        ids, weights, numbers, kinds = (torch.from_numpy(array).to(device) for array in next(batches_of(Encoder(options.tokenizer), random.Random("held back"), "test", rows, options.row)))
        self.batch = ids[:, :-1].long(), ids[:, 1:].long(), weights[:, 1:], dense_mask(numbers[:, :-1])
        self.kinds = kinds[:, 1:].long()
        self.model = Model(shape, n_vocab, attend_dense, options.row).to(device)  # one that is not compiled

    def measure(self, model, device):
        self.model.load_state_dict(model.state_dict())
        with torch.no_grad(), torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            _, losses = self.model(*self.batch)
        return in_words(by_kind(losses, self.batch[2], self.kinds))


# ---- training -------------------------------------------------------------------------------------------------------------------------
def rate_at(progress, warm=0.01, falls=0.45):
    """Up, level, and down to nothing in a straight line."""
    return max(0.0, min(1.0, progress / warm, (1 - progress) / (1 - falls)))


def orthogonal(matrices, steps=5):
    """Makes all singular values about one, by Newton and Schulz. Matrices of one shape at once."""
    x = matrices.bfloat16() if matrices.is_cuda else matrices
    wide = x.shape[-2] <= x.shape[-1]
    x = x if wide else x.mT
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(steps):
        a = x @ x.mT
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
    return (x if wide else x.mT).to(matrices.dtype)


class Muon(torch.optim.Optimizer):
    """Muon (Jordan et al. 2024) for the matrices of the layers. torch.optim.Muon does one matrix after the other, which for matrices as
    small as these takes longer than the rest of the step; here all of one shape are one."""

    def __init__(self, matrices, lr, momentum=0.95, weight_decay=0.05):
        shapes = {}
        for p in matrices:
            shapes.setdefault(tuple(p.shape), []).append(p)
        super().__init__([{"params": params} for params in shapes.values()], {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            params = group["params"]
            grads = torch.stack([p.grad for p in params])
            state = self.state[params[0]]
            if "moment" not in state:
                state["moment"] = torch.zeros_like(grads)
            state["moment"].lerp_(grads, 1 - group["momentum"])
            update = orthogonal(grads.lerp(state["moment"], group["momentum"]))
            rows, columns = params[0].shape
            torch._foreach_mul_(params, 1 - group["lr"] * group["weight_decay"])
            torch._foreach_add_(params, list(update.unbind()), alpha=-group["lr"] * max(1, rows / columns) ** 0.5)


def optimizers_of(model, options, device):
    """Optimizers, each group with its highest rate under "peak"."""
    inner = [p for name, p in model.named_parameters() if p.dim() == 2 and "embed" not in name]
    embeddings = [p for name, p in model.named_parameters() if p.dim() == 2 and "embed" in name]
    others = [p for p in model.parameters() if p.dim() != 2]
    adam = [{"params": embeddings, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
    found = []
    if options.optimizer == "muon":
        found.append(Muon(inner, options.muon_rate))
    else:
        adam.insert(0, {"params": inner, "weight_decay": 0.1})
    found.append(torch.optim.AdamW(adam, lr=options.rate, betas=(0.9, 0.95), fused=device == "cuda"))
    for optimizer in found:
        for group in optimizer.param_groups:
            group["peak"] = group["lr"]
    return found


def save(path, data):
    torch.save(data, path + ".new")
    os.replace(path + ".new", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--steps", type=int, default=36000, help="of training, all calls together; 22 minutes on an H200")
    parser.add_argument("--stop-after", type=float, help="seconds of this call")
    parser.add_argument("--rows", type=int, default=42, help="of a batch")
    parser.add_argument("--row", type=int, default=ROW)
    parser.add_argument("--optimizer", choices=("muon", "adamw"), default="muon", help="of the matrices of the layers; the rest is AdamW's")
    parser.add_argument("--muon-rate", type=float, default=0.01)
    parser.add_argument("--rate", type=float, default=3e-3, help="of AdamW")
    parser.add_argument("--resume", help="a directory of weights that convert.py --parts wrote, where --work has no checkpoint")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    parser.add_argument("--attention", choices=("flex", "dense"))
    parser.add_argument("--smoke", action="store_true")
    options = parser.parse_args()
    began = time.monotonic()
    device = "cuda" if torch.cuda.is_available() and not options.smoke else "cpu"
    if options.smoke:
        options.steps, options.rows, options.row, options.workers = min(options.steps, SMOKE_STEPS), 4, 512, min(options.workers, 2)
    attention = options.attention or ("flex" if device == "cuda" else "dense")
    shape = SMOKE_SHAPE if options.smoke else SHAPE
    with open(options.tokenizer) as file:
        tokenizer = json.load(file)
    n_vocab = len(tokenizer["model"]["vocab"]) + len(tokenizer["added_tokens"])
    torch.manual_seed(int.from_bytes(options.seed.encode(), "big") % 2**31)
    torch.set_float32_matmul_precision("high")
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # without it cuBLAS may add in any order
    torch.use_deterministic_algorithms(True)
    torch.utils.deterministic.fill_uninitialized_memory = False  # nothing reads it
    os.makedirs(options.work, exist_ok=True)
    path = os.path.join(options.work, "checkpoint.pt")

    model = Model(shape, n_vocab, attend_flex if attention == "flex" else attend_dense, options.row).to(device)
    optimizers = optimizers_of(model, options, device)
    step, trained, began_at = 0, 0.0, 0  # the optimizers knew nothing at step began_at
    if os.path.exists(path):
        state = torch.load(path, map_location=device, weights_only=True)
        for optimizer, saved in zip(optimizers, state["optimizers"]):
            optimizer.load_state_dict(saved)
    elif options.resume:
        from convert import from_parts
        state = from_parts(options.resume)
    else:
        state = None
    if state:
        model.load_state_dict({name: tensor.float() for name, tensor in state["model"].items()})
        step, trained = state["step"], state["trained"]
        began_at = state.get("began_at", step)
    n_parameters = sum(p.numel() for p in model.parameters())
    print(f"{n_parameters / 1e6:.2f} M parameters on {torch.cuda.get_device_name() if device == 'cuda' else 'the CPU'}, from step {step}, {trained / 60:.1f} minutes trained", flush=True)

    batches = Batches(options, step)
    run = torch.compile(model) if device == "cuda" else model
    if attention == "flex":
        from torch.nn.attention.flex_attention import create_block_mask
        make_mask = torch.compile(create_block_mask)
    held_back = HeldBack(options, options.rows, shape, n_vocab, device)
    sums = torch.zeros((2, len(KINDS)), device=device)
    mark, mark_step, last_save, starved = time.monotonic(), step, time.monotonic(), 0
    first_step = step
    last = time.monotonic()
    report = 10 if options.smoke else 200
    def checkpoint():
        save(path, {"model": model.state_dict(), "optimizers": [optimizer.state_dict() for optimizer in optimizers], "step": step, "trained": trained, "began_at": began_at,
                    "shape": shape, "n_vocab": n_vocab})
    def is_time_up():
        return options.stop_after and step > first_step and time.monotonic() - began > options.stop_after
    while step < options.steps and not is_time_up():
        starved += batches.ready.empty()
        ids, weights, numbers, kinds = (array.to(device, non_blocking=True) for array in batches.get())
        ids, kinds, weights = ids.long(), kinds[:, 1:].long(), weights[:, 1:].contiguous()
        numbers = numbers[:, :-1].contiguous()
        if attention == "flex":
            def seen_by(b, h, q, k):
                return (q >= k) & (numbers[b, q] == numbers[b, k])
            mask = make_mask(seen_by, options.rows, None, options.row, options.row, device=device)
        else:
            mask = dense_mask(numbers)
        rate = rate_at(step / options.steps) * min(1.0, (step - began_at + 1) / WARM_UP)
        for optimizer in optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate * group["peak"]
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            loss, losses = run(ids[:, :-1].contiguous(), ids[:, 1:].contiguous(), weights, mask)
        model.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in optimizers:
            optimizer.step()
        sums += by_kind(losses.detach(), weights, kinds)
        step += 1
        if step % report == 0:
            words = in_words(sums)  # waits for the device
            now = time.monotonic()
            steps = step - mark_step
            print(f"step {step}  {trained / 60:.2f} min  {step * options.rows * options.row / 1e6:.0f} M tokens  {steps * options.rows * options.row / (now - mark) / 1e3:.0f} k tokens/s  starved {starved / steps:.0%}  rate {rate:.2f}  {words}", flush=True)
            sums.zero_()
            if step % (10 * report) == 0:
                print(f"    held back: {held_back.measure(model, device)}", flush=True)
            mark, mark_step, starved = time.monotonic(), step, 0
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
    print(f"ended at step {step}, {trained / 60:.2f} minutes trained, {step * options.rows * options.row / 1e6:.0f} M tokens; held back: {held_back.measure(model, device)}", flush=True)
    return 0 if step >= options.steps else MORE_TO_DO


if __name__ == "__main__":
    sys.exit(main())
