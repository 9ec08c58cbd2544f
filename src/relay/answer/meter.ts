import { endOfJsonString } from '../../base/index.js';
import type { Dialect } from './dialect.js';
import { dataOf } from './sse-blocks.js';
import { estimateChunk, estimateText, isRecord, type AnswerUsage, type ToldUsage } from './usage.js';

/** Counts what an answer costs while it passes. Nothing of its text is kept. */
export class Meter {
  readonly #dialect: Dialect;
  readonly #promptBytes: number;
  readonly #textKey: RegExp | undefined;
  #told: ToldUsage = {};
  /** The runtime told of the whole completion up to some event. */
  #isTold = false;
  /** Tokens counted since then. */
  #counted = 0;
  /** A choice has ended. */
  #hasEndOfChoice = false;
  #isWhole = false;

  constructor(dialect: Dialect, promptBytes: number) {
    this.#dialect = dialect;
    this.#promptBytes = promptBytes;
    const keys = dialect.textKeys.join('|');
    this.#textKey = keys === '' ? undefined : new RegExp(`"(?:${keys})"\\s*:\\s*"(?!")`, 'g');
  }

  /** Tokens of the completion so far: what the runtime told last, and what was counted since. */
  get completionTokens(): number {
    return (this.#isTold ? (this.#told.completionTokens ?? 0) : 0) + this.#counted;
  }

  /** Whether the event that ends a stream was read. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  usage(): AnswerUsage {
    const { promptTokens, cachedTokens = 0, reasoningTokens = 0 } = this.#told;
    return {
      promptTokens: promptTokens ?? estimateText(this.#promptBytes),
      completionTokens: this.completionTokens,
      cachedTokens,
      reasoningTokens,
      isEstimated: promptTokens === undefined || !this.#isTold || this.#counted > 0,
    };
  }

  /** Takes what the runtime told; `isCurrent`: of the whole completion up to here. */
  tell(told: ToldUsage, isCurrent: boolean): void {
    this.#told = { ...this.#told, ...told };
    if (!isCurrent) return;
    this.#isTold = true;
    this.#counted = 0;
  }

  /** Counts text of `bytes` bytes of a whole answer, unless its usage came first. */
  countText(bytes: number): void {
    if (!this.#isTold) this.#counted += estimateText(bytes);
  }

  /** Counts bytes of a stream's events that were too large to be read. */
  countUnread(bytes: number): void {
    if (this.#textKey !== undefined) this.#counted += estimateText(bytes);
  }

  /** Reads one event of a stream; says whether it is only there since usage was asked for. */
  readEvent(bytes: Uint8Array): boolean {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    const { lastEvent, endOfChoice } = this.#dialect;
    this.#isWhole ||= lastEvent?.test(text) === true;
    this.#hasEndOfChoice ||= endOfChoice?.test(text) === true;
    // Most events have no usage, or null: they are searched, not parsed.
    if (!USAGE.test(text)) {
      this.#countEvent(text);
      return false;
    }
    const data = parse(dataOf(Buffer.from(text, 'latin1').toString('utf8')));
    if (data === undefined) {
      this.#countEvent(text);
      return false;
    }
    const usage = this.#dialect.eventUsage(data);
    if (usage?.isCurrent !== true) this.#countEvent(text);
    if (usage !== undefined) this.tell(usage.told, usage.isCurrent);
    const isUsageOnly = usage !== undefined && this.#dialect.isUsageOnly(data);
    this.#isWhole ||= isUsageOnly && this.#hasEndOfChoice;
    return isUsageOnly;
  }

  #countEvent(text: string): void {
    const key = this.#textKey;
    if (key === undefined) return;
    let counted = 0;
    key.lastIndex = 0;
    for (let found = key.exec(text); found !== null; found = key.exec(text)) {
      // The expression has read one quote: the string begins there.
      const start = found.index + found[0].length - 1;
      const end = endOfJsonString(text, start);
      counted += estimateChunk(end - start - 1);
      key.lastIndex = end;
    }
    this.#counted += counted;
  }
}

const USAGE = /"usage"\s*:\s*\{/;

function parse(data: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(data ?? 'null');
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
