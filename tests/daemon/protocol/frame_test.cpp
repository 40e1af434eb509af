// Every message survives the journey, and no sequence of bytes does harm.
#include "protocol/frame.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>

namespace llmd::protocol {
namespace {

// Fills every field with a value of its own, so that two swapped or forgotten fields show.
class Filler {
public:
    template <typename T>
    void number(std::string_view, T& value) {
        if constexpr (std::is_same_v<T, bool>) {
            value = true;
        } else if constexpr (std::is_same_v<T, float>) {
            value = static_cast<float>(++n_) + 0.25f;
        } else {
            value = static_cast<T>(std::numeric_limits<T>::max() - static_cast<T>(++n_));
        }
    }
    template <typename T>
    void choice(std::string_view, T& value, T last) {
        value = last;
    }
    void bytes(std::string_view field, std::string& value) {
        value = std::string(field) + std::to_string(++n_) + '\0' + "\xff";
    }
    void text(std::string_view field, std::string& value) {
        value = std::string(field) + std::to_string(++n_) + "\u00e4";
    }
    template <typename T>
    void list(std::string_view field, std::vector<T>& values) {
        values.resize(3);
        for (T& value : values) {
            if constexpr (std::is_same_v<T, std::string>) {
                bytes(field, value);
            } else {
                number(field, value);
            }
        }
    }
    void texts(std::string_view field, std::vector<std::string>& values) {
        values.resize(2);
        for (std::string& value : values) text(field, value);
    }
    template <typename T>
    void optional(std::string_view field, std::optional<T>& value) {
        number(field, value.emplace());
    }
    template <typename T>
    void records(std::string_view, std::vector<T>& values, uint32_t) {
        values.resize(2);
        for (T& value : values) T::fields(*this, value);
    }

private:
    uint32_t n_ = 0;
};

// Lists a message's fields as text, to compare two messages.
class Printer {
public:
    template <typename T>
    void number(std::string_view field, const T& value) {
        out_ << field << '=' << +value << '\n';
    }
    template <typename T>
    void choice(std::string_view field, const T& value, T) {
        out_ << field << '=' << static_cast<int>(value) << '\n';
    }
    void bytes(std::string_view field, const std::string& value) { out_ << field << '=' << value << '\n'; }
    void text(std::string_view field, const std::string& value) { bytes(field, value); }
    template <typename T>
    void list(std::string_view field, const std::vector<T>& values) {
        out_ << field << " of " << values.size() << '\n';
        for (const T& value : values) out_ << ' ' << value << '\n';
    }
    void texts(std::string_view field, const std::vector<std::string>& values) { list(field, values); }
    template <typename T>
    void optional(std::string_view field, const std::optional<T>& value) {
        if (value) number(field, *value);
    }
    template <typename T>
    void records(std::string_view field, const std::vector<T>& values, uint32_t) {
        out_ << field << " of " << values.size() << '\n';
        for (const T& value : values) T::fields(*this, value);
    }
    std::string str() const { return out_.str(); }

private:
    std::ostringstream out_;
};

std::string print(const Message& message) {
    Printer printer;
    std::visit([&]<typename M>(const M& m) { M::fields(printer, m); }, message);
    return std::string(message_name(message)) + '\n' + printer.str();
}

template <size_t Type = 0>
std::vector<Message> all_messages() {
    std::vector<Message> messages;
    if constexpr (Type < std::variant_size_v<Message>) {
        Message message(std::in_place_index<Type>);
        messages.push_back(message);
        Filler filler;
        std::variant_alternative_t<Type, Message>::fields(filler, *std::get_if<Type>(&message));
        messages.push_back(message);
        for (Message& other : all_messages<Type + 1>()) messages.push_back(std::move(other));
    }
    return messages;
}

std::string encoded(const Message& message) {
    std::string out;
    const auto done = encode(message, out);
    EXPECT_TRUE(done) << done.error().message;
    return out;
}

std::string refusal(std::string_view frame) {
    const auto message = decode(frame);
    if (message) return "accepted";
    EXPECT_EQ(message.error().code, base::ErrorCode::InvalidArgument);
    return message.error().message;
}

TEST(Frame, EveryMessageComesBackEqual) {
    const auto messages = all_messages();
    EXPECT_EQ(messages.size(), 2 * std::variant_size_v<Message>);
    for (const Message& message : messages) {
        const std::string frame = encoded(message);
        const auto back = decode(std::string_view(frame).substr(4));
        ASSERT_TRUE(back) << back.error().message;
        EXPECT_EQ(back->index(), message.index());
        EXPECT_EQ(print(*back), print(message));
    }
}

// Inputs that are refused at their first field teach a fuzzer nothing of the others.
TEST(Frame, TheFuzzersCorpusHasEveryMessageAsItIsNow) {
    for (const Message& message : all_messages()) {
        const std::string name(message_name(message));
        std::ifstream file(FUZZ_CORPUS "/frame/" + name, std::ios::binary);
        const std::string input{std::istreambuf_iterator<char>(file), {}};
        ASSERT_FALSE(input.empty()) << name;
        const auto kept = decode(std::string_view(input).substr(1));  // behind what is the fuzzer's own
        ASSERT_TRUE(kept) << kept.error().message;
        EXPECT_EQ(kept->index(), message.index()) << name;
    }
}

TEST(Frame, LayoutIsLittleEndianLengthTypeFields) {
    EXPECT_EQ(encoded(SetPaused{0x0102, true}), std::string("\x0a\0\0\0\x04\x02\x01\0\0\0\0\0\0\x01", 14));
    EXPECT_EQ(encoded(Tokens{1, {-1}, {{AnswerPart::Kind::Text, "ab", 0}}, 2, 7}),
              std::string("\x30\0\0\0\x0c\x01\0\0\0\0\0\0\0\x01\0\0\0\xff\xff\xff\xff\x01\0\0\0\0\x02\0\0\0ab\0\0\0\0"
                          "\x02\0\0\0\0\0\0\0\x07\0\0\0\0\0\0\0",
                          52));
}

TEST(Frame, EveryTruncationAndEveryTrailingByteIsRefused) {
    for (const Message& message : all_messages()) {
        const std::string body = encoded(message).substr(4);
        for (size_t size = 0; size < body.size(); ++size) {
            EXPECT_FALSE(decode(std::string_view(body).substr(0, size))) << print(message) << size;
        }
        EXPECT_NE(refusal(body + '\0').find("1 trailing bytes"), std::string::npos);
    }
}

TEST(Frame, ErrorsNameMessageAndField) {
    EXPECT_EQ(refusal(""), "frame: no message type");
    EXPECT_EQ(refusal("\x7f"), "frame: unknown message type 127");
    EXPECT_EQ(refusal("\xff"), "frame: unknown message type 255");
    EXPECT_EQ(refusal(std::string("\x02\x01\0", 3)), "Start.id: needs 8 bytes, the frame has 2 left");

    std::string paused = encoded(SetPaused{1, true}).substr(4);
    paused.back() = 2;
    EXPECT_EQ(refusal(paused), "SetPaused.paused: unknown value 2");

    std::string phase = encoded(PhaseChange{Phase::Step, 250}).substr(4);
    phase[1] = 6;
    EXPECT_EQ(refusal(phase), "PhaseChange.phase: unknown value 6");

    std::string load = encoded(Load{}).substr(4);
    load[5] = 3;
    EXPECT_EQ(refusal(load), "Load.backend: unknown value 3");

    std::string failed = encoded(LoadFailed{}).substr(4);
    failed[1] = static_cast<char>(static_cast<uint8_t>(base::kLastErrorCode) + 1);
    EXPECT_EQ(refusal(failed), "LoadFailed.code: unknown value 23");

    std::string huge = encoded(Fault{"x"}).substr(4);
    huge.replace(1, 4, "\xff\xff\xff\xff");
    EXPECT_EQ(refusal(huge), "Fault.message: 4294967295 bytes are more than 8388608");

    std::string ids = encoded(Tokenized{1, {5}}).substr(4);
    ids.replace(9, 4, std::string("\0\0\x10\0", 4));
    EXPECT_EQ(refusal(ids), "Tokenized.ids: 1048576 elements do not fit into the 8 bytes left");
    ids.replace(9, 4, std::string("\x01\0\x10\0", 4));
    EXPECT_EQ(refusal(ids), "Tokenized.ids: 1048577 elements are more than 1048576");
}

TEST(Frame, FloatsMustBeFinite) {
    std::string out = "kept";
    Submit submit;
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        submit.sampling.min_p = bad;
        const auto done = encode(submit, out);
        ASSERT_FALSE(done);
        EXPECT_EQ(done.error().message.rfind("Submit.min_p: ", 0), 0u) << done.error().message;
        EXPECT_EQ(out, "kept");
    }
    std::string body = encoded(Submit{}).substr(4);
    // Type, id, prompt, messages, prompt_ids, tools, tool_choice, tool_name, parallel_tool_calls, bare_calls, truncate,
    // thinking, json_schema, regex, choices, max_tokens
    const size_t temperature = 1 + 8 + 4 * 4 + 1 + 4 + 1 + 1 + 1 + 1 + 4 + 4 + 4 + 4;
    body.replace(temperature, 4, std::string("\0\0\xc0\x7f", 4));
    EXPECT_EQ(refusal(body), "Submit.temperature: nan is not finite");
}

TEST(Frame, LimitsHoldInBothDirections) {
    std::string out;
    Submit submit;
    submit.prompt.assign(kMaxStringBytes, 'a');
    submit.replay_ids.assign(kMaxArrayElements, 7);
    ASSERT_TRUE(encode(submit, out));
    EXPECT_TRUE(decode(std::string_view(out).substr(4)));

    out.clear();
    submit.prompt.push_back('a');
    EXPECT_EQ(encode(submit, out).error().message, "Submit.prompt: 8388609 bytes are more than 8388608");
    submit.prompt.pop_back();
    submit.replay_ids.push_back(7);
    EXPECT_EQ(encode(submit, out).error().message, "Submit.replay_ids: 1048577 elements are more than 1048576");
    submit.replay_ids.pop_back();
    submit.stops.assign(2, std::string(kMaxStringBytes / 2, 's'));
    EXPECT_NE(encode(submit, out).error().message.find("is longer than 16777216"), std::string::npos);
    EXPECT_EQ(out, "");
}

TEST(Frame, AConversationHasRolesAndALimit) {
    Submit submit;
    submit.messages = {{ChatMessage::Role::Assistant, "its content"}};
    std::string body = encoded(submit).substr(4);
    // The number of messages, the role, the content's length, the content.
    const size_t role = body.find("its content") - 5;
    body[role] = 4;
    EXPECT_EQ(refusal(body), "Submit.messages.role: unknown value 4");
    EXPECT_EQ(refusal(body.substr(0, role)), "Submit.messages.role: needs 1 bytes, the frame has 0 left");
    body.replace(role - 4, 4, std::string("\x01\x04\0\0", 4));
    EXPECT_EQ(refusal(body), "Submit.messages: 1025 elements are more than 1024");

    std::string out;
    submit.messages.resize(kMaxChatMessages);
    ASSERT_TRUE(encode(submit, out));
    EXPECT_TRUE(decode(std::string_view(out).substr(4)));
    submit.messages.resize(kMaxChatMessages + 1);
    EXPECT_EQ(encode(submit, out).error().message, "Submit.messages: 1025 elements are more than 1024");
}

TEST(Frame, EngineTextComesOutCleanAndPromptsPassUnchanged) {
    const auto fault = decode(std::string_view(encoded(Fault{std::string("a\0b\xff", 4)})).substr(4));
    ASSERT_TRUE(fault);
    EXPECT_EQ(std::get<Fault>(*fault).message, "a\uFFFDb\uFFFD");
    Ready ready;
    ready.notes = {"ok", "\xc3"};
    const auto back = decode(std::string_view(encoded(ready)).substr(4));
    ASSERT_TRUE(back);
    EXPECT_EQ(std::get<Ready>(*back).notes[1], "\uFFFD");
    const auto tokenize = decode(std::string_view(encoded(Tokenize{1, "\xff"})).substr(4));
    ASSERT_TRUE(tokenize);
    EXPECT_EQ(std::get<Tokenize>(*tokenize).text, "\xff");
}

TEST(Frame, BitFlipsNeverDoHarm) {
    std::mt19937 random(1);
    for (const Message& message : all_messages()) {
        const std::string body = encoded(message).substr(4);
        for (int round = 0; round < 200; ++round) {
            std::string flipped = body;
            flipped[random() % flipped.size()] ^= static_cast<char>(1u << (random() % 8));
            const auto back = decode(flipped);
            if (back) encoded(*back);
        }
    }
}

TEST(FrameReader, CutsAStreamIntoMessagesWhateverThePieces) {
    std::string stream;
    const auto messages = all_messages();
    for (const Message& message : messages) ASSERT_TRUE(encode(message, stream));
    for (const size_t piece : {size_t{1}, size_t{3}, size_t{7}, size_t{64}, stream.size()}) {
        FrameReader reader;
        size_t n = 0;
        for (size_t begin = 0; begin < stream.size(); begin += piece) {
            reader.append(std::string_view(stream).substr(begin, piece));
            for (;;) {
                const auto message = reader.next();
                ASSERT_TRUE(message) << message.error().message;
                if (!*message) break;
                ASSERT_LT(n, messages.size());
                EXPECT_EQ(print(**message), print(messages[n++]));
            }
        }
        EXPECT_EQ(n, messages.size());
    }
}

TEST(FrameReader, RefusesAnExcessiveLengthBeforeItsBytesArrive) {
    FrameReader reader;
    reader.append(std::string("\x01\0\0\x01", 4));
    EXPECT_EQ(reader.next().error().message, "frame: a length of 16777217 bytes is more than 16777216");
}

TEST(FrameReader, RefusesAnEmptyFrame) {
    FrameReader reader;
    reader.append(std::string(4, '\0'));
    EXPECT_EQ(reader.next().error().message, "frame: no message type");
}

}  // namespace
}  // namespace llmd::protocol
