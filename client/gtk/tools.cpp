#include "client/gtk/tools.h"

#include <glib.h>

#include <algorithm>
#include <memory>

#include "base/value.h"

namespace llmd::gtk {
namespace {

using Text = std::unique_ptr<char, decltype(&g_free)>;
using Zone = std::unique_ptr<GTimeZone, decltype(&g_time_zone_unref)>;
using Time = std::unique_ptr<GDateTime, decltype(&g_date_time_unref)>;

// GLib also takes paths, which a model must not choose: a pipe would never end.
bool is_zone_name(const std::string& name) {
    const auto fits = [](char c) { return g_ascii_isalnum(c) != 0 || c == '_' || c == '+' || c == '-' || c == '/'; };
    return name.front() != '/' && std::all_of(name.begin(), name.end(), fits);
}

std::string current_time(const std::string& time_zone) {
    if (!time_zone.empty() && !is_zone_name(time_zone)) return "there is no time zone of that name";
    const Zone zone(time_zone.empty() ? g_time_zone_new_local() : g_time_zone_new_identifier(time_zone.c_str()),
                    g_time_zone_unref);
    if (!zone) return "there is no time zone of that name";
    const Time now(g_date_time_new_now(zone.get()), g_date_time_unref);
    return Text(g_date_time_format(now.get(), "%A, %F %R %Z"), g_free).get();
}

}  // namespace

const char kTools[] = R"([{"type": "function", "function": {
    "name": "current_time",
    "description": "The date, the day of the week and the time of day.",
    "parameters": {"type": "object", "additionalProperties": false, "properties": {
        "time_zone": {"type": "string", "description": "such as Europe/Berlin; without it, that of this device"}}}}}])";

std::string run_tool(const std::string& name, const std::string& arguments) {
    if (name != "current_time") return "there is no function of that name";
    const auto parsed = base::parse_json(arguments);
    const auto* object = parsed ? parsed->get<base::Value::Object>() : nullptr;
    if (object == nullptr) return "the arguments are no JSON object";
    const base::Value* zone = base::find(*object, "time_zone");
    const std::string* text = zone != nullptr ? zone->get<std::string>() : nullptr;
    return current_time(text != nullptr ? *text : "");
}

}  // namespace llmd::gtk
