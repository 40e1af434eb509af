// What llmd-engine gives up before it reads a model file or opens a driver, for itself and for every program that a
// driver starts: it may read files, but write only its caches and the devices that compute, and it reaches nobody but
// llmd. Whoever takes it over through a model file finds no network, no other program and nothing to change.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace llmd::engine {

// Where this process may write files.
struct WritablePlaces {
    std::vector<std::filesystem::path> folders;  // with everything in them
    std::vector<std::filesystem::path> devices;  // folders and nodes in /dev: opened for writing, and their ioctls
};

// The folders that caches are kept in, made if they are not there, and set in the environment for drivers that would
// look elsewhere: llmd's own, Mesa's, PoCL's and NVIDIA's. The nodes of GPUs that exist.
// Call it before anything else reads the environment.
WritablePlaces prepare_writable_places();

// For good: no new privileges; files are written only in `places` (Landlock, Linux 5.13; no signals to others and no
// abstract sockets from Linux 6.12 on); no sockets, no other process's memory, no namespaces, mounts, keys or traces
// (seccomp). Call it while the process has one thread. A kernel that lacks one of them is no error.
// Returns what holds now, for people: "files (Landlock 7) and system calls (seccomp)".
// Failed: a call that the kernel offers failed; the message names it.
base::Result<std::string> confine(const WritablePlaces& places);

}  // namespace llmd::engine
