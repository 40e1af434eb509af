#include "engine/model/model_file.h"

#include <algorithm>
#include <utility>

#include "base/part_name.h"

namespace llmd::model {
namespace {

using base::ErrorCode;
using base::fail;
using base::Result;

constexpr std::string_view kNumberKey = "split.no";
constexpr std::string_view kCountKey = "split.count";
constexpr std::string_view kTensorsKey = "split.tensors.count";

// Applications in sandboxes may see it, and where models lie is none of their business.
std::string file_name(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

}  // namespace

Result<PartKeys> read_part_keys(const Gguf& gguf) {
    PartKeys keys;
    const auto count = gguf.get_u32_or(kCountKey, 1);
    if (!count) return count.error();
    if (*count <= 1) return keys;
    if (*count > base::kMaxModelParts) {
        return fail(ErrorCode::ModelLoadFailed, kCountKey, ": ", *count, " parts are more than ", base::kMaxModelParts);
    }
    const auto number = gguf.get_u32(kNumberKey);
    if (!number) return number.error();
    if (*number >= *count) {
        return fail(ErrorCode::ModelLoadFailed, kNumberKey, ": ", *number, " is not below ", kCountKey, ", ", *count);
    }
    const auto n_tensors = gguf.get_u32(kTensorsKey);
    if (!n_tensors) return n_tensors.error();
    return PartKeys{*number + 1, *count, *n_tensors};
}

Result<void> join_part(Gguf& whole, const PartKeys& first, const Gguf& part, uint32_t number) {
    const auto keys = read_part_keys(part);
    if (!keys) return keys.error();
    if (keys->count != first.count || keys->number != number) {
        return fail(ErrorCode::ModelLoadFailed, kNumberKey, " and ", kCountKey, " say that this is ",
                    keys->count == 1 ? "no part of a split model" : base::part_text(keys->number, keys->count));
    }
    if (keys->n_tensors != first.n_tensors) {
        return fail(ErrorCode::ModelLoadFailed, kTensorsKey, ": ", keys->n_tensors, ", but ", first.n_tensors,
                    " in the first part: the parts are of different models");
    }
    return whole.add_tensors(part, number - 1);
}

Result<void> check_joined(const Gguf& whole, const PartKeys& first) {
    if (first.count == 1 || whole.tensors().size() == first.n_tensors) return {};
    return fail(ErrorCode::ModelLoadFailed, kTensorsKey, ": ", first.n_tensors, ", but the ", first.count,
                " parts have ", whole.tensors().size(), " tensors");
}

Result<ModelFile> ModelFile::open_first(const std::string& path) {
    ModelFile model;
    auto file = base::MappedFile::open(path);
    if (!file) return std::move(file).error();
    auto gguf = Gguf::parse(file->bytes());
    if (!gguf) return std::move(gguf).error();
    const auto keys = read_part_keys(*gguf);
    if (!keys) return keys.error();
    model.parts_.push_back(*std::move(file));
    model.gguf_ = *std::move(gguf);
    model.keys_ = *keys;
    return model;
}

Result<void> ModelFile::open_others(std::span<const std::string> paths) {
    for (uint32_t number = 2; number <= keys_.count; ++number) {
        const std::string& path = paths[number - 1];
        const std::string what = base::part_text(number, keys_.count);
        auto file = base::MappedFile::open(path);
        if (!file) {
            std::string why = std::move(file).error().message;
            if (why.starts_with(path)) why.replace(0, path.size(), file_name(path));
            return fail(ErrorCode::ModelLoadFailed, what, " of the model is missing: ", why);
        }
        const auto in_part = [&](const base::Error& error) {
            return fail(ErrorCode::ModelLoadFailed, what, ", ", file_name(path), ": ", error.message);
        };
        const auto part = Gguf::parse(file->bytes());
        if (!part) return in_part(part.error());
        if (auto joined = join_part(gguf_, keys_, *part, number); !joined) return in_part(joined.error());
        parts_.push_back(*std::move(file));
    }
    return check_joined(gguf_, keys_);
}

Result<ModelFile> ModelFile::open(const std::string& path) {
    auto model = open_first(path);
    if (!model || model->keys_.count == 1) return model;
    const PartKeys& keys = model->keys_;
    const std::string what = base::part_text(keys.number, keys.count);
    const auto name = base::parse_part_name(path);
    if (keys.number != 1) {
        return fail(ErrorCode::ModelLoadFailed, "this is ", what, " of a split model, which is loaded by its first",
                    name ? base::concat(", ", file_name(name->of(1))) : "");
    }
    if (!name || name->number != 1 || name->count != keys.count) {
        return fail(ErrorCode::ModelLoadFailed, "this is ", what, " of a split model: it has to be called ",
                    base::PartName{"NAME", 1, keys.count}.of(1), ", so that the others are found beside it");
    }
    std::vector<std::string> paths;
    for (uint32_t number = 1; number <= keys.count; ++number) paths.push_back(name->of(number));
    if (auto opened = model->open_others(paths); !opened) return opened.error();
    return model;
}

Result<ModelFile> ModelFile::open_parts(std::span<const std::string> paths) {
    auto model = open_first(paths[0]);
    if (!model) return model;
    const PartKeys& keys = model->keys_;
    if (keys.number != 1 || keys.count != paths.size()) {
        return fail(ErrorCode::ModelLoadFailed, "the first of ", paths.size(), " parts says that it is ",
                    keys.count == 1 ? "a whole model" : base::part_text(keys.number, keys.count));
    }
    if (auto opened = model->open_others(paths); !opened) return opened.error();
    return model;
}

std::span<const std::byte> ModelFile::metadata(size_t part) const {
    const auto bytes = parts_[part].bytes();
    const std::byte* end = bytes.data() + bytes.size();
    for (const auto& [name, tensor] : gguf_.tensors()) {
        if (tensor.part == part) end = std::min(end, tensor.data.data());
    }
    return {bytes.data(), end};
}

}  // namespace llmd::model
