// Reads the keys "<architecture>.<name>" of a model file and remembers which have been read, so that no key that
// changes what the model computes can be overlooked: check_all_read() refuses the file if it has a key that was neither
// read nor is known to be harmless. The first error is kept, so that reading many keys stays a list of lines; behind an
// error all functions give some value in range. Thread-bound. The Gguf must outlive it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/model/decoder_spec.h"
#include "engine/model/gguf.h"

namespace llmd::model {

// The keys of a file's architecture, without its name, in alphabetical order.
struct KeyReport {
    std::vector<std::string> read;
    std::vector<std::string> harmless;  // they change nothing in what this model computes
};

class KeyReader {
public:
    KeyReader(const Gguf& gguf, std::string_view architecture);

    bool has(std::string_view name) const { return gguf_.has(key(name)); }
    // Returns the first of `names` that the file has; the first of all if it has none. Other converters than
    // llama.cpp's have names of their own for some keys.
    std::string_view present(std::initializer_list<std::string_view> names) const;

    // The value of one key. An error names the key, its value and the range. An absent key has the value `other`; it is
    // an error if there is no other.
    uint32_t number(std::string_view name, uint32_t least, uint32_t most, std::optional<uint32_t> other = std::nullopt);
    float real(std::string_view name, float least, float most, std::optional<float> other = std::nullopt);
    bool boolean(std::string_view name, bool other);
    std::string_view text(std::string_view name, std::string_view other);

    bool is_array(std::string_view name) const;
    // The elements of an array of integers or booleans, one a layer; empty behind an error.
    std::vector<int32_t> numbers_of_layers(std::string_view name, uint32_t n_layers);
    // As number(). The file may also have an array of the same number for each layer, which converters write that know
    // models whose layers differ. Elements that differ are an error.
    uint32_t number_of_all_layers(std::string_view name, uint32_t n_layers, uint32_t least, uint32_t most,
                                  std::optional<uint32_t> other = std::nullopt);

    // Keeps an error unless every key of the architecture in the file was read or is harmless in a model of this spec,
    // and the file has no keys that say that its weights are stored transformed (prism.hadamard.*). Returns which keys
    // are which.
    KeyReport check_all_read(const DecoderSpec& spec);

    std::string key(std::string_view name) const { return base::concat(prefix_, name); }
    void keep(base::Error error) {
        if (!error_) error_ = std::move(error);
    }
    const std::optional<base::Error>& error() const { return error_; }

private:
    // Returns the key's full name, which counts as read now.
    std::string read(std::string_view name);
    bool is_harmless(std::string_view name, const DecoderSpec& spec) const;

    const Gguf& gguf_;
    std::string prefix_;
    std::set<std::string, std::less<>> read_;  // names
    std::optional<base::Error> error_;
};

}  // namespace llmd::model
