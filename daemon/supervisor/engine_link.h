// One engine process and the conversation with it: spawns, feeds, watches, kills. Knows frames, phases and exit codes;
// knows nothing of clients or queues. Service decides what a death means (engine_fault.h) and what to send to the next
// one. Thread-bound to the event loop. A link is one life of one engine: after on_ended() it is dead and may only be
// destroyed.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/event_loop.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "protocol/messages.h"

namespace llmd::supervisor {

// A started engine: its process and llmd's end of the socketpair (non-blocking).
struct EngineProcess {
    pid_t pid = -1;
    base::UniqueFd pidfd;  // readable when the process has ended; none: it is not llmd's child, and its socket shows it
    base::UniqueFd socket;
};

// Starts engines. Tests give the service one that plays the engine's part by hand.
class EngineLauncher {
public:
    virtual ~EngineLauncher() = default;
    virtual base::Result<EngineProcess> launch() = 0;
    // Ends it (SIGKILL to its process group).
    virtual void kill(const EngineProcess& process) = 0;
    // After pidfd became readable: the wait status as waitpid() gives it.
    virtual int reap(const EngineProcess& process) = 0;
};

// Runs the llmd-engine at `engine_path` as spawn() does (engine_process.h).
std::unique_ptr<EngineLauncher> make_process_launcher(std::string engine_path);

// Why an engine ended.
struct EngineEnd {
    enum class Cause : uint8_t {
        Asked,        // llmd ended it on purpose
        Fault,        // it reported a device error, and was to end
        Signal,       // SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE
        Silence,      // llmd killed it: silent beyond its budget
        Protocol,     // llmd killed it: it sent a malformed frame
        ForeignKill,  // SIGKILL or SIGTERM that llmd did not send: the kernel's for want of memory, a person's
        NoMemory,     // llmd killed it: it could not load again what had been loaded before
        Exit,         // exited without being asked
    };
    Cause cause = Cause::Asked;
    std::string detail;  // one sentence for status and log
    // Where it was: the last phase that it has announced; nothing if it had not begun.
    std::optional<protocol::Phase> phase = {};
    int signal = 0;  // the signal that ended it, with Signal and ForeignKill

    // It computed nothing and was silent for too long: swapped out, or held up by a disk.
    bool was_silent_while_idle() const { return cause == Cause::Silence && phase == protocol::Phase::Idle; }
    // Counted against the device: what a driver does.
    bool counts_against_device() const {
        return cause == Cause::Fault || cause == Cause::Signal || cause == Cause::Protocol || cause == Cause::Exit ||
               (cause == Cause::Silence && !was_silent_while_idle());
    }
    // The cause of its end says nothing of its model or its device.
    bool may_have_lacked_memory() const { return cause == Cause::ForeignKill || cause == Cause::NoMemory; }
};

std::string_view cause_name(EngineEnd::Cause cause);  // "device_error", "crash"

// How long an engine may take, apart from the budgets that it states itself. Shorter in tests.
struct EngineTimeouts {
    // From exec to its first frame: a cold start from slow storage.
    std::chrono::milliseconds start{30'000};
    // While it is idle, from a Submit or Tokenize to its next frame: it may have been swapped out.
    std::chrono::milliseconds answer{30'000};
    // From the closed socket to SIGKILL: it looks at its socket between two submits.
    std::chrono::milliseconds exit{2'000};
    // From SIGKILL to its end: its memory and its device are taken apart. One that takes longer sleeps where no signal
    // wakes it; llmd goes on without it and leaves it unreaped.
    std::chrono::milliseconds kill{10'000};
};

class EngineLink {
public:
    // All prompts and replays that the limits on requests allow, with room.
    static constexpr size_t kMaxUnsentBytes = 128u << 20;

    struct Events {
        std::function<void(const protocol::Message&)> on_message;  // everything but PhaseChange and Fault
        std::function<void(const EngineEnd&)>
            on_ended;                        // once, last; destroy the link from a later iteration of the loop
        std::function<void()> on_idle = {};  // is_idle() has become true
    };

    static base::Result<std::unique_ptr<EngineLink>> start(base::EventLoop& loop, EngineLauncher& launcher,
                                                           Events events, EngineTimeouts timeouts = {});
    EngineLink(const EngineLink&) = delete;
    EngineLink& operator=(const EngineLink&) = delete;
    virtual ~EngineLink() = default;  // kills the engine if it still runs

    // Queues a frame; an engine that reads nothing while kMaxUnsentBytes pile up is killed for Silence.
    virtual void send(const protocol::Message& message) = 0;
    // Closes the socket, gives the engine EngineTimeouts::exit to end, then kills it; on_ended(Asked) follows.
    virtual void stop() = 0;
    // Kills an engine whose frames make no sense (Protocol) or that lacks memory (NoMemory); on_ended(cause, detail)
    // follows.
    virtual void terminate(EngineEnd::Cause cause, std::string detail) = 0;
    virtual pid_t pid() const = 0;
    // It has nothing to compute, with or without the lease of its device, and nothing to answer.
    virtual bool is_idle() const = 0;

protected:
    EngineLink() = default;
};

}  // namespace llmd::supervisor
