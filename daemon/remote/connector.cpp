#include "remote/connector.h"

#include <algorithm>
#include <utility>

#include "base/json_writer.h"
#include "base/remote_settings.h"

namespace llmd::remote {

namespace {

using base::ErrorCode;
using base::fail;

constexpr std::string_view kLatest = ":latest";

// Others answer at the same paths.
Api confirmed(Api probed, const ListedModel& model) {
    const bool is_other = (probed == Api::Vllm && model.owned_by != "vllm") || model.owned_by == "llmd";
    return is_other ? Api::OpenAi : probed;
}

}  // namespace

base::Result<std::string> upstream_name(const base::RemoteSettings& settings, const std::string& model) {
    for (const std::string& entry : settings.models) {
        const base::RemoteModel one = base::remote_model(entry);
        if (one.name == model) return one.upstream;
    }
    return fail(ErrorCode::ModelNotFound, "remote ", base::in_quotes(settings.name), ": its models do not list ",
                base::in_quotes(model));
}

const ListedModel* find_model(const std::vector<ListedModel>& models, const std::string& name) {
    const auto found = std::find_if(models.begin(), models.end(), [&](const ListedModel& model) {
        return model.id == name || model.id == name + std::string(kLatest) ||
               std::find(model.aliases.begin(), model.aliases.end(), name) != model.aliases.end();
    });
    return found == models.end() ? nullptr : &*found;
}

Connector::Connector(base::EventLoop& loop, Transport& transport, const base::RemoteSettings& settings,
                     std::string model, Limits limits, Done done)
    : loop_(loop),
      transport_(transport),
      settings_(settings),
      limits_(limits),
      done_(std::move(done)),
      is_auto_(!api_from_name(settings.api)) {
    upstream_.model = std::move(model);
    upstream_.api = api_from_name(settings.api).value_or(Api::OpenAi);
    probe();
}

Connector::~Connector() {
    loop_.cancel_timer(timer_);
}

void Connector::ask(HttpCall call, Step again, std::function<void(const Reply&)> answered) {
    fetch_ = std::make_unique<Fetch>(
        loop_, transport_, std::move(call), limits_.reply,
        [this, again, answered = std::move(answered)](const Reply& reply) {
            const auto failure = failure_of(reply.end, reply.body);
            attempts_.waited = std::chrono::duration_cast<Milliseconds>(loop_.now() - begun_);
            if (failure && failure->kind != Failure::Kind::Untrusted) {
                Failure lost = *failure;
                // Nothing was begun that could be lost.
                if (lost.kind == Failure::Kind::Cut) lost.kind = Failure::Kind::Unreachable;
                const Verdict verdict = judge(lost, attempts_, limits_, 0);
                if (verdict.what == Verdict::What::Again) {
                    ++attempts_.tries;
                    timer_ = loop_.add_timer_after(verdict.delay, [this, again] { (this->*again)(); });
                    return;
                }
            }
            attempts_.tries = 0;
            answered(reply);
        });
}

void Connector::probe() {
    const auto rows = all_apis();
    const ApiTraits& row = is_auto_ ? rows[probed_] : traits(upstream_.api);
    if (row.probe.empty()) return list();
    ask({std::string(row.probe), {}}, &Connector::probe, [this](const Reply& reply) { on_probed(reply); });
}

void Connector::on_probed(const Reply& reply) {
    const auto failure = failure_of(reply.end, reply.body);
    if (failure && failure->kind != Failure::Kind::Status) {
        return end(last_error(*failure));
    }
    const ApiTraits& row = is_auto_ ? all_apis()[probed_] : traits(upstream_.api);
    if (!failure && has_member(reply.body, row.probe_key)) {
        upstream_.api = row.api;
        upstream_.version =
            read_string(reply.body, "version").value_or(read_string(reply.body, "build_info").value_or(""));
        return list();
    }
    if (!is_auto_) return list();
    ++probed_;
    probe();
}

void Connector::list() {
    ask({"/v1/models", {}}, &Connector::list, [this](const Reply& reply) { on_listed(reply); });
}

void Connector::on_listed(const Reply& reply) {
    if (const auto failure = failure_of(reply.end, reply.body)) {
        base::Error error = last_error(*failure);
        // That there is no such list is no word on the model.
        if (error.code == ErrorCode::ModelNotFound || error.code == ErrorCode::NotSupported) {
            error.code = ErrorCode::RemoteRefused;
        }
        return end(error);
    }
    const auto models = read_models(reply.body);
    if (!models) return end(fail(ErrorCode::RemoteRefused, "/v1/models: ", models.error().message));
    const ListedModel* model = find_model(*models, upstream_.model);
    if (model == nullptr) {
        return end(fail(ErrorCode::ModelNotFound, "remote ", base::in_quotes(settings_.name), " does not list ",
                        base::in_quotes(upstream_.model)));
    }
    if (is_auto_) upstream_.api = confirmed(upstream_.api, *model);
    upstream_.model = model->id;
    upstream_.n_ctx = model->n_ctx;
    if (upstream_.api == Api::Ollama) return show();
    end(upstream_);
}

void Connector::show() {
    base::JsonWriter json;
    json.begin_object().key("model").value(upstream_.model).end_object();
    ask({"/api/show", json.take()}, &Connector::show, [this](const Reply& reply) { on_shown(reply); });
}

void Connector::on_shown(const Reply& reply) {
    if (const auto failure = failure_of(reply.end, reply.body)) {
        return end(last_error(*failure));
    }
    const auto shown = read_shown_model(reply.body);
    if (!shown) return end(fail(ErrorCode::RemoteRefused, "/api/show: ", shown.error().message));
    if (shown->is_elsewhere || upstream_.model.ends_with("-cloud") || upstream_.model.ends_with(":cloud")) {
        return end(fail(ErrorCode::RemoteRefused, base::in_quotes(upstream_.model),
                        " is not computed by the remote itself: it would send the text on"));
    }
    upstream_.n_ctx = shown->n_ctx;
    end(upstream_);
}

void Connector::end(const base::Result<Upstream>& upstream) {
    const Done done = std::move(done_);
    done(upstream);
}

}  // namespace llmd::remote
