"""What the report must show, and whether it does."""
import tables

# Instructions per weight of a matmul of one batch row, without nops, by format: with activations of 8 bits, of 15.
PER_WEIGHT = {
    "Q4_0": (1.6, 2.3), "Q8_0": (2.2, 2.2), "Q6_K": (3.2, 4.0), "Q4_K": (3.2, 4.0), "Q5_0": (3.2, None),
}
MOST_INSTRUCTIONS = 1024  # of a kernel, and words of code: beyond, the GPU's instruction cache does not hold it
MOST_OF_SEVERAL_ROWS = 1401, 1552  # of the logits of 8 rows, which that cache does not hold: what was measured, so that they do not grow
# A layer of Qwen3 has 6, of Gemma 3 8, of LFM2 5 or, with attention, 6; a model has 3 besides.
LAUNCHES = {"gpt2-124m Q4_0": 63, "tinyllama-1.1b Q4_0": 113, "qwen3-0.6b Q4_0": 28 * 6 + 3,
            "gemma3-1b Q4_0": 26 * 8 + 3, "lfm2-1.2b Q4_0": 10 * 5 + 6 * 6 + 3}
LONG_CONTEXT_LAUNCHES = {"tinyllama-1.1b Q4_0": ("launches_per_token_at_1100", 113 + 22)}
PEER_SHARE = 0.1  # of tinygrad's time


def _limit(what, limit, value, timed=False):
    holds = value is not None and value <= limit
    return {"what": what, "limit": limit, "value": value, "holds": holds, "timed": timed}


def grown(sizes, committed):
    """The kernels of `sizes` (tables.sizes_of) that have more words or spills than in an earlier report."""
    return sorted(key for key, size in sizes.items() if any(new > old for new, old in zip(size, committed.get(key, size))))


def check(report, committed):
    """`committed`: the sizes of an earlier report."""
    kernels, models = report["kernels"], report["models"]
    found = []
    for weight_format, limits in PER_WEIGHT.items():
        for bits, limit in zip((8, 15), limits):
            if limit is None:
                continue
            costs = [row["non_nop_per_weight"] for row in kernels
                     if row["format"] == weight_format and row["bits"] == bits and row["batch_rows"] == 1]
            what = f"instructions per weight, {weight_format}, activations of {bits} bits"
            found.append(_limit(what, limit, max(costs, default=None)))
    worst = lambda key: max((row[key] for row in kernels), default=None)
    for rows, has_several, (most, most_words) in (("a row", False, (MOST_INSTRUCTIONS, MOST_INSTRUCTIONS)), ("several rows", True, MOST_OF_SEVERAL_ROWS)):
        meant = [row for row in kernels if (row["batch_rows"] > 1) == has_several]
        working = max((row["instructions"] - row["nops"] for row in meant), default=0)
        found.append(_limit(f"instructions of the longest kernel of {rows}, without nops", most, working))
        found.append(_limit(f"words of the longest kernel of {rows}", most_words, max((row["code_words"] for row in meant), default=0)))
    if committed:
        found.append(_limit("kernels with more words or spills than in the report before", 0,
                            len(grown(tables.sizes_of(kernels), committed))))
    found.append(_limit("spills", 0, worst("spills")))
    found.append(_limit("private memory, bytes", 0, worst("private_bytes")))
    for name, limit in LAUNCHES.items():
        found.append(_limit(f"launches a token, {name}", limit, _most(models, name, "launches_per_token")))
    for name, (key, limit) in LONG_CONTEXT_LAUNCHES.items():
        found.append(_limit(f"the same beyond 1,024 positions, {name}", limit, _most(models, name, key)))
    found.append(_limit("flushes a token", 1, max(_most(models, name, "flushes_per_token") for name in models)))
    bound = sum(row["bound"] == "arithmetic" for by_precision in models.values() for row in by_precision.values())
    found.append(_limit("models and precisions that wait for arithmetic, not for memory", 0, bound))
    if report["peer"] is not None:
        share = report["peer"]["llmd_us"] / report["peer"]["tinygrad_us"]
        found.append(_limit("host time of a GPT-2 124M token, of tinygrad's", PEER_SHARE, round(share, 3), timed=True))
    return found


def _most(models, name, key):
    return max(row[key] for row in models[name].values())
