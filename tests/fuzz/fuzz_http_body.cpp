// Hostile bodies of HTTP requests: whatever a parser accepts must be inside every limit, whatever it refuses must be
// InvalidArgument with one clean line that names what is wrong; and JSON that is read can be written and read again.
// Input: one byte that chooses the parser, then the body.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "base/value.h"
#include "http/embeddings_body.h"
#include "http/ollama_body.h"
#include "http/openai_body.h"
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

// Prompts in all fit into a body, which is not more than the service takes.
void check_accepted(const llmd::service::GenerateRequest& request) {
    require(llmd::service::check(request).has_value());
}

void check(const llmd::base::Result<OpenAiCall>& call) {
    if (!call) return check_refusal(call.error());
    require(!call->requests.empty() && call->requests.size() <= kMaxChoices);
    require(call->n_per_prompt > 0 && call->requests.size() % call->n_per_prompt == 0);
    for (const auto& request : call->requests) check_accepted(request);
}

void check(const llmd::base::Result<OllamaCall>& call) {
    call ? check_accepted(call->request) : check_refusal(call.error());
}

void check(const llmd::base::Result<EmbeddingsCall>& call) {
    if (!call) return check_refusal(call.error());
    require(!call->request.inputs.empty());
    check_accepted(call->request);
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
    constexpr size_t kParsers = 9;
    if (size == 0) return 0;
    const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
    check_json(body);
    switch (data[0] % kParsers) {
        case 0:
            check(parse_completion(body));
            break;
        case 1:
            check(parse_chat_completion(body));
            break;
        case 2:
            check(parse_ollama_generate(body));
            break;
        case 3:
            check(parse_ollama_chat(body));
            break;
        case 4:
            check(parse_tokenize(body));
            break;
        case 5:
            check(parse_detokenize(body));
            break;
        case 6:
            check(parse_embeddings(body));
            break;
        case 7:
            check(parse_ollama_embed(body));
            break;
        default:
            check(parse_ollama_embeddings(body));
    }
    return 0;
}
