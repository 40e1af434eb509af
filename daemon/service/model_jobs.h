// The calls of LoadModel and UnloadModel that wait, and the loads that others need first: done one after another.
// Thread-bound to the event loop.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "service/model_reference.h"

namespace llmd::service {

class ModelJobs {
public:
    using Done = std::function<void(base::Result<void>)>;
    // Has a callback called in a later iteration of the loop.
    using Post = std::function<void(std::function<void()>)>;
    struct Job {
        enum class Kind : uint8_t { Load, Unload };
        Kind kind = Kind::Load;
        std::optional<ModelReference> model;  // nothing, to unload: all
        Done done;                            // nothing: nobody waits for it
    };

    explicit ModelJobs(Post post) : post_(std::move(post)) {}

    // QueueFull: too many wait.
    std::optional<base::Error> refuse() const;
    void add(Job job) { jobs_.push_back(std::move(job)); }
    // The model is to be loaded before whatever waits for it; once is enough.
    void add_load_for_others(const ModelReference& model);

    bool empty() const { return jobs_.empty(); }
    const Job& front() const { return jobs_.front(); }
    bool wait_for(const std::string& key) const;
    void finish(base::Result<void> result);  // the first
    void fail_all(const base::Error& error);
    // For a call that is none.
    void answer(Done done, base::Result<void> result);

private:
    const Post post_;
    std::deque<Job> jobs_;
};

}  // namespace llmd::service
