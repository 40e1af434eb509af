#include "client/pull/pull.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <utility>
#include <vector>

#include "base/config.h"
#include "base/error.h"
#include "base/json_writer.h"
#include "base/model_files.h"
#include "base/places.h"
#include "base/utf8.h"
#include "client/child.h"
#include "client/counts.h"
#include "client/devices.h"
#include "client/model_folder.h"
#include "client/output.h"
#include "client/pull/download.h"
#include "client/pull/listing.h"
#include "client/pull/source.h"
#include "client/settings.h"

namespace llmd::client {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kHub = "https://huggingface.co";
constexpr size_t kMaxTokenBytes = 4096;
constexpr size_t kMaxPages = 100;
// Hidden, so that it is no model; in the same filesystem, so that a whole file only needs its name.
constexpr const char* kPartialFolder = "/.partial";

constexpr std::chrono::seconds kEngineLimit{5};
constexpr std::chrono::milliseconds kProgressInterval{200};
constexpr std::chrono::seconds kRateWindow{10};
constexpr size_t kBarColumns = 20;

std::string environment(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

// $HF_ENDPOINT, as huggingface_hub has it: a mirror.
std::string hub_address() {
    std::string address = environment("HF_ENDPOINT");
    if (address.empty()) return kHub;
    while (address.ends_with('/')) address.pop_back();
    if (!address.starts_with("https://") && !is_loopback_http(address)) {
        throw CommandError(ExitCode::Usage, "HF_ENDPOINT: " + base::in_quotes(address) + " is no https address");
    }
    return address;
}

// $HF_TOKEN, else the file in which `hf auth login` leaves it. Empty without one.
std::string hub_token() {
    std::string token = environment("HF_TOKEN");
    if (token.empty()) {
        std::string file = environment("HF_TOKEN_PATH");
        const std::string home = environment("HF_HOME"), cache = environment("XDG_CACHE_HOME");
        if (file.empty() && !home.empty()) file = home + "/token";
        if (file.empty()) file = (cache.empty() ? environment("HOME") + "/.cache" : cache) + "/huggingface/token";
        token.resize(kMaxTokenBytes);
        std::ifstream in(file, std::ios::binary);
        in.read(token.data(), static_cast<std::streamsize>(token.size()));
        token.resize(static_cast<size_t>(std::max<std::streamsize>(in.gcount(), 0)));
    }
    while (!token.empty() && (token.back() == '\n' || token.back() == '\r' || token.back() == ' ')) token.pop_back();
    const bool is_word = std::all_of(token.begin(), token.end(), [](unsigned char c) { return c > ' ' && c < 0x7f; });
    if (!is_word || token.size() >= kMaxTokenBytes) throw CommandError(ExitCode::Usage, "HF_TOKEN is no access token");
    return token;
}

// "1:02:03" or "0:28".
std::string clock_text(uint64_t seconds) {
    std::ostringstream out;
    out << std::setfill('0');
    if (seconds >= 3600) {
        out << seconds / 3600 << ':' << std::setw(2) << seconds / 60 % 60;
    } else {
        out << seconds / 60;
    }
    out << ':' << std::setw(2) << seconds % 60;
    return out.str();
}

// "[======>             ]  34 %  204.1 MB of 600.0 MB, 12.3 MB/s, 0:32 left"
class ProgressBar {
public:
    void show(uint64_t done, uint64_t size) {
        const auto now = Clock::now();
        if (now < next_ && done != size) return;
        next_ = now + kProgressInterval;
        samples_.emplace_back(now, done);
        while (samples_.size() > 2 && samples_[1].first < now - kRateWindow) samples_.erase(samples_.begin());
        const double seconds = std::chrono::duration<double>(now - samples_.front().first).count();
        const double rate =
            seconds > 0 ? static_cast<double>(done - std::min(done, samples_.front().second)) / seconds : 0;
        std::ostringstream out;
        if (size > 0) {
            const size_t columns = done * kBarColumns / size;
            out << '[' << std::string(columns, '=') << (columns < kBarColumns ? ">" : "")
                << std::string(kBarColumns - std::min(columns + 1, kBarColumns), ' ') << "] " << std::setw(3)
                << done * 100 / size << " %  " << size_text(done) << " of " << size_text(size);
        } else {
            out << size_text(done);
        }
        if (rate > 0) out << ", " << size_text(static_cast<uint64_t>(rate)) << "/s";
        if (rate > 0 && size > done)
            out << ", " << clock_text(static_cast<uint64_t>(static_cast<double>(size - done) / rate)) << " left";
        line_.show(out.str());
    }
    void clear() { line_.clear(); }

private:
    ProgressLine line_;
    Clock::time_point next_;
    std::vector<std::pair<Clock::time_point, uint64_t>> samples_;
};

struct Wanted {
    std::vector<FileRequest> requests;  // of a split model one for each part
    std::string file_name;              // of the first
    std::string note;                   // a note for the person who pulls it
};

bool has_gpu() {
    const auto settings = base::read_settings(base::settings_files());
    const base::Config config = settings ? settings->config : base::Config{};
    if (config.backend == "cpu") return false;
    const Devices devices = ask_for_devices(base::find_engine());
    const Dictionary* const device = chosen_device(devices, config);
    return device != nullptr && flag_of(*device, "gpu");
}

// From the page at `page` on. The token is for the Hub alone.
std::vector<RemoteFile> list_files(Downloader& downloader, const std::string& hub, std::string page,
                                   const std::string& token, const std::string& label) {
    std::vector<RemoteFile> files;
    size_t n_pages = 0;
    while (!page.empty() && page.starts_with(hub + '/') && ++n_pages <= kMaxPages) {
        const Downloader::Text answer = downloader.get_text(page, token, label);
        parse_tree(answer.body, files);
        page = next_page(answer.link_header);
    }
    if (!page.empty()) throw_failed(label + ": the list of files goes on at " + base::in_quotes(page));
    return files;
}

// Before a gigabyte is fetched for nothing.
void require_architecture(const std::string& architecture, const std::string& label) {
    const ChildEnd end = run_child({base::find_engine(), "--architectures"}, kEngineLimit);
    if (architecture.empty() || !end.fault.empty() || end.output.empty()) return;
    const std::string known = end.output.substr(0, end.output.size() - 1);
    if ((", " + known + ',').find(", " + architecture + ',') != std::string::npos) return;
    throw_failed(label + " holds a model of the architecture " + base::in_quotes(architecture) +
                 ", which llmd does not run; it runs " + known + ". Name the file to have it all the same");
}

Wanted look_up(Downloader& downloader, const HubSource& source) {
    const std::string hub = hub_address();
    const std::string token = hub_token();
    const std::string label = "hf:" + source.repository;
    const std::string api = hub + "/api/models/" + source.repository;
    const std::string asked = api + "/revision/" + percent_encode(source.revision, false);
    const Revision revision = parse_revision(downloader.get_text(asked, token, label + '@' + source.revision).body);
    // The Hub has it for one file, which need not be the one that is named.
    if (source.file.empty()) require_architecture(revision.architecture, label);
    const std::string& commit = revision.commit;
    const std::vector<RemoteFile> files =
        list_files(downloader, hub, api + "/tree/" + commit + "?recursive=true", token, label);
    // Drivers are only asked where it matters.
    const bool may_choose = source.file.empty() && source.quantization.empty();
    Wanted wanted;
    for (const RemoteFile& file : choose_files(files, source, may_choose && has_gpu())) {
        const std::string url =
            base::concat(hub, '/', source.repository, "/resolve/", commit, '/', percent_encode(file.path, true));
        if (wanted.requests.empty()) wanted.file_name = file.path;
        wanted.requests.push_back({url, token, file.size_bytes, file.digest, label + '/' + file.path});
    }
    wanted.note = ", from commit " + commit.substr(0, 12) + " of " + label;
    return wanted;
}

Wanted look_up(const WebSource& source) {
    const std::string address = source.url.substr(0, source.url.find_first_of("?#"));  // the rest may be a secret
    if (const auto part = base::parse_part_name(source.file_name); part && part->count > 1) {
        throw_failed(address + " is " + base::part_text(part->number, part->count) +
                     " of a split model, and an address gives one file: fetch all parts and 'llmctl import' the first");
    }
    return {{{source.url, "", {}, {}, address}},
            source.file_name,
            "; nothing told its hash, so nothing but its form was checked"};
}

uint64_t whole_size(const std::vector<FileRequest>& requests) {
    uint64_t sum = 0;
    for (const FileRequest& request : requests) sum += request.size_bytes.value_or(0);
    return sum;
}

// Bytes that have come are of use even now.
void end_at_interrupt(int) {
    constexpr std::string_view kWords = "\nWhat has come stays for a week; the same command goes on with it.\n";
    (void)!::write(STDERR_FILENO, kWords.data(), kWords.size());
    ::_exit(static_cast<int>(ExitCode::Interrupted));
}

}  // namespace

ExitCode pull(const Arguments& arguments) {
    const PullSource source = parse_source(arguments.operands[0]);
    const std::string folder = base::user_model_folder();
    const std::string given_name = text_of(arguments.request, "name");
    Downloader downloader;
    const auto* const hub = std::get_if<HubSource>(&source);
    const Wanted wanted = hub != nullptr ? look_up(downloader, *hub) : look_up(std::get<WebSource>(source));

    NewModel model;
    model.name = model_name(wanted.file_name, given_name);
    const std::vector<std::string> paths = places_for(folder, model.name, wanted.requests.size());
    model.path = paths[0];
    model.how = "download";
    std::vector<PartialFile> partials;
    for (const FileRequest& request : wanted.requests) {
        const Digest& digest = request.digest;
        const std::string key = digest.kind == Digest::Kind::None ? sha256_of(request.url) : digest.hex;
        partials.push_back(open_partial(folder + kPartialFolder, key));
    }
    std::signal(SIGINT, &end_at_interrupt);
    ProgressBar bar;
    const uint64_t size_bytes = whole_size(wanted.requests);
    uint64_t before = 0;  // of the parts that are there
    std::vector<int> fds;
    std::vector<std::string> proc_paths;
    for (size_t i = 0; i < partials.size(); ++i) {
        downloader.get_file(wanted.requests[i], partials[i], [&](uint64_t done, uint64_t size) {
            bar.show(before + done, partials.size() == 1 ? size : size_bytes);
        });
        before += wanted.requests[i].size_bytes.value_or(0);
        fds.push_back(partials[i].fd.get());
        proc_paths.push_back(proc_path(fds.back()));
        model.size_bytes += size_of(fds.back(), partials[i].path);
    }
    bar.clear();

    const auto remove_all = [&] { std::for_each(partials.begin(), partials.end(), remove_partial); };
    try {
        const protocol::Inspection inspection =
            inspect_model(base::find_engine(), proc_paths, wanted.requests[0].label);
        model.architecture = inspection.architecture;
        model.quantization = inspection.quantization;
        if (!link_all(fds, paths))
            throw CommandError(ExitCode::Failed, model.path + ": the file cannot be given this name");
    } catch (const CommandError&) {
        remove_all();
        throw;
    }
    remove_all();
    announce(model, arguments.json, wanted.note);
    if (!arguments.json) offer_as_default(model.name);
    return ExitCode::Ok;
}

}  // namespace llmd::client
