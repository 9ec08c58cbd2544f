import { isIP } from 'node:net';
import { AppError } from '../../base/index.js';
import { ANY, readAuthority } from './names.js';

/** What a page has as its origin that has no address: one from a file, or in a sandboxed frame of any other. */
const NO_ORIGIN = 'null';
/** A scheme and what comes behind it; with `//` only where it has an authority. */
const SCHEME = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is;

/**
 * Refuses a value of `option` that no Host header can ever be: a name, `name:port` or `*` are wanted. The message says
 * what would match. Errors: `invalid_value`.
 */
export function checkAllowedHost(option: string, value: string): void {
  if (value === ANY) return;
  const authority = value.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '').replace(/[/?#].*$/s, '');
  const bare = authority.replace(/^.*@/s, '');
  const canonical = toHost(bare);
  if (value === bare && readAuthority(value) !== undefined && value.toLowerCase() === canonical) return;
  const faults: readonly (readonly [boolean, string])[] = [
    [value.trim() === '', 'it is empty'],
    [value.includes(ANY), 'names are compared whole, so a * inside never matches; list each name, or give * alone'],
    [/:\/\//.test(value), 'a Host header has no scheme'],
    [authority !== value, 'a Host header has no path'],
    [bare !== authority, 'a Host header has no user'],
  ];
  throw refusal(option, value, faults, 'a Host header is a name or an address, with or without a port', [canonical]);
}

/**
 * Refuses a value of `option` that no Origin header can ever be: `scheme://host`, with a port where it is not the
 * scheme's own, or `*`, or `null`. The message says what would match. Errors: `invalid_value`.
 */
export function checkAllowedOrigin(option: string, value: string): void {
  if (value === ANY || value === NO_ORIGIN) return;
  const [, scheme, rest = value] = SCHEME.exec(value) ?? [];
  const authority = rest.replace(/[/?#].*$/s, '');
  const bare = authority.replace(/^.*@/s, '');
  const schemes = scheme === undefined ? ['https', 'http'] : [scheme.toLowerCase()];
  const matching = schemes.map((each) => toOrigin(each, bare));
  if (scheme !== undefined && value.toLowerCase() === matching[0] && !value.includes(ANY)) return;
  const faults: readonly (readonly [boolean, string])[] = [
    [value.trim() === '', 'it is empty'],
    [value.includes(ANY), 'origins are compared whole, so a * inside never matches; list each one, or give * alone'],
    [scheme === undefined, 'an origin begins with its scheme'],
    [authority !== rest, 'an origin has no path, not even a slash at its end'],
    [bare !== authority, 'an origin has no user'],
  ];
  throw refusal(option, value, faults, 'browsers do not spell an origin so', matching);
}

/** Whether a web page of any origin, also one that hides it, is allowed by one of these values. */
export function allowsAnyPage(origins: readonly string[]): boolean {
  return origins.includes(ANY) || origins.includes(NO_ORIGIN);
}

function refusal(
  option: string,
  value: string,
  faults: readonly (readonly [boolean, string])[],
  otherwise: string,
  matching: readonly (string | undefined)[],
): AppError {
  const why = faults.find(([isSo]) => isSo)?.[1] ?? otherwise;
  const known = matching.filter((each) => each !== undefined && !each.includes(ANY));
  const hint = known.length === 0 ? '' : `; ${known.join(' or ')} would match`;
  const message = `${option} is ${JSON.stringify(value)}, which can never match: ${why}${hint}`;
  return new AppError('invalid_value', message, { option });
}

/** A host as clients send it: punycode, addresses in their usual form. Undefined: it is none. */
function toHost(host: string): string | undefined {
  const url = `http://${isIP(host) === 6 ? `[${host}]` : host}/`;
  if (host === '' || !URL.canParse(url)) return undefined;
  // A URL drops the port 80, which a Host header may have.
  const port = isIP(host) === 6 ? undefined : /:(\d{1,5})$/.exec(host)?.[1];
  return new URL(url).hostname + (port === undefined ? '' : `:${port}`);
}

/** An origin as browsers send it, for the schemes that they know and for others, as `chrome-extension://…`. */
function toOrigin(scheme: string, host: string): string | undefined {
  const url = `${scheme}://${host}`;
  if (host === '' || !URL.canParse(url)) return undefined;
  const { origin } = new URL(url);
  return origin === NO_ORIGIN ? url.toLowerCase() : origin;
}
