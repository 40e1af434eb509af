// KV pages in files: what was computed of a text, for an engine that comes later. One file a page, found by all the
// token ids up to its last one, which the file repeats and which are compared whole, like the scope (prefix_cache.h
// says why it is a border) and the identity of what computed it.
//
// A file is a header (magic, checksum, sizes), the key and the page, all as they are in memory. Its name is
// "FIRST-CHAIN.prefix", two hashes: of its chain's first page and of the whole chain. The ids are the prompt's own: the
// folder is 0700, the files are 0600.
//
// Nothing here fails after open(): a file that is missing, torn, damaged or another chain's is no page and is removed,
// a folder that is full keeps what it has. Only files with such a name are ever removed. Thread-bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace llmd::generation {

class PrefixStore {
public:
    // `identity`: model, engine and numeric profile; whatever differs there has other pages. `page_bytes`: of every
    // page. All files together, those of other identities too, take at most `max_bytes`: the least recently used go.
    // Failed names the folder when it cannot be made, read or protected.
    static base::Result<PrefixStore> open(std::filesystem::path folder, std::string identity, uint64_t page_bytes,
                                          uint64_t max_bytes);
    // Removes all files of all identities; a folder that does not exist has none.
    static void clear(const std::filesystem::path& folder);

    uint64_t page_bytes() const { return page_bytes_; }

    // Below, `ids` is a chain of whole pages; what is beyond its last whole page is ignored.

    // How many pages at its beginning have a file. From now on these are the most recently used.
    uint32_t use(std::string_view scope, std::span<const int32_t> ids);
    // The chain's last page, into page_bytes(); false when there is none.
    bool read(std::string_view scope, std::span<const int32_t> ids, std::span<std::byte> page);
    // Saves the chain's last page, at once or not at all, and removes others to make room, but none of this chain.
    // False when that is not enough, or the folder takes no more.
    bool write(std::string_view scope, std::span<const int32_t> ids, std::span<const std::byte> page);
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

    PrefixStore(std::filesystem::path folder, std::string identity, uint64_t page_bytes, uint64_t max_bytes);

    // Of each page of the chain.
    std::vector<std::string> names(std::string_view scope, std::span<const int32_t> ids) const;
    std::vector<std::byte> key(std::string_view scope, std::span<const int32_t> ids) const;
    bool read_file(const std::string& name, std::span<const std::byte> key, std::span<std::byte> page) const;
    bool write_file(const std::string& name, std::span<const std::byte> key, std::span<const std::byte> page,
                    int64_t time_ns) const;
    // Later than every use before.
    int64_t next_time_ns();
    void mark_used(std::span<const std::string> names, int64_t time_ns);
    // Removes what was used before `time_ns` until `bytes` more fit.
    bool make_room(uint64_t bytes, int64_t time_ns);
    void remove(Files::iterator file);

    std::filesystem::path folder_;
    std::string identity_;
    uint64_t page_bytes_;
    uint64_t max_bytes_;
    Files files_;
    uint64_t size_bytes_ = 0;
    int64_t newest_ns_ = 0;  // the last use of any file
};

}  // namespace llmd::generation
