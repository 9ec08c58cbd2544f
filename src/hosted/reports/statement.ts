// The statement of an account: payments, refunds and usage.
import { type Accounts, type Payment } from '../../billing/index.js';
import { Type, type Static } from '../../schema/index.js';
import { toTime } from '../operations/shown.js';
import { dayFields, readDays } from './time-range.js';
import { toAmount } from '../../words/index.js';

const Amount = Type.String({ description: 'a decimal text of the currency' });

/** The days of a statement, and the page of their payments. */
export const statementFields = {
  ...dayFields,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
  cursor: Type.Optional(Type.String({ maxLength: 500 })),
};

/** A payment, or a refund, whose amount is below zero. */
export const PaymentRow = Type.Object({
  id: Type.String(),
  created_at: Type.String(),
  kind: Type.Enum(['payment', 'refund']),
  amount: Amount,
  currency: Type.String(),
  reference: Type.String(),
  note: Type.String(),
});
export type PaymentRow = Static<typeof PaymentRow>;

/** A range of days of an account, and a page of its payments, the newest first. */
export const Statement = Type.Object({
  object: Type.Enum(['statement']),
  account: Type.String(),
  name: Type.String(),
  currency: Type.String(),
  from: Type.String(),
  to: Type.String(),
  opening_balance: Amount,
  payments: Amount,
  refunds: Amount,
  usage: Amount,
  closing_balance: Type.String({ description: 'opening balance, payments and refunds, less usage' }),
  data: Type.Array(PaymentRow),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
});
export type Statement = Static<typeof Statement>;

/** The parameters of a statement. */
export interface StatementAsked {
  readonly from?: string;
  readonly to?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

/** Makes the statement of an account. Errors: `account_unknown`, `invalid_value`. */
export async function makeStatement(
  accounts: Pick<Accounts, 'get' | 'payments' | 'movements'>,
  accountId: string,
  { from, to, limit, cursor }: StatementAsked,
  nowMs: number,
): Promise<Statement> {
  const range = readDays({ ...(from !== undefined && { from }), ...(to !== undefined && { to }) }, nowMs);
  const page = { ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) };
  const [{ id, name, currency }, sums, { items, next = null }] = await Promise.all([
    accounts.get(accountId),
    accounts.movements(accountId, range),
    accounts.payments(accountId, { ...range, ...page }),
  ]);
  return {
    object: 'statement',
    account: id,
    name,
    currency,
    from: toTime(range.fromMs),
    to: toTime(range.toMs),
    opening_balance: toAmount(sums.openingMicro),
    payments: toAmount(sums.paidMicro),
    refunds: toAmount(sums.refundedMicro),
    usage: toAmount(sums.usedMicro),
    closing_balance: toAmount(sums.closingMicro),
    data: items.map((payment) => showPayment(payment, currency)),
    next_cursor: next,
  };
}

function showPayment({ id, createdAtMs, amountMicro, reference, note }: Payment, currency: string): PaymentRow {
  const kind = amountMicro < 0n ? 'refund' : 'payment';
  return { id, created_at: toTime(createdAtMs), kind, amount: toAmount(amountMicro), currency, reference, note };
}
