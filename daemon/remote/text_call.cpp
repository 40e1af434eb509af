#include "remote/text_call.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/json_writer.h"

namespace llmd::remote {

namespace {

using protocol::FinishReason;

constexpr long kOk = 200;
constexpr size_t kMaxErrorBytes = 64u << 10;

}  // namespace

TextCall::TextCall(const RemoteContext& context, Reader& reader, GenerationCall call)
    : context_(context),
      reader_(reader),
      shape_(call.shape),
      stream_(call.shape == Shape::Ollama ? Framing::JsonLines : Framing::ServerSentEvents),
      posted_(context.clock()) {
    transfer_ = context.transport.start(call.http.path, std::move(call.http.body),
                                        {[this](long status, std::string_view bytes) { on_bytes(status, bytes); },
                                         [this](const TransferEnd& how) { on_end(how); }});
    watch();
}

TextCall::~TextCall() {
    stop();
}

void TextCall::set_paused(bool paused) {
    if (is_over_ || std::exchange(is_paused_, paused) == paused) return;
    last_token_ = context_.clock();
    probe_.cancel();
    if (transfer_) transfer_->set_paused(paused);
    if (!paused) drain();
    watch();
}

void TextCall::stop() {
    is_over_ = true;
    transfer_.reset();
    probe_.cancel();
    context_.loop.cancel_timer(std::exchange(timer_, 0));
}

void TextCall::on_bytes(long status, std::string_view bytes) {
    if (status != kOk || shape_ == Shape::Embedding) {
        const size_t limit = status == kOk ? kMaxBodyBytes : kMaxErrorBytes;
        body_ += bytes.substr(0, limit - std::min(limit, body_.size()));
        return;
    }
    std::vector<StreamEvent> events;
    if (const auto fed = stream_.feed(bytes, events); !fed) fault_ = fed.error();
    std::move(events.begin(), events.end(), std::back_inserter(events_));
    drain();
}

void TextCall::on_end(const TransferEnd& how) {
    transfer_.reset();
    if (finish_) return end(*finish_);
    if (auto failure = failure_of(how, body_)) return fail(*std::move(failure));
    if (shape_ != Shape::Embedding) {
        return fail({.kind = Failure::Kind::Cut, .detail = "the remote's answer ended without a reason"});
    }
    auto embedding = read_embedding(body_);
    if (!embedding) return fail({.kind = Failure::Kind::Malformed, .detail = embedding.error().message});
    embedding_ = std::move(embedding->values);
    counts_ = Counts{embedding->prompt_tokens, 0, 0};
    finish_ = FinishReason::Stop;
    begin();
    drain();
}

void TextCall::begin() {
    has_begun_ = true;
    first_event_ = last_token_ = context_.clock();
    reader_.on_begin();
    watch();
}

void TextCall::drain() {
    while (!is_over_ && !is_paused_ && !events_.empty()) take_first();
    if (is_over_ || is_paused_) return;
    if (fault_) return fail({.kind = Failure::Kind::Malformed, .detail = fault_->message});
    if (finish_ && !transfer_) end(*finish_);
}

// An error behind the first event waits with it: a text that has begun is not what is refused.
void TextCall::take_first() {
    auto event = read_event(shape_, events_.front().data);
    if (!event) return fail({.kind = Failure::Kind::Malformed, .detail = event.error().message});
    if (events_.front().is_error && !event->error) event->error = UpstreamError{.message = "an error event"};
    if (event->error) {
        constexpr long kServerError = 500;
        const long code = event->error->status != 0 ? event->error->status : kServerError;
        return fail({.kind = Failure::Kind::Status, .status = code, .told = *event->error});
    }
    if (!has_begun_) begin();
    if (is_over_ || is_paused_) return;
    events_.pop_front();
    if (event->counts) counts_ = event->counts;
    if (!finish_) {
        if (!event->ids.empty() || !event->text.empty() || !event->thinking.empty()) last_token_ = context_.clock();
        reader_.on_event(*event);
        if (is_over_) return;
    }
    if (!event->other_finish.empty()) {
        return fail({.kind = Failure::Kind::Malformed,
                     .detail = base::concat("the remote ended the text with ", base::in_quotes(event->other_finish))});
    }
    if (event->finish) finish_ = event->finish;
    // Counts come with the finish reason, after it, or never.
    if (finish_ && (counts_ || event->is_done)) return end(*finish_);
    if (finish_) watch();
}

void TextCall::end(FinishReason reason) {
    stop();
    reader_.on_end(reason);
}

void TextCall::fail(Failure failure) {
    stop();
    reader_.on_failure(std::move(failure));
}

Milliseconds TextCall::deadline() const {
    if (finish_) return last_token_ + context_.limits.last_words;
    if (has_begun_) return last_token_ + context_.limits.hung;
    const Milliseconds first_token = posted_ + context_.limits.first_token;
    const bool can_probe = !traits(context_.upstream.api).probe.empty();
    return can_probe ? std::min(first_token, last_probe_ + context_.limits.probe_period) : first_token;
}

void TextCall::watch() {
    context_.loop.cancel_timer(std::exchange(timer_, 0));
    if (is_over_ || is_paused_) return;
    const auto left = std::max(deadline() - context_.clock(), Milliseconds(0)) + Milliseconds(1);
    timer_ = context_.loop.add_timer_after(left, [this] {
        timer_ = 0;
        check_time();
    });
}

void TextCall::check_time() {
    if (context_.clock() < deadline()) return watch();  // tokens have come meanwhile
    if (finish_) return end(*finish_);
    if (has_begun_) {
        return fail({.kind = Failure::Kind::Cut,
                     .detail = base::concat("the remote sent no token for ", context_.limits.hung.count(), " ms")});
    }
    if (context_.clock() < posted_ + context_.limits.first_token) return probe();
    fail({.kind = Failure::Kind::SlowFirstToken,
          .detail = base::concat("the remote sent no first token in ", context_.limits.first_token.count(), " ms")});
}

void TextCall::probe() {
    last_probe_ = context_.clock();
    probe_.start({std::string(traits(context_.upstream.api).probe), {}}, [this](const Reply& reply) {
        // A server behind a proxy may lack the path; who says so is there.
        constexpr long kServerError = 500;
        const bool is_dead =
            reply.failure && (reply.failure->kind != Failure::Kind::Status || reply.failure->status >= kServerError);
        n_failed_probes_ = is_dead ? n_failed_probes_ + 1 : 0;
        if (n_failed_probes_ < kMaxFailedProbes || has_begun_ || is_over_) return;
        fail({.kind = Failure::Kind::Cut, .detail = "the remote does not answer any more"});
    });
    watch();
}

}  // namespace llmd::remote
