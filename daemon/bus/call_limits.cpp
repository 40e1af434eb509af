#include "bus/call_limits.h"

#include <cstdint>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace llmd::bus {

namespace {

// Walks through a message and counts.
class Walk {
public:
    explicit Walk(sdbus::Message& message) : message_(message) {}

    // Until the end of the container that the message is in. False: a limit has been passed.
    bool read_all(bool counts_elements) {
        for (NextValue next = peek(message_); next.type != 0; next = peek(message_)) {
            if (counts_elements && !is_number(next.type)) ++n_entries_;
            read(next);
            if (is_beyond()) return false;
        }
        return true;
    }
    bool has_too_many_entries() const { return n_entries_ > kMaxCallEntries; }

private:
    bool is_beyond() const { return has_too_many_entries() || n_bytes_ > kMaxCallBytes; }

    static bool is_number(char type) { return std::strchr("ybnqiuxtd", type) != nullptr; }

    template <typename T>
    void read_fixed() {
        T value{};
        message_ >> value;
        n_bytes_ += sizeof(value);
    }
    template <typename T>
    void read_object() {
        T value;
        message_ >> value;
        n_bytes_ += value.size();
    }

    // Leaves a container only where it was read to its end: sd-bus refuses to leave it before.
    void read(const NextValue& next) {
        static constexpr std::pair<char, void (Walk::*)()> kPlain[] = {
            {'b', &Walk::read_fixed<bool>},
            {'y', &Walk::read_fixed<uint8_t>},
            {'n', &Walk::read_fixed<int16_t>},
            {'q', &Walk::read_fixed<uint16_t>},
            {'i', &Walk::read_fixed<int32_t>},
            {'u', &Walk::read_fixed<uint32_t>},
            {'x', &Walk::read_fixed<int64_t>},
            {'t', &Walk::read_fixed<uint64_t>},
            {'d', &Walk::read_fixed<double>},
            {'o', &Walk::read_object<sdbus::ObjectPath>},
            {'g', &Walk::read_object<sdbus::Signature>},
        };
        for (const auto& [type, read_it] : kPlain) {
            if (type == next.type) return (this->*read_it)();
        }
        const char* contents = next.contents.c_str();
        switch (next.type) {
            case 'a':
                message_.enterContainer(contents);
                if (read_all(true)) message_.exitContainer();
                break;
            case 'e':
                message_.enterDictEntry(contents);
                if (read_all(false)) message_.exitDictEntry();
                break;
            case 'r':
                message_.enterStruct(contents);
                if (read_all(false)) message_.exitStruct();
                break;
            case 'v':
                message_.enterVariant(contents);
                if (read_all(false)) message_.exitVariant();
                break;
            case 's': {
                char* text = nullptr;  // the message's own
                message_ >> text;
                n_bytes_ += text == nullptr ? 0 : std::strlen(text);
                break;
            }
            case 'h': {
                sdbus::UnixFd fd;
                message_ >> fd;
                break;
            }
            default:
                throw make_error("org.freedesktop.DBus.Error.InvalidArgs", "a value of an unknown D-Bus type");
        }
    }

    sdbus::Message& message_;
    size_t n_entries_ = 0;
    size_t n_bytes_ = 0;
};

}  // namespace

std::optional<std::string> excess_of(sdbus::Message& call) {
    Walk walk(call);
    if (walk.read_all(false)) {
        call.rewind(true);
        return std::nullopt;
    }
    return walk.has_too_many_entries()
               ? base::concat("the arguments of a call may have at most ", kMaxCallEntries, " entries together")
               : base::concat("the arguments of a call may have at most ", kMaxCallBytes, " bytes together");
}

}  // namespace llmd::bus
