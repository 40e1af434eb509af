// The codes, statuses and exit codes that clients and scripts rely on.
#include "api/errors.h"

#include <gtest/gtest.h>

namespace llmd::api {
namespace {

using base::ErrorCode;

TEST(Errors, ExitCodesAreTheDocumentedOnes) {
    EXPECT_EQ(exit_code_of("Failed"), ExitCode::Failed);
    EXPECT_EQ(exit_code_of("InvalidArgument"), ExitCode::Usage);
    EXPECT_EQ(exit_code_of("ModelNotFound"), ExitCode::ModelMissing);
    EXPECT_EQ(exit_code_of("QueueFull"), ExitCode::Busy);
    EXPECT_EQ(exit_code_of("RateLimited"), ExitCode::Busy);
    EXPECT_EQ(exit_code_of("NotAllowed"), ExitCode::Refused);
    EXPECT_EQ(exit_code_of("ContextExceeded"), ExitCode::TooLong);
    EXPECT_EQ(exit_code_of("org.llmd.Llmd1.Error.PromptTooLong"), ExitCode::TooLong);
    EXPECT_EQ(exit_code_of("ConstraintFailed"), ExitCode::Unsatisfiable);
    EXPECT_EQ(exit_code_of("org.llmd.Llmd1.Error.FromTheFuture"), ExitCode::Failed);
    EXPECT_EQ(exit_code_of(""), ExitCode::Failed);
}

TEST(Errors, NumbersAreThoseThatScriptsRelyOn) {
    EXPECT_EQ(static_cast<int>(ExitCode::Unreachable), 3);
    EXPECT_EQ(static_cast<int>(ExitCode::TooLong), 7);
    EXPECT_EQ(static_cast<int>(ExitCode::Unsatisfiable), 8);
    EXPECT_EQ(static_cast<int>(ExitCode::Interrupted), 130);
}

TEST(Errors, CodesAreThoseThatOpenAisClientsKnow) {
    EXPECT_EQ(error_row(ErrorCode::ContextExceeded).openai_code, "context_length_exceeded");
    EXPECT_EQ(error_row(ErrorCode::ContextExceeded).type, "invalid_request_error");
    EXPECT_EQ(error_row(ErrorCode::ModelNotFound).openai_code, "model_not_found");
    EXPECT_EQ(error_row(ErrorCode::ModelNotFound).http_status, 404u);
    EXPECT_EQ(error_row(ErrorCode::QueueFull).openai_code, "rate_limit_exceeded");
    EXPECT_EQ(error_row(ErrorCode::QueueFull).http_status, 429u);
}

TEST(Errors, EveryCodeHasAStatusThatIsAnError) {
    for (uint8_t value = 0; value <= static_cast<uint8_t>(base::kLastErrorCode); ++value) {
        const ErrorRow& row = error_row(static_cast<ErrorCode>(value));
        EXPECT_TRUE(row.http_status >= 400 && row.http_status < 600) << value;
        EXPECT_FALSE(row.type.empty() || row.openai_code.empty()) << value;
        // An error that is over for good does not ask to be tried again, and one that OpenAI's clients call a limit
        // does.
        EXPECT_EQ(row.may_retry, row.http_status == 429 || row.http_status == 503) << value;
    }
    EXPECT_EQ(error_row(static_cast<ErrorCode>(200)).code, ErrorCode::Failed);
}

TEST(Errors, NamesOnTheBus) {
    EXPECT_EQ(dbus_error_name(ErrorCode::QueueFull), "org.llmd.Llmd1.Error.QueueFull");
    EXPECT_EQ(short_error_name("org.llmd.Llmd1.Error.QueueFull"), "QueueFull");
    EXPECT_EQ(short_error_name("QueueFull"), "QueueFull");
}

}  // namespace
}  // namespace llmd::api
