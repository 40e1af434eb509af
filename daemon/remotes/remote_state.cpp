#include "remotes/remote_state.h"

#include <algorithm>
#include <utility>

#include "base/json_writer.h"

namespace llmd::remotes {

namespace {

using base::ErrorCode;
using std::chrono::seconds;

}  // namespace

base::Error without_address(base::Error error, std::string_view remote) {
    const auto say = [&](std::string_view words) {
        error.message = base::concat("the remote ", base::in_quotes(remote), ' ', words);
    };
    switch (error.code) {
        case ErrorCode::RemoteUnreachable:
            say("could not be reached");
            break;
        case ErrorCode::RemoteRefused:
            say("does not let llmd in, or is not the one that the settings name");
            break;
        case ErrorCode::RemoteLost:
            say("was lost in the middle of the text");
            break;
        case ErrorCode::NotReady:  // it may name a file of the settings
            say("is not ready, or its settings have a mistake");
            break;
        case ErrorCode::Failed:
            say("cannot be asked");
            break;
        default:
            break;
    }
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
    // The words of other errors are for whoever asked: a server may tell the prompt back.
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
    Words words;
    switch (state_) {
        case State::Unused:
            words.state = "unused";
            break;
        case State::Ready:
            words.state = "ready";
            break;
        case State::Away:
            words.state = "away";
            break;
        case State::Off:
            words.state = "off";
            break;
    }
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

}  // namespace llmd::remotes
