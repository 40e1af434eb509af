// Splits what a model writes into text, thinking and tool calls, as it comes.
//
// The events' contents are a pure function of the bytes so far: how they are cut into pieces changes only into how many
// events a text or the arguments of a call are cut, so that a replayed answer gives the same. What may be the beginning
// of a marker is held back until it is certain.
//
// Thinking is found at the beginning of an answer only, and a marker of a call within it is a part of it. White space
// is dropped around the thinking, around calls, and between the thinking and the text.
//
// What begins like a call and names no tool is text. If the answer follows the grammar of the same tools
// (generation/constraint/tool_grammar.h), every call that ends is well-formed; the arguments of other answers may be
// anything.
// Thread-bound. The tools and the syntax must outlive it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/chat/call_syntax.h"
#include "engine/chat/call_value.h"
#include "engine/chat/tool.h"

namespace llmd::chat {

struct AnswerEvent {
    enum class Kind : uint8_t {
        Text,           // `text` continues the answer
        Thinking,       // `text` continues the thinking
        CallBegin,      // `text` is the name of the tool
        CallArguments,  // `text` continues the JSON text of the arguments
        CallEnd,
    };
    Kind kind = Kind::Text;
    std::string text;
    uint32_t call = 0;     // from 0 on
    bool finished = true;  // of CallEnd: the call is whole; else it was cut off, and its arguments are unfinished JSON

    bool operator==(const AnswerEvent&) const = default;
};

class AnswerReader {
public:
    struct Options {
        const CallSyntax* syntax = nullptr;  // null: nothing is a call
        std::span<const Tool> tools;         // none: nothing is a call
        std::optional<ThinkingMarkers> thinking;
        bool begins_in_thinking = false;  // the prompt ends with thinking->open
        // Behind the thinking the answer begins with a call or has none, as beside a schema of the text, in which a
        // marker may be a part of a string. So it is with calls without a marker.
        bool calls_come_first = false;
        // Behind the thinking the answer has calls alone, as its grammar says.
        bool must_call = false;
        // White space around the text is part of it, as its grammar says, and the thinking ends with kExactTextGap.
        // Nothing is a call.
        bool text_is_exact = false;
    };
    explicit AnswerReader(const Options& options);

    // Takes the next piece of valid UTF-8 and returns what became certain with it.
    std::vector<AnswerEvent> feed(std::string_view piece);
    // Returns the rest at the end of the answer: text that was held back, and the end of a call that was cut off. A
    // call that was cut off before the end of its name is dropped. The beginning of a marker is one behind another call
    // or where the answer must call; else it is text.
    std::vector<AnswerEvent> finish();

    // The calls that have begun.
    uint32_t n_calls() const { return n_calls_; }

private:
    // The state names what is being read.
    enum class State : uint8_t {
        Start,  // the beginning: thinking may follow
        Thinking,
        Gap,     // kExactTextGap
        Answer,  // the beginning behind the thinking: a call without a marker may follow
        Text,
        Head,  // of a call: from its marker up to its name
        Name,
        NameEnd,
        JsonArguments,
        Parameters,  // the next parameter or the end of the call
        ParameterName,
        ParameterValue,
        CallEnd,
        ListNext,  // the next call of a list or the end of the list
    };
    // How a literal relates to the beginning of a text.
    enum class Match : uint8_t { No, Partial, Full };

    bool has_marker() const { return reads_calls_ && !syntax_->marker.empty(); }
    std::string head_literal() const;
    void take(char c);
    void take_start(char c);
    void take_thinking(char c);
    void take_gap(char c);
    void take_answer(char c);
    void take_text(char c);
    void take_head(char c);
    void take_name(char c);
    void take_name_end(char c);
    void take_json(char c);
    void take_parameters(char c);
    void take_parameter_name(char c);
    void take_parameter_value(char c);
    void take_call_end(char c);
    void take_list_next(char c);
    // Continues in `state` with what was held back.
    void again(State state);
    // Searches for a marker: returns true if it is complete with c. Text that is certainly no part of it is written.
    bool take_until(std::string_view marker, char c, AnswerEvent::Kind kind);
    void begin_call();
    void end_call();
    // The call is not as the syntax says.
    void fail();
    void write_value(std::string_view json);
    // White space is held back until something follows.
    void write_text(AnswerEvent::Kind kind, std::string_view text);
    void write(AnswerEvent::Kind kind, std::string_view text);
    static Match match(std::string_view literal, std::string_view text);

    const CallSyntax* syntax_;
    bool reads_calls_;  // and has not found that the answer has none
    bool calls_come_first_;
    bool must_call_;
    bool text_is_exact_;
    std::unordered_map<std::string_view, const Tool*> tools_;
    std::optional<ThinkingMarkers> thinking_;

    State state_;
    std::string held_;   // may begin a marker or a literal
    std::string space_;  // white space that may be dropped
    std::string head_;   // of the call from its marker on, until its name is known
    std::string value_;  // name or value of a parameter
    std::string parameter_;
    const Tool* tool_ = nullptr;
    ValueScanner scanner_;
    ValueKind value_kind_ = ValueKind::Json;
    uint32_t n_parameters_ = 0;
    uint32_t n_calls_ = 0;
    bool in_call_ = false;
    bool drops_space_ = false;  // before the next text
    std::vector<AnswerEvent> events_;
};

}  // namespace llmd::chat
