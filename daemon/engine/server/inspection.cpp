#include "engine/server/inspection.h"

#include <sys/stat.h>

#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "base/mapped_file.h"
#include "base/utf8.h"
#include "engine/compute/opencl/runtime/device.h"
#include "engine/model/architectures.h"
#include "engine/model/gguf.h"
#include "engine/model/weights.h"
#include "engine/tokenizer/tokenizer.h"

namespace llmd::engine {

namespace {

struct Metadata {
    base::MappedFile file;  // gguf refers to it
    model::Gguf gguf;
    model::DecoderSpec spec;
};

base::Result<Metadata> read_metadata(const std::string& path) {
    auto file = base::MappedFile::open(path);
    if (!file) return std::move(file).error();
    auto gguf = model::Gguf::parse(file->bytes());
    if (!gguf) return std::move(gguf).error();
    auto spec = model::read_decoder_spec(*gguf);
    if (!spec) return std::move(spec).error();
    return Metadata{*std::move(file), *std::move(gguf), *std::move(spec)};
}

}  // namespace

protocol::Inspection inspect_model(const std::string& path) {
    protocol::Inspection inspection;
    const auto metadata = read_metadata(path);
    inspection.ok = metadata.has_value();
    if (!metadata) {
        inspection.error = metadata.error().message;
        return inspection;
    }
    inspection.architecture = metadata->spec.architecture;
    inspection.quantization = metadata->spec.quantization;
    inspection.n_ctx_train = metadata->spec.n_ctx_train;
    inspection.weight_bytes = metadata->gguf.weight_bytes();
    return inspection;
}

base::Result<void> check_model(int fd) {
    struct stat info = {};
    if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return {};
    const auto metadata = read_metadata(base::concat("/proc/self/fd/", fd));
    if (!metadata) return metadata.error();
    const auto weights = model::Weights::bind(metadata->gguf, metadata->spec);
    if (!weights) return weights.error();
    const auto tokenizer = tokenizer::Tokenizer::create(metadata->gguf);
    return tokenizer ? base::Result<void>() : tokenizer.error();
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
