// Which models a directory has, by the names of its files alone.
#include "base/model_files.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/temporary_directory.h"

namespace llmd::base {
namespace {

class ModelFilesTest : public testing::Test {
protected:
    // "NAME" or "NAME: fault", sorted.
    std::vector<std::string> found() const {
        std::vector<std::string> all;
        for (const ModelFiles& model : find_models(folder_.path())) {
            all.push_back(model.name + (model.fault.empty() ? "" : ": " + model.fault));
        }
        std::sort(all.begin(), all.end());
        return all;
    }
    test::TemporaryDirectory folder_;
};

// Root cannot read a file as one either.
TEST_F(ModelFilesTest, ADirectoryThatCannotBeReadSaysSo) {
    folder_.write("models", "");
    const std::string path = folder_.path() + "/models";
    const auto models = find_models(path);
    ASSERT_EQ(models.size(), 1u);
    EXPECT_EQ(models[0].name, "models");
    EXPECT_EQ(models[0].path, path);
    EXPECT_EQ(models[0].fault, path + ": this directory cannot be read: Not a directory");
    EXPECT_TRUE(find_models(folder_.path() + "/absent").empty());
    EXPECT_FALSE(find_model(path, "models"));
}

TEST_F(ModelFilesTest, PartsAreOneModelByTheFirst) {
    for (const char* name :
         {"a.gguf", "big-00001-of-00002.gguf", "big-00002-of-00002.gguf", "one-00001-of-00001.gguf"}) {
        folder_.write(name, "");
    }
    EXPECT_EQ(found(), (std::vector<std::string>{"a", "big", "one"}));
    EXPECT_EQ(find_model(folder_.path(), "big"), folder_.path() + "/big-00001-of-00002.gguf");
    EXPECT_EQ(find_model(folder_.path(), "a"), folder_.path() + "/a.gguf");
    for (const char* name : {"big-00001-of-00002", "big-00002-of-00002", "b", "", "../a", "."}) {
        EXPECT_FALSE(find_model(folder_.path(), name)) << name;
    }
    EXPECT_EQ(files_of_model("/m/big-00001-of-00002.gguf"),
              (std::vector<std::string>{"/m/big-00001-of-00002.gguf", "/m/big-00002-of-00002.gguf"}));
    EXPECT_EQ(files_of_model("/m/big-00002-of-00002.gguf").size(), 1u);
    EXPECT_EQ(files_of_model("/m/big-00001-of-99999.gguf").size(), 1u) << "more than may be";
    EXPECT_EQ(name_of_model("/m/big-00001-of-00002.gguf"), "big");
    EXPECT_EQ(name_of_model("/m/big-00002-of-00002.gguf"), "big-00002-of-00002");
    EXPECT_EQ(name_of_model("big"), "big");
}

TEST_F(ModelFilesTest, PartsWithoutTheFirstAreSaidOnce) {
    folder_.write("big-00002-of-00003.gguf", "");
    folder_.write("big-00003-of-00003.gguf", "");
    EXPECT_EQ(found(), std::vector<std::string>{"big-00002-of-00003: it is part 2 of 3 of a split model, whose first, "
                                                "big-00001-of-00003.gguf, is missing"});
}

TEST_F(ModelFilesTest, ANameIsOneModels) {
    folder_.write("big.gguf", "");
    folder_.write("big-00001-of-00002.gguf", "");
    folder_.write("two-00001-of-00002.gguf", "");
    folder_.write("two-00001-of-00003.gguf", "");
    const std::string taken = ": there is another model of the name ";
    EXPECT_EQ(found(),
              (std::vector<std::string>{"big", "big-00001-of-00002" + taken + "big here: rename one of them", "two",
                                        "two-00001-of-00003" + taken + "two here: rename one of them"}));
    EXPECT_EQ(find_model(folder_.path(), "two"), folder_.path() + "/two-00001-of-00002.gguf");
}

TEST_F(ModelFilesTest, OddNamesAreShownAndNameNoModel) {
    for (const char* name :
         {"A.GGUF", "b.Gguf", ".c.gguf", "d\x1b.gguf", "e\xff.gguf", "f@home.gguf", "gguf", "g.ggu"}) {
        folder_.write(name, "");
    }
    EXPECT_EQ(found(), (std::vector<std::string>{
                           ".c.gguf: its name begins with a dot: rename the file",
                           "A.GGUF: its name does not end in .gguf in small letters: rename the file",
                           "b.Gguf: its name does not end in .gguf in small letters: rename the file",
                           "d\\x1b.gguf: its name has characters that cannot be shown: rename the file",
                           "e\\xff.gguf: its name has characters that cannot be shown: rename the file",
                           std::string("f@home: ") + kNameOfRemote,
                       }));
    EXPECT_TRUE(find_models("/nonexistent").empty());
}

}  // namespace
}  // namespace llmd::base
