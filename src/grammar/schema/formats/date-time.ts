import { compileRegex } from '../../regex/index.js';
import { FULL_DATE } from './date.js';
import type { Format } from './format.js';
import { FULL_TIME } from './time.js';

/** RFC 3339, `date-time`. */
export const dateTime: Format = {
  name: 'date-time',
  narrower: 'leap seconds only at 23:59:60 UTC, fractions of up to 16 digits',
  compile: (budget) => compileRegex(`${FULL_DATE}[Tt]${FULL_TIME}`, { anchored: true }, budget),
};
