#include "engine/compute/opencl/runtime/step_exchange.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "engine/compute/backend.h"
#include "engine/compute/noise.h"

namespace llmd::compute {
namespace {

uint64_t layer_page_bytes(const model::LayerSpec& layer) {
    return 2 * uint64_t{layer.kv_rows()} * kPageTokens * sizeof(uint16_t);
}

}  // namespace

base::Result<void> KvBuffers::allocate(DeviceQueue& queue, const model::DecoderSpec& spec,
                                       const BackendLimits& limits) {
    for (uint32_t layer = 0; layer < spec.n_layers(); ++layer) {
        pools.push_back(limits.pool_of(spec.layers[layer]));
        page_bytes.push_back(layer_page_bytes(spec.layers[layer]));
        const uint32_t n_pages = limits.pages_of(pools.back());
        auto buffer = queue.allocate(base::concat(n_pages, " KV pages of layer ", layer), page_bytes.back() * n_pages);
        if (!buffer) return buffer.error();
        kv.push_back(std::move(*buffer));
    }
    return {};
}

base::Result<void> KvBuffers::read_page(DeviceQueue& queue, KvPage page, std::span<std::byte> bytes) const {
    for (size_t layer = 0; layer < kv.size(); ++layer) {
        if (pools[layer] != page.pool) continue;
        const uint64_t size = page_bytes[layer];
        if (auto ok = queue.read(kv[layer], page.number * size, bytes.first(size)); !ok) return ok;
        bytes = bytes.subspan(size);
    }
    return {};
}

base::Result<void> KvBuffers::write_page(DeviceQueue& queue, KvPage page, std::span<const std::byte> bytes) const {
    for (size_t layer = 0; layer < kv.size(); ++layer) {
        if (pools[layer] != page.pool) continue;
        const uint64_t size = page_bytes[layer];
        if (auto ok = queue.upload(kv[layer], page.number * size, bytes.first(size)); !ok) return ok;
        bytes = bytes.subspan(size);
    }
    return {};
}

uint64_t KvBuffers::bytes_of_page(KvPool pool) const {
    uint64_t bytes = 0;
    for (size_t layer = 0; layer < kv.size(); ++layer) bytes += pools[layer] == pool ? page_bytes[layer] : 0;
    return bytes;
}

uint64_t kv_bytes(const model::DecoderSpec& spec, const BackendLimits& limits) {
    uint64_t bytes = 0;
    for (const model::LayerSpec& layer : spec.layers) {
        bytes += layer_page_bytes(layer) * limits.pages_of(limits.pool_of(layer));
    }
    return bytes;
}

uint64_t rotary_bytes(const model::DecoderSpec& spec, uint32_t n_ctx) {
    return uint64_t{n_ctx} * spec.n_rot() * sizeof(float);
}

base::Result<void> upload_rotations(DeviceQueue& queue, const model::DecoderSpec& spec, uint32_t n_ctx,
                                    std::span<const float> factors, const ClBuffer& to, uint64_t offset) {
    std::vector<float> rotations(rotary_bytes(spec, n_ctx) / sizeof(float));
    if (rotations.empty()) return {};
    for (const model::Rope& rope : spec.ropes) {
        model::fill_rotations(rope, spec.n_rot(), factors, rotations);
        factors = {};
        const auto bytes = std::as_bytes(std::span(rotations));
        if (auto ok = queue.upload(to, offset, bytes); !ok) return ok;
        offset += bytes.size();
    }
    return {};
}

namespace {

static_assert(uint32_t{kRequestWords} % uint32_t{kLogitBiasWords} == 0);
// Kernels read both as one vector.
static_assert(uint32_t{kRequestLogitBiases} % 2 == 0 && kRequestLogitBiasesEnd == kRequestLogitBiases + 1);

void write_request(const SampleRequest& request, std::span<uint32_t> out) {
    std::fill(out.begin(), out.end(), 0u);
    out[kRequestTemperature] = std::bit_cast<uint32_t>(request.temperature);
    out[kRequestKey] = noise_key(request.seed, request.position);
    out[kRequestWantsCandidates] = request.wants_candidates ? 1 : 0;
}

void write_logit_bias(size_t output, const LogitBias& change, std::span<uint32_t> out) {
    out[kBiasedLogit] = static_cast<uint32_t>(output << kBiasedIdBits) | static_cast<uint32_t>(change.id);
    out[kLogitBiasAboveZero] = std::bit_cast<uint32_t>(1 / change.factor);
    out[kLogitBiasBelowZero] = std::bit_cast<uint32_t>(change.factor);
    out[kLogitBiasAddend] = std::bit_cast<uint32_t>(change.addend);
}

}  // namespace

size_t request_words(size_t outputs, uint32_t n_vocab) {
    return outputs * (kRequestWords + size_t{kMaxLogitBiases} * kLogitBiasWords + mask_words(n_vocab));
}

size_t write_requests(std::span<const SampleRequest> requests, std::span<uint32_t> out) {
    size_t end = requests.size() * kRequestWords;
    for (size_t i = 0; i < requests.size(); ++i) {
        write_request(requests[i], out.subspan(i * kRequestWords, kRequestWords));
    }
    out[kRequestLogitBiases] = static_cast<uint32_t>(end / kLogitBiasWords);
    for (size_t i = 0; i < requests.size(); ++i) {
        for (const LogitBias& change : requests[i].logit_biases) {
            write_logit_bias(i, change, out.subspan(end, kLogitBiasWords));
            end += kLogitBiasWords;
        }
    }
    out[kRequestLogitBiasesEnd] = static_cast<uint32_t>(end / kLogitBiasWords);
    for (size_t i = 0; i < requests.size(); ++i) {
        if (requests[i].allowed.empty()) continue;
        out[i * kRequestWords + kRequestMask] = static_cast<uint32_t>(end);
        std::copy(requests[i].allowed.begin(), requests[i].allowed.end(), out.begin() + static_cast<ptrdiff_t>(end));
        end += requests[i].allowed.size();
    }
    return end;
}

size_t candidate_words(size_t outputs) {
    return outputs * kSampleChunks * (1 + 2 * kChunkCandidates);
}

void read_candidates(std::span<const uint32_t> answer, size_t output, size_t outputs,
                     std::vector<Candidate>& candidates, Sampled& result) {
    const uint32_t* counts = answer.data() + output * kSampleChunks;
    const uint32_t* top = answer.data() + (outputs + output * 2 * kChunkCandidates) * kSampleChunks;
    candidates.clear();
    for (size_t c = 0; c < kSampleChunks; ++c, top += size_t{2} * kChunkCandidates) {
        for (uint32_t n = 0; n < std::min(counts[c], kChunkCandidates); ++n) {
            candidates.push_back(
                {static_cast<int32_t>(top[size_t{2} * n]), std::bit_cast<float>(top[size_t{2} * n + 1])});
        }
        // Whatever the chunk does not list is not above its last candidate.
        if (counts[c] > kChunkCandidates) {
            result.candidate_floor = std::max(result.candidate_floor, candidates.back().logit);
        }
    }
    std::sort(candidates.begin(), candidates.end(), comes_first);
    result.candidates = candidates;
}

namespace {

using base::Result;

}  // namespace

uint32_t tables_at(const BackendLimits& limits, KvPool pool) {
    const uint32_t outputs = (limits.most_outputs() + kOutputsAtOnce - 1) / kOutputsAtOnce * kOutputsAtOnce;
    const uint32_t first = kStepHeader + kStepRowWords * limits.max_rows + outputs;
    return pool == KvPool::Full ? first : first + limits.n_slots * PageTables::max_pages(limits);
}

std::string step_options(const BackendLimits& limits, KvPool pool) {
    return base::concat("-DMAX_ROWS=", limits.max_rows, " -DMAX_PAGES=", PageTables::max_pages(limits),
                        " -DTABLES_AT=", tables_at(limits, pool));
}

StepExchange::StepExchange(DeviceQueue& queue, StepBuffers& buffers, const model::DecoderSpec& spec,
                           const BackendLimits& limits, size_t answer_words, ReadOutput read_output)
    : queue_(queue),
      buffers_(buffers),
      spec_(spec),
      limits_(limits),
      answer_words_(answer_words),
      read_output_(read_output),
      pages_(limits),
      last_output_(limits.n_slots),
      candidates_(limits.most_outputs()) {
    for (HostSide& host : host_) {
        host.step.resize(tables_at(limits, KvPool::Full));
        host.requests.resize(request_words(limits.most_outputs(), spec.n_vocab));
        for (auto& tables : host.page_tables) {
            tables.resize(limits.n_slots);
            for (auto& table : tables) table.reserve(PageTables::max_pages(limits));
        }
    }
    for (auto& list : candidates_) list.reserve(kMaxCandidates);
    sampled_.reserve(limits.most_outputs());
}

Result<void> StepExchange::allocate(uint64_t outputs) {
    const uint64_t pages = uint64_t{limits_.n_slots} * PageTables::max_pages(limits_);
    const uint64_t words = tables_at(limits_, limits_.window == 0 ? KvPool::Full : KvPool::Window) + pages;
    const Allocation all[] = {
        {&buffers_.step, "the batch and page tables", words * sizeof(int32_t)},
        {&buffers_.requests, "sampling requests",
         request_words(limits_.most_outputs(), spec_.n_vocab) * sizeof(uint32_t)},
        {&buffers_.sampled, "sampled tokens", limits_.n_slots * sizeof(int32_t)},
        {&buffers_.logits, "logits", outputs * spec_.n_vocab * sizeof(float)},
    };
    if (auto ok = queue_.allocate(all); !ok) return ok;
    for (HostSide& host : host_) {
        const auto answer = queue_.allocate_host("sampling results", answer_words_);
        if (!answer) return answer.error();
        host.answer = *answer;
    }
    return {};
}

void StepExchange::write_rows(std::span<const Row> rows, uint32_t chunks, std::span<int32_t> out) {
    for (uint32_t r = 0; r < rows.size(); ++r) {
        if (rows[r].wants_output) last_output_[rows[r].slot] = r;
    }
    int32_t* word = out.data() + kStepHeader;
    int32_t* const output_rows = word + size_t{kStepRowWords} * limits_.max_rows;
    int32_t* output_row = output_rows;
    for (uint32_t r = 0; r < rows.size(); ++r) {
        word[kRowToken] = rows[r].token;
        word[kRowPosition] = static_cast<int32_t>(rows[r].position);
        word[kRowSlot] = static_cast<int32_t>(rows[r].slot);
        word[kRowIsLastOutput] = rows[r].wants_output && last_output_[rows[r].slot] == r ? 1 : 0;
        word += kStepRowWords;
        if (rows[r].wants_output) *output_row++ = static_cast<int32_t>(r);
    }
    out[kStepOutputCount] = static_cast<int32_t>(output_row - output_rows);
    out[kStepRowCount] = static_cast<int32_t>(rows.size());
    out[kStepChunks] = static_cast<int32_t>(chunks);
}

Result<void> StepExchange::begin(std::span<const Row> rows, uint32_t chunks) {
    if (auto checked = check_rows(spec_, limits_, rows); !checked) return checked;
    if (auto checked = steps_.check_begin(); !checked) return checked;
    if (auto begun = pages_.begin(rows); !begun) return begun;
    const auto outputs = std::count_if(rows.begin(), rows.end(), [](const Row& row) { return row.wants_output; });
    const Step& step = steps_.begin(static_cast<uint32_t>(rows.size()), static_cast<uint32_t>(outputs));
    HostSide& host = host_[step.set];
    write_rows(rows, chunks, host.step);
    if (auto ok = queue_.write(buffers_.step, 0, std::as_bytes(std::span(host.step))); !ok) return ok;
    return write_tables(host);
}

Result<void> StepExchange::write_tables(HostSide& host) {
    for (const KvPool pool : {KvPool::Full, KvPool::Window}) {
        for (uint32_t slot = 0; slot < limits_.n_slots; ++slot) {
            const auto table = pages_.of(slot, pool);
            if (!pages_.is_new(slot, pool) || table.empty()) continue;
            auto& pages = host.page_tables[static_cast<size_t>(pool)][slot];
            pages.assign(table.begin(), table.end());
            const uint64_t word = tables_at(limits_, pool) + uint64_t{slot} * PageTables::max_pages(limits_);
            const auto bytes = std::as_bytes(std::span(pages));
            if (auto ok = queue_.write(buffers_.step, word * sizeof(uint32_t), bytes); !ok) return ok;
        }
    }
    return {};
}

Result<const Step*> StepExchange::mark_computed() {
    const auto step = steps_.mark_computed();
    if (!step) return step.error();
    return *step;
}

Result<const Step*> StepExchange::computed() {
    const auto step = steps_.computed();
    if (!step) return step.error();
    return *step;
}

Result<const Step*> StepExchange::sample(std::span<const SampleRequest> requests) {
    const auto open = steps_.computed();
    if (!open) return open.error();
    Step& step = **open;
    if (auto checked = check_requests(spec_, step, requests); !checked) return checked.error();
    auto& words = host_[step.set].requests;
    for (const SampleRequest& request : requests) {
        step.with_candidates = step.with_candidates || request.wants_candidates;
    }
    step.is_sampled = true;
    pages_.mark_sampled();
    if (requests.empty()) return &step;
    const auto used = std::span(words).first(write_requests(requests, words));
    if (auto ok = queue_.write(buffers_.requests, 0, std::as_bytes(used)); !ok) return ok.error();
    return &step;
}

Result<void> StepExchange::submit(std::initializer_list<AnswerPart> parts) {
    const auto open = steps_.computed();
    if (!open) return open.error();
    const Step& step = **open;
    HostSide& host = host_[step.set];
    ClEvent done;
    auto to = host.answer;
    for (const AnswerPart& part : parts) {
        if (!step.is_sampled || part.words == 0) continue;
        auto read = queue_.read_later(part.buffer, 0, std::as_writable_bytes(to.first(part.words)));
        if (!read) return read.error();
        done = std::move(*read);
        to = to.subspan(part.words);
    }
    if (!done) {
        auto mark = queue_.mark();
        if (!mark) return mark.error();
        done = std::move(*mark);
    }
    host.done = std::move(done);
    if (auto flushed = queue_.submit_step(); !flushed) return flushed;
    return steps_.submit();
}

Result<std::span<const Sampled>> StepExchange::wait() {
    const auto step = steps_.wait();
    if (!step) return step.error();
    HostSide& host = host_[step->set];
    sampled_.clear();
    if (auto done = queue_.wait(host.done); !done) return done.error();
    host.done = {};
    for (uint32_t i = 0; step->is_sampled && i < step->n_outputs; ++i) {
        sampled_.push_back(read_output_(host.answer, *step, i, candidates_[i]));
    }
    return std::span<const Sampled>(sampled_);
}

Result<void> StepExchange::read_page(const KvBuffers& buffers, KvPage page, std::span<std::byte> out) {
    if (auto ok = check_page(limits_, steps_, page, out.size(), buffers.bytes_of_page(page.pool)); !ok) return ok;
    return buffers.read_page(queue_, page, out);
}

Result<void> StepExchange::write_page(const KvBuffers& buffers, KvPage page, std::span<const std::byte> in) {
    if (auto ok = check_page(limits_, steps_, page, in.size(), buffers.bytes_of_page(page.pool)); !ok) return ok;
    return buffers.write_page(queue_, page, in);
}

Result<void> StepExchange::read_logits(uint32_t output, std::span<float> out) {
    if (auto checked = check_logits_read(spec_, steps_.readable_outputs(), output, out.size()); !checked) {
        return checked;
    }
    return queue_.read(buffers_.logits, uint64_t{output} * spec_.n_vocab * sizeof(float), std::as_writable_bytes(out));
}

Result<void> StepExchange::read_residual(const ClBuffer& from, uint64_t offset, uint32_t stride, std::span<float> out) {
    const uint32_t n_rows = steps_.readable_rows();
    if (auto checked = check_residual_read(spec_, n_rows, out.size()); !checked) return checked;
    if (stride == spec_.n_embd) return queue_.read(from, offset, std::as_writable_bytes(out));
    std::vector<float> padded(size_t{n_rows} * stride);
    if (auto read = queue_.read(from, offset, std::as_writable_bytes(std::span(padded))); !read) return read;
    for (uint32_t r = 0; r < n_rows; ++r) {
        std::copy_n(&padded[size_t{r} * stride], spec_.n_embd, &out[size_t{r} * spec_.n_embd]);
    }
    return {};
}

}  // namespace llmd::compute
