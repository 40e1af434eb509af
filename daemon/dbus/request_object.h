// One request on the bus: the object /org/llmd/Llmd1/request/SENDER/TOKEN, and the answer to it. Lives from acceptance
// until all of the answer has been delivered; then the session removes it, in a later iteration of the loop.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "api/answer.h"
#include "api/call.h"
#include "bus/sdbus_compat.h"
#include "dbus/sinks.h"
#include "service/request.h"

namespace llmd::dbus {

class Session;

// How an answer goes out.
struct Delivery {
    std::unique_ptr<BusSink> sink;
    std::unique_ptr<api::AnswerFormat> format = {};  // of a stream; without one the answer is whole
};

class RequestObject final {
public:
    // Exports the object. Throws sdbus::Error.
    RequestObject(Session& session, std::string path, std::string owner);
    ~RequestObject();
    RequestObject(const RequestObject&) = delete;
    RequestObject& operator=(const RequestObject&) = delete;

    // Once, before anything else.
    base::Result<void> submit(api::Call call, Delivery delivery);

    const std::string& path() const { return path_; }
    const std::string& owner() const { return owner_; }
    service::RequestId id() const { return answer_->id(); }

    // For the sink. The first emits Finished and has the session remove the object.
    void on_delivered(const std::optional<base::Error>& error);
    void emit_token(uint64_t seq, const std::string& text);

private:
    void export_interface();
    // For a property. Throws NotAllowed.
    service::RequestSnapshot snapshot_for(const std::string& reader);
    void emit(const std::string& signal_name, const std::function<void(sdbus::Signal&)>& add_arguments);

    Session& session_;
    const std::string path_;
    const std::string owner_;
    Delivery delivery_;  // outlives the answer
    std::unique_ptr<api::Answer> answer_;
    std::unique_ptr<sdbus::IObject> object_;
};

}  // namespace llmd::dbus
