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

# meta-llama/Llama-3.1-8B-Instruct, without built-in tools
LLAMA31 = """{{- bos_token }}
{%- if not date_string is defined %}
    {%- set date_string = "26 Jul 2024" %}
{%- endif %}
{%- if not tools is defined %}
    {%- set tools = none %}
{%- endif %}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content']|trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_message = "" %}
{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\\n\\n" }}
{%- if tools is not none %}
    {{- "Environment: ipython\\n" }}
{%- endif %}
{{- "Cutting Knowledge Date: December 2023\\n" }}
{{- "Today Date: " + date_string + "\\n\\n" }}
{{- system_message }}
{{- "<|eot_id|>" }}
{%- if tools is not none %}
    {%- set first_user_message = messages[0]['content']|trim %}
    {%- set messages = messages[1:] %}
    {{- '<|start_header_id|>user<|end_header_id|>\\n\\n' -}}
    {{- "Given the following functions, please respond with a JSON for a function call " }}
    {{- "with its proper arguments that best answers the given prompt.\\n\\n" }}
    {{- 'Respond in the format {"name": function name, "parameters": dictionary of argument name and its value}.' }}
    {{- "Do not use variables.\\n\\n" }}
    {%- for t in tools %}
        {{- t | tojson(indent=4) }}
        {{- "\\n\\n" }}
    {%- endfor %}
    {{- first_user_message + "<|eot_id|>"}}
{%- endif %}
{%- for message in messages %}
    {%- if not (message.role == 'tool' or 'tool_calls' in message) %}
        {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n'+ message['content'] | trim + '<|eot_id|>' }}
    {%- elif 'tool_calls' in message %}
        {%- if not message.tool_calls|length == 1 %}
            {{- raise_exception("This model only supports single tool-calls at once!") }}
        {%- endif %}
        {%- set tool_call = message.tool_calls[0].function %}
        {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' -}}
        {{- '{"name": "' + tool_call.name + '", ' }}
        {{- '"parameters": ' }}
        {{- tool_call.arguments | tojson }}
        {{- "}" }}
        {{- "<|eot_id|>" }}
    {%- else %}
        {{- "<|start_header_id|>ipython<|end_header_id|>\\n\\n" }}
        {{- message.content | tojson }}
        {{- "<|eot_id|>" }}
    {%- endif %}
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

# What the templates with calls between tags write of tools, of calls and of results.
TOOL_LIST = """{{- "# Tools\\n\\nYou may call one or more functions to assist with the user query.\\n\\nYou are provided with function signatures within <tools></tools> XML tags:\\n<tools>" }}
    {%- for tool in tools %}
        {{- "\\n" }}
        {{- tool | tojson }}
    {%- endfor %}
    {{- "\\n</tools>\\n\\nFor each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\\n<tool_call>\\n{\\"name\\": <function-name>, \\"arguments\\": <args-json-object>}\\n</tool_call><|im_end|>\\n" }}
"""
TAGGED_CALLS = """{%- for tool_call in message.tool_calls %}
            {%- if (loop.first and message.content) or (not loop.first) %}
                {{- '\\n' }}
            {%- endif %}
            {{- '<tool_call>\\n{"name": "' }}
            {{- tool_call.function.name }}
            {{- '", "arguments": ' }}
            {{- tool_call.function.arguments | tojson }}
            {{- '}\\n</tool_call>' }}
        {%- endfor %}
"""
TAGGED_RESULT = """{%- if loop.first or (messages[loop.index0 - 1].role != "tool") %}
            {{- '<|im_start|>user' }}
        {%- endif %}
        {{- '\\n<tool_response>\\n' }}
        {{- message.content }}
        {{- '\\n</tool_response>' }}
        {%- if loop.last or (messages[loop.index0 + 1].role != "tool") %}
            {{- '<|im_end|>\\n' }}
        {%- endif %}
"""

# Qwen/Qwen2.5-0.5B-Instruct
QWEN25 = """{%- if tools %}
    {{- '<|im_start|>system\\n' }}
    {%- if messages[0]['role'] == 'system' %}
        {{- messages[0]['content'] }}
    {%- else %}
        {{- 'You are Qwen, created by Alibaba Cloud. You are a helpful assistant.' }}
    {%- endif %}
    {{- "\\n\\n" }}
    """ + TOOL_LIST + """{%- else %}
    {%- if messages[0]['role'] == 'system' %}
        {{- '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}
    {%- else %}
        {{- '<|im_start|>system\\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\\n' }}
    {%- endif %}
{%- endif %}
{%- for message in messages %}
    {%- if (message.role == "user") or (message.role == "system" and not loop.first) or (message.role == "assistant" and not message.tool_calls) %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
    {%- elif message.role == "assistant" %}
        {{- '<|im_start|>' + message.role }}
        {%- if message.content %}
            {{- '\\n' + message.content }}
        {%- endif %}
        {%- for tool_call in message.tool_calls %}
            {{- '\\n<tool_call>\\n{"name": "' }}
            {{- tool_call.function.name }}
            {{- '", "arguments": ' }}
            {{- tool_call.function.arguments | tojson }}
            {{- '}\\n</tool_call>' }}
        {%- endfor %}
        {{- '<|im_end|>\\n' }}
    {%- elif message.role == "tool" %}
        """ + TAGGED_RESULT + """    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}
"""

# Qwen/Qwen3-4B-Instruct-2507
QWEN3_INSTRUCT = """{%- if tools %}
    {{- '<|im_start|>system\\n' }}
    {%- if messages[0].role == 'system' %}
        {{- messages[0].content + '\\n\\n' }}
    {%- endif %}
    """ + TOOL_LIST + """{%- elif messages[0].role == 'system' %}
    {{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
    {%- if message.role == 'user' or (message.role == 'system' and not loop.first) %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
    {%- elif message.role == 'assistant' %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content }}
        """ + TAGGED_CALLS + """        {{- '<|im_end|>\\n' }}
    {%- elif message.role == 'tool' %}
        """ + TAGGED_RESULT + """    {%- endif %}
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

# Where the thinking of earlier answers begins to be kept.
LAST_QUERY = """{%- set ns = namespace(last_query=messages|length - 1, found=false) %}
{%- for message in messages[::-1] %}
    {%- if message.role == 'user' and not ns.found %}
        {%- set ns.found = true %}
        {%- set ns.last_query = messages|length - loop.index %}
    {%- endif %}
{%- endfor %}
"""
SPLIT_THINKING = """{%- set content = message.content %}
        {%- set reasoning_content = '' %}
        {%- if message.reasoning_content is defined and message.reasoning_content is not none %}
            {%- set reasoning_content = message.reasoning_content %}
        {%- elif '</think>' in message.content %}
            {%- set content = message.content.split('</think>')[-1].lstrip('\\n') %}
            {%- set reasoning_content = message.content.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') %}
        {%- endif %}
"""

# Qwen/Qwen3-0.6B
QWEN3_TURNS = """{%- if tools %}
    {{- '<|im_start|>system\\n' }}
    {%- if messages[0].role == 'system' %}
        {{- messages[0].content + '\\n\\n' }}
    {%- endif %}
    """ + TOOL_LIST + """{%- elif messages[0].role == 'system' %}
    {{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}
{%- endif %}
""" + LAST_QUERY + """{%- for message in messages %}
    {%- if message.role == 'user' or (message.role == 'system' and not loop.first) %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
    {%- elif message.role == 'assistant' %}
        """ + SPLIT_THINKING + """        {%- if loop.index0 > ns.last_query and (loop.last or reasoning_content) %}
            {{- '<|im_start|>' + message.role + '\\n<think>\\n' + reasoning_content.strip('\\n') + '\\n</think>\\n\\n' + content.lstrip('\\n') }}
        {%- else %}
            {{- '<|im_start|>' + message.role + '\\n' + content }}
        {%- endif %}
        """ + TAGGED_CALLS.replace("message.content", "content") + """        {{- '<|im_end|>\\n' }}
    {%- elif message.role == 'tool' %}
        """ + TAGGED_RESULT + """    {%- endif %}
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

# Qwen/Qwen3.5-4B, of text alone
QWEN35 = """{%- if tools %}
    {{- '<|im_start|>system\\n' }}
    {{- "# Tools\\n\\nYou have access to the following functions:\\n\\n<tools>" }}
    {%- for tool in tools %}
        {{- "\\n" }}
        {{- tool | tojson }}
    {%- endfor %}
    {{- "\\n</tools>" }}
    {{- '\\n\\nIf you choose to call a function ONLY reply in the following format with NO suffix:\\n\\n<tool_call>\\n<function=example_function_name>\\n<parameter=example_parameter_1>\\nvalue_1\\n</parameter>\\n<parameter=example_parameter_2>\\nThis is the value for the second parameter\\nthat can span\\nmultiple lines\\n</parameter>\\n</function>\\n</tool_call>\\n\\n<IMPORTANT>\\nReminder:\\n- Function calls MUST follow the specified format: an inner <function=...></function> block must be nested within <tool_call></tool_call> XML tags\\n- Required parameters MUST be specified\\n- You may provide optional reasoning for your function call in natural language BEFORE the function call, but NOT after\\n- If there is no function call available, answer the question like normal with your current knowledge and do not tell the user about function calls\\n</IMPORTANT>' }}
    {%- if messages[0].role == 'system' and messages[0].content|trim %}
        {{- '\\n\\n' + messages[0].content|trim }}
    {%- endif %}
    {{- '<|im_end|>\\n' }}
{%- elif messages[0].role == 'system' %}
    {{- '<|im_start|>system\\n' + messages[0].content|trim + '<|im_end|>\\n' }}
{%- endif %}
""" + LAST_QUERY + """{%- for message in messages %}
    {%- set content = message.content|trim %}
    {%- if message.role == 'user' %}
        {{- '<|im_start|>' + message.role + '\\n' + content + '<|im_end|>' + '\\n' }}
    {%- elif message.role == 'assistant' %}
        {%- set reasoning_content = '' %}
        {%- if message.reasoning_content is string %}
            {%- set reasoning_content = message.reasoning_content %}
        {%- elif '</think>' in content %}
            {%- set reasoning_content = content.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') %}
            {%- set content = content.split('</think>')[-1].lstrip('\\n') %}
        {%- endif %}
        {%- set reasoning_content = reasoning_content|trim %}
        {%- if loop.index0 > ns.last_query %}
            {{- '<|im_start|>' + message.role + '\\n<think>\\n' + reasoning_content + '\\n</think>\\n\\n' + content }}
        {%- else %}
            {{- '<|im_start|>' + message.role + '\\n' + content }}
        {%- endif %}
        {%- for tool_call in message.tool_calls %}
            {%- if loop.first and content|trim %}
                {{- '\\n\\n' }}
            {%- elif not loop.first %}
                {{- '\\n' }}
            {%- endif %}
            {{- '<tool_call>\\n<function=' + tool_call.function.name + '>\\n' }}
            {%- for args_name, args_value in tool_call.function.arguments|items %}
                {{- '<parameter=' + args_name + '>\\n' }}
                {%- set args_value = args_value | tojson if args_value is mapping or (args_value is sequence and args_value is not string) else args_value | string %}
                {{- args_value }}
                {{- '\\n</parameter>\\n' }}
            {%- endfor %}
            {{- '</function>\\n</tool_call>' }}
        {%- endfor %}
        {{- '<|im_end|>\\n' }}
    {%- elif message.role == 'tool' %}
        """ + TAGGED_RESULT.replace("message.content", "content") + """    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\\n\\n</think>\\n\\n' }}
    {%- else %}
        {{- '<think>\\n' }}
    {%- endif %}
{%- endif %}"""
# Qwen/Qwen3.5-0.8B
QWEN35_SMALL = QWEN35.replace("""enable_thinking is false %}
        {{- '<think>\\n\\n</think>\\n\\n' }}
    {%- else %}
        {{- '<think>\\n' }}
""", """enable_thinking is true %}
        {{- '<think>\\n' }}
    {%- else %}
        {{- '<think>\\n\\n</think>\\n\\n' }}
""")

# HuggingFaceTB/SmolLM3-3B, with its own system message cut short, and without the switches in the system message
SMOLLM3 = """{%- set reasoning_mode = "/no_think" if enable_thinking is defined and not enable_thinking else "/think" -%}
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
{%- if xml_tools -%}
    {{- "### Tools\\n\\n" -}}
    {%- set ns = namespace(xml_tool_string="You may call one or more functions to assist with the user query.\\nYou are provided with function signatures within <tools></tools> XML tags:\\n\\n<tools>\\n") -%}
    {%- for tool in xml_tools -%}
        {%- set ns.xml_tool_string = ns.xml_tool_string ~ (tool | string) ~ "\\n" -%}
    {%- endfor -%}
    {{- ns.xml_tool_string + "</tools>\\n\\nFor each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\\n<tool_call>\\n{\\"name\\": <function-name>, \\"arguments\\": <args-json-object>}\\n</tool_call>" -}}
    {{- "\\n\\n" -}}
    {{- "<|im_end|>\\n" -}}
{%- endif -%}
{%- for message in messages -%}
    {%- if message.role == "user" -%}
        {{ "<|im_start|>" + message.role + "\\n" + message.content + "<|im_end|>\\n" }}
    {%- elif message.role == "assistant" -%}
        {%- if reasoning_mode == "/think" -%}
            {{ "<|im_start|>assistant\\n" + message.content.lstrip("\\n") + "<|im_end|>\\n" }}
        {%- else -%}
            {{ "<|im_start|>assistant\\n" + "<think>\\n\\n</think>\\n" + message.content.lstrip("\\n") + "<|im_end|>\\n" }}
        {%- endif -%}
    {%- elif message.role == "tool" -%}
        {{ "<|im_start|>user\\n" + message.content + "<|im_end|>\\n" }}
    {%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
    {%- if reasoning_mode == "/think" -%}
        {{ "<|im_start|>assistant\\n" }}
    {%- else -%}
        {{ "<|im_start|>assistant\\n" + "<think>\\n\\n</think>\\n" }}
    {%- endif -%}
{%- endif -%}
"""

# LiquidAI/LFM2-1.2B
LFM2 = """{{- bos_token -}}
{%- set ns = namespace(system_prompt="") -%}
{%- if messages[0]["role"] == "system" -%}
    {%- set ns.system_prompt = messages[0]["content"] -%}
    {%- set messages = messages[1:] -%}
{%- endif -%}
{%- if tools -%}
    {%- set ns.system_prompt = ns.system_prompt + ("\\n" if ns.system_prompt else "") + "List of tools: <|tool_list_start|>[" -%}
    {%- for tool in tools -%}
        {%- set ns.system_prompt = ns.system_prompt + (tool | tojson) + ("" if loop.last else ", ") -%}
    {%- endfor -%}
    {%- set ns.system_prompt = ns.system_prompt + "]<|tool_list_end|>" -%}
{%- endif -%}
{%- if ns.system_prompt -%}
    {{- "<|im_start|>system\\n" + ns.system_prompt + "<|im_end|>\\n" -}}
{%- endif -%}
{%- for message in messages -%}
    {{- "<|im_start|>" + message["role"] + "\\n" -}}
    {%- set content = message["content"] -%}
    {%- if message["role"] == "tool" -%}
        {%- set content = "<|tool_response_start|>" + content + "<|tool_response_end|>" -%}
    {%- endif -%}
    {{- content + "<|im_end|>\\n" -}}
{%- endfor -%}
{%- if add_generation_prompt -%}
    {{- "<|im_start|>assistant\\n" -}}
{%- endif -%}"""

# LiquidAI/LFM2.5-1.2B-Instruct, of text alone
LFM25 = """{{- bos_token -}}
{%- macro format_arg_value(arg_value) -%}
    {%- if arg_value is string -%}
        {{- '"' + arg_value + '"' -}}
    {%- elif arg_value is mapping -%}
        {{- arg_value | tojson -}}
    {%- else -%}
        {{- arg_value | string -}}
    {%- endif -%}
{%- endmacro -%}
{%- macro render_tool_calls(tool_calls) -%}
    {%- set tool_calls_ns = namespace(tool_calls=[]) -%}
    {%- for tool_call in tool_calls -%}
        {%- set args_ns = namespace(arg_strings=[]) -%}
        {%- for arg_name, arg_value in tool_call.function.arguments.items() -%}
            {%- set args_ns.arg_strings = args_ns.arg_strings + [arg_name + "=" + format_arg_value(arg_value)] -%}
        {%- endfor -%}
        {%- set tool_calls_ns.tool_calls = tool_calls_ns.tool_calls + [tool_call.function.name + "(" + (args_ns.arg_strings | join(", ")) + ")"] -%}
    {%- endfor -%}
    {{- "<|tool_call_start|>[" + (tool_calls_ns.tool_calls | join(", ")) + "]<|tool_call_end|>" -}}
{%- endmacro -%}
{%- set ns = namespace(system_prompt="", last_assistant_index=-1) -%}
{%- if messages[0]["role"] == "system" -%}
    {%- set ns.system_prompt = messages[0]["content"] -%}
    {%- set messages = messages[1:] -%}
{%- endif -%}
{%- if tools -%}
    {%- set ns.system_prompt = ns.system_prompt + ("\\n\\n" if ns.system_prompt else "") + "Today's date: " + strftime_now("%Y-%m-%d") + "\\n\\nList of tools: " + (tools | tojson) -%}
{%- endif -%}
{%- if ns.system_prompt -%}
    {{- "<|im_start|>system\\n" + ns.system_prompt + "<|im_end|>\\n" -}}
{%- endif -%}
{%- for message in messages -%}
    {%- if message.role == "assistant" -%}
        {%- set ns.last_assistant_index = loop.index0 -%}
    {%- endif -%}
{%- endfor -%}
{%- for message in messages -%}
    {{- "<|im_start|>" + message.role + "\\n" -}}
    {%- set content = message.content -%}
    {%- if message.role == "assistant" -%}
        {%- if message.thinking is defined and loop.index0 == ns.last_assistant_index -%}
            {{- "<think>" + message.thinking + "</think>" -}}
        {%- endif -%}
        {%- if message.tool_calls is defined -%}
            {{- render_tool_calls(message.tool_calls) -}}
        {%- endif -%}
        {%- if loop.index0 != ns.last_assistant_index and "</think>" in content -%}
            {%- set content = content.split("</think>")[-1] | trim -%}
        {%- endif -%}
    {%- endif -%}
    {{- content + "<|im_end|>\\n" -}}
{%- endfor -%}
{%- if add_generation_prompt -%}
    {{- "<|im_start|>assistant\\n" -}}
{%- endif -%}"""

# openbmb/MiniCPM5-1B
MINICPM5 = """{{- bos_token }}
{%- if tools %}
    {{- '<|im_start|>system\\n' }}
    {%- if messages[0].role == 'system' %}
        {{- messages[0].content + '\\n\\n' }}
    {%- endif %}
    {{- "# Tools\\n\\nYou are provided with function signatures within <tools></tools> XML tags:\\n<tools>" }}
    {%- for tool in tools %}
        {{- "\\n" }}
        {{- tool | tojson(ensure_ascii=False) }}
    {%- endfor %}
    {{- '\\n</tools>\\n\\nTool usage guidelines:\\n- You may call zero or more functions. If no function calls are needed, just answer normally and do not include any <function ... </function>.\\n- When calling a function, return an XML object within <function ... </function> using:\\n<function name="function-name"><param name="param-name">param-value</param></function>\\n- param-value may be multi-line. If it contains <, & or newline characters, wrap it in a CDATA block: <param name="param-name"><![CDATA[...multi-line value...]]></param>' }}
    {{- '<|im_end|>\\n' }}
{%- elif messages[0].role == 'system' %}
    {{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}
{%- endif %}
""" + LAST_QUERY + """{%- for message in messages %}
    {%- if message.role == "user" or (message.role == "system" and not loop.first) %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
    {%- elif message.role == "assistant" %}
        """ + SPLIT_THINKING + """        {%- if loop.index0 > ns.last_query and (loop.last or reasoning_content) %}
            {{- '<|im_start|>' + message.role + '\\n<think>\\n' + reasoning_content.strip('\\n') + '\\n</think>\\n\\n' + content.lstrip('\\n') }}
        {%- else %}
            {{- '<|im_start|>' + message.role + '\\n' + content }}
        {%- endif %}
        {%- for tool_call in message.tool_calls %}
            {%- if (loop.first and content) or (not loop.first) %}
                {{- '\\n' }}
            {%- endif %}
            {{- '<function name="' ~ tool_call.function.name ~ '">' }}
            {%- for param_name, param_value in tool_call.function.arguments.items() %}
                {{- '<param name="' ~ param_name ~ '">' }}
                {%- if param_value is string and ('<' in param_value or '&' in param_value or '\\n' in param_value) %}
                    {{- '<![CDATA[' ~ param_value ~ ']]>' }}
                {%- else %}
                    {{- param_value }}
                {%- endif %}
                {{- '</param>' }}
            {%- endfor %}
            {{- '</function>' }}
        {%- endfor %}
        {{- '<|im_end|>\\n' }}
    {%- elif message.role == "tool" %}
        """ + TAGGED_RESULT + """    {%- endif %}
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

# What the later templates of Mistral AI begin with, and what they write of tools, of calls and of results. The texts of
# functions are JSON, as in mistral-common; the templates write them without escapes.
MISTRAL_LATER = """{%- if messages[0]["role"] == "system" %}
    {%- set system_message = messages[0]["content"] %}
    {%- set loop_messages = messages[1:] %}
{%- else %}
    {%- set loop_messages = messages %}
{%- endif %}
{%- set user_messages = loop_messages | selectattr("role", "equalto", "user") | list %}
{%- set ns = namespace(index=0) %}
{%- for message in loop_messages %}
    {%- if not (message.role == "tool" or message.tool_calls is defined) %}
        {%- if (message["role"] == "user") != (ns.index % 2 == 0) %}
            {{- raise_exception("After the optional system message, roles must alternate") }}
        {%- endif %}
        {%- set ns.index = ns.index + 1 %}
    {%- endif %}
{%- endfor %}
{{- bos_token }}
{%- for message in loop_messages %}
"""
MISTRAL_TOOLS = """        {%- if tools is defined and message == user_messages[-1] %}
            {{- "[AVAILABLE_TOOLS] [" }}
            {%- for tool in tools %}
                {{- '{"type": "function", "function": ' + tool.function | tojson + '}' }}
                {{- "]" if loop.last else ", " }}
            {%- endfor %}
            {{- "[/AVAILABLE_TOOLS]" }}
        {%- endif %}
"""
MISTRAL_CALLS = """    {%- elif message.tool_calls is defined %}
        {{- "[TOOL_CALLS] [" }}
        {%- for tool_call in message.tool_calls %}
            {{- (tool_call.function | tojson)[:-1] }}
            {%- if tool_call.id|length != 9 %}
                {{- raise_exception("Tool call IDs should be alphanumeric strings with length 9!") }}
            {%- endif %}
            {{- ', "id": "' + tool_call.id + '"}' }}
            {{- "]" + eos_token if loop.last else ", " }}
        {%- endfor %}
    {%- elif message["role"] == "tool" %}
        {{- '[TOOL_RESULTS] {"content": ' + message.content + ", " }}
        {{- '"call_id": "' + message.tool_call_id + '"}[/TOOL_RESULTS]' }}
"""

# mistralai/Mistral-7B-Instruct-v0.3
MISTRAL_V3 = MISTRAL_LATER + """    {%- if message["role"] == "user" %}
""" + MISTRAL_TOOLS + """        {%- if loop.last and system_message is defined %}
            {{- "[INST] " + system_message + "\\n\\n" + message["content"] + "[/INST]" }}
        {%- else %}
            {{- "[INST] " + message["content"] + "[/INST]" }}
        {%- endif %}
""" + MISTRAL_CALLS + """    {%- elif message["role"] == "assistant" %}
        {{- " " + message["content"]|trim + eos_token}}
    {%- endif %}
{%- endfor %}
"""

# mistralai/Mistral-Nemo-Instruct-2407, mistralai/Ministral-8B-Instruct-2410
MISTRAL_V3_TEKKEN = MISTRAL_LATER + """    {%- if message["role"] == "user" %}
""" + MISTRAL_TOOLS.replace("] [", "][") + """        {%- if loop.last and system_message is defined %}
            {{- "[INST]" + system_message + "\\n\\n" + message["content"] + "[/INST]" }}
        {%- else %}
            {{- "[INST]" + message["content"] + "[/INST]" }}
        {%- endif %}
""" + MISTRAL_CALLS.replace("] [", "][").replace("] {", "]{") + """    {%- elif message["role"] == "assistant" %}
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
{%- if tools is defined %}
    {{- '[AVAILABLE_TOOLS]' + (tools | tojson) + '[/AVAILABLE_TOOLS]' }}
{%- endif %}
{%- set ns = namespace(index=0) %}
{%- for message in loop_messages %}
    {%- if message.role == 'user' or (message.role == 'assistant' and message.tool_calls is not defined) %}
        {%- if (message['role'] == 'user') != (ns.index % 2 == 0) %}
            {{- raise_exception('After the optional system message, roles must alternate') }}
        {%- endif %}
        {%- set ns.index = ns.index + 1 %}
    {%- endif %}
{%- endfor %}
{%- for message in loop_messages %}
    {%- if message['role'] == 'user' %}
        {{- '[INST]' + message['content'] + '[/INST]' }}
    {%- elif message['role'] == 'tool' %}
        {{- '[TOOL_RESULTS]' + message['content'] + '[/TOOL_RESULTS]' }}
    {%- else %}
        {{- message['content'] }}
        {%- for tool in message['tool_calls'] %}
            {{- '[TOOL_CALLS]' + tool['function']['name'] + '[ARGS]' + tool['function']['arguments'] | tojson }}
        {%- endfor %}
        {{- eos_token }}
    {%- endif %}
{%- endfor %}
"""
# mistralai/Ministral-3-3B-Reasoning-2512
MISTRAL_V7_THINKING = MISTRAL_V7_TEKKEN.replace("""        {{- message['content'] }}
        {%- for tool""", """        {%- if message['content'] is string %}
            {{- message['content'] }}
        {%- else %}
            {%- for block in message['content'] %}
                {%- if block['type'] == 'text' %}
                    {{- block['text'] }}
                {%- elif block['type'] == 'thinking' %}
                    {{- '[THINK]' + block['thinking'] + '[/THINK]' }}
                {%- endif %}
            {%- endfor %}
        {%- endif %}
        {%- for tool""")

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
    "zephyr": [ZEPHYR], "llama2": [LLAMA2], "llama3": [LLAMA3], "llama3.1": [LLAMA31], "chatml": [CHATML, SMOLLM2],
    "hermes": [QWEN25, QWEN3_INSTRUCT], "qwen3": [QWEN3], "qwen3-thinking": [QWEN3_THINKING],
    "qwen3.5": [QWEN35, QWEN35_SMALL], "smollm3": [SMOLLM3], "lfm2": [LFM2], "lfm2.5": [LFM25], "minicpm5": [MINICPM5],
    "gemma": [GEMMA3], "mistral": [MISTRAL], "mistral-v3": [MISTRAL_V3], "mistral-v3-tekken": [MISTRAL_V3_TEKKEN],
    "mistral-v7-tekken": [MISTRAL_V7_TEKKEN], "mistral-v7-thinking": [MISTRAL_V7_THINKING], "phi3": [PHI3],
    "phi4-mini": [PHI4_MINI], "granite3": [GRANITE30, GRANITE31, GRANITE33], "granite4": [GRANITE40, GRANITE41],
    "exaone4": [EXAONE4], "hunyuan": [HUNYUAN], "ernie": [ERNIE], "minicpm": [MINICPM], "olmo2": [OLMO2],
    "deepseek-r1": [DEEPSEEK_R1], "deepseek": [DEEPSEEK],
}
