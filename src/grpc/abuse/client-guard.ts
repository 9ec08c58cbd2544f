import { Allowance } from './allowance.js';
import type { GrpcLimits } from '../limits.js';
import { RecentTable } from './recent-table.js';

/** Clients that are remembered; each takes some 200 bytes. The configuration lists identities, so there are far fewer. */
const MAX_CLIENTS = 4_096;

/** The counters of a client. */
type GuardLimits = Pick<
  GrpcLimits,
  'resetBurst' | 'resetsPerSecond' | 'backoffMs' | 'maxBackoffMs' | 'failureBurst' | 'failuresPerSecond'
>;

/** A client that has used up so much of the resets that it may make at once is on its way to be cut off. */
const MANY_RESETS = 0.25;

interface Client {
  readonly resets: Allowance;
  readonly failures: Allowance;
  /** How long it was kept out the last time; 0: never, or long ago. */
  backoffMs: number;
  /** Until when none of its connections is taken. */
  untilMs: number;
}

/**
 * Finds the clients that reset more calls than they let finish, and the clients whose calls fail too often. A client is an
 * identity, or an address where no certificate is asked for. A new connection does not renew an allowance that an earlier one
 * used up. Source: CVE-2023-44487; Envoy closes by premature resets too, Go and nginx by connection.
 */
export class ClientGuard {
  readonly #limits: GuardLimits;
  readonly #clients: RecentTable<Client>;

  constructor(limits: GuardLimits) {
    this.#limits = limits;
    const resets = { burst: limits.resetBurst, perSecond: limits.resetsPerSecond };
    const failures = { burst: limits.failureBurst, perSecond: limits.failuresPerSecond };
    this.#clients = new RecentTable(MAX_CLIENTS, () => ({
      resets: new Allowance(resets),
      failures: new Allowance(failures),
      backoffMs: 0,
      untilMs: 0,
    }));
  }

  /**
   * Counts a call that a client reset at once. Undefined: it may. Else its connection is to be cut off, and for so many
   * milliseconds no new one is taken: twice as long each time, until it has kept quiet for as long as the longest.
   */
  noteReset(name: string, nowMs: number): number | undefined {
    const client = this.#clients.of(name);
    if (client.resets.take(nowMs)) return undefined;
    const { backoffMs, maxBackoffMs } = this.#limits;
    if (nowMs < client.untilMs) return client.untilMs - nowMs;
    const isForgiven = client.backoffMs === 0 || nowMs - client.untilMs > maxBackoffMs;
    client.backoffMs = isForgiven ? backoffMs : Math.min(maxBackoffMs, 2 * client.backoffMs);
    client.untilMs = nowMs + client.backoffMs;
    return client.backoffMs;
  }

  /** Whether a client resets more calls than it gets new allowance for. */
  resetsMany(name: string, nowMs: number): boolean {
    return this.#clients.of(name).resets.spentShare(nowMs) > MANY_RESETS;
  }

  /** Counts a call that failed because of its client: it was refused, or asked for something missing. */
  noteFailure(name: string, nowMs: number): void {
    this.#clients.of(name).failures.charge(nowMs);
  }

  /** How long no call of a client is to begin, since too many failed; 0: one may. A call that succeeds costs nothing. */
  pausedMs(name: string, nowMs: number): number {
    return this.#clients.of(name).failures.waitMs(nowMs);
  }

  /** How long a client is still kept out; 0: it may come in. */
  keptOutMs(name: string, nowMs: number): number {
    return Math.max(0, this.#clients.of(name).untilMs - nowMs);
  }
}
