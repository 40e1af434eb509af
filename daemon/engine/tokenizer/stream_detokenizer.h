// Converts a request's token ids to text as they come. It holds back an incomplete UTF-8 sequence and any text that may
// begin a stop string. It replaces what is not clean text (base/utf8.h) by U+FFFD, since a D-Bus string cannot hold it:
// one U+FFFD for each maximal subpart of an ill-formed sequence (The Unicode Standard 3.9). The text ends before the
// first stop string.
// The first stop string is the one that is complete first when the text is read character by character; of several that
// end at the same character it is the longest. The end of the text therefore does not depend on how the text is split
// into tokens, and no token is generated beyond a complete stop string to see whether a longer one follows.
// The text is a pure function of the ids pushed so far, so a replay of the same ids gives the same text at each push.
// Thread-bound; one object a request. The tokenizer must outlive it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tokenizer/tokenizer.h"

namespace llmd::tokenizer {

class StreamDetokenizer {
public:
    // A stop string that is empty or not clean text never occurs in the text. The work for each byte of text is
    // proportional to the number of stop strings, whatever their length. The control tokens among `markers`, ascending
    // ids, have their text (chat/call_syntax.h); others have none.
    StreamDetokenizer(const Tokenizer& tokenizer, std::vector<std::string> stops, std::vector<int32_t> markers = {});

    // Returns the text that became certain with this token. It is clean text, often empty, and always after stopped().
    // The characters that this token completes are no part of a stop string unless `may_stop`.
    std::string push(int32_t id, bool may_stop = true);

    // A stop string was found; the text before it has been returned.
    bool stopped() const { return !found_.empty(); }
    // Returns the stop string that was found, or nothing.
    const std::string& stop() const { return found_; }

    // Returns the rest at the end of generation: the text that was held back for a stop string that did not come, and
    // U+FFFD for an unfinished UTF-8 sequence (which may complete a stop string).
    std::string finish();

private:
    // One stop string, searched for with the failure function of Knuth, Morris and Pratt (SIAM J. Comput. 6, 1977).
    struct Stop {
        explicit Stop(std::string stop);
        void advance(char byte);

        std::string text;
        std::vector<uint32_t> fallback;  // [n]: longest proper prefix of text that ends its first n bytes; [0] unused
        uint32_t matched = 0;            // bytes of text that the output ends with, as many as possible
    };

    void take_characters(bool at_end);
    void take_character(std::string_view character);
    std::string take_certain();

    const Tokenizer& tokenizer_;
    std::vector<Stop> stops_;
    std::vector<int32_t> markers_;
    std::string bytes_;     // undecoded tail: between calls an incomplete UTF-8 sequence, at most 3 bytes
    std::string held_;      // decoded text that may begin a stop string
    bool may_stop_ = true;  // as of the last push()
    std::string found_;     // the stop string that ended the text
};

}  // namespace llmd::tokenizer
