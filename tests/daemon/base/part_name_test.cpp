// The names of a split model's files are distinguished from all others.
#include "base/part_name.h"

#include <gtest/gtest.h>

namespace llmd::base {
namespace {

TEST(PartName, IsThatOfLlamaCpp) {
    const auto name = parse_part_name("/models/big-Q4_0-00002-of-00013.gguf");
    ASSERT_TRUE(name);
    EXPECT_EQ(name->stem, "/models/big-Q4_0");
    EXPECT_EQ(name->number, 2u);
    EXPECT_EQ(name->count, 13u);
    EXPECT_EQ(name->of(1), "/models/big-Q4_0-00001-of-00013.gguf");
    EXPECT_EQ(name->of(13), "/models/big-Q4_0-00013-of-00013.gguf");
    EXPECT_TRUE(parse_part_name("a-00001-of-00001.gguf"));
    EXPECT_TRUE(parse_part_name("a-99999-of-99999.gguf"));
}

TEST(PartName, IsNoOther) {
    for (const char* path :
         {"", ".gguf", "a.gguf", "a-00001-of-00002", "a-00001-of-00002.GGUF", "a-0001-of-0002.gguf",
          "a-000001-of-00002.gguf.gguf", "a-00000-of-00002.gguf", "a-00003-of-00002.gguf", "a-00000-of-00000.gguf",
          "a00001-of-00002.gguf", "a-00001_of-00002.gguf", "-00001-of-00002.gguf", "/m/-00001-of-00002.gguf",
          "a-+0001-of-00002.gguf", "a--0001-of-00002.gguf", "a-00001-of-0000\xd9\xa2.gguf"}) {
        EXPECT_FALSE(parse_part_name(path)) << path;
    }
}

}  // namespace
}  // namespace llmd::base
