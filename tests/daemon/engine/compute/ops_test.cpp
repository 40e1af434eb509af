// Every step on every device against the double-precision oracle, over awkward shapes and all tensor types. A model of
// one layer puts each step between the token and the logits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "daemon/engine/compute/device_under_test.h"
#include "daemon/engine/compute/oracle.h"
#include "engine/compute/opencl/opencl_backend.h"
#include "support/environment.h"

namespace llmd::test {
namespace {

using model::TensorType;

// Logits are of the order of 1 (random_model.h). Float sums of up to 8192 products err by some 1e-6 of that; where the
// oracle's key or value rounds to the other f16 neighbour, one of many weighted values moves by 2^-11 of itself, which
// has been seen to make 3e-5. The oracle rounds activations as the device does; where one is on the edge, it moves by
// 1/16319 of the largest, times a weight: of GPT-2's 50,257 rows one has made 8e-4 of it.
constexpr double kLogitTolerance = 1e-3;

void expect_near(const Logits& got, const std::vector<double>& want, const std::string& where) {
    ASSERT_EQ(got.size(), want.size()) << where;
    double worst = 0;
    size_t at = 0;
    for (size_t i = 0; i < got.size(); ++i) {
        const double off = std::abs(got[i] - want[i]);
        if (off <= worst) continue;  // NaN is not
        worst = off;
        at = i;
        if (std::isnan(off)) break;
    }
    EXPECT_LE(worst, kLogitTolerance) << where << ", logit " << at << ": " << got[at] << " instead of " << want[at];
}

class Ops : public testing::TestWithParam<DeviceUnderTest> {
protected:
    // Feeds n tokens in one go, then one more alone, and compares the last two.
    void check(const RandomModel& model, uint32_t n, const std::string& what) {
        const model::DecoderSpec& spec = model.spec();
        compute::BackendLimits limits = test_limits(spec);
        limits.n_ctx = std::min(spec.n_ctx_train, 256u);
        limits.n_pages = limits.n_ctx / compute::kPageTokens;
        DeviceModel device(GetParam(), model, limits);
        if (!device.loaded()) return;
        device.give_pages(1);
        const auto tokens = random_tokens(n + 1, spec.n_vocab, 7);
        Oracle oracle(model, GetParam().rounding(), limits.n_ctx);
        for (const uint32_t first : {0u, n}) {
            const uint32_t count = first == 0 ? n : 1;
            for (uint32_t i = first; i < first + count; ++i) oracle.feed(tokens[i]);
            const auto logits = device.forward(rows_of(tokens, first, count, 1, true));
            ASSERT_EQ(logits.size(), 1u);
            expect_near(logits[0], oracle.logits(), what + ", position " + std::to_string(first + count - 1));
        }
    }
};

TEST_P(Ops, EveryTensorType) {
    for (const model::BlockLayout& format : model::kBlockLayouts) {
        UniformSpec config = small_llama();
        config.n_embd = 256;
        config.head_dim = 64;
        config.n_rot = 64;
        config.n_ff = 512;
        config.n_vocab = 301;
        check(RandomModel(config, {.type = format.type, .seed = 3}), 5, std::string(format.name));
    }
}

TEST_P(Ops, HeadShapes) {
    struct Shape {
        uint32_t head_dim, group, n_kv_heads, n_rot;
        model::Rotation rotation;
    };
    using enum model::Rotation;
    for (const Shape& s :
         {Shape{8, 8, 1, 4, HalfSplit}, Shape{32, 3, 3, 32, Interleaved}, Shape{64, 7, 2, 64, HalfSplit},
          Shape{80, 1, 2, 32, HalfSplit}, Shape{96, 4, 1, 96, Interleaved}, Shape{128, 3, 1, 128, Interleaved},
          Shape{256, 1, 2, 64, Interleaved}}) {
        UniformSpec config = small_llama();
        config.head_dim = s.head_dim;
        config.n_kv_heads = s.n_kv_heads;
        config.n_heads = s.group * s.n_kv_heads;
        config.n_rot = s.n_rot;
        config.rotation = s.rotation;
        check(RandomModel(config, {.type = TensorType::Q8_0, .seed = s.head_dim}), 34,
              "head_dim " + std::to_string(s.head_dim) + ", group " + std::to_string(s.group));
    }
}

TEST_P(Ops, WidthsOfRealModels) {
    struct Shape {
        uint32_t n_embd, n_ff, n_heads, n_kv_heads;
        TensorType type;
    };
    for (const Shape& s : {Shape{576, 1536, 9, 3, TensorType::Q4_0}, Shape{896, 320, 14, 2, TensorType::Q8_0},
                           Shape{2560, 64, 4, 1, TensorType::Q4_K}, Shape{256, 8192, 4, 4, TensorType::Q6_K}}) {
        UniformSpec config = small_llama();
        config.n_embd = s.n_embd;
        config.n_ff = s.n_ff;
        config.n_heads = s.n_heads;
        config.n_kv_heads = s.n_kv_heads;
        config.head_dim = config.n_rot = 64;
        // A superblock needs rows of a multiple of 256, as quantisers know too.
        RandomModel model(config, {.type = s.n_embd % 256 == 0 && s.n_ff % 256 == 0 ? s.type : TensorType::Q8_0});
        check(model, 9, "n_embd " + std::to_string(s.n_embd) + ", n_ff " + std::to_string(s.n_ff));
    }
}

TEST_P(Ops, VocabulariesOfRealModels) {
    UniformSpec config = small_gpt2();
    config.n_vocab = 50257;
    config.n_ctx_train = 256;
    check(RandomModel(config, {.type = TensorType::Q4_0, .biases = true, .tied = true}), 3, "GPT-2's vocabulary");
    config = small_llama();
    config.n_vocab = 151936;
    check(RandomModel(config, {.type = TensorType::Q8_0}), 3, "Qwen2's vocabulary");
}

TEST_P(Ops, FamiliesAndTheirExtras) {
    check(RandomModel(small_gpt2(), {.type = TensorType::F16, .biases = true}), 40, "gpt2");
    check(RandomModel(small_gpt2(), {.type = TensorType::F32, .biases = false, .tied = true}), 3,
          "gpt2 without biases");
    check(RandomModel(small_llama(), {.type = TensorType::BF16, .tied = true, .rope_factors = true}), 40,
          "rope factors");
    UniformSpec config = small_llama();
    config.rotation = model::Rotation::HalfSplit;
    config.rope_theta = 1e6;
    config.n_layers = 3;
    check(RandomModel(config, {.type = TensorType::Q5_1, .biases = true}), 40, "qwen2, three layers");
    config = small_llama();
    config.rope_factor = 4;
    config.norm_eps = 1e-6f;
    check(RandomModel(config, {.type = TensorType::Q4_1}), 40, "linear scaling");
}

// Settings that no architecture has together, and layers that differ in everything that a layer's spec says.
TEST_P(Ops, MadeUpDecoders) {
    UniformSpec made_up = small_llama();
    made_up.norm = model::Norm::LayerNorm;
    made_up.rotation = model::Rotation::HalfSplit;
    made_up.n_rot = 8;
    check(RandomModel(made_up, {.type = TensorType::Q8_0, .biases = true}), 34,
          "LayerNorm, SwiGLU, half-split rotation");

    model::DecoderSpec mixed = two_layers(small_llama());
    mixed.layers.push_back({.n_heads = 8, .n_kv_heads = 1, .head_dim = 32, .n_ff = 256});
    mixed.layers.push_back({.n_heads = 2,
                            .n_kv_heads = 2,
                            .head_dim = 64,
                            .rotation = model::Rotation::HalfSplit,
                            .n_rot = 16,
                            .n_ff = 64});
    check(RandomModel(mixed, {.type = TensorType::Q8_0}), 40, "layers of three shapes, one without rotation");
}

// The settings of the architectures' table, each where it tells.
TEST_P(Ops, SettingsOfArchitectures) {
    using model::QkNorm;
    const auto compare = [&](const model::DecoderSpec& spec, const std::string& what) {
        check(RandomModel(spec, {.type = TensorType::Q8_0, .biases = true}), 40, what);
    };
    UniformSpec spec = two_layers(small_llama());
    spec.rotation = model::Rotation::HalfSplit;
    spec.n_rot = 8;
    for (const auto& [norm, after, what] : {std::tuple{QkNorm::Head, false, "norms of heads"},
                                            {QkNorm::Head, true, "norms of heads after rotation"},
                                            {QkNorm::Row, false, "norms of whole queries and keys"}}) {
        spec.qk_norm = norm;
        spec.norms_after_rotation = after;
        compare(spec, what);
    }
    spec.has_post_norms = true;
    compare(spec, "norms before and after");
    spec.has_pre_norms = false;
    compare(spec, "norms after alone");

    spec = two_layers(small_llama());
    spec.embedding_scale = 3;
    spec.residual_scale = 0.4f;
    spec.logit_scale = 0.5f;
    compare(spec, "scales");
    spec.residual_scale = 0.7f;
    spec.has_post_norms = true;
    compare(spec, "scales with post-norms");

    spec = two_layers(small_llama());
    spec.activation = model::Activation::ReluSquared;
    compare(spec, "ReLU squared");

    model::DecoderSpec rope = two_layers(small_llama());
    rope.ropes[0].factor = 4;
    rope.ropes[0].yarn = model::Yarn{.original_context = 16};
    rope.ropes[0].magnitude = 1.2f;
    compare(rope, "YaRN");
    rope = two_layers(small_llama());
    rope.longrope_context = 256;
    compare(rope, "LongRoPE's short factors");
    rope.longrope_context = 255;
    rope.ropes[0].magnitude = 1.1f;
    compare(rope, "LongRoPE's long factors");
    rope = two_layers(small_llama());
    rope.temperature_slope = 0.5f;
    rope.temperature_context = 16;
    compare(rope, "temperature of queries");
    rope.layers[1].rotation = model::Rotation::None;
    rope.layers[1].n_rot = 0;
    compare(rope, "a layer without rotation");

    model::DecoderSpec gemma = two_layers(small_llama());
    gemma.activation = model::Activation::GeGlu;
    gemma.logit_cap = 2;
    gemma.ropes.push_back({.theta = 100, .factor = 2});
    gemma.layers[0].window = 7;
    gemma.layers[0].score_cap = 1.5f;
    gemma.layers[1].rope = 1;
    gemma.layers[1].score_scale = 0.4f;
    compare(gemma, "GeGLU, caps, a window, two ropes");

    UniformSpec uniform = two_layers(small_llama());
    uniform.n_embd = 96;  // no whole tile
    model::DecoderSpec lfm2 = uniform;
    make_convolution(lfm2, 0, 3);
    compare(lfm2, "a short convolution");
}

// Windows around borders of pages and KV splits, in whole rows and in splits that are merged. Their layer has no pages
// but those that a step sees.
TEST_P(Ops, Windows) {
    model::DecoderSpec spec = two_layers(small_llama());
    spec.n_ctx_train = 1300;
    // A window is compiled into a device's kernels, which takes some of them long: LLMD_ALL has all.
    const bool has_all = !GetParam().is_opencl || std::getenv("LLMD_ALL") != nullptr;
    constexpr uint32_t kChunk = 100;
    for (const uint32_t window : has_all ? std::vector{1u, 48u, 300u, 512u} : std::vector{300u}) {
        spec.layers[0].window = window;
        const RandomModel model(spec, {.type = TensorType::Q8_0, .seed = window});
        compute::BackendLimits limits = test_limits(spec);
        limits.window = window;
        limits.n_window_pages = (window - 1 + kChunk) / compute::kPageTokens + 2;
        DeviceModel device(GetParam(), model, limits);
        if (!device.loaded()) return;
        device.give_pages(0);
        const auto tokens = random_tokens(1200, spec.n_vocab, 11);
        Oracle oracle(model, GetParam().rounding());
        const std::set<uint32_t> ends = {1, window, window + 1, 257, 511, 513, 700, 1025, 1200};
        uint32_t fed = 0;
        for (const uint32_t end : ends) {
            while (fed + 1 < end) {
                const uint32_t count = std::min(kChunk, end - 1 - fed);
                device.give_window_pages(0, fed, fed + count);
                device.forward(rows_of(tokens, fed, count, 0, false));
                for (uint32_t i = 0; i < count; ++i) oracle.feed(tokens[fed++]);
            }
            device.give_window_pages(0, fed, fed + 1);
            const auto logits = device.forward(rows_of(tokens, fed, 1, 0, true));
            oracle.feed(tokens[fed++]);
            ASSERT_EQ(logits.size(), 1u);
            expect_near(logits[0], oracle.logits(),
                        "window " + std::to_string(window) + ", position " + std::to_string(end - 1));
        }
    }
}

TEST_P(Ops, Contexts) {
    const std::set<uint32_t> lengths = {1, 2, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 4096, 4097};
    UniformSpec config = small_llama();
    config.n_embd = 32;
    config.n_ff = 32;
    config.head_dim = config.n_rot = 8;
    const RandomModel model(config, {.type = TensorType::Q8_0});
    DeviceModel device(GetParam(), model, test_limits(config));
    if (!device.loaded()) return;
    device.give_pages(0);
    const auto tokens = random_tokens(*lengths.rbegin(), config.n_vocab, 11);
    Oracle oracle(model, GetParam().rounding());
    for (uint32_t first = 0; first < tokens.size(); first += 128) {
        auto rows =
            rows_of(tokens, first, std::min<uint32_t>(128, static_cast<uint32_t>(tokens.size()) - first), 0, false);
        for (compute::Row& row : rows) row.wants_output = lengths.count(row.position + 1) != 0;
        const auto logits = device.forward(rows);
        size_t output = 0;
        for (const compute::Row& row : rows) {
            oracle.feed(row.token);
            if (!row.wants_output) continue;
            ASSERT_LT(output, logits.size());
            expect_near(logits[output++], oracle.logits(), "context " + std::to_string(row.position + 1));
        }
    }
}

TEST_P(Ops, BatchesOfOneToNineRows) {
    const RandomModel model(small_llama(), {.type = TensorType::Q4_0});
    compute::BackendLimits limits = test_limits(model.spec());
    limits.n_ctx = 64;
    limits.n_slots = 9;
    DeviceModel device(GetParam(), model, limits);
    if (!device.loaded()) return;
    // Slot s has s tokens behind it when it joins, so every row has another position.
    std::vector<Oracle> oracles(limits.n_slots, Oracle(model, GetParam().rounding()));
    std::vector<uint32_t> lengths(limits.n_slots);
    Noise noise(5);
    const auto next_token = [&] { return static_cast<int32_t>(noise.bits() % model.spec().n_vocab); };
    for (uint32_t slot = 0; slot < limits.n_slots; ++slot) device.give_pages(slot, slot * 2);
    for (uint32_t n = 1; n <= limits.n_slots; ++n) {
        std::vector<compute::Row> rows;
        for (uint32_t slot = 0; slot < n; ++slot) {
            rows.push_back({slot, lengths[slot]++, next_token(), true});
            oracles[slot].feed(rows.back().token);
        }
        const auto logits = device.forward(rows);
        ASSERT_EQ(logits.size(), n);
        for (uint32_t slot = 0; slot < n; ++slot) {
            expect_near(logits[slot], oracles[slot].logits(),
                        "row " + std::to_string(slot) + " of " + std::to_string(n));
        }
    }
}

// In the shape for GPUs, whose items share a row's columns, GpuMatmul compares each kernel; the steps of a model
// need no more than Contract and GpuBackend.
std::vector<DeviceUnderTest> devices_in_their_own_shape() {
    std::vector<DeviceUnderTest> devices = devices_under_test();
    std::erase_if(devices, [](const auto& device) { return device.overrides.use_gpu_kernels; });
    return devices;
}

INSTANTIATE_TEST_SUITE_P(Devices, Ops, testing::ValuesIn(devices_in_their_own_shape()), device_name);

TEST(OpenClDevices, AreThere) {
    const auto devices = compute::list_opencl_devices();
    ASSERT_TRUE(devices) << devices.error().message;
    if (devices->empty()) GTEST_SKIP() << absent_opencl();
}

}  // namespace
}  // namespace llmd::test
