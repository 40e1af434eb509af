#include "http/embeddings_json.h"

#include <gtest/gtest.h>

namespace llmd::http {
namespace {

std::string whole(BodyFormat& format) {
    AnswerHead head;
    head.model = "tale";
    head.created = std::chrono::system_clock::now();
    std::vector<Choice> choices(1);
    service::Outcome& outcome = choices.front().outcome;
    outcome.prompt_tokens = 7;
    outcome.queue_time = std::chrono::milliseconds(2);
    outcome.embeddings = {{0.6f, -0.8f}, {1, 0.1f}};
    return format.whole(head, choices);
}

TEST(EmbeddingsJson, NumbersAreTheShortestOfTheirFloats) {
    const auto format = make_openai_embeddings_format(api::EmbeddingEncoding::Numbers, [] { return 128u; });
    EXPECT_EQ(whole(*format), R"({"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.6,-0.8]},)"
                              R"({"object":"embedding","index":1,"embedding":[1,0.1]}],"model":"tale",)"
                              R"("usage":{"prompt_tokens":7,"total_tokens":7}})");
    const Reply reply = format->refusal({base::ErrorCode::ContextExceeded, "input[1]: too long"}, 300);
    EXPECT_EQ(reply.status, 400u);
    EXPECT_NE(reply.body.find(R"("n_prompt_tokens":300,"n_ctx":128)"), std::string::npos) << reply.body;
}

TEST(EmbeddingsJson, Base64IsOfLittleEndianFloats) {
    // 0x3f800000 and 0x3dcccccd.
    EXPECT_NE(whole(*make_openai_embeddings_format(api::EmbeddingEncoding::Base64, [] { return 0u; }))
                  .find(R"("embedding":"AACAP83MzD0="})"),
              std::string::npos);
}

TEST(EmbeddingsJson, OllamaHasShapesOfItsOwn) {
    const std::string embed = whole(*make_ollama_embed_format());
    EXPECT_EQ(embed.rfind(R"({"model":"tale","embeddings":[[0.6,-0.8],[1,0.1]],"total_duration":)", 0), 0u) << embed;
    EXPECT_TRUE(embed.ends_with(R"(,"load_duration":2000000,"prompt_eval_count":7})")) << embed;
    EXPECT_EQ(whole(*make_ollama_embedding_format()), R"({"embedding":[0.6,-0.8]})");
    EXPECT_EQ(make_ollama_embed_format()->refusal({base::ErrorCode::ContextExceeded, "input[1]: too long"}, 300).body,
              R"({"error":"input[1]: too long"})");
}

}  // namespace
}  // namespace llmd::http
