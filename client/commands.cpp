#include "client/commands.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <iomanip>
#include <sstream>
#include <thread>
#include <utility>

#include "base/json_writer.h"
#include "base/remote_settings.h"
#include "base/utf8.h"
#include "client/completion.h"
#include "client/counts.h"
#include "client/llmd_client.h"
#include "client/output.h"
#include "client/processor.h"
#include "client/prompt.h"
#include "protocol/messages.h"

namespace llmd::client {
namespace {

// Where the values of `status` begin.
constexpr size_t kStatusIndent = 12;

// The interval of status --watch.
constexpr std::chrono::seconds kWatchInterval{1};

// The daemon's texts may quote a file's name or a driver's word: cleaned like a model's text on a terminal.
void print_text(const std::string& text) {
    TextOutput output(STDOUT_FILENO);
    if (!output.write(text)) throw CommandError(ExitCode::Ok, "");
}

void print_json(base::JsonWriter& json) {
    print(json.take() + '\n');
}

// "0.3", "12.5", "231": three digits say enough.
std::string rounded_text(double number) {
    constexpr double kWhole = 100;
    std::ostringstream out;
    out << std::fixed << std::setprecision(number < kWhole ? 1 : 0) << number;
    return out.str();
}

// "4 s", "3 min": an estimate deserves no more digits. Empty when there is none.
std::string wait_text(uint64_t ms) {
    constexpr uint64_t kMsPerSecond = 1000;
    constexpr uint64_t kMsPerMinute = 60 * kMsPerSecond;
    if (ms == 0) return "";
    if (ms < kMsPerMinute) return std::to_string((ms + kMsPerSecond - 1) / kMsPerSecond) + " s";
    return std::to_string((ms + kMsPerMinute - 1) / kMsPerMinute) + " min";
}

// Those that run, then the waiting in the order of their turns.
std::string request_table(std::vector<Dictionary> requests) {
    const auto waits = [](const Dictionary& request) {
        const std::string state = text_of(request, "state");
        return state == "queued" || state == "paused";
    };
    std::stable_sort(requests.begin(), requests.end(), [&](const Dictionary& a, const Dictionary& b) {
        return std::pair(waits(a), number_of(a, "position")) < std::pair(waits(b), number_of(b, "position"));
    });
    std::vector<std::vector<std::string>> rows = {
        {"REQUEST", "CLIENT", "PRIORITY", "STATE", "BEFORE", "WAIT", "PROMPT", "MADE", "MODEL"}};
    for (const Dictionary& request : requests) {
        std::string path = text_of(request, "request");
        if (path.rfind(kRequestPrefix, 0) == 0) path.erase(0, kRequestPrefix.size());
        rows.push_back({path, text_of(request, "client"), text_of(request, "priority"), text_of(request, "state"),
                        waits(request) ? std::to_string(number_of(request, "position")) : "",
                        wait_text(number_of(request, "estimated_wait_ms")),
                        std::to_string(number_of(request, "prompt_tokens")),
                        std::to_string(number_of(request, "generated_tokens")), text_of(request, "model")});
    }
    return table(rows);
}

// May `text` be a D-Bus object path or its end? Anything else would not even be sent.
bool is_object_path(std::string_view text) {
    const auto allowed = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '/';
    };
    return text.find("//") == std::string_view::npos && text.back() != '/' &&
           std::all_of(text.begin(), text.end(), allowed);
}

// A path is the daemon's business too, and the daemon has another working directory.
std::string name_or_absolute_path(const std::string& model) {
    if (model.find('/') == std::string::npos) return model;
    std::error_code error;
    std::string path = std::filesystem::absolute(model, error).lexically_normal().string();
    if (error) throw CommandError(ExitCode::Failed, "the current directory: " + error.message());
    if (!base::is_clean_text(path)) {
        throw CommandError(ExitCode::Usage,
                           "the current directory's name is not UTF-8 text: give MODEL's absolute path");
    }
    return path;
}

}  // namespace

ExitCode done(const Arguments& arguments) {
    if (arguments.json) print("{\"ok\":true}\n");
    return ExitCode::Ok;
}

namespace {

// These cells are left out of a row of `llmctl models`, one after another, where the terminal is too narrow; 'llmctl
// show' has them too. They are architecture, context and weights: each is an index among the cells without those before
// it.
constexpr std::array<ptrdiff_t, 3> kDispensable = {2, 4, 2};
constexpr size_t kModelCells = 6;  // of a model that can be used; words on its chat template and "default" may follow

size_t width_of(const std::string& text) {
    size_t widest = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) widest = std::max(widest, columns_of(line));
    return widest;
}

void print_models(std::vector<std::vector<std::string>> rows) {
    const std::optional<size_t> columns = terminal_columns(STDOUT_FILENO);
    std::vector<std::vector<std::string>*> full;
    for (auto& row : rows) {
        if (row.size() >= kModelCells) full.push_back(&row);
    }
    std::string text = table(rows);
    for (const ptrdiff_t cell : kDispensable) {
        if (!columns || width_of(text) <= *columns) break;
        for (auto* row : full) row->erase(row->begin() + cell);
        text = table(rows);
    }
    TextOutput output(STDOUT_FILENO);
    std::istringstream lines(text);
    std::string line;
    for (size_t i = 0; std::getline(lines, line); ++i) {
        const bool is_default = i < rows.size() && rows[i].back() == "default";
        const auto style = i == 0       ? TextOutput::Style::Dim
                           : is_default ? TextOutput::Style::Bold
                                        : TextOutput::Style::Plain;
        if (!output.write(line + '\n', style)) throw CommandError(ExitCode::Ok, "");
    }
}

}  // namespace

ExitCode run_models(const Arguments& arguments) {
    const std::vector<Dictionary> models = connect_to_llmd().list_models();
    if (arguments.json) {
        base::JsonWriter json;
        json.begin_object();
        write_json(json.key("models"), models);
        json.end_object();
        print_json(json);
        return ExitCode::Ok;
    }
    if (models.empty()) {
        print_text("There is no model; 'llmctl pull hf:OWNER/REPO' fetches one, 'llmctl import FILE.gguf' adds one.\n");
        return ExitCode::Ok;
    }
    bool has_default = false;
    std::vector<std::vector<std::string>> rows = {{"", "NAME", "ARCHITECTURE", "WEIGHTS", "SIZE", "CONTEXT"}};
    for (const Dictionary& model : models) {
        const bool is_default = flag_of(model, "default");
        has_default = has_default || is_default;
        const std::string loaded = flag_of(model, "loaded") ? "*" : "";
        if (const std::string error = text_of(model, "error"); !error.empty()) {
            rows.push_back({loaded, text_of(model, "name"), "unusable: " + error});
            continue;
        }
        if (const std::string remote = text_of(model, "remote"); !remote.empty()) {
            const std::string host = text_of(model, "host");
            rows.push_back({loaded, text_of(model, "name"), "at " + (host.empty() ? remote : host)});
            continue;
        }
        rows.push_back({loaded, text_of(model, "name"), text_of(model, "architecture"), text_of(model, "quantization"),
                        size_text(number_of(model, "size_bytes")), std::to_string(number_of(model, "context_length"))});
        if (model.contains("chat_family")) {
            const std::string family = text_of(model, "chat_family");
            if (family.empty()) rows.back().emplace_back("chat template not recognised");
            if (family == protocol::kNoChatTemplate) rows.back().emplace_back("no chat template");
        }
        if (is_default) rows.back().emplace_back("default");
    }
    print_models(rows);
    const bool has_loaded = std::any_of(rows.begin() + 1, rows.end(), [](const auto& row) { return row[0] == "*"; });
    if (has_loaded && terminal_columns(STDOUT_FILENO))
        print_text("* is loaded; 'llmctl unload' gives its memory back\n");
    if (!has_default) print_text("Without --model none is used; 'llmctl default NAME' chooses one.\n");
    return ExitCode::Ok;
}

ExitCode run_load(const Arguments& arguments) {
    const std::string model = name_or_absolute_path(arguments.operands[0]);
    const LlmdClient client = connect_to_llmd();
    ProgressLine progress;
    client.load_model(model, [&] {
        if (progress.enabled()) progress.show_loading(client.glance());
    });
    return done(arguments);
}

ExitCode run_unload(const Arguments& arguments) {
    connect_to_llmd().unload_model();
    return done(arguments);
}

namespace {

// "12 s", "3 min", "5 h", "2 days": how long ago.
std::string age_text(uint64_t seconds) {
    constexpr uint64_t kMinute = 60;
    constexpr uint64_t kHour = 60 * kMinute;
    constexpr uint64_t kDay = 24 * kHour;
    if (seconds < kMinute) return std::to_string(seconds) + " s";
    if (seconds < kHour) return std::to_string(seconds / kMinute) + " min";
    if (seconds < 2 * kDay) return std::to_string(seconds / kHour) + " h";
    return std::to_string(seconds / kDay) + " days";
}

// "tales: ready on the CPU, 21 MB, 0 of 4 slots in use, idle for 12 s, pinned"
std::string engine_line(const Dictionary& engine) {
    const std::string state = text_of(engine, "state");
    const std::string backend = text_of(engine, "backend");
    std::string line = text_of(engine, "model") + ": " + state;
    if (!backend.empty()) line += " on " + (backend == "cpu" ? "the CPU" : text_of(engine, "device"));
    if (const uint64_t bytes = number_of(engine, "memory_bytes"); bytes != 0) line += ", " + size_text(bytes);
    if (backend.empty()) return line;
    line += ", " + std::to_string(number_of(engine, "active")) + " of " + counted(number_of(engine, "slots"), "slot") +
            " in use";
    if (state == "ready" && engine.contains("idle_s")) line += ", idle for " + age_text(number_of(engine, "idle_s"));
    if (flag_of(engine, "pinned")) line += ", pinned";
    return line;
}

// "home (box.lan:8443): ready for 3 min, 2 requests there"
std::string remote_line(const Dictionary& remote) {
    const std::string state = text_of(remote, "state");
    std::string line = text_of(remote, "name") + " (" + text_of(remote, "host") + "): " + state;
    if (state != "unused") line += " for " + age_text(number_of(remote, "since_s"));
    if (remote.contains("retry_in_s")) line += ", tried again in " + age_text(number_of(remote, "retry_in_s"));
    line += ", " + counted(number_of(remote, "in_flight"), "request") + " there";
    const std::string error = text_of(remote, "last_error");
    return state == "ready" || error.empty() ? line : line + "; " + error;
}

struct StatusReport {
    Dictionary status;
    OtherPrograms others;
    std::optional<std::vector<Dictionary>> requests;  // where they may be shown
    bool has_model = true;                            // if none is loaded, one could be
};

// Whether this device has one. What can be seen from here needs no inspection by llmd.
bool has_model(const LlmdClient& client) {
    const std::vector<std::string> known = known_models();
    if (std::any_of(known.begin(), known.end(), base::is_local_model_name)) return true;
    const std::vector<Dictionary> listed = client.list_models();
    return std::any_of(listed.begin(), listed.end(),
                       [](const Dictionary& model) { return base::is_local_model_name(text_of(model, "name")); });
}

// Nothing in a sandbox, whose programs may not see requests.
std::optional<std::vector<Dictionary>> requests_if_allowed(const LlmdClient& client) {
    try {
        return client.list_requests();
    } catch (const CommandError& error) {
        if (error.name() != base::error_name(base::ErrorCode::NotAllowed)) throw;
        return std::nullopt;
    }
}

std::string status_json(const StatusReport& report) {
    base::JsonWriter json;
    json.begin_object();
    for (const auto& [key, value] : report.status) write_json(json.key(key), value);
    if (report.requests) write_json(json.key("requests"), *report.requests);
    json.end_object();
    return json.take() + '\n';
}

std::string status_text(const StatusReport& report) {
    const Dictionary& status = report.status;
    std::ostringstream out;
    const bool is_terminal = terminal_columns(STDOUT_FILENO).has_value();
    const auto line = [&](const char* name, const std::string& told) {
        if (told.empty()) return;
        const std::string value = base::shown(told);
        out << std::left << std::setw(kStatusIndent) << name
            << (is_terminal ? wrap(value, kStatusIndent, readable_columns(STDOUT_FILENO)) : value) << '\n';
    };
    const std::string model = text_of(status, "model");
    std::string state = text_of(status, "state");
    if (state == "loading") state += ' ' + std::to_string(number_of(status, "load_per_mille") / 10) + " %";
    line("State", state);
    line("Settings", text_of(status, "settings_error"));
    line("Paused", text_of(status, "paused"));
    line("Model", !model.empty()     ? model
                  : report.has_model ? "none loaded; the first request loads one"
                                     : "there is none; 'llmctl doctor' says how to get one");
    if (const uint64_t context = number_of(status, "context_length"); context != 0) {
        line("Context", std::to_string(context) + " tokens");
    }
    const std::string backend = text_of(status, "backend");
    const std::string device = text_of(status, "device");
    line("Device", device.empty() ? backend : device + " (" + backend + ')');
    line("Driver", text_of(status, "driver"));
    line("Precision", text_of(status, "precision"));
    const std::vector<std::string> notes = list_of(status, "notes");
    for (const std::string& note : notes) line("Note", note);
    const std::string quarantined = text_of(status, "quarantined");
    if (std::find(notes.begin(), notes.end(), quarantined) == notes.end()) line("Note", quarantined);
    line("Sandbox", text_of(status, "sandbox"));
    const uint64_t memory = number_of(status, "weight_bytes") + number_of(status, "kv_bytes");
    if (memory != 0) {
        line("Memory", size_text(number_of(status, "weight_bytes")) + " weights, " +
                           size_text(number_of(status, "kv_bytes")) + " context");
    }
    if (const uint64_t total = number_of(status, "kv_pages_total"); total != 0) {
        const auto part = [&](const char* pages) {
            return size_text(number_of(status, "kv_bytes") / total * number_of(status, pages));
        };
        const uint64_t hits = number_of(status, "cache_hits");
        line("Cache", part("kv_pages_cached") + " of the context memory keep the beginnings of earlier prompts, and " +
                          part("kv_pages_used") + " are used by requests that run now" +
                          (hits == 0 ? ""
                                     : "; " + counted(hits, "request") + " began like an earlier prompt, so that " +
                                           counted(number_of(status, "cache_hit_tokens"), "token") +
                                           " did not have to be computed again"));
    }
    if (const uint64_t drafted = number_of(status, "drafted_tokens"); drafted != 0) {
        line("Speculation", std::to_string(number_of(status, "accepted_tokens")) + " of " +
                                counted(drafted, "drafted token") + " accepted");
    }
    for (const Dictionary& engine : dictionaries_of(status, "engines")) {
        // An engine that asks a remote takes nothing of this device.
        if (text_of(engine, "model").find('@') == std::string::npos) line("Engine", engine_line(engine));
    }
    for (const Dictionary& remote : dictionaries_of(status, "remotes")) line("Remote", remote_line(remote));
    line("Requests", std::to_string(number_of(status, "active")) + " running, " +
                         std::to_string(number_of(status, "queued")) + " waiting");
    if (const uint64_t restarts = number_of(status, "engine_restarts"); restarts != 0) {
        line("Restarts", std::to_string(restarts) + " of the engine");
    }
    const auto mean = [&](const char* name, const std::string& key, const char* unit, const char* what) {
        const uint64_t count = number_of(status, key + "_count");
        if (count == 0) return;
        line(name, rounded_text(real_of(status, key + "_sum") / static_cast<double>(count)) + ' ' + unit +
                       (count == 1 ? ", of one request" : " on average of " + counted(count, "request")) + what);
    };
    mean("Waiting", "queue_ms", "ms", ", from the call to the start; a model is loaded meanwhile if need be");
    mean("First word", "prefill_ms", "ms", ", from the start to the first token");
    mean("Speed", "decode_tps", "tokens/s", "");
    if (report.others.is_much()) line("Processor", report.others.text() + "; " + report.others.consequence());
    line("Pressure", text_of(status, "memory"));
    line("Heat", text_of(status, "heat"));
    line("Power", text_of(status, "power"));
    line("Last fault", text_of(status, "last_fault"));
    if (report.requests && !report.requests->empty()) out << '\n' << request_table(*report.requests);
    return out.str();
}

}  // namespace

ExitCode run_status(const Arguments& arguments) {
    const LlmdClient client = connect_to_llmd();
    const bool in_place = arguments.watch && !arguments.json && terminal_columns(STDOUT_FILENO).has_value();
    while (true) {
        ProcessorLook look;
        StatusReport report{client.status(), {}, std::nullopt};
        report.requests = requests_if_allowed(client);
        if (!arguments.json) {
            report.others = look.finish();
            report.has_model = !text_of(report.status, "model").empty() || has_model(client);
        }
        if (in_place) print("\x1b[H\x1b[J");  // ECMA-48 CUP and ED: home, then erase what is below
        arguments.json ? print(status_json(report)) : print_text(status_text(report));
        if (!arguments.watch) return ExitCode::Ok;
        std::this_thread::sleep_for(kWatchInterval);
        if (!arguments.json && !in_place) print("\n");
    }
}

ExitCode run_queue(const Arguments& arguments) {
    const std::vector<Dictionary> requests = connect_to_llmd().list_requests();
    if (arguments.json) {
        base::JsonWriter json;
        json.begin_object();
        write_json(json.key("requests"), requests);
        json.end_object();
        print_json(json);
    } else {
        print_text(requests.empty() ? "There is no request.\n" : request_table(requests));
    }
    return ExitCode::Ok;
}

ExitCode run_cancel(const Arguments& arguments) {
    if (arguments.all) {
        connect_to_llmd().cancel_all();
        return done(arguments);
    }
    const std::string& request = arguments.operands[0];
    const std::string unknown = "no request is called " + base::in_quotes(request) + "; 'llmctl queue' shows them";
    if (!is_object_path(request)) throw CommandError(ExitCode::Usage, unknown);
    try {
        connect_to_llmd().cancel(request);
    } catch (const CommandError& error) {
        if (error.name() != "NotFound") throw;
        throw CommandError(error.code(), unknown, error.name());
    }
    return done(arguments);
}

ExitCode run_tokenize(const Arguments& arguments) {
    const std::string text = read_prompt(arguments.operands, STDIN_FILENO);
    const std::vector<uint32_t> ids = connect_to_llmd().tokenize(text, arguments.request);
    if (arguments.json) {
        base::JsonWriter json;
        json.begin_object().key("count").value(static_cast<uint64_t>(ids.size())).key("ids").begin_array();
        for (const uint32_t id : ids) json.value(id);
        json.end_array().end_object();
        print_json(json);
        return ExitCode::Ok;
    }
    std::string line;
    for (const uint32_t id : ids) line += (line.empty() ? "" : " ") + std::to_string(id);
    print(line + '\n');
    return ExitCode::Ok;
}

ExitCode run_embed(const Arguments& arguments) {
    const std::vector<std::string> texts = read_texts(arguments.operands, STDIN_FILENO);
    const Embeddings embeddings = connect_to_llmd().embed(texts, arguments.request);
    base::JsonWriter json;
    if (arguments.json) {
        json.begin_object();
        for (const auto& [key, value] : embeddings.info) write_json(json.key(key), value);
        json.key("embeddings").begin_array();
        for (const std::vector<float>& vector : embeddings.vectors) {
            json.begin_array();
            for (const float number : vector) json.value(number);
            json.end_array();
        }
        json.end_array().end_object();
        print_json(json);
        return ExitCode::Ok;
    }
    for (const std::vector<float>& vector : embeddings.vectors) {
        std::string line;
        for (const float number : vector) line += (line.empty() ? "" : " ") + json.value(number).take();
        print(line + '\n');
    }
    return ExitCode::Ok;
}

ExitCode run_version(const Arguments& arguments) {
    const std::optional<std::string> daemon = running_version();
    if (arguments.json) {
        base::JsonWriter json;
        json.begin_object().key("llmctl").value(LLMD_VERSION);
        if (daemon) json.key("llmd").value(*daemon);
        json.end_object();
        print_json(json);
        return ExitCode::Ok;
    }
    print(std::string("llmctl ") + LLMD_VERSION + '\n' + "llmd   " + daemon.value_or("is not running") + '\n');
    return ExitCode::Ok;
}

}  // namespace llmd::client
