// Finds tool calls that a model writes bare: as plain JSON, without the markers of its own syntax of calls. Small
// models do that; Qwen2.5-Coder 0.5B writes nearly all of its calls so, and half of those in a Markdown code fence.
//
// An answer is a bare call if all of it, behind the thinking, is one object
//     {"name": TOOL, "arguments": {...}}
// or a list of such, with one code fence around it at most, whose language tag is "json", "tool_call" or absent. The
// two members may come in either order, and "parameters" may stand for "arguments", as in Llama's calls; an object with
// any other member is text, because that is how schemas of tools and samples of other APIs look. Keys and names must be
// spelled without escapes. Besides,
//   - each tool must be offered, and the arguments must fit its schema (json_schema.h) in any order of properties. An
//     unsupported keyword is left out, as it is in the grammar of calls; with one, a strict schema fits nothing;
//   - the answer must have ended by itself, not by its length, and no object in it may have a key twice;
//   - there are at most kMaxBareCalls, and none may stand in a text of somebody else, whom the model may have repeated
//     (stand_in()).
// All other answers stay what they are, byte for byte. No token is masked for any of this.
//
// What an answer begins with is held back as long as it may become a bare call, and no longer: until the first byte
// that no such answer has there, which in a plain JSON object mostly is in its first key or name; at most
// kMaxHeldBytes. The events depend on the bytes of the answer alone, not on how they were cut, so that a replayed
// answer gives the same. Thread-bound. The tools must outlive it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "constraint/text_checker.h"
#include "engine/chat/answer_reader.h"
#include "engine/chat/json_value.h"
#include "engine/chat/tool.h"

namespace llmd::constraint {

// The bound holds for one answer. It is as much as a schema may have; a call that writes a file of this size is as long
// as most contexts.
inline constexpr size_t kMaxHeldBytes = 64u << 10;
// That are read of the others' texts when one answer is compared to them: the largest prompt four times over, which
// takes some hundred milliseconds. Texts that need more, which only nested JSON without its end does, are taken to hold
// the call.
inline constexpr size_t kMaxSearchedBytes = 16u << 20;

inline constexpr size_t kMaxBareCalls = 128;  // of one answer; a message of a conversation takes no more back

struct BareCall {
    const chat::Tool* tool;
    chat::JsonValue arguments;
};

class BareCalls {
public:
    struct Options {
        std::span<const chat::Tool> tools;
        bool many = true;  // an answer may have several calls
        // The texts of others in the conversation: those of its user and of its tools' results.
        std::vector<std::string> texts_of_others;
    };
    explicit BareCalls(Options options);

    // Takes the next events of the answer, as AnswerReader gives them, and returns those that became certain. Where
    // text is held back behind thinking an empty one comes first, which says that the thinking has ended.
    std::vector<chat::AnswerEvent> feed(std::vector<chat::AnswerEvent> events);
    // Takes the last events and returns the rest. `ended_itself`: the model ended the answer.
    std::vector<chat::AnswerEvent> finish(std::vector<chat::AnswerEvent> events, bool ended_itself);

    // True if finish() has found calls.
    bool has_found() const { return has_found_; }

private:
    // Returns true if an answer that begins with what is held may be a call.
    bool may_be_call(std::string_view piece);
    // The calls that the held text is; none if it is text.
    std::vector<BareCall> calls() const;
    void release(std::vector<chat::AnswerEvent>& out);

    Options options_;
    std::optional<TextChecker> checker_;  // made for what begins as a call may
    std::string held_;
    bool is_over_ = false;  // the answer is no bare call, or has ended
    bool thinks_ = false;   // the last event was of the thinking
    bool has_found_ = false;
};

// True if one of the texts has an object with the name and arguments of one of the calls, whatever else it has: whether
// it is spelled in another way, stands within other JSON, or was escaped to stand in a string there, up to twice.
// Arguments may be a string that holds them, as in OpenAI's messages, and an object without any has none.
bool stand_in(std::span<const std::string> texts, std::span<const BareCall> calls);

}  // namespace llmd::constraint
