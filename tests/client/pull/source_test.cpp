// Any argument that people paste behind `llmctl pull` means one file, or is refused by name.
#include "client/pull/source.h"

#include <gtest/gtest.h>

#include "client/exit_code.h"

namespace llmd::client {
namespace {

std::string spelled(const std::string& text) {
    const PullSource source = parse_source(text);
    if (const auto* web = std::get_if<WebSource>(&source)) return web->url + " as " + web->file_name;
    const auto& hub = std::get<HubSource>(source);
    return hub.repository + '|' + hub.file + '|' + hub.quantization + '|' + hub.revision;
}

TEST(PullSource, NamesARepositoryOrItsFile) {
    EXPECT_EQ(spelled("hf:o/r"), "o/r|||main");
    EXPECT_EQ(spelled("hf:o/r@v1.0"), "o/r|||v1.0");
    EXPECT_EQ(spelled("hf:o/r:Q4_K_M"), "o/r||Q4_K_M|main");
    EXPECT_EQ(spelled("hf:o/r/sub/a b.gguf@abc"), "o/r|sub/a b.gguf||abc");
    EXPECT_EQ(spelled("hf:o/r@refs/pr/1"), "o/r|||refs/pr/1");
}

TEST(PullSource, TakesWhatABrowserShows) {
    EXPECT_EQ(spelled("https://huggingface.co/o/r/"), "o/r|||main");
    EXPECT_EQ(spelled("https://huggingface.co/o/r/blob/main/a.gguf"), "o/r|a.gguf||main");
    EXPECT_EQ(spelled("https://hf.co/o/r/resolve/v2/sub/a%20b.gguf?download=true"), "o/r|sub/a b.gguf||v2");
    EXPECT_EQ(spelled("https://huggingface.co/o/r/tree/main"), "o/r|||main");
}

TEST(PullSource, TakesOtherAddresses) {
    EXPECT_EQ(spelled("https://example.org/a%2Eb.gguf?x=1#y"), "https://example.org/a%2Eb.gguf?x=1#y as a.b.gguf");
    EXPECT_EQ(spelled("https://example.org"), "https://example.org as ");
    EXPECT_EQ(spelled("http://127.0.0.1:8000/m.gguf"), "http://127.0.0.1:8000/m.gguf as m.gguf");
}

TEST(PullSource, RefusesTheRest) {
    const auto refusal = [](const std::string& text) -> std::string {
        try {
            return spelled(text);
        } catch (const CommandError& error) {
            EXPECT_EQ(error.code(), ExitCode::Usage);
            return error.what();
        }
    };
    for (const char* text :
         {"hf:", "hf:o", "hf:/r", "hf:o/..", "hf:o/r b", "hf:o/%2e%2e", "https://huggingface.co/o"}) {
        EXPECT_NE(refusal(text).find("names no repository"), std::string::npos) << text << ": " << refusal(text);
    }
    EXPECT_NE(refusal("hf:o/r/../x.gguf").find("is no path in a repository"), std::string::npos);
    EXPECT_NE(refusal("hf:o/r@").find("names no revision"), std::string::npos);
    EXPECT_NE(refusal("hf:o/r:").find("names no quantization"), std::string::npos);
    EXPECT_NE(refusal("hf:o/r/x.gguf:Q4_0").find("names a file and a quantization"), std::string::npos);
    EXPECT_NE(refusal("http://example.org/m.gguf").find("is not encrypted"), std::string::npos);
    EXPECT_NE(refusal("http://127.0.0.1.example.org/m.gguf").find("is not encrypted"), std::string::npos);
    EXPECT_NE(refusal("http://127.0.0.1@example.org/m.gguf").find("is not encrypted"), std::string::npos);
    EXPECT_NE(refusal("file:///etc/passwd").find("neither hf:OWNER/REPO nor an https address"), std::string::npos);
    EXPECT_NE(refusal("hf:o/r\n").find("no line of text"), std::string::npos);
    EXPECT_NE(refusal("hf:o/" + std::string(3000, 'r')).find("too long"), std::string::npos);
}

}  // namespace
}  // namespace llmd::client
