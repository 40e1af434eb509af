#include "client/counts.h"

#include <iomanip>
#include <sstream>

namespace llmd::client {

std::string counted(uint64_t count, const std::string& noun) {
    return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
}

std::string size_text(uint64_t bytes) {
    std::ostringstream out;
    out << std::fixed << std::setprecision(1);
    if (bytes >= 1000'000'000) {
        out << static_cast<double>(bytes) / 1e9 << " GB";
    } else {
        out << static_cast<double>(bytes) / 1e6 << " MB";
    }
    return out.str();
}

}  // namespace llmd::client
