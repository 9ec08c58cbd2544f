import { invalidValue } from '../../base/index.js';
import { WINDOWS, type Window } from '../../metering/index.js';
import type { AccountKeyLimits } from '../billing.js';
import { toAmount } from '../../words/index.js';

/** The largest limit of a minute: more than any node carries. */
const MAX_COUNT = 10 ** 12;
const MAX_AMOUNT_MICRO = 10n ** 15n;
/** Patterns of models that a key may use. */
const MAX_PATTERNS = 200;
const PATTERN = /^[^\p{Cc}\p{Cs}\s]{1,300}$/u;

/** Errors: `invalid_value`. */
export function checkLimits(limits: AccountKeyLimits): AccountKeyLimits {
  const { requestsPerMinute, tokensPerMinute, parallelRequests, budgets, models } = limits;
  for (const [field, value] of Object.entries({ requestsPerMinute, tokensPerMinute, parallelRequests })) {
    if (value !== undefined && !(Number.isInteger(value) && value >= 1 && value <= MAX_COUNT))
      throw invalidValue(field, value, `a whole number from 1 to ${MAX_COUNT}`);
  }
  const windows = budgets.map(({ window }) => window);
  if (new Set(windows).size !== windows.length)
    throw invalidValue('budgets', windows.join(', '), 'at most one for each window');
  for (const { amountMicro, window } of budgets) {
    if (!WINDOWS.includes(window)) throw invalidValue('window', window, WINDOWS.join(', '));
    if (amountMicro < 0n || amountMicro > MAX_AMOUNT_MICRO)
      throw invalidValue('amount', toAmount(amountMicro), `an amount from 0 to ${toAmount(MAX_AMOUNT_MICRO)}`);
  }
  if (models !== null && !(models.length <= MAX_PATTERNS && models.every((pattern) => PATTERN.test(pattern))))
    throw invalidValue('models', models.length, `null, or up to ${MAX_PATTERNS} patterns without blanks`);
  return limits;
}

/** Limits as a column has them: amounts are texts. */
export function writeLimits(limits: AccountKeyLimits): string {
  return JSON.stringify(limits, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}

interface WrittenLimits extends Omit<AccountKeyLimits, 'budgets'> {
  readonly budgets: readonly { readonly amountMicro: string; readonly window: Window }[];
}

/** Limits of a column. */
export function readLimits(text: string): AccountKeyLimits {
  const written = JSON.parse(text) as WrittenLimits;
  const budgets = written.budgets.map(({ amountMicro, window }) => ({ amountMicro: BigInt(amountMicro), window }));
  return { ...written, budgets };
}
