// Lists of tools: which are refused, and why; and the schemas of several of them as rules of one grammar.
#include "engine/generation/constraint/tool_list.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "answer_shapes.h"
#include "constraint/json_schema.h"
#include "support/processor_time.h"

namespace llmd::constraint {
namespace {

using test::list_error;
using test::with_parameters;

TEST(ToolList, NamesTheFieldThatIsWrong) {
    const auto named = [](std::string_view name) {
        return base::concat(R"([{"type":"function","function":{"name":"ok"}},{"type":"function","function":{"name":)",
                            name, "}}]");
    };
    EXPECT_EQ(list_error(named("\"a.b-c_d:e/9\"")), "accepted");
    EXPECT_EQ(list_error(named("\"ok\"")), "tools[1].function.name: \"ok\" comes twice; the tool is left out");
    for (const char* name : {"\"\"", "\"a b\"", "\"<tool_call>\"", "\"a\\\"b\"", "\"\xC3\xA9\""}) {
        EXPECT_EQ(list_error(named(name)).rfind("tools[1].function.name: ", 0), 0u) << name;
    }
    EXPECT_EQ(list_error(named('"' + std::string(chat::kMaxToolName, 'x') + '"')), "accepted");
    EXPECT_NE(list_error(named('"' + std::string(chat::kMaxToolName + 1, 'x') + '"')), "accepted");
    EXPECT_EQ(list_error(named("7")), "tools[1].function.name: 7 is not a string; the tool is left out");
    EXPECT_EQ(list_error("[{\"type\":\"function\",\"function\":{}}]"), "tools[0].function.name is missing");
    EXPECT_EQ(list_error("[{\"type\":\"function\"}]"), "tools[0].function is missing");
    EXPECT_EQ(list_error("[{\"type\":\"web_search\"}]"), "tools[0].type: \"web_search\" is not \"function\"");
    EXPECT_EQ(list_error("[7]"), "tools[0]: 7 is not an object");
    EXPECT_EQ(list_error("[{\"name\":\"n\",\"strict\":\"yes\"}]"), "tools[0].strict: \"yes\" is not true or false");
    EXPECT_LT(list_error(with_parameters("\"" + std::string(300, 'x') + "\"")).size(), 300u) << "it is truncated";
    EXPECT_EQ(list_error("{}"), "tools: it is not an array");
    EXPECT_EQ(list_error("[").rfind("tools: ", 0), 0u);
    EXPECT_EQ(list_error("[{\"type\":\"function\",\"name\":\"flat\",\"parameters\":null}]"), "accepted");
    EXPECT_EQ(list_error(with_parameters("[]")), "accepted") << "it is mended";
    EXPECT_EQ(list_error(with_parameters(R"({"properties":{"a":{},"a":{}}})", true)),
              "tools[0].function.parameters: at \"#/properties\": \"a\" comes twice");
    EXPECT_EQ(list_error(with_parameters("{\"type\":\"string\"}")), "accepted") << "it is mended";
    std::string wide = R"({"type":"object","properties":{)";
    for (int i = 0; i < 201; ++i) wide += base::concat(i == 0 ? "" : ",", "\"p", i, "\":{}");
    EXPECT_EQ(list_error(with_parameters(wide + "}}", true)),
              "tools[0].function.parameters: at \"#\": more than 200 properties");
    EXPECT_EQ(list_error(with_parameters(R"({"type":"object","title":")" + std::string(70'000, 'x') + "\"}", true)),
              "tools[0].function.parameters: 70028 bytes are more than 65536");
    std::string many = "[";
    for (size_t i = 0; i <= chat::kMaxTools; ++i) many += base::concat(i == 0 ? "" : ",", "{\"name\":\"t", i, "\"}");
    EXPECT_EQ(list_error(many + "]"), "tools: 1025 are more than 1024");
}

TEST(ToolList, WhatCannotBeOfferedIsLeftOutOfTheOthers) {
    const auto list = parse_tools(
        R"([null,7,{},{"type":"function","function":[]},{"name":"a","description":7},{"name":"b","x":1.50},{"name":""},)"
        R"({"name":"b"},{"type":7,"name":"c"},{"name":"d","strict":1},{"name":"e","parameters":{"type":"object",)"
        R"("properties":{"n":{"type":"integer","not":{}}}}}])");
    ASSERT_TRUE(list) << list.error().message;
    ASSERT_EQ(list->tools.size(), 2u);
    EXPECT_EQ(list->tools[0].name, "b");
    EXPECT_EQ(list->tools[1].place, 10u);
    EXPECT_EQ(list->text, "[" + list->tools[0].definition + "," + list->tools[1].definition + "]");
    const std::vector<std::string> faults = {
        "tools[0]: null is not an object",
        "tools[1]: 7 is not an object",
        "tools[2].function is missing",
        "tools[3].function: [] is not an object",
        "tools[4].description: 7 is not a string",
        "tools[6].name: \"\" is not 1 to 128 letters, digits and _-.:/",
        "tools[7].function.name: \"b\" comes twice",
        "tools[8].type: 7 is not \"function\"",
        "tools[9].strict: 1 is not true or false",
    };
    ASSERT_EQ(list->left_out.size(), faults.size());
    for (size_t i = 0; i < faults.size(); ++i) EXPECT_EQ(list->left_out[i], faults[i] + "; the tool is left out");
    // The note of a schema names the place that its tool has in the request.
    const auto grammar = compile_answer_grammar({.tools = list->tools, .syntax = &chat::kHermesCalls});
    ASSERT_TRUE(grammar) << grammar.error().message;
    ASSERT_EQ(grammar->unconstrained.size(), 1u);
    EXPECT_TRUE(grammar->unconstrained[0].starts_with("tools[10].function.parameters: ")) << grammar->unconstrained[0];

    constexpr std::string_view kExact = R"([ {"name":"a","x":1.50} ])";
    EXPECT_EQ(parse_tools(kExact)->text, kExact) << "a list without faults is the template's as it came";
    EXPECT_EQ(list_error(R"([{"name":"a"},{"name":"","strict":true}])"),
              "tools[1].name: \"\" is not 1 to 128 letters, digits and _-.:/");
    EXPECT_EQ(list_error(R"([{"name":"a"},{"name":"a","strict":true}])"), "tools[1].function.name: \"a\" comes twice");
    EXPECT_EQ(list_error(R"([{"name":"a"},{"type":"web_search"}])"),
              "tools[1].type: \"web_search\" is not \"function\"");
}

TEST(ToolList, AToolThatIsNotStrictTakesAnyObjectInstead) {
    const auto read_tool = [](const std::string& parameters) {
        const auto tools = test::tools_of(with_parameters(parameters));
        EXPECT_EQ(tools.size(), 1u) << parameters;
        return tools.empty() ? chat::Tool() : tools.front();
    };
    std::string wide = R"({"type":"object","properties":{)";
    for (int i = 0; i < 201; ++i) wide += base::concat(i == 0 ? "" : ",", "\"p", i, "\":{\"type\":\"string\"}");
    const chat::Tool many = read_tool(wide + "}}");
    EXPECT_EQ(many.fault, "at \"#\": more than 200 properties; any object is taken");
    EXPECT_EQ(many.parameters, R"({"type":"object"})");
    ASSERT_EQ(many.properties.size(), 200u) << "for syntaxes that must name them";
    EXPECT_EQ(many.properties[7].name, "p7");
    EXPECT_EQ(many.properties[7].kind, chat::ValueKind::Json);
    EXPECT_EQ(read_tool(R"({"type":"object","title":")" + std::string(70'000, 'x') + "\"}").fault,
              "70028 bytes are more than 65536; any object is taken");
    EXPECT_EQ(read_tool("true").parameters, R"({"type":"object"})");
    EXPECT_EQ(read_tool("[]").parameters, "") << "it takes nothing";
}

TEST(ToolList, HostileSchemasAreRefusedOrCompiledSoon) {
    // Each property is one of many alternatives, each of which merges a schema of thousands of annotations; and
    // patterns whose automata are large.
    std::string wide = R"({"type":"string")";
    for (int i = 0; i < 4000; ++i) wide += base::concat(",\"x-", i, "\":1");
    wide += "}";
    std::string properties, patterns;
    for (int i = 0; i < 200; ++i) {
        properties += base::concat(i == 0 ? "" : ",", "\"p", i, R"(":{"$ref":"#/$defs/any"})");
        patterns += base::concat(i == 0 ? "" : ",", "\"p", i, R"(":{"type":"string","pattern":"(a|b)*a(a|b){1)", i % 10,
                                 "}c{", i, "}\"}");
    }
    std::string any;
    for (int i = 0; i < 60; ++i) any += base::concat(i == 0 ? "" : ",", R"({"$ref":"#/$defs/wide"})");
    std::string tools = "[";
    for (int i = 0; i < 10; ++i) {
        const std::string& schema = i % 2 == 0 ? properties : patterns;
        tools +=
            base::concat(i == 0 ? "" : ",", R"({"name":"t)", i, R"(","parameters":{"type":"object","properties":{)",
                         schema, R"(},"$defs":{"any":{"anyOf":[)", any, R"(]},"wide":)", wide, "}}}");
    }
    tools += "]";
    const test::ProcessorTime time;
    const auto parsed = parse_tools(tools);
    ASSERT_TRUE(parsed) << parsed.error().message;
    for (const chat::CallSyntax* syntax : {&chat::kHermesCalls, &chat::kQwenXmlCalls, &chat::kLfm2Calls}) {
        const auto compiled = compile_answer_grammar({.tools = parsed->tools, .syntax = syntax});
        if (!compiled) {
            EXPECT_EQ(compiled.error().message.rfind("tools", 0), 0u) << compiled.error().message;
        }
        EXPECT_LT(time.seconds(), 20) << syntax->name;
    }
}

TEST(SchemaRules, SchemasOfOneGrammarShareRulesAndLeaveOutWhatIsNotSupported) {
    simdjson::dom::parser parser;
    simdjson::dom::element schema;
    ASSERT_EQ(parser
                  .parse(std::string_view(
                      R"({"properties":{"a/b":{"type":"integer"},"n":{"type":["number","string"]},"r":{"$ref":"#"},
        "x":{"type":"object","properties":{"y":{"not":{}}},"required":["y"]}},"not":true})"))
                  .get(schema),
              simdjson::SUCCESS);
    GrammarBuilder b;
    SchemaRules rules(b);
    Unconstrained unconstrained;
    const auto rule_of = [&](std::string_view pointer) {
        const auto rule = rules.add(schema, pointer, "tools", &unconstrained);
        EXPECT_TRUE(rule) << rule.error().message;
        return rule ? *rule : 0;
    };
    const RuleId integer = rule_of("#/properties/a~1b");
    const RuleId number = rule_of("#/properties/n");
    NodeId n_nodes = b.n_nodes();
    rule_of("#/properties/a~1b");
    rule_of("#/properties/n");
    EXPECT_LT(b.n_nodes() - n_nodes, 10u);
    EXPECT_TRUE(unconstrained.notes.empty());
    const RuleId inner = rule_of("#/properties/x");
    EXPECT_EQ(unconstrained.notes,
              (std::vector<std::string>{
                  R"(tools: at "#/properties/x/properties/y": "not" is not supported; it is not enforced)"}));
    const RuleId root = rule_of("#/properties/r");
    EXPECT_EQ(unconstrained.notes.back(), R"(tools: at "#": "not" is not supported; it is not enforced)");
    for (const auto& [pointer, message] :
         {std::pair<const char*, const char*>{"#", R"(tools: at "#": "not" is not supported)"},
          {"#/properties/z", R"(tools: it has no "#/properties/z")"}}) {
        const auto refused = rules.add(schema, pointer, "tools", nullptr);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().message, message);
    }
    auto grammar =
        b.finish(b.rule(b.choice({b.byte('i', b.call(integer, b.end())), b.byte('n', b.call(number, b.end())),
                                  b.byte('x', b.call(inner, b.end())), b.byte('r', b.call(root, b.end()))})));
    ASSERT_TRUE(grammar) << grammar.error().message;
    Automaton automaton(std::make_shared<const Grammar>(std::move(*grammar)));
    for (const char* text : {"i12", "n1.5", "n\"a\"", R"(x{"y":[7]})", R"(r{"n":1,"x":{"y":[7]}})"}) {
        const auto state = test::behind(automaton, text);
        EXPECT_TRUE(state != Automaton::kDead && automaton.is_complete(state)) << text;
    }
    for (const char* text : {"i1.", "nt", "x[", R"(x{"z")", "r[", R"(r{"z")"}) {
        EXPECT_EQ(test::behind(automaton, text), Automaton::kDead) << text;
    }
}

}  // namespace
}  // namespace llmd::constraint
