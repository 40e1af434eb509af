// The bodies of llmd's own calls that ask a model's tokenizer: of tokenize and detokenize, as llama.cpp's server has
// them. Pure. Fields that are not known are ignored.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace llmd::http {

struct TokenizeBody {
    std::string model;  // empty: as Service has it
    std::string content;
};
struct DetokenizeBody {
    std::string model;
    std::vector<int32_t> tokens;  // none negative
};

// InvalidArgument names the field and its value.
base::Result<TokenizeBody> parse_tokenize(std::string_view body);
base::Result<DetokenizeBody> parse_detokenize(std::string_view body);

// {"tokens":[…]} and {"content":"…"}: the answers.
std::string tokenized_json(const std::vector<int32_t>& ids);
std::string detokenized_json(std::string_view text);

}  // namespace llmd::http
