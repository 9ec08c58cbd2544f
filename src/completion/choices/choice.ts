import type { ChatParser } from '../../chat/index.js';
import type { GenerateRequest, SequenceOutput } from '../../engine/index.js';
import { AnswerReader, type AnswerDelta, type AnswerReaderOptions } from './answer-reader.js';

/** Why a choice ended. `length` outranks `toolCalls`, which needs a clean stop and a complete call. */
export type ChoiceFinish = 'stop' | 'length' | 'toolCalls';

/** How one choice ended, and what it took. */
export interface ChoiceEnd {
  readonly finishReason: ChoiceFinish;
  /** The stop string of the request that ended it; absent where none did. */
  readonly stopString?: string;
  /** Tokens of the prompt that need not be computed for it. */
  readonly cachedTokens: number;
  readonly completionTokens: number;
  /** Of these, the ones of reasoning. */
  readonly reasoningTokens: number;
}

/** More of a choice, what one output of the engine brought together; the last event has `end`. */
export interface ChoiceEvent {
  readonly index: number;
  readonly deltas: readonly AnswerDelta[];
  readonly end?: ChoiceEnd;
}

/** One sequence to be generated, and how its text is read. */
export interface ChoiceRequest {
  readonly index: number;
  readonly generate: GenerateRequest;
  readonly reader: Omit<AnswerReaderOptions, 'parser'> & { readonly createParser: () => ChatParser };
}

/** Makes the events of one choice of the outputs of its sequence. */
export class ChoiceReader {
  readonly #choice: ChoiceRequest;
  readonly #onBegin: () => void;
  /** Made when the first output comes, since most of a crowd waits for that. */
  #opened: AnswerReader | undefined;
  #ending: SequenceOutput['finishReason'];
  #endedByConstraint = false;
  #cachedTokens = 0;

  /** `onBegin` hears of the first output. */
  constructor(choice: ChoiceRequest, onBegin: () => void) {
    this.#choice = choice;
    this.#onBegin = onBegin;
  }

  /** Nothing more is to be read: the sequence has ended, or what it said has. */
  get isOver(): boolean {
    return this.#ending !== undefined || this.#opened?.ended === true;
  }

  /** What an output adds; undefined where that is nothing yet. */
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
