"""That the Adreno report counts what a listing says: repeats, nops, loops within loops, spills; that a trace gives each kernel its
program's listing and a token's launches, and of other drivers their spills; that a kernel that grew since an earlier report is
found, and a chip that is refused leaves the others; that attention's loops are counted as often as the positions ask, and in a model's sum;
that a hollow model's weights are counted by format; and where a limit breaks."""
import unittest

import hollow_model
import ir3_listing
import limits
import rows
import shim
import tables

LISTING = """\
NIR (final form) for CL shader (null):
decl_function __wrapped_matmul () (entrypoint)
Native code for unnamed CL shader (null) with blake3 00:
@in(r0.x)\tin0 (wrmask=0x7)
(rpt1)shl.b r0.w, (r)c7.z, 3
l1:
add.u r1.x, r0.w, 1
l2:
(nop3) add.u r1.y, r1.x, 1
(sy)(ss)(rpt3)mad.s24 r2.x, r1.x, r1.y, r2.x
mad.f32 r3.x, r1.x, r1.y, r3.x
(rpt2)nop
jump #l2
ldp.u32 r4.x, p[r0.x], 1
jump #l1
end
; CL prog 1/1: 40 instr, 9 nops, 31 non-nops, 1 mov, 2 cov, 60 dwords
; CL prog 1/1: 0 last-baryf, 0 last-helper, 2 half, 24 full, 16 constlen
; CL prog 1/1: 8 max_waves, 1 double_threadsize
"""

# A loop over splits, which has those over keys, weights and values in it: 18, 5 and 11 instructions, of which 16, 1 and 8
# multiply and add.
ATTENTION = """\
NIR (final form) for CL shader (null):
decl_function __wrapped_attention () (entrypoint)
Native code for unnamed CL shader (null) with blake3 00:
add.u r1.x, r0.w, 1
l1:
bar.g
l2:
ldg.u16 hr9.x, g[r8.z], 4
(rpt7)mad.f32 r3.x, r1.x, r1.y, r3.x
(rpt7)mad.f32 r3.x, r1.x, r1.y, r3.x
(nop2) jump #l2
l3:
(rpt1)add.f r3.x, r1.x, r1.y
mad.f32 r3.x, r1.x, r1.y, r3.x
rcp r9.y, r9.y
jump #l3
l4:
ldg.u16 hr9.x, g[r8.z], 4
add.u r1.x, r0.w, 1
(rpt7)mad.f32 r3.x, r1.x, r1.y, r3.x
(nop1) jump #l4
mad.f32 r3.x, r1.x, r1.y, r3.x
jump #l1
end
; CL prog 1/1: 41 instr, 3 nops, 38 non-nops, 1 mov, 2 cov, 60 dwords
; CL prog 1/1: 0 last-baryf, 0 last-helper, 2 half, 24 full, 16 constlen
; CL prog 1/1: 16 max_waves, 0 double_threadsize
"""


def log_of(*parts):
    return "\n".join(part if part.startswith("TRACE") else
                     "\n".join("MESA: info: " + line for line in part.splitlines()) for part in parts)


class Listing(unittest.TestCase):
    def test_counts(self):
        kernel, = ir3_listing.read_kernels(log_of(LISTING))
        self.assertEqual((kernel.name, kernel.instructions, kernel.nops, kernel.code_words), ("matmul", 40, 9, 30))
        self.assertEqual((kernel.registers, kernel.half_registers, kernel.waves, kernel.spills), (24, 2, 8, 1))
        inner = kernel.hot_loop()
        self.assertEqual((inner.instructions, inner.nops), (1 + 4 + 1 + 1, 3 + 3))
        self.assertEqual((inner.multiply_adds, inner.float_multiply_adds), (5, 1))
        outer, = [loop for loop in kernel.loops if loop is not inner]
        self.assertEqual((outer.instructions, outer.nops), (3, 0))
        both = kernel.hot_loop(1)
        self.assertEqual((both.instructions, both.nops, both.multiply_adds), (3 + 2 * 7, 2 * 6, 2 * 5))


class Trace(unittest.TestCase):
    TRACE = ("TRACE build 0xa -DLAYOUT_Q4_0 -DBATCH_ROWS=1", LISTING, "TRACE kernel 0x1 0xa matmul 0 4096",
             "TRACE kernel 0x2 0xa matmul 0 4096", "TRACE build 0xa -DBATCH_ROWS=2", LISTING,
             "TRACE kernel 0x3 0xa matmul 512 0", "TRACE launch 0x3 64 64", "TRACE wait", "TRACE launch 0x1 64 64",
             "TRACE launch 0x2 64 64", "TRACE wait", "TRACE wait")

    def test_kernels(self):
        one, other = shim.read_trace(log_of(*self.TRACE))
        self.assertEqual((one.options, one.launches, one.local_bytes), ({"LAYOUT_Q4_0": "", "BATCH_ROWS": "1"}, 2, 4096))
        self.assertEqual((other.options["BATCH_ROWS"], other.launches, other.private_bytes), ("2", 0, 512))

    def test_refuses_a_kernel_that_is_compiled_later(self):
        with self.assertRaises(SystemExit):
            shim.read_trace(log_of(*self.TRACE[:3], LISTING))


def attention_row(text=ATTENTION, **changes):
    """The row of an attention with 8 query heads and 4 of keys and values, launched twice a token."""
    options = {"HEAD_DIM": "64", "HEADS": "2", "ITEMS": "64", "Q_ROWS": "512", "KV_ROWS": "256", "SPLIT": "0"} | changes
    listing, = ir3_listing.read_kernels(log_of(text))
    return rows.kernel_row(shim.TracedKernel("attention", options, listing, 0, 0, 2), "fast", "m")


class Attention(unittest.TestCase):
    # 129 positions: an item has the keys of 3, each 128 multiply-adds, 6 weights, and a quarter of the values of all positions.
    WORKING = 38 + 23 * 18 + 5 * 5 + 32 * 11
    NOPS = 3 + 23 * 2 + 32 * 1

    def test_cost(self):
        row = attention_row()
        self.assertEqual(row["attention"], {"groups": 4, "items": 64, "kv_bytes": 129 * 256 * 4,
                                            "slots": (256 * self.WORKING, 256 * (self.WORKING + self.NOPS))})
        self.assertEqual((row["name"], row["bound"]), ("attention of 64, x 2 heads, split 0", "memory"))

    def test_few_groups_leave_lanes_idle(self):
        self.assertEqual(attention_row(Q_ROWS="128")["attention"]["slots"][0], 256 * self.WORKING)
        self.assertEqual(attention_row(Q_ROWS="1024")["attention"]["slots"][0], 512 * self.WORKING)
        self.assertEqual(attention_row(Q_ROWS="1024", KV_ROWS="64")["bound"], "arithmetic")

    def test_window(self):
        cost = attention_row(WINDOW="64")["attention"]
        self.assertEqual((cost["kv_bytes"], cost["slots"][0]), (64 * 256 * 4, 256 * (38 + 7 * 18 + 1 * 5 + 15 * 11)))

    def test_attention_of_a_split_is_none_of_this_position(self):
        self.assertIsNone(attention_row(SPLIT="1")["attention"])

    def test_refuses_loops_that_it_does_not_know(self):
        with self.assertRaises(SystemExit):
            attention_row(text=ATTENTION.replace("rcp", "ldg.u32"))

    def test_counts_in_the_model(self):
        matmul = {"format": None, "attention": None, "batch_rows": 1, "launches_per_token": {"m": 1}}
        matmuls = [matmul | {"format": name, "is_qkv": is_qkv, "non_nop_per_weight": 2.0, "nops_per_weight": 0.5}
                   for name, is_qkv in (("Q4_0", True), ("Q4_0", False), ("Q6_K", False))]
        measured = {"launches_per_token": 1, "flushes_per_token": 1, "host_us_per_token": 1, "cpu_us_per_token": 1,
                    "weight_bytes_per_token": 1 << 20}
        without, row = (rows.model_row("gpt2-124m", "Q4_0", "fast", kernels, measured)
                        for kernels in (matmuls, [*matmuls, attention_row()]))
        self.assertEqual((row["kv_bytes_per_token"], without["kv_bytes_per_token"]), (2 * 129 * 1024, 0))
        added = lambda name: row[name] - without[name]
        self.assertAlmostEqual(added("memory_ms"), 2 * 129 * 1024 / rows.BYTES_PER_S * 1e3, delta=1e-3)
        self.assertAlmostEqual(added("arithmetic_ms"), 2 * 256 * self.WORKING / rows.LANE_INSTRUCTIONS_PER_S * 1e3, delta=1e-3)
        # Weights alone wait for memory just so, and no longer with an attention of many query heads.
        measured["weight_bytes_per_token"] = (without["arithmetic_ms"] + 1e-3) * 1e-3 * rows.BYTES_PER_S
        costly = attention_row(Q_ROWS="4096", KV_ROWS="64")
        bounds = [rows.model_row("gpt2-124m", "Q4_0", "fast", kernels, measured)["bound"]
                  for kernels in (matmuls, [*matmuls, costly])]
        self.assertEqual(bounds, ["memory", "arithmetic"])


class Model(unittest.TestCase):
    def test_weights_of_a_token(self):
        gpt2 = hollow_model.SHAPES["gpt2-124m"]
        self.assertEqual(hollow_model.weights_of_a_token(gpt2, "Q4_0"),
                         {("Q6_K", False): 50257 * 768, ("Q4_0", True): 12 * 3 * 768 * 768,
                          ("Q4_0", False): 12 * 9 * 768 * 768})
        formats = lambda shape, mixture: {which[0] for which in hollow_model.weights_of_a_token(shape, mixture)}
        self.assertEqual(formats(gpt2, "Q4_K_M"), {"Q4_K", "Q5_K", "Q6_K"})
        # Too narrow for blocks of 256.
        self.assertEqual(formats(hollow_model.SHAPES["smollm2-135m"], "Q4_0"), {"Q8_0", "Q4_0"})


class Limits(unittest.TestCase):
    def test_break_even(self):
        self.assertAlmostEqual(rows.break_even("Q4_0"), 3.43, places=2)

    def test_broken(self):
        kernel = {"format": "Q4_0", "bits": 8, "batch_rows": 1, "non_nop_per_weight": 1.7, "instructions": 900, "nops": 0,
                  "code_words": 700, "spills": 0, "private_bytes": 0}
        model = {"launches_per_token": 64, "launches_per_token_at_1100": 135, "flushes_per_token": 1, "bound": "memory"}
        models = {name: {"fast": model} for name in limits.LAUNCHES}
        models["lfm2-1.2b Q4_0"]["faithful"] = model | {"bound": "arithmetic"}
        broken = [limit["what"] for limit in limits.check({"kernels": [kernel], "models": models, "peer": None}, {})
                  if not limit["holds"] and limit["value"] is not None]
        self.assertEqual(broken, ["instructions per weight, Q4_0, activations of 8 bits", "launches a token, gpt2-124m Q4_0",
                                  "models and precisions that wait for arithmetic, not for memory"])


class Sizes(unittest.TestCase):
    def test_growth_since_an_earlier_report(self):
        row = rows.kernel_row(shim.TracedKernel("attention", {"HEAD_DIM": "64", "SPLIT": "1"},
                                                ir3_listing.read_kernels(log_of(ATTENTION))[0], 0, 0, 2), "both", "gpt2-124m Q4_0")
        before = tables.read_sizes(tables._size_table([row]))
        self.assertEqual(before, {(row["name"], precision, 1, "gpt2-124m"): (30, 0) for precision in ("faithful", "fast")})
        self.assertEqual(before, tables.sizes_of([row]))
        self.assertEqual(limits.grown(before, before), [])
        longer = tables.sizes_of([row | {"code_words": 31, "precision": "fast"}])
        self.assertEqual(limits.grown(longer, before), [(row["name"], "fast", 1, "gpt2-124m")])
        self.assertEqual(limits.grown(tables.sizes_of([row | {"spills": 1, "models": ["other Q4_0"]}]), before), [])


class OtherGpus(unittest.TestCase):
    def test_spills(self):
        log = ("CS shader: 4 instrs, 2 alu, 3 gprs, 12 uniforms, 9 scratch, 1024 threads, 0 loops, 7:7 spills:fills, 14 preamble inst\n"
               "TRACE build 0xa -DX\n"
               "CS shader: 4 instrs, 2 alu, 3 gprs, 12 uniforms, 0 scratch, 1024 threads, 0 loops, 0:0 spills:fills, 14 preamble inst\n"
               "Shader Stats: SGPRS: 108 VGPRS: 32 LDS: 1024 Scratch: 0 Max Waves: 16 Spilled SGPRs: 100 Spilled VGPRs: 0 PrivMem\n"
               "Shader Stats: SGPRS: 108 VGPRS: 32 LDS: 1024 Scratch: 64 Max Waves: 16 Spilled SGPRs: 0 Spilled VGPRs: 3 PrivMem\n")
        self.assertEqual(shim.read_statistics(log), [(0, 0), (0, 100), (64, 3)])

    def test_columns(self):
        kernel = {"batch_rows": 1, "instructions": 9, "nops": 2, "code_words": 5, "format": "Q4_0", "bits": 8, "spills": 0,
                  "private_bytes": 0, "non_nop_per_weight": 1.5}
        row = {"launches_per_token": 63, "arithmetic_ms": 1.0, "memory_ms": 2.0, "bound": "memory"}
        chip = {"kernels": [kernel, kernel | {"batch_rows": 8}], "models": {"gpt2-124m Q4_0": {"fast": row}}}
        text = tables.document({"chips": {"618": chip, "702": {"refused": "too little memory"}, "740": chip}, "others": {
            "asahi": {"refused": "no device"}}})
        self.assertIn("| what | 618 | 740 |", text)
        self.assertIn("| words of all kernels | 10 | 10 |", text)
        self.assertIn("| arithmetic of memory's time, gpt2-124m Q4_0 fast | 0.50, memory | 0.50, memory |", text)
        self.assertIn("A 702 is refused: too little memory.", text)
        self.assertIn("| asahi | no device |", text)


if __name__ == "__main__":
    unittest.main()
