// Files are read and written whole, through pipes that give and take a part at a time.
#include "base/file_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <thread>
#include <vector>

#include "pipe.h"

namespace llmd::base {
namespace {

TEST(FileBytes, ManyGoThroughAPipeThatHoldsFew) {
    Pipe pipe(0);
    std::vector<std::byte> sent(1u << 20);
    for (size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<std::byte>(i * 7 >> 3);
    std::thread writer([&] { EXPECT_TRUE(write_all(pipe.writer.get(), sent)); });
    std::vector<std::byte> got(sent.size());
    EXPECT_TRUE(read_all(pipe.reader.get(), got));
    writer.join();
    EXPECT_TRUE(std::ranges::equal(got, sent));
}

TEST(FileBytes, TooFewAreNone) {
    Pipe pipe(0);
    pipe.put();
    pipe.writer.reset();
    std::array<std::byte, 2> two{};
    EXPECT_FALSE(read_all(pipe.reader.get(), two));
    EXPECT_TRUE(read_all(pipe.reader.get(), {}));
}

TEST(FileBytes, WhatCannotBeDoneIsSaid) {
    Pipe pipe(0);
    std::array<std::byte, 1> one{};
    EXPECT_FALSE(write_all(pipe.reader.get(), one));
    EXPECT_FALSE(read_all(pipe.writer.get(), one));
}

}  // namespace
}  // namespace llmd::base
