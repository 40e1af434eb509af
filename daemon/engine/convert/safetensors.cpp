#include "engine/convert/safetensors.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/convert/input_file.h"
#include "engine/model/gguf.h"
#include "engine/model/quantization.h"

namespace llmd::convert {

namespace {

using base::ErrorCode;
using base::Result;
using model::in_quotes;
using model::TensorType;
using simdjson::SUCCESS;
namespace dom = simdjson::dom;

struct StoredType {
    std::string_view name;
    uint64_t bytes;
    std::optional<TensorType> readable = std::nullopt;
};
constexpr std::array kStoredTypes = {
    StoredType{"F32", 4, TensorType::F32},
    StoredType{"F16", 2, TensorType::F16},
    StoredType{"BF16", 2, TensorType::BF16},
    StoredType{"F64", 8},
    StoredType{"I64", 8},
    StoredType{"U64", 8},
    StoredType{"I32", 4},
    StoredType{"U32", 4},
    StoredType{"I16", 2},
    StoredType{"U16", 2},
    StoredType{"I8", 1},
    StoredType{"U8", 1},
    StoredType{"BOOL", 1},
    StoredType{"F8_E4M3", 1},
    StoredType{"F8_E5M2", 1},
};

const StoredType* find_stored_type(std::string_view name) {
    const auto* found =
        std::find_if(kStoredTypes.begin(), kStoredTypes.end(), [&](const auto& type) { return type.name == name; });
    return found == kStoredTypes.end() ? nullptr : found;
}

// The bytes of a tensor, counted from the end of the header.
struct Range {
    uint64_t begin, end;
    std::string_view name;
};

// One entry of the header. Errors begin with the tensor's name.
class Entry {
public:
    Entry(const InputFile& file, std::string_view name) : file_(file), name_(name) {}

    Result<Safetensors::Tensor> read(dom::object fields, uint64_t data_at, uint64_t data_bytes, Range& range) const {
        Safetensors::Tensor tensor;
        std::string_view type;
        if (fields["dtype"].get(type) != SUCCESS) return fail("dtype is not a string");
        const StoredType* stored = find_stored_type(type);
        if (stored == nullptr) return fail("dtype ", in_quotes(type), " is not known");
        tensor.type = type;
        auto shape = numbers(fields, "shape");
        if (!shape) return std::move(shape).error();
        if (shape->size() > Safetensors::kMaxDimensions) {
            return fail("shape: ", shape->size(), " dimensions, more than ", Safetensors::kMaxDimensions);
        }
        uint64_t bytes = stored->bytes;
        for (const uint64_t size : *shape) {
            if (size == 0) return fail("shape: a size of 0");
            if (size > data_bytes / bytes) return fail("shape: ", size, " is more than the file has room for");
            bytes *= size;
        }
        const auto offsets = numbers(fields, "data_offsets");
        if (!offsets) return offsets.error();
        if (offsets->size() != 2 || (*offsets)[0] > (*offsets)[1] || (*offsets)[1] > data_bytes) {
            return fail("data_offsets are not two offsets into the ", data_bytes, " bytes of tensors");
        }
        range = {(*offsets)[0], (*offsets)[1], name_};
        if (range.end - range.begin != bytes) {
            return fail("data_offsets: ", range.end - range.begin, " bytes, its type and shape take ", bytes);
        }
        tensor.shape = *std::move(shape);
        tensor.at = data_at + range.begin;
        return tensor;
    }

private:
    template <typename... Parts>
    base::Error fail(const Parts&... parts) const {
        return file_.fail("tensor ", in_quotes(name_), ": ", parts...);
    }

    Result<std::vector<uint64_t>> numbers(dom::object fields, std::string_view key) const {
        dom::array array;
        if (fields[key].get(array) != SUCCESS) return fail(key, " is not an array");
        std::vector<uint64_t> values;
        for (const dom::element element : array) {
            uint64_t value = 0;
            if (element.get(value) != SUCCESS)
                return fail(key, " holds ", in_quotes(simdjson::minify(element)), ", no whole number");
            values.push_back(value);
        }
        return values;
    }

    const InputFile& file_;
    std::string_view name_;
};

base::Error no_tensors(const std::string& directory) {
    const bool has_pickle = ::access((directory + "/pytorch_model.bin").c_str(), F_OK) == 0;
    return base::fail(ErrorCode::ModelLoadFailed, directory, " has no model.safetensors",
                      has_pickle ? "; pytorch_model.bin is a pickle, which may hold a program, and is not read" : "");
}

}  // namespace

Result<Safetensors> Safetensors::open(const std::string& path) {
    auto file = InputFile::open(path);
    if (!file) return std::move(file).error();
    Safetensors tensors(*std::move(file));
    if (auto read = tensors.read_header(); !read) return std::move(read).error();
    return tensors;
}

Result<void> Safetensors::read_header() {
    uint64_t n = 0;
    if (auto read = file_.read(0, std::span(&n, 1)); !read) return read;
    if (n > kMaxHeaderBytes || n > file_.size() - sizeof n) {
        return file_.fail("a header of ", n, " bytes, more than ", std::min(kMaxHeaderBytes, file_.size() - sizeof n));
    }
    std::string text(n, '\0');
    if (auto read = file_.read(sizeof n, std::span(text)); !read) return read;
    const auto header = JsonFile::parse(text, base::concat(file_.path(), ": the header"));
    if (!header) return header.error();
    const uint64_t data_at = sizeof n + n, data_bytes = file_.size() - data_at;
    std::vector<Range> ranges;
    for (const auto& [name, value] : header->root().raw()) {
        if (name == "__metadata__") continue;
        if (tensors_.size() == kMaxTensors) return file_.fail("more than ", kMaxTensors, " tensors");
        dom::object fields;
        if (value.get(fields) != SUCCESS) return file_.fail("tensor ", in_quotes(name), " is not an object");
        Range range{};
        auto tensor = Entry(file_, name).read(fields, data_at, data_bytes, range);
        if (!tensor) return std::move(tensor).error();
        if (!tensors_.emplace(name, *std::move(tensor)).second) {
            return file_.fail("tensor ", in_quotes(name), " occurs twice");
        }
        ranges.push_back(range);
    }
    std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
    uint64_t at = 0;
    for (const Range& range : ranges) {
        if (range.begin != at) {
            return file_.fail("tensor ", in_quotes(range.name), " begins at byte ", range.begin,
                              ", the one before it ends at ", at);
        }
        at = range.end;
    }
    if (at != data_bytes) return file_.fail("its tensors end at byte ", at, " of ", data_bytes);
    return {};
}

bool Safetensors::is_readable(const Tensor& tensor) {
    return find_stored_type(tensor.type)->readable.has_value();
}

Result<void> Safetensors::read(const InputFile& file, const Tensor& tensor, uint64_t first, std::span<float> out) {
    const StoredType& type = *find_stored_type(tensor.type);
    uint64_t at = tensor.at + first * type.bytes;
    if (type.readable == TensorType::F32) return file.read(at, out);
    std::array<uint16_t, 32'768> stored{};
    for (size_t i = 0; i < out.size(); i += stored.size(), at += sizeof stored) {
        const auto some = std::span(stored).first(std::min(stored.size(), out.size() - i));
        if (auto read = file.read(at, some); !read) return read;
        if (type.readable == TensorType::F16) {
            for (size_t k = 0; k < some.size(); ++k) out[i + k] = model::half_to_float(some[k]);
        } else {
            for (size_t k = 0; k < some.size(); ++k) out[i + k] = std::bit_cast<float>(uint32_t{some[k]} << 16);
        }
    }
    return {};
}

Result<Shards> Shards::open(const std::string& directory) {
    Shards shards;
    const std::string single = directory + "/model.safetensors", index = single + ".index.json";
    std::set<std::string> paths{single};
    if (::access(single.c_str(), F_OK) != 0) {
        if (::access(index.c_str(), F_OK) != 0) return no_tensors(directory);
        auto listed = list(directory, index);
        if (!listed) return std::move(listed).error();
        paths = *std::move(listed);
    }
    for (const std::string& path : paths) {
        if (auto added = shards.add(path); !added) return std::move(added).error();
    }
    return shards;
}

// Returns the files that an index names, which must be names without a path, beside it.
Result<std::set<std::string>> Shards::list(const std::string& directory, const std::string& index) {
    const auto file = JsonFile::open(index);
    if (!file) return file.error();
    const auto map = file->root().object("weight_map");
    if (!map) return map.error();
    if (!*map) return file->root().fail("weight_map is absent");
    std::set<std::string> paths;
    for (const auto& [tensor, value] : (*map)->raw()) {
        std::string_view name;
        if (value.get(name) != simdjson::SUCCESS || !name.ends_with(".safetensors") ||
            name.find('/') != std::string_view::npos || in_quotes(name) != base::concat("\"", name, "\"")) {
            return (*map)->fail(in_quotes(tensor), " is in ", in_quotes(name),
                                ", not in a file called *.safetensors beside it");
        }
        paths.insert(base::concat(directory, "/", name));
        if (paths.size() > kMaxFiles) return (*map)->fail("names more than ", kMaxFiles, " files");
    }
    return paths;
}

Result<void> Shards::add(const std::string& path) {
    auto file = Safetensors::open(path);
    if (!file) return std::move(file).error();
    paths_.push_back(path);
    for (const auto& [name, tensor] : file->tensors()) {
        const auto [other, is_new] = tensors_.try_emplace(name, Tensor{paths_.size() - 1, tensor});
        if (!is_new) {
            return base::fail(ErrorCode::ModelLoadFailed, path, ": tensor ", in_quotes(name), " is in ",
                              path_of(other->second), " too");
        }
    }
    if (tensors_.size() > Safetensors::kMaxTensors) {
        return base::fail(ErrorCode::ModelLoadFailed, path, ": all files together have more than ",
                          Safetensors::kMaxTensors, " tensors");
    }
    return {};
}

Result<void> Shards::read(const Tensor& tensor, uint64_t first, std::span<float> out) {
    if (!current_ || current_->path() != path_of(tensor)) {
        auto opened = InputFile::open(path_of(tensor));
        if (!opened) return std::move(opened).error();
        current_ = *std::move(opened);
    }
    return Safetensors::read(*current_, tensor.stored, first, out);
}

}  // namespace llmd::convert
