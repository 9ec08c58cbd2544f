import { codeOf, type Clock, type LogEntry } from '../../base/index.js';
import { amountOf, textOf, type Database, type Queries } from '../../database/index.js';
import type { Lease, Leases } from '../billing.js';
import { Beats } from './beats.js';

/** Options of leases. */
export interface LeasesOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: (entry: LogEntry) => void;
  readonly nodeId: () => string;
}

/** How long a holder keeps a lease that it does not renew. */
const TTL_MS = 15_000;
/** The holder stops this much earlier. */
const MARGIN_MS = 5_000;

interface Held {
  readonly name: string;
  readonly epoch: bigint;
  readonly holder: string;
  renewedMs: number;
  isLost: boolean;
}

/** Leases that the timers of billing renew. */
export interface KeptLeases extends Leases {
  renew(): Promise<void>;
}

/** Leases among the nodes of a database. With SQLite there is only one node. */
export function createLeases({ database, clock, log, nodeId }: LeasesOptions): KeptLeases {
  const beats = new Beats(clock);
  const held = new Map<string, Held>();
  const isHeld = (lease: Held): boolean => !lease.isLost && clock.nowMs() - lease.renewedMs < TTL_MS - MARGIN_MS;

  const take = async (name: string, holder: string): Promise<bigint | undefined> => {
    const insert = 'INSERT INTO lease (name, holder, epoch, beat) VALUES ($1, $2, 1, 0) ON CONFLICT DO NOTHING';
    if ((await database.run(insert, name, holder)) === 1) return 1n;
    const row = await database.get('SELECT holder, epoch, beat FROM lease WHERE name = $1', name);
    if (row === undefined) return undefined;
    const [owner, epoch, beat] = [textOf(row, 'holder'), amountOf(row, 'epoch'), amountOf(row, 'beat')];
    await lookAtAll();
    const isFree = owner === '' || database.kind === 'sqlite' || beats.quiet(TTL_MS).some(([quiet]) => quiet === name);
    if (!isFree) return undefined;
    const update =
      'UPDATE lease SET holder = $2, epoch = epoch + 1, beat = 0 WHERE name = $1 AND epoch = $3 AND beat = $4';
    return (await database.run(update, name, holder, epoch, beat)) === 1 ? epoch + 1n : undefined;
  };

  const lookAtAll = async (): Promise<void> => {
    const rows = await database.all('SELECT name, epoch, beat FROM lease');
    beats.look(
      new Map(rows.map((row) => [textOf(row, 'name') ?? '', `${amountOf(row, 'epoch')} ${amountOf(row, 'beat')}`])),
    );
  };

  return {
    async acquire(name) {
      const own = held.get(name);
      if (own !== undefined && isHeld(own)) return undefined;
      const [renewedMs, holder] = [clock.nowMs(), nodeId()];
      const epoch = await take(name, holder);
      if (epoch === undefined) return undefined;
      const lease: Held = { name, epoch, holder, renewedMs, isLost: false };
      held.set(name, lease);
      return {
        name,
        epoch,
        isHeld: () => isHeld(lease),
        async release() {
          lease.isLost = true;
          if (held.get(name) === lease) held.delete(name);
          const sql = "UPDATE lease SET holder = '' WHERE name = $1 AND epoch = $2";
          await database.run(sql, name, epoch).catch((error: unknown) => {
            // The lease expires.
            if (codeOf(error) !== 'database_unavailable') throw error;
          });
        },
      };
    },
    async renew() {
      for (const lease of held.values()) {
        const renewedMs = clock.nowMs();
        const sql = 'UPDATE lease SET beat = beat + 1 WHERE name = $1 AND holder = $2 AND epoch = $3';
        const changed = await database.run(sql, lease.name, lease.holder, lease.epoch);
        if (changed === 1) lease.renewedMs = renewedMs;
        else lose(lease);
      }
      if (database.kind === 'postgres') await lookAtAll();
    },
  };

  function lose(lease: Held): void {
    lease.isLost = true;
    if (held.get(lease.name) === lease) held.delete(lease.name);
    log({ event: 'lease lost', lease: lease.name, epoch: String(lease.epoch) });
  }
}

/** Locks a lease until the transaction ends: no node can take it over in between. False: another node holds it. */
export async function fence(queries: Queries, lease: Lease): Promise<boolean> {
  const row = await queries.get('SELECT epoch FROM lease WHERE name = $1 FOR UPDATE', lease.name);
  return row !== undefined && amountOf(row, 'epoch') === lease.epoch;
}
