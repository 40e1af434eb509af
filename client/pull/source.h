// The source that `llmctl pull` is asked for. Pure.
#pragma once

#include <string>
#include <variant>

namespace llmd::client {

// A file of a repository on the Hugging Face Hub.
struct HubSource {
    std::string repository;         // OWNER/REPO
    std::string file;               // its path in the repository; empty: the one that suits the device
    std::string quantization;       // "Q4_K_M"; empty: any
    std::string revision = "main";  // a branch, a tag or a commit
};

// Any other file, whose hash nobody gives.
struct WebSource {
    std::string url;
    std::string file_name;
};

using PullSource = std::variant<HubSource, WebSource>;

// Reads "hf:OWNER/REPO[/FILE][:QUANTIZATION][@REVISION]", the address of a file or repository on huggingface.co as a
// browser shows it, which means the same, or another https address that ends in a file's name. http is for this machine
// alone. Throws CommandError(Usage) naming the text.
PullSource parse_source(const std::string& text);

// `text` with everything percent-encoded but what RFC 3986 calls unreserved, and '/' if `is_path`.
std::string percent_encode(const std::string& text, bool is_path);

// Is `url` http on this machine, by name or address?
bool is_loopback_http(const std::string& url);

// Does a redirect from `url` to `location`, which may be relative, lead to http on another machine?
bool leads_to_foreign_http(const std::string& url, const std::string& location);

}  // namespace llmd::client
