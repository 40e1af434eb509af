// The fastest of two drivers of a GPU and the CPU is chosen once, and taken from the record until something that
// decides it changes; what the record cannot be trusted in, or what a device fails with, costs another choice and no
// more.
#include "engine/generation/device_choice.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <map>

#include "engine/generation/loaded_model.h"
#include "fake_backend.h"
#include "support/gguf_writer.h"
#include "test_devices.h"

namespace llmd::generation {
namespace {

namespace fs = std::filesystem;
using compute::BackendKind;
using compute::ChosenDevice;
using std::chrono::milliseconds;

const ChosenDevice kFreedreno = {BackendKind::OpenCl, "FD618", "26.1.6", "rusticl"};
const ChosenDevice kZink = {BackendKind::OpenCl, "zink (Turnip)", "26.1.6", "rusticl"};
constexpr auto kDay = std::chrono::sys_days(std::chrono::year(2026) / 11 / 29);

class FakeTrials : public DeviceTrials {
public:
    base::Result<void> test(const ChosenDevice& device) override {
        tested.push_back(device.name);
        const auto wrong = broken.find(device.name);
        return wrong == broken.end() ? base::Result<void>() : wrong->second;
    }
    base::Result<double> time(const ChosenDevice& device, bool is_last) override {
        timed.push_back(device.name);
        last.push_back(is_last);
        const auto wrong = failing.find(device.name);
        if (wrong != failing.end()) return wrong->second;
        return speeds.at(device.name);
    }

    std::map<std::string, double> speeds = {{"FD618", 11.24}, {"zink (Turnip)", 4}, {"", 7.9}};
    std::map<std::string, base::Error> broken, failing;
    std::vector<std::string> tested, timed;
    std::vector<bool> last;
};

class DeviceChoiceTest : public testing::Test {
protected:
    DeviceChoiceTest() {
        std::string name = (fs::temp_directory_path() / "llmd-device-choice-XXXXXX").string();
        EXPECT_NE(::mkdtemp(name.data()), nullptr);
        root_ = name;
        kept_ = {root_ / "devices", "0.1"};
    }
    ~DeviceChoiceTest() override { fs::remove_all(root_); }

    base::Result<std::optional<DeviceChoice>> choose(FakeTrials& trials, std::string_view model = "a model") {
        return choose_device(devices_, model, kept_, trials, kDay + std::chrono::hours(7));
    }
    // The device that is chosen, "none", or the error.
    std::string chosen(FakeTrials& trials, std::string_view model = "a model") {
        const auto choice = choose(trials, model);
        if (!choice) return choice.error().message;
        notes_ = *choice ? (*choice)->notes : std::vector<std::string>();
        return *choice ? (*choice)->device.name : "none";
    }
    // Whether the devices are timed for a choice.
    bool is_timed(std::string_view model = "a model") {
        FakeTrials trials;
        chosen(trials, model);
        return !trials.timed.empty();
    }
    fs::path file() const { return fs::directory_iterator(kept_.directory)->path(); }

    fs::path root_;
    ChoicesKept kept_;
    compute::AutoDevices devices_ = {{kFreedreno, kZink, {}}, "two drivers and a CPU"};
    std::vector<std::string> notes_;
};

TEST_F(DeviceChoiceTest, WithoutAChoiceNothingIsTimedOrWritten) {
    FakeTrials trials;
    devices_.devices = {{}};
    EXPECT_EQ(chosen(trials), "none");
    devices_.devices = {kFreedreno, {}};
    kept_.directory.clear();
    EXPECT_EQ(chosen(trials), "none");
    EXPECT_TRUE(trials.tested.empty() && trials.timed.empty());
    EXPECT_TRUE(fs::is_empty(root_));
}

TEST_F(DeviceChoiceTest, TheFastestIsTakenAndSaid) {
    FakeTrials trials;
    EXPECT_EQ(chosen(trials), "FD618");
    EXPECT_EQ(notes_, std::vector<std::string>{
                          "FD618 (rusticl 26.1.6) was chosen: 11.2 tokens/s; CPU: 7.9 tokens/s; zink (Turnip) (rusticl "
                          "26.1.6): 4.0 tokens/s; timed at the first load, on 2026-11-29, and kept until a driver, the "
                          "devices or llmd change"});
    EXPECT_EQ(trials.tested, (std::vector<std::string>{"FD618", "zink (Turnip)"}));
    EXPECT_EQ(trials.timed, (std::vector<std::string>{"", "zink (Turnip)", "FD618"})) << "the likeliest stays loaded";
    EXPECT_EQ(trials.last, (std::vector<bool>{false, false, true}));
    trials.speeds["zink (Turnip)"] = 30;
    EXPECT_EQ(chosen(trials, "another model"), "zink (Turnip)");
}

TEST_F(DeviceChoiceTest, AGpuThatIsNearlyAsFastIsPreferred) {
    FakeTrials trials;
    trials.speeds[""] = 11.24 / kGpuShare * 0.999;
    EXPECT_EQ(chosen(trials), "FD618");
    EXPECT_NE(notes_[0].find("leaves the processor free"), std::string::npos) << notes_[0];
    trials.speeds[""] = 11.24 / kGpuShare * 1.001;
    EXPECT_EQ(chosen(trials, "another model"), "");
    EXPECT_EQ(notes_[0].find("leaves the processor free"), std::string::npos) << notes_[0];
}

TEST_F(DeviceChoiceTest, TheNextLoadTakesTheRecord) {
    FakeTrials trials, later;
    trials.speeds["zink (Turnip)"] = 30;
    chosen(trials);
    const auto notes = notes_;
    EXPECT_EQ(chosen(later), "zink (Turnip)");
    EXPECT_EQ(notes_, notes);
    EXPECT_TRUE(later.tested.empty() && later.timed.empty());
}

TEST_F(DeviceChoiceTest, WhatDecidesItMakesItChooseAgain) {
    EXPECT_TRUE(is_timed());
    EXPECT_FALSE(is_timed());
    EXPECT_TRUE(is_timed("a larger model"));
    devices_.identity += ", Mesa 26.2";
    EXPECT_TRUE(is_timed());
    kept_.version = "0.2";
    EXPECT_TRUE(is_timed());
    EXPECT_FALSE(is_timed());
}

TEST_F(DeviceChoiceTest, ARecordThatCannotBeTrustedIsWrittenAnew) {
    EXPECT_TRUE(is_timed());
    const auto spoil = [&](const auto& how, const char* what) {
        how(file());
        EXPECT_TRUE(is_timed()) << what;
        EXPECT_FALSE(is_timed()) << what;
    };
    const auto change = [](std::streamoff at) {
        return [at](const fs::path& path) {
            std::fstream out(path, std::ios::in | std::ios::out | std::ios::binary);
            out.seekp(at);
            out.put('\x7f');
        };
    };
    spoil(change(0), "of another version");
    spoil(change(40), "damaged");
    spoil([](const fs::path& path) { fs::resize_file(path, 20); }, "short");
    spoil([](const fs::path& path) { fs::resize_file(path, 0); }, "empty");
    spoil([](const fs::path& path) { fs::resize_file(path, kMaxDeviceChoiceBytes * 2); }, "oversized");
    spoil(
        [](const fs::path& path) {
            fs::remove(path);
            ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
        },
        "a FIFO");
    if (::geteuid() == 0) {
        constexpr uid_t kNobody = 65534;
        spoil([](const fs::path& path) { ASSERT_EQ(::chown(path.c_str(), kNobody, kNobody), 0); }, "another user's");
    }
    FakeTrials trials;
    trials.speeds[""] = 100;
    EXPECT_EQ(chosen(trials, "another model"), "") << "the third device";
    devices_.devices = {kFreedreno, {}};
    EXPECT_TRUE(is_timed("another model")) << "there are two";
}

TEST_F(DeviceChoiceTest, WhereEveryGpuFailsItsSelfTestTheCpuComputes) {
    FakeTrials trials;
    trials.broken = {{"FD618", base::fail(base::ErrorCode::DeviceError, "exp is wrong")},
                     {"zink (Turnip)", base::fail(base::ErrorCode::OutOfMemory, "too small")}};
    EXPECT_EQ(chosen(trials), "");
    EXPECT_EQ(notes_, (std::vector<std::string>{"FD618 (rusticl 26.1.6) is not used: exp is wrong",
                                                "zink (Turnip) (rusticl 26.1.6) is not used: too small"}));
    EXPECT_TRUE(trials.timed.empty());
    EXPECT_TRUE(fs::is_empty(root_)) << "the cure may come without another driver";
    EXPECT_TRUE(is_timed());
}

TEST_F(DeviceChoiceTest, AGpuThatFailsItsSelfTestIsNotTimed) {
    FakeTrials trials;
    trials.broken = {{"FD618", base::fail(base::ErrorCode::DeviceError, "exp is wrong")}};
    trials.speeds["zink (Turnip)"] = 30;
    EXPECT_EQ(chosen(trials), "zink (Turnip)");
    EXPECT_EQ(trials.timed, (std::vector<std::string>{"", "zink (Turnip)"}));
    ASSERT_EQ(notes_.size(), 2u);
    EXPECT_EQ(notes_[0], "FD618 (rusticl 26.1.6) is not used: exp is wrong");
}

TEST_F(DeviceChoiceTest, WhatMayPassIsNotKept) {
    FakeTrials trials;
    trials.failing = {{"FD618", base::fail(base::ErrorCode::OutOfMemory, "another app has it")}};
    EXPECT_EQ(chosen(trials), "");
    EXPECT_EQ(notes_[0], "FD618 (rusticl 26.1.6) was not timed: another app has it");
    EXPECT_NE(notes_[1].find("again at the next load"), std::string::npos) << notes_[1];
    EXPECT_TRUE(is_timed());
}

TEST_F(DeviceChoiceTest, WhatTookTooLongIsKept) {
    FakeTrials trials;
    trials.failing = {{"", base::fail(base::ErrorCode::Timeout, "a slow card")}};
    EXPECT_EQ(chosen(trials), "FD618");
    EXPECT_EQ(notes_[0], "CPU was not timed: a slow card");
    EXPECT_FALSE(is_timed());
}

TEST_F(DeviceChoiceTest, WhatIsNoDevicesFaultEndsTheLoad) {
    FakeTrials trials;
    trials.failing = {{"", base::fail(base::ErrorCode::ModelLoadFailed, "a broken file")}};
    EXPECT_EQ(chosen(trials), "a broken file");
    trials.broken = {{"zink (Turnip)", base::fail(base::ErrorCode::Cancelled, "given up")}};
    EXPECT_EQ(chosen(trials), "given up");
}

TEST_F(DeviceChoiceTest, WhereNothingCanBeKeptNothingIsTimed) {
    std::ofstream(root_ / "devices") << "no directory";
    FakeTrials trials;
    EXPECT_EQ(chosen(trials), "none");
    EXPECT_TRUE(trials.timed.empty());
}

TEST_F(DeviceChoiceTest, RecordsAreBounded) {
    FakeTrials trials;
    trials.broken = {{"zink (Turnip)", base::fail(base::ErrorCode::DeviceError, std::string(8000, 'x'))}};
    for (int i = 0; i < 20; ++i) chosen(trials, std::to_string(i));
    uint64_t bytes = 0;
    for (const auto& entry : fs::directory_iterator(kept_.directory)) bytes += entry.file_size();
    EXPECT_LE(bytes, kMaxDeviceChoiceBytes);
    EXPECT_FALSE(is_timed("19"));
}

// --- Timing ----------------------------------------------------------------------------------------------------------

using Clock = std::chrono::steady_clock::time_point;

// Each token takes its time, the first ten times as much.
class PacedBackend : public test::FakeBackend {
public:
    PacedBackend(const compute::BackendLimits& limits, Clock& clock, milliseconds a_token)
        : FakeBackend(257, limits), clock_(clock), a_token_(a_token) {}
    base::Result<std::span<const compute::Sampled>> wait() override {
        clock_ += n_steps == 0 ? 10 * a_token_ : a_token_;
        return FakeBackend::wait();
    }
    void be(const ChosenDevice& device) {
        report_.kind = device.kind;
        report_.device = device.name;
    }

private:
    Clock& clock_;
    milliseconds a_token_;
};

compute::BackendLimits limits_of(uint32_t n_ctx, uint32_t window = 0) {
    return {.n_ctx = n_ctx,
            .n_pages = pages_for(n_ctx),
            .window = window,
            .n_window_pages = window == 0 ? 0 : pages_for(n_ctx)};
}

double speed_of(PacedBackend& backend, Clock& clock) {
    const auto speed = decode_speed(backend, [&] { return clock; });
    EXPECT_TRUE(speed) << speed.error().message;
    return speed ? *speed : 0;
}

TEST(DecodeSpeed, IsThatBehindTheWarmUp) {
    for (const bool asynchronous : {false, true}) {
        for (const uint32_t window : {0u, 64u}) {
            Clock clock{};
            PacedBackend backend(limits_of(4096, window), clock, milliseconds(5));
            backend.asynchronous = asynchronous;
            EXPECT_DOUBLE_EQ(speed_of(backend, clock), 200);
            EXPECT_EQ(backend.n_steps, kWarmUpTokens + kTimedTokens);
            EXPECT_EQ(backend.n_steps_ahead > 0, asynchronous);
            EXPECT_EQ(backend.rows_per_step, std::vector<uint32_t>(backend.n_steps, 1));
        }
    }
}

TEST(DecodeSpeed, ASlowDeviceIsNotTimedForLong) {
    Clock clock{};
    PacedBackend backend(limits_of(4096), clock, milliseconds(150));
    EXPECT_DOUBLE_EQ(speed_of(backend, clock), 1000.0 / 150);
    EXPECT_LE(clock.time_since_epoch(), milliseconds(1500) + kTimingTime + milliseconds(150));
    Clock later{};
    PacedBackend slowest(limits_of(4096), later, milliseconds(9000));
    speed_of(slowest, later);
    EXPECT_EQ(slowest.n_steps, 2u);
}

TEST(DecodeSpeed, AShortContextHasRoomForIt) {
    for (const uint32_t n_ctx : {1u, 2u, 5u, 32u, 40u}) {
        Clock clock{};
        PacedBackend backend(limits_of(n_ctx), clock, milliseconds(5));
        backend.asynchronous = true;
        EXPECT_GT(speed_of(backend, clock), 0) << n_ctx;
        EXPECT_EQ(backend.n_steps, n_ctx);
    }
}

TEST(DecodeSpeed, ADeviceWhoseLogitsAreNotFiniteHasNone) {
    Clock clock{};
    PacedBackend backend(limits_of(64), clock, milliseconds(5));
    backend.poison = {0};
    const auto speed = decode_speed(backend, [&] { return clock; });
    ASSERT_FALSE(speed);
    EXPECT_EQ(speed.error().code, base::ErrorCode::DeviceError);
}

// --- Loading ---------------------------------------------------------------------------------------------------------

class ChoosingLoad : public DeviceChoiceTest {
protected:
    void SetUp() override { ASSERT_TRUE(test::write_file(root_ / "tiny.gguf", test::tiny_model({}))); }

    base::Result<LoadedModel> load(const compute::BackendOptions& backend = {}) {
        created_.clear();
        LoadOptions options;
        options.backend = backend;
        options.choices = kept_;
        options.now = [this] { return clock_; };
        options.list_auto_devices = [this](const compute::BackendOptions&) { return devices_; };
        options.create_backend = [this](const model::DecoderSpec&, const compute::LimitsPlan& plan,
                                        const compute::BackendOptions& chosen) { return create(plan, chosen); };
        test::PatientObserver observer;
        return load_model(root_ / "tiny.gguf", options, observer);
    }

    base::Result<std::unique_ptr<compute::Backend>> create(const compute::LimitsPlan& plan,
                                                           const compute::BackendOptions& chosen) {
        const auto limits = plan({.available_bytes = 1u << 30});
        if (!limits) return limits.error();
        EXPECT_EQ(n_alive_, 0) << "two devices hold a model";
        class Counted : public PacedBackend {
        public:
            Counted(const compute::BackendLimits& limits, ChoosingLoad& test, milliseconds a_token)
                : PacedBackend(limits, test.clock_, a_token), test_(test) {
                ++test_.n_alive_;
            }
            ~Counted() override { --test_.n_alive_; }
            base::Result<void> upload(const model::Weight&, const compute::OnCopied&) override {
                test_.clock_ += test_.reading_;
                const bool fails = test_.breaks_ && report().kind != BackendKind::Cpu;
                return fails ? base::Result<void>(base::fail(base::ErrorCode::DeviceError, "it broke"))
                             : base::Result<void>();
            }

        private:
            ChoosingLoad& test_;
        };
        const bool is_avoided = !chosen.avoided.reason.empty();
        const ChosenDevice device = is_avoided ? ChosenDevice() : chosen.only.value_or(kFreedreno);
        created_.push_back(device.name);
        auto backend =
            std::make_unique<Counted>(*limits, *this, milliseconds(device.kind == BackendKind::Cpu ? cpu_ms_ : 5));
        backend->be(device);
        return backend;
    }

    Clock clock_{};
    milliseconds reading_{0};  // of a tensor
    int n_alive_ = 0, cpu_ms_ = 20;
    bool breaks_ = false;  // the GPU
    std::vector<std::string> created_;
};

TEST_F(ChoosingLoad, TheWinnerStaysLoaded) {
    devices_.devices = {kFreedreno, {}};
    {
        const auto model = load();
        ASSERT_TRUE(model) << model.error().message;
        EXPECT_EQ(model->backend->report().device, "FD618");
        EXPECT_EQ(created_, (std::vector<std::string>{"FD618", "", "FD618"})) << "tested, then each timed";
        ASSERT_EQ(model->notes.size(), 1u);
        EXPECT_TRUE(model->notes[0].starts_with("FD618 (rusticl 26.1.6) was chosen: 200.0 tokens/s; CPU: 50.0"))
            << model->notes[0];
    }
    const auto again = load();
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(created_, std::vector<std::string>{"FD618"});
    EXPECT_EQ(again->notes.size(), 1u);
}

TEST_F(ChoosingLoad, AWinnerThatWasDroppedIsLoadedAgain) {
    devices_.devices = {kFreedreno, {}};
    cpu_ms_ = 1;
    const auto model = load();
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->backend->report().kind, BackendKind::Cpu);
    EXPECT_EQ(created_, (std::vector<std::string>{"FD618", "", "FD618", ""}));
}

TEST_F(ChoosingLoad, ADeviceOfTheSettingsIsTaken) {
    for (const compute::BackendOptions& named :
         {compute::BackendOptions{.device = "FD"}, compute::BackendOptions{.kind = BackendKind::OpenCl}}) {
        const auto model = load(named);
        ASSERT_TRUE(model) << model.error().message;
        EXPECT_EQ(created_.size(), 1u);
        EXPECT_TRUE(model->notes.empty());
    }
    EXPECT_FALSE(fs::exists(kept_.directory));
}

TEST_F(ChoosingLoad, AWinnerThatFailsLaterIsLeftForTheCpu) {
    devices_.devices = {kFreedreno, {}};
    ASSERT_TRUE(load());
    breaks_ = true;
    const auto model = load();
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->backend->report().kind, BackendKind::Cpu);
}

TEST_F(ChoosingLoad, ReadingASlowCardTwiceIsGivenUp) {
    devices_.devices = {kFreedreno, {}};
    cpu_ms_ = 1;
    reading_ = kMostTrialRead / 2;
    const auto model = load();
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->backend->report().device, "FD618");
    ASSERT_EQ(model->notes.size(), 2u);
    EXPECT_EQ(model->notes[0], "CPU was not timed: reading its weights took more than 15 s");
}

}  // namespace
}  // namespace llmd::generation
