"""Writes a conversation as llmd does with the family "hermes" (daemon/engine/chat/chatml_families.cpp): ChatML with Hermes calls.

A prompt is a list of segments: markup of the template, and contents, in which nothing is markup.
tests/training/render_test.py compares the text with llmd, tests/lanes/training the tokens.
"""
import json

TURN, END = "<|im_start|>", "<|im_end|>"
# The tokens that are markup.
SPECIAL = ["<|endoftext|>", TURN, END, "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<tools>", "</tools>"]
TOOLS_BEFORE = ("# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with function signatures within "
                "<tools></tools> XML tags:\n<tools>")
TOOLS_AFTER = ("\n</tools>\n\nFor each function call, return a json object with function name and arguments within <tool_call></tool_call> XML "
               "tags:\n<tool_call>\n{\"name\": <function-name>, \"arguments\": <args-json-object>}\n</tool_call>")
# What llmd recognizes the family by; it never runs a template, other programs do.
TEMPLATE = r"""{%- if tools %}
    {{- '<|im_start|>system\n' }}
    {%- if messages[0]['role'] == 'system' %}
        {{- messages[0]['content'] + '\n\n' }}
    {%- endif %}
    {{- "# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with function signatures within <tools></tools> XML tags:\n<tools>" }}
    {%- for tool in tools %}
        {{- "\n" }}
        {{- tool | tojson }}
    {%- endfor %}
    {{- "\n</tools>\n\nFor each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\n<tool_call>\n{\"name\": <function-name>, \"arguments\": <args-json-object>}\n</tool_call><|im_end|>\n" }}
{%- elif messages[0]['role'] == 'system' %}
    {{- '<|im_start|>system\n' + messages[0]['content'] + '<|im_end|>\n' }}
{%- endif %}
{%- for message in messages %}
    {%- if message['role'] == 'user' or (message['role'] == 'system' and not loop.first) or (message['role'] == 'assistant' and not message['tool_calls']) %}
        {{- '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n' }}
    {%- elif message['role'] == 'assistant' %}
        {{- '<|im_start|>' + message['role'] }}
        {%- if message['content'] %}
            {{- '\n' + message['content'] }}
        {%- endif %}
        {%- for call in message['tool_calls'] %}
            {%- if call['function'] %}
                {%- set call = call['function'] %}
            {%- endif %}
            {{- '\n<tool_call>\n{"name": "' + call['name'] + '", "arguments": ' }}
            {{- call['arguments'] if call['arguments'] is string else call['arguments'] | tojson }}
            {{- '}\n</tool_call>' }}
        {%- endfor %}
        {{- '<|im_end|>\n' }}
    {%- elif message['role'] == 'tool' %}
        {%- if loop.index0 == 0 or messages[loop.index0 - 1]['role'] != 'tool' %}
            {{- '<|im_start|>user' }}
        {%- endif %}
        {{- '\n<tool_response>\n' + message['content'] + '\n</tool_response>' }}
        {%- if loop.last or messages[loop.index0 + 1]['role'] != 'tool' %}
            {{- '<|im_end|>\n' }}
        {%- endif %}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\n' }}
{%- endif %}
"""


class Writer:
    def __init__(self):
        self.segments = []  # [text, is markup, is said by the assistant]

    def write(self, text, markup, said=False):
        if not text:
            return
        if self.segments and self.segments[-1][1:] == [markup, said]:
            self.segments[-1][0] += text
        else:
            self.segments.append([text, markup, said])


def segments_of(messages, tools=(), prompt=False):
    """Segments of the conversation. With `prompt` they end where the assistant begins to answer."""
    out = Writer()
    first = messages[0]
    has_system = first["role"] == "system"
    if has_system or tools:
        out.write(f"{TURN}system\n", True)
        if has_system:
            out.write(first["content"], False)
        if tools:
            out.write(("\n\n" if has_system else "") + TOOLS_BEFORE, True)
            for tool in tools:
                out.write("\n", True)
                out.write(json.dumps(tool, ensure_ascii=False), False)
            out.write(TOOLS_AFTER, True)
        out.write(f"{END}\n", True)
    rest = messages[1:] if has_system else messages
    for i, message in enumerate(rest):
        role = message["role"]
        if role == "user":
            out.write(f"{TURN}user\n", True)
            out.write(message["content"], False)
            out.write(f"{END}\n", True)
        elif role == "assistant":
            out.write(f"{TURN}assistant\n", True)
            out.write(message["content"], False, True)
            for j, call in enumerate(message.get("tool_calls", ())):
                function = call["function"]
                out.write(("\n" if j or message["content"] else "") + '<tool_call>\n{"name": "', True, True)
                out.write(function["name"], False, True)
                out.write('", "arguments": ', True, True)
                out.write(json.dumps(json.loads(function["arguments"]), ensure_ascii=False), False, True)
                out.write("}\n</tool_call>", True, True)
            out.write(END, True, True)
            out.write("\n", True)
        elif role == "tool":
            if i == 0 or rest[i - 1]["role"] != "tool":
                out.write(f"{TURN}user\n", True)
            else:
                out.write("\n", True)
            out.write("<tool_response>\n", True)
            out.write(message["content"], False)
            out.write("\n</tool_response>", True)
            if i + 1 == len(rest) or rest[i + 1]["role"] != "tool":
                out.write(f"{END}\n", True)
    if prompt:
        out.write(f"{TURN}assistant\n", True)
    return [tuple(s) for s in out.segments]


def prompt_text(messages, tools=()):
    return "".join(text for text, _, _ in segments_of(messages, tools, prompt=True))
