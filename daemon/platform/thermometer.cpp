#include "platform/thermometer.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/unique_fd.h"
#include "base/utf8.h"

namespace llmd::platform {
namespace {

// A kernel has at most 12 in a zone before 6.8, and nobody describes more.
constexpr int kMaxTrips = 32;
// A value that is not between these is a driver's way to say that there is none.
constexpr MilliCelsius kColdest = -40'000;
constexpr MilliCelsius kHottest = 200'000;

// The file's first line; nothing when it cannot be read. A sysfs file gives its whole content at once.
std::optional<std::string> read_line(const std::string& path) {
    const base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd) return std::nullopt;
    std::array<char, 128> bytes;
    const ssize_t n = ::read(fd.get(), bytes.data(), bytes.size());
    if (n <= 0) return std::nullopt;
    const std::string_view text(bytes.data(), static_cast<size_t>(n));
    return std::string(text.substr(0, text.find('\n')));
}

std::optional<MilliCelsius> read_temperature(const std::string& path) {
    const auto line = read_line(path);
    if (!line) return std::nullopt;
    MilliCelsius value = 0;
    const auto [end, error] = std::from_chars(line->data(), line->data() + line->size(), value);
    if (error != std::errc() || end == line->data() || value < kColdest || value > kHottest) return std::nullopt;
    return value;
}

// The nearer of the two; an equal one changes nothing.
void keep_nearer(std::optional<NearestTrip>& nearest, const NearestTrip& other) {
    if (!nearest || other.left() < nearest->left()) nearest = other;
}

void keep_lower(std::optional<MilliCelsius>& lowest, MilliCelsius other) {
    if (!lowest || other < *lowest) lowest = other;
}

class SysfsThermometer final : public Thermometer {
public:
    explicit SysfsThermometer(std::string folder) : folder_(std::move(folder)) {}

    std::optional<HeatReading> read() override {
        if (!zones_) find_zones();
        HeatReading reading;
        for (const Zone& zone : *zones_) {
            const auto temperature = read_temperature(zone.file);
            if (!temperature) continue;
            if (zone.passive) keep_nearer(reading.passive, {zone.type, *temperature, *zone.passive});
            if (zone.hot) keep_nearer(reading.hot, {zone.type, *temperature, *zone.hot});
        }
        if (!reading.passive && !reading.hot) return std::nullopt;
        return reading;
    }

private:
    struct Zone {
        std::string file;  // of its temperature
        std::string type;
        std::optional<MilliCelsius> passive, hot;  // the lowest of each kind
    };

    void find_zones() {
        zones_.emplace();
        std::error_code ignored;
        for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored)) {
            const std::string name = entry.path().filename().string();
            if (!name.starts_with("thermal_zone")) continue;
            const std::string path = entry.path().string();
            Zone zone{path + "/temp", base::to_clean_text(read_line(path + "/type").value_or(name)), {}, {}};
            for (int i = 0; i < kMaxTrips; ++i) {
                const std::string trip = path + "/trip_point_" + std::to_string(i);
                const auto type = read_line(trip + "_type");
                if (!type) break;
                const auto temperature = read_temperature(trip + "_temp");
                // 0 °C and less: not set.
                if (!temperature || *temperature <= 0) continue;
                if (*type == "passive") keep_lower(zone.passive, *temperature);
                if (*type == "hot" || *type == "critical") keep_lower(zone.hot, *temperature);
            }
            if (zone.passive || zone.hot) zones_->push_back(std::move(zone));
        }
    }

    const std::string folder_;
    std::optional<std::vector<Zone>> zones_;
};

}  // namespace

std::unique_ptr<Thermometer> make_thermometer(const std::string& sysfs) {
    return std::make_unique<SysfsThermometer>(sysfs + "/class/thermal");
}

}  // namespace llmd::platform
