import type { ChatParser } from '../../chat/index.js';
import type { GenerateRequest, SequenceOutput } from '../../engine/index.js';
import { AnswerReader, type AnswerDelta, type AnswerReaderOptions } from './answer-reader.js';

/** Why a choice ended. `length` outranks `toolCalls`, which needs a clean stop and a complete call. */
export type ChoiceFinish = 'stop' | 'length' | 'toolCalls';

/** The end of one choice, and its tokens. */
export interface ChoiceEnd {
  readonly finishReason: ChoiceFinish;
  /** The stop string of the request that ended it; absent where none did. */
  readonly stopString?: string;
  /** Tokens of the prompt from the prefix cache. */
  readonly cachedTokens: number;
  readonly completionTokens: number;
  /** Of these, the tokens of reasoning. */
  readonly reasoningTokens: number;
}

/** More of a choice, from one output of the engine; the last event has `end`. */
export interface ChoiceEvent {
  readonly index: number;
  readonly deltas: readonly AnswerDelta[];
  readonly end?: ChoiceEnd;
}

/** One sequence to generate, and how to read its text. */
export interface ChoiceRequest {
  readonly index: number;
  readonly generate: GenerateRequest;
  readonly reader: Omit<AnswerReaderOptions, 'parser'> & { readonly createParser: () => ChatParser };
}

/** Turns the outputs of a sequence into the events of its choice. */
export class ChoiceReader {
  readonly #choice: ChoiceRequest;
  readonly #onBegin: () => void;
  /** Created at the first output, since most of a crowd waits for that. */
  #opened: AnswerReader | undefined;
  #ending: SequenceOutput['finishReason'];
  #endedByConstraint = false;
  #cachedTokens = 0;

  /** `onBegin` is called at the first output. */
  constructor(choice: ChoiceRequest, onBegin: () => void) {
    this.#choice = choice;
    this.#onBegin = onBegin;
  }

  /** Whether reading is over: the sequence has ended, or its answer has. */
  get isOver(): boolean {
    return this.#ending !== undefined || this.#opened?.ended === true;
  }

  /** The event for an output; undefined without new text. */
  push(output: SequenceOutput): ChoiceEvent | undefined {
    if (this.#opened === undefined) this.#onBegin();
    this.#ending = output.finishReason;
    this.#endedByConstraint = output.endedByConstraint === true;
    this.#cachedTokens += output.cachedTokens ?? 0;
    const deltas = this.#open().push(output);
    return deltas.length > 0 ? { index: this.#choice.index, deltas } : undefined;
  }

  /** The last event. */
  end(): ChoiceEvent {
    const reader = this.#open();
    // A stop id was computed and sampled; the end of a constraint is no token.
    const stopIds = this.#ending === 'stop' && !this.#endedByConstraint && !reader.ended ? 1 : 0;
    const deltas = reader.end();
    const isCut = this.#ending === 'length' && !reader.ended;
    const end: ChoiceEnd = {
      finishReason: isCut ? 'length' : reader.completeCalls > 0 ? 'toolCalls' : 'stop',
      ...(reader.stopString !== '' && { stopString: reader.stopString }),
      cachedTokens: this.#cachedTokens,
      completionTokens: reader.tokens + stopIds,
      reasoningTokens: reader.reasoningTokens,
    };
    return { index: this.#choice.index, deltas, end };
  }

  #open(): AnswerReader {
    const { createParser, ...options } = this.#choice.reader;
    this.#opened ??= new AnswerReader({ ...options, parser: createParser() });
    return this.#opened;
  }
}
