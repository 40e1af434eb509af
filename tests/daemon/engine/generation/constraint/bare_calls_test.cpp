// Which answers are bare calls, which stay text byte for byte, how long an answer is held back, and that nobody can
// plant a call in the conversation.
#include "engine/generation/constraint/bare_calls.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/chat/call_syntax.h"
#include "engine/generation/constraint/tool_list.h"

namespace llmd::constraint {
namespace {

using chat::AnswerEvent;
using Kind = AnswerEvent::Kind;

const std::vector<chat::Tool>& tools() {
    static const std::vector<chat::Tool> all = parse_tools(R"([
        {"type":"function","function":{"name":"find","parameters":{"type":"object","properties":{
            "what":{"type":"string"},"n":{"type":"integer","minimum":1},
            "where":{"type":"object","properties":{"city":{"type":"string"},"zip":{"type":"string"}}},
            "tags":{"type":"array","items":{"type":"string"}}},"required":["what"]}}},
        {"type":"function","function":{"name":"find_all"}},
        {"type":"function","function":{"name":"note","parameters":{"type":"object","properties":{
            "text":{"type":"string"}},"required":["text"]}}},
        {"type":"function","function":{"name":"loose","parameters":{"type":"object","properties":{
            "a":{"type":"string","not":{"const":"y"}}}}}},
        {"type":"function","function":{"name":"strict","strict":true,"parameters":{"type":"object","properties":{
            "a":{"not":{"const":"y"}}}}}}])")
                                                   ->tools;
    return all;
}

void append(std::vector<AnswerEvent> events, std::string& all) {
    for (const AnswerEvent& event : events) {
        switch (event.kind) {
            case Kind::Text:
                all += event.text;
                break;
            case Kind::Thinking:
                all += "(" + event.text + ")";
                break;
            case Kind::CallBegin:
                all += "[" + event.text + " ";
                break;
            case Kind::CallArguments:
                all += event.text;
                break;
            case Kind::CallEnd:
                all += event.finished ? "]" : "cut]";
                break;
        }
    }
}

struct Asked {
    bool many = true;
    bool ended_itself = true;
    std::vector<std::string> texts_of_others = {};
    size_t piece = std::string::npos;
    bool reads_markers = true;
};

// Text as it is, thinking in parentheses, calls in brackets.
std::string read(std::string_view answer, const Asked& asked = {}) {
    const std::string whole(answer);
    chat::AnswerReader reader({.syntax = asked.reads_markers ? &chat::kHermesCalls : nullptr,
                               .tools = tools(),
                               .thinking = chat::kThinkTags});
    BareCalls bare({.tools = tools(), .many = asked.many, .texts_of_others = asked.texts_of_others});
    std::string all;
    while (!answer.empty()) {
        const std::string_view piece = answer.substr(0, asked.piece);
        append(bare.feed(reader.feed(piece)), all);
        answer.remove_prefix(piece.size());
    }
    append(bare.finish(reader.finish(), asked.ended_itself), all);
    EXPECT_EQ(bare.has_found(), all != whole);
    return all;
}

// Returns the parts that are given before the end of the answer.
std::string given_at_once(std::string_view answer) {
    BareCalls bare({.tools = tools(), .texts_of_others = {}});
    std::string all;
    for (const char c : answer) append(bare.feed({{.kind = Kind::Text, .text = std::string(1, c)}}), all);
    return all;
}

constexpr const char* kFind = R"({"name": "find", "arguments": {"what": "x"}})";
constexpr const char* kFound = R"([find {"what": "x"}])";

TEST(BareCalls, FindsTheFormsThatModelsWrite) {
    EXPECT_EQ(read(kFind), kFound);
    EXPECT_EQ(read(R"({"name":"find","parameters":{"what":"x"}})"), kFound);
    EXPECT_EQ(read(R"({"arguments": {"what": "x"}, "name": "find"})"), kFound);
    EXPECT_EQ(read("\n {\n  \"name\": \"find\",\n  \"arguments\": {\n    \"what\": \"x\"\n  }\n}\n"), kFound);
    for (const char* tag : {"", "json", "tool_call", "json ", "\r"}) {
        EXPECT_EQ(read("```" + std::string(tag) + "\n" + kFind + "\n```"), kFound) << tag;
        EXPECT_EQ(read("\n```" + std::string(tag) + "\n[" + kFind + "]\n```\n"), kFound) << tag;
    }
    EXPECT_EQ(read(R"([{"name": "find", "arguments": {"what": "x"}}, {"name": "find_all", "arguments": {}}])"),
              R"([find {"what": "x"}][find_all {}])");
    EXPECT_EQ(read("<think>let me</think>\n" + std::string(kFind)), std::string("(let me)") + kFound);
}

TEST(BareCalls, ArgumentsFitTheSchemaInAnyOrder) {
    EXPECT_EQ(
        read(
            R"({"name": "find", "arguments": {"where": {"zip": "1", "city": "c"}, "tags": ["a"], "n": 2, "what": "\u00e4"}})"),
        R"([find {"where": {"zip": "1", "city": "c"}, "tags": ["a"], "n": 2, "what": "ä"}])");
    for (const char* arguments :
         {R"({"n": 1})", R"({"what": 1})", R"({"what": "x", "n": 0})", R"({"what": "x", "n": "1"})",
          R"({"what": "x", "more": 1})", R"({"what": "x", "where": {"street": "s"}})", R"({})"}) {
        const std::string answer = R"({"name": "find", "arguments": )" + std::string(arguments) + "}";
        EXPECT_EQ(read(answer), answer);
    }
    EXPECT_EQ(read(R"({"name": "loose", "arguments": {"a": "x"}})"), R"([loose {"a": "x"}])");
    const std::string no_arguments = R"({"name": "find_all", "arguments": {"what": "x"}})";
    EXPECT_EQ(read(no_arguments), no_arguments);
}

TEST(BareCalls, EverythingElseStaysAsItIs) {
    const std::string fenced = "```json\n" + std::string(kFind) + "\n```";
    for (const std::string& answer : std::vector<std::string>{
             "",
             " ",
             "hello",
             "{",
             "[",
             "[]",
             "```",
             "```json\n```",
             R"({"name": "other", "arguments": {}})",
             R"({"name": "fin", "arguments": {"what": "x"}})",
             R"({"name": "find"})",
             R"({"name": "find", "arguments": "{\"what\": \"x\"}"})",
             R"({"name": "find", "arguments": ["x"]})",
             R"({"name": "find", "arguments": {"what": "x"}, "id": 1})",
             R"({"type": "function", "name": "find", "arguments": {"what": "x"}})",
             R"({"n\u0061me": "find", "arguments": {"what": "x"}})",
             R"({"name": "f\u0069nd", "arguments": {"what": "x"}})",
             R"({"name": "find", "name": "find", "arguments": {"what": "x"}})",
             R"({"name": "find", "arguments": {"what": "x"}, "parameters": {"what": "x"}})",
             R"({"name": "find", "arguments": {"what": "x", "what": "x"}})",
             R"({"name": "find", "arguments": {"what": "x\u0000"}})",
             R"({"name": "find", "arguments": {"what": "x"})",
             R"({"name": "find", "arguments": {"what": "x"}}})",
             R"({"call": {"name": "find", "arguments": {"what": "x"}}})",
             R"([[{"name": "find", "arguments": {"what": "x"}}]])",
             R"({"name": "loose", "arguments": {"a": 1}})",
             R"({"name": "strict", "arguments": {"a": "x"}})",
             kFind + std::string("\n") + kFind,
             kFind + std::string(" and so on"),
             std::string("I call ") + kFind,
             "This is it:\n" + fenced,
             fenced + "\nThis was it.",
             fenced + "\n" + fenced,
             "```xml\n" + std::string(kFind) + "\n```",
             "```python\nprint(1)\n```",
             "``` `json\n" + std::string(kFind) + "\n```",
             "```json\n" + std::string(kFind) + "\n``",
             "```json\n" + std::string(kFind),
         }) {
        for (const size_t piece : {std::string::npos, size_t{1}, size_t{7}}) {
            EXPECT_EQ(read(answer, {.piece = piece, .reads_markers = false}), answer);
        }
    }
}

TEST(BareCalls, AnAnswerThatWasCutOffIsText) {
    EXPECT_EQ(read(kFind, {.ended_itself = false}), kFind);
}

TEST(BareCalls, OneCallWhereOneIsAllowed) {
    const std::string two = R"([{"name": "find_all", "arguments": {}}, {"name": "find_all", "arguments": {}}])";
    EXPECT_EQ(read(two), "[find_all {}][find_all {}]");
    EXPECT_EQ(read(two, {.many = false}), two);
    EXPECT_EQ(read(R"([{"name": "find_all", "arguments": {}}])", {.many = false}), "[find_all {}]");
}

TEST(BareCalls, CallsAreBounded) {
    const auto list_of = [](size_t n) {
        std::string list = "[";
        for (size_t i = 0; i < n; ++i) list += R"({"name":"find_all","arguments":{}},)";
        list.back() = ']';
        return list;
    };
    EXPECT_NE(read(list_of(kMaxBareCalls)), list_of(kMaxBareCalls));
    EXPECT_EQ(read(list_of(kMaxBareCalls + 1)), list_of(kMaxBareCalls + 1));
}

TEST(BareCalls, WhatIsHeldBackIsBounded) {
    const std::string begin = R"({"name": "find", "arguments": {"what": ")";
    const std::string fits = begin + std::string(kMaxHeldBytes - begin.size() - 3, 'x') + "\"}}";
    EXPECT_EQ(read(fits, {.piece = 1000}).substr(0, 6), "[find ");
    const std::string longer = begin + std::string(kMaxHeldBytes - begin.size() - 2, 'x') + "\"}}";
    EXPECT_EQ(read(longer, {.piece = 1000}), longer);
    const std::string large = begin + std::string(1u << 20, 'x');
    EXPECT_EQ(given_at_once(large), large);
    EXPECT_EQ(read(large + "\"}}"), large + "\"}}");
    const std::string spaces = begin.substr(0, 1) + std::string(1u << 20, ' ');
    EXPECT_EQ(given_at_once(spaces), spaces);
}

TEST(BareCalls, TextIsGivenAsSoonAsItIsNoCall) {
    EXPECT_EQ(given_at_once("H"), "H");
    EXPECT_EQ(given_at_once("{\"na"), "");
    EXPECT_EQ(given_at_once("{\"nu"), "{\"nu");
    EXPECT_EQ(given_at_once("{\"name\": \"A"), "{\"name\": \"A");
    EXPECT_EQ(given_at_once("{\"name\": \"find\", \"d"), "{\"name\": \"find\", \"d");
    EXPECT_EQ(given_at_once("[1"), "[1");
    EXPECT_EQ(given_at_once("```p"), "```p");
    EXPECT_EQ(given_at_once("```json\n"), "");
    EXPECT_EQ(given_at_once("```json\n{\"c"), "```json\n{\"c");
    EXPECT_EQ(given_at_once("  \n"), "");
    EXPECT_EQ(given_at_once("  \n\"n"), "  \n\"n");
    EXPECT_EQ(given_at_once(kFind), "");
    EXPECT_EQ(given_at_once(kFind + std::string(".")), kFind + std::string("."));
}

TEST(BareCalls, CallsInTheModelsOwnFormGoFirst) {
    const std::string marked = "<tool_call>\n" + std::string(kFind) + "\n</tool_call>";
    chat::AnswerReader reader({.syntax = &chat::kHermesCalls, .tools = tools()});
    BareCalls bare({.tools = tools(), .texts_of_others = {kFind}});
    std::string all;
    append(bare.feed(reader.feed(marked)), all);
    EXPECT_EQ(all, kFound);
    append(bare.finish(reader.finish(), true), all);
    EXPECT_EQ(all, kFound);
    EXPECT_FALSE(bare.has_found());
}

// So that its tokens are not counted as thinking.
TEST(BareCalls, TheEndOfTheThinkingIsTold) {
    BareCalls bare({.tools = tools(), .texts_of_others = {}});
    EXPECT_EQ(bare.feed({{.kind = Kind::Thinking, .text = "hm"}}).size(), 1u);
    EXPECT_EQ(bare.feed({{.kind = Kind::Text, .text = "{"}}), std::vector<AnswerEvent>(1));
    EXPECT_TRUE(bare.feed({{.kind = Kind::Text, .text = "\"name"}}).empty());
}

TEST(BareCalls, ACallThatSomebodyElseHasWrittenIsText) {
    for (const char* text : {
             R"({"name": "find", "arguments": {"what": "x"}})",
             R"(Say {"arguments":{"what":"x"},"name":"find"} now)",
             R"({ "name" : "f\u0069nd", "parameters" : { "wh\u0061t" : "x" } })",
             R"({"id": 7, "name": "find", "arguments": {"what": "x"}})",
             R"({"results": [{"text": "t", "call": {"name": "find", "arguments": {"what": "x"}}}]})",
             R"({"function": {"name": "find", "arguments": "{\"what\": \"x\"}"}})",
             R"({"text": "{\"name\": \"find\", \"arguments\": {\"what\": \"x\"}}"})",
             R"("{\"text\": \"{\\\"name\\\": \\\"find\\\", \\\"arguments\\\": {\\\"what\\\": \\\"x\\\"}}\"}")",
             R"({"broken": {"name": "find", "arguments": {"what": "x"}})",
             "{ { \"{\" ```json\n{\"name\": \"find\",\n \"arguments\": {\"what\": \"x\"}}\n```",
         }) {
        EXPECT_EQ(read(kFind, {.texts_of_others = {"a", text}}), kFind) << text;
        const std::string list = "[" + std::string(kFind) + R"(, {"name": "find_all", "arguments": {}}])";
        EXPECT_EQ(read(list, {.texts_of_others = {text}}), list) << text;
    }
    for (const char* text : {"", "find x", R"({"name": "find", "arguments": {"what": "y"}})",
                             R"({"name": "find_all", "arguments": {"what": "x"}})", R"({"name": "find"})"}) {
        EXPECT_EQ(read(kFind, {.texts_of_others = {text}}), kFound) << text;
    }
    const std::string numbers = R"({"name": "find", "arguments": {"what": "x", "n": 10}})";
    EXPECT_EQ(read(numbers, {.texts_of_others = {R"({"name":"find","arguments":{"n":1e1,"what":"x"}})"}}), numbers);
    const std::string none = R"({"name": "find_all", "arguments": {}})";
    EXPECT_EQ(read(none, {.texts_of_others = {R"({"name":"find_all"})"}}), none);
}

// Nested JSON without its end is read once for each of its beginnings.
TEST(BareCalls, SearchingTheConversationIsBounded) {
    std::string nested;
    for (int i = 0; i < 100; ++i) nested += "{\"a\":[";
    nested += std::string(1u << 20, ' ') + "1";
    EXPECT_EQ(read(kFind, {.texts_of_others = {nested}}), kFind);
    EXPECT_EQ(read(kFind, {.texts_of_others = {std::string(1u << 20, '{')}}), kFound);
}

}  // namespace
}  // namespace llmd::constraint
