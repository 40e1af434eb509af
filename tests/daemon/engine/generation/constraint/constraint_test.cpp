// A constraint over a vocabulary whose tokens are letters, words, halves of characters and control tokens: what it
// allows is what its automaton can read, token by token.
#include "engine/generation/constraint/constraint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "../../../constraint/random_schema.h"
#include "../../../constraint/schema_matching.h"
#include "constraint/text_checker.h"

namespace llmd::constraint {
namespace {

class Words : public tokenizer::Tokenizer {
public:
    static constexpr int32_t kEnd = 256;

    Words() {
        for (int byte = 0; byte < 256; ++byte) texts_.emplace_back(1, static_cast<char>(byte));
        texts_.emplace_back();
        for (const char* text :
             {"{\"", "\":", "\": ", "true", "tru", "false",  ", \"", "\"}", "\xC3\xA9", "\x80\x80", "\xE2", "e\xE2\x82",
              "a",   "[[",  "]]",   "  ",   "12",  "123456", "aa",   "abc", "cab",      " tale",    "ab1",  "a tale"}) {
            texts_.emplace_back(text);
        }
        for (size_t n = kMaxShortBytes - 1u; n <= kMaxShortBytes + 1u; ++n) texts_.emplace_back(n, 'b');
        texts_.emplace_back(kMaxTokenBytes + 1, 'x');
        texts_.emplace_back(kMaxTokenBytes, 'x');
        kinds_.assign(texts_.size(), tokenizer::TokenKind::Normal);
        kinds_[kEnd] = tokenizer::TokenKind::Control;
        kinds_['!'] = tokenizer::TokenKind::Control;
        end_ids_ = {kEnd};
    }
    void append_bytes(int32_t id, std::string& out) const override { out += texts_[static_cast<size_t>(id)]; }
    std::string_view token_text(int32_t id) const override { return texts_[static_cast<size_t>(id)]; }
    const std::string& text(uint32_t id) const { return texts_[id]; }
    uint32_t longest_allowed() const { return vocabulary_size() - 1; }

private:
    std::vector<int32_t> encode_scanned(std::string_view, const tokenizer::Scan&) const override { return {}; }

    std::vector<std::string> texts_;
};

constexpr uint32_t kUnknownIds = 3;  // the model has more ids than the tokenizer

std::shared_ptr<const TokenTrie> trie_of(const Words& words) {
    return std::make_shared<TokenTrie>(words, words.vocabulary_size() + kUnknownIds);
}

Constraint constraint_of(std::string_view schema, std::shared_ptr<const TokenTrie> trie) {
    auto grammar = compile_json_schema(schema);
    EXPECT_TRUE(grammar);
    return {std::make_shared<const Grammar>(std::move(*grammar)), std::move(trie)};
}

TEST(Constraint, AllowsTheTokensThatTheAutomatonCanRead) {
    const Words words;
    const auto trie = trie_of(words);
    std::mt19937 random(5);
    for (const char* schema :
         {"true", R"({"properties":{"a":{"type":"boolean"},"aa":{"maxLength":4}},"additionalProperties":true})",
          R"({"type":"array","items":{"$ref":"#"}})", R"({"type":"integer"})", R"({"type":"string","maxLength":300})",
          R"({"type":"string","minLength":2,"maxLength":5})", R"({"type":"string","maxLength":16})",
          R"({"type":"string","pattern":"[a-z]$"})", R"({"type":"string","pattern":"^(a|bb)*$"})",
          R"({"type":"string","pattern":"^.{2}[^a]","maxLength":6})", R"({"type":"string","pattern":"^[^!]*$"})",
          R"({"enum":["abcab","aa","b"]})"}) {
        auto automaton = test::automaton_of(schema);
        for (int round = 0; round < 10; ++round) {
            auto constraint = constraint_of(schema, trie);
            std::string text;
            for (int step = 0; step < 20 && !constraint.is_final(); ++step) {
                std::vector<int32_t> allowed;
                for (uint32_t id = 0; id < trie->n_vocab(); ++id) {
                    const bool has_text = id < words.vocabulary_size() && id != Words::kEnd && id != '!' &&
                                          words.text(id).size() <= kMaxTokenBytes;
                    const bool fits = has_text && test::behind(automaton, text + words.text(id)) != Automaton::kDead;
                    const bool ends = id == Words::kEnd && constraint.is_complete();
                    ASSERT_EQ(constraint.allowed().tokens.contains(id), fits || ends)
                        << schema << text << " then " << id;
                    ASSERT_EQ(constraint.allows(static_cast<int32_t>(id)), fits || ends);
                    if (fits) allowed.push_back(static_cast<int32_t>(id));
                }
                ASSERT_EQ(constraint.allowed().n, allowed.size() + (constraint.is_complete() ? 1 : 0));
                if (allowed.empty()) break;
                const int32_t id = allowed[random() % allowed.size()];
                ASSERT_TRUE(constraint.accept(id));
                text += words.text(static_cast<uint32_t>(id));
            }
        }
    }
}

TEST(Constraint, RefusesWithoutChanging) {
    const Words words;
    auto constraint = constraint_of(R"({"type":"integer"})", trie_of(words));
    for (const int32_t id : {static_cast<int32_t>('x'), Words::kEnd, -1, 100000}) EXPECT_FALSE(constraint.accept(id));
    EXPECT_FALSE(constraint.allows(Words::kEnd));
    EXPECT_TRUE(constraint.accept('7'));
    EXPECT_TRUE(constraint.allows(Words::kEnd));
    EXPECT_FALSE(constraint.accept(Words::kEnd));
    EXPECT_TRUE(constraint.accept('7'));
    EXPECT_TRUE(constraint.is_complete());
}

TEST(Constraint, MarkersAreControlTokensWithTheirText) {
    const Words words;
    const std::vector<int32_t> markers = {'!'};
    const auto trie = std::make_shared<TokenTrie>(words, words.vocabulary_size(), markers);
    EXPECT_EQ(trie->bytes('!'), "!");
    auto constraint = constraint_of(R"({"const":"a!"})", trie);
    for (const char c : {'"', 'a', '!', '"'}) {
        ASSERT_TRUE(constraint.allowed().tokens.contains(static_cast<uint32_t>(c)));
        ASSERT_TRUE(constraint.accept(c));
    }
    EXPECT_TRUE(constraint.is_final());
    EXPECT_EQ(trie_of(words)->bytes('!'), "");
}

TEST(Constraint, MakesRoomOnTheWay) {
    const Words words;
    auto constraint = constraint_of(R"({"type":"string","maxLength":20000})", trie_of(words));
    ASSERT_TRUE(constraint.accept('"'));
    for (int i = 0; i < 20000; ++i) {
        if (i % 1000 == 0) {
            ASSERT_TRUE(constraint.allowed().tokens.contains(words.longest_allowed()) == (i + kMaxTokenBytes <= 20000));
        }
        ASSERT_TRUE(constraint.accept('x'));
    }
    EXPECT_FALSE(constraint.accept('x'));
    EXPECT_FALSE(constraint.allowed().tokens.contains('x'));
    EXPECT_TRUE(constraint.accept('"'));
    EXPECT_TRUE(constraint.is_final());
}

// Random drafts and refusals on the way change nothing, where states are renumbered meanwhile too.
TEST(Constraint, RollsDraftsBack) {
    const Words words;
    const auto trie = trie_of(words);
    const char* const schema = R"({"type":"array","items":{"anyOf":[{"type":"string","maxLength":3000},{"enum":["abcab",
        "true",false]},{"$ref":"#"}]}})";
    std::mt19937 random(3);
    for (int round = 0; round < 5; ++round) {
        auto drafting = constraint_of(schema, trie), plain = constraint_of(schema, trie);
        for (int step = 0; step < 120 && !plain.is_final(); ++step) {
            auto reference = plain;
            for (uint32_t n = random() % 12; n > 0 && reference.allowed().n > 0; --n) {
                const auto id = static_cast<int32_t>(random() % words.vocabulary_size());
                const bool is_drafted = drafting.draft(id);
                ASSERT_EQ(is_drafted, reference.accept(id));
                ASSERT_EQ(drafting.allowed().n, reference.allowed().n);
                ASSERT_EQ(drafting.is_complete(), reference.is_complete());
            }
            drafting.roll_back();
            ASSERT_TRUE(std::ranges::equal(drafting.allowed().tokens.words(), plain.allowed().tokens.words()));
            std::vector<int32_t> allowed;
            for (uint32_t id = 0; id < words.vocabulary_size(); ++id) {
                if (id != Words::kEnd && plain.allowed().tokens.contains(id))
                    allowed.push_back(static_cast<int32_t>(id));
            }
            if (allowed.empty()) break;
            const int32_t id = allowed[random() % allowed.size()];
            ASSERT_TRUE(plain.accept(id) && drafting.accept(id));
        }
    }
}

TEST(Constraint, RollsBackBehindRenumberedStates) {
    const Words words;
    auto constraint = constraint_of(R"({"type":"string","maxLength":20000})", trie_of(words));
    ASSERT_TRUE(constraint.accept('"'));
    // Four times as many states as there is room for.
    for (int i = 0; i < 20000; ++i) {
        for (int n = 0; i % 7 == 0 && n < 15; ++n) ASSERT_EQ(constraint.draft('x'), i + n < 20000);
        if (i % 1001 == 0) {
            ASSERT_TRUE(constraint.allowed().tokens.contains('"'));
        }
        constraint.roll_back();
        ASSERT_TRUE(constraint.accept('x'));
    }
    EXPECT_FALSE(constraint.accept('x'));
}

TEST(Constraint, SpellsWhatIsForced) {
    const Words words;
    auto constraint = constraint_of(R"({"enum":["abc def","abc deg"]})", trie_of(words));
    const auto spelled = [&] {
        const auto id = constraint.spelled();
        return id ? words.text(static_cast<uint32_t>(*id)) : "nothing";
    };
    EXPECT_EQ(spelled(), "\"");
    EXPECT_EQ(constraint.only_id(), '"');
    ASSERT_TRUE(constraint.accept('"'));
    EXPECT_EQ(spelled(), "abc");  // or "a"
    EXPECT_FALSE(constraint.only_id());
    for (const char c : std::string_view("abc de")) ASSERT_TRUE(constraint.accept(c));
    EXPECT_EQ(spelled(), "nothing");  // "f" or "g"
    ASSERT_TRUE(constraint.accept('f') && constraint.accept('"'));
    EXPECT_EQ(spelled(), "nothing");
}

// A checker lets through what the engine would have let a model generate, token by token.
TEST(Constraint, AcceptsWhatACheckerOfTextsFromElsewhereAccepts) {
    const Words words;
    const auto trie = trie_of(words);
    std::mt19937 random(11);
    int n_complete = 0, n_refused = 0;
    for (int round = 0; round < 60; ++round) {
        const std::string schema = test::random_schema(random, 3);
        auto checker = TextChecker::create(schema);
        ASSERT_TRUE(checker) << checker.error().message << " in " << schema;
        auto constraint = constraint_of(schema, trie);
        std::string text;
        for (int step = 0; step < 25 && !constraint.is_final(); ++step) {
            std::vector<int32_t> allowed;
            for (uint32_t id = 0; id < words.vocabulary_size(); ++id) {
                const std::string& token = words.text(id);
                if (trie->bytes(static_cast<int32_t>(id)).empty()) continue;
                const bool fits = constraint.allowed().tokens.contains(id);
                if (fits) allowed.push_back(static_cast<int32_t>(id));
                // A checker takes more white space than the grammar has.
                const bool may_differ = token.find_first_of(" \n\t\r") != std::string::npos;
                if (may_differ && !fits) continue;
                auto ahead = *checker;
                ASSERT_EQ(ahead.push(token), fits) << schema << " and " << text << " then " << token;
                n_refused += fits ? 0 : 1;
            }
            if (allowed.empty()) break;
            const int32_t id = allowed[random() % allowed.size()];
            ASSERT_TRUE(constraint.accept(id));
            ASSERT_TRUE(checker->push(words.text(static_cast<uint32_t>(id))));
            ASSERT_EQ(checker->is_complete(), constraint.is_complete()) << schema << " and " << text;
            n_complete += constraint.is_complete() ? 1 : 0;
            text += words.text(static_cast<uint32_t>(id));
        }
    }
    EXPECT_GT(n_complete, 20);
    EXPECT_GT(n_refused, 10000);
}

}  // namespace
}  // namespace llmd::constraint
