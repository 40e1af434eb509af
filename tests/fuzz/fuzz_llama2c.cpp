// A checkpoint of llama2.c and its vocabulary from anywhere, one behind the other: their conversion to GGUF ends in a
// file that the loader takes, or in an error.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/mapped_file.h"
#include "base/unique_fd.h"
#include "engine/convert/llama2c.h"
#include "engine/model/gguf.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

llmd::base::UniqueFd file_of(const uint8_t* data, size_t size) {
    llmd::base::UniqueFd fd(::memfd_create("fuzz", MFD_CLOEXEC));
    if (::write(fd.get(), data, size) != static_cast<ssize_t>(size)) std::abort();
    return fd;
}

std::string path_of(const llmd::base::UniqueFd& fd) {
    return "/proc/self/fd/" + std::to_string(fd.get());
}

}  // namespace

// The first two bytes say where the vocabulary begins.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace llmd;
    if (size < 2) return 0;
    const size_t split = std::min<size_t>(size, 2 + (data[0] | data[1] << 8));
    const auto checkpoint = file_of(data + 2, split - 2), tokenizer = file_of(data + split, size - split),
               out = file_of(data, 0);
    const auto type = data[0] % 2 == 0 ? convert::FileType::Q8_0 : convert::FileType::Q4_K_M;
    if (!convert::convert_llama2c(path_of(checkpoint), path_of(tokenizer), type, "fuzz", out.get())) return 0;
    const auto mapped = base::MappedFile::open(path_of(out));
    if (!mapped || !model::Gguf::parse(mapped->bytes())) std::abort();
    return 0;
}
