import { invalidValue } from '../../base/index.js';
import type { Budget, KeyLimits } from './key-record.js';
import type { KeyRules } from './key-table.js';
import { WINDOWS } from '../window.js';
import { toMoney } from '../price.js';

/** Characters of a key's name: an administration page shows it in one line. */
const MAX_NAME = 100;
const MAX_MODELS = 1024;
const MAX_MODEL_NAME = 257;
/** Tokens and money in each window. */
const MAX_BUDGETS = 8;
const MAX_TOKENS = 1_000_000_000_000;
/** A thousand million units. */
const MAX_AMOUNT_MICRO = 10n ** 15n;
/** The end of the year 9999. */
const MAX_TIME_MS = 253_402_300_799_999;

/** Errors: `invalid_value` for rules that no key may have. */
export function checkKeyRules({ name, models, expiresAtMs, limits }: KeyRules): void {
  const isName = name.length >= 1 && name.length <= MAX_NAME && isOneLine(name);
  if (!isName) throw invalidValue('name', name, `text of 1 to ${MAX_NAME} characters in one line`);
  if (models !== null) {
    const isList =
      models.length <= MAX_MODELS && models.every((model) => /^[!-~]+$/.test(model) && model.length <= MAX_MODEL_NAME);
    if (!isList)
      throw invalidValue('models', models.length, `null, or at most ${MAX_MODELS} ids of models without blanks`);
  }
  if (expiresAtMs !== null) checkWhole('expiresAtMs', expiresAtMs, MAX_TIME_MS);
  checkLimits(limits);
}

function checkLimits(limits: KeyLimits): void {
  for (const name of ['requestsPerMinute', 'tokensPerMinute', 'parallelRequests', 'maxOutputTokens'] as const) {
    const value = limits[name];
    if (value !== undefined) checkWhole(name, value, MAX_TOKENS);
  }
  if (limits.budgets.length > MAX_BUDGETS) {
    throw invalidValue('budgets', limits.budgets.length, `a list of at most ${MAX_BUDGETS} budgets`);
  }
  limits.budgets.forEach(checkBudget);
}

function checkBudget(budget: Budget): void {
  if (!WINDOWS.includes(budget.window)) throw invalidValue('window', budget.window, WINDOWS.join(', '));
  if ('tokens' in budget) {
    checkWhole('tokens', budget.tokens, MAX_TOKENS);
    return;
  }
  const { amountMicro, currency } = budget;
  if (amountMicro < 1n || amountMicro > MAX_AMOUNT_MICRO) {
    const [shown, least, most] = [amountMicro, 1n, MAX_AMOUNT_MICRO].map((micro) => toMoney(micro, currency));
    throw invalidValue('amount', shown, `from ${least} to ${most}`);
  }
  if (!/^[A-Z]{3}$/.test(currency)) throw invalidValue('currency', currency, 'three capital letters such as EUR');
}

function checkWhole(field: string, value: number, most: number): void {
  if (!Number.isInteger(value) || value < 1 || value > most) {
    throw invalidValue(field, value, `a whole number from 1 to ${most}`);
  }
}

function isOneLine(text: string): boolean {
  return [...text].every((character) => character >= ' ' && character !== '\u007f');
}
