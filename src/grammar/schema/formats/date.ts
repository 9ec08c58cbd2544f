import { compileRegex } from '../../regex/index.js';
import type { Format } from './format.js';

const LEAP_YEAR = String.raw`(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)`;
const LONG_MONTH = String.raw`(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])`;
const SHORT_MONTH = String.raw`(?:0[469]|11)-(?:0[1-9]|[12]\d|30)`;

/** RFC 3339, `full-date`, with the days that each month has. */
export const FULL_DATE = String.raw`(?:\d{4}-(?:${LONG_MONTH}|${SHORT_MONTH}|02-(?:0[1-9]|1\d|2[0-8]))|${LEAP_YEAR}-02-29)`;

/** `date`: RFC 3339. */
export const date: Format = {
  name: 'date',
  narrower: '',
  compile: (budget) => compileRegex(FULL_DATE, { anchored: true }, budget),
};
