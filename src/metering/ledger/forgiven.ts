import type { Budget } from '../keys/key-record.js';
import { windowStart, type Window } from '../window.js';

/** An amount that a refilled budget does not count: its usage in the window until then. */
export interface Forgiven {
  /** Absent: tokens. */
  readonly currency?: string;
  readonly window: Window;
  /** The first day of the window, in days since 1970: another window forgives nothing. */
  readonly start: number;
  /** In tokens or in micro-units. */
  readonly amount: bigint;
}

/** The same with the key whose it is. */
export interface ForgivenOfKey extends Forgiven {
  readonly keyId: string;
}

/** Of nearly every key. */
export const NOTHING_FORGIVEN: readonly Forgiven[] = [];

/** Usage that `budget` does not count. A change of day removes the entries of other windows. */
export function forgivenOf(all: readonly Forgiven[], budget: Budget): bigint {
  return all.find((one) => isOf(one, budget))?.amount ?? 0n;
}

/** `all` with `added`, which replaces the earlier amount of its budget. */
export function withForgiven(all: readonly Forgiven[], added: Forgiven): readonly Forgiven[] {
  return [...all.filter(({ window, currency }) => window !== added.window || currency !== added.currency), added];
}

/** Amounts that apply on `day`. */
export function forgivenOn<T extends Forgiven>(all: readonly T[], day: number): readonly T[] {
  return all.filter(({ window, start }) => windowStart(window, day) === start);
}

function isOf({ currency, window }: Forgiven, budget: Budget): boolean {
  return window === budget.window && currency === ('currency' in budget ? budget.currency : undefined);
}
