import type { Prices } from '../../billing/index.js';

/** Prices that are read at once. */
const PAGE = 1_000;

/** The models of a provider that have had a price at any time. Errors: `database_unavailable`. */
export async function pricedModels(prices: Pick<Prices, 'list'>, provider: string): Promise<readonly string[]> {
  const models = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await prices.list({ provider, limit: PAGE, ...(cursor !== undefined && { cursor }) });
    for (const { model } of page.items) models.add(model);
    cursor = page.next;
  } while (cursor !== undefined);
  return [...models];
}
