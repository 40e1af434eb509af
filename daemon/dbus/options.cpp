#include "dbus/options.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "api/sampling_fields.h"
#include "base/json_writer.h"

namespace llmd::dbus {

namespace {

using base::Error;
using base::ErrorCode;
using base::fail;
using base::Result;
using service::RequestLimits;

// For messages: what the caller sent.
std::string describe(const OptionValue& value) {
    struct Describe {
        std::string operator()(bool v) const { return v ? "the boolean true" : "the boolean false"; }
        std::string operator()(int64_t v) const { return base::concat("the integer ", v); }
        std::string operator()(uint64_t v) const { return base::concat("the integer ", v); }
        std::string operator()(double v) const { return "the floating-point number " + base::digits(v); }
        std::string operator()(const std::string& v) const { return "the string " + base::in_quotes(v); }
        std::string operator()(const std::vector<std::string>& v) const {
            return base::concat("an array of ", v.size(), " strings");
        }
        std::string operator()(const OtherType& v) const {
            return "a value of D-Bus type " + base::in_quotes(v.signature);
        }
    };
    return std::visit(Describe{}, value);
}

Error wrong_type(std::string_view key, std::string_view expected, const OptionValue& value) {
    return fail(ErrorCode::InvalidArgument, key, ": expected ", expected, ", got ", describe(value));
}

// Reads options one after another and keeps the first error: a reader after that does nothing.
class OptionReader {
public:
    explicit OptionReader(const OptionMap& options) : options_(options) {}

    // Nothing when absent or when an earlier option was wrong.
    const OptionValue* find(std::string_view key) const {
        if (error_) return nullptr;
        const auto found = options_.find(std::string(key));
        return found == options_.end() ? nullptr : &found->second;
    }
    bool failed() const { return error_.has_value(); }
    Error error() const { return *error_; }

    template <typename Integer>
    void integer(std::string_view key, uint64_t least, uint64_t most, Integer& out) {
        const OptionValue* value = find(key);
        if (!value) return;
        uint64_t number = 0;
        if (const auto* wide = std::get_if<uint64_t>(value)) {
            number = *wide;
        } else if (const auto* narrow = std::get_if<int64_t>(value)) {
            if (*narrow < 0) return set(out_of_range(key, *narrow, least, most));
            number = static_cast<uint64_t>(*narrow);
        } else {
            return set(wrong_type(key, base::concat("an integer from ", least, " to ", most), *value));
        }
        if (number < least || number > most) return set(out_of_range(key, number, least, most));
        out = static_cast<Integer>(number);
    }

    void number(std::string_view key, double least, double most, float& out) {
        const OptionValue* value = find(key);
        if (!value) return;
        const auto* number = std::get_if<double>(value);
        if (!number) {
            return set(wrong_type(key, base::concat("a floating-point number (d) from ", least, " to ", most), *value));
        }
        // NaN is in no range.
        if (!(*number >= least && *number <= most)) return set(out_of_range(key, base::digits(*number), least, most));
        out = static_cast<float>(*number);
    }

    // `expected`, for the message, says what may be in it.
    void text(std::string_view key, std::string_view expected, std::string& out) {
        const OptionValue* value = find(key);
        if (!value) return;
        const auto* text = std::get_if<std::string>(value);
        if (!text) return set(wrong_type(key, expected, *value));
        out = *text;
    }

    void boolean(std::string_view key, bool& out) {
        const OptionValue* value = find(key);
        if (!value) return;
        const auto* flag = std::get_if<bool>(value);
        if (!flag) return set(wrong_type(key, "a boolean (b)", *value));
        out = *flag;
    }

    void strings(std::string_view key, std::string_view expected, std::vector<std::string>& out) {
        const OptionValue* value = find(key);
        if (!value) return;
        const auto* strings = std::get_if<std::vector<std::string>>(value);
        if (!strings) return set(wrong_type(key, expected, *value));
        out = *strings;
    }

    bool present(std::string_view key) const { return find(key) != nullptr; }
    void set(Error error) {
        if (!error_) error_ = std::move(error);
    }

private:
    template <typename Value, typename Limit>
    static Error out_of_range(std::string_view key, const Value& value, Limit least, Limit most) {
        return fail(ErrorCode::InvalidArgument, key, ": ", value, " is not in the range ", least, " to ", most);
    }

    const OptionMap& options_;
    std::optional<Error> error_;
};

void check_model(OptionReader& reader, std::string& out) {
    std::string model;
    reader.text("model", "a name from ListModels (s)", model);
    if (reader.failed() || !reader.present("model")) return;
    if (model.empty() || model.find('/') != std::string::npos) {
        return reader.set(fail(ErrorCode::InvalidArgument, "model: ", base::in_quotes(model),
                               " is not a name from ListModels; only Admin.LoadModel takes a path"));
    }
    out = std::move(model);
}

void check_handle_token(OptionReader& reader, std::string& out) {
    std::string token;
    const std::string expected =
        base::concat("a string (s) of 1 to ", kMaxHandleTokenBytes, " characters A-Z a-z 0-9 _");
    reader.text("handle_token", expected, token);
    if (reader.failed() || !reader.present("handle_token")) return;
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    if (token.empty() || token.size() > kMaxHandleTokenBytes || !std::all_of(token.begin(), token.end(), allowed)) {
        return reader.set(
            fail(ErrorCode::InvalidArgument, "handle_token: ", base::in_quotes(token), " is not ", expected));
    }
    out = std::move(token);
}

// Stop strings are a part of the prompt in spirit: messages give their place, never their text.
void check_stops(OptionReader& reader, std::vector<std::string>& out) {
    std::vector<std::string> stops;
    const std::string expected = base::concat("an array of at most ", RequestLimits::kMaxStops,
                                              " strings (as) of 1 to ", RequestLimits::kMaxStopBytes, " bytes");
    reader.strings("stop", expected, stops);
    if (reader.failed()) return;
    if (stops.size() > RequestLimits::kMaxStops) {
        return reader.set(fail(ErrorCode::InvalidArgument, "stop: ", stops.size(), " strings are more than ",
                               RequestLimits::kMaxStops));
    }
    for (size_t i = 0; i < stops.size(); ++i) {
        if (stops[i].empty() || stops[i].size() > RequestLimits::kMaxStopBytes) {
            return reader.set(fail(ErrorCode::InvalidArgument, "stop: string ", i, " has ", stops[i].size(),
                                   " bytes, not 1 to ", RequestLimits::kMaxStopBytes));
        }
    }
    out = std::move(stops);
}

// What is in it is the engine's to judge.
void check_json_schema(OptionReader& reader, std::string& out) {
    const std::string expected =
        base::concat("a JSON schema (s) of 1 to ", RequestLimits::kMaxJsonSchemaBytes, " bytes");
    std::string schema;
    reader.text("json_schema", expected, schema);
    if (reader.failed() || !reader.present("json_schema")) return;
    if (schema.empty() || schema.size() > RequestLimits::kMaxJsonSchemaBytes) {
        return reader.set(
            fail(ErrorCode::InvalidArgument, "json_schema: a text of ", schema.size(), " bytes is not ", expected));
    }
    out = std::move(schema);
}

// `names` in the order of the enumeration that `out` is of.
template <typename Enum>
void check_choice(OptionReader& reader, std::string_view key, std::initializer_list<std::string_view> names,
                  Enum& out) {
    std::string list;
    for (const std::string_view name : names) list += (list.empty() ? "" : ", ") + std::string(name);
    std::string chosen;
    reader.text(key, "one of " + list, chosen);
    if (reader.failed() || !reader.present(key)) return;
    const auto* found = std::find(names.begin(), names.end(), chosen);
    if (found == names.end()) {
        return reader.set(fail(ErrorCode::InvalidArgument, key, ": ", base::in_quotes(chosen), " is none of ", list));
    }
    out = static_cast<Enum>(found - names.begin());
}

void check_priority(OptionReader& reader, service::Priority& out) {
    check_choice(reader, "priority", {"interactive", "normal", "background"}, out);
}

}  // namespace

Result<GenerateOptions> parse_generate_options(const OptionMap& options) {
    OptionReader reader(options);
    GenerateOptions out;
    service::GenerateRequest& request = out.request;

    check_handle_token(reader, out.handle_token);
    check_model(reader, request.model);
    reader.integer("max_tokens", 1, RequestLimits::kMaxTokens, request.max_tokens);
    api::read_sampling(reader, request.sampling);
    api::read_seed(reader, request.sampling.seed);
    std::string system;
    reader.text("system", "a string (s)", system);
    if (reader.present("system")) out.system = std::move(system);
    check_stops(reader, request.stops);
    check_json_schema(reader, request.json_schema);
    check_priority(reader, request.priority);
    api::read_deadline(reader, request.deadline);
    check_choice(reader, "delivery", {"fd", "signals"}, out.delivery);
    check_choice(reader, "format", {"ndjson", "text"}, out.format);
    reader.boolean("echo", request.echo);

    if (reader.failed()) return reader.error();
    return out;
}

namespace {

Result<protocol::ChatMessage> parse_message(const OptionMap& fields) {
    OptionReader reader(fields);
    for (const std::string_view key : {"role", "content"}) {
        if (!reader.present(key)) return fail(ErrorCode::InvalidArgument, key, ": is missing");
    }
    protocol::ChatMessage message;
    check_choice(reader, "role", {"system", "user", "assistant"}, message.role);
    reader.text("content", "a string (s)", message.content);
    if (reader.failed()) return reader.error();
    return message;
}

// Of a prompt or of all messages.
Result<void> check_size(std::string_view what, size_t bytes) {
    if (bytes <= RequestLimits::kMaxPromptBytes) return {};
    return fail(ErrorCode::PromptTooLong, what, ": ", bytes, " bytes are more than ", RequestLimits::kMaxPromptBytes);
}

Result<void> take_conversation(GenerateOptions& options, std::vector<protocol::ChatMessage> messages) {
    if (options.request.echo) return fail(ErrorCode::InvalidArgument, "echo: not with a conversation");
    if (options.system) {
        messages.insert(messages.begin(), {protocol::ChatMessage::Role::System, *std::move(options.system)});
    }
    size_t bytes = 0;
    for (const protocol::ChatMessage& message : messages) bytes += message.content.size();
    options.request.messages = std::move(messages);
    return check_size("messages", bytes);
}

}  // namespace

Result<void> take_prompt(GenerateOptions& options, std::string prompt) {
    if (options.system) {
        return take_conversation(options, {{protocol::ChatMessage::Role::User, std::move(prompt)}});
    }
    options.request.prompt = std::move(prompt);
    return check_size("prompt", options.request.prompt.size());
}

Result<void> take_messages(GenerateOptions& options, const std::vector<OptionMap>& messages) {
    const size_t most = RequestLimits::kMaxMessages - (options.system ? 1 : 0);
    if (messages.empty()) return fail(ErrorCode::InvalidArgument, "messages: there is none");
    if (messages.size() > most) {
        return fail(ErrorCode::InvalidArgument, "messages: ", messages.size(), " are more than ", most);
    }
    std::vector<protocol::ChatMessage> parsed;
    for (size_t i = 0; i < messages.size(); ++i) {
        auto message = parse_message(messages[i]);
        if (!message) return fail(message.error().code, "messages[", i, "].", message.error().message);
        parsed.push_back(std::move(*message));
    }
    if (options.system && parsed.front().role == protocol::ChatMessage::Role::System) {
        return fail(ErrorCode::InvalidArgument, "system: the messages begin with one already");
    }
    return take_conversation(options, std::move(parsed));
}

Result<std::string> parse_model_option(const OptionMap& options) {
    OptionReader reader(options);
    std::string model;
    check_model(reader, model);
    if (reader.failed()) return reader.error();
    return model;
}

Result<service::Priority> parse_priority(const std::string& name) {
    const OptionMap options{{"priority", name}};
    OptionReader reader(options);
    service::Priority priority{};
    check_priority(reader, priority);
    if (reader.failed()) return reader.error();
    return priority;
}

}  // namespace llmd::dbus
