// Whole answers, as AnswerReader reads them in pieces.
#pragma once

#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "engine/chat/answer_reader.h"

namespace llmd::test {

struct ReadCall {
    std::string name;
    std::string arguments;
    bool finished = false;
    bool operator==(const ReadCall&) const = default;
};

struct ReadAnswer {
    std::string text;
    std::string thinking;
    std::vector<ReadCall> calls;
    bool is_in_order = true;  // a call ends before the next begins, and indices count up
    bool operator==(const ReadAnswer&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const ReadAnswer& answer) {
    out << "text " << answer.text << "\nthinking " << answer.thinking;
    for (const ReadCall& call : answer.calls) {
        out << "\ncall " << call.name << ' ' << call.arguments << (call.finished ? "" : " unfinished");
    }
    return out << (answer.is_in_order ? "" : "\nout of order");
}

inline void take(std::vector<chat::AnswerEvent> events, bool& is_open, ReadAnswer& answer) {
    using Kind = chat::AnswerEvent::Kind;
    for (const chat::AnswerEvent& event : events) {
        const bool is_of_call = event.kind == Kind::CallArguments || event.kind == Kind::CallEnd;
        const bool begins = event.kind == Kind::CallBegin;
        const size_t n_calls = answer.calls.size() - (begins ? 0 : 1);
        if (is_of_call != is_open || ((is_of_call || begins) && event.call != n_calls)) answer.is_in_order = false;
        switch (event.kind) {
            case Kind::Text:
                answer.text += event.text;
                break;
            case Kind::Thinking:
                answer.thinking += event.text;
                break;
            case Kind::CallBegin:
                answer.calls.push_back({event.text, {}, false});
                is_open = true;
                break;
            case Kind::CallArguments:
                if (is_open) answer.calls.back().arguments += event.text;
                break;
            case Kind::CallEnd:
                if (is_open) answer.calls.back().finished = event.finished;
                is_open = false;
                break;
        }
    }
}

// Reads the text in pieces of random lengths; without a source of randomness, character by character.
inline ReadAnswer read_answer(const chat::AnswerReader::Options& options, std::string_view text,
                              std::mt19937* random = nullptr) {
    chat::AnswerReader reader(options);
    ReadAnswer answer;
    bool is_open = false;
    while (!text.empty()) {
        size_t length = 0;
        const size_t n = random == nullptr ? 1 : 1 + (*random)() % 12;
        for (size_t i = 0; i < n && length < text.size(); ++i) length += base::next_utf8(text.substr(length)).length;
        take(reader.feed(text.substr(0, length)), is_open, answer);
        text.remove_prefix(length);
    }
    take(reader.finish(), is_open, answer);
    if (is_open) answer.is_in_order = false;
    return answer;
}

}  // namespace llmd::test
