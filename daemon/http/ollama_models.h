// What Ollama's API tells of models. Pure, but for the modification time of their files.
#pragma once

#include <string>
#include <vector>

#include "service/model_catalogue.h"

namespace llmd::http {

// {"models":[…]}: of tags, and of ps for those that are loaded.
std::string ollama_models(const std::vector<service::ModelEntry>& models);
// What show tells of one.
std::string ollama_model(const service::ModelEntry& model);

}  // namespace llmd::http
