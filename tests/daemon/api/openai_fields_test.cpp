// Bodies, well-formed and hostile, become calls: every field in its limits, or refused by name.
#include <gtest/gtest.h>

#include "api/fields.h"
#include "base/value.h"
#include "calls.h"

namespace llmd::api {
namespace {

using protocol::ChatMessage;
using service::RequestLimits;

std::string repeated(const std::string& text, size_t n) {
    std::string out;
    for (size_t i = 0; i < n; ++i) out += text;
    return out;
}

std::string with(const std::string& fields) {
    return R"({"prompt":"p")" + (fields.empty() ? "" : "," + fields) + "}";
}

// A call with the requests that it makes.
struct Parsed : Call {
    std::vector<service::GenerateRequest> requests;
};

base::Result<Parsed> parse(std::string_view body, Dialect dialect) {
    auto call = read_call(body, dialect);
    if (!call) return call.error();
    Parsed parsed{std::move(*call), {}};
    parsed.requests = choices_of(parsed);
    return parsed;
}
base::Result<Parsed> parse_completion(std::string_view body) {
    return parse(body, kCompletion);
}
base::Result<Parsed> parse_chat_completion(std::string_view body) {
    return parse(body, kChat);
}

Parsed accepted(const base::Result<Parsed>& call) {
    EXPECT_TRUE(call) << call.error().message;
    return call ? *call : Parsed{{}, {{}}};
}

// The message of a refusal, which must be one clean line.
std::string refused(const base::Result<Parsed>& call) {
    EXPECT_FALSE(call);
    if (call) return {};
    EXPECT_EQ(call.error().code, base::ErrorCode::InvalidArgument);
    for (const char c : call.error().message) EXPECT_GE(static_cast<unsigned char>(c), 0x20);
    EXPECT_LT(call.error().message.size(), 300u);
    return call.error().message;
}
std::string refused(const std::string& fields) {
    return refused(parse_completion(with(fields)));
}
std::string refused_chat(const std::string& fields) {
    return refused(parse_chat_completion(R"({"messages":[{"role":"user","content":"c"}],)" + fields + "}"));
}

TEST(Completion, TakesEveryField) {
    const Parsed call = accepted(parse_completion(
        R"({"prompt":"Once","model":"m:latest","max_tokens":7,"temperature":1,"top_p":0.5,"top_k":3,"min_p":0.25,)"
        R"("repeat_penalty":1.5,"seed":18446744073709551615,"stop":["a","b"],"stream":true,"echo":true,"n":1,)"
        R"("best_of":1,"stream_options":{"include_usage":true},"priority":"background","user":"ignored","suffix":null,)"
        R"("presence_penalty":0,"frequency_penalty":0.0,"logit_bias":{},"logprobs":null,"deadline_ms":500})"));
    const service::GenerateRequest& request = call.requests.front();
    EXPECT_EQ(request.prompt, "Once");
    EXPECT_EQ(request.model, "m");
    EXPECT_EQ(request.max_tokens, 7u);
    EXPECT_EQ(request.sampling.temperature, 1);
    EXPECT_EQ(request.sampling.top_p, 0.5f);
    EXPECT_EQ(request.sampling.top_k, 3u);
    EXPECT_EQ(request.sampling.min_p, 0.25f);
    EXPECT_EQ(request.sampling.repeat_penalty, 1.5f);
    EXPECT_EQ(request.sampling.seed, 18446744073709551615u);
    EXPECT_EQ(request.stops, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(request.priority, service::Priority::Background);
    EXPECT_EQ(request.deadline, std::chrono::milliseconds(500));
    EXPECT_TRUE(request.echo && call.stream && call.include_usage);
    EXPECT_TRUE(service::check(request));
}

TEST(Completion, WhatIsAbsentOrNullHasTheServicesDefault) {
    for (const char* fields : {"", R"("temperature":null,"stop":null,"seed":null,"stream":null)"}) {
        const Parsed call = accepted(parse_completion(with(fields)));
        EXPECT_EQ(call.requests.front().max_tokens, service::GenerateRequest::kDefaultMaxTokens);
        EXPECT_EQ(call.requests.front().sampling.temperature, service::kDefaultSampling.temperature);
        EXPECT_EQ(call.requests.front().priority, service::Priority::Normal);
        EXPECT_FALSE(call.requests.front().sampling.seed || call.stream || call.include_usage ||
                     call.requests.front().echo);
        EXPECT_TRUE(call.requests.front().stops.empty() && call.requests.front().model.empty() &&
                    call.requests.front().messages.empty());
    }
}

TEST(Completion, ThePromptIsAStringOrAnArrayOfSome) {
    EXPECT_EQ(accepted(parse_completion(R"({"prompt":["one"]})")).requests.front().prompt, "one");
    EXPECT_EQ(accepted(parse_completion(R"({"prompt":"a\u0000b\ud83d\ude00"})")).requests.front().prompt,
              std::string("a\0b\U0001F600", 7));
    for (const auto& [prompt, field] : {std::pair("[]", "prompt: "),
                                        {R"(["a",null])", "prompt[1]: "},
                                        {R"(["a",1])", "prompt[1]: "},
                                        {R"(["a","b",[1]])", "prompt[2]: "},
                                        {"1", "prompt: "},
                                        {"{}", "prompt: "},
                                        {"true", "prompt: "}}) {
        EXPECT_EQ(refused(parse_completion(std::string(R"({"prompt":)") + prompt + "}")).rfind(field, 0), 0u) << prompt;
    }
    EXPECT_EQ(refused(parse_completion("{}")), "prompt: it is missing");
}

TEST(Completion, ThePromptIsAnArrayOfTokenIdsOrOfSuchArrays) {
    const Parsed one = accepted(parse_completion(R"({"prompt":[1,2,3.0],"n":2})"));
    ASSERT_EQ(one.requests.size(), 2u);
    for (const auto& request : one.requests) {
        EXPECT_EQ(request.prompt_ids, (std::vector<int32_t>{1, 2, 3}));
        EXPECT_TRUE(service::check(request));
    }
    const Parsed two = accepted(parse_completion(R"({"prompt":[[1,2],[2147483647]]})"));
    ASSERT_EQ(two.requests.size(), 2u);
    EXPECT_EQ(two.requests[0].prompt_ids, (std::vector<int32_t>{1, 2}));
    EXPECT_EQ(two.requests[1].prompt_ids, std::vector<int32_t>{2147483647});
    const auto refused_prompt = [](const std::string& prompt) {
        return refused(parse_completion(R"({"prompt":)" + prompt + "}"));
    };
    EXPECT_EQ(refused_prompt("[1,-1]"), "prompt[1]: expected an integer from 0 to 2147483647, got -1");
    EXPECT_EQ(refused_prompt("[2147483648]"), "prompt[0]: expected an integer from 0 to 2147483647, got 2147483648");
    EXPECT_EQ(refused_prompt(R"([1,"a"])"),
              "prompt[1]: expected an integer from 0 to 2147483647, got a string of 1 bytes");
    EXPECT_EQ(refused_prompt("[1,[2]]"), "prompt[1]: expected an integer from 0 to 2147483647, got an array of 1");
    EXPECT_EQ(refused_prompt("[null]"), "prompt[0]: expected an integer from 0 to 2147483647, got null");
    EXPECT_EQ(refused_prompt("[[1],[2,1.5]]"), "prompt[1][1]: expected an integer from 0 to 2147483647, got 1.5");
    EXPECT_EQ(refused_prompt("[[1],2]"), "prompt[1]: expected an array, got 2");
    EXPECT_EQ(refused_prompt(R"([[1],"a"])"), "prompt[1]: expected an array, got a string of 1 bytes");
    EXPECT_EQ(refused_prompt("[[1],[]]"), "prompt[1]: an array of no tokens");
    EXPECT_EQ(refused_prompt("[[1],[2],[3],[4],[5],[6],[7],[8],[9]]"), "prompt: 9 prompts, must be 1 to 8");
    EXPECT_EQ(refused(parse_completion(R"({"prompt":[1],"echo":true})")),
              "echo: is not offered for a prompt of token ids");
}

TEST(Logprobs, AreANumberInACompletionAndAFlagWithANumberInAChat) {
    for (const auto& [fields, wanted] :
         {std::pair(R"("logprobs":0)", std::optional(0u)), std::pair(R"("logprobs":20)", std::optional(20u)),
          std::pair(R"("logprobs":null)", std::optional<uint32_t>()),
          std::pair(R"("logprobs":false)", std::optional<uint32_t>())}) {
        EXPECT_EQ(accepted(parse_completion(with(fields))).requests.front().top_logprobs, wanted);
    }
    EXPECT_EQ(refused(R"("logprobs":21)"), "logprobs: expected an integer from 0 to 20, got 21");
    EXPECT_EQ(refused(R"("logprobs":true)"), "logprobs: expected an integer from 0 to 20, got true");
    EXPECT_EQ(refused(R"("logprobs":1,"echo":true)"), "echo: is not offered together with logprobs");

    const auto of_chat = [](const std::string& fields) {
        const auto call =
            accepted(parse_chat_completion(R"({"messages":[{"role":"user","content":"c"}],"n":2,)" + fields + "}"));
        EXPECT_EQ(call.requests.front().top_logprobs, call.requests.back().top_logprobs);
        EXPECT_TRUE(service::check(call.requests.front()));
        return call.requests.front().top_logprobs;
    };
    EXPECT_EQ(of_chat(R"("logprobs":true)"), 0u);
    EXPECT_EQ(of_chat(R"("logprobs":true,"top_logprobs":20)"), 20u);
    EXPECT_EQ(of_chat(R"("logprobs":true,"top_logprobs":3,"response_format":{"type":"json_object"})"), 3u);
    EXPECT_EQ(of_chat(R"("logprobs":false,"top_logprobs":0)"), std::nullopt);
    EXPECT_EQ(refused_chat(R"("top_logprobs":2)"), "top_logprobs: 2 is only offered where logprobs is true");
    EXPECT_EQ(refused_chat(R"("logprobs":true,"top_logprobs":21)"),
              "top_logprobs: expected an integer from 0 to 20, got 21");
    EXPECT_EQ(refused_chat(R"("logprobs":1)"), "logprobs: expected true or false, got 1");
}

TEST(Completion, SentinelsMeanWhatTheyMeanElsewhere) {
    const auto sampling = [](const std::string& fields) {
        return accepted(parse_completion(with(fields))).requests.front().sampling;
    };
    EXPECT_FALSE(sampling(R"("seed":-1)").seed);
    EXPECT_FALSE(sampling(R"("seed":-2)").seed);
    EXPECT_EQ(sampling(R"("top_k":-1)").top_k, 0u);
    EXPECT_EQ(sampling(R"("repeat_last_n":-1)").repeat_last_n, -1);
    const auto max_tokens = [](const std::string& fields) {
        return accepted(parse_completion(with(fields))).requests.front().max_tokens;
    };
    for (const char* field :
         {R"("max_tokens":null)", R"("max_tokens":-1)", R"("max_tokens":-1.0)", R"("n_predict":-1)"}) {
        EXPECT_EQ(max_tokens(field), RequestLimits::kMaxTokens) << field;
    }
    EXPECT_EQ(max_tokens(R"("max_tokens":50,"n_predict":null)"), 50u) << "another name of it says more";
    EXPECT_EQ(max_tokens(R"("max_tokens":null,"n_predict":50)"), 50u);
    EXPECT_EQ(max_tokens(R"("max_tokens":0)"), 0u);
    EXPECT_EQ(max_tokens(R"("max_tokens":3,"n_predict":5)"), 5u);
    EXPECT_EQ(refused(R"("max_tokens":-2)"), "max_tokens: expected an integer from 0 to 1048576, got -2");
}

TEST(Completion, WhatIsBroughtIntoRangeIsTold) {
    const Parsed call = accepted(parse_completion(with(R"("top_k":1000)")));
    EXPECT_EQ(call.request.sampling.top_k, RequestLimits::kMaxTopK);
    EXPECT_EQ(call.notes, std::vector<std::string>{"top_k: 1000 is taken as 256"});
    EXPECT_TRUE(accepted(parse_completion(with(R"("top_k":256)"))).notes.empty());
}

TEST(Completion, BiasesAreOfTokenIds) {
    using Biases = std::vector<protocol::LogitBias>;
    const auto biases = [](const std::string& value) {
        return accepted(parse_completion(with("\"logit_bias\":" + value))).request.sampling.logit_bias;
    };
    EXPECT_EQ(biases(R"({"15":-100,"7":0.5})"), (Biases{{15, -100.f}, {7, 0.5f}}));
    EXPECT_EQ(biases(R"([[15,false],[7,2]])"), (Biases{{15, -100.f}, {7, 2.f}}));
    EXPECT_EQ(refused(R"("logit_bias":{"x":1})"),
              "logit_bias[0].id: expected an integer from 0 to 2147483647, got a string of 1 bytes");
    EXPECT_EQ(refused(R"("logit_bias":{"1":101})"), "logit_bias[0].bias: expected a number from -100 to 100, got 101");
    EXPECT_EQ(refused(R"("logit_bias":[[1]])"),
              "logit_bias: expected pairs of a token id and a bias, got an array of 1");
    EXPECT_EQ(refused(R"("logit_bias":3)"), "logit_bias: expected an object of token ids, got 3");
    EXPECT_EQ(refused(R"("logit_bias":[)" + repeated("[1,1],", 300) + "[1,1]]"), "logit_bias: 301 are more than 300");
}

// Returns what differs between the choices of a call.
std::vector<std::pair<std::string, uint64_t>> prompts_and_seeds(const Parsed& call) {
    std::vector<std::pair<std::string, uint64_t>> out;
    for (const auto& request : call.requests) out.emplace_back(request.prompt, request.sampling.seed.value_or(0));
    return out;
}

TEST(Choices, AreAllAnswersToEachPromptInTurn) {
    const Parsed call =
        accepted(parse_completion(R"({"prompt":["a","b"],"n":2,"best_of":2,"seed":7,"max_tokens":3,"echo":true})"));
    EXPECT_EQ(call.n, 2u);
    EXPECT_EQ(prompts_and_seeds(call),
              (std::vector<std::pair<std::string, uint64_t>>{{"a", 7}, {"a", 8}, {"b", 7}, {"b", 8}}));
    for (const auto& request : call.requests) EXPECT_TRUE(request.max_tokens == 3 && request.echo);
    EXPECT_EQ(accepted(parse_completion(R"({"prompt":["a","b","c","d","e","f","g","h"]})")).requests.size(),
              RequestLimits::kMaxAnswers);

    const Parsed chat = accepted(
        parse_chat_completion(R"({"messages":[{"role":"user","content":"c"}],"n":2,"seed":18446744073709551615})"));
    EXPECT_EQ(prompts_and_seeds(chat),
              (std::vector<std::pair<std::string, uint64_t>>{{"", 18446744073709551615u}, {"", 0}}));
    for (const auto& request : chat.requests) EXPECT_EQ(request.messages.size(), 1u);
    EXPECT_TRUE(chat.requests.back().sampling.seed);
    for (const auto& request : accepted(parse_completion(with(R"("n":2)"))).requests) {
        EXPECT_FALSE(request.sampling.seed) << "each gets one of its own";
    }
}

TEST(Choices, AreAsManyAsOneCallMayHave) {
    EXPECT_EQ(refused(R"("n":9)"), "n: expected an integer from 1 to 8, got 9");
    EXPECT_EQ(refused_chat(R"("n":9)"), "n: expected an integer from 1 to 8, got 9");
    EXPECT_EQ(refused(parse_completion(R"({"prompt":["a","b","c","d","e","f","g","h","i"]})")),
              "prompt: 9 prompts, must be 1 to 8");
    EXPECT_EQ(refused(parse_completion(R"({"prompt":["a","b","c"],"n":3})")),
              "n: 3 answers to each of 3 prompts are more than 8");
    EXPECT_EQ(refused(R"("n":2,"best_of":3)"), "best_of: 3 is not offered, only n is, which is 2");
}

TEST(Completion, NumbersOutOfRangeAreRefusedByName) {
    const char* numbers[] = {"-1",    "1e308", "-1e308", "9223372036854775808", "-9223372036854775808", "1e-1x", "NaN",
                             "\"1\"", "[]",    "{}"};
    for (const char* field : {"max_tokens", "temperature", "top_p", "top_k", "min_p", "repeat_penalty", "seed", "n",
                              "best_of", "deadline_ms"}) {
        for (const char* number : numbers) {
            // A seed has 64 bits, and a negative one is none; -1 is a sentinel of others.
            if (field == std::string("seed") &&
                std::string_view(number).find_first_not_of("-0123456789") == std::string::npos)
                continue;
            if ((field == std::string("max_tokens") || field == std::string("top_k")) && number == std::string("-1"))
                continue;
            const std::string message = refused('"' + std::string(field) + "\":" + number);
            EXPECT_TRUE(message.rfind(std::string(field) + ": ", 0) == 0 || message.rfind("body: ", 0) == 0) << message;
        }
    }
    for (const char* field : {"max_tokens", "top_k", "n"}) {
        EXPECT_NE(refused('"' + std::string(field) + "\":2147483648"), "");
        EXPECT_NE(refused('"' + std::string(field) + "\":1.5"), "");
    }
    EXPECT_NE(refused(R"("repeat_penalty":0)"), "");
    EXPECT_EQ(accepted(parse_completion(with(R"("max_tokens":24.0,"top_k":0,"temperature":0,"seed":0)")))
                  .requests.front()
                  .max_tokens,
              24u);
}

TEST(OpenAiBody, PenaltiesAndWhatEndsTheAnswer) {
    const auto call = parse_completion(
        R"({"prompt":"p","presence_penalty":-2,"frequency_penalty":0.5,"min_tokens":7,"ignore_eos":true})");
    ASSERT_TRUE(call) << call.error().message;
    const protocol::Sampling& sampling = call->requests.at(0).sampling;
    EXPECT_EQ(sampling.presence_penalty, -2);
    EXPECT_EQ(sampling.frequency_penalty, 0.5f);
    EXPECT_EQ(sampling.min_tokens, 7u);
    EXPECT_TRUE(sampling.ignore_eos);
    for (const char* field :
         {R"("presence_penalty":2.5)", R"("frequency_penalty":"x")", R"("min_tokens":-1)", R"("ignore_eos":1)"}) {
        const auto refused = parse_completion(std::string(R"({"prompt":"p",)") + field + "}");
        ASSERT_FALSE(refused) << field;
        const std::string name(field + 1, std::string_view(field).find(':') - 2);
        EXPECT_TRUE(refused.error().message.starts_with(name + ": ")) << refused.error().message;
    }
}

TEST(Completion, StopsAreOneOrSome) {
    EXPECT_EQ(accepted(parse_completion(with(R"("stop":"x")"))).requests.front().stops, std::vector<std::string>{"x"});
    EXPECT_TRUE(accepted(parse_completion(with(R"("stop":[])"))).requests.front().stops.empty());
    EXPECT_EQ(refused(R"("stop":"")"), "stop: string 0 has 0 bytes, not 1 to 256");
    EXPECT_NE(refused(R"("stop":[1])"), "");
    EXPECT_NE(refused("\"stop\":\"" + std::string(RequestLimits::kMaxStopBytes + 1, 'x') + '"'), "");
    EXPECT_EQ(refused("\"stop\":[" + repeated("\"x\",", 9999) + "\"x\"]"), "stop: 10000 strings are more than 16");
}

TEST(Completion, MessagesNeverQuotePrompts) {
    EXPECT_EQ(refused(R"("temperature":"Hollerbusch")"),
              "temperature: expected a number from 0 to 10, got a string of 11 bytes");
    EXPECT_EQ(refused(R"("stop":{"Hollerbusch":1})").find("Holler"), std::string::npos);
}

TEST(Chat, MessagesAreTurns) {
    const Parsed call = accepted(parse_chat_completion(
        R"({"messages":[{"role":"system","content":"s"},{"role":"developer","content":"d"},)"
        R"({"role":"user","content":[{"type":"text","text":"one "},{"type":"text","text":"two"}],"name":"x"},)"
        R"({"role":"assistant","content":null}],"max_tokens":3,"max_completion_tokens":5})"));
    const auto& messages = call.requests.front().messages;
    ASSERT_EQ(messages.size(), 3u) << "an empty answer is dropped";
    EXPECT_EQ(messages[0].role, ChatMessage::Role::System);
    EXPECT_EQ(messages[1].role, ChatMessage::Role::System);
    EXPECT_EQ(messages[2].role, ChatMessage::Role::User);
    EXPECT_EQ(messages[2].content, "one two");
    EXPECT_EQ(call.requests.front().max_tokens, 5u);
    EXPECT_TRUE(call.requests.front().prompt.empty());
    EXPECT_TRUE(service::check(call.requests.front()));
}

TEST(Chat, BadMessagesAreRefusedByTheirPlace) {
    const auto refusal = [](const std::string& messages) {
        return refused(parse_chat_completion("{\"messages\":" + messages + "}"));
    };
    EXPECT_EQ(refused(parse_chat_completion("{}")), "messages: there must be at least one");
    EXPECT_EQ(refusal("[]"), "messages: there must be at least one");
    EXPECT_EQ(refusal("{}"), "messages: expected an array, got an object");
    EXPECT_EQ(refusal("[1]"), "messages[0]: expected an object, got 1");
    EXPECT_EQ(refusal(R"([{"role":"user","content":"c"},{"content":"c"}])"), "messages[1].role: it is missing");
    EXPECT_EQ(refusal(R"([{"role":"robot","content":"c"}])"),
              "messages[0].role: \"robot\" is none of system, user, assistant, tool");
    EXPECT_EQ(refusal(R"([{"role":"user"}])"), "messages[0].content: it is missing");
    EXPECT_EQ(refusal(R"([{"role":"user","content":[{"type":"image_url"}]}])"),
              "messages[0].content[0].type: \"image_url\" is not offered, only text is");
    EXPECT_EQ(refusal(R"([{"role":"user","content":7}])"),
              "messages[0].content: expected a string or an array of parts, got 7");
    EXPECT_NE(refusal(R"([{"role":"assistant","content":"","tool_calls":[{}]}])"), "");
    EXPECT_EQ(refusal("[" + repeated(R"({"role":"user","content":"c"},)", RequestLimits::kMaxMessages) +
                      R"({"role":"user","content":"c"}])"),
              "messages: 1025 are more than 1024");
    const std::string empty = repeated(R"({"role":"user","content":"c"},{"role":"assistant","content":null},)", 2048);
    EXPECT_EQ(accepted(parse_chat_completion(R"({"messages":[)" + empty.substr(0, empty.size() - 1) + "]}"))
                  .requests.front()
                  .messages.size(),
              1u)
        << "those that say nothing do not count";
    EXPECT_EQ(refusal("[" + empty + R"({"role":"user","content":"c"}])"), "messages: 4097 are more than 4096");
}

TEST(Chat, AnswersAreLongerThanCompletionsByDefault) {
    const auto call = accepted(parse_chat_completion(R"({"messages":[{"role":"user","content":"c"}]})"));
    EXPECT_EQ(call.requests.front().max_tokens, kDefaultAnswerTokens);
}

TEST(ResponseFormat, BecomesASchema) {
    const auto schema = [](const std::string& format) {
        return accepted(parse_completion(with("\"response_format\":" + format))).requests.front().json_schema;
    };
    EXPECT_EQ(schema(R"({"type":"text"})"), "");
    EXPECT_EQ(schema(R"({"type":"json_object"})"), R"({"type":"object"})");
    EXPECT_EQ(schema(R"({"type":"json_schema","json_schema":{"name":"n","strict":true,)"
                     R"("schema":{"type":"object","properties":{"b":{"enum":[1,-2,0.5,"x\n",null,true]},"a":{}}}}})"),
              R"({"type":"object","properties":{"b":{"enum":[1,-2,0.5,"x\n",null,true]},"a":{}}})");
    EXPECT_TRUE(base::parse_json(
        schema(R"({"type":"json_schema","json_schema":{"schema":{"maximum":98765432109876543210.5}}})")))
        << "a number beyond all integers stays one";
    EXPECT_EQ(
        schema(R"({"type":"json_schema","json_schema":{"schema":{"maximum":18446744073709551616,"minimum":-1e400,)"
               R"("enum":[[123456789012345678901234567890]]}}})"),
        R"({"maximum":1.8446744073709552e+19,"minimum":-1.7976931348623157e+308,"enum":[[1.2345678901234568e+29]]})")
        << "one beyond those that the engine reads is the nearest of them";
    EXPECT_NE(refused(R"("response_format":{"type":"grammar"})"), "");
    EXPECT_NE(refused(R"("response_format":{})"), "");
    EXPECT_NE(refused(R"("response_format":"json")"), "");
    EXPECT_NE(refused(R"("response_format":{"type":"json_schema"})"), "");
    EXPECT_NE(refused(R"("response_format":{"type":"json_schema","json_schema":{"schema":[]}})"), "");
    EXPECT_NE(refused(R"("response_format":{"type":"json_schema","json_schema":{"schema":{"x":")" +
                      std::string(RequestLimits::kMaxJsonSchemaBytes, 'x') + "\"}}}"),
              "");
}

// vLLM's fields, in its spelling of today and in that of before.
TEST(StructuredOutputs, BecomeOneForm) {
    const auto request = [](const std::string& fields) {
        return accepted(parse_completion(with(fields))).requests.front();
    };
    EXPECT_EQ(request(R"("structured_outputs":{"json":{"type":"null"}})").json_schema, R"({"type":"null"})");
    EXPECT_EQ(request(R"("structured_outputs":{"json_object":true})").json_schema, R"({"type":"object"})");
    EXPECT_EQ(request(R"("structured_outputs":{"json_object":false})").json_schema, "");
    for (const char* field : {R"("structured_outputs":{"regex":"a|b","choice":null})", R"("guided_regex":"a|b")"}) {
        EXPECT_EQ(request(field).regex, "a|b") << field;
    }
    for (const char* field : {R"("structured_outputs":{"choice":["a","","a"]})", R"("guided_choice":["a","","a"])"}) {
        EXPECT_EQ(request(field).choices, (std::vector<std::string>{"a", "", "a"})) << field;
    }
}

TEST(StructuredOutputs, ErrorsNameTheFields) {
    const auto outputs = [](const std::string& inside) { return refused("\"structured_outputs\":" + inside); };
    EXPECT_EQ(outputs("{}"), "structured_outputs.json: it is missing, as are json_object, regex and choice");
    EXPECT_EQ(outputs(R"({"regex":null})"),
              "structured_outputs.json: it is missing, as are json_object, regex and choice");
    EXPECT_EQ(outputs(R"({"regex":""})"),
              "structured_outputs.regex: a regular expression of 0 bytes, must be 1 to 65536");
    EXPECT_EQ(outputs("{\"regex\":\"" + std::string(65537, 'a') + "\"}"),
              "structured_outputs.regex: a regular expression of 65537 bytes, must be 1 to 65536");
    EXPECT_EQ(outputs(R"({"regex":["a"]})"), "structured_outputs.regex: expected a string, got an array of 1");
    EXPECT_EQ(outputs(R"({"choice":"ab"})"),
              "structured_outputs.choice: expected an array of strings, got a string of 2 bytes");
    EXPECT_EQ(outputs(R"({"choice":["a",5]})"), "structured_outputs.choice[1]: expected a string, got 5");
    EXPECT_EQ(outputs(R"({"choice":[]})"), "structured_outputs.choice: 0 texts, must be 1 to 10000");
    EXPECT_EQ(outputs("{\"choice\":[" + repeated("\"\",", 10'000) + "\"\"]}"),
              "structured_outputs.choice: 10001 texts, must be 1 to 10000");
    EXPECT_EQ(outputs("{\"choice\":[\"" + std::string(1u << 20, 'a') + "\"]}"),
              "structured_outputs.choice: 1048576 bytes of texts are more than 131072");
    EXPECT_EQ(outputs(R"({"grammar":"root ::= x"})"),
              "structured_outputs.grammar: grammars are not offered; json, regex and choice are");
    EXPECT_EQ(
        outputs(R"({"structural_tag":"x"})"),
        "structured_outputs.structural_tag: tags are not offered; tools are, whose calls are held to their schemas");
    EXPECT_EQ(outputs(R"({"regex":"a","whitespace_pattern":" "})"),
              "structured_outputs.whitespace_pattern: this version of llmd does not offer it");
    EXPECT_EQ(outputs(R"({"choice":["a"],"regex":"a"})"),
              "structured_outputs.choice: given together with structured_outputs.regex");
    EXPECT_EQ(outputs(R"({"json_object":false,"regex":"a"})"),
              "structured_outputs.regex: given together with structured_outputs.json_object");
    EXPECT_EQ(outputs(R"({"regex":"a"},"response_format":{"type":"json_object"})"),
              "structured_outputs.regex: given together with response_format");
    EXPECT_EQ(outputs(R"({"json":{}},"guided_json":{})"), "structured_outputs.json: given together with guided_json");
    EXPECT_EQ(refused(R"("guided_choice":["a"],"guided_regex":"a")"),
              "guided_choice: given together with guided_regex");
    accepted(parse_completion(with(R"("structured_outputs":{"regex":"a"},"response_format":{"type":"text"})")));
}

TEST(StructuredOutputs, AreNoneBesideTools) {
    const auto chat = [](const std::string& more) {
        return parse_chat_completion(
            R"({"messages":[{"role":"user","content":"c"}],"tools":[{"type":"function","function":{"name":"f"}}],)" +
            more + "}");
    };
    EXPECT_EQ(refused(chat(R"("structured_outputs":{"regex":"a"})")),
              "structured_outputs.regex: given together with tools");
    EXPECT_EQ(refused(chat(R"("guided_choice":["a"])")), "guided_choice: given together with tools");
    accepted(chat(R"("guided_choice":["a"],"tool_choice":"none")"));
    accepted(chat(R"("structured_outputs":{"json":{}})"));
}

TEST(HostileBody, IsRefusedOrHarmless) {
    for (const std::string& body :
         std::vector<std::string>{"",
                                  " ",
                                  "null",
                                  "[]",
                                  "\"p\"",
                                  "1",
                                  "{",
                                  "{\"prompt\"",
                                  "{\"prompt\":\"p\"}x",
                                  "{\"prompt\":\"p\",}",
                                  "{'prompt':'p'}",
                                  "{\"prompt\":\"\xff\"}",
                                  "{\"prompt\":\"\xc0\xaf\"}",
                                  "{\"prompt\":\"a\nb\"}",
                                  std::string("{\"prompt\":\"p\"\0}", 15),
                                  R"({"prompt":"a","prompt":"b"})",
                                  R"({"prompt":"p","logit_bias":{"1":1,"1":1}})",
                                  std::string(100'000, '['),
                                  std::string(100'000, '{'),
                                  "{\"prompt\":" + repeated("[", 100'000) + repeated("]", 100'000) + "}",
                                  "{\"prompt\":" + repeated("{\"a\":", 100'000) + "1" + repeated("}", 100'000) + "}",
                                  "{\"prompt\":\"p\",\"x\":[" + repeated("0,", base::kMaxJsonValues) + "0]}"}) {
        EXPECT_EQ(refused(parse_completion(body)).rfind("body: ", 0), 0u) << body.substr(0, 40);
    }
    EXPECT_EQ(accepted(parse_completion(R"({"prompt":"\udc00\ud800"})")).requests.front().prompt, "\ufffd\ufffd");
    EXPECT_EQ(refused(R"("top_k":1e999)"), "top_k: expected an integer from 0 to 2147483647, got 1e999");
    EXPECT_EQ(refused(R"("seed":)" + std::string(1'000'000, '9')).rfind("seed: ", 0), 0u);
    const std::string long_fraction = "0." + std::string(1'000'000, '3');
    EXPECT_NEAR(accepted(parse_completion(with("\"top_p\":" + long_fraction))).requests.front().sampling.top_p, 1.0 / 3,
                1e-6);
    const std::string text(RequestLimits::kMaxSocketPromptBytes - 64, 'x');
    EXPECT_EQ(accepted(parse_completion("{\"prompt\":\"" + text + "\"}")).requests.front().prompt.size(), text.size());
    EXPECT_EQ(refused("\"temperature\":\"" + text + '"'),
              base::concat("temperature: expected a number from 0 to 10, got a string of ", text.size(), " bytes"));
}

TEST(Fallback, IsAListOfModelsInEveryDialect) {
    const std::pair<Dialect, std::string> dialects[] = {
        {kCompletion, R"("prompt":"p")"},
        {kChat, R"("messages":[{"role":"user","content":"p"}])"},
        {kResponses, R"("input":"p")"},
        {kOllamaGenerate, R"("prompt":"p")"},
        {kOllamaChat, R"("messages":[{"role":"user","content":"p"}])"},
    };
    for (const auto& [dialect, prompt] : dialects) {
        const auto read = [&, dialect = dialect, &prompt = prompt](const std::string& fallback) {
            return read_call("{" + prompt + R"(,"model":"m@home","fallback":)" + fallback + "}", dialect);
        };
        using Models = std::vector<std::string>;
        EXPECT_EQ(accepted(read(R"(["a@work","b:latest"])")).request.fallback, (Models{"a@work", "b"})) << prompt;
        EXPECT_TRUE(accepted(read("[]")).request.fallback.empty());
        EXPECT_TRUE(accepted(read("null")).request.fallback.empty());
        EXPECT_EQ(refused(read(R"("a")")), "fallback: expected an array of names of models, got a string of 1 bytes");
        EXPECT_EQ(refused(read(R"(["a",5])")), "fallback[1]: expected the name of a model, got 5");
        EXPECT_EQ(refused(read(R"(["a",""])")), "fallback[1]: \"\" is not the name of a model");
        EXPECT_EQ(refused(read(R"(["a@b@c"])")), "fallback[0]: \"a@b@c\" has more than one '@'");
        EXPECT_EQ(refused(read(R"(["../a"])")), "fallback[0]: \"../a\" is not the name of a model");
        EXPECT_EQ(refused(read(R"(["m@home"])")), "fallback[0]: \"m@home\" is asked for twice");
        EXPECT_EQ(refused(read(R"(["a","b","c","d","e"])")), "fallback: 5 models are more than 4");
    }
}

TEST(Fallback, IsNotForEmbeddings) {
    const auto call = read_call(R"({"input":"p","fallback":["a"]})", kEmbeddings);
    ASSERT_TRUE(call);
    EXPECT_FALSE(service::check(call->request)) << "which the service refuses for every front end";
}

}  // namespace
}  // namespace llmd::api
