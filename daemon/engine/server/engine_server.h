// The engine's side of the conversation with llmd (protocol/messages.h): reads commands between steps, runs the
// generator while there is work, and says before each call that may block how long it may take.
// One thread; run() is the whole life of the process. The socket belongs to the server.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "engine/generation/generator.h"
#include "engine/generation/loaded_model.h"
#include "protocol/frame.h"
#include "protocol/messages.h"

namespace llmd::engine {

// A step is sized to take 250 ms, but the first ones run before speed is known, and a software device may share its two
// cores with a compiler: long enough for those, because a hang is for ever and a killed step is work lost.
inline constexpr std::chrono::milliseconds kStepBudget{60'000};
// To tokenize one text of the largest size that a frame holds.
inline constexpr std::chrono::milliseconds kTokenizeBudget{60'000};
// To save one page, megabytes, to a card that is busy or worn, or to look through the folder of them. Announced as Idle
// with a budget: the device has no part in it, and silence then says nothing about the device.
inline constexpr std::chrono::milliseconds kDiskBudget{60'000};
// The longest rest between two steps of an engine that shall not compute all the time: whoever waits for a word still
// sees one.
inline constexpr std::chrono::milliseconds kMaxRest{2'000};
// During prefill the client's progress needs no more than this.
inline constexpr std::chrono::milliseconds kProgressInterval{100};

class EngineServer : private generation::GeneratorEvents, private generation::LoadObserver {
public:
    // load_model() but in tests.
    using Loader = std::function<base::Result<generation::LoadedModel>(
        const std::string& path, const generation::LoadOptions& options, generation::LoadObserver& observer)>;

    // Why the conversation is over.
    enum class Leave : uint8_t {
        PeerGone,     // the socket was closed: nothing is left to do for anybody
        DeviceFault,  // reported in a Fault
        Broken,       // the peer broke the protocol, or the socket failed
    };

    // The clock of rests between steps.
    using Now = std::function<std::chrono::steady_clock::time_point()>;

    // What the server is told of its process.
    struct Surroundings {
        std::string confinement;              // goes into Ready as it is
        std::string version;                  // of this program: what another one saved is not read
        std::filesystem::path prefixes = {};  // the folder of saved prefixes (prefix_store.h); empty: there is none
    };

    EngineServer(base::UniqueFd socket, Surroundings surroundings, Loader loader = generation::load_model,
                 Now now = std::chrono::steady_clock::now);

    Leave run();
    // One turn of run(): waits for a command unless there is work, obeys what has arrived, and makes one step; while it
    // rests, it waits for a command or the end of the rest instead. Without work it saves one page, if there is one to.
    std::optional<Leave> turn();

    // One sentence for DeviceFault and Broken.
    const std::string& reason() const { return reason_; }

private:
    // Waits for at most so long; negative: until something comes.
    void receive(int patience_ms);
    void handle(const protocol::Message& message);
    void handle_load(const protocol::Load& load);
    void handle_submit(const protocol::Submit& submit);
    // Its conversation, as the model's template makes a prompt of it, and what ends an answer there.
    base::Result<void> take_conversation(const protocol::Submit& submit, generation::GenerationRequest& request) const;
    void handle_tokenize(const protocol::Tokenize& tokenize);
    void handle_detokenize(const protocol::Detokenize& detokenize);
    void handle_pace(const protocol::SetPace& pace);
    bool has_work() const { return generator_ && generator_->has_work(); }
    base::Result<void> step();
    bool has_unsaved() const { return generator_ && generator_->has_unsaved(); }
    // The device's: the last word.
    void report_fault(const base::Error& error);
    // Where the model's prefixes are saved; nothing where they are not, with a note in `notes` if they should be.
    std::optional<generation::PrefixStore> open_store(uint64_t max_bytes, std::vector<std::string>& notes);
    // Left of the rest; 0: none.
    std::chrono::milliseconds rest() const;
    // Kept until flush(), which turn() and announce() call.
    void send(const protocol::Message& message);
    void flush();
    void refuse(uint64_t id, const base::Error& error, uint32_t prompt_tokens = 0);
    // Says how many pages are in use, if that has changed.
    void report_pages();
    void announce(protocol::Phase phase, std::chrono::milliseconds budget);
    void leave(Leave leave, std::string reason);
    void report_progress(uint32_t per_mille);
    // With the bytes that it stands for.
    protocol::TokenLogprob spelled(const generation::TokenLogprob& token) const;

    bool before(generation::LoadStage stage, std::chrono::milliseconds budget) override;
    void on_tuned(uint32_t per_mille) override;
    void on_uploaded(uint64_t bytes, uint64_t total_bytes) override;
    void on_device(const compute::ChosenDevice& device) override;
    void on_started(uint64_t id, uint32_t cached_tokens) override;
    void on_prefill(uint64_t id, uint32_t position) override;
    void on_token(uint64_t id, int32_t token, std::string text, uint32_t position,
                  const generation::TokenLogprobs* logprobs) override;
    void on_finished(uint64_t id, const generation::Finish& finish) override;

    base::UniqueFd socket_;
    const Surroundings surroundings_;
    Loader loader_;
    Now now_;
    protocol::FrameReader reader_;
    std::string unsent_;
    std::optional<generation::LoadedModel> model_;
    std::optional<generation::Generator> generator_;  // borrows *model_
    bool load_seen_ = false;
    bool idle_ = false;                                   // Idle without a budget was the last phase
    bool step_announced_ = false;                         // the next step has been, and nothing else since
    uint32_t load_per_mille_ = 0;                         // as last reported
    uint32_t tuned_per_mille_ = 0;                        // of the load, that tuning was
    generation::KvPages::Counts pages_ = {};              // as last reported
    uint32_t load_percent_ = protocol::kFullLoadPercent;  // as in SetPace
    std::chrono::steady_clock::time_point rests_until_{};
    std::chrono::steady_clock::time_point next_progress_{};
    std::optional<Leave> leave_;
    std::string reason_;
};

}  // namespace llmd::engine
