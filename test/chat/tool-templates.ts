// Templates with tools, one for each dialect that has calls: written for these tests in the forms of published ones.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { dialects } from '../../src/chat/index.js';

const readTemplate = (path: string, field: string): string =>
  (JSON.parse(readFileSync(join(process.cwd(), path), 'utf8')) as Record<string, string>)[field] ?? '';

const mistralArgs = `{{- bos_token }}
{%- if tools %}{{- '[AVAILABLE_TOOLS]' + tools | tojson + '[/AVAILABLE_TOOLS]' }}{%- endif %}
{%- for message in messages %}
    {%- if message.role == 'system' %}{{- '[SYSTEM_PROMPT]' + message.content + '[/SYSTEM_PROMPT]' }}
    {%- elif message.role == 'user' %}{{- '[INST]' + message.content + '[/INST]' }}
    {%- elif message.role == 'tool' %}
        {%- if message.tool_call_id is undefined or message.tool_call_id | length != 9 %}
            {{- raise_exception('ids have 9 characters') }}
        {%- endif %}
        {{- '[TOOL_RESULTS]' + message.tool_call_id + '[TOOL_CONTENT]' + message.content + '[/TOOL_RESULTS]' }}
    {%- elif message.role == 'assistant' %}
        {{- message.content }}
        {%- for call in message.tool_calls or [] %}
            {{- '[TOOL_CALLS]' + call.function.name + '[CALL_ID]' + call.id + '[ARGS]' + call.function.arguments | tojson }}
        {%- endfor %}
        {{- eos_token }}
    {%- endif %}
{%- endfor %}`;

/** `call`: a call, in Jinja; `between`: what stands before each but the first. */
const deepseekLike = (call: string, between: string): string => `{{- bos_token }}
{%- if tools %}{{- '## Tools\\n' }}{%- for tool in tools %}{{- tool.function | tojson + '\\n' }}{%- endfor %}{%- endif %}
{%- for message in messages %}
    {%- if message.role == 'system' %}{{- message.content }}
    {%- elif message.role == 'user' %}{{- '<｜User｜>' + message.content }}
    {%- elif message.role == 'tool' %}{{- '<｜tool▁output▁begin｜>' + message.content + '<｜tool▁output▁end｜>' }}
    {%- elif message.tool_calls %}
        {{- '<｜Assistant｜>' + (message.content or '') + '<｜tool▁calls▁begin｜>' }}
        {%- for call in message.tool_calls %}
            {{- ('' if loop.first else '${between}') + '<｜tool▁call▁begin｜>' + ${call} + '<｜tool▁call▁end｜>' }}
        {%- endfor %}
        {{- '<｜tool▁calls▁end｜><｜end▁of▁sentence｜>' }}
    {%- else %}{{- '<｜Assistant｜>' + message.content + '<｜end▁of▁sentence｜>' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<｜Assistant｜>' }}{%- endif %}`;

const granite = `{%- if tools %}
    {{- '<|start_of_role|>tools<|end_of_role|>' + tools | tojson + '<|end_of_text|>\\n' }}
{%- endif %}
{%- for message in messages %}
    {%- set role = 'tool_response' if message.role == 'tool' else message.role %}
    {{- '<|start_of_role|>' + role + '<|end_of_role|>' + (message.content or '') }}
    {%- if message.tool_calls %}{{- '<|tool_call|>' + message.tool_calls | map(attribute='function') | list | tojson }}{%- endif %}
    {{- '<|end_of_text|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|start_of_role|>assistant<|end_of_role|>' }}{%- endif %}`;

const phi4 = `{%- if tools %}{{- '<|system|><|tool|>' + tools | map(attribute='function') | list | tojson + '<|/tool|><|end|>' }}{%- endif %}
{%- for message in messages %}
    {{- '<|' + message.role + '|>' + (message.content or '') }}
    {%- if message.tool_calls %}
        {{- '<|tool_call|>' + message.tool_calls | map(attribute='function') | list | tojson + '<|/tool_call|>' }}
    {%- endif %}
    {{- '<|end|>' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|assistant|>' }}{%- endif %}`;

const cohere = `{{- bos_token }}
{%- if tools %}
    {{- '<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>' + tools | map(attribute='function') | list | tojson + '<|END_OF_TURN_TOKEN|>' }}
{%- endif %}
{%- for message in messages %}
    {%- if message.role == 'tool' %}
        {{- '<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|><|START_TOOL_RESULT|>' + message.content + '<|END_TOOL_RESULT|>' }}
    {%- else %}{{- '<|START_OF_TURN_TOKEN|><|' + message.role | upper + '_TOKEN|>' + (message.content or '') }}
    {%- endif %}
    {%- if message.tool_calls %}
        {{- '<|START_ACTION|>[\\n' }}
        {%- for call in message.tool_calls %}
            {{- '    {"tool_call_id": "' + loop.index0 | string + '", "tool_name": ' + call.function.name | tojson }}
            {{- ', "parameters": ' + call.function.arguments | tojson + '}' + ('' if loop.last else ',') + '\\n' }}
        {%- endfor %}
        {{- ']<|END_ACTION|>' }}
    {%- endif %}
    {{- '<|END_OF_TURN_TOKEN|>' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>' }}{%- endif %}`;

/** `call`: what a call is, in Jinja; `end`: what ends a turn. */
const elementsLike = (call: string, end: string): string => `{%- if tools %}
    {{- '<|system|>\\n' }}{%- for tool in tools %}{{- tool | tojson + '\\n' }}{%- endfor %}{{- '${end}' }}
{%- endif %}
{%- for message in messages %}
    {%- if message.role == 'tool' %}{{- '<|user|>\\n<tool_response>' + message.content + '</tool_response>${end}' }}
    {%- else %}{{- '<|' + message.role + '|>\\n' + (message.content or '') }}
        {%- for call in message.tool_calls or [] %}${call}{%- endfor %}
        {{- '${end}' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|assistant|>\\n' }}{%- endif %}`;

/** A value is written as it is where it is a string, and else as JSON. */
const value = '(value if value is string else value | tojson)';
const qwenCoder = elementsLike(
  `{{- '\\n<tool_call>\\n<function=' + call.function.name + '>\\n' }}
        {%- for key, value in call.function.arguments | items %}
            {{- '<parameter=' + key + '>\\n' + ${value} + '\\n</parameter>\\n' }}
        {%- endfor %}
        {{- '</function>\\n</tool_call>' }}`,
  '<|im_end|>\\n',
);
const glm = elementsLike(
  `{{- '\\n<tool_call>' + call.function.name + '\\n' }}
        {%- for key, value in call.function.arguments.items() %}
            {{- '<arg_key>' + key + '</arg_key>\\n<arg_value>' + ${value} + '</arg_value>\\n' }}
        {%- endfor %}
        {{- '</tool_call>' }}`,
  '',
);

/** By the names of the registry. */
export const toolTemplates: Readonly<Record<Exclude<keyof typeof dialects, 'plain'>, string>> = {
  hermes: readTemplate('assets/demo/tokenizer_config.json', 'chat_template'),
  llama3: readTemplate('test/vectors/templates/llama3-headers.json', 'template'),
  mistral: readTemplate('test/vectors/templates/mistral-tools-v3.json', 'template'),
  mistralArgs,
  deepseekV31: deepseekLike(`call.function.name + '<｜tool▁sep｜>' + call.function.arguments | tojson`, ''),
  // As DeepSeek's own, which add the arguments to a text.
  deepseek: deepseekLike(
    `'function<｜tool▁sep｜>' + call.function.name + '\\n\`\`\`json\\n' + call.function.arguments + '\\n\`\`\`'`,
    '\\n',
  ),
  granite,
  phi4,
  cohere,
  qwenCoder,
  glm,
};

/** The same, of Llama with its tools on a line each: a small model has room for it. */
export const smallTemplates: typeof toolTemplates = {
  ...toolTemplates,
  llama3: `{%- for tool in tools or [] %}{{- tool | tojson + '\\n' }}{%- endfor %}
{%- if tools %}{{- 'Respond in the format {"name": function name, "parameters": dictionary of argument name and its value}.\\n' }}{%- endif %}
{%- for message in messages %}
    {{- '<|start_header_id|>' + message.role + '<|end_header_id|>\\n\\n' + message.content }}
    {%- for call in message.tool_calls or [] %}
        {{- '{"name": "' + call.function.name + '", "parameters": ' + call.function.arguments | tojson + '}' }}
    {%- endfor %}
    {{- '<|eot_id|>' }}
{%- endfor %}
{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}`,
};
