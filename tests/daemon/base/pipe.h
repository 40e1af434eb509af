// A pipe of a test's own.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "base/unique_fd.h"

namespace llmd::base {

struct Pipe {
    explicit Pipe(int flags = O_NONBLOCK) {
        std::array<int, 2> ends{};
        EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC | flags), 0);
        reader.reset(ends[0]);
        writer.reset(ends[1]);
    }
    void put() { EXPECT_EQ(::write(writer.get(), "x", 1), 1); }

    UniqueFd reader;
    UniqueFd writer;
};

}  // namespace llmd::base
