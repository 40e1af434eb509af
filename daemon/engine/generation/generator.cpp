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
      pace_(pace),
      row_costs_(model.backend->report().kind) {
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
    draft();
    plan_batch(computing_, pace_.rows(), batch);
    if (batch.rows.empty()) return {};
    step.requests.clear();
    step.request_data.clear();
    for (const Batch::Part& part : batch.parts) {
        Sequence& sequence = *part.sequence;
        if (part.n_outputs > 0) sequence.list_requests(step.requests, step.request_data);
        sequence.schedule(part.n_rows - part.n_drafts, part.n_outputs > 0);
        const uint32_t slot = *sequence.slot;
        if (!pages_.cover(slot, sequence.n_computed(), sequence.n_scheduled() + part.n_drafts)) continue;
        const auto pages = pages_.window_pages(slot);
        if (auto set = model_.backend->set_window_pages(slot, pages_.first_window_page(slot), pages); !set) return set;
    }
    step.submitted = Clock::now();
    step.is_in_flight = true;
    return submit_step(*model_.backend, batch.rows, step.requests);
}

void Generator::draft() {
    for (Sequence* sequence : computing_) sequence->keep_drafts(0);
    if (!may_draft()) return;
    const uint32_t most = model_.backend->limits().max_drafted;
    // Not beside prefill: drafted rows would come out of its chunk, and a first token waits longer than another one.
    if (!std::ranges::all_of(computing_, &Sequence::is_decoding)) return;
    const auto began = Clock::now();
    chances_.clear();
    uint32_t n_rows = 0, n_tokens = 0;
    bool may_run_ahead = runs_ahead_ && model_.backend->is_asynchronous();
    for (uint32_t i = 0; i < computing_.size(); ++i) {
        Sequence& sequence = *computing_[i];
        n_rows += sequence.n_pending();
        ++n_tokens;
        may_run_ahead = may_run_ahead && sequence.is_done_by_device();
        sequence.draft(std::min(kMaxDrafts, most));
        for (const Draft& one : sequence.drafts()) chances_.push_back({i, one.probability, one.is_certain});
    }
    if (!chances_.empty()) {
        const auto taken = worthwhile(computing_.size(), n_rows, n_tokens, may_run_ahead);
        for (uint32_t i = 0; i < computing_.size(); ++i) computing_[i]->keep_drafts(taken[i]);
    }
    const auto time = Clock::now() - began;
    for (Sequence* sequence : computing_) sequence->costs.look_up_time += time / computing_.size();
}

base::Result<void> Generator::settle() {
    if (current_.is_in_flight) {
        if (auto completed = complete(current_); !completed) return completed;
    }
    return model_.backend->finish();
}

// No step follows prefill: a chunk takes as long as a new request should have to wait, and hides the host's time
// anyway.
bool Generator::may_be_followed(const DeviceStep& step) {
    if (!runs_ahead_ || !model_.backend->is_asynchronous() || step.batch.n_prefill_rows > 0) return false;
    const bool is_done_by_device =
        std::all_of(step.batch.parts.begin(), step.batch.parts.end(), [](const Batch::Part& part) {
            return part.sequence == nullptr || (part.n_drafts == 0 && part.sequence->is_done_by_device());
        });
    return is_done_by_device && !expects_drafts(step);
}

bool Generator::may_draft() const {
    return speculates_ && model_.backend->limits().max_drafted > 0;
}

bool Generator::expects_drafts(const DeviceStep& step) {
    if (!may_draft()) return false;
    chances_.clear();
    const auto& parts = step.batch.parts;
    for (uint32_t i = 0; i < parts.size(); ++i) {
        const double next = parts[i].sequence == nullptr ? 0 : parts[i].sequence->expectation();
        double probability = 1;
        for (uint32_t n = 0; next > 0 && n < kMaxDrafts; ++n) chances_.push_back({i, probability *= next, false});
    }
    if (chances_.empty()) return false;
    const auto n_rows = static_cast<uint32_t>(step.batch.rows.size());
    const auto taken = worthwhile(parts.size(), n_rows, n_rows, true);
    return std::ranges::any_of(taken, [](uint32_t n) { return n > 0; });
}

std::vector<uint32_t> Generator::worthwhile(size_t n_sequences, uint32_t n_rows, uint32_t n_tokens,
                                            bool may_run_ahead) const {
    return worthwhile_drafts(chances_, static_cast<uint32_t>(n_sequences), n_rows, n_tokens,
                             model_.backend->limits().max_drafted, row_costs_, may_run_ahead);
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
        if (step.batch.n_prefill_rows == 0) {
            row_costs_.measured(static_cast<uint32_t>(step.batch.rows.size()), time, began > step.submitted);
        }
    }
    if (auto read = read_residual(step.batch); !read) return read;
    uint32_t output = 0;
    uint32_t row = 0;
    for (const Batch::Part& part : parts) {
        const uint32_t its_output = output;
        const uint32_t its_row = row;
        output += part.n_outputs;
        row += part.n_rows;
        if (part.sequence == nullptr) continue;
        Sequence& sequence = *part.sequence;
        const uint32_t n_pending = part.n_rows - part.n_drafts;
        (part.is_prefill ? sequence.costs.prefill_tokens : sequence.costs.decode_tokens) += n_pending;
        (part.is_prefill ? sequence.costs.prefill_time : sequence.costs.decode_time) += time;
        std::chrono::microseconds of_drafts{};
        if (part.n_drafts > 0) {
            const auto n_rows = static_cast<uint32_t>(step.batch.rows.size());
            const double share = 1 - row_costs_.cost(n_rows - part.n_drafts) / row_costs_.cost(n_rows);
            of_drafts = std::chrono::duration_cast<std::chrono::microseconds>(share * time);
            sequence.costs.drafted += part.n_drafts;
            sequence.costs.draft_time += of_drafts;
            sequence.costs.rejected_time += of_drafts;
        }
        sequence.arrive(n_pending, part.n_outputs > 0);
        if (part.n_outputs > 0) {
            if (auto done = deliver_all(part, *sampled, its_output, of_drafts); !done) return done;
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
    if (sequence.embeds()) {
        sequence.pooling.emplace(model_.output_norm, model_.spec.pooling.value_or(model::PoolingType::Mean));
    }
    events_.on_started(sequence.id(), std::min(n_cached, sequence.n_prompt()));
    return model_.backend->set_pages(slot, pages_.pages(slot));
}

void Generator::evict(Sequence& sequence) {
    discard(sequence);
    sequence.forget_pages();
    pages_.close(*std::exchange(sequence.slot, std::nullopt));
}

base::Result<void> Generator::deliver_all(const Batch::Part& part, std::span<const compute::Sampled> sampled,
                                          uint32_t first, std::chrono::microseconds of_drafts) {
    Sequence& sequence = *part.sequence;
    const auto drafts = sequence.take_drafts();
    const size_t n_before = sequence.ids().size();
    size_t n_right = 0;
    for (uint32_t output = first; output < first + part.n_outputs; ++output) {
        // The sampler has seen the requests of all drafts.
        if (!drafts.empty()) {
            (void)sequence.sampler().request(sequence.ids(), sequence.length(), {}, sequence.banned_ids());
        }
        const auto goes_on = deliver(sequence, sampled[output], output);
        if (!goes_on) return goes_on.error();
        if (!*goes_on) return {};
        // Behind the sampled token may be others without an alternative, which were drafted as well.
        const auto ids = sequence.ids().subspan(n_before);
        for (; n_right < ids.size(); ++n_right) {
            if (n_right == drafts.size() || drafts[n_right].id != ids[n_right]) break;
            sequence.arrive_draft();
            ++sequence.costs.decode_tokens;
            ++sequence.costs.accepted;
            sequence.costs.rejected_time -= of_drafts / drafts.size();
        }
        if (n_right < ids.size()) break;
    }
    if (may_draft()) {
        const auto began = Clock::now();
        sequence.expect_next();
        sequence.costs.look_up_time += Clock::now() - began;
    }
    return {};
}

base::Result<bool> Generator::deliver(Sequence& sequence, const compute::Sampled& sampled, uint32_t output) {
    const auto position = static_cast<uint32_t>(sequence.ids().size());
    if (!sampled.finite) {
        pages_.forget(*sequence.slot);
        if (disk_cache_) disk_cache_->forget({sequence.cache_scope(), sequence.ids()});
        finish(sequence,
               base::fail(base::ErrorCode::DeviceError, "the logits for position ", position, " are not finite"));
        return false;
    }
    pages_.enter(*sequence.slot, {sequence.cache_scope(), sequence.ids().first(sequence.n_computed())});
    if (sequence.only_reads()) {
        finish(sequence, End::Length);
        return false;
    }
    if (!sequence.may_go_on()) {
        end_without_token(sequence);
        return false;
    }
    const auto allowed = sequence.allowed_ids();
    auto id = sequence.sampler().choose(sampled, position, output, *model_.backend, allowed);
    if (!id) return id.error();
    if (const auto recorded = sequence.recorded()) id = *recorded;
    std::optional<TokenLogprobs> logprobs;
    if (const auto n_top = sequence.top_logprobs()) {
        auto read =
            logprob_reader_.read(sampled, *id, *n_top, output, *model_.backend, allowed, sequence.sampler().unsent());
        if (!read) return read.error();
        logprobs = std::move(*read);
    }
    accept(sequence, *id, logprobs ? &*logprobs : nullptr);
    accept_only_ids(sequence);
    const auto end = sequence.end();
    if (end) finish(sequence, *end);
    return !end;
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
        finish(sequence, base::fail(base::ErrorCode::ConstraintFailed, sequence.form_field(), ": after ",
                                    sequence.ids().size() - sequence.n_prompt(),
                                    " tokens no token of this model goes on with a text that fits"));
        return;
    }
    sequence.stop();
    finish(sequence, End::Stop);
}

void Generator::finish(Sequence& sequence, std::variant<End, base::Error> how, std::vector<float> embedding) {
    const Finish finish{std::move(how), sequence.take_text(), sequence.costs, std::move(embedding),
                        sequence.stop_string()};
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
