// Costs of requests, exact: whole numbers only, rounded up once.

import type { Price } from '../billing.js';

/** Tokens and pieces that a request used. */
export interface Used {
  readonly promptTokens: number;
  /** Of the prompt. */
  readonly cachedTokens: number;
  /** Of the prompt too, and no cached ones. Absent: none. */
  readonly cacheWriteTokens?: number;
  /** With thinking tokens. */
  readonly completionTokens: number;
  readonly images: number;
  readonly audios: number;
}

/** The rates that the cost of a request depends on. */
export type Rates = Pick<
  Price,
  'inputNano' | 'cachedInputNano' | 'outputNano' | 'requestNano' | 'imageNano' | 'audioNano'
> & {
  /** Absent: as other tokens of the prompt. */
  readonly cacheWriteNano?: bigint;
};

/** Decimals of a nano-unit of a currency. */
export const NANO_DECIMALS = 9;
/** 1 micro-unit is 1,000 nano-units. */
const NANO_PER_MICRO = 1000n;
/** The most that a token costs: one unit. 2^31 tokens then cost below 2^62 nano-units: every sum fits 64 bits. */
export const MAX_TOKEN_NANO = 10n ** 9n;
/** The most a request, an image or a recording costs: a thousand units. */
export const MAX_PIECE_NANO = 10n ** 12n;

/** The cost of a request in micro-units: rounded up, once. */
export function costMicro(rates: Rates, used: Used): bigint {
  return toMicro(fixedNano(rates, used) + promptNano(rates, used) + BigInt(used.completionTokens) * rates.outputNano);
}

/** The most that a request can cost, whether its prompt is cached or not. */
export function boundMicro(rates: Rates, used: Used): bigint {
  return toMicro(boundNano(rates, used) + BigInt(used.completionTokens) * rates.outputNano);
}

/** The most completion tokens that a request of at most `micro` micro-units may have; negative: not even its prompt is paid. */
export function affordableAtRates(rates: Rates, used: Used, micro: bigint): number {
  const leftNano = micro * NANO_PER_MICRO - boundNano(rates, used);
  if (leftNano < 0n) return -1;
  if (rates.outputNano === 0n) return Number.MAX_SAFE_INTEGER;
  const tokens = leftNano / rates.outputNano;
  return tokens > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(tokens);
}

function boundNano(rates: Rates, used: Used): bigint {
  const { inputNano, cachedInputNano, cacheWriteNano = inputNano } = rates;
  let dearest = inputNano;
  for (const nano of [cachedInputNano, cacheWriteNano]) if (nano > dearest) dearest = nano;
  return fixedNano(rates, used) + BigInt(used.promptTokens) * dearest;
}

function promptNano(rates: Rates, { promptTokens, cachedTokens, cacheWriteTokens = 0 }: Used): bigint {
  const { inputNano, cachedInputNano, cacheWriteNano = inputNano } = rates;
  const plain = BigInt(promptTokens - cachedTokens - cacheWriteTokens) * inputNano;
  return plain + BigInt(cachedTokens) * cachedInputNano + BigInt(cacheWriteTokens) * cacheWriteNano;
}

function fixedNano({ requestNano, imageNano, audioNano }: Rates, { images, audios }: Used): bigint {
  return requestNano + BigInt(images) * imageNano + BigInt(audios) * audioNano;
}

function toMicro(nano: bigint): bigint {
  return (nano + NANO_PER_MICRO - 1n) / NANO_PER_MICRO;
}
