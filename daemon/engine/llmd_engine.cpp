// llmd-engine is the process that reads the model file and drives the compute device, so that llmd need not. llmd
// starts it with one end of a socketpair, and it lives as long as the other end is open.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "base/unique_fd.h"
#include "engine/compute/opencl/runtime/program_cache.h"
#include "engine/convert/convert.h"
#include "engine/model/architectures.h"
#include "engine/server/engine_server.h"
#include "engine/server/inspection.h"
#include "engine/server/sandbox.h"
#include "protocol/frame.h"

namespace {

using namespace llmd;

// For people and scripts; llmd itself goes by frames and by the signal or status that ended the process.
enum ExitCode : int { kOk = 0, kFailed = 1, kUsage = 2, kDeviceFault = 3 };

constexpr std::string_view kHelp =
    "usage: llmd-engine --socket-fd N   serve llmd on the socket N\n"
    "       llmd-engine --inspect FILE [PART...]\n"
    "                                   write what the model says about itself, as one frame; of a split model whose "
    "files\n"
    "                                   are not called NAME-00001-of-00003.gguf and so on, all parts are named\n"
    "       llmd-engine --convert SOURCE TOKENIZER TYPE NAME\n"
    "                                   write a model as GGUF: a directory of Hugging Face's, with TOKENIZER \"\", or "
    "a\n"
    "                                   checkpoint of llama2.c; TYPE q8_0, q4_0, …, or \"\" for what it is\n"
    "       llmd-engine --devices       write what OpenCL offers, as JSON\n"
    "       llmd-engine --architectures write which models can be used\n"
    "       llmd-engine --version | --help\n"
    "llmd starts this program; it is of no use without it.\n";

ExitCode complain(std::string_view message, ExitCode code) {
    std::fprintf(stderr, "llmd-engine: %.*s\n", static_cast<int>(message.size()), message.data());
    return code;
}

// When memory runs out the kernel must kill this process long before llmd: it holds the memory and can be replaced,
// while llmd holds the requests. llmd cannot do this for its children before they execute this program.
void raise_oom_score() {
    constexpr int kAboveLlmd = 300;
    constexpr int kMax = 1000;
    constexpr const char* kFile = "/proc/self/oom_score_adj";
    int own = 0;
    if (std::ifstream(kFile) >> own) std::ofstream(kFile) << std::min(own + kAboveLlmd, kMax);
}

ExitCode write_out(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
        if (n < 0) return complain("cannot write to standard output", kFailed);
        bytes.remove_prefix(static_cast<size_t>(n));
    }
    return kOk;
}

// llmctl hands files over as /proc/PID/fd/N of its own process, which nobody in a sandbox may look into. They are found
// before, and no byte of them is read: descriptors of this process, which stay open to its end, take their place.
class HandedFiles {
public:
    // The path to use for `path` in the sandbox.
    std::string find(const std::string& path) {
        if (!path.starts_with("/proc/")) return path;
        const int fd = ::open(path.c_str(), O_PATH | O_CLOEXEC);
        if (fd < 0) return path;
        own_.push_back({base::concat("/proc/self/fd/", fd), path});
        return own_.back().path;
    }
    // An error with the paths as they were given.
    std::string named(std::string text) const {
        for (const Own& own : own_) {
            for (size_t at = 0; (at = text.find(own.path, at)) != std::string::npos; at += own.given.size()) {
                text.replace(at, own.path.size(), own.given);
            }
        }
        return text;
    }

private:
    struct Own {
        std::string path, given;
    };
    std::vector<Own> own_;
};

ExitCode inspect(std::vector<std::string> paths) {
    raise_oom_score();
    HandedFiles files;
    for (std::string& path : paths) path = files.find(path);
    if (const auto sandboxed = engine::enter_inspection_sandbox(); !sandboxed) {
        return complain(sandboxed.error().message, kFailed);
    }
    protocol::Inspection inspection = engine::inspect_model(paths);
    inspection.error = files.named(std::move(inspection.error));
    std::string frame;
    if (const auto encoded = protocol::encode(inspection, frame); !encoded) {
        return complain(encoded.error().message, kFailed);
    }
    return write_out(frame);
}

// Standard output is the file of the converted model.
ExitCode convert_model(std::string source, std::string tokenizer, std::string_view type_name, const std::string& name) {
    const auto type = convert::find_file_type(type_name);
    if (!type && !type_name.empty()) {
        return complain(base::concat(base::in_quotes(type_name), " is none of ", convert::file_type_names()), kUsage);
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    raise_oom_score();
    HandedFiles files;
    source = files.find(source);
    tokenizer = files.find(tokenizer);
    if (const auto sandboxed = engine::enter_conversion_sandbox(); !sandboxed) {
        return complain(sandboxed.error().message, kFailed);
    }
    try {
        std::error_code error;
        auto converted = std::filesystem::is_directory(source, error)
                             ? convert::convert_hf_directory(source, type, name, STDOUT_FILENO)
                             : convert::convert_llama2c(source, tokenizer, type.value_or(convert::FileType::F32), name,
                                                        STDOUT_FILENO);
        if (converted) converted = engine::check_model(STDOUT_FILENO);
        return converted ? kOk : complain(files.named(converted.error().message), kFailed);
    } catch (const std::bad_alloc&) {  // the limit of a conversion's memory
        return complain(base::concat(files.named(source), ": takes more memory than a model of this kind should"),
                        kFailed);
    }
}

// Runs in the sandbox of the serving engine, so that a device that it cannot reach is not listed.
ExitCode list_devices() {
    raise_oom_score();
    if (const auto sandboxed = engine::enter_sandbox(engine::prepare_writable_paths()); !sandboxed) {
        return complain(sandboxed.error().message, kFailed);
    }
    return write_out(engine::device_list());
}

ExitCode serve(std::string_view number) {
    int fd = -1;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), fd);
    if (error != std::errc() || end != number.data() + number.size() || fd < 0 || ::fcntl(fd, F_GETFD) < 0) {
        return complain(base::concat("--socket-fd: '", number, "' is not an open descriptor"), kUsage);
    }
    // An OpenCL driver may run a compiler, which must not hold the socket open.
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    raise_oom_score();                     // before the next line, which gives this process's /proc files to root
    ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);  // no core files and no debuggers: prompts are in this memory
    auto sandbox = engine::enter_sandbox(engine::prepare_writable_paths());
    if (!sandbox) return complain(sandbox.error().message, kFailed);
    engine::EngineServer server(base::UniqueFd(fd), {.sandbox = *std::move(sandbox),
                                                     .version = LLMD_VERSION,
                                                     .prefixes = compute::user_cache_directory("prefixes"),
                                                     .choices = compute::user_cache_directory("devices")});
    switch (server.run()) {
        case engine::EngineServer::Leave::PeerGone:
            return kOk;
        case engine::EngineServer::Leave::DeviceFault:
            return complain(server.reason(), kDeviceFault);
        case engine::EngineServer::Leave::Broken:
            break;
    }
    return complain(server.reason(), kFailed);
}

}  // namespace

int main(int argc, char** argv) {
    ::signal(SIGPIPE, SIG_IGN);
    const std::vector<std::string_view> args(argv + 1, argv + argc);
    if (args.size() == 1 && args[0] == "--version") return write_out("llmd-engine " LLMD_VERSION "\n");
    if (args.size() == 1 && args[0] == "--help") return write_out(kHelp);
    if (args.size() == 1 && args[0] == "--devices") return list_devices();
    if (args.size() == 1 && args[0] == "--architectures") return write_out(model::architecture_names() + '\n');
    if (args.size() >= 2 && args[0] == "--inspect") return inspect({args.begin() + 1, args.end()});
    if (args.size() == 5 && args[0] == "--convert") {
        return convert_model(std::string(args[1]), std::string(args[2]), args[3], std::string(args[4]));
    }
    if (args.size() == 2 && args[0] == "--socket-fd") return serve(args[1]);
    complain("wrong arguments", kUsage);
    std::fwrite(kHelp.data(), 1, kHelp.size(), stderr);
    return kUsage;
}
