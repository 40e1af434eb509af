#include "base/setting_table.h"

#include <algorithm>
#include <array>

namespace llmd::base {
namespace {

constexpr std::array kRows = {
    SettingRow{
        "", "model", "a name or an absolute path; empty: the bundled model, or the only one there is",
        "the model for requests that name none; where it is empty and another is asked by name, they get the one "
        "that was asked last"},
    SettingRow{"", "backend", "`auto`, `opencl`, `cpu`",
               "which kind of device computes; `auto` takes a GPU, or the CPU where there is none"},
    SettingRow{"", "device", "part of an OpenCL platform's or device's name",
               "which OpenCL device computes; empty: the first suitable one"},
    SettingRow{"", "precision", "`faithful`, `fast`", "activations of 15 or 16 bits, or most of them of 8"},
    SettingRow{"", "chat_template",
               "the name of a [family of chat formats](models.md#chat-templates), such as `chatml`",
               "the chat format of every model; empty: as each file says"},
    SettingRow{"", "threads", "1 to 256; 0: one for each performance core", "threads of the CPU backend"},
    SettingRow{"", "context_length", "32 to 1048576; 0: the model's, at most 4096", "the longest sequence in tokens"},
    SettingRow{"", "parallel", "1 to 16; 0: 4", "how many sequences one batch holds"},
    SettingRow{"", "prefill_chunk", "1 to 512; 0: 128", "the most prompt tokens in one step"},
    SettingRow{"", "idle_unload_seconds", "1 to 31536000; 0: 300 on battery, 1800 on mains",
               "seconds without requests after which the model is unloaded"},
    SettingRow{"", "idle_exit_seconds", "1 to 31536000; 0: 600",
               "seconds without a model after which an llmd that something starts again ends itself"},
    SettingRow{"", "saved_prefix_mib", "1 to 65536; 0: off", "the size of the on-disk prefix cache"},
    SettingRow{
        "", "speculation", "`true`, `false`; absent: `true`",
        "whether the next tokens are drafted from what the text repeats and computed ahead; no text changes by it"},
    SettingRow{
        "", "bare_calls", "`true`, `false`; absent: `true`",
        "whether an answer that is a [tool call written as plain JSON](http-api.md#bare-calls) is a call, where a "
        "request does not say"},
    SettingRow{"", "log_level", "`error`, `warn`, `info`, `debug`", "how much llmd logs"},
    SettingRow{"", "max_models", "1 to 16; 0: as many as memory allows", "how many models are loaded at a time"},
    SettingRow{"", "memory_mib", "64 to 1048576; 0: what is available on the device less 384 MiB",
               "the memory that all loaded models take together, in MiB"},
    SettingRow{"", "remote_log", "`true`, `false`; absent: `true`",
               "whether llmd records who asked which remote when, and how much "
               "([security.md](security.md#how-to-see-it)); never any text"},
    SettingRow{"models", "name", "as `llmctl models` shows it; required", "which model this is for"},
    SettingRow{"models", "context_length", "as above; absent: as for all models",
               "the longest sequence of this model in tokens"},
    SettingRow{"models", "backend", "as above; absent: as for all models", "which kind of device computes this model"},
    SettingRow{"models", "chat_template", "as above; absent: as for all models", "the chat format of this model"},
    SettingRow{"models", "pinned", "`true`, `false`",
               "whether the model, once loaded, stays when nobody uses it and background requests want another; it is "
               "the last to go when memory is short, the battery is nearly empty, or other requests need its room"},
    SettingRow{"remote", "name", "1 to 32 characters `a-z 0-9 -`, the first a letter; required",
               "the name behind the `@`"},
    SettingRow{"remote", "url",
               "`https://HOST[:PORT][/PATH]`, `http://` likewise, or `unix:/PATH` of a socket; required",
               "where the machine is; a `/v1` at the end makes no difference"},
    SettingRow{"remote", "api", "`auto`, `vllm`, `llama-server`, `sglang`, `ollama`, `openai`",
               "how it is spoken to; `auto` finds out"},
    SettingRow{"remote", "models", "a list of at most 64; required",
               "the models that may be asked for. `\"big=Qwen/Qwen3-235B-A22B\"` calls the machine's model "
               "`Qwen/Qwen3-235B-A22B` `big` here, which a name with a `/` needs"},
    SettingRow{"remote", "key_file", "a path from `/` or `~/` on; empty: no key",
               "the file with the key, which only its owner may read"},
    SettingRow{"remote", "ca_file", "a path from `/` or `~/` on; empty: the system's",
               "the certificates to trust instead of the system's, for an authority of your own"},
    SettingRow{"remote", "pin", "`sha256//` and 44 characters of base64; empty: none",
               "the only public key that the machine may have"},
    SettingRow{"remote", "interface", "a network device; empty: any",
               "the only network device that is used, such as that of a VPN"},
    SettingRow{"remote", "apps", "a list; empty: nobody",
               "who may ask: `\"host\"` or `\"*\"` for all programs outside of a sandbox, `\"org.example.App\"` for a "
               "Flatpak, `\"snap:example\"` for a Snap"},
    SettingRow{"remote", "metered", "`deny`, `allow`", "whether it is used over a connection that costs"},
    SettingRow{"remote", "parallel", "1 to 16; absent: 4", "the most requests at a time"},
    SettingRow{"remote", "first_token_seconds", "1 to 3600; absent: 300", "how long the first token may take"},
    SettingRow{"remote", "resume_seconds", "0 to 3600; absent: 120",
               "how long a text that was cut waits for the machine, and how long [asking for it once "
               "more](bigger-machine.md#what-is-guaranteed) may take; 0: it is never resumed"},
};

}  // namespace

std::span<const SettingRow> setting_table() {
    return kRows;
}

std::string plain_text(std::string_view markdown) {
    std::string out;
    bool in_code = false;
    while (!markdown.empty()) {
        const char c = markdown.front();
        markdown.remove_prefix(1);
        if (c == '`') {
            in_code = !in_code;
        } else if (!in_code && c == ']' && markdown.starts_with('(')) {
            markdown.remove_prefix(std::min(markdown.find(')'), markdown.size() - 1) + 1);
        } else if (in_code || c != '[') {
            out += c;
        }
    }
    return out;
}

}  // namespace llmd::base
