#include "engine/convert/tensor_writer.h"

#include <algorithm>
#include <cmath>

#include "engine/convert/quantize.h"

namespace llmd::convert {
namespace {

using model::TensorType;

constexpr uint64_t kChunkWeights = 1u << 20;  // 4 MiB of floats

// Returns the first weight that is NaN or whose magnitude exceeds `most`. The first loop is vectorized and tells
// whether there is one; the search is slower.
std::vector<float>::const_iterator find_too_large(const std::vector<float>& weights, float most) {
    bool is_too_large = false;
    for (const float weight : weights) is_too_large |= !(std::fabs(weight) <= most);
    if (!is_too_large) return weights.end();
    return std::find_if_not(weights.begin(), weights.end(), [&](float w) { return std::fabs(w) <= most; });
}

base::Result<void> write_tensor(GgufOutput& out, const TensorSource& tensor, TensorType type,
                                std::vector<float>& weights, std::vector<std::byte>& blocks) {
    const uint64_t cols = tensor.shape.cols, n_rows = std::max<uint64_t>(tensor.shape.rows, 1);
    const float most = largest_weight(type);
    const uint64_t rows_at_once = std::max<uint64_t>(kChunkWeights / cols, 1);
    for (uint64_t row = 0; row < n_rows; row += rows_at_once) {
        weights.resize(std::min(rows_at_once, n_rows - row) * cols);
        if (auto read = tensor.read(row, weights); !read) return read;
        if (const auto found = find_too_large(weights, most); found != weights.end()) {
            const uint64_t index = row * cols + static_cast<uint64_t>(found - weights.begin());
            return base::fail(base::ErrorCode::ModelLoadFailed, tensor.origin, ": weight ", index, " is ", *found,
                              ", which ", model::block_format(type).name, " cannot hold");
        }
        blocks.resize(*model::row_bytes(type, weights.size()));
        quantize(type, weights, blocks);
        if (auto written = out.write(blocks); !written) return written;
    }
    return {};
}

}  // namespace

base::Result<void> write_tensors(GgufOutput& out, const std::vector<TensorSource>& tensors, FileType type,
                                 uint32_t n_layers) {
    const bool has_output = std::any_of(tensors.begin(), tensors.end(), [](const TensorSource& tensor) {
        return tensor.shape.name == "output.weight";
    });
    std::vector<TensorType> types;
    for (const TensorSource& tensor : tensors) {
        types.push_back(tensor_type(type, tensor.shape, n_layers, has_output));
        out.declare(tensor.shape.name, types.back(), tensor.shape.rows, tensor.shape.cols);
    }
    if (auto begun = out.begin(); !begun) return begun;
    std::vector<float> weights;
    std::vector<std::byte> blocks;
    for (size_t i = 0; i < tensors.size(); ++i) {
        if (auto written = write_tensor(out, tensors[i], types[i], weights, blocks); !written) return written;
    }
    return {};
}

}  // namespace llmd::convert
