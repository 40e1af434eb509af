// Each keyword by texts that fit it and texts that do not; what is refused, and how it is named; and schemas made to
// take for ever.
#include "constraint/json_schema.h"

#include <gtest/gtest.h>

#include <simdjson.h>

#include <random>

#include "schema_matching.h"

namespace llmd::constraint {
namespace {

using test::begins;
using test::check;
using test::matches;
using test::refusal;

TEST(JsonSchema, Types) {
    check({R"({"type":"null"})", {"null"}, {"", "nul", "nulls", "true", " null"}});
    check({R"({"type":"boolean"})", {"true", "false"}, {"null", "True", "1"}});
    check({R"({"type":"integer"})",
           {"0", "-7", "999999999999999"},
           {"-0", "01", "+1", "1.0", "1e3", "-", "1000000000000000"}});
    check({R"({"type":"number"})", {"0", "-0.5", "1e3", "12.25E-07"}, {".5", "5.", "1e", "1e100", "--1", "00", "NaN"}});
    check({R"({"type":["string","null"]})", {R"("a")", "null"}, {"1", "[]"}});
    check({R"({"type":"array"})", {"[]", R"([1,"a",[{}]])", "[1, 2]"}, {"[1,]", "[ ]", "[1,  2]", "[,1]"}});
    check({R"({"type":"object"})", {"{}", R"({"a":[],"a": 1})"}, {R"({"a"})", R"({"a":})", R"({a:1})", R"({ })"}});
    for (const char* any : {"true", "{}", R"({"description":"x","default":3})"}) {
        check({any, {"null", "-1.5", R"("x")", R"([{"a":null}])"}, {"nul", "'x'", "[1 ,2]", "{} "}});
    }
}

TEST(JsonSchema, StringsAreJsonAndUtf8) {
    check(
        {R"({"type":"string"})",
         {R"("")", "\"\xC3\xA9\xF0\x9F\x98\x80\"", R"("\"\\\/\b\f\n\r\t")", R"("\u00e9\uD83D\uDE00\uFFFF")"},
         {"\"", "\"a", "\"\n\"", "\"\x01\"", R"("\x")", R"("\u12")", R"("\uD83D")", R"("\uDE00")", R"("\uD83D\u0041")",
          R"("\u0000")", "\"\xFF\"", "\"\xC3\"", "\"\xC0\xAF\"", "\"\xED\xA0\x80\"", "\"\xF4\x90\x80\x80\""}});
}

TEST(JsonSchema, LengthsAreCountedInCharacters) {
    check({R"({"minLength":2,"maxLength":3})",
           {R"("ab")", "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"", R"("\uD83D\uDE00\n")"},
           {R"("")", R"("a")", R"("abcd")", "\"\xC3\xA9\"", "7"}});
    check({R"({"type":"string","maxLength":0})", {R"("")"}, {R"("a")"}});
    check({R"({"type":"string","minLength":3})", {R"("abc")", R"("abcdefgh")"}, {R"("ab")"}});
    EXPECT_FALSE(begins(R"({"type":"string","maxLength":1})", "\"a\xC3")) << "no character is begun that has no room";
    EXPECT_NE(refusal(R"({"type":"string","minLength":3,"maxLength":2})"), "accepted");
}

TEST(JsonSchema, IntegersInARange) {
    std::mt19937 random(1);
    const auto draw = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(2 * most + 1)) - most; };
    for (int i = 0; i < 60; ++i) {
        const int most = i < 30 ? 30 : 5000;
        const int low = draw(most);
        const int high = low + static_cast<int>(random() % static_cast<unsigned>(most));
        auto automaton = test::automaton_of(
            base::concat(R"({"type":"integer","minimum":)", low, R"(,"exclusiveMaximum":)", high + 1, "}"));
        for (int n = -most - 5; n <= 2 * most + 5; ++n) {
            const auto state = test::behind(automaton, std::to_string(n));
            EXPECT_EQ(state != Automaton::kDead && automaton.is_complete(state), low <= n && n <= high)
                << n << " from " << low << " to " << high;
        }
    }
    check({R"({"type":"integer","minimum":0.5,"exclusiveMaximum":2.5})", {"1", "2"}, {"0", "3"}});
    check({R"({"type":"integer","exclusiveMinimum":1.0,"maximum":3})", {"2", "3"}, {"1", "4"}});
    check({R"({"type":"integer","minimum":-9223372036854775808})", {"-999999999999999", "5"}, {"-1000000000000000"}});
    check({R"({"type":"integer","minimum":1e17})",
           {"100000000000000000", "999999999999999999"},
           {"5", "99999999999999999"}});
    EXPECT_NE(refusal(R"({"type":"integer","minimum":1e18})"), "accepted");
    EXPECT_NE(refusal(R"({"type":"integer","minimum":3,"maximum":2})"), "accepted");
}

TEST(JsonSchema, EnumAndConst) {
    check({R"({"enum":["red","red wine",1,2.5,null,true,{"a":[1,"x"]}]})",
           {R"("red")", R"("red wine")", "1", "2.5", "null", "true", R"({"a":[1,"x"]})"},
           {R"("re")", R"("Red")", "false", "{}"}});
    check({R"({"type":"string","enum":["a",1,"\u00e9\n\""]})", {R"("a")", "\"\xC3\xA9\\n\\\"\""}, {"1"}});
    check({R"({"const":"only"})", {R"("only")"}, {R"("on")"}});
    EXPECT_NE(refusal(R"({"enum":[]})"), "accepted");
    EXPECT_NE(refusal(R"({"type":"integer","enum":["a"]})"), "accepted");
}

TEST(JsonSchema, PropertiesComeInTheirOrder) {
    check({R"({"properties":{"a":{"const":1},"b":{"const":2},"c":{"const":3}},"required":["b"]})",
           {R"({"b":2})", R"({"a":1,"b":2,"c":3})", R"({"a": 1, "b": 2})", R"({"b":2,"c":3})"},
           {"{}", R"({"a":1})", R"({"b":2,"a":1})", R"({"b":2,"b":2})", R"({"b":2,"d":4})", R"({"b":2,})",
            R"({,"b":2})"}});
    check({R"({"properties":{"a":true},"additionalProperties":false})", {"{}", R"({"a":[1]})"}, {R"({"b":1})"}});
    check({R"({"properties":{"a":false}})", {"{}"}, {R"({"a":1})"}});
    check({R"({"properties":{"odd \"\n\u00e9":{"const":1}}})", {"{\"odd \\\"\\n\xC3\xA9\":1}"}, {"{\"odd\":1}"}});
    check({R"({"required":["z"]})", {R"({"z":1})", R"({"z":[],"y":2})"}, {"{}", R"({"y":2})"}});
    EXPECT_NE(refusal(R"({"properties":{},"required":["z"],"additionalProperties":false})"), "accepted");
}

TEST(JsonSchema, AdditionalPropertiesNeverTakeAPropertysName) {
    const char* schema = R"({"properties":{"na":{"const":1},"name":{"const":2},"\u00e9":{"const":3}},
                             "additionalProperties":{"type":"boolean"}})";
    check({schema,
           {R"({"n":true})", R"({"nam":true})", R"({"names":true})", R"({"na":1,"name":2,"x":true,"y":false})",
            "{\"x\xC3\xA9\":true}", R"({"x\u0061":true})", R"({"":true})"},
           {R"({"na":true})", R"({"name":true})", R"({"n\u0061me":true})", R"({"\u006eame":true})",
            "{\"\xC3\xA9\":true}", R"({"x":1})", R"({"x":true,"na":1})"}});
    check({R"({"type":"object","additionalProperties":{"type":"integer"}})",
           {"{}", R"({"a":1,"b":2})"},
           {R"({"a":"b"})"}});
}

TEST(JsonSchema, Arrays) {
    check({R"({"items":{"type":"integer"},"minItems":1,"maxItems":3})",
           {"[1]", "[1,2, 3]"},
           {"[]", "[1,2,3,4]", "[null]"}});
    check({R"({"type":"array","items":{"const":1},"minItems":2})", {"[1,1]", "[1,1,1]"}, {"[1]"}});
    check({R"({"type":"array","maxItems":0})", {"[]"}, {"[1]"}});
    check({R"({"type":"array","items":false})", {"[]"}, {"[1]"}});
    check({R"({"prefixItems":[{"const":1},{"const":2}]})", {"[]", "[1]", "[1,2]"}, {"[2]", "[1,2,3]"}});
    check({R"({"prefixItems":[{"const":1},{"const":2}],"items":{"const":3},"minItems":3,"maxItems":4})",
           {"[1,2,3]", "[1,2,3,3]"},
           {"[1,2]", "[1,2,3,3,3]", "[1,2,4]"}});
    EXPECT_NE(refusal(R"({"type":"array","items":false,"minItems":1})"), "accepted");
    EXPECT_NE(refusal(R"({"prefixItems":[true],"items":false,"minItems":2})"), "accepted");
}

// As zod-to-json-schema writes a tuple, and a tuple with a rest.
TEST(JsonSchema, TuplesOfDraft7) {
    check({R"({"type":"array","minItems":2,"maxItems":2,"items":[{"const":1},{"type":"null"}]})",
           {"[1,null]"},
           {"[1]", "[null,1]", "[1,null,1]"}});
    check({R"({"items":[{"const":1}],"additionalItems":{"const":2},"minItems":1,"maxItems":3})",
           {"[1]", "[1,2,2]"},
           {"[]", "[2]", "[1,1]", "[1,2,2,2]"}});
    check({R"({"items":{"const":1},"additionalItems":false})", {"[]", "[1,1]"}, {"[2]"}});
}

TEST(JsonSchema, Alternatives) {
    check({R"({"anyOf":[{"type":"string"},{"type":"array","items":{"type":"null"}}]})",
           {R"("a")", "[null]"},
           {"[1]", "1"}});
    check({R"({"oneOf":[{"type":"string"},{"type":"integer"}]})", {R"("a")", "1"}, {"null"}});
    check({R"({"oneOf":[{"const":"a"},{"enum":["b","c"]}]})", {R"("a")", R"("c")"}, {R"("d")"}});
    check({R"({"$defs":{"c":{"type":"object","properties":{"k":{"const":"c"},"r":{"type":"integer"}},"required":["k"]}},
               "oneOf":[{"$ref":"#/$defs/c"},
                        {"type":"object","properties":{"k":{"const":"s"}},"required":["k"]}]})",
           {R"({"k":"c","r":1})", R"({"k":"s"})"},
           {R"({"k":"s","r":1})"}});
    for (const char* both : {R"({"type":"number"},{"type":"integer"})", R"({"const":1},{"const":1.0})",
                             R"({"type":"string"},{"minLength":2})", R"({"enum":["a","b"]},{"enum":["b"]})",
                             R"({"properties":{"k":{"const":1}}},{"properties":{"k":{"const":2}}})"}) {
        EXPECT_NE(refusal(base::concat(R"({"oneOf":[)", both, "]}")).find("oneOf"), std::string::npos) << both;
    }
}

TEST(JsonSchema, ReferencesAndRecursion) {
    const char* tree = R"({"$defs":{"t":{"type":"object","properties":{"v":{"type":"integer"},
                           "c":{"type":"array","items":{"$ref":"#/$defs/t"}}},"required":["v"]}},"$ref":"#/$defs/t"})";
    check({tree, {R"({"v":1})", R"({"v":1,"c":[{"v":2,"c":[]},{"v":3}]})"}, {"{}", R"({"v":1,"c":[{}]})"}});
    check(
        {R"({"properties":{"a":{"type":"integer"},"b/c~":{"$ref":"#/properties/a"},"d":{"$ref":"#/properties/b~1c~0"}}})",
         {R"({"b/c~":1,"d":2})"},
         {R"({"d":"x"})"}});
    check({R"({"type":"array","items":{"$ref":"#"}})", {"[]", "[[],[[]]]"}, {"[1]"}});
    // A value that cannot be closed within the depth is not opened.
    std::string open;
    while (begins(R"({"type":"array","items":{"$ref":"#"}})", open + "[")) open += '[';
    EXPECT_GT(open.size(), 30u);
    EXPECT_LE(open.size(), kMaxDepth + 1u);
    EXPECT_TRUE(matches(R"({"type":"array","items":{"$ref":"#"}})", open + std::string(open.size(), ']')));
}

TEST(JsonSchema, RefusesWhatItCannotHonourAndNamesItsPlace) {
    const std::vector<std::pair<const char*, const char*>> cases = {
        {R"({"properties":{"a/b":{"not":{}}}})", R"(json_schema: at "#/properties/a~1b": "not" is not supported)"},
        {R"({"anyOf":[true,{"items":{"allOf":[]}}]})",
         R"(json_schema: at "#/anyOf/1/items": allOf: [] is not an array of 1 to 64 schemas)"},
        {R"({"$defs":{"x":{"if":{}}},"$ref":"#/$defs/x"})", R"(json_schema: at "#/$defs/x": "if" is not supported)"},
        {R"({"properties":{"a\u0000\n":{"not":{}}}})",
         R"(json_schema: at "#/properties/a\u0000\n": "not" is not supported)"},
        {R"({"dependentSchemas":{}})", R"(json_schema: at "#": "dependentSchemas" is not supported)"},
        {R"({"patternProperties":[]})", R"(json_schema: at "#": patternProperties: [] is not an object)"},
        {R"({"maxLenght":2})", R"(json_schema: at "#": "maxLenght" is not supported)"},
        {R"({"items":{"$id":"x"}})", R"(json_schema: at "#/items": "$id" is not supported)"},
        {R"({"minLength":-1})", R"(json_schema: at "#": minLength: -1 is not a whole number of 0 or more)"},
        {R"({"minItems":1.5})", R"(json_schema: at "#": minItems: 1.5 is not a whole number of 0 or more)"},
        {R"({"minItems":9999999})", R"(json_schema: at "#": minItems: 9999999 is more than 1048576)"},
        {R"({"type":"int"})", R"(json_schema: at "#": type: "int" is not the name of a JSON type or an array of some)"},
        {R"({"type":"string","type":"null"})", R"(json_schema: at "#": type comes twice)"},
        {R"({"properties":{"a":true,"a":{}}})", R"(json_schema: at "#/properties": "a" comes twice)"},
        {R"({"properties":[]})", R"(json_schema: at "#": properties: [] is not an object)"},
        {R"({"required":"a"})", R"(json_schema: at "#": required: "a" is not an array of strings)"},
        {R"({"required":["a",5]})", R"(json_schema: at "#": required: ["a",5] is not an array of strings)"},
        {R"({"anyOf":[]})", R"(json_schema: at "#": anyOf: [] is not an array of 1 to 64 schemas)"},
        {R"({"items":3})", R"(json_schema: at "#": items: 3 is not a schema)"},
        {R"({"items":[3]})", R"(json_schema: at "#/items/0": 3 is not a schema)"},
        {R"({"items":[{}],"additionalItems":3})", R"(json_schema: at "#": additionalItems: 3 is not a schema)"},
        {R"({"format":3})", R"(json_schema: at "#": format: 3 is not a string)"},
        {R"({"nullable":1})", R"(json_schema: at "#": nullable: 1 is not true or false)"},
        {R"({"enum":["a"],"minLength":1})", R"(json_schema: at "#": enum beside minLength is not supported)"},
        {R"({"$ref":"other.json"})", R"(json_schema: at "#": $ref: "other.json" names nothing in this schema)"},
        {R"({"$ref":"#/nowhere"})", R"(json_schema: at "#": $ref: "#/nowhere" names nothing in this schema)"},
        {"3", R"(json_schema: at "#": 3 is not a schema)"},
        {"false", "json_schema: no JSON text fits it that nests less than 64 deep"},
        {R"({"$ref":"#"})", "json_schema: a $ref leads back to itself with nothing in between"},
        {R"({"anyOf":[{"type":"null"},{"$ref":"#"}]})",
         "json_schema: a $ref leads back to itself with nothing in between"},
        {R"({"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"]})",
         "json_schema: no JSON text fits it that nests less than 64 deep"},
    };
    for (const auto& [schema, message] : cases) EXPECT_EQ(refusal(schema), message) << schema;
    EXPECT_LT(refusal(base::concat(R"({"properties":{")", std::string(50000, 'k'), R"(":{"not":{}}}})")).size(), 300u);
    for (const char* text : {"", "{", "nope", "{\"a\":\"\xFF\"}", R"({} {})", R"({"minimum":1e999})"}) {
        EXPECT_EQ(refusal(text).rfind("json_schema: it is not JSON that nests at most 64 deep: ", 0), 0u) << text;
    }
}

std::string repeated(std::string_view text, size_t n) {
    std::string all;
    for (size_t i = 0; i < n; ++i) all += text;
    return all;
}

TEST(JsonSchema, BombsAreRefusedOrHarmless) {
    EXPECT_NE(refusal(repeated(R"({"items":)", 5000)), "accepted");
    EXPECT_NE(refusal(repeated(R"({"items":)", 70) + "true" + repeated("}", 70)), "accepted");
    EXPECT_NE(refusal("[" + std::string(kMaxSchemaBytes, ' ') + "]"), "accepted");
    std::string words = R"({"enum":["")";
    for (int i = 0; i < 5000; ++i) words += base::concat(",\"", i, "\"");
    EXPECT_NE(refusal(words + "]}"), "accepted");
    std::string properties = R"({"properties":{"":true)";
    for (int i = 0; i < 300; ++i) properties += base::concat(",\"", i, "\":true");
    EXPECT_NE(refusal(properties + "}}"), "accepted");
    // 64 KiB of integer ranges, and of references in a chain whose rules come in the worst order.
    std::string ranges = R"({"prefixItems":[true)";
    while (ranges.size() < kMaxSchemaBytes - 100) {
        ranges += R"(,{"type":"integer","minimum":-123456789012345678,"maximum":876543210987654321})";
    }
    (void)refusal(ranges + "]}");
    std::string chain = R"({"$ref":"#/$defs/0","$defs":{)";
    int n = 0;
    for (; chain.size() < kMaxSchemaBytes - 200; ++n) {
        chain += base::concat('"', n, R"(":{"items":{"$ref":"#/$defs/)", n + 1, R"("}},)");
    }
    EXPECT_EQ(refusal(base::concat(chain, '"', n, R"(":{"type":"null"}}})")), "accepted") << "arrays may be empty";
}

// As a tool call needs it: the schemas of several tools within one grammar of its own words.
TEST(JsonSchema, SchemasAreRulesOfALargerGrammar) {
    simdjson::dom::parser parser;
    GrammarBuilder b;
    std::vector<NodeId> tools;
    for (const auto& [name, schema] : {std::pair<const char*, const char*>{"one ", R"({"type":"integer","maximum":5})"},
                                       {"tree ", R"({"type":"array","items":{"$ref":"#"}})"}}) {
        simdjson::dom::element parsed;
        ASSERT_EQ(parser.parse(std::string_view(schema)).get(parsed), simdjson::SUCCESS);
        const auto rule = add_json_schema(b, parsed, "tools[0].parameters");
        ASSERT_TRUE(rule) << rule.error().message;
        tools.push_back(b.literal(name, b.call(*rule, b.literal("</tool>", b.end()))));
    }
    auto grammar = b.finish(b.rule(b.choice(tools)));
    ASSERT_TRUE(grammar) << grammar.error().message;
    Automaton automaton(std::make_shared<const Grammar>(std::move(*grammar)));
    for (const char* text : {"one 5</tool>", "one -12</tool>", "tree [[], [[]]]</tool>"}) {
        EXPECT_TRUE(automaton.is_complete(test::behind(automaton, text))) << text;
    }
    for (const char* text : {"one 6", "one []", "tree 5", "tree []]"}) {
        EXPECT_EQ(test::behind(automaton, text), Automaton::kDead) << text;
    }
}

TEST(JsonSchema, ErrorsBeginWithTheField) {
    simdjson::dom::parser parser;
    const std::vector<std::pair<std::string, const char*>> cases = {
        {R"({"properties":{"a":{"not":{}}}})", R"(tools[2]: at "#/properties/a": "not" is not supported)"},
        {"false", "tools[2]: no JSON text fits it that nests less than 64 deep"},
        {R"({"$ref":"#"})", "tools[2]: a $ref leads back to itself with nothing in between"},
        {repeated(R"({"items":)", 65) + "{}" + std::string(65, '}'), "tools[2]: it nests more than 64 deep"},
    };
    for (const auto& [schema, message] : cases) {
        GrammarBuilder b;
        ASSERT_TRUE(add_json_schema(b, parser.parse(std::string_view("true")), "before"));
        simdjson::dom::element parsed;
        ASSERT_EQ(parser.parse(schema).get(parsed), simdjson::SUCCESS);
        const auto rule = add_json_schema(b, parsed, "tools[2]");
        ASSERT_FALSE(rule) << schema;
        EXPECT_EQ(rule.error().message, message);
    }
}

// Each bracket has two parses, so there are 2^depth in all.
TEST(JsonSchema, AmbiguityIsBounded) {
    const char* schema = R"({"$defs":{"a":{"anyOf":[{"type":"array","items":{"$ref":"#/$defs/a"}},
        {"type":"array","items":{"$ref":"#/$defs/a"},"minItems":1},{"const":1}]}},"$ref":"#/$defs/a"})";
    auto automaton = test::automaton_of(schema);
    std::string text;
    for (int i = 0; i < 20; ++i) text += "[";
    text += "1" + std::string(20, ']');
    const auto state = test::behind(automaton, text);
    ASSERT_NE(state, Automaton::kDead);
    EXPECT_TRUE(automaton.is_final(state));
}

// Random walks through schemas: whatever comes out is what simdjson reads, and no walk is stuck before its end.
TEST(JsonSchema, EveryWalkEndsInJson) {
    std::mt19937 random(7);
    for (const char* schema :
         {"true",
          R"({"type":"object","properties":{"a":{"type":"number"},"b":{"type":"string","minLength":1,"maxLength":3},
              "c":{"$ref":"#"}},"required":["b"],"additionalProperties":{"anyOf":[{"type":"null"},{"$ref":"#"}]}})",
          R"({"type":"object","additionalProperties":{"pattern":"^[^a]{2}|\\d$","maxLength":6},"minProperties":1})",
          R"({"type":"array","items":{"enum":[1,2,"a"]},"uniqueItems":true,"minItems":2})",
          R"({"allOf":[{"type":"number","multipleOf":0.25},{"exclusiveMinimum":-3.5,"maximum":1e4}]})"}) {
        auto automaton = test::automaton_of(schema);
        for (int walk = 0; walk < 60; ++walk) {
            std::string text;
            auto state = automaton.start();
            while (!automaton.is_final(state) && text.size() < 4000) {
                std::string next;
                for (int byte = 0; byte < 256; ++byte) {
                    if (automaton.is_full()) automaton.compact(std::span(&state, 1));
                    if (automaton.advance(state, static_cast<uint8_t>(byte)) != Automaton::kDead) {
                        next += static_cast<char>(byte);
                        if (byte == '"' || byte == '}' || byte == ']') next += std::string(40, static_cast<char>(byte));
                    }
                }
                ASSERT_FALSE(next.empty()) << text;
                text += next[random() % next.size()];
                if (automaton.is_full()) automaton.compact(std::span(&state, 1));
                state = automaton.advance(state, static_cast<uint8_t>(text.back()));
            }
            if (!automaton.is_complete(state)) continue;
            simdjson::dom::parser parser;
            EXPECT_EQ(parser.parse(text).error(), simdjson::SUCCESS) << text;
        }
    }
}

}  // namespace
}  // namespace llmd::constraint
