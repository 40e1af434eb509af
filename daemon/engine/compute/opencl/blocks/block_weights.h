// A model's tensors on the device. Matrices keep the file's own blocks and are cut by rows where a buffer would become
// too large; vectors and the position embedding become float.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/compute/cpu/host_buffer.h"
#include "engine/compute/opencl/device_queue.h"
#include "engine/model/model_config.h"
#include "engine/model/weights.h"

namespace llmd::compute::blocks {

// Some whole rows of a matrix.
struct MatrixPart {
    ClBuffer buffer;
    uint32_t first_row = 0;
    uint32_t rows = 0;
};

struct BlockMatrix {
    model::TensorType type = model::TensorType::F32;
    uint32_t rows = 0;
    uint32_t cols = 0;
    uint32_t row_bytes = 0;
    std::vector<MatrixPart> parts;
};

// The first rows of a matrix as the file has them, for the self-test.
struct TestRows {
    const BlockMatrix* matrix;
    std::vector<std::byte> bytes;
};
inline constexpr uint32_t kTestRows = 16;

class BlockWeights {
public:
    BlockWeights(const model::ModelConfig& config, uint32_t n_ctx) : config_(config), n_ctx_(n_ctx) {}

    // OutOfMemory names the tensor and its size; ModelLoadFailed when its shape is not the config's or it comes twice.
    base::Result<void> upload(DeviceQueue& queue, const model::Weight& weight);

    // ModelLoadFailed names the role when it was not uploaded.
    base::Result<const BlockMatrix*> matrix(model::Role role, uint32_t layer = 0) const;
    base::Result<const ClBuffer*> vector(model::Role role, uint32_t layer = 0) const;
    // Null when it was not uploaded.
    const BlockMatrix* find_matrix(model::Role role, uint32_t layer = 0) const;
    const ClBuffer* find_vector(model::Role role, uint32_t layer = 0) const;
    // Each frequency's divisor; empty without RopeFactors.
    const std::vector<float>& rope_factors() const { return rope_factors_; }
    // One matrix for each different (type, columns).
    const std::map<std::pair<model::TensorType, uint32_t>, TestRows>& test_rows() const { return test_rows_; }
    void drop_test_rows() { test_rows_.clear(); }
    uint64_t size_bytes() const { return size_bytes_; }
    size_t split_matrices() const { return split_matrices_; }

private:
    using Key = std::pair<model::Role, uint32_t>;

    // For a part of a matrix, out of the host's memory, which is the device's.
    base::Result<ClBuffer> allocate(DeviceQueue& queue, const std::string& name, uint64_t bytes);
    base::Result<void> upload_matrix(DeviceQueue& queue, const model::Weight& weight, const std::string& name);
    base::Result<void> upload_floats(DeviceQueue& queue, const model::Weight& weight, const std::string& name);

    model::ModelConfig config_;
    uint32_t n_ctx_;
    // Matrices lie one behind the other in pieces much larger than a huge page, since one alone holds few or none. The
    // last has `free_bytes_` left at its end. (Here because buffers are released first.)
    std::vector<HostBuffer> memory_;
    uint64_t free_bytes_ = 0;
    std::map<Key, BlockMatrix> matrices_;
    std::map<Key, ClBuffer> vectors_;
    std::map<std::pair<model::TensorType, uint32_t>, TestRows> test_rows_;
    std::vector<float> rope_factors_;
    uint64_t size_bytes_ = 0;
    size_t split_matrices_ = 0;
};

}  // namespace llmd::compute::blocks
