// One request on the bus: the object /org/llmd/Llmd1/request/SENDER/TOKEN, and the sink of the request's events.
// Lives from acceptance until its outcome has been delivered; then the session removes it, in a turn of its own.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/answer_calls.h"
#include "bus/sdbus_compat.h"
#include "dbus/delivery.h"
#include "service/request.h"

namespace llmd::dbus {

class Session;

class RequestObject final : public service::RequestSink {
public:
    // Exports the object. Throws sdbus::Error.
    RequestObject(Session& session, std::string path, std::string owner);
    ~RequestObject() override;
    RequestObject(const RequestObject&) = delete;
    RequestObject& operator=(const RequestObject&) = delete;

    const std::string& path() const { return path_; }
    const std::string& owner() const { return owner_; }
    service::RequestId id() const { return id_; }
    // Of tools, in the answer so far.
    const std::vector<api::AnswerCall>& calls() const { return calls_; }
    // What of the request is not held to the letter.
    const std::vector<std::string>& notes() const { return notes_; }
    void set_notes(std::vector<std::string> notes) { notes_ = std::move(notes); }

    // What a delivery of this request is to be made with.
    Delivery::Events delivery_events();
    // Emits Token to the owner.
    void emit_token(uint64_t seq, const std::string& text);
    // Both once, before the loop turns.
    void set_delivery(std::unique_ptr<Delivery> delivery) { delivery_ = std::move(delivery); }
    void set_id(service::RequestId id) { id_ = id; }

    // service::RequestSink
    void on_note(const std::string& note) override { notes_.push_back(note); }
    void on_accepted(uint32_t prompt_tokens) override;
    void on_logprobs(std::span<const protocol::TokenLogprobs> logprobs) override { aligner_.add(logprobs); }
    void on_text(std::string_view text) override;
    void on_part(const protocol::AnswerPart& part) override;
    void on_finished(const service::Outcome& outcome) override;

private:
    void export_interface();
    // For a property. Throws NotAllowed.
    service::RequestSnapshot snapshot_for(const std::string& reader);
    void emit(const std::string& signal_name, const std::function<void(sdbus::Signal&)>& add_arguments);
    void emit_finished(const std::optional<base::Error>& delivery_error);

    Session& session_;
    const std::string path_;
    const std::string owner_;
    const std::chrono::system_clock::time_point created_ = std::chrono::system_clock::now();
    service::RequestId id_ = 0;
    std::vector<std::string> notes_;
    std::vector<api::AnswerCall> calls_;
    api::LogprobAligner aligner_;
    std::unique_ptr<sdbus::IObject> object_;
    std::unique_ptr<Delivery> delivery_;
    std::optional<service::Outcome> outcome_;
};

}  // namespace llmd::dbus
