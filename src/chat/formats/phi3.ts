import type { ChatFormat } from '../chat-format.js';
import { knownRoles } from '../turn-order.js';

/** Source: the model card of microsoft/Phi-3-mini-4k-instruct, "Chat Format". */
export const phi3: ChatFormat = {
  models: 'Phi 3 and 3.5',
  template: String.raw`${knownRoles}
{%- for message in messages %}
    {%- if message.role != 'system' or message.content %}
        {{- '<|' + message.role + '|>\n' + message.content + '<|end|>\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|assistant|>\n' }}
{%- endif %}`,
};
