import type { ReasoningSummary, ResponsesEcho, ResponsesTool, TextFormat } from '../../api/index.js';

/** The client's form of a call, where it differs from a function of the name in the prompt. */
export interface CallForm {
  readonly kind: 'function' | 'custom';
  /** The client's name of the tool. */
  readonly name: string;
  /** The group of the tool, where tools come in groups. */
  readonly namespace?: string | undefined;
}

/** The parts of a request that its answer in the responses API depends on. */
export interface ResponsesAsked {
  /** The fields that the answer repeats. */
  readonly echo: ResponsesEcho;
  /** The answer gives reasoning under the name of a summary. */
  readonly tellsSummary: boolean;
  /** The answer has the reasoning once more, sealed. */
  readonly sealsReasoning: boolean;
  /** Forms of calls for the client, by the names in the prompt; other calls are of functions by these names. */
  readonly callForms?: ReadonlyMap<string, CallForm> | undefined;
}

/** The fields of a checked body that answers repeat. */
export interface EchoedFields {
  readonly instructions?: string | undefined;
  readonly tools?: readonly ResponsesTool[] | undefined;
  readonly tool_choice?: ResponsesEcho['tool_choice'] | undefined;
  readonly parallel_tool_calls?: boolean | undefined;
  readonly text?:
    | {
        readonly format?: TextFormat | null | undefined;
        readonly verbosity?: ResponsesEcho['text']['verbosity'] | null | undefined;
      }
    | undefined;
  readonly reasoning?:
    | {
        readonly effort?: string | null | undefined;
        readonly summary?: ReasoningSummary | null | undefined;
        readonly generate_summary?: ReasoningSummary | null | undefined;
      }
    | undefined;
  readonly reasoning_effort?: string | undefined;
  readonly temperature?: number | undefined;
  readonly top_p?: number | undefined;
  readonly presence_penalty?: number | undefined;
  readonly frequency_penalty?: number | undefined;
  readonly top_logprobs?: number | undefined;
  readonly max_output_tokens?: number | undefined;
  readonly metadata?: Record<string, string> | undefined;
  readonly prompt_cache_key?: string | undefined;
  readonly safety_identifier?: string | undefined;
}

/** The fields of a body that answers repeat. */
export function toEcho(body: EchoedFields): ResponsesEcho {
  const { text, reasoning, max_output_tokens: limit = -1 } = body;
  return {
    instructions: body.instructions ?? null,
    tools: (body.tools ?? []).map(toEchoedTool),
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

function toEchoedTool(tool: ResponsesTool): ResponsesEcho['tools'][number] {
  const { type, name = '', description = null, parameters = null, strict = null } = tool;
  if (type === 'custom') return { ...tool, type, name };
  return { type: 'function', name, description, parameters, strict };
}

/** The kind of summary that a body asks for. */
export function readSummary({ reasoning }: Pick<EchoedFields, 'reasoning'>): string | undefined {
  return reasoning?.summary ?? reasoning?.generate_summary ?? undefined;
}
