#include "engine/tokenizer/stream_detokenizer.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"

namespace llmd::tokenizer {

StreamDetokenizer::Stop::Stop(std::string stop) : text(std::move(stop)), fallback(text.size() + 1, 0) {
    for (uint32_t length = 2; length <= text.size(); ++length) {
        uint32_t prefix = fallback[length - 1];
        while (prefix > 0 && text[prefix] != text[length - 1]) prefix = fallback[prefix];
        fallback[length] = text[prefix] == text[length - 1] ? prefix + 1 : 0;
    }
}

void StreamDetokenizer::Stop::advance(char byte) {
    while (matched > 0 && text[matched] != byte) matched = fallback[matched];
    if (text[matched] == byte) ++matched;
}

StreamDetokenizer::StreamDetokenizer(const Tokenizer& tokenizer, std::vector<std::string> stops,
                                     std::vector<int32_t> markers)
    : tokenizer_(tokenizer), markers_(std::move(markers)) {
    for (std::string& stop : stops) {
        // The output is clean text, so no other stop string can occur in it.
        if (!stop.empty() && base::is_clean_text(stop)) stops_.emplace_back(std::move(stop));
    }
}

std::string StreamDetokenizer::push(int32_t id, bool may_stop) {
    if (stopped()) return {};
    may_stop_ = may_stop;
    if (std::binary_search(markers_.begin(), markers_.end(), id)) {
        bytes_ += tokenizer_.token_text(id);
    } else {
        tokenizer_.append_bytes(id, bytes_);
    }
    take_characters(false);
    return take_certain();
}

std::string StreamDetokenizer::finish() {
    if (stopped()) return {};
    take_characters(true);
    return std::exchange(held_, {});
}

void StreamDetokenizer::take_characters(bool at_end) {
    size_t at = 0;
    while (at < bytes_.size() && !stopped()) {
        const std::string_view rest = std::string_view(bytes_).substr(at);
        const base::Utf8Step step = base::next_utf8(rest);
        if (step.status == base::Utf8Status::Incomplete && !at_end) break;
        take_character(base::is_clean(step) ? rest.substr(0, step.length) : base::kReplacementCharacter);
        at += step.length;
    }
    bytes_.erase(0, at);
}

void StreamDetokenizer::take_character(std::string_view character) {
    held_ += character;
    const Stop* found = nullptr;  // the longest stop string that is complete now
    for (Stop& stop : stops_) {
        if (!may_stop_) {
            stop.matched = 0;
            continue;
        }
        for (const char byte : character) stop.advance(byte);
        const bool is_complete = stop.matched == stop.text.size();
        if (is_complete && (!found || stop.text.size() > found->text.size())) found = &stop;
    }
    if (found) {
        found_ = found->text;
        held_.resize(held_.size() - found_.size());
    }
}

std::string StreamDetokenizer::take_certain() {
    size_t uncertain = 0;
    if (!stopped()) {
        for (const Stop& stop : stops_) uncertain = std::max<size_t>(uncertain, stop.matched);
    }
    std::string certain = held_.substr(0, held_.size() - uncertain);
    held_.erase(0, certain.size());
    return certain;
}

}  // namespace llmd::tokenizer
