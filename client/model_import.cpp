#include "client/model_import.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/unique_fd.h"
#include "client/child.h"
#include "client/counts.h"
#include "client/exit_code.h"
#include "client/output.h"
#include "protocol/frame.h"
#include "service/model_catalogue.h"

namespace llmd::client {
namespace {

constexpr std::string_view kSuffix = ".gguf";
// The inspector gives itself five seconds of CPU time.
constexpr std::chrono::seconds kInspectionLimit{20};
constexpr size_t kCopyBytes = 1u << 20;

[[noreturn]] void fail(const std::string& what, int error) {
    throw CommandError(ExitCode::Failed, what + ": " + std::strerror(error));
}

std::string proc_path(int fd) {
    return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(fd);
}

// `path` may be a name in /proc; `file` is what people call it.
protocol::Inspection inspect(const std::string& engine, const std::string& path, const std::string& file) {
    const ChildEnd end = run_child({engine, "--inspect", path}, kInspectionLimit);
    if (!end.fault.empty()) {
        throw CommandError(ExitCode::Failed, file + " cannot be inspected: " + engine + ' ' + end.fault);
    }
    protocol::FrameReader reader;
    reader.append(end.output);
    const auto message = reader.next();
    const auto* inspection = message && *message ? std::get_if<protocol::Inspection>(&**message) : nullptr;
    if (inspection == nullptr) {
        throw CommandError(ExitCode::Failed, file + " cannot be inspected: " + engine + " is another version");
    }
    if (!inspection->ok) {
        const bool names_it = inspection->error.find(file) != std::string::npos;
        throw CommandError(ExitCode::Failed, (names_it ? "" : file + ": ") + inspection->error);
    }
    return *inspection;
}

std::string model_name(const std::string& file, std::string name) {
    const bool given = !name.empty();
    if (!given) name = std::filesystem::path(file).filename().string();
    if (name.ends_with(kSuffix)) name.resize(name.size() - kSuffix.size());
    if (!service::is_model_name(name)) {
        throw CommandError(ExitCode::Usage, given ? "--name: '" + name + "' can be no model's name"
                                                  : file + ": no model can be called so; --name gives it another");
    }
    return name;
}

uint64_t size_of(int fd, const std::string& file) {
    struct stat info = {};
    if (::fstat(fd, &info) != 0) fail(file, errno);
    return static_cast<uint64_t>(info.st_size);
}

base::UniqueFd open_source(const std::string& file, uint64_t& size) {
    base::UniqueFd source(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!source) throw CommandError(ExitCode::Usage, file + ": " + std::strerror(errno));
    struct stat info = {};
    if (::fstat(source.get(), &info) != 0) fail(file, errno);
    if (!S_ISREG(info.st_mode)) throw CommandError(ExitCode::Usage, file + " is not a regular file");
    size = static_cast<uint64_t>(info.st_size);
    return source;
}

void make_folder(const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw CommandError(ExitCode::Failed, folder + ": " + error.message());
}

// Gives the open file its name. False: that is not possible here (another filesystem, another owner).
bool link_to(int fd, const std::string& path) {
    // Not AT_EMPTY_PATH, which takes a privilege.
    if (::linkat(AT_FDCWD, proc_path(fd).c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0) return true;
    if (errno == EEXIST) throw CommandError(ExitCode::Usage, path + " is there already; --name gives another name");
    return false;
}

void copy(int source, int target, uint64_t size, const std::string& folder, const ImportProgress& progress) {
    struct statvfs disk = {};
    const bool knows = ::fstatvfs(target, &disk) == 0;
    const uint64_t room = knows ? uint64_t{disk.f_bavail} * disk.f_frsize : size;
    if (room < size) {
        throw CommandError(ExitCode::Failed,
                           folder + " has room for " + size_text(room) + ", the model takes " + size_text(size));
    }
    std::vector<char> bytes(kCopyBytes);
    uint64_t copied = 0;
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
        progress(copied += static_cast<uint64_t>(n), size);
    }
    // Where the disk's blocks are given out late, only this tells that it is full.
    if (::fsync(target) != 0) fail("writing to " + folder, errno);
}

}  // namespace

ImportedModel import_model(const std::string& file, const std::string& wanted_name, const std::string& folder,
                           const std::string& engine, const ImportProgress& progress) {
    ImportedModel model;
    model.name = model_name(file, wanted_name);
    model.path = folder + '/' + model.name + std::string(kSuffix);
    const base::UniqueFd source = open_source(file, model.size_bytes);
    protocol::Inspection inspection = inspect(engine, proc_path(source.get()), file);
    make_folder(folder);
    if (::access(model.path.c_str(), F_OK) == 0) {
        throw CommandError(ExitCode::Usage, model.path + " is there already; --name gives another name");
    }
    const base::UniqueFd target(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (!target) fail(folder, errno);
    if (::ioctl(target.get(), FICLONE, source.get()) == 0) {
        model.how = "clone";
    } else if (link_to(source.get(), model.path)) {
        model.how = kHardLink;
    } else {
        copy(source.get(), target.get(), model.size_bytes, folder, progress);
        model.how = "copy";
    }
    if (std::string_view(model.how) != kHardLink) {
        inspection = inspect(engine, proc_path(target.get()), file);  // the source may have changed meanwhile
        model.size_bytes = size_of(target.get(), file);
        if (!link_to(target.get(), model.path)) fail(model.path, errno);
    }
    model.architecture = inspection.architecture;
    model.quantization = inspection.quantization;
    return model;
}

}  // namespace llmd::client
