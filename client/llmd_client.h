// llmd as llmctl's commands see it, whichever way it is reached: plain values in and out. Every call blocks; a failed
// one throws CommandError with the daemon's error name and the exit code that goes with it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/stream_line.h"
#include "client/value.h"

namespace llmd::client {

// How long a call waits for llmd when nothing else is to be waited for. The bus waits this long for a service that it
// starts; sd-bus's own default of 25 s would give up before it.
inline constexpr std::chrono::seconds kCallTimeout{120};
// How long a progress line waits for the daemon: short enough that Ctrl-C feels immediate.
inline constexpr std::chrono::milliseconds kGlance{250};

// What every request's name begins with; people see and give what follows.
inline constexpr std::string_view kRequestPrefix = "/org/llmd/Llmd1/request/";

// A text on its way. Destruction cancels what has not ended: nothing is asked of a daemon that may not answer.
class TextSource {
public:
    virtual ~TextSource() = default;
    TextSource(const TextSource&) = delete;
    TextSource& operator=(const TextSource&) = delete;

    // Readable when read() need not wait.
    virtual int fd() const = 0;
    // What has come, possibly nothing that is whole; no value when llmd has closed it. The last line is Done or Error.
    virtual std::optional<std::vector<StreamLine>> read() = 0;
    // For progress lines: `state` (loading, queued, prefill …) and, while a model is loaded, what llmd tells of that.
    // Empty when there is nothing to tell or llmd does not answer within kGlance. Does not throw.
    virtual Dictionary progress() = 0;

protected:
    TextSource() = default;
};

class LlmdClient {
public:
    virtual ~LlmdClient() = default;
    LlmdClient(const LlmdClient&) = delete;
    LlmdClient& operator=(const LlmdClient&) = delete;

    // Options have the names of the D-Bus interface; InvalidArgument names one that an older llmd does not offer. The
    // client must outlive what these return.
    virtual std::unique_ptr<TextSource> stream(const std::string& prompt, const Dictionary& options) = 0;
    // A message has `role` and `content`; one of the assistant may have `tool_calls`, an array as calls_value() makes
    // it, and one of a tool has `tool_call_id`.
    virtual std::unique_ptr<TextSource> stream_chat(const std::vector<Dictionary>& messages,
                                                    const Dictionary& options) = 0;
    virtual std::vector<Dictionary> list_models() = 0;
    virtual std::vector<uint32_t> tokenize(const std::string& text, const Dictionary& options) = 0;
    virtual Embeddings embed(const std::vector<std::string>& texts, const Dictionary& options) = 0;
    virtual Dictionary status() = 0;
    // For progress lines, between two looks at Ctrl-C: empty unless llmd answers within kGlance; does not throw.
    virtual Dictionary glance() = 0;
    // A request's name, with kRequestPrefix or without.
    virtual void cancel(const std::string& request) = 0;

    // --- What only D-Bus offers; elsewhere Failed says so ------------------------------------------------------------
    virtual bool offers_admin() const = 0;
    // `tick` is called about five times a second while the daemon works.
    virtual void load_model(const std::string& name_or_path, const std::function<void()>& tick) = 0;
    virtual void unload_model() = 0;
    virtual std::vector<Dictionary> list_requests() = 0;
    virtual void cancel_all() = 0;

protected:
    LlmdClient() = default;
};

// Over the session bus, which starts llmd when it knows how; where there is no bus, or llmd cannot be had on it, over
// llmd's Unix socket. Unreachable when neither answers, naming both and how to start the service.
std::unique_ptr<LlmdClient> connect_to_llmd();

// The command that starts llmd on this machine.
std::string start_command();

// Has the running daemon read its settings again, where the bus leads to it. Does not start it, and does not throw.
void reload_if_running();

// What the running daemon tells of itself; nothing when it is not running. Does not start it, and does not throw.
std::optional<Dictionary> running_status();

// Version of the running daemon; else as running_status().
std::optional<std::string> running_version();

}  // namespace llmd::client
