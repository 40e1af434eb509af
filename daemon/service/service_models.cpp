// The models that requests, questions and jobs name, and the jobs that load and unload them.
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <string_view>
#include <utility>

#include "base/json_writer.h"
#include "base/model_files.h"
#include "base/remote_settings.h"
#include "base/utf8.h"
#include "service/service.h"

namespace llmd::service {
namespace {

using base::ErrorCode;

// A path that is named outside of the catalogue.
base::Result<ModelReference> model_at(const std::string& path) {
    std::string name = base::name_of_model(path);
    if (!base::is_one_line(path) || !base::is_model_name(name)) {
        return base::fail(ErrorCode::InvalidArgument, base::shown(path),
                          ": has control characters, or a file name that begins with a dot");
    }
    if (!base::is_local_model_name(name)) {
        return base::fail(ErrorCode::InvalidArgument, path, ": ", base::kNameOfRemote);
    }
    if (!supervisor::file_identity(path)) {
        struct stat status;
        if (::stat(path.c_str(), &status) != 0) return base::fail_errno(ErrorCode::ModelNotFound, path, errno);
        return base::fail(ErrorCode::InvalidArgument, path, ": is not a regular file");
    }
    return ModelReference{std::move(name), path};
}

}  // namespace

base::Result<ModelReference> Service::default_model() const {
    const std::string& configured = config_.model;
    if (configured.starts_with('/')) return resolve_path(configured);
    if (!configured.empty()) {
        if (auto model = resolve(configured, false)) return model;
    }
    const auto names = catalogue_->names();
    if (names.empty()) {
        return base::fail(ErrorCode::ModelNotFound,
                          "there is no model: install llmd-models-phone, or 'llmctl pull hf:OWNER/REPO', or 'llmctl "
                          "import FILE.gguf'");
    }
    if (!configured.empty()) {
        return base::fail(ErrorCode::ModelNotFound, "the default model of the settings, '",
                          base::to_clean_text(configured), "', is not installed");
    }
    if (const std::string chosen = supervisor::default_model_of(names); !chosen.empty()) return resolve(chosen, false);
    return base::fail(ErrorCode::ModelNotFound, "no default model: '", supervisor::kBundledModel,
                      "' is not installed and there is more than one other; 'llmctl default MODEL' chooses one");
}

base::Result<ModelReference> Service::resolve(const std::string& name, bool embeds) const {
    if (name.empty()) {
        auto chosen = default_model();
        const auto& last = embeds ? last_embedder_ : last_text_;
        if (!last || last->configured != config_.model) return chosen;
        return settings_answer(chosen, embeds) ? chosen : last->model;
    }
    auto path = catalogue_->find(name);
    if (path) return as_known({name, std::move(*path)});
    // Loaded by its path, from outside of the catalogue: a name there goes first.
    for (const auto* last : {&last_text_, &last_embedder_}) {
        if (*last && (*last)->model.name == name) return (*last)->model;
    }
    for (const auto& [key, engine] : engines_) {
        const bool is_ours = engine->is_alive() && !engine->model().is_remote();
        if (is_ours && engine->model().name == name) return engine->model();
    }
    return std::move(path).error();
}

bool Service::settings_answer(const base::Result<ModelReference>& chosen, bool embeds) const {
    if (config_.model.empty()) return false;
    if (!chosen) return !embeds;
    const auto needs = catalogue_->needs(chosen->path);
    return (needs && needs->embeds) == embeds;  // of a text, until it is known
}

base::Result<ModelReference> Service::model_of(const std::string& name, const GenerateRequest& request) const {
    if (!name.empty()) {
        auto remote = remotes_.find(name, request);
        if (!remote) return std::move(remote).error();
        if (*remote) return **remote;
    }
    return resolve(name, !request.inputs.empty());
}

base::Result<ModelReference> Service::choose_model(const GenerateRequest& request, Route& route, bool& held,
                                                   std::optional<base::Error> error) {
    while (true) {
        auto model = model_of(route.model, request);
        if (model && std::find(route.keys.begin(), route.keys.end(), model->key()) != route.keys.end()) {
            if (!route.skip(request.fallback, *error)) return route.with_history(*std::move(error));
            continue;
        }
        error = model ? refusal(request, *model, held) : model.error();
        if (!error) {
            route.keys.push_back(model->key());
            return model;
        }
        if (!route.advance(request.fallback, *error, false)) return route.with_history(*std::move(error));
    }
}

std::optional<base::Error> Service::refusal(const GenerateRequest& request, const ModelReference& model, bool& held) {
    if (model.is_remote()) {
        if (remotes_.launcher() == nullptr) {
            return base::fail(ErrorCode::NotSupported, "this llmd has no llmd-remote, which asks remotes");
        }
        auto decision = remotes_.decide(model.remote, request, directive_);
        held = decision.action == handover::Decision::Action::Wait;
        if (decision.action != handover::Decision::Action::Refuse) return std::nullopt;
        return std::move(decision.why);
    }
    if (directive_.refuse_all) return directive_.refuse_all->error();
    if (directive_.refuse_background && request.priority == Priority::Background) {
        return directive_.refuse_background->error();
    }
    return recent_load_failure(model);
}

base::Result<ModelReference> Service::resolve_path(const std::string& path) const {
    auto model = model_at(path);
    return model ? base::Result<ModelReference>(as_known(std::move(*model))) : model;
}

ModelReference Service::as_known(ModelReference model) const {
    if (engines_.contains(model.key())) return model;
    const auto file = identify(model.path);
    const auto settings = config_.of(model.name);
    const auto is_same = [&](const ModelReference& other, const std::optional<supervisor::FileIdentity>& other_file) {
        return !other.is_remote() && other_file == file && config_.of(other.name) == settings;
    };
    for (const auto& [key, engine] : engines_) {
        if (!engine->is_alive() || !is_same(engine->model(), engine->file())) continue;
        model.path = engine->model().path;
        return model;
    }
    std::set<std::string_view> looked_at;  // each file once, however many requests are for it
    for (const auto& [id, record] : requests_.records()) {
        if (record.model.is_remote() || !looked_at.insert(record.model.path).second) continue;
        if (!is_same(record.model, identify(record.model.path))) continue;
        model.path = record.model.path;
        return model;
    }
    return model;
}

std::optional<base::Error> Service::recent_load_failure(const ModelReference& model) {
    return load_failures_.current(model.key(), identify(model.path), environment_.now());
}

void Service::note_used(const ModelReference& model, bool embeds) {
    if (model.is_remote()) return;  // whoever names no model gets one of this device
    (embeds ? last_embedder_ : last_text_) = LastUsed{model, config_.model};
}

void Service::list_models(std::function<void(std::vector<supervisor::ModelEntry>)> done) {
    // The catalogue forgets its callbacks when it goes, and it goes with this object.
    catalogue_->list([this, done = std::move(done)](std::vector<supervisor::ModelEntry> entries) {
        const auto chosen = default_model();
        for (supervisor::ModelEntry& entry : entries) {
            const ModelReference model = as_known({entry.name, entry.path});
            const Engine* engine = serving(model);
            entry.is_default = chosen && model.key() == chosen->key();
            entry.loaded = engine != nullptr && engine->is_ready();
        }
        done(std::move(entries));
    });
}

void Service::list_models(const base::Caller& caller, std::function<void(std::vector<supervisor::ModelEntry>)> done) {
    list_models([remote = remotes_.models(caller), done = std::move(done)](std::vector<supervisor::ModelEntry> models) {
        models.insert(models.end(), remote.begin(), remote.end());
        done(std::move(models));
    });
}

void Service::reload() {
    if (reload_callback_) reload_callback_();
    catalogue_->forget_inspections();
}

void Service::load_model(const std::string& name_or_path, ModelJobs::Done done) {
    const bool is_path = !name_or_path.empty() && name_or_path.front() == '/';
    auto model = is_path ? resolve_path(name_or_path) : resolve(name_or_path, false);
    auto refused = refuse_job();
    if (const auto* error = refuse_without_options(); error && !refused) refused = *error;
    if (!refused && directive_.refuse_all) refused = directive_.refuse_all->error();
    if (!refused && !model) refused = model.error();
    if (refused) return jobs_.answer(std::move(done), *std::move(refused));
    load_failures_.forget(model->key());
    devices_.forget();
    // An answer is due even where nobody listens: what was asked for by name is used from now on.
    if (!done) done = [](const base::Result<void>&) {};
    jobs_.add({ModelJobs::Job::Kind::Load, std::move(*model), std::move(done)});
    schedule_pass();
}

void Service::unload_model(const std::string& name, ModelJobs::Done done) {
    if (auto refused = refuse_job()) return jobs_.answer(std::move(done), *std::move(refused));
    std::optional<ModelReference> model;
    if (!name.empty()) {
        auto resolved = resolve(name, false);
        if (!resolved) return jobs_.answer(std::move(done), std::move(resolved).error());
        model = std::move(*resolved);
    }
    jobs_.add({ModelJobs::Job::Kind::Unload, std::move(model), std::move(done)});
    schedule_pass();
}

std::optional<base::Error> Service::refuse_job() const {
    return shutting_down_ ? std::optional(shutting_down()) : jobs_.refuse();
}

void Service::queue_load_if_replaced(const ModelReference& model) {
    const Engine* engine = serving(model);
    if (engine == nullptr || model.is_remote()) return;
    const auto now = identify(model.path);  // nothing: it is gone, and what is loaded is all there is
    if (now && now != engine->file()) jobs_.add_load_for_others(model);
}

void Service::run_jobs() {
    draining_.clear();
    while (!jobs_.empty()) {
        const ModelJobs::Job& job = jobs_.front();
        if (!(job.kind == ModelJobs::Job::Kind::Load ? run_load(job) : run_unload(job))) return;
    }
}

bool Service::run_load(const ModelJobs::Job& job) {
    const ModelReference model = *job.model;
    // An inspection tells whether the file is another one or was only touched.
    if (!model.is_remote() && serving(model) != nullptr && !catalogue_->needs(model.path)) return false;
    if (Engine* engine = serving(model); engine != nullptr && is_current(*engine)) {
        if (!engine->is_ready()) return false;
        if (job.done) {
            engine->use().note({}, std::nullopt, false, environment_.now());
            const auto needs = model.is_remote() ? std::nullopt : catalogue_->needs(model.path);
            note_used(model, needs && needs->embeds);
        }
        jobs_.finish({});
        return true;
    } else if (engine != nullptr) {
        if (engine->n_running() == 0) engine->stop();
        return false;
    }
    const auto step = step_to(model, Priority::Interactive, false);  // for which all others make room
    if (const auto* yields = std::get_if<supervisor::Yield>(&step)) draining_.insert(yields->model);
    if (const auto* error = std::get_if<base::Error>(&step)) {
        jobs_.finish(*error);
        return true;
    }
    if (!std::holds_alternative<supervisor::LoadIt>(step)) return false;
    start_engine(model);
    return serving(model) == nullptr;  // it has failed, and the job with it
}

bool Service::run_unload(const ModelJobs::Job& job) {
    bool is_done = true;
    for (auto& [key, engine] : engines_) {
        if (job.model && job.model->key() != key) continue;
        if (engine->n_running() > 0) {
            is_done = false;
            continue;
        }
        engine->stop();
        is_done = is_done && engine->state() == Engine::State::Gone;
    }
    if (!is_done) return false;
    for (auto* last : {&last_text_, &last_embedder_}) {
        if (*last && (!job.model || (*last)->model.key() == job.model->key())) last->reset();
    }
    default_load_failed_ = false;
    jobs_.finish({});
    return true;
}

}  // namespace llmd::service
