// Amounts of money. In data (JSON, CSV, files) an amount is an exact decimal text, and its currency is a field of its own. In a
// text it is `1,234.50 EUR`. On a page `Intl` writes it for the language of the reader. No text has micro-units.

/** 1 unit of a currency is 1,000,000 micro-units. */
export const MICRO_DECIMALS = 6;
/** Decimals of an amount in data, at least, whatever its currency. */
const LEAST_DECIMALS = 2;
/** The most decimals that anything has: a price of a million tokens, or of one request. */
const MAX_DECIMALS = 9;
const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;

/** Micro-units as an amount in data, exact: 1234567n is `1.234567`, 20000000n is `20.00`. */
export function toAmount(micro: bigint): string {
  const digits = String(micro < 0n ? -micro : micro).padStart(MICRO_DECIMALS + 1, '0');
  const fraction = digits.slice(-MICRO_DECIMALS).replace(/0+$/, '').padEnd(LEAST_DECIMALS, '0');
  return `${micro < 0n ? '-' : ''}${digits.slice(0, -MICRO_DECIMALS)}.${fraction}`;
}

/** A whole number with commas between its thousands. */
export function countText(count: number | bigint): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/**
 * An amount in a text without its currency: commas between thousands, the decimals of the currency, and more where the amount
 * has them. `20`, EUR is `20.00`; `0.0001`, EUR is `0.0001`; `1500.00`, JPY is `1,500`. What is no decimal text stays as it is.
 */
export function amountText(amount: string, currency: string): string {
  const [, sign, whole, fraction = ''] = DECIMAL.exec(amount) ?? [];
  if (whole === undefined) return amount;
  const decimals = fraction.replace(/0+$/, '').padEnd(currencyDecimals(currency), '0');
  return `${sign}${countText(BigInt(whole))}${decimals === '' ? '' : `.${decimals}`}`;
}

/** An amount in a text: `0.0001 EUR`. */
export function moneyText(amount: string, currency: string): string {
  return `${amountText(amount, currency)} ${currency}`;
}

/** How pages write amounts of a currency: as the language does, with the same decimals as `moneyText`. */
export function moneyFormat(locale: string | undefined, currency: string): Intl.NumberFormat {
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: currencyDecimals(currency),
    maximumFractionDigits: MAX_DECIMALS,
  });
}

/** Decimals that a currency has: 2 of euros, 0 of yen. Codes that are none have 2. */
function currencyDecimals(currency: string): number {
  return OTHER_DECIMALS.get(currency) ?? LEAST_DECIMALS;
}

/** Currencies with other than two decimals. Source: ISO 4217, minor units; `Intl` rounds more of them to whole units. */
const OTHER_DECIMALS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
    3: 'BHD IQD JOD KWD LYD OMR TND',
    4: 'CLF UYW',
  }).flatMap(([decimals, codes]) => codes.split(' ').map((code) => [code, Number(decimals)] as const)),
);
