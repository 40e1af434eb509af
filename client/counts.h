// Counts for people.
#pragma once

#include <cstdint>
#include <string>

namespace llmd::client {

// "1 request", "2 requests"
std::string counted(uint64_t count, const std::string& noun);

// "6.8 MB", in powers of 1000 as file managers count.
std::string size_text(uint64_t bytes);

}  // namespace llmd::client
