// The grammar and the reader rely on properties of the table of syntaxes, and on control tokens that spell markers.
#include "engine/chat/call_syntax.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "daemon/engine/tokenizer/vocabularies.h"
#include "engine/tokenizer/stream_detokenizer.h"

namespace llmd::chat {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using tokenizer::TokenKind;

TEST(CallSyntax, TheTableIsConsistent) {
    std::set<std::string_view> names;
    for (const CallSyntax* syntax : call_syntaxes()) {
        SCOPED_TRACE(syntax->name);
        EXPECT_TRUE(names.insert(syntax->name).second);
        const std::string first = std::string(syntax->begin) + std::string(syntax->call_begin);
        EXPECT_TRUE(first.starts_with(syntax->marker));
        EXPECT_EQ(syntax->marker.empty(), !syntax->many);
        EXPECT_EQ(syntax->is_list(), !syntax->begin.empty());
        // Only a list says where its calls end, and only JSON where it ends itself.
        EXPECT_FALSE(syntax->name_end.empty());
        EXPECT_TRUE(!syntax->call_end.empty() || syntax->arguments == ArgumentSyntax::Json);
        const bool is_json = syntax->arguments == ArgumentSyntax::Json;
        EXPECT_EQ(syntax->parameter_name_end.empty(), is_json);
        EXPECT_EQ(syntax->parameter_end.empty(), syntax->arguments != ArgumentSyntax::Parameters);
        // The first byte of the marker and of the end of a text occurs in it once, as the lengths of texts assume.
        for (const std::string_view end : {syntax->parameter_end, kBracesQuote}) {
            if (!end.empty()) {
                EXPECT_EQ(end.find(end[0], 1), std::string_view::npos);
            }
        }
    }
}

TEST(CallSyntax, MarkersAreControlTokensThatTheSyntaxNames) {
    test::Vocabulary vocabulary = test::byte_vocabulary();
    const int32_t end = vocabulary.add("<|im_end|>", TokenKind::Control);
    const int32_t begin_call = vocabulary.add("<tool_call>", TokenKind::Control);
    vocabulary.add("</tool_call>", TokenKind::Normal);
    const int32_t think = vocabulary.add("<think>", TokenKind::Control);
    vocabulary.add("<|vision|>", TokenKind::Control);
    const int32_t quote = vocabulary.add("<|\"|>", TokenKind::Control);
    auto created = test::create_tokenizer(vocabulary);
    ASSERT_TRUE(created) << created.error().message;
    const tokenizer::Tokenizer& tokenizer = **created;

    EXPECT_THAT(marker_tokens(tokenizer, &kHermesCalls, &kThinkTags), ElementsAre(begin_call, think));
    EXPECT_THAT(marker_tokens(tokenizer, &kGemma4Calls, nullptr), ElementsAre(quote));
    EXPECT_THAT(marker_tokens(tokenizer, &kMistralCalls, nullptr), IsEmpty());
    // The token that ends generation is none, whatever the syntax is.
    const CallSyntax odd{.marker = "<|im_end|>", .call_begin = "<|im_end|>"};
    EXPECT_THAT(marker_tokens(tokenizer, &odd, nullptr), IsEmpty());

    tokenizer::StreamDetokenizer with(tokenizer, {"stop"}, marker_tokens(tokenizer, &kHermesCalls, nullptr));
    tokenizer::StreamDetokenizer without(tokenizer, {"stop"});
    for (const int32_t id : {static_cast<int32_t>('a'), begin_call, think, end}) {
        EXPECT_EQ(with.push(id), id == 'a' ? "a" : id == begin_call ? "<tool_call>" : "");
        EXPECT_EQ(without.push(id), id == 'a' ? "a" : "");
    }
}

}  // namespace
}  // namespace llmd::chat
