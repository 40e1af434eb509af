#include "client/socket_finder.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/directory.h"
#include "base/error.h"

namespace llmd::client {
namespace {

using base::Directory;

bool is_number(const char* name) {
    return *name >= '0' && *name <= '9';
}

}  // namespace

bool SocketFinder::has(pid_t process, const std::string& link, size_t& n_links) const {
    // The kernel opens it for none but processes of this user.
    const Directory directory(::opendir(base::concat(proc_, '/', process, "/fd").c_str()));
    if (!directory) return false;
    std::array<char, 64> target;  // of a socket; that of a file may be longer, and is cut
    while (const dirent* entry = ::readdir(directory.get())) {
        if (!is_number(entry->d_name)) continue;
        if (n_links == 0) return false;
        --n_links;
        const ssize_t n = ::readlinkat(::dirfd(directory.get()), entry->d_name, target.data(), target.size());
        if (n > 0 && std::string_view(target.data(), static_cast<size_t>(n)) == link) return true;
    }
    return false;
}

std::vector<pid_t> SocketFinder::processes() const {
    std::vector<pid_t> out;
    const Directory directory(::opendir(proc_.c_str()));
    if (!directory) return out;
    while (const dirent* entry = ::readdir(directory.get())) {
        pid_t process = 0;
        std::from_chars(entry->d_name, entry->d_name + std::strlen(entry->d_name), process);
        if (process > 0) out.push_back(process);
    }
    std::sort(out.rbegin(), out.rend());
    return out;
}

pid_t SocketFinder::process_of(uint32_t inode) {
    const std::string link = base::concat("socket:[", inode, ']');
    const size_t n_allowed = std::exchange(most_links_, kMaxLinks);
    size_t n_links = n_allowed;
    const auto has_it = [&](pid_t process) { return has(process, link, n_links); };
    const auto known = std::find_if(recent_.begin(), recent_.end(), has_it);
    if (known != recent_.end()) {
        std::rotate(recent_.begin(), known, known + 1);
        return recent_.front();
    }
    for (const pid_t process : processes()) {
        if (std::find(recent_.begin(), recent_.end(), process) != recent_.end() || !has_it(process)) continue;
        if (recent_.size() == kMaxRecent) recent_.pop_back();
        recent_.insert(recent_.begin(), process);
        return process;
    }
    most_links_ = std::max(kMinLinks, n_allowed / 2);
    return 0;
}

}  // namespace llmd::client
