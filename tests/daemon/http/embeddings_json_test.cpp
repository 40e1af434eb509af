#include "http/embeddings_json.h"

#include <gtest/gtest.h>

namespace llmd::http {
namespace {

Outcomes two() {
    Outcomes outcomes(2);
    outcomes[0].model = outcomes[1].model = "tale";
    outcomes[0].prompt_tokens = 3;
    outcomes[1].prompt_tokens = 4;
    outcomes[0].queue_time = std::chrono::milliseconds(2);
    outcomes[0].embedding = {0.6f, -0.8f};
    outcomes[1].embedding = {1, 0.1f};
    return outcomes;
}

TEST(EmbeddingsJson, NumbersAreTheShortestOfTheirFloats) {
    EXPECT_EQ(openai_embeddings(two(), EmbeddingEncoding::Numbers),
              R"({"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.6,-0.8]},)"
              R"({"object":"embedding","index":1,"embedding":[1,0.1]}],"model":"tale",)"
              R"("usage":{"prompt_tokens":7,"total_tokens":7}})");
}

TEST(EmbeddingsJson, Base64IsOfLittleEndianFloats) {
    // 0x3f800000 and 0x3dcccccd.
    EXPECT_NE(openai_embeddings(two(), EmbeddingEncoding::Base64).find(R"("embedding":"AACAP83MzD0="})"),
              std::string::npos);
}

TEST(EmbeddingsJson, OllamaHasShapesOfItsOwn) {
    EXPECT_EQ(ollama_embed(two(), std::chrono::milliseconds(5)),
              R"({"model":"tale","embeddings":[[0.6,-0.8],[1,0.1]],"total_duration":5000000,)"
              R"("load_duration":2000000,"prompt_eval_count":7})");
    EXPECT_EQ(ollama_embedding(two()), R"({"embedding":[0.6,-0.8]})");
}

}  // namespace
}  // namespace llmd::http
