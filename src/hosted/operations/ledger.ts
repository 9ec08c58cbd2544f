import { open, rm } from 'node:fs/promises';
import { throwFileError } from '../../base/index.js';
import { toAmount, type LedgerGroup } from '../../billing/index.js';
import { Type } from '../../schema/index.js';
import { operation } from './operation.js';
import { toTime } from './shown.js';

/** Groups that are written at once. */
const BATCH = 500;
const Time = Type.Integer({ minimum: 0 });

/** Checks the books: groups that sum to zero, balances that are their entries, the chain of hashes. What was settled before is in it. */
export const verifyLedger = operation({
  params: Type.Object({}),
  async run({ billing }) {
    // Groups join the chain every second.
    await billing.tick();
    const { groups, entries, faults } = await billing.ledger.verify();
    return { ok: faults.length === 0, groups, entries, faults };
  },
});

/** Writes groups of the ledger, a line of JSON each, to a file that is not there yet. What was settled before it is in it. */
export const exportLedger = operation({
  params: Type.Object({
    path: Type.String({ minLength: 1, maxLength: 4_096 }),
    from_ms: Type.Optional(Time),
    to_ms: Type.Optional(Time),
  }),
  async run({ billing }, { path, from_ms: fromMs, to_ms: toMs }) {
    const range = { ...(fromMs !== undefined && { fromMs }), ...(toMs !== undefined && { toMs }) };
    const file = await open(path, 'wx', 0o600).catch(throwFileError('write', path));
    let groups = 0;
    try {
      // Groups join the chain every second.
      await billing.tick();
      let lines: string[] = [];
      const write = async (): Promise<void> => {
        await file.write(lines.join('')).catch(throwFileError('write', path));
        lines = [];
      };
      for await (const group of billing.ledger.export(range)) {
        groups++;
        lines.push(`${JSON.stringify(showGroup(group))}\n`);
        if (lines.length >= BATCH) await write();
      }
      await write();
      await file.sync().catch(throwFileError('write', path));
    } catch (error) {
      await file.close();
      await rm(path, { force: true });
      throw error;
    }
    await file.close();
    return { path, groups };
  },
});

function showGroup({ id, createdAtMs, kind, reference, entries, hash }: LedgerGroup): object {
  return {
    id,
    created_at: toTime(createdAtMs),
    kind,
    reference,
    entries: entries.map(({ account, currency, amountMicro }) => ({
      account,
      currency,
      amount: toAmount(amountMicro),
    })),
    hash,
  };
}
