// llmd's settings: TOML files, in which every key is optional. A wrong type or a value out of range is an error that
// names file, line, table, key and value. An unknown key is a warning, so that a file for a newer llmd does not keep
// this one from serving; but in a [[remote]] it is an error, for a misspelt `pin` must not be as good as none.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/remote_settings.h"
#include "base/result.h"

namespace llmd::base {

inline constexpr size_t kMaxModelSettings = 256;

// A [[models]]: what holds for one model in place of the settings of all. Not [[model]], for TOML does not let a table
// have the name of the key `model`.
struct ModelSettings {
    std::string name;             // from the catalogue, is_model_name(), without '@'; only one has it
    uint32_t context_length = 0;  // 0 or absent: as for all; the same below
    std::string backend;
    std::string chat_template;
    bool pinned = false;  // it stays, once it is loaded, until memory is short

    bool operator==(const ModelSettings&) const = default;
};

// The longest context that an engine takes by itself, in tokens.
inline constexpr uint32_t kUsualContext = 4096;

// When llmd reads the files again, `model` (for whoever names none), `idle_unload_seconds`, `idle_exit_seconds`,
// `bare_calls`, `log_level` and `remote_log` hold from then on, remotes from the next request of one, the others from
// the next load of a model. Nothing needs a restart.
struct Config {
    // Default model: a name from the catalogue or an absolute path, never MODEL@REMOTE; empty: the bundled one.
    std::string model;
    std::string backend = "auto";        // auto | opencl | cpu
    std::string device;                  // part of an OpenCL platform's or device's name
    std::string precision = "faithful";  // faithful | fast: activations of 15 bits or, most of them, of 8
    // How a conversation becomes a prompt, where the model file does not say it: the name of a chat family
    // (engine/chat/chat_family.h), for every model; empty or absent: as each file says.
    std::string chat_template;
    uint32_t threads = 0;         // 1..256; 0 or absent: one a performance core
    uint32_t context_length = 0;  // 32..2^20; 0 or absent: the model's, at most kUsualContext
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
    bool speculation = true;  // whether tokens are drafted and computed ahead, which changes no text
    // Whether an answer that is nothing but a call, as plain JSON, is one (constraint::BareCalls), where a request
    // leaves it open.
    bool bare_calls = true;
    std::string log_level = "info";  // error | warn | info | debug
    uint32_t max_models = 0;         // the most at a time, 1..16; 0 or absent: as many as memory allows
    uint32_t memory_mib = 0;         // for all of them together, 64..1048576; 0 or absent: decided from the device
    bool remote_log = true;          // whether it is recorded who asked which remote when, and how much; never any text
    std::vector<RemoteSettings> remotes;
    std::vector<ModelSettings> models;

    // Returns the settings of a model of this device: its own, and those of all where it has none. Without its name.
    ModelSettings of(std::string_view name) const;
};

struct Settings {
    Config config;
    std::vector<std::string> files;     // the files that were read
    std::vector<std::string> warnings;  // file, line and key of what is unknown
    // The files that say a key of Config, "remote NAME" or "models NAME", in the order in which they are read: the last
    // one holds.
    std::map<std::string, std::vector<std::string>> said_by;
};

// Where settings may be. The keys of a file replace those of the files before it, and its [[remote]] or [[models]]
// the whole one of the same name: nothing of a remote comes from another file than the rest of it. They are:
// llmd/llmd.toml in the installation's data directory, for packages that know a device; in $XDG_CONFIG_DIRS (/etc/xdg),
// for whoever looks after the machine; in $XDG_CONFIG_HOME, the user's own; and in llmd.toml.d beside that, in the
// order of their names, what programs have written for the user.
std::vector<std::string> settings_files();
// The user's own.
std::string user_settings_file();
// The file that llmctl writes: llmd.toml.d/50-llmctl.toml beside it.
std::string written_settings_file();
// A file of llmd.toml.d that is read: its name ends in .toml and begins with no '.'.
bool is_written_file(const std::string& path);
// A line for each key that the user's own file says and a file of llmd.toml.d overrides: "threads in FILE: FILE goes
// before it".
std::vector<std::string> overridden_keys(const Settings& settings);
// Returns what `files` say together. One that is absent says nothing, or is an error with `must_exist`.
Result<Settings> read_settings(const std::vector<std::string>& files, bool must_exist = false);

// The keys of Config that have one value, in its order.
std::vector<std::string> setting_names();
// The value of one, as text: of a switch "true" or "false". InvalidArgument: there is no such key.
Result<std::string> setting_value(const Config& config, const std::string& name);
// The next four rewrite the file at `path`, which llmctl alone writes (written_settings_file()): what it says, with
// this change; one that says nothing is removed. InvalidArgument names the key and why it cannot be so, or what is
// wrong with the file as it is; Failed says why it cannot be written.
Result<void> change_setting(const std::string& path, const std::string& name, const std::string& value);
// NotFound: the file does not say it.
Result<void> unset_setting(const std::string& path, const std::string& name);
// InvalidArgument also where the file has a remote of the name.
Result<void> add_remote(const std::string& path, const RemoteSettings& remote);
// NotFound: it has none of that name.
Result<void> remove_remote(const std::string& path, const std::string& name);

// `path` with the home directory for "~" in "~/" at its beginning; and the other way round.
std::string in_home(const std::string& path);
std::string below_home(const std::string& path);
// Directories of the XDG base directory specification, with their fallbacks from $HOME.
std::string xdg_config_home();
std::string xdg_data_home();
std::string xdg_cache_home();
std::string xdg_state_home();
// $XDG_RUNTIME_DIR; NotReady when it is not set.
Result<std::string> xdg_runtime_dir();

}  // namespace llmd::base
