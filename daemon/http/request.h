// An HTTP request, all of it arrived.
#pragma once

#include <string>

#include "base/caller.h"

namespace llmd::http {

struct Request {
    std::string method;
    std::string path;  // decoded, without a query
    std::string body;
    base::Caller caller;
};

}  // namespace llmd::http
