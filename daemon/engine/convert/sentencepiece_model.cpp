#include "engine/convert/sentencepiece_model.h"

#include <cmath>
#include <cstring>
#include <string_view>

#include "engine/convert/input_file.h"
#include "engine/tokenizer/tokenizer.h"

namespace llmd::convert {
namespace {

using base::Result;

// The wire types of protocol buffers.
enum Encoding : uint8_t { kVarint = 0, kEightBytes = 1, kBytes = 2, kFourBytes = 5 };

// Iterates over the fields of a message. Each has a number and a value of its encoding.
class Fields {
public:
    explicit Fields(std::string_view message) : rest_(message) {}

    // Returns false at the end of the message, and if the message is malformed; is_broken() tells which.
    bool next() {
        value = 0;
        real = 0;
        bytes = {};
        if (rest_.empty()) return false;
        const uint64_t tag = varint();
        number = tag >> 3;
        encoding = tag & 7;
        switch (encoding) {
            case kVarint:
                value = varint();
                break;
            case kEightBytes:
                take(8);
                break;
            case kBytes:
                bytes = take(varint());
                break;
            case kFourBytes: {
                const std::string_view four = take(4);
                if (!broken_) std::memcpy(&real, four.data(), sizeof real);
                break;
            }
            default:
                broken_ = true;
        }
        return !broken_;
    }
    // True if the field has the number `which`. If it is not encoded as `encoded`, the message is malformed.
    bool is(uint64_t which, uint64_t encoded) {
        if (number != which) return false;
        broken_ |= encoding != encoded;
        return !broken_;
    }
    bool is_broken() const { return broken_; }

    uint64_t number = 0, encoding = 0;
    uint64_t value = 0;      // of an integer
    float real = 0;          // of four bytes
    std::string_view bytes;  // of a string or a message

private:
    std::string_view take(uint64_t n) {
        broken_ |= n > rest_.size();
        if (broken_) return {};
        const std::string_view taken = rest_.substr(0, n);
        rest_.remove_prefix(n);
        return taken;
    }
    uint64_t varint() {
        uint64_t result = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            const std::string_view byte = take(1);
            if (broken_) return 0;
            result |= (uint64_t{static_cast<uint8_t>(byte[0])} & 127) << shift;
            if ((byte[0] & 128) == 0) return result;
        }
        broken_ = true;
        return 0;
    }

    std::string_view rest_;
    bool broken_ = false;
};

// Field numbers and values of the .proto.
enum ModelField : uint8_t { kPieces = 1, kTrainer = 2, kNormalizer = 3 };
enum PieceField : uint8_t { kText = 1, kScore = 2, kKind = 3 };
enum TrainerField : uint8_t { kModelType = 3, kBeginId = 41 };
enum NormalizerField : uint8_t { kCharacterMap = 2, kAddDummyPrefix = 3, kRemoveExtraSpaces = 4 };
constexpr uint64_t kBpe = 2;

class Reader {
public:
    explicit Reader(const InputFile& file) : file_(file) {}

    Result<SentencePieceModel> read(std::string_view bytes) {
        Fields model(bytes);
        while (model.next()) {
            Result<void> read;
            if (model.is(kPieces, kBytes)) read = read_piece(model.bytes);
            if (model.is(kTrainer, kBytes)) read = read_trainer(model.bytes);
            if (model.is(kNormalizer, kBytes)) read = read_normalizer(model.bytes);
            if (!read) return std::move(read).error();
        }
        if (model.is_broken() || out_.pieces.empty()) return broken();
        if (!is_bpe_) return file_.fail("its model_type is not BPE, which alone is supported");
        if (removes_spaces_) return file_.fail("its normalizer removes spaces, which is not supported");
        return std::move(out_);
    }

private:
    base::Error broken() const { return file_.fail("is no model of SentencePiece"); }

    Result<void> read_piece(std::string_view bytes) {
        SentencePieceModel::Piece piece;
        Fields fields(bytes);
        while (fields.next()) {
            if (fields.is(kText, kBytes)) piece.text = fields.bytes;
            if (fields.is(kScore, kFourBytes)) piece.score = fields.real;
            if (fields.is(kKind, kVarint)) piece.kind = static_cast<int32_t>(std::min<uint64_t>(fields.value, 127));
        }
        const size_t id = out_.pieces.size();
        if (fields.is_broken() || id == SentencePieceModel::kMaxPieces) return broken();
        if (piece.text.empty()) return file_.fail("piece ", id, " has no text");
        if (!std::isfinite(piece.score)) return file_.fail("piece ", id, " has the score ", piece.score);
        if (piece.kind < 1 || piece.kind > static_cast<int32_t>(tokenizer::TokenKind::Byte)) {
            return file_.fail("piece ", id, " has the type ", piece.kind, ", which is not known");
        }
        out_.pieces.push_back(std::move(piece));
        return {};
    }

    Result<void> read_trainer(std::string_view bytes) {
        Fields fields(bytes);
        while (fields.next()) {
            if (fields.is(kModelType, kVarint)) is_bpe_ = fields.value == kBpe;
            if (fields.is(kBeginId, kVarint)) begin_id_ = static_cast<int32_t>(fields.value);
        }
        if (fields.is_broken()) return broken();
        out_.begin_id.reset();
        if (begin_id_ >= 0) out_.begin_id = static_cast<uint32_t>(begin_id_);
        return {};
    }

    Result<void> read_normalizer(std::string_view bytes) {
        Fields fields(bytes);
        while (fields.next()) {
            if (fields.is(kAddDummyPrefix, kVarint)) out_.adds_space_prefix = fields.value != 0;
            if (fields.is(kRemoveExtraSpaces, kVarint)) removes_spaces_ = fields.value != 0;
            if (fields.is(kCharacterMap, kBytes) && !fields.bytes.empty()) {
                return file_.fail("its normalizer changes characters, which is not supported");
            }
        }
        return fields.is_broken() ? Result<void>(broken()) : Result<void>();
    }

    const InputFile& file_;
    SentencePieceModel out_;
    bool is_bpe_ = false, removes_spaces_ = true;
    int32_t begin_id_ = 1;  // the format's default; negative: none
};

}  // namespace

Result<SentencePieceModel> SentencePieceModel::open(const std::string& path) {
    const auto file = InputFile::open(path);
    if (!file) return file.error();
    const auto bytes = file->read_text(kMaxFileBytes);
    if (!bytes) return bytes.error();
    auto model = Reader(*file).read(*bytes);
    if (model) model->path = path;
    return model;
}

}  // namespace llmd::convert
