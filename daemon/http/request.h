// An HTTP request, all of it arrived.
#pragma once

#include <string>

#include "api/caller.h"

namespace llmd::http {

// Whoever is at the other end of a connection.
struct Client {
    std::string name;  // GenerateRequest::client
    api::Caller caller;
};

struct Request {
    std::string method;
    std::string path;  // decoded, without a query
    std::string body;
    Client client;
};

}  // namespace llmd::http
