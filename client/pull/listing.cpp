#include "client/pull/listing.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "client/exit_code.h"

namespace llmd::client {
namespace {

namespace dom = simdjson::dom;

constexpr size_t kCommitDigits = 40;
constexpr size_t kSha256Digits = 64;
constexpr size_t kSha1Digits = 40;
constexpr size_t kMaxNamed = 20;  // of the files that a message names

// What llmd reads, the best first: below four bits a small model loses its wits, above them it takes memory that a
// phone lacks.
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
    return file.path.ends_with(".gguf");
}

// "…-00001-of-00003.gguf", as llama-gguf-split names them.
bool is_part(const std::string& path) {
    constexpr std::string_view kShape = "-00000-of-00000.gguf";
    if (path.size() < kShape.size()) return false;
    const std::string_view tail = std::string_view(path).substr(path.size() - kShape.size());
    for (size_t i = 0; i < kShape.size(); ++i) {
        const bool same =
            kShape[i] == '0' ? std::isdigit(static_cast<unsigned char>(tail[i])) != 0 : tail[i] == kShape[i];
        if (!same) return false;
    }
    return true;
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
    if (is_part(path)) {
        return path +
               " is one part of a split model, which llmd does not read; 'llama-gguf-split --merge' makes one file of "
               "the "
               "parts, for llmctl import";
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

const RemoteFile& choose_file(const std::vector<RemoteFile>& files, const HubSource& source, bool has_gpu) {
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

}  // namespace llmd::client
