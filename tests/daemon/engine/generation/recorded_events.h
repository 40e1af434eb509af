// Records what a Generator reported, by request.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/generation/generator.h"

namespace llmd::test {

class RecordedEvents : public generation::GeneratorEvents {
public:
    struct Request {
        std::vector<int32_t> ids;
        std::vector<std::string> texts;  // one for each id
        std::vector<generation::TokenLogprobs> logprobs;
        std::string text;  // all of it, the last text included
        uint32_t position = 0;
        std::vector<uint32_t> cached;  // at each start
        std::optional<generation::Finish> finish;

        bool ended_with(generation::End end) const {
            return finish && std::holds_alternative<generation::End>(finish->how) &&
                   std::get<generation::End>(finish->how) == end;
        }
    };

    void on_started(uint64_t id, uint32_t cached_tokens) override { requests[id].cached.push_back(cached_tokens); }
    void on_prefill(uint64_t id, uint32_t position) override { requests[id].position = position; }
    void on_token(uint64_t id, int32_t token, std::string text, uint32_t position,
                  const generation::TokenLogprobs* logprobs) override {
        Request& request = requests[id];
        request.ids.push_back(token);
        if (logprobs != nullptr) request.logprobs.push_back(*logprobs);
        request.text += text;
        request.texts.push_back(std::move(text));
        request.position = position;
    }
    void on_finished(uint64_t id, const generation::Finish& finish) override {
        requests[id].text += finish.text;
        requests[id].finish = finish;
        order_of_ends.push_back(id);
    }

    std::map<uint64_t, Request> requests;
    std::vector<uint64_t> order_of_ends;
};

}  // namespace llmd::test
