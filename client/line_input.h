// The lines of standard input: typed by a person, with editing and a history of this run, or from a file or pipe.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace llmd::client {

class LineInput {
public:
    // The input is a person's when both standard input and standard error, where editing is shown, are terminals. Sets
    // the program's character set from the environment, or UTF-8.
    static std::unique_ptr<LineInput> open();
    virtual ~LineInput() = default;

    // The next line, without its end; nothing at the end of the input (Ctrl-D). A person sees `prompt` and can call
    // earlier lines back; Ctrl-C empties the line. Throws CommandError: TooLong past kMaxInputBytes, Failed.
    virtual std::optional<std::string> read(const std::string& prompt) = 0;
    virtual bool is_person() const = 0;

protected:
    LineInput() = default;
};

}  // namespace llmd::client
