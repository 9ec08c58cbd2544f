import { callAgain } from '../../actor/index.js';
import type { AppError } from '../../base/index.js';
import type { Suspect } from './poison-search.js';

/**
 * Deaths of engines that one `forward` survives without having caused them: twice as many as a search in a crowd takes.
 * The search ends a `forward` that kills engines, at the second death.
 */
const ATTEMPTS = 32;

/** A `forward` under way, on its caller's side. */
export class ForwardCall implements Suspect {
  readonly id: number;
  readonly givenTokens: number;
  deaths = 0;
  deathTokens = 0;
  trialTokens = 0;
  readonly isOver = false;
  readonly #failure = new AbortController();

  constructor(id: number, numTokens: number) {
    this.id = id;
    this.givenTokens = numTokens;
  }

  /** Rejects it for its caller. */
  fail(error: AppError): void {
    this.#failure.abort(error);
  }

  /** Calls `ask` until an engine has answered; `signal` aborts. Rejects with the engine's error. */
  run<T>(ask: (signal: AbortSignal) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const { signal: failed } = this.#failure;
    const either = signal === undefined ? failed : AbortSignal.any([signal, failed]);
    return callAgain(ATTEMPTS, () => ask(either));
  }
}
