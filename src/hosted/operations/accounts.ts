import { invalidValue, parseDecimal } from '../../base/index.js';
import { Type } from '../../schema/index.js';
import { ACCOUNT_GROUPS, reportUsage } from '../reports/usage-report.js';
import { makeStatement, statementFields } from '../reports/statement.js';
import { change, Id, Name, operation, pageFields } from './operation.js';
import { showAccount, showKeys } from './shown.js';
import { MICRO_DECIMALS } from '../../words/index.js';

/** A new account without money. */
export const createAccount = change(
  {
    action: 'account.create',
    target: ({ name }) => `account:${name}`,
    asked: (account) => ({ name: account.name, before: null, after: account }),
  },
  {
    params: Type.Object({ name: Name, currency: Type.String({ pattern: '^[A-Z]{3}$' }) }),
    run: async ({ billing, by }, account) => ({ account: showAccount(await billing.accounts.create(account, by)) }),
  },
);

/** Accounts by pages. */
export const listAccounts = operation({
  params: Type.Object(pageFields),
  async run({ billing }, query) {
    const { items, next = null } = await billing.accounts.list(query);
    return { accounts: items.map(showAccount), next };
  },
});

/** Days of usage that `accounts.show` returns. */
const SHOWN_DAYS = 30;
const SHOWN_PAYMENTS = 5;

/** One account with its keys, its last payments, and its usage of the last days. Errors: `account_unknown`. */
export const showOneAccount = operation({
  params: Type.Object({ id: Id }),
  async run({ billing, now }, { id }) {
    const account = await billing.accounts.get(id);
    const of = { accountId: id, groups: ACCOUNT_GROUPS, initial: 'provider,model', nowMs: now() };
    const [keys, statement, usage] = await Promise.all([
      billing.keys.list(id, {}),
      makeStatement(billing.accounts, id, { limit: SHOWN_PAYMENTS }, now()),
      reportUsage(billing.requests, of, {}),
    ]);
    const { payments, refunds, usage: used, data, from } = statement;
    return {
      account: showAccount(account),
      keys: await showKeys(billing, keys.items, now()),
      has_more_keys: keys.next !== undefined,
      payments: data,
      last_days: { days: SHOWN_DAYS, from, payments, refunds, usage: used, by_model: usage.data },
    };
  },
});

/** Payments and refunds of an account in a range of days, with the balance before and after. */
export const accountStatement = operation({
  params: Type.Object({ id: Id, ...statementFields }),
  async run({ billing, now }, { id, ...asked }) {
    const { next_cursor: next, data: payments, ...statement } = await makeStatement(billing.accounts, id, asked, now());
    return { statement, payments, next };
  },
});

/** Suspends an account, or lets it go on. */
export const setAccountState = change(
  {
    action: ({ state }) => `account.${state}`,
    target: ({ id }) => `account:${id}`,
    asked: ({ state }) => ({ after: { state } }),
  },
  {
    params: Type.Object({ id: Id, state: Type.Enum(['active', 'suspended']) }),
    run: async ({ billing, by }, { id, state }) => ({
      account: showAccount(await billing.accounts.setState(id, state, by)),
    }),
  },
);

/**
 * Adds money, or takes it with a negative amount. A repeated payment is not booked again, and `already_booked` reports
 * it. A different payment with the same reference is refused.
 */
export const creditAccount = change(
  {
    action: 'account.credit',
    target: ({ id }) => `account:${id}`,
    asked: ({ amount, reference, note }) => ({ amount, reference, note }),
  },
  {
    params: Type.Object({
      id: Id,
      amount: Type.String({ maxLength: 32 }),
      reference: Type.String({ minLength: 1, maxLength: 200 }),
      note: Type.Optional(Type.String({ maxLength: 500 })),
    }),
    async run({ billing, by }, { id, amount, reference, note }) {
      const credit = { amountMicro: parseAmount('amount', amount), reference, ...(note !== undefined && { note }) };
      const { wasBooked, ...account } = await billing.accounts.credit(id, credit, by);
      return { account: showAccount(account), already_booked: wasBooked };
    },
  },
);

/** Micro-units of an amount such as `20.00`. Errors: `invalid_value`. */
export function parseAmount(field: string, text: string): bigint {
  const micro = parseDecimal(text, MICRO_DECIMALS);
  if (micro === undefined) throw invalidValue(field, text, 'an amount such as 20.00, with at most six decimals');
  return micro;
}
