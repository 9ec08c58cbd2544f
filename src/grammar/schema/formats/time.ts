import { compileRegex } from '../../regex/index.js';
import type { Format } from './format.js';

const HOUR_AND_MINUTE = String.raw`(?:[01]\d|2[0-3]):[0-5]\d`;
/** Nanoseconds have nine: more digits say nothing, and a model may never end them. */
const FRACTION = String.raw`(?:\.\d{1,16})?`;
const LEAP_SECOND = `23:59:60${FRACTION}(?:[Zz]|[+-]00:00)`;

/** RFC 3339, `full-time`. */
export const FULL_TIME = `(?:${HOUR_AND_MINUTE}:[0-5]\\d${FRACTION}(?:[Zz]|[+-]${HOUR_AND_MINUTE})|${LEAP_SECOND})`;

/** `time`: RFC 3339. */
export const time: Format = {
  name: 'time',
  narrower: 'leap seconds only at 23:59:60 UTC, fractions of up to 16 digits',
  compile: (budget) => compileRegex(FULL_TIME, { anchored: true }, budget),
};
