import { systemClock, unixMs, type Clock } from '../base/index.js';
import type { CompletionEvent } from '../completion/index.js';

/** The times of an answer so far, in milliseconds. */
export interface AnswerTimes {
  /** Since the request came. */
  readonly totalMs: number;
  /** Until the model was open. */
  readonly loadMs: number;
  /** From the ready prompt to the first token: the wait for a slot, and the prompt's computation. */
  readonly promptMs: number;
  /** From the first token on. */
  readonly completionMs: number;
}

/** Measures one answer: each of its marks counts once, when it is first made. */
export class AnswerTimer {
  readonly #clock: Clock;
  readonly #startMs: number;
  /** The difference between the machine's clock and ours: its jumps during an answer are left out. */
  readonly #aheadMs: number;
  #openedMs: number | undefined;
  #begunMs: number | undefined;
  #firstTokenMs: number | undefined;

  /** `startMs`: when the request came, on the same clock. Default: now. */
  constructor(clock: Clock = systemClock, startMs = clock.nowMs()) {
    this.#clock = clock;
    this.#startMs = startMs;
    this.#aheadMs = unixMs() - clock.nowMs();
  }

  /** The model is open. */
  opened(): void {
    this.#openedMs ??= this.#clock.nowMs();
  }

  /** An event has come: the prompt is ready, or a choice has its first token. */
  mark(event: CompletionEvent): void {
    if (event.type === 'begin') this.#begunMs ??= this.#clock.nowMs();
    if (event.type === 'choice' && event.begins === true) this.#firstTokenMs ??= this.#clock.nowMs();
  }

  /** Now, in milliseconds since 1970 with a fraction. */
  unixMs(): number {
    return this.#aheadMs + this.#clock.nowMs();
  }

  /** All times up to now; parts that have not begun took nothing. */
  read(): AnswerTimes {
    const nowMs = this.#clock.nowMs();
    const openedMs = this.#openedMs ?? nowMs;
    const begunMs = this.#begunMs ?? nowMs;
    const firstMs = this.#firstTokenMs ?? nowMs;
    return {
      totalMs: nowMs - this.#startMs,
      loadMs: openedMs - this.#startMs,
      promptMs: firstMs - begunMs,
      completionMs: nowMs - firstMs,
    };
  }
}
