// A tokenizer.model as SentencePiece writes it (https://github.com/google/sentencepiece,
// src/sentencepiece_model.proto). Only as much of the protocol buffers' encoding
// (https://protobuf.dev/programming-guides/encoding) is implemented as it needs. Untrusted. Pure data.
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
        int32_t kind = 1;  // tokenizer::TokenKind, which has SentencePiece's values
    };
    std::string path;           // of the file, for errors
    std::vector<Piece> pieces;  // by id
    bool adds_space_prefix = true;
    std::optional<uint32_t> begin_id;

    // ModelLoadFailed says what is wrong: the file is not of this format, the model is not BPE, the normalizer changes
    // more than spaces, or a piece has no text or a score that is not finite.
    static base::Result<SentencePieceModel> open(const std::string& path);
};

}  // namespace llmd::convert
