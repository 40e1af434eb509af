// The session bus, which starts llmd for llmctl and on which applications find it; sdbus-c++ is kept behind this
// header. Everything else that llmctl asks goes over llmd's socket (llmd_client.h). All throw
// CommandError(Unreachable).
#pragma once

#include <memory>
#include <string>
#include <tuple>

namespace sdbus {
class IConnection;
}

namespace llmd::client {

class SessionBus {
public:
    // Connects.
    SessionBus();
    ~SessionBus();

    // Somebody has llmd's name.
    bool has_llmd();
    // The bus knows how to start llmd.
    bool can_start_llmd();
    // Has the bus start llmd, unless it runs, and waits until it has its name.
    void start_llmd();

private:
    template <typename... Results, typename... Args>
    void call(const std::string& method, const char* failed, std::tuple<Results&...> results, const Args&... args);

    std::unique_ptr<sdbus::IConnection> connection_;
};

}  // namespace llmd::client
