// poll() for a set of descriptors that hardly changes from one wait to the next: the kernel keeps it (epoll), and does
// not register all of them anew at each wait.
//
// Unlike poll() it has to be notified before a descriptor is closed whose number may come back, since that is another
// file to the kernel. A descriptor that cannot be polled, as a regular file's, is never ready.
// Thread-bound.
#pragma once

#include <poll.h>
#include <sys/epoll.h>

#include <array>
#include <map>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace llmd::base {

class PollSet {
public:
    // As poll(fds, timeout_ms): fills in revents. A descriptor may be there more than once, a negative one is none.
    // Being interrupted by a signal is an end without anything ready. After an error it may be tried again.
    Result<void> wait(std::span<pollfd> fds, int timeout_ms);
    // The descriptor is about to be closed, or is another file by now.
    void forget(int fd);

private:
    // One wait reports so many descriptors; the rest comes with the next one.
    static constexpr size_t kMaxReady = 32;

    // Has the kernel keep them, but those that are not open.
    Result<void> update(std::span<const pollfd> fds);

    UniqueFd epoll_;
    std::map<int, short> kept_;  // by the kernel: the events of each descriptor
    std::vector<pollfd> last_;   // kept_ was made of these; empty: it has to be made again, or lacks some
    std::array<epoll_event, kMaxReady> ready_;
};

}  // namespace llmd::base
