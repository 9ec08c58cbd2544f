import { Type } from '../../schema/index.js';
import { exportLedger as exportTo } from '../ledger-file/export-ledger.js';
import { change, operation } from './operation.js';

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

/** Writes groups of the ledger, a line of JSON each, to a file. What was settled before it is in it. */
export const exportLedger = change(
  { action: 'ledger.export', target: () => 'ledger' },
  {
    params: Type.Object({
      path: Type.String({ minLength: 1, maxLength: 4_096 }),
      if_exists: Type.Optional(Type.Enum(['refuse', 'replace', 'append'])),
      from_ms: Type.Optional(Time),
      to_ms: Type.Optional(Time),
    }),
    async run({ billing, by }, { path, if_exists: ifExists = 'refuse', from_ms: fromMs, to_ms: toMs }) {
      const range = { ...(fromMs !== undefined && { fromMs }), ...(toMs !== undefined && { toMs }) };
      // Groups join the chain every second.
      await billing.tick();
      const written = await exportTo(billing.ledger, { path, range, ifExists });
      // Who took a copy is in the log.
      const diff = { if_exists: ifExists, ...toTimes(range) };
      await billing.audit.record({ actor: by, action: 'ledger.export', target: 'ledger', diff });
      return written;
    },
  },
);

/** A span of time as the audit log has it. */
function toTimes({ fromMs, toMs }: { readonly fromMs?: number; readonly toMs?: number }) {
  return {
    ...(fromMs !== undefined && { from: new Date(fromMs).toISOString() }),
    ...(toMs !== undefined && { to: new Date(toMs).toISOString() }),
  };
}
