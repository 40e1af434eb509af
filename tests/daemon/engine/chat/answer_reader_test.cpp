// AnswerReader gives parts at once or holds them back; and some answers are held to the syntax by no grammar.
#include "engine/chat/answer_reader.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "engine/chat/call_value.h"
#include "read_answer.h"

namespace llmd::chat {
namespace {

using test::ReadAnswer;
using Kind = AnswerEvent::Kind;

const std::vector<Tool> kTools = {
    {.name = "find", .properties = {{"what", ValueKind::Text}, {"n", ValueKind::Json}, {"who", ValueKind::TextOrNull}}},
    {.name = "find_all"},
};

AnswerReader::Options options_of(const CallSyntax& syntax) {
    return {.syntax = &syntax, .tools = kTools, .thinking = kThinkTags};
}

std::string text_of(const std::vector<AnswerEvent>& events) {
    std::string all;
    for (const AnswerEvent& event : events) {
        constexpr const char* kNames[] = {"text", "thinking", "begin", "arguments", "end"};
        all += std::string(all.empty() ? "" : "|") + kNames[static_cast<int>(event.kind)] + ":" + event.text;
        if (event.kind == Kind::CallEnd && !event.finished) all += "unfinished";
    }
    return all;
}

TEST(AnswerReader, GivesTextAtOnceUnlessItMayBeginAMarker) {
    AnswerReader reader(options_of(kHermesCalls));
    EXPECT_EQ(text_of(reader.feed("<thi")), "");
    EXPECT_EQ(text_of(reader.feed("nk>\nI ")), "thinking:I");
    EXPECT_EQ(text_of(reader.feed("see </th")), "thinking: see");
    EXPECT_EQ(text_of(reader.feed("x")), "thinking: </thx");
    EXPECT_EQ(text_of(reader.feed("\n</think>\n\n")), "");
    EXPECT_EQ(text_of(reader.feed("Hello")), "text:Hello");
    EXPECT_EQ(text_of(reader.feed(" ")), "");
    EXPECT_EQ(text_of(reader.feed("you <tool")), "text: you");
    EXPECT_EQ(text_of(reader.feed("s <tool_call")), "text: <tools");
    EXPECT_EQ(text_of(reader.feed(">\n{\"name\": \"find\", \"arguments\"")), "");
    EXPECT_EQ(text_of(reader.feed(": {\"wh")), "begin:find|arguments:{\"wh");
    EXPECT_EQ(text_of(reader.feed("at\": \"}\"}")), "arguments:at\": \"}\"}");
    EXPECT_EQ(text_of(reader.feed("}\n</tool_call>\n")), "end:");
    EXPECT_EQ(reader.n_calls(), 1u);
    EXPECT_EQ(text_of(reader.finish()), "");
}

TEST(AnswerReader, ConvertedArgumentsComeValueByValue) {
    AnswerReader reader({.syntax = &kLfm2Calls, .tools = kTools});
    EXPECT_EQ(text_of(reader.feed("<|tool_call_start|>[find(")), "begin:find");
    EXPECT_EQ(text_of(reader.feed("what='a")), "");
    EXPECT_EQ(text_of(reader.feed("', n=[1, (True, None)]")), "arguments:{\"what\": \"a\"");
    EXPECT_EQ(text_of(reader.feed("), ")), "arguments:, \"n\": [1, [true, null]]}|end:");
    EXPECT_EQ(text_of(reader.feed("find_all()")), "begin:find_all|arguments:{}|end:");
    EXPECT_EQ(text_of(reader.feed("]<|tool_call_end|>")), "");
}

TEST(AnswerReader, WithoutToolsMarkersAreText) {
    const std::string text = " <tool_call>\n{\"name\": \"find\", \"arguments\": {}}\n</tool_call> ";
    EXPECT_EQ(test::read_answer({}, text), (ReadAnswer{text, {}, {}}));
    EXPECT_EQ(test::read_answer({.syntax = &kHermesCalls}, text), (ReadAnswer{text, {}, {}}));
    EXPECT_EQ(test::read_answer({.tools = kTools}, text), (ReadAnswer{text, {}, {}}));
    EXPECT_EQ(test::read_answer({}, "<think>a</think>b"), (ReadAnswer{"<think>a</think>b", {}, {}}));
    // Nothing is held back.
    AnswerReader reader({});
    EXPECT_EQ(text_of(reader.feed("<tool_call ")), "text:<tool_call ");
}

TEST(AnswerReader, WhatNamesNoToolIsText) {
    for (const CallSyntax* syntax : call_syntaxes()) {
        SCOPED_TRACE(syntax->name);
        const std::string head = std::string(syntax->begin) + std::string(syntax->call_begin);
        for (const std::string name : {"fin", "find_", "", "find me", "<tool_call>", "\xC3\xA9"}) {
            const std::string text = "a " + head + name + std::string(syntax->name_end) + "{}";
            EXPECT_EQ(test::read_answer(options_of(*syntax), text).text, text);
            EXPECT_EQ(test::read_answer(options_of(*syntax), text.substr(2)).text, text.substr(2));
        }
        // The next marker counts.
        if (syntax->marker.empty()) continue;
        const std::string twice = std::string(syntax->marker) + head + "find" + std::string(syntax->name_end);
        const ReadAnswer answer = test::read_answer(options_of(*syntax), twice);
        EXPECT_EQ(answer.text, syntax->marker);
        ASSERT_EQ(answer.calls.size(), 1u);
        EXPECT_EQ(answer.calls[0].name, "find");
    }
}

TEST(AnswerReader, WhiteSpaceIsDroppedAroundCallsOnly) {
    const std::string call = "[TOOL_CALLS]find[ARGS]{}";
    const auto text = [&](const std::string& answer) {
        return test::read_answer(options_of(kMistralCalls), answer).text;
    };
    EXPECT_EQ(text(" a \n"), " a \n");
    EXPECT_EQ(text(" \n"), " \n");
    EXPECT_EQ(text("\n a \n" + call + "\n"), "\n a");
    EXPECT_EQ(text(call + "\n b \n"), "b \n");
    EXPECT_EQ(text("<think> x\n</think>\n\n a "), "a ");
    EXPECT_EQ(text("<think>\n\n</think>\n\n"), "");
    EXPECT_EQ(text("a \n" + call + " \n " + call), "a");
}

TEST(AnswerReader, WhereCallsComeFirstTextHasNone) {
    AnswerReader::Options options = options_of(kMistralCalls);
    options.calls_come_first = true;
    const std::string call = "[TOOL_CALLS]find[ARGS]{}";
    EXPECT_EQ(test::read_answer(options, "<think>a</think>\n" + call), (ReadAnswer{{}, "a", {{"find", "{}", true}}}));
    for (const std::string& text : {"[\"" + call + "\"]", " x" + call, std::string("[TOOL"), "[TOOL_CALLS]x" + call}) {
        EXPECT_EQ(test::read_answer(options, text), (ReadAnswer{text, {}, {}}));
    }
}

TEST(AnswerReader, ACallThatLeavesTheSyntaxIsUnfinished) {
    const auto read = [](const CallSyntax& syntax, const std::string& text) {
        return test::read_answer(options_of(syntax), text);
    };
    EXPECT_EQ(read(kMistralCalls, "[TOOL_CALLS]find[ARGS]7"), (ReadAnswer{"7", {}, {{"find", "", false}}}));
    EXPECT_EQ(read(kHermesCalls, "<tool_call>{\"name\":\"find\",\"arguments\":{}},x"),
              (ReadAnswer{"},x", {}, {{"find", "{}", false}}}));
    EXPECT_EQ(read(kMiniCpm5Calls, R"(<function name="find"><param name="n">1 x</param></function>)"),
              (ReadAnswer{"x</param></function>", {}, {{"find", "", false}}}));
}

TEST(AnswerReader, TheBeginningOfACallThatIsCutIsNoText) {
    for (const CallSyntax* syntax : call_syntaxes()) {
        SCOPED_TRACE(syntax->name);
        const std::string rest = std::string("find_all") + std::string(syntax->name_end) +
                                 (syntax->arguments == ArgumentSyntax::Json ? "{}" : "") +
                                 std::string(syntax->call_end);
        const std::string first = std::string(syntax->begin) + std::string(syntax->call_begin) + rest;
        const std::string next = std::string(syntax->separator) + std::string(syntax->call_begin) + rest;
        const std::string whole = first + (syntax->many ? next : "") + std::string(syntax->end);
        AnswerReader::Options options = options_of(*syntax);
        // A call without a marker is one at the beginning only.
        const std::string text = syntax->marker.empty() ? "" : "a ";
        for (size_t length = first.size(); length <= whole.size(); ++length) {
            const ReadAnswer answer = test::read_answer(options, text + whole.substr(0, length));
            EXPECT_EQ(answer.text, text.substr(0, 1)) << length;
            EXPECT_GE(answer.calls.size(), 1u) << length;
        }
        // Where text may come, a marker is one from its end on.
        EXPECT_EQ(test::read_answer(options, whole.substr(0, 1)).text, whole.substr(0, 1));
        options.must_call = true;
        for (size_t length = 0; length <= whole.size(); ++length) {
            for (const std::string_view thinking : {"", "<think>x</think>"}) {
                const std::string answer = std::string(thinking) + whole.substr(0, length);
                EXPECT_EQ(test::read_answer(options, answer).text, "") << answer;
            }
        }
    }
    EXPECT_EQ(test::read_answer(options_of(kMistralCalls), "[TOOL_CALLS]find[ARGS]{} b [TOOL").text, "b [TOOL");
}

TEST(AnswerReader, PiecesChangeNothing) {
    // Texts of markers, calls and everything between, in any order.
    std::mt19937 random(3);
    for (const CallSyntax* syntax : call_syntaxes()) {
        SCOPED_TRACE(syntax->name);
        const std::vector<std::string_view> parts = {syntax->marker,
                                                     syntax->begin,
                                                     syntax->call_begin,
                                                     "find",
                                                     syntax->name_end,
                                                     syntax->call_end,
                                                     syntax->end,
                                                     syntax->separator,
                                                     "what",
                                                     syntax->parameter_begin,
                                                     syntax->parameter_name_end,
                                                     syntax->parameter_end,
                                                     "{\"a\": [\"}\"]}",
                                                     "'x,'",
                                                     "<think>",
                                                     "</think>",
                                                     " \n",
                                                     "\xC3\xA9",
                                                     "12",
                                                     kBracesQuote};
        for (int round = 0; round < 300; ++round) {
            std::string text;
            size_t at = 0;
            for (uint32_t n = random() % 20; n > 0; --n) {
                // Often what usually comes next.
                at = random() % 3 == 0 ? random() % parts.size() : (at + 1) % parts.size();
                text += parts[at];
            }
            AnswerReader::Options options = options_of(*syntax);
            options.begins_in_thinking = random() % 4 == 0;
            options.calls_come_first = random() % 4 == 0;
            const ReadAnswer whole = test::read_answer(options, text);
            EXPECT_TRUE(whole.is_in_order) << text;
            for (int i = 0; i < 3; ++i) EXPECT_EQ(test::read_answer(options, text, &random), whole) << text;
        }
    }
}

TEST(AnswerReader, HostileTextsAreReadSoon) {
    for (const CallSyntax* syntax : call_syntaxes()) {
        std::string text;
        const std::string again = std::string(syntax->begin) + std::string(syntax->call_begin);
        while (text.size() < 200'000) text += again + "find" + std::string(syntax->name_end.substr(0, 1)) + "<<";
        EXPECT_TRUE(test::read_answer(options_of(*syntax), text).is_in_order);
        const std::string spaces(200'000, ' ');
        EXPECT_EQ(test::read_answer(options_of(*syntax), "a" + spaces).text.size(), spaces.size() + 1);
    }
}

TEST(CallValue, LiteralsBecomeJson) {
    const auto python = [](std::string_view value) { return to_json(ArgumentSyntax::Python, value); };
    EXPECT_EQ(python("True"), "true");
    EXPECT_EQ(python("[None, False, -1.5e3, 'a\\'b', \"\\x41\\u00e9\\U0001F600\\q\"]"),
              "[null, false, -1.5e3, \"a'b\", \"A\xC3\xA9\xF0\x9F\x98\x80\\\\q\"]");
    EXPECT_EQ(python("{'True': True, \"n\": {}}"), "{\"True\": true, \"n\": {}}");
    EXPECT_EQ(python("'\\ud83d\\ude00\\ud83d'"), "\"\xF0\x9F\x98\x80\xEF\xBF\xBD\"");
    EXPECT_EQ(python("word"), "\"word\"");
    EXPECT_EQ(python(""), "null");
    const auto braces = [](std::string_view value) { return to_json(ArgumentSyntax::Braces, value); };
    EXPECT_EQ(braces("{a:<|\"|>x\"\\<|\"|>,true:[true,<|\"|><|\"|>],<|\"|>b<|\"|>:-1}"),
              "{\"a\":\"x\\\"\\\\\",\"true\":[true,\"\"],\"b\":-1}");
    EXPECT_EQ(to_json(ArgumentSyntax::Json, "\n [1] \n"), "[1]");
}

}  // namespace
}  // namespace llmd::chat
