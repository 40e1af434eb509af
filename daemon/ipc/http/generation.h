// One generation that was asked for over HTTP: a request of the service, whose events become the answer of an exchange.
// Thread-bound to the event loop.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "ipc/http/answer_format.h"
#include "ipc/http/exchange.h"
#include "service/service.h"

namespace llmd::ipc::http {

class Generation final : public service::RequestSink {
public:
    // `on_ended` is called once, as the last thing, when submit() has succeeded; it may not destroy the generation at
    // once. The service must outlive it.
    Generation(service::Service& service, std::shared_ptr<Exchange> exchange, std::unique_ptr<AnswerFormat> format,
               bool stream, std::function<void()> on_ended);
    ~Generation() override;

    // The errors of Service::submit; nothing has been answered then.
    base::Result<void> submit(service::GenerateRequest request);

    void on_accepted(uint32_t prompt_tokens) override;
    void on_text(std::string_view text) override;
    void on_finished(const service::Outcome& outcome) override;

private:
    void on_client_gone(const std::optional<base::Error>& error);

    service::Service& service_;
    const std::shared_ptr<Exchange> exchange_;
    const std::unique_ptr<AnswerFormat> format_;
    const bool stream_;
    const std::function<void()> on_ended_;
    AnswerHead head_;
    bool streaming_ = false;  // the head of the stream is out
    std::string text_;        // so far, where it is sent all at once
};

}  // namespace llmd::ipc::http
