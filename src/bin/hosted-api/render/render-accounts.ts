import { renderTable } from '../../../cli/index.js';
import { headsOf, moneyText } from '../../../words/index.js';
import type { ShownAccount } from '../../../hosted/index.js';

/** One account, after something was done with it. */
export function renderAccount({ account }: { readonly account: ShownAccount }): string {
  const { id, name, state, currency, balance, held } = account;
  const reserved = Number(held) > 0 ? `, of which ${moneyText(held, currency)} are reserved` : '';
  return `${id} (${name}) is ${state} and has ${moneyText(balance, currency)}${reserved}.\n`;
}

/** An account after a payment: one that was booked before changed nothing. */
export function renderCredit(credited: { readonly account: ShownAccount; readonly already_booked: boolean }): string {
  const told = credited.already_booked ? 'This payment was booked before; nothing changed. ' : '';
  return told + renderAccount(credited);
}

/** Accounts, a line each. */
export function renderAccounts({ accounts }: { readonly accounts: readonly ShownAccount[] }): string {
  if (accounts.length === 0) return 'There is no account. Make one with: hosted-api accounts create --name NAME\n';
  const header = headsOf('id', 'name', 'state', 'balance', 'reserved', 'created');
  const rows = accounts.map(({ id, name, state, balance, held, currency, created_at: created }) => {
    return [id, name, state, moneyText(balance, currency), moneyText(held, currency), created.slice(0, 10)];
  });
  return renderTable(header, rows, [3, 4]);
}
