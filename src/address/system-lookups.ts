// Lookups by the system. Each occupies one of two threads of libuv and cannot be ended. Connections to databases share
// these threads; file operations do not. So one lookup runs at a time, and the other thread stays free.
import type { LookupAddress } from 'node:dns';
import { BoundedQueue, type Clock } from '../base/index.js';
import { lookUpInSystem, type LookUpAll } from './checked-connect.js';

/** Limits: waiting names, and the time that they wait. */
const MAX_WAITING = 256;
const WAIT_MS = 4_000;

/** The system's answer for a name, or the code of its error. */
export type SystemAnswer = { readonly addresses: readonly LookupAddress[] } | { readonly code: string };

interface Waiting {
  readonly name: string;
  tell(answer: SystemAnswer): void;
  isOver: boolean;
}

/** Asks the system for one name at a time. A name that waits too long fails with `EAI_AGAIN`. */
export class SystemLookups {
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
