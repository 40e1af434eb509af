// A text on its way from the daemon to standard output, while Ctrl-C and, on a terminal, a progress line are served.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"
#include "client/llmd_client.h"
#include "client/output.h"

namespace llmd::client {

// Ctrl-C as a descriptor, so that the wait for text and for the signal are one. Until release() it does nothing else;
// then it ends the program again.
class Interrupts {
public:
    Interrupts();
    ~Interrupts() { release(); }
    Interrupts(const Interrupts&) = delete;
    Interrupts& operator=(const Interrupts&) = delete;

    int fd() const { return fd_.get(); }
    // Takes them again after release(). Like that it forgets those that have come.
    void hold();
    void release();

private:
    base::UniqueFd fd_;
};

// One generation, from the opened stream to its last line.
class TextStream {
public:
    enum class End {
        Complete,
        Interrupted,  // by Ctrl-C
        NobodyReads,  // standard output
    };
    struct Show {
        bool text = true;           // on standard output, as it comes
        bool leading_space = true;  // of the whole text
        // The model's thinking is in result(), and with `text` also on standard output, dim, where that is a terminal
        // that can. Elsewhere the progress line says that the model thinks.
        bool thinking = true;
    };

    // `interrupts` must outlive the stream. Destruction cancels what has not ended.
    TextStream(std::unique_ptr<TextSource> source, Interrupts& interrupts, Show show);

    // Throws CommandError with the daemon's error when the generation failed, and Unreachable when the daemon ended.
    End run();

    // So far.
    const std::string& text() const { return text_; }
    // The calls of tools, whole when the text's finish_reason is "tool_calls". After run().
    const std::vector<ToolCall>& calls() const { return calls_; }
    // Returns what `--json` promises: text, thinking, tool_calls where there are any, finish_reason and the daemon's
    // counts. After run().
    Dictionary result() const;

private:
    enum class Ready { Descriptor, Interrupt, Nothing };

    Ready wait(int fd, short events);
    End write(std::string_view text, TextOutput::Style style);
    End read_some();
    End take_thinking(std::string_view text);
    End take_text(std::string_view text);
    void take_call(const ToolCall& part);
    void report_progress();

    const std::unique_ptr<TextSource> source_;
    Interrupts& interrupts_;
    const Show show_;
    TextOutput output_;
    ProgressLine progress_;
    std::string thinking_;
    std::string text_;
    std::vector<ToolCall> calls_;
    bool thinks_ = false;          // before the text
    bool shows_thinking_ = false;  // something of it has been shown
    bool shown_ = false;           // something of the text has been
    bool ended_ = false;
    StreamLine last_;
};

// A line for a person whose text ended because its length did: after how many tokens, and what gives it more. Empty
// where it ended otherwise, or was asked to have no token. `options` are those that it was asked for with.
std::string cut_hint(const Dictionary& result, const Dictionary& options);
// The same for standard error, which may be no terminal: then it is empty where the cut text can be read all the same.
// Cut JSON cannot, nor can a text without a word or with a call that breaks off.
std::string cut_hint(const TextStream& text, const Dictionary& options);

// A line for a person whose text has not been generated on this device: where it was, and whether it had to be resumed.
// Empty where this device did it.
std::string remote_hint(const Dictionary& result);
// Where the bundled model was to continue a text, which it has not learned.
std::string continuation_hint(const Dictionary& result, const Dictionary& options);
// Which model of --fallback has answered, where one has because others failed.
std::string fallback_hint(const Dictionary& result, const Dictionary& options);
// A line for each keyword of --json-schema that is not enforced.
std::string schema_hint(const Dictionary& result);

}  // namespace llmd::client
