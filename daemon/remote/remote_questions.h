// The questions of a request to a remote beside its text, one at a time: the token ids of its prompt and of what
// follows them, and whether the remote still has the model. Thread-bound to the event loop.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "remote/connector.h"

namespace llmd::remote {

class RemoteQuestions {
public:
    using TakeIds = std::function<void(std::vector<int32_t> ids)>;

    // `on_failure` is called instead of an answer.
    RemoteQuestions(RemoteContext& context, std::function<void(Failure failure)> on_failure);

    // The ids of the request's prompt, rendered by the remote where it is a conversation. None: the remote has no
    // tokenizer, or only one for other prompts, and the prompt has to be asked for as it is.
    void ask_prompt_ids(const protocol::Submit& submit, TakeIds take);
    // The ids of a text that stands behind others.
    void ask_ids(const std::string& text, TakeIds take);
    // The text of these ids; nothing where the remote says none.
    void ask_text(std::span<const int32_t> ids, std::function<void(std::optional<std::string> text)> take);
    // The entry of the request's model in the remote's list; null where it is not there any more.
    void ask_model(std::function<void(const ListedModel* model)> take);

private:
    void tokenize_prompt(const std::string& text, bool parse_special, TakeIds take);
    void take_prompt_ids(const Reply& reply, const TakeIds& take);
    void ask(HttpCall call, std::function<void(const std::string& body)> take);

    RemoteContext& context_;
    const std::function<void(Failure failure)> on_failure_;
    Fetch fetch_;
};

}  // namespace llmd::remote
