// The data that travels between host and device in a step: the batch, page tables and sampling requests on the way
// there, answers on the way back. The keys and values and the table of rotations, which stay on the device, are here
// too. The host has one end of each for every step, until the step has been waited for; the device needs one end only,
// since its queue is in order. Thread-bound.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/compute/backend.h"
#include "engine/compute/checks.h"
#include "engine/compute/opencl/runtime/device_queue.h"
#include "engine/compute/page_tables.h"
#include "engine/model/decoder_spec.h"

namespace llmd::compute {

// The keys and values of all positions that a backend keeps, as f16 pages in one buffer a layer: of each page its keys,
// then its values (epilogue.cl says in which order).
struct KvBuffers {
    // One buffer for each layer.
    std::vector<ClBuffer> kv;
    std::vector<uint64_t> page_bytes;
    std::vector<KvPool> pools;

    // Once. OutOfMemory names the layer and the size.
    base::Result<void> allocate(DeviceQueue& queue, const model::DecoderSpec& spec, const BackendLimits& limits);
    // One page in all layers of its pool, of each layer the keys, then the values. What is queued is done first;
    // `bytes`, as many as bytes_of_page(), may change after the call.
    base::Result<void> read_page(DeviceQueue& queue, KvPage page, std::span<std::byte> bytes) const;
    base::Result<void> write_page(DeviceQueue& queue, KvPage page, std::span<const std::byte> bytes) const;
    uint64_t bytes_of_page(KvPool pool) const;
};

// The bytes of all pages in all layers.
uint64_t kv_bytes(const model::DecoderSpec& spec, const BackendLimits& limits);

// The bytes of one table of rotations on a device: [position < n_ctx][n_rot / 2] (cos, sin) as model::fill_rotations()
// has them; 0 where no layer is rotated. A model has one for each of its ropes, one behind the other.
uint64_t rotary_bytes(const model::DecoderSpec& spec, uint32_t n_ctx);
// Writes the tables from byte `offset` on.
base::Result<void> upload_rotations(DeviceQueue& queue, const model::DecoderSpec& spec, uint32_t n_ctx,
                                    std::span<const float> factors, const ClBuffer& to, uint64_t offset);

// The words that travel between the host and the kernels that sample: requests, and candidates of the vocabulary's
// chunks back (kernels/constants.h, sample.cl). Pure functions.

// Chunks of the vocabulary and the candidates that each gives.
inline constexpr uint32_t kSampleChunks = 64;
inline constexpr uint32_t kChunkCandidates = kMaxCandidates / kSampleChunks;

// The words that the requests of a step with so many outputs may need, logit biases and masks included. Kernels address
// them with offsets of 32 bits: they come to 4 GiB only where the logits of as many outputs would take 100 GiB.
size_t request_words(size_t outputs, uint32_t n_vocab);
// Writes the requests and gives how many words of `out` they take.
size_t write_requests(std::span<const SampleRequest> requests, std::span<uint32_t> out);

// The words of the candidates of so many outputs.
size_t candidate_words(size_t outputs);

// Reads the candidates of one output and their floor into `result`. Fills `candidates` (cleared first), which the
// result's span then refers to.
void read_candidates(std::span<const uint32_t> answer, size_t output, size_t outputs,
                     std::vector<Candidate>& candidates, Sampled& result);

// The buffers on the device.
struct StepBuffers {
    ClBuffer step;      // the batch, then the page tables (kernels/constants.h)
    ClBuffer requests;  // request_words()
    ClBuffer sampled;   // [slot] the id sampled last, -1 where there is none
    ClBuffer logits;    // [outputs][n_vocab]
};

// The word of `step` at which the page tables of a pool begin.
uint32_t tables_at(const BackendLimits& limits, KvPool pool);
// The options of kernels that read `step`, as common.cl has them.
std::string step_options(const BackendLimits& limits, KvPool pool);

// The words at the beginning of a buffer that are a part of a step's answer.
struct AnswerPart {
    const ClBuffer& buffer;
    size_t words;
};

// Reads the result of one output out of a step's answer, whose parts lie one behind the other. Fills `candidates` if
// the step has any; the result refers to them.
using ReadOutput = Sampled (*)(std::span<const uint32_t> answer, const Step& step, uint32_t output,
                               std::vector<Candidate>& candidates);

// Refers to the queue and the buffers that it was made with.
class StepExchange {
public:
    // An answer has at most so many words.
    StepExchange(DeviceQueue& queue, StepBuffers& buffers, const model::DecoderSpec& spec, const BackendLimits& limits,
                 size_t answer_words, ReadOutput read_output);

    // Once, before the first step. Kernels may write logits of so many outputs: limits.most_outputs() or more.
    base::Result<void> allocate(uint64_t outputs);

    // The calls of Backend with their errors, as far as they are the same whatever is launched.
    base::Result<void> set_pages(uint32_t slot, std::span<const uint32_t> pages) { return pages_.set(slot, pages); }
    base::Result<void> set_window_pages(uint32_t slot, uint32_t first, std::span<const uint32_t> pages) {
        return pages_.set_window(slot, first, pages);
    }
    // `chunks` becomes STEP_CHUNKS.
    base::Result<void> begin(std::span<const Row> rows, uint32_t chunks = 1);
    // The open step, for forward(),
    base::Result<const Step*> mark_computed();
    // and behind it.
    base::Result<const Step*> computed();
    // The open step. The requests are on their way; there may be none.
    base::Result<const Step*> sample(std::span<const SampleRequest> requests);
    // `parts` are read if the step was sampled and has outputs.
    base::Result<void> submit(std::initializer_list<AnswerPart> parts);
    base::Result<std::span<const Sampled>> wait();
    base::Result<void> read_page(const KvBuffers& buffers, KvPage page, std::span<std::byte> out);
    base::Result<void> write_page(const KvBuffers& buffers, KvPage page, std::span<const std::byte> in);
    base::Result<void> read_logits(uint32_t output, std::span<float> out);
    // Reads x, which begins at byte `offset` of `from` and whose rows are `stride` floats apart.
    base::Result<void> read_residual(const ClBuffer& from, uint64_t offset, uint32_t stride, std::span<float> out);

private:
    struct HostSide {
        std::vector<int32_t> step;
        std::vector<uint32_t> requests;
        std::span<uint32_t> answer;
        std::array<std::vector<std::vector<uint32_t>>, kKvPools> page_tables;  // by slot
        ClEvent done;
    };

    base::Result<void> write_tables(HostSide& host);
    void write_rows(std::span<const Row> rows, uint32_t chunks, std::span<int32_t> out);

    DeviceQueue& queue_;
    StepBuffers& buffers_;
    model::DecoderSpec spec_;
    BackendLimits limits_;
    size_t answer_words_;
    ReadOutput read_output_;
    std::array<HostSide, kMaxStepsInFlight> host_;  // by set of the step
    StepQueue steps_;
    PageTables pages_;
    std::vector<uint32_t> last_output_;  // by slot: a row of the batch, meaningful where the slot has an output

    // These are the results of wait().
    std::vector<std::vector<Candidate>> candidates_;  // of each output
    std::vector<Sampled> sampled_;
};

}  // namespace llmd::compute
