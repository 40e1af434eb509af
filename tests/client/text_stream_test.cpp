// What becomes of a text's parts, and what a person is told of one that was cut.
#include "client/text_stream.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "client/exit_code.h"

namespace llmd::client {
namespace {

// A text that has come already.
class GivenText final : public TextSource {
public:
    explicit GivenText(std::vector<StreamLine> lines) : lines_(std::move(lines)) {
        std::array<int, 2> ends;
        EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
        pipe_.reset(ends[0]);
        ::close(ends[1]);  // its end is readable
    }
    int fd() const override { return pipe_.get(); }
    std::optional<std::vector<StreamLine>> read() override { return std::exchange(lines_, {}); }
    Dictionary progress() override { return {}; }

private:
    base::UniqueFd pipe_;
    std::vector<StreamLine> lines_;
};

StreamLine part(uint64_t index, std::string id, std::string name, std::string arguments) {
    return {.kind = StreamLine::Kind::ToolCall, .call = {index, std::move(id), std::move(name), std::move(arguments)}};
}

std::string result_of(std::vector<StreamLine> lines, TextStream::Show show) {
    Interrupts interrupts;
    TextStream text(std::make_unique<GivenText>(std::move(lines)), interrupts, show);
    EXPECT_EQ(text.run(), TextStream::End::Complete);
    base::JsonWriter json;
    write_json(json, text.result());
    return json.take();
}

TEST(TextStream, TellsThinkingAndTextApart) {
    const std::vector<StreamLine> lines = {
        {.kind = StreamLine::Kind::Thinking, .text = "h"},
        {.kind = StreamLine::Kind::Thinking, .text = "m"},
        {.text = "so"},
        {.kind = StreamLine::Kind::Done, .finish_reason = "stop", .info = {{"seed", uint64_t{7}}}}};
    EXPECT_EQ(result_of(lines, {.text = false}), R"({"finish_reason":"stop","seed":7,"text":"so","thinking":"hm"})");
    EXPECT_EQ(result_of(lines, {.text = false, .thinking = false}), R"({"finish_reason":"stop","seed":7,"text":"so"})");
}

TEST(TextStream, PutsCallsTogetherByTheirIndex) {
    const std::vector<StreamLine> lines = {part(0, "a", "look", ""),
                                           part(0, "", "", "{\"x\""),
                                           part(1, "b", "go", "{}"),
                                           part(0, "", "", ":1}"),
                                           {.kind = StreamLine::Kind::Done, .finish_reason = "tool_calls"}};
    EXPECT_EQ(result_of(lines, {.text = false, .thinking = false}),
              R"({"finish_reason":"tool_calls","text":"","tool_calls":[)"
              R"({"id":"a","type":"function","function":{"name":"look","arguments":"{\"x\":1}"}},)"
              R"({"id":"b","type":"function","function":{"name":"go","arguments":"{}"}}]})");
}

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
