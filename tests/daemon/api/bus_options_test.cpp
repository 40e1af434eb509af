#include "api/bus_options.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "api/fields.h"

namespace llmd::api {
namespace {

using base::ErrorCode;

constexpr int64_t kInt64Max = std::numeric_limits<int64_t>::max();
constexpr uint64_t kTwoTo63 = uint64_t{1} << 63;

// The message of a refused option.
std::string refusal(const std::string& key, base::Value value) {
    const auto parsed = read_call(base::Value::Object{{key, std::move(value)}}, kBus);
    if (parsed) return "accepted";
    EXPECT_EQ(parsed.error().code, ErrorCode::InvalidArgument);
    return parsed.error().message;
}

Call accepted(const base::Value::Object& options) {
    auto parsed = read_call(options, kBus);
    EXPECT_TRUE(parsed) << parsed.error().message;
    return parsed ? *parsed : Call{};
}

TEST(Options, NoneGivesTheDefaults) {
    const Call options = accepted({});
    EXPECT_EQ(options.request.max_tokens, service::GenerateRequest::kDefaultMaxTokens);
    EXPECT_EQ(options.request.sampling.temperature, 0.8f);
    EXPECT_FALSE(options.request.sampling.seed);
    EXPECT_FALSE(options.request.deadline);
    EXPECT_EQ(options.request.priority, service::Priority::Normal);
    EXPECT_EQ(options.delivery, TextDelivery::Pipe);
    EXPECT_EQ(options.format, PipeFormat::JsonLines);
    EXPECT_TRUE(options.handle_token.empty());
}

TEST(Options, EveryOneReachesItsField) {
    const std::vector<std::string> stops{"\n\n", "END"};
    const Call options = accepted({{"handle_token", std::string("t_1")},
                                   {"model", std::string("tales")},
                                   {"max_tokens", int64_t{7}},
                                   {"temperature", 1.5},
                                   {"top_k", int64_t{3}},
                                   {"top_p", 0.5},
                                   {"min_p", 0.25},
                                   {"repeat_penalty", 1.25},
                                   {"seed", kTwoTo63},
                                   {"stop", stops},
                                   {"priority", std::string("background")},
                                   {"deadline_ms", int64_t{1500}},
                                   {"delivery", std::string("signals")},
                                   {"format", std::string("text")},
                                   {"echo", true}});
    const auto& request = options.request;
    EXPECT_EQ(options.handle_token, "t_1");
    EXPECT_EQ(request.model, "tales");
    EXPECT_EQ(request.max_tokens, 7u);
    EXPECT_EQ(request.sampling.temperature, 1.5f);
    EXPECT_EQ(request.sampling.top_k, 3u);
    EXPECT_EQ(request.sampling.top_p, 0.5f);
    EXPECT_EQ(request.sampling.min_p, 0.25f);
    EXPECT_EQ(request.sampling.repeat_penalty, 1.25f);
    EXPECT_EQ(request.sampling.seed, kTwoTo63);
    EXPECT_EQ(request.stops, stops);
    EXPECT_EQ(request.priority, service::Priority::Background);
    EXPECT_EQ(request.deadline, std::chrono::milliseconds(1500));
    EXPECT_EQ(options.delivery, TextDelivery::Signals);
    EXPECT_EQ(options.format, PipeFormat::Text);
    EXPECT_TRUE(request.echo);
}

TEST(Options, AnyIntegerTypeWillDoWhoseValueFits) {
    EXPECT_EQ(accepted({{"max_tokens", uint64_t{5}}}).request.max_tokens, 5u);
    EXPECT_EQ(accepted({{"max_tokens", int64_t{1} << 20}}).request.max_tokens, 1u << 20);
    EXPECT_EQ(accepted({{"seed", int64_t{5}}}).request.sampling.seed, 5u);
    EXPECT_EQ(accepted({{"top_k", int64_t{0}}}).request.sampling.top_k, 0u);
}

TEST(Options, OutOfRangeNamesKeyAndValue) {
    EXPECT_EQ(refusal("max_tokens", int64_t{-2}), "max_tokens: expected an integer from 0 to 1048576, got -2");
    EXPECT_EQ(refusal("max_tokens", kTwoTo63),
              "max_tokens: expected an integer from 0 to 1048576, got 9223372036854775808");
    EXPECT_EQ(refusal("max_tokens", kInt64Max),
              "max_tokens: expected an integer from 0 to 1048576, got 9223372036854775807");
    EXPECT_EQ(refusal("deadline_ms", int64_t{0}), "deadline_ms: expected an integer from 1 to 86400000, got 0");
    EXPECT_EQ(refusal("temperature", std::nan("")), "temperature: expected a number from 0 to 10, got nan");
    EXPECT_EQ(refusal("temperature", -0.5), "temperature: expected a number from 0 to 10, got -0.5");
    EXPECT_EQ(refusal("top_p", 1.0000001), "top_p: expected a number from 0 to 1, got 1.0000001");
    EXPECT_EQ(refusal("min_p", HUGE_VAL), "min_p: expected a number from 0 to 1, got inf");
    EXPECT_EQ(refusal("repeat_penalty", 0.0), "repeat_penalty: expected a number from 0.01 to 10, got 0");
    EXPECT_EQ(refusal("priority", std::string("now")), "priority: \"now\" is none of interactive, normal, background");
    EXPECT_EQ(refusal("delivery", std::string("FD")), "delivery: \"FD\" is none of fd, signals");
    EXPECT_EQ(refusal("format", std::string()), "format: \"\" is none of ndjson, text");
}

TEST(Options, WrongTypeNamesKeyAndValue) {
    EXPECT_EQ(refusal("max_tokens", std::string("5")),
              "max_tokens: expected an integer from 0 to 1048576, got a string of 1 bytes");
    EXPECT_EQ(refusal("max_tokens", 5.5), "max_tokens: expected an integer from 0 to 1048576, got 5.5");
    EXPECT_EQ(refusal("echo", int64_t{1}), "echo: expected true or false, got 1");
    EXPECT_EQ(refusal("model", true), "model: expected a string, got true");
    EXPECT_EQ(refusal("stop", base::Value::Other{"av"}),
              "stop: expected a string or an array of strings, got a value of D-Bus type \"av\"");
    EXPECT_EQ(refusal("handle_token", int64_t{1}), "handle_token: expected a string, got 1");
    EXPECT_EQ(refusal("format", int64_t{1}), "format: expected a string, got 1");
}

TEST(Options, ANumberMayBeWritten) {
    EXPECT_EQ(accepted({{"temperature", int64_t{1}}}).request.sampling.temperature, 1);
    EXPECT_EQ(accepted({{"max_tokens", int64_t{-1}}}).request.max_tokens, service::RequestLimits::kMaxTokens);
    EXPECT_EQ(accepted({{"max_tokens", int64_t{0}}}).request.max_tokens, 0u);
    EXPECT_FALSE(accepted({{"seed", int64_t{-1}}}).request.sampling.seed);
}

TEST(Options, StopStringsAreCountedAndMeasuredButNeverRepeated) {
    EXPECT_EQ(refusal("stop", std::vector<std::string>(10'000, "x")), "stop: 10000 strings are more than 16");
    EXPECT_EQ(refusal("stop", std::vector<std::string>{"a", ""}), "stop: string 1 has 0 bytes, not 1 to 256");
    EXPECT_EQ(refusal("stop", std::vector<std::string>{std::string(257, 'q')}),
              "stop: string 0 has 257 bytes, not 1 to 256");
    EXPECT_EQ(accepted({{"stop", std::vector<std::string>(16, std::string(256, 'q'))}}).request.stops.size(), 16u);
    EXPECT_TRUE(accepted({{"stop", std::vector<std::string>{}}}).request.stops.empty());
}

TEST(Options, HandleTokenIsOnePathElement) {
    EXPECT_EQ(accepted({{"handle_token", std::string(64, 'a')}}).handle_token.size(), 64u);
    for (const std::string token : {"", "a/b", "a-b", "a.b", "\xc3\xa4", "a b", "a\n"}) {
        EXPECT_NE(refusal("handle_token", token).find("is not a string of 1 to 64 characters A-Z a-z 0-9 _"),
                  std::string::npos)
            << token;
    }
    EXPECT_NE(refusal("handle_token", std::string(65, 'a')), "accepted");
}

TEST(Options, ModelIsANameAndNeverAPath) {
    EXPECT_NE(refusal("model", std::string("/etc/passwd")).find("only Admin.LoadModel takes a path"),
              std::string::npos);
    EXPECT_NE(refusal("model", std::string("../secret")), "accepted");
    EXPECT_EQ(refusal("model", std::string()),
              "model: \"\" is not a name from ListModels; only Admin.LoadModel takes a path");
}

TEST(Options, FallbackIsAListOfNames) {
    using Names = std::vector<std::string>;
    EXPECT_EQ(accepted({{"fallback", Names{"a@home", "b:latest"}}}).request.fallback, (Names{"a@home", "b:latest"}));
    EXPECT_EQ(refusal("fallback", Names{"a", "/etc/passwd"}),
              "fallback[1]: \"/etc/passwd\" is not the name of a model");
    EXPECT_EQ(refusal("fallback", std::string("a")),
              "fallback: expected an array of names of models, got a string of 1 bytes");
}

TEST(Options, ASchemaIsTextOfALimitedSize) {
    EXPECT_EQ(accepted({{"json_schema", std::string("{}")}}).request.json_schema, "{}");
    EXPECT_EQ(accepted({}).request.json_schema, "");
    EXPECT_EQ(accepted({{"json_schema", std::string(64u << 10, ' ')}}).request.json_schema.size(), 64u << 10);
    EXPECT_EQ(refusal("json_schema", std::string()), "json_schema: a schema of 0 bytes, must be 1 to 65536");
    EXPECT_EQ(refusal("json_schema", std::string((64u << 10) + 1, ' ')),
              "json_schema: a schema of 65537 bytes, must be 1 to 65536");
    EXPECT_NE(refusal("json_schema", int64_t{1}).find("expected a JSON schema"), std::string::npos);
}

TEST(Options, ARegexAndChoicesAreTextsOfALimitedSize) {
    using Texts = std::vector<std::string>;
    EXPECT_EQ(accepted({{"regex", std::string("a+")}}).request.regex, "a+");
    EXPECT_EQ(accepted({{"choices", Texts{"a", ""}}}).request.choices, (Texts{"a", ""}));
    EXPECT_EQ(refusal("regex", std::string()), "regex: a regular expression of 0 bytes, must be 1 to 65536");
    EXPECT_EQ(refusal("choices", Texts{}), "choices: 0 texts, must be 1 to 10000");
    EXPECT_EQ(refusal("choices", Texts(2, std::string(128u << 10, 'a'))),
              "choices: 262144 bytes of texts are more than 131072");
}

TEST(Options, UnknownKeysAreIgnored) {
    EXPECT_EQ(accepted({{"colour", base::Value::Other{"(ii)"}}, {"", int64_t{1}}, {"max_tokens", int64_t{9}}})
                  .request.max_tokens,
              9u);
}

TEST(Options, LongValuesAreCutInMessages) {
    EXPECT_LT(refusal("priority", std::string(1 << 20, 'p')).size(), 200u);
    EXPECT_EQ(refusal("priority", std::string("a\nb")).find('\n'), std::string::npos);
}

base::Value::Object message(const std::string& role, const std::string& content) {
    return {{"role", role}, {"content", content}};
}

// The message of refused messages.
std::string refusal_of(base::Value::Array messages, Call options = {}) {
    const auto taken = take_messages(options, std::move(messages));
    return taken ? "accepted" : taken.error().message;
}

TEST(Messages, BecomeTheConversation) {
    Call options;
    ASSERT_TRUE(take_messages(options, {message("system", "s"), message("user", ""), message("assistant", "a")}));
    const auto& messages = options.request.messages;
    ASSERT_EQ(messages.size(), 3u);
    EXPECT_EQ(messages[0].role, protocol::ChatMessage::Role::System);
    EXPECT_EQ(messages[1].role, protocol::ChatMessage::Role::User);
    EXPECT_EQ(messages[2].role, protocol::ChatMessage::Role::Assistant);
    EXPECT_EQ(messages[2].content, "a");
    EXPECT_TRUE(options.request.prompt.empty());
}

TEST(Messages, AreRefusedByPlaceAndField) {
    const base::Value::Object good = message("user", "secret");
    EXPECT_EQ(refusal_of({}), "messages: there is none");
    EXPECT_EQ(refusal_of({good, base::Value::Object{{"content", std::string("secret")}}}),
              "messages[1].role: it is missing");
    EXPECT_EQ(refusal_of({base::Value::Object{{"role", std::string("user")}}}), "messages[0].content: it is missing");
    EXPECT_EQ(refusal_of({message("robot", "secret")}),
              "messages[0].role: \"robot\" is none of system, user, assistant, tool");
    EXPECT_EQ(refusal_of({base::Value::Object{{"role", int64_t{1}}, {"content", std::string("secret")}}}),
              "messages[0].role: expected a string, got 1");
    EXPECT_EQ(refusal_of({base::Value::Object{{"role", std::string("user")}, {"content", base::Value::Other{"ay"}}}}),
              "messages[0].content: expected a string or an array of parts, got a value of D-Bus type \"ay\"");
    const base::Value::Array many(service::RequestLimits::kMaxMessages, good);
    EXPECT_EQ(refusal_of(many), "accepted");
    EXPECT_EQ(refusal_of(many, accepted({{"system", std::string("s")}})), "messages: 1024 are more than 1023");
    EXPECT_EQ(refusal_of({good}, accepted({{"echo", true}})), "echo: not with a conversation");
}

TEST(Messages, AreLimitedLikeAPrompt) {
    const size_t most = service::RequestLimits::kMaxPromptBytes;
    EXPECT_EQ(refusal_of({message("user", std::string(most - 1, 'x')), message("assistant", "y")}), "accepted");
    EXPECT_EQ(refusal_of({message("user", std::string(most, 'x')), message("assistant", "y")}),
              "messages: 65537 bytes are more than 65536");
    Call options;
    EXPECT_TRUE(take_prompt(options, std::string(most, 'x')));
    const auto taken = take_prompt(options, std::string(most + 1, 'x'));
    EXPECT_EQ(taken.error().code, ErrorCode::PromptTooLong);
    EXPECT_EQ(taken.error().message, "prompt: 65537 bytes are more than 65536");
}

TEST(System, MakesAConversationAndStandsInFrontOfOne) {
    Call options = accepted({{"system", std::string("s")}});
    ASSERT_TRUE(take_prompt(options, "p"));
    ASSERT_EQ(options.request.messages.size(), 2u);
    EXPECT_EQ(options.request.messages[0].content, "s");
    EXPECT_EQ(options.request.messages[1].role, protocol::ChatMessage::Role::User);
    EXPECT_TRUE(options.request.prompt.empty());

    options = accepted({{"system", std::string()}});
    ASSERT_TRUE(take_messages(options, {message("user", "p")}));
    EXPECT_EQ(options.request.messages[0].role, protocol::ChatMessage::Role::System);
    EXPECT_EQ(refusal_of({message("system", "t")}, accepted({{"system", std::string("s")}})),
              "system: the messages begin with one already");
    EXPECT_EQ(refusal("system", int64_t{1}), "system: expected a string, got 1");

    options = accepted({});
    ASSERT_TRUE(take_prompt(options, "p"));
    EXPECT_TRUE(options.request.messages.empty());
    EXPECT_EQ(options.request.prompt, "p");
}

TEST(OwnCall, HasAPromptOrMessagesBesideItsOptions) {
    const auto asked = read_own_call(R"({"prompt":"p","max_tokens":3,"system":"s"})");
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->request.max_tokens, 3u);
    EXPECT_EQ(asked->request.messages.size(), 2u);
    EXPECT_EQ(read_own_call(R"({"messages":[{"role":"user","content":"p"}]})")->request.messages.size(), 1u);
    EXPECT_TRUE(read_own_call(R"({"prompt":")" + std::string(kMostBytes + 1, 'x') + R"("})")) << "no bus limits it";
    const auto refused = [](std::string_view body) { return read_own_call(body).error().message; };
    EXPECT_EQ(refused(R"({"prompt":"p","messages":[]})"), "prompt: not with messages");
    EXPECT_EQ(refused(R"({"prompt":3})"), "prompt: expected a string, got 3");
    EXPECT_EQ(refused(R"({"messages":[]})"), "messages: there is none");
    EXPECT_EQ(refused(R"({"messages":["p"]})"), "messages[0]: expected an object, got a string of 1 bytes");
    EXPECT_EQ(refused(R"({"prompt":"p","top_p":2})"), "top_p: expected a number from 0 to 1, got 2");
    EXPECT_EQ(refused("[]"), "body: not a JSON object");
}

TEST(OwnEmbedding, HasInputsBesideItsOptions) {
    EXPECT_EQ(read_own_embedding(R"({"inputs":["a","b"],"model":"m"})")->request.inputs.size(), 2u);
    const auto refused = [](std::string_view body) { return read_own_embedding(body).error().message; };
    EXPECT_EQ(refused("{}"), "inputs: there is none");
    EXPECT_EQ(refused(R"({"inputs":["a"],"system":"s"})"), "system: not with an embedding");
    EXPECT_EQ(refused(R"({"inputs":7})").substr(0, 8), "inputs: ");
    std::string many = R"({"inputs":["a")";
    for (size_t i = 0; i < service::RequestLimits::kMaxBusInputs; ++i) many += R"(,"a")";
    EXPECT_EQ(refused(many + "]}"), "inputs: 1025 are more than 1024");
}

TEST(ModelOption, StandsAlone) {
    EXPECT_EQ(*parse_model_option({}), "");
    EXPECT_EQ(*parse_model_option({{"model", std::string("m")}, {"max_tokens", int64_t{-1}}}), "m");
    EXPECT_FALSE(parse_model_option({{"model", int64_t{3}}}));
}

TEST(Priority, IsParsedByName) {
    EXPECT_EQ(*parse_priority("interactive"), service::Priority::Interactive);
    EXPECT_EQ(parse_priority("now").error().message, "priority: \"now\" is none of interactive, normal, background");
}

}  // namespace
}  // namespace llmd::api
