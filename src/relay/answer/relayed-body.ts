import { AppError, systemClock } from '../../base/index.js';
import type { WatchableBody } from '../../http/index.js';
import type { UpstreamAnswer } from '../upstream/call.js';
import type { EarlyEnd } from './early-end.js';
import { unreadUsage, type AnswerTee } from './tee.js';
import type { AnswerEnd, AnswerHooks, AnswerOutcome, ReadOn } from './answer-hooks.js';
import { NO_COUNT, type AnswerUsage } from './answer-usage.js';

/** How long to wait for more after an event that may be the last of its stream: most streams end in one piece. */
const FOLLOWS_MS = 200;

type Result = IteratorResult<Uint8Array, undefined>;
const OVER: Result = { done: true, value: undefined };

/** Parts of a relayed body. */
export interface RelayedBodyOptions {
  /** Absent: nothing of it is read. */
  readonly tee: AnswerTee | undefined;
  /** Tokens of the prompt, where the provider reports none. */
  readonly estimatePrompt: () => number;
  /** The answer has no body, whatever its length says: HEAD, 204, 304. */
  readonly isBodiless: boolean;
  /** Bytes of the body, if its head states them. */
  readonly length: number | undefined;
  /** How it ends early; undefined: by closing its connection. */
  readonly earlyEnd: EarlyEnd | undefined;
  readonly hooks: AnswerHooks;
}

/** The body of an answer on its way from an upstream to its reader, read by a tee. One reader, one call at a time. */
export class RelayedBody implements WatchableBody<Uint8Array> {
  readonly #answer: UpstreamAnswer;
  readonly #tee: AnswerTee | undefined;
  readonly #hooks: AnswerHooks;
  readonly #options: RelayedBodyOptions;
  #ready: Uint8Array[] = [];
  /** Tokens that may be handed on; below 0 while not even the first byte may. */
  #admitted: number;
  #bytes = 0;
  #isLineStart = true;
  #isSourceOver = false;
  /** `onKnown` was called: the answer is whole, and can no longer be cut. */
  #isKnown = false;
  #end: AnswerEnd | undefined;
  #onEnd: ((left: boolean) => void) | undefined;
  #final: Uint8Array | undefined;
  #isCut = false;
  /** Most tokens to charge for a cut answer, if its verdict states them. */
  #charged: number | undefined;
  /** The read of the source under way. */
  #reading: Promise<void> | undefined;
  /** The next piece of the source, requested and not taken yet. */
  #pending: Promise<Result> | undefined;
  #failure: { readonly error: unknown } | undefined;
  /** The reader left, and the rest is read for its usage alone. */
  #isReadOn = false;

  constructor(answer: UpstreamAnswer, options: RelayedBodyOptions) {
    this.#answer = answer;
    this.#options = options;
    this.#tee = options.tee;
    this.#hooks = options.hooks;
    this.#admitted = answer.status >= 200 && answer.status < 300 ? -1 : 0;
  }

  /** Sets the listener of its end. `left`: its reader left before. Without a body it ends whole. */
  watch(onEnd: (left: boolean) => void): void {
    this.#onEnd = onEnd;
    // It broke off as it began.
    if (this.#end !== undefined) onEnd(this.#end === 'left');
  }

  /**
   * Reads the first piece of an answer that cannot end early, before its head is sent. False: no byte may be handed on,
   * so its client gets an error. Other failures come with `next`.
   */
  async begin(): Promise<boolean> {
    if (this.#options.earlyEnd !== undefined || this.#options.isBodiless) return true;
    this.#reading = this.#read();
    try {
      await this.#reading;
    } catch (error) {
      this.#failure = { error };
      return true;
    }
    if (this.#final === undefined) return true;
    await this.#tellKnown('cut');
    this.#final = undefined;
    this.#finish('cut');
    return false;
  }

  async next(): Promise<Result> {
    if (this.#failure !== undefined) throw this.#failure.error;
    for (;;) {
      if (this.#isReadOn) return OVER;
      const piece = this.#ready.shift();
      if (piece !== undefined) return this.#give(piece);
      if (this.#final !== undefined) return this.#giveFinal();
      if (this.#end !== undefined) return OVER;
      if (this.#isSourceOver) {
        this.#finish('whole');
        return OVER;
      }
      this.#reading = this.#read();
      await this.#reading;
    }
  }

  /** The client has left. */
  async return(): Promise<Result> {
    // The reader of an answer without a body, or of known length, may never ask for the end.
    const { isBodiless, length } = this.#options;
    const isWhole = isBodiless || this.#bytes === length;
    const isOver = isWhole || this.#isKnown || this.#end !== undefined || this.#final !== undefined;
    const mayGoOn = !isOver && !this.#isReadOn && this.#bytes > 0;
    const readOn = mayGoOn && this.#tee !== undefined ? this.#hooks.onLeft?.() : undefined;
    if (readOn !== undefined) {
      this.#isReadOn = true;
      this.#onEnd?.(true);
      void this.#readOn(readOn);
      return OVER;
    }
    this.#finish(isWhole ? 'whole' : 'left');
    await this.#answer.body.return?.();
    return OVER;
  }

  /** The usage of the answer so far; at its end, that of its outcome. */
  get usage(): AnswerUsage {
    return this.#tee?.usageSoFar ?? unreadUsage(this.#options.estimatePrompt);
  }

  /** Ends the answer early, with `finalBytes` where it can end so: for a revoked key, and the like. */
  cut(finalBytes: Uint8Array): void {
    if (this.#isKnown || this.#end !== undefined || this.#final !== undefined) return;
    this.#ready = [];
    this.#isCut = true;
    this.#final = this.#options.earlyEnd?.(finalBytes, this.#isLineStart) ?? new Uint8Array(0);
    // The end of the source settles a pending `next()`.
    void this.#answer.body.return?.();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Reads the rest of an answer whose reader left. It is over for the listener; its usage is reported at its end. */
  async #readOn({ signal, tokens, onEnd }: ReadOn): Promise<void> {
    const most = (this.#tee?.completionTokens ?? 0) + tokens;
    const stop = (): void => void this.#answer.body.return?.();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      // One call of the source at a time: the reader may have waited for a piece when it left.
      await this.#reading?.catch(() => {});
      while (this.#end === undefined && this.#final === undefined && !this.#isSourceOver && !signal.aborted) {
        this.#ready = [];
        if ((this.#tee?.completionTokens ?? 0) > most) break;
        await this.#read();
      }
    } catch {
      // It broke off, or was stopped: the tokens until then count.
    } finally {
      signal.removeEventListener('abort', stop);
      this.#ready = [];
      this.#final = undefined;
      this.#finish('left');
      stop();
      onEnd();
    }
  }

  /** Takes a piece of the source, and pieces that follow at once on a possibly last one. */
  async #read(): Promise<void> {
    do await this.#readPiece();
    while (await this.#mayFollow());
  }

  /**
   * Whether more follows a possibly last event of a stream, which may repeat its usage. The event is held back until
   * that is known, or until a moment passes without data.
   */
  async #mayFollow(): Promise<boolean> {
    const isOver = this.#final !== undefined || this.#end !== undefined || this.#isSourceOver || this.#isKnown;
    if (isOver || this.#tee?.mayBeWhole !== true) return false;
    this.#pending = this.#answer.body.next();
    const comes = await isWithin(this.#pending, FOLLOWS_MS);
    if (!comes) await this.#tellKnown(this.#isReadOn ? 'left' : 'whole');
    return comes;
  }

  async #readPiece(): Promise<void> {
    let next: Result;
    const pending = this.#pending ?? this.#answer.body.next();
    this.#pending = undefined;
    try {
      next = await pending;
    } catch (error) {
      if (this.#final !== undefined) return;
      if (!this.#isReadOn) this.#finish('failed', error);
      throw error;
    }
    if (this.#final !== undefined) return;
    if (next.done === true) {
      this.#isSourceOver = true;
      const rest = this.#tee?.end() ?? new Uint8Array(0);
      if (rest.length > 0) this.#ready.push(rest);
      return this.#tellKnown(this.#isReadOn ? 'left' : 'whole');
    }
    this.#ready.push(...(this.#tee?.write(next.value) ?? [next.value]));
    const lag = this.#tee?.decode(next.value);
    if (lag !== undefined) await lag;
    const tokens = this.#tee?.completionTokens ?? 0;
    // Bytes after the end of an answer do not count towards its cost.
    if (tokens > this.#admitted && !this.#isKnown) await this.#ask(tokens);
    if (this.#final === undefined && this.#isWhole()) await this.#tellKnown(this.#isReadOn ? 'left' : 'whole');
  }

  /** Whether the last of the answer was read. */
  #isWhole(): boolean {
    if (this.#tee?.isWhole === true) return true;
    const { length } = this.#options;
    return length !== undefined && this.#bytes + this.#readyBytes() === length;
  }

  #readyBytes(): number {
    return this.#ready.reduce((sum, { length }) => sum + length, 0);
  }

  async #tellKnown(end: AnswerEnd): Promise<void> {
    if (this.#isKnown || this.#end !== undefined) return;
    this.#isKnown = true;
    const { onKnown } = this.#hooks;
    if (onKnown !== undefined) await onKnown(this.#toOutcome(end, await this.#usage(), this.#readyBytes()));
  }

  async #ask(tokens: number): Promise<void> {
    const said = this.#hooks.admit?.(this.#tee?.count ?? NO_COUNT) ?? true;
    const verdict = said instanceof Promise ? await said.catch((error: unknown) => this.#abandon(error)) : said;
    if (verdict === true) this.#admitted = tokens;
    else {
      this.#charged = verdict.charged;
      this.cut(verdict.finalBytes);
    }
  }

  /** The admission failed, so it is unknown whether more may be handed on. */
  #abandon(error: unknown): never {
    this.#finish('failed', error);
    void this.#answer.body.return?.();
    throw error;
  }

  #give(piece: Uint8Array): Result {
    if (this.#bytes === 0) this.#hooks.onFirstByte?.();
    this.#bytes += piece.length;
    this.#isLineStart = piece.at(-1) === 0x0a;
    return { done: false, value: piece };
  }

  /** An answer with a content-length can only end early by closing its connection. */
  async #giveFinal(): Promise<Result> {
    await this.#tellKnown('cut');
    const bytes = this.#final ?? new Uint8Array(0);
    this.#final = undefined;
    this.#finish('cut');
    if (bytes.length === 0) throw new AppError('upstream_error', 'the answer was cut', { reason: 'cut' });
    return { done: false, value: bytes };
  }

  #finish(end: AnswerEnd, error?: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    if (!this.#isReadOn) this.#onEnd?.(end === 'left');
    const tell = (told: AnswerUsage): void => {
      const outcome = this.#toOutcome(end, told, 0);
      this.#hooks.onOutcome?.(error === undefined ? outcome : { ...outcome, error });
    };
    const usage = this.#usage();
    if (usage instanceof Promise) void usage.then(tell);
    else tell(usage);
  }

  #usage(): AnswerUsage | Promise<AnswerUsage> {
    return this.#tee === undefined ? unreadUsage(this.#options.estimatePrompt) : this.#tee.usage();
  }

  #toOutcome(end: AnswerEnd, told: AnswerUsage, readyBytes: number): AnswerOutcome {
    // Tokens that were not admitted were not handed on.
    const most = this.#isCut ? (this.#charged ?? Math.max(0, this.#admitted)) : Infinity;
    const mostEstimated = told.isEstimated ? (this.#hooks.mostTokens ?? Infinity) : Infinity;
    const completionTokens = Math.min(told.completionTokens, most, mostEstimated);
    const known = { status: this.#answer.status, bytes: this.#bytes + readyBytes };
    // An error of the upstream, whatever its status. A client that left early missed nothing.
    if (this.#tee?.isError === true) return { ...known, end: 'failed', usage: told };
    return { ...known, end, usage: { ...told, completionTokens } };
  }
}

/** Whether a promise settles in time, resolved or rejected. */
async function isWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let cancel = (): void => {};
  const late = new Promise<boolean>((resolve) => (cancel = systemClock.after(ms, () => resolve(false))));
  const settled = promise.then(
    () => true,
    () => true,
  );
  const isSettled = await Promise.race([settled, late]);
  cancel();
  return isSettled;
}
