#include "client/report.h"

#include <unistd.h>

#include <string>

#include "base/json_writer.h"
#include "base/utf8.h"
#include "client/arguments.h"
#include "client/output.h"

namespace llmd::client {

void report(const CommandError& error, bool json) {
    if (*error.what() == 0) return;
    std::string message = error.name() == "InvalidArgument" ? with_option_name(error.what()) : error.what();
    if (error.code() == ExitCode::Busy) message += "; try again later, 'llmctl queue' shows the requests";
    tell("llmctl: " + base::shown(message) + '\n', TextOutput::Style::Bad);
    if (!json) return;
    try {
        base::JsonWriter out;
        out.begin_object().key("error").begin_object();
        out.key("name").value(error.name().empty() ? "Failed" : error.name()).key("message").value(error.what());
        out.end_object().end_object();
        write_all(STDOUT_FILENO, out.take() + '\n');
    } catch (const CommandError&) {  // a full disk: there is nowhere left to say so
    }
}

}  // namespace llmd::client
