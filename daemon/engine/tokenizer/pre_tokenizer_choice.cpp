#include "engine/tokenizer/pre_tokenizer_choice.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/utf8.h"
#include "engine/tokenizer/pre_tokenizer.h"

namespace llmd::tokenizer {
namespace {

// One name for each rule whose vocabularies can be told from those of all others.
constexpr std::array<std::string_view, 5> kChoosable = {"gpt-2", "smollm", "gpt-4o", "tekken", "deepseek-v3"};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}
bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}
bool is_letter(char c) {
    return is_lower(c) || is_upper(c);
}
// Without the apostrophe, which begins contractions.
bool is_punctuation(char c) {
    return c > ' ' && c <= '~' && c != '\'' && !is_letter(c) && !is_digit(c);
}

// Is there a place in `text` from which `n` characters of one byte fit?
template <typename Fits>
bool has(std::string_view text, size_t n, Fits fits) {
    for (size_t i = 0; i + n <= text.size(); ++i) {
        if (fits(text.data() + i)) return true;
    }
    return false;
}

// A kind of text that is common wherever it is not cut.
struct Kind {
    std::string_view example;
    bool (*is_in)(std::string_view token);
};

constexpr std::array kKinds = {
    Kind{"12", [](auto t) { return has(t, 2, [](const char* c) { return is_digit(c[0]) && is_digit(c[1]); }); }},
    Kind{"2026", [](auto t) { return has(t, 4, [](const char* c) { return std::all_of(c, c + 4, is_digit); }); }},
    Kind{" 1", [](auto t) { return has(t, 2, [](const char* c) { return c[0] == ' ' && is_digit(c[1]); }); }},
    Kind{"(a", [](auto t) { return has(t, 2, [](const char* c) { return is_punctuation(c[0]) && is_letter(c[1]); }); }},
    // Quotation marks and the apostrophe of typesetters, U+2018 to U+201D.
    Kind{"\u201cA",
         [](auto t) {
             return has(t, 4, [](const char* c) {
                 const bool is_quote = std::string_view(c, 2) == "\xe2\x80" && c[2] >= '\x98' && c[2] <= '\x9d';
                 return is_quote && is_letter(c[3]);
             });
         }},
    Kind{";\n", [](auto t) { return has(t, 2, [](const char* c) { return is_punctuation(c[0]) && c[1] == '\n'; }); }},
    Kind{"aB", [](auto t) { return has(t, 2, [](const char* c) { return is_lower(c[0]) && is_upper(c[1]); }); }},
    Kind{"n't",
         [](auto t) {
             return has(t, 3, [](const char* c) { return is_letter(c[0]) && c[1] == '\'' && is_letter(c[2]); });
         }},
    Kind{"'s", [](auto t) { return t == "'s"; }},
    Kind{" (", [](auto t) { return has(t, 2, [](const char* c) { return c[0] == ' ' && is_punctuation(c[1]); }); }},
    Kind{"\n\n", [](auto t) { return has(t, 2, [](const char* c) { return c[0] == '\n' && c[1] == '\n'; }); }},
};
using Kinds = std::array<bool, kKinds.size()>;

// Is `token` in one pre-token where it stands between these?
bool is_whole_between(const PreTokenizer& rule, std::string_view before, std::string_view token,
                      std::string_view after) {
    const std::string text = base::concat(before, token, after);
    size_t end = 0;
    for (const std::string_view pre_token : rule.split(text)) {
        end += pre_token.size();
        if (end > before.size()) return end >= before.size() + token.size();
    }
    return false;
}

// A token is part of a pre-token, of which a rule may need the rest: "\n/" what comes before, "n'" the "t" behind it.
bool can_make(const PreTokenizer& rule, std::string_view token) {
    for (const std::string_view before : {"", ".", "a"}) {
        for (const std::string_view after : {"", "t", "e", "l"}) {
            if (is_whole_between(rule, before, token, after)) return true;
        }
    }
    return false;
}

}  // namespace

base::Result<std::optional<std::string_view>> choose_pre_tokenizer(std::span<const std::string> tokens) {
    Kinds found = {};
    std::vector<std::string_view> texts;
    for (const std::string_view token : tokens) {
        if (base::valid_utf8_prefix(token) != token.size()) continue;
        texts.push_back(token);
        for (size_t i = 0; i < kKinds.size(); ++i) found[i] = found[i] || kKinds[i].is_in(token);
    }
    for (const std::string_view name : kChoosable) {
        const auto rule = PreTokenizer::create(name);
        if (!rule) return rule.error();
        Kinds made;
        std::transform(kKinds.begin(), kKinds.end(), made.begin(),
                       [&](const Kind& kind) { return can_make(*rule, kind.example); });
        // No two have the same kinds.
        if (made != found) continue;
        const bool fits = std::all_of(texts.begin(), texts.end(), [&](auto text) { return can_make(*rule, text); });
        return fits ? std::optional(name) : std::nullopt;
    }
    return std::optional<std::string_view>();
}

std::string choosable_pre_tokenizers() {
    return base::listed(kChoosable);
}

}  // namespace llmd::tokenizer
