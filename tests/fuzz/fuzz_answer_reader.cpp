// Hostile answers: whatever a model writes, it is read without getting stuck, the events are in order and clean, and
// they say the same however the answer is cut. Input: a byte that chooses the syntax, one for thinking, one that cuts,
// and then the answer.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "engine/chat/answer_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using namespace llmd;
using chat::AnswerEvent;
using Kind = AnswerEvent::Kind;

void require(bool holds) {
    if (!holds) __builtin_trap();
}

// Appends events, joining those that continue one another.
void join(std::vector<AnswerEvent> events, std::vector<AnswerEvent>& all) {
    for (AnswerEvent& event : events) {
        const bool continues =
            event.kind == Kind::Text || event.kind == Kind::Thinking || event.kind == Kind::CallArguments;
        require(base::is_clean_text(event.text));
        require(!continues || !event.text.empty());
        if (continues && !all.empty() && all.back().kind == event.kind) {
            all.back().text += event.text;
        } else {
            all.push_back(std::move(event));
        }
    }
}

// Reads the text in pieces of `length` bytes, or up to three more, where no character is cut.
std::vector<AnswerEvent> read(const chat::AnswerReader::Options& options, std::string_view text, size_t length) {
    chat::AnswerReader reader(options);
    std::vector<AnswerEvent> all;
    while (!text.empty()) {
        size_t end = std::min(length, text.size());
        while (end < text.size() && (static_cast<uint8_t>(text[end]) & 0xC0) == 0x80) ++end;
        join(reader.feed(text.substr(0, end)), all);
        text.remove_prefix(end);
    }
    join(reader.finish(), all);
    return all;
}

void check_order(const std::vector<AnswerEvent>& events) {
    uint32_t n_calls = 0;
    bool in_call = false;
    for (const AnswerEvent& event : events) {
        const bool is_of_call = event.kind == Kind::CallArguments || event.kind == Kind::CallEnd;
        require(is_of_call == in_call);
        if (event.kind == Kind::CallBegin) {
            require(event.call == n_calls++);
            in_call = true;
        }
        require(!is_of_call || event.call + 1 == n_calls);
        if (event.kind == Kind::CallEnd) in_call = false;
    }
    require(!in_call);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const std::vector<chat::Tool> tools = {
        {.name = "f", .properties = {{"a", chat::ValueKind::Text}, {"b"}, {"c", chat::ValueKind::TextOrNull}}},
        {.name = "find"},
    };
    if (size < 3) return 0;
    const std::string text = base::to_clean_text({reinterpret_cast<const char*>(data) + 3, size - 3});
    const auto syntaxes = chat::call_syntaxes();
    chat::AnswerReader::Options options{.syntax = syntaxes[data[0] % syntaxes.size()], .tools = tools};
    if (data[1] % 3 != 0) options.thinking = chat::kThinkTags;
    options.begins_in_thinking = data[1] % 3 == 2;
    options.calls_come_first = data[1] % 5 == 4;
    const auto whole = read(options, text, text.size());
    check_order(whole);
    require(read(options, text, 1 + data[2] % 16) == whole);
    return 0;
}
