#include "dbus/root_object.h"

#include <algorithm>
#include <limits>

#include "api/bus_options.h"
#include "api/fields.h"
#include "api/json_lines.h"
#include "api/listing.h"
#include "bus/variant.h"
#include "dbus/dictionaries.h"
#include "dbus/interface_builder.h"
#include "dbus/prompt_fd.h"
#include "dbus/reply.h"
#include "dbus/session.h"

namespace llmd::dbus {

namespace {

using base::ErrorCode;
using base::fail;
using base::Result;

constexpr uint32_t kInterfaceVersion = 1;
constexpr const char* kMainInterface = "org.llmd.Llmd1";
constexpr const char* kAdminInterface = "org.llmd.Llmd1.Admin";
constexpr const char* kRootPath = "/org/llmd/Llmd1";
// These features were added to the interface, in words that the interface documents. An older llmd ignores an option
// that it does not know, and so a caller that depends on one looks here first.
const std::vector<std::string> kFeatures = {"choices",  "detokenize", "embed", "fallback", "json_schema",
                                            "logprobs", "prompt_fd",  "regex", "thinking", "tools"};

template <typename... Values>
Reply<Values...> reply_to(Session& session, sdbus::Result<Values...>&& result) {
    return Reply<Values...>(session.shared_connection(), std::move(result));
}

Result<api::Call> parse(std::string prompt, bus::VariantMap options) {
    auto sealed = take_prompt_fd(options);
    if (!sealed) return sealed.error();
    if (*sealed && !prompt.empty()) {
        return fail(ErrorCode::InvalidArgument, "prompt_fd: given together with a prompt that is not empty");
    }
    auto parsed = api::read_call(bus::to_object(options), api::kBus);
    if (!parsed) return parsed;
    if (auto taken = api::take_prompt(*parsed, std::move(prompt)); !taken) return taken.error();
    if (*sealed) {
        // In the place of the empty one, behind the limit of what a message may carry.
        service::GenerateRequest& request = parsed->request;
        (request.messages.empty() ? request.prompt : request.messages.back().content) = **std::move(sealed);
    }
    return parsed;
}

// The options of a call that has no place for prompt_fd.
Result<api::Call> parse_options(const bus::VariantMap& options) {
    if (options.contains("prompt_fd")) {
        return fail(ErrorCode::InvalidArgument, "prompt_fd: only Generate and Stream take it");
    }
    return api::read_call(bus::to_object(options), api::kBus);
}

Result<api::Call> parse(const std::vector<bus::VariantMap>& messages, const bus::VariantMap& options) {
    auto parsed = parse_options(options);
    if (!parsed) return parsed;
    base::Value::Array objects;
    for (const bus::VariantMap& message : messages) objects.emplace_back(bus::to_object(message));
    if (auto taken = api::take_messages(*parsed, std::move(objects)); !taken) return taken.error();
    return parsed;
}

Result<api::Call> parse_embed(const std::vector<std::string>& inputs, const bus::VariantMap& options) {
    auto parsed = parse_options(options);
    if (!parsed) return parsed;
    if (auto taken = api::take_inputs(*parsed, inputs); !taken) return taken.error();
    return parsed;
}

Result<std::vector<int32_t>> token_ids(const std::vector<uint32_t>& tokens) {
    std::vector<int32_t> ids;
    ids.reserve(tokens.size());
    for (const uint32_t token : tokens) {
        if (token > static_cast<uint32_t>(std::numeric_limits<int32_t>::max())) {
            return fail(ErrorCode::InvalidArgument, "tokens: ", token, " is in no model's vocabulary");
        }
        ids.push_back(static_cast<int32_t>(token));
    }
    return ids;
}

base::Error logprobs_untold() {
    return fail(ErrorCode::InvalidArgument, "logprobs: are told by Stream and StreamChat in format ndjson only");
}

BusSink::OnDelivered delivered_of(RequestObject& object) {
    return [&object](const std::optional<base::Error>& error) { object.on_delivered(error); };
}

// Answers a call that has no results.
std::function<void(const Result<void>&)> answer(const Reply<>& reply) {
    return [reply](const Result<void>& done) { done ? (void)reply.send() : reply.fail(done.error()); };
}

}  // namespace

RootObject::RootObject(Session& session, std::string version)
    : session_(session),
      object_(sdbus::createObject(session.connection(), bus::BusPath(kRootPath))),
      version_(std::move(version)),
      announced_(session.service().status()),
      announced_away_(requests_away()) {
    export_interfaces();
}

RootObject::~RootObject() = default;

void RootObject::export_interfaces() {
    using Flags = sdbus::Flags;
    InterfaceBuilder interface(*object_, kMainInterface);
    interface.add_method("Generate", {"prompt", "options"}, {"text", "info"}, bound(&RootObject::Generate));
    interface.add_method("Stream", {"prompt", "options"}, {"request", "fd"}, bound(&RootObject::Stream));
    interface.add_method("Chat", {"messages", "options"}, {"text", "info"}, bound(&RootObject::Chat));
    interface.add_method("StreamChat", {"messages", "options"}, {"request", "fd"}, bound(&RootObject::StreamChat));
    interface.add_method("Embed", {"inputs", "options"}, {"embeddings", "info"}, bound(&RootObject::Embed));
    interface.add_method("Cancel", {"request"}, {}, bound(&RootObject::Cancel));
    interface.add_method("ListModels", {"options"}, {"models"}, bound(&RootObject::ListModels));
    interface.add_method("Tokenize", {"text", "options"}, {"count", "ids"}, bound(&RootObject::Tokenize));
    interface.add_method("Detokenize", {"tokens", "options"}, {"text"}, bound(&RootObject::Detokenize));
    interface.add_method("GetStatus", {"options"}, {"status"},
                         [this](const bus::VariantMap& options) { return GetStatus(options); });

    const auto add_constant = [&](const char* name, const char* signature, const auto& value) {
        using Value = std::decay_t<decltype(value)>;
        interface.add_property<Value>(
            name, signature, [value](const std::string&) { return value; }, Flags::CONST_PROPERTY_VALUE);
    };
    add_constant("version", "u", kInterfaceVersion);
    add_constant("DaemonVersion", "s", version_);
    add_constant("Features", "as", kFeatures);
    add_constant("Limits", "a{sv}", limits_dictionary());
    // These properties are the loaded model's and those of what computes it, which is everybody's.
    const auto add_status = [&](const char* name, const char* signature, auto get) {
        using Value = decltype(get(service::Status()));
        interface.add_property<Value>(
            name, signature, [this, get](const std::string&) { return get(session_.service().status()); },
            Flags::EMITS_CHANGE_SIGNAL);
    };
    add_status("State", "s", [](const service::Status& now) { return std::string(state_name(now.state)); });
    add_status("Model", "s", [](const service::Status& now) { return now.main.model; });
    add_status("Device", "s", [](const service::Status& now) { return now.main.device; });
    add_status("ContextLength", "u", [](const service::Status& now) { return now.main.context_length; });
    interface.add_property<std::vector<std::string>>(
        "RemotesInUse", "as", [this](const std::string& reader) { return remotes_in_use(reader); },
        Flags::EMITS_INVALIDATION_SIGNAL);
    interface.add_property<uint32_t>("QueueDepth", "u",
                                     [this](const std::string& reader) { return count_requests(reader, false); });
    interface.add_property<uint32_t>("ActiveRequests", "u",
                                     [this](const std::string& reader) { return count_requests(reader, true); });

    interface.begin(kAdminInterface);
    interface.add_method("LoadModel", {"model", "options"}, {}, bound(&RootObject::LoadModel));
    interface.add_method("UnloadModel", {"options"}, {}, bound(&RootObject::UnloadModel));
    interface.add_method("Reload", {}, {}, bound(&RootObject::Reload));
    interface.add_method("ListRequests", {}, {"requests"}, bound(&RootObject::ListRequests));
    interface.add_method("CancelAll", {}, {}, bound(&RootObject::CancelAll));
    interface.publish();
}

void RootObject::status_changed() {
    const service::Status now = session_.service().status();
    std::vector<std::string> changed;
    if (now.state != announced_.state) changed.emplace_back("State");
    if (now.main.model != announced_.main.model) changed.emplace_back("Model");
    if (now.main.device != announced_.main.device) changed.emplace_back("Device");
    if (now.main.context_length != announced_.main.context_length) changed.emplace_back("ContextLength");
    Away away = requests_away();
    if (away != announced_away_) changed.emplace_back("RemotesInUse");
    announced_ = now;
    announced_away_ = std::move(away);
    if (changed.empty()) return;
    try {
        bus::emit_changed(*object_, kMainInterface, changed);
    } catch (const sdbus::Error&) {  // the bus has gone: the source notices
    }
}

void RootObject::Generate(sdbus::Result<std::string, bus::VariantMap>&& result, std::string prompt,
                          const bus::VariantMap& options) {
    answer_with_text(std::move(result), parse(std::move(prompt), options));
}

void RootObject::Chat(sdbus::Result<std::string, bus::VariantMap>&& result,
                      const std::vector<bus::VariantMap>& messages, const bus::VariantMap& options) {
    answer_with_text(std::move(result), parse(messages, options));
}

void RootObject::answer_with_text(sdbus::Result<std::string, bus::VariantMap>&& result, Result<api::Call> parsed) {
    answer_at_end(std::move(result), std::move(parsed),
                  [](const auto& reply, const api::Choice& choice, const bus::VariantMap& info) {
                      reply.send(choice.text, info);
                  });
}

void RootObject::Embed(sdbus::Result<Embeddings, bus::VariantMap>&& result, const std::vector<std::string>& inputs,
                       const bus::VariantMap& options) {
    answer_at_end(std::move(result), parse_embed(inputs, options),
                  [](const auto& reply, const api::Choice& choice, const bus::VariantMap& info) {
                      Embeddings embeddings;
                      for (const auto& one : choice.outcome.embeddings) embeddings.emplace_back(one.begin(), one.end());
                      reply.send(embeddings, info);
                  });
}

template <typename... Values, typename Send>
void RootObject::answer_at_end(sdbus::Result<Values...>&& result, Result<api::Call> parsed, Send send) {
    const std::string caller = bus::sender_of(*object_);
    const auto reply = reply_to(session_, std::move(result));
    if (parsed && parsed->request.top_logprobs) parsed = logprobs_untold();
    if (!parsed) return reply.fail(parsed.error());

    const auto started = session_.start(caller, std::move(*parsed), [&](RequestObject& object) {
        const auto send_choice = [reply, send](const api::AnswerHead& head, const api::Choice& choice) {
            send(reply, choice, info_dictionary(head, choice));
        };
        return Result<Delivery>(Delivery{make_reply_sink(delivered_of(object), send_choice,
                                                         [reply](const base::Error& error) { reply.fail(error); })});
    });
    if (!started) reply.fail(started.error());
}

void RootObject::Stream(sdbus::Result<sdbus::ObjectPath, sdbus::UnixFd>&& result, std::string prompt,
                        const bus::VariantMap& options) {
    open_stream(std::move(result), parse(std::move(prompt), options));
}

void RootObject::StreamChat(sdbus::Result<sdbus::ObjectPath, sdbus::UnixFd>&& result,
                            const std::vector<bus::VariantMap>& messages, const bus::VariantMap& options) {
    open_stream(std::move(result), parse(messages, options));
}

void RootObject::open_stream(sdbus::Result<sdbus::ObjectPath, sdbus::UnixFd>&& result, Result<api::Call> parsed) {
    const std::string caller = bus::sender_of(*object_);
    const auto reply = reply_to(session_, std::move(result));
    const bool has_lines =
        parsed && parsed->delivery == api::TextDelivery::Pipe && parsed->format == api::PipeFormat::JsonLines;
    if (parsed && parsed->request.top_logprobs && !has_lines) parsed = logprobs_untold();
    if (!parsed) return reply.fail(parsed.error());

    base::UniqueFd read_end;
    const api::TextDelivery way = parsed->delivery;
    const api::PipeFormat format = parsed->format;
    const auto make_delivery = [&](RequestObject& object) -> Result<Delivery> {
        if (way == api::TextDelivery::Pipe) {
            auto pipe = make_pipe_sink(session_.loop(), delivered_of(object), read_end);
            if (!pipe) return pipe.error();
            return Delivery{*std::move(pipe),
                            format == api::PipeFormat::JsonLines ? api::make_json_lines() : api::make_plain_text()};
        }
        auto at_end = pipe_at_end();
        if (!at_end) return at_end.error();
        read_end = std::move(*at_end);
        auto emit = [&object](uint64_t seq, const std::string& text) { object.emit_token(seq, text); };
        return Delivery{make_signal_sink(session_.loop(), delivered_of(object), std::move(emit)),
                        api::make_plain_text()};
    };
    const auto started = session_.start(caller, std::move(*parsed), make_delivery);
    if (!started) return reply.fail(started.error());

    // The descriptor is given away for good: a copy kept here would hide that the reader has closed its own.
    const sdbus::UnixFd fd(read_end.release(), sdbus::adopt_fd);
    if (!reply.send(sdbus::ObjectPath((*started)->path()), fd)) (void)session_.service().cancel((*started)->id());
}

void RootObject::Cancel(sdbus::Result<>&& result, const sdbus::ObjectPath& request) {
    session_.cancel(bus::sender_of(*object_), request, reply_to(session_, std::move(result)));
}

void RootObject::ListModels(sdbus::Result<std::vector<bus::VariantMap>>&& result, const bus::VariantMap&) {
    const api::Caller caller = session_.identity_now(bus::sender_of(*object_));
    session_.service().list_models(caller, [reply = reply_to(session_, std::move(result)),
                                            caller](const std::vector<supervisor::ModelEntry>& models) {
        std::vector<bus::VariantMap> out;
        for (const supervisor::ModelEntry& model : models) {
            out.push_back(dictionary(api::model_values(api::model_for(model, caller))));
        }
        reply.send(out);
    });
}

void RootObject::Tokenize(sdbus::Result<uint32_t, std::vector<uint32_t>>&& result, std::string text,
                          const bus::VariantMap& options) {
    const auto reply = reply_to(session_, std::move(result));
    auto model = api::parse_model_option(bus::to_object(options));
    if (!model) return reply.fail(model.error());
    const size_t limit = service::RequestLimits::kMaxPromptBytes;
    if (text.size() > limit) {
        return reply.fail(fail(ErrorCode::PromptTooLong, "text: ", text.size(), " bytes are more than ", limit));
    }
    session_.service().tokenize(*model, std::move(text), [reply](Result<std::vector<int32_t>> ids) {
        if (!ids) return reply.fail(ids.error());
        reply.send(static_cast<uint32_t>(ids->size()), std::vector<uint32_t>(ids->begin(), ids->end()));
    });
}

void RootObject::Detokenize(sdbus::Result<std::string>&& result, const std::vector<uint32_t>& tokens,
                            const bus::VariantMap& options) {
    const auto reply = reply_to(session_, std::move(result));
    auto model = api::parse_model_option(bus::to_object(options));
    if (!model) return reply.fail(model.error());
    auto ids = token_ids(tokens);
    if (!ids) return reply.fail(ids.error());
    session_.service().detokenize(*model, *std::move(ids), [reply](const Result<std::string>& text) {
        if (!text) return reply.fail(text.error());
        reply.send(*text);
    });
}

bus::VariantMap RootObject::GetStatus(const bus::VariantMap&) {
    const api::StatusView view = api::status_for(session_.service(), session_.identity_now(bus::sender_of(*object_)));
    return dictionary(api::status_values(view, version_));
}

std::vector<std::string> RootObject::remotes_in_use(const std::string& reader) {
    std::set<std::string> names;
    for (const auto& request : api::requests_for(session_.service(), session_.identity_now(reader))) {
        if (request.away) names.insert(request.where);
    }
    return {names.begin(), names.end()};
}

RootObject::Away RootObject::requests_away() const {
    Away away;
    for (const auto& request : session_.service().requests()) {
        // A program that cannot be identified sees its own requests only.
        if (request.away)
            away.emplace(request.caller.application.empty() ? request.caller.name : request.caller.application,
                         request.where);
    }
    return away;
}

uint32_t RootObject::count_requests(const std::string& reader, bool running) {
    const auto known = api::requests_for(session_.service(), session_.identity_now(reader));
    return static_cast<uint32_t>(
        std::count_if(known.begin(), known.end(), [&](const auto& request) { return request.running == running; }));
}

void RootObject::LoadModel(sdbus::Result<>&& result, const std::string& model, const bus::VariantMap&) {
    const auto reply = reply_to(session_, std::move(result));
    session_.check_allowed(bus::sender_of(*object_), "", [this, reply, model](const Result<void>& allowed) {
        if (!allowed) return reply.fail(allowed.error());
        session_.service().load_model(model, answer(reply));
    });
}

void RootObject::UnloadModel(sdbus::Result<>&& result, const bus::VariantMap&) {
    const auto reply = reply_to(session_, std::move(result));
    session_.check_allowed(bus::sender_of(*object_), "", [this, reply](const Result<void>& allowed) {
        if (!allowed) return reply.fail(allowed.error());
        session_.service().unload_model({}, answer(reply));
    });
}

void RootObject::Reload(sdbus::Result<>&& result) {
    const auto reply = reply_to(session_, std::move(result));
    session_.check_allowed(bus::sender_of(*object_), "", [this, reply](const Result<void>& allowed) {
        if (!allowed) return reply.fail(allowed.error());
        session_.service().reload();
        reply.send();
    });
}

void RootObject::ListRequests(sdbus::Result<std::vector<bus::VariantMap>>&& result) {
    const auto reply = reply_to(session_, std::move(result));
    const std::string caller = bus::sender_of(*object_);
    session_.identify(caller, [this, reply, caller](const api::Caller& identity) {
        std::vector<bus::VariantMap> out;
        for (const auto& request : api::requests_for(session_.service(), identity)) {
            out.push_back(dictionary(api::request_values(request)));
        }
        reply.send(out);
    });
}

void RootObject::CancelAll(sdbus::Result<>&& result) {
    const auto reply = reply_to(session_, std::move(result));
    session_.check_allowed(bus::sender_of(*object_), "", [this, reply](const Result<void>& allowed) {
        if (!allowed) return reply.fail(allowed.error());
        session_.service().cancel_all();
        reply.send();
    });
}

}  // namespace llmd::dbus
