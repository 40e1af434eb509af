// Answers in Ollama's shapes; streams are lines of JSON, durations nanoseconds and never 0 for what has happened. A
// call of a tool is sent whole, in a line of its own where there are lines, and not at all when it was cut.
// Log-probabilities stand beside the text that they are about. Pure.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "http/body_format.h"

namespace llmd::http {

enum class OllamaKind : uint8_t { Generate, Chat };

// Makes the format of an answer of one choice.
std::unique_ptr<BodyFormat> make_ollama_format(OllamaKind kind);

// RFC 3339, as 2026-01-31T12:00:00.000001Z.
std::string ollama_time(std::chrono::system_clock::time_point time);

// {"error":"…"}, with the status of the error.
Reply ollama_error(const base::Error& error);

// The answer to a call that only loads or unloads a model; `done_reason` is "load" or "unload".
std::string ollama_loaded(OllamaKind kind, const AnswerHead& head, std::string_view done_reason);

}  // namespace llmd::http
