// Lookups by the system. Each takes one of two threads of libuv, which files do not share but connections to databases do,
// and cannot be ended: so one is under way, and the other thread is left to them.
import type { LookupAddress } from 'node:dns';
import { BoundedQueue, type Clock } from '../base/index.js';
import { lookUpInSystem, type LookUpAll } from './checked-connect.js';

/** Names that may wait, and how long. */
const MAX_WAITING = 256;
const WAIT_MS = 4_000;

/** What the system says of a name, or the code of its error. */
export type SystemAnswer = { readonly addresses: readonly LookupAddress[] } | { readonly code: string };

interface Waiting {
  readonly name: string;
  tell(answer: SystemAnswer): void;
  isOver: boolean;
}

/** Asks the system for one name at a time. What waits too long is told `EAI_AGAIN`. */
export class SystemLane {
  readonly #clock: Clock;
  readonly #lookUp: LookUpAll;
  readonly #waiting = new BoundedQueue<Waiting>('lookups of names', MAX_WAITING);
  #isRunning = false;

  constructor(clock: Clock, lookUp: LookUpAll = lookUpInSystem) {
    this.#clock = clock;
    this.#lookUp = lookUp;
  }

  ask(name: string): Promise<SystemAnswer> {
    return new Promise((resolve) => {
      if (this.#waiting.size === MAX_WAITING) return resolve({ code: 'EAI_AGAIN' });
      const cancel = this.#clock.after(WAIT_MS, () => waiting.tell({ code: 'EAI_AGAIN' }));
      const waiting: Waiting = {
        name,
        isOver: false,
        tell(answer) {
          waiting.isOver = true;
          cancel();
          resolve(answer);
        },
      };
      this.#waiting.push(waiting);
      this.#next();
    });
  }

  #next(): void {
    if (this.#isRunning) return;
    let waiting = this.#waiting.shift();
    while (waiting?.isOver === true) waiting = this.#waiting.shift();
    if (waiting === undefined) return;
    const { name, tell } = waiting;
    this.#isRunning = true;
    this.#lookUp(name, (error, addresses) => {
      this.#isRunning = false;
      tell(error === null ? { addresses } : { code: error.code ?? 'ENOTFOUND' });
      this.#next();
    });
  }
}
