import { compileRegex } from '../../regex/index.js';
import type { Format } from './format.js';
import { IPV6 } from './ipv6.js';

const PERCENT = '%[0-9A-Fa-f]{2}';
const UNRESERVED = String.raw`A-Za-z0-9\-._~`;
const SUB_DELIMITERS = "!$&'()*+,;=";
const PATH_CHAR = `(?:[${UNRESERVED}${SUB_DELIMITERS}:@]|${PERCENT})`;
const FUTURE = `[Vv][0-9A-Fa-f]+\\.[${UNRESERVED}${SUB_DELIMITERS}:]+`;
const HOST = `(?:\\[(?:${IPV6}|${FUTURE})\\]|(?:[${UNRESERVED}${SUB_DELIMITERS}]|${PERCENT})*)`;
const AUTHORITY = `(?:(?:[${UNRESERVED}${SUB_DELIMITERS}:]|${PERCENT})*@)?${HOST}(?::[0-9]*)?`;
const SEGMENTS = `(?:/${PATH_CHAR}*)*`;
const HIERARCHY = `(?://${AUTHORITY}${SEGMENTS}|/(?:${PATH_CHAR}+${SEGMENTS})?|${PATH_CHAR}+${SEGMENTS})`;
const REST = `(?:${PATH_CHAR}|[/?])*`;

/** RFC 3986, appendix A: `URI`. */
export const uri: Format = {
  name: 'uri',
  narrower: 'something behind the colon of the scheme',
  compile: (budget) =>
    compileRegex(`[A-Za-z][A-Za-z0-9+\\-.]*:${HIERARCHY}(?:\\?${REST})?(?:#${REST})?`, { anchored: true }, budget),
};
