import type { CheckedHead } from './check-head.js';

/** Headers that the OpenAI SDKs send from browsers (Ollama's list). */
const STAINLESS = [
  'arch',
  'async',
  'custom-poll-interval',
  'helper-method',
  'lang',
  'os',
  'package-version',
  'poll-helper',
  'retry-count',
  'runtime',
  'runtime-version',
  'timeout',
];

const ALLOW_HEADERS = [
  'Authorization',
  'Content-Type',
  'Content-Encoding',
  'Accept',
  'User-Agent',
  'OpenAI-Beta',
  'OpenAI-Organization',
  'OpenAI-Project',
  'X-Request-Id',
  'X-Requested-With',
  ...STAINLESS.map((name) => `x-stainless-${name}`),
];

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]{1,128}$/;
/** Most names of a preflight that are answered: SDKs send about 25 headers, and no request may have more than 90. */
const MAX_ASKED = 90;

/** What a page may read of an answer besides its plain fields. */
const EXPOSED = [
  'x-request-id',
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
  ...['limit', 'remaining', 'reset'].flatMap((name) => [
    `x-ratelimit-${name}`,
    `x-ratelimit-${name}-requests`,
    `x-ratelimit-${name}-tokens`,
  ]),
].join(', ');

/** Two hours: what Chromium keeps a preflight's answer at most. */
const MAX_AGE_S = '7200';

/**
 * The CORS headers of an answer to an allowed origin; none where no page asked. A preflight gets back every header that
 * it asks for: the origin decides what a page may do, and clients add their own headers. It may also come from a public
 * page to this private address (Private Network Access), for the same reason.
 */
export function corsHeaders({ method, headers }: CheckedHead): Readonly<Record<string, string>> {
  const origin = headers.get('origin');
  if (origin === undefined) return {};
  const common = {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': EXPOSED,
  };
  if (method !== 'OPTIONS') return { ...common, vary: 'Origin' };
  const isPrivate = headers.get('access-control-request-private-network') === 'true';
  return {
    ...common,
    'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
    'access-control-allow-headers': allowedHeaders(headers.get('access-control-request-headers') ?? ''),
    'access-control-max-age': MAX_AGE_S,
    ...(isPrivate && { 'access-control-allow-private-network': 'true' }),
    vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Private-Network',
  };
}

/** Those that SDKs send, and the names that were asked for. What is no name is left out. */
function allowedHeaders(asked: string): string {
  const known = new Set(ALLOW_HEADERS.map((name) => name.toLowerCase()));
  const names = asked.split(',', MAX_ASKED).map((name) => name.trim().toLowerCase());
  const more = new Set(names.filter((name) => HEADER_NAME.test(name) && !known.has(name)));
  return [...ALLOW_HEADERS, ...more].join(', ');
}
