#include "http/reply.h"

#include "api/errors.h"
#include "base/json_writer.h"

namespace llmd::http {

namespace {

using base::ErrorCode;

// Returns the field that a message begins with, as in "top_p: 3 is not ..."; empty if it begins with none.
std::string_view field_in(std::string_view message) {
    const auto is_of_path = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
               c == '[' || c == ']';
    };
    size_t end = 0;
    while (end < message.size() && is_of_path(message[end])) ++end;
    return message.substr(end).starts_with(": ") ? message.substr(0, end) : std::string_view();
}

}  // namespace

Reply json_reply(std::string body) {
    Reply reply;
    reply.body = std::move(body);
    return reply;
}

std::string error_object(const base::Error& error, Lengths lengths) {
    const api::ErrorRow& row = api::error_row(error.code);
    base::JsonWriter json;
    json.begin_object().key("error").begin_object();
    json.key("message").value(error.message);
    json.key("type").value(row.type);
    json.key("code").value(row.openai_code);
    const std::string_view field = error.code == ErrorCode::InvalidArgument ? field_in(error.message) : "";
    field.empty() ? json.key("param").null() : json.key("param").value(field);
    json.key("name").value(base::error_name(error.code));
    if (error.code == ErrorCode::ContextExceeded) {
        if (lengths.n_prompt_tokens != 0) json.key("n_prompt_tokens").value(lengths.n_prompt_tokens);
        if (lengths.n_ctx != 0) json.key("n_ctx").value(lengths.n_ctx);
    }
    json.end_object().end_object();
    return json.take();
}

Reply error_reply(const base::Error& error, std::string body) {
    Reply reply;
    reply.status = api::error_row(error.code).http_status;
    reply.body = std::move(body);
    if (api::error_row(error.code).may_retry) {
        reply.headers.emplace_back("Retry-After", std::to_string(kRetryAfterSeconds));
    } else {
        reply.headers.emplace_back("x-should-retry", "false");
    }
    return reply;
}

Reply refuse_with(unsigned status, const base::Error& error) {
    Reply reply = error_reply(error, error_object(error));
    reply.status = status;
    return reply;
}

std::string wire_reply(const Reply& reply) {
    std::string out = base::concat("HTTP/1.1 ", reply.status, " Refused\r\nContent-Type: ", reply.type,
                                   "\r\nContent-Length: ", reply.body.size(), "\r\nConnection: close\r\n");
    for (const auto& [name, value] : reply.headers) out += base::concat(name, ": ", value, "\r\n");
    return out + "\r\n" + reply.body;
}

}  // namespace llmd::http
