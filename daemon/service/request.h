// A request as the service knows it: transport-neutral, validated by the front end that made it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/caller.h"
#include "base/result.h"
#include "protocol/messages.h"

namespace llmd::service {

using RequestId = uint64_t;  // never 0, never reused

using Priority = protocol::Priority;
std::string_view priority_name(Priority priority);  // "interactive"

// Limits on what a client may ask for; published in the D-Bus property `Limits`.
struct RequestLimits {
    static constexpr size_t kMaxPromptBytes = 64u << 10;  // over D-Bus, where messages are copied
    static constexpr size_t kMaxSocketPromptBytes = 4u << 20;
    static constexpr size_t kMaxMessages = protocol::kMaxChatMessages;  // of one conversation
    static constexpr size_t kMaxJsonSchemaBytes = 64u << 10;
    static constexpr size_t kMaxRegexBytes = 64u << 10;
    static constexpr size_t kMaxChoices = 10'000;  // texts one of which the answer is; a bus message has room for them
    static constexpr size_t kMaxChoicesBytes = 128u << 10;  // of all of them; a grammar has two nodes for each
    static constexpr size_t kMaxAnswers = 8;          // of one call, which counts as one request in the next three
    static constexpr size_t kMaxQueued = 16;          // requests that do not run, in all
    static constexpr size_t kMaxPerClient = 4;        // requests of one client, running ones included
    static constexpr size_t kMaxPerApplication = 12;  // likewise of all clients with one share
    // The limits that hold for a caller. A sandboxed application, however many clients it has, has half of one
    // client's, so that no sandbox fills the queue; nor does an application outside.
    struct Allowance {
        size_t queued, per_client, per_application;
    };
    static constexpr Allowance allowance(bool sandboxed) {
        if (sandboxed) return {kMaxQueued / 2, kMaxPerClient / 2, kMaxPerClient / 2};
        return {kMaxQueued, kMaxPerClient, kMaxPerApplication};
    }
    static constexpr size_t kMaxInputs = 2048;  // of one request for embeddings
    // Over D-Bus, whose arrays have at most 64 MiB (D-Bus Specification, "Container types"): so many embeddings of
    // 4096 doubles take half of that, and more texts are refused before anything is computed.
    static constexpr size_t kMaxBusInputs = 1024;
    static constexpr uint32_t kMaxTokens = 1u << 20;
    static constexpr size_t kMaxStops = 16;
    static constexpr size_t kMaxStopBytes = 256;  // of one stop string
    static constexpr uint32_t kMaxTopLogprobs = protocol::kMaxTopLogprobs;
    static constexpr uint32_t kMaxTopK = 256;  // a device returns so many candidates, with margin
    static constexpr double kMaxTemperature = 10;
    static constexpr double kMaxRepeatPenalty = 10;
    static constexpr double kMinRepeatPenalty = 0.01;  // a stronger one leaves the range in which logits differ
    static constexpr double kMaxPenalty = 2;           // of presence and frequency, as in OpenAI's API
    static constexpr uint32_t kMaxRepeatLastN = 2048;
    static constexpr size_t kMaxLogitBias = 300;
    static constexpr double kMaxBias = 100;
    static constexpr size_t kMaxStopTokenIds = 16;
    static constexpr size_t kMaxToolNameBytes = 128;      // as the engine's kMaxToolName
    static constexpr size_t kMaxToolsBytes = 512u << 10;  // of the tools' JSON
    static constexpr uint32_t kMaxDeadlineMs = 24u * 3600 * 1000;
    static constexpr std::chrono::seconds kMaxKeepAlive = std::chrono::hours(24 * 365);
    static constexpr size_t kMaxApplicationBytes = protocol::kMaxCacheScopeBytes;
};

// Where a request says nothing: what most programs of this kind use, so that a prompt behaves as its author is used to.
inline const protocol::Sampling kDefaultSampling = {.temperature = 0.8f, .top_k = 40, .top_p = 0.95f, .min_p = 0.05f};

// The place of the index in the name of an input.
inline constexpr const char* kInputIndex = "[]";

// A text, or token ids instead.
struct Prompt {
    std::string text;
    std::vector<int32_t> ids;
};

// Its prompt is valid UTF-8, at most the transport's limit; all contents of its messages together are limited alike.
struct GenerateRequest : protocol::Ask {
    GenerateRequest() {
        max_tokens = kDefaultMaxTokens;
        sampling = kDefaultSampling;
    }
    base::Caller caller;
    std::string bus_path;  // of its object on the bus; empty: it came over the socket
    std::string model;     // from the catalogue; empty: that of the settings, else the last used for this
    // Models that are asked instead, one after another, where those before them fail before anything of the answer has
    // been sent (handover/remote_policy.h). Not with `inputs`, and for calls with one answer only.
    std::vector<std::string> fallback;
    Priority priority = Priority::Normal;
    std::optional<std::chrono::milliseconds> deadline;  // from submission to the last token
    bool echo = false;                                  // the text begins with the prompt
    // Not a text is wanted but an embedding of each of these, in the outcome; there is no other prompt then. They are
    // computed one after another, once the engine has found that all of them fit.
    std::vector<Prompt> inputs;
    std::string input_name = "input[]";  // their field, for errors; it ends with kInputIndex where there can be several
    // So many values of each embedding are wanted, of length 1 again; 0: all. More than the model's are refused.
    uint32_t dimensions = 0;
    // How long the model is to stay after the answer, as far as memory, power and other clients let it: negative for
    // ever (of a sandboxed client for the idle time), 0 not at all; nothing: for the idle time. The last keep_alive of
    // a share counts.
    std::optional<std::chrono::seconds> keep_alive;

    static constexpr uint32_t kDefaultMaxTokens = 256;
};

// Returns the name of an input for errors: "input[17]".
std::string name_of_input(const GenerateRequest& request, size_t input);

// Returns the size of all texts of a message.
size_t text_bytes(const protocol::ChatMessage& message);

// Whether the request asks for nothing but that the model is loaded.
bool is_preload(const GenerateRequest& request);

// Front ends have refused such requests in their own words; this keeps the engine and its frames safe from a mistake.
// InvalidArgument or PromptTooLong names the first field that is out of its limits.
base::Result<void> check(const GenerateRequest& request);
// The same of the requests of one call, each and all together.
base::Result<void> check(const std::vector<GenerateRequest>& requests);

enum class RequestState : uint8_t { Queued, Loading, Prefill, Decode, Paused };
std::string_view request_state_name(RequestState state);  // "queued"

enum class Finish : uint8_t { Stop, Length, ToolCalls, Cancelled, Timeout, Error };
std::string_view finish_name(Finish finish);  // "stop"
// The model has ended the answer itself.
constexpr bool is_complete(Finish finish) {
    return finish == Finish::Stop || finish == Finish::ToolCalls;
}

// How a request ended, and what it cost. `error` is set exactly when finish is Error.
struct Outcome {
    Finish finish = Finish::Stop;
    std::optional<base::Error> error;
    std::string model;
    uint64_t seed = 0;
    uint32_t prompt_tokens = 0;  // also of a prompt that has exceeded the context; 0: not counted
    uint32_t cached_tokens = 0;  // prompt tokens that earlier requests had computed
    uint32_t generated_tokens = 0;
    uint32_t thinking_tokens = 0;  // of the generated ones, up to the one that begins what follows the thinking
    uint32_t drafted_tokens = 0;   // computed by the last engine before it was known that they follow
    uint32_t accepted_tokens = 0;  // drafted tokens that are in the text
    std::chrono::milliseconds queue_time{};  // submission to start
    std::chrono::milliseconds ttft{};        // submission to first token; 0 if there was none
    double prefill_tps = 0;                  // tokens per second; 0 if unknown
    double decode_tps = 0;
    bool profile_changed = false;                // the text was continued on another device or kernel set
    uint32_t resumed = 0;                        // how often a remote's text was cut and went on
    std::string where = "device";                // or the name of the remote that computed it
    std::vector<std::vector<float>> embeddings;  // of length 1 each, of every input, when the request has succeeded
    // Only the end of the answer gives these notes, as RequestSink::on_note().
    std::vector<std::string> notes;
    std::string stop;  // with Finish::Stop: the one of the request's stop strings that ended the text; empty: none did
};

// Where a request's events go. Called on the loop thread only, never from inside a call to Service.
class RequestSink {
public:
    virtual ~RequestSink() = default;
    // Says what of the request is not held to the letter, a sentence that begins with the field; before on_accepted().
    virtual void on_note(const std::string& note) { (void)note; }
    // Tokenized: the request fits the model.
    virtual void on_accepted(uint32_t prompt_tokens) = 0;
    // One for each token that was made, each before its text; where they are wanted.
    virtual void on_logprobs(std::span<const protocol::TokenLogprobs> logprobs) { (void)logprobs; }
    // The answer's text: valid UTF-8 without U+0000; may be many tokens' text at once or part of one's.
    virtual void on_text(std::string_view text) = 0;
    // Takes every other kind of part: what the model thinks, and the tools that it calls. Calls are numbered from 0;
    // each begins, has its arguments and ends, whole or cut, before anything else comes, whatever ends the request.
    virtual void on_part(const protocol::AnswerPart& part) { (void)part; }
    // Exactly once, and the last call: the sink may be destroyed after it returns.
    virtual void on_finished(const Outcome& outcome) = 0;
};

// For the Request object's properties and for ListRequests.
struct RequestSnapshot {
    RequestId id = 0;
    base::Caller caller;
    std::string bus_path;  // as in GenerateRequest
    std::string model;
    std::string where = "device";  // or the name of the remote that has it, or is about to
    bool away = false;             // it was handed over to that remote
    RequestState state = RequestState::Queued;
    bool running = false;   // it has a slot
    uint32_t position = 0;  // requests that run before it does; 0 when running
    uint64_t estimated_wait_ms = 0;
    uint32_t prompt_tokens = 0;
    uint32_t generated_tokens = 0;
    Priority priority = Priority::Normal;
};

}  // namespace llmd::service
