// The hub's address and the user's token: the environment variables of the hub's own clients. Source: huggingface_hub,
// its reference of environment variables.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, findHome, hasErrorCode, throwFileError } from '../base/index.js';

/** How a hub is asked. */
export interface HubSettings {
  /** Without a slash at its end. */
  readonly endpoint: string;
  /** Sent to the hub only. */
  readonly token: string | undefined;
  /** No request leaves this machine. */
  readonly isOffline: boolean;
  readonly proxies: ProxySettings;
}

/** The proxy for each kind of URL. */
export interface ProxySettings {
  readonly http: string | undefined;
  readonly https: string | undefined;
  /** Hosts that are asked without one: names, suffixes with a dot before them, `*`. */
  readonly none: readonly string[];
}

/** Values of an environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

const PUBLIC_HUB = 'https://huggingface.co';
/** The files of tokens have some 40 bytes. */
const MAX_TOKEN = 1_024;

/**
 * Reads the settings of `env`, by default of this process, as the hub's own clients do. Errors: `hub_settings_invalid`,
 * those of reading the token's file.
 */
export async function readHubSettings(env: Environment = process.env): Promise<HubSettings> {
  return {
    endpoint: readEndpoint(env['HF_ENDPOINT'] || PUBLIC_HUB),
    token: await readToken(env),
    isOffline: isOn(env['HF_HUB_OFFLINE']),
    proxies: readProxies(env),
  };
}

function readEndpoint(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url !== undefined && url.username === '' && url.search === '' && url.hash === '';
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    throw invalidSetting(
      'HF_ENDPOINT',
      'must be an http or https URL of a host, without a name, a password and a query',
    );
  }
  return url.href.replace(/\/+$/, '');
}

async function readToken(env: Environment): Promise<string | undefined> {
  const given = env['HF_TOKEN'] || env['HUGGING_FACE_HUB_TOKEN'];
  if (given) return checkToken('HF_TOKEN', given);
  if (isOn(env['HF_HUB_DISABLE_IMPLICIT_TOKEN'])) return undefined;
  const path = tokenPath(env);
  const text = path === undefined ? '' : await readFile(path, 'utf8').catch(emptyIfMissing(path));
  return text.trim() === '' ? undefined : checkToken(`the file ${path}`, text);
}

/** Where the hub's command line keeps the token after a login. */
function tokenPath(env: Environment): string | undefined {
  if (env['HF_TOKEN_PATH']) return env['HF_TOKEN_PATH'];
  if (env['HF_HOME']) return join(env['HF_HOME'], 'token');
  if (env['XDG_CACHE_HOME']) return join(env['XDG_CACHE_HOME'], 'huggingface', 'token');
  const home = findHome();
  return home === undefined ? undefined : join(home, '.cache', 'huggingface', 'token');
}

/** A text that would break a header, or is a whole file, is not a token; messages never repeat it. */
function checkToken(where: string, text: string): string {
  const token = text.trim();
  if (token.length <= MAX_TOKEN && /^[!-~]+$/.test(token)) return token;
  throw invalidSetting(where, `must be one word of printable characters, at most ${MAX_TOKEN}`);
}

function readProxies(env: Environment): ProxySettings {
  const all = env['all_proxy'] || env['ALL_PROXY'];
  const none = env['no_proxy'] ?? env['NO_PROXY'] ?? '';
  return {
    // HTTP_PROXY in capitals may come from a request's Proxy header if a server starts programs; curl ignores it too.
    http: checkProxy('http_proxy', env['http_proxy'] || all),
    https: checkProxy('HTTPS_PROXY', env['https_proxy'] || env['HTTPS_PROXY'] || all),
    none: none.split(/[\s,]+/).filter((host) => host !== ''),
  };
}

function checkProxy(name: string, text: string | undefined): string | undefined {
  if (!text) return undefined;
  const spelled = text.includes('://') ? text : `http://${text}`;
  if (URL.canParse(spelled) && /^https?:$/.test(new URL(spelled).protocol)) return spelled;
  throw invalidSetting(name, 'must be the http or https URL of a proxy');
}

/** The proxy to ask for `url`; undefined: none. */
export function proxyFor({ protocol, hostname, port }: URL, proxies: ProxySettings): string | undefined {
  const proxy = protocol === 'https:' ? proxies.https : proxies.http;
  if (proxy === undefined) return undefined;
  const name = hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  const number = port || (protocol === 'https:' ? '443' : '80');
  return proxies.none.some((entry) => isNamed(entry.toLowerCase(), name, number)) ? undefined : proxy;
}

/** Whether an entry of NO_PROXY names a host: `*`, the name itself or a suffix of whole labels, with a port or without. */
function isNamed(entry: string, name: string, port: string): boolean {
  if (entry === '*') return true;
  const [, host = entry, only] = /^(.*[^:]):(\d+)$/.exec(entry) ?? [];
  if (only !== undefined && only !== port) return false;
  const suffix = host.replace(/^\*?\./, '');
  return name === suffix || name.endsWith(`.${suffix}`);
}

function isOn(text: string | undefined): boolean {
  return ['1', 'on', 'yes', 'true'].includes((text ?? '').toLowerCase());
}

function emptyIfMissing(path: string): (error: unknown) => string {
  return (error) => (hasErrorCode(error, 'ENOENT', 'ENOTDIR') ? '' : throwFileError('read', path)(error));
}

function invalidSetting(name: string, rule: string): AppError {
  return new AppError('hub_settings_invalid', `${name} cannot be used: it ${rule}`, { setting: name });
}
