"""What the report says of each kernel and each model: plain dictionaries, as they are printed in JSON."""
import math

import hollow_model

# An Adreno 630: 2 shader processors of 128 lanes at 710 MHz, and the peak of its memory. One instruction of a listing is
# one lane's slot.
LANES = 2 * 128
LANE_INSTRUCTIONS_PER_S = LANES * 710e6
BYTES_PER_S = 29.8e9

POSITION = 128  # of the token that the report is about
HALF_BYTES = 2  # of a key or a value

BLOCK_WEIGHTS = 64  # that a row pair has in 32 columns: what matmul.cl computes at each pass of its loop
ACTIVATION_BITS = {"1": 8, "2": 15}  # by VALUE_BYTES, activations.cl
LAYOUT_FORMATS = {"Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q4_K", "Q5_K", "Q6_K", "IQ4_NL", "IQ4_XS", "F16"}


def bytes_per_weight(weight_format):
    _, block_weights, block_bytes = hollow_model.FORMATS[weight_format]
    return block_bytes / block_weights


def break_even(weight_format):
    """Instructions per weight above which arithmetic, not memory, limits a matmul."""
    return bytes_per_weight(weight_format) / BYTES_PER_S * LANE_INSTRUCTIONS_PER_S


def _doublings(options):
    """Loops of two passes in which matmul.cl adds a block: over its halves, and their quarters."""
    return {8: 0, 4: 1, 2: 2}[int(options.get("UNROLLED_VEC4S", 8))]


def _loop_weights(kernel, hot):
    """Weights times batch rows that the hot loop multiplies at each pass; the compiler may have unrolled it."""
    options = kernel.options
    batch_rows, value_bytes = int(options["BATCH_ROWS"]), int(options["VALUE_BYTES"])
    block = BLOCK_WEIGHTS * int(options["PAIRS"]) * batch_rows
    is_float = 2 * hot.float_multiply_adds > hot.multiply_adds
    # Integers hold two rows, and each byte has a multiplication of its own.
    one_pass = block if is_float else block * value_bytes // 2
    return max(1, round(hot.multiply_adds / one_pass)) * block, "float" if is_float else "integer"


def _bound(slots, n_bytes):
    return "memory" if slots / LANE_INSTRUCTIONS_PER_S < n_bytes / BYTES_PER_S else "arithmetic"


def attention_cost(kernel):
    """Of one launch of attention without split at POSITION: its groups, their items, the bytes of the keys and values that it reads
    (once, though groups may share them), and its issue slots, without nops and with.

    An item does every instruction once, and of three loops the passes that the positions ask for: it multiplies the keys of every
    ITEMS-th position with the queries, makes weights of these scores, and multiplies its share of the values with weights. All
    items of a group pass as often as one, and where a launch has fewer items than the GPU has lanes, the others are idle."""
    head_dim, heads, items, q_rows, kv_rows = (
        int(kernel.options[name]) for name in ("HEAD_DIM", "HEADS", "ITEMS", "Q_ROWS", "KV_ROWS"))
    seen = min(POSITION + 1, int(kernel.options.get("WINDOW", POSITION + 1)))
    multiplying = [loop for loop in kernel.listing.loops if loop.multiply_adds and not loop.kinds["barrier"]]
    dots = sorted((loop for loop in multiplying if loop.kinds["global load"]), key=lambda loop: -loop.multiply_adds)
    exponentials = [loop for loop in multiplying if not loop.kinds["global load"]]
    if (len(dots), len(exponentials)) != (2, 1):
        raise SystemExit(f"attention has {len(dots)} loops over keys and values and {len(exponentials)} over weights, not 2 and 1")
    positions, value_positions = math.ceil(seen / items), math.ceil(seen * head_dim / 4 / items)
    passes = [(dots[0], positions * heads * head_dim / dots[0].multiply_adds),
              (dots[1], value_positions * heads * 4 / dots[1].multiply_adds),
              (exponentials[0], positions * heads)]
    working = kernel.listing.instructions - kernel.listing.nops + sum((n - 1) * loop.instructions for loop, n in passes)
    nops = kernel.listing.nops + sum((n - 1) * loop.nops for loop, n in passes)
    groups = q_rows // head_dim // heads
    lanes = max(groups * items, LANES)
    return {"groups": groups, "items": items, "kv_bytes": seen * 2 * kv_rows * HALF_BYTES,
            "slots": (round(lanes * working), round(lanes * (working + nops)))}


def kernel_row(kernel, precision, model):
    listing, options = kernel.listing, kernel.options
    row = {
        "name": kernel.name, "kernel": kernel.name, "precision": precision, "models": [model], "format": None, "bits": None,
        "batch_rows": int(options.get("BATCH_ROWS", 1)), "launches_per_token": {model: kernel.launches},
        "instructions": listing.instructions, "nops": listing.nops, "code_words": listing.code_words,
        "registers": listing.registers, "half_registers": listing.half_registers, "waves": listing.waves,
        "spills": listing.spills,
        "private_bytes": kernel.private_bytes, "local_bytes": kernel.local_bytes,
        "non_nop_per_weight": None, "nops_per_weight": None, "break_even": None, "bound": None, "attention": None,
    }
    if kernel.name == "attention" and options["SPLIT"] == "0":
        row["attention"] = attention_cost(kernel)
        row["bound"] = _bound(row["attention"]["slots"][0], row["attention"]["kv_bytes"])
    layout = next((name for name in LAYOUT_FORMATS if "LAYOUT_" + name in options), None)
    hot = listing.hot_loop(_doublings(options))
    if kernel.name != "matmul" or layout is None or hot is None or hot.multiply_adds == 0:
        row["name"] = " ".join(filter(None, [kernel.name, layout, _details(kernel)]))
        return row
    weights, core = _loop_weights(kernel, hot)
    epilogue = options.get("EPILOGUE", "").removeprefix("EPILOGUE_").lower()
    row["name"] = f"matmul {layout} {epilogue}".strip()
    next_value_bytes = options.get("NEXT_VALUE_BYTES", options["VALUE_BYTES"])
    if next_value_bytes != options["VALUE_BYTES"]:
        row["name"] += f" to {ACTIVATION_BITS[next_value_bytes]} bits"
    row["shape"] = {"core": core, "pairs": int(options["PAIRS"]), "lanes": int(options["LANES"]),
                    "k_splits": int(options["K_SPLITS"]), "image": options.get("IMAGE") == "1"}
    row["format"] = layout
    row["bits"] = ACTIVATION_BITS[options["VALUE_BYTES"]]
    # Where another launch goes on with queries, keys and values, they are what a norm's input is stored from.
    row["is_qkv"] = epilogue == "qkv" or (epilogue == "store" and options.get("INPUT_NORM") != "NORM_NONE")
    row["non_nop_per_weight"] = round(hot.instructions / weights, 3)
    row["nops_per_weight"] = round(hot.nops / weights, 3)
    # Batch rows share what is read.
    row["break_even"] = round(break_even(layout) / row["batch_rows"], 2)
    row["bound"] = "memory" if row["non_nop_per_weight"] < row["break_even"] else "arithmetic"
    return row


def _details(kernel):
    """What tells kernels of one name apart for a reader."""
    known = {"HEAD_DIM": "of {}", "HEADS": "x {} heads", "SPLIT": "split {}", "WINDOW": "window {}"}
    return ", ".join(text.format(kernel.options[key]) for key, text in known.items()
                     if key in kernel.options and kernel.name in ("attention", "merge"))


def merge_rows(rows):
    """One row for each compiled program, with all models that use it; in both precisions it may be the same."""
    merged = {}
    for row, identity in rows:
        other = merged.setdefault(identity, row)
        if other["precision"] != row["precision"]:
            other["precision"] = "both"
        other["models"] = sorted({*other["models"], *row["models"]})
        other["launches_per_token"] |= row["launches_per_token"]
    return sorted(merged.values(), key=lambda r: (not any(r["launches_per_token"].values()), r["batch_rows"],
                                                  r["precision"], r["name"]))


def model_row(shape_name, mixture, precision, kernels, measured):
    """The least time of a token: every weight, key and value moved once, every weight's instructions and attention's done once."""
    shape = hollow_model.SHAPES[shape_name]
    weights = hollow_model.weights_of_a_token(shape, mixture)
    attention = [(sum(kernel["launches_per_token"].values()), kernel["attention"]) for kernel in kernels if kernel["attention"]]
    kv_bytes = sum(launches * cost["kv_bytes"] for launches, cost in attention)
    n_bytes = measured["weight_bytes_per_token"] + kv_bytes
    row = {
        "precision": precision, "launches_per_token": measured["launches_per_token"],
        "flushes_per_token": measured["flushes_per_token"], "host_us_per_token": round(measured["host_us_per_token"], 1),
        "cpu_us_per_token": round(measured["cpu_us_per_token"], 1),
        "weight_bytes_per_token": measured["weight_bytes_per_token"], "kv_bytes_per_token": kv_bytes,
        "memory_ms": round(n_bytes / BYTES_PER_S * 1e3, 3),
        "arithmetic_ms": None, "arithmetic_ms_with_nops": None, "bound": None,
    }
    # The slowest of the programs that a format has; those of queries, keys and values have 15 bits in both precisions.
    cost = {}
    for kernel in kernels:
        if kernel["format"] and kernel["batch_rows"] == 1:
            slots = (kernel["non_nop_per_weight"], kernel["non_nop_per_weight"] + kernel["nops_per_weight"])
            which = kernel["format"], kernel["is_qkv"]
            cost[which] = max(cost.get(which, (0, 0)), slots)
    if set(weights) <= set(cost):
        slots = [sum(count * cost[key][which] for key, count in weights.items()) +
                 sum(launches * one["slots"][which] for launches, one in attention) for which in (0, 1)]
        row["arithmetic_ms"], row["arithmetic_ms_with_nops"] = (round(n / LANE_INSTRUCTIONS_PER_S * 1e3, 3) for n in slots)
        row["bound"] = _bound(slots[0], n_bytes)
    return row
