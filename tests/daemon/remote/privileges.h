// Tests that run as root and as an ordinary user: root is refused less.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace llmd::test {

inline constexpr uid_t kOrdinaryUser = 65534;  // where the tests run as root

// Root becomes the ordinary user for good. Returns whether this process is an ordinary user's then.
inline bool leave_root() {
    if (::geteuid() != 0) return true;
    return ::setresgid(kOrdinaryUser, kOrdinaryUser, kOrdinaryUser) == 0 &&
           ::setresuid(kOrdinaryUser, kOrdinaryUser, kOrdinaryUser) == 0;
}

// For tests whose parameter is whether they run as root: what is possible here, and its name.
inline std::vector<bool> possible_privileges() {
    return ::geteuid() == 0 ? std::vector<bool>{false, true} : std::vector<bool>{false};
}
inline std::string privileges(const testing::TestParamInfo<bool>& test) {
    return test.param ? "AsRoot" : "AsAnOrdinaryUser";
}

}  // namespace llmd::test
