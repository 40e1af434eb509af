// Base64 with padding (RFC 4648, section 4). Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace llmd::http {

std::string base64(std::span<const std::byte> bytes);

}  // namespace llmd::http
