#include "remote/fetch.h"

#include <utility>

namespace llmd::remote {

std::optional<Failure> failure_of(const TransferEnd& end, std::string_view body) {
    constexpr long kOk = 200;
    using Kind = Failure::Kind;
    Failure failure{.kind = Kind::Cut, .status = 0, .told = {}, .retry_after = end.retry_after, .detail = end.detail};
    switch (end.how) {
        case TransferEnd::How::Answered:
            if (end.status == kOk) return std::nullopt;
            failure.kind = Kind::Status;
            failure.status = end.status;
            failure.told = read_error(body).value_or(UpstreamError{});
            break;
        case TransferEnd::How::Unreachable:
            failure.kind = Kind::Unreachable;
            break;
        case TransferEnd::How::Untrusted:
            failure.kind = Kind::Untrusted;
            break;
        case TransferEnd::How::Unusable:
            failure.kind = Kind::Malformed;
            break;
        case TransferEnd::How::Broken:
            break;
    }
    return failure;
}

Fetch::~Fetch() {
    loop_.cancel_timer(timer_);
}

void Fetch::cancel() {
    loop_.cancel_timer(std::exchange(timer_, 0));
    transfer_.reset();
}

void Fetch::start(HttpCall call, Done done) {
    done_ = std::move(done);
    body_.clear();
    loop_.cancel_timer(timer_);
    timer_ = loop_.add_timer_after(timeout_, [this] {
        end({.how = TransferEnd::How::Broken,
             .detail = base::concat("the remote gave no answer in ", timeout_.count(), " ms")});
    });
    transfer_ = transport_.start(
        call.path, std::move(call.body),
        {[this](long, std::string_view bytes) {
             if (body_.size() + bytes.size() <= kMaxBodyBytes) {
                 body_ += bytes;
                 return;
             }
             end({.how = TransferEnd::How::Unusable,
                  .detail = base::concat("the remote's answer has more than ", kMaxBodyBytes, " bytes")});
         },
         [this](const TransferEnd& how) { end(how); }});
}

void Fetch::end(const TransferEnd& how) {
    loop_.cancel_timer(std::exchange(timer_, 0));
    transfer_.reset();
    Reply reply{.body = std::exchange(body_, {}), .failure = {}};
    reply.failure = failure_of(how, reply.body);
    const Done done = std::move(done_);
    done(reply);
}

}  // namespace llmd::remote
