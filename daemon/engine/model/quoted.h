// Text from an untrusted file, made fit for an error message.
#pragma once

#include <string>
#include <string_view>

namespace llmd::model {

// In double quotes, cut at 64 bytes; every byte that is not printable ASCII becomes '?', because messages travel on
// transports that want valid UTF-8 and into logs that want one line.
std::string quoted(std::string_view text);

}  // namespace llmd::model
