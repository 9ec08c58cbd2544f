import { createHash } from 'node:crypto';
import type { Clock } from '../../base/index.js';
import type { Price, Prices } from '../../billing/index.js';
import type { Database } from '../../database/index.js';
import type { FollowedDirectory, OfferedGateway } from '../gateways/create-gateway-directory.js';
import { toCatalogEntry, type CatalogEntry } from './catalog-entry.js';
import { pricedModels } from './priced-models.js';

/** Lifetime of a cached catalog, in which a new price shows: nodes cache prices as long. */
const FRESH_MS = 30_000;

/** The channel of notices of new prices between nodes. */
export const PRICE_CHANNEL = 'hosted_price';

/** A provider whose priced models are shown. */
export interface CatalogProvider {
  readonly id: string;
  /** Without slashes at its ends. */
  readonly path: string;
  /** Models that it names; null: every one that has a price. */
  readonly models: readonly string[] | null;
}

/** Options of a catalog. */
export interface CatalogOptions {
  readonly providers: () => readonly CatalogProvider[];
  readonly directory: FollowedDirectory;
  readonly database: Pick<Database, 'listen'>;
  readonly prices: Prices;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A catalog, and its body as sent. */
export interface CatalogText {
  readonly entries: readonly CatalogEntry[];
  readonly body: string;
  /** Of the bytes, for `If-None-Match`. */
  readonly etag: string;
}

/** The models that every user may call, with their prices. */
export interface CatalogView {
  /** The whole catalog, remade where it is old or a gateway has changed. Errors: `database_unavailable` where none was made yet. */
  current(): Promise<CatalogText>;
  /** The offered models of a gateway that have a price. Undefined: unknown gateway. Errors: `database_unavailable`. */
  gatewayModels(slug: string): Promise<readonly CatalogEntry[] | undefined>;
}

/** A catalog of the configured providers and the connected gateways. */
export function createCatalog(options: CatalogOptions): CatalogView & Disposable {
  const { directory, database, clock } = options;
  let made: { readonly text: CatalogText; readonly atMs: number } | undefined;
  let making: Promise<CatalogText> | undefined;
  let isChanged = false;
  const change = (): void => void (isChanged = true);
  const stops = [directory.onChanged(change), database.listen(PRICE_CHANNEL, change, change)];

  const make = async (): Promise<CatalogText> => {
    isChanged = false;
    try {
      const entries = await toEntries(options);
      const body = JSON.stringify({ object: 'list', data: entries } satisfies CatalogList);
      const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
      made = { text: { entries, body, etag }, atMs: clock.nowMs() };
      return made.text;
    } catch (error) {
      isChanged = true;
      // While the database is away the last catalog is better than none.
      if (made === undefined) throw error;
      return made.text;
    }
  };

  return {
    async current() {
      if (made !== undefined && !isChanged && clock.nowMs() - made.atMs < FRESH_MS) return made.text;
      making ??= make().finally(() => (making = undefined));
      return making;
    },
    async gatewayModels(slug) {
      const offered = directory.offered().find(({ target }) => target.slug === slug);
      return offered && toGatewayEntries(offered, options);
    },
    [Symbol.dispose]() {
      for (const stop of stops) stop();
    },
  };
}

interface CatalogList {
  readonly object: 'list';
  readonly data: readonly CatalogEntry[];
}

async function toEntries(options: CatalogOptions): Promise<readonly CatalogEntry[]> {
  const entries: CatalogEntry[] = [];
  for (const provider of options.providers()) entries.push(...(await toProviderEntries(provider, options)));
  for (const offered of options.directory.offered()) entries.push(...(await toGatewayEntries(offered, options)));
  return entries.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

async function toProviderEntries(
  { id, path, models }: CatalogProvider,
  options: CatalogOptions,
): Promise<readonly CatalogEntry[]> {
  const named = models ?? (await pricedModels(options.prices, id));
  return toPriced(named, id, options, (model) => ({
    path,
    model,
    name: model,
    created: 0,
    contextLength: undefined,
    staleSinceMs: undefined,
  }));
}

function toGatewayEntries({ target, name, models }: OfferedGateway, options: CatalogOptions) {
  const byId = new Map(models.map((model) => [model.id, model]));
  return toPriced([...byId.keys()], target.provider, options, (model) => ({
    path: target.provider,
    model,
    name: `${name}: ${model}`,
    created: byId.get(model)?.created ?? 0,
    contextLength: byId.get(model)?.contextLength,
    staleSinceMs: target.staleSinceMs,
  }));
}

async function toPriced(
  models: readonly string[],
  provider: string,
  { prices, now }: CatalogOptions,
  describe: (model: string) => Parameters<typeof toCatalogEntry>[0],
): Promise<readonly CatalogEntry[]> {
  const entries: CatalogEntry[] = [];
  for (const model of models) {
    const price: Price | undefined = await prices.current(provider, model, now());
    if (price !== undefined) entries.push(toCatalogEntry(describe(model), price));
  }
  return entries;
}
