import type { ReasoningSummary, ResponsesEcho, ResponsesTool, TextFormat } from '../../api/index.js';

/** What a call is for the client, where it is not a function of the name that the model was told. */
export interface CallForm {
  readonly kind: 'function' | 'custom';
  /** The client's name of the tool. */
  readonly name: string;
  /** The group that it is of, where tools come in groups. */
  readonly namespace?: string | undefined;
}

/** What an answer of the responses API must know of its request. */
export interface ResponsesAsked {
  /** What it says again. */
  readonly echo: ResponsesEcho;
  /** Reasoning has the name of a summary. */
  readonly tellsSummary: boolean;
  /** Reasoning comes once more, sealed. */
  readonly sealsReasoning: boolean;
  /** What calls are for the client, by the names that the model was told; others are of functions by these names. */
  readonly callForms?: ReadonlyMap<string, CallForm> | undefined;
}

/** The fields of a checked body that are said again. */
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

/** What answers say again of a body. */
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
