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
      settings_(settings),
      limits_(limits),
      done_(std::move(done)),
      is_auto_(!api_from_name(settings.api)),
      fetch_(loop, transport, limits.reply) {
    upstream_.model = std::move(model);
    upstream_.api = api_from_name(settings.api).value_or(Api::OpenAi);
    probe();
}

Connector::~Connector() {
    loop_.cancel_timer(timer_);
}

void Connector::ask(const HttpCall& call, const std::function<void(const Reply&)>& answered) {
    fetch_.start(call, [this, call, answered](const Reply& reply) {
        attempts_.waited = std::chrono::duration_cast<Milliseconds>(loop_.now() - begun_);
        if (reply.failure && reply.failure->kind != Failure::Kind::Untrusted) {
            Failure lost = *reply.failure;
            // Nothing was begun that could be lost.
            if (lost.kind == Failure::Kind::Cut) lost.kind = Failure::Kind::Unreachable;
            const Verdict verdict = judge(lost, attempts_, limits_, 0);
            if (verdict.what == Verdict::What::Again) {
                ++attempts_.tries;
                timer_ = loop_.add_timer_after(verdict.delay, [this, call, answered] { ask(call, answered); });
                return;
            }
        }
        attempts_.tries = 0;
        answered(reply);
    });
}

void Connector::probe() {
    if (is_auto_ && probed_ < kProbed.size()) upstream_.api = kProbed[probed_];
    const std::string_view path = traits(upstream_.api).probe;
    if (path.empty()) return list();
    ask({std::string(path), {}}, [this](const Reply& reply) { on_probed(reply); });
}

void Connector::on_probed(const Reply& reply) {
    if (reply.failure && reply.failure->kind != Failure::Kind::Status) return end(last_error(*reply.failure));
    if (!reply.failure && has_member(reply.body, traits(upstream_.api).probe_key)) {
        upstream_.version =
            read_string(reply.body, "version").value_or(read_string(reply.body, "build_info").value_or(""));
        return list();
    }
    if (!is_auto_) return list();
    ++probed_;
    upstream_.api = Api::OpenAi;  // unless the next is it
    probe();
}

void Connector::list() {
    ask({"/v1/models", {}}, [this](const Reply& reply) { on_listed(reply); });
}

void Connector::on_listed(const Reply& reply) {
    if (reply.failure) {
        base::Error error = last_error(*reply.failure);
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
    ask({"/api/show", json.take()}, [this](const Reply& reply) { on_shown(reply); });
}

void Connector::on_shown(const Reply& reply) {
    if (reply.failure) return end(last_error(*reply.failure));
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
