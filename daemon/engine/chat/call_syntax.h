// Stands in for the syntaxes of calls until they are built.
#pragma once

namespace llmd::tokenizer {

struct CallSyntax {};

inline constexpr CallSyntax kHermesCalls, kQwenXmlCalls, kLfm2Calls, kMistralCalls, kMistralListCalls, kPhi4MiniCalls,
    kExaoneCalls, kHunyuanCalls, kMiniCpm5Calls, kLlamaCalls, kGenericCalls;

}  // namespace llmd::tokenizer
