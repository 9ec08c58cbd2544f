import { AppError, isAppError, sleep, type Clock } from '../../base/index.js';
import { isTransient, MAX_ATTEMPTS, reasonFor, waitBefore, type Retry } from '../http/retries.js';
import { DAMAGED, fetchRange, type FetchOptions } from './fetch-range.js';
import type { Landing } from './landing.js';
import type { Pace, PacedConnection } from './pace.js';
import { lengthOf } from './part-map.js';

/** Options of a part besides its range. */
export interface PartOptions extends Pick<FetchOptions, 'link' | 'transport' | 'about'> {
  readonly landing: Landing;
  readonly pace: Pace;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Bytes that came over the network. */
  readonly onFetched: (bytes: number) => void;
  readonly onRetry: (retry: Retry & { readonly part: number }) => void;
}

/** So many new bytes make a try worth nothing less than the first one was. */
const PROGRESS_BYTES = 64 * 1024;
/** Tries of one part, even with progress: a server that cuts each answer after a few bytes is of no use. */
const MAX_TRIES = 1_000;
/** Why a slow connection was ended. */
const TOO_SLOW = 'slower than a tenth of the others';

/**
 * Fetches the missing bytes of part `index`, with several tries: six without progress, each with its reported reason.
 * Errors: those of `fetchRange`.
 */
export async function fetchPart(index: number, options: PartOptions): Promise<void> {
  const { landing, clock, signal, onRetry, pace } = options;
  const part = landing.part(index);
  for (let attempt = 1, tries = 1; ; tries++) {
    const before = part.have;
    try {
      await fetchOnce(index, options);
      pace.partDone();
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (!isTransient(error)) throw error;
      if (error.details['why'] === DAMAGED) landing.resetPart(index);
      attempt = part.have - before >= PROGRESS_BYTES ? 2 : attempt + 1;
      if (attempt > MAX_ATTEMPTS || tries === MAX_TRIES) throw error;
      const isAtOnce =
        [DAMAGED, TOO_SLOW].includes(String(error.details['why'])) || error.details['isExpired'] !== undefined;
      const waitMs = isAtOnce && attempt < 4 ? 0 : waitBefore(attempt, error);
      if (waitMs === undefined) throw error;
      onRetry({ part: index, reason: reasonFor(error), attempt, waitMs });
      await sleep(waitMs, clock, signal);
    }
  }
}

async function fetchOnce(index: number, options: PartOptions): Promise<void> {
  const { landing, pace, signal, onFetched, link, transport, about } = options;
  const { map } = landing;
  const part = landing.part(index);
  const start = index * map.partBytes + part.have;
  const end = index * map.partBytes + lengthOf(map, index);
  if (start === end) return;
  const dropping = new AbortController();
  const connection: PacedConnection = {
    receivedBytes: 0,
    ticks: 0,
    drop: () => dropping.abort(new AppError('hub_unreachable', 'a connection was too slow', { why: TOO_SLOW })),
  };
  pace.begin(connection);
  try {
    await fetchRange({
      start,
      end,
      etag: map.etag,
      link,
      transport,
      about,
      signal: AbortSignal.any([signal, dropping.signal]),
      onRefused: () => pace.refused(),
      onEtag: (etag) => (map.etag ??= etag),
      onBytes: async (pieces) => {
        const sizeBytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
        pace.count(connection, sizeBytes);
        onFetched(sizeBytes);
        await landing.append(index, pieces);
      },
    });
  } catch (error) {
    if (isAppError(error) && error.code === 'hub_throttled') pace.refused();
    throw error;
  } finally {
    pace.end(connection);
  }
}
