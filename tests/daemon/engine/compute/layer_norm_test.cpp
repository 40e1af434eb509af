// How accurate LayerNorm is on OpenCL devices where a row's mean is large beside its deviation. Their kernels quantize
// x w before they know the mean, subtract mean * (W w) from the matmul's result, and take the variance as E[x^2] -
// mean^2 in floats. The oracle here shares none of that: it subtracts the mean first, in double precision, and
// quantizes nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>
#include <vector>

#include "daemon/engine/compute/device_under_test.h"
#include "daemon/engine/compute/oracle.h"

namespace llmd::test {
namespace {

using model::Role;
using model::TensorType;

constexpr uint32_t kTokens = 24, kPrefill = 22;

auto gpt2_of_one_layer() {
    auto shape = small_gpt2();
    shape.n_embd = 256;
    shape.head_dim = 64;
    shape.n_ff = 512;
    shape.n_vocab = 512;
    shape.n_ctx_train = 64;
    return shape;
}

std::vector<int32_t> tokens() {
    return random_tokens(kTokens, gpt2_of_one_layer().n_vocab, 8);
}

std::vector<float> floats_of(const RandomModel& model, Role role) {
    const model::TensorView& tensor = *model.find(role);
    std::vector<float> floats(tensor.rows * tensor.cols);
    model::dequantize(tensor.type, tensor.data, floats);
    return floats;
}

void add_everywhere(RandomModel& model, Role role, double value) {
    std::vector<float> floats = floats_of(model, role);
    for (float& f : floats) f += static_cast<float>(value);
    model.set(role, 0, model.find(role)->cols, floats);
}

struct Moments {
    double mean = 0, deviation = 0;  // the standard deviation
};

Moments moments_of(const std::vector<double>& row) {
    Moments result;
    for (const double value : row) result.mean += value / static_cast<double>(row.size());
    for (const double value : row) {
        result.deviation += (value - result.mean) * (value - result.mean) / static_cast<double>(row.size());
    }
    result.deviation = std::sqrt(result.deviation);
    return result;
}

RandomModel random_gpt2(TensorType type) {
    return RandomModel(gpt2_of_one_layer(), {.type = type, .seed = 11, .biases = true});
}

// The moments of the residual stream's rows, averaged, in a model in which these tensors are zeros.
Moments moments_without(TensorType type, std::initializer_list<Role> zeros) {
    RandomModel model = random_gpt2(type);
    for (const Role role : zeros) {
        std::vector<float> floats = floats_of(model, role);
        std::fill(floats.begin(), floats.end(), 0.0f);
        model.set(role, 0, model.find(role)->cols, floats);
    }
    Oracle oracle(model);
    Moments average;
    for (const int32_t token : tokens()) {
        oracle.feed(token);
        const Moments row = moments_of(oracle.residual());
        average.mean += row.mean / kTokens;
        average.deviation += row.deviation / kTokens;
    }
    return average;
}

// A model in which rows enter each of its three norms with about this ratio of mean and deviation.
RandomModel model_with_ratio(TensorType type, double ratio) {
    RandomModel model = random_gpt2(type);
    double added = 0;
    const auto shift = [&](Role role, const Moments& at_norm) {
        const double missing = ratio * at_norm.deviation - at_norm.mean - added;
        add_everywhere(model, role, missing);
        added += missing;  // no norm lets it through
    };
    shift(Role::PositionEmbedding,
          moments_without(type, {Role::AttnOutput, Role::AttnOutputBias, Role::FfnDown, Role::FfnDownBias}));
    shift(Role::AttnOutputBias, moments_without(type, {Role::FfnDown, Role::FfnDownBias}));
    shift(Role::FfnDownBias, moments_without(type, {}));
    return model;
}

// The standard deviation of the error that quantization to `steps` a side puts on a normed activation. The largest of
// 32 columns of x w is about 1.3, the largest norm weight, times the mean and 2.5 deviations of the row. Values are
// rounded to multiples of a `steps`-th of it. The errors are spread evenly over half a multiple either way, which is a
// deviation of one multiple / sqrt(12). The norm then divides by the row's deviation.
double activation_error(double ratio, double steps) {
    return 1.3 * (ratio + 2.5) / steps / std::sqrt(12.0);
}

// How many such errors a logit has, added in quadrature. The output's norm contributes one, since rows of the matrices
// are about 1 long. The feed-forward's norm contributes 0.9: the up matrix keeps an error, the slope of GELU is 0.65 on
// average, the down matrix doubles it, and the stream that it is added to has a deviation of 1.4. Attention's norm
// contributes up to 1, but it has 15 bits in either precision, which is nothing beside 8 bits. The outputs of attention
// and of GELU have no large mean: their quantization contributes 0.4 where the ratio is 1, and less above it.
constexpr double kErrorsFaithful = 1.65, kErrorsFast = 1.4;
// The 12,288 errors are distributed nearly normally, and the largest of so many normal ones is about 4 deviations.
// Errors in attention's scores move many logits of a row together, which makes it larger.
constexpr double kDeviations = 6;

struct Errors {
    double rms = 0, largest = 0;  // of logits
};

class LayerNorm : public testing::TestWithParam<DeviceUnderTest> {
protected:
    // Compares the logits of every row. The last two tokens are decoded, the others are one batch.
    static Errors measure(const DeviceUnderTest& on, const RandomModel& model, double ratio) {
        compute::BackendLimits limits = test_limits(gpt2_of_one_layer());
        limits.max_rows = limits.max_outputs = kPrefill;
        Errors errors = {INFINITY, INFINITY};
        DeviceModel device(on, model, limits);
        if (!device.loaded()) return errors;
        device.give_pages(0);
        Oracle oracle(model);
        const auto ids = tokens();
        double squares = 0, largest = 0, ratios = 0, n_logits = 0;
        for (uint32_t first = 0; first < kTokens; first += first == 0 ? kPrefill : 1) {
            auto rows = rows_of(ids, first, first == 0 ? kPrefill : 1, 0, true);
            for (compute::Row& row : rows) row.wants_output = true;
            const auto logits = device.forward(rows);
            if (logits.size() != rows.size()) return errors;
            for (size_t i = 0; i < rows.size(); ++i) {
                oracle.feed(rows[i].token);
                const Moments row = moments_of(oracle.residual());
                ratios += row.mean / row.deviation;
                const auto want = oracle.logits();
                for (size_t id = 0; id < want.size(); ++id) {
                    const double error = std::abs(logits[i][id] - want[id]);
                    squares += error * error;
                    largest = std::isnan(error) ? INFINITY : std::max(largest, error);
                    ++n_logits;
                }
            }
        }
        EXPECT_NEAR(ratios / kTokens, ratio, 0.05 * ratio) << "as rows enter the last norm";
        errors.rms = std::sqrt(squares / n_logits);
        errors.largest = largest;
        return errors;
    }
};

TEST_P(LayerNorm, IsOffByWhatItsActivationsAreRoundedTo) {
    for (const TensorType type : {TensorType::Q4_0, TensorType::Q8_0}) {
        for (const double ratio : {1.0, 3.0, 8.0}) {
            const RandomModel model = model_with_ratio(type, ratio);
            for (const auto precision : {compute::Precision::Faithful, compute::Precision::Fast}) {
                DeviceUnderTest on = GetParam();
                on.precision = precision;
                const bool is_fast = precision == compute::Precision::Fast;
                const double rms_bound =
                    (is_fast ? kErrorsFast : kErrorsFaithful) * activation_error(ratio, on.rounding().steps);
                const Errors errors = measure(on, model, ratio);
                const std::string what =
                    base::concat(model::block_layout(type).name, is_fast ? ", fast" : ", faithful",
                                 ", |mean| / deviation ", ratio, ": logits off by ", errors.rms, " rms (bound ",
                                 rms_bound, "), ", errors.largest, " at most (bound ", kDeviations * rms_bound, ")");
                EXPECT_LE(errors.rms, rms_bound) << what;
                EXPECT_LE(errors.largest, kDeviations * rms_bound) << what;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, LayerNorm, testing::ValuesIn(opencl_devices_under_test()), device_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LayerNorm);

}  // namespace
}  // namespace llmd::test
