#include "client/llmd_client.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/config.h"
#include "base/instance_lock.h"
#include "base/places.h"
#include "client/exit_code.h"
#include "client/json_reading.h"
#include "client/session_bus.h"

namespace llmd::client {
namespace {

namespace dom = simdjson::dom;

constexpr unsigned kHttpOk = 200;
constexpr std::chrono::milliseconds kTick{200};

// An object with the options, which more members may follow. JSON has no words for some numbers.
base::JsonWriter begin_body(const Dictionary& options) {
    base::JsonWriter json;
    json.begin_object();
    for (const auto& [key, value] : options) {
        if (const auto* number = value.get<double>(); number && !std::isfinite(*number)) {
            throw CommandError(ExitCode::Usage, key + ": not a finite number", "InvalidArgument");
        }
        write_json(json.key(key), value);
    }
    return json;
}

// The body of an answer that is not 200: a line of kind Error.
StreamLine read_error(std::string body) {
    const std::vector<StreamLine> lines = StreamReader().take(body += '\n');
    if (lines.size() != 1 || lines.front().kind != StreamLine::Kind::Error) malformed("no object in \"error\"");
    return lines.front();
}

std::string body_of(HttpAnswer answer) {
    if (answer.status == kHttpOk) return std::move(answer.body);
    const StreamLine error = read_error(std::move(answer.body));
    throw CommandError(exit_code_of(error.error_name), error.message, error.error_name);
}

// The members of objects within objects are printed in this order too.
void sort_members(Value& value) {
    if (auto* array = std::get_if<Value::Array>(&value.value)) std::ranges::for_each(*array, sort_members);
    if (auto* object = std::get_if<Value::Object>(&value.value)) std::ranges::sort(*object, {}, &Value::Member::key);
}

// A text that comes as ndjson.
class SocketText final : public TextSource {
public:
    SocketText(LlmdClient client, HttpExchange exchange) : client_(std::move(client)), exchange_(std::move(exchange)) {}

    int fd() const override { return exchange_.fd(); }

    std::optional<std::vector<StreamLine>> read() override {
        const auto bytes = exchange_.read();
        if (exchange_.status() == kHttpOk) return bytes ? std::optional(reader_.take(*bytes)) : std::nullopt;
        if (!bytes) return std::vector{read_error(refusal_)};
        refusal_ += *bytes;
        if (refusal_.size() > kMaxLineBytes) malformed("an error of more than 1 MiB");
        return std::vector<StreamLine>();
    }

    Dictionary progress() override {
        Dictionary request = client_.glance_at_request();
        // The first of two equal keys stays: the request's state, not the daemon's.
        if (text_of(request, "state") == "loading") request.merge(client_.glance());
        return request;
    }

private:
    const LlmdClient client_;
    HttpExchange exchange_;
    StreamReader reader_;
    std::string refusal_;
};

// Some llmd serves this user.
bool is_running() {
    const auto folder = base::xdg_runtime_dir();
    return folder && base::is_instance_locked(*folder + "/llmd");
}

// Nothing, and `fault` says why, when nobody listens there, or has just left. An llmd that hangs is not tried twice.
std::optional<LlmdClient> client_at(const std::string& path, std::string& fault) {
    try {
        return LlmdClient(path, LlmdClient::Starts::Yes);
    } catch (const Unanswered&) {
        throw;
    } catch (const CommandError& error) {
        if (error.code() != ExitCode::Unreachable) throw;
        fault = error.what();
        return std::nullopt;
    }
}

// Asks the bus for llmd, and says what came of it.
std::string start_over_bus() {
    try {
        SessionBus().start_llmd();
    } catch (const CommandError& error) {
        return error.what();
    }
    return "org.llmd.Llmd1 is on the session bus";
}

}  // namespace

std::string socket_path() {
    const auto folder = base::xdg_runtime_dir();
    if (!folder) throw CommandError(ExitCode::Unreachable, folder.error().message, "Unreachable");
    return *folder + "/llmd/llmd.sock";
}

LlmdClient::LlmdClient(std::string path, Starts starts) : path_(std::move(path)), starts_(starts) {
    (void)body_of(fetch(path_, {"GET", "/health", {}}, kCallTimeout));
}

HttpExchange LlmdClient::exchange(const HttpRequest& request, std::optional<std::chrono::milliseconds> timeout) const {
    try {
        return HttpExchange(path_, request, timeout);
    } catch (const Unanswered&) {
        throw;
    } catch (const CommandError& error) {
        if (starts_ == Starts::No || error.code() != ExitCode::Unreachable) throw;
    }
    (void)connect_to_llmd();
    return HttpExchange(path_, request, timeout);
}

std::string LlmdClient::ask(const HttpRequest& request, std::optional<std::chrono::milliseconds> timeout) const {
    return body_of(whole_answer(exchange(request, timeout)));
}

Dictionary LlmdClient::get(const char* target, std::chrono::milliseconds timeout) const {
    const auto answer = base::parse_json(ask({"GET", target, {}}, timeout));
    const auto* object = answer ? answer->get<Value::Object>() : nullptr;
    if (!object) malformed("it is not a JSON object");
    Dictionary out;
    for (const auto& [key, value] : *object) sort_members(out.emplace(key, value).first->second);
    return out;
}

std::unique_ptr<TextSource> LlmdClient::open(base::JsonWriter body) const {
    auto begun = exchange({"POST", "/llmd/stream", body.end_object().take()});
    return std::make_unique<SocketText>(without_starting(), std::move(begun));
}

std::unique_ptr<TextSource> LlmdClient::stream(const std::string& prompt, const Dictionary& options) const {
    base::JsonWriter json = begin_body(options);
    json.key("prompt").value(prompt);
    return open(std::move(json));
}

std::unique_ptr<TextSource> LlmdClient::stream_chat(const std::vector<Dictionary>& messages,
                                                    const Dictionary& options) const {
    base::JsonWriter json = begin_body(options);
    write_json(json.key("messages"), messages);
    return open(std::move(json));
}

std::vector<Dictionary> LlmdClient::list_models() const {
    return dictionaries_of(get("/llmd/models", kCallTimeout), "models");
}

std::vector<uint32_t> LlmdClient::tokenize(const std::string& text, const Dictionary& options) const {
    Dictionary fields = options;
    fields["content"] = text;
    base::JsonWriter json;
    write_json(json, fields);
    dom::parser parser;
    const std::string body = ask({"POST", "/tokenize", json.take()}, std::nullopt);
    std::vector<uint32_t> ids;
    for (const dom::element token : array_member(parse_object(parser, body), "tokens")) {
        uint64_t id = 0;
        if (token.get_uint64().get(id) || id > UINT32_MAX) malformed("a token is not a number");
        ids.push_back(static_cast<uint32_t>(id));
    }
    return ids;
}

Embeddings LlmdClient::embed(const std::vector<std::string>& texts, const Dictionary& options) const {
    Dictionary fields = options;
    fields["inputs"] = texts;
    dom::parser parser;
    const std::string body = ask({"POST", "/llmd/embed", begin_body(fields).end_object().take()}, std::nullopt);
    const dom::object answer = parse_object(parser, body);
    Embeddings out;
    for (const dom::element numbers : array_member(answer, "embeddings")) {
        dom::array array;
        if (numbers.get_array().get(array)) malformed("an embedding is no array");
        std::vector<float>& vector = out.vectors.emplace_back();
        for (const dom::element number : array) {
            double value = 0;
            if (number.get_double().get(value)) malformed("an embedding holds what is no number");
            vector.push_back(static_cast<float>(value));
        }
    }
    copy_scalars(answer, out.info);
    copy_texts(answer, "notes", out.info);
    return out;
}

Dictionary LlmdClient::status() const {
    return get("/status", kCallTimeout);
}

Dictionary LlmdClient::glance() const {
    try {
        return without_starting().get("/status", kGlance);
    } catch (const CommandError&) {
        return {};
    }
}

Dictionary LlmdClient::glance_at_request() const {
    try {
        const auto requests = dictionaries_of(get("/llmd/requests/own", kGlance), "requests");
        return requests.empty() ? Dictionary() : requests.back();
    } catch (const CommandError&) {
        return {};
    }
}

void LlmdClient::cancel(std::string request) const {
    if (request.starts_with(kRequestPrefix)) request.erase(0, kRequestPrefix.size());
    (void)ask({"POST", "/v1/requests/" + request + "/cancel", {}}, kCallTimeout);
}

void LlmdClient::load_model(const std::string& name_or_path, const std::function<void()>& tick) const {
    base::JsonWriter json;
    json.begin_object().key("model").value(name_or_path).end_object();
    HttpExchange load = exchange({"POST", "/llmd/load", json.take()});
    pollfd answered{load.fd(), POLLIN, 0};
    // A signal, of a terminal that changes its size for example, is no answer.
    while (::poll(&answered, 1, static_cast<int>(kTick.count())) <= 0) tick();
    (void)body_of(whole_answer(std::move(load)));
}

void LlmdClient::unload_model() const {
    (void)ask({"POST", "/llmd/unload", {}}, std::nullopt);
}

std::vector<Dictionary> LlmdClient::list_requests() const {
    return dictionaries_of(get("/llmd/requests", kCallTimeout), "requests");
}

void LlmdClient::cancel_all() const {
    (void)ask({"POST", "/llmd/requests/cancel", {}}, kCallTimeout);
}

void LlmdClient::reload() const {
    (void)ask({"POST", "/llmd/reload", {}}, kCallTimeout);
}

// The directories are how systemd (sd_booted(3)) and OpenRC show themselves.
std::string start_command() {
    if (::access("/run/systemd/system", F_OK) == 0) return "systemctl --user start llmd";
    if (::access("/run/openrc", F_OK) == 0) return "rc-service -U llmd start";
    return base::find_daemon();
}

LlmdClient connect_to_llmd() {
    const std::string path = socket_path();
    std::string socket_fault;
    if (auto client = client_at(path, socket_fault)) return *client;
    const std::string bus_word = start_over_bus();
    if (auto client = client_at(path, socket_fault)) return *client;
    throw CommandError(ExitCode::Unreachable,
                       "llmd is not reached: " + bus_word + "; " + socket_fault + "; start it: " + start_command(),
                       "Unreachable");
}

void reload_if_running() {
    try {
        if (is_running()) LlmdClient(socket_path()).reload();
    } catch (const CommandError&) {  // it has gone meanwhile, and reads them when it starts
    }
}

std::optional<Dictionary> running_status() {
    try {
        // Only where somebody serves it: systemd would start llmd for whoever connects.
        if (is_running()) return LlmdClient(socket_path()).status();
    } catch (const CommandError&) {  // it has gone meanwhile
    }
    return std::nullopt;
}

std::optional<std::string> running_version() {
    const auto status = running_status();
    return status ? std::optional(text_of(*status, "version")) : std::nullopt;
}

}  // namespace llmd::client
