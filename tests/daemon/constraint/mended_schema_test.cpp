// Malformed parts of a schema go, and nothing else does.
#include "constraint/mended_schema.h"

#include <gtest/gtest.h>

namespace llmd::constraint {
namespace {

// Returns the mended schema; "" where nothing is to mend. Sets `fault`, where it is given.
std::string mended(std::string_view schema, std::string* fault = nullptr) {
    simdjson::dom::parser parser;
    const auto out = mend_schema(parser.parse(schema.data(), schema.size()).value());
    if (!out) return "";
    if (fault) *fault = out->fault;
    return out->text;
}

TEST(MendedSchema, NothingIsDoneToASchemaThatCanBeRead) {
    for (
        const char* schema :
        {R"({})", R"({"type":"object"})",
         R"({"type":"object","properties":{"a":{"type":["string","null"],"enum":["x"]}}})",
         R"({"type":"object","properties":{"a":true,"b":{"items":{"$ref":"#/$defs/x"},"minItems":1}},"$defs":{"x":{}}})",
         R"({"properties":{"a":{"anyOf":[{"type":"integer","minimum":1.5},{"const":null}]}},"required":[]})",
         R"({"type":"object","properties":{"properties":{"type":"string"},"type":{"type":"string"}}})",
         R"({"type":"object","x-any":[],"title":7})"}) {
        EXPECT_EQ(mended(schema), "") << schema;
    }
}

TEST(MendedSchema, OnlyTheKeywordThatIsMalformedGoes) {
    const std::pair<const char*, const char*> rows[] = {
        {R"({"type":"object","properties":[]})", R"({"type":"object"})"},
        {R"({"type":"object","properties":{"a":{"type":"string"}},"required":null})",
         R"({"type":"object","properties":{"a":{"type":"string"}}})"},
        {R"({"type":"object","properties":{"a":{"type":"any","description":"d"}}})",
         R"({"type":"object","properties":{"a":{"description":"d"}}})"},
        {R"({"type":"object","properties":{"a":{"type":null}}})", R"({"type":"object","properties":{"a":{}}})"},
        {R"({"type":"object","properties":{"a":{"type":"string","enum":[]}}})",
         R"({"type":"object","properties":{"a":{"type":"string"}}})"},
        {R"({"type":"string"})", R"({"type":"object"})"},
        {R"({"type":"OBJECT","properties":{"a":{"type":"STRING"}}})",
         R"({"type":"object","properties":{"a":{"type":"string"}}})"},
        {R"({"properties":{"a":{"type":"float"},"b":{"type":"dict"}}})",
         R"({"properties":{"a":{"type":"number"},"b":{"type":"object"}},"type":"object"})"},
        {R"({"type":"object","properties":{"a":{"type":["string","file"]}}})",
         R"({"type":"object","properties":{"a":{}}})"},
        {R"({"type":"object","properties":{"a":{"type":[]},"b":null,"c":7}})",
         R"({"type":"object","properties":{"a":{},"b":{},"c":{}}})"},
        {R"({"type":"object","properties":{"a":{"minLength":"3","pattern":7,"anyOf":[],"maximum":5}}})",
         R"({"type":"object","properties":{"a":{"maximum":5}}})"},
        {R"({"type":"object","properties":{"a":{"required":true,"items":"x","additionalProperties":"no"}}})",
         R"({"type":"object","properties":{"a":{}}})"},
        {R"({"type":"object","properties":{"a":{"anyOf":[{"type":"any"},{"type":"integer"}]}},"$defs":{"x":{"type":"Int"}}})",
         R"({"type":"object","properties":{"a":{"anyOf":[{},{"type":"integer"}]}},"$defs":{"x":{"type":"integer"}}})"},
        {R"({"type":"object","patternProperties":[],"propertyNames":"a"})", R"({"type":"object"})"},
        {R"({"type":"object","patternProperties":{"^x":{"type":"any"}},"propertyNames":{"type":"str"}})",
         R"({"type":"object","patternProperties":{"^x":{}},"propertyNames":{"type":"string"}})"},
        {R"({"type":"object","properties":{"a":{"prefixItems":[{"type":"any"},{"type":"Int"}]},"b":{"prefixItems":{}}}})",
         R"({"type":"object","properties":{"a":{"prefixItems":[{},{"type":"integer"}]},"b":{}}})"},
        {R"([])", R"({})"},
        {R"(false)", R"({})"},
        {R"("x")", R"({"type":"object"})"},
        {R"(true)", R"({"type":"object"})"},
        {R"({"type":"object","properties":{"a":{"$ref":"#/$defs/x"},"b":{"$ref":"Other.json"},"c":{"$ref":7}}})",
         R"({"type":"object","properties":{"a":{},"b":{},"c":{}}})"},
        {R"({"type":"object","properties":{"a":{"minLength":-1,"maxItems":2.5,"minItems":2.0,"multipleOf":0}}})",
         R"({"type":"object","properties":{"a":{"minItems":2.0}}})"},
        {R"({"type":"object","maxProperties":-3,"properties":{"a":{"uniqueItems":1,"nullable":"yes"}}})",
         R"({"type":"object","properties":{"a":{}}})"},
        {R"({"type":"object","type":"string","properties":{"a":{},"a":{"type":"null"},"b":{}}})",
         R"({"type":"object","properties":{"a":{},"b":{}}})"},
    };
    for (const auto& [schema, expected] : rows) {
        std::string fault;
        EXPECT_EQ(mended(schema, &fault), expected) << schema;
        EXPECT_NE(fault, "") << schema;
    }
}

TEST(MendedSchema, ATupleOfDraft7IsNoFault) {
    std::string fault = "?";
    EXPECT_EQ(
        mended(R"({"type":"object","properties":{"p":{"type":"array","items":[{"type":"number"},{}],)"
               R"("additionalItems":false}}})",
               &fault),
        R"({"type":"object","properties":{"p":{"type":"array","prefixItems":[{"type":"number"},{}],"items":false}}})");
    EXPECT_EQ(fault, "");
}

TEST(MendedSchema, DefinitionsBelowTheRootAreFoundFromWithinThem) {
    std::string fault = "?";
    EXPECT_EQ(mended(R"({"type":"object","properties":{"a/b":{"$defs":{"x":{"$ref":"#/$defs/y"},"y":{}},)"
                     R"("items":{"$ref":"#/$defs/x"}},"c":{"$ref":"#/$defs/y"}},"$defs":{"y":{"type":"null"}}})",
                     &fault),
              R"({"type":"object","properties":{"a/b":{"$defs":{"x":{"$ref":"#/$defs/y"},"y":{}},)"
              R"("items":{"$ref":"#/properties/a~1b/$defs/x"}},"c":{"$ref":"#/$defs/y"}},)"
              R"("$defs":{"y":{"type":"null"}}})");
    EXPECT_EQ(fault, "") << "the root's own come first, as the standard has it";
}

TEST(MendedSchema, TheFirstFaultIsNamedWithItsPlace) {
    std::string fault;
    EXPECT_NE(mended(R"({"type":"object","properties":{"a":{"type":"any"},"b":{"enum":[]}}})", &fault), "");
    EXPECT_EQ(fault, R"(at "#/properties/a": type: "any" is no JSON type here)");
}

TEST(MendedSchema, WhatNestsTooDeepIsLeftToWhoRefusesIt) {
    std::string schema;
    for (int i = 0; i < 100; ++i) schema += R"({"items":)";
    schema += "7";
    for (int i = 0; i < 100; ++i) schema += "}";
    EXPECT_EQ(mended(schema), "");
}

}  // namespace
}  // namespace llmd::constraint
