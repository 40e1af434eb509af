#include "client/help.h"

#include <algorithm>

#include "api/errors.h"
#include "base/json_writer.h"
#include "client/output.h"

namespace llmd::client {
namespace {

// Where an option's text begins; in a narrow terminal it stands below the option instead.
constexpr size_t kOptionIndent = 28;
constexpr size_t kNarrowIndent = 8;
constexpr size_t kLeastOptionText = 24;
constexpr size_t kCommandIndent = 12;
constexpr size_t kUsageIndent = 7;

std::string next_line(std::string_view& text) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

// `left` and, from column `indent` on, `right`.
std::string item(std::string left, const std::string& right, size_t indent, size_t columns) {
    if (columns < indent + kLeastOptionText) {
        return left + '\n' + std::string(kNarrowIndent, ' ') + wrap(right, kNarrowIndent, columns) + '\n';
    }
    left.resize(std::max(indent, left.size() + 1), ' ');
    return left + wrap(right, indent, columns) + '\n';
}

// Lines that begin with a space stay as they are, but that what stands behind a word and two spaces or more is wrapped;
// a line that is further in goes on with the one before it.
std::string reflowed(std::string_view text, size_t columns) {
    std::string out;
    while (!text.empty()) {
        std::string line = next_line(text);
        if (line.empty()) {
            out += '\n';
            continue;
        }
        const size_t indent = line.find_first_not_of(' ');
        const auto goes_on = [&](std::string_view next) {
            const size_t begin = next.find_first_not_of(' ');
            return begin != std::string_view::npos && next[begin] != '\n' &&
                   (indent == 0 ? begin == 0 : begin > indent);
        };
        while (!text.empty() && goes_on(text)) {
            const std::string more = next_line(text);
            line += ' ' + more.substr(more.find_first_not_of(' '));
        }
        const size_t gap = indent == 0 ? std::string::npos : line.find("  ", indent);
        if (indent == 0) {
            out += wrap(line, 0, columns) + '\n';
        } else if (gap == std::string::npos) {
            out += line + '\n';
        } else {
            const size_t column = line.find_first_not_of(' ', gap);
            out += item(line.substr(0, gap), line.substr(column), column, columns);
        }
    }
    return out;
}

std::string left_of(const OptionSpec& option) {
    std::string left = option.letter != 0 ? std::string("-") + option.letter + ", " : std::string(4, ' ');
    left += std::string("--") + option.name;
    if (*option.placeholder != 0) left += std::string(" ") + option.placeholder;
    return left;
}

std::string text_of(const OptionSpec& option) {
    std::string text(option.help);
    if (option.range) {
        text += "; " + std::to_string(option.range->least) + " to " + std::to_string(option.range->most);
    }
    return text;
}

void write_command(base::JsonWriter& json, const CommandSpec& command) {
    json.begin_object().key("name").value(command.name).key("operands").value(command.operands);
    json.key("summary").value(command.summary).key("description").value(command.description);
    json.key("options").begin_array();
    for (const OptionSpec& option : option_table()) {
        if (!takes(command, option)) continue;
        json.begin_object().key("name").value(option.name);
        if (option.letter != 0) json.key("letter").value(std::string(1, option.letter));
        json.key("value").value(option.placeholder).key("help").value(text_of(option)).end_object();
    }
    json.end_array().end_object();
}

}  // namespace

std::string general_help(size_t columns) {
    std::string out = wrap("llmctl talks to llmd, the language model of this device.", 0, columns) + "\n\n" +
                      item("Usage:", "llmctl [--json] COMMAND [OPTIONS] [ARGUMENTS]", kUsageIndent, columns) +
                      "\nTry:   llmctl chat\n\n"
                      "Commands:\n";
    for (const CommandSpec& command : command_table()) {
        out += item("  " + std::string(command.name), std::string(command.summary), kCommandIndent, columns);
    }
    out += '\n' + wrap("'llmctl COMMAND --help' says more about one command, 'man llmctl' about all.", 0, columns) +
           "\n\n";
    std::string exits;
    for (const ExitSpec& exit : exit_table()) {
        exits += (exits.empty() ? "Exit codes: " : ", ") + std::to_string(static_cast<int>(exit.code)) + ' ';
        exits += exit.meaning;
    }
    return out + wrap(exits + '.', 0, columns) + '\n';
}

std::string help_of(const CommandSpec& command, size_t columns) {
    std::string usage = "llmctl " + std::string(command.name) + " [OPTIONS]";
    if (!command.operands.empty()) usage += ' ' + std::string(command.operands);
    std::string out =
        item("Usage:", usage, kUsageIndent, columns) + '\n' + reflowed(command.description, columns) + "\nOptions:\n";
    for (const OptionSpec& option : option_table()) {
        if (takes(command, option)) out += item("  " + left_of(option), text_of(option), kOptionIndent, columns);
    }
    return out;
}

std::string help_json(const CommandSpec* command) {
    base::JsonWriter json;
    json.begin_object().key("commands").begin_array();
    for (const CommandSpec& one : command_table()) {
        if (command == nullptr || command == &one) write_command(json, one);
    }
    json.end_array().key("exit_codes").begin_array();
    for (const ExitSpec& exit : exit_table()) {
        json.begin_object().key("code").value(static_cast<uint64_t>(exit.code)).key("meaning").value(exit.meaning);
        json.end_object();
    }
    json.end_array().key("errors").begin_array();
    for (uint8_t code = 0; code <= static_cast<uint8_t>(base::kLastErrorCode); ++code) {
        const api::ErrorRow& row = api::error_row(static_cast<base::ErrorCode>(code));
        json.begin_object().key("name").value(base::error_name(row.code)).key("http_status").value(row.http_status);
        json.key("code").value(row.openai_code).key("may_retry").value(row.may_retry);
        json.key("exit_code").value(static_cast<uint64_t>(row.exit_code)).end_object();
    }
    json.end_array().end_object();
    return json.take() + '\n';
}

}  // namespace llmd::client
