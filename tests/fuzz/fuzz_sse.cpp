// Hostile streams of a remote: they are cut into the same events however their bytes arrive, and whatever is read of an
// event is clean and within limits. Input: a byte that chooses framing and form, one that cuts, and then the stream.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "remote/sse_reader.h"
#include "remote/upstream_json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using namespace llmd::remote;
using llmd::base::is_clean_text;

void require(bool holds) {
    if (!holds) __builtin_trap();
}

struct Cut {
    std::vector<StreamEvent> events;
    bool ok = true;
    bool operator==(const Cut&) const = default;
};

Cut cut(Framing framing, std::string_view stream, size_t step) {
    SseReader reader(framing);
    Cut all;
    for (size_t at = 0; at < stream.size() && all.ok; at += step) {
        all.ok = reader.feed(stream.substr(at, step), all.events).has_value();
    }
    return all;
}

void check_event(Shape shape, const std::string& data) {
    const auto event = read_event(shape, data);
    if (!event) return;
    require(is_clean_text(event->text) && is_clean_text(event->thinking) && is_clean_text(event->other_finish));
    require(event->finish != llmd::protocol::FinishReason::Error);
    for (const int32_t id : event->ids) require(id >= 0);
    for (const auto& told : event->logprobs) {
        require(std::isfinite(told.chosen.logprob) && told.chosen.logprob <= 0);
        require(told.top.size() <= llmd::protocol::kMaxTopLogprobs);
    }
    if (event->error) require(is_clean_text(event->error->message) && event->error->message.size() <= kMaxToldBytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size < 2) return 0;
    const auto framing = static_cast<Framing>(data[0] & 1);
    const auto shape = static_cast<Shape>((data[0] >> 1) & 3);
    const std::string_view stream(reinterpret_cast<const char*>(data) + 2, size - 2);
    const Cut whole = cut(framing, stream, stream.size() + 1);
    const Cut pieces = cut(framing, stream, 1 + data[1] % 7);
    require(whole == pieces);
    for (const StreamEvent& event : whole.events) check_event(shape, event.data);
    // The same bytes as an answer that is read whole.
    if (const auto models = read_models(stream)) {
        for (const auto& model : *models) require(is_clean_text(model.id) && !model.id.empty());
    }
    if (const auto embedding = read_embedding(stream)) {
        for (const float value : embedding->values) require(std::isfinite(value));
    }
    (void)read_tokens(stream);
    (void)read_shown_model(stream);
    if (const auto error = read_error(stream)) (void)says_context_exceeded(*error);
    return 0;
}
