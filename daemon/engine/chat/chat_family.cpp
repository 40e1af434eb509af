#include "engine/chat/chat_family.h"

#include <array>
#include <utility>

namespace llmd::tokenizer {

namespace {

using std::string_view;

// A longer template is not recognised. The longest known ones have 10 KiB.
constexpr size_t kMaxTemplateBytes = 1u << 20;

constexpr string_view kZephyrHas[] = {"'<|user|>'+message['content']+eos_token", "'<|assistant|>'"};
constexpr string_view kLlama2Has[] = {"[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", "eos_token"};
constexpr string_view kLlama3Has[] = {"'<|start_header_id|>'+message['role']+'<|end_header_id|>'", "<|eot_id|>"};
constexpr string_view kChatMlHas[] = {"'<|im_start|>'+message['role']", "<|im_end|>"};
constexpr string_view kChatMlLacks[] = {"<|im_sep|>"};  // Phi 4
constexpr string_view kGemmaHas[] = {"'<start_of_turn>'+role", "<end_of_turn>"};
constexpr string_view kMistralHas[] = {"'[INST]'+message['content']+'[/INST]'", "eos_token"};
// These occur in Llama 2's template, in Mistral's later versions, which set other spaces, and in templates whose
// markers are tokens.
constexpr string_view kMistralLacks[] = {"<<SYS>>", "[AVAILABLE_TOOLS]", "[SYSTEM_PROMPT]"};
constexpr string_view kPhi3Has[] = {"'<|user|>'+message['content']+'<|end|>'"};

// Each row writes what the template in the tokenizer_config.json of the models named above it writes.
constexpr std::array kFamilies = {
    // This is no model's own format. A base model continues it like the script of a play.
    ChatFamily{
        .name = "none",
        .begin = "",
        .system = {"", "\n\n"},
        .user = {"User: ", "\n"},
        .assistant = {"Assistant: ", "\n"},
        .answer = "Assistant:",
        .trims_system = true,
        .trims_turns = true,
        .end = "\nUser:",
        .has = {},
        .lacks = {},
    },
    // TinyLlama/TinyLlama-1.1B-Chat-v1.0, HuggingFaceH4/zephyr-7b-beta
    ChatFamily{
        .name = "zephyr",
        .begin = "",
        .system = {"<|system|>\n", "{eos}\n"},
        .user = {"<|user|>\n", "{eos}\n"},
        .assistant = {"<|assistant|>\n", "{eos}\n"},
        .answer = "<|assistant|>\n",
        .end = "{eos}",
        .has = kZephyrHas,
        .lacks = {},
    },
    // meta-llama/Llama-2-7b-chat-hf
    ChatFamily{
        .name = "llama2",
        .begin = "",
        .system = {"<<SYS>>\n", "\n<</SYS>>\n\n"},
        .user = {"{bos}[INST] ", " [/INST]"},
        .assistant = {" ", " {eos}"},
        .answer = "",
        .folds_system = true,
        .trims_turns = true,
        .trims_fold = true,
        .end = "{eos}",
        .has = kLlama2Has,
        .lacks = {},
    },
    // meta-llama/Meta-Llama-3-8B-Instruct; with system_preamble() meta-llama/Llama-3.1-8B-Instruct
    ChatFamily{
        .name = "llama3",
        .begin = "{bos}",
        .system = {"<|start_header_id|>system<|end_header_id|>\n\n", "<|eot_id|>"},
        .user = {"<|start_header_id|>user<|end_header_id|>\n\n", "<|eot_id|>"},
        .assistant = {"<|start_header_id|>assistant<|end_header_id|>\n\n", "<|eot_id|>"},
        .answer = "<|start_header_id|>assistant<|end_header_id|>\n\n",
        .trims_system = true,
        .trims_turns = true,
        .end = "<|eot_id|>",
        .has = kLlama3Has,
        .lacks = {},
    },
    // HuggingFaceTB/SmolLM2-135M-Instruct, Qwen/Qwen2.5-0.5B-Instruct, teknium/OpenHermes-2.5-Mistral-7B
    ChatFamily{
        .name = "chatml",
        .begin = "",
        .system = {"<|im_start|>system\n", "<|im_end|>\n"},
        .user = {"<|im_start|>user\n", "<|im_end|>\n"},
        .assistant = {"<|im_start|>assistant\n", "<|im_end|>\n"},
        .answer = "<|im_start|>assistant\n",
        .end = "<|im_end|>",
        .has = kChatMlHas,
        .lacks = kChatMlLacks,
    },
    // google/gemma-3-1b-it; google/gemma-2-2b-it, which takes no system
    ChatFamily{
        .name = "gemma",
        .begin = "{bos}",
        .system = {"", "\n\n"},
        .user = {"<start_of_turn>user\n", "<end_of_turn>\n"},
        .assistant = {"<start_of_turn>model\n", "<end_of_turn>\n"},
        .answer = "<start_of_turn>model\n",
        .folds_system = true,
        .trims_turns = true,
        .end = "<end_of_turn>",
        .has = kGemmaHas,
        .lacks = {},
    },
    // mistralai/Mistral-7B-Instruct-v0.2
    ChatFamily{
        .name = "mistral",
        .begin = "{bos}",
        .system = {"", "\n\n"},
        .user = {" [INST] ", " [/INST]"},
        .assistant = {" ", "{eos}"},
        .answer = "",
        .folds_system = true,
        .end = "{eos}",
        .has = kMistralHas,
        .lacks = kMistralLacks,
    },
    // microsoft/Phi-3-mini-4k-instruct
    ChatFamily{
        .name = "phi3",
        .begin = "",
        .system = {"<|system|>\n", "<|end|>\n"},
        .user = {"<|user|>\n", "<|end|>\n"},
        .assistant = {"<|assistant|>\n", "<|end|>\n"},
        .answer = "<|assistant|>\n",
        .end = "<|end|>",
        .has = kPhi3Has,
        .lacks = {},
    },
};

void replace_all(std::string& text, string_view what, string_view by) {
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
        text.replace(at, what.size(), by);
    }
}

bool matches(const ChatFamily& family, string_view text) {
    if (family.has.empty()) return false;
    for (const string_view excerpt : family.has) {
        if (text.find(excerpt) == string_view::npos) return false;
    }
    for (const string_view excerpt : family.lacks) {
        if (text.find(excerpt) != string_view::npos) return false;
    }
    return true;
}

}  // namespace

std::span<const ChatFamily> chat_families() {
    return kFamilies;
}

std::string chat_family_names() {
    std::string names;
    for (const ChatFamily& family : kFamilies) names += (names.empty() ? "" : ", ") + std::string(family.name);
    return names;
}

const ChatFamily* find_chat_family(string_view name) {
    for (const ChatFamily& family : kFamilies) {
        if (family.name == name) return &family;
    }
    return nullptr;
}

const ChatFamily* recognize_chat_family(string_view text) {
    if (text.size() > kMaxTemplateBytes) return nullptr;
    const std::string plain = normalized(text);
    const ChatFamily* found = nullptr;
    for (const ChatFamily& family : kFamilies) {
        if (!matches(family, plain)) continue;
        if (found != nullptr) return nullptr;
        found = &family;
    }
    return found;
}

std::string normalized(string_view text) {
    std::string out;
    out.reserve(text.size());
    for (size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
        if (c == '\\' && at + 1 < text.size() && text[at + 1] == 'n') {
            ++at;
            continue;
        }
        out += c == '"' ? '\'' : c;
    }
    replace_all(out, "message.role", "message['role']");
    replace_all(out, "message.content", "message['content']");
    replace_all(out, "+''", "");  // left by a string that was only a line break
    return out;
}

std::string default_system(string_view text) {
    constexpr string_view kBegin = "<|im_start|>system";
    constexpr string_view kEnd = "<|im_end|>";
    if (text.size() > kMaxTemplateBytes) return {};
    for (size_t at = text.find(kBegin); at != string_view::npos; at = text.find(kBegin, at + 1)) {
        string_view rest = text.substr(at + kBegin.size());
        const size_t line_break = rest.starts_with("\\n") ? 2 : rest.starts_with('\n') ? 1 : 0;
        if (line_break == 0) continue;
        rest.remove_prefix(line_break);
        const string_view said = rest.substr(0, rest.find(kEnd));
        // Such characters mean that code is between the two markers, not one string.
        if (said.size() == rest.size() || said.find_first_of("'\"{}\\") != string_view::npos) continue;
        return std::string(said);
    }
    return {};
}

string_view system_preamble(string_view text) {
    // This is the template's default date. The current date would change answers overnight.
    const bool dated = text.size() <= kMaxTemplateBytes &&
                       text.find("Cutting Knowledge Date: December 2023") != string_view::npos &&
                       text.find("26 Jul 2024") != string_view::npos;
    return dated ? "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n" : "";
}

}  // namespace llmd::tokenizer
