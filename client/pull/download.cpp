#include "client/pull/download.h"

#include <curl/curl.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <thread>
#include <utility>

#include "base/json_writer.h"
#include "client/counts.h"
#include "client/exit_code.h"
#include "client/pull/source.h"

namespace llmd::client {
namespace {

constexpr long kMaxRedirects = 5;
constexpr size_t kMaxTextBytes = 32u << 20;  // the list of kMaxRemoteFiles files takes a tenth
constexpr long kReceiveBytes = 256l << 10;
constexpr size_t kMaxToldBytes = 200;  // of a server's own words

constexpr long kOk = 200, kPartialContent = 206, kUnauthorized = 401, kForbidden = 403, kNotFound = 404, kTimeout = 408,
               kGone = 410, kRangeNotSatisfiable = 416, kTooManyRequests = 429, kFirstServerError = 500;

// A field of the last answer, which is the one behind all redirects; empty without it.
std::string header(CURL* curl, const char* name) {
    curl_header* field = nullptr;
    return curl_easy_header(curl, name, 0, CURLH_HEADER, -1, &field) == CURLHE_OK ? field->value : "";
}

// Returns the field that tells whether a file is still the same (RFC 9110, 13.1.5); empty without it.
std::string validator_of(CURL* curl) {
    std::string etag = header(curl, "ETag");
    return etag.empty() || etag.starts_with("W/") ? header(curl, "Last-Modified") : etag;
}

bool may_pass(CURLcode code) {
    switch (code) {
        case CURLE_COULDNT_RESOLVE_PROXY:
        case CURLE_COULDNT_RESOLVE_HOST:
        case CURLE_COULDNT_CONNECT:
        case CURLE_WEIRD_SERVER_REPLY:
        case CURLE_HTTP2:
        case CURLE_HTTP2_STREAM:
        case CURLE_PARTIAL_FILE:
        case CURLE_OPERATION_TIMEDOUT:
        case CURLE_SSL_CONNECT_ERROR:
        case CURLE_GOT_NOTHING:
        case CURLE_SEND_ERROR:
        case CURLE_RECV_ERROR:
            return true;
        default:
            return false;
    }
}

bool is_no_connection(CURLcode code) {
    return code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_CONNECT;
}

}  // namespace

// libcurl's callbacks work on this during one attempt.
struct Downloader::Transfer {
    CURL* curl = nullptr;
    std::string location;        // of the last redirect
    std::exception_ptr failure;  // why a callback ended the transfer
    std::function<void(std::span<const char>)> take;

    static size_t on_header(char* bytes, size_t size, size_t count, void* self) {
        auto& transfer = *static_cast<Transfer*>(self);
        const bool is_last = size * count > 0 && (bytes[0] == '\r' || bytes[0] == '\n');
        return transfer.guarded(size * count, [&] {
            if (!is_last) return;
            const std::string location = header(transfer.curl, "Location");
            if (location.empty()) return;
            const char* url = nullptr;
            curl_easy_getinfo(transfer.curl, CURLINFO_EFFECTIVE_URL, &url);
            if (url != nullptr && leads_to_foreign_http(url, location))
                throw_failed("is redirected to http, which is not encrypted");
            transfer.location = location;
        });
    }
    static size_t on_body(char* bytes, size_t size, size_t count, void* self) {
        auto& transfer = *static_cast<Transfer*>(self);
        return transfer.guarded(size * count, [&] {
            if (transfer.status() == kOk || transfer.status() == kPartialContent) transfer.take({bytes, size * count});
        });
    }
    long status() const {
        long status = 0;
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
        return status;
    }
    bool was_redirected() const {
        long count = 0;
        curl_easy_getinfo(curl, CURLINFO_REDIRECT_COUNT, &count);
        return count > 0;
    }
    std::chrono::seconds retry_after() const {
        curl_off_t seconds = 0;
        curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &seconds);
        return std::chrono::seconds(seconds);
    }

    // Exceptions do not pass through libcurl.
    template <typename Work>
    size_t guarded(size_t size, Work work) {
        try {
            work();
            return size;
        } catch (...) {
            failure = std::current_exception();
            return size + 1;  // any other number than `size` ends the transfer
        }
    }

    // After the attempt: true when it may be repeated, false when it has done its work. Throws for what would be the
    // same again.
    bool judge(CURLcode code, const std::string& error, const std::string& label, bool ever_connected) const;
};

bool Downloader::Transfer::judge(CURLcode code, const std::string& error, const std::string& label,
                                 bool ever_connected) const {
    if (failure) {
        try {
            std::rethrow_exception(failure);
        } catch (const CommandError& inner) {
            throw CommandError(inner.code(), label + ' ' + inner.what(), inner.name());
        }
    }
    const std::string why = error.c_str()[0] != 0 ? error.c_str() : curl_easy_strerror(code);
    if (code == CURLE_UNSUPPORTED_PROTOCOL) {
        throw_failed(label + (location.empty() ? ": " + why
                                               : " is redirected to " + base::in_quotes(location, kMaxToldBytes) +
                                                     ", which is not https"));
    }
    if (code == CURLE_TOO_MANY_REDIRECTS)
        throw_failed(label + " is redirected more than " + std::to_string(kMaxRedirects) + " times");
    if (is_no_connection(code) && !ever_connected) throw_failed(label + " cannot be reached: " + why);
    if (code != CURLE_OK) {
        if (!may_pass(code)) throw_failed(label + ": " + why);
        return true;
    }
    const long number = status();
    if (number == kOk || number == kPartialContent) return false;
    if (number == kTimeout || number == kTooManyRequests || number >= kFirstServerError) return true;
    // An address that was signed for a while, and no longer is: the first one makes a new one.
    if (was_redirected() && (number == kUnauthorized || number == kForbidden || number == kGone)) return true;
    std::string told = header(curl, "X-Error-Message");  // the Hub's own word
    if (!told.empty()) told = " (" + told.substr(0, kMaxToldBytes) + ')';
    const std::string answered = label + ": the server answered " + std::to_string(number) + told;
    if (number == kUnauthorized || number == kForbidden) {
        throw CommandError(ExitCode::Refused,
                           answered +
                               "; it is not there, or it takes an access token: accept its terms in a "
                               "browser, then set HF_TOKEN");
    }
    if (number == kNotFound || number == kGone) throw CommandError(ExitCode::ModelMissing, answered);
    throw_failed(answered);
}

void Downloader::Free::operator()(void* curl) const {
    curl_easy_cleanup(curl);
}

Downloader::Downloader(DownloadLimits limits)
    : limits_(limits), curl_(curl_easy_init()), error_(CURL_ERROR_SIZE, '\0') {
    if (!curl_) throw_failed("libcurl does not start");
}

Downloader::~Downloader() = default;

void Downloader::prepare(const std::string& url, const std::string& token) {
    CURL* const curl = curl_.get();
    curl_easy_reset(curl);
    std::fill(error_.begin(), error_.end(), '\0');
    const char* const protocols = is_loopback_http(url) ? "http,https" : "https";
    curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, protocols);
    curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, protocols);
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1l);
    curl_easy_setopt(curl, CURLOPT_MAXREDIRS, kMaxRedirects);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "llmctl/" LLMD_VERSION);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1l);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, error_.data());
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, static_cast<long>(limits_.connect.count()));
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1l);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, static_cast<long>(limits_.stall.count()));
    curl_easy_setopt(curl, CURLOPT_BUFFERSIZE, kReceiveBytes);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, &Transfer::on_header);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &Transfer::on_body);
    if (token.empty()) return;
    // libcurl gives it to no other host, port or protocol (CURLOPT_UNRESTRICTED_AUTH is off).
    curl_easy_setopt(curl, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
    curl_easy_setopt(curl, CURLOPT_XOAUTH2_BEARER, token.c_str());
}

void Downloader::pause(unsigned fruitless, std::chrono::seconds asked) const {
    std::chrono::milliseconds time = limits_.first_pause;
    for (unsigned i = 1; i < fruitless && time < limits_.longest_pause; ++i) time *= 2;
    std::this_thread::sleep_for(std::min(std::max<std::chrono::milliseconds>(time, asked), limits_.longest_pause));
}

Downloader::Text Downloader::get_text(const std::string& url, const std::string& token, const std::string& label) {
    for (unsigned fruitless = 1;; ++fruitless) {
        prepare(url, token);
        Text text;
        Transfer transfer{curl_.get(), {}, {}, [&](std::span<const char> bytes) {
                              if (text.body.size() + bytes.size() > kMaxTextBytes) {
                                  throw_failed("answers with more than " + size_text(kMaxTextBytes));
                              }
                              text.body.append(bytes.data(), bytes.size());
                          }};
        curl_easy_setopt(curl_.get(), CURLOPT_HEADERDATA, &transfer);
        curl_easy_setopt(curl_.get(), CURLOPT_WRITEDATA, &transfer);
        const CURLcode code = curl_easy_perform(curl_.get());
        if (!transfer.judge(code, error_, label, fruitless > 1)) {
            text.link_header = header(curl_.get(), "Link");
            return text;
        }
        if (fruitless == limits_.fruitless_attempts) {
            const long status = transfer.status();
            throw_failed(label +
                         (code != CURLE_OK ? std::string(" does not answer: ") + curl_easy_strerror(code)
                                           : ": the server answers " + std::to_string(status)) +
                         "; try again later");
        }
        pause(fruitless, transfer.retry_after());
    }
}

void Downloader::get_file(const FileRequest& request, PartialFile& partial, const DownloadProgress& progress) {
    CURL* const curl = curl_.get();
    if (request.size_bytes == 0) throw_failed(request.label + " is empty");
    Arrival arrival(partial, request.size_bytes, request.digest, progress);
    uint64_t most = arrival.have();
    unsigned fruitless = 0;
    bool ever_connected = false;
    while (!arrival.is_complete()) {
        prepare(request.url, request.token);
        bool has_begun = false;
        Transfer transfer{curl, {}, {}, {}};
        transfer.take = [&](std::span<const char> bytes) {
            if (!std::exchange(has_begun, true)) {
                curl_off_t length = -1;
                curl_easy_getinfo(curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
                const auto known = length < 0 ? std::nullopt : std::optional<uint64_t>(length);
                arrival.begin({transfer.status() == kPartialContent, known, header(curl, "Content-Range"),
                               header(curl, "Content-Type"), validator_of(curl)});
            }
            arrival.take(bytes);
        };
        curl_easy_setopt(curl, CURLOPT_HEADERDATA, &transfer);
        curl_easy_setopt(curl, CURLOPT_WRITEDATA, &transfer);
        std::unique_ptr<curl_slist, void (*)(curl_slist*)> fields(nullptr, &curl_slist_free_all);
        const std::string rest = std::to_string(arrival.have()) + '-';
        if (arrival.have() > 0) {
            curl_easy_setopt(curl, CURLOPT_RANGE, rest.c_str());
            if (const std::string validator = arrival.validator(); !validator.empty()) {
                fields.reset(curl_slist_append(nullptr, ("If-Range: " + validator).c_str()));
                curl_easy_setopt(curl, CURLOPT_HTTPHEADER, fields.get());
            }
        }
        const CURLcode code = curl_easy_perform(curl);
        ever_connected = ever_connected || !is_no_connection(code);
        if (code == CURLE_OK && transfer.status() == kRangeNotSatisfiable && arrival.have() > 0) {
            const auto range = parse_content_range(header(curl, "Content-Range"));
            if (!request.size_bytes && range && range->size == arrival.have()) break;  // all of it was there
            arrival.restart();
        } else if (!transfer.judge(code, error_, request.label, ever_connected) && has_begun && !request.size_bytes) {
            break;  // libcurl has counted what the server said
        }
        fruitless = arrival.have() > most ? 0 : fruitless + 1;
        most = std::max(most, arrival.have());
        if (fruitless == limits_.fruitless_attempts) {
            throw_failed(request.label + " stops coming after " + size_text(arrival.have()) +
                         (code != CURLE_OK ? std::string(": ") + curl_easy_strerror(code) : "") +
                         ". What has come stays; the same command goes on with it");
        }
        if (fruitless > 0) pause(fruitless, transfer.retry_after());
    }
    try {
        arrival.verify();
    } catch (const CommandError& error) {
        throw CommandError(error.code(), request.label + ' ' + error.what());
    }
}

}  // namespace llmd::client
