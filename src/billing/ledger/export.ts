import { amountOf, textOf, type Database } from '../../database/index.js';
import type { LedgerGroup } from './ledger-books.js';
import { loadGroups, type LinkedGroup } from './chain.js';

/** Groups that are read at once. */
const BATCH = 1_000;

/** The groups of the chain in order. Groups outside the chain come with a later export. */
export async function* exportLedger(
  database: Database,
  { fromMs = 0, toMs = Infinity }: { readonly fromMs?: number; readonly toMs?: number },
): AsyncGenerator<LedgerGroup> {
  for (let seq = 0n; ;) {
    const sql = `SELECT seq, group_id, hash FROM ledger_chain WHERE seq > $1 ORDER BY seq LIMIT ${BATCH}`;
    const links = await database.all(sql, seq);
    const hashes = new Map(links.map((row) => [textOf(row, 'group_id') ?? '', textOf(row, 'hash') ?? '']));
    for (const group of await loadGroups(database, [...hashes.keys()])) {
      const isMeant = group.createdAtMs >= fromMs && group.createdAtMs < toMs;
      if (isMeant) yield toLedgerGroup(group, hashes.get(group.id) ?? '');
    }
    const last = links.at(-1);
    if (last === undefined || links.length < BATCH) return;
    seq = amountOf(last, 'seq');
  }
}

function toLedgerGroup({ id, createdAtMs, kind, reference, currency, lines }: LinkedGroup, hash: string): LedgerGroup {
  const entries = lines.flatMap(({ from, to, amountMicro }) => [
    { account: from, currency, amountMicro: -amountMicro },
    { account: to, currency, amountMicro },
  ]);
  return { id, createdAtMs, kind: kind as LedgerGroup['kind'], reference, entries, hash };
}
