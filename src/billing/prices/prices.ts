import { AppError, codeOf, invalidValue, toDecimal, type Clock } from '../../base/index.js';
import { amountOf, cleanText, integerOf, textOf, type Database, type Queries, type Row } from '../../database/index.js';
import type { Facts } from '../../metering/index.js';
import { MICRO_DECIMALS } from '../../words/index.js';
import { recordChange } from '../audit.js';
import type { NewPrice, Price, Prices } from '../billing.js';
import { pageLimitOf, toPage, type Cursors } from '../cursor.js';
import { PRICE } from '../schema/tables.js';
import { checkCurrency } from '../texts.js';
import { MAX_PIECE_NANO, MAX_TOKEN_NANO, NANO_DECIMALS } from './cost.js';

/** Options of prices. */
export interface PricesOptions {
  readonly database: Database;
  readonly cursors: Cursors;
  readonly clock: Clock;
  readonly now: () => number;
}

/** How long versions are taken from memory, and how long while the database is away. */
const FRESH_MS = 30_000;
const STALE_MS = 60_000;
/** Models that are kept in memory, priced or not. */
const MAX_MODELS = 20_000;
/** Names of providers have no blanks: the first blank ends the provider of a key. */
const PROVIDER = /^[^\p{Cc}\p{Cs}\s]{1,300}$/u;
const MODEL = /^[^\p{Cc}\p{Cs}]{1,300}$/u;
/** Prices of one import. */
const MAX_ADDED = 100_000;
/** Prices whose values the audit entry of one import has: fewer than the limit of the audit log. */
const MAX_NAMED = 20;

/** The prices of a database. */
export function createPrices({ database, cursors, clock, now }: PricesOptions): Prices {
  const cache = new Map<string, { readonly versions: readonly Price[]; readonly atMs: number }>();

  const load = async (provider: string, model: string): Promise<readonly Price[]> => {
    const sql = 'SELECT * FROM price WHERE provider = $1 AND model = $2 ORDER BY version DESC';
    const versions = (await database.all(sql, provider, model)).map(toPrice);
    const place = `${provider} ${model}`;
    cache.delete(place);
    cache.set(place, { versions, atMs: clock.nowMs() });
    for (const oldest of cache.keys()) {
      if (cache.size <= MAX_MODELS) break;
      cache.delete(oldest);
    }
    return versions;
  };

  return {
    async add(prices, by) {
      if (prices.length > MAX_ADDED) throw invalidValue('prices', prices.length, `at most ${MAX_ADDED}`);
      for (const price of prices) checkPrice(price);
      const added = await database.transaction((queries) => addAll(queries, prices, by, now()));
      cache.clear();
      return added;
    },
    async list(query) {
      const limit = pageLimitOf(query);
      const { provider = '', model = '', all = false } = query;
      const list = `prices ${JSON.stringify([provider, model, all])}`;
      const [p = '', m = '', v = 0] = cursors.read(list, query.cursor) ?? [];
      const newest = all
        ? ''
        : 'AND version = (SELECT max(n.version) FROM price n WHERE n.provider = price.provider AND n.model = price.model)';
      const sql = `SELECT * FROM price WHERE ($1 = '' OR provider = $1) AND ($2 = '' OR model = $2)
        AND (provider > $3 OR (provider = $3 AND (model > $4 OR (model = $4 AND version > $5)))) ${newest}
        ORDER BY provider, model, version LIMIT $6`;
      const [its, of] = [cleanText(provider, 300), cleanText(model, 300)];
      const rows = (await database.all(sql, its, of, p, m, v, limit + 1)).map(toPrice);
      return toPage(rows, limit, (last) => cursors.write(list, [last.provider, last.model, last.version]));
    },
    async current(provider, model, atMs) {
      // Clients choose the names: a name that no price can have causes no query.
      if (!PROVIDER.test(provider) || !MODEL.test(model)) return undefined;
      const found = cache.get(`${provider} ${model}`);
      const ageMs = found === undefined ? Infinity : clock.nowMs() - found.atMs;
      const versions =
        found !== undefined && ageMs <= FRESH_MS
          ? found.versions
          : await load(provider, model).catch((error: unknown) => {
              const isUsable = found !== undefined && ageMs <= STALE_MS && codeOf(error) === 'database_unavailable';
              if (isUsable) return found.versions;
              throw error;
            });
      return versions.find(({ effectiveFromMs }) => effectiveFromMs <= atMs);
    },
  };
}

async function addAll(queries: Queries, prices: readonly NewPrice[], by: string, atMs: number): Promise<number> {
  const newest = new Map<string, Price>();
  const before = new Map<string, Price>();
  const fresh: Price[] = [];
  for (const price of prices) {
    const place = placeOf(price);
    const sql = 'SELECT * FROM price WHERE provider = $1 AND model = $2 ORDER BY version DESC LIMIT 1';
    const row = newest.has(place) ? undefined : await queries.get(sql, price.provider, price.model);
    const last = newest.get(place) ?? (row === undefined ? undefined : toPrice(row));
    if (last !== undefined && isSame(last, price, atMs)) continue;
    if (last !== undefined && !newest.has(place)) before.set(place, last);
    const next = { ...withCacheWrite(price), version: (last?.version ?? 0) + 1 };
    newest.set(place, next);
    fresh.push(next);
  }
  await queries.insert(PRICE, fresh.map(toRow)).catch((error: unknown) => {
    if (codeOf(error) !== 'database_conflict') throw error;
    const message = 'another writer changed the same prices at the same time; try again';
    throw new AppError('database_unavailable', message, {}, { cause: error });
  });
  const changes = fresh.slice(0, MAX_NAMED).map((price) => {
    const last = before.get(placeOf(price));
    return {
      of: 'prices',
      id: `${price.provider}/${price.model}`,
      before: last === undefined ? null : priceFacts(last),
      after: priceFacts(price),
    };
  });
  const more = fresh.length - changes.length;
  const diff = { count: fresh.length, changes, ...(more > 0 && { left_out: more }) };
  if (fresh.length > 0) await recordChange(queries, { actor: by, action: 'price.add', target: 'prices', diff, atMs });
  return fresh.length;
}

function placeOf({ provider, model }: Pick<Price, 'provider' | 'model'>): string {
  return `${provider} ${model}`;
}

/** A price as the audit log has it. Of tokens: units a million; of pieces: units each. */
function priceFacts(price: Price): Facts {
  const perMillion = (nano: bigint): string => toDecimal(nano, NANO_DECIMALS - MICRO_DECIMALS);
  return {
    version: price.version,
    currency: price.currency,
    effective_from: new Date(price.effectiveFromMs).toISOString(),
    input: perMillion(price.inputNano),
    cached_input: perMillion(price.cachedInputNano),
    cache_write: perMillion(price.cacheWriteNano),
    output: perMillion(price.outputNano),
    request: toUnits(price.requestNano),
    image: toUnits(price.imageNano),
    audio: toUnits(price.audioNano),
  };
}

/**
 * For a price in force, the time from which it counts makes no difference: a repeated import adds nothing. A planned
 * price differs from the same price at another time, or from now on.
 */
function isSame(price: Price, other: NewPrice, atMs: number): boolean {
  const isInForce = price.effectiveFromMs <= atMs;
  const isAtSameTime = isInForce || price.effectiveFromMs === other.effectiveFromMs;
  const whole = withCacheWrite(other);
  return isAtSameTime && RATES.every((name) => price[name] === whole[name]) && price.currency === other.currency;
}

const TOKEN_RATES = ['inputNano', 'cachedInputNano', 'cacheWriteNano', 'outputNano'] as const;
const RATES = [...TOKEN_RATES, 'requestNano', 'imageNano', 'audioNano'] as const;

/** Without a price of their own, tokens written to a cache cost as much as other tokens of the prompt. */
function withCacheWrite(price: NewPrice): Omit<Price, 'version'> {
  return { ...price, cacheWriteNano: price.cacheWriteNano ?? price.inputNano };
}

function checkPrice(price: NewPrice): void {
  if (!PROVIDER.test(price.provider))
    throw invalidValue('provider', price.provider, 'text of 1 to 300 characters without blanks');
  if (!MODEL.test(price.model))
    throw invalidValue('model', price.model, 'text of 1 to 300 characters without control characters');
  checkCurrency(price.currency);
  const whole = withCacheWrite(price);
  for (const field of RATES) {
    const most = (TOKEN_RATES as readonly string[]).includes(field) ? MAX_TOKEN_NANO : MAX_PIECE_NANO;
    const value = whole[field];
    if (value < 0n || value > most) throw invalidValue(field, toUnits(value), `units from 0 to ${toUnits(most)}, each`);
  }
  if (!Number.isSafeInteger(price.effectiveFromMs) || price.effectiveFromMs < 0)
    throw invalidValue('effectiveFromMs', price.effectiveFromMs, 'milliseconds since 1970');
}

/** Nano-units as units. */
function toUnits(nano: bigint): string {
  return toDecimal(nano, NANO_DECIMALS);
}

function toRow(price: Price) {
  return {
    provider: price.provider,
    model: price.model,
    version: price.version,
    effective_from_ms: price.effectiveFromMs,
    currency: price.currency,
    input_nano: price.inputNano,
    cached_input_nano: price.cachedInputNano,
    output_nano: price.outputNano,
    request_nano: price.requestNano,
    image_nano: price.imageNano,
    audio_nano: price.audioNano,
    cache_write_nano: price.cacheWriteNano,
  };
}

function toPrice(row: Row): Price {
  return {
    provider: textOf(row, 'provider') ?? '',
    model: textOf(row, 'model') ?? '',
    version: integerOf(row, 'version'),
    effectiveFromMs: integerOf(row, 'effective_from_ms'),
    currency: textOf(row, 'currency') ?? '',
    inputNano: amountOf(row, 'input_nano'),
    cachedInputNano: amountOf(row, 'cached_input_nano'),
    outputNano: amountOf(row, 'output_nano'),
    requestNano: amountOf(row, 'request_nano'),
    imageNano: amountOf(row, 'image_nano'),
    audioNano: amountOf(row, 'audio_nano'),
    cacheWriteNano: amountOf(row, 'cache_write_nano'),
  };
}
