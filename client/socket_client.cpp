#include "client/socket_client.h"

#include <random>
#include <utility>

#include "base/config.h"
#include "client/exit_code.h"
#include "client/json_reading.h"
#include "client/openai_reader.h"
#include "client/openai_request.h"

namespace llmd::client {
namespace {

namespace dom = simdjson::dom;

constexpr unsigned kHttpOk = 200;
const std::string kSeed = "seed";
constexpr std::string_view kNoteHeader = "x-llmd-note";

// No more bits than remotes hold.
uint64_t random_seed() {
    std::random_device random;
    return random() & 0x7fff'ffffu;
}

// A text that comes as server-sent events.
class SocketText final : public TextSource {
public:
    SocketText(LlmdClient& client, HttpExchange exchange, Value seed)
        : client_(client), exchange_(std::move(exchange)), seed_(std::move(seed)) {}

    int fd() const override { return exchange_.fd(); }

    std::optional<std::vector<StreamLine>> read() override {
        const auto bytes = exchange_.read();
        if (exchange_.status() == kHttpOk) return bytes ? std::optional(with_info(reader_.take(*bytes))) : std::nullopt;
        if (!bytes) return std::vector{read_error(refusal_)};
        refusal_ += *bytes;
        if (refusal_.size() > kMaxLineBytes) malformed("an error of more than 1 MiB");
        return std::vector<StreamLine>();
    }

    // The socket tells nothing about single requests; this is what holds for all of them.
    Dictionary progress() override {
        Dictionary status = client_.glance();
        if (text_of(status, "state") == "loading") return status;
        if (number_of(status, "active") == 0) return {};
        status["state"] = number_of(status, "queued") == 0 ? "prefill" : "queued";
        return status;
    }

private:
    // What the bus has in `info` and the events have not.
    std::vector<StreamLine> with_info(std::vector<StreamLine> lines) const {
        for (StreamLine& line : lines) {
            if (line.kind != StreamLine::Kind::Done) continue;
            line.info[kSeed] = seed_;
            std::vector<std::string> notes = exchange_.headers(kNoteHeader);
            for (std::string& note : list_of(line.info, "notes")) notes.push_back(std::move(note));
            if (!notes.empty()) line.info["notes"] = notes;
        }
        return lines;
    }

    LlmdClient& client_;
    HttpExchange exchange_;
    const Value seed_;
    OpenAiStreamReader reader_;
    std::string refusal_;
};

// As ListModels has it, but for the path, which is not told here.
Dictionary model_from(const dom::object& model) {
    Dictionary out;
    copy_scalars(model, out);
    // Which a remote's model has on the bus alone.
    Dictionary named = {{"size_bytes", uint64_t{0}}, {"loaded", false}, {"default", false}};
    for (const auto& [theirs, ours] : {std::pair("id", "name"), std::pair("size", "size_bytes")}) {
        if (const auto value = out.find(theirs); value != out.end()) named[ours] = value->second;
    }
    for (const char* key : {"architecture", "quantization", "context_length", "chat_family", "loaded", "default",
                            "error", "remote", "host"}) {
        if (const auto value = out.find(key); value != out.end()) named[key] = value->second;
    }
    copy_texts(model, "guarantees", named);
    if (named.contains("error")) {
        for (const char* unknown : {"architecture", "quantization", "context_length"}) named.erase(unknown);
    }
    return named;
}

}  // namespace

std::string socket_path() {
    const auto folder = base::xdg_runtime_dir();
    if (!folder) throw CommandError(ExitCode::Unreachable, folder.error().message, "Unreachable");
    return *folder + "/llmd/llmd.sock";
}

SocketClient::SocketClient(std::string path, std::string why_no_bus)
    : path_(std::move(path)), why_no_bus_(std::move(why_no_bus)) {
    (void)ask({"GET", "/health", {}}, kCallTimeout);
}

std::string SocketClient::ask(const HttpRequest& request, std::optional<std::chrono::milliseconds> timeout) const {
    HttpAnswer answer = fetch(path_, request, timeout);
    if (answer.status == kHttpOk) return std::move(answer.body);
    const StreamLine error = read_error(answer.body);
    throw CommandError(exit_code_of(error.error_name), error.message, error.error_name);
}

std::unique_ptr<TextSource> SocketClient::open(const HttpRequest& request, const Dictionary& options) {
    return std::make_unique<SocketText>(*this, HttpExchange(path_, request), options.at(kSeed));
}

// The socket does not tell the seed that llmd chose, so it is chosen here.
std::unique_ptr<TextSource> SocketClient::stream(const std::string& prompt, const Dictionary& options) {
    Dictionary seeded = options;
    seeded.try_emplace(kSeed, random_seed());
    return open(completion_request(prompt, seeded), seeded);
}

std::unique_ptr<TextSource> SocketClient::stream_chat(const std::vector<Dictionary>& messages,
                                                      const Dictionary& options) {
    Dictionary seeded = options;
    seeded.try_emplace(kSeed, random_seed());
    return open(chat_request(messages, seeded), seeded);
}

std::vector<Dictionary> SocketClient::list_models() {
    dom::parser parser;
    const std::string body = ask({"GET", "/v1/models", {}}, kCallTimeout);
    std::vector<Dictionary> models;
    for (const dom::element model : array_member(parse_object(parser, body), "data")) {
        dom::object object;
        if (model.get_object().get(object)) malformed("a model is not an object");
        models.push_back(model_from(object));
    }
    return models;
}

std::vector<uint32_t> SocketClient::tokenize(const std::string& text, const Dictionary& options) {
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

Embeddings SocketClient::embed(const std::vector<std::string>& texts, const Dictionary& options) {
    return read_embeddings(ask(embeddings_request(texts, options), std::nullopt));
}

Dictionary SocketClient::ask_status(std::chrono::milliseconds timeout) const {
    const auto status = base::parse_json(ask({"GET", "/status", {}}, timeout));
    const auto* object = status ? status->get<Value::Object>() : nullptr;
    if (!object) malformed("the status is no object");
    Dictionary out;
    for (const auto& [key, value] : *object) out.emplace(key, value);
    return out;
}

Dictionary SocketClient::status() {
    return ask_status(kCallTimeout);
}

Dictionary SocketClient::glance() {
    try {
        return ask_status(kGlance);
    } catch (const CommandError&) {
        return {};
    }
}

void SocketClient::cancel(const std::string& request) {
    (void)ask({"POST", "/v1/requests/" + request + "/cancel", {}}, kCallTimeout);
}

void SocketClient::load_model(const std::string&, const std::function<void()>&) {
    not_offered("a model is loaded on demand alone");
}

void SocketClient::unload_model() {
    not_offered("models cannot be unloaded");
}

std::vector<Dictionary> SocketClient::list_requests() {
    not_offered("requests are not listed");
}

void SocketClient::cancel_all() {
    not_offered("requests can be cancelled one by one only");
}

void SocketClient::not_offered(const std::string& what) const {
    throw CommandError(ExitCode::Failed,
                       "over the socket, the only way to llmd here, " + what + " (" + why_no_bus_ + ")");
}

}  // namespace llmd::client
