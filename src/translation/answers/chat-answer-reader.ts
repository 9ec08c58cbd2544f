import type { AnswerEvent, AnswerPiece, AnswerTokens } from '../../answers/index.js';
import { AppError } from '../../base/index.js';
import { isFields, type Fields } from '../requests/fields.js';
import { CallOrder } from './call-order.js';
import { callsOf, contentOf, finishOf, logprobsOf, reasoningOf, stopStringOf } from './chat-deltas.js';

/** What a reader must know of the request. */
export interface ReaderOptions {
  readonly stops: readonly string[];
  readonly hidesThinking: boolean;
  /** Tokens of the prompt, before anybody told them. */
  readonly promptEstimate: number;
}

/**
 * Makes events of the chunks of a chat completion, or of one that is whole. Of several choices the first is read. An answer
 * ends when `finish` says what it took: usage comes behind the last words.
 */
export class ChatAnswerReader {
  readonly #options: ReaderOptions;
  readonly #calls = new CallOrder();
  #hasBegun = false;
  #finish: ReturnType<typeof finishOf>;
  #stopString: string | undefined;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** Whether the choice has ended. */
  get isEnded(): boolean {
    return this.#finish !== undefined;
  }

  /** Takes a chunk, or a whole completion. Errors: `upstream_error` where held pieces of calls become too many. */
  add(object: Fields): AnswerEvent[] {
    const events = this.#begin();
    const { choices } = object;
    const listed = Array.isArray(choices) ? choices.filter(isFields) : [];
    for (const choice of listed) {
      if ((choice['index'] ?? 0) !== 0) continue;
      const said = choice['delta'] ?? choice['message'];
      const deltas = isFields(said) ? this.#read(said, choice) : [];
      if (deltas.length > 0) events.push({ type: 'choice', index: 0, deltas });
      this.#finish = finishOf(choice['finish_reason']) ?? this.#finish;
      this.#stopString ??= stopStringOf(choice, this.#options.stops);
    }
    return events;
  }

  /** The answer is over. `isCounted`: the tokens were told, not estimated. */
  finish(usage: AnswerTokens, isCounted: boolean): AnswerEvent[] {
    const { pieces, count } = this.#calls.end();
    const stopped = this.#finish ?? 'stop';
    // Some servers end calls as they end text.
    const finishReason = stopped === 'stop' && count > 0 ? 'toolCalls' : stopped;
    const completionTokens = isCounted ? usage.completionTokens : Number.POSITIVE_INFINITY;
    const end = {
      finishReason,
      completionTokens,
      ...(this.#stopString !== undefined && { stopString: this.#stopString }),
    };
    return [...this.#begin(), { type: 'choice', index: 0, deltas: pieces, end }, { type: 'end', usage }];
  }

  #begin(): AnswerEvent[] {
    if (this.#hasBegun) return [];
    this.#hasBegun = true;
    return [{ type: 'begin', promptTokens: this.#options.promptEstimate }];
  }

  #read(said: Fields, choice: Fields): AnswerPiece[] {
    const pieces: AnswerPiece[] = [];
    const reasoning = this.#options.hidesThinking ? '' : reasoningOf(said);
    if (reasoning !== '') pieces.push({ type: 'reasoning', text: reasoning });
    const text = contentOf(said);
    const logprobs = text === '' ? undefined : logprobsOf(choice);
    if (text !== '') pieces.push({ type: 'content', text, ...(logprobs !== undefined && { logprobs }) });
    return [...this.#calls.say(pieces), ...callsOf(said).flatMap((call) => this.#calls.add(call))];
  }
}

/** What a runtime says where it breaks off. */
export function brokeOff(): AppError {
  return new AppError('upstream_error', 'the runtime ended its answer before it was whole; send the request again', {
    reason: 'closed_early',
  });
}
