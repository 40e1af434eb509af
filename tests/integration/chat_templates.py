"""Chat templates, written here after the published prompt formats of the models that they name."""

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

# microsoft/Phi-4-mini-instruct
PHI4_MINI = ("{% for message in messages %}{% if message['role'] == 'system' and 'tools' in message and "
             "message['tools'] is not none %}{{ '<|' + message['role'] + '|>' + message['content'] + '<|tool|>' + "
             "message['tools'] + '<|/tool|>' + '<|end|>' }}{% else %}{{ '<|' + message['role'] + '|>' + "
             "message['content'] + '<|end|>' }}{% endif %}{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>' }}"
             "{% else %}{{ eos_token }}{% endif %}")

# Qwen/Qwen3-0.6B: turns without tools. The thinking of earlier answers is in `reasoning_content`.
QWEN3_TURNS = """{%- if messages[0].role == 'system' %}
    {{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}
{%- endif %}
{%- set ns = namespace(last_query=messages|length - 1, found=false) %}
{%- for message in messages[::-1] %}
    {%- if message.role == 'user' and not ns.found %}
        {%- set ns.found = true %}
        {%- set ns.last_query = messages|length - loop.index %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- if message.role == 'user' or (message.role == 'system' and not loop.first) %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
    {%- elif message.role == 'assistant' %}
        {%- set reasoning_content = message.reasoning_content or '' %}
        {%- if loop.index0 > ns.last_query and loop.last %}
            {{- '<|im_start|>' + message.role + '\\n<think>\\n' + reasoning_content.strip('\\n') + '\\n</think>\\n\\n' }}
            {{- message.content.lstrip('\\n') }}
        {%- else %}
            {{- '<|im_start|>' + message.role + '\\n' + message.content }}
        {%- endif %}
        {{- '<|im_end|>\\n' }}
    {%- endif %}
{%- endfor %}
"""
QWEN3 = QWEN3_TURNS + """{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\\n\\n</think>\\n\\n' }}
    {%- endif %}
{%- endif %}"""

# Qwen/Qwen3-4B-Thinking-2507
QWEN3_THINKING = QWEN3_TURNS + """{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n<think>\\n' }}
{%- endif %}"""

# HuggingFaceTB/SmolLM3-3B, with its own system message cut short
SMOLLM3 = """{%- set reasoning_mode = "/think" -%}
{{- "<|im_start|>system\\n" -}}
{%- if messages[0].role == "system" -%}
    {%- set custom_instructions = messages[0].content.rstrip() -%}
{%- endif -%}
{{- "## Metadata\\n\\n" -}}
{{- "Knowledge Cutoff Date: June 2025\\n" -}}
{{- "Today Date: " ~ strftime_now("%d %B %Y") ~ "\\n" -}}
{{- "Reasoning Mode: " + reasoning_mode + "\\n\\n" -}}
{{- "## Custom Instructions\\n\\n" -}}
{%- if custom_instructions -%}
    {{- custom_instructions + "\\n\\n" -}}
{%- elif reasoning_mode == "/think" -%}
    {{- "You are a helpful AI assistant named SmolLM. <think> Thought section </think> Solution \\"section\\".\\n\\n" -}}
{%- else -%}
    {{- "You are a helpful AI assistant named SmolLM, trained by Hugging Face.\\n\\n" -}}
{%- endif -%}
{{- "<|im_end|>\\n" -}}
{%- for message in messages -%}
    {%- if message.role == "user" -%}
        {{ "<|im_start|>" + message.role + "\\n" + message.content + "<|im_end|>\\n" }}
    {%- elif message.role == "assistant" -%}
        {{ "<|im_start|>assistant\\n" + message.content.lstrip("\\n") + "<|im_end|>\\n" }}
    {%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
    {{ "<|im_start|>assistant\\n" }}
{%- endif -%}
"""

# LiquidAI/LFM2-1.2B, LiquidAI/LFM2.5-1.2B-Instruct
LFM2 = """{{- bos_token -}}
{%- set ns = namespace(system_prompt="") -%}
{%- if messages[0]["role"] == "system" -%}
    {%- set ns.system_prompt = messages[0]["content"] -%}
    {%- set messages = messages[1:] -%}
{%- endif -%}
{%- if ns.system_prompt -%}
    {{- "<|im_start|>system\\n" + ns.system_prompt + "<|im_end|>\\n" -}}
{%- endif -%}
{%- for message in messages -%}
    {{- "<|im_start|>" + message["role"] + "\\n" -}}
    {%- set content = message["content"] -%}
    {{- content + "<|im_end|>\\n" -}}
{%- endfor -%}
{%- if add_generation_prompt -%}
    {{- "<|im_start|>assistant\\n" -}}
{%- endif -%}"""

# openbmb/MiniCPM5-1B
MINICPM5 = """{{- bos_token }}
{%- for message in messages %}
    {%- if message.role == "assistant" and message.reasoning_content is string %}
        {%- set reasoning_content = message.reasoning_content %}
        {{- '<|im_start|>' + message.role + '\\n<think>\\n' + reasoning_content + '\\n</think>\\n\\n' + message.content }}
    {%- else %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content }}
    {%- endif %}
    {{- '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined %}
        {%- if enable_thinking is false %}
            {{- '<think>\\n\\n</think>\\n\\n' }}
        {%- elif enable_thinking is true %}
            {{- '<think>\\n' }}
        {%- endif %}
    {%- endif %}
{%- endif %}"""

# What the later templates of Mistral AI begin with.
MISTRAL_LATER = """{%- if messages[0]["role"] == "system" %}
    {%- set system_message = messages[0]["content"] %}
    {%- set loop_messages = messages[1:] %}
{%- else %}
    {%- set loop_messages = messages %}
{%- endif %}
{%- for message in loop_messages %}
    {%- if (message["role"] == "user") != (loop.index0 % 2 == 0) %}
        {{- raise_exception("After the optional system message, roles must alternate") }}
    {%- endif %}
{%- endfor %}
{{- bos_token }}
{%- if tools is defined %}{{- "[AVAILABLE_TOOLS]" }}{%- endif %}
{%- for message in loop_messages %}
"""

# mistralai/Mistral-7B-Instruct-v0.3, without tools
MISTRAL_V3 = MISTRAL_LATER + """    {%- if message["role"] == "user" %}
        {%- if loop.last and system_message is defined %}
            {{- "[INST] " + system_message + "\\n\\n" + message["content"] + "[/INST]" }}
        {%- else %}
            {{- "[INST] " + message["content"] + "[/INST]" }}
        {%- endif %}
    {%- elif message["role"] == "assistant" %}
        {{- " " + message["content"]|trim + eos_token}}
    {%- endif %}
{%- endfor %}
"""

# mistralai/Mistral-Nemo-Instruct-2407, mistralai/Ministral-8B-Instruct-2410, without tools
MISTRAL_V3_TEKKEN = MISTRAL_LATER + """    {%- if message["role"] == "user" %}
        {%- if loop.last and system_message is defined %}
            {{- "[INST]" + system_message + "\\n\\n" + message["content"] + "[/INST]" }}
        {%- else %}
            {{- "[INST]" + message["content"] + "[/INST]" }}
        {%- endif %}
    {%- elif message["role"] == "assistant" %}
        {{- message["content"] + eos_token}}
    {%- endif %}
{%- endfor %}
"""

# mistralai/Ministral-3-3B-Instruct-2512, with its own system message cut short. The braces are in what it writes.
MISTRAL_V7_TEKKEN = """{%- set default_system_message = 'You are Ministral.\\nThe date is {today}. When you\\'re not sure, say "so".' %}
{{- bos_token }}
{%- if messages[0]['role'] == 'system' %}
    {{- '[SYSTEM_PROMPT]' -}}
    {{- messages[0]['content'] -}}
    {{- '[/SYSTEM_PROMPT]' -}}
    {%- set loop_messages = messages[1:] %}
{%- else %}
    {%- set loop_messages = messages %}
    {{- '[SYSTEM_PROMPT]' + default_system_message + '[/SYSTEM_PROMPT]' }}
{%- endif %}
{%- for message in loop_messages %}
    {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}
        {{- raise_exception('After the optional system message, roles must alternate') }}
    {%- endif %}
    {%- if message['role'] == 'user' %}
        {{- '[INST]' + message['content'] + '[/INST]' }}
    {%- else %}
        {{- message['content'] }}
        {{- eos_token }}
    {%- endif %}
{%- endfor %}
"""

# ibm-granite/granite-3.0-2b-instruct
GRANITE30 = """{%- for message in messages %}
    {%- if message['role'] == 'system' %}
    {{- '<|start_of_role|>system<|end_of_role|>' + message['content'] + '<|end_of_text|>\\n' }}
    {%- elif message['role'] == 'user' %}
    {{- '<|start_of_role|>user<|end_of_role|>' + message['content'] + '<|end_of_text|>\\n' }}
    {%- elif message['role'] == 'assistant' %}
    {{- '<|start_of_role|>assistant<|end_of_role|>' + message['content'] + '<|end_of_text|>\\n' }}
    {%- endif %}
    {%- if loop.last and add_generation_prompt %}
    {{- '<|start_of_role|>assistant<|end_of_role|>' }}
    {%- endif %}
{%- endfor %}"""

# ibm-granite/granite-3.3-2b-instruct, and with line breaks in place of two of the spaces granite-3.1-2b-instruct
GRANITE33 = """{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content'] %}
    {%- set loop_messages = messages[1:] %}
{%- else %}
    {%- set system_message = "Knowledge Cutoff Date: April 2024. Today's Date: " + strftime_now('%B %d, %Y') + ". You are Granite, developed by IBM." %}
    {%- set system_message = system_message + " You are a helpful AI assistant." %}
    {%- set loop_messages = messages %}
{%- endif %}
{{- '<|start_of_role|>system<|end_of_role|>' + system_message + '<|end_of_text|>\\n' }}
{%- for message in loop_messages %}
    {{- '<|start_of_role|>' + message['role'] + '<|end_of_role|>' + message['content'] + '<|end_of_text|>\\n' }}
    {%- if loop.last and add_generation_prompt %}
        {{- '<|start_of_role|>assistant' }}
        {{- '<|end_of_role|>' }}
    {%- endif %}
{%- endfor %}"""
GRANITE31 = GRANITE33.replace(" Today's", "\\nToday's").replace(". You are Granite", ".\\nYou are Granite")

# ibm-granite/granite-4.1-3b: a tool list, if there is one, joins the system message.
GRANITE41 = """{%- set tools_system_message_prefix = 'These are the tools:\\n<tools>' %}
{%- set ns = namespace(system_message='') %}
{%- if messages[0].role == 'system' %}
    {%- set ns.system_message = messages[0].content %}
{%- endif %}
{%- if ns.system_message %}
    {{- '<|start_of_role|>system<|end_of_role|>' + ns.system_message + '<|end_of_text|>\\n' }}
{%- endif %}
{%- for message in messages %}
    {%- if message.role == 'user' or (message.role == 'system' and not loop.first) %}
        {{- '<|start_of_role|>' + message.role + '<|end_of_role|>' + message.content + '<|end_of_text|>\\n' }}
    {%- elif message.role == 'assistant' %}
        {{- '<|start_of_role|>' + message.role + '<|end_of_role|>' + message.content }}
        {{- '<|end_of_text|>\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_of_role|>assistant<|end_of_role|>' }}
{%- endif %}"""

# ibm-granite/granite-4.0-micro
GRANITE40 = ("{%- set g4_default_system_message = 'You are a helpful assistant. Please ensure responses are professional, "
             "accurate, and safe.' %}\n" + GRANITE41.replace("namespace(system_message='')",
             "namespace(default_system_message=g4_default_system_message, system_message='')").replace(
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
{%- for message in messages %}
    {{- role_indicators[message.role] }}
    {%- if message.role == 'assistant' and message.content %}
        {{- "<think>\\n\\n</think>\\n\\n" }}
    {%- endif %}
    {{- message.content }}
    {{- end_of_turn -}}
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
HUNYUAN = """{%- set ns = namespace(system_prompt='', last_user=false) %}
{%- if messages[0]['role'] == 'system' %}
    {%- set ns.system_prompt = messages[0]['content'] %}
{%- endif %}
{{- bos_token }}{{- ns.system_prompt }}
{%- if ns.system_prompt != '' %}{{- '<｜hy_place▁holder▁no▁3｜>' }}{%- endif %}
{%- for message in messages %}
    {%- if message['role'] == 'user' %}
        {%- set ns.last_user = true %}
        {{- '<｜hy_User｜>' + message['content'] + '<｜hy_Assistant｜>' }}
    {%- elif message['role'] == 'assistant' %}
        {%- set ns.last_user = false %}
        {{- message['content'] + eos_token }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt and not ns.last_user %}
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
    "zephyr": [ZEPHYR], "llama2": [LLAMA2], "llama3": [LLAMA3, LLAMA31], "chatml": [CHATML, SMOLLM2, QWEN25],
    "qwen3": [QWEN3], "qwen3-thinking": [QWEN3_THINKING], "smollm3": [SMOLLM3], "lfm2": [LFM2], "minicpm5": [MINICPM5],
    "gemma": [GEMMA3], "mistral": [MISTRAL], "mistral-v3": [MISTRAL_V3], "mistral-v3-tekken": [MISTRAL_V3_TEKKEN],
    "mistral-v7-tekken": [MISTRAL_V7_TEKKEN], "phi3": [PHI3], "phi4-mini": [PHI4_MINI],
    "granite3": [GRANITE30, GRANITE31, GRANITE33], "granite4": [GRANITE40, GRANITE41], "exaone4": [EXAONE4],
    "hunyuan": [HUNYUAN], "ernie": [ERNIE], "minicpm": [MINICPM], "olmo2": [OLMO2], "deepseek-r1": [DEEPSEEK_R1],
    "deepseek": [DEEPSEEK],
}
