// The checks that keep a front end's mistake from the engine.
#include "service/request.h"

#include <gtest/gtest.h>

#include "protocol/frame.h"

namespace llmd::service {
namespace {

std::string refused(const GenerateRequest& request, base::ErrorCode code = base::ErrorCode::InvalidArgument) {
    const auto checked = check(request);
    EXPECT_FALSE(checked);
    if (checked) return {};
    EXPECT_EQ(checked.error().code, code);
    return checked.error().message;
}

TEST(CheckRequest, APromptIsOneOfThree) {
    GenerateRequest request;
    request.prompt_ids = {1, 2};
    EXPECT_TRUE(check(request));
    request.prompt = "Once";
    EXPECT_EQ(refused(request), "prompt_ids: given together with a prompt or messages");
    request.prompt.clear();
    request.messages = {{protocol::ChatMessage::Role::User, "Hi"}};
    EXPECT_EQ(refused(request), "prompt_ids: given together with a prompt or messages");
}

TEST(CheckRequest, IdsAreNoMoreThanAFrameHolds) {
    GenerateRequest request;
    request.prompt_ids.resize(protocol::kMaxArrayElements);
    EXPECT_TRUE(check(request));
    request.prompt_ids.push_back(0);
    EXPECT_EQ(refused(request, base::ErrorCode::PromptTooLong), "prompt_ids: 1048577 tokens are more than 1048576");
}

TEST(CheckRequest, LogprobsAreNotForAnEcho) {
    GenerateRequest request;
    request.top_logprobs = RequestLimits::kMaxTopLogprobs;
    EXPECT_TRUE(check(request));
    request.echo = true;
    EXPECT_EQ(refused(request), "echo: given together with logprobs or token ids");
}

TEST(CheckRequest, OneOfNoTokensMayHaveAPromptOrNone) {
    GenerateRequest request;
    request.max_tokens = 0;
    EXPECT_TRUE(check(request));
    EXPECT_TRUE(is_preload(request));
    request.prompt_ids = {1};
    EXPECT_TRUE(check(request));
    EXPECT_FALSE(is_preload(request));
    request.sampling.min_tokens = 1;
    EXPECT_EQ(refused(request), "min_tokens: 1 is out of range");
}

}  // namespace
}  // namespace llmd::service
