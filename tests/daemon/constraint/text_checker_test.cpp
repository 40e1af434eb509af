// Texts from elsewhere against their schema: what fits goes through however it is cut, the first byte that leads
// nowhere ends it for good, and white space is free between the signs of JSON and nowhere else.
#include "constraint/text_checker.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "random_schema.h"
#include "schema_matching.h"

namespace llmd::constraint {
namespace {

TextChecker checker_of(std::string_view schema) {
    auto checker = TextChecker::create(schema);
    EXPECT_TRUE(checker) << checker.error().message << " in " << schema;
    return std::move(*checker);
}

// How many bytes of the text go through, and whether what went through is complete.
struct Passed {
    size_t bytes = 0;
    bool is_complete = false;
    bool operator==(const Passed&) const = default;
};
void PrintTo(const Passed& passed, std::ostream* out) {
    *out << passed.bytes << (passed.is_complete ? ", complete" : "");
}
Passed passed(std::string_view schema, std::string_view text) {
    auto checker = checker_of(schema);
    size_t n = 0;
    bool is_complete = checker.is_complete();
    while (n < text.size() && checker.push(text.substr(n, 1))) {
        ++n;
        is_complete = checker.is_complete();
    }
    if (n < text.size()) {
        EXPECT_FALSE(checker.is_complete()) << text;
        EXPECT_FALSE(checker.push("")) << text;
        EXPECT_FALSE(checker.push(text.substr(n + 1))) << text;
        EXPECT_FALSE(checker.push("}")) << text;
    }
    return {n, is_complete};
}
Passed whole(std::string_view text) {
    return {text.size(), true};
}

constexpr const char* kPoint =
    R"({"type":"object","properties":{"x":{"type":"number"},"on":{"type":"boolean"}},"required":["x","on"]})";

// Where the signs and words of a text without white space begin and end, but for the insides of strings.
std::vector<size_t> gaps(std::string_view text) {
    std::vector<size_t> places;
    bool in_string = false;
    const auto is_word = [&](size_t i) { return std::string_view("{}[],:\"").find(text[i]) == std::string_view::npos; };
    for (size_t i = 0; i < text.size(); ++i) {
        if (!in_string && (i == 0 || !is_word(i - 1) || !is_word(i))) places.push_back(i);
        if (in_string && text[i] == '\\') {
            ++i;
        } else if (text[i] == '"') {
            in_string = !in_string;
        }
    }
    places.push_back(text.size());
    return places;
}

TEST(TextChecker, SaysWhereATextLeavesItsSchema) {
    EXPECT_EQ(passed(kPoint, R"({"x":1.5,"on":true})"), whole(R"({"x":1.5,"on":true})"));
    EXPECT_EQ(passed(kPoint, R"({"x":1.5,"on":true}})"), (Passed{19, true}));
    EXPECT_EQ(passed(kPoint, R"({"x":1.5,"on":true)"), (Passed{18, false}));
    EXPECT_EQ(passed(kPoint, R"({"x":1.5,"on":"true"})"), (Passed{14, false}));
    EXPECT_EQ(passed(kPoint, R"({"x":1.5})"), (Passed{8, false})) << "on is required";
    EXPECT_EQ(passed(kPoint, "Sure! {"), (Passed{0, false}));
    EXPECT_EQ(passed(kPoint, "```json"), (Passed{0, false}));
    EXPECT_EQ(passed(R"({"type":"string"})", "\"\xC3\xA9\""), whole("\"\xC3\xA9\""));
    EXPECT_EQ(passed(R"({"type":"string"})", "\"\xC3\""), (Passed{2, false}));
    EXPECT_EQ(passed(kPoint, ""), (Passed{0, false}));
}

TEST(TextChecker, ASchemaIsRefusedAsTheEngineRefusesIt) {
    for (const char* schema : {"", "{", R"({"type":"strin"})", R"({"not":{}})", R"({"minLength":3,"maxLength":2})"}) {
        const auto checker = TextChecker::create(schema);
        ASSERT_FALSE(checker) << schema;
        EXPECT_EQ(checker.error().code, base::ErrorCode::InvalidArgument);
        EXPECT_EQ(checker.error().message, test::refusal(schema));
    }
}

TEST(TextChecker, WhiteSpaceIsFreeBetweenSigns) {
    const std::string indented = "\n{\r\n\t\"x\" :  -0.5e+3 ,\n\n    \"on\"\t: false\n}\n";
    EXPECT_EQ(passed(kPoint, indented), whole(indented));
    EXPECT_EQ(passed(R"({"type":"integer"})", "12 "), whole("12 "));
    EXPECT_EQ(passed(R"({"type":"array"})", "[ ]"), whole("[ ]"));
}

TEST(TextChecker, WhiteSpaceEndsAWord) {
    EXPECT_EQ(passed(R"({"type":"integer"})", "1 2"), (Passed{2, true}));
    EXPECT_EQ(passed(R"({"type":"integer"})", "- 2"), (Passed{1, false})) << "no text begins with \"- \"";
    EXPECT_EQ(passed(R"({"type":"number"})", "1. 5"), (Passed{2, false}));
    EXPECT_EQ(passed(R"({"type":"boolean"})", "tr ue"), (Passed{2, false}));
    EXPECT_EQ(passed(R"({"type":"array"})", "[1 2]"), (Passed{3, false}));
    EXPECT_EQ(passed(R"({"type":"array"})", "[true false]"), (Passed{6, false}));
    EXPECT_EQ(passed(R"({"minimum":10,"maximum":99,"type":"integer"})", "1 "), (Passed{1, false}));
}

TEST(TextChecker, WhiteSpaceInAStringIsText) {
    const char* schema = R"({"const":"a \"b"})";
    EXPECT_EQ(passed(schema, R"("a \"b")"), whole(R"("a \"b")"));
    EXPECT_EQ(passed(schema, R"("a  \"b")"), (Passed{3, false}));
    EXPECT_EQ(passed(schema, R"("a\"b")"), (Passed{2, false}));
    EXPECT_EQ(passed(schema, R"("a \" b")"), (Passed{5, false})) << "the escaped quote does not end the string";
    EXPECT_EQ(passed(R"({"const":"\\"})", R"("\\" )"), whole(R"("\\" )")) << "the backslash is escaped, the quote not";
    EXPECT_EQ(passed(R"({"type":"string"})", "\"a\nb\""), (Passed{2, false}));
}

TEST(TextChecker, WhiteSpaceIsBounded) {
    const std::string most(kMaxSpaceRun, '\n');
    EXPECT_EQ(passed(R"({"type":"array"})", "[" + most + "1" + most + "]"), whole("[" + most + "1" + most + "]"));
    EXPECT_EQ(passed(R"({"type":"array"})", "[" + most + "\n1]"), (Passed{1 + kMaxSpaceRun, false}));
}

TEST(TextChecker, TakesWhatFitsHoweverItIsCutAndSpaced) {
    std::mt19937 random(17);
    int n_texts = 0;
    for (int round = 0; round < 300; ++round) {
        const std::string schema = test::random_schema(random, 3);
        const std::string text = test::random_text(random, schema);
        if (text.empty()) continue;
        ++n_texts;
        ASSERT_EQ(passed(schema, text), whole(text)) << schema;
        std::string spaced = text;
        auto places = gaps(text);
        for (auto place = places.rbegin(); place != places.rend(); ++place) {
            if (random() % 2 == 0) spaced.insert(*place, 1 + random() % 3, " \n\t\r"[random() % 4]);
        }
        auto checker = checker_of(schema);
        for (std::string_view rest = spaced; !rest.empty();) {
            const size_t n = std::min<size_t>(rest.size(), 1 + random() % 7);
            ASSERT_TRUE(checker.push(rest.substr(0, n))) << schema << " and " << spaced;
            rest.remove_prefix(n);
        }
        ASSERT_TRUE(checker.is_complete()) << schema << " and " << spaced;
    }
    EXPECT_GT(n_texts, 100);
}

// The automaton that masks an engine's tokens is what a changed text is compared with.
TEST(TextChecker, AgreesWithTheAutomatonOnChangedTexts) {
    std::mt19937 random(19);
    int n_refused = 0, n_accepted = 0;
    for (int round = 0; round < 300; ++round) {
        const std::string schema = test::random_schema(random, 3);
        std::string text = test::random_text(random, schema);
        if (text.empty() || text.find(' ') != std::string::npos) continue;
        auto automaton = test::automaton_of(schema);
        for (int change = 0; change < 20; ++change) {
            std::string changed = text;
            const size_t at = random() % text.size();
            const std::string bytes = "{}[],:\"\\0123456789-.eabtrufn\xC3\xA9\x80";
            const char byte = bytes[random() % bytes.size()];
            if (random() % 3 == 0) {
                changed.erase(at, 1);
            } else if (random() % 2 == 0) {
                changed[at] = byte;
            } else {
                changed.insert(at, 1, byte);
            }
            Passed expected{0, automaton.is_complete(automaton.start())};
            auto state = automaton.start();
            for (const char c : changed) {
                if (automaton.is_full()) automaton.compact(std::span(&state, 1));
                state = automaton.advance(state, static_cast<uint8_t>(c));
                if (state == Automaton::kDead) break;
                ++expected.bytes;
                expected.is_complete = automaton.is_complete(state);
            }
            ASSERT_EQ(passed(schema, changed), expected) << schema << " and " << changed;
            ++(expected.bytes < changed.size() ? n_refused : n_accepted);
        }
    }
    EXPECT_GT(n_refused, 500);
    EXPECT_GT(n_accepted, 50);
}

// More states than have numbers.
TEST(TextChecker, MakesRoomOnTheWay) {
    constexpr size_t kLength = 70000;
    auto checker = checker_of(base::concat(R"({"type":"string","maxLength":)", kLength, "}"));
    ASSERT_TRUE(checker.push("\"" + std::string(kLength, 'x')));
    auto longer = checker;
    EXPECT_FALSE(longer.push("x"));
    ASSERT_TRUE(checker.push("\""));
    EXPECT_TRUE(checker.is_complete());
}

}  // namespace
}  // namespace llmd::constraint
