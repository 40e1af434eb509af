// describe_frames: prints the frames between llmd and its engines (protocol/ask.h) as JSON, for tests in Python:
// {MESSAGE: [[FIELD, KIND, DEFAULT], …], …} in the order of their types. A kind is a letter of Python's struct, "s"
// (bytes), "[" and a kind (a list), "?" and a kind (one or none), or for a list of records their fields.
#include <array>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/json_writer.h"
#include "protocol/frame.h"

namespace {

using namespace llmd;

template <typename T>
constexpr std::string_view letter_of() {
    if constexpr (std::is_same_v<T, std::string>) {
        return "s";
    } else if constexpr (std::is_same_v<T, float>) {
        return "f";
    } else if constexpr (std::is_same_v<T, bool>) {
        return "B";
    } else {
        constexpr std::array<std::string_view, 4> kUnsigned = {"B", "H", "I", "Q"}, kSigned = {"b", "h", "i", "q"};
        constexpr size_t kPower = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
        return std::is_signed_v<T> ? kSigned[kPower] : kUnsigned[kPower];
    }
}

class Describer {
public:
    explicit Describer(base::JsonWriter& json) : json_(json) {}

    template <typename T>
    void number(std::string_view name, const T& value) {
        begin(name, std::string(letter_of<T>()));
        json_.value(static_cast<double>(value)).end_array();
    }
    template <typename T>
    void choice(std::string_view name, const T& value, T) {
        number(name, static_cast<uint8_t>(value));
    }
    void bytes(std::string_view name, const std::string& value) {
        begin(name, "s");
        json_.value(value).end_array();
    }
    void text(std::string_view name, const std::string&) { plain(name, "s"); }
    template <typename T>
    void list(std::string_view name, const std::vector<T>&) {
        plain(name, "[" + std::string(letter_of<T>()));
    }
    void texts(std::string_view name, const std::vector<std::string>&) { plain(name, "[s"); }
    template <typename T>
    void optional(std::string_view name, const std::optional<T>&) {
        plain(name, "?" + std::string(letter_of<T>()));
    }
    template <typename T>
    void records(std::string_view name, const std::vector<T>&, uint32_t) {
        json_.begin_array().value(name.substr(name.rfind('.') + 1)).begin_array();
        const T record{};
        T::fields(*this, record);
        json_.end_array().null().end_array();
    }

private:
    void begin(std::string_view name, const std::string& kind) {
        json_.begin_array().value(name.substr(name.rfind('.') + 1)).value(kind);
    }
    void plain(std::string_view name, const std::string& kind) {
        begin(name, kind);
        json_.null().end_array();
    }
    base::JsonWriter& json_;
};

template <size_t Type>
void describe(base::JsonWriter& json) {
    const std::variant_alternative_t<Type, protocol::Message> message{};
    json.key(protocol::message_name(message)).begin_array();
    Describer describer(json);
    std::variant_alternative_t<Type, protocol::Message>::fields(describer, message);
    json.end_array();
}

template <size_t... Types>
void describe_all(base::JsonWriter& json, std::index_sequence<Types...>) {
    (describe<Types>(json), ...);
}

}  // namespace

int main() {
    base::JsonWriter json;
    json.begin_object();
    describe_all(json, std::make_index_sequence<std::variant_size_v<protocol::Message>>());
    std::cout << json.end_object().take() << '\n';
}
