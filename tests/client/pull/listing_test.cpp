// The Hub's lists are believed only where they are whole, and the file that suits the device is taken.
#include "client/pull/listing.h"

#include <gtest/gtest.h>

#include "client/exit_code.h"

namespace llmd::client {
namespace {

const std::string kSha1(40, 'a');
const std::string kSha256(64, 'b');

std::vector<RemoteFile> files(const std::vector<std::string>& paths) {
    std::vector<RemoteFile> list;
    for (const std::string& path : paths) list.push_back({path, 1, {Digest::Kind::Sha256, kSha256}});
    return list;
}

// The file's path, or what the refusal says.
std::string chosen(const std::vector<std::string>& paths, bool has_gpu = false, const std::string& quantization = "") {
    try {
        std::string all;
        for (const RemoteFile& file : choose_files(files(paths), {"o/r", "", quantization, "main"}, has_gpu)) {
            all += (all.empty() ? "" : "|") + file.path;
        }
        return all;
    } catch (const CommandError& error) {
        return error.what();
    }
}

TEST(PullListing, TellsFilesWithTheirHashes) {
    std::vector<RemoteFile> list;
    parse_tree(R"([{"type":"directory","path":"d","oid":"x"},{"type":"file","path":"s.gguf","size":5,"oid":")" + kSha1 +
                   R"("},{"type":"file","path":"l.gguf","size":134,"oid":")" + kSha1 + R"(","lfs":{"size":7,"oid":")" +
                   kSha256 + R"("}}])",
               list);
    ASSERT_EQ(list.size(), 2u);
    EXPECT_EQ(list[0].size_bytes, 5u);
    EXPECT_EQ(list[0].digest.kind, Digest::Kind::GitBlob);
    EXPECT_EQ(list[1].size_bytes, 7u);
    EXPECT_EQ(list[1].digest.hex, kSha256);
}

TEST(PullListing, RefusesWhatIsNoList) {
    std::vector<RemoteFile> list;
    for (const char* text :
         {"", "{}", "[1]", R"([{"type":"file"}])", R"([{"type":"file","path":"a","size":-1,"oid":"x"}])",
          R"([{"type":"file","path":"a","size":1}])", "[[[[[[", "<html>"}) {
        EXPECT_THROW(parse_tree(text, list), CommandError) << text;
    }
    EXPECT_TRUE(list.empty());
    EXPECT_THROW(parse_revision(R"({"sha":"main"})"), CommandError);
    EXPECT_EQ(parse_revision(R"({"sha":")" + kSha1 + "\"}").commit, kSha1);
    EXPECT_EQ(parse_revision(R"({"gguf":{"architecture":"llama"},"sha":")" + kSha1 + "\"}").architecture, "llama");
    EXPECT_EQ(parse_revision(R"({"gguf":[1],"sha":")" + kSha1 + "\"}").architecture, "");
}

TEST(PullListing, FollowsOnlyNextPages) {
    EXPECT_EQ(next_page(R"(<https://h/a?cursor=x>; rel="next")"), "https://h/a?cursor=x");
    EXPECT_EQ(next_page(R"(<https://h/a>; rel="last")"), "");
    EXPECT_EQ(next_page("https://h/a"), "");
    EXPECT_EQ(next_page(">; rel=\"next\"<"), "");
}

TEST(PullListing, KnowsQuantizationsByName) {
    EXPECT_EQ(chosen({"x.gguf", "a/SmolLM2-Q4_K_M.gguf"}), "a/SmolLM2-Q4_K_M.gguf");
    EXPECT_EQ(chosen({"x.gguf", "model.q4_0.gguf"}), "model.q4_0.gguf");
    EXPECT_EQ(chosen({"x.gguf", "model_q8_0.gguf"}), "model_q8_0.gguf");
    EXPECT_EQ(chosen({"x.gguf", "model-IQ4_XS.gguf"}), "model-IQ4_XS.gguf");
    for (const char* none : {"model-IQ3_XS.gguf", "Q4_0/model.gguf"}) {
        EXPECT_NE(chosen({"x.gguf", none}).find("has several files that would do"), std::string::npos) << none;
    }
}

TEST(PullListing, TakesWhatSuitsTheDevice) {
    const std::vector<std::string> all = {"m-F16.gguf",  "m-Q4_0.gguf",     "m-Q4_K_M.gguf",
                                          "m-Q8_0.gguf", "mmproj-F16.gguf", "README.md"};
    EXPECT_EQ(chosen(all), "m-Q4_K_M.gguf");
    EXPECT_EQ(chosen(all, true), "m-Q4_0.gguf");
    EXPECT_EQ(chosen(all, true, "q8_0"), "m-Q8_0.gguf");
    EXPECT_EQ(chosen({"whatever.gguf", "imatrix.gguf", "x-00001-of-00002.gguf"}), "whatever.gguf");
}

TEST(PullListing, NamesWhatThereIsWhereNothingSuits) {
    EXPECT_NE(chosen({"model.safetensors"}).find("has no GGUF file; what others have converted is often called r-GGUF"),
              std::string::npos);
    EXPECT_NE(chosen({"a-Q4_0.gguf", "b-Q4_0.gguf"}).find("name one of a-Q4_0.gguf, b-Q4_0.gguf, as hf:o/r/FILE"),
              std::string::npos);
    EXPECT_NE(chosen({"a-Q4_0.gguf"}, false, "Q5_K_M").find("has no Q5_K_M; it has a-Q4_0.gguf"), std::string::npos);
}

TEST(PullListing, TakesAllPartsOfASplitModel) {
    const std::vector<std::string> parts = {"d/m-Q4_0-00002-of-00002.gguf", "d/m-Q4_0-00001-of-00002.gguf"};
    const std::string both = "d/m-Q4_0-00001-of-00002.gguf|d/m-Q4_0-00002-of-00002.gguf";
    EXPECT_EQ(chosen(parts), both);
    EXPECT_EQ(chosen({parts[0], parts[1], "m-Q8_0.gguf"}, false, "Q4_0"), both);
    EXPECT_EQ(chosen({parts[0], parts[1], "m-Q8_0.gguf"}), "m-Q8_0.gguf");
    EXPECT_NE(chosen({parts[0]})
                  .find("d/m-Q4_0-00002-of-00002.gguf is part 2 of 2 of a split model, of which "
                        "d/m-Q4_0-00001-of-00002.gguf is the first, which fetches all"),
              std::string::npos);
    EXPECT_NE(chosen({parts[1]})
                  .find("d/m-Q4_0-00001-of-00002.gguf is the first of several parts, of which the "
                        "repository lacks d/m-Q4_0-00002-of-00002.gguf"),
              std::string::npos);
    EXPECT_NE(chosen({"m-00001-of-00300.gguf"}).find("m-00001-of-00300.gguf is the first of more than 256 parts"),
              std::string::npos);
}

}  // namespace
}  // namespace llmd::client
