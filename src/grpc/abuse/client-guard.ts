import { Allowance } from './allowance.js';
import type { GrpcLimits } from '../limits.js';
import { RecentTable } from './recent-table.js';

/** The most remembered clients, some 200 bytes each. The configuration lists identities, so there are far fewer. */
const MAX_CLIENTS = 4_096;

/** The counters of a client. */
type GuardLimits = Pick<
  GrpcLimits,
  'resetBurst' | 'resetsPerSecond' | 'backoffMs' | 'maxBackoffMs' | 'failureBurst' | 'failuresPerSecond'
>;

/** A client that has used more than this share of its reset burst counts as one that resets many calls. */
const MANY_RESETS = 0.25;

interface Client {
  readonly resets: Allowance;
  readonly failures: Allowance;
  /** Duration of its last exclusion; 0: never, or long ago. */
  backoffMs: number;
  /** End of the exclusion: until then the server refuses its connections. */
  untilMs: number;
}

/**
 * Finds clients that reset more calls than they let finish, and clients whose calls fail too often. A client is an
 * identity, or an address if the server requests no certificates. A new connection does not renew an allowance that an
 * earlier one used up. Source: CVE-2023-44487; Envoy also counts premature resets, Go and nginx count by connection.
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
   * Counts a call that a client reset early. Undefined: the client is within its limit. Otherwise the caller cuts off
   * the connection and refuses new ones for the returned milliseconds. This time doubles at each exclusion, until the
   * client has stayed within its limit for the longest such time.
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

  /** Whether a client resets calls faster than its allowance grows. */
  resetsMany(name: string, nowMs: number): boolean {
    return this.#clients.of(name).resets.spentShare(nowMs) > MANY_RESETS;
  }

  /** Counts a call that failed because of its client: it was refused, or requested something missing. */
  noteFailure(name: string, nowMs: number): void {
    this.#clients.of(name).failures.charge(nowMs);
  }

  /** Milliseconds without new calls after too many failures; 0: calls may begin. Successful calls cost nothing. */
  pausedMs(name: string, nowMs: number): number {
    return this.#clients.of(name).failures.waitMs(nowMs);
  }

  /** Milliseconds for which a client is still excluded; 0: it may connect. */
  keptOutMs(name: string, nowMs: number): number {
    return Math.max(0, this.#clients.of(name).untilMs - nowMs);
  }
}
