#include "client/doctor.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/config.h"
#include "base/utf8.h"
#include "client/commands.h"
#include "client/llmd_client.h"
#include "client/output.h"

namespace llmd::client {
namespace {

constexpr size_t kLeastTextColumns = 24;  // narrower ones would hold a word each

std::string as_json(const std::vector<Check>& checks, bool healthy) {
    base::JsonWriter json;
    json.begin_object().key("ok").value(healthy).key("checks").begin_array();
    for (const Check& check : checks) {
        json.begin_object().key("name").value(check.name).key("state").value(state_name(check.state));
        json.key("text").value(check.text);
        if (!check.fix.empty()) json.key("fix").value(check.fix);
        json.end_object();
    }
    return json.end_array().end_object().take() + '\n';
}

TextOutput::Style style_of(Check::State state) {
    if (state == Check::State::Ok) return TextOutput::Style::Good;
    return state == Check::State::Warn ? TextOutput::Style::Warning : TextOutput::Style::Bad;
}

void print_text(const std::vector<Check>& checks) {
    constexpr size_t kStateColumns = 6;
    size_t width = 0;
    for (const Check& check : checks) width = std::max(width, check.name.size());
    const size_t indent = kStateColumns + width + 2;
    const std::optional<size_t> columns = terminal_columns(STDOUT_FILENO);
    TextOutput output(STDOUT_FILENO);  // drivers and files choose some of these words
    const auto write = [&](const std::string& text, TextOutput::Style style = TextOutput::Style::Plain) {
        if (!output.write(text, style)) throw CommandError(ExitCode::Ok, "");
    };
    for (const Check& check : checks) {
        const std::string state = state_name(check.state);
        const std::string text = base::shown(check.text + (check.fix.empty() ? "" : "; mend it: " + check.fix));
        write(state, style_of(check.state));
        write(std::string(kStateColumns - state.size(), ' ') + check.name +
              std::string(width + 2 - check.name.size(), ' '));
        write((columns ? wrap(text, indent, std::max(*columns, indent + kLeastTextColumns)) : text) + '\n');
    }
}

}  // namespace

const char* state_name(Check::State state) {
    constexpr const char* kNames[] = {"ok", "warn", "fail"};
    return kNames[static_cast<size_t>(state)];
}

std::string install_command(const std::string& debian, const std::string& alpine) {
    if (::access("/sbin/apk", X_OK) == 0) return "sudo apk add " + alpine;
    if (::access("/usr/bin/apt", X_OK) == 0 && !debian.empty()) return "sudo apt install " + debian;
    return {};
}

// As start_command().
std::string restart_command() {
    if (::access("/run/systemd/system", F_OK) == 0) return "systemctl --user restart llmd";
    if (::access("/run/openrc", F_OK) == 0) return "rc-service -U llmd restart";
    return "pkill -x llmd; " + start_command();
}

std::string edit_command() {
    return "llmctl config edit";
}

std::string settings_command(const std::string& key, const std::string& value) {
    if (!base::read_settings(base::settings_files())) return edit_command();
    const bool is_plain =
        value.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._@/") ==
        std::string::npos;
    if (value.find('\'') != std::string::npos) return edit_command();
    return "llmctl config set " + key + ' ' + (is_plain ? value : "'" + value + "'");
}

std::string first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

std::vector<Check> all_checks(const EngineAnswers& engine) {
    std::vector<Check> checks = check_reach();
    for (auto&& part : {check_compute(engine), check_system()}) {
        checks.insert(checks.end(), part.begin(), part.end());
    }
    return checks;
}

ExitCode run_doctor(const Arguments& arguments) {
    const std::vector<Check> checks = all_checks(ask_engine());
    const bool healthy = std::none_of(checks.begin(), checks.end(),
                                      [](const Check& check) { return check.state == Check::State::Fail; });
    if (arguments.json) {
        print(as_json(checks, healthy));
    } else {
        print_text(checks);
    }
    return healthy ? ExitCode::Ok : ExitCode::Failed;
}

}  // namespace llmd::client
