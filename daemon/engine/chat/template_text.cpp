#include "engine/chat/template_text.h"

#include <algorithm>

namespace llmd::chat {

namespace {

using std::string_view;

// A longer template is not recognised. The longest known ones have 10 KiB.
constexpr size_t kMaxTemplateBytes = 1u << 20;

void replace_all(std::string& text, string_view what, string_view by) {
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
        text.replace(at, what.size(), by);
    }
}

bool matches(const ChatFamily& family, string_view text) {
    if (family.has.empty()) return false;
    for (const string_view excerpt : family.has) {
        if (text.find(excerpt) == string_view::npos) return false;
    }
    for (const string_view excerpt : family.lacks) {
        if (text.find(excerpt) != string_view::npos) return false;
    }
    return true;
}

// Returns the text from a line break, with which `rest` begins, to `end`.
std::string turn_in_string(string_view rest, string_view end) {
    const size_t line_break = rest.starts_with("\\n") ? 2 : rest.starts_with('\n') ? 1 : 0;
    if (line_break == 0) return {};
    rest.remove_prefix(line_break);
    const string_view said = rest.substr(0, rest.find(end));
    // Such characters mean that code is between the two markers, not one string.
    if (said.size() == rest.size() || said.find_first_of("'\"{}\\") != string_view::npos) return {};
    return std::string(said);
}

// Returns the value of the string literal that comes next in a template, if it is a whole expression.
std::string string_after(string_view rest) {
    constexpr string_view kSpace = " \t\r\n";
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n{-"), rest.size()));
    if (rest.empty() || (rest[0] != '"' && rest[0] != '\'')) return {};
    const char quote = rest[0];
    std::string value;
    for (size_t at = 1; at < rest.size(); ++at) {
        if (rest[at] == '\\' && at + 1 < rest.size()) {
            value += rest[++at] == 'n' ? '\n' : rest[at];
        } else if (rest[at] != quote) {
            value += rest[at];
        } else {
            const size_t next = rest.find_first_not_of(kSpace, at + 1);
            const bool is_whole = next != string_view::npos && string_view("-%}").find(rest[next]) != string_view::npos;
            return is_whole ? value : std::string();
        }
    }
    return {};
}

// Returns what Granite 3's templates say, in one line or in three, with the date between the two sentences left out.
std::string granite_system(string_view after_cutoff) {
    const char space = after_cutoff.starts_with(' ') ? ' ' : '\n';
    return std::string(kGraniteCutoff) + space + "You are Granite, developed by IBM. You are a helpful AI assistant.";
}

}  // namespace

const ChatFamily* recognize_chat_family(string_view text) {
    if (text.size() > kMaxTemplateBytes) return nullptr;
    const std::string plain = normalized(text);
    const ChatFamily* found = nullptr;
    for (const ChatFamily& family : chat_families()) {
        if (!matches(family, plain)) continue;
        if (found != nullptr) return nullptr;
        found = &family;
    }
    return found;
}

std::string normalized(string_view text) {
    std::string out;
    out.reserve(text.size());
    for (size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
        if (c == '\\' && at + 1 < text.size() && text[at + 1] == 'n') {
            ++at;
            continue;
        }
        out += c == '"' ? '\'' : c;
    }
    replace_all(out, "message.role", "message['role']");
    replace_all(out, "message.content", "message['content']");
    replace_all(out, "+''", "");  // left by a string that was only a line break
    return out;
}

std::string default_system(const ChatFamily& family, string_view text, bool thinks) {
    string_view marker = family.default_system_after;
    if (marker.empty() || text.size() > kMaxTemplateBytes) return {};
    size_t at = text.find(marker);
    if (!thinks && !family.default_system_off_after.empty()) {
        marker = family.default_system_off_after;
        at = text.find(marker, at);
    }
    for (; at != string_view::npos; at = text.find(marker, at + 1)) {
        const string_view rest = text.substr(at + marker.size());
        std::string said = marker == kChatMlSystem    ? turn_in_string(rest, "<|im_end|>")
                           : marker == kGraniteCutoff ? granite_system(rest)
                                                      : string_after(rest);
        if (!said.empty()) return said;
    }
    return {};
}

bool thinks_by_default(const ChatFamily& family, string_view text) {
    if (family.thinking == nullptr || family.thinking->off_by_default_has.empty()) return true;
    return text.size() > kMaxTemplateBytes ||
           normalized(text).find(family.thinking->off_by_default_has) == std::string::npos;
}

}  // namespace llmd::chat
