import type { ChatDelta, ChatParser } from '../chat/index.js';
import type { Detokenizer } from '../tokenizer/index.js';
import { StopMatcher } from './stop-matcher.js';

/** What an answer is read with. */
export interface AnswerReaderOptions {
  readonly detokenizer: Detokenizer;
  readonly parser: ChatParser;
  readonly stops: readonly string[];
  /** Whether an added token is for the machine only, and no tag of the dialect. */
  readonly isHidden: (id: number, content: string) => boolean;
}

/** Token ids in, deltas out: detokenizes, parses, looks for stop strings in the content, and counts. */
export class AnswerReader {
  readonly #options: AnswerReaderOptions;
  readonly #matcher: StopMatcher | undefined;
  #deltas: ChatDelta[] = [];
  #tokens = 0;
  #reasoningTokens = 0;

  constructor(options: AnswerReaderOptions) {
    this.#options = options;
    if (options.stops.length > 0) this.#matcher = new StopMatcher(options.stops);
  }

  /** Tokens read, up to the one that completed a stop string. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Of these, the ones that belong to reasoning, its tags included. */
  get reasoningTokens(): number {
    return this.#reasoningTokens;
  }

  /** A stop string ended the answer. */
  get stopped(): boolean {
    return this.#matcher?.hit === true;
  }

  get completeCalls(): number {
    return this.#options.parser.completeCalls;
  }

  /** The deltas of `tokenIds`, neighbours of one kind joined. */
  push(tokenIds: readonly number[]): ChatDelta[] {
    const { detokenizer, parser, isHidden } = this.#options;
    for (const id of tokenIds) {
      const wasReasoning = parser.inReasoning;
      this.#tokens++;
      for (const piece of detokenizer.push(id)) {
        if (piece.special === undefined || !isHidden(id, piece.special)) this.#take(parser.push(piece));
      }
      if (wasReasoning || parser.inReasoning) this.#reasoningTokens++;
      if (this.stopped) break;
    }
    return this.#takeDeltas();
  }

  /** What was held back, when the answer has ended. */
  end(): ChatDelta[] {
    const { detokenizer, parser } = this.#options;
    if (!this.stopped) {
      for (const piece of detokenizer.flush()) this.#take(parser.push(piece));
      this.#take(parser.end());
      this.#flushMatcher();
    }
    return this.#takeDeltas();
  }

  #take(deltas: readonly ChatDelta[]): void {
    for (const delta of deltas) {
      if (this.stopped) return;
      if (delta.type === 'content' && this.#matcher !== undefined) {
        this.#add({ type: 'content', text: this.#matcher.push(delta.text) });
        continue;
      }
      // A stop string does not reach across a tool call or reasoning.
      this.#flushMatcher();
      this.#add(delta);
    }
  }

  #flushMatcher(): void {
    if (this.#matcher !== undefined) this.#add({ type: 'content', text: this.#matcher.flush() });
  }

  #add(delta: ChatDelta): void {
    if (delta.type !== 'toolCall' && delta.text === '') return;
    const last = this.#deltas.at(-1);
    const joined = last === undefined ? undefined : join(last, delta);
    if (joined === undefined) this.#deltas.push(delta);
    else this.#deltas[this.#deltas.length - 1] = joined;
  }

  #takeDeltas(): ChatDelta[] {
    const deltas = this.#deltas;
    this.#deltas = [];
    return deltas;
  }
}

/** Two deltas that say the same kind of thing as one; undefined where the second begins something else. */
function join(first: ChatDelta, second: ChatDelta): ChatDelta | undefined {
  if (first.type === 'toolCall') {
    if (second.type !== 'toolCall' || second.name !== undefined) return undefined;
    // The delta with the name stays alone: the wire's first chunk of a call has empty arguments.
    if (first.name !== undefined && first.argumentsText === '') return undefined;
    return { ...first, argumentsText: first.argumentsText + second.argumentsText };
  }
  if (first.type !== second.type) return undefined;
  return { type: first.type, text: first.text + second.text };
}
