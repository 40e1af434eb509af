// The Hugging Face Hub's description of a repository (https://huggingface.co/docs/hub/api), and which of its files to
// take. Pure. Names are the Hub's word and may hold anything.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/pull/digest.h"
#include "client/pull/source.h"

namespace llmd::client {

struct RemoteFile {
    std::string path;
    uint64_t size_bytes = 0;
    Digest digest;
};

struct Revision {
    std::string commit;        // 40 hexadecimal digits
    std::string architecture;  // of a GGUF file there, as the Hub has read it; empty where it does not say
};

// Reads an answer of /api/models/OWNER/REPO/revision/REVISION. Throws CommandError(Failed) where it has no commit.
Revision parse_revision(const std::string& json);

// Appends the files in an answer of /api/models/OWNER/REPO/tree/COMMIT. Throws CommandError(Failed) where one lacks its
// size or hash, or there are more than kMaxRemoteFiles.
void parse_tree(const std::string& json, std::vector<RemoteFile>& files);
inline constexpr size_t kMaxRemoteFiles = 10000;

// The address behind rel="next" in a Link header (RFC 8288); empty without one.
std::string next_page(const std::string& link_header);

// The model that `source` names, or where it names none the one that suits the device best: a GPU unpacks Q4_0 with the
// fewest instructions, on a CPU Q4_K_M is as fast and closer to the original. The files are all parts of a split model
// in their order, or one file. Projectors for pictures (mmproj) are never taken. Throws CommandError(Failed) with what
// there is.
std::vector<RemoteFile> choose_files(const std::vector<RemoteFile>& files, const HubSource& source, bool has_gpu);

}  // namespace llmd::client
