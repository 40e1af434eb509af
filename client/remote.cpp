// `llmctl remote`: the bigger machines of the settings. Nothing here contacts one; `test` has llmd ask it.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <iomanip>
#include <sstream>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/json_writer.h"
#include "client/commands.h"
#include "client/counts.h"
#include "client/llmd_client.h"
#include "client/output.h"
#include "client/settings.h"
#include "client/text_stream.h"
#include "handover/log.h"
#include "handover/names.h"

namespace llmd::client {
namespace {

using handover::names_of_models;

// "a, b and c"
std::string joined(const std::vector<std::string>& words) {
    std::string out;
    for (size_t i = 0; i < words.size(); ++i) {
        out += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
    }
    return out;
}

const base::RemoteSettings* remote_named(const std::vector<base::RemoteSettings>& remotes, const std::string& name) {
    const auto found = std::find_if(remotes.begin(), remotes.end(), [&](const auto& one) { return one.name == name; });
    return found == remotes.end() ? nullptr : &*found;
}

std::string who_may_ask(const std::vector<std::string>& apps) {
    std::vector<std::string> words;
    for (const std::string& app : apps) {
        const std::string word =
            app == "host" || app == "*" ? "every program outside of a sandbox (llmctl is one)" : app;
        if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
    }
    return joined(words);
}

std::string where_it_goes(const base::RemoteSettings& remote) {
    const auto url = base::parse_remote_url(remote.url);
    if (url->scheme == base::RemoteUrl::Scheme::Unix) return "the socket " + url->path;
    std::string where = url->host + ", port " + std::to_string(url->port);
    if (url->scheme == base::RemoteUrl::Scheme::Http) {
        where +=
            base::is_loopback(*url) ? ", on this device" : ", unencrypted but for what " + remote.interface + " does";
    } else {
        where += ", encrypted, if its ";
        where += remote.pin.empty() ? "certificate is good" : "public key is the pinned one";
    }
    if (!remote.interface.empty()) where += ", and only through " + remote.interface;
    return where;
}

// Says what is wrong with the file that is to hold the key; llmd-remote refuses it then. Empty: nothing.
std::string fault_of_key_file(const std::string& path) {
    struct stat info = {};
    if (::stat(path.c_str(), &info) != 0) {
        return errno == ENOENT ? "is not there yet; write the key into it: (umask 077; cat > '" + path + "')"
                               : std::string("cannot be read: ") + std::strerror(errno);
    }
    if (!S_ISREG(info.st_mode)) return "is not a regular file";
    if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0) return "can be read by others: chmod 600 '" + path + "'";
    return {};
}

// Says what happens from now on, and what to do next.
std::string after_adding(const base::RemoteSettings& remote, const std::string& file) {
    std::ostringstream out;
    const auto line = [&](const char* what, const std::string& value) {
        out << "  " << std::left << std::setw(14) << what << value << '\n';
    };
    out << remote.name << " is in " << file << " now. What this changes:\n";
    line("what leaves", "prompts of requests for " + joined(names_of_models(remote)) + "; nothing else does");
    line("goes to", where_it_goes(remote));
    line("who may ask",
         remote.apps.empty()
             ? "nobody; remove it and add it again with --app host, which is every program outside of a sandbox"
             : who_may_ask(remote.apps));
    line("metered",
         remote.metered == "allow" ? "also over connections that cost" : "never over a connection that costs");
    out << "Nothing has been contacted. Try it:\n  llmctl remote test " << remote.name << '\n';
    if (!remote.apps.empty()) {
        out << "  llmctl generate --model " << names_of_models(remote).front() << " \"Once upon a time\"\n";
    }
    return out.str();
}

[[noreturn]] void refuse_remote(const base::Error& error) {
    // The reader's keys are options here, but for the two that are arguments.
    std::string message = error.message;
    if (error.code == base::ErrorCode::InvalidArgument) {
        if (message.starts_with("name: ")) {
            message.replace(0, 4, "NAME");
        } else if (message.starts_with("url: ")) {
            message.replace(0, 3, "URL");
        } else {
            message = with_option_name(message);
        }
    }
    throw CommandError(error.code == base::ErrorCode::InvalidArgument ? ExitCode::Usage : ExitCode::Failed, message);
}

ExitCode run_add(const Arguments& arguments) {
    const Dictionary& options = arguments.request;
    const auto text = [&](const char* key, std::string& out) {
        if (options.count(key) != 0) out = text_of(options, key);
    };
    base::RemoteSettings remote;
    remote.name = arguments.operands[1];
    remote.url = arguments.operands[2];
    remote.models = list_of(options, "models");
    remote.apps = list_of(options, "apps");
    text("api", remote.api);
    text("key_file", remote.key_file);
    text("pin", remote.pin);
    text("ca_file", remote.ca_file);
    text("interface", remote.interface);
    text("metered", remote.metered);
    if (remote.models.empty()) {
        throw CommandError(ExitCode::Usage,
                           "--model is missing: name each model that may be asked for, as the machine "
                           "calls it, or as ALIAS=MODEL");
    }
    const std::string file = base::written_settings_file();
    auto before = base::read_settings(base::settings_files());
    if (!before) refuse_remote(before.error());
    // Whoever wrote it elsewhere is to decide which of the two it is.
    for (const std::string& other : before->said_by["remote " + remote.name]) {
        const bool goes_before = other == base::user_settings_file() || (other > file && base::is_written_file(other));
        if (!goes_before) continue;
        refuse_remote(base::fail(base::ErrorCode::InvalidArgument, "name: there is a remote ",
                                 base::in_quotes(remote.name), " in ", other, " already; it has to be removed first"));
    }
    if (auto added = base::add_remote(file, remote); !added) refuse_remote(added.error());
    reload_if_running();
    const std::string key_file = base::in_home(remote.key_file);
    const std::string fault = key_file.empty() ? std::string() : fault_of_key_file(key_file);
    if (!fault.empty()) TextOutput(STDERR_FILENO).write("llmctl: --key-file: " + key_file + ' ' + fault + '\n');
    if (arguments.json) return done(arguments);
    TextOutput(STDOUT_FILENO).write(after_adding(remote, file));
    return ExitCode::Ok;
}

ExitCode run_remove(const Arguments& arguments) {
    const std::string& name = arguments.operands[1];
    if (const auto before = base::read_settings(base::settings_files()); !before) refuse_remote(before.error());
    const auto removed = base::remove_remote(base::written_settings_file(), name);
    base::Settings settings = current_settings();
    const base::RemoteSettings* other = remote_named(settings.config.remotes, name);
    if (!removed && removed.error().code == base::ErrorCode::NotFound) {
        throw CommandError(
            ExitCode::ModelMissing,
            removed.error().message + (other != nullptr ? "; it is in " + settings.said_by["remote " + name].back()
                                                        : "; 'llmctl remote list' shows those there are"));
    }
    if (!removed) refuse_remote(removed.error());
    reload_if_running();
    if (other != nullptr) {
        TextOutput(STDERR_FILENO)
            .write("llmctl: there is still a remote " + name + ", from another file: " + other->url + '\n');
    }
    return done(arguments);
}

// Returns llmd's word on the remote, if it runs and has one: "ready", "away: the last error".
std::string state_of(const std::optional<Dictionary>& status, const std::string& name) {
    if (!status) return {};
    for (const Dictionary& remote : dictionaries_of(*status, "remotes")) {
        if (text_of(remote, "name") != name) continue;
        const std::string error = text_of(remote, "last_error");
        return text_of(remote, "state") + (error.empty() ? "" : ": " + error);
    }
    return {};
}

ExitCode run_list(const Arguments& arguments) {
    const base::Settings settings = current_settings();
    const std::vector<base::RemoteSettings>& remotes = settings.config.remotes;
    const std::optional<Dictionary> status = remotes.empty() ? std::nullopt : running_status();
    if (arguments.json) {
        base::JsonWriter json;
        const auto texts = [&](const char* key, const std::vector<std::string>& list) {
            json.key(key).begin_array();
            for (const std::string& text : list) json.value(text);
            json.end_array();
        };
        json.begin_object().key("remotes").begin_array();
        for (const base::RemoteSettings& remote : remotes) {
            json.begin_object().key("name").value(remote.name).key("url").value(remote.url);
            json.key("api").value(remote.api);
            texts("models", names_of_models(remote));
            texts("apps", remote.apps);
            json.key("metered").value(remote.metered);
            if (const std::string state = state_of(status, remote.name); !state.empty()) {
                json.key("state").value(state);
            }
            json.end_object();
        }
        json.end_array().end_object();
        print(json.take() + '\n');
        return ExitCode::Ok;
    }
    TextOutput output(STDOUT_FILENO);
    if (remotes.empty()) {
        output.write(
            "There is no remote: nothing leaves this device. 'llmctl remote add --help' says how to add one.\n");
        return ExitCode::Ok;
    }
    std::vector<std::vector<std::string>> rows = {{"NAME", "URL", "MODELS", "APPS"}};
    if (status) rows.back().emplace_back("STATE");
    for (const base::RemoteSettings& remote : remotes) {
        rows.push_back({remote.name, remote.url, base::listed(names_of_models(remote)),
                        remote.apps.empty() ? "nobody" : base::listed(remote.apps)});
        if (status) rows.back().push_back(state_of(status, remote.name));
    }
    output.write(table(rows));
    return ExitCode::Ok;
}

// Asks by way of llmd, as everybody does: so what is tried is all of it, the rules about who may ask included.
ExitCode run_test(const Arguments& arguments) {
    const std::string& name = arguments.operands[1];
    const auto remotes = current_settings().config.remotes;
    const base::RemoteSettings* remote = remote_named(remotes, name);
    if (remote == nullptr) {
        throw CommandError(ExitCode::ModelMissing, "there is no remote " + base::in_quotes(name) +
                                                       "; 'llmctl remote list' shows those there are");
    }
    const LlmdClient client = connect_to_llmd();
    Interrupts interrupts;
    TextOutput output(STDOUT_FILENO);
    for (const std::string& model : names_of_models(*remote)) {
        const Dictionary options = {{"model", model}, {"max_tokens", uint64_t{1}}, {"temperature", 0.0}};
        TextStream text(client.stream("Hello", options), interrupts, {.text = false});
        if (text.run() != TextStream::End::Complete) return ExitCode::Interrupted;
        const Dictionary& result = text.result();
        if (arguments.json) {
            base::JsonWriter json;
            json.begin_object().key("model").value(model);
            json.key("prompt_tokens").value(number_of(result, "prompt_tokens"));
            json.key("generated_tokens").value(number_of(result, "generated_tokens"));
            json.key("ttft_ms").value(number_of(result, "ttft_ms"));
            output.write(json.end_object().take() + '\n');
        } else {
            output.write(model + ": " + counted(number_of(result, "generated_tokens"), "token") + " after " +
                         std::to_string(number_of(result, "ttft_ms")) + " ms\n");
        }
    }
    return ExitCode::Ok;
}

std::string local_time(handover::LogTime time) {
    const std::time_t seconds = time.time_since_epoch().count();
    std::tm local{};
    ::localtime_r(&seconds, &local);
    std::ostringstream out;
    out << std::put_time(&local, "%Y-%m-%d %H:%M:%S");
    return out.str();
}

ExitCode run_log(const Arguments& arguments) {
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    const auto entries = handover::read_remote_log(handover::remote_log_path(), now);
    if (!entries) throw CommandError(ExitCode::Failed, entries.error().message);
    if (arguments.json) {
        base::JsonWriter json;
        json.begin_object().key("requests").begin_array();
        for (const handover::LogEntry& entry : *entries) handover::write_json(json, entry);
        json.end_array().end_object();
        print(json.take() + '\n');
        return ExitCode::Ok;
    }
    TextOutput output(STDOUT_FILENO);
    const auto settings = base::read_settings(base::settings_files());
    const bool is_off = settings && !settings->config.remote_log;
    if (is_off) output.write("Nothing is recorded now: remote_log is false in the settings.\n");
    if (entries->empty()) {
        if (!is_off) output.write("Nothing has left this device in the last 7 days.\n");
        return ExitCode::Ok;
    }
    std::vector<std::vector<std::string>> rows = {
        {"TIME", "APPLICATION", "MODEL", "TOKENS", "SENT", "RECEIVED", "SECONDS", "END"}};
    uint64_t sent = 0;
    for (const handover::LogEntry& entry : *entries) {
        std::ostringstream seconds;
        seconds << std::fixed << std::setprecision(1) << std::chrono::duration<double>(entry.duration).count();
        sent += entry.sent_bytes;
        rows.push_back({local_time(entry.time), entry.application, entry.model + '@' + entry.remote,
                        (entry.prompt_tokens == 0 ? "?" : std::to_string(entry.prompt_tokens)) + " + " +
                            std::to_string(entry.generated_tokens),
                        counted(entry.sent_bytes, "byte"), counted(entry.received_bytes, "byte"), seconds.str(),
                        entry.end});
    }
    output.write(table(rows));
    output.write(counted(entries->size(), "request") + " in the last 7 days, " + counted(sent, "byte") +
                 " of prompts. Texts are not recorded.\n");
    return ExitCode::Ok;
}

struct Verb {
    std::string_view name;
    bool takes_options;
    ExitCode (*run)(const Arguments&);
    const char* usage;
};
constexpr Verb kVerbs[] = {{"add", true, &run_add, "add NAME URL --model MODEL"},
                           {"list", false, &run_list, "list"},
                           {"test", false, &run_test, "test REMOTE"},
                           {"log", false, &run_log, "log"},
                           {"remove", false, &run_remove, "remove REMOTE"}};

}  // namespace

ExitCode run_remote(const Arguments& arguments) {
    const std::string name = arguments.operands.empty() ? "list" : arguments.operands[0];
    const auto* const verb =
        std::find_if(std::begin(kVerbs), std::end(kVerbs), [&](const Verb& one) { return one.name == name; });
    if (verb == std::end(kVerbs)) {
        throw CommandError(ExitCode::Usage, "'llmctl remote' takes add, list, test, log or remove, not " +
                                                base::in_quotes(name) + "; see 'llmctl remote --help'");
    }
    if (!arguments.operands.empty()) check_operands("remote", verb->usage, arguments.operands);
    if (!verb->takes_options && !arguments.request.empty()) {
        throw CommandError(ExitCode::Usage, "'llmctl remote " + name + "' takes no " +
                                                with_option_name(arguments.request.begin()->first + ':') +
                                                " only 'add' does");
    }
    return verb->run(arguments);
}

}  // namespace llmd::client
