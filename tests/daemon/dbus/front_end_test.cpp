#include "dbus/front_end.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <regex>
#include <set>

#include "daemon/dbus/front_end_fixture.h"

namespace llmd::dbus {
namespace {

TEST_F(FrontEndTest, GenerateRepliesWithTheWholeText) {
    const Answer answer = generate(*client);
    load();
    const uint64_t id = accept();
    say(id, " upon");
    say(id, " a time");
    finish(id);
    until([&] { return !answer->empty(); });
    EXPECT_EQ(*answer, " upon a time/stop");
    settle();
    EXPECT_EQ(client->finished, std::vector<std::string>{"0"});
}

TEST_F(FrontEndTest, GenerateTurnsRefusalAndCancellationIntoErrors) {
    const Answer refused = generate(*client);
    load();
    const uint64_t long_one = expect_frame<protocol::Submit>().id;
    expect_frame<protocol::Start>();
    engine().send(protocol::Refused{long_one, base::ErrorCode::ContextExceeded, "too long"});
    until([&] { return !refused->empty(); });
    EXPECT_EQ(*refused, "ContextExceeded");

    const Answer cancelled = generate(*client, with("handle_token", "mine"));
    const uint64_t id = accept();
    std::string sender = client->name().substr(1);
    std::replace(sender.begin(), sender.end(), '.', '_');
    const std::string path = std::string(kRoot) + "/request/" + sender + "/mine";
    EXPECT_EQ(call_and_wait(*client, path, kRequest, "Cancel"), "ok");
    until([&] { return !cancelled->empty(); });
    EXPECT_EQ(*cancelled, "Cancelled");
    EXPECT_EQ(expect_frame<protocol::Cancel>().id, id);
    settle();
    EXPECT_EQ(client->finished, (std::vector<std::string>{"2org.llmd.Llmd1.Error.ContextExceeded", "1"}));
}

// Memory that holds `text`, as a caller hands it over.
sdbus::UnixFd memory(const std::string& text, int seals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW) {
    const int fd = ::memfd_create("prompt", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    EXPECT_EQ(::write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    EXPECT_EQ(::fcntl(fd, F_ADD_SEALS, seals), 0);
    return {fd, sdbus::adopt_fd};
}

// The prompt that the engine gets is what the memory holds, from its beginning, although it has been written to its end
// and is longer than a message's.
TEST_F(FrontEndTest, APromptMayComeInSealedMemory) {
    const std::string prompt(service::RequestLimits::kMaxPromptBytes + 1, 'x');
    const Answer plain = generate(*client, {{"prompt_fd", sdbus::Variant(memory(prompt))}}, "");
    load();
    const auto submit = expect_frame<protocol::Submit>();
    EXPECT_EQ(submit.prompt, prompt);
    EXPECT_TRUE(submit.messages.empty());
    const Answer told = generate(
        *client, {{"prompt_fd", sdbus::Variant(memory("Hello"))}, {"system", sdbus::Variant(std::string("Be."))}}, "");
    engine().send(protocol::Accepted{submit.id, 3});
    expect_frame<protocol::Start>();
    const auto conversation = expect_frame<protocol::Submit>();
    ASSERT_EQ(conversation.messages.size(), 2u);
    EXPECT_EQ(conversation.messages[1].content, "Hello");
}

TEST_F(FrontEndTest, MemoryThatMightChangeIsNoPrompt) {
    const auto refusal = [&](const sdbus::Variant& given, const std::string& prompt = "") {
        std::string message;
        client->at(kRoot)
            .callMethodAsync("Generate")
            .onInterface(kInterface)
            .withArguments(prompt, bus::VariantMap{{"prompt_fd", given}})
            .uponReplyInvoke([&](bus::ReplyError error, const std::string&, const bus::VariantMap&) {
                message = error ? short_name(error) + " " + error->getMessage() : "ok";
            });
        until([&] { return !message.empty(); });
        return message;
    };
    EXPECT_EQ(refusal(sdbus::Variant(memory("x", F_SEAL_WRITE))),
              "InvalidArgument prompt_fd: its seals lack F_SEAL_SHRINK F_SEAL_GROW");
    EXPECT_EQ(refusal(sdbus::Variant(memory("x", F_SEAL_SHRINK | F_SEAL_GROW))),
              "InvalidArgument prompt_fd: its seals lack F_SEAL_WRITE");
    EXPECT_EQ(refusal(sdbus::Variant(sdbus::UnixFd(STDOUT_FILENO))),
              "InvalidArgument prompt_fd: it is no memory that can be sealed (memfd_create)");
    EXPECT_EQ(refusal(sdbus::Variant(memory("ab\xff"))),
              "InvalidArgument prompt_fd: byte 2 begins no character that a D-Bus string may hold");
    EXPECT_EQ(refusal(sdbus::Variant(memory(std::string(1, '\0')))),
              "InvalidArgument prompt_fd: byte 0 begins no character that a D-Bus string may hold");
    EXPECT_EQ(refusal(sdbus::Variant(memory("x")), "Once"),
              "InvalidArgument prompt_fd: given together with a prompt that is not empty");
    EXPECT_EQ(refusal(sdbus::Variant(std::string("x"))),
              "InvalidArgument prompt_fd: expected a descriptor (h), got a value of D-Bus type \"s\"");
    EXPECT_EQ(refusal(sdbus::Variant(memory(std::string(service::RequestLimits::kMaxSocketPromptBytes + 1, 'x')))),
              "PromptTooLong prompt_fd: 4194305 bytes are more than 4194304");
    EXPECT_EQ(call_and_wait(*client, kRoot, kInterface, "Embed", std::vector<std::string>{"x"},
                            bus::VariantMap{{"prompt_fd", sdbus::Variant(memory("x"))}}),
              "InvalidArgument");
    EXPECT_TRUE(service->requests().empty());
}

TEST_F(FrontEndTest, EmbeddingsAreOneRequest) {
    std::string answer;
    std::vector<std::vector<double>> embeddings;
    client->at(kRoot)
        .callMethodAsync("Embed")
        .onInterface(kInterface)
        .withArguments(std::vector<std::string>{"one", "two"}, with("handle_token", "mine"))
        .uponReplyInvoke(
            [&](bus::ReplyError error, const std::vector<std::vector<double>>& got, const bus::VariantMap& info) {
                answer = error ? short_name(error) : info.at("finish_reason").get<std::string>();
                embeddings = got;
            });
    load();
    // The service has the second one checked before it has the first computed.
    EXPECT_EQ(expect_frame<protocol::Submit>().prompt, "two");
    expect_frame<protocol::Cancel>();
    const auto first = expect_frame<protocol::Submit>();
    EXPECT_EQ(first.prompt, "one");
    expect_frame<protocol::Start>();
    EXPECT_EQ(service->requests().size(), 1u);
    for (int i = 0; i < 2; ++i) engine().send(protocol::Accepted{first.id, 3});
    protocol::Finished finished;
    finished.id = first.id;
    finished.embedding = {0.5f, -0.5f};
    engine().send(finished);
    EXPECT_EQ(expect_frame<protocol::Submit>().prompt, "two");
    expect_frame<protocol::Start>();
    EXPECT_EQ(answer, "");
    engine().send(protocol::Accepted{first.id, 3});
    finished.embedding = {1, 0};
    engine().send(finished);
    until([&] { return !answer.empty(); });
    EXPECT_EQ(answer, "stop");
    EXPECT_EQ(embeddings, (std::vector<std::vector<double>>{{0.5, -0.5}, {1, 0}}));
    settle();
    EXPECT_EQ(client->finished, std::vector<std::string>{"0"});
}

TEST_F(FrontEndTest, EmbedRefusesWhatIsNoListOfTexts) {
    const auto embed = [&](const std::vector<std::string>& inputs) {
        return call_and_wait(*client, kRoot, kInterface, "Embed", inputs, bus::VariantMap{});
    };
    EXPECT_EQ(embed({}), "InvalidArgument");
    EXPECT_EQ(embed(std::vector<std::string>(service::RequestLimits::kMaxBusInputs + 1)), "InvalidArgument");
    EXPECT_EQ(embed({std::string(service::RequestLimits::kMaxPromptBytes, 'x'), "y"}), "PromptTooLong");
    EXPECT_TRUE(service->requests().empty());
}

TEST_F(FrontEndTest, DetokenizeAsksTheEngine) {
    std::string answer;
    client->at(kRoot)
        .callMethodAsync("Detokenize")
        .onInterface(kInterface)
        .withArguments(std::vector<uint32_t>{7, 8}, bus::VariantMap{})
        .uponReplyInvoke(
            [&](bus::ReplyError error, const std::string& text) { answer = error ? short_name(error) : text; });
    load();
    const auto question = expect_frame<protocol::Detokenize>();
    EXPECT_EQ(question.ids, (std::vector<int32_t>{7, 8}));
    engine().send(protocol::Detokenized{question.id, "upon a"});
    until([&] { return !answer.empty(); });
    EXPECT_EQ(answer, "upon a");
    EXPECT_EQ(
        call_and_wait(*client, kRoot, kInterface, "Detokenize", std::vector<uint32_t>{0xffffffff}, bus::VariantMap{}),
        "InvalidArgument");
}

TEST_F(FrontEndTest, StreamEndsWithALastLineThenFinishedThenNoObject) {
    const std::string path = stream(*client, with("handle_token", "t1"));
    EXPECT_EQ(path.substr(path.rfind('/')), "/t1");
    EXPECT_EQ(stream(*client, with("handle_token", "t1")), "InvalidArgument") << "it is in use";
    load();
    const uint64_t id = accept();
    say(id, "one\n");
    finish(id);
    const std::string text = read_all();
    EXPECT_EQ(text.substr(0, text.find('\n')), "{\"seq\":0,\"text\":\"one\\n\"}");
    EXPECT_NE(text.find("{\"done\":true,\"finish_reason\":\"stop\""), std::string::npos);
    until([&] { return !client->finished.empty(); });
    settle();
    EXPECT_EQ(client->finished, std::vector<std::string>{"0"});
    EXPECT_EQ(client->info.at("prompt_tokens").get<uint32_t>(), 3u);
    EXPECT_EQ(call_and_wait(*client, path, kRequest, "Cancel"), "UnknownObject");
    EXPECT_EQ(call_and_wait(*client, kRoot, kInterface, "Cancel", sdbus::ObjectPath(path)), "NotFound");
}

// A line each where there are lines; in the info at the end whatever the delivery.
TEST_F(FrontEndTest, CallsOfToolsAreToldInLinesAndInTheInfo) {
    using Kind = protocol::AnswerPart::Kind;
    const auto tell = [this](uint64_t id) {
        protocol::Tokens tokens;
        tokens.id = id;
        tokens.ids = {1};
        tokens.parts = {{Kind::CallBegin, "clock", 0}, {Kind::CallArguments, "{}", 0}, {Kind::CallEnd, "", 0},
                        {Kind::CallBegin, "clock", 1}, {Kind::CallArguments, "{", 1},  {Kind::CallCut, "", 1}};
        engine().send(tokens);
        finish(id);
    };
    const auto without_key = [](const std::string& text) {
        return std::regex_replace(text, std::regex("call_[0-9a-f]+_\\d+_"), "call_KEY_");
    };
    const std::string both = R"([{"id":"call_KEY_0","type":"function","function":{"name":"clock","arguments":"{}"}},)"
                             R"({"id":"call_KEY_1","type":"function","function":{"name":"clock","arguments":"{"}}])";

    stream(*client);
    load();
    tell(accept());
    const std::string lines = without_key(read_all());
    EXPECT_EQ(
        lines.find(R"({"seq":0,"tool_call":{"id":"call_KEY_0","index":0,"name":"clock","arguments":"{}"}})"
                   "\n"
                   R"({"seq":1,"tool_call":{"id":"call_KEY_1","index":1,"name":"clock","arguments":"{","cut":true}})"
                   "\n{\"done\":true"),
        0u)
        << lines;
    until([&] { return client->finished.size() == 1; });
    EXPECT_EQ(without_key(client->info.at("tool_calls").get<std::string>()), both);

    std::string answer;
    client->at(kRoot)
        .callMethodAsync("Generate")
        .onInterface(kInterface)
        .withArguments(std::string("Once"), bus::VariantMap{})
        .uponReplyInvoke([&](bus::ReplyError error, const std::string& text, const bus::VariantMap& info) {
            answer = error ? short_name(error)
                           : text + "/" + without_key(info.at("tool_calls").get<std::string>()) + "/" +
                                 std::to_string(info.at("thinking_tokens").get<uint32_t>());
        });
    tell(accept());
    until([&] { return !answer.empty(); });
    EXPECT_EQ(answer, "/" + both + "/0");
}

TEST_F(FrontEndTest, ClosingThePipeCancels) {
    stream(*client);
    load();
    const uint64_t id = accept();
    reader.reset();
    EXPECT_EQ(expect_frame<protocol::Cancel>().id, id);
    until([&] { return !client->finished.empty(); });
    EXPECT_EQ(client->finished, std::vector<std::string>{"1"});
}

TEST_F(FrontEndTest, LeavingTheBusCancelsWhatRunsAndWhatWaits) {
    std::optional<Client> leaver(std::in_place, loop);
    const Answer running = generate(*leaver);
    load();
    const uint64_t first = accept();
    const Answer waiting = generate(*leaver);
    const uint64_t second = expect_frame<protocol::Submit>().id;
    leaver.reset();
    std::vector<uint64_t> cancelled{expect_frame<protocol::Cancel>().id, expect_frame<protocol::Cancel>().id};
    std::sort(cancelled.begin(), cancelled.end());
    EXPECT_EQ(cancelled, (std::vector<uint64_t>{first, second}));
    until([&] { return service->requests().empty(); });
}

TEST_F(FrontEndTest, AReaderThatLagsPausesItsRequestOnly) {
    stream(*client, with("format", "text"));
    load();
    const uint64_t id = accept();
    for (int i = 0; i < 20; ++i) say(id, std::string(8u << 10, 'x'));
    EXPECT_TRUE(expect_frame<protocol::SetPaused>().paused);
    finish(id);
    EXPECT_EQ(read_all().size(), 20u * (8u << 10));
}

TEST_F(FrontEndTest, SignalsReachTheirOwnerOnly) {
    Client stranger(loop);
    bus::VariantMap options = with("delivery", "signals");
    stream(*client, options);
    EXPECT_EQ(read_all(), "") << "the pipe is at its end from the start";
    load();
    const uint64_t id = accept();
    say(id, "for you alone");
    finish(id);
    until([&] { return !client->finished.empty(); });
    settle();
    EXPECT_EQ(client->tokens, "for you alone");
    EXPECT_EQ(client->info.at("text").get<std::string>(), "for you alone");
    EXPECT_FALSE(client->info.at("truncated").get<bool>());
    EXPECT_EQ(stranger.tokens, "");
    EXPECT_TRUE(stranger.finished.empty());
}

TEST_F(FrontEndTest, WrongOptionsAreRefusedAndNothingIsLeftBehind) {
    EXPECT_EQ(stream(*client, with("max_tokens", "many")), "InvalidArgument");
    EXPECT_EQ(stream(*client, with("model", "none")), "ModelNotFound");
    EXPECT_EQ(call_and_wait(*client, kRoot, kInterface, "Cancel", sdbus::ObjectPath("/a")), "NotFound");
    EXPECT_TRUE(service->requests().empty());
}

TEST_F(FrontEndTest, ALostBusEndsItsRequestsAndANewOneIsServed) {
    stream(*client);
    load();
    accept();
    bus->stop();
    EXPECT_NE(read_all().find("{\"error\":{\"name\":\"Cancelled\""), std::string::npos);
    until([&] { return lost == 1 && service->requests().empty(); });
    bus->start();
    until([&] { return back == 1; });
    client.emplace(loop);
    EXPECT_EQ(call_and_wait(*client, kRoot, "org.freedesktop.DBus.Peer", "Ping"), "ok");
}

TEST_F(FrontEndTest, ASecondDaemonIsToldThatTheNameIsTaken) {
    FrontEnd second(loop, *service, "1.2.3", {});
    const auto connected = second.connect();
    ASSERT_FALSE(connected);
    EXPECT_EQ(connected.error().code, base::ErrorCode::NotAllowed);
}

TEST_F(FrontEndTest, WithoutABusItIsNotReady) {
    bus->stop();
    FrontEnd other(loop, *service, "1.2.3", {});
    const auto connected = other.connect();
    ASSERT_FALSE(connected);
    EXPECT_EQ(connected.error().code, base::ErrorCode::NotReady);
}

TEST_F(FrontEndTest, StateAndModelAnnounceTheirChangesAndCountersDoNot) {
    const Answer answer = generate(*client);
    load();
    finish(accept());
    until([&] { return !answer->empty(); });
    settle();
    std::vector<std::string> states;
    for (const auto& state : client->changed["State"]) states.push_back(state.get<std::string>());
    EXPECT_EQ(states.front(), "loading");
    EXPECT_EQ(states.back(), "ready");
    ASSERT_EQ(client->changed["Model"].size(), 1u);
    EXPECT_EQ(client->changed["Model"][0].get<std::string>(), "tale");
    ASSERT_EQ(client->changed["Device"].size(), 1u);
    EXPECT_EQ(client->changed["Device"][0].get<std::string>(), "a test");
    ASSERT_EQ(client->changed["ContextLength"].size(), 1u);
    EXPECT_EQ(client->changed["ContextLength"][0].get<uint32_t>(), 512u);
    EXPECT_EQ(client->changed.size(), 4u) << "QueueDepth and ActiveRequests have changed, but nobody is woken for that";
}

class SilentSink final : public service::RequestSink {
public:
    void on_accepted(uint32_t) override {}
    void on_text(std::string_view) override {}
    void on_finished(const service::Outcome&) override { has_ended = true; }
    bool has_ended = false;
};

// Its value depends on the reader, and so a change of any reader's is one.
TEST_F(FrontEndTest, RemotesInUseAnnouncesTheRequestsOfEachApplication) {
    base::RemoteSettings home;
    home.name = "home";
    home.models = {"big"};
    home.apps = {"host", "org.example.Notes"};
    base::Config options;
    options.model = "tale";
    options.remotes = {home};
    service->configure(options);
    auto made = std::make_unique<supervisor::FakeLauncher>();
    supervisor::FakeLauncher& remotes = *made;
    service->set_remote_launcher(std::move(made));
    std::array<SilentSink, 3> sinks;
    const auto ask = [&](SilentSink& sink, const std::string& application) {
        service::GenerateRequest request;
        request.caller.name = request.caller.share = request.caller.application = application;
        request.caller.sandboxed = application != "host";
        request.prompt = "Once";
        request.model = "big@home";
        const auto id = service->submit(std::move(request), sink);
        EXPECT_TRUE(id) << id.error().message;
        return id ? *id : 0;
    };
    const auto n_signals = [&] { return client->changed["RemotesInUse"].size(); };
    const auto host = ask(sinks[0], "host");
    until([&] { return !remotes.engines.empty(); });
    remotes.last().send(protocol::Ready{.n_ctx = 128, .n_slots = 4, .backend = protocol::BackendKind::Remote});
    until([&] { return n_signals() == 1; });
    const auto notes = ask(sinks[1], "flatpak:org.example.Notes");
    until([&] { return n_signals() == 2; });
    ask(sinks[2], "host");
    until([&] { return service->status().active == 3; });
    settle();
    EXPECT_EQ(n_signals(), 2u) << "nobody's value has changed";
    EXPECT_TRUE(service->cancel(host));
    until([&] { return sinks[0].has_ended; });
    settle();
    EXPECT_EQ(n_signals(), 2u);
    EXPECT_TRUE(service->cancel(notes));
    until([&] { return n_signals() == 3; });
    EXPECT_TRUE(sinks[1].has_ended);
    service->cancel_all();
    until([&] { return sinks[2].has_ended; });
}

TEST_F(FrontEndTest, AFolderWhoseNameIsNotTextIsListed) {
    std::filesystem::create_directory(folder + "/\xff");
    std::ofstream(folder + "/\xff/odd.gguf") << "a model";
    std::vector<std::string> paths;
    client->at(kRoot)
        .callMethodAsync("ListModels")
        .onInterface(kInterface)
        .withArguments(bus::VariantMap{})
        .uponReplyInvoke([&](bus::ReplyError error, const std::vector<bus::VariantMap>& models) {
            EXPECT_EQ(short_name(error), "ok");
            for (const auto& model : models) paths.push_back(model.at("path").get<std::string>());
        });
    until([&] { return paths.size() == 2; });
    EXPECT_EQ(paths.front(), folder + "/\uFFFD/odd.gguf");
}

// Returns the members of an interface, one line each: kind, interface, member, place, name, type, direction or access.
std::set<std::string> members(std::string xml) {
    for (size_t begin; (begin = xml.find("<!--")) != std::string::npos;) {
        xml.erase(begin, xml.find("-->", begin) + 3 - begin);
    }
    std::set<std::string> out;
    std::string interface;
    std::string member;
    int n_arguments = 0;
    const std::regex tag("<(interface|method|signal|property|arg)\\b([^>]*)>");
    for (std::sregex_iterator it(xml.begin(), xml.end(), tag), end; it != end; ++it) {
        const std::string kind = (*it)[1];
        const std::string attributes = (*it)[2];
        const auto attribute = [&](const char* key) {
            std::smatch found;
            return std::regex_search(attributes, found, std::regex(std::string("\\b") + key + "=\"([^\"]*)\""))
                       ? " " + found[1].str()
                       : std::string();
        };
        const std::string name = attribute("name");
        if (kind == "interface") {
            interface = name;
        } else if (kind == "arg") {
            out.insert(base::concat(kind, interface, member, " ", ++n_arguments, name, attribute("type"),
                                    attribute("direction")));
        } else {
            member = name;
            n_arguments = 0;
            out.insert(base::concat(kind, interface, name, attribute("type"), attribute("access")));
        }
    }
    std::erase_if(out, [](const std::string& line) { return line.find(" org.llmd.") == std::string::npos; });
    return out;
}

TEST_F(FrontEndTest, TheObjectsAreWhatTheContractSays) {
    std::set<std::string> contract;
    for (const char* name : {"org.llmd.Llmd1.xml", "org.llmd.Llmd1.Admin.xml", "org.llmd.Llmd1.Request.xml"}) {
        std::ifstream file(std::string(LLMD_CONTRACT) + "/" + name);
        contract.merge(members({std::istreambuf_iterator<char>(file), {}}));
    }
    EXPECT_GT(contract.size(), 50u);
    std::set<std::string> exported;
    for (const std::string& path : {std::string(kRoot), stream(*client)}) {
        std::string xml;
        client->at(path)
            .callMethodAsync("Introspect")
            .onInterface("org.freedesktop.DBus.Introspectable")
            .uponReplyInvoke(
                [&](bus::ReplyError error, const std::string& answer) { xml = error ? short_name(error) : answer; });
        until([&] { return !xml.empty(); });
        exported.merge(members(xml));
    }
    EXPECT_EQ(exported, contract);
}

}  // namespace
}  // namespace llmd::dbus
