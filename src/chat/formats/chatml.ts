import type { ChatFormat } from '../chat-format.js';

/** Source: github.com/openai/openai-python, release 0.27, its page on ChatML. */
export const chatml: ChatFormat = {
  models: 'Qwen, Hermes, SmolLM',
  template: String.raw`
{%- for message in messages %}
    {{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\n' }}
{%- endif %}`,
};
