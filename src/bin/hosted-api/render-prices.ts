import { renderTable } from '../../cli/index.js';
import type { ShownPrice } from '../../hosted/index.js';

/** How many prices were added. */
export function renderImported(imported: {
  readonly added: number;
  readonly unchanged: number;
  readonly unknown_providers: readonly string[];
}): string {
  const { added, unchanged, unknown_providers: unknown } = imported;
  const warning = unknown.length === 0 ? '' : `No provider or gateway is called ${unknown.join(', ')} yet.\n`;
  return `${added} ${added === 1 ? 'price was' : 'prices were'} added; ${unchanged} had not changed.\n${warning}`;
}

/** Prices, a line each. */
export function renderPrices({ prices }: { readonly prices: readonly ShownPrice[] }): string {
  if (prices.length === 0) return 'There is no such price. Add some with: hosted-api prices import FILE\n';
  const header = [
    'PROVIDER',
    'MODEL',
    'VERSION',
    'FROM',
    'CUR',
    'IN/M',
    'CACHED/M',
    'WRITE/M',
    'OUT/M',
    'REQUEST',
    'IMAGE',
    'AUDIO',
  ];
  const rows = prices.map((price) => [
    price.provider,
    price.model,
    String(price.version),
    price.effective_from.slice(0, 16).replace('T', ' '),
    price.currency,
    price.input,
    price.cached_input,
    price.cache_write,
    price.output,
    price.request,
    price.image,
    price.audio,
  ]);
  return renderTable(header, rows, [2, 5, 6, 7, 8, 9, 10, 11]);
}
