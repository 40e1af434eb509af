// Proves that the text of any template is read in time that grows with its length, whatever a stranger wrote, and what
// is read of it beside its family.
#include "engine/chat/template_text.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "support/processor_time.h"

namespace llmd::chat {
namespace {

constexpr size_t kMost = 1u << 20;  // bytes of a template
const std::string kTurn = "{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}";
const std::string kGraniteTurn =
    "{{- '<|start_of_role|>' + message['role'] + '<|end_of_role|>' + message['content'] }}"
    "<|start_of_role|>available_tools<|end_of_role|>";

std::string_view family_of(std::string_view text) {
    const ChatFamily* family = recognize_chat_family(text);
    return family == nullptr ? "unknown" : family->name;
}

TemplateDetails details(const std::string& text) {
    const ChatFamily* family = recognize_chat_family(text);
    return family == nullptr ? TemplateDetails() : read_details(*family, text, "<s>");
}

// `text`, and behind it `piece` as often as it fits.
std::string filled(std::string text, std::string_view piece) {
    text.reserve(kMost);
    while (text.size() + piece.size() <= kMost) text += piece;
    return text;
}

TEST(TemplateText, IsReadInTimeThatGrowsWithItsLength) {
    // Each made the reading quadratic once, and took 2 to 28 seconds; now each takes less than half of one.
    constexpr double kMostSeconds = 4;
    const test::ProcessorTime time;
    for (const std::string& text :
         {filled("", "message.role"), filled("", "+''"), filled("", "'"), filled("", "{{bos_token}}"),
          filled(kTurn, "<|im_start|>system\\n"), filled(kTurn, "set system_message = 'a"),
          filled(kGraniteTurn, "\"Knowledge Cutoff Date: April 2024.")}) {
        (void)details(text);
    }
    EXPECT_LT(time.seconds(), kMostSeconds);
}

TEST(TemplateText, IsNotReadBeyondAMebibyte) {
    std::string text = kTurn + std::string(kMost - kTurn.size(), ' ');
    EXPECT_EQ(family_of(text), "chatml");
    EXPECT_EQ(details(text).system, "");
    text += ' ';
    EXPECT_EQ(family_of(text), "unknown");
    EXPECT_EQ(default_system(*find_chat_family("chatml"), text), "");
}

TEST(TemplateText, MayHaveAnyBytes) {
    const std::string odd = std::string("\0\xff\xfe\xc3", 4) + "{% for i in range(10 ** 9) %}{{ i }}";
    EXPECT_EQ(family_of(odd), "unknown");
    EXPECT_EQ(family_of(odd + kTurn + odd), "chatml");  // it is not run
    EXPECT_EQ(details(kTurn + "{% set system_message = 'a" + odd).system, "");
    EXPECT_EQ(details(kTurn + "{% set system_message = '\xff' %}").system, "\xff");
    EXPECT_EQ(family_of(""), "unknown");
}

TEST(TemplateText, SaysWhetherItBeginsWithTheToken) {
    EXPECT_FALSE(details(kTurn).begins);
    EXPECT_TRUE(details("{{ bos_token }}{% for message in messages %}" + kTurn).begins);
    // Where the loop writes it, it is before each message or before some.
    EXPECT_EQ(family_of("{% for message in messages %}{{ bos_token }}" + kTurn), "unknown");
    const std::string gemma = "{{ '<start_of_turn>' + role + '\\n' + message['content'] | trim + '<end_of_turn>\\n' }}";
    EXPECT_FALSE(details(gemma).begins);
    EXPECT_TRUE(details("{{ bos_token }}" + gemma).begins);
    EXPECT_TRUE(details("<s>" + gemma).begins);
}

TEST(TemplateText, SaysItsOwnSystemMessages) {
    EXPECT_EQ(details(kTurn + "{{ '<|im_start|>system\\nBe brief.<|im_end|>' }}").system, "Be brief.");
    EXPECT_EQ(
        details(kTurn + "{% set system_message = messages[0]['content'] %}{% set system_message = 'Be.' %}").system,
        "Be.");
    EXPECT_EQ(details(kTurn + "{% set system_message = 'It is ' + today %}").system, "");
    // The date is left out, and what tools add is read where they are.
    const TemplateDetails granite = details(
        "{%- set system_message = \" Knowledge Cutoff Date: April 2024.\n Today's Date: \" + strftime_now('%B %d, %Y') "
        "+ "
        "\". You are Granite, developed by IBM.\" %}{%- elif available_tools %}{%- set system_message = system_message "
        "+ "
        "\" Call tools.\" %}" +
        kGraniteTurn);
    EXPECT_EQ(
        granite.system,
        " Knowledge Cutoff Date: April 2024.\n You are Granite, developed by IBM. You are a helpful AI assistant.");
    EXPECT_EQ(granite.system_tools,
              " Knowledge Cutoff Date: April 2024.\n You are Granite, developed by IBM. Call tools.");
}

TEST(TemplateText, SaysWhatAnEmptySystemMessageIs) {
    const std::string phi = "{{'<|user|>\\n' + message['content'] + '<|end|>\\n'}}";
    EXPECT_FALSE(details(phi + "{% if message['role'] == 'system' %}").omits_empty_system);
    EXPECT_TRUE(details(phi + "{% if message['role'] == 'system' and message['content'] %}").omits_empty_system);
}

}  // namespace
}  // namespace llmd::chat
