import type { PageClock } from '../clock.js';
import { createStore, type Store } from '../store.js';

/** Whether the server of the page answers. */
export interface ServerState {
  readonly isGone: boolean;
  /** The time of its last answer, in milliseconds since 1970; undefined before the first. */
  readonly heardMs: number | undefined;
}

/** Checks whether the server answers, even while no view sends requests. */
export interface ServerWatch {
  readonly state: Store<ServerState>;
  /** Starts the checks; the returned function stops them. */
  watch(): () => void;
}

/** Options of a watch. */
export interface ServerWatchOptions {
  /** A small file of the page. It belongs to no session, so the checks prolong none. */
  readonly address: string;
  readonly clock: PageClock;
  /** The watch sends no requests while the page is hidden. */
  readonly isHidden: () => boolean;
  readonly send?: typeof fetch;
}

/** Intervals between checks: normally, after a missed answer, and while the server is gone. In milliseconds. */
const [LOOK_MS, AGAIN_MS, GONE_MS] = [1_500, 500, 1_000];
/** Timeout of a check in milliseconds. Two checks in a row take less than 5 s. */
const PATIENCE_MS = 1_300;
/** Missed answers after which the server counts as gone. The network may lose a single one. */
const MISSES = 2;
/** Statuses that a proxy sends for an unreachable server. */
const BY_A_PROXY: readonly number[] = [502, 503, 504];

/** Creates a watch. */
export function createServerWatch(options: ServerWatchOptions): ServerWatch {
  const { address, clock, isHidden, send = fetch } = options;
  const state = createStore<ServerState>({ isGone: false, heardMs: undefined });
  const hear = async (): Promise<boolean> => {
    try {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      // Node's types lack `cache`, because Node has no HTTP cache.
      const asked: RequestInit & { readonly cache: string } = { cache: 'no-store', credentials: 'omit', signal };
      const { status } = await send(address, asked);
      return !BY_A_PROXY.includes(status);
    } catch {
      return false;
    }
  };
  return {
    state,
    watch() {
      let misses = 0;
      let isEnded = false;
      let cancel = (): void => {};
      const look = async (): Promise<void> => {
        if (!isHidden()) {
          const isHeard = await hear();
          if (isEnded) return;
          misses = isHeard ? 0 : misses + 1;
          if (isHeard) state.set({ isGone: false, heardMs: clock.unixMs() });
          else if (misses >= MISSES && !state.get().isGone) state.set({ isGone: true });
        }
        cancel = clock.after(state.get().isGone ? GONE_MS : misses > 0 ? AGAIN_MS : LOOK_MS, () => void look());
      };
      void look();
      return () => {
        isEnded = true;
        cancel();
      };
    },
  };
}
