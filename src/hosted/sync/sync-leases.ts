import type { Clock } from '../../base/index.js';
import type { Lease, Leases } from '../../billing/index.js';
import { SHARDS } from '../gateways/shards.js';

/** How long a node keeps a shard before others may take it: nodes that start later then get their part. */
const SHARE_MS = 600_000;
/** How long a node that gave a shard back leaves it to others. */
const LEAVE_MS = 5_000;
/** Shards that are asked for at once. */
const TRIES = 4;

/** Options of leases beside the database. */
export interface SyncLeasesOptions {
  readonly leases: Leases;
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
}

/** The shards that this node may sync now. */
export class SyncLeases implements AsyncDisposable {
  readonly #options: SyncLeasesOptions;
  readonly #held = new Map<string, { readonly lease: Lease; readonly untilMs: number }>();
  /** Not before, on the clock. */
  readonly #leaveUntilMs = new Map<string, number>();

  constructor(options: SyncLeasesOptions) {
    this.#options = options;
  }

  /** Shards whose lease is held. */
  get shards(): readonly string[] {
    return [...this.#held].filter(([, { lease }]) => lease.isHeld()).map(([shard]) => shard);
  }

  /** The lease of a shard; undefined: another node has it. */
  leaseOf(shard: string): Lease | undefined {
    const lease = this.#held.get(shard)?.lease;
    return lease?.isHeld() === true ? lease : undefined;
  }

  /**
   * Returns shards that were held long enough or were lost, and asks for some that other nodes may have left. Errors:
   * `database_unavailable`.
   */
  async renew(): Promise<void> {
    const nowMs = this.#options.clock.nowMs();
    for (const [shard, { lease, untilMs }] of this.#held) {
      if (lease.isHeld() && nowMs < untilMs) continue;
      this.#held.delete(shard);
      this.#leaveUntilMs.set(shard, nowMs + LEAVE_MS);
      await lease.release();
    }
    const free = SHARDS.filter((shard) => !this.#held.has(shard) && (this.#leaveUntilMs.get(shard) ?? 0) <= nowMs);
    // Starts at a random shard: nodes that start together then compete for different shards.
    const from = Math.floor(this.#options.random() * free.length);
    for (const shard of [...free.slice(from), ...free.slice(0, from)].slice(0, TRIES)) {
      const lease = await this.#options.leases.acquire(`gateway-sync/${shard}`);
      if (lease !== undefined) this.#held.set(shard, { lease, untilMs: nowMs + this.#share() });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const held = [...this.#held.values()];
    this.#held.clear();
    await Promise.allSettled(held.map(({ lease }) => lease.release()));
  }

  /** Not all at once. */
  #share(): number {
    return SHARE_MS * (0.5 + this.#options.random());
  }
}
