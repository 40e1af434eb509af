#include "service/remote_access.h"

#include <utility>

#include <spdlog/spdlog.h>

#include "base/json_writer.h"
#include "base/sha256.h"
#include "handover/names.h"

namespace llmd::service {

namespace {

handover::RemoteLog::Options log_options(const std::string& path) {
    handover::RemoteLog::Options options;
    options.path = path;
    options.warn = [](const base::Error& error) {
        spdlog::warn("what goes to remotes is not recorded: {}", error.message);
    };
    return options;
}

uint64_t text_bytes_of(const GenerateRequest& request) {
    uint64_t n = request.prompt.size();
    for (const protocol::ChatMessage& message : request.messages) n += text_bytes(message);
    for (const Prompt& input : request.inputs) n += input.text.size();
    return n;
}

}  // namespace

RemoteAccess::RemoteAccess(base::EventLoop& loop, const std::function<base::TimePoint()>& now,
                           std::function<void()> on_changed)
    : loop_(loop), now_(now), on_changed_(std::move(on_changed)) {}

RemoteAccess::~RemoteAccess() {
    set_network(nullptr);
}

void RemoteAccess::configure(std::vector<base::RemoteSettings> remotes, const std::string& log_path, bool records) {
    settings_ = std::move(remotes);
    if (std::exchange(log_path_, log_path) != log_path) {
        log_.reset();
        if (!log_path.empty()) log_.emplace(loop_, log_options(log_path));
    }
    if (log_) log_->turn(records);
    std::erase_if(states_,
                  [this](const auto& state) { return handover::find_remote(settings_, state.first) == nullptr; });
    for (const base::RemoteSettings& remote : settings_) {
        states_.try_emplace(remote.name, remote.name).first->second.reload();
    }
    if (network_ != nullptr) network_->watch(!settings_.empty());
}

void RemoteAccess::set_network(platform::NetworkWatch* network) {
    if (network_ != nullptr) network_->on_changed(nullptr);
    network_ = network;
    if (network_ == nullptr) return;
    network_->on_changed([this] {
        for (auto& [name, state] : states_) state.network_changed();
        on_changed_();
    });
    network_->watch(!settings_.empty());
}

std::vector<supervisor::ModelEntry> RemoteAccess::models(const base::Caller& caller) const {
    std::vector<supervisor::ModelEntry> entries;
    for (const base::RemoteSettings& remote : settings_) {
        if (!handover::may_use(caller, remote)) continue;
        for (std::string& name : handover::names_of_models(remote)) {
            supervisor::ModelEntry& entry = entries.emplace_back();
            entry.name = std::move(name);
            entry.remote = remote.name;
            // Ollama's clients print the first digits of the digest and fail without one.
            base::Sha256 digest;
            digest.add(entry.name);
            entry.digest = digest.hex();
            // As a path, an address is for programs outside of sandboxes.
            if (!caller.sandboxed) entry.host = handover::host_of(remote);
            entry.guarantees = handover::guarantees(remote);
        }
    }
    return entries;
}

base::Result<std::optional<ModelReference>> RemoteAccess::find(const std::string& name,
                                                               const GenerateRequest& request) const {
    const auto place = handover::find_place(name, settings_, request.caller);
    if (!place) return place.error();
    if (place->remote == nullptr) return std::optional<ModelReference>();
    return std::optional(ModelReference{.name = place->name(), .remote = place->remote->name});
}

handover::Decision RemoteAccess::decide(const std::string& remote, const GenerateRequest& request,
                                        const platform::Directive& directive) const {
    using Action = handover::Decision::Action;
    const base::RemoteSettings* settings = handover::find_remote(settings_, remote);
    if (settings == nullptr) {
        return {Action::Refuse, base::fail(base::ErrorCode::ModelNotFound, "the settings name no remote ",
                                           base::in_quotes(remote), " any more")};
    }
    handover::Facts facts;
    facts.caller = request.caller;
    facts.is_background = request.priority == Priority::Background;
    facts.background_waits = !directive.run_background;
    facts.goes_to_sleep = is_going_to_sleep(directive);
    facts.network = network_ != nullptr ? network_->network() : platform::Network{};
    handover::Decision decision = handover::decide(*settings, facts);
    if (decision.action != Action::Send) return decision;
    if (auto refused = states_.at(remote).refusal(request.caller.sandboxed, now_())) {
        return {Action::Refuse, std::move(*refused)};
    }
    return decision;
}

void RemoteAccess::begin(const RequestRecord& record) {
    const auto state = states_.find(record.model.remote);
    if (state == states_.end()) return;
    const auto wall = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    if (handed_over_.try_emplace(record.id, HandedOver{wall, now_(), false}).second) state->second.begin(now_());
}

void RemoteAccess::accepted(const RequestRecord& record) {
    const auto it = handed_over_.find(record.id);
    if (it == handed_over_.end() || std::exchange(it->second.accepted, true)) return;
    if (const auto state = states_.find(record.model.remote); state != states_.end()) state->second.accepted(now_());
}

void RemoteAccess::end(const RequestRecord& record, const Outcome& outcome) {
    const auto it = handed_over_.find(record.id);
    if (it == handed_over_.end()) return;
    const HandedOver handed_over = it->second;
    handed_over_.erase(it);
    if (const auto state = states_.find(record.model.remote); state != states_.end()) {
        outcome.error || record.stage != RequestRecord::Stage::Unmeasured ? state->second.end(outcome.error, now_())
                                                                          : state->second.left(now_());
    }
    if (!log_) return;
    handover::LogEntry entry;
    entry.time = handed_over.time;
    entry.application = record.request.caller.share;
    entry.remote = record.model.remote;
    entry.model = record.model.name_there();
    entry.prompt_tokens = outcome.prompt_tokens;
    entry.generated_tokens = outcome.generated_tokens;
    entry.sent_bytes = text_bytes_of(record.request);
    entry.received_bytes = record.delivered_bytes;
    entry.duration = std::chrono::duration_cast<std::chrono::milliseconds>(now_() - handed_over.since);
    entry.end = outcome.error ? base::error_name(outcome.error->code) : finish_name(outcome.finish);
    log_->append(entry);
}

std::vector<RemoteAccess::Status> RemoteAccess::status() const {
    std::vector<Status> out;
    for (const base::RemoteSettings& remote : settings_) {
        Status& one = out.emplace_back();
        one.name = remote.name;
        one.host = handover::host_of(remote);
        one.models = handover::names_of_models(remote);
        one.words = states_.at(remote.name).words(now_());
    }
    return out;
}

}  // namespace llmd::service
