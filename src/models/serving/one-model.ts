/**
 * The library of a server that has one model: the artifact that it was configured with, under its own id or under no name at all.
 * The model is loaded and unloaded on request only.
 */
import { AppError, present, systemClock, waitFor, type Clock, type LogEntry } from '../../base/index.js';
import { createFactsReader, type StoredModel } from '../../store/index.js';
import type { ModelHost } from '../model-host.js';
import type { OpenModel } from '../opening/open-model.js';
import type { ModelLease } from '../pool/pooled-model.js';
import { modelNotFound } from '../resolve/find-model.js';
import type { ModelLibrary, NamedModel } from './model-library.js';

/** The next state of the model. */
export type OneModelState = 'unloaded' | 'loading' | 'ready' | 'unloading';

/** Where the model is and how it is opened. */
export interface OneModelOptions {
  readonly model: StoredModel;
  /** The owner of its memory. */
  readonly host: Pick<ModelHost, 'acquire' | 'unload' | 'peek'>;
  /** Told of each change of the state. */
  readonly onState?: ((state: OneModelState) => void) | undefined;
  readonly log?: ((entry: LogEntry) => void) | undefined;
  readonly clock?: Clock | undefined;
}

/** One model as a library. Disposing of it unloads the model. */
export interface OneModelLibrary extends ModelLibrary {
  readonly id: string;
  readonly state: OneModelState;
  /** Why it is not ready although its load was requested; undefined: no such reason. */
  readonly failure: AppError | undefined;
  /** Loads it, if necessary. `check` runs before each load. Errors: those of both. */
  load(check: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<OpenModel>;
  /** Ends its calls and frees its memory; false: it was not loaded. `why`: the error of all later calls. */
  unload(why?: AppError): Promise<boolean>;
}

/** The library of the model; nothing is loaded yet. */
export function createOneModelLibrary(options: OneModelOptions): OneModelLibrary {
  const { host, onState = () => {}, log = () => {}, clock = systemClock } = options;
  const { name: id, path: directory } = options.model;
  const named: NamedModel = { ...options.model, id };
  const facts = createFactsReader();
  let state: OneModelState = 'unloaded';
  let lease: ModelLease<OpenModel> | undefined;
  let loading: Promise<OpenModel> | undefined;
  let unloading: Promise<boolean> | undefined;
  let stop = new AbortController();
  let failure: AppError | undefined;

  const become = (next: OneModelState): void => {
    state = next;
    onState(next);
  };

  const start = async (check: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<OpenModel> => {
    become('loading');
    const startMs = clock.nowMs();
    try {
      await check(signal);
      lease = await host.acquire(directory, signal);
      signal.throwIfAborted();
    } catch (error) {
      lease?.[Symbol.dispose]();
      lease = undefined;
      become('unloaded');
      throw error;
    }
    const opened = lease.model;
    failure = undefined;
    for (const [notice, text] of Object.entries({ context: opened.contextNote, layout: opened.layoutNote })) {
      if (text !== undefined) log({ event: 'load', model: id, notice, text });
    }
    log({ event: 'loaded', model: id, ms: Math.round(clock.nowMs() - startMs) });
    become('ready');
    return opened;
  };

  const end = async (why: AppError | undefined): Promise<boolean> => {
    failure = why;
    const isThere = state !== 'unloaded';
    const held = lease;
    lease = undefined;
    if (isThere) become('unloading');
    stop.abort(new AppError('engine_closed', `the model ${id} is being unloaded`));
    await loading?.catch(() => {});
    held?.[Symbol.dispose]();
    await host.unload(directory);
    if (isThere) {
      log({ event: 'unloaded', model: id });
      become('unloaded');
    }
    return isThere;
  };

  const find = async (name: string): Promise<NamedModel> => {
    if (name === '' || name === id) return named;
    throw modelNotFound(name, `this server has "${id}", which an empty name means too`);
  };

  const refuseChange = async (): Promise<never> => {
    const message = `this server has the one model ${id} that its configuration names; change models there, and not by requests`;
    throw new AppError('models_fixed', message);
  };

  /** Errors: `model_loading`, `model_unloaded`, or why it was taken away. */
  const requireReady = (): void => {
    if (state === 'ready') return;
    if (failure !== undefined) throw failure;
    if (state === 'loading') throw new AppError('model_loading', `the model ${id} is being loaded; try again later`);
    throw new AppError('model_unloaded', `the model ${id} is not loaded; Control.Load loads it`, { model: id });
  };

  return {
    id,
    get state() {
      return state;
    },
    get failure() {
      return failure;
    },
    async load(check, signal) {
      await unloading;
      if (state === 'ready' && host.peek(directory) !== undefined)
        return waitFor(present(loading, 'what is ready was loaded'), 'a load', { signal });
      if (state === 'ready') {
        // It has given up: its memory is freed, and it is loaded again.
        lease?.[Symbol.dispose]();
        lease = undefined;
      }
      if (state !== 'loading') {
        stop = new AbortController();
        loading = start(check, stop.signal);
        loading.catch(() => {});
      }
      return waitFor(present(loading, 'a load has begun'), 'the load of a model', { signal });
    },
    unload(why) {
      unloading ??= end(why).finally(() => (unloading = undefined));
      return unloading;
    },
    list: async () => [named],
    find,
    contextLength: () => lease?.model.contextLength,
    listedId: () => id,
    describe: (asked, isVerbose) => facts.read(asked, isVerbose),
    nameOf: (place) => (place === directory ? id : undefined),
    async open(name, signal) {
      await find(name);
      requireReady();
      return host.acquire(directory, signal);
    },
    // A request may unload only a model that a request loaded, not one of the configuration.
    letGo: async (name) => void (await find(name)),
    remove: refuseChange,
    copy: refuseChange,
    pull: refuseChange,
    async [Symbol.asyncDispose]() {
      stop.abort(new AppError('engine_closed', 'the server was stopped'));
      await loading?.catch(() => {});
      lease?.[Symbol.dispose]();
      lease = undefined;
    },
  };
}
