// The keywords that count, merge and exclude: each by texts that fit it, texts that do not, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "constraint/merged_schema.h"
#include "schema_matching.h"

namespace llmd::constraint {
namespace {

using test::begins;
using test::check;
using test::refusal;

void expect_refusals(const std::vector<std::pair<const char*, const char*>>& cases) {
    for (const auto& [schema, message] : cases) EXPECT_EQ(refusal(schema), message) << schema;
}

TEST(SchemaKeywords, NumbersInARange) {
    check({R"({"type":"number","minimum":-1,"maximum":2})",
           {"-1", "-0.5", "-0", "0", "0.001", "1.999999999999999", "2", "2.0"},
           {"-1.1", "-2", "2.0001", "3", "1e1", "01", ".5", "1."}});
    check({R"({"minimum":3})", {"3", "3.5", "77"}, {"2.9", "-3", "-0"}});
    check({R"({"type":"number","maximum":-2})", {"-2", "-2.5", "-100"}, {"-1.9", "0", "2"}});
    check({R"({"type":"number","exclusiveMinimum":0})", {"0.001", "5"}, {"0", "0.0", "-0", "-1"}});
    check({R"({"type":"number","minimum":0})", {"0", "0.0", "7.25"}, {"-0", "-1"}});
    check({R"({"type":"number","maximum":0})", {"0", "-0", "-7.25"}, {"1", "0.1"}});
    check({R"({"type":"number","minimum":0.5,"exclusiveMaximum":12.25})",
           {"0.5", "0.50", "9.99", "12.2499", "12"},
           {"0.4999", "12.25", "12.3", "13", "100", "0"}});
    check({R"({"type":"number","exclusiveMaximum":100})", {"99.9999999999"}, {"99.9999999999999999", "100", "100.0"}});
    check({R"({"type":"number","minimum":1e-7,"maximum":1e17})", {"0.0000001", "100000000000000000"}, {"0.00000009"}});
    expect_refusals({
        {R"({"type":"number","minimum":2,"maximum":1.5})",
         R"(json_schema: at "#": no value fits: multipleOf and bounds leave no number)"},
        {R"({"type":"integer","minimum":2,"maximum":1})",
         R"(json_schema: at "#": no value fits: the least number 2 is more than the greatest, 1)"},
        {R"({"type":"number","exclusiveMinimum":"1"})",
         R"(json_schema: at "#": exclusiveMinimum: "1" is not a number)"},
        {R"({"type":"number","minimum":"1","exclusiveMinimum":true})",
         R"(json_schema: at "#": minimum: "1" is not a number)"},
    });
}

// As zod writes OpenAPI's schemas: a flag says whether the bound beside it is allowed.
TEST(SchemaKeywords, ExclusiveBoundsOfDraft4) {
    check({R"({"type":"integer","minimum":1,"exclusiveMinimum":true,"maximum":4,"exclusiveMaximum":true})",
           {"2", "3"},
           {"1", "4"}});
    check({R"({"type":"integer","minimum":1,"exclusiveMinimum":false,"maximum":2})", {"1", "2"}, {"0", "3"}});
    check({R"({"type":"number","exclusiveMaximum":true,"maximum":0})", {"-0.5"}, {"0", "-0", "1"}});
    check({R"({"type":"integer","exclusiveMinimum":true})", {"-5", "7"}, {"1.5"}});
}

// The numbers that fit, among all with up to two digits behind the point between -30 and 30, are those that should.
TEST(SchemaKeywords, BoundsAndMultiplesAgreeWithArithmetic) {
    std::mt19937 random(2);
    for (int round = 0; round < 60; ++round) {
        // In hundredths.
        const int low = static_cast<int>(random() % 4000) - 2000;
        const int high = low + static_cast<int>(random() % 3000);
        const std::array<int, 6> multiples = {1, 10, 25, 100, 150, 700};
        const int multiple = multiples[random() % multiples.size()];
        const bool is_exclusive = random() % 2 == 0;
        const std::string schema = base::concat(R"({"type":"number","minimum":)", low / 100.0,
                                                is_exclusive ? R"(,"exclusiveMaximum":)" : R"(,"maximum":)",
                                                high / 100.0, R"(,"multipleOf":)", multiple / 100.0, "}");
        const bool is_refused = refusal(schema) != "accepted";
        std::optional<Automaton> automaton;
        if (!is_refused) automaton = test::automaton_of(schema);
        for (int n = -3000; n <= 3000; ++n) {
            const bool fits = n >= low && (is_exclusive ? n < high : n <= high) && n % multiple == 0;
            if (is_refused) {
                EXPECT_FALSE(fits) << schema << " and " << n;
                continue;
            }
            std::string text = base::concat(n < 0 ? "-" : "", std::abs(n) / 100);
            if (n % 10 != 0) {
                text += base::concat('.', std::abs(n) / 10 % 10, std::abs(n) % 10);
            } else if (n % 100 != 0) {
                text += base::concat('.', std::abs(n) / 10 % 10);
            }
            const auto state = test::behind(*automaton, text);
            EXPECT_EQ(state != Automaton::kDead && automaton->is_complete(state), fits) << schema << " and " << text;
        }
    }
}

TEST(SchemaKeywords, MultipleOf) {
    check({R"({"type":"integer","multipleOf":7})", {"0", "7", "-21", "700000000000000"}, {"1", "8", "-0", "7.0"}});
    check({R"({"type":"integer","multipleOf":5,"minimum":3,"maximum":12})", {"5", "10"}, {"0", "15", "7"}});
    check({R"({"type":"integer","multipleOf":1000})", {"0", "123000"}, {"500", "1234"}});
    check({R"({"type":"integer","multipleOf":0.5})", {"1", "7"}, {"0.5"}});
    check({R"({"type":"integer","multipleOf":2.5})", {"5", "10"}, {"2", "2.5"}});
    check({R"({"type":"number","multipleOf":2})", {"0", "4", "-6"}, {"3", "4.0"}});
    check({R"({"type":"number","multipleOf":0.01})", {"1", "1.5", "0.07", "-12.34"}, {"0.001", "1e2", "1.234"}});
    check({R"({"multipleOf":0.25,"minimum":0})", {"0.25", "0.5", "0.50", "3"}, {"0.3", "0.55", "-1"}});
    check({R"({"type":"integer","allOf":[{"multipleOf":4},{"multipleOf":6}]})", {"12", "24"}, {"4", "6", "8"}});
    expect_refusals({
        {R"({"multipleOf":0})", R"(json_schema: at "#": multipleOf: 0 is not a number above 0)"},
        {R"({"multipleOf":"2"})", R"(json_schema: at "#": multipleOf: "2" is not a number above 0)"},
        {R"({"type":"integer","multipleOf":1001})",
         R"(json_schema: at "#": multipleOf: 1001 is not supported: without its point it is at most 1000, and it has )"
         "at most 15 digits behind the point"},
        {R"({"type":"integer","allOf":[{"multipleOf":999},{"multipleOf":1000}]})",
         R"(json_schema: at "#/allOf/1": multipleOf: the common multiple 999000 is more than 1000)"},
        {R"({"type":"integer","multipleOf":10,"minimum":1,"maximum":9})",
         R"(json_schema: at "#": no value fits: multipleOf and bounds leave no number)"},
    });
}

TEST(SchemaKeywords, UniqueItems) {
    check({R"({"type":"array","items":{"enum":["a","b",3]},"uniqueItems":true})",
           {"[]", R"(["a"])", R"(["b", "a"])", R"([3,"b","a"])"},
           {R"(["a","a"])", R"(["a","b","a"])", "[3,3]", R"(["c"])", R"(["a",])"}});
    check({R"({"items":{"type":"boolean"},"uniqueItems":true,"minItems":2})",
           {"[true,false]"},
           {"[true]", "[true,true]"}});
    check({R"({"items":{"const":"x"},"uniqueItems":true})", {"[]", R"(["x"])"}, {R"(["x","x"])"}});
    check(
        {R"({"$defs":{"c":{"type":"string","enum":["a","b"]}},"items":{"$ref":"#/$defs/c"},"uniqueItems":true,"maxItems":1})",
         {"[]", R"(["b"])"},
         {R"(["a","b"])"}});
    check({R"({"items":{"enum":[1,1,"e","\u0065"]},"uniqueItems":true})", {R"([1,"e"])"}, {"[1,1]", R"(["e","e"])"}});
    check({R"({"items":{"type":"string"},"uniqueItems":true,"maxItems":1})", {R"(["x"])"}, {R"(["x","y"])"}});
    check({R"({"items":{"type":"string"},"uniqueItems":false})", {R"(["x","x"])"}, {}});
    std::string many = R"({"uniqueItems":true,"items":{"enum":[0)";
    for (int i = 1; i < 40; ++i) many += base::concat(',', i);
    check({(many + R"(]},"maxItems":2})").c_str(), {"[39,0]", "[]"}, {"[5,5]", "[1,2,3]"}});
    const std::string supported =
        R"(json_schema: at "#": uniqueItems is supported if maxItems is at most 1 or the items are an enum, a const or booleans)";
    EXPECT_EQ(refusal(many + "]}}"),
              supported + ", and there are at most 1024 sets of up to maxItems of them; 40 values have more");
    EXPECT_EQ(refusal(R"({"uniqueItems":true})"), supported);
    EXPECT_EQ(refusal(R"({"items":{"type":"string"},"uniqueItems":true})"), supported);
    EXPECT_EQ(refusal(R"({"items":{"anyOf":[{"const":1},{"const":2}]},"uniqueItems":true})"), supported);
    EXPECT_EQ(refusal(R"({"items":{"enum":[1,1.0]},"uniqueItems":true})"),
              supported + " without fractions, arrays and objects");
    EXPECT_EQ(refusal(R"({"prefixItems":[{"const":1}],"uniqueItems":true,"minItems":2})"),
              supported + " without prefixItems");
    expect_refusals({
        {R"({"uniqueItems":1})", R"(json_schema: at "#": uniqueItems: 1 is not true or false)"},
        {R"({"items":{"enum":[1,2]},"uniqueItems":true,"minItems":3})",
         R"(json_schema: at "#": no value fits: minItems 3 are more than the values)"},
    });
}

TEST(SchemaKeywords, NumbersOfProperties) {
    check({R"({"properties":{"a":{"const":1},"b":{"const":2},"c":{"const":3}},"minProperties":2})",
           {R"({"a":1,"b":2})", R"({"a":1, "c":3})", R"({"b":2,"c":3})", R"({"a":1,"b":2,"c":3})"},
           {"{}", R"({"a":1})", R"({"c":3})"}});
    EXPECT_FALSE(begins(R"({"properties":{"a":true,"b":true},"minProperties":2})", R"({"b)"))
        << "it could not be ended";
    check({R"({"properties":{"a":true,"b":true,"c":true},"required":["b"],"maxProperties":2})",
           {R"({"b":1})", R"({"a":1,"b":1})", R"({"b":1,"c":1})"},
           {"{}", R"({"a":1,"c":1})", R"({"a":1,"b":1,"c":1})"}});
    check({R"({"type":"object","additionalProperties":{"type":"integer"},"minProperties":1,"maxProperties":2})",
           {R"({"x":1})", R"({"x":1,"y":2})"},
           {"{}", R"({"x":1,"y":2,"z":3})", R"({"x":"a"})"}});
    check({R"({"properties":{"a":{"const":1}},"additionalProperties":true,"minProperties":2,"maxProperties":3})",
           {R"({"a":1,"x":2})", R"({"a":1,"x":2,"y":3})"},
           {"{}", R"({"a":1})", R"({"x":1})", R"({"x":1,"x":1})", R"({"a":1,"x":1,"y":1,"z":1})", R"({"a":1,"a":1})"}});
    check({R"({"properties":{"a":true},"additionalProperties":true,"minProperties":1})",
           {R"({"a":1})", R"({"x":1,"y":1,"z":1})"},
           {"{}"}});
    check({R"({"type":"object","maxProperties":0})", {"{}"}, {R"({"a":1})"}});
    check({R"({"properties":{"a":false,"b":true},"minProperties":1})", {R"({"b":1})"}, {"{}", R"({"a":1})"}});
    check({R"({"type":"object","propertyNames":{"type":"string"}})", {R"({"x":1})"}, {}});
    expect_refusals({
        {R"({"type":"object","minProperties":2})",
         R"(json_schema: at "#": minProperties: 2 is more than 1, which the properties that are named and one more can be)"},
        {R"({"properties":{"a":true},"minProperties":2})",
         R"(json_schema: at "#": no value fits: minProperties 2 is more than the properties)"},
        {R"({"properties":{"a":true,"b":true},"required":["a","b"],"maxProperties":1})",
         R"(json_schema: at "#": no value fits: maxProperties 1 is less than the required ones)"},
        {R"({"type":"object","maxProperties":201})", R"(json_schema: at "#": maxProperties: 201 is more than 200)"},
    });
}

TEST(SchemaKeywords, AllOfIsMerged) {
    check({R"({"allOf":[{"type":"object","properties":{"a":{"const":1}},"required":["a"]},
               {"properties":{"b":{"const":2}},"required":["b"]}],"properties":{"c":{"const":3}}})",
           {R"({"a":1,"b":2})", R"({"a":1,"b":2,"c":3})"},
           {"{}", R"({"a":1})", R"({"b":2})", R"({"a":1,"b":2,"d":4})"}});
    check({R"({"allOf":[{"properties":{"a":{"type":["integer","string"],"minimum":3}}},
               {"properties":{"a":{"type":["integer","null"],"maximum":5}}}]})",
           {R"({"a":4})", "{}"},
           {R"({"a":6})", R"({"a":2})", R"({"a":"x"})", R"({"a":null})"}});
    check({R"({"allOf":[{"minLength":2},{"type":"string"},{"maxLength":3},{"pattern":"^a"},{"pattern":"b$"}]})",
           {R"("ab")", R"("axb")"},
           {R"("a")", R"("axxb")", R"("bb")", "7"}});
    check({R"({"allOf":[{"enum":["a","b","c"]},{"enum":["b","c","d"]}],"type":"string"})",
           {R"("b")", R"("c")"},
           {R"("a")", R"("d")"}});
    check({R"({"allOf":[{"items":{"minimum":2}},{"items":{"type":"integer"},"maxItems":2}]})",
           {"[]", "[2,3]"},
           {"[1]", "[2,2,2]"}});
    check(
        {R"({"allOf":[{"prefixItems":[{"type":"integer"}]},{"items":{"type":["integer","string"]},"maxItems":2}],"minItems":1})",
         {"[1]", R"([1,"a"])"},
         {"[]", R"(["a"])", "[1,null]"}});
    check({R"({"$defs":{"b":{"type":"object","properties":{"a":{"const":1}},"required":["a"]}},
               "allOf":[{"$ref":"#/$defs/b"}],"default":{}})",
           {R"({"a":1})"},
           {"{}"}});
    check(
        {R"({"$defs":{"b":{"type":"object","properties":{"a":{"const":1}}}},"$ref":"#/$defs/b","description":"x","required":["a"]})",
         {R"({"a":1})"},
         {"{}"}});
    // Additional properties are those that the same schema does not list.
    check({R"({"allOf":[{"properties":{"a":true},"additionalProperties":{"type":"integer"}},
               {"properties":{"b":{"minimum":5}},"additionalProperties":true}]})",
           {R"({"a":"x","b":5})", R"({"b":7,"c":1})"},
           {R"({"b":4})", R"({"b":"x"})", R"({"c":"x"})"}});
    check({R"({"allOf":[{"properties":{"a":true},"additionalProperties":false},{"properties":{"b":true}}]})",
           {R"({"a":1})", "{}"},
           {R"({"b":1})"}});
    // A list whose nodes are what two schemas say of them.
    check({R"({"$defs":{"x":{"type":"object","properties":{"next":{"$ref":"#/$defs/x"},"v":{"type":"integer"}}},
               "y":{"properties":{"next":{"$ref":"#/$defs/y"},"v":{"minimum":3}},"required":["v"]}},
               "allOf":[{"$ref":"#/$defs/x"},{"$ref":"#/$defs/y"}]})",
           {R"({"v":3})", R"({"next":{"next":{"v":5},"v":4},"v":3})"},
           {"{}", R"({"next":{"v":2},"v":3})", R"({"next":{},"v":3})"}});
    expect_refusals({
        {R"({"allOf":[{"type":"string"},{"type":"integer"}]})",
         R"(json_schema: at "#": no value fits: type leaves none)"},
        {R"({"properties":{"a":{"allOf":[{"minItems":3},{"maxItems":2}]}}})",
         R"(json_schema: at "#/properties/a": no value fits: minItems 3 is more than maxItems 2)"},
        {R"({"allOf":[{"minimum":3},{"maximum":2}],"type":"integer"})",
         R"(json_schema: at "#": no value fits: the least number 3 is more than the greatest, 2)"},
        {R"({"allOf":[{"enum":["a"]},{"const":"b"}]})", R"(json_schema: at "#": no value fits: const leaves none)"},
        {R"({"allOf":[{"properties":{"a":true},"additionalProperties":false},{"required":["b"]}]})",
         R"(json_schema: at "#": no value fits: the required property "b" is not allowed by additionalProperties)"},
        {R"({"allOf":[{"enum":["a"]},{"minLength":1}]})",
         R"(json_schema: at "#/allOf/1": enum beside minLength is not supported)"},
        {R"({"allOf":[{"type":"object"},{"not":{}}]})", R"(json_schema: at "#/allOf/1": "not" is not supported)"},
        {R"({"allOf":3})", R"(json_schema: at "#": allOf: 3 is not an array of 1 to 64 schemas)"},
        {R"({"$ref":"#","type":"object"})",
         R"(json_schema: at "#": $ref: "#" leads back to itself with nothing in between)"},
        {R"({"type":"object","anyOf":[{"$ref":"#"},{"required":["a"]}]})",
         R"(json_schema: at "#/anyOf/0": $ref: "#" leads back to itself with nothing in between)"},
    });
    std::string chain = R"({"$ref":"#/$defs/0","$defs":{)";
    for (int i = 0; i < 100; ++i)
        chain += base::concat('"', i, R"(":{"type":"object","$ref":"#/$defs/)", i + 1, R"("},)");
    EXPECT_EQ(refusal(chain + R"("100":{}}})"),
              R"(json_schema: at "#/$defs/0": allOf and $ref merge more than 64 schemas, or 1024 in all)");
}

TEST(SchemaKeywords, AlternativesBesideOtherKeywords) {
    check(
        {R"({"type":"object","properties":{"a":{"const":1},"b":{"const":2}},"anyOf":[{"required":["a"]},{"required":["b"]}]})",
         {R"({"a":1})", R"({"b":2})", R"({"a":1,"b":2})"},
         {"{}"}});
    check({R"({"type":["string","null"],"anyOf":[{"format":"ipv4"},{"type":"null"},{"type":"array"}]})",
           {R"("1.2.3.4")", "null"},
           {R"("x")", "[]"}});
    check(
        {R"({"allOf":[{"anyOf":[{"type":"string"},{"type":"integer"}]},{"anyOf":[{"minLength":2,"type":"string"},{"const":5}]}]})",
         {R"("ab")", "5"},
         {R"("a")", "4"}});
    check({R"({"$defs":{"a":{"properties":{"k":{"const":"a"}},"required":["k"],"type":"object"},
               "b":{"allOf":[{"type":"object"},{"properties":{"k":{"const":"b"}},"required":["k"]}]}},
               "oneOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"}],"properties":{"v":{"type":"integer"}},
               "discriminator":{"propertyName":"k"}})",
           {R"({"v":1,"k":"a"})", R"({"k":"b"})"},
           {"{}", R"({"v":"x","k":"a"})", R"({"k":"c"})"}});
    expect_refusals({
        {R"({"type":"null","anyOf":[{"type":"string"},{"type":"array"}]})",
         R"(json_schema: at "#": no value fits: anyOf leaves none beside the other keywords)"},
        {R"({"type":"string","oneOf":[{"minLength":1},{"maxLength":5}]})",
         R"(json_schema: at "#": oneOf: a text might fit both 0 and 1; anyOf allows that)"},
    });
}

TEST(SchemaKeywords, NullableAndAnnotations) {
    check({R"({"type":"string","nullable":true,"maxLength":1})", {R"("a")", "null"}, {"1"}});
    check({R"({"type":"string","nullable":false})", {R"("a")"}, {"null"}});
    check({R"({"type":"string","nullable":true,"enum":["a"]})", {R"("a")"}, {"null"}});
    check({R"({"type":"string","nullable":true,"enum":["a",null]})", {R"("a")", "null"}, {}});
    check({R"({"type":"null","title":"t","description":"d","default":3,"examples":[1],"example":1,"deprecated":true,
               "readOnly":true,"writeOnly":false,"$comment":"c","discriminator":{},"x-order":1,"contentEncoding":"base64"})",
           {"null"},
           {"1"}});
    check({R"({"anyOf":[{"type":"null"}],"title":"t","default":null,"x-a":{}})", {"null"}, {"1"}});
    for (const char* keyword : {"not", "if", "then", "dependentRequired", "contains", "contentSchema",
                                "unevaluatedProperties", "$dynamicRef"}) {
        EXPECT_EQ(refusal(base::concat(R"({"properties":{"a":{")", keyword, R"(":{}}}})")),
                  base::concat(R"(json_schema: at "#/properties/a": ")", keyword, R"(" is not supported)"));
    }
}

}  // namespace
}  // namespace llmd::constraint
