// Ollama's answers, line by line.
#include <gtest/gtest.h>

#include "http/ollama_json.h"

namespace llmd::http {
namespace {

TEST(OllamaJson, AStreamIsLinesAndTheLastHasTheCosts) {
    const AnswerHead head{7, "tale", std::chrono::system_clock::time_point(std::chrono::milliseconds(1500))};
    service::Outcome outcome;
    outcome.finish = service::Finish::Length;
    outcome.prompt_tokens = 5;
    outcome.generated_tokens = 4;
    outcome.queue_time = std::chrono::milliseconds(10);
    outcome.ttft = std::chrono::milliseconds(30);
    outcome.decode_tps = 8;
    const std::string costs =
        R"("done":true,"done_reason":"length","total_duration":530000000,"load_duration":10000000,)"
        R"("prompt_eval_count":5,"prompt_eval_duration":20000000,"eval_count":4,"eval_duration":500000000})";
    const std::string begin = R"({"model":"tale","created_at":"1970-01-01T00:00:01.500000Z",)";

    const auto generate = make_ollama_format(OllamaKind::Generate);
    EXPECT_EQ(generate->begin(head), "");
    EXPECT_EQ(generate->text(0, "hi\n", {}), begin + R"("response":"hi\n","done":false})" + "\n");
    EXPECT_EQ(generate->end_choice(0, outcome, {}), begin + R"("response":"",)" + costs + "\n");
    EXPECT_EQ(generate->end({{"", outcome, {}}}), "");
    EXPECT_EQ(generate->failure({base::ErrorCode::DeviceError, "it broke"}, {}), "{\"error\":\"it broke\"}\n");
    EXPECT_EQ(generate->whole(head, {{"all", outcome, {}}}), begin + R"("response":"all",)" + costs);
    EXPECT_EQ(make_ollama_format(OllamaKind::Chat)->whole(head, {{"all", outcome, {}}}),
              begin + R"("message":{"role":"assistant","content":"all"},)" + costs);
    const auto chat = make_ollama_format(OllamaKind::Chat);
    EXPECT_EQ(chat->begin(head), "");
    EXPECT_EQ(chat->thinking(0, "hm"),
              begin + R"("message":{"role":"assistant","content":"","thinking":"hm"},"done":false})" + "\n");
    EXPECT_EQ(chat->whole(head, {{"all", outcome, {}, "hm"}}),
              begin + R"("message":{"role":"assistant","content":"all","thinking":"hm"},)" + costs);
    EXPECT_EQ(ollama_loaded(OllamaKind::Generate, head, "load"),
              begin + R"("response":"","done":true,"done_reason":"load"})");
    EXPECT_EQ(ollama_error({base::ErrorCode::ModelNotFound, "no model"}).status, 404u);
}

TEST(OllamaJson, LogprobsStandBesideTheTextThatTheyAreAbout) {
    const std::vector<api::AlignedLogprobs> two = {{{{8, -0.5, "a"}, {{8, -0.5, "a"}, {9, -1, "b"}}}, 0},
                                                   {{{7, -2, "\xC3"}, {}}, 1}};
    const std::string told = R"("logprobs":[{"token":"a","logprob":-0.5,"bytes":[97],"top_logprobs":[)"
                             R"({"token":"a","logprob":-0.5,"bytes":[97]},{"token":"b","logprob":-1,"bytes":[98]}]},)"
                             "{\"token\":\"\xEF\xBF\xBD\""
                             R"(,"logprob":-2,"bytes":[195],"top_logprobs":[]}])";
    for (const OllamaKind kind : {OllamaKind::Generate, OllamaKind::Chat}) {
        const auto format = make_ollama_format(kind);
        (void)format->begin({});
        EXPECT_NE(format->text(0, "a", two).find(R"("done":false,)" + told + "}\n"), std::string::npos)
            << format->text(0, "a", two);
        EXPECT_EQ(format->text(0, "a", {}).find("logprobs"), std::string::npos);
        EXPECT_NE(format->end_choice(0, {}, two).find(R"("done":true,)" + told + ','), std::string::npos);
        EXPECT_NE(format->whole({}, {{"a", {}, two}}).find(R"("done":true,)" + told + ','), std::string::npos);
    }
}

}  // namespace
}  // namespace llmd::http
