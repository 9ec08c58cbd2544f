import type { ChatFormat } from '../chat-format.js';
import { alternatingTurns } from '../turn-order.js';

/** Source: docs.mistral.ai, "Tokenization", V1, with the blanks that SentencePiece puts before words. */
export const mistral: ChatFormat = {
  models: 'Mistral 7B Instruct 0.1 and 0.2, Mixtral 8x7B Instruct',
  template: String.raw`${alternatingTurns}
{{- bos_token }}
{%- for message in turns %}
    {%- if message.role == 'user' %}
        {{- ' [INST] ' + (system + '\n\n' if loop.first and system is not none else '') + message.content + ' [/INST]' }}
    {%- else %}
        {{- ' ' + message.content | trim }}
        {{- eos_token }}
    {%- endif %}
{%- endfor %}`,
};
