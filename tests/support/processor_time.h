// Time of the processor, which other programs do not lengthen, for the bounds of tests. Thread-safe.
#pragma once

#include <ctime>

namespace llmd::test {

#if defined(__has_feature)
#define LLMD_HAS_FEATURE(x) __has_feature(x)
#else
#define LLMD_HAS_FEATURE(x) 0
#endif

// A bound is for programs as they are shipped. Under the address sanitizer hostile schemas take eight times as long.
#if defined(__SANITIZE_ADDRESS__) || LLMD_HAS_FEATURE(address_sanitizer)
inline constexpr double kSlowness = 10;
#else
inline constexpr double kSlowness = 1;
#endif
#undef LLMD_HAS_FEATURE

class ProcessorTime {
public:
    // Seconds that this process has taken since the constructor, as a build without sanitizers would take them.
    double seconds() const { return static_cast<double>(std::clock() - begin_) / CLOCKS_PER_SEC / kSlowness; }

private:
    std::clock_t begin_ = std::clock();
};

}  // namespace llmd::test
