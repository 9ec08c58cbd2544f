import { present } from '../../base/index.js';
import type { ChatParser, ContentLogprob, Delta } from '../../chat/index.js';
import type { SequenceOutput } from '../../engine/index.js';
import type { Tokenizer } from '../../tokenizer/index.js';
import { ContentTrace, type AnswerToken, type TracedToken } from './content-trace.js';
import { StopMatcher } from './stop-matcher.js';

/** Options of reading an answer. */
export interface AnswerReaderOptions {
  readonly tokenizer: Pick<Tokenizer, 'createDetokenizer' | 'tokenBytes'>;
  readonly parser: ChatParser;
  readonly stops: readonly string[];
  /** The stop string that ends the answer is part of it. */
  readonly keepStop: boolean;
  /** The first complete tool call ends the answer. */
  readonly oneCall: boolean;
  /** Gives the tokens of the content. The outputs must have logprobs. */
  readonly logprobs: boolean;
  /** Reasoning is counted but left out. */
  readonly hideReasoning: boolean;
  /** Whether an added token is a control token without text, and no tag of the dialect. */
  readonly isHidden: (id: number, content: string) => boolean;
  /** The answer continues a text: its first token keeps its leading space. */
  readonly continuesText: boolean;
}

/** Token ids in, deltas out: detokenizes, parses, searches the content for stop strings, and counts. */
export class AnswerReader {
  readonly #options: AnswerReaderOptions;
  readonly #detokenizer: ReturnType<Tokenizer['createDetokenizer']>;
  readonly #matcher: StopMatcher | undefined;
  readonly #trace: ContentTrace | undefined;
  #deltas: Delta[] = [];
  #tokens = 0;
  #reasoningTokens = 0;
  #startedCalls = 0;

  constructor(options: AnswerReaderOptions) {
    this.#options = options;
    this.#detokenizer = options.tokenizer.createDetokenizer({ continues: options.continuesText });
    if (options.stops.length > 0) this.#matcher = new StopMatcher(options.stops, options.keepStop);
    if (options.logprobs) this.#trace = new ContentTrace();
  }

  /** Tokens read, up to the one that completed a stop string or the only call. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Of these, the tokens between the tags of reasoning. */
  get reasoningTokens(): number {
    return this.#reasoningTokens;
  }

  /** The stop string that ended the answer; '' where none did. */
  get stopString(): string {
    return this.#matcher?.hit ?? '';
  }

  /** A stop string or the only call ended the answer: later text is dropped. */
  get ended(): boolean {
    return this.stopString !== '' || (this.#options.oneCall && this.completeCalls > 0);
  }

  get completeCalls(): number {
    return this.#options.parser.completeCalls;
  }

  /** The deltas of an output, neighbours of one kind joined. */
  push({ tokenIds, logprobs }: SequenceOutput): Delta[] {
    const { parser } = this.#options;
    for (const [i, id] of tokenIds.entries()) {
      const wasReasoning = parser.inReasoning;
      const place = this.#tokens++;
      if (this.#trace === undefined) this.#read(id, undefined);
      else this.#read(id, { place, logprobs: present(logprobs?.[i], 'logprobs were asked for') });
      if (wasReasoning && parser.inReasoning) this.#reasoningTokens++;
      if (this.ended) break;
    }
    return this.#takeDeltas();
  }

  /**
   * The answer has ended: returns the text held back. The bytes of an incomplete last character are no text; with
   * logprobs they are the last entries of the content.
   */
  end(): Delta[] {
    const { parser } = this.#options;
    const isInContent = !this.ended && !parser.inReasoning && parser.completeCalls === this.#startedCalls;
    if (!this.ended) this.#take(parser.end());
    this.#flushMatcher();
    if (isInContent) this.#trace?.cut();
    this.#release(true);
    return this.#takeDeltas();
  }

  #read(id: number, token: AnswerToken | undefined): void {
    const { parser, isHidden } = this.#options;
    const bytes = this.#trace === undefined ? undefined : this.#detokenizer.bytesOf(id);
    const pieces = this.#detokenizer.push(id);
    const isAdded = pieces.some(({ special }) => special !== undefined);
    if (token !== undefined && bytes !== undefined && !isAdded) this.#trace?.expect(token, bytes);
    for (const { text, special } of pieces) {
      if (special === undefined) {
        this.#trace?.read(text);
        this.#parse(text);
      } else if (!isHidden(id, special)) {
        if (token !== undefined) this.#trace?.readAdded(special, token);
        this.#take(parser.push({ text: '', special }));
        this.#trace?.settle(parser.pending);
      }
    }
    this.#release(false);
  }

  /** Character by character where the exact character of a delta or of a call's end matters. */
  #parse(text: string): void {
    const { parser, oneCall } = this.#options;
    let unread = text.length;
    for (const part of oneCall || this.#trace !== undefined ? text : [text]) {
      if (this.ended) return;
      this.#take(parser.push({ text: part }));
      unread -= part.length;
      this.#trace?.settle(parser.pending + unread);
    }
  }

  #take(deltas: readonly Delta[]): void {
    for (const delta of deltas) {
      if (this.stopString !== '') return;
      if (delta.type === 'content') {
        this.#trace?.take(delta.text);
        this.#pass(this.#matcher === undefined ? delta.text : this.#matcher.push(delta.text));
        continue;
      }
      // A stop string does not extend across a tool call or reasoning.
      this.#flushMatcher();
      this.#release(true);
      if (delta.type === 'reasoning') this.#trace?.skip(delta.text);
      else if (delta.name !== undefined) this.#startedCalls++;
      this.#add(delta);
    }
  }

  #flushMatcher(): void {
    if (this.#matcher !== undefined) this.#pass(this.#matcher.flush());
  }

  /** Passes on content that no stop string can take back. */
  #pass(text: string): void {
    if (this.#trace === undefined) this.#add({ type: 'content', text });
    else this.#trace.pass(text.length);
    if (this.stopString !== '') this.#trace?.drop();
  }

  #release(anyway: boolean): void {
    if (this.#trace === undefined) return;
    const { text, tokens } = this.#trace.release(anyway);
    this.#add({ type: 'content', text, logprobs: tokens.map((token) => this.#toLogprob(token)) });
  }

  #toLogprob({ bytes, logprobs: { logprob, top } }: TracedToken): ContentLogprob {
    const { tokenizer } = this.#options;
    // An id without a token, which a padded model may have, has no bytes.
    return {
      bytes,
      logprob,
      top: top.map((other) => ({ bytes: [...tokenizer.tokenBytes(other.tokenId)], logprob: other.logprob })),
    };
  }

  #add(delta: Delta): void {
    if (delta.type !== 'toolCall' && delta.text === '' && !hasTokens(delta)) return;
    if (delta.type === 'reasoning' && this.#options.hideReasoning) return;
    const last = this.#deltas.at(-1);
    const joined = last === undefined ? undefined : join(last, delta);
    if (joined === undefined) this.#deltas.push(delta);
    else this.#deltas[this.#deltas.length - 1] = joined;
  }

  #takeDeltas(): Delta[] {
    const deltas = this.#deltas;
    this.#deltas = [];
    return deltas;
  }
}

function hasTokens(delta: Delta): boolean {
  return delta.type === 'content' && (delta.logprobs?.length ?? 0) > 0;
}

/** Joins two deltas of the same kind; undefined where the second begins something else. */
function join(first: Delta, second: Delta): Delta | undefined {
  if (first.type === 'toolCall') {
    if (second.type !== 'toolCall' || second.name !== undefined) return undefined;
    // The delta with the name stays alone: the wire's first chunk of a call has empty arguments.
    if (first.name !== undefined && first.argumentsText === '') return undefined;
    return { ...first, argumentsText: first.argumentsText + second.argumentsText };
  }
  if (first.type !== 'content') {
    return second.type === first.type ? { type: first.type, text: first.text + second.text } : undefined;
  }
  if (second.type !== 'content') return undefined;
  const text = first.text + second.text;
  if (first.logprobs === undefined || second.logprobs === undefined) return { type: 'content', text };
  return { type: 'content', text, logprobs: [...first.logprobs, ...second.logprobs] };
}
