import type {
  AssistantMessage,
  ChatCompletion,
  ChatCompletionChunk,
  ChunkDelta,
  FinishReason,
  ToolCall,
  Usage,
} from '../api/index.js';
import { present } from '../base/index.js';
import type { ChatDelta } from '../chat/index.js';

/** What all chunks of an answer, or the answer itself, have in common. */
export interface AnswerHead {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  readonly system_fingerprint: string;
}

/** How an answer ended. */
export interface AnswerEnd {
  readonly finishReason: FinishReason;
  readonly usage: Usage;
}

/** The first chunk of a choice (wire.md 2.2, stream order 1). */
export const roleDelta: ChunkDelta = { role: 'assistant', content: '' };

/** A chunk that adds `delta`, or ends the choice with `finishReason`. `usage: null` where usage was asked for. */
export function toChunk(
  head: AnswerHead,
  delta: ChunkDelta,
  finishReason: FinishReason | null,
  includeUsage: boolean,
): ChatCompletionChunk {
  const chunk: ChatCompletionChunk = {
    id: head.id,
    object: 'chat.completion.chunk',
    created: head.created,
    model: head.model,
    system_fingerprint: head.system_fingerprint,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
  };
  if (includeUsage) chunk.usage = null;
  return chunk;
}

/** The last chunk, when usage was asked for: no choices (wire.md 2.2, stream order 6). */
export function toUsageChunk(head: AnswerHead, usage: Usage): ChatCompletionChunk {
  return { ...head, object: 'chat.completion.chunk', choices: [], usage };
}

/** The wire's deltas of one delta: a call's first one has no arguments yet. */
export function toChunkDeltas(delta: ChatDelta, newCallId: () => string): ChunkDelta[] {
  if (delta.type === 'content') return [{ content: delta.text }];
  if (delta.type === 'reasoning') return [{ reasoning_content: delta.text }];
  const { index, name, argumentsText } = delta;
  const more: ChunkDelta = { tool_calls: [{ index, function: { arguments: argumentsText } }] };
  if (name === undefined) return [more];
  const first: ChunkDelta = {
    tool_calls: [{ index, id: newCallId(), type: 'function', function: { name, arguments: '' } }],
  };
  return argumentsText === '' ? [first] : [first, more];
}

/** Collects deltas into the message of a whole answer. */
export class MessageBuilder {
  #content = '';
  #reasoning = '';
  readonly #calls: ToolCall[] = [];

  add(delta: ChatDelta, newCallId: () => string): void {
    if (delta.type === 'content') this.#content += delta.text;
    else if (delta.type === 'reasoning') this.#reasoning += delta.text;
    else if (delta.name !== undefined) {
      this.#calls.push({
        id: newCallId(),
        type: 'function',
        function: { name: delta.name, arguments: delta.argumentsText },
      });
    } else {
      present(this.#calls.at(-1), 'the first delta of a call has its name').function.arguments += delta.argumentsText;
    }
  }

  /** The whole answer. */
  toCompletion(head: AnswerHead, end: AnswerEnd): ChatCompletion {
    const message: AssistantMessage = {
      role: 'assistant',
      content: this.#content === '' && this.#calls.length > 0 ? null : this.#content,
      refusal: null,
    };
    if (this.#reasoning !== '') message.reasoning_content = this.#reasoning;
    if (this.#calls.length > 0) message.tool_calls = this.#calls;
    return {
      id: head.id,
      object: 'chat.completion',
      created: head.created,
      model: head.model,
      system_fingerprint: head.system_fingerprint,
      choices: [{ index: 0, message, logprobs: null, finish_reason: end.finishReason }],
      usage: end.usage,
    };
  }
}
