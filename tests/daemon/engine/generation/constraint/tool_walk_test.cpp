// Random tool sets: every walk through the grammar of an answer is read, however it is cut, as calls of known tools
// with arguments that fit their schemas.
#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "answer_shapes.h"

namespace llmd::constraint {
namespace {

using chat::CallSyntax;
using chat::Tool;
using test::read;
using test::ReadAnswer;
using test::ReadCall;
using test::tools_of;

class RandomTools {
public:
    explicit RandomTools(std::mt19937& random) : random_(random) {}

    std::string list() {
        std::string text = "[";
        const uint32_t n = 1 + random_() % 5;
        for (uint32_t i = 0; i < n; ++i) {
            const std::string name =
                std::string(random_() % 2, 'g') + std::string(1 + i, 'x') + pick({"", ".a", "_b", "-"});
            text += base::concat(i == 0 ? "" : ",", R"({"type":"function","function":{"name":")", name, '"');
            if (random_() % 4 != 0) text += R"(,"parameters":)" + object(2);
            text += "}}";
        }
        return text + "]";
    }

private:
    std::string pick(const std::vector<std::string>& any) { return any[random_() % any.size()]; }

    std::string object(uint32_t depth) {
        std::string properties, required;
        const uint32_t n = random_() % 4;
        for (uint32_t i = 0; i < n; ++i) {
            const std::string name = pick({"a", "aa", "ab", "b c", "\xC3\xA9", "null", "a/b~"}) + std::to_string(i);
            properties += (i == 0 ? "\"" : ",\"") + name + "\":" + value(depth);
            if (random_() % 2 == 0) required += (required.empty() ? "\"" : ",\"") + name + '"';
        }
        return R"({"type":"object","properties":{)" + properties + R"(},"required":[)" + required +
               R"(],"additionalProperties":false})";
    }

    std::string value(uint32_t depth) {
        const uint32_t least = random_() % 4;
        const uint32_t most = least + random_() % 6;
        const std::string lengths =
            base::concat(R"({"type":"string","minLength":)", least, R"(,"maxLength":)", most, "}");
        switch (random_() % (depth > 0 ? 18 : 16)) {
            case 0:
                return R"({"type":"string"})";
            case 1:
                return lengths;
            case 2:
                return R"({"enum":["red","re","green <|\"","true","\n</x"]})";
            case 3:
                return R"({"anyOf":[)" + lengths + R"(,{"type":"null"}]})";
            case 4:
                return R"({"type":["string","integer","null"]})";
            case 5:
                return R"({"type":"integer","minimum":-3,"maximum":12})";
            case 6:
                return R"({"type":"boolean"})";
            case 7:
                return R"({"type":"string","format":"date"})";
            case 8:
                return R"({"type":["number","boolean"]})";
            case 9:
                return R"({"const":"x"})";
            case 10:
                return R"({"enum":["a",null,"null"]})";
            case 11:
                return R"({"type":"string","pattern":"^[a-c</]{1,4}$"})";
            case 12:
                return R"({"type":"string","format":"ipv4","nullable":true})";
            case 13:
                return R"({"type":"string","allOf":[)" + lengths + "]}";
            case 14:
                return R"({"type":"number","multipleOf":0.5,"minimum":0})";
            case 15:
                return R"({"oneOf":[{"type":"boolean"},)" + lengths + "]}";
            case 16:
                return R"({"type":"array","maxItems":3,"items":)" + value(depth - 1) + "}";
            default:
                return object(depth - 1);
        }
    }

    std::mt19937& random_;
};

// Walks through the grammar: now and then a text that closes something, if it may come, else a byte.
class Walk {
public:
    Walk(std::shared_ptr<const Grammar> grammar, const CallSyntax& syntax, std::mt19937& random)
        : automaton_(std::move(grammar)), state_(automaton_.start()), random_(random) {
        for (const std::string_view text :
             {syntax.parameter_end, syntax.marker, syntax.call_end, chat::kBracesQuote, std::string_view("</think>")}) {
            if (!text.empty()) closers_.emplace_back(text);
        }
        for (const char* text : {"\"", "'", "]", "}", "<", "[", "{\"name\": \""}) closers_.emplace_back(text);
    }

    // Returns false if nothing can follow and the text is not complete.
    bool step() {
        if (random_() % 3 == 0) {
            const std::string& closer = closers_[random_() % closers_.size()];
            if (take(closer)) return true;
        }
        std::vector<char> bytes;
        for (int byte = 0; byte < 256; ++byte) {
            make_room();
            const bool is_whole = byte == '\n' || (byte >= 0x20 && byte < 0x7F);
            // Text is any bytes, and only the values are held to UTF-8.
            if (!is_whole && !is_in_character_ && automaton_.advance(state_, 0xFF) != Automaton::kDead) continue;
            if (automaton_.advance(state_, static_cast<uint8_t>(byte)) != Automaton::kDead) {
                bytes.push_back(static_cast<char>(byte));
            }
        }
        if (bytes.empty()) return automaton_.is_complete(state_);
        EXPECT_TRUE(take(std::string(1, bytes[random_() % bytes.size()])));
        is_in_character_ = base::valid_utf8_prefix(text_) != text_.size();
        return true;
    }
    bool is_complete() const { return automaton_.is_complete(state_); }
    bool is_final() const { return automaton_.is_final(state_); }
    const std::string& text() const { return text_; }

private:
    void make_room() {
        if (automaton_.is_full()) automaton_.compact(std::span(&state_, 1));
    }
    bool take(const std::string& text) {
        Automaton::State state = state_;
        for (const char c : text) {
            if (automaton_.is_full()) return false;
            state = automaton_.advance(state, static_cast<uint8_t>(c));
            if (state == Automaton::kDead) return false;
        }
        state_ = state;
        text_ += text;
        return true;
    }

    Automaton automaton_;
    Automaton::State state_;
    std::mt19937& random_;
    std::vector<std::string> closers_;
    std::string text_;
    bool is_in_character_ = false;
};

// Checks the calls of an answer, whether or not it is whole.
void check_calls(const AnswerShape& shape, const ReadAnswer& answer, const std::string& text) {
    simdjson::dom::parser parser;
    EXPECT_TRUE(answer.is_in_order) << text;
    for (const ReadCall& call : answer.calls) {
        const auto tool = std::find_if(shape.tools.begin(), shape.tools.end(),
                                       [&](const Tool& one) { return one.name == call.name; });
        ASSERT_NE(tool, shape.tools.end()) << text;
        if (shape.choice.kind == ToolChoice::Kind::Named) {
            EXPECT_EQ(call.name, shape.choice.name);
        }
        if (!call.finished) continue;
        EXPECT_EQ(parser.parse(call.arguments).error(), simdjson::SUCCESS) << call.arguments << " of " << text;
        if (tool->parameters.empty()) {
            EXPECT_EQ(call.arguments, "{}");
        } else {
            EXPECT_TRUE(test::matches(tool->parameters, call.arguments))
                << call.arguments << " of " << text << " for " << tool->parameters;
        }
    }
}

TEST(ToolWalk, EveryWalkIsReadAsCallsThatFit) {
    constexpr int kSteps = 1500;
    std::mt19937 random(11);
    size_t n_whole = 0, n_calls = 0, n_walks = 0;
    for (int round = 0; round < 25; ++round) {
        const auto tools = tools_of(RandomTools(random).list());
        for (const CallSyntax* syntax : chat::call_syntaxes()) {
            SCOPED_TRACE(syntax->name);
            AnswerShape shape{.tools = tools, .syntax = syntax};
            shape.choice.kind =
                std::vector{ToolChoice::Kind::Auto, ToolChoice::Kind::Required, ToolChoice::Kind::Named}[random() % 3];
            shape.choice.name = tools[random() % tools.size()].name;
            shape.choice.parallel = random() % 2 == 0;
            if (random() % 3 == 0) shape.thinking = chat::kThinkTags;
            shape.begins_in_thinking = shape.thinking && random() % 2 == 0;
            const auto grammar = compile_answer_grammar(shape);
            ASSERT_TRUE(grammar) << grammar.error().message;
            Walk walk(grammar->grammar, *syntax, random);
            for (int i = 0; i < kSteps && !walk.is_final(); ++i) {
                ASSERT_TRUE(walk.step()) << "nothing follows " << walk.text();
                if (walk.is_complete() && random() % 50 == 0) break;
            }
            const std::string text = walk.text().substr(0, base::valid_utf8_prefix(walk.text()));
            const ReadAnswer answer = read(shape, text);
            check_calls(shape, answer, text);
            for (int cut = 0; cut < 3; ++cut) EXPECT_EQ(read(shape, text, &random), answer) << text;
            ++n_walks;
            if (!walk.is_complete()) continue;
            ++n_whole;
            n_calls += answer.calls.size();
            for (const ReadCall& call : answer.calls) EXPECT_TRUE(call.finished) << text;
            if (shape.choice.kind != ToolChoice::Kind::Auto) {
                EXPECT_GE(answer.calls.size(), 1u) << text;
                EXPECT_EQ(answer.text, "") << text;
            }
            if (!shape.choice.parallel || !syntax->many) {
                EXPECT_LE(answer.calls.size(), 1u) << text;
            }
        }
    }
    // The walks prove something only if most of them end, with calls.
    EXPECT_GT(n_whole, n_walks * 3 / 4);
    EXPECT_GT(n_calls, n_walks / 2);
}

}  // namespace
}  // namespace llmd::constraint
