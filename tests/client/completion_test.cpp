// The words that may come next on a command line, from its words so far.
#include "client/completion.h"

#include <gtest/gtest.h>

namespace llmd::client {
namespace {

std::vector<std::string> offered(const std::vector<std::string>& words) {
    const Names names = {[] {
                             return std::vector<std::string>{"smollm2", "tales", "qwen3@home"};
                         },
                         [] {
                             return std::vector<std::string>{"home", "hut"};
                         }};
    const Completion completion = complete(words, names);
    std::vector<std::string> out;
    for (const Candidate& candidate : completion.candidates) out.push_back(candidate.word);
    if (completion.files) out.push_back(":");
    return out;
}

using Words = std::vector<std::string>;

TEST(Completion, CommandsComeFirstAndMayFollowTheFlagsOfAll) {
    EXPECT_EQ(offered({"rem"}), Words{"remote"});
    EXPECT_EQ(offered({"--json", "--color", "never", "ver"}), Words{"version"});
    EXPECT_EQ(offered({"help", "ver"}), Words{"version"});
    EXPECT_EQ(offered({"--"}), (Words{"--color", "--json", "--help"}));
    EXPECT_EQ(offered({"--color", ""}), (Words{"auto", "always", "never"}));
    EXPECT_EQ(offered({"sing", ""}), Words());
}

TEST(Completion, AnOptionsValueIsOfItsKind) {
    EXPECT_EQ(offered({"generate", "--model", ""}), (Words{"smollm2", "tales", "qwen3@home"}));
    EXPECT_EQ(offered({"generate", "-m", "s"}), Words{"smollm2"});
    EXPECT_EQ(offered({"generate", "--model=t"}), Words{"--model=tales"});
    EXPECT_EQ(offered({"generate", "--priority", "b"}), Words{"background"});
    EXPECT_EQ(offered({"generate", "--json-schema", ""}), Words{":"});
    EXPECT_EQ(offered({"generate", "--seed", ""}), Words());
    EXPECT_EQ(offered({"remote", "add", "x", "y", "--model", ""}), Words()) << "there it is a model of the machine";
}

TEST(Completion, OperandsAreThoseOfTheirPlace) {
    EXPECT_EQ(offered({"rm", "tales", ""}), (Words{"smollm2", "tales", "qwen3@home"})) << "any number of them";
    EXPECT_EQ(offered({"load", "tales", ""}), Words()) << "only one";
    EXPECT_EQ(offered({"load", "--json", "t"}), Words{"tales"});
    EXPECT_EQ(offered({"config", "e"}), (Words{"edit", "explain"}));
    EXPECT_EQ(offered({"config", "get", "back"}), Words{"backend"});
    EXPECT_EQ(offered({"config", "edit", ""}), Words());
    EXPECT_EQ(offered({"remote", "remove", ""}), (Words{"home", "hut"}));
    EXPECT_EQ(offered({"generate", "--", "--"}), Words()) << "no options behind --";
}

TEST(Completion, IsALineForEach) {
    EXPECT_EQ(completion_text({{{"a", "what it is"}, {"b", ""}}, true}), "a\twhat it is\nb\n:\n");
}

}  // namespace
}  // namespace llmd::client
