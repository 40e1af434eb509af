// A service whose engine, clock and model folder the test holds in its hands.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/supervisor/fake_engine.h"
#include "service/service.h"
#include "supervisor/load_failures.h"
#include "support/temporary_directory.h"

namespace llmd::service {

using test::TemporaryDirectory;

// Writes down what happens to a request.
class RecordingSink final : public RequestSink {
public:
    void on_accepted(uint32_t n_prompt_tokens) override {
        ++accepted;
        prompt_tokens = n_prompt_tokens;
    }
    void on_logprobs(std::span<const protocol::TokenLogprobs> more) override {
        for (const auto& one : more) logprobs.emplace_back(one.chosen.id, text.size());
    }
    void on_text(std::string_view more) override {
        EXPECT_TRUE(outcomes.empty()) << "text after the end";
        text += more;
        if (when_text) when_text();
    }
    void on_part(const protocol::AnswerPart& part) override {
        EXPECT_TRUE(outcomes.empty()) << "a part after the end";
        parts.push_back(part);
    }
    void on_finished(const Outcome& outcome) override {
        outcomes.push_back(outcome);
        if (when_finished) when_finished();
    }

    bool ended() const { return !outcomes.empty(); }
    // The one and only outcome.
    const Outcome& outcome() const {
        static const Outcome kNone;
        EXPECT_EQ(outcomes.size(), 1u);
        return outcomes.empty() ? kNone : outcomes.front();
    }
    base::Error error() const {
        EXPECT_EQ(outcome().finish, Finish::Error);
        EXPECT_TRUE(outcome().error);
        return outcome().error.value_or(base::Error{});
    }

    int accepted = 0;
    uint32_t prompt_tokens = 0;
    std::string text;
    std::vector<protocol::AnswerPart> parts;           // all but text
    std::vector<std::pair<int32_t, size_t>> logprobs;  // of which id, and how long the text was then
    std::vector<Outcome> outcomes;
    std::function<void()> when_text;
    std::function<void()> when_finished;
};

class ServiceTest : public testing::Test {
protected:
    ServiceTest() {
        folder_.write("a.gguf", "model a");
        folder_.write("b.gguf", "model b");
        make_service({.model = "a"});
    }

    // With one model at a time, where the settings do not say otherwise.
    void make_service(base::Config config) {
        service_.reset();
        if (config.max_models == 0) config.max_models = 1;
        auto launcher = std::make_unique<supervisor::FakeLauncher>();
        launcher_ = launcher.get();
        service_ = std::make_unique<Service>(
            loop_, std::move(config), std::move(launcher),
            supervisor::ModelCatalogue::make(loop_, std::vector<std::string>{folder_.path()}, inspector_),
            ServiceEnvironment{[this] { return now_; }, [this] { return wall_; }, [this] { return available_; },
                               [this] { return oom_kills_; }, device_record_});
    }
    void settle() { supervisor::settle(loop_); }

    // --- The client's side ---
    static GenerateRequest request(std::string model = "a") {
        static int n = 0;
        GenerateRequest request;
        request.caller.sandboxed = false;
        request.caller.name = request.caller.share = "client " + std::to_string(++n);
        request.prompt = "Once";
        request.model = std::move(model);
        request.sampling.seed = 7;
        return request;
    }
    RequestId submit(RecordingSink& sink, GenerateRequest generate = request()) {
        auto id = service_->submit(std::move(generate), sink);
        EXPECT_TRUE(id) << id.error().message;
        settle();
        return id ? *id : 0;
    }
    base::Error refusal(GenerateRequest generate) {
        RecordingSink sink;
        const auto id = service_->submit(std::move(generate), sink);
        EXPECT_FALSE(id);
        return id ? base::Error{} : id.error();
    }
    RequestState state(RequestId id) { return service_->request(id).value_or(RequestSnapshot{}).state; }

    // --- The engine's side ---
    supervisor::FakeEngine& engine() { return launcher_->last(); }
    size_t n_engines() const { return launcher_->engines.size(); }
    protocol::Load expect_load() { return engine().expect<protocol::Load>(); }
    void send(const protocol::Message& message) {
        engine().send(message);
        settle();
    }
    static protocol::BackendKind kind_of(const std::string& backend) {
        return backend == "cpu" ? protocol::BackendKind::Cpu : protocol::BackendKind::OpenCl;
    }
    void ready(uint32_t n_slots = 2, const std::string& backend = "cpu", const std::string& profile = "cpu") {
        protocol::Ready message;
        message.n_ctx = 128;
        message.n_slots = n_slots;
        message.backend = kind_of(backend);
        message.device = backend + " device";
        message.profile = profile;
        send(message);
    }
    void load_and_get_ready(uint32_t n_slots = 2, const std::string& backend = "cpu",
                            const std::string& profile = "cpu") {
        expect_load();
        ready(n_slots, backend, profile);
    }
    // Submit and Start of a request, which the engine accepts.
    protocol::Submit expect_start(RequestId id) {
        auto message = engine().expect<protocol::Submit>();
        EXPECT_EQ(message.id, id);
        EXPECT_EQ(engine().expect<protocol::Start>().id, id);
        send(protocol::Accepted{id, 3});
        return message;
    }
    // A request that runs on an engine that is ready.
    RequestId run(RecordingSink& sink, const std::string& backend = "cpu") {
        const RequestId id = submit(sink);
        load_and_get_ready(2, backend, backend);
        expect_start(id);
        return id;
    }
    void token(RequestId id, int32_t token, const std::string& text) {
        send(supervisor::tokens_of(id, {token}, text, 0));
    }
    void finish(RequestId id, protocol::FinishReason reason = protocol::FinishReason::Stop) {
        protocol::Finished message;
        message.id = id;
        message.reason = reason;
        send(message);
    }
    void die_of(int signal) {
        engine().die_of(signal);
        settle();
    }
    // Does what the loop's timers would do then.
    void pass_time(std::chrono::milliseconds time) {
        now_ += time;
        service_->unload_model("none that is here", [](const auto&) {});  // the service looks at everything
        settle();
    }
    // Another engine is started, if it be after a pause.
    void await_engine() {
        const size_t before = n_engines();
        pass_time(supervisor::kLastLoadRetry);
        ASSERT_EQ(n_engines(), before + 1);
    }
    void exit_engine() {
        engine().exit_with(0);
        settle();
    }

    std::string inspector_ = "/nonexistent";  // llmd-engine for the catalogue
    TemporaryDirectory folder_;
    base::EventLoop loop_;
    base::TimePoint now_{};
    std::optional<uint64_t> available_ = uint64_t{8} << 30;                       // memory
    std::optional<uint64_t> oom_kills_ = 0;                                       // nothing: the kernel does not say
    std::string device_record_;                                                   // as ServiceEnvironment has it
    supervisor::DeviceHealth::WallTime wall_{std::chrono::hours(24 * 365 * 50)};  // some day
    supervisor::FakeLauncher* launcher_ = nullptr;
    std::unique_ptr<Service> service_;
};

}  // namespace llmd::service
