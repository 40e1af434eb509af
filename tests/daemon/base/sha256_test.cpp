// SHA-256 against the examples of its standard.
#include "base/sha256.h"

#include <gtest/gtest.h>

namespace llmd::base {
namespace {

std::string sha256(std::string_view text, size_t part = 1000) {
    Sha256 hash;
    for (; text.size() > part; text.remove_prefix(part)) hash.add(text.substr(0, part));
    hash.add(text);
    return hash.hex();
}

TEST(Sha256, IsTheStandards) {
    EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sha256(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// Every length of the last block, and borders everywhere in the blocks.
TEST(Sha256, DoesNotDependOnHowTheBytesCome) {
    for (size_t size = 0; size < 200; ++size) {
        const std::string text(size, 'x');
        const std::string whole = sha256(text);
        for (const size_t part : {1, 3, 63, 64, 65}) EXPECT_EQ(sha256(text, part), whole) << size << ' ' << part;
    }
}

}  // namespace
}  // namespace llmd::base
