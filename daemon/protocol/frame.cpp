#include "protocol/frame.h"

#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "base/utf8.h"

namespace llmd::protocol {
namespace {

using base::ErrorCode;
using base::fail;

constexpr size_t kLengthBytes = 4;
constexpr size_t kTypeBytes = 1;

constexpr std::array<std::string_view, std::variant_size_v<Message>> kNames = {
    "Load",       "Submit",     "Start",    "Cancel",  "SetPaused", "Tokenize",      "PhaseChange", "LoadProgress",
    "Ready",      "LoadFailed", "Accepted", "Refused", "Tokens",    "Finished",      "Tokenized",   "Fault",
    "Inspection", "DropCache",  "SetPace",  "Started", "Pages",     "DeviceChosen",  "Detokenize",  "Detokenized",
    "Render",     "Rendered",   "Connect",  "Usage",   "SetLease",  "LeaseReleased",
};

// The unsigned integer that carries a T: its own bits for a float, its value otherwise.
template <typename T>
struct Wire {
    using Type = std::make_unsigned_t<T>;
};
template <>
struct Wire<float> {
    using Type = uint32_t;
};
template <>
struct Wire<bool> {
    using Type = uint8_t;
};

template <typename T>
void put_integer(std::string& out, T value) {
    for (size_t i = 0; i < sizeof(T); ++i) out.push_back(static_cast<char>(value >> (8 * i)));
}

template <typename T>
T get_integer(std::string_view in) {
    T value = 0;
    for (size_t i = 0; i < sizeof(T); ++i) {
        value = static_cast<T>(value | static_cast<T>(static_cast<T>(static_cast<uint8_t>(in[i])) << (8 * i)));
    }
    return value;
}

// Both directions share this: the first error stays, and nothing is done after it.
class Walk {
public:
    explicit Walk(size_t type) : name_(kNames[type]) {}
    const std::optional<base::Error>& error() const { return error_; }

protected:
    template <typename... Parts>
    void refuse(std::string_view field, const Parts&... parts) {
        if (!error_) error_ = fail(ErrorCode::InvalidArgument, name_, ".", field, ": ", parts...);
    }
    bool failed() const { return error_.has_value(); }
    bool check_count(std::string_view field, size_t count, uint32_t limit, std::string_view unit) {
        if (count > limit) refuse(field, count, " ", unit, " are more than ", limit);
        return !failed();
    }

private:
    std::string_view name_;
    std::optional<base::Error> error_;
};

class Encoder : public Walk {
public:
    Encoder(size_t type, std::string& out) : Walk(type), out_(out) {}

    template <typename T>
    void number(std::string_view field, const T& value) {
        if constexpr (std::is_same_v<T, float>) {
            if (!std::isfinite(value)) refuse(field, value, " is not finite");
            put_integer(out_, std::bit_cast<uint32_t>(value));
        } else {
            put_integer(out_, static_cast<typename Wire<T>::Type>(value));
        }
    }
    template <typename T>
    void choice(std::string_view field, const T& value, T last) {
        if (value > last) refuse(field, "unknown value ", static_cast<uint32_t>(value));
        put_integer(out_, static_cast<uint8_t>(value));
    }
    void bytes(std::string_view field, const std::string& value) {
        if (!check_count(field, value.size(), kMaxStringBytes, "bytes")) return;
        put_integer(out_, static_cast<uint32_t>(value.size()));
        out_ += value;
    }
    void text(std::string_view field, const std::string& value) { bytes(field, value); }
    template <typename T>
    void list(std::string_view field, const std::vector<T>& values) {
        if (!check_count(field, values.size(), kMaxArrayElements, "elements")) return;
        put_integer(out_, static_cast<uint32_t>(values.size()));
        for (const T& value : values) {
            if constexpr (std::is_same_v<T, std::string>) {
                bytes(field, value);
            } else {
                number(field, value);
            }
        }
    }
    void texts(std::string_view field, const std::vector<std::string>& values) { list(field, values); }
    template <typename T>
    void optional(std::string_view field, const std::optional<T>& value) {
        number(field, value.has_value());
        if (value) number(field, *value);
    }
    template <typename T>
    void records(std::string_view field, const std::vector<T>& values, uint32_t most) {
        if (!check_count(field, values.size(), most, "elements")) return;
        put_integer(out_, static_cast<uint32_t>(values.size()));
        for (const T& value : values) T::fields(*this, value);
    }

private:
    std::string& out_;
};

class Decoder : public Walk {
public:
    Decoder(size_t type, std::string_view in) : Walk(type), in_(in) {}

    template <typename T>
    void number(std::string_view field, T& value) {
        const auto bits = integer<typename Wire<T>::Type>(field);
        if constexpr (std::is_same_v<T, float>) {
            value = std::bit_cast<float>(bits);
            if (!std::isfinite(value)) refuse(field, value, " is not finite");
        } else if constexpr (std::is_same_v<T, bool>) {
            if (bits > 1) refuse(field, "unknown value ", static_cast<uint32_t>(bits));
            value = bits == 1;
        } else {
            value = static_cast<T>(bits);
        }
    }
    template <typename T>
    void choice(std::string_view field, T& value, T last) {
        const auto index = integer<uint8_t>(field);
        if (index > static_cast<uint8_t>(last)) {
            refuse(field, "unknown value ", static_cast<uint32_t>(index));
            return;
        }
        value = static_cast<T>(index);
    }
    void bytes(std::string_view field, std::string& value) { value = string(field); }
    void text(std::string_view field, std::string& value) { value = base::to_clean_text(string(field)); }
    template <typename T>
    void list(std::string_view field, std::vector<T>& values) {
        if constexpr (std::is_same_v<T, std::string>) {
            // The count says nothing yet about strings that take four bytes or more each: never allocated ahead.
            const uint32_t count = element_count(field, sizeof(uint32_t));
            for (uint32_t i = 0; i < count && !failed(); ++i) bytes(field, values.emplace_back());
        } else {
            values.resize(element_count(field, sizeof(T)));
            for (T& value : values) number(field, value);
        }
    }
    void texts(std::string_view field, std::vector<std::string>& values) {
        list(field, values);
        for (std::string& value : values) value = base::to_clean_text(value);
    }
    template <typename T>
    void records(std::string_view field, std::vector<T>& values, uint32_t most) {
        const auto count = integer<uint32_t>(field);
        if (!check_count(field, count, most, "elements")) return;
        // Never allocated ahead: the count says nothing yet about the bytes that follow.
        for (uint32_t i = 0; i < count && !failed(); ++i) T::fields(*this, values.emplace_back());
    }
    template <typename T>
    void optional(std::string_view field, std::optional<T>& value) {
        bool is_there = false;
        number(field, is_there);
        if (is_there) number(field, value.emplace());
    }
    void expect_end() {
        if (!in_.empty()) refuse("end", in_.size(), " trailing bytes");
    }

private:
    // The next n bytes; empty after an error.
    std::string_view take(std::string_view field, size_t n) {
        if (!failed() && n > in_.size()) refuse(field, "needs ", n, " bytes, the frame has ", in_.size(), " left");
        if (failed()) return {};
        const std::string_view taken = in_.substr(0, n);
        in_.remove_prefix(n);
        return taken;
    }
    template <typename T>
    T integer(std::string_view field) {
        const std::string_view taken = take(field, sizeof(T));
        return taken.empty() ? T{0} : get_integer<T>(taken);
    }
    std::string_view string(std::string_view field) {
        const auto size = integer<uint32_t>(field);
        if (!check_count(field, size, kMaxStringBytes, "bytes")) return {};
        return take(field, size);
    }
    uint32_t element_count(std::string_view field, size_t least_element_bytes) {
        const auto count = integer<uint32_t>(field);
        if (!check_count(field, count, kMaxArrayElements, "elements")) return 0;
        if (count * least_element_bytes > in_.size()) {
            refuse(field, count, " elements do not fit into the ", in_.size(), " bytes left");
            return 0;
        }
        return count;
    }

    std::string_view in_;
};

template <size_t Type>
base::Result<Message> decode_as(std::string_view body) {
    Decoder decoder(Type, body);
    Message message(std::in_place_index<Type>);
    std::variant_alternative_t<Type, Message>::fields(decoder, *std::get_if<Type>(&message));
    decoder.expect_end();
    if (decoder.error()) return *decoder.error();
    return message;
}

using DecodeFunction = base::Result<Message> (*)(std::string_view);

template <size_t... Types>
constexpr std::array<DecodeFunction, sizeof...(Types)> decode_functions(std::index_sequence<Types...>) {
    return {decode_as<Types>...};
}

constexpr auto kDecodeFunctions = decode_functions(std::make_index_sequence<std::variant_size_v<Message>>());

}  // namespace

std::string_view program_version() {
    return LLMD_VERSION;
}

std::string_view message_name(const Message& message) {
    return kNames[message.index()];
}

base::Result<void> encode(const Message& message, std::string& out) {
    const size_t begin = out.size();
    out.append(kLengthBytes, '\0');
    out.push_back(static_cast<char>(message.index()));
    Encoder encoder(message.index(), out);
    std::visit([&]<typename M>(const M& m) { M::fields(encoder, m); }, message);

    const size_t length = out.size() - begin - kLengthBytes;
    std::optional<base::Error> error = encoder.error();
    if (!error && length > kMaxFrameBytes) {
        error = fail(ErrorCode::InvalidArgument, message_name(message), ": a frame of ", length,
                     " bytes is longer than ", kMaxFrameBytes);
    }
    if (error) {
        out.resize(begin);
        return *error;
    }
    std::string prefix;
    put_integer(prefix, static_cast<uint32_t>(length));
    out.replace(begin, kLengthBytes, prefix);
    return {};
}

base::Result<Message> decode(std::string_view frame) {
    if (frame.empty()) return fail(ErrorCode::InvalidArgument, "frame: no message type");
    const auto type = static_cast<uint8_t>(frame.front());
    if (type >= kDecodeFunctions.size()) {
        return fail(ErrorCode::InvalidArgument, "frame: unknown message type ", static_cast<uint32_t>(type));
    }
    return kDecodeFunctions[type](frame.substr(kTypeBytes));
}

base::Result<std::optional<Message>> FrameReader::next() {
    const std::string_view unread = std::string_view(buffer_).substr(begin_);
    const bool has_length = unread.size() >= kLengthBytes;
    const size_t length = has_length ? get_integer<uint32_t>(unread) : 0;
    if (length > kMaxFrameBytes) {
        return fail(ErrorCode::InvalidArgument, "frame: a length of ", length, " bytes is more than ", kMaxFrameBytes);
    }
    if (!has_length || unread.size() - kLengthBytes < length) {
        buffer_.erase(0, begin_);
        begin_ = 0;
        return std::optional<Message>();
    }
    auto message = decode(unread.substr(kLengthBytes, length));
    if (!message) return std::move(message).error();
    begin_ += kLengthBytes + length;
    return std::optional<Message>(std::move(*message));
}

}  // namespace llmd::protocol
