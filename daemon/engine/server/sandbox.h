// The sandboxes of llmd-engine. The serving engine enters one before it reads a model file or opens a driver. It holds
// for every program that a driver starts as well. Inside it the engine may read files, but writes only its caches and
// compute devices, and it reaches nobody but llmd: whoever takes it over through a model file finds no network and no
// other process, and can change nothing. Inspections and conversions of models are in the same
// sandbox, write nothing but standard output, and have limits of their resources.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace llmd::engine {

// The paths where this process may write.
struct WritablePaths {
    std::vector<std::filesystem::path> directories;  // with everything in them
    std::vector<std::filesystem::path> devices;      // directories and nodes in /dev, for writing and ioctls
};

// Returns the directories of the caches of llmd, Mesa, PoCL and NVIDIA, and the device nodes of GPUs. It creates the
// directories and sets the environment variables by which drivers find them.
// Call it before anything else reads the environment.
WritablePaths prepare_writable_paths();

// Restricts this process for good: it gets no new privileges; it writes only to `paths` (Landlock, Linux 5.13; from
// Linux 6.12 on it sends no signals to others and reaches no abstract sockets); it opens no sockets and has no access
// to other processes' memory, signals, limits and processors, to modes and owners of files, to namespaces, mounts, keys
// or tracing (seccomp). Call it while the process has one thread.
// A kernel that lacks Landlock or seccomp is no error. Returns what is in force, for people: "files (Landlock 7) and
// system calls (seccomp)". Failed names the call that the kernel offers and that failed.
base::Result<std::string> enter_sandbox(const WritablePaths& paths);

// Restricts this process for good to what `--inspect` needs, the metadata of a file: the sandbox above without a path
// to write to, no children, a few descriptors and one for each part of a model, small files, no core dumps, 256 MiB of
// memory and 5 s of CPU time. Failed names the call.
base::Result<void> enter_inspection_sandbox();
// Does the same with 1 GiB of memory and without the limits of file size and time, since a model may take gigabytes and
// minutes.
base::Result<void> enter_conversion_sandbox();

}  // namespace llmd::engine
