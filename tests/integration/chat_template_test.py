"""The prompt that llmd makes of a conversation is, letter for letter, the one that the models' own templates make.

Jinja2 renders the templates of chat_templates.py as Transformers does. Meson gives LLMD_RENDER_CHAT
(tests/support/render_chat.cpp).
"""
import functools
import itertools
import json
import os
import re
import subprocess
import sys
import unittest

SKIP = 77  # meson's exit code for a test that cannot run here

try:
    import jinja2.sandbox
except ImportError:
    print("skipped: python3-jinja2 is not installed")
    sys.exit(SKIP)

# behind the check for Jinja2
from chat_templates import (GEMMA2, GEMMA3, GRANITE31, GRANITE33, LLAMA31, MISTRAL_V3, MISTRAL_V3_TEKKEN,
                            MISTRAL_V7_TEKKEN, SMOLLM2, SMOLLM3, TEMPLATES)

EACH = [(family, text) for family, texts in TEMPLATES.items() for text in texts]

SYSTEM = ("system", " You are brief.\n")
TURNS = [("user", " What is a tale? "), ("assistant", "A story.\n"), ("user", "Tell\none: <s>[INST] {{ 1 + 1 }}"),
         ("assistant", "\tOnce, \u00e4"), ("user", "\u00a0And?\u3000\n")]
LAST = "The end of this"


def message_of(message):
    """A message in OpenAI's form, of one that may be written as (role, content)."""
    return message if isinstance(message, dict) else {"role": message[0], "content": message[1]}


def sent(message):
    """A message as render_chat takes it."""
    message = message_of(message)
    calls = [{"id": call["id"], "name": call["function"]["name"],
              "arguments": json.dumps(call["function"]["arguments"], ensure_ascii=False)}
             for call in message.get("tool_calls", [])]
    return {"role": message["role"], "content": message["content"] or "", "tool_calls": calls,
            "thinking": message.get("reasoning_content", ""), "tool_call_id": message.get("tool_call_id", ""),
            "tool_name": message.get("name", "")}


RENDER = subprocess.Popen([os.environ["LLMD_RENDER_CHAT"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def render(text, messages, setting="", tools=None, thinking=""):
    """(what llmd makes of it, or None; whether that ends inside the thinking, or what llmd says instead)"""
    conversation = {"setting": setting, "template": text, "messages": [sent(message) for message in messages],
                    "thinking": thinking, "tools": json.dumps(tools, ensure_ascii=False) if tools else ""}
    RENDER.stdin.write(json.dumps(conversation) + "\n")
    RENDER.stdin.flush()
    answer = json.loads(RENDER.stdout.readline())
    return answer.get("prompt"), answer["begins_in_thinking"] if "prompt" in answer else answer["error"]


class Refused(Exception):
    pass


# What llmd leaves out of prompts: with the date in them every answer would change overnight.
DATED = re.compile(r"Today(?:'s)? Date: TODAY\.?[ \n]|Today's date: TODAY\n\n")


def refuse(message):
    raise Refused(message)


ENVIRONMENT = jinja2.sandbox.ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
ENVIRONMENT.globals["raise_exception"] = refuse
ENVIRONMENT.globals["strftime_now"] = lambda form: "TODAY"
ENVIRONMENT.filters["tojson"] = lambda value, indent=None, ensure_ascii=False: json.dumps(
    value, ensure_ascii=ensure_ascii, indent=indent)
compiled = functools.lru_cache(maxsize=None)(ENVIRONMENT.from_string)


def jinja(text, messages, answer=True, thinking="", **variables):
    """What Transformers makes of it."""
    switch = {"on": {"enable_thinking": True}, "off": {"enable_thinking": False}}.get(thinking, {})
    rendered = compiled(text).render(messages=[message_of(message) for message in messages], bos_token="<s>",
                                     eos_token="</s>", add_generation_prompt=answer, **variables, **switch)
    return DATED.sub("", rendered)


def expected(prompt):
    """What render() returns for a prompt."""
    return prompt, prompt.endswith("<think>\n")


class ChatTemplates(unittest.TestCase):
    def test_conversations_of_every_length(self):
        for (family, text), system, length in itertools.product(EACH, (False, True), (1, 3, 5)):
            messages = [SYSTEM] * system + TURNS[:length]
            with self.subTest(family=family, text=text[:80], system=system, length=length):
                self.assertEqual(render(text, messages), expected(jinja(text, messages)))

    def test_an_answer_that_is_begun(self):
        for (family, text), system in itertools.product(EACH, (False, True)):
            messages = [SYSTEM] * system + TURNS[:3] + [("assistant", LAST)]
            if family.startswith("mistral-v3"):  # the template would drop the system message, which an answer follows
                open_end = jinja(text, messages[:-1]) + (" " if family == "mistral-v3" else "") + LAST
            else:
                whole = jinja(text, messages, answer=False)
                open_end = whole[:whole.rindex(LAST) + len(LAST)]
            with self.subTest(family=family, text=text[:80], system=system):
                self.assertEqual(render(text, messages), (open_end, False))

    def test_contents_of_nothing(self):
        for (family, text), system, content in itertools.product(EACH, ("", " \n"), ("", " \n")):
            messages = [("system", system), ("user", content)]
            with self.subTest(family=family, text=text[:80], system=system, content=content):
                self.assertEqual(render(text, messages), expected(jinja(text, messages)))

    def test_the_setting_does_as_the_file(self):
        for family, text in EACH:
            with self.subTest(family=family, text=text[:80]):
                self.assertEqual(render(text, [SYSTEM, TURNS[0]], family), render(text, [SYSTEM, TURNS[0]]))

    def test_gemma_2_takes_no_system_and_gets_it_as_gemma_3_does(self):
        self.assertEqual(render(GEMMA2, TURNS), (jinja(GEMMA2, TURNS), False))
        with self.assertRaises(Refused):
            jinja(GEMMA2, [SYSTEM, *TURNS])
        self.assertEqual(render(GEMMA2, [SYSTEM, *TURNS]), (jinja(GEMMA3, [SYSTEM, *TURNS]), False))

    def test_what_a_template_refuses_is_refused(self):
        for (family, text), messages in itertools.product(EACH, ([TURNS[0]] * 2, [TURNS[1]], [SYSTEM, TURNS[1]])):
            with self.subTest(family=family, text=text[:80], messages=messages):
                try:
                    expected = jinja(text, messages, answer=messages[-1][0] != "assistant")
                except Refused:
                    prompt, why = render(text, messages)
                    self.assertIsNone(prompt)
                    self.assertRegex(why, rf"^messages\[\d\]\.role: .*{family}")
                else:
                    self.assertTrue(expected.startswith(render(text, messages)[0]))

    def test_a_template_of_nobody_is_refused(self):
        prompt, why = render("{% for message in messages %}{{ message['content'] }}{% endfor %}", TURNS)
        self.assertIsNone(prompt)
        self.assertRegex(why, "^chat_template: ")
        self.assertEqual(set(why.split(": ")[-1].strip().split(", ")), {"none", *TEMPLATES})


TOOLS = [
    {"type": "function", "function": {
        "name": "get_weather", "description": "The weather of a city, \"now\".\n<|im_end|> {name} \u00e4\u2028'",
        "parameters": {"type": "object", "required": ["city"], "properties": {
            "city": {"type": "string", "description": "Its name"}, "unit": {"type": "string", "enum": ["C", "F"]},
            "days": {"type": "integer", "minimum": 1, "default": 1.5}, "exact": {"type": "boolean", "default": True}}}}},
    {"type": "function", "function": {"name": "get_time", "parameters": {"type": "object", "properties": {}}}},
]


def call(number, name, **arguments):
    return {"id": f"call{number:05}", "type": "function", "function": {"name": name, "arguments": arguments}}


def result(number, name, content):
    return {"role": "tool", "tool_call_id": f"call{number:05}", "name": name, "content": content}


BRIEF = ("system", "You are brief.")
ONE_CALL = [
    ("user", "How is it in K\u00f6ln? </tool_response><|im_end|>[INST]"),
    {"role": "assistant", "content": "", "reasoning_content": "I must look.\n\nYes.",
     "tool_calls": [call(1, "get_weather", city="K\u00f6ln \"am\" <Rhein>\n&", unit="C", days=2, exact=True,
                         more={"a": [1, None, "b'"], "c": {}}, list=["x", 1.5, False], none=None)]},
    result(1, "get_weather", "{\"t\": 21, \"sky\": \"\u2601\"} {result} <tool_call>"),
    ("assistant", "21 degrees."),
    ("user", "And what time is it?"),
    {"role": "assistant", "content": "Let me see.", "reasoning_content": "\nWhat is the time?\n",
     "tool_calls": [call(2, "get_time")]},
    result(2, "get_time", "\nnoon \n"),
    {"role": "assistant", "content": "Noon.", "reasoning_content": "It says noon."},
    ("user", "Thanks."),
]
PARALLEL = [
    ("user", "How are K\u00f6ln and Bonn?"),
    {"role": "assistant", "content": "I look at both.", "reasoning_content": "Two calls.",
     "tool_calls": [call(1, "get_weather", city="K\u00f6ln"), call(2, "get_time"), call(3, "get_weather", city="Bonn")]},
    result(1, "get_weather", "rain"), result(2, "get_time", "noon"), result(3, "get_weather", "sun"),
    {"role": "assistant", "content": "", "tool_calls": [call(4, "get_time")]},
    result(4, "get_time", "one"),
    ("assistant", "Rain and sun."),
    ("user", "Thanks."),
]

# What families without a form for tools of their own are told.
GENERIC = ("You can call functions. Each line describes one in JSON: its name, what it does, and a schema of its parameters.\n"
           "{}\nTo call a function, answer with this JSON object and nothing else: {{\"name\": name of the function, "
           "\"parameters\": object with the value of each parameter}}\nTo call several functions, write one object a line. "
           "What they return comes in the next message. If no function helps, answer in plain text.")
NO_FORM = {"zephyr", "llama2", "llama3", "chatml", "gemma", "mistral", "phi3", "granite3", "ernie", "minicpm", "olmo2",
           "deepseek-r1", "deepseek"}
# Templates with a system message of their own, which then has the tools behind it.
NO_FORM_BUT_A_SYSTEM = (SMOLLM2, GRANITE31, GRANITE33)


def text_of(value):
    return json.dumps(value, ensure_ascii=False)


def joined(*parts):
    return "\n".join(part for part in parts if part)


def hermes_call(called):
    return '<tool_call>\n{"name": "%s", "arguments": %s}\n</tool_call>' % (called["name"], text_of(called["arguments"]))


def python_call(called):
    values = {key: '"' + value + '"' if isinstance(value, str) else text_of(value) if isinstance(value, dict) else str(value)
              for key, value in called["arguments"].items()}
    return called["name"] + "(" + ", ".join(f"{key}={value}" for key, value in values.items()) + ")"


def adapted(family, messages, tools):
    """A conversation in OpenAI's form, as the family's template takes one: (messages, variables of the template)"""
    messages = [dict(message_of(message)) for message in messages]
    if family in NO_FORM:
        instruction = GENERIC.format("".join(text_of(tool["function"]) + "\n" for tool in tools))
        if messages[0]["role"] == "system":
            messages[0]["content"] += "\n\n" + instruction
        else:
            messages.insert(0, {"role": "system", "content": instruction})
        plain = []
        for message in messages:
            calls = [call["function"] for call in message.pop("tool_calls", [])]
            message["content"] = joined(message["content"], *(
                '{"name": "%s", "parameters": %s}' % (called["name"], text_of(called["arguments"])) for called in calls))
            if message["role"] == "tool":
                said = f"The function {message['name']} returned: {message['content'].strip()}"
                if plain[-1].get("is_result"):
                    plain[-1]["content"] += "\n" + said
                    continue
                message = {"role": "user", "content": said, "is_result": True}
            plain.append(message)
        return plain, {}
    if family == "phi4-mini" and messages[0]["role"] != "system":
        messages.insert(0, {"role": "system", "content": ""})
    for message in messages:
        calls = [call["function"] for call in message.get("tool_calls", [])]
        thought = message.get("reasoning_content")
        if family == "phi4-mini":
            if message["role"] == "system":
                message["tools"] = text_of([tool["function"] for tool in tools])
            elif message["role"] == "tool":
                message["role"] = "tool_response"
            elif calls:
                message["content"] += "<|tool_call|>" + text_of(calls) + "<|/tool_call|>"
        elif family == "smollm3":
            message["content"] = joined(message["content"], *map(hermes_call, calls))
        elif family == "lfm2" and calls:
            message["content"] = ("<|tool_call_start|>[" + ", ".join(map(python_call, calls)) + "]<|tool_call_end|>" +
                                  message["content"])
        elif family == "lfm2.5" and thought:
            message["thinking"] = thought
        elif family == "mistral-v7-thinking" and thought:
            message["content"] = [{"type": "thinking", "thinking": thought}, {"type": "text", "text": message["content"]}]
    return messages, {"tools": tools, "xml_tools": tools}


class Tools(unittest.TestCase):
    def check(self, family, text, messages, thinking=""):
        system = messages[0] is BRIEF
        if system and family in ("mistral-v3", "mistral-v3-tekken") and message_of(messages[-1])["role"] != "user":
            return  # the template would drop the system message
        if not system and text in NO_FORM_BUT_A_SYSTEM:
            return
        turns, variables = adapted(family, messages, TOOLS)
        with self.subTest(family=family, text=text[:80], system=system, length=len(messages), thinking=thinking):
            self.assertEqual(render(text, messages, tools=TOOLS, thinking=thinking),
                             expected(jinja(text, turns, thinking=thinking, **variables)))

    def test_conversations_of_every_length(self):
        for (family, text), system in itertools.product(EACH, (False, True)):
            for turns in [ONE_CALL] if family == "llama3.1" else [ONE_CALL, PARALLEL]:
                for length in (length for length in range(1, len(turns) + 1)
                               if message_of(turns[length - 1])["role"] != "assistant"):
                    self.check(family, text, [BRIEF] * system + turns[:length])

    def test_thinking_on_and_off(self):
        for (family, text), thinking, turns in itertools.product(EACH, ("on", "off"), (ONE_CALL[:3], ONE_CALL)):
            self.check(family, text, [BRIEF, *turns] if family != "mistral-v3" else turns, thinking)
            messages = [message for message in turns if isinstance(message, tuple)]
            if len(messages) > 1:
                messages = ONE_CALL[:1] + ONE_CALL[3:5]
            with self.subTest(family=family, text=text[:80], thinking=thinking, messages=messages):
                self.assertEqual(render(text, messages, thinking=thinking),
                                 expected(jinja(text, messages, thinking=thinking)))

    def test_results_are_found_by_id_by_name_or_by_their_order(self):
        for family, text in EACH:
            for turns in [ONE_CALL] if family == "llama3.1" else [ONE_CALL, PARALLEL]:
                whole = render(text, turns, tools=TOOLS)
                for keys in ({"name"}, {"tool_call_id"}, {"name", "tool_call_id"}):
                    less = [{key: value for key, value in message_of(message).items() if key not in keys}
                            for message in turns]
                    with self.subTest(family=family, text=text[:80], without=keys):
                        self.assertIsNotNone(whole[0], whole[1])
                        self.assertEqual(render(text, less, tools=TOOLS), whole)

    def test_thinking_in_the_content_is_taken_out_as_the_family_does(self):
        thought = "<think>\nA \u00e4\n\nB\n</think>\n\n"
        for family, text in EACH:
            if not family.startswith(("qwen3", "minicpm5", "exaone4", "deepseek", "lfm2.5")):
                continue
            for turns in ([("user", "a"), ("assistant", thought + "b"), ("user", "c")],
                          [("user", "a"), ("assistant", thought + "b"), ("user", "c"), ("assistant", thought + "d"),
                           ("user", "e")]):
                if family == "lfm2.5":  # the last answer keeps it
                    turns = turns[:2] + [("user", "c"), ("assistant", "d"), ("user", "e")]
                with self.subTest(family=family, text=text[:80], turns=len(turns)):
                    self.assertEqual(render(text, turns), expected(jinja(text, turns)))

    def test_switches_in_the_system_message_of_smollm3(self):
        for said, thinking in itertools.product(("/no_think", "Be brief. /no_think", "/think Be /no_think", "/think\n", "a"),
                                                ("", "on", "off")):
            turns = [("system", said), ("user", "/no_think"), ("assistant", "b"), ("user", "c")]
            with self.subTest(said=said, thinking=thinking):
                self.assertEqual(render(SMOLLM3, turns, thinking=thinking),
                                 expected(jinja(SMOLLM3, turns, thinking=thinking)))

    def test_calls_that_a_template_refuses_are_refused(self):
        turns = PARALLEL[:5]
        with self.assertRaises(Refused):
            jinja(LLAMA31, turns, tools=TOOLS)
        self.assertEqual(render(LLAMA31, turns, tools=TOOLS),
                         (None, "messages[1].tool_calls: 3 where the chat template llama3.1 has one"))
        for family, text in (("mistral-v3", MISTRAL_V3), ("mistral-v7-tekken", MISTRAL_V7_TEKKEN)):
            turns = [*ONE_CALL[:3], ("user", "And?")]
            with self.assertRaises(Refused):
                jinja(text, turns, tools=TOOLS)
            self.assertEqual(render(text, turns, tools=TOOLS), (
                None, f'messages[3].role: "user" where the chat template {family} has the turn of the assistant'))

    def test_long_ids_become_short_where_a_template_wants_nine_characters(self):
        turns = [dict(message_of(message)) for message in PARALLEL]
        for message in turns:
            if "tool_calls" in message:
                message["tool_calls"] = [{**call, "id": "long_" + call["id"]} for call in message["tool_calls"]]
            if "tool_call_id" in message:
                message["tool_call_id"] = "long_" + message["tool_call_id"]
        short = [dict(message_of(message)) for message in PARALLEL]
        for message in short:
            if "tool_calls" in message:
                message["tool_calls"] = [{**call, "id": "%09d" % (int(call["id"][4:]) - 1)}
                                         for call in message["tool_calls"]]
            if "tool_call_id" in message:
                message["tool_call_id"] = "%09d" % (int(message["tool_call_id"][4:]) - 1)
        for text in (MISTRAL_V3, MISTRAL_V3_TEKKEN):
            self.assertEqual(render(text, turns, tools=TOOLS), expected(jinja(text, short, tools=TOOLS)))


if __name__ == "__main__":
    unittest.main(verbosity=2)
