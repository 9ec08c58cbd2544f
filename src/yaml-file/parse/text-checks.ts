// Checks of texts beyond patterns. Each check returns the mistake, as the end of a sentence that begins with the field.
import { isIP } from 'node:net';
import { isAppError, parseTime } from '../../base/index.js';
import { checkAllowedOrigin } from '../../http/index.js';
import { parseIpAddress, classOf, findUrlOddity, mayContact, type UrlOddity } from '../../address/index.js';

/** Describes the mistake of a text; undefined: none. */
export type TextCheck = (text: string) => string | undefined;

/** Checks by the names that a schema has. */
export type TextChecks = Readonly<Record<string, TextCheck>>;

/** An address and a port. */
export interface ListenAddress {
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
}

/** `127.0.0.1:9440`, `[::1]:9440` or `localhost:9440`; undefined for anything else. */
export function parseListen(text: string): ListenAddress | undefined {
  const [, bracketed, bare, digits = ''] = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === '' || port > 65_535) return undefined;
  if (bracketed !== undefined) return isIP(bracketed) === 6 ? { host: bracketed, port } : undefined;
  if (bare === undefined || (bare !== 'localhost' && isIP(bare) !== 4)) return undefined;
  return { host: bare, port };
}

/** Holds a text to an address and a port. `port`: of examples. */
export function createListenCheck(port: number): TextCheck {
  return (text) => {
    if (parseListen(text) !== undefined) return undefined;
    if (isIP(text) === 4 || text === 'localhost') return `has no port; write ${text}:${port}`;
    if (isIP(text) === 6) return `has no port; write '[${text}]:${port}'`;
    if (/^\d{1,5}$/.test(text) || /^:\d{1,5}$/.test(text)) {
      return `has no address; write 127.0.0.1:${text.replace(':', '')}, or 0.0.0.0:${text.replace(':', '')} for every interface`;
    }
    if (/^https?:\/\//i.test(text)) return `is a URL; write an address and a port only, such as 127.0.0.1:${port}`;
    if (/:\d{6,}$/.test(text) || Number(/:(\d{5})$/.exec(text)?.[1] ?? 0) > 65_535) return 'has a port above 65535';
    return `is not an address and a port; write one such as 127.0.0.1:${port} or [::1]:${port}. Names other than localhost are not taken`;
  };
}

/** Holds a text to an address that only this machine reaches: one of 127.0.0.0/8, or ::1. */
export function checkLoopback(text: string): string | undefined {
  if (text === '::1' || (isIP(text) === 4 && text.startsWith('127.'))) return undefined;
  if (text === 'localhost') return 'is a name, which may have several addresses; write 127.0.0.1 or ::1';
  if (text === '[::1]') return 'is in brackets; write ::1';
  if (isIP(text) !== 0)
    return 'can be reached from other machines; write 127.0.0.1 or ::1, and use a tunnel from there';
  return 'is not an address; write 127.0.0.1 or ::1. The port has a field of its own';
}

/** Words for a URL in messages. */
export interface BaseUrlWords {
  /** Whose it is, as in `runtime`. */
  readonly what: string;
  /** A right one. */
  readonly example: string;
  /** The field in which its credential is referred to. */
  readonly credential: string;
  /** The party that adds `/v1`, if one does. */
  readonly adds?: string;
}

/** Requires an http or https URL of only a host, a port and a path. Its address must be one that may be contacted. */
export function createBaseUrlCheck({ what, example, credential, adds }: BaseUrlWords): TextCheck {
  return (text) => {
    if (!/^https?:\/\//i.test(text)) {
      const isBare = /^[\w.-]+:\d{1,5}(\/|$)/.test(text) && URL.canParse(`http://${text}`);
      return isBare
        ? `has no scheme; write http://${text}`
        : `is not an http or https URL; write one such as ${example}`;
    }
    const oddity = findUrlOddity(text);
    if (oddity !== undefined) return oddityTrouble(oddity, text, { example, credential });
    if (!URL.canParse(text)) return `is not a URL; write one such as ${example}`;
    const url = new URL(text);
    if (adds !== undefined && /\/v1\/?$/.test(url.pathname)) {
      return `ends with /v1, which ${adds} adds itself; leave it out`;
    }
    return addressTrouble(url.hostname, what);
  };
}

function oddityTrouble(
  oddity: UrlOddity,
  text: string,
  { example, credential }: Pick<BaseUrlWords, 'example' | 'credential'>,
): string {
  switch (oddity.what) {
    case 'characters': {
      const isName = /^https?:\/\/[^\s\p{Cc}\\/@]+(?:\/[\x21-\x5b\x5d-\x7e]*)?$/iu.test(text) && URL.canParse(text);
      return isName
        ? `has a host that is not written in ASCII; write ${new URL(text).host}`
        : `has characters that no URL of a server has; write one such as ${example}`;
    }
    case 'slashes':
      return `is not a URL; write one such as ${example}`;
    case 'user':
      return `has a user or a password in it; take them out and use ${credential} with { env: NAME } or { file: PATH }`;
    case 'query':
      return 'has a query or a fragment; leave them out';
    case 'dot':
      return 'has a host with a dot at its end; leave it out';
    case 'form':
      return `has an address in another form; write ${oddity.host}`;
  }
}

/** The mistake of an address in a URL. Names are resolved, and checked, at each connection. */
function addressTrouble(hostname: string, what: string): string | undefined {
  const address = parseIpAddress(hostname.replace(/^\[(.*)\]$/, '$1'));
  const kind = address && classOf(address);
  if (kind === undefined || mayContact(kind, true)) return undefined;
  if (kind === 'link-local' || kind === 'metadata') {
    return `is a ${kind} address, where clouds keep their credentials; use another address of the ${what}`;
  }
  if (kind === 'unspecified') return 'is the address of no machine; write 127.0.0.1 for this one';
  return `is a ${kind} address, at which no ${what} can be; use the address of the ${what}`;
}

/** RFC 3339 with a time zone. */
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;

/** Holds a text to a time with its zone. */
export function checkTimestamp(text: string): string | undefined {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return `is a day without a time; write ${text}T00:00:00Z`;
  if (!TIMESTAMP.test(text)) {
    if (TIMESTAMP.test(`${text}Z`)) return `has no time zone; write ${text}Z for UTC`;
    return 'is not a time; write one such as 2027-01-31T00:00:00Z';
  }
  return parseTime(text) === undefined ? 'is not a time that the calendar has' : undefined;
}

/** Whole numbers of a thousand millionth of the currency that stay exact in 64 bits, also when many are added. */
const DECIMAL = /^(?:0|[1-9]\d{0,9})(?:\.\d{1,9})?$/;
const MAX_AMOUNT = 1_000_000_000;

/** Holds a text to a decimal number from 0. */
export function checkPrice(text: string): string | undefined {
  if (DECIMAL.test(text)) return Number(text) > MAX_AMOUNT ? `is above ${MAX_AMOUNT}` : undefined;
  if (text.startsWith('-')) return 'is below 0';
  if (/^\d+,\d+$/.test(text)) return `has a comma; write '${text.replace(',', '.')}'`;
  if (/[A-Za-z€$£¥]/.test(text)) return 'has more than a number; the currency has a field of its own';
  return "is not a decimal number with at most 9 digits behind its point; write one such as '0.10'";
}

/** Holds a text to a decimal number above 0. */
export function checkAmount(text: string): string | undefined {
  return (
    checkPrice(text) ??
    (Number(text) === 0 ? 'is 0, with which nothing can be asked; disable the key instead' : undefined)
  );
}

/** Holds a text to a whole path as requests are compared with. */
export function checkPath(text: string): string | undefined {
  if (text.includes('*')) return 'has a *; each path is written whole';
  if (!text.startsWith('/')) return `does not begin with /${/^[\w/.-]+$/.test(text) ? `; write /${text}` : ''}`;
  if (/[?#]/.test(text)) return 'has a query or a fragment; a path is written without';
  if (!/^\/[\w.~/-]+$/.test(text)) return 'has characters other than letters, digits, and - . _ ~ /';
  if (text.includes('//') || text.endsWith('/') || /\/\.{1,2}(?:\/|$)/.test(text)) {
    return 'has an empty part, a dot part or a slash at its end, which no request is compared with';
  }
  return undefined;
}

/** Holds a text to an origin of the web. */
export function checkOrigin(text: string): string | undefined {
  try {
    checkAllowedOrigin('it', text);
    return undefined;
  } catch (error) {
    if (!isAppError(error)) throw error;
    return `can never match: ${error.message.replace(/^.*?which can never match: /, '')}`;
  }
}
