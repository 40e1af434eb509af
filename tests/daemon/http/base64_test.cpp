#include "http/base64.h"

#include <gtest/gtest.h>

#include <string_view>

namespace llmd::http {
namespace {

std::string encoded(std::string_view text) {
    return base64(std::as_bytes(std::span(text)));
}

// RFC 4648, section 10, and the digits that those vectors lack.
TEST(Base64, WritesTheStandardsVectors) {
    EXPECT_EQ(encoded(""), "");
    EXPECT_EQ(encoded("f"), "Zg==");
    EXPECT_EQ(encoded("fo"), "Zm8=");
    EXPECT_EQ(encoded("foo"), "Zm9v");
    EXPECT_EQ(encoded("foob"), "Zm9vYg==");
    EXPECT_EQ(encoded("fooba"), "Zm9vYmE=");
    EXPECT_EQ(encoded("foobar"), "Zm9vYmFy");
    EXPECT_EQ(encoded("\xfb\xef\xff"), "++//");
}

}  // namespace
}  // namespace llmd::http
