// The reports of NetworkManager and ModemManager, on a bus of the test's own, where the test plays both. Listener and
// services share one loop; only the bus is another process.
#include "platform/desktop_network.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bus/bus_source.h"
#include "daemon/dbus/private_bus.h"
#include "dbus/interface_builder.h"
#include "support/temporary_directory.h"

namespace llmd::platform {
namespace {

using std::chrono::milliseconds;

constexpr const char* kManager = "org.freedesktop.NetworkManager";
constexpr const char* kModems = "org.freedesktop.ModemManager1";
constexpr const char* kModem3gpp = "org.freedesktop.ModemManager1.Modem.Modem3gpp";

// A program that owns a name.
class Program {
public:
    Program(base::EventLoop& loop, const std::string& name)
        : connection(sdbus::createSessionBusConnection()), source(loop, *connection, [](const std::string&) {}) {
        name_ = name;
    }
    void appear() { connection->requestName(bus::BusName(name_)); }
    void leave() { connection->releaseName(bus::BusName(name_)); }

    std::unique_ptr<sdbus::IConnection> connection;
    bus::BusSource source;

private:
    std::string name_;
};

class NetworkManager : public Program {
public:
    explicit NetworkManager(base::EventLoop& loop)
        : Program(loop, kManager),
          object_(sdbus::createObject(*connection, bus::BusPath("/org/freedesktop/NetworkManager"))),
          builder_(*object_, kManager) {
        add<uint32_t>("Metered", "u", metered);
        add<uint32_t>("State", "u", state);
        add<std::string>("PrimaryConnectionType", "s", type);
        add<sdbus::ObjectPath>("PrimaryConnection", "o", path);
        add<std::string>("Version", "s", version);
        builder_.publish();
    }
    void changed(const std::vector<std::string>& names) { bus::emit_changed(*object_, kManager, names); }

    uint32_t metered = 4;
    uint32_t state = 70;
    std::string type = "802-11-wireless";
    sdbus::ObjectPath path{"/org/freedesktop/NetworkManager/ActiveConnection/1"};
    std::string version = "1.42";
    int questions = 0;  // properties that were read; answers are read at the same time

private:
    template <typename Value>
    void add(const char* name, const char* signature, const Value& value) {
        builder_.add_property<Value>(
            name, signature,
            [this, &value](const std::string&) {
                ++questions;
                return value;
            },
            sdbus::Flags::EMITS_CHANGE_SIGNAL);
    }

    std::unique_ptr<sdbus::IObject> object_;
    dbus::InterfaceBuilder builder_;
};

class ModemManager : public Program {
public:
    explicit ModemManager(base::EventLoop& loop)
        : Program(loop, kModems),
          root_(sdbus::createObject(*connection, bus::BusPath("/org/freedesktop/ModemManager1"))) {
        root_->addObjectManager();
    }
    void plug(int number, uint32_t registration) {
        Modem& modem = modems_[number];
        modem.registration = registration;
        modem.object = sdbus::createObject(
            *connection, bus::BusPath("/org/freedesktop/ModemManager1/Modem/" + std::to_string(number)));
        modem.builder = std::make_unique<dbus::InterfaceBuilder>(*modem.object, kModem3gpp);
        modem.builder->add_property<uint32_t>(
            "RegistrationState", "u", [&modem](const std::string&) { return modem.registration; },
            sdbus::Flags::EMITS_CHANGE_SIGNAL);
        modem.builder->publish();
        modem.object->emitInterfacesAddedSignal();
    }
    void unplug(int number) {
        modems_[number].object->emitInterfacesRemovedSignal();
        modems_.erase(number);
    }
    void registers(int number, uint32_t registration) {
        modems_[number].registration = registration;
        bus::emit_changed(*modems_[number].object, kModem3gpp, {"RegistrationState"});
    }

private:
    struct Modem {
        uint32_t registration = 0;
        std::unique_ptr<sdbus::IObject> object;
        std::unique_ptr<dbus::InterfaceBuilder> builder;
    };
    std::unique_ptr<sdbus::IObject> root_;
    std::map<int, Modem> modems_;
};

class DesktopNetworkTest : public testing::Test {
protected:
    DesktopNetworkTest()
        : connection_(sdbus::createSessionBusConnection()),
          proxy_(sdbus::createProxy(*connection_, bus::BusName("org.freedesktop.DBus"),
                                    bus::BusPath("/org/freedesktop/DBus"))) {
        network_ = std::make_unique<DesktopNetwork>(*connection_, *proxy_);
        network_->on_changed([this] { ++changes_; });
        source_ =
            std::make_unique<bus::BusSource>(loop_, *connection_, [this](const std::string&) { network_->forget(); });
    }

    // Turns the loop until `done` holds or the test has failed.
    void until(const std::function<bool()>& done) {
        const base::TimePoint limit = base::Clock::now() + std::chrono::seconds(20);  // only a failure takes so long
        while (!done() && !HasFailure()) {
            ASSERT_TRUE(loop_.run_once(milliseconds(20)));
            ASSERT_LT(base::Clock::now(), limit) << "waited in vain";
        }
    }
    // Until what `from` has said before has come to the listener: both go through the bus, which keeps the order.
    void settle(Program& from) {
        bool came = false;
        const auto match = bus::add_match(*connection_, "type='signal',interface='org.llmd.Test',member='Settle'",
                                          [&came](sdbus::Message&) { came = true; });
        const auto object = sdbus::createObject(*from.connection, bus::BusPath("/settle"));
        auto signal = bus::create_signal(*object, "org.llmd.Test", "Settle");
        object->emitSignal(signal);
        until([&came] { return came; });
    }
    Network known() {
        until([this] { return network_->network().has_value(); });
        return network_->network().value_or(Network());
    }

    base::EventLoop loop_;
    const test::TemporaryDirectory directory_;
    dbus::PrivateBus bus_{directory_.path()};
    std::unique_ptr<sdbus::IConnection> connection_;
    std::unique_ptr<sdbus::IProxy> proxy_;
    std::unique_ptr<DesktopNetwork> network_;
    std::unique_ptr<bus::BusSource> source_;
    int changes_ = 0;
};

TEST_F(DesktopNetworkTest, WithoutServicesNothingIsKnownAndNobodyIsWaitedFor) {
    network_->watch(true);
    EXPECT_FALSE(network_->network()) << "whether they are there is not known yet";
    EXPECT_EQ(known(), Network());
    EXPECT_EQ(changes_, 1) << "whoever waits is told";
}

TEST_F(DesktopNetworkTest, NobodyIsAskedUntilSomebodyNeedsToKnow) {
    NetworkManager manager(loop_);
    manager.appear();
    settle(manager);
    EXPECT_EQ(manager.questions, 0);
    EXPECT_FALSE(network_->network());
    network_->watch(true);
    EXPECT_EQ(known().metered, Metered::No);
    network_->watch(false);
    EXPECT_FALSE(network_->network());
    const int questions = manager.questions;
    manager.metered = 1;
    manager.changed({"Metered"});
    settle(manager);
    EXPECT_FALSE(network_->network());
    network_->watch(true);
    EXPECT_EQ(known().metered, Metered::Yes);
    EXPECT_GT(manager.questions, questions);
}

TEST_F(DesktopNetworkTest, TellsWhatNetworkManagerTells) {
    NetworkManager manager(loop_);
    manager.appear();
    network_->watch(true);
    EXPECT_EQ(known(), (Network{Metered::No, false, false, true, manager.path}));
    const auto metered_as = [&](uint32_t value) {
        manager.metered = value;
        manager.changed({"Metered"});
        settle(manager);
        return known().metered;
    };
    EXPECT_EQ(metered_as(1), Metered::Yes);
    EXPECT_EQ(metered_as(2), Metered::No);
    EXPECT_EQ(metered_as(3), Metered::Yes);
    EXPECT_EQ(metered_as(0), Metered::Unknown);
    EXPECT_EQ(metered_as(4), Metered::No);
    const auto modem_as = [&](const char* type) {
        manager.type = type;
        manager.changed({"PrimaryConnectionType"});
        settle(manager);
        return known().modem;
    };
    EXPECT_EQ(modem_as("gsm"), true);
    EXPECT_EQ(modem_as("802-3-ethernet"), false);
    EXPECT_EQ(modem_as("cdma"), true);
    EXPECT_EQ(modem_as(""), std::nullopt);
    const auto connected_as = [&](uint32_t state) {
        manager.state = state;
        manager.changed({"State"});
        settle(manager);
        return known().connected;
    };
    EXPECT_EQ(connected_as(20), false);
    EXPECT_EQ(connected_as(40), false);
    EXPECT_EQ(connected_as(50), true) << "to the link at least, where the remote may be";
    EXPECT_EQ(connected_as(0), std::nullopt);
}

TEST_F(DesktopNetworkTest, AnotherNetworkOfTheSameKindIsAChangeAndNothingElseIs) {
    NetworkManager manager(loop_);
    manager.appear();
    network_->watch(true);
    known();
    EXPECT_EQ(changes_, 1);
    manager.version = "1.44";
    manager.changed({"Version"});
    settle(manager);
    EXPECT_EQ(changes_, 1);
    manager.path = sdbus::ObjectPath("/org/freedesktop/NetworkManager/ActiveConnection/2");
    manager.changed({"PrimaryConnection"});
    settle(manager);
    EXPECT_EQ(changes_, 2);
}

TEST_F(DesktopNetworkTest, ANetworkManagerThatLeavesIsForgottenAndComesBack) {
    NetworkManager manager(loop_);
    manager.metered = 1;
    manager.appear();
    network_->watch(true);
    EXPECT_EQ(known().metered, Metered::Yes);
    manager.leave();
    until([this] { return network_->network() == Network(); });
    manager.appear();
    until([this] { return network_->network() && network_->network()->metered == Metered::Yes; });
}

TEST_F(DesktopNetworkTest, RoamsWhileOneOfTheModemsDoes) {
    ModemManager modems(loop_);
    modems.plug(0, 1);
    modems.appear();
    network_->watch(true);
    EXPECT_FALSE(known().roaming);
    const auto roams_as = [&](uint32_t registration) {
        modems.registers(0, registration);
        settle(modems);
        return known().roaming;
    };
    for (const uint32_t roaming : {5u, 7u, 10u}) {
        EXPECT_TRUE(roams_as(roaming)) << roaming;
        EXPECT_FALSE(roams_as(1)) << "at home";
    }
    for (const uint32_t not_roaming : {0u, 2u, 3u, 4u, 6u, 8u, 9u}) EXPECT_FALSE(roams_as(not_roaming)) << not_roaming;
    modems.plug(1, 5);
    settle(modems);
    EXPECT_TRUE(known().roaming) << "one that was plugged in later";
    modems.unplug(1);
    settle(modems);
    EXPECT_FALSE(known().roaming);
    EXPECT_TRUE(roams_as(5));
    modems.leave();
    until([this] { return !network_->network().value_or(Network{.roaming = true}).roaming; });
}

TEST_F(DesktopNetworkTest, AModemThatRoamsAlreadyIsKnownAtOnce) {
    ModemManager modems(loop_);
    modems.plug(0, 5);
    modems.appear();
    network_->watch(true);
    EXPECT_TRUE(known().roaming) << "the first that is known, not a moment later";
}

TEST_F(DesktopNetworkTest, AServiceThatHasNoAnswerIsNotWaitedFor) {
    Program manager(loop_, kManager);
    Program modems(loop_, kModems);
    manager.appear();
    modems.appear();
    network_->watch(true);
    EXPECT_EQ(known(), Network());
}

TEST_F(DesktopNetworkTest, ALostBusLeavesNothingKnownAndNobodyWaiting) {
    NetworkManager manager(loop_);
    manager.metered = 1;
    manager.appear();
    network_->watch(true);
    EXPECT_EQ(known().metered, Metered::Yes);
    bus_.stop();
    until([this] { return network_->network() == Network(); });
    network_->watch(false);
    network_->watch(true);
    EXPECT_EQ(network_->network(), Network()) << "a bus that is gone is not asked again";
}

}  // namespace
}  // namespace llmd::platform
