// Two models by turns on a device with so much memory: whatever both take together decides whether they stay side by
// side, and not which of them is loaded at the moment. The kernel's figure of what is available is played as it is: an
// engine's copy of the weights, its KV pages that have been written and its own data are missing in it.
#include <array>
#include <filesystem>
#include <optional>
#include <string>

#include "daemon/service/service_fixture.h"
#include "supervisor/memory_budget.h"

namespace llmd::service {
namespace {

constexpr uint64_t kMib = 1u << 20;
constexpr uint64_t kKvBytes = 32 * kMib;
constexpr uint64_t kWrittenKvBytes = kKvBytes / 4;
constexpr uint64_t kEngineBytes = 40 * kMib;

struct Model {
    std::string name;
    uint64_t weight_bytes = 0;
    std::optional<size_t> engine;  // by number
};

class ServiceMemoryTest : public ServiceTest {
protected:
    void make(uint64_t total, const std::string& backend, uint64_t bytes_of_a, uint64_t bytes_of_b) {
        total_ = total;
        backend_ = backend;
        models_ = {Model{"a", bytes_of_a, {}}, Model{"b", bytes_of_b, {}}};
        for (const Model& model : models_) {
            std::filesystem::resize_file(folder_.path() + "/" + model.name + ".gguf", model.weight_bytes);
        }
        make_service({.model = "a", .max_models = 16});
    }
    void count_memory() {
        available_ = total_;
        for (const Model& model : models_) {
            if (model.engine) *available_ -= model.weight_bytes + kEngineBytes + kv_bytes();
        }
    }
    uint64_t kv_bytes() const { return backend_ == "cpu" ? kWrittenKvBytes : kKvBytes; }
    supervisor::FakeEngine& engine_of(const Model& model) { return *launcher_->engines.at(*model.engine); }

    void exit_where_asked() {
        for (Model& model : models_) {
            if (!model.engine) continue;
            supervisor::FakeEngine& engine = engine_of(model);
            if (!engine.hung_up()) continue;
            model.engine.reset();
            count_memory();
            engine.exit_with(0);
            settle();
        }
    }
    void load(Model& model) {
        model.engine = n_engines() - 1;
        count_memory();
        EXPECT_EQ(expect_load().model_path, folder_.path() + "/" + model.name + ".gguf");
        protocol::Ready ready;
        ready.n_ctx = 128;
        ready.n_slots = 2;
        ready.backend = kind_of(backend_);
        ready.weight_bytes = model.weight_bytes;
        ready.kv_bytes = kKvBytes;
        ready.overhead_bytes = kEngineBytes;
        send(ready);
        send(protocol::Pages{.used = 0, .cached = 1, .total = kKvBytes / kWrittenKvBytes});
    }
    void ask(Model& model) {
        RecordingSink sink;
        const RequestId id = submit(sink, request(model.name));
        exit_where_asked();
        if (!model.engine) load(model);
        supervisor::FakeEngine& engine = engine_of(model);
        EXPECT_EQ(engine.expect<protocol::Submit>().id, id);
        EXPECT_EQ(engine.expect<protocol::Start>().id, id);
        engine.send(protocol::Accepted{id, 3});
        protocol::Finished finished;
        finished.id = id;
        engine.send(finished);
        settle();
        EXPECT_EQ(sink.outcome().finish, Finish::Stop);
        now_ += std::chrono::minutes(1);
    }

    uint64_t total_ = 0;  // what is available while nothing is loaded
    std::string backend_;
    std::array<Model, 2> models_;
};

TEST_F(ServiceMemoryTest, ModelsThatFitSideBySideAreLoadedOnce) {
    constexpr int kRounds = 3;
    struct Pair {
        uint64_t a, b;  // MiB
    };
    for (const std::string backend : {"cpu", "opencl"}) {
        for (const Pair& pair : {Pair{12, 480}, Pair{480, 12}, Pair{480, 480}, Pair{900, 300}, Pair{12, 12}}) {
            for (uint64_t total = 1000; total <= 2400; total += 100) {
                SCOPED_TRACE(testing::Message() << backend << ", " << pair.a << " and " << pair.b << " MiB, " << total);
                make(total * kMib, backend, pair.a * kMib, pair.b * kMib);
                count_memory();
                for (int i = 0; i < kRounds; ++i) {
                    for (Model& model : models_) ask(model);
                }
                // One is measured, the other estimated; which of them is which makes no difference.
                const uint64_t measured = kKvBytes + kEngineBytes + supervisor::kRequestBytes;
                const uint64_t both = (pair.a + pair.b) * kMib + measured + supervisor::kOverheadBytes;
                const bool fits = both + supervisor::kReserveBytes <= total * kMib;
                EXPECT_EQ(n_engines(), fits ? 2u : 2u * kRounds);
            }
        }
    }
}

}  // namespace
}  // namespace llmd::service
