// The object /org/llmd/Llmd1: generation, models, status, administration. Turns method calls into calls of the service.
// The requests that it shows depend on who asks: a program in a sandbox learns of its own application's only.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "api/call.h"
#include "bus/sdbus_compat.h"
#include "service/service.h"

namespace llmd::dbus {

class Session;

class RootObject final {
public:
    // Exports the object. Throws sdbus::Error.
    RootObject(Session& session, std::string version);
    ~RootObject();
    RootObject(const RootObject&) = delete;
    RootObject& operator=(const RootObject&) = delete;

    // Announces the properties that differ from what was announced last.
    void status_changed();

private:
    using Embeddings = std::vector<std::vector<double>>;
    // Who has a request at which remote: what RemotesInUse is for each reader follows from it.
    using Away = std::set<std::pair<std::string, std::string>>;

    // org.llmd.Llmd1
    void Generate(sdbus::Result<std::string, bus::VariantMap>&& result, std::string prompt,
                  const bus::VariantMap& options);
    void Stream(sdbus::Result<sdbus::ObjectPath, sdbus::UnixFd>&& result, std::string prompt,
                const bus::VariantMap& options);
    void Chat(sdbus::Result<std::string, bus::VariantMap>&& result, const std::vector<bus::VariantMap>& messages,
              const bus::VariantMap& options);
    void StreamChat(sdbus::Result<sdbus::ObjectPath, sdbus::UnixFd>&& result,
                    const std::vector<bus::VariantMap>& messages, const bus::VariantMap& options);
    void Embed(sdbus::Result<Embeddings, bus::VariantMap>&& result, const std::vector<std::string>& inputs,
               const bus::VariantMap& options);
    void Cancel(sdbus::Result<>&& result, const sdbus::ObjectPath& request);
    void ListModels(sdbus::Result<std::vector<bus::VariantMap>>&& result, const bus::VariantMap& options);
    void Tokenize(sdbus::Result<uint32_t, std::vector<uint32_t>>&& result, std::string text,
                  const bus::VariantMap& options);
    void Detokenize(sdbus::Result<std::string>&& result, const std::vector<uint32_t>& tokens,
                    const bus::VariantMap& options);
    bus::VariantMap GetStatus(const bus::VariantMap& options);
    // Those that `reader` may know of and that have a place, or have none.
    uint32_t count_requests(const std::string& reader, bool running);
    // At which requests are that `reader` may know of.
    std::vector<std::string> remotes_in_use(const std::string& reader);
    Away requests_away() const;

    // org.llmd.Llmd1.Admin
    void LoadModel(sdbus::Result<>&& result, const std::string& model, const bus::VariantMap& options);
    void UnloadModel(sdbus::Result<>&& result, const bus::VariantMap& options);
    void Reload(sdbus::Result<>&& result);
    void ListRequests(sdbus::Result<std::vector<bus::VariantMap>>&& result);
    void CancelAll(sdbus::Result<>&& result);

    // The two ways of a request, whatever was asked. `send` answers the call with the choice and the info of a
    // request that has succeeded.
    template <typename... Values, typename Send>
    void answer_at_end(sdbus::Result<Values...>&& result, base::Result<api::Call> parsed, Send send);
    void answer_with_text(sdbus::Result<std::string, bus::VariantMap>&& result, base::Result<api::Call> parsed);
    void open_stream(sdbus::Result<sdbus::ObjectPath, sdbus::UnixFd>&& result, base::Result<api::Call> parsed);

    void export_interfaces();
    // The method for an InterfaceBuilder.
    template <typename... Values, typename... Arguments>
    auto bound(void (RootObject::*method)(sdbus::Result<Values...>&&, Arguments...)) {
        return [this, method](sdbus::Result<Values...>&& result, std::decay_t<Arguments>... arguments) {
            (this->*method)(std::move(result), std::move(arguments)...);
        };
    }

    Session& session_;
    std::unique_ptr<sdbus::IObject> object_;
    const std::string version_;
    service::Status announced_;
    Away announced_away_;
};

}  // namespace llmd::dbus
