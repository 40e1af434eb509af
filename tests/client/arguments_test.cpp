// The command line: what each option becomes on the bus, and what is refused before anything is sent.
#include "client/arguments.h"

#include <gtest/gtest.h>

#include "client/exit_code.h"
#include "client/help.h"

namespace llmd::client {
namespace {

std::string as_json(const Dictionary& dictionary) {
    base::JsonWriter json;
    write_json(json, dictionary);
    return json.take();
}

Arguments parse(std::vector<std::string> words) {
    words.insert(words.begin(), "llmctl");
    return parse_arguments(words);
}

// The message of the usage error that `words` cause.
std::string refusal(const std::vector<std::string>& words) {
    try {
        parse(words);
    } catch (const CommandError& error) {
        EXPECT_EQ(error.code(), ExitCode::Usage);
        return error.what();
    }
    ADD_FAILURE() << "accepted";
    return {};
}

TEST(Arguments, GenerateOptionsGetTheirBusNamesAndTypes) {
    const Arguments arguments = parse({"generate",
                                       "-m",
                                       "tales",
                                       "-n",
                                       "40",
                                       "--temperature=0",
                                       "--top-k",
                                       "1",
                                       "--top-p",
                                       "0.5",
                                       "--min-p",
                                       "0.1",
                                       "--repeat-penalty",
                                       "1.1",
                                       "--seed",
                                       "18446744073709551615",
                                       "--stop",
                                       "END",
                                       "--stop",
                                       "\n",
                                       "--priority",
                                       "background",
                                       "--deadline-ms",
                                       "5000",
                                       "--echo",
                                       "-v",
                                       "--json",
                                       "Once",
                                       "upon"});
    EXPECT_EQ(arguments.command, Command::Generate);
    EXPECT_EQ(arguments.operands, (std::vector<std::string>{"Once", "upon"}));
    EXPECT_TRUE(arguments.verbose);
    EXPECT_TRUE(arguments.json);
    const Dictionary expected = {
        {"model", std::string("tales")},
        {"max_tokens", uint64_t{40}},
        {"temperature", 0.0},
        {"top_k", uint64_t{1}},
        {"top_p", 0.5},
        {"min_p", 0.1},
        {"repeat_penalty", 1.1},
        {"seed", UINT64_MAX},
        {"stop", std::vector<std::string>{"END", "\n"}},
        {"priority", std::string("background")},
        {"deadline_ms", uint64_t{5000}},
        {"echo", true},
    };
    EXPECT_EQ(as_json(arguments.request), as_json(expected));
}

TEST(Arguments, AChatTakesWhatAGenerationDoesButForTheText) {
    const Arguments arguments = parse({"chat", "-s", "Be brief.", "-m", "tales", "--seed", "7"});
    EXPECT_EQ(arguments.command, Command::Chat);
    const Dictionary expected = {
        {"system", std::string("Be brief.")}, {"model", std::string("tales")}, {"seed", uint64_t{7}}};
    EXPECT_EQ(as_json(arguments.request), as_json(expected));
    EXPECT_EQ(refusal({"chat", "hello"}), "unexpected argument \"hello\"; see 'llmctl chat --help'");
    EXPECT_EQ(refusal({"chat", "--echo"}), "unknown option --echo; see 'llmctl chat --help'");
    EXPECT_EQ(refusal({"cancel", "--system", "x"}), "unknown option --system; see 'llmctl cancel --help'");
}

TEST(Arguments, OptionsMayFollowOperandsAndTwoDashesEndThem) {
    const Arguments arguments = parse({"generate", "tell", "--seed", "7", "--", "--json"});
    EXPECT_EQ(arguments.operands, (std::vector<std::string>{"tell", "--json"}));
    EXPECT_FALSE(arguments.json);
    EXPECT_EQ(number_of(arguments.request, "seed"), 7u);
}

// The daemon refuses it and names the option; -1 must reach it as -1.
TEST(Arguments, RangesAreLeftToTheDaemon) {
    EXPECT_EQ(*parse({"generate", "--max-tokens", "-1", "x"}).request.at("max_tokens").get<int64_t>(), -1);
}

TEST(Arguments, RangesOfWhatTheDaemonNeverSeesAreCheckedHereAndShown) {
    EXPECT_EQ(number_of(parse({"bridge", "--port", "65535"}).request, "port"), 65535u);
    EXPECT_EQ(number_of(parse({"bridge", "-p", "0"}).request, "port", 1), 0u);
    EXPECT_EQ(refusal({"bridge", "--port", "65536"}), "--port: \"65536\" is not a whole number from 0 to 65535");
    EXPECT_EQ(refusal({"bridge", "-p", "-1"}), "--port: \"-1\" is not a whole number from 0 to 65535");
    EXPECT_EQ(refusal({"bridge", "--port", "http"}), "--port: \"http\" is not a whole number from 0 to 65535");
    EXPECT_EQ(refusal({"bench", "--runs", "0"}), "--runs: \"0\" is not a whole number from 1 to 1000");
    EXPECT_EQ(refusal({"bench", "--prompt-tokens", "0"}),
              "--prompt-tokens: \"0\" is not a whole number from 1 to 1048576");
    EXPECT_EQ(refusal({"bench", "--generated-tokens", "1"}),
              "--generated-tokens: \"1\" is not a whole number from 2 to 1048576");
    EXPECT_NE(help_of(*find_command("bridge"), 100).find("(11434); 0 to 65535\n"), std::string::npos);
    EXPECT_NE(help_of(*find_command("bench"), 100).find("(3); 1 to 1000\n"), std::string::npos);
}

TEST(Arguments, MalformedNumbersAreNamed) {
    EXPECT_EQ(refusal({"generate", "--max-tokens", "ten", "x"}),
              "--max-tokens: \"ten\" is not a whole number of at most 64 bits");
    EXPECT_EQ(refusal({"generate", "--seed", "18446744073709551616", "x"}),
              "--seed: \"18446744073709551616\" is not a whole number of at most 64 bits");
    EXPECT_EQ(refusal({"generate", "--top-k", "1.5", "x"}),
              "--top-k: \"1.5\" is not a whole number of at most 64 bits");
    EXPECT_EQ(refusal({"generate", "--temperature", "hot", "x"}), "--temperature: \"hot\" is not a number");
    EXPECT_EQ(refusal({"generate", "--top-p", "", "x"}), "--top-p needs a value; see 'llmctl generate --help'");
}

TEST(Arguments, TextThatIsNotUtf8IsRefusedWithItsOffset) {
    EXPECT_EQ(refusal({"generate", "Once \xff"}), "argument: not UTF-8 text at byte 5");
    EXPECT_EQ(refusal({"generate", "--stop", "\xc0\x80", "x"}), "--stop: not UTF-8 text at byte 0");
}

TEST(Arguments, UnknownAndMissingThingsAreNamed) {
    EXPECT_EQ(parse({}).command, Command::Start);
    EXPECT_EQ(refusal({"sing"}), "unknown command \"sing\"; see 'llmctl --help'");
    EXPECT_EQ(refusal({"generate", "--loud"}), "unknown option --loud; see 'llmctl generate --help'");
    EXPECT_EQ(refusal({"models", "--seed", "1"}), "unknown option --seed; see 'llmctl models --help'");
    EXPECT_EQ(refusal({"generate", "--model"}), "--model needs a value; see 'llmctl generate --help'");
    EXPECT_EQ(refusal({"generate", "--model=", "x"}), "--model needs a value; see 'llmctl generate --help'");
    EXPECT_EQ(refusal({"generate", "-m", "", "x"}), "--model needs a value; see 'llmctl generate --help'");
    EXPECT_EQ(text_of(parse({"generate", "--system", "", "x"}).request, "system"), "");
    EXPECT_EQ(refusal({"generate", "-vZ", "x"}), "unknown option -Z; see 'llmctl generate --help'");
    EXPECT_EQ(refusal({"generate", "-vn"}), "-n needs a value; see 'llmctl generate --help'");
    EXPECT_EQ(refusal({"generate", "--echo=1"}), "--echo takes no value; see 'llmctl generate --help'");
    EXPECT_EQ(refusal({"--seed", "1", "generate"}),
              "all options but --json and --color follow the command; see 'llmctl --help'");
    EXPECT_EQ(refusal({"--json"}), "a command is missing; see 'llmctl --help'");
    EXPECT_EQ(refusal({"load", ""}), "the argument is empty; see 'llmctl load --help'");
    EXPECT_EQ(refusal({"load"}), "MODEL is missing; see 'llmctl load --help'");
    EXPECT_EQ(refusal({"models", "x"}), "unexpected argument \"x\"; see 'llmctl models --help'");
    EXPECT_EQ(
        refusal({"unload", "x"}),
        "MODEL is not to be named: 'llmctl unload' gives back the memory of every model that is loaded; see 'llmctl "
        "unload --help'");
}

std::string operands_fault(const std::string& usage, const std::vector<std::string>& given) {
    try {
        check_operands("config", usage, given);
        return "";
    } catch (const CommandError& error) {
        EXPECT_EQ(error.code(), ExitCode::Usage);
        return error.what();
    }
}

TEST(Arguments, MissingOperandsBehindAWordAreNamed) {
    const std::string form = ": it is 'llmctl config set KEY VALUE'; see 'llmctl config --help'";
    EXPECT_EQ(operands_fault("set KEY VALUE", {"set"}), "KEY and VALUE are missing" + form);
    EXPECT_EQ(operands_fault("set KEY VALUE", {"set", "model"}), "VALUE is missing" + form);
    EXPECT_EQ(operands_fault("set KEY VALUE", {"set", "model", ""}), "");
    EXPECT_EQ(operands_fault("set KEY VALUE", {"set", "model", "a", "b"}), "unexpected argument \"b\"" + form);
    EXPECT_EQ(operands_fault("explain [KEY]", {"explain"}), "");
    EXPECT_EQ(operands_fault("explain [KEY]", {"explain", "model"}), "");
    EXPECT_NE(operands_fault("explain [KEY]", {"explain", "a", "b"}).find("unexpected argument \"b\""),
              std::string::npos);
    EXPECT_NE(operands_fault("add NAME URL --model MODEL", {"add", "home"}).find("URL is missing: it is"),
              std::string::npos);
    EXPECT_EQ(operands_fault("add NAME URL --model MODEL", {"add", "home", "unix:/s"}), "");
}

TEST(Arguments, APathIsNoModelName) {
    EXPECT_EQ(refusal({"generate", "--model", "./a.gguf", "x"}),
              "--model: \"./a.gguf\" is a path; load it with 'llmctl load', then leave --model out");
}

TEST(Arguments, RefusalsOfTheDaemonNameTheOptionAsItIsTypedHere) {
    EXPECT_EQ(with_option_name("max_tokens: -1 is not in range"), "--max-tokens: -1 is not in range");
    EXPECT_EQ(with_option_name("text: max_tokens"), "text: max_tokens");
    EXPECT_EQ(with_option_name("max_tokens"), "--max-tokens");
    EXPECT_EQ(with_option_name(""), "");
}

TEST(Arguments, ASchemaIsTheNameOfAFile) {
    const Arguments arguments = parse({"generate", "--json-schema", "person.json", "--json", "x"});
    EXPECT_EQ(*arguments.request.at("json_schema").get<std::string>(), "person.json");
    EXPECT_TRUE(arguments.json);
    EXPECT_EQ(with_option_name("json_schema: at \"#\": no"), "--json-schema: at \"#\": no");
}

TEST(Arguments, JsonMayStandBeforeTheCommand) {
    for (const char* word : {"--json", "-j"}) {
        const Arguments arguments = parse({word, "generate", "--seed", "7", "--", "--json"});
        EXPECT_EQ(arguments.command, Command::Generate);
        EXPECT_TRUE(arguments.json);
        EXPECT_EQ(number_of(arguments.request, "seed"), 7u);
        EXPECT_EQ(arguments.operands, std::vector<std::string>{"--json"});
    }
    EXPECT_EQ(parse({"--json", "--version"}).command, Command::Version);
    EXPECT_EQ(parse({"--json", "--help"}).help, parse({"--help"}).help);
    EXPECT_EQ(parse({"--json", "help", "load"}).help, parse({"load", "--help"}).help);
}

TEST(Arguments, ToolsAndThinkingAreOfConversations) {
    const Arguments chat = parse({"chat", "--tools", "tools.json", "--thinking", "off", "--no-thinking"});
    const Dictionary expected = {{"tools", std::string("tools.json")}, {"thinking", std::string("off")}};
    EXPECT_EQ(as_json(chat.request), as_json(expected));
    EXPECT_TRUE(chat.no_thinking);
    const Arguments generate = parse({"generate", "--thinking", "on", "x"});
    EXPECT_EQ(text_of(generate.request, "thinking"), "on");
    EXPECT_FALSE(generate.no_thinking);
    for (const char* word : {"o", "on|off", "|", "high"}) {
        EXPECT_EQ(refusal({"chat", "--thinking", word}), "--thinking: \"" + std::string(word) + "\" is not on|off");
    }
    EXPECT_EQ(refusal({"generate", "--tools", "tools.json"}), "unknown option --tools; see 'llmctl generate --help'");
}

TEST(Arguments, EachTextToEmbedStaysItself) {
    const Arguments arguments =
        parse({"embed", "-m", "tales", "--priority", "background", "--deadline-ms", "9", "a b", "c"});
    EXPECT_EQ(arguments.command, Command::Embed);
    EXPECT_EQ(arguments.operands, (std::vector<std::string>{"a b", "c"}));
    const Dictionary expected = {
        {"model", std::string("tales")}, {"priority", std::string("background")}, {"deadline_ms", uint64_t{9}}};
    EXPECT_EQ(as_json(arguments.request), as_json(expected));
    EXPECT_EQ(refusal({"embed", "--seed", "1"}), "unknown option --seed; see 'llmctl embed --help'");
}

TEST(Arguments, CancelTakesOneRequestOrAll) {
    EXPECT_TRUE(parse({"cancel", "--all"}).all);
    EXPECT_EQ(parse({"cancel", "1_42/a"}).operands.size(), 1u);
    EXPECT_EQ(refusal({"cancel"}), "REQUEST or --all is missing; see 'llmctl cancel --help'");
    EXPECT_EQ(refusal({"cancel", "--all", "1_42/a"}), "either REQUEST or --all, not both; see 'llmctl cancel --help'");
}

TEST(Arguments, EveryWayToAskForHelpWorks) {
    for (const auto& words : {std::vector<std::string>{"--help"}, {"-h"}, {"help"}, {"--color", "never", "help"}}) {
        const Arguments arguments = parse(words);
        EXPECT_EQ(arguments.command, Command::Help);
        EXPECT_EQ(arguments.help, "");
    }
    for (const auto& words : {std::vector<std::string>{"load", "--help"}, {"help", "load"}, {"--help", "load"}}) {
        const Arguments arguments = parse(words);
        EXPECT_EQ(arguments.command, Command::Help);
        EXPECT_EQ(arguments.help, "load");
    }
    EXPECT_TRUE(parse({"help", "load", "--json"}).json);
    EXPECT_TRUE(parse({"load", "--help", "--json"}).json);
    EXPECT_TRUE(parse({"load", "-j", "--help"}).json);
    EXPECT_FALSE(parse({"load", "--help", "--jsn"}).json);
    EXPECT_EQ(refusal({"help", "lood"}), "unknown command \"lood\"; did you mean \"load\"?");
}

TEST(Arguments, ColorIsOfEveryCommandAndNoneOfTheRequest) {
    for (const auto& words : {std::vector<std::string>{"--color", "never", "generate", "x"},
                              {"--color=never", "generate", "x"},
                              {"generate", "--color", "never", "x"}}) {
        const Arguments arguments = parse(words);
        EXPECT_EQ(arguments.color, "never");
        EXPECT_EQ(arguments.operands, std::vector<std::string>{"x"});
        EXPECT_TRUE(arguments.request.empty());
    }
    EXPECT_EQ(parse({"models"}).color, "auto");
    EXPECT_EQ(refusal({"models", "--color", "red"}), "--color: \"red\" is not auto|always|never");
    EXPECT_EQ(refusal({"--color"}), "a command is missing; see 'llmctl --help'");
}

TEST(Arguments, SomethingMistypedIsGuessed) {
    EXPECT_EQ(refusal({"genrate", "x"}), "unknown command \"genrate\"; did you mean \"generate\"?");
    EXPECT_EQ(refusal({"generate", "--max-token-count", "3"}),
              "unknown option --max-token-count; see 'llmctl generate --help'");
    EXPECT_EQ(refusal({"generate", "--tempreature=3"}),
              "unknown option --tempreature; did you mean \"--temperature\"?");
}

}  // namespace
}  // namespace llmd::client
