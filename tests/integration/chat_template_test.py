"""The prompt that llmd makes of a conversation is, letter for letter, the one that the models' own templates make.

The templates are written here after the published prompt formats of the models that they name; Jinja2 renders them as
Transformers does. Meson gives LLMD_RENDER_CHAT (tests/support/render_chat.cpp).
"""
import itertools
import os
import subprocess
import sys
import unittest

SKIP = 77  # meson's exit code for a test that cannot run here

try:
    import jinja2.sandbox
except ImportError:
    print("skipped: python3-jinja2 is not installed")
    sys.exit(SKIP)

# TinyLlama/TinyLlama-1.1B-Chat-v1.0, HuggingFaceH4/zephyr-7b-beta
ZEPHYR = """{% for message in messages %}
{% if message['role'] == 'user' %}
{{ '<|user|>
' + message['content'] + eos_token }}
{% elif message['role'] == 'system' %}
{{ '<|system|>
' + message['content'] + eos_token }}
{% elif message['role'] == 'assistant' %}
{{ '<|assistant|>
'  + message['content'] + eos_token }}
{% endif %}
{% if loop.last and add_generation_prompt %}
{{ '<|assistant|>' }}
{% endif %}
{% endfor %}"""

ALTERNATE = ("{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}"
             "{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}{% endif %}")

# meta-llama/Llama-2-7b-chat-hf
LLAMA2 = (
    "{% if messages[0]['role'] == 'system' %}{% set loop_messages = messages[1:] %}"
    "{% set system_message = messages[0]['content'] %}{% else %}{% set loop_messages = messages %}"
    "{% set system_message = false %}{% endif %}{% for message in loop_messages %}" + ALTERNATE +
    "{% if loop.index0 == 0 and system_message != false %}"
    "{% set content = '<<SYS>>\\n' + system_message + '\\n<</SYS>>\\n\\n' + message['content'] %}"
    "{% else %}{% set content = message['content'] %}{% endif %}"
    "{% if message['role'] == 'user' %}{{ bos_token + '[INST] ' + content.strip() + ' [/INST]' }}"
    "{% elif message['role'] == 'assistant' %}{{ ' '  + content.strip() + ' ' + eos_token }}{% endif %}{% endfor %}")

# meta-llama/Meta-Llama-3-8B-Instruct
LLAMA3 = (
    "{% set loop_messages = messages %}{% for message in loop_messages %}"
    "{% set content = '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n'+ "
    "message['content'] | trim + '<|eot_id|>' %}{% if loop.index0 == 0 %}{% set content = bos_token + content %}"
    "{% endif %}{{ content }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{% endif %}")

# meta-llama/Llama-3.1-8B-Instruct, without what it says of tools
LLAMA31 = """{{- bos_token }}
{%- if not date_string is defined %}
    {%- set date_string = "26 Jul 2024" %}
{%- endif %}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content']|trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_message = "" %}
{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\\n\\n" }}
{{- "Cutting Knowledge Date: December 2023\\n" }}
{{- "Today Date: " + date_string + "\\n\\n" }}
{{- system_message }}
{{- "<|eot_id|>" }}
{%- for message in messages %}
    {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n'+ message['content'] | trim + '<|eot_id|>' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
{%- endif %}
"""

TURN = "{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}"
ANSWER = "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"

# teknium/OpenHermes-2.5-Mistral-7B
CHATML = "{% for message in messages %}" + TURN + "{% endfor %}" + ANSWER

# HuggingFaceTB/SmolLM2-135M-Instruct
SMOLLM2 = ("{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}"
           "{{ '<|im_start|>system\\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\\n' }}"
           "{% endif %}" + TURN + "{% endfor %}" + ANSWER)

# Qwen/Qwen2.5-0.5B-Instruct, with what it says of tools cut short
QWEN25 = """{%- if tools %}
    {{- '<|im_start|>system\\n' }}
    {%- if messages[0]['role'] == 'system' %}
        {{- messages[0]['content'] }}
    {%- else %}
        {{- 'You are Qwen, created by Alibaba Cloud. You are a helpful assistant.' }}
    {%- endif %}
    {{- "\\n\\n# Tools<|im_end|>\\n" }}
{%- else %}
    {%- if messages[0]['role'] == 'system' %}
        {{- '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}
    {%- else %}
        {{- '<|im_start|>system\\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\\n' }}
    {%- endif %}
{%- endif %}
{%- for message in messages %}
    {%- if (message.role == "user") or (message.role == "system" and not loop.first) or (message.role == "assistant") %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}
"""

# google/gemma-3-1b-it, of text alone
GEMMA3 = """{{ bos_token }}
{%- if messages[0]['role'] == 'system' -%}
    {%- set first_user_prefix = messages[0]['content'] + '\\n\\n' -%}
    {%- set loop_messages = messages[1:] -%}
{%- else -%}
    {%- set first_user_prefix = "" -%}
    {%- set loop_messages = messages -%}
{%- endif -%}
{%- for message in loop_messages -%}
    {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) -%}
        {{ raise_exception("Conversation roles must alternate user/assistant/user/assistant/...") }}
    {%- endif -%}
    {%- if (message['role'] == 'assistant') -%}
        {%- set role = "model" -%}
    {%- else -%}
        {%- set role = message['role'] -%}
    {%- endif -%}
    {{ '<start_of_turn>' + role + '\\n' + (first_user_prefix if loop.first else "") }}
    {{- message['content'] | trim -}}
    {{ '<end_of_turn>\\n' }}
{%- endfor -%}
{%- if add_generation_prompt -%}
    {{'<start_of_turn>model\\n'}}
{%- endif -%}
"""

# google/gemma-2-2b-it
GEMMA2 = ("{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}"
          "{% endif %}{% for message in messages %}" + ALTERNATE +
          "{% if (message['role'] == 'assistant') %}{% set role = 'model' %}{% else %}{% set role = message['role'] %}"
          "{% endif %}{{ '<start_of_turn>' + role + '\\n' + message['content'] | trim + '<end_of_turn>\\n' }}{% endfor %}"
          "{% if add_generation_prompt %}{{'<start_of_turn>model\\n'}}{% endif %}")

# mistralai/Mistral-7B-Instruct-v0.2
MISTRAL = """{%- if messages[0]["role"] == "system" %}
    {%- set system_message = messages[0]["content"] %}
    {%- set loop_messages = messages[1:] %}
{%- else %}
    {%- set loop_messages = messages %}
{%- endif %}
{{- bos_token }}
{%- for message in loop_messages %}
    {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}
        {{- raise_exception('After the optional system message, roles must alternate') }}
    {%- endif %}
    {%- if message["role"] == "user" %}
        {%- if loop.first and system_message is defined %}
            {{- " [INST] " + system_message + "\\n\\n" + message["content"] + " [/INST]" }}
        {%- else %}
            {{- " [INST] " + message["content"] + " [/INST]" }}
        {%- endif %}
    {%- elif message["role"] == "assistant" %}
        {{- " " + message["content"] + eos_token}}
    {%- endif %}
{%- endfor %}
"""

# microsoft/Phi-3-mini-4k-instruct
PHI3 = ("{% for message in messages %}{% if message['role'] == 'system' %}{{'<|system|>\\n' + message['content'] + "
        "'<|end|>\\n'}}{% elif message['role'] == 'user' %}{{'<|user|>\\n' + message['content'] + '<|end|>\\n'}}"
        "{% elif message['role'] == 'assistant' %}{{'<|assistant|>\\n' + message['content'] + '<|end|>\\n'}}{% endif %}"
        "{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% else %}{{ eos_token }}{% endif %}")

TEMPLATES = {
    "zephyr": [ZEPHYR], "llama2": [LLAMA2], "llama3": [LLAMA3, LLAMA31], "chatml": [CHATML, SMOLLM2, QWEN25],
    "gemma": [GEMMA3], "mistral": [MISTRAL], "phi3": [PHI3],
}

EACH = [(family, text) for family, texts in TEMPLATES.items() for text in texts]

SYSTEM = ("system", "You are brief.\n")
TURNS = [("user", " What is a tale? "), ("assistant", "A story.\n"), ("user", "Tell\none: <s>[INST] {{ 1 + 1 }}"),
         ("assistant", "\tOnce, \u00e4"), ("user", "\u00a0And?\u3000\n")]
LAST = "The end of this"


def render(text, messages, setting=""):
    """(what llmd makes of it, or None, and what it says instead)"""
    words = [word for message in messages for word in message]
    done = subprocess.run([os.environ["LLMD_RENDER_CHAT"], setting, *words], input=text.encode(), capture_output=True,
                          timeout=60)
    return (done.stdout.decode() if done.returncode == 0 else None), done.stderr.decode()


class Refused(Exception):
    pass


def refuse(message):
    raise Refused(message)


def jinja(text, messages, answer=True):
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    environment.globals["raise_exception"] = refuse
    return environment.from_string(text).render(
        messages=[{"role": role, "content": content} for role, content in messages], bos_token="<s>", eos_token="</s>",
        add_generation_prompt=answer)


class ChatTemplates(unittest.TestCase):
    def test_conversations_of_every_length(self):
        for (family, text), system, length in itertools.product(EACH, (False, True), (1, 3, 5)):
            messages = [SYSTEM] * system + TURNS[:length]
            with self.subTest(family=family, text=text[:80], system=system, length=length):
                self.assertEqual(render(text, messages), (jinja(text, messages), ""))

    def test_an_answer_that_is_begun(self):
        for (family, text), system in itertools.product(EACH, (False, True)):
            messages = [SYSTEM] * system + TURNS[:3] + [("assistant", LAST)]
            whole = jinja(text, messages, answer=False)
            open_end = whole[:whole.rindex(LAST) + len(LAST)]
            with self.subTest(family=family, text=text[:80], system=system):
                self.assertEqual(render(text, messages), (open_end, ""))

    def test_contents_of_nothing(self):
        for (family, text), system, content in itertools.product(EACH, ("", " \n"), ("", " \n")):
            messages = [("system", system), ("user", content)]
            with self.subTest(family=family, text=text[:80], system=system, content=content):
                self.assertEqual(render(text, messages), (jinja(text, messages), ""))

    def test_the_setting_does_as_the_file(self):
        for family, text in EACH:
            with self.subTest(family=family, text=text[:80]):
                self.assertEqual(render(text, [SYSTEM, TURNS[0]], family), render(text, [SYSTEM, TURNS[0]]))

    def test_gemma_2_takes_no_system_and_gets_it_as_gemma_3_does(self):
        self.assertEqual(render(GEMMA2, TURNS), (jinja(GEMMA2, TURNS), ""))
        with self.assertRaises(Refused):
            jinja(GEMMA2, [SYSTEM, *TURNS])
        self.assertEqual(render(GEMMA2, [SYSTEM, *TURNS]), (jinja(GEMMA3, [SYSTEM, *TURNS]), ""))

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
        self.assertRegex(why, r"^chat_template: .*none, zephyr, llama2, llama3, chatml, gemma, mistral, phi3")


if __name__ == "__main__":
    unittest.main(verbosity=2)
