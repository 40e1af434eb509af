// Stands in for libFuzzer where it is not linked: runs the target once on every file of the folders given.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int main(int argc, char** argv) {
    size_t n_inputs = 0;
    for (int i = 1; i < argc; ++i) {
        std::error_code error;
        for (const auto& entry : std::filesystem::directory_iterator(argv[i], error)) {
            std::ifstream file(entry.path(), std::ios::binary);
            const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
            if (file.bad()) continue;
            LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
            ++n_inputs;
        }
        if (error) std::fprintf(stderr, "%s: %s\n", argv[i], error.message().c_str());
    }
    std::printf("%zu inputs replayed\n", n_inputs);
    return n_inputs > 0 ? 0 : 1;  // an empty corpus proves nothing
}
