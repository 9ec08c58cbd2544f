// Formats numbers and times for a language. Formatters are created once per language, because `Intl` starts slowly.
import { moneyFormat, plural } from '../../words/index.js';

/** Ways to write values. */
export interface Formats {
  /** `12,345`. */
  readonly count: (value: number) => string;
  /** `1 request`, `12,345 requests`. `many`: the plural if it is not `one` with an s. */
  readonly counted: (value: number, one: string, many?: string) => string;
  /** `12.3K`, for little space. */
  readonly compact: (value: number) => string;
  /** `12.3 %` of a share from 0 to 1. */
  readonly percent: (share: number) => string;
  /** `1.2MB`. */
  readonly bytes: (bytes: number) => string;
  /** Milliseconds: `3.4ms`, `120ms`, `1.25s`, `2m 5s`. */
  readonly duration: (ms: number) => string;
  /** A decimal text in a currency of ISO 4217, in the same format on all pages: `€0.000123`. */
  readonly money: (amount: string, currency: string) => string;
  /** `26 Nov 2026, 17:20:03`, in the reader's time zone. */
  readonly dateTime: (time: string | number) => string;
  readonly date: (time: string | number) => string;
  /** `17:20`. */
  readonly time: (time: string | number) => string;
  /** `26 Nov, 17:20:03`, in lists. */
  readonly moment: (time: string | number) => string;
  /** `26 Nov`, along an axis of days. */
  readonly day: (time: string | number) => string;
  /** `date` and `day` for UTC days, which begin at another time in the reader's time zone. */
  readonly utcDate: (time: string | number) => string;
  readonly utcDay: (time: string | number) => string;
  /** `3 minutes ago`, `in 2 days`. */
  readonly relative: (time: string | number, nowMs: number) => string;
}

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const;
const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['week', 7 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
];

/** Creates the formats of a language and a time zone; absent: the reader's. */
export function createFormats(locale?: string, timeZone?: string): Formats {
  const number = (options: Intl.NumberFormatOptions): Intl.NumberFormat => new Intl.NumberFormat(locale, options);
  const whole = number({ maximumFractionDigits: 0 });
  const compact = number({ notation: 'compact', maximumSignificantDigits: 3 });
  const percent = number({ style: 'percent', maximumFractionDigits: 1 });
  const sizes = UNITS.map((unit) =>
    number({ style: 'unit', unit, unitDisplay: 'narrow', maximumSignificantDigits: 3 }),
  );
  const unit = (name: string, digits: number) =>
    number({ style: 'unit', unit: name, unitDisplay: 'narrow', maximumFractionDigits: digits });
  const [ms, fineMs, seconds, wholeSeconds] = [
    unit('millisecond', 0),
    unit('millisecond', 1),
    unit('second', 2),
    unit('second', 0),
  ];
  const [minutes, hours, days] = [unit('minute', 0), unit('hour', 0), unit('day', 0)];
  const zone = timeZone === undefined ? {} : { timeZone };
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium', ...zone });
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', ...zone });
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short', ...zone });
  const day = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', ...zone });
  const utcDate = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const utcDay = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', timeZone: 'UTC' });
  // Lists use 24 hours in every language, so all times have one width and none is cut.
  const clockTime = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
  const moment = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', ...clockTime, ...zone });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const currencies = new Map<string, Intl.NumberFormat>();
  const moneyOf = (currency: string): Intl.NumberFormat => {
    const made = currencies.get(currency) ?? moneyFormat(locale, currency);
    currencies.set(currency, made);
    return made;
  };
  return {
    count: (value) => whole.format(value),
    counted: (value, one, many) => `${whole.format(value)} ${plural(value, one, many)}`,
    compact: (value) => (Math.abs(value) < 10_000 ? whole.format(value) : compact.format(value)),
    percent: (share) => percent.format(share),
    bytes(bytes) {
      const step = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
      return sizes[step]?.format(bytes / 1000 ** step) ?? '';
    },
    duration(value) {
      if (value < 10) return fineMs.format(value);
      if (value < 1_000) return ms.format(value);
      if (value < 60_000) return seconds.format(value / 1_000);
      const parts = [
        [days, 86_400_000, Infinity],
        [hours, 3_600_000, 24],
        [minutes, 60_000, 60],
        [wholeSeconds, 1_000, 60],
      ] as const;
      return parts
        .map(([format, size, top]) => [format, Math.floor(value / size) % top] as const)
        .filter(([, amount]) => amount > 0)
        .slice(0, 2)
        .map(([format, amount]) => format.format(amount))
        .join(' ');
    },
    // Formats the text and not a number, because money must stay exact.
    money: (amount, currency) => moneyOf(currency).format(amount as `${number}`),
    dateTime: (at) => dateTime.format(toDate(at)),
    date: (at) => date.format(toDate(at)),
    time: (at) => time.format(toDate(at)),
    moment: (at) => moment.format(toDate(at)),
    day: (at) => day.format(toDate(at)),
    utcDate: (at) => utcDate.format(toDate(at)),
    utcDay: (at) => utcDay.format(toDate(at)),
    relative(at, nowMs) {
      const awayMs = toDate(at).getTime() - nowMs;
      const [name, size] = STEPS.find(([, step]) => Math.abs(awayMs) >= step) ?? (['second', 1_000] as const);
      return relative.format(Math.trunc(awayMs / size), name);
    },
  };
}

function toDate(time: string | number): Date {
  return new Date(time);
}
