// The object /org/llmd/Llmd1: generation, models, status, administration. Turns method calls into calls of the service.
#pragma once

#include <llmd_adaptor.h>

#include <string>
#include <vector>

#include "bus/sdbus_compat.h"
#include "dbus/options.h"
#include "service/service.h"

namespace llmd::dbus {

class Session;

class RootObject final : public sdbus::AdaptorInterfaces<org::llmd::Llmd1_adaptor, org::llmd::Llmd1::Admin_adaptor> {
public:
    // Exports the object. Throws sdbus::Error.
    RootObject(Session& session, std::string version);
    ~RootObject();
    RootObject(const RootObject&) = delete;
    RootObject& operator=(const RootObject&) = delete;

    // Announces the properties that differ from what was announced last.
    void status_changed();

private:
    // org.llmd.Llmd1
    void Generate(sdbus::Result<std::string, bus::VariantMap>&& result, std::string prompt,
                  bus::VariantMap options) override;
    void Stream(sdbus::Result<sdbus::ObjectPath, sdbus::UnixFd>&& result, std::string prompt,
                bus::VariantMap options) override;
    void Chat(sdbus::Result<std::string, bus::VariantMap>&& result, std::vector<bus::VariantMap> messages,
              bus::VariantMap options) override;
    void StreamChat(sdbus::Result<sdbus::ObjectPath, sdbus::UnixFd>&& result, std::vector<bus::VariantMap> messages,
                    bus::VariantMap options) override;
    void Cancel(sdbus::Result<>&& result, sdbus::ObjectPath request) override;
    void ListModels(sdbus::Result<std::vector<bus::VariantMap>>&& result, bus::VariantMap options) override;
    void Tokenize(sdbus::Result<uint32_t, std::vector<uint32_t>>&& result, std::string text,
                  bus::VariantMap options) override;
    bus::VariantMap GetStatus(const bus::VariantMap& options) override;
    uint32_t version() override;
    std::string DaemonVersion() override;
    bus::VariantMap Limits() override;
    std::string State() override;
    std::string Model() override;
    std::string Device() override;
    uint32_t ContextLength() override;
    uint32_t QueueDepth() override;
    uint32_t ActiveRequests() override;

    // org.llmd.Llmd1.Admin
    void LoadModel(sdbus::Result<>&& result, std::string model, bus::VariantMap options) override;
    void UnloadModel(sdbus::Result<>&& result, bus::VariantMap options) override;
    void Reload(sdbus::Result<>&& result) override;
    void ListRequests(sdbus::Result<std::vector<bus::VariantMap>>&& result) override;
    void CancelAll(sdbus::Result<>&& result) override;

    // The two ways of a generation, whatever was asked.
    void answer_at_end(sdbus::Result<std::string, bus::VariantMap>&& result, base::Result<GenerateOptions> parsed);
    void open_stream(sdbus::Result<sdbus::ObjectPath, sdbus::UnixFd>&& result, base::Result<GenerateOptions> parsed);

    Session& session_;
    const std::string version_;
    service::Status announced_;
};

}  // namespace llmd::dbus
