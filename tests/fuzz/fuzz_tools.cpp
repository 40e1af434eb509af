// Hostile lists of tools, and answers that their grammar lets through: no answer gets stuck, and it is read as calls
// that name a tool and have JSON for arguments. A refusal is one clean line that names a field. Input: a byte that
// chooses the syntax, one whose bits choose the rest, the tools up to the first zero byte, and then bytes: each chooses
// among those that may come next. They are an answer themselves too, in which bare calls are looked for: it is the same
// however it is cut, calls name a tool and have JSON for arguments, all else stays as it is, and what the user has
// written is no call.
#include <simdjson.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "constraint/automaton.h"
#include "engine/chat/answer_reader.h"
#include "engine/generation/constraint/bare_calls.h"
#include "engine/generation/constraint/tool_grammar.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using namespace llmd;
using chat::AnswerEvent;
using constraint::Automaton;
using constraint::ToolChoice;

void require(bool holds) {
    if (!holds) __builtin_trap();
}

void check_refusal(const base::Error& error) {
    require(error.code == base::ErrorCode::InvalidArgument);
    require(error.message.rfind("tool", 0) == 0 || error.message.rfind("json_schema: ", 0) == 0);
    require(base::is_clean_text(error.message));
    for (const char c : error.message) require(static_cast<unsigned char>(c) >= 0x20);
}

void check_answer(const constraint::AnswerShape& shape, const std::string& text, bool is_complete) {
    chat::AnswerReader reader({.syntax = shape.syntax,
                               .tools = shape.tools,
                               .thinking = shape.thinking,
                               .begins_in_thinking = shape.begins_in_thinking,
                               .calls_come_first = shape.form.is_json()});
    auto events = reader.feed(text);
    for (AnswerEvent& event : reader.finish()) events.push_back(std::move(event));
    simdjson::dom::parser parser;
    std::string arguments;
    for (const AnswerEvent& event : events) {
        if (event.kind == AnswerEvent::Kind::CallBegin) {
            require(std::any_of(shape.tools.begin(), shape.tools.end(),
                                [&](const chat::Tool& tool) { return tool.name == event.text; }));
            arguments.clear();
        }
        if (event.kind == AnswerEvent::Kind::CallArguments) arguments += event.text;
        if (event.kind != AnswerEvent::Kind::CallEnd) continue;
        require(event.finished || !is_complete);
        simdjson::dom::element parsed;
        if (event.finished) require(parser.parse(arguments).get(parsed) == simdjson::SUCCESS && parsed.is_object());
    }
    if (is_complete && shape.choice.kind != ToolChoice::Kind::Auto) require(reader.n_calls() > 0);
}

// The events of an answer that comes in pieces of so many bytes; texts and arguments are joined.
std::vector<AnswerEvent> read_bare(std::span<const chat::Tool> tools, std::string_view text, size_t length,
                                   std::vector<std::string> texts_of_others) {
    constraint::BareCalls bare({.tools = tools, .texts_of_others = std::move(texts_of_others)});
    std::vector<AnswerEvent> all;
    const auto append = [&](std::vector<AnswerEvent> events) {
        for (AnswerEvent& event : events) {
            if (event.kind == AnswerEvent::Kind::Text && !all.empty() && all.back().kind == event.kind) {
                all.back().text += event.text;
            } else {
                all.push_back(std::move(event));
            }
        }
    };
    for (; !text.empty(); text.remove_prefix(std::min(length, text.size()))) {
        append(bare.feed({{.kind = AnswerEvent::Kind::Text, .text = std::string(text.substr(0, length))}}));
    }
    append(bare.finish({}, true));
    const bool has_calls = !all.empty() && all.front().kind != AnswerEvent::Kind::Text;
    require(bare.has_found() == has_calls);
    return all;
}

void check_bare(std::span<const chat::Tool> tools, const std::string& text) {
    const std::vector<AnswerEvent> is_text =
        text.empty() ? std::vector<AnswerEvent>() : std::vector<AnswerEvent>{{.text = text}};
    const std::vector<AnswerEvent> events = read_bare(tools, text, text.size(), {});
    require(read_bare(tools, text, 1, {}) == events);
    require(read_bare(tools, text, text.size(), {"so", text}) == is_text);
    simdjson::dom::parser parser;
    for (const AnswerEvent& event : events) {
        if (event.kind == AnswerEvent::Kind::Text) require(events == is_text);
        if (event.kind == AnswerEvent::Kind::CallBegin) {
            require(std::any_of(tools.begin(), tools.end(), [&](const auto& tool) { return tool.name == event.text; }));
        }
        simdjson::dom::element parsed;
        if (event.kind == AnswerEvent::Kind::CallArguments) {
            require(parser.parse(event.text).get(parsed) == simdjson::SUCCESS && parsed.is_object());
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size < 2) return 0;
    const std::string_view input(reinterpret_cast<const char*>(data) + 2, size - 2);
    const size_t zero = std::min(input.find('\0'), input.size());
    const auto tools = constraint::parse_tools(input.substr(0, zero));
    if (!tools) {
        check_refusal(tools.error());
        return 0;
    }
    for (const std::string& left_out : tools->left_out) require(base::is_clean_text(left_out));
    check_bare(tools->tools, base::to_clean_text(input.substr(std::min(zero + 1, input.size()))));
    const auto syntaxes = chat::call_syntaxes();
    constraint::AnswerShape shape{.tools = tools->tools, .syntax = syntaxes[data[0] % syntaxes.size()]};
    if ((data[1] & 1) != 0) shape.choice.kind = ToolChoice::Kind::Required;
    if ((data[1] & 2) != 0) shape.choice.parallel = false;
    if ((data[1] & 4) != 0) shape.thinking = chat::kThinkTags;
    if ((data[1] & 12) == 12) shape.begins_in_thinking = true;
    if ((data[1] & 16) != 0) shape.form.json_schema = R"({"type":"array","items":{"type":"string"}})";
    auto answer = constraint::compile_answer_grammar(shape);
    if (!answer) {
        check_refusal(answer.error());
        return 0;
    }
    for (const std::string& unconstrained : answer->unconstrained) require(base::is_clean_text(unconstrained));
    if (!answer->grammar) return 0;
    Automaton automaton(answer->grammar);
    auto state = automaton.start();
    std::string text;
    for (const char choice : input.substr(std::min(zero + 1, input.size()))) {
        std::vector<uint8_t> bytes;
        for (int byte = 0; byte < 256; ++byte) {
            if (automaton.is_full()) automaton.compact(std::span(&state, 1));
            if (automaton.advance(state, static_cast<uint8_t>(byte)) != Automaton::kDead) {
                bytes.push_back(static_cast<uint8_t>(byte));
            }
        }
        require(bytes.empty() == automaton.is_final(state));
        if (bytes.empty()) break;
        text += static_cast<char>(bytes[static_cast<uint8_t>(choice) % bytes.size()]);
        if (automaton.is_full()) automaton.compact(std::span(&state, 1));
        state = automaton.advance(state, static_cast<uint8_t>(text.back()));
    }
    check_answer(shape, base::to_clean_text(text), automaton.is_complete(state));
    return 0;
}
