// Arbitrary bytes through the tokenizers. The first byte of an input chooses:
//   0..4  the rest is text for byte-level BPE with one of the pre-tokenizers: decoding must give it back, and a prompt
//         that a user wrote must hold no control token;
//   5     the rest is text for SentencePiece-style BPE: decoding must give it back but for spaces;
//   6     a byte that is the length of a stop string, that stop string, and bytes to stream past it;
//   else  the rest is a model file, from which a tokenizer is made and used.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "daemon/engine/tokenizer/vocabularies.h"
#include "engine/model/gguf.h"
#include "engine/tokenizer/stream_detokenizer.h"
#include "engine/tokenizer/tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using namespace llmd;
using tokenizer::SpecialTokens;
using tokenizer::Tokenizer;
using tokenizer::TokenKind;

void require(bool holds) {
    if (!holds) __builtin_trap();
}

std::unique_ptr<Tokenizer> make(const test::Vocabulary& vocabulary) {
    auto created = test::create_tokenizer(vocabulary);
    require(created.has_value());
    return std::move(*created);
}

std::vector<std::unique_ptr<Tokenizer>> make_byte_level() {
    std::vector<std::unique_ptr<Tokenizer>> all;
    for (const char* pre : {"gpt-2", "llama-bpe", "qwen2", "smollm", "gpt-4o", "tekken", "hunyuan-dense", "minicpm5"}) {
        test::Vocabulary vocabulary = test::byte_vocabulary(pre);
        for (const auto& [left, right] :
             {std::pair{"a", "b"}, {"b", "a"}, {"ab", "ab"}, {" ", " "}, {"\n", "\n"}, {"\xC3", "\xA9"}, {"1", "2"}}) {
            vocabulary.add_merge(left, right);
        }
        vocabulary.add(test::spelled(" abc"));
        vocabulary.add("<|x|>", TokenKind::Control);
        vocabulary.add("<y", TokenKind::UserDefined);
        vocabulary.add("<y>", TokenKind::UserDefined);
        all.push_back(make(vocabulary));
    }
    return all;
}

std::unique_ptr<Tokenizer> make_sentencepiece() {
    test::Vocabulary vocabulary = test::sentencepiece_vocabulary();
    vocabulary.flags = {{"add_space_prefix", false}};
    float score = 0;
    for (const char* text : {"a", "b", "ab", "ba", "abab", "\u2581", "\u2581\u2581", "\u2581a", "\u00E9"}) {
        vocabulary.add(text, TokenKind::Normal, score -= 1);
    }
    vocabulary.add("\n", TokenKind::UserDefined);
    return make(vocabulary);
}

void stream(const Tokenizer& tokenizer, const std::vector<int32_t>& ids, const std::string& stop) {
    tokenizer::StreamDetokenizer detokenizer(tokenizer, {stop});
    std::string text;
    for (const int32_t id : ids) {
        const std::string piece = detokenizer.push(id);
        require(base::is_clean_text(piece));
        text += piece;
    }
    text += detokenizer.finish();
    require(base::is_clean_text(text));
    const bool can_occur = !stop.empty() && base::is_clean_text(stop);
    require(!can_occur || text.find(stop) == std::string::npos);
}

void use_file(std::span<const uint8_t> file) {
    // A buffer of exactly this size on the heap, so that the address sanitizer sees one byte too many.
    const std::vector<uint8_t> copy(file.begin(), file.end());
    const auto gguf = model::Gguf::parse(std::as_bytes(std::span(copy)));
    if (!gguf) return;
    const auto created = Tokenizer::create(*gguf);
    if (!created) return;
    for (const SpecialTokens special : {SpecialTokens::Literal, SpecialTokens::Parse}) {
        (void)(*created)->decode((*created)->encode("Hello  w\u00F6rld 12\n<|x|>\xFF", special));
    }
    for (uint32_t id = 0; id < (*created)->vocabulary_size(); ++id)
        (void)(*created)->decode({static_cast<int32_t>(id)});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const auto byte_level = make_byte_level();
    static const auto sentencepiece = make_sentencepiece();
    if (size == 0) return 0;
    const uint8_t choice = data[0];
    const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
    if (choice < byte_level.size()) {
        const Tokenizer& tokenizer = *byte_level[choice];
        const std::vector<int32_t> ids = tokenizer.encode(text);
        require(tokenizer.decode(ids) == text);
        for (const int32_t id : ids) require(tokenizer.kind(id) != TokenKind::Control);
        (void)tokenizer.encode(text, SpecialTokens::Parse);
        stream(tokenizer, ids, text.substr(0, 3));
    } else if (choice == 5) {
        std::string expected;
        for (const char c : text) expected += c == ' ' ? std::string("\u2581") : std::string(1, c);
        const std::vector<int32_t> ids = sentencepiece->encode(text);
        std::string decoded;
        for (const char c : sentencepiece->decode(ids)) decoded += c == ' ' ? std::string("\u2581") : std::string(1, c);
        require(decoded == expected);
        stream(*sentencepiece, ids, text.substr(0, 3));
    } else if (choice == 6) {
        if (text.empty()) return 0;
        const std::string stop = text.substr(1, static_cast<uint8_t>(text[0]));
        std::vector<int32_t> ids;
        for (const char c : text.substr(1 + stop.size())) ids.push_back(static_cast<uint8_t>(c));
        stream(*byte_level[0], ids, stop);
    } else {
        use_file(std::span(data + 1, size - 1));
    }
    return 0;
}
