"""check.py --build BUILD --root ROOT --work WORK [--types KIND,...] [--keys removed,...] [--real MODEL,...] FORM ...

Judges llmd on the files of make.py: those of the converter by llama-server and transformers, those that llama-quantize makes of
them by llama-server on the same weights in F32, and the F32 file with every key removed, changed and set to the value of another
form. Then the models of real.py. The last line counts."""
import argparse
import concurrent.futures
import pathlib
import sys
import traceback

sys.dont_write_bytecode = True
import embedding
import forms
import judge
import keys
import real
from gguf_file import Gguf  # where judge has it from
from judge import TOLERANCE

AT_ONCE = 2  # forms; each has one thread of llama-server's or llmd-bench's

# What llama-quantize makes, as published files are: L is Q4_K_M with the first and last matrix in Q8_0, XL mixes types by tensor,
# and QAT has an embedding in F16.
TYPES = {
    "f16": None, "bf16": None,  # the converter makes these
    "q4_0": ("Q4_0",), "q4_k_m": ("Q4_K_M",), "q8_0": ("Q8_0",), "q6_k": ("Q6_K",), "iq4_xs": ("IQ4_XS",), "q5_k_m": ("Q5_K_M",),
    "l": ("Q4_K_M", "--output-tensor-type", "q8_0", "--token-embedding-type", "q8_0"),
    "xl": ("Q4_K_M", "--token-embedding-type", "q6_k", "--tensor-type", "attn_v=q8_0", "--tensor-type", "attn_k=q6_k", "--tensor-type",
           "attn_q=q5_k", "--tensor-type", "ffn_down=iq4_xs", "--tensor-type", "attn_output=q5_0"),
    "qat": ("Q4_0", "--token-embedding-type", "f16"),
}


class Check:
    def __init__(self, args):
        self.args = args
        self.root = judge.Root(args.root)
        self.passed, self.failed, self.skipped = 0, 0, 0

    def say(self, good, line):
        print(("ok    " if good else "FAIL  ") + line, flush=True)
        self.passed += good
        self.failed += not good

    def form(self, name):
        form = forms.FORMS[name]
        directory = self.args.work / name
        source = directory / "f32.gguf"
        if form.keys:
            whole, source = source, directory / "keyed.gguf"
            Gguf(whole).copy(source, form.keys)
        text, answers = judge.read_reference(directory)
        if form.refused:
            return self.refused(name, form, source, text)
        if form.files:
            self.embedding(name, source, judge.read_embedding(directory))
        lengths = self.exact(name, form, source, text, answers)
        if not lengths:
            return
        # What XL names are K-quants, whose rows are multiples of 256.
        narrow = form.config.get("hidden_size", forms.WIDTH) < forms.WIDTH
        for kind in self.args.types:
            if kind == "xl" and narrow:
                continue
            self.quantized(name, form, directory, kind, text, lengths)
        for line, verdict in keys.variants(self.args, self.root, name, form, source, text, lengths):
            if verdict != keys.GOOD or self.args.verbose:
                self.say(verdict != keys.BAD, line)
            else:
                self.passed += 1

    def refused(self, name, form, source, text):
        try:
            judge.llmd(self.args.bench, source, text, [1], form.contexts[-1])
        except judge.bench_eval.Refused as error:
            said = judge.refusal(error)
            return self.say(form.refused in said, f"{name}: refused: {said}")
        self.say(False, f"{name}: loaded, and should be refused for {form.refused}")

    def embedding(self, name, path, reference):
        own = embedding.llmd(self.args.build, path, forms.EMBEDDED)
        from_peer = embedding.largest_difference(own, embedding.llama_cpp(self.root, path, forms.EMBEDDED))
        from_transformers = embedding.largest_difference(own, reference)
        self.say(max(from_peer, from_transformers) <= embedding.TOLERANCE,
                 f"{name}: embedding: llama.cpp {from_peer:.4f}, transformers {from_transformers:.4f}")

    def exact(self, name, form, source, text, answers):
        """The converter's F32 file: llmd agrees with both judges, or with the one that forms.py names. Returns the lengths after
        which it agrees with llama.cpp, which judges what is made of the file, a few of them."""
        agreed = []
        for n_ctx in form.contexts:
            lengths = [n for n in sorted(answers) if n < n_ctx]
            try:
                ours = judge.llmd(self.args.bench, source, text, lengths, n_ctx)
            except judge.bench_eval.Refused as error:
                self.say(False, f"{name}: llmd refuses it: {judge.refusal(error)}")
                return []
            # transformers chooses the factors of a longrope by a text's length, llama.cpp and llmd by the context's.
            known = [n for n in lengths if len(form.contexts) == 1 or (n > forms.ORIGINAL) == (n_ctx > forms.ORIGINAL)]
            tops = [judge.top_of(answers[n]) for n in known]
            from_transformers = judge.differences([ours[lengths.index(n)] for n in known], tops)
            try:
                peer = judge.llama_cpp(self.root, source, text, lengths, n_ctx)
            except judge.Refused as error:
                self.say(max(from_transformers) <= TOLERANCE and form.differs[:1] == ("transformers",),
                         f"{name}: F32: llama.cpp refuses it: {error}; transformers {max(from_transformers):.4f}")
                return []
            from_peer = judge.differences(ours, peer)
            self.say_exact(name, form, n_ctx, dict(zip(lengths, from_peer)), dict(zip(known, from_transformers)))
            agreed = [n for n, far in zip(lengths, from_peer) if far <= TOLERANCE]
        return [n for n in agreed if n in (33, form.window + 1, forms.LAST)]

    def say_exact(self, name, form, n_ctx, from_peer, from_transformers):
        """`from_...`: {length: difference}. What is listed must differ."""
        worst = {"llama.cpp": max(from_peer.values()), "transformers": max(from_transformers.values())}
        agrees = {who for who, far in worst.items() if far <= TOLERANCE}
        good = agrees == ({form.differs[0]} if form.differs else set(worst))
        line = f"{name}: F32, context {n_ctx}: " + ", ".join(f"{who} {far:.4f}" for who, far in worst.items())
        if not good:
            line += f"; {from_peer} {from_transformers}"
        self.say(good, line + (f"; listed: {form.differs[1]}" if form.differs else ""))

    def quantized(self, name, form, directory, kind, text, lengths):
        path, exact = directory / f"{kind}.gguf", directory / "exact.gguf"
        if TYPES[kind]:
            kind_of_file, *options = TYPES[kind]
            self.root.quantize(directory / "f32.gguf", path, kind_of_file, *options)
        self.root.quantize(path, exact, "F32", "--allow-requantize")
        n_ctx = form.contexts[-1]
        try:
            ours = judge.llmd(self.args.bench, path, text, lengths, n_ctx)
            peer = judge.llama_cpp(self.root, exact, text, lengths, n_ctx)
        except judge.bench_eval.Refused as error:
            return self.say(False, f"{name}: {kind}: llmd refuses it: {judge.refusal(error)}")
        except judge.Refused as error:
            return self.say(False, f"{name}: {kind}: llama.cpp refuses it: {error}")
        finally:
            exact.unlink(missing_ok=True)
            if TYPES[kind]:
                path.unlink()
        worst = max(judge.differences(ours, peer))
        self.say(worst <= TOLERANCE, f"{name}: {kind}: {worst:.4f}")


    def real(self, name):
        try:
            self.say(real.run(self.args, self.root, name), f"{real.MODELS[name].told}: the text of the same weights in F32")
        except real.Absent as reason:
            print(f"skip  {real.MODELS[name].told}: {reason}", flush=True)
            self.skipped += 1

    def run(self, check, name):
        try:
            check(name)
        except Exception:  # the others are checked all the same
            self.say(False, f"{name}: {traceback.format_exc()}")


def words(text):
    return [word for word in text.split(",") if word]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--bench", required=True, help="llmd-bench")
    parser.add_argument("--root", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--types", default=",".join(TYPES), type=words)
    parser.add_argument("--keys", default="removed,changed,neighbour,added", type=words)
    parser.add_argument("--real", default="", type=words)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("forms", nargs="+", metavar="FORM")
    args = parser.parse_args()
    check = Check(args)
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda name: check.run(check.form, name), args.forms))
    if args.real:
        real.print_head(args.real)
    for name in args.real:
        check.run(check.real, name)
    print(f"lane world: {check.passed} passed, {check.failed} failed, {check.skipped} skipped")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
