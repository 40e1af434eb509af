// Fetches over HTTP with libcurl, from servers that may break off, stall, redirect and lie. Blocking; one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "client/pull/digest.h"
#include "client/pull/partial_file.h"

namespace llmd::client {

struct DownloadLimits {
    std::chrono::seconds connect{20};
    std::chrono::seconds stall{30};  // without a byte
    // Before an attempt that follows one without progress; then twice as long.
    std::chrono::milliseconds first_pause{1000};
    std::chrono::milliseconds longest_pause{30000};  // also of what a server asks for with Retry-After
    unsigned fruitless_attempts = 6;                 // one after another
};

struct FileRequest {
    std::string url;
    std::string token;                   // for the host of `url` alone; empty: none
    std::optional<uint64_t> size_bytes;  // the size that it must have; nothing: the one that the server says
    Digest digest;
    std::string label;  // for messages
};

class Downloader {
public:
    explicit Downloader(DownloadLimits limits = {});
    ~Downloader();
    Downloader(const Downloader&) = delete;
    Downloader& operator=(const Downloader&) = delete;

    struct Text {
        std::string body;
        std::string link_header;
    };
    // A small answer. Throws CommandError: ModelMissing (404), Refused (401, 403), Failed.
    Text get_text(const std::string& url, const std::string& token, const std::string& label);

    // Completes `partial`: asks for what follows the bytes that it has, again and again as long as some come, and
    // verifies size and hash. Throws CommandError as above; what has come stays for the next time unless it is known to
    // be wrong.
    void get_file(const FileRequest& request, PartialFile& partial, const DownloadProgress& progress);

private:
    struct Transfer;
    struct Free {
        void operator()(void* curl) const;
    };
    void prepare(const std::string& url, const std::string& token);
    void pause(unsigned fruitless, std::chrono::seconds asked) const;

    const DownloadLimits limits_;
    std::unique_ptr<void, Free> curl_;
    std::string error_;  // CURL_ERROR_SIZE bytes, where libcurl writes
};

}  // namespace llmd::client
