#include "engine/tokenizer/pre_tokenizer.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "base/utf8.h"
#include "engine/model/gguf.h"

namespace llmd::tokenizer {

using base::ErrorCode;
using base::fail;

namespace {

// Unicode's White_Space, to be used inside a character class. PCRE2's own \s also has U+180E, which lost that property
// in 2013.
#define SPACE R"(\t-\r\x{85}\p{Z})"

// In all rules `[space]+(?![^space])` leaves the last space of a run to the word that follows.
constexpr std::string_view kGpt2 =
    "'(?:[stmd]|re|ve|ll)"
    R"(| ?\p{L}+)"
    R"(| ?\p{N}+)"
    R"(| ?[^)" SPACE R"(\p{L}\p{N}]+)"
    "|[" SPACE "]+(?![^" SPACE
    "])"
    "|[" SPACE "]+";

// Each digit is a pre-token, and the text between digits is split by GPT-2's rule. For that rule a run of spaces before
// a digit is the end of the input.
constexpr std::string_view kSingleDigits =
    "'(?:[stmd]|re|ve|ll)"
    R"(| ?\p{L}+)"
    R"(|\p{N})"
    R"(| ?[^)" SPACE R"(\p{L}\p{N}]+)"
    "|[" SPACE "]+(?![^" SPACE R"(\p{N}]))"
    "|[" SPACE "]+";

#define CONTRACTION_ANY_CASE "'(?:[sStTmMdD]|[rR][eE]|[vV][eE]|[lL][lL])"
#define AFTER_NUMBERS                         \
    R"(| ?[^)" SPACE R"(\p{L}\p{N}]+[\r\n]*)" \
    "|[" SPACE R"(]*[\r\n]+)"                 \
    "|[" SPACE "]+(?![^" SPACE                \
    "])"                                      \
    "|[" SPACE "]+"

constexpr std::string_view kLlama3 = CONTRACTION_ANY_CASE R"(|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3})" AFTER_NUMBERS;
constexpr std::string_view kQwen2 = CONTRACTION_ANY_CASE R"(|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N})" AFTER_NUMBERS;

struct Rule {
    std::string_view name;
    std::string_view pattern;
    bool ignores_merges = false;
    bool adds_begin = false;
};

constexpr std::array kRules = {
    Rule{"gpt-2", kGpt2},
    Rule{"phi-2", kGpt2},
    Rule{"llama-bpe", kLlama3, true, true},
    Rule{"llama3", kLlama3, true, true},
    Rule{"llama-v3", kLlama3, true, true},
    Rule{"qwen2", kQwen2},
    Rule{"deepseek-r1-qwen", kQwen2},
    Rule{"smollm", kSingleDigits},
    Rule{"starcoder", kSingleDigits},
};

std::string known_names() {
    std::string names;
    for (const Rule& rule : kRules) names += (names.empty() ? "" : ", ") + std::string(rule.name);
    return names;
}

template <typename T, void (*free_function)(T*)>
struct Freer {
    void operator()(T* object) const { free_function(object); }
};
using Code = std::unique_ptr<pcre2_code, Freer<pcre2_code, pcre2_code_free>>;
using MatchData = std::unique_ptr<pcre2_match_data, Freer<pcre2_match_data, pcre2_match_data_free>>;
using MatchContext = std::unique_ptr<pcre2_match_context, Freer<pcre2_match_context, pcre2_match_context_free>>;

}  // namespace

struct PreTokenizer::Pattern {
    Code code;
    MatchContext context;
};

base::Result<PreTokenizer> PreTokenizer::create(std::string_view name) {
    const Rule* rule = nullptr;
    for (const Rule& known : kRules) {
        if (known.name == name) rule = &known;
    }
    if (rule == nullptr) {
        return fail(ErrorCode::ModelLoadFailed, "tokenizer.ggml.pre: unknown pre-tokenizer ", model::quoted(name),
                    "; known are ", known_names());
    }

    auto pattern = std::make_unique<Pattern>();
    int error = 0;
    PCRE2_SIZE offset = 0;
    pattern->code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(rule->pattern.data()), rule->pattern.size(),
                                      PCRE2_UTF | PCRE2_UCP | PCRE2_ANCHORED, &error, &offset, nullptr));
    if (!pattern->code) {
        return fail(ErrorCode::Failed, "pre-tokenizer ", name, ": PCRE2 error ", error, " at offset ", offset,
                    " of the pattern (built without Unicode support?)");
    }
    // The JIT is refused where memory may not become executable. The pattern is then interpreted.
    (void)pcre2_jit_compile(pattern->code.get(), PCRE2_JIT_COMPLETE);
    pattern->context.reset(pcre2_match_context_create(nullptr));
    if (!pattern->context) return fail(ErrorCode::OutOfMemory, "pre-tokenizer ", name, ": no match context");
    // The patterns need linear time and constant depth. Limits would only refuse long runs of one character.
    pcre2_set_match_limit(pattern->context.get(), std::numeric_limits<uint32_t>::max());
    pcre2_set_depth_limit(pattern->context.get(), std::numeric_limits<uint32_t>::max());
    pcre2_set_heap_limit(pattern->context.get(), std::numeric_limits<uint32_t>::max());
    return PreTokenizer(std::move(pattern), rule->ignores_merges, rule->adds_begin);
}

PreTokenizer::PreTokenizer(std::unique_ptr<Pattern> pattern, bool ignores_merges, bool adds_begin)
    : pattern_(std::move(pattern)), ignores_merges_(ignores_merges), adds_begin_(adds_begin) {}
PreTokenizer::PreTokenizer(PreTokenizer&&) noexcept = default;
PreTokenizer& PreTokenizer::operator=(PreTokenizer&&) noexcept = default;
PreTokenizer::~PreTokenizer() = default;

std::vector<std::string_view> PreTokenizer::split(std::string_view text) const {
    std::vector<std::string_view> pre_tokens;
    while (!text.empty()) {
        const size_t valid = base::valid_utf8_prefix(text);
        if (valid > 0) split_valid(text.substr(0, valid), pre_tokens);
        text.remove_prefix(valid);
        if (text.empty()) break;
        pre_tokens.push_back(text.substr(0, 1));
        text.remove_prefix(1);
    }
    return pre_tokens;
}

void PreTokenizer::split_valid(std::string_view text, std::vector<std::string_view>& pre_tokens) const {
    const MatchData match(pcre2_match_data_create(1, nullptr));
    const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
    size_t at = 0;
    while (at < text.size()) {
        int matches = PCRE2_ERROR_NOMEMORY;
        if (match) {
            for (const uint32_t options : {PCRE2_NO_UTF_CHECK, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT}) {
                matches = pcre2_match(pattern_->code.get(), subject, text.size(), at, options, match.get(),
                                      pattern_->context.get());
                // The JIT stack is small; the interpreter takes memory as it needs it.
                if (matches != PCRE2_ERROR_JIT_STACKLIMIT) break;
            }
        }
        // Each character begins a match, so only a lack of memory makes it fail. The character is then a pre-token.
        size_t end = matches > 0 ? pcre2_get_ovector_pointer(match.get())[1] : at;
        if (end <= at) end = at + base::next_utf8(text.substr(at)).length;
        pre_tokens.push_back(text.substr(at, end - at));
        at = end;
    }
}

}  // namespace llmd::tokenizer
