#include "client/dbus_client.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "bus/variant.h"
#include "client/exit_code.h"
#include "client/pipe_text.h"

namespace llmd::client {
namespace {

const char kName[] = "org.llmd.Llmd1";
const char kObject[] = "/org/llmd/Llmd1";
const char kRoot[] = "org.llmd.Llmd1";
const char kAdmin[] = "org.llmd.Llmd1.Admin";
const char kRequest[] = "org.llmd.Llmd1.Request";
const char kBus[] = "org.freedesktop.DBus";
const char kBusObject[] = "/org/freedesktop/DBus";

// sd-bus's word for "no timeout"; for calls that wait for a model or for other requests.
constexpr uint64_t kForever = UINT64_MAX;
constexpr std::chrono::milliseconds kTick{200};
constexpr uint64_t kShort = std::chrono::microseconds(kCallTimeout).count();
constexpr uint64_t kAtOnce = std::chrono::microseconds(kGlance).count();
const bus::VariantMap kNoOptions;

[[noreturn]] void unreachable(const std::string& why) {
    throw CommandError(ExitCode::Unreachable, std::string(kName) + ' ' + why, "Unreachable");
}

// What the bus, not llmd, has said.
std::string words_of(const sdbus::Error& error) {
    return error.getMessage().empty() ? std::string(error.getName()) : std::string(error.getMessage());
}

// Errors of the daemon keep their name. Those of the bus say that the daemon was not reached, but for the ones that an
// existing daemon causes.
[[noreturn]] void rethrow(const sdbus::Error& error) {
    const std::string& name = error.getName();
    constexpr std::string_view kBusError = "org.freedesktop.DBus.Error.";
    if (name.rfind("org.llmd.", 0) == 0) {
        throw CommandError(exit_code_of(name), error.getMessage(), std::string(short_error_name(name)));
    }
    constexpr std::array<std::string_view, 6> kAnswers = {"UnknownObject", "UnknownMethod",  "UnknownInterface",
                                                          "InvalidArgs",   "LimitsExceeded", "AccessDenied"};
    if (name.rfind(kBusError, 0) == 0 &&
        std::find(kAnswers.begin(), kAnswers.end(), name.substr(kBusError.size())) != kAnswers.end()) {
        throw CommandError(ExitCode::Failed, error.getMessage(), name);
    }
    const bool runs_not = name == "org.freedesktop.DBus.Error.ServiceUnknown";
    unreachable(runs_not ? "is not running" : "does not answer: " + words_of(error));
}

Dictionary to_dictionary(const bus::VariantMap& map) {
    Dictionary out;
    for (const auto& [key, variant] : map) {
        const Value value = bus::to_value(variant);
        out.emplace(key, value.is<Value::Other>() ? Value("?") : value);  // a newer daemon may send one
    }
    return out;
}

std::vector<Dictionary> to_list(const std::vector<bus::VariantMap>& maps) {
    std::vector<Dictionary> out;
    for (const auto& map : maps) out.push_back(to_dictionary(map));
    return out;
}

bus::VariantMap to_variants(const Dictionary& dictionary) {
    bus::VariantMap out;
    for (const auto& [key, value] : dictionary) out.emplace(key, bus::to_variant(value));
    return out;
}

std::unique_ptr<sdbus::IConnection> connect() {
    try {
        return sdbus::createSessionBusConnection();
    } catch (const sdbus::Error& error) {
        throw CommandError(ExitCode::Unreachable,
                           std::string("no session bus to find ") + kName + " on: " + words_of(error), "Unreachable");
    }
}

}  // namespace

class DbusClient::Impl {
public:
    Impl() : connection_(connect()), root_(proxy(kObject)) {}

    std::unique_ptr<sdbus::IProxy> proxy(const std::string& path) {
        return sdbus::createProxy(*connection_, bus::BusName(kName), bus::BusPath(path));
    }
    sdbus::IProxy& root() { return *root_; }
    std::unique_ptr<sdbus::IProxy> bus() {
        return sdbus::createProxy(*connection_, bus::BusName(kBus), bus::BusPath(kBusObject));
    }

    // Calls root's `method`; `results` receive the reply.
    template <typename... Results, typename... Args>
    void call(const std::string& interface, const std::string& method, uint64_t timeout,
              std::tuple<Results&...> results, const Args&... args) {
        try {
            auto invoker = root_->callMethod(method);
            invoker.onInterface(interface).withTimeout(timeout).withArguments(args...);
            std::apply([&](auto&... out) { invoker.storeResultsTo(out...); }, results);
        } catch (const sdbus::Error& error) {
            rethrow(error);
        }
    }

    // An older llmd ignores an option that it does not know, and would answer all the same.
    void check_offered(const Dictionary& options) {
        std::vector<std::string> wanted;
        for (const char* key : {"thinking", "tools"}) {
            if (options.contains(key)) wanted.emplace_back(key);
        }
        if (wanted.empty()) return;
        // All properties: the one alone would be an error where it is not there.
        bus::VariantMap properties;
        call("org.freedesktop.DBus.Properties", "GetAll", kShort, std::tie(properties), std::string(kRoot));
        const std::vector<std::string> features = list_of(to_dictionary(properties), "Features");
        for (const std::string& key : wanted) {
            if (std::find(features.begin(), features.end(), key) != features.end()) continue;
            constexpr std::string_view kRefusal = "InvalidArgument";  // as one that knows the option refuses it
            throw CommandError(exit_code_of(kRefusal), key + ": this version of llmd does not offer it",
                               std::string(kRefusal));
        }
    }

    template <typename Asked>
    std::unique_ptr<TextSource> open_stream(const std::string& method, const Asked& asked, const Dictionary& options) {
        check_offered(options);
        bus::VariantMap variants = to_variants(options);
        variants.emplace("format", sdbus::Variant(std::string("ndjson")));
        variants.emplace("delivery", sdbus::Variant(std::string("fd")));
        sdbus::ObjectPath request;
        sdbus::UnixFd pipe;
        call(kRoot, method, kShort, std::tie(request, pipe), asked, variants);
        return std::make_unique<PipeText>(base::UniqueFd(pipe.release()),
                                          [this, request] { return progress(request); });
    }

    Dictionary glance() {
        bus::VariantMap status;
        try {
            call(kRoot, "GetStatus", kAtOnce, std::tie(status), kNoOptions);
        } catch (const CommandError&) {
            return {};
        }
        return to_dictionary(status);
    }

    Dictionary progress(const std::string& request) {
        sdbus::Variant state;
        try {
            proxy(request)
                ->callMethod("Get")
                .onInterface("org.freedesktop.DBus.Properties")
                .withTimeout(kAtOnce)
                .withArguments(std::string(kRequest), std::string("State"))
                .storeResultsTo(state);
            Dictionary out{{"state", state.get<std::string>()}};
            // The first of two equal keys stays: the request's state, not the daemon's.
            if (text_of(out, "state") == "loading") out.merge(glance());
            return out;
        } catch (const sdbus::Error&) {  // it has ended
            return {};
        }
    }

    // Handles messages until `done` is set, calling `tick` while nothing comes.
    void wait(const bool& done, const std::function<void()>& tick) {
        for (;;) {
            while (!done && bus::process_one(*connection_)) {
            }
            if (done) return;
            const auto data = connection_->getEventLoopPollData();
            std::array<pollfd, 2> fds = {pollfd{data.fd, data.events, 0}, pollfd{bus::extra_fd(data), POLLIN, 0}};
            const int timeout = data.getPollTimeout();
            const int limit = static_cast<int>(kTick.count());
            if (::poll(fds.data(), fds.size(), timeout < 0 ? limit : std::min(timeout, limit)) == 0) tick();
        }
    }

private:
    std::unique_ptr<sdbus::IConnection> connection_;
    std::unique_ptr<sdbus::IProxy> root_;
};

DbusClient::DbusClient() : impl_(std::make_unique<Impl>()) {}
DbusClient::~DbusClient() = default;

bool DbusClient::is_there() {
    bool there = false;
    try {
        impl_->bus()
            ->callMethod("NameHasOwner")
            .onInterface(kBus)
            .withTimeout(kShort)
            .withArguments(std::string(kName))
            .storeResultsTo(there);
    } catch (const sdbus::Error& error) {
        unreachable("cannot be looked for: " + words_of(error));
    }
    return there;
}

bool DbusClient::can_start() {
    std::vector<std::string> names;
    try {
        impl_->bus()->callMethod("ListActivatableNames").onInterface(kBus).withTimeout(kShort).storeResultsTo(names);
    } catch (const sdbus::Error& error) {
        unreachable("cannot be looked for: " + words_of(error));
    }
    return std::find(names.begin(), names.end(), kName) != names.end();
}

void DbusClient::start() {
    constexpr uint32_t kNoFlags = 0;
    uint32_t reply = 0;  // now, or it ran already
    try {
        impl_->bus()
            ->callMethod("StartServiceByName")
            .onInterface(kBus)
            .withTimeout(kShort)
            .withArguments(std::string(kName), kNoFlags)
            .storeResultsTo(reply);
    } catch (const sdbus::Error& error) {
        const bool unknown = error.getName() == "org.freedesktop.DBus.Error.ServiceUnknown";
        unreachable(unknown ? "is not running" : "does not start: " + words_of(error));
    }
}

std::unique_ptr<TextSource> DbusClient::stream(const std::string& prompt, const Dictionary& options) {
    return impl_->open_stream("Stream", prompt, options);
}

std::unique_ptr<TextSource> DbusClient::stream_chat(const std::vector<Dictionary>& messages,
                                                    const Dictionary& options) {
    std::vector<bus::VariantMap> maps;
    for (Dictionary message : messages) {
        // On the bus a message's calls are JSON text.
        const auto calls = message.find("tool_calls");
        if (calls != message.end()) calls->second = base::json_text(calls->second);
        maps.push_back(to_variants(message));
    }
    return impl_->open_stream("StreamChat", maps, options);
}

void DbusClient::cancel(const std::string& request) {
    const std::string path = request.starts_with('/') ? request : std::string(kRequestPrefix) + request;
    impl_->call(kRoot, "Cancel", kShort, std::tie(), sdbus::ObjectPath(path));
}

std::vector<Dictionary> DbusClient::list_models() {
    std::vector<bus::VariantMap> models;
    impl_->call(kRoot, "ListModels", kShort, std::tie(models), kNoOptions);
    return to_list(models);
}

std::vector<uint32_t> DbusClient::tokenize(const std::string& text, const Dictionary& options) {
    uint32_t count = 0;
    std::vector<uint32_t> ids;
    impl_->call(kRoot, "Tokenize", kForever, std::tie(count, ids), text, to_variants(options));
    return ids;
}

Embeddings DbusClient::embed(const std::vector<std::string>& texts, const Dictionary& options) {
    std::vector<std::vector<double>> vectors;
    bus::VariantMap info;
    try {
        impl_->call(kRoot, "Embed", kForever, std::tie(vectors, info), texts, to_variants(options));
    } catch (const CommandError& error) {
        if (error.name() != "org.freedesktop.DBus.Error.UnknownMethod") throw;
        throw CommandError(ExitCode::Failed, "this version of llmd does not offer embeddings over D-Bus");
    }
    Embeddings out;
    for (const std::vector<double>& vector : vectors) out.vectors.emplace_back(vector.begin(), vector.end());
    out.info = to_dictionary(info);
    return out;
}

Dictionary DbusClient::status() {
    bus::VariantMap status;
    impl_->call(kRoot, "GetStatus", kShort, std::tie(status), kNoOptions);
    return to_dictionary(status);
}

Dictionary DbusClient::glance() {
    return impl_->glance();
}

void DbusClient::load_model(const std::string& name_or_path, const std::function<void()>& tick) {
    bool done = false;
    std::optional<sdbus::Error> failure;
    try {
        impl_->root()
            .callMethodAsync("LoadModel")
            .onInterface(kAdmin)
            .withTimeout(kForever)
            .withArguments(name_or_path, kNoOptions)
            .uponReplyInvoke([&](bus::ReplyError error) {
                if (error) failure = *error;
                done = true;
            });
        impl_->wait(done, tick);
    } catch (const sdbus::Error& error) {
        rethrow(error);
    }
    if (failure) rethrow(*failure);
}

void DbusClient::unload_model() {
    impl_->call(kAdmin, "UnloadModel", kForever, std::tie(), kNoOptions);
}

std::vector<Dictionary> DbusClient::list_requests() {
    std::vector<bus::VariantMap> requests;
    impl_->call(kAdmin, "ListRequests", kShort, std::tie(requests));
    return to_list(requests);
}

void DbusClient::reload() {
    impl_->call(kAdmin, "Reload", kShort, std::tie());
}

void DbusClient::cancel_all() {
    impl_->call(kAdmin, "CancelAll", kShort, std::tie());
}

}  // namespace llmd::client
