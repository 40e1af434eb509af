#include "dbus/text_pipe.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace llmd::dbus {

using base::ErrorCode;
using base::Result;
using base::UniqueFd;

Result<std::unique_ptr<TextPipe>> TextPipe::open(base::EventLoop& loop, Events events, UniqueFd& read_end,
                                                 std::chrono::milliseconds stall_timeout) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return base::fail_errno(ErrorCode::Failed, "pipe2", errno);
    read_end.reset(ends[0]);
    UniqueFd write_end(ends[1]);
    // O_NONBLOCK belongs to each end's open file: the reader's must block, as programs expect of a pipe.
    if (::fcntl(read_end.get(), F_SETFL, 0) != 0) return base::fail_errno(ErrorCode::Failed, "fcntl", errno);
    return std::unique_ptr<TextPipe>(new TextPipe(loop, std::move(events), std::move(write_end), stall_timeout));
}

TextPipe::TextPipe(base::EventLoop& loop, Events events, UniqueFd write_end, std::chrono::milliseconds stall_timeout)
    : loop_(loop),
      events_(std::move(events)),
      fd_(std::move(write_end)),
      backlog_(loop, {events_.on_paused, [this] { end(events_.on_stalled); }}, stall_timeout) {
    // Without events the loop still reports POLLERR, which is the reader closing its end.
    loop_.add_fd(fd_.get(), 0, [this](short) { on_ready(); });
}

TextPipe::~TextPipe() {
    end({});
}

void TextPipe::write(std::string_view bytes) {
    if (!fd_ || backlog_.finishing()) return;
    backlog_.append(bytes);
    drain();
    update();
}

void TextPipe::finish() {
    if (!fd_ || backlog_.finishing()) return;
    backlog_.finish();
    if (!backlog_.waiting().empty()) return update();
    end_timer_ = loop_.add_timer_after({}, [this] { end(events_.on_delivered); });
}

void TextPipe::on_ready() {
    // Asked again, because what woke the loop may have been another file with this number that was closed meanwhile.
    pollfd now{fd_.get(), POLLOUT, 0};
    ::poll(&now, 1, 0);
    if (now.revents & POLLERR) return end(events_.on_reader_gone);
    drain();
    if (backlog_.finishing() && backlog_.waiting().empty()) return end(events_.on_delivered);
    update();
}

void TextPipe::drain() {
    while (!backlog_.waiting().empty()) {
        const ssize_t n = ::write(fd_.get(), backlog_.waiting().data(), backlog_.waiting().size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) break;  // full, or the reader has gone: the loop tells which
        backlog_.take(static_cast<size_t>(n));
    }
}

void TextPipe::update() {
    loop_.set_events(fd_.get(), backlog_.waiting().empty() ? 0 : POLLOUT);
    backlog_.review();
}

void TextPipe::end(const std::function<void()>& event) {
    loop_.cancel_timer(std::exchange(end_timer_, 0));
    if (fd_) loop_.remove_fd(fd_.get());
    fd_.reset();
    backlog_.clear();
    if (event) event();
}

Result<UniqueFd> pipe_at_end() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return base::fail_errno(ErrorCode::Failed, "pipe2", errno);
    const UniqueFd write_end(ends[1]);
    return UniqueFd(ends[0]);
}

}  // namespace llmd::dbus
