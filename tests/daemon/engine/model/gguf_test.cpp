// The GGUF reader: everything a good file says comes out, and every single lie is refused with its field and value.
#include "engine/model/gguf.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>
#include <map>

#include "support/gguf_writer.h"

namespace llmd::model {
namespace {

using test::GgufWriter;
using test::RandomBits;
using Bytes = std::vector<std::byte>;

// Expects a refusal whose message holds every one of `parts`.
void expect_refused(const Bytes& file, const std::vector<std::string>& parts) {
    const auto gguf = Gguf::parse(file);
    ASSERT_FALSE(gguf);
    EXPECT_EQ(gguf.error().code, base::ErrorCode::ModelLoadFailed);
    for (const std::string& part : parts) {
        EXPECT_NE(gguf.error().message.find(part), std::string::npos) << gguf.error().message << "\nlacks " << part;
    }
}

template <typename T>
void overwrite(Bytes& file, size_t at, T value) {
    std::memcpy(file.data() + at, &value, sizeof value);
}

// Offsets in the header.
constexpr size_t kVersionAt = 4;
constexpr size_t kTensorCountAt = 8;
constexpr size_t kKeyCountAt = 16;
constexpr size_t kFirstKeyAt = 24;

Bytes small_file(uint32_t version = 3, uint32_t alignment = 32) {
    GgufWriter writer(version, alignment);
    writer.add("general.architecture", "llama");
    writer.add("a.number", uint32_t{7});
    writer.add_array("a.list", std::vector<std::string>{"one", "", "three"});
    writer.add_vector("norm", std::vector<float>{1, 2, 3});
    RandomBits bits(1);
    writer.add_tensor("matrix", TensorType::Q8_0, 2, 64, test::random_blocks(TensorType::Q8_0, 128, 1, bits));
    return writer.bytes();
}

TEST(Gguf, ReadsMetadataOfEveryType) {
    GgufWriter writer;
    writer.add("u8", uint8_t{200});
    writer.add("i8", int8_t{-5});
    writer.add("u16", uint16_t{60000});
    writer.add("i16", int16_t{1234});
    writer.add("u32", uint32_t{4'000'000'000});
    writer.add("i32", int32_t{-7});
    writer.add("u64", uint64_t{1} << 40);
    writer.add("u64 small", uint64_t{17});
    writer.add("i64", int64_t{18});
    writer.add("f32", 1.5f);
    writer.add("f64", 0.25);
    writer.add("yes", true);
    writer.add("text", "na\xc3\xafve");
    writer.add_array("texts", std::vector<std::string>{"a", "", "bc"});
    writer.add_array("floats", std::vector<float>{1, -2.5f});
    writer.add_array("ints", std::vector<int32_t>{-1, 2});
    writer.add_array("wide", std::vector<uint64_t>{5, 6});
    writer.add_array("nothing", std::vector<std::string>{});
    const Bytes file = writer.bytes();
    const auto gguf = Gguf::parse(file);
    ASSERT_TRUE(gguf) << gguf.error().message;

    EXPECT_EQ(*gguf->get_u32("u8"), 200u);
    EXPECT_EQ(*gguf->get_u32("u16"), 60000u);
    EXPECT_EQ(*gguf->get_u32("i16"), 1234u);
    EXPECT_EQ(*gguf->get_u32("u32"), 4'000'000'000u);
    EXPECT_EQ(*gguf->get_u32("u64 small"), 17u);
    EXPECT_EQ(*gguf->get_u32("i64"), 18u);
    EXPECT_EQ(*gguf->get_f32("f32"), 1.5f);
    EXPECT_EQ(*gguf->get_f32("f64"), 0.25f);
    EXPECT_TRUE(*gguf->get_bool_or("yes", false));
    EXPECT_EQ(*gguf->get_string("text"), "na\xc3\xafve");
    const auto texts = gguf->get_strings("texts");
    EXPECT_EQ(texts->size(), 3u);
    EXPECT_EQ(std::vector(texts->begin(), texts->end()), (std::vector<std::string_view>{"a", "", "bc"}));
    EXPECT_EQ(*gguf->get_floats("floats"), (std::vector<float>{1, -2.5f}));
    EXPECT_EQ(*gguf->get_ints("ints"), (std::vector<int32_t>{-1, 2}));
    EXPECT_EQ(*gguf->get_ints("wide"), (std::vector<int32_t>{5, 6}));
    EXPECT_TRUE(gguf->get_strings("nothing")->empty());
    EXPECT_EQ(*gguf->array_size("texts"), 3u);
    EXPECT_EQ(*gguf->array_size("wide"), 2u);
    EXPECT_EQ(*gguf->array_size("nothing"), 0u);
    EXPECT_FALSE(gguf->array_size("text"));

    // Values that do not fit are refused, not cut.
    for (const char* key : {"i8", "i32", "u64"}) {
        ASSERT_FALSE(gguf->get_u32(key)) << key;
        EXPECT_NE(gguf->get_u32(key).error().message.find(key), std::string::npos);
    }
}

TEST(Gguf, AbsentKeysAndWrongTypesAreNamed) {
    GgufWriter writer;
    writer.add("number", uint32_t{1});
    writer.add("text", "t");
    writer.add("huge", 1e300);
    writer.add_array("wide", std::vector<int64_t>{1, int64_t{1} << 31});
    const Bytes file = writer.bytes();
    const auto gguf = Gguf::parse(file);
    ASSERT_TRUE(gguf);

    EXPECT_TRUE(gguf->has("number"));
    EXPECT_FALSE(gguf->has("numbe"));
    EXPECT_EQ(gguf->get_u32("missing").error().message, "gguf: missing is absent");
    EXPECT_EQ(*gguf->get_u32_or("missing", 9), 9u);
    EXPECT_EQ(*gguf->get_f32_or("missing", 2.0f), 2.0f);
    EXPECT_EQ(*gguf->get_bool_or("missing", true), true);
    EXPECT_EQ(*gguf->get_string_or("missing", "x"), "x");
    EXPECT_TRUE(gguf->get_strings("missing")->empty());
    EXPECT_TRUE(gguf->get_floats("missing")->empty());
    EXPECT_TRUE(gguf->get_ints("missing")->empty());

    EXPECT_FALSE(gguf->get_u32("text"));
    EXPECT_FALSE(gguf->get_u32_or("text", 1));
    EXPECT_FALSE(gguf->get_f32("number"));
    EXPECT_FALSE(gguf->get_f32_or("text", 1));
    EXPECT_FALSE(gguf->get_bool_or("number", true));
    EXPECT_FALSE(gguf->get_string("number"));
    EXPECT_FALSE(gguf->get_string_or("number", ""));
    EXPECT_FALSE(gguf->get_strings("text"));
    EXPECT_FALSE(gguf->get_floats("wide"));
    EXPECT_FALSE(gguf->get_ints("text"));
    EXPECT_FALSE(gguf->get_f32("huge"));
    EXPECT_NE(gguf->get_ints("wide").error().message.find("element 1"), std::string::npos);
}

TEST(Gguf, ReadsTensorsOfBothVersionsAndAnyAlignment) {
    for (const uint32_t version : {2u, 3u}) {
        for (const uint32_t alignment : {8u, 32u, 64u, 4096u}) {
            const Bytes file = small_file(version, alignment);
            const auto gguf = Gguf::parse(file);
            ASSERT_TRUE(gguf) << gguf.error().message;
            ASSERT_EQ(gguf->tensors().size(), 2u);
            const TensorView* norm = gguf->tensor("norm");
            ASSERT_NE(norm, nullptr);
            EXPECT_EQ(norm->type, TensorType::F32);
            EXPECT_EQ(norm->rows, 1u);
            EXPECT_EQ(norm->cols, 3u);
            std::vector<float> values(3);
            dequantize(norm->type, norm->data, values);
            EXPECT_EQ(values, (std::vector<float>{1, 2, 3}));
            EXPECT_EQ(static_cast<size_t>(norm->data.data() - file.data()) % alignment, 0u);

            const TensorView* matrix = gguf->tensor("matrix");
            ASSERT_NE(matrix, nullptr);
            EXPECT_EQ(matrix->rows, 2u);
            EXPECT_EQ(matrix->cols, 64u);
            EXPECT_EQ(matrix->row_size_bytes(), 68u);
            EXPECT_EQ(matrix->row(1).data() + 68, file.data() + file.size());
            EXPECT_EQ(matrix->slice(1, 1).data.data(), matrix->row(1).data());
            EXPECT_EQ(gguf->tensor("none"), nullptr);
            EXPECT_EQ(gguf->weight_bytes(), 12u + 136u);
        }
    }
}

// Every proper prefix of a file is refused, and reads no byte behind its end (the sanitizer lane sees that).
TEST(Gguf, RefusesAFileCutAtAnyByte) {
    const Bytes file = small_file();
    ASSERT_TRUE(Gguf::parse(file));
    for (size_t size = 0; size < file.size(); ++size) {
        const Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
        EXPECT_FALSE(Gguf::parse(cut)) << size << " of " << file.size() << " bytes were accepted";
    }
}

// Whatever one flipped bit does, the reader answers; the views it gives stay inside the file.
TEST(Gguf, SurvivesEveryFlippedBit) {
    const Bytes file = small_file();
    for (size_t at = 0; at < file.size(); ++at) {
        for (int bit = 0; bit < 8; ++bit) {
            Bytes flipped = file;
            flipped[at] ^= static_cast<std::byte>(1 << bit);
            const auto gguf = Gguf::parse(flipped);
            if (!gguf) continue;
            for (const auto& [name, tensor] : gguf->tensors()) {
                ASSERT_GE(tensor.data.data(), flipped.data());
                ASSERT_LE(tensor.data.data() + tensor.data.size(), flipped.data() + flipped.size());
                ASSERT_EQ(tensor.data.size(), tensor.rows * *row_bytes(tensor.type, tensor.cols));
            }
        }
    }
}

TEST(Gguf, RefusesOtherFilesVersionsAndByteOrders) {
    Bytes file = small_file();
    overwrite(file, kVersionAt, uint32_t{1});
    expect_refused(file, {"version 1 is not supported"});
    overwrite(file, kVersionAt, uint32_t{4});
    expect_refused(file, {"version 4 is not supported"});
    overwrite(file, kVersionAt, uint32_t{0});
    expect_refused(file, {"version 0"});
    overwrite(file, kVersionAt, uint32_t{0x03000000});
    expect_refused(file, {"big-endian", "version 3"});
    overwrite(file, 0, uint32_t{0x04034b50});
    expect_refused(file, {"not a GGUF file", "\"PK??\""});
}

TEST(Gguf, RefusesLyingCounts) {
    for (const uint64_t lie : {uint64_t{4}, uint64_t{65'536}, uint64_t{65'537}, uint64_t{1} << 32, ~uint64_t{0}}) {
        Bytes file = small_file();
        overwrite(file, kKeyCountAt, lie);
        EXPECT_FALSE(Gguf::parse(file)) << lie << " keys";
        file = small_file();
        overwrite(file, kTensorCountAt, lie);
        EXPECT_FALSE(Gguf::parse(file)) << lie << " tensors";
    }
    Bytes file = small_file();
    overwrite(file, kTensorCountAt, uint64_t{1} << 40);
    expect_refused(file, {"1099511627776 tensors"});
    file = small_file();
    overwrite(file, kKeyCountAt, uint64_t{1} << 41);
    expect_refused(file, {"2199023255552 keys"});
}

TEST(Gguf, RefusesBadKeys) {
    Bytes file = small_file();
    overwrite(file, kFirstKeyAt, uint64_t{65'536});
    expect_refused(file, {"key 0", "65536 bytes"});
    overwrite(file, kFirstKeyAt, ~uint64_t{0});
    expect_refused(file, {"key 0", "18446744073709551615 bytes"});
    overwrite(file, kFirstKeyAt, uint64_t{60'000});
    expect_refused(file, {"ends inside key 0"});

    GgufWriter empty;
    empty.add("", uint32_t{1});
    expect_refused(empty.bytes(), {"key 0 is empty"});

    GgufWriter twice;
    twice.add("same", uint32_t{1});
    twice.add("same", "other");
    expect_refused(twice.bytes(), {"\"same\"", "twice"});

    // Names from the file reach messages only as printable ASCII.
    GgufWriter odd;
    odd.add("k\n\x1b\xff", uint32_t{1});
    odd.add("k\n\x1b\xff", uint32_t{1});
    expect_refused(odd.bytes(), {"\"k???\""});
}

TEST(Gguf, RefusesBadValues) {
    const auto with_value = [](ValueType type, const Bytes& value) {
        GgufWriter writer;
        writer.add_raw("key", type, value);
        return writer.bytes();
    };
    const auto number = [](uint64_t value) {
        Bytes bytes(8);
        overwrite(bytes, 0, value);
        return bytes;
    };
    expect_refused(with_value(static_cast<ValueType>(13), number(0)), {"\"key\"", "value type 13"});
    expect_refused(with_value(static_cast<ValueType>(~0u), number(0)), {"value type 4294967295"});
    expect_refused(with_value(ValueType::Bool, {std::byte{2}}), {"\"key\"", "boolean of value 2"});
    expect_refused(with_value(ValueType::String, number(uint64_t{1} << 50)), {"\"key\"", "1125899906842624"});
    expect_refused(with_value(ValueType::String, number(1)), {"\"key\"", "ends"});
    expect_refused(with_value(ValueType::U64, {}), {"\"key\"", "ends"});
}

TEST(Gguf, RefusesBadArrays) {
    const auto with_array = [](ValueType element, uint64_t count, size_t n_bytes) {
        GgufWriter writer;
        writer.add_array_raw("key", element, count, Bytes(n_bytes));
        return writer.bytes();
    };
    expect_refused(with_array(ValueType::Array, 1, 64), {"\"key\"", "elements of arrays"});
    expect_refused(with_array(static_cast<ValueType>(99), 1, 64), {"\"key\"", "value type 99"});
    expect_refused(with_array(ValueType::U8, GgufLimits::kMaxArrayElements + 1, 64), {"\"key\"", "16777217 elements"});
    expect_refused(with_array(ValueType::U64, uint64_t{1} << 61, 64), {"\"key\"", "elements"});  // times 8: 0
    expect_refused(with_array(ValueType::U32, 17, 64), {"\"key\"", "ends", "68 bytes"});
    expect_refused(with_array(ValueType::String, 9, 64), {"\"key\"", "ends"});
    EXPECT_TRUE(Gguf::parse(with_array(ValueType::U32, 16, 64)));
    EXPECT_TRUE(Gguf::parse(with_array(ValueType::String, 8, 64)));

    GgufWriter writer;
    Bytes long_text(8);
    overwrite(long_text, 0, ~uint64_t{0});
    writer.add_array_raw("key", ValueType::String, 1, long_text);
    expect_refused(writer.bytes(), {"\"key\", element 0", "18446744073709551615"});
}

TEST(Gguf, RefusesBadAlignments) {
    for (const uint32_t alignment : {0u, 1u, 4u, 24u, 33u, 1u << 21, ~0u}) {
        GgufWriter writer;
        writer.add("general.alignment", alignment);
        expect_refused(writer.bytes(), {"general.alignment is " + std::to_string(alignment)});
    }
    GgufWriter text;
    text.add("general.alignment", "32");
    expect_refused(text.bytes(), {"general.alignment"});
}

Bytes with_tensor(const std::vector<uint64_t>& dimensions, uint32_t type_id, uint64_t offset,
                  std::string_view name = "odd") {
    GgufWriter writer;
    writer.add_vector("good", std::vector<float>(64, 1.0f));  // 256 bytes at offset 0
    writer.add_vector("also", std::vector<float>(64, 1.0f));  // 256 bytes at offset 256
    writer.add_tensor_raw(name, dimensions, type_id, offset);
    return writer.bytes();
}

TEST(Gguf, RefusesBadShapes) {
    expect_refused(with_tensor({}, 0, 0), {"\"odd\"", "0 dimensions"});
    expect_refused(with_tensor({1, 1, 1, 1, 1}, 0, 0), {"\"odd\"", "5 dimensions"});
    expect_refused(with_tensor({4, 0}, 0, 0), {"\"odd\"", "dimension 1 is 0"});
    expect_refused(with_tensor({~uint64_t{0}}, 0, 0), {"\"odd\"", "dimension 0 is 18446744073709551615"});
    expect_refused(with_tensor({1, uint64_t{1} << 62}, 0, 0), {"\"odd\"", "dimension 1 is 4611686018427387904"});
    expect_refused(with_tensor({uint64_t{1} << 32, uint64_t{1} << 32}, 0, 0), {"\"odd\"", "dimension 0"});
    expect_refused(with_tensor({16, 16, 16, 16}, 0, 0), {"\"odd\"", "dimension 3 is 16"});
    expect_refused(with_tensor({48}, 2, 0), {"\"odd\"", "48 weights", "Q4_0 blocks of 32"});
    expect_refused(with_tensor({32}, 12, 0), {"\"odd\"", "32 weights", "Q4_K blocks of 256"});
}

TEST(Gguf, RefusesUnknownTypesByName) {
    expect_refused(with_tensor({32}, 16, 0), {"\"odd\"", "IQ2_XXS"});
    expect_refused(with_tensor({32}, 9, 0), {"\"odd\"", "Q8_1"});
    expect_refused(with_tensor({32}, 39, 0), {"\"odd\"", "MXFP4"});
    expect_refused(with_tensor({32}, 26, 0), {"\"odd\"", "I32"});
    const std::map<uint32_t, std::string> named = {
        {16, "IQ2_XXS"}, {17, "IQ2_XS"}, {18, "IQ3_XXS"}, {19, "IQ1_S"}, {21, "IQ3_S"}, {22, "IQ2_S"}, {29, "IQ1_M"},
        {34, "TQ1_0"},   {35, "TQ2_0"},  {40, "NVFP4"},   {41, "Q1_0"},  {42, "Q2_0"},  {142, "PTQ"},  {143, "PTQ"}};
    for (const auto& [id, name] : named)
        expect_refused(with_tensor({32}, id, 0), {"\"odd\" is " + name, "not supported"});
    expect_refused(with_tensor({32}, 43, 0), {"\"odd\"", "type 43"});
    expect_refused(with_tensor({32}, 99, 0), {"\"odd\"", "type 99"});
    expect_refused(with_tensor({32}, ~0u, 0), {"\"odd\"", "type 4294967295"});
}

TEST(Gguf, RefusesBadOffsets) {
    expect_refused(with_tensor({4}, 0, 8), {"\"odd\"", "offset 8", "aligned to 32"});
    expect_refused(with_tensor({4}, 0, 512), {"\"odd\"", "offset 512", "past the end", "512 bytes"});
    expect_refused(with_tensor({4}, 0, ~uint64_t{31}), {"\"odd\"", "past the end"});
    expect_refused(with_tensor({65}, 0, 256), {"of 260 bytes at offset 256", "past the end"});
    expect_refused(with_tensor({4}, 0, 256), {"offset 256", "overlaps"});
    expect_refused(with_tensor({4}, 0, 288), {"offset 288", "overlaps"});
}

TEST(Gguf, RefusesBadTensorNames) {
    expect_refused(with_tensor({4}, 0, 512, "good"), {"\"good\"", "twice"});
    expect_refused(with_tensor({4}, 0, 512, ""), {"name of tensor 2 is empty"});
    expect_refused(with_tensor({4}, 0, 512, std::string(257, 'n')), {"tensor 2", "257 bytes"});
}

TEST(Gguf, FlattensHigherDimensionsIntoRows) {
    GgufWriter writer;
    writer.add_tensor_raw("cube", std::array<uint64_t, 3>{4, 3, 2}, static_cast<uint32_t>(TensorType::F16), 0);
    Bytes file = writer.bytes();
    file.resize((file.size() + 31) / 32 * 32 + 48);
    const auto gguf = Gguf::parse(file);
    ASSERT_TRUE(gguf) << gguf.error().message;
    EXPECT_EQ(gguf->tensor("cube")->rows, 6u);
    EXPECT_EQ(gguf->tensor("cube")->cols, 4u);
}

}  // namespace
}  // namespace llmd::model
