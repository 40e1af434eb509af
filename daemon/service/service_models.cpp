#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/utf8.h"
#include "service/service_impl.h"

namespace llmd::service {
namespace {

using base::ErrorCode;

// LoadModel and UnloadModel calls that wait: more is a client out of control.
constexpr size_t kMaxJobs = 16;

// A path that is named outside of the catalogue. Its model is called like the file, without ".gguf".
base::Result<ModelReference> model_at(const std::string& path) {
    std::string name = path.substr(path.rfind('/') + 1);
    if (name.ends_with(engines::kModelSuffix)) name.resize(name.size() - engines::kModelSuffix.size());
    if (!engines::is_one_line(path) || !engines::is_model_name(name)) {
        std::string shown = base::to_clean_text(path);
        std::replace_if(shown.begin(), shown.end(), engines::is_control, '?');
        return base::fail(ErrorCode::InvalidArgument, shown,
                          ": has control characters, or a file name that begins with a dot");
    }
    if (!engines::file_identity(path)) {
        struct stat status;
        if (::stat(path.c_str(), &status) != 0) return base::fail_errno(ErrorCode::ModelNotFound, path, errno);
        return base::fail(ErrorCode::InvalidArgument, path, ": is not a regular file");
    }
    return ModelReference{std::move(name), path};
}

}  // namespace

base::Result<ModelReference> Service::Impl::default_model() const {
    const std::string& configured = options_.default_model;
    if (!configured.empty()) return configured.front() == '/' ? model_at(configured) : resolve(configured, false);
    if (auto path = catalogue_->find(engines::kBundledModel))
        return ModelReference{std::string(engines::kBundledModel), *path};
    const auto names = catalogue_->names();
    if (names.size() == 1) return resolve(names.front(), false);
    return base::fail(ErrorCode::ModelNotFound, "no default model: '", engines::kBundledModel,
                      "' is not installed and ", names.empty() ? "there is no other" : "there is more than one other");
}

base::Result<ModelReference> Service::Impl::resolve(const std::string& name_or_path, bool allow_path) const {
    if (name_or_path.empty()) {
        if (model_ && default_at_load_ == options_.default_model) return *model_;
        return default_model();
    }
    if (allow_path && name_or_path.front() == '/') return model_at(name_or_path);
    auto path = catalogue_->find(name_or_path);
    if (path) return ModelReference{name_or_path, std::move(*path)};
    // Loaded by its path, from outside of the catalogue: a name there goes first.
    if (model_ && model_->name == name_or_path) return *model_;
    return std::move(path).error();
}

std::optional<base::Error> Service::Impl::recent_load_failure(const ModelReference& model) {
    return load_failures_.current(model.path, engines::file_identity(model.path), clocks_.now());
}

void Service::Impl::list_models(std::function<void(std::vector<engines::ModelEntry>)> done) {
    // The catalogue forgets its callbacks when it goes, and it goes with this object.
    catalogue_->list([this, done = std::move(done)](std::vector<engines::ModelEntry> entries) {
        const auto chosen = default_model();
        for (engines::ModelEntry& entry : entries) {
            entry.is_default = chosen && entry.path == chosen->path;
            entry.loaded = engine_state_ == EngineState::Ready && entry.path == model_->path;
        }
        done(std::move(entries));
    });
}

void Service::Impl::reload() {
    if (reload_callback_) reload_callback_();
    catalogue_->forget_inspections();
}

void Service::Impl::load_model(const std::string& name_or_path, std::function<void(base::Result<void>)> done) {
    auto model = resolve(name_or_path, true);
    auto refused = refuse_job();
    if (const auto* error = refuse_without_options(); error && !refused) refused = *error;
    if (!refused && directive_.refuse_all) refused = directive_.refuse_all->error();
    if (!refused && !model) refused = model.error();
    if (refused) return answer(std::move(done), *std::move(refused));
    load_failures_.forget(model->path);
    use_device_again();
    jobs_.push_back(Job{std::move(*model), std::move(done)});
    schedule_turn();
}

void Service::Impl::unload_model(std::function<void(base::Result<void>)> done) {
    if (auto refused = refuse_job()) return answer(std::move(done), *std::move(refused));
    jobs_.push_back(Job{std::nullopt, std::move(done)});
    schedule_turn();
}

std::optional<base::Error> Service::Impl::refuse_job() const {
    if (shutting_down_) return shutting_down();
    if (jobs_.size() < kMaxJobs) return std::nullopt;
    return base::fail(ErrorCode::QueueFull, jobs_.size(), " loads and unloads are waiting, at most ", kMaxJobs, " may");
}

void Service::Impl::finish_job(base::Result<void> result) {
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    answer(std::move(job.done), std::move(result));
}

void Service::Impl::answer(std::function<void(base::Result<void>)> done, base::Result<void> result) {
    if (!done) return;
    callbacks_.push_back([done = std::move(done), result = std::move(result)] { done(result); });
    schedule_turn();
}

void Service::Impl::queue_load(const ModelReference& model) {
    const bool queued = std::any_of(jobs_.begin(), jobs_.end(),
                                    [&](const Job& job) { return job.load && job.load->path == model.path; });
    if (!queued) jobs_.push_back(Job{model, nullptr});
}

void Service::Impl::queue_loads_for_tokenizing() {
    for (const TokenizeCall& call : tokenize_calls_) {
        if (!serves(call.model)) queue_load(call.model);
    }
}

void Service::Impl::queue_load_if_replaced(const ModelReference& model) {
    if (!serves(model)) return;
    const auto now = engines::file_identity(model.path);  // nothing: it is gone, and what is loaded is all there is
    if (now && now != file_) queue_load(model);
}

bool Service::Impl::run_jobs() {
    while (!jobs_.empty() && engine_state_ != EngineState::Ending) {
        const Job& job = jobs_.front();
        if (job.load && serves(*job.load) && file_ == engines::file_identity(job.load->path)) {
            if (engine_state_ == EngineState::Loading) return true;
            if (job.done) note_use({}, std::nullopt, false);
            finish_job({});
            continue;
        }
        if (scheduler_.n_running() > 0) return true;
        if (engine_state_ != EngineState::None) {
            stop_engine();
        } else if (job.load) {
            start_engine(ModelReference(*job.load));
        } else {
            model_.reset();
            default_load_failed_ = false;
            finish_job({});
        }
    }
    return engine_state_ != EngineState::Ending;
}

}  // namespace llmd::service
