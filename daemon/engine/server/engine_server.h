// The engine's side of the connection to llmd (protocol/messages.h). The server reads commands between steps, runs the
// generator while there is work, and reports before each call that may block how long it may take.
//
// The device may be leased (SetLease): without the lease the server computes nothing and saves no pages, but handles
// every command. It has the lease from Load on until it is told otherwise, so that loading and self-tests are
// never interrupted. Rests (SetPace, duty_cycle.h) are held within the lease.
//
// One thread; run() is the whole life of the process. The socket belongs to the server.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "engine/generation/generator.h"
#include "engine/generation/loaded_model.h"
#include "engine/server/answer_syntax.h"
#include "engine/server/duty_cycle.h"
#include "engine/server/step_budget.h"
#include "protocol/frame.h"
#include "protocol/messages.h"

namespace llmd::engine {

// The time to tokenize the largest text that a frame holds.
inline constexpr std::chrono::milliseconds kTokenizeBudget{60'000};
// The time to save one page of megabytes to a card that is busy or worn, or to list the directory of pages. It is
// reported as Idle with a budget, because the device takes no part and a timeout says nothing about it.
inline constexpr std::chrono::milliseconds kDiskBudget{60'000};
// The least time between two reports of a prefill's progress.
inline constexpr std::chrono::milliseconds kProgressInterval{100};

class EngineServer : private generation::GeneratorEvents, private generation::LoadObserver {
public:
    // load_model(), or another one in tests.
    using Loader = std::function<base::Result<generation::LoadedModel>(
        const std::string& path, const generation::LoadOptions& options, generation::LoadObserver& observer)>;

    // Why the server has ended.
    enum class Leave : uint8_t {
        PeerGone,     // the socket was closed
        DeviceFault,  // reported in a Fault
        Broken,       // the peer broke the protocol, or the socket failed
    };

    // The server has to know this of its process.
    struct Environment {
        std::string sandbox;                  // what is in force, as Ready says it
        std::string version;                  // of this program, which does not read what another version has kept
        std::filesystem::path prefixes = {};  // directory of the on-disk prefix cache (prefix_store.h); empty: none
        std::filesystem::path choices = {};   // directory of kept device choices (device_choice.h); empty: none
    };

    EngineServer(base::UniqueFd socket, Environment environment, Loader loader = generation::load_model,
                 DutyCycle::Now now = std::chrono::steady_clock::now);

    Leave run();
    // Runs one iteration of run(): waits for a command unless there is work, handles what has arrived, and runs one
    // step. During a rest it waits for a command or the end of the rest instead. Without work it saves one page of a
    // prefix, if there is one to save.
    std::optional<Leave> run_once();

    // One sentence that explains DeviceFault and Broken.
    const std::string& reason() const { return reason_; }

private:
    // A negative timeout waits until something comes.
    void receive(int timeout_ms);
    void handle(const protocol::Message& message);
    void handle_load(const protocol::Load& load);
    void handle_submit(const protocol::Submit& submit);
    void handle_tokenize(const protocol::Tokenize& tokenize);
    void handle_detokenize(const protocol::Detokenize& detokenize);
    void handle_render(const protocol::Render& render);
    void handle_pace(const protocol::SetPace& pace);
    void handle_lease(const protocol::SetLease& lease);
    bool has_work() const { return generator_ && generator_->has_work(); }
    // True if there is something to compute and the device may be used. A rest may have to pass first.
    bool is_busy() const { return has_lease_ && has_work(); }
    // Calls step() or settle() of the generator, and sets the budget and the rest that follow. Reports a fault.
    void compute(base::Result<void> (generation::Generator::*call)());
    bool has_unsaved() const { return has_lease_ && generator_ && generator_->has_unsaved(); }
    // Reports an error of the device, after which the server ends.
    void report_fault(const base::Error& error);
    // Opens the files of the on-disk prefix cache. Returns nothing if the cache is off; if it is on and cannot be
    // opened, `notes` says why.
    std::optional<generation::PrefixStore> open_store(uint64_t max_bytes, std::vector<std::string>& notes);
    // Buffers the message until flush(), which run_once() and report_phase() call.
    void send(const protocol::Message& message);
    void flush();
    void refuse(uint64_t id, const base::Error& error, uint32_t prompt_tokens = 0);
    // Reports the number of pages in use if it has changed.
    void report_pages();
    void report_phase(protocol::Phase phase, std::chrono::milliseconds budget);
    void leave(Leave leave, std::string reason);
    void report_progress(uint32_t per_mille);
    // Adds the bytes that the token stands for.
    protocol::TokenLogprob spelled(const generation::TokenLogprob& token) const;

    bool before(generation::LoadStage stage, std::chrono::milliseconds budget) override;
    void on_uploaded(uint64_t bytes, uint64_t total_bytes) override;
    void on_device(const compute::ChosenDevice& device) override;
    void on_started(uint64_t id, uint32_t cached_tokens) override;
    void on_prefill(uint64_t id, uint32_t position) override;
    void on_token(uint64_t id, int32_t token, std::string text, uint32_t position,
                  const generation::TokenLogprobs* logprobs) override;
    void on_finished(uint64_t id, const generation::Finish& finish) override;

    base::UniqueFd socket_;
    const Environment environment_;
    Loader loader_;
    DutyCycle duty_cycle_;
    StepBudget step_budget_;
    protocol::FrameReader reader_;
    std::string unsent_;
    std::optional<generation::LoadedModel> model_;
    std::optional<generation::Generator> generator_;                       // borrows *model_
    std::unordered_map<uint64_t, std::unique_ptr<AnswerSyntax>> answers_;  // of the requests that have not ended
    bool load_seen_ = false;
    // Idle or Waiting, if that was the last phase and had no budget.
    std::optional<protocol::Phase> quiet_phase_;
    bool step_reported_ = false;              // Step was the last phase, and the next step has not begun
    uint32_t load_per_mille_ = 0;             // as last reported
    generation::KvPages::Counts pages_ = {};  // as last reported
    bool has_lease_ = true;
    std::chrono::steady_clock::time_point next_progress_{};
    std::optional<Leave> leave_;
    std::string reason_;
};

}  // namespace llmd::engine
