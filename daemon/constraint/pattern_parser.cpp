#include "constraint/pattern_parser.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/json_writer.h"

namespace llmd::constraint {

using base::ErrorCode;
using base::fail;

namespace {

const CharSet kAsciiDigits = {{'0', '9'}};
const CharSet kAsciiWord = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
const CharSet kAsciiSpace = {{'\t', '\r'}, {' ', ' '}};
const CharSet kBeyondAscii = {{0x80, 0x10FFFF}};
const CharSet kBeyondBmp = {{0x10000, 0x10FFFF}};
// The white space of ECMA-262, Python or Unicode.
const CharSet kAnySpace = {{'\t', '\r'},     {0x1C, 0x20},     {0x85, 0x85},     {0xA0, 0xA0},
                           {0x1680, 0x1680}, {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F},
                           {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
const CharSet kLineEnds = {{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}};

CharSet joined(CharSet a, const CharSet& b) {
    a.insert(a.end(), b.begin(), b.end());
    return normalized(std::move(a));
}

}  // namespace

void CharacterClass::add(const CharacterClass& other) {
    sure = joined(std::move(sure), other.sure);
    possible = joined(std::move(possible), other.possible);
}

CharacterClass CharacterClass::negated(const CharSet& unsure) const {
    return {difference(difference(written_characters(), possible), unsure), difference(written_characters(), sure)};
}

CharacterClass CharacterClass::written() const {
    return {intersection(sure, written_characters()), intersection(possible, written_characters())};
}

namespace {

using Class = CharacterClass;

Class class_of_letter(char32_t letter, const CharSet& unsure) {
    const bool is_negated = letter < 'a';
    Class any;
    switch (letter | 0x20) {
        case 'd':
            any = {kAsciiDigits, joined(kAsciiDigits, kBeyondAscii)};
            break;
        case 'w':
            any = {kAsciiWord, joined(kAsciiWord, kBeyondAscii)};
            break;
        default:
            any = {kAsciiSpace, kAnySpace};
            break;
    }
    return is_negated ? any.negated(unsure) : any;
}

Expression sequence(std::vector<Expression> parts) {
    Expression all{.kind = Expression::Kind::Sequence, .parts = std::move(parts)};
    for (const Expression& part : all.parts) all.size += part.size;
    return all;
}

// Recursive descent. The first error is kept, and what is parsed after it is not used.
class PatternParser {
public:
    PatternParser(std::string_view pattern, PatternUse use)
        : pattern_(pattern),
          is_whole_(use == PatternUse::WholeText),
          unsure_(use == PatternUse::WholeText ? CharSet{} : kBeyondBmp) {
        for (size_t i = 0; i < pattern.size();) {
            const auto lead = static_cast<uint8_t>(pattern[i++]);
            char32_t c = lead < 0x80 ? lead : lead < 0xE0 ? lead & 0x1F : lead < 0xF0 ? lead & 0x0F : lead & 0x07;
            for (; i < pattern.size() && (pattern[i] & 0xC0) == 0x80; ++i) {
                c = c << 6 | static_cast<char32_t>(pattern[i] & 0x3F);
            }
            text_ += c;
        }
    }

    base::Result<Pattern> parse() {
        Pattern all;
        if (is_at(U"^(?=") || is_at(U"^(?!")) at_ = 1;
        const bool looks_ahead = (at_ == 1 || is_whole_) && is_look_ahead();
        while (!error_ && is_look_ahead() && looks_ahead) {
            const bool must_match = text_[at_ + 2] == '=';
            const size_t begin = at_;
            at_ += 3;
            Expression inner = alternatives();
            if (!take(')')) refuse("the group is not closed", begin);
            all.look_aheads.push_back({from_start(std::move(inner)), must_match});
        }
        Expression rest = alternatives();
        if (at_ < text_.size()) refuse("the group was not opened");
        if (looks_ahead && rest.kind == Expression::Kind::Alternatives) {
            refuse("a look-ahead before alternatives is not supported; a group around them is", 1);
        }
        all.expression = looks_ahead || is_whole_ ? from_start(std::move(rest)) : std::move(rest);
        if (is_whole_) all.expression.parts.push_back({.kind = Expression::Kind::End});
        if (error_) return *error_;
        return all;
    }

private:
    static Expression from_start(Expression rest) {
        std::vector<Expression> parts = {{.kind = Expression::Kind::Start}};
        parts.push_back(std::move(rest));
        return sequence(std::move(parts));
    }

    bool is_at(std::u32string_view what) const { return std::u32string_view(text_).substr(at_).starts_with(what); }
    bool is_look_ahead() const { return is_at(U"(?=") || is_at(U"(?!"); }
    bool is_over() const { return error_ || at_ >= text_.size(); }
    bool take(char32_t c) {
        const bool is_next = !is_over() && text_[at_] == c;
        if (is_next) ++at_;
        return is_next;
    }
    void refuse(std::string_view why, std::optional<size_t> place = std::nullopt) {
        if (error_) return;
        constexpr size_t kMaxQuotedBytes = 100;
        error_ = fail(ErrorCode::InvalidArgument, base::in_quotes(pattern_, kMaxQuotedBytes), " at character ",
                      place.value_or(at_) + 1, ": ", why);
    }
    Expression bounded(Expression one) {
        if (one.size > kMaxPatternNodes) {
            refuse(base::concat("with its repetitions it has more than ", kMaxPatternNodes, " characters"));
        }
        return one;
    }

    Expression alternatives() {
        std::vector<Expression> all;
        do all.push_back(terms());
        while (take('|'));
        if (all.size() == 1) return std::move(all.front());
        Expression any = sequence(std::move(all));
        any.kind = Expression::Kind::Alternatives;
        return bounded(std::move(any));
    }

    Expression terms() {
        std::vector<Expression> all;
        while (!is_over() && text_[at_] != '|' && text_[at_] != ')') {
            all.push_back(quantified());
            if (all.size() > kMaxPatternNodes) break;
        }
        return bounded(sequence(std::move(all)));
    }

    Expression quantified() {
        const size_t begin = at_;
        Expression one = atom();
        const size_t behind = at_;
        uint32_t least = 0;
        uint32_t most = kUnbounded;
        if (is_over()) return one;
        if (take('?')) {
            most = 1;
        } else if (take('+')) {
            least = 1;
        } else if (text_[at_] == '{') {
            if (!counts(least, most)) return one;
        } else if (!take('*')) {
            return one;
        }
        if (one.kind == Expression::Kind::Start || one.kind == Expression::Kind::End) {
            refuse("an anchor cannot be repeated", begin);
        }
        take('?');
        if (!is_over() && (text_[at_] == '*' || text_[at_] == '+' || text_[at_] == '?' || text_[at_] == '{')) {
            refuse("there is nothing to repeat");
        }
        Expression all{.kind = Expression::Kind::Repeat, .least = least, .most = most};
        const size_t copies = most == kUnbounded ? std::max<size_t>(least, 1) : std::max<size_t>(most, 1);
        all.size = 1 + copies * (one.size + 1);
        all.parts.push_back(std::move(one));
        if (all.size > kMaxPatternNodes) at_ = behind;
        return bounded(std::move(all));
    }

    bool counts(uint32_t& least, uint32_t& most) {
        const size_t begin = at_++;
        const auto number = [&]() -> std::optional<uint32_t> {
            const size_t first = at_;
            uint32_t value = 0;
            for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
                value = std::min<uint32_t>(value * 10 + static_cast<uint32_t>(text_[at_] - '0'), kMaxPatternNodes);
            }
            return at_ == first ? std::nullopt : std::optional(value);
        };
        const auto low = number();
        const bool is_range = low && take(',');
        const auto high = is_range ? number() : low;
        if (!low || !take('}')) {
            refuse("a { that begins no quantifier must be escaped", begin);
            return false;
        }
        least = *low;
        most = high.value_or(kUnbounded);
        if (least > most) refuse("the quantifier's numbers are out of order", begin);
        return true;
    }

    Expression atom() {
        const char32_t c = text_[at_];
        if (c == '(') return group();
        if (c == '[') return chars(bracketed());
        if (c == '\\') return chars(escaped(false).chars);
        if (c == '*' || c == '+' || c == '?' || c == '{') refuse("there is nothing to repeat");
        if (c == '}' || c == ']') refuse("a bracket that closes nothing must be escaped");
        ++at_;
        if (c == '^') return {.kind = Expression::Kind::Start};
        if (c == '$') return {.kind = Expression::Kind::End};
        if (c == '.') {
            return chars({difference(written_characters(), joined(kLineEnds, unsure_)), written_characters()});
        }
        return chars(Class::of(c, c));
    }

    static Expression chars(const Class& any) { return {.kind = Expression::Kind::Chars, .chars = any.written()}; }

    Expression group() {
        const size_t begin = at_++;
        if (is_at(U"?=") || is_at(U"?!")) refuse("a look-ahead is supported right after a leading ^ only", begin);
        if (is_at(U"?<=") || is_at(U"?<!")) refuse("a look-behind is not supported", begin);
        if (is_at(U"?P=")) refuse("a back-reference is not supported", begin);
        const bool is_named_as_in_python = is_whole_ && is_at(U"?P<");
        if (is_at(U"?<") || is_named_as_in_python) {
            const size_t name_end = text_.find('>', at_);
            if (name_end == std::u32string::npos) refuse("the group's name does not end", begin);
            at_ = std::min(name_end, text_.size() - 1) + 1;
        } else if (is_at(U"?:")) {
            at_ += 2;
        } else if (is_at(U"?")) {
            refuse("this kind of group is not supported", begin);
        }
        if (++depth_ > kMaxPatternDepth) refuse(base::concat("groups nest more than ", kMaxPatternDepth, " deep"));
        Expression inner = error_ ? Expression{} : alternatives();
        --depth_;
        if (!take(')')) refuse("the group is not closed", begin);
        // A group of alternatives keeps together in a sequence, and one of an anchor may be repeated.
        std::vector<Expression> parts;
        parts.push_back(std::move(inner));
        return sequence(std::move(parts));
    }

    Class bracketed() {
        const size_t begin = at_++;
        const bool is_negated = take('^');
        Class all;
        if (!is_over() && text_[at_] == ']') refuse("an empty class is not supported", begin);
        while (!is_over() && text_[at_] != ']') {
            if (is_at(U"[:")) refuse("a named class is not supported");
            const size_t first_at = at_;
            const Member first = class_member();
            if (!is_at(U"-") || at_ + 1 >= text_.size() || text_[at_ + 1] == ']' || !first.character) {
                all.add(first.chars);
                continue;
            }
            ++at_;
            const Member last = class_member();
            if (!last.character || *first.character > *last.character) {
                refuse("this is no range of characters", first_at);
            } else {
                all.add(Class::of(*first.character, *last.character));
            }
        }
        if (!take(']')) refuse("the class is not closed", begin);
        return is_negated ? all.negated(unsure_) : all;
    }

    struct Member {
        std::optional<char32_t> character;  // if it is one
        Class chars;

        explicit Member(char32_t one) : character(one), chars(Class::of(one, one)) {}
        explicit Member(Class any) : chars(std::move(any)) {}
    };

    Member class_member() {
        if (is_over()) return Member(Class{});
        return text_[at_] == '\\' ? escaped(true) : Member(text_[at_++]);
    }

    Member escaped(bool in_class) {
        const size_t begin = at_++;
        const auto no = [&](std::string_view why) {
            refuse(why, begin);
            return Member(Class{});
        };
        if (is_over()) return no("nothing follows the backslash");
        const char32_t c = text_[at_++];
        if (std::u32string_view(U"dDwWsS").find(c) != std::u32string_view::npos) {
            return Member(class_of_letter(c, unsure_));
        }
        switch (c) {
            case 't':
                return Member(U'\t');
            case 'n':
                return Member(U'\n');
            case 'v':
                return Member(U'\v');
            case 'f':
                return Member(U'\f');
            case 'r':
                return Member(U'\r');
            case 'x':
            case 'u':
                return Member(code_point(c == 'x' ? 2 : 4, begin));
            case 'b':
                return in_class ? Member(U'\b') : no("\\b is not supported");
            case 'B':
                return no("\\B is not supported");
            case 'p':
            case 'P':
                return no("a Unicode property is not supported");
            case 'k':
                return no("a back-reference is not supported");
            default:
                break;
        }
        if (c >= '1' && c <= '9') return no("a back-reference is not supported");
        if (c == '0' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return no("this escape is not supported");
        return Member(c);
    }

    // Reads the digits of \x41, \u0041, \u{1F600} or \uD83D\uDE00.
    char32_t code_point(size_t n_digits, size_t begin) {
        const bool is_braced = n_digits == 4 && take('{');
        const size_t close = is_braced ? std::min(text_.find('}', at_), text_.size()) : at_ + n_digits;
        char32_t code = 0;
        const size_t first = at_;
        for (; at_ < std::min(close, text_.size()) && code <= 0x10FFFF; ++at_) {
            const char32_t c = text_[at_];
            const char32_t lower = c | 0x20;
            if ((c < '0' || c > '9') && (lower < 'a' || lower > 'f')) break;
            code = code * 16 + (c <= '9' ? c - '0' : lower - 'a' + 10);
        }
        if (at_ != close || at_ == first || code > 0x10FFFF || (is_braced && !take('}'))) {
            refuse("the escape's number is malformed", begin);
        }
        if (code < 0xD800 || code > 0xDBFF || is_braced || !is_at(U"\\u")) return code;
        at_ += 2;
        const char32_t low = code_point(4, begin);
        if (low < 0xDC00 || low > 0xDFFF) refuse("the escape is half a surrogate pair", begin);
        return 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }

    std::string_view pattern_;
    bool is_whole_;
    CharSet unsure_;  // characters on which dialects disagree
    std::u32string text_;
    size_t at_ = 0;
    size_t depth_ = 0;
    std::optional<base::Error> error_;
};

}  // namespace

base::Result<Pattern> parse_pattern(std::string_view pattern, PatternUse use) {
    return PatternParser(pattern, use).parse();
}

}  // namespace llmd::constraint
