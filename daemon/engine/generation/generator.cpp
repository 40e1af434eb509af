#include "engine/generation/generator.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/generation/forward.h"

namespace llmd::generation {

Generator::Generator(LoadedModel& model, PrefillPace pace, GeneratorEvents& events, std::optional<PrefixStore> store)
    : model_(model),
      events_(events),
      logprob_reader_(model.spec.n_vocab),
      pages_(model.backend->limits()),
      pace_(pace) {
    if (store) disk_cache_.emplace(*std::move(store), *model.backend);
}

Generator::~Generator() {
    for (const DeviceStep* step : {&current_, &following_}) {
        if (step->is_in_flight) (void)model_.backend->wait();
    }
}

base::Result<void> Generator::submit(const GenerationRequest& request, uint32_t* n_prompt) {
    if (sequences_.contains(request.id)) {
        return base::fail(base::ErrorCode::InvalidArgument, "id: ", request.id, " is in use");
    }
    const SequenceLimits limits{.n_ctx = model_.backend->limits().n_ctx, .n_vocab = model_.spec.n_vocab};
    auto sequence =
        Sequence::create(request, *model_.tokenizer, limits, request.grammar ? tokens(request) : nullptr, n_prompt);
    if (!sequence) return sequence.error();
    sequences_.emplace(request.id, std::make_unique<Sequence>(std::move(*sequence)));
    return {};
}

void Generator::start(uint64_t id, uint32_t rank) {
    Sequence* sequence = find(id);
    if (sequence == nullptr) return;
    if (const auto end = sequence->end()) {  // the replayed ids were the whole answer
        finish(*sequence, *end);
        return;
    }
    const bool is_started = std::find(started_.begin(), started_.end(), sequence) != started_.end();
    if (is_started && sequence->rank == rank) return;
    std::erase(started_, sequence);
    sequence->rank = rank;
    const auto successor =
        std::find_if(started_.begin(), started_.end(), [&](const Sequence* s) { return s->rank > rank; });
    started_.insert(successor, sequence);
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

void Generator::drop_cache() {
    for (Sequence* sequence : started_) {
        if (sequence->paused && sequence->slot) evict(*sequence);
    }
    pages_.drop_idle();
    for (const auto pool : {compute::KvPool::Full, compute::KvPool::Window}) {
        model_.backend->discard_pages(pool, pages_.free_pages(pool));
    }
}

bool Generator::has_work() const {
    // A step whose rows are all discarded is waited for too: its time and faults must not count for the next request.
    if (current_.is_in_flight) return true;
    // A sequence that waits for pages counts as work: those that hold them are paused, and are evicted, or have work.
    return std::any_of(started_.begin(), started_.end(), [](const Sequence* sequence) { return !sequence->paused; });
}

base::Result<void> Generator::step() {
    if (!current_.is_in_flight) {
        if (auto launched = launch(current_); !launched) return launched;
        if (!current_.is_in_flight) return {};
    }
    if (may_be_followed(current_)) {
        if (auto launched = launch(following_); !launched) return launched;
    }
    if (auto completed = complete(current_); !completed) return completed;
    std::swap(current_, following_);
    return {};
}

base::Result<void> Generator::launch(DeviceStep& step) {
    if (auto admitted = admit(); !admitted) return admitted;
    Batch& batch = step.batch;
    plan_batch(computing_, pace_.rows(), batch);
    if (batch.rows.empty()) return {};
    step.requests.clear();
    for (const Batch::Part& part : batch.parts) {
        Sequence& sequence = *part.sequence;
        if (part.wants_output) {
            auto& request = step.requests.emplace_back(sequence.sampler().request(
                sequence.ids(), sequence.length(), sequence.allowed_ids(), sequence.banned_ids()));
            request.wants_candidates = request.wants_candidates || sequence.top_logprobs();
        }
        sequence.schedule(part.n_rows, part.wants_output);
        const uint32_t slot = *sequence.slot;
        if (!pages_.cover(slot, sequence.n_computed(), sequence.n_scheduled())) continue;
        const auto pages = pages_.window_pages(slot);
        if (auto set = model_.backend->set_window_pages(slot, pages_.first_window_page(slot), pages); !set) return set;
    }
    step.submitted = Clock::now();
    step.is_in_flight = true;
    return submit_step(*model_.backend, batch.rows, step.requests);
}

base::Result<void> Generator::settle() {
    if (current_.is_in_flight) {
        if (auto completed = complete(current_); !completed) return completed;
    }
    return model_.backend->finish();
}

// No step follows prefill: a chunk takes as long as a new request should have to wait, and hides the host's time
// anyway.
bool Generator::may_be_followed(const DeviceStep& step) const {
    if (!runs_ahead_ || !model_.backend->is_asynchronous() || step.batch.n_prefill_rows > 0) return false;
    return std::all_of(step.batch.parts.begin(), step.batch.parts.end(), [](const Batch::Part& part) {
        return part.sequence == nullptr || part.sequence->is_done_by_device();
    });
}

base::Result<void> Generator::complete(DeviceStep& step) {
    step.is_in_flight = false;
    const auto sampled = wait_step(*model_.backend, step.requests.size());
    if (!sampled) return sampled.error();
    const auto began = std::max(step.submitted, completed_);  // steps run one after the other
    completed_ = Clock::now();
    const auto time = std::chrono::duration_cast<std::chrono::microseconds>(completed_ - began);

    const auto& parts = step.batch.parts;
    // If all parts are discarded nothing waited for the step, so its time says nothing.
    if (std::any_of(parts.begin(), parts.end(), [](const Batch::Part& part) { return part.sequence != nullptr; })) {
        pace_.measured(step.batch.n_prefill_rows, time);
    }
    if (auto read = read_residual(step.batch); !read) return read;
    uint32_t output = 0;
    uint32_t row = 0;
    for (const Batch::Part& part : parts) {
        const uint32_t its_output = output;
        const uint32_t its_row = row;
        output += part.wants_output ? 1 : 0;
        row += part.n_rows;
        if (part.sequence == nullptr) continue;
        Sequence& sequence = *part.sequence;
        (part.is_prefill ? sequence.costs.prefill_tokens : sequence.costs.decode_tokens) += part.n_rows;
        (part.is_prefill ? sequence.costs.prefill_time : sequence.costs.decode_time) += time;
        sequence.arrive(part.n_rows, part.wants_output);
        if (part.wants_output) {
            if (auto done = deliver(sequence, (*sampled)[its_output], its_output); !done) return done;
        } else if (sequence.embeds()) {
            const size_t width = model_.spec.n_embd;
            pool(sequence, std::span(residual_).subspan(its_row * width, part.n_rows * width));
        } else if (part.is_prefill) {
            events_.on_prefill(sequence.id(), sequence.n_computed());
        }
    }
    return {};
}

base::Result<void> Generator::read_residual(const Batch& batch) {
    const bool is_wanted = std::any_of(batch.parts.begin(), batch.parts.end(), [](const Batch::Part& part) {
        return part.sequence != nullptr && part.sequence->embeds();
    });
    if (!is_wanted) return {};
    residual_.resize(batch.rows.size() * model_.spec.n_embd);
    return model_.backend->read_residual(residual_);
}

void Generator::pool(Sequence& sequence, std::span<const float> rows) {
    sequence.pooling->add(rows);
    if (sequence.n_computed() < sequence.n_prompt()) {
        events_.on_prefill(sequence.id(), sequence.n_computed());
        return;
    }
    auto embedding = sequence.pooling->embedding();
    if (!embedding) return finish(sequence, std::move(embedding).error());
    finish(sequence, End::Stop, std::move(*embedding));
}

// Pages are given strictly in order. If a small request could overtake a large one, the large one might wait for ever.
base::Result<void> Generator::admit() {
    computing_.clear();
    bool lacks_room = false;
    for (Sequence* sequence : started_) {
        if (sequence->paused) continue;
        if (computing_.size() == model_.backend->limits().max_outputs) break;
        if (!sequence->slot) {
            lacks_room = lacks_room || !make_room(*sequence);
            if (lacks_room) continue;
            if (auto given = give_pages(*sequence); !given) return given;
        }
        computing_.push_back(sequence);
    }
    return {};
}

bool Generator::make_room(const Sequence& sequence) {
    if (pages_.fits(sequence.max_length())) return true;
    std::vector<Sequence*> victims;
    const auto collect = [&](auto may_be_evicted) {
        for (auto it = started_.rbegin(); it != started_.rend(); ++it) {
            if ((*it)->slot && may_be_evicted(**it)) victims.push_back(*it);
        }
    };
    collect([](const Sequence& other) { return other.paused; });
    collect([&](const Sequence& other) { return !other.paused && other.rank > sequence.rank; });
    // Nothing is evicted unless all victims together leave enough.
    std::vector<uint32_t> slots;
    for (const Sequence* victim : victims) slots.push_back(*victim->slot);
    if (!pages_.fits_without(slots, sequence.max_length())) return false;
    for (Sequence* victim : victims) {
        evict(*victim);
        if (pages_.fits(sequence.max_length())) return true;
    }
    return false;
}

base::Result<void> Generator::give_pages(Sequence& sequence) {
    const KvPages::Text text{sequence.cache_scope(), sequence.ids()};
    const uint32_t slot = *pages_.open(sequence.max_length(), text);
    sequence.slot = slot;
    if (disk_cache_) {
        // Pages that an evicted sequence computed itself are no hit of a second request.
        const bool is_hit = sequence.costs.prefill_tokens == 0;
        if (auto begun = disk_cache_->begin(text, pages_, slot, is_hit); !begun) return begun;
    }
    const uint32_t n_cached = pages_.n_cached(slot) * compute::kPageTokens;
    sequence.take_cached(n_cached);
    if (sequence.embeds()) sequence.pooling.emplace(model_.output_norm);
    events_.on_started(sequence.id(), std::min(n_cached, sequence.n_prompt()));
    return model_.backend->set_pages(slot, pages_.pages(slot));
}

void Generator::evict(Sequence& sequence) {
    discard(sequence);
    sequence.forget_pages();
    pages_.close(*std::exchange(sequence.slot, std::nullopt));
}

base::Result<void> Generator::deliver(Sequence& sequence, const compute::Sampled& sampled, uint32_t output) {
    const auto position = static_cast<uint32_t>(sequence.ids().size());
    if (!sampled.finite) {
        pages_.forget(*sequence.slot);
        if (disk_cache_) disk_cache_->forget({sequence.cache_scope(), sequence.ids()});
        finish(sequence,
               base::fail(base::ErrorCode::DeviceError, "the logits for position ", position, " are not finite"));
        return {};
    }
    pages_.enter(*sequence.slot, {sequence.cache_scope(), sequence.ids().first(sequence.n_computed())});
    if (sequence.only_reads()) {
        finish(sequence, End::Length);
        return {};
    }
    if (!sequence.may_go_on()) {
        end_without_token(sequence);
        return {};
    }
    const auto allowed = sequence.allowed_ids();
    const auto id = sequence.sampler().choose(sampled, position, output, *model_.backend, allowed);
    if (!id) return id.error();
    std::optional<TokenLogprobs> logprobs;
    if (const auto n_top = sequence.top_logprobs()) {
        auto read =
            logprob_reader_.read(sampled, *id, *n_top, output, *model_.backend, allowed, sequence.sampler().unsent());
        if (!read) return read.error();
        logprobs = std::move(*read);
    }
    accept(sequence, *id, logprobs ? &*logprobs : nullptr);
    accept_only_ids(sequence);
    if (const auto end = sequence.end()) finish(sequence, *end);
    return {};
}

void Generator::accept(Sequence& sequence, int32_t id, const TokenLogprobs* logprobs) {
    if (!sequence.accept(id)) return;
    events_.on_token(sequence.id(), id, sequence.take_text(), sequence.n_computed(), logprobs);
}

void Generator::accept_only_ids(Sequence& sequence) {
    while (const auto id = sequence.only_id()) {
        TokenLogprobs certain{.chosen = {*id, 0}, .top = {}};
        if (sequence.top_logprobs().value_or(0) > 0) certain.top.push_back(certain.chosen);
        accept(sequence, *id, sequence.top_logprobs() ? &certain : nullptr);
    }
}

base::Result<void> Generator::save_next() {
    return disk_cache_ ? disk_cache_->save_next(pages_) : base::Result<void>();
}

std::shared_ptr<const constraint::TokenTrie> Generator::tokens(const GenerationRequest& request) {
    auto& trie = request.markers.empty() ? tokens_ : tokens_with_markers_;
    if (!trie) {
        trie = std::make_shared<constraint::TokenTrie>(*model_.tokenizer, model_.spec.n_vocab, request.markers);
    }
    return trie;
}

void Generator::end_without_token(Sequence& sequence) {
    if (!sequence.constraint()->is_complete()) {
        finish(sequence, base::fail(base::ErrorCode::ConstraintFailed, "json_schema: after ",
                                    sequence.ids().size() - sequence.n_prompt(),
                                    " tokens no token of this model goes on with a text that fits"));
        return;
    }
    sequence.stop();
    finish(sequence, End::Stop);
}

void Generator::finish(Sequence& sequence, std::variant<End, base::Error> how, std::vector<float> embedding) {
    const Finish finish{std::move(how), sequence.take_text(), sequence.costs, std::move(embedding)};
    const uint64_t id = sequence.id();
    drop(id);
    events_.on_finished(id, finish);
}

void Generator::discard(const Sequence& sequence) {
    for (DeviceStep* step : {&current_, &following_}) {
        for (Batch::Part& part : step->batch.parts) {
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
