// `llmctl generate`
#include <sys/stat.h>
#include <unistd.h>

#include <iomanip>
#include <sstream>
#include <utility>

#include "client/calendar.h"
#include "client/commands.h"
#include "client/llmd_client.h"
#include "client/output.h"
#include "client/prompt.h"
#include "client/text_stream.h"

namespace llmd::client {
namespace {

std::string summary(const Dictionary& result) {
    const uint64_t waited = number_of(result, "queue_ms");
    const uint64_t first = number_of(result, "ttft_ms");
    std::ostringstream out;
    out << std::fixed << std::setprecision(1);
    out << "llmctl: waited " << waited << " ms, prompt " << number_of(result, "prompt_tokens") << " tokens ("
        << number_of(result, "cached_tokens") << " cached) at " << real_of(result, "prefill_tps")
        << "/s, first token after " << (first > waited ? first - waited : 0) << " ms, generated "
        << number_of(result, "generated_tokens") << " at " << real_of(result, "decode_tps") << "/s";
    if (const uint64_t drafted = number_of(result, "drafted"); drafted > 0) {
        out << " (" << number_of(result, "accepted") << " of " << drafted << " drafted tokens accepted)";
    }
    out << '\n';
    out << "llmctl: model " << text_of(result, "model") << ", seed " << number_of(result, "seed") << ", ended by "
        << text_of(result, "finish_reason") << '\n';
    return out.str();
}

// Where what is printed may end up in the middle of a line that standard error goes on with: both are the same file or
// pipe, or another program prints this one's output on the terminal. On a terminal of its own the text ends its line.
bool output_leads_to_errors() {
    struct stat out = {};
    struct stat errors = {};
    if (::isatty(STDOUT_FILENO) == 1 || ::fstat(STDOUT_FILENO, &out) != 0 || ::fstat(STDERR_FILENO, &errors) != 0) {
        return false;
    }
    const bool same = out.st_dev == errors.st_dev && out.st_ino == errors.st_ino;
    return same || (S_ISFIFO(out.st_mode) && ::isatty(STDERR_FILENO) == 1);
}

ExitCode generate(const std::string& prompt, const Dictionary& options, const Arguments& arguments) {
    const LlmdClient client = connect_to_llmd();
    auto source = client.stream(prompt, options);
    Interrupts interrupts;
    TextStream text(std::move(source), interrupts, {.text = !arguments.json, .thinking = !arguments.no_thinking});
    const TextStream::End end = text.run();
    if (end == TextStream::End::NobodyReads) return ExitCode::Ok;  // disconnecting cancels

    const Dictionary result = text.result();
    if (arguments.json) print_json(result);
    if (end == TextStream::End::Interrupted) return ExitCode::Interrupted;
    std::string notes = arguments.verbose ? summary(result) : "";
    if (!arguments.json) notes += fallback_hint(result, options) + remote_hint(result) + schema_hint(result);
    if (!arguments.json) notes += cut_hint(text, options);
    if (!arguments.json && ::isatty(STDERR_FILENO) == 1) notes += continuation_hint(result, options);
    if (!notes.empty()) {
        const bool mid_line = !arguments.json && !text.text().empty() && text.text().back() != '\n';
        tell((mid_line && output_leads_to_errors() ? "\n" : "") + notes);
    }
    if (text_of(result, "finish_reason") == "cancelled") {
        if (arguments.json) return ExitCode::Failed;
        throw CommandError(ExitCode::Failed, "another program cancelled the request", "Cancelled");
    }
    return ExitCode::Ok;
}

}  // namespace

ExitCode run_generate(const Arguments& arguments) {
    const std::string prompt = read_prompt(arguments.operands, STDIN_FILENO);
    Dictionary options = arguments.request;
    const std::string schema_file = text_of(options, "json_schema");
    if (options.contains("json_schema")) options["json_schema"] = read_text_file("--json-schema", schema_file);
    if (arguments.calendar) options["system"] = with_calendar(text_of(options, "system"));
    if (options.contains("thinking") && !options.contains("system")) {
        throw CommandError(ExitCode::Usage,
                           "--thinking: only in a conversation, which --system or --calendar makes of the prompt");
    }
    try {
        return generate(prompt, options, arguments);
    } catch (const CommandError& error) {
        throw with_file_name(error, "json_schema", schema_file);
    }
}

}  // namespace llmd::client
