#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/config.h"
#include "base/json_writer.h"
#include "base/places.h"
#include "client/completion.h"
#include "client/counts.h"
#include "client/doctor.h"
#include "client/processor.h"
#include "platform/policy.h"
#include "platform/thermometer.h"
#include "supervisor/model_catalogue.h"

namespace llmd::client {
namespace {

namespace fs = std::filesystem;
using supervisor::ModelEntry;
using State = Check::State;

// Beside a model's weights: keys and values, activations, what programs take meanwhile.
constexpr uint64_t kRoomBytes = 256u << 20;
// Percent of the time that some program waits for memory: above it everything is felt to be slow.
constexpr double kMuchWaiting = 10;
// Percent of a battery's charge: below it UPower calls it low, and llmd lets background requests wait.
constexpr int64_t kLowBattery = 20;

int64_t number_in(const std::string& text, int64_t otherwise) {
    int64_t number = otherwise;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

// --- Models ----------------------------------------------------------------------------------------------------------

struct Models {
    std::vector<ModelEntry> list;
    std::string wanted;                 // the default's name, or a path; empty: there is none
    const ModelEntry* found = nullptr;  // it
};

std::vector<ModelEntry> list_models() {
    base::EventLoop loop;
    const auto catalogue = supervisor::ModelCatalogue::make(loop, base::model_folders(), base::find_engine());
    std::vector<ModelEntry> out;
    catalogue->list([&](std::vector<ModelEntry> models) {
        out = std::move(models);
        loop.stop();
    });
    (void)loop.run();  // fails where poll() does: then there is no list
    return out;
}

Models look_at_models() {
    Models models;
    models.list = list_models();
    std::vector<std::string> names;
    for (const ModelEntry& model : models.list) names.push_back(model.name);
    models.wanted = default_model(names);
    const auto found = std::find(names.begin(), names.end(), models.wanted);
    if (found != names.end()) models.found = &models.list[size_t(found - names.begin())];
    return models;
}

// Returns a model for `llmctl default`: the bundled model if it is there, else any whose name no shell takes for more.
std::string usable_of(const std::vector<ModelEntry>& models) {
    const auto is_plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
               c == '-';
    };
    std::vector<std::string> names;
    for (const ModelEntry& model : models) {
        const bool is_word = std::all_of(model.name.begin(), model.name.end(), is_plain);
        if (model.error.empty() && is_word && !model.name.starts_with('-')) names.push_back(model.name);
    }
    const std::string chosen = supervisor::default_model_of(names);
    return !chosen.empty() ? chosen : names.empty() ? "MODEL" : names.front();
}

Check check_model(const Models& models) {
    const std::string import = "llmctl import FILE.gguf";
    const std::string count = counted(models.list.size(), "model");
    if (models.found != nullptr) {
        const ModelEntry& model = *models.found;
        if (!model.error.empty()) {
            return {"model", State::Fail, model.path + ": " + model.error, import, "the default cannot be used"};
        }
        return {"model",
                State::Ok,
                model.name + " (" + model.architecture + ' ' + model.quantization + ", " + size_text(model.size_bytes) +
                    "), " + count + " in all",
                {}};
    }
    if (!models.wanted.empty() && models.wanted.front() == '/') {
        if (::access(models.wanted.c_str(), R_OK) == 0) return {"model", State::Ok, models.wanted, {}};
        return {"model", State::Fail, models.wanted + ", which the settings name, cannot be read", import,
                "the file that the settings name cannot be read"};
    }
    if (models.list.empty()) return {"model", State::Fail, "there is none", import, "there is none"};
    if (!models.wanted.empty()) {
        return {"model", State::Fail, base::in_quotes(models.wanted) + ", which the settings name, is none of " + count,
                "llmctl default " + usable_of(models.list), "what the settings name is none of " + count};
    }
    std::string setting = "model = ";
    base::append_json_string(setting, models.list.front().name);
    return {"model", State::Warn, count + ", and none is the default; " + setting + " in the settings makes it one",
            settings_command("model", models.list.front().name), count + ", and none is the default"};
}

// --- The cache of compiled kernels -----------------------------------------------------------------------------------

Check check_cache() {
    const std::string directory = base::xdg_cache_home() + "/llmd";
    std::error_code error;
    // A directory that is not there yet is made in the first one that is.
    fs::path nearest = directory;
    while (!fs::exists(nearest, error) && nearest.has_relative_path()) nearest = nearest.parent_path();
    if (::access(nearest.c_str(), W_OK | X_OK) != 0) {
        return {"kernel cache", State::Warn,
                nearest.string() + " cannot be written: kernels are compiled at every load",
                "sudo chown -R $USER " + nearest.string(), "its directory cannot be written"};
    }
    uintmax_t bytes = 0;
    size_t n_files = 0;
    const auto options = fs::directory_options::skip_permission_denied;
    for (auto at = fs::recursive_directory_iterator(directory, options, error); !error && at != end(at);
         at.increment(error)) {
        std::error_code gone;
        if (!at->is_regular_file(gone)) continue;
        bytes += at->file_size(gone);
        ++n_files;
    }
    return {"kernel cache",
            State::Ok,
            n_files == 0 ? directory + " is empty: the first load on a GPU compiles"
                         : directory + " holds " + counted(n_files, "file") + ", " + size_text(bytes),
            {}};
}

// --- Memory ----------------------------------------------------------------------------------------------------------

// Reads the number in "some avg10=0.12 avg60=…"
double waiting_percent() {
    const std::string line = first_line(base::procfs() + "/pressure/memory");
    const size_t at = line.find("avg10=");
    double percent = 0;
    if (at != std::string::npos) std::from_chars(line.data() + at + 6, line.data() + line.size(), percent);
    return percent;
}

Check check_memory(const Models& models) {
    const uint64_t available = meminfo_bytes("MemAvailable");
    const uint64_t swap = meminfo_bytes("SwapTotal");
    if (available == 0) {
        return {"memory",
                State::Warn,
                base::procfs() + "/meminfo does not tell what is free",
                {},
                "the kernel does not tell what is free"};
    }
    std::string text = size_text(available) + " available, " +
                       (swap == 0 ? std::string("no swap") : size_text(meminfo_bytes("SwapFree")) + " of swap free");
    const uint64_t needed = models.found == nullptr ? 0 : models.found->size_bytes + kRoomBytes;
    if (available < needed) {
        return {"memory", State::Warn, text + "; " + models.wanted + " needs about " + size_text(needed),
                "llmctl unload", "the default model needs about " + size_text(needed)};
    }
    if (const double percent = waiting_percent(); percent > kMuchWaiting) {
        const std::string share = std::to_string(std::lround(percent));
        return {"memory", State::Warn, text + "; programs wait for memory " + share + " % of the time", "llmctl unload",
                "programs wait for memory " + share + " percent of the time"};
    }
    return {"memory", State::Ok, text, {}};
}

// --- The processor ---------------------------------------------------------------------------------------------------

Check check_processor() {
    const OtherPrograms others = ProcessorLook().finish();
    if (others.text().empty()) return {"processor", State::Ok, "the kernel does not tell how busy it is", {}};
    if (!others.is_much()) return {"processor", State::Ok, others.text(), {}};
    return {"processor", State::Warn, others.text() + "; " + others.consequence(), {}, others.text()};
}

// --- Temperature and power -------------------------------------------------------------------------------------------

Check check_temperature() {
    const auto heat = platform::make_thermometer(base::sysfs())->read();
    if (!heat) return {"temperature", State::Ok, "no thermal zone has a trip point: nothing slows llmd down", {}};
    const auto& nearest = heat->passive ? heat->passive : heat->hot;
    const auto degrees = [](platform::MilliCelsius value) { return std::to_string(value / 1000) + " °C"; };
    const std::string text = nearest->zone + " has " + degrees(nearest->temperature) + ", " +
                             (heat->passive ? "the kernel slows the device down at " : "it is too hot at ") +
                             degrees(nearest->trip);
    const bool warm = nearest->left() <= platform::kHeatMargin;
    return {"temperature",
            warm ? State::Warn : State::Ok,
            text + (warm ? ": llmd rests between its steps" : ""),
            {},
            "llmd rests between its steps"};
}

Check check_power() {
    std::error_code error;
    bool on_mains = false;
    std::string battery;
    bool is_low = false;
    bool discharging = false;
    for (const auto& entry : fs::directory_iterator(base::sysfs() + "/class/power_supply", error)) {
        const std::string directory = entry.path();
        if (first_line(directory + "/scope") == "Device") continue;  // a mouse's, not this device's
        if (first_line(directory + "/type") != "Battery") {
            on_mains = on_mains || first_line(directory + "/online") == "1";
            continue;
        }
        const int64_t percent = number_in(first_line(directory + "/capacity"), -1);
        if (percent < 0) continue;
        const std::string status = first_line(directory + "/status");
        discharging = discharging || status == "Discharging";
        is_low = is_low || percent < kLowBattery;
        battery += (battery.empty() ? "battery " : ", ") + std::to_string(percent) + " %, " + status;
    }
    if (battery.empty()) return {"power", State::Ok, "no battery", {}};
    if (is_low && discharging && !on_mains) {
        return {"power", State::Warn, battery + ": background requests wait", {}, "background requests wait"};
    }
    return {"power", State::Ok, battery, {}};
}

}  // namespace

uint64_t meminfo_bytes(const std::string& name) {
    std::ifstream file(base::procfs() + "/meminfo");
    for (std::string line; std::getline(file, line);) {
        if (line.rfind(name + ':', 0) != 0) continue;
        const size_t digits = line.find_first_of("0123456789");
        return digits == std::string::npos ? 0 : static_cast<uint64_t>(number_in(line.substr(digits), 0)) * 1024;
    }
    return 0;
}

std::vector<Check> check_system() {
    const Models models = look_at_models();
    return {check_model(models), check_cache(),       check_memory(models),
            check_processor(),   check_temperature(), check_power()};
}

}  // namespace llmd::client
