// Where llmd and llmctl find the engine and the models, installed or in the build tree, and what the kernel reports.
#pragma once

#include <string>
#include <vector>

namespace llmd::base {

// $LLMD_ENGINE; else llmd-engine beside this program (both live in libexec), else where the build tree has it, else
// where it is installed.
std::string find_engine();

// $LLMD_REMOTE; else llmd-remote, likewise.
std::string find_remote();

// llmd where the build tree has it if this program is there too, else where it is installed.
std::string find_daemon();

// llmctl-pull, likewise.
std::string find_pull();

// Where the kernel's files are: $LLMD_SYSFS and $LLMD_PROCFS, which tests set, else /sys and /proc.
std::string sysfs();
std::string procfs();

// Where the user's own models are: $XDG_DATA_HOME/llmd/models.
std::string user_model_folder();

// In falling precedence: $LLMD_MODEL_PATH (directories separated by colons), the user's, the installation's.
std::vector<std::string> model_folders();

}  // namespace llmd::base
