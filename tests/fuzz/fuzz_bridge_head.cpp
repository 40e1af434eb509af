// Hostile heads of requests to `llmctl bridge`: of whatever is let through, llmd gets one request that can be read in
// one way only, which is the one that the bridge has read.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "client/bridge_head.h"

namespace {

using namespace llmd::client;

void require(bool condition) {
    if (!condition) __builtin_trap();
}

size_t count(std::string_view text, std::string_view what) {
    size_t n = 0;
    for (size_t at = 0; (at = text.find(what, at)) != std::string_view::npos; at += what.size()) ++n;
    return n;
}

void check(const BridgedHead& head) {
    require(head.n_body <= kMaxBridgeBodyBytes);
    require(head.text.ends_with("\r\n\r\n"));
    require(count(head.text, "\r\n\r\n") == 1);
    // No line ends but in the one way.
    require(count(head.text, "\r") == count(head.text, "\r\n") && count(head.text, "\n") == count(head.text, "\r\n"));
    require(head.text.find('\0') == std::string::npos);
    require(count(head.text.substr(0, head.text.find("\r\n")), " ") == 2);
    for (const char* once : {"\r\nHost: llmd\r\n", "\r\nLlmd-Bridge: 1\r\n", "\r\nConnection: close\r\n"}) {
        require(count(head.text, once) == 1);
    }
    const size_t n_lengths = count(head.text, "\r\nContent-Length: ");
    require(n_lengths == 1 || (n_lengths == 0 && head.n_body == 0));
    require(n_lengths == 0 || count(head.text, "\r\nContent-Length: " + std::to_string(head.n_body) + "\r\n") == 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    for (const char* token : {"", "0123456789abcdef"}) {
        const auto read = read_bridge_head(input, {.port = 80, .hosts = {"phone.lan"}, .token = token});
        if (const auto* head = std::get_if<BridgedHead>(&read)) {
            check(*head);
        } else {
            const std::string answer = bridge_answer(*std::get_if<BridgeRefusal>(&read));
            require(count(answer.substr(0, answer.find("\r\n\r\n")), "\n") == (answer.find("401 ") == 9 ? 5 : 4));
        }
    }
    return 0;
}
