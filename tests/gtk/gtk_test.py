#!/usr/bin/python3
"""llmd-gtk as a person without a mouse uses it, and as a screen reader reads it: before the real llmd with the demonstration
models, and before one that stands in its place where the model must call tools.

LLMD_BUILD and LLMD_SOURCE are as for harness.py. LLMD_GTK_SCREEN is the size of the screen (360x720). With LLMD_GTK_PICTURES,
a folder, only pictures are taken, of that size, in light and dark."""
import contextlib
import os
import re
import select
import signal
import sys
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "integration"))
import harness  # noqa: E402
from fake_llmd import OnTheBus  # noqa: E402
from fake_upstream import FakeUpstream  # noqa: E402
from harness import GPT2, LLAMA, MARKER  # noqa: E402

try:
    from desktop import App, Atspi, Desktop, missing, name_of
except (ImportError, ValueError) as error:
    print(f"skipped: {error}; install gir1.2-atspi-2.0")
    sys.exit(harness.SKIP)

LLMD_GTK = os.path.join(harness.BUILD, "client", "gtk", "llmd-gtk")
SCREEN = os.environ.get("LLMD_GTK_SCREEN", "360x720")
PICTURES = os.environ.get("LLMD_GTK_PICTURES")
REMOTE = "tales@home"
SETTINGS = """
backend = "cpu"
[[remote]]
name = "home"
url = "{url}"
models = ["tales"]
apps = ["host"]
"""
# Of a scroll bar that appears, in GTK 4.8.
GTKS_OWN = "Trying to snapshot GtkGizmo"
# More tokens than the models' contexts have.
TOO_LONG = f"{MARKER} and the " * 200
CLOCK = "Let the Model Read the Clock"
CUT = "The answer was cut: llmd has ended."
FROM_HOME = "From home, not from this device"
STEP_S = 0.01  # of an engine that is held again: some tokens
STOPPED = "You stopped the answer."
LOCAL_TIME = [("call", "call_1", "current_time", '{"time_zone": "UTC"}'), "tool_calls"]


def setUpModule():
    global bus, screen, upstream
    upstream = FakeUpstream({"api": "llama-server", "models": ["tales"], "token_ms": 20})
    unittest.addModuleCleanup(upstream.__exit__, None, None, None)
    upstream.__enter__()
    bus = harness.PrivateBus()
    unittest.addModuleCleanup(bus.close)
    bus.config(SETTINGS.format(url=upstream.url))
    screen = Desktop(bus, *map(int, SCREEN.split("x")))
    unittest.addModuleCleanup(screen.close)
    # Atspi's own connections, from here.
    os.environ.update({name: screen.environment[name] for name in ("DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "XDG_RUNTIME_DIR")})


class Window(unittest.TestCase):
    """A new window for each test, and what a person can do there."""

    colours = "default"

    def setUp(self):
        self.app = App(screen, LLMD_GTK, ADW_DEBUG_COLOR_SCHEME=self.colours)
        self.addCleanup(self.app.close)

    def tearDown(self):
        self.assert_controls_have_names()
        with open(bus.path("llmd-gtk.log")) as log:
            text = "".join(line for line in log if GTKS_OWN not in line)
        self.assertNotRegex(text, "(?i)critical|warning")
        self.assertNotIn(MARKER, text)

    def assert_controls_have_names(self):
        # A menu has a scrolled window of GTK's own. What has no name is called by its class.
        def is_nameless(node):
            return (node.get_state_set().contains(Atspi.StateType.FOCUSABLE) and node.get_role() != Atspi.Role.SCROLL_PANE
                    and (not node.get_name() or re.fullmatch(r"(Gtk|Adw)\w+", node.get_name())))

        # What has gone meanwhile is looked for again.
        found = screen.wait(lambda: [[node.get_role_name() for node in self.app.nodes() if is_nameless(node)]], "the controls")
        self.assertEqual(found, [[]], self.app.dump())

    def ask(self, text, *keys):
        screen.wait(lambda: self.focus() == "Message", lambda: f"the entry has the focus, and not {self.focus()!r}")
        screen.type(text)
        screen.press(*(keys or ["Return"]))

    def focus(self):
        node = self.app.focused()
        return node and name_of(node)

    def answers(self):
        """The labels of the last answer but for the badge."""
        rows = [node for node in self.app.nodes() if name_of(node) == "Answer"]
        labels = [name_of(node) for node in self.app.walk(rows[-1]) if node.get_role() == Atspi.Role.LABEL] if rows else []
        return [label for label in labels if label != FROM_HOME]

    def answer(self):
        return (self.answers() or [""])[0]

    @contextlib.contextmanager
    def in_the_middle(self, daemon, n_characters):
        """Lets the engine run in small steps until the answer is that long, and holds it inside the block."""
        with daemon.held_engine():
            def is_long():
                if len(self.answer()) > n_characters:
                    return True
                for pid in daemon.engines():
                    os.kill(pid, signal.SIGCONT)
                select.select([], [], [], STEP_S)
                for pid in daemon.engines():
                    os.kill(pid, signal.SIGSTOP)
                return False
            screen.wait(is_long, f"{n_characters} characters of an answer")
            yield

    def wait_answer(self):
        return screen.wait(self.answer, "something of an answer")

    def press_button(self, name):
        """The last one of the conversation, which is before the entry."""
        self.app.wait_named(name, Atspi.Role.PUSH_BUTTON)
        self.focus_back_to(name)
        screen.press("Return")

    def focus_back_to(self, name):
        for _ in range(20):
            if self.focus() == name:
                return
            before = self.focus()
            screen.press("shift+Tab")
            screen.wait(lambda: self.focus() != before, lambda: f"the focus leaves {before!r}")
        self.fail(f"the keyboard does not reach {name!r} in\n{self.app.dump()}")

    def choose(self, model):
        self.app.wait_named(f"Model: {LLAMA}")
        screen.press("ctrl+m")
        self.app.wait_named("Models")
        for _ in range(8):
            if (self.focus() or "").startswith(model):
                break
            screen.press("Down" if self.focus() and "Model: " not in self.focus() else "Tab")
        self.assertTrue(self.focus().startswith(model), self.focus())
        self.assert_controls_have_names()

    def choose_and_close(self, model):
        self.choose(model)
        screen.press("Return")
        screen.wait(lambda: not self.app.named("Models"), "the list is closed")

    def allow_tools(self):
        screen.press("F10")
        self.app.wait_named(CLOCK)
        self.assert_controls_have_names()
        for _ in range(8):
            if self.focus() == CLOCK:
                break
            screen.press("Tab")
        screen.press("space")
        screen.wait(lambda: self.app.focused().get_state_set().contains(Atspi.StateType.CHECKED), "it is allowed")
        screen.press("Escape")
        screen.wait(lambda: not self.app.named(CLOCK), "the menu is closed")


class BeforeLlmd(Window):
    def setUp(self):
        self.daemon = harness.Daemon(bus)
        self.addCleanup(self.end)
        self.client = bus.connect()
        self.addCleanup(self.client.close)
        self.client.load(LLAMA)
        super().setUp()

    def end(self):
        self.daemon.stop()
        self.assertNotIn(MARKER, self.daemon.log())

    def kill(self):
        self.daemon.process.kill()
        self.daemon.process.wait(harness.LIMIT_S)

    def test_an_answer_comes_bit_by_bit_and_escape_stops_it(self):
        self.ask(MARKER)
        with self.in_the_middle(self.daemon, 10):
            self.app.wait_named("Stop", Atspi.Role.PUSH_BUTTON)
            self.assertFalse(self.app.named("Send", Atspi.Role.PUSH_BUTTON))
            self.assertEqual(len(self.client.requests()), 1)
            screen.press("Escape")
            self.app.wait_text(STOPPED)
        self.client.wait(lambda: not self.client.requests(), "llmd has nothing to do")
        stopped = self.answer()
        self.assertTrue(stopped)
        self.app.wait_named("Send", Atspi.Role.PUSH_BUTTON)
        # The rest continues the text, in the same row.
        self.press_button("Go On")
        longer = screen.wait(lambda: len(self.answer()) > len(stopped) and self.answer(), "a longer text")
        self.assertTrue(longer.startswith(stopped), (stopped, longer))
        self.assertFalse(self.app.named(STOPPED))

    def test_each_key_does_what_it_says(self):
        screen.type("one")
        screen.press("shift+Return")
        screen.type("two")
        screen.press("ctrl+Return")
        self.app.wait_named("one\ntwo", Atspi.Role.LABEL)
        self.wait_answer()
        screen.press("ctrl+n")
        self.app.wait_named("Ask something", Atspi.Role.LABEL)
        self.assertFalse(self.app.named("one\ntwo"))
        self.client.wait(lambda: not self.client.requests(), "the answer that nobody sees is not generated")
        self.assertEqual(self.focus(), "Message")
        # The order in which Tab goes through the window.
        names = []
        for _ in range(12):
            screen.press("Tab")
            names.append(screen.wait(self.focus, "something has the focus"))
            if names[-1] == "Message":
                break
        self.assertEqual(names, ["New Chat", f"Model: {LLAMA}", "Menu", "Message"])
        screen.press("ctrl+w")
        self.assertEqual(self.app.process.wait(harness.LIMIT_S), 0)

    def test_a_refused_answer_is_told_in_plain_words(self):
        self.ask(TOO_LONG)
        self.app.wait_text("The conversation is too long for this model.")
        self.app.wait_text("Begin a new chat, or choose a model with a longer context.")
        self.assert_controls_have_names()
        self.press_button("New Chat")
        self.app.wait_named("Ask something", Atspi.Role.LABEL)

    def test_another_model_is_chosen(self):
        self.choose_and_close(GPT2)
        self.app.wait_named(f"Model: {GPT2}")
        self.ask(MARKER)
        self.wait_answer()
        self.assertTrue(self.client.engine_of(GPT2))

    def test_a_text_from_another_machine_says_so(self):
        self.choose(REMOTE)
        self.assertRegex(self.app.focused().get_description(), r"^\S+:\d+, on home$")
        screen.press("Return")
        self.app.wait_named(f"Model: {REMOTE}, on another machine")
        self.ask(MARKER)
        self.wait_answer()
        screen.press("Escape")
        self.app.wait_text(FROM_HOME)

    def test_llmd_is_killed_in_the_middle(self):
        self.ask(MARKER)
        with self.in_the_middle(self.daemon, 10):
            self.kill()
        self.app.wait_text(CUT)
        self.app.wait_named("llmd is not running", Atspi.Role.LABEL)
        cut = self.answer()
        self.app.wait_named("Go On", Atspi.Role.PUSH_BUTTON)
        self.daemon = harness.Daemon(bus)
        screen.wait(lambda: not self.app.named("llmd is not running"), "the banner is gone")
        self.press_button("Go On")
        longer = screen.wait(lambda: len(self.answer()) > len(cut) and self.answer(), "a longer text")
        self.assertTrue(longer.startswith(cut), (cut, longer))

    def test_llmd_is_restarted_in_the_middle(self):
        self.ask(MARKER)
        with self.in_the_middle(self.daemon, 10):
            self.daemon.process.terminate()
            self.app.wait_named("What became of the answer")
        self.daemon.stop()
        self.app.wait_named("llmd is not running", Atspi.Role.LABEL)
        cut = self.answer()
        self.daemon = harness.Daemon(bus)
        screen.wait(lambda: not self.app.named("llmd is not running"), "the banner is gone")
        self.press_button("Go On")
        longer = screen.wait(lambda: len(self.answer()) > len(cut) and self.answer(), "a longer text")
        self.assertTrue(longer.startswith(cut), (cut, longer))

    def test_llmd_hangs(self):
        self.wait_known()
        os.kill(self.daemon.process.pid, signal.SIGSTOP)
        self.addCleanup(os.kill, self.daemon.process.pid, signal.SIGCONT)
        self.ask(MARKER)
        self.app.wait_named("The answer is coming")
        screen.press("Escape")
        self.app.wait_text(STOPPED)
        os.kill(self.daemon.process.pid, signal.SIGCONT)
        self.client.wait(lambda: not self.client.requests(), "what was stopped is not generated")
        self.press_button("Try Again")
        self.wait_answer()

    def wait_known(self):
        self.app.wait_named(f"Model: {LLAMA}")


class WithoutLlmd(Window):
    def test_it_says_so_and_goes_on_when_llmd_is_there(self):
        self.app.wait_named("llmd is not running", Atspi.Role.LABEL)
        self.ask(MARKER)
        self.app.wait_text("llmd is not running.")
        self.app.wait_text("llmctl doctor")
        daemon = harness.Daemon(bus)
        self.addCleanup(daemon.stop)
        self.app.wait_named(f"Model: {LLAMA}")
        self.assertFalse(self.app.named("llmd is not running"))
        self.press_button("Try Again")
        self.wait_answer()
        screen.wait(lambda: len(self.answer()) > 20, "a text")


class InItsPlace(Window):
    def setUp(self):
        self.llmd = OnTheBus(bus)
        self.addCleanup(self.llmd.close)
        super().setUp()
        self.app.wait_named("Model: tales")

    def test_the_model_reads_the_clock(self):
        self.llmd.answers = [LOCAL_TIME, [("thinking", "Well."), ("text", "It is late."), "stop"]]
        self.allow_tools()
        self.ask(MARKER)
        self.app.wait_text("It is late.")
        name, arguments, result, text = [label for label in self.answers() if label not in ("Thoughts", "Well.")]
        self.assertEqual((name, arguments, text), ("current_time", '{"time_zone":"UTC"}', "It is late."))
        self.assertRegex(result, r"^\w+day, \d{4}-\d\d-\d\d \d\d:\d\d UTC$")
        self.assertIn("Thoughts", self.app.texts())
        first, second = self.llmd.asked
        self.assertEqual(first[1]["tools"][0]["function"]["name"], "current_time")
        system, user, call, told = second[0]
        self.assertEqual((user["role"], call["role"], told["role"]), ("user", "assistant", "tool"))
        self.assertEqual(system["role"], "system")
        self.assertRegex(system["content"], r"\AToday is \w+day, \d{4}-\d\d-\d\d\.\nCalendar: tomorrow ")
        self.assertEqual((call["tool_calls"][0]["id"], told["tool_call_id"], told["content"]), ("call_1", "call_1", result))

    def test_another_machine_is_told_what_was_said_without_calls(self):
        self.llmd.answers = [[("text", "I look."), *LOCAL_TIME], [("text", "It is late."), "stop"]]
        self.allow_tools()
        self.ask(MARKER)
        self.app.wait_text("It is late.")
        self.llmd.close()
        # The real one takes its place in the same conversation.
        daemon = harness.Daemon(bus)
        self.addCleanup(daemon.stop)
        self.choose_and_close(REMOTE)
        self.ask("and now?")
        self.app.wait_text(FROM_HOME)
        self.wait_answer()
        told = [call.body["messages"] for call in upstream.calls if "messages" in (call.body or {})][-1]
        self.assertEqual([(message["role"], message["content"]) for message in told],
                         [("user", MARKER), ("assistant", "I look.\nIt is late."), ("user", "and now?")])
        self.assertFalse([key for message in told for key in message if "tool" in key])

    def test_a_call_that_was_cut_is_not_run(self):
        self.llmd.answers = [[*LOCAL_TIME[:-1], "length"]]
        self.ask(MARKER)
        self.app.wait_text("Not run: the answer was cut.")
        self.assertEqual(len(self.llmd.asked), 1)
        self.assertNotIn("tools", self.llmd.asked[0][1])  # nobody has allowed it
        self.assertEqual([message["role"] for message in self.llmd.asked[0][0]], ["user"], "and no day is told")

    def test_what_was_said_is_told_again(self):
        self.llmd.answers = [[("text", " Yes."), "stop"], ["stop"], [("text", "No."), "stop"]]
        for question in ("one", "two", "three"):
            self.ask(question)
            screen.wait(lambda: not self.llmd.answers or len(self.llmd.asked) == ("one", "two", "three").index(question) + 1, "it was asked")
            self.app.wait_named("Send", Atspi.Role.PUSH_BUTTON)
        self.app.wait_text("No.")
        messages = [(message["role"], message["content"]) for message in self.llmd.asked[2][0]]
        # The question without an answer is not among them.
        self.assertEqual(messages, [("user", "one"), ("assistant", " Yes."), ("user", "three")])

    def test_the_banner_tells_of_loading(self):
        self.llmd.set_state("loading", load_per_mille=harness.GLib.Variant("u", 420))
        self.app.wait_text("Loading tales … 42 %")
        self.llmd.set_state("ready")
        screen.wait(lambda: not any("Loading" in text for text in self.app.texts()), "the banner is gone")


class Pictures(Window):
    def take(self, name):
        screen.picture(os.path.join(PICTURES, f"{name}-{SCREEN}-{'dark' if 'dark' in self.colours else 'light'}.png"))

    def setUp(self):
        pass

    def test_all(self):
        for self.colours in ("prefer-light", "prefer-dark"):
            daemon = harness.Daemon(bus)
            try:
                client = bus.connect()
                client.load(LLAMA)
                client.close()
                self.with_llmd(daemon)
            finally:
                daemon.stop()
            self.llmd = OnTheBus(bus)
            try:
                self.with_tools()
            finally:
                self.llmd.close()

    def with_llmd(self, daemon):
        self.app = App(screen, LLMD_GTK, ADW_DEBUG_COLOR_SCHEME=self.colours)
        try:
            self.app.wait_named(f"Model: {LLAMA}")
            self.ask("Once upon a time there was a fox")
            with self.in_the_middle(daemon, 250):
                self.take("streamed")
                screen.press("Escape")
                self.app.wait_text(STOPPED)
            self.take("stopped")
            screen.press("ctrl+n")
            self.ask("and the fox said to the owl " * 60)
            self.app.wait_text("The conversation is too long")
            self.take("refused")
            screen.press("ctrl+n")
            self.choose(REMOTE)
            self.take("models")
            screen.press("Return")
            self.app.wait_named(f"Model: {REMOTE}, on another machine")
            self.ask("Once upon a time")
            screen.wait(lambda: len(self.answer()) > 100, "some words")
            screen.press("Escape")
            self.app.wait_text(STOPPED)
            self.take("remote")
        finally:
            self.app.close()

    def with_tools(self):
        self.app = App(screen, LLMD_GTK, ADW_DEBUG_COLOR_SCHEME=self.colours)
        try:
            self.app.wait_named("Model: tales")
            self.llmd.answers = [[("call", "call_1", "current_time", '{"time_zone": "Europe/Berlin"}'), "tool_calls"],
                                 [("text", "That is the time in Berlin."), "stop"]]
            self.allow_tools()
            self.ask("How late is it in Berlin?")
            self.app.wait_text("That is the time in Berlin.")
            self.take("tool-call")
        finally:
            self.app.close()


if __name__ == "__main__":
    absent = missing(bool(PICTURES))
    if absent:
        print(f"skipped: there is no {', '.join(absent)}; tools/packages gtk installs what is missing")
        sys.exit(harness.SKIP)
    tests = ["Pictures"] if PICTURES else ["BeforeLlmd", "WithoutLlmd", "InItsPlace"]
    unittest.main(defaultTest=tests, verbosity=2)
