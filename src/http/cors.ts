import type { CheckedHead } from './check-head.js';

/** Headers that the OpenAI SDKs send from browsers (wire.md 2.2, from Ollama's list). */
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
].join(', ');

/** Two hours: what Chromium keeps a preflight's answer at most. */
const MAX_AGE_S = '7200';

/** The CORS headers of an answer to an allowed origin; none where no page asked. */
export function corsHeaders({ method, headers }: CheckedHead): Readonly<Record<string, string>> {
  const origin = headers.get('origin');
  if (origin === undefined) return {};
  const common = {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'x-request-id, retry-after',
    vary: 'Origin',
  };
  if (method !== 'OPTIONS') return common;
  return {
    ...common,
    'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
    'access-control-allow-headers': ALLOW_HEADERS,
    'access-control-max-age': MAX_AGE_S,
  };
}
