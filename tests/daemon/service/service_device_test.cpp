// A GPU on which engines fail again and again is left for the CPU: by this llmd, by the next, and until it may be
// better.
#include "service_fixture.h"
#include "supervisor/device_record.h"

namespace llmd::service {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

class ServiceDeviceTest : public ServiceTest {
protected:
    ServiceDeviceTest() {
        device_record_ = record_;
        restart();
    }

    // Another llmd with the same folders.
    void restart() { make_service({.model = "a"}); }
    void choose(const std::string& backend = "opencl", const std::string& driver = "1.0") {
        send(protocol::DeviceChosen{kind_of(backend), backend + " device", driver});
    }
    void ready_on(const std::string& backend, const std::string& driver = "1.0") {
        protocol::Ready message;
        message.n_ctx = 128;
        message.n_slots = 2;
        message.backend = kind_of(backend);
        message.device = backend + " device";
        message.driver = driver;
        message.profile = backend;
        choose(backend, driver);
        send(message);
    }
    // A request whose engine dies three times, each time after a token.
    void fail_three_times(RecordingSink& sink) {
        const RequestId id = submit(sink);
        for (int i = 0; i < 3; ++i) {
            EXPECT_EQ(expect_load().avoid_device_reason, "");
            ready_on("opencl");
            expect_start(id);
            token(id, i, "t");
            die_of(SIGABRT);
            wall_ += minutes(3);
        }
    }
    void expect_avoided(const protocol::Load& load, const std::string& name = "", const std::string& driver = "") {
        EXPECT_NE(load.avoid_device_reason.find("3 times"), std::string::npos) << load.avoid_device_reason;
        EXPECT_EQ(load.avoid_device, name);
        EXPECT_EQ(load.avoid_driver, driver);
    }

    const std::string record_ = folder_.path() + "/cache/llmd/device-health";
};

TEST_F(ServiceDeviceTest, TheThirdDeathInTenMinutesLeavesTheGpuAndLosesNoRequest) {
    RecordingSink sink;
    fail_three_times(sink);
    expect_avoided(expect_load());
    ready_on("cpu");
    EXPECT_EQ(engine().expect<protocol::Submit>().replay_ids, (std::vector<int32_t>{0, 1, 2}));
    EXPECT_FALSE(sink.ended());
    EXPECT_NE(service_->status().quarantined.find("opencl device"), std::string::npos)
        << service_->status().quarantined;

    // Another model does not use it either.
    die_of(SIGKILL);
    service_->cancel_all();
    settle();
    RecordingSink other;
    submit(other, request("b"));
    while (engine().next()) {
    }
    exit_engine();
    EXPECT_NE(service_->status().quarantined, "");
}

TEST_F(ServiceDeviceTest, OnceItsTimeIsOverItIsTriedAgain) {
    RecordingSink sink;
    fail_three_times(sink);
    expect_avoided(expect_load());
    ready_on("cpu");
    die_of(SIGKILL);
    expect_avoided(expect_load());
    ready_on("cpu");
    wall_ += hours(24);
    EXPECT_EQ(service_->status().quarantined, "");
    die_of(SIGKILL);
    await_engine();
    EXPECT_EQ(expect_load().avoid_device_reason, "");
}

TEST_F(ServiceDeviceTest, DeathsWhileLoadingCountToo) {
    for (int i = 0; i < 2; ++i) {
        RecordingSink sink;
        submit(sink);
        EXPECT_EQ(expect_load().avoid_device_reason, "");
        choose();
        die_of(SIGSEGV);
        EXPECT_EQ(sink.error().code, base::ErrorCode::ModelLoadFailed);
        now_ += minutes(2);
        wall_ += minutes(2);
    }
    RecordingSink sink;
    const RequestId id = submit(sink);
    expect_load();
    choose();
    die_of(SIGSEGV);
    EXPECT_FALSE(sink.ended()) << "the CPU is left";
    expect_avoided(expect_load());
    ready_on("cpu");
    expect_start(id);
}

TEST_F(ServiceDeviceTest, ADriverThatKillsWhoeverLooksForDevicesIsLeftToo) {
    RecordingSink sinks[3];
    for (RecordingSink& sink : sinks) {
        submit(sink);
        expect_load();
        send(protocol::PhaseChange{protocol::Phase::KernelBuild, 1000});
        die_of(SIGABRT);
        now_ += minutes(1);
        wall_ += minutes(1);
    }
    EXPECT_FALSE(sinks[2].ended());
    expect_avoided(expect_load());
    // On the CPU such a death says nothing about a GPU.
    const std::string kept = supervisor::read_device_record(record_);
    send(protocol::PhaseChange{protocol::Phase::KernelBuild, 1000});
    die_of(SIGABRT);
    EXPECT_EQ(sinks[2].error().code, base::ErrorCode::ModelLoadFailed);
    EXPECT_EQ(supervisor::read_device_record(record_), kept);
}

TEST_F(ServiceDeviceTest, WhatSaysNothingAboutAGpuIsNotCounted) {
    RecordingSink sink;
    const RequestId id = submit(sink);
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(expect_load().avoid_device_reason, "");
        ready_on(i % 2 == 0 ? "cpu" : "opencl");
        expect_start(id);
        token(id, i, "t");
        die_of(i % 2 == 0 ? SIGSEGV : SIGKILL);
    }
    EXPECT_EQ(expect_load().avoid_device_reason, "");

    make_service({.model = "a", .backend = "opencl"});
    RecordingSink faithful;
    fail_three_times(faithful);
    EXPECT_EQ(expect_load().avoid_device_reason, "") << "whoever names OpenCL gets OpenCL or an error";
}

TEST_F(ServiceDeviceTest, TheNextLlmdAvoidsItAndSaysSoBeforeAnythingIsLoaded) {
    RecordingSink sink;
    fail_three_times(sink);
    restart();
    EXPECT_NE(service_->status().quarantined, "");
    RecordingSink next;
    submit(next);
    expect_avoided(expect_load(), "opencl device", "1.0");
    ready_on("cpu");
    restart();
    EXPECT_NE(service_->status().quarantined, "");
}

TEST_F(ServiceDeviceTest, AnotherDriverEndsIt) {
    RecordingSink sink;
    fail_three_times(sink);
    restart();
    RecordingSink next;
    submit(next);
    expect_avoided(expect_load(), "opencl device", "1.0");
    ready_on("opencl", "2.0");  // the engine has found the name, and another driver
    EXPECT_EQ(service_->status().quarantined, "");
    EXPECT_EQ(supervisor::read_device_record(record_), "");
}

TEST_F(ServiceDeviceTest, ADriverThatKillsWhoeverLooksAtItIsLookedAtOnce) {
    RecordingSink sink;
    fail_three_times(sink);
    restart();
    RecordingSink looked, next;
    submit(looked);
    expect_avoided(expect_load(), "opencl device", "1.0");
    send(protocol::PhaseChange{protocol::Phase::KernelBuild, 1000});
    die_of(SIGABRT);
    EXPECT_EQ(looked.error().code, base::ErrorCode::ModelLoadFailed);
    now_ += minutes(1);
    submit(next);
    expect_avoided(expect_load());
}

TEST_F(ServiceDeviceTest, LoadModelTriesItAtOnce) {
    RecordingSink sink;
    fail_three_times(sink);
    restart();
    service_->load_model("a", nullptr);
    settle();
    EXPECT_EQ(expect_load().avoid_device_reason, "");
    EXPECT_EQ(service_->status().quarantined, "");
    EXPECT_EQ(supervisor::read_device_record(record_), "");
}

TEST_F(ServiceDeviceTest, ARecordThatIsDamagedOrCannotBeWrittenChangesNothingElse) {
    std::filesystem::create_directories(record_ + "/in/the/way");
    RecordingSink sink;
    fail_three_times(sink);
    expect_avoided(expect_load());
    restart();
    RecordingSink next;
    submit(next);
    EXPECT_EQ(expect_load().avoid_device_reason, "");
    std::filesystem::remove_all(record_);
    folder_.write("cache/llmd/device-health", "\x01\x02 nonsense\n\n\n\n");
    restart();
    EXPECT_EQ(service_->status().quarantined, "");
}

}  // namespace
}  // namespace llmd::service
