import { Type, type Static } from '../../schema/index.js';
import { MAX_IMPORTED, readPriceFile } from '../prices/read-price-file.js';
import type { OperationContext } from './operation.js';
import { change, operation, pageFields } from './operation.js';
import { showPrice } from './shown.js';

/** Nano-units of a currency, as digits: JSON has no integers of 64 bits. */
const Nano = Type.String({ pattern: '^[0-9]{1,18}$' });

/** A price as it travels from a command. */
export const SentPrice = Type.Object({
  provider: Type.String({ minLength: 1, maxLength: 64 }),
  model: Type.String({ minLength: 1, maxLength: 300 }),
  currency: Type.String({ pattern: '^[A-Z]{3}$' }),
  effective_from_ms: Type.Optional(Type.Integer({ minimum: 0 })),
  input_nano: Nano,
  cached_input_nano: Nano,
  /** Absent: as input. */
  cache_write_nano: Type.Optional(Nano),
  output_nano: Nano,
  request_nano: Nano,
  image_nano: Nano,
  audio_nano: Nano,
});

/** Adds a version of each price that differs from the newest: all or none. */
export const importPrices = change(
  { action: 'price.add', target: () => 'prices' },
  {
    params: Type.Object({
      prices: Type.Array(SentPrice, { minItems: 1, maxItems: MAX_IMPORTED }),
    }),
    run: (context, { prices }) => addPrices(context, prices),
  },
);

/** The same from a text, with the line and column of each mistake. */
export const importPriceText = change(
  { action: 'price.add', target: () => 'prices' },
  {
    params: Type.Object({
      text: Type.String({ maxLength: 4 * 1024 * 1024 }),
      format: Type.Enum(['csv', 'yaml', 'json']),
    }),
    run: (context, { text, format }) => addPrices(context, readPriceFile(text, `line.${format}`)),
  },
);

async function addPrices(
  { billing, gateways, providers, announcePrices, now, by }: OperationContext,
  prices: readonly Static<typeof SentPrice>[],
) {
  const nowMs = now();
  const added = await billing.prices.add(
    prices.map((price) => ({
      provider: price.provider,
      model: price.model,
      currency: price.currency,
      effectiveFromMs: price.effective_from_ms ?? nowMs,
      inputNano: BigInt(price.input_nano),
      cachedInputNano: BigInt(price.cached_input_nano),
      cacheWriteNano: BigInt(price.cache_write_nano ?? price.input_nano),
      outputNano: BigInt(price.output_nano),
      requestNano: BigInt(price.request_nano),
      imageNano: BigInt(price.image_nano),
      audioNano: BigInt(price.audio_nano),
    })),
    by,
  );
  if (added > 0) await announcePrices();
  const known = new Set([...providers(), ...(await gateways.list()).map(({ slug }) => `pgw/${slug}`)]);
  const named = new Set(prices.map(({ provider }) => provider));
  return { added, unchanged: prices.length - added, unknown_providers: [...named].filter((name) => !known.has(name)) };
}

/** Prices by pages: the newest version of each, or all versions. */
export const listPrices = operation({
  params: Type.Object({
    ...pageFields,
    provider: Type.Optional(Type.String({ maxLength: 64 })),
    model: Type.Optional(Type.String({ maxLength: 300 })),
    all: Type.Optional(Type.Boolean()),
  }),
  async run({ billing }, query) {
    const { items, next = null } = await billing.prices.list(query);
    return { prices: items.map(showPrice), next };
  },
});
