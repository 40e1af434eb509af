// The lists of models as Ollama's clients read them.
#include "http/ollama_models.h"

#include <gtest/gtest.h>

#include "base/value.h"

namespace llmd::http {
namespace {

supervisor::ModelEntry entry() {
    supervisor::ModelEntry model;
    model.name = "tale";
    model.path = "/nonexistent/tale.gguf";
    model.size_bytes = 7;
    model.architecture = "llama";
    model.quantization = "Q4_0";
    model.n_ctx_train = 256;
    model.n_parameters = 1'100'048'384;
    model.n_embd = 64;
    model.n_layers = 5;
    model.n_heads = 8;
    model.n_kv_heads = 4;
    model.n_ff = 172;
    model.n_vocab = 32'000;
    model.digest = "abc";
    model.chat_template = "{% \"x\" %}";
    return model;
}

// The value at a path of keys; an element of an array by its number.
std::string at(const std::string& json, const std::vector<std::string>& path) {
    const auto parsed = base::parse_json(json);
    EXPECT_TRUE(parsed) << json;
    const base::Value* value = &*parsed;
    for (const std::string& key : path) {
        if (const auto* object = value->get<base::Value::Object>()) {
            value = base::find(*object, key);
        } else if (const auto* array = value->get<base::Value::Array>()) {
            value = std::stoul(key) < array->size() ? &(*array)[std::stoul(key)] : nullptr;
        }
        if (value == nullptr) return "nothing at " + key;
    }
    return base::json_text(*value);
}

TEST(OllamaModels, NumbersOfParametersAreShort) {
    EXPECT_EQ(parameter_size(0), "");
    EXPECT_EQ(parameter_size(999), "999");
    EXPECT_EQ(parameter_size(15'000), "15K");
    EXPECT_EQ(parameter_size(134'515'008), "134.52M");
    EXPECT_EQ(parameter_size(1'100'048'384), "1.1B");
}

TEST(OllamaModels, TagsHaveWhatTellsModelsApart) {
    supervisor::ModelEntry broken = entry();
    broken.error = "it is no model";
    const std::string tags = ollama_models({entry(), broken});
    EXPECT_EQ(at(tags, {"models", "0", "model"}), R"("tale")");
    EXPECT_EQ(at(tags, {"models", "0", "digest"}), R"("abc")");
    EXPECT_EQ(at(tags, {"models", "0", "size"}), "7");
    EXPECT_EQ(at(tags, {"models", "0", "details", "parameter_size"}), R"("1.1B")");
    EXPECT_EQ(at(tags, {"models", "0", "details", "quantization_level"}), R"("Q4_0")");
    EXPECT_EQ(at(tags, {"models", "1"}), "nothing at 1");
}

TEST(OllamaModels, PsTellsOfMemoryAndOfTheEnd) {
    supervisor::ModelEntry loaded = entry(), other = entry();
    other.name = "another";
    service::Status status;
    status.engines = {{.model = loaded.name,
                       .state = service::State::Ready,
                       .backend = "opencl",
                       .memory_bytes = 120,
                       .context_length = 128,
                       .unload_in = std::chrono::milliseconds(0)},
                      {.model = other.name, .state = service::State::Busy, .memory_bytes = 7},
                      {.model = "one that loads", .state = service::State::Loading},
                      {.model = "big@home", .state = service::State::Ready, .backend = "remote"},
                      {.model = "by its path", .state = service::State::Ready, .backend = "cpu", .memory_bytes = 9}};
    const std::string ps = ollama_loaded_models({other, loaded}, status);
    EXPECT_EQ(at(ps, {"models", "1", "name"}), R"("another")");
    EXPECT_EQ(at(ps, {"models", "2", "name"}), R"("by its path")") << "which has what a remote has not: memory here";
    EXPECT_EQ(at(ps, {"models", "2", "size"}), "9");
    EXPECT_EQ(at(ps, {"models", "3"}), "nothing at 3");
    EXPECT_EQ(at(ps, {"models", "0", "size"}), "120");
    EXPECT_EQ(at(ps, {"models", "0", "size_vram"}), "120");
    EXPECT_EQ(at(ps, {"models", "0", "context_length"}), "128");
    const std::string now = at(ps, {"models", "0", "expires_at"});
    status.engines[0].backend = "cpu";
    status.engines[0].unload_in = std::chrono::hours(24 * 366);
    const std::string later = ollama_loaded_models({loaded}, status);
    EXPECT_EQ(at(later, {"models", "0", "size_vram"}), "0");
    EXPECT_LT(now.substr(0, 5), at(later, {"models", "0", "expires_at"}).substr(0, 5)) << "another year";
}

TEST(OllamaModels, ShowHasTheFiguresUnderTheArchitecturesName) {
    supervisor::ModelEntry model = entry();
    const std::string plain = ollama_model(model);
    EXPECT_EQ(at(plain, {"capabilities"}), R"(["completion","embedding"])");
    EXPECT_EQ(at(plain, {"template"}), R"("{% \"x\" %}")");
    EXPECT_EQ(at(plain, {"details", "family"}), R"("llama")");
    EXPECT_EQ(at(plain, {"model_info", "general.architecture"}), R"("llama")");
    EXPECT_EQ(at(plain, {"model_info", "general.parameter_count"}), "1100048384");
    EXPECT_EQ(at(plain, {"model_info", "llama.context_length"}), "256");
    EXPECT_EQ(at(plain, {"model_info", "llama.embedding_length"}), "64");
    EXPECT_EQ(at(plain, {"model_info", "llama.block_count"}), "5");
    EXPECT_EQ(at(plain, {"model_info", "llama.attention.head_count"}), "8");
    EXPECT_EQ(at(plain, {"model_info", "llama.attention.head_count_kv"}), "4");
    EXPECT_NE(at(plain, {"parameters"}).find("temperature                    0.8\\n"), std::string::npos);
    EXPECT_NE(at(plain, {"modelfile"}).find("FROM tale\\nTEMPLATE"), std::string::npos);
    EXPECT_EQ(plain.find("nonexistent"), std::string::npos) << "no path";
    model.chats = true;
    EXPECT_EQ(at(ollama_model(model), {"capabilities"}), R"(["completion","embedding","tools"])");
    model.thinks = true;
    EXPECT_EQ(at(ollama_model(model), {"capabilities"}), R"(["completion","embedding","tools","thinking"])");
}

TEST(OllamaModels, ARemotesModelSaysWhereItIs) {
    supervisor::ModelEntry model;
    model.name = "big@home";
    model.remote = "home";
    model.host = "box.lan";
    const std::string tags = ollama_models({model});
    EXPECT_EQ(at(tags, {"models", "0", "remote_model"}), "\"big\"");
    EXPECT_EQ(at(tags, {"models", "0", "remote_host"}), "\"box.lan\"");
    EXPECT_EQ(at(ollama_models({entry()}), {"models", "0", "remote_host"}), "nothing at remote_host");
    model.host.clear();
    EXPECT_EQ(at(ollama_models({model}), {"models", "0", "remote_host"}), "\"home\"") << "a sandbox sees no address";
}

}  // namespace
}  // namespace llmd::http
