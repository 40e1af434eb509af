// The seam between the engine and a compute device. A backend computes the steps of a decoder (decode.h); nobody else
// knows how many launches that takes.
//
// A step of the model is, in this order:
//     begin(rows); forward(); sample(requests); submit();
// and wait() gives its results. Only wait() must block, so the next step may be submitted before it: a row whose token
// is kSampledToken continues with an id that the device knows already and the host does not. Notation below: R rows,
// D = n_embd, V = n_vocab; the residual stream [R, D] is kept in float.
//
// Numeric contract: the float sums behind one row's results have one order that depends only on the tensor and the
// row's own position - never on the other rows, the number of rows, the slot, the page numbers or the grid. Keys and
// values are read from the f16 pages only, the row's own included. Attention is split at every kKvSplit absolute
// positions; each part gives (max, sum, weighted V), and they are folded left to right. So prefill in any chunks,
// batches with any other rows, and replay, give the same bits.
//
// Thread-bound: create, use and destroy on the engine's thread. After an Error other than OutOfMemory from create() or
// upload() the object may only be destroyed.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/compute/kv_layout.h"
#include "engine/model/decoder_spec.h"
#include "engine/model/weights.h"

namespace llmd::compute {

inline constexpr uint32_t kMaxCandidates = 512;   // most candidates sample() returns for a row
inline constexpr uint32_t kMaxStepsInFlight = 2;  // submitted and not waited for
// Most ids whose logits sample() biases in one row: the 300 biases that OpenAI's clients may send, the 64 tokens that
// penalties look at by default, and a few tokens that end generation.
inline constexpr uint32_t kMaxLogitBiases = 384;

// In place of a row's token: the id that sample() chose last in the row's slot, in an earlier step; of several rows of
// one step the last one's. set_pages() forgets it. Where the logits behind it were not finite there is no id: then the
// row becomes NaN, and what it gives is not finite either.
inline constexpr int32_t kSampledToken = -1;

// How activations enter matmuls. One precision does prefill, decode and replay alike. Values are part of the frame
// protocol.
enum class Precision : uint8_t {
    Faithful = 0,  // with 15 bits or more, float included
    Fast = 1,      // most with 8 bits where the device gains by it; a backend that has only faithful kernels uses those
};

// A page holds kPageTokens positions of one sequence, in all layers of its pool.
enum class KvPool : uint8_t {
    Full,    // layers whose queries may see every position
    Window,  // layers with the window BackendLimits::window
};
inline constexpr size_t kKvPools = 2;

struct KvPage {
    uint32_t number = 0;  // in its pool
    KvPool pool = KvPool::Full;
};

// Sizes fixed at creation; everything is allocated then and nothing per token.
struct BackendLimits {
    uint32_t n_slots = 4;  // sequences that can be in flight
    uint32_t n_ctx = 0;    // longest sequence, <= spec.n_ctx_train
    uint32_t n_pages = 0;  // KV pages, KvPool::Full
    // Layers with this window have pages of their own, KvPool::Window, of which a slot needs only those that its next
    // rows see. 0: no layer has; those with windows keep all positions too.
    uint32_t window = 0;
    uint32_t n_window_pages = 0;
    uint32_t max_rows = 128;    // rows of one batch
    uint32_t max_outputs = 16;  // sequences of one batch that want output
    // Further rows of one batch that want output: those of tokens that are only drafted. All sequences share them,
    // since each costs the logits of a vocabulary.
    uint32_t max_drafted = 0;

    uint32_t most_outputs() const { return max_outputs + max_drafted; }

    uint32_t pages_of(KvPool pool) const { return pool == KvPool::Full ? n_pages : n_window_pages; }
    KvPool pool_of(const model::LayerSpec& layer) const {
        return window != 0 && layer.window == window ? KvPool::Window : KvPool::Full;
    }
};

// One token of one sequence.
struct Row {
    uint32_t slot = 0;      // < n_slots
    uint32_t position = 0;  // < n_ctx; its page must be in the slot's page table
    int32_t token = 0;      // < n_vocab, or kSampledToken
    bool wants_output = false;
};

// How the logit of one id changes before anything is computed from it. Penalties, biases and bans all become this.
struct LogitBias {
    int32_t id = 0;    // < n_vocab
    float factor = 1;  // finite and above 0: logit > 0 ? logit / factor : logit * factor   (Keskar et al. 2019)
    float addend = 0;  // finite; added to that
};

// The logit of an id with its logit bias.
inline float biased(float logit, const LogitBias& change) {
    return (logit > 0 ? logit / change.factor : logit * change.factor) + change.addend;
}

// A request for a token of a row that wants output. The logits change in this order: logit biases, mask, then
// candidates and log-sum-exp are taken, then temperature and noise for `id`.
struct SampleRequest {
    float temperature = 0;  // 0: the largest logit, lowest id among equals
    uint64_t seed = 0;      // with `position` and the id, the whole state of the random generator (noise.h)
    uint32_t position = 0;  // of the token being chosen
    // By rising id, none twice, at most kMaxLogitBiases; valid until sample() returns.
    std::span<const LogitBias> logit_biases;
    // The ids that take part, at least one: bit id % 32 of word id / 32, (V + 31) / 32 words; empty: all. For the
    // others nothing below is computed, and they are no candidates. Valid until sample() returns.
    std::span<const uint32_t> allowed;
    bool wants_candidates = false;
};

struct Candidate {
    int32_t id;
    float logit;
};

// The larger logit first, of equal ones the smaller id.
inline bool comes_first(const Candidate& a, const Candidate& b) {
    return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
}

struct Sampled {
    bool finite = false;    // every logit of the row was finite, masked or not; else nothing below is meaningful
    int32_t id = -1;        // argmax of logit, or with a temperature of logit / temperature + noise
    float log_sum_exp = 0;  // of the biased logits that take part
    // The largest of them, by falling logit, then rising id; empty unless asked for. Every id that takes part and is
    // not listed has a logit <= candidate_floor (-infinity when all ids are listed).
    std::span<const Candidate> candidates;
    float candidate_floor = -std::numeric_limits<float>::infinity();
};

// Values are part of the frame protocol.
enum class BackendKind : uint8_t {
    // A GPU, else the CPU; the report's notes say why. When the GPU fails later, while the model is loaded on it, the
    // caller sets BackendOptions::avoided and creates another.
    Auto = 0,
    OpenCl = 1,  // an OpenCL device or an error: never falls back silently. Takes CPU devices (PoCL, llvmpipe) too
    Cpu = 2,
};

// "auto", "opencl", "cpu": as settings, status and logs name it.
std::string_view backend_name(BackendKind kind);

// For status and logs.
struct DeviceReport {
    BackendKind kind = BackendKind::Cpu;        // what it is; never Auto
    std::string device;                         // "FD630", "AMD EPYC 7B13, 2 threads, avx2"
    std::string driver;                         // OpenCL driver version; empty for the CPU
    Precision precision = Precision::Faithful;  // of the kernels in use
    std::string fingerprint;         // what decides the order and kind of float operations, and a page's bytes
    std::vector<std::string> notes;  // why this device, what was re-encoded, what is slow; one sentence each
    uint64_t weight_bytes = 0;       // held by weights
    uint64_t kv_bytes = 0;           // held by KV pages
    uint64_t working_bytes = 0;      // held for steps: activations, logits, batches, scratch memory
    bool is_host_memory = false;     // all three are private memory of this process
};

// Asked before each part of a long call that may block: false gives up, and the call fails as Cancelled.
using GoesOn = std::function<bool()>;

// Called while a tensor is copied: the next `bytes` bytes of its data are not read any more.
using OnCopied = std::function<void(size_t bytes)>;

// Counts of work handed to the device since the backend was created; all zero where there is no queue.
struct QueueCounts {
    uint64_t launches = 0;
    uint64_t submissions = 0;  // a blocking call that submits what is queued counts as one
};

// A call that breaks a precondition is refused as InvalidArgument.
class Backend {
public:
    virtual ~Backend() = default;

    virtual const DeviceReport& report() const = 0;
    virtual const BackendLimits& limits() const = 0;
    virtual QueueCounts queue_counts() const { return {}; }

    // --- Loading ---------------------------------------------------------------------------------------------------
    // All the tensors that upload() will bring, before the first of them, so that tensors that are used together can
    // lie together. Vectors (norms, biases, factors) are read now, and some rows of the matrices, which a device's
    // kernels are tried on: that may take seconds. DeviceError names a kernel that computes something
    // else; the rest as upload(). The views are not kept.
    virtual base::Result<void> declare_tensors(std::span<const model::Weight> weights, const GoesOn& goes_on) {
        (void)weights;
        (void)goes_on;
        return {};
    }
    // Takes a copy of one tensor in whatever form the device likes; the caller may drop the file's pages afterwards,
    // and those of the parts that on_copied has counted before that, so that a large tensor is never held twice. A
    // device that reads a tensor more than once does not call it. OutOfMemory names the tensor and the size;
    // ModelLoadFailed a tensor that does not fit the spec or comes twice.
    virtual base::Result<void> upload(const model::Weight& weight, const OnCopied& on_copied) = 0;
    base::Result<void> upload(const model::Weight& weight) {
        return upload(weight, [](size_t) {});
    }
    // After the last upload and before the first begin(): builds, checks and binds what remains. May take seconds.
    // ModelLoadFailed names a tensor that is missing, DeviceError what the device cannot do.
    virtual base::Result<void> finish_loading() = 0;

    // --- Sequences -------------------------------------------------------------------------------------------------
    // The pages of a slot: position p lives in pages[p / kPageTokens]. Takes effect with the next begin(). A page may
    // be in several slots' tables only where nothing writes to it. Another sequence begins: the slot has no pages of
    // KvPool::Window.
    virtual base::Result<void> set_pages(uint32_t slot, std::span<const uint32_t> pages) = 0;
    // The slot's pages of KvPool::Window: position p lives in pages[p / kPageTokens - first]. Likewise, but at any time
    // in a sequence. A row needs the pages of all positions that its window has.
    virtual base::Result<void> set_window_pages(uint32_t slot, uint32_t first, std::span<const uint32_t> pages) = 0;
    // One page as bytes: keys and values, or a convolution's products, of every layer of its pool, in an order that is
    // the backend's own and belongs to its fingerprint. Not between begin() and submit(); steps in flight are done
    // first. `out` and `in` have page_bytes().
    virtual uint64_t page_bytes(KvPool pool) const = 0;
    virtual base::Result<void> read_page(KvPage page, std::span<std::byte> out) = 0;
    virtual base::Result<void> write_page(KvPage page, std::span<const std::byte> in) = 0;
    // Nobody needs what these pages hold, which is undefined until it is written again: their memory goes back to the
    // system where pages are the host's own; an OpenCL buffer stays whole. Likewise not within a step.
    virtual void discard_pages(KvPool pool, std::span<const uint32_t> pages) {
        (void)pool;
        (void)pages;
    }

    // --- One step --------------------------------------------------------------------------------------------------
    // The device computes while the host goes on: submitting a step before the one before is waited for gains time.
    virtual bool is_asynchronous() const = 0;
    // Rows of one slot are neighbours with rising consecutive positions; at most limits().max_rows rows and
    // most_outputs() outputs. InvalidArgument before the previous step is submitted, or while kMaxStepsInFlight are in
    // flight, or for kSampledToken in a slot that has none; then nothing has changed.
    virtual base::Result<void> begin(std::span<const Row> rows) = 0;
    // Everything up to the last layer, once a step: what the residual stream of every row becomes.
    virtual base::Result<void> forward() = 0;
    // Behind forward(), at most once a step: the logits of the rows that want output, and what is chosen from them.
    // One request for each row that wants output, in row order.
    virtual base::Result<void> sample(std::span<const SampleRequest> requests) = 0;
    // Ends the step: hands it to the device with one flush, the read of its answer included.
    virtual base::Result<void> submit() = 0;
    // Waits for the oldest step in flight; InvalidArgument when there is none. One Sampled a request of its sample(),
    // empty if there was none; valid until the next wait().
    virtual base::Result<std::span<const Sampled>> wait() = 0;

    // With no step in flight: waits until the device has nothing more to do for this backend.
    virtual base::Result<void> finish() { return {}; }

    // After wait() and before the next begin(), with no step in flight: the logits of the output-th row that wanted
    // output, with its logit biases and unmasked. out has V elements.
    virtual base::Result<void> read_logits(uint32_t output, std::span<float> out) = 0;
    // Likewise: x of every row of that step, as the last layer left it. out has R * D elements.
    virtual base::Result<void> read_residual(std::span<float> out) = 0;
};

}  // namespace llmd::compute
