#include "client/settings.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <vector>

#include "base/json_writer.h"
#include "base/model_files.h"
#include "base/places.h"
#include "base/setting_table.h"
#include "client/commands.h"
#include "client/completion.h"
#include "client/llmd_client.h"
#include "client/model_folder.h"
#include "client/output.h"
#include "client/suggestion.h"
#include "supervisor/model_catalogue.h"

namespace llmd::client {
namespace {

constexpr std::string_view kForms[] = {"get KEY", "set KEY VALUE", "unset KEY", "explain [KEY]", "edit"};

[[noreturn]] void refuse(const base::Error& error) {
    throw CommandError(error.code == base::ErrorCode::InvalidArgument ? ExitCode::Usage : ExitCode::Failed,
                       error.message);
}

// Refuses a name that no setting has and says which one was probably meant; returns where it has no guess.
void check_name(const std::string& name) {
    const std::vector<std::string> known = base::setting_names();
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    const std::string hint = suggestion(name, known);
    if (!hint.empty()) throw CommandError(ExitCode::Usage, "there is no setting " + base::in_quotes(name) + hint);
}

std::string value_in(const base::Config& config, const std::string& name) {
    check_name(name);
    auto value = base::setting_value(config, name);
    if (!value) refuse(value.error());
    return std::move(*value);
}

ExitCode show_all(const base::Settings& settings, bool json) {
    Dictionary all;
    std::vector<std::vector<std::string>> rows;
    for (const std::string& name : base::setting_names()) {
        const std::string value = value_in(settings.config, name);
        all[name] = value;
        rows.push_back({name, value.empty() ? "\"\"" : value});
    }
    if (json) {
        print_json(all);
        return ExitCode::Ok;
    }
    TextOutput output(STDOUT_FILENO);
    output.write(table(rows));
    const auto names = [&](const char* what, const auto& tables) {
        std::string line;
        for (const auto& one : tables) line += (line.empty() ? what : ", ") + one.name;
        if (!line.empty()) output.write(line + '\n');
    };
    names("settings of their own: ", settings.config.models);
    names("remotes, as 'llmctl remote list' shows them: ", settings.config.remotes);
    for (const std::string& file : settings.files) output.write("from " + file + '\n');
    for (const std::string& warning : settings.warnings) output.write(warning + '\n');
    return ExitCode::Ok;
}

ExitCode edit(const Arguments& arguments) {
    // The file that nobody but llmctl should edit is opened where it cannot be read.
    const bool can_read = base::read_settings({base::written_settings_file()}).has_value();
    const std::string file = can_read ? base::user_settings_file() : base::written_settings_file();
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(file).parent_path(), error);
    const char* editor = std::getenv("VISUAL");
    if (editor == nullptr || *editor == 0) editor = std::getenv("EDITOR");
    if (editor == nullptr || *editor == 0) editor = "vi";
    // The variable may hold options: the shell takes it apart, and the file's name is no part of its program.
    ::setenv("LLMD_FILE", file.c_str(), 1);
    const std::string command = std::string(editor) + " \"$LLMD_FILE\"";
    if (std::system(command.c_str()) != 0) throw CommandError(ExitCode::Failed, std::string(editor) + " failed");
    const base::Settings settings = current_settings();
    reload_if_running();
    for (const std::string& warning : settings.warnings) print(warning + '\n');
    for (const std::string& line : base::overridden_keys(settings)) print(line + '\n');
    return done(arguments);
}

// Prints what the keys called `name`, or all, mean and may be, and which files say them.
ExitCode explain(const std::string& name, bool json) {
    const auto settings = base::read_settings(base::settings_files());
    const auto said_by = settings ? settings->said_by : std::map<std::string, std::vector<std::string>>();
    base::JsonWriter out;
    out.begin_object().key("settings").begin_array();
    TextOutput output(STDOUT_FILENO);
    const std::string indent(4, ' ');
    const size_t columns = readable_columns(STDOUT_FILENO);
    bool found = false;
    for (const base::SettingRow& row : base::setting_table()) {
        if (!name.empty() && row.name != name) continue;
        found = true;
        const std::string values = base::plain_text(row.values);
        const std::string meaning = base::plain_text(row.meaning);
        out.begin_object().key("table").value(row.table).key("name").value(row.name);
        const auto said = row.table.empty() ? said_by.find(std::string(row.name)) : said_by.end();
        const std::vector<std::string> files = said == said_by.end() ? std::vector<std::string>() : said->second;
        out.key("values").value(values).key("meaning").value(meaning).key("files").begin_array();
        for (const std::string& file : files) out.value(file);
        out.end_array().end_object();
        if (json) continue;
        const std::string of_table = row.table.empty() ? "" : base::concat("  in [[", row.table, "]]");
        output.write(std::string(row.name), TextOutput::Style::Bold);
        output.write(base::concat(of_table, "\n", indent, wrap(meaning, indent.size(), columns), "\n", indent,
                                  wrap("Values: " + values, indent.size(), columns), "\n"));
        for (size_t i = 0; i < files.size(); ++i) {
            const bool is_overridden = i + 1 < files.size();
            output.write(base::concat(indent, "In ", files[i], is_overridden ? ", overridden" : "", "\n"));
        }
    }
    // The error names those that there are.
    if (!found) value_in(base::Config(), name);
    if (json) print(out.end_array().end_object().take() + '\n');
    return ExitCode::Ok;
}

bool is_model(const std::string& name) {
    std::error_code ignored;
    if (name.starts_with('/')) return std::filesystem::is_regular_file(name, ignored);
    const std::vector<std::string> folders = base::model_folders();
    return base::is_local_model_name(name) &&
           std::any_of(folders.begin(), folders.end(),
                       [&](const std::string& folder) { return base::find_model(folder, name).has_value(); });
}

void remove_model(const std::string& name) {
    const std::string folder = base::user_model_folder();
    const bool is_name = base::is_model_name(name);
    const std::string path = base::find_model(folder, name).value_or(model_path(folder, name));
    if (is_name && ::unlink(path.c_str()) == 0) {
        for (const std::string& part : base::files_of_model(path)) ::unlink(part.c_str());
        return;
    }
    throw CommandError(ExitCode::ModelMissing,
                       is_name && is_model(name)
                           ? "the model " + base::in_quotes(name) + " is not in " + folder + ", and stays"
                           : "there is no model " + base::in_quotes(name) + " in " + folder);
}

// The model that is used without --model: its name, or its path where the settings name that.
std::string default_model_now() {
    std::vector<std::string> local = known_models();
    std::erase_if(local, [](const std::string& name) { return !base::is_local_model_name(name); });
    return default_model(local);
}

}  // namespace

base::Settings current_settings() {
    auto settings = base::read_settings(base::settings_files());
    if (!settings) throw CommandError(ExitCode::Failed, settings.error().message);
    return std::move(*settings);
}

void change_user_setting(const std::string& name, const std::string& value) {
    check_name(name);
    if (const auto before = base::read_settings(base::settings_files()); !before) refuse(before.error());
    if (auto changed = base::change_setting(base::written_settings_file(), name, value); !changed) {
        refuse(changed.error());
    }
    reload_if_running();
    const std::vector<std::string> files = current_settings().said_by[name];
    TextOutput err(STDERR_FILENO);
    if (!files.empty() && files.back() != base::written_settings_file()) {
        err.write(base::concat("llmctl: ", name, " in ", files.back(), " goes before what has been written\n"));
    } else if (files.size() > 1) {
        err.write(base::concat("llmctl: ", name, " in ", files[files.size() - 2],
                               " is overridden; 'llmctl config unset ", name, "' takes that back\n"));
    }
}

void offer_as_default(const std::string& name) {
    const auto settings = base::read_settings(base::settings_files());
    if (settings && settings->config.model == name) return;
    TextOutput output(STDOUT_FILENO);
    if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDOUT_FILENO) != 1) {
        output.write("llmctl default '" + name + "' has it used without --model\n");
        return;
    }
    output.write("Use it when no --model is given? [y/N] ");
    std::string answer;
    std::getline(std::cin, answer);
    if (answer == "y" || answer == "Y" || answer == "yes") change_user_setting("model", name);
}

ExitCode run_config(const Arguments& arguments) {
    const std::vector<std::string>& words = arguments.operands;
    const std::string verb = words.empty() ? "" : words[0];
    if (words.empty()) return show_all(current_settings(), arguments.json);
    const auto* const form = std::find_if(std::begin(kForms), std::end(kForms),
                                          [&](std::string_view one) { return one.substr(0, one.find(' ')) == verb; });
    if (form == std::end(kForms)) {
        throw CommandError(ExitCode::Usage, "'llmctl config' takes get, set, unset, explain or edit, not " +
                                                base::in_quotes(verb) + "; see 'llmctl config --help'");
    }
    check_operands("config", *form, words);
    if (verb == "edit") return edit(arguments);
    if (verb == "get") {
        const std::string value = value_in(current_settings().config, words[1]);
        arguments.json ? print_json(Dictionary{{words[1], value}}) : print(value + '\n');
        return ExitCode::Ok;
    }
    if (verb == "set") {
        // That of a remote is refused with a reason of its own.
        const bool names_local = words[1] == "model" && !words[2].empty() && words[2].find('@') == std::string::npos;
        if (names_local && !is_model(words[2])) no_such_model(words[2]);
        change_user_setting(words[1], words[2]);
        return done(arguments);
    }
    if (verb == "unset") {
        check_name(words[1]);
        const auto unset = base::unset_setting(base::written_settings_file(), words[1]);
        if (!unset && unset.error().code == base::ErrorCode::NotFound) {
            const std::vector<std::string> files = current_settings().said_by[words[1]];
            throw CommandError(ExitCode::Failed,
                               unset.error().message + (files.empty() ? "" : "; it is in " + files.back()));
        }
        if (!unset) refuse(unset.error());
        reload_if_running();
        return done(arguments);
    }
    return explain(words.size() == 2 ? words[1] : "", arguments.json);
}

ExitCode run_default(const Arguments& arguments) {
    if (arguments.operands.empty()) {
        const std::string model = current_settings().config.model;
        arguments.json
            ? print_json(Dictionary{{"model", model}})
            : print(model.empty() ? "none is set: the bundled model, or the only one there is\n" : model + '\n');
        return ExitCode::Ok;
    }
    const std::string& model = arguments.operands[0];
    if (!is_model(model)) no_such_model(model);
    change_user_setting("model", model);
    return done(arguments);
}

ExitCode run_rm(const Arguments& arguments) {
    for (const std::string& name : arguments.operands) {
        const std::string before = default_model_now();
        const auto path = base::find_model(base::user_model_folder(), name);
        remove_model(name);
        const bool was_default = before == name || before == path;
        // One of that name in another folder takes its place.
        const bool is_gone = !is_model(before);
        if (arguments.json) continue;
        print(name + " deleted" +
              (was_default && is_gone ? "; it was the default: 'llmctl default NAME' chooses another\n" : "\n"));
    }
    return done(arguments);
}

}  // namespace llmd::client
