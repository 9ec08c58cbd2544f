/**
 * Several models under one memory budget. The first call loads a model. It stays until another needs its bytes and no
 * call holds it: the least recently used model is evicted first.
 */

import type { OnProgress } from '../../artifact/index.js';
import { AppError, assert, systemClock, waitFor, type Clock } from '../../base/index.js';
import { IdleTimer } from './idle-timer.js';
import { MemoryBudget } from './memory-budget.js';
import { busy, modelTooLarge, tooManyCalls, tooManyLoads, unloaded } from './pool-errors.js';
import type { Entry, Loadable, ModelLease, Poolable, PooledModel } from './pooled-model.js';

/** How long a load waits for bytes that calls under way hold: longer than most answers, shorter than clients wait. */
const BUSY_WAIT_MS = 30_000;
/** Models that load at once; each holds its files open and its small files in memory. */
const MAX_LOADING = 16;
/** Default limit of calls that hold one model or wait for it: twice what its engine takes (64 sequences, 512 waiting). */
const MAX_CALLS = 1_152;

/** Options of a pool. */
export interface ModelPoolOptions<M extends Poolable> {
  readonly budgetBytes: number;
  /** Reads the needs of the model in `directory`. It may shrink its KV cache to fit in `maxBytes`. */
  readonly prepare: (directory: string, maxBytes: number) => Promise<Loadable<M>>;
  readonly clock?: Clock;
  readonly busyWaitMs?: number;
  /** Calls that hold one model, or wait for its load. Default 1,152. */
  readonly maxCalls?: number;
}

/** Owns open models by the real path of their artifacts. */
export class ModelPool<M extends Poolable> implements AsyncDisposable {
  readonly #entries = new Map<string, Entry<M>>();
  readonly #budget: MemoryBudget;
  readonly #prepare: ModelPoolOptions<M>['prepare'];
  readonly #clock: Clock;
  readonly #busyWaitMs: number;
  readonly #maxCalls: number;
  #useCount = 0;
  #closed: AppError | undefined;

  constructor(options: ModelPoolOptions<M>) {
    const { budgetBytes, prepare, clock = systemClock, busyWaitMs = BUSY_WAIT_MS, maxCalls = MAX_CALLS } = options;
    this.#prepare = prepare;
    this.#clock = clock;
    this.#busyWaitMs = busyWaitMs;
    this.#maxCalls = maxCalls;
    const holders = {
      coming: () => sumBytes(this.#all('unloading')),
      makeRoom: (bytes: number) => this.#evict(bytes),
    };
    this.#budget = new MemoryBudget(budgetBytes, holders, clock);
  }

  /**
   * Leases the model in `directory`, a real path. Loads it if needed, once for all callers that ask meanwhile. A load is aborted
   * when its last waiting caller has left. Errors: those of the load, for all waiting callers; `out_of_memory` when the budget is
   * too small for it alone; `models_busy`; `engine_closed`; the reason of the signal. `onProgress` gets the phase `load` and must
   * not throw: others wait for the same load.
   */
  async acquire(directory: string, signal?: AbortSignal, onProgress?: OnProgress): Promise<ModelLease<M>> {
    for (;;) {
      signal?.throwIfAborted();
      if (this.#closed !== undefined) throw this.#closed;
      const entry = this.#entries.get(directory) ?? this.#load(directory);
      if (entry.model?.ready === false) void this.#unload(entry, unloaded(directory));
      if (entry.gone !== undefined) {
        await waitFor(entry.gone, 'the end of a model', { signal });
        continue;
      }
      if (entry.calls >= this.#maxCalls) throw tooManyCalls(directory, this.#maxCalls);
      this.#use(entry, 1);
      if (onProgress !== undefined) entry.watchers.add(onProgress);
      try {
        const model = entry.model ?? (await waitFor(entry.loading, 'the load of a model', { signal }));
        return this.#lease(entry, model);
      } catch (error) {
        this.#use(entry, -1);
        throw error;
      } finally {
        if (onProgress !== undefined) entry.watchers.delete(onProgress);
      }
    }
  }

  /** The model in `directory` if it answers now. It does not count as a use, and keeps no model loaded. */
  peek(directory: string): M | undefined {
    const model = this.#entries.get(directory)?.model;
    return model?.ready === true ? model : undefined;
  }

  /** Ends the model in `directory` at once, and its calls and its load with `engine_closed`; false when there is none. */
  async unload(directory: string): Promise<boolean> {
    const entry = this.#entries.get(directory);
    if (entry === undefined) return false;
    await this.#unload(entry, unloaded(directory));
    return true;
  }

  /**
   * Lets the model in `directory` go when its last call ends, at once where there is none. Does nothing for a model that is not
   * loaded.
   */
  letGo(directory: string): void {
    const entry = this.#entries.get(directory);
    if (entry === undefined) return;
    entry.idle.keepAliveMs = 0;
    if (entry.calls === 0) entry.idle.start();
  }

  /** Every model that takes memory or will, in the order in which they were asked for. */
  list(): PooledModel[] {
    return Array.from(this.#entries.values(), ({ directory, id, state, bytes, calls, lastUsed, idle }) => {
      return { directory, id, state, bytes, runningCalls: calls, lastUsed, keepAliveMs: idle.keepAliveMs };
    });
  }

  /** The models that are open, in the same order. */
  models(): M[] {
    return this.#all('ready').flatMap(({ model }) => model ?? []);
  }

  /** Ends all models and loads; settles when nothing is left of them. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= new AppError('engine_closed', 'the engine was disposed of; create another');
    const closed = this.#closed;
    await Promise.all(Array.from(this.#entries.values(), (entry) => this.#unload(entry, closed)));
  }

  #load(directory: string): Entry<M> {
    if (this.#all('loading').length >= MAX_LOADING) throw tooManyLoads(directory, MAX_LOADING);
    const abort = new AbortController();
    const common = { directory, abort, id: undefined, model: undefined, gone: undefined, state: 'loading' } as const;
    const loading = Promise.resolve().then(() => this.#open(entry));
    const watchers = new Set<OnProgress>();
    const idle = new IdleTimer(this.#clock, () => void this.#unload(entry, unloaded(directory)));
    const entry: Entry<M> = { ...common, bytes: 0, calls: 0, lastUsed: 0, useCount: 0, loading, watchers, idle };
    this.#entries.set(directory, entry);
    // All waiting callers may have left.
    loading.catch(() => {});
    return entry;
  }

  async #open(entry: Entry<M>): Promise<M> {
    const { signal } = entry.abort;
    try {
      const model = await this.#openPrepared(entry);
      if (signal.aborted) await model[Symbol.asyncDispose]();
      signal.throwIfAborted();
      entry.model = model;
      entry.state = 'ready';
      return model;
    } catch (error) {
      this.#forget(entry);
      throw error;
    }
  }

  async #openPrepared(entry: Entry<M>): Promise<M> {
    const { directory } = entry;
    const { signal } = entry.abort;
    await using prepared = await this.#prepare(directory, this.#budget.totalBytes);
    signal.throwIfAborted();
    const { id, bytes } = prepared;
    entry.id = id;
    if (bytes > this.#budget.totalBytes) throw modelTooLarge(id, bytes, this.#budget.totalBytes);
    if (!(await this.#budget.take(bytes, this.#busyWaitMs, signal))) throw this.#busy(id, bytes);
    entry.bytes = bytes;
    return await prepared.open(signal, (progress) => {
      for (const tell of entry.watchers) tell(progress);
    });
  }

  /** Starts the end of `entry`; settles with it. */
  #unload(entry: Entry<M>, reason: AppError): Promise<void> {
    entry.gone ??= this.#end(entry, reason);
    entry.gone.catch(() => {});
    return entry.gone;
  }

  async #end(entry: Entry<M>, reason: AppError): Promise<void> {
    const { model } = entry;
    entry.state = 'unloading';
    entry.idle.stop();
    entry.model = undefined;
    entry.abort.abort(reason);
    // A load that is ended tidies up after itself.
    if (model === undefined) return void (await entry.loading.catch(() => {}));
    try {
      await model[Symbol.asyncDispose]();
    } finally {
      this.#forget(entry);
    }
  }

  #forget(entry: Entry<M>): void {
    entry.gone ??= Promise.resolve();
    this.#entries.delete(entry.directory);
    this.#budget.give(entry.bytes);
  }

  /** Frees at least `bytes` of models that no call holds; how many, or 0 when so many cannot be freed. */
  #evict(bytes: number): number {
    const idle = this.#all('ready').filter(({ calls }) => calls === 0);
    const victims = chooseVictims(
      idle.toSorted((a, b) => a.useCount - b.useCount),
      bytes,
    );
    for (const victim of victims ?? []) void this.#unload(victim, unloaded(victim.directory));
    return sumBytes(victims ?? []);
  }

  #lease(entry: Entry<M>, model: M): ModelLease<M> {
    let isHeld = true;
    return {
      model,
      keepFor: (keepAliveMs) => (entry.idle.keepAliveMs = keepAliveMs),
      [Symbol.dispose]: () => {
        assert(isHeld, 'a lease is given back once');
        isHeld = false;
        this.#use(entry, -1);
      },
    };
  }

  /** A call begins (1) or ends (-1). */
  #use(entry: Entry<M>, change: 1 | -1): void {
    entry.calls += change;
    entry.useCount = ++this.#useCount;
    entry.lastUsed = this.#clock.unixSeconds();
    entry.idle.stop();
    if (entry.calls > 0 || entry.gone !== undefined) return;
    if (entry.state === 'loading') {
      void this.#unload(entry, unloaded(entry.directory));
      return;
    }
    this.#budget.settle();
    entry.idle.start();
  }

  #all(state: PooledModel['state']): Entry<M>[] {
    return [...this.#entries.values()].filter((entry) => entry.state === state);
  }

  #busy(id: string, bytes: number): AppError {
    const holders = this.#all('ready').filter(({ calls }) => calls > 0);
    return busy(
      { id, bytes },
      this.#budget,
      holders.map((entry) => entry.id ?? entry.directory),
      this.#busyWaitMs,
    );
  }
}

function sumBytes(items: readonly { readonly bytes: number }[]): number {
  return items.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** An idle model, as its eviction weighs it. */
interface Idle {
  readonly bytes: number;
}

/**
 * Chooses which of `idle`, least recently used first, must go to free `bytes`. Takes the shortest run from the front that is
 * enough, then spares members that the others make needless. Undefined when all together are not enough.
 */
function chooseVictims<T extends Idle>(idle: readonly T[], bytes: number): T[] | undefined {
  let freed = 0;
  const run = idle.filter((one) => {
    if (freed >= bytes) return false;
    freed += one.bytes;
    return true;
  });
  if (freed < bytes) return undefined;
  // The most recently used has the first claim to stay.
  return run.reduceRight<T[]>((victims, one) => {
    if (freed - one.bytes < bytes) return [one, ...victims];
    freed -= one.bytes;
    return victims;
  }, []);
}
