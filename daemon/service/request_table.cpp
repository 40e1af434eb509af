#include "service/request_table.h"

#include <algorithm>
#include <utility>

#include <spdlog/spdlog.h>

#include "handover/remote_state.h"

namespace llmd::service {
namespace {

using std::chrono::milliseconds;

// Weight of the newest request in what is expected of the next.
constexpr double kNewestWeight = 0.25;
constexpr double kMsPerSecond = 1000;

milliseconds whole_ms(base::Clock::duration duration) {
    return std::chrono::duration_cast<milliseconds>(duration);
}

double per_second(uint32_t tokens, uint64_t us) {
    return us == 0 ? 0 : static_cast<double>(tokens) * 1e6 / static_cast<double>(us);
}

// The mean that follows what is measured; 0: nothing was.
void follow(double& mean, double newest) {
    mean = mean == 0 ? newest : mean + kNewestWeight * (newest - mean);
}

}  // namespace

RequestTable::RequestTable(base::EventLoop& loop, Scheduler& scheduler, Hooks hooks)
    : loop_(loop), scheduler_(scheduler), hooks_(std::move(hooks)) {}

RequestTable::~RequestTable() {
    for (const auto& [id, record] : records_) loop_.cancel_timer(record.deadline_timer);
}

RequestRecord& RequestTable::add(RequestId id, GenerateRequest request, RequestSink& sink, ModelReference model) {
    RequestRecord& record = records_[id];
    record.id = id;
    record.request = std::move(request);
    record.sink = &sink;
    record.model = std::move(model);
    record.submitted = hooks_.now();
    if (record.request.deadline) {
        record.deadline_timer = loop_.add_timer_after(*record.request.deadline, [this, id] { end_late(id); });
    }
    return record;
}

void RequestTable::end_late(RequestId id) {
    RequestRecord* late = find(id);
    if (late == nullptr) return;
    // A text has got so far; embeddings are worth something only together, and a model only when it is loaded.
    const bool is_text = late->request.inputs.empty() && !is_preload(late->request);
    if (is_text) return end(*late, Finish::Timeout);
    end(*late, Finish::Error, base::fail(base::ErrorCode::Timeout, "deadline_ms has passed"));
}

RequestRecord* RequestTable::find(RequestId id) {
    const auto it = records_.find(id);
    return it == records_.end() ? nullptr : &it->second;
}

void RequestTable::end(RequestRecord& record, Finish finish, std::optional<base::Error> error,
                       const protocol::Finished* costs) {
    const base::TimePoint now = hooks_.now();
    Outcome outcome;
    outcome.finish = finish;
    outcome.error = std::move(error);
    outcome.model = record.model.name;
    outcome.seed = *record.request.sampling.seed;
    outcome.prompt_tokens = record.prompt_tokens;
    outcome.cached_tokens = record.cached_tokens;
    outcome.generated_tokens = static_cast<uint32_t>(record.ids.size());
    outcome.thinking_tokens = record.thinking_tokens;
    outcome.queue_time = whole_ms(record.started.value_or(now) - record.submitted);
    if (record.first_token) outcome.ttft = whole_ms(*record.first_token - record.submitted);
    outcome.profile_changed = record.profile_changed;
    outcome.resumed = record.resumed;
    if (record.model.is_remote()) outcome.where = record.model.remote;
    if (costs != nullptr) {
        outcome.prefill_tps = per_second(costs->prefill_tokens, costs->prefill_us);
        outcome.decode_tps = per_second(costs->decode_tokens, costs->decode_us);
        outcome.drafted_tokens = costs->drafted_tokens;
        outcome.accepted_tokens = costs->accepted_tokens;
        outcome.notes = costs->notes;
        // A chat template has stop strings of its own.
        const auto& stops = record.request.stops;
        const bool is_asked = std::find(stops.begin(), stops.end(), costs->stop) != stops.end();
        if (finish == Finish::Stop && is_asked) outcome.stop = costs->stop;
    }
    if (finish == Finish::Stop) outcome.embeddings = std::move(record.embeddings);
    hooks_.on_leaving(record, outcome, costs != nullptr);
    if (outcome.error && record.model.is_remote() && record.request.caller.sandboxed) {
        outcome.error = handover::without_address(*std::move(outcome.error), record.model.remote);
    }
    if (outcome.error && hooks_.ask_next(record, *outcome.error)) return;
    if (record.started) figures_.queue_ms.add(static_cast<double>(outcome.queue_time.count()));
    if (record.first_token) {
        figures_.ttft_ms.add(static_cast<double>(outcome.ttft.count()));
        figures_.prefill_ms.add(static_cast<double>((outcome.ttft - outcome.queue_time).count()));
    }
    if (outcome.decode_tps > 0) figures_.decode_tps.add(outcome.decode_tps);
    figures_.cache_hits += outcome.cached_tokens > 0 ? 1 : 0;
    figures_.cache_hit_tokens += outcome.cached_tokens;
    figures_.drafted_tokens += outcome.drafted_tokens;
    figures_.accepted_tokens += outcome.accepted_tokens;
    if ((is_complete(finish) || finish == Finish::Length) && record.request.max_tokens > 0 &&
        record.request.inputs.empty()) {
        follow(pace_.mean_tokens, outcome.generated_tokens);
        if (outcome.decode_tps > 0) follow(pace_.ms_per_token, kMsPerSecond / outcome.decode_tps);
    }
    spdlog::info("request {} ended: {}{}{}, {} prompt tokens, {} generated", record.id, finish_name(finish),
                 outcome.error ? " " : "", outcome.error ? base::error_name(outcome.error->code) : "",
                 outcome.prompt_tokens, outcome.generated_tokens);

    loop_.cancel_timer(record.deadline_timer);
    scheduler_.remove(record.id);
    const auto open_call = record.call_is_open ? std::optional(record.n_calls - 1) : std::nullopt;
    endings_.push_back(Ending{record.sink, std::move(outcome), open_call});
    records_.erase(record.id);
    hooks_.on_ended();
}

void RequestTable::end_all(Finish finish, const std::optional<base::Error>& error) {
    while (!records_.empty()) end(records_.begin()->second, finish, error);
}

void RequestTable::deliver_endings() {
    for (const Ending& ending : std::exchange(endings_, {})) {
        if (ending.open_call) ending.sink->on_part({protocol::AnswerPart::Kind::CallCut, {}, *ending.open_call});
        ending.sink->on_finished(ending.outcome);
    }
}

size_t RequestTable::n_running(const std::string& key) const {
    return static_cast<size_t>(std::count_if(records_.begin(), records_.end(), [&](const auto& record) {
        return record.second.running && record.second.model.key() == key;
    }));
}

}  // namespace llmd::service
