import type { PageClock } from '../clock.js';
import { createStore, type Store } from '../store.js';

/** Whether the server of the page answers. */
export interface ServerState {
  readonly isGone: boolean;
  /** When it answered last, in milliseconds since 1970; undefined: it was not asked yet. */
  readonly heardMs: number | undefined;
}

/** Looks whether the server is there, also while no view asks for anything. */
export interface ServerWatch {
  readonly state: Store<ServerState>;
  /** Begins to look; the returned function ends it. */
  watch(): () => void;
}

/** Options of a watch. */
export interface ServerWatchOptions {
  /** A small file of the page. It belongs to no session, so that looking keeps none alive. */
  readonly address: string;
  readonly clock: PageClock;
  /** Nothing is asked while the page is hidden. */
  readonly isHidden: () => boolean;
  readonly send?: typeof fetch;
}

/** Between two looks, after one without an answer, and while the server is gone. In milliseconds. */
const [LOOK_MS, AGAIN_MS, GONE_MS] = [1_500, 500, 1_000];
/** A server that says nothing for so long does not answer. Two looks in a row take less than 5 s. In milliseconds. */
const PATIENCE_MS = 1_300;
/** Looks without an answer after which it is gone: one may be lost on the way. */
const MISSES = 2;
/** A proxy answers for a server that is not there. */
const BY_A_PROXY: readonly number[] = [502, 503, 504];

/** Makes one. */
export function createServerWatch(options: ServerWatchOptions): ServerWatch {
  const { address, clock, isHidden, send = fetch } = options;
  const state = createStore<ServerState>({ isGone: false, heardMs: undefined });
  const hear = async (): Promise<boolean> => {
    try {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      // The types of Node know no cache: it has none.
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
