// Where the bridge listens: this device's own addresses 127.0.0.1 and, where there is IPv6, ::1, never any other; for
// programs of the same user only, which it tells apart as far as SocketFinder does.
// Thread-bound to the event loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "client/bridge_connection.h"
#include "client/socket_finder.h"

namespace llmd::client {

class BridgeServer {
public:
    // Further ones are closed with an answer that says so. llmd takes fewer of all bridges together, and makes room for
    // a new one by closing one that is idle.
    static constexpr size_t kMaxConnections = 160;
    // One process has no more, so that there is room for others. llmd takes fewer of it, and makes room likewise.
    static constexpr size_t kMaxConnectionsPerProgram = 128;

    // `route.preamble.port` 0 takes one that is free. NotReady names the address that cannot be had; Failed when the
    // kernel does not say whose a connection is. The loop must outlive the server.
    static base::Result<std::unique_ptr<BridgeServer>> open(base::EventLoop& loop, BridgeConnection::Route route);
    ~BridgeServer();
    BridgeServer(const BridgeServer&) = delete;
    BridgeServer& operator=(const BridgeServer&) = delete;

    // "http://127.0.0.1:11434", one for each address.
    std::vector<std::string> urls() const;

private:
    BridgeServer(base::EventLoop& loop, BridgeConnection::Route route) : loop_(loop), route_(std::move(route)) {}
    base::Result<void> listen();
    void watch(int listener);
    void accept(int listener);

    base::EventLoop& loop_;
    BridgeConnection::Route route_;
    std::vector<base::UniqueFd> listeners_;  // for 127.0.0.1, then for ::1
    SocketFinder programs_;
    uint64_t last_connection_ = 0;
    std::map<uint64_t, std::unique_ptr<BridgeConnection>> connections_;
};

}  // namespace llmd::client
