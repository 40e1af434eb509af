// The set that the kernel keeps answers as poll() does, whatever changes between two waits. No test waits.
#include "base/poll_set.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pipe.h"

namespace llmd::base {
namespace {

// The answers to one wait.
std::vector<short> answers(PollSet& set, std::vector<pollfd> fds) {
    for (pollfd& fd : fds) fd.revents = POLLNVAL;  // is overwritten
    const auto waited = set.wait(fds, 0);
    EXPECT_TRUE(waited) << waited.error().message;
    std::vector<short> out;
    for (const pollfd& fd : fds) out.push_back(fd.revents);
    return out;
}
using Answers = std::vector<short>;

TEST(PollSet, SaysWhatIsReadyAsLongAsItIs) {
    PollSet set;
    Pipe full, empty;
    full.put();
    const std::vector<pollfd> fds = {{full.reader.get(), POLLIN, 0}, {empty.reader.get(), POLLIN, 0}};
    EXPECT_EQ(answers(set, fds), (Answers{POLLIN, 0}));
    EXPECT_EQ(answers(set, fds), (Answers{POLLIN, 0}));
    empty.put();
    EXPECT_EQ(answers(set, fds), (Answers{POLLIN, POLLIN}));
    EXPECT_TRUE(answers(set, {}).empty());
}

TEST(PollSet, EventsMayChangeAndHangUpIsAlwaysTold) {
    PollSet set;
    Pipe pipe;
    const int writer = pipe.writer.get();
    EXPECT_EQ(answers(set, {{writer, POLLOUT, 0}}), Answers{POLLOUT});
    EXPECT_EQ(answers(set, {{writer, 0, 0}}), Answers{0});
    EXPECT_EQ(answers(set, {{writer, POLLOUT, 0}}), Answers{POLLOUT});
    pipe.reader.reset();
    EXPECT_EQ(answers(set, {{writer, 0, 0}}), Answers{POLLERR});
}

TEST(PollSet, OneDescriptorMayBeAskedForTwice) {
    PollSet set;
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    const UniqueFd one(ends[0]), other(ends[1]);
    EXPECT_EQ(answers(set, {{one.get(), POLLIN, 0}, {one.get(), POLLOUT, 0}}), (Answers{0, POLLOUT}));
    ASSERT_EQ(::write(other.get(), "x", 1), 1);
    EXPECT_EQ(answers(set, {{one.get(), POLLIN, 0}, {one.get(), 0, 0}}), (Answers{POLLIN, 0}));
}

// The kernel has lost the old file by then, and would never report the new one.
TEST(PollSet, ANumberThatComesBackIsAnotherFile) {
    PollSet set;
    Pipe old, fresh;
    const int number = old.reader.get();
    EXPECT_EQ(answers(set, {{number, POLLIN, 0}}), Answers{0});
    set.forget(number);
    ASSERT_EQ(::dup2(fresh.reader.get(), number), number);
    fresh.put();
    EXPECT_EQ(answers(set, {{number, POLLIN, 0}}), Answers{POLLIN});
    set.forget(number);
    set.forget(number);
    set.forget(12345);
}

// It was not forgotten, and is still open.
TEST(PollSet, WhatIsNoLongerAskedForIsNotToldOf) {
    PollSet set;
    Pipe loud, quiet;
    loud.put();
    EXPECT_EQ(answers(set, {{loud.reader.get(), POLLIN, 0}, {quiet.reader.get(), POLLIN, 0}}), (Answers{POLLIN, 0}));
    EXPECT_EQ(answers(set, {{quiet.reader.get(), POLLIN, 0}}), Answers{0});
    quiet.put();
    EXPECT_EQ(answers(set, {{quiet.reader.get(), POLLIN, 0}}), Answers{POLLIN});
}

TEST(PollSet, MoreThanOneWaitTellsComesWithTheNext) {
    PollSet set;
    std::vector<Pipe> pipes(50);
    std::vector<pollfd> fds;
    for (Pipe& pipe : pipes) {
        pipe.put();
        fds.push_back({pipe.reader.get(), POLLIN, 0});
    }
    Answers seen(fds.size());
    for (int i = 0; i < 2; ++i) {
        const Answers now = answers(set, fds);
        for (size_t p = 0; p < now.size(); ++p) seen[p] |= now[p];
    }
    EXPECT_EQ(seen, Answers(fds.size(), POLLIN));
}

TEST(PollSet, ARegularFileIsNeverReady) {
    PollSet set;
    const UniqueFd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    Pipe pipe;
    pipe.put();
    EXPECT_EQ(answers(set, {{file.get(), POLLIN, 0}, {pipe.reader.get(), POLLIN, 0}}), (Answers{0, POLLIN}));
}

TEST(PollSet, ANegativeDescriptorIsNone) {
    PollSet set;
    Pipe pipe;
    pipe.put();
    const std::vector<pollfd> fds = {{-1, POLLIN, 0}, {pipe.reader.get(), POLLIN, 0}};
    for (int i = 0; i < 2; ++i) EXPECT_EQ(answers(set, fds), (Answers{0, POLLIN}));
    EXPECT_EQ(answers(set, {{-1, POLLIN, 0}}), Answers{0});
    const int closed = ::fcntl(pipe.reader.get(), F_DUPFD_CLOEXEC, 100);
    ::close(closed);
    EXPECT_EQ(answers(set, {{-1, POLLIN, 0}, {closed, POLLIN, 0}}), (Answers{0, POLLNVAL}));
}

TEST(PollSet, ADescriptorThatIsNotOpenIsToldAndDoesNotWait) {
    PollSet set;
    Pipe pipe;
    pipe.put();
    const int closed = ::fcntl(pipe.reader.get(), F_DUPFD_CLOEXEC, 100);
    ::close(closed);
    std::vector<pollfd> fds = {{pipe.reader.get(), POLLIN, 0}, {closed, POLLIN, 0}};
    for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE(set.wait(fds, -1));
        EXPECT_EQ(fds[0].revents, POLLIN);
        EXPECT_EQ(fds[1].revents, POLLNVAL);
    }
    ASSERT_EQ(::dup2(pipe.reader.get(), closed), closed);
    EXPECT_EQ(answers(set, fds), (Answers{POLLIN, POLLIN}));
    ::close(closed);
}

}  // namespace
}  // namespace llmd::base
