#include "dbus/sinks.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>

#include <array>

namespace llmd::dbus {
namespace {

using base::ErrorCode;
using std::chrono::milliseconds;

// The events of a sink so far.
struct Told {
    std::vector<bool> paused;
    std::vector<std::optional<base::Error>> gone;
    std::vector<std::optional<base::Error>> delivered;
};

class SinksTest : public testing::Test {
protected:
    SinksTest() { ::signal(SIGPIPE, SIG_IGN); }

    BusSink::OnDelivered on_delivered() {
        return [this](const std::optional<base::Error>& error) { told.delivered.push_back(error); };
    }
    void take(std::unique_ptr<BusSink> made) {
        sink = std::move(made);
        api::AnswerSink::Events events;
        events.on_paused = [this](bool paused) { told.paused.push_back(paused); };
        events.on_gone = [this](const std::optional<base::Error>& error) { told.gone.push_back(error); };
        sink->set_events(std::move(events));
    }
    void open_pipe(milliseconds stall_timeout = api::Backlog::kStallTimeout) {
        auto made = make_pipe_sink(loop, on_delivered(), reader, stall_timeout);
        ASSERT_TRUE(made) << made.error().message;
        take(*std::move(made));
    }
    void open_signals(std::function<void(uint64_t, const std::string&)> emit = [](uint64_t, const std::string&) {}) {
        take(make_signal_sink(loop, on_delivered(), std::move(emit)));
    }
    // Returns the bytes that are in the pipe now; the descriptor itself blocks.
    std::string available(size_t limit = 1u << 20) {
        std::string out;
        std::array<char, 4096> chunk;
        for (pollfd ready{reader.get(), POLLIN, 0}; out.size() < limit && ::poll(&ready, 1, 0) > 0;) {
            const ssize_t n = ::read(reader.get(), chunk.data(), chunk.size());
            if (n <= 0) break;
            out.append(chunk.data(), static_cast<size_t>(n));
        }
        return out;
    }
    bool at_end() {
        char byte;
        pollfd ready{reader.get(), POLLIN, 0};
        return ::poll(&ready, 1, 0) > 0 && ::read(reader.get(), &byte, 1) == 0;
    }
    void turn() { ASSERT_TRUE(loop.run_once(milliseconds(0))); }
    void until(const std::function<bool()>& done) {
        // Longer than any machine needs: only a failure takes so long.
        const base::TimePoint limit = base::Clock::now() + std::chrono::seconds(20);
        while (!done() && !HasFailure()) {
            ASSERT_TRUE(loop.run_once(milliseconds(20)));
            ASSERT_LT(base::Clock::now(), limit) << "waited in vain";
        }
    }

    Told told;
    base::EventLoop loop;
    base::UniqueFd reader;
    std::unique_ptr<BusSink> sink;
};

TEST_F(SinksTest, AReplyIsGivenBeforeItIsDelivered) {
    std::string reply;
    const auto on_reply = [&](const api::AnswerHead& head, const api::Choice& choice) {
        EXPECT_TRUE(told.delivered.empty());
        reply = choice.text + "/" + head.model;
    };
    take(make_reply_sink(on_delivered(), on_reply, [](const base::Error&) { FAIL(); }));
    api::AnswerHead head;
    head.model = "m";
    sink->reply(head, {{"one two", {}}});
    EXPECT_EQ(reply, "one two/m");
    EXPECT_EQ(told.delivered.size(), 1u);
}

TEST_F(SinksTest, ARefusalIsDeliveredToo) {
    std::vector<ErrorCode> refused;
    take(make_reply_sink(
        on_delivered(), [](const api::AnswerHead&, const api::Choice&) { FAIL(); },
        [&](const base::Error& error) { refused.push_back(error.code); }));
    sink->refuse(base::fail(ErrorCode::Cancelled, "gone"), 0);
    EXPECT_EQ(refused, std::vector<ErrorCode>{ErrorCode::Cancelled});
    EXPECT_EQ(told.delivered.size(), 1u);
}

TEST_F(SinksTest, APipeCarriesBytesThenTheEnd) {
    open_pipe();
    EXPECT_EQ(::fcntl(reader.get(), F_GETFL) & O_NONBLOCK, 0) << "the reader's end must block";
    sink->write("one\n");
    sink->write("two\n");
    EXPECT_EQ(available(), "one\ntwo\n");
    sink->write("last\n");
    sink->finish();
    EXPECT_TRUE(told.delivered.empty()) << "never from inside finish()";
    turn();
    ASSERT_EQ(told.delivered.size(), 1u);
    EXPECT_FALSE(told.delivered[0]);
    EXPECT_EQ(available(), "last\n");
    EXPECT_TRUE(at_end());
}

TEST_F(SinksTest, AReaderThatLagsPausesAndResumesTheRequest) {
    open_pipe();
    const std::string kib(1024, 'x');
    size_t written = 0;
    while (told.paused.empty() && written < (1u << 20)) {
        sink->write(kib);
        written += kib.size();
    }
    ASSERT_EQ(told.paused, std::vector<bool>{true});
    const auto pipe_bytes = static_cast<size_t>(::fcntl(reader.get(), F_GETPIPE_SZ));
    EXPECT_EQ(written, pipe_bytes + api::Backlog::kLimitBytes + kib.size());

    size_t read = 0;
    until([&] {
        read += available(4096).size();
        return told.paused.size() > 1;
    });
    EXPECT_EQ(told.paused, (std::vector<bool>{true, false}));
    sink->finish();
    until([&] {
        read += available().size();
        return !told.delivered.empty();
    });
    read += available().size();
    EXPECT_EQ(read, written) << "not a byte is lost";
    turn();
    EXPECT_EQ(told.delivered.size(), 1u);
    EXPECT_TRUE(at_end());
}

TEST_F(SinksTest, AReaderThatGoesCancelsEvenBeforeTheFirstByte) {
    open_pipe();
    turn();
    EXPECT_TRUE(told.gone.empty());
    reader.reset();
    turn();
    ASSERT_EQ(told.gone.size(), 1u);
    EXPECT_FALSE(told.gone[0]);
    sink->write("nobody hears this");
    sink->finish();
    EXPECT_EQ(told.delivered.size(), 1u);
}

TEST_F(SinksTest, AReaderThatGoesDuringTheLastBytesOnlyEndsTheDelivery) {
    open_pipe();
    sink->write(std::string(100u << 10, 'x'));
    sink->finish();
    turn();
    EXPECT_TRUE(told.delivered.empty());
    reader.reset();
    turn();
    EXPECT_TRUE(told.gone.empty());
    ASSERT_EQ(told.delivered.size(), 1u);
    EXPECT_FALSE(told.delivered[0]);
}

TEST_F(SinksTest, AStalledReaderIsGivenUp) {
    open_pipe(milliseconds(1));
    sink->write("a little");
    ASSERT_TRUE(loop.run_once(milliseconds(3)));
    EXPECT_TRUE(told.gone.empty()) << "what fits into the pipe may stay there";
    sink->write(std::string(200u << 10, 'x'));
    until([&] { return !told.gone.empty(); });
    ASSERT_TRUE(loop.run_once(milliseconds(3)));
    ASSERT_EQ(told.gone.size(), 1u);
    EXPECT_EQ(told.gone[0]->code, ErrorCode::SlowConsumer);
}

TEST_F(SinksTest, SignalsAreSmallNumberedAndCutAtCharacters) {
    std::vector<std::string> signals;
    open_signals([&](uint64_t seq, const std::string& text) {
        EXPECT_EQ(seq, signals.size());
        EXPECT_LE(text.size(), kMaxSignalBytes);
        EXPECT_NE(static_cast<unsigned char>(text.front()) & 0xC0, 0x80);
        signals.push_back(text);
    });
    std::string text = "x";  // so that no character of two bytes ends at 4 KiB
    while (text.size() < 2 * kMaxSignalBytes) text += "\u00e4";
    const base::TimePoint begin = base::Clock::now();
    sink->write(text);
    sink->finish();
    until([&] { return !told.delivered.empty(); });
    EXPECT_GE(base::Clock::now() - begin, 2 * kSignalInterval);
    std::string all;
    for (const auto& signal : signals) all += signal;
    EXPECT_EQ(signals.size(), 3u);
    EXPECT_EQ(all, text);
    EXPECT_EQ(sink->kept_text(), std::make_pair(text, false));
}

TEST_F(SinksTest, SignalsPauseWhatIsTooFastAndRefuseWhatIsTooMuch) {
    open_signals();
    sink->write(std::string(kMaxUnsignalledBytes + 1, 'x'));
    EXPECT_EQ(told.paused, std::vector<bool>{true});
    EXPECT_TRUE(told.gone.empty());
    sink->write(std::string(kMaxSignalledBytes, 'y'));
    sink->write("more");
    ASSERT_EQ(told.gone.size(), 1u);
    EXPECT_EQ(told.gone[0]->code, ErrorCode::SlowConsumer);
    const auto kept = sink->kept_text();
    EXPECT_EQ(kept->first.size(), kMaxKeptBytes);
    EXPECT_TRUE(kept->second);
}

TEST_F(SinksTest, KeptTextIsABeginningOfTheText) {
    open_signals();
    const std::string begin(kMaxKeptBytes - 1, 'x');
    sink->write(begin);
    sink->write("\u00e4");  // does not fit any more
    sink->write("y");       // would
    EXPECT_TRUE(sink->kept_text()->first == begin) << "too long to be printed";
    EXPECT_TRUE(sink->kept_text()->second);
}

}  // namespace
}  // namespace llmd::dbus
