#include "client/model_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/json_writer.h"
#include "base/model_files.h"
#include "base/places.h"
#include "base/remote_settings.h"
#include "client/child.h"
#include "client/counts.h"
#include "client/exit_code.h"
#include "client/output.h"
#include "supervisor/model_catalogue.h"

namespace llmd::client {
namespace {

constexpr std::string_view kCheckpointSuffix = ".bin";
// The inspector gives itself five seconds of CPU time.
constexpr std::chrono::seconds kInspectionLimit{20};

// Says what becomes of another model of that name; empty without one.
std::string other_of_that_name(const NewModel& model) {
    bool comes_first = true;
    for (const std::string& folder : base::model_folders()) {
        const auto other = base::find_model(folder, model.name);
        std::error_code ignored;
        if (!other) continue;
        if (!std::filesystem::equivalent(*other, model.path, ignored)) {
            return comes_first ? folder + " has a model of that name too, which llmd takes in its place\n"
                               : "it takes the place of the model of that name in " + folder + '\n';
        }
        comes_first = false;
    }
    return "";
}

[[noreturn]] void refuse_taken(const std::string& path) {
    throw CommandError(ExitCode::Usage, path + " is there already; --name gives another name");
}

}  // namespace

void no_such_model(const std::string& name, const std::vector<std::string>& fallback) {
    std::string names = base::in_quotes(name);
    for (const std::string& other : fallback) names += " or " + base::in_quotes(other);
    throw CommandError(ExitCode::ModelMissing, "there is no model " + names + "; 'llmctl models' shows those there are",
                       "ModelNotFound");
}

std::string model_path(const std::string& folder, const std::string& name) {
    return folder + '/' + name + std::string(base::kModelSuffix);
}

std::string proc_path(int fd) {
    return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(fd);
}

protocol::Inspection inspect_model(const std::string& engine, const std::string& path) {
    return inspect_model(engine, {&path, 1}, path);
}

protocol::Inspection inspect_model(const std::string& engine, std::span<const std::string> paths,
                                   const std::string& file) {
    std::vector<std::string> command = {engine, "--inspect"};
    command.insert(command.end(), paths.begin(), paths.end());
    const ChildEnd end = run_child(command, kInspectionLimit);
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

std::string model_name(const std::string& file, const std::string& given) {
    std::string name = given;
    if (given.empty()) {
        const std::filesystem::path path(file);  // of a directory it may end in a slash
        name = (path.has_filename() ? path : path.parent_path()).filename().string();
    }
    if (given.empty() && name.ends_with(kCheckpointSuffix)) name.resize(name.size() - kCheckpointSuffix.size());
    if (name.find('/') == std::string::npos) name = base::name_of_model(name);
    const auto part = base::parse_part_name(name + std::string(base::kModelSuffix));
    if (part && given.empty()) {
        throw CommandError(ExitCode::Usage, file + " is " + base::part_text(part->number, part->count) +
                                                " of a split model; name the first, " + part->of(1));
    }
    if (part || !base::is_local_model_name(name)) {
        const bool has_at = !part && base::is_model_name(name);
        const std::string why = has_at ? ", because '@' stands between a model and its remote" : "";
        throw CommandError(ExitCode::Usage,
                           !given.empty() ? "--name: " + base::in_quotes(name) + " can be no model's name" + why
                                          : file + ": no model can be called so" + why + "; --name gives it another");
    }
    return name;
}

uint64_t size_of(int fd, const std::string& file) {
    struct stat info = {};
    if (::fstat(fd, &info) != 0) throw CommandError(ExitCode::Failed, file + ": " + std::strerror(errno));
    return static_cast<uint64_t>(info.st_size);
}

std::vector<std::string> places_for(const std::string& folder, const std::string& name, size_t n_parts) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw CommandError(ExitCode::Failed, folder + ": " + error.message());
    if (const auto taken = base::find_model(folder, name)) refuse_taken(*taken);
    std::string path = model_path(folder, name);
    if (n_parts == 1) return {std::move(path)};
    return base::files_of_model(base::PartName{folder + '/' + name, 1, static_cast<uint32_t>(n_parts)}.of(1));
}

bool link_all(std::span<const int> fds, std::span<const std::string> paths) {
    for (size_t i = fds.size(); i-- > 0;) {
        // Not AT_EMPTY_PATH, which takes a privilege.
        const std::string source = proc_path(fds[i]);
        if (::linkat(AT_FDCWD, source.c_str(), AT_FDCWD, paths[i].c_str(), AT_SYMLINK_FOLLOW) == 0) continue;
        const int error = errno;
        for (size_t made = i + 1; made < fds.size(); ++made) ::unlink(paths[made].c_str());
        if (error == EEXIST) refuse_taken(paths[i]);
        errno = error;
        return false;
    }
    return true;
}

void announce(const NewModel& model, bool json, const std::string& note) {
    if (json) {
        print_json(Dictionary{{"name", model.name},
                              {"path", model.path},
                              {"architecture", model.architecture},
                              {"quantization", model.quantization},
                              {"size_bytes", model.size_bytes},
                              {"how", model.how}});
        return;
    }
    const std::string folder = std::filesystem::path(model.path).parent_path().string();
    TextOutput output(STDOUT_FILENO);  // a file chooses some of these words
    output.write(model.name + " (" + model.architecture + ' ' + model.quantization + ", " +
                 size_text(model.size_bytes) + ") is in " + folder + ", as a " + model.how + note + '\n' +
                 other_of_that_name(model));
}

}  // namespace llmd::client
