#include "remote/remote_request.h"

#include <algorithm>
#include <utility>

#include "base/json_writer.h"
#include "base/sha256.h"
#include "base/utf8.h"

namespace llmd::remote {

namespace {

using base::ErrorCode;
using protocol::AnswerPart;
using protocol::FinishReason;
using What = Verdict::What;

constexpr size_t kMaxErrorBytes = 64u << 10;
constexpr uint64_t kUsPerMs = 1000;

// Equal for the requests of one application, and of no use to anybody who does not have the key: a keyed hash.
std::string salt_of(const std::string& key, const std::string& scope) {
    base::Sha256 inner;
    inner.add(key);
    inner.add(scope);
    base::Sha256 outer;
    outer.add(key);
    outer.add(inner.hex());
    return outer.hex();
}

bool lacks_endpoint(long status) {
    constexpr long kNotFound = 404, kNotAllowed = 405, kNotImplemented = 501;
    return status == kNotFound || status == kNotAllowed || status == kNotImplemented;
}

uint64_t us(Milliseconds time) {
    return static_cast<uint64_t>(std::max<int64_t>(time.count(), 0)) * kUsPerMs;
}

}  // namespace

RemoteRequest::RemoteRequest(RemoteContext& context, Host& host, protocol::Submit submit)
    : context_(context),
      host_(host),
      submit_(std::move(submit)),
      api_(traits(context.upstream.api)),
      answer_(submit_) {}

RemoteRequest::~RemoteRequest() {
    context_.loop.cancel_timer(watch_timer_);
    context_.loop.cancel_timer(wait_timer_);
}

bool RemoteRequest::is_busy() const {
    // Until it is accepted llmd waits for an answer, paused or not.
    return !has_ended_ && (!is_paused_ || !is_accepted_) && (transfer_ || fetch_ || wait_timer_ != 0 || waits_to_post_);
}

// --- Preparation -----------------------------------------------------------------------------------------------------

void RemoteRequest::begin() {
    begun_ = context_.clock();
    if (context_.off) return give_up(*context_.off);
    if (const auto left = context_.away.left(begun_); left.count() > 0) {
        return give_up(base::fail(ErrorCode::RemoteUnreachable,
                                  "the remote could not be reached; it is asked again in ", left.count(), " ms"));
    }
    auto notes = check_supported(context_.upstream.api, submit_);
    if (!notes) return give_up(notes.error());
    notes_ = *std::move(notes);
    if (!submit_.json_schema.empty()) {
        auto checker = constraint::TextChecker::create(submit_.json_schema);
        if (!checker) return give_up(checker.error());
        checker_.emplace(*std::move(checker));
    }
    ids_mode_ = wants_ids(context_.upstream.api, submit_) && !context_.has_no_tokenizer;
    // Of a schema the server's grammar can only begin at the beginning.
    may_repeat_ = api_.repeats && ids_mode_ && (submit_.temperature == 0 || checker_);
    if (!submit_.prompt_ids.empty() && !ids_mode_) {
        return give_up(base::fail(ErrorCode::NotSupported, "prompt_ids: the remote has no tokenizer"));
    }
    prepare();
}

void RemoteRequest::prepare() {
    if (!ids_mode_) return fall_back_to_text();
    const std::string& model = context_.upstream.model;
    if (!submit_.prompt_ids.empty()) {
        prompt_ids_ = submit_.prompt_ids;
        on_prompt();
    } else if (submit_.messages.empty()) {
        tokenize(submit_.prompt, false);
    } else if (context_.upstream.api == Api::LlamaServer) {
        fetch(make_template_call(model, submit_.messages, submit_.thinking), [this](const Reply& reply) {
            const auto failure = failure_of(reply.end, reply.body);
            const auto text = failure ? std::nullopt : read_string(reply.body, "prompt");
            text ? tokenize(*text, true) : on_prompt_ids(reply);
        });
    } else {
        fetch(make_tokenize_chat_call(model, submit_), [this](const Reply& reply) { on_prompt_ids(reply); });
    }
}

void RemoteRequest::tokenize(const std::string& text, bool parse_special) {
    fetch(make_tokenize_call(context_.upstream.api, context_.upstream.model, text,
                             {.add_special = true, .parse_special = parse_special}),
          [this](const Reply& reply) { on_prompt_ids(reply); });
}

void RemoteRequest::on_prompt_ids(const Reply& reply) {
    constexpr long kBadRequest = 400, kUnprocessable = 422;
    if (const auto failure = failure_of(reply.end, reply.body)) {
        // Some versions have no tokenizer, or one for texts and not for conversations.
        const bool has_none = lacks_endpoint(failure->status);
        if (has_none || failure->status == kBadRequest || failure->status == kUnprocessable) {
            context_.has_no_tokenizer = context_.has_no_tokenizer || has_none;
            return fall_back_to_text();
        }
        return fail(*failure);
    }
    auto tokens = read_tokens(reply.body);
    if (!tokens || tokens->ids.empty()) return fall_back_to_text();
    prompt_ids_ = std::move(tokens->ids);
    on_prompt();
}

void RemoteRequest::fall_back_to_text() {
    ids_mode_ = false;
    may_repeat_ = false;  // what comes again is known by its ids
    if (submit_.delivered_bytes > 0) {
        return give_up(base::fail(ErrorCode::RemoteLost, "a text without token ids cannot go on at the remote"));
    }
    on_prepared();
}

// An llmd-remote before this one has told llmd ids and text. Their text may be longer than what llmd has of it.
void RemoteRequest::on_prompt() {
    base_ids_ = prompt_ids_;
    if (submit_.replay_ids.empty()) return on_prepared();
    const bool is_whole =
        std::find(submit_.replay_ids.begin(), submit_.replay_ids.end(), kUnknownId) == submit_.replay_ids.end();
    if (!is_whole || checker_) {
        if (submit_.delivered_bytes > 0) {
            return give_up(base::fail(ErrorCode::RemoteLost, "a text of which ids are missing cannot go on"));
        }
        return on_prepared();
    }
    fetch(make_detokenize_call(context_.upstream.model, submit_.replay_ids), [this](const Reply& reply) {
        if (const auto failure = failure_of(reply.end, reply.body)) return fail(*failure);
        const auto text = read_string(reply.body, detokenized_key(context_.upstream.api));
        if (!text || text->size() < submit_.delivered_bytes) {
            return give_up(base::fail(ErrorCode::RemoteLost, "the remote has another text for the ids so far"));
        }
        answer_.begin_with(submit_.replay_ids, *text);
        resumed_ = 1;
        on_prepared();
    });
}

// Before the server has answered the call nothing is accepted: its refusal is the request's.
void RemoteRequest::on_prepared() {
    is_prepared_ = true;
    const uint32_t n_ctx = context_.upstream.n_ctx;
    const auto n_prompt = static_cast<uint32_t>(prompt_ids_.size());
    if (n_ctx != 0 && n_prompt + (submit_.embeds ? 0 : 1) > n_ctx) {
        has_ended_ = true;
        const auto error =
            base::fail(ErrorCode::ContextExceeded, "the prompt has ", n_prompt, " tokens, the context holds ", n_ctx);
        host_.send(protocol::Refused{submit_.id, error.code, error.message, n_prompt});
        return host_.on_ended(submit_.id);
    }
    if (!submit_.embeds && answer_.ids().size() >= submit_.max_tokens) return accept();
    waits_to_post_ = true;
    post_if_waiting();
}

void RemoteRequest::accept() {
    if (std::exchange(is_accepted_, true)) return;
    host_.send(protocol::Accepted{submit_.id, static_cast<uint32_t>(prompt_ids_.size()), notes_});
    if (is_started_ && !is_called_) generate();
}

void RemoteRequest::start() {
    if (std::exchange(is_started_, true) || has_ended_) return;
    if (is_prepared_) generate();  // else when the prompt has been counted
}

void RemoteRequest::generate() {
    if (submit_.max_tokens == 0 && !submit_.embeds) return complete(FinishReason::Length);
    if (!embedding_.empty()) return complete(FinishReason::Stop);
    if (!has_event_ && !transfer_ && is_prepared_ && !waits_to_post_ && !fetch_ && wait_timer_ == 0) {
        return post();
    }
    take_events(std::exchange(backlog_, {}), std::exchange(backlog_fault_, std::nullopt));
    if (has_ended_) return;
    if (transfer_ && !is_paused_) transfer_->set_paused(false);
    last_token_ = last_byte_ = context_.clock();
    watch();
}

void RemoteRequest::set_paused(bool paused) {
    if (std::exchange(is_paused_, paused) == paused || has_ended_) return;
    const bool reads = !paused && (is_started_ || !has_event_);
    if (transfer_) transfer_->set_paused(!reads);
    last_token_ = last_byte_ = context_.clock();
    watch();
}

// --- The call --------------------------------------------------------------------------------------------------------

void RemoteRequest::post_if_waiting() {
    if (!waits_to_post_ || has_ended_ || !(is_started_ || host_.may_post())) return;
    waits_to_post_ = false;
    post();
}

void RemoteRequest::post() {
    const auto told = answer_.ids();
    const size_t n_there = repetition_ ? 0 : told.size();
    const auto max_tokens = submit_.max_tokens - std::min<uint32_t>(submit_.max_tokens, static_cast<uint32_t>(n_there));
    if (!submit_.embeds && max_tokens == 0) return complete(FinishReason::Length);
    std::vector<int32_t> ids;
    uint32_t room = max_tokens;
    if (ids_mode_) {
        ids = repetition_ ? prompt_ids_ : base_ids_;
        if (!repetition_) ids.insert(ids.end(), told.begin() + static_cast<ptrdiff_t>(n_in_base_), told.end());
        if (const uint32_t n_ctx = context_.upstream.n_ctx; n_ctx > ids.size()) {
            room = std::min(room, n_ctx - static_cast<uint32_t>(ids.size()));
        }
    }
    std::string salt;
    if (api_.has_cache_salt) {
        const std::string nobodys = base::concat('#', submit_.id, ' ', context_.jitter());
        salt = salt_of(context_.salt_key, submit_.cache_scope.empty() ? nobodys : submit_.cache_scope);
    }
    GenerationCall call = make_generation_call(context_.upstream.api, {.submit = submit_,
                                                                       .model = context_.upstream.model,
                                                                       .ids = ids,
                                                                       .answer = answer_.text(),
                                                                       .goes_on = may_repeat_ && n_there > 0,
                                                                       .repeats = repetition_.has_value(),
                                                                       .max_tokens = room,
                                                                       .seed = seed_at(submit_.seed, n_there),
                                                                       .cache_salt = salt});
    is_called_ = true;
    shape_ = call.shape;
    reader_.emplace(call.framing);
    body_.clear();
    has_event_ = false;
    n_call_ids_ = 0;
    n_comments_ = 0;
    n_sick_ = 0;
    posted_ = last_byte_ = last_token_ = last_look_ = context_.clock();
    transfer_ = context_.transport.start(call.http.path, std::move(call.http.body),
                                         {[this](long status, std::string_view bytes) { on_bytes(status, bytes); },
                                          [this](const TransferEnd& end) { on_end(end); }});
    if (is_paused_) transfer_->set_paused(true);
    watch();
}

void RemoteRequest::on_bytes(long status, std::string_view bytes) {
    constexpr long kOk = 200;
    last_byte_ = context_.clock();
    if (status != kOk || shape_ == Shape::Embedding) {
        const size_t limit = status == kOk ? kMaxBodyBytes : kMaxErrorBytes;
        body_ += bytes.substr(0, limit - std::min(limit, body_.size()));
        return;
    }
    std::vector<StreamEvent> events;
    const auto fed = reader_->feed(bytes, events);
    if (std::exchange(n_comments_, reader_->n_comments()) == 0 && n_comments_ > 0) watch();
    take_events(std::move(events), fed ? std::nullopt : std::optional(fed.error()));
}

void RemoteRequest::take_events(std::vector<StreamEvent> events, std::optional<base::Error> fault) {
    for (size_t i = 0; i < events.size(); ++i) {
        auto event = read_event(shape_, events[i].data);
        if (event && events[i].is_error && !event->error) event->error = UpstreamError{.message = "an error event"};
        if (!event) return fail({.kind = Failure::Kind::Malformed, .detail = event.error().message});
        if (event->error) {
            constexpr long kServerError = 500;
            const long code = event->error->status != 0 ? event->error->status : kServerError;
            return fail({.kind = Failure::Kind::Status, .status = code, .told = *event->error});
        }
        if (!std::exchange(has_event_, true)) {
            first_event_ = last_token_ = context_.clock();
            attempts_.tries = 0;
            context_.away.note_reached();
            accept();
            watch();
        }
        // All that came with the first one waits, errors too: a text that has begun is not what is refused.
        if (!is_started_) {
            transfer_->set_paused(true);
            events.erase(events.begin(), events.begin() + static_cast<ptrdiff_t>(i));
            backlog_ = std::move(events);
            backlog_fault_ = std::move(fault);
            return;
        }
        const Transfer* const current = transfer_.get();
        take(*std::move(event));
        if (has_ended_ || transfer_.get() != current) return;
    }
    if (fault) fail({.kind = Failure::Kind::Malformed, .detail = fault->message});
}

void RemoteRequest::on_end(const TransferEnd& end) {
    transfer_.reset();
    if (finish_) return complete(*finish_);
    if (auto failure = failure_of(end, body_)) return fail(*failure);
    if (shape_ != Shape::Embedding) {
        return fail({.kind = Failure::Kind::Cut, .detail = "the remote's answer ended without a reason"});
    }
    auto embedding = read_embedding(body_);
    if (!embedding) return fail({.kind = Failure::Kind::Malformed, .detail = embedding.error().message});
    embedding_ = std::move(embedding->values);
    counts_ = Counts{embedding->prompt_tokens, 0, 0};
    has_event_ = true;
    first_event_ = context_.clock();
    context_.away.note_reached();
    accept();
    if (is_started_) complete(FinishReason::Stop);
}

void RemoteRequest::take(AnswerEvent event) {
    if (event.counts) counts_ = event.counts;
    if (!std::exchange(told_started_, true)) host_.send(protocol::Started{submit_.id, 0});
    if (!finish_) {
        const size_t before = answer_.n_tokens();
        name_tokens(event);
        if (must_repeat(event)) return repeat();
        if (ids_mode_) n_call_ids_ += event.ids.size();
        if (repetition_ && repetition_->is_whole()) repetition_.reset();
        if (repetition_) return follow_repetition(event);
        answer_.take_tokens(event);
        const bool are_too_many = ids_mode_ && answer_.n_tokens() > submit_.max_tokens;
        if (are_too_many || answer_.n_held() > protocol::kMaxTokensOfOneStep) {
            return fail(
                {.kind = Failure::Kind::Malformed, .detail = "the remote sent more tokens than were asked for"});
        }
        if (answer_.n_tokens() > before || !event.text.empty()) {
            last_token_ = context_.clock();
            attempts_.fruitless = 0;
            cut_.reset();
            if (std::exchange(is_resuming_, false)) ++resumed_;
        }
        if (checker_ && !checker_->push(event.text)) {
            return give_up(base::fail(ErrorCode::ConstraintFailed, "the remote's answer does not fit the schema"));
        }
        if (answer_.take_text(event.text, event.thinking)) emit();
        if (answer_.has_stopped()) return complete(FinishReason::Stop);
    }
    if (!event.other_finish.empty()) {
        return fail({.kind = Failure::Kind::Malformed,
                     .detail = base::concat("the remote ended the text with ", base::in_quotes(event.other_finish))});
    }
    if (event.finish) finish_ = event.finish;
    // Counts come with the finish reason, after it, or never.
    if (finish_ && (counts_ || event.is_done)) return complete(*finish_);
    if (finish_) watch();
}

void RemoteRequest::name_tokens(AnswerEvent& event) {
    if (!ids_mode_) {
        const size_t n_here =
            event.logprobs.empty() ? (event.text.empty() && event.thinking.empty() ? 0 : 1) : event.logprobs.size();
        event.ids.assign(std::min<size_t>(n_here, submit_.max_tokens - answer_.n_tokens()), kUnknownId);
    } else {
        // llama-server says nothing of tokens whose characters are not whole, and counts them.
        const size_t n_known = n_call_ids_ + event.ids.size();
        if (event.n_generated && !event.finish && *event.n_generated > n_known) {
            const size_t n_before = (repetition_ ? n_call_ids_ : answer_.n_tokens()) + event.ids.size();
            const size_t room = submit_.max_tokens - std::min<size_t>(submit_.max_tokens, n_before);
            event.ids.insert(event.ids.begin(), std::min<size_t>(*event.n_generated - n_known, room), kUnknownId);
        }
    }
}

// A server that still has all of what it computed goes on with it. One that has lost it would compute the answer so far
// in batches, whose rounding is another than that of single tokens, and the likeliest token may be another then. So it
// is asked from the beginning, as long as that takes no longer than a text may wait for its remote.
bool RemoteRequest::must_repeat(const AnswerEvent& event) const {
    const bool is_first = n_call_ids_ == 0;
    const bool has_lost_it = !event.n_computed || *event.n_computed > 1;
    return may_repeat_ && !repetition_ && is_first && has_lost_it && !answer_.ids().empty();
}

void RemoteRequest::repeat() {
    const auto told = answer_.ids();
    repetition_.emplace(std::vector(told.begin(), told.end()));
    call_again();
}

void RemoteRequest::follow_repetition(const AnswerEvent& event) {
    last_token_ = context_.clock();
    cut_.reset();
    const bool is_other = !repetition_->take(event.ids) || event.finish || !event.other_finish.empty();
    const bool is_slow = !checker_ && repetition_->estimate(last_token_ - first_event_) > context_.limits.resume;
    if (!is_other && !is_slow) return;
    repetition_.reset();
    may_repeat_ = false;
    if (!can_resume()) {
        give_up(base::fail(ErrorCode::RemoteLost, "the remote says something else than before"));
    } else {
        go_on();
    }
}

void RemoteRequest::emit() {
    const protocol::Tokens tokens = answer_.next(prompt_ids_.size());
    if (!tokens.ids.empty() || !tokens.parts.empty()) host_.send(tokens);
}

void RemoteRequest::complete(FinishReason reason) {
    if (checker_ && reason == FinishReason::Stop && !answer_.has_stopped() && !checker_->is_complete()) {
        return give_up(base::fail(ErrorCode::ConstraintFailed, "the remote's answer ends before the schema does"));
    }
    if (!std::exchange(told_started_, true)) host_.send(protocol::Started{submit_.id, 0});
    // Events may hold several tokens; the server's count is the right one.
    if (!ids_mode_ && counts_ && !submit_.wants_logprobs && resumed_ == 0) {
        answer_.count_to(std::min(counts_->generated_tokens, submit_.max_tokens));
    }
    answer_.take_text({}, {});
    emit();
    protocol::Usage usage{.id = submit_.id};
    usage.prompt_tokens = ids_mode_ ? static_cast<uint32_t>(prompt_ids_.size()) : counts_ ? counts_->prompt_tokens : 0;
    usage.cached_tokens = counts_ ? std::min(counts_->cached_tokens, usage.prompt_tokens) : 0;
    usage.generated_tokens = static_cast<uint32_t>(answer_.ids().size());
    usage.resumed = resumed_;
    host_.send(usage);
    protocol::Finished finished{.id = submit_.id, .reason = reason};
    if (std::string rest = answer_.rest(); !rest.empty()) {
        finished.bytes = rest.size();
        finished.parts.push_back({AnswerPart::Kind::Text, std::move(rest), 0});
    }
    finished.prefill_tokens = usage.prompt_tokens;
    finished.prefill_us = us(first_event_ - posted_);
    finished.decode_tokens = usage.generated_tokens;
    finished.decode_us = us(context_.clock() - first_event_);
    finished.embedding = std::move(embedding_);
    has_ended_ = true;
    transfer_.reset();
    host_.send(finished);
    host_.on_ended(submit_.id);
}

// --- Failures --------------------------------------------------------------------------------------------------------

bool RemoteRequest::can_resume() const {
    if (answer_.is_empty()) return true;
    if (checker_) return may_repeat_;  // a grammar would begin anew
    if (submit_.embeds) return false;
    return ids_mode_ || can_continue_text(context_.upstream.api, submit_);
}

void RemoteRequest::fail(Failure failure) {
    if (has_ended_) return;
    failure.may_quote_prompt = true;
    const auto now = context_.clock();
    const bool was_called = is_called_, had_event = has_event_;
    hang_up();
    // It may never get to the end of what is known.
    if (std::exchange(repetition_, std::nullopt)) may_repeat_ = checker_.has_value();
    const bool is_loss = failure.kind == Failure::Kind::Cut || failure.kind == Failure::Kind::SlowFirstToken;
    const bool has_begun = !answer_.ids().empty();
    if (!cut_ && (is_loss || has_begun)) cut_ = now;
    if (was_called && (is_loss || had_event)) ++attempts_.fruitless;
    attempts_.waited = now - begun_;
    // A first token that is late is no loss of one that waits to go on.
    attempts_.has_begun = has_begun || (cut_ && failure.kind != Failure::Kind::SlowFirstToken);
    attempts_.since_cut = cut_ ? now - *cut_ : Milliseconds(0);
    attempts_.can_resume = can_resume();
    const Verdict verdict = judge(failure, attempts_, context_.limits, context_.jitter());
    ++attempts_.tries;
    if (verdict.turns_off) context_.off = verdict.error;
    if (verdict.is_away) context_.away.note_unreachable(now);
    if (verdict.what == What::Fail) return give_up(verdict.error);
    // Of ids only those that llmd knows count; the others come again.
    answer_.drop_held();
    wait_timer_ = context_.loop.add_timer_after(verdict.delay, [this, what = verdict.what] {
        wait_timer_ = 0;
        if (what == What::Resume) return look_again();
        is_prepared_ ? post() : prepare();
    });
}

void RemoteRequest::give_up(const base::Error& error) {
    if (std::exchange(has_ended_, true)) return;
    transfer_.reset();
    if (!is_accepted_) {
        host_.send(protocol::Refused{submit_.id, error.code, error.message, 0, retry_after_s(error)});
    } else {
        protocol::Finished finished{.id = submit_.id, .reason = FinishReason::Error, .code = error.code};
        finished.message = error.message;
        host_.send(finished);
    }
    host_.on_ended(submit_.id);
}

// The server that is there now may be another one.
void RemoteRequest::look_again() {
    fetch({"/v1/models", {}}, [this](const Reply& reply) { on_looked(reply); });
}

void RemoteRequest::on_looked(const Reply& reply) {
    if (const auto failure = failure_of(reply.end, reply.body)) return fail(*failure);
    const auto models = read_models(reply.body);
    const ListedModel* model = models ? find_model(*models, context_.upstream.model) : nullptr;
    const bool has_text = !answer_.ids().empty() || !answer_.text().empty();
    if (model == nullptr || (has_text && model->n_ctx != context_.upstream.n_ctx && model->n_ctx != 0)) {
        return give_up(base::fail(has_text ? ErrorCode::RemoteLost : ErrorCode::ModelNotFound,
                                  "the remote no longer has ", base::in_quotes(context_.upstream.model)));
    }
    if (!is_prepared_) return prepare();
    is_resuming_ = has_text;
    go_on();
}

// Behind what llmd knows of the text.
void RemoteRequest::go_on() {
    hang_up();
    const auto told = answer_.ids();
    if (checker_ && !told.empty()) repetition_.emplace(std::vector(told.begin(), told.end()));
    const auto newer = told.subspan(n_in_base_);
    const bool is_whole = std::find(newer.begin(), newer.end(), kUnknownId) == newer.end();
    if (!ids_mode_ || is_whole || repetition_) return call_again();
    // Ids are missing, so the text is turned back into ids: perhaps others, but it goes on.
    fetch(make_tokenize_call(context_.upstream.api, context_.upstream.model, answer_.text(), {.add_special = false}),
          [this](const Reply& tokenized) {
              if (const auto failure = failure_of(tokenized.end, tokenized.body)) return fail(*failure);
              const auto tokens = read_tokens(tokenized.body);
              if (!tokens) return fail({.kind = Failure::Kind::Malformed, .detail = tokens.error().message});
              base_ids_ = prompt_ids_;
              base_ids_.insert(base_ids_.end(), tokens->ids.begin(), tokens->ids.end());
              n_in_base_ = answer_.ids().size();
              post();
          });
}

void RemoteRequest::hang_up() {
    is_called_ = has_event_ = false;
    transfer_.reset();
    health_.reset();
    context_.loop.cancel_timer(std::exchange(watch_timer_, 0));  // the times of a call are not those of a wait
    backlog_.clear();
    backlog_fault_.reset();
}

// Not within an event of the last call.
void RemoteRequest::call_again() {
    hang_up();
    wait_timer_ = context_.loop.add_timer_after(Milliseconds(0), [this] {
        wait_timer_ = 0;
        post();
    });
}

// --- Times -----------------------------------------------------------------------------------------------------------

void RemoteRequest::watch() {
    context_.loop.cancel_timer(std::exchange(watch_timer_, 0));
    if (!transfer_ || is_paused_ || has_ended_ || (has_event_ && !is_started_)) return;
    const Limits& limits = context_.limits;
    Milliseconds until{};
    if (finish_) {
        until = last_token_ + limits.last_words;
    } else if (has_event_) {
        until = last_token_ + limits.hung;
        if (n_comments_ > 0) until = std::min(until, last_byte_ + limits.silent);
    } else {
        until = posted_ + limits.first_token;
        if (!api_.health.empty()) until = std::min(until, last_look_ + limits.health_period);
    }
    const auto left = std::max(until - context_.clock(), Milliseconds(0)) + Milliseconds(1);
    watch_timer_ = context_.loop.add_timer_after(left, [this] {
        watch_timer_ = 0;
        check_times();
    });
}

void RemoteRequest::check_times() {
    const Limits& limits = context_.limits;
    const auto now = context_.clock();
    if (finish_) {
        if (now - last_token_ >= limits.last_words) return complete(*finish_);
    } else if (has_event_) {
        if (now - last_token_ >= limits.hung) {
            return fail({.kind = Failure::Kind::Cut,
                         .detail = base::concat("the remote sent no token for ", limits.hung.count(), " ms")});
        }
        if (n_comments_ > 0 && now - last_byte_ >= limits.silent) {
            return fail({.kind = Failure::Kind::Cut,
                         .detail = base::concat("the remote was silent for ", limits.silent.count(), " ms")});
        }
    } else if (now - posted_ >= limits.first_token) {
        return fail({.kind = Failure::Kind::SlowFirstToken,
                     .detail = base::concat("the remote sent no first token in ", limits.first_token.count(), " ms")});
    } else if (!api_.health.empty() && now - last_look_ >= limits.health_period) {
        last_look_ = now;
        look_at_health();
    }
    watch();
}

void RemoteRequest::look_at_health() {
    if (health_) return;
    health_ =
        std::make_unique<Fetch>(context_.loop, context_.transport, HttpCall{std::string(api_.health), {}},
                                context_.limits.health_period, [this](const Reply& reply) {
                                    const auto keep = std::move(health_);
                                    n_sick_ = failure_of(reply.end, reply.body) ? n_sick_ + 1 : 0;
                                    if (n_sick_ < kMaxSickLooks || has_event_ || !transfer_) return;
                                    fail({.kind = Failure::Kind::Cut, .detail = "the remote's health has failed"});
                                });
}

void RemoteRequest::fetch(HttpCall call, Fetch::Done done) {
    fetch_ = std::make_unique<Fetch>(context_.loop, context_.transport, std::move(call), context_.limits.reply,
                                     [this, done = std::move(done)](const Reply& reply) {
                                         const auto keep = std::move(fetch_);
                                         done(reply);
                                     });
}

}  // namespace llmd::remote
