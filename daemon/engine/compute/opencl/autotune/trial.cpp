#include "engine/compute/opencl/autotune/trial.h"

#include <limits>

namespace llmd::compute::gpu {

using base::Result;

namespace {

constexpr std::string_view kSelfTest = "the self-test";

}  // namespace

Result<Trial> Trial::create(DeviceQueue& queue, const SampleMatrix& sample, bool image) {
    Trial trial(queue, sample);
    StoreProduct& product = trial.product_;
    auto planes =
        make_planes(queue, kSelfTest, sample.layout, image ? sample.image_planes : sample.pointer_planes, image);
    if (!planes) return planes.error();
    product.planes = std::move(*planes);
    product.n_pairs = sample.tiles * kTilePairs;
    product.n_blocks = block_count(sample.cols);
    product.record_bytes = sample.x.row_bytes;
    product.record_columns = sample.x.columns;
    const Allocation wanted[] = {{&product.records, kSelfTest, sample.x.bytes.size()},
                                 {&product.y, kSelfTest, sample.sums.size() * sizeof(float)}};
    for (const Allocation& one : wanted) {
        auto buffer = queue.allocate_scratch(one.what, one.bytes);
        if (!buffer) return buffer.error();
        *one.buffer = std::move(*buffer);
    }
    if (auto ok = queue.upload(product.records, 0, sample.x.bytes); !ok) return ok.error();
    return trial;
}

Result<std::vector<float>> Trial::products(const ClKernel& kernel, const ProductShape& shape, uint32_t columns) {
    std::vector<float> y(sample_->sums.size(), std::numeric_limits<float>::quiet_NaN());
    if (auto ok = queue_->upload(product_.y, 0, std::as_bytes(std::span(y))); !ok) return ok.error();
    if (auto ok = product_.bind(kernel); !ok) return ok.error();
    if (auto ok = product_.launch(*queue_, kernel, shape, kSampleVectors / columns); !ok) return ok.error();
    if (auto ok = queue_->read(product_.y, 0, std::as_writable_bytes(std::span(y))); !ok) return ok.error();
    return y;
}

}  // namespace llmd::compute::gpu
