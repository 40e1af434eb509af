#include "engine/server/inspection.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "engine/chat/template_text.h"
#include "engine/compute/opencl/runtime/device.h"
#include "engine/generation/loaded_model.h"
#include "engine/model/architectures.h"
#include "engine/model/model_file.h"
#include "engine/model/weights.h"
#include "engine/tokenizer/tokenizer.h"

namespace llmd::engine {

namespace {

// The metadata of a model whose tensors are all that the architecture needs, and whose tokenizer works.
struct Metadata {
    model::ModelFile file;
    model::DecoderSpec spec;
    model::KeyReport keys;
};

base::Result<Metadata> read_metadata(base::Result<model::ModelFile> file) {
    if (!file) return std::move(file).error();
    model::KeyReport keys;
    auto spec = model::read_decoder_spec(file->gguf(), model::architectures(), &keys);
    if (!spec) return std::move(spec).error();
    if (const auto weights = model::Weights::bind(file->gguf(), *spec); !weights) return weights.error();
    if (const auto tokenizer = tokenizer::Tokenizer::create(file->gguf()); !tokenizer) return tokenizer.error();
    return Metadata{*std::move(file), *std::move(spec), std::move(keys)};
}

// The digest reads so much of the weights: enough that two trainings of one model differ, and less than a disk reads
// in the time that people notice.
constexpr size_t kSampleBytes = 4096;
constexpr size_t kMaxSamples = 256;

// SHA-256 of the file's size, of all that comes before the weights, and of blocks spread evenly over these; of a split
// model, of each part.
std::string digest(const model::ModelFile& file) {
    base::Sha256 hash;
    const size_t n_parts = file.parts().size();
    for (size_t part = 0; part < n_parts; ++part) {
        const auto bytes = file.parts()[part].bytes();
        const auto head = file.metadata(part);
        hash.add(base::concat(bytes.size(), '\n'));
        hash.add(head);
        const auto body = bytes.subspan(head.size());
        const size_t n_blocks = (body.size() + kSampleBytes - 1) / kSampleBytes;
        const size_t n_samples = std::min(n_blocks, std::max<size_t>(1, kMaxSamples / n_parts));
        for (size_t i = 0; i < n_samples; ++i) {  // the first and the last block among them
            const size_t block = n_samples == 1 ? 0 : i * (n_blocks - 1) / (n_samples - 1);
            const auto rest = body.subspan(block * kSampleBytes);
            hash.add(rest.first(std::min(rest.size(), kSampleBytes)));
        }
    }
    return hash.hex();
}

static_assert(chat::kNoFamily == protocol::kNoChatTemplate);

void read_chat_template(const model::Gguf& gguf, protocol::Inspection& inspection) {
    const auto text = gguf.get_string_or("tokenizer.chat_template", "");
    if (!text) return;
    if (text->empty()) {
        inspection.chat_family = chat::kNoFamily;
        return;
    }
    const chat::ChatFamily* family = chat::recognize_chat_family(*text);
    if (family != nullptr) inspection.chat_family = family->name;
    inspection.chats = family != nullptr;
    inspection.thinks = family != nullptr && family->thinking != nullptr;
    std::string clean = base::to_clean_text(*text);
    if (clean.size() <= protocol::kMaxInspectedTemplate) inspection.chat_template = std::move(clean);
}

template <typename Get>
uint32_t most(const std::vector<model::LayerSpec>& layers, Get get) {
    uint32_t most = 0;
    for (const model::LayerSpec& layer : layers) most = std::max(most, get(layer));
    return most;
}

}  // namespace

protocol::Inspection inspect_model(std::span<const std::string> paths) {
    protocol::Inspection inspection;
    const auto metadata =
        read_metadata(paths.size() == 1 ? model::ModelFile::open(paths[0]) : model::ModelFile::open_parts(paths));
    inspection.ok = metadata.has_value();
    if (!metadata) {
        inspection.error = metadata.error().message;
        return inspection;
    }
    const model::DecoderSpec& spec = metadata->spec;
    const model::Gguf& gguf = metadata->file.gguf();
    inspection.architecture = spec.architecture;
    inspection.quantization = spec.quantization;
    if (const auto type = gguf.get_u32("general.file_type")) inspection.file_type = model::file_type_name(*type);
    inspection.n_ctx_train = spec.n_ctx_train;
    inspection.weight_bytes = gguf.weight_bytes();
    for (const auto& [name, tensor] : gguf.tensors()) inspection.n_parameters += tensor.rows * tensor.cols;
    inspection.n_embd = spec.n_embd;
    inspection.n_layers = spec.n_layers();
    inspection.n_heads = most(spec.layers, [](const auto& layer) { return layer.n_heads; });
    inspection.n_kv_heads = most(spec.layers, [](const auto& layer) { return layer.n_kv_heads; });
    inspection.n_ff = spec.max_ff();
    inspection.n_vocab = spec.n_vocab;
    inspection.digest = digest(metadata->file);
    const generation::ContextMemory memory = generation::usual_context_memory(spec);
    inspection.kv_bytes_per_token = memory.bytes_per_token;
    inspection.window_bytes_per_token = memory.window_bytes_per_token;
    inspection.window_tokens = memory.window_tokens;
    inspection.border_tokens = memory.border_tokens;
    inspection.keys_read = metadata->keys.read;
    inspection.keys_harmless = metadata->keys.harmless;
    inspection.embeds = spec.pooling.has_value();
    read_chat_template(gguf, inspection);
    return inspection;
}

base::Result<void> check_model(int fd) {
    struct stat info = {};
    if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return {};
    const auto metadata = read_metadata(model::ModelFile::open(base::concat("/proc/self/fd/", fd)));
    return metadata ? base::Result<void>() : metadata.error();
}

std::string device_list() {
    std::vector<std::string> notes;
    const auto found = compute::find_cl_devices(&notes);
    base::JsonWriter json;
    json.begin_object().key("devices").begin_array();
    for (const compute::ClDevice& device : found ? *found : std::vector<compute::ClDevice>()) {
        json.begin_object();
        json.key("platform").value(base::to_clean_text(device.names.platform));
        json.key("name").value(base::to_clean_text(device.names.name));
        json.key("driver").value(base::to_clean_text(device.names.driver));
        json.key("gpu").value(device.names.is_gpu);
        json.key("memory_bytes").value(device.names.memory_bytes);
        json.key("max_buffer_bytes").value(device.names.max_buffer_bytes);
        if (const auto limits = compute::query_limits(device.id); !limits) {
            json.key("error").value(base::to_clean_text(limits.error().message));
        }
        json.end_object();
    }
    json.end_array().key("notes").begin_array();
    for (const std::string& note : notes) json.value(base::to_clean_text(note));
    json.end_array();
    if (!found) json.key("error").value(base::to_clean_text(found.error().message));
    return json.end_object().take() + '\n';
}

}  // namespace llmd::engine
