"""Chat templates, written here after the published prompt formats of the models that they name."""

from chat_templates_chatml import (CHATML, CHATML_BEGUN, LFM2, LFM25, LFM25_8B, LFM25_FIRST, MINICPM5, QWEN3, QWEN3_INSTRUCT,
                                   QWEN3_THINKING, QWEN3_UNSLOTH, QWEN25, QWEN25_FIRST, QWEN35, QWEN35_SMALL, QWEN36,
                                   SMALLTHINKER, SMOLLM2, SMOLLM3, SMOLLM3_UNSLOTH, TAGGED_CALLS, TAGGED_RESULT)
from chat_templates_llama import (ALTERNATE, LLAMA2, LLAMA3, LLAMA31, MISTRAL, MISTRAL_V3, MISTRAL_V3_TEKKEN,
                                  MISTRAL_V7_TEKKEN, MISTRAL_V7_THINKING)

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

# microsoft/Phi-3-mini-4k-instruct
PHI3 = ("{% for message in messages %}{% if message['role'] == 'system' %}{{'<|system|>\\n' + message['content'] + "
        "'<|end|>\\n'}}{% elif message['role'] == 'user' %}{{'<|user|>\\n' + message['content'] + '<|end|>\\n'}}"
        "{% elif message['role'] == 'assistant' %}{{'<|assistant|>\\n' + message['content'] + '<|end|>\\n'}}{% endif %}"
        "{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% else %}{{ eos_token }}{% endif %}")

# microsoft/Phi-3.5-mini-instruct
PHI35 = PHI3.replace("'system' %}", "'system' and message['content'] %}")

# microsoft/Phi-4-mini-instruct
PHI4_MINI = ("{% for message in messages %}{% if message['role'] == 'system' and 'tools' in message and "
             "message['tools'] is not none %}{{ '<|' + message['role'] + '|>' + message['content'] + '<|tool|>' + "
             "message['tools'] + '<|/tool|>' + '<|end|>' }}{% else %}{{ '<|' + message['role'] + '|>' + "
             "message['content'] + '<|end|>' }}{% endif %}{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>' }}"
             "{% else %}{{ eos_token }}{% endif %}")

# microsoft/Phi-4-mini-reasoning
PHI4_MINI_REASONING = (
    "{{ '<|system|>Your name is Phi, an AI math expert developed by Microsoft.' }}{% for message in messages %}"
    "{% if message['role'] == 'system' %} {{ message['content'] }}{% if 'tools' in message %}"
    "{{ '<|tool|>' + message['tools'] + '<|/tool|>' }}{% endif %}{% endif %}{% endfor %}{{ '<|end|>' }}"
    "{% for message in messages %}{% if message['role'] != 'system' %}"
    "{{ '<|' + message['role'] + '|>' + message['content'] + '<|end|>' }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}")

# ibm-granite/granite-3.0-2b-instruct
GRANITE30 = """{%- if tools %}
    {{- '<|start_of_role|>available_tools<|end_of_role|>\\n' }}
    {%- for tool in tools %}
        {{- tool | tojson(indent=4) }}
        {%- if not loop.last %}
            {{- '\\n\\n' }}
        {%- endif %}
    {%- endfor %}
    {{- '<|end_of_text|>\\n' }}
{%- endif %}
{%- for message in messages %}
    {%- if message['role'] == 'system' %}
    {{- '<|start_of_role|>system<|end_of_role|>' + message['content'] + '<|end_of_text|>\\n' }}
    {%- elif message['role'] == 'user' %}
    {{- '<|start_of_role|>user<|end_of_role|>' + message['content'] + '<|end_of_text|>\\n' }}
    {%- elif message['role'] == 'assistant' %}
    {{- '<|start_of_role|>assistant<|end_of_role|>' + message['content'] + '<|end_of_text|>\\n' }}
    {%- elif message['role'] == 'assistant_tool_call' %}
    {{- '<|start_of_role|>assistant<|end_of_role|><|tool_call|>' + message['content'] + '<|end_of_text|>\\n' }}
    {%- elif message['role'] == 'tool_response' %}
    {{- '<|start_of_role|>tool_response<|end_of_role|>' + message['content'] + '<|end_of_text|>\\n' }}
    {%- endif %}
    {%- if loop.last and add_generation_prompt %}
    {{- '<|start_of_role|>assistant<|end_of_role|>' }}
    {%- endif %}
{%- endfor %}"""

# ibm-granite/granite-3.3-2b-instruct, with shorter sentences
GRANITE33 = """{%- if tools and not available_tools %}
    {%- set available_tools = tools %}
{%- endif %}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content'] %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_message = "Knowledge Cutoff Date: April 2024. Today's Date: " + strftime_now('%B %d, %Y') + ". You are Granite, developed by IBM." %}
    {%- if available_tools and documents %}
        {%- set system_message = system_message + " Tools and documents." %}
    {%- elif available_tools %}
        {%- set system_message = system_message + " You have tools, called by <|tool_call|>." %}
    {%- else %}
        {%- set system_message = system_message + " You are a helpful AI assistant." %}
    {%- endif %}
{%- endif %}
{{- '<|start_of_role|>system<|end_of_role|>' + system_message + '<|end_of_text|>\\n' }}
{%- if available_tools %}
    {{- '<|start_of_role|>available_tools<|end_of_role|>' }}
    {{- available_tools | tojson(indent=4) }}
    {{- '<|end_of_text|>\\n' }}
{%- endif %}
{%- for message in messages %}
    {{- '<|start_of_role|>' + message['role'] + '<|end_of_role|>' + message['content'] + '<|end_of_text|>\\n' }}
    {%- if loop.last and add_generation_prompt %}
        {{- '<|start_of_role|>assistant' }}
        {{- '<|end_of_role|>' }}
    {%- endif %}
{%- endfor %}"""
# Granite 3.3 in Ollama's library
GRANITE33_SPACED = GRANITE33.replace('"Knowledge', '" Knowledge').replace(" Today's", "\\n Today's")
# ibm-granite/granite-3.1-2b-instruct
GRANITE31 = (GRANITE33.replace(" Today's", "\\nToday's").replace(". You are Granite", ".\\nYou are Granite")
             .replace("""{%- if tools and not available_tools %}
    {%- set available_tools = tools %}
{%- endif %}
""", "").replace("available_tools", "tools"))

# ibm-granite/granite-4.1-3b
GRANITE41 = """{%- set tools_system_message_prefix = 'You are a helpful assistant with access to the following tools. You may call one or more tools to assist with the user query.\\n\\nYou are provided with function signatures within <tools></tools> XML tags:\\n<tools>' %}
{%- set tools_system_message_suffix = '\\n</tools>\\n\\nFor each tool call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\\n<tool_call>\\n{\\"name\\": <function-name>, \\"arguments\\": <args-json-object>}\\n</tool_call>. If a tool does not exist in the provided list of tools, notify the user that you do not have the ability to fulfill the request.' %}
{%- set ns = namespace(tools_system_message=tools_system_message_prefix, system_message='') %}
{%- for tool in tools %}
    {%- set ns.tools_system_message = ns.tools_system_message + '\\n' + (tool | tojson) %}
{%- endfor %}
{%- set ns.tools_system_message = ns.tools_system_message + tools_system_message_suffix %}
{%- if messages[0].role == 'system' %}
    {%- set ns.system_message = messages[0].content %}
    {%- if tools %}
        {%- set ns.system_message = ns.system_message + '\\n\\n' + ns.tools_system_message %}
    {%- endif %}
{%- elif tools %}
    {%- set ns.system_message = ns.tools_system_message %}
{%- endif %}
{%- if ns.system_message %}
    {{- '<|start_of_role|>system<|end_of_role|>' + ns.system_message + '<|end_of_text|>\\n' }}
{%- endif %}
{%- for message in messages %}
    {%- if message.role == 'user' or (message.role == 'system' and not loop.first) %}
        {{- '<|start_of_role|>' + message.role + '<|end_of_role|>' + message.content + '<|end_of_text|>\\n' }}
    {%- elif message.role == 'assistant' %}
        {{- '<|start_of_role|>' + message.role + '<|end_of_role|>' + message.content }}
        """ + TAGGED_CALLS + """        {{- '<|end_of_text|>\\n' }}
    {%- elif message.role == 'tool' %}
        """ + TAGGED_RESULT.replace("<|im_start|>user", "<|start_of_role|>user<|end_of_role|>").replace(
            "<|im_end|>", "<|end_of_text|>") + """    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_of_role|>assistant<|end_of_role|>' }}
{%- endif %}"""

# ibm-granite/granite-4.0-micro
GRANITE40 = ("{%- set g4_default_system_message = 'You are a helpful assistant. Please ensure responses are professional, "
             "accurate, and safe.' %}\n" + GRANITE41.replace("namespace(",
             "namespace(default_system_message=g4_default_system_message, ").replace(
             "{%- endif %}\n{%- for message", """{%- else %}
    {{- '<|start_of_role|>system<|end_of_role|>' + ns.default_system_message + '<|end_of_text|>\\n' }}
{%- endif %}
{%- for message"""))

# LGAI-EXAONE/EXAONE-4.0-1.2B
EXAONE4 = """{%- set role_indicators = {
    'user': '[|user|]\\n',
    'assistant': '[|assistant|]\\n',
    'system': '[|system|]\\n',
    'tool': '[|tool|]\\n'
} %}
{%- set end_of_turn = '[|endofturn|]\\n' %}
{%- macro available_tools(tools) %}
    {{- "# Available Tools" }}
    {{- "\\nYou can use none, one, or multiple of the following tools by calling them as functions to help with the user’s query." }}
    {{- "\\nHere are the tools available to you in JSON format within <tool> and </tool> tags:\\n" }}
    {%- for tool in tools %}
        {{- "<tool>" }}
        {{- tool | tojson(ensure_ascii=False) | safe }}
        {{- "</tool>\\n" }}
    {%- endfor %}
    {{- "\\nFor each function call you want to make, return a JSON object with function name and arguments within <tool_call> and </tool_call> tags, like:" }}
    {{- "\\n<tool_call>{\\"name\\": function_1_name, \\"arguments\\": {argument_1_name: argument_1_value, argument_2_name: argument_2_value}}</tool_call>" }}
    {{- "\\n<tool_call>{\\"name\\": function_2_name, \\"arguments\\": {...}}</tool_call>\\n..." }}
    {{- "\\nNote that if no argument name is specified for a tool, you can just print the argument value directly, without the argument name or JSON formatting." }}
{%- endmacro %}
{%- for message in messages %}
    {%- if loop.first and tools is defined %}
        {{- role_indicators['system'] }}
        {%- if message.role == 'system' %}
            {{- message.content + "\\n\\n" }}
        {%- endif %}
        {{- available_tools(tools) }}
        {{- end_of_turn -}}
    {%- endif %}
    {%- if message.role == 'assistant' %}
        {{- role_indicators['assistant'] }}
        {{- "<think>\\n\\n</think>\\n\\n" }}
        {%- if message.content %}
            {%- set content = message.content.split('</think>')[-1].strip() if "</think>" in message.content else message.content %}
            {{- content }}
        {%- endif %}
        {%- if message.tool_calls %}
            {%- if message.content %}
                {{- "\\n" }}
            {%- endif %}
            {%- for tool_call in message.tool_calls %}
                {{- "<tool_call>" }}{"name": "{{- tool_call.function.name }}", "arguments": {{ tool_call.function.arguments | tojson(ensure_ascii=False) | safe }}}{{- "</tool_call>" }}
                {%- if not loop.last %}
                    {{- "\\n" }}
                {%- endif %}
            {%- endfor %}
        {%- endif %}
        {{- end_of_turn -}}
    {%- elif message.role == "tool" %}
        {%- if messages[loop.index0 - 1].role != "tool" %}
            {{- role_indicators['tool'] }}
        {%- endif %}
        {{- "<tool_result>" }}{"result": {{ message.content | tojson(ensure_ascii=False) | safe }}}{{- "</tool_result>" }}
        {%- if loop.last or messages[loop.index0 + 1].role != "tool" %}
            {{- end_of_turn -}}
        {%- else %}
            {{- "\\n" }}
        {%- endif %}
    {%- elif not (loop.first and message.role == 'system' and tools is defined) %}
        {{- role_indicators[message.role] }}
        {{- message.content }}
        {{- end_of_turn -}}
    {%- endif %}
{% endfor %}
{%- if add_generation_prompt %}
    {{- role_indicators['assistant'] }}
    {%- if enable_thinking is defined and enable_thinking is true %}
        {{- "<think>\\n" }}
    {%- else %}
        {{- "<think>\\n\\n</think>\\n\\n" }}
    {%- endif %}
{%- endif %}
"""

# tencent/Hunyuan-0.5B-Instruct
HUNYUAN = """{%- set ns = namespace(is_tool=false, is_output_first=true, system_prompt='', last_user=false) %}
{%- if messages[0]['role'] == 'system' %}
    {%- set ns.system_prompt = messages[0]['content'] %}
{%- endif %}
{{- bos_token }}{{- ns.system_prompt }}
{%- if tools %}
    {%- if ns.system_prompt != '' %}
        {{- '\\n\\n' }}
    {%- endif %}
    {{- '# Tools\\n\\nYou may call one or more functions to assist with the user query.' }}
    {{- '\\n\\nYou are provided with function signatures within <tools></tools> XML tags:' }}
    {{- '\\n<tools>\\n' }}
    {%- for tool in tools %}
        {%- if loop.index0 > 0 %}
            {{- '\\n' }}
        {%- endif %}
        {{- tool | tojson }}
    {%- endfor %}
    {{- '\\n</tools>\\n\\n' }}
    {{- 'For function call returns, you should first print <tool_calls>' }}
    {{- 'For each function call, you should return object like:\\n' }}
    {{- '<tool_call>function_name\\n```json\\nfunction_arguments_in_json_format\\n```</tool_call>' }}
    {{- 'At the end of function call returns, you should print </tool_calls>' }}
{%- endif %}
{%- if ns.system_prompt != '' or tools %}{{- '<｜hy_place▁holder▁no▁3｜>' }}{%- endif %}
{%- for message in messages %}
    {%- if message['role'] == 'user' %}
        {%- set ns.last_user = true %}
        {{- '<｜hy_User｜>' + message['content'] + '<｜hy_Assistant｜>' }}
    {%- elif message['role'] == 'assistant' %}
        {%- set ns.last_user = false %}
        {%- if ns.is_tool %}
            {{- '</tool_responses>' + '<｜hy_Assistant｜>' }}
        {%- endif %}
        {%- set ns.is_tool = false %}
        {%- set ns.is_output_first = true %}
        {{- message['content'] }}
        {%- for tool in message['tool_calls'] %}
            {{- '<tool_calls>' if loop.first else '\\n' }}
            {{- '<tool_call>' + tool['function']['name'] + '\\n```json\\n' + tool['function']['arguments'] | tojson + '\\n```</tool_call>' }}
            {{- '</tool_calls>' if loop.last else '' }}
        {%- endfor %}
        {{- eos_token }}
    {%- elif message['role'] == 'tool' %}
        {%- set ns.last_user = false %}
        {%- set ns.is_tool = true %}
        {{- '<｜hy_User｜><tool_responses>' if ns.is_output_first else '\\n' }}
        {{- '<tool_response>' + message['content'] + '</tool_response>' }}
        {%- set ns.is_output_first = false %}
    {%- endif %}
{%- endfor %}
{%- if ns.is_tool %}{{- '</tool_responses>' + '<｜hy_Assistant｜>' }}{%- endif %}
{%- if add_generation_prompt and not ns.last_user and not ns.is_tool %}
    {{- '<｜hy_Assistant｜>' }}
{%- endif %}
{%- if enable_thinking is defined and not enable_thinking %}
    {{- '<think>\\n\\n</think>\\n' }}
{%- endif %}"""

# baidu/ERNIE-4.5-0.3B-PT
ERNIE = """{%- if not cls_token is defined -%}
    {%- set cls_token = "<|begin_of_sentence|>" -%}
{%- endif -%}
{%- if not sep_token is defined -%}
    {%- set sep_token = "<|end_of_sentence|>" -%}
{%- endif -%}
{{- cls_token -}}
{%- for message in messages -%}
    {%- if message["role"] == "user" -%}
        {{- "User: " + message["content"] + "\\n" -}}
    {%- elif message["role"] == "assistant" -%}
        {{- "Assistant: " + message["content"] + sep_token -}}
    {%- elif message["role"] == "system" -%}
        {{- message["content"] + "\\n" -}}
    {%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
    {{- "Assistant: " -}}
{%- endif -%}"""

# openbmb/MiniCPM-2B-sft-bf16
MINICPM = ("{% for message in messages %}{% if message['role'] == 'user' %}{{'<用户>' + message['content'].strip() + '<AI>'}}"
           "{% else %}{{message['content'].strip()}}{% endif %}{% endfor %}")

# allenai/OLMo-2-0425-1B-Instruct
OLMO2 = ("{{ bos_token }}{% for message in messages %}{% if message['role'] == 'system' %}"
         "{{ '<|system|>\\n' + message['content'] + '\\n' }}{% elif message['role'] == 'user' %}"
         "{{ '<|user|>\\n' + message['content'] + '\\n' }}{% elif message['role'] == 'assistant' %}{% if not loop.last %}"
         "{{ '<|assistant|>\\n'  + message['content'] + eos_token + '\\n' }}{% else %}"
         "{{ '<|assistant|>\\n'  + message['content'] + eos_token }}{% endif %}{% endif %}"
         "{% if loop.last and add_generation_prompt %}{{ '<|assistant|>\\n' }}{% endif %}{% endfor %}")

# deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B, without tools
DEEPSEEK_R1 = """{%- set ns = namespace(system_prompt='') -%}
{%- for message in messages -%}
    {%- if message['role'] == 'system' -%}
        {%- set ns.system_prompt = message['content'] -%}
    {%- endif -%}
{%- endfor -%}{{bos_token}}{{ns.system_prompt}}
{%- for message in messages -%}
    {%- if message['role'] == 'user' -%}{{'<｜User｜>' + message['content']}}
    {%- endif -%}
    {%- if message['role'] == 'assistant' -%}
        {%- set content = message['content'] -%}
        {%- if '</think>' in content -%}
            {%- set content = content.split('</think>')[-1] -%}
        {%- endif -%}{{'<｜Assistant｜>' + content + '<｜end▁of▁sentence｜>'}}
    {%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}{{'<｜Assistant｜><think>\\n'}}
{%- endif %}"""
DEEPSEEK = DEEPSEEK_R1.replace("<think>\\n'}}", "'}}")

TEMPLATES = {
    "zephyr": [ZEPHYR], "llama2": [LLAMA2], "llama3": [LLAMA3], "llama3.1": [LLAMA31], "chatml": [CHATML, CHATML_BEGUN, SMALLTHINKER, SMOLLM2],
    "hermes": [QWEN25, QWEN3_INSTRUCT], "qwen2.5-first": [QWEN25_FIRST], "qwen3": [QWEN3], "qwen3-instruct": [QWEN3_UNSLOTH], "qwen3-thinking": [QWEN3_THINKING],
    "qwen3.5": [QWEN35, QWEN35_SMALL], "qwen3.6": [QWEN36], "smollm3": [SMOLLM3], "smollm3-unsloth": [SMOLLM3_UNSLOTH], "lfm2": [LFM2], "lfm2.5": [LFM25, LFM25_FIRST], "lfm2.5-8b": [LFM25_8B], "minicpm5": [MINICPM5],
    "gemma": [GEMMA3], "mistral": [MISTRAL], "mistral-v3": [MISTRAL_V3], "mistral-v3-tekken": [MISTRAL_V3_TEKKEN],
    "mistral-v7-tekken": [MISTRAL_V7_TEKKEN], "mistral-v7-thinking": [MISTRAL_V7_THINKING], "phi3": [PHI3, PHI35],
    "phi4-mini": [PHI4_MINI], "phi4-mini-reasoning": [PHI4_MINI_REASONING], "granite3": [GRANITE33, GRANITE33_SPACED], "granite3.0": [GRANITE30], "granite3.1": [GRANITE31], "granite4": [GRANITE40, GRANITE41],
    "exaone4": [EXAONE4], "hunyuan": [HUNYUAN], "ernie": [ERNIE], "minicpm": [MINICPM], "olmo2": [OLMO2],
    "deepseek-r1": [DEEPSEEK_R1], "deepseek": [DEEPSEEK],
}
