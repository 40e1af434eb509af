// A model as it lies on the disk: one GGUF file, or the parts of a split model (base/part_name.h), whose tensors are
// joined. The keys `split.no`, `split.count` and `split.tensors.count` say which part a file is
// (https://github.com/ggml-org/llama.cpp/tree/master/tools/gguf-split); all other keys of the model are in the first.
// Not thread-safe to move; may be read from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"
#include "engine/model/gguf.h"

namespace llmd::model {

// The keys in which a file describes itself; a model that is not split is part 1 of 1.
struct PartKeys {
    uint32_t number = 1;  // from 1 on, unlike split.no
    uint32_t count = 1;
    uint32_t n_tensors = 0;  // of all parts together
};
// ModelLoadFailed names the key that is absent or impossible, and says so of more than base::kMaxModelParts.
base::Result<PartKeys> read_part_keys(const Gguf& gguf);

// Adds part `number` to `whole`, which begins as the first part. ModelLoadFailed where `part` is none of this model.
base::Result<void> join_part(Gguf& whole, const PartKeys& first, const Gguf& part, uint32_t number);
// ModelLoadFailed unless all tensors are there.
base::Result<void> check_joined(const Gguf& whole, const PartKeys& first);

class ModelFile {
public:
    // Maps and joins all parts of the model at `path`, which are found by their names. The errors of MappedFile::open()
    // and Gguf::parse(); ModelLoadFailed where `path` is not the first part, is not called like one, or another part is
    // missing or wrong, and names that by its number and the file name without its directory.
    static base::Result<ModelFile> open(const std::string& path);
    // Does the same with files of any names, which are all parts in their order. Precondition: there is one.
    static base::Result<ModelFile> open_parts(std::span<const std::string> paths);

    const Gguf& gguf() const { return gguf_; }
    std::span<const base::MappedFile> parts() const { return parts_; }
    // The bytes of a part that come before its tensors' data.
    std::span<const std::byte> metadata(size_t part) const;

private:
    static base::Result<ModelFile> open_first(const std::string& path);
    base::Result<void> open_others(std::span<const std::string> paths);

    std::vector<base::MappedFile> parts_;
    Gguf gguf_;  // refers to parts_
    PartKeys keys_;
};

}  // namespace llmd::model
