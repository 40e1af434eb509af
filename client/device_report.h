// `llmctl report`: what a developer needs to know of a device that nobody else has, and nothing about its owner. Each
// row is built from values that are listed in device_report.cpp: words and figures of llmd, and what hardware and
// systems are called for everybody. Texts that somebody else has chosen go through foreign() with private_words().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace llmd::client {

// Stands where a value was left out.
inline constexpr std::string_view kLeftOut = "(left out)";

// `text`, the name of hardware, a driver or a system; kLeftOut where it holds one of `private_words` in whatever case
// (a short one: as a word of its own), or anything but letters, digits, spaces and . , : ; ( ) + - _ (a path has a
// slash), or is longer than such names are. Pure.
std::string foreign(std::string_view text, const std::vector<std::string>& private_words);

// Words by which the user or the machine could be known: account, names in its GECOS field, home directory, host. Those
// of fewer than three letters are left out, since they are in everything.
std::vector<std::string> private_words();

}  // namespace llmd::client
