#include "client/pipe_text.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "client/exit_code.h"

namespace llmd::client {

std::optional<std::vector<StreamLine>> PipeText::read() {
    std::array<char, 16384> bytes;
    const ssize_t count = ::read(pipe_.get(), bytes.data(), bytes.size());
    if (count == 0) return std::nullopt;
    if (count > 0) return reader_.take({bytes.data(), static_cast<size_t>(count)});
    if (errno == EINTR) return std::vector<StreamLine>();
    throw CommandError(ExitCode::Failed, std::string("reading the text: ") + std::strerror(errno));
}

}  // namespace llmd::client
