import { parseDecimal, parseMoment } from '../../base/index.js';
import { NANO_DECIMALS } from '../../billing/index.js';

/** Fields of a price in a file. Of tokens: units of the currency a million tokens; of pieces: units each. */
export const PRICE_FIELDS = [
  'provider',
  'model',
  'currency',
  'input',
  'cached_input',
  'output',
  'cache_write',
  'request',
  'image',
  'audio',
  'effective_from',
] as const;

/** The name of one. */
export type PriceField = (typeof PRICE_FIELDS)[number];

/** A price of a file: texts, and their line and column. */
export interface PriceRow {
  /** Counts from 1. */
  readonly line: number;
  readonly fields: Readonly<Partial<Record<PriceField, string>>>;
}

/** A price as the command sends it to the service. */
export interface ReadPrice {
  readonly provider: string;
  readonly model: string;
  readonly currency: string;
  readonly effective_from_ms?: number;
  readonly input_nano: string;
  readonly cached_input_nano: string;
  readonly cache_write_nano: string;
  readonly output_nano: string;
  readonly request_nano: string;
  readonly image_nano: string;
  readonly audio_nano: string;
}

/** A million tokens to a token, nano-units to units: three decimals of a price a million tokens are whole nano-units. */
const MILLION_DECIMALS = NANO_DECIMALS - 6;
const MAX_NANO = 10n ** 18n;

/** A row as a price. Undefined if it has mistakes: `tell` gets each with its field. */
export function readPriceRow(
  { fields }: PriceRow,
  tell: (field: PriceField, problem: string) => void,
): ReadPrice | undefined {
  let isWrong = false;
  const refuse = (field: PriceField, problem: string): void => {
    isWrong = true;
    tell(field, problem);
  };
  const text = (field: PriceField, pattern: RegExp, wanted: string): string => {
    const value = fields[field] ?? '';
    if (value === '') refuse(field, `is missing; it must be ${wanted}`);
    else if (!pattern.test(value)) refuse(field, `must be ${wanted}`);
    return value;
  };
  const nano = (field: PriceField, decimals: number, absent: string | undefined): string => {
    const value = fields[field] ?? absent;
    if (value === undefined) refuse(field, 'is missing; a price of 0 must be written');
    const parsed = value === undefined ? 0n : parseDecimal(value, decimals);
    if (parsed === undefined || parsed < 0n || parsed >= MAX_NANO) {
      refuse(field, `must be a decimal number from 0 with at most ${decimals} decimals, such as 0.15`);
    }
    return String(parsed ?? 0n);
  };
  const provider = text('provider', /^[a-z0-9][a-z0-9_./-]{0,63}$/, 'the id of a provider, or pgw/SLUG');
  const model = text('model', /^[^\p{Cc}\s]{1,200}$/u, 'the id of a model, of at most 200 characters without blanks');
  const currency = text('currency', /^[A-Z]{3}$/, 'three letters such as USD');
  const input = nano('input', MILLION_DECIMALS, undefined);
  const price = {
    provider,
    model,
    currency,
    input_nano: input,
    // Without a price of their own, cached tokens cost as much as the others.
    cached_input_nano: fields.cached_input === undefined ? input : nano('cached_input', MILLION_DECIMALS, undefined),
    // The same holds for tokens written to a cache.
    cache_write_nano: fields.cache_write === undefined ? input : nano('cache_write', MILLION_DECIMALS, undefined),
    output_nano: nano('output', MILLION_DECIMALS, undefined),
    request_nano: nano('request', NANO_DECIMALS, '0'),
    image_nano: nano('image', NANO_DECIMALS, '0'),
    audio_nano: nano('audio', NANO_DECIMALS, '0'),
  };
  const from = fields.effective_from;
  const hasFrom = from !== undefined && from !== '';
  const fromMs = hasFrom ? parseMoment(from) : undefined;
  if (hasFrom && fromMs === undefined) refuse('effective_from', 'must be a time such as 2027-01-31T00:00:00Z');
  return isWrong ? undefined : { ...price, ...(fromMs !== undefined && { effective_from_ms: fromMs }) };
}
