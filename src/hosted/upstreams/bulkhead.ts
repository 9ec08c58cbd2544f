import { AppError, type Clock } from '../../base/index.js';

/** How many requests may be under way at one upstream, and how many may wait for that. */
export interface BulkheadLimits {
  readonly running: number;
  readonly queued: number;
  readonly queueMs: number;
}

interface Waiting {
  readonly admit: () => void;
  readonly refuse: (error: unknown) => void;
}

/**
 * Limits the requests of one upstream under way: a slow upstream takes no resources that others need. First come, first
 * served.
 */
export class Bulkhead {
  readonly #id: string;
  readonly #clock: Clock;
  readonly #waiting = new Set<Waiting>();
  #running = 0;

  constructor(id: string, clock: Clock) {
    this.#id = id;
    this.#clock = clock;
  }

  get running(): number {
    return this.#running;
  }

  get queued(): number {
    return this.#waiting.size;
  }

  /**
   * Resolves when a request may go out, with a function to call once when it is over. Errors: `upstream_busy` if too
   * many wait or it waited too long, the reason of the signal.
   */
  enter(limits: BulkheadLimits, signal: AbortSignal): (() => void) | Promise<() => void> {
    if (this.#running < limits.running && this.#waiting.size === 0) return this.#begin();
    if (this.#waiting.size >= limits.queued) throw this.#busy('as many wait for it as may');
    return this.#wait(limits, signal);
  }

  #wait({ queueMs }: BulkheadLimits, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(waiting);
        cancel();
        signal.removeEventListener('abort', onAbort);
      };
      const waiting: Waiting = {
        admit: () => {
          leave();
          resolve(this.#begin());
        },
        refuse: (error) => {
          leave();
          reject(error);
        },
      };
      const onAbort = (): void => waiting.refuse(signal.reason);
      const cancel = this.#clock.after(queueMs, () =>
        waiting.refuse(this.#busy(`none of them ended within ${queueMs / 1000} s`)),
      );
      this.#waiting.add(waiting);
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
    });
  }

  #begin(): () => void {
    this.#running++;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#running--;
      const [next] = this.#waiting;
      next?.admit();
    };
  }

  #busy(why: string): AppError {
    const message = `the upstream ${this.#id} has reached its limit of requests, and ${why}; try again later`;
    return new AppError('upstream_busy', message, { upstream: this.#id, reason: 'busy' });
  }
}
