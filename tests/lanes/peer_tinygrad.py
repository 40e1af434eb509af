#!/usr/bin/env python3
"""Times tokens of a GPT-2 124M with random weights in tinygrad, which a user could run instead of llmd.

usage: DEV=CL|CPU peer_tinygrad.py [--tokens N] [--first-position N] [--no-read]     (python with `pip install tinygrad numpy`)

DEV is tinygrad's own choice of a device: CL is OpenCL, and CPU has NUM_CPU_THREADS threads (all cores).

The model is put together here from tinygrad's own layers (float32 weights, one fixed KV cache, the whole step under its
JIT with a symbolic position), which is how tinygrad itself decodes GPT-2. A token's time runs from the call of the step to
the sampled id on the host. Prints one JSON object: device, kernels a token, the median and fastest milliseconds a token, and
the host's processor time a token (all threads, so on a CPU device it contains the computing).

--no-read leaves every id on the device: the time is then what enqueuing one token costs the host. For devices that cannot
compute or be read."""
import argparse
import json
import statistics
import time

import numpy as np
from tinygrad import Device, GlobalCounters, Tensor, TinyJit, Variable, nn

WIDTH, HEADS, LAYERS, VOCABULARY, CONTEXT = 768, 12, 12, 50257, 1024
HEAD_WIDTH = WIDTH // HEADS
WARM_UP_TOKENS = 4     # the JIT records the second call and replays from the third on


class Block:
    def __init__(self, cache_positions):
        self.attention_norm = nn.LayerNorm(WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.attention_output = nn.Linear(WIDTH, WIDTH)
        self.mlp_norm = nn.LayerNorm(WIDTH)
        self.up = nn.Linear(WIDTH, 4 * WIDTH)
        self.down = nn.Linear(4 * WIDTH, WIDTH)
        self.cache = Tensor.zeros(2, 1, cache_positions, HEADS, HEAD_WIDTH).contiguous().realize()

    def __call__(self, x, position):
        q, k, v = [part.reshape(1, 1, HEADS, HEAD_WIDTH)
                   for part in self.qkv(self.attention_norm(x)).chunk(3, dim=-1)]
        # The cache holds keys, then values.
        self.cache[:, :, position:position + 1].assign(Tensor.stack(k, v)).realize()
        keys, values = (self.cache[i, :, :position + 1].transpose(1, 2) for i in range(2))
        attended = q.transpose(1, 2).scaled_dot_product_attention(keys, values)
        x = x + self.attention_output(attended.transpose(1, 2).reshape(1, 1, WIDTH))
        # Realised: the next layer's cache would compute all layers before it again.
        return (x + self.down(self.up(self.mlp_norm(x)).gelu())).realize()


class Gpt2:
    def __init__(self, cache_positions):
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Embedding(CONTEXT, WIDTH)
        self.blocks = [Block(cache_positions) for _ in range(LAYERS)]
        self.norm = nn.LayerNorm(WIDTH)
        for parameter in nn.state.get_parameters(self):
            parameter.realize()

    def step(self, token, position):
        """The id after `token`, greedily."""
        x = self.tokens(token) + self.positions.weight[position:position + 1].reshape(1, 1, WIDTH)
        for block in self.blocks:
            x = block(x, position)
        logits = self.norm(x) @ self.tokens.weight.transpose()
        return logits.argmax(axis=-1).cast("int32").realize()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=int, default=32, help="tokens timed (default 32)")
    parser.add_argument("--first-position", type=int, default=128, help="position of the first of them (default 128)")
    parser.add_argument("--no-read", action="store_true", help="leave the ids on the device")
    options = parser.parse_args()
    first = options.first_position - WARM_UP_TOKENS
    last = options.first_position + options.tokens
    if options.tokens < 1 or first < 1 or last > CONTEXT:
        parser.error(f"positions {first}..{last} are not all in 1..{CONTEXT}")

    Tensor.manual_seed(1)
    model = Gpt2(cache_positions=last)
    step = TinyJit(model.step)
    variable = Variable("position", 1, last - 1)
    token = Tensor(np.array([[1]], dtype=np.int32)).realize()
    wall_ms, cpu_ms, kernels = [], [], 0
    for position in range(first, last):
        GlobalCounters.reset()
        cpu, wall = time.process_time(), time.perf_counter()
        answer = step(token, variable.bind(position))
        if not options.no_read:
            token = Tensor(answer.numpy().reshape(1, 1)).realize()
        wall_ms.append((time.perf_counter() - wall) * 1e3)
        cpu_ms.append((time.process_time() - cpu) * 1e3)
        kernels = GlobalCounters.kernel_count
    print(json.dumps({
        "device": Device.DEFAULT,
        "kernels_per_token": kernels,
        "ms_per_token": round(statistics.median(wall_ms[WARM_UP_TOKENS:]), 3),
        "ms_per_token_min": round(min(wall_ms[WARM_UP_TOKENS:]), 3),
        "cpu_ms_per_token": round(statistics.median(cpu_ms[WARM_UP_TOKENS:]), 3),
    }))


if __name__ == "__main__":
    main()
