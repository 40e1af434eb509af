#include "client/pull/listing.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "base/model_files.h"
#include "client/exit_code.h"

namespace llmd::client {
namespace {

namespace dom = simdjson::dom;

constexpr size_t kCommitDigits = 40;
constexpr size_t kSha256Digits = 64;
constexpr size_t kSha1Digits = 40;
constexpr size_t kMaxNamed = 20;  // of the files that a message names

// The quantizations that llmd reads, the best first: below four bits a small model loses its wits, above them it takes
// memory that a phone lacks.
constexpr std::array<std::string_view, 23> kQuantizations = {
    "Q4_K_M", "Q4_0",   "Q4_K_S", "IQ4_XS", "IQ4_NL", "Q4_1",   "Q5_K_M", "Q5_K_S", "Q5_0", "Q5_1", "Q8_0", "Q6_K",
    "Q4_K_L", "Q5_K_L", "Q6_K_L", "Q3_K_L", "Q3_K_M", "Q3_K_S", "Q2_K",   "BF16",   "F16",  "F32",  "FP16",
};
constexpr std::string_view kOnGpu = "Q4_0";

bool is_hex(std::string_view text, size_t digits) {
    const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    return text.size() == digits && std::all_of(text.begin(), text.end(), is_digit);
}

std::string upper(std::string text) {
    for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
}

std::string base_name(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

// Does `word` stand in `name` between what is neither a letter, a digit nor '_'? Both in capitals. A '_' may stand
// before it, for "model_q4_0.gguf".
bool has_word(std::string_view name, std::string_view word) {
    const auto is_inside = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    for (size_t at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
        const size_t end = at + word.size();
        const bool begins = at == 0 || !is_inside(name[at - 1]) || name[at - 1] == '_';
        if (begins && (end == name.size() || !is_inside(name[end]))) return true;
    }
    return false;
}

bool is_gguf(const RemoteFile& file) {
    return file.path.ends_with(base::kModelSuffix);
}

bool is_projector(const std::string& path) {
    return upper(base_name(path)).find("MMPROJ") != std::string::npos;
}

// llama.cpp's statistics for quantizing.
bool is_importance_matrix(const std::string& path) {
    return upper(base_name(path)).find("IMATRIX") != std::string::npos;
}

// Why a file is no model by itself; empty for one that may be.
std::string why_no_model(const std::string& path) {
    const auto part = base::parse_part_name(path);
    if (part && part->number != 1) {
        return path + " is " + base::part_text(part->number, part->count) + " of a split model, of which " +
               part->of(1) + " is the first, which fetches all";
    }
    if (part && part->count > base::kMaxModelParts) {
        return path + " is the first of more than " + std::to_string(base::kMaxModelParts) + " parts";
    }
    if (is_projector(path)) return path + " is a projector for pictures, no language model";
    if (is_importance_matrix(path)) return path + " is an importance matrix, no language model";
    return "";
}

std::string names(const std::vector<const RemoteFile*>& files) {
    std::string text;
    for (size_t i = 0; i < std::min(files.size(), kMaxNamed); ++i) text += (i == 0 ? "" : ", ") + files[i]->path;
    if (files.size() > kMaxNamed) text += " and " + std::to_string(files.size() - kMaxNamed) + " more";
    return text;
}

std::vector<const RemoteFile*> those(const std::vector<const RemoteFile*>& files, std::string_view quantization) {
    std::vector<const RemoteFile*> found;
    for (const RemoteFile* file : files) {
        if (has_word(upper(base_name(file->path)), quantization)) found.push_back(file);
    }
    return found;
}

const RemoteFile& find_named(const std::vector<RemoteFile>& files, const HubSource& source) {
    const auto found =
        std::find_if(files.begin(), files.end(), [&](const RemoteFile& file) { return file.path == source.file; });
    if (found == files.end()) {
        std::vector<const RemoteFile*> models;
        for (const RemoteFile& file : files) {
            if (is_gguf(file)) models.push_back(&file);
        }
        const std::string there = models.empty() ? "; it has no GGUF file" : "; it has " + names(models);
        throw CommandError(ExitCode::ModelMissing, source.repository + " has no file " + source.file + there);
    }
    if (!is_gguf(*found)) throw_failed(source.file + " is no GGUF file, which is what llmd reads");
    if (const std::string why = why_no_model(found->path); !why.empty()) throw_failed(why);
    return *found;
}

}  // namespace

Revision parse_revision(const std::string& json) {
    dom::parser parser;
    dom::element answer;
    std::string_view commit, architecture;
    if (parser.parse(json).get(answer) || answer["sha"].get_string().get(commit) || !is_hex(commit, kCommitDigits)) {
        throw_failed("the Hub tells no commit of that revision");
    }
    if (answer["gguf"]["architecture"].get_string().get(architecture)) architecture = {};
    return {std::string(commit), std::string(architecture)};
}

void parse_tree(const std::string& json, std::vector<RemoteFile>& files) {
    dom::parser parser;
    dom::array entries;
    if (parser.parse(json).get_array().get(entries)) throw_failed("the Hub's list of files is no list");
    for (const dom::element entry : entries) {
        std::string_view type, path;
        if (entry["type"].get_string().get(type) || entry["path"].get_string().get(path)) {
            throw_failed("the Hub's list of files has an entry without type or path");
        }
        if (type != "file") continue;
        RemoteFile file;
        file.path = path;
        std::string_view hash;
        dom::element facts = entry;
        const bool is_lfs = !entry["lfs"].get(facts) && !facts.is_null();
        if (!is_lfs) facts = entry;
        if (facts["size"].get_uint64().get(file.size_bytes) || facts["oid"].get_string().get(hash) ||
            !is_hex(hash, is_lfs ? kSha256Digits : kSha1Digits)) {
            throw_failed("the Hub's list of files has no size or no hash for one of them");
        }
        file.digest = {is_lfs ? Digest::Kind::Sha256 : Digest::Kind::GitBlob, std::string(hash)};
        if (files.size() == kMaxRemoteFiles)
            throw_failed("the repository has more than " + std::to_string(kMaxRemoteFiles) + " files");
        files.push_back(std::move(file));
    }
}

std::string next_page(const std::string& link_header) {
    const size_t begin = link_header.find('<');
    const size_t end = link_header.find('>', begin == std::string::npos ? 0 : begin);
    if (begin == std::string::npos || end == std::string::npos) return "";
    return link_header.find("rel=\"next\"", end) == std::string::npos ? ""
                                                                      : link_header.substr(begin + 1, end - begin - 1);
}

namespace {

const RemoteFile& choose_model(const std::vector<RemoteFile>& files, const HubSource& source, bool has_gpu) {
    if (!source.file.empty()) return find_named(files, source);
    std::vector<const RemoteFile*> models;
    std::string why_none;
    for (const RemoteFile& file : files) {
        if (!is_gguf(file)) continue;
        const std::string why = why_no_model(file.path);
        if (why.empty()) models.push_back(&file);
        if (why_none.empty()) why_none = why;
    }
    if (models.empty() && !why_none.empty())
        throw_failed(source.repository + " has no GGUF file that llmd reads: " + why_none);
    if (models.empty()) {
        throw CommandError(ExitCode::ModelMissing,
                           source.repository + " has no GGUF file; what others have converted is often called " +
                               base_name(source.repository) + "-GGUF");
    }
    // Who asks for no quantization gets one file where there is one.
    const auto is_split = [](const RemoteFile* file) { return base::parse_part_name(file->path).has_value(); };
    if (source.quantization.empty() && !std::all_of(models.begin(), models.end(), is_split)) {
        std::erase_if(models, is_split);
    }
    const auto one_of = [&](const std::vector<const RemoteFile*>& found) -> const RemoteFile& {
        if (found.size() == 1) return *found[0];
        throw CommandError(ExitCode::Usage, source.repository + " has several files that would do: name one of " +
                                                names(found) + ", as hf:" + source.repository + "/FILE");
    };
    if (!source.quantization.empty()) {
        const auto found = those(models, upper(source.quantization));
        if (!found.empty()) return one_of(found);
        throw CommandError(ExitCode::ModelMissing,
                           source.repository + " has no " + source.quantization + "; it has " + names(models));
    }
    if (models.size() == 1) return *models[0];
    if (const auto found = those(models, kOnGpu); has_gpu && !found.empty()) return one_of(found);
    for (const std::string_view quantization : kQuantizations) {
        if (const auto found = those(models, quantization); !found.empty()) return one_of(found);
    }
    return one_of(models);
}

}  // namespace

std::vector<RemoteFile> choose_files(const std::vector<RemoteFile>& files, const HubSource& source, bool has_gpu) {
    const RemoteFile& first = choose_model(files, source, has_gpu);
    std::vector<RemoteFile> chosen;
    for (const std::string& path : base::files_of_model(first.path)) {
        const auto found =
            std::find_if(files.begin(), files.end(), [&](const RemoteFile& file) { return file.path == path; });
        if (found == files.end())
            throw_failed(first.path + " is the first of several parts, of which the repository lacks " + path);
        chosen.push_back(*found);
    }
    return chosen;
}

}  // namespace llmd::client
