import { AppError } from '../../../base/index.js';

/** The default port of a server. */
export const DEFAULT_PORT = 11_434;
/** Wildcard addresses to listen on, with the loopback address to connect to instead. */
const ANY: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['[::]', '[::1]'],
]);

/**
 * The address of a running server, as `--host` or TROUPE_HOST says it: `http://host:port`, `host:port`, `host` or `:port`.
 * Errors: `invalid_option`.
 */
export function readServerAddress(option: string | undefined, env: Readonly<Record<string, string | undefined>>): URL {
  const [name, text] = option === undefined ? ['TROUPE_HOST', env['TROUPE_HOST'] || '127.0.0.1'] : ['--host', option];
  const url = parse(text);
  const isPlain = url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (!isPlain || url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    const message = `${name} must be the address of a server, such as 127.0.0.1:11434 or https://engine.example, with no path and no password`;
    throw new AppError('invalid_option', message, { option: name });
  }
  url.hostname = ANY.get(url.hostname) ?? url.hostname;
  return url;
}

function parse(text: string): URL | undefined {
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  const full = hasScheme ? text : `http://${text.startsWith(':') ? `127.0.0.1${text}` : text}`;
  if (!URL.canParse(full)) return undefined;
  const url = new URL(full);
  // An address without a scheme has our port; one with a scheme has the port of that.
  if (!hasScheme && url.port === '' && !text.endsWith(':80')) url.port = String(DEFAULT_PORT);
  return url;
}
