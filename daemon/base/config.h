// llmd's settings: TOML files, in which every key is optional. A wrong type or a value out of range is an error that
// names file, line, key and value. An unknown key is a warning, so that a file for a newer llmd does not keep this one
// from serving.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace llmd::base {

// A [[remote]]: a bigger machine that texts may be asked of, as MODEL@NAME. None is there by default. A value that
// cannot be so refuses the whole file: a remote is never half configured.
struct RemoteSettings {
    std::string name;                    // of 1 to 32 characters a-z 0-9 - ; begins with a letter, and only one has it
    std::string url;                     // https://HOST[:PORT][/PATH], http:// as RemotePolicy allows, or unix:/PATH
    std::string api = "auto";            // auto | vllm | llama-server | sglang | ollama | openai
    std::vector<std::string> models;     // that may be asked for, never empty; "ALIAS=UPSTREAM/NAME" renames
    std::string key_file;                // absolute or from ~/; readable by its owner only; empty: no key is sent
    std::string ca_file;                 // of one's own authority; empty: the system's
    std::string pin;                     // of the public key: sha256//BASE64; empty: none
    std::string interface;               // a network device that it is reached through, and no other; empty: any
    std::vector<std::string> apps;       // who may ask: exact application ids, "host", or "*" for every host program
    std::string metered = "deny";        // deny | allow: over a connection that costs
    uint32_t parallel = 4;               // requests at a time, 1..16
    uint32_t first_token_seconds = 300;  // 1..3600
    uint32_t resume_seconds = 120;       // how long a text that was cut waits for the remote, 0..3600; 0: never resumed
};

// A [[model]]: what holds for one model in place of the settings of all.
struct ModelSettings {
    std::string name;             // from the catalogue
    uint32_t context_length = 0;  // 0 or absent: as for all; the same below
    std::string backend;
    std::string chat_template;
    bool pinned = false;  // it stays, once it is loaded, until memory is short
};

// When llmd reads the files again, `model` (for whoever names none), `idle_unload_seconds`, `idle_exit_seconds` and
// `log_level` hold from then on, the others from the next load of a model. Nothing needs a restart.
struct Config {
    std::string model;                   // default model: a catalogue name or an absolute path; empty: the bundled one
    std::string backend = "auto";        // auto | opencl | cpu
    std::string device;                  // part of an OpenCL platform's or device's name
    std::string precision = "faithful";  // faithful | fast: activations of 15 bits or, most of them, of 8
    // How a conversation becomes a prompt, where it cannot be told from the model file: the name of a chat family
    // (engine/chat/chat_family.h), for every model; empty or absent: as each file says.
    std::string chat_template;
    uint32_t threads = 0;         // 1..256; 0 or absent: one a performance core
    uint32_t context_length = 0;  // 32..2^20; 0 or absent: the model's, at most 4096
    uint32_t parallel = 0;        // sequences in one batch, 1..16; 0 or absent: 4
    uint32_t prefill_chunk = 0;   // most prompt tokens computed in one step, 1..512; 0 or absent: 128
    // Seconds without requests, 1..31536000, after which the model is unloaded; 0 or absent: 300 on battery, 1800 on
    // mains.
    uint32_t idle_unload_seconds = 0;
    // Seconds without a model, 1..31536000, after which an llmd that the bus or a socket has started, and will start
    // again, ends itself; 0 or absent: 600.
    uint32_t idle_exit_seconds = 0;
    // MiB of files with what was computed of long prompts that come again, 1..65536, which models that are loaded later
    // go on from; they hold those prompts, as token ids. 0 or absent: none, and those that are there are removed.
    uint32_t saved_prefix_mib = 0;
    std::string log_level = "info";  // error | warn | info | debug
    uint32_t max_models = 0;         // that are loaded at a time, 1..16; 0 or absent: as many as memory allows
    uint32_t memory_mib = 0;  // that all of them take together, 64..1048576; 0 or absent: decided from the device
    std::vector<RemoteSettings> remotes;
    std::vector<ModelSettings> models;
};

struct Settings {
    Config config;
    std::vector<std::string> files;     // that were read
    std::vector<std::string> warnings;  // file, line and key of what is unknown
};

// Where settings may be. The keys of a file replace those of the files before it: llmd/llmd.toml in the installation's
// data directory, for packages that know a device; in $XDG_CONFIG_DIRS (/etc/xdg), for whoever looks after the machine;
// and in $XDG_CONFIG_HOME, the user's own.
std::vector<std::string> settings_files();
// The last of settings_files().
std::string user_settings_file();
// What `files` say together. One that is absent says nothing, or is an error with `must_exist`.
Result<Settings> read_settings(const std::vector<std::string>& files, bool must_exist = false);

// The keys of Config, in its order.
std::vector<std::string> setting_names();
// The value of one, as text. InvalidArgument: there is no such key.
Result<std::string> setting_value(const Config& config, const std::string& name);
// Has the file at `path`, which is made if need be, say `value`; its other lines and comments stay. InvalidArgument
// names the key and why it cannot be so, or what is wrong with the file as it is; Failed says why it cannot be written.
Result<void> change_setting(const std::string& path, const std::string& name, const std::string& value);

// Directories of the XDG base directory specification, with their fallbacks from $HOME.
std::string xdg_config_home();
std::string xdg_data_home();
std::string xdg_cache_home();
// $XDG_RUNTIME_DIR; NotReady when it is not set.
Result<std::string> xdg_runtime_dir();

}  // namespace llmd::base
