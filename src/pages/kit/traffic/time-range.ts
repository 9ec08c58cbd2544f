// The time range of charts in the address: a range that ends now, or a start and an end.

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Ranges that end now. */
export const RANGES = [
  ['1h', '1 h', HOUR_MS],
  ['6h', '6 h', 6 * HOUR_MS],
  ['24h', '24 h', DAY_MS],
  ['7d', '7 d', 7 * DAY_MS],
  ['30d', '30 d', 30 * DAY_MS],
  ['90d', '90 d', 90 * DAY_MS],
  ['1y', '1 y', 365 * DAY_MS],
] as const;

/** The name of a range, or `own` for a chosen start and end. */
export type RangeName = (typeof RANGES)[number][0] | 'own';

/** The time range of an address. */
export interface TimeRange {
  readonly name: RangeName;
  readonly from: string;
  /** Empty: now. */
  readonly to: string;
}

const STANDARD = RANGES[2];

/** Reads the time range of an address. */
export function readRange(query: Readonly<Record<string, string>>, nowMs: number): TimeRange {
  const { range, from = '', to = '' } = query;
  if (range === undefined && from !== '') return { name: 'own', from, to };
  const [name, , spanMs] = RANGES.find(([each]) => each === range) ?? STANDARD;
  return { name, from: new Date(nowMs - spanMs).toISOString(), to: '' };
}
