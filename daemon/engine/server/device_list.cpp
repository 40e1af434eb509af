#include "engine/server/device_list.h"

#include <vector>

#include "base/json_writer.h"
#include "base/utf8.h"
#include "engine/compute/opencl/runtime/device.h"

namespace llmd::engine {

std::string device_list() {
    std::vector<std::string> notes;
    const auto found = compute::find_cl_devices(&notes);
    base::JsonWriter json;
    json.begin_object().key("devices").begin_array();
    for (const compute::ClDevice& device : found ? *found : std::vector<compute::ClDevice>()) {
        json.begin_object();
        json.key("platform").value(base::to_clean_text(device.names.platform));
        json.key("name").value(base::to_clean_text(device.names.name));
        json.key("driver").value(base::to_clean_text(device.names.driver));
        json.key("gpu").value(device.names.is_gpu);
        json.key("memory_bytes").value(device.names.memory_bytes);
        json.key("max_buffer_bytes").value(device.names.max_buffer_bytes);
        if (const auto limits = compute::query_limits(device.id); !limits) {
            json.key("error").value(base::to_clean_text(limits.error().message));
        }
        json.end_object();
    }
    json.end_array().key("notes").begin_array();
    for (const std::string& note : notes) json.value(base::to_clean_text(note));
    json.end_array();
    if (!found) json.key("error").value(base::to_clean_text(found.error().message));
    return json.end_object().take() + '\n';
}

}  // namespace llmd::engine
