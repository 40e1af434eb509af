// render_chat SETTING ROLE CONTENT [ROLE CONTENT]... < TEMPLATE
// Prints the prompt that llmd makes of a conversation for a model whose file has this chat template, and whose
// begin- and end-of-text tokens are <s> and </s>. Without a template on standard input the file has none.
#include <cstdio>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "daemon/engine/tokenizer/vocabularies.h"
#include "engine/chat/chat_template.h"

namespace {

using namespace llmd;

base::Result<std::string> render(const std::string& setting, const std::string& text,
                                 const std::vector<tokenizer::ChatMessage>& messages) {
    test::GgufWriter writer = test::sentencepiece_vocabulary().writer();
    if (!text.empty()) writer.add("tokenizer.chat_template", text);
    const auto bytes = writer.bytes();
    const auto gguf = model::Gguf::parse(bytes);
    if (!gguf) return gguf.error();
    const auto tokenizer = tokenizer::Tokenizer::create(*gguf);
    if (!tokenizer) return tokenizer.error();
    const auto chat = tokenizer::ChatTemplate::create(*gguf, **tokenizer, setting);
    if (!chat) return chat.error();
    const auto segments = chat->render(messages);
    if (!segments) return segments.error();
    std::string prompt;
    for (const auto& segment : *segments) prompt += segment.text;
    return prompt;
}

}  // namespace

int main(int argc, char** argv) {
    using Role = tokenizer::ChatMessage::Role;
    std::vector<tokenizer::ChatMessage> messages;
    for (int i = 2; i + 1 < argc; i += 2) {
        const std::string role = argv[i];
        messages.push_back({role == "system" ? Role::System
                            : role == "user" ? Role::User
                                             : Role::Assistant,
                            argv[i + 1]});
    }
    const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
    const auto prompt = render(argc > 1 ? argv[1] : "", text, messages);
    if (!prompt) {
        std::fprintf(stderr, "%s\n", prompt.error().message.c_str());
        return 1;
    }
    std::cout << *prompt;
    return 0;
}
