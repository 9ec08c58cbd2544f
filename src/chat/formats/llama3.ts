import type { ChatFormat } from '../chat-format.js';

/** Source: github.com/meta-llama/llama3, llama/tokenizer.py, `ChatFormat`. */
export const llama3: ChatFormat = {
  models: 'Llama 3, without the dates that 3.1 and later put first',
  template: String.raw`
{{- bos_token }}
{%- for message in messages %}
    {{- '<|start_header_id|>' + message.role + '<|end_header_id|>\n\n' + message.content | trim + '<|eot_id|>' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\n\n' }}
{%- endif %}`,
};
