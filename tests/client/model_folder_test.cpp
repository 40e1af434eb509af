// Names that a new model may have.
#include "client/model_folder.h"

#include <gtest/gtest.h>

#include "client/exit_code.h"

namespace llmd::client {
namespace {

std::string refusal(const std::string& file, const std::string& given = "") {
    try {
        return "it may be called " + model_name(file, given);
    } catch (const CommandError& error) {
        EXPECT_EQ(error.code(), ExitCode::Usage);
        return error.what();
    }
}

TEST(ModelName, IsTheFilesOrTheOneThatIsGiven) {
    EXPECT_EQ(model_name("/x/tale.gguf", ""), "tale");
    EXPECT_EQ(model_name("tale.bin", ""), "tale");
    EXPECT_EQ(model_name("a@b.gguf", "c"), "c");
    EXPECT_EQ(model_name("/x/big-00001-of-00003.gguf", ""), "big");
}

// MODEL@REMOTE is asked of a remote.
TEST(ModelName, HasNoAt) {
    EXPECT_EQ(refusal("a@b.gguf"),
              "a@b.gguf: no model can be called so, because '@' stands between a model and its remote; --name gives it "
              "another");
    EXPECT_EQ(refusal("tale.gguf", "a@b"),
              "--name: \"a@b\" can be no model's name, because '@' stands between a model and its remote");
    EXPECT_EQ(refusal("/x/big-00002-of-00003.gguf"),
              "/x/big-00002-of-00003.gguf is part 2 of 3 of a split model; name the first, big-00001-of-00003.gguf");
    EXPECT_EQ(refusal("tale.gguf", "big-00002-of-00003"), "--name: \"big-00002-of-00003\" can be no model's name");
    EXPECT_EQ(refusal(".gguf"), ".gguf: no model can be called so; --name gives it another");
}

}  // namespace
}  // namespace llmd::client
