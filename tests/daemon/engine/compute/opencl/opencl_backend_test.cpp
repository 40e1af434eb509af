// Mistakes that only the OpenCL backend can make: tensors in several buffers, submissions one by one, limits that do
// not fit, the self-test of matmuls, and the words exchanged with the sampling kernel. Runs on the first device there
// is.
#include "engine/compute/opencl/opencl_backend.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "daemon/engine/compute/device_under_test.h"
#include "engine/compute/opencl/runtime/cl.h"
#include "engine/compute/opencl/runtime/device_queue.h"
#include "engine/compute/opencl/runtime/step_exchange.h"
#include "support/environment.h"

namespace llmd::test {
namespace {

using compute::Candidate;
using compute::OpenClOverrides;
using compute::SampleRequest;

// Quantised matrices of two types' widths, rows that no group of a kernel divides, biases everywhere.
RandomModel model_of_one_layer() {
    UniformSpec config = small_llama();
    config.n_vocab = 1001;
    config.n_ctx_train = 64;
    return RandomModel(config, {.type = model::TensorType::Q8_0, .biases = true, .tied = false});
}

compute::BackendLimits small_limits() {
    compute::BackendLimits limits;
    limits.n_slots = 1;
    limits.n_ctx = 64;
    limits.n_pages = 2;
    limits.max_rows = 16;
    limits.max_outputs = 1;
    return limits;
}

struct Outcome {
    compute::DeviceReport report;
    compute::QueueCounts counts;
    std::vector<float> logits;
    std::vector<Candidate> candidates;
};

// Ten rows in one batch, then a lone one; the last one's logits.
Outcome outcome_of(const RandomModel& model, const OpenClOverrides& overrides) {
    auto backend = compute::create_opencl_backend(model.spec(), small_limits(), 0, overrides);
    if (!backend) {
        ADD_FAILURE() << backend.error().message;
        return {};
    }
    compute::Backend& device = **backend;
    const auto must = [](const base::Result<void>& result) {
        if (!result) ADD_FAILURE() << result.error().message;
    };
    must(device.declare_tensors(model.weights(), kUnobserved));
    for (const model::Weight& weight : model.weights()) must(device.upload(weight));
    must(device.finish_loading());
    must(device.set_pages(0, std::vector<uint32_t>{1, 0}));
    const auto tokens = random_tokens(11, model.spec().n_vocab, 5);
    SampleRequest request;
    request.wants_candidates = true;
    Outcome result;
    for (const auto& rows : {rows_of(tokens, 0, 10, 0, false), rows_of(tokens, 10, 1, 0, true)}) {
        must(device.begin(rows));
        must(device.forward());
        if (rows.back().wants_output) must(device.sample({&request, 1}));
        must(device.submit());
        const auto sampled = device.wait();
        if (!sampled) {
            ADD_FAILURE() << sampled.error().message;
            return {};
        }
        if (!sampled->empty()) {
            result.candidates.assign((*sampled)[0].candidates.begin(), (*sampled)[0].candidates.end());
        }
    }
    result.logits.assign(model.spec().n_vocab, std::numeric_limits<float>::quiet_NaN());
    must(device.read_logits(0, result.logits));
    result.report = device.report();
    result.counts = device.queue_counts();
    return result;
}

class OpenClBackend : public testing::Test {
protected:
    void SetUp() override {
        const auto devices = compute::list_opencl_devices();
        ASSERT_TRUE(devices) << devices.error().message;
        if (devices->empty()) GTEST_SKIP() << absent_opencl();
    }
};

TEST_F(OpenClBackend, GivesTheSameBitsWithSplitTensors) {
    const RandomModel model = model_of_one_layer();
    const Outcome whole = outcome_of(model, {});
    // token_embd and output take 1001 * 68 bytes each.
    const Outcome split = outcome_of(model, {.max_buffer_bytes = 66'000});
    EXPECT_EQ(whole.logits, split.logits);
    EXPECT_TRUE(whole.report.notes.empty());
    ASSERT_EQ(split.report.notes.size(), 1u);
    EXPECT_EQ(split.report.notes[0], "2 matrices are split: one buffer holds at most 66000 bytes");
    EXPECT_EQ(whole.report.weight_bytes, split.report.weight_bytes);
}

TEST_F(OpenClBackend, GivesTheSameBitsWhenEachLaunchIsSubmitted) {
    const RandomModel model = model_of_one_layer();
    EXPECT_EQ(outcome_of(model, {}).logits, outcome_of(model, {.submit_each_launch = true}).logits);
}

TEST_F(OpenClBackend, ReadsZerosAndChecksNothingWhenItOnlyCompiles) {
    const RandomModel model = model_of_one_layer();
    const Outcome together = outcome_of(model, {.compile_only = true});
    EXPECT_EQ(together.logits, std::vector<float>(model.spec().n_vocab, 0.0f));
    // The self-test would have added launches of its own.
    EXPECT_LT(together.counts.launches, outcome_of(model, {}).counts.launches);
}

TEST_F(OpenClBackend, CountsLaunchesAndSubmissions) {
    const RandomModel model = model_of_one_layer();
    const Outcome together = outcome_of(model, {.compile_only = true});
    const Outcome each = outcome_of(model, {.submit_each_launch = true, .compile_only = true});
    EXPECT_GT(together.counts.launches, 10u);
    EXPECT_EQ(each.counts.launches, together.counts.launches);
    EXPECT_EQ(each.counts.submissions, together.counts.submissions + each.counts.launches);
}

TEST_F(OpenClBackend, RefusesWhatDoesNotFit) {
    UniformSpec config = small_llama();
    compute::BackendLimits limits = small_limits();
    limits.n_pages = 1u << 20;
    const auto pages = compute::create_opencl_backend(config, limits, 0, {.max_buffer_bytes = 1u << 30});
    ASSERT_FALSE(pages);
    EXPECT_EQ(pages.error().code, base::ErrorCode::OutOfMemory);
    EXPECT_NE(pages.error().message.find("1048576 KV pages of layer 0"), std::string::npos) << pages.error().message;

    const auto device = compute::create_opencl_backend(config, small_limits(), 1000);
    ASSERT_FALSE(device);
    EXPECT_EQ(device.error().code, base::ErrorCode::DeviceError);
}

TEST(ClError, NamesStatuses) {
    EXPECT_EQ(compute::cl_status_name(CL_OUT_OF_RESOURCES), "CL_OUT_OF_RESOURCES");
    EXPECT_EQ(compute::cl_status_name(CL_KERNEL_ARG_INFO_NOT_AVAILABLE), "CL_KERNEL_ARG_INFO_NOT_AVAILABLE");
    EXPECT_EQ(compute::cl_status_name(CL_INVALID_VALUE), "CL_INVALID_VALUE");
    EXPECT_EQ(compute::cl_status_name(CL_INVALID_KERNEL_ARGS), "CL_INVALID_KERNEL_ARGS");
    EXPECT_EQ(compute::cl_status_name(CL_INVALID_DEVICE_PARTITION_COUNT), "CL_INVALID_DEVICE_PARTITION_COUNT");
    EXPECT_EQ(compute::cl_status_name(-25), "status -25");
    EXPECT_EQ(compute::cl_status_name(-69), "status -69");
    EXPECT_EQ(compute::cl_status_name(7), "status 7");
    EXPECT_EQ(compute::cl_failure("clFinish", CL_OUT_OF_RESOURCES).message, "clFinish: CL_OUT_OF_RESOURCES");
    EXPECT_EQ(compute::cl_failure("clFinish", CL_OUT_OF_HOST_MEMORY).code, base::ErrorCode::OutOfMemory);
}

// The candidates of one output, every chunk empty until it is set.
struct Answer {
    std::vector<uint32_t> words = std::vector<uint32_t>(compute::candidate_words(1));

    void list(uint32_t chunk, uint32_t ids_in_chunk, const std::vector<Candidate>& top) {
        words[chunk] = ids_in_chunk;
        size_t at = compute::kSampleChunks + chunk * 2 * compute::kChunkCandidates;
        for (const Candidate& candidate : top) {
            words[at++] = static_cast<uint32_t>(candidate.id);
            words[at++] = std::bit_cast<uint32_t>(candidate.logit);
        }
    }
};

TEST(SampleExchange, SortsCandidatesAndTakesTheFloorFromFullChunks) {
    Answer answer;
    std::vector<Candidate> first, second;
    for (int i = 0; i < 8; ++i) {
        first.push_back({i, 9.0f - static_cast<float>(i)});               // 9 … 2
        second.push_back({20 + i, 8.0f - 0.5f * static_cast<float>(i)});  // 8 … 4.5
    }
    answer.list(0, 8, first);    // lists all it has
    answer.list(1, 20, second);  // has more
    std::vector<Candidate> storage;
    compute::Sampled result;
    compute::read_candidates(answer.words, 0, 1, storage, result);
    ASSERT_EQ(result.candidates.size(), 16u);
    EXPECT_EQ(result.candidate_floor, 4.5f);
    for (size_t i = 1; i < result.candidates.size(); ++i) {
        const Candidate &a = result.candidates[i - 1], &b = result.candidates[i];
        EXPECT_TRUE(a.logit > b.logit || (a.logit == b.logit && a.id < b.id)) << i;
    }
}

TEST(SampleExchange, HasNoFloorWhereEveryChunkListsAllItHas) {
    Answer answer;
    answer.list(63, 1, {{6000, 1.0f}});
    std::vector<Candidate> storage;
    compute::Sampled result;
    compute::read_candidates(answer.words, 0, 1, storage, result);
    ASSERT_EQ(result.candidates.size(), 1u);
    EXPECT_EQ(result.candidates[0].id, 6000);
    EXPECT_EQ(result.candidate_floor, -std::numeric_limits<float>::infinity());
}

}  // namespace
}  // namespace llmd::test
