import type { VNode } from 'preact';
import { LABELS } from '../../../words/index.js';
import { useKit } from '../page/kit.js';
import { Facts } from './facts.js';
import { Time } from './time.js';

/** The sums between two balances, as decimal texts. */
export interface StatementSums {
  readonly currency: string;
  readonly opening_balance: string;
  readonly payments: string;
  readonly refunds: string;
  readonly usage: string;
  readonly closing_balance: string;
}

/** A payment, or a refund with an amount below zero. */
export interface StatementPayment {
  readonly id: string;
  readonly created_at: string;
  readonly kind: 'payment' | 'refund';
  readonly amount: string;
  readonly reference: string;
  readonly note: string;
}

/** Sums of payments, refunds and usage, and each payment. */
export function StatementView(props: {
  readonly statement: StatementSums;
  readonly payments: readonly StatementPayment[];
}): VNode {
  const { formats } = useKit();
  const { statement, payments } = props;
  const money = (amount: string): string => formats.money(amount, statement.currency);
  return (
    <>
      <Facts
        facts={[
          [LABELS.balanceBefore, money(statement.opening_balance)],
          [LABELS.payments, money(statement.payments)],
          [LABELS.refunds, money(statement.refunds)],
          [LABELS.usage, money(statement.usage)],
          [LABELS.balanceAfter, money(statement.closing_balance)],
        ]}
      />
      {payments.length === 0 ? (
        <p class="muted">There was no payment and no refund.</p>
      ) : (
        <ul class="rows" aria-label="Payments and refunds">
          {payments.map(({ id, created_at: at, kind, amount, reference, note }) => (
            <li key={id}>
              <div>
                <strong>{money(amount)}</strong> {kind}
                <div class="hint">
                  <Time at={at} /> · {reference}
                  {note !== '' && ` · ${note}`}
                </div>
              </div>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
