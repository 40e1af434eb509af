// A LoadedModel without a file: FakeBackend, and a tokenizer whose ids are bytes, with one more that ends generation.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/generation/generator.h"
#include "engine/generation/loaded_model.h"
#include "fake_backend.h"

namespace llmd::test {

// Bytes 0..255; 256 ends generation. The ids 257 and above stand for nothing.
class ByteTokenizer : public tokenizer::Tokenizer {
public:
    static constexpr int32_t kEnd = 256;

    explicit ByteTokenizer(int32_t empty_prompt_id = kEnd) {
        empty_prompt_id_ = empty_prompt_id;
        kinds_.assign(256, tokenizer::TokenKind::Normal);
        kinds_.push_back(tokenizer::TokenKind::Control);
        end_ids_ = {kEnd};
    }
    std::vector<int32_t> encode_scanned(std::string_view text, const tokenizer::Scan&) const override {
        std::vector<int32_t> ids;
        for (const char c : text) ids.push_back(static_cast<uint8_t>(c));
        return ids;
    }
    void append_bytes(int32_t id, std::string& out) const override {
        if (id >= 0 && id < 256) out.push_back(static_cast<char>(id));
    }
    std::string_view token_text(int32_t) const override { return {}; }
};

struct FakeModelOptions {
    uint32_t n_slots = 4;  // that compute
    uint32_t n_held = 0;   // and more, for paused ones
    uint32_t n_ctx = 256;
    uint32_t n_pages = 32;
    uint32_t n_vocab = 257;
    uint32_t max_rows = 64;
    uint32_t window = 0;  // of some layers, with pages of their own
    uint32_t n_window_pages = 0;
    uint32_t max_drafted = 0;
};

inline generation::LoadedModel fake_model(const FakeModelOptions& options = {}) {
    generation::LoadedModel model;
    model.spec.architecture = "fake";
    model.spec.layers.resize(2);
    model.spec.n_embd = FakeBackend::kWidth;
    model.output_norm = {model::Norm::RmsNorm, 1e-5f, std::vector<float>(FakeBackend::kWidth, 1.0f), {}};
    model.spec.n_vocab = options.n_vocab;
    model.spec.n_ctx_train = options.n_ctx;
    model.tokenizer = std::make_unique<ByteTokenizer>();
    compute::BackendLimits limits;
    limits.n_slots = options.n_slots + options.n_held;
    limits.n_ctx = options.n_ctx;
    limits.n_pages = options.n_pages;
    limits.max_rows = options.max_rows;
    limits.window = options.window;
    limits.n_window_pages = options.n_window_pages;
    limits.max_outputs = options.n_slots;
    limits.max_drafted = options.max_drafted;
    model.backend = std::make_unique<FakeBackend>(options.n_vocab, limits);
    return model;
}

inline FakeBackend& fake_backend(generation::LoadedModel& model) {
    return static_cast<FakeBackend&>(*model.backend);
}

}  // namespace llmd::test
