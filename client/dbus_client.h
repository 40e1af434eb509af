// llmd over the session bus, sdbus-c++ kept behind this header.
#pragma once

#include "client/llmd_client.h"

namespace llmd::client {

class DbusClient final : public LlmdClient {
public:
    // Connects to the session bus; Unreachable when there is none.
    DbusClient();
    ~DbusClient() override;

    // Somebody has llmd's name. Only then may more than start() be called.
    bool is_there();
    // The bus knows how to start llmd.
    bool can_start();
    // Has the bus start llmd and waits until it has its name. Unreachable says why that cannot be.
    void start();

    std::unique_ptr<TextSource> stream(const std::string& prompt, const Dictionary& options) override;
    std::unique_ptr<TextSource> stream_chat(const std::vector<Dictionary>& messages,
                                            const Dictionary& options) override;
    std::vector<Dictionary> list_models() override;
    std::vector<uint32_t> tokenize(const std::string& text, const Dictionary& options) override;
    Embeddings embed(const std::vector<std::string>& texts, const Dictionary& options) override;
    Dictionary status() override;
    Dictionary glance() override;
    void cancel(const std::string& request) override;
    bool offers_admin() const override { return true; }
    void load_model(const std::string& name_or_path, const std::function<void()>& tick) override;
    void unload_model() override;
    std::vector<Dictionary> list_requests() override;
    void reload();
    void cancel_all() override;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace llmd::client
