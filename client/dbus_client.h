// llmd as llmctl sees it over the session bus: plain values in and out, sdbus-c++ kept behind this header.
// Every call blocks; a failed one throws CommandError with the daemon's error name and the exit code that goes with it.
// The daemon is started by the first call when the bus knows how (D-Bus activation).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "client/value.h"

namespace llmd::client {

// How long a progress line waits for the daemon: short enough that Ctrl-C feels immediate.
inline constexpr std::chrono::milliseconds kGlance{250};

struct OpenStream {
    std::string request;  // object path
    base::UniqueFd pipe;  // blocking read end; closing it cancels
};

class DbusClient {
public:
    // Connects to the session bus; Unreachable when there is none.
    DbusClient();
    ~DbusClient();

    // What comes through the pipe is ndjson.
    OpenStream stream(const std::string& prompt, const Dictionary& options);
    // A message has `role` and `content`.
    OpenStream stream_chat(const std::vector<Dictionary>& messages, const Dictionary& options);
    void cancel(const std::string& request);
    std::vector<Dictionary> list_models();
    std::vector<uint32_t> tokenize(const std::string& text, const Dictionary& options);
    Dictionary status();
    // For progress lines, between two looks at Ctrl-C: empty unless llmd answers within kGlance; does not throw.
    Dictionary glance();

    // `tick` is called about five times a second while the daemon works.
    void load_model(const std::string& name_or_path, const std::function<void()>& tick);
    void unload_model();
    std::vector<Dictionary> list_requests();
    void cancel_all();

    // The state of a request: "queued", "loading", "prefill", "decode", "paused"; empty when it has ended or llmd does
    // not answer within kGlance. Does not throw.
    std::string request_state(const std::string& request);
    // Version of the running daemon; nothing when it is not running. Does not start it, and does not throw.
    static std::optional<std::string> running_version();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace llmd::client
