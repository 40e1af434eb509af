// How the service runs engines: what of the settings concerns it.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/messages.h"

namespace llmd::service {

struct ServiceOptions {
    std::string default_model;  // name or absolute path; empty: the bundled model
    protocol::BackendKind backend = protocol::BackendKind::Auto;
    std::string device = {};
    protocol::Precision precision = protocol::Precision::Faithful;
    uint32_t n_threads = 0;  // 0: the engine's choice, as below
    uint32_t n_ctx = 0;
    uint32_t n_slots = 0;
    uint32_t prefill_chunk = 0;
    std::string device_record;        // the file that keeps DeviceHealth; empty: it is not kept
    std::string chat_template;        // of every model, as in protocol::Load
    uint64_t saved_prefix_bytes = 0;  // likewise
};

}  // namespace llmd::service
