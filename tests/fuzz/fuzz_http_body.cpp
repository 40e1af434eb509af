// Hostile bodies of HTTP requests: whatever a parser accepts must be inside every limit, whatever it refuses must be
// InvalidArgument with one clean line that names what is wrong; and JSON that is read can be written and read again.
// Input: one byte that chooses the parser, then the body. The kept inputs have the parser's number itself there, so
// that they stay its own when a dialect is added at the end.
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "api/fields.h"
#include "base/utf8.h"
#include "base/value.h"
#include "http/tokenizer_body.h"

namespace {

using namespace llmd::http;

void require(bool condition) {
    if (!condition) __builtin_trap();
}

void check_refusal(const llmd::base::Error& error) {
    require(error.code == llmd::base::ErrorCode::InvalidArgument);
    require(llmd::base::is_clean_text(error.message));
    for (const char c : error.message) require(static_cast<unsigned char>(c) >= 0x20);
    require(error.message.find(": ") != std::string::npos);
}

// Prompts in all fit into a body, which is not more than the service takes. The service alone compares the least number
// of tokens with the most, because that may be a default, and bounds the name of a chosen tool.
void check_accepted(const llmd::service::GenerateRequest& request) {
    const auto checked = llmd::service::check(request);
    if (checked) return;
    const bool is_name = request.tool_name.size() > llmd::service::RequestLimits::kMaxToolNameBytes;
    require(is_name || request.sampling.min_tokens > request.max_tokens);
    require(checked.error().message.starts_with(is_name ? "tool_choice: " : "min_tokens: "));
    check_refusal(checked.error());
}

void check(llmd::base::Result<llmd::api::Call> call) {
    if (!call) return check_refusal(call.error());
    const auto requests = choices_of(*call);
    require(!requests.empty() && requests.size() <= llmd::service::RequestLimits::kMaxAnswers);
    for (const auto& request : requests) check_accepted(request);
}

void check(const llmd::base::Result<TokenizeBody>& body) {
    body ? require(llmd::base::valid_utf8_prefix(body->content) == body->content.size()) : check_refusal(body.error());
}

void check(const llmd::base::Result<DetokenizeBody>& body) {
    if (!body) return check_refusal(body.error());
    for (const int32_t token : body->tokens) require(token >= 0);
}

void check_json(std::string_view text) {
    const auto value = llmd::base::parse_json(text);
    if (!value) return check_refusal(value.error());
    require(llmd::base::parse_json(llmd::base::json_text(*value)).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace llmd::api;
    constexpr Dialect kDialects[] = {kCompletion,       kChat,       kOllamaGenerate,
                                     kOllamaChat,       kEmbeddings, kOllamaEmbed,
                                     kOllamaEmbeddings, kResponses,  kAnthropic};
    constexpr size_t kOthers = 2;
    if (size == 0) return 0;
    const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
    check_json(body);
    const size_t parser = data[0] % (kOthers + std::size(kDialects));
    if (parser == 0) {
        check(parse_tokenize(body));
    } else if (parser == 1) {
        check(parse_detokenize(body));
    } else {
        check(read_call(body, kDialects[parser - kOthers]));
    }
    return 0;
}
