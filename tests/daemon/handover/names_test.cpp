#include "handover/names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "daemon/handover/callers.h"

namespace llmd::handover {
namespace {

using base::ErrorCode;

const std::vector<base::RemoteSettings> kRemotes = {
    remote_for({"host", "org.example.Notes"}, "home", {"qwen3-32b", "small=org/Small-Model@2"}),
    remote_for({"host"}, "work", {"llama"}),
};

std::string error_of(std::string_view name, const Caller& caller, std::span<const base::RemoteSettings> remotes) {
    const auto place = find_place(name, remotes, caller);
    return place ? "none" : std::string(base::error_name(place.error().code)) + ": " + place.error().message;
}

TEST(ModelName, PlainNamesAndNoneAreTheDevices) {
    for (const char* name : {"", "qwen3-32b", "home", "/models/a@b/c@d.gguf"}) {
        const auto parsed = parse_model_name(name);
        ASSERT_TRUE(parsed) << name;
        EXPECT_EQ(parsed->model, name);
        EXPECT_EQ(parsed->remote, "");
    }
    const auto parsed = parse_model_name("qwen3-32b@home");
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->model, "qwen3-32b");
    EXPECT_EQ(parsed->remote, "home");
}

TEST(ModelName, TwoSignsOrAnEmptySideAreRefusedWithTheName) {
    for (const char* name : {"a@b@c", "a@@b", "@@", "@home", "qwen3-32b@", "@"}) {
        const std::string error = error_of(name, kHost, kRemotes);
        EXPECT_TRUE(error.starts_with("InvalidArgument: model: ")) << error;
        EXPECT_NE(error.find("\"" + std::string(name) + "\""), std::string::npos) << error;
    }
}

TEST(FindPlace, GivesTheRemoteAndWhatItCallsTheModel) {
    const auto plain = find_place("qwen3-32b", kRemotes, kHost);
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->remote, nullptr) << "a remote has it, but was not named";
    EXPECT_EQ(plain->name(), "qwen3-32b");
    const auto same = find_place("qwen3-32b@home", kRemotes, kHost);
    ASSERT_TRUE(same);
    EXPECT_EQ(same->remote, &kRemotes[0]);
    EXPECT_EQ(same->upstream, "qwen3-32b");
    const auto renamed = find_place("small@home", kRemotes, kHost);
    ASSERT_TRUE(renamed);
    EXPECT_EQ(renamed->upstream, "org/Small-Model@2");
    EXPECT_EQ(renamed->name(), "small@home");
}

TEST(FindPlace, AModelThatIsNotListedIsNotFoundWhateverTheRemoteHas) {
    EXPECT_EQ(error_of("llama@home", kHost, kRemotes),
              "ModelNotFound: the remote \"home\" has no model \"llama\" in the settings; it has qwen3-32b, small");
    EXPECT_EQ(
        error_of("org/Small-Model@home", kHost, kRemotes),
        "ModelNotFound: the remote \"home\" has no model \"org/Small-Model\" in the settings; it has qwen3-32b, small");
}

TEST(FindPlace, AnUnknownRemoteListsThoseThereAreToWhoeverMayKnow) {
    EXPECT_EQ(error_of("qwen3-32b@hme", kHost, kRemotes),
              "ModelNotFound: the settings have no remote \"hme\"; they have home, work");
    EXPECT_EQ(error_of("qwen3-32b@home", kHost, {}), "ModelNotFound: the settings have no remote \"home\"");
}

TEST(FindPlace, AnApplicationCannotTellARemoteThatDoesNotListItFromNone) {
    EXPECT_EQ(error_of("llama@work", kNotes, kRemotes),
              "NotAllowed: this application may not use a remote \"work\"; it may use home");
    EXPECT_EQ(error_of("llama@wrok", kNotes, kRemotes),
              "NotAllowed: this application may not use a remote \"wrok\"; it may use home");
    EXPECT_EQ(error_of("llama@work", kOther, kRemotes), "NotAllowed: this application may not use a remote \"work\"");
    EXPECT_EQ(error_of("llama@work", kOther, {}), "NotAllowed: this application may not use a remote \"work\"");
    EXPECT_EQ(error_of("nothing@home", kOther, kRemotes), "NotAllowed: this application may not use a remote \"home\"")
        << "nor learn of its models";
    EXPECT_EQ(error_of("qwen3-32b@home", kNotes, kRemotes), "none");
}

TEST(FindPlace, LongListsAndNamesAreCut) {
    std::vector<base::RemoteSettings> remotes;
    for (int i = 0; i < 40; ++i) remotes.push_back(remote_for({"host"}, "r" + std::to_string(i)));
    const std::string error = error_of("m@" + std::string(5000, 'x'), kHost, remotes);
    EXPECT_NE(error.find("r15, ..."), std::string::npos) << error;
    EXPECT_EQ(error.find("r16"), std::string::npos) << error;
    EXPECT_LT(error.size(), 300u);
    EXPECT_EQ(error_of("m@a\nb", kHost, remotes).find('\n'), std::string::npos);
}

TEST(ListedRemotes, AHostIsWhatTheAddressHas) {
    base::RemoteSettings remote = remote_for({"host"});
    for (const auto& [url, host] :
         {std::pair("https://box.lan:8443/v1", "box.lan:8443"), std::pair("http://[::1]:80", "[::1]:80"),
          std::pair("unix:/run/home.sock", "unix:/run/home.sock")}) {
        remote.url = url;
        EXPECT_EQ(host_of(remote), host) << url;
    }
}

// "resumed" and "salted" are promised only where the settings say which server it is.
TEST(ListedRemotes, GuaranteesAreThoseOfTheApi) {
    using Words = std::vector<std::string>;
    base::RemoteSettings remote = remote_for({"host"});
    EXPECT_EQ(guarantees(remote), Words{"schema checked"}) << "auto";
    remote.api = "vllm";
    EXPECT_EQ(guarantees(remote), (Words{"schema checked", "resumed by token ids", "cache salted"}));
    remote.api = "llama-server";
    EXPECT_EQ(guarantees(remote), (Words{"schema checked", "resumed by token ids"}));
    remote.resume_seconds = 0;
    EXPECT_EQ(guarantees(remote), Words{"schema checked"}) << "the settings forbid it";
    remote.api = "ollama";
    EXPECT_EQ(guarantees(remote), Words{"schema checked"});
}

}  // namespace
}  // namespace llmd::handover
