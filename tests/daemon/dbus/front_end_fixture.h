// The front end on a bus of its own, with a real service and an engine that the test plays by hand. Daemon and clients
// share one loop; only the bus is another process.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bus/bus_source.h"
#include "bus/sdbus_compat.h"
#include "daemon/dbus/private_bus.h"
#include "daemon/supervisor/fake_engine.h"
#include "dbus/front_end.h"

namespace llmd::dbus {

using std::chrono::milliseconds;

inline constexpr const char* kRoot = "/org/llmd/Llmd1";
inline constexpr const char* kInterface = "org.llmd.Llmd1";
inline constexpr const char* kAdmin = "org.llmd.Llmd1.Admin";
inline constexpr const char* kRequest = "org.llmd.Llmd1.Request";

// A program on the bus.
class Client {
public:
    explicit Client(base::EventLoop& loop)
        : connection_(sdbus::createSessionBusConnection()),
          source_(loop, *connection_, [](const std::string&) {}),
          changes_(bus::add_match(*connection_, "type='signal',member='PropertiesChanged',path='/org/llmd/Llmd1'",
                                  [this](sdbus::Message& m) {
                                      std::string interface;
                                      bus::VariantMap values;
                                      std::vector<std::string> invalidated;
                                      m >> interface >> values >> invalidated;
                                      for (const auto& [name, value] : values) changed[name].push_back(value);
                                      for (const auto& name : invalidated) changed[name].emplace_back();
                                  })),
          match_(bus::add_match(*connection_, "type='signal',interface='org.llmd.Llmd1.Request'",
                                [this](sdbus::Message& m) {
                                    const std::string member = m.getMemberName();
                                    bus::VariantMap extra;
                                    if (member == "Token") {
                                        uint64_t seq = 0;
                                        std::string text;
                                        m >> seq >> text >> extra;
                                        tokens += text;
                                    } else if (member == "Finished") {
                                        uint32_t status = 0;
                                        std::string name;
                                        std::string message;
                                        m >> status >> name >> message >> extra;
                                        finished.push_back(std::to_string(status) + name);
                                        info = extra;
                                    }
                                })) {}

    std::string name() const { return connection_->getUniqueName(); }
    sdbus::IProxy& at(const std::string& path) {
        auto& proxy = proxies_[path];
        if (!proxy) proxy = sdbus::createProxy(*connection_, bus::BusName(kInterface), bus::BusPath(path));
        return *proxy;
    }

    std::string tokens;
    std::vector<std::string> finished;  // status and error name
    bus::VariantMap info;
    std::map<std::string, std::vector<sdbus::Variant>> changed;  // of the root object's properties, every new value

private:
    std::unique_ptr<sdbus::IConnection> connection_;
    bus::BusSource source_;
    sdbus::Slot changes_;
    sdbus::Slot match_;
    std::map<std::string, std::unique_ptr<sdbus::IProxy>> proxies_;
};

// The result of a call: its error's name without the prefix, "ok", or "" while it waits.
using Answer = std::shared_ptr<std::string>;

inline std::string short_name(bus::ReplyError& error) {
    if (!error) return "ok";
    const std::string name = error->getName();
    return name.substr(name.rfind('.') + 1);
}

class FrontEndTest : public testing::Test {
protected:
    FrontEndTest() {
        ::signal(SIGPIPE, SIG_IGN);
        std::string pattern = testing::TempDir() + "front-end-XXXXXX";
        folder = ::mkdtemp(pattern.data());
        std::ofstream(folder + "/tale.gguf") << "a model";
        bus.emplace(folder);
        auto made = std::make_unique<supervisor::FakeLauncher>();
        launcher = made.get();
        base::Config options;
        options.model = "tale";
        service.emplace(
            loop, options, std::move(made),
            supervisor::ModelCatalogue::make(loop, std::vector<std::string>{folder, folder + "/\xff"}, "/bin/false"));
        FrontEnd::Events events;
        events.on_bus_lost = [this](const std::string&) { ++lost; };
        events.on_bus_back = [this] { ++back; };
        events.on_displaced = [](const base::Error& error) { ADD_FAILURE() << error.message; };
        front_end.emplace(loop, *service, "1.2.3", std::move(events));
        service->on_status_changed([this] { front_end->status_changed(); });
        const auto connected = front_end->connect();
        EXPECT_TRUE(connected) << connected.error().message;
        client.emplace(loop);
    }
    ~FrontEndTest() override { std::filesystem::remove_all(folder); }

    // Turns the loop until `done` holds or the test has failed.
    void until(const std::function<bool()>& done) {
        // Longer than any machine needs: only a failure takes so long.
        const base::TimePoint limit = base::Clock::now() + std::chrono::seconds(20);
        while (!done() && !HasFailure()) {
            ASSERT_TRUE(loop.run_once(milliseconds(20)));
            ASSERT_LT(base::Clock::now(), limit) << "waited in vain";
        }
    }
    // A whole conversation with the bus and back: what was under way before has arrived.
    void settle() {
        for (int i = 0; i < 3; ++i) {
            const Answer pong = call(*client, kRoot, "org.freedesktop.DBus.Peer", "Ping");
            until([&] { return !pong->empty(); });
        }
    }
    template <typename... Arguments>
    Answer call(Client& who, const std::string& path, const char* interface, const char* method,
                const Arguments&... arguments) {
        auto answer = std::make_shared<std::string>();
        who.at(path)
            .callMethodAsync(method)
            .onInterface(interface)
            .withArguments(arguments...)
            .uponReplyInvoke([answer](bus::ReplyError error) { *answer = short_name(error); });
        return answer;
    }
    template <typename... Arguments>
    std::string call_and_wait(Client& who, const std::string& path, const char* interface, const char* method,
                              const Arguments&... arguments) {
        const Answer answer = call(who, path, interface, method, arguments...);
        until([&] { return !answer->empty(); });
        return *answer;
    }
    Answer generate(Client& who, const bus::VariantMap& options = {}, const std::string& prompt = "Once") {
        auto answer = std::make_shared<std::string>();
        who.at(kRoot)
            .callMethodAsync("Generate")
            .onInterface(kInterface)
            .withArguments(prompt, options)
            .uponReplyInvoke([answer](bus::ReplyError error, const std::string& text, const bus::VariantMap& info) {
                *answer = error ? short_name(error) : text + "/" + info.at("finish_reason").get<std::string>();
            });
        return answer;
    }
    // Streams and waits for the reply.
    std::string stream(Client& who, const bus::VariantMap& options = {}) {
        std::string answer;
        who.at(kRoot)
            .callMethodAsync("Stream")
            .onInterface(kInterface)
            .withArguments(std::string("Once"), options)
            .uponReplyInvoke([&](bus::ReplyError error, const sdbus::ObjectPath& path, const sdbus::UnixFd& fd) {
                answer = error ? short_name(error) : std::string(path);
                if (!error) reader.reset(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0));
            });
        until([&] { return !answer.empty(); });
        return answer;
    }

    // The engine's part: ready for the model, then one request accepted and started.
    supervisor::FakeEngine& engine() { return launcher->last(); }
    template <typename T>
    T expect_frame() {
        std::optional<protocol::Message> message;
        until([&] {
            if (launcher->engines.empty()) return false;
            message = engine().next();
            return message.has_value();
        });
        if (!message || !std::holds_alternative<T>(*message)) {
            ADD_FAILURE() << "got " << (message ? protocol::message_name(*message) : "nothing");
            return {};
        }
        return std::get<T>(*message);
    }
    void load() {
        expect_frame<protocol::Load>();
        protocol::Ready ready;
        ready.architecture = "llama";
        ready.n_ctx = 512;
        ready.n_slots = 1;
        ready.backend = protocol::BackendKind::Cpu;
        ready.device = "a test";
        engine().send(ready);
    }
    uint64_t accept() {
        const uint64_t id = expect_frame<protocol::Submit>().id;
        engine().send(protocol::Accepted{id, 3});
        EXPECT_EQ(expect_frame<protocol::Start>().id, id);
        return id;
    }
    void say(uint64_t id, const std::string& text) {
        protocol::Tokens tokens;
        tokens.id = id;
        tokens.ids = {1};
        tokens.parts = {{.text = text}};
        tokens.bytes = text.size();
        tokens.position = ++position;
        engine().send(tokens);
    }
    void finish(uint64_t id) {
        protocol::Finished finished;
        finished.id = id;
        finished.reason = protocol::FinishReason::Stop;
        engine().send(finished);
    }
    // Everything up to the end of the pipe.
    std::string read_all() {
        std::string out;
        until([&] {
            std::array<char, 4096> chunk;
            for (pollfd ready{reader.get(), POLLIN, 0}; ::poll(&ready, 1, 0) > 0;) {
                const ssize_t n = ::read(reader.get(), chunk.data(), chunk.size());
                if (n <= 0) return true;
                out.append(chunk.data(), static_cast<size_t>(n));
            }
            return false;
        });
        return out;
    }
    // "ok" or the error's name; what was read is in `value`.
    std::string get(Client& who, const std::string& path, const char* interface, const char* property,
                    sdbus::Variant& value) {
        std::string answer;
        who.at(path)
            .callMethodAsync("Get")
            .onInterface("org.freedesktop.DBus.Properties")
            .withArguments(std::string(interface), std::string(property))
            .uponReplyInvoke([&](bus::ReplyError error, const sdbus::Variant& got) {
                answer = short_name(error);
                if (!error) value = got;
            });
        until([&] { return !answer.empty(); });
        return answer;
    }
    static bus::VariantMap with(const char* key, const char* value) {
        return {{key, sdbus::Variant(std::string(value))}};
    }

    std::string folder;
    std::optional<PrivateBus> bus;
    base::EventLoop loop;
    supervisor::FakeLauncher* launcher = nullptr;
    std::optional<service::Service> service;
    std::optional<FrontEnd> front_end;
    std::optional<Client> client;
    base::UniqueFd reader;
    uint32_t position = 3;
    int lost = 0;
    int back = 0;
};

}  // namespace llmd::dbus
