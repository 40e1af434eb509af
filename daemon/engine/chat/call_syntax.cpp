#include "engine/chat/call_syntax.h"

#include <algorithm>
#include <array>

namespace llmd::chat {

// Qwen2.5, Qwen3, Hermes 2 and 3, SmolLM3, Granite 4
constexpr CallSyntax kHermesCalls{
    .name = "hermes",
    .marker = "<tool_call>",
    .begin = "",
    .separator = "\n",
    .end = "",
    .call_begin = "<tool_call>\n{\"name\": \"",
    .name_end = "\", \"arguments\": ",
    .call_end = "}\n</tool_call>",
    .parameter_begin = "",
    .parameter_name_end = "",
    .parameter_separator = "",
    .parameter_end = "",
};

// EXAONE 4
constexpr CallSyntax kExaoneCalls{
    .name = "exaone",
    .marker = "<tool_call>",
    .begin = "",
    .separator = "\n",
    .end = "",
    .call_begin = "<tool_call>{\"name\": \"",
    .name_end = "\", \"arguments\": ",
    .call_end = "}</tool_call>",
    .parameter_begin = "",
    .parameter_name_end = "",
    .parameter_separator = "",
    .parameter_end = "",
};

// Hunyuan 0.5B to 7B
constexpr CallSyntax kHunyuanCalls{
    .name = "hunyuan",
    .marker = "<tool_calls>",
    .begin = "<tool_calls>",
    .separator = "\n",
    .end = "</tool_calls>",
    .call_begin = "<tool_call>",
    .name_end = "\n```json\n",
    .call_end = "\n```</tool_call>",
    .parameter_begin = "",
    .parameter_name_end = "",
    .parameter_separator = "",
    .parameter_end = "",
};

// Ministral 3 and Mistral's models since version 11 of their tokenizer
constexpr CallSyntax kMistralCalls{
    .name = "mistral",
    .marker = "[TOOL_CALLS]",
    .begin = "",
    .separator = "",
    .end = "",
    .call_begin = "[TOOL_CALLS]",
    .name_end = "[ARGS]",
    .call_end = "",
    .parameter_begin = "",
    .parameter_name_end = "",
    .parameter_separator = "",
    .parameter_end = "",
};

// Mistral 7B v0.3, Mistral Nemo
constexpr CallSyntax kMistralListCalls{
    .name = "mistral-list",
    .marker = "[TOOL_CALLS]",
    .begin = "[TOOL_CALLS] [",
    .separator = ", ",
    .end = "]",
    .call_begin = "{\"name\": \"",
    .name_end = "\", \"arguments\": ",
    .call_end = "}",
    .parameter_begin = "",
    .parameter_name_end = "",
    .parameter_separator = "",
    .parameter_end = "",
};

// Phi-4-mini
constexpr CallSyntax kPhi4MiniCalls{
    .name = "phi4-mini",
    .marker = "<|tool_call|>",
    .begin = "<|tool_call|>[",
    .separator = ", ",
    .end = "]<|/tool_call|>",
    .call_begin = "{\"name\": \"",
    .name_end = "\", \"arguments\": ",
    .call_end = "}",
    .parameter_begin = "",
    .parameter_name_end = "",
    .parameter_separator = "",
    .parameter_end = "",
};

// Granite 3
constexpr CallSyntax kGranite3Calls{
    .name = "granite3",
    .marker = "<|tool_call|>",
    .begin = "<|tool_call|>[",
    .separator = ", ",
    .end = "]",
    .call_begin = "{\"name\": \"",
    .name_end = "\", \"arguments\": ",
    .call_end = "}",
    .parameter_begin = "",
    .parameter_name_end = "",
    .parameter_separator = "",
    .parameter_end = "",
};

// Llama 3.1 and 3.2
constexpr CallSyntax kLlamaCalls{
    .name = "llama",
    .marker = "",
    .begin = "",
    .separator = "",
    .end = "",
    .call_begin = "{\"name\": \"",
    .name_end = "\", \"parameters\": ",
    .call_end = "}",
    .parameter_begin = "",
    .parameter_name_end = "",
    .parameter_separator = "",
    .parameter_end = "",
    .many = false,
};

constexpr CallSyntax kGenericCalls{
    .name = "generic",
    .marker = "",
    .begin = "",
    .separator = "",
    .end = "",
    .call_begin = "{\"name\": \"",
    .name_end = "\", \"arguments\": ",
    .call_end = "}",
    .parameter_begin = "",
    .parameter_name_end = "",
    .parameter_separator = "",
    .parameter_end = "",
    .many = false,
};

// Qwen3.5, Qwen3-Coder
constexpr CallSyntax kQwenXmlCalls{
    .name = "qwen-xml",
    .arguments = ArgumentSyntax::Parameters,
    .marker = "<tool_call>",
    .begin = "",
    .separator = "\n",
    .end = "",
    .call_begin = "<tool_call>\n<function=",
    .name_end = ">",
    .call_end = "\n</function>\n</tool_call>",
    .parameter_begin = "\n<parameter=",
    .parameter_name_end = ">\n",
    .parameter_separator = "",
    .parameter_end = "\n</parameter>",
};

// MiniCPM5
constexpr CallSyntax kMiniCpm5Calls{
    .name = "minicpm5",
    .arguments = ArgumentSyntax::Parameters,
    .marker = "<function name=\"",
    .begin = "",
    .separator = "\n",
    .end = "",
    .call_begin = "<function name=\"",
    .name_end = "\">",
    .call_end = "</function>",
    .parameter_begin = "<param name=\"",
    .parameter_name_end = "\">",
    .parameter_separator = "",
    .parameter_end = "</param>",
};

// LFM2, LFM2.5
constexpr CallSyntax kLfm2Calls{
    .name = "lfm2",
    .arguments = ArgumentSyntax::Python,
    .marker = "<|tool_call_start|>",
    .begin = "<|tool_call_start|>[",
    .separator = ", ",
    .end = "]<|tool_call_end|>",
    .call_begin = "",
    .name_end = "(",
    .call_end = ")",
    .parameter_begin = "",
    .parameter_name_end = "=",
    .parameter_separator = ", ",
    .parameter_end = "",
};

// Gemma 4
constexpr CallSyntax kGemma4Calls{
    .name = "gemma4",
    .arguments = ArgumentSyntax::Braces,
    .marker = "<|tool_call>",
    .begin = "",
    .separator = "",
    .end = "",
    .call_begin = "<|tool_call>call:",
    .name_end = "{",
    .call_end = "}<tool_call|>",
    .parameter_begin = "",
    .parameter_name_end = ":",
    .parameter_separator = ",",
    .parameter_end = "",
};

namespace {

constexpr std::array<const CallSyntax*, 13> kSyntaxes = {
    &kGranite3Calls,    &kHermesCalls,   &kExaoneCalls, &kHunyuanCalls, &kMistralCalls,
    &kMistralListCalls, &kPhi4MiniCalls, &kLlamaCalls,  &kGenericCalls, &kQwenXmlCalls,
    &kMiniCpm5Calls,    &kLfm2Calls,     &kGemma4Calls,
};

}  // namespace

std::span<const CallSyntax* const> call_syntaxes() {
    return kSyntaxes;
}

std::vector<int32_t> marker_tokens(const tokenizer::Tokenizer& tokenizer, const CallSyntax* syntax,
                                   const ThinkingMarkers* thinking) {
    std::vector<std::string> markers;
    const auto take = [&](std::string_view text) { markers.emplace_back(text); };
    if (syntax != nullptr) {
        take(syntax->marker);
        take(std::string(syntax->begin).append(syntax->call_begin));
        take(std::string(syntax->separator).append(syntax->call_begin));
        for (const std::string_view text : {syntax->name_end, syntax->call_end, syntax->end, syntax->parameter_begin,
                                            syntax->parameter_name_end, syntax->parameter_end}) {
            take(text);
        }
        if (syntax->arguments == ArgumentSyntax::Braces) take(kBracesQuote);
    }
    if (thinking != nullptr) {
        take(thinking->open);
        take(thinking->close);
    }
    std::vector<int32_t> ids;
    for (uint32_t i = 0; i < tokenizer.vocabulary_size(); ++i) {
        const auto id = static_cast<int32_t>(i);
        if (tokenizer.kind(id) != tokenizer::TokenKind::Control || tokenizer.ends_generation(id)) continue;
        const std::string_view text = tokenizer.token_text(id);
        const bool is_part = std::any_of(markers.begin(), markers.end(), [&](const std::string& marker) {
            return marker.find(text) != std::string::npos;
        });
        if (!text.empty() && is_part) ids.push_back(id);
    }
    return ids;
}

}  // namespace llmd::chat
