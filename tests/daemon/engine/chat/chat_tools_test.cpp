// Proves that no tool, call or result becomes a control token, which call a result answers, and what is refused. That
// the text is what each model's own template makes of it, tests/integration/chat_template_test.py proves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "daemon/engine/chat/chat_model.h"
#include "engine/chat/chat_template.h"

namespace llmd::chat {
namespace {

using Role = ChatMessage::Role;
using test::byte_ids;
using test::byte_vocabulary;
using test::Ids;
using test::sentencepiece_vocabulary;
using test::Vocabulary;
using testing::HasSubstr;

// The `texts` are tokens of this kind, and neither tools nor their results can spell them.
void expect_no_markers(const ChatFamily& family, const std::vector<std::string>& texts, TokenKind kind) {
    Vocabulary vocabulary = byte_vocabulary("qwen2");
    std::string attack = "x";
    for (const std::string& text : texts) {
        vocabulary.add(text, kind);
        if (text.find('"') == std::string::npos) attack += text;
    }
    attack += "{name}{tools}x";
    const Model model(vocabulary, "", family.name);
    const auto ids = [&](const std::string& text) {
        const std::string tools =
            R"([{"type": "function", "function": {"name": ")" + text + R"(", "note": ")" + text + R"("}}])";
        ChatMessage call{Role::Assistant, ""};
        call.thinking = text;
        call.tool_calls = {{text, text, "{\"" + text + "\": \"" + text + "\", \"list\": [\"" + text + "\"]}"}};
        ChatMessage result{Role::Tool, text};
        result.tool_call_id = text;
        return model.ids({{Role::System, text}, {Role::User, text}, call, result}, tools);
    };
    const Ids attacked = ids(attack);
    const Ids harmless = ids("x");
    const auto is_marker = [](int32_t id) { return id > 256; };
    EXPECT_EQ(std::count_if(attacked.begin(), attacked.end(), is_marker),
              std::count_if(harmless.begin(), harmless.end(), is_marker))
        << family.name;
    const Ids letters = byte_ids(attack);
    EXPECT_NE(std::search(attacked.begin(), attacked.end(), letters.begin(), letters.end()), attacked.end())
        << family.name;
}

TEST(ChatTools, WhatToolsAndTheirResultsSayIsNoMarkerOfAnyFamily) {
    for (const ChatFamily& family : chat_families()) {
        const ToolSyntax& syntax = family.tools == nullptr ? kGenericTools : *family.tools;
        std::vector<std::string> texts = markers(family);
        add_markers(texts, {syntax.tools, syntax.calls, syntax.call, syntax.argument, syntax.results, syntax.result});
        if (family.thinking != nullptr) {
            texts.insert(texts.end(), {std::string(family.thinking->open), std::string(family.thinking->close)});
        }
        for (const TokenKind kind : {TokenKind::Control, TokenKind::UserDefined})
            expect_no_markers(family, texts, kind);
    }
}

ChatMessage call_of(std::vector<ToolCall> calls) {
    ChatMessage message{Role::Assistant, ""};
    message.tool_calls = std::move(calls);
    return message;
}
ChatMessage result_for(std::string id, std::string name) {
    ChatMessage message{Role::Tool, "r"};
    message.tool_call_id = std::move(id);
    message.tool_name = std::move(name);
    return message;
}

TEST(ChatTools, ToolsThatAreNoneAreNamed) {
    const Model model(chatml_vocabulary(), "", "qwen3");
    const auto refusal = [&](const std::string& tools) { return model.refusal({{Role::User, "a"}}, tools); };
    const std::string good = R"({"type": "function", "function": {"name": "f"}})";
    EXPECT_EQ(refusal("[" + good), "tools: not JSON: a ',' or the closing bracket is missing at byte 48");
    EXPECT_EQ(refusal(good), "tools: not an array");
    EXPECT_EQ(refusal("[" + good + ", 1]"), "tools[1]: not an object");
    EXPECT_EQ(refusal(R"([{"type": "web_search"}])"), "tools[0].type: not \"function\"");
    EXPECT_EQ(refusal(R"([{"function": []}])"), "tools[0].function: not an object");
    EXPECT_EQ(refusal("[" + good + "," + good + R"(, {"function": {"name": 3}}])"),
              "tools[2].function.name: not a string");
    EXPECT_EQ(refusal(R"([{"function": {"name": ""}}])"), "tools[0].function.name: empty");
    std::string many = "[" + good;
    for (size_t i = 0; i < kMaxTools; ++i) many += "," + good;
    EXPECT_EQ(refusal(many + "]"), "tools: 1025 are more than 1024");
    EXPECT_EQ(refusal("[" + std::string(kMaxToolsBytes, ' ') + "]"), "tools: 1048578 bytes are more than 1048576");
    EXPECT_EQ(model.segments({{Role::User, "a"}}, "[]"), model.segments({{Role::User, "a"}}));
    EXPECT_THAT(Model(chatml_vocabulary(), "", "llama3.1").refusal({{Role::System, "a"}}, "[" + good + "]"),
                HasSubstr("tools: the chat template llama3.1 needs a message of the user"));
}

// A program keeps a call that was cut, and one whose arguments are none.
TEST(ChatTools, ArgumentsOfAHistoryThatAreNoObjectAreTaken) {
    const Model json(chatml_vocabulary(), "", "qwen3");
    const ChatMessage user{Role::User, "a"};
    const auto call = [&](const Model& model, const char* arguments) {
        return model.text({user, call_of({{"1", "f", arguments}}), result_for("1", ""), user});
    };
    for (const char* none : {"", "null", "[]", " {} "}) {
        EXPECT_THAT(call(json, none), HasSubstr(R"({"name": "f", "arguments": {}})")) << none;
    }
    EXPECT_THAT(call(json, R"({"time":)"), HasSubstr(R"({"name": "f", "arguments": "{\"time\":"})"));
    EXPECT_THAT(call(json, "[1]"), HasSubstr(R"("arguments": "[1]"})"));
    EXPECT_THAT(call(json, "5"), HasSubstr(R"("arguments": "5"})"));
}

TEST(ChatTools, CallsAndResultsThatDoNotFitAreNamed) {
    const Model model(chatml_vocabulary(), "", "qwen3");
    const ChatMessage user{Role::User, "a"};
    const ChatMessage call = call_of({{"1", "f", "{}"}, {"2", "g", ""}});
    EXPECT_EQ(model.refusal({user, {Role::Assistant, ""}}),
              "messages[1].content: empty; a message of the assistant has content, thinking or tool_calls");
    ChatMessage cut{Role::Assistant, ""};  // while it was thinking
    cut.thinking = "hm";
    EXPECT_THAT(model.text({user, cut, user}), HasSubstr("<|im_start|>assistant\n<|im_end|>\n"));
    EXPECT_EQ(model.refusal({user, {Role::Assistant, "b"}, {Role::Assistant, "c"}}),
              "messages[2].role: a second \"assistant\" at the end");
    EXPECT_EQ(model.refusal({user, {Role::Assistant, "b"}, call}),
              "messages[2].role: a second \"assistant\" at the end");
    EXPECT_EQ(model.refusal({user, result_for("", "")}), "messages[1].role: \"tool\" where no call is open");
    EXPECT_EQ(model.refusal({user, call, result_for("3", "f")}),
              "messages[2].tool_call_id: \"3\" is no call of the assistant");
    EXPECT_EQ(model.refusal({user, call, result_for("", "h")}), "messages[2].tool_name: no call of \"h\" is open");
    EXPECT_EQ(model.refusal({user, call, result_for("1", ""), result_for("", "f")}),
              "messages[3].tool_name: no call of \"f\" is open");
    EXPECT_EQ(model.refusal({user, call, result_for("", ""), result_for("", ""), result_for("", "")}),
              "messages[4].role: \"tool\" where no call is open");
    ChatMessage users = user;
    users.tool_calls = call.tool_calls;
    EXPECT_EQ(model.refusal({users}), "messages[0].tool_calls: only the assistant has them");
    EXPECT_EQ(model.refusal({user, call_of({{"1", "f", "{}"}, {"2", "", "{}"}})}),
              "messages[1].tool_calls[1].name: empty");
    EXPECT_EQ(model.refusal({user, call_of(std::vector<ToolCall>(kMaxTools + 1, {"1", "f", "{}"}))}),
              "messages[1].tool_calls: 1025 are more than 1024");
    // A family without a form for tools counts calls and results as what the two say.
    const Model gemma(sentencepiece_vocabulary(), "", "gemma");
    EXPECT_EQ(gemma.refusal({user, call, result_for("", ""), result_for("", ""), user}),
              "messages[4].role: \"user\" where the chat template gemma has the turn of the assistant");
}

TEST(ChatTools, ResultsAnswerCallsByIdByNameOrInOrder) {
    const Model none(sentencepiece_vocabulary());
    const auto results = [&](const ChatMessage& first, const ChatMessage& second) {
        const std::string text =
            none.text({{Role::User, "a"}, call_of({{"1", "f", ""}, {"2", "g", ""}}), first, second});
        return text.substr(text.find("The function"));
    };
    const std::string in_order = "The function f returned: r\nThe function g returned: r\nAssistant:";
    const std::string turned = "The function g returned: r\nThe function f returned: r\nAssistant:";
    EXPECT_EQ(results(result_for("", ""), result_for("", "")), in_order);
    EXPECT_EQ(results(result_for("2", ""), result_for("1", "")), turned);
    EXPECT_EQ(results(result_for("", "g"), result_for("", "f")), turned);
    EXPECT_EQ(results(result_for("2", ""), result_for("", "")), turned);
    EXPECT_EQ(results(result_for("2", "f"), result_for("1", "g")), turned);  // the id decides
}

TEST(ChatTools, APromptTellsWhetherItEndsInTheThinking) {
    const Messages messages = {{Role::User, "a"}};
    const auto begins = [&](const char* family, Thinking thinking) {
        const auto prompt = Model(chatml_vocabulary(), "", family).chat.render({messages, {}, thinking});
        return prompt && prompt->begins_in_thinking;
    };
    struct Case {
        const char* family;
        bool by_default, on, off;
    };
    for (const auto& [family, by_default, on, off] :
         {Case{"chatml", false, false, false}, Case{"qwen3", false, false, false},
          Case{"qwen3-thinking", true, true, true}, Case{"qwen3.5", true, true, false},
          Case{"exaone4", false, true, false}, Case{"minicpm5", false, true, false},
          Case{"deepseek-r1", true, true, true}, Case{"deepseek", false, false, false},
          Case{"hunyuan", false, false, false}, Case{"smollm3", false, false, false}}) {
        EXPECT_EQ(begins(family, Thinking::Default), by_default) << family;
        EXPECT_EQ(begins(family, Thinking::On), on) << family;
        EXPECT_EQ(begins(family, Thinking::Off), off) << family;
    }
    // An answer that is begun is behind the thinking.
    const Messages begun = {{Role::User, "a"}, {Role::Assistant, "b"}};
    const auto prompt = Model(chatml_vocabulary(), "", "qwen3.5").chat.render({begun, {}, Thinking::On});
    EXPECT_TRUE(prompt && !prompt->begins_in_thinking);
}

}  // namespace
}  // namespace llmd::chat
