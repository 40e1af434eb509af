#include "service/model_jobs.h"

#include <algorithm>
#include <utility>

namespace llmd::service {
namespace {

// LoadModel and UnloadModel calls that wait: more is a client out of control.
constexpr size_t kMaxJobs = 16;

}  // namespace

std::optional<base::Error> ModelJobs::refuse() const {
    if (jobs_.size() < kMaxJobs) return std::nullopt;
    return base::fail(base::ErrorCode::QueueFull, jobs_.size(), " loads and unloads are waiting, at most ", kMaxJobs,
                      " may");
}

bool ModelJobs::wait_for(const std::string& key) const {
    return std::any_of(jobs_.begin(), jobs_.end(),
                       [&](const Job& job) { return job.model && job.model->key() == key; });
}

void ModelJobs::add_load_for_others(const ModelReference& model) {
    const bool queued = std::any_of(jobs_.begin(), jobs_.end(), [&](const Job& job) {
        return job.kind == Job::Kind::Load && job.model->key() == model.key();
    });
    if (!queued) jobs_.push_back(Job{Job::Kind::Load, model, nullptr});
}

void ModelJobs::finish(base::Result<void> result) {
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    answer(std::move(job.done), std::move(result));
}

void ModelJobs::fail_all(const base::Error& error) {
    while (!jobs_.empty()) finish(error);
}

void ModelJobs::answer(Done done, base::Result<void> result) {
    if (!done) return;
    post_([done = std::move(done), result = std::move(result)] { done(result); });
}

}  // namespace llmd::service
