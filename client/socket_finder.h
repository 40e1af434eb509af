// Which process has a socket open, by the links in /proc/PID/fd (proc(5)), of which 1 takes 1 to 4 µs. A phone has some
// 300 processes with 10,000 of them, so those that were found last are looked at first, and then the youngest: a
// program that connects more than once costs one long search, and one that is started for each call a short one. This
// is for fair shares, and no evidence of who asks: a socket may be open in several processes, and a program may hand it
// on or fork. Not found are processes that have ended, that another user or the kernel hides (hidepid, programs that
// may not be dumped), and those of PID namespaces that are not below this one.
// Thread-bound; reads only.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace llmd::client {

class SocketFinder {
public:
    static constexpr size_t kMaxRecent = 8;
    // A search looks at no more links. One that has found nothing halves that for the next, and one that has found
    // something restores it: where programs cannot be found, a connection for each call costs a millisecond or two.
    static constexpr size_t kMaxLinks = 16'000;
    static constexpr size_t kMinLinks = 500;

    explicit SocketFinder(std::string proc = "/proc") : proc_(std::move(proc)) {}

    // The process that has the socket of this inode open; 0: none was found.
    pid_t process_of(uint32_t inode);

private:
    // `n_links` may be looked at, and are counted down.
    bool has(pid_t process, const std::string& link, size_t& n_links) const;
    std::vector<pid_t> processes() const;

    const std::string proc_;
    std::vector<pid_t> recent_;  // the last that was found is the first
    size_t most_links_ = kMaxLinks;
};

}  // namespace llmd::client
