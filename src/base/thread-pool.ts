// Pools of threads for work without state. Piscina starts a file beside its own code, so it works in no bundle.
// Therefore it is loaded from the installed package, when the first pool is made.

import { fileURLToPath } from 'node:url';
import type { Piscina } from 'piscina';
import { locate } from './locate.js';
import { threadArguments } from './node-arguments.js';

/** Runs tasks on threads: a Piscina. */
export type ThreadPool<Task, Result> = Piscina<Task, Result>;

/** Options of a pool. */
export interface ThreadPoolOptions {
  /** The module of a thread, by its path below the package. */
  readonly file: string;
  /** Threads kept without work. */
  readonly minThreads: number;
  /** Maximum of threads. */
  readonly maxThreads: number;
  /** Heap of a thread, MB. */
  readonly heapMb: number;
  /** Size of its young generation, MB; default Node's. Its memory is not released at once when the thread has ended. */
  readonly youngHeapMb?: number;
  /** Limit of waiting tasks; default without limit. */
  readonly maxQueue?: number;
  /** How long a thread above `minThreads` waits for another task, ms. */
  readonly idleTimeoutMs?: number;
}

/** A pool of threads that run functions of one module. Errors: `package_not_found`. */
export async function createThreadPool<Task, Result>(options: ThreadPoolOptions): Promise<ThreadPool<Task, Result>> {
  const { file, minThreads, maxThreads, heapMb, youngHeapMb, maxQueue, idleTimeoutMs } = options;
  const url = locate('dist/src/base/load-piscina.js').href;
  const loaded = (await import(/* webpackIgnore: true */ /* @vite-ignore */ url)) as typeof import('./load-piscina.js');
  return new loaded.Piscina<Task, Result>({
    filename: fileURLToPath(locate(file)),
    minThreads,
    maxThreads,
    resourceLimits: {
      maxOldGenerationSizeMb: heapMb,
      ...(youngHeapMb !== undefined && { maxYoungGenerationSizeMb: youngHeapMb }),
    },
    ...(maxQueue !== undefined && { maxQueue }),
    ...(idleTimeoutMs !== undefined && { idleTimeout: idleTimeoutMs }),
    ...threadArguments(),
  });
}
