// What the D-Bus methods add to the options that api/fields.h reads: the prompt or the messages, limited as D-Bus
// messages are. Pure: knows no bus, so that it can be fuzzed and tested by itself.
#pragma once

#include <string>
#include <vector>

#include "api/call.h"
#include "base/result.h"
#include "base/value.h"

namespace llmd::dbus {

// What is asked: makes it part of `call.request`, with call.system in front. PromptTooLong past kMaxPromptBytes in all;
// InvalidArgument names a message that is malformed ("messages[2].role: ...") or an option that does not go with a
// conversation.
base::Result<void> take_prompt(api::Call& call, std::string prompt);
base::Result<void> take_messages(api::Call& call, std::vector<base::Value::Object> messages);

// The option `model` by itself, as Tokenize takes it; empty when absent.
base::Result<std::string> parse_model_option(const base::Value::Object& options);

// The argument of SetPriority, with the same message as the option's.
base::Result<service::Priority> parse_priority(const std::string& name);

}  // namespace llmd::dbus
