// Tokens are sent with the text that makes them whole, each once, and as llmd asked for them.
#include "remote/remote_answer.h"

#include <gtest/gtest.h>

namespace llmd::remote {
namespace {

using protocol::AnswerPart;
using Ids = std::vector<int32_t>;

// Returns the text that comes with the tokens, with the model's thoughts in brackets.
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
    protocol::Submit submit;
    submit.top_logprobs = 0;
    RemoteAnswer answer(submit);
    AnswerEvent half = event({1});
    answer.take_tokens(half);
    answer.drop_held();
    EXPECT_EQ(answer.n_tokens(), 0u);
    EXPECT_TRUE(answer.next(0).logprobs.empty());
}

TEST(RemoteAnswer, EachTokenHasItsLogprob) {
    protocol::Submit submit;
    submit.top_logprobs = 1;
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
        protocol::Submit submit;
        submit.thinking = thinking;
        RemoteAnswer answer(submit);
        EXPECT_TRUE(answer.take_text({}, "hm"));
        EXPECT_EQ(told(answer.next(0)), thinking == protocol::Thinking::Off ? "" : "(hm)");
        EXPECT_EQ(answer.text(), "");
        EXPECT_FALSE(answer.is_empty());
    }
}

TEST(RemoteAnswer, EndsAtAStopString) {
    protocol::Submit submit;
    submit.stops = {"END"};
    RemoteAnswer answer(submit);
    answer.take_text("one EN", {});
    EXPECT_EQ(told(answer.next(0)), "one ");
    RemoteAnswer other = answer;
    EXPECT_EQ(other.rest(), "EN");
    answer.take_text("D two", {});
    EXPECT_TRUE(answer.has_stopped());
    EXPECT_EQ(answer.stop(), "END");
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

// A text is cut at the first stop string, wherever the events are cut.
TEST(StopFilter, CutsAtTheFirstStop) {
    struct Row {
        const char* text;
        std::vector<std::string> stops;
        const char* out;
        const char* stop;  // empty: none
    };
    for (const Row& row :
         {Row{"a b c", {}, "a b c", ""}, Row{"one END two", {"END"}, "one ", "END"},
          Row{"one EN", {"END"}, "one EN", ""}, Row{"aab", {"aab"}, "", "aab"}, Row{"aaab", {"aab"}, "a", "aab"},
          Row{"x, y. z", {". ", ", "}, "x", ", "}, Row{"abcd", {"bcx", "cd"}, "ab", "cd"}, Row{"E", {"E"}, "", "E"}}) {
        const std::string_view text = row.text;
        for (size_t step = 1; step <= text.size(); ++step) {
            SCOPED_TRACE(testing::Message() << row.text << ", in pieces of " << step);
            StopFilter filter(row.stops);
            std::string out;
            for (size_t at = 0; at < text.size(); at += step) out += filter.feed(text.substr(at, step));
            EXPECT_EQ(filter.stop(), row.stop);
            if (!filter.has_stopped()) out += filter.finish();
            EXPECT_EQ(out, row.out);
        }
    }
}

TEST(StopFilter, HoldsBackOnlyWhatMayBecomeAStop) {
    StopFilter filter({"END"});
    EXPECT_EQ(filter.feed("one E"), "one ");
    EXPECT_EQ(filter.feed("xE"), "Ex");
}

}  // namespace
}  // namespace llmd::remote
