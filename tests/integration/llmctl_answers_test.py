"""llmctl and answers that no demonstration model gives: what a model thinks, and the tools that it calls. Another program stands in
llmd's place."""
import json
import os
import pty
import subprocess
import unittest

import fake_llmd
import harness
from harness import LIMIT_S, LLMCTL
from terminal import Terminal, read_terminal

TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": {
    "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}]
WEATHER = ("call", "call_1", "weather", '{\n"city": "Oslo"}')
TIME = ("call", "call_2", "time", "{}")
CUT = "llmctl: cut after 7 tokens, where the model's context is full; the setting context_length says how long it is\n"
TURN = {"role": "user", "content": "How is it?"}


def calls_of(*calls):
    """As messages and --json have them."""
    return [{"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}
            for _, id_, name, arguments in calls]


class Answers(unittest.TestCase):
    def setUp(self):
        self.bus = harness.PrivateBus()
        self.addCleanup(self.bus.close)
        self.llmd = fake_llmd.OnTheSocket(self.bus)
        self.addCleanup(self.llmd.close)
        self.tools = self.bus.path("tools.json")
        with open(self.tools, "w") as file:
            json.dump(TOOLS, file)

    def ctl(self, *arguments, stdin="", code=0, **how):
        how = how or dict(stdout=subprocess.PIPE)
        done = subprocess.run([LLMCTL, *arguments], input=stdin.encode(), env=self.bus.environment, timeout=LIMIT_S,
                              stderr=subprocess.PIPE, **how)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def chat(self, *options, stdin, answers, told=""):
        """(standard output, the messages of each request)"""
        self.llmd.answers += answers
        done = self.ctl("chat", *options, stdin=stdin)
        self.assertEqual((done.stderr.decode(), self.llmd.answers), (told, []))
        return done.stdout.decode(), [messages for messages, _ in self.llmd.asked]

    def test_the_results_of_calls_go_back(self):
        out, asked = self.chat("--tools", self.tools, stdin="How is it?\n5 degrees\nnoon\nThanks\n", answers=[
            [("text", "Let me see."), WEATHER, TIME, "tool_calls"], [("text", "Cold"), "stop"], [("text", "Welcome"), "stop"]])
        self.assertEqual(out, 'Let me see.\ncall weather {"city":"Oslo"}\ncall time {}\nCold\nWelcome\n')
        self.assertEqual(asked[0], [TURN])
        second = [TURN,
                  {"role": "assistant", "content": "Let me see.", "tool_calls": calls_of(WEATHER, TIME)},
                  {"role": "tool", "content": "5 degrees", "tool_call_id": "call_1"},
                  {"role": "tool", "content": "noon", "tool_call_id": "call_2"}]
        self.assertEqual(asked[1], second)
        self.assertEqual(asked[2], [*second, {"role": "assistant", "content": "Cold"}, {"role": "user", "content": "Thanks"}])
        for _, options in self.llmd.asked:
            self.assertEqual(options["tools"], TOOLS)

    def test_a_model_may_call_again(self):
        out, asked = self.chat("--tools", self.tools, stdin="How is it?\n\nnoon\n", answers=[
            [WEATHER, "tool_calls"], [TIME, "tool_calls"], [("text", "Cold"), "stop"]])
        self.assertEqual(out, 'call weather {"city":"Oslo"}\ncall time {}\nCold\n')
        self.assertEqual([message["role"] for message in asked[2]], ["user", "assistant", "tool", "assistant", "tool"])
        self.assertEqual(asked[2][2]["content"], "")

    def test_json_has_calls_and_thinking(self):
        out, _ = self.chat("--tools", self.tools, "--json", stdin="How is it?\n5\nnoon\n", answers=[
            [("thinking", "h"), ("thinking", "m"), WEATHER, TIME, "tool_calls"], [("text", "Cold"), "stop"]])
        first, second = map(json.loads, out.splitlines())
        self.assertEqual(first["tool_calls"], calls_of(WEATHER, TIME))
        self.assertEqual((first["text"], first["thinking"], first["finish_reason"]), ("", "hm", "tool_calls"))
        self.assertEqual(first["generated_tokens"], 7)
        self.assertEqual((second["text"], second["thinking"], "tool_calls" in second), ("Cold", "", False))

    def test_an_input_that_ends_at_a_call_ends_the_chat(self):
        """And shows all calls, whether it ends before the first result or before the last one."""
        for results in "", "5 degrees\n":
            self.llmd.asked.clear()
            out, asked = self.chat("--tools", self.tools, stdin="How is it?\n" + results, answers=[[WEATHER, TIME, "tool_calls"]])
            self.assertEqual((out, len(asked)), ('call weather {"city":"Oslo"}\ncall time {}\n', 1))

    def test_a_call_that_was_cut_is_none(self):
        out, asked = self.chat("--tools", self.tools, stdin="How is it?\nAnd now?\n", answers=[
            [("text", "Let me see."), ("call", "call_1", "weather", '{"ci'), "length"], [("text", "Cold"), "stop"]], told=CUT)
        self.assertEqual(out, "Let me see.\nCold\n")
        self.assertEqual(asked[1], [TURN, {"role": "assistant", "content": "Let me see."},
                                    {"role": "user", "content": "And now?"}])

    def test_at_a_terminal_each_result_is_asked_for(self):
        self.llmd.answers += [[WEATHER, TIME, "tool_calls"], [("text", "Cold"), "stop"]]
        terminal = Terminal(self, "--tools", self.tools)
        terminal.expect(">>> ")
        terminal.type("How is it?\r")
        terminal.expect('call weather {"city":"Oslo"}', "result> ")
        terminal.type("5 degrees\r")
        terminal.expect("call time {}", "result> ")
        terminal.type('"""one\r')
        terminal.expect("... ")
        terminal.type('two"""\r')
        terminal.expect("Cold", ">>> ")
        self.assertEqual([message["content"] for message in self.llmd.asked[1][0][2:]], ["5 degrees", "one\ntwo"])
        terminal.type("\x04")
        self.assertEqual(terminal.process.wait(LIMIT_S), 0)

    def test_at_a_terminal_commands_stand_in_a_results_place(self):
        self.llmd.answers += [[WEATHER, TIME, "tool_calls"], [WEATHER, "tool_calls"], [TIME, "tool_calls"]]
        terminal = Terminal(self, "--tools", self.tools)
        terminal.expect(">>> ")
        terminal.type("How is it?\r")
        terminal.expect('call weather {"city":"Oslo"}', "result> ")
        terminal.type("/help\r")
        terminal.expect("begin anew", "result> ")
        terminal.type("/clear\r")
        terminal.expect(">>> ")
        terminal.type("How is it?\r")
        terminal.expect("result> ")
        terminal.type("/etc/weather\r")  # a result like any other
        terminal.expect("call time {}", "result> ")
        self.assertEqual(self.llmd.asked[1][0], [TURN])
        self.assertEqual(self.llmd.asked[2][0][-1]["content"], "/etc/weather")
        terminal.type("/exit\r")
        self.assertEqual(terminal.process.wait(LIMIT_S), 0)

    def test_in_a_pipe_every_result_is_one(self):
        _, asked = self.chat("--tools", self.tools, stdin="How is it?\n/exit\n", answers=[[WEATHER, "tool_calls"], [("text", "Cold"), "stop"]])
        self.assertEqual(asked[1][-1]["content"], "/exit")

    def generate(self, *options, **how):
        self.llmd.answers.append([("thinking", "\nh"), ("thinking", "m\n"), ("text", "\n\nso"), "stop"])
        return self.ctl("generate", "--system", "s", *options, "p", **how)

    def on_terminal(self, *options):
        ours, theirs = pty.openpty()
        self.bus.environment["TERM"] = "xterm"
        self.generate(*options, stdout=theirs)
        os.close(theirs)
        return read_terminal(ours)

    def test_thinking_is_dim_on_a_terminal_and_in_no_pipe(self):
        dim, normal = "\x1b[2m", "\x1b[22m"
        self.assertEqual(self.on_terminal(), f"{dim}hm{normal}\r\n\r\nso\r\n")
        self.assertEqual(self.on_terminal("--no-thinking"), "\r\n\r\nso\r\n")
        done = self.generate()
        self.assertEqual((done.stdout, done.stderr), (b"\n\nso", b""))
        self.assertEqual(json.loads(self.generate("--json").stdout)["thinking"], "\nhm\n")
        self.assertNotIn("thinking", json.loads(self.generate("--json", "--no-thinking").stdout))

    def test_a_text_that_is_not_from_this_device_is_told(self):
        info = ("info", {"model": "qwen3-32b@home", "where": "home"})
        self.llmd.answers += [[info, ("text", "so"), "length"]] * 3
        done = self.ctl("generate", "--system", "s", "--model", "qwen3-32b@home", "p")
        self.assertEqual((done.stdout, done.stderr), (b"so", b"llmctl: generated by home, not on this device\n"))
        done = self.ctl("generate", "--system", "s", "--json", "p")
        self.assertEqual((json.loads(done.stdout)["model"], done.stderr), ("qwen3-32b@home", b""))
        done = self.ctl("chat", stdin="How is it?\n")
        self.assertEqual((done.stdout, done.stderr), (b"so\n", b"llmctl: generated by home, not on this device\n"))

    def test_a_sandbox_is_not_told_of_requests(self):
        self.llmd.refused.add("/llmd/requests")
        self.assertNotIn(b"REQUEST", self.ctl("status").stdout)
        self.assertNotIn("requests", json.loads(self.ctl("status", "--json").stdout))
        self.assertEqual(self.ctl("queue", code=6).stderr, b"llmctl: not from a sandbox\n")

    def test_thinking_is_switched(self):
        for word in "on", "off":
            self.generate("--thinking", word)
            _, options = self.llmd.asked.pop()
            self.assertEqual(options["thinking"], word)
        done = self.ctl("generate", "--thinking", "on", "p", code=2)
        self.assertTrue(done.stderr.startswith(b"llmctl: --thinking: only in a conversation"), done.stderr)

    def test_where_a_text_is_from_is_what_llmd_says(self):
        for info, told in (({"model": "a@b", "where": "device"}, b""),
                           ({"model": "a", "where": "home", "resumed": 2},
                            b"llmctl: generated by home, not on this device; it was cut and resumed 2 times\n")):
            self.llmd.answers.append([("info", info), ("text", "so"), "stop"])
            self.assertEqual(self.ctl("generate", "--system", "s", "p").stderr, told)


if __name__ == "__main__":
    harness.main()
