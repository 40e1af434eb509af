// The names that the fields of a call had where it came from: the engine knows each by one, and each dialect has its
// own. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace llmd::api {

struct SentNames {
    // The field that says the form of the answer, such as "text.format"; empty: it has the engine's name.
    std::string form;
    std::string_view function = ".function";  // what stands between a tool and its fields
    std::string_view parameters = ".parameters";

    // A message or note that begins with the engine's name of a form or of what a tool has, with the name that was
    // sent instead.
    std::string in(std::string_view message) const;
    base::Error in(base::Error error) const;
};

}  // namespace llmd::api
