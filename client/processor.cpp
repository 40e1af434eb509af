#include "client/processor.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <string_view>
#include <thread>

#include "base/config.h"
#include "base/places.h"

namespace llmd::client {
namespace {

namespace fs = std::filesystem;

// Long enough to count ticks of 10 ms by, short enough not to be felt.
constexpr std::chrono::milliseconds kLook{200};
// The share of all CPUs below which the load is hardly felt.
constexpr double kMuch = 0.25;

int64_t monotonic_ms() {
    using std::chrono::duration_cast;
    return duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Returns the sum of utime and stime in /proc/PID/stat, if the program is llmctl or its name begins with "llmd".
uint64_t ticks_of_llmd(const fs::path& process) {
    std::ifstream file(process / "stat");
    std::string line;
    std::getline(file, line);
    const size_t begin = line.find('('), end = line.rfind(')');  // a name may have any character
    if (begin == std::string::npos || end == std::string::npos) return 0;
    const std::string_view name = std::string_view(line).substr(begin + 1, end - begin - 1);
    if (!name.starts_with("llmd") && name != "llmctl") return 0;
    std::istringstream fields(line.substr(end + 1));
    constexpr int kBetween = 11;  // fields from state to cmajflt
    std::string skipped;
    for (int i = 0; i < kBetween; ++i) fields >> skipped;
    uint64_t user = 0, system = 0;
    fields >> user >> system;
    return user + system;
}

}  // namespace

ProcessorTimes processor_times() {
    ProcessorTimes times;
    std::ifstream file(base::procfs() + "/stat");
    for (std::string line; std::getline(file, line) && line.starts_with("cpu");) {
        if (!line.starts_with("cpu ")) {
            ++times.n_cpus;
            continue;
        }
        // user nice system idle iowait irq softirq steal; what guests take is in the first two.
        constexpr size_t kIdle = 3, kWaits = 4, kStolen = 7;
        std::istringstream fields(line.substr(4));
        uint64_t ticks = 0;
        for (size_t i = 0; i <= kStolen && fields >> ticks; ++i) {
            times.all += ticks;
            if (i != kIdle && i != kWaits && i != kStolen) times.busy += ticks;
        }
    }
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(base::procfs(), error)) {
        const std::string name = entry.path().filename().string();
        if (name.find_first_not_of("0123456789") == std::string::npos) times.llmd += ticks_of_llmd(entry.path());
    }
    return times;
}

OtherPrograms other_programs(const ProcessorTimes& before, const ProcessorTimes& after) {
    if (after.all <= before.all || after.n_cpus == 0) return {};
    const auto passed = [](uint64_t from, uint64_t to) { return static_cast<double>(to > from ? to - from : 0); };
    const double others = passed(before.busy, after.busy) - passed(before.llmd, after.llmd);
    const double share = std::max(0.0, others) / passed(before.all, after.all);
    return {share * after.n_cpus, after.n_cpus};
}

bool OtherPrograms::is_much() const {
    return cpus > kMuch * n_cpus;
}

std::string OtherPrograms::text() const {
    if (n_cpus == 0) return {};
    std::ostringstream out;
    out << std::fixed << std::setprecision(1) << "other programs keep " << cpus << " of " << n_cpus
        << (n_cpus == 1 ? " CPU busy" : " CPUs busy");
    return out.str();
}

std::string OtherPrograms::consequence() const {
    return is_much() ? "answers take longer meanwhile, and a speed that is measured now is lower than it would be "
                       "without them"
                     : "";
}

ProcessorLook::ProcessorLook() : before_(processor_times()), began_ms_(monotonic_ms()) {}

OtherPrograms ProcessorLook::finish() {
    const std::chrono::milliseconds passed(monotonic_ms() - began_ms_);
    if (before_.all != 0 && passed < kLook) std::this_thread::sleep_for(kLook - passed);
    return other_programs(before_, processor_times());
}

}  // namespace llmd::client
