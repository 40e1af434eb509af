// Counts for people.
#pragma once

#include <cstdint>
#include <string>

namespace llmd::client {

// "6.8 MB", in powers of 1000 as file managers count.
std::string size_text(uint64_t bytes);

}  // namespace llmd::client
