#include <array>

#include "engine/chat/chat_family.h"

namespace llmd::chat {

namespace {

using std::string_view;

constexpr string_view kZephyrHas[] = {"'<|user|>'+message['content']+eos_token", "'<|assistant|>'"};
constexpr string_view kGemmaHas[] = {"'<start_of_turn>'+role", "<end_of_turn>"};

constexpr string_view kPhi3Has[] = {"'<|user|>'+message['content']+'<|end|>'"};
// Phi 3 small's template differs by line breaks alone. It has no tools.
constexpr string_view kPhi4MiniHas[] = {"'<|'+message['role']+'|>'+message['content']+'<|end|>'",
                                        "'<|'+message['role']+'|>'+message['content']+'<|tool|>'+message['tools']"};
constexpr string_view kPhi4MiniReasoningHas[] = {"{{'<|system|>YournameisPhi,anAImathexpertdevelopedbyMicrosoft.'}}",
                                                 "'<|'+message['role']+'|>'+message['content']+'<|end|>'"};
constexpr string_view kGraniteTurn = "'<|start_of_role|>'+message['role']+'<|end_of_role|>'+message['content']";
constexpr string_view kGraniteToolRole = "<|start_of_role|>tools<|end_of_role|>";
constexpr string_view kGranite30Has[] = {"<|start_of_role|>assistant<|end_of_role|>", "assistant_tool_call",
                                         "'<|start_of_role|>system<|end_of_role|>'+message['content']",
                                         "<|start_of_role|>available_tools<|end_of_role|>"};
constexpr string_view kGranite31Has[] = {kGraniteTurn, kGraniteToolRole, "KnowledgeCutoffDate:April2024."};
constexpr string_view kGranite3Has[] = {kGraniteTurn, "<|start_of_role|>available_tools<|end_of_role|>",
                                        "KnowledgeCutoffDate:April2024."};
constexpr string_view kGranite4Has[] = {"<|start_of_role|>assistant<|end_of_role|>", "<|end_of_text|>",
                                        "settools_system_message_prefix="};
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
using Spelling = ToolSyntax::Spelling;

// The template has the tools in the system message, as a text of the client's, and no calls: the message that makes one
// contains it.
constexpr ToolSyntax kPhi4MiniTools = {
    .gap = "",
    .tools = "<|tool|>[{tools}]<|/tool|>",
    .tool_gap = ", ",
    .spelling = Spelling::FunctionJson,
    .calls = "<|tool_call|>[{calls}]<|/tool_call|>",
    .call = "{\"name\": \"{name}\", \"arguments\": {arguments}}",
    .call_gap = ", ",
    .content_gap = "",
    .in_user_turn = false,
    .result = "<|tool_response|>{result}<|end|>",
    .result_gap = "",
};
// The templates of Granite 3 have the tools, and no calls: the message that makes some contains them.
constexpr ToolSyntax kGranite3Tools = {
    .place = ToolSyntax::Place::AfterSystem,
    .keeps_default = false,
    .tools = "<|start_of_role|>available_tools<|end_of_role|>{tools}<|end_of_text|>\n",
    .spelling = Spelling::IndentedList,
    .calls = "<|tool_call|>[{calls}]",
    .call = "{\"name\": \"{name}\", \"arguments\": {arguments}}",
    .call_gap = ", ",
    .content_gap = "",
    .in_user_turn = false,
    .result = "<|start_of_role|>tool<|end_of_role|>{result}<|end_of_text|>\n",
    .result_gap = "",
};
constexpr ToolSyntax kGranite31Tools = [] {
    ToolSyntax tools = kGranite3Tools;
    tools.tools = "<|start_of_role|>tools<|end_of_role|>{tools}<|end_of_text|>\n";
    return tools;
}();
constexpr ToolSyntax kGranite30Tools = [] {
    ToolSyntax tools = kGranite3Tools;
    tools.place = ToolSyntax::Place::BeforeSystem;
    tools.tools = "<|start_of_role|>available_tools<|end_of_role|>\n{tools}<|end_of_text|>\n";
    tools.tool_gap = "\n\n";
    tools.spelling = Spelling::IndentedJson;
    tools.result = "<|start_of_role|>tool_response<|end_of_role|>{result}<|end_of_text|>\n";
    return tools;
}();
constexpr ToolSyntax kGranite4Tools = {
    .keeps_default = false,
    .tools =
        "You are a helpful assistant with access to the following tools. You may call one or more tools to assist with "
        "the user query.\n\nYou are provided with function signatures within <tools></tools> XML "
        "tags:\n<tools>{tools}\n</tools>\n\nFor each tool call, return a json object with function name and arguments "
        "within <tool_call></tool_call> XML tags:\n<tool_call>\n{\"name\": <function-name>, \"arguments\": "
        "<args-json-object>}\n</tool_call>. If a tool does not exist in the provided list of tools, notify the user "
        "that you do not have the ability to fulfill the request.",
    .tool = "\n{tool}",
    .call = "<tool_call>\n{\"name\": \"{name}\", \"arguments\": {arguments}}\n</tool_call>",
    .result = "\n<tool_response>\n{result}\n</tool_response>",
    .result_gap = "",
};
constexpr ToolSyntax kExaone4Tools = {
    .tools =
        "# Available Tools\nYou can use none, one, or multiple of the following tools by calling them as functions to "
        "help with the user’s query.\nHere are the tools available to you in JSON format within <tool> and </tool> "
        "tags:\n{tools}\nFor each function call you want to make, return a JSON object with function name and "
        "arguments within <tool_call> and </tool_call> tags, like:\n<tool_call>{\"name\": function_1_name, "
        "\"arguments\": {argument_1_name: argument_1_value, argument_2_name: "
        "argument_2_value}}</tool_call>\n<tool_call>{\"name\": function_2_name, \"arguments\": "
        "{...}}</tool_call>\n...\nNote that if no argument name is specified for a tool, you can just print the "
        "argument value directly, without the argument name or JSON formatting.",
    .tool = "<tool>{tool}</tool>\n",
    .call = "<tool_call>{\"name\": \"{name}\", \"arguments\": {arguments}}</tool_call>",
    .results = "[|tool|]\n{results}[|endofturn|]\n",
    .in_user_turn = false,
    .result = "<tool_result>{\"result\": {result}}</tool_result>",
    .quotes_result = true,
};
constexpr ToolSyntax kHunyuanTools = {
    .tools =
        "# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with "
        "function signatures within <tools></tools> XML tags:\n<tools>\n{tools}\n</tools>\n\nFor function call "
        "returns, you should first print <tool_calls>For each function call, you should return object "
        "like:\n<tool_call>function_name\n```json\nfunction_arguments_in_json_format\n```</tool_call>At the end of "
        "function call returns, you should print </tool_calls>",
    .tool_gap = "\n",
    .calls = "<tool_calls>{calls}</tool_calls>",
    .call = "<tool_call>{name}\n```json\n{arguments}\n```</tool_call>",
    .content_gap = "",
    .results = "<tool_responses>{results}</tool_responses>",
    .result = "<tool_response>{result}</tool_response>",
};
// Answers keep an empty thought in the history; assistant.before has it.
constexpr ThinkingSyntax kExaone4Thinking = {
    .open = "<think>",
    .close = "</think>",
    .can_switch = true,
    .by_default = "<think>\n\n</think>\n\n",
    .on = "<think>\n",
    .off = "<think>\n\n</think>\n\n",
    .splits = true,
    .trim_split = Trim::Both,
};
constexpr ThinkingSyntax kPhi4MiniThinking = {.open = "<think>", .close = "</think>"};
constexpr ThinkingSyntax kHunyuanThinking = {
    .open = "<think>",
    .close = "</think>",
    .can_switch = true,
    .off = "<think>\n\n</think>\n",
};
constexpr ThinkingSyntax kDeepSeekR1Thinking = {
    .open = "<think>",
    .close = "</think>",
    .by_default = "<think>\n",
    .on = "<think>\n",
    .off = "<think>\n",
    .splits = true,
};
constexpr ThinkingSyntax kDeepSeekThinking = {.open = "<think>", .close = "</think>", .splits = true};

// microsoft/Phi-4-mini-instruct
constexpr ChatFamily kPhi4Mini = {
    .name = "phi4-mini",
    .begin = "",
    .system = {"<|system|>", "<|end|>"},
    .user = {"<|user|>", "<|end|>"},
    .assistant = {"<|assistant|>", "<|end|>"},
    .answer = "<|assistant|>",
    .end = "<|end|>",
    .calls = &kPhi4MiniCalls,
    .tools = &kPhi4MiniTools,
    .has = kPhi4MiniHas,
    .lacks = {},
};
// ibm-granite/granite-3.3-2b-instruct
constexpr ChatFamily kGranite3 = {
    .name = "granite3",
    .begin = "",
    .system = {"<|start_of_role|>system<|end_of_role|>", "<|end_of_text|>\n"},
    .user = {"<|start_of_role|>user<|end_of_role|>", "<|end_of_text|>\n"},
    .assistant = {"<|start_of_role|>assistant<|end_of_role|>", "<|end_of_text|>\n"},
    .answer = "<|start_of_role|>assistant<|end_of_role|>",
    .end = "<|end_of_text|>",
    .calls = &kGranite3Calls,
    .tools = &kGranite3Tools,
    .default_system_after = kGraniteCutoff,
    .default_system_tools_after = "elif available_tools %}",
    .has = kGranite3Has,
    .lacks = {},
};

// Each row writes what the template in the tokenizer_config.json of the models named above it writes.
constexpr std::array kOtherFamilies = {
    // This is no model's own format. A base model continues it like the script of a play.
    ChatFamily{
        .name = kNoFamily,
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
    // microsoft/Phi-3-mini-4k-instruct, and as it was first published, when its template dropped system messages;
    // microsoft/Phi-3.5-mini-instruct
    ChatFamily{
        .name = "phi3",
        .begin = "",
        .system = {"<|system|>\n", "<|end|>\n"},
        .user = {"<|user|>\n", "<|end|>\n"},
        .assistant = {"<|assistant|>\n", "<|end|>\n"},
        .answer = "<|assistant|>\n",
        .omits_empty_system_has = "message['role']=='system'andmessage['content']",
        .end = "<|end|>",
        .has = kPhi3Has,
        .lacks = {},
    },
    kPhi4Mini,
    // microsoft/Phi-4-mini-reasoning
    [] {
        ChatFamily family = kPhi4Mini;
        family.name = "phi4-mini-reasoning";
        family.system_preamble = "Your name is Phi, an AI math expert developed by Microsoft.";
        family.preamble_gap = " ";
        family.thinking = &kPhi4MiniThinking;
        family.has = kPhi4MiniReasoningHas;
        return family;
    }(),
    kGranite3,
    // ibm-granite/granite-3.1-2b-instruct, granite-3.2-2b-instruct
    [] {
        ChatFamily family = kGranite3;
        family.name = "granite3.1";
        family.tools = &kGranite31Tools;
        family.default_system_tools_after = "elif tools %}";
        family.has = kGranite31Has;
        return family;
    }(),
    // ibm-granite/granite-3.0-2b-instruct
    [] {
        ChatFamily family = kGranite3;
        family.name = "granite3.0";
        family.tools = &kGranite30Tools;
        family.default_system_after = {};
        family.default_system_tools_after = {};
        family.has = kGranite30Has;
        return family;
    }(),
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
        .calls = &kHermesCalls,
        .tools = &kGranite4Tools,
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
        .answer = "[|assistant|]\n",
        .end = "[|endofturn|]",
        .calls = &kExaoneCalls,
        .tools = &kExaone4Tools,
        .thinking = &kExaone4Thinking,
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
        .calls = &kHunyuanCalls,
        .tools = &kHunyuanTools,
        .thinking = &kHunyuanThinking,
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
        .answer = "<｜Assistant｜>",
        .end = "<｜end▁of▁sentence｜>",
        .thinking = &kDeepSeekR1Thinking,
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
        .thinking = &kDeepSeekThinking,
        .has = kDeepSeekHas,
        .lacks = kDeepSeekLacks,
    },
};

}  // namespace

std::span<const ChatFamily> other_families() {
    return kOtherFamilies;
}

}  // namespace llmd::chat
