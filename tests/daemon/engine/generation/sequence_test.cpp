#include "engine/generation/sequence.h"

#include <gtest/gtest.h>

#include "fake_model.h"

namespace llmd::generation {
namespace {

constexpr SequenceLimits kLimits = {.n_ctx = 20, .n_vocab = 257};

GenerationRequest request_of(std::string prompt, uint32_t max_tokens = 100) {
    GenerationRequest request;
    request.id = 1;
    request.prompt = std::move(prompt);
    request.max_tokens = max_tokens;
    return request;
}

base::Error refusal(const GenerationRequest& request, const test::ByteTokenizer& tokenizer = test::ByteTokenizer()) {
    const auto sequence = Sequence::create(request, tokenizer, kLimits);
    return sequence ? base::Error{base::ErrorCode::Failed, "not refused"} : sequence.error();
}

TEST(Sequence, RefusesAPromptThatFillsTheContextNamingBothNumbers) {
    const test::ByteTokenizer tokenizer;
    EXPECT_TRUE(Sequence::create(request_of(std::string(19, 'a')), tokenizer, kLimits));
    const auto error = refusal(request_of(std::string(20, 'a')));
    EXPECT_EQ(error.code, base::ErrorCode::ContextExceeded);
    EXPECT_NE(error.message.find("20 tokens"), std::string::npos) << error.message;
    EXPECT_NE(error.message.find("length is 20 tokens"), std::string::npos) << error.message;
}

// Must not be asked for the tokens of a text.
class RefusingTokenizer : public test::ByteTokenizer {
public:
    std::vector<int32_t> encode_scanned(std::string_view, const tokenizer::Scan&) const override {
        ADD_FAILURE() << "a prompt that cannot fit was tokenized";
        return {};
    }
};

TEST(Sequence, RefusesAPromptOfMegabytesWithoutTokenizingIt) {
    const RefusingTokenizer tokenizer;
    const auto error = refusal(request_of(std::string(4u << 20, 'a')), tokenizer);
    EXPECT_EQ(error.code, base::ErrorCode::ContextExceeded);
    EXPECT_NE(error.message.find("at least 1048576 tokens"), std::string::npos) << error.message;
    auto conversation = request_of("");
    conversation.conversation.assign(2, {std::string(1u << 20, 'a'), tokenizer::SpecialTokens::Literal});
    EXPECT_EQ(refusal(conversation, tokenizer).code, base::ErrorCode::ContextExceeded);
}

TEST(Sequence, AnEmptyPromptBecomesTheModelsOwnBeginning) {
    const test::ByteTokenizer tokenizer;
    const auto sequence = Sequence::create(request_of(""), tokenizer, kLimits);
    ASSERT_TRUE(sequence);
    EXPECT_EQ(std::vector<int32_t>(sequence->ids().begin(), sequence->ids().end()), std::vector<int32_t>{256});
    const auto error = refusal(request_of(""), test::ByteTokenizer(-1));
    EXPECT_EQ(error.code, base::ErrorCode::InvalidArgument);
    EXPECT_TRUE(error.message.starts_with("prompt"));
}

TEST(Sequence, RefusesFieldsByName) {
    const auto names = [](const GenerationRequest& bad, const char* field) {
        const auto error = refusal(bad);
        return error.code == base::ErrorCode::InvalidArgument && error.message.starts_with(field);
    };
    auto bad = request_of("a");
    bad.stops = {"x", ""};
    EXPECT_TRUE(names(bad, "stop"));
    bad = request_of("a");
    bad.replay_ids = {1, -1};
    EXPECT_TRUE(names(bad, "replay_ids"));
    bad.replay_ids = {257};
    EXPECT_TRUE(names(bad, "replay_ids"));
    bad = request_of("a");
    bad.sampling.temperature = -1;
    EXPECT_TRUE(names(bad, "temperature"));
    bad = request_of("a");
    bad.sampling.logit_bias = {{257, 1}};
    EXPECT_TRUE(names(bad, "logit_bias"));
    for (const int32_t id : {-1, 257}) {
        bad = request_of("a");
        bad.sampling.stop_token_ids = {3, id};
        EXPECT_TRUE(names(bad, "stop_token_ids[1]"));
    }
    bad.sampling.stop_token_ids.assign(kMaxStopTokenIds + 1, 1);
    EXPECT_TRUE(names(bad, "stop_token_ids: 65"));
    bad = request_of("a", 5);
    bad.sampling.min_tokens = 6;
    EXPECT_TRUE(names(bad, "min_tokens"));
    bad = request_of("a");
    bad.replay_ids = {'x'};
    bad.delivered_bytes = 2;
    EXPECT_TRUE(names(bad, "delivered_bytes"));
    bad.replay_ids = {0xC3, 0xA4};  // ä, cut in its middle
    bad.delivered_bytes = 1;
    EXPECT_TRUE(names(bad, "delivered_bytes"));
}

// The caller's ids are the prompt: nothing is put before it, and nothing that does not exist is taken.
TEST(Sequence, TakesAPromptOfIdsAsItIs) {
    const RefusingTokenizer tokenizer;
    auto given = request_of("");
    given.prompt_ids = {256, 'a', 'b'};
    uint32_t n_prompt = 0;
    const auto sequence = Sequence::create(given, tokenizer, kLimits, nullptr, &n_prompt);
    ASSERT_TRUE(sequence);
    EXPECT_EQ(std::vector<int32_t>(sequence->ids().begin(), sequence->ids().end()), given.prompt_ids);
    EXPECT_EQ(n_prompt, 3u);
    for (const int32_t bad : {-1, 257}) {
        given.prompt_ids[2] = bad;
        const auto error = refusal(given);
        EXPECT_EQ(error.code, base::ErrorCode::InvalidArgument);
        EXPECT_EQ(error.message, base::concat("prompt[2]: ", bad, " is not in the vocabulary of 257"));
    }
    given.prompt_ids.assign(20, 'a');
    EXPECT_EQ(refusal(given).code, base::ErrorCode::ContextExceeded);
}

TEST(Sequence, EndsAtMaxTokens) {
    const test::ByteTokenizer tokenizer;
    auto sequence = Sequence::create(request_of("abc", 2), tokenizer, kLimits);
    ASSERT_TRUE(sequence);
    EXPECT_TRUE(sequence->accept('x'));
    EXPECT_FALSE(sequence->end());
    EXPECT_TRUE(sequence->accept('y'));
    EXPECT_EQ(sequence->end(), End::Length);
    EXPECT_EQ(sequence->take_text(), "xy");
}

TEST(Sequence, EndsAtTheContext) {
    const test::ByteTokenizer tokenizer;
    auto sequence = Sequence::create(request_of("0123456789abcdefg"), tokenizer, kLimits);  // 17 tokens: 3 more fit
    ASSERT_TRUE(sequence);
    for (const char c : {'x', 'y', 'z'}) EXPECT_TRUE(!sequence->end() && sequence->accept(c));
    EXPECT_EQ(sequence->end(), End::Length);
}

TEST(Sequence, EndsAtTheEndTokenWhichIsNoPartOfIt) {
    const test::ByteTokenizer tokenizer;
    auto sequence = Sequence::create(request_of("abc"), tokenizer, kLimits);
    ASSERT_TRUE(sequence);
    EXPECT_TRUE(sequence->accept('x'));
    EXPECT_FALSE(sequence->accept(test::ByteTokenizer::kEnd));
    EXPECT_EQ(sequence->end(), End::Stop);
    EXPECT_EQ(sequence->ids().size(), 4u);
    EXPECT_EQ(sequence->take_text(), "x");
}

std::vector<int32_t> banned(const Sequence& sequence) {
    const auto ids = sequence.banned_ids();
    return {ids.begin(), ids.end()};
}

TEST(Sequence, StopTokensEndItAndAreNoPartOfIt) {
    const test::ByteTokenizer tokenizer;
    auto with_stop = request_of("abc");
    with_stop.sampling.stop_token_ids = {'q', 'r'};
    for (const int32_t end : {int32_t{'q'}, int32_t{'r'}, test::ByteTokenizer::kEnd}) {
        auto sequence = Sequence::create(with_stop, tokenizer, kLimits);
        ASSERT_TRUE(sequence);
        EXPECT_EQ(banned(*sequence), std::vector<int32_t>());
        EXPECT_TRUE(sequence->accept('x'));
        EXPECT_FALSE(sequence->accept(end));
        EXPECT_EQ(sequence->end(), End::Stop);
        EXPECT_EQ(sequence->take_text(), "x");
    }
}

TEST(Sequence, UntilMinTokensEndAndStopTokensAreBanned) {
    const test::ByteTokenizer tokenizer;
    auto request = request_of("abc", 5);
    request.sampling.stop_token_ids = {'q'};
    request.sampling.min_tokens = 2;
    const std::vector<int32_t> all = {test::ByteTokenizer::kEnd, 'q'};
    for (const bool ignore_eos : {false, true}) {
        request.sampling.ignore_eos = ignore_eos;
        auto sequence = Sequence::create(request, tokenizer, kLimits);
        ASSERT_TRUE(sequence);
        EXPECT_EQ(banned(*sequence), all);
        EXPECT_TRUE(sequence->accept('x'));
        EXPECT_EQ(banned(*sequence), all);
        sequence->arrive(4, false);
        sequence->schedule(0, true);
        const std::vector<int32_t> later = {test::ByteTokenizer::kEnd};
        EXPECT_EQ(banned(*sequence), ignore_eos ? later : std::vector<int32_t>()) << "the one after that in flight";
        sequence->recall();
        EXPECT_TRUE(sequence->accept('y'));
        EXPECT_EQ(banned(*sequence), ignore_eos ? later : std::vector<int32_t>());
    }
}

// A stop string may begin behind min_tokens only, where text has not been delivered yet.
TEST(Sequence, StopStringsAreLookedForBehindMinTokens) {
    const test::ByteTokenizer tokenizer;
    auto request = request_of("a", 10);
    request.stops = {"END"};
    const auto text_of = [&](uint32_t min_tokens, const std::string& answer) {
        request.sampling.min_tokens = min_tokens;
        auto sequence = Sequence::create(request, tokenizer, kLimits);
        EXPECT_TRUE(sequence);
        for (const char c : answer) {
            if (sequence->end()) break;
            EXPECT_TRUE(sequence->accept(c));
        }
        return sequence->take_text() + (sequence->end() == End::Stop ? "|" : "");
    };
    EXPECT_EQ(text_of(0, "xENDyENDz"), "x|");
    EXPECT_EQ(text_of(1, "xENDyENDz"), "x|");
    EXPECT_EQ(text_of(2, "xENDyENDz"), "xENDy|");
    EXPECT_EQ(text_of(4, "xENDyENDz"), "xENDy|");
    EXPECT_EQ(text_of(6, "xENDyENDz"), "xENDyENDz");
    EXPECT_EQ(text_of(4, "xENDEND"), "xEND|");
}

TEST(Sequence, StopStringsEndItAndNeverShow) {
    const test::ByteTokenizer tokenizer;
    auto with_stop = request_of("abc");
    with_stop.stops = {"END"};
    auto sequence = Sequence::create(with_stop, tokenizer, kLimits);
    ASSERT_TRUE(sequence);
    std::string text;
    for (const char c : std::string("oEN")) {
        EXPECT_TRUE(sequence->accept(c));
        text += sequence->take_text();
    }
    EXPECT_EQ(text, "o");
    EXPECT_TRUE(sequence->accept('D'));
    EXPECT_EQ(sequence->end(), End::Stop);
    EXPECT_EQ(text + sequence->take_text(), "o");
}

TEST(Sequence, WhatAStopStringHeldBackComesAtTheEnd) {
    const test::ByteTokenizer tokenizer;
    auto with_stop = request_of("abc", 3);
    with_stop.stops = {"END"};
    auto sequence = Sequence::create(with_stop, tokenizer, kLimits);
    ASSERT_TRUE(sequence);
    for (const char c : std::string("oEN")) EXPECT_TRUE(sequence->accept(c));
    EXPECT_EQ(sequence->end(), End::Length);
    EXPECT_EQ(sequence->take_text(), "oEN");
}

// Every place where an engine may die: the ids that were sent, and the text that went with them.
TEST(Sequence, ReplayFromEveryCutGivesTheSameText) {
    const test::ByteTokenizer tokenizer;
    auto whole = request_of("abc", 16);
    whole.stops = {"END", "xyz", "a"};
    whole.sampling.min_tokens = 3;
    const std::vector<int32_t> answer = {'a', 0xC3, 0xA4, 'E', 'N', 'x', 'y', 0xE2, 0x82, 0xAC, 0xFF, 'E', 'N', 'D'};
    auto sequence = Sequence::create(whole, tokenizer, kLimits);
    ASSERT_TRUE(sequence);
    std::vector<size_t> delivered = {0};
    std::string text;
    for (const int32_t id : answer) {
        EXPECT_TRUE(sequence->accept(id));
        text += sequence->take_text();
        delivered.push_back(text.size());
    }
    ASSERT_EQ(sequence->end(), End::Stop);
    for (size_t cut = 0; cut <= answer.size(); ++cut) {
        for (size_t bytes = 0; bytes <= cut; ++bytes) {  // frames lost on the way, too
            auto resumed = whole;
            resumed.replay_ids.assign(answer.begin(), answer.begin() + static_cast<ptrdiff_t>(cut));
            resumed.delivered_bytes = delivered[bytes];
            auto replay = Sequence::create(resumed, tokenizer, kLimits);
            ASSERT_TRUE(replay) << replay.error().message;
            EXPECT_FALSE(replay->is_decoding());
            std::string rest;
            for (size_t i = cut; i < answer.size(); ++i) {
                EXPECT_TRUE(replay->accept(answer[i]));
                rest += replay->take_text();
            }
            EXPECT_EQ(replay->end(), End::Stop);
            rest += replay->take_text();
            EXPECT_EQ(text.substr(0, delivered[bytes]) + rest, text) << "cut " << cut << " bytes " << bytes;
        }
    }
}

TEST(Sequence, ReplayCountsWhatWasGenerated) {
    const test::ByteTokenizer tokenizer;
    auto resumed = request_of("abc", 4);
    resumed.replay_ids = {'w', 'x', 'y'};
    auto sequence = Sequence::create(resumed, tokenizer, kLimits);
    ASSERT_TRUE(sequence);
    EXPECT_EQ(sequence->n_prompt(), 3u);
    EXPECT_EQ(sequence->n_pending(), 6u);
    EXPECT_TRUE(sequence->accept('z'));
    EXPECT_EQ(sequence->end(), End::Length);
    resumed.replay_ids = {'w', 'x', 'y', 'z'};
    const auto whole = Sequence::create(resumed, tokenizer, kLimits);
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->end(), End::Length);
}

}  // namespace
}  // namespace llmd::generation
