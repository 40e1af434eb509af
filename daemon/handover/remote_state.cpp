#include "handover/remote_state.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/json_writer.h"

namespace llmd::handover {

namespace {

using base::ErrorCode;
using std::chrono::seconds;

}  // namespace

base::Error without_address(base::Error error, std::string_view remote) {
    std::string_view words;
    if (error.code == ErrorCode::RemoteUnreachable) words = "could not be reached";
    if (error.code == ErrorCode::RemoteRefused)
        words = "does not let llmd in, or is not the one that the settings name";
    if (error.code == ErrorCode::RemoteLost) words = "was lost in the middle of the text";
    if (error.code == ErrorCode::NotReady)
        words = "is not ready, or its settings have a mistake";  // it may name a file
    if (error.code == ErrorCode::Failed) words = "cannot be asked";
    if (!words.empty()) error.message = base::concat("the remote ", base::in_quotes(remote), ' ', words);
    return error;
}

std::optional<base::Error> RemoteState::refusal(bool sandboxed, base::TimePoint now) const {
    const std::string reason = sandboxed || reason_.empty() ? "" : ": " + reason_;
    if (state_ == State::Away && now < retry_at_) {
        const seconds left = words(now).retry_in;
        base::Error error = base::fail(ErrorCode::RemoteUnreachable, "the remote ", base::in_quotes(name_),
                                       " could not be reached; it is tried again in ", left.count(), " s", reason);
        error.retry_after = left;
        return error;
    }
    if (state_ == State::Off) {
        return base::fail(ErrorCode::RemoteRefused, "the remote ", base::in_quotes(name_),
                          " is not asked until the settings are read again", reason);
    }
    return std::nullopt;
}

void RemoteState::begin(base::TimePoint now) {
    ++in_flight_;
    last_use_ = now;
}

void RemoteState::accepted(base::TimePoint now) {
    // Only settings turn it on again: what ends well now was accepted before.
    if (state_ == State::Off) return;
    away_for_ = seconds(0);
    become(State::Ready, now);
}

void RemoteState::left(base::TimePoint now) {
    if (in_flight_ != 0) --in_flight_;
    last_use_ = now;
}

void RemoteState::end(const std::optional<base::Error>& error, base::TimePoint now) {
    left(now);
    if (!error) return accepted(now);
    last_error_ = base::error_name(error->code);
    // The words of other errors are for whoever asked: a server may repeat the prompt.
    if (error->code == ErrorCode::RemoteRefused || error->code == ErrorCode::RemoteUnreachable) {
        last_error_ += ": " + error->message;
    }
    if (state_ == State::Off) return;
    if (error->code == ErrorCode::RemoteRefused) {
        reason_ = error->message;
        become(State::Off, now);
    } else if (error->code == ErrorCode::RemoteUnreachable) {
        // Requests that were under way together fail together, and are one try.
        if (state_ == State::Away && now < retry_at_) return;
        reason_ = error->message;
        away_for_ = away_for_ == seconds(0) ? kFirstAway : std::min(away_for_ * 2, kLongestAway);
        retry_at_ = now + away_for_;
        become(State::Away, now);
    }
}

void RemoteState::network_changed() {
    away_for_ = seconds(0);
    if (state_ == State::Away) retry_at_ = {};
}

void RemoteState::reload() {
    if (state_ == State::Away || state_ == State::Off) state_ = State::Unused;
    away_for_ = seconds(0);
    reason_.clear();
}

RemoteState::Words RemoteState::words(base::TimePoint now) const {
    const auto ago = [now](base::TimePoint then) {
        return std::max(std::chrono::floor<seconds>(now - then), seconds(0));
    };
    constexpr std::array<std::string_view, 4> kStates = {"unused", "ready", "away", "off"};
    Words words;
    words.state = kStates[static_cast<size_t>(state_)];
    if (state_ != State::Unused) words.since = ago(since_);
    if (state_ == State::Away) words.retry_in = std::max(std::chrono::ceil<seconds>(retry_at_ - now), seconds(0));
    words.last_error = last_error_;
    if (last_use_) words.last_use = ago(*last_use_);
    words.in_flight = in_flight_;
    return words;
}

void RemoteState::become(State state, base::TimePoint now) {
    if (std::exchange(state_, state) != state) since_ = now;
}

}  // namespace llmd::handover
