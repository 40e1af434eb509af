// Compiled OpenCL programs kept in files, so that a phone compiles them once and not at every load; and in other
// directories that they have passed their self-test (gpu/self_test.h), and which device is the fastest for a model
// (generation/device_choice.h). A file is a header (magic, key, length, checksum;
// little endian) and what the driver gave as CL_PROGRAM_BINARIES.
//
// Nothing here fails: a file that is missing, damaged, another user's, of another key or unreadable is no program, and
// a directory that cannot be written keeps none. Processes may share a directory. Thread-bound.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace llmd::compute {

inline constexpr uint64_t kMaxProgramCacheBytes = 64u << 20;  // all files; a kernel set takes one to three MiB
inline constexpr uint64_t kMaxProgramBytes = 16u << 20;       // one; larger ones are not kept

// $XDG_CACHE_HOME/llmd/`name`, or ~/.cache/llmd/`name`; empty when the environment has no absolute path for either.
// Makes no directory.
std::filesystem::path user_cache_directory(std::string_view name);

// The directory of a driver's own cache: the one that the environment's `variable` names, else
// user_cache_directory(name), which the variable then names. It exists afterwards, since drivers make at most the last
// directory of a path. Empty when there can be none (a read-only home); drivers work without.
std::filesystem::path prepare_cache_directory(const char* variable, std::string_view name);

// Tells programs apart: 64-bit FNV-1a over the parts and their lengths.
uint64_t program_key(std::span<const std::string_view> parts);

class ProgramCache {
public:
    // An empty path: nothing is kept. All files together take at most `max_bytes`.
    explicit ProgramCache(std::filesystem::path directory, uint64_t max_bytes = kMaxProgramCacheBytes)
        : directory_(std::move(directory)), max_bytes_(max_bytes) {}

    // The binary kept under `key`. It leaves the cache until put_back() or keep(): one that ends the process
    // (Quirk::AbortsOnBinary) is loaded once, not at every start.
    std::optional<std::vector<std::byte>> take(uint64_t key) const;
    // Returns the entry under `key`, which stays and is now the newest of the cache: for bytes that end no process.
    std::optional<std::vector<std::byte>> peek(uint64_t key) const;
    // The driver took what take() gave: it is now the newest of the cache.
    void put_back(uint64_t key) const;
    // Writes the file at once or not at all (0600, in a directory of 0700), then deletes the oldest files until the
    // rest takes at most the cache's bytes.
    void keep(uint64_t key, std::span<const std::byte> binary) const;

private:
    std::filesystem::path file_of(uint64_t key) const;
    std::filesystem::path taken_file_of(uint64_t key) const;
    void delete_oldest() const;

    // The most bytes of one entry.
    uint64_t max_entry_bytes() const { return std::min(kMaxProgramBytes, max_bytes_); }

    std::filesystem::path directory_;
    uint64_t max_bytes_;
};

}  // namespace llmd::compute
