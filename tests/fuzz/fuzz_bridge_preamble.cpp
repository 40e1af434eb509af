// Hostile preambles of bridges: what is accepted is within its limits, and the same when it is written and read again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/bridge_preamble.h"

namespace {

using namespace llmd::base;

void require(bool condition) {
    if (!condition) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    if (size < kBridgeLengthBytes) return 0;
    const auto length = read_bridge_length(input.substr(0, kBridgeLengthBytes));
    if (!length) return 0;
    require(*length > 0 && *length <= kMaxBridgePreambleBytes);
    const auto preamble = read_bridge_preamble(input.substr(kBridgeLengthBytes, *length));
    if (!preamble) return 0;
    require(preamble->port > 0);
    const auto written = write_bridge_preamble(*preamble);
    // One of the longest may get the line's end that its last line lacked.
    if (!written) return 0;
    const auto again = read_bridge_preamble(std::string_view(*written).substr(kBridgeLengthBytes));
    require(again && *again == *preamble);
    return 0;
}
