import type { ChatFormat } from '../chat-format.js';
import { alternatingTurns } from '../turn-order.js';

/**
 * Source: github.com/tatsu-lab/stanford_alpaca, README, "Data Release" (one turn), and github.com/lm-sys/FastChat,
 * fastchat/conversation.py (several).
 */
export const alpaca: ChatFormat = {
  models: 'Alpaca, and many fine-tunings of Llama 1 and 2',
  template: String.raw`${alternatingTurns}
{%- if system is none %}
    {%- set system = 'Below is an instruction that describes a task. Write a response that appropriately completes the request.' %}
{%- endif %}
{{- bos_token }}
{{- system + '\n\n' }}
{%- for message in turns %}
    {%- if message.role == 'user' %}
        {{- '### Instruction:\n' + message.content + '\n\n' }}
    {%- else %}
        {{- '### Response:\n' + message.content }}
        {{- eos_token }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '### Response:\n' }}
{%- endif %}`,
};
