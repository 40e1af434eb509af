// The functions of this app that a model may call, where the person allows it. They read, and change nothing.
#pragma once

#include <string>

namespace llmd::gtk {

// As the option `tools` of llmd has them: the JSON array of OpenAI's chat completions.
extern const char kTools[];

// Returns the result of a function. `arguments` is the text of a JSON object; the model gets to read what is wrong with
// a call.
std::string run_tool(const std::string& name, const std::string& arguments);

}  // namespace llmd::gtk
