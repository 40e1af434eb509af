// The chat formats that models were trained with, as a table. The templates in model files are programs from strangers,
// so llmd does not interpret them; template_text.h recognises a template by the strings that it contains.
// Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/chat/call_syntax.h"
#include "engine/chat/chat_message.h"

namespace llmd::chat {

// The white space around a text that is dropped.
enum class Trim : uint8_t { None, End, Both, Lines, FirstLines };  // Lines: line breaks only; FirstLines: in front

// How a family tells a model of tools, and how it writes calls and results in the history. In its texts a word in
// braces stands for what the name says: {tools}, {tool}, {calls}, {call}, {name}, {arguments}, {id}, {key}, {value},
// {results}, {result}. What comes from the client is text there, never markup.
struct ToolSyntax {
    enum class Place : uint8_t {
        SystemEnd,     // in the system message, behind what it says
        SystemBegin,   // in the system message, before what it says
        AfterSystem,   // behind the system message
        BeforeSystem,  // before the system message
        FirstUser,     // in the first message of the user, before what it says
        LastUser,      // before the last message of the user
    };
    Place place = Place::SystemEnd;
    std::string_view gap = "\n\n";  // between the tools and what the system message says
    // A template whose text contains it has one line break there.
    std::string_view line_gap_has;
    // The family's own system message stays if there are tools. Otherwise it is replaced by
    // TemplateDetails::system_tools.
    bool keeps_default = true;
    std::string_view system_preamble;  // at the begin of the system message, before ChatFamily::system_preamble
    std::string_view tools;            // the list
    std::string_view tool = "{tool}";  // one tool of the list
    std::string_view tool_gap;         // between two
    // FunctionJson: the member `function` alone; IndentedList: all tools as one list, without `tool` and `tool_gap`.
    enum class Spelling : uint8_t { Json, IndentedJson, IndentedList, FunctionJson, Python };
    Spelling spelling = Spelling::Json;

    std::string_view calls = "{calls}";   // the calls of a message
    std::string_view call;                // one of them
    std::string_view call_gap = "\n";     // between two
    std::string_view content_gap = "\n";  // between what the message says and its calls
    enum class Content : uint8_t { Before, After, Dropped };
    Content content = Content::Before;  // where a message with calls has what it says
    bool one_call = false;              // a message has one call at most
    std::string_view argument;          // one argument in place of {arguments}; empty: the JSON object
    std::string_view argument_gap;      // between two
    // How a value is written: a string as it is or in quotes without escapes; a list as JSON or as Python prints it;
    // TextElseJson: what is no string as JSON; Cdata: as Text, a string with '<', '&' or a line break in a CDATA
    // section.
    enum class Value : uint8_t { Text, Quoted, SingleQuoted, TextOrJson, TextElseJson, Cdata };
    Value value = Value::Text;
    bool bare_turn = false;  // a message with calls has no ChatFamily::assistant.before
    bool short_ids = false;  // ids are nine letters and digits; others are replaced by a number

    std::string_view results = "{results}";  // results that follow each other
    bool in_user_turn = true;                // this is what a message of the user says
    std::string_view result;                 // one of them
    std::string_view result_gap = "\n";      // between two
    bool quotes_result = false;              // a result is written as a JSON string
    Trim trim_result = Trim::None;
};

// How a family's models think.
struct ThinkingSyntax {
    std::string_view open, close;  // around the thinking in what a model generates
    bool can_switch = false;       // Thinking::On and Thinking::Off differ
    // The end of the prompt, behind ChatFamily::answer.
    std::string_view by_default, on, off;
    // A template whose text, after normalized(), contains it does not think by default.
    std::string_view off_by_default_has;
    // In place of {mode} in the system message. One that contains such a text, mode_off first, switches the thinking
    // itself, and is written without them.
    std::string_view mode_on, mode_off;
    std::string_view off_turn;  // before what each message of the assistant says, with Thinking::Off

    // Which messages of the assistant keep their thinking.
    enum class Kept : uint8_t {
        None,
        LastTurn,         // the last one
        SinceUserIfAny,   // those behind the last message of the user that have some
        SinceUser,        // the same, and the last message of all
        AlwaysSinceUser,  // those behind the last message of the user
        All,
    };
    Kept kept = Kept::None;
    std::string_view turn;   // {thinking} in a message that keeps it, before what it says
    Trim trim = Trim::None;  // of the thinking; unless None, line breaks before what the message says are dropped
    // A message that has its thinking in its content, up to the last `close`, is taken apart, unless keeps_whole holds
    // and `kept` says that it keeps its thinking.
    bool splits = false, keeps_whole = false;
    Trim trim_split = Trim::None;  // of the content that is left then
};

// The family of a model that was trained with no chat template.
inline constexpr std::string_view kNoFamily = "none";

// In the texts of a family "{bos}" and "{eos}" stand for the model's begin-of-text and end-of-text tokens. Whether a
// prompt begins with the former is up to the template (TemplateDetails::begins).
struct ChatFamily {
    std::string_view name;  // as the setting `chat_template` spells it

    // The texts before and after the content of a message.
    struct Turn {
        std::string_view before, after;
    };
    std::string_view begin;  // before the first message
    Turn system, user, assistant;
    std::string_view answer;  // after the last message, unless the model continues a message of the assistant

    bool alternates = false;  // messages of user and assistant must alternate
    // Whether the system message is a part of the first or the last user message.
    enum class Fold : uint8_t { None, First, Last };
    Fold fold = Fold::None;

    Trim trim_system = Trim::None, trim_user = Trim::None, trim_assistant = Trim::None;
    // White space is dropped around a folded system message and the user message together.
    bool trims_fold = false;
    // A system message that is empty (after what is dropped) counts as none.
    bool omits_empty_system = false;
    std::string_view omits_empty_system_has;  // a template whose text, after normalized(), contains it omits it too
    std::string_view system_preamble;         // at the begin of the system message, which is then always there
    std::string_view preamble_gap;            // behind that, if the message or a tool follows
    std::string_view system_tail;             // at its end if there are no tools

    std::string_view end;  // the model ends its answer with it

    const CallSyntax* calls = &kGenericCalls;  // how its models write calls
    const ToolSyntax* tools = nullptr;         // null: as kGenericTools
    const ThinkingSyntax* thinking = nullptr;  // null: its models do not think

    // This text stands in a template before its own system message (default_system()); empty: it has none.
    std::string_view default_system_after;
    // This text stands behind that and before the system message of Thinking::Off; empty: it is the same.
    std::string_view default_system_off_after;
    // This text stands before the branch that appends to Granite 3's system message if there are tools.
    std::string_view default_system_tools_after;

    // A template is of this family if its text, after normalized(), contains all of `has` and none of `lacks`, and if
    // it has the begin-of-text token nowhere but where the family or TemplateDetails::begins has it. An excerpt with a
    // space is looked for in the text as it is. All of `also_has` count as all of `has`.
    std::span<const std::string_view> has, lacks;
    std::span<const std::string_view> also_has = {};
};

// Values of default_system_after that default_system() reads in another way than a string: the message follows in the
// same string, or is set as kSetSystem; or it is Granite 3's, which has the date in it.
inline constexpr std::string_view kChatMlSystem = "<|im_start|>system";
inline constexpr std::string_view kSetSystem = "set system_message =";
inline constexpr std::string_view kGraniteCutoff = "Knowledge Cutoff Date: April 2024.";

// The form of families without one of their own: an instruction in the system message, bare JSON for calls, and results
// in messages of the user.
extern const ToolSyntax kGenericTools;

// All rows, and those of one file each.
std::span<const ChatFamily> chat_families();
std::span<const ChatFamily> chatml_families();  // chatml_families.cpp
std::span<const ChatFamily> llama_families();   // llama_families.cpp
std::span<const ChatFamily> other_families();   // other_families.cpp
// Returns the names of all families for messages: "none, zephyr, ...".
std::string chat_family_names();

// Returns null if there is no family of that name.
const ChatFamily* find_chat_family(std::string_view name);

// Returns the user-defined tokens that are markers of the family's turns, calls, results or thoughts, in ascending
// order, for Tokenizer::bar_in_conversations(): they are in brackets, and the family's texts have them. Some files say
// of such tokens that they are user-defined, which are found in every text.
std::vector<int32_t> user_defined_markers(const ChatFamily& family, const tokenizer::Tokenizer& tokenizer);

}  // namespace llmd::chat
