// Requests as llmd's socket takes them, OpenAI's. Those for texts are streamed, with the counts at the end. Pure.
#pragma once

#include <string>
#include <vector>

#include "client/http_exchange.h"
#include "client/value.h"

namespace llmd::client {

// Options have their D-Bus names. With `system` a prompt is a conversation, as it is on the bus.
// What JSON cannot say, and what the socket would pass over, throws CommandError(Usage) naming the option.
HttpRequest completion_request(const std::string& prompt, const Dictionary& options);
// Messages as LlmdClient::stream_chat() takes them.
HttpRequest chat_request(std::vector<Dictionary> messages, Dictionary options);
HttpRequest embeddings_request(const std::vector<std::string>& texts, const Dictionary& options);

}  // namespace llmd::client
