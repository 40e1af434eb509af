// The engine's side of the connection: requests from their submission to their end, and how the server ends.
#include "engine/server/engine_server.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>

#include "served_engine.h"

namespace llmd::engine {
namespace {
std::string text_of(const std::vector<protocol::AnswerPart>& parts) {
    std::string text;
    for (const auto& part : parts) text += part.text;
    return text;
}

using test::submit;
using EngineServerTest = test::ServedEngine;

TEST_F(EngineServerTest, ASchemaHoldsTheTextOrIsRefusedBeforeAny) {
    load();
    auto held = submit(1, "abc", 40);
    held.json_schema = R"({"type":"object","properties":{"a":{"enum":[1,22]}},"required":["a"]})";
    auto refused = submit(2, "abc");
    refused.json_schema = R"({"properties":{"a":{"not":{}}}})";
    refused.strict_schema = true;
    auto loose = submit(3, "abc", 1);
    loose.json_schema = refused.json_schema;
    say(held);
    say(refused);
    say(loose);
    say(protocol::Start{.id = 1});
    n_started_ = 1;
    const auto all = serve();
    for (const auto& accepted : only<protocol::Accepted>(all)) {
        const std::string note = R"(json_schema: at "#/properties/a": "not" is not supported; it is not enforced)";
        EXPECT_EQ(accepted.notes, accepted.id == 3 ? std::vector{note} : std::vector<std::string>());
    }
    const auto refusals = only<protocol::Refused>(all);
    ASSERT_EQ(refusals.size(), 1u);
    EXPECT_EQ(refusals[0].id, 2u);
    EXPECT_EQ(refusals[0].code, base::ErrorCode::InvalidArgument);
    EXPECT_EQ(refusals[0].message, R"(json_schema: at "#/properties/a": "not" is not supported)");
    std::string text;
    for (const auto& tokens : only<protocol::Tokens>(all)) text += text_of(tokens.parts);
    const auto ends = only<protocol::Finished>(all);
    ASSERT_EQ(ends.size(), 1u);
    EXPECT_EQ(ends[0].reason, protocol::FinishReason::Stop);
    text += text_of(ends[0].parts);
    std::erase(text, ' ');
    EXPECT_TRUE(text == R"({"a":1})" || text == R"({"a":22})") << text;
}

TEST_F(EngineServerTest, AConversationBecomesThePromptOfItsTemplate) {
    say(protocol::Load{.model_path = "good", .chat_template = "none"});
    serve();
    protocol::Submit chat = submit(1, "");
    chat.messages = {{protocol::ChatMessage::Role::System, "s"},
                     {protocol::ChatMessage::Role::User, "u"},
                     {protocol::ChatMessage::Role::Assistant, "a"}};
    say(chat);
    const auto accepted = only<protocol::Accepted>(serve());
    ASSERT_EQ(accepted.size(), 1u);
    EXPECT_EQ(accepted[0].prompt_tokens, std::string("s\n\nUser: u\nAssistant: a").size());
}

TEST_F(EngineServerTest, RefusesAConversationWhoseTemplateIsUnknown) {
    load();
    protocol::Submit chat = submit(1, "");
    chat.messages = {{protocol::ChatMessage::Role::User, "u"}};
    say(chat);
    const auto refused = only<protocol::Refused>(serve());
    ASSERT_EQ(refused.size(), 1u);
    EXPECT_EQ(refused[0].code, base::ErrorCode::InvalidArgument);
    EXPECT_EQ(refused[0].message.rfind("chat_template: ", 0), 0u) << refused[0].message;
}

TEST_F(EngineServerTest, APromptOfIdsIsTakenAsItIs) {
    load();
    auto ids = submit(1, "");
    ids.prompt_ids = {'a', 'b', 'c'};
    auto bad = submit(2, "");
    bad.prompt_ids = {'a', 257};
    say(ids);
    say(bad);
    const auto all = serve();
    const auto accepted = only<protocol::Accepted>(all);
    ASSERT_EQ(accepted.size(), 1u);
    EXPECT_EQ(accepted[0].prompt_tokens, 3u);
    const auto refused = only<protocol::Refused>(all);
    ASSERT_EQ(refused.size(), 1u);
    EXPECT_EQ(refused[0].message, "prompt[1]: 257 is not in the vocabulary of 257");
}

TEST_F(EngineServerTest, TellsHowLikelyATokenWasWhereThatIsWantedWithItsBytes) {
    load();
    auto asking = submit(1, "abc");
    asking.top_logprobs = 0;
    asking.top_logprobs = 3;
    auto chosen_only = submit(2, "abc");
    chosen_only.top_logprobs = 0;
    say(asking);
    say(chosen_only);
    say(submit(3, "abc"));
    for (const uint64_t id : {1, 2, 3}) say(protocol::Start{id});
    n_started_ = 3;
    size_t n_told = 0;
    for (const auto& tokens : only<protocol::Tokens>(serve())) {
        ASSERT_EQ(tokens.logprobs.size(), tokens.id == 3 ? 0 : tokens.ids.size());
        for (size_t i = 0; i < tokens.logprobs.size(); ++i) {
            const auto& told = tokens.logprobs[i];
            EXPECT_EQ(told.chosen.id, tokens.ids[i]);
            EXPECT_EQ(told.chosen.bytes, std::string(1, static_cast<char>(tokens.ids[i])));
            EXPECT_TRUE(told.chosen.logprob < 0 && told.chosen.logprob >= protocol::kLeastLogprob);
            EXPECT_EQ(told.top.size(), tokens.id == 1 ? 3u : 0u);
            ++n_told;
        }
    }
    EXPECT_EQ(n_told, 20u);
}

TEST_F(EngineServerTest, HoldsARequestUntilItsTurnThenStreamsItAndGoesIdle) {
    load();
    say(submit(7, "hello"));
    auto all = serve();
    const auto accepted = only<protocol::Accepted>(all);
    ASSERT_EQ(accepted.size(), 1u);
    EXPECT_EQ(accepted[0].id, 7u);
    EXPECT_EQ(accepted[0].prompt_tokens, 5u);
    EXPECT_TRUE(only<protocol::Tokens>(all).empty());

    say(protocol::Start{7});
    n_started_ = 1;
    all = serve();
    const auto finished = only<protocol::Finished>(all);
    ASSERT_EQ(finished.size(), 1u);
    EXPECT_EQ(finished[0].reason, protocol::FinishReason::Length);
    EXPECT_EQ(finished[0].prefill_tokens, 5u);
    EXPECT_EQ(finished[0].decode_tokens, 9u);
    size_t n_ids = 0;
    for (const auto& tokens : only<protocol::Tokens>(all)) n_ids += tokens.ids.size();
    EXPECT_EQ(n_ids, 10u);
    for (const auto& phase : only<protocol::PhaseChange>(all)) {
        EXPECT_TRUE(phase.phase != protocol::Phase::Step || phase.budget_ms > 0);
    }
    say(protocol::Cancel{1});  // only wakes it
    n_started_ = 0;
    const auto phases = only<protocol::PhaseChange>(serve());
    ASSERT_EQ(phases.size(), 1u);
    EXPECT_EQ(phases[0].phase, protocol::Phase::Idle);
}

TEST_F(EngineServerTest, SaysWhatTheCacheHeldAndHowManyPagesThereAre) {
    load();
    auto cached = submit(1, std::string(100, 'a'));
    cached.cache_scope = "app";
    say(cached);
    EXPECT_EQ(only<protocol::Pages>(serve()).at(0).total, 32u);
    for (const uint64_t id : {1, 2}) {
        say(protocol::Start{id});
        n_started_ = 1;
        auto all = serve();
        n_started_ = 0;
        say(protocol::Cancel{9});  // only wakes it
        for (auto& message : serve()) all.push_back(std::move(message));
        ASSERT_EQ(only<protocol::Started>(all).size(), 1u);
        EXPECT_EQ(only<protocol::Started>(all)[0].cached_tokens, id == 1 ? 0u : 96u);
        const auto pages = only<protocol::Pages>(all);
        ASSERT_EQ(pages.size(), 2u) << "at its beginning and at its end";
        EXPECT_EQ(pages[0].used, 4u);
        EXPECT_EQ(pages[0].cached, 0u);
        EXPECT_EQ(pages[1].used, 0u);
        EXPECT_EQ(pages[1].cached, 3u);
        cached.id = 2;
        say(cached);
        serve();
    }
}

TEST_F(EngineServerTest, SaysOnceAStepWhatItHasMadeAndThatTheNextOneBegins) {
    load();
    say(submit(1, "hello", 200));
    say(protocol::Start{1});
    left_ = server_->run_once();
    hear();
    for (int step = 0; step < 3; ++step) {
        left_ = server_->run_once();
        const auto heard = hear();
        ASSERT_EQ(heard.size(), 2u);
        EXPECT_TRUE(std::holds_alternative<protocol::Tokens>(heard[0]));
        ASSERT_TRUE(std::holds_alternative<protocol::PhaseChange>(heard[1]));
        EXPECT_EQ(std::get<protocol::PhaseChange>(heard[1]).phase, protocol::Phase::Step);
    }
    // Work between two steps reports a phase of its own, and then the step is reported again.
    say(protocol::Tokenize{9, "x"});
    left_ = server_->run_once();
    EXPECT_EQ(only<protocol::PhaseChange>(hear()).size(), 3u);
}

TEST_F(EngineServerTest, GivesAnEmbeddingInsteadOfTokens) {
    load();
    protocol::Submit wanted;
    wanted.id = 1;
    wanted.prompt_ids = {'a', 'b', 'c'};
    wanted.embeds = true;
    say(wanted);
    ASSERT_EQ(only<protocol::Accepted>(serve()).at(0).prompt_tokens, 3u);
    say(protocol::Start{1});
    ++n_started_;
    const auto all = serve();
    const auto ends = only<protocol::Finished>(all);
    ASSERT_EQ(ends.size(), 1u);
    EXPECT_EQ(ends[0].reason, protocol::FinishReason::Stop);
    EXPECT_EQ(ends[0].embedding.size(), size_t{test::FakeBackend::kWidth});
    EXPECT_TRUE(only<protocol::Tokens>(all).empty());
}

TEST_F(EngineServerTest, RefusesWhatDoesNotFitNamingIt) {
    load();
    auto long_scope = submit(9, "abc");
    long_scope.cache_scope.assign(protocol::kMaxCacheScopeBytes + 1, 'x');
    say(long_scope);
    const auto of_scope = only<protocol::Refused>(serve());
    ASSERT_EQ(of_scope.size(), 1u);
    EXPECT_EQ(of_scope[0].message.rfind("cache_scope: 301", 0), 0u) << of_scope[0].message;
    say(submit(1, std::string(300, 'a')));
    auto no_stop = submit(2, "a");
    no_stop.stops = {""};
    say(no_stop);
    say(submit(3, "a"));
    say(submit(3, "a"));
    const auto refused = only<protocol::Refused>(serve());
    ASSERT_EQ(refused.size(), 3u);
    EXPECT_EQ(refused[0].code, base::ErrorCode::ContextExceeded);
    EXPECT_NE(refused[0].message.find("300"), std::string::npos);
    EXPECT_EQ(refused[0].prompt_tokens, 300u);
    EXPECT_EQ(refused[2].prompt_tokens, 0u);
    EXPECT_EQ(refused[1].code, base::ErrorCode::InvalidArgument);
    EXPECT_EQ(refused[2].id, 3u);
}

TEST_F(EngineServerTest, ResumesInTheMiddle) {
    load();
    say(submit(1, "hello"));
    say(protocol::Start{1});
    n_started_ = 1;
    std::string text;
    std::vector<int32_t> ids;
    for (const auto& message : serve()) {
        if (const auto* tokens = std::get_if<protocol::Tokens>(&message)) {
            ids.insert(ids.end(), tokens->ids.begin(), tokens->ids.end());
            text += text_of(tokens->parts);
        } else if (const auto* finished = std::get_if<protocol::Finished>(&message)) {
            text += text_of(finished->parts);
        }
    }
    ASSERT_EQ(ids.size(), 10u);
    auto resumed = submit(2, "hello");
    resumed.replay_ids.assign(ids.begin(), ids.begin() + 4);
    say(resumed);
    say(protocol::Start{2});
    std::vector<int32_t> rest = resumed.replay_ids;
    std::string again;
    for (const auto& message : serve()) {
        if (const auto* tokens = std::get_if<protocol::Tokens>(&message)) {
            rest.insert(rest.end(), tokens->ids.begin(), tokens->ids.end());
            again += text_of(tokens->parts);
        } else if (const auto* finished = std::get_if<protocol::Finished>(&message)) {
            again += text_of(finished->parts);
        }
    }
    EXPECT_EQ(rest, ids);
    EXPECT_EQ(again, text);
}

TEST_F(EngineServerTest, Tokenizes) {
    load();
    say(protocol::Tokenize{5, "hi"});
    const auto tokenized = only<protocol::Tokenized>(serve());
    ASSERT_EQ(tokenized.size(), 1u);
    EXPECT_EQ(tokenized[0].id, 5u);
    EXPECT_EQ(tokenized[0].ids, (std::vector<int32_t>{'h', 'i'}));
    EXPECT_TRUE(tokenized[0].pieces.empty());
    say(protocol::Tokenize{.id = 6, .text = "hi", .with_pieces = true});
    EXPECT_EQ(only<protocol::Tokenized>(serve()).at(0).pieces, (std::vector<std::string>{"h", "i"}));
}

// 'B' begins every prompt, encode() adds a space, and control tokens have names.
class MarkingTokenizer final : public test::ByteTokenizer {
public:
    MarkingTokenizer() {
        begin_id_ = 'B';
        add_begin_ = adds_space_ = true;
    }
    std::vector<int32_t> encode_scanned(std::string_view text, const tokenizer::Scan& scan) const override {
        return test::ByteTokenizer::encode_scanned(base::concat(' ', text), scan);
    }
    std::string_view token_text(int32_t id) const override { return id == kEnd ? "<end>" : ""; }
};

class MarkingEngineTest : public EngineServerTest {
protected:
    MarkingEngineTest() {
        make_tokenizer_ = [] { return std::make_unique<MarkingTokenizer>(); };
    }
    std::string text_of(std::vector<int32_t> ids) {
        say(protocol::Detokenize{7, std::move(ids)});
        return only<protocol::Detokenized>(serve()).at(0).text;
    }
};

TEST_F(MarkingEngineTest, PromptsBeginWithASpecialTokenWhereThatIsAskedFor) {
    load();
    say(protocol::Tokenize{5, "h"});
    EXPECT_EQ(only<protocol::Tokenized>(serve()).at(0).ids, (std::vector<int32_t>{' ', 'h'}));
    say(protocol::Tokenize{.id = 6, .text = "h", .add_special = true});
    EXPECT_EQ(only<protocol::Tokenized>(serve()).at(0).ids, (std::vector<int32_t>{'B', ' ', 'h'}));
}

TEST_F(MarkingEngineTest, TheSpaceThatEncodingAddsIsNotInTheText) {
    load();
    EXPECT_EQ(text_of({' ', 'h', ' ', 'i'}), "h i");
    EXPECT_EQ(text_of({' ', ' ', 'h'}), " h") << "only that one";
    EXPECT_EQ(text_of({test::ByteTokenizer::kEnd, ' ', 'h'}), "h") << "a control token has no text";
    EXPECT_EQ(text_of({'h', ' ', 'i'}), "h i");
    EXPECT_EQ(text_of({' '}), "");
    EXPECT_EQ(text_of({}), "");
}

TEST_F(EngineServerTest, RendersAConversationAsText) {
    say(protocol::Load{.model_path = "good", .chat_template = "none"});
    serve();
    say(protocol::Render{.id = 5, .messages = {{.content = "hi"}}});
    const auto rendered = only<protocol::Rendered>(serve());
    ASSERT_EQ(rendered.size(), 1u);
    EXPECT_EQ(rendered[0].id, 5u);
    EXPECT_EQ(rendered[0].text, "User: hi\nAssistant:");
    EXPECT_EQ(rendered[0].n_tokens, 19u) << "the test's tokenizer has a token for each byte";
}

TEST_F(EngineServerTest, TellsTheStopStringThatEndsAText) {
    load();
    n_started_ = 1;
    say(submit(1, "hello", 40));
    say(protocol::Start{1});
    std::string text;
    for (const auto& tokens : only<protocol::Tokens>(serve())) text += text_of(tokens.parts);
    const auto printable = std::find_if(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
    ASSERT_NE(printable, text.end());
    const std::string stop(1, *printable);
    protocol::Submit second = submit(2, "hello", 40);
    second.stops = {"never", stop};
    say(second);
    say(protocol::Start{2});
    const auto finished = only<protocol::Finished>(serve());
    ASSERT_EQ(finished.size(), 1u);
    EXPECT_EQ(finished[0].reason, protocol::FinishReason::Stop);
    EXPECT_EQ(finished[0].stop, stop);
}

TEST_F(EngineServerTest, RendersNothingWithoutATemplate) {
    say(protocol::Render{.id = 4, .messages = {{.content = "hi"}}});
    EXPECT_EQ(only<protocol::Refused>(serve()).at(0).code, base::ErrorCode::NotReady);
    load();
    say(protocol::Render{.id = 5, .messages = {{.content = "hi"}}});
    const auto refused = only<protocol::Refused>(serve());
    ASSERT_EQ(refused.size(), 1u) << "the model has no chat template";
    EXPECT_EQ(refused[0].id, 5u);
    EXPECT_EQ(refused[0].message.rfind("chat_template: ", 0), 0u) << refused[0].message;
}

TEST_F(EngineServerTest, DetokenizesOrNamesWhatItCannot) {
    load();
    say(protocol::Detokenize{5, {'h', 'i'}});
    for (const int32_t id : {-1, 1'000'000}) say(protocol::Detokenize{6, {'h', id}});
    const auto all = serve();
    const auto detokenized = only<protocol::Detokenized>(all);
    ASSERT_EQ(detokenized.size(), 1u);
    EXPECT_EQ(detokenized[0].id, 5u);
    EXPECT_EQ(detokenized[0].text, "hi");
    const auto refused = only<protocol::Refused>(all);
    ASSERT_EQ(refused.size(), 2u);
    EXPECT_EQ(refused[0].id, 6u);
    EXPECT_EQ(refused[0].code, base::ErrorCode::InvalidArgument);
    EXPECT_EQ(refused[0].message.rfind("tokens: -1 is not in the vocabulary of ", 0), 0u) << refused[0].message;
    EXPECT_EQ(refused[1].message.rfind("tokens: 1000000 is not in the vocabulary of ", 0), 0u);
}

TEST_F(EngineServerTest, CancelIsSilent) {
    load();
    say(submit(1, "hello", 200));
    say(protocol::Start{1});
    left_ = server_->run_once();
    say(protocol::Cancel{1});
    left_ = server_->run_once();
    hear();
    say(protocol::Tokenize{9, "x"});
    const auto all = serve();
    EXPECT_TRUE(only<protocol::Tokens>(all).empty());
    EXPECT_TRUE(only<protocol::Finished>(all).empty());
    EXPECT_EQ(only<protocol::Tokenized>(all).size(), 1u);
}

TEST_F(EngineServerTest, LeavesBetweenStepsWhenThePeerIsGone) {
    load();
    say(submit(1, "hello", 200));
    say(protocol::Start{1});
    EXPECT_FALSE(server_->run_once());
    peer_.reset();
    EXPECT_EQ(server_->run(), EngineServer::Leave::PeerGone);
}

TEST_F(EngineServerTest, ADeviceErrorIsItsLastWord) {
    fail_step_ = 3;
    load();
    say(submit(1, "hello"));
    say(protocol::Start{1});
    n_started_ = 1;
    const auto all = serve();
    EXPECT_EQ(left_, EngineServer::Leave::DeviceFault);
    ASSERT_TRUE(std::holds_alternative<protocol::Fault>(all.back()));
    EXPECT_EQ(std::get<protocol::Fault>(all.back()).message, "the fake device failed");
    EXPECT_EQ(only<protocol::Tokens>(all).size(), 3u);
}

TEST_F(EngineServerTest, LeavesAPeerThatBreaksTheProtocol) {
    say_bytes(std::string("\x01\x00\x00\x00\xff", 5));
    serve();
    EXPECT_EQ(left_, EngineServer::Leave::Broken);
    EXPECT_FALSE(server_->reason().empty());
}

}  // namespace
}  // namespace llmd::engine
