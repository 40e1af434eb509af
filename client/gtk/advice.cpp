#include "client/gtk/advice.h"

#include "client/gtk/answer.h"

namespace llmd::gtk {
namespace {

using Next = Advice::Next;

struct Row {
    const char* name;
    const char* happened;
    const char* to_do;
    Next next;
};

constexpr Row kErrors[] = {
    {kNotRunning, "llmd is not running.", "In a terminal, “llmctl doctor” says why, and how to start it.",
     Next::Repeat},
    {kDisconnected, "The answer was cut: llmd has ended.", "Ask for the rest once it is back.", Next::Repeat},
    {"ContextExceeded", "The conversation is too long for this model.",
     "Begin a new chat, or choose a model with a longer context.", Next::NewChat},
    {"PromptTooLong", "The conversation is too long.", "Begin a new chat.", Next::NewChat},
    {"ModelNotFound", "This model is not there any more.", "Choose another one at the top.", Next::Repeat},
    {"ModelLoadFailed", "The model could not be loaded.", "Choose another one at the top.", Next::Repeat},
    {"QueueFull", "llmd has too much to do.", "Try again in a moment.", Next::Repeat},
    {"RateLimited", "llmd has too much to do.", "Try again in a moment.", Next::Repeat},
    {"NotReady", "llmd cannot answer yet.", "Try again in a moment.", Next::Repeat},
    {"OutOfMemory", "There is not enough memory.", "Close other apps, or choose a smaller model at the top.",
     Next::Repeat},
    {"DeviceError", "The device that computes has failed.", "Try again; “llmctl doctor” says more.", Next::Repeat},
    {"Cancelled", "Another program stopped the answer.", "", Next::Repeat},
    {"Timeout", "The answer took too long.", "", Next::Repeat},
    {"Suspended", "The device is going to sleep.", "Try again when it is awake.", Next::Repeat},
    {"ShuttingDown", "llmd is ending.", "Try again in a moment.", Next::Repeat},
    {"NotAllowed", "This app may not use this model.", "Choose another one at the top.", Next::Repeat},
    {"NotSupported", "This model cannot do that.", "Choose another one at the top.", Next::Repeat},
    {"RemoteUnreachable", "The other machine cannot be reached.",
     "Check the network, or choose a model of this device.", Next::Repeat},
    {"RemoteRefused", "The other machine does not let this device in.",
     "Choose a model of this device, or correct the remote's settings.", Next::Repeat},
    {"RemoteLost", "The answer was cut: the other machine was lost.", "Ask for the rest once it is back.",
     Next::Repeat},
};
constexpr Row kOtherError = {"", "llmd could not answer.", "", Next::Repeat};

constexpr Row kEnds[] = {
    {"length", "The answer was cut: the model can hold no longer conversation.", "Begin a new chat.", Next::NewChat},
    {"cancelled", "Another program stopped the answer.", "", Next::Repeat},
    {"timeout", "The answer took too long.", "", Next::Repeat},
};
constexpr Row kOtherEnd = {"", "The answer was cut.", "", Next::Repeat};

template <size_t N>
Advice find(const Row (&rows)[N], const std::string& name, const Row& other) {
    for (const Row& row : rows) {
        if (name == row.name) return {row.happened, row.to_do, row.next};
    }
    return {other.happened, other.to_do, other.next};
}

}  // namespace

Advice advice_for_error(const std::string& name) {
    return find(kErrors, name, kOtherError);
}

Advice advice_for_end(const std::string& finish_reason) {
    return find(kEnds, finish_reason, kOtherEnd);
}

}  // namespace llmd::gtk
