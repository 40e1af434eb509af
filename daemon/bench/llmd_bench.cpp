// llmd-bench: speed and fidelity of the engine from the shell, without a daemon.
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "bench/bench_eval.h"
#include "bench/bench_launches.h"
#include "bench/bench_options.h"
#include "bench/bench_speculation.h"
#include "bench/bench_speed.h"

namespace {

using namespace llmd;

enum ExitCode : int { kOk = 0, kFailed = 1, kUsage = 2 };

void write(FILE* stream, std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stream);
}

base::Result<std::string> run(const bench::Options& options) {
    switch (options.command) {
        case bench::Command::Help:
            return std::string(bench::kHelp);
        case bench::Command::Version:
            return std::string("llmd-bench " LLMD_VERSION "\n");
        case bench::Command::Speed:
            return bench::run_speed(options);
        case bench::Command::Eval:
            return bench::run_eval(options);
        case bench::Command::Launches:
            return bench::run_launches(options);
        case bench::Command::Speculation:
            return bench::run_speculation(options);
    }
    return std::string();
}

}  // namespace

int main(int argc, char** argv) {
    const auto options = bench::parse_options(std::vector<std::string>(argv + 1, argv + argc));
    if (!options) {
        write(stderr, "llmd-bench: " + options.error().message + "\n\n");
        write(stderr, bench::kHelp);
        return kUsage;
    }
    const auto output = run(*options);
    if (!output) {
        write(stderr,
              base::concat("llmd-bench: ", base::error_name(output.error().code), ": ", output.error().message, "\n"));
        return kFailed;
    }
    write(stdout, *output);
    return std::fflush(stdout) == 0 ? kOk : kFailed;
}
