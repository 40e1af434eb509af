#include "remote/upstream_json.h"

#include <simdjson.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "base/utf8.h"
#include "protocol/frame.h"

namespace llmd::remote {

namespace {

namespace dom = simdjson::dom;
using base::ErrorCode;
using base::fail;
using base::Result;

constexpr size_t kMaxDepth = 64;
constexpr size_t kMinCapacityBytes = 1024;  // the parser's smallest documents; less would be allocated again
constexpr uint32_t kMaxEmbeddingValues = 1u << 16;

// A parsed text, which `root` looks into.
class Document {
public:
    explicit Document(std::string_view text) {
        auto code = parser_.allocate(std::max(text.size(), kMinCapacityBytes), kMaxDepth);
        if (code == simdjson::SUCCESS) code = parser_.parse(text.data(), text.size()).get(root);
        ok = code == simdjson::SUCCESS;
    }
    dom::element root;
    bool ok = false;

private:
    dom::parser parser_;
};

base::Error not_json() {
    return fail(ErrorCode::InvalidArgument, "the remote's answer is not JSON");
}
base::Error lacks(std::string_view what) {
    return fail(ErrorCode::InvalidArgument, "the remote's answer has no valid '", what, "'");
}

std::optional<dom::element> member(dom::element element, std::string_view key) {
    dom::object object;
    dom::element value;
    if (element.get(object) != simdjson::SUCCESS || object.at_key(key).get(value) != simdjson::SUCCESS ||
        value.is_null()) {
        return std::nullopt;
    }
    return value;
}

std::optional<std::string_view> raw_text(dom::element element, std::string_view key) {
    const auto value = member(element, key);
    std::string_view text;
    if (!value || value->get(text) != simdjson::SUCCESS) return std::nullopt;
    return text;
}

std::string text_of(dom::element element, std::string_view key) {
    return base::to_clean_text(raw_text(element, key).value_or(""));
}

// A whole number that fits; nothing for all else.
template <typename Number>
std::optional<Number> whole_of(dom::element value) {
    int64_t number = 0;
    if (value.get(number) != simdjson::SUCCESS || number < 0 ||
        static_cast<uint64_t>(number) > static_cast<uint64_t>(std::numeric_limits<Number>::max())) {
        return std::nullopt;
    }
    return static_cast<Number>(number);
}

uint32_t count_of(dom::element element, std::string_view key) {
    const auto value = member(element, key);
    return value ? whole_of<uint32_t>(*value).value_or(0) : 0;
}

bool is_true(dom::element element, std::string_view key) {
    const auto value = member(element, key);
    bool flag = false;
    return value && value->get(flag) == simdjson::SUCCESS && flag;
}

std::optional<dom::array> array_of(dom::element element, std::string_view key) {
    const auto value = member(element, key);
    dom::array array;
    if (!value || value->get(array) != simdjson::SUCCESS) return std::nullopt;
    return array;
}

std::optional<dom::element> first_of(dom::element element, std::string_view key) {
    const auto array = array_of(element, key);
    if (!array || array->begin() == array->end()) return std::nullopt;
    return *array->begin();
}

bool read_ids(const dom::array& array, std::vector<int32_t>& ids) {
    for (const dom::element value : array) {
        const auto id = whole_of<int32_t>(value);
        if (!id || ids.size() >= protocol::kMaxArrayElements) return false;
        ids.push_back(*id);
    }
    return true;
}

// Bytes as an array of numbers.
std::optional<std::string> bytes_of(dom::element element) {
    dom::array array;
    if (element.get(array) != simdjson::SUCCESS) return std::nullopt;
    std::string bytes;
    for (const dom::element value : array) {
        const auto byte = whole_of<uint8_t>(value);
        if (!byte) return std::nullopt;
        bytes += static_cast<char>(*byte);
    }
    return bytes;
}

float logprob_of(dom::element value) {
    double number = protocol::kLeastLogprob;
    if (value.get(number) != simdjson::SUCCESS || !std::isfinite(number)) number = protocol::kLeastLogprob;
    return static_cast<float>(std::clamp<double>(number, protocol::kLeastLogprob, 0));
}

// vLLM and SGLang name a token that is no text by itself "token_id:123".
protocol::TokenLogprob named_token(std::string_view name, float logprob) {
    constexpr std::string_view kPrefix = "token_id:";
    protocol::TokenLogprob told{-1, logprob, {}};
    if (name.starts_with(kPrefix)) {
        const std::string_view digits = name.substr(kPrefix.size());
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), told.id);
        if (error == std::errc() && end == digits.data() + digits.size() && told.id >= 0) return told;
        told.id = -1;
    }
    told.bytes = base::to_clean_text(name);
    return told;
}

// {"token", "logprob", "bytes", "id"}, of which only the first two are everywhere.
protocol::TokenLogprob read_logprob(dom::element entry) {
    const auto value = member(entry, "logprob");
    protocol::TokenLogprob told =
        named_token(raw_text(entry, "token").value_or(""), value ? logprob_of(*value) : protocol::kLeastLogprob);
    if (const auto id = member(entry, "id")) told.id = whole_of<int32_t>(*id).value_or(-1);
    const auto bytes = member(entry, "bytes");
    if (auto known = bytes ? bytes_of(*bytes) : std::nullopt) told.bytes = *std::move(known);
    return told;
}

void sort_and_cut(std::vector<protocol::TokenLogprob>& top) {
    std::stable_sort(top.begin(), top.end(), [](const auto& a, const auto& b) { return a.logprob > b.logprob; });
    if (top.size() > protocol::kMaxTopLogprobs) top.resize(protocol::kMaxTopLogprobs);
}

// Chat's shape: a list of such entries with their alternatives.
void read_logprob_list(const dom::array& entries, std::vector<protocol::TokenLogprobs>& out) {
    for (const dom::element entry : entries) {
        protocol::TokenLogprobs& told = out.emplace_back();
        told.chosen = read_logprob(entry);
        if (const auto top = array_of(entry, "top_logprobs")) {
            for (const dom::element one : *top) told.top.push_back(read_logprob(one));
        }
        sort_and_cut(told.top);
    }
}

// The old shape of completions: parallel lists.
void read_logprob_columns(dom::element columns, std::vector<protocol::TokenLogprobs>& out) {
    const auto tokens = array_of(columns, "tokens");
    const auto values = array_of(columns, "token_logprobs");
    if (!tokens || !values || tokens->size() != values->size()) return;
    for (const dom::element token : *tokens) {
        std::string_view text;
        if (token.get(text) != simdjson::SUCCESS) text = {};
        out.emplace_back().chosen = named_token(text, protocol::kLeastLogprob);
    }
    size_t i = 0;
    for (const dom::element value : *values) out[i++].chosen.logprob = logprob_of(value);
    const auto tops = array_of(columns, "top_logprobs");
    if (!tops || tops->size() != out.size()) return;
    i = 0;
    for (const dom::element top : *tops) {
        dom::object object;
        protocol::TokenLogprobs& told = out[i++];
        if (top.get(object) != simdjson::SUCCESS) continue;
        for (const auto& [text, value] : object) {
            told.top.push_back(named_token(text, logprob_of(value)));
        }
        sort_and_cut(told.top);
    }
}

void read_logprobs(dom::element choice, std::vector<protocol::TokenLogprobs>& out) {
    const auto logprobs = member(choice, "logprobs");
    if (!logprobs) return;
    if (const auto content = array_of(*logprobs, "content")) {
        read_logprob_list(*content, out);
    } else {
        read_logprob_columns(*logprobs, out);
    }
}

void take_finish(std::string_view reason, AnswerEvent& event) {
    if (reason == "stop" || reason == "eos" || reason == "word") {
        event.finish = protocol::FinishReason::Stop;
    } else if (reason == "length" || reason == "limit") {
        event.finish = protocol::FinishReason::Length;
    } else {
        event.other_finish = base::to_clean_text(reason.substr(0, kMaxToldBytes));
        if (event.other_finish.empty()) event.other_finish = "none";
    }
}

void read_usage(dom::element root, AnswerEvent& event) {
    const auto usage = member(root, "usage");
    if (!usage) return;
    Counts& counts = event.counts.emplace();
    counts.prompt_tokens = count_of(*usage, "prompt_tokens");
    counts.generated_tokens = count_of(*usage, "completion_tokens");
    if (const auto details = member(*usage, "prompt_tokens_details")) {
        counts.cached_tokens = count_of(*details, "cached_tokens");
    }
}

// Their names differ; nobody writes both.
std::string thinking_of(dom::element element) {
    for (const char* key : {"reasoning_content", "reasoning", "thinking"}) {
        if (auto text = text_of(element, key); !text.empty()) return text;
    }
    return {};
}

Result<void> read_choice(Shape shape, dom::element root, AnswerEvent& event) {
    read_usage(root, event);
    const auto choices = array_of(root, "choices");
    if (!choices) return lacks("choices");
    const auto choice = first_of(root, "choices");
    if (!choice) return {};  // the chunk with the counts
    if (shape == Shape::Completion) {
        event.text = text_of(*choice, "text");
    } else if (const auto delta = member(*choice, "delta")) {
        event.text = text_of(*delta, "content");
        event.thinking = thinking_of(*delta);
    }
    const auto ids = array_of(*choice, "token_ids");
    if (ids && !read_ids(*ids, event.ids)) return lacks("token_ids");
    read_logprobs(*choice, event.logprobs);
    if (const auto reason = raw_text(*choice, "finish_reason")) take_finish(*reason, event);
    return {};
}

Result<void> read_llama_server(dom::element root, AnswerEvent& event) {
    const auto text = raw_text(root, "content");
    if (!text) return lacks("content");
    event.text = base::to_clean_text(*text);
    const auto ids = array_of(root, "tokens");
    if (ids && !read_ids(*ids, event.ids)) return lacks("tokens");
    if (const auto entries = array_of(root, "completion_probabilities")) read_logprob_list(*entries, event.logprobs);
    if (const auto n = member(root, "tokens_predicted")) event.n_generated = whole_of<uint32_t>(*n);
    const auto timings = member(root, "timings");
    if (const auto n = timings ? member(*timings, "prompt_n") : std::nullopt) event.n_computed = whole_of<uint32_t>(*n);
    if (!is_true(root, "stop")) return {};
    take_finish(raw_text(root, "stop_type").value_or(""), event);
    Counts& counts = event.counts.emplace();
    counts.prompt_tokens = count_of(root, "tokens_evaluated");
    counts.generated_tokens = event.n_generated.value_or(0);
    if (timings) counts.cached_tokens = count_of(*timings, "cache_n");
    return {};
}

Result<void> read_ollama(dom::element root, AnswerEvent& event) {
    const auto message = member(root, "message");
    const dom::element source = message.value_or(root);
    const auto text = raw_text(source, message ? "content" : "response");
    const bool is_last = is_true(root, "done");
    if (!text && !is_last) return lacks("response");
    event.text = base::to_clean_text(text.value_or(""));
    event.thinking = thinking_of(source);
    if (const auto entries = array_of(root, "logprobs")) read_logprob_list(*entries, event.logprobs);
    if (!is_last) return {};
    take_finish(raw_text(root, "done_reason").value_or(""), event);
    event.counts = Counts{count_of(root, "prompt_eval_count"), 0, count_of(root, "eval_count")};
    return {};
}

std::optional<UpstreamError> error_in(dom::element root) {
    UpstreamError error;
    const auto told = member(root, "error");
    const dom::element source = told.value_or(root);
    std::string_view text;
    if (told && told->get(text) == simdjson::SUCCESS) {  // Ollama's form
        error.message = base::to_clean_text(text);
    } else if (told || raw_text(root, "object") == "error") {
        error.message = text_of(source, "message");
        error.type = text_of(source, "type");
        error.prompt_tokens = count_of(source, "n_prompt_tokens");
        if (const auto code = member(source, "code")) {
            error.status = whole_of<int32_t>(*code).value_or(0);
            if (code->get(text) == simdjson::SUCCESS) error.type = base::to_clean_text(text);
        }
    } else if (const auto detail = raw_text(root, "detail")) {  // FastAPI's
        error.message = base::to_clean_text(*detail);
    } else {
        return std::nullopt;
    }
    error.message.resize(base::utf8_cut(error.message, kMaxToldBytes));
    error.type.resize(base::utf8_cut(error.type, kMaxToldBytes));
    // One line for logs.
    std::replace_if(
        error.message.begin(), error.message.end(), [](unsigned char c) { return c < ' ' || c == 0x7F; }, ' ');
    return error;
}

bool contains(std::string_view text, std::string_view lower_case) {
    return std::search(text.begin(), text.end(), lower_case.begin(), lower_case.end(),
                       [](unsigned char a, char b) { return std::tolower(a) == b; }) != text.end();
}

}  // namespace

Result<std::vector<ListedModel>> read_models(std::string_view body) {
    const Document document(body);
    if (!document.ok) return not_json();
    const auto data = array_of(document.root, "data");
    if (!data) return lacks("data");
    std::vector<ListedModel> models;
    for (const dom::element entry : *data) {
        if (models.size() == kMaxListedModels) break;
        ListedModel model;
        model.id = text_of(entry, "id");
        if (model.id.empty()) return lacks("data[].id");
        model.owned_by = text_of(entry, "owned_by");
        model.n_ctx = count_of(entry, "max_model_len");
        if (const auto meta = member(entry, "meta"); meta && model.n_ctx == 0) model.n_ctx = count_of(*meta, "n_ctx");
        if (const auto aliases = array_of(entry, "aliases")) {
            for (const dom::element alias : *aliases) {
                std::string_view name;
                if (alias.get(name) == simdjson::SUCCESS) model.aliases.push_back(base::to_clean_text(name));
            }
        }
        models.push_back(std::move(model));
    }
    return models;
}

std::optional<std::string> read_string(std::string_view body, std::string_view key) {
    const Document document(body);
    if (!document.ok) return std::nullopt;
    const auto text = raw_text(document.root, key);
    if (!text) return std::nullopt;
    return base::to_clean_text(*text);
}

bool has_member(std::string_view body, std::string_view key) {
    const Document document(body);
    return document.ok && member(document.root, key);
}

Result<ShownModel> read_shown_model(std::string_view body) {
    const Document document(body);
    dom::object info;
    if (!document.ok) return not_json();
    ShownModel shown;
    shown.is_elsewhere =
        !text_of(document.root, "remote_host").empty() || !text_of(document.root, "remote_model").empty();
    if (const auto value = member(document.root, "model_info"); value && value->get(info) == simdjson::SUCCESS) {
        for (const auto& [key, number] : info) {
            if (key.ends_with(".context_length")) shown.n_ctx = whole_of<uint32_t>(number).value_or(0);
        }
    }
    return shown;
}

std::optional<UpstreamError> read_error(std::string_view body) {
    const Document document(body);
    if (!document.ok) return std::nullopt;
    return error_in(document.root);
}

bool says_context_exceeded(const UpstreamError& error) {
    return contains(error.type, "exceed_context_size") || contains(error.type, "context_length_exceeded") ||
           contains(error.message, "context length") || contains(error.message, "context size") ||
           contains(error.message, "context window");
}

bool says_loading(const UpstreamError& error) {
    return contains(error.message, "loading") || contains(error.message, "starting");
}

Result<std::vector<int32_t>> read_tokens(std::string_view body) {
    const Document document(body);
    if (!document.ok) return not_json();
    const auto tokens = array_of(document.root, "tokens");
    std::vector<int32_t> ids;
    if (!tokens || !read_ids(*tokens, ids)) return lacks("tokens");
    return ids;
}

Result<UpstreamEmbedding> read_embedding(std::string_view body) {
    const Document document(body);
    if (!document.ok) return not_json();
    UpstreamEmbedding embedding;
    AnswerEvent counted;
    read_usage(document.root, counted);
    embedding.prompt_tokens =
        counted.counts ? counted.counts->prompt_tokens : count_of(document.root, "prompt_eval_count");
    dom::array values;
    const auto data = first_of(document.root, "data");
    const auto list = data ? member(*data, "embedding") : first_of(document.root, "embeddings");  // OpenAI's, Ollama's
    if (!list || list->get(values) != simdjson::SUCCESS) return lacks("embedding");
    std::vector<double> numbers;
    double squares = 0;
    for (const dom::element value : values) {
        double number = 0;
        if (value.get(number) != simdjson::SUCCESS || numbers.size() >= kMaxEmbeddingValues) {
            return lacks("embedding");
        }
        squares += number * number;
        numbers.push_back(number);
    }
    const double length = std::sqrt(squares);
    if (!std::isnormal(length)) return lacks("embedding");
    for (const double number : numbers) embedding.values.push_back(static_cast<float>(number / length));
    return embedding;
}

Result<AnswerEvent> read_event(Shape shape, std::string_view data) {
    AnswerEvent event;
    if (data == "[DONE]") {
        event.is_done = true;
        return event;
    }
    const Document document(data);
    if (!document.ok) return not_json();
    if (auto error = error_in(document.root)) {
        event.error = std::move(error);
        return event;
    }
    const auto read = shape == Shape::LlamaServer ? read_llama_server(document.root, event)
                      : shape == Shape::Ollama    ? read_ollama(document.root, event)
                                                  : read_choice(shape, document.root, event);
    if (!read) return read.error();
    return event;
}

}  // namespace llmd::remote
