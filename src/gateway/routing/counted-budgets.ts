// Budgets in money, against the prices of models: one that no price counts towards would never be reached.
import { AppError } from '../../base/index.js';
import type { KeyLimits, KeyRecord } from '../../metering/index.js';
import type { GatewayModel } from '../config/index.js';
import { keyAllowsModel } from './routing-table.js';

/** The models that a budget is checked against. */
type Priced = Pick<GatewayModel, 'id' | 'price'>;

/** Keys that a refusal names. */
const MAX_NAMED = 5;

/**
 * Refuses a budget in another currency than the price of a model that the key may use. Refuses one, too, if none of its
 * models has a price. Errors: `invalid_value`.
 */
export function checkBudgets(allowed: KeyRecord['models'], limits: KeyLimits, models: readonly Priced[]): void {
  const problem = problemOf(allowed, limits, models);
  if (problem !== undefined) throw new AppError('invalid_value', problem, { param: 'limits.budget' });
}

/** The same check for existing keys when models change; undefined: no fault. */
export function findUncounted(keys: readonly KeyRecord[], models: readonly Priced[]): string | undefined {
  const wrong = keys.flatMap(({ id, origin, state, models: allowed, limits }) => {
    const isMeant = origin === 'database' && (state === 'active' || state === 'disabled');
    const problem = isMeant ? problemOf(allowed, limits, models) : undefined;
    return problem === undefined ? [] : [`the key ${id}: ${problem}`];
  });
  if (wrong.length === 0) return undefined;
  const rest = wrong.length > MAX_NAMED ? [`and ${wrong.length - MAX_NAMED} more keys`] : [];
  return [...wrong.slice(0, MAX_NAMED), ...rest].join('\n');
}

function problemOf(
  allowed: KeyRecord['models'],
  { budgets }: KeyLimits,
  models: readonly Priced[],
): string | undefined {
  const currencies = budgets.flatMap((budget) => ('tokens' in budget ? [] : [budget.currency]));
  if (currencies.length === 0) return undefined;
  const usable = models.filter(({ id }) => keyAllowsModel(allowed, id));
  for (const currency of currencies) {
    const other = usable.find(({ price }) => price !== undefined && price.currency !== currency);
    if (other?.price !== undefined)
      return `a budget is in ${currency}, but the price of ${other.id} is in ${other.price.currency}; one key has one currency`;
  }
  if (usable.length === 0 || usable.some(({ price }) => price !== undefined)) return undefined;
  return 'a budget is in money, but none of the models that the key may use has a price, so the budget would count nothing; set prices, or a budget in tokens';
}
