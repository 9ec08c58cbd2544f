// Groups of the double-entry ledger. Each line takes an amount from one account and adds it to another: every group
// sums to zero.

import type { LedgerGroup } from './ledger-books.js';
import type { Settlement } from '../books/settlement.js';

/** A line: an amount, and the two accounts between which it moves. */
export interface LedgerLine {
  readonly from: string;
  readonly to: string;
  readonly amountMicro: bigint;
}

/** A group before it joins the chain. Its id names its cause: nothing is booked twice. */
export interface NewGroup {
  readonly id: string;
  readonly kind: LedgerGroup['kind'];
  readonly accountId: string;
  readonly reference: string;
  readonly currency: string;
  readonly note: string;
  readonly createdAtMs: number;
  readonly lines: readonly LedgerLine[];
}

/** Providers of connected gateways: each owner has a memo account of the earnings of the models. */
const GATEWAY = /^pgw\//;

/** The name of a customer's account in the ledger. */
export function ledgerAccount(accountId: string): string {
  return `account:${accountId}`;
}

/**
 * The groups of a settlement: the charge, and the earnings of a connected gateway; or a group of a request without
 * charge.
 */
export function groupsOf(settlement: Settlement, chargedMicro: bigint): readonly NewGroup[] {
  const { requestId, accountId, provider, currency, state, endedAtMs } = settlement;
  const own = ledgerAccount(accountId);
  const group = { accountId, reference: requestId, currency, createdAtMs: endedAtMs };
  if (state === 'voided') {
    const lines = [{ from: own, to: own, amountMicro: 0n }];
    return [{ ...group, id: `void:${requestId}`, kind: 'void', note: settlement.end, lines }];
  }
  const charge = { from: own, to: 'revenue', amountMicro: chargedMicro };
  const isEarned = GATEWAY.test(provider) && chargedMicro > 0n;
  const earned = { from: 'memo:gateways', to: `memo:${provider}`, amountMicro: chargedMicro };
  return [
    {
      ...group,
      id: `usage:${requestId}`,
      kind: 'usage',
      note: provider,
      lines: isEarned ? [charge, earned] : [charge],
    },
  ];
}

/** The group of a payment, or of its return. */
export function creditGroup(
  accountId: string,
  currency: string,
  credit: { readonly amountMicro: bigint; readonly reference: string; readonly note: string },
  createdAtMs: number,
): NewGroup {
  const { amountMicro, reference, note } = credit;
  const own = ledgerAccount(accountId);
  const line =
    amountMicro >= 0n
      ? { from: 'payments', to: own, amountMicro }
      : { from: own, to: 'payments', amountMicro: -amountMicro };
  const id = `credit:${accountId}:${reference}`;
  return { id, kind: 'credit', accountId, reference, currency, note, createdAtMs, lines: [line] };
}
