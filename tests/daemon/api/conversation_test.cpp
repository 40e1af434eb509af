// Conversations and tools as OpenAI's two APIs, Ollama's and the bus spell them.
#include "api/conversation.h"

#include <gtest/gtest.h>

#include "calls.h"

namespace llmd::api {
namespace {

using protocol::ChatMessage;
using Role = ChatMessage::Role;

const std::string kTools = R"("tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}])";

service::GenerateRequest request_of(const std::string& body, Dialect dialect) {
    return accepted(read_call(body, dialect)).request;
}

std::string refused(const std::string& body, Dialect dialect) {
    const auto call = read_call(body, dialect);
    return call ? "accepted" : call.error().message;
}

TEST(Messages, HaveCallsAndResultsInOpenAisSpelling) {
    const auto request = request_of(
        R"({"messages":[{"role":"user","content":"u"},{"role":"assistant","content":null,"reasoning_content":"hm",)"
        R"("tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}},)"
        R"({"id":"c2","type":"function","function":{"name":"g","arguments":""}}]},)"
        R"({"role":"tool","tool_call_id":"c1","content":"r1"},{"role":"function","name":"g","content":"r2"}],)" +
            kTools + "}",
        kChat);
    ASSERT_EQ(request.messages.size(), 4u);
    const ChatMessage& turn = request.messages[1];
    EXPECT_EQ(turn.role, Role::Assistant);
    EXPECT_EQ(turn.thinking, "hm");
    ASSERT_EQ(turn.tool_calls.size(), 2u);
    EXPECT_EQ(turn.tool_calls[0].id, "c1");
    EXPECT_EQ(turn.tool_calls[0].name, "f");
    EXPECT_EQ(turn.tool_calls[0].arguments, R"({"a":1})");
    EXPECT_EQ(turn.tool_calls[1].arguments, "{}");
    EXPECT_EQ(request.messages[2].role, Role::Tool);
    EXPECT_EQ(request.messages[2].tool_call_id, "c1");
    EXPECT_EQ(request.messages[3].tool_name, "g");
    EXPECT_EQ(request.tools, kTools.substr(kTools.find('[')));
}

TEST(Messages, HaveCallsAndResultsInOllamasSpelling) {
    const auto request =
        request_of(R"({"model":"m","messages":[{"role":"user","content":"u"},{"role":"assistant","content":"",)"
                   R"("thinking":"hm","tool_calls":[{"function":{"name":"f","arguments":{"a":[1,"x"]}}}]},)"
                   R"({"role":"tool","tool_name":"f","content":"r"}]})",
                   kOllamaChat);
    ASSERT_EQ(request.messages.size(), 3u);
    EXPECT_EQ(request.messages[1].thinking, "hm");
    EXPECT_EQ(request.messages[1].tool_calls.at(0).arguments, R"({"a":[1,"x"]})");
    EXPECT_EQ(request.messages[2].tool_name, "f");
}

// Ollama's Python package leaves out members that are empty.
TEST(Messages, MayLackTheirContentInOllamasSpellingAlone) {
    const std::string messages =
        R"("messages":[{"role":"user"},{"role":"assistant","tool_calls":[{"function":{"name":"f"}}]},)"
        R"({"role":"tool","tool_name":"f"}]})";
    const auto request = request_of(R"({"model":"m",)" + messages, kOllamaChat);
    ASSERT_EQ(request.messages.size(), 3u);
    EXPECT_EQ(request.messages[0].content, "");
    EXPECT_EQ(request.messages[2].content, "");
    EXPECT_EQ(refused("{" + messages, kChat), "messages[0].content: it is missing");
}

TEST(Messages, AreRefusedByTheirPlace) {
    const auto refusal = [](const std::string& message) {
        return refused(R"({"messages":[{"role":"user","content":"u"},)" + message + "]}", kChat);
    };
    EXPECT_EQ(refusal(R"({"role":"assistant","tool_calls":[7]})"),
              "messages[1].tool_calls[0]: expected an object, got 7");
    EXPECT_EQ(refusal(R"({"role":"assistant","tool_calls":"[{]"})"), "messages[1].tool_calls: it is not JSON");
    EXPECT_EQ(refusal(R"({"role":"assistant","tool_calls":{"id":"a"}})"),
              "messages[1].tool_calls: expected an array, got an object");
    EXPECT_EQ(refusal(R"({"role":"user","content":"c","images":["x"]})"),
              "messages[1].images: this version of llmd does not offer it");
    EXPECT_EQ(refusal(R"({"role":"tool","tool_call_id":true,"content":"c"})"),
              "messages[1].tool_call_id: expected a string, got true");
    EXPECT_EQ(refusal(R"({"role":"user","content":"c","function_call":{"name":"f"}})"),
              "messages[1].function_call: this version of llmd does not offer it");
    EXPECT_EQ(refusal(R"({"role":"user","content":[{"type":"thinking","thinking":"h"}]})"),
              "messages[1].content[0].type: \"thinking\" is not offered, only text is");
    EXPECT_EQ(refusal(R"({"role":"tool","content":[{"type":"text","text":"a"},{"type":"image_url"}]})"),
              "messages[1].content[1].type: \"image_url\" is not offered, only text is");
}

TEST(Messages, AreTakenAsOlderAndCarelessProgramsKeepThem) {
    const auto request = request_of(
        R"({"messages":[{"role":"system","content":null},{"role":"user","content":null},)"
        R"({"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{\"a\":1}"}},)"
        R"({"role":"function","name":"f","content":"r"},)"
        R"({"role":"assistant","tool_calls":[{"id":7,"function":{"name":"g"}}]},)"
        R"({"role":"tool","tool_call_id":7,"content":"s"},)"
        R"({"role":"assistant","tool_calls":{},"content":[{"type":"thinking","thinking":[{"type":"text","text":"g"}]},)"
        R"({"type":"reasoning","text":"h"},{"type":"text","text":"t"}]}],"tools":{}})",
        kChat);
    ASSERT_EQ(request.messages.size(), 7u);
    EXPECT_EQ(request.messages[6].content, "t");
    EXPECT_EQ(request.messages[6].thinking, "gh");
    EXPECT_EQ(request.tools, "");
    EXPECT_EQ(request.messages[0].content, "");
    ASSERT_EQ(request.messages[2].tool_calls.size(), 1u);
    EXPECT_EQ(request.messages[2].tool_calls[0].name, "f");
    EXPECT_EQ(request.messages[2].tool_calls[0].arguments, R"({"a":1})");
    EXPECT_EQ(request.messages[3].tool_name, "f");
    EXPECT_EQ(request.messages[4].tool_calls.at(0).id, "7");
    EXPECT_EQ(request.messages[5].tool_call_id, "7");
}

TEST(Messages, HaveResultsOfAnyType) {
    const std::pair<const char*, const char*> rows[] = {
        {"\"t\"", "t"},
        {"null", ""},
        {"7", "7"},
        {"-1.5", "-1.5"},
        {"true", "true"},
        {R"({"a":[1,null]})", R"({"a":[1,null]})"},
        {"[]", "[]"},
        {R"(["x",2])", R"(["x",2])"},
        {R"([{"type":"cafe","name":"n"}])", R"([{"type":"cafe","name":"n"}])"},
        {R"([{"type":"text","text":"a"},{"type":"text","text":"b"}])", "ab"},
    };
    for (const auto& [result, expected] : rows) {
        const std::string call = R"({"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f"}}]})";
        const std::string messages = base::concat(
            R"("messages":[)", call, R"(,{"role":"tool","tool_call_id":"1","tool_name":"f","content":)", result, "}]}");
        EXPECT_EQ(request_of("{" + messages, kChat).messages.at(1).content, expected) << result;
        EXPECT_EQ(request_of(R"({"model":"m",)" + messages, kOllamaChat).messages.at(1).content, expected) << result;
        const std::string item = base::concat(R"({"type":"function_call_output","call_id":5,"output":)", result, "}");
        const auto items =
            request_of(R"({"input":[{"type":"function_call","call_id":5,"name":"f"},)" + item + "]}", kResponses);
        EXPECT_EQ(items.messages.at(1).content, expected) << result;
        EXPECT_EQ(items.messages.at(1).tool_call_id, "5");
    }
}

TEST(InputItems, AreMessagesCallsResultsAndThoughts) {
    const auto request = request_of(
        R"({"instructions":"s","input":[{"role":"user","content":[{"type":"input_text","text":"u"}]},)"
        R"({"type":"reasoning","id":"r","summary":[],"content":[{"type":"reasoning_text","text":"hm"}]},)"
        R"({"type":"message","role":"assistant","content":[{"type":"output_text","text":"a","annotations":[]}]},)"
        R"({"type":"function_call","call_id":"c1","name":"f","arguments":"{}"},)"
        R"({"type":"function_call","call_id":"c2","name":"g","arguments":"{\"x\":1}"},)"
        R"({"type":"function_call_output","call_id":"c1","output":"r1"},)"
        R"({"type":"function_call_output","call_id":"c2","output":[{"type":"input_text","text":"r2"}]}]})",
        kResponses);
    ASSERT_EQ(request.messages.size(), 5u);
    EXPECT_EQ(request.messages[0].role, Role::System);
    EXPECT_EQ(request.messages[0].content, "s");
    EXPECT_EQ(request.messages[1].content, "u");
    const ChatMessage& turn = request.messages[2];
    EXPECT_EQ(turn.thinking, "hm");
    EXPECT_EQ(turn.content, "a");
    ASSERT_EQ(turn.tool_calls.size(), 2u);
    EXPECT_EQ(turn.tool_calls[1].id, "c2");
    EXPECT_EQ(turn.tool_calls[1].arguments, R"({"x":1})");
    EXPECT_EQ(request.messages[4].tool_call_id, "c2");
    EXPECT_EQ(request.messages[4].content, "r2");
    EXPECT_EQ(request_of(R"({"input":"u"})", kResponses).messages.at(0).content, "u");
}

TEST(InputItems, OfUnknownTypeAreRefusedByTheirIndex) {
    EXPECT_EQ(refused(R"({"input":[{"role":"user","content":"u"},{"type":"computer_call"}]})", kResponses),
              "input[1].type: \"computer_call\" is not offered");
    EXPECT_EQ(refused(R"({"input":[{"type":"item_reference","id":"x"}]})", kResponses),
              "input[0].type: \"item_reference\" is not offered");
    EXPECT_EQ(refused(R"({"input":[{"role":"user","content":[{"type":"input_image"}]}]})", kResponses),
              "input[0].content[0].type: \"input_image\" is not offered, only text is");
    EXPECT_EQ(refused(R"({"input":[]})", kResponses), "input: it is missing");
    EXPECT_EQ(refused(R"({"input":[3]})", kResponses), "input[0]: expected an object, got 3");
}

TEST(Tools, OfResponsesGetTheFormOfChat) {
    EXPECT_EQ(request_of(R"({"input":"u","tools":[{"type":"function","name":"f","strict":true}]})", kResponses).tools,
              R"([{"type":"function","function":{"name":"f","strict":true}}])");
    EXPECT_EQ(request_of(R"({"input":"u","tools":[{"type":"web_search"}]})", kResponses).tools,
              R"([{"type":"web_search"}])")
        << "the engine refuses it by its place";
}

TEST(Tools, MayBeJsonTextOnTheBus) {
    const auto call = read_call(
        base::Value::Object{{"tools", R"([{"type":"function","function":{"name":"f"}}])"}, {"tool_choice", "f"}}, kBus);
    ASSERT_TRUE(call) << call.error().message;
    EXPECT_EQ(call->request.tools, R"([{"type":"function","function":{"name":"f"}}])");
    EXPECT_EQ(call->request.tool_choice, protocol::ToolChoice::Named);
    EXPECT_EQ(call->request.tool_name, "f");
    EXPECT_EQ(read_call(base::Value::Object{{"tools", "[x"}}, kBus).error().message, "tools: it is not JSON");
    EXPECT_EQ(read_call(base::Value::Object{{"tools", "{\"a\":1}"}}, kBus).error().message,
              "tools: expected an array, got an object");
}

TEST(ToolChoice, IsAWordOrNamesAFunction) {
    const auto choice = [](const std::string& value) {
        return request_of(
            R"({"messages":[{"role":"user","content":"u"}],)" + kTools + ",\"tool_choice\":" + value + "}", kChat);
    };
    EXPECT_EQ(choice("\"none\"").tool_choice, protocol::ToolChoice::None);
    EXPECT_EQ(choice("\"auto\"").tool_choice, protocol::ToolChoice::Auto);
    EXPECT_EQ(choice("\"required\"").tool_choice, protocol::ToolChoice::Required);
    EXPECT_EQ(choice(R"({"type":"function","function":{"name":"f"}})").tool_name, "f");
    EXPECT_EQ(choice(R"({"type":"function","name":"f"})").tool_choice, protocol::ToolChoice::Named);
    const auto refusal = [](const std::string& fields) {
        return refused(R"({"messages":[{"role":"user","content":"u"}],)" + fields + "}", kChat);
    };
    EXPECT_EQ(refusal(kTools + R"(,"tool_choice":"maybe")"), "tool_choice: \"maybe\" is none of none, auto, required");
    EXPECT_EQ(refusal(kTools + R"(,"tool_choice":{"type":"function"})"), "tool_choice.name: it is missing");
    EXPECT_EQ(refusal(kTools + R"(,"tool_choice":{"type":"allowed_tools"})"),
              "tool_choice.type: \"allowed_tools\" is not offered, only function is");
    EXPECT_EQ(refusal(R"("tool_choice":"required")"), "tool_choice: there are no tools to choose from");
    EXPECT_EQ(refusal(R"("tool_choice":"auto")"), "accepted");
}

}  // namespace
}  // namespace llmd::api
