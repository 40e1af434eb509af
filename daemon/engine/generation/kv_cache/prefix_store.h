// The files of the on-disk prefix cache. Each file has one KV page for a later engine. A page is found by all token ids
// up to its end, by the scope (see prefix_cache.h), by its pool and by the identity of what computed it; the file
// repeats this key, and it is compared whole.
//
// A file has a header (magic, checksum, sizes), the key and the page, all as they are in memory. Its name is
// "FIRST-CHAIN.prefix", or for a page of KvPool::Window "FIRST-CHAIN.window": hashes of the first page of its chain and
// of the whole chain. The ids are those of prompts, so the directory has mode 0700 and the files have mode 0600.
//
// Nothing fails after open(): a file that is missing, torn, damaged or of another chain counts as no page and is
// removed, and a full directory keeps what it has. Only files with such a name are ever removed. Thread-bound.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/compute/backend.h"

namespace llmd::generation {

class PrefixStore {
public:
    using PageBytes = std::array<uint64_t, compute::kKvPools>;  // by pool

    // `identity` names model, engine and numeric fingerprint; pages of another identity are not found. All files
    // together, also those of other identities, take at most `max_bytes`; the least recently used are removed. Failed
    // names the directory if it cannot be created, read or protected.
    static base::Result<PrefixStore> open(std::filesystem::path directory, std::string identity,
                                          const PageBytes& page_bytes, uint64_t max_bytes);
    // Removes the files of all identities. The directory need not exist.
    static void clear(const std::filesystem::path& directory);

    uint64_t page_bytes(compute::KvPool pool) const { return page_bytes_[static_cast<size_t>(pool)]; }

    // Below, `ids` is a chain of whole pages; ids after its last whole page are ignored.

    // Returns for each page of the chain whether it has a file, and makes those that do the most recently used.
    std::vector<bool> use(compute::KvPool pool, std::string_view scope, std::span<const int32_t> ids);
    // Reads the chain's last page into `page`, which has page_bytes(). False if there is none.
    bool read(compute::KvPool pool, std::string_view scope, std::span<const int32_t> ids, std::span<std::byte> page);
    // Saves the chain's last page atomically, and removes pages of other chains to make room. False if that is not
    // enough or writing fails.
    bool write(compute::KvPool pool, std::string_view scope, std::span<const int32_t> ids,
               std::span<const std::byte> page);
    // Removes every chain that begins with the same page.
    void forget(std::string_view scope, std::span<const int32_t> ids);

    uint64_t size_bytes() const { return size_bytes_; }
    size_t n_files() const { return files_.size(); }

private:
    struct File {
        uint64_t bytes = 0;
        int64_t last_used_ns = 0;  // the file's modification time
    };
    using Files = std::map<std::string, File>;  // by name

    PrefixStore(std::filesystem::path directory, std::string identity, const PageBytes& page_bytes, uint64_t max_bytes);

    // Returns the file name of each page of the chain.
    std::vector<std::string> names(compute::KvPool pool, std::string_view scope, std::span<const int32_t> ids) const;
    std::vector<std::byte> key(compute::KvPool pool, std::string_view scope, std::span<const int32_t> ids) const;
    bool read_file(const std::string& name, std::span<const std::byte> key, std::span<std::byte> page) const;
    bool write_file(const std::string& name, std::span<const std::byte> key, std::span<const std::byte> page,
                    int64_t time_ns) const;
    // Returns a time later than every use before.
    int64_t next_time_ns();
    void mark_used(std::span<const std::string> names, int64_t time_ns);
    // Removes files that were last used before `time_ns` until `bytes` more fit.
    bool make_room(uint64_t bytes, int64_t time_ns);
    void remove(Files::iterator file);

    std::filesystem::path directory_;
    std::string identity_;
    PageBytes page_bytes_;
    uint64_t max_bytes_;
    Files files_;
    uint64_t size_bytes_ = 0;
    int64_t newest_ns_ = 0;  // the last use of any file
};

}  // namespace llmd::generation
