// The names that properties may have: of patternProperties and propertyNames, beside those that are listed.
#include "constraint/object_shape.h"

#include <gtest/gtest.h>

#include "schema_matching.h"

namespace llmd::constraint {
namespace {

using test::check;
using test::refusal;

TEST(ObjectShape, PatternsBesideListedProperties) {
    check({R"({"type":"object","properties":{"xa":{"maximum":5},"b":{"type":"null"}},
               "patternProperties":{"^x":{"type":"integer"}},"required":["xa"]})",
           {R"({"xa":5})", R"({"xa":1,"b":null,"xb":7})", R"({"xa":1,"x":7,"xaa":-1})"},
           {"{}", R"({"xa":6})", R"({"xa":1.5})", R"({"xa":1,"c":1})", R"({"xa":1,"xb":null})", R"({"xa":1,"xa":2})"}});
    // Additional properties are those that no pattern matches.
    check({R"({"patternProperties":{"^x":{"type":"integer"}},"additionalProperties":{"type":"null"}})",
           {"{}", R"({"x":1,"a":null})", R"({"a":null,"xy":1})"},
           {R"({"x":null})", R"({"a":1})"}});
    check({R"({"patternProperties":{"^x":{"type":"integer"}},"additionalProperties":false})",
           {"{}", R"({"x1":1})"},
           {R"({"a":1})"}});
    // A name that two patterns match is left out, and belongs to no other.
    check({R"({"patternProperties":{"^x":{"type":"integer"},"y$":{"type":"null"}},"additionalProperties":true})",
           {R"({"x":1})", R"({"y":null})", R"({"a":"b"})"},
           {R"({"xy":1})", R"({"xy":null})", R"({"xy":true})", R"({"x":null})"}});
    check({R"({"patternProperties":{"":{"type":"integer"}}})", {R"({"":1,"a":2})"}, {R"({"a":null})"}});
    // A required name has the schema of the pattern that it matches, even where no other is allowed.
    check({R"({"patternProperties":{"^x":{"type":"integer"}},"additionalProperties":false,"required":["xé"]})",
           {R"({"xé":1})", R"({"xé":1,"xe":2})"},
           {"{}", R"({"xé":null})"}});
    EXPECT_EQ(
        refusal(R"({"patternProperties":{"^x":true},"additionalProperties":false,"required":["y"]})"),
        R"(json_schema: at "#": no value fits: the required property "y" is not allowed by additionalProperties)");
    // The other schema of an allOf speaks of names that only its own pattern matches.
    check({R"({"allOf":[{"patternProperties":{"^x":{"type":"integer"}}},
               {"additionalProperties":{"minimum":3}}]})",
           {R"({"x":3})"},
           {R"({"x":2})", R"({"x":3.5})"}});
    check({R"({"patternProperties":{"^x":{"const":1}},"minProperties":1,"maxProperties":2})",
           {R"({"x":1})", R"({"xa":1,"xb":1})"},
           {"{}", R"({"a":1})", R"({"xa":1,"xb":1,"xc":1})"}});
}

TEST(ObjectShape, NamesAreHeldToTheirSchema) {
    check({R"({"propertyNames":{"pattern":"^[a-z]+$","maxLength":3},"additionalProperties":{"type":"integer"}})",
           {"{}", R"({"abc":1})"},
           {R"({"abcd":1})", R"({"A":1})", R"({"":1})", R"({"a":null})"}});
    check({R"({"type":"object","propertyNames":{"minLength":2,"maxLength":2}})",
           {R"({"ab":1,"é\"":2})"},
           {R"({"a":1})", R"({"abc":1})"}});
    check(
        {R"({"properties":{"a":{"const":1},"bb":{"const":2}},"propertyNames":{"minLength":2},"additionalProperties":true})",
         {R"({"bb":2})", R"({"bb":2,"cc":3})"},
         {R"({"a":1})", R"({"bb":3})", R"({"c":3})", R"({"bb":2,"bb":2})"}});
    check(
        {R"({"properties":{"b":{"const":2}},"propertyNames":{"enum":["a","b",3]},"additionalProperties":{"const":1},"required":["a"]})",
         {R"({"b":2,"a":1})", R"({"a":1})"},
         {"{}", R"({"b":2})", R"({"c":1})"}});
    check({R"({"patternProperties":{"^x":{"const":1}},"propertyNames":{"enum":["x1","y"]}})",
           {"{}", R"({"x1":1})"},
           {R"({"x2":1})", R"({"y":1})"}});
    check({R"({"type":"object","propertyNames":false})", {"{}"}, {R"({"a":1})"}});
    check({R"({"type":"object","propertyNames":{"type":"integer"}})", {"{}"}, {R"({"a":1})"}});
    check({R"({"type":"object","propertyNames":{"type":"string"}})", {R"({"a":1})"}, {}});
    check({R"({"propertyNames":{"const":"a"},"minProperties":1})", {R"({"a":[]})"}, {"{}"}});
    EXPECT_EQ(refusal(R"({"properties":{"a":{}},"propertyNames":{"minLength":2},"required":["a"]})"),
              R"(json_schema: at "#": no value fits: the required property "a" is not allowed by propertyNames)");
    EXPECT_EQ(refusal(R"({"propertyNames":{"minLength":"x"}})"),
              R"(json_schema: at "#/propertyNames": minLength: "x" is not a whole number of 0 or more)");
}

TEST(ObjectShape, ManyPatternsAreTooMany) {
    std::string many = R"({"patternProperties":{"^":true)";
    for (size_t i = 0; i < kMaxNamePatterns; ++i) many += base::concat(",\"^a", i, "$\":{\"const\":1}");
    EXPECT_EQ(refusal(many + "}}"), R"(json_schema: at "#": patternProperties: 17 patterns are more than 16)");
    EXPECT_EQ(test::loose(many + "}}").notes.size(), 1u);
}

}  // namespace
}  // namespace llmd::constraint
