#include "engine/server/truncation.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

namespace llmd::engine {

namespace {

using base::concat;

// The part of the context that an answer may ask for when a conversation is cut.
constexpr uint32_t kMostAnswerPart = 4;

size_t n_tokens(const generation::LoadedModel& model, const chat::ChatPrompt& prompt) {
    return model.tokenizer->encode_prompt(prompt.segments).size();
}

// Returns the messages from `first` on, behind those of the system that stand before it.
std::vector<chat::ChatMessage> messages_from(std::span<const chat::ChatMessage> messages, size_t first) {
    std::vector<chat::ChatMessage> kept;
    std::copy_if(messages.begin(), messages.begin() + static_cast<ptrdiff_t>(first), std::back_inserter(kept),
                 [](const chat::ChatMessage& message) { return message.role == chat::ChatMessage::Role::System; });
    kept.insert(kept.end(), messages.begin() + static_cast<ptrdiff_t>(first), messages.end());
    return kept;
}

}  // namespace

base::Result<chat::ChatPrompt> fit(const generation::LoadedModel& model, const chat::ChatInput& input,
                                   uint32_t max_tokens, chat::ChatPrompt whole, std::vector<std::string>& notes) {
    const uint32_t n_ctx = model.backend->limits().n_ctx;
    if (n_tokens(model, whole) < n_ctx) return whole;
    const size_t most = n_ctx - std::max(std::min(max_tokens, n_ctx / kMostAnswerPart), 1u);
    std::vector<size_t> turns;  // where each begins
    for (size_t i = 0; i < input.messages.size(); ++i) {
        if (input.messages[i].role == chat::ChatMessage::Role::User) turns.push_back(i);
    }
    const auto render = [&](size_t turn) {
        const auto kept = messages_from(input.messages, turns[turn]);
        chat::ChatInput shorter = input;
        shorter.messages = kept;
        return model.chat_template.render(shorter);
    };
    if (turns.size() < 2) return whole;
    // The later it begins, the shorter it is.
    size_t first = 1;
    for (size_t last = turns.size() - 1; first < last;) {
        const size_t middle = first + (last - first) / 2;
        const auto shorter = render(middle);
        if (!shorter) return shorter.error();
        n_tokens(model, *shorter) <= most ? last = middle : first = middle + 1;
    }
    const size_t n_left = messages_from(input.messages, turns[first]).size();
    notes.push_back(concat("truncate: the oldest ", input.messages.size() - n_left, " of ", input.messages.size(),
                           " messages are left out, because the context holds ", n_ctx, " tokens"));
    return render(first);
}

void cut_input(const generation::LoadedModel& model, generation::GenerationRequest& request,
               std::vector<std::string>& notes) {
    std::vector<int32_t> ids =
        request.prompt_ids.empty() ? model.tokenizer->encode_embedded(request.prompt) : std::move(request.prompt_ids);
    const uint32_t n_ctx = model.backend->limits().n_ctx;
    if (ids.size() > n_ctx) {
        notes.push_back(concat("truncate: what is longer than the context is cut, which holds ", n_ctx, " tokens"));
        const int32_t last = ids.back();
        ids.resize(n_ctx);
        if (model.tokenizer->ends_generation(last)) ids.back() = last;
    }
    request.prompt_ids = std::move(ids);
    if (!request.prompt_ids.empty()) request.prompt.clear();
}

}  // namespace llmd::engine
