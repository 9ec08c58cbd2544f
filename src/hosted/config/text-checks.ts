import { isIP } from 'node:net';
import { parseAddressRange } from '../../address/index.js';
import { checkWebhookUrl } from '../../alerts/index.js';
import { checkTelemetryUrl } from '../../telemetry/index.js';
import {
  checkLoopback,
  checkOrigin,
  checkPath,
  checkPrice,
  createBaseUrlCheck,
  type TextChecks,
} from '../../yaml-file/index.js';

/** First parts of paths that the service has itself. */
const OWN_FIRST_PARTS: readonly string[] = ['v1', 'pgw', 'health', 'ready', 'metrics', 'openapi.json', 'account'];

/** Characters of paths: lower case, so two providers never differ by case alone. */
const PROVIDER_PATH = /^[a-z0-9][a-z0-9._-]{0,63}(?:\/[a-z0-9][a-z0-9._-]{0,63}){0,3}$/;

function providerPath(text: string): string | undefined {
  if (text.startsWith('/') || text.endsWith('/'))
    return `has a slash at an end; write ${text.replace(/^\/+|\/+$/g, '')}`;
  if (!PROVIDER_PATH.test(text)) return 'is no path of 1 to 4 parts of a to z, 0 to 9 and - . _';
  const [first = ''] = text.split('/', 1);
  return OWN_FIRST_PARTS.includes(first)
    ? `begins with ${first}, which the service has itself; choose another`
    : undefined;
}

function host(text: string): string | undefined {
  if (text === 'localhost' || isIP(text.replace(/^\[(.*)\]$/, '$1')) !== 0) return undefined;
  return 'is no address; write 127.0.0.1 for this machine alone, or 0.0.0.0 for every interface';
}

function range(text: string): string | undefined {
  return parseAddressRange(text) === undefined
    ? 'is neither an address nor a range; write one such as 10.0.0.0/8'
    : undefined;
}

function publicUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return 'is not a URL; write one such as https://api.example.com';
  const { protocol, username, password, search, hash } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') return 'is not an http or https URL';
  return username + password + search + hash === ''
    ? undefined
    : 'has more than a host, a port and a path; leave that out';
}

/** The checks of hosted.yaml, by name. */
export const textChecks = {
  host,
  baseUrl: createBaseUrlCheck({ what: 'provider', example: 'https://api.example.com', credential: 'credential' }),
  loopback: checkLoopback,
  path: checkPath,
  providerPath,
  origin: checkOrigin,
  range,
  publicUrl,
  price: checkPrice,
  webhookUrl: checkWebhookUrl,
  telemetryUrl: checkTelemetryUrl,
} as const satisfies TextChecks;
