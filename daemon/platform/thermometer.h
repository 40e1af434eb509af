// How near the device is to the temperatures at which its kernel does something about them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace llmd::platform {

using MilliCelsius = int32_t;  // as the kernel reports it

// The thermal zone that has the least left to a trip point of a kind.
struct NearestTrip {
    std::string zone;  // its type, "cpu0-thermal"
    MilliCelsius temperature = 0;
    MilliCelsius trip = 0;
    MilliCelsius left() const { return trip - temperature; }
    bool operator==(const NearestTrip&) const = default;
};

struct HeatReading {
    std::optional<NearestTrip> passive;  // where the kernel slows devices down
    std::optional<NearestTrip> hot;      // where it warns, or turns the device off
};

class Thermometer {
public:
    virtual ~Thermometer() = default;
    // Nothing where no zone has a temperature and a trip point.
    virtual std::optional<HeatReading> read() = 0;
};

// The thermal zones below `sysfs` (Linux: driver-api/thermal/sysfs-api). Their trip points are read at the first
// reading. A value that cannot be read or makes no sense is passed over: drivers of phones have both.
std::unique_ptr<Thermometer> make_thermometer(const std::string& sysfs = "/sys");

}  // namespace llmd::platform
