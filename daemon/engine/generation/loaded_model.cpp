#include "engine/generation/loaded_model.h"

#include <algorithm>
#include <utility>

#include "engine/compute/checks.h"
#include "engine/compute/cpu/processor.h"
#include "engine/generation/batch.h"
#include "engine/generation/kv_cache/content_hash.h"
#include "engine/generation/speculation/drafter.h"
#include "engine/model/architectures.h"
#include "engine/model/model_file.h"
#include "engine/model/weights.h"

namespace llmd::generation {

using base::ErrorCode;
using base::fail;
using model::Role;

namespace {

base::Error cancelled() {
    return fail(ErrorCode::Cancelled, "loading was given up");
}

base::Result<void> check(const LoadOptions& options) {
    if (options.n_slots > kMaxSlots) {
        return fail(ErrorCode::InvalidArgument, "n_slots: ", options.n_slots, " is more than ", kMaxSlots);
    }
    if (options.prefill_chunk > kMaxPrefillChunk) {
        return fail(ErrorCode::InvalidArgument, "prefill_chunk: ", options.prefill_chunk, " is more than ",
                    kMaxPrefillChunk);
    }
    return {};
}

uint32_t n_computing_of(const LoadOptions& options) {
    return options.n_slots == 0 ? kDefaultSlots : options.n_slots;
}

// All that does not depend on the device's memory.
compute::BackendLimits wanted_limits(const model::DecoderSpec& spec, const LoadOptions& options) {
    compute::BackendLimits limits;
    const uint32_t n_computing = n_computing_of(options);
    limits.n_slots = 2 * n_computing;
    limits.n_ctx = std::min(options.n_ctx == 0 ? kDefaultContext : options.n_ctx, spec.n_ctx_train);
    limits.max_rows = n_computing + (options.prefill_chunk == 0 ? kMaxPrefillRows : options.prefill_chunk);
    limits.max_outputs = std::max(options.max_outputs, n_computing);
    if (options.speculates) {
        limits.max_drafted = static_cast<uint32_t>(
            std::clamp<uint64_t>(kDraftLogitBytes / (uint64_t{spec.n_vocab} * sizeof(float)), 1, kMaxDrafts));
    }
    limits.max_rows = std::max(limits.max_rows, limits.max_outputs) + limits.max_drafted;
    return limits;
}

base::Result<compute::BackendLimits> backend_limits(const model::DecoderSpec& spec, const LoadOptions& options,
                                                    uint64_t weight_bytes, const compute::DeviceMemory& memory) {
    compute::BackendLimits limits = wanted_limits(spec, options);
    std::optional<MemoryBound> bound;
    if (options.memory_bytes != 0) {
        const uint64_t working = memory.working_bytes ? memory.working_bytes(limits) : kMemoryHeadroomBytes;
        bound = {options.memory_bytes, compute::private_dirty_bytes() + working + kRequestReserveBytes};
    }
    const auto planned = plan_kv_pages(spec, n_computing_of(options), weight_bytes, memory, limits, bound);
    if (!planned) return planned.error();
    return limits;
}

uint64_t step_weight_bytes(const model::Weights& weights) {
    const bool tied = weights.find(Role::Output) == nullptr;
    uint64_t bytes = 0;
    for (const auto& weight : weights.all()) {
        const bool looked_up = weight.role == Role::PositionEmbedding || (weight.role == Role::TokenEmbedding && !tied);
        if (!looked_up) bytes += weight.tensor.data.size();
    }
    return bytes;
}

std::vector<float> vector_of(const model::Weights& weights, Role role) {
    const model::TensorView* tensor = weights.find(role);
    std::vector<float> out(tensor == nullptr ? 0 : tensor->cols);
    if (tensor != nullptr) model::dequantize(tensor->type, tensor->data, out);
    return out;
}

// The largest page that a system has. A part of a tensor ends inside a page, which is dropped with the next part.
constexpr size_t kLargestPageBytes = 64u << 10;

// `content` may be null; else it becomes the hash of the metadata and of the uploaded weights.
base::Result<void> upload_all(const model::ModelFile& file, const model::Weights& weights, compute::Backend& backend,
                              LoadObserver& observer, ContentHash* content) {
    if (content != nullptr) *content = {};
    for (size_t part = 0; part < file.parts().size(); ++part) {
        if (content != nullptr) content->add(file.metadata(part));
        file.parts()[part].drop_pages(file.metadata(part));
    }
    const auto drop = [&](const base::MappedFile& of, std::span<const std::byte> bytes) {
        const auto begin = static_cast<size_t>(bytes.data() - of.bytes().data());
        const size_t before = std::min(begin, kLargestPageBytes);
        of.drop_pages(of.bytes().subspan(begin - before, before + bytes.size()));
    };
    const uint64_t total = weights.size_bytes();
    uint64_t uploaded = 0;
    for (const auto& weight : weights.all()) {
        const uint64_t size = weight.tensor.data.size();
        const std::chrono::milliseconds for_bytes(size / kReadBudgetBytesPerMs);
        if (!observer.before(LoadStage::Read, kReadBudget + for_bytes)) return cancelled();
        std::span<const std::byte> left = weight.tensor.data;
        auto unread = left;  // in whole blocks, while what is copied ends anywhere
        const size_t block_bytes = model::block_layout(weight.tensor.type).block_bytes;
        bool is_finite = true;
        const auto take = [&](size_t bytes) {
            const auto part = left.first(bytes);
            left = left.subspan(bytes);
            const size_t n_blocks = (unread.size() - left.size()) / block_bytes;
            is_finite = is_finite && model::are_finite(weight.tensor.type, unread.first(n_blocks * block_bytes));
            unread = unread.subspan(n_blocks * block_bytes);
            if (content != nullptr && !part.empty()) content->add(part);
            drop(file.parts()[weight.tensor.part], part);
        };
        if (auto done = backend.upload(weight, take); !done) return done;
        take(left.size());
        if (!is_finite) {
            return fail(ErrorCode::ModelLoadFailed, compute::weight_name(weight.role, weight.layer),
                        " holds a weight that is NaN or infinite");
        }
        uploaded += size;
        observer.on_uploaded(uploaded, total);
    }
    return {};
}

base::Result<void> fill(const model::ModelFile& file, const model::Weights& weights, compute::Backend& backend,
                        LoadObserver& observer, ContentHash* content) {
    const auto goes_on = [&] { return observer.before(LoadStage::Build, kBuildBudget); };
    if (auto done = backend.declare_tensors(weights.all(), goes_on); !done) return done;
    if (auto done = upload_all(file, weights, backend, observer, content); !done) return done;
    if (!observer.before(LoadStage::Build, kBuildBudget)) return cancelled();
    return backend.finish_loading();
}

// 8-bit activations make matmuls faster only with quantized weights. With float weights 15-bit activations are as fast
// on an Adreno (docs/adreno.md).
bool has_integer_weights(const model::Weights& weights) {
    return std::any_of(weights.all().begin(), weights.all().end(), [](const model::Weight& weight) {
        return model::is_in_layer(weight.role) && model::block_layout(weight.tensor.type).block_weights > 1;
    });
}

// Gives reading up where it takes too long.
class HastyObserver : public LoadObserver {
public:
    HastyObserver(LoadObserver& observer, const LoadOptions& options) : observer_(observer), options_(options) {}
    bool before(LoadStage stage, std::chrono::milliseconds budget) override {
        if (stage == LoadStage::Read) {
            const auto now = options_.now();
            if (!begin_) begin_ = now;
            is_late_ = now - *begin_ > kMostTrialRead;
        }
        return !is_late_ && observer_.before(stage, budget);
    }
    void on_uploaded(uint64_t bytes, uint64_t total_bytes) override { observer_.on_uploaded(bytes, total_bytes); }
    bool is_late() const { return is_late_; }

private:
    LoadObserver& observer_;
    const LoadOptions& options_;
    std::optional<std::chrono::steady_clock::time_point> begin_;
    bool is_late_ = false;
};

// The arguments of one load.
struct Loading {
    const model::ModelFile& file;
    const model::DecoderSpec& spec;
    const model::Weights& weights;
    const LoadOptions& options;
    LoadObserver& observer;
    ContentHash* content;  // null, or what becomes the hash of metadata and weights
};

class LoadTrials : public DeviceTrials {
public:
    LoadTrials(const Loading& loading, const compute::LimitsPlan& plan, const compute::BackendOptions& chosen)
        : loading_(loading), plan_(plan), chosen_(chosen) {}

    base::Result<void> test(const compute::ChosenDevice& device) override {
        const auto backend = create(device);
        if (!backend) return backend.error();
        return (*backend)->declare_tensors(loading_.weights.all(), [this] { return builds(); });
    }

    base::Result<double> time(const compute::ChosenDevice& device, bool is_last) override {
        loaded_.reset();
        auto backend = create(device);
        if (!backend) return backend.error();
        HastyObserver hasty(loading_.observer, loading_.options);
        LoadObserver& observer = is_last ? loading_.observer : hasty;
        const auto filled = fill(loading_.file, loading_.weights, **backend, observer, loading_.content);
        if (!filled && hasty.is_late()) {
            return fail(ErrorCode::Timeout, "reading its weights took more than ", kMostTrialRead.count(), " s");
        }
        if (!filled) return filled.error();
        if (!builds()) return cancelled();
        auto speed = decode_speed(**backend, loading_.options.now);
        if (speed) loaded_ = std::move(*backend);
        device_ = device;
        return speed;
    }

    // The backend that is still loaded; null where that is another device's.
    std::unique_ptr<compute::Backend> take(const compute::ChosenDevice& device) {
        auto loaded = std::move(loaded_);
        return device == device_ ? std::move(loaded) : nullptr;
    }

private:
    bool builds() const { return loading_.observer.before(LoadStage::Build, kBuildBudget); }

    base::Result<std::unique_ptr<compute::Backend>> create(const compute::ChosenDevice& device) const {
        if (!builds()) return cancelled();
        compute::BackendOptions options = chosen_;
        options.kind = device.kind;
        options.only = device;
        return loading_.options.create_backend(loading_.spec, plan_, options);
    }

    const Loading& loading_;
    const compute::LimitsPlan& plan_;
    const compute::BackendOptions& chosen_;
    std::unique_ptr<compute::Backend> loaded_;
    compute::ChosenDevice device_;  // that loaded_ is on
};

// `notes` gets why this device was chosen.
base::Result<std::unique_ptr<compute::Backend>> load_backend(const Loading& loading, std::vector<std::string>& notes) {
    const auto& [file, spec, weights, options, observer, content] = loading;
    const compute::LimitsPlan plan = [&](const compute::DeviceMemory& memory) {
        return backend_limits(loading.spec, loading.options, memory.weight_bytes(loading.weights.all()), memory);
    };
    compute::BackendOptions chosen = options.backend;
    if (!has_integer_weights(weights)) chosen.precision = compute::Precision::Faithful;
    chosen.on_chosen = [&](const compute::ChosenDevice& device) { loading.observer.on_device(device); };
    if (chosen.kind == compute::BackendKind::Auto && chosen.device.empty() && !options.choices.directory.empty()) {
        if (!observer.before(LoadStage::Build, kBuildBudget)) return cancelled();
        LoadTrials trials(loading, plan, chosen);
        auto choice = choose_device(options.list_auto_devices(chosen), model_shape(spec, weights.all()),
                                    options.choices, trials, std::chrono::system_clock::now());
        if (!choice) return choice.error();
        if (*choice) {
            notes = std::move((*choice)->notes);
            chosen.only = (*choice)->device;
            if (auto loaded = trials.take(*chosen.only)) return loaded;
        }
    }
    while (true) {
        if (!observer.before(LoadStage::Build, kBuildBudget)) return cancelled();
        auto backend = options.create_backend(spec, plan, chosen);
        if (!backend) return backend.error();
        const auto filled = fill(file, weights, **backend, observer, content);
        if (filled) return backend;
        base::Error error = filled.error();
        if (error.code == ErrorCode::OutOfMemory) {
            if (chosen.scarce != (*backend)->report().kind &&
                (*backend)->limits().n_pages > pages_for((*backend)->limits().n_ctx)) {
                chosen.scarce = (*backend)->report().kind;
                continue;
            }
            error.message +=
                base::concat("; the file has ", weights.size_bytes(), " bytes of weights, ",
                             (*backend)->limits().n_pages, " pages of the cache take ", (*backend)->report().kv_bytes);
        }
        // After a fault of a GPU the CPU is tried. This happens once, since the reason in `avoided` rules out every
        // GPU.
        const bool may_fall_back = chosen.kind == compute::BackendKind::Auto &&
                                   (*backend)->report().kind == compute::BackendKind::OpenCl &&
                                   (error.code == ErrorCode::DeviceError || error.code == ErrorCode::OutOfMemory);
        if (!may_fall_back) return error;
        chosen.avoided = {.reason = base::concat((*backend)->report().device, " is not used: ", error.message)};
    }
}

base::Result<LoadedModel> load(const model::ModelFile& file, const LoadOptions& options, LoadObserver& observer) {
    const model::Gguf& gguf = file.gguf();
    auto spec = model::read_decoder_spec(gguf);
    if (!spec) return spec.error();
    const auto weights = model::Weights::bind(gguf, *spec);
    if (!weights) return weights.error();
    auto tokenizer = tokenizer::Tokenizer::create(gguf);
    if (!tokenizer) return tokenizer.error();
    auto chat_template = chat::ChatTemplate::create(gguf, **tokenizer, options.chat_template);
    if (!chat_template) return chat_template.error();
    OutputNorm output_norm = {spec->norm, spec->norm_eps, vector_of(*weights, Role::OutputNorm),
                              vector_of(*weights, Role::OutputNormBias)};
    ContentHash content;
    LoadedModel loaded;
    const Loading loading = {file, *spec, *weights, options, observer, options.identifies ? &content : nullptr};
    auto backend = load_backend(loading, loaded.notes);
    if (!backend) return backend.error();

    loaded.spec = std::move(*spec);
    loaded.tokenizer = std::move(*tokenizer);
    loaded.chat_template = std::move(*chat_template);
    loaded.backend = std::move(*backend);
    loaded.output_norm = std::move(output_norm);
    if (options.identifies) loaded.content = content.value();
    loaded.step_weight_bytes = step_weight_bytes(*weights);
    return loaded;
}

}  // namespace

uint64_t overhead_bytes(const compute::DeviceReport& report, uint64_t private_dirty) {
    const uint64_t weights = report.is_host_memory ? std::min(report.weight_bytes, private_dirty) : 0;
    return private_dirty - weights + report.working_bytes;
}

ContextMemory usual_context_memory(const model::DecoderSpec& spec) {
    LoadOptions options;
    options.n_ctx = spec.n_ctx_train;
    return context_memory(spec, wanted_limits(spec, options));
}

base::Result<LoadedModel> load_model(const std::string& path, const LoadOptions& options, LoadObserver& observer) {
    if (auto checked = check(options); !checked) return checked.error();
    if (!observer.before(LoadStage::Read, kReadBudget)) return cancelled();
    const auto file = model::ModelFile::open(path);
    if (!file) {
        const bool names_it = file.error().message.starts_with(path);
        return names_it ? file.error() : fail(file.error().code, path, ": ", file.error().message);
    }
    auto loaded = load(*file, options, observer);
    if (!loaded) return fail(loaded.error().code, path, ": ", loaded.error().message);
    return loaded;
}

}  // namespace llmd::generation
