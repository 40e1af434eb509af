// A [[remote]] of the settings: a bigger machine that texts may be asked of, as MODEL@NAME, and what its keys may say.
// Pure functions without any look-up, so that neither reading nor checking contacts anybody; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace llmd::base {

inline constexpr size_t kMaxRemotes = 16;
inline constexpr size_t kMaxRemoteModels = 64;  // of one remote
inline constexpr size_t kMaxRemoteApps = 64;    // of one remote
inline constexpr size_t kMaxRemoteNameBytes = 32;
inline constexpr size_t kMaxRemoteModelBytes = 256;  // of an entry of `models`
inline constexpr size_t kMaxRemoteUrlBytes = 2048;

// None is there by default. A value that cannot be so refuses the whole file: a remote is never half configured.
struct RemoteSettings {
    std::string name;                    // of 1 to 32 characters a-z 0-9 - ; begins with a letter, and only one has it
    std::string url;                     // as parse_remote_url() reads it
    std::string api = "auto";            // auto | vllm | llama-server | sglang | ollama | openai
    std::vector<std::string> models;     // those that may be asked for, never empty; "ALIAS=UPSTREAM/NAME" renames
    std::string key_file;                // an absolute path; readable by its owner only; empty: no key is sent
    std::string ca_file;                 // of one's own authority, an absolute path; empty: the system's
    std::string pin;                     // of the public key: sha256//BASE64; empty: none
    std::string interface;               // a network device that it is reached through, and no other; empty: any
    std::vector<std::string> apps;       // who may ask, see is_remote_app(); empty: nobody
    std::string metered = "deny";        // deny | allow: over a connection that costs
    uint32_t parallel = 4;               // requests at a time, 1..16
    uint32_t first_token_seconds = 300;  // 1..3600
    uint32_t resume_seconds = 120;       // how long a text that was cut waits for the remote, 0..3600; 0: never resumed

    bool operator==(const RemoteSettings&) const = default;
};

// RemoteSettings::api may name one of these, beside "auto". The members say what the servers of that API do for every
// text.
struct RemoteApi {
    std::string_view name;
    bool takes_ids;       // and gives them: a text that was cut goes on from its tokens
    bool has_cache_salt;  // no application's prefix cache serves another one
};
inline constexpr std::array<RemoteApi, 5> kRemoteApis = {{
    {"vllm", true, true},
    {"llama-server", true, false},
    {"sglang", true, false},
    {"ollama", false, false},
    {"openai", false, false},
}};

// A fault of a remote: the key and why it is wrong, without file and line.
struct RemoteFault {
    std::string_view key;
    std::string what;
};
// The first fault in what has the right types and ranges already; nothing when there is none. Never quotes what may be
// a secret in the wrong place: no more of an address than its host or port, and no file that holds a key.
std::optional<RemoteFault> fault_in(const RemoteSettings& remote);

// An entry of RemoteSettings::models.
struct RemoteModel {
    std::string name;      // MODEL in MODEL@REMOTE
    std::string upstream;  // its name at the remote
};
RemoteModel remote_model(std::string_view entry);

struct RemoteUrl {
    enum class Scheme : uint8_t { Https, Http, Unix };
    Scheme scheme = Scheme::Https;
    std::string host;   // a name, or an address, of version 6 without its brackets; empty for Unix
    uint16_t port = 0;  // 0 for Unix
    // The path of the socket; else empty or from '/' on, without one at its end and without the /v1 that other clients
    // want there and that all requests add.
    std::string path;
};
// https://HOST[:PORT][/PATH], http:// likewise, or unix:/PATH of a socket. No user, password, query or fragment.
// InvalidArgument without the key.
Result<RemoteUrl> parse_remote_url(std::string_view url);
// For people: "HOST:PORT", or "unix:/PATH".
std::string address_of(const RemoteUrl& url);
// "localhost", 127.0.0.0/8 and ::1: what never leaves this device.
bool is_loopback(const RemoteUrl& url);

// An entry of RemoteSettings::apps:
//   "host" or "*"          every program outside of a sandbox, which are one
//   "org.example.App"      the Flatpak of exactly this id; also as llmd shows it, "flatpak:org.example.App"
//   "snap:example"         the Snap of exactly this name
// There is no wildcard for applications in a sandbox.
bool is_remote_app(std::string_view text);

// A model of this device or of a remote may have this name, which is also a file's: no '/', no '.' at its beginning,
// one line of clean text (base/utf8.h).
bool is_model_name(std::string_view name);
// Likewise of a model of this device alone: without '@', for MODEL@REMOTE is a remote's.
bool is_local_model_name(std::string_view name);

}  // namespace llmd::base
