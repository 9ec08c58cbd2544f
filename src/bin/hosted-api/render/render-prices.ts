import { renderTable } from '../../../cli/index.js';
import { headsOf, moneyText, plural, countText } from '../../../words/index.js';
import type { ShownPrice } from '../../../hosted/index.js';

/** How many prices were added. */
export function renderImported(imported: {
  readonly added: number;
  readonly unchanged: number;
  readonly unknown_providers: readonly string[];
}): string {
  const { added, unchanged, unknown_providers: unknown } = imported;
  const warning = unknown.length === 0 ? '' : `No provider or gateway is called ${unknown.join(', ')} yet.\n`;
  return `${countText(added)} ${plural(added, 'price was', 'prices were')} added; ${countText(unchanged)} had not changed.\n${warning}`;
}

/** Prices, a line each. */
export function renderPrices({ prices }: { readonly prices: readonly ShownPrice[] }): string {
  if (prices.length === 0) return 'There is no such price. Add some with: hosted-api prices import FILE\n';
  const rows = prices.map(({ currency, ...price }) => [
    price.provider,
    price.model,
    String(price.version),
    price.effective_from.slice(0, 16).replace('T', ' '),
    ...AMOUNTS.map((name) => moneyText(price[name], currency)),
  ]);
  return renderTable(HEADS, rows, [2, 4, 5, 6, 7, 8, 9, 10]);
}

const AMOUNTS = ['input', 'cached_input', 'cache_write', 'output', 'request', 'image', 'audio'] as const;
const HEADS = headsOf(
  'provider',
  'model',
  'version',
  'inForceFrom',
  'inputPrice',
  'cachedPrice',
  'cacheWritePrice',
  'outputPrice',
  'request',
  'image',
  'audio',
);
