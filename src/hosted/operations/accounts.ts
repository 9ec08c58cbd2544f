import { invalidValue, parseDecimal } from '../../base/index.js';
import { MICRO_DECIMALS } from '../../billing/index.js';
import { Type } from '../../schema/index.js';
import { Id, Name, operation, pageFields } from './operation.js';
import { showAccount } from './shown.js';

/** A new account without money. */
export const createAccount = operation({
  params: Type.Object({ name: Name, currency: Type.String({ pattern: '^[A-Z]{3}$' }) }),
  run: async ({ billing, by }, account) => ({ account: showAccount(await billing.accounts.create(account, by)) }),
});

/** Accounts by pages. */
export const listAccounts = operation({
  params: Type.Object(pageFields),
  async run({ billing }, query) {
    const { items, next = null } = await billing.accounts.list(query);
    return { accounts: items.map(showAccount), next };
  },
});

/** Suspends an account, or lets it go on. */
export const setAccountState = operation({
  params: Type.Object({ id: Id, state: Type.Enum(['active', 'suspended']) }),
  run: async ({ billing, by }, { id, state }) => ({
    account: showAccount(await billing.accounts.setState(id, state, by)),
  }),
});

/**
 * Adds money, or takes it with a negative amount. A payment that was booked before is not booked again, and `already_booked`
 * says so; another one with its reference is refused.
 */
export const creditAccount = operation({
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
});

/** Micro-units of an amount such as `20.00`. Errors: `invalid_value`. */
export function parseAmount(field: string, text: string): bigint {
  const micro = parseDecimal(text, MICRO_DECIMALS);
  if (micro === undefined) throw invalidValue(field, text, 'an amount such as 20.00, with at most six decimals');
  return micro;
}
