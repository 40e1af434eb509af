// Embeddings in OpenAI's and in Ollama's shapes, from the outcomes of their requests in the order of the inputs. Pure.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "http/embeddings_body.h"
#include "service/request.h"

namespace llmd::http {

using Outcomes = std::vector<service::Outcome>;

// {"object":"list","data":[{"object":"embedding","index":0,"embedding":…}],"model":…,"usage":…}
std::string openai_embeddings(const Outcomes& outcomes, EmbeddingEncoding encoding);
// {"model":…,"embeddings":[[…]],…}; durations are nanoseconds, `took` is the whole call's.
std::string ollama_embed(const Outcomes& outcomes, std::chrono::nanoseconds took);
// {"embedding":[…]}: the older call.
std::string ollama_embedding(const Outcomes& outcomes);

}  // namespace llmd::http
