// No key of a file's architecture is overlooked: it is read, it is harmless, or it refuses the model by its name.
#include "engine/model/key_reader.h"

#include <gtest/gtest.h>

#include "engine/model/architectures.h"
#include "support/gguf_writer.h"

namespace llmd::model {
namespace {

using test::GgufWriter;

// A file that is read as a llama model of eight layers, with more keys.
class File {
public:
    File() {
        writer_.add("general.architecture", "llama");
        writer_.add("llama.block_count", uint32_t{8});
        writer_.add("llama.context_length", uint32_t{64});
        writer_.add("llama.embedding_length", uint32_t{32});
        writer_.add("llama.attention.layer_norm_rms_epsilon", 1e-6f);
        writer_.add("llama.vocab_size", uint32_t{100});
    }
    template <typename T>
    File& add(const std::string& key, const T& value) {
        writer_.add(key, value);
        return *this;
    }
    template <typename T>
    File& add_array(const std::string& key, const std::vector<T>& values) {
        writer_.add_array(key, values);
        return *this;
    }
    // With the two keys that may be arrays, if they have not been added.
    File& complete() {
        return add("llama.feed_forward_length", uint32_t{96}).add("llama.attention.head_count", uint32_t{4});
    }
    base::Result<DecoderSpec> read(KeyReport* report = nullptr) const {
        const auto bytes = writer_.bytes();
        const auto gguf = Gguf::parse(bytes);
        return gguf ? read_decoder_spec(*gguf, architectures(), report) : gguf.error();
    }
    std::string error() const {
        const auto spec = read();
        EXPECT_FALSE(spec);
        return spec ? "" : spec.error().message;
    }

private:
    GgufWriter writer_;
};

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(KeyReader, ReportsWhatWasReadAndWhatIsHarmless) {
    KeyReport report;
    const auto spec = File()
                          .complete()
                          .add("llama.rope.freq_base", 5000.0f)
                          .add("llama.expert_used_count", uint32_t{0})
                          .add("llama.ssm.conv_kernel", uint32_t{4})
                          .add("llama.rope.scaling.yarn_beta_fast", 64.0f)
                          .read(&report);
    ASSERT_TRUE(spec) << spec.error().message;
    EXPECT_EQ(report.read, (std::vector<std::string>{"attention.head_count", "attention.layer_norm_rms_epsilon",
                                                     "block_count", "context_length", "embedding_length",
                                                     "feed_forward_length", "rope.freq_base", "vocab_size"}));
    EXPECT_EQ(report.harmless,
              (std::vector<std::string>{"expert_used_count", "rope.scaling.yarn_beta_fast", "ssm.conv_kernel"}));
}

TEST(KeyReader, RefusesEveryOtherKeyByItsName) {
    for (const std::string key : {"attention.clamp_kqv", "attention.key_length_swa", "use_parallel_residual",
                                  "new.thing", "attention.scale", "attn_logit_softcapping"}) {
        EXPECT_TRUE(has(File().complete().add("llama." + key, 1.0f).error(), "\"llama." + key + "\" is not supported"));
    }
    EXPECT_TRUE(File().complete().add("qwen2.new.thing", 1.0f).read()) << "the key of another architecture";
    EXPECT_TRUE(File().complete().add("mradermacher.quantized_at", "today").read()) << "a note of who made the file";
}

TEST(KeyReader, HarmlessnessDependsOnTheValueAndTheModel) {
    const auto with = [](const std::string& key, uint32_t value) {
        return File().complete().add("llama." + key, value).read().has_value();
    };
    EXPECT_TRUE(with("attention.sliding_window", 0));
    EXPECT_TRUE(with("attention.sliding_window", 64)) << "all of the context";
    EXPECT_FALSE(with("attention.sliding_window", 63));
    EXPECT_TRUE(with("nextn_predict_layers", 0));
    EXPECT_FALSE(with("nextn_predict_layers", 1));
    const auto sections = [](const std::vector<int32_t>& values) {
        return File().complete().add_array("llama.rope.dimension_sections", values).read().has_value();
    };
    EXPECT_TRUE(sections({0, 0, 0, 0}));
    EXPECT_FALSE(sections({4, 0, 0, 0}));
    EXPECT_TRUE(has(File().complete().add("llama.attention.sliding_window", uint32_t{8}).error(), "has a value that"));
}

TEST(KeyReader, RefusesWeightsUnderAHadamardTransform) {
    EXPECT_TRUE(
        has(File().complete().add("prism.hadamard.version", uint32_t{1}).error(), "\"prism.hadamard.version\""));
}

TEST(KeyReader, AnArrayOfEqualNumbersIsANumber) {
    const auto with = [](const std::vector<int32_t>& heads, const std::vector<int32_t>& kv_heads) {
        return File()
            .add("llama.feed_forward_length", uint32_t{96})
            .add_array("llama.attention.head_count", heads)
            .add_array("llama.attention.head_count_kv", kv_heads);
    };
    const auto spec = with({4, 4, 4, 4, 4, 4, 4, 4}, {2, 2, 2, 2, 2, 2, 2, 2}).read();
    ASSERT_TRUE(spec) << spec.error().message;
    EXPECT_EQ(spec->layers[7].n_heads, 4u);
    EXPECT_EQ(spec->layers[7].n_kv_heads, 2u);
    EXPECT_TRUE(has(with({4, 4, 4, 8, 4, 4, 4, 4}, {2, 2, 2, 2, 2, 2, 2, 2}).error(),
                    "llama.attention.head_count is 4 in layer 0 and 8 in layer 3"));
    EXPECT_TRUE(has(with({4, 4}, {2, 2}).error(), "llama.attention.head_count has 2 elements for the 8 layers"));
    EXPECT_TRUE(has(with({-4, -4, -4, -4, -4, -4, -4, -4}, {2, 2, 2, 2, 2, 2, 2, 2}).error(),
                    "llama.attention.head_count is -4"));
    EXPECT_TRUE(has(File()
                        .add("llama.feed_forward_length", uint32_t{96})
                        .add_array("llama.attention.head_count", std::vector<float>(8, 4.0f))
                        .error(),
                    "llama.attention.head_count is not an array of integers"));
    EXPECT_TRUE(File()
                    .add("llama.attention.head_count", uint32_t{4})
                    .add_array("llama.feed_forward_length", std::vector<uint64_t>(8, 96))
                    .read());
}

// Ollama's converter writes some keys under names of its own.
TEST(KeyReader, OllamasNames) {
    const auto spec = File().complete().add("llama.rope.global.freq_base", 5000.0f).read();
    ASSERT_TRUE(spec) << spec.error().message;
    EXPECT_EQ(spec->ropes[0].theta, 5000.0f);
    const auto narrow = File().complete().add("llama.attention.head_dim", uint32_t{16}).read();
    ASSERT_TRUE(narrow) << narrow.error().message;
    EXPECT_EQ(narrow->layers[0].head_dim, 16u);
    EXPECT_TRUE(
        has(File().complete().add("llama.rope.freq_base", 5000.0f).add("llama.rope.global.freq_base", 6000.0f).error(),
            "rope.global.freq_base"))
        << "two names for one thing";
}

TEST(KeyReader, Pooling) {
    const auto with = [](uint32_t type) { return File().complete().add("llama.pooling_type", type).read(); };
    EXPECT_EQ(with(0)->pooling, std::nullopt);
    EXPECT_EQ(with(1)->pooling, PoolingType::Mean);
    EXPECT_EQ(with(2)->pooling, PoolingType::First);
    EXPECT_EQ(with(3)->pooling, PoolingType::Last);
    EXPECT_TRUE(
        has(File().complete().add("llama.pooling_type", uint32_t{4}).error(), "llama.pooling_type is 4 (rank)"));
    EXPECT_TRUE(has(File().complete().add("llama.pooling_type", uint32_t{5}).error(), "llama.pooling_type is 5"));
}

}  // namespace
}  // namespace llmd::model
