#include "dbus/request_object.h"

#include <utility>

#include "base/utf8.h"
#include "dbus/dictionaries.h"
#include "dbus/interface_builder.h"
#include "dbus/reply.h"
#include "dbus/session.h"

namespace llmd::dbus {

namespace {

using base::Error;

constexpr const char* kInterface = "org.llmd.Llmd1.Request";

// Finished.status
enum class FinishedStatus : uint32_t { Done = 0, Cancelled = 1, Error = 2 };

}  // namespace

RequestObject::RequestObject(Session& session, std::string path, std::string owner)
    : session_(session),
      path_(std::move(path)),
      owner_(std::move(owner)),
      object_(sdbus::createObject(session.connection(), bus::BusPath(path_))) {
    export_interface();
}

RequestObject::~RequestObject() = default;

void RequestObject::export_interface() {
    InterfaceBuilder interface(*object_, kInterface);
    interface.add_method("Cancel", {}, {}, [this](sdbus::Result<>&& result) {
        session_.cancel(bus::sender_of(*object_), path_, Reply<>(session_.shared_connection(), std::move(result)));
    });
    interface.add_method("SetPriority", {"priority"}, {},
                         [this](sdbus::Result<>&& result, const std::string& priority) {
                             session_.set_priority(bus::sender_of(*object_), path_, priority,
                                                   Reply<>(session_.shared_connection(), std::move(result)));
                         });
    interface.add_signal<uint64_t, std::string, bus::VariantMap>("Token", {"seq", "text", "extra"});
    interface.add_signal<uint32_t, std::string, std::string, bus::VariantMap>(
        "Finished", {"status", "error_name", "message", "info"});
    interface.add_property<std::string>("State", "s", [this](const std::string& reader) {
        return std::string(request_state_name(snapshot_for(reader).state));
    });
    interface.add_property<uint32_t>("Position", "u",
                                     [this](const std::string& reader) { return snapshot_for(reader).position; });
    interface.add_property<uint64_t>(
        "EstimatedWaitMs", "t", [this](const std::string& reader) { return snapshot_for(reader).estimated_wait_ms; });
    interface.add_property<uint32_t>("PromptTokens", "u",
                                     [this](const std::string& reader) { return snapshot_for(reader).prompt_tokens; });
    interface.add_property<uint32_t>(
        "GeneratedTokens", "u", [this](const std::string& reader) { return snapshot_for(reader).generated_tokens; });
    interface.add_property<std::string>("Priority", "s", [this](const std::string& reader) {
        return std::string(service::priority_name(snapshot_for(reader).priority));
    });
    interface.publish();
}

base::Result<void> RequestObject::submit(api::Call call, Delivery delivery) {
    delivery_ = std::move(delivery);
    const api::AnswerMode mode = delivery_.format ? api::AnswerMode::StreamNow : api::AnswerMode::Whole;
    answer_ = std::make_unique<api::Answer>(session_.service(), *delivery_.sink, delivery_.format.get(), mode, [] {});
    std::vector<service::GenerateRequest> requests;
    requests.push_back(std::move(call.request));
    return answer_->submit(std::move(requests), std::move(call.notes));
}

void RequestObject::emit(const std::string& signal_name, const std::function<void(sdbus::Signal&)>& add_arguments) {
    try {
        auto signal = bus::create_signal(*object_, kInterface, signal_name);
        add_arguments(signal);
        signal.setDestination(owner_);
        object_->emitSignal(signal);
    } catch (const sdbus::Error&) {  // the owner or the bus has gone: the watch or the source notices
    }
}

void RequestObject::emit_token(uint64_t seq, const std::string& text) {
    emit("Token", [&](sdbus::Signal& signal) { signal << seq << text << bus::VariantMap{}; });
}

void RequestObject::on_delivered(const std::optional<Error>& delivery_error) {
    const api::Choice& choice = answer_->choices().front();
    const std::optional<Error>& error = delivery_error ? delivery_error : choice.outcome.error;
    FinishedStatus status = FinishedStatus::Done;
    if (choice.outcome.finish == service::Finish::Cancelled) status = FinishedStatus::Cancelled;
    if (error) status = FinishedStatus::Error;

    bus::VariantMap info = info_dictionary(answer_->head(), choice);
    if (delivery_error) info["finish_reason"] = sdbus::Variant(std::string(finish_name(service::Finish::Error)));
    if (auto kept = delivery_.sink->kept_text()) {
        info.emplace("text", sdbus::Variant(kept->first));
        info.emplace("truncated", sdbus::Variant(kept->second));
    }
    emit("Finished", [&](sdbus::Signal& signal) {
        signal << static_cast<uint32_t>(status) << (error ? api::dbus_error_name(error->code) : std::string())
               << (error ? base::to_clean_text(error->message) : std::string()) << info;
    });
    session_.remove(*this);
}

service::RequestSnapshot RequestObject::snapshot_for(const std::string& reader) {
    if (const auto allowed = session_.check_reader(reader, owner_); !allowed) throw to_dbus_error(allowed.error());
    if (auto snapshot = session_.service().request(id())) return *snapshot;
    // It has ended and the last of its text is on its way.
    const service::Outcome& outcome = answer_->choices().front().outcome;
    service::RequestSnapshot ended;
    ended.state = service::RequestState::Decode;
    ended.prompt_tokens = outcome.prompt_tokens;
    ended.generated_tokens = outcome.generated_tokens;
    return ended;
}

}  // namespace llmd::dbus
