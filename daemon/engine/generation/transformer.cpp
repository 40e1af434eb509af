#include "engine/generation/transformer.h"

namespace llmd::generation {

namespace {

base::Result<void> queue_layer(compute::Backend& backend, uint32_t layer) {
    if (auto done = backend.norm_qkv(layer); !done) return done;
    if (auto done = backend.attend(layer); !done) return done;
    if (auto done = backend.attend_output(layer); !done) return done;
    if (auto done = backend.norm_up(layer); !done) return done;
    return backend.down(layer);
}

}  // namespace

base::Result<void> submit_step(compute::Backend& backend, uint32_t n_layers, std::span<const compute::Row> rows,
                               std::span<const compute::SampleRequest> requests) {
    if (auto done = backend.begin(rows); !done) return done;
    if (auto done = backend.embed(); !done) return done;
    for (uint32_t layer = 0; layer < n_layers; ++layer) {
        if (auto done = queue_layer(backend, layer); !done) return done;
    }
    if (!requests.empty()) {
        if (auto done = backend.head(); !done) return done;
        if (auto done = backend.sample(requests); !done) return done;
    }
    return backend.submit();
}

base::Result<std::span<const compute::Sampled>> wait_step(compute::Backend& backend, size_t n_requests) {
    auto sampled = backend.wait();
    if (sampled && sampled->size() != n_requests) {
        return base::fail(base::ErrorCode::DeviceError, "the device answered ", sampled->size(), " of ", n_requests,
                          " rows");
    }
    return sampled;
}

base::Result<std::span<const compute::Sampled>> forward(compute::Backend& backend, uint32_t n_layers,
                                                        std::span<const compute::Row> rows,
                                                        std::span<const compute::SampleRequest> requests) {
    if (auto done = submit_step(backend, n_layers, rows, requests); !done) return done.error();
    return wait_step(backend, requests.size());
}

}  // namespace llmd::generation
