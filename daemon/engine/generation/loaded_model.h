// Loads a model file: spec, tokenizer, and a backend that holds the weights. The file is read once, from front to
// back, and its pages are dropped from memory as the backend copies them (Backend::upload()).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/chat/chat_template.h"
#include "engine/compute/backend.h"
#include "engine/compute/backend_factory.h"
#include "engine/generation/device_choice.h"
#include "engine/generation/forward.h"
#include "engine/generation/kv_cache/kv_pages.h"
#include "engine/model/architectures.h"
#include "engine/tokenizer/tokenizer.h"

namespace llmd::generation {

// In tokens. The KV cache of a model trained for 128 k would fill a phone.
inline constexpr uint32_t kDefaultContext = 4096;
inline constexpr uint32_t kDefaultSlots = 4;
inline constexpr uint32_t kMaxSlots = 16;
inline constexpr uint32_t kMaxPrefillChunk = 512;
// Most memory for the logits of drafted tokens, of all sequences together: those of 8 tokens with a vocabulary of
// 262,144, of kMaxDrafts with one of 139,810 or fewer.
inline constexpr uint64_t kDraftLogitBytes = 8u << 20;

struct LoadOptions {
    compute::BackendOptions backend;
    uint32_t n_ctx = 0;          // longest sequence; 0: kDefaultContext. Never more than the model was trained for
    uint32_t n_slots = 0;        // sequences in one batch, at most kMaxSlots; 0: kDefaultSlots. The backend has twice
                                 // as many, so that as many can keep their pages while they are paused
    uint32_t prefill_chunk = 0;  // most rows of prefill in one step, at most kMaxPrefillChunk; 0: kMaxPrefillRows
    // The bound of weights, KV pages and all else of this engine; 0: none. The rest is estimated before pages
    // are allocated: what this process has written so far, the backend's working memory (of OpenCL, with the driver's:
    // kMemoryHeadroomBytes) and kRequestReserveBytes. A driver may take more; overhead_bytes() tells.
    uint64_t memory_bytes = 0;
    std::string chat_template;  // as ChatTemplate::create() takes it
    uint32_t max_outputs = 0;   // rows of one step that want output; 0: n_slots
    bool identifies = false;    // LoadedModel::content is wanted
    bool speculates = true;     // tokens may be drafted, whose rows and logits take memory
    ChoicesKept choices;        // where no device is named and the backend is Auto
    // Tests replace these.
    std::function<decltype(compute::create_backend)> create_backend = compute::create_backend;
    std::function<decltype(compute::list_auto_devices)> list_auto_devices = compute::list_auto_devices;
    std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
};

// The stages of a load that may block, for a supervisor that must tell slow from hung. Each budget is at least ten
// times what a slow phone was seen to need, since ending a healthy load is worse than noticing a hang late.
enum class LoadStage : uint8_t { Read, Build };
inline constexpr std::chrono::milliseconds kReadBudget{30'000};    // of one tensor, or of all the metadata
inline constexpr uint64_t kReadBudgetBytesPerMs = 2'000;           // and for its bytes: 2 MB/s, a worn SD card
inline constexpr std::chrono::milliseconds kBuildBudget{180'000};  // kernels compile for seconds, self-tests run

class LoadObserver {
public:
    virtual ~LoadObserver() = default;
    // Called before each call that may block. If it returns false the load fails with Cancelled.
    virtual bool before(LoadStage stage, std::chrono::milliseconds budget) = 0;
    virtual void on_uploaded(uint64_t bytes, uint64_t total_bytes) = 0;
    // As BackendOptions::on_chosen.
    virtual void on_device(const compute::ChosenDevice& device) { (void)device; }
};

struct LoadedModel {
    model::DecoderSpec spec;
    std::unique_ptr<tokenizer::Tokenizer> tokenizer;
    chat::ChatTemplate chat_template;
    std::unique_ptr<compute::Backend> backend;
    std::vector<std::string> notes;  // why this device, where it was chosen by its speed; beside those of the backend
    OutputNorm output_norm;
    uint64_t content = 0;            // hash of the file's metadata and weights (content_hash.h), if it is wanted
    uint64_t step_weight_bytes = 0;  // bytes of the file's weights that one step reads, without embedding look-ups
};

// The bytes that an engine takes beside weights and KV pages, where nothing has been computed since the load:
// `private_dirty` of its process (compute::private_dirty_bytes()), less the weights where those are in it, and the
// backend's working memory, which steps write; those of a device that was timed have written some, which counts twice.
// So it counts the data of libraries, the vocabulary, what a driver and its compiler hold, and the reported buffers;
// not the programs' code and the model file, which the system can drop.
uint64_t overhead_bytes(const compute::DeviceReport& report, uint64_t private_dirty);

// The memory of one sequence's pages with the defaults of LoadOptions, where it may be as long as the model allows.
ContextMemory usual_context_memory(const model::DecoderSpec& spec);

// Errors: ModelNotFound, InvalidArgument (an option, or not a regular file), ModelLoadFailed, DeviceError, and
// OutOfMemory before anything is allocated if weights and KV cache exceed the device's memory or memory_bytes. Messages
// begin with the path. If a device runs out of memory during the load, the model is loaded once more with the KV cache
// of one sequence. With BackendKind::Auto, the first load chooses the device (device_choice.h); if a GPU fails all the
// same, the CPU gets the model, and the report's notes say why.
base::Result<LoadedModel> load_model(const std::string& path, const LoadOptions& options, LoadObserver& observer);

}  // namespace llmd::generation
