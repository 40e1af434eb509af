// Calls of tools on their way into answers: the bytes of each format, and how a generation passes them on.
#include <algorithm>

#include "http/ollama_json.h"
#include "http/openai_json.h"
#include "server_fixture.h"

namespace llmd::http::calls_test {
namespace {

using Kind = protocol::AnswerPart::Kind;

AnswerHead head() {
    return {7, "tale", std::chrono::system_clock::time_point(std::chrono::seconds(1000))};
}
service::Outcome ended(service::Finish finish) {
    service::Outcome outcome;
    outcome.finish = finish;
    outcome.prompt_tokens = 5;
    outcome.generated_tokens = 1;
    outcome.thinking_tokens = 1;
    return outcome;
}
std::vector<api::AnswerCall> a_whole_and_a_cut_call() {
    return {{"call_a", "weather", "{\"city\":\n\"Ulm\"}"}, {"call_b", "clock", R"({"zo)", true}};
}

// --- The formats -----------------------------------------------------------------------------------------------------

std::unique_ptr<BodyFormat> openai_chat() {
    return make_openai_format(OpenAiKind::Chat, 1, true, std::nullopt, [] { return 512u; });
}

TEST(OpenAiCalls, AMessageHasThemAndNoContentWhereThereIsNoText) {
    const auto whole = [](const std::string& text, std::vector<api::AnswerCall> calls, service::Finish finish) {
        return openai_chat()->whole(head(), {{text, ended(finish), {}, {}, std::move(calls)}});
    };
    const std::string call =
        R"({"id":"call_a","type":"function","function":{"name":"weather","arguments":"{\"city\":\n\"Ulm\"}"}})";
    const std::string only = whole("", {a_whole_and_a_cut_call()[0]}, service::Finish::ToolCalls);
    EXPECT_NE(only.find(R"("message":{"role":"assistant","content":null,"tool_calls":[)" + call +
                        R"(]},"logprobs":null,"finish_reason":"tool_calls"}])"),
              std::string::npos)
        << only;
    EXPECT_NE(only.find(R"("completion_tokens_details":{"reasoning_tokens":1,)"), std::string::npos) << only;
    const std::string cut = whole("so", a_whole_and_a_cut_call(), service::Finish::Length);
    EXPECT_NE(cut.find(R"("message":{"role":"assistant","content":"so","tool_calls":[)" + call +
                       R"(,{"id":"call_b","type":"function","function":{"name":"clock","arguments":"{\"zo"}}]},)"
                       R"("logprobs":null,"finish_reason":"length"}])"),
              std::string::npos)
        << cut;
}

TEST(OpenAiCalls, AStreamHasTheNameFirstThenFragmentsOfTheArguments) {
    const auto stream = openai_chat();
    (void)stream->begin(head());
    const auto chunk = [](const std::string& call) {
        return R"(data: {"id":"chatcmpl-7","object":"chat.completion.chunk","created":1000,"model":"tale",)"
               R"("choices":[{"index":0,"delta":{"tool_calls":[)" +
               call + R"(]},"logprobs":null,"finish_reason":null}],"usage":null})" + "\n\n";
    };
    const api::AnswerCall call = a_whole_and_a_cut_call()[0];
    EXPECT_EQ(stream->call_begin(0, 1, call),
              chunk(R"({"index":1,"id":"call_a","type":"function","function":{"name":"weather","arguments":""}})"));
    EXPECT_EQ(stream->call_arguments(0, 1, R"({"city)"), chunk(R"({"index":1,"function":{"arguments":"{\"city"}})"));
    EXPECT_EQ(stream->call_end(0, 1, call), "");
    EXPECT_NE(stream->end_choice(0, ended(service::Finish::ToolCalls), {}).find(R"("finish_reason":"tool_calls")"),
              std::string::npos);
}

TEST(OllamaCalls, AreObjectsInALineOfTheirOwnAndTheCutOneIsNotTold) {
    const std::string begin = R"({"model":"tale","created_at":"1970-01-01T00:16:40.000000Z",)";
    const std::string call = R"({"function":{"index":0,"name":"weather","arguments":{"city": "Ulm"}}})";
    const auto calls = a_whole_and_a_cut_call();
    const auto stream = make_ollama_format(OllamaKind::Chat);
    (void)stream->begin(head());
    EXPECT_EQ(stream->call_begin(0, 0, calls[0]) + stream->call_arguments(0, 0, "{"), "");
    EXPECT_EQ(stream->call_end(0, 0, calls[0]), begin + R"("message":{"role":"assistant","content":"","tool_calls":[)" +
                                                    call + R"(]},"done":false})" + "\n");
    EXPECT_EQ(stream->call_end(0, 1, calls[1]), "");

    const auto whole = [](std::vector<api::AnswerCall> told, service::Finish finish) {
        return make_ollama_format(OllamaKind::Chat)->whole(head(), {{"", ended(finish), {}, "hm", std::move(told)}});
    };
    const std::string both = whole(calls, service::Finish::Length);
    EXPECT_EQ(both.rfind(begin + R"("message":{"role":"assistant","content":"","thinking":"hm","tool_calls":[)" + call +
                             R"(]},"done":true,"done_reason":"length",)",
                         0),
              0u)
        << both;
    EXPECT_NE(whole({calls[0]}, service::Finish::ToolCalls).find(R"("done_reason":"stop")"), std::string::npos);
    EXPECT_EQ(whole({calls[1]}, service::Finish::Length).find("tool_calls"), std::string::npos);
}

TEST(BareCalls, AreMarkedInTheBodyOfEachFormat) {
    service::Outcome outcome = ended(service::Finish::ToolCalls);
    outcome.notes = {"bare_calls: \"so\""};
    const std::string notes = R"("notes":["bare_calls: \"so\""])";
    const Choice choice{"", outcome, {}, {}, {a_whole_and_a_cut_call()[0]}};
    for (const bool is_ollama : {false, true}) {
        const auto format = [&] { return is_ollama ? make_ollama_format(OllamaKind::Chat) : openai_chat(); };
        EXPECT_NE(format()->whole(head(), {choice}).find(notes), std::string::npos);
        const auto stream = format();
        (void)stream->begin(head());
        EXPECT_NE(stream->end_choice(0, outcome, {}).find(notes), std::string::npos);
        EXPECT_EQ(stream->end_choice(0, ended(service::Finish::Stop), {}).find("notes"), std::string::npos);
    }
}

// The only token of an answer ends the prefill, and takes no time of its own.
TEST(OllamaCalls, WhatHasHappenedHasTakenTime) {
    const std::string one = make_ollama_format(OllamaKind::Chat)->whole(head(), {{"a", ended(service::Finish::Stop)}});
    EXPECT_NE(one.find(R"("total_duration":1,"load_duration":1,"prompt_eval_count":5,"prompt_eval_duration":1,)"
                       R"("eval_count":1,"eval_duration":1})"),
              std::string::npos)
        << one;
    service::Outcome nothing;
    const std::string none = make_ollama_format(OllamaKind::Chat)->whole(head(), {{"", nothing}});
    EXPECT_NE(none.find(R"("prompt_eval_duration":0,"eval_count":0,"eval_duration":0})"), std::string::npos) << none;
}

// --- The way
// -----------------------------------------------------------------------------------------------------------

class CallsTest : public ServerTest {
protected:
    base::UniqueFd ask_chat(const std::string& fields) {
        base::UniqueFd client = connect();
        write(client, post("/v1/chat/completions",
                           R"({"model":"a","messages":[{"role":"user","content":"Hi"}])" + fields + "}"));
        load_and_get_ready();
        EXPECT_EQ(engine().expect<protocol::Submit>().id, 1u);
        EXPECT_EQ(engine().expect<protocol::Start>().id, 1u);
        return client;
    }
    void part(Kind kind, const std::string& text = "", uint32_t call = 0) {
        protocol::Tokens tokens;
        tokens.id = 1;
        tokens.ids = {5};
        tokens.parts = {{kind, text, call}};
        tokens.bytes = text.size();
        send(tokens);
    }
    static std::string without_key(const std::string& json) {
        return std::regex_replace(json, std::regex("call_[0-9a-f]+_1_"), "call_KEY_");
    }
    // Returns only the deltas in the frames of a stream and how it ended.
    static std::string deltas(const std::string& frames) {
        const std::regex wanted(R"re("delta":(.*?),"logprobs":null,"finish_reason":(null|"\w+")\})re");
        std::string out;
        for (std::sregex_iterator it(frames.begin(), frames.end(), wanted), end; it != end; ++it) {
            out += (*it)[1].str() + ((*it)[2] == "null" ? "" : (*it)[2].str()) + "\n";
        }
        return without_key(out);
    }

    static constexpr const char* kFrames =
        R"({"role":"assistant","content":""})"
        "\n"
        R"({"reasoning_content":"hm"})"
        "\n"
        R"({"content":"so"})"
        "\n"
        R"({"tool_calls":[{"index":0,"id":"call_KEY_0","type":"function","function":{"name":"weather","arguments":""}}]})"
        "\n"
        R"({"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]})"
        "\n"
        R"({"content":"then"})"
        "\n"
        R"({"tool_calls":[{"index":1,"id":"call_KEY_1","type":"function","function":{"name":"clock","arguments":""}}]})"
        "\n"
        R"({"tool_calls":[{"index":1,"function":{"arguments":"{"}}]})"
        "\n"
        R"({"tool_calls":[{"index":1,"function":{"arguments":"}"}}]})"
        "\n";
    void tell_all() {
        part(Kind::Thinking, "hm");
        part(Kind::Text, "so");
        part(Kind::CallBegin, "weather", 0);
        part(Kind::CallArguments, "{}", 0);
        part(Kind::CallEnd, "", 0);
        part(Kind::Text, "then");
        part(Kind::CallBegin, "clock", 1);
        part(Kind::CallArguments, "{", 1);
        part(Kind::CallArguments, "}", 1);
        part(Kind::CallEnd, "", 1);
    }
};

TEST_F(CallsTest, PartsGoOutInTheirOrder) {
    const base::UniqueFd client = ask_chat(R"(,"stream":true)");
    send(protocol::Accepted{1, 3});
    tell_all();
    finish(1, protocol::FinishReason::ToolCalls);
    EXPECT_EQ(deltas(read(client)), std::string(kFrames) + "{}\"tool_calls\"\n");
}

// One of two choices has its calls before the engine has taken the other.
TEST_F(CallsTest, PartsThatCameBeforeTheStreamBeganKeepTheirOrder) {
    const base::UniqueFd client = connect();
    write(client, post("/v1/chat/completions",
                       R"({"model":"a","messages":[{"role":"user","content":"Hi"}],"stream":true,"n":2})"));
    load_and_get_ready();
    send(protocol::Accepted{1, 3});
    tell_all();
    EXPECT_EQ(read(client), "");
    send(protocol::Accepted{2, 3});
    const std::string frames = deltas(read(client));
    const std::string role = R"({"role":"assistant","content":""})";
    EXPECT_EQ(frames, role + "\n" + kFrames);
}

TEST_F(CallsTest, AWholeAnswerHasAllOfThem) {
    const base::UniqueFd client = ask_chat("");
    send(protocol::Accepted{1, 3});
    tell_all();
    finish(1, protocol::FinishReason::ToolCalls);
    const std::string reply = without_key(body(read(client)));
    EXPECT_NE(
        reply.find(
            R"("message":{"role":"assistant","content":"sothen","reasoning_content":"hm","tool_calls":[)"
            R"({"id":"call_KEY_0","type":"function","function":{"name":"weather","arguments":"{}"}},)"
            R"({"id":"call_KEY_1","type":"function","function":{"name":"clock","arguments":"{}"}}]},"logprobs":null,)"
            R"("finish_reason":"tool_calls"})"),
        std::string::npos)
        << reply;
    EXPECT_NE(reply.find(R"("reasoning_tokens":1,)"), std::string::npos) << reply;
}

TEST_F(CallsTest, AFailureAmidACallEndsTheStreamWithIt) {
    const base::UniqueFd client = ask_chat(R"(,"stream":true)");
    send(protocol::Accepted{1, 3});
    part(Kind::CallBegin, "weather");
    (void)read(client);
    EXPECT_EQ(status(ask(post("/v1/requests/resp_3e8_1/cancel", ""))), 200);
    const std::string rest = read(client);
    EXPECT_NE(rest.find(R"("name":"Cancelled")"), std::string::npos) << rest;
    EXPECT_EQ(rest.find("delta"), std::string::npos) << rest;
}

// --- Notes
// -------------------------------------------------------------------------------------------------------------

class NotesTest : public service::ServiceTest {
protected:
    std::vector<std::string> headers(bool stream) {
        auto exchange = std::make_shared<Exchange>(loop_, Exchange::Connection{[] {}, [] {}});
        ReplySink sink(exchange, openai_chat());
        api::Answer answer(*service_, sink, &sink.format(), stream ? api::AnswerMode::Stream : api::AnswerMode::Whole,
                           [] {});
        auto wanted = request();
        wanted.prompt.clear();
        wanted.messages = {{.content = "Hi"}};
        EXPECT_TRUE(answer.submit({wanted}, {"top_k: 1000 was brought to 256", "num_ctx: the context is 128"}));
        settle();
        load_and_get_ready();
        send(protocol::Accepted{answer.id(), 3, {"tools[0]: any JSON"}});
        expect_start(answer.id());
        finish(answer.id());
        std::vector<std::string> out;
        if (!exchange->answer()) return out;
        for (const auto& [name, value] : exchange->answer()->headers) out.push_back(std::string(name) + ": " + value);
        exchange->leave();
        return out;
    }
    const std::vector<std::string> kHeaders{"x-llmd-where: device", "x-llmd-note: top_k: 1000 was brought to 256",
                                            "x-llmd-note: num_ctx: the context is 128",
                                            "x-llmd-note: tools[0]: any JSON"};
};

TEST_F(NotesTest, AreHeadersOfAWholeAnswer) {
    EXPECT_EQ(headers(false), kHeaders);
}
TEST_F(NotesTest, AreHeadersOfAStream) {
    EXPECT_EQ(headers(true), kHeaders);
}

}  // namespace
}  // namespace llmd::http::calls_test
