// The notes on what of a schema a grammar does not enforce. Thread-bound.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace llmd::constraint {

inline constexpr size_t kMaxUnconstrained = 64;  // notes that are kept; an answer delivers fewer still

struct Unconstrained {
    // A keyword that is not supported is an error. Otherwise it alone is left out, and what stands beside it holds.
    bool is_strict = false;
    std::string field;               // in front of the notes: "json_schema", "tools[2].function.parameters"
    std::vector<std::string> notes;  // `json_schema: at "#/properties/a": "not" is not supported; it is not enforced`

    // Adds a sentence, unless it is there already: schemas of one text may be read several times.
    template <typename... Parts>
    void add(const Parts&... parts) {
        std::string note = base::concat(field, ": ", parts...);
        if (notes.size() < kMaxUnconstrained && std::find(notes.begin(), notes.end(), note) == notes.end()) {
            notes.push_back(std::move(note));
        }
    }
};

}  // namespace llmd::constraint
