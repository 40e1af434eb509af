// The token that the bridge asks for, kept in a file: neither `ps` nor a shell's history shows it.
#pragma once

#include <cstddef>
#include <string>

namespace llmd::client {

// A token that cannot be guessed has at least so many characters.
inline constexpr size_t kMinTokenLength = 16;
inline constexpr size_t kMaxTokenLength = 4096;

// The first line of the file; where there is none, one of 256 random bits is written to it (0600), and standard error
// says so. Throws CommandError: Usage, naming the file, when it is not the user's own, others may read it, or it holds
// no token (visible ASCII, kMinTokenLength to kMaxTokenLength); Failed when it cannot be read or written.
std::string bridge_token(const std::string& path);

}  // namespace llmd::client
