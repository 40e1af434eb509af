// A checkpoint of llama2.c and its vocabulary from anywhere, one behind the other: their conversion to GGUF ends in a
// file that the loader takes, or in an error.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/mapped_file.h"
#include "engine/convert/convert.h"
#include "engine/model/gguf.h"
#include "support/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// The first two bytes say where the vocabulary begins.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace llmd;
    if (size < 2) return 0;
    const size_t split = std::min<size_t>(size, 2 + (data[0] | data[1] << 8));
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const test::MemoryFile checkpoint(bytes.substr(2, split - 2)), tokenizer(bytes.substr(split)), out;
    const auto type = data[0] % 2 == 0 ? convert::FileType::Q8_0 : convert::FileType::Q4_K_M;
    if (!convert::convert_llama2c(checkpoint.path(), tokenizer.path(), type, "fuzz", out.fd())) return 0;
    const auto mapped = base::MappedFile::open(out.path());
    if (!mapped || !model::Gguf::parse(mapped->bytes())) std::abort();
    return 0;
}
