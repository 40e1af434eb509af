#include "base/places.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <sstream>
#include <system_error>

#include "base/config.h"

namespace llmd::base {

namespace {

std::string from_environment(const char* variable, const char* otherwise) {
    const char* value = std::getenv(variable);
    return value && *value ? value : otherwise;
}

std::filesystem::path folder_of_this_program() {
    std::error_code error;
    return std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
}

// Returns the program that `variable` names, else the first of `places` that there is, seen from this program's folder.
std::string program_at(const char* variable, std::initializer_list<const char*> places, const char* installed) {
    if (const char* program = std::getenv(variable); program && *program) return program;
    const std::filesystem::path here = folder_of_this_program();
    for (const char* place : places) {
        const std::filesystem::path program = here / place;
        if (::access(program.c_str(), X_OK) == 0) return program.lexically_normal();
    }
    return installed;
}

// The build tree's program at `place`, seen from this one's folder, if it is there.
std::string built_or(const char* place, const char* installed) {
    const std::filesystem::path built = (folder_of_this_program() / place).lexically_normal();
    return ::access(built.c_str(), X_OK) == 0 ? built.string() : installed;
}

}  // namespace

std::string sysfs() {
    return from_environment("LLMD_SYSFS", "/sys");
}

std::string procfs() {
    return from_environment("LLMD_PROCFS", "/proc");
}

std::string find_daemon() {
    return built_or("../daemon/llmd", LLMD_LIBEXECDIR "/llmd");
}

std::string find_pull() {
    return built_or("llmctl-pull", LLMD_LIBEXECDIR "/llmctl-pull");
}

std::string find_engine() {
    return program_at("LLMD_ENGINE", {"llmd-engine", "engine/llmd-engine", "../daemon/engine/llmd-engine"},
                      LLMD_LIBEXECDIR "/llmd-engine");
}

std::string find_remote() {
    return program_at("LLMD_REMOTE", {"llmd-remote", "remote/llmd-remote", "../daemon/remote/llmd-remote"},
                      LLMD_LIBEXECDIR "/llmd-remote");
}

std::string user_model_folder() {
    return xdg_data_home() + "/llmd/models";
}

std::vector<std::string> model_folders() {
    std::vector<std::string> folders;
    if (const char* list = std::getenv("LLMD_MODEL_PATH")) {
        std::istringstream parts(list);
        for (std::string folder; std::getline(parts, folder, ':');) {
            if (!folder.empty()) folders.push_back(folder);
        }
    }
    folders.push_back(user_model_folder());
    folders.emplace_back(LLMD_DATADIR "/llmd/models");
    return folders;
}

}  // namespace llmd::base
