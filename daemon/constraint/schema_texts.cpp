#include "constraint/schema_texts.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "constraint/pattern.h"

namespace llmd::constraint {

SchemaTexts::SchemaTexts(MergedSchema& merged) : characters(merged.counts(Keyword::MinLength, Keyword::MaxLength)) {
    for (const SchemaKeywords& keywords : merged.members()) {
        for (const Keyword keyword : {Keyword::Format, Keyword::Pattern}) {
            std::string_view text;
            if (!keywords.has(keyword)) continue;
            if (keywords[keyword]->get(text) != simdjson::SUCCESS) {
                merged.reject(keywords.path, keyword_name(keyword), ": ", as_told(*keywords[keyword]),
                              " is not a string");
                return;
            }
            TextFormat format{std::string(text)};
            if (keyword == Keyword::Format) {
                const bool beside_pattern = keywords.has(Keyword::Pattern);
                const auto known = text_format(text, beside_pattern);
                // A pattern beside a format says what is meant by it.
                if (!known && !beside_pattern) {
                    merged.annotate(keywords.path, "format: ", in_quotes(text), " is none of ", kTextFormats);
                }
                if (!known) continue;
                format = *known;
            }
            characters.most = std::min(characters.most, format.longest);
            parts.push_back({keywords.path, keyword, std::move(format.pattern)});
        }
    }
}

std::string SchemaTexts::name() const {
    std::string name;
    for (const Part& part : parts) name += base::concat(part.pattern.size(), ':', part.pattern);
    return base::concat(name, characters.least, ':', characters.most);
}

std::optional<CharacterDfa> SchemaTexts::dfa(MergedSchema& merged, DfaWork& work) {
    std::optional<CharacterDfa> all;
    std::erase_if(parts, [&](const Part& part) {
        if (merged.refusal()) return false;
        auto one = compile_pattern(part.pattern, work);
        if (one && all) one = intersection(*all, *one, work);
        if (!one) {
            merged.drop(part.path, keyword_name(part.keyword), ": ", one.error().message);
            return true;
        }
        all = *std::move(one);
        return false;
    });
    return merged.refusal() ? std::nullopt : all;
}

}  // namespace llmd::constraint
