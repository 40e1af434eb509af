// A prompt that is longer than the context is cut where its request says `truncate`, as Ollama does it. Reentrant.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/chat/chat_template.h"
#include "engine/generation/loaded_model.h"
#include "engine/generation/sequence.h"

namespace llmd::engine {

// Returns `whole`, which is what `input` renders to, where the context holds it. Else renders `input` without its
// oldest turns, a turn being a message of the user with all that follows it up to the next one: as few of them as make
// room for the answer, which gets its `max_tokens` but no more than a quarter of the context. Messages of the system
// and the last turn stay. A last turn that is too long by itself is returned all the same, for the sequence to refuse.
// What was left out is a note. Errors are those of ChatTemplate::render().
base::Result<chat::ChatPrompt> fit(const generation::LoadedModel& model, const chat::ChatInput& input,
                                   uint32_t max_tokens, chat::ChatPrompt whole, std::vector<std::string>& notes);

// Cuts the end of a text to embed, but for the token that ends each input of the model, so that the context holds it.
void cut_input(const generation::LoadedModel& model, generation::GenerationRequest& request,
               std::vector<std::string>& notes);

}  // namespace llmd::engine
