#include "engine/compute/opencl/autotune/self_test.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "engine/compute/opencl/autotune/trial.h"

namespace llmd::compute::gpu {
namespace {

using base::ErrorCode;
using base::Result;

std::string name_of(Layout layout, const ProductTest& test, bool image) {
    const ProductShape& shape = test.choice.shape;
    return base::concat("product of ", layout_name(layout), ", ", test.columns, " columns, ", shape.lanes, " x ",
                        shape.pairs, " pairs, ", shape.slices, " slices", image ? ", images" : "");
}

Result<void> check_sums(const SampleMatrix& sample, std::span<const float> got, bool image) {
    for (size_t i = 0; i < got.size(); ++i) {
        const auto& [sum, magnitude, is_in_image] = sample.sums[i];
        if ((image && !is_in_image) || !std::isfinite(sum)) continue;
        if (!(std::fabs(got[i] - sum) <= kProductTolerance * magnitude)) {
            return base::fail(ErrorCode::DeviceError, "gives ", got[i], " instead of ", sum, " in row ",
                              i % sample.rows(), " of a sample");
        }
    }
    return {};
}

class Tester {
public:
    Tester(DeviceQueue& queue, const ProductBuilder& build, const Tick& tick)
        : queue_(queue), build_(build), tick_(tick) {}

    Result<void> run(const SampleTest& test) {
        const Layout layout = test.sample->layout;
        bool image = test.image && !refused_images_.contains(layout);
        while (true) {
            if (image) found_.choices.images.insert(layout);
            const auto failure = run(test, image);
            if (!failure) return failure.error();
            if (!*failure) return {};
            if (!image) return base::fail(ErrorCode::DeviceError, (*failure)->message);
            found_.notes.push_back(base::concat("weights of ", layout_name(layout),
                                                " are not read through images: ", (*failure)->message));
            found_.choices.images.erase(layout);
            refused_images_.insert(layout);
            image = false;
        }
    }

    ProductsFound take() { return std::move(found_); }

private:
    // Why a kernel of one column cannot be used; nothing: all can that found_ allows.
    Result<std::optional<base::Error>> run(const SampleTest& test, bool image) {
        auto trial = Trial::create(queue_, *test.sample, image);
        if (!trial) return trial.error();
        std::map<uint32_t, std::vector<float>> alone;  // by slices
        uint32_t fewer = 1;
        for (const ProductTest& kernel : test.kernels) {
            if (kernel.columns > found_.choices.most_columns) break;
            if (!tick_()) return base::fail(ErrorCode::Cancelled, "loading was given up");
            auto failure = try_kernel(*trial, test, kernel, image, alone[kernel.choice.shape.slices]);
            if (failure && failure->code != ErrorCode::DeviceError) return *failure;
            if (failure && kernel.columns == 1) return failure;
            if (failure) {
                found_.choices.most_columns = fewer;
                found_.notes.push_back(
                    base::concat("at most ", fewer, " columns are multiplied together: ", failure->message));
                break;
            }
            fewer = kernel.columns;
        }
        return std::optional<base::Error>();
    }

    // `alone`: the products by one column; set by the first kernel, which has one.
    std::optional<base::Error> try_kernel(Trial& trial, const SampleTest& test, const ProductTest& kernel, bool image,
                                          std::vector<float>& alone) {
        const SampleMatrix& sample = *test.sample;
        const std::string name = "self-test: " + name_of(sample.layout, kernel, image);
        const auto failed = [&](const base::Error& error) { return base::fail(error.code, name, ": ", error.message); };
        const auto built = build_(sample, kernel, image);
        if (!built) return failed(built.error());
        auto got = trial.products(*built, kernel.choice.shape, kernel.columns);
        if (!got) return failed(got.error());
        const auto checked = alone.empty() ? check_sums(sample, *got, image) : check_same(sample, *got, alone);
        if (!checked) return failed(checked.error());
        if (alone.empty()) alone = std::move(*got);
        return std::nullopt;
    }

    DeviceQueue& queue_;
    const ProductBuilder& build_;
    const Tick& tick_;
    ProductsFound found_;
    std::set<Layout> refused_images_;
};

}  // namespace

Result<void> check_same(const SampleMatrix& sample, std::span<const float> got, std::span<const float> expected) {
    for (size_t i = 0; i < got.size(); ++i) {
        if (!std::isfinite(sample.sums[i].sum)) continue;
        if (std::bit_cast<uint32_t>(got[i]) != std::bit_cast<uint32_t>(expected[i])) {
            return base::fail(ErrorCode::DeviceError, "gives ", got[i], " instead of ", expected[i], " in row ",
                              i % sample.rows(), " of a sample");
        }
    }
    return {};
}

Result<ProductsFound> test_products(DeviceQueue& queue, std::span<const SampleTest> tests, const ProductBuilder& build,
                                    const Tick& tick) {
    Tester tester(queue, build, tick);
    for (const SampleTest& test : tests) {
        if (auto ok = tester.run(test); !ok) return ok.error();
    }
    return tester.take();
}

}  // namespace llmd::compute::gpu
