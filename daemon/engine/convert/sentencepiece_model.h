// A tokenizer.model as SentencePiece writes it (https://github.com/google/sentencepiece,
// src/sentencepiece_model.proto), with no more of the protocol buffers' encoding
// (https://protobuf.dev/programming-guides/encoding) than it takes. Untrusted. Pure data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace llmd::convert {

struct SentencePieceModel {
    static constexpr uint64_t kMaxFileBytes = 32u << 20;
    static constexpr size_t kMaxPieces = 1u << 20;

    struct Piece {
        std::string text;
        float score = 0;
        int32_t kind = 1;  // tokenizer::TokenKind, whose numbers are SentencePiece's
    };
    std::string path;           // of the file, for errors
    std::vector<Piece> pieces;  // by id
    bool adds_space_prefix = true;
    std::optional<uint32_t> begin_id;

    // ModelLoadFailed names what is wrong: bytes that are none of the format, a model that is not BPE, a normalizer
    // that changes more than spaces, a piece without a text or with a score that is no number.
    static base::Result<SentencePieceModel> open(const std::string& path);
};

}  // namespace llmd::convert
