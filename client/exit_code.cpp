#include "client/exit_code.h"

namespace llmd::client {

void throw_failed(const std::string& message) {
    throw CommandError(ExitCode::Failed, message);
}

}  // namespace llmd::client
