// Models as a pool sees them, so that it can be tested with ones that compute nothing.

import type { OnProgress } from '../../artifact/index.js';
import type { IdleTimer } from './idle-timer.js';

/** A model as the pool sees it. */
export interface Poolable extends AsyncDisposable {
  readonly id: string;
  /** False once it has given up: the next call loads it anew. */
  readonly ready: boolean;
}

/** A model whose needs are known and whose weights are not read yet. Disposed of after the load, or instead of it. */
export interface Loadable<M extends Poolable> extends AsyncDisposable {
  readonly id: string;
  readonly bytes: number;
  /** Rejects, with nothing held, with the reason of the signal. `onProgress` does not throw. */
  open(signal: AbortSignal, onProgress: OnProgress): Promise<M>;
}

/** The right to use a model: while one is held, the model stays. */
export interface ModelLease<M extends Poolable> extends Disposable {
  readonly model: M;
  /** From now on the model stays for so long after its last call, ms; Infinity: until another model needs its memory. */
  keepFor(keepAliveMs: number): void;
}

/** A model of a pool, as data. */
export interface PooledModel {
  /** The directory of its artifact, without links. */
  readonly directory: string;
  /** Undefined until its manifest is read. */
  readonly id: string | undefined;
  /** Its current state. */
  readonly state: 'loading' | 'ready' | 'unloading';
  /** Weights, KV cache and activations; 0 until there was room for it. */
  readonly bytes: number;
  /** Calls that use it, or wait for its load. */
  readonly runningCalls: number;
  /** When a call last began or ended, in seconds since 1970. */
  readonly lastUsed: number;
  /** How long it stays after its last call, in milliseconds; Infinity: until another model needs its memory. */
  readonly keepAliveMs: number;
}

/** For the pool itself: a model from the first call that asks for it until its memory is back. */
export interface Entry<M extends Poolable> {
  readonly directory: string;
  readonly abort: AbortController;
  id: string | undefined;
  state: PooledModel['state'];
  bytes: number;
  calls: number;
  lastUsed: number;
  /** Counts uses over all models: which was used later. */
  useCount: number;
  model: M | undefined;
  loading: Promise<M>;
  /** Progress callbacks of the callers that wait for the load. */
  readonly watchers: Set<OnProgress>;
  readonly idle: IdleTimer;
  /** Settles when nothing of it is left. */
  gone: Promise<void> | undefined;
}
