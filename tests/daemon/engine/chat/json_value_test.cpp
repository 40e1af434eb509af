// Proves that a JSON text is read strictly and written as the filters of chat templates write it. What Python makes of
// values, tests/integration/chat_template_test.py compares.
#include "engine/chat/json_value.h"

#include <gtest/gtest.h>

#include <string>

namespace llmd::chat {
namespace {

JsonValue parsed(std::string_view text) {
    auto value = parse_json(text);
    EXPECT_TRUE(value) << text << ": " << value.error().message;
    return value ? *value : JsonValue();
}

TEST(JsonValue, KeepsTheOrderOfMembersAndTheSpellingOfNumbers) {
    const JsonValue value = parsed(" {\"b\":[1.50,-0,1E+2,123456789012345678901234567890],\t\"a\":{}, \"c\": [ ]\n}\r");
    EXPECT_EQ(to_json(value), "{\"b\": [1.50, -0, 1E+2, 123456789012345678901234567890], \"a\": {}, \"c\": []}");
    EXPECT_EQ(
        to_json(value, 4),
        "{\n    \"b\": [\n        1.50,\n        -0,\n        1E+2,\n        123456789012345678901234567890\n    ],\n"
        "    \"a\": {},\n    \"c\": []\n}");
    EXPECT_EQ(value.find("a")->kind, JsonValue::Kind::Object);
    EXPECT_EQ(value.find("d"), nullptr);
    EXPECT_EQ(value.items[0].find("b"), nullptr);
    // The last value of two members with the same key counts, in the place of the first.
    EXPECT_EQ(to_json(parsed("{\"a\": 1, \"b\": 2, \"a\": 3}")), "{\"a\": 3, \"b\": 2}");
}

TEST(JsonValue, StringsAreEscapedAsPythonDoes) {
    const JsonValue value = parsed("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u001f\\u00e4\\ud83d\\ude00</\x7f\"");
    EXPECT_EQ(value.text, "\"\\/\b\f\n\r\t\x1f\u00e4\U0001f600</\x7f");
    EXPECT_EQ(to_json(value), "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u001f\u00e4\U0001f600</\x7f\"");
    EXPECT_EQ(to_python(value), value.text);
}

TEST(JsonValue, ListsAreWrittenAsPythonPrintsThem) {
    EXPECT_EQ(to_python(parsed(
                  "[true, false, null, 1.5, \"a\", {\"k\": [\"it's\"]}, \"'\\\"\", \"\\n\\u00e4\\u00a0\\u2028\"]")),
              "[True, False, None, 1.5, 'a', {'k': [\"it's\"]}, '\\'\"', '\\n\u00e4\\xa0\\u2028']");
    EXPECT_EQ(to_python(parsed("true")), "True");
    EXPECT_EQ(to_python(parsed("null")), "None");
}

TEST(JsonValue, WhatIsNoJsonIsRefused) {
    for (const char* text : {"",
                             " ",
                             "{",
                             "[",
                             "[1",
                             "[1,",
                             "[1,]",
                             "[,]",
                             "{\"a\"}",
                             "{\"a\":}",
                             "{\"a\":1,}",
                             "{a:1}",
                             "{1:1}",
                             "[1 2]",
                             "[1]]",
                             "1 1",
                             "01",
                             "-",
                             "+1",
                             ".5",
                             "1.",
                             "1e",
                             "1e+",
                             "0x1",
                             "NaN",
                             "Infinity",
                             "tru",
                             "True",
                             "nul",
                             "\"",
                             "\"\\",
                             "\"\\x\"",
                             "\"\\u12\"",
                             "\"\\u12g4\"",
                             "\"\\ud800\"",
                             "\"\\ud800\\u0041\"",
                             "\"\\udc00\"",
                             "\"\n\"",
                             "\"\xff\"",
                             "\"\xc3\"",
                             "'a'",
                             "// a\n1",
                             "\357\273\2771"}) {
        const auto value = parse_json(text);
        EXPECT_FALSE(value) << text;
        if (!value) {
            EXPECT_EQ(value.error().code, base::ErrorCode::InvalidArgument);
        }
    }
}

TEST(JsonValue, NestingIsBounded) {
    const auto nested = [](size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    EXPECT_EQ(to_json(parsed(nested(kMaxJsonDepth))), nested(kMaxJsonDepth));
    EXPECT_FALSE(parse_json(nested(kMaxJsonDepth + 1)));
    EXPECT_FALSE(parse_json(std::string(1u << 20, '[')));
}

}  // namespace
}  // namespace llmd::chat
