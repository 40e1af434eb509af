// The llmctl commands, run once their arguments are known. Results go to standard output, everything else to standard
// error. Throws CommandError.
#pragma once

#include "client/arguments.h"
#include "client/exit_code.h"

namespace llmd::client {

ExitCode run_generate(const Arguments& arguments);  // generate.cpp
ExitCode run_chat(const Arguments& arguments);      // chat.cpp
ExitCode run_models(const Arguments& arguments);
ExitCode run_load(const Arguments& arguments);
ExitCode run_unload(const Arguments& arguments);
ExitCode run_status(const Arguments& arguments);
ExitCode run_queue(const Arguments& arguments);
ExitCode run_cancel(const Arguments& arguments);
ExitCode run_tokenize(const Arguments& arguments);
ExitCode run_embed(const Arguments& arguments);
ExitCode run_version(const Arguments& arguments);
ExitCode run_import(const Arguments& arguments);   // import.cpp
ExitCode run_pull(const Arguments& arguments);     // import.cpp
ExitCode run_rm(const Arguments& arguments);       // settings.cpp
ExitCode run_default(const Arguments& arguments);  // settings.cpp
ExitCode run_config(const Arguments& arguments);   // settings.cpp
ExitCode run_remote(const Arguments& arguments);   // remote.cpp
ExitCode run_bench(const Arguments& arguments);    // bench.cpp
ExitCode run_doctor(const Arguments& arguments);   // doctor.cpp
ExitCode run_report(const Arguments& arguments);   // device_report.cpp
ExitCode run_bridge(const Arguments& arguments);   // bridge.cpp
ExitCode run_show(const Arguments& arguments);     // show.cpp
ExitCode run_logs(const Arguments& arguments);     // logs.cpp
ExitCode run_start(const Arguments& arguments);    // start.cpp

// The end of a command that has nothing else to say: prints {"ok":true} with --json.
ExitCode done(const Arguments& arguments);

}  // namespace llmd::client
