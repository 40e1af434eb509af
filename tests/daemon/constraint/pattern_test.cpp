// Patterns and formats: each construct by texts that match and texts that do not, all of them against the standard
// library's regular expressions, and what is refused.
#include "constraint/pattern.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <regex>

#include "base/json_writer.h"
#include "random_pattern.h"
#include "schema_matching.h"
#include "support/processor_time.h"

namespace llmd::constraint {
namespace {

using test::check;
using test::refusal;

std::string schema_of(std::string_view pattern, std::string_view more = "") {
    std::string text = R"({"type":"string","pattern":)";
    base::append_json_string(text, pattern);
    return base::concat(text, more, '}');
}

struct PatternCase {
    const char* pattern;
    std::vector<const char*> fitting;  // without their quotes
    std::vector<const char*> others;
};

TEST(Pattern, MatchesWhatItSays) {
    const std::vector<PatternCase> cases = {
        {"a", {"a", "xay", "aa"}, {"", "b"}},
        {"^a", {"a", "ab"}, {"ba", ""}},
        {"a$", {"a", "ba"}, {"ab", ""}},
        {"^a$", {"a"}, {"aa", "ab", "ba"}},
        {"", {"", "a"}, {}},
        {"^$", {""}, {"a"}},
        {"^a|b$", {"ax", "xb"}, {"xa", "bx"}},
        {"^(a|^b)$", {"a", "b"}, {"ab"}},
        {"(?:x^)?a", {"a", "xa"}, {"x"}},
        {"^a*b+c?$", {"b", "aabbc", "bc"}, {"", "a", "acc"}},
        {"^a{2}$", {"aa"}, {"a", "aaa"}},
        {"^a{2,}$", {"aa", "aaaaa"}, {"a"}},
        {"^a{1,3}$", {"a", "aaa"}, {"", "aaaa"}},
        {"^a{0}b$", {"b"}, {"ab"}},
        {"^(a*)*$", {"", "aaa"}, {"b"}},
        {"^(?:a?){3}b$", {"b", "aaab"}, {"aaaab"}},
        {"^a+?b*?c??$", {"a", "aabbc"}, {"b"}},
        {"^(?<year>\\d{4})-(\\d\\d)$", {"2024-01"}, {"2024-1", "x2024-01"}},
        {"^[a-cx]$", {"a", "c", "x"}, {"d", "", "ab"}},
        {"^[^a-c]$", {"d", "\\n", "\xC3\xA9", "\\\"", "\\\\"}, {"a", "c", "", "\xF0\x9F\x98\x80"}},
        {"^[-a][b-][\\]\\-]$", {"-b]", "a--"}, {"bb]"}},
        {"^[\\w-.]$", {"a", "-", "."}, {"\\\\", "+"}},
        {"^[\\s\\S]$", {"a", "\\n", "\xE2\x82\xAC", " "}, {"", "ab"}},
        {"^\\d\\D\\w\\W\\s\\S$", {"1a_ \\ta", "9x0-\\n\xC3\xA9"}, {"aa_ \\ta", "11_ \\ta", "1a- \\ta", "1a_a\\ta"}},
        {"^[^\\d\\s]$", {"a", "-"}, {"1", " ", "\xD9\xA0", "\xC2\xA0"}},
        {"^.$", {"a", "\xC3\xA9", "\\\\", "\\t"}, {"\\n", "\\r", "\xE2\x80\xA8", "\xF0\x9F\x98\x80"}},
        {"^\\.\\*\\/\\$\\^\\(\\)\\[\\]\\{\\}\\|\\?\\+\\-$", {".*/$^()[]{}|?+-"}, {"a*/$^()[]{}|?+-"}},
        {"^\\x41\\u0042\\u{43}\\u{1F600}$", {"ABC\xF0\x9F\x98\x80"}, {"abc"}},
        {"^\\uD83D\\uDE00\xF0\x9F\x98\x81$", {"\xF0\x9F\x98\x80\xF0\x9F\x98\x81"}, {""}},
        {"^\"\\\\\\t\\n\\r\\f[\\b]$", {"\\\"\\\\\\t\\n\\r\\f\\b"}, {"\"\\\\\\t\\n\\r\\f\\b"}},
        {"^[\\u0370-\\u03FF\\u4e00-\\u9fa5]+$", {"\xCE\xB1\xE4\xB8\xAD"}, {"a", "\xC3\xA9"}},
        {"^(?=.*[A-Z])(?=.*\\d)(?!.*x)\\w{3}$", {"aB1", "1AA"}, {"ab1", "aBc", "xB1", "aB12"}},
        {"^(?!\\.)[a.]+$", {"a", "a."}, {".a", "."}},
    };
    for (const PatternCase& one : cases) {
        auto automaton = test::automaton_of(schema_of(one.pattern));
        const auto fits = [&](const char* text) {
            const auto state = test::behind(automaton, base::concat('"', text, '"'));
            return state != Automaton::kDead && automaton.is_complete(state);
        };
        for (const char* text : one.fitting) EXPECT_TRUE(fits(text)) << one.pattern << " and " << text;
        for (const char* text : one.others) EXPECT_FALSE(fits(text)) << one.pattern << " and " << text;
    }
}

TEST(Pattern, ACharacterIsWrittenInOneWay) {
    check({R"({"pattern":"^.*$"})",
           {R"("a/b")", R"("\"\\\b\f\t")", "\"\xC3\xA9\""},
           {R"("\u0061")", R"("\/")", "\"\x01\"", "\"\x7F\"", R"("\u0001")"}});
    EXPECT_NE(refusal(schema_of("^\\u{0}$")), "accepted") << "NUL is not written";
}

// Any range of characters is the same range as UTF-8.
TEST(Pattern, RangesOfCharacters) {
    std::mt19937 random(3);
    const auto utf8 = [](char32_t c) {
        std::string text;
        if (c < 0x80) return std::string(1, static_cast<char>(c));
        if (c >= 0x10000) text = {static_cast<char>(0xF0 | c >> 18), static_cast<char>(0x80 | (c >> 12 & 0x3F))};
        if (c >= 0x800 && c < 0x10000) text = {static_cast<char>(0xE0 | c >> 12)};
        text += static_cast<char>(c < 0x800 ? 0xC0 | c >> 6 : 0x80 | (c >> 6 & 0x3F));
        return text + static_cast<char>(0x80 | (c & 0x3F));
    };
    for (int i = 0; i < 100; ++i) {
        const uint32_t bits = random() % 13 + 8;
        const auto draw = [&] { return static_cast<char32_t>(0xA0 + random() % (1u << bits)); };
        const char32_t one = draw(), other = draw();
        const char32_t first = std::min(one, other), last = std::max(one, other);
        std::array<char, 64> pattern{};
        snprintf(pattern.data(), pattern.size(), "^[\\u{%X}-\\u{%X}]$", static_cast<unsigned>(first),
                 static_cast<unsigned>(last));
        if (refusal(schema_of(pattern.data())) != "accepted") continue;  // only surrogates
        auto automaton = test::automaton_of(schema_of(pattern.data()));
        for (const uint32_t c :
             {uint32_t{first}, uint32_t{last}, first - 1, last + 1, uint32_t{draw()}, uint32_t{draw()}}) {
            if ((c >= 0xD800 && c <= 0xDFFF) || c > 0x10FFFF) continue;
            const auto state = test::behind(automaton, base::concat('"', utf8(c), '"'));
            EXPECT_EQ(state != Automaton::kDead, first <= c && c <= last) << pattern.data() << " and " << c;
        }
    }
}

// All texts of up to five letters, with random patterns and lengths. Moreover no text is begun that cannot be ended.
TEST(Pattern, AgreesWithTheStandardLibrary) {
    std::mt19937 random(11);
    const std::vector<std::string> texts = test::short_texts();
    int n_compiled = 0;
    for (int i = 0; i < 400; ++i) {
        std::string pattern = test::random_pattern(random, 2);
        if (random() % 8 == 0) pattern = base::concat("^(?!", test::random_pattern(random, 1), ")(?:", pattern, ")");
        const size_t least = random() % 3;
        const size_t most = random() % 2 == 0 ? 5 : least + random() % 3;
        const std::string schema =
            schema_of(pattern, base::concat(R"(,"minLength":)", least, R"(,"maxLength":)", most));
        const std::regex expected(pattern);
        const bool is_refused = refusal(schema) != "accepted";
        if (is_refused) {
            EXPECT_NE(refusal(schema).find("leave no string"), std::string::npos) << refusal(schema);
        }
        n_compiled += is_refused ? 0 : 1;
        std::optional<Automaton> automaton;
        if (!is_refused) automaton = test::automaton_of(schema);
        for (const std::string& text : texts) {
            const bool fits = text.size() >= least && text.size() <= most && std::regex_search(text, expected);
            const auto state = automaton ? test::behind(*automaton, base::concat('"', text, '"')) : Automaton::kDead;
            EXPECT_EQ(state != Automaton::kDead && automaton->is_complete(state), fits) << schema << " and " << text;
        }
    }
    EXPECT_GT(n_compiled, 200);
}

TEST(Pattern, RefusesWhatIsNotRegularAndNamesThePlace) {
    struct Refused {
        const char* pattern;
        int character;
        const char* why;
    };
    const std::vector<Refused> cases = {
        {"a(?=b)", 2, "a look-ahead is supported right after a leading ^ only"},
        {"^(a(?!b))", 4, "a look-ahead is supported right after a leading ^ only"},
        {"^(?=a)b|c", 2, "a look-ahead before alternatives is not supported; a group around them is"},
        {"(?<=a)b", 1, "a look-behind is not supported"},
        {"a(?<!a)b", 2, "a look-behind is not supported"},
        {"(a)\\1", 4, "a back-reference is not supported"},
        {"(?<n>a)\\k<n>", 8, "a back-reference is not supported"},
        {"\\bword", 1, "\\b is not supported"},
        {"\\p{L}", 1, "a Unicode property is not supported"},
        {"[\\P{L}]", 2, "a Unicode property is not supported"},
        {"(?i)a", 1, "this kind of group is not supported"},
        {"(?P<n>a)", 1, "this kind of group is not supported"},
        {"(a", 1, "the group is not closed"},
        {"(?<a", 1, "the group's name does not end"},
        {"a)", 2, "the group was not opened"},
        {"[a", 1, "the class is not closed"},
        {"[]", 1, "an empty class is not supported"},
        {"[[:alpha:]]", 2, "a named class is not supported"},
        {"[b-a]", 2, "this is no range of characters"},
        {"[a-\\d]", 2, "this is no range of characters"},
        {"*a", 1, "there is nothing to repeat"},
        {"a**", 3, "there is nothing to repeat"},
        {"a++", 3, "there is nothing to repeat"},
        {"^*", 1, "an anchor cannot be repeated"},
        {"a{", 2, "a { that begins no quantifier must be escaped"},
        {"a{,2}", 2, "a { that begins no quantifier must be escaped"},
        {"a}", 2, "a bracket that closes nothing must be escaped"},
        {"a{3,2}", 2, "the quantifier's numbers are out of order"},
        {"\\", 1, "nothing follows the backslash"},
        {"\\cA", 1, "this escape is not supported"},
        {"\\x4", 1, "the escape's number is malformed"},
        {"\\u{110000}", 1, "the escape's number is malformed"},
        {"\\uD83D\\u0041", 1, "the escape is half a surrogate pair"},
    };
    for (const auto& [pattern, character, why] : cases) {
        EXPECT_EQ(refusal(schema_of(pattern)),
                  base::concat(R"(json_schema: at "#": pattern: )", base::in_quotes(pattern, 100), " at character ",
                               character, ": ", why));
    }
    EXPECT_EQ(refusal(R"({"pattern":5})"), R"(json_schema: at "#": pattern: 5 is not a string)");
    for (const char* nothing : {"a^", "$a", "^[\\u{1}]$"}) {
        EXPECT_EQ(refusal(schema_of(nothing)),
                  R"(json_schema: at "#": no value fits: pattern, format and lengths leave no string)");
    }
}

TEST(Pattern, HugeOnesAreRefusedQuickly) {
    const test::ProcessorTime time;
    for (const std::string& pattern :
         {std::string("(a{1000}){1000}"), std::string("((((((a{99}){99}){99}){99}){99}){99})"),
          std::string("a{99999999999999999999}"), std::string("(a|b)*a(a|b){30}$"), std::string("(){100000}"),
          std::string(20000, '('), std::string(60000, '|'), std::string(60000, 'a'), "^" + std::string(60000, '[')}) {
        EXPECT_NE(refusal(schema_of(pattern)), "accepted") << pattern.substr(0, 40);
    }
    // Many that just fit.
    std::string all = R"({"prefixItems":[true)";
    for (int i = 0; i < 500; ++i) all += base::concat(',', schema_of(base::concat("(a|b)*a(a|b){9}c{", i, "}$")));
    EXPECT_NE(refusal(all + "]}"), "accepted");
    EXPECT_LT(time.seconds(), 20);
    EXPECT_EQ(refusal(schema_of("^.{0,4000}$")), "accepted");
    EXPECT_EQ(refusal(schema_of("^[a-z]+$", R"(,"maxLength":100000)")), "accepted");
}

TEST(Pattern, LengthsAreHonoured) {
    check({R"({"pattern":"^[a-z]+$","maxLength":3})", {R"("abc")"}, {R"("abcd")", R"("")"}});
    check({R"({"pattern":"^[a-z]*$","minLength":2})", {R"("ab")", R"("abcdef")"}, {R"("a")"}});
    check({R"({"pattern":"^(ab)+$","minLength":3,"maxLength":5})", {R"("abab")"}, {R"("ab")", R"("ababab")"}});
    EXPECT_FALSE(test::begins(R"({"pattern":"^(ab)+$","maxLength":3})", R"("aba)")) << "it could not be ended";
    EXPECT_FALSE(test::begins(R"({"pattern":"^(a|b{5})$","minLength":2})", R"("a)"));
    check({R"({"pattern":"a","maxLength":2})", {R"("a")", R"("xa")", R"("ax")"}, {R"("xax")", R"("xx")"}});
}

// At the deepest nesting, a text that needs another call is begun only if there is room for it.
TEST(Pattern, NothingIsBegunThatNestsTooDeepToEnd) {
    const char* schema =
        R"({"anyOf":[{"type":"array","items":{"$ref":"#"}},{"pattern":"^a*c(\\u00e9|bb)$","maxLength":3}]})";
    std::string open;
    size_t n_strings = 0;
    for (; test::begins(schema, open); open += '[') {
        const bool may_begin = test::begins(schema, open + "\"a");
        EXPECT_EQ(test::begins(schema, open + "\"ac\xC3\xA9\""), may_begin) << open;
        n_strings += may_begin ? 1 : 0;
    }
    EXPECT_GT(n_strings, 30u);
}

TEST(Pattern, Formats) {
    check({R"({"format":"date"})",
           {R"("2024-02-28")", R"("1999-12-31")"},
           {R"("2023-02-30")", R"("2023-04-31")", R"("2023-13-01")", R"("0000-01-01")", R"("2023-1-1")"}});
    check({R"({"format":"time"})", {R"("23:59:59Z")", R"("00:00:00.125+01:30")"}, {R"("24:00:00Z")", R"("12:00:00")"}});
    check(
        {R"({"format":"date-time"})", {R"("2024-01-31T10:00:00Z")"}, {R"("2024-01-31 10:00:00Z")", R"("2024-01-31")"}});
    check({R"({"format":"duration"})",
           {R"("P3D")", R"("PT1H30M")", R"("P1Y2M3DT4H5M6S")", R"("P2W")", R"("PT0S")"},
           {R"("P")", R"("PT")", R"("P1DT")", R"("P1H")", R"("P1W2D")", R"("P1Y2D")", R"("1D")"}});
    check({R"({"format":"uuid"})",
           {R"("123e4567-e89b-12d3-a456-426614174000")"},
           {R"("123e4567e89b12d3a456426614174000")"}});
    check({R"({"format":"ipv4"})", {R"("0.10.255.199")"}, {R"("256.1.1.1")", R"("01.1.1.1")", R"("1.1.1")"}});
    check({R"({"format":"ipv6"})",
           {R"("::")", R"("::1")", R"("fe80::1:2")", R"("1:2:3:4:5:6:7:8")", R"("1::")"},
           {R"("1:2:3")", R"("1::2::3")", R"("12345::")", R"("1:2:3:4:5:6:7:8:9")", R"("1:2:3:4:5:6:7::8:9")"}});
    check({R"({"format":"hostname"})",
           {R"("example.org")", R"("a")", R"("x-1.y2.z")"},
           {R"("-a")", R"("a-")", R"("a..b")", R"("a.1")", R"("")", R"("a_b")"}});
    check({R"({"format":"email"})",
           {R"("a.b@c.de")", R"("x+y_z@sub.example.org")"},
           {R"("a@b")", R"("@b.c")", R"("a..b@c.de")", R"(".a@b.cd")", R"("a@b.c1")"}});
    check({R"({"format":"uri"})",
           {R"("https://example.org")", R"("http://a.b:80/c/d%20e?f=g&h#i")", R"("postgres://db/x")"},
           {R"("example.org")", R"("https://")", R"("https://a b")", R"("https://a/%2")", R"("http://1.2")"}});
    check({R"({"format":"uri","maxLength":2083,"minLength":1})", {R"("https://example.org/")"}, {R"("")"}});
    check({R"({"format":"uri","maxLength":12})", {R"("ab://c.de/fg")"}, {R"("ab://c.de/fgh")"}});
    std::string host(252, 'a');
    for (size_t i = 22; i < host.size(); i += 23) host[i] = '.';
    EXPECT_TRUE(test::matches(R"({"format":"hostname"})", base::concat('"', host, "a\"")));
    EXPECT_FALSE(test::matches(R"({"format":"hostname"})", base::concat('"', host, "aa\"")));
    check({R"({"format":"date","pattern":"^2024"})", {R"("2024-05-05")"}, {R"("2023-05-05")"}});
    check({R"({"format":"time","pattern":"^[^Z+-]*$"})", {R"("12:00:00")"}, {R"("12:00:00Z")"}});
    check({R"({"format":"cuid","pattern":"^c\\w{8}$"})", {R"("c12345678")"}, {R"("12345678")"}});
}

}  // namespace
}  // namespace llmd::constraint
