// A model converted in memory, for the tests of the converters. Thread-bound.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/mapped_file.h"
#include "daemon/engine/generation/test_devices.h"
#include "engine/generation/loaded_model.h"
#include "engine/model/gguf.h"
#include "support/memory_file.h"

namespace llmd::convert {

using File = test::MemoryFile;

// The GGUF file that `convert(fd)` writes.
struct Converted {
    template <typename Convert>
    explicit Converted(const Convert& convert) {
        const base::Result<void> done = convert(file.fd());
        EXPECT_TRUE(done) << done.error().message;
        auto opened = base::MappedFile::open(file.path());
        EXPECT_TRUE(opened);
        mapped.emplace(std::move(*opened));
        auto parsed = model::Gguf::parse(mapped->bytes());
        EXPECT_TRUE(parsed) << parsed.error().message;
        gguf.emplace(std::move(*parsed));
    }
    std::vector<float> weights(const std::string& name) const {
        const model::TensorView* tensor = gguf->tensor(name);
        EXPECT_NE(tensor, nullptr) << name;
        if (tensor == nullptr) return {};
        std::vector<float> out(tensor->rows * tensor->cols);
        model::dequantize(tensor->type, tensor->data, out);
        return out;
    }

    File file;
    std::optional<base::MappedFile> mapped;
    std::optional<model::Gguf> gguf;
};

// On the CPU.
inline generation::LoadedModel loaded(const Converted& converted) {
    test::PatientObserver observer;
    generation::LoadOptions options;
    options.backend.kind = compute::BackendKind::Cpu;
    auto model = generation::load_model(converted.file.path(), options, observer);
    EXPECT_TRUE(model) << model.error().message;
    return *std::move(model);
}

}  // namespace llmd::convert
