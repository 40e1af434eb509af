// Where an answer goes. Thread-bound to the event loop.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "api/answer_format.h"
#include "base/error.h"

namespace llmd::api {

class AnswerSink {
public:
    // The answer's callbacks. They are called from the loop or from write(); none may destroy the sink.
    struct Events {
        std::function<void(bool paused)> on_paused = [](bool) {};
        // Nothing can be delivered any more: the reader has gone, or, with an error, its connection was dropped. At
        // most once, and not after finish(). Bytes that are written from then on are dropped.
        std::function<void(const std::optional<base::Error>&)> on_gone = [](const auto&) {};
    };

    virtual ~AnswerSink() = default;
    virtual void set_events(Events events) = 0;

    // --- A stream ----------------------------------------------------------------------------------------------------
    virtual void begin(const AnswerHead&) {}
    virtual void write(std::string_view bytes) = 0;
    virtual void finish() = 0;

    // --- One of these instead of it; never called of an answer that is streamed at once ------------------------------
    virtual void reply(const AnswerHead&, const std::vector<Choice>&) {}
    // `prompt_tokens` as in service::Outcome.
    virtual void refuse(const base::Error&, uint32_t prompt_tokens) { (void)prompt_tokens; }
};

}  // namespace llmd::api
