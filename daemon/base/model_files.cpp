#include "base/model_files.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <set>

#include "base/directory.h"
#include "base/error.h"
#include "base/remote_settings.h"
#include "base/utf8.h"

namespace llmd::base {
namespace {

bool is_regular(const std::string& path) {
    struct stat status;
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// ".gguf" in any case of its letters.
bool has_suffix(std::string_view name) {
    if (name.size() < kModelSuffix.size()) return false;
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::equal(kModelSuffix.begin(), kModelSuffix.end(), name.end() - kModelSuffix.size(),
                      [&](char a, char b) { return a == lower(b); });
}

// Why no file may be called so; empty for one that may.
std::string fault_of(std::string_view name) {
    if (!name.ends_with(kModelSuffix)) return "its name does not end in .gguf in small letters: rename the file";
    if (name.front() == '.') return "its name begins with a dot: rename the file";
    const std::string model = name_of_model(name);
    if (!is_model_name(model)) return "its name has characters that cannot be shown: rename the file";
    return is_local_model_name(model) ? "" : kNameOfRemote;
}

// `error`: why the directory cannot be read; 0: it can, or is not there.
std::set<std::string> model_files_in(const std::string& folder, int& error) {
    std::set<std::string> names;
    const Directory directory(::opendir(folder.c_str()));
    error = directory || errno == ENOENT ? 0 : errno;
    if (!directory) return names;
    while (const dirent* entry = ::readdir(directory.get())) {
        if (has_suffix(entry->d_name) && is_regular(concat(folder, "/", entry->d_name))) names.insert(entry->d_name);
    }
    return names;
}

// `name` without kModelSuffix.
std::string without_suffix(std::string_view name) {
    return std::string(name.substr(0, name.size() - (name.ends_with(kModelSuffix) ? kModelSuffix.size() : 0)));
}

}  // namespace

std::string name_of_model(std::string_view path) {
    const std::string_view file = path.substr(path.rfind('/') + 1);
    const auto part = parse_part_name(file);
    return part && part->number == 1 ? part->stem : without_suffix(file);
}

std::vector<std::string> files_of_model(const std::string& path) {
    const auto part = parse_part_name(path);
    if (!part || part->number != 1 || part->count > kMaxModelParts) return {path};
    std::vector<std::string> paths;
    for (uint32_t number = 1; number <= part->count; ++number) paths.push_back(part->of(number));
    return paths;
}

std::vector<ModelFiles> find_models(const std::string& folder) {
    int error = 0;
    const std::set<std::string> files = model_files_in(folder, error);
    std::vector<ModelFiles> models;
    if (error != 0) {
        const std::string name = shown(folder.substr(folder.rfind('/') + 1));
        models.push_back({name, folder, concat(folder, ": this directory cannot be read: ", std::strerror(error))});
    }
    std::set<std::string> taken, without_first;
    // A whole file goes before a split model of its name, and the same name with fewer parts before one with more.
    for (const bool split : {false, true}) {
        for (const std::string& file : files) {
            const auto part = parse_part_name(file);
            if (part.has_value() != split) continue;
            ModelFiles model{name_of_model(file), concat(folder, "/", file), fault_of(file)};
            if (split && part->number != 1 && model.fault.empty()) {
                const std::string first = part->of(1);
                if (files.contains(first) || !without_first.insert(first).second) continue;
                model.fault = concat("it is ", part_text(part->number, part->count), " of a split model, whose first, ",
                                     first, ", is missing");
            } else if (model.fault.empty() && !taken.insert(model.name).second) {
                model.fault = concat("there is another model of the name ", model.name, " here: rename one of them");
            }
            if (!model.fault.empty())
                model.name = shown(is_model_name(without_suffix(file)) ? without_suffix(file) : file);
            models.push_back(std::move(model));
        }
    }
    return models;
}

std::optional<std::string> find_model(const std::string& folder, std::string_view name) {
    if (!is_local_model_name(name)) return std::nullopt;
    std::string whole = concat(folder, "/", name, kModelSuffix);
    if (!parse_part_name(whole) && is_regular(whole)) return whole;
    for (ModelFiles& model : find_models(folder)) {
        if (model.fault.empty() && model.name == name) return std::move(model.path);
    }
    return std::nullopt;
}

}  // namespace llmd::base
