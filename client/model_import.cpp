#include "client/model_import.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/model_files.h"
#include "base/unique_fd.h"
#include "client/child.h"
#include "client/counts.h"
#include "client/exit_code.h"
#include "client/output.h"

namespace llmd::client {
namespace {

// Far more than any model takes on any phone; Ctrl-C ends it before.
constexpr std::chrono::hours kConversionLimit{12};
constexpr int kUsageStatus = 2;  // of llmd-engine: it does not know the type
constexpr size_t kCopyBytes = 1u << 20;

[[noreturn]] void fail(const std::string& what, int error) {
    throw CommandError(ExitCode::Failed, what + ": " + std::strerror(error));
}

base::UniqueFd open_source(const std::string& file) {
    base::UniqueFd source(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!source) {
        const int error = errno;
        const auto part = base::parse_part_name(file);
        const bool is_other = part && part->number != 1;
        throw CommandError(ExitCode::Usage,
                           (is_other ? base::part_text(part->number, part->count) + " of the model is missing: " : "") +
                               file + ": " + std::strerror(error));
    }
    struct stat info = {};
    if (::fstat(source.get(), &info) != 0) fail(file, errno);
    if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) {
        throw CommandError(ExitCode::Usage, file + " is neither a regular file nor a directory");
    }
    return source;
}

// The files of a model, and those without a name that they become.
struct Files {
    std::vector<base::UniqueFd> owners;
    std::vector<int> fds;
    std::vector<std::string> proc_paths;

    void add(base::UniqueFd fd) {
        fds.push_back(fd.get());
        proc_paths.push_back(proc_path(fd.get()));
        owners.push_back(std::move(fd));
    }
    uint64_t size_bytes(const std::string& file) const {
        uint64_t sum = 0;
        for (const int fd : fds) sum += size_of(fd, file);
        return sum;
    }
};

void copy(int source, int target, const std::string& folder, const std::function<void(uint64_t bytes)>& progress) {
    std::vector<char> bytes(kCopyBytes);
    while (true) {
        const ssize_t n = ::read(source, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail("reading the model", errno);
        if (n == 0) break;
        for (ssize_t written = 0; written < n;) {
            const ssize_t m = ::write(target, bytes.data() + written, static_cast<size_t>(n - written));
            if (m < 0 && errno != EINTR) fail("writing to " + folder, errno);
            if (m > 0) written += m;
        }
        progress(static_cast<uint64_t>(n));
    }
    // Where the disk's blocks are given out late, only this shows that it is full.
    if (::fsync(target) != 0) fail("writing to " + folder, errno);
}

void copy_all(const Files& sources, const Files& targets, uint64_t size, const std::string& folder,
              const ImportProgress& progress) {
    struct statvfs disk = {};
    const bool knows = ::fstatvfs(targets.fds[0], &disk) == 0;
    const uint64_t room = knows ? uint64_t{disk.f_bavail} * disk.f_frsize : size;
    if (room < size) {
        throw CommandError(ExitCode::Failed,
                           folder + " has room for " + size_text(room) + ", the model takes " + size_text(size));
    }
    uint64_t copied = 0;
    for (size_t i = 0; i < sources.fds.size(); ++i) {
        copy(sources.fds[i], targets.fds[i], folder, [&](uint64_t bytes) { progress(copied += bytes, size); });
    }
}

bool clone_all(const Files& sources, const Files& targets) {
    for (size_t i = 0; i < sources.fds.size(); ++i) {
        if (::ioctl(targets.fds[i], FICLONE, sources.fds[i]) != 0) return false;
    }
    return true;
}

enum class Format : uint8_t { Gguf, Checkpoint, Directory };

// A directory, or what the file's first bytes say. A checkpoint of llama2.c may begin with anything: whatever is not
// called a GGUF file is tried as one.
Format format_of(int fd, const std::string& file) {
    struct stat info = {};
    if (::fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) return Format::Directory;
    std::array<char, 4> bytes{};
    const ssize_t n = ::pread(fd, bytes.data(), bytes.size(), 0);
    const std::string_view begin(bytes.data(), n > 0 ? static_cast<size_t>(n) : 0);
    // A zip archive, and the opcode PROTO with its protocol, 2 to 5.
    if (begin.starts_with("PK\x03\x04") || (begin.size() > 1 && begin[0] == '\x80' && begin[1] >= 2 && begin[1] <= 5)) {
        throw CommandError(ExitCode::Failed, file +
                                                 " is a pickle of PyTorch, which may hold a program, and is not read; "
                                                 "look for the model as GGUF");
    }
    return begin == "GGUF" || file.ends_with(base::kModelSuffix) ? Format::Gguf : Format::Checkpoint;
}

void convert(const std::string& file, Format format, const ImportOptions& options, const std::string& name,
             const std::string& engine, int target, const ImportProgress& progress) {
    std::string tokenizer = options.tokenizer;
    if (tokenizer.empty() && format == Format::Checkpoint) {
        tokenizer = std::filesystem::path(file).replace_filename("tokenizer.bin").string();
    }
    const auto tick = [&] {
        // The position is the child's too.
        const off_t at = ::lseek(target, 0, SEEK_CUR);
        if (at >= 0) progress(static_cast<uint64_t>(at), size_of(target, file));
    };
    const ChildEnd end =
        run_child_into(target, {engine, "--convert", file, tokenizer, options.quantize, name}, kConversionLimit, tick);
    if (end.fault.empty()) return;
    constexpr std::string_view kPrefix = "llmd-engine: ";
    std::string why = end.output.starts_with(kPrefix) ? end.output.substr(kPrefix.size()) : "";
    if (why.empty()) throw CommandError(ExitCode::Failed, file + " cannot be converted: " + engine + ' ' + end.fault);
    if (why.back() == '\n') why.pop_back();
    if (end.status == kUsageStatus) throw CommandError(ExitCode::Usage, "--quantize: " + why);
    throw CommandError(ExitCode::Failed, why);
}

}  // namespace

NewModel import_model(const std::string& file, const ImportOptions& options, const std::string& folder,
                      const std::string& engine, const ImportProgress& progress) {
    NewModel model;
    model.name = model_name(file, options.name);
    Files sources;
    sources.add(open_source(file));
    const Format format = format_of(sources.fds[0], file);
    if (format == Format::Directory && !options.tokenizer.empty()) {
        throw CommandError(ExitCode::Usage,
                           file + " is a directory: its tokenizer is in it, --tokenizer is for others");
    }
    if (format == Format::Gguf && !(options.tokenizer.empty() && options.quantize.empty())) {
        throw CommandError(ExitCode::Usage, file + " is a GGUF file: --tokenizer and --quantize are for others");
    }
    protocol::Inspection inspection;
    if (format == Format::Gguf) {
        const std::vector<std::string> parts = base::files_of_model(file);
        for (size_t i = 1; i < parts.size(); ++i) sources.add(open_source(parts[i]));
        inspection = inspect_model(engine, sources.proc_paths, file);
    }
    const std::vector<std::string> paths = places_for(folder, model.name, sources.fds.size());
    model.path = paths[0];
    Files targets;
    for (size_t i = 0; i < sources.fds.size(); ++i) {
        base::UniqueFd target(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR));
        if (!target) fail(folder, errno);
        targets.add(std::move(target));
    }
    if (format != Format::Gguf) {
        convert(file, format, options, model.name, engine, targets.fds[0], progress);
        if (::fsync(targets.fds[0]) != 0) fail("writing to " + folder, errno);
        model.how = "conversion";
    } else if (clone_all(sources, targets)) {
        model.how = "clone";
    } else if (link_all(sources.fds, paths)) {
        model.how = kHardLink;
    } else {
        copy_all(sources, targets, sources.size_bytes(file), folder, progress);
        model.how = "copy";
    }
    const bool is_link = std::string_view(model.how) == kHardLink;
    if (!is_link) {
        inspection = inspect_model(engine, targets.proc_paths, file);  // the source may have changed meanwhile
        if (!link_all(targets.fds, paths)) fail(model.path, errno);
    }
    model.size_bytes = (is_link ? sources : targets).size_bytes(file);
    model.architecture = inspection.architecture;
    model.quantization = inspection.quantization;
    return model;
}

}  // namespace llmd::client
