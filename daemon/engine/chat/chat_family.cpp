#include "engine/chat/chat_family.h"

#include <array>

namespace llmd::tokenizer {

namespace {

using std::string_view;

constexpr string_view kZephyrHas[] = {"'<|user|>'+message['content']+eos_token", "'<|assistant|>'"};
constexpr string_view kLlama2Has[] = {"[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", "eos_token"};
constexpr string_view kLlama3Has[] = {"'<|start_header_id|>'+message['role']+'<|end_header_id|>'", "<|eot_id|>"};
constexpr string_view kGemmaHas[] = {"'<start_of_turn>'+role", "<end_of_turn>"};

// ChatML and what has grown from it.
constexpr string_view kChatMlTurn = "'<|im_start|>'+message['role']";
constexpr string_view kThinkingTurn = "'<|im_start|>'+message['role']+'<think>'+reasoning_content";
constexpr string_view kThinkingAnswer = "'<|im_start|>assistant<think>'";
constexpr string_view kThinkingAnswerApart = "{{-'<think>'}}";
constexpr string_view kSmolLm3Header = "'ReasoningMode:'+reasoning_mode";
constexpr string_view kLfm2System = "'<|im_start|>system'+ns.system_prompt+'<|im_end|>'";
constexpr string_view kPhi4Separator = "<|im_sep|>";
constexpr string_view kChatMlHas[] = {kChatMlTurn, "<|im_end|>"};
constexpr string_view kChatMlLacks[] = {kPhi4Separator,       kThinkingTurn,  kThinkingAnswer,
                                        kThinkingAnswerApart, kSmolLm3Header, kLfm2System};
constexpr string_view kQwen3Has[] = {kThinkingTurn, "<|im_end|>"};
constexpr string_view kQwen3Lacks[] = {kThinkingAnswer, kThinkingAnswerApart, "{{-bos_token}}"};
constexpr string_view kQwen3ThinkingHas[] = {kThinkingTurn, kThinkingAnswer};
constexpr string_view kSmolLm3Has[] = {kChatMlTurn, kSmolLm3Header};
constexpr string_view kLfm2Has[] = {kChatMlTurn, "{{-bos_token-}}", kLfm2System};
constexpr string_view kMiniCpm5Has[] = {kThinkingTurn, "{{-bos_token}}", kThinkingAnswerApart};

constexpr string_view kInstruction = "'[INST]'+message['content']+'[/INST]'";
constexpr string_view kSpacedAnswer = "''+message['content']+eos_token";
constexpr string_view kMistralHas[] = {kInstruction, "eos_token"};
// These occur in Llama 2's template, in Mistral's later versions, which set other spaces, and in templates whose
// markers are tokens.
constexpr string_view kMistralLacks[] = {"<<SYS>>", "[AVAILABLE_TOOLS]", "[SYSTEM_PROMPT]"};
constexpr string_view kMistralV3Has[] = {kInstruction, "[AVAILABLE_TOOLS]", "''+message['content']|trim+eos_token"};
constexpr string_view kMistralV3TekkenHas[] = {kInstruction, "[AVAILABLE_TOOLS]", "{{-message['content']+eos_token"};
constexpr string_view kMistralLaterLacks[] = {"<<SYS>>", "[SYSTEM_PROMPT]"};
constexpr string_view kMistralV7TekkenHas[] = {kInstruction, "'[SYSTEM_PROMPT]'", "'[/SYSTEM_PROMPT]'"};
constexpr string_view kMistralV7TekkenLacks[] = {kSpacedAnswer};  // version 7 of SentencePiece

constexpr string_view kPhi3Has[] = {"'<|user|>'+message['content']+'<|end|>'"};
// Phi 3 small's template differs by line breaks alone. It has no tools.
constexpr string_view kPhi4MiniHas[] = {"'<|'+message['role']+'|>'+message['content']+'<|end|>'", "<|/tool|>"};
constexpr string_view kGranite3Has[] = {"<|start_of_role|>assistant", "<|end_of_role|>", "<|end_of_text|>"};
constexpr string_view kGranite3Lacks[] = {"<tools>"};
constexpr string_view kGranite4Has[] = {"<|start_of_role|>assistant<|end_of_role|>", "<|end_of_text|>", "<tools>"};
constexpr string_view kExaone4Has[] = {"'assistant':'[|assistant|]'", "'[|endofturn|]'", "<think></think>"};
constexpr string_view kHunyuanHas[] = {"'<｜hy_User｜>'+", "+'<｜hy_Assistant｜>'", "<｜hy_place▁holder▁no▁3｜>"};
constexpr string_view kErnieHas[] = {"'User:'+message['content']", "'Assistant:'+message['content']+sep_token"};
constexpr string_view kMiniCpmHas[] = {"'<用户>'+message['content'].strip()+'<AI>'"};
constexpr string_view kOlmo2Has[] = {"{{bos_token}}", "'<|user|>'+message['content']}}",
                                     "'<|assistant|>'+message['content']+eos_token"};
constexpr string_view kDeepSeekUser = "'<｜User｜>'+message['content']}}";
constexpr string_view kDeepSeekR1Has[] = {kDeepSeekUser, "'<｜Assistant｜><think>'}}"};
constexpr string_view kDeepSeekR1Lacks[] = {"'</think>'-}}"};
constexpr string_view kDeepSeekHas[] = {kDeepSeekUser, "'<｜Assistant｜>'}}", "</think>"};
constexpr string_view kDeepSeekLacks[] = {"<think>'}}", "'</think>'}}", "</think>'-}}", "is_last_user"};

using Fold = ChatFamily::Fold;
using Trim = ChatFamily::Trim;

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
        .trim_system = Trim::Both,
        .trim_user = Trim::Both,
        .trim_assistant = Trim::Both,
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
        .alternates = true,
        .fold = Fold::First,
        .trim_user = Trim::Both,
        .trim_assistant = Trim::Both,
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
        .trim_system = Trim::Both,
        .trim_user = Trim::Both,
        .trim_assistant = Trim::Both,
        .end = "<|eot_id|>",
        .has = kLlama3Has,
        .lacks = {},
    },
    // HuggingFaceTB/SmolLM2-135M-Instruct, Qwen/Qwen2.5-0.5B-Instruct, teknium/OpenHermes-2.5-Mistral-7B,
    // openbmb/MiniCPM4-0.5B
    ChatFamily{
        .name = "chatml",
        .begin = "",
        .system = {"<|im_start|>system\n", "<|im_end|>\n"},
        .user = {"<|im_start|>user\n", "<|im_end|>\n"},
        .assistant = {"<|im_start|>assistant\n", "<|im_end|>\n"},
        .answer = "<|im_start|>assistant\n",
        .end = "<|im_end|>",
        .default_system_after = kChatMlSystem,
        .has = kChatMlHas,
        .lacks = kChatMlLacks,
    },
    // Qwen/Qwen3-0.6B to 4B, which think unless a message of theirs is continued
    ChatFamily{
        .name = "qwen3",
        .begin = "",
        .system = {"<|im_start|>system\n", "<|im_end|>\n"},
        .user = {"<|im_start|>user\n", "<|im_end|>\n"},
        .assistant = {"<|im_start|>assistant\n", "<|im_end|>\n"},
        .answer = "<|im_start|>assistant\n",
        .open = "<|im_start|>assistant\n<think>\n\n</think>\n\n",
        .end = "<|im_end|>",
        .default_system_after = kChatMlSystem,
        .has = kQwen3Has,
        .lacks = kQwen3Lacks,
    },
    // Qwen/Qwen3-4B-Thinking-2507
    ChatFamily{
        .name = "qwen3-thinking",
        .begin = "",
        .system = {"<|im_start|>system\n", "<|im_end|>\n"},
        .user = {"<|im_start|>user\n", "<|im_end|>\n"},
        .assistant = {"<|im_start|>assistant\n", "<|im_end|>\n"},
        .answer = "<|im_start|>assistant\n<think>\n",
        .open = "<|im_start|>assistant\n<think>\n\n</think>\n\n",
        .end = "<|im_end|>",
        .default_system_after = kChatMlSystem,
        .has = kQwen3ThinkingHas,
        .lacks = {},
    },
    // HuggingFaceTB/SmolLM3-3B, without the line "Today Date: " of its header
    ChatFamily{
        .name = "smollm3",
        .begin = "",
        .system = {"<|im_start|>system\n## Metadata\n\nKnowledge Cutoff Date: June 2025\nReasoning Mode: /think\n\n"
                   "## Custom Instructions\n\n",
                   "\n\n<|im_end|>\n"},
        .user = {"<|im_start|>user\n", "<|im_end|>\n"},
        .assistant = {"<|im_start|>assistant\n", "<|im_end|>\n"},
        .answer = "<|im_start|>assistant\n",
        .trim_system = Trim::End,
        .omits_empty_system = true,
        .end = "<|im_end|>",
        .default_system_after = "elif reasoning_mode == \"/think\" -%}",
        .has = kSmolLm3Has,
        .lacks = {},
    },
    // LiquidAI/LFM2-1.2B, LiquidAI/LFM2.5-1.2B-Instruct
    ChatFamily{
        .name = "lfm2",
        .begin = "{bos}",
        .system = {"<|im_start|>system\n", "<|im_end|>\n"},
        .user = {"<|im_start|>user\n", "<|im_end|>\n"},
        .assistant = {"<|im_start|>assistant\n", "<|im_end|>\n"},
        .answer = "<|im_start|>assistant\n",
        .omits_empty_system = true,
        .end = "<|im_end|>",
        .has = kLfm2Has,
        .lacks = {},
    },
    // openbmb/MiniCPM5-1B
    ChatFamily{
        .name = "minicpm5",
        .begin = "{bos}",
        .system = {"<|im_start|>system\n", "<|im_end|>\n"},
        .user = {"<|im_start|>user\n", "<|im_end|>\n"},
        .assistant = {"<|im_start|>assistant\n", "<|im_end|>\n"},
        .answer = "<|im_start|>assistant\n",
        .end = "<|im_end|>",
        .has = kMiniCpm5Has,
        .lacks = {},
    },
    // google/gemma-3-1b-it; google/gemma-2-2b-it, which takes no system
    ChatFamily{
        .name = "gemma",
        .begin = "{bos}",
        .system = {"", "\n\n"},
        .user = {"<start_of_turn>user\n", "<end_of_turn>\n"},
        .assistant = {"<start_of_turn>model\n", "<end_of_turn>\n"},
        .answer = "<start_of_turn>model\n",
        .alternates = true,
        .fold = Fold::First,
        .trim_user = Trim::Both,
        .trim_assistant = Trim::Both,
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
        .alternates = true,
        .fold = Fold::First,
        .end = "{eos}",
        .has = kMistralHas,
        .lacks = kMistralLacks,
    },
    // mistralai/Mistral-7B-Instruct-v0.3
    ChatFamily{
        .name = "mistral-v3",
        .begin = "{bos}",
        .system = {"", "\n\n"},
        .user = {"[INST] ", "[/INST]"},
        .assistant = {" ", "{eos}"},
        .answer = "",
        .alternates = true,
        .fold = Fold::Last,
        .trim_assistant = Trim::Both,
        .end = "{eos}",
        .has = kMistralV3Has,
        .lacks = kMistralLaterLacks,
    },
    // mistralai/Mistral-Nemo-Instruct-2407, mistralai/Ministral-8B-Instruct-2410
    ChatFamily{
        .name = "mistral-v3-tekken",
        .begin = "{bos}",
        .system = {"", "\n\n"},
        .user = {"[INST]", "[/INST]"},
        .assistant = {"", "{eos}"},
        .answer = "",
        .alternates = true,
        .fold = Fold::Last,
        .end = "{eos}",
        .has = kMistralV3TekkenHas,
        .lacks = kMistralLaterLacks,
    },
    // mistralai/Ministral-3-3B-Instruct-2512, mistralai/Ministral-3-3B-Reasoning-2512
    ChatFamily{
        .name = "mistral-v7-tekken",
        .begin = "{bos}",
        .system = {"[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"},
        .user = {"[INST]", "[/INST]"},
        .assistant = {"", "{eos}"},
        .answer = "",
        .alternates = true,
        .end = "{eos}",
        .default_system_after = "set default_system_message =",
        .has = kMistralV7TekkenHas,
        .lacks = kMistralV7TekkenLacks,
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
    // microsoft/Phi-4-mini-instruct
    ChatFamily{
        .name = "phi4-mini",
        .begin = "",
        .system = {"<|system|>", "<|end|>"},
        .user = {"<|user|>", "<|end|>"},
        .assistant = {"<|assistant|>", "<|end|>"},
        .answer = "<|assistant|>",
        .end = "<|end|>",
        .has = kPhi4MiniHas,
        .lacks = {},
    },
    // ibm-granite/granite-3.0-2b-instruct to granite-3.3-2b-instruct
    ChatFamily{
        .name = "granite3",
        .begin = "",
        .system = {"<|start_of_role|>system<|end_of_role|>", "<|end_of_text|>\n"},
        .user = {"<|start_of_role|>user<|end_of_role|>", "<|end_of_text|>\n"},
        .assistant = {"<|start_of_role|>assistant<|end_of_role|>", "<|end_of_text|>\n"},
        .answer = "<|start_of_role|>assistant<|end_of_role|>",
        .end = "<|end_of_text|>",
        .default_system_after = kGraniteCutoff,
        .has = kGranite3Has,
        .lacks = kGranite3Lacks,
    },
    // ibm-granite/granite-4.0-micro; granite-4.1, which has no system message of its own
    ChatFamily{
        .name = "granite4",
        .begin = "",
        .system = {"<|start_of_role|>system<|end_of_role|>", "<|end_of_text|>\n"},
        .user = {"<|start_of_role|>user<|end_of_role|>", "<|end_of_text|>\n"},
        .assistant = {"<|start_of_role|>assistant<|end_of_role|>", "<|end_of_text|>\n"},
        .answer = "<|start_of_role|>assistant<|end_of_role|>",
        .omits_empty_system = true,
        .end = "<|end_of_text|>",
        .default_system_after = "set g4_default_system_message =",
        .has = kGranite4Has,
        .lacks = {},
    },
    // LGAI-EXAONE/EXAONE-4.0-1.2B, which does not think unless it is asked to
    ChatFamily{
        .name = "exaone4",
        .begin = "",
        .system = {"[|system|]\n", "[|endofturn|]\n"},
        .user = {"[|user|]\n", "[|endofturn|]\n"},
        .assistant = {"[|assistant|]\n<think>\n\n</think>\n\n", "[|endofturn|]\n"},
        .answer = "[|assistant|]\n<think>\n\n</think>\n\n",
        .end = "[|endofturn|]",
        .has = kExaone4Has,
        .lacks = {},
    },
    // tencent/Hunyuan-0.5B-Instruct to Hunyuan-4B-Instruct, which think
    ChatFamily{
        .name = "hunyuan",
        .begin = "{bos}",
        .system = {"", "<｜hy_place▁holder▁no▁3｜>"},
        .user = {"<｜hy_User｜>", "<｜hy_Assistant｜>"},
        .assistant = {"", "{eos}"},
        .answer = "",
        .omits_empty_system = true,
        .end = "{eos}",
        .has = kHunyuanHas,
        .lacks = {},
    },
    // baidu/ERNIE-4.5-0.3B-PT
    ChatFamily{
        .name = "ernie",
        .begin = "<|begin_of_sentence|>",
        .system = {"", "\n"},
        .user = {"User: ", "\n"},
        .assistant = {"Assistant: ", "<|end_of_sentence|>"},
        .answer = "Assistant: ",
        .end = "<|end_of_sentence|>",
        .has = kErnieHas,
        .lacks = {},
    },
    // openbmb/MiniCPM-1B-sft-bf16, openbmb/MiniCPM-2B-sft-bf16
    ChatFamily{
        .name = "minicpm",
        .begin = "",
        .system = {"", ""},
        .user = {"<用户>", "<AI>"},
        .assistant = {"", ""},
        .answer = "",
        .trim_system = Trim::Both,
        .trim_user = Trim::Both,
        .trim_assistant = Trim::Both,
        .end = "{eos}",
        .has = kMiniCpmHas,
        .lacks = {},
    },
    // allenai/OLMo-2-0425-1B-Instruct
    ChatFamily{
        .name = "olmo2",
        .begin = "{bos}",
        .system = {"<|system|>\n", "\n"},
        .user = {"<|user|>\n", "\n"},
        .assistant = {"<|assistant|>\n", "{eos}\n"},
        .answer = "<|assistant|>\n",
        .end = "{eos}",
        .has = kOlmo2Has,
        .lacks = {},
    },
    // deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B; its prompts begin the thinking
    ChatFamily{
        .name = "deepseek-r1",
        .begin = "{bos}",
        .system = {"", ""},
        .user = {"<｜User｜>", ""},
        .assistant = {"<｜Assistant｜>", "<｜end▁of▁sentence｜>"},
        .answer = "<｜Assistant｜><think>\n",
        .end = "<｜end▁of▁sentence｜>",
        .has = kDeepSeekR1Has,
        .lacks = kDeepSeekR1Lacks,
    },
    // The same models as they were first published; these begin to think by themselves.
    ChatFamily{
        .name = "deepseek",
        .begin = "{bos}",
        .system = {"", ""},
        .user = {"<｜User｜>", ""},
        .assistant = {"<｜Assistant｜>", "<｜end▁of▁sentence｜>"},
        .answer = "<｜Assistant｜>",
        .end = "<｜end▁of▁sentence｜>",
        .has = kDeepSeekHas,
        .lacks = kDeepSeekLacks,
    },
};

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

}  // namespace llmd::tokenizer
