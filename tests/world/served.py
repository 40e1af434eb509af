"""served.py --work WORK [--soak SECONDS] [MODEL ...]: real models behind the real llmd.

llmd answers with each MODEL of real.py (default: qwen), on the CPU, over a private bus and its socket. A row is printed for each of

  - conversations: an answer is the same on the bus, over HTTP and streamed; after the turn before it, which the prefix cache keeps;
    when the model has been loaded anew, from the cache's files; and without either. How much sooner its first token comes
  - tools: a demanded call is of a tool and fits it, whichever way it comes
  - schemas: every finished answer fits, those to random schemas of tests/integration/schema_test.py, asked on the bus only, too
  - drafts: requests of every kind (tests/integration/drafts_test.py) are answered the same with drafted tokens and without
  - deaths: a text whose engine is killed with SIGKILL in its middle is that of an undisturbed one

Then the lane `soak` runs on the model for SECONDS (300; 0: not at all). Exit status 1 where anything is not as it should be; 77
where PyPI cannot be had. LLMD_BUILD and LLMD_SOURCE are as for tests/integration. Needs python3-gi, python3-jsonschema and
dbus-daemon."""
import argparse
import contextlib
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True
import judge  # noqa: F401  (tests/lanes is in the path from now on)
import real
from bare_calls_requests import CALLS, TOOLS
from soak_clients import called, streamed

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))
import harness  # noqa: E402

harness.LIMIT_S = 1200  # a machine that has other things to do is no failure

import chat_test  # noqa: E402
import drafts_test  # noqa: E402
import prefix_test  # noqa: E402
import schema_test  # noqa: E402
import socket_test  # noqa: E402

# Two workers that wait for each other would lose most of their time beside other jobs.
SETTINGS = 'backend = "cpu"\nthreads = 1\ncontext_length = 2048\nsaved_prefix_mib = 256\n'
ANSWER_TOKENS = 48
STEP_OF_CALLS = 5  # every fifth of CALLS
CALL_TOKENS = 120
N_RANDOM_SCHEMAS = 10
SCHEMA_TOKENS = 100
N_DRAFTED = drafts_test.N_TEXTS
N_TOGETHER = 4
N_DEATHS = 20
TEXT_TOKENS = 48
HOUSES = ("museum of clocks", "glass works", "old harbour", "toy museum", "botanical garden")
FACTS = (
    "Open from nine to six on weekdays, from ten to two on Saturdays, never on Sundays and on the first of May.",
    "Tickets are nine euros for an adult, four for a child below fourteen, nothing for one below six, twenty for a family of four.",
    "The way is by tram 7 to the stop Old Mill, then on foot along the river for five minutes, past the bridge and the bakery.",
    "Clocks are on the ground floor, engines and pumps on the first, maps and globes below the roof, where no bags may be taken.",
    "The café has soup of the day for six euros, cake for three, is closed in January, and dogs are welcome on the terrace.",
    "Groups of ten or more call two days before, a tour takes fifty minutes, there are tours in French on Thursdays at eleven.",
    "Mrs. Adams leads the house, Mr. Ortiz repairs the clocks, Miss Lund answers letters, and Mr. Weiss is at the door.",
    "Lost things are kept for three months behind the desk, umbrellas for one, and what is eaten or drunk for a day.",
    "Members of the society of friends of the house pay half, bring one guest on Fridays, and get the letter of the month by mail.",
)
TURNS = ("When is it open on Saturdays?", "And what does a ticket for an adult cost?")
PERSON = {"type": "object", "additionalProperties": False, "required": ["name", "age", "city", "languages"], "properties": {
    "name": {"type": "string", "maxLength": 40}, "age": {"type": "integer", "minimum": 0, "maximum": 120},
    "city": {"enum": ["Berlin", "Lisbon", "Oslo", "Vienna"]},
    "languages": {"type": "array", "items": {"type": "string", "maxLength": 20}, "maxItems": 4}}}
PEOPLE = ("Anna is 34, lives in Oslo and speaks Norwegian and German.", "Bob, 51, of Lisbon, only speaks English.",
          "Clara from Vienna has turned nineteen. German is her language.", "In Berlin lives Deniz, 8, with Turkish and German.",
          "Nobody knows how old Emil is. He is at home in Oslo.")


class Served:
    """A model behind an llmd, which is there within llmd()."""

    def __init__(self, name, path):
        self.told = real.MODELS[name].told
        self.path = path
        self.is_right = True

    def row(self, what, n_good, n, more):
        self.is_right = self.is_right and n_good == n
        print(f"| {self.told} | {what} | {n_good} of {n} | {more} |", flush=True)

    @contextlib.contextmanager
    def llmd(self, speculates):
        with contextlib.ExitStack() as stack:
            self.bus = harness.PrivateBus()
            stack.callback(self.bus.close)
            self.model = self.bus.link_model(self.path)
            self.bus.config(f"{SETTINGS}speculation = {str(speculates).lower()}\n")
            self.daemon = harness.Daemon(self.bus)
            stack.callback(self.daemon.stop)
            self.client = self.bus.connect()
            yield

    def asked(self, **options):
        return {"model": self.model, "temperature": 0.0, "max_tokens": ANSWER_TOKENS, **options}

    def say(self, messages, **options):
        """((text, calls, why it ended), info), over the bus."""
        text, info = self.client.call("Chat", chat_test.arguments(messages, self.asked(**options)))
        return (text, called(json.loads(info.get("tool_calls", "[]"))), info["finish_reason"]), info

    def post(self, messages, stream=False, **options):
        """(text, calls, why it ended), over the socket."""
        with contextlib.closing(socket_test.Connection(self.bus.path("runtime/llmd/llmd.sock"))) as connection:
            status, _, body = connection.ask("POST", "/v1/chat/completions", self.asked(messages=messages, stream=stream, **options))
        if status != 200:
            raise RuntimeError(body.decode())
        if stream:
            return streamed(map(json.loads, socket_test.events(body)[:-1]))
        choice, = json.loads(body)["choices"]
        message = choice["message"]
        return message["content"] or "", called(message.get("tool_calls", [])), choice["finish_reason"]

    def load_anew(self, keeps_files):
        self.client.admin("UnloadModel", "(a{sv})", {})
        if not keeps_files:
            shutil.rmtree(self.files(), ignore_errors=True)
        self.client.load(self.model)

    def files(self):
        return self.bus.path("cache", "llmd", "prefixes")

    def wait_for_files(self, n_tokens):
        n = n_tokens // prefix_test.PAGE_TOKENS
        self.client.wait(lambda: os.path.isdir(self.files()) and
                         sum(name.endswith(".prefix") for name in os.listdir(self.files())) >= n, f"{n} files of the prefix cache")

    def conversations(self):
        good, memory, files = 0, [], []
        for house in HOUSES:
            self.load_anew(keeps_files=False)
            of = chat_test.of
            turn = [of("system", f"You are at the desk of the {house}. " + " ".join(FACTS)), of("user", TURNS[0])]
            (first, *_), _ = self.say(turn)
            turn += [of("assistant", first), of("user", TURNS[1])]
            warm, of_memory = self.say(turn)
            self.wait_for_files(of_memory["cached_tokens"])
            self.load_anew(keeps_files=True)
            loaded, of_files = self.say(turn)
            self.load_anew(keeps_files=False)
            cold, of_none = self.say(turn)
            memory.append(of_memory["ttft_ms"] / of_none["ttft_ms"])
            files.append(of_files["ttft_ms"] / of_none["ttft_ms"])
            is_kept = min(of_memory["cached_tokens"], of_files["cached_tokens"]) > of_none["prompt_tokens"] / 2
            good += (warm == loaded == cold == self.post(turn) == self.post(turn, stream=True) and is_kept
                     and of_none["cached_tokens"] == 0 and bool(cold[0]))
        self.row("conversations", good, len(HOUSES), f"first token of the second turn ({of_none['prompt_tokens']} tokens) after "
                 f"{spread(memory)} of the time that it takes by itself; with the model loaded anew {spread(files)}")

    def tools(self):
        asked = CALLS[::STEP_OF_CALLS]
        good = meant = 0
        for names, words in asked:
            tools = [TOOLS[name] for name in names.split()]
            messages = [chat_test.of("user", words)]
            options = {"tool_choice": "required", "parallel_tool_calls": False, "max_tokens": CALL_TOKENS}
            whole, _ = self.say(messages, tools=json.dumps(tools), **options)
            others = [self.post(messages, stream, tools=tools, **options) for stream in (False, True)]
            calls = whole[1]
            good += all(other == whole for other in others) and whole[2] == "tool_calls" and len(calls) == 1 and fits(
                TOOLS[calls[0][0]]["function"]["parameters"], calls[0][1])
            meant += [name for name, _ in calls] == names.split()[:1]
        self.row("tools", good, len(asked), f"{meant} of the tool that was meant")

    def schemas(self):
        asked = [(PERSON, [chat_test.of("user", f"Who is this? {words}")], {}) for words in PEOPLE]
        asked += [(schema_test.RandomSchema(number).schema(), [chat_test.of("user", "Make something up.")],
                   {"temperature": 1.0, "seed": number}) for number in range(N_RANDOM_SCHEMAS)]
        good = finished = 0
        for schema, messages, options in asked:
            of_socket = {"response_format": {"type": "json_schema", "json_schema": {"name": "it", "schema": schema}}}
            options["max_tokens"] = SCHEMA_TOKENS
            whole, _ = self.say(messages, json_schema=json.dumps(schema), **options)
            others = [self.post(messages, stream, **of_socket, **options) for stream in (False, True) if schema is PERSON]
            finished += whole[2] == "stop"
            good += all(other == whole for other in others) and (fits(schema, whole[0]) if whole[2] == "stop" else whole[2] == "length")
        self.row("schemas", good, len(asked), f"{finished} finished within {SCHEMA_TOKENS} tokens")

    def deaths(self):
        undisturbed = self.texts(kills=False)
        before = self.client.status()["engine_restarts"]
        n_same = sum(map(lambda one, other: one == other, self.texts(kills=True), undisturbed))
        n_started = self.client.status()["engine_restarts"] - before
        self.row("deaths", n_same, N_DEATHS, f"{n_started} engines in the place of killed ones")
        self.is_right = self.is_right and n_started >= N_DEATHS

    def texts(self, kills):
        """N_DEATHS texts, greedy and seeded, whose engines are killed or not."""
        chance = random.Random(1)
        found = []
        for number in range(N_DEATHS):
            prompt = real.PROMPTS[number % len(real.PROMPTS)]
            options = self.asked(max_tokens=TEXT_TOKENS, temperature=0.0 if number < len(real.PROMPTS) else 0.8, seed=number)
            n_read = chance.randint(1, TEXT_TOKENS // 2)
            found.append(drafts_test.text_past_a_death(self.client, self.daemon, prompt, options, n_read if kills else 0))
        return found

    def drafts(self, answers, plain):
        """`answers` and `plain`: what ask_all() has with drafts and without."""
        answers, drafted, accepted = answers
        self.row("drafts", sum(map(lambda one, other: one == other, answers, plain[0])), N_DRAFTED,
                 f"{N_TOGETHER} at a time, {drafted} tokens drafted, {accepted} accepted")
        self.is_right = self.is_right and accepted > 0

    def run(self, soak_s):
        """Whether everything is as it should be."""
        with self.llmd(speculates=True):
            self.conversations()
            self.tools()
            self.schemas()
            self.deaths()
            requests = drafts_test.requests_of(range(N_DRAFTED), [self.model])
            drafted = drafts_test.ask_all(self.bus, requests, N_TOGETHER)
        with self.llmd(speculates=False):
            self.drafts(drafted, drafts_test.ask_all(self.bus, requests, 1))
        if soak_s:
            soak = [pathlib.Path(harness.SOURCE) / "tests/lanes/soak", harness.BUILD, "--model", self.path, "--seconds", str(soak_s)]
            self.is_right = subprocess.run(soak).returncode == 0 and self.is_right
        return self.is_right


def fits(schema, text):
    try:
        schema_test.judge(schema, text)
    except (ValueError, schema_test.jsonschema.ValidationError):
        return False
    return True


def spread(ratios):
    return f"{statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--soak", type=int, default=300, metavar="SECONDS")
    parser.add_argument("models", nargs="*", metavar="MODEL", default=["qwen"])
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    try:
        models = [Served(name, real.fetch(args.work, name)) for name in args.models]
    except real.Absent as reason:
        print(f"skipped: {reason}")
        return real.SKIP
    print("| file | what | as it should be | |\n|---|---|---|---|", flush=True)
    return 0 if all([model.run(args.soak) for model in models]) else 1


if __name__ == "__main__":
    sys.exit(main())
