#include "base/json_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace llmd::base {
namespace {

std::string json_string(std::string_view text) {
    std::string out;
    append_json_string(out, text);
    return out;
}

TEST(JsonString, EscapesWhatJsonDemandsAndNothingElse) {
    EXPECT_EQ(json_string("plain"), "\"plain\"");
    EXPECT_EQ(json_string("a\"b\\c"), R"("a\"b\\c")");
    EXPECT_EQ(json_string("\n\r\t\b\x01\x1f"), R"("\n\r\t\u0008\u0001\u001f")");
    EXPECT_EQ(json_string(std::string_view("\0", 1)), R"("\u0000")");
    EXPECT_EQ(json_string("/\x7f"), "\"/\x7f\"");
}

TEST(JsonString, KeepsEveryScalarValueOfUnicode) {
    // The borders of the four lengths, and the line separators that JavaScript once disliked.
    for (const char* text : {"\u0080", "\u07ff", "\u0800", "\xed\x9f\xbf", "\ue000", "\uffff", "\U00010000",
                             "\U0010ffff", "\u2028\u2029"}) {
        EXPECT_EQ(json_string(text), '"' + std::string(text) + '"');
    }
}

TEST(JsonString, ReplacesWhatIsNotUtf8) {
    const std::string bad = "\uFFFD";
    EXPECT_EQ(json_string("a\xff"
                          "b"),
              "\"a" + bad + "b\"");
    EXPECT_EQ(json_string("\xc3"), '"' + bad + '"');                                // cut short
    EXPECT_EQ(json_string("\xc0\xaf"), '"' + bad + bad + '"');                      // overlong
    EXPECT_EQ(json_string("\xed\xa0\x80"), '"' + bad + bad + bad + '"');            // surrogate
    EXPECT_EQ(json_string("\xf4\x90\x80\x80"), '"' + bad + bad + bad + bad + '"');  // above U+10FFFF
    EXPECT_EQ(json_string("\xe2\x82(\""), '"' + bad + "(\\\"\"");                   // the bytes after it are kept
}

TEST(InQuotes, ShowsCleanTextUpToAWholeCharacter) {
    EXPECT_EQ(in_quotes(std::string_view("a\0\n", 3), 8), R"("a\u0000\n")");
    EXPECT_EQ(in_quotes("\xef\xbf\xbf", 8), "\"\xef\xbf\xbd\"");  // U+FFFF
    EXPECT_EQ(in_quotes("\x80", 8), "\"\xef\xbf\xbd\"");
    EXPECT_EQ(in_quotes("abc\xc3\xa9", 4), "\"abc\"...");
    EXPECT_EQ(in_quotes("abc\xc3\xa9", 5), "\"abc\xc3\xa9\"");
}

TEST(JsonWriter, PutsCommasWhereTheyBelong) {
    JsonWriter json;
    json.begin_object().key("a").value(true).key("b").begin_array();
    json.value(int64_t{-1}).begin_object().end_object().begin_array().end_array().value("x").end_array();
    json.key("c").begin_object().key("d").value(uint64_t{0}).end_object().end_object();
    EXPECT_EQ(json.take(), R"({"a":true,"b":[-1,{},[],"x"],"c":{"d":0}})");
    json.begin_array().end_array();
    EXPECT_EQ(json.take(), "[]");
}

TEST(JsonWriter, WritesNumbersThatReadBackTheSame) {
    const auto written = [](auto number) {
        JsonWriter json;
        json.value(number);
        return json.take();
    };
    EXPECT_EQ(written(std::numeric_limits<uint64_t>::max()), "18446744073709551615");
    EXPECT_EQ(written(std::numeric_limits<int64_t>::min()), "-9223372036854775808");
    EXPECT_EQ(written(0.1), "0.1");
    EXPECT_EQ(std::stod(written(1.0 / 3)), 1.0 / 3);
    EXPECT_EQ(written(0.1f), "0.1");
    EXPECT_EQ(std::stof(written(1.0f / 3)), 1.0f / 3);
    EXPECT_EQ(written(std::numeric_limits<float>::infinity()), "null");
    EXPECT_EQ(written(9223372036854774784.0), "9223372036854774784");
    // Read as an integer it would fit into none.
    EXPECT_EQ(written(98765432109876543210.0), "9.876543210987654e+19");
    EXPECT_EQ(written(std::nan("")), "null");
    EXPECT_EQ(written(-std::numeric_limits<double>::infinity()), "null");
}

TEST(JsonWriter, WhatIsJsonAlreadyStaysOnItsLine) {
    JsonWriter json;
    json.begin_array().json("{\"a\":\r\n[1.0]}").json("null").end_array();
    EXPECT_EQ(json.take(), "[{\"a\":  [1.0]},null]");
}

}  // namespace
}  // namespace llmd::base
