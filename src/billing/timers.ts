// Background work of billing. Each piece runs when it is due, one at a time; none stops another.

import { codeOf, isError, type Clock, type LogEntry } from '../base/index.js';
import type { Database } from '../database/index.js';
import type { Lease } from './billing.js';
import type { StepCommitter } from './books/committer.js';
import type { HeldRequest } from './books/held-request.js';
import type { KeyKeeping } from './keys/account-keys.js';
import { link } from './ledger/chain.js';
import type { Allowances } from './nodes/allowances.js';
import { fence, type KeptLeases } from './nodes/leases.js';
import type { Nodes } from './nodes/nodes.js';
import { removeOld, sweepHolds, voidOrphans } from './nodes/sweeper.js';
import type { Settler } from './requests/settler.js';
import { countEnded } from './traffic/count-ended.js';
import type { Refusals } from './traffic/refusals.js';
import { removeSpans } from './traffic/span-rows.js';
import { removeUsage } from './usage/remove-usage.js';

/** Options of the timers. */
export interface TimersOptions {
  readonly database: Database;
  readonly committer: StepCommitter;
  readonly allowances: Allowances;
  readonly nodes: Nodes;
  readonly leases: KeptLeases;
  readonly settler: Settler;
  readonly keys: KeyKeeping;
  readonly refusals: Refusals;
  /** The requests of this node that are under way. */
  readonly open: ReadonlyMap<string, HeldRequest>;
  readonly clock: Clock;
  readonly steadyMs: () => number;
  readonly log: (entry: LogEntry) => void;
  /** Days that records of requests are kept for; 0: for ever. */
  readonly usageDays: number;
}

interface Duty {
  readonly name: string;
  readonly everyMs: number;
  readonly run: () => Promise<void>;
  dueMs: number;
}

interface TaskQueue {
  readonly duties: readonly Duty[];
  running: Promise<void> | undefined;
}

/** The singleton that sweeps and links the chain. */
const LEASE = 'billing';

/** The timers of billing. */
export class Timers {
  readonly #options: TimersOptions;
  /** Tasks of one queue run in sequence. The heartbeat of this node must not wait for the others. */
  readonly #queues: readonly TaskQueue[];
  #lease: Lease | undefined;
  /** Holds without a request of this node at the last sweep. */
  #orphans: ReadonlySet<string> = new Set();
  #isClosed = false;

  constructor(options: TimersOptions) {
    this.#options = options;
    const { nodes, leases, settler, allowances, keys, refusals } = options;
    const life: readonly Omit<Duty, 'dueMs'>[] = [
      { name: 'beat', everyMs: 2_000, run: () => nodes.beat() },
      { name: 'renew leases', everyMs: 2_000, run: () => leases.renew() },
    ];
    const work: readonly Omit<Duty, 'dueMs'>[] = [
      { name: 'replay the outbox', everyMs: 1_000, run: () => settler.replay() },
      { name: 'give back allowances', everyMs: 5_000, run: () => this.#giveBack(allowances) },
      { name: 'link the chain', everyMs: 1_000, run: () => this.#link() },
      { name: 'count requests', everyMs: 1_000, run: () => this.#count() },
      { name: 'count refusals', everyMs: 2_000, run: () => refusals.write() },
      { name: 'check own holds', everyMs: 30_000, run: () => this.#checkOwn() },
      { name: 'sweep', everyMs: 5_000, run: () => this.#sweepHolds() },
      { name: 'check keys', everyMs: 10_000, run: () => keys.checkEnded() },
      { name: 'write last uses', everyMs: 60_000, run: () => keys.saveLastUses() },
      { name: 'remove what is old', everyMs: 3_600_000, run: () => this.#removeOld() },
    ];
    // Memory alone: a database that is slow lets no key live longer.
    const memory: typeof life = [{ name: 'end expired keys', everyMs: 0, run: async () => keys.endExpired() }];
    this.#queues = [life, work, memory].map((duties) => ({
      duties: duties.map((duty) => ({ ...duty, dueMs: -Infinity })),
      running: undefined,
    }));
  }

  /** Runs the pieces that are due, unless they are running. */
  async run(): Promise<void> {
    for (const queue of this.#queues) await this.#runQueue(queue);
  }

  /** The same, with both queues in parallel. */
  start(): void {
    for (const queue of this.#queues) void this.#runQueue(queue);
  }

  /** Does everything now. */
  async runAll(): Promise<void> {
    await this.#settled();
    for (const duty of this.#queues.flatMap(({ duties }) => duties)) duty.dueMs = -Infinity;
    await this.run();
  }

  /**
   * Ends the work under way, returns allowances and leases, and removes this node, as far as the database is available.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#settled();
    const { allowances, nodes, keys, refusals } = this.#options;
    await this.#try('give back allowances', () => allowances.close());
    await this.#try('write last uses', () => keys.saveLastUses());
    await this.#try('count refusals', () => refusals.write());
    await this.#try('release the lease', async () => this.#lease?.release());
    await this.#try('leave', () => nodes.leave());
  }

  #runQueue(queue: TaskQueue): Promise<void> {
    queue.running ??= this.#runDue(queue).finally(() => (queue.running = undefined));
    return queue.running;
  }

  async #settled(): Promise<void> {
    for (const { running } of this.#queues) await running;
  }

  async #runDue({ duties }: TaskQueue): Promise<void> {
    const { clock } = this.#options;
    for (const duty of duties) {
      if (this.#isClosed) return;
      if (clock.nowMs() < duty.dueMs) continue;
      duty.dueMs = clock.nowMs() + duty.everyMs;
      await this.#try(duty.name, duty.run);
    }
  }

  async #try(name: string, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      // While the database is away, its own log entries report it.
      const reason = isError(error) ? error.message : String(error);
      if (codeOf(error) !== 'database_unavailable') this.#options.log({ event: 'billing failed', duty: name, reason });
    }
  }

  async #giveBack(allowances: Allowances): Promise<void> {
    // Settlements in the outbox are charged to the allowance that they were reserved from.
    if (this.#options.settler.depth === 0) await allowances.giveBackIdle();
  }

  async #lead(): Promise<Lease | undefined> {
    if (this.#lease?.isHeld() !== true) this.#lease = await this.#options.leases.acquire(LEASE);
    return this.#lease;
  }

  async #link(): Promise<void> {
    const { database, steadyMs } = this.#options;
    const lease = await this.#lead();
    for (let isMore = lease !== undefined; isMore && !this.#isClosed;) {
      isMore = await database.transaction(async (queries) => {
        if (lease === undefined || !(await fence(queries, lease))) return false;
        return (await link(queries, steadyMs())).isMore;
      });
    }
  }

  async #count(): Promise<void> {
    const { database, steadyMs } = this.#options;
    const lease = await this.#lead();
    if (lease !== undefined) await countEnded(database, lease, steadyMs());
  }

  async #sweepHolds(): Promise<void> {
    const lease = await this.#lead();
    if (lease === undefined) return;
    await this.#options.nodes.removeDead();
    await sweepHolds(this.#options, lease);
  }

  /** Voids orphaned holds: if the connection is lost during admission, the hold may exist although admission failed. */
  async #checkOwn(): Promise<void> {
    const { settler, open } = this.#options;
    // Settlements in the outbox end their own holds.
    if (settler.depth > 0) return;
    this.#orphans = await voidOrphans(this.#options, this.#options.nodes.id, open, this.#orphans);
  }

  async #removeOld(): Promise<void> {
    const lease = await this.#lead();
    if (lease === undefined) return;
    await removeOld(this.#options);
    await removeSpans(this.#options.database, this.#options.steadyMs());
    const removed = await removeUsage(this.#options, lease);
    if (removed > 0) this.#options.log({ event: 'usage removed', count: removed, days: this.#options.usageDays });
  }
}
