// The options that D-Bus methods, /llmd/stream and /llmd/embed have beside those that api/fields.h reads under their
// names on the bus: the prompt, the messages or the inputs. Pure: knows no bus, so that it can be fuzzed and tested by
// itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "base/result.h"
#include "base/value.h"

namespace llmd::api {

// These make the prompt or the messages part of `call.request`, with call.system in front. PromptTooLong past
// `most_bytes` in all; InvalidArgument names a message that is malformed ("messages[2].role: ...") or an option that
// does not go with a conversation.
inline constexpr size_t kMostBytes = service::RequestLimits::kMaxPromptBytes;
base::Result<void> take_prompt(Call& call, std::string prompt, size_t most_bytes = kMostBytes);
base::Result<void> take_messages(Call& call, base::Value::Array messages, size_t most_bytes = kMostBytes);
// Takes the inputs of an embedding: at most kMaxBusInputs.
base::Result<void> take_inputs(Call& call, const std::vector<std::string>& inputs, size_t most_bytes = kMostBytes);

// The call of a JSON body: the options, and beside them `prompt` or `messages`, or `inputs`. A text is as long as the
// socket lets it be.
base::Result<Call> read_own_call(std::string_view body);
base::Result<Call> read_own_embedding(std::string_view body);

// The option `model` by itself, as Tokenize takes it; empty when absent.
base::Result<std::string> parse_model_option(const base::Value::Object& options);

// The argument of SetPriority, with the same message as the option's.
base::Result<service::Priority> parse_priority(const std::string& name);

}  // namespace llmd::api
