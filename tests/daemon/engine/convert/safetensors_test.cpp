// Files of tensors made here: what they hold arrives, and every lie of a header is refused by the tensor's name.
#include "engine/convert/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "converted.h"

namespace llmd::convert {
namespace {

std::string file_with(const std::string& header, const std::string& data) {
    const uint64_t size = header.size();
    return std::string(reinterpret_cast<const char*>(&size), sizeof size) + header + data;
}

std::string tensors_fault(const std::string& bytes) {
    const File file(bytes);
    const auto opened = Safetensors::open(file.path());
    return opened ? "" : opened.error().message;
}

std::string header_fault(const std::string& header, size_t data_bytes = 16) {
    return tensors_fault(file_with(header, std::string(data_bytes, '\0')));
}

std::string entry(const std::string& name, const std::string& type, const std::string& shape,
                  const std::string& offsets) {
    return "\"" + name + "\":{\"dtype\":\"" + type + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}";
}

TEST(Safetensors, WeightsOfThreeTypesArrive) {
    const float floats[] = {1.5f, -2, 0.1f};
    const uint16_t halves[] = {0x3c00, 0xc000, 0x0001}, brains[] = {0x3f80, 0xc000, 0x0001};
    const std::string header = "{\"__metadata__\":{\"format\":\"pt\"}," + entry("a", "F32", "[3]", "[0,12]") + "," +
                               entry("b", "F16", "[1,3]", "[12,18]") + "," + entry("c", "BF16", "[3,1]", "[18,24]") +
                               "}  ";
    std::string data(24, '\0');
    std::memcpy(data.data(), floats, 12);
    std::memcpy(&data[12], halves, 6);
    std::memcpy(&data[18], brains, 6);
    const File file(file_with(header, data));
    const auto tensors = Safetensors::open(file.path());
    ASSERT_TRUE(tensors) << tensors.error().message;
    const auto weights = [&](const char* name) {
        const auto& tensor = tensors->tensors().find(name)->second;
        std::vector<float> out(2);
        EXPECT_TRUE(tensors->read(tensor, 1, out));
        return out;
    };
    EXPECT_EQ(tensors->tensors().size(), 3u);
    EXPECT_EQ(tensors->tensors().find("b")->second.shape, (std::vector<uint64_t>{1, 3}));
    EXPECT_EQ(weights("a"), (std::vector<float>{-2, 0.1f}));
    EXPECT_EQ(weights("b"), (std::vector<float>{-2, 0x1p-24f}));
    EXPECT_EQ(weights("c"), (std::vector<float>{-2, 0x1p-133f}));
}

TEST(Safetensors, ManyWeightsOfTwoBytesArriveInTheirOrder) {
    constexpr size_t kWeights = 5000;
    std::vector<uint16_t> stored(kWeights);
    for (size_t i = 0; i < kWeights; ++i) stored[i] = model::float_to_half(static_cast<float>(i % 2048));
    const std::string header = "{" + entry("w", "F16", "[5000]", "[0,10000]") + "}";
    const File file(file_with(header, std::string(reinterpret_cast<const char*>(stored.data()), 2 * kWeights)));
    const auto tensors = Safetensors::open(file.path());
    ASSERT_TRUE(tensors) << tensors.error().message;
    std::vector<float> out(kWeights);
    ASSERT_TRUE(tensors->read(tensors->tensors().begin()->second, 0, out));
    for (size_t i = 0; i < kWeights; ++i) ASSERT_EQ(out[i], static_cast<float>(i % 2048)) << i;
}

TEST(Safetensors, HeadersThatLieAreRefusedByName) {
    const std::pair<std::string, const char*> lies[] = {
        {entry("w", "F32", "[4]", "[0,12]"), "tensor \"w\": data_offsets: 12 bytes, its type and shape take 16"},
        {entry("w", "F32", "[4]", "[4,20]"), "tensor \"w\": data_offsets are not two offsets into the 16 bytes"},
        {entry("w", "F32", "[4]", "[16,0]"), "data_offsets are not two offsets"},
        {entry("w", "F32", "[4]", "[0,16,32]"), "data_offsets are not two offsets"},
        {entry("w", "F32", "[4]", "[-16,0]"), "data_offsets holds \"-16\", no whole number"},
        {entry("w", "F32", "[4611686018427387904,4]", "[0,16]"),
         "shape: 4611686018427387904 is more than the file has room for"},
        {entry("w", "F32", "[4,0]", "[0,16]"), "shape: a size of 0"},
        {entry("w", "F32", "[1,1,1,1,1,1,1,1,4]", "[0,16]"), "shape: 9 dimensions, more than 8"},
        {entry("w", "F32", "4", "[0,16]"), "shape is not an array"},
        {entry("w", "Q4", "[4]", "[0,16]"), "tensor \"w\": dtype \"Q4\" is not known"},
        {"\"w\":{\"shape\":[4],\"data_offsets\":[0,16]}", "tensor \"w\": dtype is not a string"},
        {"\"w\":[]", "tensor \"w\" is not an object"},
        {entry("a", "F32", "[2]", "[0,8]") + "," + entry("b", "F32", "[3]", "[4,16]"),
         "tensor \"b\" begins at byte 4, the one before it ends at 8"},
        {entry("a", "F32", "[1]", "[0,4]") + "," + entry("b", "F32", "[2]", "[8,16]"),
         "tensor \"b\" begins at byte 8, the one before it ends at 4"},
        {entry("a", "F32", "[2]", "[0,8]"), "its tensors end at byte 8 of 16"},
        {entry("w", "F32", "[2]", "[0,8]") + "," + entry("w", "F32", "[2]", "[8,16]"), "tensor \"w\" occurs twice"},
    };
    for (const auto& [entries, words] : lies) {
        const std::string fault = header_fault("{" + entries + "}");
        EXPECT_NE(fault.find(words), std::string::npos) << fault << " for " << entries;
    }
    EXPECT_EQ(header_fault("{" + entry("w", "F32", "[4]", "[0,16]") + "}"), "");
}

TEST(Safetensors, FilesThatAreNoneAreRefused) {
    EXPECT_NE(tensors_fault("").find("ends at byte 0"), std::string::npos);
    EXPECT_NE(tensors_fault("1234567").find("in the middle of a value"), std::string::npos);
    EXPECT_NE(tensors_fault(std::string(7, '\xff') + '\x7f').find("a header of"), std::string::npos);
    EXPECT_NE(tensors_fault(file_with("[]", "")).find("is not a JSON object"), std::string::npos);
    EXPECT_NE(tensors_fault(file_with("{\"w\"", "")).find("is not a JSON object"), std::string::npos);
    std::string deep = "{\"w\":";
    for (int i = 0; i < 100; ++i) deep += '[';
    EXPECT_NE(tensors_fault(file_with(deep, "")).find("nests at most 64 deep"), std::string::npos);
}

TEST(Safetensors, MoreTensorsThanAModelMayHaveAreRefused) {
    std::string header = "{";
    for (int i = 0; i < 70'000; ++i) header += (i == 0 ? "" : ",") + entry(std::to_string(i), "U8", "[1]", "[0,1]");
    EXPECT_NE(tensors_fault(file_with(header + "}", "x")).find("more than 65536 tensors"), std::string::npos);
}

}  // namespace
}  // namespace llmd::convert
