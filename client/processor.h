// How much of the processor other programs take while llmd would have it: what makes texts slow, and measured speeds
// low, though nothing is wrong with llmd.
#pragma once

#include <cstdint>
#include <string>

namespace llmd::client {

// In ticks of the kernel, since it started, summed over all CPUs.
struct ProcessorTimes {
    uint64_t all = 0;   // 0: the kernel does not say
    uint64_t busy = 0;  // of `all`, with programs and their interrupts
    uint64_t llmd = 0;  // of `busy`, with llmd, its engines and its programs; lacks those of processes that have ended
    uint32_t n_cpus = 0;
};

// As /proc has them now; with LLMD_PROCFS, that directory.
ProcessorTimes processor_times();

struct OtherPrograms {
    double cpus = 0;  // CPUs that programs other than llmd keep busy, on average
    uint32_t n_cpus = 0;

    // So that it is felt.
    bool is_much() const;
    // "other programs keep 1.6 of 2 CPUs busy"; empty when nothing is known.
    std::string text() const;
    // Says what that means for speed; empty unless it is_much().
    std::string consequence() const;
};

// Between two looks. Nothing is known (n_cpus is 0) where the kernel does not say it or no time has passed. Pure.
OtherPrograms other_programs(const ProcessorTimes& before, const ProcessorTimes& after);

// Sleeps until `before` is a fifth of a second old, and looks again.
class ProcessorLook {
public:
    ProcessorLook();
    OtherPrograms finish();

private:
    ProcessorTimes before_;
    int64_t began_ms_;  // monotonic
};

}  // namespace llmd::client
