#include "engine/generation/loaded_model.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <numeric>

#include "engine/compute/cpu/processor.h"
#include "engine/generation/forward.h"
#include "engine/generation/kv_cache/kv_pages.h"
#include "engine/generation/speculation/drafter.h"
#include "engine/model/model_file.h"
#include "fake_backend.h"
#include "supervisor/memory_budget.h"
#include "support/gguf_writer.h"
#include "test_devices.h"

namespace llmd::generation {
namespace {

// The bytes that llmd adds to a ready engine for requests are those that the engine itself leaves for them.
static_assert(kRequestReserveBytes == supervisor::kRequestBytes);

class LoadModel : public testing::Test {
protected:
    void SetUp() override { ASSERT_TRUE(test::write_file(path_, test::tiny_model({}))); }
    void TearDown() override { std::filesystem::remove(path_); }

    base::Result<LoadedModel> load(LoadOptions options = {}) {
        options.backend = {.kind = compute::BackendKind::Cpu, .n_threads = 1};
        return load_on(options);
    }
    base::Result<LoadedModel> load_on(const LoadOptions& options) {
        test::PatientObserver observer;
        return load_model(path_, options, observer);
    }

    const std::string path_ =
        std::filesystem::temp_directory_path() / base::concat("llmd-loaded-model-", ::getpid(), ".gguf");
};

TEST_F(LoadModel, TakesItsDefaultsFromTheModel) {
    const auto model = load();
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->backend->limits().n_ctx, 128u);
    EXPECT_EQ(model->backend->limits().max_outputs, kDefaultSlots);
    EXPECT_EQ(model->backend->limits().n_slots, 2 * kDefaultSlots);
    EXPECT_EQ(model->backend->limits().n_pages, kDefaultSlots * pages_for(128))
        << "paused ones have no memory of their own";
    EXPECT_EQ(model->tokenizer->empty_prompt_id(), 256);
    EXPECT_GT(model->step_weight_bytes, 0u);
}

TEST_F(LoadModel, HasRoomForDraftsOnlyWhereTheyMayBe) {
    const auto model = load(), without = load({.speculates = false});
    ASSERT_TRUE(model && without);
    const auto& limits = model->backend->limits();
    EXPECT_EQ(limits.max_drafted, kMaxDrafts);
    EXPECT_EQ(without->backend->limits().max_drafted, 0u);
    EXPECT_EQ(without->backend->limits().max_rows, limits.max_rows - kMaxDrafts);
    EXPECT_GT(model->backend->report().working_bytes,
              without->backend->report().working_bytes + kMaxDrafts * model->spec.n_vocab * sizeof(float));
}

TEST_F(LoadModel, NeverGoesBeyondTheTrainedContext) {
    const auto model = load({.n_ctx = 100000});
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->backend->limits().n_ctx, 128u);
}

TEST_F(LoadModel, IsKnownByWhatIsInTheFile) {
    const auto content = [&] {
        const auto model = load({.identifies = true});
        return model ? model->content : 0;
    };
    const uint64_t first = content();
    EXPECT_NE(first, 0u);
    EXPECT_EQ(content(), first);
    test::TinyModel other;
    other.rope_theta *= 2;
    ASSERT_TRUE(test::write_file(path_, test::tiny_model(other)));
    EXPECT_NE(content(), first) << "metadata";
    auto bytes = test::tiny_model({});
    bytes[bytes.size() / 4 * 3] ^= std::byte{1};
    ASSERT_TRUE(test::write_file(path_, bytes));
    EXPECT_NE(content(), first) << "a weight";
    EXPECT_EQ(load()->content, 0u) << "nobody asks";
}

// Says of each tensor that half of it is copied, then that three more bytes are, and nothing of the rest.
class PartwiseBackend : public test::FakeBackend {
public:
    using FakeBackend::FakeBackend;
    base::Result<void> upload(const model::Weight& weight, const compute::OnCopied& on_copied) override {
        const size_t half = weight.tensor.data.size() / 2;
        on_copied(half);
        on_copied(3);
        const auto rest = weight.tensor.data.subspan(half);
        sum_ += std::accumulate(rest.begin(), rest.end(), uint64_t{0}, [](uint64_t sum, std::byte byte) {
            return sum * 31 + std::to_integer<uint64_t>(byte);
        });
        return {};
    }
    uint64_t sum() const { return sum_; }

private:
    uint64_t sum_ = 0;
};

TEST_F(LoadModel, PartsThatWereCopiedMayGoBeforeTheRestIsRead) {
    LoadOptions options;
    options.identifies = true;
    options.create_backend = [](const model::DecoderSpec&, const compute::LimitsPlan& plan,
                                const compute::BackendOptions&) -> base::Result<std::unique_ptr<compute::Backend>> {
        const auto limits = plan({.available_bytes = 1u << 30});
        if (!limits) return limits.error();
        return std::make_unique<PartwiseBackend>(257, *limits);
    };
    const auto first = load_on(options), second = load_on(options);
    ASSERT_TRUE(first && second);
    const auto sum = [](const LoadedModel& model) {
        return dynamic_cast<const PartwiseBackend&>(*model.backend).sum();
    };
    EXPECT_NE(sum(*first), 0u);
    EXPECT_EQ(sum(*first), sum(*second));
    EXPECT_NE(first->content, 0u);
    EXPECT_EQ(first->content, second->content);
    auto bytes = test::tiny_model({});
    bytes.back() ^= std::byte{1};
    ASSERT_TRUE(test::write_file(path_, bytes));
    const auto other = load_on(options);
    ASSERT_TRUE(other);
    EXPECT_NE(other->content, first->content) << "the rest counts";
}

TEST_F(LoadModel, RefusesOptionsByName) {
    const auto slots = load({.n_slots = kMaxSlots + 1});
    ASSERT_FALSE(slots);
    EXPECT_TRUE(slots.error().message.starts_with("n_slots"));
    const auto chunk = load({.prefill_chunk = kMaxPrefillChunk + 1});
    ASSERT_FALSE(chunk);
    EXPECT_TRUE(chunk.error().message.starts_with("prefill_chunk"));
}

// A GPU that fails while the model is loaded on it.
class BrokenGpu : public test::FakeBackend {
public:
    enum class At { Upload, Finish };
    // With so many pages it does not fail.
    BrokenGpu(const compute::BackendLimits& limits, At at, base::ErrorCode code, uint32_t fitting_pages)
        : FakeBackend(257, limits), at_(at), code_(code), fails_(limits.n_pages > fitting_pages) {
        report_.kind = compute::BackendKind::OpenCl;
        report_.device = "GPU 7";
    }
    base::Result<void> upload(const model::Weight&, const compute::OnCopied&) override { return fail_at(At::Upload); }
    base::Result<void> finish_loading() override { return fail_at(At::Finish); }

private:
    base::Result<void> fail_at(At at) const {
        if (fails_ && at == at_) return base::fail(code_, "it broke");
        return {};
    }

    At at_;
    base::ErrorCode code_;
    bool fails_;
};

// Memory of the GPU, and what create_backend() does on a machine that has it.
LoadOptions with_gpu(BrokenGpu::At at, base::ErrorCode code, uint64_t gpu_bytes = 1u << 30,
                     uint32_t fitting_pages = 0) {
    LoadOptions options;
    options.create_backend =
        [=](const model::DecoderSpec& config, const compute::LimitsPlan& plan,
            const compute::BackendOptions& chosen) -> base::Result<std::unique_ptr<compute::Backend>> {
        if (!chosen.avoided.reason.empty()) return compute::create_backend(config, plan, chosen);
        const auto limits =
            plan({.available_bytes = gpu_bytes, .is_scarce = chosen.scarce == compute::BackendKind::OpenCl});
        if (!limits) return limits.error();
        return std::make_unique<BrokenGpu>(*limits, at, code, fitting_pages);
    };
    return options;
}

TEST_F(LoadModel, IsFastWhereItsWeightsAreIntegers) {
    for (const auto& [type, expected] : {std::pair(model::TensorType::F32, compute::Precision::Faithful),
                                         std::pair(model::TensorType::F16, compute::Precision::Faithful),
                                         std::pair(model::TensorType::BF16, compute::Precision::Faithful),
                                         std::pair(model::TensorType::Q8_0, compute::Precision::Fast)}) {
        ASSERT_TRUE(test::write_file(path_, test::tiny_model({.type = type})));
        compute::Precision asked{};
        LoadOptions options;
        options.backend.precision = compute::Precision::Fast;
        options.create_backend = [&](const model::DecoderSpec& config, const compute::LimitsPlan& plan,
                                     compute::BackendOptions chosen) {
            asked = chosen.precision;
            chosen.kind = compute::BackendKind::Cpu;
            return compute::create_backend(config, plan, chosen);
        };
        const auto model = load_on(options);
        ASSERT_TRUE(model) << model.error().message;
        EXPECT_EQ(asked, expected) << static_cast<uint32_t>(type);
    }
}

TEST_F(LoadModel, AutoGivesTheCpuWhatBreaksTheGpu) {
    for (const auto at : {BrokenGpu::At::Upload, BrokenGpu::At::Finish}) {
        for (const auto code : {base::ErrorCode::DeviceError, base::ErrorCode::OutOfMemory}) {
            const auto model = load_on(with_gpu(at, code));
            ASSERT_TRUE(model) << model.error().message;
            EXPECT_EQ(model->backend->report().kind, compute::BackendKind::Cpu);
            const auto& notes = model->backend->report().notes;
            ASSERT_EQ(notes.size(), 1u);
            EXPECT_TRUE(notes[0].starts_with("GPU 7 is not used: it broke")) << notes[0];
            // Sizes are named where they are the reason.
            EXPECT_EQ(notes[0].find("bytes of weights") != std::string::npos, code == base::ErrorCode::OutOfMemory);
            EXPECT_EQ(model->backend->limits().n_pages, kDefaultSlots * 4) << "the CPU has its own plan";
        }
    }
}

TEST_F(LoadModel, TriesTheLeastPagesBeforeItGivesADeviceUp) {
    for (const auto at : {BrokenGpu::At::Upload, BrokenGpu::At::Finish}) {
        const auto model = load_on(with_gpu(at, base::ErrorCode::OutOfMemory, 1u << 30, 4));
        ASSERT_TRUE(model) << model.error().message;
        EXPECT_EQ(model->backend->report().device, "GPU 7");
        EXPECT_EQ(model->backend->limits().n_pages, 4u);
    }
}

TEST_F(LoadModel, AnExplicitGpuOrABrokenModelNeverFallsBack) {
    LoadOptions options = with_gpu(BrokenGpu::At::Finish, base::ErrorCode::DeviceError);
    options.backend.kind = compute::BackendKind::OpenCl;
    const auto refused = load_on(options);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, base::ErrorCode::DeviceError);
    const auto broken = load_on(with_gpu(BrokenGpu::At::Upload, base::ErrorCode::ModelLoadFailed));
    ASSERT_FALSE(broken);
    EXPECT_EQ(broken.error().code, base::ErrorCode::ModelLoadFailed);
}

// It is the file's fault, whatever computes with it.
TEST_F(LoadModel, NamesTheTensorWithAWeightThatIsNotFinite) {
    std::vector<std::byte> bytes = test::tiny_model({});
    const auto whole = load();
    ASSERT_TRUE(whole);
    const auto file = model::ModelFile::open(path_);
    ASSERT_TRUE(file);
    const model::TensorView* const tensor = file->gguf().tensor("blk.1.ffn_norm.weight");
    ASSERT_TRUE(tensor != nullptr && tensor->type == model::TensorType::F32);
    const float nan = std::nanf("");
    std::memcpy(&bytes[static_cast<size_t>(tensor->data.data() - file->parts()[0].bytes().data())], &nan, sizeof nan);
    ASSERT_TRUE(test::write_file(path_, bytes));
    const auto broken = load();
    ASSERT_FALSE(broken);
    EXPECT_EQ(broken.error().code, base::ErrorCode::ModelLoadFailed);
    EXPECT_NE(broken.error().message.find("ffn_norm of layer 1 holds a weight that is NaN or infinite"),
              std::string::npos)
        << broken.error().message;
}

TEST_F(LoadModel, PlansWithTheDevicesOwnMemory) {
    const auto model = load_on(with_gpu(BrokenGpu::At::Finish, base::ErrorCode::DeviceError, 4096));
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().code, base::ErrorCode::OutOfMemory);
    EXPECT_NE(model.error().message.find("4096 bytes of memory"), std::string::npos) << model.error().message;
}

TEST_F(LoadModel, NamesTheFileThatIsNoModel) {
    ASSERT_TRUE(test::write_file(path_, std::vector<std::byte>(100)));
    const auto model = load();
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().code, base::ErrorCode::ModelLoadFailed);
    EXPECT_TRUE(model.error().message.starts_with(path_)) << model.error().message;
}

// 16 MiB of keys and values a sequence.
test::TinyModel with_long_context() {
    return {.n_layers = 4, .n_embd = 256, .n_heads = 4, .n_kv_heads = 4, .head_dim = 64, .n_ctx = 4096};
}

TEST_F(LoadModel, StaysWithinABoundWithFewerPages) {
    ASSERT_TRUE(test::write_file(path_, test::tiny_model(with_long_context())));
    const auto unbounded = load();
    ASSERT_TRUE(unbounded) << unbounded.error().message;
    const auto& report = unbounded->backend->report();
    ASSERT_EQ(report.kv_bytes, 64u << 20);
    const uint64_t rest = report.weight_bytes + overhead_bytes(report, compute::private_dirty_bytes());
    const uint64_t bound = rest + kRequestReserveBytes + (40u << 20);
    const auto bounded = load({.memory_bytes = bound});
    ASSERT_TRUE(bounded) << bounded.error().message;
    EXPECT_EQ(bounded->backend->limits().n_ctx, 4096u);
    EXPECT_EQ(bounded->backend->limits().max_outputs, kDefaultSlots);
    EXPECT_GE(bounded->backend->report().kv_bytes, 32u << 20);
    EXPECT_LE(bounded->backend->report().kv_bytes, 41u << 20);
    const auto refused = load({.memory_bytes = rest});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, base::ErrorCode::OutOfMemory);
    EXPECT_NE(refused.error().message.find(base::concat(" to work in; ", rest, " bytes are allowed")),
              std::string::npos)
        << refused.error().message;
}

class LoadModelOn : public testing::TestWithParam<test::TestDevice> {};

TEST_P(LoadModelOn, ABoundHoldsOnEveryDevice) {
    const auto path = std::filesystem::temp_directory_path() / base::concat("llmd-bounded-", ::getpid(), ".gguf");
    const auto file = test::tiny_model(with_long_context());
    ASSERT_TRUE(test::write_file(path, file));
    test::PatientObserver observer;
    LoadOptions options;
    options.backend = GetParam().options;
    options.memory_bytes = compute::private_dirty_bytes() + file.size() + kRequestReserveBytes + kMemoryHeadroomBytes;
    if (options.backend.kind == compute::BackendKind::OpenCl) options.memory_bytes += 40u << 20;
    const auto model = load_model(path, options, observer);
    ASSERT_TRUE(model) << model.error().message;
    const auto& report = model->backend->report();
    EXPECT_GE(report.kv_bytes, 16u << 20);
    EXPECT_LT(report.kv_bytes, 64u << 20);
    EXPECT_EQ(report.is_host_memory, options.backend.kind == compute::BackendKind::Cpu || GetParam().only_tests_use_it);
    EXPECT_GE(report.working_bytes, 512u << 10);
    EXPECT_LE(report.working_bytes, kMemoryHeadroomBytes) << "what is left for a driver holds them";
    options.memory_bytes = file.size();
    const auto refused = load_model(path, options, observer);
    std::filesystem::remove(path);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, base::ErrorCode::OutOfMemory);
}

INSTANTIATE_TEST_SUITE_P(Devices, LoadModelOn, testing::ValuesIn(test::test_devices()),
                         [](const auto& test) { return test.param.label; });

// A device whose working memory is known only when it is built.
TEST_F(LoadModel, LeavesADriverItsMemoryWithinABound) {
    ASSERT_TRUE(test::write_file(path_, test::tiny_model(with_long_context())));
    std::optional<compute::BackendLimits> known, unknown;
    LoadOptions options;
    options.memory_bytes = compute::private_dirty_bytes() + kMemoryHeadroomBytes + kRequestReserveBytes + (48u << 20);
    options.create_backend = [&](const model::DecoderSpec&, const compute::LimitsPlan& plan,
                                 const compute::BackendOptions&) -> base::Result<std::unique_ptr<compute::Backend>> {
        compute::DeviceMemory memory{.available_bytes = uint64_t{1} << 40};
        unknown = *plan(memory);
        memory.working_bytes = [](const compute::BackendLimits& limits) { return limits.max_rows; };
        known = *plan(memory);
        return std::make_unique<test::FakeBackend>(257, *known);
    };
    ASSERT_TRUE(load_on(options));
    EXPECT_EQ(known->n_pages, 4 * pages_for(4096));
    EXPECT_LT(unknown->n_pages, 4 * pages_for(4096));
    EXPECT_GE(unknown->n_pages, pages_for(4096));
}

TEST(OverheadBytes, AreAllButWeightsAndPages) {
    const compute::DeviceReport report = {.weight_bytes = 1000, .kv_bytes = 500, .working_bytes = 30};
    EXPECT_EQ(overhead_bytes(report, 4000), 4030u) << "weights are in the device's own memory";
    auto host = report;
    host.is_host_memory = true;
    EXPECT_EQ(overhead_bytes(host, 4000), 3030u);
    EXPECT_EQ(overhead_bytes(host, 900), 30u);
}

// A process that has computed has written its weights, its pages and the overhead that was told before.
TEST_F(LoadModel, OverheadIsWhatComputingWillTake) {
    test::TinyModel tiny = with_long_context();
    tiny.n_ctx = 512;
    tiny.n_ff = 4096;  // activations that are not lost among all else
    ASSERT_TRUE(test::write_file(path_, test::tiny_model(tiny)));
    const auto model = load({.n_slots = 1});
    ASSERT_TRUE(model) << model.error().message;
    compute::Backend& backend = *model->backend;
    const auto& report = backend.report();
    EXPECT_GT(report.working_bytes, 4u << 20);
    const uint64_t overhead = overhead_bytes(report, compute::private_dirty_bytes());
    EXPECT_GT(overhead, report.working_bytes);
    std::vector<uint32_t> pages(pages_for(512));
    std::iota(pages.begin(), pages.end(), 0u);
    ASSERT_TRUE(backend.set_pages(0, pages));
    const uint32_t n_rows = backend.limits().max_rows;
    for (uint32_t begin = 0; begin < 512; begin += n_rows) {
        std::vector<compute::Row> rows;
        for (uint32_t i = begin; i < std::min(512u, begin + n_rows); ++i) rows.push_back({0, i, 65, i + 1 == 512});
        const std::vector<compute::SampleRequest> requests(rows.back().wants_output ? 1 : 0);
        ASSERT_TRUE(forward(backend, rows, requests));
    }
    const uint64_t told = report.weight_bytes + report.kv_bytes + overhead;
    const uint64_t written = compute::private_dirty_bytes();
    EXPECT_LE(written, told + (2u << 20));
    EXPECT_GE(written + (4u << 20), told);
}

TEST_F(LoadModel, NeverWaitsForAFifo) {
    std::filesystem::remove(path_);
    ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
    const auto model = load();
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().code, base::ErrorCode::InvalidArgument);
}

TEST_F(LoadModel, GivesUpWhenAsked) {
    class Cancelling : public LoadObserver {
    public:
        explicit Cancelling(int n_calls) : n_calls_(n_calls) {}
        bool before(LoadStage, std::chrono::milliseconds budget) override {
            EXPECT_GT(budget.count(), 0);
            return n_calls_-- > 0;
        }
        void on_uploaded(uint64_t bytes, uint64_t total) override { EXPECT_LE(bytes, total); }

    private:
        int n_calls_;
    };
    LoadOptions options;
    options.backend.kind = compute::BackendKind::Cpu;
    for (const int n_calls : {0, 1, 2, 5}) {
        Cancelling observer(n_calls);
        const auto model = load_model(path_, options, observer);
        ASSERT_FALSE(model);
        EXPECT_EQ(model.error().code, base::ErrorCode::Cancelled);
    }
}

}  // namespace
}  // namespace llmd::generation
