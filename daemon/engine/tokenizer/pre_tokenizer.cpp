#include "engine/tokenizer/pre_tokenizer.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>
#include <limits>
#include <memory>
#include <optional>
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
#define SPACES                 \
    "|[" SPACE R"(]*[\r\n]+)"  \
    "|[" SPACE "]+(?![^" SPACE \
    "])"                       \
    "|[" SPACE "]+"
#define AFTER_NUMBERS R"(| ?[^)" SPACE R"(\p{L}\p{N}]+[\r\n]*)" SPACES

constexpr std::string_view kLlama3 = CONTRACTION_ANY_CASE R"(|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3})" AFTER_NUMBERS;
constexpr std::string_view kQwen2 = CONTRACTION_ANY_CASE R"(|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N})" AFTER_NUMBERS;
// Marks belong to words.
constexpr std::string_view kQwen35 = CONTRACTION_ANY_CASE R"(|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N})"
                                                          R"(| ?[^)" SPACE R"(\p{L}\p{M}\p{N}]+[\r\n]*)" SPACES;
constexpr std::string_view kMiniCpm5 = CONTRACTION_ANY_CASE R"(|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}+)" AFTER_NUMBERS;

// Words end where lower case is followed by upper case; `contraction` may end them.
#define UPPER R"(\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M})"
#define LOWER R"(\p{Ll}\p{Lm}\p{Lo}\p{M})"
#define CASED_WORDS(contraction)                                                                            \
    R"([^\r\n\p{L}\p{N}]?[)" UPPER "]*[" LOWER "]+" contraction R"(|[^\r\n\p{L}\p{N}]?[)" UPPER "]+[" LOWER \
    "]*" contraction
#define AFTER_CASED_NUMBERS R"(| ?[^)" SPACE R"(\p{L}\p{N}]+[\r\n/]*)" SPACES
constexpr std::string_view kGpt4o = CASED_WORDS("(?:" CONTRACTION_ANY_CASE ")?") R"(|\p{N}{1,3})" AFTER_CASED_NUMBERS;
constexpr std::string_view kTekken = CASED_WORDS("") R"(|\p{N})" AFTER_CASED_NUMBERS;

// Numbers and runs of Chinese characters and kana are split off first.
constexpr std::string_view kThreeDigits = R"(\p{N}{1,3})";
constexpr std::string_view kChineseAndKana = R"([\x{4e00}-\x{9fa5}\x{3040}-\x{30ff}]+)";
constexpr std::string_view kDeepSeek3 = R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+)"
                                        R"(|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+)"
                                        R"(| ?[\p{P}\p{S}]+[\r\n]*)" SPACES;

struct Rule {
    std::string_view name;
    std::string_view pattern;
    bool ignores_merges = false;
    bool adds_begin = false;
    // A match of these anywhere is a pre-token by itself; `pattern` splits the text between as if it were alone.
    std::array<std::string_view, 2> isolated = {};
};

constexpr std::array kRules = {
    Rule{"gpt-2", kGpt2},
    Rule{"phi-2", kGpt2},
    Rule{"exaone4", kGpt2},
    Rule{"olmo", kGpt2},
    Rule{"llama-bpe", kLlama3, true, true},
    Rule{"llama3", kLlama3, true, true},
    Rule{"llama-v3", kLlama3, true, true},
    Rule{"falcon3", kLlama3, true, true},
    Rule{"lfm2", kLlama3, true, true},
    Rule{"pixtral", kLlama3, true, true},
    Rule{"dbrx", kLlama3},
    Rule{"smaug-bpe", kLlama3},
    Rule{"qwen2", kQwen2},
    Rule{"deepseek-r1-qwen", kQwen2},
    Rule{"hunyuan", kQwen2},
    Rule{"stablelm2", kQwen2},
    Rule{"qwen35", kQwen35},
    Rule{"smollm", kSingleDigits},
    Rule{"starcoder", kSingleDigits},
    Rule{"refact", kSingleDigits},
    Rule{"command-r", kSingleDigits},
    Rule{"exaone", kSingleDigits},
    Rule{"gpt-4o", kGpt4o},
    Rule{"tekken", kTekken, true, true},
    Rule{"deepseek-v3", kDeepSeek3, false, false, {kThreeDigits, kChineseAndKana}},
    Rule{"hunyuan-dense", kDeepSeek3, false, false, {kThreeDigits, kChineseAndKana}},
    Rule{"minicpm5", kMiniCpm5, false, false, {kThreeDigits}},
};

std::string known_names() {
    return base::listed(kRules, &Rule::name);
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
    std::vector<Code> isolated;
    Code code;
    MatchContext context;
};

namespace {

base::Result<Code> compile(std::string_view name, std::string_view pattern, uint32_t options) {
    int error = 0;
    PCRE2_SIZE offset = 0;
    Code code(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                            PCRE2_UTF | PCRE2_UCP | options, &error, &offset, nullptr));
    if (!code) {
        return fail(ErrorCode::Failed, "pre-tokenizer ", name, ": PCRE2 error ", error, " at offset ", offset,
                    " of the pattern (built without Unicode support?)");
    }
    // The JIT is refused where memory may not become executable. The pattern is then interpreted.
    (void)pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE);
    return code;
}

// Where the next match from `at` on begins and ends; a lack of memory gives none.
std::optional<std::pair<size_t, size_t>> find_match(const Code& code, const MatchContext& context,
                                                    const MatchData& match, std::string_view text, size_t at) {
    if (!match) return std::nullopt;
    int matches = PCRE2_ERROR_NOMEMORY;
    for (const uint32_t options : {PCRE2_NO_UTF_CHECK, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT}) {
        matches = pcre2_match(code.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), at, options,
                              match.get(), context.get());
        // The JIT stack is small; the interpreter takes memory as it needs it.
        if (matches != PCRE2_ERROR_JIT_STACKLIMIT) break;
    }
    if (matches <= 0) return std::nullopt;
    const PCRE2_SIZE* const ends = pcre2_get_ovector_pointer(match.get());
    return std::pair{ends[0], ends[1]};
}

}  // namespace

base::Result<PreTokenizer> PreTokenizer::create(std::string_view name) {
    const Rule* rule = nullptr;
    for (const Rule& known : kRules) {
        if (known.name == name) rule = &known;
    }
    if (rule == nullptr) {
        return fail(ErrorCode::ModelLoadFailed, "tokenizer.ggml.pre: unknown pre-tokenizer ", model::in_quotes(name),
                    "; known are ", known_names());
    }

    auto pattern = std::make_unique<Pattern>();
    auto code = compile(name, rule->pattern, PCRE2_ANCHORED);
    if (!code) return code.error();
    pattern->code = std::move(*code);
    for (const std::string_view isolated : rule->isolated) {
        if (isolated.empty()) break;
        if (!(code = compile(name, isolated, 0))) return code.error();
        pattern->isolated.push_back(std::move(*code));
    }
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
        if (valid > 0) split_valid(text.substr(0, valid), 0, pre_tokens);
        text.remove_prefix(valid);
        if (text.empty()) break;
        pre_tokens.push_back(text.substr(0, 1));
        text.remove_prefix(1);
    }
    return pre_tokens;
}

void PreTokenizer::split_valid(std::string_view text, size_t n_isolated,
                               std::vector<std::string_view>& pre_tokens) const {
    const MatchData match(pcre2_match_data_create(1, nullptr));
    size_t at = 0;
    if (n_isolated < pattern_->isolated.size()) {
        while (at < text.size()) {
            const auto found = find_match(pattern_->isolated[n_isolated], pattern_->context, match, text, at);
            const auto [begin, end] = found.value_or(std::pair{text.size(), text.size()});
            if (begin > at) split_valid(text.substr(at, begin - at), n_isolated + 1, pre_tokens);
            if (end > begin) pre_tokens.push_back(text.substr(begin, end - begin));
            at = end;
        }
        return;
    }
    size_t begin = 0;  // of characters that begin no match, which make up one pre-token: no rule names them, or memory
                       // is short
    while (at < text.size()) {
        const auto found = find_match(pattern_->code, pattern_->context, match, text, at);
        const size_t end = found ? found->second : at;
        if (end <= at) {
            at += base::next_utf8(text.substr(at)).length;
            continue;
        }
        if (at > begin) pre_tokens.push_back(text.substr(begin, at - begin));
        pre_tokens.push_back(text.substr(at, end - at));
        begin = at = end;
    }
    if (at > begin) pre_tokens.push_back(text.substr(begin, at - begin));
}

}  // namespace llmd::tokenizer
