import { createUtilizationMeter } from '../../base/index.js';
import type { GrpcLimits } from '../limits.js';
import { RecentTable } from './recent-table.js';

/** The most clients with remembered times, some 100 bytes each. */
const MAX_CLIENTS = 4_096;
/**
 * A client that called within this time is likely to call again. A client that requests health every second slows no
 * other client down.
 */
const RECENT_MS = 250;
/**
 * Debt of call-start time before a client's next calls wait, and the largest debt: several calls without a long pause.
 */
const FREE_MS = 1;
const MAX_DEBT_MS = 2;
/** Interval for adjusting the share; without a call for `FORGET_MS` the share returns to the least. */
const LOOK_MS = 20;
const FORGET_MS = 1_000;
/** Factors of the share: while the thread is too busy, and while it has idle time and calls have waited. */
const FEWER = 0.85;
const MORE = 1.1;

/** Options of the pacer. */
type PaceLimits = Pick<GrpcLimits, 'pacedStreams' | 'sharedUtilization' | 'leastBeginShare'>;

interface Client {
  /** Time that its calls took to begin, less the time granted since. */
  debtMs: number;
  atMs: number;
}

/**
 * Keeps a client with many waiting calls from filling the serving thread while others call too. Beginning its calls may
 * take a share of the time. The share keeps the thread idle for most of the time, so a call of another client rarely
 * waits. The share grows slowly and falls fast, as a window of TCP (RFC 5681, 3.1). A client pays for its own calls
 * alone and never waits for the cost of others.
 */
export class ClientPacer {
  readonly #limits: PaceLimits;
  readonly #readUtilization: () => number;
  readonly #clients = new RecentTable<Client>(MAX_CLIENTS, () => ({ debtMs: 0, atMs: 0 }));
  /** The two clients that called last, and when. */
  #latest: { readonly client: string; readonly atMs: number } | undefined;
  #before: { readonly client: string; readonly atMs: number } | undefined;
  #share: number;
  #lookedMs = -Infinity;
  #hasWaited = false;

  constructor(limits: PaceLimits, readUtilization: () => number = createUtilizationMeter()) {
    this.#limits = limits;
    this.#readUtilization = readUtilization;
    this.#share = limits.leastBeginShare;
  }

  /** Records a call of a client. */
  noteCall(client: string, nowMs: number): void {
    if (client !== this.#latest?.client) this.#before = this.#latest;
    this.#latest = { client, atMs: nowMs };
  }

  /** Records the time that a call of a client took to begin. */
  noteBegun(client: string, spentMs: number, nowMs: number): void {
    const own = this.#clients.of(client);
    own.debtMs = Math.min(MAX_DEBT_MS, this.#debtAt(own, nowMs) + spentMs);
    own.atMs = nowMs;
  }

  /**
   * Milliseconds for which no call of a client with `numWaiting` streams may begin, because others call too; 0: none.
   */
  waitMs(client: string, numWaiting: number, nowMs: number): number {
    if (numWaiting <= this.#limits.pacedStreams) return 0;
    const other = client === this.#latest?.client ? this.#before : this.#latest;
    if (other === undefined || nowMs - other.atMs > RECENT_MS) return 0;
    this.#setShare(nowMs);
    const waitMs = Math.max(0, this.#debtAt(this.#clients.of(client), nowMs) - FREE_MS) / this.#share;
    this.#hasWaited ||= waitMs > 0;
    // By then the other clients may have stopped calling.
    return Math.min(RECENT_MS, waitMs);
  }

  #debtAt({ debtMs, atMs }: Client, nowMs: number): number {
    return Math.max(0, debtMs - (nowMs - atMs) * this.#share);
  }

  #setShare(nowMs: number): void {
    const sinceMs = nowMs - this.#lookedMs;
    if (sinceMs < LOOK_MS) return;
    const { sharedUtilization, leastBeginShare } = this.#limits;
    const isBusy = this.#readUtilization() > sharedUtilization;
    if (sinceMs > FORGET_MS) this.#share = leastBeginShare;
    else if (isBusy) this.#share = Math.max(leastBeginShare, this.#share * FEWER);
    else if (this.#hasWaited) this.#share = Math.min(1, this.#share * MORE);
    this.#hasWaited = false;
    this.#lookedMs = nowMs;
  }
}
