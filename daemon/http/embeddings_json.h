// The answers to calls for embeddings in OpenAI's, in Ollama's and in llmd's own shapes. None of them is a stream.
// Pure.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "api/call.h"
#include "http/body_format.h"

namespace llmd::http {

// {"object":"list","data":[{"object":"embedding","index":0,"embedding":…}],"model":…,"usage":…}; `n_ctx` as for
// make_openai_format().
std::unique_ptr<BodyFormat> make_openai_embeddings_format(api::EmbeddingEncoding encoding,
                                                          std::function<uint32_t()> n_ctx);
// {"model":…,"embeddings":[[…]],…}; durations are nanoseconds.
std::unique_ptr<BodyFormat> make_ollama_embed_format();
// Likewise of no input.
std::string ollama_no_embeddings(const std::string& model);
// {"embeddings":[[…]],"finish_reason":…} and the members of `info` on the bus.
std::unique_ptr<BodyFormat> make_llmd_embed_format();
// {"embedding":[…]}: the older call.
std::unique_ptr<BodyFormat> make_ollama_embedding_format();

}  // namespace llmd::http
