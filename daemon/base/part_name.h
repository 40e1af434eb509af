// The names of the files of a split model, as llama.cpp's converter and its llama-gguf-split write them:
// NAME-00001-of-00003.gguf is the first of three, which describes the model; each has its share of the tensors.
// Pure: any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace llmd::base {

inline constexpr std::string_view kModelSuffix = ".gguf";
// Each part takes a descriptor and a mapping while the model is read, and a process has 1,024 descriptors as a rule.
// The largest models that are published have fewer than 100 parts.
inline constexpr uint32_t kMaxModelParts = 256;

struct PartName {
    std::string stem;     // the path before "-00001-of-00003.gguf"; it ends in a name
    uint32_t number = 0;  // from 1 to count
    uint32_t count = 0;

    // The path of another part.
    std::string of(uint32_t other) const;
};

// Nothing for a path that is not called so.
std::optional<PartName> parse_part_name(std::string_view path);

// "part 2 of 3"
std::string part_text(uint32_t number, uint32_t count);

}  // namespace llmd::base
