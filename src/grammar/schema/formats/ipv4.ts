import { compileRegex } from '../../regex/index.js';
import type { Format } from './format.js';

const OCTET = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`;
/** RFC 2673, section 3.2: `dotted-quad`. */
export const IPV4 = String.raw`(?:${OCTET}\.){3}${OCTET}`;

/** `ipv4`: RFC 2673. */
export const ipv4: Format = {
  name: 'ipv4',
  narrower: '',
  compile: (budget) => compileRegex(IPV4, { anchored: true }, budget),
};
