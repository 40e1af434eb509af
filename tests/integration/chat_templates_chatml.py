"""Chat templates of ChatML and what has grown from it, written here after the published prompt formats of the models that they name."""

TURN = "{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}"
ANSWER = "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"

# teknium/OpenHermes-2.5-Mistral-7B
CHATML = "{% for message in messages %}" + TURN + "{% endfor %}" + ANSWER

# internlm/internlm2-chat-1_8b
CHATML_BEGUN = "{% if messages[0]['role'] == 'user' or messages[0]['role'] == 'system' %}{{ bos_token }}{% endif %}" + CHATML

# PowerInfer/SmallThinker-3B-Preview; stabilityai/stable-code-instruct-3b has the same system message for the usual turns
SMALLTHINKER = ("{% set system_message = 'You are helpful.' %}{% if messages[0]['role'] == 'system' %}"
                "{% set system_message = messages[0]['content'] %}{% set messages = messages[1:] %}{% endif %}"
                "{{ '<|im_start|>system\\n' + system_message + '<|im_end|>\\n' }}{% for message in messages %}"
                "{% set content = message['content'] %}{% if message['role'] == 'user' %}"
                "{{ '<|im_start|>user\\n' + content + '<|im_end|>\\n<|im_start|>assistant\\n' }}"
                "{% elif message['role'] == 'assistant' %}{{ content + '<|im_end|>' + '\\n' }}{% endif %}{% endfor %}")

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

# Qwen/Qwen2.5-0.5B-Instruct-GGUF
QWEN25_FIRST = QWEN25.replace('{\\"name\\": <function-name>', '{{\\"name\\": <function-name>').replace("-object>}", "-object>}}")

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

# Qwen3 up to the answer
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
# unsloth/Qwen3-4B-Instruct-2507-GGUF
QWEN3_UNSLOTH = QWEN3_TURNS + ANSWER
# Qwen/Qwen3-0.6B
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

# Qwen/Qwen3.6-35B-A3B
QWEN36 = QWEN35.replace("args_value | tojson if args_value is mapping or (args_value is sequence and args_value is not string) else args_value | string",
                        "args_value | string if args_value is string else args_value | tojson")

# HuggingFaceTB/SmolLM3-3B, with its own system message cut short
SMOLLM3 = """{%- set reasoning_mode = "/no_think" if enable_thinking is defined and not enable_thinking else "/think" -%}
{{- "<|im_start|>system\\n" -}}
{%- if messages[0].role == "system" -%}
    {%- if "/no_think" in messages[0].content -%}
        {%- set reasoning_mode = "/no_think" -%}
    {%- elif "/think" in messages[0].content -%}
        {%- set reasoning_mode = "/think" -%}
    {%- endif -%}
    {%- set custom_instructions = messages[0].content.replace("/no_think", "").replace("/think", "").rstrip() -%}
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

# unsloth/SmolLM3-3B-GGUF, with tools, which it lacks
SMOLLM3_UNSLOTH = (SMOLLM3.replace("""{{- "Today Date: " ~ strftime_now("%d %B %Y") ~ "\\n" -}}\n""", "")
                   .replace("### Tools", "### " + '" + "Tools')
                   .replace("""{%- endif -%}
{%- for message in messages -%}""", """{%- else -%}
    {{- "<|im_end|>\\n" -}}
{%- endif -%}
{%- for message in messages -%}"""))

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

# LiquidAI/LFM2.5-1.2B-Instruct as it was first published
LFM25_FIRST = (LFM25.replace('"\\n\\n" if ns.system_prompt', '"\\n" if ns.system_prompt')
               .replace("""Today's date: " + strftime_now("%Y-%m-%d") + "\\n\\n""", ""))
# LiquidAI/LFM2.5-8B-A1B; `_has_cfm` is how Transformers continues an answer
LFM25_8B = """{%- set _has_cfm = false -%}
""" + (LFM25_FIRST.replace("""'"' + arg_value + '"'""", """"'" + arg_value + "'\"""")
       .replace("last_assistant_index=-1", "last_user_index=-1").replace('message.role == "assistant" -%}\n        {%- set ns.last_assistant', 'message.role == "user" -%}\n        {%- set ns.last_user')
       .replace("loop.index0 == ns.last_assistant_index", "loop.index0 > ns.last_user_index")
       .replace("loop.index0 != ns.last_assistant_index", "loop.index0 < ns.last_user_index")
       .replace("""        {%- if message.tool_calls is defined -%}
            {{- render_tool_calls(message.tool_calls) -}}
        {%- endif -%}
""", "").replace("""    {{- content + "<|im_end|>\\n" -}}""", """    {{- content -}}
    {%- if message.tool_calls is defined -%}
        {{- render_tool_calls(message.tool_calls) -}}
    {%- endif -%}
    {{- "<|im_end|>\\n" -}}"""))

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
        """ + SPLIT_THINKING + """        {%- if loop.index0 > ns.last_query and reasoning_content %}
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
