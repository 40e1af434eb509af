// Whether an answer obeys its schema: a server that says so is not believed.
#pragma once

#include <string_view>

#include "base/result.h"

namespace llmd::remote {

class AnswerChecker {
public:
    virtual ~AnswerChecker() = default;
    // The next text of the answer. ConstraintFailed: with it the answer can no longer fit.
    virtual base::Result<void> feed(std::string_view text) = 0;
    // At the end of an answer that stopped by itself. ConstraintFailed: it is not whole.
    virtual base::Result<void> finish() = 0;
};

}  // namespace llmd::remote
