import { estimateBytes, toTokens } from '../usage/estimate-tokens.js';
import { isRecord, type JsonRecord } from '../usage/json-record.js';
import { mergeUsage, type ToldUsage } from '../usage/told-usage.js';
import { isErrorAnswer } from './answer-error.js';
import { NO_TOKENS, type AnswerUsage, type CompletionCount } from './answer-usage.js';
import { AnswerTexts } from './answer-texts.js';
import { usageOf, type ApiDialect } from './dialect.js';
import { dataOf } from './sse-blocks.js';

/** Counts the tokens of an answer while it passes. Keeps none of its text. */
export class TokenCounter {
  readonly #dialect: ApiDialect;
  readonly #estimatePrompt: () => number;
  readonly #texts = new AnswerTexts();
  #told: ToldUsage = {};
  /** The upstream reported the whole completion up to some event. */
  #isTold = false;
  /** Hundredths of tokens of text up to there. */
  #toldHundredths = 0;
  /** Lower bounds of the tokens of text up to there: all, and without thoughts. */
  #toldLeast = 0;
  #toldLeastSaid = 0;
  /** Bytes that were not read. */
  #unreadBytes = 0;
  #isFinal = false;
  /** A choice has ended. */
  #hasEndOfChoice = false;
  #isWhole = false;
  #mayBeWhole = false;
  #hasError = false;
  #promptEstimate: number | undefined;

  /** `estimatePrompt` estimates the tokens of the prompt if the provider reports none; called once at most. */
  constructor(dialect: ApiDialect, estimatePrompt: () => number) {
    this.#dialect = dialect;
    this.#estimatePrompt = estimatePrompt;
  }

  /** The texts of the answer so far. */
  get texts(): AnswerTexts {
    return this.#texts;
  }

  /** Tokens of the completion so far: the last report of the upstream, and the count since. */
  get completionTokens(): number {
    return (this.#isTold ? (this.#told.completionTokens ?? 0) : 0) + this.#counted();
  }

  /** The known tokens so far. */
  get count(): CompletionCount {
    const { completionTokens = 0, reasoningTokens = 0 } = this.#isTold ? this.#told : {};
    const { least, leastSaid } = this.#texts;
    const since = this.#isFinal ? 0 : 1;
    return {
      tokens: this.completionTokens,
      isTold: this.isTold,
      least: completionTokens + since * (least - this.#toldLeast),
      leastSaid: Math.max(0, completionTokens - reasoningTokens) + since * (leastSaid - this.#toldLeastSaid),
    };
  }

  /** Whether the upstream reported all completion tokens so far. */
  get isTold(): boolean {
    return this.#isTold && this.#counted() === 0;
  }

  /** Whether the event that ends a stream was read. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Whether the last read event may end the stream: it has all of the usage, and nothing else. */
  get mayBeWhole(): boolean {
    return this.#mayBeWhole;
  }

  /** Whether the answer is an error, and nothing else: it has no text. */
  get isError(): boolean {
    return this.#hasError && this.#texts.hundredths === 0;
  }

  usage(): AnswerUsage {
    if (this.isError) return NO_TOKENS;
    const {
      isZero,
      totalTokens,
      promptTokens,
      cachedTokens = 0,
      cacheWriteTokens = 0,
      reasoningTokens = 0,
    } = this.#told;
    const completionTokens = this.completionTokens;
    // Providers report zeros for an empty answer, such as one that a filter emptied.
    if (isZero === true && completionTokens === 0 && this.#dialect.hasCompletion) return NO_TOKENS;
    const rest = totalTokens === undefined ? undefined : Math.max(0, totalTokens - completionTokens);
    return {
      promptTokens: promptTokens ?? rest ?? this.#estimatedPrompt(),
      completionTokens,
      cachedTokens,
      cacheWriteTokens,
      reasoningTokens,
      isEstimated: promptTokens === undefined || !this.isTold,
    };
  }

  /** Takes usage from the upstream. `isCurrent`: of the whole completion up to here. `isFinal`: of the rest, too. */
  tell(told: ToldUsage, isCurrent: boolean, isFinal = false): void {
    this.#told = mergeUsage(this.#told, told);
    if (!isCurrent || told.completionTokens === undefined) return;
    this.#isTold = true;
    this.#isFinal = isFinal;
    this.#unreadBytes = 0;
    this.#toldHundredths = this.#texts.hundredths;
    this.#toldLeast = this.#texts.least;
    this.#toldLeastSaid = this.#texts.leastSaid;
  }

  /** The answer reports an error. */
  tellError(): void {
    this.#hasError = true;
  }

  /** Counts bytes that cannot be read. */
  countUnread(bytes: number): void {
    if (this.#dialect.hasCompletion) this.#unreadBytes += bytes;
  }

  /** Reads one event of a stream of server-sent events; returns whether it exists only because usage was asked for. */
  readEvent(bytes: Uint8Array): boolean {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
    this.#isWhole ||= this.#dialect.lastEvent?.test(text) === true;
    const data = dataOf(text);
    if (data === undefined) return false;
    this.#hasError ||= EVENT_OF_ERROR.test(text);
    return this.readData(data);
  }

  /** Reads the data of one event; data other than JSON is ignored. */
  readData(text: string): boolean {
    const data = parse(text);
    this.#mayBeWhole = false;
    if (data === undefined) return false;
    const { endOfChoice } = this.#dialect;
    this.#hasEndOfChoice ||= endOfChoice?.test(text) === true;
    this.#hasError ||= isErrorAnswer(data);
    this.#dialect.readTexts(data, this.#texts);
    // Most events have no usage, or null.
    const told = MAY_TELL.test(text) ? usageOf(this.#dialect, data) : undefined;
    if (told === undefined) return false;
    this.tell(told, !this.#dialect.isBeginning(data));
    const isUsageOnly = this.#dialect.isUsageOnly(data);
    const { promptTokens = 0, completionTokens } = this.#told;
    this.#mayBeWhole = isUsageOnly && this.#hasEndOfChoice && promptTokens > 0 && completionTokens !== undefined;
    return isUsageOnly;
  }

  #counted(): number {
    if (this.#isFinal) return 0;
    return toTokens(this.#texts.hundredths - this.#toldHundredths) + estimateBytes(this.#unreadBytes);
  }

  #estimatedPrompt(): number {
    this.#promptEstimate ??= this.#estimatePrompt();
    return this.#promptEstimate;
  }
}

/** A name of `USAGE_FORMS` or `USAGE_PLACES` may be in a text. A name is never in two lines. */
const MAY_TELL = /usage|eval_count|tokens_|_tokens|"meta"|"details"/;

const EVENT_OF_ERROR = /(?:^|[\r\n])event: ?error[\r\n]/;

function parse(data: string): JsonRecord | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
