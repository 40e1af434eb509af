// D-Bus variants as values: each type that an option may have, and what becomes of the others.
#include "bus/variant.h"

#include <gtest/gtest.h>

#include <map>

namespace llmd::bus {
namespace {

template <typename T>
base::Value value_of(const T& content) {
    return to_value(sdbus::Variant(content));
}

TEST(Variant, NumbersOfEveryWidthAreWhole) {
    EXPECT_EQ(*value_of(uint8_t{7}).get<int64_t>(), 7);
    EXPECT_EQ(*value_of(int16_t{-7}).get<int64_t>(), -7);
    EXPECT_EQ(*value_of(UINT32_MAX).get<int64_t>(), int64_t{UINT32_MAX});
    EXPECT_EQ(*value_of(UINT64_MAX).get<uint64_t>(), UINT64_MAX);
}

TEST(Variant, ArraysOfNumbersAreArrays) {
    for (const base::Value& value : {value_of(std::vector<uint32_t>{1, 2}), value_of(std::vector<int32_t>{1, 2})}) {
        const auto* array = value.get<base::Value::Array>();
        ASSERT_NE(array, nullptr);
        ASSERT_EQ(array->size(), 2u);
        ASSERT_TRUE((*array)[1].is<int64_t>());
        EXPECT_EQ(*(*array)[1].get<int64_t>(), 2);
    }
    EXPECT_EQ(*value_of(std::vector<int32_t>{-1}).get<base::Value::Array>()->front().get<int64_t>(), -1);
}

// As JSON writes an object of token ids.
TEST(Variant, NumbersByNumberAreAnObject) {
    const base::Value value = value_of(std::map<uint32_t, double>{{50256, -100}, {7, 0.5}});
    const auto* object = value.get<base::Value::Object>();
    ASSERT_NE(object, nullptr);
    ASSERT_EQ(object->size(), 2u);
    EXPECT_EQ((*object)[0].key, "7");
    EXPECT_EQ(*(*object)[0].value.get<double>(), 0.5);
    EXPECT_EQ((*object)[1].key, "50256");
}

TEST(Variant, AnythingElseKeepsItsSignature) {
    EXPECT_EQ(value_of(std::vector<double>{1}).get<base::Value::Other>()->signature, "ad");
    EXPECT_EQ(value_of(std::map<std::string, std::string>{}).get<base::Value::Other>()->signature, "a{ss}");
}

}  // namespace
}  // namespace llmd::bus
