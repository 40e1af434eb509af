// How the service runs engines: what of the settings concerns it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/remote_settings.h"
#include "protocol/messages.h"

namespace llmd::service {

// What holds for one model in place of the settings of all; empty: as for all.
struct ModelOptions {
    std::optional<protocol::BackendKind> backend = {};
    uint32_t n_ctx = 0;
    std::string chat_template = {};
    bool pinned = false;  // once it is loaded it stays until memory is short
    bool operator==(const ModelOptions&) const = default;
};

struct ServiceOptions {
    std::string default_model;  // name or absolute path; empty: the bundled model
    protocol::BackendKind backend = protocol::BackendKind::Auto;
    std::string device = {};
    protocol::Precision precision = protocol::Precision::Faithful;
    uint32_t n_threads = 0;  // 0: the engine's choice, as below
    uint32_t n_ctx = 0;
    uint32_t n_slots = 0;
    uint32_t prefill_chunk = 0;
    std::string device_record;                        // the file that keeps DeviceHealth; empty: it is not kept
    std::string chat_template;                        // of every model, as in protocol::Load
    uint64_t saved_prefix_bytes = 0;                  // likewise
    bool speculates = true;                           // likewise
    bool bare_calls = true;                           // of requests that do not say
    uint32_t max_models = 0;                          // that are loaded at a time; 0: as many as memory allows
    uint32_t memory_mib = 0;                          // of all engines together; 0: decided from the device
    std::map<std::string, ModelOptions> models = {};  // by name
    std::vector<base::RemoteSettings> remotes = {};
    std::string remote_log;  // the file that keeps the record of what remotes were asked; empty: there is none
    bool records_remotes = true;

    // With what holds for all filled in.
    ModelOptions of(const std::string& model) const {
        const auto found = models.find(model);
        ModelOptions own = found == models.end() ? ModelOptions() : found->second;
        if (!own.backend) own.backend = backend;
        if (own.n_ctx == 0) own.n_ctx = n_ctx;
        if (own.chat_template.empty()) own.chat_template = chat_template;
        return own;
    }
};

}  // namespace llmd::service
