"""What llmd and what Jinja2 make of a conversation for a chat template, and conversations to compare them by.

Jinja2 is set up as Transformers does it. LLMD_RENDER_CHAT names the program of tests/support/render_chat.cpp. Importing
this fails with ImportError where python3-jinja2 is not installed.
"""
import functools
import json
import os
import re
import subprocess

import jinja2.ext
import jinja2.nodes
import jinja2.sandbox

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


def ask(text, messages, setting="", tools=None, thinking=""):
    """What render_chat answers."""
    conversation = {"setting": setting, "template": text, "messages": [sent(message) for message in messages],
                    "thinking": thinking, "tools": json.dumps(tools, ensure_ascii=False) if tools else ""}
    RENDER.stdin.write(json.dumps(conversation) + "\n")
    RENDER.stdin.flush()
    return json.loads(RENDER.stdout.readline())


def render(*conversation, **more):
    """(what llmd makes of it, or None; whether that ends inside the thinking, or what llmd says instead)"""
    answer = ask(*conversation, **more)
    return answer.get("prompt"), answer["begins_in_thinking"] if "prompt" in answer else answer["error"]


def family_of(text):
    """The family that llmd takes the template for; empty if it does not recognise it."""
    return ask(text, [("user", "a")])["family"]


class Refused(Exception):
    pass


# What llmd leaves out of prompts: with the date in them every answer would change overnight. Llama 3's templates have a date
# for those who have no clock.
LLAMA_DATE = {"%d %b %Y": "26 Jul 2024"}
DATED = re.compile(r"Today(?:'s)? Date: TODAY\.?[ \n]|Today's date: TODAY\n\n")


def refuse(message):
    raise Refused(message)


class Generation(jinja2.ext.Extension):
    """{% generation %}, with which templates mark answers for training. It writes what it encloses."""
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        return jinja2.nodes.Scope(parser.parse_statements(["name:endgeneration"], drop_needle=True), lineno=line)


ENVIRONMENT = jinja2.sandbox.ImmutableSandboxedEnvironment(
    trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols])
ENVIRONMENT.globals["raise_exception"] = refuse
ENVIRONMENT.globals["strftime_now"] = lambda form: LLAMA_DATE.get(form, "TODAY")
ENVIRONMENT.filters["tojson"] = lambda value, indent=None, ensure_ascii=False: json.dumps(
    value, ensure_ascii=ensure_ascii, indent=indent)
compiled = functools.lru_cache(maxsize=None)(ENVIRONMENT.from_string)


def jinja(text, messages, answer=True, thinking="", **variables):
    """What Transformers makes of it."""
    switch = {"on": {"enable_thinking": True}, "off": {"enable_thinking": False}}.get(thinking, {})
    rendered = compiled(text).render(messages=[message_of(message) for message in messages], bos_token="<s>",
                                     eos_token="</s>", add_generation_prompt=answer, **variables, **switch)
    return DATED.sub("", rendered)


def begun(family, text, messages):
    """What Transformers makes of a conversation whose last answer, which ends in LAST, is to be continued."""
    if family.startswith("mistral-v3"):  # the template would drop the system message, which an answer follows
        return jinja(text, messages[:-1]) + (" " if family == "mistral-v3" else "") + LAST
    whole = jinja(text, messages, answer=False)
    return whole[:whole.rindex(LAST) + len(LAST)]


def expected(prompt):
    """What render() returns for a prompt."""
    return prompt, prompt.endswith("<think>\n")


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
NO_FORM = {"zephyr", "llama2", "llama3", "chatml", "gemma", "mistral", "phi3", "ernie", "minicpm", "olmo2", "deepseek-r1",
           "deepseek"}


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


def own_system(text):
    """What the template says by itself where the conversation has no system message."""
    marker = "<<the system message>>"
    with_one = jinja(text, [("system", marker), ("user", "a")])
    before, after = with_one.split(marker)
    without = jinja(text, [("user", "a")])
    return without[len(before):-len(after)] if without.startswith(before) and without.endswith(after) else ""


def with_generic_tools(text, messages, tools):
    """A conversation with tools, for a template that knows none."""
    instruction = GENERIC.format("".join(text_of(tool["function"]) + "\n" for tool in tools))
    if messages[0]["role"] != "system":
        own = own_system(text)
        messages.insert(0, {"role": "system", "content": own + "\n\n" + instruction if own else instruction})
    else:
        messages[0]["content"] += "\n\n" + instruction
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
    return plain


def adapted(family, text, messages, tools=None):
    """A conversation in OpenAI's form, as the family's template takes one: (messages, variables of the template)"""
    messages = [dict(message_of(message)) for message in messages]
    if family in NO_FORM:
        return (with_generic_tools(text, messages, tools) if tools else messages), {}
    if family.startswith("phi4-mini") and tools and messages[0]["role"] != "system":
        messages.insert(0, {"role": "system", "content": ""})
    for message in messages:
        calls = [call["function"] for call in message.get("tool_calls", [])]
        thought = message.get("reasoning_content")
        if family.startswith("phi4-mini"):
            if message["role"] == "system" and tools:
                message["tools"] = text_of([tool["function"] for tool in tools])
            elif message["role"] == "tool":
                message["role"] = "tool_response"
            elif calls:
                message["content"] += "<|tool_call|>" + text_of(calls) + "<|/tool_call|>"
        elif family == "granite3.0":
            if message["role"] == "tool":
                message["role"] = "tool_response"
            elif calls:
                message["content"] += "<|tool_call|>" + text_of(calls)
        elif family.startswith("granite3") and calls:
            message["content"] += "<|tool_call|>" + text_of(calls)
        elif family.startswith("smollm3"):
            message["content"] = joined(message["content"], *map(hermes_call, calls))
        elif family.startswith("lfm2"):
            if calls and "tool_calls" not in text:
                message["content"] = ("<|tool_call_start|>[" + ", ".join(map(python_call, calls)) + "]<|tool_call_end|>" +
                                      message["content"])
            if thought and "message.thinking" in text:
                message["thinking"] = thought
            elif thought and family != "lfm2":
                message["content"] = f"<think>{thought}</think>{message['content']}"
        elif family == "mistral-v7-thinking" and thought:
            message["content"] = [{"type": "thinking", "thinking": thought}, {"type": "text", "text": message["content"]}]
    return messages, {"tools": tools, "xml_tools": tools} if tools else {}
