// Which model is meant, once names have been looked up.
#pragma once

#include <string>

namespace llmd::service {

struct ModelReference {
    std::string name;         // as it was asked for
    std::string path = {};    // of its file; empty: a remote has it
    std::string remote = {};  // empty: this device computes it

    bool is_remote() const { return !remote.empty(); }
    // Equal for what one engine serves: models of one file, under whichever name.
    const std::string& key() const { return is_remote() ? name : path; }
    // MODEL of MODEL@REMOTE.
    std::string name_there() const { return name.substr(0, name.rfind('@')); }
    bool operator==(const ModelReference&) const = default;
};

}  // namespace llmd::service
