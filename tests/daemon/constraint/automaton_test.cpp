// Compares the automaton with a parser that tries everything, on small random grammars, and proves that neither earlier
// input nor compaction changes an answer.
#include "constraint/automaton.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "schema_matching.h"

namespace llmd::constraint {
namespace {

// True if `node`, and then the callers, match the text.
struct Waiting {
    const Waiting* outer;
    NodeId next;
    uint32_t count;
};

bool reads(const Grammar& grammar, NodeId id, uint32_t count, const Waiting* waiting, std::string_view text) {
    const Node& node = grammar.node(id);
    switch (node.kind) {
        case Node::Kind::Byte: {
            if (text.empty()) return false;
            const auto byte = static_cast<uint8_t>(text[0]);
            return node.first <= byte && byte <= node.last && reads(grammar, node.next, count, waiting, text.substr(1));
        }
        case Node::Kind::Choice:
            return reads(grammar, node.next, count, waiting, text) || reads(grammar, node.value, count, waiting, text);
        case Node::Kind::Call: {
            const Waiting call{waiting, node.next, count};
            return reads(grammar, grammar.entry(node.value), 0, &call, text);
        }
        case Node::Kind::Count:
            return reads(grammar, node.next, count + 1, waiting, text);
        case Node::Kind::AtLeast:
            return count >= node.value && reads(grammar, node.next, count, waiting, text);
        case Node::Kind::Below:
            return count < node.value && reads(grammar, node.next, count, waiting, text);
        case Node::Kind::Return:
            if (waiting == nullptr) return text.empty();
            return reads(grammar, waiting->next, waiting->count, waiting->outer, text);
        case Node::Kind::Fail:
            break;
    }
    return false;
}

// Rules over 'a' and 'b' that call one another behind a first byte, with a counted loop here and there.
base::Result<Grammar> random_grammar(std::mt19937& random) {
    GrammarBuilder b;
    const uint32_t n_rules = 1 + random() % 3;
    for (uint32_t i = 0; i < n_rules; ++i) b.declare();
    for (RuleId rule = 0; rule < n_rules; ++rule) {
        NodeId node = b.end();
        for (uint32_t step = 0, n = 1 + random() % 5; step < n; ++step) {
            const char c = random() % 2 == 0 ? 'a' : 'b';
            switch (random() % 4) {
                case 0:
                    node = b.byte(c, node);
                    break;
                case 1:
                    node = b.byte(c, b.call(random() % n_rules, node));
                    break;
                case 2:
                    node = b.choice(b.byte(c, node), b.bytes('a', 'b', b.end()));
                    break;
                default: {
                    const NodeId loop = b.unknown();
                    const uint32_t least = random() % 3;
                    const uint32_t most = least + random() % 3;
                    const NodeId again = b.byte(c, b.count(most, loop));
                    b.become_choice(loop, b.at_least(least, node), b.below(most, again));
                    node = b.byte('b', loop);
                }
            }
        }
        b.define(rule, node);
    }
    return b.finish(0);
}

TEST(Automaton, ReadsWhatAReaderReadsThatTriesEverything) {
    std::mt19937 random(3);
    int n_read = 0;
    for (int i = 0; i < 400; ++i) {
        auto made = random_grammar(random);
        if (!made) continue;
        const auto grammar = std::make_shared<const Grammar>(std::move(*made));
        Automaton automaton(grammar);
        for (uint32_t length = 0; length <= 9; ++length) {
            for (uint32_t bits = 0; bits < 1u << length; ++bits) {
                std::string text;
                for (uint32_t k = 0; k < length; ++k) text += (bits >> k & 1) != 0 ? 'a' : 'b';
                const auto state = test::behind(automaton, text);
                const bool is_text = state != Automaton::kDead && automaton.is_complete(state);
                ASSERT_EQ(is_text, reads(*grammar, grammar->entry(0), 0, nullptr, text)) << i << ' ' << text;
                n_read += is_text ? 1 : 0;
            }
        }
    }
    EXPECT_GT(n_read, 1000);
}

TEST(Automaton, KnowsWhenNothingCanFollow) {
    auto object = test::automaton_of(R"({"type":"object"})");
    EXPECT_TRUE(object.is_final(test::behind(object, "{}")));
    auto number = test::automaton_of(R"({"type":"integer"})");
    const auto state = test::behind(number, "12");
    EXPECT_TRUE(number.is_complete(state));
    EXPECT_FALSE(number.is_final(state));
    EXPECT_TRUE(number.is_final(test::behind(number, "123456789012345")));
}

TEST(Automaton, LooksAheadInStrings) {
    const struct {
        const char *schema, *text;
        uint8_t n;
        bool ends;
    } cases[] = {
        {R"({"type":"string"})", "\"", 255, false},
        {R"({"type":"string"})", "", 0, true},
        {R"({"type":"string","maxLength":5})", "\"a", 4, true},
        {R"({"type":"string","maxLength":5})", "\"abcde", 0, true},
        {R"({"type":"string","maxLength":300})", "\"", 255, false},
        {R"({"type":"string","pattern":"[a-z]$"})", "\"A", 255, false},
        {R"({"type":"string","pattern":"^.{2}[^a]"})", "\"", 2, false},
        {R"({"enum":["abc","abd"]})", "\"a", 0, false},
    };
    for (const auto& c : cases) {
        auto automaton = test::automaton_of(c.schema);
        const auto state = test::behind(automaton, c.text);
        // Earlier questions make no difference.
        for (const int n : {1, 16, 255, 16, 1}) {
            const auto run = automaton.plain_run(state, static_cast<uint8_t>(n));
            EXPECT_EQ(run.n, std::min<int>(n, c.n)) << c.schema << c.text << n;
            EXPECT_EQ(run.ends, c.ends && n >= c.n) << c.schema << c.text << n;
        }
    }
}

TEST(Automaton, RoomIsMadeWithoutChangingAnything) {
    const char* schema = R"({"type":"array","items":{"type":"string","maxLength":9000}})";
    auto automaton = test::automaton_of(schema);
    const std::string text = "[\"" + std::string(9000, 'x') + "\",\"";
    auto state = automaton.start();
    for (const char c : text) {
        if (automaton.is_full()) automaton.compact(std::span(&state, 1));
        state = automaton.advance(state, static_cast<uint8_t>(c));
    }
    EXPECT_GE(automaton.n_compactions(), 2u);
    auto fresh = test::automaton_of(schema);
    auto same = test::behind(fresh, "[\"\",\"");
    for (int byte = 0; byte < 256; ++byte) {
        EXPECT_EQ(automaton.advance(state, static_cast<uint8_t>(byte)) == Automaton::kDead,
                  fresh.advance(same, static_cast<uint8_t>(byte)) == Automaton::kDead)
            << byte;
    }
    EXPECT_EQ(automaton.advance(automaton.start(), '['), test::behind(automaton, "["));
    const auto full = test::behind(automaton, text.substr(0, 9002));
    EXPECT_EQ(automaton.advance(full, 'x'), Automaton::kDead);
    EXPECT_NE(automaton.advance(full, '"'), Automaton::kDead);
}

}  // namespace
}  // namespace llmd::constraint
