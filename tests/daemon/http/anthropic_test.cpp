// Anthropic's messages over a real socket, with an engine that the test plays.
#include "server_fixture.h"

namespace llmd::http::anthropic_test {
namespace {

using AnthropicTest = ServerTest;

TEST_F(AnthropicTest, AnswersAtOnceAndAsAStream) {
    const std::string body_of =
        R"({"max_tokens":9,"stop_sequences":["END"],"messages":[{"role":"user","content":"c"}])";
    const base::UniqueFd client = connect();
    write(client, post("/v1/messages", body_of + "}"));
    load_and_get_ready();
    EXPECT_EQ(expect_start(1).stops, std::vector<std::string>{"END"});
    token(1, 5, "It is");
    protocol::Finished finished{.id = 1, .message = {}, .parts = {}};
    finished.stop = "END";
    send(finished);
    const std::string whole = read(client);
    EXPECT_EQ(status(whole), 200);
    EXPECT_NE(whole.find(R"("content":[{"type":"text","text":"It is"}],"stop_reason":"stop_sequence",)"
                         R"("stop_sequence":"END","usage":{"input_tokens":3,)"),
              std::string::npos)
        << whole;

    write(client, post("/v1/messages", body_of + "}"));
    expect_start(2);
    finished.id = 2;
    finished.stop = "<|im_end|>";
    send(finished);
    EXPECT_NE(read(client).find(R"("stop_reason":"end_turn","stop_sequence":null)"), std::string::npos)
        << "of the template";

    write(client, post("/v1/messages", body_of + R"(,"stream":true})"));
    expect_start(3);
    const std::string begin = read(client);
    EXPECT_NE(begin.find("event: message_start\ndata: {"), std::string::npos) << begin;
    EXPECT_NE(begin.find(R"("usage":{"input_tokens":3,)"), std::string::npos) << "known when the engine has accepted";
    const size_t id = begin.find("msg_");
    const std::string name = begin.substr(id, begin.find('"', id) - id);
    EXPECT_EQ(status(ask(post("/v1/requests/" + name + "_0/cancel", ""))), 404) << "an item of a response";
    EXPECT_EQ(status(ask(post("/v1/requests/" + name + "/cancel", ""))), 200);
    EXPECT_NE(read(client).find("event: error\ndata: {"), std::string::npos);
}

TEST_F(AnthropicTest, CountsTokens) {
    const base::UniqueFd client = connect();
    write(client, post("/v1/messages/count_tokens", R"({"model":"a","messages":[{"role":"user","content":"hi"}]})"));
    load_and_get_ready();
    send(protocol::Rendered{engine().expect<protocol::Render>().id, "<user>hi</user>", 12});
    EXPECT_EQ(body(read(client)), R"({"input_tokens":12})");
}

TEST_F(AnthropicTest, ErrorsHaveTheirForm) {
    const auto type_of = [](const std::string& type) {
        return R"({"type":"error","error":{"type":")" + type + R"(","message":")";
    };
    const std::string wrong = ask(post("/v1/messages", "{}"));
    EXPECT_EQ(status(wrong), 400);
    EXPECT_EQ(body(wrong).rfind(type_of("invalid_request_error") + "messages: ", 0), 0u) << wrong;
    const std::string nobody =
        ask(post("/v1/messages", R"({"model":"none","messages":[{"role":"user","content":"c"}]})"));
    EXPECT_EQ(status(nobody), 404);
    EXPECT_EQ(body(nobody).rfind(type_of("not_found_error"), 0), 0u) << nobody;
    EXPECT_EQ(body(ask(post("/v1/messages/batches", "{}"))).rfind(type_of("not_found_error"), 0), 0u);
    const std::string got = ask(get("/v1/messages"));
    EXPECT_EQ(status(got), 405);
    EXPECT_NE(got.find("Allow: POST\r\n"), std::string::npos);
    EXPECT_EQ(body(got).rfind(type_of("invalid_request_error"), 0), 0u) << got;
    const std::string large = ask("POST /v1/messages HTTP/1.1\r\nHost: llmd\r\nContent-Length: 4194305\r\n\r\n");
    EXPECT_EQ(status(large), 413);
    EXPECT_NE(large.find(type_of("request_too_large")), std::string::npos) << large;
}

}  // namespace
}  // namespace llmd::http::anthropic_test
