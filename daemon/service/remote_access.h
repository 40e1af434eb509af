// The bigger machines as the service sees them: which there are, who may ask one now, how each is, and the record of
// what was handed over. What a request is at a remote is llmd-remote's to do; here no network is used. Thread-bound to
// the event loop.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/event_loop.h"
#include "engines/engine_link.h"
#include "engines/model_catalogue.h"
#include "platform/network.h"
#include "platform/policy.h"
#include "remotes/log.h"
#include "remotes/remote_policy.h"
#include "remotes/remote_state.h"
#include "service/request_record.h"

namespace llmd::service {

// How long llmd-remote stays when nobody asks: it is quickly had again.
inline constexpr std::chrono::seconds kRemoteIdle{10};

class RemoteAccess {
public:
    struct Status {
        std::string name;
        std::string host;                 // as base::address_of() has it
        std::vector<std::string> models;  // as they are asked for, "qwen3-32b@home"
        remotes::RemoteState::Words words;
    };

    // `on_changed`: what was told to wait may go now, or never.
    RemoteAccess(base::EventLoop& loop, const std::function<base::TimePoint()>& now, std::function<void()> on_changed);
    ~RemoteAccess();
    RemoteAccess(const RemoteAccess&) = delete;
    RemoteAccess& operator=(const RemoteAccess&) = delete;

    // The settings were read: no remote is away or off any more.
    // `log_path`: of the record; empty: there is none. Unless `records`, nothing is written into it, and what is there
    // goes as it gets too old.
    void configure(std::vector<base::RemoteSettings> remotes, const std::string& log_path, bool records);
    // What tells of the network; null: nobody does. It outlives this object, or null is set before it goes.
    void set_network(platform::NetworkWatch* network);
    // What starts llmd-remote.
    void set_launcher(std::unique_ptr<engines::EngineLauncher> launcher) { launcher_ = std::move(launcher); }
    engines::EngineLauncher* launcher() const { return launcher_.get(); }

    // The remote model of that name; nothing: the name is one of this device. Errors as remotes::find_place().
    base::Result<std::optional<ModelReference>> find(const std::string& name, const GenerateRequest& request) const;
    // The models that this caller may ask for, as a list of models has them. Nobody is contacted.
    std::vector<engines::ModelEntry> models(const remotes::Caller& caller) const;
    // Whether the request goes to this remote now; the remote's own state is part of it.
    remotes::Decision decide(const std::string& remote, const GenerateRequest& request,
                             const platform::Directive& directive) const;

    static bool is_going_to_sleep(const platform::Directive& directive) {
        return directive.states.sleep == "going_to_sleep";
    }

    // The request is handed over, was accepted there (once or again), and has ended.
    void begin(const RequestRecord& record);
    void accepted(const RequestRecord& record);
    void end(const RequestRecord& record, const Outcome& outcome);

    std::vector<Status> status() const;

private:
    struct HandedOver {
        remotes::LogTime time;
        base::TimePoint since;
        bool accepted = false;
    };
    const base::RemoteSettings* find_settings(const std::string& name) const;

    base::EventLoop& loop_;
    const std::function<base::TimePoint()>& now_;
    const std::function<void()> on_changed_;
    std::vector<base::RemoteSettings> settings_;
    std::map<std::string, remotes::RemoteState> states_;  // by the name of the remote
    platform::NetworkWatch* network_ = nullptr;
    std::unique_ptr<engines::EngineLauncher> launcher_;
    std::string log_path_;
    std::optional<remotes::RemoteLog> log_;
    std::map<RequestId, HandedOver> handed_over_;
};

}  // namespace llmd::service
