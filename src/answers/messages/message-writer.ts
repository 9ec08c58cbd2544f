import type {
  ContentBlock,
  MessageAnswer,
  MessagesDeltaUsage,
  MessagesEvent,
  MessagesUsage,
  StopReason,
} from '../../api/index.js';
import { present } from '../../base/index.js';
import type { AnswerEvent, AnswerNames, AnswerPiece, AnswerStop, AnswerTokens } from '../answer-events.js';
import { toExactArguments } from '../exact-arguments.js';

/** A block that is still open. */
type OpenBlock =
  | { readonly type: 'text'; text: string }
  | { readonly type: 'thinking'; text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; text: string };

/** Writes a message from events: as the objects of a stream, and as the present state of the whole. */
export class MessageWriter {
  readonly #head: AnswerNames;
  /** The request's token limit; undefined: no limit. */
  readonly #maxTokens: number | undefined;
  readonly #blocks: OpenBlock[] = [];
  #end: AnswerStop | undefined;
  #usage: AnswerTokens | undefined;

  constructor(head: AnswerNames, maxTokens: number | undefined) {
    this.#head = head;
    this.#maxTokens = maxTokens;
  }

  add(event: AnswerEvent): MessagesEvent[] {
    if (event.type === 'begin') {
      const { promptTokens } = event;
      this.#usage = { promptTokens, completionTokens: 0, cachedTokens: 0, reasoningTokens: 0 };
      return [{ type: 'message_start', message: this.toMessage() }];
    }
    if (event.type === 'end') return this.#finish(event.usage);
    const events = event.deltas.flatMap((delta) => this.#addDelta(delta));
    if (event.end !== undefined) {
      this.#end = event.end;
      events.push(...this.#closeLast());
    }
    return events;
  }

  /** The present state of the message. */
  toMessage(): MessageAnswer {
    const { id, model } = this.#head;
    return {
      id,
      type: 'message',
      role: 'assistant',
      model,
      content: this.#blocks.map(toBlock),
      ...this.#reason(),
      stop_details: null,
      container: null,
      diagnostics: null,
      usage: toUsage(present(this.#usage, 'an answer begins with its prompt')),
    };
  }

  #addDelta(delta: AnswerPiece): MessagesEvent[] {
    const last = this.#blocks.at(-1);
    if (last !== undefined && isMoreOf(last, delta)) return this.#grow(last, delta);
    const closing = this.#closeLast();
    const block = this.#open(delta);
    this.#blocks.push(block);
    const index = this.#blocks.length - 1;
    return [
      ...closing,
      { type: 'content_block_start', index, content_block: toBlock(block) },
      ...this.#grow(block, delta),
    ];
  }

  #open(delta: AnswerPiece): OpenBlock {
    if (delta.type === 'content') return { type: 'text', text: '' };
    if (delta.type === 'reasoning') return { type: 'thinking', text: '' };
    return { type: 'tool_use', id: delta.id ?? `toolu_${this.#head.newId()}`, name: delta.name ?? '', text: '' };
  }

  #grow(block: OpenBlock, delta: AnswerPiece): MessagesEvent[] {
    const text = delta.type === 'toolCall' ? delta.argumentsText : delta.text;
    if (text === '') return [];
    block.text += text;
    const index = this.#blocks.length - 1;
    if (block.type === 'text') return [{ type: 'content_block_delta', index, delta: { type: 'text_delta', text } }];
    if (block.type === 'thinking') {
      return [{ type: 'content_block_delta', index, delta: { type: 'thinking_delta', thinking: text } }];
    }
    return [{ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: text } }];
  }

  #closeLast(): MessagesEvent[] {
    const last = this.#blocks.at(-1);
    if (last === undefined) return [];
    const index = this.#blocks.length - 1;
    const stop: MessagesEvent = { type: 'content_block_stop', index };
    if (last.type !== 'thinking') return [stop];
    return [{ type: 'content_block_delta', index, delta: { type: 'signature_delta', signature: '' } }, stop];
  }

  #finish(usage: AnswerTokens): MessagesEvent[] {
    this.#usage = usage;
    const { stop_reason: reason, stop_sequence } = this.#reason();
    const delta = {
      stop_reason: present(reason, 'an answer ends with its reason'),
      stop_sequence,
      stop_details: null,
      container: null,
    };
    return [{ type: 'message_delta', delta, usage: toCounts(usage) }, { type: 'message_stop' }];
  }

  #reason(): { stop_reason: StopReason | null; stop_sequence: string | null } {
    if (this.#end === undefined) return { stop_reason: null, stop_sequence: null };
    const { finishReason, stopString, completionTokens } = this.#end;
    if (finishReason === 'toolCalls') return { stop_reason: 'tool_use', stop_sequence: null };
    if (finishReason === 'length') {
      const isAsked = this.#maxTokens !== undefined && completionTokens >= this.#maxTokens;
      return { stop_reason: isAsked ? 'max_tokens' : 'model_context_window_exceeded', stop_sequence: null };
    }
    if (stopString === undefined) return { stop_reason: 'end_turn', stop_sequence: null };
    return { stop_reason: 'stop_sequence', stop_sequence: stopString };
  }
}

function isMoreOf(block: OpenBlock, delta: AnswerPiece): boolean {
  if (delta.type === 'toolCall') return block.type === 'tool_use' && delta.name === undefined;
  return block.type === (delta.type === 'content' ? 'text' : 'thinking');
}

function toBlock(block: OpenBlock): ContentBlock {
  const { text } = block;
  if (block.type === 'text') return { type: 'text', text, citations: null };
  if (block.type === 'thinking') return { type: 'thinking', thinking: text, signature: '' };
  const { type, id, name } = block;
  return { type, id, name, input: toExactArguments(text), caller: { type: 'direct' } };
}

/** The counts of Messages: cached tokens are not part of `input_tokens`. */
function toCounts({ promptTokens, completionTokens, cachedTokens, reasoningTokens }: AnswerTokens): MessagesDeltaUsage {
  return {
    input_tokens: promptTokens - cachedTokens,
    output_tokens: completionTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cachedTokens,
    output_tokens_details: { thinking_tokens: reasoningTokens },
    server_tool_use: null,
  };
}

function toUsage(usage: AnswerTokens): MessagesUsage {
  return { ...toCounts(usage), cache_creation: null, inference_geo: null, service_tier: 'standard', speed: null };
}
