// An EngineServer with the fake device, connected to its test by a real socketpair.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/server/engine_server.h"
#include "fake_model.h"
#include "support/gguf_writer.h"

namespace llmd::test {

class ServedEngine : public testing::Test {
protected:
    void SetUp() override {
        std::array<int, 2> fds{};
        ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()), 0);
        peer_.reset(fds[0]);
        server_.emplace(
            base::UniqueFd(fds[1]),
            engine::EngineServer::Environment{.sandbox = "everything", .version = "0", .prefixes = prefixes_},
            [this](const std::string& path, const generation::LoadOptions& options,
                   generation::LoadObserver& observer) { return fake_load(path, options, observer); },
            [this] { return now_ += tick_; });
    }

    base::Result<generation::LoadedModel> fake_load(const std::string& path, const generation::LoadOptions& options,
                                                    generation::LoadObserver& observer) {
        if (!observer.before(generation::LoadStage::Read, generation::kReadBudget)) {
            return base::fail(base::ErrorCode::Cancelled, "given up");
        }
        if (path == "bad") return base::fail(base::ErrorCode::ModelLoadFailed, "bad: not a model");
        observer.before(generation::LoadStage::Build, generation::kBuildBudget);
        for (uint64_t i = 1; i <= 1000; ++i) observer.on_uploaded(i, 1000);
        asked_ = options.backend.precision;
        asked_memory_ = options.memory_bytes;
        asked_to_speculate_ = options.speculates;
        auto model = fake_model(model_options_);
        if (make_tokenizer_) model.tokenizer = make_tokenizer_();
        if (!options.chat_template.empty()) {
            const auto bytes = GgufWriter().bytes();
            const auto gguf = model::Gguf::parse(bytes);
            model.chat_template = *chat::ChatTemplate::create(*gguf, *model.tokenizer, options.chat_template);
        }
        fake_backend(model).set_precision(precision_);
        fake_backend(model).set_fingerprint(profile_);
        fake_backend(model).fail_step = fail_step_;
        fake_backend(model).asynchronous = asynchronous_;
        fake_ = &fake_backend(model);
        observer.on_device({compute::BackendKind::OpenCl, "FD630", "26.1.6"});
        return model;
    }

    void say(const protocol::Message& message) {
        std::string frame;
        ASSERT_TRUE(protocol::encode(message, frame));
        say_bytes(frame);
    }
    void say_bytes(const std::string& bytes) {
        ASSERT_EQ(::send(peer_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
    }

    // Returns the messages that the server has sent so far.
    std::vector<protocol::Message> hear() {
        std::vector<protocol::Message> messages;
        std::array<char, 65536> buffer;
        ssize_t n = 0;
        while ((n = ::recv(peer_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT)) > 0) {
            reader_.append({buffer.data(), static_cast<size_t>(n)});
        }
        while (true) {
            auto message = reader_.next();
            EXPECT_TRUE(message);
            if (!message || !message->has_value()) return messages;
            messages.push_back(std::move(**message));
        }
    }

    // Runs the server until it would wait, and returns everything that it sent.
    std::vector<protocol::Message> serve() {
        std::vector<protocol::Message> all;
        while (!left_) {
            left_ = server_->run_once();
            auto heard = hear();
            all.insert(all.end(), heard.begin(), heard.end());
            if (!server_has_work(all)) break;
        }
        return all;
    }
    // Requests that were started and have not ended keep it busy.
    bool server_has_work(const std::vector<protocol::Message>& all) {
        size_t ended = 0;
        for (const auto& message : all) ended += std::holds_alternative<protocol::Finished>(message) ? 1 : 0;
        return !left_ && ended < n_started_;
    }

    void load() {
        say(protocol::Load{.model_path = "good"});
        const auto answer = serve();
        ASSERT_FALSE(answer.empty());
        ASSERT_TRUE(std::holds_alternative<protocol::Ready>(answer.back()));
    }

    template <typename T>
    static std::vector<T> only(const std::vector<protocol::Message>& all) {
        std::vector<T> some;
        for (const auto& message : all) {
            if (const auto* one = std::get_if<T>(&message)) some.push_back(*one);
        }
        return some;
    }

    base::UniqueFd peer_;
    std::optional<engine::EngineServer> server_;
    protocol::FrameReader reader_;
    std::optional<engine::EngineServer::Leave> left_;
    std::filesystem::path prefixes_;  // directory of its on-disk prefix cache
    FakeModelOptions model_options_;
    std::function<std::unique_ptr<tokenizer::Tokenizer>()> make_tokenizer_;  // of another tokenizer than its own
    std::string profile_ = "fake";
    std::optional<uint32_t> fail_step_;
    bool asynchronous_ = false;                                    // the device
    FakeBackend* fake_ = nullptr;                                  // once the model is loaded
    compute::Precision precision_ = compute::Precision::Faithful;  // of the device
    std::optional<compute::Precision> asked_;                      // of it, by what loads
    uint64_t asked_memory_ = 0;                                    // likewise
    bool asked_to_speculate_ = true;                               // likewise
    size_t n_started_ = 0;
    std::chrono::steady_clock::time_point now_{};  // of rests
    std::chrono::milliseconds tick_{1};            // every look at the clock takes so long
};

inline protocol::Submit submit(uint64_t id, std::string prompt, uint32_t max_tokens = 10) {
    protocol::Submit submit;
    submit.id = id;
    submit.prompt = std::move(prompt);
    submit.max_tokens = max_tokens;
    return submit;
}

}  // namespace llmd::test
