// A file of tensors from anywhere: opening it ends in an error, or in tensors that can be read to their last weight.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "engine/convert/safetensors.h"
#include "support/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace llmd;
    const test::MemoryFile bytes({reinterpret_cast<const char*>(data), size});
    const auto file = convert::Safetensors::open(bytes.path());
    if (!file) return 0;
    for (const auto& [name, tensor] : file->tensors()) {
        if (!convert::Safetensors::is_readable(tensor)) continue;
        uint64_t weights = 1;
        for (const uint64_t n : tensor.shape) weights *= n;
        std::vector<float> last(std::min<uint64_t>(weights, 1000));
        if (!file->read(tensor, weights - last.size(), last)) std::abort();
    }
    return 0;
}
