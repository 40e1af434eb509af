#include "engine/chat/answer_reader.h"

#include <algorithm>

#include "base/json_writer.h"

namespace llmd::chat {

namespace {

bool is_space(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

size_t n_spaces(std::string_view text) {
    return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), is_space) - text.begin());
}

}  // namespace

AnswerReader::AnswerReader(const Options& options)
    : syntax_(options.syntax),
      reads_calls_(options.syntax != nullptr && !options.tools.empty()),
      calls_come_first_(options.calls_come_first),
      must_call_(options.must_call),
      text_is_exact_(options.text_is_exact),
      thinking_(options.thinking),
      state_(!options.thinking            ? State::Answer
             : options.begins_in_thinking ? State::Thinking
                                          : State::Start),
      drops_space_(state_ == State::Thinking) {
    for (const Tool& tool : options.tools) tools_.emplace(tool.name, &tool);
}

std::vector<AnswerEvent> AnswerReader::feed(std::string_view piece) {
    for (const char c : piece) take(c);
    return std::exchange(events_, {});
}

std::vector<AnswerEvent> AnswerReader::finish() {
    const bool is_head = state_ == State::Head || state_ == State::Name || state_ == State::NameEnd;
    const bool follows_call = n_calls_ > 0 && drops_space_;  // without text in between
    if (in_call_) {
        events_.push_back({.kind = AnswerEvent::Kind::CallEnd, .text = {}, .call = n_calls_ - 1, .finished = false});
    } else if (state_ == State::Thinking) {
        write_text(AnswerEvent::Kind::Thinking, held_);
    } else if (state_ == State::Gap || must_call_ || follows_call ||
               (is_head && has_marker() && head_.starts_with(syntax_->marker))) {
        space_.clear();
    } else {
        write_text(AnswerEvent::Kind::Text, is_head ? head_ : held_);
        if (!drops_space_) write(AnswerEvent::Kind::Text, std::exchange(space_, {}));
    }
    in_call_ = false;
    held_.clear();
    head_.clear();
    state_ = State::Text;
    return std::exchange(events_, {});
}

void AnswerReader::take(char c) {
    switch (state_) {
        case State::Start:
            return take_start(c);
        case State::Thinking:
            return take_thinking(c);
        case State::Gap:
            return take_gap(c);
        case State::Answer:
            return take_answer(c);
        case State::Text:
            return take_text(c);
        case State::Head:
            return take_head(c);
        case State::Name:
            return take_name(c);
        case State::NameEnd:
            return take_name_end(c);
        case State::JsonArguments:
            return take_json(c);
        case State::Parameters:
            return take_parameters(c);
        case State::ParameterName:
            return take_parameter_name(c);
        case State::ParameterValue:
            return take_parameter_value(c);
        case State::CallEnd:
            return take_call_end(c);
        case State::ListNext:
            return take_list_next(c);
    }
}

void AnswerReader::again(State state) {
    state_ = state;
    const std::string held = std::exchange(held_, {});
    for (const char c : held) take(c);
}

// --- Text and thinking -----------------------------------------------------------------------------------------------

void AnswerReader::take_start(char c) {
    held_ += c;
    const std::string_view begin = std::string_view(held_).substr(text_is_exact_ ? 0 : n_spaces(held_));
    if (begin == thinking_->open) {
        held_.clear();
        state_ = State::Thinking;
        drops_space_ = true;
    } else if (!thinking_->open.starts_with(begin)) {
        again(State::Answer);
    }
}

void AnswerReader::take_thinking(char c) {
    if (!take_until(thinking_->close, c, AnswerEvent::Kind::Thinking)) return;
    space_.clear();
    drops_space_ = !text_is_exact_;
    state_ = text_is_exact_ ? State::Gap : State::Answer;
}

void AnswerReader::take_gap(char c) {
    held_ += c;
    if (held_.size() < kExactTextGap.size()) return;
    held_.clear();
    state_ = State::Answer;
}

void AnswerReader::take_answer(char c) {
    held_ += c;
    const size_t n_space = n_spaces(held_);
    if (n_space == held_.size()) return;
    const bool is_searched = has_marker() && !calls_come_first_;
    if (!reads_calls_ || is_searched || match(head_literal(), std::string_view(held_).substr(n_space)) == Match::No) {
        reads_calls_ = is_searched;
        again(State::Text);
        return;
    }
    space_ = drops_space_ ? std::string() : held_.substr(0, n_space);
    head_ = held_.substr(n_space);
    held_.clear();
    state_ = State::Head;
}

void AnswerReader::take_text(char c) {
    if (!has_marker()) {
        write_text(AnswerEvent::Kind::Text, std::string_view(&c, 1));
    } else if (take_until(syntax_->marker, c, AnswerEvent::Kind::Text)) {
        head_ = syntax_->marker;
        head_.pop_back();
        state_ = State::Head;
        take_head(c);
    }
}

bool AnswerReader::take_until(std::string_view marker, char c, AnswerEvent::Kind kind) {
    held_ += c;
    size_t n_certain = 0;
    while (!marker.starts_with(std::string_view(held_).substr(n_certain))) ++n_certain;
    write_text(kind, std::string_view(held_).substr(0, n_certain));
    held_.erase(0, n_certain);
    if (held_ != marker) return false;
    held_.clear();
    return true;
}

void AnswerReader::write_text(AnswerEvent::Kind kind, std::string_view text) {
    const bool holds_space = kind == AnswerEvent::Kind::Thinking || has_marker();
    std::string certain;
    for (const char c : text) {
        if (is_space(c) && (drops_space_ || holds_space)) {
            space_ += c;
            continue;
        }
        if (!drops_space_) certain += space_;
        space_.clear();
        drops_space_ = false;
        certain += c;
    }
    write(kind, certain);
}

void AnswerReader::write(AnswerEvent::Kind kind, std::string_view text) {
    if (text.empty()) return;
    if (events_.empty() || events_.back().kind != kind) {
        const uint32_t call = kind == AnswerEvent::Kind::CallArguments ? n_calls_ - 1 : 0;
        events_.push_back({.kind = kind, .text = {}, .call = call});
    }
    events_.back().text += text;
}

// --- Calls -----------------------------------------------------------------------------------------------------------

// White space in the literal may be missing in the text. It is full without the white space at its end.
AnswerReader::Match AnswerReader::match(std::string_view literal, std::string_view text) {
    size_t at = 0;
    for (const char c : text) {
        while (at < literal.size() && literal[at] != c && is_space(literal[at])) ++at;
        if (at == literal.size() || literal[at] != c) return Match::No;
        ++at;
    }
    return at + n_spaces(literal.substr(at)) == literal.size() ? Match::Full : Match::Partial;
}

std::string AnswerReader::head_literal() const {
    return std::string(syntax_->begin).append(syntax_->call_begin);
}

void AnswerReader::take_head(char c) {
    head_ += c;
    const Match found = match(head_literal(), head_);
    if (found == Match::No) return fail();
    if (found == Match::Partial) return;
    value_.clear();
    state_ = State::Name;
}

void AnswerReader::take_name(char c) {
    if (is_tool_name_byte(c) && value_.size() < kMaxToolName) {
        head_ += c;
        value_ += c;
        return;
    }
    if (is_space(c) && value_.empty()) {
        head_ += c;
        return;
    }
    const auto found = tools_.find(value_);
    tool_ = found == tools_.end() ? nullptr : found->second;
    held_.clear();
    state_ = State::NameEnd;
    take_name_end(c);
}

void AnswerReader::take_name_end(char c) {
    head_ += c;
    held_ += c;
    const Match found = match(syntax_->name_end, held_);
    if (found == Match::No || tool_ == nullptr) return fail();
    if (found == Match::Full) begin_call();
}

void AnswerReader::begin_call() {
    space_.clear();
    held_.clear();
    head_.clear();
    in_call_ = true;
    events_.push_back({.kind = AnswerEvent::Kind::CallBegin, .text = tool_->name, .call = n_calls_++});
    n_parameters_ = 0;
    scanner_ = ValueScanner(ArgumentSyntax::Json);
    state_ = syntax_->arguments == ArgumentSyntax::Json ? State::JsonArguments : State::Parameters;
}

void AnswerReader::end_call() {
    if (syntax_->arguments != ArgumentSyntax::Json)
        write(AnswerEvent::Kind::CallArguments, n_parameters_ == 0 ? "{}" : "}");
    events_.push_back({.kind = AnswerEvent::Kind::CallEnd, .text = {}, .call = n_calls_ - 1});
    in_call_ = false;
    held_.clear();
    drops_space_ = true;
    state_ = syntax_->is_list() ? State::ListNext : State::Text;
}

void AnswerReader::fail() {
    if (in_call_) {
        events_.push_back({.kind = AnswerEvent::Kind::CallEnd, .text = {}, .call = n_calls_ - 1, .finished = false});
        in_call_ = false;
        drops_space_ = true;
    } else if (n_calls_ == 0 && calls_come_first_) {
        reads_calls_ = false;
    }
    // The head of what is no call is text, in which another marker may begin.
    if (!head_.empty()) held_ = std::exchange(head_, {});
    state_ = State::Text;
    if (held_.empty()) return;
    const char first = held_.front();
    held_.erase(0, 1);
    write_text(AnswerEvent::Kind::Text, std::string_view(&first, 1));
    again(State::Text);
}

void AnswerReader::take_json(char c) {
    if (held_.empty() && is_space(c)) return;
    const bool is_first = held_.empty();
    held_ = c;  // only to tell the first byte
    if (is_first && c != '{') return fail();
    scanner_.take(c);
    write(AnswerEvent::Kind::CallArguments, held_);
    if (!scanner_.is_whole()) return;
    held_.clear();
    state_ = State::CallEnd;
    if (syntax_->call_end.empty()) end_call();
}

void AnswerReader::take_call_end(char c) {
    held_ += c;
    const Match found = match(syntax_->call_end, held_);
    if (found == Match::No) return fail();
    if (found == Match::Full) end_call();
}

void AnswerReader::take_list_next(char c) {
    held_ += c;
    std::string next(syntax_->separator);
    next += syntax_->call_begin;
    const Match call = match(next, held_);
    const Match end = match(syntax_->end, held_);
    if (call == Match::Full) {
        head_ = std::exchange(held_, {});
        value_.clear();
        state_ = State::Name;
    } else if (end == Match::Full) {
        held_.clear();
        state_ = State::Text;
    } else if (call == Match::No && end == Match::No) {
        fail();
    }
}

// --- Parameters ------------------------------------------------------------------------------------------------------

void AnswerReader::take_parameters(char c) {
    if (syntax_->arguments != ArgumentSyntax::Parameters) {
        if (is_space(c)) return;
        held_.clear();
        parameter_.clear();
        if (c == syntax_->call_end[0]) {
            state_ = State::CallEnd;
            return take_call_end(c);
        }
        state_ = State::ParameterName;
        return take_parameter_name(c);
    }
    held_ += c;
    const Match parameter = match(syntax_->parameter_begin, held_);
    const Match end = match(syntax_->call_end, held_);
    if (parameter == Match::Full) {
        held_.clear();
        parameter_.clear();
        state_ = State::ParameterName;
    } else if (end == Match::Full) {
        end_call();
    } else if (parameter == Match::No && end == Match::No) {
        fail();
    }
}

void AnswerReader::take_parameter_name(char c) {
    parameter_ += c;
    if (!parameter_.ends_with(syntax_->parameter_name_end)) return;
    parameter_.resize(parameter_.size() - syntax_->parameter_name_end.size());
    const auto& known = tool_->properties;
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const ToolParameter& one) { return one.name == parameter_; });
    value_kind_ = found == known.end() ? ValueKind::Json : found->kind;
    scanner_ = ValueScanner(syntax_->arguments);
    value_.clear();
    held_.clear();
    state_ = State::ParameterValue;
}

void AnswerReader::take_parameter_value(char c) {
    const std::string_view end = syntax_->parameter_end;
    if (syntax_->arguments != ArgumentSyntax::Parameters) {
        if (scanner_.take(c)) {
            value_ += c;
            return;
        }
        write_value(to_json(syntax_->arguments, value_));
        held_.clear();
        state_ = State::Parameters;
        if (c != ',') take_parameters(c);
        return;
    }
    if (value_kind_ != ValueKind::Json) {
        value_ += c;
        if (!value_.ends_with(end)) return;
        value_.resize(value_.size() - end.size());
        std::string json;
        if (value_kind_ == ValueKind::TextOrNull && value_ == "null") {
            json = "null";
        } else {
            base::append_json_string(json, value_);
        }
        return write_value(json);
    }
    // The text of the end may occur within a string, so the value is followed instead of searched for its end.
    if (held_.empty() && !scanner_.is_whole() && scanner_.take(c)) {
        value_ += c;
        return;
    }
    held_ += c;
    if (held_ == end) return write_value(to_json(ArgumentSyntax::Json, value_));
    if (!end.starts_with(held_)) fail();
}

void AnswerReader::write_value(std::string_view json) {
    std::string text = n_parameters_++ == 0 ? "{" : ", ";
    base::append_json_string(text, parameter_);
    text += ": ";
    text += json;
    write(AnswerEvent::Kind::CallArguments, text);
    held_.clear();
    state_ = State::Parameters;
}

}  // namespace llmd::chat
