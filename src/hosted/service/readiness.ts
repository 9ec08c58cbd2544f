import type { Clock } from '../../base/index.js';
import type { Database } from '../../database/index.js';

/** How long a node serves without its database: it caches keys and prices as long. */
const GRACE_MS = 60_000;
/** Least time between two checks of a database, however many clients ask. */
const FRESH_MS = 1_000;

/** Whether the database answers, or did within the last minute. */
export function createReadiness(database: Database, clock: Clock): () => Promise<boolean> {
  let answeredMs = clock.nowMs();
  let askedMs = -Infinity;
  let asking: Promise<void> | undefined;
  const ask = async (): Promise<void> => {
    askedMs = clock.nowMs();
    if (await database.isReachable()) answeredMs = clock.nowMs();
  };
  return async () => {
    if (asking === undefined && clock.nowMs() - askedMs >= FRESH_MS) asking = ask().finally(() => (asking = undefined));
    await asking;
    return clock.nowMs() - answeredMs < GRACE_MS;
  };
}
