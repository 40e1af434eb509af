#include "client/devices.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <string_view>

#include "client/child.h"
#include "client/exit_code.h"
#include "client/json_reading.h"

namespace llmd::client {
namespace {

namespace dom = simdjson::dom;

// Mesa starts its compiler when it is first asked for devices.
constexpr std::chrono::seconds kDeviceLimit{30};

// Its name or platform holds what the settings ask for; where they ask for none, every device's does.
bool is_named(const Dictionary& device, const base::Config& settings) {
    const auto same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    };
    const auto holds = [&](const std::string& name) {
        return std::search(name.begin(), name.end(), settings.device.begin(), settings.device.end(), same) !=
               name.end();
    };
    return settings.device.empty() || holds(text_of(device, "name")) || holds(text_of(device, "platform"));
}

}  // namespace

Devices ask_for_devices(const std::string& engine) {
    Devices out;
    const ChildEnd end = run_child({engine, "--devices"}, kDeviceLimit);
    if (!end.fault.empty()) {
        out.fault = "the process that asked the drivers " + end.fault;
        return out;
    }
    try {
        dom::parser parser;
        const dom::object answer = parse_object(parser, end.output);
        for (const dom::element element : array_member(answer, "devices")) {
            dom::object device;
            if (element.get_object().get(device)) malformed("a device is not an object");
            copy_scalars(device, out.list.emplace_back());
        }
        for (const dom::element note : array_member(answer, "notes")) {
            std::string_view text;
            if (!note.get_string().get(text)) out.notes.emplace_back(text);
        }
        Dictionary rest;
        copy_scalars(answer, rest);
        out.fault = text_of(rest, "error");
    } catch (const CommandError& error) {
        out.fault = error.what();
    }
    return out;
}

const Dictionary* chosen_device(const Devices& devices, const base::Config& settings) {
    if (settings.backend == "cpu") return nullptr;
    const bool is_auto = settings.backend == "auto";
    const Dictionary* chosen = nullptr;
    int rank_of_chosen = -1;
    for (const Dictionary& device : devices.list) {
        const bool is_gpu = flag_of(device, "gpu");
        if (!is_named(device, settings) || (is_auto && !is_gpu)) continue;
        const int rank = is_auto ? text_of(device, "error").empty() : is_gpu;
        if (rank <= rank_of_chosen) continue;
        chosen = &device;
        rank_of_chosen = rank;
    }
    return chosen;
}

}  // namespace llmd::client
