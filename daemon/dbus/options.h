// The options dictionary of the D-Bus methods and the messages of a conversation, validated into a GenerateRequest.
// Pure: knows no bus, so that it can be fuzzed and tested by itself; dictionaries.h converts D-Bus variants to
// OptionMap. Unknown keys are ignored. A known key of the wrong type or out of range is InvalidArgument naming key,
// value and what is allowed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "service/request.h"

namespace llmd::dbus {

// A value of a type that no option has; `signature` is its D-Bus type, for the message.
struct OtherType {
    std::string signature;
};

// Every D-Bus integer type becomes int64_t, or uint64_t if it is 't'.
using OptionValue = std::variant<bool, int64_t, uint64_t, double, std::string, std::vector<std::string>, OtherType>;
using OptionMap = std::map<std::string, OptionValue>;

enum class TextDelivery : uint8_t { Pipe, Signals };
enum class PipeFormat : uint8_t { JsonLines, Text };

struct GenerateOptions {
    service::GenerateRequest request;  // all but client, prompt and messages
    std::optional<std::string> system;
    std::string handle_token;  // empty: none was given
    TextDelivery delivery = TextDelivery::Pipe;
    PipeFormat format = PipeFormat::JsonLines;
};

base::Result<GenerateOptions> parse_generate_options(const OptionMap& options);

// What is asked: makes it part of `options.request`, with options.system in front. PromptTooLong past kMaxPromptBytes
// in all; InvalidArgument names a message that is malformed ("messages[2].role: ...") or an option that does not go
// with a conversation.
base::Result<void> take_prompt(GenerateOptions& options, std::string prompt);
base::Result<void> take_messages(GenerateOptions& options, const std::vector<OptionMap>& messages);

// The option `model` by itself, as Tokenize takes it; empty when absent.
base::Result<std::string> parse_model_option(const OptionMap& options);

// The argument of SetPriority, with the same message as the option's.
base::Result<service::Priority> parse_priority(const std::string& name);

// Bytes of a handle_token, so that an object path stays short.
inline constexpr size_t kMaxHandleTokenBytes = 64;

}  // namespace llmd::dbus
