// Bodies of Anthropic's messages become calls, or are refused by the name of a field.
#include "api/field_readers.h"

#include <gtest/gtest.h>

#include "api/fields.h"
#include "calls.h"

namespace llmd::api::anthropic_fields_test {
namespace {

using protocol::ChatMessage;
using protocol::Thinking;
using protocol::ToolChoice;
using Role = ChatMessage::Role;

// A conversation as roles and texts, with what else is in it.
std::string told(const std::vector<ChatMessage>& messages) {
    constexpr const char* kRoles[] = {"system", "user", "assistant", "tool"};
    std::string out;
    for (const ChatMessage& message : messages) {
        out += base::concat(kRoles[static_cast<size_t>(message.role)], ": ", message.content);
        if (!message.thinking.empty()) out += " (" + message.thinking + ")";
        for (const auto& call : message.tool_calls) out += " " + call.id + "=" + call.name + call.arguments;
        if (!message.tool_call_id.empty()) out += " <- " + message.tool_call_id;
        out += "\n";
    }
    return out;
}
Call read(const std::string& messages, const std::string& others = "") {
    return accepted(read_call(R"({"max_tokens":9,"messages":[)" + messages + "]" + others + "}", kAnthropic));
}
std::string turns(const std::string& messages) {
    return told(read(messages).request.messages);
}
std::string refused_turns(const std::string& messages) {
    return refused(read_call(R"({"messages":[)" + messages + "]}", kAnthropic));
}
std::string with(const std::string& fields) {
    return R"({"messages":[{"role":"user","content":"hi"}],)" + fields + "}";
}
Call read_with(const std::string& fields) {
    return accepted(read_call(with(fields), kAnthropic));
}
std::string refused_with(const std::string& fields) {
    return refused(read_call(with(fields), kAnthropic));
}
const std::string kTools = R"("tools":[{"name":"clock","description":"Tells the time.","input_schema":)"
                           R"({"type":"object"},"cache_control":{"type":"ephemeral"}},)"
                           R"({"type":"custom","name":"alarm","input_schema":{},"strict":true}])";

TEST(AnthropicFields, TakesEveryField) {
    const Call call =
        read_with(R"("model":"m","max_tokens":7,"system":"Be brief","temperature":0.5,"top_k":3,"top_p":0.25,)"
                  R"("stop_sequences":["END","\n"],"stream":true,"metadata":{"user_id":"u"},"service_tier":"auto",)"
                  R"("cache_control":{"type":"ephemeral"},"seed":4,"priority":"background","unheard_of":1)");
    const auto& request = call.request;
    EXPECT_EQ(request.model, "m");
    EXPECT_EQ(request.max_tokens, 7u);
    EXPECT_EQ(told(request.messages), "system: Be brief\nuser: hi\n");
    EXPECT_EQ(request.sampling.temperature, 0.5f);
    EXPECT_EQ(request.sampling.top_k, 3u);
    EXPECT_EQ(request.sampling.top_p, 0.25f);
    EXPECT_EQ(request.sampling.seed, 4u);
    EXPECT_EQ(request.stops, (std::vector<std::string>{"END", "\n"}));
    EXPECT_TRUE(call.stream);
    EXPECT_EQ(call.notes, std::vector<std::string>{});
    EXPECT_EQ(read_with(R"("stream":false)").request.max_tokens, kDefaultAnswerTokens);
}

TEST(AnthropicFields, ASystemTextMayBeBlocks) {
    const auto system = [](const std::string& value) {
        return told(read_with(R"("system":)" + value).request.messages);
    };
    EXPECT_EQ(system(R"([{"type":"text","text":"Be "},{"type":"text","text":"brief","cache_control":{}}])"),
              "system: Be brief\nuser: hi\n");
    EXPECT_EQ(system("[]"), "user: hi\n");
    EXPECT_EQ(system("null"), "user: hi\n");
    EXPECT_EQ(refused_with(R"("system":[{"type":"image"}])"),
              R"(system[0].type: "image" is not offered, only text is)");
}

TEST(AnthropicFields, CallsAndResultsBecomeMessages) {
    EXPECT_EQ(turns(R"({"role":"user","content":[{"type":"text","text":"What "},{"type":"text","text":"time?"}]},)"
                    R"({"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},)"
                    R"({"type":"redacted_thinking","data":"d"},{"type":"text","text":"So"},)"
                    R"({"type":"tool_use","id":"a","name":"clock","input":{"zone":7}},)"
                    R"({"type":"tool_use","id":"b","name":"clock"}]},)"
                    R"({"role":"user","content":[{"type":"text","text":"And?"},)"
                    R"({"type":"tool_result","tool_use_id":"a","content":"noon"},)"
                    R"({"type":"tool_result","tool_use_id":"b","is_error":true,)"
                    R"("content":[{"type":"text","text":"bro"},{"type":"text","text":"ken"}]}]})"),
              "user: What time?\nassistant: So (hm) a=clock{\"zone\":7} b=clock{}\ntool: noon <- a\n"
              "tool: Error: broken <- b\nuser: And?\n");
    EXPECT_EQ(turns(R"({"role":"assistant","content":[{"type":"tool_use","id":"a","name":"clock","input":"{\"zo"}]},)"
                    R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]})"),
              "assistant:  a=clock{\"zo\ntool:  <- a\n");
}

TEST(AnthropicFields, NeighboursOfOneRoleAreOneTurn) {
    EXPECT_EQ(turns(R"({"role":"user","content":"a"},{"role":"user","content":"b"},)"
                    R"({"role":"assistant","content":"c"},)"
                    R"({"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}}]},)"
                    R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"d"}]},)"
                    R"({"role":"user","content":"e"})"),
              "user: a\n\nb\nassistant: c 1=f{}\ntool: d <- 1\nuser: e\n");
    EXPECT_EQ(turns(R"({"role":"user","content":"a"},{"role":"assistant","content":"so far"})"),
              "user: a\nassistant: so far\n");
}

TEST(AnthropicFields, WhatAProgramKeptOfAnAnswerIsTakenBack) {
    EXPECT_EQ(turns(R"({"role":"user","content":"a"},{"role":"assistant","content":[]},{"role":"user","content":"b"})"),
              "user: a\n\nb\n");
    EXPECT_EQ(turns(R"({"role":"assistant","content":null},{"role":"user","content":"b"})"), "user: b\n");
    EXPECT_EQ(turns(R"({"role":"user","content":null},)"
                    R"({"role":"assistant","content":[{"type":"tool_use","id":1,"name":"f","input":{}}]},)"
                    R"({"role":"user","content":[{"type":"tool_result","tool_use_id":1,"content":{"a":[7]}}]})"),
              "user: \nassistant:  1=f{}\ntool: {\"a\":[7]} <- 1\n");
    const Call orphan = read(R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"c"}]})");
    EXPECT_EQ(told(orphan.request.messages), "assistant:  x=unknown_tool{}\ntool: c <- x\n");
    EXPECT_EQ(orphan.notes.size(), 1u);
}

TEST(AnthropicFields, OtherBlocksAreRefusedByName) {
    for (const char* type : {"image", "document", "search_result", "server_tool_use", ""}) {
        EXPECT_EQ(refused_turns(R"({"role":"user","content":[{"type":"text","text":"a"},{"type":")" +
                                std::string(type) + R"("}]})"),
                  base::concat(R"(messages[0].content[1].type: ")", type, R"(" is not offered, only text is)"));
    }
    const std::string result = R"({"type":"tool_result","content":[{"type":"image"}]})";
    EXPECT_EQ(refused_turns(R"({"role":"user","content":[)" + result + "]}"),
              R"(messages[0].content[0].content[0].type: "image" is not offered, only text is)");
    EXPECT_EQ(refused_turns(R"({"role":"user","content":[{"type":"tool_use"}]})"),
              R"(messages[0].content[0].type: "tool_use" is not offered, only text is)");
    EXPECT_EQ(refused_turns(R"({"role":"assistant","content":[)" + result + "]}"),
              R"(messages[0].content[0].type: "tool_result" is not offered, only text is)");
    EXPECT_EQ(refused_turns(R"({"role":"tool","content":"a"})"),
              R"(messages[0].role: "tool" is none of user, assistant, system)");
    EXPECT_EQ(refused_turns(R"({"content":"a"})"), "messages[0].role: it is missing");
    EXPECT_EQ(refused_turns(R"({"role":"user"})"), "messages[0].content: it is missing");
    EXPECT_EQ(refused_turns(""), "messages: there must be at least one");
    EXPECT_EQ(refused_turns(R"({"role":"user","content":["a"]})"),
              "messages[0].content[0]: expected a block that is an object, got a string of 1 bytes");
}

TEST(AnthropicFields, ThereAreLimits) {
    std::string results;
    for (int i = 0; i < 4097; ++i) results += R"({"type":"tool_result"},)";
    results.pop_back();
    EXPECT_EQ(refused_turns(R"({"role":"user","content":[)" + results + "]}"),
              "messages[0].content: turns and results are more than 4096");
    EXPECT_EQ(refused_turns(R"({"role":"user","content":[)" + results.substr(0, 600 * 23 - 1) + "]}"),
              "messages: 1200 are more than 1024");
    std::string calls;
    for (int i = 0; i < 129; ++i) calls += R"({"type":"tool_use","name":"f"},)";
    calls.pop_back();
    EXPECT_EQ(refused_turns(R"({"role":"assistant","content":[)" + calls + "]}"),
              "messages[0].content: 129 calls are more than 128");
}

TEST(AnthropicFields, ToolsAreThoseOfOtherDialects) {
    EXPECT_EQ(read_with(kTools).request.tools,
              R"([{"type":"function","function":{"name":"clock","description":"Tells the time.",)"
              R"("parameters":{"type":"object"}}},)"
              R"({"type":"function","function":{"name":"alarm","parameters":{},"strict":true}}])");
    EXPECT_EQ(read_with(R"("tools":[])").request.tools, "");
    EXPECT_EQ(read_with(R"("tools":[null,{"type":7,"name":"n"},{"type":null,"name":"m"}])").request.tools,
              R"([null,{"type":7,"function":{"name":"n"}},{"type":"function","function":{"name":"m"}}])");
    EXPECT_EQ(refused_with(R"("tools":[{"type":"web_search_20250305","name":"web_search"}])"),
              R"(tools[0].type: "web_search_20250305" is not offered, only custom is)");
}

TEST(AnthropicFields, TheChoiceOfTools) {
    const auto choice = [](const std::string& value) {
        return read_with(kTools + R"(,"tool_choice":)" + value).request;
    };
    EXPECT_EQ(choice(R"({"type":"auto"})").tool_choice, ToolChoice::Auto);
    EXPECT_EQ(choice(R"({"type":"any"})").tool_choice, ToolChoice::Required);
    EXPECT_EQ(choice(R"({"type":"none"})").tool_choice, ToolChoice::None);
    EXPECT_TRUE(choice(R"({"type":"any"})").parallel_tool_calls);
    const auto named = choice(R"({"type":"tool","name":"alarm","disable_parallel_tool_use":true})");
    EXPECT_EQ(named.tool_choice, ToolChoice::Named);
    EXPECT_EQ(named.tool_name, "alarm");
    EXPECT_FALSE(named.parallel_tool_calls);
    EXPECT_EQ(refused_with(kTools + R"(,"tool_choice":{"type":"tool"})"), "tool_choice.name: it is missing");
    EXPECT_EQ(refused_with(kTools + R"(,"tool_choice":{"type":"all"})"),
              R"(tool_choice.type: "all" is none of auto, any, tool, none)");
    EXPECT_EQ(refused_with(kTools + R"(,"tool_choice":"any")"),
              "tool_choice: expected an object, got a string of 3 bytes");
    EXPECT_EQ(refused_with(R"("tool_choice":{"type":"any"})"), "tool_choice: there are no tools to choose from");
}

TEST(AnthropicFields, Thinking) {
    const Call on = read_with(R"("thinking":{"type":"enabled","budget_tokens":1024})");
    EXPECT_EQ(on.request.thinking, Thinking::On);
    EXPECT_EQ(on.notes, std::vector<std::string>{"thinking.budget_tokens: only max_tokens ends the thinking"});
    EXPECT_EQ(read_with(R"("thinking":{"type":"disabled"})").request.thinking, Thinking::Off);
    EXPECT_EQ(read_with(R"("thinking":{"type":"adaptive"})").request.thinking, Thinking::Default);
    EXPECT_EQ(read_with(R"("thinking":{"type":"adaptive","display":"omitted"})").notes,
              std::vector<std::string>{"thinking.display: the thinking is sent"});
    EXPECT_EQ(refused_with(R"("thinking":{"type":"much"})"),
              R"(thinking.type: "much" is none of enabled, disabled, adaptive, between_tools)");
    EXPECT_EQ(refused_with(R"("thinking":{"type":"enabled","budget_tokens":-1})"),
              "thinking.budget_tokens: expected an integer from 0 to 2147483647, got -1");
}

TEST(AnthropicFields, TheFormOfTheAnswer) {
    const std::string format = R"({"type":"json_schema","schema":{"type":"object"}})";
    EXPECT_EQ(read_with(R"("output_config":{"format":)" + format + "}").request.json_schema, R"({"type":"object"})");
    EXPECT_EQ(read_with(R"("output_format":)" + format).request.json_schema, R"({"type":"object"})");
    const Call effort = read_with(R"("output_config":{"effort":"high"},"context_management":{"edits":[]})");
    EXPECT_EQ(effort.notes, (std::vector<std::string>{"output_config.effort: the models here have no degrees of it",
                                                      "context_management: nothing of the conversation is dropped"}));
}

TEST(AnthropicFields, WhatWouldChangeTheAnswerIsRefused) {
    for (const char* field : {R"("container":"c")", R"("mcp_servers":[{}])", R"("n":2)", R"("logprobs":true)",
                              R"("top_logprobs":1)", R"("grammar":"g")", R"("echo":true)"}) {
        EXPECT_NE(refused_with(field).find("this version of llmd does not offer it"), std::string::npos) << field;
    }
    EXPECT_EQ(refused_with(R"("stop_sequences":[""])"), "stop_sequences: string 0 has 0 bytes, not 1 to 256");
    EXPECT_EQ(refused_with(R"("max_tokens":-3)"), "max_tokens: expected an integer from 0 to 1048576, got -3");
}

}  // namespace
}  // namespace llmd::api::anthropic_fields_test
