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
#include "handover/log.h"
#include "handover/remote_policy.h"
#include "handover/remote_state.h"
#include "platform/network.h"
#include "platform/policy.h"
#include "service/request_record.h"
#include "supervisor/engine_link.h"
#include "supervisor/model_catalogue.h"

namespace llmd::service {

// How long llmd-remote stays when nobody asks: it is quickly had again.
inline constexpr std::chrono::seconds kRemoteIdle{10};

class RemoteAccess {
public:
    struct Status {
        std::string name;
        std::string host;                 // as base::address_of() has it
        std::vector<std::string> models;  // as they are asked for, "qwen3-32b@home"
        handover::RemoteState::Words words;
    };

    // `on_changed`: requests that were made to wait may go now, or never.
    RemoteAccess(base::EventLoop& loop, const std::function<base::TimePoint()>& now, std::function<void()> on_changed);
    ~RemoteAccess();
    RemoteAccess(const RemoteAccess&) = delete;
    RemoteAccess& operator=(const RemoteAccess&) = delete;

    // The settings were read: no remote is away or off any more.
    // `log_path`: of the record; empty: there is none. Unless `records`, nothing is written into it, and what is there
    // goes as it gets too old.
    void configure(std::vector<base::RemoteSettings> remotes, const std::string& log_path, bool records);
    // Sets the object that reports the network; null: nobody does. It outlives this object, or null is set before it
    // goes.
    void set_network(platform::NetworkWatch* network);
    // The launcher starts llmd-remote.
    void set_launcher(std::unique_ptr<supervisor::EngineLauncher> launcher) { launcher_ = std::move(launcher); }
    supervisor::EngineLauncher* launcher() const { return launcher_.get(); }

    // The remote model of that name; nothing: the name is one of this device. Errors as handover::find_place().
    base::Result<std::optional<ModelReference>> find(const std::string& name, const GenerateRequest& request) const;
    // The models that this caller may ask for, as a list of models has them. Nobody is contacted.
    std::vector<supervisor::ModelEntry> models(const base::Caller& caller) const;
    // Whether the request goes to this remote now; the remote's own state is part of it.
    handover::Decision decide(const std::string& remote, const GenerateRequest& request,
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
        handover::LogTime time;
        base::TimePoint since;
        bool accepted = false;
    };

    base::EventLoop& loop_;
    const std::function<base::TimePoint()>& now_;
    const std::function<void()> on_changed_;
    std::vector<base::RemoteSettings> settings_;
    std::map<std::string, handover::RemoteState> states_;  // by the name of the remote
    platform::NetworkWatch* network_ = nullptr;
    std::unique_ptr<supervisor::EngineLauncher> launcher_;
    std::string log_path_;
    std::optional<handover::RemoteLog> log_;
    std::map<RequestId, HandedOver> handed_over_;
};

}  // namespace llmd::service
