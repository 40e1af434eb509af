#include "service/request_record.h"

namespace llmd::service {

protocol::Submit submit_of(const RequestRecord& record) {
    protocol::Submit submit;
    static_cast<protocol::Ask&>(submit) = record.request;
    submit.id = record.id;
    submit.replay_ids = record.ids;
    submit.delivered_bytes = record.delivered_bytes;
    submit.cache_scope = record.request.caller.application;
    return submit;
}

}  // namespace llmd::service
