// Tokens are told with the text that makes them whole, each once, and as llmd asked for them.
#include "remote/remote_answer.h"

#include <gtest/gtest.h>

#include "remote/repetition.h"

namespace llmd::remote {
namespace {

using protocol::AnswerPart;
using Ids = std::vector<int32_t>;

// What the tokens are told with: the text, or in brackets what the model thought.
std::string told(const protocol::Tokens& tokens) {
    std::string out;
    for (const AnswerPart& part : tokens.parts) {
        out += part.kind == AnswerPart::Kind::Thinking ? "(" + part.text + ")" : part.text;
    }
    return out;
}

AnswerEvent event(Ids ids, std::string text = {}) {
    AnswerEvent event;
    event.ids = std::move(ids);
    event.text = std::move(text);
    return event;
}

TEST(RemoteAnswer, IdsWaitForTheirText) {
    const protocol::Submit submit{.id = 9};
    RemoteAnswer answer(submit);
    EXPECT_TRUE(answer.is_empty());
    for (AnswerEvent half : {event({1}), event({2}, "é")}) {
        answer.take_tokens(half);
        EXPECT_EQ(answer.take_text(half.text, {}), !half.text.empty());
    }
    EXPECT_EQ(answer.n_held(), 2u);
    EXPECT_TRUE(answer.ids().empty()) << "nothing is told yet";
    const auto tokens = answer.next(3);
    EXPECT_EQ(tokens.id, 9u);
    EXPECT_EQ(tokens.ids, (Ids{1, 2}));
    EXPECT_EQ(told(tokens), "é");
    EXPECT_EQ(tokens.bytes, 2u);
    EXPECT_EQ(tokens.position, 5u);
    EXPECT_EQ(answer.n_held(), 0u);
    EXPECT_EQ(answer.ids().size(), 2u);
    EXPECT_TRUE(answer.next(3).ids.empty()) << "each is told once";
}

TEST(RemoteAnswer, WhatIsHeldAtALossIsForgotten) {
    const protocol::Submit submit{.wants_logprobs = true};
    RemoteAnswer answer(submit);
    AnswerEvent half = event({1});
    answer.take_tokens(half);
    answer.drop_held();
    EXPECT_EQ(answer.n_tokens(), 0u);
    EXPECT_TRUE(answer.next(0).logprobs.empty());
}

TEST(RemoteAnswer, EachTokenHasItsLogprob) {
    const protocol::Submit submit{.wants_logprobs = true, .n_top_logprobs = 1};
    RemoteAnswer answer(submit);
    AnswerEvent two = event({7, 8}, "ab");
    two.logprobs = {{{kUnknownId, -1, "b"}, {{8, -1, "b"}, {9, -2, "c"}}}};
    answer.take_tokens(two);
    AnswerEvent one = event({5}, "x");
    one.logprobs = {{{kUnknownId, -3, {}}, {}}};
    answer.take_tokens(one);
    answer.take_text("abx", {});
    const auto logprobs = answer.next(0).logprobs;
    ASSERT_EQ(logprobs.size(), 3u);
    EXPECT_EQ(logprobs[0].chosen.id, 7);
    EXPECT_EQ(logprobs[0].chosen.logprob, protocol::kLeastLogprob) << "the server left it out";
    EXPECT_EQ(logprobs[1].chosen.id, 8);
    EXPECT_EQ(logprobs[1].top.size(), 1u) << "as many as were asked for";
    EXPECT_EQ(logprobs[2].chosen.bytes, "x") << "the text of one token is its text";
}

TEST(RemoteAnswer, ThinkingIsToldWhereItIsAskedForAndIsNoText) {
    for (const auto thinking : {protocol::Thinking::Off, protocol::Thinking::On}) {
        const protocol::Submit submit{.thinking = thinking};
        RemoteAnswer answer(submit);
        EXPECT_TRUE(answer.take_text({}, "hm"));
        EXPECT_EQ(told(answer.next(0)), thinking == protocol::Thinking::Off ? "" : "(hm)");
        EXPECT_EQ(answer.text(), "");
        EXPECT_FALSE(answer.is_empty());
    }
}

TEST(RemoteAnswer, EndsAtAStopString) {
    const protocol::Submit submit{.stops = {"END"}};
    RemoteAnswer answer(submit);
    answer.take_text("one EN", {});
    EXPECT_EQ(told(answer.next(0)), "one ");
    RemoteAnswer other = answer;
    EXPECT_EQ(other.rest(), "EN");
    answer.take_text("D two", {});
    EXPECT_TRUE(answer.has_stopped());
    EXPECT_EQ(told(answer.next(0)), "");
    EXPECT_EQ(answer.rest(), "");
    EXPECT_EQ(answer.text(), "one END two") << "what the remote has said";
}

TEST(RemoteAnswer, GoesOnWhereLlmdHasLessThanWasTold) {
    const protocol::Submit submit{.delivered_bytes = 4};
    RemoteAnswer answer(submit);
    answer.begin_with({1, 2, 3}, "one two");
    AnswerEvent next = event({4}, " three");
    answer.take_tokens(next);
    EXPECT_TRUE(answer.take_text(next.text, {}));
    const auto tokens = answer.next(0);
    EXPECT_EQ(tokens.ids, Ids{4});
    EXPECT_EQ(told(tokens), "two three");
    EXPECT_EQ(answer.text(), "one two three");
    EXPECT_EQ(tokens.position, 4u);
}

TEST(RemoteAnswer, NothingIsLostWhereNothingFollows) {
    const protocol::Submit submit{.delivered_bytes = 1};
    RemoteAnswer answer(submit);
    answer.begin_with({1}, "ab");
    EXPECT_TRUE(answer.take_text({}, {}));
    EXPECT_EQ(told(answer.next(0)), "b");
    EXPECT_FALSE(answer.take_text({}, {}));
}

TEST(RemoteAnswer, TheServersCountIsTheRightOne) {
    const protocol::Submit submit{};
    RemoteAnswer answer(submit);
    AnswerEvent one = event({kUnknownId}, "two words");
    answer.take_tokens(one);
    answer.count_to(2);
    answer.count_to(1);
    EXPECT_EQ(answer.next(0).ids, (Ids{kUnknownId, kUnknownId}));
}

}  // namespace
}  // namespace llmd::remote
