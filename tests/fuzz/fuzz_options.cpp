// Hostile option dictionaries: whatever read_call() accepts of the bus must be inside every limit, whatever it
// refuses must be InvalidArgument with one clean line that begins with the key. Input: entries of one byte for the key
// (a known one, or 255: a made-up one), one byte for the type, then the value. New keys go to the end, so that the kept
// inputs keep theirs.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "api/bus_options.h"
#include "api/fields.h"

namespace {

using llmd::base::Value;
using llmd::service::RequestLimits;

constexpr const char* kKeys[] = {"handle_token",
                                 "model",
                                 "system",
                                 "max_tokens",
                                 "temperature",
                                 "top_k",
                                 "top_p",
                                 "min_p",
                                 "seed",
                                 "repeat_penalty",
                                 "stop",
                                 "json_schema",
                                 "priority",
                                 "deadline_ms",
                                 "delivery",
                                 "format",
                                 "echo",
                                 "role",
                                 "content",
                                 "dimensions",
                                 "min_tokens",
                                 "ignore_eos",
                                 "stop_token_ids",
                                 "presence_penalty",
                                 "frequency_penalty",
                                 "repeat_last_n",
                                 "logit_bias",
                                 "tools",
                                 "tool_choice",
                                 "parallel_tool_calls",
                                 "bare_calls",
                                 "thinking",
                                 "tool_calls",
                                 "tool_call_id",
                                 "tool_name",
                                 "grammar",
                                 "regex",
                                 "choices"};

void require(bool condition) {
    if (!condition) __builtin_trap();
}

class Input {
public:
    Input(const uint8_t* data, size_t size) : rest_(reinterpret_cast<const char*>(data), size) {}
    bool empty() const { return rest_.empty(); }
    std::string_view take(size_t n) {
        const std::string_view part = rest_.substr(0, n);
        rest_.remove_prefix(part.size());
        return part;
    }
    uint8_t byte() { return empty() ? 0 : static_cast<uint8_t>(take(1)[0]); }
    uint64_t word() {
        const std::string_view bytes = take(8);
        uint64_t value = 0;
        std::memcpy(&value, bytes.data(), bytes.size());
        return value;
    }
    std::string text() {
        const size_t n = byte();
        return std::string(take(n));
    }

private:
    std::string_view rest_;
};

Value read_value(Input& input) {
    switch (input.byte() % 9) {
        case 0:
            return (input.byte() & 1) != 0;
        case 1:
            return static_cast<int64_t>(input.word());
        case 2:
            return input.word();
        case 3:
            return int64_t{input.byte()};
        case 4: {
            const uint64_t bits = input.word();
            double number = 0;
            std::memcpy(&number, &bits, sizeof number);
            return number;
        }
        case 5:
            return input.text();
        case 6: {
            std::vector<std::string> strings(input.byte() % 32);
            for (std::string& string : strings) string = input.text();
            return strings;
        }
        case 7:
            return Value::Other{input.text()};
        default: {  // an array or a dictionary, which JSON spells
            size_t n = input.byte();
            n += size_t{input.byte()} << 8;
            auto value = llmd::base::parse_json(input.take(n));
            return value ? std::move(*value) : Value(Value::Array{});
        }
    }
}

bool in_range(double value, double least, double most) {
    return value >= least && value <= most;
}

void check_accepted(const llmd::api::Call& options) {
    const auto& request = options.request;
    require(request.max_tokens <= RequestLimits::kMaxTokens);
    require(in_range(request.sampling.temperature, 0, RequestLimits::kMaxTemperature));
    require(request.sampling.top_k <= RequestLimits::kMaxTopK);
    require(in_range(request.sampling.top_p, 0, 1));
    require(in_range(request.sampling.min_p, 0, 1));
    require(request.sampling.repeat_penalty > 0);
    require(in_range(request.sampling.repeat_penalty, 0, RequestLimits::kMaxRepeatPenalty));
    require(request.stops.size() <= RequestLimits::kMaxStops);
    for (const auto& stop : request.stops) require(!stop.empty() && stop.size() <= RequestLimits::kMaxStopBytes);
    require(in_range(request.sampling.presence_penalty, -RequestLimits::kMaxPenalty, RequestLimits::kMaxPenalty));
    require(in_range(request.sampling.frequency_penalty, -RequestLimits::kMaxPenalty, RequestLimits::kMaxPenalty));
    require(in_range(request.sampling.repeat_last_n, -1, RequestLimits::kMaxRepeatLastN));
    require(request.sampling.min_tokens <= RequestLimits::kMaxTokens);
    require(request.sampling.logit_bias.size() <= RequestLimits::kMaxLogitBias);
    for (const auto& [token, bias] : request.sampling.logit_bias) {
        require(token >= 0 && in_range(bias, -RequestLimits::kMaxBias, RequestLimits::kMaxBias));
    }
    require(request.sampling.stop_token_ids.size() <= RequestLimits::kMaxStopTokenIds);
    for (const int32_t token : request.sampling.stop_token_ids) require(token >= 0);
    require(request.tools.size() <= RequestLimits::kMaxToolsBytes);
    require(request.model.find('/') == std::string::npos);
    require(!request.deadline ||
            (request.deadline->count() >= 1 && request.deadline->count() <= int64_t{RequestLimits::kMaxDeadlineMs}));
    require(options.handle_token.size() <= llmd::api::kMaxHandleTokenBytes);
    require(options.handle_token.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
            std::string::npos);
}

void check_refused(const llmd::base::Error& error, const Value::Object& options) {
    require(error.code == llmd::base::ErrorCode::InvalidArgument);
    for (const char c : error.message) require(static_cast<unsigned char>(c) >= 0x20);
    // The key may be an element's too: "logit_bias[2].bias: ..."
    require(find(options, error.message.substr(0, error.message.find_first_of(":[."))) != nullptr);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    Input input(data, size);
    Value::Object options;
    while (!input.empty()) {
        const uint8_t key = input.byte();
        const std::string name = key == 255 ? input.text() : kKeys[key % std::size(kKeys)];
        if (!find(options, name)) options.push_back({name, read_value(input)});
    }
    const auto parsed = llmd::api::read_call(options, llmd::api::kBus);
    parsed ? check_accepted(*parsed) : check_refused(parsed.error(), options);
    llmd::api::Call none;
    if (const auto taken = llmd::api::take_messages(none, {options, options}); !taken) {
        require(taken.error().message.starts_with("messages"));
    }
    if (const auto model = llmd::api::parse_model_option(options)) {
        require(model->find('/') == std::string::npos);
    } else {
        check_refused(model.error(), options);
    }
    return 0;
}
