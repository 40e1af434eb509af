// Who may have a request handed to a remote, and when: the rules that keep prompts on the device unless its user has
// said otherwise. That a remote's address is safe to send prompts to is checked with the settings, before a remote
// exists. Pure: facts go in, a decision comes out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/caller.h"
#include "base/config.h"
#include "base/error.h"
#include "base/result.h"
#include "platform/network.h"

namespace llmd::handover {

using base::Caller;

// The one of that name; null if there is none.
const base::RemoteSettings* find_remote(std::span<const base::RemoteSettings> remotes, std::string_view name);

// Whether RemoteSettings::apps lists the caller. "host" and "*" are the programs outside of sandboxes, which count as
// one: no other entry lets one of them in, and neither of the two lets a Flatpak or a Snap in. What comes through the
// bridge, or cannot be known, is in no list.
bool may_use(const Caller& caller, const base::RemoteSettings& remote);
// NotAllowed, unless it may. A caller in a sandbox gets the same error for a remote that does not exist: it learns only
// of those of `remotes` that list it.
base::Result<void> check_caller(const Caller& caller, std::string_view remote,
                                std::span<const base::RemoteSettings> remotes);

struct Facts {
    Caller caller;
    bool is_background = false;  // the request's priority
    // Background requests on the device wait now: Directive::run_background is false.
    bool background_waits = false;
    bool goes_to_sleep = false;
    // Nothing: not known yet, as NetworkWatch::network() has it. Where nobody will ever say, a Network of unknowns.
    std::optional<platform::Network> network;
};

struct Decision {
    enum class Action : uint8_t { Send, Wait, Refuse };
    Action action = Action::Send;
    // With Refuse what the request fails with; with Wait why it waits, for status. A caller outside of sandboxes is
    // shown which line of the settings would change it.
    base::Error why;
};
// Whether a request goes to this remote now; asked again for one that waits whenever a fact has changed, and
// for one that is under way, which Refuse ends. Neither memory, heat nor the battery's charge is a fact of it: a remote
// costs the device none of them, and never takes a request because of them.
Decision decide(const base::RemoteSettings& remote, const Facts& facts);

inline constexpr size_t kMaxFallbacks = 4;
// Whether `models` can be the `fallback` of a request for `model`. InvalidArgument names the field, the index and the
// value.
base::Result<void> check_fallback(std::string_view model, std::span<const std::string> models);

// Why a model that was asked does not answer.
struct Failure {
    base::ErrorCode code;
    bool on_device = false;      // it is a model of this device
    bool has_delivered = false;  // the client has been given something of the answer
};
// How far a request has got in its own `fallback`. No other rule ever moves a request to another model or place.
class Fallback {
public:
    // The model to ask after this failure, out of the request's list. Nothing: the failure stands, since no more are
    // listed, something has been delivered, or another model would change nothing. Once the device has refused the
    // request because memory or power are short, models of remotes are passed over.
    std::optional<std::string_view> next(std::span<const std::string> models, const Failure& failure);
    bool has_more(std::span<const std::string> models) const { return n_tried_ < models.size(); }

private:
    size_t n_tried_ = 0;
    bool device_is_short_ = false;
};

}  // namespace llmd::handover
