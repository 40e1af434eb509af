#include "client/gtk/answer.h"

#include <gio/gunixfdlist.h>
#include <glib-unix.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "client/exit_code.h"

namespace llmd::gtk {
namespace {

// Behind GTK's drawing: where that is slower than the text, a read takes more at a time.
constexpr int kReadPriority = G_PRIORITY_DEFAULT_IDLE;

// The name that the answer's taker knows; what the bus says becomes one of the two of its own.
std::string name_of(const GError* error) {
    const std::unique_ptr<char, decltype(&g_free)> remote(g_dbus_error_get_remote_error(error), g_free);
    const std::string name = remote ? remote.get() : "";
    if (const auto known = client::short_error_name(name); known.size() < name.size()) return std::string(known);
    const bool went = g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_NO_REPLY) != 0 ||
                      g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_DISCONNECTED) != 0;
    return went ? kDisconnected : kNotRunning;
}

}  // namespace

Answer::Answer(LlmdLlmd1* llmd, GVariant* messages, GVariant* options, Take take)
    : take_(std::move(take)), cancellable_(g_cancellable_new()) {
    llmd_llmd1_call_stream_chat(
        llmd, messages, options, G_DBUS_CALL_FLAGS_NONE, -1, nullptr, cancellable_.get(), call_then,
        then_data([this](GObject* source, GAsyncResult* result) {
            GError* raw = nullptr;
            GVariant* handle = nullptr;
            GUnixFDList* list = nullptr;
            llmd_llmd1_call_stream_chat_finish(LLMD_LLMD1(source), nullptr, &handle, &list, result, &raw);
            Error error(raw);
            const Variant index(handle);
            const Ref<GUnixFDList> fds(list);
            if (was_cancelled(error)) return;
            const int pipe = error ? -1 : g_unix_fd_list_get(fds.get(), g_variant_get_handle(index.get()), &raw);
            if (pipe >= 0) return open(pipe);
            if (!error) error.reset(raw);
            const std::string name = name_of(error.get());
            g_dbus_error_strip_remote_error(error.get());
            fail(name.c_str(), error->message);
        }));
}

Answer::~Answer() {
    g_cancellable_cancel(cancellable_.get());
    if (source_ != 0) g_source_remove(source_);
}

void Answer::open(int pipe) {
    pipe_.reset(pipe);
    const auto ready = +[](int, GIOCondition, gpointer self) -> gboolean {
        return static_cast<Answer*>(self)->read() ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
    };
    source_ = g_unix_fd_add_full(kReadPriority, pipe, static_cast<GIOCondition>(G_IO_IN | G_IO_HUP | G_IO_ERR), ready,
                                 this, nullptr);
}

bool Answer::read() {
    std::array<char, 16384> bytes;
    const ssize_t count = ::read(pipe_.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) return true;
    std::vector<client::StreamLine> lines;
    std::string problem;
    try {
        if (count > 0) lines = reader_.take({bytes.data(), static_cast<size_t>(count)});
        if (count < 0) problem = std::string("reading the text: ") + std::strerror(errno);
    } catch (const client::CommandError& error) {
        problem = error.what();
    }
    if (count <= 0 || !problem.empty()) {
        source_ = 0;
        fail(problem.empty() ? kDisconnected : "Failed", problem);
        return false;
    }
    const Take take = take_;  // outlives this object
    for (const client::StreamLine& line : lines) {
        const bool is_last =
            line.kind == client::StreamLine::Kind::Done || line.kind == client::StreamLine::Kind::Error;
        if (is_last) source_ = 0;
        take(line);
        if (is_last) return false;
    }
    return true;
}

void Answer::fail(const char* name, const std::string& message) {
    client::StreamLine line;
    line.kind = client::StreamLine::Kind::Error;
    line.error_name = name;
    line.message = message;
    const Take take = take_;
    take(line);
}

}  // namespace llmd::gtk
