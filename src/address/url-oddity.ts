import { isIP } from 'node:net';

/** A part of a base URL that parsers read in two ways, or that no server needs. */
export type UrlOddity =
  /** Blanks, control characters, backslashes, letters outside of ASCII. */
  | { readonly what: 'characters' }
  /** A URL without a host behind two slashes. */
  | { readonly what: 'slashes' }
  | { readonly what: 'user' }
  | { readonly what: 'query' }
  /** A dot at the end of its host. */
  | { readonly what: 'dot' }
  /** An address in decimal, octal, hexadecimal or escaped form; `host` is its canonical form in URLs. */
  | { readonly what: 'form'; readonly host: string };

/** The first oddity of a text that begins with `http://` or `https://`; undefined when all parsers agree on it. */
export function findUrlOddity(text: string): UrlOddity | undefined {
  const [, written] = /^https?:\/\/([^/?#]+)/i.exec(text) ?? [];
  if (!/^[\x21-\x5b\x5d-\x7e]+$/.test(text)) return { what: 'characters' };
  if (written === undefined) return { what: 'slashes' };
  if (written.includes('@')) return { what: 'user' };
  if (/[?#]/.test(text)) return { what: 'query' };
  if (!URL.canParse(text)) return undefined;
  const { hostname } = new URL(text);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (host.endsWith('.')) return { what: 'dot' };
  const isOdd = isIP(host) !== 0 && !written.toLowerCase().startsWith(hostname);
  return isOdd ? { what: 'form', host: hostname } : undefined;
}
