import { isIP } from 'node:net';
import { findUrlOddity, type UrlOddity } from '../../address/index.js';
import { AppError } from '../../base/index.js';
import { addressTrouble, leadsHere, type ContactRules } from './contact-rules.js';

/** Longer URLs are not addresses of servers. */
const MAX_URL_LENGTH = 300;

/** All addresses of a host name, as texts; none: it has none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/**
 * The stored base URL of a gateway: without `/v1` and slashes at its end. Refuses text that URL parsers could read in
 * two ways. Errors: `gateway_url_refused`.
 */
export function parseGatewayUrl(text: string, rules: ContactRules): URL {
  if (text.length > MAX_URL_LENGTH) throw refused(`has ${text.length} characters; the limit is ${MAX_URL_LENGTH}`);
  const oddity = /^https?:\/\//.test(text) ? findUrlOddity(text) : { what: 'characters' as const };
  if (oddity !== undefined) throw refused(wordsOf(oddity));
  if (!URL.canParse(text)) throw refused('is not a URL');
  const url = new URL(text);
  checkHost(url, rules);
  url.pathname = url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '') || '/';
  return url;
}

/** The text of a base URL, below which `/v1/models` is. */
export function toGatewayBaseUrl(url: URL): string {
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/**
 * Refuses a gateway whose name leads, now, to an address that is not contacted, or back to this service. Each connection is
 * checked again. Errors: `gateway_url_refused`.
 */
export async function checkResolved(url: URL, rules: ContactRules, resolve: Resolve): Promise<void> {
  const host = plainHost(url);
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  if (addresses.length === 0) throw refused(`has the host ${host}, which has no address now`);
  for (const address of addresses) {
    const trouble = addressTrouble(address, rules);
    if (trouble !== undefined) throw refused(`leads to ${address}, which ${trouble}`);
    if (leadsHere(address, portOf(url), rules))
      throw refused('leads to a listener of this service, which would be a loop');
  }
}

/** An error that names what is wrong with a base URL. It leaves out the URL, which may contain a password. */
export function refused(what: string): AppError {
  return new AppError('gateway_url_refused', `the base URL of the gateway ${what}`);
}

function wordsOf(oddity: UrlOddity): string {
  switch (oddity.what) {
    case 'characters':
      return 'is not an http or https URL of plain characters; write one such as https://gateway.example.com';
    case 'slashes':
      return 'is not a URL';
    case 'user':
      return 'has a user or a password in it; give the credential by itself';
    case 'query':
      return 'has a query or a fragment; leave them out';
    case 'dot':
      return 'has a host with a dot at its end; leave it out';
    case 'form':
      return `has an address in another form; write it as ${oddity.host}`;
  }
}

function checkHost(url: URL, rules: ContactRules): void {
  const host = plainHost(url);
  if (isIP(host) !== 0) {
    const trouble = addressTrouble(host, rules);
    if (trouble !== undefined) throw refused(`has the host ${host}, which ${trouble}`);
  }
  if (rules.ownHosts.has(url.host.toLowerCase())) throw refused('is that of this service, which would be a loop');
}

function plainHost(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}
