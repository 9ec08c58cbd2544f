import type { Clock } from '../base/index.js';
import type { Alert } from './alert-types.js';

/** Where a secret was wrong. */
export type SignInPlace = Extract<Alert, { type: 'sign_in.burst' }>['data']['where'];

const WINDOW_MS = 60_000;
/** From so many in a minute on it is a burst. People mistype an operator's token, and many clients may have an old key. */
const BURST: Readonly<Record<SignInPlace, number>> = { admin: 5, operator: 5, api: 100 };
/** A burst is over when there was no failure for so long. */
const QUIET_MS = 900_000;

interface Failures {
  /** Times on the clock within a minute; none of a burst that was reported. */
  atMs: number[];
  lastMs: number;
  isTold: boolean;
}

/** Counts wrong secrets, and reports each burst once. */
export function createSignInBursts(clock: Clock, send: (alert: Alert) => void): (where: SignInPlace) => void {
  const places = new Map<SignInPlace, Failures>();
  return (where) => {
    const nowMs = clock.nowMs();
    const known = places.get(where) ?? { atMs: [], lastMs: -Infinity, isTold: false };
    places.set(where, known);
    if (nowMs - known.lastMs > QUIET_MS) known.isTold = false;
    known.lastMs = nowMs;
    if (known.isTold) return;
    known.atMs = [...known.atMs.filter((atMs) => nowMs - atMs < WINDOW_MS), nowMs];
    const failures = known.atMs.length;
    if (failures < BURST[where]) return;
    known.isTold = true;
    known.atMs = [];
    send({ type: 'sign_in.burst', data: { where, failures, within_s: WINDOW_MS / 1000 } });
  };
}
