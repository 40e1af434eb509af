#include "api/field_readers.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "api/conversation.h"
#include "api/keep_alive.h"

namespace llmd::api {

using base::Value;
using protocol::Thinking;
using service::RequestLimits;

namespace {

using Key = std::string_view;

constexpr std::string_view kLatest = ":latest";

// The `names` are in the order of the enumeration that `out` is of.
template <typename Enum>
void read_choice(FieldReader& reader, Key key, std::initializer_list<std::string_view> names, Enum& out) {
    std::string chosen;
    reader.text(key, chosen);
    if (!reader.find(key)) return;
    const auto* found = std::find(names.begin(), names.end(), chosen);
    if (found != names.end()) {
        out = static_cast<Enum>(found - names.begin());
        return;
    }
    reader.refuse(key, base::in_quotes(chosen), " is none of ", base::listed(names));
}

// Not of nothing: what that would begin with is the model's to say.
void read_prompt_ids(FieldReader& reader, Key key, const Value& value, std::vector<service::Prompt>& out) {
    reader.ids(key, value, out.emplace_back().ids);
    if (!reader.error() && out.back().ids.empty()) reader.refuse(key, "an array of no tokens");
}

// 1 to `most`: a text, an array of texts, one of token ids, or one of such arrays. What the first element is, all must
// be.
void read_prompts(FieldReader& reader, Key key, size_t most, std::vector<service::Prompt>& out) {
    const Value* value = reader.find(key);
    if (!value) return;
    const auto* array = value->get<Value::Array>();
    if (array && !array->empty() && array->front().is<Value::Array>()) {
        for (size_t i = 0; i < array->size(); ++i) {
            read_prompt_ids(reader, base::concat(key, '[', i, ']'), (*array)[i], out);
        }
    } else if (array && !array->empty() && !array->front().is<std::string>()) {
        read_prompt_ids(reader, key, *value, out);
    } else {
        std::vector<std::string> texts;
        reader.strings(key, texts);
        for (std::string& text : texts) out.push_back({std::move(text), {}});
    }
    if (reader.error()) return;
    if (out.empty() || out.size() > most) reader.refuse(key, out.size(), ' ', key, "s, must be 1 to ", most);
}

// vLLM's two fields say what a last message of the assistant says by itself here: it is the beginning of the answer.
bool ends_with_assistant(const Call& call) {
    return !call.request.messages.empty() &&
           call.request.messages.back().role == protocol::ChatMessage::Role::Assistant;
}

}  // namespace

// --- One value -------------------------------------------------------------------------------------------------------

void read_model_or_none(FieldReader& reader, Key key, Call& call) {
    read_model(reader, key, call.request.model);
}

// On the bus a path would look like a name; only Admin.LoadModel takes one.
void read_bus_model(FieldReader& reader, Key key, Call& call) {
    std::string model;
    reader.text(key, model);
    if (!reader.find(key)) return;
    if (model.empty() || model.find('/') != std::string::npos) {
        return reader.refuse(key, base::in_quotes(model),
                             " is not a name from ListModels; only Admin.LoadModel takes a path");
    }
    call.request.model = std::move(model);
}

void read_handle_token(FieldReader& reader, Key key, Call& call) {
    std::string token;
    reader.text(key, token);
    if (!reader.find(key)) return;
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    if (token.empty() || token.size() > kMaxHandleTokenBytes || !std::all_of(token.begin(), token.end(), allowed)) {
        return reader.refuse(key, base::in_quotes(token), " is not a string of 1 to ", kMaxHandleTokenBytes,
                             " characters A-Z a-z 0-9 _");
    }
    call.handle_token = std::move(token);
}

// null and -1: to the end of the context, as llama-server means it; Ollama's -2 is that too. 0: prefill only.
void read_max_tokens(FieldReader& reader, Key key, Call& call) {
    const auto negative = reader.negative(key);
    if (reader.is_null(key) && std::exchange(call.has_max_tokens, true)) return;  // another name of it says more
    call.has_max_tokens = true;
    if (reader.is_null(key) || negative == -1 || (key == "num_predict" && negative == -2)) {
        call.request.max_tokens = RequestLimits::kMaxTokens;
    } else {
        reader.integer(key, 0, RequestLimits::kMaxTokens, call.request.max_tokens);
    }
}

// A device returns so many candidates, and no more.
void read_top_k(FieldReader& reader, Key key, Call& call) {
    uint32_t top_k = call.request.sampling.top_k;
    if (reader.negative(key) == -1) {
        top_k = 0;  // vLLM's "off"
    } else {
        reader.integer(key, 0, std::numeric_limits<int32_t>::max(), top_k);
    }
    if (top_k > RequestLimits::kMaxTopK) {
        call.notes.push_back(base::concat(reader.path(), key, ": ", top_k, " is taken as ", RequestLimits::kMaxTopK));
    }
    call.request.sampling.top_k = std::min(top_k, RequestLimits::kMaxTopK);
}

// A negative one is none, as clients of all APIs mean it.
void read_seed(FieldReader& reader, Key key, Call& call) {
    if (!reader.find(key) || reader.negative(key)) return;
    uint64_t seed = 0;
    reader.integer(key, 0, std::numeric_limits<uint64_t>::max(), seed);
    call.request.sampling.seed = seed;
}

void read_repeat_last_n(FieldReader& reader, Key key, Call& call) {
    if (reader.negative(key) == -1) {
        call.request.sampling.repeat_last_n = -1;
    } else {
        reader.integer(key, 0, RequestLimits::kMaxRepeatLastN, call.request.sampling.repeat_last_n);
    }
}

// OpenAI's object of token ids and biases, or llama-server's array of pairs, in which false is "never".
void read_logit_bias(FieldReader& reader, Key key, Call& call) {
    const Value* value = reader.find(key);
    if (!value) return;
    auto& biases = call.request.sampling.logit_bias;
    const auto add = [&](const Value& id, const Value& bias) {
        const std::string at = base::concat(key, "[", biases.size(), "].");
        auto& [token, number] = biases.emplace_back();
        const auto* text = id.get<std::string>();
        const auto spelled = text ? base::parse_json(*text) : id;
        reader.integer(at + "id", spelled ? *spelled : id, 0, std::numeric_limits<int32_t>::max(), token);
        if (const auto* never = bias.get<bool>(); never && !*never) {
            number = -static_cast<float>(RequestLimits::kMaxBias);
        } else {
            reader.number(at + "bias", bias, -RequestLimits::kMaxBias, RequestLimits::kMaxBias, number);
        }
    };
    const auto* object = value->get<Value::Object>();
    const auto* array = value->get<Value::Array>();
    if (!object && !array) return reader.wrong_type(key, "an object of token ids", *value);
    const size_t size = object ? object->size() : array->size();
    if (size > RequestLimits::kMaxLogitBias) {
        return reader.refuse(key, size, " are more than ", RequestLimits::kMaxLogitBias);
    }
    if (object) {
        for (const auto& [id, bias] : *object) add(Value(id), bias);
        return;
    }
    for (const Value& element : *array) {
        const auto* pair = element.get<Value::Array>();
        if (!pair || pair->size() != 2) return reader.wrong_type(key, "pairs of a token id and a bias", element);
        add((*pair)[0], (*pair)[1]);
    }
}

// Stop strings are a part of the prompt in spirit: messages give their place, never their text.
void read_stops(FieldReader& reader, Key key, Call& call) {
    auto& stops = call.request.stops;
    reader.strings(key, stops);
    if (stops.size() > RequestLimits::kMaxStops) {
        return reader.refuse(key, stops.size(), " strings are more than ", RequestLimits::kMaxStops);
    }
    for (size_t i = 0; i < stops.size(); ++i) {
        if (stops[i].empty() || stops[i].size() > RequestLimits::kMaxStopBytes) {
            return reader.refuse(key, "string ", i, " has ", stops[i].size(), " bytes, not 1 to ",
                                 RequestLimits::kMaxStopBytes);
        }
    }
}

void read_stop_token_ids(FieldReader& reader, Key key, Call& call) {
    auto& ids = call.request.sampling.stop_token_ids;
    reader.ids(key, ids);
    if (ids.size() > RequestLimits::kMaxStopTokenIds) {
        reader.refuse(key, ids.size(), " are more than ", RequestLimits::kMaxStopTokenIds);
    }
}

void read_delivery(FieldReader& reader, Key key, Call& call) {
    read_choice(reader, key, {"fd", "signals"}, call.delivery);
}

void read_pipe_format(FieldReader& reader, Key key, Call& call) {
    read_choice(reader, key, {"ndjson", "text"}, call.format);
}

void read_priority(FieldReader& reader, Key key, Call& call) {
    read_choice(reader, key, {"interactive", "normal", "background"}, call.request.priority);
}

void read_deadline(FieldReader& reader, Key key, Call& call) {
    uint64_t deadline_ms = 0;
    reader.integer(key, 1, RequestLimits::kMaxDeadlineMs, deadline_ms);
    if (reader.find(key)) call.request.deadline = std::chrono::milliseconds(deadline_ms);
}

void read_system(FieldReader& reader, Key key, Call& call) {
    std::string system;
    reader.text(key, system);
    if (reader.find(key)) call.system = std::move(system);
}

// --- Thinking --------------------------------------------------------------------------------------------------------

// true, false, or how much: which no family knows how to do by halves.
void read_thinking(FieldReader& reader, Key key, Call& call) {
    const Value* value = reader.find(key);
    if (!value) return;
    if (const auto* flag = value->get<bool>()) {
        call.request.thinking = *flag ? Thinking::On : Thinking::Off;
        return;
    }
    constexpr std::string_view kEfforts[] = {"on", "minimal", "low", "medium", "high", "xhigh", "max"};
    std::string effort;
    reader.text(key, effort);
    if (effort == "none" || effort == "off") {
        call.request.thinking = Thinking::Off;
    } else if (std::find(std::begin(kEfforts), std::end(kEfforts), effort) != std::end(kEfforts)) {
        call.request.thinking = Thinking::On;
    } else if (!effort.empty()) {
        reader.refuse(key, base::in_quotes(effort),
                      " is none of off, on, none, minimal, low, medium, high, xhigh, max");
    }
}

// Responses' `reasoning`: its summary is what it thought, whole.
void read_reasoning(FieldReader& reader, Key key, Call& call) {
    reader.within(key, [&](FieldReader& fields) { read_thinking(fields, "effort", call); });
}

// Reads the arguments that templates of other servers are given; only the switch of thinking is known here.
void read_template_arguments(FieldReader& reader, Key key, Call& call) {
    reader.within(key, [&](FieldReader& fields) {
        for (const auto& [name, value] : fields.members()) {
            const bool switches = name == "enable_thinking" || name == "thinking" || name == "reasoning_effort";
            switches ? read_thinking(fields, name, call)
                     : fields.refuse(name, "this version of llmd does not offer it");
        }
    });
}

// llama-server's: where thinking goes, which is always beside the text.
void read_reasoning_format(FieldReader& reader, Key key, Call&) {
    std::string name;
    reader.text(key, name);
    if (name == "none") reader.refuse(key, "\"none\" is not offered: thinking is always told apart from the text");
}

// --- Prompts ---------------------------------------------------------------------------------------------------------

void read_completion_prompts(FieldReader& reader, Key key, Call& call) {
    read_prompts(reader, key, RequestLimits::kMaxAnswers, call.prompts);
}

void read_inputs(FieldReader& reader, Key key, Call& call) {
    read_prompts(reader, key, RequestLimits::kMaxInputs, call.request.inputs);
    const Value* value = reader.find(key);
    const auto* array = value ? value->get<Value::Array>() : nullptr;
    const bool is_one =
        !array || array->empty() || !(array->front().is<Value::Array>() || array->front().is<std::string>());
    call.request.input_name = base::concat(key, is_one ? "" : service::kInputIndex);
}

// An empty array is answered with one by Ollama.
void read_ollama_inputs(FieldReader& reader, Key key, Call& call) {
    const Value* value = reader.find(key);
    const auto* array = value ? value->get<Value::Array>() : nullptr;
    if (!array || !array->empty()) read_inputs(reader, key, call);
}

void read_one_input(FieldReader& reader, Key key, Call& call) {
    reader.text(key, call.request.inputs.emplace_back().text);
    call.request.input_name = key;
}

void read_truncate(FieldReader& reader, Key key, Call& call) {
    reader.boolean(key, call.request.truncate);
}

void read_truncation(FieldReader& reader, Key key, Call& call) {
    read_choice(reader, key, {"disabled", "auto"}, call.request.truncate);
}

void read_encoding(FieldReader& reader, Key key, Call& call) {
    read_choice(reader, key, {"float", "base64"}, call.encoding);
}

// --- Choices and log-probabilities -----------------------------------------------------------------------------------

void read_n(FieldReader& reader, Key key, Call& call) {
    reader.integer(key, 1, RequestLimits::kMaxAnswers, call.n);
    if (call.n * call.prompts.size() > RequestLimits::kMaxAnswers) {
        reader.refuse(key, call.n, " answers to each of ", call.prompts.size(), " prompts are more than ",
                      RequestLimits::kMaxAnswers);
    }
}

// Where it is n, none of the answers is to be left out.
void read_best_of(FieldReader& reader, Key key, Call& call) {
    uint32_t best_of = call.n;
    reader.integer(key, 1, RequestLimits::kMaxTokens, best_of);
    if (best_of != call.n) reader.refuse(key, best_of, " is not offered, only n is, which is ", call.n);
}

void read_completion_echo(FieldReader& reader, Key key, Call& call) {
    reader.boolean(key, call.request.echo);
    if (call.request.echo && !call.prompts.empty() && !call.prompts.front().ids.empty()) {
        reader.refuse(key, "is not offered for a prompt of token ids");
    }
}

// A completion's is the number of alternatives; 0 asks for those of the chosen tokens alone.
void read_completion_logprobs(FieldReader& reader, Key key, Call& call) {
    const Value* value = reader.find(key);
    const auto* flag = value ? value->get<bool>() : nullptr;
    if (!value || (flag && !*flag)) return;
    uint32_t n_top = 0;
    reader.integer(key, 0, RequestLimits::kMaxTopLogprobs, n_top);
    call.request.top_logprobs = n_top;
    // The prompt's would have to be computed too.
    if (call.request.echo) reader.refuse("echo", "is not offered together with logprobs");
}

void read_chat_logprobs(FieldReader& reader, Key key, Call& call) {
    bool wanted = false;
    reader.boolean(key, wanted);
    if (wanted) call.request.top_logprobs = 0;
}

void read_top_logprobs(FieldReader& reader, Key key, Call& call) {
    uint32_t n_top = 0;
    reader.integer(key, 0, RequestLimits::kMaxTopLogprobs, n_top);
    if (call.request.top_logprobs) {
        call.request.top_logprobs = n_top;
    } else if (n_top > 0) {
        reader.refuse(key, n_top, " is only offered where logprobs is true");
    }
}

void read_stream_options(FieldReader& reader, Key key, Call& call) {
    reader.within(key, [&](FieldReader& fields) { fields.boolean("include_usage", call.include_usage); });
}

// --- Conversations and tools -----------------------------------------------------------------------------------------

void read_chat_messages(FieldReader& reader, Key key, Call& call) {
    read_messages(reader, key, MissingContent::Refused, call.request.messages);
}

void read_ollama_messages(FieldReader& reader, Key key, Call& call) {
    read_messages(reader, key, MissingContent::IsEmpty, call.request.messages);
}

void read_add_generation_prompt(FieldReader& reader, Key key, Call& call) {
    bool wanted = true;
    reader.boolean(key, wanted);
    if (!wanted && !ends_with_assistant(call)) {
        reader.refuse(key, "false is offered only where the last message is the assistant's");
    }
}

void read_continue_final_message(FieldReader& reader, Key key, Call& call) {
    bool wanted = false;
    reader.boolean(key, wanted);
    if (wanted && !ends_with_assistant(call)) reader.refuse(key, "the last message is not the assistant's");
}

void read_call_tools(FieldReader& reader, Key key, Call& call) {
    read_tools(reader, key, call.request.tools);
}

void read_call_tool_choice(FieldReader& reader, Key key, Call& call) {
    read_tool_choice(reader, key, call.request);
    const bool must_call = call.request.tool_choice == protocol::ToolChoice::Required ||
                           call.request.tool_choice == protocol::ToolChoice::Named;
    if (must_call && call.request.tools.empty()) reader.refuse(key, "there are no tools to choose from");
}

// On the bus a name stands for itself.
void read_bus_tool_choice(FieldReader& reader, Key key, Call& call) {
    std::string name;
    reader.text(key, name);
    if (!reader.find(key)) return;
    if (name == "none" || name == "auto" || name == "required") return read_call_tool_choice(reader, key, call);
    call.request.tool_choice = protocol::ToolChoice::Named;
    call.request.tool_name = std::move(name);
    if (call.request.tools.empty()) reader.refuse(key, "there are no tools to choose from");
}

// llama-server's, which is off below 0.
void read_adaptive_target(FieldReader& reader, Key key, Call&) {
    float target = -1;
    reader.number(key, -1, 1, target);
    if (target >= 0) reader.refuse(key, "this version of llmd does not offer it");
}

// Responses' `include`: what is added to an answer. What llmd's never have cannot be missed in them.
void read_include(FieldReader& reader, Key key, Call&) {
    std::vector<std::string> names;
    reader.strings(key, names);
    for (const std::string& name : names) {
        if (name == "message.output_text.logprobs") reader.refuse(key, base::in_quotes(name), " is not offered");
    }
}

void read_keep_alive(FieldReader& reader, Key key, Call& call) {
    const Value* value = reader.find(key);
    if (!value) return;
    const auto time = parse_keep_alive(*value);
    time ? void(call.request.keep_alive = *time) : reader.set(time.error());
}

std::string_view without_latest(std::string_view name) {
    return name.ends_with(kLatest) ? name.substr(0, name.size() - kLatest.size()) : name;
}

void read_model(FieldReader& reader, Key key, std::string& out) {
    reader.text(key, out);
    out.resize(without_latest(out).size());
}

}  // namespace llmd::api
