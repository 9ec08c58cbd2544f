// Checks the models and budgets of a virtual key against the models of the file.
import { createSuggester, quoteName, type Partly, type Report } from '../../../yaml-file/index.js';
import type { GatewayModelEntry } from '../schema/model.js';
import type { VirtualKey } from '../schema/virtual-key.js';

/** Whether a key that lists `pattern` may use the model `id`: by its whole id, or by a prefix that ends in `*`. */
export function matchesModel(pattern: string, id: string): boolean {
  return pattern.endsWith('*') ? id.startsWith(pattern.slice(0, -1)) : pattern === id;
}

/** Checks keys against models. A file may have 100,000 names in keys and 4,096 models: names are looked up, not compared. */
export function createKeyChecks(
  models: readonly (Partly<GatewayModelEntry> | undefined)[],
  fail: Report,
  warn: Report,
) {
  const ids = models.map((model) => model?.id).filter((id) => id !== undefined);
  // A model whose id has a mistake would be missed by every key that means it.
  const areKnown = ids.length === models.length;
  const sorted = ids.toSorted((a, b) => (a < b ? -1 : 1));
  const suggest = createSuggester(ids);

  function hasModel(pattern: string): boolean {
    const beginning = pattern.endsWith('*') ? pattern.slice(0, -1) : pattern;
    const found = sorted[findFirst(sorted, beginning)];
    return found !== undefined && matchesModel(pattern, found);
  }

  function checkNames(key: Partly<VirtualKey>, field: string): void {
    const seen = new Map<string, number>();
    (key.models ?? []).forEach((pattern, i) => {
      if (pattern === undefined) return;
      const first = seen.get(pattern);
      const at = `${field}.models[${i}]`;
      if (first !== undefined) fail(at, `is ${field}.models[${first}] again; take one out`);
      else if (areKnown && !hasModel(pattern)) {
        warn(at, `is ${quoteName(pattern) ?? 'a name'}, which no model has.${suggest(pattern)}`);
      }
      seen.set(pattern, first ?? i);
    });
  }

  /** The models that a key may use; none where its list has a mistake. */
  function usableBy({ models: patterns }: Partly<VirtualKey>): readonly (Partly<GatewayModelEntry> | undefined)[] {
    if (patterns === undefined) return [];
    if (patterns === null) return models;
    const whole = new Set(patterns);
    const stars = patterns.filter((pattern) => pattern !== undefined && pattern.endsWith('*'));
    return models.filter((model) => {
      const id = model?.id;
      return id !== undefined && (whole.has(id) || stars.some((pattern) => matchesModel(pattern ?? '', id)));
    });
  }

  function checkBudgets(key: Partly<VirtualKey>, field: string): void {
    const given = key.limits?.budget;
    const isList = Array.isArray(given);
    const budgets: readonly (PartlyBudget | undefined)[] = isList ? given : [given];
    const seen = new Set<string>();
    budgets.forEach((budget, i) => {
      if (budget?.window === undefined) return;
      const at = `${field}.limits.budget${isList ? `[${i}]` : ''}`;
      const unit = budget.tokens === undefined ? 'money' : 'tokens';
      const kind = `${unit} for the window ${budget.window}`;
      if (seen.has(kind)) fail(at, `is a second budget in ${kind}; keep the smaller one`);
      seen.add(kind);
      if (budget.currency !== undefined) checkMoney(usableBy(key), budget.currency, at);
    });
  }

  /** Money is counted in one currency: an amount in another than the prices would never be reached. */
  function checkMoney(usable: readonly (Partly<GatewayModelEntry> | undefined)[], currency: string, at: string): void {
    const other = usable.find((model) => model?.price?.currency !== undefined && model.price.currency !== currency);
    const free = usable.find((model) => model?.price === undefined);
    if (other?.price?.currency !== undefined) {
      const name = quoteName(other.id ?? '') ?? 'a model';
      fail(
        `${at}.currency`,
        `is ${currency}, but the price of ${name} is in ${other.price.currency}; one key has one currency`,
      );
    } else if (usable.length > 0 && usable.every((model) => model?.price === undefined)) {
      fail(
        at,
        'is in money, but none of the models that the key may use has a price, so the budget would count nothing; set prices, or a budget in tokens',
      );
    } else if (free !== undefined) {
      warn(at, `does not count ${quoteName(free.id ?? '') ?? 'a model'}, which has no price`);
    }
  }

  return { checkNames, checkBudgets };
}

/** Either kind of budget. */
type PartlyBudget = Partly<{ currency: string; tokens: number; window: string }>;

/** The index of the first of `sorted` that is not before `text`. */
function findFirst(sorted: readonly string[], text: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? '') < text) low = middle + 1;
    else high = middle;
  }
  return low;
}
