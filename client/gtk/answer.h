// One answer of llmd to a conversation, while it comes over the bus.
#pragma once

#include <functional>
#include <memory>

#include "base/unique_fd.h"
#include "client/gtk/gobject.h"
#include "client/stream_line.h"
#include "llmd_proxy.h"

namespace llmd::gtk {

// Error names of lines that llmd has not sent: it could not be reached, and it left before the answer's end.
inline constexpr char kNotRunning[] = "NotRunning";
inline constexpr char kDisconnected[] = "Disconnected";

class Answer {
public:
    // Gets each line as it comes, of which the last one is Done or Error, whatever becomes of llmd. It may destroy the
    // answer during the last one. Error names have no prefix.
    using Take = std::function<void(const client::StreamLine& line)>;

    // `messages` (aa{sv}) and `options` (a{sv}) are StreamChat's; floating references are taken.
    Answer(LlmdLlmd1* llmd, GVariant* messages, GVariant* options, Take take);
    // Cancels what has not ended.
    ~Answer();
    Answer(const Answer&) = delete;
    Answer& operator=(const Answer&) = delete;

private:
    void open(int pipe);
    // False at the end.
    bool read();
    void fail(const char* name, const std::string& message);

    const Take take_;
    const Ref<GCancellable> cancellable_;
    base::UniqueFd pipe_;
    client::StreamReader reader_;
    guint source_ = 0;  // watches the pipe
};

}  // namespace llmd::gtk
