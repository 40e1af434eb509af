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
    rlim_t value;
    decltype(RLIMIT_CPU) resource;
    bool of_conversion;  // too
};

constexpr Limit kLimits[] = {
    {"RLIMIT_CPU", 5, RLIMIT_CPU, false},           // seconds: what llmd waits for
#ifndef LLMD_SANITIZED                              // whose shadow memory is terabytes
    {"RLIMIT_DATA", 256 << 20, RLIMIT_DATA, true},  // bytes: the metadata of real models takes a few MiB
#endif
    {"RLIMIT_NOFILE", 8, RLIMIT_NOFILE, true},        // standard streams, the model, its tokenizer
    {"RLIMIT_FSIZE", 16 << 20, RLIMIT_FSIZE, false},  // standard output may be a file: one frame
    {"RLIMIT_NPROC", 0, RLIMIT_NPROC, true},          // no children, no threads
    {"RLIMIT_CORE", 0, RLIMIT_CORE, true},
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

base::Result<void> confine_to(bool conversion) {
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return base::fail_errno(base::ErrorCode::Failed, "prctl PR_SET_NO_NEW_PRIVS", errno);
    }
    for (const Limit& limit : kLimits) {
        if (conversion && !limit.of_conversion) continue;
        const rlimit value{limit.value, limit.value};
        if (::setrlimit(limit.resource, &value) != 0) {
            return base::fail_errno(base::ErrorCode::Failed, base::concat("setrlimit ", limit.name), errno);
        }
    }
    return {};
}

}  // namespace

base::Result<void> confine_to_inspection() {
    return confine_to(false);
}
base::Result<void> confine_to_conversion() {
    return confine_to(true);
}

protocol::Inspection inspect_model(const std::string& path) {
    auto inspection = inspect(path);
    if (inspection) return *inspection;
    protocol::Inspection failed;
    failed.error = inspection.error().message;
    return failed;
}

}  // namespace llmd::engine
