#include "engine/chat/template_text.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace llmd::chat {

namespace {

using std::string_view;

// A longer template is not recognised. The longest known ones have 17 KiB.
constexpr size_t kMaxTemplateBytes = 1u << 20;
// A template's own system message is not longer; the longest known one has 4 KiB. The places that may have one are not
// more: together they keep the search linear.
constexpr size_t kMaxOwnSystemBytes = 16u << 10;
constexpr size_t kMaxOwnSystemPlaces = 64;

constexpr string_view kBegin = "{bos}";
constexpr string_view kBeginVariable = "bos_token";

std::string replaced(string_view text, string_view what, string_view by) {
    std::string out;
    out.reserve(text.size());
    for (size_t at; (at = text.find(what)) != string_view::npos; text.remove_prefix(at + what.size())) {
        out.append(text.substr(0, at)).append(by);
    }
    return out.append(text);
}

// Returns what a template has before its first loop, which is the one over the messages in all that have no macros.
string_view head(string_view plain) {
    return plain.substr(0, std::min(plain.find("{%for"), plain.find("{%-for")));
}

// Whether a family's prompts have the begin-of-text token in front if the template writes it there.
bool leaves_begin_to_template(const ChatFamily& family) {
    return family.begin.empty() && family.user.before.find(kBegin) == string_view::npos;
}

bool matches(const ChatFamily& family, string_view plain, string_view text) {
    const auto has = [&](string_view excerpt) {
        const bool has_space = excerpt.find(' ') != string_view::npos;
        return (has_space ? text : plain).find(excerpt) != string_view::npos;
    };
    const auto has_all = [&](std::span<const string_view> excerpts) {
        return !excerpts.empty() && std::all_of(excerpts.begin(), excerpts.end(), has);
    };
    if (!has_all(family.has) && !has_all(family.also_has)) return false;
    if (std::any_of(family.lacks.begin(), family.lacks.end(), has)) return false;
    // Where the loop writes the token, it may be before each message, or before some.
    return !leaves_begin_to_template(family) ||
           plain.substr(head(plain).size()).find(kBeginVariable) == string_view::npos;
}

bool begins(const ChatFamily& family, string_view plain, string_view text, string_view begin_text) {
    if (leaves_begin_to_template(family)) return head(plain).find(kBeginVariable) != string_view::npos;
    return family.begin == kBegin && (plain.find(kBeginVariable) != string_view::npos ||
                                      (!begin_text.empty() && text.find(begin_text) != string_view::npos));
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

// The string literal that comes next in a template, and what follows it.
struct Literal {
    std::string value;
    string_view rest;
};

std::optional<Literal> literal_in(string_view rest) {
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
            return Literal{std::move(value), rest.substr(at + 1)};
        }
    }
    return {};
}

// Returns the value of the string literal that comes next in a template, if it is a whole expression.
std::string string_after(string_view rest) {
    auto literal = literal_in(rest);
    if (!literal) return {};
    const size_t next = literal->rest.find_first_not_of(" \t\r\n");
    if (next == string_view::npos || string_view("-%}").find(literal->rest[next]) == string_view::npos) return {};
    return std::move(literal->value);
}

// Returns what Granite 3's templates say before what they append to it: a string, the date, and a string, without the
// sentence that has the date.
std::string granite_system(string_view text) {
    constexpr string_view kDate = "Today's Date: ";
    const size_t cutoff = text.find(kGraniteCutoff);
    if (cutoff == string_view::npos) return {};
    const size_t quote = text.substr(0, cutoff).find_last_of("\"'");
    if (quote == string_view::npos) return {};
    auto before = literal_in(text.substr(quote, kMaxOwnSystemBytes));
    if (!before || !before->value.ends_with(kDate)) return {};
    const size_t more = before->rest.find(") +");
    if (more == string_view::npos) return {};
    const auto after = literal_in(before->rest.substr(more + 3));
    if (!after || !after->value.starts_with('.')) return {};
    before->value.resize(before->value.size() - kDate.size());
    return before->value + after->value.substr(std::min<size_t>(2, after->value.size()));
}

// Returns what Granite 3's templates say where the branch `begin` is taken.
std::string granite_system(string_view text, string_view begin) {
    constexpr string_view kAppended = "system_message +";
    std::string said = granite_system(text);
    const size_t appended = text.find(kAppended, text.find(begin));
    if (said.empty() || appended == string_view::npos) return {};
    return said + string_after(text.substr(appended + kAppended.size(), kMaxOwnSystemBytes));
}

}  // namespace

const ChatFamily* recognize_chat_family(string_view text) {
    if (text.size() > kMaxTemplateBytes) return nullptr;
    const std::string plain = normalized(text);
    const ChatFamily* found = nullptr;
    for (const ChatFamily& family : chat_families()) {
        if (!matches(family, plain, text)) continue;
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
    out = replaced(out, "message.role", "message['role']");
    out = replaced(out, "message.content", "message['content']");
    return replaced(out, "+''", "");  // left by a string that was only a line break
}

std::string default_system(const ChatFamily& family, string_view text, bool thinks) {
    string_view marker = family.default_system_after;
    if (marker.empty() || text.size() > kMaxTemplateBytes) return {};
    if (marker == kGraniteCutoff) {
        std::string said = granite_system(text);
        return said.empty() ? said : said + " You are a helpful AI assistant.";
    }
    const auto first_of = [text](string_view after, size_t at, const auto& read) {
        for (size_t i = 0; i < kMaxOwnSystemPlaces && (at = text.find(after, at)) != string_view::npos; ++i) {
            at += after.size();
            if (std::string said = read(text.substr(at, kMaxOwnSystemBytes)); !said.empty()) return said;
        }
        return std::string();
    };
    if (marker == kChatMlSystem) {
        std::string said = first_of(marker, 0, [](string_view rest) { return turn_in_string(rest, "<|im_end|>"); });
        return said.empty() ? first_of(kSetSystem, 0, string_after) : said;
    }
    size_t at = text.find(marker);
    if (!thinks && !family.default_system_off_after.empty()) {
        marker = family.default_system_off_after;
        at = text.find(marker, at);
    }
    return first_of(marker, at, string_after);
}

TemplateDetails read_details(const ChatFamily& family, string_view text, string_view begin_text) {
    TemplateDetails details = usual_details(family);
    if (text.size() > kMaxTemplateBytes) return details;
    const std::string plain = normalized(text);
    const auto has = [](string_view where, string_view excerpt) {
        return !excerpt.empty() && where.find(excerpt) != string_view::npos;
    };
    details.begins = begins(family, plain, text, begin_text);
    details.omits_empty_system |= has(plain, family.omits_empty_system_has);
    details.has_line_gap = family.tools != nullptr && has(text, family.tools->line_gap_has);
    details.thinks_by_default = family.thinking == nullptr || !has(plain, family.thinking->off_by_default_has);
    details.system = default_system(family, text);
    details.system_off = default_system(family, text, false);
    if (!family.default_system_tools_after.empty()) {
        details.system_tools = granite_system(text, family.default_system_tools_after);
    }
    return details;
}

TemplateDetails usual_details(const ChatFamily& family) {
    TemplateDetails details;
    details.begins = family.begin == kBegin;
    details.omits_empty_system = family.omits_empty_system;
    return details;
}

}  // namespace llmd::chat
