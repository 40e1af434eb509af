#include "client/completion.h"

#include <algorithm>
#include <set>

#include "base/config.h"
#include "base/model_files.h"
#include "base/places.h"
#include "base/remote_settings.h"
#include "client/command_table.h"
#include "client/model_folder.h"
#include "supervisor/model_catalogue.h"

namespace llmd::client {
namespace {

using Kind = OptionSpec::Kind;

// The words of each alternative in "[get KEY | set KEY VALUE | edit]".
std::vector<std::vector<std::string>> alternatives(std::string_view operands) {
    std::vector<std::vector<std::string>> out(1);
    for (std::string word : split_words(operands)) {
        std::erase_if(word, [](char c) { return c == '[' || c == ']'; });
        if (word == "|") {
            out.emplace_back();
        } else {
            out.back().push_back(word);
        }
    }
    return out;
}

bool stands_for_itself(const std::string& word) {
    return std::all_of(word.begin(), word.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
}

class Completer {
public:
    Completer(std::string typed, const Names& names) : typed_(std::move(typed)), names_(names) {}

    Completion take() { return std::move(out_); }

    void add(const std::string& word, std::string_view meaning = "") {
        if (word.starts_with(typed_)) out_.candidates.push_back({word, std::string(meaning)});
    }

    // Adds the values that a placeholder of an option or an operand stands for.
    void add_values(std::string_view placeholder) {
        if (placeholder.starts_with("MODEL")) add_all(names_.models());
        if (placeholder == "REMOTE") add_all(names_.remotes());
        if (placeholder == "KEY") add_all(base::setting_names());
        if (placeholder.starts_with("FILE")) out_.files = true;
    }

    void add_values(const OptionSpec& option, const std::string& before = "") {
        const std::string key = option.key != nullptr ? option.key : "";
        const bool is_model = option.commands != "remote" && (key == "model" || key == "fallback");
        std::vector<std::string> words = is_model ? names_.models() : split_words(option.words);
        for (const std::string& word : words) add(before + word);
        add_values(option.placeholder);
    }

    void add_options(const CommandSpec* command) {
        for (const OptionSpec& option : option_table()) {
            const bool may_come = command == nullptr ? option.commands == "*" : takes(*command, option);
            if (may_come) add(std::string("--") + option.name, option.help);
        }
    }

    void add_operands(const CommandSpec& command, const std::vector<std::string>& given) {
        std::set<std::string> wanted;
        for (const std::vector<std::string>& words : alternatives(command.operands)) {
            const bool repeats = !words.empty() && words.back().ends_with("...");
            if (given.size() >= words.size() && !repeats) continue;
            const size_t at = std::min(given.size(), words.size() - 1);
            const auto fits = [&](size_t i) { return !stands_for_itself(words[i]) || words[i] == given[i]; };
            bool all = true;
            for (size_t i = 0; i < at; ++i) all = all && fits(i);
            if (all) wanted.insert(words[at]);
        }
        for (const std::string& word : wanted) stands_for_itself(word) ? add(word) : add_values(word);
    }

private:
    void add_all(const std::vector<std::string>& words) {
        for (const std::string& word : words) add(word);
    }

    const std::string typed_;
    const Names& names_;
    Completion out_;
};

const OptionSpec* option_named(const CommandSpec* command, std::string_view word) {
    const std::string_view name = word.substr(0, word.find('='));
    for (const OptionSpec& option : option_table()) {
        if (command == nullptr ? option.commands != "*" : !takes(*command, option)) continue;
        if (name == std::string("--") + option.name) return &option;
        if (option.letter != 0 && word == std::string{'-', option.letter}) return &option;
    }
    return nullptr;
}

}  // namespace

Completion complete(const std::vector<std::string>& words, const Names& names) {
    const std::string typed = words.empty() ? "" : words.back();
    Completer completer(typed, names);
    const CommandSpec* command = nullptr;
    const OptionSpec* awaited = nullptr;  // the option whose value is the next word
    bool options_ended = false;
    std::vector<std::string> operands;
    for (size_t i = 0; i + 1 < words.size(); ++i) {
        const std::string& word = words[i];
        if (awaited != nullptr) {
            awaited = nullptr;
        } else if (!options_ended && word == "--") {
            options_ended = true;
        } else if (!options_ended && word.starts_with('-')) {
            const OptionSpec* option = option_named(command, word);
            const bool value_follows = option != nullptr && option->kind != Kind::Flag;
            if (value_follows && word.find('=') == std::string::npos) awaited = option;
        } else if (command == nullptr && word != "help") {
            command = find_command(word);
            if (command == nullptr) return {};
        } else {
            operands.push_back(word);
        }
    }
    const size_t equals = typed.starts_with("--") ? typed.find('=') : std::string::npos;
    if (awaited != nullptr) {
        completer.add_values(*awaited);
    } else if (!options_ended && equals != std::string::npos) {
        const OptionSpec* option = option_named(command, typed);
        if (option != nullptr) completer.add_values(*option, typed.substr(0, equals + 1));
    } else if (!options_ended && typed.starts_with('-')) {
        completer.add_options(command);
    } else if (command == nullptr) {
        for (const CommandSpec& spec : command_table()) completer.add(std::string(spec.name), spec.summary);
    } else {
        completer.add_operands(*command, operands);
    }
    return completer.take();
}

std::string completion_text(const Completion& completion) {
    std::string out;
    for (const Candidate& candidate : completion.candidates) {
        out += candidate.word + (candidate.meaning.empty() ? "" : '\t' + candidate.meaning) + '\n';
    }
    return out + (completion.files ? ":\n" : "");
}

std::vector<std::string> known_models() {
    std::set<std::string> names;
    for (const std::string& folder : base::model_folders()) {
        for (base::ModelFiles& model : base::find_models(folder)) {
            if (model.fault.empty()) names.insert(std::move(model.name));
        }
    }
    std::vector<std::string> out(names.begin(), names.end());
    const auto settings = base::read_settings(base::settings_files());
    if (!settings) return out;
    for (const base::RemoteSettings& remote : settings->config.remotes) {
        for (const std::string& entry : remote.models)
            out.push_back(base::remote_model(entry).name + '@' + remote.name);
    }
    return out;
}

std::string default_model(const std::vector<std::string>& models) {
    const auto settings = base::read_settings(base::settings_files());
    if (settings && !settings->config.model.empty()) return settings->config.model;
    return supervisor::default_model_of(models);
}

std::vector<std::string> known_remotes() {
    std::vector<std::string> out;
    const auto settings = base::read_settings(base::settings_files());
    if (!settings) return out;
    for (const base::RemoteSettings& remote : settings->config.remotes) out.push_back(remote.name);
    return out;
}

std::string completion_of(const std::vector<std::string>& words) {
    return completion_text(complete(words, {known_models, known_remotes}));
}

}  // namespace llmd::client
