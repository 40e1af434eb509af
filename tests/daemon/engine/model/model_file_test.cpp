// A split model is loaded as one from its first part, or refused by the part and the reason.
#include "engine/model/model_file.h"

#include <gtest/gtest.h>

#include "base/part_name.h"
#include "engine/model/architectures.h"
#include "engine/model/weights.h"
#include "support/gguf_writer.h"
#include "support/temporary_directory.h"

namespace llmd::model {
namespace {

using test::GgufWriter;

class ModelFileTest : public testing::Test {
protected:
    std::string path_of(uint32_t number, uint32_t count = 3) const {
        return base::PartName{folder_.path() + "/m", number, count}.of(number);
    }
    void write(const std::vector<GgufWriter>& parts) const {
        for (uint32_t i = 0; i < parts.size(); ++i) {
            ASSERT_TRUE(test::write_file(path_of(i + 1, static_cast<uint32_t>(parts.size())), parts[i].bytes()));
        }
    }
    std::string error_of(const std::string& path) const {
        const auto model = ModelFile::open(path);
        if (model) return "";
        EXPECT_EQ(model.error().code, base::ErrorCode::ModelLoadFailed);
        return model.error().message;
    }
    // A part with a tensor "w<no>" and such keys.
    static GgufWriter part(uint32_t no, uint32_t count, int32_t n_tensors) {
        GgufWriter writer;
        writer.add("split.no", no);
        writer.add("split.count", count);
        writer.add("split.tensors.count", n_tensors);
        writer.add_vector(base::concat("w", no), std::vector<float>{1, 2});
        return writer;
    }

    test::TemporaryDirectory folder_;
};

TEST_F(ModelFileTest, JoinsThePartsInTheirOrder) {
    const GgufWriter whole = test::tiny_model_writer({.n_layers = 3});
    const std::string path = folder_.write("whole.gguf", "");
    ASSERT_TRUE(test::write_file(path, whole.bytes()));
    const auto one = ModelFile::open(path);
    ASSERT_TRUE(one) << one.error().message;
    EXPECT_EQ(one->parts().size(), 1u);
    for (const uint32_t n_parts : {1u, 2u, 3u, 7u}) {
        write(whole.parts(n_parts));
        const auto split = ModelFile::open(path_of(1, n_parts));
        ASSERT_TRUE(split) << split.error().message;
        EXPECT_EQ(split->parts().size(), n_parts);
        const auto spec = read_decoder_spec(split->gguf());
        ASSERT_TRUE(spec) << spec.error().message;
        const auto weights = Weights::bind(split->gguf(), *spec), of_one = Weights::bind(one->gguf(), *spec);
        ASSERT_TRUE(weights && of_one);
        ASSERT_EQ(weights->all().size(), of_one->all().size());
        for (size_t i = 0; i < weights->all().size(); ++i) {
            const Weight &a = weights->all()[i], &b = of_one->all()[i];
            EXPECT_EQ(a.role, b.role) << "in the order of the file";
            EXPECT_TRUE(std::ranges::equal(a.tensor.data, b.tensor.data));
        }
        size_t n_metadata = 0;
        for (size_t i = 0; i < n_parts; ++i) n_metadata += split->metadata(i).size();
        EXPECT_GE(n_metadata, one->metadata(0).size());
    }
}

TEST_F(ModelFileTest, ThePartsMayBeCalledAnything) {
    const auto parts = test::tiny_model_writer({}).parts(2);
    const std::vector<std::string> paths = {folder_.path() + "/x", folder_.path() + "/y"};
    for (size_t i = 0; i < 2; ++i) ASSERT_TRUE(test::write_file(paths[i], parts[i].bytes()));
    EXPECT_TRUE(ModelFile::open_parts(paths));
    EXPECT_EQ(error_of(paths[0]),
              "this is part 1 of 2 of a split model: it has to be called NAME-00001-of-00002.gguf, so that the others "
              "are found beside it");
    const std::vector<std::string> three = {paths[0], paths[1], paths[1]}, swapped = {paths[1], paths[0]};
    EXPECT_EQ(ModelFile::open_parts(three).error().message, "the first of 3 parts says that it is part 1 of 2");
    EXPECT_EQ(ModelFile::open_parts(swapped).error().message, "the first of 2 parts says that it is part 2 of 2");
}

TEST_F(ModelFileTest, SaysWhichPartIsNamedOrMissing) {
    write(test::tiny_model_writer({}).parts(3));
    EXPECT_EQ(error_of(path_of(2)),
              "this is part 2 of 3 of a split model, which is loaded by its first, m-00001-of-00003.gguf");
    std::filesystem::remove(path_of(3));
    EXPECT_EQ(error_of(path_of(1)),
              "part 3 of 3 of the model is missing: m-00003-of-00003.gguf: No such file or directory");
    std::filesystem::rename(path_of(1), path_of(1, 2));
    EXPECT_EQ(error_of(path_of(1, 2)),
              "this is part 1 of 3 of a split model: it has to be called NAME-00001-of-00003.gguf, so that the others "
              "are found beside it");
}

TEST_F(ModelFileTest, RefusesPartsOfAnotherModel) {
    const auto with_second = [&](const GgufWriter& second, int32_t n_tensors = 2) {
        write({part(0, 2, n_tensors), second});
        return error_of(path_of(1, 2));
    };
    EXPECT_EQ(with_second(part(1, 2, 2)), "");
    const std::string name = "part 2 of 2, m-00002-of-00002.gguf: ";
    EXPECT_EQ(with_second(part(0, 2, 2)), name + "split.no and split.count say that this is part 1 of 2");
    EXPECT_EQ(with_second(part(1, 3, 2)), name + "split.no and split.count say that this is part 2 of 3");
    EXPECT_EQ(with_second(test::tiny_model_writer({})),
              name + "split.no and split.count say that this is no part of a split model");
    EXPECT_EQ(with_second(part(1, 2, 5)),
              name + "split.tensors.count: 5, but 2 in the first part: the parts are of different models");
    EXPECT_EQ(with_second(part(1, 2, 3), 3), "split.tensors.count: 3, but the 2 parts have 2 tensors");
    GgufWriter twice = part(1, 2, 3);
    twice.add_vector("w0", std::vector<float>{1});
    EXPECT_EQ(with_second(twice, 3), name + "gguf: tensor \"w0\" is in another part too");
    ASSERT_TRUE(test::write_file(path_of(2, 2), std::vector<std::byte>(8)));
    EXPECT_NE(error_of(path_of(1, 2)).find(name + "gguf: not a GGUF file"), std::string::npos);
}

TEST_F(ModelFileTest, RefusesKeysThatCannotBe) {
    const auto refused = [&](const GgufWriter& writer) {
        const std::string path = folder_.path() + "/one.gguf";
        EXPECT_TRUE(test::write_file(path, writer.bytes()));
        return error_of(path);
    };
    EXPECT_EQ(refused(part(0, 1000, 2)), "split.count: 1000 parts are more than 256");
    EXPECT_EQ(refused(part(0, 4'000'000'000, 2)), "split.count: 4000000000 parts are more than 256");
    EXPECT_EQ(refused(part(2, 2, 2)), "split.no: 2 is not below split.count, 2");
    EXPECT_EQ(refused(part(0, 2, -1)), "gguf: split.tensors.count is not an integer from 0 to 4294967295: -1");
    GgufWriter without;
    without.add("split.count", 2u);
    EXPECT_EQ(refused(without), "gguf: split.no is absent");
    GgufWriter text;
    text.add("split.count", "two");
    EXPECT_EQ(refused(text), "gguf: split.count is not an integer from 0 to 4294967295");
    EXPECT_EQ(refused(part(7, 0, 2)), "") << "not split";
    EXPECT_EQ(refused(part(7, 1, 2)), "") << "not split";
}

}  // namespace
}  // namespace llmd::model
