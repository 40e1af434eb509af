// The models that can be named: every *.gguf in the model directories, where the parts of a split model are one. Names
// and sizes come from the directory (base/model_files.h);
// architecture, quantization and context from `llmd-engine --inspect FILE`, a short-lived sandboxed process, cached by
// device, inode, size and modification time. llmd itself never parses a model file.
// Thread-bound to the event loop.
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/event_loop.h"
#include "base/result.h"
#include "protocol/inspection.h"
#include "supervisor/memory_budget.h"

namespace llmd::supervisor {

inline constexpr std::string_view kBundledModel = "phone-11m-q8_0";
// The default model where the settings name none: the bundled one, or else the only one of `names` that is of this
// device. Empty: none.
std::string default_model_of(const std::vector<std::string>& names);

// A model, and what its inspection said; where that failed, `error` alone.
struct ModelEntry : protocol::Inspection {
    std::string name;         // as base::ModelFiles has it, or MODEL@REMOTE
    std::string path;         // of a split model the first part
    uint64_t size_bytes = 0;  // of all parts
    bool loaded = false;
    bool is_default = false;  // for whoever names none
    // These describe a remote's model, of which nothing else is known, since nobody is asked for it: the remote's name,
    // its address as handover::host_of() has it, and what holds for each of its texts, in words that the D-Bus
    // interface documents.
    std::string remote = {};
    std::string host = {};
    std::vector<std::string> guarantees = {};
};

// A model will need this of memory, as it is known before it is loaded; as in protocol::Inspection.
struct ModelNeeds {
    uint64_t weight_bytes = 0;  // the file's size where it could not be inspected
    ContextSize context;
    uint32_t n_ctx_train = 0;
    bool embeds = false;
};

// With the model's name in the place of its path in the error, as a sandboxed program may see it.
ModelEntry without_path_in_error(ModelEntry entry);

// A changed file has another identity, and so has a split model of which a part has changed, come or gone.
struct FileIdentity {
    uint64_t device = 0;
    uint64_t inode = 0;
    uint64_t size = 0;  // of all parts
    int64_t mtime_ns = 0;
    uint64_t others = 0;  // a hash of the identities of the parts behind the first; 0 without such
    auto operator<=>(const FileIdentity&) const = default;
};
// Nothing when `path` is not a regular file or a link to one.
std::optional<FileIdentity> file_identity(const std::string& path);

class ModelCatalogue {
public:
    // For one file; then the process is killed, and the list goes on without it even if it does not die.
    static constexpr std::chrono::seconds kInspectionLimit{5};
    static constexpr size_t kMaxInspections = 2;  // at a time: a phone has other things to do
    static constexpr size_t kMaxModels = 1000;    // listed; more is a wrong directory, not a collection

    // `folders` in falling precedence: a name in an earlier directory hides the same name in a later one. `engine_path`
    // is the llmd-engine to inspect with. A directory that does not exist is empty; what is not a regular file is
    // skipped (symbolic links to one are fine). A file that no model can be called like, or a part of a split model
    // without the first, is listed with an error that says so, and is nobody's model.
    static std::unique_ptr<ModelCatalogue> make(base::EventLoop& loop, std::vector<std::string> folders,
                                                std::string engine_path);
    ModelCatalogue(const ModelCatalogue&) = delete;
    ModelCatalogue& operator=(const ModelCatalogue&) = delete;
    virtual ~ModelCatalogue() = default;

    // Path of a model by name: ModelNotFound lists the names there are. Names with '/' or NUL are never looked up.
    virtual base::Result<std::string> find(std::string_view name) const = 0;
    // All names, sorted.
    virtual std::vector<std::string> names() const = 0;
    // Inspects what is new or has given no answer yet, then calls `done` in a later iteration of the loop; sorted by
    // name. `loaded` is false: the service knows.
    virtual void list(std::function<void(std::vector<ModelEntry>)> done) = 0;
    // Returns the needs of the file at `path`. Nothing: it is being inspected, and on_inspected() is called when there
    // is an answer.
    virtual std::optional<ModelNeeds> needs(const std::string& path) = 0;
    virtual void on_inspected(std::function<void()> callback) = 0;
    // Returns the identity of the file at `path` now. One that was only touched since an inspection keeps the identity
    // that it had then: it has the same size, and a second inspection, which needs() and list() begin, has found the
    // same digest. Until that has an answer it is another file. Nothing as file_identity().
    virtual std::optional<FileIdentity> identify(const std::string& path) const = 0;
    // Forgets what inspections have found. The directories themselves are read at every question.
    virtual void forget_inspections() = 0;

protected:
    ModelCatalogue() = default;
};

}  // namespace llmd::supervisor
