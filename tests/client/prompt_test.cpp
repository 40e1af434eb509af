// Where the prompt comes from, with a pipe in the place of standard input.
#include "client/prompt.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "base/unique_fd.h"
#include "client/exit_code.h"

namespace llmd::client {
namespace {

// A pipe that holds `text` and is closed for writing.
base::UniqueFd input(std::string_view text) {
    std::array<int, 2> ends;
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    EXPECT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ::close(ends[1]);
    return base::UniqueFd(ends[0]);
}

TEST(Prompt, WordsAreJoinedBySpaces) {
    EXPECT_EQ(read_prompt({"Once", "upon"}, input("").get()), "Once upon");
}

TEST(Prompt, InputAloneLosesItsLastLineBreakOnly) {
    EXPECT_EQ(read_prompt({}, input("Once\nupon\n\n").get()), "Once\nupon\n");
    EXPECT_EQ(read_prompt({"-"}, input("Once").get()), "Once");
    EXPECT_EQ(read_prompt({}, input("").get()), "");
}

TEST(Prompt, InputIsAppendedOnANewLine) {
    EXPECT_EQ(read_prompt({"Sum", "up:"}, input("a letter\n").get()), "Sum up:\na letter");
    EXPECT_EQ(read_prompt({"Sum up:", "-"}, input("a letter\n").get()), "Sum up:\na letter");
}

TEST(Prompt, APipeThatNobodyWritesToIsNotWaitedForWhenThereAreWords) {
    std::array<int, 2> ends;
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    const base::UniqueFd read_end(ends[0]);
    const base::UniqueFd write_end(ends[1]);
    EXPECT_EQ(read_prompt({"Once"}, read_end.get()), "Once");
}

TEST(Prompt, InputThatIsNotUtf8IsRefusedWithItsOffset) {
    for (const auto& [text, offset] : std::vector<std::pair<std::string, int>>{
             {"ab\xff", 2}, {"\xc3", 0}, {"a\xed\xa0\x80", 1}, {"\xf4\x90\x80\x80", 0}}) {
        try {
            read_prompt({}, input(text).get());
            ADD_FAILURE() << "accepted: " << offset;
        } catch (const CommandError& error) {
            EXPECT_EQ(error.code(), ExitCode::Usage);
            EXPECT_EQ(error.what(), "standard input: not UTF-8 text at byte " + std::to_string(offset));
        }
    }
}

TEST(Prompt, ANulByteIsCalledSo) {
    try {
        read_prompt({}, input(std::string("a\0b", 3)).get());
        ADD_FAILURE() << "accepted";
    } catch (const CommandError& error) {
        EXPECT_STREQ(error.what(), "standard input: a NUL byte at byte 1");
    }
}

TEST(Prompt, EndlessInputIsRefused) {
    const base::UniqueFd zero(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
    try {
        read_prompt({}, zero.get());
        FAIL() << "accepted";
    } catch (const CommandError& error) {
        EXPECT_EQ(error.code(), ExitCode::TooLong);
    }
}

TEST(TextFile, ThatCannotBeReadIsNamedWithItsOption) {
    try {
        read_text_file("--json-schema", "/nowhere");
        ADD_FAILURE() << "accepted";
    } catch (const CommandError& error) {
        EXPECT_EQ(error.code(), ExitCode::Usage);
        EXPECT_STREQ(error.what(), "--json-schema: /nowhere: No such file or directory");
    }
    EXPECT_EQ(read_text_file("--json-schema", "/dev/null"), "");
}

TEST(Texts, AreTheWordsOrTheLinesOfTheInput) {
    EXPECT_EQ(read_texts({"a b", "-"}, input("not asked for").get()), (std::vector<std::string>{"a b", "-"}));
    EXPECT_EQ(read_texts({}, input("a b\n\nc\n").get()), (std::vector<std::string>{"a b", "", "c"}));
    EXPECT_EQ(read_texts({"-"}, input("a").get()), std::vector<std::string>{"a"});
    EXPECT_TRUE(read_texts({}, input("").get()).empty());
    EXPECT_THROW((void)read_texts({}, input("\xff").get()), CommandError);
}

}  // namespace
}  // namespace llmd::client
