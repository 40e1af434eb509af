// A dbus-daemon of the test's own, at a fixed address, which becomes this process's session bus.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <utility>

namespace llmd::dbus {

class PrivateBus {
public:
    explicit PrivateBus(const std::string& folder) : address_("unix:path=" + folder + "/bus") {
        ::setenv("DBUS_SESSION_BUS_ADDRESS", address_.c_str(), 1);
        start();
    }
    ~PrivateBus() { stop(); }
    PrivateBus(const PrivateBus&) = delete;
    PrivateBus& operator=(const PrivateBus&) = delete;

    // Returns when it listens.
    void start() {
        int ready[2];
        ASSERT_EQ(::pipe2(ready, O_CLOEXEC), 0);
        const std::string address = "--address=" + address_;
        const std::string print = "--print-address=" + std::to_string(ready[1]);
        const pid_t test = ::getpid();
        pid_ = ::fork();
        if (pid_ == 0) {
            // A test that crashes leaves no bus behind, and nobody who reads the test's output waits for one.
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
            ::dup2(nowhere, STDOUT_FILENO);
            ::dup2(nowhere, STDERR_FILENO);
            ::fcntl(ready[1], F_SETFD, 0);
            if (::getppid() == test) {
                ::execlp("dbus-daemon", "dbus-daemon", "--session", "--nofork", address.c_str(), print.c_str(),
                         static_cast<char*>(nullptr));
            }
            ::_exit(127);
        }
        ::close(ready[1]);
        char byte;
        ASSERT_EQ(::read(ready[0], &byte, 1), 1) << "dbus-daemon did not start";
        ::close(ready[0]);
    }
    void stop() {
        if (pid_ <= 0) return;
        ::kill(pid_, SIGKILL);
        ::waitpid(std::exchange(pid_, -1), nullptr, 0);
    }

private:
    const std::string address_;
    pid_t pid_ = -1;
};

}  // namespace llmd::dbus
