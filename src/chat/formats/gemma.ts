import type { ChatFormat } from '../chat-format.js';
import { alternatingTurns } from '../turn-order.js';

/** Source: ai.google.dev/gemma/docs/core/prompt-structure. A system text goes before the first turn of the user. */
export const gemma: ChatFormat = {
  models: 'Gemma 1, 2 and 3',
  template: String.raw`${alternatingTurns}
{{- bos_token }}
{%- for message in turns %}
    {{- '<start_of_turn>' + ('user' if message.role == 'user' else 'model') + '\n' }}
    {{- (system + '\n\n' if loop.first and system is not none else '') + message.content | trim + '<end_of_turn>\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<start_of_turn>model\n' }}
{%- endif %}`,
};
