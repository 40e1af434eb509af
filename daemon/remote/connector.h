// Finds out what a remote is and whether it has the model: which API, which version, how long a context. A model that
// is not listed is refused, because some servers would answer for another one; so is one that the server itself has
// elsewhere. Thread-bound to the event loop.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/config.h"
#include "remote/fetch.h"

namespace llmd::remote {

struct Upstream {
    Api api = Api::OpenAi;
    std::string version;  // may be empty
    std::string model;    // as the server names it
    uint32_t n_ctx = 0;   // 0: unknown
};

// The requests of one remote share this once it is known.
struct RemoteContext {
    base::EventLoop& loop;
    Transport& transport;
    Limits limits;
    Upstream upstream;
    std::string salt_key;                 // secret of this installation
    std::function<double()> jitter;       // in [0, 1)
    std::function<Milliseconds()> clock;  // since any begin
    bool has_no_tokenizer = false;        // it should have one, and does not
};

// The server's name of the settings' `model`; ModelNotFound where they do not list it.
base::Result<std::string> upstream_name(const base::RemoteSettings& settings, const std::string& model);
// The entry of that name, or of Ollama's longer form of it; null if there is none.
const ListedModel* find_model(const std::vector<ListedModel>& models, const std::string& name);

class Connector {
public:
    using Done = std::function<void(const base::Result<Upstream>& upstream)>;
    // Destroying it cancels; `done` may do that.
    Connector(base::EventLoop& loop, Transport& transport, const base::RemoteSettings& settings, std::string model,
              Limits limits, Done done);
    ~Connector();
    Connector(const Connector&) = delete;
    Connector& operator=(const Connector&) = delete;

private:
    void ask(const HttpCall& call, const std::function<void(const Reply&)>& answered);
    void probe();
    void on_probed(const Reply& reply);
    void list();
    void on_listed(const Reply& reply);
    void show();
    void on_shown(const Reply& reply);
    void end(const base::Result<Upstream>& upstream);

    base::EventLoop& loop_;
    const base::RemoteSettings settings_;
    const Limits limits_;
    Done done_;
    Upstream upstream_;
    const bool is_auto_;
    size_t probed_ = 0;  // of kProbed, with is_auto_
    Attempts attempts_;
    const base::TimePoint begun_ = loop_.now();
    base::EventLoop::TimerId timer_ = 0;
    Fetch fetch_;
};

}  // namespace llmd::remote
