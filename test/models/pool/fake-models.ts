// Models that compute nothing, whose loads go on when a test likes.

import { systemClock } from '../../../src/base/index.js';
import { ModelPool, type Loadable, type Poolable } from '../../../src/models/index.js';

/** A model of the pool's that says what happened to it. */
export interface FakeModel extends Poolable {
  isOpen: boolean;
  ready: boolean;
}

/** Fakes for a pool: sizes by directory, and every model that was made. Each step of a load or unload waits for `pass`. */
export class FakeModels {
  readonly sizes: Readonly<Record<string, number>>;
  readonly made: FakeModel[] = [];
  /** Loads to come of these directories fail. */
  readonly broken = new Set<string>();
  /** These open in spite of an abort that comes late. */
  readonly deaf = new Set<string>();
  /** Bytes of the models that are open or opening: what a machine would have given. */
  bytes = 0;
  maxBytes = 0;
  readonly #pass: (what: string) => Promise<void>;

  constructor(sizes: Readonly<Record<string, number>>, pass: (what: string) => Promise<void> = async () => {}) {
    this.sizes = sizes;
    this.#pass = pass;
  }

  pool(budgetBytes: number, busyWaitMs = 50, clock = systemClock): ModelPool<FakeModel> {
    return new ModelPool({ budgetBytes, busyWaitMs, clock, prepare: (directory) => this.#prepare(directory) });
  }

  /** The model in `directory` that is open, if any. */
  open(directory: string): FakeModel | undefined {
    return this.made.find(({ id, isOpen }) => id === directory && isOpen);
  }

  async #prepare(directory: string): Promise<Loadable<FakeModel>> {
    await this.#pass(`prepare ${directory}`);
    const bytes = this.sizes[directory] ?? 0;
    return {
      id: directory,
      bytes,
      open: async (signal, onProgress) => {
        this.#take(bytes);
        onProgress({ phase: 'load', doneBytes: 0, totalBytes: bytes });
        await this.#pass(`open ${directory}`);
        onProgress({ phase: 'load', doneBytes: bytes, totalBytes: bytes });
        if ((signal.aborted && !this.deaf.has(directory)) || this.broken.has(directory)) {
          this.bytes -= bytes;
          signal.throwIfAborted();
          throw new Error(`broken ${directory}`);
        }
        return this.#make(directory, bytes);
      },
      [Symbol.asyncDispose]: async () => {},
    };
  }

  #make(id: string, bytes: number): FakeModel {
    const model: FakeModel = {
      id,
      isOpen: true,
      ready: true,
      [Symbol.asyncDispose]: async () => {
        model.isOpen = false;
        await this.#pass(`close ${id}`);
        this.bytes -= bytes;
      },
    };
    this.made.push(model);
    return model;
  }

  #take(bytes: number): void {
    this.bytes += bytes;
    this.maxBytes = Math.max(this.maxBytes, this.bytes);
  }
}

/** Lets everything that is ready to run, run. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
