#include "http/ollama_models.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

#include "base/json_writer.h"
#include "http/ollama_json.h"

namespace llmd::http {

namespace {

using base::JsonWriter;
using std::chrono::nanoseconds;
using std::chrono::system_clock;
using supervisor::ModelEntry;

// When a model that is never unloaded goes: Ollama's programs show what is more than 20 years away as "Forever".
constexpr std::chrono::hours kForEver{24 * 365 * 100};

void write_details(JsonWriter& json, const ModelEntry& model) {
    json.key("details").begin_object();
    json.key("parent_model").value("");
    json.key("format").value("gguf");
    json.key("family").value(model.architecture);
    json.key("families").begin_array().value(model.architecture).end_array();
    json.key("parameter_size").value(parameter_size(model.n_parameters));
    json.key("quantization_level").value(model.quantization);
    json.end_object();
}

std::string modified_at(const ModelEntry& model) {
    const auto file = supervisor::file_identity(model.path);
    const nanoseconds mtime(file ? file->mtime_ns : 0);
    return ollama_time(system_clock::time_point(std::chrono::duration_cast<system_clock::duration>(mtime)));
}

// Writes the beginning of a row of tags and of one of ps.
void write_row(JsonWriter& json, const ModelEntry& model, uint64_t size_bytes) {
    json.key("name").value(model.name);
    json.key("model").value(model.name);
    json.key("size").value(size_bytes);
    json.key("digest").value(model.digest);
    write_details(json, model);
}

// As Ollama lists models that other machines have.
void write_remote(JsonWriter& json, const ModelEntry& model) {
    json.key("remote_model").value(model.name.substr(0, model.name.rfind('@')));
    json.key("remote_host").value(model.host.empty() ? model.remote : model.host);
}

std::string expires_at(const service::EngineStatus& engine) {
    const auto stay = engine.unload_in.value_or(std::chrono::milliseconds::max());
    return ollama_time(system_clock::now() +
                       std::min(stay, std::chrono::duration_cast<std::chrono::milliseconds>(kForEver)));
}

struct Parameter {
    const char* name;
    double value;
};

// Returns the parameters of a request that does not say otherwise.
std::array<Parameter, 5> default_parameters() {
    const protocol::Sampling& sampling = service::kDefaultSampling;
    return {{{"temperature", static_cast<double>(sampling.temperature)},
             {"top_k", static_cast<double>(sampling.top_k)},
             {"top_p", static_cast<double>(sampling.top_p)},
             {"min_p", static_cast<double>(sampling.min_p)},
             {"repeat_penalty", static_cast<double>(sampling.repeat_penalty)}}};
}

std::string number_text(double number) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%g", number);
    return text.data();
}

std::string parameters_text() {
    constexpr size_t kNameWidth = 31;  // as Ollama has it
    std::string out;
    for (const auto& [name, value] : default_parameters()) {
        std::string line(name);
        line.resize(kNameWidth, ' ');
        out += (out.empty() ? "" : "\n") + line + number_text(value);
    }
    return out;
}

std::string modelfile(const ModelEntry& model) {
    std::string out = base::concat("# To be read only: llmd takes its models from files, not from Modelfiles.\nFROM ",
                                   model.name, '\n');
    if (!model.chat_template.empty()) out += base::concat("TEMPLATE \"\"\"", model.chat_template, "\"\"\"\n");
    for (const auto& [name, value] : default_parameters()) {
        out += base::concat("PARAMETER ", name, ' ', number_text(value), '\n');
    }
    return out;
}

void write_figures(JsonWriter& json, const ModelEntry& model) {
    json.key("model_info").begin_object();
    json.key("general.architecture").value(model.architecture);
    json.key("general.parameter_count").value(model.n_parameters);
    const auto figure = [&](const char* name, uint32_t value) {
        json.key(base::concat(model.architecture, '.', name)).value(value);
    };
    figure("context_length", model.n_ctx_train);
    figure("embedding_length", model.n_embd);
    figure("block_count", model.n_layers);
    figure("feed_forward_length", model.n_ff);
    figure("attention.head_count", model.n_heads);
    figure("attention.head_count_kv", model.n_kv_heads);
    figure("vocab_size", model.n_vocab);
    json.end_object();
}

}  // namespace

std::string parameter_size(uint64_t n_parameters) {
    constexpr double kThousand = 1e3, kMillion = 1e6, kBillion = 1e9;
    const auto n = static_cast<double>(n_parameters);
    std::array<char, 32> text{};
    if (n >= kBillion) {
        std::snprintf(text.data(), text.size(), "%.1fB", n / kBillion);
    } else if (n >= kMillion) {
        std::snprintf(text.data(), text.size(), "%.2fM", n / kMillion);
    } else if (n >= kThousand) {
        std::snprintf(text.data(), text.size(), "%.0fK", n / kThousand);
    } else if (n > 0) {
        std::snprintf(text.data(), text.size(), "%.0f", n);
    }
    return text.data();
}

std::string ollama_models(const std::vector<ModelEntry>& models) {
    JsonWriter json;
    json.begin_object().key("models").begin_array();
    for (const ModelEntry& model : models) {
        if (!model.error.empty()) continue;  // there is no place to say so
        json.begin_object();
        write_row(json, model, model.size_bytes);
        json.key("modified_at").value(modified_at(model));
        json.key("context_length").value(model.n_ctx_train);
        if (!model.remote.empty()) write_remote(json, model);
        json.end_object();
    }
    return json.end_array().end_object().take();
}

std::string ollama_loaded_models(const std::vector<ModelEntry>& models, const service::Status& status) {
    JsonWriter json;
    json.begin_object().key("models").begin_array();
    for (const service::EngineStatus& engine : status.engines) {
        if (engine.state == service::State::Loading || engine.backend == "remote") continue;
        const auto known = std::find_if(models.begin(), models.end(),
                                        [&](const ModelEntry& entry) { return entry.name == engine.model; });
        // One that was loaded by its path is in no list.
        ModelEntry model;
        model.name = engine.model;
        if (known != models.end()) model = *known;
        json.begin_object();
        write_row(json, model, engine.memory_bytes);
        json.key("size_vram").value(engine.backend == "cpu" ? 0 : engine.memory_bytes);
        json.key("expires_at").value(expires_at(engine));
        json.key("context_length").value(engine.context_length);
        json.end_object();
    }
    return json.end_array().end_object().take();
}

std::string ollama_model(const ModelEntry& model) {
    JsonWriter json;
    json.begin_object();
    json.key("modelfile").value(modelfile(model));
    json.key("parameters").value(parameters_text());
    json.key("template").value(model.chat_template);
    json.key("modified_at").value(modified_at(model));
    write_details(json, model);
    write_figures(json, model);
    json.key("capabilities").begin_array().value("completion").value("embedding");
    if (model.chats) json.value("tools");
    if (model.thinks) json.value("thinking");
    json.end_array();
    return json.end_object().take();
}

}  // namespace llmd::http
