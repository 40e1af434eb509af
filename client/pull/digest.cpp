#include "client/pull/digest.h"

#include <openssl/evp.h>

#include "base/utf8.h"
#include "client/exit_code.h"

namespace llmd::client {
namespace {

void require(bool done) {
    if (!done) throw CommandError(ExitCode::Failed, "OpenSSL cannot hash here");
}

}  // namespace

void Hasher::Free::operator()(evp_md_ctx_st* context) const {
    EVP_MD_CTX_free(context);
}

Hasher::Hasher(Digest::Kind kind, uint64_t size_bytes) {
    if (kind == Digest::Kind::None) return;
    context_.reset(EVP_MD_CTX_new());
    const bool is_git = kind == Digest::Kind::GitBlob;
    require(context_ && EVP_DigestInit_ex(context_.get(), is_git ? EVP_sha1() : EVP_sha256(), nullptr) == 1);
    if (!is_git) return;
    const std::string head = "blob " + std::to_string(size_bytes);
    add({head.c_str(), head.size() + 1});
}

Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

void Hasher::add(std::span<const char> bytes) {
    if (context_) require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
}

std::string Hasher::hex() {
    if (!context_) return "";
    std::string bytes(EVP_MAX_MD_SIZE, '\0');
    unsigned size = 0;
    require(EVP_DigestFinal_ex(context_.get(), reinterpret_cast<unsigned char*>(bytes.data()), &size) == 1);
    return base::hex_digits(std::string_view(bytes).substr(0, size));
}

std::string sha256_of(const std::string& text) {
    Hasher hasher(Digest::Kind::Sha256, 0);
    hasher.add(text);
    return hasher.hex();
}

}  // namespace llmd::client
