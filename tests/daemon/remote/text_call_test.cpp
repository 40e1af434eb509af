// One call for a text: what comes is reported in its order, nothing while the call is paused or once it was stopped,
// and one end.
#include "remote/text_call.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "upstream_server.h"

namespace llmd::test {
namespace {

using remote::AnswerEvent;
using remote::Failure;
using remote::Milliseconds;
using remote::Shape;

constexpr std::string_view kA = R"({"choices":[{"text":"a","finish_reason":null}]})";
constexpr std::string_view kLast = R"({"choices":[{"text":"z","finish_reason":"stop"}]})";
constexpr std::string_view kCounts = R"({"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}})";

class TextCallTest : public testing::Test, protected remote::TextCall::Reader {
protected:
    void TearDown() override {
        call_.reset();
        upstream_.reset();
    }

    void post(Shape shape, UpstreamServer::Handler handler) {
        upstream_ = std::make_unique<UpstreamServer>(std::move(handler));
        base::RemoteSettings settings;
        settings.name = "home";
        settings.url = upstream_->url();
        settings.models = {"tales"};
        transport_.emplace(loop_, *remote::make_endpoint(settings, ""), Milliseconds(5'000));
        context_.emplace(remote::RemoteContext{
            .loop = loop_,
            .transport = *transport_,
            .limits = {},
            .upstream = {},
            .salt_key = {},
            .jitter = [] { return 0.0; },
            .clock = [this] { return std::chrono::duration_cast<Milliseconds>(loop_.now().time_since_epoch()); }});
        remote::TextCall::Reader& reader = *this;
        call_ = std::make_unique<remote::TextCall>(*context_, reader,
                                                   remote::GenerationCall{{"/v1/completions", "{}"}, shape});
    }
    // Until all of this has been reported.
    void expect_told(const std::string& all) {
        const auto end = base::Clock::now() + std::chrono::seconds(20);
        while (told_.size() < all.size() && base::Clock::now() < end) {
            ASSERT_TRUE(loop_.run_once(Milliseconds(20)));
        }
        EXPECT_EQ(told_, all);
    }

    void on_begin() override {
        told_ += "begin ";
        if (pauses_) call_->set_paused(true);
    }
    void on_event(AnswerEvent& event) override {
        told_ += event.text + ' ';
        if (stops_) call_->stop();
    }
    void on_end(protocol::FinishReason) override { told_ += "end "; }
    void on_failure(Failure failure) override {
        told_ += failure.kind == Failure::Kind::Status ? "refused " : "failed ";
    }

    base::EventLoop loop_;
    std::unique_ptr<UpstreamServer> upstream_;
    std::optional<remote::Transport> transport_;
    std::optional<remote::RemoteContext> context_;
    std::unique_ptr<remote::TextCall> call_;
    bool pauses_ = false, stops_ = false;
    std::string told_;
};

TEST_F(TextCallTest, EndsWithTheCountsBehindTheFinishReason) {
    post(Shape::Completion, [](const UpstreamCall&, const UpstreamServer::Answer& answer) {
        answer.head(200);
        for (const std::string_view event : {kA, kLast, kCounts}) answer.event(event);
        answer.hold();
    });
    expect_told("begin a z end ");
    ASSERT_TRUE(call_->counts());
    EXPECT_EQ(call_->counts()->generated_tokens, 2u);
    EXPECT_FALSE(call_->is_open());
}

TEST_F(TextCallTest, AnErrorInsteadOfTheFirstEventIsNoBeginning) {
    post(Shape::Completion, [](const UpstreamCall&, const UpstreamServer::Answer& answer) {
        answer.head(200);
        answer.event(R"({"error":{"message":"full","code":503}})");
    });
    expect_told("refused ");
}

TEST_F(TextCallTest, WhatComesBehindTheFirstEventWaitsWhileItIsPaused) {
    pauses_ = true;
    post(Shape::Completion, [](const UpstreamCall&, const UpstreamServer::Answer& answer) {
        answer.head(200);
        answer.write(base::concat("data: ", kA, "\n\ndata: ", kA, "\n\ndata: no JSON\n\n"));
    });
    expect_told("begin ");
    call_->set_paused(false);
    expect_told("begin a a failed ");
}

TEST_F(TextCallTest, AnEmbeddingThatCameWhilePausedEndsLater) {
    pauses_ = true;
    post(Shape::Embedding, [](const UpstreamCall&, const UpstreamServer::Answer& answer) {
        answer.json(R"({"data":[{"embedding":[3,4]}],"usage":{"prompt_tokens":7}})");
    });
    expect_told("begin ");
    call_->set_paused(false);
    expect_told("begin end ");
    EXPECT_EQ(call_->embedding(), (std::vector<float>{0.6F, 0.8F}));
}

TEST_F(TextCallTest, OnceStoppedItTellsNothingMore) {
    stops_ = true;
    post(Shape::Completion, [](const UpstreamCall&, const UpstreamServer::Answer& answer) {
        answer.head(200);
        answer.write(base::concat("data: ", kA, "\n\ndata: ", kA, "\n\n"));
        answer.hold();
    });
    expect_told("begin a ");
    EXPECT_FALSE(call_->is_open());
}

}  // namespace
}  // namespace llmd::test
