// The word that somebody who mistyped most likely meant.
#include "client/suggestion.h"

#include <gtest/gtest.h>

namespace llmd::client {
namespace {

TEST(Suggestion, IsTheNearest) {
    const std::vector<std::string> known = {"generate", "chat", "models", "smollm2-135m", "smollm2-360m"};
    EXPECT_EQ(nearest_word("genrate", known), "generate") << "left out";
    EXPECT_EQ(nearest_word("genearte", known), "generate") << "swapped";
    EXPECT_EQ(nearest_word("caht", known), "chat") << "swapped, which counts as one";
    EXPECT_EQ(nearest_word("chats", known), "chat") << "added";
    EXPECT_EQ(nearest_word("smollm2-136m", known), "smollm2-135m") << "changed";
    EXPECT_EQ(nearest_word("mod", known), "models") << "begun";
}

TEST(Suggestion, IsNothingWhereNothingIsNear) {
    const std::vector<std::string> known = {"generate", "chat", "smollm2-135m", "smollm2-360m"};
    for (const char* word : {"", "x", "sing", "hcta", "smollm2"}) EXPECT_EQ(nearest_word(word, known), "") << word;
    EXPECT_EQ(nearest_word("sing", {}), "");
    EXPECT_EQ(nearest_word(std::string(100'000, 'a'), known), "");
}

TEST(Suggestion, IsSaidBehindTheError) {
    EXPECT_EQ(suggestion("caht", {"chat"}), R"(; did you mean "chat"?)");
    EXPECT_EQ(suggestion("sede", {"seed"}, "--"), R"(; did you mean "--seed"?)");
    EXPECT_EQ(suggestion("sing", {"chat"}), "");
}

}  // namespace
}  // namespace llmd::client
