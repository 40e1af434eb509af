// Clients may expect this of the service with several models: loading, replacing, listing, tokenizing.
#include "service/service.h"

#include <sys/stat.h>

#include "base/utf8.h"
#include "protocol/frame.h"
#include "service_fixture.h"

namespace llmd::service {
namespace {

using base::ErrorCode;

class ServiceModelsTest : public ServiceTest {};

TEST_F(ServiceModelsTest, AnotherModelReplacesTheEngineOnceRunningRequestsHaveEnded) {
    RecordingSink sinks[4];
    const RequestId first = submit(sinks[0]);
    load_and_get_ready();
    expect_start(first);
    const RequestId other = submit(sinks[1], request("b"));
    const RequestId late = submit(sinks[2]);
    EXPECT_EQ(engine().expect<protocol::Submit>().id, late);
    engine().expect_nothing();
    EXPECT_EQ(service_->request(late)->position, 1u);

    finish(first);
    EXPECT_TRUE(engine().hung_up());
    EXPECT_EQ(n_engines(), 1u);
    exit_engine();
    ASSERT_EQ(n_engines(), 2u);
    EXPECT_EQ(expect_load().model_path, folder_.path() + "/b.gguf");
    ready();
    expect_start(other);
    engine().expect_nothing();
    EXPECT_EQ(service_->status().main.model, "b");

    finish(other);
    exit_engine();
    EXPECT_EQ(expect_load().model_path, folder_.path() + "/a.gguf");
    ready();
    expect_start(late);
    EXPECT_EQ(sinks[2].accepted, 1);
    EXPECT_EQ(service_->status().engine_restarts, 0u);
    EXPECT_EQ(service_->status().last_fault, "");
}

TEST_F(ServiceModelsTest, NoModelMeansThatOfTheSettingsElseTheLoadedOneElseTheBundledOne) {
    for (const auto& [configured, answers] : {std::pair("a", "a"), std::pair("", "b")}) {
        make_service({.model = configured});
        RecordingSink sinks[2];
        const RequestId b = submit(sinks[0], request("b"));
        load_and_get_ready();
        expect_start(b);
        const RequestId unnamed = submit(sinks[1], request(""));
        EXPECT_EQ(service_->request(unnamed)->model, answers) << configured;
        service_->cancel_all();
        settle();
    }

    RecordingSink sinks[2];
    make_service({.model = folder_.write("c.bin", "model c")});
    const RequestId by_path = submit(sinks[1], request(""));
    EXPECT_EQ(service_->request(by_path)->model, "c.bin");

    make_service({});
    EXPECT_EQ(refusal(request("")).message,
              "no default model: 'phone-11m-q8_0' is not installed and there is more than "
              "one other; 'llmctl default MODEL' chooses one");
    std::filesystem::remove(folder_.path() + "/a.gguf");
    RecordingSink only;
    EXPECT_EQ(service_->request(submit(only, request("")))->model, "b");
    folder_.write(std::string(supervisor::kBundledModel) + ".gguf", "bundled");
    make_service({});
    EXPECT_EQ(service_->request(submit(only, request("")))->model, supervisor::kBundledModel);
}

TEST_F(ServiceModelsTest, AModelForEmbeddingsInTheSettingsAnswersTheseOnly) {
    protocol::Inspection inspection;
    inspection.ok = inspection.embeds = true;
    std::string frame;
    ASSERT_TRUE(protocol::encode(inspection, frame));
    const TemporaryDirectory programs;
    inspector_ = programs.write_program("engine", "#!/bin/sh\ncat " + programs.write("frame", frame) + '\n');
    make_service({.model = "a"});
    bool is_inspected = false;
    service_->list_models([&](const auto&) { is_inspected = true; });
    while (!is_inspected) ASSERT_TRUE(loop_.run_once(std::chrono::seconds(10)));

    RecordingSink sinks[4];
    auto embedding = request("b");
    embedding.prompt.clear();
    embedding.inputs = {{"a text", {}}};
    const RequestId first = submit(sinks[0], embedding);
    load_and_get_ready();
    EXPECT_EQ(engine().expect<protocol::Submit>().id, first);
    submit(sinks[1], request("b"));
    embedding.model.clear();
    EXPECT_EQ(service_->request(submit(sinks[2], embedding))->model, "a");
    EXPECT_EQ(service_->request(submit(sinks[3], request("")))->model, "b");
    service_->cancel_all();
    settle();
}

TEST_F(ServiceModelsTest, NoModelAndNoneToAnswerIsSaidByTheReason) {
    make_service({.model = "gone"});
    RecordingSink sink;
    const RequestId b = submit(sink, request("b"));
    load_and_get_ready();
    expect_start(b);
    auto error = refusal(request(""));
    EXPECT_EQ(error.code, ErrorCode::ModelNotFound);
    EXPECT_EQ(error.message, "the default model of the settings, 'gone', is not installed");
    std::filesystem::remove(folder_.path() + "/a.gguf");
    std::filesystem::remove(folder_.path() + "/b.gguf");
    for (const char* configured : {"gone", ""}) {
        make_service({.model = configured});
        error = refusal(request(""));
        EXPECT_EQ(error.code, ErrorCode::ModelNotFound);
        EXPECT_EQ(error.message,
                  "there is no model: install llmd-models-phone, or 'llmctl pull hf:OWNER/REPO', or 'llmctl import "
                  "FILE.gguf'");
    }
}

TEST_F(ServiceModelsTest, LoadAndUnloadWaitForRunningRequests) {
    std::vector<std::string> done;
    const auto note = [&](std::string what) {
        return [&done, what](base::Result<void> result) {
            done.push_back(what + (result ? "" : ": " + result.error().message));
        };
    };
    service_->load_model("a", note("load a"));
    settle();
    load_and_get_ready();
    EXPECT_EQ(done, std::vector<std::string>{"load a"});
    EXPECT_EQ(service_->status().state, State::Ready);
    RecordingSink sinks[2];
    const RequestId id = submit(sinks[0]);
    expect_start(id);
    service_->unload_model({}, note("unload"));
    service_->load_model(folder_.path() + "/b.gguf", note("load b"));
    const RequestId later = submit(sinks[1], request("b"));
    EXPECT_EQ(done.size(), 1u);
    finish(id);
    exit_engine();
    EXPECT_EQ(done.back(), "unload");
    load_and_get_ready();
    EXPECT_EQ(done.back(), "load b");
    expect_start(later);
    finish(later);

    service_->unload_model({}, note("unload again"));
    settle();
    exit_engine();
    EXPECT_EQ(done.back(), "unload again");
    EXPECT_EQ(service_->status().state, State::Idle);
    EXPECT_EQ(service_->status().main.model, "");
    EXPECT_EQ(service_->status().main.pid, 0);
    service_->unload_model({}, note("nothing to unload"));
    settle();
    EXPECT_EQ(done.back(), "nothing to unload");

    service_->load_model("b", note("load b again"));
    settle();
    load_and_get_ready();
    EXPECT_EQ(done.back(), "load b again");
    EXPECT_EQ(service_->status().engine_restarts, 0u);  // nothing has died
}

TEST_F(ServiceModelsTest, LoadModelSaysWhatIsWrongWithAPath) {
    std::vector<ErrorCode> codes;
    ASSERT_EQ(::mkfifo((folder_.path() + "/fifo").c_str(), 0600), 0);
    for (const std::string& path :
         {folder_.path(), folder_.path() + "/fifo", folder_.path() + "/none", std::string("none")}) {
        service_->load_model(path, [&](base::Result<void> result) { codes.push_back(result.error().code); });
    }
    settle();
    EXPECT_EQ(codes, (std::vector<ErrorCode>{ErrorCode::InvalidArgument, ErrorCode::InvalidArgument,
                                             ErrorCode::ModelNotFound, ErrorCode::ModelNotFound}));
    EXPECT_EQ(n_engines(), 0u);
}

TEST_F(ServiceModelsTest, LoadModelRefusesNamesThatCannotBeShown) {
    for (const std::string name :
         {"line\nbreak.gguf", "\x1b[31mred.gguf", "\xff.gguf", ".hidden.gguf", ".gguf", "big@home.gguf"}) {
        std::optional<base::Error> error;
        service_->load_model(folder_.write(name, "a model"),
                             [&](base::Result<void> result) { error = result.error(); });
        settle();
        ASSERT_TRUE(error);
        EXPECT_EQ(error->code, ErrorCode::InvalidArgument);
        EXPECT_TRUE(base::is_one_line(error->message)) << error->message;
    }
    EXPECT_EQ(n_engines(), 0u);
}

TEST_F(ServiceModelsTest, ANameIsTheCataloguesBeforeItIsThatOfALoadedPath) {
    const TemporaryDirectory elsewhere;
    const std::string other_a = elsewhere.write("a.gguf", "another model a");
    const std::string c = elsewhere.write("c.gguf", "model c");
    service_->load_model(other_a, nullptr);
    settle();
    EXPECT_EQ(expect_load().model_path, other_a);
    ready();
    RecordingSink sinks[2];
    submit(sinks[0], request("a"));
    exit_engine();
    EXPECT_EQ(expect_load().model_path, folder_.path() + "/a.gguf");
    service_->cancel_all();
    settle();

    service_->load_model(c, nullptr);
    settle();
    exit_engine();
    EXPECT_EQ(expect_load().model_path, c);
    ready();
    expect_start(submit(sinks[1], request("c")));
}

TEST_F(ServiceModelsTest, AFileThatIsReplacedServesTheRequestsThatComeAfterIt) {
    RecordingSink before, after, last;
    const RequestId first = submit(before, request("a"));
    load_and_get_ready();
    expect_start(first);
    folder_.write("b.new", "a newer model a");
    std::filesystem::rename(folder_.path() + "/b.new", folder_.path() + "/a.gguf");
    const RequestId second = submit(after, request("a"));
    settle();
    EXPECT_EQ(n_engines(), 1u) << "the first request goes on with the model that it began with";
    finish(first);
    exit_engine();
    EXPECT_EQ(n_engines(), 2u);
    load_and_get_ready();
    expect_start(second);
    // A file that has gone is no reason to leave the model that is loaded.
    std::filesystem::remove(folder_.path() + "/a.gguf");
    submit(last);
    settle();
    EXPECT_EQ(n_engines(), 2u);
}

TEST_F(ServiceModelsTest, LoadModelLoadsAChangedFileAgain) {
    int loaded = 0;
    const auto count = [&](base::Result<void> result) { loaded += result ? 1 : 0; };
    service_->load_model("a", count);
    settle();
    load_and_get_ready();
    service_->load_model("a", count);
    settle();
    EXPECT_EQ(loaded, 2);
    EXPECT_EQ(n_engines(), 1u);
    folder_.write("a.gguf", "another model a");
    service_->load_model("a", count);
    settle();
    exit_engine();
    load_and_get_ready();
    EXPECT_EQ(loaded, 3);
    EXPECT_EQ(n_engines(), 2u);
}

TEST_F(ServiceModelsTest, TokenizesWithTheNamedModelAndLoadsItIfNeedBe) {
    std::vector<std::vector<int32_t>> answers;
    std::vector<ErrorCode> errors;
    const auto note = [&](base::Result<std::vector<int32_t>> result) {
        if (result) {
            answers.push_back(*result);
        } else {
            errors.push_back(result.error().code);
        }
    };
    service_->tokenize("", "Hello", note);
    settle();
    load_and_get_ready();
    auto call = engine().expect<protocol::Tokenize>();
    EXPECT_EQ(call.text, "Hello");
    send(protocol::Tokenized{call.id, {1, 2}});
    EXPECT_EQ(answers, (std::vector<std::vector<int32_t>>{{1, 2}}));

    service_->tokenize("b", "Bye", note);
    settle();
    exit_engine();
    EXPECT_EQ(expect_load().model_path, folder_.path() + "/b.gguf");
    ready();
    call = engine().expect<protocol::Tokenize>();
    send(protocol::Refused{call.id, ErrorCode::PromptTooLong, "long"});
    service_->tokenize("c", "", note);
    service_->tokenize("a", std::string(1u << 20, 'x'), note);
    settle();
    EXPECT_EQ(errors,
              (std::vector<ErrorCode>{ErrorCode::PromptTooLong, ErrorCode::ModelNotFound, ErrorCode::PromptTooLong}));
}

TEST_F(ServiceModelsTest, DetokenizesAndSurvivesAWrongAnswer) {
    std::vector<std::string> texts;
    std::vector<ErrorCode> errors;
    const auto note = [&](const base::Result<std::string>& result) {
        result ? texts.push_back(*result) : errors.push_back(result.error().code);
    };
    service_->detokenize("a", {1, 2}, note);
    settle();
    load_and_get_ready();
    auto call = engine().expect<protocol::Detokenize>();
    EXPECT_EQ(call.ids, (std::vector<int32_t>{1, 2}));
    send(protocol::Detokenized{call.id, "Hello"});
    EXPECT_EQ(texts, std::vector<std::string>{"Hello"});

    service_->detokenize("a", {3}, note);
    service_->detokenize("a", std::vector<int32_t>((1u << 20) + 1), note);
    service_->detokenize("c", {}, note);
    settle();
    EXPECT_EQ(errors, (std::vector<ErrorCode>{ErrorCode::PromptTooLong, ErrorCode::ModelNotFound}));
    call = engine().expect<protocol::Detokenize>();
    send(protocol::Tokenized{call.id, {4}});
    EXPECT_EQ(launcher_->engines.front()->kills, 1) << "it makes no sense";
    load_and_get_ready();
    call = engine().expect<protocol::Detokenize>();
    EXPECT_EQ(call.ids, std::vector<int32_t>{3});
    send(protocol::Refused{call.id, ErrorCode::InvalidArgument, "tokens: 3 is not in the vocabulary of 2"});
    EXPECT_EQ(errors.back(), ErrorCode::InvalidArgument);
    EXPECT_EQ(texts.size(), 1u);
}

TEST_F(ServiceModelsTest, ATextForAnotherModelIsTokenizedBeforeTheWaitingGoOn) {
    RecordingSink sinks[2];
    const RequestId first = submit(sinks[0]);
    load_and_get_ready(1);
    expect_start(first);
    const RequestId second = submit(sinks[1]);
    std::vector<int32_t> ids;
    service_->tokenize("b", "Hello", [&](auto result) { ids = result ? *result : std::vector<int32_t>(); });
    finish(first);
    exit_engine();
    EXPECT_EQ(expect_load().model_path, folder_.path() + "/b.gguf");
    ready(1);
    const auto call = engine().expect<protocol::Tokenize>();
    EXPECT_FALSE(engine().hung_up());
    EXPECT_EQ(service_->status().active, 0u);
    EXPECT_EQ(service_->request(second)->position, 0u);
    send(protocol::Tokenized{call.id, {1, 2}});
    EXPECT_EQ(ids, (std::vector<int32_t>{1, 2}));
    exit_engine();
    EXPECT_EQ(n_engines(), 3u);
    EXPECT_EQ(expect_load().model_path, folder_.path() + "/a.gguf");
    ready(1);
    expect_start(second);
}

TEST_F(ServiceModelsTest, ListsModelsAndSaysWhichIsLoaded) {
    RecordingSink sink;
    submit(sink, request("b"));
    load_and_get_ready();
    std::vector<supervisor::ModelEntry> entries;
    service_->list_models([&](std::vector<supervisor::ModelEntry> list) { entries = std::move(list); });
    settle();
    ASSERT_EQ(entries.size(), 2u);
    EXPECT_EQ(entries[0].name, "a");
    EXPECT_FALSE(entries[0].loaded);
    EXPECT_TRUE(entries[1].loaded);
    EXPECT_NE(entries[1].error.find("cannot run /nonexistent"), std::string::npos);
}

}  // namespace
}  // namespace llmd::service
