import type { ChatFormat } from '../chat-format.js';
import { alternatingTurns } from '../turn-order.js';

/** Source: github.com/lm-sys/FastChat, docs on the versions of Vicuna's weights, "Prompt template", from 1.1 on. */
export const vicuna: ChatFormat = {
  models: 'Vicuna 1.1 to 1.5',
  template: String.raw`${alternatingTurns}
{%- if system is none %}
    {%- set system = "A chat between a curious user and an artificial intelligence assistant. The assistant gives helpful, detailed, and polite answers to the user's questions." %}
{%- endif %}
{{- bos_token }}
{{- system }}
{%- for message in turns %}
    {%- if message.role == 'user' %}
        {{- (' ' if loop.first else '') + 'USER: ' + message.content }}
    {%- else %}
        {{- ' ASSISTANT: ' + message.content }}
        {{- eos_token }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- ' ASSISTANT:' }}
{%- endif %}`,
};
