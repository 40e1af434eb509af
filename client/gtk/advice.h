// The end of an answer, in plain words, and what the person can do.
#pragma once

#include <string>

namespace llmd::gtk {

struct Advice {
    enum class Next {
        Nothing,
        Repeat,   // asking again, or for the rest of what was cut, may help
        NewChat,  // only a shorter conversation does
    };
    std::string happened;
    std::string to_do;
    Next next = Next::Nothing;
};

// For an answer that ended with an error, by its name without a prefix (client/gtk/answer.h has two more).
Advice advice_for_error(const std::string& name);
// For one that ended with a finish_reason other than `stop` and `tool_calls`.
Advice advice_for_end(const std::string& finish_reason);

}  // namespace llmd::gtk
