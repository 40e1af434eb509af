// The syntaxes in which models write tool calls, as data. One table serves three users: the prompt, which shows earlier
// calls, the grammar (generation/constraint/tool_grammar.h), which makes calls well-formed, and the reader
// (answer_reader.h), which finds them in an answer.
// Pure functions and data: any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tokenizer/tokenizer.h"

namespace llmd::chat {

// How a call spells its arguments.
enum class ArgumentSyntax : uint8_t {
    Json,        // one JSON object
    Parameters,  // one element for each parameter, as in XML: text as it is, other values as JSON
    Python,      // keyword arguments: Python's literals, and JSON's
    Braces,      // name:value pairs: strings between <|"|>, other values as JSON
};

// Calls are `begin call (separator call)* end`. A call is
//     call_begin NAME name_end ARGUMENTS call_end
// and its arguments, unless they are JSON, are
//     (parameter_begin NAME parameter_name_end VALUE parameter_end)*
// with parameter_separator between them. In these texts a space or a line break may be left out, except in the marker
// and in parameter_name_end and parameter_end, which enclose text as it is.
struct CallSyntax {
    std::string_view name;  // for messages and tests
    ArgumentSyntax arguments = ArgumentSyntax::Json;
    // Text behind the marker is a call. The marker is the beginning of `begin call_begin`. Empty: calls have no marker.
    // An answer is then a call if it begins with one that names a tool, and nothing stands beside it.
    std::string_view marker;
    std::string_view begin, separator, end;
    std::string_view call_begin, name_end, call_end;
    std::string_view parameter_begin, parameter_name_end, parameter_separator, parameter_end;
    bool many = true;  // an answer may have several calls

    bool is_list() const { return !end.empty(); }
};

// Models that write each are named in call_syntax.cpp.
extern const CallSyntax kHermesCalls;
extern const CallSyntax kExaoneCalls;
extern const CallSyntax kHunyuanCalls;
extern const CallSyntax kMistralCalls;
extern const CallSyntax kMistralListCalls;
extern const CallSyntax kPhi4MiniCalls;
extern const CallSyntax kGranite3Calls;
extern const CallSyntax kLlamaCalls;
extern const CallSyntax kGenericCalls;  // of models without a syntax of their own, which are told this one
extern const CallSyntax kQwenXmlCalls;
extern const CallSyntax kMiniCpm5Calls;
extern const CallSyntax kLfm2Calls;
extern const CallSyntax kGemma4Calls;

// All of the above.
std::span<const CallSyntax* const> call_syntaxes();

// The quotes of strings in ArgumentSyntax::Braces.
inline constexpr std::string_view kBracesQuote = "<|\"|>";

// The texts around what a model thinks before it answers.
struct ThinkingMarkers {
    std::string_view open, close;
    bool operator==(const ThinkingMarkers&) const = default;
};
inline constexpr ThinkingMarkers kThinkTags{"<think>", "</think>"};
inline constexpr ThinkingMarkers kMistralThinking{"[THINK]", "[/THINK]"};
inline constexpr ThinkingMarkers kGemma4Thinking{"<|channel>thought\n", "<channel|>"};
// The white space that models are used to between their thinking and a text.
inline constexpr std::string_view kExactTextGap = "\n\n";

// Returns the control tokens whose text is a part of these markers, in ascending order. Control tokens have no text
// otherwise (Tokenizer::append_bytes()); TokenTrie and StreamDetokenizer take these ids so that grammar and reader see
// the markers. Both must be given the same ids. Tokens that end generation are left out. `syntax` and `thinking` may be
// null.
std::vector<int32_t> marker_tokens(const tokenizer::Tokenizer& tokenizer, const CallSyntax* syntax,
                                   const ThinkingMarkers* thinking);

}  // namespace llmd::chat
