// Every key of the settings, once: what it is called, where its value goes, what it may be and what it means. Reading
// (config.cpp), writing (config_edit.cpp), the tables of docs/configuration.md, the manual page llmd.toml(5) and
// `llmctl config explain` are these rows. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/config.h"

namespace llmd::base {

// A key of a table, which is Config, ModelSettings or RemoteSettings.
template <typename Table>
struct Setting {
    std::string_view name;
    std::variant<std::string Table::*, uint32_t Table::*, bool Table::*, std::vector<std::string> Table::*> member;
    std::string_view meaning;  // no sentence: "threads of the CPU backend"; Markdown, as are the next two
    std::string_view zero{};   // of a number: what 0 stands for, which is "absent"; empty: 0 is as good as any in range
    std::string_view values{};                    // its possible values, where neither choices nor range say them
    std::span<const std::string_view> choices{};  // of a text; empty: any
    uint32_t least = 0, most = 0;                 // of a number
};
std::span<const Setting<Config>> config_settings();
std::span<const Setting<ModelSettings>> model_settings();
std::span<const Setting<RemoteSettings>> remote_settings();

// A row for people.
struct SettingRow {
    std::string_view table;  // "models" or "remote" of a key in one of these; empty: of one that is in none
    std::string_view name;
    std::string values;  // its possible values, and the one that holds if it is absent
    std::string_view meaning;
};
// A table's rows stand together and in the order in which people read them.
std::vector<SettingRow> setting_table();

// Without the marks of code and links, for whoever shows no Markdown.
std::string plain_text(std::string_view markdown);

}  // namespace llmd::base
