// The frames from a remote to llmd: the answers and failures of a server that takes texts, and of one that takes ids.
#include <atomic>

#include "session_fixture.h"

namespace llmd::test {
namespace {

using base::ErrorCode;
using protocol::FinishReason;

constexpr std::string_view kModels =
    R"({"data":[{"id":"tales","owned_by":"llamacpp","meta":{"n_ctx":64}},{"id":"other","max_model_len":9}]})";

// The text API: /v1/completions and /v1/chat/completions, answered by `generate`.
UpstreamServer::Handler openai(UpstreamServer::Handler generate) {
    return [generate](const UpstreamCall& call, const UpstreamServer::Answer& answer) {
        if (call.path == "/v1/models") return answer.json(kModels);
        if (call.method == "GET") return answer.json("{}", 404);
        generate(call, answer);
    };
}

void say_words(const UpstreamServer::Answer& answer) {
    answer.head(200);
    answer.event(R"({"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]})");
    answer.event(R"({"choices":[{"index":0,"delta":{"reasoning_content":"hm"},"finish_reason":null}]})");
    answer.event(R"({"choices":[{"index":0,"delta":{"content":"Once "},"finish_reason":null}]})");
    answer.event(R"({"choices":[{"index":0,"delta":{"content":"upon."},"finish_reason":"stop"}]})");
    answer.event(R"({"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":5,)"
                 R"("prompt_tokens_details":{"cached_tokens":3}}})");
    answer.event("[DONE]");
}

TEST_F(SessionTest, TellsWhatTheRemoteIs) {
    serve(openai({}));
    connect("auto");
    EXPECT_EQ(ready_->backend, protocol::BackendKind::Remote);
    EXPECT_EQ(ready_->device, "home: OpenAI API");
    EXPECT_EQ(ready_->n_ctx, 64u);
    EXPECT_EQ(ready_->n_slots, 4u);
    EXPECT_EQ(ready_->notes.size(), 3u);
    EXPECT_NE(upstream_->calls("/v1/models").at(0).head.find("Authorization: Bearer geheim\r\n"), std::string::npos);
}

TEST_F(SessionTest, SaysWhichVersionsDoNotGoTogether) {
    serve(openai({}));
    open("auto", {.version = "0.0.9", .remote = "home", .model = "tales"});
    const auto failed = wait_for<protocol::LoadFailed>();
    ASSERT_TRUE(failed);
    EXPECT_EQ(failed->code, ErrorCode::NotReady);
    EXPECT_EQ(failed->message, base::concat("llmd is version 0.0.9 and llmd-remote is version ",
                                            protocol::program_version(), "; restart llmd and llmd-remote"));
    EXPECT_TRUE(upstream_->calls("/v1/models").empty());
}

TEST(Endpoint, IsReadAsTheSettingsReadIt) {
    struct Url {
        const char* url;
        const char* base;
        const char* unix_path;
    };
    base::RemoteSettings settings;
    settings.name = "home";
    settings.models = {"tales"};
    for (const Url& row :
         {Url{"https://box.lan:8443/llm/", "https://box.lan:8443/llm", ""},
          Url{"https://box.lan", "https://box.lan:443", ""}, Url{"http://[::1]:80", "http://[::1]:80", ""},
          Url{"unix:/run/tunnel", "http://localhost", "/run/tunnel"}}) {
        settings.url = row.url;
        const auto endpoint = remote::make_endpoint(settings, "");
        ASSERT_TRUE(endpoint) << endpoint.error().message;
        EXPECT_EQ(endpoint->base_url, row.base);
        EXPECT_EQ(endpoint->unix_path, row.unix_path);
    }
    for (const char* url : {"http://box.lan", "ftp://box.lan", "https://me:pw@box.lan", "unix:run/tunnel", ""}) {
        settings.url = url;
        EXPECT_FALSE(remote::make_endpoint(settings, "")) << url;
    }
    settings.url = "https://box.lan";
    EXPECT_FALSE(remote::make_endpoint(settings, "a\r\nX: b"));
}

TEST_F(SessionTest, RefusesAModelThatIsNotListed) {
    settings_.models = {"tales=somebody/else"};
    serve(openai({}));
    open("openai");
    const auto failed = wait_for<protocol::LoadFailed>();
    ASSERT_TRUE(failed);
    EXPECT_EQ(failed->code, ErrorCode::ModelNotFound);
}

TEST_F(SessionTest, CannotReachWhoIsNotThere) {
    settings_.url = "http://127.0.0.1:1";
    open("openai");
    const auto failed = wait_for<protocol::LoadFailed>();
    ASSERT_TRUE(failed);
    EXPECT_EQ(failed->code, ErrorCode::RemoteUnreachable);
    EXPECT_EQ(failed->message.find("geheim"), std::string::npos);
}

TEST_F(SessionTest, DeliversAConversation) {
    serve(openai([](const UpstreamCall&, const UpstreamServer::Answer& answer) { say_words(answer); }));
    connect("openai");
    const auto outcome = run(chat_request("Tell."));
    ASSERT_TRUE(outcome.finished && outcome.accepted && outcome.usage);
    EXPECT_EQ(outcome.accepted->prompt_tokens, 0u);  // not counted
    EXPECT_EQ(outcome.finished->reason, FinishReason::Stop);
    EXPECT_EQ(outcome.text, "Once upon.");
    EXPECT_EQ(outcome.thinking, "hm");
    EXPECT_EQ(outcome.ids, std::vector<int32_t>(5, -1));
    EXPECT_EQ(outcome.usage->prompt_tokens, 7u);
    EXPECT_EQ(outcome.usage->cached_tokens, 3u);
    EXPECT_EQ(outcome.usage->generated_tokens, 5u);
    const std::string body = upstream_->calls("/v1/chat/completions").at(0).body;
    for (const char* key : {"max_tokens", "temperature", "top_k", "top_p", "min_p", "repetition_penalty", "seed"}) {
        EXPECT_NE(body.find('"' + std::string(key) + "\":"), std::string::npos) << key;
    }
}

TEST_F(SessionTest, RefusesWithTheStatusOfTheFirstAnswer) {
    struct Row {
        int status;
        const char* body;
        ErrorCode code;
    };
    for (const Row& row :
         {Row{400, R"({"error":{"message":"max_tokens is odd"}})", ErrorCode::InvalidArgument},
          Row{400, R"({"error":{"message":"maximum context length is 9"}})", ErrorCode::ContextExceeded},
          Row{429, "busy", ErrorCode::QueueFull}, Row{302, "", ErrorCode::RemoteRefused},
          Row{404, "", ErrorCode::NotSupported},
          Row{200, R"(data: {"error":{"message":"full","code":503}})", ErrorCode::QueueFull}}) {
        SCOPED_TRACE(row.status);
        session_.reset();
        serve(openai([row](const UpstreamCall&, const UpstreamServer::Answer& answer) {
            answer.json(std::string(row.body) + "\n\n", row.status);
        }));
        settings_.url.clear();
        connect("openai");
        const auto outcome = run(text_request("Once"));
        ASSERT_TRUE(outcome.refused);
        EXPECT_EQ(outcome.refused->code, row.code);
    }
}

// A message that becomes the state of the remote is shown to others than the one whose prompt it was.
TEST_F(SessionTest, NoServersWordsOnAPromptAreInWhatOthersAreTold) {
    for (const int status : {401, 403, 302, 408, 502, 504}) {
        SCOPED_TRACE(status);
        session_.reset();
        serve(openai([status](const UpstreamCall&, const UpstreamServer::Answer& answer) {
            answer.json(R"({"error":{"message":"no: Once upon"}})", status);
        }));
        settings_.url.clear();
        connect("openai");
        const auto outcome = run(text_request("Once upon"));
        ASSERT_TRUE(outcome.refused);
        EXPECT_EQ(outcome.refused->code, status < 404 ? ErrorCode::RemoteRefused : ErrorCode::RemoteUnreachable);
        EXPECT_EQ(outcome.refused->message, base::concat("the remote answered ", status));
    }
}

TEST_F(SessionTest, NoServersWordsOnATextToTokenizeAreInWhatOthersAreTold) {
    for (const int status : {403, 502}) {
        SCOPED_TRACE(status);
        session_.reset();
        serve([status](const UpstreamCall& call, const UpstreamServer::Answer& answer) {
            if (call.method == "GET") return answer.json(call.path == "/v1/models" ? kModels : R"({"total_slots":1})");
            answer.json(R"({"error":{"message":"no: Once upon"}})", status);
        });
        settings_.url.clear();
        connect("llama-server");
        const auto outcome = run(chat_request("Once upon"));
        ASSERT_TRUE(outcome.refused);
        EXPECT_EQ(outcome.refused->message, base::concat("the remote answered ", status));
    }
}

TEST_F(SessionTest, TheServersWordsBeforeAnyPromptAreTold) {
    serve([](const UpstreamCall&, const UpstreamServer::Answer& answer) {
        answer.json(R"({"error":{"message":"Incorrect API key"}})", 401);
    });
    open("openai");
    const auto failed = wait_for<protocol::LoadFailed>();
    ASSERT_TRUE(failed);
    EXPECT_EQ(failed->code, ErrorCode::RemoteRefused);
    EXPECT_EQ(failed->message, R"(the remote answered 401: "Incorrect API key")");
}

TEST_F(SessionTest, SaysWhenABusyRemoteWantsToBeAskedForItsModels) {
    for (const auto& [asked, told] : {std::pair("100", 100u), std::pair("100000", 21'600u)}) {
        session_.reset();
        serve([asked = asked](const UpstreamCall&, const UpstreamServer::Answer& answer) {
            answer.json("busy", 429, base::concat("Retry-After: ", asked, "\r\n"));
        });
        settings_.url.clear();
        open("openai");
        const auto failed = wait_for<protocol::LoadFailed>();
        ASSERT_TRUE(failed);
        EXPECT_EQ(failed->code, ErrorCode::QueueFull);
        EXPECT_EQ(failed->retry_after_s, told);
    }
}

TEST_F(SessionTest, AServerThatAlwaysFailsIsAskedThrice) {
    for (const std::string path : {"/tokenize", "/completion"}) {
        SCOPED_TRACE(path);
        session_.reset();
        serve([path](const UpstreamCall& call, const UpstreamServer::Answer& answer) {
            if (call.path == "/v1/models") return answer.json(kModels);
            if (call.path == "/props") return answer.json(R"({"total_slots":1})");
            answer.json(R"({"tokens":[1,2]})", call.path == path ? 500 : 200);
        });
        settings_.url.clear();
        connect("llama-server");
        const auto outcome = run(text_request("Once"));
        ASSERT_TRUE(outcome.refused);
        EXPECT_EQ(outcome.refused->code, ErrorCode::RemoteLost);
        EXPECT_EQ(upstream_->calls(path).size(), 3u);
    }
}

TEST_F(SessionTest, EndOfFileWithoutAReasonIsALoss) {
    serve(openai([](const UpstreamCall&, const UpstreamServer::Answer& answer) {
        answer.head(200);
        answer.event(R"({"choices":[{"index":0,"delta":{"content":"Once "},"finish_reason":null}]})");
        answer.event("[DONE]");
    }));
    connect("openai");
    const auto outcome = run(chat_request("Tell."));
    ASSERT_TRUE(outcome.finished);
    EXPECT_EQ(outcome.finished->reason, FinishReason::Error);
    EXPECT_EQ(outcome.finished->code, ErrorCode::RemoteLost);
    EXPECT_EQ(outcome.text, "Once ");
}

TEST_F(SessionTest, ARawTextGoesOnBehindWhatWasDelivered) {
    serve(openai([this](const UpstreamCall& call, const UpstreamServer::Answer& answer) {
        answer.head(200);
        if (n_handled_++ == 0) return answer.event(R"({"choices":[{"text":"b","finish_reason":null}]})");
        EXPECT_NE(call.body.find(R"("prompt":"ab")"), std::string::npos) << call.body;
        answer.event(R"({"choices":[{"text":"c","finish_reason":"length"}]})");
    }));
    connect("openai");
    const auto outcome = run(text_request("a"));
    ASSERT_TRUE(outcome.finished && outcome.usage);
    EXPECT_EQ(outcome.text, "bc");
    EXPECT_EQ(outcome.finished->reason, FinishReason::Length);
    EXPECT_EQ(outcome.usage->resumed, 1u);
}

TEST_F(SessionTest, CutsAtStopStringsItself) {
    serve(openai([](const UpstreamCall&, const UpstreamServer::Answer& answer) {
        answer.head(200);
        answer.event(R"({"choices":[{"text":"one EN","finish_reason":null}]})");
        answer.event(R"({"choices":[{"text":"D two","finish_reason":null}]})");
        answer.hold();
    }));
    connect("openai");
    auto submit = text_request("a");
    submit.stops = {"END"};
    const auto outcome = run(submit);
    ASSERT_TRUE(outcome.finished);
    EXPECT_EQ(outcome.text, "one ");
    EXPECT_EQ(outcome.finished->reason, FinishReason::Stop);
}

TEST_F(SessionTest, CancelClosesTheConnection) {
    serve(openai([this](const UpstreamCall&, const UpstreamServer::Answer& answer) {
        answer.head(200);
        answer.event(R"({"choices":[{"text":"one","finish_reason":null}]})");
        answer.hold();
        has_gone_on_ = true;
    }));
    connect("openai");
    auto submit = text_request("a");
    submit.id = 7;
    say(submit);
    ASSERT_TRUE(wait_for<protocol::Accepted>());
    say(protocol::Cancel{7});
    for (int i = 0; i < 1000 && !has_gone_on_; ++i) ASSERT_TRUE(loop_.run_once(std::chrono::milliseconds(10)));
    EXPECT_TRUE(has_gone_on_);
}

TEST_F(SessionTest, RefusesWhatItCannotDo) {
    serve(openai([](const UpstreamCall&, const UpstreamServer::Answer& answer) { say_words(answer); }));
    connect("openai");
    auto tools = chat_request("a");
    tools.tools = "[]";
    auto ids = text_request("");
    ids.prompt_ids = {1};
    auto seeded = chat_request("a");
    seeded.sampling.temperature = 1;
    seeded.sampling.seed = uint64_t{1} << 31;
    for (const auto& submit : {tools, ids, seeded}) {
        const auto outcome = run(submit);
        ASSERT_TRUE(outcome.refused);
        EXPECT_EQ(outcome.refused->code, ErrorCode::NotSupported);
    }
}

TEST_F(SessionTest, ChecksTheAnswerAgainstItsSchema) {
    struct Row {
        const char* text;
        bool fits;
    };
    for (const Row& row : {Row{R"({\"a\": 1})", true}, Row{R"({\"b\": 1})", false}, Row{R"({\"a\": )", false}}) {
        SCOPED_TRACE(row.text);
        session_.reset();
        serve(openai([row](const UpstreamCall&, const UpstreamServer::Answer& answer) {
            answer.head(200);
            answer.event(
                base::concat(R"({"choices":[{"delta":{"content":")", row.text, R"("},"finish_reason":null}]})"));
            answer.event(R"({"choices":[{"delta":{},"finish_reason":"stop"}]})");
        }));
        settings_.url.clear();
        connect("openai");
        auto submit = chat_request("a");
        submit.json_schema =
            R"({"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false})";
        const auto outcome = run(submit);
        ASSERT_TRUE(outcome.finished);
        EXPECT_EQ(outcome.finished->reason, row.fits ? FinishReason::Stop : FinishReason::Error);
        EXPECT_EQ(outcome.finished->code, row.fits ? ErrorCode::Failed : ErrorCode::ConstraintFailed);
    }
}

TEST_F(SessionTest, AServerIsAskedToBeStrictOnlyWhereNothingOfTheSchemaIsLeftOut) {
    serve(openai([](const UpstreamCall&, const UpstreamServer::Answer& answer) {
        answer.head(200);
        answer.event(R"({"choices":[{"delta":{"content":"[1, 1]"},"finish_reason":null}]})");
        answer.event(R"({"choices":[{"delta":{},"finish_reason":"stop"}]})");
    }));
    connect("openai");
    auto submit = chat_request("a");
    submit.json_schema = R"({"type":"array","items":{"type":"integer"}})";
    EXPECT_TRUE(run(submit).accepted->notes.empty());
    submit.json_schema.insert(1, R"("uniqueItems":true,)");
    const auto loose = run(submit);
    ASSERT_TRUE(loose.finished);
    EXPECT_EQ(loose.finished->reason, FinishReason::Stop);
    ASSERT_EQ(loose.accepted->notes.size(), 1u);
    EXPECT_EQ(loose.accepted->notes[0].rfind(R"(json_schema: at "#": uniqueItems is supported if )", 0), 0u);
    submit.strict_schema = true;
    const auto strict = run(submit);
    ASSERT_TRUE(strict.refused);
    EXPECT_EQ(strict.refused->code, ErrorCode::InvalidArgument);
    const auto calls = upstream_->calls("/v1/chat/completions");
    ASSERT_EQ(calls.size(), 2u);
    EXPECT_NE(calls[0].body.find(R"("strict":true)"), std::string::npos) << calls[0].body;
    EXPECT_NE(calls[1].body.find(R"("strict":false)"), std::string::npos) << calls[1].body;
}

TEST_F(SessionTest, RefusesACompressedAnswer) {
    serve([](const UpstreamCall&, const UpstreamServer::Answer& answer) {
        answer.json(kModels, 200, "Content-Encoding: gzip\r\n");
    });
    open("openai");
    const auto failed = wait_for<protocol::LoadFailed>();
    ASSERT_TRUE(failed);
    EXPECT_EQ(failed->code, ErrorCode::RemoteRefused);
    EXPECT_NE(failed->message.find("compressed"), std::string::npos) << failed->message;
    EXPECT_EQ(upstream_->calls("/v1/models").size(), 1u);
}

TEST_F(SessionTest, SaysThatAHeadIsTooLong) {
    const std::string head = "X-Long: " + std::string(20u << 20, 'x') + "\r\n";
    serve([head](const UpstreamCall&, const UpstreamServer::Answer& answer) { answer.head(200, head); });
    open("openai");
    const auto failed = wait_for<protocol::LoadFailed>();
    EXPECT_TRUE(failed && failed->message.find("too l") != std::string::npos) << (failed ? failed->message : "");
}

TEST_F(SessionTest, EndsWithTheSocket) {
    serve(openai({}));
    connect("openai");
    peer_.reset();
    ASSERT_TRUE(loop_.run());
    EXPECT_EQ(session_->left(), remote::Session::Leave::PeerGone);
}

// A llama-server whose prompts have two ids, and whose answers go on: the id 100 + n is "w<n> ".
class IdsTest : public SessionTest {
protected:
    static constexpr size_t kPromptTokens = 2;
    static constexpr int kLast = 6;  // the text ends before this id

    void serve_ids() {
        serve([this](const UpstreamCall& call, const UpstreamServer::Answer& answer) {
            if (call.path == "/v1/models") return answer.json(kModels);
            if (call.path == "/props") return answer.json(R"({"build_info":"b1","total_slots":1})");
            if (call.path == "/apply-template") return answer.json(R"({"prompt":"<u>hi"})");
            if (call.path == "/tokenize") return answer.json(R"({"tokens":[1,2]})");
            if (call.path == "/detokenize") return answer.json(R"({"content":"w0 w1 "})");
            if (call.path == "/completion") return complete(call, answer);
            answer.json("{}", 404);
        });
    }

    void complete(const UpstreamCall& call, const UpstreamServer::Answer& answer) {
        const size_t open = call.body.find("\"prompt\":[");
        const std::string ids = call.body.substr(open, call.body.find(']', open) - open);
        const int n_before = static_cast<int>(std::count(ids.begin(), ids.end(), ',')) + 1 - int{kPromptTokens};
        const int fault = n_calls_++;
        answer.head(200);
        for (int n = n_before; n < kLast; ++n) {
            if (fault < n_faults_ && n == n_before + n_before_fault_) return;
            const std::string number = std::to_string(100 + n);
            answer.event(R"({"content":"w)" + std::to_string(n) + R"( ","tokens":[)" + number +
                         R"(],"stop":false,"tokens_predicted":)" + std::to_string(n - n_before + 1) + "}");
        }
        answer.event(R"({"content":"","tokens":[],"stop":true,"stop_type":"eos","tokens_predicted":7,)"
                     R"("tokens_evaluated":2,"timings":{"cache_n":1}})");
    }

    std::atomic<int> n_calls_{0};
    int n_faults_ = 0;        // calls that are cut
    int n_before_fault_ = 2;  // tokens before that
};

const std::vector<int32_t> kAllIds = {100, 101, 102, 103, 104, 105};
constexpr std::string_view kAllText = "w0 w1 w2 w3 w4 w5 ";

TEST_F(IdsTest, TellsIdsAndCounts) {
    serve_ids();
    connect("auto");
    EXPECT_EQ(ready_->device, "home: llama-server b1");
    const auto outcome = run(chat_request("hi"));
    ASSERT_TRUE(outcome.finished && outcome.accepted);
    EXPECT_EQ(outcome.accepted->prompt_tokens, kPromptTokens);
    EXPECT_EQ(outcome.ids, kAllIds);
    EXPECT_EQ(outcome.text, kAllText);
    EXPECT_EQ(outcome.usage->cached_tokens, 1u);
    EXPECT_EQ(outcome.usage->resumed, 0u);
}

TEST_F(IdsTest, ACutTextGoesOnFromItsIds) {
    n_faults_ = 2;
    serve_ids();
    connect("llama-server");
    auto submit = chat_request("hi");
    submit.sampling.temperature = 1;
    const auto outcome = run(submit);
    ASSERT_TRUE(outcome.finished && outcome.usage);
    EXPECT_EQ(outcome.finished->reason, FinishReason::Stop);
    EXPECT_EQ(outcome.ids, kAllIds);
    EXPECT_EQ(outcome.text, kAllText);
    EXPECT_EQ(outcome.usage->resumed, 2u);
    EXPECT_NE(upstream_->calls("/completion").at(1).body.find("\"prompt\":[1,2,100,101]"), std::string::npos);
    EXPECT_NE(upstream_->calls("/completion").at(1).body.find("\"n_predict\":6"), std::string::npos);
}

TEST_F(IdsTest, IsLostAfterTwoLossesWithoutAToken) {
    n_faults_ = 100;
    n_before_fault_ = 0;
    serve_ids();
    connect("llama-server");
    const auto outcome = run(chat_request("hi"));
    ASSERT_TRUE(outcome.refused);
    EXPECT_EQ(outcome.refused->code, ErrorCode::RemoteLost);
    EXPECT_EQ(n_calls_, 3);
}

TEST_F(IdsTest, IsNeverResumedWhereTheSettingsSaySo) {
    n_faults_ = 1;
    settings_.resume_seconds = 0;
    serve_ids();
    connect("llama-server");
    const auto outcome = run(chat_request("hi"));
    ASSERT_TRUE(outcome.finished);
    EXPECT_EQ(outcome.finished->code, ErrorCode::RemoteLost);
    EXPECT_EQ(outcome.text, "w0 w1 ");
}

TEST_F(IdsTest, GoesOnForALlmdRemoteBeforeIt) {
    serve_ids();
    connect("llama-server");
    auto submit = chat_request("hi");
    submit.replay_ids = {100, 101};
    submit.delivered_bytes = 4;  // "w0 w"
    const auto outcome = run(submit);
    ASSERT_TRUE(outcome.finished);
    EXPECT_EQ(outcome.text, "1 w2 w3 w4 w5 ");
    EXPECT_EQ(outcome.ids, std::vector<int32_t>(kAllIds.begin() + 2, kAllIds.end()));
}

TEST_F(IdsTest, APromptThatDoesNotFitIsRefusedBeforeTheCall) {
    serve_ids();
    connect("llama-server");
    auto submit = text_request("");
    submit.prompt_ids = std::vector<int32_t>(64, 5);
    const auto outcome = run(submit);
    ASSERT_TRUE(outcome.refused);
    EXPECT_EQ(outcome.refused->code, ErrorCode::ContextExceeded);
    EXPECT_EQ(outcome.refused->prompt_tokens, 64u);
    EXPECT_EQ(n_calls_, 0);
}

}  // namespace
}  // namespace llmd::test
