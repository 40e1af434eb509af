#include "engine/server/inspection.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "base/mapped_file.h"
#include "engine/model/gguf.h"
#include "engine/model/model_config.h"
#include "engine/model/weights.h"
#include "engine/tokenizer/tokenizer.h"

namespace llmd::engine {

namespace {

struct Limit {
    const char* name;
    decltype(RLIMIT_CPU) resource;
    rlim_t of_inspection;
    rlim_t of_conversion;  // RLIM_INFINITY: the limit is not changed
};

constexpr Limit kLimits[] = {
    {"RLIMIT_CPU", RLIMIT_CPU, 5, RLIM_INFINITY},  // seconds: what llmd waits for
#ifndef LLMD_SANITIZED                             // whose shadow memory is terabytes
    // In bytes. The metadata of real models takes a few MiB. The parser of a tokenizer.json of 40 MiB reserves thirteen
    // times as much and uses little of it.
    {"RLIMIT_DATA", RLIMIT_DATA, 256 << 20, 1 << 30},
#endif
    {"RLIMIT_NOFILE", RLIMIT_NOFILE, 8, 8},                   // standard streams, the model, its tokenizer
    {"RLIMIT_FSIZE", RLIMIT_FSIZE, 16 << 20, RLIM_INFINITY},  // standard output may be a file: one frame
    {"RLIMIT_NPROC", RLIMIT_NPROC, 0, 0},                     // no children, no threads
    {"RLIMIT_CORE", RLIMIT_CORE, 0, 0},
};

struct Metadata {
    base::MappedFile file;  // gguf refers to it
    model::Gguf gguf;
    model::ModelConfig config;
};

base::Result<Metadata> read_metadata(const std::string& path) {
    auto file = base::MappedFile::open(path);
    if (!file) return std::move(file).error();
    auto gguf = model::Gguf::parse(file->bytes());
    if (!gguf) return std::move(gguf).error();
    auto config = model::read_model_config(*gguf);
    if (!config) return std::move(config).error();
    return Metadata{*std::move(file), *std::move(gguf), *std::move(config)};
}

base::Result<void> set_limits(rlim_t Limit::*task) {
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return base::fail_errno(base::ErrorCode::Failed, "prctl PR_SET_NO_NEW_PRIVS", errno);
    }
    for (const Limit& limit : kLimits) {
        if (limit.*task == RLIM_INFINITY) continue;
        const rlimit value{limit.*task, limit.*task};
        if (::setrlimit(limit.resource, &value) != 0) {
            return base::fail_errno(base::ErrorCode::Failed, base::concat("setrlimit ", limit.name), errno);
        }
    }
    return {};
}

}  // namespace

base::Result<void> enter_inspection_sandbox() {
    return set_limits(&Limit::of_inspection);
}
base::Result<void> enter_conversion_sandbox() {
    return set_limits(&Limit::of_conversion);
}

protocol::Inspection inspect_model(const std::string& path) {
    protocol::Inspection inspection;
    const auto metadata = read_metadata(path);
    inspection.ok = metadata.has_value();
    if (!metadata) {
        inspection.error = metadata.error().message;
        return inspection;
    }
    inspection.architecture = metadata->config.architecture;
    inspection.quantization = metadata->config.quantization;
    inspection.n_ctx_train = metadata->config.n_ctx_train;
    inspection.weight_bytes = metadata->gguf.weight_bytes();
    return inspection;
}

base::Result<void> check_model(int fd) {
    struct stat info = {};
    if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return {};
    const auto metadata = read_metadata(base::concat("/proc/self/fd/", fd));
    if (!metadata) return metadata.error();
    const auto weights = model::Weights::bind(metadata->gguf, metadata->config);
    if (!weights) return weights.error();
    const auto tokenizer = tokenizer::Tokenizer::create(metadata->gguf);
    return tokenizer ? base::Result<void>() : tokenizer.error();
}

}  // namespace llmd::engine
