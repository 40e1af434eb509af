// A Session with a real socketpair to its test and an upstream server on loopback.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/event_loop.h"
#include "remote/session.h"
#include "upstream_server.h"

namespace llmd::test {

class SessionTest : public testing::Test {
protected:
    // A handler may still run when the test's body has ended.
    void TearDown() override {
        may_go_on_ = true;
        session_.reset();
        upstream_.reset();
    }

    // Every call of the upstream comes here, on threads of its own: what a handler refers to is a member.
    void serve(UpstreamServer::Handler handler) { upstream_ = std::make_unique<UpstreamServer>(std::move(handler)); }

    void open(const std::string& api, const protocol::Connect& connect = {.remote = "home", .model = "tales"}) {
        settings_.name = "home";
        if (settings_.url.empty()) settings_.url = upstream_->url();
        settings_.api = api;
        if (settings_.models.empty()) settings_.models = {"tales"};
        std::array<int, 2> fds{};
        ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()), 0);
        peer_.reset(fds[0]);
        if (!frozen_) limits_.first_backoff = limits_.loading_wait = std::chrono::milliseconds(1);
        session_.emplace(loop_, base::UniqueFd(fds[1]),
                         remote::Session::Environment{.open =
                                                          [this](const std::string&) {
                                                              return remote::OpenedRemote{settings_, "geheim", "all"};
                                                          },
                                                      .limits = limits_,
                                                      .salt_key = "key"});
        say(connect);
    }
    // Until it is ready.
    void connect(const std::string& api) {
        open(api);
        ready_ = wait_for<protocol::Ready>();
        ASSERT_TRUE(ready_) << failure();
    }
    std::string failure() {
        const auto failed = wait_for<protocol::LoadFailed>(std::chrono::seconds(0));
        return failed ? failed->message : "nothing came";
    }

    void say(const protocol::Message& message) {
        std::string frame;
        ASSERT_TRUE(protocol::encode(message, frame));
        ASSERT_EQ(::send(peer_.get(), frame.data(), frame.size(), MSG_NOSIGNAL), static_cast<ssize_t>(frame.size()));
    }

    // Runs the session until it has sent a T, which is then taken away together with what it was sent behind.
    template <typename T>
    std::optional<T> wait_for(std::chrono::milliseconds most = std::chrono::seconds(20)) {
        const auto end = base::Clock::now() + most;
        while (true) {
            while (!heard_.empty()) {
                const protocol::Message message = std::move(heard_.front());
                heard_.erase(heard_.begin());
                all_.push_back(message);
                if (const auto* one = std::get_if<T>(&message)) return *one;
            }
            if (base::Clock::now() > end) return std::nullopt;
            EXPECT_TRUE(loop_.run_once(std::chrono::milliseconds(20)));
            hear();
        }
    }

    struct Outcome {
        std::string text, thinking;
        std::vector<int32_t> ids;
        std::optional<protocol::Usage> usage;
        std::optional<protocol::Finished> finished;
        std::optional<protocol::Refused> refused;
        std::optional<protocol::Accepted> accepted;
        std::vector<protocol::TokenLogprobs> logprobs;
    };
    // Submits, starts when accepted, and collects the answer.
    Outcome run(protocol::Submit submit) {
        Outcome outcome;
        submit.id = ++last_id_;
        say(submit);
        const auto take_parts = [&](const std::vector<protocol::AnswerPart>& parts) {
            for (const auto& part : parts) {
                (part.kind == protocol::AnswerPart::Kind::Text ? outcome.text : outcome.thinking) += part.text;
            }
        };
        const auto end = base::Clock::now() + std::chrono::seconds(20);
        while (!outcome.finished && !outcome.refused && base::Clock::now() < end) {
            EXPECT_TRUE(loop_.run_once(std::chrono::milliseconds(20)));
            hear();
            for (const auto& message : std::exchange(heard_, {})) {
                all_.push_back(message);
                if (const auto* accepted = std::get_if<protocol::Accepted>(&message)) {
                    outcome.accepted = *accepted;
                    say(protocol::Start{submit.id});
                } else if (const auto* tokens = std::get_if<protocol::Tokens>(&message)) {
                    take_parts(tokens->parts);
                    outcome.ids.insert(outcome.ids.end(), tokens->ids.begin(), tokens->ids.end());
                    EXPECT_EQ(tokens->logprobs.size(), submit.top_logprobs ? tokens->ids.size() : 0);
                    outcome.logprobs.insert(outcome.logprobs.end(), tokens->logprobs.begin(), tokens->logprobs.end());
                } else if (const auto* usage = std::get_if<protocol::Usage>(&message)) {
                    outcome.usage = *usage;
                } else if (const auto* refused = std::get_if<protocol::Refused>(&message)) {
                    outcome.refused = *refused;
                } else if (const auto* finished = std::get_if<protocol::Finished>(&message)) {
                    take_parts(finished->parts);
                    outcome.finished = *finished;
                }
            }
        }
        EXPECT_LE(outcome.ids.size(), submit.max_tokens);
        return outcome;
    }

    void hear() {
        std::array<char, 65536> buffer;
        ssize_t n = 0;
        while ((n = ::recv(peer_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT)) > 0) {
            reader_.append({buffer.data(), static_cast<size_t>(n)});
        }
        while (true) {
            auto message = reader_.next();
            ASSERT_TRUE(message);
            if (!message->has_value()) return;
            heard_.push_back(std::move(**message));
        }
    }

    std::optional<base::TimePoint> frozen_;  // the session's time stands still and is moved by the test
    base::EventLoop loop_{[this] { return frozen_.value_or(base::Clock::now()); }};
    base::RemoteSettings settings_;
    remote::Limits limits_;
    std::unique_ptr<UpstreamServer> upstream_;
    std::optional<remote::Session> session_;
    base::UniqueFd peer_;
    protocol::FrameReader reader_;
    std::vector<protocol::Message> heard_, all_;
    std::optional<protocol::Ready> ready_;
    uint64_t last_id_ = 0;
    // For handlers.
    std::atomic<int> n_handled_ = 0;
    std::atomic<bool> may_go_on_ = false, has_gone_on_ = false;
};

inline constexpr const char* kOneModel = R"({"data":[{"id":"tales","owned_by":"vllm","max_model_len":64}]})";
inline constexpr std::string_view kWord = R"({"choices":[{"text":"a","token_ids":[7],"finish_reason":null}]})";
inline constexpr std::string_view kLastWord = R"({"choices":[{"text":"z","token_ids":[8],"finish_reason":"stop"}]})";

class TextSessionTest : public SessionTest {
protected:
    // A server that has a tokenizer where it is asked as vLLM, and generates by `generate`.
    void serve_texts(UpstreamServer::Handler generate) {
        serve([this, generate = std::move(generate)](const UpstreamCall& call, const UpstreamServer::Answer& answer) {
            if (call.path == "/v1/models") return answer.json(models_.load(), list_status_);
            if (call.path == "/version") return answer.json(R"({"version":"1"})", version_status_);
            if (call.path == "/tokenize") return answer.json(R"({"tokens":[1,2]})");
            generate(call, answer);
        });
    }

    std::atomic<const char*> models_ = kOneModel;
    std::atomic<int> list_status_ = 200, version_status_ = 200;
};

inline protocol::Submit text_request(std::string prompt, uint32_t max_tokens = 8) {
    protocol::Submit submit;
    submit.prompt = std::move(prompt);
    submit.max_tokens = max_tokens;
    return submit;
}
inline protocol::Submit chat_request(std::string content, uint32_t max_tokens = 8) {
    protocol::Submit submit;
    submit.messages = {{protocol::ChatMessage::Role::User, std::move(content)}};
    submit.max_tokens = max_tokens;
    return submit;
}

}  // namespace llmd::test
