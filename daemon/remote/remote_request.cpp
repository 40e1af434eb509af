#include "remote/remote_request.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <utility>

#include "base/json_writer.h"
#include "base/utf8.h"

namespace llmd::remote {

namespace {

using base::ErrorCode;
using protocol::AnswerPart;
using protocol::FinishReason;

constexpr uint64_t kUsPerMs = 1000;

// Equal for the requests of one application, and of no use to anybody who does not have the key: HMAC-SHA-256 (RFC
// 2104) in hexadecimal digits.
std::string salt_of(const std::string& key, const std::string& scope) {
    std::string code(EVP_MAX_MD_SIZE, '\0');
    unsigned size = 0;
    ::HMAC(::EVP_sha256(), key.data(), static_cast<int>(key.size()),
           reinterpret_cast<const unsigned char*>(scope.data()), scope.size(),
           reinterpret_cast<unsigned char*>(code.data()), &size);
    return base::hex_digits(std::string_view(code).substr(0, size));
}

uint64_t us(Milliseconds time) {
    return static_cast<uint64_t>(std::max<int64_t>(time.count(), 0)) * kUsPerMs;
}

}  // namespace

RemoteRequest::RemoteRequest(RemoteContext& context, Host& host, protocol::Submit submit)
    : context_(context),
      host_(host),
      submit_(std::move(submit)),
      answer_(submit_),
      questions_(context, [this](Failure failure) { fail(std::move(failure)); }) {}

RemoteRequest::~RemoteRequest() {
    context_.loop.cancel_timer(timer_);
}

bool RemoteRequest::is_busy() const {
    // Until it is accepted llmd waits for an answer, paused or not.
    return stage_ < Stage::Whole && (!is_paused_ || told_ == Told::Nothing);
}

// --- Preparation -----------------------------------------------------------------------------------------------------

void RemoteRequest::begin() {
    begun_ = context_.clock();
    auto notes = check_supported(context_.upstream.api, submit_);
    if (!notes) return give_up(notes.error());
    notes_ = *std::move(notes);
    if (!submit_.json_schema.empty()) {
        constraint::Unconstrained unconstrained{.is_strict = submit_.strict_schema};
        auto checker = constraint::TextChecker::create(submit_.json_schema, &unconstrained);
        if (!checker) return give_up(checker.error());
        // A server that is asked to be strict refuses what it cannot enforce either.
        submit_.strict_schema = submit_.strict_schema || unconstrained.notes.empty();
        notes_.insert(notes_.end(), unconstrained.notes.begin(), unconstrained.notes.end());
        notes_.resize(std::min(notes_.size(), protocol::kMaxNotes));
        checker_.emplace(*std::move(checker));
    }
    prepare();
}

void RemoteRequest::prepare() {
    stage_ = Stage::Preparing;
    const bool takes_ids = wants_ids(context_.upstream.api, submit_) && !context_.has_no_tokenizer;
    if (!takes_ids && !submit_.prompt_ids.empty()) {
        return give_up(base::fail(ErrorCode::NotSupported, "prompt_ids: the remote has no tokenizer"));
    }
    if (!takes_ids || !submit_.prompt_ids.empty()) return on_prompt_ids(submit_.prompt_ids);
    questions_.ask_prompt_ids(submit_, [this](std::vector<int32_t> ids) { on_prompt_ids(std::move(ids)); });
}

// An llmd-remote before this one has sent llmd ids and text. Their text may be longer than what llmd has of it.
void RemoteRequest::on_prompt_ids(std::vector<int32_t> ids) {
    const auto& told = submit_.replay_ids;
    const bool is_whole = std::find(told.begin(), told.end(), kUnknownId) == told.end();
    const bool may_go_on = !ids.empty() && is_whole && !checker_;
    if (!may_go_on && submit_.delivered_bytes > 0) {
        return give_up(base::fail(ErrorCode::RemoteLost, ids.empty()
                                                             ? "a text without token ids cannot go on at the remote"
                                                             : "a text of which ids are missing cannot go on"));
    }
    if (!may_go_on || told.empty()) return on_prepared(std::move(ids));
    questions_.ask_text(told, [this, ids = std::move(ids)](const std::optional<std::string>& text) {
        if (!text || text->size() < submit_.delivered_bytes) {
            return give_up(base::fail(ErrorCode::RemoteLost, "the remote has another text for the ids so far"));
        }
        answer_.begin_with(submit_.replay_ids, *text);
        resumed_ = 1;
        on_prepared(ids);
    });
}

// Before the server has answered the call nothing is accepted: its refusal is the request's.
void RemoteRequest::on_prepared(std::vector<int32_t> ids) {
    base_ids_ = ids;
    prompt_ids_ = std::move(ids);
    // Tokens that come again are known by their ids, and the server's grammar can only begin at the beginning of a
    // schema. Only llama-server can compute a text in the same steps as before, and says what was in its cache.
    const bool is_determined = submit_.sampling.temperature == 0 || checker_;
    may_repeat_ = context_.upstream.api == Api::LlamaServer && has_ids() && is_determined;
    const uint32_t n_ctx = context_.upstream.n_ctx;
    const auto n_prompt = static_cast<uint32_t>(prompt_ids_->size());
    if (n_ctx != 0 && n_prompt + (submit_.embeds ? 0 : 1) > n_ctx) {
        return give_up(base::context_exceeded(n_prompt, n_ctx, !submit_.embeds), n_prompt);
    }
    if (!submit_.embeds && answer_.ids().size() >= submit_.max_tokens) {
        stage_ = Stage::Whole;
        return accept();
    }
    stage_ = Stage::Queued;
    post_if_queued();
}

void RemoteRequest::accept() {
    if (told_ != Told::Nothing) return;
    told_ = Told::Accepted;
    host_.send(protocol::Accepted{submit_.id, static_cast<uint32_t>(prompt_ids_->size()), notes_});
    if (is_started_ && stage_ == Stage::Whole) complete(FinishReason::Length);
}

void RemoteRequest::start() {
    if (std::exchange(is_started_, true)) return;
    if (stage_ == Stage::Whole) return complete(FinishReason::Length);
    post_if_queued();
    pause_call();
}

void RemoteRequest::set_paused(bool paused) {
    is_paused_ = paused;
    pause_call();
}

// --- The call --------------------------------------------------------------------------------------------------------

void RemoteRequest::post_if_queued() {
    if (stage_ == Stage::Queued && (is_started_ || host_.may_post())) post();
}

void RemoteRequest::post() {
    const auto told = answer_.ids();
    const size_t n_there = repetition_ ? 0 : told.size();
    const auto max_tokens = submit_.max_tokens - std::min<uint32_t>(submit_.max_tokens, static_cast<uint32_t>(n_there));
    if (!submit_.embeds && max_tokens == 0) return complete(FinishReason::Length);
    std::vector<int32_t> ids;
    uint32_t room = max_tokens;
    if (has_ids()) {
        ids = repetition_ ? *prompt_ids_ : base_ids_;
        if (!repetition_) ids.insert(ids.end(), told.begin() + static_cast<ptrdiff_t>(n_in_base_), told.end());
        if (const uint32_t n_ctx = context_.upstream.n_ctx; n_ctx > ids.size()) {
            room = std::min(room, n_ctx - static_cast<uint32_t>(ids.size()));
        }
    }
    const std::string salt = cache_salt();
    TextCall::Reader& reader = *this;
    n_call_ids_ = 0;
    stage_ = Stage::Calling;
    call_ = std::make_unique<TextCall>(
        context_, reader,
        make_generation_call(context_.upstream.api, {.submit = submit_,
                                                     .model = context_.upstream.model,
                                                     .ids = ids,
                                                     .answer = answer_.text(),
                                                     .goes_on = may_repeat_ && n_there > 0,
                                                     .repeats = repetition_.has_value(),
                                                     .max_tokens = room,
                                                     .seed = seed_at(submit_.sampling.seed.value_or(0), n_there),
                                                     .cache_salt = salt}));
    pause_call();
}

// Where nobody shares a cache with the request, nobody has its salt either.
std::string RemoteRequest::cache_salt() const {
    if (!promised(context_.upstream.api).has_cache_salt) return {};
    const std::string nobodys = base::concat('#', submit_.id, ' ', context_.jitter());
    return salt_of(context_.salt_key, submit_.cache_scope.empty() ? nobodys : submit_.cache_scope);
}

// Nothing more is read of a call that has begun until the request is started.
void RemoteRequest::pause_call() {
    if (stage_ == Stage::Calling) call_->set_paused(is_paused_ || (call_->has_begun() && !is_started_));
}

void RemoteRequest::on_begin() {
    attempts_.tries = 0;
    accept();
    pause_call();
}

void RemoteRequest::on_event(AnswerEvent& event) {
    tell_started();
    const size_t before = answer_.n_tokens();
    name_tokens(event);
    if (must_repeat(event)) return repeat();
    if (has_ids()) n_call_ids_ += event.ids.size();
    if (repetition_ && repetition_->is_whole()) repetition_.reset();
    if (repetition_) return follow_repetition(event);
    answer_.take_tokens(event);
    const bool are_too_many = has_ids() && answer_.n_tokens() > submit_.max_tokens;
    if (are_too_many || answer_.n_held() > protocol::kMaxTokensOfOneStep) {
        return fail({.kind = Failure::Kind::Malformed, .detail = "the remote sent more tokens than were asked for"});
    }
    if (answer_.n_tokens() > before || !event.text.empty()) {
        attempts_.fruitless = 0;
        cut_.reset();
        if (std::exchange(is_resuming_, false)) ++resumed_;
    }
    if (checker_ && !checker_->push(event.text)) {
        return give_up(base::fail(ErrorCode::ConstraintFailed, "the remote's answer does not fit the schema"));
    }
    if (answer_.take_text(event.text, event.thinking)) emit();
    if (answer_.has_stopped()) complete(FinishReason::Stop);
}

void RemoteRequest::name_tokens(AnswerEvent& event) {
    if (!has_ids()) {
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
    cut_.reset();
    const bool is_other = !repetition_->take(event.ids) || event.finish || !event.other_finish.empty();
    const Milliseconds elapsed = context_.clock() - call_->first_event();
    const bool is_slow = !checker_ && repetition_->estimate(elapsed) > context_.limits.resume;
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
    const protocol::Tokens tokens = answer_.next(prompt_ids_->size());
    if (!tokens.ids.empty() || !tokens.parts.empty()) host_.send(tokens);
}

void RemoteRequest::complete(FinishReason reason) {
    if (checker_ && reason == FinishReason::Stop && !answer_.has_stopped() && !checker_->is_complete()) {
        return give_up(base::fail(ErrorCode::ConstraintFailed, "the remote's answer ends before the schema does"));
    }
    tell_started();
    const auto counts = call_ ? call_->counts() : std::nullopt;
    // Events may hold several tokens; the server's count is the right one.
    if (!has_ids() && counts && !submit_.top_logprobs && resumed_ == 0) {
        answer_.count_to(std::min(counts->generated_tokens, submit_.max_tokens));
    }
    answer_.take_text({}, {});
    emit();
    protocol::Usage usage{.id = submit_.id};
    usage.prompt_tokens = has_ids() ? static_cast<uint32_t>(prompt_ids_->size()) : counts ? counts->prompt_tokens : 0;
    usage.cached_tokens = counts ? std::min(counts->cached_tokens, usage.prompt_tokens) : 0;
    usage.generated_tokens = static_cast<uint32_t>(answer_.ids().size());
    usage.resumed = resumed_;
    host_.send(usage);
    protocol::Finished finished{.id = submit_.id, .reason = reason, .stop = answer_.stop()};
    if (std::string rest = answer_.rest(); !rest.empty()) {
        finished.bytes = rest.size();
        finished.parts.push_back({AnswerPart::Kind::Text, std::move(rest), 0});
    }
    finished.prefill_tokens = usage.prompt_tokens;
    finished.decode_tokens = usage.generated_tokens;
    if (call_) {
        finished.prefill_us = us(call_->first_event() - call_->posted());
        finished.decode_us = us(context_.clock() - call_->first_event());
        finished.embedding = std::move(call_->embedding());
        call_->stop();
    }
    stage_ = Stage::Ended;
    host_.send(finished);
    host_.on_ended(submit_.id);
}

void RemoteRequest::tell_started() {
    if (std::exchange(told_, Told::Started) != Told::Started) host_.send(protocol::Started{submit_.id, 0});
}

// --- Failures --------------------------------------------------------------------------------------------------------

bool RemoteRequest::can_resume() const {
    if (answer_.is_empty()) return true;
    if (checker_) return may_repeat_;  // a grammar would begin anew
    if (submit_.embeds) return false;
    return has_ids() || submit_.messages.empty();  // a plain prompt goes on from its text
}

void RemoteRequest::on_failure(Failure failure) {
    if (call_->has_begun() || is_loss(failure)) ++attempts_.fruitless;
    fail(std::move(failure));
}

void RemoteRequest::fail(Failure failure) {
    failure.may_quote_prompt = true;
    const auto now = context_.clock();
    if (call_) call_->stop();
    // It may never get to the end of what is known.
    if (std::exchange(repetition_, std::nullopt)) may_repeat_ = checker_.has_value();
    const bool has_begun = !answer_.ids().empty();
    if (!cut_ && (is_loss(failure) || has_begun)) cut_ = now;
    attempts_.waited = now - begun_;
    // A first token that is late is no loss of one that waits to go on.
    attempts_.has_begun = has_begun || (cut_ && failure.kind != Failure::Kind::SlowFirstToken);
    attempts_.since_cut = cut_ ? now - *cut_ : Milliseconds(0);
    attempts_.can_resume = can_resume();
    const Verdict verdict = judge(failure, attempts_, context_.limits, context_.jitter());
    ++attempts_.tries;
    if (verdict.what == Verdict::What::Fail) return give_up(verdict.error);
    // Only those ids count that llmd knows; the others come again.
    answer_.drop_held();
    if (verdict.what == Verdict::What::Resume) return wait(verdict.delay, &RemoteRequest::look_again);
    wait(verdict.delay, is_prepared() ? &RemoteRequest::post : &RemoteRequest::prepare);
}

void RemoteRequest::give_up(const base::Error& error, uint32_t prompt_tokens) {
    stage_ = Stage::Ended;
    if (call_) call_->stop();
    if (told_ == Told::Nothing) {
        host_.send(protocol::Refused{submit_.id, error.code, error.message, prompt_tokens, retry_after_s(error)});
    } else {
        protocol::Finished finished{.id = submit_.id, .reason = FinishReason::Error, .code = error.code};
        finished.message = error.message;
        host_.send(finished);
    }
    host_.on_ended(submit_.id);
}

void RemoteRequest::wait(Milliseconds delay, void (RemoteRequest::*step)()) {
    stage_ = Stage::Waiting;
    timer_ = context_.loop.add_timer_after(delay, [this, step] {
        timer_ = 0;
        (this->*step)();
    });
}

// The server that is there now may be another one.
void RemoteRequest::look_again() {
    stage_ = Stage::Checking;
    questions_.ask_model([this](const ListedModel* model) { on_looked(model); });
}

void RemoteRequest::on_looked(const ListedModel* model) {
    const bool has_text = !answer_.ids().empty() || !answer_.text().empty();
    if (model == nullptr || (has_text && model->n_ctx != context_.upstream.n_ctx && model->n_ctx != 0)) {
        return give_up(base::fail(has_text ? ErrorCode::RemoteLost : ErrorCode::ModelNotFound,
                                  "the remote no longer has ", base::in_quotes(context_.upstream.model)));
    }
    if (!is_prepared()) return prepare();
    is_resuming_ = has_text;
    go_on();
}

// Behind what llmd knows of the text.
void RemoteRequest::go_on() {
    const auto told = answer_.ids();
    if (checker_ && !told.empty()) repetition_.emplace(std::vector(told.begin(), told.end()));
    const auto newer = told.subspan(n_in_base_);
    const bool is_whole = std::find(newer.begin(), newer.end(), kUnknownId) == newer.end();
    if (!has_ids() || is_whole || repetition_) return call_again();
    // Ids are missing, so the text is turned back into ids: perhaps others, but it goes on.
    if (call_) call_->stop();
    stage_ = Stage::Checking;
    questions_.ask_ids(answer_.text(), [this](const std::vector<int32_t>& ids) {
        base_ids_ = *prompt_ids_;
        base_ids_.insert(base_ids_.end(), ids.begin(), ids.end());
        n_in_base_ = answer_.ids().size();
        post();
    });
}

// Not within an event of the last call.
void RemoteRequest::call_again() {
    if (call_) call_->stop();
    wait(Milliseconds(0), &RemoteRequest::post);
}

}  // namespace llmd::remote
