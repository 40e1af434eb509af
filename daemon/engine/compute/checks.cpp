#include "engine/compute/checks.h"

#include <algorithm>
#include <cmath>

namespace llmd::compute {

using base::ErrorCode;
using base::fail;
using base::Result;

namespace {

constexpr uint32_t kMost = 1u << 20;   // slots and pages: keeps every product below 2^64, far above any use
constexpr uint32_t kMaxRows = 65'535;  // a batch is one dimension of an OpenCL grid; some drivers refuse a larger one

Result<void> check_logit_biases(const model::DecoderSpec& spec, std::span<const LogitBias> logit_biases) {
    if (logit_biases.size() > kMaxLogitBiases) {
        return fail(ErrorCode::InvalidArgument, logit_biases.size(), " logit biases are more than ", kMaxLogitBiases);
    }
    int64_t last_id = -1;
    for (const LogitBias& change : logit_biases) {
        if (change.id < 0 || static_cast<uint32_t>(change.id) >= spec.n_vocab) {
            return fail(ErrorCode::InvalidArgument, "biased id ", change.id, " is not in the vocabulary of ",
                        spec.n_vocab);
        }
        if (change.id <= last_id) {
            return fail(ErrorCode::InvalidArgument, "biased id ", change.id, " comes behind ", last_id);
        }
        if (!(change.factor > 0) || !std::isfinite(change.factor) || !std::isfinite(change.addend)) {
            return fail(ErrorCode::InvalidArgument, "biased id ", change.id, ": factor ", change.factor, ", addend ",
                        change.addend);
        }
        last_id = change.id;
    }
    return {};
}

}  // namespace

Result<void> check_limits(const model::DecoderSpec& spec, const BackendLimits& limits) {
    const struct {
        const char* name;
        uint32_t value;
        uint32_t most;
    } all[] = {
        {"n_layers", spec.n_layers(), model::DecoderSpecLimits::kMaxLayers},
        {"n_slots", limits.n_slots, kMost},
        {"n_ctx", limits.n_ctx, spec.n_ctx_train},
        {"n_pages", limits.n_pages, kMost},
        {"n_window_pages", limits.window == 0 ? 1 : limits.n_window_pages, kMost},
        {"max_rows", limits.max_rows, kMaxRows},
        {"max_outputs", limits.max_outputs, limits.max_rows - std::min(limits.max_rows, limits.max_drafted)},
    };
    for (const auto& [name, value, most] : all) {
        if (value >= 1 && value <= most) continue;
        return fail(ErrorCode::InvalidArgument, name, ": ", value, " is not between 1 and ", most);
    }
    return {};
}

std::string weight_name(model::Role role, uint32_t layer) {
    return base::concat(model::role_name(role), " of layer ", layer);
}

Result<void> check_weight(const model::DecoderSpec& spec, const model::Weight& weight) {
    const model::TensorView& tensor = weight.tensor;
    const std::string name = weight_name(weight.role, weight.layer);
    if (weight.layer >= (model::is_in_layer(weight.role) ? spec.n_layers() : 1)) {
        return fail(ErrorCode::ModelLoadFailed, name, ": there is no such layer");
    }
    const auto [rows, cols] = model::shape_of(weight.role, spec, weight.layer);
    const auto row_bytes = model::row_bytes(tensor.type, tensor.cols);
    if (tensor.rows != rows || tensor.cols != cols || !row_bytes || tensor.data.size() != rows * *row_bytes) {
        return fail(ErrorCode::ModelLoadFailed, name, " has ", tensor.rows, " x ", tensor.cols, " weights in ",
                    tensor.data.size(), " bytes; the model needs ", rows, " x ", cols);
    }
    return {};
}

Result<void> check_rows(const model::DecoderSpec& spec, const BackendLimits& limits, std::span<const Row> rows) {
    if (rows.empty() || rows.size() > limits.max_rows) {
        return fail(ErrorCode::InvalidArgument, "a batch of ", rows.size(), " rows is not from 1 to ", limits.max_rows);
    }
    for (const Row& row : rows) {
        const bool is_id = row.token >= 0 && static_cast<uint32_t>(row.token) < spec.n_vocab;
        if (!is_id && row.token != kSampledToken) {
            return fail(ErrorCode::InvalidArgument, "token ", row.token, " is not in the vocabulary of ", spec.n_vocab);
        }
    }
    const auto outputs = std::count_if(rows.begin(), rows.end(), [](const Row& row) { return row.wants_output; });
    if (static_cast<uint64_t>(outputs) > limits.most_outputs()) {
        return fail(ErrorCode::InvalidArgument, outputs, " outputs are more than ", limits.most_outputs());
    }
    return {};
}

Result<void> check_requests(const model::DecoderSpec& spec, const Step& step, std::span<const SampleRequest> requests) {
    if (step.is_sampled) return fail(ErrorCode::InvalidArgument, "a step is sampled twice");
    if (requests.size() != step.n_outputs) {
        return fail(ErrorCode::InvalidArgument, requests.size(), " sampling requests for ", step.n_outputs, " outputs");
    }
    for (const SampleRequest& request : requests) {
        if (!request.allowed.empty() && request.allowed.size() != mask_words(spec.n_vocab)) {
            return fail(ErrorCode::InvalidArgument, "a mask of ", request.allowed.size(), " words for a vocabulary of ",
                        spec.n_vocab);
        }
        if (auto checked = check_logit_biases(spec, request.logit_biases); !checked) return checked;
    }
    return {};
}

Result<void> check_page(const BackendLimits& limits, const StepQueue& steps, KvPage page, size_t n_bytes,
                        uint64_t page_bytes) {
    if (auto closed = steps.check_closed(); !closed) return closed;
    if (page.number < limits.pages_of(page.pool) && n_bytes == page_bytes) return {};
    return fail(ErrorCode::InvalidArgument, "page ", page.number, " of ", limits.pages_of(page.pool), " as ", n_bytes,
                " bytes instead of ", page_bytes);
}

Result<void> check_logits_read(const model::DecoderSpec& spec, uint32_t n_outputs, uint32_t output, size_t out_size) {
    if (output < n_outputs && out_size == spec.n_vocab) return {};
    return fail(ErrorCode::InvalidArgument, "logits of output ", output, " of ", n_outputs, " into ", out_size,
                " floats for ", spec.n_vocab);
}

Result<void> check_residual_read(const model::DecoderSpec& spec, uint32_t n_rows, size_t out_size) {
    if (n_rows > 0 && out_size == size_t{n_rows} * spec.n_embd) return {};
    return fail(ErrorCode::InvalidArgument, "the residual of ", n_rows, " rows of ", spec.n_embd, " into ", out_size,
                " floats");
}

Result<void> StepQueue::check_begin() const {
    if (is_open_) return fail(ErrorCode::InvalidArgument, "a step begins before the one before it is submitted");
    if (n_in_flight_ == kMaxStepsInFlight) {
        return fail(ErrorCode::InvalidArgument, "a step begins while ", n_in_flight_, " are in flight");
    }
    return {};
}

Step& StepQueue::begin(uint32_t n_rows, uint32_t n_outputs) {
    is_open_ = true;
    readable_outputs_ = readable_rows_ = 0;
    Step& step = open_step();
    step = {.set = (first_ + n_in_flight_) % kMaxStepsInFlight, .n_rows = n_rows, .n_outputs = n_outputs};
    return step;
}

Result<Step*> StepQueue::open() {
    if (!is_open_) return fail(ErrorCode::InvalidArgument, "there is no open step: begin() comes first");
    return &open_step();
}

Result<Step*> StepQueue::mark_computed() {
    auto step = open();
    if (!step) return step;
    if ((*step)->is_computed) return fail(ErrorCode::InvalidArgument, "a step is computed twice");
    (*step)->is_computed = true;
    return step;
}

Result<Step*> StepQueue::computed() {
    auto step = open();
    if (step && !(*step)->is_computed) return fail(ErrorCode::InvalidArgument, "a step is sampled before forward()");
    return step;
}

Result<void> StepQueue::check_closed() const {
    if (is_open_) return fail(ErrorCode::InvalidArgument, "a page is read or written within a step");
    return {};
}

Result<void> StepQueue::submit() {
    if (!is_open_) return fail(ErrorCode::InvalidArgument, "a step is submitted that has not begun");
    if (!open_step().is_computed) return fail(ErrorCode::InvalidArgument, "a step is submitted before forward()");
    is_open_ = false;
    ++n_in_flight_;
    return {};
}

Result<Step> StepQueue::wait() {
    if (n_in_flight_ == 0) return fail(ErrorCode::InvalidArgument, "there is no step in flight to wait for");
    const Step step = steps_[first_];
    first_ = (first_ + 1) % kMaxStepsInFlight;
    --n_in_flight_;
    readable_outputs_ = step.is_sampled ? step.n_outputs : 0;
    readable_rows_ = step.n_rows;
    return step;
}

}  // namespace llmd::compute
