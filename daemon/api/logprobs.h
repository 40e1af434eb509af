// Where log-probabilities meet the text that they are about. Text comes later than its tokens, because part of a
// character and what may begin a stop string are kept, and some of it never comes, because a stop string cut it away or
// a deadline did. Here, and nowhere else, it is decided what is sent of each token, and when:
//   - a token goes out with the text that holds its last byte;
//   - one of which only the beginning is in the text goes out at the end, with the bytes that are;
//   - one of which nothing is in the text does not, but for control tokens, which stand for no bytes and go out with
//     the next one.
// So the bytes of all that went out are those of the text (what is no UTF-8 there is U+FFFD here, as text).
// The text must begin with the first token's. One object a choice; thread-bound.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "protocol/messages.h"

namespace llmd::api {

struct AlignedLogprobs {
    protocol::TokenLogprobs token;
    uint64_t text_offset = 0;  // characters of the text before the one that holds the token's first byte
};

class LogprobAligner {
public:
    // The next tokens, each before its text.
    void add(std::span<const protocol::TokenLogprobs> tokens);
    // The next text; gives the tokens that go out with it.
    std::vector<AlignedLogprobs> take(std::string_view text);
    // There is no more text; gives the tokens that go out at the end.
    std::vector<AlignedLogprobs> finish();

private:
    // Releases those of the waiting tokens that end in the text that has been matched.
    void release(std::vector<AlignedLogprobs>& out);

    std::deque<protocol::TokenLogprobs> waiting_;
    std::string unmatched_;      // bytes of tokens whose text has not come
    uint64_t n_bytes_ = 0;       // of tokens, whose text has
    uint64_t n_characters_ = 0;  // of that text
    uint64_t first_begin_ = 0;   // where the first that waits begins, in bytes of tokens
    uint64_t first_offset_ = 0;  // and in characters of the text
};

// Writes the array [{"token","logprob","bytes","top_logprobs":[…]}], as in OpenAI's chat. `token` has U+FFFD for what
// is no UTF-8 by itself; `bytes` is what counts. Control tokens, which stand for no text, are "".
void write_token_logprobs(base::JsonWriter& json, std::span<const AlignedLogprobs> logprobs);

}  // namespace llmd::api
