import { listModels } from '../api/models.js';
import type { PageClock, Store } from '../../data/index.js';
import type { ChatState } from './state.js';

/** Interval between checks while the server does not answer. */
const AWAY_MS = 3_000;
/** Interval between checks while the server answers, to detect its loss and new models. */
const THERE_MS = 60_000;

/** Checks whether the server answers, and which models it has. */
export interface Connection {
  /** Checks now. */
  check(): Promise<void>;
}

/** Checks at once and then at intervals, but not while the page is hidden. */
export function watchConnection(store: Store<ChatState>, clock: PageClock, page: Document = document): Connection {
  let cancel = (): void => {};
  let asked: Promise<void> | undefined;

  const ask = async (): Promise<void> => {
    cancel();
    const models = await listModels();
    store.set(models === undefined ? { connection: 'offline' } : { connection: 'online', models });
    asked = undefined;
    if (!page.hidden) cancel = clock.after(models === undefined ? AWAY_MS : THERE_MS, () => void check());
  };
  const check = (): Promise<void> => (asked ??= ask());

  page.addEventListener('visibilitychange', () => {
    if (page.hidden) cancel();
    else void check();
  });
  void check();
  return { check };
}
