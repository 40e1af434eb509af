// A short-lived program whose output is read: for work that may crash or hang, which is then not llmctl's.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace llmd::client {

// The most bytes of output that are kept; the rest is thrown away.
inline constexpr size_t kMaxChildOutput = 4u << 20;

struct ChildEnd {
    std::string output;         // standard output, or standard error of one that writes to a file
    std::optional<int> status;  // exit status; nothing when it did not end by itself
    // Empty when the status is 0; else for people: "did not start: …", "ended with status 1", "was killed by signal 6
    // (Aborted)", "did not end within 20 s".
    std::string fault;
};

// Runs `command`, whose first word is a path or is looked for in $PATH, with nothing to read and its standard error
// thrown away. It inherits no other open file. A child that has not ended within `limit` is killed, with all that it
// started; what cannot even be killed, because a device's driver does not return, is left behind a second later. Does
// not throw.
ChildEnd run_child(const std::vector<std::string>& command, std::chrono::milliseconds limit);

// Likewise, but its standard output is the open file `writes_to`, and `tick` is called a few times a second.
ChildEnd run_child_into(int writes_to, const std::vector<std::string>& command, std::chrono::milliseconds limit,
                        const std::function<void()>& tick);

}  // namespace llmd::client
