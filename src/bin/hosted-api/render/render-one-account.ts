import type { PaymentRow, ShownAccount, ShownKey, UsageReportRow } from '../../../hosted/index.js';
import { counted, moneyText } from '../../../words/index.js';
import { renderAccount } from './render-accounts.js';
import { renderKeys } from './render-keys.js';
import { renderPayments } from './render-statement.js';
import { renderSums } from './render-usage.js';

/** What `accounts show` tells. */
export interface ShownOneAccount {
  readonly account: ShownAccount;
  readonly keys: readonly ShownKey[];
  readonly has_more_keys: boolean;
  readonly payments: readonly PaymentRow[];
  readonly last_days: {
    readonly days: number;
    readonly payments: string;
    readonly refunds: string;
    readonly usage: string;
    readonly by_model: readonly UsageReportRow[];
  };
}

/** An account with what belongs to it. */
export function renderOneAccount({
  account,
  keys,
  has_more_keys: hasMore,
  payments,
  last_days: last,
}: ShownOneAccount): string {
  const { currency, created_at: created } = account;
  const parts = [
    `${renderAccount({ account })}It was made on ${created.slice(0, 10)}.\n`,
    `Keys\n${renderKeys({ keys })}${hasMore ? 'There are more: keys list has all.\n' : ''}`,
    `Last payments\n${payments.length === 0 ? `There was none in ${counted(last.days, 'day')}.\n` : renderPayments(payments)}`,
    `Usage of ${counted(last.days, 'day')}: ${moneyText(last.usage, currency)}\n${last.by_model.length === 0 ? '' : renderSums(last.by_model)}`,
  ];
  return parts.join('\n');
}
