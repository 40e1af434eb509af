#include <array>

#include "engine/chat/chat_family.h"

// Llama and Mistral.

namespace llmd::chat {

namespace {

using std::string_view;

constexpr string_view kLlama2Has[] = {"bos_token+'[INST]'+content", "[/INST]", "<<SYS>>", "<</SYS>>", "eos_token"};
constexpr string_view kLlama3Has[] = {"'<|start_header_id|>'+message['role']+'<|end_header_id|>'", "<|eot_id|>"};
constexpr string_view kLlama31Date = "26Jul2024";
// The others are Functionary's and Cogito's.
constexpr string_view kLlama3Lacks[] = {kLlama31Date, "CuttingKnowledgeDate", ">>>all", "enable_thinking"};
constexpr string_view kLlama31Has[] = {kLlama3Has[0], kLlama3Has[1], "CuttingKnowledgeDate:December2023", kLlama31Date};
// Llama 3.2 Vision, which trims nothing.
constexpr string_view kLlama31Lacks[] = {"<|image|>"};
constexpr string_view kInstruction = "'[INST]'+message['content']+'[/INST]'";
constexpr string_view kSpacedAnswer = "''+message['content']+eos_token";
// Without the first space it is the template of Mistral 7B v0.1 or Mixtral, which take no system message.
constexpr string_view kMistralHas[] = {kInstruction, " [INST] ", "eos_token"};
// These occur in Llama 2's template, in Mistral's later versions, which set other spaces, and in templates whose
// markers are tokens.
constexpr string_view kMistralLacks[] = {"<<SYS>>", "[AVAILABLE_TOOLS]", "[SYSTEM_PROMPT]"};
constexpr string_view kMistralV3Has[] = {kInstruction, "[AVAILABLE_TOOLS]", "''+message['content']|trim+eos_token"};
constexpr string_view kMistralV3TekkenHas[] = {kInstruction, "[AVAILABLE_TOOLS]", "{{-message['content']+eos_token"};
constexpr string_view kMistralLaterLacks[] = {"<<SYS>>", "[SYSTEM_PROMPT]"};
constexpr string_view kMistralV7TekkenHas[] = {kInstruction, "'[SYSTEM_PROMPT]'", "'[/SYSTEM_PROMPT]'",
                                               "[AVAILABLE_TOOLS]"};
constexpr string_view kMistralThought = "'[THINK]'+block['thinking']";
constexpr string_view kMistralV7TekkenLacks[] = {kSpacedAnswer,
                                                 kMistralThought};  // the first: version 7 of SentencePiece
constexpr string_view kMistralV7ThinkingHas[] = {kInstruction, "'[SYSTEM_PROMPT]'", "'[/SYSTEM_PROMPT]'",
                                                 kMistralThought};

using Content = ToolSyntax::Content;
using Fold = ChatFamily::Fold;
using Place = ToolSyntax::Place;
using Spelling = ToolSyntax::Spelling;

constexpr ToolSyntax kLlamaTools = {
    .place = Place::FirstUser,
    .system_preamble = "Environment: ipython\n",
    .tools =
        "Given the following functions, please respond with a JSON for a function call with its proper arguments "
        "that best answers the given prompt.\n\nRespond in the format {\"name\": function name, \"parameters\": "
        "dictionary of argument name and its value}.Do not use variables.\n\n{tools}",
    .tool = "{tool}\n\n",
    .spelling = Spelling::IndentedJson,
    .call = "{\"name\": \"{name}\", \"parameters\": {arguments}}",
    .content = Content::Dropped,
    .one_call = true,
    .in_user_turn = false,
    .result = "<|start_header_id|>ipython<|end_header_id|>\n\n{result}<|eot_id|>",
    .result_gap = "",
    .quotes_result = true,
};
// The template writes the texts of a function, such as its description, without escapes; mistral-common writes JSON.
constexpr ToolSyntax kMistralV3Tools = {
    .place = Place::LastUser,
    .tools = "[AVAILABLE_TOOLS] [{tools}][/AVAILABLE_TOOLS]",
    .tool = "{\"type\": \"function\", \"function\": {tool}}",
    .tool_gap = ", ",
    .spelling = Spelling::FunctionJson,
    .calls = "[TOOL_CALLS] [{calls}]",
    .call = "{\"name\": \"{name}\", \"arguments\": {arguments}, \"id\": \"{id}\"}",
    .call_gap = ", ",
    .content = Content::Dropped,
    .bare_turn = true,
    .short_ids = true,
    .in_user_turn = false,
    .result = "[TOOL_RESULTS] {\"content\": {result}, \"call_id\": \"{id}\"}[/TOOL_RESULTS]",
    .result_gap = "",
};
constexpr ToolSyntax kMistralV3TekkenTools = {
    .place = Place::LastUser,
    .tools = "[AVAILABLE_TOOLS][{tools}][/AVAILABLE_TOOLS]",
    .tool = "{\"type\": \"function\", \"function\": {tool}}",
    .tool_gap = ", ",
    .spelling = Spelling::FunctionJson,
    .calls = "[TOOL_CALLS][{calls}]",
    .call = "{\"name\": \"{name}\", \"arguments\": {arguments}, \"id\": \"{id}\"}",
    .call_gap = ", ",
    .content = Content::Dropped,
    .short_ids = true,
    .in_user_turn = false,
    .result = "[TOOL_RESULTS]{\"content\": {result}, \"call_id\": \"{id}\"}[/TOOL_RESULTS]",
    .result_gap = "",
};
constexpr ToolSyntax kMistralV7Tools = {
    .place = Place::AfterSystem,
    .tools = "[AVAILABLE_TOOLS][{tools}][/AVAILABLE_TOOLS]",
    .tool_gap = ", ",
    .call = "[TOOL_CALLS]{name}[ARGS]{arguments}",
    .call_gap = "",
    .content_gap = "",
    .in_user_turn = false,
    .result = "[TOOL_RESULTS]{result}[/TOOL_RESULTS]",
    .result_gap = "",
};
constexpr ThinkingSyntax kMistralThinking = {
    .open = "[THINK]",
    .close = "[/THINK]",
    .kept = ThinkingSyntax::Kept::All,
    .turn = "[THINK]{thinking}[/THINK]",
};

// Each row writes what the template in the tokenizer_config.json of the models named above it writes.
constexpr std::array kLlamaFamilies = {
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
    // meta-llama/Meta-Llama-3-8B-Instruct
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
        .lacks = kLlama3Lacks,
    },
    // meta-llama/Llama-3.1-8B-Instruct, meta-llama/Llama-3.2-1B-Instruct. The second date is the template's default;
    // the current date would change answers overnight.
    ChatFamily{
        .name = "llama3.1",
        .begin = "{bos}",
        .system = {"<|start_header_id|>system<|end_header_id|>\n\n", "<|eot_id|>"},
        .user = {"<|start_header_id|>user<|end_header_id|>\n\n", "<|eot_id|>"},
        .assistant = {"<|start_header_id|>assistant<|end_header_id|>\n\n", "<|eot_id|>"},
        .answer = "<|start_header_id|>assistant<|end_header_id|>\n\n",
        .trim_system = Trim::Both,
        .trim_user = Trim::Both,
        .trim_assistant = Trim::Both,
        .system_preamble = "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n",
        .end = "<|eot_id|>",
        .calls = &kLlamaCalls,
        .tools = &kLlamaTools,
        .has = kLlama31Has,
        .lacks = kLlama31Lacks,
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
        .calls = &kMistralListCalls,
        .tools = &kMistralV3Tools,
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
        .calls = &kMistralListCalls,
        .tools = &kMistralV3TekkenTools,
        .has = kMistralV3TekkenHas,
        .lacks = kMistralLaterLacks,
    },
    // mistralai/Ministral-3-3B-Instruct-2512
    ChatFamily{
        .name = "mistral-v7-tekken",
        .begin = "{bos}",
        .system = {"[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"},
        .user = {"[INST]", "[/INST]"},
        .assistant = {"", "{eos}"},
        .answer = "",
        .alternates = true,
        .end = "{eos}",
        .calls = &kMistralCalls,
        .tools = &kMistralV7Tools,
        .default_system_after = "set default_system_message =",
        .has = kMistralV7TekkenHas,
        .lacks = kMistralV7TekkenLacks,
    },
    // mistralai/Ministral-3-3B-Reasoning-2512
    ChatFamily{
        .name = "mistral-v7-thinking",
        .begin = "{bos}",
        .system = {"[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"},
        .user = {"[INST]", "[/INST]"},
        .assistant = {"", "{eos}"},
        .answer = "",
        .alternates = true,
        .end = "{eos}",
        .calls = &kMistralCalls,
        .tools = &kMistralV7Tools,
        .thinking = &kMistralThinking,
        .default_system_after = "set default_system_message =",
        .has = kMistralV7ThinkingHas,
        .lacks = {},
    },
};

}  // namespace

std::span<const ChatFamily> llama_families() {
    return kLlamaFamilies;
}

}  // namespace llmd::chat
