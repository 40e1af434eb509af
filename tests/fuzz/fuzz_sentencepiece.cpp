// A tokenizer.model from anywhere: reading it ends in an error, or in a vocabulary that can be taken.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/unique_fd.h"
#include "engine/convert/hf_tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace llmd;
    const base::UniqueFd fd(::memfd_create("fuzz", MFD_CLOEXEC));
    if (::write(fd.get(), data, size) != static_cast<ssize_t>(size)) std::abort();
    const auto model = convert::SentencePieceModel::open("/proc/self/fd/" + std::to_string(fd.get()));
    if (!model) return 0;
    const auto config = convert::JsonFile::parse("{}", "fuzz");
    const auto n_vocab = static_cast<uint32_t>(model->pieces.size());
    if (const auto tokenizer = convert::HfTokenizer::from(*model, config->root(), n_vocab)) (void)tokenizer->find("a");
    return 0;
}
