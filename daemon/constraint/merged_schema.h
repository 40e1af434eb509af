// The joint meaning of several schemas, for the texts that fit all of them: those of an allOf, a $ref and the keywords
// beside it, or one schema alone. Schemas are views into the parsed document, which must outlive them. Thread-bound.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "constraint/json_text.h"
#include "constraint/number_dfa.h"
#include "constraint/schema_keywords.h"
#include "constraint/unconstrained.h"

namespace llmd::constraint {

inline constexpr size_t kMaxProperties = 200;    // of one object: all of them may be left out (kMaxNfaThreads)
inline constexpr size_t kMaxEnumValues = 4096;   // of one enum
inline constexpr size_t kMaxAlternatives = 64;   // of one anyOf, oneOf or allOf
inline constexpr size_t kMaxMerged = 64;         // schemas that one value must fit all of
inline constexpr size_t kMaxMerges = 1u << 10;   // schemas that are merged with others, in all
inline constexpr uint32_t kMaxCount = 1u << 20;  // of minItems or minLength; a larger maximum is reduced to it
inline constexpr int64_t kMaxMultipleOf = 1000;  // without its decimal point

struct SchemaAt {
    simdjson::dom::element schema;
    std::string path;  // such as #/properties/a
};
// Schemas all of which a text must fit. Any text fits none.
using Schemas = std::vector<SchemaAt>;

class MergedSchema {
public:
    struct Refusal {
        std::string message;            // `at "#/properties/a": ...`
        bool is_contradiction = false;  // the keywords are well-formed, but no text fits them all
        bool is_malformed = false;      // it is no schema
    };
    struct Alternatives {
        Keyword keyword = Keyword::AnyOf;
        std::string path;  // of the schema that has the keyword
        Schemas schemas;
    };
    struct Items {
        std::vector<Schemas> first;
        std::optional<Schemas> more;  // nothing: no more may follow
        bool are_unique = false;
    };
    struct MergedProperty {
        std::string name;
        Schemas value;
        bool is_required = false;
    };
    // The properties whose names a pattern of `patternProperties` matches.
    struct PatternProperty {
        std::string_view pattern;
        std::string path;  // of the schema that has the keyword
        Schemas value;     // filled by object(): what their values must fit
    };
    struct Object {
        std::vector<MergedProperty> properties;
        std::optional<Schemas> more;           // nothing: no other property is allowed
        std::vector<PatternProperty> matched;  // the patterns that may have properties beside the listed ones
    };
    // Says whether a pattern matches a name.
    using Matches = std::function<bool(const PatternProperty& pattern, std::string_view name)>;

    // `unconstrained` takes the notes on what is not supported, which is an error where it is null or strict. It must
    // outlive the merged schema and its copies.
    explicit MergedSchema(Unconstrained* unconstrained = nullptr) : unconstrained_(unconstrained) {}

    // Adds a schema and those that its $ref and allOf name, looked up in `root`. `n_merges` counts them for all merged
    // schemas of a document.
    void add(const SchemaAt& schema, simdjson::dom::element root, size_t& n_merges);

    // The first thing that was wrong with what was added or read; what was read after it means nothing.
    const std::optional<Refusal>& refusal() const { return refusal_; }
    template <typename... Parts>
    void refuse(std::string_view path, const Parts&... parts) {
        if (!refusal_) refusal_ = {base::concat("at ", in_quotes(path), ": ", parts...), false};
    }
    // Leaves a keyword that is not supported out, or refuses it.
    template <typename... Parts>
    void drop(std::string_view path, const Parts&... parts) {
        if (!is_lenient()) return refuse(path, parts...);
        annotate(path, parts...);
    }
    // Tells of a keyword that restricts nothing, as an unknown format does.
    template <typename... Parts>
    void annotate(std::string_view path, const Parts&... parts) {
        if (unconstrained_ != nullptr)
            unconstrained_->add("at ", in_quotes(path), ": ", parts..., "; it is not enforced");
    }
    // Returns one without schemas, for a part of this one.
    MergedSchema another() const { return MergedSchema(unconstrained_); }
    bool is_lenient() const { return unconstrained_ != nullptr && !unconstrained_->is_strict; }
    // Rejects a part that is no schema.
    template <typename... Parts>
    void reject(std::string_view path, const Parts&... parts) {
        if (!refusal_) refusal_ = {base::concat("at ", in_quotes(path), ": ", parts...), false, true};
    }
    void refuse(const Refusal& refusal) {
        if (!refusal_) refusal_ = refusal;
    }
    // `why` says which keywords contradict each other.
    template <typename... Parts>
    void contradict(const Parts&... why) {
        if (!refusal_) refusal_ = {base::concat("at ", in_quotes(path_), ": no value fits: ", why...), true};
    }

    std::string_view path() const { return path_; }
    // True if there may be several schemas.
    bool is_merged() const { return added_.size() > 1; }
    // True if one of the schemas is false.
    bool is_never() const { return is_never_; }
    // The schemas without $ref and allOf.
    const std::vector<SchemaKeywords>& members() const { return members_; }
    std::optional<Keyword> besides(std::initializer_list<Keyword> known) const;
    // Removes the first anyOf or oneOf and returns it.
    std::optional<Alternatives> take_alternatives();

    // Returns the texts of enum and const; nothing if there is neither.
    std::optional<std::vector<std::string>> values();
    // Returns nothing if any type is allowed.
    std::optional<uint8_t> types();
    Counts counts(Keyword least, Keyword most);
    // Returns the range of integers; nothing if there are no bounds.
    std::optional<Range> range();
    NumberLimits number();
    Items items(Counts counts);
    // Returns the patterns of all patternProperties, without what their values must fit.
    std::vector<PatternProperty> patterns();
    // `patterns` are those of them that are supported.
    Object object(const std::vector<PatternProperty>& patterns, const Matches& matches);
    // Returns the schemas that the names of an object's properties must fit.
    Schemas property_names() const;

private:
    // `open` are the paths of the schemas that lead to this one.
    void add(const SchemaAt& schema, simdjson::dom::element root, size_t& n_merges, std::vector<std::string>& open);
    struct Held {
        std::string_view name;  // in a map
        SchemaAt at;
    };
    // Returns the schemas in the value of a keyword that holds several. None if it is absent, or refused: it is no such
    // value, or has more alternatives than kMaxAlternatives.
    std::vector<Held> held(const SchemaKeywords& keywords, Keyword keyword);
    // Refuses `keyword`, whose value is none of `wanted`.
    void refuse_form(const SchemaKeywords& keywords, Keyword keyword, std::string_view wanted);
    // Reads the value of `keyword`, which is `wanted`, and refuses another. False: it is not there, or another.
    template <typename T>
    bool get(const SchemaKeywords& keywords, Keyword keyword, std::string_view wanted, T& value) {
        if (!keywords.has(keyword)) return false;
        const bool is_read = keywords[keyword]->get(value) == simdjson::SUCCESS;
        if (!is_read) refuse_form(keywords, keyword, wanted);
        return is_read;
    }
    // Returns a bound as a whole number that allows the same integers.
    std::optional<int64_t> bound(const SchemaKeywords& keywords, Keyword keyword);
    void add_multiple(const SchemaKeywords& keywords, NumberLimits& limits);
    // Adds the schema for what a member does not list; returns false if it allows nothing.
    bool add_rest(const SchemaKeywords& keywords, Keyword keyword, Schemas& schemas);
    std::set<std::string> required_names();

    Unconstrained* unconstrained_;
    std::vector<SchemaKeywords> members_;
    std::set<std::string> added_;   // paths
    std::set<std::string> opened_;  // paths of schemas whose alternatives were removed
    std::string path_;              // of the first schema
    bool is_never_ = false;
    std::optional<Refusal> refusal_;
};

}  // namespace llmd::constraint
