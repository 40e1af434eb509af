// How the answer to a generation request is written: the events of the request, turned into bytes. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "ipc/http/reply.h"
#include "service/request.h"

namespace llmd::ipc::http {

// What is known when the text begins.
struct AnswerHead {
    service::RequestId id = 0;
    std::string model;
    std::chrono::system_clock::time_point created;
};

class AnswerFormat {
public:
    virtual ~AnswerFormat() = default;

    // --- A stream: begin(), text()…, then one of the last two --------------------------------------------------------
    virtual const char* stream_type() const = 0;  // its media type
    virtual std::string begin(const AnswerHead& head) = 0;
    virtual std::string text(std::string_view text) = 0;
    virtual std::string end(const service::Outcome& outcome) = 0;
    virtual std::string failure(const base::Error& error) = 0;

    // --- All at once -------------------------------------------------------------------------------------------------
    virtual std::string whole(const AnswerHead& head, std::string_view text, const service::Outcome& outcome) = 0;
    // Instead of an answer, before its first byte.
    virtual Reply refusal(const base::Error& error) = 0;
};

}  // namespace llmd::ipc::http
