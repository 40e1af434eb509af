// Help that fits the terminal that it is read in, and what programs read of it.
#include "client/help.h"

#include <gtest/gtest.h>

#include "client/output.h"

namespace llmd::client {
namespace {

std::vector<std::string> lines_of(std::string text) {
    std::vector<std::string> lines;
    for (size_t end; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1)) {
        lines.push_back(text.substr(0, end));
    }
    EXPECT_EQ(text, "") << "every line ends";
    return lines;
}

TEST(Help, NoLineIsLongerThanTheTerminalUnlessItIsAnExample) {
    for (const size_t columns : {40u, 60u, 80u, 100u}) {
        for (const std::string& line : lines_of(general_help(columns))) {
            EXPECT_TRUE(columns_of(line) <= columns || line.starts_with("Try:") || line.starts_with("Usage:")) << line;
        }
        for (const CommandSpec& command : command_table()) {
            for (const std::string& line : lines_of(help_of(command, columns))) {
                const bool is_example = line.starts_with("  llmctl ") || line.starts_with("  { ");
                EXPECT_TRUE(columns_of(line) <= columns || is_example) << columns << ": " << line;
            }
        }
    }
}

TEST(Help, WideAndNarrowHelpHaveTheSameWords) {
    const auto words = [](const std::string& text) {
        std::string out;
        for (const std::string& line : lines_of(text)) {
            for (const char c : line) {
                if (c != ' ') out += c;
            }
        }
        return out;
    };
    for (const CommandSpec& command : command_table()) {
        EXPECT_EQ(words(help_of(command, 40)), words(help_of(command, 200))) << command.name;
    }
}

TEST(Help, AnExampleStaysOnItsLine) {
    const std::string help = help_of(*find_command("remote"), 40);
    EXPECT_NE(help.find("\n  llmctl generate --model qwen3-32b@home \"Once upon a time\"\n"), std::string::npos);
    EXPECT_EQ(help.find("--temperature"), std::string::npos) << "an option of another command";
}

}  // namespace
}  // namespace llmd::client
