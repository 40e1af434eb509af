// A tokenizer.model from anywhere: reading it ends in an error, or in a vocabulary that can be taken.
#include <cstddef>
#include <cstdint>

#include "engine/convert/hf_tokenizer.h"
#include "support/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace llmd;
    const test::MemoryFile bytes({reinterpret_cast<const char*>(data), size});
    const auto model = convert::SentencePieceModel::open(bytes.path());
    if (!model) return 0;
    const auto config = convert::JsonFile::parse("{}", "fuzz");
    const auto n_vocab = static_cast<uint32_t>(model->pieces.size());
    if (const auto tokenizer = convert::HfTokenizer::from(*model, config->root(), n_vocab)) (void)tokenizer->find("a");
    return 0;
}
