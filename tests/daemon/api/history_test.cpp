// Whatever llmd answered, and whatever a program keeps of it, is taken back as a conversation that has a place in every
// chat template.
#include "api/history.h"

#include <gtest/gtest.h>

#include "api/fields.h"

namespace llmd::api {
namespace {

using protocol::ChatMessage;
using protocol::ToolCall;
using Role = ChatMessage::Role;

ChatMessage user(std::string text) {
    return {.role = Role::User, .content = std::move(text)};
}
ChatMessage assistant(std::string text, std::vector<ToolCall> calls = {}) {
    return {.role = Role::Assistant, .content = std::move(text), .tool_calls = std::move(calls)};
}
ChatMessage result(std::string text, std::string id, std::string name = "") {
    return {
        .role = Role::Tool, .content = std::move(text), .tool_call_id = std::move(id), .tool_name = std::move(name)};
}

// "u:hello a:so[clock=c1] t:12:00(c1)"
std::string written(const std::vector<ChatMessage>& messages) {
    std::string out;
    for (const ChatMessage& message : messages) {
        out += (out.empty() ? "" : " ") + std::string(1, "suat"[static_cast<size_t>(message.role)]) + ':' +
               message.content;
        for (const ToolCall& call : message.tool_calls) out += '[' + call.name + '=' + call.id + ']';
        if (message.role == Role::Tool) out += '(' + message.tool_call_id + ')';
    }
    return out;
}

// Returns the mended conversation; each sentence of the notes is counted.
std::string mended(std::vector<ChatMessage> messages, size_t n_notes = 1) {
    std::vector<std::string> notes;
    mend_history(messages, notes);
    EXPECT_EQ(notes.size(), n_notes) << written(messages);
    for (const std::string& note : notes) EXPECT_TRUE(note.starts_with("messages: ")) << note;
    return written(messages);
}

TEST(History, AConversationThatNeedsNothingStaysAsItIs) {
    const ToolCall call{"c1", "clock", "{}"};
    for (const auto& messages : {std::vector{user("hi")},
                                 {user("hi"), assistant("so"), user("ho")},
                                 {user("hi"), user("you"), assistant("so"), assistant("then"), user("ho")},
                                 {user("hi"), assistant("", {call}), result("12", "c1"), assistant("noon")},
                                 {user("hi"), assistant("", {call}), result("12", ""), result("", "c1")},
                                 {user("hi"), assistant("so"), user(""), assistant("w")}}) {
        EXPECT_EQ(mended(messages, 0), written(messages));
    }
}

TEST(History, AnEmptyAnswerGoesAndItsNeighboursAreOne) {
    EXPECT_EQ(mended({user("hi"), assistant(""), user("you")}), "u:hi\n\nyou");
    EXPECT_EQ(mended({user("hi"), assistant(""), assistant(""), user("you"), assistant("so")}), "u:hi\n\nyou a:so");
    EXPECT_EQ(mended({assistant(""), user("you")}), "u:you");
    EXPECT_EQ(mended({user("you"), assistant("")}), "u:you");
    EXPECT_EQ(mended({user("you"), assistant("so"), assistant(""), user("ho")}), "u:you a:so u:ho");
    EXPECT_EQ(mended({assistant("")}), "");
    const ToolCall call{"c1", "clock", "{}"};
    EXPECT_EQ(mended({assistant("", {call}), result("1", "c1"), assistant(""), result("2", "c1")}),
              "a:[clock=c1] t:1(c1) t:2(c1)")
        << "results stay apart";
}

TEST(History, TwoAnswersAtTheEndAreOne) {
    EXPECT_EQ(mended({user("hi"), assistant("so"), assistant("then")}), "u:hi a:so\nthen");
    EXPECT_EQ(mended({user("hi"), assistant("so"), assistant("then"), assistant("", {{"c", "clock", "{}"}})}),
              "u:hi a:so\nthen[clock=c]");
}

TEST(History, AResultWhoseCallWasTrimmedStaysAToolsResult) {
    EXPECT_EQ(mended({result("12", "c9"), user("who")}), "a:[unknown_tool=c9] t:12(c9) u:who");
    EXPECT_EQ(mended({user("hi"), result("12", "", "clock")}), "u:hi a:[clock=] t:12()");
    EXPECT_EQ(mended({assistant("so", {{"c1", "clock", "{}"}}), result("12", "c1"), result("9", "c2", "date")}),
              "a:so[clock=c1] t:12(c1) a:[date=c2] t:9(c2)");
    EXPECT_EQ(mended({assistant("so"), result("12", "c2")}), "a:so[unknown_tool=c2] t:12(c2)");
    EXPECT_EQ(mended({assistant("", {{"", "clock", "{}"}}), result("1", ""), result("2", "")}),
              "a:[clock=] t:1() a:[unknown_tool=] t:2()");
}

TEST(History, ACallWithoutANameGoesWithWhatItLeavesEmpty) {
    EXPECT_EQ(mended({user("hi"), assistant("", {{"c1", "", ""}}), result("12", "c1")}, 3),
              "u:hi a:[unknown_tool=c1] t:12(c1)");
    EXPECT_EQ(mended({user("hi"), assistant("so", {{"c1", "", ""}, {"c2", "clock", "{}"}})}), "u:hi a:so[clock=c2]");
}

TEST(History, AMessageOfTheUserIsNeverMadeOfATool) {
    // Whatever is missing around it: what a tool has said is not trusted as what somebody says is.
    for (const auto& before : {std::vector<ChatMessage>{}, {user("a")}, {assistant("")}, {assistant("b")}}) {
        std::vector<ChatMessage> messages = before;
        messages.push_back(result("EVIL", "x"));
        std::vector<std::string> notes;
        mend_history(messages, notes);
        for (const ChatMessage& message : messages) {
            EXPECT_EQ(message.content.find("EVIL") != std::string::npos, message.role == Role::Tool)
                << written(messages);
        }
    }
}

// Every door reads it so, and says so.
TEST(History, IsMendedOnEveryDoor) {
    const std::string messages =
        R"([{"role":"user","content":"a"},{"role":"assistant","content":null},{"role":"user","content":"b"},)"
        R"({"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":)"
        R"({"name":"clock","arguments":"{\"zone\":"}}]},{"role":"tool","tool_call_id":"c1","content":null}])";
    for (const Dialect dialect : {kChat, kOllamaChat}) {
        const auto call = read_call(R"({"model":"m","messages":)" + messages + "}", dialect);
        ASSERT_TRUE(call) << call.error().message;
        EXPECT_EQ(written(call->request.messages), "u:a\n\nb a:[clock=c1] t:(c1)");
        EXPECT_EQ(call->request.messages[1].tool_calls[0].arguments, R"({"zone":)");
        EXPECT_EQ(call->notes.size(), 1u);
    }
    const auto responses =
        read_call(R"({"model":"m","input":[{"type":"function_call_output","call_id":"c9","output":"12"},)"
                  R"({"role":"assistant","content":""},{"role":"user","content":"b"}]})",
                  kResponses);
    ASSERT_TRUE(responses) << responses.error().message;
    EXPECT_EQ(written(responses->request.messages), "a:[unknown_tool=c9] t:12(c9) u:b");
    EXPECT_EQ(responses->notes.size(), 2u);
}

TEST(History, NothingIsAskedByEmptyAnswersAlone) {
    const auto call = read_call(R"({"model":"m","messages":[{"role":"assistant","content":""}]})", kChat);
    ASSERT_FALSE(call);
    EXPECT_EQ(call.error().message, "messages: there must be at least one");
}

}  // namespace
}  // namespace llmd::api
