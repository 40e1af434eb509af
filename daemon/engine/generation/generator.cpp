#include "engine/generation/generator.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/generation/transformer.h"

namespace llmd::generation {

using Clock = std::chrono::steady_clock;

Generator::Generator(LoadedModel& model, PrefillPace pace, GeneratorEvents& events)
    : model_(model),
      events_(events),
      pages_(model.backend->limits().n_pages, model.backend->limits().n_slots),
      pace_(pace) {}

base::Result<uint32_t> Generator::submit(const GenerationRequest& request) {
    if (sequences_.contains(request.id)) {
        return base::fail(base::ErrorCode::InvalidArgument, "id: ", request.id, " is in use");
    }
    const SequenceLimits limits{.n_ctx = model_.backend->limits().n_ctx, .n_vocab = model_.config.n_vocab};
    auto sequence = Sequence::create(request, *model_.tokenizer, limits);
    if (!sequence) return sequence.error();
    const uint32_t n_prompt = sequence->n_prompt();
    sequences_.emplace(request.id, std::make_unique<Sequence>(std::move(*sequence)));
    return n_prompt;
}

void Generator::start(uint64_t id) {
    Sequence* sequence = find(id);
    if (sequence == nullptr || std::find(started_.begin(), started_.end(), sequence) != started_.end()) return;
    if (const auto end = sequence->end()) {  // the replayed ids were the whole answer
        finish(*sequence, *end);
        return;
    }
    started_.push_back(sequence);
}

void Generator::cancel(uint64_t id) {
    if (find(id) != nullptr) drop(id);
}

void Generator::set_paused(uint64_t id, bool paused) {
    if (Sequence* sequence = find(id)) sequence->paused = paused;
}

bool Generator::has_work() const {
    for (const Sequence* sequence : started_) {
        if (!sequence->slot) return pages_.fits(sequence->max_length());
        if (!sequence->paused) return true;
    }
    return false;
}

base::Result<void> Generator::step() {
    if (auto admitted = admit(); !admitted) return admitted;
    plan_batch(started_, pace_.rows(), batch_);
    if (batch_.rows.empty()) return {};
    requests_.clear();
    for (const Batch::Part& part : batch_.parts) {
        if (part.wants_output) requests_.push_back(part.sequence->sampler().request(part.sequence->ids()));
    }

    const auto begin = Clock::now();
    const auto sampled = forward(*model_.backend, model_.config.n_layers, batch_.rows, requests_);
    if (!sampled) return sampled.error();
    const auto time = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin);
    pace_.measured(batch_.n_prefill_rows, time);

    uint32_t output = 0;
    for (const Batch::Part& part : batch_.parts) {
        Sequence& sequence = *part.sequence;
        if (sequence.is_decoding()) {
            sequence.costs.decode_tokens += part.n_rows;
            sequence.costs.decode_time += time;
        } else {
            sequence.costs.prefill_tokens += part.n_rows;
            sequence.costs.prefill_time += time;
        }
        sequence.advance(part.n_rows);
        if (part.wants_output) {
            if (auto done = deliver(sequence, (*sampled)[output], output); !done) return done;
            ++output;
        } else {
            events_.on_prefill(sequence.id(), sequence.n_computed());
        }
    }
    return {};
}

// Strictly in turn: a small request never overtakes a large one that waits for pages, or that might wait for ever.
base::Result<void> Generator::admit() {
    for (Sequence* sequence : started_) {
        if (sequence->slot) continue;
        sequence->slot = pages_.open(sequence->max_length());
        if (!sequence->slot) break;
        if (auto set = model_.backend->set_pages(*sequence->slot, pages_.pages(*sequence->slot)); !set) return set;
    }
    return {};
}

base::Result<void> Generator::deliver(Sequence& sequence, const compute::Sampled& sampled, uint32_t output) {
    const auto position = static_cast<uint32_t>(sequence.ids().size());
    if (!sampled.finite) {
        finish(sequence,
               base::fail(base::ErrorCode::DeviceError, "the logits for position ", position, " are not finite"));
        return {};
    }
    const auto id = sequence.sampler().choose(sampled, position, output, *model_.backend);
    if (!id) return id.error();
    if (sequence.accept(*id)) events_.on_token(sequence.id(), *id, sequence.take_text(), sequence.n_computed());
    if (const auto end = sequence.end()) finish(sequence, *end);
    return {};
}

void Generator::finish(Sequence& sequence, std::variant<End, base::Error> how) {
    const Finish finish{std::move(how), sequence.take_text(), sequence.costs};
    const uint64_t id = sequence.id();
    drop(id);
    events_.on_finished(id, finish);
}

Sequence* Generator::find(uint64_t id) {
    const auto found = sequences_.find(id);
    return found == sequences_.end() ? nullptr : found->second.get();
}

void Generator::drop(uint64_t id) {
    const auto found = sequences_.find(id);
    if (found->second->slot) pages_.close(*found->second->slot);
    std::erase(started_, found->second.get());
    sequences_.erase(found);
}

}  // namespace llmd::generation
