// Hostile frames: whatever decode() accepts must encode again and come back the same; a stream of frames must be cut
// the same way however it arrives. The first input byte chooses the piece size of the stream.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/frame.h"

namespace {

void require(bool condition) {
    if (!condition) __builtin_trap();
}

void check_round_trip(const llmd::protocol::Message& message) {
    std::string once;
    // Text grows where bad bytes are replaced, and may then pass a limit.
    if (!llmd::protocol::encode(message, once)) return;
    const auto again = llmd::protocol::decode(std::string_view(once).substr(4));
    require(again.has_value());
    std::string twice;
    require(llmd::protocol::encode(*again, twice).has_value());
    require(once == twice);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) return 0;
    const size_t piece = data[0] + size_t{1};
    const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);

    if (const auto message = llmd::protocol::decode(input)) check_round_trip(*message);

    llmd::protocol::FrameReader reader;
    for (size_t begin = 0; begin < input.size(); begin += piece) {
        reader.append(input.substr(begin, piece));
        for (;;) {
            const auto message = reader.next();
            if (!message) return 0;
            if (!*message) break;
            check_round_trip(**message);
        }
    }
    return 0;
}
