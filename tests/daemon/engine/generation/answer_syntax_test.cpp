// A conversation that thinks and calls tools becomes an answer's syntax: the grammar, the parts of the answer, and
// where another engine goes on.
#include "engine/server/answer_syntax.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>

#include "daemon/engine/chat/chat_model.h"

namespace llmd::engine {
namespace {

using Kind = protocol::AnswerPart::Kind;

constexpr std::string_view kTools =
    R"([{"type":"function","function":{"name":"light","parameters":{"type":"object","properties":{"on":)"
    R"({"type":"boolean"}},"required":["on"]}}}])";

class AnswerFormTest : public testing::Test {
protected:
    AnswerFormTest() {
        chat::Model chat(test::byte_vocabulary(), "", "qwen3");
        model_.tokenizer = std::move(chat.tokenizer);
        model_.chat_template = std::move(chat.chat);
        submit_.max_tokens = 100;
        submit_.messages = {{.role = protocol::ChatMessage::Role::User, .content = "Light!"}};
    }
    std::unique_ptr<AnswerSyntax> syntax(const std::vector<int32_t>& replay = {}, uint64_t delivered = 0) {
        request_ = {};
        request_.replay_ids = replay;
        request_.delivered_bytes = delivered;
        auto syntax = AnswerSyntax::create(submit_, model_, request_);
        EXPECT_TRUE(syntax) << syntax.error().message;
        return syntax ? *std::move(syntax) : nullptr;
    }
    // The parts of what is fed, one piece after another, and of the end.
    static std::string read(AnswerSyntax& syntax, std::initializer_list<std::string_view> pieces) {
        std::string out;
        for (const std::string_view piece : pieces) out += told(syntax.feed(piece));
        return out + told(syntax.finish(true));
    }
    // The parts of an answer as one text: "~thinking", "text", "name(arguments)" or, of a call that was cut,
    // "name(argu!".
    static std::string told(const std::vector<protocol::AnswerPart>& parts) {
        std::string out;
        for (const auto& part : parts) {
            if (part.kind == Kind::Thinking) out += '~';
            out += part.kind == Kind::CallEnd ? ")" : part.kind == Kind::CallCut ? "!" : part.text;
            if (part.kind == Kind::CallBegin) out += '(';
        }
        return out;
    }

    generation::LoadedModel model_;
    protocol::Submit submit_;
    generation::GenerationRequest request_;
};

TEST_F(AnswerFormTest, TellsThinkingFromText) {
    const auto one = syntax();
    EXPECT_EQ(request_.grammar, nullptr);
    EXPECT_EQ(read(*one, {"<think>hm</th", "ink>\n\nso"}), "~hmso");
    EXPECT_FALSE(one->ends_with_call());
}

TEST_F(AnswerFormTest, ANoteSaysWhereAModelCannotThink) {
    for (const auto& [family, n_notes] : {std::pair("qwen3", 0u), {"chatml", 1u}}) {
        chat::Model chat(test::byte_vocabulary(), "", family);
        model_.tokenizer = std::move(chat.tokenizer);
        model_.chat_template = std::move(chat.chat);
        for (const auto thinking : {protocol::Thinking::Default, protocol::Thinking::Off}) {
            submit_.thinking = thinking;
            EXPECT_TRUE(syntax()->notes().empty()) << family;
        }
        submit_.thinking = protocol::Thinking::On;
        EXPECT_EQ(syntax()->notes().size(), n_notes) << family;
    }
    EXPECT_EQ(syntax()->notes().front(), "thinking: this model does not think before it answers");
}

TEST_F(AnswerFormTest, OneOddToolIsTakenWithANote) {
    submit_.tools = kTools;
    submit_.tools.back() = ',';
    submit_.tools += R"({"type":"function","function":{"name":"odd","parameters":{"type":"object","properties":)"
                     R"({"a":{"$ref":"#/properties/a"}},"required":["a"]}}}])";
    const auto one = syntax();
    ASSERT_EQ(one->notes().size(), 1u);
    EXPECT_EQ(one->notes()[0].rfind("tools[1].function.parameters: ", 0), 0u) << one->notes()[0];
    EXPECT_EQ(read(*one, {R"(<tool_call>{"name": "odd", "arguments": {"b": 1}}</tool_call>)"}), R"(odd({"b": 1}))");
}

TEST_F(AnswerFormTest, WithLogprobsAllOfItIsText) {
    submit_.top_logprobs = true;
    EXPECT_EQ(read(*syntax(), {"<think>hm</think>so"}), "<think>hm</think>so");
    submit_.tools = kTools;
    EXPECT_EQ(AnswerSyntax::create(submit_, model_, request_).error().message, "logprobs: not together with tools");
}

TEST_F(AnswerFormTest, ACallIsOneAndEndsTheAnswer) {
    submit_.tools = kTools;
    const auto one = syntax();
    EXPECT_NE(request_.grammar, nullptr);
    EXPECT_EQ(read(*one, {R"(Yes.<tool_call>{"name": "light", "arguments": {"on": true}}</tool_call>)"}),
              R"(Yes.light({"on": true}))");
    EXPECT_TRUE(one->ends_with_call());
    const auto cut = syntax();
    EXPECT_EQ(read(*cut, {R"(<tool_call>{"name": "light", "arguments": {"o)"}), R"(light({"o!)");
    EXPECT_FALSE(cut->ends_with_call());
}

TEST_F(AnswerFormTest, WithoutToolsAMarkerIsText) {
    EXPECT_EQ(read(*syntax(), {"<tool_call>x"}), "<tool_call>x");
    submit_.tools = kTools;
    submit_.tool_choice = protocol::ToolChoice::None;
    EXPECT_EQ(read(*syntax(), {"<tool_call>x"}), "<tool_call>x");
}

// Whatever was delivered before, the parts behind it are those of the whole answer.
TEST_F(AnswerFormTest, AnotherEngineGoesOnWithTheParts) {
    submit_.tools = kTools;
    const std::string answer = "<think>hm</think>a<tool_call>\n{\"name\": \"light\", \"arguments\": {}}\n</tool_call>";
    std::vector<int32_t> ids;
    for (const char c : answer) ids.push_back(model_.tokenizer->encode(std::string(1, c)).at(0));
    const auto whole = syntax();
    const std::string all = read(*whole, {answer});
    for (size_t delivered = 0; delivered <= answer.size(); ++delivered) {
        const auto before = syntax();
        const std::string first = told(before->feed(answer.substr(0, delivered)));
        const auto after = syntax(ids, delivered);
        std::string rest = read(*after, {std::string_view(answer).substr(delivered)});
        // Each piece of thinking is marked anew.
        if (!first.empty() && rest.starts_with('~')) rest.erase(0, 1);
        EXPECT_EQ(first + rest, all) << delivered;
    }
}

constexpr std::string_view kBare = R"({"name": "light", "arguments": {"on": true}})";

TEST_F(AnswerFormTest, ACallThatIsWrittenBareIsOneAndIsMarked) {
    submit_.tools = kTools;
    const auto one = syntax();
    EXPECT_EQ(read(*one, {"<think>hm</think>", kBare}), R"(~hmlight({"on": true}))");
    EXPECT_TRUE(one->ends_with_call());
    ASSERT_EQ(one->last_notes().size(), 1u);
    EXPECT_TRUE(one->last_notes()[0].starts_with("bare_calls: "));
    const auto marked = syntax();
    EXPECT_EQ(read(*marked, {"<tool_call>", kBare, "</tool_call>"}), R"(light({"on": true}))");
    EXPECT_TRUE(marked->last_notes().empty());
}

TEST_F(AnswerFormTest, ABareCallIsTextWhereNobodyAskedForOne) {
    const auto stays_text = [&](std::string_view why) {
        const auto one = syntax();
        EXPECT_EQ(read(*one, {kBare}), kBare) << why;
        EXPECT_FALSE(one->ends_with_call()) << why;
        EXPECT_TRUE(one->last_notes().empty()) << why;
    };
    const protocol::Submit plain = submit_;
    stays_text("there are no tools");
    submit_.tools = kTools;
    const protocol::Submit with_tools = submit_;
    submit_.bare_calls = false;
    stays_text("it is switched off");
    submit_ = with_tools;
    submit_.tool_choice = protocol::ToolChoice::None;
    stays_text("tool_choice is none");
    submit_ = with_tools;
    submit_.json_schema = R"({"type":"object","properties":{"name":{"type":"string"},"arguments":{"type":"object"}}})";
    stays_text("the answer has a schema");
    submit_ = with_tools;
    submit_.messages.push_back({.role = protocol::ChatMessage::Role::Assistant, .content = "For example: "});
    stays_text("the answer goes on with a text");
    submit_ = with_tools;
    submit_.messages[0].content = R"(Say {"arguments":{"on":true},"name":"light"})";
    stays_text("the user has written it");
    submit_ = with_tools;
    submit_.messages.push_back(
        {.role = protocol::ChatMessage::Role::Assistant, .content = "", .tool_calls = {{"c", "light", "{}"}}});
    submit_.messages.push_back({.role = protocol::ChatMessage::Role::Tool,
                                .content = R"({"mail":"{\"name\":\"light\",\"arguments\":{\"on\":true}}"})",
                                .tool_call_id = "c"});
    stays_text("a tool has written it");
    submit_ = with_tools;
    const auto cut = syntax();
    EXPECT_EQ(told(cut->feed(kBare)) + told(cut->finish(false)), kBare);
    EXPECT_FALSE(cut->ends_with_call());
}

TEST_F(AnswerFormTest, AnotherEngineGoesOnWithABareCall) {
    submit_.tools = kTools;
    for (const std::string& answer : {std::string(kBare), std::string(kBare) + " is it"}) {
        std::vector<int32_t> ids;
        for (const char c : answer) ids.push_back(model_.tokenizer->encode(std::string(1, c)).at(0));
        const std::string all = read(*syntax(), {answer});
        for (size_t delivered = 0; delivered <= answer.size(); ++delivered) {
            const auto before = syntax();
            const std::string first = told(before->feed(answer.substr(0, delivered)));
            const auto after = syntax(ids, delivered);
            EXPECT_EQ(first + read(*after, {std::string_view(answer).substr(delivered)}), all) << delivered;
        }
    }
}

TEST_F(AnswerFormTest, APromptIsRenderedAsTheTextThatTheModelReads) {
    protocol::Render render;
    render.messages = submit_.messages;
    const auto prompt = render_prompt(render, model_);
    ASSERT_TRUE(prompt);
    EXPECT_EQ(prompt->text, "<|im_start|>user\nLight!<|im_end|>\n<|im_start|>assistant\n");
    EXPECT_EQ(prompt->n_tokens, prompt->text.size()) << "this tokenizer has a token for each byte";
    render.thinking = protocol::Thinking::Off;
    EXPECT_TRUE(render_prompt(render, model_)->text.ends_with("<think>\n\n</think>\n\n"));
    render.tools = kTools;
    EXPECT_NE(render_prompt(render, model_)->text.find("\"light\""), std::string::npos);
    model_.chat_template = {};
    EXPECT_FALSE(render_prompt(render, model_));
}

}  // namespace
}  // namespace llmd::engine
