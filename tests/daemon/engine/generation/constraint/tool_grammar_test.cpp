// Grammars of answers with tool calls: what each syntax accepts and refuses, how it is read, and which requests are
// refused.
#include "engine/generation/constraint/tool_grammar.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "answer_shapes.h"
#include "support/processor_time.h"

namespace llmd::constraint {
namespace {

using chat::CallSyntax;
using test::accepts;
using test::automaton_of;
using test::begins;
using test::read;
using test::ReadAnswer;
using test::ReadCall;
using test::shape_error;
using test::tools_of;
using test::with_parameters;

constexpr std::string_view kWeather = R"([
  {"type":"function","function":{"name":"get_weather","description":"Weather","parameters":{"type":"object",
    "properties":{"city":{"type":"string"},"days":{"type":"integer","minimum":1,"maximum":9},
                  "unit":{"enum":["celsius","fahrenheit"]},"alerts":{"type":"boolean"},
                  "note":{"anyOf":[{"type":"string","maxLength":5},{"type":"null"}]},
                  "tags":{"type":"array","items":{"type":"string"}}},
    "required":["city"]}}},
  {"type":"function","function":{"name":"get_time"}},
  {"type":"function","function":{"name":"get","parameters":{"type":"object","properties":{}}}}])";

// Calls of each syntax as its models write them, and how they are read.
struct Written {
    const CallSyntax* syntax;
    std::string text;
    std::vector<ReadCall> calls;
    bool is_one = false;  // the syntax has no second call
};

std::vector<Written> written_calls() {
    const ReadCall weather{"get_weather", R"({"city": "Bad \"X\"", "days": 3})", true};
    const ReadCall time{"get_time", "{}", true};
    const std::string hermes = R"({"name": "get_weather", "arguments": {"city": "Bad \"X\"", "days": 3}})";
    const std::string hermes_time = R"({"name": "get_time", "arguments": {}})";
    return {
        {&chat::kHermesCalls,
         "<tool_call>\n" + hermes + "\n</tool_call>\n<tool_call>\n" + hermes_time + "\n</tool_call>",
         {weather, time}},
        {&chat::kExaoneCalls,
         "<tool_call>" + hermes + "</tool_call>\n<tool_call>" + hermes_time + "</tool_call>",
         {weather, time}},
        {&chat::kHunyuanCalls,
         "<tool_calls><tool_call>get_weather\n```json\n{\"city\": \"Bad \\\"X\\\"\", \"days\": 3}\n```</tool_call>\n"
         "<tool_call>get_time\n```json\n{}\n```</tool_call></tool_calls>",
         {weather, time}},
        {&chat::kMistralCalls,
         R"([TOOL_CALLS]get_weather[ARGS]{"city": "Bad \"X\"", "days": 3}[TOOL_CALLS]get_time[ARGS]{})",
         {weather, time}},
        {&chat::kMistralListCalls, "[TOOL_CALLS] [" + hermes + ", " + hermes_time + "]", {weather, time}},
        {&chat::kPhi4MiniCalls, "<|tool_call|>[" + hermes + ", " + hermes_time + "]<|/tool_call|>", {weather, time}},
        {&chat::kGranite3Calls, "<|tool_call|>[" + hermes + ", " + hermes_time + "]", {weather, time}},
        {&chat::kLlamaCalls,
         R"({"name": "get_weather", "parameters": {"city": "Bad \"X\"", "days": 3}})",
         {weather},
         true},
        {&chat::kGenericCalls, hermes, {weather}, true},
        {&chat::kQwenXmlCalls,
         "<tool_call>\n<function=get_weather>\n<parameter=city>\nBad \"X\"\n</parameter>\n<parameter=days>\n3\n"
         "</parameter>\n</function>\n</tool_call>\n<tool_call>\n<function=get_time>\n</function>\n</tool_call>",
         {weather, time}},
        {&chat::kMiniCpm5Calls,
         R"(<function name="get_weather"><param name="city">Bad "X"</param><param name="days">3</param></function>)"
         R"(<function name="get_time"></function>)",
         {weather, time}},
        {&chat::kLfm2Calls,
         R"(<|tool_call_start|>[get_weather(city='Bad "X"', days=3), get_time()]<|tool_call_end|>)",
         {weather, time}},
        {&chat::kGemma4Calls,
         R"(<|tool_call>call:get_weather{city:<|"|>Bad "X"<|"|>,days:3}<tool_call|><|tool_call>call:get_time{}<tool_call|>)",
         {weather, time}},
    };
}

TEST(ToolGrammar, EachSyntaxIsReadAsItsModelsWriteIt) {
    const auto tools = tools_of(kWeather);
    ASSERT_EQ(written_calls().size(), chat::call_syntaxes().size());
    for (const Written& written : written_calls()) {
        SCOPED_TRACE(written.syntax->name);
        AnswerShape shape{.tools = tools, .syntax = written.syntax};
        for (const auto kind : {ToolChoice::Kind::Auto, ToolChoice::Kind::Required}) {
            shape.choice.kind = kind;
            EXPECT_TRUE(accepts(shape, written.text));
            EXPECT_EQ(read(shape, written.text), (ReadAnswer{{}, {}, written.calls}));
            for (size_t length = 1; length < written.text.size(); ++length) {
                EXPECT_TRUE(begins(shape, written.text.substr(0, length))) << length;
            }
        }
        // One call only.
        shape.choice.parallel = false;
        EXPECT_EQ(accepts(shape, written.text), written.is_one);
        // Another tool only.
        shape.choice = {.kind = ToolChoice::Kind::Named, .name = "get"};
        EXPECT_FALSE(begins(shape, written.text));
    }
}

TEST(ToolGrammar, TextStaysTextUntilACallBegins) {
    const auto tools = tools_of(kWeather);
    for (const Written& written : written_calls()) {
        SCOPED_TRACE(written.syntax->name);
        AnswerShape shape{.tools = tools, .syntax = written.syntax};
        const std::string marker(written.syntax->marker);
        const std::string bare = marker.empty() ? "{\"name\": \"get_weathe\"}" : marker.substr(0, marker.size() - 1);
        for (const std::string& text :
             {std::string(), std::string("Hello!"), std::string(" \n "), "a " + bare, bare + bare + " \xC3\xA9 \n"}) {
            EXPECT_TRUE(accepts(shape, text)) << text;
            EXPECT_EQ(read(shape, text), (ReadAnswer{text, {}, {}})) << text;
        }
        EXPECT_TRUE(accepts(shape, "\xFF\x01 any bytes \xE2\x82"));
        if (marker.empty()) {
            EXPECT_TRUE(accepts(shape, "So: " + written.text));
            EXPECT_EQ(read(shape, "So: " + written.text), (ReadAnswer{"So: " + written.text, {}, {}}));
            EXPECT_TRUE(accepts(shape, "\n" + written.text));
            EXPECT_EQ(read(shape, "\n" + written.text), (ReadAnswer{{}, {}, written.calls}));
        } else {
            EXPECT_TRUE(accepts(shape, bare + "I look.\n\n" + written.text));
            EXPECT_EQ(read(shape, bare + "I look.\n\n" + written.text),
                      (ReadAnswer{bare + "I look.", {}, written.calls}));
            EXPECT_FALSE(begins(shape, marker + marker));
            EXPECT_FALSE(begins(shape, marker.substr(0, 1) + marker + marker));
        }
        // No text after calls, and none where one is required.
        EXPECT_FALSE(begins(shape, written.text + "x"));
        shape.choice.kind = ToolChoice::Kind::Required;
        EXPECT_FALSE(begins(shape, "Hello"));
        EXPECT_FALSE(accepts(shape, ""));
        shape.choice.kind = ToolChoice::Kind::None;
        const auto none = compile_answer_grammar(shape);
        ASSERT_TRUE(none);
        EXPECT_FALSE(none->grammar);
    }
}

TEST(ToolGrammar, ACallWithAnUnknownToolOrUnfitArgumentsIsRefused) {
    const auto tools = tools_of(kWeather);
    for (const Written& written : written_calls()) {
        SCOPED_TRACE(written.syntax->name);
        AnswerShape shape{.tools = tools, .choice = {.kind = ToolChoice::Kind::Required}, .syntax = written.syntax};
        const auto with = [&](std::string_view from, std::string_view to) {
            std::string text = written.text;
            const size_t at = text.find(from);
            EXPECT_NE(at, std::string::npos);
            return text.replace(at, from.size(), to);
        };
        EXPECT_FALSE(begins(shape, with("get_weather", "get_weathe")));
        EXPECT_FALSE(begins(shape, with("get_weather", "got")));
        EXPECT_FALSE(begins(shape, with("city", "citx")));
        EXPECT_FALSE(begins(shape, with("3", "33")));
        EXPECT_FALSE(begins(shape, with("3", "true")));
    }
}

TEST(ToolGrammar, ThinkingComesFirstAndHidesCalls) {
    const auto tools = tools_of(kWeather);
    for (const Written& written : written_calls()) {
        SCOPED_TRACE(written.syntax->name);
        for (const bool begins_in : {false, true}) {
            AnswerShape shape{.thinking = chat::kThinkTags,
                              .begins_in_thinking = begins_in,
                              .tools = tools,
                              .syntax = written.syntax};
            const std::string open = begins_in ? "" : "<think>";
            const std::string thought = "\nIf " + written.text + " or </think\n";
            const std::string trimmed = thought.substr(1, thought.size() - 2);
            const std::string thinking = open + thought + "</think>";
            EXPECT_TRUE(accepts(shape, thinking + "\n\nHello"));
            EXPECT_EQ(read(shape, thinking + "\n\nHello"), (ReadAnswer{"Hello", trimmed, {}}));
            EXPECT_EQ(begins_in, !accepts(shape, "Hello </think"));
            EXPECT_FALSE(accepts(shape, open + thought));
            for (const auto kind : {ToolChoice::Kind::Auto, ToolChoice::Kind::Required}) {
                shape.choice.kind = kind;
                EXPECT_TRUE(accepts(shape, thinking + "\n\n" + written.text));
                EXPECT_EQ(read(shape, thinking + "\n\n" + written.text), (ReadAnswer{{}, trimmed, written.calls}));
                EXPECT_EQ(accepts(shape, written.text), !begins_in);
            }
            EXPECT_FALSE(begins(shape, thinking + "Hello"));
        }
        // Not at the beginning it is text.
        AnswerShape shape{.thinking = chat::kThinkTags, .tools = tools, .syntax = written.syntax};
        for (const std::string text : {"A <think>b</think>", "<thin", "<<think>", "<thinx"}) {
            EXPECT_TRUE(accepts(shape, text)) << text;
            EXPECT_EQ(read(shape, text), (ReadAnswer{text, {}, {}})) << text;
        }
        EXPECT_EQ(read(shape, " <think> </think> x"), (ReadAnswer{"x", {}, {}}));
    }
}

TEST(ToolGrammar, ASchemaAppliesToTheAnswerAndNotToTheThinking) {
    const auto tools = tools_of(kWeather);
    AnswerShape shape{.thinking = chat::kThinkTags, .form = {.json_schema = R"({"type":"integer"})"}};
    EXPECT_TRUE(accepts(shape, "12"));
    EXPECT_TRUE(accepts(shape, "<think>so</think>\n\n12"));
    EXPECT_FALSE(begins(shape, "<think>so</think>\n\nx"));
    EXPECT_FALSE(begins(shape, "so"));
    shape.begins_in_thinking = true;
    EXPECT_TRUE(accepts(shape, "so</think>12"));
    EXPECT_FALSE(accepts(shape, "12"));
    shape = {.tools = tools, .syntax = &chat::kHermesCalls, .form = {.json_schema = R"({"type":"integer"})"}};
    EXPECT_TRUE(accepts(shape, "12"));
    EXPECT_TRUE(accepts(shape, written_calls()[0].text));
    EXPECT_FALSE(begins(shape, "text"));
    // Beside tools a string of the text may spell a call.
    for (const Written& written : written_calls()) {
        SCOPED_TRACE(written.syntax->name);
        shape.syntax = written.syntax;
        shape.form.json_schema = R"({"type":"array","items":{"type":"string"}})";
        const std::string text = R"(["[TOOL_CALLS]get[ARGS]{} <tool_call><function=get></function></tool_call>"])";
        EXPECT_TRUE(accepts(shape, text));
        EXPECT_EQ(read(shape, text), (ReadAnswer{text, {}, {}}));
        EXPECT_TRUE(accepts(shape, written.text));
        EXPECT_EQ(read(shape, written.text), (ReadAnswer{{}, {}, written.calls}));
    }
    shape.choice.kind = ToolChoice::Kind::Required;
    EXPECT_FALSE(begins(shape, "12"));
    shape.form.json_schema = R"({"type":"what"})";
    shape.choice.kind = ToolChoice::Kind::Auto;
    EXPECT_EQ(shape_error(shape).rfind("json_schema: ", 0), 0u);
}

TEST(ToolGrammar, TheSpaceAroundAnExactTextIsPartOfIt) {
    const std::vector<std::string> choices = {" a", "\n\na ", "a"};
    for (AnswerShape shape : {AnswerShape{.form = {.regex = "\\s*a ?"}}, AnswerShape{.form = {.choices = choices}}}) {
        shape.thinking = chat::kThinkTags;
        for (const std::string& text : choices) {
            EXPECT_TRUE(accepts(shape, text)) << text;
            EXPECT_EQ(read(shape, text), (ReadAnswer{text, {}, {}})) << text;
            const std::string thought = "<think> so\n</think>\n\n" + text;
            EXPECT_TRUE(accepts(shape, thought)) << thought;
            EXPECT_EQ(read(shape, thought), (ReadAnswer{text, "so", {}})) << thought;
        }
        EXPECT_FALSE(begins(shape, "<think>so</think>a"));
        EXPECT_FALSE(begins(shape, "ab"));
        EXPECT_EQ(read(shape, "<think>so</think>\n"), (ReadAnswer{"", "so", {}}));
    }
}

TEST(ToolGrammar, CutCallsAreUnfinished) {
    const auto tools = tools_of(kWeather);
    for (const Written& written : written_calls()) {
        SCOPED_TRACE(written.syntax->name);
        const AnswerShape shape{.tools = tools, .syntax = written.syntax};
        const size_t in_arguments = written.text.find("days") + 4;
        const ReadAnswer answer = read(shape, written.text.substr(0, in_arguments));
        ASSERT_EQ(answer.calls.size(), 1u);
        EXPECT_EQ(answer.calls[0].name, "get_weather");
        EXPECT_FALSE(answer.calls[0].finished);
        EXPECT_EQ(answer.text, "");
        // In its name it is dropped, unless it may be text.
        const std::string head = written.text.substr(0, written.text.find("get_") + 4);
        EXPECT_EQ(read(shape, head), (ReadAnswer{written.syntax->marker.empty() ? head : "", {}, {}}));
    }
}

TEST(ToolGrammar, ValuesAreSpelledAsInTheSyntax) {
    const auto tools = tools_of(kWeather);
    const auto arguments = [&](const CallSyntax& syntax, const std::string& written) {
        const AnswerShape shape{.tools = tools, .choice = {.kind = ToolChoice::Kind::Required}, .syntax = &syntax};
        if (!accepts(shape, written)) return std::string("refused");
        const ReadAnswer answer = read(shape, written);
        return answer.calls.size() == 1 && answer.calls[0].finished ? answer.calls[0].arguments : "misread";
    };
    const auto python = [&](const std::string& inner) {
        return arguments(chat::kLfm2Calls, "<|tool_call_start|>[get_weather(" + inner + ")]<|tool_call_end|>");
    };
    EXPECT_EQ(python(R"(city="a\nb", alerts=True, note=None)"), R"({"city": "a\nb", "alerts": true, "note": null})");
    EXPECT_EQ(python(R"(city='it\'s', alerts=false)"), R"({"city": "it's", "alerts": false})");
    EXPECT_EQ(python(R"x(city="\ud83d\ude00", unit='celsius', tags=["a)", "b,"])x"),
              "{\"city\": \"\xF0\x9F\x98\x80\", \"unit\": \"celsius\", \"tags\": [\"a)\", \"b,\"]}");
    EXPECT_EQ(python("city='a', unit='kelvin'"), "refused");
    EXPECT_EQ(python("city='a', note='123456'"), "refused");
    EXPECT_EQ(python("alerts=True"), "refused");
    const auto gemma = [&](const std::string& inner) {
        return arguments(chat::kGemma4Calls, "<|tool_call>call:get_weather{" + inner + "}<tool_call|>");
    };
    EXPECT_EQ(gemma(R"(city:<|"|>a}, "b"<|<|"|>,alerts:true,note:null)"),
              R"({"city": "a}, \"b\"<|", "alerts": true, "note": null})");
    EXPECT_EQ(gemma(R"(city:"x",unit:<|"|>celsius<|"|>,tags:["a","}"])"),
              R"({"city": "x", "unit": "celsius", "tags": ["a","}"]})");
    EXPECT_EQ(gemma(R"(city:<|"|>a<|"|>,note:<|"|>123456<|"|>)"), "refused");
    const auto xml = [&](const std::string& inner) {
        return arguments(chat::kQwenXmlCalls,
                         "<tool_call>\n<function=get_weather>" + inner + "\n</function>\n</tool_call>");
    };
    const auto parameter = [](const std::string& name, const std::string& value) {
        return "\n<parameter=" + name + ">\n" + value + "\n</parameter>";
    };
    EXPECT_EQ(xml(parameter("city", "a\n</parameter\n\t\"")), R"({"city": "a\n</parameter\n\t\""})");
    EXPECT_EQ(xml(parameter("city", "")), R"({"city": ""})");
    EXPECT_EQ(xml(parameter("city", "12") + parameter("note", "null")), R"({"city": "12", "note": null})");
    EXPECT_EQ(xml(parameter("city", "x") + parameter("note", "nulls")), R"({"city": "x", "note": "nulls"})");
    EXPECT_EQ(xml(parameter("city", "x") + parameter("note", "123456")), "refused");
    EXPECT_EQ(xml(parameter("city", "x") + parameter("unit", "celsius") + parameter("alerts", "true") +
                  parameter("tags", "[\"\\n</parameter>\"]")),
              R"({"city": "x", "unit": "celsius", "alerts": true, "tags": ["\n</parameter>"]})");
    EXPECT_EQ(xml(parameter("city", "x") + parameter("unit", "kelvin")), "refused");
}

TEST(ToolGrammar, LengthsOfPlainTextHold) {
    for (uint32_t least = 0; least < 5; ++least) {
        for (uint32_t most = least; most < 7; ++most) {
            const auto tools = tools_of(base::concat(
                R"([{"type":"function","function":{"name":"f","parameters":{"type":"object","required":["a"],)",
                R"("properties":{"a":{"type":"string","minLength":)", least, R"(,"maxLength":)", most, "}}}}}]"));
            const AnswerShape shape{
                .tools = tools, .choice = {.kind = ToolChoice::Kind::Required}, .syntax = &chat::kQwenXmlCalls};
            Automaton automaton = automaton_of(shape);
            const std::string begin = "<tool_call>\n<function=f>\n<parameter=a>\n";
            const std::string end = "\n</parameter>";
            const std::vector<std::string> texts = {"xxxxxxxxx", "\n\n\n\n\n\n\n\n", end.substr(0, 8),
                                                    "a\n" + end.substr(0, 3), "\xC3\xA9\n<\xC3\xA9/\n</"};
            for (const std::string& text : texts) {
                std::string value;
                uint32_t n = 0;
                for (size_t at = 0; at <= text.size(); ++n) {
                    const bool fits = least <= n && n <= most;
                    const auto state = test::behind(automaton, begin + value + end);
                    EXPECT_EQ(state != Automaton::kDead, fits) << least << ".." << most << " \"" << value << '"';
                    if (at == text.size()) break;
                    const size_t length = base::next_utf8(std::string_view(text).substr(at)).length;
                    value += text.substr(at, length);
                    at += length;
                }
            }
        }
    }
}

// --- Errors ----------------------------------------------------------------------------------------------------------

TEST(ToolGrammar, UnsupportedKeywordsAloneAreLeftOutUnlessStrict) {
    const std::string_view schema =
        R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"object","properties":{"c":{"not":{}}}}},)"
        R"("required":["a","b"]})";
    for (const CallSyntax* syntax :
         {&chat::kMistralCalls, &chat::kLfm2Calls, &chat::kQwenXmlCalls, &chat::kGemma4Calls}) {
        SCOPED_TRACE(syntax->name);
        auto tools = tools_of(with_parameters(schema));
        AnswerShape shape{.tools = tools, .choice = {.kind = ToolChoice::Kind::Required}, .syntax = syntax};
        const auto grammar = compile_answer_grammar(shape);
        ASSERT_TRUE(grammar);
        EXPECT_EQ(grammar->unconstrained,
                  (std::vector<std::string>{"tools[0].function.parameters: at "
                                            "\"#/properties/b/properties/c\": \"not\" is not supported; "
                                            "it is not enforced"}));
        tools = tools_of(with_parameters(schema, true));
        shape.tools = tools;
        EXPECT_EQ(shape_error(shape),
                  "tools[0].function.parameters: at \"#/properties/b/properties/c\": \"not\" is not supported");
        // The properties of a root that has such a keyword stay what they are.
        tools = tools_of(with_parameters(R"({"type":"object","properties":{"a":{"type":"integer"}},"not":{}})"));
        shape.tools = tools;
        const auto free = compile_answer_grammar(shape);
        ASSERT_TRUE(free);
        EXPECT_EQ(free->unconstrained.size(), 1u);
    }
    const auto tools = tools_of(with_parameters(schema));
    const AnswerShape shape{
        .tools = tools, .choice = {.kind = ToolChoice::Kind::Required}, .syntax = &chat::kMistralCalls};
    EXPECT_TRUE(accepts(shape, R"([TOOL_CALLS]f[ARGS]{"a":1,"b":{"c":[{"x":null}]}})"));
    EXPECT_FALSE(begins(shape, R"([TOOL_CALLS]f[ARGS]{"a":1,"b":["c"])"));
}

TEST(ToolGrammar, ArgumentsAreAnObjectWhateverTheSchemaSays) {
    const auto tools = tools_of(
        with_parameters(R"({"anyOf":[{"type":"string"},{"properties":{"a":{"type":"integer"}},"required":["a"]}]})"));
    const AnswerShape shape{
        .tools = tools, .choice = {.kind = ToolChoice::Kind::Required}, .syntax = &chat::kMistralCalls};
    EXPECT_TRUE(accepts(shape, R"([TOOL_CALLS]f[ARGS]{"a":1})"));
    EXPECT_FALSE(begins(shape, R"([TOOL_CALLS]f[ARGS]")"));
}

TEST(ToolGrammar, SchemasThatFitNothingAreNamed) {
    for (const CallSyntax* syntax : chat::call_syntaxes()) {
        SCOPED_TRACE(syntax->name);
        for (const auto kind : {ToolChoice::Kind::Auto, ToolChoice::Kind::Required}) {
            for (
                const char* schema :
                {R"({"type":"object","properties":{"a":{"type":"integer","minimum":5,"maximum":1}},"required":["a"]})",
                 R"({"type":"object","properties":{"a":{"$ref":"#/properties/a"}},"required":["a"]})",
                 R"({"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"]})",
                 R"({"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"required":["a"],"$defs":{"x":{"anyOf":[{"$ref":"#/$defs/x"}]}}})"}) {
                const auto tools = tools_of(with_parameters(schema));
                AnswerShape shape{.tools = tools, .choice = {.kind = kind}, .syntax = syntax};
                const std::string error = shape_error(shape);
                EXPECT_EQ(error.rfind("tools[0].function.parameters: ", 0), 0u) << schema << error;
            }
        }
    }
    const auto tools = tools_of(kWeather);
    AnswerShape shape{
        .tools = tools, .choice = {.kind = ToolChoice::Kind::Named, .name = "got"}, .syntax = &chat::kHermesCalls};
    EXPECT_EQ(shape_error(shape), "tool_choice: \"got\" is none of the tools");
    shape = {.choice = {.kind = ToolChoice::Kind::Required}, .syntax = &chat::kHermesCalls};
    EXPECT_EQ(shape_error(shape), "tool_choice: it requires a call, but there are no tools");
}

TEST(ToolGrammar, OneOddToolIsUnconstrainedAndNoOther) {
    const std::string odd = R"({"type":"object","properties":{"a":{"type":"integer","minimum":2,"maximum":1}},)"
                            R"("required":["a"]})";
    const auto list = [&](bool strict) {
        return tools_of(base::concat(R"([{"name":"plain","parameters":{"properties":{"n":{"type":"integer"}},)",
                                     R"("required":["n"]}},{"name":"odd","strict":)", strict ? "true" : "false",
                                     R"(,"parameters":)", odd, "}]"));
    };
    for (const CallSyntax* syntax : chat::call_syntaxes()) {
        SCOPED_TRACE(syntax->name);
        auto tools = list(false);
        const AnswerShape shape{.tools = tools, .choice = {.kind = ToolChoice::Kind::Required}, .syntax = syntax};
        EXPECT_NE(shape_error(shape), "accepted");
        EXPECT_TRUE(unconstrain_tools(tools, *syntax));
        const auto grammar = compile_answer_grammar(shape);
        ASSERT_TRUE(grammar) << grammar.error().message;
        ASSERT_EQ(grammar->unconstrained.size(), 1u);
        EXPECT_EQ(grammar->unconstrained[0].rfind(R"(tools[1].function.parameters: at "#/properties/a": )", 0), 0u)
            << grammar->unconstrained[0];
        EXPECT_FALSE(unconstrain_tools(tools, *syntax)) << "nothing is left to do";
        EXPECT_EQ(tools[0].fault, "");
        auto strict = list(true);
        EXPECT_FALSE(unconstrain_tools(strict, *syntax));
    }
}

TEST(ToolGrammar, AThousandToolsCompileSoon) {
    std::string json = "[";
    for (size_t i = 0; i < 1000; ++i) {
        json += base::concat(i == 0 ? "" : ",", R"({"type":"function","function":{"name":"server__group)", i / 50,
                             "__tool_", i, R"(","parameters":{"type":"object","properties":{"path)", i,
                             R"(":{"type":"string"},"limit":{"type":"integer"},"ratio":{"type":"number"},)"
                             R"("mode":{"enum":["fast","slow"]}},"required":["limit"]}}})");
    }
    const auto tools = tools_of(json + "]");
    for (const CallSyntax* syntax : chat::call_syntaxes()) {
        const AnswerShape shape{.thinking = chat::kThinkTags, .tools = tools, .syntax = syntax};
        const test::ProcessorTime time;
        const auto grammar = compile_answer_grammar(shape);
        const double seconds = time.seconds();
        EXPECT_TRUE(grammar) << syntax->name << grammar.error().message;
        EXPECT_LT(seconds, 2) << syntax->name;
    }
}

}  // namespace
}  // namespace llmd::constraint
