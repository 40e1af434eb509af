#include "log_format.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <memory>

namespace llmd {

namespace {

// "%*": the priority of sd-daemon(3), <3> error … <7> debug.
class PriorityFlag final : public spdlog::custom_flag_formatter {
public:
    void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
        const char priority = message.level >= spdlog::level::err    ? '3'
                              : message.level == spdlog::level::warn ? '4'
                              : message.level == spdlog::level::info ? '6'
                                                                     : '7';
        for (const char c : {'<', priority, '>'}) out.push_back(c);
    }
    std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<PriorityFlag>(); }
};

}  // namespace

void set_up_log(const std::string& level) {
    auto logger = std::make_shared<spdlog::logger>("llmd", std::make_shared<spdlog::sinks::stderr_sink_st>());
    if (std::getenv("JOURNAL_STREAM")) {
        auto formatter = std::make_unique<spdlog::pattern_formatter>();
        formatter->add_flag<PriorityFlag>('*').set_pattern("%*%v");
        logger->set_formatter(std::move(formatter));
    } else {
        logger->set_pattern("%H:%M:%S %l: %v");
    }
    logger->set_level(level == "error" ? spdlog::level::err : spdlog::level::from_str(level));
    spdlog::set_default_logger(std::move(logger));
}

}  // namespace llmd
