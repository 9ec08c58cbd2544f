import type { ModelEntry } from '../../api/index.js';
import { mayUse, type Caller } from '../../billing/index.js';
import type { HostedContext } from './hosted-route.js';

/** A model that a caller may use now. */
export interface UsableModel {
  readonly provider: string;
  /** As its upstream names it. */
  readonly model: string;
  /** Seconds since 1970; 0: not known. */
  readonly created: number;
}

/**
 * The models that a key may use, in the order of their ids: models with a price in the currency of its account, and
 * models that the file lists of a provider with free models. Errors: `database_unavailable`.
 */
export async function usableModels(
  { catalog, table }: Pick<HostedContext, 'catalog' | 'table'>,
  { key, account }: Caller,
): Promise<readonly UsableModel[]> {
  const { entries } = await catalog.current();
  const known = new Set(entries.map(toId));
  const priced = entries.filter(({ currency }) => currency === account.currency);
  const free = table()
    .config.providers.filter(({ unpriced }) => unpriced === 'free')
    .flatMap(({ id: provider, models }) => (models ?? []).map((model) => ({ provider, model, created: 0 })))
    .filter((one) => !known.has(toId(one)));
  return [...priced, ...free]
    .filter(({ provider, model }) => mayUse(key.limits, provider, model))
    .toSorted((a, b) => (toId(a) < toId(b) ? -1 : 1));
}

/** The `model` of a request to a plain path. */
export function toId({ provider, model }: Pick<UsableModel, 'provider' | 'model'>): string {
  return `${provider}/${model}`;
}

/** A model as lists have it, under one of its names. */
export function toHostedModelEntry({ provider, created }: UsableModel, id: string): ModelEntry {
  return { id, object: 'model', created, owned_by: provider };
}
