import { Type } from '../../schema/index.js';
import { exportLedgerFile as exportTo } from '../ledger-file/export-ledger.js';
import { change, operation } from './operation.js';

const Time = Type.Integer({ minimum: 0 });

/**
 * Checks the books: groups sum to zero, balances equal their entries, the hash chain is whole. Includes everything
 * settled before.
 */
export const verifyLedger = operation({
  params: Type.Object({}),
  async run({ billing }) {
    // Groups join the chain every second.
    await billing.tick();
    const { groups, entries, faults } = await billing.ledger.verify();
    return { ok: faults.length === 0, groups, entries, faults };
  },
});

/** Writes groups of the ledger to a file, a line of JSON each. Includes everything settled before. */
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
      // The log records who exported it.
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
