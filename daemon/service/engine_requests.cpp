// The messages between an engine and the service about the requests of its model, both ways.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/utf8.h"
#include "service/engine.h"

namespace llmd::service {
namespace {

using base::concat;
using base::ErrorCode;
using OnEngine = RequestRecord::OnEngine;
using Stage = RequestRecord::Stage;

// The first `n` values, of length 1.
std::vector<float> shortened(const std::vector<float>& embedding, size_t n) {
    std::vector<float> out(embedding.begin(), embedding.begin() + static_cast<ptrdiff_t>(n));
    const double square = std::inner_product(out.begin(), out.end(), out.begin(), 0.0);
    const double scale = square > 0 ? 1 / std::sqrt(square) : 0;
    for (float& value : out) value = static_cast<float>(value * scale);
    return out;
}

// The notes on one of several inputs, each kind once.
void add_notes(std::vector<std::string>& notes, const std::vector<std::string>& more) {
    for (const std::string& note : more) {
        if (notes.size() < protocol::kMaxNotes && std::find(notes.begin(), notes.end(), note) == notes.end()) {
            notes.push_back(note);
        }
    }
}

// An engine calls an input its prompt.
void name_input(base::Error& error, const std::string& name, bool is_one_of_several) {
    constexpr std::string_view kPrompt = "prompt";
    const std::string_view message = error.message;
    const bool is_named = message.starts_with("prompt[") || message.starts_with("prompt:");
    if (is_named) {
        error.message = concat(name, message.substr(kPrompt.size()));
    } else if (is_one_of_several) {
        error.message = concat(name, ": ", message);
    }
}

}  // namespace

void Engine::feed(const Orders& orders) {
    if (state_ != State::Ready) return;
    if (!is_remote() && told_duty_cycle_ != orders.duty_cycle_percent) {
        told_duty_cycle_ = orders.duty_cycle_percent;
        link_->send(protocol::SetPace{told_duty_cycle_});
    }
    // First, so that there is room for those that start.
    for_each_request([&](RequestRecord& record) {
        if (record.running || !record.started_as || std::exchange(record.paused_on_engine, true)) return;
        link_->send(protocol::SetPaused{record.id, true});
    });
    if (std::exchange(cache_is_due_, false) && !is_remote()) link_->send(protocol::DropCache{});
    end_preloads(orders.drains);
    for (auto& [id, record] : context_.requests.records()) {
        if (record.model.key() != key() || !record.running || is_preload(record.request)) continue;
        // It is taken out of the map: the next pass goes on.
        if (!send_start(record)) return;
    }
    // The waiting too: their prompts are checked and counted before their turn comes.
    for_each_request([&](RequestRecord& record) {
        // To a remote a Submit is the hand-over: it comes with the start.
        if (record.on_engine == OnEngine::Nothing && !is_remote() && !is_preload(record.request)) send_submit(record);
    });
    context_.questions.send(*link_, key());
}

void Engine::end_preloads(bool drains) {
    // Those that wait for nothing but the model: the engine never hears of them. One without a slot waits as other
    // requests do where the engine drains: the file may be about to be loaded again.
    for_each_request([&](RequestRecord& record) {
        if (!is_preload(record.request) || (!record.running && drains)) return;
        record.started = context_.now();
        has_served_ = true;
    });
    context_.requests.end_if(
        [&](const RequestRecord& record) {
            return is_preload(record.request) && record.model.key() == key() && (record.running || !drains);
        },
        Finish::Length, std::nullopt);
}

bool Engine::send_start(RequestRecord& record) {
    if (record.file && record.file != file_) {
        context_.requests.end(record, Finish::Error,
                              base::fail(ErrorCode::ModelLoadFailed, model_.name, ": has changed while it was used"));
        return false;
    }
    has_served_ = true;
    if (record.on_engine == OnEngine::Nothing) send_submit(record);
    if (record.started_as != record.request.priority) {
        record.started_as = record.request.priority;
        link_->send(protocol::Start{record.id, record.request.priority});
    }
    if (std::exchange(record.paused_on_engine, false)) link_->send(protocol::SetPaused{record.id, false});
    if (!record.started) record.started = context_.now();
    return true;
}

void Engine::send_submit(RequestRecord& record) {
    protocol::Submit submit = submit_of(record);
    record.on_engine = OnEngine::Submit;
    if (record.stage == Stage::Unmeasured) record.notes.clear();
    const auto& inputs = record.request.inputs;
    if (inputs.empty()) return link_->send(submit);

    submit.embeds = true;
    const auto send_input = [&](size_t i) {
        submit.prompt = inputs[i].text;
        submit.prompt_ids = inputs[i].ids;
        link_->send(submit);
    };
    // All are tokenized before the first is computed. The engine keeps none of them but that one.
    if (record.stage == Stage::Unmeasured) record.n_checked = record.prompt_tokens = 0;
    for (size_t i = 1; record.stage == Stage::Unmeasured && i < inputs.size(); ++i) {
        send_input(i);
        link_->send(protocol::Cancel{record.id});
    }
    send_input(record.embeddings.size());
}

void Engine::cancel(const RequestRecord& record) {
    if (record.on_engine != OnEngine::Nothing && state_ == State::Ready) link_->send(protocol::Cancel{record.id});
}

void Engine::on(const protocol::Accepted& accepted) {
    RequestRecord* record = find(accepted.id);
    if (record == nullptr) return;  // ended while this was on its way; the same below
    if (record->stage == Stage::Unmeasured) {
        record->prompt_tokens += accepted.prompt_tokens;
        add_notes(record->notes, accepted.notes);
        if (++record->n_checked < record->request.inputs.size()) return;  // more of them are to be answered
    }
    if (record->on_engine == OnEngine::Submit) record->on_engine = OnEngine::Answered;
    if (record->stage != Stage::Unmeasured) return;  // by an engine before this one, or with another input
    record->stage = Stage::Measured;
    context_.host.schedule_pass();
    // The sink cannot be notified a second time, for another model.
    if (!record->may_move_on()) (void)tell_accepted(*record);
}

bool Engine::tell_accepted(RequestRecord& record) {
    if (std::exchange(record.stage, Stage::Announced) == Stage::Announced) return true;
    const RequestId id = record.id;
    RequestSink& sink = *record.sink;
    const std::string echo = record.request.echo ? base::to_clean_text(record.request.prompt) : std::string();
    if (const std::string note = record.route.note(); !note.empty()) sink.on_note(note);
    for (const std::string& note : std::exchange(record.notes, {})) sink.on_note(note);
    sink.on_accepted(record.prompt_tokens);
    if (!echo.empty() && find(id) != nullptr) sink.on_text(echo);
    return find(id) != nullptr;
}

void Engine::on(const protocol::Refused& refused) {
    base::Error error = error_of(refused);
    if (RequestRecord* record = find(refused.id)) {
        const size_t n_inputs = record->request.inputs.size();
        if (n_inputs > 0) {
            // In the order of send_submit().
            const size_t input =
                record->stage != Stage::Unmeasured ? record->embeddings.size() : (record->n_checked + 1) % n_inputs;
            name_input(error, service::name_of_input(record->request, input), n_inputs > 1);
        }
        // Those that send_submit() has sent behind this one are still to be cancelled.
        if (n_inputs <= 1) {
            record->on_engine = OnEngine::Nothing;  // the engine has forgotten it: nothing to cancel there
        }
        if (refused.prompt_tokens != 0) record->prompt_tokens = refused.prompt_tokens;
        context_.requests.end(*record, Finish::Error, error);
        return;
    }
    context_.questions.take_refusal(key(), refused.id, std::move(error));
}

void Engine::on(const protocol::Started& started) {
    RequestRecord* record = find(started.id);
    if (record == nullptr) return;
    if (!record->started_as || record->on_engine != OnEngine::Answered ||
        started.cached_tokens > record->prompt_tokens) {
        link_->terminate(
            supervisor::EngineEnd::Cause::Protocol,
            concat("started request ", started.id, " with ", started.cached_tokens, " tokens that it did not have"));
        return;
    }
    // Behind its first token its prompt is only computed again.
    if (record->ids.empty()) record->cached_tokens = started.cached_tokens;
}

void Engine::on(const protocol::Tokens& tokens) {
    RequestRecord* record = find(tokens.id);
    if (record == nullptr) return;
    const size_t most_tokens = record->request.inputs.empty() ? record->request.max_tokens : 0;
    const size_t n_logprobs = record->request.top_logprobs ? tokens.ids.size() : 0;
    if (!record->started_as || record->on_engine != OnEngine::Answered ||
        record->ids.size() + tokens.ids.size() > most_tokens || tokens.logprobs.size() != n_logprobs) {
        reject(concat("sent tokens that request ", tokens.id, " did not ask for"));
        return;
    }
    if (!tokens.ids.empty()) {
        if (!record->first_token) {
            record->first_token = context_.now();
            context_.scheduler.add_prefilled(record->id, record->prompt_tokens);
        }
        if (context_.scheduler.add_generated(record->id, static_cast<uint32_t>(tokens.ids.size())))
            context_.host.schedule_pass();
        record->ids.insert(record->ids.end(), tokens.ids.begin(), tokens.ids.end());
        record->faults = {};
        record->file = file_;
        if (!record->profile.empty() && record->profile != ready_.profile) record->profile_changed = true;
        record->profile = ready_.profile;
        // A token whose text is kept goes on with what there was before it.
        const bool thinks = tokens.parts.empty()
                                ? record->thinks
                                : std::any_of(tokens.parts.begin(), tokens.parts.end(), [](const auto& part) {
                                      return part.kind == protocol::AnswerPart::Kind::Thinking;
                                  });
        if (thinks) record->thinking_tokens += static_cast<uint32_t>(tokens.ids.size());
    }
    // None again from an engine that goes on with these ids: it reports new tokens only.
    if (!tokens.logprobs.empty()) {
        if (!tell_accepted(*record)) return;
        record->sink->on_logprobs(tokens.logprobs);
    }
    (void)deliver(*record, tokens.parts, tokens.bytes);
}

void Engine::on(const protocol::Finished& finished) {
    RequestRecord* record = find(finished.id);
    if (record == nullptr) return;
    if (!record->started_as || record->on_engine != OnEngine::Answered) {
        reject(concat("finished request ", finished.id, " before its start"));
        return;
    }
    const bool has_succeeded = finished.reason != protocol::FinishReason::Error;
    const bool embeds = !record->request.inputs.empty();
    if ((embeds && has_succeeded) == finished.embedding.empty()) {
        link_->terminate(
            supervisor::EngineEnd::Cause::Protocol,
            concat("finished request ", finished.id, " with an embedding of ", finished.embedding.size(), " numbers"));
        return;
    }
    if (finished.accepted_tokens > finished.drafted_tokens) {
        reject(concat("finished request ", finished.id, " with ", finished.accepted_tokens, " accepted tokens of ",
                      finished.drafted_tokens, " drafted ones"));
        return;
    }
    if (embeds && has_succeeded && !take_embedding(*record, finished)) return;
    if (has_succeeded && !tell_accepted(*record)) return;
    if (!deliver(*record, finished.parts, finished.bytes)) return;
    switch (finished.reason) {
        case protocol::FinishReason::Stop:
            context_.requests.end(*record, Finish::Stop, std::nullopt, &finished);
            break;
        case protocol::FinishReason::Length:
            context_.requests.end(*record, Finish::Length, std::nullopt, &finished);
            break;
        case protocol::FinishReason::ToolCalls:
            context_.requests.end(*record, Finish::ToolCalls, std::nullopt, &finished);
            break;
        case protocol::FinishReason::Error:
            context_.requests.end(*record, Finish::Error, base::Error{finished.code, finished.message}, &finished);
            break;
    }
}

bool Engine::take_embedding(RequestRecord& record, const protocol::Finished& finished) {
    context_.scheduler.add_prefilled(record.id, finished.prefill_tokens);
    const auto n_values = record.request.dimensions;
    if (n_values > finished.embedding.size()) {
        context_.requests.end(record, Finish::Error,
                              base::fail(ErrorCode::InvalidArgument, "dimensions: ", n_values,
                                         " are more than the model's ", finished.embedding.size()),
                              &finished);
        return false;
    }
    record.embeddings.push_back(n_values == 0 ? finished.embedding : shortened(finished.embedding, n_values));
    if (record.embeddings.size() == record.request.inputs.size()) return true;
    record.faults = {};
    record.file = file_;
    record.leave_engine();  // which knows it no more, and gets it with the next input, if it still has its slot then
    context_.host.schedule_pass();
    return false;
}

bool Engine::deliver(RequestRecord& record, const std::vector<protocol::AnswerPart>& parts, uint64_t bytes) {
    if (!parts.empty() && !tell_accepted(record)) return false;
    record.delivered_bytes += bytes;
    const RequestId id = record.id;
    RequestSink& sink = *record.sink;
    for (const protocol::AnswerPart& part : parts) {
        if (!record.follow(part)) {
            reject(concat("sent a part of the answer to request ", id, " that does not follow the others"));
            return false;
        }
        if (part.kind == protocol::AnswerPart::Kind::Text && part.text.empty()) continue;
        part.kind == protocol::AnswerPart::Kind::Text ? sink.on_text(part.text) : sink.on_part(part);
        if (find(id) == nullptr) return false;  // the sink has ended the request
    }
    return true;
}

void Engine::on(const protocol::Usage& usage) {
    RequestRecord* record = find(usage.id);
    if (record == nullptr) return;
    if (!is_remote()) return reject("sent a Usage");
    if (usage.prompt_tokens != 0) record->prompt_tokens = usage.prompt_tokens;
    record->cached_tokens = std::min(usage.cached_tokens, record->prompt_tokens);
    record->resumed = usage.resumed;
}

}  // namespace llmd::service
