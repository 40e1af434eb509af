// Memory pressure that a test makes up.
#pragma once

#include <functional>
#include <utility>

#include "platform/memory_pressure.h"

namespace llmd::service {

class FakePressure final : public platform::MemoryPressure {
public:
    void on_stall(std::function<void()> callback) override { stall = std::move(callback); }
    std::function<void()> stall;
};

}  // namespace llmd::service
