// A text is cut at the first stop string, wherever its pieces are cut.
#include "remote/stop_filter.h"

#include <gtest/gtest.h>

namespace llmd::remote {
namespace {

TEST(StopFilter, CutsAtTheFirstStop) {
    struct Row {
        const char* text;
        std::vector<std::string> stops;
        const char* out;
        bool stopped;
    };
    for (const Row& row :
         {Row{"a b c", {}, "a b c", false}, Row{"one END two", {"END"}, "one ", true},
          Row{"one EN", {"END"}, "one EN", false}, Row{"aab", {"aab"}, "", true}, Row{"aaab", {"aab"}, "a", true},
          Row{"x, y. z", {". ", ", "}, "x", true}, Row{"abcd", {"bcx", "cd"}, "ab", true}, Row{"E", {"E"}, "", true}}) {
        const std::string_view text = row.text;
        for (size_t step = 1; step <= text.size(); ++step) {
            SCOPED_TRACE(testing::Message() << row.text << ", in pieces of " << step);
            StopFilter filter(row.stops);
            std::string out;
            for (size_t at = 0; at < text.size(); at += step) out += filter.feed(text.substr(at, step));
            EXPECT_EQ(filter.has_stopped(), row.stopped);
            if (!row.stopped) out += filter.finish();
            EXPECT_EQ(out, row.out);
        }
    }
}

TEST(StopFilter, HoldsBackOnlyWhatMayBecomeAStop) {
    StopFilter filter({"END"});
    EXPECT_EQ(filter.feed("one E"), "one ");
    EXPECT_EQ(filter.feed("xE"), "Ex");
}

}  // namespace
}  // namespace llmd::remote
