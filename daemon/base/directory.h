// A directory that is read entry by entry (opendir(3)), and closed with its owner.
#pragma once

#include <dirent.h>

#include <memory>

namespace llmd::base {

struct CloseDirectory {
    void operator()(DIR* directory) const { ::closedir(directory); }
};
using Directory = std::unique_ptr<DIR, CloseDirectory>;

}  // namespace llmd::base
