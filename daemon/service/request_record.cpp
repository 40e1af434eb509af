#include "service/request_record.h"

namespace llmd::service {

protocol::Submit submit_of(const RequestRecord& record) {
    const Sampling& sampling = record.request.sampling;
    protocol::Submit submit;
    submit.id = record.id;
    submit.prompt = record.request.prompt;
    submit.prompt_ids = record.request.prompt_ids;
    submit.max_tokens = record.request.max_tokens;
    submit.temperature = sampling.temperature;
    submit.top_k = sampling.top_k;
    submit.top_p = sampling.top_p;
    submit.min_p = sampling.min_p;
    submit.repeat_penalty = sampling.repeat_penalty;
    submit.presence_penalty = sampling.presence_penalty;
    submit.frequency_penalty = sampling.frequency_penalty;
    submit.repeat_last_n = sampling.repeat_last_n;
    for (const auto& [id, bias] : sampling.logit_bias) {
        submit.logit_bias_ids.push_back(id);
        submit.logit_biases.push_back(bias);
    }
    submit.min_tokens = sampling.min_tokens;
    submit.ignore_eos = sampling.ignore_eos;
    submit.stop_token_ids = sampling.stop_token_ids;
    submit.seed = record.seed;
    submit.stops = record.request.stops;
    submit.replay_ids = record.ids;
    submit.delivered_bytes = record.delivered_bytes;
    submit.cache_scope = record.request.application;
    submit.messages = record.request.messages;
    submit.thinking = record.request.thinking;
    submit.tools = record.request.tools;
    submit.tool_choice = record.request.tool_choice;
    submit.tool_name = record.request.tool_name;
    submit.parallel_tool_calls = record.request.parallel_tool_calls;
    submit.bare_calls = record.request.bare_calls.value_or(false);
    submit.json_schema = record.request.json_schema;
    submit.wants_logprobs = record.request.top_logprobs.has_value();
    submit.n_top_logprobs = record.request.top_logprobs.value_or(0);
    return submit;
}

}  // namespace llmd::service
