import type { ChatFormat } from '../chat-format.js';
import { knownRoles } from '../turn-order.js';

/** Source: the model card of HuggingFaceH4/zephyr-7b-beta. */
export const zephyr: ChatFormat = {
  models: 'Zephyr, TinyLlama Chat',
  template: String.raw`${knownRoles}
{%- for message in messages %}
    {{- '<|' + message.role + '|>\n' + message.content }}
    {{- eos_token }}
    {{- '\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|assistant|>\n' }}
{%- endif %}`,
};
