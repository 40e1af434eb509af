// The poll loop: what runs, in which order, and that callbacks may change everything, themselves included.
// No test waits: descriptors are ready before the turn, timers are due before it.
#include "base/event_loop.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "pipe.h"

namespace llmd::base {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

void drain(const Pipe& pipe) {
    char byte;
    while (::read(pipe.reader.get(), &byte, 1) == 1) {
    }
}

void turn(EventLoop& loop) {
    const auto turned = loop.run_once(milliseconds(0));
    ASSERT_TRUE(turned) << turned.error().message;
}

TEST(EventLoop, CallsBackWhileADescriptorIsReady) {
    EventLoop loop;
    Pipe pipe;
    int calls = 0;
    loop.add_fd(pipe.reader.get(), POLLIN, [&](short revents) {
        EXPECT_EQ(revents & POLLIN, POLLIN);
        ++calls;
    });
    turn(loop);
    EXPECT_EQ(calls, 0);
    pipe.put();
    turn(loop);
    turn(loop);
    EXPECT_EQ(calls, 2) << "level-triggered: as long as there is something to read";
    drain(pipe);
    turn(loop);
    EXPECT_EQ(calls, 2);
}

TEST(EventLoop, ReportsHangUpWithoutBeingAsked) {
    EventLoop loop;
    Pipe pipe;
    short seen = 0;
    loop.add_fd(pipe.reader.get(), 0, [&](short revents) { seen = revents; });
    pipe.put();
    turn(loop);
    EXPECT_EQ(seen, 0);
    pipe.writer.reset();
    turn(loop);
    EXPECT_EQ(seen, POLLHUP);
}

TEST(EventLoop, EventsCanBeChanged) {
    EventLoop loop;
    Pipe pipe;
    int calls = 0;
    loop.add_fd(pipe.writer.get(), POLLOUT, [&](short) { ++calls; });
    turn(loop);
    EXPECT_EQ(calls, 1);
    loop.set_events(pipe.writer.get(), 0);
    turn(loop);
    EXPECT_EQ(calls, 1);
    loop.set_events(pipe.writer.get(), POLLOUT);
    turn(loop);
    EXPECT_EQ(calls, 2);
    loop.set_events(12345, POLLIN);  // not watched: nothing happens
    loop.remove_fd(12345);
    turn(loop);
}

TEST(EventLoop, ACallbackMayRemoveItself) {
    EventLoop loop;
    Pipe pipe;
    pipe.put();
    int calls = 0;
    // The captures of the callback must outlive its own removal.
    loop.add_fd(pipe.reader.get(), POLLIN, [&, held = std::string(1000, 'h')](short) {
        loop.remove_fd(pipe.reader.get());
        ++calls;
        EXPECT_EQ(held.back(), 'h');
    });
    turn(loop);
    turn(loop);
    EXPECT_EQ(calls, 1);
}

TEST(EventLoop, ACallbackMayRemoveAnother) {
    EventLoop loop;
    Pipe first, second, third;
    for (Pipe* pipe : {&first, &second, &third}) pipe->put();
    int calls = 0;
    int other_calls = 0;
    loop.add_fd(first.reader.get(), POLLIN, [&](short) {
        ++calls;
        loop.remove_fd(second.reader.get());
    });
    loop.add_fd(second.reader.get(), POLLIN, [&](short) {
        ++calls;
        loop.remove_fd(first.reader.get());
    });
    loop.add_fd(third.reader.get(), POLLIN, [&](short) { ++other_calls; });
    turn(loop);
    turn(loop);
    EXPECT_EQ(calls, 2) << "whichever came first removed the other in the same turn and stayed";
    EXPECT_EQ(other_calls, 2);
}

TEST(EventLoop, ACallbackMayReplaceItself) {
    EventLoop loop;
    Pipe pipe;
    pipe.put();
    std::string log;
    loop.add_fd(pipe.reader.get(), POLLIN, [&, held = std::string(1000, 'h')](short) {
        loop.add_fd(pipe.reader.get(), POLLIN, [&](short) { log += "new "; });
        log += held.empty() ? "" : "old ";
    });
    turn(loop);
    turn(loop);
    EXPECT_EQ(log, "old new ");
}

TEST(EventLoop, TimersGoByTheClockThatItWasGiven) {
    TimePoint now{};
    EventLoop loop([&] { return now; });
    int calls = 0;
    loop.add_timer_after(std::chrono::hours(1), [&] { ++calls; });
    now += std::chrono::hours(1) - std::chrono::milliseconds(1);
    turn(loop);
    EXPECT_EQ(calls, 0);
    now += std::chrono::milliseconds(1);
    turn(loop);
    EXPECT_EQ(calls, 1);
}

TEST(EventLoop, ADescriptorThatReusesANumberGetsNoEventsOfTheOldOne) {
    EventLoop loop;
    Pipe first, second, quiet;
    first.put();
    second.put();
    ASSERT_LT(first.reader.get(), second.reader.get());
    int old_calls = 0;
    int new_calls = 0;
    loop.add_fd(first.reader.get(), POLLIN, [&](short) {
        drain(first);
        loop.remove_fd(second.reader.get());
        ASSERT_EQ(::dup2(quiet.reader.get(), second.reader.get()), second.reader.get());
        loop.add_fd(second.reader.get(), POLLIN, [&](short) { ++new_calls; });
    });
    loop.add_fd(second.reader.get(), POLLIN, [&](short) { ++old_calls; });
    turn(loop);
    turn(loop);
    EXPECT_EQ(old_calls, 0);
    EXPECT_EQ(new_calls, 0);
    quiet.put();
    turn(loop);
    EXPECT_EQ(new_calls, 1);
}

TEST(EventLoop, DueTimersRunOnceInTheOrderOfTheirTimes) {
    EventLoop loop;
    const TimePoint now = Clock::now();
    std::string log;
    loop.add_timer(now - milliseconds(1), [&] { log += "c"; });
    loop.add_timer(now - milliseconds(3), [&] { log += "a"; });
    loop.add_timer(now - milliseconds(2), [&] { log += "b1"; });
    loop.add_timer(now - milliseconds(2), [&] { log += "b2"; });
    loop.add_timer(now + hours(1), [&] { log += "never"; });
    turn(loop);
    turn(loop);
    EXPECT_EQ(log, "ab1b2c");
}

TEST(EventLoop, TimersCanBeCancelledEvenFromATimer) {
    EventLoop loop;
    const TimePoint past = Clock::now() - milliseconds(5);
    std::string log;
    EventLoop::TimerId last = 0;
    const auto own = loop.add_timer(past, [&] {
        log += "a";
        loop.cancel_timer(last);
    });
    EXPECT_NE(own, 0u);
    last = loop.add_timer(past + milliseconds(1), [&] { log += "b"; });
    EXPECT_NE(last, own);
    const auto cancelled = loop.add_timer(past, [&] { log += "c"; });
    loop.cancel_timer(cancelled);
    loop.cancel_timer(cancelled);
    loop.cancel_timer(999);
    turn(loop);
    EXPECT_EQ(log, "a");
    EXPECT_NE(loop.add_timer(past, [] {}), cancelled) << "ids are never used again";
}

TEST(EventLoop, ATimerEndsTheWait) {
    EventLoop loop;
    bool ran = false;
    loop.add_timer(Clock::now(), [&] { ran = true; });
    ASSERT_TRUE(loop.run_once(hours(1)));
    EXPECT_TRUE(ran);
}

TEST(EventLoop, DeferredCallsRunInTheNextTurn) {
    EventLoop loop;
    std::string log;
    loop.defer([&] {
        log += "a";
        loop.defer([&] { log += "c"; });
    });
    loop.defer([&] { log += "b"; });
    EXPECT_EQ(log, "") << "not inside the call";
    ASSERT_TRUE(loop.run_once(hours(1))) << "does not wait";
    EXPECT_EQ(log, "ab");
    ASSERT_TRUE(loop.run_once(hours(1)));
    EXPECT_EQ(log, "abc");
}

class FakeSource : public PollSource {
public:
    explicit FakeSource(std::string& log, std::string name) : log_(log), name_(std::move(name)) {}

    void prepare(std::vector<pollfd>& fds, std::optional<TimePoint>& deadline) override {
        if (fd >= 0) fds.push_back({fd, POLLIN, 0});
        if (wants_turn) deadline = Clock::now();
        log_ += name_ + "p ";
    }
    void dispatch(std::span<const pollfd> polled) override {
        log_ += name_ + "d ";
        polled_fds.clear();
        for (const pollfd& ready : polled) {
            if (ready.revents != 0) polled_fds.push_back(ready.fd);
        }
        if (on_dispatch) on_dispatch();
    }

    int fd = -1;
    bool wants_turn = false;
    std::vector<int> polled_fds;  // descriptors with something to read, at the last dispatch
    std::function<void()> on_dispatch;

private:
    std::string& log_;
    std::string name_;
};

TEST(EventLoop, SourcesPrepareBeforeAndDispatchAfterEachWait) {
    EventLoop loop;
    std::string log;
    FakeSource first(log, "1"), second(log, "2");
    loop.add_source(first);
    loop.add_source(second);
    turn(loop);
    EXPECT_EQ(log, "1p 2p 1d 2d ");
    log.clear();
    loop.remove_source(first);
    turn(loop);
    EXPECT_EQ(log, "2p 2d ");
}

TEST(EventLoop, ASourcesDeadlineAndDescriptorEndTheWait) {
    EventLoop loop;
    std::string log;
    FakeSource source(log, "s");
    loop.add_source(source);
    source.wants_turn = true;
    ASSERT_TRUE(loop.run_once(hours(1)));
    source.wants_turn = false;
    Pipe pipe;
    pipe.put();
    source.fd = pipe.reader.get();
    ASSERT_TRUE(loop.run_once(hours(1)));
    EXPECT_EQ(log, "sp sd sp sd ");
}

TEST(EventLoop, EachSourceIsToldOfItsOwnDescriptors) {
    EventLoop loop;
    std::string log;
    FakeSource none(log, "0"), silent(log, "1"), ready(log, "2");
    Pipe quiet, full;
    full.put();
    silent.fd = quiet.reader.get();
    ready.fd = full.reader.get();
    for (FakeSource* source : {&none, &silent, &ready}) loop.add_source(*source);
    turn(loop);
    EXPECT_TRUE(none.polled_fds.empty());
    EXPECT_TRUE(silent.polled_fds.empty());
    EXPECT_EQ(ready.polled_fds, std::vector{full.reader.get()});
}

TEST(EventLoop, ASourceMayRemoveAnotherWhileDispatching) {
    EventLoop loop;
    std::string log;
    FakeSource first(log, "1"), second(log, "2");
    loop.add_source(first);
    loop.add_source(second);
    first.on_dispatch = [&] {
        loop.remove_source(second);
        loop.remove_source(first);
    };
    turn(loop);
    turn(loop);
    EXPECT_EQ(log, "1p 2p 1d ");
}

// Descriptors of sources are the sources' business, also when a watch has the same number.
TEST(EventLoop, SourcesAndWatchesDoNotMix) {
    EventLoop loop;
    std::string log;
    FakeSource source(log, "s");
    Pipe pipe, silent;
    pipe.put();
    source.fd = pipe.reader.get();
    loop.add_source(source);
    int calls = 0;
    loop.add_fd(silent.reader.get(), POLLIN, [&](short) { ++calls; });
    turn(loop);
    EXPECT_EQ(calls, 0);
    loop.add_fd(pipe.reader.get(), POLLIN, [&](short) { ++calls; });
    turn(loop);
    EXPECT_EQ(calls, 1);
}

TEST(EventLoop, RunsUntilStopped) {
    EventLoop loop;
    int turns = 0;
    std::function<void()> again = [&] {
        if (++turns == 3) {
            loop.stop();
        } else {
            loop.defer(again);
        }
    };
    loop.defer(again);
    ASSERT_TRUE(loop.run());
    EXPECT_EQ(turns, 3);
}

TEST(EventLoop, ATimerThatAddsItselfInThePastWaitsForTheNextTurn) {
    EventLoop loop;
    int runs = 0;
    std::function<void()> again = [&] {
        ++runs;
        loop.add_timer(TimePoint{}, again);
    };
    loop.add_timer(TimePoint{}, again);
    ASSERT_TRUE(loop.run_once(milliseconds(0)));
    EXPECT_EQ(runs, 1);
    ASSERT_TRUE(loop.run_once(milliseconds(0)));
    EXPECT_EQ(runs, 2);
}

}  // namespace
}  // namespace llmd::base
