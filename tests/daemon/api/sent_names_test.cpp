// A schema and tools have in messages the names that they were sent by, in each dialect.
#include "api/sent_names.h"

#include <gtest/gtest.h>

#include "calls.h"

namespace llmd::api {
namespace {

constexpr const char* kSchemaNote = R"(json_schema: at "#": "not" is not supported)";
constexpr const char* kToolError = "tools[12].function.parameters: at \"#\": type: 3 is no JSON type here";

SentNames names(const std::string& body, Dialect dialect) {
    return accepted(read_call(body, dialect)).sent;
}

TEST(SentNames, ASchemaHasTheNameOfItsField) {
    const std::string chat = R"({"messages":[{"role":"user","content":"u"}],)";
    const std::string ollama = R"({"model":"m","messages":[{"role":"user","content":"u"}],)";
    const struct {
        std::string body;
        Dialect dialect;
        const char* name;
    } rows[] = {
        {chat + R"("response_format":{"type":"json_schema","json_schema":{"schema":{}}}})", kChat, "response_format"},
        {chat + R"("response_format":{"type":"json_object","schema":{}}})", kChat, "response_format"},
        {chat + R"("guided_json":{}})", kChat, "guided_json"},
        {chat + R"("structured_outputs":{"json":{}}})", kChat, "structured_outputs.json"},
        {chat + R"("json_schema":{}})", kChat, "json_schema"},
        {R"({"input":"u","text":{"format":{"type":"json_schema","schema":{}}}})", kResponses, "text.format"},
        {ollama + R"("format":{}})", kOllamaChat, "format"},
        {chat + R"("output_config":{"format":{"type":"json_schema","schema":{}}}})", kAnthropic,
         "output_config.format"},
    };
    for (const auto& [body, dialect, name] : rows) {
        EXPECT_EQ(names(body, dialect).in(kSchemaNote), base::concat(name, R"(: at "#": "not" is not supported)"));
    }
}

TEST(SentNames, AToolIsNamedByWhatItHas) {
    const std::string rest = R"(: at "#": type: 3 is no JSON type here)";
    const std::string turn = R"("messages":[{"role":"user","content":"u"}])";
    EXPECT_EQ(names("{" + turn + "}", kChat).in(kToolError), kToolError);
    EXPECT_EQ(names(R"({"input":"u"})", kResponses).in(kToolError), "tools[12].parameters" + rest);
    const SentNames anthropic =
        names("{" + turn + R"(,"tools":[{"name":"f","input_schema":{"type":"object"}}]})", kAnthropic);
    EXPECT_EQ(anthropic.in(kToolError), "tools[12].input_schema" + rest);
    EXPECT_EQ(anthropic.in("tools[1].function.name: \"f\" comes twice"), "tools[1].name: \"f\" comes twice");
}

TEST(SentNames, OtherMessagesStay) {
    SentNames names;
    names.form = "format";
    names.function = "";
    for (const char* other : {"json_schemas: x", "tools: 3 are more than 2", "tools[", "tools[1]: not an object", "",
                              "the prompt has json_schema: x"}) {
        EXPECT_EQ(names.in(other), other);
    }
}

}  // namespace
}  // namespace llmd::api
