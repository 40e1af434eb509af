// A file of a model as long as it is incomplete, and the bytes that come for it. All throw CommandError(Failed); where
// the fault is the server's the message goes on from the file's name ("is longer than ...").
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "base/unique_fd.h"
#include "client/pull/digest.h"

namespace llmd::client {

// Locked as long as this process has it.
struct PartialFile {
    base::UniqueFd fd;
    std::string path;
};

// Opens or makes `folder`/`key`, and removes what other files there nobody has touched for a week. Fails where another
// process has it.
PartialFile open_partial(const std::string& folder, const std::string& key);
// Takes its name away.
void remove_partial(const PartialFile& partial);

// Bytes that are there, and how many there will be; 0: the server does not say.
using DownloadProgress = std::function<void(uint64_t done_bytes, uint64_t size_bytes)>;

// A server says this before the bytes.
struct AnswerHead {
    bool is_rest = false;            // 206: it begins where it was asked to, else at the beginning
    std::optional<uint64_t> length;  // of this answer
    std::string content_range;
    std::string content_type;
    std::string validator;  // tells whether a file is still the same (RFC 9110, 13.1.5); empty without one
};

// "bytes 10-99/100", "bytes 10-99/*", or "bytes */100" of an answer that has none (RFC 9110, 14.4).
struct ContentRange {
    uint64_t first = 0;
    std::optional<uint64_t> size;
};
std::optional<ContentRange> parse_content_range(std::string_view text);

// Writes, hashes and counts. The bytes of a file without a hash are only used again with the validator that is kept
// beside it (`path` + ".validator"). Only a GGUF file is written at all, and never more than leaves the disk
// kReserveBytes.
class Arrival {
public:
    // `size_bytes`: what it must be; nothing: what the server says. Reads what is there already. `partial` and
    // `progress` must outlive this.
    Arrival(PartialFile& partial, std::optional<uint64_t> size_bytes, Digest digest, const DownloadProgress& progress);

    uint64_t have() const { return have_; }
    bool is_complete() const { return size_ != 0 && have_ == size_; }
    // For the next request; empty where a hash will show it.
    std::string validator() const;

    void begin(const AnswerHead& head);
    void take(std::span<const char> bytes);
    // Forgets all that has come.
    void restart();
    // Once everything has come: flushes to the disk, and removes what has another hash.
    void verify();

private:
    bool has_hash() const { return digest_.kind != Digest::Kind::None; }
    void read_back(uint64_t size_bytes);
    void write(std::span<const char> bytes);
    void keep_validator(const std::string& text);
    void require_room() const;

    PartialFile& partial_;
    const std::optional<uint64_t> expected_bytes_;
    const Digest digest_;
    const DownloadProgress& progress_;
    uint64_t size_;  // 0: not known
    uint64_t have_ = 0;
    Hasher hasher_;
    std::string content_type_;
};

}  // namespace llmd::client
