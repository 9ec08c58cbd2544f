import type { ChatFormat } from '../chat-format.js';
import { alternatingTurns } from '../turn-order.js';

/** Source: github.com/meta-llama/llama, llama/generation.py, `chat_completion`. */
export const llama2: ChatFormat = {
  models: 'Llama 2 Chat, CodeLlama Instruct',
  template: String.raw`${alternatingTurns}
{%- for message in turns %}
    {%- if message.role == 'user' %}
        {%- set text = message.content | trim %}
        {%- if loop.first and system is not none %}
            {%- set text = '<<SYS>>\n' + system + '\n<</SYS>>\n\n' + text %}
        {%- endif %}
        {{- bos_token }}
        {{- '[INST] ' + text + ' [/INST]' }}
    {%- else %}
        {{- ' ' + message.content | trim + ' ' }}
        {{- eos_token }}
    {%- endif %}
{%- endfor %}`,
};
