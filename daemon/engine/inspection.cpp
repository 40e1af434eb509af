#include "engine/inspection.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#include <cerrno>

#include "base/mapped_file.h"
#include "engine/model/gguf.h"
#include "engine/model/model_config.h"

namespace llmd::engine {

namespace {

struct Limit {
    const char* name;
    decltype(RLIMIT_CPU) resource;
    rlim_t of_inspection;
    rlim_t of_conversion;  // RLIM_INFINITY: as it is
};

constexpr Limit kLimits[] = {
    {"RLIMIT_CPU", RLIMIT_CPU, 5, RLIM_INFINITY},  // seconds: what llmd waits for
#ifndef LLMD_SANITIZED                             // whose shadow memory is terabytes
    // Bytes: the metadata of real models takes a few MiB. The parser of a tokenizer.json of 40 MiB reserves thirteen
    // times as much, of which it uses little.
    {"RLIMIT_DATA", RLIMIT_DATA, 256 << 20, 1 << 30},
#endif
    {"RLIMIT_NOFILE", RLIMIT_NOFILE, 8, 8},                   // standard streams, the model, its tokenizer
    {"RLIMIT_FSIZE", RLIMIT_FSIZE, 16 << 20, RLIM_INFINITY},  // standard output may be a file: one frame
    {"RLIMIT_NPROC", RLIMIT_NPROC, 0, 0},                     // no children, no threads
    {"RLIMIT_CORE", RLIMIT_CORE, 0, 0},
};

base::Result<protocol::Inspection> inspect(const std::string& path) {
    const auto file = base::MappedFile::open(path);
    if (!file) return file.error();
    const auto gguf = model::Gguf::parse(file->bytes());
    if (!gguf) return gguf.error();
    const auto config = model::read_model_config(*gguf);
    if (!config) return config.error();
    protocol::Inspection inspection;
    inspection.ok = true;
    inspection.architecture = config->architecture;
    inspection.quantization = config->quantization;
    inspection.n_ctx_train = config->n_ctx_train;
    inspection.weight_bytes = gguf->weight_bytes();
    return inspection;
}

base::Result<void> confine_to(rlim_t Limit::*task) {
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

base::Result<void> confine_to_inspection() {
    return confine_to(&Limit::of_inspection);
}
base::Result<void> confine_to_conversion() {
    return confine_to(&Limit::of_conversion);
}

protocol::Inspection inspect_model(const std::string& path) {
    auto inspection = inspect(path);
    if (inspection) return *inspection;
    protocol::Inspection failed;
    failed.error = inspection.error().message;
    return failed;
}

}  // namespace llmd::engine
