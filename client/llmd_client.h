// llmd as llmctl's commands see it: plain values in, plain values out, HTTP on llmd's Unix socket between them, each
// call a connection of its own. Every call blocks; a failed one throws CommandError with the daemon's error name and
// the exit code that goes with it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/http_exchange.h"
#include "client/stream_line.h"
#include "client/value.h"

namespace llmd::client {

// How long a call waits for llmd when nothing else is to be waited for. The bus waits this long for a service that it
// starts; sd-bus's own default of 25 s would end before it.
inline constexpr std::chrono::seconds kCallTimeout{120};
// How long a progress line waits for the daemon: short enough that Ctrl-C feels immediate.
inline constexpr std::chrono::milliseconds kGlance{250};

// Every request's name begins with this; people see and give what follows.
inline constexpr std::string_view kRequestPrefix = "/org/llmd/Llmd1/request/";

// A text on its way. Destruction cancels what has not ended: nothing is asked of a daemon that may not answer.
class TextSource {
public:
    virtual ~TextSource() = default;
    TextSource(const TextSource&) = delete;
    TextSource& operator=(const TextSource&) = delete;

    // Readable when read() need not wait.
    virtual int fd() const = 0;
    // Returns the lines that have come, possibly nothing that is whole; no value when llmd has closed it. The last line
    // is Done or Error.
    virtual std::optional<std::vector<StreamLine>> read() = 0;
    // For progress lines: `state` (loading, queued, prefill …) and, while a model is loaded, its progress. Empty when
    // there is nothing to show or llmd does not answer within kGlance. Does not throw.
    virtual Dictionary progress() = 0;

protected:
    TextSource() = default;
};

class LlmdClient {
public:
    // Whether a call has the session bus start llmd where nobody listens any more: it leaves when nobody has asked for
    // a while, and a conversation outlasts that.
    enum class Starts : bool { No, Yes };
    // Unreachable, naming `path`, the socket's, when nobody answers there; nobody is started for that.
    explicit LlmdClient(std::string path, Starts starts = Starts::No);

    // Options have the names of the D-Bus interface.
    std::unique_ptr<TextSource> stream(const std::string& prompt, const Dictionary& options) const;
    // A message has `role` and `content`; one of the assistant may have `tool_calls`, an array as calls_value() makes
    // it, and one of a tool has `tool_call_id`.
    std::unique_ptr<TextSource> stream_chat(const std::vector<Dictionary>& messages, const Dictionary& options) const;
    std::vector<Dictionary> list_models() const;
    std::vector<uint32_t> tokenize(const std::string& text, const Dictionary& options) const;
    Embeddings embed(const std::vector<std::string>& texts, const Dictionary& options) const;
    Dictionary status() const;
    // For progress lines, between two looks at Ctrl-C: empty unless llmd answers within kGlance; does not throw.
    Dictionary glance() const;
    // The same of the request that this process has asked for last.
    Dictionary glance_at_request() const;
    // A request's name, with kRequestPrefix or without, or the number that its answer and the log have.
    void cancel(std::string request) const;

    // --- NotAllowed in a sandbox -------------------------------------------------------------------------------------
    // `tick` is called about five times a second while the daemon works.
    void load_model(const std::string& name_or_path, const std::function<void()>& tick) const;
    void unload_model() const;
    std::vector<Dictionary> list_requests() const;
    void cancel_all() const;
    void reload() const;

    // For looks that are not worth a start.
    LlmdClient without_starting() const {
        LlmdClient quiet = *this;
        quiet.starts_ = Starts::No;
        return quiet;
    }

private:
    // Begins an exchange, by Starts once more after llmd was started.
    HttpExchange exchange(const HttpRequest& request,
                          std::optional<std::chrono::milliseconds> timeout = std::nullopt) const;
    // `body` is an object that lacks its end.
    std::unique_ptr<TextSource> open(base::JsonWriter body) const;
    // The body of an answer that is 200. Throws the daemon's error otherwise.
    std::string ask(const HttpRequest& request, std::optional<std::chrono::milliseconds> timeout) const;
    // The object that this body is.
    Dictionary get(const char* target, std::chrono::milliseconds timeout) const;

    std::string path_;
    Starts starts_;
};

// $XDG_RUNTIME_DIR/llmd/llmd.sock. Throws CommandError(Unreachable) when that variable is not set.
std::string socket_path();

// Where nobody answers on the socket, the session bus is asked to start llmd. Unreachable when that does not help
// either, naming both and how to start the service.
LlmdClient connect_to_llmd();

// The command that starts llmd on this machine.
std::string start_command();

// Has the running daemon read its settings again. Does not start it, and does not throw.
void reload_if_running();

// Returns the running daemon's status; nothing when it is not running. Does not start it, and does not throw.
std::optional<Dictionary> running_status();

// Version of the running daemon; else as running_status().
std::optional<std::string> running_version();

}  // namespace llmd::client
