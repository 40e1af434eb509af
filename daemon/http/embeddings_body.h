// The bodies of OpenAI's embeddings and of Ollama's embed, each validated into one GenerateRequest. Pure.
// `input` is a text or an array of them, and over OpenAI's API also a text's token ids or an array of those; the older
// of Ollama's calls has one `prompt`. priority and deadline_ms (of the whole call) are read as well. Fields that are
// not known are ignored, Ollama's options too, none of which changes an embedding; `dimensions` is refused. Nothing is
// ever truncated, whatever `truncate` says: an input that is longer than the context is an error.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "service/request.h"

namespace llmd::http {

enum class EmbeddingEncoding : uint8_t {
    Numbers,
    Base64,  // of the float32 values, little-endian
};

struct EmbeddingsCall {
    service::GenerateRequest request;  // all but whose it is
    EmbeddingEncoding encoding = EmbeddingEncoding::Numbers;
};

// InvalidArgument names the field and its value.
base::Result<EmbeddingsCall> parse_embeddings(std::string_view body);
base::Result<EmbeddingsCall> parse_ollama_embed(std::string_view body);
base::Result<EmbeddingsCall> parse_ollama_embeddings(std::string_view body);

}  // namespace llmd::http
