// The models, in the words of Ollama's API. Pure, but for the modification time of their files.
#pragma once

#include <string>
#include <vector>

#include "service/service.h"

namespace llmd::http {

// {"models":[…]}: of tags.
std::string ollama_models(const std::vector<supervisor::ModelEntry>& models);
// {"models":[…]}: of ps, which lists the loaded model, the memory that it has and when it goes.
std::string ollama_loaded_models(const std::vector<supervisor::ModelEntry>& models, const service::Status& status);
// Returns the answer of show about one model.
std::string ollama_model(const supervisor::ModelEntry& model);

// A number of parameters, as "1.1B", "134.52M" or "15K"; empty for 0, which is not known.
std::string parameter_size(uint64_t n_parameters);

}  // namespace llmd::http
