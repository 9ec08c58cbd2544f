import type { ResponsesEcho, TextFormat } from '../../api/index.js';
import type { WireRequest } from '../dialect.js';
import type { AskedFormat } from '../parsing/read-format.js';
import type { ResponsesRequest } from '../request-schemas.js';

/** What a body of the responses API asks for, and what its answers say again of it. */
export interface ResponsesWireRequest extends WireRequest {
  readonly echo: ResponsesEcho;
  /** Reasoning is told under the name of a summary. */
  readonly tellsSummary: boolean;
  /** Reasoning is told once more, sealed. */
  readonly sealsReasoning: boolean;
}

/** What answers say again of a body. */
export function toEcho(body: ResponsesRequest): ResponsesEcho {
  const { text, reasoning, max_output_tokens: limit = -1 } = body;
  return {
    instructions: body.instructions ?? null,
    tools: (body.tools ?? []).map(({ name = '', description = null, parameters = null, strict = null }) => ({
      type: 'function',
      name,
      description,
      parameters,
      strict,
    })),
    tool_choice: body.tool_choice ?? 'auto',
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    text: {
      format: text?.format ?? { type: 'text' },
      ...(typeof text?.verbosity === 'string' && { verbosity: text.verbosity }),
    },
    reasoning: { effort: reasoning?.effort ?? body.reasoning_effort ?? null, summary: readSummary(body) ?? null },
    temperature: body.temperature ?? 1,
    top_p: body.top_p ?? 1,
    presence_penalty: body.presence_penalty ?? 0,
    frequency_penalty: body.frequency_penalty ?? 0,
    top_logprobs: body.top_logprobs ?? 0,
    max_output_tokens: limit === -1 ? null : limit,
    max_tool_calls: null,
    truncation: 'disabled',
    metadata: body.metadata ?? {},
    prompt_cache_key: body.prompt_cache_key ?? null,
    safety_identifier: body.safety_identifier ?? null,
  };
}

/** The kind of summary that a body asks for. */
export function readSummary({ reasoning }: ResponsesRequest): string | undefined {
  return reasoning?.summary ?? reasoning?.generate_summary ?? undefined;
}

/** What a checked format demands; undefined: nothing. */
export function toAskedFormat(format: TextFormat | null | undefined): AskedFormat | undefined {
  const field = 'text.format';
  if (format?.type === 'json_object') return { field, format: { kind: 'json' } };
  if (format?.type !== 'json_schema') return undefined;
  const { schema = {}, strict } = format;
  return { field, format: { kind: 'jsonSchema', schema, isStrict: strict !== false } };
}
