// Streams are cut into the same events however their lines end and however their bytes arrive.
#include "remote/sse_reader.h"

#include <gtest/gtest.h>

#include <string>

namespace llmd::remote {
namespace {

using Events = std::vector<StreamEvent>;

struct Stream {
    const char* what;
    std::string stream;
    Events events;
};

const Stream kStreams[] = {
    {"one line", "data: a\n\n", {{"a"}}},
    {"no blank behind the colon", "data:a\n\n", {{"a"}}},
    {"one blank is not of the data", "data:  a\n\n", {{" a"}}},
    {"CR", "data: a\r\rdata: b\r\r", {{"a"}, {"b"}}},
    {"CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", {{"a"}, {"b"}}},
    {"two lines of data", "data: a\ndata: b\n\n", {{"a\nb"}}},
    {"a field without a value", "data\n\n", {{""}}},
    {"comments are no events", ": ping\n\n:\n\ndata: a\n\n", {{"a"}}},
    {"other fields", "id: 4\nretry: 3\nwhat: x\ndata: a\n\n", {{"a"}}},
    {"an event without data", "event: ping\n\ndata: a\n\n", {{"a"}}},
    {"an error by its type", "event: error\ndata: a\n\ndata: b\n\n", {{"a", true}, {"b", false}}},
    {"an error as a field", "error: a\n\n", {{"a", true}}},
    {"the end cuts an event", "data: a\n\ndata: b\n", {{"a"}}},
    {"a byte order mark",
     "\xEF\xBB\xBF"
     "data: a\n\n",
     {{"a"}}},
};

void check(const Stream& row, Framing framing) {
    for (size_t step = 1; step <= row.stream.size(); ++step) {
        SCOPED_TRACE(testing::Message() << row.what << ", in pieces of " << step);
        SseReader reader(framing);
        Events events;
        for (size_t at = 0; at < row.stream.size(); at += step) {
            ASSERT_TRUE(reader.feed(std::string_view(row.stream).substr(at, step), events));
        }
        EXPECT_EQ(events, row.events);
    }
}

TEST(SseReader, CutsStreamsIntoEvents) {
    for (const Stream& row : kStreams) check(row, Framing::ServerSentEvents);
}

TEST(SseReader, CutsLinesOfJson) {
    check({"lines", "{\"a\":1}\n\n{\"b\":2}\r\n{\"c\"", {{"{\"a\":1}"}, {"{\"b\":2}"}}}, Framing::JsonLines);
}

TEST(SseReader, RefusesAnEventThatIsTooLong) {
    const std::string half(kMaxEventBytes / 2, 'x');
    for (const std::string& between : {std::string("\ndata: "), std::string()}) {
        SseReader reader;
        Events events;
        EXPECT_TRUE(reader.feed("data: " + half, events));
        EXPECT_FALSE(reader.feed(between + half + "\n\n", events));
        EXPECT_TRUE(events.empty());
    }
}

}  // namespace
}  // namespace llmd::remote
