// What the tests of bodies share.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "api/fields.h"

namespace llmd::api {

// A call that must be read, and be one that the service takes.
inline Call accepted(const base::Result<Call>& call) {
    EXPECT_TRUE(call) << call.error().message;
    if (!call) return {};
    EXPECT_TRUE(service::check(call->request));
    return *call;
}

// The message of a refusal.
inline std::string refused(const base::Result<Call>& call) {
    EXPECT_FALSE(call);
    return call ? "accepted" : call.error().message;
}

}  // namespace llmd::api
