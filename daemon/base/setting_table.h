// What each key of the settings means, for people: the tables of docs/configuration.md, the manual page llmd.toml(5)
// and `llmctl config explain` are these rows. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace llmd::base {

struct SettingRow {
    std::string_view table;  // "models" or "remote" of a key in one of these; empty: of one that is in none
    std::string_view name;
    std::string_view values;   // what it may be, and what it is if it is absent; Markdown, as is `meaning`
    std::string_view meaning;  // no sentence: "threads of the CPU backend"
};
// A table's rows stand together and in the order in which people read them.
std::span<const SettingRow> setting_table();

// Without the marks of code and links, for whoever shows no Markdown.
std::string plain_text(std::string_view markdown);

}  // namespace llmd::base
