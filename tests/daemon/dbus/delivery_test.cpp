#include "dbus/delivery.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>

#include <array>

#include "dbus/text_pipe.h"

namespace llmd::dbus {
namespace {

using base::ErrorCode;
using std::chrono::milliseconds;

// What a delivery has asked for.
struct Told {
    std::vector<bool> paused;
    int abandoned = 0;
    std::vector<ErrorCode> failed;
    std::vector<std::optional<base::Error>> delivered;
};

class DeliveryTest : public testing::Test {
protected:
    DeliveryTest() { ::signal(SIGPIPE, SIG_IGN); }

    Delivery::Events events() {
        Delivery::Events events;
        events.on_paused = [this](bool paused) { told.paused.push_back(paused); };
        events.on_abandoned = [this] { ++told.abandoned; };
        events.on_failed = [this](const base::Error& error) { told.failed.push_back(error.code); };
        events.on_delivered = [this](const std::optional<base::Error>& error) { told.delivered.push_back(error); };
        return events;
    }
    void open(api::PipeFormat format) {
        auto made = make_pipe_delivery(loop, events(), format, reader);
        ASSERT_TRUE(made) << made.error().message;
        delivery = std::move(*made);
    }
    // What is in the pipe now; the descriptor itself blocks.
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
    std::unique_ptr<Delivery> delivery;
};

TEST_F(DeliveryTest, CollectedTextComesWithTheOutcome) {
    std::string reply;
    delivery = make_collected_delivery(events(), [&](const std::string& text, const service::Outcome& outcome) {
        EXPECT_TRUE(told.delivered.empty());
        reply = text + "/" + outcome.model;
    });
    delivery->text("one ");
    delivery->text("two");
    service::Outcome outcome;
    outcome.model = "m";
    delivery->finish(outcome);
    EXPECT_EQ(reply, "one two/m");
    EXPECT_EQ(told.delivered.size(), 1u);
}

TEST_F(DeliveryTest, PipeCarriesLinesThenTheLastLineThenTheEnd) {
    open(api::PipeFormat::JsonLines);
    EXPECT_EQ(::fcntl(reader.get(), F_GETFL) & O_NONBLOCK, 0) << "the reader's end must block";
    delivery->text("one");
    delivery->text("two");
    EXPECT_EQ(available(), "{\"seq\":0,\"text\":\"one\"}\n{\"seq\":1,\"text\":\"two\"}\n");
    delivery->finish({});
    EXPECT_TRUE(told.delivered.empty()) << "never from inside finish()";
    turn();
    ASSERT_EQ(told.delivered.size(), 1u);
    EXPECT_FALSE(told.delivered[0]);
    EXPECT_EQ(available().rfind("{\"done\":true", 0), 0u);
    EXPECT_TRUE(at_end());
}

TEST_F(DeliveryTest, TheLastLineHasTheNotes) {
    open(api::PipeFormat::JsonLines);
    delivery->notes(std::vector<std::string>{"top_k: is 256"});
    delivery->finish({});
    turn();
    EXPECT_NE(available().find(R"("notes":["top_k: is 256"])"), std::string::npos);
}

TEST_F(DeliveryTest, CallsAreLinesAmongTheOthers) {
    open(api::PipeFormat::JsonLines);
    delivery->thinking("hm");
    delivery->call(0, {"call_a", "clock", "{}"});
    delivery->text("so");
    EXPECT_EQ(available(),
              "{\"seq\":0,\"thinking\":\"hm\"}\n"
              "{\"seq\":1,\"tool_call\":{\"id\":\"call_a\",\"index\":0,\"name\":\"clock\",\"arguments\":\"{}\"}}\n"
              "{\"seq\":2,\"text\":\"so\"}\n");
}

TEST_F(DeliveryTest, PlainTextHasNeitherCallsNorALastLine) {
    open(api::PipeFormat::Text);
    delivery->text("one\n");
    delivery->call(0, {"call_a", "clock", "{}"});
    delivery->finish({});
    turn();
    EXPECT_EQ(available(), "one\n");
    EXPECT_TRUE(at_end());
}

TEST_F(DeliveryTest, AReaderThatLagsPausesAndResumesTheRequest) {
    open(api::PipeFormat::Text);
    const std::string kib(1024, 'x');
    size_t written = 0;
    while (told.paused.empty() && written < (1u << 20)) {
        delivery->text(kib);
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
    delivery->finish({});
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

TEST_F(DeliveryTest, AReaderThatGoesCancelsEvenBeforeTheFirstByte) {
    open(api::PipeFormat::JsonLines);
    turn();
    EXPECT_EQ(told.abandoned, 0);
    reader.reset();
    turn();
    EXPECT_EQ(told.abandoned, 1);
    delivery->text("nobody hears this");
    delivery->finish({});
    EXPECT_EQ(told.delivered.size(), 1u);
}

TEST_F(DeliveryTest, AReaderThatGoesDuringTheLastBytesOnlyEndsTheDelivery) {
    open(api::PipeFormat::Text);
    delivery->text(std::string(100u << 10, 'x'));
    delivery->finish({});
    turn();
    EXPECT_TRUE(told.delivered.empty());
    reader.reset();
    turn();
    EXPECT_EQ(told.abandoned, 0);
    ASSERT_EQ(told.delivered.size(), 1u);
    EXPECT_FALSE(told.delivered[0]);
}

TEST_F(DeliveryTest, AStalledReaderIsGivenUp) {
    base::UniqueFd end;
    int stalled = 0;
    TextPipe::Events pipe_events;
    pipe_events.on_paused = [](bool) {};
    pipe_events.on_stalled = [&] { ++stalled; };
    auto pipe = TextPipe::open(loop, pipe_events, end, milliseconds(1));
    ASSERT_TRUE(pipe);
    (*pipe)->write("a little");
    ASSERT_TRUE(loop.run_once(milliseconds(3)));
    EXPECT_EQ(stalled, 0) << "what fits into the pipe may stay there";
    (*pipe)->write(std::string(200u << 10, 'x'));
    until([&] { return stalled > 0; });
    ASSERT_TRUE(loop.run_once(milliseconds(3)));
    EXPECT_EQ(stalled, 1);
}

TEST_F(DeliveryTest, SignalsAreSmallNumberedAndCutAtCharacters) {
    std::vector<std::string> signals;
    delivery = make_signal_delivery(loop, events(), [&](uint64_t seq, const std::string& text) {
        EXPECT_EQ(seq, signals.size());
        EXPECT_LE(text.size(), kMaxSignalBytes);
        EXPECT_NE(static_cast<unsigned char>(text.front()) & 0xC0, 0x80);
        signals.push_back(text);
    });
    std::string text = "x";  // so that no character of two bytes ends at 4 KiB
    while (text.size() < 2 * kMaxSignalBytes) text += "\u00e4";
    const base::TimePoint begin = base::Clock::now();
    delivery->text(text);
    delivery->finish({});
    until([&] { return !told.delivered.empty(); });
    EXPECT_GE(base::Clock::now() - begin, 2 * kSignalInterval);
    std::string all;
    for (const auto& signal : signals) all += signal;
    EXPECT_EQ(signals.size(), 3u);
    EXPECT_EQ(all, text);
    EXPECT_EQ(delivery->kept_text(), std::make_pair(text, false));
}

TEST_F(DeliveryTest, SignalsPauseWhatIsTooFastAndRefuseWhatIsTooMuch) {
    delivery = make_signal_delivery(loop, events(), [](uint64_t, const std::string&) {});
    delivery->text(std::string(kMaxUnsignalledBytes + 1, 'x'));
    EXPECT_EQ(told.paused, std::vector<bool>{true});
    EXPECT_TRUE(told.failed.empty());
    delivery->text(std::string(kMaxSignalledBytes, 'y'));
    delivery->text("more");
    EXPECT_EQ(told.failed, std::vector<ErrorCode>{ErrorCode::SlowConsumer});
    const auto kept = delivery->kept_text();
    EXPECT_EQ(kept->first.size(), kMaxKeptBytes);
    EXPECT_TRUE(kept->second);
}

TEST_F(DeliveryTest, KeptTextIsABeginningOfTheText) {
    delivery = make_signal_delivery(loop, events(), [](uint64_t, const std::string&) {});
    const std::string begin(kMaxKeptBytes - 1, 'x');
    delivery->text(begin);
    delivery->text("\u00e4");  // does not fit any more
    delivery->text("y");       // would
    EXPECT_TRUE(delivery->kept_text()->first == begin) << "too long to be printed";
    EXPECT_TRUE(delivery->kept_text()->second);
}

}  // namespace
}  // namespace llmd::dbus
