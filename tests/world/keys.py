"""Files with one key of the architecture removed, changed, set to another form's value, or added from another form: llmd refuses
them by name, or agrees with llama.cpp."""
import functools

import judge
from forms import FORMS
from gguf_file import Gguf  # where judge has it from

GOOD, BAD, LISTED = "good", "bad", "listed"

# {key: why llmd loads a file that llama.cpp does not}
LOADED = {
    "rope.dimension_count": "llama.cpp refuses parts of heads, or asserts that there are none, and ends; llmd rotates the part that is said",
    "attention.value_length": "without it llama.cpp expects values of a model's width by its heads, llmd those of attention.key_length",
    "expert_used_count": "llama.cpp asserts that it is 0 without experts, and ends; it changes nothing there",
}
# {(architecture, key, how it is changed): why llmd computes something else}
OTHERWISE = {
    ("exaone4", "attention.sliding_window", "added"): "llama.cpp takes the windows of 64 layers only, transformers of any number",
    **{("phi3", "attention.sliding_window", how): "llama.cpp ignores the windows of phi3, which transformers has"
       for how in ("changed", "neighbour", "added")},
    **{(architecture, f"rope.scaling.yarn_beta_{end}", how):
       "llama.cpp does not read the betas of this architecture's YaRN, transformers does"
       for architecture in ("arcee", "gemma3", "olmo2") for end in ("fast", "slow") for how in ("changed", "neighbour")},
}

SCALINGS = ["none", "linear", "yarn", "longrope"]


def changed(key, value):
    """Other values that a file could have."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, str):
        return [name for name in SCALINGS if name != value]
    if isinstance(value, list):
        other = not value[0] if isinstance(value[0], bool) else value[0] * 2
        return [[*value[1:], value[0]] if len(set(value)) > 1 else [other, *value[1:]]]
    if isinstance(value, float):
        return [value * (1000 if "epsilon" in key else 1.5)]
    if key in ("block_count", "pooling_type"):
        return [value - 1]
    return [value * 2 or 1, value // 2] if value > 1 else [value * 2 or 1]


@functools.cache
def keys_of(path):
    """(architecture, {key without the architecture: value})"""
    meta = Gguf(path).meta
    architecture = meta["general.architecture"]
    return architecture, {key[len(architecture) + 1:]: value for key, value in meta.items() if key.startswith(architecture + ".")}


def others(args, name):
    """{key: its values in other forms, those of the same architecture first}"""
    own = keys_of(args.work / name / "f32.gguf")[0]
    files = {other: args.work / other / "f32.gguf" for other in FORMS if other != name}
    read = [keys_of(path) for path in files.values() if path.exists()]
    found = {}
    for _, listed in sorted(read, key=lambda one: one[0] != own):
        for key, value in listed.items():
            found.setdefault(key, []).append(value)
    return found


def list_variants(args, name):
    """(how, key, value or None) of every file."""
    architecture, own = keys_of(args.work / name / "f32.gguf")
    elsewhere = others(args, name)
    for key, value in own.items():
        if "removed" in args.keys:
            yield "removed", key, None
        if "changed" in args.keys:
            yield from (("changed", key, other) for other in changed(key, value))
        if "neighbour" in args.keys:
            neighbours = [other for other in elsewhere.get(key, []) if other != value]
            yield from (("neighbour", key, other) for other in neighbours[:1])
    first = next(form for form in FORMS if (args.work / form / "f32.gguf").exists() and
                 keys_of(args.work / form / "f32.gguf")[0] == architecture)
    if "added" in args.keys and name == first:
        yield from (("added", key, values[0]) for key, values in elsewhere.items() if key not in own)


def variants(args, root, name, form, source, text, lengths):
    """(line, verdict) of every file."""
    architecture = keys_of(args.work / name / "f32.gguf")[0]
    file = Gguf(source)
    path = source.with_name("variant.gguf")
    n_ctx = form.contexts[-1]
    lengths = lengths[-2:]
    for how, key, value in list_variants(args, name):
        file.copy(path, {f"{architecture}.{key}": value})
        told = f"{name}: {key} {how}" + ("" if value is None else f" to {str(value)[:60]}")
        good, loaded, line = judge_variant(args, root, path, text, lengths, n_ctx)
        reason = None if good else OTHERWISE.get((architecture, key, how)) if loaded else LOADED.get(key)
        yield f"{told}: {line}" + (f"; listed: {reason}" if reason else ""), GOOD if good else LISTED if reason else BAD
    path.unlink(missing_ok=True)


def judge_variant(args, root, path, text, lengths, n_ctx):
    """(whether llmd is right, whether llama.cpp loads the file, what is to be said)"""
    try:
        ours = judge.llmd(args.bench, path, text, lengths, n_ctx)
    except judge.bench_eval.Refused as error:
        return True, None, f"llmd refuses it: {judge.refusal(error)}"
    try:
        peer = judge.llama_cpp(root, path, text, lengths, n_ctx)
    except judge.Refused as error:
        return False, False, f"llmd loads it, llama.cpp does not: {error}"
    worst = max(judge.differences(ours, peer))
    return worst <= judge.TOLERANCE, True, f"{worst:.4f} from llama.cpp"
