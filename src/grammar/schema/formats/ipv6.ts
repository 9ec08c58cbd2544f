import { compileRegex } from '../../regex/index.js';
import type { Format } from './format.js';
import { IPV4 } from './ipv4.js';

const GROUP = '[0-9A-Fa-f]{1,4}';
/** The last 32 bits. */
const LAST = `(?:${GROUP}:${GROUP}|${IPV4})`;

/** RFC 3986, `IPv6address`: RFC 4291, section 2.2, by the number of groups before the two colons. */
export const IPV6 = [
  `(?:${GROUP}:){6}${LAST}`,
  `::(?:${GROUP}:){5}${LAST}`,
  ...[4, 3, 2, 1, 0].map((after) => {
    const before = 4 - after;
    return `(?:(?:${GROUP}:){0,${before}}${GROUP})?::(?:${GROUP}:){${after}}${LAST}`;
  }),
  `(?:(?:${GROUP}:){0,5}${GROUP})?::${GROUP}`,
  `(?:(?:${GROUP}:){0,6}${GROUP})?::`,
].join('|');

/** `ipv6`: RFC 4291. */
export const ipv6: Format = {
  name: 'ipv6',
  narrower: '',
  compile: (budget) => compileRegex(IPV6, { anchored: true }, budget),
};
