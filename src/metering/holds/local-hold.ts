import type { WriteCommitter } from '../database/committer.js';
import type { HoldTable } from '../database/hold-table.js';
import { OpenHold } from './hold.js';
import type { Charge, HoldRecord, Outcome } from '../ledger/hold-record.js';
import type { Instant, Ledger } from '../ledger/ledger.js';

/** Options of holds of this process. */
export interface HoldContext {
  readonly ledger: Ledger;
  readonly committer: WriteCommitter;
  readonly table: HoldTable;
  readonly instant: () => Instant;
  readonly sliceTokens: number;
  /** Writes the charge of a request, in the transaction that ends its hold. */
  readonly charge: (hold: HoldRecord, charge: Charge) => { readonly run: () => void };
}

/** The hold of a record that was committed. */
export function openLocalHold(context: HoldContext, record: HoldRecord): OpenHold {
  const leastAhead = record.isWhole ? 0 : (context.sliceTokens * record.choices) / 2;
  let began = false;
  return new OpenHold({
    requestId: record.requestId,
    grantedTokens: record.completionTokens,
    leastAhead,
    async extend(completionTokens) {
      const { ledger, committer, table, instant } = context;
      const before = record.completionTokens;
      const isLow = completionTokens + leastAhead > before;
      const granted = isLow ? ledger.extend(record, completionTokens, instant()) : before;
      if (granted === before && began) return granted;
      try {
        await committer.write(() => table.update(record));
      } catch (error) {
        ledger.shrink(record, before);
        throw error;
      }
      began = true;
      return granted;
    },
    settle: (outcome) => settle(context, record, outcome),
  });
}

function settle(context: HoldContext, record: HoldRecord, outcome: Outcome): Promise<void> {
  const { ledger, committer, table, instant, charge } = context;
  const written = charge(record, ledger.settle(record, outcome, instant()));
  return new Promise((resolve) => {
    committer.add({
      run: () => {
        table.remove(record.requestId);
        written.run();
      },
      // Never refused: while nothing can be written it waits, and no usage is lost.
      done: resolve,
    });
  });
}
