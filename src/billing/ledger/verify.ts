import { amountOf, integerOf, textOf, type Database, type Queries, type Row } from '../../database/index.js';
import { toMoney } from '../../metering/index.js';
import type { LedgerCheck } from './ledger-books.js';
import { hashOfGroup, loadGroups, LEDGER_GENESIS_HASH } from './chain.js';

/** Groups that are read at once. */
const BATCH = 2_000;
/** Faults in one report; the ledger may have more. */
const MAX_FAULTS = 100;

/** Each question finds one kind of fault in one statement, and thus at one moment. */
const QUESTIONS: readonly { readonly sql: string; readonly say: (row: Row) => string }[] = [
  {
    // The balance of an account is the sum of its entries.
    sql: `SELECT a.id, a.currency, a.available_micro + a.held_micro AS has, COALESCE(l.total, 0) AS entries FROM account a
      LEFT JOIN (SELECT account, CAST(SUM(amount) AS BIGINT) AS total FROM (
        SELECT to_account AS account, amount_micro AS amount FROM ledger
        UNION ALL SELECT from_account, -amount_micro FROM ledger) AS entry GROUP BY account) AS l
      ON l.account = 'account:' || a.id WHERE a.available_micro + a.held_micro <> COALESCE(l.total, 0) LIMIT ${MAX_FAULTS}`,
    say: (row) =>
      `account ${word(row, 'id')} has ${money(row, 'has')}, and its entries sum to ${money(row, 'entries')}`,
  },
  {
    // The held amount of an account is the sum of its holds and allowances.
    sql: `SELECT a.id, a.currency, a.held_micro, COALESCE(h.total, 0) + COALESCE(w.total, 0) AS parts FROM account a
      LEFT JOIN (SELECT account_id, CAST(SUM(held_micro) AS BIGINT) AS total FROM hold GROUP BY account_id) AS h ON h.account_id = a.id
      LEFT JOIN (SELECT account_id, CAST(SUM(amount_micro) AS BIGINT) AS total FROM allowance GROUP BY account_id) AS w
      ON w.account_id = a.id WHERE a.held_micro <> COALESCE(h.total, 0) + COALESCE(w.total, 0) LIMIT ${MAX_FAULTS}`,
    say: (row) =>
      `account ${word(row, 'id')} holds ${money(row, 'held_micro')}, and its holds sum to ${money(row, 'parts')}`,
  },
  {
    // Each settled request has one group of the same amount.
    sql: `SELECT u.request_id, u.currency, u.cost_micro, l.amount_micro FROM usage_row u
      LEFT JOIN ledger l ON l.group_id = 'usage:' || u.request_id AND l.line = 0
      WHERE u.state = 'settled' AND (l.amount_micro IS NULL OR l.amount_micro <> u.cost_micro) LIMIT ${MAX_FAULTS}`,
    say: (row) =>
      `request ${word(row, 'request_id')} cost ${money(row, 'cost_micro')}, and its group says ${money(row, 'amount_micro')}`,
  },
  {
    // Records that are old are removed; a request ends within a day of its beginning.
    sql: `SELECT l.group_id FROM ledger l LEFT JOIN usage_row u ON u.request_id = l.reference AND u.state = 'settled'
      WHERE l.kind = 'usage' AND u.request_id IS NULL
      AND l.created_at_ms >= (SELECT CASE from_ms WHEN 0 THEN 0 ELSE from_ms + 86400000 END FROM usage_kept) LIMIT ${MAX_FAULTS}`,
    say: (row) => `group ${word(row, 'group_id')} is of no settled request`,
  },
  {
    sql: `SELECT h.request_id FROM hold h JOIN usage_row u ON u.request_id = h.request_id LIMIT ${MAX_FAULTS}`,
    say: (row) => `request ${word(row, 'request_id')} ended, and still holds money`,
  },
  {
    // Each group is in the chain, or waits to join it.
    sql: `SELECT DISTINCT l.group_id FROM ledger l LEFT JOIN ledger_chain c ON c.group_id = l.group_id
      LEFT JOIN ledger_pending p ON p.group_id = l.group_id WHERE c.seq IS NULL AND p.group_id IS NULL LIMIT ${MAX_FAULTS}`,
    say: (row) => `group ${word(row, 'group_id')} is not in the chain`,
  },
  {
    // Each line is built to take the amount that it gives; an amount below zero would reverse it.
    sql: `SELECT group_id FROM ledger WHERE amount_micro < 0 LIMIT ${MAX_FAULTS}`,
    say: (row) => `group ${word(row, 'group_id')} moves an amount below zero`,
  },
];

/** Checks the books. Other nodes may write to them during the check. */
export function verifyLedger(database: Database): Promise<LedgerCheck> {
  return database.read(async (queries) => {
    const faults: string[] = [];
    for (const { sql, say } of QUESTIONS) faults.push(...(await queries.all(sql)).map(say));
    const chain = await walk(queries, faults);
    return { ...chain, faults: faults.slice(0, MAX_FAULTS) };
  });
}

async function walk(queries: Queries, faults: string[]): Promise<{ groups: number; entries: number }> {
  let [seq, hash, groups, entries] = [0n, LEDGER_GENESIS_HASH, 0, 0];
  for (;;) {
    const sql = `SELECT seq, day, group_id, hash FROM ledger_chain WHERE seq > $1 ORDER BY seq LIMIT ${BATCH}`;
    const links = await queries.all(sql, seq);
    const its = new Map(
      (
        await loadGroups(
          queries,
          links.map((row) => word(row, 'group_id')),
        )
      ).map((one) => [one.id, one]),
    );
    for (const link of links) {
      const [id, day] = [word(link, 'group_id'), integerOf(link, 'day')];
      const group = its.get(id);
      if (amountOf(link, 'seq') !== seq + 1n) faults.push(`the chain has a gap behind number ${seq}`);
      seq = amountOf(link, 'seq');
      if (group === undefined) faults.push(`group ${id} is in the chain, number ${seq}, and not in the ledger`);
      else if (hashOfGroup(hash, seq, day, group) !== word(link, 'hash'))
        faults.push(`group ${id}, number ${seq}, was changed`);
      hash = word(link, 'hash');
      groups++;
      entries += 2 * (group?.lines.length ?? 0);
    }
    if (links.length < BATCH || faults.length >= MAX_FAULTS) return { groups, entries };
  }
}

/** An amount of a column in units of the row's currency; of a column without a value `nothing`. */
function money(row: Row, name: string): string {
  return row[name] == null ? 'nothing' : toMoney(amountOf(row, name), word(row, 'currency'));
}

function word(row: Row, name: string): string {
  return textOf(row, name) ?? String(row[name] ?? 'nothing');
}
