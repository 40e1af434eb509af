// Memory that is short: fewer pages, then a typed error, then the CPU; and what a device says of the memory it takes.
#include <gtest/gtest.h>

#include "fault/faulty_engine.h"

namespace llmd::test {
namespace {

class MemoryFaults : public FaultyEngine {};

// Memory that is short once costs pages, memory that stays short is an error that names sizes, and with `auto` the
// CPU's turn: while buffers are made, and where a driver makes them only when they are written to.
TEST_F(MemoryFaults, ShortMemoryCostsPagesThenTheDevice) {
    const Outcome undisturbed = run(BackendKind::OpenCl);
    constexpr uint32_t kLeastPages = 4;  // a context of 128
    ASSERT_GT(undisturbed.n_pages, kLeastPages);
    const auto fail_all = [](bool for_ever) {
        control_->first_fault = 5;
        control_->last_fault = for_ever ? UINT64_MAX : 5;
        control_->status = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    };
    for (const char* function : {"clCreateBuffer", "clEnqueueWriteBuffer"}) {
        for (const uint32_t hidden : {0u, uint32_t{kHideCpuType}}) {
            SCOPED_TRACE(base::concat(function, ", hidden ", hidden));
            count_only(function);
            control_->hidden = hidden;
            fail_all(false);
            const Outcome smaller = run(BackendKind::OpenCl);
            ASSERT_FALSE(smaller.load_error) << smaller.load_error->message;
            EXPECT_EQ(smaller.n_pages, kLeastPages);
            EXPECT_EQ(smaller.ids.size(), kTokens);

            fail_all(true);
            const Outcome refused = run(BackendKind::OpenCl);
            ASSERT_TRUE(refused.load_error);
            EXPECT_EQ(refused.load_error->code, ErrorCode::OutOfMemory);
            EXPECT_NE(refused.load_error->message.find(" bytes"), std::string::npos) << refused.load_error->message;
            EXPECT_EQ(control_->live_objects, 0);
        }
        fail_all(true);  // and PoCL passes for a GPU
        const Outcome on_cpu = run(BackendKind::Auto);
        ASSERT_FALSE(on_cpu.load_error) << on_cpu.load_error->message;
        EXPECT_EQ(on_cpu.backend, "cpu");
        EXPECT_EQ(on_cpu.n_pages, undisturbed.n_pages);
        ASSERT_FALSE(on_cpu.notes.empty());
        EXPECT_NE(on_cpu.notes.back().find("CL_MEM_OBJECT_ALLOCATION_FAILURE"), std::string::npos)
            << on_cpu.notes.back();
    }
}

// A layer's keys and values for all sequences take 256 MiB here, a page of them 4 KiB.
TEST_F(MemoryFaults, PlansFewerPagesWhereABufferIsSmall) {
    const TinyModel model{.n_layers = 1, .n_kv_heads = 4, .n_ctx = 131'072};
    ASSERT_TRUE(write_file(directory_ / "long.gguf", tiny_model(model)));
    const generation::LoadOptions options{.n_ctx = model.n_ctx, .n_slots = 16};
    const Outcome large = run(BackendKind::OpenCl, options, "long.gguf");
    control_->hidden = kHideLargeBuffers;
    const Outcome small = run(BackendKind::OpenCl, options, "long.gguf");
    ASSERT_FALSE(small.load_error) << small.load_error->message;
    EXPECT_EQ(small.ids, large.ids);
    EXPECT_EQ(small.ids.size(), kTokens);
    EXPECT_EQ(small.n_pages, 16'384u);  // of 64 MiB
    EXPECT_GT(large.n_pages, small.n_pages);
}

}  // namespace
}  // namespace llmd::test
