import { renderTable } from '../../../cli/index.js';
import { headsOf, LABELS, moneyText } from '../../../words/index.js';
import { toCsv, type PaymentRow, type Statement } from '../../../hosted/index.js';

/** A statement, and all payments of its days. */
export interface ShownStatement {
  readonly statement: Omit<Statement, 'data' | 'next_cursor'>;
  readonly payments: readonly PaymentRow[];
}

/** A statement for people, and for spreadsheets. */
export const renderStatement = {
  render({ statement, payments }: ShownStatement): string {
    const { account, name, currency, from, to, usage } = statement;
    const sums = [
      [LABELS.balanceBefore, statement.opening_balance],
      [LABELS.payments, statement.payments],
      [LABELS.refunds, statement.refunds],
      [LABELS.usage, Number(usage) === 0 ? usage : `-${usage}`],
      [LABELS.balanceAfter, statement.closing_balance],
    ].map(([label = '', amount = '']) => [label, moneyText(amount, currency)]);
    const days = `from ${from.slice(0, 10)} until before ${to.slice(0, 10)}`;
    const head = `${account} (${name}) ${days}\n\n${renderTable(['', ...headsOf('amount')], sums, [1])}`;
    if (payments.length === 0) return `${head}\nThere was no payment and no refund in these days.\n`;
    return `${head}\n${renderPayments(payments)}`;
  },
  toCsv: ({ payments }: ShownStatement): string =>
    toCsv(payments, ['created_at', 'kind', 'amount', 'currency', 'reference', 'note', 'id']),
};

/** Payments and refunds, a line each. */
export function renderPayments(payments: readonly PaymentRow[]): string {
  const rows = payments.map(({ created_at: at, kind, amount, currency, reference, note }) => {
    return [at.slice(0, 16).replace('T', ' '), kind, moneyText(amount, currency), reference, note || '-'];
  });
  return renderTable(headsOf('time', 'kind', 'amount', 'reference', 'note'), rows, [2]);
}
