import { invalidValue } from '../base/index.js';
import { MICRO_DECIMALS, moneyText, toAmount } from '../words/index.js';

/** The price of a model's tokens, in femto-units (10^-15) of the currency a token: 0.10 a million is 100,000,000. */
export interface TokenPrice {
  readonly inputFemto: bigint;
  readonly outputFemto: bigint;
  readonly currency: string;
}

/** A price as people write it: decimal texts of units a million tokens. */
export interface WrittenPrice {
  readonly inputPerMillion: string;
  readonly outputPerMillion: string;
  readonly currency: string;
}

const DECIMAL = /^(\d{1,10})(?:\.(\d{1,9}))?$/;
/** Nine decimals of a unit a million tokens are whole femto-units a token. */
const FEMTO_DECIMALS = 9;
const FEMTO_PER_MICRO = 1_000_000_000n;
/** The most that one request is charged, a thousand million units: sums of thousands stay within the 64 bits of SQLite. */
const MAX_COST_MICRO = 10n ** 15n;

/**
 * The price of a token, exact. Errors: `invalid_value` for texts other than decimal numbers with at most nine decimals.
 */
export function toTokenPrice({ inputPerMillion, outputPerMillion, currency }: WrittenPrice): TokenPrice {
  return {
    inputFemto: parseDecimal('inputPerMillion', inputPerMillion, FEMTO_DECIMALS),
    outputFemto: parseDecimal('outputPerMillion', outputPerMillion, FEMTO_DECIMALS),
    currency,
  };
}

/** An amount such as `20.00` in micro-units; more than six decimals are cut off. Errors: `invalid_value`. */
export function toAmountMicro(amount: string): bigint {
  return parseDecimal('amount', amount, MICRO_DECIMALS);
}

/** Micro-units of a currency as money in a message: `0.0001 EUR`. */
export function toMoney(micro: bigint, currency: string): string {
  return moneyText(toAmount(micro), currency);
}

/** The cost of a request in micro-units: rounded up, once. */
export function tokenCostMicro(price: TokenPrice, promptTokens: number, completionTokens: number): bigint {
  const femto = BigInt(promptTokens) * price.inputFemto + BigInt(completionTokens) * price.outputFemto;
  const micro = (femto + FEMTO_PER_MICRO - 1n) / FEMTO_PER_MICRO;
  return micro < MAX_COST_MICRO ? micro : MAX_COST_MICRO;
}

/** The most completion tokens that, with the prompt's, cost no more than `micro`; negative: the prompt alone costs more. */
export function affordableTokens(price: TokenPrice, promptTokens: number, micro: bigint): number {
  const left = micro * FEMTO_PER_MICRO - BigInt(promptTokens) * price.inputFemto;
  if (left < 0n) return -1;
  if (price.outputFemto === 0n) return Number.MAX_SAFE_INTEGER;
  const tokens = left / price.outputFemto;
  return tokens > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(tokens);
}

function parseDecimal(field: string, text: string, decimals: number): bigint {
  const [, whole, fraction = ''] = DECIMAL.exec(text) ?? [];
  if (whole === undefined) throw invalidValue(field, text, "a decimal number such as '0.10'");
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
}
