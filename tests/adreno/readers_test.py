"""That the Adreno report counts what a listing says: repeats, nops, loops within loops, spills; that a trace gives each kernel its
program's listing and a token's launches; that a hollow model's weights are counted by format; and where a limit breaks."""
import unittest

import hollow_model
import ir3_listing
import limits
import rows
import shim

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
        model = {"launches_per_token": 64, "launches_per_token_at_1100": 135, "flushes_per_token": 1}
        models = {name: {"fast": model} for name in limits.LAUNCHES}
        broken = [limit["what"] for limit in limits.check({"kernels": [kernel], "models": models, "peer": None})
                  if not limit["holds"] and limit["value"] is not None]
        self.assertEqual(broken, ["instructions per weight, Q4_0, activations of 8 bits", "launches a token, gpt2-124m Q4_0"])


if __name__ == "__main__":
    unittest.main()
