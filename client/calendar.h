// Which day it is, for models that are to understand "tomorrow" and "on Sunday". The bundled model has learned to look
// days up in these words (models/training/README.md) and counts none; any other model can read them too.
#pragma once

#include <chrono>
#include <string>

namespace llmd::client {

// "Today is Thursday, 2026-11-26." and, on a line of its own, the seven days after it.
std::string calendar(std::chrono::sys_days today);
// A system message with the calendar of the day that it is here at its end.
std::string with_calendar(const std::string& system);

}  // namespace llmd::client
