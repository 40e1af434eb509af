// The status of llmd, on the bus, as JSON and to Prometheus.
#include "api/status.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

namespace llmd::api {
namespace {

// Every line is a comment or a sample, as Prometheus 0.0.4 has them, and every sample has been described.
TEST(Metrics, AreWellFormed) {
    service::Status status;
    status.main.model = "quote \" backslash \\ line\nbreak";
    status.queued = 3;
    status.figures.queue_ms.add(20);
    std::istringstream page(metrics_text({status}, "1.2.3"));
    const std::regex sample(R"re((llmd_[a-z_]+)(\{[a-z]+="([^"\\]|\\.)*"(,[a-z]+="([^"\\]|\\.)*")*\})? [0-9.e+-]+)re");
    const std::regex comment(R"(# (HELP|TYPE) (llmd_[a-z_]+) .+)");
    std::string described;
    for (std::string line; std::getline(page, line);) {
        std::smatch match;
        if (std::regex_match(line, match, comment)) {
            described = match[2];
        } else {
            ASSERT_TRUE(std::regex_match(line, match, sample)) << line;
            EXPECT_EQ(match[1].str().rfind(described, 0), 0u) << line;
        }
    }
    const std::string text = metrics_text({status}, "1.2.3");
    EXPECT_NE(text.find("\nllmd_requests_queued 3\n"), std::string::npos);
    EXPECT_NE(text.find("\nllmd_queue_seconds_count 1\n"), std::string::npos);
    EXPECT_NE(text.find("\nllmd_queue_seconds_sum 0.02\n"), std::string::npos);
    EXPECT_NE(text.find(R"(model="quote \" backslash \\ line\nbreak")"), std::string::npos);
}

// The names and D-Bus types of the interface, each once.
TEST(Status, EveryFigureHasOneNameAndAType) {
    std::set<std::string> keys;
    for (const StatusValue& one : status_values({}, "1.2.3")) {
        EXPECT_TRUE(keys.insert(one.key).second) << one.key;
        const bool is_whole = one.value.is<int64_t>() || one.value.is<uint64_t>();
        EXPECT_EQ(one.type == "s", one.value.is<std::string>()) << one.key;
        EXPECT_EQ((one.type == "as" || one.type == "aa{sv}"), one.value.is<base::Value::Array>()) << one.key;
        EXPECT_EQ(one.type == "d", one.value.is<double>()) << one.key;
        EXPECT_EQ(one.type == "u" || one.type == "t" || one.type == "x", is_whole) << one.key;
    }
    EXPECT_TRUE(keys.contains("version") && keys.contains("queue_ms_p95") && keys.contains("kv_pages_total"));
}

TEST(Status, JsonHasTheKeysOfTheBus) {
    service::Status status;
    status.main.model = "tale";
    status.main.notes = {"one", "two"};
    status.main.weight_bytes = 7'095'552;
    const std::string json = status_json({status}, "1.2.3");
    const auto parsed = base::parse_json(json);
    ASSERT_TRUE(parsed.has_value()) << json;
    EXPECT_TRUE(json.starts_with(R"({"version":"1.2.3","state":"idle","model":"tale",)")) << json;
    EXPECT_NE(json.find(R"("notes":["one","two"])"), std::string::npos);
    EXPECT_NE(json.find(R"("weight_bytes":7095552)"), std::string::npos);
}

TEST(Status, EachEngineAndEachRemoteIsADictionaryAndHasItsMetrics) {
    service::Status status;
    status.engines = {{.model = "tale",
                       .state = service::State::Busy,
                       .backend = "cpu",
                       .device = "cores",
                       .memory_bytes = 120,
                       .slots = 4,
                       .active = 2,
                       .pinned = true,
                       .idle = std::chrono::seconds(9)},
                      {.model = "other", .state = service::State::Loading}};
    status.remotes = {{"home", "box:8443", {}, {.state = "ready", .last_use = std::chrono::seconds(5), .in_flight = 3}},
                      {"work", "unix:/x", {}, {.state = "unused"}}};
    const std::string json = status_json({status}, "1.2.3");
    for (const char* part :
         {R"({"model":"tale","state":"busy","backend":"cpu","device":"cores","memory_bytes":120,)", R"("pinned":true)",
          R"("idle_s":9)", R"({"name":"home","host":"box:8443","state":"ready",)", R"("in_flight":3)",
          R"("last_use_s":5})", R"({"name":"work","host":"unix:/x")"}) {
        EXPECT_NE(json.find(part), std::string::npos) << part << " in " << json;
    }
    const std::string metrics = metrics_text({status}, "1.2.3");
    for (const char* line : {"llmd_engine_memory_bytes{model=\"tale\",device=\"cores\",state=\"busy\"} 120\n",
                             "llmd_engine_slots{model=\"tale\",device=\"cores\",state=\"busy\"} 4\n",
                             "llmd_engine_requests_active{model=\"tale\",device=\"cores\",state=\"busy\"} 2\n",
                             "llmd_engine_slots{model=\"other\",device=\"\",state=\"loading\"} 0\n",
                             "llmd_remote_requests_active{remote=\"home\",host=\"box:8443\",state=\"ready\"} 3\n",
                             "llmd_remote_requests_active{remote=\"work\",host=\"unix:/x\",state=\"unused\"} 0\n"}) {
        EXPECT_NE(metrics.find(line), std::string::npos) << line << " in " << metrics;
    }
}

TEST(Status, ASandboxSeesItsOwnRequestsAndNoSecrets) {
    service::Status status;
    status.main.model = "tale";
    status.main.device = "a GPU";
    status.main.context_length = 128;
    status.queued = status.active = 9;
    status.main.pages.used = status.main.pages.cached = 9;
    status.figures.cache_hits = status.figures.cache_hit_tokens = 9;
    status.figures.drafted_tokens = status.figures.accepted_tokens = 9;
    status.main.pid = status.engine_restarts = 9;
    status.last_fault = status.settings_error = status.quarantined = status.main.sandbox = "secret";
    status.main.notes = {"secret"};
    status.engines = {{.model = "secret"}};
    status.remotes = {{.name = "secret"}};
    status.states.memory = "refuses";
    status.duty_cycle_percent = 60;
    status.figures.queue_ms.add(9);
    status.figures.ttft_ms.add(9);
    status.figures.prefill_ms.add(9);
    status.figures.decode_tps.add(9);
    service::RequestSnapshot running, waiting;
    running.running = true;
    count_only(status, {running, waiting, waiting});
    const StatusView own{status, true};
    const std::string json = status_json(own, "1.2.3");
    for (const char* part : {R"("model":"tale")", R"("device":"a GPU")", R"("context_length":128)", R"("active":1)",
                             R"("queued":2)", R"("memory_state":"refuses")", R"("duty_cycle_percent":60)"}) {
        EXPECT_NE(json.find(part), std::string::npos) << part << " in " << json;
    }
    EXPECT_EQ(json.find("secret"), std::string::npos) << json;
    EXPECT_EQ(json.find(":9"), std::string::npos) << json;
    EXPECT_EQ(metrics_text(own, "1.2.3").find(" 9\n"), std::string::npos);
}

}  // namespace
}  // namespace llmd::api
