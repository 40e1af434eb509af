// What a person is told of one that was cut.
#include "client/text_stream.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "client/exit_code.h"

namespace llmd::client {
namespace {

TEST(CutHint, NamesWhatAllowsMore) {
    const auto hint = [](const char* reason, uint64_t count, const Dictionary& options) {
        return cut_hint({{"finish_reason", reason}, {"generated_tokens", count}}, options);
    };
    EXPECT_EQ(hint("length", 40, {{"max_tokens", uint64_t{40}}}),
              "llmctl: cut after 40 tokens; --max-tokens allows more\n");
    EXPECT_EQ(hint("length", 256, {}), "llmctl: cut after 256 tokens; --max-tokens allows more\n");
    EXPECT_EQ(hint("length", 1, {{"max_tokens", uint64_t{40}}}),
              "llmctl: cut after 1 token, where the model's context is full; the setting context_length says how long "
              "it is\n");
    for (const char* reason : {"stop", "tool_calls", "cancelled", "timeout"})
        EXPECT_EQ(hint(reason, 40, {}), "") << reason;
}

}  // namespace
}  // namespace llmd::client
