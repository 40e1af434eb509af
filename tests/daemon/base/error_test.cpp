// Error names, which clients and llmctl's exit codes rely on, and Result's ways of holding a value or an error.
#include "base/error.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <set>

#include "base/result.h"

namespace llmd::base {
namespace {

TEST(Error, EveryCodeHasANameThatLeadsBackToIt) {
    std::set<std::string_view> names;
    for (int i = 0; i <= static_cast<int>(kLastErrorCode); ++i) {
        const auto code = static_cast<ErrorCode>(i);
        const std::string_view name = error_name(code);
        EXPECT_FALSE(name.empty());
        EXPECT_EQ(error_code_from_name(name), code) << name;
        names.insert(name);
    }
    EXPECT_EQ(names.size(), static_cast<size_t>(kLastErrorCode) + 1);
}

// Codes travel as numbers between llmd and llmd-engine: these values must never change.
TEST(Error, NumbersOfTheFrameProtocol) {
    EXPECT_EQ(static_cast<int>(ErrorCode::Failed), 0);
    EXPECT_EQ(static_cast<int>(ErrorCode::InvalidArgument), 1);
    EXPECT_EQ(static_cast<int>(ErrorCode::ModelLoadFailed), 5);
    EXPECT_EQ(static_cast<int>(ErrorCode::DeviceError), 11);
    EXPECT_EQ(static_cast<int>(ErrorCode::Cancelled), 13);
    EXPECT_EQ(static_cast<int>(ErrorCode::ShuttingDown), 17);
    EXPECT_EQ(error_name(ErrorCode::ShuttingDown), "ShuttingDown");
    EXPECT_EQ(static_cast<int>(ErrorCode::ConstraintFailed), 18);
    EXPECT_EQ(error_name(ErrorCode::ConstraintFailed), "ConstraintFailed");
    EXPECT_EQ(static_cast<int>(ErrorCode::RemoteLost), 22);
    EXPECT_EQ(error_name(ErrorCode::RemoteLost), "RemoteLost");
    EXPECT_EQ(error_name(ErrorCode::ModelLoadFailed), "ModelLoadFailed");
}

TEST(Error, UnknownNamesAndNumbers) {
    EXPECT_EQ(error_code_from_name("NoSuchError"), std::nullopt);
    EXPECT_EQ(error_code_from_name(""), std::nullopt);
    EXPECT_EQ(error_code_from_name("failed"), std::nullopt);
    EXPECT_EQ(error_name(static_cast<ErrorCode>(200)), "Failed");
}

TEST(Error, MessagesAreJoined) {
    const Error error = fail(ErrorCode::InvalidArgument, "top_k: ", 7, " is more than ", 5u);
    EXPECT_EQ(error.code, ErrorCode::InvalidArgument);
    EXPECT_EQ(error.message, "top_k: 7 is more than 5");
    const Error from_errno = fail_errno(ErrorCode::NotFound, "/nowhere", ENOENT);
    EXPECT_EQ(from_errno.code, ErrorCode::NotFound);
    EXPECT_EQ(from_errno.message, "/nowhere: No such file or directory");
}

Result<int> half_of(int number) {
    if (number % 2 != 0) return fail(ErrorCode::InvalidArgument, number, " is odd");
    return number / 2;
}

TEST(Result, HoldsAValueOrAnError) {
    const auto good = half_of(6);
    ASSERT_TRUE(good);
    EXPECT_TRUE(good.has_value());
    EXPECT_EQ(*good, 3);
    const auto bad = half_of(7);
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().message, "7 is odd");
}

TEST(Result, MovesWhatCannotBeCopied) {
    Result<std::unique_ptr<int>> made = std::make_unique<int>(4);
    ASSERT_TRUE(made);
    const std::unique_ptr<int> taken = *std::move(made);
    EXPECT_EQ(*taken, 4);
}

struct Base {
    virtual ~Base() = default;
};
struct Derived : Base {};

TEST(Result, ConvertsWhatConvertsToItsValue) {
    const Result<std::unique_ptr<Base>> made = std::make_unique<Derived>();
    EXPECT_TRUE(made);
    const Result<std::string> text = "text";
    EXPECT_EQ(text->size(), 4u);
}

TEST(Result, OfNothingIsSuccessOrAnError) {
    const Result<void> good;
    EXPECT_TRUE(good);
    const Result<void> bad = fail(ErrorCode::Timeout, "late");
    EXPECT_FALSE(bad.has_value());
    EXPECT_EQ(bad.error().code, ErrorCode::Timeout);
}

}  // namespace
}  // namespace llmd::base
