#include "api/listing.h"

#include <utility>

#include "base/utf8.h"

namespace llmd::api {

namespace {

// The name of a model's directory may be anything; the lists are UTF-8.
base::Value clean(std::string_view text) {
    return base::to_clean_text(text);
}

}  // namespace

std::string request_path(const service::RequestSnapshot& request) {
    return request.bus_path.empty() ? base::concat(kRequestRoot, "socket/", request.id) : request.bus_path;
}

std::vector<StatusValue> model_values(const supervisor::ModelEntry& model) {
    std::vector<StatusValue> out{
        {"name", "s", clean(model.name)},
        {"path", "s", clean(model.path)},
        {"size_bytes", "t", uint64_t{model.size_bytes}},
        {"loaded", "b", model.loaded},
        {"default", "b", model.is_default},
    };
    if (!model.remote.empty()) {
        out.push_back({"remote", "s", clean(model.remote)});
        out.push_back({"host", "s", clean(model.host)});
        out.push_back({"guarantees", "as", model.guarantees});
    } else if (!model.error.empty()) {
        out.push_back({"error", "s", clean(model.error)});
    } else {
        out.push_back({"architecture", "s", clean(model.architecture)});
        out.push_back({"quantization", "s", clean(model.quantization)});
        out.push_back({"context_length", "u", uint64_t{model.n_ctx_train}});
        if (!model.embeds) out.push_back({"chat_family", "s", clean(model.chat_family)});
    }
    return out;
}

std::vector<StatusValue> request_values(const service::RequestSnapshot& request) {
    return {
        {"request", "o", request_path(request)},
        {"client", "s", clean(request.caller.name)},
        {"model", "s", clean(request.model)},
        {"where", "s", clean(request.where)},
        {"state", "s", std::string(service::request_state_name(request.state))},
        {"position", "u", uint64_t{request.position}},
        {"estimated_wait_ms", "t", request.estimated_wait_ms},
        {"prompt_tokens", "u", uint64_t{request.prompt_tokens}},
        {"generated_tokens", "u", uint64_t{request.generated_tokens}},
        {"priority", "s", std::string(service::priority_name(request.priority))},
    };
}

void write_values(base::JsonWriter& json, const std::vector<StatusValue>& values) {
    json.begin_object();
    for (const StatusValue& one : values) write_json(json.key(one.key), one.value);
    json.end_object();
}

supervisor::ModelEntry model_for(supervisor::ModelEntry model, const Caller& caller) {
    if (!caller.sandboxed) return model;
    model = without_path_in_error(std::move(model));
    model.path.clear();
    return model;
}

}  // namespace llmd::api
