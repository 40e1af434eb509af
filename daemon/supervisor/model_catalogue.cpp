#include "supervisor/model_catalogue.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <map>
#include <set>
#include <utility>

#include "base/model_files.h"
#include "base/remote_settings.h"
#include "base/unique_fd.h"
#include "base/utf8.h"
#include "protocol/frame.h"
#include "supervisor/engine_process.h"

namespace llmd::supervisor {
namespace {

using base::ErrorCode;
using base::fail;
using protocol::Inspection;

struct ModelFile {
    std::string path;
    FileIdentity identity;
    std::string fault;  // as in base::ModelFiles
};

// Nothing when `path` is not a regular file or a link to one.
std::optional<FileIdentity> identity_of_one(const std::string& path) {
    struct stat status;
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    constexpr int64_t kNanoseconds = 1'000'000'000;
    return FileIdentity{static_cast<uint64_t>(status.st_dev), static_cast<uint64_t>(status.st_ino),
                        static_cast<uint64_t>(status.st_size),
                        static_cast<int64_t>(status.st_mtim.tv_sec) * kNanoseconds + status.st_mtim.tv_nsec};
}

}  // namespace

std::string default_model_of(const std::vector<std::string>& names) {
    const auto bundled = std::find(names.begin(), names.end(), kBundledModel);
    if (bundled != names.end()) return *bundled;
    const auto local = std::find_if(names.begin(), names.end(), base::is_local_model_name);
    const bool one = local != names.end() && std::none_of(local + 1, names.end(), base::is_local_model_name);
    return one ? *local : "";
}

ModelEntry without_path_in_error(ModelEntry entry) {
    for (size_t at = 0; !entry.path.empty() && (at = entry.error.find(entry.path)) != std::string::npos;) {
        entry.error.replace(at, entry.path.size(), entry.name);
    }
    return entry;
}

std::optional<FileIdentity> file_identity(const std::string& path) {
    auto identity = identity_of_one(path);
    if (!identity) return identity;
    const auto parts = base::files_of_model(path);
    for (size_t i = 1; i < parts.size(); ++i) {
        const FileIdentity other = identity_of_one(parts[i]).value_or(FileIdentity{});
        identity->size += other.size;
        const std::string text = base::concat(other.device, ' ', other.inode, ' ', other.size, ' ', other.mtime_ns);
        identity->others = std::hash<std::string>()(base::concat(identity->others, ' ', text));
    }
    return identity;
}

namespace {

class InspectingCatalogue final : public ModelCatalogue {
public:
    InspectingCatalogue(base::EventLoop& loop, std::vector<std::string> folders, std::string engine_path)
        : loop_(loop), folders_(std::move(folders)), engine_path_(std::move(engine_path)) {}

    ~InspectingCatalogue() override {
        loop_.cancel_timer(report_timer_);
        for (auto& [pidfd, child] : children_) end_child(child);
    }

    base::Result<std::string> find(std::string_view name) const override {
        for (const std::string& folder : folders_) {
            if (auto path = base::find_model(folder, name)) return *std::move(path);
        }
        const std::string known = base::listed(names());
        return fail(ErrorCode::ModelNotFound, "no model is called '", base::to_clean_text(name), "'; there ",
                    known.empty() ? "are none" : "are: ", known);
    }

    std::vector<std::string> names() const override {
        std::vector<std::string> names;
        for (const auto& [name, file] : scan()) {
            if (file.fault.empty()) names.push_back(name);
        }
        return names;
    }

    // Those with a fault too, of which nothing but that is listed.
    std::map<std::string, ModelFile> scan() const {
        std::map<std::string, ModelFile> models;
        for (const bool faulty : {false, true}) {
            for (const std::string& folder : folders_) {
                for (base::ModelFiles& found : base::find_models(folder)) {
                    if (found.fault.empty() == faulty || models.size() >= kMaxModels) continue;
                    auto identity = file_identity(found.path);
                    if (!identity && faulty) identity = FileIdentity{};  // of a directory
                    if (!identity) continue;
                    models.try_emplace(found.name, ModelFile{found.path, *identity, std::move(found.fault)});
                }
            }
        }
        return models;
    }

    void list(std::function<void(std::vector<ModelEntry>)> done) override {
        waiting_.push_back(std::move(done));
        if (waiting_.size() > 1) return;  // answered with the list that is being made
        models_ = scan();
        failures_.clear();
        std::set<FileIdentity> present;
        for (const auto& [name, file] : models_) {
            if (!file.fault.empty()) continue;
            if (!present.insert(file.identity).second || known_.contains(file.identity)) continue;
            to_inspect_.push_back(file);
        }
        // A file that was touched is compared with what it was before.
        std::erase_if(known_, [&](const auto& known) {
            return std::none_of(present.begin(), present.end(),
                                [&](const FileIdentity& one) { return is_in_place_of(one, known.first); });
        });
        continue_inspecting();
    }

    std::optional<ModelNeeds> needs(const std::string& path) override {
        const auto identity = file_identity(path);
        if (!identity) return ModelNeeds{};
        if (const auto known = needs_of(*identity)) return known;
        const bool is_due = std::any_of(to_inspect_.begin(), to_inspect_.end(),
                                        [&](const ModelFile& file) { return file.identity == *identity; });
        const bool is_running = std::any_of(children_.begin(), children_.end(), [&](const auto& child) {
            return child.second.identity == *identity && !child.second.given_up;
        });
        if (!is_due && !is_running) to_inspect_.push_front({path, *identity, {}});
        continue_inspecting();
        return needs_of(*identity);
    }

    std::optional<FileIdentity> identify(const std::string& path) const override {
        const auto identity = file_identity(path);
        const auto touched = identity ? touched_.find(*identity) : touched_.end();
        return touched == touched_.end() ? identity : touched->second;
    }

    void on_inspected(std::function<void()> callback) override { inspected_callback_ = std::move(callback); }

    void forget_inspections() override {
        known_.clear();
        silent_.clear();
    }

private:
    struct Child {
        ChildProcess process;
        base::UniqueFd output;
        base::EventLoop::TimerId timer = 0;
        FileIdentity identity;
        bool given_up = false;  // killed; nothing but its end is awaited
    };

    std::optional<ModelNeeds> needs_of(const FileIdentity& identity) const {
        const auto known = known_.find(identity);
        const bool is_model = known != known_.end() && known->second.ok;
        if (!is_model && known == known_.end() && !silent_.contains(identity)) return std::nullopt;
        if (!is_model) return ModelNeeds{.weight_bytes = identity.size};
        const Inspection& inspection = known->second;
        return ModelNeeds{inspection.weight_bytes, context_size(inspection), inspection.n_ctx_train, inspection.embeds};
    }

    static bool is_in_place_of(const FileIdentity& one, const FileIdentity& other) {
        return one.device == other.device && one.inode == other.inode;
    }

    // The file has just been inspected. What was known of an earlier state of it is not needed any more.
    void recognise(const FileIdentity& identity) {
        const Inspection& now = known_.at(identity);
        for (auto it = known_.begin(); it != known_.end();) {
            const auto& [before, inspection] = *it;
            if (before == identity || !is_in_place_of(before, identity)) {
                ++it;
                continue;
            }
            if (now.ok && inspection.ok && before.size == identity.size && inspection.digest == now.digest) {
                const auto touched = touched_.find(before);
                touched_.insert_or_assign(identity, touched == touched_.end() ? before : touched->second);
            }
            touched_.erase(before);
            it = known_.erase(it);
        }
    }

    void fail_inspection(const FileIdentity& identity, std::string why) {
        failures_[identity] = std::move(why);
        silent_.insert(identity);
    }

    size_t n_inspecting() const {
        return static_cast<size_t>(std::count_if(children_.begin(), children_.end(),
                                                 [](const auto& child) { return !child.second.given_up; }));
    }

    void continue_inspecting() {
        while (!to_inspect_.empty() && n_inspecting() < kMaxInspections) {
            const ModelFile file = std::move(to_inspect_.front());
            to_inspect_.pop_front();
            if (auto started = start_child(file); !started) fail_inspection(file.identity, started.error().message);
        }
        if (n_inspecting() == 0 && to_inspect_.empty() && !waiting_.empty() && report_timer_ == 0) {
            // A timer that is due: unlike a deferred call it can be cancelled.
            report_timer_ = loop_.add_timer_after({}, [this] { report(); });
        }
    }

    base::Result<void> start_child(const ModelFile& file) {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) return base::fail_errno(ErrorCode::Failed, "pipe2", errno);
        base::UniqueFd output(ends[0]);
        const base::UniqueFd input(ends[1]);
        if (::fcntl(output.get(), F_SETFL, O_NONBLOCK) != 0) {
            return base::fail_errno(ErrorCode::Failed, "O_NONBLOCK for an inspection", errno);
        }
        auto process = spawn(engine_path_, {"--inspect", file.path}, PassedFd{input.get(), STDOUT_FILENO});
        if (!process) return std::move(process).error();
        const int pidfd = process->pidfd.get();
        Child& child = children_[pidfd];
        child.process = std::move(*process);
        child.output = std::move(output);
        child.identity = file.identity;
        child.timer = loop_.add_timer_after(kInspectionLimit, [this, &child] {
            fail_inspection(child.identity, "the inspection took more than 5 s");
            child.given_up = true;
            kill_child(child.process.pid);
            continue_inspecting();
            if (inspected_callback_) inspected_callback_();
        });
        loop_.add_fd(pidfd, POLLIN, [this, pidfd](short) { on_exit(pidfd); });
        return {};
    }

    void on_exit(int pidfd) {
        Child& child = children_.at(pidfd);
        const int status = reap_child(child.process.pid);
        if (!child.given_up) {
            if (auto inspection = read_inspection(child.output.get(), status)) {
                known_[child.identity] = *std::move(inspection);
                recognise(child.identity);
            } else {
                fail_inspection(child.identity, inspection.error().message);
            }
        }
        loop_.cancel_timer(child.timer);
        loop_.remove_fd(pidfd);
        children_.erase(pidfd);
        continue_inspecting();
        if (inspected_callback_) inspected_callback_();
    }

    // All of it is in the pipe by now: one that wrote more than a pipe holds has waited until it was killed.
    static base::Result<Inspection> read_inspection(int fd, int status) {
        protocol::FrameReader reader;
        std::array<char, 4096> bytes;
        for (ssize_t n; (n = ::read(fd, bytes.data(), bytes.size())) > 0;) {
            reader.append({bytes.data(), static_cast<size_t>(n)});
        }
        auto message = reader.next();
        if (!message) {
            return fail(ErrorCode::Failed, "the inspection's answer is malformed: ", message.error().message);
        }
        if (!*message || !std::holds_alternative<Inspection>(**message)) {
            return fail(ErrorCode::Failed, "the inspection ended without an answer (wait status ", status, ")");
        }
        return std::get<Inspection>(std::move(**message));
    }

    void report() {
        report_timer_ = 0;
        std::vector<ModelEntry> entries;
        for (const auto& [name, file] : models_) {
            ModelEntry& entry = entries.emplace_back();
            entry.name = name;
            entry.path = file.path;
            entry.size_bytes = file.identity.size;
            if (!file.fault.empty()) {
                entry.error = file.fault;
                continue;
            }
            const auto known = known_.find(file.identity);
            if (known == known_.end()) {
                const auto failure = failures_.find(file.identity);
                entry.error = failure == failures_.end() ? "not inspected" : failure->second;
                continue;
            }
            static_cast<Inspection&>(entry) = known->second;
            if (!entry.ok && entry.error.empty()) entry.error = "not a model";
        }
        for (auto& done : std::exchange(waiting_, {})) done(entries);
    }

    void end_child(Child& child) {
        loop_.cancel_timer(child.timer);
        loop_.remove_fd(child.process.pidfd.get());
        kill_child(child.process.pid);  // not reaped: that could block, and llmd is about to end
    }

    base::EventLoop& loop_;
    const std::vector<std::string> folders_;
    const std::string engine_path_;

    std::map<FileIdentity, Inspection> known_;      // the answers of inspections, also that a file is no model
    std::map<FileIdentity, FileIdentity> touched_;  // what a file is now, and what it is taken for
    // The list that is being made, and for whom.
    std::map<std::string, ModelFile> models_;
    std::deque<ModelFile> to_inspect_;
    std::map<FileIdentity, std::string> failures_;  // of this list only: a second try may have more luck
    std::set<FileIdentity> silent_;                 // files that have given no answer since forget_inspections()
    std::map<int, Child> children_;                 // by pidfd
    std::function<void()> inspected_callback_;
    base::EventLoop::TimerId report_timer_ = 0;
    std::vector<std::function<void(std::vector<ModelEntry>)>> waiting_;
};

}  // namespace

std::unique_ptr<ModelCatalogue> ModelCatalogue::make(base::EventLoop& loop, std::vector<std::string> folders,
                                                     std::string engine_path) {
    return std::make_unique<InspectingCatalogue>(loop, std::move(folders), std::move(engine_path));
}

}  // namespace llmd::supervisor
