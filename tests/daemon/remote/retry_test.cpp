// The verdict on each failure: one row for each row of the table.
#include "remote/retry.h"

#include <gtest/gtest.h>

namespace llmd::remote {
namespace {

using base::ErrorCode;
using Kind = Failure::Kind;
using What = Verdict::What;
using std::chrono::seconds;

struct Judged {
    const char* what;
    Failure failure;
    Attempts attempts;
    What then;
    int64_t delay_ms = 0;                // with Again and Resume
    ErrorCode code = ErrorCode::Failed;  // with Fail
};

Failure status(long number, const char* message = "", std::optional<seconds> retry_after = {}) {
    return {.kind = Kind::Status, .status = number, .told = {.message = message}, .retry_after = retry_after};
}
Failure of(Kind kind) {
    return {.kind = kind, .detail = "gone"};
}
// A text that was cut so long ago, for so many times without a new token.
Attempts cut(unsigned fruitless, int64_t since_ms = 0, unsigned tries = 0, bool can_resume = true) {
    return {.tries = tries,
            .has_begun = true,
            .can_resume = can_resume,
            .fruitless = fruitless,
            .since_cut = Milliseconds(since_ms)};
}

const Judged kJudged[] = {
    {"unreachable", of(Kind::Unreachable), {}, What::Again, 500},
    {"… again", of(Kind::Unreachable), {.tries = 1}, What::Again, 1000},
    {"… too often", of(Kind::Unreachable), {.tries = 2}, What::Fail, 0, ErrorCode::RemoteUnreachable},
    {"… while a text waits", of(Kind::Unreachable), cut(1, 100'000, 6), What::Resume, 8000},
    {"… for too long", of(Kind::Unreachable), cut(1, 120'000, 6), What::Fail, 0, ErrorCode::RemoteLost},
    {"TLS", of(Kind::Untrusted), {}, What::Fail, 0, ErrorCode::RemoteRefused},
    {"TLS of what came back", of(Kind::Untrusted), cut(1), What::Fail, 0, ErrorCode::RemoteRefused},
    {"401", status(401), {}, What::Fail, 0, ErrorCode::RemoteRefused},
    {"403", status(403), {}, What::Fail, 0, ErrorCode::RemoteRefused},
    {"a redirect", status(302), {}, What::Fail, 0, ErrorCode::RemoteRefused},
    {"404", status(404), {}, What::Resume, 0},
    {"404 after a look", status(404, "no model x"), {.tries = 1}, What::Fail, 0, ErrorCode::ModelNotFound},
    {"404 of a path", status(404, "Not Found"), {.tries = 1}, What::Fail, 0, ErrorCode::NotSupported},
    {"400 context", status(400, "maximum context length is 9"), {}, What::Fail, 0, ErrorCode::ContextExceeded},
    {"400", status(400), {}, What::Fail, 0, ErrorCode::InvalidArgument},
    {"422", status(422), {}, What::Fail, 0, ErrorCode::InvalidArgument},
    {"405", status(405), {}, What::Fail, 0, ErrorCode::NotSupported},
    {"429", status(429), {}, What::Again, 500},
    {"429 with a time", status(429, "", seconds(60)), {}, What::Again, 60'000},
    {"429 with a long time", status(429, "", seconds(61)), {}, What::Fail, 0, ErrorCode::QueueFull},
    {"429 too often", status(429), {.tries = 2}, What::Fail, 0, ErrorCode::QueueFull},
    {"503 busy", status(503, "server busy"), {.tries = 1}, What::Again, 1000},
    {"503 loading", status(503, "Loading model"), {.tries = 40}, What::Again, 2000},
    {"503 loading for too long",
     status(503, "Loading model"),
     {.waited = Milliseconds(300'000)},
     What::Fail,
     0,
     ErrorCode::NotReady},
    {"503 loading in a text", status(503, "Loading model"), cut(1, 119'000), What::Resume, 2000},
    {"… for too long", status(503, "Loading model"), cut(1, 120'000), What::Fail, 0, ErrorCode::RemoteLost},
    {"502", status(502), {}, What::Again, 500},
    {"500 before a token", status(500), {.can_resume = true, .fruitless = 1}, What::Resume, 500},
    {"500 before a token again", status(500), {.tries = 2, .can_resume = true}, What::Fail, 0, ErrorCode::RemoteLost},
    {"500 in a text", status(500), cut(1), What::Resume, 500},
    {"slow first token", of(Kind::SlowFirstToken), {}, What::Fail, 0, ErrorCode::Timeout},
    {"slow after a cut", of(Kind::SlowFirstToken), cut(2, 1000, 1), What::Resume, 1000},
    {"cut", of(Kind::Cut), cut(1), What::Resume, 500},
    {"cut twice", of(Kind::Cut), cut(2), What::Resume, 500},
    {"cut three times without a token", of(Kind::Cut), cut(3), What::Fail, 0, ErrorCode::RemoteLost},
    {"cut without ids", of(Kind::Cut), cut(1, 0, 0, false), What::Fail, 0, ErrorCode::RemoteLost},
    {"malformed", of(Kind::Malformed), cut(1), What::Fail, 0, ErrorCode::RemoteLost},
};

TEST(Retry, JudgesEachFailure) {
    for (const Judged& row : kJudged) {
        SCOPED_TRACE(row.what);
        const Verdict verdict = judge(row.failure, row.attempts, {}, 0);
        EXPECT_EQ(verdict.what, row.then);
        EXPECT_EQ(verdict.delay.count(), row.delay_ms);
        if (row.then == What::Fail) {
            EXPECT_EQ(verdict.error.code, row.code) << verdict.error.message;
            EXPECT_FALSE(verdict.error.message.empty());
        }
    }
}

TEST(Retry, NamesWhatNothingMoreIsTriedOf) {
    EXPECT_EQ(last_error(status(503, "Loading model")).code, ErrorCode::NotReady);
    EXPECT_EQ(last_error(of(Kind::Cut)).code, ErrorCode::RemoteUnreachable);
    EXPECT_EQ(last_error(of(Kind::Malformed)).code, ErrorCode::RemoteRefused);
    EXPECT_EQ(last_error(status(500)).code, ErrorCode::RemoteUnreachable);
    EXPECT_EQ(last_error(status(404, "no model x")).code, ErrorCode::ModelNotFound);
}

TEST(Retry, IsNeverResumedWithoutTime) {
    EXPECT_EQ(judge(of(Kind::Cut), cut(1), {.resume = Milliseconds(0)}, 0).error.code, ErrorCode::RemoteLost);
}

TEST(Retry, PassesOnWhenABusyServerWantsToBeAsked) {
    EXPECT_EQ(judge(status(429, "", seconds(61)), {}, {}, 0).error.retry_after, seconds(61));
    EXPECT_EQ(judge(status(503, "busy", seconds(9)), {.tries = 2}, {}, 0).error.retry_after, seconds(9));
    EXPECT_FALSE(judge(status(429), {.tries = 2}, {}, 0).error.retry_after);
}

TEST(Retry, SpreadsItsWaits) {
    EXPECT_EQ(judge(of(Kind::Unreachable), {}, {}, 0.5).delay, Milliseconds(562));
}

TEST(Retry, TellsTheServersOwnWords) {
    EXPECT_EQ(judge(status(400, "no"), {}, {}, 0).error.message, "the remote answered 400: \"no\"");
}

}  // namespace
}  // namespace llmd::remote
