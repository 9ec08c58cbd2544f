import type { ChatCompletionChunk, ChunkDelta, Usage } from '../api/index.js';
import type { AnswerDelta } from './answer-reader.js';
import type { ChoiceEnd } from './choice.js';
import type { ToTokenLogprobs } from './logprobs.js';

/** What all chunks of an answer, or the answer itself, have in common. */
export interface AnswerHead {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  readonly system_fingerprint: string;
}

type ChunkChoice = ChatCompletionChunk['choices'][number];
/** What a chunk adds to a choice. Absent: no logprobs, and more to come. */
type ChunkPiece = Pick<ChunkChoice, 'delta'> & Partial<ChunkChoice>;

/** The first chunk of a choice (wire.md 2.2, stream order 1). */
export const roleDelta: ChunkDelta = { role: 'assistant', content: '' };

/** A chunk of one choice. `usage: null` where usage was asked for. */
export function toChunk(
  { id, created, model, system_fingerprint }: AnswerHead,
  piece: ChunkPiece & { readonly index: number },
  includeUsage: boolean,
): ChatCompletionChunk {
  const { index, delta, logprobs = null, finish_reason = null } = piece;
  const chunk: ChatCompletionChunk = {
    id,
    object: 'chat.completion.chunk',
    created,
    model,
    system_fingerprint,
    choices: [{ index, delta, logprobs, finish_reason }],
  };
  if (includeUsage) chunk.usage = null;
  return chunk;
}

/** The last chunk, when usage was asked for: no choices (wire.md 2.2, stream order 6). */
export function toUsageChunk(head: AnswerHead, usage: Usage): ChatCompletionChunk {
  return { ...head, object: 'chat.completion.chunk', choices: [], usage };
}

/** The wire's pieces of one delta: a call's first one has no arguments yet. */
export function toChunkDeltas(
  delta: AnswerDelta,
  newCallId: () => string,
  toTokenLogprobs: ToTokenLogprobs,
): ChunkPiece[] {
  if (delta.type === 'content') {
    const piece = { delta: { content: delta.text } };
    return [delta.tokens ? { ...piece, logprobs: { content: toTokenLogprobs(delta.tokens), refusal: null } } : piece];
  }
  if (delta.type === 'reasoning') return [{ delta: { reasoning_content: delta.text } }];
  const { index, name, argumentsText } = delta;
  const more: ChunkPiece = { delta: { tool_calls: [{ index, function: { arguments: argumentsText } }] } };
  if (name === undefined) return [more];
  const first: ChunkPiece = {
    delta: { tool_calls: [{ index, id: newCallId(), type: 'function', function: { name, arguments: '' } }] },
  };
  return argumentsText === '' ? [first] : [first, more];
}

/** What an answer cost: the prompt once, the completions of all choices. Cached is what the first to run was spared. */
export function toUsage(promptTokens: number, ends: readonly ChoiceEnd[]): Usage {
  const sum = (field: 'completionTokens' | 'reasoningTokens'): number =>
    ends.reduce((total, end) => total + end[field], 0);
  const completionTokens = sum('completionTokens');
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    // The others share the first one's prompt, which is no saving that a request alone would have had.
    prompt_tokens_details: { cached_tokens: Math.min(...ends.map(({ cachedTokens }) => cachedTokens)) },
    completion_tokens_details: { reasoning_tokens: sum('reasoningTokens') },
  };
}
