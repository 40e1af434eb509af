// Checks a text that somebody else generates against a JSON schema while it comes: at the first byte after which no
// text of the schema is possible any more, it says so. The texts are those that compile_json_schema() gives, so that
// what llmd's own engines generate always fits; and since whoever generates elsewhere may have indented it, white space
// may stand wherever JSON allows it, at most kMaxSpaceRun bytes of it in a row.
//
// Everything else that a text may have and the grammar has not, such as properties in another order than the schema's,
// does not fit: a text that fits always matches the schema, and one that does not may match all the same.
//
// A byte costs at most kMaxSilentSteps of the automaton for each of its kMaxNfaThreads; mostly it is one table lookup.
// Thread-bound; movable.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "constraint/automaton.h"
#include "constraint/unconstrained.h"

namespace llmd::constraint {

inline constexpr uint32_t kMaxSpaceRun = 512;  // the deepest nesting, indented by 7, and some empty lines

class TextChecker {
public:
    // Checks for the texts of any grammar of JSON, beside which words such as those of a code fence may stand.
    explicit TextChecker(std::shared_ptr<const Grammar> grammar)
        : automaton_(std::move(grammar)), state_(automaton_.start()) {}
    // The errors are those of compile_json_schema().
    static base::Result<TextChecker> create(std::string_view schema, Unconstrained* unconstrained = nullptr);

    // Appends bytes, which may end in the middle of a character. Returns false if no text of the schema begins with the
    // text so far; then it is false from then on.
    bool push(std::string_view bytes);
    // True if the text so far is a text of the schema. More may follow.
    bool is_complete() const { return !failed_ && automaton_.is_complete(state_); }

private:
    bool push(uint8_t byte);
    bool push_space();
    bool advance(uint8_t byte);
    // True if a number or a name may be over here.
    bool word_may_end();
    void make_room();

    Automaton automaton_;
    Automaton::State state_;
    bool failed_ = false;
    bool in_string_ = false;  // between the quotes
    bool escaped_ = false;    // behind a backslash in a string
    bool in_word_ = false;    // behind a character of a number, true, false or null
    uint32_t n_spaces_ = 0;   // since the last byte that is not white space
};

}  // namespace llmd::constraint
