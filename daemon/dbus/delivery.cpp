#include "dbus/delivery.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "dbus/json_lines.h"
#include "dbus/text_pipe.h"

namespace llmd::dbus {

namespace {

using api::PipeFormat;
using base::Error;
using base::ErrorCode;
using service::Outcome;

class CollectedDelivery final : public Delivery {
public:
    CollectedDelivery(Events events, std::function<void(const std::string&, const Outcome&)> reply)
        : events_(std::move(events)), reply_(std::move(reply)) {}

    void text(std::string_view text) override { text_ += text; }
    void finish(const Outcome& outcome) override {
        reply_(text_, outcome);
        events_.on_delivered(std::nullopt);
    }

private:
    Events events_;
    std::function<void(const std::string&, const Outcome&)> reply_;
    std::string text_;
};

class PipeDelivery final : public Delivery {
public:
    PipeDelivery(base::EventLoop& loop, Events events, PipeFormat format)
        : loop_(loop), events_(std::move(events)), format_(format) {}

    base::Result<void> open(base::UniqueFd& read_end) {
        TextPipe::Events pipe_events;
        pipe_events.on_paused = [this](bool paused) { events_.on_paused(paused); };
        pipe_events.on_reader_gone = [this] { closed(std::nullopt); };
        pipe_events.on_stalled = [this] {
            closed(base::fail(ErrorCode::SlowConsumer, "the reader took nothing for ",
                              api::Backlog::kStallTimeout.count() / 1000, " s"));
        };
        pipe_events.on_delivered = [this] { events_.on_delivered(std::nullopt); };
        auto pipe = TextPipe::open(loop_, std::move(pipe_events), read_end);
        if (!pipe) return pipe.error();
        pipe_ = std::move(*pipe);
        return {};
    }

    void text(std::string_view text) override {
        pipe_->write(format_ == PipeFormat::JsonLines ? text_line(seq_++, text, std::exchange(logprobs_, {}))
                                                      : std::string(text));
    }

    void logprobs(std::span<const api::AlignedLogprobs> logprobs) override {
        logprobs_.assign(logprobs.begin(), logprobs.end());
    }

    void thinking(std::string_view text) override {
        if (format_ == PipeFormat::JsonLines) pipe_->write(thinking_line(seq_++, text));
    }

    void call(size_t number, const api::AnswerCall& call) override {
        if (format_ == PipeFormat::JsonLines) pipe_->write(call_line(seq_++, number, call));
    }

    void notes(std::span<const std::string> notes) override { notes_.assign(notes.begin(), notes.end()); }

    void finish(const Outcome& outcome) override {
        finishing_ = true;
        if (closed_) return events_.on_delivered(std::nullopt);
        if (!logprobs_.empty()) text({});
        if (format_ == PipeFormat::JsonLines) pipe_->write(last_line(outcome, notes_));
        pipe_->finish();
    }

private:
    // The pipe takes no more. Before finish() that ends the request, whose end then calls finish().
    void closed(const std::optional<Error>& error) {
        closed_ = true;
        if (finishing_) return events_.on_delivered(error);
        error ? events_.on_failed(*error) : events_.on_abandoned();
    }

    base::EventLoop& loop_;
    Events events_;
    PipeFormat format_;
    std::unique_ptr<TextPipe> pipe_;
    std::vector<api::AlignedLogprobs> logprobs_;
    std::vector<std::string> notes_;
    uint64_t seq_ = 0;
    bool finishing_ = false;
    bool closed_ = false;
};

class SignalDelivery final : public Delivery {
public:
    SignalDelivery(base::EventLoop& loop, Events events, std::function<void(uint64_t, const std::string&)> emit)
        : loop_(loop), events_(std::move(events)), emit_(std::move(emit)) {}
    ~SignalDelivery() override { loop_.cancel_timer(timer_); }

    void text(std::string_view text) override {
        if (over_limit_) return;
        const std::string_view fits = text.substr(0, base::utf8_cut(text, kMaxSignalledBytes - total_));
        total_ += fits.size();
        waiting_ += fits;
        // Once something is missing nothing follows it: what is kept is a beginning.
        if (!truncated_) kept_ += text.substr(0, base::utf8_cut(text, kMaxKeptBytes - kept_.size()));
        truncated_ = kept_.size() < total_;
        if (fits.size() < text.size()) {
            over_limit_ = truncated_ = true;
            events_.on_failed(base::fail(ErrorCode::SlowConsumer, "delivery=\"signals\" carries at most ",
                                         kMaxSignalledBytes, " bytes of text"));
        }
        schedule();
        pause(waiting_.size() > kMaxUnsignalledBytes);
    }

    void finish(const Outcome&) override {
        finishing_ = true;
        schedule();
    }

    std::optional<std::pair<std::string, bool>> kept_text() const override { return std::make_pair(kept_, truncated_); }

private:
    void schedule() {
        if (timer_ != 0) return;
        timer_ = loop_.add_timer(std::max(base::Clock::now(), last_ + kSignalInterval), [this] {
            timer_ = 0;
            signal();
        });
    }

    void signal() {
        if (!waiting_.empty()) {
            const size_t n = base::utf8_cut(waiting_, kMaxSignalBytes);
            last_ = base::Clock::now();
            emit_(seq_++, waiting_.substr(0, n));
            waiting_.erase(0, n);
        }
        if (!waiting_.empty()) {
            schedule();
        } else if (finishing_) {
            return events_.on_delivered(std::nullopt);
        }
        pause(waiting_.size() > kMaxUnsignalledBytes / 2 && paused_);
    }

    void pause(bool paused) {
        if (paused == std::exchange(paused_, paused) || finishing_) return;
        events_.on_paused(paused);
    }

    base::EventLoop& loop_;
    Events events_;
    std::function<void(uint64_t, const std::string&)> emit_;
    std::string waiting_;
    std::string kept_;
    size_t total_ = 0;
    uint64_t seq_ = 0;
    bool truncated_ = false;
    bool over_limit_ = false;
    bool finishing_ = false;
    bool paused_ = false;
    base::TimePoint last_{};
    base::EventLoop::TimerId timer_ = 0;
};

}  // namespace

std::unique_ptr<Delivery> make_collected_delivery(Delivery::Events events,
                                                  std::function<void(const std::string&, const Outcome&)> reply) {
    return std::make_unique<CollectedDelivery>(std::move(events), std::move(reply));
}

base::Result<std::unique_ptr<Delivery>> make_pipe_delivery(base::EventLoop& loop, Delivery::Events events,
                                                           PipeFormat format, base::UniqueFd& read_end) {
    auto delivery = std::make_unique<PipeDelivery>(loop, std::move(events), format);
    if (auto opened = delivery->open(read_end); !opened) return opened.error();
    return std::unique_ptr<Delivery>(std::move(delivery));
}

std::unique_ptr<Delivery> make_signal_delivery(base::EventLoop& loop, Delivery::Events events,
                                               std::function<void(uint64_t, const std::string&)> emit) {
    return std::make_unique<SignalDelivery>(loop, std::move(events), std::move(emit));
}

}  // namespace llmd::dbus
