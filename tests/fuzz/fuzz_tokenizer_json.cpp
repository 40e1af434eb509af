// A tokenizer.json from anywhere: reading it ends in an error, or in a vocabulary that can be written and, where the
// loader takes it, encodes any text.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/mapped_file.h"
#include "engine/convert/hf_tokenizer.h"
#include "engine/tokenizer/tokenizer.h"
#include "support/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// The first two bytes say how many tokens the model has.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace llmd;
    if (size < 2) return 0;
    const uint32_t n_vocab = 1 + (data[0] | data[1] << 8);
    const std::string text(reinterpret_cast<const char*>(data) + 2, size - 2);
    const auto file = convert::JsonFile::parse(text, "fuzz");
    if (!file) return 0;
    const auto tokenizer = convert::HfTokenizer::read(file->root(), n_vocab);
    if (!tokenizer) return 0;
    const test::MemoryFile written;
    convert::GgufOutput out(written.fd());
    tokenizer->add_metadata(out);
    out.declare("weights", model::TensorType::F32, 0, 1);
    if (!out.begin() || !out.write(std::array<std::byte, sizeof(float)>{})) std::abort();
    const auto mapped = base::MappedFile::open(written.path());
    if (!mapped) std::abort();
    const auto gguf = model::Gguf::parse(mapped->bytes());
    if (!gguf) std::abort();
    const auto loaded = tokenizer::Tokenizer::create(*gguf);
    if (loaded) (void)(*loaded)->encode_prompt(std::string_view(text).substr(0, 200));
    return 0;
}
