#include "http/ollama_models.h"

#include <chrono>

#include "base/json_writer.h"
#include "http/ollama_json.h"

namespace llmd::http {

namespace {

using base::JsonWriter;
using std::chrono::nanoseconds;

void write_details(JsonWriter& json, const service::ModelEntry& model) {
    json.key("details").begin_object();
    json.key("parent_model").value("");
    json.key("format").value("gguf");
    json.key("family").value(model.architecture);
    json.key("families").begin_array().value(model.architecture).end_array();
    json.key("parameter_size").value("");
    json.key("quantization_level").value(model.quantization);
    json.end_object();
}

std::string modified_at(const service::ModelEntry& model) {
    const auto file = service::file_identity(model.path);
    const nanoseconds mtime(file ? file->mtime_ns : 0);
    return ollama_time(
        std::chrono::system_clock::time_point(std::chrono::duration_cast<std::chrono::system_clock::duration>(mtime)));
}

}  // namespace

std::string ollama_models(const std::vector<service::ModelEntry>& models) {
    JsonWriter json;
    json.begin_object().key("models").begin_array();
    for (const service::ModelEntry& model : models) {
        if (!model.error.empty()) continue;  // there is no place to say so
        json.begin_object();
        json.key("name").value(model.name);
        json.key("model").value(model.name);
        json.key("modified_at").value(modified_at(model));
        json.key("size").value(model.size_bytes);
        json.key("digest").value("");
        write_details(json, model);
        json.key("context_length").value(model.context_length);
        json.end_object();
    }
    return json.end_array().end_object().take();
}

std::string ollama_model(const service::ModelEntry& model) {
    JsonWriter json;
    json.begin_object();
    json.key("modelfile").value("").key("parameters").value("").key("template").value("");
    json.key("modified_at").value(modified_at(model));
    write_details(json, model);
    json.key("model_info").begin_object();
    json.key("general.architecture").value(model.architecture);
    json.key(model.architecture + ".context_length").value(model.context_length);
    json.end_object();
    json.key("capabilities").begin_array().value("completion").end_array();
    return json.end_object().take();
}

}  // namespace llmd::http
