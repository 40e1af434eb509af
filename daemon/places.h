// Where llmd finds its engine and the models, installed or in the build tree, and what the kernel tells.
#pragma once

#include <string>
#include <vector>

namespace llmd {

// $LLMD_ENGINE; else llmd-engine beside this program (both live in libexec), else where the build tree has it.
std::string find_engine();

// Where the kernel's files are: $LLMD_SYSFS and $LLMD_PROCFS, which tests set, else /sys and /proc.
std::string sysfs();
std::string procfs();

// In falling precedence: $LLMD_MODEL_PATH (folders separated by colons), $XDG_DATA_HOME/llmd/models, the
// installation's.
std::vector<std::string> model_folders();

}  // namespace llmd
