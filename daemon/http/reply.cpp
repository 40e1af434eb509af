#include "http/reply.h"

#include <microhttpd.h>

#include "api/errors.h"

namespace llmd::http {

Reply json_reply(std::string body) {
    Reply reply;
    reply.body = std::move(body);
    return reply;
}

Reply error_reply(const base::Error& error, std::string body) {
    Reply reply;
    reply.status = api::error_row(error.code).http_status;
    reply.body = std::move(body);
    if (api::error_row(error.code).may_retry) {
        reply.headers.emplace_back("Retry-After", std::to_string(error.retry_after.value_or(kRetryAfter).count()));
    } else {
        reply.headers.emplace_back("x-should-retry", "false");
    }
    return reply;
}

Reply refuse(const base::Error& error) {
    return error_reply(error, api::openai_error(error));
}

Reply refuse_with(unsigned status, const base::Error& error) {
    Reply reply = refuse(error);
    reply.status = status;
    return reply;
}

std::string wire_reply(const Reply& reply) {
    std::string out = base::concat("HTTP/1.1 ", reply.status, " ", MHD_get_reason_phrase_for(reply.status),
                                   "\r\nConnection: close\r\n");
    if (reply.status != kNoContent) {
        out += base::concat("Content-Type: ", reply.type, "\r\nContent-Length: ", reply.body.size(), "\r\n");
    }
    for (const auto& [name, value] : reply.headers) out += base::concat(name, ": ", value, "\r\n");
    return out + "\r\n" + reply.body;
}

}  // namespace llmd::http
