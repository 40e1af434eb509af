"""The report as a document, and the sizes of kernels read back from one."""
import datetime
import re

import gpus
from rows import BYTES_PER_S, LANE_INSTRUCTIONS_PER_S, POSITION

_INTRODUCTION = """# On an Adreno 630

Nothing here ran on an Adreno. Mesa's own compiler and driver for it did run, and a shim that computes nothing stood for the Linux
kernel. So each compiled kernel is the one that a phone gets, and the host's time for a token is that of this machine; the speed of
the GPU is only an estimate.

{date}, freedreno of Mesa {driver}, x86-64, `tests/lanes/adreno BUILD`, which prints this page. The models have real
shapes and empty weights.

The estimate assumes {slots:.1f} G lane instructions a second (2 processors of 128 lanes at 710 MHz) and {bandwidth:.1f} GB/s, the memory's
peak. A matmul whose instructions per weight are below its break-even waits for memory; 'nops' are issue slots in which a wave
waits, which other waves may fill. Activations have 15 bits in faithful precision. In fast precision they have 8, except those from
which queries, keys and values are computed. 'Rows' are the rows of the batch that are computed together; a decoded token has one.
'Instructions' of a kernel are what the compiler counts, which includes each repetition of an instruction and nops; in 'words' of 8
bytes, of which the instruction cache holds 1,024, repetitions and most nops take no room of their own.
"""

_MODELS = """## Models

The figures are for a token at position {position}. The host's time is that of one step after another; CPU time is that of all
threads; MB are those of the weights. Memory counts weights, keys and values. Arithmetic counts attention and the loops of the
matmuls, at the cost of a format's most expensive kernel; queries, keys and values have their own.
"""

_ATTENTION = """## Attention of a decoded token

The figures are for one launch at position {position}. Keys and values count once, though groups may share them. Instructions are
those of all items, with the passes of the loops over positions; where there are fewer items than the GPU has lanes, the
others count as well. Launches run one after another, so one that waits for arithmetic adds to a token's time what is above its
memory's.
"""


def _table(headings, lines):
    body = ["| " + " | ".join(headings) + " |", "|" + "---|" * len(headings)]
    body += ["| " + " | ".join("" if cell is None else str(cell) for cell in line) + " |" for line in lines]
    return "\n".join(body) + "\n"


def _shape(row):
    shape = row.get("shape")
    if shape is None:
        return ""
    return f"{shape['core']}, {shape['pairs']}x{shape['lanes']}x{shape['k_splits']}" + (", image" if shape["image"] else "")


def _weights_table(rows):
    headings = ["kernel", "precision", "bits", "rows", "core, pairs x lanes x split-K", "instructions/weight", "with nops",
                "break-even", "bound"]
    return _table(headings, [
        (row["name"], row["precision"], row["bits"], row["batch_rows"], _shape(row), f"{row['non_nop_per_weight']:.2f}",
         f"{row['non_nop_per_weight'] + row['nops_per_weight']:.2f}", row["break_even"], row["bound"])
        for row in rows if row["format"]])


def _attention_table(rows):
    headings = ["kernel", "precision", "models", "groups x items", "KV bytes", "memory us", "arithmetic us", "with nops", "bound"]
    us = lambda slots: f"{slots / LANE_INSTRUCTIONS_PER_S * 1e6:.1f}"
    return _table(headings, [
        (row["name"], row["precision"], _shapes(row), f"{cost['groups']}x{cost['items']}", cost["kv_bytes"],
         f"{cost['kv_bytes'] / BYTES_PER_S * 1e6:.1f}", us(cost["slots"][0]), us(cost["slots"][1]), row["bound"])
        for row in rows if (cost := row["attention"])])


def _shapes(row):
    return ", ".join(sorted({model.split()[0] for model in row["models"]}))


def _size_table(rows):
    headings = ["kernel", "precision", "rows", "models", "instructions", "of them nops", "words",
                "registers", "waves", "spills",
                "private bytes", "local bytes"]
    return _table(headings, [
        (row["name"], row["precision"], row["batch_rows"], _shapes(row), row["instructions"], row["nops"],
         row["code_words"], row["registers"], row["waves"], row["spills"], row["private_bytes"], row["local_bytes"]) for row in rows])


def _models_table(models):
    headings = ["model", "precision", "launches", "flushes", "host us", "CPU us", "MB", "memory ms", "arithmetic ms",
                "with nops", "bound"]
    lines = []
    for name, by_precision in models.items():
        for precision, row in by_precision.items():
            lines.append((name, precision, f"{row['launches_per_token']:g}", f"{row['flushes_per_token']:g}",
                          f"{row['host_us_per_token']:.0f}", f"{row['cpu_us_per_token']:.0f}",
                          f"{row['weight_bytes_per_token'] / 1e6:.1f}", row["memory_ms"], row["arithmetic_ms"],
                          row["arithmetic_ms_with_nops"], row["bound"]))
    return _table(headings, lines)


def _peer_text(peer):
    if peer is None:
        return ""
    return "\n## Beside tinygrad\n\nThe table has the host's time for a token of GPT-2 124M, on the same shim in the same run, alternately, medians.\n\n" + \
        _table(["program", "launches", "us", "CPU us"], [
            ("llmd", f"{peer['llmd_launches']:g}", f"{peer['llmd_us']:.0f}", f"{peer['llmd_cpu_us']:.0f}"),
            ("tinygrad", peer["tinygrad_launches"], f"{peer['tinygrad_us']:.0f}", f"{peer['tinygrad_cpu_us']:.0f}"),
            ("llmd's share", "", f"{peer['llmd_us'] / peer['tinygrad_us']:.3f}",
             f"{peer['llmd_cpu_us'] / peer['tinygrad_cpu_us']:.3f}")])


def sizes_of(kernels):
    """{(kernel, precision, rows of the batch, model's shape): (words, spills)}, the largest of those that are called the same."""
    sizes = {}
    for row in kernels:
        for precision in ("faithful", "fast") if row["precision"] == "both" else (row["precision"],):
            for model in row["models"]:
                key = row["name"], precision, row["batch_rows"], model.split()[0]
                sizes[key] = tuple(map(max, sizes.get(key, (0, 0)), (row["code_words"], row["spills"])))
    return sizes


_SIZE_ROW = re.compile(r"\| ([^|]+) \| (both|faithful|fast) \| (\d+) \| ([a-z][^|]*) \| \d+ \| \d+ \| (\d+) \| \d+ \| \d+ \| (\d+) \|")


def read_sizes(document):
    """sizes_of() the kernels of a document."""
    return sizes_of({"name": row[1], "precision": row[2], "batch_rows": int(row[3]), "models": row[4].split(", "),
                     "code_words": int(row[5]), "spills": int(row[6])} for row in _SIZE_ROW.finditer(document))


_CHIPS = """## Other Adrenos

The table has a column for each chip that Mesa's shim knows, with the kernels of {models} in both precisions. {cache} 'Of memory's
time' is how long a token's arithmetic takes, of the time in which its weights, keys and values are read, both at a 630's speed;
where it is below 1, the model waits for memory. The other chips' clocks are not assumed: those made later compute more for each
byte that they read.
"""


def _chips_text(chips):
    if not chips:
        return ""
    measures = {}  # {measure: {chip: value}}
    for name, chip in chips.items():
        if "refused" in chip:
            continue
        put = lambda what, value: measures.setdefault(what, {}).__setitem__(name, value)
        for rows, has_several in (("a row", False), ("several rows", True)):
            meant = [row for row in chip["kernels"] if (row["batch_rows"] > 1) == has_several]
            put(f"instructions of the longest kernel of {rows}, without nops", max(row["instructions"] - row["nops"] for row in meant))
            put(f"words of the longest kernel of {rows}", max(row["code_words"] for row in meant))
        put("words of all kernels", sum(row["code_words"] for row in chip["kernels"]))
        for row in chip["kernels"]:
            if row["format"] and row["batch_rows"] == 1:
                what = f"instructions per weight, {row['format']}, activations of {row['bits']} bits"
                put(what, max(f"{row['non_nop_per_weight']:.2f}", measures.get(what, {}).get(name, "")))
        put("spills", sum(row["spills"] for row in chip["kernels"]))
        put("private memory, bytes", sum(row["private_bytes"] for row in chip["kernels"]))
        for model, by_precision in chip["models"].items():
            put(f"launches a token, {model}", max(f"{row['launches_per_token']:g}" for row in by_precision.values()))
        for model, by_precision in chip["models"].items():
            for precision, row in by_precision.items():
                share = row["arithmetic_ms"] and row["arithmetic_ms"] / row["memory_ms"]
                put(f"arithmetic of memory's time, {model} {precision}", share and f"{share:.2f}, {row['bound']}")
    names = [name for name in chips if "refused" not in chips[name]]
    cache = [f"{words:,} words on a " + ", ".join(name for name in names if gpus.CACHE_WORDS.get(name) == words)
             for words in sorted({gpus.CACHE_WORDS[name] for name in names if name in gpus.CACHE_WORDS})]
    text = _CHIPS.format(models=", ".join(sorted({model for chip in chips.values() for model in chip.get("models", {})})),
                         cache=f"The instruction cache holds {' and '.join(cache)}." if cache else "")
    text += "\n" + _table(["what", *names], [(what, *(by_chip.get(name) for name in names)) for what, by_chip in measures.items()])
    for name in chips:
        if "refused" in chips[name]:
            text += f"\nA {name} is refused: {chips[name]['refused']}.\n"
    return text


_OTHERS = """## GPUs of other makers

The programs of the same models are compiled for the GPU that a shim stands for. 'To memory' counts those with registers that were
spilled to memory; 'to registers' those whose scalar registers were spilled to lanes of vector registers only.
"""


def _others_text(others):
    if not others:
        return ""
    lines = []
    for name, row in others.items():
        if "refused" in row:
            lines.append((name, row["refused"], None, None, None, None))
        else:
            launches = ", ".join(f"{model} {n:g}" for model, n in row["launches"].items())
            lines.append((name, row["device"], row["programs"], row["spills_to_memory"], row["spills_to_registers"], launches))
    return _OTHERS + "\n" + _table(["driver", "GPU", "programs", "spill to memory", "to registers", "launches a token"], lines)


def document(report):
    more = [text for text in (_chips_text(report["chips"]), _others_text(report["others"])) if text]
    return "\n".join(([_first_document(report)] if "kernels" in report else []) + more)


def _first_document(report):
    decode = [row for row in report["kernels"] if any(row["launches_per_token"].values())]
    others = [row for row in report["kernels"] if row not in decode]
    parts = [
        _INTRODUCTION.format(date=datetime.date.today().isoformat(), driver=report["driver"],
                             slots=LANE_INSTRUCTIONS_PER_S / 1e9, bandwidth=BYTES_PER_S / 1e9),
        "## Limits\n", _table(["what", "limit", "measured", "holds"], [
            (limit["what"], limit["limit"], limit["value"], "yes" if limit["holds"] else "**no**")
            for limit in report["limits"]]),
        _MODELS.format(position=POSITION),
        _models_table(report["models"]) + _peer_text(report["peer"]),
        "## Matmuls of a decoded token, in their hot loop\n", _weights_table(decode),
        _ATTENTION.format(position=POSITION), _attention_table(decode),
        "## All kernels of a decoded token\n", _size_table(decode),
        "## Matmuls of several rows of the batch\n\nInstructions and break-even are per weight and row of the batch.\n", _weights_table(others),
        "## All other kernels\n", _size_table(others),
    ]
    return "\n".join(parts)
