// Random regular expressions of a few letters, and the texts that tell them apart.
#pragma once

#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "base/error.h"

namespace llmd::test {

inline std::string random_pattern(std::mt19937& random, int depth) {
    const auto one_of = [&](std::initializer_list<const char*> all) { return *(all.begin() + random() % all.size()); };
    std::string pattern;
    for (size_t n = random() % 3 + 1; n > 0; --n) {
        if (depth > 0 && random() % 3 == 0) {
            pattern += base::concat(one_of({"(", "(?:"}), random_pattern(random, depth - 1), ")");
        } else {
            pattern += one_of({"a", "b", ".", "[ab]", "[^a]", "a", "b", "^", "$"});
        }
        if (pattern.back() != '^' && pattern.back() != '$' && random() % 3 == 0) {
            pattern += one_of({"*", "+", "?", "{2}", "{1,2}", "{2,}", "*?"});
        }
    }
    return depth > 0 && random() % 4 == 0 ? base::concat(pattern, '|', random_pattern(random, depth - 1)) : pattern;
}

// All texts of up to five letters.
inline std::vector<std::string> short_texts() {
    std::vector<std::string> texts = {""};
    for (size_t i = 0; texts[i].size() < 5; ++i) {
        for (const char c : {'a', 'b', 'c'}) texts.push_back(texts[i] + c);
    }
    return texts;
}

}  // namespace llmd::test
