#include "client/device_report.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <thread>

#include "base/config.h"
#include "base/places.h"
#include "base/unique_fd.h"
#include "client/bench.h"
#include "client/commands.h"
#include "client/doctor.h"
#include "client/llmd_client.h"
#include "client/output.h"
#include "supervisor/model_catalogue.h"

namespace llmd::client {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLongestName = 160;
constexpr size_t kShortestPrivateWord = 3;
constexpr size_t kLongWord = 5;  // found within other words too
constexpr uint64_t kMiB = 1u << 20;

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

std::string one_decimal(double number) {
    std::ostringstream out;
    out << std::fixed << std::setprecision(1) << number;
    return out.str();
}

// "KEY: 123 kB", "KEY=value" and the like, in a file of lines.
std::string field_of(const std::string& path, const std::string& key) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (line.rfind(key, 0) != 0) continue;
        const size_t begin = line.find_first_not_of(" \t\"", key.size());
        if (begin == std::string::npos) return {};
        return line.substr(begin, line.find_last_not_of(" \t\"") + 1 - begin);
    }
    return {};
}

std::string mib_text(uint64_t bytes) {
    return std::to_string(bytes / kMiB) + " MiB";
}

class Report {
public:
    // Adds words of llmd, and common names of hardware and systems, as they are: a host may well be called "enchilada"
    // or "debian".
    void add(const std::string& name, std::string_view value) { add(name, value, {}); }
    // Adds a text that somebody else has chosen.
    void add_chosen(const std::string& name, std::string_view value) { add(name, value, private_words_); }
    void add(const std::string& name, uint64_t value) { add(name, std::to_string(value)); }
    void add_bytes(const std::string& name, uint64_t bytes) {
        if (bytes != 0) add(name, mib_text(bytes));
    }

    std::string as_text() const { return table(rows_); }
    std::string as_json() const {
        base::JsonWriter json;
        json.begin_object();
        for (const auto& row : rows_) json.key(row[0]).value(row[1]);
        return json.end_object().take() + '\n';
    }

private:
    void add(const std::string& name, std::string_view value, const std::vector<std::string>& words) {
        if (!value.empty()) rows_.push_back({name, foreign(value, words)});
    }

    const std::vector<std::string> private_words_ = private_words();
    std::vector<std::vector<std::string>> rows_;
};

void add_programs(Report& report, const EngineAnswers& engine) {
    report.add("llmctl", LLMD_VERSION);
    report.add("llmd", running_version().value_or("not running"));
    report.add("engine", engine.is_ours() ? "the same version" : "missing or another version");
}

// A property of the device tree; its texts end with NUL, and `compatible` has several.
std::string device_tree(const std::string& property) {
    std::ifstream file(base::sysfs() + "/firmware/devicetree/base/" + property, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    while (!text.empty() && text.back() == 0) text.pop_back();
    std::replace(text.begin(), text.end(), '\0', ' ');
    return text;
}

void add_system(Report& report) {
    const std::string release = "/etc/os-release";
    const std::string version = field_of(release, "VERSION_ID=");
    report.add("system", field_of(release, "ID=") + (version.empty() ? "" : " " + version));
    utsname names = {};
    if (::uname(&names) == 0) {
        report.add_chosen("kernel", names.release);
        report.add("machine", names.machine);
    }
    report.add("service_manager", ::access("/run/systemd/system", F_OK) == 0 ? "systemd"
                                  : ::access("/run/openrc", F_OK) == 0       ? "openrc"
                                                                             : "none");
    report.add("device", device_tree("model"));
    report.add("compatible", device_tree("compatible"));
    report.add("cpus", std::thread::hardware_concurrency());
    report.add_bytes("memory", meminfo_bytes("MemTotal"));
    report.add_bytes("memory_available", meminfo_bytes("MemAvailable"));
    report.add_bytes("swap", meminfo_bytes("SwapTotal"));
}

void add_devices(Report& report, const Devices& devices) {
    if (!devices.fault.empty()) report.add("opencl", "the process that asked the drivers failed");
    size_t n = 0;
    for (const Dictionary& device : devices.list) {
        const std::string name = "opencl_" + std::to_string(++n);
        report.add_chosen(name, text_of(device, "name"));
        report.add_chosen(name + "_platform", text_of(device, "platform"));
        report.add_chosen(name + "_driver", text_of(device, "driver"));
        report.add(name + "_kind", flag_of(device, "gpu") ? "GPU" : "no GPU");
        report.add_bytes(name + "_memory", number_of(device, "memory_bytes"));
        report.add_bytes(name + "_max_buffer", number_of(device, "max_buffer_bytes"));
        report.add(name + "_usable", text_of(device, "error").empty() ? "yes" : "no");
    }
}

// Not the sentences, which name files and models.
void add_checks(Report& report, const EngineAnswers& engine) {
    for (const Check& check : all_checks(engine)) {
        std::string name = lower(check.name);
        std::replace(name.begin(), name.end(), ' ', '_');
        report.add("check_" + name, state_name(check.state));
        // A driver's word may be in it.
        if (check.state != Check::State::Ok) report.add_chosen("check_" + name + "_reason", check.reason);
    }
}

// Numbers and words of ours; not `model`, `device` and `chat_template`, which people choose.
void add_settings(Report& report) {
    const auto settings = base::read_settings(base::settings_files());
    if (!settings) return;
    const base::Config usual;
    for (const char* name : {"backend", "precision", "threads", "context_length", "parallel", "prefill_chunk",
                             "saved_prefix_mib", "speculation", "max_models", "memory_mib"}) {
        const auto value = base::setting_value(settings->config, name);
        const auto otherwise = base::setting_value(usual, name);
        if (value && otherwise && *value != *otherwise) report.add(std::string("setting_") + name, *value);
    }
}

void add_model(Report& report, const LlmdClient& client, const std::string& name) {
    for (const Dictionary& model : client.list_models()) {
        if (text_of(model, "name") != name) continue;
        report.add("model", name == supervisor::kBundledModel ? name : "another");
        report.add("model_architecture", text_of(model, "architecture"));
        report.add("model_weights", text_of(model, "quantization"));
        report.add_bytes("model_size", number_of(model, "size_bytes"));
        return;
    }
}

// Its path in the hierarchy of version 2; empty where there is none.
std::string control_group_of(uint64_t pid) {
    return field_of(base::procfs() + '/' + std::to_string(pid) + "/cgroup", "0::");
}

// The memory that the kernel counts for the service; whether buffers of a phone's GPU are in it is what the report is
// to tell.
uint64_t memory_of_group(const std::string& group) {
    if (group.empty()) return 0;
    return std::strtoull(first_line(base::sysfs() + "/fs/cgroup" + group + "/memory.current").c_str(), nullptr, 10);
}

void add_engine(Report& report, const Dictionary& status) {
    report.add_chosen("computes_on", text_of(status, "device"));
    report.add_chosen("driver", text_of(status, "driver"));
    for (const char* name : {"backend", "precision", "last_fault_cause", "memory_state", "heat_state", "heat_zone",
                             "power_state", "paused_requests"}) {
        report.add(name, text_of(status, name));
    }
    for (const char* name : {"context_length", "slots", "engine_restarts", "duty_cycle_percent"}) {
        report.add(name, number_of(status, name));
    }
    for (const char* name : {"heat_celsius", "heat_limit_celsius"}) {
        if (const double celsius = real_of(status, name); celsius != 0) report.add(name, one_decimal(celsius));
    }
    report.add_bytes("weights", number_of(status, "weight_bytes"));
    report.add_bytes("keys_and_values", number_of(status, "kv_bytes"));
    const uint64_t pid = number_of(status, "engine_pid");
    if (pid == 0) return;
    const std::string process = base::procfs() + '/' + std::to_string(pid) + "/status";
    // One is the engine's own; those of the unit come on top.
    report.add("engine_system_call_filters", field_of(process, "Seccomp_filters:"));
    report.add_bytes("engine_resident", std::strtoull(field_of(process, "VmRSS:").c_str(), nullptr, 10) * 1024);
    const std::string group = control_group_of(pid);
    report.add("started_by_unit", group.find("/llmd.service") == std::string::npos ? "no" : "yes");
    report.add_bytes("service_memory", memory_of_group(group));
}

void add_figure(Report& report, const std::string& name, const Figure& figure) {
    report.add(name, one_decimal(figure.mean()) + ", deviation " + one_decimal(figure.deviation()));
}

// False when Ctrl-C ended it.
bool add_measured(Report& report, const Dictionary& options) {
    try {
        const LlmdClient client = connect_to_llmd();
        const auto figures = measure(client, options);
        if (!figures) return false;
        const Dictionary status = client.status();
        add_model(report, client, text_of(status, "model"));
        add_engine(report, status);
        report.add("prompt_tokens", figures->n_prompt);
        report.add("generated_tokens", figures->n_generated);
        add_figure(report, "prefill_tokens_per_second", figures->prefill);
        add_figure(report, "decode_tokens_per_second", figures->decode);
        add_figure(report, "first_token_ms", figures->ttft);
    } catch (const CommandError& error) {
        report.add("measuring_failed", error.name().empty() ? "Failed" : error.name());
    }
    return true;
}

// At a terminal only: in a script the file's name says it.
bool may_write(const std::string& file) {
    if (::isatty(STDIN_FILENO) != 1) return true;
    tell("Read it first. Write it to " + file + "? [y/N] ");
    std::string answer;
    std::getline(std::cin, answer);
    if (answer == "y" || answer == "Y" || answer == "yes") return true;
    tell("llmctl: not written\n");
    return false;
}

// Before a minute is spent on what goes into it.
void check_can_be_made(const std::string& file) {
    const auto fail = [&](int code) { throw CommandError(ExitCode::Failed, file + ": " + std::strerror(code)); };
    struct stat info = {};
    if (::lstat(file.c_str(), &info) == 0) fail(EEXIST);
    if (errno != ENOENT) fail(errno);
    const fs::path directory = fs::path(file).parent_path();
    if (::access(directory.empty() ? "." : directory.c_str(), W_OK | X_OK) != 0) fail(errno);
}

void write_file(const std::string& file, const std::string& text) {
    const base::UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!fd || !write_all(fd.get(), text)) throw CommandError(ExitCode::Failed, file + ": " + std::strerror(errno));
}

}  // namespace

std::string foreign(std::string_view text, const std::vector<std::string>& private_words) {
    const auto allowed = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
               std::string_view(" .,:;()+-_").find(c) != std::string_view::npos;
    };
    const std::string folded = ' ' + lower(text) + ' ';
    // A short word is in many others: "ada" is in "enchilada".
    const auto holds = [&](const std::string& word) {
        for (size_t at = 0; (at = folded.find(word, at)) != std::string::npos; ++at) {
            const auto is_part = [&](size_t i) { return std::isalpha(static_cast<unsigned char>(folded[i])) != 0; };
            if (word.size() >= kLongWord || (!is_part(at - 1) && !is_part(at + word.size()))) return true;
        }
        return false;
    };
    const bool tells = std::any_of(private_words.begin(), private_words.end(),
                                   [&](const std::string& word) { return holds(lower(word)); });
    const bool plain = text.size() <= kLongestName && std::all_of(text.begin(), text.end(), allowed);
    return std::string(plain && !tells ? text : kLeftOut);
}

std::vector<std::string> private_words() {
    std::vector<std::string> words;
    const auto add = [&](std::string_view text) {
        // "Ada Lovelace,,," and "host.example.org": each part by itself, and the account as it stands.
        std::string word;
        for (const char c : std::string(text) + ',') {
            if (std::string_view(" ,./").find(c) == std::string_view::npos) {
                word += c;
                continue;
            }
            if (word.size() >= kShortestPrivateWord) words.push_back(word);
            word.clear();
        }
    };
    if (const passwd* account = ::getpwuid(::geteuid()); account != nullptr) {
        add(account->pw_name);
        add(account->pw_gecos);
        add(fs::path(account->pw_dir).filename().string());
    }
    for (const char* name : {"USER", "LOGNAME"}) {
        if (const char* value = std::getenv(name)) add(value);
    }
    if (const char* home = std::getenv("HOME")) add(fs::path(home).filename().string());
    std::array<char, HOST_NAME_MAX + 1> host = {};
    if (::gethostname(host.data(), host.size() - 1) == 0) add(host.data());
    return words;
}

ExitCode run_report(const Arguments& arguments) {
    if (!arguments.operands.empty()) check_can_be_made(arguments.operands[0]);
    show_step("looking at this device and its drivers");
    const EngineAnswers engine = ask_engine();
    Report report;
    add_programs(report, engine);
    add_system(report);
    add_devices(report, engine.devices);
    add_checks(report, engine);
    add_settings(report);
    if (!add_measured(report, arguments.request)) return ExitCode::Interrupted;
    const std::string text = arguments.json ? report.as_json() : report.as_text();
    print(text);
    if (arguments.operands.empty()) return ExitCode::Ok;
    const std::string& file = arguments.operands[0];
    if (!may_write(file)) return ExitCode::Ok;
    write_file(file, text);
    tell("llmctl: written to " + file + "; read it once more before you send it\n");
    return ExitCode::Ok;
}

}  // namespace llmd::client
