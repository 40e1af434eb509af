#include <array>

#include "engine/chat/chat_family.h"

// ChatML and what has grown from it.

namespace llmd::chat {

namespace {

using std::string_view;

constexpr string_view kTurn = "'<|im_start|>'+message['role']";
constexpr string_view kThinkingTurn = "'<|im_start|>'+message['role']+'<think>'+reasoning_content";
constexpr string_view kThinkingAnswer = "'<|im_start|>assistant<think>'";
constexpr string_view kThinkingAnswerApart = "{{-'<think>'}}";
constexpr string_view kSmolLm3Header = "'ReasoningMode:'+reasoning_mode";
constexpr string_view kLfm2System = "'<|im_start|>system'+ns.system_prompt+'<|im_end|>'";
constexpr string_view kLfm2ToolList = "<|tool_list_start|>";
constexpr string_view kPhi4Separator = "<|im_sep|>";
constexpr string_view kToolTags = "<tools></tools>";
constexpr string_view kXmlCall = "<function=";
constexpr string_view kPydantic = "pydantic";
constexpr string_view kDatabricks = "system_message|trim";  // DBRX
constexpr string_view kCogito = "Enable deep thinking subroutine";
constexpr string_view kSmolLm3ToolList = "###Tools";
constexpr string_view kLfm2LineGap = "(\"\\n\" if ns.system_prompt";
constexpr string_view kLfm25LateCalls = "_has_cfm";
constexpr string_view kQwen36Value = "args_value|stringifargs_valueisstringelseargs_value|tojson";
constexpr string_view kChatMlHas[] = {kTurn, "<|im_end|>"};
// The last two occur in templates that describe tools in other words: Hermes 2 and 3, MiniCPM3; Qwen3-Coder.
constexpr string_view kChatMlLacks[] = {kPhi4Separator, kThinkingTurn, kThinkingAnswer, kThinkingAnswerApart,
                                        kSmolLm3Header, kLfm2System,   kToolTags,       kPydantic,
                                        kXmlCall,       kDatabricks};
// User and answer in one string, as in 01-ai/Yi-Coder-1.5B-Chat, PowerInfer/SmallThinker-3B-Preview
constexpr string_view kChatMlAlsoHas[] = {"'<|im_start|>user'+content+'<|im_end|><|im_start|>assistant'",
                                          "'<|im_start|>system'+system_message+'<|im_end|>'"};
constexpr string_view kQwen25FirstTools = "{{\\'name\\':<function-name>";
constexpr string_view kQwen25FirstHas[] = {kTurn, "<|im_end|>", kToolTags, kQwen25FirstTools};
constexpr string_view kQwen25FirstLacks[] = {kPydantic};
constexpr string_view kHermesHas[] = {kTurn, "<|im_end|>", kToolTags};
constexpr string_view kHermesLacks[] = {kPhi4Separator, kThinkingTurn, kThinkingAnswer, kThinkingAnswerApart,
                                        kSmolLm3Header, kLfm2System,   kPydantic,       kQwen25FirstTools,
                                        kCogito};
constexpr string_view kThinkingSwitch = "enable_thinking";
constexpr string_view kQwen3Has[] = {kThinkingTurn, "<|im_end|>", kThinkingSwitch};
constexpr string_view kQwen3InstructHas[] = {kThinkingTurn, "<|im_end|>"};
constexpr string_view kQwen3InstructLacks[] = {kThinkingAnswer, kThinkingAnswerApart, "{{-bos_token}}",
                                               kThinkingSwitch};
constexpr string_view kQwen3Lacks[] = {kThinkingAnswer, kThinkingAnswerApart, "{{-bos_token}}"};
constexpr string_view kQwen3ThinkingHas[] = {kThinkingTurn, kThinkingAnswer};
constexpr string_view kQwen3ThinkingLacks[] = {kXmlCall};
constexpr string_view kQwen35Has[] = {kThinkingTurn, kThinkingAnswerApart, kXmlCall};
constexpr string_view kQwen35Lacks[] = {"{{-bos_token}}", kQwen36Value};
constexpr string_view kQwen36Has[] = {kThinkingTurn, kThinkingAnswerApart, kXmlCall, kQwen36Value};
constexpr string_view kQwen36Lacks[] = {"{{-bos_token}}"};
constexpr string_view kSmolLm3Has[] = {kTurn, kSmolLm3Header, kSmolLm3ToolList};
constexpr string_view kSmolLm3UnslothHas[] = {kTurn, kSmolLm3Header, "{{-'<|im_end|>'-}}"};
constexpr string_view kSmolLm3UnslothLacks[] = {kSmolLm3ToolList};
constexpr string_view kLfm2Has[] = {kTurn, "{{-bos_token-}}", kLfm2System, kLfm2ToolList};
constexpr string_view kLfm25Has[] = {kTurn, "{{-bos_token-}}", kLfm2System};
constexpr string_view kLfm25Lacks[] = {kLfm2ToolList, kLfm25LateCalls};
constexpr string_view kLfm25LateCallsHas[] = {kTurn, "{{-bos_token-}}", kLfm2System, kLfm25LateCalls};
constexpr string_view kLfm25LateCallsLacks[] = {kLfm2ToolList};
constexpr string_view kMiniCpm5Has[] = {kThinkingTurn, "{{-bos_token}}", kThinkingAnswerApart};

constexpr ToolSyntax kHermesTools = {
    .tools =
        "# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with "
        "function signatures within <tools></tools> XML tags:\n<tools>{tools}\n</tools>\n\nFor each function call, "
        "return a json object with function name and arguments within <tool_call></tool_call> XML "
        "tags:\n<tool_call>\n{\"name\": <function-name>, \"arguments\": <args-json-object>}\n</tool_call>",
    .tool = "\n{tool}",
    .call = "<tool_call>\n{\"name\": \"{name}\", \"arguments\": {arguments}}\n</tool_call>",
    .result = "<tool_response>\n{result}\n</tool_response>",
};
constexpr ToolSyntax kQwen25FirstForm = [] {
    ToolSyntax tools = kHermesTools;
    tools.tools =
        "# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with "
        "function signatures within <tools></tools> XML tags:\n<tools>{tools}\n</tools>\n\nFor each function call, "
        "return a json object with function name and arguments within <tool_call></tool_call> XML "
        "tags:\n<tool_call>\n{{\"name\": <function-name>, \"arguments\": <args-json-object>}}\n</tool_call>";
    return tools;
}();
constexpr ToolSyntax kQwenXmlTools = {
    .place = ToolSyntax::Place::SystemBegin,
    .tools =
        "# Tools\n\nYou have access to the following functions:\n\n<tools>{tools}\n</tools>\n\nIf you choose to call a "
        "function ONLY reply in the following format with NO "
        "suffix:\n\n<tool_call>\n<function=example_function_name>\n<parameter=example_parameter_1>\nvalue_1\n"
        "</parameter>\n<parameter=example_parameter_2>\nThis is the value for the second parameter\nthat can "
        "span\nmultiple lines\n</parameter>\n</function>\n</tool_call>\n\n<IMPORTANT>\nReminder:\n- Function calls "
        "MUST follow the specified format: an inner <function=...></function> block must be nested within "
        "<tool_call></tool_call> XML tags\n- Required parameters MUST be specified\n- You may provide optional "
        "reasoning for your function call in natural language BEFORE the function call, but NOT after\n- If there "
        "is no function call available, answer the question like normal with your current knowledge and do not "
        "tell the user about function calls\n</IMPORTANT>",
    .tool = "\n{tool}",
    .call = "<tool_call>\n<function={name}>\n{arguments}</function>\n</tool_call>",
    .content_gap = "\n\n",
    .argument = "<parameter={key}>\n{value}\n</parameter>\n",
    .value = ToolSyntax::Value::TextOrJson,
    .result = "<tool_response>\n{result}\n</tool_response>",
    .trim_result = Trim::Both,
};
constexpr ToolSyntax kQwen36Tools = [] {
    ToolSyntax tools = kQwenXmlTools;
    tools.value = ToolSyntax::Value::TextElseJson;
    return tools;
}();
// The template writes what the assistant says and nothing of its calls: the message that makes one contains it.
constexpr ToolSyntax kSmolLm3Tools = {
    .tools =
        "### Tools\n\nYou may call one or more functions to assist with the user query.\nYou are provided with "
        "function signatures within <tools></tools> XML tags:\n\n<tools>\n{tools}</tools>\n\nFor each function call, "
        "return a json object with function name and arguments within <tool_call></tool_call> XML "
        "tags:\n<tool_call>\n{\"name\": <function-name>, \"arguments\": <args-json-object>}\n</tool_call>\n\n"
        "<|im_end|>\n",
    .tool = "{tool}\n",
    .spelling = ToolSyntax::Spelling::Python,
    .call = "<tool_call>\n{\"name\": \"{name}\", \"arguments\": {arguments}}\n</tool_call>",
    .in_user_turn = false,
    .result = "<|im_start|>user\n{result}<|im_end|>\n",
    .result_gap = "",
};
// The template writes what the assistant says and nothing of its calls: the message that makes one contains it.
constexpr ToolSyntax kLfm2Tools = {
    .gap = "\n",
    .tools = "List of tools: <|tool_list_start|>[{tools}]<|tool_list_end|>",
    .tool_gap = ", ",
    .calls = "<|tool_call_start|>[{calls}]<|tool_call_end|>",
    .call = "{name}({arguments})",
    .call_gap = ", ",
    .content_gap = "",
    .content = ToolSyntax::Content::After,
    .argument = "{key}={value}",
    .argument_gap = ", ",
    .value = ToolSyntax::Value::Quoted,
    .in_user_turn = false,
    .result = "<|im_start|>tool\n<|tool_response_start|>{result}<|tool_response_end|><|im_end|>\n",
    .result_gap = "",
};
// The same is true of the first templates of LFM2.5, which have a line break before the tools.
constexpr ToolSyntax kLfm25Tools = {
    .line_gap_has = kLfm2LineGap,
    .tools = "List of tools: [{tools}]",
    .tool_gap = ", ",
    .calls = "<|tool_call_start|>[{calls}]<|tool_call_end|>",
    .call = "{name}({arguments})",
    .call_gap = ", ",
    .content_gap = "",
    .content = ToolSyntax::Content::After,
    .argument = "{key}={value}",
    .argument_gap = ", ",
    .value = ToolSyntax::Value::Quoted,
    .in_user_turn = false,
    .result = "<|im_start|>tool\n{result}<|im_end|>\n",
    .result_gap = "",
};
constexpr ToolSyntax kLfm25LateTools = [] {
    ToolSyntax tools = kLfm25Tools;
    tools.content = ToolSyntax::Content::Before;
    tools.value = ToolSyntax::Value::SingleQuoted;
    return tools;
}();
constexpr ToolSyntax kMiniCpm5Tools = {
    .tools =
        "# Tools\n\nYou are provided with function signatures within <tools></tools> XML "
        "tags:\n<tools>{tools}\n</tools>\n\nTool usage guidelines:\n- You may call zero or more functions. If no "
        "function calls are needed, just answer normally and do not include any <function ... </function>.\n- When "
        "calling a function, return an XML object within <function ... </function> using:\n<function "
        "name=\"function-name\"><param name=\"param-name\">param-value</param></function>\n- param-value may be "
        "multi-line. If it contains <, & or newline characters, wrap it in a CDATA block: <param "
        "name=\"param-name\"><![CDATA[...multi-line value...]]></param>",
    .tool = "\n{tool}",
    .call = "<function name=\"{name}\">{arguments}</function>",
    .argument = "<param name=\"{key}\">{value}</param>",
    .value = ToolSyntax::Value::Cdata,
    .result = "<tool_response>\n{result}\n</tool_response>",
};

constexpr string_view kNoThought = "<think>\n\n</think>\n\n";
constexpr ThinkingSyntax kQwen3Thinking = {
    .open = "<think>",
    .close = "</think>",
    .can_switch = true,
    .off = kNoThought,
    .kept = ThinkingSyntax::Kept::SinceUser,
    .turn = "<think>\n{thinking}\n</think>\n\n",
    .trim = Trim::Lines,
    .splits = true,
    .trim_split = Trim::FirstLines,
};
constexpr ThinkingSyntax kQwen3InstructThinking = [] {
    ThinkingSyntax thinking = kQwen3Thinking;
    thinking.can_switch = false;
    thinking.off = {};
    return thinking;
}();
constexpr ThinkingSyntax kQwen3AlwaysThinking = [] {
    ThinkingSyntax thinking = kQwen3InstructThinking;
    thinking.by_default = thinking.on = thinking.off = "<think>\n";
    return thinking;
}();
// The templates of the smallest models do not think by default.
constexpr ThinkingSyntax kQwen35Thinking = {
    .open = "<think>",
    .close = "</think>",
    .can_switch = true,
    .by_default = "<think>\n",
    .on = "<think>\n",
    .off = kNoThought,
    .off_by_default_has = "enable_thinkingisdefinedandenable_thinkingistrue",
    .kept = ThinkingSyntax::Kept::AlwaysSinceUser,
    .turn = "<think>\n{thinking}\n</think>\n\n",
    .trim = Trim::Both,
    .splits = true,
    .trim_split = Trim::FirstLines,
};
constexpr ThinkingSyntax kSmolLm3Thinking = {
    .open = "<think>",
    .close = "</think>",
    .can_switch = true,
    .off = "<think>\n\n</think>\n",
    .mode_on = "/think",
    .mode_off = "/no_think",
    .off_turn = "<think>\n\n</think>\n",
};
constexpr ThinkingSyntax kLfm25Thinking = {
    .open = "<think>",
    .close = "</think>",
    .kept = ThinkingSyntax::Kept::LastTurn,
    .turn = "<think>{thinking}</think>",
    .splits = true,
    .keeps_whole = true,
    .trim_split = Trim::Both,
};
constexpr ThinkingSyntax kLfm25LateThinking = [] {
    ThinkingSyntax thinking = kLfm25Thinking;
    thinking.kept = ThinkingSyntax::Kept::SinceUserIfAny;
    return thinking;
}();
// The template thinks if it is told to, does not if it is told not to, and leaves it to the model by default.
constexpr ThinkingSyntax kMiniCpm5Thinking = {
    .open = "<think>",
    .close = "</think>",
    .can_switch = true,
    .on = "<think>\n",
    .off = kNoThought,
    .kept = ThinkingSyntax::Kept::SinceUserIfAny,
    .turn = "<think>\n{thinking}\n</think>\n\n",
    .trim = Trim::Lines,
    .splits = true,
    .trim_split = Trim::FirstLines,
};

// Qwen/Qwen2.5-0.5B-Instruct, Qwen/Qwen3-4B-Instruct-2507
constexpr ChatFamily kHermes = {
    .name = "hermes",
    .begin = "",
    .system = {"<|im_start|>system\n", "<|im_end|>\n"},
    .user = {"<|im_start|>user\n", "<|im_end|>\n"},
    .assistant = {"<|im_start|>assistant\n", "<|im_end|>\n"},
    .answer = "<|im_start|>assistant\n",
    .end = "<|im_end|>",
    .calls = &kHermesCalls,
    .tools = &kHermesTools,
    .default_system_after = kChatMlSystem,
    .has = kHermesHas,
    .lacks = kHermesLacks,
};
// Qwen/Qwen3-0.6B to 4B
constexpr ChatFamily kQwen3 = {
    .name = "qwen3",
    .begin = "",
    .system = {"<|im_start|>system\n", "<|im_end|>\n"},
    .user = {"<|im_start|>user\n", "<|im_end|>\n"},
    .assistant = {"<|im_start|>assistant\n", "<|im_end|>\n"},
    .answer = "<|im_start|>assistant\n",
    .end = "<|im_end|>",
    .calls = &kHermesCalls,
    .tools = &kHermesTools,
    .thinking = &kQwen3Thinking,
    .default_system_after = kChatMlSystem,
    .has = kQwen3Has,
    .lacks = kQwen3Lacks,
};
// Qwen/Qwen3.5-0.8B to 9B
constexpr ChatFamily kQwen35 = {
    .name = "qwen3.5",
    .begin = "",
    .system = {"<|im_start|>system\n", "<|im_end|>\n"},
    .user = {"<|im_start|>user\n", "<|im_end|>\n"},
    .assistant = {"<|im_start|>assistant\n", "<|im_end|>\n"},
    .answer = "<|im_start|>assistant\n",
    .trim_system = Trim::Both,
    .trim_user = Trim::Both,
    .trim_assistant = Trim::Both,
    .end = "<|im_end|>",
    .calls = &kQwenXmlCalls,
    .tools = &kQwenXmlTools,
    .thinking = &kQwen35Thinking,
    .has = kQwen35Has,
    .lacks = kQwen35Lacks,
};
// HuggingFaceTB/SmolLM3-3B, without the line "Today Date: " of its header. Its system message ends with a marker only
// if there are tools.
constexpr ChatFamily kSmolLm3 = {
    .name = "smollm3",
    .begin = "",
    .system = {"<|im_start|>system\n## Metadata\n\nKnowledge Cutoff Date: June 2025\nReasoning Mode: {mode}\n\n"
               "## Custom Instructions\n\n",
               ""},
    .user = {"<|im_start|>user\n", "<|im_end|>\n"},
    .assistant = {"<|im_start|>assistant\n", "<|im_end|>\n"},
    .answer = "<|im_start|>assistant\n",
    .trim_system = Trim::End,
    .trim_assistant = Trim::FirstLines,
    .omits_empty_system = true,
    .system_tail = "\n\n",
    .end = "<|im_end|>",
    .calls = &kHermesCalls,
    .tools = &kSmolLm3Tools,
    .thinking = &kSmolLm3Thinking,
    .default_system_after = "elif reasoning_mode == \"/think\" -%}",
    .default_system_off_after = "{%- else -%}",
    .has = kSmolLm3Has,
    .lacks = {},
};
// LiquidAI/LFM2.5-1.2B-Instruct, without the line "Today's date: " before its tools
constexpr ChatFamily kLfm25 = {
    .name = "lfm2.5",
    .begin = "{bos}",
    .system = {"<|im_start|>system\n", "<|im_end|>\n"},
    .user = {"<|im_start|>user\n", "<|im_end|>\n"},
    .assistant = {"<|im_start|>assistant\n", "<|im_end|>\n"},
    .answer = "<|im_start|>assistant\n",
    .omits_empty_system = true,
    .end = "<|im_end|>",
    .calls = &kLfm2Calls,
    .tools = &kLfm25Tools,
    .thinking = &kLfm25Thinking,
    .has = kLfm25Has,
    .lacks = kLfm25Lacks,
};

// Each row writes what the template in the tokenizer_config.json of the models named above it writes.
constexpr std::array kChatMlFamilies = {
    // HuggingFaceTB/SmolLM2-135M-Instruct, teknium/OpenHermes-2.5-Mistral-7B, openbmb/MiniCPM4-0.5B
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
        .also_has = kChatMlAlsoHas,
    },
    kHermes,
    // Qwen/Qwen2.5-0.5B-Instruct-GGUF, which explains calls with two braces
    [] {
        ChatFamily family = kHermes;
        family.name = "qwen2.5-first";
        family.tools = &kQwen25FirstForm;
        family.has = kQwen25FirstHas;
        family.lacks = kQwen25FirstLacks;
        return family;
    }(),
    kQwen3,
    // unsloth/Qwen3-4B-Instruct-2507-GGUF: the model does not think, and its template has no switch.
    [] {
        ChatFamily family = kQwen3;
        family.name = "qwen3-instruct";
        family.thinking = &kQwen3InstructThinking;
        family.has = kQwen3InstructHas;
        family.lacks = kQwen3InstructLacks;
        return family;
    }(),
    // Qwen/Qwen3-4B-Thinking-2507
    [] {
        ChatFamily family = kQwen3;
        family.name = "qwen3-thinking";
        family.thinking = &kQwen3AlwaysThinking;
        family.has = kQwen3ThinkingHas;
        family.lacks = kQwen3ThinkingLacks;
        return family;
    }(),
    kQwen35,
    // Qwen/Qwen3.6-35B-A3B
    [] {
        ChatFamily family = kQwen35;
        family.name = "qwen3.6";
        family.tools = &kQwen36Tools;
        family.has = kQwen36Has;
        family.lacks = kQwen36Lacks;
        return family;
    }(),
    kSmolLm3,
    // unsloth/SmolLM3-3B-GGUF. Its system message always ends with a marker, and it knows no tools: where some are
    // offered, they have the form of the family above.
    [] {
        ChatFamily family = kSmolLm3;
        family.name = "smollm3-unsloth";
        family.system_tail = "\n\n<|im_end|>\n";
        family.has = kSmolLm3UnslothHas;
        family.lacks = kSmolLm3UnslothLacks;
        return family;
    }(),
    // LiquidAI/LFM2-1.2B
    ChatFamily{
        .name = "lfm2",
        .begin = "{bos}",
        .system = {"<|im_start|>system\n", "<|im_end|>\n"},
        .user = {"<|im_start|>user\n", "<|im_end|>\n"},
        .assistant = {"<|im_start|>assistant\n", "<|im_end|>\n"},
        .answer = "<|im_start|>assistant\n",
        .omits_empty_system = true,
        .end = "<|im_end|>",
        .calls = &kLfm2Calls,
        .tools = &kLfm2Tools,
        .has = kLfm2Has,
        .lacks = {},
    },
    kLfm25,
    // LiquidAI/LFM2.5-8B-A1B
    [] {
        ChatFamily family = kLfm25;
        family.name = "lfm2.5-8b";
        family.tools = &kLfm25LateTools;
        family.thinking = &kLfm25LateThinking;
        family.has = kLfm25LateCallsHas;
        family.lacks = kLfm25LateCallsLacks;
        return family;
    }(),
    // openbmb/MiniCPM5-1B
    ChatFamily{
        .name = "minicpm5",
        .begin = "{bos}",
        .system = {"<|im_start|>system\n", "<|im_end|>\n"},
        .user = {"<|im_start|>user\n", "<|im_end|>\n"},
        .assistant = {"<|im_start|>assistant\n", "<|im_end|>\n"},
        .answer = "<|im_start|>assistant\n",
        .end = "<|im_end|>",
        .calls = &kMiniCpm5Calls,
        .tools = &kMiniCpm5Tools,
        .thinking = &kMiniCpm5Thinking,
        .has = kMiniCpm5Has,
        .lacks = {},
    },
};

}  // namespace

std::span<const ChatFamily> chatml_families() {
    return kChatMlFamilies;
}

}  // namespace llmd::chat
