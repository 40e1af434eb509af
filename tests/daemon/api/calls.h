// The tests of bodies share this.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "api/fields.h"
#include "protocol/frame.h"

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

// Everything that a field can change: what goes to an engine, and what stays here.
inline std::string described(const Call& call) {
    const service::GenerateRequest& r = call.request;
    protocol::Submit submit;
    static_cast<protocol::Ask&>(submit) = r;
    std::string frame;
    EXPECT_TRUE(protocol::encode(submit, frame));
    std::ostringstream out;
    out << frame << '|' << r.model << '|' << int(r.priority) << (r.deadline ? r.deadline->count() : 0) << r.echo << '|'
        << r.dimensions << '|' << call.n << call.stream << call.include_usage << call.raw << '|'
        << call.n_ctx.value_or(0) << '|' << int(call.encoding) << (r.keep_alive ? r.keep_alive->count() : -9)
        << call.handle_token << int(call.delivery) << int(call.format) << call.system.value_or("-");
    for (const std::string& model : r.fallback) out << "|f" << model;
    for (const service::Prompt& prompt : call.prompts) out << "|p" << prompt.text;
    for (const service::Prompt& input : r.inputs) out << "|i" << input.text;
    return out.str();
}

// The fields that every call of the dialect has here, so that a further one can be seen to change it. Those of
// kOllamaOptions stand in a chat.
inline std::string body_with(Dialect dialect, const std::string& field) {
    std::string fields;
    switch (dialect) {
        case kBus:
            fields = R"("model":"m")";
            break;
        case kChat:
        case kAnthropic:
        case kOllamaChat:
        case kOllamaOptions:
            fields = R"("model":"m","messages":[{"role":"user","content":"c"},{"role":"assistant","content":"d"}])";
            break;
        case kCompletion:
        case kOllamaGenerate:
            fields = R"("model":"m","prompt":"p")";
            break;
        case kResponses:
        case kEmbeddings:
        case kOllamaEmbed:
            fields = R"("model":"m","input":"i")";
            break;
        case kOllamaEmbeddings:
            fields = R"("model":"m","prompt":"p")";
            break;
    }
    if (fields.find(field.substr(0, field.find(':') + 1)) != std::string::npos) return "";  // it is there
    if (dialect == kOllamaOptions) return "{" + fields + R"(,"options":{)" + field + "}}";
    return "{" + fields + "," + field + "}";
}

}  // namespace llmd::api
