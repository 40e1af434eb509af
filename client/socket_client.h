// llmd over its Unix socket, for where there is no bus: HTTP, of which each call is one connection.
#pragma once

#include "client/http_exchange.h"
#include "client/llmd_client.h"

namespace llmd::client {

// $XDG_RUNTIME_DIR/llmd/llmd.sock. Throws CommandError(Unreachable) when that variable is not set.
std::string socket_path();

class SocketClient final : public LlmdClient {
public:
    // Unreachable, naming `path`, when nobody answers there. `why_no_bus` is told where D-Bus is missed.
    SocketClient(std::string path, std::string why_no_bus);

    std::unique_ptr<TextSource> stream(const std::string& prompt, const Dictionary& options) override;
    std::unique_ptr<TextSource> stream_chat(const std::vector<Dictionary>& messages,
                                            const Dictionary& options) override;
    std::vector<Dictionary> list_models() override;
    std::vector<uint32_t> tokenize(const std::string& text, const Dictionary& options) override;
    Embeddings embed(const std::vector<std::string>& texts, const Dictionary& options) override;
    Dictionary status() override;
    Dictionary glance() override;
    // By the number that answers over the socket carry ("cmpl-12") and the log shows.
    void cancel(const std::string& request) override;
    bool offers_admin() const override { return false; }
    void load_model(const std::string& name_or_path, const std::function<void()>& tick) override;
    void unload_model() override;
    std::vector<Dictionary> list_requests() override;
    void cancel_all() override;

private:
    std::unique_ptr<TextSource> open(const HttpRequest& request, const Dictionary& options);
    // The body of an answer that is 200. Throws the daemon's error otherwise.
    std::string ask(const HttpRequest& request, std::optional<std::chrono::milliseconds> timeout) const;
    Dictionary ask_status(std::chrono::milliseconds timeout) const;
    [[noreturn]] void not_offered(const std::string& what) const;

    const std::string path_;
    const std::string why_no_bus_;
};

}  // namespace llmd::client
