// Answers in Ollama's shapes; streams are lines of JSON, durations nanoseconds and never 0 for what has happened. A
// call of a tool is told whole, in a line of its own where there are lines, and not at all when it was cut. Pure.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "http/answer_format.h"
#include "service/model_catalogue.h"

namespace llmd::http {

enum class OllamaKind : uint8_t { Generate, Chat };

// Of an answer of one choice.
std::unique_ptr<AnswerFormat> make_ollama_format(OllamaKind kind);

// {"error":"…"}, with the status of the error.
Reply ollama_error(const base::Error& error);

// The answer to a call that only loads `model`.
std::string ollama_loaded(OllamaKind kind, const AnswerHead& head);

// {"models":[…]}: of tags, and of ps for those that are loaded.
std::string ollama_models(const std::vector<service::ModelEntry>& models);
// What show tells of one.
std::string ollama_model(const service::ModelEntry& model);

}  // namespace llmd::http
