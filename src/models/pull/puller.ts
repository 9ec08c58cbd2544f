import { AppError, waitFor } from '../../base/index.js';
import { openHub, readHubSettings, type Environment, type Hub } from '../../hub/index.js';
import { formatModelId, openStore } from '../../store/index.js';
import { pullModel, type HubReference, type Pulled } from './pull-model.js';
import type { OnPullEvent, PullEvent } from './pull-events.js';

/** The target directory of pulls, and the hub's settings. */
export interface PullerOptions {
  readonly modelsDir: string;
  /** The memory budget of models on this machine. */
  readonly budgetBytes: number;
  /** The source of the hub's settings; default: the environment of the process. */
  readonly env?: Environment | undefined;
}

/** How one caller waits for a pull. */
export interface WaitForPull {
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: OnPullEvent | undefined;
  /** The pull goes on after its last caller left. */
  readonly goesOn?: boolean;
}

/** Pulls models for many callers. Disposing of it ends running pulls; downloaded bytes are kept. */
export interface Puller extends AsyncDisposable {
  /**
   * Pulls a model, once for all callers that ask for it meanwhile. It stops when its last caller leaves, unless a caller set
   * `goesOn`. Errors: those of `pullModel`, `pull_busy`, the reason of the signal.
   */
  pull(reference: HubReference, wait?: WaitForPull): Promise<Pulled>;
}

/** Pulls at once: each has connections, an open file and a conversion of its own. */
const MAX_PULLS = 8;

/** One pull and its waiting callers. */
interface Running {
  readonly result: Promise<Pulled>;
  readonly listeners: Set<OnPullEvent>;
  readonly stop: AbortController;
  /** The last progress event of each kind, for callers that join later. */
  readonly last: Map<PullEvent['kind'], PullEvent>;
  waiting: number;
  goesOn: boolean;
}

/** A puller into one models directory. It sends no request before the first pull. */
export function createPuller({ modelsDir, budgetBytes, env }: PullerOptions): Puller {
  const store = openStore(modelsDir);
  const running = new Map<string, Running>();
  let opening: Promise<Hub> | undefined;

  const hubOf = async (): Promise<Hub> => {
    opening ??= readHubSettings(env).then((settings) => openHub(settings));
    // Settings that cannot be read may be mended before the next pull.
    return opening.catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
  };

  const start = (key: string, reference: HubReference): Running => {
    const stop = new AbortController();
    const listeners = new Set<OnPullEvent>();
    const last: Running['last'] = new Map();
    const onEvent = (event: PullEvent): void => {
      last.set(event.kind, event);
      for (const listener of listeners) listener(event);
    };
    const result = hubOf().then(async (hub) =>
      pullModel(reference, { hub, store, budgetBytes, signal: stop.signal, onEvent }),
    );
    const run: Running = { result, listeners, stop, last, waiting: 0, goesOn: false };
    running.set(key, run);
    const forget = (): void => void (running.get(key) === run && running.delete(key));
    result.then(forget, forget);
    return run;
  };

  return {
    async pull(reference, { signal, onEvent, goesOn = false } = {}) {
      signal?.throwIfAborted();
      const key = formatModelId(reference).toLowerCase();
      if (!running.has(key) && running.size >= MAX_PULLS) {
        const message = `${MAX_PULLS} models are being pulled, which is the limit; try again when one is done`;
        throw new AppError('pull_busy', message, { limit: MAX_PULLS });
      }
      const run = running.get(key) ?? start(key, reference);
      run.waiting++;
      run.goesOn ||= goesOn;
      if (onEvent !== undefined) {
        for (const kind of ['plan', 'download', 'convert'] as const) {
          const event = run.last.get(kind);
          if (event !== undefined) onEvent(event);
        }
        run.listeners.add(onEvent);
      }
      try {
        return await waitFor(run.result, 'a pull', { signal });
      } finally {
        if (onEvent !== undefined) run.listeners.delete(onEvent);
        if (--run.waiting === 0 && !run.goesOn) {
          // A later caller begins anew, from the files that this pull left.
          if (running.get(key) === run) running.delete(key);
          run.stop.abort(signal?.reason ?? new Error('no caller waits for it'));
        }
      }
    },
    async [Symbol.asyncDispose]() {
      const all = [...running.values()];
      for (const { stop } of all) stop.abort(new AppError('engine_closed', 'the pull was stopped; what came is kept'));
      await Promise.allSettled(all.map(({ result }) => result));
      const hub = await opening?.catch(() => undefined);
      await hub?.[Symbol.asyncDispose]();
    },
  };
}
