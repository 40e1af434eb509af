// JSON as programs write it is read, and what no JSON is, is not.
#include "base/value.h"

#include <gtest/gtest.h>

namespace llmd::base {
namespace {

// The text of the string that `json` is, and whether a character was replaced.
std::pair<std::string, bool> read(std::string_view json) {
    bool has_replaced = false;
    const auto value = parse_json(json, &has_replaced);
    if (!value) return {"refused", has_replaced};
    const auto* text = value->get<std::string>();
    return {text ? *text : json_text(*value), has_replaced};
}

TEST(Json, HalfOfASurrogatePairIsReplacedAndThatIsSaid) {
    const std::string bad = "\xEF\xBF\xBD";
    EXPECT_EQ(read(R"("a\ud83d")"), std::pair("a" + bad, true));
    EXPECT_EQ(read(R"("\ude00b")"), std::pair(bad + "b", true));
    EXPECT_EQ(read(R"("\uD83D\uD83D\uDE00")"), std::pair(bad + "\U0001F600", true)) << "a half before a whole pair";
    EXPECT_EQ(read(R"("\ude00\ud83d")"), std::pair(bad + bad, true));
    EXPECT_EQ(read(R"({"\ud83d":"\\ud83d"})"), std::pair("{\"" + bad + "\":\"\\\\ud83d\"}", true))
        << "in keys too, and not behind a backslash that is text";
}

TEST(Json, WhatIsWholeStaysAsItIs) {
    EXPECT_EQ(read(R"("\ud83d\ude00 \\ud83d \n")"), std::pair(std::string("\U0001F600 \\ud83d \n"), false));
    EXPECT_EQ(read(R"("\u0041\u00e4")"), std::pair(std::string("A\u00e4"), false));
}

TEST(Json, AByteOrderMarkInFrontIsSkipped) {
    EXPECT_EQ(read("\xEF\xBB\xBF[1]"), std::pair(std::string("[1]"), false));
    EXPECT_EQ(read("\xEF\xBB\xBF").first, "refused");
}

TEST(Json, WhatIsNoJsonIsRefused) {
    for (const char* text :
         {R"("\ud83")", R"("\ud83d)", R"("\x")", R"("\)", "\"\xed\xa0\x80\"", "[1,]", "", R"({"a":1,"a":2})"}) {
        EXPECT_EQ(read(text), std::pair(std::string("refused"), false)) << text;
    }
}

}  // namespace
}  // namespace llmd::base
