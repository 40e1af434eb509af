// The costs of a request that has ended: one table with a row for each figure, from which `info` on the bus and the
// last line of a pipe are made. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "base/value.h"
#include "service/request.h"

namespace llmd::api {

struct InfoField {
    std::string_view key;   // on the bus and in JSON
    std::string_view type;  // D-Bus: s, u, t or d
    base::Value (*get)(const service::Outcome& outcome);
    bool only_if_any = false;  // 0 is left out
};
std::span<const InfoField> info_fields();

// Calls told(key, type, value) for each row that `outcome` has, in the order of the table.
template <typename Told>
void for_each_info(const service::Outcome& outcome, Told told) {
    for (const InfoField& field : info_fields()) {
        const base::Value value = field.get(outcome);
        const auto* number = value.get<uint64_t>();
        if (!field.only_if_any || number == nullptr || *number > 0) told(field.key, field.type, value);
    }
}

// Writes these as members.
void write_info(base::JsonWriter& json, const service::Outcome& outcome);

// The member "notes" with the notes on an answer; nothing where there are none.
void write_notes(base::JsonWriter& json, std::span<const std::string> notes);

}  // namespace llmd::api
