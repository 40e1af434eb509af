#include "engine/generation/generator.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/generation/transformer.h"

namespace llmd::generation {

Generator::Generator(LoadedModel& model, PrefillPace pace, GeneratorEvents& events)
    : model_(model),
      events_(events),
      pages_(model.backend->limits().n_pages, model.backend->limits().n_slots),
      pace_(pace) {}

Generator::~Generator() {
    for (const Flight* flight : {&current_, &following_}) {
        if (flight->is_in_flight) (void)model_.backend->wait();
    }
}

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
    Sequence* sequence = find(id);
    if (sequence == nullptr || sequence->paused == paused) return;
    sequence->paused = paused;
    discard(*sequence);
    sequence->recall();
}

bool Generator::has_work() const {
    // Also a step whose rows are all discarded: the device's time and faults are its own, not the next request's.
    if (current_.is_in_flight) return true;
    for (const Sequence* sequence : started_) {
        if (!sequence->slot) return pages_.fits(sequence->max_length());
        if (!sequence->paused) return true;
    }
    return false;
}

base::Result<void> Generator::step() {
    if (!current_.is_in_flight) {
        if (auto launched = launch(current_); !launched) return launched;
        if (!current_.is_in_flight) return {};
    }
    if (may_be_followed(current_)) {
        if (auto launched = launch(following_); !launched) return launched;
    }
    if (auto landed = land(current_); !landed) return landed;
    std::swap(current_, following_);
    return {};
}

base::Result<void> Generator::launch(Flight& flight) {
    if (auto admitted = admit(); !admitted) return admitted;
    Batch& batch = flight.batch;
    plan_batch(started_, pace_.rows(), batch);
    if (batch.rows.empty()) return {};
    flight.requests.clear();
    for (const Batch::Part& part : batch.parts) {
        Sequence& sequence = *part.sequence;
        if (part.wants_output) flight.requests.push_back(sequence.sampler().request(sequence.ids(), sequence.length()));
        sequence.schedule(part.n_rows, part.wants_output);
    }
    flight.submitted = Clock::now();
    flight.is_in_flight = true;
    return submit_step(*model_.backend, model_.config.n_layers, batch.rows, flight.requests);
}

// Not behind prefill: its chunk takes as long as a new request should have to wait, and hides the host's time anyway.
bool Generator::may_be_followed(const Flight& flight) const {
    if (!model_.backend->is_asynchronous() || flight.batch.n_prefill_rows > 0) return false;
    return std::all_of(flight.batch.parts.begin(), flight.batch.parts.end(), [](const Batch::Part& part) {
        return part.sequence == nullptr || part.sequence->sampler().parameters().is_done_by_device();
    });
}

base::Result<void> Generator::land(Flight& flight) {
    flight.is_in_flight = false;
    const auto sampled = wait_step(*model_.backend, flight.requests.size());
    if (!sampled) return sampled.error();
    const auto began = std::max(flight.submitted, landed_);  // steps run one after the other
    landed_ = Clock::now();
    const auto time = std::chrono::duration_cast<std::chrono::microseconds>(landed_ - began);

    const auto& parts = flight.batch.parts;
    // With no part left nobody waited for it, so the time says nothing.
    if (std::any_of(parts.begin(), parts.end(), [](const Batch::Part& part) { return part.sequence != nullptr; })) {
        pace_.measured(flight.batch.n_prefill_rows, time);
    }
    uint32_t output = 0;
    for (const Batch::Part& part : parts) {
        const uint32_t its_output = output;
        output += part.wants_output ? 1 : 0;
        if (part.sequence == nullptr) continue;
        Sequence& sequence = *part.sequence;
        (part.is_prefill ? sequence.costs.prefill_tokens : sequence.costs.decode_tokens) += part.n_rows;
        (part.is_prefill ? sequence.costs.prefill_time : sequence.costs.decode_time) += time;
        sequence.arrive(part.n_rows, part.wants_output);
        if (part.wants_output) {
            if (auto done = deliver(sequence, (*sampled)[its_output], its_output); !done) return done;
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

void Generator::discard(const Sequence& sequence) {
    for (Flight* flight : {&current_, &following_}) {
        for (Batch::Part& part : flight->batch.parts) {
            if (part.sequence == &sequence) part.sequence = nullptr;
        }
    }
}

Sequence* Generator::find(uint64_t id) {
    const auto found = sequences_.find(id);
    return found == sequences_.end() ? nullptr : found->second.get();
}

void Generator::drop(uint64_t id) {
    const auto found = sequences_.find(id);
    discard(*found->second);
    if (found->second->slot) pages_.close(*found->second->slot);
    std::erase(started_, found->second.get());
    sequences_.erase(found);
}

}  // namespace llmd::generation
