import type { ChatParser } from '../../chat/index.js';
import type { GenerateRequest, SequenceOutput } from '../../engine/index.js';
import type { ChoiceDeltas, ChoiceEnd } from '../events.js';
import { AnswerReader, type AnswerReaderOptions } from './answer-reader.js';

/** One sequence to generate, and how to read its text. */
export interface ChoiceRequest {
  readonly index: number;
  readonly generate: GenerateRequest;
  readonly reader: Omit<AnswerReaderOptions, 'parser'> & { readonly createParser: () => ChatParser };
}

/** Turns the outputs of a sequence into the events of its choice. */
export class ChoiceReader {
  readonly #choice: ChoiceRequest;
  /** Created at the first output, since most of a crowd waits for that. */
  #opened: AnswerReader | undefined;
  #ending: SequenceOutput['finishReason'];
  #cachedTokens = 0;

  constructor(choice: ChoiceRequest) {
    this.#choice = choice;
  }

  /** Whether reading is over: the sequence has ended, or its answer has. */
  get isOver(): boolean {
    return this.#ending !== undefined || this.#opened?.ended === true;
  }

  /** The event for an output; undefined without new text, but for the first. */
  push(output: SequenceOutput): ChoiceDeltas | undefined {
    const begins = this.#opened === undefined;
    this.#ending = output.finishReason;
    this.#cachedTokens += output.cachedTokens ?? 0;
    const deltas = this.#open().push(output);
    if (!begins && deltas.length === 0) return undefined;
    return { type: 'choice', index: this.#choice.index, deltas, ...(begins && { begins }) };
  }

  /** The last event. */
  end(): ChoiceDeltas {
    const reader = this.#open();
    // A stop id was computed and sampled.
    const stopIds = this.#ending === 'stop' && !reader.ended ? 1 : 0;
    const deltas = reader.end();
    const isCut = this.#ending === 'length' && !reader.ended;
    const end: ChoiceEnd = {
      finishReason: isCut ? 'length' : reader.completeCalls > 0 ? 'toolCalls' : 'stop',
      ...(reader.stopString !== '' && { stopString: reader.stopString }),
      cachedTokens: this.#cachedTokens,
      completionTokens: reader.tokens + stopIds,
      reasoningTokens: reader.reasoningTokens,
    };
    return { type: 'choice', index: this.#choice.index, deltas, end };
  }

  #open(): AnswerReader {
    const { createParser, ...options } = this.#choice.reader;
    this.#opened ??= new AnswerReader({ ...options, parser: createParser() });
    return this.#opened;
  }
}
