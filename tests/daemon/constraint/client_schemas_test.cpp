// Schemas in the form in which pydantic 2 and zod (zod-to-json-schema 3, and zod 4 itself) write them.
#include <gtest/gtest.h>

#include "schema_matching.h"

namespace llmd::constraint {
namespace {

using test::check;
using test::refusal;

constexpr const char* kOrder = R"({"$defs":{
    "Address":{"description":"An address.","properties":{
        "street":{"maxLength":80,"minLength":1,"title":"Street","type":"string"},
        "zip":{"examples":["12345"],"pattern":"^\\d{5}(-\\d{4})?$","title":"Zip","type":"string"},
        "country":{"default":"DE","maxLength":2,"minLength":2,"pattern":"^[A-Z]{2}$","title":"Country","type":"string"}},
        "required":["street","zip"],"title":"Address","type":"object"},
    "Cat":{"properties":{"kind":{"const":"cat","title":"Kind","type":"string"},
        "lives":{"default":9,"maximum":9,"minimum":0,"title":"Lives","type":"integer"}},
        "required":["kind"],"title":"Cat","type":"object"},
    "Dog":{"properties":{"kind":{"const":"dog","title":"Kind","type":"string"},
        "weight":{"exclusiveMinimum":0,"title":"Weight","type":"number"}},
        "required":["kind","weight"],"title":"Dog","type":"object"},
    "Colour":{"enum":["red","green"],"title":"Colour","type":"string"},
    "Order":{"additionalProperties":false,"properties":{
        "score":{"exclusiveMaximum":1.5,"minimum":0.5,"title":"Score","type":"number"},
        "price":{"minimum":0,"multipleOf":0.01,"title":"Price","type":"number"},
        "step":{"default":5,"exclusiveMinimum":0,"maximum":100,"multipleOf":5,"title":"Step","type":"integer"},
        "colour":{"$ref":"#/$defs/Colour","default":"red"},
        "colours":{"items":{"$ref":"#/$defs/Colour"},"title":"Colours","type":"array","uniqueItems":true},
        "to":{"allOf":[{"$ref":"#/$defs/Address"}],"description":"where to"},
        "from":{"anyOf":[{"$ref":"#/$defs/Address"},{"type":"null"}],"default":null},
        "pet":{"discriminator":{"mapping":{"cat":"#/$defs/Cat","dog":"#/$defs/Dog"},"propertyName":"kind"},
            "oneOf":[{"$ref":"#/$defs/Cat"},{"$ref":"#/$defs/Dog"}],"title":"Pet"},
        "lasts":{"format":"duration","title":"Lasts","type":"string"},
        "site":{"format":"uri","maxLength":2083,"minLength":1,"title":"Site","type":"string"},
        "tags":{"additionalProperties":{"type":"integer"},"maxProperties":5,"minProperties":1,"type":"object"},
        "amount":{"anyOf":[{"type":"number"},{"pattern":"^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$","type":"string"}]},
        "part":{"anyOf":[{"$ref":"#/$defs/Order"},{"type":"null"}],"default":null}},
        "required":["score"],"title":"Order","type":"object"}},
    "$ref":"#/$defs/Order"})";

TEST(ClientSchemas, Pydantic) {
    ASSERT_EQ(refusal(kOrder), "accepted");
    check({kOrder,
           {R"({"score":0.5})", R"({"score": 1.49,"price": 12.5,"step":95,"colour":"green","colours":["green","red"]})",
            R"({"score":1,"to":{"street":"x","zip":"12345-6789","country":"FR"},"from":null})",
            R"({"score":1,"pet":{"kind":"dog","weight":0.1},"lasts":"PT5M","site":"https://a.bc/d","tags":{"a":1}})",
            R"({"score":1,"amount":"-1.50","part":{"score":1,"part":null}})"},
           {R"({})", R"({"score":1.5})", R"({"score":1,"price":0.125})", R"({"score":1,"step":7})",
            R"({"score":1,"colours":["red","red"]})", R"({"score":1,"to":{"street":"","zip":"12345"}})",
            R"({"score":1,"to":{"street":"x","zip":"1234"}})", R"({"score":1,"pet":{"kind":"dog","weight":0}})",
            R"({"score":1,"tags":{}})", R"({"score":1,"amount":"-"})", R"({"score":1,"more":1})"}});
    EXPECT_EQ(
        refusal(R"({"properties":{"names":{"items":{"type":"string"},"type":"array","uniqueItems":true}}})"),
        R"(json_schema: at "#/properties/names": uniqueItems is supported if maxItems is at most 1 or the items are )"
        "an enum, a const or booleans");
}

// dict[Annotated[str, Field(pattern=...)], int], dict[Literal[...], int], dict[SomeEnum, float], dict[UUID, date]
TEST(ClientSchemas, PydanticDictionaries) {
    check({R"({"properties":{"d":{"patternProperties":{"^x":{"type":"integer"}},"type":"object"}}})",
           {R"({"d":{}})", R"({"d":{"x":1,"xyz":2}})"},
           {R"({"d":{"y":1}})", R"({"d":{"x":"1"}})"}});
    check({R"({"additionalProperties":{"type":"integer"},"propertyNames":{"enum":["a","b"]},"type":"object"})",
           {"{}", R"({"a":1})", R"({"a":1,"b":2})", R"({"b":2})"},
           {R"({"c":1})", R"({"a":"x"})", R"({"a":1,"a":2})"}});
    check({R"({"$defs":{"Colour":{"enum":["red","green"],"title":"Colour","type":"string"}},
               "additionalProperties":{"type":"number"},"propertyNames":{"$ref":"#/$defs/Colour"},"type":"object"})",
           {"{}", R"({"red":0.5})"},
           {R"({"blue":1})"}});
    check(
        {R"({"additionalProperties":{"format":"date","type":"string"},"propertyNames":{"format":"uuid"},"type":"object"})",
         {"{}", R"({"00000000-0000-0000-0000-000000000000":"2026-11-28"})"},
         {R"({"x":"2026-11-28"})", R"({"00000000-0000-0000-0000-000000000000":"x"})"}});
}

TEST(ClientSchemas, Zod) {
    check(
        {R"({"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{
               "id":{"type":"string","format":"uuid","pattern":"^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|00000000-0000-0000-0000-000000000000)$"},
               "mail":{"type":"string","format":"email","pattern":"^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$"},
               "at":{"type":"string","format":"time","pattern":"^([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d+)?$"},
               "key":{"type":"string","format":"cuid","pattern":"^[cC][^\\s-]{8,}$"},
               "data":{"type":"string","format":"base64","contentEncoding":"base64","pattern":"^([0-9a-zA-Z+/]{4})*(([0-9a-zA-Z+/]{2}==)|([0-9a-zA-Z+/]{3}=))?$"},
               "name":{"type":"string","allOf":[{"pattern":"^ab\\..*"},{"pattern":".*z$"}]},
               "age":{"type":"integer","exclusiveMinimum":0,"maximum":9007199254740991},
               "ip":{"type":"string","anyOf":[{"format":"ipv4"},{"format":"ipv6"}]},
               "rest":{"type":"object","propertyNames":{"type":"string"},"additionalProperties":{"type":"number"}}},
               "required":["id"],"additionalProperties":false})",
         {R"({"id":"123e4567-e89b-12d3-a456-426614174000"})",
          R"({"id":"00000000-0000-0000-0000-000000000000","mail":"a.b@c.de","at":"12:30:00","key":"cxxxxxxxx","data":"QUI="})",
          R"({"id":"00000000-0000-0000-0000-000000000000","name":"ab.z","age":1,"ip":"::1","rest":{"a":0.5}})"},
         {R"({"id":"123e4567-e89b-92d3-a456-426614174000"})",
          R"({"id":"00000000-0000-0000-0000-000000000000","mail":"a@b"})",
          R"({"id":"00000000-0000-0000-0000-000000000000","name":"ab.y"})",
          R"({"id":"00000000-0000-0000-0000-000000000000","age":0})",
          R"({"id":"00000000-0000-0000-0000-000000000000","data":"QUI"})"}});
    check({R"({"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},
               {"type":"object","properties":{"b":{"type":"boolean"}},"required":["b"]}]})",
           {R"({"a":"","b":true})"},
           {R"({"a":""})", R"({"b":true})"}});
    EXPECT_EQ(
        refusal(R"({"allOf":[{"type":"object","properties":{"a":true},"required":["a"],"additionalProperties":false},
                          {"type":"object","properties":{"b":true},"required":["b"],"additionalProperties":false}]})"),
        R"(json_schema: at "#": no value fits: the required property "a" is not allowed by additionalProperties)");
    EXPECT_EQ(refusal(R"({"type":"string","pattern":"^(\\p{Extended_Pictographic}|\\p{Emoji_Component})+$"})"),
              R"(json_schema: at "#": pattern: "^(\\p{Extended_Pictographic}|\\p{Emoji_Component})+$" at character 3: )"
              "a Unicode property is not supported");
}

// Home Assistant makes such a schema of the structure of a task: `strict` in every object, and null for what may be
// left out.
TEST(ClientSchemas, HomeAssistant) {
    check({R"({"type":"object","properties":{"lit":{"type":"boolean","description":"Is it lit?"},
               "lamp":{"type":["object","null"],"properties":{"watts":{"type":["integer","null"]}},
               "required":["watts"],"strict":true,"additionalProperties":false}},
               "required":["lit","lamp"],"strict":true,"additionalProperties":false})",
           {R"({"lit":true,"lamp":null})", R"({"lit":false,"lamp":{"watts":5}})",
            R"({"lit":false,"lamp":{"watts":null}})"},
           {R"({"lit":true})", R"({"lit":null,"lamp":null})", R"({"lit":true,"lamp":{}})"}});
}

}  // namespace
}  // namespace llmd::constraint
