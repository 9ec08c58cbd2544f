import { toDecimal } from '../../base/index.js';
import { NANO_DECIMALS, type Price } from '../../billing/index.js';
import { Type, type Static } from '../../schema/index.js';

/**
 * A model that every user may call, in the form of OpenRouter's list of provider models: prices are decimal texts of
 * units of a currency for one token or piece. The fields below are what a client needs to call it here.
 */
export const CatalogEntry = Type.Object({
  id: Type.String({ description: 'the path of the provider and the model, unique in the catalog' }),
  name: Type.String(),
  created: Type.Integer(),
  input_modalities: Type.Array(Type.String()),
  output_modalities: Type.Array(Type.String()),
  context_length: Type.Union([Type.Integer(), Type.Null()]),
  pricing: Type.Object({
    prompt: Type.String(),
    completion: Type.String(),
    input_cache_read: Type.String(),
    input_cache_write: Type.String(),
    request: Type.String(),
    image: Type.String(),
    audio: Type.String(),
  }),
  is_ready: Type.Boolean(),
  currency: Type.String({ description: 'of the prices, by ISO 4217' }),
  price_version: Type.Integer(),
  provider: Type.String({ description: 'as usage and keys name it' }),
  model: Type.String({ description: 'what a request has as model' }),
  base_url: Type.String({ description: 'the path to set as base URL of an OpenAI client' }),
  stale_since: Type.Union([Type.String(), Type.Null()], {
    description: 'since when the list of its gateway cannot be read',
  }),
});
export type CatalogEntry = Static<typeof CatalogEntry>;

/** The answer of `GET /v1/catalog`. */
export const Catalog = Type.Object({ object: Type.Enum(['list']), data: Type.Array(CatalogEntry) });
export type Catalog = Static<typeof Catalog>;

/** Facts of a model beside its price. */
export interface CatalogModel {
  /** The path without slashes at its ends: `pgw/berlin`. */
  readonly path: string;
  readonly model: string;
  readonly name: string;
  /** Seconds since 1970; 0: not known. */
  readonly created: number;
  readonly contextLength: number | undefined;
  readonly staleSinceMs: number | undefined;
}

/** A priced model as the catalog shows it. */
export function toCatalogEntry(of: CatalogModel, price: Price): CatalogEntry {
  const perToken = (nano: bigint): string => toDecimal(nano, NANO_DECIMALS);
  const { path, model, staleSinceMs } = of;
  const pieces = [...(price.imageNano > 0n ? ['image'] : []), ...(price.audioNano > 0n ? ['audio'] : [])];
  return {
    id: `${path}/${model}`,
    name: of.name,
    created: of.created,
    // No source states the input modalities: each kind of input with its own price counts as accepted.
    input_modalities: ['text', ...pieces],
    output_modalities: ['text'],
    context_length: of.contextLength ?? null,
    pricing: {
      prompt: perToken(price.inputNano),
      completion: perToken(price.outputNano),
      input_cache_read: perToken(price.cachedInputNano),
      input_cache_write: perToken(price.cacheWriteNano),
      request: perToken(price.requestNano),
      image: perToken(price.imageNano),
      audio: perToken(price.audioNano),
    },
    is_ready: staleSinceMs === undefined,
    currency: price.currency,
    price_version: price.version,
    provider: price.provider,
    model,
    base_url: `/${path}/v1`,
    stale_since: staleSinceMs === undefined ? null : new Date(staleSinceMs).toISOString(),
  };
}
