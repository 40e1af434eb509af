// The bodies of llama-server's tokenize and detokenize. Pure. `parse_special` is refused; fields that are not known are
// ignored.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "protocol/messages.h"

namespace llmd::http {

struct TokenizeBody {
    std::string model;  // empty: as Service has it
    std::string content;
    bool add_special = false;  // with the begin-of-text token, where the model's prompts have one
    bool with_pieces = false;  // with the tokens' texts
};
struct DetokenizeBody {
    std::string model;
    std::vector<int32_t> tokens;  // none negative
};

// InvalidArgument names the field and its value.
base::Result<TokenizeBody> parse_tokenize(std::string_view body);
base::Result<DetokenizeBody> parse_detokenize(std::string_view body);

// {"tokens":[…]}, {"content":"…"} and {"prompt":"…"}: the answers. With pieces a token is {"id":…,"piece":…}, and a
// piece that is no UTF-8, being a part of a character, is an array of bytes.
std::string tokenized_json(const protocol::Tokenized& tokenized);
std::string detokenized_json(std::string_view text);
std::string rendered_json(std::string_view text);

}  // namespace llmd::http
