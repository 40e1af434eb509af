// The documented exit codes, by the daemon's error names with and without their prefix.
#include "client/exit_code.h"

#include <gtest/gtest.h>

namespace llmd::client {
namespace {

TEST(ExitCode, FollowsTheDocumentedTable) {
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

TEST(ExitCode, NumbersAreThoseThatScriptsRelyOn) {
    EXPECT_EQ(static_cast<int>(ExitCode::Unreachable), 3);
    EXPECT_EQ(static_cast<int>(ExitCode::TooLong), 7);
    EXPECT_EQ(static_cast<int>(ExitCode::Unsatisfiable), 8);
    EXPECT_EQ(static_cast<int>(ExitCode::Interrupted), 130);
}

}  // namespace
}  // namespace llmd::client
