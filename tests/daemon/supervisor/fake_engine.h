// Plays llmd-engine by hand, frame by frame over a socketpair, without a process: the test decides what it says, when
// it dies and of what.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocol/frame.h"
#include "supervisor/engine_link.h"

namespace llmd::supervisor {

// The engine's end of one conversation.
class FakeEngine {
public:
    FakeEngine(base::UniqueFd socket, int pidfd) : socket_(std::move(socket)), pidfd_(pidfd) {}

    void send(const protocol::Message& message) {
        std::string bytes;
        ASSERT_TRUE(protocol::encode(message, bytes));
        send_bytes(bytes);
    }
    void send_bytes(const std::string& bytes) {
        ASSERT_EQ(::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
    }

    // The next message from llmd; nothing when there is none.
    std::optional<protocol::Message> next() {
        std::array<char, 65536> bytes;
        for (ssize_t n; (n = ::recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT)) > 0;) {
            reader_.append({bytes.data(), static_cast<size_t>(n)});
        }
        auto message = reader_.next();
        if (!message) {
            ADD_FAILURE() << message.error().message;
            return std::nullopt;
        }
        if (const auto* lease = *message ? std::get_if<protocol::SetLease>(&**message) : nullptr;
            lease != nullptr && gives_lease_back) {
            std::string answer;
            if (!lease->held && protocol::encode(protocol::LeaseReleased{}, answer)) {
                (void)::send(socket_.get(), answer.data(), answer.size(), MSG_NOSIGNAL);  // llmd may have gone
            }
            return next();
        }
        return std::move(*message);
    }
    // The next message, which must be a T.
    template <typename T>
    T expect() {
        auto message = next();
        if (!message) {
            ADD_FAILURE() << "no message";
            return {};
        }
        if (!std::holds_alternative<T>(*message)) {
            ADD_FAILURE() << "got a " << protocol::message_name(*message);
            return {};
        }
        return std::get<T>(std::move(*message));
    }
    void expect_nothing() {
        const auto message = next();
        EXPECT_FALSE(message) << protocol::message_name(*message);
    }
    // llmd has closed the conversation.
    bool hung_up() {
        char byte;
        return ::recv(socket_.get(), &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0;
    }

    // Ends like a process: by a signal, or with an exit status.
    void die_of(int signal) { end(signal); }
    void exit_with(int status) { end(status << 8); }
    void close_socket() { socket_.reset(); }

    // For the launcher.
    void killed() {
        ++kills;
        if (!ended_ && !is_immortal) end(SIGKILL);
    }
    int status() const { return status_; }

    bool gives_lease_back = true;  // at once, and the test hears nothing of leases
    int kills = 0;
    bool is_immortal = false;  // a kill does not end it: it sleeps uninterruptibly

private:
    void end(int status) {
        status_ = status;
        ended_ = true;
        socket_.reset();
        const uint64_t one = 1;
        ASSERT_EQ(::write(pidfd_.get(), &one, sizeof(one)), static_cast<ssize_t>(sizeof(one)));
    }

    base::UniqueFd socket_;
    base::UniqueFd pidfd_;  // an eventfd: becomes readable when the engine ends
    protocol::FrameReader reader_;
    int status_ = 0;  // as waitpid() gives it
    bool ended_ = false;
};

class FakeLauncher final : public EngineLauncher {
public:
    base::Result<EngineProcess> launch() override {
        if (refuse) return base::fail(base::ErrorCode::Failed, "no more processes");
        int ends[2];
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
        base::UniqueFd pidfd(::eventfd(0, EFD_CLOEXEC));
        engines.push_back(std::make_unique<FakeEngine>(base::UniqueFd(ends[1]), ::dup(pidfd.get())));
        return EngineProcess{static_cast<pid_t>(engines.size()), std::move(pidfd), base::UniqueFd(ends[0])};
    }
    void kill(const EngineProcess& process) override { engine(process).killed(); }
    int reap(const EngineProcess& process) override { return engine(process).status(); }

    FakeEngine& last() { return *engines.back(); }

    std::vector<std::unique_ptr<FakeEngine>> engines;
    bool refuse = false;

private:
    FakeEngine& engine(const EngineProcess& process) { return *engines.at(static_cast<size_t>(process.pid) - 1); }
};

// Messages of an answer that is text alone.
inline protocol::Tokens tokens_of(uint64_t id, std::vector<int32_t> ids, std::string text, uint32_t position = 0) {
    protocol::Tokens tokens{.id = id, .ids = std::move(ids), .parts = {}, .bytes = text.size(), .position = position};
    if (!text.empty()) tokens.parts.push_back({.text = std::move(text)});
    return tokens;
}
inline std::string text_of(const std::vector<protocol::AnswerPart>& parts) {
    std::string text;
    for (const auto& part : parts) text += part.text;
    return text;
}

// Turns the loop until what is already on its way has arrived, however many hops it takes.
inline void settle(base::EventLoop& loop) {
    constexpr int kHops = 12;
    for (int i = 0; i < kHops; ++i) ASSERT_TRUE(loop.run_once(std::chrono::milliseconds(0)));
}

}  // namespace llmd::supervisor
