#include "base/poll_set.h"

#include <algorithm>
#include <cerrno>

namespace llmd::base {

namespace {

static_assert(EPOLLIN == POLLIN && EPOLLPRI == POLLPRI && EPOLLOUT == POLLOUT && EPOLLERR == POLLERR &&
              EPOLLHUP == POLLHUP && EPOLLRDHUP == POLLRDHUP);
constexpr short kUnasked = POLLERR | POLLHUP;

}  // namespace

Result<void> PollSet::wait(std::span<pollfd> fds, int timeout_ms) {
    if (!epoll_) epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
    if (!epoll_) return fail_errno(ErrorCode::Failed, "epoll_create1", errno);
    if (auto updated = update(fds); !updated) return updated;
    const bool lacks_some = last_.empty();
    for (pollfd& fd : fds) {
        fd.revents = lacks_some && fd.fd >= 0 && !kept_.contains(fd.fd) ? POLLNVAL : 0;
        if (fd.revents != 0) timeout_ms = 0;
    }
    const int n = ::epoll_wait(epoll_.get(), ready_.data(), static_cast<int>(ready_.size()), timeout_ms);
    if (n < 0 && errno != EINTR) return fail_errno(ErrorCode::Failed, "epoll_wait", errno);
    for (int i = 0; i < n; ++i) {
        const epoll_event& ready = ready_[static_cast<size_t>(i)];
        for (pollfd& fd : fds) {
            if (fd.fd == ready.data.fd) fd.revents = static_cast<short>(ready.events & (fd.events | kUnasked));
        }
    }
    return {};
}

void PollSet::forget(int fd) {
    if (kept_.erase(fd) == 0) return;
    last_.clear();
    (void)::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

Result<void> PollSet::update(std::span<const pollfd> fds) {
    const auto is_same = [](const pollfd& a, const pollfd& b) { return a.fd == b.fd && a.events == b.events; };
    if (!last_.empty() && std::equal(fds.begin(), fds.end(), last_.begin(), last_.end(), is_same)) return {};
    last_.clear();
    std::map<int, short> wanted;
    for (const pollfd& fd : fds) {
        if (fd.fd >= 0) wanted[fd.fd] |= fd.events;
    }
    for (const auto& [fd, events] : std::map(kept_)) {
        if (!wanted.contains(fd)) forget(fd);
    }
    for (const auto& [fd, events] : wanted) {
        const auto kept = kept_.find(fd);
        if (kept != kept_.end() && kept->second == events) continue;
        epoll_event event{};
        event.events = static_cast<uint32_t>(events);
        event.data.fd = fd;
        const auto control = [&](int how) { return ::epoll_ctl(epoll_.get(), how, event.data.fd, &event) == 0; };
        const bool is_changed = kept != kept_.end() && control(EPOLL_CTL_MOD);
        if (is_changed || control(EPOLL_CTL_ADD) || errno == EPERM) {  // EPERM: it cannot be polled
            kept_[fd] = events;
        } else if (errno == EBADF) {
            kept_.erase(fd);
        } else {
            return fail_errno(ErrorCode::Failed, concat("epoll_ctl of descriptor ", fd), errno);
        }
    }
    if (kept_.size() == wanted.size()) last_.assign(fds.begin(), fds.end());
    return {};
}

}  // namespace llmd::base
