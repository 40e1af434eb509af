// Keywords that are not supported: each alone is left out, with a note that names its place, and what stands beside it
// holds. A strict schema is refused instead, and an unknown format restricts nothing either way.
#include "constraint/unconstrained.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "schema_matching.h"

namespace llmd::constraint {
namespace {

struct LooseCase {
    const char* schema;
    std::vector<const char*> fitting;
    std::vector<const char*> others;
    std::vector<const char*> notes;  // what each says, between the field and "; it is not enforced"
};

base::Result<Grammar> strictly(std::string_view schema, Unconstrained& unconstrained) {
    unconstrained.is_strict = true;
    return compile_json_schema(schema, &unconstrained);
}

TEST(Unconstrained, AKeywordIsLeftOutAndWhatStandsBesideItHolds) {
    const std::vector<LooseCase> cases = {
        {R"({"type":"array","items":{"type":"string"},"uniqueItems":true,"maxItems":2})",
         {"[]", R"(["a","a"])"},
         {"[1]", R"(["a","b","c"])"},
         {R"(at "#": uniqueItems is supported if maxItems is at most 1 or the items are an enum, a const or booleans)"}},
        {R"({"type":"object","properties":{"a":{"type":"integer","not":{"const":3}}},"required":["a"]})",
         {R"({"a":3})"},
         {"{}", R"({"a":"x"})"},
         {R"(at "#/properties/a": "not" is not supported)"}},
        {R"({"type":"string","contentMediaType":"application/json","contentSchema":{"type":"integer"}})",
         {R"("x")"},
         {"1"},
         {R"(at "#": "contentSchema" is not supported)"}},
        {R"({"type":"integer","multipleOf":1024,"minimum":1,"maximum":3})",
         {"1", "3"},
         {"0", "4", "1.5"},
         {R"(at "#": multipleOf: 1024 is not supported: without its point it is at most 1000, and it has at most 15 )"
          "digits behind the point"}},
        {R"({"type":"string","pattern":"a(?<=b).","maxLength":2})",
         {R"("xy")"},
         {R"("xyz")", "1"},
         {R"(at "#": pattern: "a(?<=b)." at character 2: a look-behind is not supported)"}},
        {R"({"type":"string","pattern":"a(?<=b).","format":"date"})",
         {R"("2026-11-28")"},
         {R"("a")"},
         {R"(at "#": pattern: "a(?<=b)." at character 2: a look-behind is not supported)"}},
        {R"({"enum":["a","bc"],"minLength":2})",
         {R"("a")", R"("bc")"},
         {R"("x")"},
         {R"(at "#": enum beside minLength is not supported)"}},
        {R"({"oneOf":[{"type":"string","minLength":1},{"type":"string","maxLength":2},{"type":"null"}]})",
         {R"("abc")", R"("")", "null"},
         {"1"},
         {R"(at "#": oneOf: a text might fit both 0 and 1; anyOf allows that)"}},
        {R"({"type":"object","if":{},"then":{},"properties":{"a":{"const":1}}})",
         {R"({"a":1})"},
         {R"({"b":1})"},
         {R"(at "#": "if" is not supported)", R"(at "#": "then" is not supported)"}},
        {R"({"type":"object","additionalProperties":{"type":"integer"},"minProperties":3})",
         {R"({"a":1})", R"({"a":1,"b":2,"c":3})"},
         {"{}", R"({"a":"x"})"},
         {R"(at "#": minProperties: 3 is more than 1, which the properties that are named and one more can be)"}},
        {R"({"type":"string","minLength":9999999})",
         {R"("")"},
         {"1"},
         {R"(at "#": minLength: 9999999 is more than 1048576)"}},
        {R"({"type":"object","propertyNames":{"anyOf":[{"const":"a"}]},"additionalProperties":{"type":"null"}})",
         {R"({"b":null})"},
         {R"({"b":1})"},
         {R"(at "#": propertyNames with anyOf is not supported)"}},
        {R"({"type":"object","patternProperties":{"\\p{L}":{"type":"integer"}},"additionalProperties":false})",
         {"{}", R"({"x":1})"},
         {R"({"x":"a"})"},
         {R"(at "#": patternProperties: "\\p{L}" at character 1: a Unicode property is not supported)"}},
    };
    for (const LooseCase& one : cases) {
        auto [automaton, notes] = test::loose(one.schema);
        std::vector<std::string> expected;
        for (const char* note : one.notes) {
            expected.push_back(base::concat("json_schema: ", note, "; it is not enforced"));
        }
        EXPECT_EQ(notes, expected) << one.schema;
        for (const char* text : one.fitting) {
            EXPECT_TRUE(test::is_text_of(automaton, text)) << one.schema << " and " << text;
        }
        for (const char* text : one.others) {
            EXPECT_FALSE(test::is_text_of(automaton, text)) << one.schema << " and " << text;
        }
        Unconstrained unconstrained;
        const auto strict = strictly(one.schema, unconstrained);
        ASSERT_FALSE(strict) << one.schema;
        EXPECT_EQ(strict.error().message, base::concat("json_schema: ", one.notes.front()));
        EXPECT_TRUE(unconstrained.notes.empty());
    }
}

TEST(Unconstrained, AnUnknownFormatIsAnAnnotation) {
    const char* schema =
        R"({"properties":{"a":{"type":"string","format":"path"},"b":{"type":"string","format":"path"}}})";
    for (const bool is_strict : {false, true}) {
        Unconstrained unconstrained{.is_strict = is_strict};
        ASSERT_TRUE(compile_json_schema(schema, &unconstrained));
        ASSERT_EQ(unconstrained.notes.size(), 2u);
        EXPECT_EQ(unconstrained.notes[1],
                  "json_schema: at \"#/properties/b\": format: \"path\" is none of date, time, date-time (RFC 3339), "
                  "duration (ISO 8601), uuid, ipv4, ipv6, hostname, email, uri; it is not enforced");
    }
    test::check({R"({"type":"string","format":"binary","maxLength":1})", {R"("x")"}, {"1", R"("xy")"}});
    EXPECT_EQ(test::loose(R"({"type":"string","format":"base64","pattern":"^[a-z]*$"})").notes.size(), 0u)
        << "the pattern says what is meant";
}

TEST(Unconstrained, EachPlaceIsToldOnce) {
    const auto [automaton, notes] = test::loose(R"({"$defs":{"n":{"type":"string","pattern":"\\bx"}},"properties":{
        "a":{"$ref":"#/$defs/n"},"b":{"$ref":"#/$defs/n"},"c":{"type":"string","pattern":"\\bx"}}})");
    ASSERT_EQ(notes.size(), 2u);
    EXPECT_EQ(notes[0].rfind(R"(json_schema: at "#/properties/c": pattern: )", 0), 0u) << notes[0];
    EXPECT_EQ(notes[1].rfind(R"(json_schema: at "#/$defs/n": pattern: )", 0), 0u) << notes[1];
    // Equal strings share a rule, but not one that lacks a part.
    EXPECT_EQ(test::loose(R"({"properties":{"a":{"type":"string","format":"date","pattern":"\\bx"},
        "b":{"type":"string","format":"date","pattern":"\\bx"}}})")
                  .notes.size(),
              2u);
    std::string many = R"({"type":"object")";
    for (size_t i = 0; i < 3 * kMaxUnconstrained; ++i) many += base::concat(",\"k", i, "\":1");
    EXPECT_EQ(test::loose(many + "}").notes.size(), kMaxUnconstrained);
}

// A value that is too much to be merged or listed keeps its type alone.
TEST(Unconstrained, AValueThatIsNotSupportedAsAWholeKeepsItsType) {
    std::string wide = R"({"type":"array","items":{"type":"object","properties":{"":true)";
    for (int i = 0; i < 300; ++i) wide += base::concat(",\"", i, "\":true");
    auto [automaton, notes] = test::loose(wide + "}}}");
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_EQ(notes[0],
              R"(json_schema: at "#/items/properties": more than 200 properties; nothing beside it is enforced)");
    EXPECT_TRUE(test::is_text_of(automaton, R"([{"q":1}])"));
    EXPECT_FALSE(test::is_text_of(automaton, "[1]"));
}

TEST(Unconstrained, WhatIsMalformedOrContradictoryIsRefusedAllTheSame) {
    for (const char* schema :
         {R"({"minLength":"1"})", R"({"type":"any"})", R"({"properties":[]})", R"({"propertyNames":3})",
          R"({"patternProperties":{"a":3}})", R"({"format":3})", R"({"$ref":"#/nowhere","not":{}})",
          R"({"type":"integer","minimum":2,"maximum":1,"not":{}})", R"({"uniqueItems":1})",
          R"({"name":"n","schema":{"type":"object"}})", R"({"oneOf":[{},3]})"}) {
        Unconstrained unconstrained;
        EXPECT_FALSE(compile_json_schema(schema, &unconstrained)) << schema;
    }
}

}  // namespace
}  // namespace llmd::constraint
