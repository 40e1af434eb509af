// `llmctl show`: what is known of a model, without loading it and without a daemon.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <sstream>

#include "base/config.h"
#include "base/model_files.h"
#include "base/places.h"
#include "base/utf8.h"
#include "client/commands.h"
#include "client/counts.h"
#include "client/model_folder.h"
#include "client/output.h"
#include "client/settings.h"
#include "supervisor/model_catalogue.h"

namespace llmd::client {
namespace {

constexpr size_t kShownIndent = 12;  // where values begin

std::string file_of(const std::string& name) {
    std::error_code ignored;
    if (name.find('/') != std::string::npos) {
        if (std::filesystem::is_regular_file(name, ignored)) return std::filesystem::absolute(name).string();
        no_such_model(name);
    }
    for (const std::string& folder : base::model_folders()) {
        if (auto path = base::find_model(folder, name)) return *std::move(path);
    }
    no_such_model(name);
}

// "134.5 million parameters"
std::string parameters_text(uint64_t count) {
    constexpr double kMillion = 1e6;
    constexpr double kThousandMillion = 1e9;
    std::ostringstream out;
    out << std::fixed << std::setprecision(1);
    const auto number = static_cast<double>(count);
    number >= kThousandMillion ? out << number / kThousandMillion << " billion"
                               : out << number / kMillion << " million";
    out << " parameters";
    return out.str();
}

// Says what is known of the model's chat template.
std::string template_text(const protocol::Inspection& model) {
    if (model.chat_family == protocol::kNoChatTemplate) {
        return "none; conversations are written as \"User: \" and \"Assistant: \", unless the setting chat_template "
               "names a "
               "form";
    }
    if (model.chat_family.empty()) {
        return "not recognised; conversations are refused, unless the setting chat_template names their form";
    }
    return model.chat_family + ", recognised";
}

class Lines {
public:
    void add(const std::string& name, const std::string& told) {
        if (told.empty()) return;
        const std::string value = base::shown(told);
        std::string label = name;
        label.resize(kShownIndent, ' ');
        output_.write(label, TextOutput::Style::Dim);
        output_.write((is_terminal_ ? wrap(value, kShownIndent, columns_) : value) + '\n');
    }

private:
    TextOutput output_{STDOUT_FILENO};  // a file chooses some of these words
    const bool is_terminal_ = ::isatty(STDOUT_FILENO) == 1;
    const size_t columns_ = readable_columns(STDOUT_FILENO);
};

// "Q5_0, a file of Q4_K_M": most are of the first type, the mixture is called so.
std::string weights_text(const protocol::Inspection& model) {
    const bool tells_more = !model.file_type.empty() && model.file_type != model.quantization;
    return model.quantization + (tells_more ? ", a file of " + model.file_type : "");
}

ExitCode show_remote(const std::string& name, const base::RemoteSettings& remote, const std::string& upstream,
                     bool json) {
    const auto url = base::parse_remote_url(remote.url);
    const std::string address = url ? base::address_of(*url) : remote.url;
    if (json) {
        print_json(Dictionary{{"name", name}, {"remote", remote.name}, {"host", address}, {"upstream", upstream}});
        return ExitCode::Ok;
    }
    Lines lines;
    lines.add("Name", name);
    lines.add("Remote", remote.name + " (" + address + "), which calls it " + upstream);
    lines.add("Who may ask", remote.apps.empty() ? "nobody; 'llmctl remote add --help' says who can be let"
                                                 : base::listed(remote.apps));
    return ExitCode::Ok;
}

}  // namespace

ExitCode run_show(const Arguments& arguments) {
    const std::string& name = arguments.operands[0];
    const auto settings = base::read_settings(base::settings_files());
    const size_t at = name.find('/') == std::string::npos ? name.rfind('@') : std::string::npos;
    if (at != std::string::npos) {
        if (!settings) throw CommandError(ExitCode::Failed, settings.error().message);
        for (const base::RemoteSettings& remote : settings->config.remotes) {
            for (const std::string& entry : remote.models) {
                const base::RemoteModel model = base::remote_model(entry);
                if (model.name + '@' + remote.name == name) {
                    return show_remote(name, remote, model.upstream, arguments.json);
                }
            }
        }
        no_such_model(name);
    }
    const std::string path = file_of(name);
    const protocol::Inspection model = inspect_model(base::find_engine(), path);
    const auto identity = supervisor::file_identity(path);
    const uint64_t size = identity ? identity->size : 0;
    uint64_t context = std::min(model.n_ctx_train, base::kUsualContext);
    if (settings && settings->config.context_length != 0) context = settings->config.context_length;
    if (arguments.json) {
        print_json(Dictionary{{"name", name},
                              {"path", path},
                              {"size_bytes", size},
                              {"architecture", model.architecture},
                              {"quantization", model.quantization},
                              {"file_type", model.file_type},
                              {"parameters", model.n_parameters},
                              {"layers", uint64_t{model.n_layers}},
                              {"embedding_length", uint64_t{model.n_embd}},
                              {"vocabulary", uint64_t{model.n_vocab}},
                              {"context_length", uint64_t{model.n_ctx_train}},
                              {"weight_bytes", model.weight_bytes},
                              {"kv_bytes_per_token", model.kv_bytes_per_token},
                              {"window_bytes_per_token", model.window_bytes_per_token},
                              {"window_tokens", uint64_t{model.window_tokens}},
                              {"chat_family", model.chat_family},
                              {"chats", model.chats},
                              {"thinks", model.thinks},
                              {"embeds", model.embeds},
                              {"keys_read", model.keys_read},
                              {"keys_harmless", model.keys_harmless},
                              {"digest", model.digest}});
        return ExitCode::Ok;
    }
    Lines lines;
    lines.add("Name", name);
    lines.add("File", path + (identity ? ", " + size_text(size) : ""));
    lines.add("Model", model.architecture + ", " + parameters_text(model.n_parameters) + " in " +
                           counted(model.n_layers, "layer") + ", weights " + weights_text(model));
    lines.add("Context", "up to " + counted(model.n_ctx_train, "token"));
    lines.add("Memory", size_text(model.weight_bytes) + " weights, " +
                            size_text(supervisor::context_bytes(supervisor::context_size(model), context)) +
                            " for a context of " + counted(context, "token"));
    const char* what = model.embeds ? "embeddings" : model.chats ? "texts, conversations and calls of tools" : "texts";
    if (!model.embeds) lines.add("Template", template_text(model));
    lines.add("For", std::string(what) + (model.thinks ? "; it thinks before it answers" : ""));
    lines.add("Keys", "read: " + base::listed(model.keys_read));
    lines.add("", model.keys_harmless.empty() ? "" : "harmless here: " + base::listed(model.keys_harmless));
    const bool is_default = settings && settings->config.model == name;
    if (is_default) lines.add("Default", "for whoever names no model");
    const char* try_it = model.embeds  ? "llmctl embed --model "
                         : model.chats ? "llmctl chat --model "
                                       : "llmctl generate --model ";
    if (name.find('/') == std::string::npos) lines.add("Try it", try_it + name);
    return ExitCode::Ok;
}

}  // namespace llmd::client
