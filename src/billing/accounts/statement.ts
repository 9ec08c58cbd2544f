// Movements of an account's money: payments and refunds one by one, usage as sums of days.
import { amountOf, cleanText, integerOf, textOf, type Database, type Row } from '../../database/index.js';
import { dayOf } from '../../metering/index.js';
import type { Accounts, Payment } from '../billing.js';
import { pageLimitOf, toPage, type Cursors } from '../cursor.js';

/** The payments and the sums of accounts. `find` refuses an account that is not there. */
export function createStatements(
  database: Database,
  cursors: Cursors,
  find: (id: string) => Promise<unknown>,
): Pick<Accounts, 'payments' | 'movements'> {
  return {
    async payments(id, query) {
      await find(id);
      const limit = pageLimitOf(query);
      const { fromMs = 0, toMs = Number.MAX_SAFE_INTEGER } = query;
      const list = `payments ${JSON.stringify([id, fromMs, toMs])}`;
      const [atMs = Number.MAX_SAFE_INTEGER, groupId = ''] = cursors.read(list, query.cursor) ?? [];
      const sql = `SELECT group_id, reference, note, from_account, amount_micro, created_at_ms FROM ledger
        WHERE account_id = $1 AND kind = 'credit' AND created_at_ms >= $2 AND created_at_ms < $3
        AND (created_at_ms < $4 OR (created_at_ms = $4 AND group_id < $5))
        ORDER BY created_at_ms DESC, group_id DESC LIMIT $6`;
      const rows = await database.all(sql, cleanText(id, 100), fromMs, toMs, atMs, groupId, limit + 1);
      return toPage(rows.map(toPayment), limit, (last) => cursors.write(list, [last.createdAtMs, last.id]));
    },
    async movements(id, { fromMs, toMs }) {
      await find(id);
      const signed = `CASE WHEN from_account = 'payments' THEN amount_micro ELSE -amount_micro END`;
      const sum = (condition: string, amount: string, name: string): string =>
        `CAST(COALESCE(SUM(CASE WHEN ${condition} THEN ${amount} ELSE 0 END), 0) AS BIGINT) AS ${name}`;
      const [isPayment, isRefund] = [`from_account = 'payments'`, `from_account <> 'payments'`];
      const booked = await database.get(
        `SELECT ${sum('created_at_ms < $2', signed, 'opening')},
          ${sum(`created_at_ms >= $2 AND ${isPayment}`, signed, 'paid')},
          ${sum(`created_at_ms >= $2 AND ${isRefund}`, signed, 'refunded')}
        FROM ledger WHERE account_id = $1 AND kind = 'credit' AND created_at_ms < $3`,
        cleanText(id, 100),
        fromMs,
        toMs,
      );
      const used = await database.get(
        `SELECT ${sum('day < $2', 'cost_micro', 'before')}, ${sum('day >= $2', 'cost_micro', 'used')}
        FROM usage_day WHERE account_id = $1 AND day < $3`,
        cleanText(id, 100),
        dayOf(fromMs),
        dayOf(toMs - 1) + 1,
      );
      const of = (row: Row | undefined, name: string): bigint => (row === undefined ? 0n : amountOf(row, name));
      const [paidMicro, refundedMicro, usedMicro] = [of(booked, 'paid'), of(booked, 'refunded'), of(used, 'used')];
      const openingMicro = of(booked, 'opening') - of(used, 'before');
      const closingMicro = openingMicro + paidMicro + refundedMicro - usedMicro;
      return { openingMicro, paidMicro, refundedMicro, usedMicro, closingMicro };
    },
  };
}

function toPayment(row: Row): Payment {
  const amountMicro = amountOf(row, 'amount_micro');
  return {
    id: textOf(row, 'group_id') ?? '',
    createdAtMs: integerOf(row, 'created_at_ms'),
    amountMicro: textOf(row, 'from_account') === 'payments' ? amountMicro : -amountMicro,
    reference: textOf(row, 'reference') ?? '',
    note: textOf(row, 'note') ?? '',
  };
}
